#!/usr/bin/env bash
# Jacobians of subdomains on 2 to 4 processes; also with check-gpu, where they share the GPU.
status=0
for ranks in 2 3 4; do
  "${MPIEXEC:-mpiexec}" -n $ranks build/tests/subdomains || status=1
done
exit $status
