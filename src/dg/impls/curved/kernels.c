/* Curved elements of nodal DG by a kernel, cuda/dg/curved.cu, for right-hand sides and stages of low-storage schemes */
#include "curvedimpl.h"

PetscErrorCode PlexDGCurvedCreate_Kernel_Private(PlexDG dg, PlexDGCurvedWay way)
{
  PetscFunctionBegin;
  (void)way;
  SETERRQ(PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
          "The mesh has curved elements, which nodal DG computes on the host: use -plex_dg_backend host");
}
