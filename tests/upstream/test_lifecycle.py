"""What is decided over a patch, and what becomes of it: no case ends without a word."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gpu_gotchas.upstream import lifecycle, salt
from gpu_gotchas.upstream.lifecycle import Need, needed
from gpu_gotchas.upstream.outcome import Applied, Declined, Fine, NotNeeded, Reason, Shown, Waiting
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.process import Fixes, PatchDeclined
from gpu_gotchas.upstream.switch import Switch
from gpu_gotchas.upstream.verdicts import Verdicts
from tests.upstream import made_up
from tests.upstream.made_up import patch, verdict, verdicts

VERSIONS = {"made_up": "1.2.0", "triton": "3.7.1"}


def test_faulty_code_that_the_patch_was_seen_to_mend_needs_it(package: Path) -> None:
    assert isinstance(needed(patch(), VERSIONS, verdicts(patch())), Need)


def test_code_that_nobody_asked_is_declined(package: Path) -> None:
    known = verdicts(patch())
    made_up.install(package, made_up.FAULTY.replace("[:-1]", "[1:]"))
    found = needed(patch(), VERSIONS, known)
    assert isinstance(found, Declined)
    assert found.why is Reason.UNRECOGNISED
    assert "made_up.core.total" in found.detail


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (Answer.RIGHT, Answer.RIGHT, NotNeeded(Fine.FIXED_UPSTREAM)),
        (Answer.FAULTY, Answer.FAULTY, Reason.NO_HELP),
        (Answer.FAULTY, Answer.UNASKED, Reason.NO_HELP),
        (Answer.UNASKED, Answer.UNASKED, Reason.UNRECOGNISED),
    ],
)
def test_a_verdict_decides(package: Path, before: Answer, after: Answer, outcome: Any) -> None:
    found = needed(patch(), VERSIONS, Verdicts((verdict(patch(), before, after),)))
    assert (found.why if isinstance(found, Declined) else found) == outcome


@pytest.mark.parametrize(
    ("release", "outcome"),
    [
        ("0.9.0", NotNeeded(Fine.NOT_YET)),
        ("2.0.0", NotNeeded(Fine.GONE)),
        ("1.2.0", Reason.MOVED),
        # A build of no known release proves nothing by its number.
        ("1.9.9.dev1+gabcdef", Reason.MOVED),
    ],
)
def test_code_that_is_not_there_is_a_surprise_only_where_it_should_be(
    package: Path, release: str, outcome: Any
) -> None:
    gone = patch(places=(Place("made_up.elsewhere", "total"),))
    found = needed(gone, {**VERSIONS, "made_up": release}, Verdicts())
    assert (found.why if isinstance(found, Declined) else found) == outcome


def test_the_first_place_that_is_there_is_meant(package: Path) -> None:
    moved = patch(places=(Place("made_up.elsewhere", "total"), made_up.PLACE))
    found = needed(moved, VERSIONS, verdicts(patch()))
    assert isinstance(found, Need)
    assert found.place == made_up.PLACE


def test_a_package_that_is_not_installed_is_said(package: Path) -> None:
    found = needed(patch(places=(Place("never_installed", "x"),)), {}, Verdicts())
    assert isinstance(found, Declined)
    assert found.why is Reason.NOT_INSTALLED


def test_a_verdict_that_took_a_compiler_holds_for_that_compiler(package: Path) -> None:
    compiled = patch(compiled=True)
    assert isinstance(needed(compiled, VERSIONS, verdicts(compiled)), Need)
    other = needed(compiled, {**VERSIONS, "triton": "3.8.0"}, verdicts(compiled))
    assert isinstance(other, Declined)
    assert other.why is Reason.UNRECOGNISED


def started(*patches: Patch, switch: Switch | None = None, known: Verdicts | None = None) -> Fixes:
    fixes = Fixes(patches, switch or Switch(auto=True), verdicts(*patches) if known is None else known)
    fixes.start()
    return fixes


def outcome_of(fixes: Fixes, name: str = "made-up-total") -> Any:
    return fixes.journal.outcomes[name]


def test_it_waits_for_the_module_then_applies_and_verifies(package: Path) -> None:
    fixes = started(patch())
    assert outcome_of(fixes) == Waiting("made_up.core")
    assert "made_up" not in sys.modules
    other = importlib.import_module("made_up.other")
    assert outcome_of(fixes) == Applied(Shown.HERE)
    assert other.use([1, 2, 4]) == 7


def test_it_applies_at_once_to_a_module_that_is_there(package: Path) -> None:
    other = importlib.import_module("made_up.other")
    fixes = started(patch())
    assert outcome_of(fixes) == Applied(Shown.HERE)
    assert other.use([1, 2, 4]) == 7
    fixes.revert("made-up-total")
    assert other.use([1, 2, 4]) == 3
    assert "made-up-total" not in fixes.journal.outcomes


def test_it_applies_again_after_a_reload(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    fixes = started(patch())
    importlib.reload(core)
    assert core.total([1, 2, 4]) == 7
    assert outcome_of(fixes) == Applied(Shown.HERE)


def test_what_cannot_be_asked_here_stands_on_what_was_found_out_beforehand(package: Path) -> None:
    fixes = started(patch(ask=lambda module: Answer.UNASKED))
    core = importlib.import_module("made_up.core")
    assert outcome_of(fixes) == Applied(Shown.BEFOREHAND)
    assert core.total([1, 2, 4]) == 7


def test_code_that_answers_right_by_itself_is_left_alone(package: Path) -> None:
    fixes = started(patch(ask=lambda module: Answer.RIGHT))
    core = importlib.import_module("made_up.core")
    assert outcome_of(fixes) == NotNeeded(Fine.FIXED_UPSTREAM)
    assert core.total([1, 2, 4]) == 3


def never_helps(before: Any, module: ModuleType) -> Any:
    return lambda numbers: -1


def fails(before: Any, module: ModuleType) -> Any:
    raise AttributeError("no such thing in this release")


def asked_in_vain(module: ModuleType) -> Answer:
    raise KeyError("a question that does not fit")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"replace": never_helps}, Reason.VERIFY_FAILED),
        ({"replace": fails}, Reason.RAISED),
        ({"ask": asked_in_vain}, Reason.RAISED),
    ],
)
def test_what_does_not_work_is_rolled_back_and_said(
    package: Path, change: dict[str, Any], why: Reason, capsys: pytest.CaptureFixture[str]
) -> None:
    fixes = started(patch(**change))
    core = importlib.import_module("made_up.core")
    assert outcome_of(fixes).why is why
    assert core.total([1, 2, 4]) == 3
    assert why.value in capsys.readouterr().err


def test_what_a_module_took_over_while_it_was_imported_cannot_be_changed_any_more(package: Path) -> None:
    late = patch(before=("made_up.other",))
    importlib.import_module("made_up.other")
    assert outcome_of(started(late)).why is Reason.TOO_LATE


def test_a_module_that_is_just_importing_what_is_patched_has_taken_nothing_over(package: Path) -> None:
    fixes = started(patch(before=("made_up.other",)))
    importlib.import_module("made_up.other")
    assert outcome_of(fixes) == Applied(Shown.HERE)


@pytest.mark.parametrize("change", [{"replace": never_helps}, {"replace": fails}, {"ask": asked_in_vain}])
def test_strict_makes_that_fatal(package: Path, change: dict[str, Any]) -> None:
    started(patch(**change), switch=Switch(auto=True, strict=True))
    with pytest.raises(PatchDeclined, match="made-up-total"):
        importlib.import_module("made_up.core")


def test_strict_makes_an_unrecognised_release_fatal_at_once(package: Path) -> None:
    with pytest.raises(PatchDeclined, match="prepare"):
        started(patch(), switch=Switch(auto=True, strict=True), known=Verdicts())


def test_code_that_another_patcher_changed_is_declined(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    core.total = lambda numbers: 0
    assert outcome_of(started(patch())).why is Reason.REPLACED


def twice(before: Any, module: ModuleType) -> Any:
    return lambda numbers: 2 * before(numbers)


def answers(number: int) -> Callable[[ModuleType], Answer]:
    return lambda module: Answer.RIGHT if module.total([1, 2, 4]) in (number, 14) else Answer.FAULTY


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_two_patches_of_one_function_in_both_orders(package: Path, order: tuple[str, str]) -> None:
    both = {
        "a": patch(id="a", ask=answers(7), replace=lambda before, module: lambda numbers: sum(numbers)),
        "b": patch(id="b", ask=answers(6), replace=twice),
    }
    core = importlib.import_module("made_up.core")
    fixes = [started(both[name]) for name in order]
    assert core.total([1, 2, 4]) == 14
    for one, name in zip(fixes, order, strict=True):
        assert outcome_of(one, name) == Applied(Shown.HERE)
    fixes[0].revert(order[0])
    assert core.total([1, 2, 4]) == (7 if order[1] == "a" else 6)
    fixes[1].revert(order[1])
    assert core.total([1, 2, 4]) == 3


def test_only_what_was_asked_for_is_touched(package: Path) -> None:
    quiet = patch(id="quiet", opt_in=True)
    fixes = started(patch(), quiet, switch=Switch(auto=True))
    assert set(fixes.journal.outcomes) == {"made-up-total"}
    named = started(quiet, switch=Switch(named=frozenset({"quiet", "mistyped"})))
    assert outcome_of(named, "mistyped").why is Reason.UNKNOWN_ID
    assert isinstance(outcome_of(named, "quiet"), Waiting)


def salting(**changes: Any) -> Patch:
    unasked = {"ask": lambda module: Answer.UNASKED, "replace": lambda before, module: before}
    return patch(id="salt", salts=True, **unasked, **changes)


def test_a_patch_of_traced_code_brings_the_salt_along_and_is_part_of_it(package: Path) -> None:
    traced = patch(traced=True)
    fixes = started(traced, salting(), switch=Switch(named=frozenset({"made-up-total"})))
    assert not salt.salt()
    importlib.import_module("made_up.core")
    assert outcome_of(fixes) == Applied(Shown.HERE)
    assert outcome_of(fixes, "salt") == Applied(Shown.BEFOREHAND)
    assert salt.salt()
    fixes.revert("made-up-total")
    assert not salt.salt()


def test_without_the_salt_a_patch_of_traced_code_is_declined(package: Path) -> None:
    traced = patch(traced=True)
    assert outcome_of(started(traced)).why is Reason.UNSALTED
    unknown = started(traced, salting(), known=verdicts(traced))
    assert outcome_of(unknown).why is Reason.UNSALTED


def test_once_anything_is_captured_a_patch_of_traced_code_is_declined(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = ModuleType("vllm.compilation.counter")
    counter.__dict__["compilation_counter"] = SimpleNamespace(num_graphs_seen=1)
    monkeypatch.setitem(sys.modules, counter.__name__, counter)
    fixes = started(patch(traced=True), salting())
    importlib.import_module("made_up.core")
    assert outcome_of(fixes).why is Reason.CAPTURE_BEGUN
    assert outcome_of(fixes, "salt") == Applied(Shown.BEFOREHAND)
    assert not lifecycle.capture_has_begun() or not salt.salt()
