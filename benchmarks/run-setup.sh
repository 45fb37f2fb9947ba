#!/usr/bin/env bash
# Set-up on this machine's GPU, and what a user sees of it. From an unpacked bundle: ./run benchmarks/run-setup.sh. SERIES="setup regret solution" of
#   setup     before the first Jacobian, part by part, of the spaces $SPACES ("P1-triangles ..."), types $TYPES ("shared_nz,local_row,global_row,element_atomic")
#   regret    the time of auto over that of the best type in hindsight, after 1 to 10,000 Jacobians
#   solution  PETSc's tutorials as whole runs, PETSc alone beside
# The least of $REPS (2) set-ups counts, so that kernels come from the cache. A case is not started when $BUDGET seconds (default 570) have gone. The results go to $OUT
# (default build/bench-setup): setup-*.md, regret.csv, solution.csv, and rows for benchmarks/results.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-setup}
budget=${BUDGET:-570}
types=${TYPES:-shared_nz,local_row,global_row,element_atomic}
mkdir -p "$out"
rm -f "$out"/setup-*.md "$out"/*.csv
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=0

# measure WHAT FUNCTION ARGUMENT...: a function of this script, within what is left of the time
measure() {
  local what=$1 left=$((budget - SECONDS))
  shift
  if [ $left -le 10 ]; then
    echo "-- $what: not started, $SECONDS of $budget s have gone"
    failed=$((failed + 1))
    return
  fi
  echo "-- $what ($SECONDS s)"
  if ! limit=$left "$@"; then
    echo "-- $what: not finished, or with an error"
    failed=$((failed + 1))
  fi
}

# program COMMAND...: within $limit seconds
program() { timeout "$limit" "$@"; }

# space NAME ORDER MESH...
space() {
  local name=$1 order=$2
  shift 2
  timeout "$limit" "$bin/setup" "$@" -order "$order" -setup_backend cuda -types "$types" -reps "${REPS:-2}" >"$out/setup-$name.md"
  local status=$?
  grep '^|\|^The matrix' "$out/setup-$name.md"
  return $status
}

for s in ${SERIES:-setup regret solution}; do
  case $s in
  setup)
    for name in ${SPACES:-P1-triangles P1-tetrahedra P2-tetrahedra Q2-hexahedra}; do
      case $name in
      P1-triangles) mesh="1 -dm_plex_filename examples/plate-coarse.msh -refine 7" ;;
      P1-tetrahedra) mesh="1 -dm_plex_filename examples/block.msh -refine 4" ;;
      P2-tetrahedra) mesh="2 -dm_plex_filename examples/block.msh -refine 3" ;;
      P4-tetrahedra) mesh="4 -dm_plex_filename examples/block.msh -refine 2" ;;
      Q2-hexahedra) mesh="2 -dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces 79,79,79 -move 0.1" ;;
      *) echo "run-setup.sh: no space $name" >&2 && exit 1 ;;
      esac
      # shellcheck disable=SC2086 # options are words
      measure "set-up, $name" space "$name" $mesh
    done
    ;;
  regret) measure "regret" program "$bin/regret" -csv "$out/regret.csv" ;;
  solution) measure "solution" program "${PLEXGPU_PYTHON:-python3}" benchmarks/solution.py -b "${BUILD:-build}" -o "$out" ;;
  esac
done
if "${PLEXGPU_PYTHON:-python3}" -c '' 2>/dev/null; then "${PLEXGPU_PYTHON:-python3}" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
