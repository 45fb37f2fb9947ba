"""Draws what maxwell_sphere -sections NAME wrote: sections.py NAME.csv PICTURE.png

Extinction, scattering and absorption over pi a^2, against the wavenumber or, with -nanometres, the photons' energy, beside Mie's series.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def main(name, picture):
    table = np.genfromtxt(name, delimiter=",", names=True)
    photons = np.isfinite(table["energy_eV"]).all()
    x = table["energy_eV" if photons else "wavenumber"]
    fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
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
    fig.savefig(picture, dpi=130)
    peak = x[np.argmax(table["absorption"])]
    print(f"{picture}: {len(x)} points, absorption at most at {peak:.4g}; largest errors over the largest extinction " + ", ".join(f"{100 * e:.2f} %" for e in errors))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
