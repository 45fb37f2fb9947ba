#!/usr/bin/env python3
"""Figures 12 to 14 of Cecka, Lew and Darve (2011) from files that the assembly benchmark writes with -csv -dummy.

figures.py FILE.csv... [-o FOLDER] [--cell CELL]
  assembly-size.png    their figure 12: time against the size of the mesh, by type; the host's one core beside
  assembly-order.png   their figures 13 and 14: time against the order of the elements (top), with the dummy element kernel (middle), and
                       what that gains (bottom)
Each for the Jacobian and the residual together, as there, and for the Jacobian alone. A table of the numbers drawn goes to the output.
"""
import argparse
import csv
import os

from tuning import TYPES, style

# What is drawn: title, seconds of a row of the file, its seconds with the dummy element kernel
PRODUCTS = [
    ("Jacobian and residual", lambda r: r["jacobian_s"] + r["residual_s"], lambda r: r["dummy_jacobian_s"] + r["dummy_residual_s"]),
    ("Jacobian", lambda r: r["jacobian_s"], lambda r: r["dummy_jacobian_s"]),
]
NUMBERS = ["order", "elements", "jacobian_s", "residual_s", "dummy_jacobian_s", "dummy_residual_s", "host_s_per_element", "copy_bandwidth", "bytes", "floor_bytes"]


def read(paths, cell):
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["cell"] != cell or row["type"] not in TYPES or float(row.get("dummy_jacobian_s") or 0) <= 0:
                    continue
                if row["nonlinear"] == "1" or row["shuffled"] != "0" or row["vector"] == "1":
                    continue
                row.update({name: float(row[name]) for name in NUMBERS})
                rows[row["order"], row["elements"], row["type"]] = row
    return list(rows.values())


def lines(rows, x, y):
    """Points of each type, in order"""
    return {t: sorted((x(r), y(r)) for r in rows if r["type"] == t) for t in TYPES if any(r["type"] == t for r in rows)}


def draw(ax, curves, xlabel, ylabel, logx):
    for name, points in curves.items():
        ax.plot(*zip(*points), label=name, **style((name, "quadrature")))
    ax.set(xlabel=xlabel, ylabel=ylabel, yscale="log")
    if logx:
        ax.set_xscale("log")
    ax.grid(True, which="major", linewidth=0.4)


def table(curves, first):
    xs = sorted({x for points in curves.values() for x, _ in points})
    print("| " + " | ".join([first] + [f"{x:,.0f}" for x in xs]) + " |")
    print("|:--|" + "--:|" * len(xs))
    for name, points in curves.items():
        found = dict(points)
        print(f"| {name if name.startswith('host') else f'`{name}`'} | " + " | ".join(f"{found[x]:.3g}" if x in found else "-" for x in xs) + " |")
    print()


def against_size(rows, title, plt, folder):
    order = min(r["order"] for r in rows)
    rows = [r for r in rows if r["order"] == order]
    fig, axes = plt.subplots(1, len(PRODUCTS), figsize=(5.2 * len(PRODUCTS), 4.4), squeeze=False)
    for ax, (what, seconds, _) in zip(axes[0], PRODUCTS):
        curves = lines(rows, lambda r: r["elements"], lambda r, s=seconds: 1e9 * s(r) / r["elements"])
        if what != "Jacobian":
            curves["host, one core"] = sorted({r["elements"]: (r["elements"], 1e9 * r["host_s_per_element"]) for r in rows}.values())
        print(f"{what}, order {order:.0f}, ns an element against elements:\n")
        table(curves, "type")
        draw(ax, {t: p for t, p in curves.items() if t in TYPES}, "elements", "ns an element", True)
        ax.set_title(what)
        if "host, one core" in curves:
            ax.plot(*zip(*curves["host, one core"]), color="black", linewidth=1, linestyle=":", label="host, one core")
    finish(fig, axes, title + f", order {order:.0f}", os.path.join(folder, "assembly-size.png"), plt)


def against_order(rows, title, plt, folder):
    orders = sorted({r["order"] for r in rows})
    rows = [r for r in rows if r["elements"] == max(s["elements"] for s in rows if s["order"] == max(orders))]
    fig, axes = plt.subplots(3, len(PRODUCTS), figsize=(5.2 * len(PRODUCTS), 10.5), squeeze=False)
    for k, (what, seconds, dummy) in enumerate(PRODUCTS):
        values = [
            (what, "ns an element", lambda r, s=seconds: 1e9 * s(r) / r["elements"]),
            (f"{what}, dummy element kernel", "ns an element", lambda r, d=dummy: 1e9 * d(r) / r["elements"]),
            (f"{what}, over that with the dummy", "ratio", lambda r, s=seconds, d=dummy: s(r) / d(r)),
        ]
        for ax, (name, unit, value) in zip(axes[:, k], values):
            curves = lines(rows, lambda r: r["order"], value)
            print(f"{name}, {unit}, against the order:\n")
            table(curves, "type")
            draw(ax, curves, "order", unit, False)
            if unit == "ratio":
                ax.set_yscale("linear")
            ax.set(title=name, xticks=orders)
    finish(fig, axes, title + f", {rows[0]['elements']:,.0f} elements", os.path.join(folder, "assembly-order.png"), plt)


def finish(fig, axes, title, path, plt):
    found = {}
    for ax in axes.flat:
        found.update(zip(*reversed(ax.get_legend_handles_labels())))
    rows = axes.shape[0]
    fig.legend(found.values(), found.keys(), loc="lower center", ncol=5, fontsize=8)
    fig.suptitle(title, fontsize=10)
    fig.tight_layout(rect=(0, 0.03 + 0.06 / rows, 1, 0.98))
    fig.savefig(path, dpi=150)
    plt.close(fig)
    print(f"Wrote {path}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER", help="where the figures go (default: here)")
    parser.add_argument("--cell", default="triangle", help="triangle (default), tetrahedron, quadrilateral or hexahedron")
    arguments = parser.parse_args()
    rows = read(arguments.files, arguments.cell)
    if not rows:
        parser.error(f"no {arguments.cell} was measured with -dummy in " + ", ".join(arguments.files))
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    os.makedirs(arguments.output, exist_ok=True)
    title = f"{arguments.cell}, backend {rows[0]['backend']}, a copy reaches {1e-9 * max(r['copy_bandwidth'] for r in rows):.0f} GB/s"
    if len({r["elements"] for r in rows if r["order"] == min(s["order"] for s in rows)}) > 1:
        against_size(rows, title, plt, arguments.output)
    if len({r["order"] for r in rows}) > 1:
        against_order(rows, title, plt, arguments.output)


if __name__ == "__main__":
    main()
