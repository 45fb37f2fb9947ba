#!/usr/bin/env bash
# The benchmark of linear shallow water on small meshes: all ways beside one core, each kernel alone, scaling on two processes, and the figures of what it
# measured. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-emulate}
backend=${backend##*,}

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok waterfigures: $1"
  else
    tail -n 30 "$tmp/output"
    echo "not ok waterfigures: $1"
    failures=$((failures + 1))
  fi
}

# Three ways of two degrees and of two sizes, and one core: of degrees 1 and 4, and degree 4 on 8 cells a side. 11 kernels of two ways, 7 steps of the host, and
# two operations with vectors of each. A right-hand side is the sum of its kernels
timeout 300 env BACKEND="$backend" SCALING=yes SCALING_CELLS=1 REFINE=1 RANKS="1 2" OUT="$tmp" SHAPES=triangles CELLS=9 HOST_CELLS=8 DEGREES="1 4" SHORE_DEGREES=1 REPS=1 benchmarks/run-water.sh >"$tmp/output" 2>&1 &&
  [ "$(wc -l <"$tmp/water.csv")" -eq 13 ] && [ "$(wc -l <"$tmp/kernels.csv")" -eq 112 ] && [ "$(cut -d, -f 17,18 "$tmp/shore.csv" | sort | tr '\n' ' ')" = "bores,1 equations,entropy nonlinear,0 nonlinear,1 shore,0 shore,1 sphere,1 " ] && [ "$(grep -c '^[^,]*,[^,]*,[^,]*,"triangles, N = 1",72,"\(nonlinear\|shore\|bores\|sphere\)\(, corrected\|\), stage"' "$tmp/results/water.csv")" -eq 6 ] && [ "$(grep -c '^| 4 | double | [12] | .* % |$' "$tmp/scaling-triangles/efficiency.md")" -eq 2 ] &&
  awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; next } $column["type"] == "fused" || $column["part"] == "equal" || $column["part"] == "add" { next }
    { key = $column["type"] $column["degree"] $column["elements"]; sum[key] += $column["seconds"]; whole[key] = $column["whole_s"]; ++n[key] }
    END { for (k in sum) if (!(sum[k] > 0.05 * whole[k] && sum[k] < 20 * whole[k] && n[k] % (k ~ /^host/ ? 7 : 11) == 0)) exit 1 }' "$tmp/kernels.csv" && good=yes || good=""
verdict "run-water.sh: ways by degree and size, each kernel alone, two processes" "$good"

if [ -e "$tmp/water.md" ]; then
  [ "$(grep -c '^| triangles, double | 72 | \(kernels\|blas\|fused\) | .* | [0-9.e-]* | [0-9]* |$' "$tmp/water.md")" -eq 3 ] && grep -q '^| triangles, double, over blas | [0-9.]* | [0-9.]* |$' "$tmp/water.md" && grep -q "^right-hand sides: how many times faster fused is" "$tmp/water.md" &&
    [ "$(grep -c '^kernels, triangles, double: ' "$tmp/water.md")" -eq 5 ] && for name in size degree parts kernels ceiling; do [ "$(head -c 4 "$tmp/water-$name.png" | tail -c 3)" = PNG ] || break; done && [ -e "$tmp/water-ceiling.png" ] && good=yes || good=""
  verdict "waterfigures.py: tables and figures" "$good"
else
  echo "skip waterfigures: there is no Python with matplotlib to draw them"
fi
[ "$failures" -eq 0 ]
