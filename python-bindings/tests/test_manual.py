"""The Python of docs/python.md runs as it is written, on a smaller mesh."""

import re
from pathlib import Path

import meshes
import numpy
import plexgpu
import plexgpu.ufl as pu
import processes
import pytest
import ufl
from petsc4py import PETSc

TEXT = (Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def block(part):
    """The one block that has this text."""
    (found,) = [b for b in BLOCKS if part in b]
    return found


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts processes")
@pytest.mark.parametrize("n", [1, 2])
def test_weak_form(n, tmp_path):
    script = tmp_path / "form.py"
    script.write_text(BLOCKS[0].replace("[64, 64]", "[8, 8]") + "print('norm', x.norm())\n")
    done = processes.run(n, script, "-plex_assembly_backend", "host", folder=tmp_path)
    assert done.stdout.count("norm") == n and "computed here" in done.stdout, done.stderr


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts processes")
def test_pointwise(tmp_path):
    script = tmp_path / "pointwise.py"
    head = BLOCKS[0].split("V = pu")[0].replace("[64, 64]", "[8, 8]")
    tail = "print('reason', snes.getConvergedReason(), assembly.counts())\n"
    script.write_text(head + "import plexgpu\n" + block("plexgpu.Pointwise(") + tail)
    done = processes.run(1, script, "-plex_assembly_backend", "emulate", folder=tmp_path)
    assert re.search(r"reason [1-9].*'residuals_left': 0", done.stdout), done.stderr


def test_tensors():
    dm = meshes.fields(meshes.box(2, 2, True, PETSc.COMM_SELF), (1, 1))
    u, v = ufl.Coefficient(pu.space(dm)), ufl.TestFunction(pu.space(dm))
    problem = pu.Problem(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx, u, backend="petsc")
    names = dict(problem=problem)
    exec(block("problem.tensors()"), names)
    assert names["K"].shape == (3, 2, 3, 2) and names["G"].shape == (2, 2)
    total = numpy.einsum("imjn,mn->ij", names["K"], names["G"])
    assert numpy.allclose(total, names["t"].element_matrix(3), rtol=1e-14)


def test_arrays():
    dg = plexgpu.DG(meshes.box(2, 2, True, PETSc.COMM_SELF), "acoustics", 2, {None: "wall"})
    dg.backend = "host"
    names = dict(numpy=numpy, dg=dg, u=dg.createVec())
    exec("\n".join(line for line in block("dg.nodes()").splitlines() if not re.search("cupy|torch", line)), names)
    assert numpy.array_equal(names["a"][:, 0], numpy.sin(names["x"][..., 0]))


def test_systems(monkeypatch):
    """Both systems of the manual: a right-hand side that is not zero."""
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    dm = meshes.box(2, 2, True, PETSc.COMM_SELF)
    for part in ("pu.dg.Equations(2)", "plexgpu.System("):
        names = dict(plexgpu=plexgpu, dm=dm)
        exec(block(part), names)
        dg = names["dg"]
        dg.backend = "host"
        u = dg.createVec()
        dg.project(lambda x, t: [x[0] * x[1]] * 3, u)
        r = u.duplicate()
        dg.computeRHS(u, r)
        assert r.norm() > 0 and dg.system in ("sound", "wind")
