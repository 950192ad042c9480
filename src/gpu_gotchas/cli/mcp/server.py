"""The tools as the Model Context Protocol has them. This module alone needs the SDK (extra `mcp`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from gpu_gotchas import __version__
from gpu_gotchas.cli.exits import CommandFailed
from gpu_gotchas.cli.mcp import tools
from gpu_gotchas.cli.mcp.tools import Answer, Examination, Record

T = TypeVar("T")
_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_INSTRUCTIONS = """\
Known GPU inference failures (vLLM, SGLang, Triton, PyTorch), offline. When something on a GPU fails, give
`search` the error as it was printed, with the lines before it. `this-is-it` is proven; `looks-like` has to be
confirmed as it says; after `not-known` do not guess. Ask `doctor` before a launch, and `get` for the whole of
one record: its cause, what helps, and what that costs."""
Card = Annotated[
    str | None, Field(description="A target or a GPU: sm_86, gfx942, RTX 3090, nvidia-h200, 8xnvidia-h200.")
]


def server() -> MCPServer[Any]:
    """A server with the three tools. It keeps nothing between calls."""
    made: MCPServer[Any] = MCPServer(
        "gpu-gotchas", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR"
    )
    for tool in (search, get, doctor):
        made.add_tool(tool, annotations=_READS, structured_output=True)
        _refuse_unknown_arguments(made, tool.__name__)
    return made


def _refuse_unknown_arguments(made: MCPServer[Any], name: str) -> None:
    """The SDK drops what a tool does not take, so that `crad` would ask about this machine in silence."""
    tool = made._tool_manager.get_tool(name)
    assert tool is not None
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)


def search(
    text: Annotated[str, Field(description="An error, a traceback, a log or its end, as it was printed.")],
    card: Card = None,
) -> Answer:
    """Find the known GPU inference failure that an error or a log is about, or say that it is not known."""
    return _told(lambda: tools.search(text, card))


def get(
    name: Annotated[str, Field(description="The id of a gotcha, an older name, or a candidate's id.")],
) -> Record:
    """Everything about one failure: signatures, cause, who is affected, what to do, fixes, proof, reports."""
    return _told(lambda: tools.get(name))


def doctor(
    command: Annotated[
        str | None, Field(description="What is to run, such as: vllm serve MODEL --kv-cache-dtype fp8")
    ] = None,
    card: Card = None,
    versions: Annotated[
        list[str] | None, Field(description="Such as vllm==0.33.0; what is not given is not known.")
    ] = None,
    machine: Annotated[
        str | None,
        Field(description="Another machine: output of collect_env, nvidia-smi, rocminfo, requirements, …"),
    ] = None,
) -> Examination:
    """Say which known failures will or may happen on a machine before they do; without card and machine, on
    this one."""
    return _told(lambda: tools.doctor(command, card, versions, machine))


def _told(ask: Callable[[], T]) -> T:
    """A message that says what would be right goes to the agent as it is."""
    try:
        return ask()
    except (CommandFailed, ValueError) as error:
        raise ToolError(str(error)) from None
