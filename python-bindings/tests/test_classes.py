"""The classes: a property for each setting, errors with C's text, views, options; DG and HDG against solutions."""

import ast
import math
import re
from pathlib import Path

import meshes
import numpy as np
import plexgpu
import pytest
from petsc4py import PETSc
from plexgpu.pointwise import HEADER

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parents[1] / "src/plexgpu"

# Not for Python: its own life time and registries; functions that C alone can be asked for
ELSEWHERE = {
    "PlexAssemblyDestroy",
    "PlexAssemblyViewFromOptions",
    "PlexAssemblyRegister",
    "PlexDGDestroy",
    "PlexDGRegister",
    "PlexHDGDestroy",
    "PlexDGGetCoefficients",
    "PlexHDGGetCoefficients",
    "PlexHDGGetPointwise",
    "PlexHDGGetConvection",
    "PlexHDGGetMaterial",
    "PlexHDGGetStabilization",
    "PlexHDGGetSource",
    "PlexHDGGetSourcePoint",
    "PlexHDGGetCoefficientsPoint",
    "PlexHDGGetKappaPoint",
    "PlexHDGGetConvectionPoint",
    "PlexHDGGetTimeVariable",
    "PlexBackendDestroy",
    "PlexBackendRegister",
    "PlexGPUFinalizePackage",
    "PlexImageSetOptionsPrefix",
    "PlexImageDraw",
    "PlexGPUGetVersionNumber",
}


@pytest.mark.parametrize("header", ["assembly", "backend", "dg", "hdg", "view"])
def test_all_functions_are_there(header):
    declared = re.findall(
        r"^PETSC_EXTERN PetscErrorCode (\w+)", (ROOT / f"include/plexgpu{header}.h").read_text(), re.M
    )
    used = "".join(p.read_text() for p in SOURCES.glob("*.pxi"))
    missing = [name for name in declared if name not in ELSEWHERE and len(re.findall(rf"\b{name}\b", used)) < 2]
    missing = [name for name in missing if name != "PlexGPUInitializePackage"]
    assert not missing


def test_stubs():
    """Stubs have what the module has, and nothing else."""
    import plexgpu._plexgpu as module

    tree = ast.parse((SOURCES / "_plexgpu.pyi").read_text())
    names = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    mine = {
        n
        for n in vars(module)
        if not n.startswith("_")
        and getattr(vars(module)[n], "__module__", None) != "PETSc"
        and (
            isinstance(vars(module)[n], type)
            and vars(module)[n].__module__.startswith("plexgpu")
            or type(vars(module)[n]).__name__ in ("builtin_function_or_method", "cython_function_or_method")
        )
    }
    assert names == mine
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stub = {n.name for n in node.body if isinstance(n, ast.FunctionDef)} | {
                n.target.id for n in node.body if isinstance(n, ast.AnnAssign)
            }
            have = {n for n in vars(getattr(module, node.name)) if not n.startswith("_")}
            assert {n for n in stub if not n.startswith("__")} == have, node.name


def test_docstrings():
    for name in plexgpu.__all__:
        thing = getattr(plexgpu, name)
        assert thing.__doc__, name
        for attribute in vars(thing) if isinstance(thing, type) else ():
            if not attribute.startswith("_"):
                assert getattr(thing, attribute).__doc__, f"{name}.{attribute}"


VALUES = dict(
    integration=("tensor", "quadrature"),
    jacobian_dependence=({"position"}, set()),
    precision=("single", "double"),
    source=("a.c", "b.c"),
    symmetric=(True, False),
    memory=(1 << 30, 0),
    tensor_degree=(3, -1),
    block_size=(64, 0),
    team_size=(2, 0),
    partition_size=(100, 0),
    partitioner=("metis", "curve", "auto"),
    shared_memory=(4096, 0),
    expected_assemblies=(1000, math.inf, None),
    deterministic=(True, False),
    fallback=(False, True),
    check_tolerance=(1e-9, 0.0),
    tune=("quick", "full", "none"),
    tune_time=(3.0, None),
    tune_archive=("/tmp/x", None),
    prefix=("my_", None),
    residual_type=("global_row",),
    jacobian_type=("shared_nz",),
)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parallel
def test_assembly_settings(name):
    a = plexgpu.Assembly(meshes.fields(meshes.box(), (1, 1)))
    a.backend = "emulate"
    for value in VALUES[name]:
        setattr(a, name, value)
        assert getattr(a, name) == value


@pytest.mark.parallel
def test_assembly_text(options):
    a = plexgpu.Assembly(meshes.fields(meshes.box(), (1, 1)))
    assert a.counts() == dict(residuals=0, jacobians=0, residuals_left=0, jacobians_left=0)
    a.prefix = "some_"
    options(some_plex_assembly_backend="emulate", some_plex_assembly_type="local_row", plex_assembly_team_size=4)
    a.setFromOptions()
    assert a.backend.type == "emulate" and a.team_size == 4
    view = a.view_text()
    assert ("emulate" in view) == (a.getComm().getRank() == 0)
    assert a.getOptionsPrefix() == "some_"
    a.reset()


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("type", "nonsense", "known are: auto element_color"),
        ("block_size", 33, "a multiple of 32 threads"),
        ("team_size", 7, "team_size"),
        ("tensor_degree", 99, "tensor"),
        ("partition_size", -3, "partition_size"),
    ],
)
def test_assembly_errors(name, value, words):
    a = plexgpu.Assembly(meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1)))
    with pytest.raises(PETSc.Error, match=words):
        setattr(a, name, value)


@pytest.mark.parallel
def test_assembly_cohesive():
    """No process has cohesive cells: nothing is added; keys that are wrong. tests/assembly/cohesive.c has faults."""
    dm = meshes.fields(meshes.box(), (1, 1))
    a, x = plexgpu.Assembly(dm), dm.createLocalVec()
    f, J = x.duplicate(), dm.createMat()
    f.set(3.0)
    J.assemble()
    J.shift(2.0)
    before = J.norm()
    keys = [(None, 0, 0)] * 3
    cells = PETSc.IS().createGeneral([], comm=PETSc.COMM_SELF)
    for none in (None, cells):
        a.addCohesiveFunction(keys, none, x, f, t=1.0)
        a.addCohesiveJacobian(keys, none, x, J, shift=2.0)
    assert f.min()[1] == f.max()[1] == 3.0 and J.norm() == before > 0
    with pytest.raises(ValueError, match="2 keys"):
        a.addCohesiveFunction(keys[:2], cells, x, f)
    with pytest.raises(TypeError):
        a.addCohesiveFunction([("fault", 1, 0)] * 3, cells, x, f)


