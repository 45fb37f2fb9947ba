"""Meshes of another code's arrays: the same matrices as on the DMPlex that they were taken from."""

import re
from pathlib import Path

import meshes
import numpy as np
import plexgpu
import plexgpu.ufl as pu
import processes
import pytest
from petsc4py import PETSc
from ufl import Coefficient, TestFunction, dx, grad, inner

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
EXAMPLE = Path(__file__).resolve().parents[1] / "examples/arrays.py"


def square(n):
    """Triangles of a square: vertices, cells with ascending vertices."""
    grid = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    x = np.stack(np.meshgrid(*[np.linspace(0, 1, n + 1)] * 2, indexing="ij"), -1).reshape(-1, 2)
    corners = [grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]]
    a, b, c, d = (corner.ravel() for corner in corners)
    return x, np.sort(np.vstack([np.stack([a, b, d], 1), np.stack([a, c, d], 1)]), axis=1)


def poisson(dm):
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    return pu.Problem((1 + u**2) * inner(grad(u), grad(v)) * dx + u * v * dx - v * dx, u)


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="of one process")
@pytest.mark.parametrize("backend", [*meshes.BACKENDS, "petsc"])
def test_by_hand(backend):
    """Order 1: against the sums of element matrices in numpy."""
    x, cells = square(4)
    dm = plexgpu.dm_from_arrays("triangle", x, cells, plexgpu.FieldArrays(cells, 1, xi=CORNERS), xi=CORNERS)
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    problem = pu.Problem(inner(grad(u), grad(v)) * dx, u, backend=backend)
    state = problem.createVec()
    state.set(1.0)
    J = problem.jacobian(state)
    expected = np.zeros((len(x), len(x)))
    for cell in cells:
        edges = (x[cell[1:]] - x[cell[0]]).T
        gradients = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]) @ np.linalg.inv(edges)
        expected[np.ix_(cell, cell)] += abs(np.linalg.det(edges)) / 2 * gradients @ gradients.T
    assert J.getSize() == expected.shape
    assert np.abs(J.convert("dense").getDenseArray() - expected).max() < 1e-13


@pytest.mark.parallel
@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() != 2, reason="of two processes")
def test_ghosts():
    """Each process has half of the triangles; the solution is that of one process."""
    x, cells = square(6)
    rank = PETSc.COMM_WORLD.getRank()
    whole = plexgpu.dm_from_arrays("triangle", x, cells, plexgpu.FieldArrays(cells, 1, xi=CORNERS), xi=CORNERS,
                                   comm=PETSc.COMM_SELF)
    alone = poisson(whole).solve()
    # process 0 owns the vertices of its triangles, process 1 the others
    half = [np.unique(cells[k::2]) for k in range(2)]
    own = [half[0], np.setdiff1d(half[1], half[0])]
    order = np.concatenate(own)
    to = np.empty(len(x), dtype=int)
    to[order] = np.arange(len(x))
    ghosts = np.setdiff1d(half[rank], own[rank])
    local = np.full(len(x), -1)
    mine = np.concatenate([own[rank], ghosts])
    local[mine] = np.arange(len(mine))
    dm = plexgpu.dm_from_arrays("triangle", x[mine], local[cells[rank::2]],
                                plexgpu.FieldArrays(local[cells[rank::2]], 1, xi=CORNERS), xi=CORNERS,
                                owned=len(own[rank]), ghosts=to[ghosts])
    both = poisson(dm).solve()
    start, end = both.getOwnershipRange()
    assert np.abs(both.getArray() - alone.getArray()[order[start:end]]).max() < 1e-7


def test_errors():
    x, cells = square(1)
    field = plexgpu.FieldArrays(cells, 1, xi=CORNERS)
    with pytest.raises(ValueError, match="'wedge' is none of triangle"):
        plexgpu.dm_from_arrays("wedge", x, cells, field)
    with pytest.raises(ValueError, match=r"xi has the shape \(2, 2\): \(3, 2\) is needed"):
        plexgpu.dm_from_arrays("triangle", x, cells, field, xi=CORNERS[:2])
    with pytest.raises(ValueError, match=r"dofs has the shape \(1, 3\): \(2, n\) is needed"):
        plexgpu.dm_from_arrays("triangle", x, cells, plexgpu.FieldArrays(cells[:1], 1))
    with pytest.raises(PETSc.Error, match="Lagrange"):
        plexgpu.dm_from_arrays("triangle", x, cells, field, xi=CORNERS / 2, comm=PETSc.COMM_SELF)


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts processes")
def test_example(tmp_path):
    norms = []
    for backend in ("host", meshes.BACKENDS[-1]):
        done = processes.run(1, EXAMPLE, "-output", tmp_path / "a.png", "-plex_assembly_backend", backend,
                             *processes.types(backend), folder=tmp_path)
        assert done.returncode == 0, done.stderr[-3000:]
        norms.append(float(re.search(rf"norm ([0-9.e+-]+)\b.* by {backend}, 0 left to PETSc$", done.stdout, re.M).group(1)))
        assert (tmp_path / "a.png").stat().st_size > 10000
    assert norms[0] == pytest.approx(norms[1], rel=1e-8)
