#!/usr/bin/env bash
# examples/maxwell_scattering on coarse meshes: backscatter of a sphere near Mie's series, the same on 2 processes and continued from a checkpoint;
# a rocket; a pulse of many wavenumbers; examples/maxwell_sphere; pictures. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip scattering: this PETSc was built without HDF5"
  exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-host}
backend=${backend%%,*}
scattering=(build/examples/maxwell_scattering -plex_dg_backend "$backend" -plex_dg_degree 1)

value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$tmp/output"; }

report() { # WHAT, after a command that says whether it is so
  if [ "$?" -eq 0 ]; then
    echo "ok scattering: $1"
  else
    tail -n 20 "$tmp/output"
    echo "not ok scattering: $1"
    failures=$((failures + 1))
  fi
}

# near A B TOLERANCE, relative
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && b != "" && d <= e * (b < 0 ? -b : b)) }'; }

timeout 200 "${scattering[@]}" -periods 3 -grid 20 -output "$tmp/sphere" -plex_dg_checkpoint "$tmp/run.h5" >"$tmp/output" 2>&1 && near "$(value backscatter)" 3.6376 0.08
report "$backend: a sphere at ka = 1, degree 1, is within 8 % of Mie's series"
whole=$(value backscatter)
if [ "${PLEXGPU_TEST_LONG:-}" = yes ]; then # dgparallel and dgcheckpoint have it for all cells
  timeout 200 ${MPIEXEC:-mpiexec} -n 2 "${scattering[@]}" -periods 3 >"$tmp/output" 2>&1 && near "$(value backscatter)" "$whole" 1e-6
  report "$backend: the same on 2 processes"
  timeout 200 "${scattering[@]}" -periods 2 -plex_dg_checkpoint "$tmp/half.h5" >"$tmp/output" 2>&1 &&
    timeout 200 "${scattering[@]}" -periods 3 -plex_dg_restart "$tmp/half.h5" >"$tmp/output" 2>&1 && [ "$(value backscatter)" = "$whole" ]
  report "$backend: the same, continued from a checkpoint"
fi
timeout 200 "${scattering[@]}" -mesh examples/rocket.msh -radius 2.2 -periods 2 -grid 20 -output "$tmp/rocket" >"$tmp/output" 2>&1 && awk -v b="$(value backscatter)" 'BEGIN { exit !(b > 0.1 && b < 100) }'
report "$backend: a rocket from a mesh file"
timeout 300 "${scattering[@]}" -wavenumbers 0.5:2:4 -angles 19 -output "$tmp/pulse" >"$tmp/output" 2>&1 && awk -v e="$(value error)" 'BEGIN { exit !(e != "" && e < 0.08) }' &&
  [ "$(wc -l <"$tmp/pulse.csv")" -eq $((1 + 4 * 2 * 19)) ]
report "$backend: a pulse has the backscatter of four wavenumbers within 8 % of the series"
sphere=(build/examples/maxwell_sphere -plex_dg_backend "$backend" -plex_dg_degree 1 -cells 2)
timeout 300 "${sphere[@]}" -radii 1.5,2,2.4,3.2 -wavenumbers 0.8:1.4:3 -angles 19 -time 8 -output "$tmp/layer" >"$tmp/output" 2>&1 && awk -v e="$(value error)" 'BEGIN { exit !(e != "" && e < 0.25) }'
report "$backend: a sphere with a total field and a matched layer on few cells, degree 1, is within 25 % of the series"
! "${sphere[@]}" -radii 1.5,1.4,2.4,3.2 >"$tmp/output" 2>&1 && grep -q -e "-radii have to grow" "$tmp/output" && ! "${sphere[@]}" -drude 3,0.3 >"$tmp/output" 2>&1 && grep -q "goes with -epsilon" "$tmp/output"
report "radii that do not grow and a metal without -epsilon are errors"
if [ -x "${PLEXGPU_PYTHON:-}" ]; then
  "$PLEXGPU_PYTHON" examples/scattering.py "$tmp/layer.csv" "$tmp/layer.png" 1 >"$tmp/output" 2>&1 && [ -s "$tmp/layer.png" ] && awk -v e="$(value bistatic_error)" 'BEGIN { exit !(e != "" && e < 0.22) }'
  report "its picture; the far field in all directions is within 22 % of the series"
  "$PLEXGPU_PYTHON" examples/scattering.py "$tmp/pulse.csv" "$tmp/pulse.png" 1 >"$tmp/output" 2>&1 && [ -s "$tmp/pulse.png" ] && awk -v e="$(value bistatic_error)" 'BEGIN { exit !(e != "" && e < 0.1) }'
  report "the picture over frequency; the pulse's far field in all directions is within 10 % of the series"
  "$PLEXGPU_PYTHON" examples/scattering.py "$tmp/rocket.h5" "$tmp/rocket.png" >"$tmp/output" 2>&1 && [ -s "$tmp/rocket.png" ]
  report "the picture of the rocket"
  "$PLEXGPU_PYTHON" examples/scattering.py "$tmp/sphere.h5" "$tmp/sphere.png" >"$tmp/output" 2>&1 && [ -s "$tmp/sphere.png" ] && awk -v e="$(value bistatic_error)" 'BEGIN { exit !(e != "" && e < 0.1) }'
  report "the picture of the sphere; its far field in all directions is within 10 % of the series"
fi
exit $((failures > 0))
