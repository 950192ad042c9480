# ruff: noqa: E501 - lines as programs print them
"""Logs in the shape of an inference server's, made up for the tests."""

from __future__ import annotations

_START = """\
INFO 07-02 18:14:01 [__init__.py:239] Automatically detected platform cuda.
(APIServer pid=1) INFO 07-02 18:14:05 [api_server.py:1896] vLLM API server version 0.19.1
(APIServer pid=1) INFO 07-02 18:14:05 [utils.py:233] non-default args: {'kv_cache_dtype': 'fp8'}
(APIServer pid=1) INFO 07-02 18:14:12 [config.py:1946] Defaulting to use mp for distributed inference
(APIServer pid=1) WARNING 07-02 18:14:13 [cuda.py:103] To see benefits of async output processing, enable CUDA graph.
(EngineCore_DP0 pid=77) INFO 07-02 18:14:20 [core.py:58] Initializing a V1 LLM engine (v0.19.1) with config: dtype=torch.bfloat16
(EngineCore_DP0 pid=77) INFO 07-02 18:14:22 [parallel_state.py:1134] rank 0 in world size 1 is assigned as DP rank 0
(EngineCore_DP0 pid=77) INFO 07-02 18:14:23 [cuda.py:290] Using Triton MLA backend on V1 engine with fp8 shared memory pages.
(EngineCore_DP0 pid=77) INFO 07-02 18:14:24 [gpu_model_runner.py:1953] Starting to load model some/model
Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.32s/it]
Loading safetensors checkpoint shards: 100% Completed | 2/2 [00:02<00:00,  1.18s/it]
(EngineCore_DP0 pid=77) INFO 07-02 18:14:31 [default_loader.py:262] Loading weights took 2.81 seconds
(EngineCore_DP0 pid=77) INFO 07-02 18:14:40 [backends.py:215] Compiling a graph for dynamic shape takes 6.91 s
(EngineCore_DP0 pid=77) INFO 07-02 18:14:44 [gpu_worker.py:298] Available KV cache memory: 12.40 GiB
(EngineCore_DP0 pid=77) INFO 07-02 18:14:44 [kv_cache_utils.py:849] GPU KV cache size: 162,512 tokens
(EngineCore_DP0 pid=77) WARNING 07-02 18:14:45 [fp8.py:12] Using default scale 1.0, which may cause accuracy issues with fp8.
(APIServer pid=1) INFO:     Started server process [1]
(APIServer pid=1) INFO:     Application startup complete.
"""
_SERVING = """\
(APIServer pid=1) INFO:     127.0.0.1:5{n:04} - "POST /v1/chat/completions HTTP/1.1" 200 OK
(APIServer pid=1) INFO 07-02 18:16:49 [loggers.py:123] Engine 000: Avg generation throughput: 4{n}.2 tokens/s, Running: 1 reqs
"""


def healthy_log(lines: int = 200) -> str:
    """A server that starts and serves; nothing is wrong with it."""
    serving = "".join(_SERVING.format(n=number % 1000) for number in range(max(0, lines // 2 - 9)))
    return _START + serving


def wrapped(text: str, prefix: str = "(EngineCore_DP0 pid=77) ERROR 07-02 18:16:49 [core.py:1047] ") -> str:
    """Each line as a server's log would hold it."""
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())
