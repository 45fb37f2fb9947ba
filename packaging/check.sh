#!/usr/bin/env bash
# check.sh PREFIX [cmake]: whether an installation of PlexGPU works. A program is compiled against it, by pkg-config or by
# CMake, a program that knows nothing of PlexGPU is taken over, and both are run. Recipes run it after their installation.
#
#   MPICC       PETSc's C compiler (mpicc)
#   CMAKE       CMake's command (cmake)
set -euo pipefail
prefix=$(cd "${1:?usage: packaging/check.sh PREFIX [cmake]}" && pwd)
by=${2:-pkg-config}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pc=$(find "$prefix" -path '*/pkgconfig/plexgpu.pc' -print -quit)
lib=$(dirname "$(dirname "$pc")")
data=$(dirname "$(find "$prefix" -type d -path '*/plexgpu/cuda' -print -quit)")
cat >"$tmp/app.c" <<'APP'
#include <plexgpu.h>
#include <plexgpugeo.h>

int main(int argc, char **argv)
{
  const PlexSphere sphere   = {.radius = 6.37122e6, .center = {10., 50.}};
  const PetscReal  place[2] = {10., 50.};
  PetscReal        x[2];
  PlexBackend      backend;
  char             version[16];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PlexGPUGetVersion(version, sizeof(version)));
  PetscCall(PlexBackendCreate(PLEXBACKENDHOST, &backend));
  PetscCall(PlexSphereProject(&sphere, place, x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s of %s at %g\n", version, PLEXGPU_VERSION, (double)x[0]));
  PetscCall(PlexBackendDestroy(&backend));
  return PetscFinalize();
}
APP
cp "$data/examples/unmodified/combustion.c" "$tmp/"
export PKG_CONFIG_PATH=$lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
version=$(sed -n 's/^Version: //p' "$pc")
case $by in
  pkg-config)
    # shellcheck disable=SC2046 # words
    ${MPICC:-mpicc} -o "$tmp/app" "$tmp/app.c" $(pkg-config --cflags --libs plexgpu plexgpugeo) -lm
    ${MPICC:-mpicc} -w -o "$tmp/combustion" "$tmp/combustion.c" $(pkg-config --cflags --libs plexgpu | sed 's/-l:libplexgpu[^ ]*//g') -lm
    ;;
  cmake)
    cat >"$tmp/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(app C)
find_package(PlexGPU ${WANTED} REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE PlexGPU::plexgpu PlexGPU::geo m)
add_executable(combustion combustion.c)
get_target_property(petsc_libs PlexGPU::geo INTERFACE_LINK_LIBRARIES)
get_target_property(petsc_flags PlexGPU::geo INTERFACE_COMPILE_OPTIONS)
target_compile_options(combustion PRIVATE ${petsc_flags} -w)
target_link_libraries(combustion PRIVATE ${petsc_libs} m)
file(WRITE ${CMAKE_BINARY_DIR}/preload "${PlexGPU_PRELOAD}")
if(NOT EXISTS "${PlexGPU_SOURCE_DIR}/plex.cuh")
  message(FATAL_ERROR "PlexGPU_SOURCE_DIR=${PlexGPU_SOURCE_DIR} is not the folder of device code")
endif()
CMAKE
    ${CMAKE:-cmake} -S "$tmp" -B "$tmp/build" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" -DCMAKE_C_COMPILER="$(command -v cc)" >"$tmp/cmake.log" 2>&1 ||
      { cat "$tmp/cmake.log" >&2; exit 1; }
    ${CMAKE:-cmake} --build "$tmp/build"
    cp "$tmp/build/app" "$tmp/build/combustion" "$tmp/"
    [ "$(cat "$tmp/build/preload")" -ef "$lib/libplexgpu_preload.so" ]
    # another version is refused, and so is a newer one
    for wrong in 9.0 "${version%.*}.999"; do
      ! ${CMAKE:-cmake} -S "$tmp" -B "$tmp/wrong-$wrong" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$wrong" >"$tmp/cmake.log" 2>&1
    done
    ;;
  *) echo "packaging/check.sh: by pkg-config or cmake, not $by" >&2; exit 1 ;;
esac
cd "$tmp" # nothing is found by way of the folder that it is run in
./app | tee result
grep -qx "$version of $version at 0\." result
LD_PRELOAD=$lib/libplexgpu_preload.so PLEXGPU_OPTIONS='-plex_assembly_backend host -plex_assembly_view' ./combustion >taken
grep 'computed here: 5 residuals, 4 Jacobians' taken
echo "PlexGPU $version in $prefix works, by $by"
