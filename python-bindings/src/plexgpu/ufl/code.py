"""The C functions of forms, what is certain of them, and their place on disk."""

import hashlib
import json
import re
import textwrap
from pathlib import Path

import ufl

from ..compile import _write, folder
from ..pointwise import PARAMETERS
from .errors import Unsupported, short
from .graph import Graph
from .lower import Lowering, check, prepare, signature
from .spaces import _Constant, shift

# Forms that were read by another version of these files are read again
_VERSION = hashlib.sha256(
    b"".join(
        Path(__file__).with_name(name).read_bytes() for name in ("code.py", "graph.py", "lower.py", "spaces.py")
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


class Code:
    """The C functions of forms: `text`, `functions` {name: (kind, test, trial, where)}, `facts`."""

    def __init__(self, F, J, P, unknowns, rates, energy):
        dim = unknowns[0].ufl_function_space().ufl_domain().geometric_dimension
        self.role, self.unknowns, self.dim, self.energy = _role(unknowns, rates), unknowns, dim, energy
        texts = [signature(form, self.role) if form is not None else "" for form in (F, J, P)]
        each = [f"{u.ufl_element()}" for u in unknowns]
        whole = "\0".join([_VERSION, ufl.__version__, str(energy), *each, *texts])
        self.key = hashlib.sha256(whole.encode()).hexdigest()[:24]
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


def _scaled(form, factor):
    """A form with each integrand times a factor."""
    return ufl.Form([integral.reconstruct(factor * integral.integrand()) for integral in form.integrals()])