@pytest.mark.parallel
def test_assembly_essential_rows():
    """Every process has one row, with the value 3. tests/assembly/essential.c compares with MatZeroRowsColumns()."""
    dm = meshes.fields(meshes.box(), (1, 1))
    a, x = plexgpu.Assembly(dm), dm.createLocalVec()
    a.backend = "host"
    g = dm.createGlobalVec()
    g.set(3.0)
    row = g.getOwnershipRange()[0]
    rows = PETSc.IS().createGeneral([row], comm=dm.comm)
    assert a.getEssentialRows() == (None, None, None)
    a.setEssentialRows(rows, g)
    assert a.getEssentialRows() == (rows, g, None)
    f, J, F = x.duplicate(), dm.createMat(), g.duplicate()
    a.computeFunction(x, f)
    a.computeJacobian(x, J)
    F.set(0)
    dm.localToGlobal(f, F, addv=PETSc.InsertMode.ADD_VALUES)
    assert F[row] == -3.0
    columns, values = J.getRow(row)
    assert all(v == (1.0 if c == row else 0.0) for c, v in zip(columns, values)) and row in columns
    a.setEssentialRows(None)
    assert a.getEssentialRows()[0] is None


def test_assembly_names():
    a = plexgpu.Assembly(meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1)))
    with pytest.raises(ValueError, match="is none of AUTO, QUADRATURE, TENSOR|is none of auto, quadrature, tensor"):
        a.integration = "guess"
    with pytest.raises(ValueError, match="solution, position, auxiliary"):
        a.jacobian_dependence = "temperature"


def test_backend():
    assert plexgpu.Backend.available("host") and plexgpu.Backend.available("emulate")
    assert not plexgpu.Backend.available("abacus")
    b = plexgpu.Backend("host")
    assert b.type == "host" and "host" in b.view_text()
    b.destroy()
    with pytest.raises(PETSc.Error, match="abacus"):
        plexgpu.Backend("abacus")


@pytest.mark.parallel
@pytest.mark.parametrize("simplex", [False, True])
def test_hdg(simplex):
    """-div grad u = f with u = sin(pi x) sin(pi y): orders P + 1 of u and q, P + 2 of post-processed u."""
    u = lambda x: np.sin(np.pi * x[0]) * np.sin(np.pi * x[1])
    q = lambda x: np.pi * np.array(
        [np.cos(np.pi * x[0]) * np.sin(np.pi * x[1]), np.sin(np.pi * x[0]) * np.cos(np.pi * x[1])]
    )
    errors = []
    for n in (3, 6):
        h = plexgpu.HDG(
            meshes.box(n=n, simplex=simplex),
            degree=2,
            diffusion=1.0,
            source=lambda x: 2 * np.pi**2 * u(x),
            dirichlet={None: 0.0},
        )
        h.backend = "host"
        trace, uh, qh, star = h.createVecs()
        solution = h.solve()[0]
        K = h.assemble()
        assert K.getSize()[0] == trace.getSize() and K.isSymmetric(1e-10)
        h.computeRHS(trace)
        x = trace.duplicate()
        h.solveTrace(trace, x)
        h.recover(x, uh, qh)
        h.postprocess(uh, qh, star)
        uh.axpy(-1, solution)
        assert uh.norm() < 1e-7 * solution.norm()
        assert h.computeFluxJump() < 1e-7
        errors.append(h.computeL2Error(u, q))
    order = np.log2(errors[0] / errors[1])
    assert order[0] > 2.7 and order[1] > 2.7 and order[2] > (3.6 if simplex else 2.7), order
    assert h.getKSP().getConvergedReason() > 0
    assert "degree" in h.view_text() or h.getComm().getRank()


