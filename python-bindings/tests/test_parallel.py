"""The tests that are marked `parallel`, once more on two processes; those of the forms in UFL on four, of faults of one
process on three as well."""

from pathlib import Path

import processes
import pytest
from petsc4py import PETSc

FOLDER = Path(__file__).parent
FILES = sorted(
    p.name for p in FOLDER.glob("test_*.py") if "mark.parallel" in p.read_text() and p.name != Path(__file__).name
)


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="several processes already")
@pytest.mark.parametrize("n, file", [(2, file) for file in FILES] + [(3, "test_faults.py"), (4, "test_ufl.py")])
def test_on_processes(n, file):
    done = processes.run(
        n,
        "-m",
        "pytest",
        "-q",
        "-x",
        "--color=no",
        "-p",
        "no:cacheprovider",
        "-m",
        "parallel",
        FOLDER / file,
        folder=FOLDER.parent,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    assert done.stdout.count(" passed") == n
