"""What a tree of Triton kernels does on a card that is not here: each compiled for it, with what it needs.

Nothing is launched and no card is needed. A kernel is built from what its launch in the same file says, from
its autotuner's first configuration, from a table of declared launches, and where none of them tells, from
guesses by name, which are listed beside each finding. What does not compile for the reference, an H100, was
built wrongly by us, and says nothing about any card.
"""

from __future__ import annotations

from gpu_gotchas.fixes.launch_audit.rows import REFERENCE, Row, audit_kernel
from gpu_gotchas.fixes.launch_audit.sites import Kernel, find_kernels

__all__ = ["REFERENCE", "Kernel", "Row", "audit_kernel", "find_kernels"]
