#!/usr/bin/env python3
"""Rows for the files of benchmarks/results, from what a benchmark has written to a folder.

results.py FOLDER [--into DIR] [--commit C] [--device D] [--date YYYY-MM-DD]

reads those of these files that FOLDER has, and writes DIR/SUBJECT.csv (default: FOLDER/results). `tables.py --print
DIR` prints them as tables, and `tables.py --merge DIR` takes them into benchmarks/results:

  assembly.csv     run-gpu.sh          jacobians, residuals, numbering
  integration.csv  run-integration.sh  integration
  dg.csv, stages.md, run-dg.sh         dg: stages.md has what is printed of stages, their ceiling and cuBLAS beside
  water.csv, shore.csv  run-water.sh   water
  tables.csv, rates.csv, growth.csv, large.csv  run-hdg.sh  hdg
  scaling.csv      run-scaling.sh, run-hdg.sh;  dgscaling.csv  run-dg-scaling.sh  scaling
  host-NAME.md, setup-NAME.md          host, setup: what build/benchmarks/host and setup print of the space NAME
  regret.csv, solution.csv             regret, solution: of build/benchmarks/regret and benchmarks/solution.py

The commit is $COMMIT, or that of the repository, with + where files differ from it. The device is the first GPU; for
results of the host it is the processor. The columns are those of tables.py.
"""
import argparse
import csv
import datetime
import glob
import os
import re
import subprocess

import scaling_table
import summary
import tables


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tables.TOP).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    if os.environ.get("COMMIT"):
        return os.environ["COMMIT"]
    head = output("git", "rev-parse", "--short", "HEAD")
    return head + ("+" if output("git", "status", "--porcelain", "--untracked-files=no") else "") if head else "unknown"


def gpu():
    return output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "--id=0")


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"one core of {names[0]}" if names else "one core"


def digits(x):
    if isinstance(x, str):
        return x
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


class Subjects:
    """The rows of each subject"""

    def __init__(self, arguments):
        self.common = {"commit": arguments.commit or commit(), "date": arguments.date}
        self.device, self.rows = arguments.device, {}

    def add(self, subject, backend, case, size, quantity, value, unit, reference=0.0, limit=0.0):
        """A number; a reference or limit of 0 is none. A backend that is no GPU's is named: its figures are no GPU's"""
        device = self.device or (gpu() or "GPU" if backend == "cuda" else processor() if backend == "host" else backend)
        row = {"device": device, "case": case, "size": str(size), "quantity": quantity, "value": digits(value),
               "unit": unit, "reference": digits(reference) if reference else "",
               "limit": digits(limit) if limit else ""}
        self.rows.setdefault(subject, []).append({column: {**self.common, **row}[column] for column in tables.COLUMNS})

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for subject, rows in self.rows.items():
            path = os.path.join(folder, subject + ".csv")
            rows = tables.merged([], rows)[0]
            tables.write(path, rows)
            print(f"{path}: {len(rows)} rows")


def rows_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# ---- Assembly


def jacobian(out, backend, mesh, name, copy):
    """ns an element of each type, beside element_atomic and the least bytes"""
    ns = {t: 1e9 * s / mesh.elements for t, s in mesh.seconds.items()}
    for kind, x in ns.items():
        floor = 1e9 * mesh.floor / copy / mesh.elements
        out.add("jacobians", backend, name, mesh.elements, kind, x, "ns/element", ns.get("element_atomic", 0.0), floor)


def residual(out, backend, mesh, copy):
    """ms of each type, beside the result written and the coordinates read"""
    ms = {t: 1e3 * s for t, s in mesh.residual.items() if t in summary.TYPES and s > 0}
    least = 1e3 * (8 * mesh.rows + mesh.floor - 8 * mesh.nnz) / copy
    for kind, x in ms.items():
        out.add("residuals", backend, mesh.name(), mesh.elements, kind, x, "ms", 0.0, least)


def numbering(out, backend, variants):
    """The best Jacobian of a mesh numbered at random, and with dofs along the curve, over the mesh in order"""
    one = variants[0, False]
    if not one.best() or not any((k, False) in variants for k in (1, 4)):
        return
    out.add("numbering", backend, one.name(), one.elements, "in order", 1e3 * one.seconds[one.best()], "ms")
    for k, what in ((1, "at random"), (4, "at random, along the curve")):
        other = variants.get((k, False))
        if other and other.best():
            times = other.seconds[other.best()] / one.seconds[one.best()]
            out.add("numbering", backend, one.name(), one.elements, what, times, "times")


