"""Draws what tohoku -output NAME wrote, after figures 3.3 to 3.6 of Henry de Frahan (2011), and gauges beside the records

    figures.py NAME OCEAN.h5 [-o FOLDER] [--crop M] [--records FILE.h5]

mesh.png, bathymetry.png, initial.png, wave.png, extrema.png and gauges.png in FOLDER (default: here), and a table of first waves.
--records names a file with a dataset [n][2] for each buoy, of seconds after 05:46:24 UTC and m without tide: these
are drawn, too.
"""
import argparse
import os

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.tri import Triangulation

from sphere import Raster, position, project

# Largest elevation of the first wave, m, and minutes after the earthquake began, 05:46:24 UTC, of the buoys in the order
# of gauges.txt: records of DART (NOAA/NDBC) without tide, a value a minute, as given with MacInnes et al., Bull. Seismol.
# Soc. Am. 103 (2013), github.com/rjleveque/tohoku2011-paper1
RECORDS = {"21418": (1.87, 32.6), "21401": (0.66, 66.6), "21413": (0.77, 80.6), "21419": (0.54, 89.6)}


# How VTK's cells, linear or Lagrange, are cut into triangles by their corners, and by all nodes of those of degree 2
CORNERS = {5: [(0, 1, 2)], 9: [(0, 1, 2), (0, 2, 3)]}
CORNERS |= {69: CORNERS[5], 70: CORNERS[9]}
SECOND = {
    69: [(0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)],
    70: [f for q in ((0, 4, 8, 7), (4, 1, 5, 8), (8, 5, 2, 6), (7, 8, 6, 3)) for f in (q[:3], (q[0], q[2], q[3]))],
}


def triangles(root, cut):
    """[triangles][3] nodes of cells, which may be of both kinds"""
    first, types, nodes = root["Offsets"][:-1], root["Types"][:], root["Connectivity"][:]
    return np.concatenate([nodes[first[types == kind][:, None] + np.array(f)] for kind, cuts in cut.items() for f in cuts])


class Run:
    """Cells with nodes of their own: x[n], y[n] in km, times[k] in minutes, eta[k][n]"""

    def __init__(self, name):
        with h5py.File(name + ".vtkhdf") as file:
            root = file["VTKHDF"]
            points = root["Points"][:, :2]
            self.times = root["Steps/Values"][:] / 60
            self.eta = root["PointData/eta"][:].reshape(len(self.times), len(points))
            corners, self.cells = triangles(root, CORNERS), len(root["Types"])
            degree2 = np.diff(root["Offsets"][:2])[0] == (6 if root["Types"][0] == 69 else 9)
            # the nodes on the sides of elements of degree 2 cut them, so that a picture has the polynomial's bulge
            fine = triangles(root, SECOND) if degree2 else corners
        self.x, self.y = points.T / 1e3
        self.mesh, self.fine = Triangulation(self.x, self.y, corners), Triangulation(self.x, self.y, fine)
        table = np.genfromtxt(name + ".csv", delimiter=",", names=True)
        self.gauges = [table[table["point"] == g] for g in range(int(table["point"].max()) + 1)]


def frame(axes, run, title=None):
    for lon in range(0, 360, 5):
        axes.plot(*(v / 1e3 for v in project(np.full(90, lon), np.linspace(0, 80, 90))), color="0.6", linewidth=0.3, zorder=3)
    for lat in range(0, 85, 5):
        axes.plot(*(v / 1e3 for v in project(np.linspace(100, 190, 90), np.full(90, lat))), color="0.6", linewidth=0.3, zorder=3)
    axes.set(xlim=(run.x.min() - 20, run.x.max() + 20), ylim=(run.y.min() - 20, run.y.max() + 20), aspect="equal", title=title)
    axes.set_facecolor("#cfc6ae")


def names_of(run):
    return list(RECORDS) if len(run.gauges) == len(RECORDS) else [str(g) for g in range(len(run.gauges))]


