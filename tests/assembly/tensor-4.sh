#!/usr/bin/env bash
# local_row and shared_nz by tensors and by quadrature on 4 processes; also with check-gpu, where they share the GPU.
status=0
for type in local_row shared_nz; do ${MPIEXEC:-mpiexec} -n 4 build/tests/tensor -type $type || status=1; done
exit $status
