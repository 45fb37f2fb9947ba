"""Draws what an example wrote with -output: plot.py NAME.h5 PICTURE.png

A displacement deforms the mesh and is coloured by the value of each cell that the example wrote with it; a velocity is drawn as its
speed with stream lines beside the pressure; concentrations are drawn each by itself; a temperature with lines of equal temperature.
Solids are drawn by their surface.
"""
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
LABELS = {"stress_concentration": "stress σₓₓ over the tension far away", "energy": "strain energy density"}


def triangulation(x, cells):
    triangles = cells if cells.shape[1] == 3 else np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
    return tri.Triangulation(x[:, 0], x[:, 1], triangles)


def at_vertices(values, cells, n):
    """Means of the cells round each vertex"""
    total, count = np.zeros(n), np.zeros(n)
    np.add.at(total, cells, values[:, None])
    np.add.at(count, cells, 1.0)
    return total / count


def surface(cells):
    """The boundary of a solid: the corners of the faces that one cell alone has"""
    faces = np.concatenate([cells[:, list(f)] for f in FACES[cells.shape[1]]])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[first[count == 1]]


def plane(ax, x, cells, values, cmap, mesh_lines=False):
    shown = ax.tricontourf(triangulation(x, cells), values, levels=np.linspace(values.min(), values.max() + 1e-14, 101), cmap=cmap)
    if mesh_lines and len(cells) <= 20000:
        rims = np.concatenate([x[cells], x[cells[:, :1]], np.full((len(cells), 1, 2), np.nan)], axis=1).reshape(-1, 2)
        ax.plot(rims[:, 0], rims[:, 1], color="black", linewidth=0.25, alpha=0.4)
    ax.set_aspect("equal")
    ax.set(xlabel="x", ylabel="y")
    for spine in ax.spines.values():
        spine.set_visible(False)
    return shown


def solid(ax, x, cells, values, cmap):
    """The surface, coloured by the values at its vertices, darker where it is turned away from the light"""
    faces = surface(cells)
    shown = values[faces].mean(axis=1)
    norm = plt.Normalize(*np.percentile(shown, (2, 98)))
    colors = plt.get_cmap(cmap)(norm(shown))
    normal = np.cross(x[faces[:, 1]] - x[faces[:, 0]], x[faces[:, 2]] - x[faces[:, 0]])
    normal /= np.linalg.norm(normal, axis=1)[:, None] + 1e-300
    colors[:, :3] *= (0.62 + 0.38 * np.abs(normal @ np.array([0.3, -0.55, 0.78])))[:, None]
    ax.add_collection3d(Poly3DCollection(x[faces], facecolors=colors, edgecolors=(0, 0, 0, 0.35), linewidths=0.3))
    ax.set(xlim=(x[:, 0].min(), x[:, 0].max()), ylim=(x[:, 1].min(), x[:, 1].max()), zlim=(x[:, 2].min(), x[:, 2].max()))
    ax.set_box_aspect(np.ptp(x, axis=0), zoom=0.98)
    ax.view_init(elev=24, azim=-62)
    ax.set_axis_off()
    return plt.cm.ScalarMappable(norm=norm, cmap=cmap)


def draw(fig, position, x, cells, values, label, cmap, mesh_lines=False):
    """One of so many pictures beside each other, position: (which, how many)"""
    which, many = position
    ticks = matplotlib.ticker.MaxNLocator(7)
    if x.shape[1] == 2:
        ax = fig.add_subplot(1, many, which + 1)
        fig.colorbar(plane(ax, x, cells, values, cmap, mesh_lines), ax=ax, shrink=0.75, pad=0.02, label=label, ticks=ticks)
        return ax
    fig.set_layout_engine("none")  # which leaves solids little room
    width, (inches_x, inches_y) = 0.86 / many, fig.get_size_inches()
    height = width * inches_x / inches_y  # a square, for mplot3d draws in one, though it be higher than the picture
    ax = fig.add_axes((which / many, 0.47 - height / 2, width, height), projection="3d")
    fig.colorbar(solid(ax, x, cells, values, cmap), cax=fig.add_axes(((which + 0.87) / many, 0.2, 0.02 / many, 0.6)), label=label, ticks=ticks)
    return ax


