"""Runs MPI programs on this machine."""

import os
import subprocess

from driver import watch
from shared.tutti import BUILD, preloaded, tutti

# Open MPI has to be told that root may start it.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Ranks that outnumber processors give them away when they wait.
QUIET = {**AS_ROOT, "OMPI_MCA_mpi_yield_when_idle": "1"}


def launcher(mpi, ranks):
    return [f"mpirun.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", str(ranks)]


def tutti_here(mpi, ranks, *words):
    """What a command of Tutti's that starts ranks prints."""
    return tutti(*words, "--", *launcher(mpi, ranks), env={**os.environ, **QUIET}, stderr=subprocess.DEVNULL)


def launch(mpi, ranks, program, variables=None, libraries=(), quiet=QUIET, build=BUILD, **settings):
    """What a program prints: natively, or with variables under Tutti."""
    ours = [preloaded(mpi, build)] if variables is not None else []
    words = [f"{name}={value}" for name, value in (variables or {}).items()]
    words += [f"LD_PRELOAD={':'.join(map(str, [*libraries, *ours]))}"] if libraries or ours else []
    command = [*launcher(mpi, ranks), "env", *words, *map(str, program)]
    return watch.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **quiet},
                     **settings).stdout
