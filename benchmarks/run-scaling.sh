#!/bin/bash
# Weak and strong scaling of assembly over the GPUs of this machine, a process a GPU: tetrahedra of order 2 and, refined once more, of
# order 1. From an unpacked bundle: ./run benchmarks/run-scaling.sh
#
# RANKS (default: 1, 2, 4, ... up to the GPUs there are) processes; a case is not started when $BUDGET seconds (default 540) have
# gone and is stopped after $CASE seconds (default 170). One process has a box of $SIZE (12) cubes along a side, refined twice for order
# 2 and three times for order 1: 0.66 and 5.3 million tetrahedra. Weak scaling has as many on each process; strong scaling $STRONG
# ($SIZE) cubes in all. TYPES="element_atomic,global_nz" are measured on the same meshes. BENCH_BACKEND=host measures the processor. The
# results go to $OUT (default build/bench-scaling): scaling.md, scaling.csv, and efficiency.md (where there is Python), which is printed at the end.
cd "$(dirname "$0")/.." || exit 1
bin=${BUILD:-build}/benchmarks
out=${OUT:-build/bench-scaling}
budget=${BUDGET:-540}
case=${CASE:-170}
backend=${BENCH_BACKEND:-cuda}
size=${SIZE:-12}
strong=${STRONG:-$size}
refine=${REFINE:-2,3}
types=${TYPES:-element_atomic}
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ -z "${RANKS:-}" ]; then
  RANKS=1
  for ((n = 2; n <= (gpus > 0 ? gpus : $(env -u OMP_NUM_THREADS nproc)); n *= 2)); do RANKS="$RANKS $n"; done
fi
mkdir -p "$out"
rm -f "$out/scaling.csv" "$out/scaling.md" "$out/efficiency.md"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0} # Open MPI as distributions have it cannot read the GPU's memory
failed=0

# scaling RANKS ARGUMENTS...: one case, within what is left of the time
scaling() {
  local ranks=$1 left=$((budget - SECONDS)) status
  shift
  if [ $left -le 10 ]; then
    echo "-- $ranks processes, $*: not started, $SECONDS of $budget s have gone" | tee -a "$out/scaling.md"
    return
  fi
  echo "-- $ranks processes, $* ($SECONDS s)"
  timeout $((left < case ? left : case)) "${MPIEXEC:-mpiexec}" -n "$ranks" "$bin/scaling" -bench_backend "$backend" -order 2,1 -refine "$refine" -types "$types" "$@" -csv "$out/scaling.csv" 2>&1 | tee -a "$out/scaling.md"
  status=${PIPESTATUS[0]}
  if [ "$status" -ne 0 ]; then
    echo "-- $ranks processes, $*: ended with status $status$([ "$status" -eq 124 ] && echo ', out of time')" | tee -a "$out/scaling.md"
    failed=$((failed + 1))
  fi
}

for ranks in $RANKS; do
  scaling "$ranks" -weak true -faces "$size"
  if [ "$ranks" -gt 1 ] || [ "$strong" -ne "$size" ]; then scaling "$ranks" -weak false -faces "$strong"; fi
done
if command -v python3 >/dev/null; then python3 benchmarks/scaling_table.py "$out/scaling.csv" | tee "$out/efficiency.md"; fi
if "${PLEXGPU_PYTHON:-python3}" -c '' 2>/dev/null; then "${PLEXGPU_PYTHON:-python3}" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
