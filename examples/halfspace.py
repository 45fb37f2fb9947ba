"""Draws what elastic_halfspace -output NAME wrote: halfspace.py NAME.vtkhdf NAME.csv PICTURE.png [CP CS]

Above the velocity, at the times of the file but the first: along y to the left of the axis, its size to the right, with where P waves, S waves and
Rayleigh's wave of speeds CP (sqrt(3)) and CS (1) are; below the velocity along y that receivers at the surface see.
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.tri import Triangulation


def rayleigh(cp, cs):
    """(2 - c^2/cs^2)^2 = 4 sqrt(1 - c^2/cp^2) sqrt(1 - c^2/cs^2), by bisection"""
    low, high = 0.4 * cs, cs
    for _ in range(60):
        c = (low + high) / 2
        s, p = (c / cs) ** 2, (c / cp) ** 2
        low, high = (low, c) if (2 - s) ** 2 > 4 * np.sqrt((1 - p) * (1 - s)) else (c, high)
    return low


def read(path):
    """Nodes x[n], y[n], times t[k] and velocities v[k][n][2]: elements have nodes of their own, of which those at a place give their mean"""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        points, times = root["Points"][:, :2], root["Steps/Values"][:]
        v = root["PointData/v"][:].reshape(len(times), len(points), -1)[:, :, :2]
    places, which = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    which = which.ravel()
    count = np.bincount(which)
    mean = np.array([[np.bincount(which, weights=values[:, d]) / count for d in (0, 1)] for values in v])
    return places[:, 0], places[:, 1], times, np.moveaxis(mean, 1, 2)


def field(axes, mesh, values, most, colors, least):
    return axes.tripcolor(mesh, np.clip(values, least, most), vmin=least, vmax=most, cmap=colors, shading="gouraud", rasterized=True)


def main(path, table, picture, cp=3**0.5, cs=1.0):
    cp, cs = float(cp), float(cs)
    cr = rayleigh(cp, cs)
    x, y, times, v = read(path)
    seen = np.genfromtxt(table, delimiter=",", names=True)
    receivers = int(seen["point"].max()) + 1
    at, when, vy = seen["x"][:receivers], seen["time"][::receivers], seen["vy"].reshape(-1, receivers)
    right, left = Triangulation(x, y), Triangulation(-x, y)
    size, columns = x.max(), min(3, len(times) - 1)
    rows = (len(times) - 2) // columns + 1
    most = np.percentile(np.abs(v[1:]), 99.7)
    figure = plt.figure(figsize=(5.2 * columns, 2.9 * rows + 4.2), layout="constrained")
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[2.9] * rows + [4.2])
    angle = np.linspace(-np.pi, 0, 181)
    for k, time in enumerate(times[1:]):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        field(axes, left, v[k + 1, :, 1], most, "RdBu_r", -most)
        field(axes, right, np.hypot(v[k + 1, :, 0], v[k + 1, :, 1]), most, "magma", 0)
        for speed, color in ((cp, "C2"), (cs, "C0")):
            axes.plot(speed * time * np.cos(angle), speed * time * np.sin(angle), "--", color=color, linewidth=0.9)
        axes.plot([-cr * time, cr * time], [0.12, 0.12], "kv", markersize=5, clip_on=False)
        axes.axvline(0, color="0.6", linewidth=0.6)
        axes.set(xlim=(-size, size), ylim=(-size, 0), aspect="equal", title=f"t = {time:.3g}", ylabel="y" if k % columns == 0 else "")
    axes = figure.add_subplot(grid[rows, :])
    scale = 0.9 * (at[1] - at[0]) * 3 / np.abs(vy[when > 0.3 * when[-1]]).max()
    for r in range(0, receivers, 3):
        trace = at[r] + np.clip(scale * vy[:, r], -0.6, 0.6)
        axes.plot(when, trace, color="k", linewidth=0.6)
        axes.fill_between(when, at[r], np.maximum(trace, at[r]), color="0.3", linewidth=0)
    for speed, color, name in ((cp, "C2", "P waves"), (cs, "C0", "S waves"), (cr, "C3", "Rayleigh's wave")):
        axes.plot(when, speed * when, "--", color=color, label=f"{name}, speed {speed:.4g}")
    axes.set(xlim=(0, when[-1]), ylim=(0, size), xlabel="t", ylabel="x", title="velocity along y at the surface")
    axes.legend(loc="lower right")
    figure.savefig(picture, dpi=110)
    peak = np.abs(vy[-1]).argmax()
    print(f"{picture}: {len(times)} times, {receivers} receivers, at the end the largest velocity at the surface is at x = {at[peak]:.3g}, Rayleigh's wave at {cr * when[-1]:.3g}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
