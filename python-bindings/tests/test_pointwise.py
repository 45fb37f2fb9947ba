"""Pointwise functions as C text and as a file: host, emulated device and PETSc's own assembly compute the same;
constants, boundary values, errors, the cache."""

import resource
import time

import meshes
import numpy as np
import plexgpu
import pytest
from petsc4py import PETSc

HEAT = """
RESIDUAL(f0) { f[0] = -source; }
RESIDUAL(f1) { for (PetscInt d = 0; d < dim; ++d) f[d] = (1 + alpha * u[0] * u[0]) * u_x[d] + drift[d] * u[0]; }
JACOBIAN(g2) { for (PetscInt d = 0; d < dim; ++d) g[d] = 2 * alpha * u[0] * u_x[d] + drift[d]; }
JACOBIAN(g3) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1 + alpha * u[0] * u[0]; }
BD_RESIDUAL(b0) { f[0] = exchange * (u[0] - 2) + n[0]; }
BD_JACOBIAN(h0) { g[0] = exchange; }
"""


def heat(dm, order=2):
    meshes.fields(dm, (1, order))
    form = plexgpu.Pointwise(
        dm, HEAT, dict(source=0.3, alpha=0.5, drift=[0.1, 0.2, 0.3][: dm.getDimension()], exchange=4.0)
    )
    form.residual(0, "f0", "f1")
    form.jacobian(0, 0, g2="g2", g3="g3")
    form.essential("Face Sets", 1, value="sin(x[0]) + x[1]")
    form.essential("Face Sets", [4], value=1.5)
    form.natural("Face Sets", 2, 0, "b0", jacobians={0: ["h0"]})
    return form


@pytest.mark.parallel
@pytest.mark.parametrize("dim, simplex", [(2, False), (2, True), (3, False), (3, True)])
def test_backends(dim, simplex):
    dm = meshes.box(dim, 2, simplex)
    form = heat(dm)
    x = meshes.random_vec(dm)
    plexgpu.set_snes_local_petsc(dm)
    f, J = meshes.evaluate(dm, x)
    asm = form.assembly()
    asm.fallback = False
    for backend in meshes.BACKENDS:
        asm.backend = backend
        g, K = meshes.evaluate(dm, x)
        assert meshes.difference(g, f) < 1e-13
        assert meshes.difference(K, J) < 1e-13
    n = len(meshes.BACKENDS)
    assert asm.counts() == dict(residuals=n, jacobians=n, residuals_left=0, jacobians_left=0)


@pytest.mark.parallel
def test_constants():
    """A new value counts at once, without a new set-up."""
    dm = meshes.box()
    form = heat(dm)
    asm = form.assembly()
    asm.backend, asm.fallback = meshes.BACKENDS[-1], False
    x = meshes.random_vec(dm)
    f, J = meshes.evaluate(dm, x)
    assert list(plexgpu.get_constants(dm)) == [0.3, 0.5, 0.1, 0.2, 4.0]
    form.constants["alpha"].value = 0.0
    form.constants["drift"].value = [0.0, 0.0]
    assert form.constants["alpha"].value == 0 and list(form.constants["drift"].value) == [0, 0]
    g, K = meshes.evaluate(dm, x)
    assert meshes.difference(g, f) > 0.01
    assert K.isSymmetric(1e-13) and not J.isSymmetric(1e-13)
    with pytest.raises(ValueError, match="shape"):
        form.constants["drift"].value = 1.0


