#!/usr/bin/env python3
"""Figures 5 to 7 and Table 7 of King, Yakovlev, Fu, Kirby and Sherwin (2014) from what `benchmarks/hdg -csv` measures.

hdgfigures.py FILE... [-o FOLDER]
  hdg-shares.png  figure 5: each stage's share of a solve, on the largest mesh of a backend
  hdg-local.png   figure 6: GFlop/s and GB/s of the local matrices, without and with the transfers of set-up, by degree, and cuBLAS's batched products
  hdg-solve.png   figure 7: GFlop/s of the trace's solve by their estimate, 2 Nnz + 3 N + iterations (2 Nnz + 10 N)
Flops of a local matrix are those of the elimination and of the sums that make it, bytes those that are read and written once, K^e most of them. The
stage's time counts in hdg-local.png, as in the paper, not the kernel's alone. The estimate leaves the preconditioner's work out, whose time counts.
Tables of the numbers drawn, and Table 7 beside the paper's, go to the output. A later file's line for the same case takes an earlier one's place.
"""
import argparse
import csv
import os

STAGES = ["local", "assemble", "rhs", "solve", "recover", "post"]
NAMES = ["local matrices", "assembly", "right-hand side", "trace solve", "local solve", "post-processing"]
# Table 7: ms on a Tesla M2090, cells a side: (of HDG, of CG), P = 1 to 9
PAPER = {
    20: ([7, 9, 11, 14, 21, 40, 60, 107, 155], [4, 6, 10, 12, 16, 20, 30, 40, 59]),
    40: ([11, 14, 19, 28, 55, 94, 140, 249, 422], [7, 12, 15, 22, 36, 54, 91, 131, 205]),
    80: ([18, 32, 44, 82, 194, 347, 537, 868, 1413], [14, 20, 32, 56, 116, 209, 338, 492, 808]),
}


def read(paths):
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if "solve_flops" not in row:
                    raise SystemExit(f"hdgfigures.py: {path} has no column solve_flops: it is of an earlier version of benchmarks/hdg, run it again")
                row = {k: v if k == "backend" else float(v) for k, v in row.items()}
                rows[row["backend"], row["dim"], row["processes"], row["cells"], row["degree"]] = row
    return list(rows.values())


def grouped(rows, key):
    groups = {}
    for row in sorted(rows, key=lambda r: (r["backend"] == "host", r["dim"], r["processes"], r["cells"], r["degree"])):
        groups.setdefault(key(row), []).append(row)
    return groups


def name(row):
    mesh = " x ".join([f"{row['cells']:.0f}"] * int(row["dim"]))
    return f"{row['backend']}, {mesh}" + (f", {row['processes']:.0f} processes" if row["processes"] > 1 else "")


def table(title, first, curves):
    degrees = sorted({n for values in curves.values() for n in values})
    print(f"{title}\n\n| {first} | " + " | ".join(f"P = {n:.0f}" for n in degrees) + " |\n|:--|" + "--:|" * len(degrees))
    for label, values in curves.items():
        print(f"| {label} | " + " | ".join(f"{values[n]:.4g}" if n in values else "-" for n in degrees) + " |")
    print()


def draw(ax, curves, ylabel):
    for k, (label, values) in enumerate(curves.items()):
        degrees = sorted(values)
        ax.plot(degrees, [values[n] for n in degrees], "--" if "transfers" in label else ":" if "cuBLAS" in label else "-", marker="os^v<>DP"[k % 8], markersize=4, linewidth=1.2, label=label)
    ax.set(xlabel="P", ylabel=ylabel, yscale="log")
    ax.locator_params(axis="x", integer=True)
    ax.grid(True, which="major", linewidth=0.4)
    ax.legend(fontsize=6)


def save(fig, folder, file, title):
    path = os.path.join(folder, file)
    fig.suptitle(title, fontsize=10)
    fig.tight_layout()
    fig.savefig(path, dpi=130)
    print(f"Wrote {path}\n")


