#!/usr/bin/env python3
"""The tables of docs/performance.md from the files that the assembly benchmark writes with -csv.

table.py FILE.csv...: a table for each mesh, in the order in which they come; types of a mesh may be in several files.
GB/s counts 8 nnz + 8 rows + 8 dim nodes bytes over the time of Jacobian and residual; "of copy" is its share of the
best copy bandwidth in these files.
"""
import csv
import sys

CELLS = {"triangle": "Triangle", "tetrahedron": "Tetrahedron", "quadrilateral": "Quadrilateral", "hexahedron": "Hexahedron"}
TYPES = ["element_color", "element_atomic", "global_nz", "global_row", "shared_nz", "shared_row", "local_nz", "local_row"]


def main(paths):
    meshes = {}  # (cell, order, vector, reorder, elements, numbered at random, nonlinear, moved vertices) -> rows
    copy = 0.0
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                variant = tuple(float(row.get(k) or 0) for k in ("shuffled", "nonlinear", "moved"))  # older files have none of these
                meshes.setdefault((row["cell"], row["order"], row["vector"], row["reorder"], row["elements"]) + variant, {})[row["type"]] = row
                copy = max(copy, float(row["copy_bandwidth"]))
    for (cell, order, vector, reorder, elements, shuffled, nonlinear, moved), rows in meshes.items():
        first = next(iter(rows.values()))
        extra = (", linear elasticity" if vector == "1" else "") + (f", cells in the order {reorder}" if reorder != "none" else "")
        extra += (", nonlinear" if nonlinear else "") + (", vertices moved" if moved else "") + (", numbered at random" if shuffled else "") + (" and in an order again" if shuffled > 1 else "")
        print(f"**{CELLS[cell]}, order {order}{extra}**: {int(elements):,} elements, {int(first['rows']):,} rows, {int(first['nnz']):,} non-zeros. "
              f"One core: `host` {1e9 * float(first['host_s_per_element']):,.0f} ns an element, PETSc {1e9 * float(first['petsc_s_per_element']):,.0f}.\n")
        print("| type | Jacobian ms | residual ms | ns an element | GB/s | of copy | x host | x PETSc | plan s |")
        print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
        for name in TYPES:
            if name not in rows:
                continue
            r = rows[name]
            jacobian, residual = float(r["jacobian_s"]), float(r["residual_s"])
            seconds = jacobian + residual
            element = seconds / int(elements)
            rate = float(r["bytes"]) / seconds
            print(f"| `{name}` | {1e3 * jacobian:.4g} | {1e3 * residual:.4g} | {1e9 * element:.3g} | {1e-9 * rate:.0f} | {100 * rate / copy:.1f} % "
                  f"| {float(r['host_s_per_element']) / element:,.0f} | {float(r['petsc_s_per_element']) / element:,.0f} | {float(r['plan_s']):.1f} |")
        print()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
