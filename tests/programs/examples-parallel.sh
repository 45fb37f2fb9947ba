#!/usr/bin/env bash
# Weak forms with several integrals on several processes, some of which have no facets of a boundary: every entry as PETSc's
# (-plex_assembly_check), and the same result as on one process.
cd "$(dirname "$0")/../.." || exit 1
failures=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# try KEY PROGRAM OPTIONS...: KEY=number of the result line agrees to 1e-6 on 1, 2, 4 and 7 processes
try() {
  local key=$1 program=$2 ranks backend one="" value
  shift 2
  for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
    for ranks in 1 2 4 7; do
      timeout 120 "${MPIEXEC:-mpiexec}" -n $ranks "build/examples/$program" "$@" -plex_assembly_backend "$backend" -plex_assembly_check 1e-9 >"$tmp/output" 2>&1
      value=$(sed -n "s/^result:.* assembled_by=$backend .*$key=\([^ ]*\).*/\1/p" "$tmp/output")
      one=${one:-$value}
      if [ -n "$value" ] && awk -v a="$value" -v b="$one" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= 1e-6 * b) }'; then
        echo "ok examples-parallel: $program $*, $backend, $ranks processes"
      else
        tail -n 30 "$tmp/output"
        echo "not ok examples-parallel: $program $*, $backend, $ranks processes: $key=$value, on one process $one"
        failures=$((failures + 1))
      fi
    done
  done
}

try error elasticity -cells 6 -traction -ksp_rtol 1e-12
try velocity_error stokes -mms -cells 4 -mass -ksp_rtol 1e-12 -snes_rtol 1e-12
[ "$failures" -eq 0 ]
