"""Where the doctor's document comes from: shipped with an install, or kept up to date in a checkout."""

from __future__ import annotations

from pathlib import Path

from gpu_gotchas.doctor.knowledge import Knowledge, KnowledgeDamaged, build_knowledge, read_knowledge
from gpu_gotchas.records.kept import stamp_of, up_to_date
from gpu_gotchas.records.root import index_path, is_checkout, root, schema_root

NAME = "doctor.json"
_MAKERS = ("knowledge.py", "claims.py")


class KnowledgeUnusable(Exception):
    """An install without a document that can be read: a fault of the package, not of its user."""


def open_knowledge() -> Knowledge:
    """Of this checkout or install; built anew when a record of a checkout is newer.

    Raises RecordErrors when a checkout's records can't be loaded, KnowledgeUnusable when an install has none.
    """
    path = index_path().with_name(NAME)
    if is_checkout():
        return fresh_knowledge(root(), path)
    try:
        return read_knowledge(path.read_bytes())
    except (OSError, KnowledgeDamaged) as error:
        raise KnowledgeUnusable(f"{path}: {error}") from error


def fresh_knowledge(records: Path, kept: Path) -> Knowledge:
    """What is known below a folder of records, from `kept` while that is up to date."""
    here = Path(__file__).parent
    stamp = stamp_of(records, (schema_root() / "settings.yaml", *(here / name for name in _MAKERS)))
    return up_to_date(kept, stamp, read_knowledge, lambda: build_knowledge(records, stamp), KnowledgeDamaged)
