#!/usr/bin/env python3
"""Figures of what -plex_assembly_tune has measured, and the constants of the cost model.

tuning.py ARCHIVE... [-o FOLDER]   figures, after those of Cecka, Lew and Darve (2011): time by type against the size of the mesh (their
                                   figure 12), against the order of the elements (13), and against sizes of blocks, teams and partitions (14)
tuning.py --fit TERMS.csv          the lines of cuda/models/nvidia-h200.txt, fitted to what `benchmarks/model -terms TERMS.csv` writes

Of several results for one device, problem and mesh in different archives the last one counts. Types are drawn at their own sizes, the best
of them at all sizes in the last figure.
"""
import argparse
import csv
import itertools
import os
import sys

import numpy as np

import archive

TYPES = ["element_color", "element_atomic", "global_nz", "global_row", "shared_nz", "shared_row", "local_nz", "local_row"]
SIZES = [("block", "threads a block"), ("team", "threads an element"), ("partition", "elements a partition")]
MEASURED = 0  # PlexCandidateState
KINDS = ["residual", "quadrature", "tensors", "symmetry", "sumfactor", "edges", "partial", "runs"]  # PLEX_MODEL_KINDS


class Result:
    """A block of the archive: a mesh of a problem, with its table of candidates"""

    def __init__(self, block):
        self.__dict__.update(block.__dict__)
        table = block.tables["candidates"]
        both = [(table["seconds"][:, k] > 0) for k in range(2) if int(self.products) >> k & 1]  # what fails for one product is no way for both
        self.candidates = table[(table["state"] == MEASURED) & np.all(both, axis=0)]

    def problem(self):
        return (self.device, self.backend, self.precision, self.cell, self.space, self.form, self.fixed)

    def family(self):
        """Of meshes and orders that belong in one figure"""
        return (self.device, self.backend, self.precision, self.form, self.fixed)

    def times(self):
        """Seconds of residual and Jacobian together, by type and integration, at the types' own sizes"""
        own = {}
        for c in self.candidates:
            if not any(c[size] for size, _ in SIZES):
                own[(str(c["type"]), str(c["integration"]))] = float(c["seconds"].sum())
        return own


def read(paths):
    results = {}
    for path in paths:
        for block in archive.read(path, "problem-"):  # nodal DG's are there, too
            r = Result(block)
            if len(r.times()) > 1:  # there was something to choose
                results[r.problem() + (r.mesh_key,)] = r
    return list(results.values())


def grouped(results, key):
    groups = {}
    for r in results:
        groups.setdefault(key(r), []).append(r)
    return groups


def label(key):
    return key[0] if key[1] == "quadrature" else f"{key[0]}, {key[1]}"


def style(key):
    place = TYPES.index(key[0]) if key[0] in TYPES else len(TYPES)
    return dict(color=f"C{place}", marker="os^v<>DPX"[place], linestyle="-" if key[1] == "quadrature" else "--", markersize=4, linewidth=1.2)


def draw(axes, results, x, y):
    """A line for each type: y(result, seconds) against x(result)"""
    keys = sorted({key for r in results for key in r.times()}, key=lambda k: (TYPES.index(k[0]) if k[0] in TYPES else len(TYPES), k))
    for key in keys:
        points = sorted((x(r), y(r, r.times()[key])) for r in results if key in r.times())
        axes.loglog(*zip(*points), label=label(key), **style(key))
    axes.grid(True, which="major", linewidth=0.4)


def figure(plots, columns, path, title, rows=1):
    """plots: functions that draw into axes each"""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = min(columns, len(plots))
    rows = (len(plots) + columns - 1) // columns
    fig, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.8 * rows), squeeze=False)
    for plot, ax in itertools.zip_longest(plots, axes.flat):
        plot(ax) if plot else ax.set_visible(False)
    lines = {}
    for ax in axes.flat:
        lines.update(zip(*reversed(ax.get_legend_handles_labels())))
    fig.legend(lines.values(), lines.keys(), loc="lower center", ncol=4, fontsize=8)
    fig.suptitle(title, fontsize=10)
    fig.tight_layout(rect=(0, 0.04 + 0.06 / rows, 1, 0.98))
    fig.savefig(path, dpi=150)
    plt.close(fig)
    print(f"Wrote {path}")


def against_size(results):
    plots = []
    for problem, meshes in grouped(results, Result.problem).items():
        if len({r.elements for r in meshes}) < 2:
            continue

        def plot(ax, meshes=meshes):
            draw(ax, meshes, lambda r: r.elements, lambda r, s: 1e3 * s)
            ax.set(xlabel="elements", ylabel="Jacobian and residual, ms", title=f"{meshes[0].cell}, order {meshes[0].degree:.0f}")

        plots.append(plot)
    return plots


