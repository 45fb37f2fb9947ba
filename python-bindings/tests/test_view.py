"""Files for ParaView, and pictures."""

import struct

import plexgpu
import pytest
from petsc4py import PETSc


def field():
    dm = PETSc.DMPlex().createBoxMesh([3, 3], simplex=False, comm=PETSc.COMM_SELF)
    fe = PETSc.FE().createLagrange(2, 1, False, 2, PETSc.DETERMINE, PETSc.COMM_SELF)
    fe.setName("u")
    dm.setField(0, fe)
    dm.createDS()
    u = dm.createGlobalVec()
    u.set(1.5)
    return dm, u


def size(path):
    """Width and height of a PNG."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_vtkhdf(tmp_path):
    h5py = pytest.importorskip("h5py")
    _, u = field()
    for state in range(2):
        u.set(1.5 + state)
        plexgpu.write_vtkhdf(tmp_path / "u.vtkhdf", u, t=0.5 * state, append=state > 0)
    with h5py.File(tmp_path / "u.vtkhdf") as f:
        values = f["VTKHDF/PointData/u"][:].reshape(2, 49)  # nodes of 3 x 3 quadratic cells
        assert abs(values[0] - 1.5).max() < 1e-14 and abs(values[1] - 2.5).max() < 1e-14
        assert list(f["VTKHDF/Steps/Values"]) == [0, 0.5]


def test_image(tmp_path):
    dm, u = field()
    plexgpu.write_image(tmp_path / "u.png", dm, u, 1.0, field="u", size=(200, 100), range=(0, 2), window=(0, 1, 0, 1))
    assert size(tmp_path / "u.png") == (200, 100)
    with pytest.raises(PETSc.Error):
        plexgpu.write_image(tmp_path / "u.png", dm, u, field="pressure")


def test_monitors(tmp_path):
    dm, _ = field()
    dg = plexgpu.DG(dm, system="shallow_water", degree=1)
    dg.discretization = "quadrature"
    dg.addBoundary("wall")
    u = dg.createVec()
    u.set(0.5)
    ts = PETSc.TS().create(PETSc.COMM_SELF)
    ts.setSolution(u)
    dg.setTS(ts)
    ts.setMaxSteps(2)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.STEPOVER)
    plexgpu.monitor_image(ts, tmp_path / "p%d.png", 1, dg, field="q", size=(200, 100))
    ts.solve(u)
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["p0.png", "p1.png", "p2.png"]


def test_monitor_solution(tmp_path):
    h5py = pytest.importorskip("h5py")
    dm, u = field()
    ts = PETSc.TS().create(PETSc.COMM_SELF)
    ts.setDM(dm)
    ts.setType("euler")
    ts.setRHSFunction(lambda ts, t, u, f: f.set(1.0))
    ts.setTimeStep(0.25)
    ts.setMaxSteps(2)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.STEPOVER)
    plexgpu.monitor_solution(ts, tmp_path / "u.vtkhdf", 0)
    ts.solve(u)
    with h5py.File(tmp_path / "u.vtkhdf") as f:
        assert abs(f["VTKHDF/PointData/u"][:] - 2.0).max() < 1e-14
