"""Forms in UFL: against C by hand, against differences, on host, emulated device and PETSc's own assembly."""

import forms
import meshes
import plexgpu
import plexgpu.ufl as pu
import pytest
import ufl
from petsc4py import PETSc
from ufl import (
    CellVolume,
    Coefficient,
    Constant,
    FacetNormal,
    SpatialCoordinate,
    TestFunction,
    TrialFunction,
    dot,
    dS,
    ds,
    dx,
    grad,
    inner,
    jump,
)

T, SHIFT = 0.4, 3.0


def ts_on(dm):
    ts = PETSc.TS().create(dm.getComm())
    ts.setDM(dm)
    ts.setEquationType(PETSc.TS.EquationType.IMPLICIT)
    return ts


def evaluate(case, dm, x, x_t):
    """Residual and Jacobian by the callbacks that the DM has."""
    if not case.transient:
        return meshes.evaluate(dm, x)
    f, J, ts = x.duplicate(), dm.createMat(), ts_on(dm)
    ts.computeIFunction(T, x, x_t, f)
    ts.computeIJacobian(T, x, x_t, SHIFT, J, J)
    return f, J


@pytest.mark.parallel
@pytest.mark.parametrize("name", forms.CASES)
def test_form(name):
    case = forms.CASES[name]
    dm = case.mesh()
    hand = case.hand(dm)
    x, x_t = meshes.random_vec(dm, case.scale), meshes.random_vec(dm, case.scale, 2)
    (plexgpu.set_ts_local_petsc if case.transient else plexgpu.set_snes_local_petsc)(dm)
    f, J = evaluate(case, dm, x, x_t)
    assert hand is not None
    for backend in ("petsc", *meshes.BACKENDS):
        mine = meshes.on(case.mesh(), backend)
        problem = pu.Problem(**case.ufl(mine), backend=backend)
        if problem.assembly:
            problem.assembly.fallback = False
        X, X_t = meshes.like(mine, x), meshes.like(mine, x_t)
        g = problem.residual(X, x_t=X_t, t=T)
        K = problem.jacobian(X, x_t=X_t, t=T, shift=SHIFT)
        assert meshes.difference(g, f) < 1e-13, backend
        assert meshes.difference(K, J) < 1e-13, backend
        assert problem.facts["symmetric"] == case.symmetric
        assert set(problem.facts["jacobian_dependence"]) == set(case.depends)
        if problem.assembly:
            assert problem.assembly.counts()["residuals"] == problem.assembly.counts()["jacobians"] == 1
            assert problem.assembly.symmetric == (True if case.symmetric else None)
    # the Jacobian times a vector, against a difference of order four
    w, h, d, at = meshes.like(mine, meshes.random_vec(dm, case.scale, 3)), 1e-3, X.duplicate(), X.duplicate()
    d.set(0)
    for step, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
        X.copy(at)
        at.axpy(step * h, w)
        rate = X_t.copy()
        rate.axpy(SHIFT * step * h, w)
        d.axpy(weight / h, problem.residual(at, x_t=rate, t=T))
    product = X.duplicate()
    K.mult(w, product)
    if name not in ("functions", "transient"):  # these have kinks
        assert meshes.difference(product, d) < 1e-9


@pytest.mark.parallel
def test_kinks():
    """abs, max and conditional away from their kinks."""
    for name in ("functions", "transient"):
        case = forms.CASES[name]
        dm = case.mesh()
        problem = pu.Problem(**case.ufl(dm), backend="host")
        x, w, x_t = dm.createGlobalVec(), meshes.random_vec(dm, 0.1), meshes.random_vec(dm, 0.1, 2)
        x.set(0.5)
        K, product, d, h = problem.jacobian(x, x_t=x_t, t=T, shift=SHIFT), x.duplicate(), x.duplicate(), 1e-3
        K.mult(w, product)
        d.set(0)
        for step, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
            at, rate = x.copy(), x_t.copy()
            at.axpy(step * h, w)
            rate.axpy(SHIFT * step * h, w)
            d.axpy(weight / h, problem.residual(at, x_t=rate, t=T))
        assert meshes.difference(product, d) < 1e-9, name


def scalar(n=3, order=2, comm=PETSc.COMM_WORLD, backend=None):
    dm = meshes.fields(meshes.on(meshes.box(n=n, comm=comm), backend), (1, order))
    V = pu.space(dm)
    return dm, V, Coefficient(V), TestFunction(V), SpatialCoordinate(pu.mesh(dm))


