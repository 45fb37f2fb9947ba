#!/bin/bash
# Weak scaling of DG over the GPUs of this machine, a process a GPU. From an unpacked bundle: ./run benchmarks/run-dg-scaling.sh
#
# PROBLEM: tetrahedra, Maxwell's equations by nodal DG (default), or triangles or squares, linear shallow water by DG with quadrature.
# RANKS (default: 1, 2, 4, ... up to the GPUs there are) processes, each with a box of $CELLS cubes or squares along a side (10; 177, 250), refined twice: 384,000
# tetrahedra, a million triangles or squares.
# DEGREES (4) and PRECISIONS (double). BENCH_BACKEND=host measures the processor. The results go to $OUT (default build/bench-dg-scaling):
# dgscaling.csv, and dgscaling.md with the efficiency against one process.
cd "$(dirname "$0")/.." || exit 1
out=${OUT:-build/bench-dg-scaling}
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ -z "${RANKS:-}" ]; then
  RANKS=1
  for ((n = 2; n <= (gpus > 0 ? gpus : $(env -u OMP_NUM_THREADS nproc)); n *= 2)); do RANKS="$RANKS $n"; done
fi
problem=${PROBLEM:-tetrahedra}
case $problem in
triangles) cells=177 ;;
squares) cells=250 ;;
*) cells=10 ;;
esac
mkdir -p "$out"
rm -f "$out/dgscaling.csv" "$out/dgscaling.md"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export PETSC_OPTIONS=${PETSC_OPTIONS--use_gpu_aware_mpi 0} # Open MPI as distributions have it cannot read the GPU's memory
failed=0
for ranks in $RANKS; do
  timeout "${CASE:-170}" "${MPIEXEC:-mpiexec}" -n "$ranks" "${BUILD:-build}/benchmarks/dgscaling" -bench_backend "${BENCH_BACKEND:-cuda}" -problem "$problem" -cells "${CELLS:-$cells}" -refine "${REFINE:-2}" -degrees "${DEGREES:-4}" -precisions "${PRECISIONS:-double}" -csv "$out/dgscaling.csv" 2>&1 |
    tee -a "$out/dgscaling.md"
  [ "${PIPESTATUS[0]}" -eq 0 ] || failed=$((failed + 1))
done
{
  printf '\n| N | precision | processes | elements | whole, ms | kernels | exchange | MB sent | GDOF/s | eff. |\n|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n'
  awk -F, 'NR > 1 { if ($3 == 1) one[$4, $5] = $8
    printf "| %d | %s | %d | %d | %.3f | %.3f | %.3f | %.1f | %.1f | %s |\n", $4, $5, $3, $6, 1e3 * $8, 1e3 * $9, 1e3 * $10, 1e-6 * $11, 1e-9 * $7 / $8, ($4, $5) in one ? sprintf("%.0f %%", 100 * one[$4, $5] / $8) : "-" }' "$out/dgscaling.csv" | sort -k2,2n -k4,4 -k6,6n
} | tee "$out/efficiency.md"
if "${PLEXGPU_PYTHON:-python3}" -c '' 2>/dev/null; then "${PLEXGPU_PYTHON:-python3}" benchmarks/results.py "$out" | sed 's/^/-- /'; fi # rows for benchmarks/results
echo "Wrote $(ls "$out" | tr '\n' ' ')to $out in $SECONDS s; $failed failed"
exit $((failed > 0))
