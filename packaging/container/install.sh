#!/usr/bin/env bash
# install.sh PREFIX: the steps of the Dockerfile and of the Apptainer definition, from the checkout's top folder: packages
# of the system, PETSC_DIR's PETSc or one that is built, PlexGPU, its installation into PREFIX, and a look whether it works.
#
#   PLEXGPU_KERNELS   GPUs that kernels are compiled for now: "sm_80 sm_90 sm_100"; "" for none
#   PLEXGPU_STEPS     words of: system build install check clean; default all but clean
set -euo pipefail
prefix=${1:?usage: packaging/container/install.sh PREFIX}
cd "$(dirname "$0")/../.."
steps=${PLEXGPU_STEPS:-system build install check}
export PLEXGPU_PYTHON=${PLEXGPU_PYTHON-no} DEBIAN_FRONTEND=noninteractive
wants() { [[ " $steps " == *" $1 "* ]]; }

if wants system; then
  apt-get update
  # what config/debian.sh adds to these itself is what PETSc and PlexGPU need of libraries
  apt-get install -y --no-install-recommends ca-certificates cmake gcc g++ gfortran libelf-dev libdw-dev libopenmpi-dev make openmpi-bin patch pkg-config \
    python3 python3-dev python3-venv xz-utils
fi
if wants build; then make all; fi
if wants install; then make install prefix="$prefix" ${PLEXGPU_KERNELS+PLEXGPU_KERNELS="$PLEXGPU_KERNELS"}; fi
if wants check; then packaging/check.sh "$prefix"; fi
if wants clean; then
  make clean
  rm -rf /var/lib/apt/lists/*
fi