class Nedelec(ufl.finiteelement.AbstractFiniteElement):
    """Another library's element, in H(curl)."""

    __repr__ = __str__ = lambda self: "N1curl"
    __hash__ = lambda self: 7
    __eq__ = lambda self, other: self is other
    sobolev_space = property(lambda self: ufl.HCurl)
    pullback = property(lambda self: ufl.covariant_piola)
    embedded_superdegree = embedded_subdegree = property(lambda self: 1)
    cell = property(lambda self: ufl.quadrilateral)
    reference_value_shape = property(lambda self: (2,))
    sub_elements = property(lambda self: [])


def refused(dm, u, v, x):
    """What cannot be: name, form, words of the error, its kind."""
    mesh, n = pu.mesh(dm), FacetNormal(pu.mesh(dm))
    w = Coefficient(u.ufl_function_space())
    E = Coefficient(ufl.FunctionSpace(mesh, Nedelec()))
    return dict(
        interior=(jump(u) * jump(v) * dS, r"interior facets \(dS\)", pu.Unsupported),
        second=(ufl.div(grad(u)) * v * dx, r"second derivatives: grad\(grad\(u\)\)", pu.Unsupported),
        curl=(dot(E, grad(v)) * dx, "N1curl, which is in .*HCurl", pu.Unsupported),
        normal=(dot(n, grad(u)) * v * dx, "FacetNormal in an integral over cells", pu.Unsupported),
        volume=(CellVolume(mesh) * u * v * dx, "CellVolume", pu.Unsupported),
        constant=(Constant(mesh) * u * v * dx, "ufl.Constant without a value", pu.Unsupported),
        unknown=(w * v * dx, "is none of the unknowns", pu.Unsupported),
        quadrature=(u * v * dx(metadata=dict(quadrature_degree=3)), "quadrature_degree of a measure", pu.Unsupported),
        rate=(dot(grad(pu.dt(u)), grad(v)) * dx, r"gradient of a time derivative: grad\(dt\(u\)\)", pu.Unsupported),
        bessel=(ufl.bessel_J(1, u) * v * dx, "BesselJ", pu.Unsupported),
        square=(u * v * v * dx, "not linear in the test function", ValueError),
        inside=(ufl.sin(v) * dx, "not linear in the test", ValueError),
        alone=(u * v * dx + u * dx, "without test function", ValueError),
        facet=(u * v * ds(77), "no point of the mesh has the value 77 of label 'Face Sets'", ValueError),
        cells=(u * v * dx(3), r"numbered cells, dx\(3\)", pu.Unsupported),
    )


@pytest.mark.parallel
@pytest.mark.parametrize(
    "name",
    [
        "interior",
        "second",
        "curl",
        "normal",
        "volume",
        "constant",
        "unknown",
        "quadrature",
        "rate",
        "bessel",
        "square",
        "inside",
        "alone",
        "facet",
        "cells",
    ],
)
def test_refused(name):
    dm, V, u, v, x = scalar()
    form, words, kind = refused(dm, u, v, x)[name]
    with pytest.raises(kind, match=words):
        pu.Problem(form, u)


def test_refused_otherwise():
    dm, V, u, v, x = scalar(comm=PETSc.COMM_SELF)
    with pytest.raises(TypeError, match="no ufl.Coefficient"):
        pu.Problem(u * v * dx, v)
    with pytest.raises(ValueError, match="energy with a time derivative"):
        pu.Problem(pu.dt(u) * u * dx, u)
    dm, V, u, v, x = scalar(comm=PETSc.COMM_SELF)
    pu.Problem(u * v * dx, u)
    with pytest.raises(ValueError, match="has a problem already"):
        pu.Problem(u * v * dx, u)
    with pytest.raises(ValueError, match="shape"):
        pu.essential(V, "Face Sets", 1, grad(x[0]))
    with pytest.raises(TypeError, match="only numbers"):
        pu.essential(V, "Face Sets", 1, x[0]).value = 2.0
    two = meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (2, 2), (1, 1))
    w = Coefficient(pu.space(two, 0))
    with pytest.raises(ValueError, match="the DM has 2 fields"):
        pu.Problem(inner(w, w) * dx, w)
    with pytest.raises(ValueError, match="shape"):
        pu.space(two, 0, shape=(3,))


