#!/usr/bin/env python3
"""Hybridized DG beside NGSolve's on one core: hdgpeers.py [--build DIR] [--repeat N] [--quick]

The same method (King et al. 2014, equations 5 and 6, tau = 1) for the same problem, u a product of sines in the unit
square or cube, lambda = 1, Dirichlet's condition, on the same mesh family. Errors of u have to agree. Times are
processor seconds of one thread, the least of N runs: "assembly" is set-up, local matrices and K; "solve" the
right-hand side, the trace and u. NGSolve solves with its sparse Cholesky factors; PlexGPU with its default, to a relative
residual of 1e-12, and post-processes besides. Needs ngsolve of PyPI, and build/benchmarks/hdgpeer.
"""
import argparse
import os
import subprocess
import sys

CASES = [(2, 1, 80), (2, 2, 80), (2, 3, 40), (2, 3, 80), (2, 3, 160), (2, 6, 40), (3, 1, 8), (3, 2, 6), (3, 3, 6)]
QUICK = [(2, 2, 8), (3, 1, 4)]


def ngsolve_case(dim, degree, n):
    """Prints error of u, seconds of assembly and of the solve, of a case in NGSolve."""
    import time
    import ngsolve as ng
    from ngsolve.meshes import MakeStructured2DMesh, MakeStructured3DMesh

    ng.SetNumThreads(1)
    mesh = MakeStructured2DMesh(quads=False, nx=n, ny=n) if dim == 2 else MakeStructured3DMesh(hexes=False, nx=n, ny=n, nz=n)
    x = (ng.x, ng.y, ng.z)[:dim]
    exact = ng.CoefficientFunction(1.0)
    for c in x:
        exact = exact * ng.sin(2 * ng.pi * c)
    source = (4 * dim * ng.pi**2 + 1) * exact
    tau, reaction = 1.0, 1.0
    begin = time.process_time()
    space = ng.VectorL2(mesh, order=degree) * ng.L2(mesh, order=degree) * ng.FacetFESpace(mesh, order=degree, dirichlet=".*")
    (q, u, t), (w, v, m) = space.TnT()
    n_ = ng.specialcf.normal(dim)
    a = ng.BilinearForm(space, symmetric=True, condense=True)
    # minus (5c) and plus (5b), (6): the matrix of the trace is positive definite
    a += (-q * w - ng.div(w) * u - ng.div(q) * v + reaction * u * v) * ng.dx
    a += (w * n_ * t + q * n_ * m + tau * (u - t) * (v - m)) * ng.dx(element_boundary=True)
    f = ng.LinearForm(space)
    f += source * v * ng.dx(bonus_intorder=6)
    a.Assemble()
    middle = time.process_time()
    f.Assemble()
    solution = ng.GridFunction(space)
    inverse = a.mat.Inverse(space.FreeDofs(coupling=True), inverse="sparsecholesky")
    f.vec.data += a.harmonic_extension_trans * f.vec
    solution.vec.data = inverse * f.vec
    solution.vec.data += a.harmonic_extension * solution.vec
    solution.vec.data += a.inner_solve * f.vec
    end = time.process_time()
    error = ng.Integrate((solution.components[1] - exact) ** 2, mesh, order=2 * degree + 6) ** 0.5
    print(f"{error:.6e} {middle - begin:.4f} {end - middle:.4f}")


def run(command, repeat):
    """The error, and the least seconds of assembly and of the solve, of some runs of a command."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    results = []
    for _ in range(repeat):
        out = subprocess.run(command, env=environment, capture_output=True, text=True)
        if out.returncode:
            sys.exit(f"{' '.join(command)}: {out.stderr.strip().splitlines()[-1] if out.stderr.strip() else out.returncode}")
        results.append([float(word) for word in out.stdout.split()[-3:]])
    return results[0][0], min(r[1] for r in results), min(r[2] for r in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="where benchmarks/hdgpeer was built (default build)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the least is taken (default 3)")
    parser.add_argument("--quick", action="store_true", help="two small cases")
    parser.add_argument("--ngsolve", nargs=3, type=int, metavar=("DIM", "DEGREE", "CELLS"), help="one case in NGSolve alone")
    options = parser.parse_args()
    if options.ngsolve:
        ngsolve_case(*options.ngsolve)
        return
    print("| mesh | P | error of u | NGSolve's | assembly, s | NGSolve's | solve, s | NGSolve's | all, NGSolve's over PlexGPU's |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
    for dim, degree, n in QUICK if options.quick else CASES:
        words = [str(word) for word in (dim, degree, n)]
        ours = run([f"{options.build}/benchmarks/hdgpeer", "-dim", words[0], "-plex_hdg_degree", words[1], "-cells", words[2],
                    "-plexgpu_threads", "1", "-plex_hdg_ksp_rtol", "1e-12"], options.repeat)
        theirs = run([sys.executable, os.path.abspath(__file__), "--ngsolve", *words], options.repeat)
        if abs(ours[0] - theirs[0]) > 0.05 * theirs[0]:
            sys.exit(f"errors of u differ: {ours[0]} and {theirs[0]} of NGSolve, dimension {dim}, degree {degree}, {n} cells a side")
        print(f"| {n} x {n}, triangles" if dim == 2 else f"| {n} x {n} x {n}, tetrahedra", end="")
        print(f" | {degree} | {ours[0]:.3e} | {theirs[0]:.3e} | {ours[1]:.3f} | {theirs[1]:.3f} | {ours[2]:.3f} | {theirs[2]:.3f} | "
              f"{sum(theirs[1:]) / sum(ours[1:]):.1f} |", flush=True)


main()
