#!/usr/bin/env bash
# Products with stored coefficients in factors on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/factors
