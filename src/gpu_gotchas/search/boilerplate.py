"""Sentences that a runtime prints with every failure of a kind: they tell nothing of its cause.

CUDA and HIP report errors later than they happen, and say so at length; torch counts the memory and hints at
one thing whatever took it; engines, launchers and C++ repeat that a process died; Triton's compiler passes
through the same code whatever stops it.
"""

from __future__ import annotations

import re

_HINTS = (
    *("asynchronous", "For debugging", "to enable device-side", "for more information", "omitted for"),
    *("memory access was enc", "launch failure", "assert triggered", "tracking was not"),
    *("Engine core init", "core proc", "most recent call last", "encountered an issue", "a child process"),
    *("terminate called", "RayTaskError", "NCCL_DEBUG=INFO", "Call to CUDA function failed"),
    *("Tried to allocate", "total capacity of", "memory in use", "by PyTorch"),
    *("error: out of memory", "avoid fragmentation", "for Memory Management"),
    *("make_ir(", "ast_to_ttir(", "_do_compile(", "CompilationError: at ", "compiler.py", "jit.py"),
)
_SENTENCES = r"""(?x)
    (?:CUDA|HIP)\ kernel\ errors\ might\ be\ asynchronously\ reported\ at\ some\ other\ API\ call
        (?:,\ so\ the\ stacktrace\ below\ might\ be\ incorrect)?\.?
    | For\ debugging\ consider\ passing\ (?:CUDA_LAUNCH_BLOCKING|AMD_SERIALIZE_KERNEL)\ ?=\ ?\d\.?
    | Compile\ with\ `?TORCH_USE_(?:CUDA|HIP)_DSA`?\ to\ enable\ device-side\ assertions?\.?
    | Device-side\ assertions?\ (?:were\ explicitly\ omitted|tracking\ was\ not\ enabled)[^.;]*[.;]?
    | Search\ for\ `\w+'\ in\ https?://\S+\ for\ more\ information\.?
    | (?:RuntimeError:\ )?Engine\ core\ initialization\ failed\.(?:\ See\ root\ cause\ above\.)?
    | Failed\ core\ proc\(s\):\ \{[^}]*\}
    | (?:[\w.]+:\ )?EngineCore\ encountered\ an\ issue\.
        (?:\ See\ stack\ trace\ \(above\)\ for\ the\ root\ cause\.)?
    | Received\ sig\w+\ from\ a\ child\ process\.(?:\ It\ usually\ means\ the\ child\ failed\.)?
    | terminate\ called\ (?:after\ throwing\ an\ instance\ of\ '[^']*'|recursively)
    | (?:ray\.exceptions\.)?RayTaskError(?:\([\w.]+\))?:\ ray::[\w.]+\(\)(?:\ \([^)]*\))?
    | unhandled\ (?:cuda|system)\ error\ \(run\ with\ NCCL_DEBUG=INFO\ for\ details\)
    | ncclUnhandledCudaError:\ Call\ to\ CUDA\ function\ failed\.?
    | (?:[\w.]+:\ )?CUDA\ out\ of\ memory\.\ Tried\ to\ allocate\ [\d.]+\ \w+\.?
    | GPU\ \d+\ has\ a\ total\ capacity\ of\ [\d.]+\ \w+\ of\ which\ [\d.]+\ \w+\ is\ free\.
    | (?:Including\ non-PyTorch\ memory,\ this\ process|Process\ \d+)\ has\ [\d.]+\ \w+\ memory\ in\ use\.
    | Of\ the\ allocated\ memory\ [\d.]+\ \w+\ is\ allocated\ by\ PyTorch,(?:\ with\ [^,]*,)?
        \ and\ [\d.]+\ \w+\ is\ reserved\ by\ PyTorch\ but\ unallocated\.
    | (?:[\w.]+:\ )?(?:CUDA|HIP)\ error:\ (?:an\ illegal\ memory\ access\ was\ encountered
        | unspecified\ launch\ failure | device-side\ assert\ triggered | out\ of\ memory\b)
    | If\ reserved\ (?:but\ unallocated\ )?memory\ is\ (?:large|>>\ allocated\ memory)\ try\ setting\ \S+
        \ to\ avoid\ fragmentation\.?
    | See\ documentation\ for\ Memory\ Management(?:\ and\ \w+|\ \(\S+\))?\.?
    | Traceback\ \(most\ recent\ call\ last\):
    | (?:\w+\ =|return)\ (?:src\.make_ir|ast_to_ttir|self\._do_compile)\([^)]*\)?
    | File\ "[^"]*triton/(?:compiler/compiler|runtime/jit)\.py",\ line\ \d+,\ in\ \S+
    | triton\.compiler\.errors\.CompilationError:\ at\ \d+:\d+:
"""
_MARKERS = (
    "The above exception was the direct cause of the following exception",
    "During handling of the above exception, another exception occurred",
)


def without_boilerplate(text: str) -> str:
    """A cleaned line without such sentences; what else it says stays."""
    if not any(hint in text for hint in _HINTS):
        return text
    return re.sub(_SENTENCES, "", text).strip()


def ends_the_root(text: str) -> bool:
    """Whether the exception before this line is the cause of the one behind it."""
    return "above exception" in text and any(marker in text for marker in _MARKERS)
