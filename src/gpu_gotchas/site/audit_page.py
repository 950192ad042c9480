"""Audits: which kernels of a release would not compile or fit on which cards, found without one."""

from __future__ import annotations

from gpu_gotchas.site.audits import Audit, Finding
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.markdown import blocks, bullets, code, details, front_matter, table, text
from gpu_gotchas.site.wording import listed, package_name, plural

_INTRODUCTION = (
    "`gotchas audit` compiles the Triton kernels of a release for cards that are not here. It shows a "
    "place to look and no proof: arguments are guessed where nothing states them, and a kernel that does not "
    "compile for a card harms nobody where no release launches it there."
)
_WORDS = {
    "no-fp8": "has no FP8 E4M3 to compile it with",
    "does-not-compile": "does not compile",
    "does-not-fit": "wants more shared memory than there is",
    "upcast": "multiplies wider than it was given",
}


def page(knowledge: Knowledge) -> str:
    return blocks(
        front_matter("Audit", "Kernels of a release that do not compile or fit on some cards.", ["toc"]),
        "# Audit",
        _INTRODUCTION if knowledge.audits else "No release was audited yet.",
        *map(_audit, knowledge.audits),
    )


def _audit(audit: Audit) -> str:
    name, _, version = audit.package.partition("==")
    used = listed([f"{text(package_name(one))} {text(number)}" for one, number in audit.versions.items()])
    kinds = list(dict.fromkeys(kind for one in audit.findings for kind in one.shown.values()))
    rows = [
        [code(target), *(str(sum(one.shown.get(target) == kind for one in audit.findings)) for kind in kinds)]
        for target in audit.targets
    ]
    return blocks(
        f"## {text(package_name(name))} {text(version)}",
        f"{audit.looked_at} of its {plural(audit.kernels, 'kernel')} were looked at, with {used}. "
        f"{plural(audit.built, 'way', 'ways')} to launch them could be built, {audit.not_built} could not.",
        table(["Target", *(text(_WORDS.get(kind, kind)) for kind in kinds)], rows) if kinds else "",
        details(plural(len(audit.findings), "finding"), bullets(map(_finding, audit.findings)))
        if audit.findings
        else "",
    )


def _finding(found: Finding) -> str:
    by_kind: dict[str, list[str]] = {}
    for target, kind in found.shown.items():
        by_kind.setdefault(kind, []).append(target)
    said = "; ".join(f"{_WORDS.get(kind, kind)} on {', '.join(on)}" for kind, on in by_kind.items())
    variant = f" ({text(found.variant)})" if found.variant else ""
    errors = "".join(f"<br>{code(error)}" for error in found.errors[:2])
    return f"{code(found.kernel.replace(':', '.'))}{variant}: {text(said)}{errors}"
