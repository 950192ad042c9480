"""Standard input, passed through or not, in processes of their own."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.search.logs import healthy_log

FP8 = b"type fp8e4nv not supported in this architecture\n"
Child = Callable[..., Any]
POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="sends a signal as a terminal's Ctrl-C does on POSIX"
)


def test_standard_input_is_searched(child: Child) -> None:
    out, err = child("search", "-").communicate(healthy_log(300).encode() + FP8, timeout=60)
    assert b"This is it" in out
    assert err == b""


def test_tee_passes_every_byte_on_and_answers_beside_it(child: Child) -> None:
    log = b"\x1b[31mred\x1b[0m\xff\xfe\r\nno newline \r 50%" + FP8 + b"end without newline"
    process = child("search", "--tee", "-")
    out, err = process.communicate(log, timeout=60)
    assert out == log
    assert b"This is it" in err
    assert process.returncode == 0


def test_tee_holds_nothing_back(child: Child) -> None:
    process = child("search", "--tee")
    for line in (b"first\n", b"half a line"):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.read1(100) == line
    process.communicate(timeout=60)
    assert process.returncode == 1


def test_tee_speaks_while_the_log_still_comes(child: Child) -> None:
    process = child("search", "--tee")
    process.stdin.write(b"serving\n" + FP8)
    process.stdin.flush()
    assert process.stderr.readline().startswith(b"This is it")
    _, err = process.communicate(b"and serving on\n" * 400, timeout=60)
    assert b"This is it" not in err, "nothing is said twice"
    assert process.returncode == 0


def test_tee_corrects_what_it_said_when_more_is_known(child: Child) -> None:
    process = child("search", "--tee")
    process.stdin.write(FP8)
    process.stdin.flush()
    assert process.stderr.readline().startswith(b"This is it")
    _, err = process.communicate(b"GPU 0: NVIDIA H100 80GB HBM3\n", timeout=60)
    assert b"Looks like" in err
    assert b"disagrees: " in err


@POSIX
def test_ctrl_c_is_left_to_the_server_whose_last_words_count(child: Child) -> None:
    process = child("search", "--tee", "-")
    process.stdin.write(b"serving\n")
    process.stdin.flush()
    assert process.stdout.read1(100) == b"serving\n"
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    out, err = process.communicate(FP8, timeout=60)
    assert out == FP8
    assert b"This is it" in err


@POSIX
@pytest.mark.parametrize(("arguments", "times"), [(("--tee", "-"), 2), (("-",), 1)])
def test_ctrl_c_ends_reading_with_an_answer(child: Child, arguments: tuple[str, ...], times: int) -> None:
    process = child("search", *arguments)
    process.stdin.write(FP8)
    process.stdin.flush()
    if "--tee" in arguments:
        assert process.stdout.read1(100) == FP8
    else:
        time.sleep(1.5)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    out = process.stdout.read()
    err = process.stderr.read()
    assert b"This is it" in out + err
    assert b"Traceback" not in err
    process.stdin.close()
    assert process.wait(60) == 0


@POSIX
def test_ctrl_c_reaches_a_child_of_somebody_who_ignores_it(child: Child) -> None:
    """As under `nohup … &`."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = child("search", "-")
    finally:
        signal.signal(signal.SIGINT, before)
    process.stdin.write(FP8)
    process.stdin.flush()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert b"This is it" in process.stdout.read()


def test_a_reader_that_leaves_is_no_fault(child: Child) -> None:
    process = child("list")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(60)
    assert err == b""


def test_a_reader_that_leaves_ends_tee_quietly(child: Child) -> None:
    process = child("search", "--tee", "-")
    process.stdout.close()
    try:
        process.stdin.write(FP8 * 1000)
        process.stdin.close()
    except BrokenPipeError:
        pass
    err = process.stderr.read()
    process.wait(60)
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err
