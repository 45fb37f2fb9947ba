"""Systems of DG from UFL: fluxes, numerical fluxes, sources and boundary states as expressions, compiled to one header.

    import ufl, plexgpu, plexgpu.ufl as pu
    eq = pu.dg.Equations(2)
    p, v = eq.field("p"), eq.field("v", 2)
    rho, kappa = eq.constant("rho", 1.0), eq.constant("kappa", 1.0)
    sound = eq.system(
        "sound",
        flux={p: kappa * v, v: p / rho * ufl.Identity(2)},
        speed=ufl.sqrt(kappa / rho),
        boundaries=dict(wall={v: v - 2 * ufl.dot(v, eq.n) * eq.n}),
    )
    dg = plexgpu.DG(dm, sound, degree=4, boundaries={None: "wall"})
"""

import textwrap

import numpy as np
import ufl
from ufl import classes as uc

from ..system import MOST_NUMBERS, System, check_name
from .errors import Unsupported, short
from .graph import Graph
from .lower import NONE, Lowering, prepare
from .spaces import Element, _Time

_AXES = "xyz"

# What PlexDG gives each function of a header, and its name there; docs/dgsystem.md. "sides": u('-') is uM, u('+') is uP
_GIVEN = {
    "flux": dict(u="u", k="k", c="c"),
    "speed": dict(u="u", k="k", c="c"),
    "energy": dict(u="u", k="k", c="c"),
    "rate": dict(u="u", k="k", c="c"),
    "decay": dict(k="k", c="c"),
    "source": dict(u="u", k="k", c="c", x="x", t="t"),
    "boundary": dict(u="uM", k="kM", c="c", x="x", t="t", n="n"),
    "numerical flux": dict(sides="", c="c", n="n"),
}
_WORDS = dict(
    u="fields",
    k="coefficients",
    c="constants",
    x="the position",
    t="the time",
    n="the normal",
    sides="fields and coefficients of both sides",
)
_REAL = "const plex_real "
_SIGNATURES = {
    "flux": f"void dg_flux({_REAL}u[], {_REAL}k[], {_REAL}c[], plex_real F[][PLEX_DG_NF])",
    "numerical flux": f"void dg_face({_REAL}uM[], {_REAL}uP[], {_REAL}n[], {_REAL}kM[], {_REAL}kP[], {_REAL}c[], "
    "plex_real f[])",
    "boundary": f"void dg_boundary(int kind, {_REAL}uM[], {_REAL}n[], {_REAL}x[], plex_real t, {_REAL}kM[], "
    f"{_REAL}c[], plex_real uP[])",
    "decay": f"void dg_decay({_REAL}k[], {_REAL}c[], plex_real rates[])",
    "source": f"void dg_source({_REAL}u[], {_REAL}x[], plex_real t, {_REAL}k[], {_REAL}c[], plex_real s[])",
    **{f: f"plex_real dg_{f}({_REAL}u[], {_REAL}k[], {_REAL}c[])" for f in ("speed", "energy", "rate")},
}


class _Field(ufl.Coefficient):
    """A field of a system: a coefficient whose text is its name."""

    def __init__(self, space, name, first):
        super().__init__(space)
        self.name, self.first = name, first

    def __str__(self):
        return self.name


class _Number(ufl.Constant):
    """A constant of a system ("c"), or a coefficient of its elements ("k"): its text is its name."""

    def __init__(self, mesh, name, shape, array, first):
        super().__init__(mesh, shape)
        self.name, self.array, self.first = name, array, first

    def __str__(self):
        return self.name


