"""Values of flags that are JSON, as vLLM takes them: `--speculative-config '{"method": "mtp"}'`."""

from __future__ import annotations

import json

# vLLM reads these as JSON whatever they begin with.
_ALWAYS = frozenset(
    {
        *("--speculative-config", "--compilation-config", "--hf-overrides", "--kv-transfer-config"),
        *("--ec-transfer-config", "--kv-events-config", "--override-generation-config", "--attention-config"),
        *("--kernel-config", "--additional-config", "--mm-processor-kwargs", "--structured-outputs-config"),
        *("--pooler-config", "--eplb-config", "--profiler-config", "--rope-scaling"),
        *("-sc", "-cc", "-ac", "--json-model-override-args", "--default-chat-template-kwargs"),
    }
)
_ENDS = ("-config", "-kwargs", "-overrides", "-override-args")
_BEGINS = ("{", "[")
# Both engines take these for no value.
_NOTHING = ("", "None", "null")


def wants_json(flag: str, value: str, *, keyed: bool) -> bool:
    """Whether the engine reads this value as JSON. keyed: settings are looked for inside it."""
    return keyed or flag in _ALWAYS or (flag.endswith(_ENDS) and value.startswith(_BEGINS))


def fault_of(value: str) -> str | None:
    """Why an engine refuses the value, None where it takes it."""
    if value in _NOTHING:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError) as error:
        where = getattr(error, "msg", "too deep")
        return f"is no JSON ({where}): cut off, or not in single quotes"
    # --compilation-config took a level alone.
    return None if isinstance(found, (dict, int)) else "is no JSON object"


def inside(text: str | None, key: str) -> str | None:
    """The plain value of `key` in a JSON object, None where there is none."""
    try:
        parts = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    value = parts.get(key) if isinstance(parts, dict) else None
    return None if value is None or isinstance(value, (dict, list)) else _plain(value)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
