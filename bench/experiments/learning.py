"""Learning in whole programs on emulated hosts, beside native runs and tuned tables.

The Jacobi iteration and the parallel Adams method PABM at two sizes each, drawn at random, on 16
hosts on switched Fast Ethernet, and on eight of them what is installed of Debian's Quantum ESPRESSO
(silicon, two pools), CP2K (two water molecules) and ABINIT (silicon). With --simulated the solvers
on as many simulated hosts, where computing is charged by its operations and times repeat exactly.

Each program runs natively, natively with connections watched by epoll(7) as Tutti has sixteen
ranks of Open MPI and more do (so that what this gains is seen apart), under a table that is tuned
first (its plans unguarded, then guarded), and three times learning, from no knowledge on; runs
take turns in random order, every repetition begins with no knowledge. The solvers share a table;
one is tuned for a profile of each other program. Times are those of all iterations, of programs of
others those of whole runs, from launch to end; medians, and of the ratios to native of the same
repetition. Emulation needs root."""

import contextlib
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from random import Random

from driver.options import HOSTS, MPI, ONLY, SEED, budget, is_named, option, repetitions
from driver.tables import Column, Crosstab, by_fields
from shared.emulation import Emulated
from shared.figures import geometric_mean
from shared.learning_runs import LEARNING
from shared.programs import WRITERS
from shared.simulation import Cluster
from shared.tutti import BUILD

TUNED = ["--ops", "allgather,allreduce,reduce,bcast", "--sizes", "1K,4K,16K,64K"]
# Programs of others, and the commands that Debian has them as.
OTHERS = {"silicon": "pw.x", "water": "cp2k.popt", "abinit": "abinit"}
BY_EPOLL = {"OMPI_MCA_opal_event_include": "epoll"}
TOLD = 0.01  # of native's time: shares of what tables save tell nothing where they save less
# The usual sizes. One process computes for all in a simulation.
EMULATED, SIMULATED = {"jacobi": (2048, 8192), "pabm": (32, 64)}, {"jacobi": (1024, 2048), "pabm": (32, 64)}
OPTIONS = [
    HOSTS, MPI, option("--simulated", action="store_true",
                       help="simulated hosts in place of emulated ones, one repetition"),
    budget("150s"), option("--table", type=Path,
                           help="table of the solvers, in place of a tuned one"), repetitions(5),
    option("--iterations", type=int, default=1000, help="number of iterations of each program"), ONLY, SEED]


