#!/usr/bin/env python3
"""Multigrid of degrees beside an assembled matrix with GAMG: whole solves of PETSc's tutorials, with PlexGPU's assembly in both.

pmg.py [-b FOLDER] [-o FOLDER] [-s small] [-n TIMES] [-w WAY=OPTIONS]... [-y WAY,...] [-c CELLS,...] [NAME...]

  -b FOLDER  where tutorials and lib are (default build)
  -o FOLDER  for pmg.csv and the logs (default $OUT, else build/bench-pmg)
  -s small   meshes for a try without a GPU, on the host; default: those of the table
  -n TIMES   runs, the least of which counts (default 2: the first may compile kernels)
  -w WAY=OPTIONS  another way: multigrid of degrees with these options
  -y WAY,...      these ways alone
  -c CELLS,...    meshes of so many cells a side instead of the table's
  NAME       of CASES below; default all

Iterations are those of CG, the most of all linear solves of the case: of Newton's steps, or of the velocity's block of Stokes' equations.
Applies are those of the operator of the highest degree in these iterations: one of CG and 2 k in a cycle with k steps of the smoother,
of each k - 1 before and k after the coarser level and one residual.

The seconds are those of the event SNESSolve of -log_view: residuals, Jacobians, the preconditioner's set-up and the linear solves, with plans and
kernels that were not made in SNESSetUp, which comes before it. PCSetUp and KSPSolve are events within it, KSPSolve without the set-up where that came before.
"""
import argparse
import csv
import os
import re
import subprocess
import sys

BOX = "-dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces N,N,N"
KSPONLY = "-snes_type ksponly"
# the pressure's Schur complement by its mass matrix, ex62's own; the velocity's block is solved to a tolerance
SCHUR = ("-pc_use_amat -ksp_type fgmres -ksp_rtol 1e-6 -pc_type fieldsplit -pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type upper"
         " -pc_fieldsplit_schur_precondition a11 -fieldsplit_pressure_ksp_type preonly -fieldsplit_pressure_pc_type jacobi")
VELOCITY = "fieldsplit_velocity_"
# cuSPARSE's products of GAMG's set-up have no room for more than 2^31 terms (docs/notes/2026-gamg.md)
PRODUCTS = "-matptap_backend_cpu -matmatmult_backend_cpu -mattransposematmult_backend_cpu -mat_product_algorithm_backend_cpu"
# name: program, cells a side (small: for a try), options, prefix of the solver
CASES = {
    "ex13-Q2": ("tutorials/snes-ex13", 32, 4, f"{BOX} -potential_petscspace_degree 2 {KSPONLY}", ""),
    "ex13-Q3": ("tutorials/snes-ex13", 32, 3, f"{BOX} -potential_petscspace_degree 3 {KSPONLY}", ""),
    "ex13-Q2-48": ("tutorials/snes-ex13", 48, 6, f"{BOX} -potential_petscspace_degree 2 {KSPONLY}", ""),
    "ex17-Q2": ("tutorials/snes-ex17", 24, 3, f"{BOX} -sol_type elas_quad -displacement_petscspace_degree 2 {KSPONLY}", ""),
    "neo-hooke": ("examples/hyperelasticity", 24, 2, f"-cells N -angle 1 -steps 1 -snes_rtol 1e-6 -pc_plexpmg_rigid_body {PRODUCTS}", ""),
    "stokes": ("tutorials/snes-ex62", 384, 8,
               f"-dm_plex_simplex 0 -dm_plex_box_faces N,N -sol trig -vel_petscspace_degree 2 -pres_petscspace_degree 1 {KSPONLY} {SCHUR}", VELOCITY),
    "stokes-3D": ("tutorials/snes-ex62", 24, 3, f"{BOX} -sol trig -vel_petscspace_degree 2 -pres_petscspace_degree 1 {KSPONLY} {SCHUR}"
                  f" {PRODUCTS} {PRODUCTS.replace('-ma', '-' + VELOCITY + 'ma')}", VELOCITY),
}
WAYS = {
    "gamg": "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi",
    "pmg": "-pc_type plexpmg",
    "pmg-applied": "-pc_type plexpmg -plex_assembly_apply true", # J of several fields not assembled, beside P
}
COLUMNS = ["case", "cells", "way", "iterations", "applies", "SNESSetUp", "SNESSolve", "PCSetUp", "KSPSolve"]


