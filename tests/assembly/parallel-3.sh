#!/usr/bin/env bash
# Assembly on 3 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/parallel
