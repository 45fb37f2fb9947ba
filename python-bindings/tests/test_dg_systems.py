"""Systems of DG of one's own: from C text, and from UFL, against systems that are written by hand."""

from pathlib import Path

import meshes
import numpy as np
import plexgpu
import plexgpu.ufl as pu
import pytest
import ufl
from petsc4py import PETSc
from ufl import Identity, as_vector, avg, dot, sqrt

ROOT = Path(__file__).resolve().parents[2]
WIND = dict(
    fields=["p", "vx", "vy", "vz"],
    boundaries=["wave"],
    constants=dict(sound=1.0, wind=[0.6, -0.3, 0.2], wave=3.0),
)
BACKENDS = pytest.mark.parametrize("backend", meshes.BACKENDS)


def operator(system, backend, boundaries, *, dim=2, degree=2, simplex=True, coefficients=None, **settings):
    dg = plexgpu.DG(meshes.box(dim=dim, n=3 if dim == 2 else 1, simplex=simplex), system, degree, boundaries)
    dg.backend = backend
    for name, value in settings.items():
        setattr(dg, name, value)
    if coefficients:
        dg.setCoefficients(coefficients)
    return dg


def rough(dg):
    """A state that jumps between elements."""
    u = dg.createVec()
    a, x = np.zeros(dg.array(u, readonly=True).shape), dg.nodes()
    middle = x.mean(axis=1)
    for k in range(a.shape[1]):
        a[:, k] = 1.2 + 0.5 * np.sin(3 * x[..., 0] + (2 + k) * x[..., 1] + k) + 0.1 * np.cos(9 * middle[:, :1] + k)
    u.setArray(a.ravel())
    return u


def compare(mine, other, most=1e-13, t=0.3):
    """Right-hand side, time step and energy of two operators at the same state."""
    out = []
    for dg in (mine, other):
        u = rough(dg)
        r = u.duplicate()
        dg.computeRHS(u, r, t)
        out.append((r, dg.computeTimeStep(u), dg.computeEnergy(u)))
    assert out[1][0].norm() > 0
    assert meshes.difference(out[0][0], out[1][0]) < most
    assert out[0][1:] == pytest.approx(out[1][1:], rel=1e-13)


# --- from C text


@BACKENDS
@pytest.mark.parallel
def test_text(backend):
    """A header as a file and as a text, of both dimensions and of one."""
    header = ROOT / "tests/dg/wind.h"
    comm = PETSc.COMM_WORLD
    both = plexgpu.System("py_wind", header, **WIND, bounds=dict(sound="positive", wave=(None, 9)), comm=comm)
    one = plexgpu.System("py_wind2", header.read_text(), **WIND, dim=2, comm=comm)
    assert both.path == header and one.path.read_text() == header.read_text() and "py_wind2" in repr(one)
    compare(operator(one, backend, {None: "wave"}), operator(both, backend, {None: "wave"}), 1e-15)
    dg = operator("py_wind", backend, {None: "wave"})
    assert list(dg.getConstant("wind")) == [0.6, -0.3, 0.2]
    for name, value, words in (("sound", 0.0, "more than 0"), ("wave", 10.0, "to 9")):
        dg = operator(both, backend, {None: "wave"})
        dg.setConstant(name, value)
        with pytest.raises(PETSc.Error, match=words):
            dg.setUp()


@BACKENDS
def test_gradients(backend):
    """A header with a source that reads gradients: phi_t = nu div grad phi, h = nu log(phi), p_t = nu phi_x."""
    nu, t = 0.1, 0.3
    settings = dict(boundaries=["isolated"], constants=dict(viscosity=nu), dim=2)
    system = plexgpu.System("py_gradients", ROOT / "tests/dg/gradients.h", ["p", "h"], **settings)
    dg = operator(system, backend, {None: "isolated"}, degree=3, discretization="quadrature")
    u, x = dg.createVec(), np.pi * dg.nodes()
    fade = np.exp(-2 * nu * np.pi**2 * t)

    def exact(fade):
        p = -np.sin(x[..., 0]) * np.cos(x[..., 1]) * (1 - fade) / (2 * np.pi)
        return np.stack([p, nu * np.log(2 + fade * np.cos(x[..., 0]) * np.cos(x[..., 1]))], axis=1)

    u.setArray(exact(1.0).ravel())
    ts = PETSc.TS().create(comm=PETSc.COMM_SELF)
    dg.setTS(ts)
    ts.setMaxTime(t)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.solve(u)
    off = np.abs(dg.array(u, readonly=True) - exact(fade)).max(axis=(0, 2))
    assert off[0] < 1e-2 and off[1] < 3e-4  # of 0.07 and 0.1


