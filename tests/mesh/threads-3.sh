#!/usr/bin/env bash
# What is made of small meshes, in 3 threads and not in one.
for name in elements matrix pattern boundary rotations supported; do
  PLEXGPU_OPTIONS="-plexgpu_threads 3 -plexgpu_threads_least 1" build/tests/$name || failed=1
done
exit ${failed:-0}
