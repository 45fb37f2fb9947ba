#!/bin/bash
# Weak and strong scaling of assembly over the GPUs of this machine, a process a GPU: tetrahedra of order 1 and 2, and hexahedra of
# order 2. From an unpacked bundle: ./run benchmarks/run-scaling.sh
#
# RANKS (default: 1, 2, 4, ... up to the GPUs there are) processes; a case is not started when $BUDGET seconds (default 540) have
# gone and is stopped after $CASE seconds (default 170). SIZE makes the meshes larger: cubes along a side of the coarse box (weak
# default 12, strong 16). BENCH_BACKEND=host measures the processor. The results go to $OUT (default build/bench-scaling): scaling.md,
# scaling.csv, and efficiency.md, which is printed at the end.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-scaling}
budget=${BUDGET:-540}
case=${CASE:-170}
backend=${BENCH_BACKEND:-cuda}
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ -z "${RANKS:-}" ]; then
  RANKS=1
  for ((n = 2; n <= (gpus > 0 ? gpus : $(nproc)); n *= 2)); do RANKS="$RANKS $n"; done
fi
mkdir -p "$out"
rm -f "$out/scaling.csv" "$out/scaling.md" "$out/efficiency.md"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0} # Open MPI as distributions have it cannot read the GPU's memory
failed=0

# scaling ARGUMENTS...: one case on each number of processes, within what is left of the time
scaling() {
  local ranks left status
  for ranks in $RANKS; do
    left=$((budget - SECONDS))
    if [ $left -le 10 ]; then
      echo "-- $ranks processes, $*: not started, $SECONDS of $budget s have gone" | tee -a "$out/scaling.md"
      continue
    fi
    echo "-- $ranks processes, $* ($SECONDS s)"
    timeout $((left < case ? left : case)) "${MPIEXEC:-mpiexec}" -n "$ranks" "$bin/scaling" -bench_backend "$backend" "$@" -csv "$out/scaling.csv" 2>&1 | tee -a "$out/scaling.md"
    status=${PIPESTATUS[0]}
    if [ "$status" -ne 0 ]; then
      echo "-- $ranks processes, $*: ended with status $status$([ "$status" -eq 124 ] && echo ', out of time')" | tee -a "$out/scaling.md"
      failed=$((failed + 1))
    fi
  done
}

scaling -weak true -order 1 -faces "${SIZE:-12}" -refine 3
scaling -weak true -order 2 -faces "${SIZE:-12}" -refine 2
scaling -weak false -order 1 -faces "${SIZE:-16}" -refine 3
scaling -weak false -order 2 -faces "${SIZE:-16}" -refine 2
scaling -weak true -cell hexahedron -order 2 -faces "${SIZE:-16}" -refine 1

# Efficiency against one process: weak T1 / Tp, strong T1 / (p Tp), T the Jacobian and the residual together
awk -F, '
  NR == 1 { next }
  {
    key = $1 "," $2 "," $3 "," $4; T = $9 + $12
    if (!(key in one)) { one[key] = T * ($1 == "strong" ? $6 : 1); print (seen++ ? "\n" : "") "**" $2 ", order " $3 ", " $4 ", " $1 "**\n\n| processes | elements | J ms | elements | exchange | F ms | elements | exchange | MB sent | efficiency |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|" }
    printf "| %d | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.1f | %.0f %% |\n", $6, $7, $9, $10, $11, $12, $13, $14, $15, 100 * one[key] / (T * ($1 == "strong" ? $6 : 1))
  }' <(head -n 1 "$out/scaling.csv"; tail -n +2 "$out/scaling.csv" | sort -t, -s -k1,1 -k2,2 -k3,3 -k4,4 -k6,6n) | tee "$out/efficiency.md"
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
