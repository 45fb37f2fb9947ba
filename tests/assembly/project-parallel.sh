#!/usr/bin/env bash
# Projections on 2 and 3 processes, and by a program that says nothing of PlexGPU; also with check-gpu, where processes share the GPU.
status=0
for ranks in 2 3; do
  "${MPIEXEC:-mpiexec}" -n $ranks build/tests/project || status=1
done
for ranks in 1 2; do
  "${MPIEXEC:-mpiexec}" -n $ranks env LD_PRELOAD="$PWD/build/lib/libplexgpu_preload.so" build/tests/project || status=1
done
exit $status
