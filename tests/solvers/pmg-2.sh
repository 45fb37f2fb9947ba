#!/usr/bin/env bash
# Multigrid of degrees on 2 processes, with the iterations of 1, or one more or less: eigenvalues are estimated from other
# random numbers.
. tests/verdict
build/tests/pmg -few > "$tmp/one" 2>&1
${MPIEXEC:-mpiexec} -n 2 build/tests/pmg -few > "$tmp/output" 2>&1
good=$?
grep -v '^#' "$tmp/output"
[ $good = 0 ] || failures=$((failures + 1))
grep '^#' "$tmp/one" > "$tmp/iterations"
grep '^#' "$tmp/output" | paste -d ' ' "$tmp/iterations" - |
  awk '{h = NF / 2; if (NF % 2 || $1 != "#") bad = 1; for (i = 1; i <= h; ++i) if (i != h - 1 && $i != $(h + i)) bad = 1; d = $(h - 1) - $(NF - 1); if (d * d > 1) bad = 1; ++n} END {exit bad || !n}' && same=yes
verdict "the iterations are those of one process" "${same:-}"
exit $((failures > 0))
