"""Draws what maxwell_sphere -sections NAME wrote, and -near NEAR: sections.py NAME.csv PICTURE.png [NEAR.csv]

Extinction, scattering and absorption over pi a^2, against the wavenumber or, with -nanometres, the photons' energy, beside Mie's series. The size
of the near field over the wave's, as computed and by the series.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def draw_sections(ax, table):
    """A line for the output"""
    photons = np.isfinite(table["energy_eV"]).all()
    x = table["energy_eV" if photons else "wavenumber"]
    errors = []
    for color, which in (("k", "extinction"), ("tab:blue", "scattering"), ("tab:red", "absorption")):
        own, series = table[which], table[f"series_{which}"]
        errors.append(np.abs(own - series).max() / table["series_extinction"].max())
        ax.plot(x, series, "-", color=color, alpha=0.6, label=f"{which}, Mie's series")
        ax.plot(x, own, "o", color=color, markersize=4, label=f"{which}, computed")
    ax.set(xlabel="energy of the photon (eV)" if photons else "ka", ylabel="cross-section over πa²", ylim=(0, None))
    if photons:
        top = ax.secondary_xaxis("top", functions=(lambda e: 1239.84198 / np.maximum(e, 1e-9),) * 2)
        top.set_xlabel("wavelength (nm)")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    peak = x[np.argmax(table["absorption"])]
    return f"{len(x)} points, absorption at most at {peak:.4g}; largest errors over the largest extinction " + ", ".join(f"{100 * e:.2f} %" for e in errors)


def draw_near(fig, axes, table):
    """The computed field above, the series below"""
    x, y = np.unique(table["along_direction"]), np.unique(table["along_polarization"])
    where = np.searchsorted(y, table["along_polarization"]), np.searchsorted(x, table["along_direction"])
    step = x[1] - x[0]
    extent = [x[0] - step / 2, x[-1] + step / 2, y[0] - step / 2, y[-1] + step / 2]
    for ax, which, title in zip(axes, ("field", "series"), ("|E| over the wave's, computed", "by Mie's series")):
        values = np.full((len(y), len(x)), np.nan)
        values[where] = table[which]
        shown = ax.imshow(values, origin="lower", extent=extent, cmap="inferno", vmin=0, vmax=table["series"].max(), interpolation="bilinear")
        ax.add_patch(plt.Circle((0, 0), 1, fill=False, color="w", linewidth=0.6))
        ax.set(title=title, xticks=[], yticks=[])
        ax.title.set_fontsize(9)
    fig.colorbar(shown, ax=axes, shrink=0.7)
    return f"; |E| at most {table['field'].max():.3g}, by the series {table['series'].max():.3g}"


def main(name, picture, near=None):
    table = np.genfromtxt(name, delimiter=",", names=True)
    if near:
        fig = plt.figure(figsize=(9.4, 5.2), layout="constrained")
        grid = fig.add_gridspec(2, 2, width_ratios=(1.8, 1))
        line = draw_sections(fig.add_subplot(grid[:, 0]), table)
        line += draw_near(fig, [fig.add_subplot(grid[k, 1]) for k in range(2)], np.genfromtxt(near, delimiter=",", names=True))
    else:
        fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
        line = draw_sections(ax, table)
    fig.savefig(picture, dpi=130)
    print(f"{picture}: {line}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
