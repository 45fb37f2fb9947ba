"""A UFL form as functions of a PetscDS: f0, f1 of a residual, g0 to g3 of a Jacobian, over cells and over facets.

A residual is linear in the test function and its gradient: f0[c] is the integrand's factor of v_c, f1[c, d] that of
dv_c/dx_d. A Jacobian is linear in the trial function du besides: g0[c, g], g1[c, g, e], g2[c, g, d], g3[c, g, d, e] are
the factors of v_c or dv_c/dx_d, and du_g or ddu_g/dx_e. Both are read in one pass: a component of an expression, with
values for its free indices, is a dict {(factor of v, factor of du): node of a Graph}, in which (None, None) is what has
neither. UFL's own expand_indices() is not used: it takes minutes for a second derivative, as it computes what is shared
again and again, and its results are wrong where there is a ufl.variable().
"""

import sys

import numpy as np
from ufl import classes as uc
from ufl.algorithms.apply_algebra_lowering import apply_algebra_lowering
from ufl.algorithms.apply_derivatives import apply_derivatives
from ufl.algorithms.remove_complex_nodes import remove_complex_nodes
from ufl.corealg.traversal import unique_post_traversal

from .errors import Unsupported, short
from .spaces import Element, _Constant, _Shift, _Time

NONE = (None, None)
_CALLS = {
    "sqrt": "sqrt",
    "exp": "exp",
    "ln": "log",
    "cos": "cos",
    "sin": "sin",
    "tan": "tan",
    "cosh": "cosh",
    "sinh": "sinh",
    "tanh": "tanh",
    "acos": "acos",
    "asin": "asin",
    "atan": "atan",
    "erf": "erf",
}
_KINDS = {"cell": "", "exterior_facet": "bd_"}
_REASONS = {"interior_facet": "integrals over interior facets (dS)", "vertex": "integrals over vertices (dP)"}


def prepare(form):
    """A form or an expression with its derivatives taken; indices and variables are left to `Lowering.read`."""
    return remove_complex_nodes(apply_derivatives(remove_complex_nodes(apply_algebra_lowering(form))))


def check(form):
    """Raises `Unsupported` for what no PetscDS can have, naming the term."""
    for integral in form.integrals():
        kind = integral.integral_type()
        if kind not in _KINDS:
            raise Unsupported(f"{_REASONS.get(kind, f'integrals of type {kind}')}: {short(integral.integrand())}")
        if kind == "cell" and integral.subdomain_id() not in ("everywhere", "otherwise"):
            raise Unsupported(
                f"integrals over numbered cells, dx({integral.subdomain_id()}): PETSc's assembly takes functions "
                "of all cells of a DM; multiply by an auxiliary field that is 1 there and 0 elsewhere: "
                f"{short(integral.integrand())}"
            )
        for name in integral.metadata():
            if name in ("quadrature_degree", "quadrature_rule", "scheme", "degree"):
                raise Unsupported(
                    f"{name} of a measure: the quadrature is that of the DM's elements, set it with their "
                    f"qorder; in {short(integral.integrand())}"
                )
        for e in unique_post_traversal(integral.integrand()):
            if isinstance(e, (uc.Argument, uc.Coefficient)) and not isinstance(e.ufl_element(), Element):
                raise Unsupported(
                    f"{e} has the element {e.ufl_element()}, which is in "
                    f"{getattr(e.ufl_element(), 'sobolev_space', '?')}: a PetscDS here has Lagrange fields "
                    "alone, take spaces of plexgpu.ufl.space()"
                )
            if isinstance(e, uc.Restricted):
                raise Unsupported(f"a restriction to a side of a facet: {short(e)}")
    return form


