#!/usr/bin/env bash
# The example of hybridized DG on small meshes: orders, the same on 2 and 4 processes, a mesh file, pictures; its benchmark's tables. Also a part of check-gpu.
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

output=-output
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip examples: files and pictures of hybridized DG: this PETSc was built without HDF5"
  output=""
fi

# picture NAME: of a file that is there
picture() {
  [ -n "$output" ] || return 0
  "${PLEXGPU_PYTHON:-python3}" -c 'import h5py, matplotlib' 2>/dev/null || return 0
  if "${PLEXGPU_PYTHON:-python3}" examples/hdg.py "$tmp/$1.vtkhdf" "$tmp/$1.png" >"$tmp/output" 2>&1 && [ "$(head -c 4 "$tmp/$1.png" | tail -c 3)" = PNG ]; then
    echo "ok examples: the picture of $1"
  else
    cat "$tmp/output"
    echo "not ok examples: the picture of $1"
    failures=$((failures + 1))
  fi
}

helmholtz=build/examples/hdg_helmholtz
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  try "hdg_helmholtz, $backend: degree 3 on triangles" 3.8 order_u 4.2 4.8 order_star 5.2 -- $helmholtz -cells 5 -levels 2 -plex_hdg_backend "$backend" ${output:+"$output" "$tmp/triangles"}
  try "hdg_helmholtz, $backend: degree 2 on quadrilaterals" 2.7 order_q 3.3 3.7 order_star 4.3 -- $helmholtz -quads -cells 5 -levels 2 -plex_hdg_degree 2 -plex_hdg_backend "$backend" ${output:+"$output" "$tmp/quadrilaterals"}
done
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  try "hdg_heat, $backend: kappa(u) in time" 10 steps 10 0 error_star 2e-3 -- build/examples/hdg_heat -cells 3 -plex_hdg_degree 2 -plex_hdg_backend "$backend"
  try "hdg_heat, $backend: kappa(u), steady" 3 steps 7 0 error_star 3e-3 -- build/examples/hdg_heat -steady -quads -cells 4 -plex_hdg_degree 2 -plex_hdg_backend "$backend"
done
try "hdg_heat on one process" 10 steps 10 0 error_star 2e-3 -- build/examples/hdg_heat -cells 3 -plex_hdg_degree 2 -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}" -plex_hdg_ksp_rtol 1e-12
heat=$(value error_star "$tmp/output")
try "hdg_heat on 2 processes" 10 steps 10 "$heat" error_star "$heat" -- ${MPIEXEC:-mpiexec} -n 2 build/examples/hdg_heat -cells 3 -plex_hdg_degree 2 -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}" -plex_hdg_ksp_rtol 1e-12
try "hdg_elastic: Cook's membrane" 23.9 tip 24.05 0 jump 1e-7 -- build/examples/hdg_elastic -cells 8 -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}" ${output:+"$output" "$tmp/membrane"}
try "hdg_adapt: p-adaptivity" 363 unknowns 363 6.8e-7 error_u 6.9e-7 -- build/examples/hdg_adapt -mixed -tolerance 1e-6 ${output:+"$output" "$tmp/degrees"}
picture degrees
try "hdg_adapt on 2 processes" 363 unknowns 363 6.8e-7 error_u 6.9e-7 -- ${MPIEXEC:-mpiexec} -n 2 build/examples/hdg_adapt -mixed -tolerance 1e-6
try "hdg_stokes: a driven cavity" -0.2055 center -0.2050 0 jump 1e-7 -- build/examples/hdg_stokes -cells 8 -plex_hdg_degree 2 -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}"
try "hdg_navierstokes: a driven cavity" -0.2098 center -0.2085 3 steps 7 -- build/examples/hdg_navierstokes -cells 8 -boxes -plex_hdg_degree 2
try "hdg_navierstokes: from rest" -0.082 center -0.080 4 steps 4 -- build/examples/hdg_navierstokes -cells 4 -boxes -plex_hdg_degree 1 -time 0.4 -ts_time_step 0.1
try "hdg_navierstokes: a pair of vortices" 1.41 energy 1.43 6 steps 6 -- build/examples/hdg_navierstokes -dipole -cells 4 -plex_hdg_degree 2 -time 0.02
convection="build/examples/hdg_convection -cells 6 -plex_hdg_degree 2 -plex_hdg_backend ${PLEXGPU_TEST_BACKENDS:-host} -plex_hdg_ksp_rtol 1e-13"
try "hdg_convection on one process" 1.07 largest 1.08 0 jump 1e-11 -- $convection ${output:+"$output" "$tmp/wind"}
largest=$(value largest "$tmp/output")
try "hdg_convection on 2 processes" "$largest" largest "$largest" 0 jump 1e-11 -- ${MPIEXEC:-mpiexec} -n 2 $convection
picture wind
picture triangles
picture quadrilaterals
backend=${PLEXGPU_TEST_BACKENDS:-host}
try "hdg_helmholtz on one process" 0 error_u 1e-2 0 jump 1e-7 -- $helmholtz -cells 6 -plex_hdg_backend "$backend" -plex_hdg_ksp_rtol 1e-13
error=$(value error_u "$tmp/output")
for ranks in 2 4; do
  try "hdg_helmholtz on $ranks processes" "$error" error_u "$error" 0 jump 1e-7 -- ${MPIEXEC:-mpiexec} -n $ranks $helmholtz -cells 6 -plex_hdg_backend "$backend" -plex_hdg_ksp_rtol 1e-13
