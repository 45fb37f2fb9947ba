#!/usr/bin/env bash
# Tuning on several processes: one decision for all, and one archive that all of them write; also with check-gpu, where they share the GPU.
exec ${MPIEXEC:-mpiexec} -n 3 build/tests/tune -parallel
