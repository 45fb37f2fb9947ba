"""Programs on several processes, started from a process that PETSc has started MPI in."""

import os
import subprocess
import sys

FROM_MPI = ("OMPI_COMM", "PMIX", "OMPI_MCA_orte", "PRTE", "OMPI_APP_CTX", "OMPI_FIRST", "OMPI_FILE")


def run(n, *arguments, folder=None, timeout=900):
    """Runs Python with these arguments on n processes; the `subprocess.CompletedProcess`, its output as text."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(FROM_MPI)}
    command = [sys.executable, *map(str, arguments)]
    if n > 1:
        command = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(n), *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, cwd=folder)
