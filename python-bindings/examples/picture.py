"""Draws fields at the corners of cells, as plexgpu.corner_values() gives them, and states of DG, with matplotlib."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.tri import Triangulation
from petsc4py import PETSc


def triangles(x):
    """Triangulation of cells [cells][corners][2], triangles or quadrilaterals, each with corners of its own."""
    n, k = x.shape[:2]
    at = np.arange(n * k).reshape(n, k)
    parts = [at[:, :3]] if k == 3 else [at[:, [0, 1, 2]], at[:, [0, 2, 3]]]
    return Triangulation(x[..., 0].ravel(), x[..., 1].ravel(), np.concatenate(parts))


def draw(axes, x, values, label, lines=False, cmap="inferno"):
    """A field [cells][corners] in colours; lines: of equal value, too."""
    mesh = triangles(x)
    shown = axes.tripcolor(mesh, values.ravel(), shading="gouraud", cmap=cmap)
    if lines:
        axes.tricontour(mesh, values.ravel(), levels=12, colors="white", linewidths=0.4)
    axes.set_aspect("equal")
    axes.set(xlabel="x", ylabel="y")
    axes.figure.colorbar(shown, ax=axes, label=label, shrink=0.8)


def streams(axes, x, velocity, n):
    """Stream lines of a velocity [cells][corners][2] on the unit square of n by n cells."""
    rows = np.round(x.reshape(-1, 2)[:, ::-1] * n).astype(int) @ [n + 1, 1]
    order, line = np.unique(rows, return_index=True)[1], np.linspace(0, 1, n + 1)
    u, v = (velocity[..., c].ravel()[order].reshape(n + 1, n + 1) for c in (0, 1))
    axes.streamplot(line, line, u, v, color="white", linewidth=0.6, arrowsize=0.6)


def outline(axes, x, **style):
    """The cells' edges."""
    loops = np.concatenate([x, x[:, :1], np.full((len(x), 1, 2), np.nan)], axis=1).reshape(-1, 2)
    axes.plot(loops[:, 0], loops[:, 1], **style)


def triangulated_square(n, comm=None):
    """A `DM` of the unit square: n by n squares, each cut into two triangles; not distributed."""
    comm = comm or PETSc.COMM_WORLD
    x, k = np.linspace(0, 1, n + 1), np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    points = np.stack(np.meshgrid(x, x), -1).reshape(-1, 2)
    a, b, c, d = (q.ravel() for q in (k[:-1, :-1], k[:-1, 1:], k[1:, 1:], k[1:, :-1]))
    cells = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(PETSc.IntType)
    if comm.getRank():
        cells, points = cells[:0], points[:0]
    return PETSc.DMPlex().createFromCellList(2, cells, points, comm=comm)


def gathered(values, obj):
    """The rows of the processes' arrays, one after the other, on the first process; None on the others. Collective."""
    values = np.ascontiguousarray(values, dtype=float)
    mine = PETSc.Vec().createWithArray(values.ravel(), comm=obj.getComm())
    scatter, whole = PETSc.Scatter.toZero(mine)
    scatter.scatter(mine, whole)
    return whole.getArray().reshape(-1, *values.shape[1:]).copy() if obj.getComm().getRank() == 0 else None


def image(x, values, n):
    """Values [cells] of the unit square's n by n cells, with centers x[cells][2], as [row][column]."""
    out = np.zeros((n, n))
    column, row = (x * n).astype(int).T
    out[row, column] = values
    return out


def nodes(axes, x, values, label, **style):
    """A state of DG in colours: values [elements][nodes] at x[elements][nodes][2], nodes of several elements once."""
    x, at = np.unique(x.reshape(-1, 2).round(9), axis=0, return_index=True)
    shown = axes.tripcolor(Triangulation(*x.T), values.ravel()[at], shading="gouraud", **style)
    axes.set_aspect("equal")
    axes.set(xlabel="x", ylabel="y")
    axes.figure.colorbar(shown, ax=axes, label=label, shrink=0.8)


def save(figure, file):
    figure.savefig(file, dpi=150, bbox_inches="tight")
    print(f"picture: {file}")


figure = plt.subplots
