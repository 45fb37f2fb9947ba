#!/usr/bin/env bash
# Brings a machine to where PlexGPU can be built, and writes what it found to the file named by $1 (build/config.mk).
# Everything slow is kept in ~/.cache/plexgpu (or $PLEXGPU_CACHE), keyed by version and options: it can be interrupted and
# repeated, and a second run takes a second.
#
#   PETSC_DIR, PETSC_ARCH   a PETSc of your own, used instead of building one; default: that of the Python package petsc, or
#                           the one that pkg-config knows, if it does for PlexGPU
#   PLEXGPU_OWN_PETSC       'yes': none of these two, PETSc is built
#   PLEXGPU_PETSC_VERSION, PLEXGPU_PETSC_OPTIONS, PLEXGPU_PETSC_WITHOUT
#                           of the PETSc that is built: its version (3.26.1), more options for its configure, and what it does
#                           without ('hdf5 metis solvers')
#   PLEXGPU_CUDA            the CUDA toolkit's folder, or 'no'; default: the nvcc on the PATH
#   PLEXGPU_CUDA_ARCH       compute capability without the dot (90); default: this machine's GPU, else 90
#   PLEXGPU_HIP             'yes' installs HIP by Debian's packages, 'no': no backend hip, or ROCm's folder; default: HIP where its
#                           headers are found
#   PLEXGPU_PYTHON          a Python with numpy, h5py and matplotlib, or 'no'; default: a virtual environment
#   PLEXGPU_CACHE           default ~/.cache/plexgpu
set -euo pipefail
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CPPFLAGS CXXFLAGS LDFLAGS # PlexGPU's are not PETSc's
out=${1:?usage: config/setup.sh OUTPUT.mk}
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/config/common.sh"
. "$top/config/cuda.sh"
. "$top/config/petsc.sh"
. "$top/config/solvers.sh"
. "$top/config/debian.sh"
. "$top/config/python.sh"

petsc_check_without
if [ -n "${PETSC_DIR:-}" ]; then petsc_check_user; else petsc_find; fi
lock_cache
debian_setup
cuda_setup
petsc_setup
metis_setup
libdw_setup
hip_setup
python_setup

mkdir -p "$(dirname "$out")"
cat >"$out.tmp" <<END
# Written by config/setup.sh; remove it to run the set-up again.
PETSC_DIR      := $petsc_dir
PETSC_ARCH     := $petsc_arch
PLEXGPU_PETSC  := $petsc_dir|$petsc_arch
PLEXGPU_PYTHON := $python
PLEXGPU_CUDA_DIR  := $cuda_dir
PLEXGPU_CUDA_ARCH := $cuda_arch
PLEXGPU_METIS     := $metis
PLEXGPU_LIBDW     := $libdw
PLEXGPU_HIP       := $hip
END
mv "$out.tmp" "$out"
say "ready ($out)"
