#!/usr/bin/env bash
# -plex_assembly_source auto: the files of pointwise functions out of the debugging information of a program and of a library that it loads; and
# what is left to PETSc: a program without, a file that is gone or has changed.
cd "$(dirname "$0")/../.." || exit 1
preload=$PWD/build/lib/libplexgpu_preload.so
. tests/verdict
if ! command -v mpicc >/dev/null || [ ! -d src ] || [ -z "${PETSC_DIR:-}" ]; then
  echo "skip autosource: there is no compiler, or no PETSC_DIR"
  exit 0
fi
if ! ldd build/lib/libplexgpu.so.0 | grep -q libdw; then
  echo "skip autosource: PlexGPU was built without libdw"
  exit 0
fi
petsc="-I$PETSC_DIR/include -I$PETSC_DIR/${PETSC_ARCH:-}/include -L$PETSC_DIR/${PETSC_ARCH:-}/lib -Wl,-rpath,$PETSC_DIR/${PETSC_ARCH:-}/lib -lpetsc -lm"

# The program's source, compiled by a relative path: with main() into the program, and under another name into a library that another program calls
mkdir -p "$tmp/app" "$tmp/lib/parts"
echo 'int Combustion(int, char **); int main(int argc, char **argv) { return Combustion(argc, argv); }' >"$tmp/app/main.c"
# shellcheck disable=SC2086 # words
build() { # FLAGS...
  cp examples/unmodified/combustion.c "$tmp/app/"
  cp examples/unmodified/combustion.c "$tmp/lib/parts/"
  (cd "$tmp/lib" && mpicc -w -fPIC -shared "$@" -Dmain=Combustion -o libcombustion.so parts/combustion.c $petsc) &&
    (cd "$tmp/app" && mpicc -w "$@" -o program combustion.c $petsc && mpicc -w -o caller main.c "-L$tmp/lib" "-Wl,-rpath,$tmp/lib" -lcombustion $petsc)
}

run() { # PROGRAM OPTIONS...
  local program=$1
  shift
  PLEXGPU_OPTIONS="-plex_assembly_backend emulate -plex_assembly_source auto -plex_assembly_view" \
    "${MPIEXEC:-mpiexec}" -n 2 env LD_PRELOAD="$preload" "$tmp/app/$program" "$@" >"$tmp/output" 2>&1
}
taken() { grep -qE "computed here: [1-9][0-9]* residuals, [1-9][0-9]* Jacobians; left to PETSc: 0 and 0" "$tmp/output"; }
left() { # PROGRAM WHAT REASON
  run "$1" && ! taken && grep -q "left to PETSc: -plex_assembly_source auto does not find all files" "$tmp/output" && good=yes || good=""
  verdict "$2: left to PETSc" "$good"
  run "$1" -info && grep -q "the pointwise function '[A-Za-z]*': .*$3" "$tmp/output" && good=yes || good=""
  verdict "$2: the reason" "$good"
}

build -g -O2 >"$tmp/output" 2>&1 && good=yes || good=""
verdict "a program and a library compile" "$good"
for program in program caller; do
  run $program -plex_assembly_check 1e-11 && taken && good=yes || good=""
  verdict "$program: the file is found, each entry is PETSc's" "$good"
done
run caller -info && grep -q "Pointwise functions are taken from $tmp/lib/parts/combustion.c" "$tmp/output" && good=yes || good=""
verdict "-info names it" "$good"

# Functions of a header besides those of the file: equal ones, of which gcc writes down the address of the first alone, and some of facets
mkdir "$tmp/walls"
cp tests/programs/walls.h "$tmp/walls/"
{
  echo '#include "walls.h"'
  sed -e 's/DMPlexMarkBoundaryFaces(dm/MarkWalls(dm/' -e 's/HeatOfTemperature, NULL, /HeatOfTemperature, NoneOfGradient, /' \
    -e 's/PetscCall(DMPlexLabelComplete(dm, label));/&PetscCall(AddWall(dm, ds, label));/' examples/unmodified/combustion.c
} >"$tmp/walls/program.c"
# shellcheck disable=SC2086 # words
(cd "$tmp/walls" && mpicc -w -g -O2 -o ../app/walls program.c $petsc) >"$tmp/output" 2>&1 && run walls -plex_assembly_check 1e-11 -info && taken &&
  grep -q "Pointwise functions are taken from .*$tmp/walls/walls.h" "$tmp/output" && good=yes || good=""
verdict "a header with equal functions and functions of facets: each entry is PETSc's" "$good"

touch -d '+1 second' "$tmp/lib/parts/combustion.c"
left caller "a file that has changed" "lib/parts/combustion.c, which it was compiled from, has changed since"
rm "$tmp/app/combustion.c"
left program "a file that is gone" "it was compiled from $tmp/app/combustion.c, which is not there"
strip -g "$tmp/lib/libcombustion.so"
left caller "no debugging information" "libcombustion.so has no debugging information of it: compile it with -g"
[ "$failures" -eq 0 ]
