"""K and G of Knepley and Terrel: their sum is the element matrix that is assembled."""

import forms
import meshes
import numpy as np
import plexgpu
import plexgpu.ufl as pu
import pytest
import ufl
from petsc4py import PETSc
from ufl import Coefficient, Identity, TestFunction, div, dot, dx, grad, inner, sym, tr


def laplace(dm):
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    return pu.constant(dm, 1.7) * inner(grad(u), grad(v)) * dx, u


def everything(dm):
    """g0, g1, g2 and g3, none of them symmetric."""
    V = pu.space(dm)
    u, v, dim = Coefficient(V), TestFunction(V), dm.getDimension()
    A, b, c = np.arange(dim * dim).reshape(dim, dim) + 1.0, np.arange(dim) + 2.0, np.arange(dim) - 0.5
    A, b, c = (pu.constant(dm, w) for w in (A, b, c))
    return (dot(A * grad(u), grad(v)) + dot(b, grad(u)) * v + u * dot(c, grad(v)) + 3 * u * v) * dx, u


def elasticity(dm):
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    lam, mu = pu.constant(dm, 1.5), pu.constant(dm, 0.7)
    eps = lambda w: sym(grad(w))
    return inner(2 * mu * eps(u) + lam * tr(eps(u)) * Identity(dm.getDimension()), eps(v)) * dx, u


def stokes(dm):
    V, Q = pu.space(dm, 0), pu.space(dm, 1)
    u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
    return (2 * inner(sym(grad(u)), sym(grad(v))) - p * div(v) - q * div(u)) * dx, [u, p]


CASES = [
    (laplace, 2, [(1, 1)]),
    (laplace, 2, [(1, 2)]),
    (laplace, 3, [(1, 1)]),
    (everything, 2, [(1, 1)]),
    (everything, 2, [(1, 2)]),
    (everything, 3, [(1, 1)]),
    (elasticity, 2, [(2, 2)]),
    (elasticity, 3, [(3, 1)]),
    (stokes, 2, [(2, 2), (1, 1)]),
]


def summed(dm, tensors):
    """The matrix [unknowns][unknowns] of all element matrices."""
    section, n = dm.getLocalSection(), dm.createGlobalVec().getSize()
    numbers = dm.createLocalVec()
    numbers.setArray(np.arange(n, dtype=float))
    out = np.zeros((n, n))
    for cell in range(*dm.getHeightStratum(0)):
        dofs = dm.vecGetClosure(section, numbers, cell).round().astype(int)
        out[np.ix_(dofs, dofs)] += tensors.element_matrix(cell)
    return out


@pytest.mark.parametrize("backend", ["petsc", "host"])
@pytest.mark.parametrize("form, dim, fields", CASES, ids=lambda w: getattr(w, "__name__", str(w)))
def test_sum(form, dim, fields, backend):
    dm = meshes.fields(meshes.box(dim, 2, True, PETSc.COMM_SELF, distort=0.1), *fields)
    problem = pu.Problem(*form(dm), backend=backend)
    tensors = problem.tensors()
    J = problem.jacobian(problem.createVec()).convert("dense").getDenseArray()
    assert abs(summed(dm, tensors) - J).max() < 1e-13 * abs(J).max()
    if form is laplace and backend == "petsc":
        # one element alone, and the formulas of the paper
        K, G = tensors.K()[:, 0, :, :, 0], tensors.G(cell=1)[0, :, 0]
        assert np.allclose(K, K.transpose(2, 3, 0, 1)) and not G[0].any()
        jacobian, inverse, determinant = plexgpu.affine_cell(dm, 1)
        assert np.allclose(G[1:, 1:], 1.7 * determinant * inverse @ inverse.T, rtol=1e-14)
        assert np.allclose(jacobian @ inverse, np.eye(dim))
        if fields == [(1, 1)]:  # gradients are constant: the volume times their product
            D = np.vstack([-np.ones(dim), np.eye(dim)]) / 2
            if dim == 3:
                D[[1, 2]] = D[[2, 1]]  # PETSc's order of a tetrahedron's vertices
            assert np.allclose(K[:, 1:, :, 1:], {2: 2.0, 3: 4 / 3}[dim] * np.einsum("im,jn->imjn", D, D), atol=1e-14)


def test_constants():
    """A constant's new value is in G, not in K."""
    dm = meshes.fields(meshes.box(2, 1, True, PETSc.COMM_SELF), (1, 1))
    V = pu.space(dm)
    u, v, k = Coefficient(V), TestFunction(V), pu.constant(dm, 1.0)
    tensors = pu.Problem(k * inner(grad(u), grad(v)) * dx, u, backend="petsc").tensors()
    before = tensors.element_matrix(1)
    k.value = 3.0
    assert np.allclose(tensors.element_matrix(1), 3 * before, rtol=1e-15) and tensors.blocks() == [(0, 0)]


def test_unsupported():
    for name, text in dict(nonlinear="solution", heat="position", transient="solution", elasticity3="affine").items():
        case = forms.CASES[name]
        problem = pu.Problem(**case.ufl(dm := case.mesh(1)), backend="petsc")
        with pytest.raises(pu.Unsupported, match=text):
            problem.tensors()
        del dm
    dm = meshes.fields(meshes.box(2, 1, True, PETSc.COMM_SELF), (1, 1))
    u = Coefficient(pu.space(dm))
    problem = pu.Problem((pu.dt(u) * TestFunction(u.ufl_function_space())) * ufl.dx, u, backend="petsc")
    with pytest.raises(pu.Unsupported, match="time derivative"):
        problem.tensors()