def test_hdg_degrees():
    dm = meshes.box(n=4, simplex=True)
    hdg = plexgpu.HDG(dm, 1, dirichlet={None: lambda x, n: math.exp(x[0]) * math.cos(x[1])})
    hdg.backend = "host"
    cells = dm.getHeightStratum(0)[1] - dm.getHeightStratum(0)[0]
    assert (hdg.degrees == np.ones(cells)).all()
    hdg.solve()
    indicator, estimate = hdg.computeErrorIndicator()
    error = hdg.computeL2Error(lambda x: math.exp(x[0]) * math.cos(x[1]))[0]
    assert len(indicator) == cells and abs(np.sqrt((indicator**2).sum()) / estimate - 1) < 1e-12
    assert 0.8 < estimate / error < 1.25
    assert 0 < hdg.adaptDegrees(0.5) < cells and set(hdg.degrees) == {1, 2}
    degrees = 1 + np.arange(cells) % 3
    hdg.degrees = degrees
    u, q = hdg.solve()
    assert (hdg.degrees == degrees).all() and sorted(hdg.getElements()) == list(range(cells))
    assert u.getLocalSize() == ((degrees + 1) * (degrees + 2) // 2).sum()
    with pytest.raises(ValueError):
        hdg.degrees = [1, 2]
    for cell in range(cells):
        dm.setLabelValue("P", cell, 2 + cell % 2)
    hdg.setDegreesByLabel("P")
    assert (hdg.degrees == 2 + np.arange(cells) % 2).all()


@pytest.mark.parallel
@pytest.mark.parametrize("simplex", [False, True])
def test_hdg_nodes(simplex):
    """u = 1 + x + 2 y: its values, those of q and of star at the nodes; nodes of degree 2 by hand."""
    h = plexgpu.HDG(meshes.box(n=3, simplex=simplex), 2, dirichlet={None: lambda x, n: 1 + x[0] + 2 * x[1]})
    h.backend = "host"
    h.solve()
    _, u, q, star = h.getSolution()
    x = h.nodes()
    assert x.shape[1:] == (6 if simplex else 9, 2)
    assert np.allclose(x * 6, np.round(x * 6), atol=1e-14)  # corners and middles of the cells of a box of 3 x 3
    assert all(len(np.unique(np.round(6 * e), axis=0)) == x.shape[1] for e in x)
    exact = 1 + x[..., 0] + 2 * x[..., 1]
    for v in (u, star):
        values = h.node_values(v)
        assert values.shape == (x.shape[0], 1, x.shape[1]) and np.allclose(values[:, 0], exact, atol=1e-5)
    assert np.allclose(h.node_values(q, 2), np.array([1.0, 2.0])[:, None], atol=1e-4)
    with pytest.raises(PETSc.Error, match="PlexHDGCreateVecs"):
        h.node_values(u, 2)


@pytest.mark.parallel
def test_hdg_settings(options):
    h = plexgpu.HDG(meshes.box(), 1)
    h.backend = "host"
    for name, values in dict(
        degree=(2, 4),
        diffusion=((2.0, 0.5),),
        tau=(3.0,),
        tau_factor=(2.0,),
        memory=(1 << 28, 0),
        prefix=("h_", None),
        time=(1.5, None),
    ).items():
        for value in values:
            setattr(h, name, value)
            assert getattr(h, name) == value
    h.prefix = "h_"
    options(h_plex_hdg_degree=3)
    h.setFromOptions()
    assert h.degree == 3
    h.coefficients = lambda x, cell: (np.diag([1.0, 1.0 + x[0]]), 0.5)
    h.stabilization = lambda x, cell, face: 5.0
    h.source = lambda x: x[0]
    h.addBoundary("dirichlet", lambda x, n: x[1])
    h.addBoundary("robin", lambda x, n: (n[0], 2.0), "Face Sets", 2)
    h.addBoundary("neumann", 1.0, "Face Sets", 4)
    u, _ = h.solve()
    assert np.isfinite(u.norm())
    with pytest.raises(PETSc.Error, match="degree"):
        h.degree = 99
    with pytest.raises(ValueError, match="dirichlet"):
        h.addBoundary("cauchy", 0.0)


HDG_POINTS = """
RESIDUAL(source) { f[0] = constants[0] * constants[1] * (1. + 2. * constants[2]) + constants[3] * (x[0] + 2. * x[1]); }
RESIDUAL(coefficients) { f[0] = f[3] = constants[0]; f[4] = constants[1]; }
RESIDUAL(velocity) { f[0] = f[1] = constants[0]; f[1] *= constants[1]; }
BD_RESIDUAL(known) { f[0] = x[0] + 2. * x[1]; }
BD_RESIDUAL(flux) { f[0] = constants[0] * (n[0] + 2. * n[1]); }
"""


@pytest.mark.parallel
@pytest.mark.parametrize("backend", ["host", "emulate"])
def test_hdg_points(backend):
    """u = x + 2 y with kappa 0.5, lambda 3, beta (2, 0.8), by pointwise functions in C: f = 3.6 + 3 u."""
    if not plexgpu.Backend.available(backend):
        pytest.skip(f"no backend {backend}")
    library = plexgpu.Library(HEADER + HDG_POINTS, PETSc.COMM_WORLD)
    h = plexgpu.HDG(meshes.box(n=2), 1)
    h.backend = backend
    h.setPoint("source", library["source"], (2.0, 1.0, 0.4, 3.0))
    h.setPoint("coefficients", library["coefficients"], (0.5, 3.0))
    h.setPoint("velocity", library["velocity"], (2.0, 0.4))
    h.addBoundaryPoint("dirichlet", library["known"])
    h.addBoundaryPoint("neumann", library["flux"], "Face Sets", 2, (0.5,))
    h.source_file = library.path
    h.solve()
    assert h.computeL2Error(lambda x: x[0] + 2 * x[1])[0] < 1e-8
    if not h.getComm().getRank():
        assert ("by kernels: source" in h.view_text()) == (backend != "host")
    else:
        h.view_text()
    with pytest.raises(ValueError, match="'source', 'coefficients'"):
        h.setPoint("wind", None)
    with pytest.raises(ValueError, match="slope is for kappa"):
        h.setPoint("source", None, slope=library["source"])


@pytest.mark.parallel
@pytest.mark.parametrize("velocity", [(1.0, 0.5), lambda x: (1.0, 0.5)])
@pytest.mark.parametrize("form", ["advective", "conservative"])
def test_hdg_convection(velocity, form):
    """u = x + 2 y where beta . grad u = 2; without convection the source is too large for that."""
    h = plexgpu.HDG(meshes.box(n=2), 2, diffusion=0.01, source=2.0, dirichlet={None: lambda x, n: x[0] + 2 * x[1]})
    h.backend = "host"
    h.setConvection(velocity, form)
    h.solve()
    assert h.computeL2Error(lambda x: x[0] + 2 * x[1])[0] < 1e-8
    h.setConvection(None)
    h.solve()
    assert h.computeL2Error(lambda x: x[0] + 2 * x[1])[0] > 1
    with pytest.raises(ValueError, match="advective"):
        h.setConvection(velocity, "upwind")


@pytest.mark.parallel
def test_hdg_nonlinear_and_time():
    """kappa = 1 + u by Newton's method; and the decay of a sine by backward Euler."""
    h = plexgpu.HDG(meshes.box(n=3), 2, source=1.0, dirichlet={None: 0.0})
    h.backend = "host"
    h.setPointwise(lambda x, u: (1 + u, 1.0), nonlinear=True)
    snes = PETSc.SNES().create(h.getComm())
    h.setSNES(snes)
    snes.setTolerances(rtol=1e-10)
    X = h.createStateVec()
    snes.solve(None, X)
    assert snes.getConvergedReason() > 0 and snes.getIterationNumber() < 8
    h.setState(X)
    g = plexgpu.HDG(meshes.box(n=3), 3, diffusion=1.0, dirichlet={None: 0.0})
    g.backend = "host"
    ts = PETSc.TS().create(g.getComm())
    ts.setType("beuler")
    g.setTS(ts)
    ts.setTimeStep(1e-3)
    ts.setMaxTime(5e-3)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    X = g.createStateVec()
    sine = lambda x: np.sin(np.pi * x[0]) * np.sin(np.pi * x[1])
    g.projectState(sine, X)
    ts.solve(X)
    g.setState(X)
    decay = (1 + 2e-3 * np.pi**2) ** -5
    assert g.computeMaxError(lambda x: decay * sine(x))[0] < 2e-3


@pytest.mark.parallel
def test_far_field(tmp_path):
    """A current that is the same for a time: its transforms; a wave on a surface of cells; the table."""
    dm = meshes.box(dim=3, n=4, simplex=True)
    dg = plexgpu.DG(dm, "maxwell", 1, {None: "absorbing"})
    dg.backend = "host"
    dg.setConstant("wave_width", [0.5])
    dg.addDipole([0.4, 0.3, 0.6], [0, 0, 1], frequency=3, width=0.5)
    far = dg.farField("Face Sets", [1.5, 2.5])
    u = dg.createVec()
    dg.project(lambda x, t: [x[0], 0, 1, 0, x[1], 0], u)
    r = [[1, 0, 0], [0, 0.6, 0.8]]
    far.sample(u, 0.5)
    far.sample(u, 1.0)
    single = far.amplitudes(r)
    assert single.shape == (2, 2, 3) and np.abs(np.einsum("fnd,nd->fn", single, r)).max() < 1e-12 < np.abs(single).min(axis=2).max()
    far.reset()
    u.scale(2)
    far.sample(u, 0.5)
    far.sample(u, 1.0)
    assert np.allclose(far.amplitudes(r), 2 * single, rtol=1e-12, atol=0) and list(far.frequencies) == [1.5, 2.5]
    with pytest.raises(PETSc.Error):
        far.cross_sections(r)  # no wave comes in
    dg.reset()
    del far
    inside = dm.getLabel("inside") if dm.hasLabel("inside") else (dm.createLabel("inside"), dm.getLabel("inside"))[1]
    for c in range(*dm.getHeightStratum(0)):
        if np.abs(np.asarray(dm.computeCellGeometryFVM(c)[1]) - 0.5).max() < 0.3:
            inside.setValue(c, 7)
    dg.setTotalField("inside", 7)
    ts = PETSc.TS().create(dm.getComm())
    ts.setType("lowstorage")
    u.set(0)
    ts.setSolution(u)
    dg.setTS(ts)
    far = dg.farField("Face Sets", [1.5, 2.5])
    far.setTS(ts, start=0.0)
    file = tmp_path / f"far{dm.getComm().size}.csv"
    dg.monitorFarField(ts, "Face Sets", [1.5, 2.5], file)
    ts.setMaxSteps(8)
    ts.setMaxTime(100)
    ts.solve(u)
    assert u.norm() > 0
    assert np.abs(far.spectrum()).min() > 0 and (far.cross_sections(r) > 0).all()
    far.write(tmp_path / "again.csv", angles=3, halves=4)
    if dm.getComm().rank == 0:
        assert len(file.read_text().splitlines()) == 1 + 2 * 2 * 91
        assert len((tmp_path / "again.csv").read_text().splitlines()) == 1 + 2 * 3 * 4


@pytest.mark.parallel
def test_dg(tmp_path, options):
    """Acoustics, a state that is a polynomial: values, integrals, probes; a step; output."""
    dm = meshes.box(n=3, simplex=True)
    dg = plexgpu.DG(dm, "acoustics", 3, {None: "wall"})
    dg.backend = "host"
    u = dg.createVec()
    f = lambda x, t: [x[0] ** 2 * x[1] + t, x[1], x[0]]
    dg.project(f, u, 0.5)
    assert dg.number_of_fields() == 3 and len(dg.fields) == 3 and dg.fields[0] == "p"
    assert dg.computeL2Error(f, u, 0.5) < 1e-13
    assert np.allclose(dg.computeIntegrals(u), [1 / 6 + 0.5, 0.5, 0.5], atol=1e-13)
    points = [[0.3, 0.4], [0.9, 0.1], [2.0, 2.0]]
    probes = dg.probes(points, outside=True)
    assert list(probes.outside) == [False, False, True]
    assert np.allclose(probes.evaluate(u)[:2], [f(x, 0.5) for x in points[:2]], atol=1e-13)
    with pytest.raises(PETSc.Error):
        plexgpu.Probes(dg, points)
    assert dg.computeEnergy(u) > 0
    dg.project(lambda x, t: [np.cos(np.pi * x[0]), 0, 0], u)
    energy = dg.computeEnergy(u)
    ts = PETSc.TS().create(dm.getComm())
    ts.setType("lowstorage")
    ts.setSolution(u)
    dg.setTS(ts)
    assert ts.getTimeStep() == pytest.approx(dg.computeTimeStep())
    ts.setMaxSteps(10)
    ts.setMaxTime(10)
    ts.setFromOptions()
    assert plexgpu.get_low_storage_scheme(ts)
    ts.solve(u)
    assert 0 < dg.computeEnergy(u) <= energy * (1 + 1e-10)
    t = ts.getTime()  # the exact wave
    assert (
        dg.computeL2Error(
            lambda x, _: [np.cos(np.pi * x[0]) * np.cos(np.pi * t), np.sin(np.pi * x[0]) * np.sin(np.pi * t), 0], u
        )
        < 0.02
    )
    r = u.duplicate()
    dg.computeRHS(u, r, t)
    assert r.norm() > 0


@pytest.mark.parallel
def test_dg_materials():
    """Coefficients by a label are those of a function."""
    dm = meshes.box(n=4, simplex=True)
    dm.createLabel("west")
    for cell in range(*dm.getHeightStratum(0)):
        dm.setLabelValue("west", cell, int(dm.computeCellGeometryFVM(cell)[1][0] < 0.5))
    rates = []
    for by in "function", "label":
        dg = plexgpu.DG(dm, "acoustics", 2, {None: "wall"})
        dg.backend = "host"
        if by == "function":
            dg.setCoefficients(lambda x, cell, k: [4.0, 0.5] if x[0] < 0.5 else [2.0, 1.0])
        else:
            dg.addMaterial([4.0, 0.5], "west", 1)
            dg.addMaterial(2.0)
        u = dg.createVec()
        dg.project(lambda x, t: [x[0] ** 2, x[1], x[0] * x[1]], u)
        rates.append(u.duplicate())
        dg.computeRHS(u, rates[-1])
    assert rates[0].norm() > 0
    rates[1].axpy(-1.0, rates[0])
    assert rates[1].norm() == 0
    dg.addMaterial([1.0], "west", 7)
    with pytest.raises(PETSc.Error, match="west:7"):
        dg.createVec()
    with pytest.raises(PETSc.Error, match="at most"):
        dg.addMaterial([1.0, 1.0, 1.0])


def cells_with(dm, label, inside):
    dm.createLabel(label)
    for cell in range(*dm.getHeightStratum(0)):
        dm.setLabelValue(label, cell, int(inside(dm.computeCellGeometryFVM(cell)[1])))


def stepped(dg, u, kind, time, dt=None):
    """A state after a time by a TS of a type; its step that of the operator, or dt."""
    ts = PETSc.TS().create(u.getComm())
    ts.setType(kind)
    ts.setSolution(u)
    dg.setTS(ts)
    if dt:
        ts.setTimeStep(dt)
    ts.setMaxTime(time)
    ts.setMaxSteps(10**6)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.solve(u)
    return ts


@pytest.mark.parametrize(
    "model, numbers, chi",
    [
        ("drude", [2.0, 0.5], lambda z: 4.0 / (z * (z + 0.5))),
        ("debye", [[0.8, 0.7]], lambda z: 0.8 / (1 + 0.7 * z)),
        ("lorentz", [1.2, 3.0, 0.4], lambda z: 1.2 * 9 / (9 + z * z + 0.4 * z)),
    ],
)
@pytest.mark.parallel
def test_dg_dispersion(model, numbers, chi):
    """A field that is the same everywhere, without waves, beside the permittivity's formula, w = i z."""
    dm = meshes.box(n=2, simplex=True)
    dg = plexgpu.DG(dm, "maxwell", 1, {None: "pmc"})
    dg.backend = "host"
    dg.addMaterial(1.5)
    dg.addDispersion(model, numbers)
    u = dg.createVec()
    dg.project(lambda x, t: [0, 0, 1, 0, 0, 0], u)
    # epsilon E + P stays, P = chi E: E has the transform 1.5/(z (1.5 + chi(z))), inverted along Talbot's contour
    t, n = 2.0, 48
    theta = (2 * np.arange(n) + 1) * np.pi / n - np.pi
    z = n / t * (-0.6122 + 0.5017 * theta / np.tan(0.6407 * theta) + 0.2645j * theta)
    dz = n / t * (0.5017 / np.tan(0.6407 * theta) - 0.5017 * 0.6407 * theta / np.sin(0.6407 * theta) ** 2 + 0.2645j)
    exact = (np.exp(z * t) * 1.5 / (z * (1.5 + chi(z))) * dz).sum().imag / n
    stepped(dg, u, "lowstorage", t)
    found = dg.array(u, readonly=True)
    assert np.abs(np.asarray(found)[:, 2] - exact).max() < 1e-8 and abs(exact) < 0.95
    with pytest.raises(PETSc.Error):
        dg.addDispersion(model, -np.ravel(numbers))
        dg.setUp()


@pytest.mark.parallel
def test_dg_conductor():
    """Poles beside the formula; a wall and a sheet take energy from a pulse."""
    R, r, p, error = plexgpu.fit_conductor(200.0, 1.0, 10.0)
    w = np.linspace(1, 10, 50)
    Z = R - (r * p / (1j * w[:, None] + p)).sum(axis=1)
    exact = np.sqrt(1j * w / (200 + 1j * w))
    assert np.abs(Z / exact - 1).max() < 1.001e-3 and error <= 1e-3 and min(r) > 0
    with pytest.raises(PETSc.Error):
        plexgpu.fit_conductor(1.0, 1.0, 10.0)
    energies = []
    for conductance in (0.0, 2.0):
        dm = meshes.box(n=2, simplex=True)
        dm.createLabel("film")
        start, end = dm.getHeightStratum(1)
        for f in range(start, end):
            volume, x, normal = dm.computeCellGeometryFVM(f)
            if abs(x[0] - 0.5) < 1e-9 and abs(normal[1]) < 1e-9:
                dm.setLabelValue("film", f, 1)
        dg = plexgpu.DG(dm, "maxwell", 2, {None: "conductor:200,1,10"})
        dg.backend = "host"
        dg.addSheet(conductance, "film")
        u = dg.createVec()
        dg.project(lambda x, t: [0, 0, 1, 0, 0, 0], u)
        before = dg.computeEnergy(u)
        stepped(dg, u, "lowstorage", 0.5)
        energies.append(dg.computeEnergy(u))
        assert energies[-1] < 0.99 * before
    assert energies[1] < 0.9 * energies[0]


@pytest.mark.parallel
def test_dg_levels():
    """Local time steps: fewer evaluations, and the wave of one step for all."""
    dm = meshes.box(n=8, simplex=True)
    x = dm.getCoordinatesLocal()
    at = x.getArray().reshape(-1, 2)
    at[:, 0] **= 2  # cells at the left are up to 15 times thinner
    dm.setCoordinatesLocal(x)
    wave = lambda x, t: [np.cos(np.pi * x[1]) * np.cos(np.pi * t), 0, np.sin(np.pi * x[1]) * np.sin(np.pi * t)]
    errors, rates = [], []
    for kind, levels in ("lowstorage", 1), ("multirate", 5):
        dg = plexgpu.DG(dm, "acoustics", 3, {None: "wall"})
        dg.backend = "host"
        dg.levels = levels
        assert dg.level_sizes.sum() == 128 and len(dg.level_sizes) == (1 if levels == 1 else 3)
        assert (dg.level_factor > 3) == (levels > 1)
        u = dg.createVec()
        dg.project(wave, u)
        ts = stepped(dg, u, kind, 0.3)
        errors.append(dg.computeL2Error(wave, u, 0.3))
        rates.append(plexgpu.multirate_evaluations(ts) if levels > 1 else 5 * 128 * ts.getStepNumber())
    assert max(errors) < 2e-4 and rates[0] > 3 * rates[1] > 0
    with pytest.raises(PETSc.Error):
        plexgpu.multirate_evaluations(PETSc.TS().create(PETSc.COMM_SELF))


@pytest.mark.parallel
def test_dg_pml():
    """A pulse leaves through a layer, and less of it comes back than from an absorbing boundary."""
    dm = meshes.box(n=10, simplex=True)
    cells_with(dm, "layer", lambda x: abs(np.asarray(x) - 0.5).max() > 0.3)
    left = []
    for layer in False, True:
        dg = plexgpu.DG(dm, "acoustics", 2, {None: "absorbing"})
        dg.backend = "host"
        assert dg.pml_profile == (1e-12, None, None)
        if layer:
            dg.setPML("layer", value=1)
            dg.setPMLProfile(1e-9, power=2, alpha=0.5)
            assert dg.pml_profile == (1e-9, 2, 0.5)
        cells, thickness, alpha = dg.pml
        assert (cells, alpha) == ((128, 0.5) if layer else (0, 0.0))
        assert thickness.shape == (2, 2) and np.allclose(thickness, 0.2 * layer)
        u = dg.createVec()
        r2 = lambda x: 100 * ((x[0] - 0.5) ** 2 + (x[1] - 0.45) ** 2)
        dg.project(lambda x, t: [(1 - r2(x)) * np.exp(-r2(x)), 0, 0], u)  # of mean 0, which leaves no wake
        stepped(dg, u, "lowstorage", 1.5)
        left.append(np.abs(dg.probes([[0.5, 0.5], [0.6, 0.4]]).evaluate(u)).max())
    assert left[1] < 0.1 * left[0]
    dg.setPML("layer", "box,0.3,0.2,0.8,0.8")
    assert dg.pml[0] == 140 and np.allclose(dg.pml[1], [[0.3, 0.2], [0.2, 0.2]])
    dg.setPML(None)
    assert dg.pml[0] == 0
    with pytest.raises(PETSc.Error, match="no shape ball"):
        dg.setPML("layer", "ball,1")


def test_dg_curve():
    """Elements are bent to a surface: nodes of the side lie on it, and as many elements have a node there."""
    dm = meshes.box(n=3, simplex=True, comm=PETSc.COMM_SELF)
    dm.createLabel("top")
    start, end = dm.getHeightStratum(1)
    for facet in range(start, end):
        if dm.getSupportSize(facet) == 1 and dm.computeCellGeometryFVM(facet)[1][1] > 1 - 1e-9:
            dm.setLabelValue("top", facet, 5)

    def arch(x):
        return [x[0], 1 + 0.2 * x[0] * (1 - x[0])]

    dg = plexgpu.DG(dm, "acoustics", 4, {None: "wall"})
    dg.backend = "host"
    assert dg.curved == 0
    dg.setCurve(arch, "top", 5)
    assert dg.curved > 0
    x = dg.nodes().reshape(-1, 2)
    on = abs(x[:, 1] - 1 - 0.2 * x[:, 0] * (1 - x[:, 0])) < 1e-12
    assert on.sum() >= 3 * 5
    u = dg.createVec()
    dg.project(lambda x, t: [x[0], x[1], x[0] - x[1]], u)
    assert dg.computeL2Error(lambda x, t: [x[0], x[1], x[0] - x[1]], u) < 1e-12
    dg.setCurve(None, "top", 5)
    assert dg.curved == 0
    dg.setCurve(lambda x: 1 / 0, "top", 5)
    with pytest.raises(PETSc.Error) as error:
        dg.setUp()
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_dg_material_function():
    """One that does not vary has the rates that the same numbers have by cell; one that varies has others."""
    rates = []
    for function in (None, lambda x, k: [2.0, 1.5, *k[2:]], lambda x, k: [2.0 + x[0], 1.5, *k[2:]]):
        dg = plexgpu.DG(meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF), "maxwell", 2, {None: "pec"})
        dg.backend = "host"
        if function is None:
            dg.addMaterial([2.0, 1.5])
        else:
            dg.setMaterialFunction(function)
        u = dg.createVec()
        dg.project(lambda x, t: np.sin(np.arange(dg.number_of_fields()) + x[0] + 2 * x[1]), u)
        r = u.duplicate()
        dg.computeRHS(u, r)
        rates.append(r.getArray().copy())
    size = np.abs(rates[0]).max()
    assert np.abs(rates[1] - rates[0]).max() < 1e-10 * size
    assert np.abs(rates[2] - rates[0]).max() > 0.05 * size


