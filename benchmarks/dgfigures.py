#!/usr/bin/env python3
"""Figures 8 to 12 and Table 3 of Kloeckner, Warburton, Bridge and Hesthaven (2009) from what `benchmarks/dg` measures.

dgfigures.py [--csv FILE...] [--stages FILE...] [--archive FILE...] [--size FILE...] [--body FILE...] [-o FOLDER]
  dg-rates.png    figure 8: GFlop/s and values a second against the degree, by type and precision (--csv)
  dg-parts.png    figures 9 and 10a: GFlop/s, share of the time, GB/s of each kernel of type separate (--stages)
  dg-workers.png  figure 10b: differentiation of degree 4 against w_p, w_i, w_s, the matrix in shared memory (--archive)
  dg-choices.png  figure 11a: GFlop/s without microblocks, without matrices in shared memory, without both (--archive)
  dg-size.png     figure 11b: values a second against the number of elements (--size)
  a table         figure 12: the rates on a mesh around a body, beside the paper's (--body)
Flops are those of the products with reference matrices. Tables of the numbers drawn, and Table 3, go to the output. A later file's line for the
same case takes an earlier one's place.
"""
import argparse
import csv
import os

import numpy as np

import archive

FIGURE12 = "more than 160 GFlop/s in single precision, 78,745 tetrahedra, N = 4, one GTX 280"
PARTS = ["gather", "reference", "differentiate", "lift", "update"]  # PlexDGPartKind
GATHER, REFERENCE, DIFFERENTIATE, LIFT, UPDATE = range(5)
TYPES = ["host", "plain", "separate", "fused"]
NUMBERS = ["dim", "degree", "elements", "values", "seconds", "bytes", "flops", "stage_s", "whole_s"]


def read_csv(paths, keys):
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                row.update({name: float(row[name]) for name in NUMBERS if name in row})
                rows[tuple(row[k] for k in keys)] = row
    return list(rows.values())


class Tuned:
    """A block of the archive: a mesh of a system, degree and precision"""

    def __init__(self, block):
        self.__dict__.update(block.__dict__)
        table = block.tables["candidates"]
        self.candidates = table[table["seconds"] > 0].astype([(name, kind if name in ("seconds", "bytes", "flops") else int) for name, kind in table.dtype.descr])

    def best(self, part, where):
        rows = self.candidates[(self.candidates["part"] == part) & where]
        return rows[np.argmin(rows["seconds"])] if len(rows) else None

    def line(self, allowed=lambda c: np.ones(len(c), bool)):
        """The best candidate of each part for the size of microblocks with the least sum, and the sum; None if a part is missing"""
        c, lines = self.candidates, []
        parts = sorted(set(c["part"]))
        for size in {(m, a) for m, a in zip(c["microblock"], c["align"])}:
            where = (c["microblock"] == size[0]) & (c["align"] == size[1]) & allowed(c)
            best = {part: self.best(part, where) for part in parts}
            if all(b is not None for b in best.values()):
                lines.append((sum(b["seconds"] for b in best.values()), best))
        return min(lines, key=lambda line: line[0]) if lines else None


def read_archives(paths):
    results = {}
    for path in paths:
        for block in archive.read(path, "dg-"):
            r = Tuned(block)
            if not r.fixed and r.line():
                results[r.device, r.system, r.precision, int(r.dim), int(r.degree)] = r
    return [results[k] for k in sorted(results)]


def grouped(items, key):
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def product(c):
    return f"{'matrix' if c['way'] else 'field'} | {c['parallel']} | {c['inlined']} | {c['sequential']}"


def gather(c):
    return f"{['metis', 'greedy', 'curve'][c['partition']]} | {c['microblocks']} | {c['parallel']}" if c["way"] else "faces | - | -"


def table3(results):
    for (device, system, precision, dim), group in grouped(results, lambda r: (r.device, r.system, r.precision, int(r.dim))).items():
        print(f"Table 3 on {device}: {system} in {dim}D, {precision}\n")
        print("| N | elements | K_M | differentiation | w_p | w_i | w_s | gather | M_B | w_p | lift | w_p | w_i | w_s | ms |\n|" + "--|" * 15)
        for r in group:
            seconds, best = r.line()
            size = f"{best[UPDATE]['microblock']}" + (" (32)" if best[UPDATE]["align"] == 32 else "")
            print(f"| {r.degree:.0f} | {r.elements:.0f} | {size} | {product(best[DIFFERENTIATE])} | {gather(best[GATHER])} | {product(best[LIFT])} | {1e3 * seconds:.4g} |")
        print()


def numbers(title, rows, columns):
    print(f"{title}\n\n| | " + " | ".join(columns) + " |\n|:--|" + "--:|" * len(columns))
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{values[c]:.4g}" if c in values else "-" for c in columns) + " |")
    print()