def against_order(results):
    plots = []
    for (cell, *_), meshes in grouped(results, lambda r: (r.cell,) + r.family()).items():
        largest = {}  # of each order
        for r in sorted(meshes, key=lambda r: r.elements):
            largest[r.degree] = r
        if len(largest) < 2:
            continue

        def plot(ax, cell=cell, meshes=list(largest.values())):
            draw(ax, meshes, lambda r: r.degree, lambda r, s: 1e9 * s / r.elements)
            ax.set(xlabel="order", ylabel="ns an element", title=cell, xscale="linear", xticks=[r.degree for r in meshes])

        plots.append(plot)
    return plots


def against_block(results):
    """Candidates that differ in one size from another one of the same type"""
    plots = []
    for r in results:
        for size, words in SIZES:
            others = [name for name, _ in SIZES if name != size]
            lines = {}
            for c in r.candidates:
                key = (str(c["type"]), str(c["integration"])) + tuple(int(c[name]) for name in others)
                lines.setdefault(key, []).append((int(c[size]), 1e3 * float(c["seconds"].sum())))
            lines = {key: sorted(points) for key, points in lines.items() if sum(p[0] > 0 for p in points) > 1}
            if not lines:
                continue

            def plot(ax, r=r, lines=lines, words=words):
                for key, points in lines.items():
                    sized = [p for p in points if p[0]]
                    ax.loglog(*zip(*sized), label=label(key), **style(key))
                    if not points[0][0]:
                        ax.axhline(points[0][1], color=style(key)["color"], linewidth=0.7, linestyle=":")  # the type's own choice
                ax.set(xlabel=words, ylabel="Jacobian and residual, ms", title=f"{r.cell}, order {r.degree:.0f}, {r.elements:.3g} elements")
                ax.set_xscale("log", base=2)
                ax.grid(True, which="major", linewidth=0.4)

            plots.append(plot)
    return plots


def figures(paths, folder):
    results = read(paths)
    if not results:
        sys.exit("There are no results with several types in " + ", ".join(paths))
    os.makedirs(folder, exist_ok=True)
    for k, ((device, backend, precision, form, fixed), family) in enumerate(grouped(results, Result.family).items()):
        title = f"{device} ({backend}), {precision} precision{', ' + fixed if fixed else ''}\n{form[:100]}"
        suffix = f"-{k + 1}" if k else ""
        for name, make in (("size", against_size), ("order", against_order), ("block", against_block)):
            plots = make(family)
            if plots:
                figure(plots, 3, os.path.join(folder, f"tuning-{name}{suffix}.png"), title)
            else:
                print(f"No figure against {name} for {form[:60]}: it takes {'a full search' if name == 'block' else 'several meshes' if name == 'size' else 'several orders'}")


def nonnegative(A, b):
    """Least squares with non-negative x, over all subsets of the few columns"""
    best = (np.inf, np.zeros(A.shape[1]))
    for size in range(1, A.shape[1] + 1):
        for subset in itertools.combinations(range(A.shape[1]), size):
            x = np.linalg.lstsq(A[:, subset], b, rcond=None)[0]
            error = ((A[:, subset] @ x - b) ** 2).sum()
            if (x >= 0).all() and error < best[0] - 1e-12:
                best = (error, np.zeros(A.shape[1]))
                best[1][list(subset)] = x
    return best[1]


def fit(path):
    """Relative errors, those of times that are too small counted as much as those of times that are too large"""
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault((row["type"], int(row["product"])), []).append([float(row[f"term{t}"]) / float(row["seconds"]) for t in range(6)])
    for name in TYPES:
        print(f"{name:14} apart      VALUE  # as it was")
        for product, what in enumerate(KINDS):
            if len(rows.get((name, product), [])) < (1 if product < 2 else 3):  # too little was measured to fit anything
                continue
            A = np.array(rows[(name, product)])
            weight = np.ones(len(A))
            for _ in range(20):
                x = nonnegative(A * weight[:, None], weight)
                weight = np.maximum(A @ x, 0.2) ** -0.5
            ratios = A @ x
            print(f"{name}, {what}: predicted over measured {ratios.min():.2f} to {ratios.max():.2f}", file=sys.stderr)
            print(f"{name:14} {what:10} {' '.join(f'{value:.3g}' for value in x)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", metavar="ARCHIVE")
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER", help="where the figures go (default: here)")
    parser.add_argument("--fit", metavar="TERMS.csv", help="print the cost model's constants")
    arguments = parser.parse_args()
    if not arguments.fit and not arguments.archives:
        parser.error("name an archive, or --fit TERMS.csv")
    if arguments.fit:
        fit(arguments.fit)
    if arguments.archives:
        figures(arguments.archives, arguments.output)


if __name__ == "__main__":
    main()
