"""Result files: what was measured, where, with what, and when."""

import datetime
import json
import os
import platform
import re
import shlex
import subprocess
from pathlib import Path

from driver.tables import in_lines
from shared.tutti import ROOT


def said(*command):
    """What a command prints, or nothing where there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.strip()
    except OSError:
        return ""


def first(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1).strip() if found else None


def machine():
    return {"processor": first(r"^model name\s*:(.*)",
                               Path("/proc/cpuinfo").read_text()) or platform.machine(),
            "cores": os.cpu_count(),
            "memory_MiB": int(first(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())) // 1024}


def versions():
    return {"tutti": said("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") or None,
            "openmpi": first(r"\((?:Open MPI|OpenRTE)\) (.*)", said("mpirun.openmpi", "--version")),
            "mpich": first(r"Version:\s*(.*)", said("mpirun.mpich", "--version")),
            "simgrid": first(r"SimGrid version (\S+)", said("smpirun", "-version")),
            "kernel": platform.release(),
            "distribution": platform.freedesktop_os_release().get("PRETTY_NAME")}


def caption(result):
    """Where, with what and when a result was measured, in lines of a page."""
    versions = result["versions"]
    used = {"Tutti": versions["tutti"], "Open MPI": versions["openmpi"], "MPICH": versions["mpich"],
            "SimGrid": versions["simgrid"]}
    said = [f"`{result['command']}`, {result['date'][:10]}", result["machine"]["processor"],
            f"{result['machine']['cores']} cores", versions["distribution"],
            *(f"{name} {version}" for name, version in used.items() if version)]
    if result["seed"] is not None and "--seed" not in result["command"]:
        said.insert(1, f"seed {result['seed']}")
    return in_lines(", ".join(filter(None, said)) + ".")


def begin(experiment, options, words):
    """A result without records."""
    return {"experiment": experiment,
            "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            "command": shlex.join(words), "seed": options.get("seed"), "options": options,
            "machine": machine(), "versions": versions(), "records": []}


def write(result, file):
    """Writes a result, a record a line."""
    head = [f'"{name}": {json.dumps(value, default=str)},\n' for name,
            value in result.items() if name != "records"]
    rows = ",\n".join(json.dumps(record, default=str) for record in result["records"])
    text = "{" + "".join(head) + f'"records": [\n{rows}\n]}}\n'
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(file.name + ".new")
    beside.write_text(text)
    beside.replace(file)


def read(file):
    return json.loads(Path(file).read_text())
