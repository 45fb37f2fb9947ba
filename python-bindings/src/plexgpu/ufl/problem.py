"""A form as a problem of a DM: functions in its PetscDS, conditions, solvers."""

import pickle

import ufl
from petsc4py import PETSc
from ufl.algorithms.analysis import extract_type

from .. import _plexgpu
from .._plexgpu import Assembly, add_boundary, agree, broadcast, keep
from ..compile import Library
from ..constants import apply
from ..pointwise import add_source, label_of
from .code import Code
from .conditions import interpolate
from .spaces import Space
from .tensors import Tensors

BOUNDARY = "plexgpu boundary"  # label of all facets of the boundary, value 1


def _made_by_first(comm, make):
    """What the first process makes, on all; an error there is raised on all."""
    result = error = None
    if comm.getRank() == 0:
        try:
            result = make()
        except Exception as e:  # noqa: BLE001: of whatever kind, it is raised below
            error = e
    if comm.getSize() > 1:
        data = None
        if comm.getRank() == 0:
            try:
                data = pickle.dumps((result, error))
            except Exception:  # noqa: BLE001: an exception that cannot travel
                data = pickle.dumps((result, RuntimeError(str(error))))
        data = broadcast(comm, data)
        if comm.getRank():
            result, error = pickle.loads(data)
    if error is not None:
        raise error
    return result


def _reason(solver):
    """The name of the reason for which a SNES or KSP has stopped."""
    names = [n for n, value in vars(type(solver).ConvergedReason).items() if value == solver.getConvergedReason()]
    return names[0] if names else str(solver.getConvergedReason())


