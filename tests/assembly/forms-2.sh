#!/usr/bin/env bash
# Cases of the test forms on 2 processes, one strategy each: one in two, in long runs all; also with check-gpu, where they share the GPU.
part="-shard 1/2"
[ "${PLEXGPU_TEST_LONG:-}" != yes ] || part=""
# shellcheck disable=SC2086 # words
exec ${MPIEXEC:-mpiexec} -n 2 build/tests/forms $part
