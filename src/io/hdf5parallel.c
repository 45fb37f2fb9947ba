/*
  Rows of large arrays by MPI-IO: each process moves its own.

    first process   all attributes, groups and arrays | closed .................. | opened again
    all processes                                     | opened, rows, closed      |

  So whatever makes the file is done by one process, with or without MPI-IO, and the file has the same arrays. Between the
  two all processes look at the file. One that does not see it, or sees another one, as of a folder of its own machine, is
  why rows go through the first process as ever.
*/
#include "hdf5impl.h"
#include <sys/stat.h>

#define PLEX_H5_PARALLEL     ((PetscInt64)64 * 1024 * 1024)  /* bytes of an array, by default */
#define PLEX_H5_TOGETHER_MAX ((PetscInt64)256 * 1024 * 1024) /* bytes of a process at once: MPI counts in 32 bits */

PetscErrorCode PlexH5ParallelBegin_Private(PlexH5 *h)
{
  PetscInt64  least = PLEX_H5_PARALLEL;
  int         can;
  PetscBool   is = PETSC_TRUE;
  const char *why;
  PetscReal   bytes = (PetscReal)least;

  PetscFunctionBegin;
  h->parallel = PETSC_INT64_MAX;
  if (h->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plex_hdf5_parallel", &is, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-plex_hdf5_parallel_bytes", &bytes, NULL));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDF5Load(&why));
  can = !why && PlexHDF5.H5Pset_fapl_mpio && PlexHDF5.H5Pset_dxpl_mpio;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, h->comm));
  if (can) h->parallel = (PetscInt64)PetscMax(bytes, 0.);
  else PetscCall(PetscInfo(NULL, "HDF5 is a library of one process\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all processes see the file as the first one does, who has closed it */
static PetscErrorCode PlexH5ParallelSee(PlexH5 *h, PetscBool *same)
{
  struct stat status;
  long long   own[3] = {-1, -1, -1}, first[3];
  int         agree;

  PetscFunctionBegin;
  if (!stat(h->path, &status)) {
    own[0] = (long long)status.st_size;
    own[1] = (long long)status.st_mtime;
    own[2] = (long long)status.st_ino;
  }
  PetscCall(PetscArraycpy(first, own, 3));
  PetscCallMPI(MPI_Bcast(first, 3, MPI_LONG_LONG, 0, h->comm));
  agree = own[0] >= 0 && own[0] == first[0] && own[1] == first[1] && own[2] == first[2];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &agree, 1, MPI_INT, MPI_MIN, h->comm));
  *same = (PetscBool)agree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes at once, as often as the one with the most rows has to: rows of one of them may be of any number of
   bytes */
static PetscErrorCode PlexH5ParallelRows(PlexH5 *h, PlexH5Id file, const char name[], PlexH5Type type,
                                         const PetscInt64 starts[], PetscBool write, char *values, PetscBool *good)
{
  const PlexH5Id how = PlexHDF5.H5Pcreate(*PlexHDF5.H5P_CLS_DATASET_XFER_ID_g);
  PlexH5Size     size[PLEX_H5_RANK];
  PetscInt64     most = 0, each;
  size_t         row;
  int            rank, all;
  const PlexH5Id set = PlexH5OpenArray_Private(file, name, type, &rank, size, &row);

  PetscFunctionBegin;
  *good = (PetscBool)(set >= 0 && how >= 0 && PlexHDF5.H5Pset_dxpl_mpio(how, PLEX_H5FD_COLLECTIVE) >= 0);
  all   = *good;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, h->comm));
  if (all) {
    each = PetscMax(1, PLEX_H5_TOGETHER_MAX / (PetscInt64)row);
    for (PetscMPIInt r = 0; r < h->size; ++r) most = PetscMax(most, starts[2 * r + 1]);
    for (PetscInt64 done = 0; done < most; done += each) {
      const PetscInt64 n = PetscMax(0, PetscMin(each, starts[2 * h->rank + 1] - done));

      if (!PlexH5Transfer_Private(set, type, rank, size, n ? starts[2 * h->rank] + done : 0, n, write, how,
                                  n ? values + done * (PetscInt64)row : values))
        *good = PETSC_FALSE;
    }
  }
  if (set >= 0) (void)PlexHDF5.H5Dclose(set);
  if (how >= 0) (void)PlexHDF5.H5Pclose(how);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexH5ParallelIs_Private(const PlexH5 *h, const PetscInt64 starts[], size_t row)
{
  PetscInt64 bytes = 0;

  for (PetscMPIInt r = 0; r < h->size; ++r) bytes += starts[2 * r + 1] * (PetscInt64)row;
  return (PetscBool)(h->parallel < PETSC_INT64_MAX && bytes && bytes >= h->parallel);
}

PetscErrorCode PlexH5ParallelMove_Private(PlexH5 *h, const char name[], PlexH5Type type, const PetscInt64 starts[],
                                          PetscBool write, char *values, PetscBool *done)
{
  const PlexH5Mode mode = h->writes ? PLEX_H5_CHANGE : PLEX_H5_READ;
  PetscBool        good = PETSC_TRUE, same = PETSC_FALSE;
  PlexH5Id         file = -1;
  int              all;

  PetscFunctionBegin;
  if (h->file >= 0) good = (PetscBool)(PlexHDF5.H5Fclose(h->file) >= 0);
  h->file = -1;
  PetscCall(PlexH5ParallelSee(h, &same));
  if (same) {
    file = PlexH5OpenFile_Private(h->path, mode, h->comm);
    all  = file >= 0;
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, h->comm));
    same = (PetscBool)all;
  }
  PetscCall(PetscInfo(NULL, "Array %s of file %s goes %s\n", name, h->path,
                      same ? "by MPI-IO" : "through one process"));
  if (same) {
    PetscBool moved;

    PetscCall(PlexH5ParallelRows(h, file, name, type, starts, write, values, &moved));
    good = (PetscBool)(good && moved);
  } else h->parallel = PETSC_INT64_MAX;
  if (file >= 0 && PlexHDF5.H5Fclose(file) < 0) good = PETSC_FALSE;
  if (!h->rank) {
    h->file = PlexH5OpenFile_Private(h->path, mode, MPI_COMM_NULL);
    good    = (PetscBool)(good && h->file >= 0);
  }
  all = good;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, h->comm));
  h->good = (PetscBool)(h->good && all);
  *done   = same;
  PetscFunctionReturn(PETSC_SUCCESS);
}
