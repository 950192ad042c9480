"""pytest over gotchas alone: neither the tests nor the settings of the project that one stands in."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def nothing_else() -> Iterator[list[str]]:
    """pytest's arguments for an empty folder to collect from, which is gone afterwards.

    Its root stays where one stands, so that what runs is named `gotchas/<id>::…` and not by a way to there.
    """
    with tempfile.TemporaryDirectory(prefix="gotchas-run-") as name:
        empty = Path(name)
        settings = empty / "pytest.ini"
        settings.write_text("[pytest]\n", encoding="utf-8")
        yield [
            str(empty),
            f"--rootdir={Path.cwd()}",
            f"--confcutdir={empty}",
            f"--config-file={settings}",
            "-p",
            "no:cacheprovider",
        ]
