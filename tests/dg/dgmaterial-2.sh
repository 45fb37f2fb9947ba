#!/usr/bin/env bash
# Materials on 2 processes, one of which has no cell of some of them; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgmaterial
