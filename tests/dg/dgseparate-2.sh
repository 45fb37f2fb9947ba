#!/usr/bin/env bash
# Tuning of type separate on 2 processes: one decision for both; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgseparate -tune
