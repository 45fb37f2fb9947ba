"""A thousand objects made and destroyed: what malloc() has given out stays, and the number of objects."""

import ctypes
import gc

import meshes
import numpy as np
import plexgpu
import plexgpu.ufl as pu
import pytest
import ufl
from petsc4py import PETSc
from ufl import Coefficient, TestFunction, dx, grad, inner

COMM = PETSc.COMM_SELF


def assembly():
    a = plexgpu.Assembly(DM[0])
    a.backend = "host"
    a.type = "local_row"
    assert a.backend.type == "host"


def from_dm():
    dm = meshes.fields(meshes.box(n=1, comm=COMM), (1, 1))
    plexgpu.set_snes_local(dm)
    a = plexgpu.Assembly.from_dm(dm)
    del dm
    a.counts()


def backend():
    plexgpu.Backend("host")


def dg():
    d = plexgpu.DG(DM[1], "acoustics", 2, {None: "wall"})
    d.backend = "host"
    u = d.createVec()
    d.project(lambda x, t: [x[0], 0, 0], u)
    d.probes([[0.3, 0.3]]).evaluate(u)
    ts = PETSc.TS().create(COMM)
    ts.setSolution(u)
    d.setTS(ts)


def far_field():
    dm = meshes.box(dim=3, n=1, simplex=True, comm=COMM)
    d = plexgpu.DG(dm, "maxwell", 1, {None: "absorbing"})
    d.backend = "host"
    far = d.farField("Face Sets", [1.0])
    far.sample(d.createVec(), 0.0)


def hdg():
    h = plexgpu.HDG(DM[1], 1, 1.0, source=lambda x: x[0], dirichlet={None: 0.0})
    h.backend = "host"
    h.coefficients = lambda x, cell: (1.0, 0.0)
    h.solve()


def pointwise():
    dm = meshes.fields(meshes.box(n=1, comm=COMM), (1, 1))
    form = plexgpu.Pointwise(dm, "RESIDUAL(f0) { f[0] = c; }", dict(c=2.0))
    form.residual(0, "f0")
    form.essential("Face Sets", 1, value=lambda x, t: 1.0)
    form.essential("Face Sets", 2, value="x[0]")
    form.constants["c"].value = 3.0


def problem():
    dm = meshes.fields(meshes.box(n=1, comm=COMM), (1, 1))
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    a = pu.auxiliary(dm, PETSc.FE().createLagrange(2, 1, False, 1, comm=COMM))
    k = pu.constant(dm, 2.0)
    p = pu.Problem(
        (inner(grad(u), grad(v)) + k * a.fields[0] * u * v) * dx + u * v * ufl.ds,
        u,
        backend="host",
        bcs=[pu.essential(V, "Face Sets", 1, 1.0)],
    )
    x = p.createVec()
    p.residual(x)
    p.jacobian(x)


def arrays():
    x = PETSc.Vec().createSeq(1000)
    for take in (np.asarray, np.from_dlpack):
        take(plexgpu.array(x))[:] = 1.0
    plexgpu.array(x).__dlpack__()
    d = DG[0]
    np.from_dlpack(d.array(d.createVec()))[:, 0] = d.nodes()[..., 0]
    A = PETSc.Mat().createAIJ([10, 10], nnz=1, comm=COMM)
    A.setValue(3, 3, 1.0)
    A.assemble()
    [np.from_dlpack(a) for a in plexgpu.csr(A)[:3]]


class Info(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks " "keepcost").split()
    ]


malloc_info = ctypes.CDLL(None).mallinfo2
malloc_info.restype = Info
DM, DG = [], []


@pytest.fixture(scope="module")
def warm():
    """What PETSc and MPI keep of the first thousand meshes, without PlexGPU, is there before."""
    for k in range(1000):
        dm = meshes.fields(meshes.box(n=1, comm=COMM), (1, 1))
        plexgpu.set_snes_local_petsc(dm)
        del dm
        if k % 100 == 99:
            gc.collect()


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="of one process")
@pytest.mark.parametrize("make", [assembly, from_dm, backend, dg, far_field, hdg, pointwise, problem, arrays], ids=lambda f: f.__name__)
def test_leaks(make, warm):
    DM[:] = [meshes.fields(meshes.box(n=1, comm=COMM), (1, 1)), meshes.box(n=1, simplex=True, comm=COMM)]

    DG[:] = [plexgpu.DG(DM[1], "acoustics", 2, {None: "wall"})]
    DG[0].backend = "host"

    def used():
        gc.collect()
        PETSc.garbage_cleanup(COMM)
        ctypes.CDLL(None).malloc_trim(0)  # chunks that malloc() keeps for itself count as given out
        info = malloc_info()
        return info.uordblks + info.hblkhd, len(gc.get_objects())

    def some(n):
        for k in range(n):
            make()
            if k % 100 == 99:
                gc.collect()

    # tables of MPI and PETSc grow now and then: what leaks grows in each window
    some(200)
    growth, before = [], used()
    for _ in range(4):
        some(200)
        after = used()
        growth.append(((after[0] - before[0]) / 200, (after[1] - before[1]) / 200))
        before = after
    assert min(bytes_ for bytes_, _ in growth) < 16 and min(objects for _, objects in growth) < 0.1, growth
    DM.clear()
    DG.clear()
