"""Facts about this machine: hardware and packages, and the variables that settings name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.pythons import Environment, told_honestly
from gpu_gotchas.doctor.visible import only_visible
from gpu_gotchas.hardware.detect import this_machine
from gpu_gotchas.records.setting import Setting


def this_machine_facts(
    environment: Environment, known: Mapping[str, Setting], environ: Mapping[str, str] = os.environ
) -> Facts:
    """What can be found out without importing torch. Variables that no setting names are not looked at."""
    machine = told_honestly(this_machine(environment.folders), environment)
    allowed = {setting.variable for setting in known.values() if setting.variable}
    return Facts(
        machine=replace(only_visible(machine, environ), described=False),
        environment={name: environ[name] for name in sorted(allowed) if environ.get(name)},
        seen=("",),
        told_by=("this machine",),
    )
