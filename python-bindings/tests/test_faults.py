"""What is wrong on one process alone is an error on all of them, of one kind, which names the process."""

import re

import meshes
import numpy as np
import plexgpu
import pytest
from petsc4py import PETSc

COMM = PETSc.COMM_WORLD
RANK, LAST = COMM.getRank(), COMM.getSize() - 1
HERE = RANK == LAST  # the process with the fault

pytestmark = [pytest.mark.parallel, pytest.mark.skipif(COMM.getSize() == 1, reason="of several processes")]


def by_whom(words):
    """The text of the error: of the process itself, and of the others."""
    return words if HERE else f"process {LAST}: .*{words}"


@pytest.mark.parametrize("kind", [ValueError, TypeError, FileNotFoundError, ZeroDivisionError])
def test_kinds(kind):
    with pytest.raises(kind, match=by_whom("because of that")):
        plexgpu.raise_together(COMM, kind("because of that") if HERE else None)
    plexgpu.raise_together(COMM, None)


def test_kinds_of_others():
    class Own(Exception):
        pass

    with pytest.raises(Own if HERE else RuntimeError, match=by_whom("because")):
        plexgpu.raise_together(COMM, Own("because") if HERE else None)
    with pytest.raises(plexgpu.CompileError, match=by_whom("no compiler")):
        plexgpu.raise_together(COMM, plexgpu.CompileError("no compiler") if HERE else None)


def test_compile():
    """Each process has a text of its own, which is an error of its own here: that of the last one does not compile."""
    text = f"int plexgpu_test_of_{RANK}(void) {{ return 0; }}"
    with pytest.raises(plexgpu.CompileError, match=by_whom("syntax|expected")):
        plexgpu.Library(text + (" int = 1;" if HERE else ""), COMM)
    assert f"plexgpu_test_of_{RANK}" in plexgpu.Library(text, COMM)


def test_file(tmp_path):
    file = tmp_path / "f.c"
    file.write_text("int plexgpu_test_of_a_file(void) { return 0; }")
    with pytest.raises(FileNotFoundError, match=by_whom("is not there")):
        plexgpu.Library(tmp_path / "none.c" if HERE else file, COMM)
    with pytest.raises(FileNotFoundError, match=by_whom("is not there")):
        plexgpu.System("none", tmp_path / "none.h" if HERE else file, ["u"], comm=COMM)


@pytest.mark.parametrize(
    "words, bad",
    [
        (r"vertices has the shape \(3,\)", dict(vertices=[0, 1, 2])),
        ("is none of triangle", dict(cell="wedge")),
        ("invalid literal|could not convert", dict(x=[["a", "b"]])),
    ],
)
def test_arrays_in_python(words, bad):
    with pytest.raises(ValueError, match=by_whom(words)):
        triangle(**(bad if HERE else {}))


@pytest.mark.parametrize(
    "words, bad",
    [
        ("Lagrange", dict(xi=[[0.0, 0.0], [0.3, 0.0], [0.0, 1.0]])),
        ("Element 0 has coordinate node 9", dict(vertices=[[0, 9, 2]])),
        ("Element 0 has no volume", dict(x=[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])),
        ("Dof 3 is in no element", dict(owned=4)),
        ("Another degree of coordinates than process 0", dict(degree=2)),
        ("Ghost dof 0 has the global number 700", dict(owned=2, ghosts=[700])),
    ],
)
def test_arrays_in_c(words, bad):
    triangle()
    with pytest.raises(PETSc.Error, match=f"Process {LAST}: .*{words}"):
        triangle(**(bad if HERE else {}))


