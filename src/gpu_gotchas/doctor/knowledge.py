"""All that the doctor knows, in one document that is read without a YAML parser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from gpu_gotchas.doctor.claims import Claim, claim_from, raw_claim
from gpu_gotchas.records.setting import Releases, Setting, ValueKind

FORM = 2
_RELEASES = ("flag_releases", "variable_releases")


class KnowledgeDamaged(ValueError):
    """A document that `build_knowledge` of this version did not write."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """records: those that are not withdrawn. candidates: what is reported and not proven.

    settings: by name. names: ids and aliases of every record, to its id. stamp: what it was built from.
    """

    records: tuple[Claim, ...]
    candidates: tuple[Claim, ...]
    settings: Mapping[str, Setting]
    names: Mapping[str, str]
    stamp: str | None = None


def build_knowledge(root: Path, stamp: str | None = None) -> bytes:
    """The document of the records and candidates below `root`. Raises RecordErrors."""
    from gpu_gotchas.doctor.claims import claim_of
    from gpu_gotchas.records.loading import load_all, load_candidates
    from gpu_gotchas.records.settings import settings

    records = [claim_of(one) for one in load_all(root)]
    names = {name: one.id for one in records for name in (one.id, *one.aliases)}
    document = {
        "form": FORM,
        "stamp": stamp,
        "names": names,
        "settings": {name: _raw_setting(one) for name, one in settings().items()},
        "records": [raw_claim(one) for one in records if not one.withdrawn],
        "candidates": [raw_claim(claim_of(one)) for one in load_candidates(root)],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def read_knowledge(data: bytes) -> Knowledge:
    """Raises KnowledgeDamaged."""
    try:
        raw = json.loads(data)
        if raw["form"] != FORM:
            raise KnowledgeDamaged(f"has form {raw['form']}, and this version reads {FORM}")
        return Knowledge(
            tuple(map(claim_from, raw["records"])),
            tuple(map(claim_from, raw["candidates"])),
            {name: _setting(one) for name, one in raw["settings"].items()},
            raw["names"],
            raw["stamp"],
        )
    except KnowledgeDamaged:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise KnowledgeDamaged(f"{type(error).__name__}: {error}") from error


def _raw_setting(setting: Setting) -> dict[str, object]:
    return {**asdict(setting), "kind": setting.kind.value}


def _setting(raw: Mapping[str, object]) -> Setting:
    lists = {name: tuple(value) for name, value in raw.items() if isinstance(value, list)}
    releases = {name: Releases(**raw[name]) for name in _RELEASES if raw[name]}  # type: ignore[arg-type]
    return Setting(**{**raw, **lists, **releases, "kind": ValueKind(raw["kind"])})  # type: ignore[arg-type]
