#!/usr/bin/env python3
"""Chapter 5 of Henry de Frahan (2011), and its appendix C, from what `benchmarks/run-water.sh` measures.

waterfigures.py [-o FOLDER] FOLDER...     with water.csv and kernels.csv in each
  water-size.png     figure 5.6: time of a Runge-Kutta step and speed-up over one core against the number of elements, degree 4
  water-degree.png   figure 5.7: likewise against the degree, of the largest meshes, element for element
  water-parts.png    figure 5.8: what each kernel takes of a right-hand side, by way and degree
  water-kernels.png  figures 5.9 to 5.14: GB/s and GFlop/s of the kernels by degree, their speed-up over the host's, and all that against the number of elements
  water-occupancy.png  figure 5.3: occupancy against the size of a block, of gemm_sf; of a GPU
  water-launch.png     figure 5.4: launch time, and its share of the kernel's, by degree; of a GPU
  water-deviation.png  figure 5.5: relative standard deviation of the kernel's time by degree
  water-parts-size.png figure C.1: what each kernel takes by the number of elements
  water-appendix-*.png figures C.2 on: each kernel's time, speed-up and GB/s by number of elements and degree
  water-ceiling.png  the share that right-hand side and stage have of the time of their bytes, each moved once
Tables 5.1, 5.2, C.1 and C.2, and of the numbers drawn, go to the output, with the thesis' headline beside ours. A later line for the same case takes an earlier one's place.
"""
import argparse
import csv
import os

import waterkernels
from dgfigures import as_text, curves, grouped, largest, numbers, save
from waterkernels import KERNELS, WAYS

PAPER = {"kernels": "P_GPU: 15", "blas": "P_GPUBLAS: 50 to 70", "fused": "-"}
IN_HOST = {"jacobian_sf": "evaluate_sf", "jacobian_q": "evaluate_q", "map_to_element": "gemm_q"}  # steps of the host that have what a kernel does
TEXT = ["backend", "way", "type", "precision", "cell", "system", "part", "equations"]


def shape(row):
    return f"{'' if row['affine'] else 'curved '}{row['cell']}s"


def read(folders, name, keys):
    rows = {}
    for folder in folders:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                row = {k: v if k in TEXT else float(v) if v else None for k, v in row.items()}
                row["shape"] = shape(row)
                rows[tuple(row[k] for k in keys)] = row
    return list(rows.values())


def ordered(names):
    return sorted(names, key=lambda name: WAYS.index(name) if name in WAYS else len(WAYS))


def table(rows, way, x, value):
    """{x: value} of a way"""
    return {r[x]: value(r) for r in sorted(rows, key=lambda r: r[x]) if r["way"] == way and value(r) > 0}


def columns(rows, x="degree"):
    return [f"{v:.0f}" for v in sorted({r[x] for r in rows})]


def host_each(rows):
    """Seconds of a step on one core, an element: {(shape, precision, degree)}, of the largest mesh"""
    return {(r["shape"], r["precision"], r["degree"]): r["step_s"] / r["elements"] for r in largest([r for r in rows if r["way"] == "host"], lambda r: (r["shape"], r["precision"], r["degree"]))}


def figure(plt, rows, host, x, xlabel, log, folder, name, title):
    """Time of a step, and speed-up element for element, against x: figures 5.6 and 5.7"""
    groups = sorted(grouped(rows, lambda r: (r["shape"], r["precision"])).items())
    fig, axes = plt.subplots(len(groups), 2, figsize=(10, 4 * len(groups)), squeeze=False)
    for ax, ((cells, precision), group) in zip(axes, groups):
        ways = ordered({r["way"] for r in group})
        time = {w: table(group, w, x, lambda r: 1e3 * r["step_s"]) for w in ways}
        each = {w: table(group, w, x, lambda r: host.get((cells, precision, r["degree"]), 0) * r["elements"] / r["step_s"]) for w in ways if w != "host"}
        each = {w: values for w, values in each.items() if values}
        label = f"{cells}, {precision}"
        curves(ax[0], time, xlabel, f"ms a step, {label}", log, WAYS)
        ax[0].set_yscale("log")
        curves(ax[1], each, xlabel, "times one core", log, WAYS)
        numbers(f"{title}, {label}: ms a step", as_text(time), columns(group, x))
        if each:
            numbers(f"{title}, {label}: times one core", as_text(each), columns(group, x))
    save(fig, folder, name, title)