def event(text, name):
    """Seconds of -log_view's line of an event"""
    found = re.search(rf"^{name} +\d+ [\d.]+ (\S+)", text, re.M)
    return float(found.group(1)) if found else 0.0


def steps(way):
    """Of the smoother: PCMG's 2 or PCPLEXPMG's 4, unless told"""
    found = re.search(r"-mg_levels_ksp_max_it (\d+)", WAYS[way])
    return int(found.group(1)) if found else 2 if way == "gamg" else 4


def command(name, way, cells, args, log):
    program, _, _, options, prefix = CASES[name]
    words = [os.path.join(args.build, program)]
    if program.startswith("tutorials"):
        words += ["-dll_append", os.path.abspath(os.path.join(args.build, "lib", "libplexgpu.so"))]
        words += ["-plex_assembly_source", os.path.join(args.build, program + ".i")]
    words += ["-plex_assembly_backend", "host"] if args.size == "small" else ["-dm_vec_type", "cuda"]
    aij = "aij" if args.size == "small" else "aijcusparse"
    words += ["-dm_mat_type", aij if way == "gamg" or prefix else "plexgpu"]
    words += re.sub(r"\bN\b", str(cells), options).split()
    solver = WAYS[way] + " -ksp_type cg -ksp_rtol 1e-8 -ksp_converged_reason" + (" -pc_plexpmg_linear" if prefix else "")
    words += [re.sub("^-(?=(ksp|pc|mg)_)", "-" + prefix, word) for word in solver.split()]
    return words + ["-log_view", f":{log}", "-log_view_gpu_time"]


def run(name, way, cells, args):
    log = os.path.join(args.out, f"{name}.{cells}.{way}.log")
    words = command(name, way, cells, args, log)
    prefix = CASES[name][4]
    best = None
    for _ in range(args.times):
        done = subprocess.run(words, capture_output=True, text=True)
        with open(log + ".out", "w") as file:
            file.write(done.stdout + done.stderr)
        iterations = [int(k) for k in re.findall(rf"Linear {prefix + ' ' if prefix else ''}solve converged due to \w+ iterations (\d+)", done.stdout)]
        if done.returncode or not iterations or "DIVERGED" in done.stdout:
            sys.exit(f"pmg.py: {' '.join(words)} failed, see {log}.out:\n" + "\n".join(done.stderr.splitlines()[:8]))
        with open(log) as file:
            text = file.read()
        row = {"case": name, "cells": cells, "way": way, "iterations": max(iterations), "applies": sum(iterations) * (1 + 2 * steps(way))}
        row.update({key: event(text, key) for key in ("SNESSetUp", "SNESSolve", "PCSetUp", "KSPSolve")})
        if best is None or row["SNESSolve"] < best["SNESSolve"]:
            best = row
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-b", dest="build", default="build")
    parser.add_argument("-o", dest="out", default=os.environ.get("OUT", "build/bench-pmg"))
    parser.add_argument("-s", dest="size", choices=["small"])
    parser.add_argument("-n", dest="times", type=int, default=2)
    parser.add_argument("-w", dest="ways", action="append", default=[], metavar="WAY=OPTIONS")
    parser.add_argument("-y", dest="only", default="")
    parser.add_argument("-c", dest="cells", default="")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    for name in args.names:
        if name not in CASES:
            parser.error(f"no case {name}: {', '.join(CASES)}")
    for way in args.ways:
        key, _, options = way.partition("=")
        WAYS[key] = f"-pc_type plexpmg {options}"
    os.makedirs(args.out, exist_ok=True)
    print("| case | cells a side | solver | CG iterations | applies | SNESSetUp, s | SNESSolve, s | PCSetUp, s | KSPSolve, s |\n|---|---|---|---|---|---|---|---|---|")
    with open(os.path.join(args.out, "pmg.csv"), "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for name in args.names or CASES:
            sizes = [int(n) for n in args.cells.split(",") if n] or [CASES[name][2 if args.size == "small" else 1]]
            for cells in sizes:
                for way in args.only.split(",") if args.only else WAYS:
                    if way == "pmg-applied" and not CASES[name][4]:
                        continue # J of one field is not assembled with pmg
                    row = run(name, way, cells, args)
                    table.writerow(row)
                    print("| {case} | {cells} | {way} | {iterations} | {applies} | {SNESSetUp:.3g} | {SNESSolve:.3g} | {PCSetUp:.3g} | {KSPSolve:.3g} |".format(**row), flush=True)


if __name__ == "__main__":
    main()
