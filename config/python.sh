# A virtual environment with what the plots need; the Python bindings' own is made on top of it (bindings.sh). Sourced
# by setup.sh after petsc.sh.
# Sets python; PLEXGPU_PYTHON names another one, or 'no' for none.

python_packages="numpy==2.3.* h5py==3.* matplotlib==3.10.*"

python_install() {
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --no-cache-dir $python_packages
  touch "$venv/done"
}

python_setup() {
  if [ -n "${PLEXGPU_PYTHON:-}" ]; then
    [ "$PLEXGPU_PYTHON" = no ] || command -v "$PLEXGPU_PYTHON" >/dev/null || fail "PLEXGPU_PYTHON=$PLEXGPU_PYTHON is not a program: give a Python's path, or 'no'"
    python=$(command -v "$PLEXGPU_PYTHON" || true)
    return 0
  fi
  venv=$cache/python-$(key_of "$python_packages" "$(python3 --version)")
  [ -e "$venv/done" ] || step python-environment "under a minute" python_install
  python=$venv/bin/python
}
