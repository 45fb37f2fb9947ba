#!/bin/bash
# `make bench`: the tables of precision, and the benchmarks of assembly and of integration alone on this machine's processor; a minute or two.
# The results go to $OUT (default build/bench): bench.md, assembly.csv, integration.csv, precision.h5.
set -eo pipefail
cd "$(dirname "$0")/.."
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench}
mkdir -p "$out"
rm -f "$out/assembly.csv" "$out/integration.csv"
assembly() { echo "-- assembly $*" >&2; "$bin/assembly" "$@" -csv "$out/assembly.csv"; }
{
  echo "-- precision" >&2
  "$bin/precision" -output "$out/precision.h5"
  for order in 1 2 3; do
    assembly -bench_backend host -cell triangle -refine 2 -order $order
    assembly -bench_backend host -cell tetrahedron -refine 1 -order $order
  done
  assembly -bench_backend host -cell quadrilateral -faces 100
  assembly -bench_backend host -cell hexahedron -faces 16
  assembly -bench_backend host -cell tetrahedron -refine 1 -vector
  echo "-- integration" >&2
  "$bin/integration" -bench_backend host -csv "$out/integration.csv"
} | tee "$out/bench.md"
echo "Wrote $out/bench.md, $out/assembly.csv, $out/integration.csv and $out/precision.h5"
