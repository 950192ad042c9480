"""Described machines: the reader and the schema agree, and a wrong file names line and way out."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.hardware.catalogue import UnknownName, find_target, gpus, targets
from gpu_gotchas.hardware.description import described_machine, read_machine
from gpu_gotchas.hardware.documents import MAX_BYTES, DocumentError
from gpu_gotchas.hardware.gpus import GIB
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.platforms import PLATFORMS
from gpu_gotchas.hardware.targets import Vendor

SCHEMA_FILE = Path(__file__).parents[2] / "schema" / "machine.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

EXAMPLE = """\
cards:
  - {gpu: nvidia-rtx-a5000, count: 2}
  - target: sm_120
    name: NVIDIA GeForce RTX 5090
    memory: 31.8
  - {name: Voodoo2}
software: {vllm: "0.20.0", triton: null}
platform: {linux: true, container: false}
settings: {kv_cache_dtype: fp8}
p2p: false
"""


def write(folder: Path, text: str, name: str = "machine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> list[str]:
    path = write(folder, text)
    with pytest.raises(DocumentError) as caught:
        read_machine(path)
    assert all(problem.startswith(str(path)) for problem in caught.value.problems)
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]


def test_an_example(tmp_path: Path) -> None:
    machine = read_machine(write(tmp_path, EXAMPLE))
    assert machine.described
    assert machine.cards is not None
    a5000, same, blackwell, voodoo = machine.cards
    assert a5000 == same
    assert (a5000.gpu, a5000.memory, a5000.name) == ("nvidia-rtx-a5000", 24 * GIB, "NVIDIA RTX A5000")
    assert (blackwell.target, blackwell.gpu) == (find_target("sm_120"), "nvidia-rtx-5090")
    assert (voodoo.target, voodoo.vendor) == (None, None)
    assert machine.software == {"vllm": "0.20.0", "triton": None}
    assert machine.platform == {"linux": True, "container": False}
    assert machine.settings == {"kv_cache_dtype": "fp8"}
    assert machine.p2p is False
    VALIDATOR.validate(yaml.safe_load(EXAMPLE))


def test_what_is_left_out_is_unknown_and_an_empty_list_is_none(tmp_path: Path) -> None:
    assert read_machine(write(tmp_path, "{}")) == Machine(described=True)
    assert read_machine(write(tmp_path, "cards: []")).cards == ()


def test_json_with_tabs_and_escapes(tmp_path: Path) -> None:
    text = '{\n\t"cards": [\n\t\t{"name": "caf\\u00e9 \\ud83d\\ude00 a\\/b", "memory": 24}\n\t]\n}\n'
    machine = read_machine(write(tmp_path, text, "machine.json"))
    assert machine.cards is not None
    assert machine.cards[0].name == "café 😀 a/b"


def test_a_model_with_several_sizes_has_none_until_it_is_said(tmp_path: Path) -> None:
    machine = read_machine(
        write(tmp_path, "cards: [{gpu: nvidia-rtx-3060}, {gpu: nvidia-rtx-3060, memory: 12}]")
    )
    assert machine.cards is not None
    assert [card.memory for card in machine.cards] == [None, 12 * GIB]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "cards:\n  - {gpu: nvidia-rtx-a5000x}",
            "2: unknown GPU 'nvidia-rtx-a5000x'; did you mean nvidia-rtx-a5000",
        ),
        ("cards:\n  - {target: sm86}", "2: unknown target 'sm86'; did you mean sm_86"),
        ("p2p: no-idea", "1: p2p is true or false"),
        ("\ncard: []", "2: unknown key 'card' in a machine; did you mean 'cards'?"),
        ("cards: [{gpu: nvidia-h200, name: H200}]", "1: 'gpu' says target and name"),
        ("cards: [{memory: 24}]", "1: a card wants 'gpu'"),
        ("cards: [{name: x, memory: 24GiB}]", "1: memory (GiB) is a number from 0.5 to 65536, not '24GiB'"),
        ("cards: [{name: x, memory: true}]", "1: memory (GiB) is a number"),
        ("cards: [{name: x, count: 1.5}]", "1: count is a whole number from 1 to 1024, not 1.5"),
        ("cards: [{name: x, count: true}]", "1: count is a whole number from 1 to 1024, not True"),
        ("cards: [{name: x, count: 2000}]", "1: count is a whole number from 1 to 1024, not 2000"),
        ("cards: [{name: x, vram: 24}]", "1: unknown key 'vram' in a card"),
        ("cards: {}", "1: cards is a list, [] for none, not a mapping"),
        ("software:\n  vllm: 0.20", "2: vllm wants a version in quotes, or null if not there, not 0.2"),
        ("software: {Flash_Attn: '2.8'}", "1: 'Flash_Attn' is no package: write 'flash-attn'"),
        ("platform: {wsl: true}", "1: unknown key 'wsl' in platform; did you mean 'wsl2'?"),
        ("platform: {linux: 1}", "1: linux is true or false"),
        ("settings: {--kv-cache-dtype: fp8}", "such as 'kv_cache_dtype'"),
        ("settings: {kv_cache_dtype: 8}", "1: kv_cache_dtype is text"),
        ("[]", "1: a machine is a mapping of keys to values, not a list"),
        ("p2p: true\np2p: false", "2: 'p2p' stands twice"),
        ("cards: &a []", "1: write values out, without & and *"),
        ("p2p: *a", "write values out"),
        ("p2p: !!python/object:os.system x", "1: 'x' would be read as"),
        ("software: {vllm: 2026-01-01}", "1: '2026-01-01' would be read as"),
        ("{1: 2}", "1: a key is a word"),
        ("<<: {p2p: true}", "1: a key is a word"),
        ("cards: [", "1: "),
        ("a: b: c", "1: mapping values are not allowed here"),
        ("", "1: is empty"),
        ("p2p: true\n---\np2p: true", "2: "),
        ("[" * 900_000, "1: is nested more than 32 deep"),
        ("p2p: '\x07'", "1: "),
    ],
)
def test_a_wrong_file_names_line_and_way_out(tmp_path: Path, text: str, says: str) -> None:
    assert any(says in problem for problem in refusal(tmp_path, text)), refusal(tmp_path, text)


def test_every_problem_is_named_at_once(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, "cards: [{name: 1}, {memory: 3}]\np2p: maybe\nspeed: 9")) == 4


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be read"):
        read_machine(tmp_path / "missing.yaml")
    path = tmp_path / "bytes.yaml"
    path.write_bytes(b"p2p: true\nsettings: {a: '\xff'}\n")
    with pytest.raises(DocumentError, match=r"bytes\.yaml:2: is not UTF-8"):
        read_machine(path)
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(DocumentError, match="more than"):
        read_machine(path)


def test_a_described_machine_from_a_name() -> None:
    for name, target in (
        ("sm_86", "sm_86"),
        ("gfx942", "gfx942"),
        ("nvidia-gb10", "sm_121"),
        ("NVIDIA L4", "sm_89"),
    ):
        machine = described_machine(name)
        assert machine.described
        assert machine.cards is not None
        (card,) = machine.cards
        assert card.target is find_target(target)
        assert card.vendor is (Vendor.AMD if target.startswith("gfx") else Vendor.NVIDIA)
    for name in ("sm_68", "gfx940", "nvidia-rtx-a500", "RTX 9999"):
        with pytest.raises(UnknownName):
            described_machine(name)


def test_the_schema_knows_the_catalogue() -> None:
    """GOTCHAS_UPDATE_GOLDEN=1 writes the names of targets and GPUs into the schema."""
    names = {"target": [target.name for target in targets()], "gpu": [gpu.id for gpu in gpus()]}
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN") == "1":
        schema = copy.deepcopy(SCHEMA)
        for key, known in names.items():
            schema["$defs"][key]["enum"] = known
        SCHEMA_FILE.write_text(json.dumps(schema, indent=2) + "\n", encoding="utf-8")
    assert {key: SCHEMA["$defs"][key]["enum"] for key in names} == names, (
        "set GOTCHAS_UPDATE_GOLDEN=1 to update"
    )
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["properties"]["platform"]["properties"]) == PLATFORMS


TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=20)
MEMORY = st.integers(1, 65536) | st.sampled_from((0.5, 23.5, 65536.0))
COUNT = st.integers(1, 3)
SOLD = st.fixed_dictionaries(
    {"gpu": st.sampled_from([gpu.id for gpu in gpus()])}, optional={"memory": MEMORY, "count": COUNT}
)
COMPILED = st.fixed_dictionaries(
    {"target": st.sampled_from([target.name for target in targets()])},
    optional={"name": TEXTS, "memory": MEMORY, "count": COUNT},
)
NAMED = st.fixed_dictionaries({"name": TEXTS}, optional={"memory": MEMORY})
GOOD = st.fixed_dictionaries(
    {},
    optional={
        "cards": st.lists(SOLD | COMPILED | NAMED, max_size=3),
        "software": st.dictionaries(
            st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,4})?", fullmatch=True),
            st.none() | st.from_regex(r"[0-9]{1,3}\.[0-9]{1,3}(\.dev[0-9]|\+cu126)?", fullmatch=True),
            max_size=3,
        ),
        "platform": st.dictionaries(st.sampled_from(PLATFORMS), st.booleans()),
        "settings": st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True), TEXTS, max_size=3),
        "p2p": st.booleans(),
    },
)
ODD_SCALARS = (None, True, False, 0, 1, -1, 1.5, 2.0, 10**6, "", "x", "sm_86", "0.20.0", "a\nb", "a\n", "Ab")
ODD = st.sampled_from((*ODD_SCALARS, "y" * 201, [], {}, [[]], {"name": "x"}, ["x"], {"linux": True}))


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A good document with one place changed: a value replaced, a key added, renamed or taken away."""
    document = draw(GOOD)
    places: list[Any] = [document]
    for place in places:
        places += [value for value in _values(place) if isinstance(value, (dict, list))]
    place = draw(st.sampled_from(places))
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    how = draw(st.sampled_from(("add", "replace", "take", "rename")))
    if how == "add" or not keys:
        if isinstance(place, dict):
            place[draw(st.sampled_from(("cards", "gpu", "name", "vllm", "speed", "p2p", "a b", "x\n")))] = (
                draw(ODD)
            )
        else:
            place.append(draw(ODD))
        return document
    key = draw(st.sampled_from(keys))
    if how == "replace":
        place[key] = draw(ODD)
    elif how == "rename" and isinstance(place, dict):
        place[str(key).upper()] = place.pop(key)
    else:
        del place[key]
    return document