@pytest.mark.parallel
def test_boundary_values():
    """The same values as numbers, C and Python; live numbers; components; time."""
    dm = meshes.fields(meshes.box(), (2, 2))
    seen = []

    def python(x, t):
        seen.append(t)
        return [x[0] + 2 * x[1], 3.0]

    form = plexgpu.Pointwise(
        dm,
        """
      RESIDUAL(f1) { for (PetscInt k = 0; k < 2 * dim; ++k) f[k] = u_x[k]; }
      JACOBIAN(g3) { for (PetscInt k = 0; k < 2 * dim; ++k) g[((k / dim * 3) * dim + k % dim) * dim + k % dim] = 1; }
    """,
        dict(slope=2.0),
    )
    form.residual(0, f1="f1")
    form.jacobian(0, 0, g3="g3")
    form.essential("Face Sets", [1, 2], value=python)
    form.essential("Face Sets", 3, value=["x[0] + slope * x[1]", "3."])
    left = form.essential("Face Sets", 4, value=[7.0, 3.0], components=[1])
    form.essential("Face Sets", 4, value="u[0] = x[0] + 2 * x[1]; u[1] = 0;", components=[0])
    exact = lambda x, t: [x[0] + 2 * x[1], 3.0]
    for petsc in (True, False):
        if petsc:
            plexgpu.set_snes_local_petsc(dm)
        else:
            form.assembly().backend = "host"
        snes = meshes.snes_on(dm)
        snes.setTolerances(rtol=1e-12)
        snes.getKSP().setTolerances(rtol=1e-12)
        x = dm.createGlobalVec()
        x.set(0)
        snes.solve(None, x)
        assert snes.getConvergedReason() > 0
        assert plexgpu.l2_error(dm, exact, x) < 1e-9
    form.constants["slope"].value = 3.0
    left.value = [0.0, 5.0]
    snes.solve(None, x)
    assert plexgpu.l2_error(dm, exact, x) > 0.1
    assert seen


def test_errors_in_python():
    dm = meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1))
    form = plexgpu.Pointwise(dm, HEAT, dict(source=0.3, alpha=0.5, drift=[0.1, 0.2], exchange=4.0))
    form.residual(0, "f0", "f1")
    form.jacobian(0, 0, g2="g2", g3="g3")

    def wall(x, t):
        raise LookupError("no such wall")

    form.essential("Face Sets", 1, value=wall)
    asm = form.assembly()
    asm.backend, asm.fallback = "host", False
    with pytest.raises(PETSc.Error) as error:
        meshes.evaluate(dm, meshes.random_vec(dm))
    assert isinstance(error.value.__cause__, LookupError) and "no such wall" in str(error.value.__cause__)
    with pytest.raises(PETSc.Error) as error:
        plexgpu.project(dm, lambda x, t: [1.0, 2.0], dm.createGlobalVec())
    assert "2 values where 1" in str(error.value.__cause__)


@pytest.mark.parallel
def test_errors():
    dm = meshes.fields(meshes.box(), (1, 1))
    with pytest.raises(plexgpu.CompileError, match="text:2"):
        plexgpu.Pointwise(dm, "\nRESIDUAL(f0) { f[0] = unknown; }")
    form = plexgpu.Pointwise(dm, "RESIDUAL(f0) { f[0] = 1; }")
    with pytest.raises(KeyError, match="no function f1"):
        form.residual(0, "f0", "f1")
    with pytest.raises(ValueError, match="no label 'Sides'"):
        form.essential("Sides", 1)
    with pytest.raises(ValueError, match="field 3"):
        form.essential("Face Sets", 1, field=3)
    with pytest.raises(ValueError, match="field 7 is none of the 1"):
        form.residual(7, "f0")
    with pytest.raises(TypeError, match="no pointwise function"):
        plexgpu.set_residual(dm, 0, "f0")
    with pytest.raises(ValueError, match="boundary 5 is none"):
        plexgpu.set_bd_residual(dm, 5, dm.getLabel("Face Sets"), 1, 0)


@pytest.mark.parallel
def test_file(tmp_path):
    """A file that includes another; a change of either is seen."""
    from pathlib import Path

    folder = Path(plexgpu.broadcast(PETSc.COMM_WORLD, str(tmp_path).encode()).decode())
    text = plexgpu.pointwise.HEADER + '#include "more.h"\nRESIDUAL(f0) { f[0] = FACTOR * constants[0]; }\n'
    sums = []
    for factor in (1, 2):
        if PETSc.COMM_WORLD.getRank() == 0:
            (folder / "form.c").write_text(text)
            (folder / "more.h").write_text(f"#define FACTOR {factor}\n")
        PETSc.COMM_WORLD.barrier()
        dm = meshes.fields(meshes.box(), (1, 1))
        form = plexgpu.Pointwise(dm, folder / "form.c", dict(c=1.5))
        form.residual(0, "f0")
        form.jacobian(0, 0)
        plexgpu.set_snes_local_petsc(dm)
        snes = meshes.snes_on(dm)
        f = dm.createGlobalVec()
        snes.computeFunction(meshes.random_vec(dm), f)
        sums.append(f.sum())
        PETSc.COMM_WORLD.barrier()
    assert np.allclose(sums, [1.5, 3.0])


