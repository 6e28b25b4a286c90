"""Programs that run natively, then learning, from no knowledge on, run after run."""

import statistics
import tempfile

from driver.tables import Column, Crosstab, by_fields
from shared.figures import geometric_mean

LEARNING = ["first", "second", "third"]


def measured(run, points, repetitions, others=()):
    """Records of each point's program in every kind of run: `run(point, variables)` returns seconds,
    natively where there are no variables. `others` are further kinds and their variables."""
    for repetition in range(repetitions):
        for point in points:
            with tempfile.TemporaryDirectory() as knowledge:
                learning = {"TUTTI_LEARN": "1", "TUTTI_CACHE": knowledge}
                for kind, variables in [("native", None), *((kind, learning) for kind in LEARNING), *others]:
                    yield {"program": point["program"], "repetition": repetition + 1, "kind_of_run": kind,
                           "seconds": run(point, variables)}


def speedups(records):
    """Of each program and kind of run its speed-up over native of the same repetition."""
    native = {(r["program"], r["repetition"]): r["seconds"] for r in records if r["kind_of_run"] == "native"}
    return [{"program": program, "run": kind, "seconds": statistics.median(r["seconds"] for r in runs),
             "speedup": statistics.median(native[program, r["repetition"]] / r["seconds"] for r in runs)}
            for (program, kind), runs in by_fields(records, ["program", "kind_of_run"]).items()]


def summary(records):
    return ["Geometric mean of the speed-ups: " + ", ".join(
        f"{kind} {geometric_mean([r['speedup'] for r in runs]):.3f}"
        for (kind,), runs in by_fields(speedups(records), ["run"]).items()) + "."]


TABLES = [
    Crosstab("Seconds, {iterations} iterations", [Column("program", "program")], "run",
             Column("", "seconds", ".3f"), rows=speedups),
    Crosstab("Speed-up over native", [Column("program", "program")], "run", Column("", "speedup", ".3f"),
             rows=speedups, notes=summary)]