def test_dg_output(tmp_path):
    dm = meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF)
    dg = plexgpu.DG(dm, "maxwell", 2, {None: "pec"}, {"alpha": 0.5})
    dg.backend = "host"
    assert list(dg.getConstant("alpha")) == [0.5]
    dg.setCoefficients(lambda x, cell, k: [2.0 if x[0] > 0.5 else 1.0, *k[1:]])
    u = dg.createVec()
    dg.project(lambda x, t: np.sin(np.arange(dg.number_of_fields()) + x[0]), u)
    dg.saveCheckpoint(tmp_path / "state.h5", u)
    v = u.duplicate()
    dg.loadCheckpoint(tmp_path / "state.h5", v)
    assert v.equal(u)
    dg.writeVTKHDF(tmp_path / "state.vtkhdf", u)
    import h5py

    with h5py.File(tmp_path / "state.vtkhdf") as file:
        assert "VTKHDF" in file
    with pytest.raises(PETSc.Error) as error:
        dg.setConstant("omega", 1)
    assert "omega" in str(error.value)
    with pytest.raises(PETSc.Error) as error:
        dg.project(lambda x, t: 1 / 0, u)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_dg_settings(options):
    dg = plexgpu.DG(meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF))
    dg.backend = "emulate"
    for name, values in dict(
        system=("acoustics",),
        degree=(2, 5),
        precision=("single", "double"),
        cfl=(0.5,),
        stability_check=(7, 0),
        shock_capturing=(True, False),
        prefix=("d_", None),
        discretization=("quadrature", "nodal"),
        quadrature_degree=(6, None),
        curve_degree=(3, None),
        levels=(4, 1),
        type=("plain", "host"),
    ).items():
        for value in values:
            setattr(dg, name, value)
            assert getattr(dg, name) == value
    dg.prefix = "d_"
    options(d_plex_dg_degree=4, d_plex_dg_bc="wall")
    dg.setFromOptions()
    assert dg.degree == 4
    with pytest.raises(PETSc.Error, match="nowhere"):
        dg.type = "nowhere"


