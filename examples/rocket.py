"""Draws what maxwell_rocket -output NAME wrote: rocket.py NAME.h5 PICTURE.png

The component of E in the plane of the pictures along that of the first picture, and at last the largest |E| of all times; the conductor is grey.
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def main(name, picture):
    with h5py.File(name, "r") as file:
        points, times, E = file["points"][:], file["time"][:].ravel(), file["values"][:][:, :, :3]
    first = E[0, np.argmax((E[0] ** 2).sum(axis=1))]
    along = E @ (first / np.linalg.norm(first))
    x, z = np.unique(np.round(points[:, 0], 9)), np.unique(np.round(points[:, 2], 9))
    where = np.searchsorted(z, np.round(points[:, 2], 9)), np.searchsorted(x, np.round(points[:, 0], 9))
    most = np.abs(along).max()

    def on_grid(values):
        grid = np.full((len(z), len(x)), np.nan)
        grid[where] = values
        return grid

    columns = min(3, len(times) + 1)
    rows = -(-(len(times) + 1) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(4.4 * columns, 4 * rows), layout="constrained", squeeze=False)
    extent = [x[0], x[-1], z[0], z[-1]]
    for k, ax in enumerate(axes.ravel()):
        if k > len(times):
            ax.set_axis_off()
            continue
        last = k == len(times)
        values = on_grid(np.sqrt((E**2).sum(axis=2)).max(axis=0) if last else along[k])
        colors = plt.get_cmap("inferno" if last else "RdBu_r").with_extremes(bad="0.5")
        limits = dict(vmin=0) if last else dict(vmin=-0.6 * most, vmax=0.6 * most)
        shown = ax.imshow(values, origin="lower", extent=extent, cmap=colors, **limits)
        ax.set(title="largest |E|" if last else f"t = {times[k]:.3g}", xlabel="x", ylabel="z")
        if last or k == len(times) - 1:
            fig.colorbar(shown, ax=ax, shrink=0.8)
    fig.savefig(picture, dpi=110)
    print(f"{picture}: {len(times)} times, {len(points)} points, E at most {most:.4f}, at the end {np.abs(along[-1]).max():.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