def test_text_errors(tmp_path):
    with pytest.raises(plexgpu.CompileError, match="nosuch"):
        plexgpu.System("py_bad", (ROOT / "tests/dg/wind.h").read_text().replace("w2 = 0", "w2 = nosuch"), **WIND, dim=2)
    with pytest.raises(FileNotFoundError, match="nosuch.h"):
        plexgpu.System("py_bad", tmp_path / "nosuch.h", ["u"])
    for words, change in {
        "1 to 4 can be": dict(constants=dict(a=np.zeros(5))),
        "begins with no digit": dict(fields=["2p"]),
        "no two the same": dict(fields=["p", "p"]),
        "which is no constant": dict(bounds=dict(c=(0, 1))),
        "of the same name": dict(constants=dict(a=1.0), coefficients=dict(a=1.0)),
        "dim 4": dict(dim=4),
    }.items():
        with pytest.raises(ValueError, match=words):
            plexgpu.System("py_bad", "", **{**WIND, **change})
    system = plexgpu.System("py_few", ROOT / "tests/dg/wind.h", **{**WIND, "fields": ["p", "vx"]}, dim=2)
    with pytest.raises(PETSc.Error, match="3 fields in its header, and 2 names"):
        operator(system, "host", {None: "wave"})
    with pytest.raises(PETSc.Error, match="not one of 3 dimensions"):
        operator(system, "host", {None: "wave"}, dim=3)
    with pytest.raises(PETSc.Error, match="Unknown system py_bad"):
        operator("py_bad", "host", {None: "wave"})


def test_changed(tmp_path):
    """A file that has changed is compiled again; the system of a name is replaced."""
    path = tmp_path / "wind.h"
    norms = []
    for change in ("c[0] * u[0]", "2 * c[0] * u[0]"):
        path.write_text((ROOT / "tests/dg/wind.h").read_text().replace("c[0] * u[0]", change))
        dg = operator(plexgpu.System("py_changed", path, **WIND, dim=2), "host", {None: "wave"})
        u = rough(dg)
        r = u.duplicate()
        dg.computeRHS(u, r)
        norms.append(r.norm())
    assert norms[0] != norms[1]


# --- from UFL


def wind(name, comm=PETSc.COMM_SELF):
    eq = pu.dg.Equations(2)
    p, v = eq.field("p"), eq.field("v", 2)
    c, w, q = eq.constant("sound", 1.0), eq.constant("wind", [0.6, -0.3, 0.2]), eq.constant("wave", 3.0)
    w = as_vector([w[0], w[1]])
    wave = ufl.cos(q * (eq.x[0] + eq.x[1] - (w[0] + w[1] + sqrt(2) * c) * eq.t))
    return eq.system(
        name,
        flux={p: p * w + c * v, v: ufl.outer(v, w) + c * p * Identity(2)},
        speed=c + sqrt(dot(w, w)),
        boundaries=dict(wave={p: wave, v: wave / sqrt(2) * as_vector([1, 1])}),
        comm=comm,
    )


@BACKENDS
@pytest.mark.parallel
@pytest.mark.parametrize("simplex", [True, False])
def test_wind(backend, simplex):
    """Lax and Friedrichs, position and time at the boundary; nodal DG, and DG with quadrature."""
    hand = plexgpu.System("py_hand", ROOT / "tests/dg/wind.h", **WIND, dim=2, comm=PETSc.COMM_WORLD)
    settings = dict(simplex=simplex, discretization="nodal" if simplex else "quadrature")
    mine = operator(wind("py_ufl_wind", PETSc.COMM_WORLD), backend, {None: "wave"}, **settings)
    compare(mine, operator(hand, backend, {None: "wave"}, **settings))


@BACKENDS
def test_advection(backend):
    """Upwind, in both dimensions, against the library's own."""
    for dim in (2, 3) if backend == "host" else (2,):
        eq = pu.dg.Equations(dim)
        u, a = eq.field("u"), eq.constant("velocity", [1.0, 0.4, -0.3])
        a_ = as_vector([a[d] for d in range(dim)])
        system = eq.system(
            "py_advection",
            u * a_,
            speed=sqrt(dot(a_, a_)),
            numerical_flux=pu.dg.upwind(dot(a_, eq.n)),
            boundaries=dict(inflow=0, outflow=u),
        )
        sides = {None: "outflow", ("Face Sets", 2): "inflow"}
        other = operator("advection", backend, sides, dim=dim)
        other.setConstant("velocity", [1.0, 0.4, -0.3])
        compare(operator(system, backend, sides, dim=dim), other)


