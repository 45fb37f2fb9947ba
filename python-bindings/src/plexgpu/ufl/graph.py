"""Scalar expressions as a graph in which equal ones are one node: numbers, sums, products, functions; and C from it.

A node is the index of a tuple (operation, operand, ...) in `nodes`. Operations: "num" value; "leaf" C text; "+", "*",
"/", "pow" of two nodes; "call" C name, nodes; "?" condition, then, else; "cmp" C operator, two nodes; "!" node.
"""

import math

_LEVEL = {"num": 4, "leaf": 4, "call": 4, "pow": 4, "*": 2, "/": 2, "+": 1, "cmp": 0, "!": 3, "?": 0}


class Graph:
    """Makes nodes; folds numbers, 0 and 1, and terms that cancel."""

    def __init__(self):
        self.nodes, self._index = [], {}
        self.zero, self.one = self.num(0.0), self.num(1.0)
        self._canonical = {}

    def _node(self, *node):
        found = self._index.get(node)
        if found is None:
            found = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def num(self, value):
        return self._node("num", float(value))

    def leaf(self, text):
        return self._node("leaf", text)

    def value(self, k):
        """The number that a node is, or None."""
        node = self.nodes[k]
        return node[1] if node[0] == "num" else None

    def _factor(self, k):
        """A node as number times node."""
        node = self.nodes[k]
        if node[0] == "num":
            return node[1], self.one
        if node[0] == "*" and self.nodes[node[1]][0] == "num":
            return self.nodes[node[1]][1], node[2]
        return 1.0, k

    def add(self, a, b):
        (ca, na), (cb, nb) = self._factor(a), self._factor(b)
        if na == nb:
            return self.mul(self.num(ca + cb), na)
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        return self._node("+", *sorted((a, b)))

    def mul(self, a, b):
        (ca, na), (cb, nb) = self._factor(a), self._factor(b)
        c = ca * cb
        if c == 0.0:
            return self.zero
        rest = nb if na == self.one else na if nb == self.one else self._node("*", *sorted((na, nb)))
        if rest == self.one:
            return self.num(c)
        return rest if c == 1.0 else self._node("*", self.num(c), rest)

    def div(self, a, b):
        va, vb = self.value(a), self.value(b)
        if va == 0.0:
            return self.zero
        if vb == 1.0:
            return a
        if va is not None and vb is not None and vb:
            return self.num(va / vb)
        return self._node("/", a, b)

    def power(self, a, b):
        e = self.value(b)
        if e is not None:
            if e == int(e) and abs(e) <= 16:
                out, base, n = self.one, a, abs(int(e))
                while n:
                    if n & 1:
                        out = self.mul(out, base)
                    base, n = self.mul(base, base), n >> 1
                return out if e >= 0 else self.div(self.one, out)
            if e == 0.5:
                return self.call("sqrt", a)
            if e == -0.5:
                return self.div(self.one, self.call("sqrt", a))
        return self._node("pow", a, b)

    def call(self, name, *args):
        v = self.value(args[0])
        if len(args) == 1 and v is not None and hasattr(math, name) and (name not in ("sqrt", "log") or v > 0):
            return self.num(getattr(math, name)(v))
        return self._node("call", name, *args)

    def compare(self, operator, a, b):
        return self._node("cmp", operator, a, b)

    def negate(self, a):
        return self._node("!", a)

    def choose(self, condition, a, b):
        return a if a == b else self._node("?", condition, a, b)

    # --- what is known

    def leaves(self, roots):
        """The C texts of all leaves that nodes reach."""
        seen, stack, out = set(), list(roots), set()
        while stack:
            k = stack.pop()
            if k in seen:
                continue
            seen.add(k)
            node = self.nodes[k]
            if node[0] == "leaf":
                out.add(node[1])
            stack += self.operands(node)
        return out

    @staticmethod
    def operands(node):
        if node[0] in ("num", "leaf"):
            return ()
        return node[2:] if node[0] in ("call", "cmp") else node[1:]

    def canonical(self, k):
        """The same for expressions that differ in the order of sums and products alone: a number times sorted factors,
        a sum of sorted terms."""
        found = self._canonical.get(k)
        if found is not None:
            return found
        node = self.nodes[k]
        if node[0] == "+":
            terms = {}
            for o in node[1:]:
                for term, c in self._terms(o).items():
                    terms[term] = terms.get(term, 0.0) + c
            terms = {t: c for t, c in terms.items() if c}
            out = ("+", tuple(sorted(((t, c) for t, c in terms.items()), key=repr)))
        elif node[0] in ("*", "/"):
            c, factors = self._factors(k)
            out = ("*", c, tuple(sorted(factors.items(), key=repr)))
        elif node[0] in ("num", "leaf"):
            out = node
        else:
            n = 2 if node[0] in ("call", "cmp") else 1
            out = (*node[:n], *[self.canonical(o) for o in node[n:]])
        self._canonical[k] = out
        return out

    def _terms(self, k):
        c = self.canonical(k)
        if c[0] == "+":
            return dict(c[1])
        if c[0] == "*":
            return {("*", 1.0, c[2]): c[1]}
        return {("*", 1.0, ((c, 1),)): 1.0} if c[0] != "num" else {("*", 1.0, ()): c[1]}

    def _factors(self, k):
        """A product as number and powers of canonical factors."""
        node = self.nodes[k]
        if node[0] == "num":
            return node[1], {}
        if node[0] not in ("*", "/"):
            return 1.0, {self.canonical(k): 1}
        c, factors = 1.0, {}
        for o, sign in ((node[1], 1), (node[2], 1 if node[0] == "*" else -1)):
            co, fo = self._factors(o)
            c *= co**sign if co or sign > 0 else 1.0
            for f, e in fo.items():
                factors[f] = factors.get(f, 0) + sign * e
        return c, {f: e for f, e in factors.items() if e}

    def degree(self, k, of_leaf, memo):
        """An estimate of the polynomial degree in the position; `of_leaf` gives that of a leaf's text."""
        if k in memo:
            return memo[k]
        node = self.nodes[k]
        each = [self.degree(o, of_leaf, memo) for o in self.operands(node)]
        if node[0] == "num":
            out = 0
        elif node[0] == "leaf":
            out = of_leaf(node[1])
        elif node[0] in ("+", "cmp", "!", "?"):
            out = max(each)
        elif node[0] == "*" or node[0] == "/":
            out = sum(each)
        else:
            out = max(each) + 2 if max(each) else 0
        memo[k] = out
        return out

    # --- C

    def c(self, assignments, real="PetscScalar"):
        """Lines of C that set targets, [(target text, node)], what is used twice or more as variables w0, w1, ...

        real: their type; where it is another one than PetscScalar, numbers are cast to it.
        """
        number = repr if real == "PetscScalar" else lambda value: f"({real}){value!r}"
        count = {}

        def use(k):
            count[k] = count.get(k, 0) + 1
            if count[k] == 1:
                for o in self.operands(self.nodes[k]):
                    use(o)

        for _, k in assignments:
            use(k)
        lines, names = [], {}

        def write(k):
            """Text and level of a node."""
            if k in names:
                return names[k], 4
            node = self.nodes[k]
            text, level = form(node), _LEVEL[node[0]]
            if node[0] == "num" and node[1] < 0:
                level = 2
            shared = count[k] > 1 and node[0] not in ("num", "leaf", "cmp", "!")
            if shared or len(text) > 160 and level < 4 and node[0] in ("+", "*", "/", "?"):
                names[k] = f"w{len(names)}"
                lines.append(f"const {real} {names[k]} = {text};")
                return names[k], 4
            return text, level

        def at(k, level):
            text, have = write(k)
            return text if have >= level else f"({text})"

        def form(node):
            op = node[0]
            if op == "num":
                return number(node[1]) if math.isfinite(node[1]) else "PETSC_INFINITY"
            if op == "leaf":
                return node[1]
            if op == "+":
                a, b = node[1:]
                if negative(a) and not negative(b):
                    a, b = b, a
                if negative(b):
                    return f"{at(a, 1)} - {at(self.nodes[b][2], 2)}"
                return f"{at(a, 1)} + {at(b, 2)}"
            if op == "*":
                if self.value(node[1]) == -1.0:
                    return f"-{at(node[2], 3)}"
                return f"{at(node[1], 2)} * {at(node[2], 3)}"
            if op == "/":
                return f"{at(node[1], 2)} / {at(node[2], 3)}"
            if op == "pow":
                return f"pow({at(node[1], 0)}, {at(node[2], 0)})"
            if op == "call":
                return f"{node[1]}({', '.join(at(o, 0) for o in node[2:])})"
            if op == "cmp":
                return f"{at(node[2], 1)} {node[1]} {at(node[3], 1)}"
            if op == "!":
                return f"!({at(node[1], 0)})"
            return f"({at(node[1], 0)}) ? {at(node[2], 1)} : {at(node[3], 1)}"

        def negative(k):
            """Whether a term is -1 times something, and no variable of its own."""
            node = self.nodes[k]
            return count[k] == 1 and node[0] == "*" and self.value(node[1]) == -1.0

        body = [f"{target} = {at(k, 0)};" for target, k in assignments]
        return lines + body
