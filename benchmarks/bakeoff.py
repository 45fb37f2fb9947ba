#!/usr/bin/env python3
"""CEED's bake-off problems, from the files of `benchmarks/bakeoff -csv`.

bakeoff.py [-o FOLDER] FILE...     tables, and with -o figures:
  bakeoff-degree.png  dofs times iterations of CG a second against the degree, of each problem's largest size
  bakeoff-size.png    the same against dofs, a panel a problem, where there are several sizes
Tables of the numbers drawn go to the output, with those of products alone and their share of a copy's rate. A later line for the same case
takes an earlier one's place.
"""
import argparse
import csv
import os

TEXT = ["problem", "backend"]
KEYS = ["backend", "problem", "degree", "dofs"]


def read(paths):
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                row = {k: v if k in TEXT else float(v) for k, v in row.items()}
                rows[tuple(row[k] for k in KEYS)] = row
    return [rows[k] for k in sorted(rows)]


def largest(rows):
    """{degree: row} of most dofs"""
    return {row["degree"]: row for row in sorted(rows, key=lambda r: r["dofs"])}


def share(row):
    return row["product_bytes"] * row["product_rate"] / row["dofs"] / row["copy_rate"]


def table(problems, backend):
    degrees = sorted({row["degree"] for rows in problems.values() for row in rows})
    print(f"\nGDOF/s of CG, of products, and their share of a copy; {backend}\n")
    print("| problem | " + " | ".join(f"p = {d:.0f}" for d in degrees) + " |\n|---|" + "--:|" * len(degrees))
    for problem, rows in sorted(problems.items()):
        best = largest(rows)
        cells = [f"{1e-9 * best[d]['rate']:.3g}, {1e-9 * best[d]['product_rate']:.3g}, {100 * share(best[d]):.0f} %" if d in best else "" for d in degrees]
        print(f"| {problem} | " + " | ".join(cells) + " |")


def draw(problems, backend, folder):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from dgfigures import curves, save

    rate = "dofs x CG iterations / s, 1e9"
    figure, axes = plt.subplots(figsize=(6, 4))
    curves(axes, {p: {d: 1e-9 * row["rate"] for d, row in largest(rows).items()} for p, rows in sorted(problems.items())}, "degree p", rate)
    axes.set_ylim(0)
    save(figure, folder, "bakeoff-degree.png", f"CEED's bake-off problems, the largest meshes, {backend}")
    series = {}
    for problem, rows in sorted(problems.items()):
        degrees = {}
        for row in rows:
            degrees.setdefault(row["degree"], {})[row["dofs"]] = 1e-9 * row["rate"]
        degrees = {f"p = {d:.0f}": values for d, values in sorted(degrees.items()) if len(values) > 1}
        if degrees:
            series[problem] = degrees
    if not series:
        return
    figure, panels = plt.subplots(1, len(series), figsize=(1 + 3 * len(series), 3.5), sharey=True, squeeze=False)
    for axes, (problem, degrees) in zip(panels[0], series.items()):
        curves(axes, degrees, "dofs", rate if axes is panels[0][0] else "", log=True)
        axes.set_title(problem, fontsize=9)
    save(figure, folder, "bakeoff-size.png", f"CEED's bake-off problems against size, {backend}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="folder", help="for the figures; without it there are tables alone")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    if args.folder:
        os.makedirs(args.folder, exist_ok=True)
    rows = read(args.files)
    for backend in sorted({row["backend"] for row in rows}):
        problems = {}
        for row in rows:
            if row["backend"] == backend:
                problems.setdefault(row["problem"], []).append(row)
        table(problems, backend)
        if args.folder:
            draw(problems, backend, args.folder)


if __name__ == "__main__":
    main()
