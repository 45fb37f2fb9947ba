"""Arrays of PETSc's memory: the address is PETSc's own, a write is seen by what is computed next."""

import ctypes
import gc
import sys

import meshes
import numpy as np
import plexgpu
import plexgpu.ufl as pu
import pytest
from petsc4py import PETSc
from ufl import Coefficient, TestFunction, dx, grad, inner

LIBRARY = ctypes.CDLL(plexgpu._plexgpu.__file__)  # libpetsc, which it is linked to


def address(get, restore, obj):
    """Where PETSc has the numbers of a vector or matrix, by its own functions."""
    at = ctypes.c_void_p()
    assert getattr(LIBRARY, get)(ctypes.c_void_p(obj.handle), ctypes.byref(at)) == 0
    found = at.value
    assert getattr(LIBRARY, restore)(ctypes.c_void_p(obj.handle), ctypes.byref(at)) == 0
    return found


def vec_address(x):
    return address("VecGetArrayRead", "VecRestoreArrayRead", x)


TAKE = dict(numpy=lambda a: np.asarray(a), dlpack=np.from_dlpack)


@pytest.mark.parallel
@pytest.mark.parametrize("take", TAKE)
def test_vector(take):
    x = PETSc.Vec().createMPI((6, None))
    a = plexgpu.array(x, (2, -1))
    b = TAKE[take](a)
    assert b.shape == a.shape == (2, 3) and b.dtype == float and b.flags.writeable
    assert b.ctypes.data == a.address == vec_address(x)
    assert a.__dlpack_device__() == (1, 0) and not hasattr(a, "__cuda_array_interface__")
    b[:] = np.arange(6).reshape(2, 3)
    assert np.array_equal(x.getArray(), np.arange(6))
    assert x.sum() == 15 * x.getComm().getSize()
    # PETSc keeps a norm until it is told
    assert x.norm(PETSc.NormType.INFINITY) == 5
    b[1, 2] = 7
    a.changed()
    assert x.norm(PETSc.NormType.INFINITY) == 7
    # the array keeps the vector
    del x, a
    gc.collect()
    assert b[1, 2] == 7


def test_vector_errors():
    x = PETSc.Vec().createSeq(6)
    with pytest.raises(ValueError, match="6 entries"):
        plexgpu.array(x, (4, -1))
    with pytest.raises(TypeError, match="array()"):
        plexgpu.Array()
    a = plexgpu.array(x, readonly=True)
    assert not np.asarray(a).flags.writeable and not np.from_dlpack(a).flags.writeable
    with pytest.raises(BufferError, match="readonly=False"):
        a.__dlpack__()
    with pytest.raises(ValueError, match="readonly=False"):
        a.changed()
    with pytest.raises(BufferError, match="not on"):
        a.__dlpack__(dl_device=(2, 0), max_version=(1, 0))
    with pytest.raises(BufferError, match="copy what you get"):
        np.from_dlpack(a, copy=True)
    assert np.array(a, dtype=np.float32).dtype == np.float32
    assert "readonly=True" in repr(a)
    assert np.asarray(plexgpu.array(PETSc.Vec().createSeq(0))).shape == (0,)
    # PETSc's lock, as of a state in a callback
    lock = lambda n: LIBRARY.VecLockReadPush(ctypes.c_void_p(x.handle)) if n else LIBRARY.VecLockReadPop(
        ctypes.c_void_p(x.handle)
    )
    assert lock(1) == 0
    with pytest.raises(PETSc.Error):
        np.asarray(plexgpu.array(x))
    assert np.array_equal(plexgpu.array(x, readonly=True), np.zeros(6))
    assert lock(0) == 0


def test_capsules():
    """Of both versions of DLPack, taken or not, nothing stays."""
    x = PETSc.Vec().createSeq(6)
    a = plexgpu.array(x)
    before = sys.getrefcount(a)
    for version in (None, (1, 0)):
        capsule = a.__dlpack__(max_version=version)
        assert ("versioned" in repr(capsule)) == (version is not None)
        assert sys.getrefcount(a) == before + 1
        del capsule
        assert sys.getrefcount(a) == before
    b = np.from_dlpack(a)
    assert sys.getrefcount(a) == before + 1
    del b
    assert sys.getrefcount(a) == before


