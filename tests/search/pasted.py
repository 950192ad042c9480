"""Errors as people paste them, of records that may be certain."""

from __future__ import annotations

FP8 = "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')"
RAISED = f"triton.compiler.errors.CompilationError: at 1:0:\nValueError: {FP8}"
MLA = (
    'File "/usr/lib/python3/dist-packages/vllm/v1/attention/ops/triton_decode_attention.py", line 9, in '
    "_decode_grouped_att_m_fwd\n"
    "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 102400, Hardware limit: "
    "101376. Reducing block sizes or `num_stages` may help."
)
BF16 = (
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 "
    "GPU has compute capability 7.5. You can use float16 instead by explicitly setting the `dtype` flag in "
    "CLI, for example: --dtype=half."
)
OVERFLOW = MLA.splitlines()[1]
SPEC = (
    'File "/usr/lib/python3/dist-packages/vllm/spec_decode_attn.py", line 9, in _spec_attn_partial\n'
    "triton.compiler.errors.CompilationError: Both operands must be same dtype. Got bf16 and fp16"
)
CAST = (
    'File "/usr/lib/python3/dist-packages/vllm/v1/attention/backends/mla/triton_mla.py", line 9, in '
    "_v_up_proj\n"
    "RuntimeError: expected scalar type BFloat16 but found Half"
)
TURBOQUANT = """\
File "/usr/lib/python3/dist-packages/{package}/ops/triton_turboquant_store.py", line 9, in _tq_fused_store_fp8
  File "/usr/lib/python3/dist-packages/triton/language/semantic.py", line 9, in convert_custom_float8
    assert arg.type.scalar.is_fp16() or arg.type.scalar.is_fp32()
"""
LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
HEAD = "Traceback (most recent call last):"
