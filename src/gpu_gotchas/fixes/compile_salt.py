"""A folder for compiled graphs of its own for everything that changes what is compiled.

A cache of compiled graphs is keyed by what its author thought of. Functions replaced in memory, variables
that only a patch reads and, in some releases, the card are not in the key, so a graph of another setting is
loaded. A root folder that is named after them keeps such graphs apart, whatever the key holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


def salt(facts: Mapping[str, str]) -> str:
    """Twelve hex digits that differ whenever `facts` do; their order does not matter.

    facts: what the key does not hold, such as the hash of each patch, its variables, the card's capability
    and the driver.
    """
    return hashlib.sha256(json.dumps(dict(facts), sort_keys=True).encode()).hexdigest()[:12]


def salted_root(root: Path, facts: Mapping[str, str]) -> Path:
    """The folder below `root` for these facts, to be set as VLLM_CACHE_ROOT before vLLM is imported."""
    return root / f"salt-{salt(facts)}"