def curves(ax, rows, xlabel, ylabel, log=False, order=()):
    """rows: {label: {x: y}}; order: labels that look the same in all figures"""
    for k, (name, values) in enumerate(rows.items()):
        k = list(order).index(name) if name in order else k + len(order)
        xs = sorted(values)
        ax.plot(xs, [values[x] for x in xs], marker="os^v<>DPXdhp*"[k % 13], markersize=4, linewidth=1.2, color=f"C{k % 10}", label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if log:
        ax.set(xscale="log", yscale="log")
    elif rows:
        ax.locator_params(axis="x", integer=True)
    ax.grid(True, which="major", linewidth=0.4)
    if rows:
        ax.legend(fontsize=7)


def save(fig, folder, name, title, bottom=0, dpi=150):
    """bottom: the part of the height that a legend below all panels has"""
    path = os.path.join(folder, name)
    fig.suptitle(title, fontsize=10)
    fig.tight_layout(rect=(0, bottom, 1, 1))
    fig.savefig(path, dpi=dpi)
    print(f"Wrote {path}\n")


def as_text(rows):
    return {name: {f"{x:.0f}": y for x, y in values.items()} for name, values in rows.items()}


def largest(rows, key):
    """Of several sizes the largest one"""
    return [max(group, key=lambda r: r["elements"]) for group in grouped(rows, key).values()]


def figure8(plt, rows, folder):
    rows = largest(rows, lambda r: (r["type"], r["precision"], r["degree"]))
    order = sorted(grouped(rows, lambda r: (r["type"], r["precision"])).items(), key=lambda g: (TYPES.index(g[0][0]) if g[0][0] in TYPES else 9, g[0][1]))
    flops = {f"{t}, {p}": {r["degree"]: 1e-9 * r["flops"] / r["seconds"] for r in group} for (t, p), group in order}
    values = {f"{t}, {p}": {r["degree"]: 1e-9 * r["values"] / r["seconds"] for r in group} for (t, p), group in order}
    fig, axes = plt.subplots(1, 2, figsize=(10, 4))
    curves(axes[0], flops, "N", "GFlop/s")
    curves(axes[1], values, "N", "$10^9$ values a second")
    axes[0].set_yscale("log")
    axes[1].set_yscale("log")
    save(fig, folder, "dg-rates.png", "Right-hand side by degree")
    columns = [f"{n:.0f}" for n in sorted({r["degree"] for r in rows})]
    numbers("GFlop/s", as_text(flops), columns)
    numbers("10^9 values a second", as_text(values), columns)
    for p in "double", "single":
        host = values.get(f"host, {p}")
        for name in (n for n in values if host and n.endswith(p) and not n.startswith("host")):
            numbers(f"{name}: times the host's one core", as_text({name: {n: values[name][n] / host[n] for n in values[name] if n in host}}), columns)


def figure9(plt, rows, folder):
    groups = grouped(largest(rows, lambda r: (r["type"], r["precision"], r["degree"], r["part"])), lambda r: (r["type"], r["precision"]))
    fig, axes = plt.subplots(len(groups), 3, figsize=(14, 4 * len(groups)), squeeze=False)
    for ax, ((kind, precision), group) in zip(axes, sorted(groups.items())):
        by = {part: {r["degree"]: r for r in group if r["part"] == part} for part in PARTS}
        by = {part: found for part, found in by.items() if found}
        degrees = sorted({r["degree"] for r in group})
        columns = [f"{n:.0f}" for n in degrees]
        flops = {part: {n: 1e-9 * r["flops"] / r["seconds"] for n, r in found.items()} for part, found in by.items() if any(r["flops"] for r in found.values())}
        bandwidth = {part: {n: 1e-9 * r["bytes"] / r["seconds"] for n, r in found.items()} for part, found in by.items()}
        total = {n: sum(found[n]["seconds"] for found in by.values() if n in found) for n in degrees}
        share = {part: {n: 100 * r["seconds"] / total[n] for n, r in found.items()} for part, found in by.items()}
        curves(ax[0], flops, "N", f"GFlop/s, {precision}")
        ax[1].stackplot(degrees, [[share[part].get(n, 0) for n in degrees] for part in by], labels=list(by))
        ax[1].set(xlabel="N", ylabel="% of the time", ylim=(0, 100))
        ax[1].legend(fontsize=7, loc="lower left")
        curves(ax[2], bandwidth, "N", "GB/s")
        numbers(f"{kind}, {precision}: GFlop/s", as_text(flops), columns)
        numbers(f"{kind}, {precision}: % of the time", as_text(share), columns)
        numbers(f"{kind}, {precision}: GB/s", as_text(bandwidth), columns)
    save(fig, folder, "dg-parts.png", "Kernels of the right-hand side by degree")


def figure10(plt, results, folder):
    chosen = [r for r in results if int(r.degree) == 4] or results[:1]
    fig, axes = plt.subplots(1, len(chosen), figsize=(6 * len(chosen), 4), squeeze=False)
    for ax, r in zip(axes[0], chosen):
        c = r.candidates[(r.candidates["part"] == DIFFERENTIATE) & (r.candidates["way"] == 1)]
        best = r.line()[1][UPDATE]
        c = c[(c["microblock"] == best["microblock"]) & (c["align"] == best["align"])]
        if not len(c):
            ax.set_visible(False)
            continue
        rows = {f"$w_i$ {wi}, $w_s$ {ws}": {int(k["parallel"]): 1e3 * k["seconds"] for k in c if (k["inlined"], k["sequential"]) == (wi, ws)} for wi, ws in sorted({(k["inlined"], k["sequential"]) for k in c})}
        curves(ax, rows, "$w_p$", "ms")
        ax.legend(fontsize=5, ncol=3)
        ax.set_title(f"N = {r.degree:.0f}, {r.precision}, microblocks of {best['microblock']}, {r.elements:.0f} elements", fontsize=8)
    save(fig, folder, "dg-workers.png", "Differentiation with the matrix in shared memory")


def figure11(plt, results, folder):
    ways = {
        "all": lambda c: np.ones(len(c), bool),
        "without microblocks": lambda c: c["microblock"] == 1,
        "without matrix in shared": lambda c: (c["way"] == 0) | ((c["part"] != LIFT) & (c["part"] != DIFFERENTIATE)),
        "without both": lambda c: (c["microblock"] == 1) & ((c["way"] == 0) | ((c["part"] != LIFT) & (c["part"] != DIFFERENTIATE))),
    }
    groups = grouped(results, lambda r: (r.system, r.precision, int(r.dim)))
    fig, axes = plt.subplots(1, len(groups), figsize=(6 * len(groups), 4), squeeze=False)
    for ax, ((system, precision, dim), group) in zip(axes[0], groups.items()):
        rows = {}
        for name, allowed in ways.items():
            for r in group:
                line = r.line(allowed)
                if line:
                    rows.setdefault(name, {})[int(r.degree)] = 1e-9 * sum(b["flops"] for b in line[1].values()) / line[0]
        curves(ax, rows, "N", "GFlop/s")
        ax.set_title(f"{system} in {dim}D, {precision}", fontsize=8)
        numbers(f"{system} in {dim}D, {precision}: GFlop/s with fewer choices", as_text(rows), [f"{r.degree:.0f}" for r in group])
    save(fig, folder, "dg-choices.png", "What microblocks and matrices in shared memory are worth")


def figure11b(plt, rows, folder):
    sizes = grouped(rows, lambda r: (r["type"], r["precision"], int(r["degree"])))
    curve = {f"{t}, {p}, N = {n}": {r["elements"]: 1e-9 * r["values"] / r["seconds"] for r in g} for (t, p, n), g in sorted(sizes.items())}
    fig, ax = plt.subplots(figsize=(6, 4))
    curves(ax, curve, "elements", "$10^9$ values a second", log=True)
    save(fig, folder, "dg-size.png", "Right-hand side by the size of the mesh")
    numbers("10^9 values a second by elements", as_text(curve), [f"{n:.0f}" for n in sorted({x for values in curve.values() for x in values})])


def figure12(rows):
    print(f"Figure 12: a mesh around a body. The paper: {FIGURE12}\n\n| system | type | precision | N | elements | right-hand side, GFlop/s | 10^9 values a second | stage, 10^9 values a second |\n|:--|:--|:--|" + "--:|" * 5)
    for r in sorted(rows, key=lambda r: (r["elements"], r["degree"], r["precision"], r["type"])):
        stage = f"{1e-9 * r['values'] / r['stage_s']:.4g}" if r["stage_s"] else "-"
        print(f"| {r['system']} | {r['type']} | {r['precision']} | {r['degree']:.0f} | {r['elements']:.0f} | {1e-9 * r['flops'] / r['seconds']:.4g} | {1e-9 * r['values'] / r['seconds']:.4g} | {stage} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--stages", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--archive", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--size", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--body", nargs="+", default=[], metavar="FILE")
    parser.add_argument("-o", default=".", metavar="FOLDER")
    a = parser.parse_args()
    if not (a.csv or a.stages or a.archive or a.size or a.body):
        parser.error("there is nothing to draw: name files with --csv, --stages, --archive, --size or --body")
    os.makedirs(a.o, exist_ok=True)
    if a.body:
        figure12(read_csv(a.body, ["system", "type", "precision", "dim", "degree", "elements"]))
    if not (a.csv or a.stages or a.archive or a.size):
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = read_csv(a.csv, ["system", "type", "precision", "dim", "degree", "elements"])
    stages = read_csv(a.stages, ["system", "type", "precision", "dim", "degree", "elements", "part"])
    results = read_archives(a.archive)
    if results:
        table3(results)
        figure10(plt, results, a.o)
        figure11(plt, results, a.o)
    if rows:
        figure8(plt, rows, a.o)
    if stages:
        figure9(plt, stages, a.o)
    if a.size:
        figure11b(plt, read_csv(a.size, ["system", "type", "precision", "dim", "degree", "elements"]), a.o)


if __name__ == "__main__":
    main()
