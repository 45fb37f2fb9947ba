#!/usr/bin/env bash
# The benchmark of linear shallow water on small meshes: all ways beside one core, each kernel alone, scaling on two processes, and the figures of what it
# measured. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
if [ "${PLEXGPU_TEST_LONG:-}" != yes ]; then
  echo "skip waterfigures: a long case, make check LONG=yes"
  exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-emulate}
backend=${backend##*,}

has() { # TITLE ROW: whether a table of $tmp/gpu/water.md has a row of these cells
  awk -v title="$1" -v row="$2" '$0 == title { on = 1; next } /^[A-Za-z]/ { on = 0 } { gsub(/ *[|] */, " "); gsub(/^ | $/, "") } on && $0 == row { found = 1 } END { exit !found }' "$tmp/gpu/water.md"
}

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok waterfigures: $1"
  else
    tail -n 30 "$tmp/output"
    echo "not ok waterfigures: $1"
    failures=$((failures + 1))
  fi
}

# Three ways of two degrees and of three sizes, and one core: of degrees 1 and 4, and degree 4 on 8 and 2 cells a side. 11 kernels of two ways, 7 steps of the host,
# two operations with vectors of each, and a step; of fused its one kernel. A right-hand side is the sum of its kernels. Times of each alone vary, and nothing is said of
# launches, registers and occupancy where there is no GPU
timeout 300 env BACKEND="$backend" SCALING=yes SCALING_CELLS=1 REFINE=1 RANKS="1 2" OUT="$tmp" SHAPES=triangles CELLS=9 HOST_CELLS=8 DEGREES="1 4" SHORE_DEGREES=1 REPS=1 benchmarks/run-water.sh >"$tmp/output" 2>&1 &&
  [ "$(wc -l <"$tmp/water.csv")" -eq 17 ] && [ "$(wc -l <"$tmp/kernels.csv")" -eq 169 ] && [ "$(cut -d, -f 17,18 "$tmp/shore.csv" | sort | tr '\n' ' ')" = "bores,1 equations,entropy nonlinear,0 nonlinear,1 shore,0 shore,1 sphere,1 " ] && [ "$(grep -c '^[^,]*,[^,]*,[^,]*,"triangles, N = 1",72,"\(nonlinear\|shore\|bores\|sphere\)\(, corrected\|\), stage"' "$tmp/results/water.csv")" -eq 6 ] && [ "$(grep -c '^| 4 | double | [12] | .* % |$' "$tmp/scaling-triangles/efficiency.md")" -eq 2 ] &&
  awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; next } $column["type"] == "fused" || $column["part"] == "equal" || $column["part"] == "add" || $column["part"] == "rk_step" { next }
    { key = $column["type"] $column["degree"] $column["elements"]; sum[key] += $column["seconds"]; whole[key] = $column["whole_s"]; ++n[key] }
    END { for (k in sum) if (!(sum[k] > 0.05 * whole[k] && sum[k] < 20 * whole[k] && n[k] % (k ~ /^host/ ? 7 : 11) == 0)) exit 1 }' "$tmp/kernels.csv" &&
  awk -F, -v gpu="$([[ $backend =~ ^(cuda|hip)$ ]] && echo 1)" 'NR == 1 { for (k = 1; k <= NF; ++k) column[$k] = k; n = NF; next }
    NF != n || $column["samples"] < 5 || !($column["mean_s"] > 0 && $column["deviation"] > 0) { exit 1 }
    $column["type"] == "kernels" && $column["part"] != "rk_step" && $column["bytes"] > 0 && (gpu == "") != ($column["launch_s"] == "") { exit 1 }
    $column["type"] == "kernels" && $column["part"] == "gemm_sf" && (gpu == "") != ($column["threads"] $column["registers"] $column["occupancy"] == "") { exit 1 }
    $column["part"] == "rhs" && (gpu == "") != ($column["occupancy"] == "") { exit 1 }' "$tmp/kernels.csv" && good=yes || good=""
verdict "run-water.sh: ways by degree and size, each kernel alone, two processes" "$good"

if [ -e "$tmp/water.md" ]; then
  [ "$(grep -c '^| triangles, double | 72 | \(kernels\|blas\|fused\) | .* | [0-9.e-]* | [0-9]* |$' "$tmp/water.md")" -eq 3 ] && grep -q '^| triangles, double, over blas | [0-9.]* | [0-9.]* |$' "$tmp/water.md" && grep -q "^right-hand sides: how many times faster fused is" "$tmp/water.md" &&
    [ "$(grep -c '^kernels, triangles, double: ' "$tmp/water.md")" -eq 6 ] && for name in size degree parts parts-size deviation appendix-triangles-double kernels ceiling; do [ "$(head -c 4 "$tmp/water-$name.png" | tail -c 3)" = PNG ] || break; done && [ -e "$tmp/water-ceiling.png" ] && good=yes || good=""
  verdict "waterfigures.py: tables and figures" "$good"
  # What a GPU would add: 40 registers for 128 threads are 12 blocks of 4 warps among 64, 18500 bytes and 1 KiB 11 blocks; a launch of 4 us in 20 us. Two rows with
  # another occupancy, which the formula does not have
  mkdir "$tmp/gpu"
  cp "$tmp/water.csv" "$tmp/gpu"
  awk 'BEGIN { FS = OFS = "," } NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; print; next } $c["type"] == "host" { print; next }
    $c["part"] !~ /library|equal|add|rk_step/ && $c["bytes"] > 0 { $c["threads"] = 128; $c["registers"] = 40; $c["local_bytes"] = 16; $c["shared_bytes"] = $c["part"] == "gemm_sf" ? 18500 : 5000; $c["occupancy"] = $c["part"] == "solve" && $c["degree"] == 1 ? 0.5 : $c["part"] == "gemm_sf" ? 0.6875 : 0.75 }
    { $c["launches"] = 1; $c["launch_s"] = 4e-6; $c["mean_s"] = 2e-5; $c["deviation"] = 0.03; $c["processor_threads"] = 2048; $c["processor_registers"] = 65536; $c["processor_blocks"] = 32; $c["processor_shared"] = 233472; print }' "$tmp/kernels.csv" >"$tmp/gpu/kernels.csv"
  "${PLEXGPU_PYTHON:-python3}" benchmarks/waterfigures.py -o "$tmp/gpu" "$tmp/gpu" >"$tmp/gpu/water.md" 2>"$tmp/output" &&
    has "Table 5.1, kernels, triangles, double, p = 1 to 4" "gemm_sf 128 40 18500 16" && has "Table 5.2, fused, triangles, double: occupancy, %, by p" "rhs 75 75" &&
    has "Table C.1: launch, us, blas, triangles, double, N_E = 72, by p" "collocation_u 4 4" && has "Table C.1: launch over the kernel's time, %, kernels, triangles, double, p = 4, by N_E" "collocation_u 20 20" &&
    has "Table C.2: relative standard deviation, %, kernels, triangles, double, p = 4, by N_E" "rk_step 3 3" &&
    for name in occupancy launch; do [ "$(head -c 4 "$tmp/gpu/water-$name.png" | tail -c 3)" = PNG ] || break; done && [ -e "$tmp/gpu/water-launch.png" ] &&
    awk '/^The formula of figure 5.3 .* not for solve, p = 1$/ { good = $11 > 0 && $11 + 2 == $13 } END { exit !good }' "$tmp/gpu/water.md" && good=yes || good=""
  verdict "waterfigures.py: what a GPU adds" "$good"
else
  echo "skip waterfigures: there is no Python with matplotlib to draw them"
fi
[ "$failures" -eq 0 ]
