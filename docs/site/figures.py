"""Figures of the page of performance, from benchmarks/results. None has a number that is not in a file there."""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

from repository import TOP  # noqa: E402

BLUE, GREY, ORANGE = "#1f6fb2", "#b8bec6", "#d9822b"
plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "plexgpu", "figure.constrained_layout.use": True})


def rows(name):
    with open(TOP / "benchmarks" / "results" / f"{name}.csv") as file:
        return list(csv.DictReader(file))


def machine(lines):
    return ", ".join(sorted({f"{r['device']} ({r['date']})" for r in lines}))


def whole_runs():
    """Seconds of whole runs, by PETSc alone and with PlexGPU"""
    lines = [r for r in rows("solution") if r["quantity"] == "whole run"][::-1]
    figure, axes = plt.subplots(figsize=(8, 4.4))
    for k, r in enumerate(lines):
        alone, here = float(r["reference"]), float(r["value"])
        axes.barh(k + 0.19, alone, 0.36, color=GREY, label="PETSc alone" if not k else None)
        axes.barh(k - 0.19, here, 0.36, color=BLUE, label="with PlexGPU" if not k else None)
        axes.text(alone + 0.6, k + 0.19, f"{alone:g} s", va="center", fontsize=8)
        axes.text(here + 0.6, k - 0.19, f"{here:g} s, {alone / here:.1f} times as fast", va="center", fontsize=8)
    axes.set_yticks(range(len(lines)), [r["case"] for r in lines])
    axes.set_xlim(0, 82)
    axes.set_xlabel(f"seconds of the whole run: {machine(lines)}", fontsize=9)
    axes.legend(loc="lower right", frameon=False)
    return figure


def jacobians():
    """Times of Jacobians: the fastest type, a reduction over a COO list, and the limit by memory"""
    table = {}
    for r in rows("jacobians"):
        table.setdefault((r["case"], int(r["size"])), {})[r["quantity"]] = r
    types = ["element_color", "element_atomic"] + [f"{a}_{b}" for a in ("global", "shared", "local") for b in ("nz", "row")]
    cases, seen = [], set()
    for (case, size), q in sorted(table.items(), key=lambda item: (item[0][0], -item[0][1])):
        best = [(float(q[t]["value"]), t) for t in types if t in q and q[t]["unit"] == "ns/element" and number(q[t]["value"])]
        if case not in seen and best and "coo" in q and number(q["coo"]["value"]):
            seen.add(case)
            cases.append((case, *min(best), float(q["coo"]["value"]), number(q["coo"]["limit"])))
    figure, axes = plt.subplots(figsize=(8, 0.36 * len(cases) + 1.3))
    for k, (case, best, kind, coo, limit) in enumerate(cases[::-1]):
        axes.plot([best, coo], [k, k], color=GREY, lw=2, zorder=1)
        axes.scatter([best], [k], color=BLUE, zorder=2, label="the fastest type" if not k else None)
        axes.scatter([coo], [k], color=ORANGE, zorder=2, label="reduction over a COO list" if not k else None)
        if limit:
            axes.scatter([limit], [k], color="black", marker="|", s=90, zorder=2, label="bytes of matrix and vertices at a copy's rate" if not k else None)
        axes.text(coo * 1.12, k, kind, va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(cases)), [c[0] for c in cases[::-1]])
    axes.set_xlabel(f"ns an element, double precision: {machine(rows('jacobians'))}", fontsize=8)
    axes.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    axes.margins(x=0.16)
    return figure


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def dg():
    """Rates of stages of Maxwell's equations by degree"""
    lines = [r for r in rows("dg") if r["quantity"] == "stage" and r["case"].startswith("Maxwell, N")]
    figure, axes = plt.subplots(figsize=(6, 3.2))
    for precision, color in (("single", ORANGE), ("double", BLUE)):
        points = sorted((int(r["case"].split("=")[1]), float(r["value"])) for r in lines if r["size"] == precision)
        axes.plot(*zip(*points), "o-", color=color, label=precision)
    axes.set_xlabel("degree N")
    axes.set_ylabel("GDOF/s of a stage")
    axes.set_ylim(0)
    axes.set_title(f"Maxwell's equations: {machine(lines)}", fontsize=9)
    axes.legend(frameon=False)
    return figure


FIGURES = {"whole-runs": whole_runs, "jacobians": jacobians, "nodal-dg": dg}


def make(folder):
    """Names of the files, which are made anew where a result is newer"""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    newest = max(p.stat().st_mtime for p in [*(TOP / "benchmarks" / "results").glob("*.csv"), Path(__file__)])
    for name, draw in FIGURES.items():
        path = folder / f"{name}.svg"
        if not path.exists() or path.stat().st_mtime < newest:
            figure = draw()
            figure.savefig(path, metadata={"Date": None})
            plt.close(figure)
    return [f"{name}.svg" for name in FIGURES]