def draw_displacement(x, cells, u, cellwise):
    """Small deformations are made larger for the eye"""
    name, values = next(iter(cellwise.items()), ("displacement", None))
    largest = np.abs(u).max()
    factor = 1 if largest > 0.1 * np.ptp(x) or largest == 0 else float(f"{0.06 * np.ptp(x) / largest:.1g}")
    values = np.linalg.norm(u, axis=1) if values is None else at_vertices(values, cells, len(x))
    fig = plt.figure(figsize=(9, 7) if x.shape[1] == 2 else (10, 5) if np.ptp(x[:, 0]) > 2 * np.ptp(x[:, 1]) else (10, 7), layout="constrained")
    draw(fig, (0, 1), x + factor * u, cells, values, LABELS.get(name, name), "viridis" if name == "energy" else "turbo", mesh_lines=True)
    fig.suptitle(f"{len(cells):,} elements, deformation drawn {factor:g} times" if factor != 1 else f"{len(cells):,} elements, deformed")
    return fig


def draw_flow(x, cells, velocity, pressure):
    fig = plt.figure(figsize=(13, 4.6) if x.shape[1] == 2 else (13, 5.5), layout="constrained")
    ax = draw(fig, (0, 2), x, cells, np.linalg.norm(velocity, axis=1), "speed", "viridis")
    if x.shape[1] == 2:
        mesh = triangulation(x, cells)
        px, py = (np.linspace(x[:, d].min(), x[:, d].max(), 160) for d in (0, 1))
        grid = np.meshgrid(px, py)
        u, v = (tri.LinearTriInterpolator(mesh, velocity[:, d])(*grid) for d in (0, 1))
        ax.streamplot(px, py, u, v, density=1.3, color="white", linewidth=0.6, arrowsize=0.7)
    draw(fig, (1, 2), x, cells, pressure, "pressure", "RdYlBu_r")
    fig.suptitle(f"Stokes flow, {len(cells):,} elements")
    return fig


def draw_concentrations(x, cells, c):
    fig = plt.figure(figsize=(12, 5.2), layout="constrained")
    for k, name in enumerate("uv"):
        draw(fig, (k, 2), x, cells, c[:, k], f"concentration {name}", "magma" if k else "magma_r")
    fig.suptitle(f"Reaction and diffusion, {len(cells):,} elements")
    return fig


def draw_temperature(x, cells, u):
    fig = plt.figure(figsize=(9, 6) if x.shape[1] == 2 else (10, 8), layout="constrained")
    ax = draw(fig, (0, 1), x, cells, u, "temperature u (°C)", "RdYlBu_r", mesh_lines=True)
    if x.shape[1] == 2:
        lines = np.concatenate([[10.5, 11, 12, 15], np.arange(20, 200, 20)])
        ax.tricontour(triangulation(x, cells), u, levels=lines[(lines > u.min()) & (lines < u.max())], colors="black", linewidths=0.7, alpha=0.6)
    fig.suptitle(f"Steady heat conduction, {len(x):,} vertices, {len(cells):,} elements")
    return fig


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot.py FIELDS.h5 PICTURE.png")
    try:
        with h5py.File(sys.argv[1], "r") as file:
            x, cells = np.array(file["geometry/vertices"]), np.array(file["topology/cells"])
            fields = {name: np.array(values) for name, values in file["field"].items()}
            cellwise = {name: np.array(values) for name, values in file.get("cell", {}).items()}
    except (OSError, KeyError) as error:
        sys.exit(f"plot.py: {sys.argv[1]} was not written by an example's -output: {error}")
    if "displacement" in fields:
        fig = draw_displacement(x, cells, fields["displacement"], cellwise)
    elif "velocity" in fields:
        fig = draw_flow(x, cells, fields["velocity"], fields["pressure"])
    elif "concentration" in fields:
        fig = draw_concentrations(x, cells, fields["concentration"])
    elif "u" in fields:
        fig = draw_temperature(x, cells, fields["u"])
    else:
        sys.exit(f"plot.py: {sys.argv[1]} has no displacement, velocity, concentration or temperature u but {', '.join(fields)}")
    fig.savefig(sys.argv[2], dpi=150)
    print(f"Wrote {sys.argv[2]}")


main()