def triangle(cell="triangle", x=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), vertices=((0, 1, 2),), **settings):
    """A mesh of a triangle on each process, none of which has a neighbour."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    settings.setdefault("xi", corners)
    return plexgpu.dm_from_arrays(cell, x, vertices, plexgpu.FieldArrays([[0, 1, 2]], 1, xi=corners), **settings)


def fails_here(x, t):
    """A function of values with an error on the last process."""
    if HERE:
        raise LookupError("no such place")
    return 0.0


def test_functions():
    """Of values; the object is as good as before."""
    dm = meshes.fields(meshes.box(n=4), (1, 1))
    v = dm.createGlobalVec()
    for call in (lambda f: plexgpu.project(dm, f, v), lambda f: plexgpu.l2_error(dm, f, v)):
        with pytest.raises(PETSc.Error) as error:
            call(fails_here)
        assert isinstance(error.value.__cause__, LookupError)
        assert ("process" not in str(error.value.__cause__)) == HERE and "no such place" in str(error.value.__cause__)
        call(lambda x, t: 2.0)
    assert v.max()[1] == 2


def test_functions_of_dg():
    dg = plexgpu.DG(meshes.box(n=4, simplex=True), "acoustics", 2, {None: "wall"})
    dg.backend = "host"
    u = dg.createVec()
    for call in (lambda f: dg.project(f, u), lambda f: dg.computeL2Error(f, u)):
        with pytest.raises(PETSc.Error) as error:
            call(lambda x, t: [fails_here(x, t)] * 3)
        assert isinstance(error.value.__cause__, LookupError)
        call(lambda x, t: [1.0, 0, 0])
    assert u.max()[1] == 1


def raises_everywhere(call):
    """A call in which `fails_here` was called: its exception on the process itself, the same kind on the others."""
    with pytest.raises(PETSc.Error) as error:
        call()
    cause = error.value.__cause__
    assert isinstance(cause, LookupError), (error.value, cause)
    assert ("process" not in str(cause)) == HERE and "no such place" in str(cause)


def solver_of(transient, connect):
    """A `TS`, of two steps of backward Euler, or a `SNES`; PETSc locks vectors for good where a solve fails, so each
    solve has its own."""
    solver = (PETSc.TS if transient else PETSc.SNES)().create(COMM)
    connect(solver)
    if transient:
        solver.setType("beuler")
        solver.setTimeStep(0.1)
        solver.setMaxSteps(2)
    return solver


def solve_by(solver, x):
    if isinstance(solver, PETSc.TS):
        solver.solve(x)
    else:
        solver.solve(None, x)


@pytest.mark.parametrize("backend", ["petsc", *meshes.BACKENDS])
@pytest.mark.parametrize("transient", [False, True])
def test_boundary_values_of_a_solver(backend, transient):
    """The function of an essential condition raises in one solve, and not in the next one."""
    faulty = [True]

    def value(x, t):
        return fails_here(x, t) if faulty[0] else 1.0

    dm = meshes.on(meshes.fields(meshes.box(n=4), (1, 1)), backend)
    form = plexgpu.Pointwise(
        dm,
        """
        RESIDUAL(f0) { f[0] = (u_t ? u_t[0] : 0) + u[0] - 1; }
        RESIDUAL(f1) { for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d]; }
        JACOBIAN(g0) { g[0] = u_tShift + 1; }
        JACOBIAN(g3) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1; }
        """,
    )
    form.residual(0, "f0", "f1")
    form.jacobian(0, 0, g0="g0", g3="g3")
    form.essential("Face Sets", [1, 2, 3, 4], value=value)
    form.assembly(ts=transient, backend=backend)
    raises_everywhere(lambda: solve_by(solver_of(transient, lambda s: s.setDM(dm)), dm.createGlobalVec()))
    faulty[0] = False
    solver, x = solver_of(transient, lambda s: s.setDM(dm)), dm.createGlobalVec()
    solve_by(solver, x)
    assert solver.getConvergedReason() > 0
    x.shift(-1.0)
    assert transient or x.norm() < 1e-6


def test_boundary_values_on_levels():
    """Those of a coarser DM, which PETSc makes, and of the exact solution."""
    dm = meshes.fields(meshes.box(n=4), (1, 1))
    plexgpu.essential(dm, "Face Sets", [1, 2, 3, 4], value=fails_here)
    raises_everywhere(lambda: plexgpu.local_vec(dm, dm.createGlobalVec()))
    raises_everywhere(lambda: plexgpu.local_vec(dm.refine(), dm.refine().createGlobalVec()))
    other = meshes.fields(meshes.box(n=4), (1, 1))
    plexgpu.set_exact_solution(other, 0, fails_here)
    raises_everywhere(lambda: plexgpu.exact_errors(other, other.createGlobalVec()))


def hdg(**settings):
    h = plexgpu.HDG(meshes.box(n=4), 1, **{"source": 1.0, "dirichlet": {None: 0.0}, **settings})
    h.backend = "host"
    return h


def test_functions_of_hdg():
    """Each function of a problem, which is solved once it is another one."""
    first, faulty = hdg().solve()[0].norm(), lambda x, *more: 1.0 + fails_here(x, 0)
    for name, good in (
        ("source", 1.0),
        ("coefficients", lambda x, cell: (1.0, 0.0)),
        ("stabilization", lambda x, cell, face: 2.0),
    ):
        h = hdg()
        setattr(h, name, (lambda x, cell: (faulty(x), 0.0)) if name == "coefficients" else faulty)
        raises_everywhere(h.solve)
        setattr(h, name, good)
        u, _ = h.solve()
        assert name == "stabilization" or u.norm() == pytest.approx(first, rel=1e-12)
        raises_everywhere(lambda: h.computeL2Error(faulty))
    for name, words, bad in (
        ("source", "gives .*nan", float("nan")),
        ("coefficients", "kappa = .* is not symmetric", (-1.0, 0.0)),
        ("coefficients", "lambda = inf .* is not finite", (1.0, float("inf"))),
        ("stabilization", "tau = 0.0 of face", 0.0),
    ):
        h, good = hdg(), (1.0, 0.0) if name == "coefficients" else 1.0
        setattr(h, name, lambda x, *more: bad if HERE else good)
        with pytest.raises(PETSc.Error) as error:
            h.solve()
        assert isinstance(error.value.__cause__, ValueError)
        assert re.search(by_whom(words), str(error.value.__cause__))
    h = hdg(dirichlet={None: faulty})
    raises_everywhere(h.solve)
    h.addBoundary("dirichlet", 0.0)
    assert h.solve()[0].norm() == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("transient", [False, True])
def test_functions_of_hdg_in_a_solver(transient):
    """kappa of Newton's method, and a source that depends on the time."""
    faulty = [False]

    def f(x, u=0.0):
        return 1.0 + (fails_here(x, 0) if faulty[0] else 0.0)

    h = hdg(source=f) if transient else hdg()
    if transient:
        h.time = 0.0
    else:
        h.setPointwise(lambda x, u: (f(x, u), 0.0), nonlinear=True)
    connect = h.setTS if transient else h.setSNES
    solver = solver_of(transient, connect)
    faulty[0] = True
    raises_everywhere(lambda: solve_by(solver, h.createStateVec()))
    faulty[0] = False
    solver, X = solver_of(transient, connect), h.createStateVec()
    solve_by(solver, X)
    assert solver.getConvergedReason() > 0 and np.isfinite(X.norm()) and X.norm() > 0


def test_coefficients_of_dg():
    dg = plexgpu.DG(meshes.box(n=4, simplex=True), "acoustics", 1, {None: "wall"})
    dg.backend = "host"
    dg.setCoefficients(lambda x, cell, k: k + fails_here(x, 0))
    raises_everywhere(dg.createVec)
    dg.setCoefficients(None)
    assert dg.createVec().getSize() > 0


def test_material_function_of_dg():
    dg = plexgpu.DG(meshes.box(n=4, simplex=True), "acoustics", 1, {None: "wall"})
    dg.backend = "host"
    dg.setMaterialFunction(lambda x, k: k + fails_here(x, 0))
    raises_everywhere(dg.createVec)
    dg.setMaterialFunction(None)
    assert dg.createVec().getSize() > 0
