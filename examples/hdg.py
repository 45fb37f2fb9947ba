"""Draws what hdg_helmholtz -output NAME or hdg_adapt -output NAME wrote: hdg.py NAME.vtkhdf PICTURE.png

Post-processed u, the flux q with its directions, and the error where there is one, else the difference between u and post-processed u.
"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.tri import Triangulation

if len(sys.argv) != 3:
    sys.exit(__doc__)
with h5py.File(sys.argv[1]) as file:
    points = file["VTKHDF/Points"][:, :2]
    cells = file["VTKHDF/NumberOfCells"][0]
    types = file["VTKHDF/Types"][:]
    ends = file["VTKHDF/Offsets"][:]
    fields = {name: values[:] for name, values in file["VTKHDF/PointData"].items()}
triangles = []
for kind, nodes in sorted(set(zip(types, np.diff(ends)))):  # triangles and quadrilaterals of each degree
    first = ends[:-1][(types == kind) & (np.diff(ends) == nodes)]
    one = Triangulation(*points[first[0] : first[0] + nodes].T).triangles  # an element's nodes joined to triangles, the same way in all
    corners = points[first[0] + one]
    edges = corners[:, 1:] - corners[:, :1]
    area = np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    one = one[area > 1e-9 * area.max()]
    triangles.append((one[None] + first[:, None, None]).reshape(-1, 3))
mesh = Triangulation(*points.T, np.concatenate(triangles))
error = np.abs(fields.get("error", fields["star"] - fields["u"]))
flux = np.hypot(*fields["q"][:, :2].T)

figure, axes = plt.subplots(1, 3, figsize=(15, 4.4), constrained_layout=True)
top = max(error.max(), 1e-300)
for ax, values, title, norm in zip(axes, (fields["star"], flux, np.maximum(error, 1e-5 * top)), ("u", "|q|", "error of u" if "error" in fields else "u - u*"), (None, None, LogNorm(1e-5 * top, top))):
    drawn = ax.tripcolor(mesh, values, shading="gouraud", norm=norm, rasterized=True)
    figure.colorbar(drawn, ax=ax, shrink=0.9)
    ax.set(title=title, aspect="equal")
some = ((ends[:-1] + ends[1:]) // 2)[:: max(1, cells // 400)]
axes[1].quiver(*points[some].T, *fields["q"][some, :2].T, color="white", width=0.003)
figure.savefig(sys.argv[2], dpi=120)