done
try "hdg_helmholtz: a medium of parts from a mesh file" 12628 unknowns 12628 0 jump 1e-9 -- $helmholtz -mesh examples/plate.msh -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}" -plex_hdg_ksp_rtol 1e-12 ${output:+"$output" "$tmp/medium"}
picture medium
try "hdg_helmholtz: parts whose kappa differs by 1e6" 12628 unknowns 12628 0 jump 1e-6 -- $helmholtz -mesh examples/plate.msh -contrast 1e6 -plex_hdg_backend "${PLEXGPU_TEST_BACKENDS:-host}" -plex_hdg_ksp_rtol 1e-12
# the case of hdgpeers.py whose error NGSolve has too: 9.389e-03
read -r error _ < <(build/benchmarks/hdgpeer -cells 8 -plex_hdg_degree 2)
if awk -v e="${error:-0}" 'BEGIN { exit !(e > 9.38e-3 && e < 9.4e-3) }'; then echo "ok benchmarks: hdgpeer"; else
  echo "not ok benchmarks: hdgpeer (error $error)"
  failures=$((failures + 1))
fi
benchmark=build/benchmarks/hdg
for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
  if timeout 200 $benchmark -cells 3,4 -degrees 1,2 -reps 1 -host -bench_backend "$backend" -csv "$tmp/$backend.csv" >"$tmp/output" 2>&1 && [ "$(grep -c '^| [12] |' "$tmp/output")" -eq 20 ] && [ "$(wc -l <"$tmp/$backend.csv")" -eq 5 ] &&
    [ "$(awk -F, '{ print NF }' "$tmp/$backend.csv" | sort -u | wc -l)" -eq 1 ]; then
    echo "ok benchmarks: tables of hdg, $backend"
  else
    tail -n 20 "$tmp/output"
    echo "not ok benchmarks: tables of hdg, $backend"
    failures=$((failures + 1))
  fi
done
# in 3D, on 2 processes: the error and the number of unknowns are those of one; then figures 5 to 7 and Table 7, whose solve has the flops of the paper's estimate
backend=${PLEXGPU_TEST_BACKENDS:-host}
backend=${backend%%,*}
for n in 1 2; do
  timeout 200 ${MPIEXEC:-mpiexec} -n $n $benchmark -dim 3 -cells 2 -degrees 1,3 -reps 1 -bench_backend "$backend" -csv "$tmp/cubes.csv" >"$tmp/output" 2>&1 || tail -n 20 "$tmp/output"
done
if awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) c[$k] = k; next }
  { n = $c["degree"]; p = $c["processes"]; u[n, p] = $c["L2_u"]; v[n, p] = $c["cg_L2_u"]; m[n, p] = $c["cg_unknowns"]; w[n, p] = $c["cg_values"]; flops = 2 * $c["values"] + 3 * $c["unknowns"] + $c["iterations"] * (2 * $c["values"] + 10 * $c["unknowns"]); if ((flops / $c["solve_flops"] - 1) ^ 2 > 1e-9) bad = 1 }
  function near(a, b) { return a > 0 && b > 0 && (a / b - 1) ^ 2 < 1e-10 }
  END { for (n = 1; n < 4; n += 2) if (!near(u[n, 1], u[n, 2]) || !near(v[n, 1], v[n, 2]) || m[n, 1] != m[n, 2] || w[n, 1] != w[n, 2]) bad = 1; exit bad || m[1, 1] != 1 || m[3, 1] != 125 || NR != 5 }' "$tmp/cubes.csv"; then echo "ok benchmarks: hdg in 3D on 1 and 2 processes"; else
  cat "$tmp/cubes.csv"
  echo "not ok benchmarks: hdg in 3D on 1 and 2 processes"
  failures=$((failures + 1))
fi
if "${PLEXGPU_PYTHON:-python3}" benchmarks/hdgfigures.py "$tmp/cubes.csv" -o "$tmp" >"$tmp/output" 2>&1 && [ "$(grep -c '^Table 7, .*2 x 2 x 2' "$tmp/output")" -eq 2 ] && [ "$(grep -c '^| [13] | [0-9.]* | [0-9.]* |' "$tmp/output")" -eq 4 ]; then echo "ok benchmarks: hdgfigures.py"; else
  tail -n 20 "$tmp/output"
  echo "not ok benchmarks: hdgfigures.py"
  failures=$((failures + 1))
fi
exit $((failures > 0))