def test_destroyed():
    """What was destroyed is an error, no crash."""
    a = plexgpu.Assembly(meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1)))
    a.destroy()
    for thing in (a, plexgpu.Assembly(), plexgpu.DG(), plexgpu.HDG(), plexgpu.Backend()):
        with pytest.raises(ValueError, match="was destroyed, or never created"):
            thing.backend if not isinstance(thing, plexgpu.Backend) else thing.type


@pytest.mark.parallel
def test_take_over(options):
    """PETSc's own callbacks are replaced while that is on."""
    options(plex_assembly_backend="host")
    done = []
    for on in (False, True):
        plexgpu.take_over(on)
        dm = meshes.fields(meshes.box(), (1, 1))
        form = plexgpu.Pointwise(dm, "RESIDUAL(f0) { f[0] = u[0]; } JACOBIAN(g0) { g[0] = 1; }")
        form.residual(0, "f0")
        form.jacobian(0, 0, "g0")
        plexgpu.set_snes_local_petsc(dm)
        meshes.evaluate(dm, meshes.random_vec(dm))
        done.append(plexgpu.Assembly.from_dm(dm).counts()["residuals"])
        plexgpu.take_over(False)
    assert done == [0, 1]


@pytest.mark.parallel
def test_assembly_alone():
    """An assembly by itself, on local vectors, against a SNES; the explicit part; the Jacobian for u_t."""
    dm = meshes.fields(meshes.box(), (1, 2))
    form = plexgpu.Pointwise(dm, """
      RESIDUAL(f0) { f[0] = u[0] * u[0] + (u_t ? u_t[0] : 0.); }
      RESIDUAL(r0) { f[0] = 3 * u[0]; }
      JACOBIAN(g0) { g[0] = 2 * u[0]; }
      JACOBIAN(d0) { g[0] = 1; }
      JACOBIAN(p0) { g[0] = 5; }
    """)
    form.residual(0, "f0")
    form.jacobian(0, 0, "g0")
    form.essential("Face Sets", 1, value="1 + x[0]")
    x = meshes.random_vec(dm)
    plexgpu.set_snes_local_petsc(dm)
    f, J = meshes.evaluate(dm, x)
    a = plexgpu.Assembly(dm)
    a.backend = "host"
    local, lf = plexgpu.local_vec(dm, x), dm.createLocalVec()
    K, g = a.createMatrix(), f.duplicate()
    a.computeFunction(local, lf)
    a.computeJacobian(local, K)
    g.set(0)
    dm.localToGlobal(lf, g, addv=PETSc.InsertMode.ADD_VALUES)
    assert meshes.difference(g, f) < 1e-13 and meshes.difference(K, J) < 1e-13
    form.dynamic_jacobian(0, 0, "d0")
    form.jacobian_preconditioner(0, 0, "p0")
    form.rhs_residual(0, "r0")
    M, P = K.copy(), K.copy()
    a.computeJacobian(local, M, P, x_t=local, shift=0.0)
    assert meshes.difference(M, K) < 1e-13 and meshes.difference(P, K) > 0.1
    a.computeJacobian(local, M, x_t=local, shift=2.0)
    M.axpy(-1, K)
    M.scale(2.5)  # 2 times the mass matrix, times 2.5; P is 5 times it
    assert meshes.difference(M, P) < 1e-13
    a.computeRHSFunction(local, lf)
    g.set(0)
    dm.localToGlobal(lf, g, addv=PETSc.InsertMode.ADD_VALUES)
    local.set(1.0)
    a.computeRHSFunction(local, lf)
    total, weights = dm.createGlobalVec(), dm.createGlobalVec()
    total.set(0)
    dm.localToGlobal(lf, total, addv=PETSc.InsertMode.ADD_VALUES)
    weights.set(1.0)
    assert 2 < total.dot(weights) < 3  # of 3 over the unit square, without the functions of the bottom side
    assert g.norm() > 0
    assert a.counts()["residuals_left"] == 0