class _Reader(Lowering):
    """Reads the expressions of one function of the header, `kind` of `_GIVEN`; `what` names it."""

    def __init__(self, equations, kind, what):
        super().__init__(Graph(), [], [], equations.dim)
        self.equations, self.what, self.given, self.side, self.used = equations, what, _GIVEN[kind], None, set()

    def scalar(self, e):
        """The node of a scalar expression."""
        self._memos = {}
        return self._scalar(self.read(prepare(e)), e)

    def _fail(self, t, why):
        raise Unsupported(f"{short(t)} in the {self.what}: {why}")

    def _read(self, e, component):
        if not isinstance(e, uc.Restricted):
            return super()._read(e, component)
        if "sides" not in self.given:
            self._fail(e, "a numerical flux alone has the two sides of a face")
        before = self.side, self._memo
        if self.side not in (None, e.side()):
            self._fail(e, f"this is within ('{self.side}') already")
        self.side, self._memo = e.side(), self._memos.setdefault(e.side(), {})
        out = self._value(e.ufl_operands[0], component)
        self.side, self._memo = before
        return out

    def leaf(self, t, index):
        if isinstance(t, uc.Grad):
            self._fail(t, "a derivative; a system is of first order, u_t + div F(u) = s")
        k = self._component(t, index)
        if isinstance(t, _Field):
            return self._entry(t, "u", t.first + k)
        if isinstance(t, _Number):
            return self._entry(t, t.array, t.first + k)
        if isinstance(t, uc.SpatialCoordinate):
            return self._entry(t, "x", k)
        if isinstance(t, uc.FacetNormal):
            found = self._entry(t, "n", k)[NONE]
            return {NONE: self.graph.mul(self.graph.num(-1.0), found) if self.side == "+" else found}
        if isinstance(t, _Time):
            return self._entry(t, "t", None)
        if isinstance(t, (uc.Argument, uc.Coefficient, uc.Constant)):
            self._fail(t, "it is no field, coefficient or constant of these equations: see plexgpu.ufl.dg.Equations")
        self._fail(t, f"PlexDG gives no pointwise function a {type(t).__name__}")

    def _entry(self, t, array, k):
        """The leaf of an entry of an argument, of u and k that of the side."""
        if ufl.domain.extract_unique_domain(t) != self.equations.mesh:
            self._fail(t, "it belongs to other equations")
        if array in ("u", "k") and "sides" in self.given:
            if self.side is None:
                self._fail(t, f"on which side? {t}('-') is that of this element, {t}('+') that of the one across")
            name = array + ("M" if self.side == "-" else "P")
        elif array not in self.given:
            given = ", ".join(_WORDS[a] for a in self.given)
            self._fail(t, f"{_WORDS[array]} cannot be there, of PlexDG it is given {given}")
        else:
            name = self.given[array]
        self.used.add(array)
        return {NONE: self.graph.leaf(name if k is None else f"{name}[{k}]")}

    def c(self, assignments, indent="  "):
        """Lines of C of [(target, node)]."""
        return "".join(f"{indent}{line}\n" for line in self.graph.c(assignments, "plex_real"))


def _side(e, side):
    """An expression on a side; a number is the same on both."""
    return e if isinstance(e, uc.ConstantValue) else e(side)


def lax_friedrichs(speed=None):
    """The flux of Lax and Friedrichs, n.(F(u-) + F(u+))/2 + c (u- - u+)/2, c the larger of both sides' speeds.

    F(u+) has the coefficients of the other side: right of a divergence, div(kappa v), not of kappa div v where kappa
    jumps.

    Parameters
    ----------
    speed
        c as an expression of one side's fields and coefficients, of constants and the normal, without restriction.
        Default: the system's largest speed.

    For `numerical_flux` of `Equations.system`.
    """

    def make(equations, flux, largest):
        c = largest if speed is None else ufl.as_ufl(speed)
        c = ufl.max_value(_side(c, "-"), _side(c, "+"))
        return {f: _normal(_mean(F), equations) + c / 2 * (f("-") - f("+")) for f, F in flux.items()}

    return make


def upwind(velocity):
    """The upwind flux: n.F of this side where a velocity along the normal is not negative, else of the side across.

    Each side has its coefficients, as in `lax_friedrichs`.

    Parameters
    ----------
    velocity
        n.a, an expression of the normal, of constants, and of fields and coefficients with a side, as in
        ufl.dot(ufl.avg(a), eq.n).

    For `numerical_flux` of `Equations.system`.
    """

    def make(equations, flux, largest):
        out = ufl.ge(velocity, 0)
        normal = lambda F, side: _normal(_side(F, side), equations)
        return {f: _choose(out, normal(F, "-"), normal(F, "+")) for f, F in flux.items()}

    return make


def central(equations, flux, largest):
    """The mean n.(F(u-) + F(u+))/2, which conserves energy: for `numerical_flux` of `Equations.system`.

    Each side has its coefficients, as in `lax_friedrichs`.
    """
    return {f: _normal(_mean(F), equations) for f, F in flux.items()}


def _mean(F):
    return (_side(F, "-") + _side(F, "+")) / 2


def _normal(F, equations):
    return ufl.dot(F, equations.n)


def _choose(condition, a, b):
    """A conditional of each component: UFL's own is of scalars."""
    if not a.ufl_shape:
        return ufl.conditional(condition, a, b)
    return ufl.as_tensor(_nested(a.ufl_shape, lambda at: ufl.conditional(condition, a[at], b[at])))


def _nested(shape, entry, at=()):
    if not shape:
        return entry(at)
    return [_nested(shape[1:], entry, (*at, i)) for i in range(shape[0])]


class Equations:
    """What the expressions of a system are made of: fields, coefficients, constants.

    Parameters
    ----------
    dim
        2 or 3; or the `DM`.

    Attributes: `n`, the outward normal; `x`, the position; `t`, the time; `fields`, a list; `dim`.
    """

    def __init__(self, dim):
        self.dim = dim if isinstance(dim, int) else dim.getDimension()
        if self.dim not in (2, 3):
            raise ValueError(f"{self.dim} dimensions: PlexDG has 2 and 3")
        self._cell = ufl.Cell("triangle" if self.dim == 2 else "tetrahedron")
        self.mesh = ufl.Mesh(Element(self._cell, 1, (self.dim,), "x", 0))
        self.n, self.x, self.t = ufl.FacetNormal(self.mesh), ufl.SpatialCoordinate(self.mesh), _Time(self.mesh)
        self.fields, self._constants, self._coefficients = [], {}, {}

    def _new(self, name, what):
        taken = [f.name for f in self.fields] + [*self._constants, *self._coefficients]
        if check_name(name, what) in taken:
            raise ValueError(f"{what} {name!r}: the name is taken")

    def field(self, name, shape=()):
        """A field, a `ufl.Coefficient` for expressions.

        Parameters
        ----------
        name
            Its name. Components of a vector are <name>x, <name>y, <name>z, of a tensor <name>xx, <name>xy, ..., or
            numbered where there are more than three in a direction.
        shape
            Of a value: () or (n,) or (n, m); a number n stands for (n,).
        """
        self._new(name, "a field")
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        first = sum(int(np.prod(f.ufl_shape, dtype=int)) for f in self.fields)
        element = Element(self._cell, 1, shape, "dg", len(self.fields))
        self.fields.append(_Field(ufl.FunctionSpace(self.mesh, element), name, first))
        return self.fields[-1]

    def constant(self, name, value):
        """A constant of the system by name; value: its default, a number or a vector [n] of up to four.

        `DG.setConstant` and options change it.
        """
        self._new(name, "a constant")
        value = np.asarray(value, dtype=float)
        if value.ndim > 1 or not 1 <= value.size <= MOST_NUMBERS:
            raise ValueError(f"constant {name!r} of shape {value.shape}: a number or a vector of up to {MOST_NUMBERS}")
        first = sum(v.size for v, _ in self._constants.values())
        made = _Number(self.mesh, name, value.shape, "c", first)
        self._constants[name] = (value, made)
        return made

    def coefficient(self, name, value):
        """A number of each element by name, constant in it; value: its default, `DG.setCoefficients` gives others."""
        self._new(name, "a coefficient")
        made = _Number(self.mesh, name, (), "k", len(self._coefficients))
        self._coefficients[name] = (float(value), made)
        return made

    def names(self):
        """The names of all fields' components, in the order of a state."""
        out = []
        for f in self.fields:
            axes = [_AXES[:n] if n <= 3 else list(map(str, range(n))) for n in f.ufl_shape]
            out += [f.name + "".join(a[i] for a, i in zip(axes, at)) for at in np.ndindex(*f.ufl_shape)]
        return out

    # --- expressions, checked

    def _of_fields(self, given, what, shape, others):
        """A dict of all fields; of one field its expression alone will do. others(field): where there is none."""
        if not isinstance(given, dict):
            if len(self.fields) != 1:
                raise ValueError(f"the {what} is no dict, and there are {len(self.fields)} fields: give one of each")
            given = {self.fields[0]: given}
        out = {}
        for f in self.fields:
            if f not in given and others is None:
                raise ValueError(f"the {what} of field {f} is missing")
            out[f] = self._expression(given[f], f"{what} of {f}", shape(f)) if f in given else others(f)
        for f in given:
            if f not in out:
                raise ValueError(f"the {what} has {short(f)}, which is no field of these equations")
        return out

    @staticmethod
    def _expression(e, what, shape):
        if isinstance(e, (list, tuple)):
            e = ufl.as_tensor(e)
        e = ufl.as_ufl(e)
        if e.ufl_free_indices:
            raise ValueError(f"the {what} has free indices: {short(e)}")
        if isinstance(e, uc.Zero):
            return ufl.zero(shape)
        if e.ufl_shape != shape:
            raise ValueError(f"the {what} has shape {e.ufl_shape}, where {shape} is needed: {short(e)}")
        return e

    def system(
        self,
        name,
        flux,
        *,
        speed,
        numerical_flux=None,
        source=None,
        boundaries=None,
        energy=None,
        rate=None,
        decay=None,
        bounds=None,
        comm=None,
    ):
        """Compiles a system u_t + div F(u) = s, for `DG`.

        Parameters
        ----------
        name
            For `DG`, options and messages. A system of this name is replaced.
        flux
            F, a dict of all fields: an expression of shape (*shape of the field, dim), of fields, coefficients and
            constants. Of a single field the expression alone will do.
        speed
            The largest speed of a wave, a scalar expression of fields, coefficients and constants: for time steps, and
            the default numerical flux.
        numerical_flux
            n.F*: `lax_friedrichs`() (the default), `upwind`(velocity), `central`; or a dict of all fields, each an
            expression of the field's shape, of p("-") in this element, p("+") across the face, coefficients with a side
            likewise, constants and `n`, the outward normal of this element. It has to be consistent and, to conserve,
            change its sign with both sides and n exchanged.
        source
            s, a dict of some fields, of `x` and `t` too.
        boundaries
            A dict {name: state}, the state across a boundary facet: a dict of fields, expressions of the fields inside,
            coefficients, constants, `n`, `x` and `t`. A field that is missing goes on as it is inside.
        energy
            Its density, for `DG.computeEnergy`; default: half of the sum of all fields' squares.
        rate
            The largest rate at which sources damp, 1/time: shortens the time step; default: none.
        decay
            Rates r >= 0 of some fields u, 1/time, that add -r u to the right-hand side: a dict of expressions of
            coefficients and constants, scalars, or of the field's shape for components with rates of their own. `TS` of
            type "lowstorage", which `DG.setTS` takes, integrates them exactly, so that they do not shorten the step: leave
            them out of `source` and `rate`.
        bounds
            Of constants and coefficients, as in `plexgpu.System`.
        comm
            The processes that use it; default: this one alone. Collective.

        Returns
        -------
        plexgpu.System
            Its `path` is the header that was made.

        `Unsupported` names what cannot be said: derivatives, the position in a flux, a field without side in a
        numerical flux. A ValueError names an expression of another shape. `CompileError` has the compiler's text.
        """
        text = self._header(flux, speed, numerical_flux, source, boundaries or {}, energy, rate, decay)
        return System(
            name,
            text,
            self.names(),
            boundaries=list(boundaries or {}),
            constants={k: v for k, (v, _) in self._constants.items()},
            coefficients={k: v for k, (v, _) in self._coefficients.items()},
            bounds=bounds,
            dim=self.dim,
            comm=comm,
        )

    # --- the header

    def _header(self, flux, speed, numerical_flux, source, boundaries, energy, rate, decay):
        if not self.fields:
            raise ValueError("equations without a field: see Equations.field")
        flux = self._of_fields(flux, "flux", lambda f: (*f.ufl_shape, self.dim), None)
        speed = self._expression(speed, "speed", ())
        if numerical_flux is None:
            numerical_flux = lax_friedrichs()
        if callable(numerical_flux):
            numerical_flux = numerical_flux(self, flux, speed)
        star = self._of_fields(numerical_flux, "numerical flux", lambda f: f.ufl_shape, None)
        if energy is None:
            energy = sum(ufl.inner(f, f) for f in self.fields) / 2
        scalars = [
            self._scalar(kind, self._expression(e, kind, ()))
            for kind, e in (("speed", speed), ("energy", energy), ("rate", rate))
            if e is not None
        ]
        functions = [self._flux(flux)]
        face = {f: _normal(_side(F, "-"), self) - star[f] for f, F in flux.items()}
        functions.append(self._of_components("numerical flux", "f", face))
        functions.append(self._boundary(boundaries))
        if source is not None:
            s = self._of_fields(source, "source", lambda f: f.ufl_shape, lambda f: ufl.zero(f.ufl_shape))
            functions.append(self._of_components("source", "s", s))
        if decay is not None:
            functions.append(self._decay(decay))
        functions += scalars
        defines = {
            f"PLEX_DG_NF {len(self.names())}": True,
            f"PLEX_DG_NK {len(self._coefficients)}": True,
            f"PLEX_DG_NC {sum(v.size for v, _ in self._constants.values())}": True,
            "PLEX_DG_FLUX_FORM": True,
            "PLEX_DG_SOURCE": source is not None,
            "PLEX_DG_RATE": rate is not None,
            "PLEX_DG_DECAY": decay is not None,
            "PLEX_DG_POSITIONS": any("x" in used for _, used in functions),
        }
        head = "".join(f"#define {name}\n" for name, there in defines.items() if there)
        return head + "".join(f"\n{text}" for text, _ in functions)

    @staticmethod
    def _function(kind, body):
        words = f"PLEX_DG_FUNCTION {_SIGNATURES[kind]}".replace(_REAL, _REAL.replace(" ", "\xa0"))  # not broken there
        head = textwrap.fill(words, 120, subsequent_indent=" " * 4).replace("\xa0", " ")
        return f"{head}\n{{\n{body}}}\n"

    def _components(self, reader, target, expressions):
        """[(target[k], node)] of the components of all fields."""
        each = [e[at] if at else e for f, e in expressions.items() for at in np.ndindex(*f.ufl_shape)]
        return [(f"{target}[{k}]", reader.scalar(e)) for k, e in enumerate(each)]

    def _of_components(self, kind, target, expressions):
        """Text of a function that sets a number for each component, and what it has used."""
        reader = _Reader(self, kind, kind)
        return self._function(kind, reader.c(self._components(reader, target, expressions))), reader.used

    def _flux(self, flux):
        reader, assignments = _Reader(self, "flux", "flux"), []
        for d in range(self.dim):
            along = {f: _nested(f.ufl_shape, lambda at: F[(*at, d)]) for f, F in flux.items()}
            along = {f: ufl.as_tensor(e) if isinstance(e, list) else e for f, e in along.items()}
            assignments += self._components(reader, f"F[{d}]", along)
        return self._function("flux", reader.c(assignments)), reader.used

    def _boundary(self, boundaries):
        """A block for each boundary condition."""
        body, used = "", set()
        for i, (name, state) in enumerate(boundaries.items()):
            what = f"state of boundary condition {check_name(name, 'a boundary condition')}"
            state = self._of_fields(state, what, lambda f: f.ufl_shape, lambda f: f)
            reader = _Reader(self, "boundary", what)
            lines = reader.c(self._components(reader, "uP", state), "    ")
            body += f"  {'else ' if i else ''}if (kind == {i}) {{ /* {name} */\n{lines}  }}\n"
            used |= reader.used
        return self._function("boundary", body), used

    def _decay(self, decay):
        """Rates of components; PlexDG has set 0 for the others. A scalar is the rate of all components of a field."""
        if isinstance(decay, dict):
            decay = {f: self._rates(f, r) for f, r in decay.items()}
        elif len(self.fields) == 1:
            decay = self._rates(self.fields[0], decay)
        return self._of_components(
            "decay", "rates", self._of_fields(decay, "decay", lambda f: f.ufl_shape, lambda f: ufl.zero(f.ufl_shape))
        )

    @staticmethod
    def _rates(f, r):
        if not isinstance(f, _Field) or isinstance(r, (list, tuple)):
            return r
        r = ufl.as_ufl(r)
        return r if r.ufl_shape or not f.ufl_shape else ufl.as_tensor(_nested(f.ufl_shape, lambda at: r))

    def _scalar(self, kind, e):
        reader = _Reader(self, kind, kind)
        body = reader.c([("const plex_real value", reader.scalar(e))]) + "  return value;\n"
        return self._function(kind, body), reader.used
