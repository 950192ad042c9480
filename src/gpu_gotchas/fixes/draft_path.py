"""A name for a checkpoint from which no method of speculative decoding can be guessed.

vLLM takes the method from words in the path of the draft model, also where a method was named: a folder
called `dflash-tests` makes every checkpoint in it a DFlash drafter. A link with a neutral name takes the
words out of the path and leaves the files where they are.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WORDS = ("eagle-", "eagle3", "dflash", "dspark")
"""What vLLM 0.20.0 to 0.33.0 looks for, in lower case, in this order."""


def misleading_word(path: str | Path, method: str | None) -> str | None:
    """The word of `path` from which another method than `method` would be taken, or None.

    method: what was asked for, None where vLLM is to find out; a word that names that method misleads nobody.
    Methods that the words themselves stand for are not looked up in the path at all.
    """
    if method in ("eagle", "eagle3", "dflash", "dspark"):
        return None
    return next((word for word in WORDS if word in str(path).lower()), None) if method else None


@contextmanager
def neutral_link(checkpoint: Path) -> Iterator[Path]:
    """A link to the folder `checkpoint` whose own path holds none of the words; gone afterwards.

    Raises ValueError where the folder for temporary files has one of the words in its own path.
    """
    with tempfile.TemporaryDirectory(prefix="draft.") as folder:
        link = Path(folder) / hashlib.sha256(str(checkpoint).encode()).hexdigest()[:8]
        if word := misleading_word(link, "draft_model"):
            raise ValueError(f"{folder} holds {word!r} too: name another folder in TMPDIR")
        link.symlink_to(checkpoint.absolute(), target_is_directory=True)
        yield link
