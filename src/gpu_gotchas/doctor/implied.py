"""What a setting's value asks of the model, so that a record need not say it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_BACKENDS = ("attention_backend", "sglang_attention_backend")


def implied(when: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[Sequence[str], str]]:
    """Facts of the model without which none of the values that `when` names can be in force, and the setting
    that has these values.

    Attention backends with MLA in their name serve models with multi-head latent attention and no others.
    """
    for name in _BACKENDS:
        values = when.get(name, ())
        if values and all("MLA" in value.upper() for value in values) and "model_attention" not in when:
            return {"model_attention": (("mla",), name)}
    return {}