@pytest.mark.parallel
@pytest.mark.parametrize("backend", meshes.BACKENDS)
def test_residual(backend):
    """A write to the state by numpy is in the next residual."""
    dm = meshes.fields(meshes.box(), (1, 2))
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    problem = pu.Problem((inner(grad(u), grad(v)) + u * v) * dx, u, backend=backend)
    x = meshes.random_vec(dm)
    a = np.from_dlpack(plexgpu.array(x))
    f = problem.residual(x)
    a *= 2
    g = problem.residual(x)
    f.scale(2)
    assert meshes.difference(g, f) < 1e-14 and g.norm() > 0


@pytest.mark.parallel
@pytest.mark.parametrize("kind", ["pattern", "aij"])
def test_csr(kind):
    dm = meshes.fields(meshes.box(), (1, 1))
    V = pu.space(dm)
    u, v = Coefficient(V), TestFunction(V)
    problem = pu.Problem((inner(grad(u), grad(v)) + u * v) * dx, u, backend="host")
    x = meshes.random_vec(dm)
    A = problem.jacobian(x) if kind == "aij" else problem.assembly.createMatrix()
    if kind == "pattern":
        A = problem.jacobian(x, A)
    size, first = A.getComm().getSize(), A.getOwnershipRange()[0]
    whole = np.zeros((A.getLocalSize()[0], A.getSize()[1]))
    for off in (False, True)[: 1 + (size > 1)]:
        c = plexgpu.csr(A, off=off)
        rows, columns, values = np.asarray(c.rows), np.from_dlpack(c.columns), np.from_dlpack(c.values)
        assert rows.dtype == columns.dtype == np.int32 and not rows.flags.writeable and not columns.flags.writeable
        assert c.shape == (len(rows) - 1, len(c.global_columns)) and len(columns) == len(values) == rows[-1]
        for i in range(c.shape[0]):
            for k in range(rows[i], rows[i + 1]):
                whole[i, c.global_columns[columns[k]]] += values[k]
    i, j, a = A.getValuesCSR()
    for r in range(len(i) - 1):
        assert np.array_equal(whole[r, j[i[r] : i[r + 1]]], a[i[r] : i[r + 1]])
    assert np.count_nonzero(whole) == np.count_nonzero(a)
    if size == 1:
        assert c.values.address == address("MatSeqAIJGetArrayRead", "MatSeqAIJRestoreArrayRead", A)
        with pytest.raises(ValueError, match="one process"):
            plexgpu.csr(A, off=True)
    # a write to the numbers is in the next product, one by the assembly in the array
    y, z = x.duplicate(), x.duplicate()
    A.mult(x, y)
    values = np.asarray(plexgpu.csr(A).values)
    values *= 3
    if size > 1:
        np.asarray(plexgpu.csr(A, off=True).values)[:] *= 3
    A.mult(x, z)
    y.scale(3)
    assert meshes.difference(z, y) < 1e-14
    before = values.copy()
    problem.jacobian(x, A)
    assert np.allclose(values, before / 3, rtol=1e-14) and first >= 0


def test_csr_errors():
    A = PETSc.Mat().createDense([2, 2], comm=PETSc.COMM_SELF)
    A.setUp()
    with pytest.raises(TypeError, match="convert"):
        plexgpu.csr(A)
    A = PETSc.Mat().createAIJ([2, 2], comm=PETSc.COMM_SELF)
    A.setUp()
    with pytest.raises(ValueError, match="assemble()"):
        plexgpu.csr(A)
    A.setValue(0, 1, 2.0)
    A.assemble()
    c = plexgpu.csr(A, readonly=True)
    assert list(np.asarray(c.rows)) == [0, 1, 1] and c.values.readonly
    del A
    gc.collect()
    assert list(np.asarray(c.values)) == [2.0]


