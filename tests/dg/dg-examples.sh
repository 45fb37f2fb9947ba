#!/usr/bin/env bash
# The examples of nodal DG on small meshes: errors, order, energy; the same on 2 and 4 processes. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$2"; }
inside() { awk -v low="$1" -v value="$(value "$2" "$tmp/output")" -v high="$3" 'BEGIN { exit !(value != "" && value + 0 >= low && value + 0 <= high) }'; }

# try WHAT LOW KEY HIGH LOW KEY HIGH -- COMMAND...: two values of the result line
try() {
  local what=$1 bounds=("${@:2:6}")
  shift 8
  if timeout 200 "$@" >"$tmp/output" 2>&1 && inside "${bounds[@]:0:3}" && inside "${bounds[@]:3:3}"; then
    echo "ok examples: $what"
  else
    tail -n 20 "$tmp/output"
    echo "not ok examples: $what"
    failures=$((failures + 1))
  fi
}

cavity=build/examples/maxwell_cavity
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  if [ "$backend" = emulate ] && [ "${PLEXGPU_TEST_LONG:-}" != yes ]; then
    try "maxwell_cavity, $backend: degree 2 on triangles" 2.2 order 3.6 0.9 energy 1 -- $cavity -dim 2 -cells 1 -levels 2 -plex_dg_degree 2 -plex_dg_backend "$backend"
    continue
  fi
  try "maxwell_cavity, $backend: degree 3 on triangles" 3.5 order 4.6 0.99 energy 1 -- $cavity -dim 2 -cells 2 -levels 3 -plex_dg_backend "$backend"
  try "maxwell_cavity, $backend: the central flux keeps the energy" 0 error 2e-4 0.999999 energy 1 -- $cavity -dim 2 -cells 2 -plex_dg_degree 5 -plex_dg_alpha 0 -plex_dg_backend "$backend"
  try "maxwell_cavity, $backend: degree 3 on tetrahedra" 3.3 order 4.6 0.99 energy 1 -- $cavity -cells 1 -levels 2 -plex_dg_backend "$backend"
done
backend=${PLEXGPU_TEST_BACKENDS:-host}
try "maxwell_cavity on one process" 0 error 0.1 0.9 energy 1 -- $cavity -cells 2 -plex_dg_backend "$backend"
error=$(value error "$tmp/output") energy=$(value energy "$tmp/output")
for ranks in 2 4; do
  try "maxwell_cavity on $ranks processes" "$error" error "$error" "$energy" energy "$energy" -- ${MPIEXEC:-mpiexec} -n $ranks $cavity -cells 2 -plex_dg_backend "$backend"
done

# A blow on an elastic half space: the wave along its surface is as fast as Rayleigh's
half=build/examples/elastic_halfspace
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  try "elastic_halfspace, $backend: Rayleigh's speed" 0 error 5e-3 0.45 energy 0.65 -- $half -cells 16 -plex_dg_degree 3 -plex_dg_backend "$backend"
done
backend=${PLEXGPU_TEST_BACKENDS:-host}
try "elastic_halfspace on 2 processes, another solid" 0 error 8e-3 0.45 energy 0.65 -- ${MPIEXEC:-mpiexec} -n 2 $half -cells 12 -plex_dg_cp 2.5 -plex_dg_rho 3 -plex_dg_backend "$backend"
if [ "${PLEXGPU_TEST_HDF5:-yes}" != no ] && "${PLEXGPU_PYTHON:-python3}" -c 'import h5py, matplotlib' 2>/dev/null; then
  if timeout 200 $half -cells 10 -plex_dg_degree 3 -output "$tmp/half" -plex_dg_backend "$backend" >"$tmp/output" 2>&1 && "${PLEXGPU_PYTHON:-python3}" examples/halfspace.py "$tmp/half.vtkhdf" "$tmp/half.csv" "$tmp/half.png" >"$tmp/output" 2>&1 && grep -q "4 times, 61 receivers, .* at x = 4.[567].*, Rayleigh's wave at 4.6$" "$tmp/output" && [ "$(head -c 4 "$tmp/half.png" | tail -c 3)" = PNG ]; then
    echo "ok examples: the picture of elastic_halfspace"
  else
    cat "$tmp/output"
    echo "not ok examples: the picture of elastic_halfspace"
    failures=$((failures + 1))
  fi
fi

# A bump of water by DG with quadrature
water=build/examples/shallow_water
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  try "shallow_water, $backend: degree 5" 0 error 3e-3 0 lost 1e-13 -- $water -cells 6 -plex_dg_degree 5 -time 1 -plex_dg_backend "$backend"
  try "shallow_water, $backend: the benchmark on triangles" 0 error 1e-2 0 lost 1e-13 -- $water -case benchmark -triangles -cells 6 -time 1 -plex_dg_backend "$backend"