@BACKENDS
@pytest.mark.parallel
def test_acoustics(backend):
    """Coefficients that jump, an exact Riemann solver as an expression, three conditions, against the library's own."""
    eq = pu.dg.Equations(2)
    p, v = eq.field("p"), eq.field("v", 2)
    rho, kappa = eq.coefficient("rho", 1.0), eq.coefficient("kappa", 1.0)
    n, Z = eq.n, sqrt(rho * kappa)
    ZM, ZP, dp, dv = Z("-"), Z("+"), p("+") - p("-"), dot(n, v("+") - v("-"))
    vn = dot(n, v("-")) + (ZP * dv - dp) / (ZM + ZP)
    ps = p("-") + ZM * (dp - ZP * dv) / (ZM + ZP)
    inside = dot(n, v)
    system = eq.system(
        "py_acoustics",
        flux={p: kappa * v, v: p / rho * Identity(2)},
        speed=sqrt(kappa / rho),
        numerical_flux={p: kappa("-") * vn, v: ps / rho("-") * n},
        boundaries=dict(wall={v: v - 2 * inside * n}, free={p: -p}, absorbing={p: 0, v: v - inside * n}),
        energy=(p**2 / kappa + rho * dot(v, v)) / 2,
        bounds=dict(rho="positive", kappa="positive"),
        comm=PETSc.COMM_WORLD,
    )
    sides = {None: "wall", ("Face Sets", 2): "free", ("Face Sets", 3): "absorbing"}
    uneven = lambda x, cell, k: [1 + 0.3 * np.sin(7 * x[0]), 2 + np.cos(5 * x[1])]
    mine = operator(system, backend, sides, coefficients=uneven)
    compare(mine, operator("acoustics", backend, sides, coefficients=uneven))


@BACKENDS
def test_burgers(backend):
    """A nonlinear system with a source that depends on position and time."""
    names = dict(fields=["u"], boundaries=["outflow"], constants=dict(amplitude=1.0))
    hand = plexgpu.System("py_burgers_hand", ROOT / "tests/common/burgers.h", **names, dim=2)
    eq = pu.dg.Equations(2)
    u, a = eq.field("u"), eq.constant("amplitude", 1.0)
    phase = 2 * ufl.pi * (eq.x[0] + eq.x[1] - eq.t)
    system = eq.system(
        "py_burgers",
        u**2 / 2 * as_vector([1, 1]),
        speed=sqrt(2) * abs(u),
        numerical_flux=pu.dg.lax_friedrichs(abs(u * (eq.n[0] + eq.n[1]))),
        source=a * ufl.pi / 2 * ufl.cos(phase) * (2 * (1 + ufl.sin(phase) / 4) - 1),
        boundaries=dict(outflow={}),
    )
    compare(operator(system, backend, {None: "outflow"}), operator(hand, backend, {None: "outflow"}))


@BACKENDS
def test_shallow_water(backend):
    """Quadrilaterals, a flux with a constant between energy-conserving and upwind, against the library's own."""
    eq = pu.dg.Equations(2)
    eta, v = eq.field("eta"), eq.field("v", 2)
    h, g, alpha = eq.constant("depth", 1.0), eq.constant("gravity", 1.0), eq.constant("alpha", 1.0)
    mean = dot(eq.n, avg(v)) - alpha * sqrt(g / h) * (eta("+") - eta("-")) / 2
    level = avg(eta) - alpha * sqrt(h / g) * dot(eq.n, v("+") - v("-")) / 2
    system = eq.system(
        "py_water",
        flux={eta: h * v, v: g * eta * Identity(2)},
        speed=sqrt(g * h),
        numerical_flux={eta: h * mean, v: g * level * eq.n},
        boundaries=dict(wall={v: v - 2 * dot(v, eq.n) * eq.n}),
        energy=(g * eta**2 + h * dot(v, v)) / 2,
    )
    pair = []
    for s in (system, "shallow_water_linear"):
        pair.append(operator(s, backend, {None: "wall"}, simplex=False, discretization="quadrature"))
        for name, value in dict(depth=1.5, gravity=2.0, alpha=0.7).items():
            pair[-1].setConstant(name, value)
    compare(*pair)


