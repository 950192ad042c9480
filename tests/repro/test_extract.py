"""Functions are taken out of a file alone: nothing beside them runs, and what is missing is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpu_gotchas.repro.extract import run_branch, take

SOURCE = """
import a_package_that_is_not_there

raise RuntimeError("the module itself must not run")

def doubled(number: NotDefined) -> NotDefined:
    return helper(number) * 2

class Box:
    size: NotDefined = 3

def other():
    return 1
"""


def test_functions_and_classes_run_with_stand_ins_for_what_they_use(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(SOURCE, encoding="utf-8")
    taken = take(path, ["doubled", "Box"], {"helper": lambda number: number + 1})
    assert taken["doubled"](20) == 42
    assert taken["Box"].size == 3
    assert set(taken) == {"doubled", "Box"}


def test_a_dataclass_finds_the_module_that_it_is_defined_in(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("@dataclass\nclass Point:\n    x: NotDefined\n    y: int = 2\n", encoding="utf-8")
    point = take(path, ["Point"], {"dataclass": dataclass})["Point"](1)
    assert (point.x, point.y) == (1, 2)


def test_a_name_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(SOURCE, encoding="utf-8")
    with pytest.raises(LookupError, match="defines no missing at its top level"):
        take(path, ["doubled", "missing"], {})


def test_a_traceback_points_at_the_upstream_line(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("\n\ndef fails():\n    raise ValueError('here')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="here") as caught:
        take(path, ["fails"], {})["fails"]()
    assert caught.traceback[-1].path == path
    assert caught.traceback[-1].lineno + 1 == 4


def test_constants_are_taken_by_name_and_where_a_release_has_them(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("SIZES = [1, 2]\nLIMIT: Undefined = len(SIZES) + more\nunknown()\n", encoding="utf-8")
    taken = take(path, ["SIZES", "LIMIT"], {"more": 40}, if_there=["GONE"])
    assert taken == {"SIZES": [1, 2], "LIMIT": 42}


def test_what_is_optional_is_there_for_the_rest_and_not_handed_out(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("LIMIT = 3\ndef limit():\n    return LIMIT\n", encoding="utf-8")
    taken = take(path, ["limit"], {}, if_there=["LIMIT"])
    assert set(taken) == {"limit"}
    assert taken["limit"]() == 3


CLASS = """
class Config(Unknown):
    @traced
    def check(self) -> Missing:
        if self.size > 2 and "large":
            if self.size > 8:
                raise ValueError(f"{limit} is less than {self.size}")
            size = "medium"
        return self.size
"""


def test_a_method_is_taken_out_of_its_class(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(CLASS, encoding="utf-8")
    taken = take(path, ["Config.check"], {"traced": lambda function: function})
    assert set(taken) == {"Config.check"}
    assert taken["Config.check"](SimpleNamespace(size=2)) == 2
    with pytest.raises(LookupError, match=r"defines no Config\.gone"):
        take(path, ["Config.gone"], {})


def test_one_branch_of_a_function_runs_alone(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(CLASS, encoding="utf-8")
    names = {"self": SimpleNamespace(size=5), "limit": 8}
    assert run_branch(path, "Config.check", "'large'", names)["size"] == "medium"
    with pytest.raises(ValueError, match="8 is less than 9"):
        run_branch(path, "Config.check", "self.size > 8", {**names, "self": SimpleNamespace(size=9)})
    with pytest.raises(LookupError, match="has no branch on self.colour in Config.check"):
        run_branch(path, "Config.check", "self.colour", names)
