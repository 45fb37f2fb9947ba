#!/usr/bin/env bash
# Jacobians with the local vectors of residuals on 2 processes; also with check-gpu, where they share the GPU.
exec "${MPIEXEC:-mpiexec}" -n 2 build/tests/reuse