def assembly(out, folder):
    rows = rows_of(folder, "assembly.csv")
    if not rows:
        return
    backend = rows[0]["backend"]
    meshes, copy = summary.read([os.path.join(folder, "assembly.csv")])
    for variants in meshes.values():
        for (shuffled, nonlinear), mesh in variants.items():
            if not shuffled and mesh.degree <= 0:
                jacobian(out, backend, mesh, mesh.name() + (", a = 1 + u^2" if nonlinear else ""), copy)
        if (0, False) in variants and variants[0, False].degree <= 0:
            residual(out, backend, variants[0, False], copy)
            numbering(out, backend, variants)


def integration(out, folder):
    """The best way of each operator and precision"""
    names = {"laplacian": "Laplacian, P1 tetrahedra", "elasticity": "elasticity, P1 triangles"}
    best = {}
    for row in rows_of(folder, "integration.csv"):
        if row["mode"] != "figures" and row["geometry"] != "coordinates" and row["symmetric"] == "0":
            key = (row["form"].lower(), row["precision"])
            if key not in best or float(row["flops"]) / float(row["seconds"]) > best[key][0]:
                best[key] = (float(row["flops"]) / float(row["seconds"]), row)
    for (form, precision), (rate, row) in best.items():
        case = names.get(form, form)
        out.add("integration", row["backend"], case, precision, "rate", 1e-12 * rate, "TFLOP/s")
        of_copy = float(row["bytes"]) / float(row["seconds"]) / float(row["copy_bandwidth"])
        out.add("integration", row["backend"], case, precision, "share", 100 * of_copy, "%")


# ---- Discontinuous Galerkin


def dg(out, folder):
    """Stages of type fused and right-hand sides beside one core from the CSV; limit and cuBLAS as printed"""
    backend = os.environ.get("BACKEND") or ("cuda" if gpu() else "emulate")
    rates = {}
    for row in rows_of(folder, "dg.csv"):
        case = f"{row['system'].capitalize()}, N = {row['degree']}"
        rates[case, row["precision"], row["type"]] = 1e-9 * float(row["values"]) / float(row["seconds"])
        if row["type"] == "fused" and float(row["stage_s"]) > 0:
            stage = 1e-9 * float(row["values"]) / float(row["stage_s"])
            out.add("dg", backend, case, row["precision"], "stage", stage, "GDOF/s")
    for (case, precision, kind), rate in rates.items():
        if kind in ("fused", "separate"):
            out.add("dg", backend, case, precision, f"right-hand side, {kind}", rate, "GDOF/s")
        if kind == "fused" and (case, precision, "host") in rates:
            times = rate / rates[case, precision, "host"]
            out.add("dg", backend, case, precision, "over one core", times, "times")
    path = os.path.join(folder, "stages.md")
    if os.path.exists(path):
        with open(path) as file:
            stages(out, backend, file)


def stages(out, backend, lines):
    """| N | type | precision | GDOF/s | GB/s | TFlop/s | limit | share | host | times | cuBLAS | over cuBLAS |"""
    system = "Maxwell"
    for line in lines:
        begin = re.match(r"(\w+) in \dD on ", line)
        if begin:
            system = begin.group(1).capitalize()
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 12 or cells[1] != "fused" or not cells[7].endswith("%"):
            continue
        case = f"{system}, N = {cells[0]}"
        out.add("dg", backend, case, cells[2], "share", float(cells[7].rstrip(" %")), "%")
        if cells[11]:
            out.add("dg", backend, case, cells[2], "over cuBLAS", float(cells[11]), "times")


