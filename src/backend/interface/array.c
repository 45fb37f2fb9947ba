/*
  Values of PETSc's vectors and matrices in a backend's memory: in place where they live there, through a mirror where
  not.

  backend  object on the GPU                          object on the host
  device   in place; PETSc moves host values over     mirror: copied in to read, copied out when written
  other    PETSc moves device values to the host      in place
*/
#include "backendimpl.h"
#include <petscmat.h>

/* What PETSc's device has */
#if PetscDefined(HAVE_CUDA)
  #define PLEX_HAVE_MATRICES 1
  #define PLEX_MAT_DEVICE    MATSEQAIJCUSPARSE
  #define PLEX_MAT(name)     MatSeqAIJCUSPARSE##name
  #define PLEX_VEC_TYPE      VECCUDA
  #define PLEX_MAT_TYPE      MATAIJCUSPARSE
#elif PetscDefined(HAVE_HIP)
  #define PLEX_HAVE_MATRICES 1
  #define PLEX_MAT_DEVICE    MATSEQAIJHIPSPARSE
  #define PLEX_MAT(name)     MatSeqAIJHIPSPARSE##name
  #define PLEX_VEC_TYPE      VECHIP
  #define PLEX_MAT_TYPE      MATAIJHIPSPARSE
#else
  #define PLEX_HAVE_MATRICES 0
  #define PLEX_VEC_TYPE      VECSTANDARD
  #define PLEX_MAT_TYPE      MATAIJ
#endif

VecType PlexBackendVecType(PlexBackend b)
{
  return b->device && !b->apart ? PLEX_VEC_TYPE : VECSTANDARD;
}

MatType PlexBackendMatType(PlexBackend b)
{
  return b->device && !b->apart ? PLEX_MAT_TYPE : MATAIJ;
}

