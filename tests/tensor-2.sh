#!/usr/bin/env bash
# local_row by tensors and by quadrature on 2 processes; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/tensor -type local_row