def water(out, folder):
    for row in rows_of(folder, "water.csv") + rows_of(folder, "shore.csv"):
        sphere = row["equations"] == "sphere"
        if row["precision"] != "double" or (row["affine"] != "1" and not sphere) or row["backend"] == "host":
            continue
        shape = {"triangle": "triangles", "quadrilateral": "quadrilaterals"}.get(row["cell"], row["cell"])
        case, size, backend = f"{shape}, N = {row['degree']}", row["elements"], row["backend"]
        rhs, stage = 1e3 * float(row["rhs_s"]), 1e3 * float(row["stage_s"])
        limit = 1e3 * float(row["stage_bytes"]) / float(row["copy_bytes_per_s"])
        if row["equations"] in ("nonlinear", "shore", "bores", "sphere"):
            name = row["equations"] + (", corrected" if row.get("entropy") == "1" else "")
            out.add("water", backend, case, size, f"{name}, right-hand side", rhs, "ms")
            out.add("water", backend, case, size, f"{name}, stage", stage, "ms")
            if sphere:
                out.add("water", backend, case, size, f"{name}, share", 100 * limit / stage, "%")
            continue
        out.add("water", backend, case, size, row["way"], rhs, "ms")
        if row["way"] == "fused":
            out.add("water", backend, case, size, "stage", stage, "ms")
            out.add("water", backend, case, size, "stage rate", 1e-6 * float(row["values"]) / stage, "GDOF/s")
            out.add("water", backend, case, size, "share", 100 * limit / stage, "%")


# ---- Hybridized DG


def hdg(out, folder):
    for name in ("tables", "growth", "large"):
        for row in rows_of(folder, name + ".csv"):
            cells, degree = row["cells"], row["degree"]
            case = f"{'growth, ' if name != 'tables' else ''}{cells} x {cells}, P = {degree}"
            seconds, host = float(row["seconds"]), float(row["host"])
            place = ("hdg", row["backend"], case, row["unknowns"])
            out.add(*place, "iterations", float(row["iterations"]), "1")
            out.add(*place, "trace solve", 1e3 * float(row["solve"]), "ms")
            out.add(*place, "total", 1e3 * seconds, "ms")
            out.add(*place, "set-up", 1e3 * float(row["setup"]), "ms")
            if row.get("second"):  # files of earlier versions have none
                out.add(*place, "first solve beyond", 1e3 * float(row["first"]), "ms")
                out.add(*place, "second right-hand side", 1e3 * float(row["second"]), "ms")
            if host > 0:
                out.add(*place, "one core", 1e3 * host, "ms")
                out.add(*place, "over one core", host / seconds, "times")
            if host > 0 and row.get("host_setup"):  # kernels come from the cache on either side
                ours = float(row["setup"]) - float(row["setup_compile"]) + seconds
                out.add(*place, "with set-up", 1e3 * ours, "ms", 1e3 * (host + float(row["host_setup"])))
            out.add(*place, "memory", 1e-6 * float(row["bytes"]), "MB")
    unknowns = {row["degree"]: (row["cells"], row["unknowns"]) for row in rows_of(folder, "tables.csv")}
    for row in rows_of(folder, "rates.csv"):  # of the kernel: beside the largest mesh of the tables
        cells, size = unknowns.get(row["degree"], (row["cells"], row["unknowns"]))
        if float(row["rate"]) > 0:
            rates = [1e-12 * float(row[k]) for k in ("rate", "cublas")]
            case = f"{cells} x {cells}, P = {row['degree']}"
            out.add("hdg", row["backend"], case, size, "local matrices rate", rates[0], "TFLOP/s", rates[1])


# ---- Several GPUs


def scaling(out, folder):
    rows = rows_of(folder, "scaling.csv")
    if rows and "J_ms" in rows[0]:
        for row in rows:
            space = f"{'Q' if summary.TENSOR[row['cell']] else 'P'}{row['order']} {summary.CELLS[row['cell']]}"
            place = ("scaling", row["backend"], f"assembly, {space}, {row['mode']}", row["ranks"])
            out.add(*place, "J", float(row["J_ms"]), "ms")
            out.add(*place, "F", float(row["F_ms"]), "ms")
            out.add(*place, "J exchange", float(row["J_exchange_ms"]), "ms")
            percent(out, place, scaling_table.efficiency(row, rows, ["J_ms", "F_ms"]))
    elif rows:
        else_s = lambda row: sum(float(row[s]) for s in ("local_s", "assemble_s", "rhs_s", "recover_s", "post_s"))
        one = {row["degree"]: row for row in rows if row["processes"] == "1"}
        for row in rows:
            each = f"{int(row['elements']) // int(row['processes']):,} triangles a GPU"
            place = ("scaling", row["backend"], f"HDG, P = {row['degree']}, {each}, {row['mode']}", row["processes"])
            out.add(*place, "trace solve", 1e3 * float(row["solve_s"]), "ms")
            if row["degree"] in one:
                alone = one[row["degree"]]
                out.add(*place, "efficiency of all else", 100 * else_s(alone) / else_s(row), "%")
                of_solve = 100 * float(alone["solve_s"]) / float(row["solve_s"])
                out.add(*place, "efficiency of the trace solve", of_solve, "%")
    dg_scaling(out, rows_of(folder, "dgscaling.csv"))


