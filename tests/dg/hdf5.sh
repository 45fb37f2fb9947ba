#!/usr/bin/env bash
# HDF5 is loaded when a file is written: the library that PLEXGPU_HDF5 names, and what is said where there is none.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
water="build/examples/shallow_water -cells 2 -time 0.01 -plex_dg_degree 1 -plex_dg_backend host"

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok hdf5: $1"
  else
    tail -n 20 "$tmp/output"
    echo "not ok hdf5: $1"
    failures=$((failures + 1))
  fi
}

PLEXGPU_HDF5=$tmp/libnone.so timeout 100 $water -output "$tmp/none" >"$tmp/output" 2>&1 && good="" || good=yes
for word in "none.vtkhdf cannot be created, for HDF5 cannot be loaded: of PLEXGPU_HDF5=$tmp/libnone.so" --download-hdf5 "apt-get install libhdf5-dev" "the environment variable PLEXGPU_HDF5"; do
  tr -d '\n' <"$tmp/output" | grep -qF -- "$word" || good=""
done
verdict "no such library" "$good"
PLEXGPU_HDF5=$tmp/libnone.so timeout 100 $water >"$tmp/output" 2>&1 && grep -q '^result:' "$tmp/output" && good=yes || good=""
verdict "a run that writes no file needs none" "$good"
PLEXGPU_HDF5=libm.so.6 timeout 100 $water -output "$tmp/other" >"$tmp/output" 2>&1 && good="" || good=yes
tr -d '\n' <"$tmp/output" | grep -q "HDF5 cannot be loaded: of PLEXGPU_HDF5=libm.so.6: it has no H5" || good=""
verdict "a library that is another one" "$good"
library=$(ldd "${PETSC_DIR:-}/${PETSC_ARCH:-}/lib/libpetsc.so" 2>/dev/null | awk '$1 ~ /^libhdf5(_serial|_openmpi|_mpich)?\.so/ { print $3; exit }')
if [ -n "$library" ]; then
  PLEXGPU_HDF5=$library timeout 100 $water -output "$tmp/named" >"$tmp/output" 2>&1 && [ "$(head -c 4 "$tmp/named.vtkhdf" | tail -c 3)" = HDF ] && good=yes || good=""
  verdict "the library that is named" "$good"
else
  echo "skip hdf5: the library that is named: PETSc has none whose name is known"
fi
[ "$failures" -eq 0 ]
