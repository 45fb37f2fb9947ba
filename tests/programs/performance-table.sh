#!/usr/bin/env bash
# The tables of docs/performance.md are those that benchmarks/tables.py makes of benchmarks/results; and rows for these files are made of what benchmarks
# write.
cd "$(dirname "$0")/../.." || exit 1
. tests/verdict
python=${PLEXGPU_PYTHON:-python3}

if [ ! -e docs/performance.md ] || ! "$python" -c '' 2>/dev/null; then
  echo "skip performance-table: there is no docs/performance.md here, or no Python"
  exit 0
fi
"$python" benchmarks/tables.py --check >"$tmp/output" 2>&1 && good=yes || good=""
verdict "the document has what the files have" "$good"

# A number that was changed by hand is found, and put right
sed 's/| P1 triangles | 5,177,344 | 0.107 /| P1 triangles | 5,177,344 | 0.107000001 /' docs/performance.md >"$tmp/performance.md"
good=yes
if cmp -s docs/performance.md "$tmp/performance.md" || "$python" benchmarks/tables.py --check --document "$tmp/performance.md" >"$tmp/output" 2>&1; then good=""; fi
"$python" benchmarks/tables.py --document "$tmp/performance.md" >>"$tmp/output" 2>&1 && cmp docs/performance.md "$tmp/performance.md" >>"$tmp/output" 2>&1 || good=""
verdict "another number in the document is found" "$good"

# Rows of a run: two types on a mesh of 316 triangles, and their table
run() { timeout 300 build/benchmarks/assembly -bench_backend emulate -types element_atomic,local_row -mesh examples/plate-coarse.msh -refine 0 -reps 1 -csv "$tmp/run/assembly.csv"; }
mkdir "$tmp/run"
run >"$tmp/output" 2>&1 && "$python" benchmarks/results.py "$tmp/run" --commit 0123abc --device "a GPU" --date 2026-01-02 >>"$tmp/output" 2>&1 &&
  grep -q '^0123abc,a GPU,2026-01-02,P1 triangles,316,' "$tmp/run/results/residuals.csv" &&
  "$python" benchmarks/tables.py --print "$tmp/run/results" >>"$tmp/output" 2>&1 && grep -q '^| P1 triangles | 316 |' "$tmp/output" && good=yes || good=""
verdict "rows of a run of the assembly benchmark, and their table" "$good"
[ "$failures" -eq 0 ]
