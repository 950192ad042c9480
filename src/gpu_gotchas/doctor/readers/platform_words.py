"""Platform facts from the words that reports use for a system."""

from __future__ import annotations


def platform_of(*words: str | None) -> dict[str, bool]:
    """Such as `Ubuntu 22.04.5 LTS (x86_64)` and `Linux-5.15.153.1-microsoft-standard-WSL2-…`."""
    said = " ".join(word for word in words if word).lower()
    if "microsoft-standard" in said or "wsl2" in said:
        return {"linux": True, "windows": False, "macos": False, "wsl2": True}
    if "windows" in said:
        return {"linux": False, "windows": True, "macos": False, "wsl2": False}
    if "macos" in said or "darwin" in said:
        return {"linux": False, "windows": False, "macos": True, "wsl2": False}
    if "linux-" in said:  # the kernel's name, which would say WSL2
        return {"linux": True, "windows": False, "macos": False, "wsl2": False}
    return {"linux": True, "windows": False, "macos": False} if "linux" in said or "ubuntu" in said else {}
