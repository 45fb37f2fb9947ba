"""Draws what maxwell_nanosphere -output NAME wrote: nanosphere.py NAME.csv PICTURE.png

Extinction, scattering and absorption over the photons' energy, beside Mie's series.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def main(name, picture):
    table = np.genfromtxt(name, delimiter=",", names=True)
    energy = table["energy_eV"]
    fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    errors = []
    for color, which in (("k", "extinction"), ("tab:blue", "scattering"), ("tab:red", "absorption")):
        own, series = table[f"{which}_nm2"], table[f"series_{which}_nm2"]
        errors.append(np.abs(own - series).max() / series.max())
        ax.plot(energy, series, "-", color=color, alpha=0.6, label=f"{which}, Mie's series")
        ax.plot(energy, own, "o", color=color, markersize=4, label=f"{which}, computed")
    ax.set(xlabel="energy of the photon (eV)", ylabel="cross-section (nm²)", ylim=(0, None))
    top = ax.secondary_xaxis("top", functions=(lambda e: 1239.84198 / np.maximum(e, 1e-9),) * 2)
    top.set_xlabel("wavelength (nm)")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    fig.savefig(picture, dpi=130)
    print(f"{picture}: {len(energy)} energies, absorption at most at {energy[np.argmax(table['absorption_nm2'])]:.4g} eV; largest errors " + ", ".join(f"{100 * e:.2f} %" for e in errors))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
