#!/usr/bin/env bash
# The benchmark of nodal DG on small meshes: each kernel of type separate alone, tuned, and the figures of what it measured. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-emulate}
backend=${backend##*,}

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok dgfigures: $1"
  else
    tail -n 30 "$tmp/output"
    echo "not ok dgfigures: $1"
    failures=$((failures + 1))
  fi
}

# Of 2 degrees in 2 precisions, and a size each; 4 kernels of the type that has several, which together take about as long as the whole
timeout 400 env BACKEND="$backend" OUT="$tmp" CELLS=2 DEGREES="1 2" TIME=1 WARM=0 VALUES=3e3 benchmarks/run-dg.sh >"$tmp/output" 2>&1 && [ "$(wc -l <"$tmp/dg.csv")" -eq 13 ] && [ "$(wc -l <"$tmp/size.csv")" -eq 9 ] && [ "$(wc -l <"$tmp/stages.csv")" -eq 17 ] &&
  awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; next } { key = $column["degree"] $column["precision"]; sum[key] += $column["seconds"]; whole[key] = $column["whole_s"] }
    END { for (k in sum) if (!(sum[k] > 0.1 * whole[k] && sum[k] < 10 * whole[k])) exit 1 }' "$tmp/stages.csv" && good=yes || good=""
verdict "run-dg.sh: types by degree and size, each kernel alone" "$good"

if [ -e "$tmp/dg.md" ]; then
  grep -q '^Table 3 on .*: maxwell in 3D, double' "$tmp/dg.md" && [ "$(grep -c '^| [12] | [0-9]* | [0-9]' "$tmp/dg.md")" -eq 4 ] &&
    for name in rates parts workers choices size; do [ "$(head -c 4 "$tmp/dg-$name.png" | tail -c 3)" = PNG ] || break; done && [ -e "$tmp/dg-size.png" ] && good=yes || good=""
  verdict "dgfigures.py: Table 3 and figures" "$good"
else
  echo "skip dgfigures: there is no Python with matplotlib to draw them"
fi
[ "$failures" -eq 0 ]
