#!/usr/bin/env python3
"""Table and picture of the convergence in a cavity, from files that benchmarks/maxwell_convergence writes with -csv.

maxwell_convergence.py FILE.csv... [-o FOLDER]
  maxwell-convergence.png   relative error over h = (volume/K)^(1/3), a line a degree, for each precision; slopes N + 1 dotted
The table, of all files together, goes to the output: a line a degree and precision with the empirical order of convergence, the slope of the line
that fits best.
"""
import argparse
import csv
import math
import os


def read(paths):
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                rows[row["precision"], int(row["degree"]), int(row["elements"])] = {k: float(row[k]) for k in ("h", "error", "seconds", "values")}
    if not rows:
        raise SystemExit(f"There are no rows in {' '.join(paths)}")
    return rows


def slope(points):
    """Of the straight line nearest to log error over log h"""
    x, y = zip(*((math.log(p["h"]), math.log(p["error"])) for p in points))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def table(rows):
    elements = sorted({key[2] for key in rows})
    print("| precision | N | " + " | ".join(f"{n:,}" for n in elements) + " | EOC | s |\n|:--|" + "--:|" * (len(elements) + 3))
    for precision, degree in sorted({key[:2] for key in rows}, key=lambda key: (key[0] != "single", key[1])):
        points = [rows.get((precision, degree, n)) for n in elements]
        there = [p for p in points if p]
        order = f"{slope(there):.2f}" if len(there) > 1 else ""
        print(f"| {precision} | {degree} | " + " | ".join(f"{p['error']:.2e}" if p else "" for p in points) + f" | {order} | {sum(p['seconds'] for p in there):.3g} |")


def picture(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    precisions = sorted({key[0] for key in rows}, reverse=True)
    figure, axes = plt.subplots(1, len(precisions), figsize=(1 + 4.5 * len(precisions), 5.5), sharey=True, squeeze=False)
    for a, precision in zip(axes[0], precisions):
        for degree in sorted({key[1] for key in rows if key[0] == precision}):
            points = sorted((p for key, p in rows.items() if key[:2] == (precision, degree)), key=lambda p: p["h"])
            h, error = [p["h"] for p in points], [p["error"] for p in points]
            (line,) = a.loglog(h, error, "o-", markersize=4, label=f"N = {degree}")
            a.loglog(h, [error[-1] * (x / h[-1]) ** (degree + 1) for x in h], ":", color=line.get_color(), linewidth=1)
        a.set_xlabel("h")
        a.set_title(f"{precision} precision")
        a.grid(alpha=0.3, which="both")
        a.legend(fontsize=8, loc="lower right")
    axes[0][0].set_ylabel("relative error in L2")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    print(f"\nWrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", default=".")
    options = parser.parse_args()
    rows = read(options.files)
    table(rows)
    picture(rows, os.path.join(options.output, "maxwell-convergence.png"))


if __name__ == "__main__":
    main()
