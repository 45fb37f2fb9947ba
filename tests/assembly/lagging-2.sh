#!/usr/bin/env bash
# Jacobians that lag on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/lagging
