"""A built site behind a server of its own, and a browser that notes what it asks for and complains of."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
CI = os.environ.get("CI") == "true"


def chromium() -> str:
    """Its path. Without it the test is skipped and says why, but in CI it has to be there."""
    found = next(filter(Path.exists, map(Path, CHROMIUM)), None) or shutil.which("chromium")
    if found is None:
        message = "no Chromium: apt-get install chromium"
        if CI:
            pytest.fail(message)
        pytest.skip(message)
    return str(found)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of this folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Visit:
    """page: of Playwright. asked: every address that the browser asked for. said: errors and complaints."""

    page: Any
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@dataclass
class Browser:
    """chromium: of Playwright. base: the site's address."""

    chromium: Any
    base: str

    @contextmanager
    def visit(self, path: str = "", **options: Any) -> Iterator[Visit]:
        """A page in a context of its own. options: of Playwright's context."""
        context = self.chromium.new_context(**options)
        visit = Visit(context.new_page())
        context.on("request", lambda request: visit.asked.append(request.url))
        visit.page.on("pageerror", lambda error: visit.said.append(str(error)))
        visit.page.on(
            "console", lambda message: visit.said.append(message.text) if message.type == "error" else None
        )
        try:
            visit.page.goto(self.base + path)
            yield visit
        finally:
            context.close()


@contextmanager
def opened(folder: Path) -> Iterator[Browser]:
    """Playwright is left out of a skip's cost: Chromium is looked for first."""
    path = chromium()
    if not CI:
        pytest.importorskip("playwright", reason="no playwright: pip install 'gpu-gotchas[dev]'")
    from playwright.sync_api import sync_playwright

    with served(folder) as base, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield Browser(browser, base)
        finally:
            browser.close()