@pytest.mark.parallel
def test_solve():
    """-div((1 + u^2) grad u) = f, of which u = 1 + x y is the solution: Newton's method, conditions of all kinds."""
    dm, V, u, v, x = scalar(order=2)
    exact = 1 + x[0] * x[1]
    one = pu.constant(dm, 1.0)
    n = FacetNormal(pu.mesh(dm))
    flux = (1 + exact**2) * grad(exact)
    form = (one + u**2) * inner(grad(u), grad(v)) * dx + ufl.div(flux) * v * dx - dot(flux, n) * v * ds(2)
    problem = pu.Problem(
        form,
        u,
        backend="host",
        bcs=[pu.essential(V, "Face Sets", [1, 3], one * exact), pu.essential(V, "Face Sets", 4, 1.0)],
    )
    solution = problem.solve()
    assert plexgpu.l2_error(dm, lambda x, t: 1 + x[0] * x[1], solution) < 1e-9
    assert plexgpu.l2_error(dm, pu.conditions.values_of(V, exact), solution) < 1e-9
    before = problem.assembly.counts()["residuals"]
    one.value = 2.0
    assert problem.residual(solution).norm() > 0.1
    assert problem.assembly.counts()["residuals"] == before + 1


@pytest.mark.parallel
def test_live_condition():
    """Load steps: numbers of a condition are set again."""
    dm, V, u, v, x = scalar(order=1)
    right = pu.essential(V, "Face Sets", 2, 1.0)
    problem = pu.Problem(
        inner(grad(u), grad(u)) / 2 * dx, u, bcs=[pu.essential(V, "Face Sets", 4), right], backend="host"
    )
    for load in (1.0, 2.5):
        right.value = load
        assert plexgpu.l2_error(dm, lambda x, t: load * x[0], problem.solve()) < 1e-5 * load


@pytest.mark.parallel
@pytest.mark.parametrize("backend", ["petsc", "host"])
def test_time(backend, options):
    """u_t - div grad u = x with the solution t x: backward Euler has no error; boundary values depend on t."""
    dm, V, u, v, x = scalar()
    t = pu.time(dm)
    form = (pu.dt(u) - x[0]) * v * dx + inner(grad(u), grad(v)) * dx
    problem = pu.Problem(form, u, bcs=[pu.essential(V, "Face Sets", [1, 2, 3, 4], t * x[0])], backend=backend)
    with pytest.raises(ValueError, match="take ts"):
        problem.snes()
    ts = problem.ts()
    ts.setType("beuler")
    ts.setTimeStep(0.1)
    ts.setMaxTime(0.5)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.getSNES().setTolerances(rtol=1e-12)
    ts.getSNES().getKSP().setTolerances(rtol=1e-12)
    X = problem.interpolate(0.0 * x[0])
    ts.solve(X)
    assert plexgpu.l2_error(dm, lambda x, t: t * x[0], X, ts.getTime()) < 1e-8


@pytest.mark.parallel
def test_regions():
    """Terms of some cells alone: by an auxiliary field that is 1 there, constant in each cell."""
    results = []
    for backend in ("petsc", *meshes.BACKENDS):
        dm, V, u, v, x = scalar(n=4, backend=backend)
        a = pu.auxiliary(dm, PETSc.FE().createLagrange(2, 1, False, 0, comm=dm.getComm()))
        a.set(0, lambda x, t: x[0] > 0.5)
        (right,) = a.fields
        problem = pu.Problem((inner(grad(u), grad(v)) + u * v) * dx + 5 * right * u**2 * v * dx, u, backend=backend)
        X = problem.interpolate(1 + x[0] * x[1])
        results.append((problem.residual(X), problem.jacobian(X)))
        one = X.duplicate()
        one.set(1.0)
        total = results[-1][0].dot(one)  # of (1 + x y) over all, and 5 (1 + x y)^2 over the right half
        half = lambda p: (1 - 0.5 ** (p + 1)) / (p + 1) / (p + 1)  # integral of (x y)^p over the right half
        assert total == pytest.approx(1.25 + 5 * (0.5 + 2 * half(1) + half(2)))
        if problem.assembly:
            assert problem.assembly.counts()["residuals_left"] == 0
    for f, J in results[1:]:
        assert meshes.difference(f, results[0][0]) < 1e-13 and meshes.difference(J, results[0][1]) < 1e-13


