# A virtual environment with what the plots and the Python bindings need. Sourced by setup.sh after petsc.sh.
# Sets python; PLEXGPU_PYTHON names another one, or 'no' for none.

python_packages="numpy==2.3.* h5py==3.* matplotlib==3.10.*"

python_install() {
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --no-cache-dir $python_packages
  export PETSC_DIR=$petsc_dir PETSC_ARCH=$petsc_arch
  # petsc4py has to be of PETSc's version; a development version of PETSc brings its own
  "$venv/bin/pip" install --no-cache-dir --no-deps "petsc4py==$(petsc_version_of "$petsc_dir")" ||
    "$venv/bin/pip" install --no-cache-dir --no-deps "$petsc_dir/src/binding/petsc4py"
  touch "$venv/done"
}

python_setup() {
  if [ -n "${PLEXGPU_PYTHON:-}" ]; then
    [ "$PLEXGPU_PYTHON" = no ] || command -v "$PLEXGPU_PYTHON" >/dev/null || fail "PLEXGPU_PYTHON=$PLEXGPU_PYTHON is not a program: give a Python's path, or 'no'"
    python=$(command -v "$PLEXGPU_PYTHON" || true)
    return 0
  fi
  venv=$cache/python-$(key_of "$petsc_dir" "$petsc_arch" "$python_packages" "$(python3 --version)")
  [ -e "$venv/done" ] || step python-environment "3-5 minutes" python_install
  python=$venv/bin/python
}
