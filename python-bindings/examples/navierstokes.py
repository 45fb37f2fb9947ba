"""Flow in a cavity whose lid starts to move: Navier-Stokes equations in UFL, in time by BDF.

    build/python/bin/python python-bindings/examples/navierstokes.py [-cells 24] [-reynolds 400] [-ts_max_time 4]

The pressure's matrix is that of SIMPLE, B diag(A)^-1 B^T, which is close where the mass matrix dominates.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import numpy as np
import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, SpatialCoordinate, TestFunction, as_vector, div, dot, dx, exp, grad, inner

BOTTOM, RIGHT, LID, LEFT = 1, 2, 3, 4  # sides of PETSc's boxes
DEFAULTS = """-ts_type bdf -ts_bdf_order 2 -ts_time_step 0.1 -ts_max_time 4 -ts_exact_final_time matchstep
  -ts_adapt_type none -snes_rtol 1e-6 -snes_atol 1e-10 -ksp_type fgmres -ksp_rtol 1e-6 -pc_type fieldsplit
  -pc_fieldsplit_type schur -pc_fieldsplit_schur_precondition selfp
  -fieldsplit_velocity_ksp_type gmres -fieldsplit_velocity_ksp_rtol 1e-2 -fieldsplit_velocity_pc_type jacobi
  -fieldsplit_pressure_ksp_type gmres -fieldsplit_pressure_ksp_rtol 1e-2 -fieldsplit_pressure_pc_type jacobi"""

options = PETSc.Options()
for name, value in zip(DEFAULTS.split()[::2], DEFAULTS.split()[1::2]):
    if not options.hasName(name[1:]):
        options[name[1:]] = value
cells = options.getInt("cells", 24)

dm = PETSc.DMPlex().createBoxMesh([cells, cells], simplex=False)
dm.distribute()
dm.setFromOptions()
for field, (name, components, degree) in enumerate((("velocity", 2, 2), ("pressure", 1, 1))):
    fe = PETSc.FE().createLagrange(2, components, False, degree, 2, comm=dm.getComm())  # with one quadrature
    fe.setName(name)
    if name == "pressure":  # is known but for a constant: so says the field to its solver, and below the matrix
        fe.compose("nullspace", PETSc.NullSpace().create(constant=True, comm=dm.getComm()))
    dm.setField(field, fe)
dm.createDS()

V, Q = pu.space(dm, 0), pu.space(dm, 1)
u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
nu, x, t = pu.constant(dm, 1 / options.getReal("reynolds", 400)), SpatialCoordinate(pu.mesh(dm)), pu.time(dm)
form = (dot(pu.dt(u) + grad(u) * u, v) + nu * inner(grad(u), grad(v)) - p * div(v) + q * div(u)) * dx
lid = as_vector([(1 - exp(-5 * t)) * 16 * x[0] ** 2 * (1 - x[0]) ** 2, 0 * x[0]])
walls = pu.essential(V, "Face Sets", [BOTTOM, RIGHT, LEFT], [0.0, 0.0])
problem = pu.Problem(form, [u, p], bcs=[walls, pu.essential(V, "Face Sets", LID, lid)])

ts, X = problem.ts(), problem.createVec()
constant = problem.interpolate([[0.0, 0.0], 1.0])
constant.normalize()
J = dm.createMat()
J.setNullSpace(PETSc.NullSpace().create(vectors=[constant], comm=dm.getComm()))
ts.getSNES().setJacobian(None, J)
ts.setFromOptions()
ts.solve(X)
counts = problem.assembly.counts()
PETSc.Sys.Print(f"result: {X.getSize()} unknowns, {ts.getStepNumber()} steps to t = {ts.getTime():g}, norm "
                f"{X.norm():.6e}; {counts['jacobians']} Jacobians by {problem.assembly.backend.type}, "
                f"{counts['residuals_left'] + counts['jacobians_left']} left to PETSc")

at, velocity = plexgpu.corner_values(dm, X, 0, ts.getTime())
if at is not None:
    figure, axes = picture.figure(figsize=(6, 5))
    picture.draw(axes, at, np.hypot(velocity[..., 0], velocity[..., 1]), "speed", cmap="viridis")
    picture.streams(axes, at, velocity, cells)
    picture.save(figure, options.getString("output", "navierstokes.png"))
