#!/usr/bin/env bash
# PETSc's log with a barrier before each event (-log_sync), where one process has no cells and so compiles and launches nothing.
exec timeout 120 "${MPIEXEC:-mpiexec}" -n 4 build/tests/parallel -backend emulate -type global_nz -only "one without cells" -log_sync -log_view :/dev/null
