#!/usr/bin/env bash
# Dofs along a Hilbert curve on 3 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/reorder
