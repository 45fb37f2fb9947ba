"""A form as a problem of a DM: functions in its PetscDS, conditions, solvers."""

import hashlib
import json
import pickle
import re
import textwrap
from pathlib import Path

import numpy as np
import ufl
from petsc4py import PETSc
from ufl.algorithms.analysis import extract_type

from .. import _plexgpu
from .._plexgpu import Assembly, add_boundary, agree, broadcast, keep
from ..compile import Library, _write, folder
from ..constants import apply
from ..pointwise import PARAMETERS, add_source, c_value, label_of, values
from .errors import Unsupported, short
from .graph import Graph
from .lower import NONE, Lowering, check, prepare, signature
from .spaces import Space, _Constant, _Time, shift

BOUNDARY = "plexgpu boundary"  # label of all facets of the boundary, value 1

# Forms that were read by another version of these files are read again
_VERSION = hashlib.sha256(
    b"".join(
        Path(__file__).with_name(name).read_bytes() for name in ("graph.py", "lower.py", "problem.py", "spaces.py")
    )
).hexdigest()


def _role(unknowns, rates):
    """What a coefficient or a constant is, for the signature of a form."""

    def role(e):
        if isinstance(e, _Constant):
            return f"constant {e.offset} {e.ufl_shape}"
        if isinstance(e, ufl.Constant):
            return type(e).__name__
        what = "u" if e in unknowns else "u_t" if e in rates else "a"
        return f"{what} {e.ufl_element()} {e.ufl_shape}"

    return role


