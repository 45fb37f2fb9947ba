#!/usr/bin/env bash
# The assembly benchmark on small meshes: what it measures are the right entries, in the COO path's matrix, numbered at random and with
# moved vertices too; and its tables and figures are made. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-emulate}
backend=${backend##*,}

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok benchmarks: $1"
  else
    tail -n 30 "$tmp/output"
    echo "not ok benchmarks: $1"
    failures=$((failures + 1))
  fi
}

# right ROWS TOLERANCE: the file of -csv has so many rows, all of them compared and within the tolerance
right() {
  awk -F, -v rows="$1" -v most="$2" 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == "difference") column = k; next }
    !(column && $column >= 0 && $column + 0 <= most) { bad = 1 } END { exit bad || NR - 1 != rows }' "$tmp/case.csv"
}

# try ROWS TOLERANCE OPTIONS...
try() {
  local rows=$1 most=$2 good=""
  shift 2
  rm -f "$tmp/case.csv"
  timeout 300 build/benchmarks/assembly -bench_backend "$backend" -reps 1 "$@" -csv "$tmp/case.csv" >"$tmp/output" 2>&1 && right "$rows" "$most" && good=yes
  verdict "assembly $*" "$good"
  if [ -e "$tmp/case.csv" ]; then cp "$tmp/case.csv" "$tmp/$((++files)).csv"; fi
}

files=0
# A mesh of 316 triangles: the eight types and the COO path, twice
try 18 1e-12 -mesh examples/plate-coarse.msh -refine 1 -shuffle
try 18 1e-12 -mesh examples/plate-coarse.msh -refine 0 -order 2 -nonlinear
try 9 1e-12 -mesh examples/plate-coarse.msh -refine 0 -dummy
try 3 1e-12 -mesh examples/plate-coarse.msh -refine 1 -dummy -types element_atomic,global_row,coo
try 3 1e-12 -mesh examples/plate-coarse.msh -refine 1 -order 2 -dummy -types element_atomic,global_row,coo
try 3 1e-12 -cell tetrahedron -refine 0 -vector -types element_atomic,local_row,coo -coo_interleave 1
try 3 1e-12 -cell tetrahedron -refine 0 -order 2 -vector -types element_atomic,global_nz,coo -coo_interleave 32
try 6 1e-12 -cell hexahedron -faces 4 -move 0.1 -shuffle -types element_atomic,local_row,coo
# Interpolated geometry: an error of its own, far from rounding
try 2 1e-2 -cell hexahedron -faces 4 -move 0.1 -types element_atomic,coo -plex_assembly_integration tensor

# Integration alone, on the host: rows of every mode are there, compared with sums in double precision, and timed
integration() { # ROWS OPTIONS...
  local rows=$1 good=""
  shift
  rm -f "$tmp/case.csv"
  timeout 500 build/benchmarks/integration -bench_backend host -elements 600 -reps 1 "$@" -csv "$tmp/case.csv" >"$tmp/output" 2>&1 && sed -i 's/"[^"]*"/name/' "$tmp/case.csv" && right "$rows" 2e-6 &&
    awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == "seconds") column = k; next } !($column > 0) { bad = 1 } END { exit bad }' "$tmp/case.csv" && good=yes
  rm -f "$tmp/case.csv" # not for the tables of assembly
  verdict "integration $*" "$good"
}
if [ "$backend" = emulate ]; then
  integration 2 -mode one
  integration 14 -mode table -form elasticity
  [ "${PLEXGPU_TEST_LONG:-}" != yes ] || integration 29 -mode figures -form elasticity
fi
# A benchmark that measures nothing fails, and says so
if timeout 300 build/benchmarks/shallow_water -cells 2 -degrees 1 -host_cells 0 -ways none -bench_backend host >"$tmp/output" 2>&1; then good=""; else grep -q 'Nothing was measured' "$tmp/output" && good=yes || good=""; fi
verdict "shallow_water: nothing is measured, which is an error" "$good"

# Nodal DG: both tables, and scaling on two processes with an efficiency
timeout 300 build/benchmarks/dg -bench_backend "$backend" -types fused -cells 1 -degrees 2 -precisions double,single -reps 1 -host_cells 2 >"$tmp/output" 2>&1 && [ "$(grep -c '^| 2 | fused | \(double\|single\) | .* (\(bytes\|flops\)) |' "$tmp/output")" -eq 2 ] && good=yes || good=""
verdict "dg: ceilings and the host beside" "$good"
timeout 300 build/benchmarks/shallow_water -bench_backend "$backend" -cells 2 -degrees 2 -reps 1 -host_cells 2 -stages "$tmp/water-stages" >"$tmp/output" 2>&1 && grep -q '^| 2 | blas | 4 |' "$tmp/output" && grep -q '^| 2 | [a-z]* | double | rk_step | .* | [0-9.e+-]* % |$' "$tmp/output" &&
  { [[ $backend =~ ^(cuda|hip)$ ]] || grep -q '^| 2 | [a-z]* | double | map_to_face | .* | - | - | - | - | - | - | [0-9.e+-]* % |$' "$tmp/output"; } && [ "$(head -n 2 "$tmp/water-stages" | tr -cd ',\n' | sort -u | wc -l)" -eq 1 ] && grep -q '^result: benchmark=shallow_water lines=[13]$' "$tmp/output" && good=yes || good=""
