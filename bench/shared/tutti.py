"""Tutti's command, without ranks, and what its tables say."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from driver import watch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD_TREE", ROOT / "build")).resolve()  # some programs run elsewhere
TUTTI = str(BUILD / "bin/tutti")


def preloaded(mpi, build=BUILD):
    """The library that programs run under. Without it they would run natively, and say nothing."""
    library = Path(build).resolve() / f"lib/libtutti-{mpi}.so"
    if not library.exists():
        sys.exit(f"{library} is missing: build it first")
    return library


def tutti(*words, **settings):
    """What a command prints."""
    return watch.run([TUTTI, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True,
                     **settings).stdout


def tutti_json(*words, **settings):
    return json.loads(tutti(*words, "--json", **settings))


def plans(names):
    """The words that name plans."""
    return [word for name in names for word in ("--plan", name)]


def plan_at(table, operation, size):
    """What a table says of a size, on the first number of ranks that it has."""
    for rules in table["collectives"].get(operation, []):
        for rule in rules["rules"]:
            largest = math.inf if rule["msg_size_max"] == "inf" else rule["msg_size_max"]
            if rule["msg_size_min"] <= size <= largest:
                return rule["plan"]
    return "native"


def tuned_points(table):
    """Native's and the chosen plan's milliseconds at each point of a table."""
    times = {}
    for m in table["measurements"]:
        times.setdefault((m["operation"], m["size"]), {})[m["plan"]] = m["median_s"] * 1e3
    for (operation, size), at in sorted(times.items()):
        plan = plan_at(table, operation, size)
        if "native" in at and plan in at:
            yield operation, size, plan, at["native"], at[plan]
