#!/usr/bin/env bash
# Hybridized DG and its preconditioner on 2 processes; also with check-gpu, where they share the GPU.
set -e
${MPIEXEC:-mpiexec} -n 2 build/tests/hdgparallel
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/hdgprecondition
