"""The Python of docs/python.md runs as it is written, on a smaller mesh."""

import re
from pathlib import Path

import processes
import pytest
from petsc4py import PETSc

TEXT = (Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


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
    script.write_text(head + "import plexgpu\n" + BLOCKS[1] + tail)
    done = processes.run(1, script, "-plex_assembly_backend", "emulate", folder=tmp_path)
    assert re.search(r"reason [1-9].*'residuals_left': 0", done.stdout), done.stderr
