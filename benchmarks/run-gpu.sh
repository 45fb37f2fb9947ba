#!/bin/bash
# `make bench-gpu`: the assembly benchmark on this machine's GPU, every type and the COO path. $SERIES names what runs (default: jacobians figures
# precision): `jacobians`, the spaces that summary.py puts into one table, with meshes numbered at random and a nonlinear form; `figures`, times against
# the size of the mesh and the order of the elements with a dummy element kernel beside, which figures.py draws; `usual`, residuals and Jacobians on
# meshes that came before; `precision`, Tables VI and VII of Cecka, Lew and Darve 2011. $JOBS cases (default: three quarters of the cores, at most 12)
# make their meshes and plans at the same time, and take turns in measuring. No case is started when $BUDGET seconds (default 540) have gone, and none
# runs longer than what is left of them. LARGE="triangle2 tetrahedron4:local_row,local_nz ..." runs the largest meshes of those orders instead, all types
# or those named. The results go to $OUT (default build/bench-gpu): summary.md, bench.md, assembly.csv, precision.h5, and
# results/*.csv, rows of benchmarks/results.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-gpu}
budget=${BUDGET:-540}
jobs=${JOBS:-$(n=$(($(env -u OMP_NUM_THREADS nproc) * 3 / 4)); echo $((n > 12 ? 12 : n < 1 ? 1 : n)))}
python=${PLEXGPU_PYTHON:-python3}
mkdir -p "$out"
rm -rf "$out/assembly.csv" "$out/bench.md" "$out/summary.md" "$out/cases"
mkdir "$out/cases"
cases=0

# run NAME COMMAND...: one case in the background, once there is room, its output to a file of its own
run() {
  local name=$1 left file
  shift
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  left=$((budget - SECONDS))
  cases=$((cases + 1))
  file=$(printf '%s/cases/%02d' "$out" "$cases")
  if [ $left -le 10 ]; then
    echo "-- $name: not started, $SECONDS of $budget s have gone" | tee "$file.md"
    return
  fi
  echo "-- $name ($SECONDS s)"
  {
    timeout "$left" "$@" >"$file.md" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
      echo "-- $name: ended with status $status$([ $status -eq 124 ] && echo ', out of time')" | tee -a "$file.md"
      touch "$file.failed"
    fi
  } &
}
assembly() { run "assembly $*" "$bin/assembly" -bench_backend "${BACKEND:-cuda}" -lock "$out/cases/lock" -csv "$out/cases/$(printf %02d $((cases + 1))).csv" "$@"; }

# The last refinement at which the entries of all element matrices can be numbered with 31 bits; 15 to 50 GB of host memory each
large() {
  case $1 in
  triangle2) set -- "$@" -mesh examples/plate-coarse.msh -refine 8 -order 2 ;;
  triangle3) set -- "$@" -mesh examples/plate-coarse.msh -refine 7 -order 3 ;;
  triangle4) set -- "$@" -mesh examples/plate-coarse.msh -refine 7 -order 4 ;;
  triangle5) set -- "$@" -mesh examples/plate-coarse.msh -refine 6 -order 5 ;;
  tetrahedron2) set -- "$@" -cell tetrahedron -refine 4 -order 2 ;;
  tetrahedron3) set -- "$@" -cell tetrahedron -refine 3 -order 3 ;;
  tetrahedron4) set -- "$@" -cell tetrahedron -refine 3 -order 4 ;;
  *) echo "LARGE: $1 is not triangle2 to triangle5 or tetrahedron2 to tetrahedron4" && exit 2 ;;
  esac
  local types=$2
  shift 2
  assembly "$@" ${types:+-types "$types"}
}

# shared GROUPS OPTIONS...: a case whose types are shared out to processes, GROUPS separated by blanks
shared() {
  local groups=$1 types
  shift
  for types in $groups; do assembly "$@" -types "$types" -reference_cells 20000; done
}

