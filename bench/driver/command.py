"""The commands bench/run and bench/table."""

import argparse
import importlib
import json
import shutil
import sys
import time
from pathlib import Path

from driver import pages, results, tables, watch
from driver.progress import in_words, progress

BENCH = Path(__file__).resolve().parents[1]
SAVED = 5  # seconds between two writings of a result file


def names():
    return sorted(file.stem.replace("_", "-") for file in (BENCH / "experiments").glob("[a-z]*.py"))


def experiment(name):
    return importlib.import_module(f"experiments.{name.replace('-', '_')}")


def parser():
    raw = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    whole = argparse.ArgumentParser(
        prog="bench/run", **raw,
        description="Runs an experiment, prints its tables, and writes a result file, of\n"
        "which bench/table makes the tables again.",
        epilog="bench/run NAME --help says what an experiment measures, and its options.")
    chosen = whole.add_subparsers(dest="name", metavar="NAME", required=True, title="experiments")
    for name in names():
        declared = experiment(name)
        sentence = declared.__doc__.partition("\n")[0]
        own = chosen.add_parser(name, description=declared.__doc__, help=sentence, **raw)
        for words, settings in declared.OPTIONS:
            own.add_argument(*words, **settings)
        add_charts(own, declared)
        own.add_argument("--output", type=Path, metavar="FILE",
                         help="result file (default: bench/results/NAME-DATE-TIME.json)")
        own.add_argument("--dry", action="store_true",
                         help="print what would be measured, and measure nothing")
    return whole


def add_charts(parser, declared):
    if hasattr(declared, "CHARTS"):
        parser.add_argument("--charts", type=Path, metavar="FOLDER",
                            help="folder for charts (SVG, by gnuplot)")


def draw(declared, result, charts):
    if charts:
        needs_gnuplot()
        for chart in declared.CHARTS:
            chart.draw(result, charts)


def needs_gnuplot():
    if not shutil.which("gnuplot"):
        sys.exit("--charts needs gnuplot (Debian: gnuplot-nox)")


def measured(declared, options, points, result, file):
    """Adds records to the result and writes it: before the first one, so that a file that can't be
    written is known at once, now and then, and whole in the end."""
    results.write(result, file)
    saved = time.monotonic()
    try:
        for record in declared.measure(argparse.Namespace(**options), points):
            result["records"].append(record)
            progress(in_words(record))
            if time.monotonic() - saved > SAVED:
                results.write(result, file)
                saved = time.monotonic()
    finally:
        results.write(result, file)


def run():
    options = vars(parser().parse_args())
    name, file, dry = options.pop("name"), options.pop("output"), options.pop("dry")
    declared, charts = experiment(name), options.get("charts")
    if charts:
        needs_gnuplot()
    points = declared.points(argparse.Namespace(**options))
    shown = ", ".join(f"{key} {value}" for key, value in options.items() if value is not None)
    if dry:
        print(f"{name}: {len(points)} points; {shown}")
        for point in points:
            print(json.dumps(point))
        return
    watch.watched()
    result = results.begin(name, options, ["bench/run", *sys.argv[1:]])
    file = file or BENCH / f"results/{name}-{time.strftime('%Y%m%d-%H%M%S')}.json"
    progress(f"{name}: {len(points)} points; {shown}")
    try:
        measured(declared, options, points, result, file.absolute())
    except KeyboardInterrupt:
        if watch.told is None:
            raise
    progress(f"{'interrupted; ' if watch.told else ''}result file: {file}")
    print(tables.render(declared.TABLES, result, padded=True), flush=True)
    if watch.told is None:
        draw(declared, result, charts)
    sys.exit(128 + watch.told if watch.told else 0)


def of_result(result):
    """A result's tables as pages show them: below its caption, in Markdown."""
    return f"{results.caption(result)}\n\n{tables.render(experiment(result['experiment']).TABLES, result)}"


def in_page(file):
    """The tables of a result file."""
    return of_result(results.read(file))


def print_tables():
    line = argparse.ArgumentParser(
        prog="bench/table",
        description="Prints the tables of result files in Markdown, or writes them into a page anew.",
        epilog="A page shows a file's tables between the lines <!-- tables of FILE --> and\n"
        "<!-- end of tables -->; FILE is found from the page's folder.", formatter_class=argparse.
        RawDescriptionHelpFormatter)
    line.add_argument("files", nargs="*", metavar="FILE", help="result files, as bench/run writes them")
    line.add_argument("--page", type=Path, metavar="FILE", help="page whose tables are written anew")
    line.add_argument("--charts", type=Path, metavar="FOLDER", help="folder for charts (SVG, by gnuplot)")
    options = line.parse_args()
    if options.page:
        pages.write(options.page, in_page)
    for file in options.files:
        result = results.read(file)
        declared = experiment(result["experiment"])
        print(of_result(result) + "\n")
        draw(declared, result, options.charts if hasattr(declared, "CHARTS") else None)
