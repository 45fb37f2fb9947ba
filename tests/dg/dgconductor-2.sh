#!/usr/bin/env bash
# Conductors and sheets of nodal DG on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgconductor
