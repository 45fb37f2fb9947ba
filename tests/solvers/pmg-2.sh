#!/usr/bin/env bash
# Multigrid of degrees on 2 processes, with the iterations of 1; also with check-gpu, where they share the GPU.
. tests/verdict
PLEXGPU_TEST_BACKENDS=host build/tests/pmg > "$tmp/one" 2>&1
${MPIEXEC:-mpiexec} -n 2 build/tests/pmg > "$tmp/output" 2>&1
good=$?
grep -v '^#' "$tmp/output"
[ $good = 0 ] || failures=$((failures + 1))
verdict "the iterations are those of one process" \
  "$(diff <(grep '^#.*host, refined [1-9]' "$tmp/one") <(grep '^#.*host, refined [1-9]' "$tmp/output") >> "$tmp/output" && grep -c '^#.*host, refined [1-9]' "$tmp/one" | grep -v '^0$')"
exit $((failures > 0))
