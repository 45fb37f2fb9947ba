#!/bin/bash
# Hybridized DG on this machine's GPU, or on the backend $BACKEND. From an unpacked bundle: ./run benchmarks/run-hdg.sh. SERIES="tables rates growth large curved scaling figures table7" of
#   tables   Tables 1 to 7 of King et al. (2014), N x N of $CELLS ("20 40 80"), degrees $DEGREES (1,...,9), and the host's one core
#   rates    the rate of the local matrices' kernel, and of batched products of cuBLAS of its sizes, on $RATES x $RATES (160)
#   growth   all of a solve against one core at degree 3, on $GROWTH ("80 160 320 640")
#   large    the stages against the trace's solve at degree 3, on $LARGE x $LARGE (1000), behind set-up by stage
#   curved   meshes with no curved cell, 2 % and all, degrees $CURVEDDEGREES (2,3,6), on $CURVED x $CURVED (320): stages beside affine elements
#   figures  figures 5 to 7 and Table 7 of the paper, on N x N of $CELLS, degrees $DEGREES, on the backend and on one core of the host: hdgfigures.py
#   table7   Table 7 in 3D, N x N x N of $CUBES ("8 16"), degrees $CUBEDEGREES (1,2,3,4,5), and on several processes, $RANKS of them, degrees $RANKDEGREES (1,3), in 2D on $SQUARE x $SQUARE (160) and in 3D on the largest cubes
#   scaling  weak scaling, a process a GPU, on $RANKS (1, 2, 4, ... up to the GPUs there are) processes: $SIDE (25) squares along a side of each, refined $REFINE (4) times
# Kernels are compiled first, on small meshes, all degrees at once, in $WARM seconds at most (default 120; 0: not).
# A case is not started when $BUDGET seconds (default 570) have gone, and is stopped after $CASE seconds (default 300). The results go to $OUT (default build/bench-hdg):
# tables.csv, rates.csv, growth.csv, large.csv, scaling.csv, figures.csv, table7.csv, hdg.md with all tables, efficiency.md, and figures.md with figures where there is a Python with matplotlib.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-hdg}
backend=${BACKEND:-cuda}
budget=${BUDGET:-570}
degrees=${DEGREES:-1,2,3,4,5,6,7,8,9}
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ -z "${RANKS:-}" ]; then
  RANKS=1
  for ((n = 2; n <= (gpus > 0 ? gpus : $(env -u OMP_NUM_THREADS nproc)); n *= 2)); do RANKS="$RANKS $n"; done