def buoys(axes, run):
    for name, seen in zip(names_of(run), run.gauges):
        axes.plot(seen["x"][0] / 1e3, seen["y"][0] / 1e3, "^", color="k", markersize=4, zorder=4)
        axes.annotate(name, (seen["x"][0] / 1e3, seen["y"][0] / 1e3), xytext=(4, 3), textcoords="offset points", fontsize=7, zorder=4)


def save(figure, folder, name):
    path = os.path.join(folder, name)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def draw_mesh(run, folder):
    figure, axes = plt.subplots(1, 2, figsize=(12, 6.3), layout="constrained")
    for k, a in enumerate(axes):
        frame(a, run, f"{run.cells:,} cells" if k == 0 else "off Japan")
        a.triplot(run.mesh, color="#225588", linewidth=0.25 if k == 0 else 0.4)
        a.set(xlabel="km", ylabel="km")
    axes[1].set(xlim=(-450, 450), ylim=(-450, 450))
    save(figure, folder, "mesh.png")


def draw_bathymetry(run, raster, folder):
    depth = -raster(*position(run.x * 1e3, run.y * 1e3))
    figure, axes = plt.subplots(figsize=(7.5, 6.3), layout="constrained")
    frame(axes, run, "Depth of the sea at the nodes")
    drawn = axes.tripcolor(run.fine, np.clip(depth, 0, 9000), cmap="viridis_r", shading="gouraud", vmin=0, vmax=9000, rasterized=True)
    buoys(axes, run)
    axes.set(xlabel="km", ylabel="km")
    figure.colorbar(drawn, ax=axes, label="m")
    save(figure, folder, "bathymetry.png")


def draw_initial(run, folder):
    first = next((k for k, eta in enumerate(run.eta) if np.abs(eta).max() > 0), 0)  # later where the rupture spreads
    eta, most = run.eta[first], np.abs(run.eta[first]).max()
    figure, axes = plt.subplots(figsize=(7, 6.3), layout="constrained")
    when = "Initial elevation" if first == 0 else f"Elevation after {run.times[first]:.0f} min"
    frame(axes, run, f"{when}, {eta.min():.1f} to {eta.max():.1f} m")
    drawn = axes.tripcolor(run.fine, eta, cmap="RdBu_r", shading="gouraud", vmin=-most, vmax=most, rasterized=True)
    axes.set(xlim=(-350, 350), ylim=(-350, 350), xlabel="km", ylabel="km")
    figure.colorbar(drawn, ax=axes, label="m")
    save(figure, folder, "initial.png")


