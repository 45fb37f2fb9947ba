"""The tests that are marked `parallel`, once more on two processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from petsc4py import PETSc

FOLDER = Path(__file__).parent


@pytest.mark.skipif(PETSc.COMM_WORLD.getSize() > 1, reason="several processes already")
@pytest.mark.parametrize("file", sorted(p.name for p in FOLDER.glob("test_*.py") if "mark.parallel" in p.read_text()
                                        and p.name != Path(__file__).name))
def test_on_two_processes(file):
    # a process that PETSc has started MPI in cannot start mpiexec with its own environment
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_COMM", "PMIX", "OMPI_MCA_orte", "PRTE",
                                                                           "OMPI_APP_CTX", "OMPI_FIRST", "OMPI_FILE"))}
    done = subprocess.run([os.environ.get("MPIEXEC", "mpiexec"), "-n", "2", sys.executable, "-m", "pytest", "-q", "-x", "--color=no",
                           "-p", "no:cacheprovider", "-m", "parallel", str(FOLDER / file)],
                          capture_output=True, text=True, timeout=900, env=environment, cwd=FOLDER.parent)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    assert done.stdout.count(" passed") == 2
