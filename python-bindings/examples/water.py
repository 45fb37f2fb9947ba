"""A wave over a seamount near a coast: the shallow water equations by discontinuous Galerkin.

    build/python/bin/python python-bindings/examples/water.py [-cells 24] [-plex_dg_degree 3] [-output water.png]

A basin of 400 km by 400 km, 4 km deep, with a shelf in the west and a seamount. The depth is a function of Python's;
numpy fills in the first wave at all nodes at once.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import numpy as np
import picture
import plexgpu
from petsc4py import PETSc

options, KM, ETA = PETSc.Options(), 1e3, 0
cells, frames, minutes = options.getInt("cells", 24), 3, options.getReal("minutes", 24)
COAST, SIDES = 4, (1, 2, 3)  # sides of PETSc's boxes


def depth(x):
    """Of the water at rest, at x[..., 2]: 4 km, 200 m on the shelf, 500 m over the seamount."""
    shelf = 0.5 * (1 + np.tanh((x[..., 0] - 80 * KM) / (20 * KM)))
    mount = np.exp(-((x - np.array([180, 260]) * KM) ** 2).sum(-1) / (25 * KM) ** 2)
    return 200 + 3800 * shelf - 3500 * mount * shelf


dm = PETSc.DMPlex().createBoxMesh([cells, cells], upper=(400 * KM, 400 * KM), simplex=False)
dm.distribute()
dg = plexgpu.DG(dm, "shallow_water", 3, {("Face Sets", side): "open" for side in SIDES})
dg.discretization = "quadrature"
dg.addBoundary("wall", "Face Sets", COAST)
dg.setCoefficients(lambda x, cell, k: [depth(x)])
dg.setFromOptions()

U, x = dg.createVec(), dg.nodes()
start = np.zeros(dg.array(U).shape)
start[:, ETA] = 5 * np.exp(-((x - np.array([260, 160]) * KM) ** 2).sum(-1) / (30 * KM) ** 2)
if dg.array(U).__dlpack_device__()[0] == 1:
    np.asarray(dg.array(U))[:] = start
else:
    import cupy

    cupy.asarray(dg.array(U))[:] = cupy.asarray(start)
pictures = []

ts = PETSc.TS().create(dm.getComm())
ts.setType("lowstorage")
ts.setSolution(U)
dg.setTS(ts)
ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
ts.setFromOptions()
where, sea = picture.gathered(x, dm), picture.gathered(depth(x), dm)
for frame in range(frames):
    ts.setMaxTime(60 * minutes * (frame + 1) / frames)
    ts.solve(U)
    eta = U.getArray(readonly=True).reshape(start.shape)[:, ETA]
    pictures.append((ts.getTime() / 60, picture.gathered(eta, dm)))
PETSc.Sys.Print(f"result: {U.getSize()} unknowns, {ts.getStepNumber()} steps to {ts.getTime() / 60:g} minutes, norm "
                f"{U.norm():.6e}, by {dg.backend.type}")

if where is not None:
    figure, axes = picture.figure(1, frames, figsize=(5 * frames, 4))
    for axis, (time, eta) in zip(axes, pictures):
        picture.nodes(axis, where / KM, eta, "elevation in m", cmap="RdBu_r", vmin=-2, vmax=2)
        at, keep = np.unique((where / KM).reshape(-1, 2).round(6), axis=0, return_index=True)
        axis.tricontour(*at.T, sea.ravel()[keep], levels=[500, 1000, 2000, 3500], colors="black", linewidths=0.4)
        axis.set_title(f"{time:.0f} minutes")
    picture.save(figure, options.getString("output", "water.png"))
