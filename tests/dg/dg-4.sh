#!/usr/bin/env bash
# The nodal DG operator on 4 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/dgparallel