def test_maxwell():
    """Curls by the permutation symbol, three dimensions, the flux that conserves energy."""
    eq = pu.dg.Equations(3)
    E, H = eq.field("E", 3), eq.field("H", 3)
    i, j, k = ufl.indices(3)
    curl = lambda A: ufl.as_tensor(ufl.PermutationSymbol(3)[i, j, k] * A[k], (i, j))  # its divergence is curl A
    system = eq.system(
        "py_maxwell",
        flux={E: -curl(H), H: curl(E)},
        speed=1.0,
        numerical_flux=pu.dg.central,
        boundaries=dict(pec={E: -E}),
    )
    assert eq.names() == ["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"]
    other = operator("maxwell", "host", {None: "pec"}, dim=3)
    other.setConstant("alpha", 0.0)
    compare(operator(system, "host", {None: "pec"}, dim=3), other)


@BACKENDS
def test_single(backend):
    """In single precision numbers of the text are single, too."""
    mine, double = (operator(wind("py_single"), backend, {None: "wave"}) for _ in range(2))
    mine.precision = "single"
    out = []
    for dg in (mine, double):
        u = rough(dg)
        out.append(u.duplicate())
        dg.computeRHS(u, out[-1], 0.3)
    assert 1e-9 < meshes.difference(*out) < 1e-5


def test_rate():
    """A source that damps shortens the time step; tensors and names of their components."""
    eq = pu.dg.Equations(2)
    T = eq.field("T", (2, 2))
    w = eq.field("w", 4)
    a = as_vector([1.0, 0.0])
    i, j, d = ufl.indices(3)
    flux = {T: ufl.as_tensor(T[i, j] * a[d], (i, j, d)), w: ufl.outer(w, a)}
    steps = [
        operator(
            eq.system(
                "py_damped",
                flux,
                speed=1.0,
                numerical_flux=pu.dg.upwind(dot(a, eq.n)),
                source={T: -100 * T},
                rate=rate,
                boundaries=dict(out={}),
            ),
            "host",
            {None: "out"},
        ).computeTimeStep()
        for rate in (None, 100.0)
    ]
    assert steps[1] < 0.5 * steps[0]
    assert eq.names() == ["Txx", "Txy", "Tyx", "Tyy", "w0", "w1", "w2", "w3"]


@BACKENDS
def test_decay(backend):
    """Drag, against a header by hand; it does not shorten the step of a TS."""
    eq = pu.dg.Equations(2)
    p, v, s = eq.field("p"), eq.field("v", 2), eq.coefficient("drag", 1.0)
    dp, dv = p("+") - p("-"), dot(eq.n, v("+") - v("-"))
    system = lambda name, decay: eq.system(
        name,
        flux={p: v, v: p * Identity(2)},
        numerical_flux={p: dot(eq.n, avg(v)) - dp / 2, v: (avg(p) - dv / 2) * eq.n},
        speed=1.0,
        decay=decay,
        boundaries=dict(wall={v: v - 2 * dot(v, eq.n) * eq.n}),
    )
    settings = dict(boundaries=["wall"], coefficients=dict(drag=1.0), dim=2)
    hand = plexgpu.System("py_drag", ROOT / "tests/common/drag.h", ["p", "vx", "vy"], **settings)
    uneven = dict(coefficients=lambda x, cell, k: [0.0 if x[0] < 0.5 else 7.0])
    other = operator(hand, backend, {None: "wall"}, **uneven)
    for decay in {v: s}, {v: as_vector([s, s])}:
        compare(operator(system("py_ufl_drag", decay), backend, {None: "wall"}, **uneven), other)
    steps = []
    for drag in 0.0, 1e4:
        dg = operator(system("py_ufl_drag", {v: [s, 2 * s], p: 0.0}), backend, {None: "wall"})
        dg.setConstant("drag", drag)
        u = dg.createVec()
        dg.project(lambda x, t: [1, 1, 1], u)
        ts = PETSc.TS().create(comm=PETSc.COMM_SELF)
        ts.setSolution(u)
        dg.setTS(ts)
        steps.append(ts.getTimeStep())
        ts.setMaxSteps(5)
        ts.setMaxTime(9)
        ts.solve(u)
    assert steps[0] == steps[1] > 100 * dg.computeTimeStep() and ts.getType() == "lowstorage"
    assert np.abs(np.asarray(dg.array(u, readonly=True))[:, 1:]).max() < 1e-2
    for decay, words in (({v: p}, "given coefficients, constants"), ({v: as_vector([s, s, s])}, "shape"), (s, "no dict")):
        with pytest.raises((pu.Unsupported, ValueError), match=words):
            system("py_bad", decay)


