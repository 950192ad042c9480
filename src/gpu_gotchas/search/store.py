"""Where the index comes from: shipped with an install, or kept up to date from the records of a checkout."""

from __future__ import annotations

from pathlib import Path

from gpu_gotchas.records.kept import stamp_of, up_to_date
from gpu_gotchas.records.root import index_path, is_checkout, root
from gpu_gotchas.search.index import Index, IndexDamaged

# What the index depends on beside the records: a checkout's reader rebuilds when one of these was edited.
_MAKERS = (
    *(
        "build.py",
        "entries.py",
        "field_words.py",
        "written_settings.py",
        "index.py",
        "words.py",
        "common_words.py",
        "singular.py",
        "likeness.py",
    ),
    *("normalise.py", "prefixes.py", "questions.py", "trouble.py", "boilerplate.py"),
)


class IndexUnusable(Exception):
    """An install without an index that can be read: a fault of the package, not of its user."""


def open_index() -> Index:
    """The index of this checkout or install.

    In a checkout it is built anew when a record is newer, and kept where that can be written.
    Raises RecordErrors when a checkout's records can't be loaded, IndexUnusable when an install has no index.
    """
    if not is_checkout():
        try:
            return Index.read(index_path())
        except (OSError, IndexDamaged) as error:
            raise IndexUnusable(f"{index_path()}: {error}") from error
    return fresh_index(root(), index_path())


def fresh_index(records: Path, kept: Path) -> Index:
    """The index of the records below a folder, from `kept` while that is up to date."""
    stamp = stamp_of(records, (Path(__file__).parent / name for name in _MAKERS))

    def make() -> bytes:
        from gpu_gotchas.search.build import build_index  # loads YAML, so only when it must

        return build_index(records, stamp)

    return up_to_date(kept, stamp, Index, make, IndexDamaged)
