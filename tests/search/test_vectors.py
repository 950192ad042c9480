from __future__ import annotations

import json
import os

from benchmarks.search import fresh_index

from tests.corpus.vectors import PATH, answers


def test_the_vectors_are_what_search_answers() -> None:
    found = answers(fresh_index())
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN"):
        PATH.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    kept = json.loads(PATH.read_text("utf-8"))
    wanted = {vector["name"]: (vector["answer"], vector["ids"]) for vector in kept["vectors"]}
    now = {vector["name"]: (vector["answer"], vector["ids"]) for vector in found["vectors"]}
    different = {name: (wanted.get(name), told) for name, told in now.items() if wanted.get(name) != told}
    assert different == {}, "wanted? then set GOTCHAS_UPDATE_GOLDEN=1"
    assert [vector["text"] for vector in kept["vectors"]] == [vector["text"] for vector in found["vectors"]]


def test_they_are_of_every_class() -> None:
    kept = json.loads(PATH.read_text("utf-8"))["vectors"]
    assert {vector["answer"] for vector in kept} == {"this-is-it", "looks-like", "not-known"}
