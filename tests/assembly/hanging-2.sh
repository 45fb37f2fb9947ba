#!/usr/bin/env bash
# Hanging nodes on 2 processes; also with check-gpu, where they share the GPU.
"${MPIEXEC:-mpiexec}" -n 2 build/tests/hanging
