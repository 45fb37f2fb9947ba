"""Pages of the Python package, from its docstrings and the stubs' types, without importing it.

`make python-pages` makes the same of the module as it is; these need neither petsc4py nor a compiler.
"""

import ast
import re
import sys
import textwrap

from repository import TOP

PACKAGE = TOP / "python-bindings" / "src" / "plexgpu"
sys.path.insert(0, str(TOP / "python-bindings"))
from docstrings import markdown  # noqa: E402

MODULES = [("plexgpu", "The library's classes on petsc4py"), ("plexgpu.ufl", "Weak forms in UFL"), ("plexgpu.ufl.dg", "Systems of DG in UFL")]


def cython_docstrings():
    """{name or class.name: docstring} of _plexgpu.pyx and its parts"""
    found = {}
    for path in [PACKAGE / "_plexgpu.pyx", *sorted(PACKAGE.glob("*.pxi"))]:
        scope = ""
        text = path.read_text()
        for m in re.finditer(r"^( *)(?:cdef |cpdef )?(class|def) (\w+)((?:.|\n)*?):\n\s*(?:r?\"\"\"((?:.|\n)*?)\"\"\")?", text, re.M):
            indent, kind, name, _, doc = m.groups()
            if kind == "class":
                scope = name
                key = name
            else:
                key = f"{scope}.{name}" if indent and scope else name
                if not indent:
                    scope = ""
            if doc:
                found.setdefault(key, doc)
        for name, doc in re.findall(r'^(\w+)\.__doc__ = """((?:.|\n)*?)"""', text, re.M):  # of named tuples
            found.setdefault(name, doc)
    return found


def signature(node):
    args = ast.unparse(node.args)
    args = re.sub(r"^self(, )?", "", args)
    back = f" -> {ast.unparse(node.returns)}" if node.returns and ast.unparse(node.returns) != "None" else ""
    text = f"{node.name}({args}){back}"
    return text if len(text) < 100 else f"{node.name}(\n" + textwrap.fill(args, 96, initial_indent="    ", subsequent_indent="    ", break_long_words=False) + f"\n){back}"


def is_property(node):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)


def is_setter(node):
    return any(isinstance(d, ast.Attribute) for d in node.decorator_list)


def public(nodes, kinds):
    return [n for n in nodes if isinstance(n, kinds) and (not n.name.startswith("_") or n.name == "__init__")]


def entry(level, node, doc, qualified):
    """A heading, the signature and the text of a function, property or method"""
    if is_property(node):
        head = f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name
    else:
        head = signature(node)
    text = markdown(doc) if doc else ""
    return [f"{'#' * level} {qualified}", "", "```python", head, "```", "", text, ""]


def module(name, tree, wanted, docs):
    """The parts of a module: classes with members, then functions"""
    out = []
    for c in public(tree.body, ast.ClassDef):
        if c.name not in wanted:
            continue
        out += [f"## {c.name}", "", markdown(ast.get_docstring(c) or docs.get(c.name, "")), ""]
        for f in public(c.body, ast.FunctionDef):
            if is_setter(f):
                continue
            doc = ast.get_docstring(f) or docs.get(f"{c.name}.{f.name}", "") or (docs.get(f"{c.name}.__cinit__", "") if f.name == "__init__" else "")
            if doc or f.name != "__init__":
                out += entry(3, f, doc, f"{c.name}.{f.name}")
    for f in public(tree.body, ast.FunctionDef):
        if f.name in wanted:
            out += entry(2, f, ast.get_docstring(f) or docs.get(f.name, ""), f.name)
    return out


def imported(tree):
    """{name: module} of `from .module import name`"""
    return {a.asname or a.name: n.module for n in tree.body if isinstance(n, ast.ImportFrom) and n.level == 1 for a in n.names}


def make():
    """{place: text}"""
    docs = cython_docstrings()
    pages = {}
    for name, short in MODULES:
        path = PACKAGE.joinpath(*name.split(".")[1:])
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(source.read_text())
        out = [f"# {name}", "", markdown(ast.get_docstring(tree)), ""]
        if path.is_dir():
            names = imported(tree)
            for part in sorted({m for m in names.values() if m}):
                file = path / f"{part}.py"
                if part == "_plexgpu":
                    out += module(name, ast.parse((PACKAGE / "_plexgpu.pyi").read_text()), names, docs)
                elif file.exists():
                    out += module(name, ast.parse(file.read_text()), {n for n, m in names.items() if m == part}, {})
        else:
            wanted = {n.name for n in public(tree.body, (ast.ClassDef, ast.FunctionDef))}
            out += module(name, tree, wanted, {})
        pages[f"python/{name}.md"] = "\n".join(out)
    index = ["# Python reference", "", "From the docstrings: `help(plexgpu.Assembly)` prints them. [python.md](../python.md) is the guide.", ""]
    index += [f"- [{name}]({name}.md): {short}" for name, short in MODULES]
    index += ["", "```{toctree}", ":hidden:", "", *[name for name, _ in MODULES], "```", ""]
    pages["python/index.md"] = "\n".join(index)
    return pages