# Those that take longest first
jacobians() {
  shared "coo element_atomic,element_color,global_row,local_row global_nz,shared_nz shared_row,local_nz" -cell hexahedron -faces 79 -order 2 -move 0.1
  shared "element_atomic,element_color,coo local_row,global_row global_nz,shared_nz shared_row,local_nz" -cell tetrahedron -refine 4
  shared "element_atomic,local_row,coo,element_color global_nz,global_row,shared_nz,shared_row,local_nz" -mesh examples/plate-coarse.msh -refine 7 -shuffle -shuffle_reorder hilbert
  assembly -cell tetrahedron -refine 3 -order 2 -shuffle -shuffle_reorder hilbert -reference_cells 20000
  assembly -cell tetrahedron -refine 3 -order 2 -nonlinear -reference_cells 20000
  assembly -cell hexahedron -faces 115 -move 0.1 -reference_cells 20000
  assembly -cell hexahedron -faces 115 -move 0.1 -reference_cells 20000 -plex_assembly_integration tensor
  assembly -cell tetrahedron -refine 2 -order 4 -reference_cells 20000
  assembly -cell tetrahedron -refine 2 -order 2 -vector -reference_cells 20000
  assembly -mesh examples/plate-coarse.msh -refine 6 -order 2 -reference_cells 20000
  assembly -cell tetrahedron -refine 3 -vector -reference_cells 20000
  assembly -cell tetrahedron -refine 2 -order 3 -reference_cells 20000
}

# After 12 to 14 of Cecka, Lew and Darve
figures() {
  local order refine
  for refine in 7 6; do assembly -mesh examples/plate-coarse.msh -refine $refine -dummy -reference_cells 100000; done
  for order in 5 4 3 2; do assembly -mesh examples/plate-coarse.msh -refine 4 -order $order -dummy -reference_cells 100000; done
  for refine in 5 4 3 2 1; do assembly -mesh examples/plate-coarse.msh -refine $refine -dummy -reference_cells 100000; done
}

usual() {
  # Those that take longest first
  assembly -cell tetrahedron -refine 4
  assembly -cell tetrahedron -refine 3 -order 3
  assembly -mesh examples/plate-coarse.msh -refine 6 -order 4
  assembly -mesh examples/plate-coarse.msh -refine 7 -order 2
  assembly -mesh examples/plate-coarse.msh -refine 5 -order 5
  assembly -cell tetrahedron -refine 2 -order 4
  assembly -mesh examples/plate-coarse.msh -refine 6 -order 3
  # The paper's largest mesh, 2.4 M nodes and 4.8 M triangles (ours: 2.6 M and 5.2 M); its like in 3D, 1.3 M nodes and 7.5 M tetrahedra, is above
  assembly -mesh examples/plate-coarse.msh -refine 7
  assembly -cell tetrahedron -refine 3 -order 2
  # Vectors, quadrilaterals and hexahedra
  assembly -cell tetrahedron -refine 3 -vector
  assembly -cell hexahedron -faces 96
  assembly -cell hexahedron -faces 40 -order 2
  assembly -cell quadrilateral -faces 1000
  assembly -cell quadrilateral -faces 500 -order 2
  # The order of the cells
  assembly -mesh examples/plate-coarse.msh -refine 6 -reorder morton
}

precision() { run precision "$bin/precision" -levels 7 -output "$out/precision.h5"; }

if [ -n "$LARGE" ]; then
  for name in $LARGE; do large "${name%%:*}" "$([[ $name == *:* ]] && echo "${name#*:}")"; done
else
  for series in ${SERIES:-jacobians figures precision}; do
    case $series in
    jacobians | figures | usual | precision) "$series" ;;
    *) echo "SERIES: $series is not jacobians, figures, usual or precision" && exit 2 ;;
    esac
  done
fi
wait
cat "$out"/cases/*.md >"$out/bench.md"
for file in "$out"/cases/*.csv; do
  if [ ! -e "$file" ]; then continue; fi
  if [ ! -e "$out/assembly.csv" ]; then head -n 1 "$file" >"$out/assembly.csv"; fi
  tail -n +2 "$file" >>"$out/assembly.csv"
done
if [ -e "$out/assembly.csv" ] && "$python" -c '' 2>/dev/null; then "$python" benchmarks/summary.py "$out/assembly.csv" >"$out/summary.md"; fi
if "$python" -c '' 2>/dev/null; then "$python" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
failed=$(find "$out/cases" -name '*.failed' | wc -l)
rm -rf "$out/cases"
cat "$out/bench.md"
[ ! -e "$out/summary.md" ] || cat "$out/summary.md"
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
