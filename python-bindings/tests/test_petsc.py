"""What petsc4py lacks of PetscDS, with PETSc's own assembly."""

import meshes
import numpy as np
import plexgpu
import pytest
from petsc4py import PETSc

POISSON = """
RESIDUAL(f0) { f[0] = 2 * k; }
RESIDUAL(f1) { for (PetscInt d = 0; d < dim; ++d) f[d] = k * u_x[d]; }
JACOBIAN(g3) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k; }
RESIDUAL(energy)
{
  f[0] = 2 * k * u[0];
  for (PetscInt d = 0; d < dim; ++d) f[0] += 0.5 * k * u_x[d] * u_x[d];
}
RESIDUAL(flux) { for (PetscInt d = 0; d < dim; ++d) f[d] = -k * u_x[d]; }
BD_RESIDUAL(out) { for (PetscInt d = 0; d < dim; ++d) f[0] -= k * u_x[d] * n[d]; }
"""


def poisson(objective=False):
    """div(k grad u) = 2 k, solved: u = x^2."""
    dm = meshes.fields(meshes.box(n=3), (1, 2))
    form = plexgpu.Pointwise(dm, POISSON, dict(k=3.0))
    form.residual(0, "f0", "f1")
    form.jacobian(0, 0, g3="g3")
    form.objective(0, "energy")
    form.essential("Face Sets", [1, 2, 3, 4], value="x[0] * x[0]")
    assert form.assembly(backend="petsc") is None
    if objective:
        plexgpu.set_snes_local_petsc(dm, objective=True)
    snes = PETSc.SNES().create(dm.getComm())
    snes.setDM(dm)
    snes.getKSP().setTolerances(rtol=1e-12)
    snes.setTolerances(rtol=1e-12)
    snes.setFromOptions()
    x = dm.createGlobalVec()
    snes.solve(None, x)
    assert snes.getConvergedReason() > 0
    return dm, form, x, snes


@pytest.mark.parallel
def test_solution():
    dm, form, x, _ = poisson()
    form.exact(0, "x[0] * x[0]", 0.0)
    assert plexgpu.exact_errors(dm, x)[0] < 1e-9
    other = lambda x, t: x[0] ** 2 + 16 * t * x[0] * (1 - x[0]) * x[1] * (1 - x[1])
    plexgpu.set_exact_solution(dm, 0, other, lambda x, t: 1.0)
    error = plexgpu.l2_error(dm, other, x, 0.25)
    assert plexgpu.exact_errors(dm, x, 0.25)[0] == pytest.approx(error, rel=1e-12) and error > 0.1
    with pytest.raises(ValueError, match="field 2"):
        form.exact(2, 0.0)


@pytest.mark.parallel
def test_integrals_and_fluxes():
    dm, form, x, _ = poisson()
    sides = [form.integrate_boundary(x, "Face Sets", side, "out")[0] for side in (1, 2, 3, 4)]
    assert np.allclose(sides, [0, -6, 0, 0], atol=1e-7)
    assert form.integrate_boundary(x, "Face Sets", [2, 4], "out")[0] == pytest.approx(-6, abs=1e-7)
    fluxes = dm.clone()
    fluxes.setField(0, PETSc.FE().createLagrange(2, 2, False, 1, 2, comm=dm.getComm()))
    fluxes.createDS()
    q = fluxes.createGlobalVec()
    plexgpu.set_constants(fluxes, [3.0])
    form.project(fluxes, "flux", x, q)
    assert plexgpu.l2_error(fluxes, lambda x, t: [-6 * x[0], 0], q) < 1e-8
    with pytest.raises(ValueError, match="2 functions for the 1 fields"):
        form.project(fluxes, ["flux", "flux"], x, q)


@pytest.mark.parallel
def test_objective():
    """The energy is minimal at the solution, and what SNES computes is that of integrate()."""
    dm, _, x, snes = poisson(objective=True)
    least = snes.computeObjective(x)
    assert least == pytest.approx(plexgpu.integrate(dm, x)[0], rel=1e-12)
    y = meshes.random_vec(dm, 0.1)
    y.axpy(1, x)
    assert snes.computeObjective(y) > least


@pytest.mark.parallel
def test_explicit():
    """A field that is explicit and one that is implicit, by PETSc as by PlexGPU."""
    found = []
    for backend in ("petsc", "host"):
        dm = meshes.fields(meshes.box(n=2), (1, 1), (1, 2))
        form = plexgpu.Pointwise(dm, """
          RESIDUAL(decay) { f[0] = -u[0]; }
          RESIDUAL(mass) { f[0] = u_t[uOff[1]] + 3 * u[uOff[1]]; }
          JACOBIAN(g0) { g[0] = u_tShift + 3; }
        """)
        form.rhs_residual(0, "decay")
        form.residual(1, "mass")
        form.jacobian(1, 1, "g0")
        assert (form.assembly(ts=True, backend=backend) is None) == (backend == "petsc")
        ts = PETSc.TS().create(dm.getComm())
        ts.setDM(dm)
        x, g, f = (dm.createGlobalVec() for _ in range(3))
        x.set(1.0)
        ts.computeRHSFunction(0.0, x, g)
        assert g.sum() == pytest.approx(-1.0, rel=1e-13)  # of functions whose sum is 1
        ts.computeIFunction(0.0, x, x, f, True)
        assert f.sum() == pytest.approx(4.0, rel=1e-13)
        found.append((g, f))
    for petsc, mine in zip(*found):
        assert meshes.difference(mine, petsc) < 1e-13


@pytest.mark.parallel
def test_boundary_preconditioner():
    """A matrix of the preconditioner that is integrated over facets, against the Jacobian's own functions there."""
    matrices = []
    for which in ("jacobian", "preconditioner"):
        dm = meshes.fields(meshes.box(), (1, 1))
        form = plexgpu.Pointwise(dm, """
          RESIDUAL(f0) { f[0] = u[0]; }
          JACOBIAN(g0) { g[0] = 1; }
          BD_RESIDUAL(b0) { f[0] = 5 * u[0]; }
          BD_JACOBIAN(h0) { g[0] = 5; }
        """)
        form.residual(0, "f0")
        form.jacobian(0, 0, "g0")
        form.jacobian_preconditioner(0, 0, "g0")
        label = dm.getLabel("Face Sets")
        number, _ = plexgpu.add_boundary(dm, "side", label, 3, 0, essential=False)
        plexgpu.set_bd_residual(dm, number, label, 3, 0, form["b0"])
        plexgpu.set_bd_jacobian(dm, number, label, 3, 0, 0, form["h0"])
        if which == "preconditioner":
            plexgpu.set_bd_jacobian_preconditioner(dm, number, label, 3, 0, 0, form["h0"])
        form.assembly(backend="petsc")
        snes, x = meshes.snes_on(dm), meshes.random_vec(dm)
        J, P = dm.createMat(), dm.createMat()
        snes.setJacobian(None, J, P)
        snes.computeJacobian(x, J, P)
        matrices.append((J, P))
    (J, _), (K, P) = matrices
    assert meshes.difference(K, J) < 1e-14 and meshes.difference(P, J) < 1e-14
    assert meshes.difference(matrices[0][1], J) > 0.1
