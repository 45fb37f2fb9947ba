"""What is wrong on one process alone is an error on all of them, of one kind, which names the process."""

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
