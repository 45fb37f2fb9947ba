#!/usr/bin/env bash
# The benchmark of nodal DG on small meshes: each kernel of type separate alone, tuned, and the figures of what it measured. Also a part of check-gpu.
cd "$(dirname "$0")/.." || exit 1
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

for cells in 1 2 3; do
  for precision in double single; do
    timeout 120 build/benchmarks/dg -bench_backend "$backend" -cells $cells -degrees 1,2 -precisions $precision -types separate,plain -reps 1 -csv "$tmp/dg.csv" -stages "$tmp/stages.csv" \
      -plex_dg_tune -plex_dg_tune_time 1 -plex_dg_tune_archive "$tmp/tuning.h5" >"$tmp/output" 2>&1 || echo failed >>"$tmp/failed"
  done
done
# Of 12 cases of each type 4 kernels of the one that has several, which together take about as long as the whole
[ ! -e "$tmp/failed" ] && [ "$(wc -l <"$tmp/dg.csv")" -eq 25 ] && [ "$(wc -l <"$tmp/stages.csv")" -eq 49 ] &&
  awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; next } { sum[$column["degree"], $column["precision"], $column["elements"]] += $column["seconds"]; whole[$column["degree"], $column["precision"], $column["elements"]] = $column["whole_s"] }
    END { for (k in sum) if (!(sum[k] > 0.1 * whole[k] && sum[k] < 10 * whole[k])) exit 1 }' "$tmp/stages.csv" && good=yes || good=""
verdict "each kernel alone" "$good"

python=${PLEXGPU_PYTHON:-python3}
if "$python" -c 'import h5py, matplotlib, numpy' 2>/dev/null; then
  "$python" benchmarks/dgfigures.py --csv "$tmp/dg.csv" --stages "$tmp/stages.csv" --archive "$tmp/tuning.h5" -o "$tmp" >"$tmp/output" 2>&1 && grep -q '^Table 3 on .*: maxwell in 3D, double' "$tmp/output" &&
    [ "$(grep -c '^| [12] | [0-9]* | [0-9]' "$tmp/output")" -eq 4 ] && for name in rates parts workers choices size; do [ "$(head -c 4 "$tmp/dg-$name.png" | tail -c 3)" = PNG ] || break; done && [ -e "$tmp/dg-size.png" ] && good=yes || good=""
  verdict "dgfigures.py: Table 3 and five figures" "$good"
else
  echo "skip dgfigures: there is no Python with h5py and matplotlib to draw them"
fi
[ "$failures" -eq 0 ]
