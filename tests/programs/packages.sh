#!/usr/bin/env bash
# The recipes of packaging/: the steps of the containers after those of the system, into a clean prefix; programs by pkg-config and by
# CMake, the latter from a folder that the installation was moved to; one version everywhere; and what checks recipes, where it
# is found: cffconvert, hadolint, rattler-build, spack.
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
. tests/verdict
version=$(sed -n 's/^.define PLEXGPU_VERSION  *"\(.*\)"/\1/p' include/plexgpuversion.h)
unset PLEXGPU_OPTIONS
exec 8>build/tests/install.lock && flock 8 # the test install makes the same files

good=yes
for file in CITATION.cff packaging/conda/recipe.yaml packaging/spack/package.py packaging/petsc/plexgpu.py packaging/container/plexgpu.def packaging/container/Dockerfile CHANGELOG.md; do
  grep -qF "${version}" "$file" || { echo "$file is not of version $version" >"$tmp/output"; good=""; }
done
verdict "recipes are of version $version" "$good"
python3 - >"$tmp/output" 2>&1 <<'PYTHON' && good=yes || good=""
import ast
for path in ("packaging/petsc/plexgpu.py", "packaging/spack/package.py"):
    tree = ast.parse(open(path).read(), path)
    assert any(isinstance(node, ast.ClassDef) for node in tree.body), path
PYTHON
verdict "those in Python are Python" "$good"

env -u MAKEFLAGS -u MAKELEVEL make -s env >"$tmp/output" 2>&1
grep -qx "PETSC_DIR=$PETSC_DIR PETSC_ARCH=${PETSC_ARCH:-} PLEXGPU=$PWD/build" "$tmp/output" && good=yes || good=""
verdict "make env names PETSc and the build" "$good"

try() { # COMMAND WHAT ARGUMENTS...: where the command is found
  local command=$1 what=$2
  shift 2
  if ! command -v "$command" >"$tmp/output"; then echo "skip packages: $what: no $command"; return; fi
  "$command" "$@" >"$tmp/output" 2>&1 && good=yes || good=""
  verdict "$what" "$good"
}
try cffconvert "CITATION.cff is valid" --validate -i CITATION.cff
try hadolint "the Dockerfile has no faults" packaging/container/Dockerfile
try rattler-build "conda's recipe is rendered" build --render-only --recipe packaging/conda/recipe.yaml --target-platform linux-64
try spack "Spack's recipe has Spack's style" style packaging/spack/package.py

# As in the images; PETSc and the library are there already
PLEXGPU_STEPS="install check" PLEXGPU_KERNELS="" packaging/container/install.sh "$tmp/prefix" >"$tmp/output" 2>&1 && good=yes || good=""
grep -q "^PlexGPU $version in $tmp/prefix works, by pkg-config$" "$tmp/output" || good=""
verdict "steps of the containers, a program by pkg-config" "$good"
if command -v cmake >/dev/null; then
  mv "$tmp/prefix" "$tmp/moved" && packaging/check.sh "$tmp/moved" cmake >"$tmp/output" 2>&1 && good=yes || good=""
  grep -q "^PlexGPU $version in $tmp/moved works, by cmake$" "$tmp/output" || good=""
  verdict "a program by CMake's find_package(PlexGPU), from a folder that was moved" "$good"
else
  echo "skip packages: a program by CMake: no cmake"
fi
[ "$failures" -eq 0 ]
