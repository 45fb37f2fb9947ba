#!/usr/bin/env bash
# Multigrid of degrees on 2 processes, with the iterations of 1.
. tests/verdict
build/tests/pmg -few > "$tmp/one" 2>&1
${MPIEXEC:-mpiexec} -n 2 build/tests/pmg -few > "$tmp/output" 2>&1
good=$?
grep -v '^#' "$tmp/output"
[ $good = 0 ] || failures=$((failures + 1))
grep '^#' "$tmp/one" > "$tmp/iterations"
grep '^#' "$tmp/output" | diff "$tmp/iterations" - >> "$tmp/output" && [ -s "$tmp/iterations" ] && same=yes
verdict "the iterations are those of one process" "${same:-}"
exit $((failures > 0))
