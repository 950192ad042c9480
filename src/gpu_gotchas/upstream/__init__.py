"""Fixes applied to installed packages, in memory only. `docs/patches.md` tells how they are used."""