class Lowering:
    """Reads forms into one `Graph`. `unknowns`: the coefficient of each field; `rates`: their time derivatives, or
    None."""

    def __init__(self, graph, unknowns, rates, dim):
        self.graph, self.unknowns, self.rates, self.dim = graph, unknowns, rates, dim

    # --- leaves

    def _component(self, t, index):
        return int(np.ravel_multi_index(index, t.ufl_shape)) if index else 0

    def _offset(self, name, field, k):
        """Entry k of a field in u, u_x, a or a_x, the first field's without its offset, which is 0."""
        if field == 0:
            return f"{name}[{k}]"
        array = {"u": "uOff", "u_t": "uOff", "u_x": "uOff_x", "a": "aOff", "a_x": "aOff_x"}[name]
        return f"{name}[{array}[{field}] + {k}]"

    def leaf(self, t, index):
        """A component of a terminal or of its gradient."""
        base, gradient = (t.ufl_operands[0], True) if isinstance(t, uc.Grad) else (t, False)
        if isinstance(base, uc.Grad):
            raise Unsupported(f"second derivatives: {short(t)}")
        if isinstance(base, uc.Restricted):
            raise Unsupported(f"a restriction to a side of a facet: {short(t)}")
        k = self._component(t, index)
        if isinstance(base, uc.Argument):
            key = (
                base.ufl_element().field,
                self._component(base, index[:-1] if gradient else index),
                index[-1] if gradient else None,
            )
            return {(key, None) if base.number() == 0 else (None, key): self.graph.one}
        if isinstance(base, uc.Coefficient):
            return {NONE: self.graph.leaf(self._coefficient(base, gradient, k))}
        if gradient:
            raise Unsupported(f"a gradient of {type(base).__name__}: {short(t)}")
        return {NONE: self.graph.leaf(self._known(t, k))}

    def _coefficient(self, base, gradient, k):
        element = base.ufl_element()
        if element.kind == "aux":
            return self._offset("a_x" if gradient else "a", element.field, k)
        if base in self.unknowns:
            return self._offset("u_x" if gradient else "u", self.unknowns.index(base), k)
        if base in self.rates:
            if gradient:
                raise Unsupported(f"the gradient of a time derivative: grad({base}); PETSc gives u_t alone")
            return self._offset("u_t", self.rates.index(base), k)
        raise Unsupported(
            f"{base}, on the space of field {element.field}, is none of the unknowns: a known function is "
            "an auxiliary field, plexgpu.ufl.auxiliary()"
        )

    def _known(self, t, k):
        if isinstance(t, uc.SpatialCoordinate):
            return f"x[{k}]"
        if isinstance(t, uc.FacetNormal):
            return f"n[{k}]"
        if isinstance(t, _Time):
            return "t"
        if isinstance(t, _Shift):
            return "u_tShift"
        if isinstance(t, _Constant):
            return f"constants[{t.offset + k}]"
        if isinstance(t, uc.Constant):
            raise Unsupported(f"{t}, a ufl.Constant without a value: take plexgpu.ufl.constant(dm, value)")
        raise Unsupported(f"{type(t).__name__}, of which a pointwise function is told nothing")

    # --- operations

    def _sum(self, a, b):
        out = dict(a)
        for key, k in b.items():
            out[key] = self.graph.add(out[key], k) if key in out else k
        return {key: k for key, k in out.items() if k != self.graph.zero}

    def _product(self, a, b, e):
        out = {}
        for (va, wa), ka in a.items():
            for (vb, wb), kb in b.items():
                if va and vb or wa and wb:
                    raise ValueError(f"not linear in the {'test' if va and vb else 'trial'} function: {short(e)}")
                key, k = (va or vb, wa or wb), self.graph.mul(ka, kb)
                out[key] = self.graph.add(out[key], k) if key in out else k
        return {key: k for key, k in out.items() if k != self.graph.zero}

    def _scalar(self, a, e):
        """The node of what has neither test nor trial function."""
        if set(a) - {NONE}:
            raise ValueError(f"not linear in the test or trial function: {short(e)}")
        return a.get(NONE, self.graph.zero)

    def read(self, integrand):
        """The dict of a scalar integrand."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 50000))
        try:
            self._memo, self._indices = {}, {}
            return self._value(integrand, ())
        finally:
            sys.setrecursionlimit(limit)

    def _value(self, e, component):
        """A component of an expression, with the values that its free indices have now."""
        key = (
            (id(e), component, *[self._indices[i] for i in e.ufl_free_indices])
            if not isinstance(e, uc.Condition)
            else None
        )
        found = self._memo.get(key) if key else None
        if found is None:
            found = self._read(e, component)
            if key:
                self._memo[key] = found
        return found

    def _fixed(self, multiindex):
        return tuple(int(i) if isinstance(i, uc.FixedIndex) else self._indices[i.count()] for i in multiindex)

    def _with(self, counts, numbers, e, component):
        """The value of an expression with these values of indices."""
        before = {i: self._indices.get(i) for i in counts}
        self._indices.update(zip(counts, numbers))
        out = self._value(e, component)
        self._indices.update(before)
        return out

    def _read(self, e, component):
        graph = self.graph
        if isinstance(e, uc.Zero):
            return {}
        if isinstance(e, uc.Indexed):
            return self._value(e.ufl_operands[0], self._fixed(e.ufl_operands[1]))
        if isinstance(e, uc.ComponentTensor):
            return self._with([i.count() for i in e.ufl_operands[1]], component, e.ufl_operands[0], ())
        if isinstance(e, uc.IndexSum):
            i, out = e.ufl_operands[1][0].count(), {}
            for k in range(e.dimension()):
                out = self._sum(out, self._with([i], [k], e.ufl_operands[0], component))
            return out
        if isinstance(e, uc.ListTensor):
            return self._value(e.ufl_operands[component[0]], component[1:])
        if isinstance(e, uc.Variable):
            return self._value(e.ufl_operands[0], component)
        if isinstance(e, uc.Identity):
            return {NONE: graph.one} if component[0] == component[1] else {}
        if isinstance(e, uc.PermutationSymbol):
            sign = np.linalg.det(np.eye(len(component))[list(component)])
            return {NONE: graph.num(round(sign))} if round(sign) else {}
        if isinstance(e, (uc.RealValue, uc.IntValue)):
            return {NONE: graph.num(e._value)} if e._value else {}
        if e._ufl_is_terminal_ or isinstance(e, uc.Grad):
            return self.leaf(e, component)
        if isinstance(e, uc.Sum):
            return self._sum(*[self._value(o, component) for o in e.ufl_operands])
        if isinstance(e, uc.Product):
            a = self._value(e.ufl_operands[0], ())
            return self._product(a, self._value(e.ufl_operands[1], ()), e) if a else {}
        if isinstance(e, uc.Division):
            above, below = self._value(e.ufl_operands[0], component), self._scalar(
                self._value(e.ufl_operands[1], ()), e
            )
            return {key: graph.div(k, below) for key, k in above.items()}
        if isinstance(e, uc.Conditional):
            condition, a, b = e.ufl_operands
            condition = self._scalar(self._value(condition, ()), e)
            a, b = self._value(a, component), self._value(b, component)
            return {key: graph.choose(condition, a.get(key, graph.zero), b.get(key, graph.zero)) for key in {**a, **b}}
        return {NONE: self._function(e, [self._scalar(self._value(o, ()), e) for o in e.ufl_operands])}

    def _function(self, e, o):
        graph = self.graph
        if isinstance(e, uc.Power):
            return graph.power(*o)
        if isinstance(e, uc.Abs):
            return graph.call("fabs", *o)
        if isinstance(e, uc.MinValue):
            return graph.call("fmin", *o)
        if isinstance(e, uc.MaxValue):
            return graph.call("fmax", *o)
        if isinstance(e, uc.Atan2):
            return graph.call("atan2", *o)
        if isinstance(e, uc.MathFunction) and e._name in _CALLS:
            return graph.call(_CALLS[e._name], *o)
        if isinstance(e, uc.NotCondition):
            return graph.negate(*o)
        if isinstance(e, uc.BinaryCondition):
            return graph.compare(e._name, *o)
        raise Unsupported(f"{type(e).__name__}: {short(e)}")

    # --- forms

    def functions(self, form, jacobian):
        """The functions of a prepared form: {(name, test field, trial field or None, where): {flat index: node}}."""
        out = {}
        for integral in form.integrals():
            entries = self.read(integral.integrand())
            if integral.integral_type() == "cell" and any(
                t.startswith("n[") for t in self.graph.leaves(entries.values())
            ):
                raise Unsupported(f"FacetNormal in an integral over cells: {short(integral.integrand())}")
            where = integral.subdomain_id()
            for w in where if isinstance(where, tuple) else (where,):
                w = "everywhere" if w in ("everywhere", "otherwise") else int(w)
                self._keep(out, _KINDS[integral.integral_type()], w, entries, jacobian, integral.integrand())
        zero = self.graph.zero
        out = {key: {k: node for k, node in entries.items() if node != zero} for key, entries in out.items()}
        return {key: entries for key, entries in out.items() if entries}

    def _keep(self, out, kind, where, entries, jacobian, integrand):
        dim = self.dim
        for (v, w), node in entries.items():
            if v is None or jacobian and w is None:
                raise ValueError(
                    f"a term without {'test' if v is None else 'trial'} function in the "
                    f"{'Jacobian' if jacobian else 'residual'}: {short(integrand)}"
                )
            (i, c, d), k = v, None
            if jacobian:
                k, g, e = w
                name = "g" + str(2 * (d is not None) + (e is not None))
                at = c * self._components(k) + g
                at = at * dim + d if d is not None else at
                at = at * dim + e if e is not None else at
            else:
                name, at = ("f0", c) if d is None else ("f1", c * dim + d)
            into = out.setdefault((kind + name, i, k, where), {})
            into[at] = self.graph.add(into[at], node) if at in into else node

    def _components(self, field):
        return int(np.prod(self.unknowns[field].ufl_shape, dtype=int))


def signature(form, role):
    """A text that is equal for equal forms: `role` tells of a coefficient or a constant what it is."""
    out = []
    for integral in form.integrals():
        number, indices, labels = {}, {}, {}
        lines = [f"{integral.integral_type()} {integral.subdomain_id()} {sorted(integral.metadata())}"]
        for e in unique_post_traversal(integral.integrand()):
            if isinstance(e, uc.MultiIndex):
                data = [
                    int(i) if isinstance(i, uc.FixedIndex) else f"i{indices.setdefault(i.count(), len(indices))}"
                    for i in e
                ]
            elif isinstance(e, uc.Label):
                data = labels.setdefault(e, len(labels))
            elif isinstance(e, (uc.Coefficient, uc.Constant)):
                data = role(e)
            elif isinstance(e, uc.Argument):
                data = f"argument {e.number()} {e.ufl_element()}"
            elif e._ufl_is_terminal_:
                data = getattr(e, "_value", "")
            else:
                data = [number[o] for o in e.ufl_operands]
            if not isinstance(e, (uc.MultiIndex, uc.Label, uc.ExprList, uc.ExprMapping, uc.Condition)):
                data = f"{data} {e.ufl_shape} {[indices.setdefault(i, len(indices)) for i in e.ufl_free_indices]}"
            number[e] = len(number)
            lines.append(f"{type(e).__name__} {data}")
        out.append("\n".join(lines))
    return "\n\n".join(out)
