# Finds the user's PETSc, or builds one in the cache. Sourced by setup.sh after cuda.sh.
# Sets petsc_dir and petsc_arch.

petsc_version=${PLEXGPU_PETSC_VERSION:-3.26.1} # the one that is built here
petsc_oldest=3.25                              # the oldest that a user may bring

petsc_leaves_out() { # hdf5|metis|solvers|the name of one: whether the PETSc that is built here is to do without
  case " ${PLEXGPU_PETSC_WITHOUT:-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

petsc_user_has() { # NAME: whether petscconf.h of the user's PETSc defines PETSC_NAME
  grep -q "^#define PETSC_$1\( \|$\)" "$PETSC_DIR/${PETSC_ARCH:-}/include/petscconf.h"
}

# Says what is wrong with the user's PETSc before anything is built or installed.
petsc_check_user() {
  local at="PETSC_DIR=$PETSC_DIR PETSC_ARCH=${PETSC_ARCH:-}" own="or unset PETSC_DIR and PlexGPU builds a PETSc of its own" arches
  local header=$PETSC_DIR/include/petscversion.h prefix=$PETSC_DIR/${PETSC_ARCH:-}
  [ -r "$header" ] || fail "PETSC_DIR=$PETSC_DIR has no include/petscversion.h: correct it, $own"
  petsc_user_version=$(petsc_version_of "$PETSC_DIR")
  [ "$(printf '%s\n' "$petsc_oldest" "$petsc_user_version" | sort -V | head -n 1)" = "$petsc_oldest" ] ||
    fail "PETSC_DIR=$PETSC_DIR is PETSc $petsc_user_version, and PlexGPU needs $petsc_oldest or newer: take a newer one, $own"
  if [ ! -r "$prefix/lib/petsc/conf/petscvariables" ] || [ ! -r "$prefix/include/petscconf.h" ]; then
    arches=$(cd "$PETSC_DIR" && for found in */lib/petsc/conf/petscvariables; do [ ! -e "$found" ] || printf ' %s' "${found%%/*}"; done)
    fail "$at is not a configured PETSc ($prefix/lib/petsc/conf/petscvariables is missing): set PETSC_ARCH to one of its builds (${arches:+found:}${arches:-none found}), $own"
  fi
  petsc_user_has USE_REAL_DOUBLE || fail "$at is not built in double precision, which PlexGPU needs (-plex_assembly_precision single works on top of it): configure it with --with-precision=double, $own"
  petsc_user_has USE_SHARED_LIBRARIES || fail "$at has static libraries only, and PlexGPU is a plugin: configure it with --with-shared-libraries=1, $own"
  ! petsc_user_has HAVE_MPIUNI || fail "$at is built without MPI: configure it with --with-mpi=1, $own"
}

petsc_compiler() { # the user's PETSc's
  printf '%s\n' 'include $(PETSC_DIR)/$(PETSC_ARCH)/lib/petsc/conf/petscvariables' 'compiler: ; @echo $(CC)' |
    make -s -f - PETSC_DIR="$PETSC_DIR" PETSC_ARCH="${PETSC_ARCH:-}" compiler
}

petsc_version_of() { # DIR
  awk '/define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR)/ {v = v s $3; s = "."} END {print v}' "$1/include/petscversion.h"
}

# Compiles, links and runs a small program with the user's PETSc: its compiler, its MPI and its HDF5, if it has one, have to
# fit together. A wrong mpi.h is refused by PETSc's own headers.
petsc_try_user() {
  local dir=$cache/try-$$ compiler
  rm -rf "$dir"
  mkdir -p "$dir"
  printf '%s\n' '#include <petscsnes.h>' '#if PetscDefined(HAVE_HDF5)' '#include <petscviewerhdf5.h>' '#include <hdf5.h>' '#endif' \
    'int main(int argc, char **argv)' '{' '  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));' '#if PetscDefined(HAVE_HDF5)' \
    '  unsigned a, b, c;' '  H5get_libversion(&a, &b, &c);' '#endif' '  return PetscFinalize();' '}' >"$dir/try.c"
  printf '%s\n' "PETSC_DIR := $PETSC_DIR" "PETSC_ARCH := ${PETSC_ARCH:-}" 'include $(PETSC_DIR)/$(PETSC_ARCH)/lib/petsc/conf/petscvariables' \
    'try: try.c' "	\$(CC) \$(CC_FLAGS) \$(PETSC_CC_INCLUDES) -o try try.c \$(PCC_LINKER_FLAGS) \$(PETSC_LIB)" >"$dir/makefile"
  compiler=$(petsc_compiler)
  command -v "${compiler%% *}" >/dev/null ||
    fail "PETSC_DIR=$PETSC_DIR was built with the compiler $compiler, which is not on the PATH: add it, or unset PETSC_DIR and PlexGPU builds a PETSc of its own"
  if ! { make -C "$dir" try && (cd "$dir" && PETSC_OPTIONS="" timeout 60 ./try); } >"$dir/log" 2>&1 </dev/null; then
    mkdir -p "$logs"
    mv "$dir/log" "$logs/petsc-try.log"
    rm -rf "$dir"
    tail -n 15 "$logs/petsc-try.log" >&2
    fail "with PETSC_DIR=$PETSC_DIR PETSC_ARCH=${PETSC_ARCH:-} a small program did not compile, link and run (above; whole: $logs/petsc-try.log). Often another MPI is on the PATH, or libpetsc is not built yet (make -C \$PETSC_DIR all)"
  fi
  rm -rf "$dir"
}

# Whether a PETSc that was found does for PlexGPU, and can use the GPU where there is a CUDA toolkit; says in a line that it
# is taken, or why not
petsc_take() { # WHAT DIR ARCH
  local why
  [ -d "$2" ] || return 1
  if why=$(export PETSC_DIR=$2 PETSC_ARCH=$3
      petsc_check_user 2>&1
      if [ "${PLEXGPU_CUDA:-auto}" != no ] && has_nvcc && ! petsc_user_has HAVE_CUDA; then
        echo "it is built without CUDA, and there is a CUDA toolkit here"
        exit 1
      fi
      if petsc_user_has USE_COMPLEX; then
        echo "it has complex scalars, for which there are neither kernels nor discontinuous Galerkin methods: PETSC_DIR=$PETSC_DIR PETSC_ARCH=$PETSC_ARCH takes it all the same"
        exit 1
      fi
      petsc_try_user 2>&1); then
    PETSC_DIR=$2 PETSC_ARCH=$3
    export PETSC_DIR PETSC_ARCH
    petsc_user_version=$(petsc_version_of "$PETSC_DIR")
    say "the PETSc of $1 is taken, $2; PETSC_DIR=FOLDER names another one, PLEXGPU_OWN_PETSC=yes builds one"
    return 0
  fi
  why=$(tail -n 1 <<<"$why")
  say "the PETSc of $1 is not taken, $2: ${why#setup: error: }"
  return 1
}

has_nvcc() { case ${PLEXGPU_CUDA:-auto} in auto) command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] ;; *) true ;; esac; }