class _Code:
    """The C functions of forms: `text`, `functions` {name: (kind, test, trial, where)}, `facts`."""

    def __init__(self, F, J, P, unknowns, rates, energy):
        dim = unknowns[0].ufl_function_space().ufl_domain().geometric_dimension
        self.role, self.unknowns, self.dim, self.energy = _role(unknowns, rates), unknowns, dim, energy
        texts = [signature(form, self.role) if form is not None else "" for form in (F, J, P)]
        each = [f"{u.ufl_element()}" for u in unknowns]
        self.key = hashlib.sha256("\0".join([_VERSION, ufl.__version__, *each, *texts]).encode()).hexdigest()[:24]
        path = folder() / f"{self.key}.json"
        try:
            found = json.loads(path.read_text())
        except (OSError, ValueError):
            try:
                found = self._make(F, J, P, rates)
            except (Unsupported, ValueError) as error:
                raise type(error)(self._readable(str(error), rates)) from error
            _write(path, json.dumps(found))
        self.text, self.functions, self.facts = found["text"], found["functions"], found["facts"]

    def _readable(self, text, rates):
        """UFL's text with names for its numbers: u, or u0, u1, ..., for w_5; dt(u)."""
        names = {}
        for k, (u, rate) in enumerate(zip(self.unknowns, rates)):
            names[u.count()] = "u" if len(self.unknowns) == 1 else f"u{k}"
            if rate is not None:
                names[rate.count()] = f"dt({names[u.count()]})"
        return re.sub(r"\bw_\{?(\d+)\}?", lambda m: names.get(int(m.group(1)), m.group(0)), text)

    def _make(self, F, J, P, rates):
        graph = Graph()
        lowering = Lowering(graph, self.unknowns, rates, self.dim)
        functions = lowering.functions(prepare(check(F)), False)
        jacobian = {}
        if J is not None:
            jacobian = lowering.functions(prepare(check(J)), True)
        else:
            for k, u in enumerate(self.unknowns):
                du = ufl.TrialFunction(u.ufl_function_space())
                form = ufl.derivative(F, u, du)
                if rates[k] is not None:
                    form = form + _scaled(ufl.derivative(F, rates[k], du), shift(u.ufl_function_space().ufl_domain()))
                jacobian.update(lowering.functions(prepare(form), True))
        functions.update(jacobian)
        preconditioner = {}
        if P is not None:
            preconditioner = lowering.functions(prepare(check(P)), True)
            if any(key[0].startswith("bd_") for key in preconditioner):
                raise Unsupported(
                    "integrals over facets in a preconditioner's form: PETSc has them, PlexGPU does not: " f"{short(P)}"
                )
            functions.update({("p_" + key[0], *key[1:]): e for key, e in preconditioner.items()})
        facts = self._facts(graph, functions, jacobian, preconditioner)
        text, names = "#include <petscds.h>\n", {}
        for key in sorted(functions, key=str):
            kind, i, k, where = key
            name = f"{kind}_{i}{'' if k is None else k}{'' if where == 'everywhere' else f'_{where}'}_{self.key[:8]}"
            names[name] = key
            macro = ("BD_" if kind.startswith("bd_") else "") + ("RESIDUAL" if k is None else "JACOBIAN")
            result = "f" if k is None else "g"
            lines = graph.c([(f"{result}[{at}]", node) for at, node in sorted(functions[key].items())])
            head = textwrap.fill(f"void {name}({PARAMETERS[macro]})", 120, subsequent_indent=" " * (len(name) + 6))
            text += f"\n{head}\n{{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
        return dict(text=text, functions={n: list(key) for n, key in names.items()}, facts=facts)

    def _facts(self, graph, functions, jacobian, preconditioner):
        """What is certain of the Jacobian: whether it is symmetric, what it depends on, polynomial degrees."""
        matrices = {**jacobian, **{("p", *key): e for key, e in preconditioner.items()}}
        leaves = graph.leaves(k for entries in matrices.values() for k in entries.values())
        depends = [
            name
            for name, arrays in (
                ("solution", ("u[", "u_x[", "u_t[")),
                ("position", ("x[", "n[")),
                ("auxiliary", ("a[", "a_x[")),
            )
            if any(t.startswith(arrays) for t in leaves)
        ]
        symmetric = (self.energy or self._symmetric(graph, jacobian)) and self._symmetric(graph, preconditioner)
        memo = {}
        degree = {
            f"{key[0]}_{key[1]}{'' if key[2] is None else key[2]} {key[3]}": max(
                graph.degree(k, self._degree, memo) for k in entries.values()
            )
            for key, entries in functions.items()
        }
        return dict(symmetric=symmetric, jacobian_dependence=depends, degree=degree)

    def _degree(self, leaf):
        """Polynomial degree of what a pointwise function reads, on affine cells."""
        if leaf.startswith("x["):
            return 1
        found = re.match(r"(u|u_t|u_x)\[(?:uOff(?:_x)?\[(\d+)\])?", leaf)
        if not found:
            return 2 if leaf.startswith(("a[", "a_x[")) else 0
        element = self.unknowns[int(found.group(2) or 0)].ufl_element()
        below = found.group(1) == "u_x" and element.cell.is_simplex
        return max(0, element.embedded_superdegree - below)

    def _symmetric(self, graph, jacobian):
        """Whether each entry equals its mirror image, up to the order of sums and products."""
        sizes = [max(1, u.ufl_element().reference_value_size) for u in self.unknowns]
        whole = {}
        for (name, i, k, where), entries in jacobian.items():
            d, e = (self.dim if name[-1] in "23" else 1), (self.dim if name[-1] in "13" else 1)
            for at, node in entries.items():
                rest, ie = divmod(at, e)
                rest, id_ = divmod(rest, d)
                c, g = divmod(rest, sizes[k])
                row = (i, c, id_ if d > 1 else None)
                column = (k, g, ie if e > 1 else None)
                whole[name[:-1], where, row, column] = graph.canonical(node)
        return all(
            whole.get((kind, where, column, row)) == value for (kind, where, row, column), value in whole.items()
        )


def _reason(solver):
    """The name of the reason for which a SNES or KSP has stopped."""
    names = [n for n, value in vars(type(solver).ConvergedReason).items() if value == solver.getConvergedReason()]
    return names[0] if names else str(solver.getConvergedReason())


def _scaled(form, factor):
    """A form with each integrand times a factor."""
    return ufl.Form([integral.reconstruct(factor * integral.integrand()) for integral in form.integrals()])


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


def values_of(V, value):
    """`Values` of a space: a UFL expression of position, time and constants, or what `plexgpu.essential` takes."""
    made, _ = _values_and_rate(V, value)
    return made


