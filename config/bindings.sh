#!/usr/bin/env bash
# bindings.sh FOLDER: a Python environment in FOLDER (build/python) with the bindings, UFL, pytest, nbclient, pdoc and meshio,
# on top of the project's environment, which has petsc4py. Called by `make python`; a second time it builds what has
# changed.
#
#   PLEXGPU_PYTHON          the Python below, of the project's environment or the user's own
#   PETSC_DIR, PETSC_ARCH   the PETSc for petsc4py, where that Python has none
set -euo pipefail
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
top=$(cd "$(dirname "$0")/.." && pwd)
venv=${1:?usage: config/bindings.sh FOLDER}
. "$top/config/common.sh"
packages="cython==3.* setuptools>=64 wheel fenics-ufl==2026.* pytest nbclient ipykernel pdoc==16.* meshio"

bindings_environment() {
  local below site version
  rm -rf "$venv"
  "$PLEXGPU_PYTHON" -m venv "$venv"
  below=$("$PLEXGPU_PYTHON" -c 'import site
print("; ".join(f"site.addsitedir({p!r})" for p in site.getsitepackages()))')
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf 'import site; %s\n' "$below" >"$site/below.pth"
  "$venv/bin/pip" install --no-cache-dir $packages
  "$venv/bin/python" -c 'import numpy' || "$venv/bin/pip" install --no-cache-dir "numpy>=2"
  version=$(awk '/define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR)/ {v = v s $3; s = "."} END {print v}' \
    "$PETSC_DIR/include/petscversion.h")
  "$venv/bin/python" -c 'import petsc4py.PETSc' ||
    "$venv/bin/pip" install --no-cache-dir --no-deps --no-build-isolation "petsc4py==$version"
  touch "$venv/done"
}

# Built in a copy, which keeps what Cython and the compiler have made
bindings_install() {
  mkdir -p "$venv-build"
  rm -rf "$venv-build/src"
  cp -Rp "$top/python-bindings/." "$venv-build/"
  PLEXGPU_DIR=$top "$venv/bin/pip" install --no-build-isolation --no-deps --force-reinstall "$venv-build"
  touch "$venv/installed"
}

bindings_changed() {
  [ ! -e "$venv/installed" ] || [ -n "$(find "$top/python-bindings" "$top/include" -newer "$venv/installed" -type f \
    ! -path '*/tests/*' ! -path '*/examples/*' ! -name '*.pyc' -print -quit)" ]
}

[ -n "${PLEXGPU_PYTHON:-}" ] ||
  fail "there is no Python to build on: PLEXGPU_PYTHON is empty or was 'no'; remove build/config.mk and run make again"
if [ ! -e "$venv/done" ] || [ "$top/config/bindings.sh" -nt "$venv/done" ]; then
  step python-bindings-environment "under a minute, 5 where petsc4py is built" bindings_environment
fi
if bindings_changed; then
  step python-bindings "under a minute" bindings_install
fi
say "plexgpu for Python: $venv/bin/python"
