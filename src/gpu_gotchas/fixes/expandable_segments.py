"""When PyTorch's `expandable_segments` should be on: one table for what is reported to need it or to break.

    from gpu_gotchas.fixes.expandable_segments import Serving, decide

    decide(Serving(custom_all_reduce=True)).option      # "expandable_segments:False"

With it, memory grows by mapping pages behind addresses that stay. What holds on to the pages themselves then
fails: another process that opened them (custom all-reduce's IPC handles), a network card that registered
them (KV connectors). Without it, prefill of gated delta-net layers leaves holes of many sizes, and runs out
on a card that is nearly full. Of this the connector's check and the missing handle were run here; the rest
is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OPTION = "expandable_segments"


@dataclass(frozen=True, slots=True)
class Serving:
    """wsl2: Windows' Linux. custom_all_reduce: vLLM's own, between two or more cards, is not disabled.

    kv_connector: one that registers the cache with a network card. delta_net: the model has gated delta-net
    layers, and little memory is left free.
    """

    wsl2: bool = False
    custom_all_reduce: bool = False
    kv_connector: bool = False
    delta_net: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """on: whether to switch it on or off; None where nothing asks for either. because: each reason.

    instead: what to do about a need that is not met.
    """

    on: bool | None
    because: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()

    @property
    def option(self) -> str | None:
        """As PYTORCH_ALLOC_CONF spells it, None to leave it as it is."""
        return None if self.on is None else f"{OPTION}:{self.on}"


def decide(serving: Serving) -> Decision:
    """Off wherever something breaks with it; on where only delta-net layers have a say."""
    breaks = tuple(_breaks(serving))
    if breaks:
        instead = ("leave more memory free: lower --gpu-memory-utilization",) if serving.delta_net else ()
        return Decision(False, breaks, instead)
    if serving.delta_net:
        return Decision(True, ("prefill of gated delta-net layers fragments memory without it",))
    return Decision(None)


def _breaks(serving: Serving) -> Iterator[str]:
    if serving.wsl2:
        yield "on WSL2 the driver answers 'device not ready' while weights are repacked"
    if serving.custom_all_reduce:
        yield "custom all-reduce opens IPC handles, which memory that is mapped so does not have"
    if serving.kv_connector:
        yield "a KV connector's registrations go stale when pages are mapped anew"