def points(options):
    """Programs and their arguments, at sizes from half as large to twice as large as the usual ones. A
    step of PABM takes about as long as four iterations of Jacobi's."""
    random, usual = Random(options.seed), SIMULATED if options.simulated else EMULATED
    found = []

    def drawn(kind, multiple):
        return [round(size * 2 ** random.uniform(-1, 1) / multiple) * multiple for size in usual[kind]]

    for variant in ("rows", "columns-allreduce", "columns-reduce"):
        found += [{"name": f"jacobi {variant} {size}", "program": "jacobi",
                   "words": ["--variant", variant, "--size", size, "--iterations", options.iterations]}
                  for size in drawn("jacobi", 16)]
    found += [{"name": f"pabm {size}", "program": "parallel_adams",
               "words": ["--method", "pabm", "--stages", 4, "--variant", "data-parallel", "--size", size,
                         "--steps",
                         max(options.iterations // 4, 1), "--end", 0.001]} for size in drawn("pabm", 1)]
    random = Random(options.seed)
    steps, cutoff = max(1, options.iterations * random.randrange(20, 40) // 1000), random.randrange(16, 32)
    others = [{"name": f"silicon {steps} steps, {cutoff} Ry", "program": "silicon",
               "words": [steps, cutoff, 2]}]
    steps, cutoff = max(1, options.iterations * random.randrange(3, 7) // 1000), random.randrange(80, 120)
    others.append({"name": f"water {steps} steps, {cutoff} Ry", "program": "water", "words": [steps, cutoff]})
    steps, cutoff = max(1, options.iterations * random.randrange(8, 16) // 1000), random.randrange(10, 16)
    others.append({"name": f"abinit {steps} steps, {cutoff} Ha", "program": "abinit",
                   "words": [steps, cutoff]})
    if not options.simulated and options.mpi == "openmpi":
        found += [point for point in others if shutil.which(OTHERS[point["program"]])]
    return [point for point in found if is_named(point["name"], options.only)]


class OnSimulated:
    native = {"native": None}

    def __init__(self, options):
        self.hosts, self.cluster = options.hosts, Cluster("clic", exact=False)

    def tune(self, file, *words):
        self.cluster.tune(self.hosts, file, *words)

    def seconds(self, program, words, variables):
        return self.cluster.run(self.hosts, program, *words, variables=variables)["seconds"]


class OnEmulated:
    def __init__(self, options, hosts):
        self.mpi, self.cluster = options.mpi, Emulated(options.mpi, hosts)
        self.native = {"native": {}, "epoll": BY_EPOLL} if options.mpi == "openmpi" else {"native": {}}
        self.tune = self.cluster.tune

    def seconds(self, program, words, variables):
        return json.loads(self.cluster.launch([BUILD / f"bin/{program}-{self.mpi}", *words, "--json"],
                                              variables))["seconds"]


class OthersOnEmulated(OnEmulated):
    def tune_for(self, program, words, file, budget):
        with self.written(program, words) as command, tempfile.NamedTemporaryFile() as profile:
            self.cluster.profile(command, profile.name)
            self.tune(file, "--for", profile.name, "--budget", budget)

    def seconds(self, program, words, variables):
        with self.written(program, words) as command:
            begin = time.perf_counter()
            self.cluster.launch(command, variables)
            return time.perf_counter() - begin

    @staticmethod
    @contextlib.contextmanager
    def written(program, words):
        """The program's command line, in a folder that has its input."""
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            yield WRITERS[program](*words)


def repetition(machine, point, table, random):
    """(kind, seconds) in random order, for machines drift; learning runs follow each other."""
    with tempfile.TemporaryDirectory() as knowledge:
        guarded = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_TABLE": table}
        learning = {"TUTTI_FLOAT_SUMS": "any", "TUTTI_LEARN": "1", "TUTTI_CACHE": knowledge}
        variables = {**machine.native, "tuned": {**guarded, "TUTTI_LEARN": "0"}, "guarded": guarded,
                     **dict.fromkeys(LEARNING, learning)}
        runs = iter(LEARNING)
        order = [next(runs) if kind in LEARNING else kind for kind in random.sample(list(variables),
                                                                                    len(variables))]
        seconds = {kind: machine.seconds(point["program"], point["words"], variables[kind]) for kind in order}
        return [(kind, seconds[kind]) for kind in variables]


def places(options, points, folder):
    """Of each point the machine that it runs on, and its table, which is tuned."""
    others, solvers = OthersOnEmulated(options, 8), None
    for number, point in enumerate(points):
        if point["program"] in OTHERS:
            table = f"{folder}/{number}.json"
            others.tune_for(point["program"], point["words"], table, options.budget)
            yield others, table
            continue
        if not solvers:
            solvers = OnSimulated(options) if options.simulated else OnEmulated(options, options.hosts)
            table_of_solvers = options.table.resolve() if options.table else f"{folder}/solvers.json"
            if not options.table:
                solvers.tune(table_of_solvers, *TUNED, "--budget", options.budget)
        yield solvers, table_of_solvers


def measure(options, points):
    with tempfile.TemporaryDirectory() as folder:
        machines = list(places(options, points, folder))
        random = Random(options.seed)
        for number in range(1 if options.simulated else options.repetitions):
            for point, (machine, table) in zip(points, machines):
                for run, seconds in repetition(machine, point, table, random):
                    yield {"program": point["name"], "repetition": number + 1, "kind_of_run": run,
                           "seconds": seconds}


def medians(records):
    """Of each program and kind of run its seconds and its speed-up over native of the same repetition."""
    native = {(r["program"], r["repetition"]): r["seconds"] for r in records if r["kind_of_run"] == "native"}
    for (program, kind), runs in by_fields(records, ["program", "kind_of_run"]).items():
        yield {"program": program, "run": kind, "seconds": statistics.median(r["seconds"] for r in runs),
               "speedup": statistics.median(native[program, r["repetition"]] / r["seconds"] for r in runs)}


def with_totals(records):
    found = list(medians(records))
    totals = {run: sum(r["seconds"] for r in of_it) for (run,), of_it in by_fields(found, ["run"]).items()}
    return [*found, *({"program": "all", "run": run, "seconds": total, "speedup": totals["native"] / total}
                      for run, total in totals.items())]


def summary(records):
    found = by_fields(list(medians(records)), ["run"])
    totals = {run: sum(r["seconds"] for r in of_it) for (run,), of_it in found.items()}
    lines = ["Geometric mean of the speed-ups: " + ", ".join(
        f"{run} {geometric_mean([r['speedup'] for r in of_it]):.3f}" for (run,), of_it in found.items()
        if run != "native") + "."]
    saved = totals["native"] - totals.get("tuned", totals["native"])
    if saved > TOLD * totals["native"]:
        lines.append("Of what the table saves: " + ", ".join(
            f"{run} {(totals['native'] - total) / saved:.0%}" for run,
            total in totals.items() if run != "native") + ".")
    return lines


def spreads(records):
    of_native = by_fields([r for r in records if r["kind_of_run"] == "native"], ["program"])
    return ["Native's slowest run over its fastest: " + ", ".join(
        f"{program} {max(r['seconds'] for r in runs) / min(r['seconds'] for r in runs):.2f}"
        for (program,), runs in of_native.items()) + "."]


TABLES = [
    Crosstab("Seconds, {iterations} iterations", [Column("program", "program")], "run",
             Column("", "seconds", ".3f"), rows=with_totals, notes=spreads),
    Crosstab("Speed-up over native", [Column("program", "program")], "run", Column("", "speedup", ".3f"),
             rows=lambda records: [row for row in with_totals(records) if row["run"] != "native"],
             notes=summary)]