/* An array of n entries from here on; the mirror of the last use is kept when it fits */
static PetscErrorCode PlexArrayResize(PlexBackend b, PetscInt n, PlexArray *a)
{
  PetscFunctionBegin;
  if (a->n != n) PetscCall(PlexArrayReset(b, a));
  a->n = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArrayUseMirror(PlexBackend b, PlexArray *a)
{
  PetscFunctionBegin;
  if (!a->mirror) PetscCall(PlexBackendMalloc(b, (size_t)a->n * sizeof(PetscScalar), (void **)&a->mirror));
  a->array   = a->mirror;
  a->inPlace = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArrayReset(PlexBackend b, PlexArray *a)
{
  PetscFunctionBegin;
  PetscCheck(!a->object, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "An array is still in use");
  if (a->mirror) PetscCall(PlexBackendFree(b, (void **)&a->mirror));
  a->array = NULL;
  a->n     = 0;
  a->id    = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVecShare(Vec v)
{
  PetscContainer shared;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &shared));
  PetscCall(PetscObjectCompose((PetscObject)v, "PlexGPU shared", (PetscObject)shared));
  PetscCall(PetscContainerDestroy(&shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector's own array, where PETSc's device is the backend's, or on the host */
static PetscErrorCode PlexVecGetArray(PlexBackend b, Vec v, PlexAccess access, PetscScalar **array,
                                      PetscMemType *memtype)
{
  const PetscBool device = (PetscBool)(b->device && !b->apart);

  PetscFunctionBegin;
  *memtype = PETSC_MEMTYPE_HOST;
  if (access == PLEX_READ) {
    if (device) PetscCall(VecGetArrayReadAndMemType(v, (const PetscScalar **)array, memtype));
    else PetscCall(VecGetArrayRead(v, (const PetscScalar **)array));
  } else if (access == PLEX_CHANGE) {
    if (device) PetscCall(VecGetArrayAndMemType(v, array, memtype));
    else PetscCall(VecGetArray(v, array));
  } else {
    if (device) PetscCall(VecGetArrayWriteAndMemType(v, array, memtype));
    else PetscCall(VecGetArrayWrite(v, array));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexVecRestoreArray(PlexBackend b, Vec v, PlexAccess access, PetscScalar **array)
{
  const PetscBool device = (PetscBool)(b->device && !b->apart);

  PetscFunctionBegin;
  if (access == PLEX_READ) {
    if (device) PetscCall(VecRestoreArrayReadAndMemType(v, (const PetscScalar **)array));
    else PetscCall(VecRestoreArrayRead(v, (const PetscScalar **)array));
  } else if (access == PLEX_CHANGE) {
    if (device) PetscCall(VecRestoreArrayAndMemType(v, array));
    else PetscCall(VecRestoreArray(v, array));
  } else {
    if (device) PetscCall(VecRestoreArrayWriteAndMemType(v, array));
    else PetscCall(VecRestoreArrayWrite(v, array));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PLEX_WRITE: what is there is not kept, every entry is to be written */
PetscErrorCode PlexBackendVecGet(PlexBackend b, Vec v, PlexAccess access, PlexArray *a)
{
  PetscMemType     memtype;
  PetscObjectId    id = 0;
  PetscObject      shared;
  PetscObjectState state;
  PetscInt         n;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscValidHeaderSpecific(v, VEC_CLASSID, 2);
  PetscCheck(!a->object, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The array of a vector is asked for while it is in use");
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(PlexArrayResize(b, n, a));
  PetscCall(PlexVecGetArray(b, v, access, &a->array, &memtype));
  if (b->device && PetscMemTypeHost(memtype)) {
    PetscScalar *host = a->array;

    PetscCall(PlexArrayUseMirror(b, a));
    PetscCall(PetscObjectGetId((PetscObject)v, &id));
    PetscCall(PetscObjectStateGet((PetscObject)v, &state));
    if (access == PLEX_READ) {
      PetscCall(PetscObjectQuery((PetscObject)v, "PlexGPU shared", &shared));
      if (a->id != id || a->state != state || shared)
        PetscCall(PlexBackendCopyIn(b, a->mirror, host, (size_t)n * sizeof(PetscScalar)));
      a->state = state;
    } else if (access == PLEX_CHANGE) PetscCall(PlexBackendCopyIn(b, a->mirror, host, (size_t)n * sizeof(PetscScalar)));
    PetscCall(PlexVecRestoreArray(b, v, access, &host));
  } else a->inPlace = PETSC_TRUE;
  a->id     = a->inPlace || access != PLEX_READ ? 0 : id;
  a->access = access;
  a->object = (PetscObject)v;
  PetscCall(PetscObjectReference(a->object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendVecRestore(PlexBackend b, PlexArray *a)
{
  Vec v = (Vec)a->object;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscValidHeaderSpecific(v, VEC_CLASSID, 2);
  if (a->inPlace) PetscCall(PlexVecRestoreArray(b, v, a->access, &a->array));
  else if (a->access != PLEX_READ) {
    PetscScalar *host;

    PetscCall(VecGetArrayWrite(v, &host));
    PetscCall(PlexBackendCopyOut(b, host, a->mirror, (size_t)a->n * sizeof(PetscScalar)));
    PetscCall(VecRestoreArrayWrite(v, &host));
  }
  a->array  = NULL;
  a->object = NULL;
  PetscCall(PetscObjectDereference((PetscObject)v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMatGetNonzeros(Mat A, PetscInt *nnz)
{
  const PetscInt *i, *j;
  PetscInt        m;
  PetscBool       seqaij, done;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seqaij));
  PetscCheck(seqaij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A matrix of type %s cannot be written in place: use -dm_mat_type aij or aijcusparse",
             ((PetscObject)A)->type_name);
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A matrix of type %s does not give its pattern: use -dm_mat_type aij or aijcusparse",
             ((PetscObject)A)->type_name);
  *nnz = i[m];
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a matrix has its values and pattern in the memory of a backend that has memory of its own */
static PetscErrorCode PlexMatIsOnDevice(PlexBackend b, Mat A, PetscBool *device)
{
  PetscFunctionBegin;
  *device = PETSC_FALSE;
#if PLEX_HAVE_MATRICES
  if (b->device && !b->apart) {
    PetscBool bound;

    PetscCall(PetscObjectTypeCompare((PetscObject)A, PLEX_MAT_DEVICE, device));
    PetscCall(MatBoundToCPU(A, &bound));
    if (bound) *device = PETSC_FALSE;
  }
#else
  (void)b;
  (void)A;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(USE_64BIT_INDICES)
PetscErrorCode PlexBackendMatGetRows(PlexBackend b, Mat A, const int **i, const int **j)
{
  PetscFunctionBegin;
  (void)b;
  (void)A;
  *i = *j = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendMatRestoreRows(PlexBackend b, Mat A, const int **i, const int **j)
{
  PetscFunctionBegin;
  (void)b;
  (void)A;
  *i = *j = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode PlexBackendMatGetRows(PlexBackend b, Mat A, const int **i, const int **j)
{
  PetscBool device;

  PetscFunctionBegin;
  *i = *j = NULL;
  PetscCall(PlexMatIsOnDevice(b, A, &device));
  if (!device && !b->device) {
    PetscInt  m;
    PetscBool done;

    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, i, j, &done));
    if (!done) *i = *j = NULL;
  }
  #if PLEX_HAVE_MATRICES
  if (device) PetscCall(PLEX_MAT(GetIJ)(A, PETSC_FALSE, i, j));
  #endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendMatRestoreRows(PlexBackend b, Mat A, const int **i, const int **j)
{
  PetscInt  m;
  PetscBool done;

  PetscFunctionBegin;
  if (!b->device) PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, i, j, &done));
  #if PLEX_HAVE_MATRICES
  else if (!b->apart) PetscCall(PLEX_MAT(RestoreIJ)(A, PETSC_FALSE, i, j));
  #endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* The CSR values of a sequential AIJ matrix with its pattern complete. PLEX_WRITE: what is there is not kept, every value
   is to be written */
PetscErrorCode PlexBackendMatGet(PlexBackend b, Mat A, PlexAccess access, PlexArray *a)
{
  const PetscScalar *old;
  PetscInt           nnz    = 0;
  PetscBool          device = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscValidHeaderSpecific(A, MAT_CLASSID, 2);
  PetscCheck(!a->object, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "The values of a matrix are asked for while they are in use");
  PetscCall(PlexMatGetNonzeros(A, &nnz));
  PetscCall(PlexArrayResize(b, nnz, a));
  if (nnz) PetscCall(PlexMatIsOnDevice(b, A, &device));
#if PLEX_HAVE_MATRICES
  if (device) {
    const PetscScalar *values;

    /* Copies nothing when the device's values are current; makes the storage of a new matrix, or of a new pattern */
    PetscCall(PLEX_MAT(GetArrayRead)(A, &values));
    PetscCall(PLEX_MAT(RestoreArrayRead)(A, &values));
    PetscCall(PLEX_MAT(GetArrayWrite)(A, &a->array));
  }
#endif
  if (b->device && !device) {
    PetscCall(PlexArrayUseMirror(b, a)); /* none where there are no values */
    if (access == PLEX_CHANGE && nnz) {
      PetscCall(MatSeqAIJGetArrayRead(A, &old));
      PetscCall(PlexBackendCopyIn(b, a->mirror, old, sizeof(PetscScalar) * nnz));
      PetscCall(MatSeqAIJRestoreArrayRead(A, &old));
    }
  } else {
    if (!device && access == PLEX_CHANGE) PetscCall(MatSeqAIJGetArray(A, &a->array));
    else if (!device) PetscCall(MatSeqAIJGetArrayWrite(A, &a->array));
    a->inPlace = PETSC_TRUE;
  }
  a->access = access;
  a->object = (PetscObject)A;
  PetscCall(PetscObjectReference(a->object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendMatRestore(PlexBackend b, PlexArray *a)
{
  Mat A = (Mat)a->object;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  PetscValidHeaderSpecific(A, MAT_CLASSID, 2);
  if (!a->inPlace && a->n) {
    PetscScalar *host;

    PetscCall(MatSeqAIJGetArrayWrite(A, &host));
    PetscCall(PlexBackendCopyOut(b, host, a->mirror, (size_t)a->n * sizeof(PetscScalar)));
    PetscCall(MatSeqAIJRestoreArrayWrite(A, &host));
  } else if (a->inPlace && !b->device) PetscCall(MatSeqAIJRestoreArrayWrite(A, &a->array));
#if PLEX_HAVE_MATRICES
  else if (a->inPlace) PetscCall(PLEX_MAT(RestoreArrayWrite)(A, &a->array));
#endif
  /* MatSeqAIJGetArrayWrite() tells of the change before it happens; factorizations and diagonals go by the state */
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  a->array  = NULL;
  a->object = NULL;
  PetscCall(PetscObjectDereference((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