def _values_and_rate(V, value):
    if isinstance(value, (list, tuple)) and any(isinstance(v, ufl.core.expr.Expr) for v in value):
        value = ufl.as_vector(value)
    if not isinstance(value, ufl.core.expr.Expr):
        return values(V.dm, value, V.field), None
    shape = V.value_shape
    if value.ufl_shape != shape:
        raise ValueError(f"a value of shape {value.ufl_shape} for a field of shape {shape}: {short(value)}")
    constants = sorted(extract_type(value, _Constant), key=lambda c: c.offset)
    dm = constants[0].dm if constants else V.dm
    made = [c_value(dm, _statements(value, V), max(1, V.ufl_element().reference_value_size))]
    times = extract_type(value, _Time)
    rate = None
    if times:
        first = next(iter(times))
        variable = ufl.variable(first)
        rate = ufl.diff(ufl.replace(value, {t: variable for t in times}), variable)
        rate = c_value(dm, _statements(rate, V), max(1, V.ufl_element().reference_value_size))
    return made[0], rate


def _statements(value, V):
    """C that sets u[] to an expression."""
    graph = Graph()
    lowering = Lowering(graph, [], [], V.ufl_domain().geometric_dimension)
    assignments = []
    for k, at in enumerate(np.ndindex(*value.ufl_shape)):
        entries = lowering.read(prepare(value[at] if at else value))
        if set(entries) - {NONE}:
            raise ValueError(f"a test or trial function in a value: {short(value)}")
        assignments.append((f"u[{k}]", entries.get(NONE, graph.zero)))
    return "".join(f"  {line}\n" for line in graph.c(assignments))


class Essential:
    """An essential condition, which a `Problem` adds to its `DM`. `value` may be set again where it is numbers."""

    def __init__(self, V, label, numbers, value, components):
        self.V, self.label, self.numbers, self.components = V, label, numbers, tuple(components)
        self.values, self.rate = _values_and_rate(V, value)
        self.added = False

    @property
    def value(self):
        """The numbers, or the function."""
        return self.values.value

    @value.setter
    def value(self, value):
        self.values.value = value

    def add(self):
        """Adds it to the `DM`, once."""
        if not self.added:
            add_boundary(
                self.V.dm,
                f"essential {self.label} {self.numbers} {self.V.field} {self.components}",
                label_of(self.V.dm, self.label),
                self.numbers,
                self.V.field,
                self.values,
                components=self.components,
                derivative=self.rate,
            )
            self.added = True


def essential(V, label, numbers, value=0.0, components=()):
    """An essential boundary condition for `Problem`.

    Parameters
    ----------
    V
        A space of `plexgpu.ufl.space`.
    label, numbers
        Name of a label of the mesh, and its value or values there.
    value
        Numbers (live: `condition.value = 2`), a UFL expression of SpatialCoordinate, time and constants, a Python
        function f(x, t), or C expressions; see `plexgpu.essential`.
    components
        Those that are constrained; default: all.
    """
    if not isinstance(V, Space):
        raise TypeError("a condition is for a space of plexgpu.ufl.space()")
    return Essential(V, label, numbers, value, components)


def interpolate(spaces, given, vec, t=0.0):
    """Puts values into a global vector of a `DM`: an initial state.

    Parameters
    ----------
    spaces
        The space of each field, of a single field it alone.
    given
        A value for each, as for `essential`.
    vec
        The vector.
    t
        The time.
    """
    if isinstance(spaces, Space):
        spaces, given = [spaces], [given]
    _plexgpu.project(spaces[0].dm, [values_of(V, v) for V, v in zip(spaces, given)], vec, t)


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
        make = lambda: self._plain(_Code(form, J, P, self.u, rates, energy and J is None))
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
        """A vector with values, one for each field as for `essential`: an initial state."""
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
        """The residual at a global vector x, with a time derivative at x_t and t too."""
        f = x.duplicate() if f is None else f
        if self.transient:
            self._own().computeIFunction(t, x, self._rate(x, x_t), f)
        else:
            self._own().computeFunction(x, f)
        return f

    def jacobian(self, x, J=None, x_t=None, t=0.0, shift=0.0, P=None):
        """The Jacobian at x, with shift times the derivative by x_t; P: the preconditioner's matrix. J is made if it is
        not given, of the `DM`'s type."""
        J = self.dm.createMat() if J is None else J
        P = J if P is None else P
        if self.transient:
            self._own().computeIJacobian(t, x, self._rate(x, x_t), shift, J, P)
        else:
            self._own().computeJacobian(x, J, P)
        return J

    @staticmethod
    def _rate(x, x_t):
        if x_t is None:
            x_t = x.duplicate()
            x_t.set(0.0)
        return x_t
