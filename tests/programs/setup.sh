#!/usr/bin/env bash
# What config/setup.sh says to a PETSc that does not do, to missing packages, and to an interruption. Nothing is built: the
# PETSc folders are made up.
cd "$(dirname "$0")/../.." || exit 1
setup=$PWD/config/setup.sh
own_dir=${PETSC_DIR:-} own_arch=${PETSC_ARCH:-}
unset PETSC_DIR PETSC_ARCH MAKEFLAGS MAKELEVEL PLEXGPU_OWN_PETSC PLEXGPU_PETSC_VERSION PLEXGPU_PETSC_OPTIONS PLEXGPU_PETSC_WITHOUT
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
export PLEXGPU_CACHE=$tmp/cache PLEXGPU_PYTHON=no PLEXGPU_CUDA=no

# fake NAME VERSION DEFINE...: a folder that looks like PETSc as far as set-up reads it, with the build "opt"
fake() {
  local dir=$tmp/$1 version=$2 define
  mkdir -p "$dir/include" "$dir/opt/include" "$dir/opt/lib/petsc/conf"
  printf '#define PETSC_VERSION_MAJOR %s\n#define PETSC_VERSION_MINOR %s\n#define PETSC_VERSION_SUBMINOR %s\n' ${version//./ } >"$dir/include/petscversion.h"
  for define in "${@:3}"; do echo "#define PETSC_$define 1"; done >"$dir/opt/include/petscconf.h"
  printf 'CC = %s\n' "${compiler:-mpicc}" >"$dir/opt/lib/petsc/conf/petscvariables"
  petsc_dir=$dir
}

# expect WHAT DIR ARCH WORDS...: set-up has to fail with an error that has all the words in it, and to write nothing
expect() {
  local what=$1 dir=$2 arch=$3 output status=0 word good=yes
  output=$(PETSC_DIR=$dir PETSC_ARCH=$arch "$setup" "$tmp/config.mk" 2>&1 </dev/null) || status=$?
  [ "$status" -eq 1 ] && [ ! -e "$tmp/config.mk" ] || good=""
  for word in "setup: error:" "${@:4}"; do grep -qF -- "$word" <<<"$output" || { good=""; echo "no '$word' in:"; }; done
  verdict "$what" "$good" "$output"
}

verdict() { # WHAT GOOD OUTPUT
  if [ -n "$2" ]; then
    echo "ok setup: $1"
  else
    printf '%s\n' "$3" "not ok setup: $1"
    failures=$((failures + 1))
  fi
}

good_petsc="USE_REAL_DOUBLE USE_SHARED_LIBRARIES HAVE_HDF5 HAVE_METIS HAVE_OPENMPI"

mkdir "$tmp/empty"
expect "PETSC_DIR is not PETSc" "$tmp/empty" opt "PETSC_DIR=$tmp/empty" petscversion.h "unset PETSC_DIR"
fake old 3.18.4 $good_petsc
expect "PETSc is too old" "$petsc_dir" opt "is PETSc 3.18.4" "needs 3.25 or newer"
fake wrong_arch 3.26.1 $good_petsc
expect "PETSC_ARCH names no build" "$petsc_dir" debug "PETSC_ARCH=debug is not a configured PETSc" "found: opt"
expect "PETSC_ARCH is missing" "$petsc_dir" "" "set PETSC_ARCH to one of its builds" "found: opt"
PLEXGPU_PETSC_WITHOUT="hdf5 mump" expect "PETSc without something unknown" "$tmp/empty" opt "has the word mump" "hdf5, metis, solvers, and hypre"
fake single 3.26.1 USE_REAL_SINGLE ${good_petsc/USE_REAL_DOUBLE/}
expect "single precision" "$petsc_dir" opt "not built in double precision" "--with-precision=double"
fake static 3.26.1 ${good_petsc/USE_SHARED_LIBRARIES/}
expect "static libraries" "$petsc_dir" opt "static libraries only" "--with-shared-libraries=1"
fake serial 3.26.1 HAVE_MPIUNI $good_petsc
expect "no MPI" "$petsc_dir" opt "without MPI" "--with-mpi=1"
# What others build, as far as the set-up reads it (docs/building.md has the table). One that is accepted goes on to its compiler, which is not there.
accepted=0 of=0
recipe() { # NAME VERSION WORDS DEFINE...: the words of the error, "" where it is accepted
  of=$((of + 1))
  compiler=$tmp/gone/mpicc fake "recipe$of" "$2" USE_SHARED_LIBRARIES HAVE_OPENMPI "${@:4}"
  [ -n "$3" ] || accepted=$((accepted + 1))
  expect "$1: ${3:-accepted}" "$petsc_dir" opt "${3:-$tmp/gone/mpicc, which is not on the PATH}"
}
recipe "pip install petsc" 3.26.1 "" USE_REAL_DOUBLE
recipe "Spack's petsc+cuda, E4S" 3.25.4 "" USE_REAL_DOUBLE HAVE_CUDA HAVE_METIS HAVE_PARMETIS HAVE_HYPRE
recipe "conda-forge, real" 3.25.4 "" USE_REAL_DOUBLE HAVE_CUDA HAVE_HDF5 HAVE_METIS
recipe "conda-forge, complex" 3.25.4 "" USE_REAL_DOUBLE USE_COMPLEX HAVE_CUDA HAVE_HDF5 HAVE_METIS
recipe "Firedrake" 3.25.0 "" USE_REAL_DOUBLE HAVE_HDF5 HAVE_METIS
recipe "Firedrake, CUDA" 3.25.0 "" USE_REAL_DOUBLE HAVE_CUDA HAVE_HDF5 HAVE_METIS
recipe "Firedrake, 64-bit indices" 3.25.0 "" USE_REAL_DOUBLE USE_64BIT_INDICES HAVE_HDF5 HAVE_METIS
recipe "Firedrake, complex" 3.25.0 "" USE_REAL_DOUBLE USE_COMPLEX HAVE_HDF5 HAVE_METIS
recipe "FEniCSx, real, 32-bit indices" 3.25.4 "" USE_REAL_DOUBLE HAVE_METIS
recipe "FEniCSx, real, 64-bit indices" 3.25.4 "" USE_REAL_DOUBLE USE_64BIT_INDICES HAVE_METIS
recipe "FEniCSx, complex" 3.25.4 "" USE_REAL_DOUBLE USE_COMPLEX HAVE_METIS
recipe "Debian 12, petsc-real" 3.18.5 "needs 3.25 or newer" USE_REAL_DOUBLE HAVE_HDF5 HAVE_METIS
recipe "Debian 12, petsc-complex" 3.18.5 "needs 3.25 or newer" USE_REAL_DOUBLE USE_COMPLEX HAVE_HDF5 HAVE_METIS
recipe "Debian 12, petsc64-real" 3.18.5 "needs 3.25 or newer" USE_REAL_DOUBLE USE_64BIT_INDICES HAVE_HDF5 HAVE_METIS
recipe "Debian 12, petsc64-complex" 3.18.5 "needs 3.25 or newer" USE_REAL_DOUBLE USE_COMPLEX USE_64BIT_INDICES HAVE_HDF5 HAVE_METIS
recipe "Perlmutter" 3.25.0 "" USE_REAL_DOUBLE HAVE_CUDA HAVE_HDF5
grep -q "Of $of builds .*, $accepted are accepted" docs/building.md && good=yes || good=""
verdict "$accepted of $of recipes are accepted, as docs/building.md says" "$good" ""
compiler=$tmp/gone/mpicc fake no_compiler 3.26.1 $good_petsc
expect "its compiler is gone" "$petsc_dir" opt "$tmp/gone/mpicc, which is not on the PATH"
compiler=gcc fake not_whole 3.26.1 $good_petsc
expect "programs do not compile with it" "$petsc_dir" opt "a small program did not compile, link and run" "petscsnes.h"

# Things are missing, and the user is neither root nor allowed to use sudo; and on a system without Debian's packages.
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' | tee "$tmp/bin/sudo" "$tmp/bin/mpicc" "$tmp/bin/cc" >"$tmp/bin/pkg-config"
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
touch "$tmp/bin/apt-get" "$tmp/bin/dpkg-query"
chmod +x "$tmp"/bin/*
missing() { # PATH WHAT WORDS...: the set-up with this path, in which compilers compile nothing
  local path=$1 what=$2 word
  output=$(PLEXGPU_OWN_PETSC=yes PATH=$path "$setup" "$tmp/config.mk" 2>&1 </dev/null) && good="" || good=yes
  for word in "${@:3}"; do grep -qF -- "$word" <<<"$output" || { good=""; echo "no '$word' in:"; }; done
  verdict "$what" "$good" "$output"
}
missing "$tmp/bin:$PATH" "no right to install packages" "this user may not install them" "apt-get install" libopenblas-dev libelf-dev \
  "by conda or modules" "or set PETSC_DIR"
rm "$tmp/bin/apt-get" "$tmp/bin/dpkg-query"
for command in bash sh sed awk grep cut sha256sum date mkdir rm rmdir mktemp dirname basename readlink flock cat env tail head sort uname make python3 mpiexec mpicxx gcc g++; do
  ln -s "$(command -v $command)" "$tmp/bin/" 2>/dev/null || true
done
missing "$tmp/bin" "no Debian system" "this is no Debian system" "libopenblas-dev libelf-dev" "conda or modules" "or set PETSC_DIR"

# Where no PETSC_DIR is set: the PETSc of the Python package, where it does, else its reason and the way to choose
mkdir -p "$tmp/site/petsc"
found() { # DIR: the set-up's output with this folder as that of the package
  printf 'def get_petsc_dir():\n    return "%s"\n' "$1" >"$tmp/site/petsc/__init__.py"
  bash -c 'set -euo pipefail; top=$1; . "$top/config/common.sh"; . "$top/config/cuda.sh"; . "$top/config/petsc.sh"; petsc_find; echo "taken: ${PETSC_DIR:-none}"' \
    - "$PWD" 2>&1
}
fake old 3.18.4 $good_petsc
output=$(PYTHONPATH=$tmp/site PKG_CONFIG_LIBDIR=$tmp found "$petsc_dir") || true
grep -q "the PETSc of the Python package petsc is not taken, $petsc_dir: .*is PETSc 3.18.4" <<<"$output" && grep -q "^taken: none" <<<"$output" && good=yes || good=""
verdict "the Python package petsc: too old" "$good" "$output"
fake complex 3.26.1 USE_COMPLEX $good_petsc
cp -r "$petsc_dir/opt/." "$petsc_dir" # as an installed one
output=$(PYTHONPATH=$tmp/site PKG_CONFIG_LIBDIR=$tmp found "$petsc_dir") || true
grep -q "the Python package petsc is not taken, $petsc_dir: it has complex scalars.*PETSC_DIR=$petsc_dir" <<<"$output" && grep -q "^taken: none" <<<"$output" && good=yes || good=""
verdict "the Python package petsc: complex scalars are for those who name it" "$good" "$output"
# An interruption ends the whole step, and says how to go on.
cat >"$tmp/step.sh" <<'STEP'
set -euo pipefail
top=.
. config/common.sh
work() { sh -c 'echo $$ >"$0"; sleep 60; true' "$1"; }
step long "a minute" work "$1"
STEP
bash "$tmp/step.sh" "$tmp/pid" >"$tmp/output" 2>&1 &
script=$!
for _ in $(seq 100); do if [ -s "$tmp/pid" ]; then break; fi; sleep 0.1; done
kill -TERM "$script"
status=0
wait "$script" || status=$?
good=yes
[ "$status" -eq 130 ] && grep -q "run the same command again to go on" "$tmp/output" || good=""
for _ in $(seq 20); do kill -0 "$(cat "$tmp/pid")" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$(cat "$tmp/pid")" 2>/dev/null || good=""
verdict "an interruption ends its step" "$good" "status $status: $(cat "$tmp/output")"

# A PETSc of the user's that does.
if [ -n "$own_dir" ]; then
  good=yes
  output=$(PETSC_DIR=$own_dir PETSC_ARCH=$own_arch "$setup" "$tmp/config.mk" 2>&1 </dev/null) || good=""
  grep -q "^PETSC_DIR *:= $own_dir\$" "$tmp/config.mk" || good=""
  verdict "a PETSc of the user's" "$good" "$output"
  # as that of the Python package, and as the one that pkg-config knows; an installed one has no PETSC_ARCH
  mkdir -p "$tmp/pc"
  if [ -n "$own_arch" ]; then
    printf 'prefix=%s\nName: PETSc\nDescription: PETSc\nVersion: 3.26\n' "$own_dir/$own_arch" >"$tmp/pc/PETSc.pc"
  else
    printf 'prefix=%s\nName: PETSc\nDescription: PETSc\nVersion: 3.26\n' "$own_dir" >"$tmp/pc/PETSc.pc"
  fi
  if command -v pkg-config >/dev/null; then
    output=$(PKG_CONFIG_LIBDIR=$tmp/pc found /none) || true
    grep -q "the PETSc of pkg-config (PETSc) is taken, $own_dir; PETSC_DIR=FOLDER names another one, PLEXGPU_OWN_PETSC=yes" <<<"$output" && grep -q "^taken: $own_dir" <<<"$output" && good=yes || good=""
    verdict "the PETSc that pkg-config knows" "$good" "$output"
    output=$(PLEXGPU_OWN_PETSC=yes PKG_CONFIG_LIBDIR=$tmp/pc found /none) || true
    grep -q "^taken: none" <<<"$output" && good=yes || good=""
    verdict "PLEXGPU_OWN_PETSC=yes takes none that is found" "$good" "$output"
  fi
else
  echo "skip setup: a PETSc of the user's: PETSC_DIR is not set"
fi
[ "$failures" -eq 0 ]
