"""Tables of records, in Markdown."""

import textwrap
from typing import Any, NamedTuple


def in_lines(text):
    """A text in lines as wide as a page's."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


class Column(NamedTuple):
    heading: str
    value: Any        # a field of records, or a function of a record
    format: str = ""

    def of(self, record):
        return self.value(record) if callable(self.value) else record.get(self.value)

    def cell(self, record):
        """The text, and whether it is a number's. Words stand for what there is no number of."""
        value = self.of(record)
        if value is None or isinstance(value, str):
            return value or "", False
        return format(value, self.format), True


def by_fields(records, fields):
    """Records that have the same values of these fields, in the order in which they first come."""
    groups = {}
    for record in records:
        groups.setdefault(tuple(record.get(field) for field in fields), []).append(record)
    return groups


def markdown(columns, rows, padded):
    """Lines of a table; padded so that columns are straight on a terminal."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    right = [any(is_number for _, is_number in column) for column in zip(*cells)]
    lines = [[column.heading for column in columns], *([text for text, _ in row] for row in cells)]
    widths = [max(3, *map(len, column)) if padded else 3 for column in zip(*lines)]
    if padded:
        lines = [[text.rjust(width) if of_numbers else text.ljust(width)
                  for text, width, of_numbers in zip(line, widths, right)] for line in lines]
    lines.insert(1, ["-" * width for width in widths])
    return ["| " + " | ".join(line) + " |" for line in lines]


class Table:
    """A table, or one for each combination of the fields in `group`, of all records of a kind.

    The title is a format of the options and of what the records of a table have in common. `rows` makes
    rows of records where they are not the same; `notes` says in lines of text what follows from records."""

    def __init__(self, title, columns, *, kind=None, group=(), rows=None, notes=None):
        self.title, self.columns, self.kind, self.group = title, columns, kind, group
        self.rows, self.notes = rows, notes

    def layout(self, records):
        """Columns and rows."""
        return self.columns, self.rows(records) if self.rows else records

    def groups(self, result):
        """(title, records) of each table."""
        records = [record for record in result["records"] if record.get("kind") == self.kind]
        for of_group in by_fields(records, self.group).values():
            yield self.title.format_map({**result["options"], **of_group[0]}), of_group

    def render(self, result, padded):
        for title, records in self.groups(result):
            notes = [in_lines(note) for note in self.notes(records)] if self.notes else []
            yield "\n".join([in_lines(title), "", *markdown(*self.layout(records), padded),
                             *(["", *notes] if notes else [])])


class Crosstab(Table):
    """A row for each combination of `by`, a column for each value of the field `across`."""

    def __init__(self, title, by, across, cell, heading="{}", **more):
        super().__init__(title, by, **more)
        self.across, self.cell, self.heading = across, cell, heading

    def layout(self, records):
        records = self.rows(records) if self.rows else records
        values = dict.fromkeys(record[self.across] for record in records)
        rows = {}
        for record in records:
            row = rows.setdefault(tuple(column.of(record) for column in self.columns), (record, {}))
            row[1][record[self.across]] = record
        fixed = [Column(column.heading, lambda row, column=column: column.of(row[0]), column.format)
                 for column in self.columns]
        # What a run that was ended lacks is an empty cell.
        crossed = [Column(self.heading.format(value), lambda row,
                          value=value: self.cell.of(row[1][value]) if value in row[1] else None,
                          self.cell.format) for value in values]
        return [*fixed, *crossed], rows.values()


def render(tables, result, padded=False):
    """The text of all tables of a result."""
    return "\n\n".join(text for table in tables for text in table.render(result, padded))