def dg_scaling(out, rows):
    key = lambda row: (row["problem"], row["degree"], row["precision"])
    one = {key(row): float(row["seconds"]) for row in rows if row["processes"] == "1"}
    for row in rows:
        if row["problem"] in ("triangles", "squares"):
            case = f"DG with quadrature, {row['problem']}, N = {row['degree']}, {row['mode']}"
        else:
            case = f"nodal DG, N = {row['degree']}, {row['precision']}, {row['mode']}"
        place = ("scaling", row["backend"], case, row["processes"])
        out.add(*place, "stage", 1e3 * float(row["seconds"]), "ms")
        out.add(*place, "exchange", 1e3 * float(row["exchange_s"]), "ms")
        if key(row) in one:
            out.add(*place, "efficiency", 100 * one[key(row)] / float(row["seconds"]), "%")


def percent(out, place, text):
    if text.endswith("%"):
        out.add(*place, "efficiency", float(text.rstrip(" %")), "%")


# ---- The processor's part, from what is printed


def printed(path):
    """The rows of numbers of the Markdown tables in a file, by head"""
    heads = []
    with open(path) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if not cells or set("".join(cells)) <= set(":-"):
                continue
            if cells[0] in ("elements", "type"):
                heads = cells
            elif len(cells) == len(heads):
                yield dict(zip(heads, cells))


def host(out, folder):
    for path in sorted(glob.glob(os.path.join(folder, "host-*.md"))):
        case = os.path.basename(path)[5:-3].replace("-", " ")
        for row in printed(path):
            for head, quantity, unit in (("Jacobian", "J", "ns/element"), ("residual", "F", "ns/element"),
                                         ("PETSc J", "PETSc J", "ns/element"), ("x PETSc", "over PETSc", "times")):
                if row[head]:
                    out.add("host", "host", case, row["elements"], quantity, float(row[head]), unit)


def setup(out, folder):
    for path in sorted(glob.glob(os.path.join(folder, "setup-*.md"))):
        case = os.path.basename(path)[6:-3].replace("-", " ")
        with open(path) as file:
            text = file.read()
        elements, backend = re.search(r"^## Order \d+: (\d+) elements.*; backend (\w+)", text, re.M).groups()
        matrix = float(re.search(r"^The matrix is made in ([\d.]+) s", text, re.M).group(1))
        for row in printed(path):
            place = ("setup", backend, f"{case}, {row['type']}", elements)
            for part in ("elements", "pattern", "plan J", "plan F"):
                out.add(*place, part, float(row[part]), "s")
            out.add(*place, "first J", sum(float(row[part]) for part in ("elements", "pattern", "plan J")), "s")
            out.add(*place, "matrix", matrix, "s")
            if backend == "cuda":
                for part in ("kept", "most", "mesh"):
                    out.add(*place, part, float(row[part]), "MB")


def regret(out, folder):
    for row in rows_of(folder, "regret.csv"):
        times = float(row["auto_s"]) / float(row["best_s"])
        out.add("regret", "cuda", row["space"], row["elements"], f"after {row['jacobians']}", times, "times")


def solution(out, folder):
    for row in rows_of(folder, "solution.csv"):
        place = ("solution", "cuda", row["case"], row["dofs"])
        out.add(*place, "whole run", float(row["plexgpu"]), "s", float(row["petsc"]))
        out.add(*place, "by -log_view", float(row["plexgpu_log"]), "s", float(row["petsc_log"]))
        out.add(*place, "first run", float(row["first"]), "s")
        out.add(*place, "share", row["dominates"], "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--into", metavar="DIR")
    parser.add_argument("--commit")
    parser.add_argument("--device")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    arguments = parser.parse_args()
    out = Subjects(arguments)
    for read in (assembly, integration, dg, water, hdg, scaling, host, setup, regret, solution):
        read(out, arguments.folder)
    out.write(arguments.into or os.path.join(arguments.folder, "results"))


if __name__ == "__main__":
    main()
