#!/usr/bin/env bash
# Hybridized DG with elements of several degrees and types on 2 and 4 processes.
set -e
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgdegrees
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/hdgdegrees
