#!/usr/bin/env bash
# A strategy each for residual and Jacobian, on 4 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/types
