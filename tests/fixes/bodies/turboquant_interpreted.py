"""Run the TurboQuant kernels in Triton's interpreter against float64; prints one line of JSON."""

from __future__ import annotations

import json
import sys

from tests.fixes.bodies.turboquant_cases import check, small_plan

from gpu_gotchas.fixes import triton_interpreter

triton_interpreter.apply()
print(json.dumps([check(spec, small_plan(spec), "cpu") for spec in json.loads(sys.argv[1])]))
