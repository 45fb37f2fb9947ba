"""The examples, small: the same result on one and two processes and on the emulated device; each draws a picture."""

import re
from pathlib import Path

import processes
import pytest
from petsc4py import PETSc

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SMALL = dict(heat=["-refine", "0"], neohooke=["-cells", "2", "-steps", "2"], stokes=["-cells", "6"])


def norm(name, n, tmp_path, *more):
    picture = tmp_path / f"{name}{n}.png"
    done = processes.run(n, EXAMPLES / f"{name}.py", *SMALL[name], "-output", picture, *more, folder=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    result = re.search(r"^result: .* norm ([0-9.e+-]+).* (\d+) left to PETSc", done.stdout, re.M)
    assert result, done.stdout
    assert int(result.group(2)) == 0
    assert picture.stat().st_size > 10000
    return float(result.group(1))


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="starts processes")
@pytest.mark.parametrize("name", SMALL)
def test_example(name, tmp_path):
    one = norm(name, 1, tmp_path, "-plex_assembly_backend", "host")
    assert norm(name, 2, tmp_path, "-plex_assembly_backend", "host") == pytest.approx(one, rel=1e-6)
    assert norm(name, 1, tmp_path, "-plex_assembly_backend", "emulate") == pytest.approx(one, rel=1e-6)


def test_short():
    for file in EXAMPLES.glob("*.py"):
        assert len(file.read_text().splitlines()) < 80, file
