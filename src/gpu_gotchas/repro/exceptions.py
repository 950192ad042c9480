"""The text of an exception as a user sees it, with and without the places it came through."""

from __future__ import annotations

import traceback


def exception_lines(error: BaseException) -> str:
    """The exception lines of the whole chain, oldest first, without frames and without kernel excerpts.

    An exception that says nothing (a bare assert) is known by its place alone, so its innermost frame goes
    with it, as Python prints it.
    """
    return "\n".join(_own_lines(link) for link in _chain(error))


def full_traceback(error: BaseException) -> str:
    """What Python prints when the exception is not caught."""
    return "".join(traceback.format_exception(error))


def missing_package(error: BaseException) -> str | None:
    """The package that an import did not find because it is not installed, or None.

    A module that lacks within a package which is there, or within this one, is a fault and no need.
    """
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    return name if name and "." not in name and name != "gpu_gotchas" else None


def _chain(error: BaseException) -> list[BaseException]:
    links: list[BaseException] = []
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        links.append(link)
        hidden = link.__suppress_context__ or link.__cause__ is not None
        link = link.__cause__ if hidden else link.__context__
    return links[::-1]


def _own_lines(error: BaseException) -> str:
    # Triton puts an excerpt of the kernel between the place and the reason. The excerpt may hold any word,
    # a template's own among them, and differs from kernel to kernel.
    excerpt = getattr(error, "src", None)
    if isinstance(excerpt, str) and hasattr(error, "error_message"):
        name = f"{type(error).__module__}.{type(error).__qualname__}"
        return f"{name}: {error.error_message or ''}".rstrip()
    said = "".join(traceback.format_exception_only(error)).strip()
    # Python leaves out the colon where there is nothing to say. (str() of an exception may itself raise.)
    frames = "" if ":" in said else "".join(traceback.format_tb(error.__traceback__)[-1:])
    return f"{frames}{said}".strip()
