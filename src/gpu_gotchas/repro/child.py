"""The child process in which one probe is called: `python -m gpu_gotchas.repro.child PATH PROBE TARGET`.

PROBE is a function of the repro at PATH; the answer is one line of JSON. Whatever the probe does to its
process (an abort, an illegal access, a driver swapped for good) ends with it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.absent import absent
from gpu_gotchas.repro.exceptions import exception_lines, full_traceback, missing_package
from gpu_gotchas.repro.paths import open_package
from gpu_gotchas.repro.probe import CPU, ProbeTarget, Tier
from gpu_gotchas.repro.request import Answer, Request
from gpu_gotchas.repro.values import comparable

_REPORTED_PACKAGES = ("torch", "triton", "numpy", "vllm", "sglang", "flashinfer-python")


def answer(request: Request) -> Answer:
    """Call the probe that `request` names, in this process, and say how that ended."""
    device: str | None = None
    launches: list[Any] = []
    value: Any = None
    measured: list[float] = []
    started = time.perf_counter()
    try:
        target, device, launches = _prepare(request)
        probe = _load(request)
    except Exception as error:
        return Answer(
            "unloadable",
            exception=exception_lines(error),
            output=full_traceback(error),
            missing=missing_package(error),
            absent=absent(error, request.package),
        )
    ended, exception, output, refused, missing, lacks = "returned", "", "", False, None, None
    try:
        if request.seeds:
            for seed in range(request.seeds):
                measured += [float(probe(target, seed)) for _ in range(request.repeats)]
        else:
            more = () if request.argument is None else (request.argument,)
            value = comparable(probe(target, *more))
        _wait_for(target)
    except BaseException as error:
        ended, refused, missing = "raised", _is_refusal(error), missing_package(error)
        exception, output = exception_lines(error), full_traceback(error)
        lacks = absent(error, request.package)
    return Answer(
        ended,
        value=value,
        measured=tuple(measured),
        exception=exception,
        output=output,
        refused=refused,
        launches=len(launches),
        seconds=round(time.perf_counter() - started, 3),
        versions=_versions(),
        device=device,
        missing=missing,
        absent=lacks,
        stand_ins=_stood_in(),
    )


def _stood_in() -> tuple[str, ...]:
    """What a probe had stand in; nothing where none of ours was imported."""
    module = sys.modules.get("gpu_gotchas.repro.upstream.stand_ins")
    return tuple(module.stood_in()) if module else ()


def _is_refusal(error: BaseException) -> bool:
    """Whether a guard refused as it should: naming capability, setting and way out."""
    return isinstance(error, Refused) and all((error.capability, error.setting, error.way_out))


def _prepare(request: Request) -> tuple[ProbeTarget, str | None, list[Any]]:
    if request.target == CPU:
        return ProbeTarget(None, package=request.package), None, []
    target = find_target(request.target)
    if request.tier is Tier.DEVICE:
        from gpu_gotchas.repro.device import use_card

        return ProbeTarget(target, device="cuda"), use_card(target), []
    from gpu_gotchas.repro import dry

    launches = dry.install(target).launches
    return ProbeTarget(target, runs=False, package=request.package), None, launches


def _load(request: Request) -> Callable[..., Any]:
    """The probe, from a module whose name no other repro has: Triton keys caches by module and name."""
    path = Path(request.path)
    name = f"gotcha_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_repro"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    if request.package:
        open_package(request.package, request.imports)
    spec.loader.exec_module(module)
    probe = getattr(module, request.function, None)
    if not callable(probe):
        raise AttributeError(f"{path} defines no function {request.function}")
    return probe  # type: ignore[no-any-return]


def _wait_for(target: ProbeTarget) -> None:
    """Let a fault of an asynchronous launch surface in the probe that made it."""
    if target.device == "cuda":
        import torch

        torch.cuda.synchronize()


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _REPORTED_PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpu_gotchas.repro.child", description=__doc__)
    parser.add_argument("path", type=Path, help="the repro, a repro.py")
    parser.add_argument("probe", help="the function to call: bug, fixed, control, with or without a suffix")
    parser.add_argument("target", help="sm_86, gfx942, or cpu in the logic tier")
    parser.add_argument("--tier", type=Tier, choices=list(Tier), default=Tier.COMPILE, metavar="TIER")
    parser.add_argument("--package", help="folder that holds the upstream package's source")
    parser.add_argument("--imports", action="append", default=[], help="a module of it that is imported")
    parser.add_argument("--seeds", type=int, default=0, help="measure an observable with that many seeds")
    parser.add_argument("--repeats", type=int, default=1, help="calls for each seed")
    parser.add_argument("--answer", type=Path, help="write the answer to this file instead of stdout")
    said = parser.parse_args()
    request = Request(
        path=str(said.path.resolve()),
        function=said.probe,
        tier=said.tier,
        target=said.target,
        package=said.package,
        imports=tuple(said.imports),
        seeds=said.seeds,
        repeats=said.repeats,
    )
    if said.answer:
        said.answer.write_text(answer(request).to_json())
        sys.stdout.flush()
        sys.stderr.flush()
        # The answer stands; what a poisoned context or a thread of the probe does at exit says nothing more.
        os._exit(0)
    # What the probe prints goes to stderr, so that the answer stands alone on stdout.
    stdout = os.dup(1)
    os.dup2(2, 1)
    line = answer(request).to_json()
    sys.stdout.flush()
    os.write(stdout, f"{line}\n".encode())


if __name__ == "__main__":
    main()
