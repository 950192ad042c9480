"""The bytes of a slot: one token of one KV head, packed key then packed value, as vLLM 0.33 lays them out."""

from __future__ import annotations

from enum import Enum

HEAD_SIZES = (64, 128, 256)


class Form(Enum):
    """`turboquant_k8v4` and `turboquant_4bit_nc` of vLLM. Offsets are in bytes from the slot's first.

    Key of K8V4: `head` E4M3 codes. Key of NC4: `head` / 2 bytes of indices, then the norm, float16.
    Value: `head` / 2 bytes of 4-bit steps, then scale and zero, float16: a number is step * scale + zero.
    In a byte the even number is the low half. NC says that a key's centroids are brought to norm 1.
    """

    K8V4 = "k8v4"
    NC4 = "4bit_nc"

    def key_bytes(self, head: int) -> int:
        return head if self is Form.K8V4 else head // 2 + 2

    def value_bytes(self, head: int) -> int:
        return head // 2 + 4

    def slot_bytes(self, head: int) -> int:
        """All of a token in one KV head; always even, as vLLM's page size wants it."""
        return self.key_bytes(head) + self.value_bytes(head)
