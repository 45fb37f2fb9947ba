"""Draws what supersonic_step -output NAME wrote

    gas.py NAME.vtkhdf PICTURE.png      the density at the end: 30 lines of equal density, as Woodward and Colella (1984) have it
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.tri import Triangulation


def main(path, picture):
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        points, times = root["Points"][:, :2], root["Steps/Values"][:]
        density = root["PointData/rho"][:].reshape(len(times), len(points))[-1]
    places, which = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    which = which.ravel()
    density = np.bincount(which, weights=density) / np.bincount(which)  # elements have nodes of their own
    mesh = Triangulation(places[:, 0], places[:, 1])
    middle = places[mesh.triangles].mean(axis=1)
    mesh.set_mask((middle[:, 0] > 0.6) & (middle[:, 1] < 0.2))  # the step
    figure, axes = plt.subplots(figsize=(11, 4.2), layout="constrained")
    drawn = axes.tripcolor(mesh, density, shading="gouraud", cmap="viridis")
    lowest, step = density.min(), np.ptp(density) / 30
    axes.tricontour(mesh, density, levels=lowest + step * (np.arange(30) + 0.37), colors="k", linewidths=0.4)  # 0.37: none where it is uniform
    axes.fill([0.6, 3, 3, 0.6], [0, 0, 0.2, 0.2], color="0.6")
    axes.set(title=f"density, t = {times[-1]:.3g}", xlim=(0, 3), ylim=(0, 1), aspect="equal", xlabel="x", ylabel="y")
    figure.colorbar(drawn, ax=axes, shrink=0.8)
    figure.savefig(picture, dpi=110)
    print(f"{picture}: density between {density.min():.3g} and {density.max():.3g} at t = {times[-1]:.3g}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
