"""llms.txt: what there is, for a language model that reads the site (llmstxt.org)."""

from __future__ import annotations

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.site.feeds.atom import FEED_PATH
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import CANDIDATES_ADDRESS, markdown_copy_path
from gpu_gotchas.site.markdown import blocks, bullets, shortened, visible
from gpu_gotchas.site.parts import by_severity

_HEAD = """# GPU gotchas

> GPU inference failures (vLLM, SGLang, Triton, PyTorch): what is seen, on which cards and versions, why, and
> what helps. Every claim that can be executed is executed; each record says what its proof rests on.

Search a pasted error with `gotchas search`, or ask the tools of `gotchas mcp`. A record that says `draft` or
`contested` is not proven, and one that is withdrawn is no advice."""


def llms_txt(knowledge: Knowledge) -> str:
    """Records worst first with what is seen; candidates by title only, since they are not proven."""
    records = [_record(entry.gotcha) for entry in by_severity(knowledge.standing)]
    candidates = [
        f"[{_label(one.title)}]({CANDIDATES_ADDRESS}#{one.id})"
        for one in sorted(knowledge.candidates, key=lambda one: (-one.reporter_count, one.id))
    ]
    return blocks(
        _HEAD,
        f"## Gotchas\n\n{bullets(records)}" if records else "",
        "## Data\n\n"
        + bullets(
            [
                "[index.json](index.json): every record in short and every candidate, with addresses",
                "[signatures.json](signatures.json): what each failure prints",
                f"[{FEED_PATH}]({FEED_PATH}): new and changed records",
            ]
        ),
        f"## Optional\n\nBelieved, not proven:\n\n{bullets(candidates)}" if candidates else "",
    )


def _record(gotcha: Gotcha) -> str:
    return f"[{_label(gotcha.title)}]({markdown_copy_path(gotcha.id)}): {shortened(gotcha.symptom.summary)}"


def _label(raw: str) -> str:
    return " ".join(visible(raw).split()).replace("[", "(").replace("]", ")")
