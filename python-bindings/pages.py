"""pages.py FOLDER: the manual pages of plexgpu, plexgpu.ufl and plexgpu.ufl.dg as HTML, by pdoc from the docstrings.

Called by `make python-pages`. Signatures and types of what Cython compiles are those of _plexgpu.pyi.
"""

import __future__

import ast
import inspect
import re
import sys
import types
from pathlib import Path

import pdoc
import pdoc.doc
import pdoc.render
import plexgpu
from docstrings import markdown

MODULES = ["plexgpu", "plexgpu.ufl", "plexgpu.ufl.dg"]


def stubs():
    """The stub file as a module, its annotations as texts."""
    path = Path(plexgpu.__file__).with_name("_plexgpu.pyi")
    module = types.ModuleType("plexgpu")
    exec(compile(path.read_text(), str(path), "exec", __future__.annotations.compiler_flag), vars(module))
    return module


class _Text:
    """What a signature shows as it is."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def signature(doc, stub):
    """Of a function that Cython has compiled: names and defaults as Cython writes them in the docstring, or those of
    the stub where it does not (constructors); types of the stub."""
    types_ = inspect.signature(stub)
    head = re.match(rf"{doc.name}\((.*)\)", doc.docstring)
    parameters = types_.parameters.values()
    if head:
        args = ast.parse(f"def f({head[1]}): pass").body[0].args
        each = [*args.posonlyargs, *args.args]
        defaults = [None] * (len(each) - len(args.defaults)) + args.defaults
        defaults = {arg.arg: value for arg, value in zip([*each, *args.kwonlyargs], [*defaults, *args.kw_defaults])}
        text = lambda p: ast.unparse(defaults[p.name]) if defaults.get(p.name) is not None else None
    else:
        text = lambda p: "..." if p.default is not p.empty else None
    parameters = [
        p.replace(
            annotation=p.empty if p.annotation is p.empty else _Text(p.annotation),
            default=p.empty if p.default is p.empty else _Text(text(p) or "..."),
        )
        for p in parameters
    ]
    back = types_.return_annotation
    back = inspect.Signature.empty if back is inspect.Signature.empty or back is None else _Text(str(back))
    return inspect.Signature(parameters, return_annotation=back)


def adapt(doc, stub):
    """Docstrings, signatures and types of what a module or class has."""
    if isinstance(doc, pdoc.doc.Namespace):
        for member in doc.members.values():
            adapt(member, getattr(stub, member.name, None))
    elif isinstance(doc, pdoc.doc.Function) and inspect.isfunction(stub):
        doc.signature = signature(doc, stub)
    elif isinstance(doc, pdoc.doc.Variable) and isinstance(stub, property):
        doc.annotation = _Text(stub.fget.__annotations__.get("return", "Any"))
    doc.docstring = markdown(doc.docstring, doc.name)


def make(folder):
    """Writes the pages into a folder, and returns the modules as pdoc has them."""
    folder = Path(folder)
    pdoc.render.configure(docformat="markdown", search=True, show_source=False)
    modules = {name: pdoc.doc.Module.from_name(name) for name in MODULES}
    typed = stubs()
    for name, module in modules.items():
        adapt(module, typed if name == "plexgpu" else None)
    pages = {f"{name.replace('.', '/')}.html": pdoc.render.html_module(m, modules) for name, m in modules.items()}
    pages["index.html"] = pdoc.render.html_index(modules)
    pages["search.js"] = pdoc.render.search_index(modules)
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return modules


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    make(sys.argv[1])
    print(f"the pages: {Path(sys.argv[1]) / 'index.html'}")
