#!/bin/bash
# `make bench-gpu`: the assembly benchmark on this machine's GPU, every type, from the meshes of Cecka, Lew and Darve 2011 to
# higher orders and other cells, then the tables of precision. A case is not started when $BUDGET seconds (default 540) have gone
# and is stopped after $CASE seconds (default 170). The results go to $OUT (default build/bench-gpu): bench.md, assembly.csv,
# precision.h5.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-gpu}
budget=${BUDGET:-540}
case=${CASE:-170}
mkdir -p "$out"
rm -f "$out/assembly.csv" "$out/bench.md"
failed=0

# run NAME COMMAND...: one case, within what is left of the time
run() {
  local name=$1 left=$((budget - SECONDS))
  shift
  if [ $left -le 10 ]; then
    echo "-- $name: not started, $SECONDS of $budget s have gone" | tee -a "$out/bench.md"
    return
  fi
  echo "-- $name ($SECONDS s)"
  timeout $((left < case ? left : case)) "$@" 2>&1 | tee -a "$out/bench.md"
  local status=${PIPESTATUS[0]}
  if [ "$status" -ne 0 ]; then
    echo "-- $name: ended with status $status$([ "$status" -eq 124 ] && echo ', out of time')" | tee -a "$out/bench.md"
    failed=$((failed + 1))
  fi
}
assembly() { run "assembly $*" "$bin/assembly" -bench_backend cuda "$@" -csv "$out/assembly.csv"; }

# The paper's largest mesh, 2.4 M nodes and 4.8 M triangles (ours: 2.6 M and 5.2 M), and its like in 3D, 1.3 M nodes and 7.5 M tetrahedra
assembly -mesh examples/plate-coarse.msh -refine 7
assembly -cell tetrahedron -refine 4
# Orders 2 to 5 in 2D, 2 to 4 in 3D
assembly -mesh examples/plate-coarse.msh -refine 6 -order 2
assembly -cell tetrahedron -refine 3 -order 2
assembly -mesh examples/plate-coarse.msh -refine 5 -order 3
assembly -cell tetrahedron -refine 2 -order 3
assembly -mesh examples/plate-coarse.msh -refine 5 -order 4
assembly -cell tetrahedron -refine 2 -order 4
assembly -mesh examples/plate-coarse.msh -refine 4 -order 5
# Quadrilaterals and hexahedra
assembly -cell quadrilateral -faces 1000
assembly -cell hexahedron -faces 96
assembly -cell quadrilateral -faces 400 -order 2
assembly -cell hexahedron -faces 32 -order 2
# Vectors, and the order of the cells
assembly -cell tetrahedron -refine 3 -vector
assembly -mesh examples/plate-coarse.msh -refine 6 -reorder morton
run precision "$bin/precision" -levels 7 -output "$out/precision.h5"
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
