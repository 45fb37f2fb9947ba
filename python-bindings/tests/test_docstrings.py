"""Docstrings of all that is public: what it is, shapes of arrays, parameters; and the pages that are made of them."""

import ast
import html
import inspect
import re
import sys
from pathlib import Path

import plexgpu
import plexgpu.ufl as pu
import pytest
from petsc4py import PETSc

FOLDER = Path(__file__).resolve().parents[1]
# Words that stand for a parameter of this name
KNOWN = dict(dm="`DM`", where="`DM`", ts="`TS`", comm="communicator", snes="`SNES`")


def members():
    """(name, thing) of functions, classes, methods, properties."""
    for module in (plexgpu, pu, pu.dg):
        own = lambda v: getattr(v, "__module__", None) == module.__name__
        for name in getattr(module, "__all__", None) or [n for n, v in vars(module).items() if n[0] != "_" and own(v)]:
            thing = getattr(module, name)
            if inspect.ismodule(thing):
                continue
            yield f"{module.__name__}.{name}", thing
            for attribute in vars(thing) if isinstance(thing, type) else ():
                if not attribute.startswith("_"):
                    yield f"{module.__name__}.{name}.{attribute}", getattr(thing, attribute)


MEMBERS = dict(members())


def words(name):
    """The docstring without the signature that Cython puts first."""
    return re.sub(rf"\A{name.split('.')[-1]}\(.*\n*", "", inspect.getdoc(MEMBERS[name]) or "").strip()


def stubs():
    """{name: (type that is returned, parameters)} of what Cython compiles."""
    out = {}
    for node in ast.parse((FOLDER / "src/plexgpu/_plexgpu.pyi").read_text()).body:
        inside = isinstance(node, ast.ClassDef)
        for f in node.body if inside else [node]:
            if isinstance(f, ast.FunctionDef) and f.returns is not None and f.name[0] != "_":
                parameters = [a.arg for a in f.args.args + f.args.kwonlyargs if a.arg != "self"]
                setter = any(isinstance(d, ast.Attribute) for d in f.decorator_list)
                if not setter:
                    out[f"plexgpu.{node.name + '.' if inside else ''}{f.name}"] = (ast.unparse(f.returns), parameters)
    return out


STUBS = stubs()


def parameters(name):
    thing = MEMBERS[name]
    if name in STUBS:
        return [] if inspect.isdatadescriptor(thing) else STUBS[name][1]
    if inspect.isfunction(thing):
        return [p for p in inspect.signature(thing).parameters if p not in ("self", "args", "kwargs")]
    return []


def says(name, parameter, seen=()):
    """Whether a docstring names a parameter, or refers to another function whose docstring does."""
    text = words(name)
    if re.search(rf"\b{parameter}\b", text) or KNOWN.get(parameter, "\0") in text:
        return True
    for other in re.findall(r"`([\w.]+)`", text):
        for found in (other, f"plexgpu.{other}", f"{name.rpartition('.')[0]}.{other}"):
            if found in MEMBERS and found not in (name, *seen) and says(found, parameter, (name, *seen)):
                return True
    return False


def test_text():
    assert len(MEMBERS) > 200
    assert not [name for name in MEMBERS if len(words(name)) < 5]


def test_shapes():
    """What returns arrays says their shapes, in brackets."""
    arrays = [name for name, (returned, _) in STUBS.items() if name in MEMBERS and "Array" in returned]
    assert len(arrays) > 15
    assert not [name for name in arrays if not re.search(r"\[[^\]]+\]", words(name))]


def test_parameters():
    missing = {name: [p for p in parameters(name) if not says(name, p)] for name in MEMBERS}
    assert not {name: found for name, found in missing.items() if found and len(parameters(name)) > 1}


def test_results():
    """What returns something says so: with its name, or by the word."""
    first = r"(An?|The|What|Whether|How|Where|Names?|Values?|Vectors?|Errors?|Coordinates) |J\[|returns|Gets|`\w+\("
    methods = [n for n, (returned, _) in STUBS.items() if n in MEMBERS and returned != "None"]
    methods = [n for n in methods if not inspect.isdatadescriptor(MEMBERS[n]) and not n.endswith(".setUp")]
    assert len(methods) > 50
    assert not [n for n in methods if not re.match(first, words(n)) and not re.search("[Rr]eturns", words(n))]


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="of one process")
def test_pages(tmp_path, monkeypatch):
    """The pages have each name with its text, and a signature of each function."""
    pytest.importorskip("pdoc")
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import pages

    pages.make(tmp_path)
    text = {p.stem: p.read_text() for p in tmp_path.rglob("*.html")}
    assert set(text) == {"index", "plexgpu", "ufl", "dg"}
    for name in MEMBERS:
        module = next(m for m in ("plexgpu.ufl.dg", "plexgpu.ufl", "plexgpu") if name.startswith(m + "."))
        assert f'id="{name.removeprefix(module + ".")}"' in text[module.rpartition(".")[2]], name
    for page in text.values():
        assert "(unknown)" not in re.sub("<[^>]+>", "", page)
    plain = html.unescape(re.sub("<[^>]+>", "", text["plexgpu"]))
    for part in (
        "project(self, function: Callable | None, u: Vec, t: float = 0.0)",
        "Coordinates of the nodes of this process's elements, an array [element][node][dim]",
        "-plex_dg_<name>",
    ):
        assert part in plain, part