def test_run():
    """Through a TS: an acoustic wave in a box, its energy, its error."""
    eq = pu.dg.Equations(2)
    p, v = eq.field("p"), eq.field("v", 2)
    system = eq.system(
        "py_run",
        flux={p: v, v: p * Identity(2)},
        speed=1.0,
        boundaries=dict(wall={v: v - 2 * dot(v, eq.n) * eq.n}),
    )
    dg = operator(system, "host", {None: "wall"}, degree=4)
    u = dg.createVec()
    wave = lambda x, t: [np.cos(np.pi * x[0]) * np.cos(np.pi * t), np.sin(np.pi * x[0]) * np.sin(np.pi * t), 0.0]
    dg.project(wave, u)
    energy = dg.computeEnergy(u)
    ts = PETSc.TS().create()
    ts.setType("lowstorage")
    ts.setSolution(u)
    dg.setTS(ts)
    ts.setMaxTime(0.5)
    ts.setMaxSteps(10000)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.MATCHSTEP)
    ts.solve(u)
    assert dg.computeL2Error(wave, u, 0.5) < 1e-4
    assert energy * 0.999 < dg.computeEnergy(u) <= energy


# --- what cannot be said


def make(**change):
    """A system with an expression of a test in it: change is a function of equations and fields."""
    eq = pu.dg.Equations(2)
    p, v = eq.field("p"), eq.field("v", 2)
    given = dict(flux={p: v, v: p * Identity(2)}, speed=1.0)
    for name, value in change.items():
        given[name] = value(eq, p, v)
    return eq.system("py_error", **given)


OTHER = pu.dg.Equations(2)


@pytest.mark.parametrize(
    "change, error, words",
    [
        (dict(speed=lambda eq, p, v: eq.x[0]), pu.Unsupported, r"x\[0\]|x in the speed: the position cannot be there"),
        (dict(speed=lambda eq, p, v: ufl.div(v)), pu.Unsupported, "grad.v. in the speed: a derivative"),
        (dict(speed=lambda eq, p, v: p("+")), pu.Unsupported, "in the speed: a numerical flux alone has the two sides"),
        (dict(speed=lambda eq, p, v: v), ValueError, r"the speed has shape \(2,\), where \(\) is needed: v"),
        (dict(speed=lambda eq, p, v: OTHER.constant("c", 1.0)), pu.Unsupported, "c in the speed: it belongs to other"),
        (dict(flux=lambda eq, p, v: {p: v}), ValueError, "the flux of field v is missing"),
        (dict(flux=lambda eq, p, v: {p: v, v: v}), ValueError, r"the flux of v has shape \(2,\), where \(2, 2\)"),
        (dict(flux=lambda eq, p, v: v), ValueError, "the flux is no dict, and there are 2 fields"),
        (dict(flux=lambda eq, p, v: {p: v * eq.t, v: p * Identity(2)}), pu.Unsupported, "in the flux: the time cannot"),
        (
            dict(numerical_flux=lambda eq, p, v: {p: dot(v, eq.n), v: p("+") * eq.n}),
            pu.Unsupported,
            r"v in the numerical flux: on which side\? v\('-'\)",
        ),
        (
            dict(numerical_flux=lambda eq, p, v: {p: dot(v("+")("-"), eq.n), v: p("+") * eq.n}),
            pu.Unsupported,
            r"within \('-'\) already",
        ),
        (
            dict(boundaries=lambda eq, p, v: dict(wall={p: ufl.TestFunction(p.ufl_function_space())})),
            pu.Unsupported,
            "state of boundary condition wall: it is no field, coefficient or constant",
        ),
        (dict(boundaries=lambda eq, p, v: {"a wall": {}}), ValueError, "a boundary condition 'a wall'"),
        (dict(source=lambda eq, p, v: {p: ufl.CellVolume(eq.mesh)}), pu.Unsupported, "function a CellVolume"),
        (dict(source=lambda eq, p, v: {p: ufl.bessel_J(0, p)}), pu.Unsupported, "Bessel"),
        (dict(source=lambda eq, p, v: {OTHER.n: 1}), ValueError, "which is no field of these equations"),
    ],
)
def test_errors(change, error, words):
    with pytest.raises(error, match=words):
        make(**change)


def test_equations_errors():
    eq = pu.dg.Equations(meshes.box(comm=PETSc.COMM_SELF))
    assert eq.dim == 2
    eq.field("p")
    for call, words in (
        (lambda: eq.field("p"), "the name is taken"),
        (lambda: eq.field("p q"), "a field 'p q'"),
        (lambda: eq.constant("c", np.zeros((2, 2))), "a number or a vector of up to 4"),
        (lambda: eq.constant("c", np.zeros(5)), "a number or a vector of up to 4"),
        (lambda: pu.dg.Equations(1), "1 dimensions"),
        (lambda: pu.dg.Equations(2).system("py_none", {}, speed=1.0), "without a field"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