class Problem:
    """A weak form, or an energy, as a nonlinear problem of a `DM`.

    Parameters
    ----------
    form
        A residual F(u; v), linear in a test function of each field; or an energy without test function, of which the
        derivative is taken.
    u
        The unknown, a `ufl.Coefficient` on `plexgpu.ufl.space(dm, field)`; a list of them, one for each field.
    bcs
        Conditions of `essential`.
    J
        The Jacobian, a form with test and trial functions; default: the derivative of the residual.
    P
        Likewise of the matrix that a preconditioner is made from; default: none.
    symmetric
        Whether the Jacobian is; default: if it is the second derivative of an energy, or each entry equals its mirror
        image as a formula. A wrong True gives a wrong matrix.
    facets
        Label whose values number ds(3); ds is all of the boundary.
    backend
        "petsc": PETSc's own assembly; or a backend of PlexGPU, "auto", "host", "cuda", "emulate"; None: options.

    The functions are compiled once and kept on disk, by the form. Collective on the `DM`, which keeps them. Raises
    `Unsupported` for a term that a PetscDS cannot have, such as one over interior facets or with second derivatives;
    ValueError for one that is not linear in test or trial function.

    Attributes: `dm`; `u`; `c`, the C text; `path`, its file; `functions`, {name: (kind, test field, trial field,
    where)};
    `facts`, a dict of symmetric, jacobian_dependence and degree; `assembly`, the `Assembly` or None.
    """

    def __init__(self, form, u, *, bcs=(), J=None, P=None, symmetric=None, facets="Face Sets", backend=None):
        self.u = self._unknowns(u)
        self.dm = self.u[0].ufl_function_space().dm
        self._check_ds()
        rates = [getattr(w, "_plexgpu_dt", None) for w in self.u]
        energy = not extract_type(form, ufl.Argument)
        seen = extract_type(form, ufl.Coefficient)
        self.transient = any(r is not None and r in seen for r in rates)
        rates = [r if r is not None and r in seen else None for r in rates]
        if energy and self.transient:
            raise ValueError("an energy with a time derivative: give the residual")
        if energy:
            form = sum(
                (ufl.derivative(form, w, ufl.TestFunction(w.ufl_function_space())) for w in self.u[1:]),
                ufl.derivative(form, self.u[0], ufl.TestFunction(self.u[0].ufl_function_space())),
            )
        make = lambda: self._plain(Code(form, J, P, self.u, rates, energy and J is None))
        code = _made_by_first(self.dm.getComm(), make)
        self.c, self.functions, self.facts = code["text"], code["functions"], code["facts"]
        if symmetric is not None:
            self.facts["symmetric"] = bool(symmetric)
        self.library = keep(self.dm, Library(self.c, self.dm.getComm()))
        self.path = self.library.path
        self._facets = facets
        self._install()
        for condition in bcs:
            condition.add()
        apply(self.dm)
        self.assembly = None
        if backend == "petsc":
            (_plexgpu.set_ts_local_petsc if self.transient else _plexgpu.set_snes_local_petsc)(self.dm)
        else:
            self._assemble(backend)
        self._solver = None

    @staticmethod
    def _plain(code):
        return dict(text=code.text, functions={n: tuple(key) for n, key in code.functions.items()}, facts=code.facts)

    def _unknowns(self, u):
        u = list(u) if isinstance(u, (list, tuple)) else [u]
        for w in u:
            if (
                not isinstance(w, ufl.Coefficient)
                or not isinstance(w.ufl_function_space(), Space)
                or w.ufl_element().kind != "field"
            ):
                raise TypeError(f"{w} is no ufl.Coefficient on a space of plexgpu.ufl.space()")
        u.sort(key=lambda w: w.ufl_element().field)
        n = u[0].ufl_function_space().dm.getNumFields()
        if [w.ufl_element().field for w in u] != list(range(n)):
            raise ValueError(
                f"unknowns of the fields {[w.ufl_element().field for w in u]}, where the DM has {n} fields: "
                "give one for each"
            )
        return u

    def _check_ds(self):
        """One problem a discrete system: conditions of a second one would be added to those of the first."""
        handle = self.dm.getDS().handle
        if self.dm.getAttr("__plexgpu_problem__") == handle:
            raise ValueError("the DM has a problem already: make another DM (dm.clone() and its fields)")
        self.dm.setAttr("__plexgpu_problem__", handle)

    # --- the functions' way into the PetscDS

    def _install(self):
        groups = {}
        for name, (kind, i, k, where) in self.functions.items():
            groups.setdefault((kind[:-1], i, k, where), {})[int(kind[-1])] = self.library[name]
        for (kind, i, k, where), found in groups.items():
            if kind.startswith("bd_"):
                continue
            if kind == "f":
                _plexgpu.set_residual(self.dm, i, *[found.get(n) for n in range(2)])
            else:
                set_ = _plexgpu.set_jacobian_preconditioner if kind.startswith("p_") else _plexgpu.set_jacobian
                set_(self.dm, i, k, *[found.get(n) for n in range(4)])
        for i, where in sorted({(i, where) for kind, i, _, where in groups if kind.startswith("bd_")}, key=str):
            name, value = (BOUNDARY, 1) if where == "everywhere" else (self._facets, where)
            if where == "everywhere" and not self.dm.hasLabel(BOUNDARY):
                self.dm.createLabel(BOUNDARY)
                self.dm.markBoundaryFaces(BOUNDARY, 1)
            label = label_of(self.dm, name)
            self._check_number(label, name, value)
            number, _ = add_boundary(self.dm, f"natural {name} {value} {i}", label, value, i, essential=False)
            for (kind, test, k, w), found in groups.items():
                if test != i or w != where:
                    continue
                if kind == "bd_f":
                    _plexgpu.set_bd_residual(self.dm, number, label, value, i, *[found.get(n) for n in range(2)])
                elif kind == "bd_g":
                    _plexgpu.set_bd_jacobian(self.dm, number, label, value, i, k, *[found.get(n) for n in range(4)])

    def _check_number(self, label, name, value):
        if agree(self.dm.getComm(), label.getStratumSize(value) == 0):
            raise ValueError(f"no point of the mesh has the value {value} of label {name!r}")

    def _assemble(self, backend):
        (_plexgpu.set_ts_local if self.transient else _plexgpu.set_snes_local)(self.dm)
        self.assembly = Assembly.from_dm(self.dm)
        add_source(self.assembly, self.path)
        if backend is not None:
            self.assembly.backend = backend
        self.assembly.jacobian_dependence = self.facts["jacobian_dependence"]
        if self.facts["symmetric"]:
            self.assembly.symmetric = True

    # --- solvers

    def createVec(self):
        """A global vector of the `DM`."""
        return self.dm.createGlobalVec()

    def snes(self):
        """A new `SNES` for a steady problem, its options not yet read; with two matrices where there is a P."""
        if self.transient:
            raise ValueError("the form has a time derivative: take ts()")
        snes = PETSc.SNES().create(self.dm.getComm())
        snes.setDM(self.dm)
        if any(kind.startswith("p_") for kind, *_ in self.functions.values()):
            snes.setJacobian(None, self.dm.createMat(), self.dm.createMat())
        return snes

    def ts(self):
        """A new `TS` for a problem with a time derivative, its type and options not yet set; the method is implicit."""
        ts = PETSc.TS().create(self.dm.getComm())
        ts.setDM(self.dm)
        ts.setEquationType(PETSc.TS.EquationType.IMPLICIT)
        return ts

    def solve(self, x=None, snes=None):
        """Solves a steady problem, from x or zero, by a `SNES` (default: one of `snes`) that is set from options; the
        solution. RuntimeError if it does not converge."""
        x = self.createVec() if x is None else x
        snes = self.snes() if snes is None else snes
        snes.setFromOptions()
        snes.solve(None, x)
        if snes.getConvergedReason() <= 0:
            raise RuntimeError(
                f"the solve did not converge: SNES {_reason(snes)}, KSP {_reason(snes.getKSP())} after "
                f"{snes.getIterationNumber()} steps; see -snes_monitor -ksp_monitor"
            )
        return x

    def interpolate(self, given, x=None, t=0.0):
        """A global vector x with the values given, one for each field as for `essential`, at time t: an initial
        state."""
        x = self.createVec() if x is None else x
        spaces = [w.ufl_function_space() for w in self.u]
        interpolate(spaces if len(spaces) > 1 else spaces[0], given, x, t)
        return x

    def _own(self):
        if self._solver is None:
            self._solver = self.ts() if self.transient else self.snes()
            if not self.transient:
                self._solver.setUp()
        return self._solver

    def residual(self, x, f=None, x_t=None, t=0.0):
        """The residual f, a global vector, at x, with a time derivative at x_t and t too. f is made if it is not
        given."""
        f = x.duplicate() if f is None else f
        if self.transient:
            self._own().computeIFunction(t, x, self._rate(x, x_t), f)
        else:
            self._own().computeFunction(x, f)
        return f

    def jacobian(self, x, J=None, x_t=None, t=0.0, shift=0.0, P=None):
        """The Jacobian J at x and time t, with shift times the derivative by x_t; P: the preconditioner's matrix. J is
        made if it is not given, of the `DM`'s type."""
        J = self.dm.createMat() if J is None else J
        P = J if P is None else P
        if self.transient:
            self._own().computeIJacobian(t, x, self._rate(x, x_t), shift, J, P)
        else:
            self._own().computeJacobian(x, J, P)
        return J

    def tensors(self):
        """K and G of Knepley and Terrel (2011), 3.2, to look at: `Tensors`. Of simplices with straight sides and a
        Jacobian that depends on nothing; its integrals over cells. `Unsupported` otherwise."""
        return Tensors(self)

    @staticmethod
    def _rate(x, x_t):
        if x_t is None:
            x_t = x.duplicate()
            x_t.set(0.0)
        return x_t
