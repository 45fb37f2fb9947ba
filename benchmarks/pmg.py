#!/usr/bin/env python3
"""Multigrid of degrees beside an assembled matrix with GAMG: whole solves of PETSc's tutorials, with PlexGPU's assembly in both.

pmg.py [-b FOLDER] [-o FOLDER] [-s small] [-n TIMES] [NAME...]

  -b FOLDER  where tutorials and lib are (default build)
  -o FOLDER  for pmg.csv and the logs (default $OUT, else build/bench-pmg)
  -s small   meshes for a try without a GPU, on the host; default: those of the table
  -n TIMES   runs, the least of which counts (default 2: the first may compile kernels)
  NAME       of CASES below; default all

The seconds are those of the event SNESSolve of -log_view: plans, kernels, residuals, Jacobians, the preconditioner's set-up and the
linear solves. PCSetUp and KSPSolve are events within it, KSPSolve without the set-up where that came before.
"""
import argparse
import csv
import os
import re
import subprocess
import sys

BOX = "-dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces N,N,N"
# name: program, cells a side (small: for a try), options
CASES = {
    "ex13-Q2": ("snes-ex13", 32, 4, f"{BOX} -potential_petscspace_degree 2"),
    "ex13-Q3": ("snes-ex13", 32, 3, f"{BOX} -potential_petscspace_degree 3"),
    "ex13-Q2-48": ("snes-ex13", 48, 6, f"{BOX} -potential_petscspace_degree 2"),
    "ex17-Q2": ("snes-ex17", 24, 3, f"{BOX} -sol_type elas_quad -displacement_petscspace_degree 2"),
}
GAMG = "-pc_type gamg -mg_levels_ksp_type chebyshev -mg_levels_pc_type jacobi"
WAYS = {"gamg": ("-dm_mat_type aijcusparse -dm_vec_type cuda", "", GAMG), "pmg": ("-dm_mat_type plexgpu -dm_vec_type cuda", "-dm_mat_type plexgpu", "-pc_type plexpmg")}


def event(text, name):
    """Seconds of -log_view's line of an event"""
    found = re.search(rf"^{name} +\d+ [\d.]+ (\S+)", text, re.M)
    return float(found.group(1)) if found else 0.0


def run(name, way, args):
    program, cells, small, options = CASES[name]
    n = small if args.size == "small" else cells
    device, host, solver = WAYS[way]
    log = os.path.join(args.out, f"{name}.{way}.log")
    command = [os.path.join(args.build, "tutorials", program), "-dll_append", os.path.abspath(os.path.join(args.build, "lib", "libplexgpu.so"))]
    command += options.replace("N,N,N", f"{n},{n},{n}").split() + (host if args.size == "small" else device).split() + solver.split()
    command += ["-plex_assembly_source", os.path.join(args.build, "tutorials", program + ".i")]
    if args.size == "small":
        command += ["-plex_assembly_backend", "host"]
    command += ["-ksp_type", "cg", "-ksp_rtol", "1e-8", "-snes_type", "ksponly", "-ksp_converged_reason", "-log_view", f":{log}"]
    best = None
    for _ in range(args.times):
        done = subprocess.run(command, capture_output=True, text=True)
        with open(log + ".out", "w") as file:
            file.write(done.stdout + done.stderr)
        iterations = [int(k) for k in re.findall(r"solve converged due to \w+ iterations (\d+)", done.stdout)]
        if done.returncode or not iterations:
            sys.exit(f"pmg.py: {' '.join(command)} failed, see {log}.out:\n" + "\n".join(done.stderr.splitlines()[:8]))
        with open(log) as file:
            text = file.read()
        row = {"case": name, "cells": n, "way": way, "iterations": iterations[0]}
        row.update({key: event(text, key) for key in ("SNESSolve", "PCSetUp", "KSPSolve")})
        if best is None or row["SNESSolve"] < best["SNESSolve"]:
            best = row
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-b", dest="build", default="build")
    parser.add_argument("-o", dest="out", default=os.environ.get("OUT", "build/bench-pmg"))
    parser.add_argument("-s", dest="size", choices=["small"])
    parser.add_argument("-n", dest="times", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    for name in args.names:
        if name not in CASES:
            parser.error(f"no case {name}: {', '.join(CASES)}")
    os.makedirs(args.out, exist_ok=True)
    print("| case | cells a side | solver | CG iterations | SNESSolve, s | PCSetUp, s | KSPSolve, s |\n|---|---|---|---|---|---|---|")
    with open(os.path.join(args.out, "pmg.csv"), "w", newline="") as file:
        table = csv.DictWriter(file, ["case", "cells", "way", "iterations", "SNESSolve", "PCSetUp", "KSPSolve"])
        table.writeheader()
        for name in args.names or CASES:
            for way in WAYS:
                row = run(name, way, args)
                table.writerow(row)
                print("| {case} | {cells} | {way} | {iterations} | {SNESSolve:.3g} | {PCSetUp:.3g} | {KSPSolve:.3g} |".format(**row), flush=True)


if __name__ == "__main__":
    main()
