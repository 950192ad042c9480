"""What is personal goes, kind by kind, wherever it stands; what tells stays."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.cli.redact import KINDS, redact
from gpu_gotchas.records.loading import load_all, load_candidates

EXAMPLES = {
    "key": ("-----BEGIN OPENSSH PRIVATE KEY-----", "<key>"),
    "public key": ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIabcdef maria", "<key>"),
    "token": ("token hf_AbCdEfGhIjKlMnOp123456", "token <token>"),
    "authorization": ("Authorization: Bearer abc.def", "Authorization: Bearer <secret>"),
    "bearer": ("sent Bearer 0123abcd4567", "sent Bearer <secret>"),
    "secret": ("--api-key: 'abc-def'", "--api-key: '<secret>'"),
    "secret flag": ("--api-key abcdef --model x", "--api-key <secret> --model x"),
    "login in a URL": ("https://me:pw@github.com/x", "https://<secret>@github.com/x"),
    "bucket": ("load s3://acme-secret/models/x", "load s3://<path>"),
    "URL": ("at https://grafana.acme.com/d/secret?x=1", "at https://<host>/<path>"),
    "mail": ("maria@example.org", "<mail>"),
    "prompt": ("root@ip-10-0-3-17:~# vllm serve", "<user>@<host>:~# vllm serve"),
    "user": ("User: alice", "User: <user>"),
    "user told": ("no room for user alice, pid 3", "no room for user <user>, pid 3"),
    "user's number": ("uid=1000(alice)", "uid=1000(user)"),
    "user's cache": ("/tmp/torchinductor_alice/xy.py", "/tmp/torchinductor_user/xy.py"),
    "home": ("/nfs/home/maria/x.py", "/home/user/x.py"),
    "root's home": ("/" + "root/x.py", "/home/user/x.py"),
    "home of Windows": (r"C:\Users\maria\x.py", r"C:\Users\user\x.py"),
    "home by name": ("~maria/x.py", "~user/x.py"),
    "share of Windows": (r"\\filer\maria\x.py", r"\\<host>\<share>\x.py"),
    "package path": (
        "/acme/env/lib/python3.12/site-packages/vllm/x.py",
        "<path>/lib/python3.12/site-packages/vllm/x.py",
    ),
    "folder": ("/mnt/acme-secret/maria/model.gguf", "<path>/model.gguf"),
    "IP": ("10.1.2.3:8000 and 52.14.3.9", "<ip>:8000 and <ip>"),
    "IPv6": ("2001:0:0:0:1:2:3:4", "<ip>"),
    "short IPv6": ("fe80::1ff:fe23:4567:890a", "<ip>"),
    "MAC": ("aa:bb:cc:dd:ee:ff", "<mac>"),
    "GUID": ("node e41d:2d03:00f5:1234", "node <guid>"),
    "UUID": ("GPU-12345678-1234-1234-1234-123456789abc", "GPU-<uuid>"),
    "serial number": ("Serial Number        : 1652223012345", "Serial Number        : <serial>"),
    "cloud name": ("arn:aws:iam::123456789012:role/x", "<arn>"),
    "host of AWS": ("on ip-10-0-3-17.ec2.internal", "on <host>"),
    "host in full": ("connect to gpu07.acme.com:29500", "connect to <host>:29500"),
    "host of a journal": ("Jul  2 18:16:49 bigbox python3[12]: x", "Jul  2 18:16:49 <host> python3[12]: x"),
    "host of NCCL": ("bigbox:822:822 [0] NCCL INFO x", "<host>:822:822 [0] NCCL INFO x"),
    "host of Slurm": ("srun: error: gpu07: task 0: Exited", "srun: error: <host>: task 0: Exited"),
    "host in brackets": ("connect to [gpu07]:29500", "connect to [<host>]:29500"),
    "host by name": ("hostname: gpu07", "hostname: <host>"),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_goes_and_leaves_what_is_around_it(kind) -> None:
    personal, left = EXAMPLES[kind.name]
    assert kind.pattern.search(personal)
    assert redact(personal) == left


@pytest.mark.parametrize(
    ("personal", "left"),
    [
        ("HF_TOKEN=abcdefgh", "HF_TOKEN=<secret>"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", "AWS_SECRET_ACCESS_KEY=<secret>"),
        ("{'api_key': ['abc'], 'model': 'x'}", "{'api_key': ['<secret>'], 'model': 'x'}"),
        ("/Users/maria/x.py", "/home/user/x.py"),
        ("/data/users/maria/Qwen3-32B", "<path>/Qwen3-32B"),
        ("/scratch/maria/vllm/vllm/engine.py", "<path>/vllm/vllm/engine.py"),
        ("http://gpu07:8000/v1/chat/completions", "http://<host>:8000/v1/chat/completions"),
        ("tcp://10.0.0.3:29500", "tcp://<host>:29500"),
        ("registry.acme.com:5000/team/vllm-openai:v0.9", "<host>:5000/vllm-openai:v0.9"),
        ("vllm-0.vllm.prod.svc.cluster.local", "<host>"),
        ("NVIDIA H100 (UUID: MIG-12345678-1234-1234-1234-123456789abc)", "NVIDIA H100 (UUID: MIG-<uuid>)"),
        ('{"user": "alice"}', '{"user": "<user>"}'),
        ("redis://:pw@cache.acme.com:6379/0", "redis://<secret>@<host>:6379/<path>"),
        ("root@gpu07", "<user>@<host>"),
    ],
)
def test_the_same_in_other_words(personal: str, left: str) -> None:
    assert redact(personal) == left


NAME = st.from_regex(r"[a-z]{3}-[a-z]{3}[0-9]{2}q", fullmatch=True)
SECRET = st.text(string.ascii_letters + string.digits, min_size=20, max_size=40).map(
    lambda text: f"Zq9{text}"
)
NUMBER = st.integers(0, 255)
IP = st.tuples(st.sampled_from((10, 34, 52, 172, 192)), NUMBER, NUMBER, NUMBER).map(
    lambda parts: ".".join(map(str, parts))
)
HEX = st.text("0123456789abcdef", min_size=12, max_size=12)
SERIAL = st.integers(10**9, 10**14).map(str)
BEFORE = st.sampled_from(("", "ERROR 10-06 14:26:34 [core.py:700] ", "[rank0]: ", "failed at (", "'", '"'))
BEHIND = st.sampled_from(("", " is gone", ", retrying", ")", "'", '"'))
_SECRETS = (
    *("hf_{}", "sk-{}", "sk-proj-{}", "ghp_{}", "glpat-{}", "nvapi-{}", "Bearer {}", "password: {}"),
    *("Authorization: Bearer {}", "OPENAI_API_KEY={}", "--api-key {}", "api_key='{}"),
    *("https://maria:{}@github.com/x", "https://files.acme.com/x?token={}"),
)
_NAMES = (
    *("s3://{}/x", "gs://{}/m/x", "abfs://{}/x", "root@{}:~# ls", "root@{}", "{}@acme.com", "{}.acme.com"),
    *("{}.gpu.internal:29500", "http://{}:8000/v1/models", "https://{}.acme.io/secret", "~{}/x"),
    *("/home/{}/x.py", "/Users/{}/x.py", "/nfs/home/{}/x.py", "/scratch/{}/x.py", "C:\\Users\\{}\\x"),
    *("/mnt/{}/x.gguf", "/{}/lib/python3.12/site-packages/vllm/x.py", "user {}", "user={}", "USER={}"),
    *("hostname: {}", "{}:822:822 [0] NCCL INFO x", "[{}]:29500", "/tmp/torchinductor_{}/x", "uid=1000({})"),
)
_IPS = ("{}", "{}:8000", "ip={}", "tcp://{}:29500", "http://{}/v1/models", "eth0:{}<0>")
_UUIDS = ("GPU-12345678-1234-1234-1234-{}", "MIG-12345678-1234-1234-1234-{}")
_SERIALS = ("Serial Number   : {}", "serial={}", "Unique ID: {}")
FRAMES = {
    frame: core
    for frames, core in ((_SECRETS, SECRET), (_NAMES, NAME), (_IPS, IP), (_UUIDS, HEX), (_SERIALS, SERIAL))
    for frame in frames
}


@given(st.data(), st.sampled_from(sorted(FRAMES)), BEFORE, BEHIND)
def test_nothing_personal_is_left_wherever_it_stands(
    data: st.DataObject, frame: str, before: str, behind: str
) -> None:
    core = data.draw(FRAMES[frame])
    assert core not in redact(before + frame.format(core) + behind)


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:8000 0.0.0.0 localhost:8000 http://localhost:8000/v1 [localhost]:29500",
        "torch 2.6.0+cu126, vllm 0.19.1, driver 570.86.15, cudnn 9.1.0.70",
        "nvidia-curand-cu12 10.3.7.77 nvidia-cublas-cu12==12.6.4.1",
        "expecting library version 8.5.1.7 got 8.5.3.1",
        "sm_120 gfx942 fp8_e4m3 head_dim=256 Xid 79 PCI:0000:81:00.0",
        "max_num_batched_tokens: 8192 max_tokens=16 eos_token: </s> pad_token_id=0 token: 151645",
        "hf_text_config hf_overrides hf_quant_config.json sk_buff api_key=None",
        "Avg generation throughput: 12.0 tokens/s",
        "/usr/lib/python3.12/site-packages/vllm/engine.py",
        "/opt/venv/lib/python3.12/site-packages/triton/compiler/code_generator.py",
        "https://github.com/vllm-project/vllm/issues/1 https://docs.nvidia.com/cuda/x.html",
        "git clone git@github.com:vllm-project/vllm.git",
        "vllm @ git+https://github.com/vllm-project/vllm@0123456789abcdef0123456789abcdef01234567",
        "c10::cuda::ExchangeDevice at::native::add std::vector<c10::IValue>",
        "threading.local self.net torch.nn.functional config.json libcudart.so.12 x.cpp vllm._C",
        "user input is not valid; in user code at x; user-provided; user_id=3; the user said so; by user.",
        '{"role": "user", "content": "hi"} Serial Number : N/A',
        "Basic usage, Bearer authentication, a basic Attention backend",
        "(EngineCore_DP0 pid=77) ERROR 07-02 18:16:49 [core.py:1047] triton.runtime.errors.OutOfResources",
        "host='0.0.0.0' host=None hostname: localhost",
        "@triton.jit x = a @ b",
        "failed to alloc 336952320 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    ],
)
def test_what_carries_meaning_stays(text: str) -> None:
    assert redact(text) == text


VERSION = st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)).map(
    lambda parts: ".".join(map(str, parts))
)
TELLING = st.one_of(
    st.integers(50, 130).map("sm_{}".format),
    st.sampled_from(("gfx942", "gfx90a", "gfx1201")),
    st.tuples(st.sampled_from(("torch", "vllm", "triton", "sglang")), VERSION).map("==".join),
    VERSION.map("driver {}".format),
    VERSION.map(lambda version: f"/usr/local/lib/python3.12/dist-packages/vllm-{version}/engine.py"),
    st.from_regex(r"[a-z]{3,9}(/[a-z_]{3,9}){1,3}\.py", fullmatch=True).map(
        "/usr/lib/python3.12/site-packages/vllm/{}".format
    ),
    st.integers(0, 10**9).map("Required: {}, Hardware limit: 101376".format),
    st.from_regex(r"[a-z]{3,9}(\.[a-z_]{3,9}){1,2}\.[A-Z][a-z]{3,9}Error: [a-z]{3,9}", fullmatch=True),
)


@given(st.lists(TELLING, min_size=1, max_size=3).map(" ".join))
def test_cards_versions_package_paths_and_errors_stay(text: str) -> None:
    assert redact(text) == text


def test_the_lines_that_records_look_for_stay() -> None:
    """Whoever drafts a record from a paste must not lose what search would know it by."""
    signatures = [signature for record in load_all() for signature in record.symptom.signatures]
    signatures += [signature for one in load_candidates() for signature in one.signatures]
    lines = [line for signature in signatures for line in (*signature.lines, *signature.context)]
    assert len(lines) > 1_000
    assert [line for line in lines if redact(line) != line] == []


@given(st.text(max_size=200) | st.lists(st.sampled_from([a for a, _ in EXAMPLES.values()])).map(" ".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)
