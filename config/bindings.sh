#!/usr/bin/env bash
# bindings.sh FOLDER: a Python environment in FOLDER (build/python) with petsc4py, the bindings, UFL, pytest, nbclient,
# pdoc and meshio, on top of the project's environment. Called by `make python`; a second time it builds what has
# changed.
#
#   PLEXGPU_PYTHON          the Python below, of the project's environment or the user's own
#   PETSC_DIR, PETSC_ARCH   the PETSc for petsc4py, where that Python has none
#
# petsc4py and the bindings are compiled for the stable interface of CPython 3.11: the same modules run in every later
# one, so a bundle has them for the Python of another machine.
set -euo pipefail
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CPPFLAGS CXXFLAGS LDFLAGS # PlexGPU's are not Python's
top=$(cd "$(dirname "$0")/.." && pwd)
venv=${1:?usage: config/bindings.sh FOLDER}
. "$top/config/common.sh"
. "$top/config/petsc.sh"
tools="cython==3.* setuptools>=64 wheel"
packages="$tools fenics-ufl==2026.* pytest pytest-xdist nbclient ipykernel pdoc==16.* meshio"
[ -z "${PETSC_DIR:-}" ] || ! petsc_user_has USE_COMPLEX || fail "the Python bindings are for real scalars, and PETSC_DIR=$PETSC_DIR has complex ones: take a PETSc configured with --with-scalar-type=real"

# petsc4py has to be of PETSc's version; a development version of PETSc brings its own. Kept with PETSc, in the cache
petsc4py_install() {
  local tag="" command
  rm -rf "$petsc4py" "$petsc4py-build"
  "$PLEXGPU_PYTHON" -m venv "$petsc4py-build"
  "$petsc4py-build/bin/pip" install --no-cache-dir $tools "numpy>=2"
  if "$PLEXGPU_PYTHON" -c "$stable"; then tag=cp311; fi
  command="$petsc4py-build/bin/pip install --no-cache-dir --no-deps --no-build-isolation --target $petsc4py"
  export CFLAGS=-O1 PETSC4PY_BUILD_PYSABI=$tag
  $command "petsc4py==$version" || $command "$PETSC_DIR/src/binding/petsc4py"
  rm -rf "$petsc4py-build"
  touch "$petsc4py/done"
}
# as setup.py of the bindings says it
stable='import sys, sysconfig
found = sys.version_info >= (3, 11) and sys.implementation.name == "cpython"
sys.exit(not found or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'

bindings_environment() {
  local below site
  rm -rf "$venv"
  "$PLEXGPU_PYTHON" -m venv "$venv"
  below=$("$PLEXGPU_PYTHON" -c 'import site
print("; ".join(f"site.addsitedir({p!r})" for p in site.getsitepackages()))')
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf 'import site; %s\n' "$below" >"$site/below.pth"
  [ -z "$petsc4py" ] || printf '%s\n' "$petsc4py" >"$site/petsc4py.pth"
  "$venv/bin/pip" install --no-cache-dir $packages
  "$venv/bin/python" -c 'import numpy' || "$venv/bin/pip" install --no-cache-dir "numpy>=2"
  "$venv/bin/python" -c 'import petsc4py.PETSc'
  touch "$venv/done"
}

# Built in a copy, which keeps what Cython and the compiler have made, but no module of another Python
bindings_install() {
  mkdir -p "$venv-build"
  rm -rf "$venv-build/src" "$venv-build"/build/lib*
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
petsc4py=""
if ! "$PLEXGPU_PYTHON" -c 'import petsc4py.PETSc' 2>/dev/null; then
  version=$(petsc_version_of "$PETSC_DIR")
  petsc4py=$cache/petsc4py-$(key_of "$PETSC_DIR" "${PETSC_ARCH:-}" "$version" "$("$PLEXGPU_PYTHON" --version)")
  lock_cache
  [ -e "$petsc4py/done" ] || step petsc4py "2-4 minutes" petsc4py_install
fi
if [ ! -e "$venv/done" ] || [ "$top/config/bindings.sh" -nt "$venv/done" ]; then
  step python-bindings-environment "under a minute" bindings_environment
fi
if bindings_changed; then
  step python-bindings "under a minute" bindings_install
fi
say "plexgpu for Python: $venv/bin/python"