@pytest.mark.parallel
def test_preconditioner():
    """P: another matrix, that of Stokes' equations with a mass matrix for the pressure."""
    both = []
    for backend in ("petsc", *meshes.BACKENDS):
        dm = meshes.fields(meshes.on(meshes.box(), backend), (2, 2), (1, 1))
        V, Q = pu.space(dm, 0), pu.space(dm, 1)
        u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
        du, dp = TrialFunction(V), TrialFunction(Q)
        form = (inner(grad(u), grad(v)) - p * ufl.div(v) - q * ufl.div(u)) * dx
        problem = pu.Problem(form, [u, p], P=(inner(grad(du), grad(v)) + dp * q) * dx, backend=backend)
        assert problem.facts["symmetric"]
        x, J, P = meshes.random_vec(dm), dm.createMat(), dm.createMat()
        problem.jacobian(x, J, P=P)
        both.append((J, P))
    assert meshes.difference(both[0][0], both[0][1]) > 0.01
    for J, P in both[1:]:
        assert meshes.difference(P, both[0][1]) < 1e-13
        assert meshes.difference(J, both[0][0]) < 1e-13


@pytest.mark.parallel
def test_given_jacobian():
    """A Jacobian that is given is taken: Picard's."""
    dm, V, u, v, x = scalar()
    du = TrialFunction(V)
    form, J = (1 + u**2) * inner(grad(u), grad(v)) * dx, (1 + u**2) * inner(grad(du), grad(v)) * dx
    problem = pu.Problem(form, u, J=J, backend="host")
    assert problem.facts["symmetric"] and not any("g2" in name for name in problem.functions)
    X = meshes.random_vec(dm)
    assert problem.jacobian(X).isSymmetric(1e-12)


@pytest.mark.parallel
def test_tensor_field():
    """A field whose values are 2 by 2: the projection of a gradient."""
    dm = meshes.fields(meshes.box(), (4, 1))
    V = pu.space(dm, 0, shape=(2, 2))
    s, r, x = Coefficient(V), TestFunction(V), SpatialCoordinate(pu.mesh(dm))
    problem = pu.Problem(inner(s - grad(ufl.as_vector([x[0] + 2 * x[1], 3 * x[1]])), r) * dx, s, backend="host")
    assert plexgpu.l2_error(dm, [1.0, 2.0, 0.0, 3.0], problem.solve()) < 1e-5


@pytest.mark.parallel
def test_auxiliary():
    """An auxiliary field is set again, by values of all kinds; the next residual sees it."""
    dm, V, u, v, x = scalar(order=1)
    a = pu.auxiliary(
        dm,
        PETSc.FE().createLagrange(2, 1, False, 1, comm=dm.getComm()),
        PETSc.FE().createLagrange(2, 2, False, 1, comm=dm.getComm()),
    )
    k, b = a.fields
    problem = pu.Problem((k * u * v + dot(b, grad(u)) * v) * dx, u, backend="host")
    assert problem.facts["jacobian_dependence"] == ["auxiliary"]
    X = problem.interpolate(1 + 0 * x[0])
    one = X.copy()
    for value, mean in ((3.0, 3.0), (x[0], 0.5), (lambda x, t: 2 * x[1], 1.0), ("4 * x[0]", 2.0)):
        a.set(0, value)
        a.set(1, [7.0, 8.0])
        assert problem.residual(X).dot(one) == pytest.approx(mean)
    with pytest.raises(ValueError, match="auxiliary fields already"):
        pu.auxiliary(dm, PETSc.FE().createLagrange(2, 1, False, 1, comm=dm.getComm()))


def test_space_is_lagrange():
    dm, V, u, v, x = scalar(comm=PETSc.COMM_SELF)
    assert V.ufl_element().embedded_superdegree == 2 and V.value_shape == ()
    assert pu.mesh(dm) is pu.mesh(dm) and pu.space(dm) == V
    assert pu.dt(u) is pu.dt(u)


def test_cache(tmp_path, monkeypatch):
    """A form is read and compiled in less than 3 s of a processor, and found again in less than 0.1 s."""
    import resource
    import time

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    used = lambda: sum(sum(resource.getrusage(w)[:2]) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for name, case in forms.CASES.items():
        for again in (False, True):
            dm = case.mesh()
            arguments = case.ufl(dm)
            start, before = time.perf_counter(), used()
            pu.Problem(**arguments, backend="host")
            assert used() - before < 3, name
            if again:
                assert time.perf_counter() - start < 0.1, name


def test_not_converged(options):
    dm, V, u, v, x = scalar(comm=PETSc.COMM_SELF)
    form = (1 + u**2) * inner(grad(u), grad(v)) * dx - v * dx
    problem = pu.Problem(form, u, bcs=[pu.essential(V, "Face Sets", 1, 3.0)])
    options(snes_max_it=1)
    with pytest.raises(RuntimeError, match="SNES DIVERGED_MAX_IT"):
        problem.solve()
