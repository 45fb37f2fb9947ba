"""Draws what maxwell_scattering -output NAME wrote: scattering.py NAME.h5 PICTURE.png, or, of a pulse, and what maxwell_sphere wrote,
scattering.py NAME.csv PICTURE.png [RADIUS [EPSILON]]

The near field in the plane of the wave's direction and its electric field, and the far field in the planes of both fields; of a sphere beside
Mie's series. Of a pulse, or of any table of -plex_dg_farfield: cross-sections over frequency, backwards and forwards, and over frequency and angle;
RADIUS is that of a conducting sphere, or with EPSILON one of that permittivity, in a medium of epsilon = mu = 1.
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def bessel(x, most):
    """x j_n(x) and x h_n(x), n = 0 .. most: j_n by the recurrence downwards, h_n = j_n + i y_n upwards"""
    start = most + 30
    j, y = np.zeros(start + 2), np.zeros(most + 1)
    j[start] = 1e-30
    for n in range(start, 0, -1):
        j[n - 1] = (2 * n + 1) / x * j[n] - j[n + 1]
        if abs(j[n - 1]) > 1e100:
            j *= 1e-100
    first = np.sin(x) / x, np.sin(x) / x**2 - np.cos(x) / x
    j *= first[0] / j[0] if abs(first[0]) > abs(first[1]) else first[1] / j[1]
    y[:2] = -np.cos(x) / x, -np.cos(x) / x**2 - np.sin(x) / x
    for n in range(1, most):
        y[n + 1] = (2 * n + 1) / x * y[n] - y[n - 1]
    return x * j[: most + 1], x * (j[: most + 1] + 1j * y)


def mie(x, angles, epsilon=None):
    """Cross-sections over pi a^2, x = k a, in the planes of E and of H (Bohren and Huffman, chapter 4), of a sphere of that permittivity or a conducting one"""
    most = int(x + 4 * x ** (1 / 3)) + 8
    S, X = bessel(x, most)
    n = np.arange(1, most + 1)
    dS, dX = S[:-1] - n / x * S[1:], X[:-1] - n / x * X[1:]  # derivatives
    S, X = S[1:], X[1:]
    if epsilon is None:
        a, b = dS / dX, S / X  # of electric and magnetic multipoles
    else:
        m = np.sqrt(epsilon)
        inner = bessel(m * x, most)[0]
        s, ds = inner[1:], inner[:-1] - n / (m * x) * inner[1:]
        a = (m * s * dS - S * ds) / (m * s * dX - X * ds)
        b = (s * dS - m * S * ds) / (s * dX - m * X * ds)
    mu = np.cos(angles)
    before, pi = np.zeros_like(mu), np.ones_like(mu)  # of n = 0 and 1
    S1, S2 = np.zeros(len(mu), complex), np.zeros(len(mu), complex)
    for k in range(1, most + 1):
        tau = k * mu * pi - (k + 1) * before
        factor = (2 * k + 1) / (k * (k + 1))
        S1 += factor * (a[k - 1] * pi + b[k - 1] * tau)
        S2 += factor * (a[k - 1] * tau + b[k - 1] * pi)
        before, pi = pi, ((2 * k + 1) * mu * pi - (k + 1) * before) / k
    return 4 * np.abs(S2) ** 2 / x**2, 4 * np.abs(S1) ** 2 / x**2


def draw_far(ax, far, k, radius):
    unit = np.pi * radius**2 if radius else 1.0
    for plane, color in ((0, "tab:blue"), (1, "tab:red")):
        name = "plane of " + "EH"[plane]
        ax.plot(np.degrees(far[:, 0]), 10 * np.log10(far[:, 1 + plane] / unit), color=color, label=name)
        if radius:
            angles = np.linspace(0, np.pi, 361)
            ax.plot(np.degrees(angles), 10 * np.log10(mie(k * radius, angles)[plane]), "--", color=color, alpha=0.6, label=name + ", series")
    ax.set(xlabel="angle from the wave's direction (degrees)", ylabel="cross-section over πa² (dB)" if radius else "cross-section (dB)", title="far field")
    ax.grid(alpha=0.3)
    ax.legend()


def draw_near(fig, ax, near, n):
    inside = near[:, 0] > 0
    E = np.where(inside[:, None], near[:, 1:4] + 1j * near[:, 4:7], np.nan)
    amplitude = np.sqrt((np.abs(E) ** 2).sum(axis=1)).reshape(n, n)
    extent = [near[:, 7].min(), near[:, 7].max(), near[:, 8].min(), near[:, 8].max()]
    shown = ax.imshow(amplitude, origin="lower", extent=extent, cmap="inferno", interpolation="bilinear", vmax=np.nanpercentile(amplitude, 99.5))
    ax.set(xlabel="along the wave", ylabel="along its E", title="|E| near by")
    fig.colorbar(shown, ax=ax, shrink=0.8, label="over that of the wave")


def draw_frequencies(name, picture, radius, epsilon):
    """The table of PlexDGFarFieldWrite(): lines of frequency, theta, phi, ..., cross_section"""
    table = np.genfromtxt(name, delimiter=",", names=True)
    frequencies, angles, planes = (np.unique(table[key]) for key in ("frequency", "theta", "phi"))
    sections = table["cross_section"].reshape(len(frequencies), len(planes), len(angles))
    unit = np.pi * radius**2 if radius else 1.0
    fig, axes = plt.subplots(1, 2, figsize=(13, 5), layout="constrained")
    for angle, color in ((180.0, "tab:blue"), (0.0, "tab:red")):
        if angle not in angles:
            continue
        name = "backwards" if angle else "forwards"
        axes[0].plot(frequencies, sections[:, 0, list(angles).index(angle)] / unit, "o-", color=color, label=name)
        if radius:
            fine = np.linspace(frequencies[0], frequencies[-1], 400)
            axes[0].plot(fine, [mie(w * radius, np.radians([angle]), epsilon)[0][0] for w in fine], "--", color=color, alpha=0.6, label=name + ", series")
    axes[0].set(xlabel="angular frequency", ylabel="cross-section over πa²" if radius else "cross-section", yscale="log", title="over frequency")
    axes[0].grid(alpha=0.3)
    axes[0].legend()
    shown = axes[1].pcolormesh(angles, frequencies, 10 * np.log10(sections[:, 0] / unit), cmap="viridis", shading="nearest")
    axes[1].set(xlabel="angle from the wave's direction (degrees)", ylabel="angular frequency", title="in the plane of E")
    fig.colorbar(shown, ax=axes[1], label="dB")
    if radius:
        series = np.array([mie(w * radius, np.radians(angles), epsilon) for w in frequencies])
        own = np.array([[row[list(planes).index(phi)] for phi in (0.0, 90.0)] for row in sections]) / unit
        error = np.linalg.norm(own - series) / np.linalg.norm(series)
        back = np.abs(own[:, 0, -1] / series[:, 0, -1] - 1).max() if angles[-1] == 180 else np.nan
        print(f"result: frequencies={len(frequencies)} bistatic_error={error:.6f} backscatter_error={back:.6f}")
    fig.savefig(picture, dpi=150)
    print(f"Wrote {picture}")


def main():
    if len(sys.argv) not in (3, 4, 5) or len(sys.argv) > 3 and not sys.argv[1].endswith(".csv"):
        sys.exit("usage: scattering.py NAME.h5 PICTURE.png, or scattering.py NAME.csv PICTURE.png [RADIUS [EPSILON]]")
    if sys.argv[1].endswith(".csv"):
        radius = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
        draw_frequencies(sys.argv[1], sys.argv[2], radius, float(sys.argv[4]) if len(sys.argv) > 4 else None)
        return
    try:
        with h5py.File(sys.argv[1], "r") as file:
            k, radius, n = np.array(file["parameters"]).ravel()
            far = np.array(file["far"])
            near = np.array(file["near"]) if "near" in file else None
    except (OSError, KeyError) as error:
        sys.exit(f"scattering.py: {sys.argv[1]} was not written by maxwell_scattering -output: {error}")
    fig, axes = plt.subplots(1, 1 if near is None else 2, figsize=(7 if near is None else 13, 5), layout="constrained", squeeze=False)
    draw_far(axes[0, 0], far, k, radius)
    if near is not None:
        draw_near(fig, axes[0, 1], near, int(n))
    if radius:
        back, exact = far[-1, 1] / (np.pi * radius**2), mie(k * radius, np.array([np.pi]))[0][0]
        fig.suptitle(f"ka = {k * radius:g}: backscatter {back:.4f} πa², by Mie's series {exact:.4f}")
        series = np.stack(mie(k * radius, far[:, 0]))
        error = np.linalg.norm(far[:, 1:].T / (np.pi * radius**2) - series) / np.linalg.norm(series)
        print(f"result: k={k:g} backscatter={back:.6f} series={exact:.6f} bistatic_error={error:.6f}")
    fig.savefig(sys.argv[2], dpi=150)
    print(f"Wrote {sys.argv[2]}")


main()
