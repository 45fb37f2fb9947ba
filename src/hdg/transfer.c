/* What a hybridized DG method has in the backend's memory until it is reset: copies, copies of other numbers to the same
   place, numbers of K that are compared with those of another time; and the coordinates' functions at points */
#include "hdgimpl.h"
#include "../dm/elementsimpl.h" /* PlexCoordinateTabulate() */

PetscErrorCode PlexHDGUpload(PlexHDG hdg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGTransfer, hdg, 0, 0, 0));
  PetscCall(PlexMemoryUpload(hdg->backend, &hdg->memory, values, bytes, at));
  PetscCall(PetscLogEventEnd(PLEX_HDGTransfer, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To where an earlier call has put it, *at, unless this is NULL */
PetscErrorCode PlexHDGUpdate_Private(PlexHDG hdg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  if (!*at) {
    PetscCall(PlexHDGUpload(hdg, values, bytes, at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(PLEX_HDGTransfer, hdg, 0, 0, 0));
  PetscCall(PlexBackendCopyIn(hdg->backend, (void *)*at, values, bytes));
  PetscCall(PetscLogEventEnd(PLEX_HDGTransfer, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGRenew_Private(PlexHDG hdg, PlexHDGValues which, const PetscReal v[], size_t n, const double **at)
{
  PetscReal **last = &hdg->last[which];
  PetscBool   same = PETSC_FALSE;

  PetscFunctionBegin;
  if (PlexHDGVaries(hdg)) {
    if (*last) PetscCall(PetscArraycmp(*last, v, n, &same));
    else PetscCall(PetscMalloc1(n, last));
    if (!same) PetscCall(PetscArraycpy(*last, v, n));
  } else PetscCall(PetscFree(*last));
  if (same && *at) PetscFunctionReturn(PETSC_SUCCESS);
  if (!same) hdg->renewed = PETSC_TRUE;
  PetscCall(PlexHDGUpdate_Private(hdg, v, sizeof(*v) * n, (const void **)at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGAllocate(PlexHDG hdg, size_t bytes, void **at)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(hdg->backend, &hdg->memory, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCreateVec_Private(PlexHDG hdg, MPI_Comm comm, PetscInt n, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetSizes(*v, n, PETSC_DETERMINE));
  PetscCall(VecSetType(*v, PlexBackendVecType(hdg->backend)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates' functions at points, where there are elements that are not affine */
PetscErrorCode PlexHDGTabulate_Private(PlexHDGMesh mesh, PetscInt n, const PetscReal xi[], PetscReal **shape,
                                       PetscReal **dshape)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * mesh->Nv, shape, n * mesh->Nv * mesh->dim, dshape));
  if (mesh->nmapped) PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, n, xi, *shape, *dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}
