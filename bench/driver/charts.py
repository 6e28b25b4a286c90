"""Charts of records, drawn by gnuplot."""

import subprocess

from driver.tables import Table, by_fields


def gnuplot(file, title, script, height=480):
    file.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gnuplot"], check=True, text=True, input=f"""
set terminal svg size 800,{height} background "white"
set output "{file}"
set title "{title}" noenhanced
{script}
""")


class Chart(Table):
    """An SVG file for each group of records, named as the title is up to a colon."""

    def __init__(self, title, **more):
        super().__init__(title, [], **more)

    def draw(self, result, folder):
        for title, records in self.groups(result):
            name = title.split(":")[0].replace(", ", "-").replace(" ", "-")
            self.draw_one(folder / f"{name}.svg", title, self.rows(records) if self.rows else records)


class Curves(Chart):
    """A curve for each value of the field `curve`."""

    def __init__(self, title, x, y, curve, labels, style="linespoints", settings="", **more):
        super().__init__(title, **more)
        self.x, self.y, self.curve, self.labels = x, y, curve, labels
        self.style, self.settings = style, settings

    def draw_one(self, file, title, records):
        curves = by_fields([record for record in records if record.get(self.y) is not None], [self.curve])
        data = "".join(f"$curve{i} << END\n" + "".join(f"{r[self.x]} {r[self.y]}\n" for r in points) + "END\n"
                       for i, points in enumerate(curves.values()))
        lines = ", ".join(f'$curve{i} with {self.style} title "{name}" noenhanced' for i,
                          (name,) in enumerate(curves))
        gnuplot(file, title, f"""
set xlabel "{self.labels[0]}"
set ylabel "{self.labels[1]}"
set key outside
set grid
{self.settings}
{data}
plot {lines}""")


class Bars(Chart):
    """Bars of the field `mean`, with `least` and `most` as whiskers."""

    def __init__(self, title, label, unit, **more):
        super().__init__(title, **more)
        self.label, self.unit = label, unit

    def draw_one(self, file, title, records):
        data = "\n".join(f"{r[self.label]} {r['mean']} {r['least']} {r['most']}" for r in records)
        gnuplot(file, title, f"""
set ylabel "{self.unit}"
set style fill solid 0.6
set boxwidth 0.6
set grid ytics
set xtics rotate by -45
$data << END
{data}
END
plot $data using 0:2:xtic(1) with boxes lc rgb "#4477aa" title "mean", \\
     $data using 0:2:3:4 with yerrorbars lc rgb "black" pt 0 title "least to most"
""", 360)
