#!/usr/bin/env bash
# Rows of essential values on 2 and 3 processes; also with check-gpu, where they share the GPU.
status=0
for ranks in 2 3; do
  "${MPIEXEC:-mpiexec}" -n $ranks build/tests/essential || status=1
done
exit $status
