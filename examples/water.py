"""Draws what shallow_water -output NAME wrote: water.py NAME.vtkhdf PICTURE.png

The water's surface at the times of the file, raised as figure 3.2 of Henry de Frahan (2011) has it.
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.tri import Triangulation


def read(path):
    """Nodes x[n], y[n], times t[k] and elevations eta[k][n]: elements have nodes of their own, of which those at a place give their mean"""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        points, times = root["Points"][:, :2], root["Steps/Values"][:]
        eta = root["PointData/eta"][:].reshape(len(times), len(points))
    places, which = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    which = which.ravel()
    count = np.bincount(which)
    mean = np.array([np.bincount(which, weights=values) / count for values in eta])
    return places[:, 0], places[:, 1], times, mean


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
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
