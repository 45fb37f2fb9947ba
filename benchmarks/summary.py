#!/usr/bin/env python3
"""The Jacobian of all types in one table, a mesh a line, from the files that the assembly benchmark writes with -csv.

summary.py FILE.csv...: ns an element of every type and of the COO path; the least that has to move, 8 nnz + 8 dim nodes bytes at the best
copy bandwidth in these files; the best type over that, its share of the copy bandwidth (8 nnz + 8 rows + 8 dim nodes bytes), and the
times of element_atomic and of the COO path over its own. Then meshes numbered at random over those in order (-shuffle), and nonlinear
over linear forms (-nonlinear), type by type. Types of a mesh may be in several files; of one measured twice the first counts.
"""
import csv
import sys

CELLS = {"triangle": "triangles", "tetrahedron": "tetrahedra", "quadrilateral": "quadrilaterals", "hexahedron": "hexahedra"}
TYPES = ["element_color", "element_atomic", "global_nz", "global_row", "shared_nz", "shared_row", "local_nz", "local_row"]
AGAIN = {2: "-dm_plex_reorder rcm", 3: "-dm_plex_reorder morton", 4: "-dm_reorder_section -dm_reorder_section_type hilbert"}
TENSOR = {"triangle": False, "tetrahedron": False, "quadrilateral": True, "hexahedron": True}


class Mesh:
    """Rows by type, and what they have in common"""

    def __init__(self, row):
        self.cell, self.order, self.elements = row["cell"], int(row["order"]), int(row["elements"])
        self.vector, self.moved, self.degree = row["vector"] == "1", float(row["moved"]) > 0, int(row["degree"])
        self.rows, self.nnz = int(row["rows"]), float(row["nnz"])
        self.floor, self.sectors, self.shared = float(row["floor_bytes"]), float(row["sector_bytes"]), float(row["shared_bytes"])
        self.points = int(row["points"])
        self.seconds, self.residual, self.kernel = {}, {}, 0.0

    def add(self, row):
        self.seconds.setdefault(row["type"], float(row["jacobian_s"]))
        self.residual.setdefault(row["type"], float(row["residual_s"]))
        if row["type"] == "coo":
            self.kernel = float(row["kernel_s"])

    def name(self):
        space = ("Q" if TENSOR[self.cell] else "P") + f"{self.order} {CELLS[self.cell]}"
        return space + (", moved vertices" if self.moved else "") + (", elasticity" if self.vector else "")

    def integration(self):
        return f"{self.points} points" if self.degree < 0 else "tensors" if not self.degree else f"tensors, degree {self.degree}"

    def best(self):
        """Of the types; the COO path is a yardstick"""
        times = {t: s for t, s in self.seconds.items() if t in TYPES}
        return min(times, key=times.get) if times else None


def read(paths):
    meshes = {}  # by what is assembled, then (shuffled: 1, or more and in an order again, see AGAIN; nonlinear)
    copy = 0.0
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                same = tuple(row[k] for k in ("cell", "order", "vector", "reorder", "moved", "elements"))
                same += () if row["nonlinear"] == "1" else (row["degree"],)
                variants = meshes.setdefault(same, {})
                variants.setdefault((int(row["shuffled"]), row["nonlinear"] == "1"), Mesh(row)).add(row)
                copy = max(copy, float(row["copy_bandwidth"]))
    return meshes, copy


def cells(values):
    return "| " + " | ".join(values) + " |"


def head(first, columns):
    print(cells(first + columns))
    print("|" + ":--|" * len(first) + "--:|" * len(columns))


def jacobians(meshes, copy):
    print(f"Jacobian, ns an element; a copy reaches {1e-9 * copy:.0f} GB/s. The best type is in bold.\n")
    head(["space", "integration"], ["elements"] + [f"`{t}`" for t in TYPES] + ["COO", "floor", "best / floor", "of copy", "atomic / best", "COO / best"])
    for m in meshes:
        best = m.best()
        if not best:
            continue
        ns = {t: 1e9 * s / m.elements for t, s in m.seconds.items()}
        shown = [("-" if t not in ns else f"**{ns[t]:.3g}**" if t == best else f"{ns[t]:.3g}") for t in TYPES + ["coo"]]
        seconds = m.seconds[best]
        over = [f"{m.seconds[t] / seconds:.1f}" if t in m.seconds else "-" for t in ("element_atomic", "coo")]
        print(cells([m.name(), m.integration(), f"{m.elements:,}"] + shown + [f"{1e9 * m.floor / copy / m.elements:.3g}", f"{seconds * copy / m.floor:.1f}", f"{100 * (m.floor + 8 * m.rows) / seconds / copy:.1f} %"] + over))
    print()


def ratios(pairs, what):
    if not pairs:
        return
    print(f"{what}\n")
    head(["space"], ["elements"] + [f"`{t}`" for t in TYPES] + ["COO", "best ns", "then", "ratio"])
    for a, b in pairs:
        shown = [f"{b.seconds[t] / a.seconds[t]:.2f}" if t in a.seconds and t in b.seconds else "-" for t in TYPES + ["coo"]]
        x, y = (1e9 * m.seconds[m.best()] / m.elements for m in (a, b))
        print(cells([a.name(), f"{a.elements:,}"] + shown + [f"{x:.3g}", f"{y:.3g}", f"{y / x:.2f}"]))
    print()


def main(paths):
    meshes, copy = read(paths)
    ordered = [v[0, False] for v in meshes.values() if (0, False) in v]
    jacobians(ordered, copy)
    shuffled = [(v[0, False], v[1, False]) for v in meshes.values() if (1, False) in v and (0, False) in v]
    ratios(shuffled, "Numbered at random, over the mesh in order:")
    for k, how in AGAIN.items():
        ratios([(v[0, False], v[k, False]) for v in meshes.values() if (k, False) in v and (0, False) in v], f"Numbered at random and in an order again ({how}), over the mesh in order:")
    for a, _ in shuffled:
        print(f"{a.name()}: the rows lie in {1e-6 * a.sectors:.0f} MB of sectors of 32 bytes, {8e-6 * a.nnz:.0f} MB of values; {1e-6 * a.shared:.0f} MB of them hold parts of other rows.")
    linear = {(m.cell, m.order, m.elements): m for m in ordered if not m.vector}
    nonlinear = [m for v in meshes.values() for (_, n), m in v.items() if n]
    if shuffled and nonlinear:
        print()
    ratios([(linear[key], m) for m in nonlinear for key in [(m.cell, m.order, m.elements)] if key in linear], "a(u) = 1 + u^2 by quadrature, over a = 1:")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
