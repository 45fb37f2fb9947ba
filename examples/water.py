"""Draws what shallow_water or tsunami -output NAME wrote

    water.py NAME.vtkhdf PICTURE.png                        the surface, raised as figure 3.2 of Henry de Frahan (2011) has it
    water.py NAME.vtkhdf PICTURE.png OCEAN.h5 [GAUGES.csv]  maps of a tsunami over the raster of its bathymetry, in km and minutes, and what gauges saw
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.tri import Triangulation


def read(path, weigh=None):
    """Nodes x[n], y[n], times t[k] and elevations eta[k][n]: elements have nodes of their own, of which those at a place give their mean,
    by the weights of their elements, weigh(points, element of each). eta is NaN where all weights are 0"""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        points, times = root["Points"][:, :2], root["Steps/Values"][:]
        eta = root["PointData/eta"][:].reshape(len(times), len(points))
        element = np.empty(len(points), dtype=int)
        element[root["Connectivity"][:]] = np.repeat(np.arange(len(root["Types"])), np.diff(root["Offsets"][:]))
    weights = weigh(points, element) if weigh else np.ones(len(points))
    places, which = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    which = which.ravel()
    total = np.bincount(which, weights=weights)
    mean = np.array([np.bincount(which, weights=weights * values) for values in eta])
    mean = np.divide(mean, total, out=np.full_like(mean, np.nan), where=total > 0)
    return places[:, 0], places[:, 1], times, mean


def maps(path, picture, ocean, gauges=None):
    with h5py.File(ocean) as file:
        height, axes_x, axes_y = file["elevation"][:], file["x"][:] / 1e3, file["y"][:] / 1e3

    def at_sea(points, element):
        """1 in elements that are at sea as a whole: on land the elevation is that of the ground"""
        x, y = points.T / 1e3
        column = np.clip(np.searchsorted(axes_x, x), 1, len(axes_x) - 1)
        row = np.clip(np.searchsorted(axes_y, y), 1, len(axes_y) - 1)
        a, b = (x - axes_x[column - 1]) / (axes_x[column] - axes_x[column - 1]), (y - axes_y[row - 1]) / (axes_y[row] - axes_y[row - 1])
        ground = (1 - b) * ((1 - a) * height[row - 1, column - 1] + a * height[row - 1, column]) + b * ((1 - a) * height[row, column - 1] + a * height[row, column])
        land = np.zeros(element.max() + 1, dtype=bool)
        land[element[ground >= 0]] = True
        return 1.0 - land[element]

    x, y, times, eta = read(path, at_sea)
    sea = np.isfinite(eta[0])
    mesh = Triangulation(x / 1e3, y / 1e3)
    mesh.set_mask(~sea[mesh.triangles].all(axis=1))
    most = np.percentile(np.abs(eta[1:][:, sea]), 99.5)
    most = float(f"{most:.1g}")
    columns = min(3, len(times))
    rows = (len(times) + columns - 1) // columns
    figure = plt.figure(figsize=(4.3 * columns, 3.5 * rows + (2.6 if gauges else 0)), layout="constrained")
    grid = figure.add_gridspec(rows + bool(gauges), columns, height_ratios=[3.5] * rows + [2.6] * bool(gauges))
    points = []
    if gauges:
        table = np.genfromtxt(gauges, delimiter=",", names=True)
        each = [table[table["point"] == g] for g in range(int(table["point"].max()) + 1)]
        points = [(g, f"gauge at ({seen['x'][0] / 1e3:g}, {seen['y'][0] / 1e3:g}) km", seen) for g, seen in enumerate(each)]
    for k, time in enumerate(times):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        drawn = axes.tricontourf(mesh, np.clip(np.nan_to_num(eta[k]), -most, most), levels=np.linspace(-most, most, 41), cmap="RdBu_r", extend="both")
        axes.contour(axes_x, axes_y, -height, levels=[200, 1000, 3000], colors="0.45", linewidths=0.5)
        axes.contourf(axes_x, axes_y, height, levels=[0, 1e5], colors=["#b9a77c"])
        axes.contour(axes_x, axes_y, height, levels=[0], colors="k", linewidths=0.8)
        axes.set(title=f"{time / 60:.0f} minutes", xlim=(x.min() / 1e3, x.max() / 1e3), ylim=(y.min() / 1e3, y.max() / 1e3), aspect="equal")
        axes.set_xlabel("km" if k // columns == rows - 1 else "")
        axes.set_ylabel("km" if k % columns == 0 else "")
        for g, name, seen in points:
            axes.plot(seen["x"][0] / 1e3, seen["y"][0] / 1e3, marker="o", color=f"C{g + 1}", markersize=4, markeredgecolor="k", markeredgewidth=0.5)
    figure.colorbar(drawn, ax=figure.axes, label="elevation, m", shrink=0.6, ticks=np.linspace(-most, most, 5))
    if gauges:
        axes = figure.add_subplot(grid[rows, :])
        for g, name, seen in points:
            axes.plot(seen["time"] / 60, seen["eta"], color=f"C{g + 1}", label=name)
        axes.set(xlabel="minutes", ylabel="elevation, m")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(picture, dpi=110)
    print(f"{picture}: {len(times)} times, most elevations at sea within {most:.3g} m")


def main(path, picture):
    x, y, times, eta = read(path)
    mesh = Triangulation(x, y)
    columns = min(3, len(times))
    rows = (len(times) + columns - 1) // columns
    most = np.abs(eta[0]).max()
    figure = plt.figure(figsize=(4.2 * columns, 3.9 * rows))
    for k, time in enumerate(times):
        axes = figure.add_subplot(rows, columns, k + 1, projection="3d")
        axes.plot_trisurf(mesh, eta[k], cmap="viridis", vmin=-0.3 * most, vmax=0.6 * most, linewidth=0, antialiased=False)
        axes.set(title=f"t = {time:.3g}", xlabel="x", ylabel="y", zlim=(-0.5 * most, most))
        axes.view_init(elev=35, azim=-60)
    figure.subplots_adjust(left=0.02, right=0.96, bottom=0.08, top=0.95, hspace=0.25)
    figure.savefig(picture, dpi=110)
    print(f"{picture}: {len(times)} times, elevation between {eta.min():.3g} and {eta.max():.3g}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    (main if len(sys.argv) == 3 else maps)(*sys.argv[1:])
