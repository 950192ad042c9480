"""mkdocs' only hook: leaves out what the theme brings and no page asks for, and names its style sheets.

That is a search of its own, its script and what its developers need: more than two megabytes.
"""

from fnmatch import fnmatch
from typing import Any

UNUSED = ("*.map", "assets/javascripts/*")
STYLES = "assets/stylesheets/*.css"


def on_files(files: Any, config: Any) -> Any:
    """files: of mkdocs, those of the theme among them."""
    for file in list(files):
        if any(fnmatch(file.src_uri, pattern) for pattern in UNUSED):
            files.remove(file)
    config["extra"]["styles"] = sorted(f.src_uri for f in files if fnmatch(f.src_uri, STYLES))
    return files
