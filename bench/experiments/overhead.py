"""What Tutti costs a call, on two ranks of this machine. Needs two idle cores.

Calls that stay native, beside the MPI library's own entry point, called past the preloaded
library; and Tutti's executor beside a hand-written loop. It builds what users get, in
build/release: optimised as a whole when it is linked, which scripts/check leaves out. On two
ranks, medians over batches."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from driver.options import MPI, is_named, option, words
from driver.results import first, machine
from driver.tables import Column, Table
from shared.here import AS_ROOT, launch, tutti_here
from shared.tutti import ROOT

EXPERIMENTS = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1", "TUTTI_CACHE": "none"}
# Situations, what the program measures in them, and Tutti's variables.
SITUATIONS = {
    "without a table": ("native", {}),
    "by a table's rules": ("native", {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": "TABLE"}),
    "between the experiments of learning": ("native", {**EXPERIMENTS, "TUTTI_LEARN": "1,0%,0ms"}),
    "while plans are tried": ("native", {**EXPERIMENTS, "TUTTI_LEARN": "1,100%,20ms"}),
    "profiled": ("native", {"TUTTI_PROFILE": "PROFILE"}),
    "executor": ("executor", {"TUTTI_ALLREDUCE": "recursive_doubling", "TUTTI_ALLGATHER": "ring"})}
OPTIONS = [MPI, option("--only", type=words, default="",
                       help="situations with one of these words in their name"),
           option("--tree", type=Path, metavar="FOLDER",
                  help="build tree to take, in place of build/release")]
FIGURES = ["Tutti", "reference", "difference", "ratio"]
LINE = re.compile(r"(.*?)\s+([\d.]+) ns\s+([\d.]+) ns\s+([-+][\d.]+) ns\s+([\d.]+)\s*$")


def points(options):
    return [{"situation": name} for name in SITUATIONS if is_named(name, options.only)]


def built(mpi):
    """The build folder of what users get."""
    build = ROOT / "build/release"
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DTUTTI_UNITY=ON",
                        "-DTUTTI_TESTS=OFF"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", f"overhead-{mpi}", f"tutti-{mpi}", "tutti",
                    f"tutti-worker-{mpi}"], check=True, stdout=subprocess.DEVNULL)
    return build


def table(mpi):
    """A table for two ranks of this machine that leaves short messages native."""
    said = tutti_here(mpi, 2, "bench", "bcast", "--plan", "native", "--sizes", 8, "--seconds", 1)
    version = first(r"hosts?, (.*); size", said)

    def rules(plan):
        return [{"comm_size_min": 2, "comm_size_max": 2, "hosts": 1, "rules": [
            {"msg_size_min": 0, "msg_size_max": 4095, "plan": "native"},
            {"msg_size_min": 4096, "msg_size_max": "inf", "plan": plan}]}]

    return json.dumps({"$schema": "tutti-table-1", "policy": "exact",
                       "fingerprint": {"mpi": version,
                                       "machine": "{processor}, {cores} cores".format(**machine())},
                       "collectives": {"bcast": rules("binomial"), "allreduce": rules("ring")}})


def measure(options, points):
    build = options.tree or built(options.mpi)
    with tempfile.TemporaryDirectory() as folder:
        files = {"TABLE": f"{folder}/table.json", "PROFILE": f"{folder}/profile.json"}
        with open(files["TABLE"], "w", encoding="utf-8") as file:
            file.write(table(options.mpi))
        for point in points:
            what, variables = SITUATIONS[point["situation"]]
            variables = {name: files.get(value, value) for name, value in variables.items()}
            said = launch(options.mpi, 2, [build / f"bin/overhead-{options.mpi}", what], variables,
                          quiet=AS_ROOT, build=build)
            for call, *figures in (line.groups() for line in map(LINE.match, said.splitlines()) if line):
                yield {**point, "call": call, **dict(zip(FIGURES, map(float, figures)))}


TABLES = [Table("{mpi}, two ranks, nanoseconds a call", [
    Column("situation", "situation"), Column("call", "call"), Column("Tutti", "Tutti", ".1f"),
    Column("reference", "reference", ".1f"), Column("difference", "difference", "+.1f"),
    Column("ratio", "ratio", ".3f")])]