verdict "shallow_water: a step beside the host" "$good"
RANKS="1 2" BENCH_BACKEND=${backend/emulate/host} CELLS=2 REFINE=0 OUT=$tmp/scaling timeout 300 benchmarks/run-dg-scaling.sh >"$tmp/output" 2>&1 && [ "$(grep -c '^| 4 | double | [12] | .* % |$' "$tmp/output")" -eq 2 ] && good=yes || good=""
verdict "run-dg-scaling.sh: efficiency of two processes" "$good"
timeout 300 build/benchmarks/hdgproducts -bench_backend "$backend" -cells 2 -degrees 2 -reps 1 >"$tmp/output" 2>&1 && [ "$(awk -F'|' '/^. 2 /{print $7}' "$tmp/output" | sort | uniq -c | awk '{print $1, NF}')" = "3 2" ] && good=yes || good=""
verdict "hdgproducts: three ways with as many iterations" "$good"

# The same build twice, as two libraries: their results have the same bits where sums have one order
cp build/lib/libplexgpu.so.0 "$tmp/other.so.0"
sources=$PWD/cuda
[ -d "$sources" ] || sources=$PWD/build/share/plexgpu/cuda # of a bundle
timeout 300 build/benchmarks/ab -bench_backend "$backend" -old build/lib/libplexgpu.so.0 -new "$tmp/other.so.0" -new_sources "$sources" -type local_row -coarser 6 -spaces P1triangles,P1elasticity -reps 1 -csv "$tmp/ab" >"$tmp/output" 2>&1 &&
  [ "$(grep -c '^P1.*,0$' "$tmp/ab")" -eq 8 ] && grep -q '^result: benchmark=ab .* rows=8 .* largest_difference=0.0e+00$' "$tmp/output" && good=yes || good=""
verdict "ab: the same build twice, in order and numbered at random" "$good"

timeout 300 build/benchmarks/regret -bench_backend "$backend" -coarser 5 -spaces P1triangles,Q1hexahedra -reps 1 -most 10 -types element_atomic,local_row -csv "$tmp/regret" >"$tmp/output" 2>&1 &&
  [ "$(wc -l <"$tmp/regret")" -eq 5 ] && grep -q '^result: benchmark=regret .* rows=2 worst_ratio=' "$tmp/output" && good=yes || good=""
verdict "regret: auto beside two types, on two spaces" "$good"

# pairs do not serve the form with g0 and g1
timeout 300 build/benchmarks/variants -bench_backend "$backend" -coarser 5 -spaces P1triangles,Q1quadrilaterals -forms heat,reaction -reps 1 -types element_atomic:plain,shared_nz:edges,local_row:symmetry -csv "$tmp/variants" >"$tmp/output" 2>&1 &&
  [ "$(wc -l <"$tmp/variants")" -eq 10 ] && [ "$(grep -c 'P1triangles,.*,shared_nz:edges' "$tmp/variants")" -eq 1 ] && good=yes || good=""
verdict "variants: two forms on two spaces, by those of three variants that serve" "$good"

python=${PLEXGPU_PYTHON:-python3}
if "$python" -c '' 2>/dev/null; then
  "$python" benchmarks/summary.py "$tmp"/*.csv >"$tmp/output" 2>&1 && grep -q '^| P2 tetrahedra, elasticity | tensors |' "$tmp/output" && grep -q 'Q1 hexahedra, moved vertices | tensors, degree 2 |' "$tmp/output" &&
    [ "$(grep -c '^| P1 triangles' "$tmp/output")" -ge 3 ] && grep -q 'by quadrature, over' "$tmp/output" && good=yes || good=""
  verdict "summary.py: a line for each space, numbered at random, and nonlinear" "$good"
  if "$python" -c 'import matplotlib, numpy' 2>/dev/null; then
    "$python" benchmarks/figures.py -o "$tmp" "$tmp"/*.csv >"$tmp/output" 2>&1 && for name in size order; do [ "$(head -c 4 "$tmp/assembly-$name.png" | tail -c 3)" = PNG ] || break; done && good=yes || good=""
    verdict "figures.py: times against size and order" "$good"
  fi
  # Whole runs of the examples that know PETSc alone, on the host, PETSc's assembly beside: a row each
  names=mantle
  if [ "${PLEXGPU_TEST_LONG:-}" = yes ] && [ -x build/examples/fault ] && ! grep -qs '^#define PETSC_VERSION_MINOR *25$' "${PETSC_DIR:-}/include/petscversion.h"; then names="mantle fault"; fi
  # shellcheck disable=SC2086 # words
  timeout 300 "$python" benchmarks/solution.py -s small -n 1 -o "$tmp/solution" $names >"$tmp/output" 2>&1 &&
    [ "$(grep -c '^| .* [0-9]* % |$' "$tmp/output")" -eq "$(wc -w <<<"$names")" ] && good=yes || good=""
  verdict "solution.py: whole runs of $names" "$good"
else
  echo "skip benchmarks: there is no Python to make their tables"
fi
[ "$failures" -eq 0 ]