@pytest.mark.parallel
@pytest.mark.parametrize(
    "system, simplex",
    [("acoustics", True), ("advection", True), ("shallow_water_linear", False), ("shallow_water", True)],
)
def test_dg(system, simplex):
    """States [element][field][node]: filled by numpy at the nodes as by project(), seen by the next right-hand side."""
    dm = meshes.box(n=3, simplex=simplex)
    dg = plexgpu.DG(dm, system, 2)
    dg.discretization = "quadrature" if system.startswith("shallow") else "nodal"
    dg.backend = "host"
    dg.addBoundary("inflow" if system == "advection" else "wall")
    if system == "shallow_water":
        dg.setCoefficients(lambda x, cell, k: [1.0, *k[1:]])
    u, w, r, s = (dg.createVec() for _ in range(4))
    Nf = dg.number_of_fields()
    x, a = dg.nodes(), np.from_dlpack(dg.array(u))
    seen = []
    dg.project(lambda y, t: (seen.append(y.copy()), [0.0] * Nf)[1], w)
    assert np.array_equal(np.reshape(seen, x.shape), x)
    assert a.shape == (x.shape[0], Nf, x.shape[1]) and x.shape[2] == 2
    assert a.ctypes.data == vec_address(u)
    dg.project(lambda x, t: [0.1 * np.sin(x[0] + 2 * x[1])] + [x[0] * x[1]] * (Nf - 1), u)
    b = np.asarray(dg.array(w))
    b[:, 0] = 0.1 * np.sin(x[..., 0] + 2 * x[..., 1])
    b[:, 1:] = (x[..., 0] * x[..., 1])[:, None]
    assert np.allclose(a, b, atol=1e-15)
    dg.computeRHS(u, r)
    b *= 0.5
    dg.computeRHS(w, s)
    a *= 0.5
    dg.computeRHS(u, r)
    assert meshes.difference(s, r) < 1e-12
    with pytest.raises(ValueError, match="createVec"):
        dg.array(PETSc.Vec().createMPI((7, None)))


@pytest.mark.skipif(not plexgpu.Backend.available("cuda"), reason="no GPU")
@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_device(library):
    """Vectors, states and matrices on a GPU: the address is PETSc's own, a write is seen by the next computation."""
    xp = pytest.importorskip(library)
    take = xp.from_dlpack
    x = PETSc.Vec().create(PETSc.COMM_SELF)
    x.setSizes(6)
    x.setType("cuda")
    a = plexgpu.array(x, (2, 3))
    handle = x.getCUDAHandle("r")
    x.restoreCUDAHandle(handle, "r")
    assert a.__dlpack_device__()[0] == 2 and a.address == handle == a.__cuda_array_interface__["data"][0]
    with pytest.raises(TypeError, match="GPU"):
        np.asarray(a)
    b = take(a)
    b[:] = 2.0
    assert x.sum() == 12 and (take(a) == 2.0).all()
    dm = meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF)
    dg = plexgpu.DG(dm, "acoustics", 2, {None: "wall"})
    dg.backend = "cuda"
    u, r, s = (dg.createVec() for _ in range(3))
    dg.project(lambda x, t: [x[0], x[1], x[0]], u)
    dg.computeRHS(u, r)
    state = take(dg.array(u))
    assert tuple(state.shape) == dg.array(u).shape
    state *= 2
    dg.array(u).changed()
    dg.computeRHS(u, s)
    r.scale(2)
    assert meshes.difference(s, r) < 1e-12
    A = PETSc.Mat().createAIJ([2, 2], nnz=1, comm=PETSc.COMM_SELF)
    A.setType("aijcusparse")
    A.setUp()
    A.setValue(0, 1, 2.0)
    A.setValue(1, 0, 3.0)
    A.assemble()
    c = plexgpu.csr(A)
    assert c.values.__dlpack_device__()[0] == 2
    take(c.values)[:] *= 2
    assert A.getValue(0, 1) == 4.0 and A.getValue(1, 0) == 6.0


def test_dg_stage():
    """A write between two steps is in the next one."""
    dm = meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF)
    ends = []
    for way in ("project", "array"):
        dg = plexgpu.DG(dm, "acoustics", 2, {None: "wall"})
        dg.backend = "host"
        u = dg.createVec()
        ts = PETSc.TS().create(PETSc.COMM_SELF)
        ts.setType("lowstorage")
        ts.setSolution(u)
        dg.setTS(ts)
        ts.setMaxTime(10)
        ts.setMaxSteps(2)
        ts.solve(u)
        if way == "project":
            dg.project(lambda x, t: [x[0], 0, 0], u)
        else:
            np.asarray(dg.array(u))[:] = 0
            np.asarray(dg.array(u))[:, 0] = dg.nodes()[..., 0]
        ts.setMaxSteps(4)
        ts.solve(u)
        ends.append(u)
    assert ends[0].norm() > 0 and meshes.difference(ends[0], ends[1]) < 1e-13
