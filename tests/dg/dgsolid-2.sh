#!/usr/bin/env bash
# DG with quadrature in 3D on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/dgsolid