def test_cache():
    """Compiled once, in less than 3 s of a processor; the second time takes less than 0.1 s."""
    text = HEAT + f"\n/* {time.time_ns()} */"
    dm = meshes.fields(meshes.box(comm=PETSc.COMM_SELF), (1, 1))
    times = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        plexgpu.Pointwise(dm, "#define source 1\n#define alpha 1\n#define drift x\n#define exchange 1\n" + text)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((time.perf_counter() - start, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
    assert 0 < times[0][1] < 3 and times[1][0] < 0.1 and times[1][1] == 0, times


@pytest.mark.parallel
def test_project_and_integrate():
    dm = meshes.fields(meshes.box(simplex=True), (2, 2), (1, 1))
    x = dm.createGlobalVec()
    f = [lambda x, t: [x[0] ** 2, t * x[1]], lambda x, t: 2 * x[0]]
    plexgpu.project(dm, f, x, 3.0)
    assert plexgpu.l2_error(dm, f, x, 3.0) < 1e-13
    form = plexgpu.Pointwise(
        dm, "RESIDUAL(square) { f[0] = u[0] * u[0]; } RESIDUAL(second) { f[0] = u[uOff[1]] + u[1]; }"
    )
    form.objective(0, "square")
    form.objective(1, "second")
    assert np.allclose(plexgpu.integrate(dm, x), [0.2, 2.5], atol=1e-12)


CPP = """
namespace {
template <typename T> T square(const T &x) { return x * x; }
auto conductivity = [](PetscScalar u) { return 1 + square(u); };
}
RESIDUAL(f1) { for (PetscInt d = 0; d < dim; ++d) f[d] = conductivity(u[0]) * u_x[d]; }
JACOBIAN(g3) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = conductivity(u[0]); }
"""


@pytest.mark.parallel
def test_cpp(tmp_path):
    """C++ computes on the host what C does; a kernel's backend is an error."""
    same = CPP.replace("conductivity(u[0])", "(1 + u[0] * u[0])")
    found = []
    for text, language in ((CPP, "c++"), (same[same.index("RESIDUAL") :], None)):
        dm = meshes.fields(meshes.box(), (1, 2))
        form = plexgpu.Pointwise(dm, text, language=language)
        form.residual(0, f1="f1")
        form.jacobian(0, 0, g3="g3")
        asm = form.assembly(backend="host")
        asm.fallback = False
        found.append(meshes.evaluate(dm, meshes.random_vec(dm)))
        if language:
            assert form.path.suffix == ".cpp" and asm.source is None
            for backend in ("emulate", None):
                with pytest.raises(ValueError, match="kernels are made from C"):
                    form.assembly(backend=backend)
            form.assembly(backend="petsc")
            f, J = meshes.evaluate(dm, meshes.random_vec(dm))
            assert meshes.difference(found[0][0], f) < 1e-13 and meshes.difference(found[0][1], J) < 1e-13
    assert meshes.difference(found[0][0], found[1][0]) < 1e-14
    assert meshes.difference(found[0][1], found[1][1]) < 1e-14
    dm = meshes.fields(meshes.box(), (1, 1))
    with pytest.raises(plexgpu.CompileError, match="text:1"):
        plexgpu.Pointwise(dm, "RESIDUAL(f1) { nosuch::name(); }", language="c++")
    with pytest.raises(ValueError, match="language 'fortran'"):
        plexgpu.Pointwise(dm, "", language="fortran")
    path = tmp_path / "f.cpp"
    path.write_text("int x;")
    assert plexgpu.Library(path).language == "c++"
