"""The examples, small: the same result on one and two processes and on devices; each draws a picture."""

import os
import re
from pathlib import Path

import meshes
import processes
import pytest
from petsc4py import PETSc

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SMALL = dict(
    heat=["-refine", "0"],
    neohooke=["-cells", "2", "-steps", "2"],
    stokes=["-cells", "6"],
    navierstokes=["-cells", "6", "-ts_max_time", "0.5", "-ksp_rtol", "1e-9", "-snes_rtol", "1e-9"],
    topology=["-cells", "8", "-steps", "4", "-ksp_rtol", "1e-11"],
    maxwell=["-cells", "2", "-plex_dg_degree", "2", "-periods", "0.3"],
    water=["-cells", "8", "-plex_dg_degree", "2", "-minutes", "4"],
)
DG = ("maxwell", "water")


def norm(name, n, tmp_path, *more):
    picture = tmp_path / f"{name}{n}.png"
    done = processes.run(n, EXAMPLES / f"{name}.py", *SMALL[name], "-output", picture, *more, folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    end = r"by (host|emulate|cuda)$" if name in DG else r"0 left to PETSc$"
    result = re.search(rf"^result: .* norm ([0-9.e+-]+)\b.* {end}", done.stdout, re.M)
    assert result, done.stdout
    assert picture.stat().st_size > 10000
    return float(result.group(1))


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts processes")
@pytest.mark.parametrize("name", SMALL)
def test_example(name, tmp_path):
    backend = "-plex_dg_backend" if name in DG else "-plex_assembly_backend"
    one = norm(name, 1, tmp_path, backend, "host")
    assert norm(name, 2, tmp_path, backend, "host") == pytest.approx(one, rel=1e-6)
    for device in meshes.DEVICES:
        assert norm(name, 1, tmp_path, backend, device, *processes.types(device)) == pytest.approx(one, rel=1e-6)


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts a kernel of Jupyter")
@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("*.ipynb")))
def test_notebook(name, tmp_path, monkeypatch):
    """All cells run, assertions among them, and there is a picture."""
    nbformat = pytest.importorskip("nbformat")
    NotebookClient = pytest.importorskip("nbclient").NotebookClient
    pytest.importorskip("ipykernel")

    for variable in list(os.environ):
        if variable.startswith(processes.FROM_MPI):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=dict(metadata=dict(path=tmp_path))).execute()
    data = [o.get("data", {}) for cell in notebook.cells for o in cell.get("outputs", [])]
    assert any("image/png" in d for d in data)


def test_short():
    for file in EXAMPLES.glob("*.py"):
        assert file.name == "picture.py" or len(file.read_text().splitlines()) < 80, file
