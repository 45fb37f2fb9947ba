"""Draws fields at the corners of cells, as plexgpu.corner_values() gives them, with matplotlib."""

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.tri import Triangulation


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


def save(figure, file):
    figure.savefig(file, dpi=150, bbox_inches="tight")
    print(f"picture: {file}")


figure = plt.subplots
