"""Weak forms in UFL on the fields of a DM: pointwise functions of its PetscDS, and solvers. Systems of DG: `dg`.

    import ufl, plexgpu.ufl as pu
    V = pu.space(dm, 0)
    u, v = ufl.Coefficient(V), ufl.TestFunction(V)
    kappa = pu.constant(dm, 1.0)
    F = (1 + u**2) * kappa * ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx - v * ufl.dx + 10 * (u - 0.2) * v * ufl.ds(3)
    problem = pu.Problem(F, u, bcs=[pu.essential(V, "Face Sets", 1, 1.0)])
    x = problem.solve()

Needs fenics-ufl (2026.1 or newer) and neither basix nor ffcx.
"""

from . import dg
from .conditions import essential, interpolate
from .errors import Unsupported
from .problem import Problem
from .spaces import auxiliary, constant, dt, mesh, space, time

__all__ = [
    "Problem",
    "Unsupported",
    "auxiliary",
    "constant",
    "dg",
    "dt",
    "essential",
    "interpolate",
    "mesh",
    "space",
    "time",
]
