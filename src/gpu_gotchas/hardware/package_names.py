"""The packages that records speak of, and the other names under which the same modules are published."""

from __future__ import annotations

PACKAGES = (
    "torch",
    "triton",
    "vllm",
    "sglang",
    "flashinfer-python",
    "flash-attn",
    "transformers",
    "xformers",
    "sgl-kernel",
    "aiter",
    "nccl",
    "lmcache",
    "compressed-tensors",
    "bitsandbytes",
    "nvidia-cutlass-dsl",
    "accelerate",
    "causal-conv1d",
    "ctranslate2",
    "deepspeed",
    "lmdeploy",
    "mamba-ssm",
    "nunchaku",
    "onnxruntime-gpu",
    "sageattention",
    "tensorrt",
    "tensorrt-llm",
    "text-generation-server",
    "tilelang",
    "torchao",
    "torchvision",
    "transformer-engine",
    "unsloth",
)

# Programs that candidates speak of, which are not looked for among the packages of a Python.
PROGRAMS = (
    "comfyui",
    "deep-ep",
    "deep-gemm",
    "exllamav3",
    "flood",
    "ggml",
    "gptqmodel",
    "litert-lm",
    "mistralrs",
    "nano-vllm",
    "ollama",
    "stable-diffusion-webui",
    "wan2gp",
)

# For nightlies, ROCm, Windows, each CUDA, or formerly.
OTHER_NAMES = {
    "triton": ("pytorch-triton", "pytorch-triton-rocm", "triton-rocm", "triton-windows"),
    "flashinfer-python": ("flashinfer",),
    "sgl-kernel": ("sglang-kernel",),
    "aiter": ("amd-aiter",),
    "ggml": ("llama-cpp", "llama-cpp-python"),
    "deep-gemm": ("deepgemm",),
    "deep-ep": ("deepep",),
    "mistralrs": ("mistral-rs",),
    "nccl": ("nvidia-nccl-cu13", "nvidia-nccl-cu12"),
}
