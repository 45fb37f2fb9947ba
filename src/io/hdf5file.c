/*
  HDF5 files that several processes write and read through the first one, but for large arrays: hdf5parallel.c
*/
#include "hdf5impl.h"
#include <errno.h>

#define PLEX_H5_PIECE (16 * 1024 * 1024) /* bytes that travel at once */

static void PlexH5Quiet(void)
{
  (void)PlexHDF5.H5Eset_auto2(PLEX_H5E_DEFAULT, NULL, NULL);
}

/* HDF5's type, where it is loaded */
static PlexH5Id PlexH5GetId(PlexH5Type type)
{
  const PlexH5Id ids[] = {*PlexHDF5.H5T_NATIVE_DOUBLE_g, *PlexHDF5.H5T_NATIVE_INT_g, *PlexHDF5.H5T_NATIVE_LLONG_g,
                          *PlexHDF5.H5T_NATIVE_UCHAR_g};

  return ids[type];
}

static size_t PlexH5GetSize(PlexH5Type type)
{
  const size_t sizes[] = {sizeof(double), sizeof(int), sizeof(long long), 1};

  return sizes[type];
}

/* Whether all went well on the first process, to all */
static PetscErrorCode PlexH5Agree(PlexH5 *h)
{
  int good = h->good;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, h->comm));
  h->good = (PetscBool)good;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexH5Id PlexH5OpenFile_Private(const char path[], PlexH5Mode mode, MPI_Comm comm)
{
  const PlexH5Id access = PlexHDF5.H5Pcreate(*PlexHDF5.H5P_CLS_FILE_ACCESS_ID_g);
  PlexH5Handler  function;
  PlexH5Id       file;
  void          *data;

  (void)PlexHDF5.H5Eget_auto2(PLEX_H5E_DEFAULT, &function, &data);
  PlexH5Quiet();
  /* a picture of what is there so far may be drawn meanwhile; and not every file system has locks */
  if (PlexHDF5.H5Pset_file_locking) (void)PlexHDF5.H5Pset_file_locking(access, 0, 1);
  if (comm != MPI_COMM_NULL) (void)PlexHDF5.H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  file = mode == PLEX_H5_CREATE
         ? PlexHDF5.H5Fcreate(path, PLEX_H5F_ACC_TRUNC, PLEX_H5P_DEFAULT, access)
         : PlexHDF5.H5Fopen(path, mode == PLEX_H5_READ ? PLEX_H5F_ACC_RDONLY : PLEX_H5F_ACC_RDWR, access);
  (void)PlexHDF5.H5Pclose(access);
  (void)PlexHDF5.H5Eset_auto2(PLEX_H5E_DEFAULT, function, data);
  return file;
}

