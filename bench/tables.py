"""Tables of records, and how their figures look."""

from collections import namedtuple

# The records are dictionaries; a column shows what they have under `key`, or "-".
Table = namedtuple("Table", "title note columns records")
Column = namedtuple("Column", "heading key show")


def words(text):
    return text


def significant(number):
    """Three digits, never in the notation with an exponent."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def whole(number):
    return f"{number:,.0f}"


def percent(share):
    return f"{100 * share:.0f} %"


def readable_bytes(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def cell(column, record):
    value = record.get(column.key)
    return "-" if value is None else column.show(value)


def print_table(table):
    lines = [[column.heading for column in table.columns]]
    lines += [[cell(column, record) for column in table.columns] for record in table.records]
    widths = [max(map(len, texts)) for texts in zip(*lines)]
    print(f"\n{table.title}\n{table.note}\n")
    for line in lines:
        aligned = [
            text.ljust(width) if column.show is words else text.rjust(width)
            for column, text, width in zip(table.columns, line, widths)
        ]
        print("  ".join(aligned).rstrip(), flush=True)
