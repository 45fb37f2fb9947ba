"""Draws the temperature that examples/heat wrote: plot_heat.py heat.h5 heat.png"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.tri as tri
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

FACES = {  # faces of a cell by number of corners, in VTK's order
    4: [(0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3)],
    8: [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
}
CMAP = "RdYlBu_r"


def edges(cells):
    """The mesh's edges, each once: [n][2]"""
    pairs = np.concatenate([cells[:, [i, (i + 1) % cells.shape[1]]] for i in range(cells.shape[1])])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def draw_plane(ax, x, cells, u):
    triangles = cells if cells.shape[1] == 3 else np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
    mesh = tri.Triangulation(x[:, 0], x[:, 1], triangles)
    levels = np.linspace(u.min(), u.max(), 121)
    filled = ax.tricontourf(mesh, u, levels=levels, cmap=CMAP)
    lines = np.concatenate([[10.5, 11, 12, 15], np.arange(20, 200, 20)])
    ax.tricontour(mesh, u, levels=lines[(lines > u.min()) & (lines < u.max())], colors="black", linewidths=0.7, alpha=0.6)
    if len(cells) <= 60000:
        ends = x[edges(cells)]
        segments = np.insert(ends, 2, np.nan, axis=1).reshape(-1, 2)
        ax.plot(segments[:, 0], segments[:, 1], color="black", linewidth=0.15, alpha=0.3)
    ax.set_aspect("equal")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    for spine in ax.spines.values():
        spine.set_visible(False)
    return filled


def draw_surface(ax, x, cells, u):
    """The boundary of a solid: faces that one cell alone has"""
    faces = np.concatenate([cells[:, list(f)] for f in FACES[cells.shape[1]]])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    faces = faces[first[count == 1]]
    norm = plt.Normalize(u.min(), u.max())
    colors = plt.get_cmap(CMAP)(norm(u[faces].mean(axis=1)))
    ax.add_collection3d(Poly3DCollection(x[faces], facecolors=colors, edgecolors=(0, 0, 0, 0.15), linewidths=0.2))
    ax.set(xlim=(x[:, 0].min(), x[:, 0].max()), ylim=(x[:, 1].min(), x[:, 1].max()), zlim=(x[:, 2].min(), x[:, 2].max()))
    ax.set_box_aspect(np.ptp(x, axis=0))
    ax.view_init(elev=28, azim=-62)
    ax.locator_params(axis="z", nbins=3)
    ax.set(xlabel="x", ylabel="y", zlabel="z")
    return plt.cm.ScalarMappable(norm=norm, cmap=CMAP)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_heat.py FIELD.h5 PICTURE.png")
    try:
        with h5py.File(sys.argv[1], "r") as file:
            x, cells, u = (np.array(file[name]) for name in ("geometry/vertices", "topology/cells", "field/u"))
    except (OSError, KeyError) as error:
        sys.exit(f"plot_heat.py: {sys.argv[1]} is not a field written by heat -output: {error}")
    solid = x.shape[1] == 3
    fig = plt.figure(figsize=(9, 6), layout="constrained")
    ax = fig.add_subplot(projection="3d") if solid else fig.add_subplot()
    shown = (draw_surface if solid else draw_plane)(ax, x, cells, u)
    bar = fig.colorbar(shown, ax=ax, shrink=0.75, pad=0.08 if solid else 0.02, ticks=np.arange(0, 201, 20))
    bar.set_label("temperature u (°C)")
    ax.set_title(f"Steady heat conduction, {len(x):,} vertices, {len(cells):,} elements")
    fig.savefig(sys.argv[2], dpi=160)
    print(f"Wrote {sys.argv[2]}")


main()
