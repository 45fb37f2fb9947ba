#!/usr/bin/env bash
# Boundaries of a resistance on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgimpedance
