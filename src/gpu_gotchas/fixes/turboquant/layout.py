"""The bytes of a slot: one token of one KV head, packed key then packed value, as vLLM 0.33 lays them out."""

from __future__ import annotations

from enum import Enum


class Form(Enum):
    """The four caches that vLLM 0.33 names `turboquant_` and one of these. Offsets are in bytes from the
    slot's first.

    Key of 8 bits: `head` E4M3 codes. Of 4 or 3: as many bits of index for each number, then the norm,
    float16. Value: 4 or 3 bits of step for each number, then scale and zero, float16: a number is step *
    scale + zero. Bits lie one after the other, the lowest first: in a byte of two the even number is the
    low half. NC says that a key's centroids are brought to norm 1.
    """

    K8V4 = "k8v4"
    NC4 = "4bit_nc"
    K3V4 = "k3v4_nc"
    NC3 = "3bit_nc"

    @classmethod
    def named(cls, name: str) -> Form:
        """The form of a cache dtype of vLLM, `turboquant_k8v4`, or without what all begin with.

        Raises ValueError for any other, and names those that there are.
        """
        for form in cls:
            if name in (form.value, _PREFIX + form.value):
                return form
        known = ", ".join(_PREFIX + form.value for form in cls)
        raise ValueError(f"{name!r} is no TurboQuant cache: there are {known}")

    @property
    def key_bits(self) -> int:
        """Bits of a key's number: 8 as E4M3, else those of an index."""
        return _BITS[self][0]

    @property
    def value_bits(self) -> int:
        """Bits of a value's number."""
        return _BITS[self][1]

    def key_bytes(self, head: int) -> int:
        return head * self.key_bits // 8 + (0 if self is Form.K8V4 else 2)

    def value_bytes(self, head: int) -> int:
        return head * self.value_bits // 8 + 4

    def slot_bytes(self, head: int) -> int:
        """All of a token in one KV head; always even, as vLLM's page size wants it."""
        return self.key_bytes(head) + self.value_bytes(head)


_PREFIX = "turboquant_"
_BITS = {Form.K8V4: (8, 4), Form.NC4: (4, 4), Form.K3V4: (3, 4), Form.NC3: (3, 3)}
