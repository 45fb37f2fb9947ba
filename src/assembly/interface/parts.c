/*
  The parts of an assembly: cells of further regions, facets of natural boundary conditions, a preconditioner matrix of its own, the
  explicit part of an IMEX method. Each is an assembly with its own elements, form and products.

  asm              cells of the first region: residual, Jacobian
  asm->next        what adds to them: cells of the other regions, facets
  preconditioner   cells of the first region with the functions of the Jacobian preconditioner; its next are those of the others
  explicitPart     likewise for PlexAssemblyComputeRHSFunction()
*/
#include <plexgpu/impl.h>
#include "assemblyimpl.h"
#include <petscsf.h>

PetscBool PlexAssemblyHasProduct_Private(PlexAssembly asm_, PlexProductKind kind)
{
  PlexForm form = asm_->form;

  for (PetscInt i = 0; i < form->Nf; ++i) {
    for (PetscInt k = 0; k < 2; ++k)
      if (kind == PLEX_RESIDUAL && form->f[k][i].n) return PETSC_TRUE;
    for (PetscInt j = 0; j < form->Nf; ++j) {
      for (PetscInt k = 0; k < 4; ++k)
        if (kind == PLEX_JACOBIAN && (form->g[k][i][j].n || form->d[k][i][j].n)) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* The type of a part that adds: atomic where its first part is, else coloured, which is repeatable. One that writes has the user's. */
static PetscErrorCode PlexAssemblySetPartType(PlexAssembly asm_, PlexAssembly part)
{
  const char *type = ((PetscObject)asm_)->type_name;
  PetscBool   atomic;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYELEMENTATOMIC, &atomic));
  if (part->additive) type = atomic ? PLEXASSEMBLYELEMENTATOMIC : PLEXASSEMBLYELEMENTCOLOR;
  if (part->backend->kernels) PetscCall(PlexAssemblySetType(part, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements of the first part, where they are the same, else new ones */
static PetscErrorCode PlexAssemblyGetPartElements(PlexAssembly asm_, const PlexIntegral *it, PlexElements *elements)
{
  PlexElements  el = asm_->elements;
  Vec           aux;
  DM            dm;
  PetscObjectId id = 0;

  PetscFunctionBegin;
  PetscCall(PlexIntegralGetAuxiliary(asm_->dm, it, it->residual ? PLEX_RESIDUAL : PLEX_JACOBIAN, &aux));
  if (aux) {
    PetscCall(VecGetDM(aux, &dm));
    PetscCall(PetscObjectGetId((PetscObject)dm, &id));
  }
  if (!it->facets && it->region == el->integral.region && id == el->auxId) {
    *elements = el;
    ++el->refct;
  } else PetscCall(PlexElementsCreateIntegral(asm_->dm, it, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part of asm; NULL where it adds nothing */
static PetscErrorCode PlexAssemblyCreatePart(PlexAssembly asm_, const PlexIntegral *integral, PetscBool additive, PlexAssembly *newpart)
{
  PlexAssembly part;

  PetscFunctionBegin;
  *newpart = NULL;
  PetscCall(PlexAssemblyCreate(asm_->dm, &part));
  PetscCall(PetscObjectDereference((PetscObject)asm_->dm)); /* it lives no longer than the assembly that it is a part of */
  part->borrowed  = PETSC_TRUE;
  part->inner     = PETSC_TRUE;
  part->additive  = additive;
  part->integral  = *integral;
  part->partsMade = PETSC_TRUE;
  PetscCall(PlexFormCreateIntegral(asm_->dm, integral, &part->form));
  if (!additive || PlexAssemblyHasProduct_Private(part, PLEX_RESIDUAL) || PlexAssemblyHasProduct_Private(part, PLEX_JACOBIAN)) PetscCall(PlexAssemblyGetPartElements(asm_, integral, &part->elements));
  if (!part->elements || (additive && !part->elements->Ne)) {
    PetscCall(PlexAssemblyDestroy(&part));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (asm_->backendType) PetscCall(PetscStrallocpy(asm_->backendType, &part->backendType));
  if (asm_->source) PetscCall(PetscStrallocpy(asm_->source, &part->source));
  part->integration   = asm_->integration;
  part->precision     = asm_->precision;
  part->symmetric     = integral->facets ? PETSC_BOOL3_FALSE : integral->preconditioner ? PETSC_BOOL3_UNKNOWN : asm_->symmetric;
  part->memory        = asm_->memory;
  part->blockSize     = asm_->blockSize;
  part->teamSize      = asm_->teamSize;
  part->partitionSize = asm_->partitionSize;
  part->sharedMemory  = asm_->sharedMemory;
  part->timing        = asm_->timing;
  part->check         = asm_->check;
  PetscCall(PlexAssemblyGetBackend(part, &part->backend));
  PetscCall(PlexAssemblySetPartType(asm_, part));
  PetscCall(PlexAssemblySetUpIntegral_Private(part));
  *newpart = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts a part at the end of a list, if there is one */
static void PlexAssemblyAppend(PlexAssembly first, PlexAssembly part)
{
  while (first->next) first = first->next;
  first->next = part;
}

/* Some field of the PetscDS is implicit, or is not: PETSc then integrates over facets as well */
static PetscErrorCode PlexHasFields(PetscDS ds, PetscBool explicitPart, PetscBool *has)
{
  PetscInt  Nf;
  PetscBool implicit;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscCall(PetscDSGetImplicit(ds, f, &implicit));
    if (implicit != explicitPart) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets of one label value. Residual and Jacobian share a part where they have the same facets and auxiliary vector; PETSc takes the
   residual's facets of this process only, and the auxiliary vector of the Jacobian by the first value. */
static PetscErrorCode PlexAssemblyAddFacets(PlexAssembly asm_, PlexAssembly first, const PlexIntegral *integral, PetscBool residual, PetscBool jacobian)
{
  PlexIntegral it = *integral;
  PlexAssembly part;
  Vec          aux[2];
  PetscSF      sf;
  PetscInt     nleaves;

  PetscFunctionBegin;
  PetscCall(DMGetPointSF(asm_->dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, NULL, NULL));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) PetscCall(PlexIntegralGetAuxiliary(asm_->dm, &it, kind, &aux[kind]));
  if (residual && jacobian && nleaves <= 0 && aux[0] == aux[1]) {
    it.residual = it.jacobian = PETSC_TRUE;
    PetscCall(PlexAssemblyCreatePart(asm_, &it, PETSC_TRUE, &part));
    PlexAssemblyAppend(first, part);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    it.residual = (PetscBool)(residual && kind == PLEX_RESIDUAL);
    it.jacobian = (PetscBool)(jacobian && kind == PLEX_JACOBIAN);
    if (!it.residual && !it.jacobian) continue;
    PetscCall(PlexAssemblyCreatePart(asm_, &it, PETSC_TRUE, &part));
    PlexAssemblyAppend(first, part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Natural boundary conditions: of the residual those of a natural type, of the Jacobian all that are not essential, as in PETSc */
static PetscErrorCode PlexAssemblyAddBoundaries(PlexAssembly asm_, PlexAssembly first, PetscBool explicitPart)
{
  PetscDS  ds;
  PetscInt Nb;

  PetscFunctionBegin;
  PetscCall(DMGetDS(asm_->dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb; ++b) {
    PlexIntegral            it = {.facets = PETSC_TRUE, .boundary = b};
    DMBoundaryConditionType type;
    const PetscInt         *values;
    PetscInt                Nv;
    PetscBool               residual;

    PetscCall(PetscDSGetBoundary(ds, b, NULL, &type, NULL, &it.label, &Nv, &values, &it.field, NULL, NULL, NULL, NULL, NULL));
    if (type & DM_BC_ESSENTIAL) continue;
    PetscCall(PlexHasFields(ds, explicitPart, &residual));
    residual = (PetscBool)(residual && type & DM_BC_NATURAL);
    for (PetscInt v = 0; v < Nv; ++v) {
      it.value       = values[v];
      it.auxValue[0] = values[v];
      it.auxValue[1] = values[0];
      PetscCall(PlexAssemblyAddFacets(asm_, first, &it, residual, (PetscBool)!explicitPart));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the cells of region s add to a matrix for the preconditioner: their own functions for it, else those of the Jacobian */
static PetscErrorCode PlexIntegralSetPreconditioner(DM dm, PetscInt s, PlexIntegral *it)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(PlexIntegralSetRegion(dm, s, it));
  it->residual = PETSC_FALSE;
  PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
  PetscCall(PetscDSHasJacobianPreconditioner(ds, &it->preconditioner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyMakePreconditioner(PlexAssembly asm_, PetscInt Nds)
{
  PlexIntegral it;
  PlexAssembly part;
  PetscBool    has = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(PlexIntegralSetPreconditioner(asm_->dm, s, &it));
    has = (PetscBool)(has || it.preconditioner);
  }
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexIntegralSetPreconditioner(asm_->dm, asm_->integral.region, &it));
  PetscCall(PlexAssemblyCreatePart(asm_, &it, PETSC_FALSE, &asm_->preconditioner));
  for (PetscInt s = 0; s < Nds; ++s) {
    if (s == asm_->integral.region) continue;
    PetscCall(PlexIntegralSetPreconditioner(asm_->dm, s, &it));
    PetscCall(PlexAssemblyCreatePart(asm_, &it, PETSC_TRUE, &part));
    PlexAssemblyAppend(asm_->preconditioner, part);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All regions' cells are in the pattern of a matrix */
static void PlexAssemblyLinkRegions(PlexAssembly first)
{
  PlexElements last = first->elements;

  for (PlexAssembly part = first->next; part; part = part->next) {
    if (part->integral.facets) continue;
    last->nextRegion = part->elements;
    last             = part->elements;
  }
}

PetscErrorCode PlexAssemblyMakeParts_Private(PlexAssembly asm_)
{
  PlexIntegral it;
  PlexAssembly part;
  PetscInt     Nds;

  PetscFunctionBegin;
  if (asm_->partsMade) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    if (s == asm_->integral.region) continue;
    PetscCall(PlexIntegralSetRegion(asm_->dm, s, &it));
    PetscCall(PlexAssemblyCreatePart(asm_, &it, PETSC_TRUE, &part));
    PlexAssemblyAppend(asm_, part);
  }
  PetscCall(PlexAssemblyAddBoundaries(asm_, asm_, PETSC_FALSE));
  PetscCall(PlexAssemblyMakePreconditioner(asm_, Nds));
  PlexAssemblyLinkRegions(asm_);
  if (asm_->preconditioner) PlexAssemblyLinkRegions(asm_->preconditioner);
  asm_->partsMade = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields that are not implicit, with part 100 of their key, as in DMPlexTSComputeRHSFunctionFEM() */
PetscErrorCode PlexAssemblyMakeExplicit_Private(PlexAssembly asm_)
{
  PlexIntegral it;
  PlexAssembly part;
  PetscInt     Nds;

  PetscFunctionBegin;
  if (asm_->explicitPart) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt k = 0; k < Nds; ++k) {
    const PetscInt s = (asm_->integral.region + k) % Nds;

    PetscCall(PlexIntegralSetRegion(asm_->dm, s, &it));
    it.jacobian     = PETSC_FALSE;
    it.explicitPart = PETSC_TRUE;
    it.part         = 100;
    PetscCall(PlexAssemblyCreatePart(asm_, &it, (PetscBool)(k > 0), &part));
    if (k) PlexAssemblyAppend(asm_->explicitPart, part);
    else asm_->explicitPart = part;
  }
  PetscCall(PlexAssemblyAddBoundaries(asm_, asm_->explicitPart, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyResetParts_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->elements) asm_->elements->nextRegion = NULL;
  PetscCall(PlexAssemblyDestroy(&asm_->next)); /* and so on down the list */
  PetscCall(PlexAssemblyDestroy(&asm_->preconditioner));
  PetscCall(PlexAssemblyDestroy(&asm_->explicitPart));
  asm_->partsMade = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetUpParts_Private(PlexAssembly asm_, PlexProductKind kind, Mat P)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUpProduct_Private(asm_, &asm_->product[kind], P));
  for (PlexAssembly part = asm_->next; part; part = part->next) {
    if (!PlexAssemblyHasProduct_Private(part, kind)) continue;
    if (P && !part->pattern) PetscCall(PlexPatternCreateView(part->elements, asm_->pattern, &part->pattern));
    PetscCall(PlexAssemblySetUpProduct_Private(part, &part->product[kind], P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary vectors may be exchanged between assemblies; on another DM they need other elements and kernels */
static PetscErrorCode PlexAssemblyAuxiliaryChanged(PlexAssembly asm_, PetscBool *changed)
{
  Vec           aux;
  DM            dm;
  PetscObjectId id;

  PetscFunctionBegin;
  for (PlexAssembly part = asm_; part && !*changed; part = part->next) {
    id = 0;
    PetscCall(PlexIntegralGetAuxiliary(asm_->dm, &part->integral, part->integral.residual ? PLEX_RESIDUAL : PLEX_JACOBIAN, &aux));
    if (aux) {
      PetscCall(VecGetDM(aux, &dm));
      PetscCall(PetscObjectGetId((PetscObject)dm, &id));
    }
    if (id != part->elements->auxId) *changed = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCheckAuxiliary_Private(PlexAssembly asm_)
{
  PetscBool changed = PETSC_FALSE;

  PetscFunctionBegin;
  if (!asm_->setUp || !asm_->elements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyAuxiliaryChanged(asm_, &changed));
  PetscCall(PlexAssemblyAuxiliaryChanged(asm_->preconditioner, &changed));
  PetscCall(PlexAssemblyAuxiliaryChanged(asm_->explicitPart, &changed));
  if (changed) PetscCall(PlexAssemblyReset(asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}