fi
mkdir -p "$out"
rm -f "$out"/*.csv "$out"/*.md
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
failed=0

# measure WHAT COMMAND...: within what is left of the time
measure() {
  local what=$1 left=$((budget - SECONDS)) limit=${CASE:-300}
  shift
  if [ $left -le 10 ]; then
    echo "-- $what: not started, $SECONDS of $budget s have gone" | tee -a "$out/hdg.md"
    failed=$((failed + 1))
    return
  fi
  echo "-- $what ($SECONDS s)"
  timeout $((limit < left ? limit : left)) "$@" 2>&1 | tee -a "$out/hdg.md"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    echo "-- $what: not finished, or with an error" | tee -a "$out/hdg.md"
    failed=$((failed + 1))
  fi
}

if [ "$backend" = cuda ] && [ "${WARM:-120}" -gt 0 ]; then
  for n in ${degrees//,/ }; do
    timeout "${WARM:-120}" "$bin/hdg" -bench_backend "$backend" -cells 2 -degrees "$n" -reps 1 -rates >/dev/null 2>&1 &
  done
  wait
  echo "-- kernels compiled in $SECONDS s"
fi
for s in ${SERIES:-tables rates growth large}; do
  case $s in
  tables)
    for n in ${CELLS:-20 40 80}; do measure "tables of $n x $n" "$bin/hdg" -bench_backend "$backend" -cells "$n" -degrees "$degrees" -host -csv "$out/tables.csv"; done
    ;;
  rates)
    measure "rates" "$bin/hdg" -bench_backend "$backend" -cells "${RATES:-160}" -degrees "$degrees" -rates -cg 0 -reps 1 -plex_hdg_ksp_rtol 1e-3 -csv "$out/rates.csv"
    ;;
  growth)
    for n in ${GROWTH:-80 160 320 640}; do measure "growth, $n x $n" "$bin/hdg" -bench_backend "$backend" -cells "$n" -degrees "${GROWTHDEGREES:-3}" -host -cg 0 -reps 1 -csv "$out/growth.csv"; done
    ;;
  large)
    measure "${LARGE:-1000} x ${LARGE:-1000}" "$bin/hdg" -bench_backend "$backend" -cells "${LARGE:-1000}" -degrees 3 -cg 0 -reps 1 -csv "$out/large.csv"
    ;;
  curved)
    measure "curved cells" "$bin/hdgcurved" -bench_backend "$backend" -cells "${CURVED:-320}" -degrees "${CURVEDDEGREES:-2,3,6}"
    ;;
  scaling)
    for n in $RANKS; do
      PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0} measure "$n processes" "${MPIEXEC:-mpiexec}" -n "$n" "$bin/hdgscaling" -bench_backend "$backend" -cells "${SIDE:-25}" -refine "${REFINE:-4}" -degrees "${SCALINGDEGREES:-3}" -csv "$out/scaling.csv" # Open MPI as distributions have it cannot read the GPU's memory
    done
    {
      printf '\n| P | processes | local matrices | assembly | right-hand side | local solve | post-processing | all but the solve | trace solve | iterations |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n'
      awk -F, 'function share(k, v) { return v > 0 ? sprintf("%.0f %%", 100 * one[$4, k] / v) : "-" }
        NR > 1 { rest = $7 + $8 + $9 + $11 + $12
          if ($3 == 1) { for (k = 7; k <= 12; ++k) one[$4, k] = $k; one[$4, 0] = rest }
          printf "| %d | %d | %s | %s | %s | %s | %s | %s | %s | %d |\n", $4, $3, share(7, $7), share(8, $8), share(9, $9), share(11, $11), share(12, $12), share(0, rest), share(10, $10), $14 }' "$out/scaling.csv"
    } | tee "$out/efficiency.md"
    ;;
  figures)
    for n in ${CELLS:-20 40 80}; do
      measure "figures of $n x $n" "$bin/hdg" -bench_backend "$backend" -cells "$n" -degrees "$degrees" -rates -csv "$out/figures.csv"
      if [ "$backend" != host ]; then PLEXGPU_OPTIONS="${PLEXGPU_OPTIONS:-} -plexgpu_threads 1" measure "figures of $n x $n on one core" "$bin/hdg" -bench_backend host -cells "$n" -degrees "$degrees" -cg 0 -reps 1 -csv "$out/figures.csv"; fi
    done
    "${PLEXGPU_PYTHON:-python3}" benchmarks/hdgfigures.py "$out/figures.csv" -o "$out" >"$out/figures.md" 2>&1 || failed=$((failed + 1))
    cat "$out/figures.md"
    ;;
  table7)
    for n in ${CUBES:-8 16}; do measure "Table 7, $n x $n x $n" "$bin/hdg" -bench_backend "$backend" -dim 3 -cells "$n" -degrees "${CUBEDEGREES:-1,2,3,4,5}" -csv "$out/table7.csv"; done
    for n in $RANKS; do
      if [ "$n" -eq 1 ]; then continue; fi
      cubes=${CUBES:-8 16}
      for case in "-dim 2 -cells ${SQUARE:-160}" "-dim 3 -cells ${cubes##* }"; do
        read -r -a mesh <<<"$case"
        PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0} measure "Table 7, $case, $n processes" "${MPIEXEC:-mpiexec}" -n "$n" "$bin/hdg" -bench_backend "$backend" "${mesh[@]}" -degrees "${RANKDEGREES:-1,3}" -csv "$out/table7.csv"
      done
    done
    ;;
  *)
    echo "run-hdg.sh: SERIES has tables, rates, growth, large, curved, scaling, figures and table7, not $s" >&2
    exit 2
    ;;
  esac
done
if "${PLEXGPU_PYTHON:-python3}" -c '' 2>/dev/null; then "${PLEXGPU_PYTHON:-python3}" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