def test_dg_time(tmp_path):
    """What a TS writes while it steps, and a run that goes on from a checkpoint."""
    import h5py
    dm = meshes.box(n=2, simplex=True, comm=PETSc.COMM_SELF)
    dg = plexgpu.DG(dm, "acoustics", 2, {None: "wall"})
    dg.backend = "host"
    start = lambda x, t: [np.cos(np.pi * x[0]), 0, 0]

    def run(steps, u, before=None):
        ts = PETSc.TS().create(PETSc.COMM_SELF)
        ts.setType("lowstorage")
        plexgpu.set_low_storage_scheme(ts, "williamson3")
        ts.setSolution(u)
        dg.setTS(ts)
        ts.setMaxSteps(steps)
        ts.setMaxTime(100)
        if before:
            before(ts)
        ts.solve(u)
        return ts

    def write(ts):
        dg.monitorEnergy(ts, tmp_path / "energy.csv", 1)
        dg.monitorSolution(ts, tmp_path / "fields.vtkhdf", 2)
        dg.monitorUGRID(ts, tmp_path / "fields.nc", 2)
        dg.monitorProbes(ts, [[0.3, 0.3], [0.6, 0.2]], tmp_path / "probes.h5", 1)
        dg.monitorCheckpoint(ts, tmp_path / "state.h5")

    u = dg.createVec()
    dg.project(start, u)
    ts = run(4, u, write)
    assert plexgpu.get_low_storage_scheme(ts)
    assert len((tmp_path / "energy.csv").read_text().splitlines()) >= 5
    with h5py.File(tmp_path / "probes.h5") as file:
        assert file["values"].shape[1:] == (2, 3)
    dg.writeUGRID(tmp_path / "fields.nc", u, 100.0, append=True)
    with h5py.File(tmp_path / "fields.nc") as file:
        assert file["p"].shape == (4, dg.array(u, readonly=True).shape[0]) and file["time"][-1] == 100.0
        assert [dim[0].name for dim in file["p"].dims] == ["/time", "/mesh2d_nFaces"]
        assert np.array_equal(file["p"][2], file["p"][3])
    v, w = dg.createVec(), dg.createVec()
    run(8, v, lambda ts: dg.loadCheckpoint(tmp_path / "state.h5", v, ts))
    dg.project(start, w)
    run(8, w)
    assert v.equal(w)
    before = w.copy()
    dg.limit(w)
    assert before.equal(w)
    assert dg.restartFromOptions(ts, u) is False


