#!/usr/bin/env bash
# Hybridized DG and its preconditioner on 4 processes; also with check-gpu, where they share the GPU.
set -e
${MPIEXEC:-mpiexec} -n 4 build/tests/hdgparallel
${MPIEXEC:-mpiexec} -n 4 build/tests/hdgsmoother
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/hdgprecondition
