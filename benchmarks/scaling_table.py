#!/usr/bin/env python3
"""Tables of weak and strong scaling from the files that the scaling benchmark writes with -csv.

scaling_table.py FILE.csv...: a table for each mode, cell, order and type, over all files together. Efficiency is against one process, from
whichever mode its row is: weak T1 / Tp with as many elements a process, strong T1 / (p Tp) with as many elements in all.
"""
import csv
import sys


def base_of(row, rows):
    """The row of one process that this one is compared with, and what its time is multiplied with where all is perfect"""
    ranks = int(row["ranks"])
    weak = row["mode"] == "weak"
    for one in rows:
        same = all(one[key] == row[key] for key in ("cell", "order", "type", "backend"))
        if same and one["ranks"] == "1" and int(one["elements"]) * (ranks if weak else 1) == int(row["elements"]):
            return one, 1.0 if weak else 1.0 / ranks
    return None, 1.0


def efficiency(row, rows, keys):
    one, ideal = base_of(row, rows)
    if one is None:
        return "-"
    return f"{100 * ideal * sum(float(one[k]) for k in keys) / sum(float(row[k]) for k in keys):.0f} %"


def main(paths):
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            rows += csv.DictReader(file)
    groups = {}  # (cell, order, type, backend, mode) -> rows
    for row in rows:
        modes = {other["mode"] for other in rows} if row["ranks"] == "1" else {row["mode"]}
        for mode in modes:  # one process is both
            groups.setdefault((row["cell"], row["order"], row["type"], row["backend"], mode), []).append({**row, "mode": mode})
    for (cell, order, kind, backend, mode), group in sorted(groups.items(), key=lambda item: (item[0][4] != "weak", item[0])):
        bases = [base_of(row, rows)[0] for row in group if row["ranks"] != "1"]
        print(f"**{mode.capitalize()} scaling, {cell}, order {order}, `{kind}`, backend {backend}**\n")
        print("| processes | elements | J ms | kernels | exchange | eff. | F ms | kernels | exchange | eff. | J + F eff. | MB sent |")
        print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        for row in sorted(group, key=lambda row: int(row["ranks"])):
            if row["ranks"] == "1" and bases and row["elements"] not in [base["elements"] for base in bases if base]:
                continue
            print(f"| {row['ranks']} | {int(row['elements']):,} "
                  f"| {float(row['J_ms']):.3f} | {float(row['J_elements_ms']):.3f} | {float(row['J_exchange_ms']):.3f} | {efficiency(row, rows, ['J_ms'])} "
                  f"| {float(row['F_ms']):.3f} | {float(row['F_elements_ms']):.3f} | {float(row['F_exchange_ms']):.3f} | {efficiency(row, rows, ['F_ms'])} "
                  f"| {efficiency(row, rows, ['J_ms', 'F_ms'])} | {float(row['sent_MB']):.1f} |")
        print()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
