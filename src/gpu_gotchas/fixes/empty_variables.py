"""Environment variables that are set to nothing, taken out before a server reads them.

Compose files and scripts pass `NAME=${NAME:-}` on, which sets NAME to the empty string where the user meant
"not set". Programs that ask whether a variable exists then read "" as a value: vLLM's lists of choices refuse
it, its numbers fail to parse, FlashInfer splits it. Dropping such variables gives every reader its default.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

PREFIXES = ("VLLM_", "FLASHINFER_")


def empty(environ: Mapping[str, str], prefixes: Sequence[str] = PREFIXES) -> list[str]:
    """Names below `prefixes` whose value is empty or blank, in order."""
    return sorted(
        name for name, value in environ.items() if name.startswith(tuple(prefixes)) and not value.strip()
    )


def drop_empty(environ: MutableMapping[str, str], prefixes: Sequence[str] = PREFIXES) -> list[str]:
    """Take them out of `environ`, such as os.environ, and return their names, so that it can be said.

    Call it before the server's first import: some variables are read while modules load.
    """
    names = empty(environ, prefixes)
    for name in names:
        del environ[name]
    return names
