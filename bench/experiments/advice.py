"""What `tutti advise` says of three programs on emulated hosts, beside what they gain.

Quantum ESPRESSO, and the Jacobi iteration in two variants, lengths and sizes drawn at random. Each
is profiled natively; then `tutti tune --for` tunes what the profile says; advice on the profile by
prices alone, and by the table; then the program runs natively and under the table in turn. Times
are those of whole runs, from MPI_Init to MPI_Finalize. Needs root."""

import contextlib
import statistics
import tempfile
from pathlib import Path
from random import Random

from driver.options import ONLY, SEED, budget, is_named, option
from driver.tables import Column, Table
from shared.emulation import Emulated
from shared.figures import take_turns
from shared.programs import silicon
from shared.tutti import BUILD, tutti_json

# Share of a run below which it says nothing how many times as much is gained.
LEAST = 0.01
OPTIONS = [ONLY, budget("100s", "time for tuning each"),
           option("--pairs", type=int, default=5, help="number of pairs of runs, native and tuned"),
           option("--keep", type=Path, metavar="FOLDER", help="folder where profiles and tables are kept"),
           SEED]


def points(options):
    random = Random(options.seed)
    steps, cutoff = random.randrange(10, 20), random.randrange(16, 32)
    found = [{"name": f"Quantum ESPRESSO, silicon, {steps} steps, {cutoff} Ry, two pools", "hosts": 8,
              "silicon": [steps, cutoff, 2]}]
    for variant in ("columns-allreduce", "columns-reduce"):
        size = 16 * random.randrange(128, 640)
        found.append({"name": f"jacobi {variant} {size}", "hosts": 16,
                      "jacobi": ["--variant", variant, "--size", size, "--iterations", 150]})
    return [point for point in found if is_named(point["name"], options.only)]


def advised(profile, *sources):
    """The shares of the run that would be saved: about so much, at least and at most."""
    advice = tutti_json("advise", profile, *sources)
    return [sum(calls[bound] for calls in advice["calls"]) / advice["seconds"]
            for bound in ("saves_about_s", "saves_at_least_s", "saves_at_most_s")]


def measure(options, points):
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    for point in points:
        cluster = Emulated("openmpi", point["hosts"])
        with tempfile.TemporaryDirectory() as scratch:
            folder = options.keep.resolve() if options.keep else Path(scratch)
            stem = point["name"].split(",")[0].replace(" ", "-")
            profile, table, network = (folder / f"{stem}-{kind}.json" for kind in ("profile", "table",
                                                                                   "network"))
            with contextlib.chdir(scratch):
                program = (silicon(*point["silicon"]) if "silicon" in point else
                           [BUILD / "bin/jacobi-openmpi", *point["jacobi"]])
                cluster.profile(program, profile)
                cluster.run("probe", "-o", network, "--budget", "10s")
                by_prices = advised(profile, "--network", network)
                cluster.run("tune", "--for", profile, "--budget", options.budget, "-o", table)
                by_table = advised(profile, "--table", table)
                runs = take_turns(options.pairs, {"native": None, "tuned": table},
                                  lambda under: cluster.profile(program, Path(scratch) / "run.json",
                                                                under)["seconds"])
        yield {"program": point["name"], "by_prices": by_prices, "by_table": by_table,
               "measured": [1 - tuned / native for native, tuned in zip(runs["native"], runs["tuned"])]}


def percent(about, least, most):
    return f"{100 * about:.1f} ({100 * least:.1f}-{100 * most:.1f})"


def gain(record):
    measured = record["measured"]
    return percent(statistics.median(measured), min(measured), max(measured))


TABLES = [
    Table("Tuned for {budget}, {pairs} pairs; % of the run that is saved, at least and at most in brackets", [
    Column("program", "program"), Column("by prices", lambda r: percent(*r["by_prices"])),
    Column("by the table", lambda r: percent(*r["by_table"])), Column("measured", gain),
    Column("measured / by the table",
           lambda r: statistics.median(r["measured"]) / r["by_table"][0] if r["by_table"][0] > LEAST else None,
           ".2f")])]
