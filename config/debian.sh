# What PlexGPU and its PETSc are built with. Each thing is looked for as it will be used, by its command or by compiling
# with it, so that it may come from Debian, from conda or from modules; what is not there is installed from Debian's
# packages. Sourced by setup.sh, after petsc.sh.

has() { # COMMAND...: all of them
  local command
  for command in "$@"; do command -v "$command" >/dev/null || return 1; done
}
has_c()       { compiles -- 'int main(void) { return 0; }'; }
has_libelf()  { compiles -lelf -- '#include <gelf.h>' 'int main(void) { return (int)elf_version(EV_CURRENT); }'; }
has_libdw()   { compiles -ldw -- '#include <elfutils/libdw.h>' 'int main(void) { return dwarf_errno(); }'; }
has_metis()   { compiles -lmetis -- '#include <metis.h>' 'int main(void) { return METIS_SetDefaultOptions(0); }'; }
has_blas()    { compiles -lopenblas -- 'int dgemm_();' 'int main(void) { return dgemm_(); }' ||
                compiles -llapack -lblas -- 'int dgemm_();' 'int main(void) { return dgemm_(); }'; }
# Another one than the reference implementation, which Debian has in a folder blas/ and which is ten times slower
has_fast_blas() {
  compiles -lopenblas -- 'int dgemm_();' 'int main(void) { return dgemm_(); }' || ! compgen -G '/usr/lib/*/blas/libblas.so' >/dev/null
}
has_hip()     { compiles -D__HIP_PLATFORM_AMD__ "$@" -- '#include <hip/hip_runtime_api.h>' '#include <hip/hiprtc.h>' 'int main(void) { return HIP_VERSION_MAJOR < 5; }'; }
has_venv()    { python3 -c 'import venv, ensurepip' 2>/dev/null; }
has_python_h() { python3 -c 'import os, sysconfig as s; raise SystemExit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))' 2>/dev/null; }
has_hdf5()    { [ -n "$(petsc_hdf5_options)" ]; }

debian_install() { # AS_ROOT PACKAGE...
  local as_root=$1
  shift
  $as_root dpkg --configure -a # finishes what an interrupted installation left
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install "$@"
}

# Packages that have to be there, and those that PlexGPU does without: missing and wanted, of what is not there
debian_look() {
  local name package header folder libraries
  missing="" wanted=""
  need() { local package=$1; shift; "$@" || missing="$missing $package"; }
  want() { local package=$1; shift; "$@" || wanted="$wanted $package"; }
  if [ -z "${PETSC_DIR:-}" ]; then
    need gcc has "${CC:-gcc}"
    need g++ has "${CXX:-g++}"
  fi
  need make has make
  need python3 has python3
  if [ -z "${PLEXGPU_PYTHON:-}" ] || [ -z "${PETSC_DIR:-}" ]; then need python3-venv has_venv; fi
  [ -n "${PLEXGPU_PYTHON:-}" ] || need python3-dev has_python_h
  # A PETSc of the user's brings its own MPI, HDF5 and BLAS, and METIS if it has it.
  if [ -z "${PETSC_DIR:-}" ]; then
    need openmpi-bin has mpiexec
    need libopenmpi-dev has mpicc mpicxx
    if has_blas; then want libopenblas-dev has_fast_blas; else need libopenblas-dev has_blas; fi
    petsc_leaves_out hdf5 || want libhdf5-openmpi-dev has_hdf5
    petsc_leaves_out metis || want libmetis-dev has_metis
    for name in $petsc_solver_names; do
      petsc_solver "$name"
      if [ -n "$package" ] && petsc_takes_solver "$name"; then want "$package" has_solver "$name"; fi
    done
  elif ! petsc_user_has HAVE_METIS; then
    want libmetis-dev has_metis
  fi
  need libelf-dev has_libelf
  want libdw-dev has_libdw
  [ "${PLEXGPU_HIP:-}" != yes ] || want libamdhip64-dev has_hip
  want pkg-config has pkg-config
  want xz-utils has xz
}

# Sets metis: what links METIS where PETSc does not bring it; empty: PlexGPU is built without it
metis_setup() {
  metis=""
  if petsc_leaves_out metis || grep -q '^#define PETSC_HAVE_METIS' "$petsc_dir/$petsc_arch/include/petscconf.h"; then return 0; fi
  if has_metis; then metis=-lmetis
  else say "METIS: not found, PlexGPU cuts meshes along curves alone (Debian: apt-get install libmetis-dev, then remove build/config.mk)"; fi
}

# Sets libdw: what links it, which finds the source of pointwise functions in debugging information; empty: without it
libdw_setup() {
  libdw=""
  if has_libdw; then libdw=-ldw
  else say "libdw: not found, the source of pointwise functions has to be named (Debian: apt-get install libdw-dev, then remove build/config.mk)"; fi
}

# Sets hip, of whose headers the backend hip is compiled: "yes" where the compiler finds them, else ROCm's folder; empty:
# PlexGPU is built without
hip_setup() {
  local dir
  hip=""
  if [ "${PLEXGPU_HIP:-}" = no ]; then return 0; fi
  if has_hip; then hip=yes
  else
    for dir in "${PLEXGPU_HIP:-}" "${ROCM_PATH:-}" /opt/rocm; do
      if [ -z "$hip" ] && [ -n "$dir" ] && [ -d "$dir/include/hip" ] && has_hip "-I$dir/include"; then hip=$dir; fi
    done
  fi
  case ${PLEXGPU_HIP:-} in
    "") ;;
    *) [ -n "$hip" ] || say "HIP: its headers are not found, PlexGPU has no backend hip (Debian: apt-get install libamdhip64-dev)" ;;
  esac
}

debian_setup() {
  local missing wanted as_root="" advice=""
  debian_look
  [ -n "$missing$wanted" ] || return 0
  [ -n "${PETSC_DIR:-}" ] || advice="
or set PETSC_DIR (and PETSC_ARCH) to a PETSc that is already built, which leaves fewer packages to install"
  if ! has apt-get dpkg-query; then
    [ -z "$missing" ] || fail "not found, and this is no Debian system to install it on. In Debian's names:$missing. Install it, by the system's packages, conda or modules${advice}"
    say "not found, and not needed by the library itself (in Debian's names):$wanted"
    return 0
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if has sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
      as_root=sudo
    elif [ -n "$missing" ]; then
      fail "these Debian packages are missing and this user may not install them (not root, and sudo is missing or refuses). Ask an administrator for
  apt-get install$missing$wanted
or have what they bring by conda or modules, where it is found as well${advice}"
    else
      say "not found, and not needed by the library itself (in Debian's names):$wanted"
      return 0
    fi
  fi
  say "installing Debian packages:$missing$wanted"
  step apt-update "under a minute" $as_root apt-get -o Acquire::Retries=3 update
  step apt-install "1-3 minutes" debian_install "$as_root" $missing $wanted
}
