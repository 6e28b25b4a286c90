"""Charts of curves by gnuplot, for the benchmarks beside it."""

import subprocess


def plot(file, title, x, y, curves, style="linespoints", settings=""):
    """Writes an SVG file of curves, each a name and its points."""
    data = "".join(f"$curve{i} << END\n" + "".join(f"{a} {b}\n" for a, b in points) + "END\n"
                   for i, (_, points) in enumerate(curves))
    lines = ", ".join(f'$curve{i} with {style} title "{name}" noenhanced' for i, (name, _) in enumerate(curves))
    subprocess.run(["gnuplot"], check=True, text=True, input=f"""
set terminal svg size 800,480 background "white"
set output "{file}"
set title "{title}" noenhanced
set xlabel "{x}"
set ylabel "{y}"
set key outside
set grid
{settings}
{data}
plot {lines}
""")
