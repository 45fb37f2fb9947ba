"""Meshes and fields of the tests."""

import os

import numpy as np
import plexgpu
from petsc4py import PETSc


def _backends():
    named = os.environ.get("PLEXGPU_TEST_BACKENDS")
    if named:
        return [name for name in named.split(",") if name != "host" and plexgpu.Backend.available(name)]
    return ["emulate", *(["cuda"] if plexgpu.Backend.available("cuda") else [])]


# Those that compile kernels: of PLEXGPU_TEST_BACKENDS, else the emulated one, and a GPU where there is one
DEVICES = _backends()
BACKENDS = ["host", *DEVICES]


def box(dim=2, n=3, simplex=False, comm=PETSc.COMM_WORLD, distort=0.0):
    """A unit square or cube, distributed; label "Face Sets" as PETSc has it for boxes (1 bottom, 2 right, 3 top, 4
    left). Triangles are made of squares, as PETSc's generators may be missing."""
    if not simplex:
        dm = PETSc.DMPlex().createBoxMesh([n] * dim, simplex=False, comm=comm)
    else:
        dm = simplices(dim, n, comm)
    dm.getPartitioner().setType("simple")  # PETSc's own depends on how it was built, and PT-Scotch draws random numbers
    dm.distribute()
    if distort:
        x = dm.getCoordinatesLocal()
        a = x.getArray().reshape(-1, dim)
        a += distort / n * np.sin(np.pi * a) * np.sin(2 * np.pi * a[:, ::-1])
        dm.setCoordinatesLocal(x)
    return dm


def simplices(dim, n, comm):
    """The squares or cubes of a grid, cut into 2 triangles or 6 tetrahedra; sides with the values of PETSc's boxes in
    2D, in 3D 1 where z = 0, 2 where z = 1, 3 elsewhere."""
    import itertools

    cells, points = [], []
    if comm.getRank() == 0:
        grid = np.arange((n + 1) ** dim).reshape([n + 1] * dim)
        points = np.stack(np.meshgrid(*[np.linspace(0, 1, n + 1)] * dim, indexing="ij"), -1).reshape(-1, dim)
        for at in np.ndindex(*[n] * dim):
            for order in itertools.permutations(range(dim)):
                corner, cell = list(at), [grid[at]]
                for axis in order:
                    corner[axis] += 1
                    cell.append(grid[tuple(corner)])
                edges = points[cell[1:]] - points[cell[0]]
                if np.linalg.det(edges) * (1 if dim == 2 else -1) < 0:
                    cell[-1], cell[-2] = cell[-2], cell[-1]
                cells.append(cell)
    dm = PETSc.DMPlex().createFromCellList(
        dim, np.array(cells, dtype=PETSc.IntType).reshape(-1, dim + 1), np.array(points).reshape(-1, dim), comm=comm
    )
    dm.createLabel("Face Sets")
    start, end = dm.getHeightStratum(1)
    for face in range(start, end):
        if dm.getSupportSize(face) == 1:
            center = dm.computeCellGeometryFVM(face)[1]
            sides = [(1, 1, 0.0), (0, 2, 1.0), (1, 3, 1.0), (0, 4, 0.0)] if dim == 2 else [(2, 1, 0.0), (2, 2, 1.0)]
            value = next((v for axis, v, w in sides if abs(center[axis] - w) < 1e-12), 3)
            dm.setLabelValue("Face Sets", face, value)
    return dm


def fields(dm, *components_and_orders):
    """Sets Lagrange elements (components, order), all with the quadrature of the highest order; and the DS."""
    dim, simplex = dm.getDimension(), dm.isSimplex()
    most = max(order for _, order in components_and_orders)
    for k, (components, order) in enumerate(components_and_orders):
        fe = PETSc.FE().createLagrange(dim, components, simplex, order, most, comm=dm.getComm())
        fe.setName(f"field{k}")
        dm.setField(k, fe)
    dm.createDS()
    return dm


def on(dm, backend):
    """The `DM`; for a GPU, with vectors and matrices there."""
    if backend == "cuda":
        dm.setVecType("cuda")
        dm.setMatType("aijcusparse")
    return dm


def like(dm, x):
    """A global vector of a `DM` with the entries of one of the same numbering, of whatever type."""
    y = dm.createGlobalVec()
    y.setArray(x.getArray(readonly=True))
    return y


def on_host(a):
    """A matrix as one of type aij: itself, or a copy."""
    if not a.getType().endswith("cusparse"):
        return a
    return PETSc.Mat().createAIJ(a.getSizes(), csr=a.getValuesCSR(), comm=a.getComm())


def random_vec(dm, scale=1.0, seed=1):
    """A global vector, the same for any number of processes up to the order of its entries."""
    x = dm.createGlobalVec()
    r = PETSc.Random().create(dm.getComm())
    r.setSeed(seed)
    r.setInterval((-scale, scale))
    r.setFromOptions()
    x.setRandom(r)
    return x


def snes_on(dm):
    """A SNES on a DM, with its matrix."""
    snes = PETSc.SNES().create(dm.getComm())
    snes.setDM(dm)
    snes.setFromOptions()
    snes.setUp()
    return snes


def evaluate(dm, x):
    """Residual and Jacobian at x, by the callbacks that the DM has now."""
    snes = snes_on(dm)
    f, J = x.duplicate(), dm.createMat()
    snes.setJacobian(None, J)
    snes.computeFunction(x, f)
    snes.computeJacobian(x, J)
    return f, J


def difference(a, b):
    """The largest difference of two vectors or matrices, relative to the largest entry of b."""
    if isinstance(a, PETSc.Mat):
        b = on_host(b)
        d = on_host(a).copy()
        d.axpy(-1, b, PETSc.Mat.Structure.DIFFERENT)
        largest = lambda m: max((abs(m.getValuesCSR()[2]).max(initial=0.0), 0.0))
        comm = a.getComm()
        return reduce_max(comm, largest(d)) / reduce_max(comm, largest(b))
    a, b, comm = a.getArray(readonly=True), b.getArray(readonly=True), a.getComm()
    return reduce_max(comm, abs(a - b).max(initial=0.0)) / reduce_max(comm, abs(b).max(initial=0.0))


def reduce_max(comm, value):
    v = PETSc.Vec().createMPI((1, None), comm=comm)
    v.set(value)
    return v.max()[1]
