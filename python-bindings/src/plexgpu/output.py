"""Values for pictures."""

import numpy as np
from petsc4py import PETSc

from ._plexgpu import local_vec


def corner_values(dm, x, field=0, t=0.0):
    """A field at the corners of all cells, for a picture.

    Parameters
    ----------
    dm
        The `DM`, of one type of cell, the field a Lagrange element.
    x
        A global vector; essential values are those of time t.
    field
        The field's number.

    Returns
    -------
    coordinates, values
        [cells][corners][dim] and [cells][corners][components], on the first process; None on the others. Collective.
    """
    section, local = dm.getLocalSection(), local_vec(dm, x, t)
    where, coordinates = dm.getCoordinateSection(), dm.getCoordinatesLocal().getArray(readonly=True)
    u, dim, Nc = local.getArray(readonly=True), dm.getCoordinateDim(), dm.getField(field)[0].getNumComponents()
    first, last = dm.getDepthStratum(0)
    rows = []
    for cell in range(*dm.getHeightStratum(0)):
        for p in dm.getTransitiveClosure(cell)[0]:
            if first <= p < last:
                at, to = where.getOffset(p), section.getFieldOffset(p, field)
                rows.append(np.concatenate([coordinates[at : at + dim], u[to : to + Nc]]))
    cells = range(*dm.getHeightStratum(0))
    corners = len(rows) // len(cells) if len(cells) else 0
    mine = PETSc.Vec().createWithArray(np.array(rows).ravel(), comm=dm.getComm())
    scatter, whole = PETSc.Scatter.toZero(mine)
    scatter.scatter(mine, whole)
    if dm.getComm().getRank():
        return None, None
    out = whole.getArray().reshape(-1, corners or 1, dim + Nc)
    return out[..., :dim].copy(), out[..., dim:].copy()
