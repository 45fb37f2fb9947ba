#!/usr/bin/env bash
# local_row along lines of points on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/lines
