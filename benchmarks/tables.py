#!/usr/bin/env python3
"""The tables of docs/performance.md, from the CSV files of benchmarks/results.

tables.py              writes each table behind its line `NAME.csv`: ... <!-- table -->
tables.py --check      writes nothing; fails if the document differs from the files
tables.py --merge DIR  takes the rows of DIR/*.csv, as benchmarks/results.py writes them, in the place of those of the
                       same case, size and quantity; then writes the tables. Other cases and sizes only with --new-lines
tables.py --print DIR  prints the tables of the files in DIR

A file has a subject; a row has one number:

  commit     the version that was measured, or the one that recorded the number
  device     the GPU or processor;  date  the day
  case, size what was measured, and its elements, unknowns or processes: one line of a table
  quantity   what the number is: a type, a stage, an efficiency;  value, unit  the number
  reference  the number that it is compared with, in the same unit
  limit      what the machine allows, in the same unit

Ratios and shares of a limit are computed here, from the numbers as they stand in the files. A value that is a range
("1.3 to 1.4") is shown and not computed with.
"""
import argparse
import csv
import glob
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(TOP, "benchmarks", "results")
DOCUMENT = os.path.join(TOP, "docs", "performance.md")
MARK = "<!-- table -->"
COLUMNS = ["commit", "device", "date", "case", "size", "quantity", "value", "unit", "reference", "limit"]
TYPES = ["element_color", "element_atomic"]
TYPES += [f"{a}_{b}" for a in ("global", "shared", "local") for b in ("nz", "row")]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def ratio(x):
    """Two or three digits, without an exponent"""
    return f"{x:.0f}" if x >= 9.95 else f"{x:.1f}" if x >= 1.995 else f"{x:.2f}"


class Line:
    """The rows of a case and size"""

    def __init__(self, case, size):
        self.case, self.size, self.rows = case, size, {}

    def get(self, quantity, column="value"):
        return self.rows[quantity][column] if quantity in self.rows else ""

    def number(self, quantity, column="value"):
        return number(self.get(quantity, column))

    def ranked(self):
        """The types, the fastest first"""
        found = [t for t in TYPES if self.number(t) is not None]
        return sorted(found, key=self.number)


# ---- Cells: functions of a line that give its text


def value(quantity):
    return lambda line: line.get(quantity)


def share(quantity):
    """A number of per cent"""
    return lambda line: line.get(quantity) and line.get(quantity) + " %"


def kind(name):
    """The value of a type, in bold where it is the fastest"""
    return lambda line: f"**{line.get(name)}**" if line.ranked()[:1] == [name] else line.get(name)


def over(a, b):
    """How many times b is a; a quantity may be a function of the line that names it"""

    def text(line):
        x, y = (line.number(q(line) if callable(q) else q) for q in (a, b))
        return ratio(y / x) if x and y else ""

    return text


def of_limit(quantity, rate=False):
    def text(line):
        q = quantity(line) if callable(quantity) else quantity
        x, limit = line.number(q), line.number(q, "limit")
        return f"{100 * (x / limit if rate else limit / x):.0f} %" if x and limit else ""

    return text


def best(line):
    return (line.ranked() or [""])[0]


def second(line):
    return f"`{line.ranked()[1]}` {line.get(line.ranked()[1])}" if len(line.ranked()) > 1 else ""


def each(quantity, factor):
    """A time for each of size"""
    return lambda line: f"{factor * line.number(quantity(line)) / float(line.size):.3g}"


def milliseconds(line, quantity, factor=1e-6):
    """A time of all of size, where the unit is one for each"""
    x = line.number(quantity)
    return x if x is None or line.get(quantity, "unit") == "ms" else factor * x * float(line.size)


def total(quantity, factor):
    def text(line):
        x = milliseconds(line, quantity, factor)
        return f"{x:.3g}" if x else ""

    return text


def launches(quantity, of):
    """A time in seconds as a number of others in milliseconds"""

    def text(line):
        x, y = line.number(quantity), milliseconds(line, of)
        return f"{float(f'{1e3 * x / y:.2g}'):,.0f}" if x and y else ""

    return text


def next_best(line):
    return (line.ranked() + ["", ""])[1]


def first(*quantities):
    """The one of the quantities that was measured"""
    return lambda line: next((line.get(q) for q in quantities if line.get(q)), "")


def reference(quantity):
    return lambda line: line.get(quantity, "reference")


def gain(quantity):
    """A number over its reference"""

    def text(line):
        x, y = line.number(quantity), line.number(quantity, "reference")
        return ratio(x / y) if x and y else ""

    return text


def gained(quantity):
    """A reference over its number"""

    def text(line):
        x, y = line.number(quantity), line.number(quantity, "reference")
        return ratio(y / x) if x and y else ""

    return text


def limit(line):
    return line.get(best(line), "limit")


# ---- Tables: how a row's case, size and quantity name a line and what it has there; the line's heads; its columns


def plain(row):
    return row["case"], row["size"], row["quantity"]


def by_case(row):
    """One line a case, whatever the sizes"""
    return row["case"], None, f"{row['size']} {row['quantity']}"


def by_degree(row):
    """One line a degree: "triangles, N = 1" has its numbers beside those of quadrilaterals"""
    shape, degree = row["case"].split(", ")
    return degree, None, f"{shape} {row['quantity']}"


def named(*pairs):
    """Columns that are the values of quantities"""
    return [(head, value(quantity)) for head, quantity in pairs]


def dg(precision):
    return [(f"{precision}: GDOF/s", value(precision + " stage")), ("of the limit", share(precision + " share")),
            ("x one core", value(precision + " over one core")), ("x cuBLAS", value(precision + " over cuBLAS"))]


def corrected(quantity):
    """Of water with the correction by energy, in brackets without; without alone, where that alone was measured"""

    def text(line):
        x, y = line.get(quantity.replace(", stage", ", corrected, stage")), line.get(quantity)
        return f"{x} ({y})" if x and y else x or y

    return text


def water(shape):
    q = shape + " "
    return [(f"{shape}: right-hand side, ms", value(q + "fused")), ("x `blas`", over(q + "fused", q + "blas")),
            ("stage, ms", value(q + "stage")), ("GDOF/s", value(q + "stage rate")),
            ("of the limit", share(q + "share")), ("nonlinear, ms", corrected(q + "nonlinear, stage")),
            ("wet and dry", corrected(q + "shore, stage")),
            ("on the sphere", value(q + "sphere, corrected, stage")), ("of its limit", share(q + "sphere, corrected, share"))]


def scaled(gpus):
    return first(*(f"{gpus} {quantity}" for quantity in ("J", "stage", "trace solve")))


