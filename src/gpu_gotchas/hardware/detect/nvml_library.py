"""NVML through ctypes, the few functions that are asked, under the names that NVIDIA gives them.

The library comes with the driver. Asking it takes milliseconds, where nvidia-smi may take seconds, and the
package that binds all of it (nvidia-ml-py) need not be installed. Signatures: NVIDIA's NVML API reference.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, NamedTuple

_LINUX = ("libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1")
_NAME_BYTES = 96


class NvmlError(Exception):
    """What NVML answered instead of OK."""


class Memory(NamedTuple):
    """Bytes."""

    total: int


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class Library:
    """An open libnvidia-ml. Every function raises NvmlError. Raises OSError where there is no library."""

    def __init__(self) -> None:
        self._library = _load()

    def nvmlInit(self) -> None:
        self._ask("nvmlInit_v2")

    def nvmlShutdown(self) -> None:
        self._ask("nvmlShutdown")

    def nvmlDeviceGetCount(self) -> int:
        return self._number("nvmlDeviceGetCount_v2")

    def nvmlDeviceGetHandleByIndex(self, index: int) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        self._ask("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(handle))
        return handle

    def nvmlDeviceGetName(self, handle: ctypes.c_void_p) -> bytes:
        return self._text("nvmlDeviceGetName", handle)

    def nvmlDeviceGetCudaComputeCapability(self, handle: ctypes.c_void_p) -> tuple[int, int]:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._ask("nvmlDeviceGetCudaComputeCapability", handle, ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def nvmlDeviceGetMemoryInfo(self, handle: ctypes.c_void_p) -> Memory:
        memory = _Memory()
        self._ask("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
        return Memory(int(memory.total))

    def nvmlDeviceGetMigMode(self, handle: ctypes.c_void_p) -> tuple[int, int]:
        current, pending = ctypes.c_uint(), ctypes.c_uint()
        self._ask("nvmlDeviceGetMigMode", handle, ctypes.byref(current), ctypes.byref(pending))
        return current.value, pending.value

    def nvmlDeviceGetP2PStatus(self, one: ctypes.c_void_p, other: ctypes.c_void_p, index: int) -> int:
        status = ctypes.c_int()
        self._ask("nvmlDeviceGetP2PStatus", one, other, ctypes.c_int(index), ctypes.byref(status))
        return status.value

    def nvmlSystemGetDriverVersion(self) -> bytes:
        return self._text("nvmlSystemGetDriverVersion")

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        version = ctypes.c_int()
        self._ask("nvmlSystemGetCudaDriverVersion_v2", ctypes.byref(version))
        return version.value

    def _number(self, name: str) -> int:
        number = ctypes.c_uint()
        self._ask(name, ctypes.byref(number))
        return number.value

    def _text(self, name: str, *arguments: Any) -> bytes:
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        self._ask(name, *arguments, buffer, ctypes.c_uint(_NAME_BYTES))
        return buffer.value

    def _ask(self, name: str, *arguments: Any) -> None:
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise NvmlError(f"{name} is not in this driver's library") from None
        code = int(function(*arguments))
        if code:
            raise NvmlError(self._words(code))

    def _words(self, code: int) -> str:
        try:
            function = self._library.nvmlErrorString
            function.restype = ctypes.c_char_p
            text = function(ctypes.c_int(code))
        except AttributeError:
            text = None
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else f"error {code}"


def _load() -> Any:
    if sys.platform == "win32":
        windows = os.environ.get("WINDIR", r"C:\Windows")
        return ctypes.CDLL(os.path.join(windows, "System32", "nvml.dll"))  # noqa: PTH118 - a DLL's full name
    errors = []
    for name in _LINUX:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            errors.append(str(error))
    raise OSError(errors[0])
