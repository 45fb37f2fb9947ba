#!/usr/bin/env python3
"""Figures of integration alone, after those of Knepley and Terrel (2011), from the rows of `benchmarks/integration -mode figures -csv FILE`.

integration.py FILE... [-o FOLDER] [-precision single]
    integration-1.png   GF/s over the number of elements, both operators (their figure 1)
    integration-2.png   by element batch, elasticity (2)
    integration-3.png   by interleaved stores, without and with unrolled loops, Laplacian (3)
    integration-4.png   over the elements that a block computes side by side
"""
import argparse
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TITLES = {"laplacian": "3D P1 Laplacian", "elasticity": "2D P1 elasticity"}
WAYS = {"1 the paper's scheme": "the paper's scheme", "1 16 bytes a thread": "16 bytes a thread", "1 a thread an element": "a thread an element"}


def read(paths, precision):
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            rows += [row for row in csv.DictReader(file) if row["mode"] == "figures" and row["precision"] == precision]
    if not rows:
        raise SystemExit(f"There are no rows of -mode figures in {precision} precision in {' '.join(paths)}")
    for row in rows:
        row["gflops"] = 1e-9 * float(row["flops"]) / float(row["seconds"])
        for name in "elements", "element_batch", "concurrent_elements", "interleave_stores", "unroll":
            row[name] = int(row[name])
    return rows


def line(axes, rows, x, label, style):
    rows = sorted(rows, key=lambda row: row[x])
    if rows:
        axes.plot([row[x] for row in rows], [row["gflops"] for row in rows], style, label=label, markersize=4)


def finish(figure, axes, path, x):
    for a in axes:
        a.set_xscale("log", base=2 if x != "elements" else 10)
        a.set_xlabel({"elements": "elements", "concurrent_elements": "concurrent elements"}[x])
        a.set_ylim(bottom=0)
        a.grid(alpha=0.3)
        a.legend(fontsize=8)
    axes[0].set_ylabel("GF/s")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"Wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", default=".")
    parser.add_argument("-precision", default="single", choices=["single", "double"])
    options = parser.parse_args()
    rows = read(options.files, options.precision)
    where = f"{rows[0]['backend']}, {options.precision} precision"
    path = lambda k: os.path.join(options.output, f"integration-{k}.png")

    figure, axes = plt.subplots(figsize=(7, 4.5))
    for form, style in (("laplacian", "-"), ("elasticity", "--")):
        for way, mark in zip(WAYS, "os^"):
            line(axes, [r for r in rows if r["series"] == way and r["form"] == form], "elements", f"{TITLES[form]}, {WAYS[way]}", mark + style)
    axes.set_title(f"Element integration ({where})")
    finish(figure, [axes], path(1), "elements")

    figure, axes = plt.subplots(figsize=(7, 4.5))
    for batch in sorted({r["element_batch"] for r in rows if r["series"] == "2"}):
        line(axes, [r for r in rows if r["series"] == "2" and r["element_batch"] == batch], "elements", f"batch {batch}", "o-")
    axes.set_title(f"{TITLES['elasticity']}: elements a batch ({where})")
    finish(figure, [axes], path(2), "elements")

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True)
    for a, unroll in zip(axes, (0, 1)):
        for interleave in (0, 1):
            line(a, [r for r in rows if r["series"] == "3" and r["unroll"] == unroll and r["interleave_stores"] == interleave], "elements", "interleaved stores" if interleave else "stores at the end of a batch", "o-" if interleave else "s--")
        a.set_title(f"{TITLES['laplacian']}, {'loops unrolled' if unroll else 'loops not unrolled'} ({where})", fontsize=9)
    finish(figure, list(axes), path(3), "elements")

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True)
    for a, form in zip(axes, TITLES):
        for unroll in (0, 1):
            for interleave in (0, 1):
                chosen = [r for r in rows if r["series"] == "4" and r["form"] == form and r["unroll"] == unroll and r["interleave_stores"] == interleave]
                line(a, chosen, "concurrent_elements", f"{'interleaved' if interleave else 'at the end'}, {'unrolled' if unroll else 'loops'}", ("o" if interleave else "s") + ("-" if unroll else "--"))
        a.set_title(f"{TITLES[form]} ({where})", fontsize=9)
    finish(figure, list(axes), path(4), "concurrent_elements")


if __name__ == "__main__":
    main()