TABLES = {
    "jacobians": (
        plain, "space", "elements",
        [("`element_atomic`", kind("element_atomic")), ("COO", value("coo")), ("`local_row`", kind("local_row")),
         ("`global_row`", kind("global_row")), ("`shared_nz`", kind("shared_nz")), ("limit", limit),
         ("x atomic", over(best, "element_atomic")), ("x COO", over(best, "coo")), ("of the limit", of_limit(best))],
    ),
    "numbering": (
        plain, "space", "elements",
        named(("in order, ms", "in order"), ("at random", "at random"),
              ("at random, dofs along the curve", "at random, along the curve"),
              ("in order, dofs along the curve", "in order, along the curve")),
    ),
    "residuals": (
        plain, "space", "elements",
        [("`auto`", lambda line: f"`{best(line)}`"), ("ms", lambda line: line.get(best(line))),
         ("ns an element", each(best, 1e6)), ("tuned, ms", value("tuned")), ("next type, ms", second),
         ("ratio", over(best, next_best)), ("limit, ms", limit), ("of the limit", of_limit(best)),
         ("J, `auto`, ms", value("J, auto")), ("J, tuned, ms", value("J, tuned"))],
    ),
    "integration": (
        plain, "operator", "precision",
        [("TFLOP/s", value("rate")), ("of a copy", share("share")), ("best of a search", value("search")),
         ("of a copy", share("search share")), ("the paper's way", reference("search")), ("ratio", gain("search"))],
    ),
    "dg": (by_case, "equations", None, dg("double") + dg("single")),
    "water": (by_degree, "degree", None, water("triangles") + water("quadrilaterals")),
    "hdg": (
        plain, "mesh", "unknowns",
        named(("iterations", "iterations"), ("trace solve, ms", "trace solve"), ("all, ms", "total"),
              ("one core, ms", "one core"), ("x one core", "over one core"), ("with set-up, ms", "with set-up"))
        + [("x one core with its", gained("with set-up")), ("local, TFLOP/s", value("local matrices rate")),
           ("x cuBLAS", gain("local matrices rate")), ("of the limit", of_limit("local matrices rate", True)),
           ("memory, MB", value("memory"))],
    ),
    "host": (
        plain, "space", "elements",
        named(("J, ns an element", "J"), ("F, ns an element", "F"), ("J by PETSc", "PETSc J"),
              ("x PETSc", "over PETSc")),
    ),
    "setup": (
        plain, "space, type", "elements",
        named(("elements, s", "elements"), ("pattern", "pattern"), ("rest", "plan J"), ("set-up to the first J", "first J"),
              ("matrix besides", "matrix"), ("plan of F", "plan F"), ("plan of J keeps, MB", "kept"), ("takes", "most"),
              ("of it mesh, pattern", "mesh")),
    ),
    "regret": (
        plain, "space", "elements",
        named(*((f"{n:,}", f"after {n}") for n in (1, 10, 100, 1000, 10000))),
    ),
    "solution": (
        plain, "program", "local dofs",
        [("PETSc alone, s", reference("whole run")), ("with PlexGPU", value("whole run")), ("times", gained("whole run")),
         ("by -log_view: PETSc alone", reference("by -log_view")), ("with PlexGPU", value("by -log_view")),
         ("times", gained("by -log_view")), ("first run", value("first run")), ("shares of the run", value("share"))],
    ),
    "scaling": (
        by_case, "case", None,
        [("1 GPU, ms", scaled(1)), ("2 GPUs", scaled(2)), ("4 GPUs", scaled(4)),
         ("exchange on the most", first("4 J exchange", "4 exchange", "2 exchange"))]
        + [(f"efficiency of {n}", lambda line, n=n: share(f"{n} efficiency")(line)) for n in (2, 4)],
    ),
}


# Lines that the document has no room for
HIDDEN = {
    "numbering": lambda line: not line.get("at random"),
    "water": lambda line: line.case in ("N = 5", "N = 6", "N = 7", "N = 9"),
    "dg": lambda line: line.case.endswith(("= 3", "= 5", "= 7", "= 9")),
    "hdg": lambda line: line.case.endswith(("= 2", "= 4", "= 6", "= 8")),
    "scaling": lambda line: "single" in line.case or "N = 2" in line.case or "320,000" in line.case,
    "host": lambda line: line.size == "5056",
    "setup": lambda line: line.case.endswith(("global_row", "local_row")),
}


# ---- Files


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if list(row) != COLUMNS or None in row.values():
            sys.exit(f"{path}: a row needs the columns {','.join(COLUMNS)}")
    return rows


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def merged(rows, more, new_lines=True):
    """rows with those of more, each in the place of the same case, size and quantity, or at the end; and what is left"""
    key = lambda row: (row["case"], row["size"], row["quantity"])
    lines = {key(row)[:2] for row in rows}
    place = {key(row): k for k, row in enumerate(rows)}
    rows, left = list(rows), []
    for row in more:
        if key(row) in place:
            rows[place[key(row)]] = row
        elif new_lines or key(row)[:2] in lines:
            place[key(row)] = len(rows)
            rows.append(row)
        else:
            left.append(row)
    return rows, left


