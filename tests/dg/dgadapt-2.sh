#!/usr/bin/env bash
# Time steps that follow the speed, on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgadapt
