#!/usr/bin/env bash
# Cases of the test forms on 4 processes, one strategy each: one in four, in long runs all; also with check-gpu, where they share the GPU.
part="-shard 0/4"
[ "${PLEXGPU_TEST_LONG:-}" != yes ] || part=""
# shellcheck disable=SC2086 # words
exec ${MPIEXEC:-mpiexec} -n 4 build/tests/forms $part
