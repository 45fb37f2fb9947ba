# Libraries of solvers, graphs and meshes that the PETSc which is built here gets from Debian's packages, so that what its
# users type next works, as -pc_factor_mat_solver_type mumps. Each is used where it is found, with the MPI of the system; one
# that PLEXGPU_PETSC_OPTIONS has a word about is the user's. Sourced by setup.sh, after common.sh.

petsc_solver_names="hypre suitesparse ptscotch mumps triangle"

# Sets package, header, folder and libraries of a name. Without a package: taken where it is installed, as Triangle, which
# is in Debian's part non-free, and hypre, of which Debian 12 has 2.26: older than PETSc 3.26 compiles with
petsc_solver() {
  folder=/usr/include
  case $1 in
    hypre) package="" header=_hypre_parcsr_ls.h folder=/usr/include/hypre libraries="-lHYPRE" ;;
    suitesparse)
      package=libsuitesparse-dev header=umfpack.h folder=/usr/include/suitesparse
      libraries="-lspqr -lumfpack -lklu -lcholmod -lbtf -lccolamd -lcolamd -lcamd -lamd -lsuitesparseconfig"
      ;;
    ptscotch) package=libptscotch-dev header=ptscotch.h folder=/usr/include/scotch libraries="-lptesmumps -lptscotch -lptscotcherr -lscotch" ;;
    mumps) package="gfortran libmumps-dev libscalapack-openmpi-dev" header=dmumps_c.h libraries="-lcmumps -ldmumps -lsmumps -lzmumps -lmumps_common -lpord" ;;
    triangle) package="" header="" libraries="-ltriangle" ;;
  esac
}

petsc_check_without() {
  local word
  for word in ${PLEXGPU_PETSC_WITHOUT:-}; do
    case " hdf5 metis solvers $petsc_solver_names " in
      *" $word "*) ;;
      *) fail "PLEXGPU_PETSC_WITHOUT has the word $word: it takes hdf5, metis, solvers, and ${petsc_solver_names// /, }" ;;
    esac
  done
}

# Whether the PETSc that is built here may have it: their indices and scalars are those of its default, their MPI Debian's
petsc_takes_solver() { # NAME
  case " ${PLEXGPU_PETSC_OPTIONS:-} " in
    *-64-bit-indices=1* | *-scalar-type=complex* | *-with-mpi-dir* | *-with-cc=* | *"-$1"[-=\ ]*) return 1 ;;
    *-with-fc=*) [ "$1" != mumps ] || return 1 ;;
  esac
  ! petsc_leaves_out solvers && ! petsc_leaves_out "$1"
}

has_debian_mpi() { case $(command -v mpicc) in "" | /usr/bin/mpicc) true ;; *) false ;; esac; }

has_solver() { # NAME
  local package header folder libraries more=() uses=""
  petsc_solver "$1"
  has_debian_mpi || return 1
  case $1 in
    hypre) uses="hypre_ParILUData *data = HYPRE_INT_MAX ? NULL : NULL;" ;;
    mumps)
      command -v mpif90 gfortran >/dev/null || return 1
      more=(-lscalapack-openmpi)
      ;;
    triangle) [ -r "$folder/triangle.h" ] || return 1 ;;
  esac
  # shellcheck disable=SC2086 # several words
  compiles "-I$folder" $libraries "${more[@]}" -- '#include <stdio.h>' '#include <mpi.h>' "${header:+#include <$header>}" "int main(void) { $uses return 0; }"
}

petsc_solver_options() { # the options of PETSc's configure, a line each
  local name package header folder libraries
  for name in $petsc_solver_names; do
    petsc_takes_solver "$name" && has_solver "$name" || continue
    petsc_solver "$name"
    printf '%s\n' "--with-$name-include=$folder" "--with-$name-lib=$libraries"
    if [ "$name" = mumps ]; then printf '%s\n' --with-scalapack-lib=-lscalapack-openmpi --with-fc=mpif90 --with-fortran-bindings=0; fi
  done
}