PetscErrorCode PlexH5Open(MPI_Comm comm, const char path[], PlexH5Mode mode, PlexH5 *h)
{
  static const char *const what[] = {"read", "changed", "created"};
  const char              *why    = NULL;
  char                     reason[512];
  int                      number = 0;

  PetscFunctionBegin;
  h->comm   = comm;
  h->file   = -1;
  h->good   = PETSC_TRUE;
  h->writes = (PetscBool)(mode != PLEX_H5_READ);
  PetscCallMPI(MPI_Comm_rank(comm, &h->rank));
  PetscCallMPI(MPI_Comm_size(comm, &h->size));
  PetscCall(PetscStrncpy(h->path, path, sizeof(h->path)));
  if (!h->rank) PetscCall(PlexHDF5Load(&why));
  PetscCall(PetscStrncpy(reason, why ? why : "", sizeof(reason)));
  PetscCallMPI(MPI_Bcast(reason, sizeof(reason), MPI_CHAR, 0, comm));
  PetscCheck(!reason[0], comm, PETSC_ERR_LIB,
             "File %s cannot be %s, for HDF5 cannot be loaded: %s. Configure PETSc with it (--download-hdf5), or "
             "install it "
             "(Debian: apt-get install libhdf5-dev), or name its library in the environment variable PLEXGPU_HDF5",
             path, what[mode], reason);
  if (!h->rank) {
    /* says why not, as HDF5 does not */
    FILE *file = fopen(path, mode == PLEX_H5_READ ? "rb" : mode == PLEX_H5_CHANGE ? "rb+" : "wb");

    number = file ? 0 : errno;
    if (file) {
      (void)fclose(file);
      h->file = PlexH5OpenFile_Private(path, mode, MPI_COMM_NULL);
    }
    h->good = (PetscBool)(h->file >= 0);
  }
  PetscCall(PlexH5Agree(h));
  PetscCallMPI(MPI_Bcast(&number, 1, MPI_INT, 0, comm));
  PetscCheck(h->good, comm, PETSC_ERR_FILE_OPEN, "File %s cannot be %s: %s", path, what[mode],
             number ? strerror(number) : "it is no HDF5 file, or is open already");
  PetscCall(PlexH5ParallelBegin_Private(h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5Close(PlexH5 *h)
{
  PetscFunctionBegin;
  if (h->file >= 0) h->good = (PetscBool)(PlexHDF5.H5Fclose(h->file) >= 0 && h->good);
  h->file = -1;
  PetscCall(PlexH5Agree(h));
  PetscCheck(h->good, h->comm, PETSC_ERR_FILE_WRITE,
             "File %s cannot be written or read to its end: is there space left, or is it another program's?", h->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5Group(PlexH5 *h, const char name[])
{
  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    const PlexH5Id group = PlexHDF5.H5Gcreate2(h->file, name, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT);

    h->good = (PetscBool)(group >= 0 && PlexHDF5.H5Gclose(group) >= 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces an attribute */
static PetscBool PlexH5SetAttribute(PlexH5Id file, const char object[], const char name[], PlexH5Id type,
                                    PlexH5Id space, const void *values)
{
  const PlexH5Id at   = PlexHDF5.H5Oopen(file, object, PLEX_H5P_DEFAULT);
  PetscBool      good = PETSC_FALSE;

  if (at >= 0) {
    PlexH5Id attribute;

    if (PlexHDF5.H5Aexists(at, name) > 0) (void)PlexHDF5.H5Adelete(at, name);
    attribute = PlexHDF5.H5Acreate2(at, name, type, space, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT);
    good      = (PetscBool)(attribute >= 0 && PlexHDF5.H5Awrite(attribute, type, values) >= 0);
    if (attribute >= 0) (void)PlexHDF5.H5Aclose(attribute);
    (void)PlexHDF5.H5Oclose(at);
  }
  (void)PlexHDF5.H5Sclose(space);
  return good;
}

PetscErrorCode PlexH5SetText(PlexH5 *h, const char object[], const char name[], const char text[])
{
  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    const PlexH5Id type = PlexHDF5.H5Tcopy(*PlexHDF5.H5T_C_S1_g);

    /* padded, not ended: the reader of VTKHDF files asks for the bare name */
    (void)PlexHDF5.H5Tset_size(type, PetscMax(strlen(text), 1));
    (void)PlexHDF5.H5Tset_strpad(type, PLEX_H5T_STR_NULLPAD);
    h->good = PlexH5SetAttribute(h->file, object, name, type, PlexHDF5.H5Screate(PLEX_H5S_SCALAR), text);
    (void)PlexHDF5.H5Tclose(type);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5SetNumbers(PlexH5 *h, const char object[], const char name[], PlexH5Type type, PetscInt n,
                                const void *values)
{
  const PlexH5Size size = (PlexH5Size)n;

  PetscFunctionBegin;
  if (h->file >= 0 && h->good)
    h->good = PlexH5SetAttribute(h->file, object, name, PlexH5GetId(type),
                                 n ? PlexHDF5.H5Screate_simple(1, &size, NULL) : PlexHDF5.H5Screate(PLEX_H5S_SCALAR),
                                 values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an attribute holds comes to all processes; a file without it is none of ours */
static PetscErrorCode PlexH5GetAttribute(PlexH5 *h, const char object[], const char name[], PlexH5Id type, size_t bytes,
                                         void *values)
{
  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    const int      there     = PlexHDF5.H5Aexists_by_name(h->file, object, name, PLEX_H5P_DEFAULT);
    const PlexH5Id attribute = there > 0
                               ? PlexHDF5.H5Aopen_by_name(h->file, object, name, PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT)
                               : -1;
    const PlexH5Id space     = attribute >= 0 ? PlexHDF5.H5Aget_space(attribute) : -1;
    PlexH5Id       stored    = attribute >= 0 ? PlexHDF5.H5Aget_type(attribute) : -1;

    h->good = (PetscBool)(attribute >= 0 && (PlexHDF5.H5Tget_class(stored) == PLEX_H5T_STRING) ==
                                              (PlexHDF5.H5Tget_class(type) == PLEX_H5T_STRING));
    /* HDF5 converts */
    if (h->good)
      h->good = (PetscBool)((size_t)PlexHDF5.H5Sget_simple_extent_npoints(space) * PlexHDF5.H5Tget_size(type) ==
                              bytes &&
                            PlexHDF5.H5Aread(attribute, type, values) >= 0);
    if (stored >= 0) (void)PlexHDF5.H5Tclose(stored);
    if (space >= 0) (void)PlexHDF5.H5Sclose(space);
    if (attribute >= 0) (void)PlexHDF5.H5Aclose(attribute);
  }
  PetscCall(PlexH5Agree(h));
  PetscCheck(h->good, h->comm, PETSC_ERR_FILE_UNEXPECTED,
             "File %s has no attribute %s of %s, or another one than is written here", h->path, name, object);
  PetscCallMPI(MPI_Bcast(values, (PetscMPIInt)bytes, MPI_BYTE, 0, h->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5GetText(PlexH5 *h, const char object[], const char name[], size_t size, char text[])
{
  PlexH5Id type = -1;

  PetscFunctionBegin;
  if (h->file >= 0) {
    type = PlexHDF5.H5Tcopy(*PlexHDF5.H5T_C_S1_g);
    (void)PlexHDF5.H5Tset_size(type, size);
    (void)PlexHDF5.H5Tset_strpad(type, PLEX_H5T_STR_NULLPAD);
  }
  PetscCall(PlexH5GetAttribute(h, object, name, type, size, text));
  text[size - 1] = 0;
  if (type >= 0) (void)PlexHDF5.H5Tclose(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5GetNumbers(PlexH5 *h, const char object[], const char name[], PlexH5Type type, PetscInt n,
                                void *values)
{
  PetscFunctionBegin;
  PetscCall(PlexH5GetAttribute(h, object, name, h->file >= 0 ? PlexH5GetId(type) : -1,
                               PlexH5GetSize(type) * (size_t)PetscMax(n, 1), values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5HasAttribute(PlexH5 *h, const char object[], const char name[], PetscBool *has)
{
  int there = 0;

  PetscFunctionBegin;
  if (h->file >= 0) there = PlexHDF5.H5Aexists_by_name(h->file, object, name, PLEX_H5P_DEFAULT) > 0;
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, h->comm));
  *has = (PetscBool)there;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5CreateArray(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 rows, PetscInt ncolumns,
                                 const PetscInt columns[], PetscBool growing)
{
  PlexH5Size size[PLEX_H5_RANK], most[PLEX_H5_RANK], chunk[PLEX_H5_RANK], row = 1;

  PetscFunctionBegin;
  PetscCheck(ncolumns < PLEX_H5_RANK, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " dimensions", ncolumns + 1);
  if (h->file < 0 || !h->good) PetscFunctionReturn(PETSC_SUCCESS);
  size[0] = (PlexH5Size)rows;
  most[0] = growing ? PLEX_H5S_UNLIMITED : size[0];
  for (PetscInt c = 0; c < ncolumns; ++c) {
    size[c + 1] = most[c + 1] = chunk[c + 1] = (PlexH5Size)columns[c];
    row *= size[c + 1];
  }
  chunk[0] = PetscMax(1, 65536 / row); /* half a megabyte of doubles */
  {
    const PlexH5Id space = PlexHDF5.H5Screate_simple((int)ncolumns + 1, size, most),
                   how   = PlexHDF5.H5Pcreate(*PlexHDF5.H5P_CLS_DATASET_CREATE_ID_g);
    PlexH5Id       set;

    if (growing) (void)PlexHDF5.H5Pset_chunk(how, (int)ncolumns + 1, chunk);
    set     = PlexHDF5.H5Dcreate2(h->file, name, PlexH5GetId(type), space, PLEX_H5P_DEFAULT, how, PLEX_H5P_DEFAULT);
    h->good = (PetscBool)(set >= 0 && PlexHDF5.H5Dclose(set) >= 0);
    (void)PlexHDF5.H5Pclose(how);
    (void)PlexHDF5.H5Sclose(space);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5CreateNumber(PlexH5 *h, const char name[], PlexH5Type type)
{
  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    const PlexH5Id space = PlexHDF5.H5Screate(PLEX_H5S_SCALAR);
    const PlexH5Id set   = PlexHDF5.H5Dcreate2(h->file, name, PlexH5GetId(type), space, PLEX_H5P_DEFAULT,
                                               PLEX_H5P_DEFAULT, PLEX_H5P_DEFAULT);

    h->good = (PetscBool)(set >= 0 && PlexHDF5.H5Dclose(set) >= 0);
    (void)PlexHDF5.H5Sclose(space);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexH5Id PlexH5OpenArray_Private(PlexH5Id file, const char name[], PlexH5Type type, int *rank, PlexH5Size size[],
                                 size_t *row)
{
  const PlexH5Id set = PlexHDF5.H5Dopen2(file, name, PLEX_H5P_DEFAULT);
  PlexH5Id       space;

  if (set < 0) return set;
  space = PlexHDF5.H5Dget_space(set);
  *rank = PlexHDF5.H5Sget_simple_extent_ndims(space);
  *row  = PlexH5GetSize(type);
  if (*rank >= 1 && *rank <= PLEX_H5_RANK) (void)PlexHDF5.H5Sget_simple_extent_dims(space, size, NULL);
  (void)PlexHDF5.H5Sclose(space);
  if (*rank < 1 || *rank > PLEX_H5_RANK) {
    (void)PlexHDF5.H5Dclose(set);
    return -1;
  }
  for (int d = 1; d < *rank; ++d) *row *= (size_t)size[d];
  return set;
}

PetscErrorCode PlexH5GetShape(PlexH5 *h, const char name[], PetscInt *rank, PetscInt64 size[PLEX_H5_RANK])
{
  PetscInt64 shape[PLEX_H5_RANK + 1] = {0};

  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    PlexH5Size     extent[PLEX_H5_RANK] = {0};
    int            dimensions           = 0;
    size_t         row;
    const PlexH5Id set = PlexHDF5.H5Lexists(h->file, name, PLEX_H5P_DEFAULT) > 0
                         ? PlexH5OpenArray_Private(h->file, name, PLEX_H5_DOUBLE, &dimensions, extent, &row)
                         : -1;

    h->good = (PetscBool)(set >= 0 && PlexHDF5.H5Dclose(set) >= 0);
    for (int d = 0; d < PLEX_H5_RANK; ++d) shape[d] = (PetscInt64)extent[d];
    shape[PLEX_H5_RANK] = dimensions;
  }
  PetscCall(PlexH5Agree(h));
  PetscCheck(h->good, h->comm, PETSC_ERR_FILE_UNEXPECTED, "File %s has no array %s", h->path, name);
  PetscCallMPI(MPI_Bcast(shape, PLEX_H5_RANK + 1, MPIU_INT64, 0, h->comm));
  PetscCall(PetscArraycpy(size, shape, PLEX_H5_RANK));
  *rank = (PetscInt)shape[PLEX_H5_RANK];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5GetRows(PlexH5 *h, const char name[], PetscInt64 *rows)
{
  PetscInt64 size[PLEX_H5_RANK];
  PetscInt   rank;

  PetscFunctionBegin;
  PetscCall(PlexH5GetShape(h, name, &rank, size));
  *rows = size[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexH5Transfer_Private(PlexH5Id set, PlexH5Type type, int rank, const PlexH5Size size[], PetscInt64 first,
                                 PetscInt64 n, PetscBool write, PlexH5Id how, void *values)
{
  PlexH5Size start[PLEX_H5_RANK] = {0}, count[PLEX_H5_RANK];
  PlexH5Id   here, there;
  PetscBool  good;

  if (!n && how == PLEX_H5P_DEFAULT) return PETSC_TRUE;
  for (int d = 0; d < rank; ++d) count[d] = d ? size[d] : (PlexH5Size)PetscMax(n, 1);
  start[0] = (PlexH5Size)first;
  here     = PlexHDF5.H5Screate_simple(rank, count, NULL);
  there    = PlexHDF5.H5Dget_space(set);
  if (n) good = (PetscBool)(PlexHDF5.H5Sselect_hyperslab(there, PLEX_H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
  else good = (PetscBool)(PlexHDF5.H5Sselect_none(there) >= 0 && PlexHDF5.H5Sselect_none(here) >= 0);
  if (good)
    good = (PetscBool)((write ? PlexHDF5.H5Dwrite(set, PlexH5GetId(type), here, there, how, values)
                              : PlexHDF5.H5Dread(set, PlexH5GetId(type), here, there, how, values)) >= 0);
  (void)PlexHDF5.H5Sclose(there);
  (void)PlexHDF5.H5Sclose(here);
  return good;
}

/* Moves the rows of all processes to or from the file, in turn; those of other processes travel to or from the first
   one. starts[2 r]: first row of process r, starts[2 r + 1]: number of its rows */
static PetscErrorCode PlexH5Move(PlexH5 *h, const char name[], PlexH5Type type, const PetscInt64 starts[],
                                 PetscBool write, char *values)
{
  PlexH5Size         size[PLEX_H5_RANK] = {0};
  unsigned long long row                = 0;
  size_t             bytes              = 0;
  int                rank               = 0;
  PlexH5Id           set                = -1;
  PetscMPIInt        tag;
  PetscBool          done;
  char              *piece;

  PetscFunctionBegin;
  if (h->file >= 0 && h->good) {
    set     = PlexH5OpenArray_Private(h->file, name, type, &rank, size, &bytes);
    h->good = (PetscBool)(set >= 0);
    row     = bytes;
  }
  PetscCall(PlexH5Agree(h));
  if (!h->good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&row, 1, MPI_UNSIGNED_LONG_LONG, 0, h->comm));
  if (PlexH5ParallelIs_Private(h, starts, (size_t)row)) {
    if (set >= 0) (void)PlexHDF5.H5Dclose(set); /* the file is closed, too */
    PetscCall(PlexH5ParallelMove_Private(h, name, type, starts, write, values, &done));
    if (done || !h->good) PetscFunctionReturn(PETSC_SUCCESS);
    if (!h->rank) {
      set     = PlexH5OpenArray_Private(h->file, name, type, &rank, size, &bytes);
      h->good = (PetscBool)(set >= 0);
    }
    PetscCall(PlexH5Agree(h));
    if (!h->good) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCommGetNewTag(h->comm, &tag));
  if (!h->rank)
    h->good = PlexH5Transfer_Private(set, type, rank, size, starts[0], starts[1], write, PLEX_H5P_DEFAULT, values);
  PetscCall(PetscMalloc1(h->rank ? 0 : PetscMax(PLEX_H5_PIECE, row), &piece));
  for (PetscMPIInt r = 1; r < h->size; ++r) {
    const PetscInt64 n = starts[2 * r + 1], each = PetscMax(1, (PetscInt64)(PLEX_H5_PIECE / row));

    for (PetscInt64 done = 0; done < n && (!h->rank || h->rank == r); done += each) {
      const PetscInt64  rows  = PetscMin(each, n - done);
      const PetscMPIInt count = (PetscMPIInt)(rows * (PetscInt64)row);

      if (h->rank && write) PetscCallMPI(MPI_Send(values + done * (PetscInt64)row, count, MPI_BYTE, 0, tag, h->comm));
      else if (h->rank)
        PetscCallMPI(MPI_Recv(values + done * (PetscInt64)row, count, MPI_BYTE, 0, tag, h->comm, MPI_STATUS_IGNORE));
      else {
        if (write) PetscCallMPI(MPI_Recv(piece, count, MPI_BYTE, r, tag, h->comm, MPI_STATUS_IGNORE));
        if (h->good)
          h->good = PlexH5Transfer_Private(set, type, rank, size, starts[2 * r] + done, rows, write, PLEX_H5P_DEFAULT,
                                           piece);
        if (!write) PetscCallMPI(MPI_Send(piece, count, MPI_BYTE, r, tag, h->comm));
      }
    }
  }
  PetscCall(PetscFree(piece));
  if (set >= 0) (void)PlexHDF5.H5Dclose(set);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* starts[2 size] for PlexH5Move() */
static PetscErrorCode PlexH5GetStarts(PlexH5 *h, PetscInt64 first, PetscInt64 n, PetscInt64 **starts)
{
  const PetscInt64 mine[2] = {first, n};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * h->size, starts));
  PetscCallMPI(MPI_Allgather(mine, 2, MPIU_INT64, *starts, 2, MPIU_INT64, h->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At least so many rows */
static PetscBool PlexH5Grow(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 rows)
{
  PlexH5Size     size[PLEX_H5_RANK];
  int            rank;
  size_t         row;
  const PlexH5Id set  = PlexH5OpenArray_Private(h->file, name, type, &rank, size, &row);
  PetscBool      good = (PetscBool)(set >= 0);

  if (good && size[0] < (PlexH5Size)rows) {
    size[0] = (PlexH5Size)rows;
    good    = (PetscBool)(PlexHDF5.H5Dset_extent(set, size) >= 0);
  }
  if (set >= 0) (void)PlexHDF5.H5Dclose(set);
  return good;
}

PetscErrorCode PlexH5WriteRows(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 first, PetscInt64 n,
                               const void *values)
{
  PetscInt64 *starts;

  PetscFunctionBegin;
  PetscCall(PlexH5GetStarts(h, first, n, &starts));
  for (PetscMPIInt r = 1; r < h->size; ++r) starts[2 * r] = starts[2 * r - 2] + starts[2 * r - 1];
  if (h->file >= 0 && h->good) h->good = PlexH5Grow(h, name, type, starts[2 * h->size - 2] + starts[2 * h->size - 1]);
  PetscCall(PlexH5Move(h, name, type, starts, PETSC_TRUE, (char *)values));
  PetscCall(PetscFree(starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexH5ReadRows(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 first, PetscInt64 n,
                              void *values)
{
  PetscInt64 *starts;

  PetscFunctionBegin;
  PetscCall(PlexH5GetStarts(h, first, n, &starts));
  PetscCall(PlexH5Move(h, name, type, starts, PETSC_FALSE, (char *)values));
  PetscCall(PetscFree(starts));
  PetscCall(PlexH5Agree(h));
  PetscCheck(h->good, h->comm, PETSC_ERR_FILE_READ, "File %s: array %s cannot be read", h->path, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}
