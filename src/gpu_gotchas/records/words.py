"""The small vocabulary of records: ids, links, dates, versions, as shapes with their patterns.

The JSON Schemas in schema/ hold the same patterns.
"""

from __future__ import annotations

from gpu_gotchas.records.shapes import text

ID = r"[a-z0-9]+(-[a-z0-9]+)*"
URL = r"https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?(/[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]*)?"
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
DATE_AS_KNOWN = r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?"
RELEASE = r"[0-9]+(\.[0-9]+)*(\.post[0-9]+)?"
PACKAGE = r"[a-z0-9]+([._-][a-z0-9]+)*"
HANDLE = r"[a-z][a-z0-9-]*:[A-Za-z0-9._-]+"
GFX = r"gfx[0-9]+[0-9a-f]*"
SETTING = r"[A-Za-z][A-Za-z0-9_]*"

identifier = text(ID, "lower-case words joined by hyphens", longest=80)
url = text(URL, "an https link", longest=500)
date = text(DATE, 'a date such as "2026-11-30"')
date_as_known = text(DATE_AS_KNOWN, 'a date such as "2026-11-30", or "2026-11" or "2026"')
release = text(RELEASE, 'a final release such as "0.20.0"', longest=40)
package = text(PACKAGE, "a package's name in lower case", longest=80)
handle = text(HANDLE, "a place and a name such as github:handle", longest=80)
gfx = text(GFX, "an AMD target such as gfx942", longest=20)
setting = text(SETTING, "a setting's name", longest=80)
line = text()
title = text(longest=90)
phrase = text(longest=120)