def figure5(plt, rows, folder):
    groups = grouped(rows, lambda r: (r["backend"], r["dim"], r["processes"]))
    largest = [[r for r in group if r["cells"] == max(s["cells"] for s in group)] for group in groups.values()]
    shares = [{what: {r["degree"]: 100 * r[s] / sum(r[t] for t in STAGES) for r in group} for s, what in zip(STAGES, NAMES)} for group in largest]
    for group, share in zip(largest, shares):
        table(f"Figure 5: % of the stages' time, {name(group[0])}", "stage", share)
    if plt:
        fig, axes = plt.subplots(1, len(largest), figsize=(5.5 * len(largest), 4), squeeze=False)
        for ax, group, share in zip(axes[0], largest, shares):
            degrees = [r["degree"] for r in group]
            ax.stackplot(degrees, [[values[n] for n in degrees] for values in share.values()], labels=NAMES)
            ax.set(title=name(group[0]), xlabel="P", ylabel="% of a solve", ylim=(0, 100))
            ax.title.set_fontsize(9)
            ax.legend(fontsize=6, loc="lower left")
        save(fig, folder, "hdg-shares.png", "Stages of hybridized DG by degree")


def figure6(plt, rows, folder):
    flops, moved = {}, {}
    for label, group in grouped(rows, name).items():
        ways = [(label, lambda r: r["local"])]
        if group[0]["backend"] != "host":
            ways.append((f"{label}, with transfers", lambda r: r["local"] + r["setup_transfer"]))
        for way, seconds in ways:
            flops[way] = {r["degree"]: 1e-9 * r["local_flops"] / seconds(r) for r in group}
            moved[way] = {r["degree"]: 1e-9 * r["local_moved"] / seconds(r) for r in group}
        for key, what in (("rate", "kernel alone"), ("cublas", "cuBLAS's batched products")):
            if group[-1]["cells"] == max(r["cells"] for r in rows) and any(r[key] for r in group):
                flops[f"{label}, {what}"] = {r["degree"]: 1e-9 * r[key] for r in group if r[key]}
    table("Figure 6a: local matrices, GFlop/s. The paper: 60 GFlop/s at most, some 75 % of cuBLAS's batched products, on a Tesla M2090 of 665", "", flops)
    table("Figure 6b: local matrices, GB/s", "", moved)
    if plt:
        fig, axes = plt.subplots(1, 2, figsize=(12, 4.6))
        draw(axes[0], flops, "GFlop/s")
        draw(axes[1], moved, "GB/s")
        save(fig, folder, "hdg-local.png", "Local matrices by degree")


def figure7(plt, rows, folder):
    rates = {label: {r["degree"]: 1e-9 * r["solve_flops"] / r["solve"] for r in group} for label, group in grouped(rows, name).items()}
    table("Figure 7: the trace's solve, GFlop/s by the paper's estimate", "", rates)
    if plt:
        fig, ax = plt.subplots(figsize=(6.5, 4.4))
        draw(ax, rates, "GFlop/s")
        save(fig, folder, "hdg-solve.png", "The trace's solve by the paper's estimate")


def table7(rows):
    rows = [r for r in rows if r["cg_seconds"]]
    for label, group in grouped(rows, name).items():
        first = group[0]
        paper = PAPER.get(int(first["cells"])) if first["dim"] == 2 else None
        print(f"Table 7, {label}: local matrices and whole solves, ms\n\n| P | HDG | CG | less |" + (" paper: HDG | CG | less |" if paper else "") + " all of HDG | all of CG |\n|--:|" + "--:|" * (8 if paper else 5))
        for r in group:
            theirs = ""
            if paper:
                a, b = (column[int(r["degree"]) - 1] for column in paper)
                theirs = f" {a} | {b} | {100 * (1 - b / a):.0f} % |"
            print(f"| {r['degree']:.0f} | {1e3 * r['local']:.3f} | {1e3 * r['cg_local']:.3f} | {100 * (1 - r['cg_local'] / r['local']):.0f} % |{theirs} {1e3 * r['seconds']:.2f} | {1e3 * r['cg_seconds']:.2f} |")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", default=".", metavar="FOLDER")
    a = parser.parse_args()
    rows = read(a.files)
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        plt = None
        print("There is no matplotlib, so there are tables alone\n")
    os.makedirs(a.o, exist_ok=True)
    figure5(plt, rows, a.o)
    figure6(plt, rows, a.o)
    figure7(plt, rows, a.o)
    table7(rows)


if __name__ == "__main__":
    main()
