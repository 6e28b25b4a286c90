"""Pages that show the tables of result files."""

import re

SHOWN = re.compile(r"(<!-- tables of (\S+) -->\n).*?(<!-- end of tables -->)", re.DOTALL)


def files(page):
    """The result files whose tables a page shows."""
    return [page.parent / found[2] for found in SHOWN.finditer(page.read_text())]


def written(page, tables_of):
    """The page's text with the tables of its result files as `tables_of(file)` has them now."""
    return SHOWN.sub(lambda found: f"{found[1]}\n{tables_of(page.parent / found[2])}\n\n{found[3]}",
                     page.read_text())


def write(page, tables_of):
    page.write_text(written(page, tables_of))
