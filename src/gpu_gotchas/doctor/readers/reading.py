"""Find out what a file holds, by its content, and read it. What comes in is bounded and never trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gpu_gotchas.doctor.facts import Facts, merged
from gpu_gotchas.doctor.readers import (
    check_env,
    collect_env,
    conda_file,
    containers,
    dockerfile,
    in_words,
    locks,
    machine_file,
    nvidia_smi,
    nvidia_smi_q,
    requirements,
    rocm_tools,
    script,
)
from gpu_gotchas.doctor.readers.reader import Reader, Text, UnreadableFile
from gpu_gotchas.hardware.documents import DocumentError
from gpu_gotchas.hardware.files import read_bounded

MAX_BYTES = 8 << 20
MAX_LINE = 2_000

# Pastes first, in the order in which they are believed where two answer one question.
READERS: tuple[Reader, ...] = (
    check_env.READER,
    collect_env.READER,
    nvidia_smi.READER,
    nvidia_smi_q.READER,
    rocm_tools.ROCMINFO,
    rocm_tools.AMD_SMI,
    rocm_tools.ROCM_SMI,
    rocm_tools.PRODUCTS,
    locks.READER,
    locks.PIPFILE,
    dockerfile.READER,
    script.READER,
    containers.READER,
    conda_file.READER,
    machine_file.READER,
    requirements.READER,
    in_words.READER,
)


def read_file(path: Path) -> Facts:
    """What the file says of a machine. Raises UnreadableFile."""
    try:
        raw = read_bounded(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return read_bytes(raw, path)


def read_bytes(raw: bytes, path: Path) -> Facts:
    """The same, of what came from `path`."""
    if len(raw) > MAX_BYTES:
        raise UnreadableFile(f"{path}: has more than {MAX_BYTES} bytes: cut it down to the report")
    return read_text(_decoded(raw, path), path)


def read_text(text: str, path: Path) -> Facts:
    """The same, of a text that came from `path`."""
    cut = Text("\n".join(line[:MAX_LINE] for line in text.splitlines()), path)
    found: list[Facts] = []
    faults: list[str] = []
    for reader in READERS:
        if reader.whole and found:
            break
        if not reader.recognises(cut):
            continue
        try:
            facts = reader.read(cut)
        except DocumentError as error:
            raise UnreadableFile(*error.problems) from None
        except ValueError as error:
            faults.append(f"{path}: looks like {reader.name}: {error}")
            continue
        found.append(replace(facts, told_by=(reader.name,)))
        if reader.whole:
            break
    facts = merged(found)
    if not found and faults:
        raise UnreadableFile(*faults)
    if not _says_something(facts):
        names = ", ".join(dict.fromkeys(reader.name for reader in READERS))
        raise UnreadableFile(f"{path}: nothing in it describes a machine; it may be: {names}")
    return facts


def _says_something(facts: Facts) -> bool:
    machine = facts.machine
    told = machine.cards is not None or machine.software or machine.settings or machine.p2p is not None
    return bool(told or machine.platform or facts.environment or facts.commands)


def _decoded(raw: bytes, path: Path) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"  # PowerShell writes UTF-16
    text = raw.decode(encoding, "replace")
    if "\x00" in text[:65536]:
        raise UnreadableFile(f"{path}: is no text")
    return text
