/* What both sides of faces tell each other once, at set-up: between processes, and between the parts of a mixed mesh */
#include "coreimpl.h"

PetscErrorCode PlexDGShare_Private(PlexDG dg, MPI_Datatype unit, const void *sent, void *received)
{
  PlexDG      parts[2];
  PetscSF     sf;
  MPI_Aint    least, bytes;
  const char *from = (const char *)sent;
  char       *to   = (char *)received;

  PetscFunctionBegin;
  if (dg->whole) dg = dg->whole;
  sf = PlexDGGetParts(dg, parts) > 1 ? dg->partsSF : dg->mesh->sf;
  PetscCallMPI(MPI_Type_get_extent(unit, &least, &bytes));
  for (PetscInt k = 0; k < 2 && parts[1]; ++k) /* what meets here */
    PetscCall(PetscMemcpy(&to[parts[1 - k]->start * bytes], &from[parts[k]->start * bytes],
                          (size_t)(parts[k]->mesh->nmet * bytes)));
  PetscCall(PetscSFBcastBegin(sf, unit, sent, received, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, sent, received, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
