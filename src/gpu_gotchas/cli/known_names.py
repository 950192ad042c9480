"""Words by which names of hosts, folders and people are told from what anybody may read."""

from __future__ import annotations

_PUBLIC = """
github.com githubusercontent.com gitlab.com huggingface.co hf.co modelscope.cn ghcr.io pytorch.org
python.org readthedocs.io vllm.ai docs.nvidia.com developer.nvidia.com
ngc.nvidia.com rocm.docs.amd.com repo.radeon.com sglang.ai lmsys.org ray.io docker.com docker.io quay.io
nvcr.io anaconda.org arxiv.org www.nvidia.com onnxruntime.ai kernel.org ubuntu.com debian.org llvm.org
triton-lang.org flashinfer.ai astral.sh pydantic.dev stackoverflow.com apache.org gnu.org opensource.org
"""
_ENDINGS = """
net io ai dev cloud co info app tech xyz de fr uk cn jp kr ch nl eu ru us ca au sg tw hk se no fi dk it
"""
_MOUNTED = """
mnt data data1 data2 nfs fsx efs scratch work gpfs lustre lustrefs project projects proj shared share
storage cluster net afs ceph beegfs weka nas vol volume volumes media export u users raid nvme ssd disk
disk1 disk2 hdd models model weights checkpoints ckpt ckpts datasets dataset llm llms team teams
"""
_PROGRAMS = """
site-packages dist-packages vllm sglang triton torch pytorch flashinfer transformers bitsandbytes apex
aiter transformer_engine TransformerEngine flash_attn flash-attention fla flash-linear-attention
llama.cpp llama_cpp lmdeploy onnxruntime cutlass nccl nccl-tests xformers deepspeed DeepSpeed exllamav2
ktransformers tensorrt_llm TensorRT-LLM Megatron-LM megatron verl ray diffusers ComfyUI mlc-llm tilelang
deep_gemm DeepGEMM DeepEP
"""
_NO_PERSON = """
input inputs request requests prompt prompts code message messages config configuration specified
provided defined process processes agent agents function error errors warning model models data session
sessions settings setting guide default defaults program script query queries context text content role
id ids name names none null true false root user users space mode level interrupt interrupted only
facing turn turns manual docs option options args argument arguments environment variable variables
supplied given requested set sets wants asked need needs api stream annotation annotations import
imports key group home directory permission permissions namespace namespaces cancelled canceled abort
aborted terminated account accounts file files path paths buffer memory kernel kernels passed passes
driver callback stack frame frames hint experience override overrides installed side reported reports
named token tokens workload workloads time system service class type bug case cases who what when which
that has have had is was were will would can could may should must does do did and or not in on at of to
for from with by as but if then so into went saw met got reproduced sees sends sent runs ran tries tried
assistant intent value values field fields
said says wrote notes noted
"""

PUBLIC = frozenset(_PUBLIC.split())
"""Hosts that everybody can read, with all below them."""

SURE = frozenset(("com", "org", "edu", "gov", "mil", "internal", "lan", "corp", "intranet", "localdomain"))
INTERNAL = frozenset(
    ("internal", "local", "lan", "corp", "intra", "intranet", "cluster", "localdomain", "svc")
)
LIKELY = frozenset(_ENDINGS.split()) | INTERNAL
"""How names of hosts end. SURE: no attribute of a program is called so. LIKELY: some are."""

MOUNTS = frozenset(_MOUNTED.split())
"""Where people mount their own disks."""

PROGRAMS = frozenset(_PROGRAMS.split())
"""Folders of programs: from there on a path says which code it was."""

SYSTEM = (
    "/usr",
    "/opt",
    "/app",
    "/workspace",
    "/venv",
    "/.venv",
    "/var",
    "/srv",
    "/home/user",
    "/sgl-",
    "/vllm-",
)
"""Where packages lie on many machines."""

NO_PERSON = frozenset(_NO_PERSON.split())
"""What stands behind `user` in sentences and programs."""
