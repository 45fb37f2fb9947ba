"""Stokes flow in a cavity whose lid moves: two fields, and a preconditioner from a form of its own.

    build/python/bin/python python-bindings/examples/stokes.py [-cells 24] [-order 2] [-output stokes.png]

The matrix of the preconditioner has the pressure's mass matrix in the place of the Schur complement.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import numpy as np
import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, SpatialCoordinate, TestFunction, TrialFunction, as_vector, div, dx, grad, inner

BOTTOM, RIGHT, LID, LEFT = 1, 2, 3, 4  # sides of PETSc's boxes
DEFAULTS = """-ksp_type fgmres -ksp_rtol 1e-8 -pc_type fieldsplit -pc_fieldsplit_type schur
  -pc_fieldsplit_schur_fact_type upper -pc_fieldsplit_schur_precondition a11
  -fieldsplit_velocity_ksp_type cg -fieldsplit_velocity_ksp_rtol 1e-2 -fieldsplit_velocity_pc_type gamg
  -fieldsplit_pressure_ksp_type preonly -fieldsplit_pressure_pc_type jacobi"""

options = PETSc.Options()
for name, value in zip(DEFAULTS.split()[::2], DEFAULTS.split()[1::2]):
    if not options.hasName(name[1:]):
        options[name[1:]] = value
cells, order = options.getInt("cells", 24), options.getInt("order", 2)

dm = PETSc.DMPlex().createBoxMesh([cells, cells], simplex=False)
dm.distribute()
dm.setFromOptions()
for field, (name, components, degree) in enumerate((("velocity", 2, order), ("pressure", 1, order - 1))):
    fe = PETSc.FE().createLagrange(2, components, False, degree, order, comm=dm.getComm())  # with one quadrature
    fe.setName(name)
    dm.setField(field, fe)
dm.createDS()

V, Q = pu.space(dm, 0), pu.space(dm, 1)
u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
du, dp = TrialFunction(V), TrialFunction(Q)
nu, x = pu.constant(dm, 1.0), SpatialCoordinate(pu.mesh(dm))
form = (nu * inner(grad(u), grad(v)) - p * div(v) - q * div(u)) * dx
P = (nu * inner(grad(du), grad(v)) - dp * q / nu) * dx
lid = as_vector([16 * x[0] ** 2 * (1 - x[0]) ** 2, 0 * x[0]])
walls = pu.essential(V, "Face Sets", [BOTTOM, RIGHT, LEFT], [0.0, 0.0])
problem = pu.Problem(form, [u, p], P=P, bcs=[walls, pu.essential(V, "Face Sets", LID, lid)])

# the pressure is known but for a constant
snes = problem.snes()
constant = problem.interpolate([[0.0, 0.0], 1.0])
constant.normalize()
snes.getJacobian()[0].setNullSpace(PETSc.NullSpace().create(vectors=[constant], comm=dm.getComm()))
X = problem.solve(snes=snes)
counts, its = problem.assembly.counts(), snes.getKSP().getIterationNumber()
left = counts["residuals_left"] + counts["jacobians_left"]
PETSc.Sys.Print(f"result: {X.getSize()} unknowns, {its} linear iterations, norm {X.norm():.6e}; {counts['jacobians']} "
                f"Jacobians by {problem.assembly.backend.type}, {left} left to PETSc")

at, velocity = plexgpu.corner_values(dm, X, 0)
_, pressure = plexgpu.corner_values(dm, X, 1)
if at is not None:
    figure, axes = picture.figure(1, 2, figsize=(12, 5))
    picture.draw(axes[0], at, np.hypot(velocity[..., 0], velocity[..., 1]), "speed", cmap="viridis")
    picture.streams(axes[0], at, velocity, cells)
    picture.draw(axes[1], at, np.clip(pressure[..., 0], -5, 5), "pressure", lines=True, cmap="coolwarm")
    picture.save(figure, options.getString("output", "stokes.png"))
