#!/usr/bin/env bash
# examples/maxwell_rocket and maxwell_sphere on coarse meshes: a layer, local time steps beside one step, a wave that enters, a Drude ball beside
# Mie's series, the same on 2 processes; pictures; run-dg.sh with a mesh file. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
backend=${PLEXGPU_TEST_BACKENDS:-host}
backend=${backend%%,*}
rocket=(build/examples/maxwell_rocket -plex_dg_backend "$backend" -plex_dg_degree 1 -grid 30)
ball=(build/examples/maxwell_sphere -plex_dg_backend "$backend" -cells 2 -radii 1.4,1.9,2.5,3.1,3.7 -epsilon 1 -nanometres 80 -drude 9,1 -wavenumbers 2:5:4)
python=${PLEXGPU_PYTHON:-python3}

value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$tmp/output"; }
within() { awk -v low="$1" -v v="$2" -v high="$3" 'BEGIN { exit !(v != "" && v + 0 >= low && v + 0 <= high) }'; }

report() { # WHAT, after a command that says whether it is so
  if [ "$?" -eq 0 ]; then
    echo "ok pulses: $1"
  else
    tail -n 20 "$tmp/output"
    echo "not ok pulses: $1"
    failures=$((failures + 1))
  fi
}

output=()
if [ "${PLEXGPU_TEST_HDF5:-yes}" != no ]; then output=(-output "$tmp/rocket"); fi
timeout 200 "${rocket[@]}" -time 0.1 -frames 2 "${output[@]}" >"$tmp/output" 2>&1 && within 0.93 "$(value energy)" 0.98
report "$backend: a rocket in a layer, energy"
energy=$(value energy)
timeout 200 ${MPIEXEC:-mpiexec} -n 2 "${rocket[@]}" -time 0.1 -frames 2 >"$tmp/output" 2>&1 && [ "$(value energy)" = "$energy" ]
report "$backend: the same on 2 processes"
timeout 200 "${rocket[@]}" -time 0.2 -frames 1 -layer 0 -levels 6 >"$tmp/output" 2>&1 && within 1e-7 "$(value difference)" 9e-4 && within 0.9 "$(value local_energy)" 0.96
report "$backend: local time steps have the fields of one step"
timeout 200 "${rocket[@]}" -time 0.3 -frames 1 -pulse 0 -plex_dg_total_field near:1 -plex_dg_frequency 3 -plex_dg_wave_width 0.5 -plex_dg_wave_delay 2.6 -levels 6 >"$tmp/output" 2>&1 && within 0.2 "$(value energy)" 0.5 && within 1e-7 "$(value difference)" 9e-4
report "$backend: a plane wave that enters around the rocket, and the layer, with both kinds of steps"
if [ -e "$tmp/rocket.h5" ] && "$python" -c 'import h5py, matplotlib' 2>/dev/null; then
  "$python" examples/rocket.py "$tmp/rocket.h5" "$tmp/rocket.png" >"$tmp/output" 2>&1 && grep -q '3 times, [0-9]* points, E at most 0.[89]' "$tmp/output" && [ "$(head -c 4 "$tmp/rocket.png" | tail -c 3)" = PNG ]
  report "the picture of maxwell_rocket"
fi

timeout 300 "${ball[@]}" -plex_dg_degree 2 -time 10 -sections "$tmp/ball" -near "$tmp/near" -grid 24 >"$tmp/output" 2>&1 && within 0.001 "$(value near_error)" 0.06 && within 0 "$(value extinction_error)" 0.02 && within 0 "$(value scattering_error)" 0.02 && within 0 "$(value absorption_error)" 0.03
report "$backend: a ball of metal has the cross-sections and the near field of Mie's series"
timeout 300 "${ball[@]}" -plex_dg_degree 1 -ts_max_steps 24 >"$tmp/output" 2>&1
one=$(value extinction_error)
timeout 200 ${MPIEXEC:-mpiexec} -n 2 "${ball[@]}" -plex_dg_degree 1 -ts_max_steps 24 >"$tmp/output" 2>&1 && [ -n "$one" ] && [ "$(value extinction_error)" = "$one" ]
report "$backend: the same on 2 processes, some steps of it"
if [ -e "$tmp/ball.csv" ] && "$python" -c 'import matplotlib' 2>/dev/null; then
  "$python" examples/sections.py "$tmp/ball.csv" "$tmp/ball.png" "$tmp/near.csv" >"$tmp/output" 2>&1 && grep -q '4 points, absorption at most at' "$tmp/output" && [ "$(head -c 4 "$tmp/ball.png" | tail -c 3)" = PNG ]
  report "the picture of cross-sections"
fi

timeout 200 env BACKEND="$backend" OUT="$tmp/body" PRECISIONS=double SERIES=body BODY=examples/rocket.msh BODYDEGREES=1 benchmarks/run-dg.sh >"$tmp/output" 2>&1 && grep -q '| double | 5417 | ' "$tmp/body/body.md" && { [ ! -e "$tmp/body/dg.md" ] || grep -q '^| maxwell | [a-z]* | double | 1 | 5417 | [0-9]' "$tmp/body/dg.md"; }
report "$backend: run-dg.sh on a mesh around a body"
exit $((failures > 0))
