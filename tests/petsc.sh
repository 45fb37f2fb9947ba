#!/usr/bin/env bash
# Builds PlexGPU with a PETSc of another configuration and tests it, in a copy of the checkout.
#
#   tests/petsc.sh CONFIGURATION [TARGET...]   targets of make; default: check-fast
#
#   default   the PETSc that the set-up builds
#   bare      without HDF5, METIS and the solvers of Debian's packages
#   int64     --with-64-bit-indices=1
#   3.25      the oldest version that is accepted, 3.25.0
#   pip       the Python package petsc, as pip builds it
#   debug     --with-debugging=1, not optimized
#   complex   --with-scalar-type=complex, without CUDA; tests of kernels and of DG are left out (makefile)
#
# PETSc and the copy, configurations/NAME, stay in ~/.cache/plexgpu (or $PLEXGPU_CACHE): the second time only what has
# changed is built. PLEXGPU_CUDA=no leaves CUDA out, which halves the time that PETSc takes. Of the tests, those that need
# a Python are skipped, unless PLEXGPU_PYTHON names one.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/config/common.sh"
name=${1:?usage: tests/petsc.sh default|bare|int64|3.25|pip|debug|complex [TARGET...]}
shift
[ "$#" -gt 0 ] || set -- check-fast
unset PETSC_DIR PETSC_ARCH PLEXGPU_PETSC_VERSION PLEXGPU_PETSC_OPTIONS PLEXGPU_PETSC_WITHOUT
export PLEXGPU_OWN_PETSC=yes PLEXGPU_PYTHON=${PLEXGPU_PYTHON:-no}

pip_install() { # FOLDER: the package in an environment of its own
  rm -rf "$1"
  python3 -m venv "$1"
  env -u PETSC_CONFIGURE_OPTIONS "$1/bin/pip" install --no-cache-dir --no-binary petsc "petsc==3.26.*"
  touch "$1/done"
}

case $name in
  default) ;;
  # PLEXGPU_HDF5: nor is the system's loaded
  bare) export PLEXGPU_PETSC_WITHOUT="hdf5 metis solvers" PLEXGPU_HDF5=/none ;;
  int64) export PLEXGPU_PETSC_OPTIONS=--with-64-bit-indices=1 ;;
  3.25) export PLEXGPU_PETSC_VERSION=${PLEXGPU_PETSC_325:-3.25.0} PLEXGPU_PETSC_WITHOUT=solvers ;;
  debug) export PLEXGPU_PETSC_WITHOUT=solvers PLEXGPU_PETSC_OPTIONS="--with-debugging=1 COPTFLAGS=-O0 CXXOPTFLAGS=-O0" ;; # what PETSc takes where none are given
  complex) export PLEXGPU_PETSC_OPTIONS=--with-scalar-type=complex PLEXGPU_CUDA=no ;;
  pip)
    [ -e "$cache/petsc-pip/done" ] || step petsc-pip "20 minutes on two cores" pip_install "$cache/petsc-pip"
    export PLEXGPU_OWN_PETSC=no PATH=$cache/petsc-pip/bin:$PATH PLEXGPU_CUDA=no # its PETSc has no CUDA
    ;;
  *) fail "there is no configuration $name: give default, bare, int64, 3.25, pip, debug or complex" ;;
esac

copy=$cache/configurations/$name
say "$name: in $copy"
mkdir -p "$copy"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
(cd "$top" && { git ls-files -z --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done | tar --null -T - -cf -) | tar -C "$new" -xf -
# What has changed is as new as the copy: objects that were made before may be younger than the change
(cd "$copy" && find . -path ./build -prune -o -type f -print0) |
  while IFS= read -r -d '' file; do [ -e "$new/$file" ] || rm "$copy/$file"; done
(cd "$new" && find . -type f -print0) | while IFS= read -r -d '' file; do
  cmp -s "$new/$file" "$copy/$file" || { mkdir -p "$copy/${file%/*}" && cp --preserve=mode "$new/$file" "$copy/$file"; }
done
cd "$copy"
make "$@"
