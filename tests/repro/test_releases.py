"""Releases come in the order of versions, from pip, and are asked for once a day."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from gpu_gotchas.repro import releases
from gpu_gotchas.repro.packages import PackageError
from gpu_gotchas.repro.releases import between, in_order, newest_patches, published
from tests.repro.wheels import wheel

VERSIONS = st.lists(
    st.from_regex(r"[0-9]{1,2}(\.[0-9]{1,2}){0,2}(rc1|\.post1|\+cu126|\.dev3)?", fullmatch=True)
)


@given(VERSIONS)
def test_final_releases_in_the_order_of_versions(names: list[str]) -> None:
    ordered = [Version(name) for name in in_order(names)]
    assert ordered == sorted(set(ordered))
    wanted = {Version(name) for name in names}
    assert set(ordered) == {each for each in wanted if not each.is_prerelease and each.local is None}


def test_a_part_of_them() -> None:
    names = in_order(["0.9", "0.10.1", "0.10.0", "nonsense", "0.11.0rc1", "0.20.0", "0.20.2"])
    assert names == ("0.9", "0.10.0", "0.10.1", "0.20.0", "0.20.2")
    assert between(names, "0.10.0", "0.20.0") == ("0.10.0", "0.10.1", "0.20.0")
    assert between(names, None, "0.9") == ("0.9",)
    assert newest_patches(names) == ("0.9", "0.10.1", "0.20.2")


def test_they_are_pip_s_and_are_kept(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("0.9", "0.10", "0.11rc1"):
        wheel(index, {"made_up.py": ""}, version)
    assert published("made-up") == ("0.9", "0.10")
    monkeypatch.setattr(releases, "pip", lambda _: pytest.fail("it was asked again"))
    assert published("made-up") == ("0.9", "0.10")


def test_a_package_that_nobody_knows_is_told_in_pip_s_words(index: Path) -> None:
    with pytest.raises(PackageError, match="no-such-package"):
        published("no-such-package")


def test_a_broken_list_is_made_anew(index: Path, tmp_path: Path) -> None:
    wheel(index, {"made_up.py": ""})
    kept = tmp_path / "cache" / "releases" / "made-up.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("[")
    assert published("made-up") == ("1.0",)