def lines_of(name, rows):
    """Lines in the order of the file"""
    lines = {}
    for row in rows:
        case, size, quantity = TABLES[name][0](row)
        lines.setdefault((case, size), Line(case, row["size"])).rows[quantity] = row
    return list(lines.values())


def sources(name, rows):
    """Who measured it, and when"""
    found = {}
    for row in rows:
        found.setdefault((row["device"], row["date"]), {}).setdefault(row["commit"])
    runs = [f"{device}, {date} ({', '.join(commits)})" for (device, date), commits in found.items()]
    return f"`{name}.csv`: {'; '.join(runs)}. {MARK}"


def table(name, rows):
    """The lines of a table, its source first"""
    _, case, size, columns = TABLES[name]
    heads = [case] + ([size] if size else []) + [head for head, _ in columns]
    text = [sources(name, rows), "", "| " + " | ".join(heads) + " |", "|:--|" + "--:|" * (len(heads) - 1)]
    for line in lines_of(name, rows):
        if name in HIDDEN and HIDDEN[name](line):
            continue
        cells = [line.case] + ([f"{int(line.size):,}" if line.size.isdigit() else line.size] if size else [])
        text.append("| " + " | ".join(cells + [cell(line) for _, cell in columns]) + " |")
    return text


def document(text, folder):
    """The document with its tables made anew: each is a line that ends in the mark, a blank line, and the table"""
    out, seen, inside = [], set(), False
    for line in text.split("\n"):
        if inside and (not line or line.startswith("|")):
            continue
        if inside:
            out.append("")
        inside = line.endswith(MARK)
        if inside:
            name = line[1:].split(".csv")[0]
            if name not in TABLES:
                sys.exit(f"There is no table {name}; there are {', '.join(TABLES)}")
            seen.add(name)
            out += table(name, read(os.path.join(folder, name + ".csv")))
        else:
            out.append(line)
    if inside:
        out.append("")
    missing = [n for n in TABLES if n not in seen]
    if missing:
        sys.exit(f"The document has no place for {', '.join(missing)}")
    return "\n".join(out)


def merge(folder, new_lines):
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        name = os.path.basename(path)[:-4]
        if name not in TABLES:
            sys.exit(f"{path} is of no table; there are {', '.join(TABLES)}")
        more = read(path)
        if any(row["device"] == "emulate" for row in more):
            sys.exit(f"{path}: times of the backend emulate are no measurement")
        kept = os.path.join(RESULTS, name + ".csv")
        rows, left = merged(read(kept) if os.path.exists(kept) else [], more, new_lines)
        write(kept, rows)
        print(f"{kept}: {len(more) - len(left)} of {len(more)} rows of {path}")
        for case, size in dict.fromkeys((row["case"], row["size"]) for row in left):
            print(f"  left out, as the table has no such line: {case}, {size}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--merge", metavar="DIR")
    parser.add_argument("--new-lines", action="store_true", help="with --merge: also cases and sizes that are new")
    parser.add_argument("--print", metavar="DIR", dest="shown")
    parser.add_argument("--document", default=DOCUMENT, help="default: docs/performance.md")
    arguments = parser.parse_args()
    if arguments.shown:
        for name in TABLES:
            path = os.path.join(arguments.shown, name + ".csv")
            if os.path.exists(path):
                print("\n".join(table(name, read(path))) + "\n")
        return
    if arguments.merge:
        merge(arguments.merge, arguments.new_lines)
    with open(arguments.document) as file:
        old = file.read()
    new = document(old, RESULTS)
    if arguments.check and new != old:
        for k, (a, b) in enumerate(zip(old.split("\n"), new.split("\n"))):
            if a != b:
                where = f"{arguments.document}, line {k + 1}"
                sys.exit(f"{where}, differs from benchmarks/results; run benchmarks/tables.py\n- {a}\n+ {b}")
        sys.exit(f"{arguments.document} has more or fewer lines than benchmarks/results give; run benchmarks/tables.py")
    if not arguments.check and new != old:
        with open(arguments.document, "w") as file:
            file.write(new)


if __name__ == "__main__":
    main()