def _values(place: Any) -> list[Any]:
    return list(place.values()) if isinstance(place, dict) else list(place)


def accepts(path: Path, document: Any) -> bool:
    path.write_text(
        json.dumps(document, ensure_ascii=False)
        if path.suffix == ".json"
        else yaml.safe_dump(document, allow_unicode=True),
        encoding="utf-8",
    )
    problems = problems_of(path)
    return not problems


def problems_of(path: Path) -> tuple[str, ...]:
    try:
        read_machine(path)
    except DocumentError as error:
        return error.problems or ("an error without a problem",)
    return ()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machines")


@pytest.mark.parametrize("name", ["machine.yaml", "machine.json"])
@settings(max_examples=60)
@given(document=GOOD)
def test_good_documents_pass_schema_and_reader(folder: Path, name: str, document: Any) -> None:
    assert VALIDATOR.is_valid(document)
    assert accepts(folder / name, document)


@pytest.mark.parametrize("name", ["machine.yaml", "machine.json"])
@settings(max_examples=200)
@given(document=spoilt())
def test_spoilt_documents_are_judged_alike(folder: Path, name: str, document: Any) -> None:
    assert accepts(folder / name, document) == VALIDATOR.is_valid(document)


@settings(max_examples=100)
@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(folder: Path, text: str) -> None:
    path = folder / "any.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert all(problem.startswith(str(path)) for problem in problems_of(path))
