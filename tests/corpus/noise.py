"""What happens to an error on its way into a search box: one pure function for each kind of noise.

A kind takes a text and a source of chance and gives the bytes that somebody would paste. The same text and
the same seed give the same bytes.
"""

from __future__ import annotations

import html
import random
import re
import textwrap
from collections.abc import Callable

Noise = Callable[[str, random.Random], bytes]

_WIDTH = 80
_ORDINARY = (
    "INFO {clock} [loader.py:{line}] Loading safetensors checkpoint shards: {percent}% Completed | {n}/40",
    "INFO {clock} [gpu_model_runner.py:{line}] Model loading took {n}.{percent} GiB and {n}.2 seconds",
    "DEBUG {clock} [core_client.py:{line}] Waiting for 1 local, 0 remote core engine proc(s) to start.",
    'INFO:     127.0.0.1:{port} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "INFO {clock} [loggers.py:{line}] Engine 000: Avg prompt throughput: {n}.0 tokens/s, Avg generation "
    "throughput: {percent}.7 tokens/s, Running: {n} reqs, Waiting: 0 reqs, GPU KV cache usage: {n}.1%",
)
_STRANGER = """
Traceback (most recent call last):
  File "/opt/app/gateway/server.py", line 88, in handle
    await self.respond(request)
  File "/opt/app/gateway/session.py", line 214, in respond
    raise ClientDisconnected(request.id)
gateway.session.ClientDisconnected: the client of request 7f3a went away before the first token
"""


def clean(text: str, chance: random.Random) -> bytes:
    return text.encode()


def coloured(text: str, chance: random.Random) -> bytes:
    return _each(text, lambda line: f"\x1b[{chance.choice((31, 33, 36))}m{line}\x1b[0m")


def logged(text: str, chance: random.Random) -> bytes:
    """Every line behind a logger's prefix, in a container's log."""
    pid = chance.randint(100, 99_999)
    return _each(
        text,
        lambda line: f"vllm-1  | (EngineCore_DP0 pid={pid}) ERROR {_clock(chance)} [core.py:1047] {line}",
    )


def head_cut(text: str, chance: random.Random) -> bytes:
    """The first lines are gone; of a single line, some of its first words."""
    lines = text.split("\n")
    if len(lines) >= 4:
        return "\n".join(lines[len(lines) // 3 :]).encode()
    return re.sub(r"^\S+\s", "", text, count=1).encode()


def tail_cut(text: str, chance: random.Random) -> bytes:
    """The end of the last line is gone."""
    body = text.rstrip("\n")
    start = body.rfind("\n") + 1
    return body[: start + max(30, (len(body) - start) * 3 // 4)].encode()


def hard_wrapped(text: str, chance: random.Random) -> bytes:
    """Copied from a terminal of 80 columns: lines are broken in the middle of words."""
    parts = [line[at : at + _WIDTH] for line in text.split("\n") for at in range(0, len(line) or 1, _WIDTH)]
    return "\n".join(parts).encode()


def soft_wrapped(text: str, chance: random.Random) -> bytes:
    """Broken at blanks, as mail does."""
    broken = [
        textwrap.wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
        for line in text.split("\n")
    ]
    return "\n".join(part for parts in broken for part in parts).encode()


def web_page(text: str, chance: random.Random) -> bytes:
    """Markup, entities and typographic quotes, as a page's source has them."""
    body = html.escape(text).replace("  ", "&nbsp; ")
    return f"<pre><code>{body}</code></pre>\n".encode()


def markdown(text: str, chance: random.Random) -> bytes:
    return b"I get this:\n> ```\n" + _each(text, lambda line: f"> {line}") + b"\n> ```\n"


def mail(text: str, chance: random.Random) -> bytes:
    """Quoted twice."""
    return b"On Monday somebody wrote:\n" + _each(text, lambda line: f"> > {line}")


def windows(text: str, chance: random.Random) -> bytes:
    return text.replace("\n", "\r\n").encode()


def one_line(text: str, chance: random.Random) -> bytes:
    """Line ends lost, as in a chat or a JSON field."""
    return " ".join(text.split("\n")).encode()


def ranks(text: str, chance: random.Random) -> bytes:
    """Two to eight workers print the same, interleaved line by line; each one's own order is kept."""
    count = chance.randint(2, 8)
    lines = text.rstrip("\n").split("\n")
    at = [0] * count
    out: list[str] = []
    while any(position < len(lines) for position in at):
        rank = chance.choice([rank for rank in range(count) if at[rank] < len(lines)])
        out.append(f"(Worker_TP{rank} pid={700 + rank}) ERROR {_clock(chance)} [worker.py:9] {lines[at[rank]]}")
        at[rank] += 1
    return "\n".join(out).encode()


def followed_ranks(text: str, chance: random.Random) -> bytes:
    """One rank fails with the error, the others then report what that did to them."""
    own = [f"[rank3]: {line}" for line in text.rstrip("\n").split("\n")]
    for rank in (0, 1, 2):
        own.append(f"[rank{rank}]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection ")
        own[-1] += "closed by peer [127.0.1.1]:44112"
    return "\n".join(own).encode()


def renumbered(text: str, chance: random.Random) -> bytes:
    """Other home, other line numbers, process ids and addresses."""
    text = re.sub(r"/(?:home/\w+|root|usr/local|opt/conda)/", "/srv/llm/py/", text)
    text = re.sub(r"\bline \d+", lambda _: f"line {chance.randint(2, 4000)}", text)
    text = re.sub(r"\bpid=\d+", lambda _: f"pid={chance.randint(2, 99_999)}", text)
    return re.sub(r"\b0x[0-9a-f]{6,}", lambda _: f"0x{chance.randrange(1 << 44):012x}", text).encode()


def stranger_behind(text: str, chance: random.Random) -> bytes:
    return (text + _STRANGER).encode()


def healthy_before(text: str, chance: random.Random) -> bytes:
    """10,000 ordinary lines first."""
    return (healthy_lines(10_000, chance) + text).encode()


def invalid_utf8(text: str, chance: random.Random) -> bytes:
    """Bytes of another encoding between the lines and at their ends."""
    return b"\xff\xfe\xfd caf\xe9\n" + b"\n".join(line + b" \xff" for line in text.encode().split(b"\n"))


def healthy_lines(count: int, chance: random.Random) -> str:
    """Ordinary lines of a server, invented."""
    return "".join(
        chance.choice(_ORDINARY).format(
            clock=_clock(chance),
            line=chance.randint(10, 999),
            percent=chance.randint(1, 99),
            n=chance.randint(1, 39),
            port=chance.randint(30_000, 60_000),
        )
        + "\n"
        for _ in range(count)
    )


KINDS: dict[str, Noise] = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        *(clean, coloured, logged, head_cut, tail_cut, hard_wrapped, soft_wrapped, web_page, markdown, mail),
        *(windows, one_line, ranks, followed_ranks, renumbered, stranger_behind, healthy_before),
        invalid_utf8,
    )
}


def noisy(kind: str, text: str, seed: int | str = 0) -> bytes:
    """The text as it arrives after noise of this kind."""
    return KINDS[kind](text, random.Random(f"{kind} {seed}"))


def _each(text: str, change: Callable[[str], str]) -> bytes:
    return "\n".join(change(line) for line in text.rstrip("\n").split("\n")).encode()


def _clock(chance: random.Random) -> str:
    return f"07-02 18:{chance.randint(10, 59)}:{chance.randint(10, 59)}"
