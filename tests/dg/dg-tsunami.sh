#!/usr/bin/env bash
# The example of a tsunami: linear and with run-up, by all backends, on several processes, restarted, its gauges and picture, and what bad input gets. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip tsunami: this PETSc was built without HDF5"
  exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
tsunami=$PWD/build/examples/tsunami water=$PWD/examples/water.py backends=${PLEXGPU_TEST_BACKENDS:-host emulate} python=${PLEXGPU_PYTHON:-python3}
cd "$tmp" || exit 1
export TMPDIR=$tmp # oceans that only pass are here too

say() { # WHAT, after a command: whether it went well
  if [ "$?" -eq 0 ]; then
    echo "ok tsunami: $1"
  else
    tail -n 20 output
    echo "not ok tsunami: $1"
    failures=$((failures + 1))
  fi
}
value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$2"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a != "" && b != "" && a - b <= most && b - a <= most) }'; }
same() { for key in shelf fault deep; do near "$(value $key output)" "$(value $key first)" 2e-9 || return 1; done; }
run() { timeout 200 "$@" >output 2>&1; }

few="-cells 6 -time 20 -frames 2"
run_up="-plex_dg_dry 0.1 -island -plex_dg_manning 0.025"
tide="-slip 0 -sides coast,tide,open,open -tide M2,0.8,0,K1,0.3,40"
for options in "-plex_dg_linear 1" "-triangles -plane" "$tide" "$run_up"; do
  first=
  for backend in $backends; do
    run $tsunami $few $options -plex_dg_backend "$backend"
    if [ -z "$first" ]; then
      grep -q '^result: example=tsunami' output
      say "$options, $backend"
      cp output first
      first=$backend
    else
      same
      say "$options, $backend as $first"
    fi
  done
done
cp first uniform
for ranks in 2 4; do
  run ${MPIEXEC:-mpiexec} -n $ranks $tsunami $few $run_up -plex_dg_backend "$first" && same
  say "run-up on $ranks processes as on one"
done
run $tsunami $few $run_up -plex_dg_backend "$first" -ts_max_steps 30 -plex_dg_checkpoint half.h5 && run $tsunami $few $run_up -plex_dg_backend "$first" -plex_dg_restart half.h5 && [ "$(value deep output)$(value shelf output)" = "$(value deep first)$(value shelf first)" ]
say "a continued run has the same result"

# The first wave: it comes from the upper edge of the fault to the gauge at the origin at sqrt(g d), d = 4 to 6.5 km, which takes some 5 to 8 minutes
run $tsunami -cells 12 -time 30 -output ocean -plex_dg_backend "$first" && awk -F, '$3 == 1 && $6 > high { high = $6; when = $2 / 60 } END { exit !(high > 1 && high < 5 && when > 5 && when < 13) }' ocean.csv
say "the wave at a gauge"
if "$python" -c 'import h5py' 2>/dev/null; then
  "$python" -c 'import h5py, numpy
with h5py.File("rough.h5", "w") as file:
    file["x"] = file["y"] = numpy.array([-1e6, 0, 1e6])
    file["manning"] = numpy.full((3, 3), 0.025)'
  run $tsunami $few $run_up -plex_dg_backend "$first" -plex_dg_manning 0 -manning_raster rough.h5 && near "$(value deep output)" "$(value deep uniform)" 2e-9 && near "$(value shelf output)" "$(value shelf uniform)" 2e-9
  say "Manning's n of a raster as the same number"
fi
if "$python" -c 'import h5py, matplotlib' 2>/dev/null; then
  "$python" "$water" ocean.vtkhdf ocean.png ocean-ocean.h5 ocean.csv >output 2>&1 && grep -q '5 times' output && [ "$(head -c 4 ocean.png | tail -c 3)" = PNG ]
  say "its picture"
fi

# fails WHAT WORDS -- OPTIONS...
fails() {
  local what=$1 words=$2
  shift 3
  ! run $tsunami -cells 6 -time 1 -plex_dg_backend "$first" "$@" && grep -q -- "$words" output
  say "$what"
}
fails "no raster" "File nothere.h5 cannot be read" -- -bathymetry nothere.h5
fails "a mesh outside of the raster" "outside of the raster of ocean-ocean.h5.*has to cover all of the mesh" -- -bathymetry ocean-ocean.h5 -extent 900
fails "land in the sea" "there is land in the mesh.*-plex_dg_dry" -- -offshore -40
fails "a side without a condition" "The boundary has no condition at facet.*sides = 3" -- -sides coast,open,none,open
fails "an unknown side" "Unknown side beach of -sides" -- -sides beach,open,open,open
! ls -- *tsunami-ocean* >output 2>&1
say "nothing stays without -output, after errors neither"
exit $((failures > 0))
