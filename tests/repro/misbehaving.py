"""Probes that end in every way a probe can end. Called in children only, by path."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from gpu_gotchas.fixes.refused import Refused


def returns(target):
    return {"name": target.name, "numbers": [1, 2.5]}


def raises(target):
    try:
        raise KeyError("the first")
    except KeyError as error:
        raise ValueError("the second") from error


def returns_an_object(target):
    return object()


def refuses(target):
    raise Refused(capability="sm_86", setting="kv_cache_dtype=fp8", way_out="use bf16")


def refuses_without_a_way_out(target):
    raise Refused(capability="sm_86", setting="kv_cache_dtype=fp8", way_out="")


def exits(target):
    sys.exit(3)


def exits_at_once(target):
    """As a compiler that gives up: no exception, no signal."""
    os.write(2, b"LLVM ERROR: cannot select\n")
    os._exit(1)


def aborts(target):
    os.abort()


def hangs(target):
    print("step 1", flush=True)
    time.sleep(600)


def hangs_in_a_thread(target):
    """The probe returns; a thread of it would keep the process alive."""
    threading.Thread(target=time.sleep, args=(600,)).start()


def prints_without_end(target):
    while True:
        os.write(1, b"x" * 65536)


def prints_in_c(target):
    libc = ctypes.CDLL(None)
    libc.dprintf(2, b"said in C\n")
    libc.puts(b"buffered in C")
    libc.fflush(None)
    print("said in Python")
    raise ValueError("and raised")


def prints_no_utf8(target):
    os.write(1, b"\xff\xfe end\n")


def leaves_a_grandchild(target):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    return child.pid


def leaves_a_grandchild_and_hangs(target):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(child.pid, flush=True)
    time.sleep(600)


def tells_its_environment(target):
    return dict(os.environ)


def tells_its_folder(target):
    import json

    return {"json": json.__file__, "path": sys.path[:3], "stdin": sys.stdin.read()}


def tells_its_process(target):
    return [os.getpid(), os.getppid()]


def breaks_at_exit(target):
    """As a poisoned context: what happens after the answer says nothing about the probe."""
    import atexit

    atexit.register(os.abort)
    return 7


def writes_a_file(target):
    """Which cache folder this child was given, and whether it was empty."""
    folder = Path(os.environ["TRITON_CACHE_DIR"])
    before = sorted(path.name for path in folder.iterdir())
    (folder / "left-behind").write_text("")
    return [str(folder), before]


def measures(target, seed):
    return seed * 10 + 0.5