def test_dg_extrema(tmp_path):
    dg = plexgpu.DG(meshes.box(n=4, comm=PETSc.COMM_SELF), "shallow_water", 2, {None: "wall"})
    dg.discretization = "quadrature"
    dg.backend = "host"
    u = dg.createVec()
    dg.project(lambda x, t: [0.1 * np.cos(np.pi * x[0]), 0, 0], u)
    ne, n = dg.nodes().shape[:2]
    start = np.array(dg.array(u)).reshape(ne, 3, n)[:, 0]
    ts = PETSc.TS().create(PETSc.COMM_SELF)
    ts.setSolution(u)
    dg.setTS(ts)
    ts.setMaxSteps(5)
    ts.setMaxTime(100)
    dg.monitorExtrema(ts, tmp_path / "extrema.vtkhdf", threshold=1e-3)
    with pytest.raises(PETSc.Error):
        dg.extrema()
    ts.solve(u)
    highest, fastest, arrival = dg.extrema()
    assert highest.shape == fastest.shape == arrival.shape == dg.nodes().shape[:2]
    assert (highest >= start).all() and (highest > start).any()
    assert fastest.max() > 0
    assert np.nanmax(arrival) <= ts.getTime()
    assert (tmp_path / "extrema.vtkhdf").exists()


def test_dg_boundary_values():
    dg = plexgpu.DG(meshes.box(n=3, comm=PETSc.COMM_SELF), "shallow_water", 1, {None: "discharge"})
    dg.discretization = "quadrature"
    dg.backend = "host"
    dg.setBoundarySeries([0, 2], [0, 3])
    u, r = dg.createVec(), dg.createVec()
    dg.computeRHS(u, r, 1)
    assert abs(dg.computeIntegrals(r)[0] - 1.5) < 1e-12
    dg.setBoundaryTide("Z0,0.5,0")
    dg.computeRHS(u, r, 1)
    assert abs(dg.computeIntegrals(r)[0] - 2) < 1e-12
    with pytest.raises(ValueError):
        dg.setBoundarySeries([0, 2], [0])
    with pytest.raises(PETSc.Error):
        dg.setBoundaryTide("X2,1,0")


def test_hdg_output(tmp_path):
    h = plexgpu.HDG(meshes.box(n=2, comm=PETSc.COMM_SELF), 1, 1.0, source=1.0, dirichlet={None: 0.0})
    h.backend = "host"
    h.solve()
    h.writeVTKHDF(tmp_path / "u.vtkhdf", lambda x: 0.0)
    assert (tmp_path / "u.vtkhdf").stat().st_size > 1000


def test_views(capfd):
    dm = meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1))
    for thing in (plexgpu.Assembly(dm), plexgpu.HDG(dm), plexgpu.Backend("host")):
        if not isinstance(thing, plexgpu.Backend):
            thing.backend = "host"
        thing.view()
    PETSc.Sys.syncFlush()
    out = capfd.readouterr().out
    assert "PlexAssembly Object" in out and "PlexHDG Object" in out


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+", plexgpu.version())


