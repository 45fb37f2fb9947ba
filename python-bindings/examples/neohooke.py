"""A block of rubber, held at its left end and loaded at its right end, step by step: Neo-Hooke's material.

    build/python/bin/python python-bindings/examples/neohooke.py [-cells 8] [-order 2] [-steps 8] [-output neohooke.png]

UFL differentiates the energy twice. The load is a constant of the form: a new value needs no compilation and no set-up.
Newton's method takes whole steps: on the way to a large rotation the residual grows first.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import picture
import plexgpu
import plexgpu.ufl as pu
from petsc4py import PETSc
from ufl import Coefficient, Identity, det, dot, ds, dx, grad, ln, tr

RIGHT, LEFT = 2, 4  # sides of PETSc's boxes

options = PETSc.Options()
direct = dict(ksp_type="preonly", pc_type="lu")
several = dict(ksp_type="gmres", ksp_rtol=1e-10, pc_type="asm", sub_pc_type="lu")
for name, value in dict(direct if PETSc.COMM_WORLD.getSize() == 1 else several, snes_linesearch_type="none").items():
    if not options.hasName(name):
        options[name] = value
cells, steps = options.getInt("cells", 8), options.getInt("steps", 8)

dm = PETSc.DMPlex().createBoxMesh([4 * cells, cells], upper=(4.0, 1.0), simplex=False)
dm.distribute()
dm.setFromOptions()
dm.setField(0, PETSc.FE().createLagrange(2, 2, False, options.getInt("order", 2), comm=dm.getComm()))
dm.createDS()

V = pu.space(dm)
u = Coefficient(V)
lam, mu, load = pu.constant(dm, 1.5), pu.constant(dm, 1.0), pu.constant(dm, [0.0, 0.0])
F = Identity(2) + grad(u)
J, C = det(F), F.T * F
energy = (mu / 2 * (tr(C) - 2) - mu * ln(J) + lam / 2 * ln(J) ** 2) * dx - dot(load, u) * ds(RIGHT)
problem = pu.Problem(energy, u, bcs=[pu.essential(V, "Face Sets", LEFT, [0.0, 0.0])])

snes, x, path = problem.snes(), problem.createVec(), []
for step in range(1, steps + 1):
    load.value = [0.0, 0.05 * step / steps]
    problem.solve(x, snes)
    at, values = plexgpu.corner_values(dm, x)
    if at is not None:
        path.append((load.value[1], values[..., 1].max(), at, values))
        print(f"  load {load.value[1]:.5f}: end raised by {path[-1][1]:.5f}, {snes.getIterationNumber()} Newton steps")
counts = problem.assembly.counts()
PETSc.Sys.Print(
    f"result: {x.getSize()} unknowns, norm {x.norm():.8e}; {counts['residuals']} residuals, "
    f"{counts['jacobians']} Jacobians by {problem.assembly.backend.type}, symmetric {problem.assembly.symmetric}, "
    f"{counts['residuals_left'] + counts['jacobians_left']} left to PETSc"
)

if path:
    figure, (left, right) = picture.figure(1, 2, figsize=(12, 4), width_ratios=(3, 2))
    for load_, _, at, values in path[:-1]:
        picture.outline(left, (at + values)[:, :, :2], color="grey", linewidth=0.15)
    at, values = path[-1][2:]
    picture.draw(left, at + values, (values**2).sum(-1) ** 0.5, "displacement", cmap="viridis")
    right.plot([0, *[p[1] for p in path]], [0, *[p[0] for p in path]], "o-")
    right.set(xlabel="the end raised by", ylabel="load")
    picture.save(figure, options.getString("output", "neohooke.png"))