def headline(rows, host):
    """Speed-up at degree 4 beside the thesis, and fused over blas by degree"""
    print("Speed-up over one core at p = 4, a step of the classical Runge-Kutta method, element for element\n\n| | elements | way | thesis | ms | times one core |\n|:--|--:|:--|--:|--:|--:|")
    for r in sorted(largest([r for r in rows if r["degree"] == 4 and r["way"] != "host"], lambda r: (r["shape"], r["precision"], r["way"])), key=lambda r: (r["shape"], r["precision"], WAYS.index(r["way"]))):
        one = host.get((r["shape"], r["precision"], 4.0))
        print(f"| {r['shape']}, {r['precision']} | {r['elements']:.0f} | {r['way']} | {PAPER[r['way']]} | {1e3 * r['step_s']:.4g} | {one * r['elements'] / r['step_s']:.0f} |" if one else f"| {r['shape']}, {r['precision']} | {r['elements']:.0f} | {r['way']} | {PAPER[r['way']]} | {1e3 * r['step_s']:.4g} | - |")
    print()
    big = largest([r for r in rows if r["way"] != "host"], lambda r: (r["shape"], r["precision"], r["degree"], r["way"]))
    for column, what in ("rhs_s", "right-hand sides"), ("step_s", "steps"):
        over = {}
        for (cells, precision, degree), group in grouped(big, lambda r: (r["shape"], r["precision"], r["degree"])).items():
            by = {r["way"]: r[column] for r in group}
            for other in "blas", "kernels":
                if "fused" in by and other in by:
                    over.setdefault(f"{cells}, {precision}, over {other}", {})[degree] = by[other] / by["fused"]
        if over:
            numbers(f"{what}: how many times faster fused is", as_text(over), columns(big))


def ceilings(plt, rows, folder):
    """Share of the time that the bytes of each number moved once take at the rate of a copy, the best that was measured: others are set up beside"""
    copy = max((r["copy_bytes_per_s"] for r in rows if r["way"] != "host"), default=0.0)
    big = largest([r for r in rows if r["way"] != "host"], lambda r: (r["shape"], r["precision"], r["degree"], r["way"]))
    groups = sorted(grouped(big, lambda r: (r["shape"], r["precision"])).items())
    fig, axes = plt.subplots(1, len(groups), figsize=(6 * len(groups), 4), squeeze=False)
    for ax, ((cells, precision), group) in zip(axes[0], groups):
        share = {w: table(group, w, "degree", lambda r: 100 * r["bytes"] / copy / r["rhs_s"]) for w in ordered({r["way"] for r in group})}
        share.update({f"{w}, stage": table([r for r in group if r["stage_s"] > 0], w, "degree", lambda r: 100 * r["stage_bytes"] / copy / r["stage_s"]) for w in ordered({r["way"] for r in group if r["stage_s"] > 0})})
        curves(ax, share, "p", "% of the bytes' ceiling", order=WAYS)
        ax.set_title(f"{cells}, {precision}", fontsize=8)
        numbers(f"{cells}, {precision}: % of the bytes' ceiling, right-hand sides and stages", as_text(share), columns(group))
    save(fig, folder, "water-ceiling.png", "Each field read and written once, geometry and maps once, at the rate of a copy")


