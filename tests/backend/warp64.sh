#!/usr/bin/env bash
# Emulated kernels with 64 threads a warp and without PTX, as GPUs of AMD have them: the instructions, steps of plans, every strategy of assembly, products
# of nodal DG and hybridized DG once. `make check WARP=64` has all tests run so.
cd "$(dirname "$0")/../.." || exit 1
export PLEXGPU_EMULATE_WARP=64
status=0
tests=(instructions arrays "sanitize -backend emulate" "sanitizehdg -backend emulate")
[ "${PLEXGPU_TEST_LONG:-}" != yes ] || tests+=("sanitizedg -backend emulate -type fused") # its kernels take minutes to compile
for test in "${tests[@]}"; do
  # shellcheck disable=SC2086 # a program and its options
  build/tests/$test | sed -e "s/^\(\(not \)\?ok\) /\1 64 threads a warp, /"
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
exit $status