# Where no PETSc is named: that of the Python package petsc, or the one that pkg-config knows, if it does
petsc_find() {
  local name prefix
  case ${PLEXGPU_OWN_PETSC:-no} in no | 0 | "") ;; *) return 0 ;; esac
  prefix=$(python3 -c 'import petsc; print(petsc.get_petsc_dir())' 2>/dev/null || true)
  if [ -n "$prefix" ] && petsc_take "the Python package petsc" "$prefix" ""; then return 0; fi
  for name in PETSc petsc; do
    prefix=$(pkg-config --variable=prefix "$name" 2>/dev/null || true)
    [ -n "$prefix" ] || continue
    # one that is used where it was built has include/petscversion.h a folder above
    if [ -r "$prefix/include/petscversion.h" ]; then petsc_take "pkg-config ($name)" "$prefix" "" && return 0
    else petsc_take "pkg-config ($name)" "$(dirname "$prefix")" "$(basename "$prefix")" && return 0; fi
    break
  done
  return 0
}

petsc_fetch() { # the sources, unpacked into $petsc_dir
  local tmp=$cache/petsc-download
  rm -rf "$tmp"
  mkdir -p "$tmp"
  python3 -m venv "$tmp/venv"
  "$tmp/venv/bin/pip" download --no-deps --no-binary petsc -d "$tmp" "petsc==$petsc_version"
  tar -C "$tmp" -xzf "$tmp/petsc-$petsc_version.tar.gz"
  mkdir -p "$petsc_dir"
  rm -rf "$petsc_dir"
  mv "$tmp/petsc-$petsc_version" "$petsc_dir"
  rm -rf "$tmp"
}

petsc_configure() {
  cd "$petsc_dir"
  env -u PETSC_DIR -u PETSC_ARCH python3 ./configure PETSC_ARCH="$petsc_arch" "${petsc_options[@]}"
  touch "$petsc_dir/$petsc_arch/configured"
}

petsc_make() {
  local objects=$petsc_dir/$petsc_arch/obj newest
  cd "$petsc_dir"
  # After an interruption the files that were being written may be cut short: the last few seconds' are made again.
  if [ -d "$objects" ]; then
    newest=$(find "$objects" -name '*.o' -printf '%T@\n' | sort -n | tail -n 1)
    [ -z "$newest" ] || find "$objects" -name '*.o' -newermt "@$((${newest%.*} - 5))" -delete
  fi
  rm -f "$petsc_dir/$petsc_arch"/lib/libpetsc.so*
  make PETSC_DIR="$petsc_dir" PETSC_ARCH="$petsc_arch" MAKE_NP="$(nproc)" all
  touch "$petsc_dir/$petsc_arch/built"
}