def rates(plt, kernels, folder):
    """Figures 5.9 to 5.14: rates of the kernels by degree and size, and their speed-up over the host's steps of the same name"""
    host = {(r["shape"], r["precision"], r["degree"], r["part"]): r["seconds"] / r["elements"] for r in largest([r for r in kernels if r["way"] == "host"], lambda r: (r["shape"], r["precision"], r["degree"], r["part"]))}
    device = [r for r in kernels if r["way"] not in ("host", "fused")]
    groups = sorted(grouped(device, lambda r: (r["shape"], r["precision"], r["way"])).items())
    if not groups:
        return
    fig, axes = plt.subplots(len(groups), 4, figsize=(20, 4 * len(groups)), squeeze=False)
    for ax, ((cells, precision, way), group) in zip(axes, groups):
        big = largest(group, lambda r: (r["degree"], r["part"]))
        parts = [part for part in KERNELS if any(r["part"] == part and r["bytes"] > 0 for r in group)]
        bandwidth = {part: {r["degree"]: 1e-9 * r["bytes"] / r["seconds"] for r in big if r["part"] == part} for part in parts}
        flops = {part: {r["degree"]: 1e-9 * r["flops"] / r["seconds"] for r in big if r["part"] == part and r["flops"] > 0} for part in parts}
        flops = {part: values for part, values in flops.items() if values}
        speed = {}
        for (degree, part), together in grouped([r for r in big if r["part"] in KERNELS], lambda r: (r["degree"], IN_HOST.get(r["part"], r["part"]))).items():
            each = host.get((cells, precision, degree, part))
            if each:
                speed.setdefault(part, {})[degree] = each * together[0]["elements"] / sum(r["seconds"] for r in together)
        four = [r for r in group if r["degree"] == 4] or [r for r in group if r["degree"] == max(q["degree"] for q in group)]
        size = {part: {r["elements"]: 1e-9 * r["bytes"] / r["seconds"] for r in four if r["part"] == part} for part in parts if part in ("equal", "evaluate_sf", "collocation_u", "gemm_sf", "solve")}
        label = f"{way}, {cells}, {precision}"
        curves(ax[0], bandwidth, "p", f"GB/s, {label}")
        curves(ax[1], flops, "p", "GFlop/s")
        curves(ax[2], speed, "p", "times one core")
        curves(ax[3], size, "elements", f"GB/s, p = {four[0]['degree']:.0f}")
        ax[3].set_xscale("log")
        for title, values in ("GB/s", bandwidth), ("GFlop/s of products", flops), ("times the host's one core, Jacobians with evaluation, mapping to elements with gemm_q", speed):
            if values:
                numbers(f"{label}: {title}", as_text(values), columns(group))
        numbers(f"{label}: GB/s by elements, p = {four[0]['degree']:.0f}", as_text(size), columns(four, "elements"))
    save(fig, folder, "water-kernels.png", "Rates of the kernels")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("-o", default=".", metavar="FOLDER")
    a = parser.parse_args()
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    os.makedirs(a.o, exist_ok=True)
    rows = read(a.folders, "water.csv", ["backend", "way", "precision", "shape", "degree", "elements"])
    kernels = read(a.folders, "kernels.csv", ["system", "type", "precision", "shape", "degree", "elements", "part"])
    if not rows:
        parser.error("there is nothing to draw: no folder has a water.csv")
    for r in rows:
        r["way"] = "host" if r["backend"] == "host" else r["way"]
    for r in kernels:
        r["way"], r["part"] = r["type"], r["part"].replace(" by the library", "")
    host = host_each(rows)
    headline(rows, host)
    figure(plt, [r for r in rows if r["degree"] == 4] or rows, host, "elements", "$N_E$", True, a.o, "water-size.png", "A Runge-Kutta step by the number of elements, p = 4")
    figure(plt, largest(rows, lambda r: (r["shape"], r["precision"], r["degree"], r["way"])), host, "degree", "p", False, a.o, "water-degree.png", "A Runge-Kutta step by degree, of the largest meshes")
    if any(r["way"] != "host" for r in rows):
        ceilings(plt, rows, a.o)
    key = lambda r: (r["shape"], r["precision"], r["way"], r["degree"], r["part"])
    waterkernels.shares(plt, largest(kernels, key), "degree", a.o, "water-parts.png", "What each kernel takes of a right-hand side")
    waterkernels.shares(plt, waterkernels.by_size(kernels) if kernels else [], "elements", a.o, "water-parts-size.png", "Figure C.1: what each kernel takes of a right-hand side by the number of elements")
    rates(plt, kernels, a.o)
    waterkernels.draw(plt, kernels, max((r["copy_bytes_per_s"] for r in rows if r["way"] != "host"), default=0), a.o)


if __name__ == "__main__":
    main()
