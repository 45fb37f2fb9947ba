#!/usr/bin/env bash
# HDF5 files that processes write together, by MPI-IO, have the same arrays as those that the first process writes, and are
# read back.
cd "$(dirname "$0")/../.." || exit 1
if ! "${PLEXGPU_PYTHON:-python3}" -c "import h5py" 2>/dev/null; then
  echo "skip dgparallelfiles: ${PLEXGPU_PYTHON:-python3} has no h5py"
  exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip dgparallelfiles: PETSc has no HDF5"
  exit 0
fi
cavity="build/examples/maxwell_cavity -cells 2 -plex_dg_degree 2 -plex_dg_backend host -ts_max_steps 4"

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok dgparallelfiles: $1"
  else
    tail -n 20 "$tmp/output"
    echo "not ok dgparallelfiles: $1"
    failures=$((failures + 1))
  fi
}

run() { # PROCESSES NAME OPTIONS...
  local n=$1 name=$2
  shift 2
  timeout 100 "${MPIEXEC:-mpiexec}" -n "$n" $cavity -plex_dg_monitor_solution "$tmp/$name.vtkhdf:2" -plex_dg_checkpoint "$tmp/$name.h5" "$@" >"$tmp/output" 2>&1
}

cat >"$tmp/same.py" <<'END'
import sys
import h5py
import numpy
def arrays(path):
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, o: found.update({name: o[()]}) if isinstance(o, h5py.Dataset) else None)
    return found
a, b = arrays(sys.argv[1]), arrays(sys.argv[2])
assert a and a.keys() == b.keys(), (a.keys(), b.keys())
for name in a:
    assert a[name].dtype == b[name].dtype and numpy.array_equal(a[name], b[name]), name
END

for n in 1 2 4; do
  run $n one -plex_hdf5_parallel 0 && run $n all -plex_hdf5_parallel_bytes 0 -info "$tmp/info:sys" && good=yes || good=""
  for file in vtkhdf h5; do
    [ -n "$good" ] && ! "${PLEXGPU_PYTHON:-python3}" "$tmp/same.py" "$tmp/one.$file" "$tmp/all.$file" >>"$tmp/output" 2>&1 && good=""
  done
  verdict "$n processes: the same arrays" "$good"
  [ "$n" = 1 ] || {
    grep -q "by MPI-IO" "$tmp"/info* && good=yes || good=""
    if [ -z "$good" ] && grep -q "library of one process" "$tmp"/info*; then echo "skip dgparallelfiles: HDF5 is without MPI-IO"; else verdict "$n processes: moved by MPI-IO" "$good"; fi
  }
done
[ "$failures" -eq 0 ]
