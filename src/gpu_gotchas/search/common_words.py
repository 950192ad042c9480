"""Words that say nothing about a cause: English, logging, Python's exceptions, what every engine
prints, and the frames that every traceback of an engine has."""

from __future__ import annotations

from gpu_gotchas.search.singular import singular

_ENGLISH = """
a about after again all already also an and any are as at be because been before being but by can cannot
could did do does doing done due during each else end even every first for from get given gives go got had
has have he her here his how i if in instead into is it its itself just last least less like made make
makes many may me means might more most much must my need needs new no none nor not now of off on once one
only or other our out over own per please put s same see set she should since so some still such t than
that the their them then there these they this those though through to too two under until up us use used
uses using very via was we well were what when where which while who why will with within without would
yet you your
"""
_PRINTED = """
abort aborted access address allocate allocated allocation application assert assertion attempt available
backend bad bug busy bytes cache call called caller can't cannot capability card cause caused check class
client code command compile compiled compiler complete config configuration connection core could couldn
count crash crashed cuda cudaerror data debug default device devices dies directory disk doesn don driver
during empty engine enginecore env environment err error errors exception exceptions exit exited expected
fail failed fails failure fatal file files found free function general gib gpu gpus handle hardware host
http https id illegal import info init initialization initialize initialized input instruction int invalid
issue kb kernel kernels key large launch layer layers len length library line lines list load loaded
loading local log logs low main max maximum mb memory message mib min missing mode model models module
msg name named needed none null number nvidia object occurred old open operation option output param
parameter pass path pid please port problem process processes py python pytorch raise raised range rank
reached read request requested require required requires reserved resource result return returned right
root run running runtime server service setting shape shared shut shutdown size small start started
starting state status stderr stdout stop support supported supports system task tensor terminated text
thread time timeout token tokens torch total trace traceback tried triton true try trying type types
unable unexpected unknown unsupported user value values version vllm sglang wait warning warnings worker
workers world write wrong zero
site packages lib dist conda venv encountered runner core.py init__ call__ gpu_model_runner.py
gpu_worker.py worker_base.py multiproc_executor.py uniproc_executor.py loader.py utils.py module.py
linear.py llm_engine.py async_llm.py api_server.py run_engine_core initialize_kv_caches
determine_available_memory determine profile_run profile dummy_run execute execute_model capture_model
compile_or_warm_up_model warm wrapper func lambda forward apply interface impl abstract abstract.py
call_impl wrapped_call_impl worker_busy_loop run_method caches utils handles
arithmeticerror assertionerror attributeerror connectionerror filenotfounderror importerror indexerror
ioerror keyerror keyboardinterrupt memoryerror modulenotfounderror nameerror notimplementederror oserror
outofmemoryerror overflowerror permissionerror runtimeerror systemerror systemexit timeouterror typeerror
valueerror zerodivisionerror torch.outofmemoryerror
"""


def _in_both_forms(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (word, singular(word)))


ENGLISH = _in_both_forms(_ENGLISH)
COMMON_WORDS = ENGLISH | _in_both_forms(_PRINTED)