done
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip examples: output and picture of shallow_water: this PETSc was built without HDF5"
else
  try "shallow_water, $backend: output on 2 processes" 0 error 3e-2 0 lost 1e-13 -- ${MPIEXEC:-mpiexec} -n 2 $water -time 1 -output "$tmp/water" -plex_dg_backend "$backend"
fi
if [ -e "$tmp/water.vtkhdf" ] && "${PLEXGPU_PYTHON:-python3}" -c 'import h5py, matplotlib' 2>/dev/null; then
  if "${PLEXGPU_PYTHON:-python3}" examples/water.py "$tmp/water.vtkhdf" "$tmp/water.png" >"$tmp/output" 2>&1 && grep -q '5 times, elevation between -0.0.* and 0.[45]' "$tmp/output" && [ "$(head -c 4 "$tmp/water.png" | tail -c 3)" = PNG ]; then
    echo "ok examples: the picture of shallow_water"
  else
    cat "$tmp/output"
    echo "not ok examples: the picture of shallow_water"
    failures=$((failures + 1))
  fi
fi

# Gas at Mach 3 and a step: the flow is not steady yet, so that the pressure at its foot is about that behind a normal shock
step=build/examples/supersonic_step
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  try "supersonic_step, $backend: degree 2" 0.85 foot 1.05 0.01 pressure 1 -- $step -cells 10 -time 1 -plex_dg_backend "$backend"
  try "supersonic_step, $backend: degree 1 on triangles" 0.85 foot 1.05 0.01 pressure 1 -- $step -cells 10 -triangles -plex_dg_degree 1 -time 1 -plex_dg_backend "$backend"
done
if [ "${PLEXGPU_TEST_HDF5:-yes}" != no ]; then
  try "supersonic_step, $backend: output on 2 processes" 0.7 foot 1.2 0.01 density 2 -- ${MPIEXEC:-mpiexec} -n 2 $step -cells 5 -time 0.5 -output "$tmp/step" -plex_dg_backend "$backend"
fi
if [ -e "$tmp/step.vtkhdf" ] && "${PLEXGPU_PYTHON:-python3}" -c 'import h5py, matplotlib' 2>/dev/null; then
  if "${PLEXGPU_PYTHON:-python3}" examples/gas.py "$tmp/step.vtkhdf" "$tmp/step.png" >"$tmp/output" 2>&1 && grep -q 'density between [01].* at t = 0.5' "$tmp/output" && [ "$(head -c 4 "$tmp/step.png" | tail -c 3)" = PNG ]; then
    echo "ok examples: the picture of supersonic_step"
  else
    cat "$tmp/output"
    echo "not ok examples: the picture of supersonic_step"
    failures=$((failures + 1))
  fi
fi

# Errors of nonlinear water against exact solutions
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  for which in "wave 3e-3" "along 3e-3" "bowl 0.18" "curved 0.3"; do
    try "water_error, $backend: ${which% *}" 1e-4 error "${which#* }" 2 lines 2 -- build/benchmarks/water_error -case "${which% *}" -degrees 3 -cells 4,8 -reps 1 -bench_backend "$backend" -csv "$tmp/water.csv"
  done
done
try "water_error on triangles" 1e-4 error 1e-2 1 lines 1 -- build/benchmarks/water_error -triangles -degrees 3 -cells 8 -reps 1 -bench_backend "${PLEXGPU_TEST_BACKENDS:-host}"

# Table 2 of the paper: unstructured tetrahedra, both precisions
convergence=build/benchmarks/maxwell_convergence
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  meshes=benchmarks/cavity-475.msh,benchmarks/cavity-731.msh
  [ "$backend" = emulate ] || meshes=$meshes,benchmarks/cavity-1217.msh
  try "maxwell_convergence, $backend: N + 1 at least" -0.3 excess 3 2 lines 2 -- $convergence -meshes $meshes -degrees 2 -precisions single,double -mode 1,1,1 -periods 0.1 -bench_backend "$backend" -csv "$tmp/$backend.csv"
done
try "maxwell_convergence on 2 processes" -0.3 excess 3 1 lines 1 -- ${MPIEXEC:-mpiexec} -n 2 $convergence -degrees 3 -mode 1,1,1 -periods 0.2 -bench_backend "${PLEXGPU_TEST_BACKENDS:-host}"
if "${PLEXGPU_PYTHON:-python3}" -c 'import matplotlib' 2>/dev/null; then
  if "${PLEXGPU_PYTHON:-python3}" benchmarks/maxwell_convergence.py "$tmp/$backend.csv" -o "$tmp" >"$tmp/output" 2>&1 && [ "$(grep -c '^| \(single\|double\) | 2 ' "$tmp/output")" -eq 2 ] && [ "$(head -c 4 "$tmp/maxwell-convergence.png" | tail -c 3)" = PNG ]; then
    echo "ok examples: the picture of maxwell_convergence"
  else
    cat "$tmp/output"
    echo "not ok examples: the picture of maxwell_convergence"
    failures=$((failures + 1))
  fi
fi
exit $((failures > 0))
