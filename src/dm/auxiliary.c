/* Auxiliary fields: a vector with a DM of its own, on the same mesh or one that encloses it. */
#include "elementsimpl.h"

/* What PETSc finds for the key: that of (label, value, part), else of (NULL, 0, 0) */
PetscErrorCode PlexIntegralGetAuxiliary(DM dm, const PlexIntegral *integral, PetscInt kind, Vec *aux)
{
  const PetscFormKey *across = &integral->across;

  PetscFunctionBegin;
  *aux = NULL;
  if (integral->cohesive) PetscCall(DMGetAuxiliaryVec(dm, across->label, across->value, across->part, aux));
  if (integral->cohesive && !*aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetAuxiliaryVec(dm, integral->label, integral->auxValue[kind], integral->part, aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsGetAuxiliary(PlexElements el, DM *dm, PetscDS *ds)
{
  Vec aux;

  PetscFunctionBegin;
  *dm = NULL;
  *ds = NULL;
  PetscCall(PlexIntegralGetAuxiliary(el->dm, &el->integral, el->integral.residual ? 0 : 1, &aux));
  if (!aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetDM(aux, dm));
  PetscCall(DMGetDS(*dm, ds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fields Nf .. Nf + NfAux, their bases at the quadrature points that PETSc takes them at, and the closures of their
   cells */
PetscErrorCode PlexElementsSetUpAuxiliary(PlexElements el)
{
  DM              dm;
  PetscDS         ds;
  PetscSection    section;
  DMEnclosureType enclosure;
  PetscInt       *cells, flipped;

  PetscFunctionBegin;
  PetscCall(PlexElementsGetAuxiliary(el, &dm, &ds));
  if (!dm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)dm, &el->auxId));
  PetscCall(PetscDSGetNumFields(ds, &el->NfAux));
  PetscCall(PetscDSGetTotalDimension(ds, &el->ea));
  for (PetscInt k = 0; k < el->NfAux; ++k) {
    PetscFE         fe;
    PetscTabulation T;
    PetscBool       nodal;
    const PetscInt  f = el->Nf + k;

    PetscCall(PetscDSGetDiscretization(ds, k, (PetscObject *)&fe));
    PetscCall(PetscDSGetFieldOffset(ds, k, &el->offset[f]));
    el->offset[f] += el->ef;
    PetscCall(PetscFEGetNumComponents(fe, &el->Nc[f]));
    if (el->integral.facets) PetscCall(PetscFEGetFaceTabulation(fe, 1, &T));
    else PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
    PetscCall(PlexTabulationGetNodes(T, el->dim, &el->Nn[f], &el->phi[f], &el->dphi[f], &nodal));
  }
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexSectionGetSize(section, &el->NlAux));
  PetscCall(DMGetEnclosureRelation(dm, el->dm, &enclosure));
  PetscCall(PetscMalloc1(el->Ne, &cells));
  for (PetscInt e = 0; e < el->Ne; ++e) PetscCall(DMGetEnclosurePoint(dm, el->dm, enclosure, el->cells[e], &cells[e]));
  PetscCall(PetscMalloc1((size_t)el->Ne * el->ea, &el->dofsAux));
  PetscCall(PlexGatherClosures(dm, section, el->Ne, cells, el->ea, el->dofsAux, &flipped));
  PetscCheck(flipped < 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT
             " of the auxiliary fields flips the sign of dofs by the orientation of its faces, which node bases do not",
             flipped);
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}
