"""A form on a mesh that is no DMPlex: the arrays of another code, here read by meshio and numbered by numpy.

    build/python/bin/python python-bindings/examples/arrays.py [-output arrays.png] [PETSc's options]

Heat that is made at the left and lost everywhere, -div(grad u) + u = f, by elements of order 2 on the plate of Cecka, Lew
and Darve (2011). Nodes have the order of FIAT and Basix: vertices, then the edges opposite to them. On a GPU:
-dm_mat_type aijcusparse -dm_vec_type cuda. On one process.
"""

import sys
from pathlib import Path

import petsc4py

petsc4py.init(sys.argv)

import meshio
import numpy as np
import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, SpatialCoordinate, TestFunction, dx, exp, grad, inner

options = PETSc.Options()
for name, value in dict(ksp_type="cg", pc_type="gamg", ksp_rtol=1e-10, snes_rtol=1e-9).items():
    if not options.hasName(name):
        options[name] = value

# the other code's mesh: coordinates and cells, whose vertices it sorts, so that half of them are inside out
mesh = meshio.read(Path(__file__).parents[2] / "examples/plate.msh")
x, cells = mesh.points[:, :2], np.sort(mesh.cells_dict["triangle"], axis=1)
used, cells = np.unique(cells, return_inverse=True)
x, cells = x[used], cells.reshape(-1, 3)

# its dofs: vertices, and behind them edges
sides = cells[:, [[1, 2], [0, 2], [0, 1]]]
edges, number = np.unique(sides.reshape(-1, 2), axis=0, return_inverse=True)
dofs = np.hstack([cells, len(x) + number.reshape(-1, 3)])
corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
nodes = np.vstack([corners, 0.5 * (corners[[1, 0, 0]] + corners[[2, 2, 1]])])

dm = plexgpu.dm_from_arrays("triangle", x, cells, plexgpu.FieldArrays(dofs, degree=2, xi=nodes), xi=corners)
dm.setFromOptions()

V = pu.space(dm)
u, v, at = Coefficient(V), TestFunction(V), SpatialCoordinate(V)
problem = pu.Problem((inner(grad(u), grad(v)) + u * v - exp(-((at[0] / 0.2) ** 2)) * v) * dx, u)
snes = problem.snes()
solution = problem.solve(snes=snes)
counts = problem.assembly.counts()
PETSc.Sys.Print(
    f"result: {solution.getSize()} unknowns on {len(cells)} triangles, u from {solution.min()[1]:.4f} to "
    f"{solution.max()[1]:.4f}, norm {solution.norm():.8e}; {counts['residuals']} residuals, {counts['jacobians']} "
    f"Jacobians by {problem.assembly.backend.type}, {counts['residuals_left'] + counts['jacobians_left']} left to PETSc"
)

# entry d of the solution is dof d
figure, axes = picture.figure(figsize=(8, 5))
picture.draw(axes, x[cells], solution.getArray()[dofs[:, :3]], "temperature", lines=True)
picture.save(figure, options.getString("output", "arrays.png"))
