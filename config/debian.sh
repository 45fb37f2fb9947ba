# The Debian packages that PlexGPU and its PETSc are built with. Sourced by setup.sh.

debian_always="gcc g++ make pkg-config libelf-dev python3 python3-dev python3-venv xz-utils"
debian_metis="libmetis-dev"
debian_petsc="bison flex git ca-certificates openmpi-bin libopenmpi-dev libhdf5-openmpi-dev libopenblas-dev"

debian_install() { # AS_ROOT PACKAGE...
  local as_root=$1
  shift
  $as_root dpkg --configure -a # finishes what an interrupted installation left
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install "$@"
}

debian_setup() {
  local package packages="$debian_always" missing="" as_root="" advice
  # A PETSc of the user's brings its own MPI, HDF5 and BLAS, and METIS if it has it.
  if [ -z "${PETSC_DIR:-}" ]; then
    packages="$packages $debian_metis $debian_petsc"
    advice="
or set PETSC_DIR (and PETSC_ARCH) to a PETSc that is already built, which leaves fewer packages to install"
  elif ! petsc_user_has HAVE_METIS; then
    packages="$packages $debian_metis"
  fi
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: its packages are taken as present ($packages)"
    return 0
  fi
  for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
      as_root=sudo
    else
      fail "these Debian packages are missing and this user may not install them (not root, and sudo is missing or refuses). Ask an administrator for
  apt-get install$missing${advice:-}"
    fi
  fi
  say "installing Debian packages:$missing"
  step apt-update "under a minute" $as_root apt-get -o Acquire::Retries=3 update
  step apt-install "1-3 minutes" debian_install "$as_root" $missing
}