def draw_wave(run, crop, folder):
    chosen = range(len(run.times)) if len(run.times) <= 6 else np.unique(np.linspace(0, len(run.times) - 1, 6).round().astype(int))
    figure, axes = plt.subplots(-(-len(chosen) // 3), 3, figsize=(12.5, 3.6 * -(-len(chosen) // 3)), layout="constrained", squeeze=False)
    for a, k in zip(axes.flat, chosen):
        frame(a, run, f"{run.times[k]:.0f} min")
        drawn = a.tripcolor(run.fine, run.eta[k], cmap="RdBu_r", shading="gouraud", vmin=-crop, vmax=crop, rasterized=True)
        buoys(a, run)
        a.tick_params(labelsize=7)
    used = list(axes.flat[: len(chosen)])
    for a in axes.flat[len(chosen) :]:
        a.remove()
    figure.colorbar(drawn, ax=used, label="elevation, m", extend="both", shrink=0.7)
    save(figure, folder, "wave.png")


def draw_extrema(run, name, folder):
    """Greatest elevation and arrival, with a line each quarter of an hour, of NAME-extrema.vtkhdf"""
    with h5py.File(name + "-extrema.vtkhdf") as file:
        root = file["VTKHDF"]
        x, y = root["Points"][:, :2].T / 1e3
        mesh = Triangulation(x, y, triangles(root, CORNERS))
        highest, arrival = root["PointData/highest"][:], root["PointData/arrival"][:] / 60
    figure, axes = plt.subplots(1, 2, figsize=(13, 5.6), layout="constrained")
    frame(axes[0], run, f"Greatest elevation, {highest.max():.1f} m at most")
    most = max(float(np.quantile(highest, 0.995)), 1e-3)
    drawn = axes[0].tripcolor(mesh, np.clip(highest, 0, None), cmap="magma_r", shading="gouraud", vmin=0, vmax=most, rasterized=True)
    figure.colorbar(drawn, ax=axes[0], label="m", extend="max")
    frame(axes[1], run, "Arrival of 0.1 m, minutes")
    mesh = Triangulation(x, y, mesh.triangles, mask=np.isnan(arrival)[mesh.triangles].any(axis=1))
    drawn = axes[1].tripcolor(mesh, np.nan_to_num(arrival), cmap="viridis", shading="gouraud", rasterized=True)
    if np.nanmax(arrival, initial=0) > 15:
        axes[1].tricontour(mesh, np.nan_to_num(arrival), levels=np.arange(15, run.times[-1], 15), colors="white", linewidths=0.8)
    figure.colorbar(drawn, ax=axes[1])
    for a in axes:
        buoys(a, run)
        a.set(xlabel="km", ylabel="km")
    save(figure, folder, "extrema.png")


def first_wave(seen, around=None):
    """Height and minute of the highest elevation, of the record's first wave or of all"""
    minutes, eta = seen["time"] / 60, seen["eta"]
    inside = np.abs(minutes - around) < 15 if around is not None else np.full(len(minutes), True)
    if not inside.any():
        return np.nan, np.nan
    k = np.flatnonzero(inside)[np.argmax(eta[inside])]
    return eta[k], minutes[k]


def draw_gauges(run, records, folder):
    names = names_of(run)
    figure, axes = plt.subplots(len(names), 1, figsize=(8.5, 2.1 * len(names)), layout="constrained", sharex=True, squeeze=False)
    for a, name, seen in zip(axes.flat, names, run.gauges):
        a.plot(seen["time"] / 60, seen["eta"], color="C0", label="computed")
        if name in records:
            a.plot(records[name][:, 0] / 60, records[name][:, 1], color="0.3", linewidth=0.8, label="record")
        if name in RECORDS:
            height, minute = RECORDS[name]
            a.errorbar(minute, height, xerr=2, yerr=0.25 * height, fmt="o", color="C3", markersize=4, capsize=2, label="record's first wave, 2 min, 25 %")
        a.set(ylabel="m", title=name, xlim=(0, run.times[-1]))
        a.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=8)
    axes.flat[-1].set_xlabel("minutes")
    save(figure, folder, "gauges.png")


def table(run):
    print("| buoy | record, m at min | computed, m at min | height | time, min |\n|---|---|---|---|---|")
    off = []
    for name, seen in zip(names_of(run), run.gauges):
        if name not in RECORDS or RECORDS[name][1] > run.times[-1]:
            continue
        (height, minute), (h, m) = RECORDS[name], first_wave(seen, RECORDS[name][1])
        off.append(abs(h / height - 1))
        print(f"| {name} | {height:.2f} at {minute:.1f} | {h:.2f} at {m:.1f} | {100 * (h / height - 1):+.0f} % | {m - minute:+.1f} |")
    if off:
        print(f"heights off by {100 * np.mean(off):.0f} % on average")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("raster")
    parser.add_argument("-o", dest="folder", default=".")
    parser.add_argument("--crop", type=float, default=0.5, help="largest elevation of the colours of wave.png, m")
    parser.add_argument("--records")
    options = parser.parse_args()
    run, records = Run(options.name), {}
    if options.records:
        with h5py.File(options.records) as file:
            group = file["gauges"] if "gauges" in file else file
            records = {name: group[name][:] for name in names_of(run) if name in group}
    os.makedirs(options.folder, exist_ok=True)
    draw_mesh(run, options.folder)
    draw_bathymetry(run, Raster(options.raster), options.folder)
    draw_initial(run, options.folder)
    draw_wave(run, options.crop, options.folder)
    if os.path.exists(options.name + "-extrema.vtkhdf"):
        draw_extrema(run, options.name, options.folder)
    draw_gauges(run, records, options.folder)
    table(run)


if __name__ == "__main__":
    main()
