#!/usr/bin/env bash
# Files and probes of nodal DG on 3 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/dgoutput