# Options for HDF5 and METIS as Debian, conda or modules have them; none: PETSc is built without
petsc_hdf5_options() {
  local dir
  dir=/usr/lib/$(gcc -print-multiarch 2>/dev/null || true)/hdf5/openmpi
  if [ -r /usr/include/hdf5/openmpi/hdf5.h ] && [ -e "$dir/libhdf5.so" ]; then
    printf '%s\n' --with-hdf5-include=/usr/include/hdf5/openmpi "--with-hdf5-lib=-L$dir -lhdf5_hl -lhdf5"
  elif command -v h5pcc >/dev/null; then
    printf '%s\n' "--with-hdf5-dir=$(dirname "$(dirname "$(readlink -f "$(command -v h5pcc)")")")"
  fi
}

petsc_metis_options() {
  if [ -r /usr/include/metis.h ]; then printf '%s\n' --with-metis-include=/usr/include --with-metis-lib=-lmetis
  elif [ -n "${CONDA_PREFIX:-}" ] && [ -r "$CONDA_PREFIX/include/metis.h" ]; then echo "--with-metis-dir=$CONDA_PREFIX"; fi
}

petsc_own_options() { # sets petsc_options
  local words=() solvers options option word
  petsc_options=(--with-debugging=0 --with-fc=0 --with-x=0 --with-cc=mpicc --with-cxx=mpicxx COPTFLAGS=-O2 CXXOPTFLAGS=-O2)
  if compiles -lopenblas -- 'int dgemm_();' 'int main(void) { return dgemm_(); }'; then petsc_options+=(--with-blaslapack-lib=-lopenblas); fi
  read -r -a words <<<"${PLEXGPU_PETSC_OPTIONS:-}"
  # METIS of a system has 32-bit indices, and PETSc wants them as long as its own
  if ! petsc_leaves_out metis && [[ " ${words[*]} " != *" --with-64-bit-indices=1 "* ]]; then
    mapfile -t options < <(petsc_metis_options)
    petsc_options+=("${options[@]}")
  fi
  if ! petsc_leaves_out hdf5; then
    mapfile -t options < <(petsc_hdf5_options)
    petsc_options+=("${options[@]}")
  fi
  if [ -n "$cuda_dir" ]; then
    petsc_options+=(--with-cuda=1 "--with-cuda-dir=$cuda_dir" "--with-cudac=$cuda_dir/bin/nvcc" "--with-cuda-arch=$cuda_arch" CUDAOPTFLAGS=-O2)
    [ -z "$driver_dir" ] || petsc_options+=("LDFLAGS=-Wl,-rpath,$driver_dir")
  fi
  mapfile -t solvers < <(petsc_solver_options)
  # of two options of one name the second one holds
  for word in "${solvers[@]}" "${words[@]}"; do
    options=()
    for option in "${petsc_options[@]}"; do [ "${option%%=*}" = "${word%%=*}" ] || options+=("$option"); done
    petsc_options=("${options[@]}" "$word")
  done
}

petsc_setup() {
  if [ -n "${PETSC_DIR:-}" ]; then
    petsc_try_user
    petsc_dir=$PETSC_DIR petsc_arch=${PETSC_ARCH:-}
    say "PETSc $petsc_user_version of yours: PETSC_DIR=$petsc_dir PETSC_ARCH=$petsc_arch"
    if petsc_user_has USE_COMPLEX; then say "its scalars are complex: problems are assembled by the backend host; there are neither kernels nor discontinuous Galerkin methods"; fi
    return 0
  fi
  petsc_own_options
  petsc_arch=opt
  petsc_dir=$cache/petsc-$petsc_version-$(key_of "${petsc_options[@]}" "$(mpicc --version | head -n 1)" "$(mpirun --version | head -n 1)")
  if [ ! -e "$petsc_dir/$petsc_arch/built" ]; then
    say "building PETSc $petsc_version ${cuda_dir:+with CUDA $cuda_version }in $petsc_dir: about 15 minutes on two cores, once"
    [ -x "$petsc_dir/configure" ] || step petsc-download "under a minute" petsc_fetch
    [ -e "$petsc_dir/$petsc_arch/configured" ] || step petsc-configure "1-3 minutes" petsc_configure
    step petsc-make "12 minutes on two cores" petsc_make
  fi
  say "PETSc $petsc_version: PETSC_DIR=$petsc_dir PETSC_ARCH=$petsc_arch"
}
