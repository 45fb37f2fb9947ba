"""Heat conduction on the plate of Cecka, Lew and Darve (2011), section 6.1, its weak form in UFL.

    build/python/bin/python python-bindings/examples/heat.py [-refine 2] [-order 1] [-output heat.png] [PETSc's options]

The left edge has 200 degrees, the four holes 10, the rest is insulated; the conductivity is 1 + u^2/100. On a GPU:
-dm_mat_type aijcusparse -dm_vec_type cuda. On several processes: mpiexec -n 4 ...
"""

import sys
from pathlib import Path

import petsc4py

petsc4py.init(sys.argv)

import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, TestFunction, dx, grad, inner

LEFT, HOLES = 1, 2  # physical groups of plate.geo

options = PETSc.Options()
for name, value in dict(ksp_type="gmres", pc_type="gamg", ksp_rtol=1e-8, snes_rtol=1e-9).items():
    if not options.hasName(name):
        options[name] = value

# the mesh, and an element for the temperature
dm = PETSc.DMPlex().createFromFile(str(Path(__file__).parents[2] / "examples/plate.msh"))
dm.distribute()
dm.setFromOptions()
for _ in range(options.getInt("refine", 1)):
    dm.setRefinementUniform(True)
    dm = dm.refine()
    dm.setFromOptions()
dm.setField(0, PETSc.FE().createLagrange(2, 1, True, options.getInt("order", 1), comm=dm.getComm()))
dm.createDS()

# the problem
V = pu.space(dm)
u, v = Coefficient(V), TestFunction(V)
alpha, source = pu.constant(dm, 0.01), pu.constant(dm, 0.1)
form = (1 + alpha * u**2) * inner(grad(u), grad(v)) * dx - source * v * dx
problem = pu.Problem(
    form, u, bcs=[pu.essential(V, "Face Sets", LEFT, 200.0), pu.essential(V, "Face Sets", HOLES, 10.0)]
)

# Newton's method converges from the hot side
snes = problem.snes()
x = problem.createVec()
x.set(200.0)
problem.solve(x, snes)
counts = problem.assembly.counts()
PETSc.Sys.Print(
    f"result: {x.getSize()} unknowns, {snes.getIterationNumber()} Newton steps, u from {x.min()[1]:.4f} to "
    f"{x.max()[1]:.4f}, norm {x.norm():.8e}; {counts['residuals']} residuals, {counts['jacobians']} Jacobians by "
    f"{problem.assembly.backend.type}, {counts['residuals_left'] + counts['jacobians_left']} left to PETSc"
)

at, values = plexgpu.corner_values(dm, x)
if at is not None:
    figure, axes = picture.figure(figsize=(8, 5))
    picture.draw(axes, at, values[..., 0], "temperature", lines=True)
    picture.save(figure, options.getString("output", "heat.png"))
