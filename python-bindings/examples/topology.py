"""A heat sink by topology optimization: where to put 40 % of a good conductor so that a heated plate stays cold.

    build/python/bin/python python-bindings/examples/topology.py [-cells 40] [-steps 30] [-output topology.png]

Each step assembles a Jacobian, solves, and moves material to where it carries more heat (Bendsoe and Sigmund 2003). The
density is an auxiliary field, of which PETSc's memory is numpy's: nothing is compiled or set up between two steps.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import numpy as np
import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, TestFunction, dx, grad, inner

options, WEST, SHARE, POWER, LEAST = PETSc.Options(), 5, 0.4, 3, 1e-3
for name, value in dict(snes_type="ksponly", ksp_type="cg", ksp_rtol=1e-8, pc_type="gamg").items():
    if not options.hasName(name):
        options[name] = value
cells, steps = options.getInt("cells", 40), options.getInt("steps", 30)

dm = PETSc.DMPlex().createBoxMesh([cells, cells], simplex=False)
dm.distribute()
dm.setFromOptions()
for face in range(*dm.getHeightStratum(1)):  # the cold part of the left side
    if dm.getLabelValue("Face Sets", face) == 4 and abs(dm.computeCellGeometryFVM(face)[1][1] - 0.5) < 0.1:
        dm.setLabelValue("sink", face, WEST)
if not dm.hasLabel("sink"):
    dm.createLabel("sink")
dm.setField(0, PETSc.FE().createLagrange(2, 1, False, 2, comm=dm.getComm()))
dm.createDS()
known = pu.auxiliary(dm, PETSc.FE().createLagrange(2, 1, False, 0, comm=dm.getComm()))

V, (rho,) = pu.space(dm), known.fields
u, v = Coefficient(V), TestFunction(V)
conductivity = LEAST + (1 - LEAST) * rho**POWER
problem = pu.Problem((conductivity * inner(grad(u), grad(v)) - v) * dx, u, bcs=[pu.essential(V, "sink", WEST)])
more = plexgpu.Pointwise(dm, "RESIDUAL(square) { f[0] = u_x[0] * u_x[0] + u_x[1] * u_x[1]; }")

density = np.asarray(plexgpu.array(known.vec))  # of each cell, PETSc's own
density[:] = SHARE
snes, T, S = problem.snes(), problem.createVec(), known.dm.createGlobalVec()
load, history, total = problem.residual(T).copy(), [], S.getSize()
for step in range(steps):
    problem.solve(T, snes)
    history.append(-load.dot(T))
    more.project(known.dm, "square", T, S)  # |grad u|^2 at the cells' centers
    gain = POWER * density ** (POWER - 1) * S.getArray(readonly=True)
    before, low, high = density.copy(), 0.0, 1e9
    for _ in range(60):  # the multiplier of the volume
        middle = np.sqrt(max(low, 1e-9) * high)
        wanted = before * np.sqrt(gain / middle)
        density[:] = np.clip(wanted, np.maximum(before - 0.1, 0.01), np.minimum(before + 0.1, 1.0))
        S.setArray(density)
        low, high = (middle, high) if S.sum() > SHARE * total else (low, middle)
counts = problem.assembly.counts()
PETSc.Sys.Print(f"result: {T.getSize()} unknowns, compliance {history[0]:.4f} to {history[-1]:.4f}, norm "
                f"{T.norm():.6e}; {counts['jacobians']} Jacobians by {problem.assembly.backend.type}, "
                f"{counts['residuals_left'] + counts['jacobians_left']} left to PETSc")

at, temperature = plexgpu.corner_values(dm, T)
where = picture.gathered(np.array([dm.computeCellGeometryFVM(c)[1] for c in range(*dm.getHeightStratum(0))]), dm)
material = picture.gathered(density, dm)
if at is not None:
    figure, (left, right) = picture.figure(1, 2, figsize=(12, 5))
    left.imshow(picture.image(where, material, cells), origin="lower", extent=(0, 1, 0, 1), cmap="Greys")
    left.set(title=f"{100 * SHARE:.0f} % of good conductor", xlabel="x", ylabel="y")
    picture.draw(right, at, temperature[..., 0], "temperature", lines=True)
    picture.save(figure, options.getString("output", "topology.png"))
