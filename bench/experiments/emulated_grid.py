"""Allgather on an emulated grid of three sites, real MPI over real TCP between 20 hosts.

All strategies beside the library's own choice and beside what the network's model predicts,
without and with the latencies of the wide area (parts `straight` and `delayed`). Then what
TUTTI_ADAPT does when the rates between two sites fall to half in the middle of a run (`halve`),
and the frames a second of an unmodified program, apps/satellite, native and by pools (`program`).
Needs root."""

import statistics
import tempfile
from pathlib import Path

from driver.options import MPI, budget, joined, option, repetitions, some_of, words
from driver.progress import progress
from driver.tables import Column, Crosstab, Table
from shared.emulation import Emulated
from shared.tutti import BUILD, tutti, tutti_json

PLANS = ["min3", "min3(half)", "magpie", "mpich_g2", "trees", "trees(annealed)", "spreading_simple", "pools",
         "pools(2)"]
PARTS = ["straight", "delayed", "halve", "program"]
LONGEST = 60  # seconds that a strategy may take for a block to be measured
HALVED = 90   # seconds that a run takes whose rates fall
OPTIONS = [
    MPI, option("--sizes", type=words, default="16K,64K,256K", help="bytes of a rank's block"),
    option("--plans", type=words, default=joined(PLANS), help="plans of MPI_Allgather"),
    budget("60s", "time for the probe"), repetitions(2),
    option("--parts", type=some_of(PARTS), default=joined(PARTS),
           help="parts: straight, delayed, halve, program")]


def points(options):
    return [{"part": part} for part in options.parts]


class Grid:
    """The emulated grid, whose network is probed when it is asked for first."""

    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)

    def cluster(self, *more):
        return Emulated(self.options.mpi, 20, ["--grid", *more])

    def network(self, *more):
        file = self.folder / f"network{''.join(more)}.json"
        if not file.exists():
            progress(self.cluster(*more).run("probe", "-o", file, "--budget", self.options.budget))
            progress(tutti("pools", file))
        return str(file)

    def compare(self, part, *more):
        network = self.network(*more)
        for size in self.options.sizes:
            for m in self.cluster(*more).measure("allgather", [size], self.options.plans, "--network",
                                                 network,
                                                 "--seconds", LONGEST, "--repetitions",
                                                 self.options.repetitions):
                record = {"kind": "plans", "part": part, "bytes": size, "plan": m["plan"],
                          "measured_s": m["median_s"]}
                if m["plan"] != "native":
                    model = tutti_json("price", "allgather", "--plan", m["plan"], "--ranks", 20, "--size",
                                       size, "--network", network)[0]
                    record |= {"predicted_s": model["seconds"], "limit_s": model["limit_s"]}
                yield record

    def straight(self):
        return self.compare("straight")

    def delayed(self):
        return self.compare("with latencies", "--delay")

    def halve(self):
        network, cluster = self.network(), self.cluster("--halve", "30")
        for name, adapt in (("as it was", {}),
                            ("TUTTI_ADAPT=20", {"TUTTI_ADAPT": "20", "TUTTI_LOG": "info"})):
            variables = {"TUTTI_ALLGATHER": "min3", "TUTTI_NETWORK": network, "TUTTI_CACHE": "none",
                         **adapt}
            out = cluster.launch([BUILD / f"bin/repeat-{self.options.mpi}", 65536, HALVED], variables)
            calls = [tuple(map(float, line.split())) for line in out.splitlines() if len(line.split()) == 2]
            for begin in range(0, HALVED, 10):
                if times := [took for at, took in calls if begin <= at < begin + 10]:
                    yield {"kind": "halved", "run": name, "second": begin,
                           "median_s": statistics.median_high(times)}

    def program(self):
        cluster, network = self.cluster("--delay"), self.network("--delay")
        pools = {"TUTTI_NETWORK": network, "TUTTI_SCATTER": "pools", "TUTTI_GATHER": "pools"}
        for name, variables in (("native", None), ("pools", pools)):
            out = cluster.launch([BUILD / f"bin/satellite-{self.options.mpi}", "--variant", "mpi", "--frames",
                                  20], variables)
            said = dict(line.split() for line in out.splitlines() if len(line.split()) == 2)
            yield {"kind": "satellite", "run": name, "frames_per_second": float(said["frames_per_second"])}


def measure(options, points):
    with tempfile.TemporaryDirectory() as folder:
        grid = Grid(options, folder)
        for point in points:
            yield from getattr(grid, point["part"])()


TABLES = [
    Table("Allgather, {mpi}, {part}, seconds", [
        Column("bytes", "bytes"), Column("plan", "plan"), Column("measured", "measured_s", ".3f"),
        Column("predicted", "predicted_s", ".3f"), Column("limit", "limit_s", ".3f")], kind="plans",
          group=["part"]),
    Crosstab(
        "Seconds of an allgather of 64 KB; rates between the first and the last site are halved after 30 s",
             [Column("second", "run")], "second", Column("", "median_s", ".3f"), kind="halved"),
    Table("Satellite images of 512 x 512 bytes, with latencies, frames a second",
          [Column("scatter and gather", "run"), Column("frames", "frames_per_second", ".2f")],
          kind="satellite")]
