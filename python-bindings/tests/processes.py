"""Programs on several processes, started from a process that PETSc has started MPI in."""

import os
import subprocess
import sys

FROM_MPI = ("OMPI_COMM", "PMIX", "OMPI_MCA_orte", "PRTE", "OMPI_APP_CTX", "OMPI_FIRST", "OMPI_FILE")


def types(backend):
    """The options by which a program has its vectors and matrices on a GPU, if that is the backend."""
    return ["-dm_vec_type", "cuda", "-dm_mat_type", "aijcusparse"] if backend == "cuda" else []


def run(n, *arguments, folder=None, timeout=900):
    """Runs Python with these arguments on n processes; the `subprocess.CompletedProcess`, its output as text."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(FROM_MPI)}
    command = [sys.executable, *map(str, arguments)]
    if n > 1:
        command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(n), *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, cwd=folder)