@pytest.mark.parametrize("backend", meshes.BACKENDS)
def test_elasticity_of_hdg(backend):
    """A displacement of degree 2, which is found exactly; parameters by a function; and components held on a side."""

    def exact(x):
        return x[0] * x[1], x[1] * x[1]

    def stress(x):  # lambda = 2, mu = 1: 2 mu e + lambda tr e, e = [[y, x/2], [x/2, 2 y]]
        return 8.0 * x[1], x[0], 10.0 * x[1]

    def traction(x, n):
        xx, xy, yy = stress(x)
        return xx * n[0] + xy * n[1], xy * n[0] + yy * n[1]

    hdg = plexgpu.HDG(meshes.box(n=2, simplex=True), 1)
    hdg.backend = backend
    assert hdg.system == "diffusion"
    hdg.system = "elasticity"
    hdg.lame = (2.0, 1.0)
    assert hdg.lame == (2.0, 1.0)
    hdg.source = (0.0, -11.0)  # -div of the stress
    hdg.addBoundary("dirichlet", lambda x, n: exact(x))
    for sides in (False, True):
        if sides:
            hdg.material = lambda x, cell: (2.0, 1.0)
            hdg.addBoundaryComponents([1], lambda x, n: (traction(x, n)[0], exact(x)[1]), "Face Sets", 2)
        u, q = hdg.solve()
        assert hdg.getSolution()[3] is None and hdg.createVecs()[3] is None
        assert hdg.node_values(u, 2).shape[1:] == (2, 3) and hdg.node_values(q, 3).shape[1:] == (3, 3)
        assert (hdg.computeL2Error(exact, stress)[:2] < 1e-9).all()
    with pytest.raises(ValueError, match="1 to dim - 1"):
        hdg.addBoundaryComponents([])


@pytest.mark.parametrize("backend", meshes.BACKENDS)
def test_stokes_of_hdg(backend):
    """A velocity of degree 2 and a pressure of degree 1, which are found exactly; a viscosity by a function."""

    def exact(x):
        return x[0] * x[1], -0.5 * x[1] * x[1]

    def gradient(x):
        return x[1], x[0], 0.0, -x[1]

    def pressure(x):
        return x[0] - 0.5

    hdg = plexgpu.HDG(meshes.box(n=2, simplex=True), 1)
    hdg.backend = backend
    hdg.system = "stokes"
    hdg.viscosity = 2.0
    assert hdg.viscosity == 2.0 and not hdg.symmetricStress
    hdg.source = (1.0, 2.0)  # -mu (0, -1) + grad p
    hdg.addBoundary("dirichlet", lambda x, n: exact(x))
    for symmetric in (False, True):
        hdg.symmetricStress = symmetric
        assert hdg.symmetricStress == symmetric
        if symmetric:
            hdg.material = lambda x, cell: (0.0, 2.0)
        u, q = hdg.solve()
        p = hdg.getPressure()
        assert hdg.getSolution()[3] is None
        assert hdg.node_values(u, 2).shape[1:] == (2, 3) and hdg.node_values(q, 4).shape[1:] == (4, 3)
        assert hdg.node_values(p).shape[1:] == (1, 3)
        assert (hdg.computeL2Error(exact, gradient)[:2] < 1e-8).all() and hdg.computePressureError(pressure) < 1e-8


def test_navierstokes_of_hdg():
    """A velocity of degree 2 and a pressure of degree 1 with a source that carries it; a step in time keeps it."""

    def exact(x):
        return x[0] * x[1], -0.5 * x[1] * x[1]

    hdg = plexgpu.HDG(meshes.box(n=2, simplex=True), 1)
    hdg.system = "navierstokes"
    hdg.viscosity = 0.5
    hdg.density = 2.0
    assert hdg.density == 2.0 and hdg.picard == 3
    hdg.picard = 1
    assert hdg.picard == 1
    # rho u . grad u = rho (x y^2/2, y^3/2)
    hdg.source = lambda x: (x[0] * x[1] ** 2 + 1.0, x[1] ** 3 + 0.5)
    hdg.addBoundary("dirichlet", lambda x, n: exact(x))
    u, q = hdg.solve()
    p = hdg.getPressure()
    assert hdg.getSNES().getIterationNumber() > 1
    assert hdg.node_values(u, 2).shape[1:] == (2, 3) and hdg.node_values(p).shape[1:] == (1, 3)
    error = hdg.computeL2Error(exact)[0]
    assert error < 5e-3 and hdg.computePressureError(lambda x: x[0]) < 2e-2
    ts = PETSc.TS().create(comm=PETSc.COMM_SELF)
    ts.setType("beuler")
    hdg.setTS(ts)
    ts.setTimeStep(0.1)
    ts.setMaxSteps(1)
    ts.setMaxTime(0.1)
    X = hdg.createStateVec()
    hdg.projectState(exact, X)
    ts.solve(X)
    hdg.setState(X)
    assert hdg.computeL2Error(exact)[0] < 2 * error + 1e-6


def test_explicit_navierstokes_of_hdg():
    """The same flow with explicit convection, whose velocity without divergence has none; and Stokes's equations."""

    def exact(x):
        return x[0] * x[1], -0.5 * x[1] * x[1]

    hdg = plexgpu.HDG(meshes.box(n=2, simplex=True), 1)
    hdg.system = "navierstokes"
    hdg.viscosity = 0.5
    hdg.source = lambda x: (0.5 * x[0] * x[1] ** 2 + 1.0, 0.5 * x[1] ** 3 + 0.5)
    hdg.addBoundary("dirichlet", lambda x, n: exact(x))
    assert hdg.transport == "implicit"
    hdg.transport = "explicit"
    ts = PETSc.TS().create(comm=PETSc.COMM_SELF)
    hdg.setTS(ts)
    assert ts.getType() == "arkimex"
    ts.setTimeStep(0.05)
    ts.setMaxSteps(4)
    ts.setMaxTime(0.2)
    X = hdg.createStateVec()
    hdg.projectState(exact, X)
    ts.solve(X)
    hdg.computeStatePressure(X)
    hdg.setState(X)
    u = hdg.getSolution()[1]
    v = hdg.getSolenoidalVelocity()
    assert hdg.computeL2Error(exact)[0] < 5e-3 and hdg.computePressureError(lambda x: x[0]) < 5e-2
    assert min(hdg.computeDivergence(u)) > 1e-8 and max(hdg.computeDivergence(v)) < 1e-12
    hdg.transport = "none"
    assert hdg.transport == "none"
    hdg.source = (1.0, 0.5)  # -mu Laplacian(u) + grad p with p = x_0
    hdg.solve()
    assert hdg.computeL2Error(exact)[0] < 1e-8


def test_many_problems_of_hdg():
    hdg = plexgpu.HDG(meshes.box(n=3, simplex=True), 2, source=1.0, dirichlet={None: 0.0})
    hdg.backend = "host"

    def problem(k):
        hdg.source = float(k + 1)

    pairs = hdg.solveMany(3, problem)
    first = pairs[0][0].norm()
    assert first > 0 and [u.norm() for u, _ in pairs] == pytest.approx([first, 2 * first, 3 * first], rel=1e-8)
    assert pairs[2][1].norm() == pytest.approx(3 * pairs[0][1].norm(), rel=1e-8)
