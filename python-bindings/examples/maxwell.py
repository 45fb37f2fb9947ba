"""A wave in a cavity with perfectly conducting walls: Maxwell's equations by DG, states in numpy or cupy.

    build/python/bin/python python-bindings/examples/maxwell.py [-cells 8] [-plex_dg_degree 4] [-output maxwell.png]

The state [element][field][node] is PETSc's memory: numpy fills it, or cupy where it is on a GPU.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import numpy as np
import picture
import plexgpu
from petsc4py import PETSc

options, EZ, HX, HY = PETSc.Options(), 2, 3, 4  # fields
cells = options.getInt("cells", 8)


def on(array):
    """Of the state's kind: numpy's functions and its array, or cupy's."""
    if array.__dlpack_device__()[0] == 1:
        return np, np.asarray(array)
    import cupy

    return cupy, cupy.asarray(array)


def mode(xp, x, t):
    """The exact fields E_z, H_x, H_y at x[element][node][2]: two half waves along x, three along y."""
    kx, ky, X, Y = 2 * np.pi, 3 * np.pi, 2 * np.pi * x[..., 0], 3 * np.pi * x[..., 1]
    w = np.hypot(kx, ky)
    E, H = np.cos(w * t), np.sin(w * t) / w
    fields = E * xp.sin(X) * xp.sin(Y), -H * ky * xp.sin(X) * xp.cos(Y), H * kx * xp.cos(X) * xp.sin(Y)
    return xp.stack(fields, 1)


dm = picture.triangulated_square(cells)
dm.distribute()
dg = plexgpu.DG(dm, "maxwell", 4, {None: "pec"})
dg.setFromOptions()
U = dg.createVec()
xp, u = on(dg.array(U))
x = xp.asarray(dg.nodes())
u[:, [EZ, HX, HY]] = mode(xp, x, 0.0)

ts, heard, probe = PETSc.TS().create(dm.getComm()), [], dg.probes([[0.25, 0.5]])
ts.setType("lowstorage")
ts.setSolution(U)
dg.setTS(ts)
ts.setMaxTime(options.getReal("periods", 1.7) * 2 * np.pi / np.hypot(2 * np.pi, 3 * np.pi))
ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
ts.setMonitor(lambda ts, step, t, v: heard.append((t, probe.evaluate(v)[0, EZ])))
ts.setFromOptions()
ts.solve(U)

_, u = on(dg.array(U, readonly=True))
error = PETSc.Vec().createMPI((1, None), comm=dm.getComm())
difference = abs(u[:, [EZ, HX, HY]] - mode(xp, x, ts.getTime()))
error.set(float(difference.max()) if difference.size else 0.0)
PETSc.Sys.Print(f"result: {U.getSize()} unknowns, {ts.getStepNumber()} steps to t = {ts.getTime():.4f}, norm "
                f"{U.norm():.6e}, error {error.max()[1]:.1e}, by {dg.backend.type}")

host = lambda a: a if xp is np else xp.asnumpy(a)
where, Ez = picture.gathered(host(x), dm), picture.gathered(host(u[:, EZ]), dm)
if Ez is not None:
    figure, (left, right) = picture.figure(1, 2, figsize=(12, 5))
    picture.nodes(left, where, Ez, "$E_z$", cmap="RdBu")
    right.plot(*zip(*heard[::4]), ".")
    right.plot([t for t, _ in heard], [-np.cos(np.hypot(2 * np.pi, 3 * np.pi) * t) for t, _ in heard], linewidth=0.8)
    right.set(xlabel="time", title="$E_z$ at (1/4, 1/2), and the exact solution")
    picture.save(figure, options.getString("output", "maxwell.png"))
