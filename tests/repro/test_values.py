from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.repro.values import comparable, same

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_a_value_is_the_same_as_itself_after_a_journey_through_json(value: Any) -> None:
    assert same(comparable(value), json.loads(json.dumps(comparable(value))))


@given(plain, plain)
def test_sameness_is_symmetric(one: Any, other: Any) -> None:
    assert same(one, other) == same(other, one)


@given(st.floats(1e-300, 1e300) | st.floats(-1e300, -1e-300))
def test_a_thousandth_is_a_difference_and_a_thousand_millionth_is_none(number: float) -> None:
    assert not same(number, number * 1.001)
    assert same(number, number * (1 + 1e-9))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (1, 1.0, True),
        (1, 1.0000000001, True),
        (1, 1.01, False),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1.0}, {"a": 1.0000000001}, True),
        ({"a": 1.0}, {"b": 1.0}, False),
        ("1", 1, False),
        (None, False, False),
    ],
)
def test_sameness(one: Any, other: Any, agree: bool) -> None:
    assert same(one, other) is agree


@pytest.mark.parametrize("value", [object(), b"bytes", {1, 2}, [object()], {"a": object()}])
def test_what_cannot_be_compared_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="a probe may not return a"):
        comparable(value)


class TestTensors:
    torch = pytest.importorskip("torch")

    @pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float8_e4m3fn", "int64", "bool"])
    @pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
    def test_equal_tensors_agree_and_travel(self, dtype: str, shape: tuple[int, ...]) -> None:
        tensor = self.torch.ones(shape).to(getattr(self.torch, dtype))
        told = comparable(tensor)
        assert told == comparable(tensor.clone())
        assert json.loads(json.dumps(told)) == told
        assert told["shape"] == list(shape)
        assert told["dtype"] == f"torch.{dtype}"

    def test_one_bit_is_a_difference(self) -> None:
        one = self.torch.zeros(8)
        other = one.clone()
        other[3] = 1e-45
        assert not same(comparable(one), comparable(other))

    def test_shape_and_dtype_are_differences(self) -> None:
        zeros = self.torch.zeros(4)
        assert not same(comparable(zeros), comparable(zeros.reshape(2, 2)))
        assert not same(comparable(zeros), comparable(zeros.view(self.torch.int32)))

    def test_strides_are_none(self) -> None:
        matrix = self.torch.arange(6.0).reshape(2, 3)
        assert same(comparable(matrix.t()), comparable(matrix.t().contiguous()))
