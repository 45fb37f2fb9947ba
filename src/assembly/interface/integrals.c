/*
  The integrals whose sums an assembly computes: over cells of several regions, over facets of natural boundary
  conditions; and the further sums of a preconditioner's matrix and of the explicit part of an IMEX method. Each has its
  own elements, form and products. struct _p_PlexAssembly says how they hang together.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

PetscBool PlexAssemblyHasProduct_Private(PlexAssembly asm_, PlexProductKind kind)
{
  PlexForm form = asm_->form;

  if (form->action) { /* a residual with the functions of the Jacobian */
    if (kind == PLEX_JACOBIAN) return PETSC_FALSE;
    kind = PLEX_JACOBIAN;
  }
  for (PetscInt i = 0; i < form->Nf; ++i) {
    for (PetscInt k = 0; k < 2; ++k)
      if (kind == PLEX_RESIDUAL && form->f[k][i].n) return PETSC_TRUE;
    for (PetscInt j = 0; j < form->Nf; ++j) {
      for (PetscInt k = 0; k < 4; ++k)
        if (kind == PLEX_JACOBIAN && (form->g[k][i * form->Nf + j].n || form->d[k][i * form->Nf + j].n))
          return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Chooses the types of an integral, product by product. One that adds is atomic if the first integral is, else
   coloured, which is repeatable; so are actions. Another one that writes has the type of the first integral. */
static PetscErrorCode PlexAssemblySetTermTypes(PlexAssembly asm_, PlexAssembly term)
{
  PlexAssemblyType types[PLEX_PRODUCTS];
  PetscBool        atomic;

  PetscFunctionBegin;
  if (!term->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    types[kind] = asm_->strategy[kind].type;
    PetscCall(PetscStrcmp(types[kind], PLEXASSEMBLYELEMENTATOMIC, &atomic));
    if (term->additive || term->integral.action)
      types[kind] = atomic ? PLEXASSEMBLYELEMENTATOMIC : PLEXASSEMBLYELEMENTCOLOR;
  }
  PetscCall(PlexAssemblySetTypes_Private(term, types, "-plex_assembly_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegralFindAuxiliary_Private(DM dm, const PlexIntegral *it, PetscInt kind, Vec *aux,
                                                 PetscObjectId *id)
{
  DM dmAux;

  PetscFunctionBegin;
  *id = 0;
  PetscCall(PlexIntegralGetAuxiliary(dm, it, kind, aux));
  if (!*aux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetDM(*aux, &dmAux));
  if (dmAux) PetscCall(PetscObjectGetId((PetscObject)dmAux, id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other cells than those of the first integral: by the integrator that was asked for, where it may compute other
   numbers than quadrature does. It serves no facets */
static void PlexAssemblySetTermIntegrators(PlexAssembly asm_, PlexAssembly term)
{
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS && !term->integral.facets; ++kind) {
    const PlexVariant    *asked      = asm_->strategy[kind].variant;
    const PlexIntegrator *integrator = PlexIntegratorOf_Private(asked);

    if (integrator && !integrator->automatic) term->strategy[kind].variant = asked;
  }
}

/* The elements of the first integral, where they are the same, else new ones */
static PetscErrorCode PlexAssemblyGetTermElements(PlexAssembly asm_, const PlexIntegral *it, PlexElements *elements)
{
  PlexElements  el = asm_->elements;
  Vec           aux;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PlexIntegralFindAuxiliary_Private(asm_->dm, it, it->residual ? PLEX_RESIDUAL : PLEX_JACOBIAN, &aux, &id));
  if (!it->facets && it->region == el->integral.region && id == el->auxId) {
    *elements = el;
    ++el->refct;
  } else PetscCall(PlexElementsCreateIntegral(asm_->dm, it, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another term of a sum: it writes, or it is additive. NULL where it adds nothing */
PetscErrorCode PlexAssemblyCreateTerm_Private(PlexAssembly asm_, const PlexIntegral *integral, PetscBool additive,
                                              PlexAssembly *newterm)
{
  PlexAssembly term;
  PetscMPIInt  size;

  PetscFunctionBegin;
  *newterm = NULL;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_->dm), &size));
  PetscCall(PlexAssemblyCreateOn_Private(additive ? PETSC_COMM_SELF : PetscObjectComm((PetscObject)asm_), asm_, &term));
  term->additive = additive;
  term->integral = *integral;
  term->backend  = asm_->backend;
  PetscCall(PetscObjectReference((PetscObject)term->backend));
  PetscCall(PlexFormCreateIntegral(asm_->dm, integral, &term->form));
  if (!additive || PlexAssemblyHasProduct_Private(term, PLEX_RESIDUAL) ||
      PlexAssemblyHasProduct_Private(term, PLEX_JACOBIAN))
    PetscCall(PlexAssemblyGetTermElements(asm_, integral, &term->elements));
  /* on several processes all have the same integrals */
  if (!term->elements || (additive && size == 1 && !term->elements->Ne)) {
    PetscCall(PlexAssemblyDestroy(&term));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblySetTermTypes(asm_, term));
  PetscCall(PlexAssemblySetUpIntegral_Private(term));
  PetscCall(PlexAssemblyChooseTypes_Private(term));
  PlexAssemblySetTermIntegrators(asm_, term);
  *newterm = term;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts an integral at the end of a sum, if there is one */
void PlexAssemblyAppend_Private(PlexAssembly first, PlexAssembly term)
{
  while (first->next) first = first->next;
  first->next = term;
}

/* Whether a field of the PetscDS is implicit, or (explicitPart) explicit: PETSc integrates over facets if there is
   one */
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

/* Facets of one label value. Residual and Jacobian share an integral where they have the same facets and auxiliary
   vector; PETSc takes the residual's facets of this process only, and the auxiliary vector of the Jacobian by the first
   value. */
static PetscErrorCode PlexAssemblyAddFacets(PlexAssembly asm_, PlexAssembly first, const PlexIntegral *integral,
                                            PetscBool residual, PetscBool jacobian)
{
  PlexIntegral it = *integral;
  PlexAssembly term;
  Vec          aux[2];
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_->dm), &size));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    PetscCall(PlexIntegralGetAuxiliary(asm_->dm, &it, kind, &aux[kind]));
  if (residual && jacobian && size == 1 && aux[0] == aux[1]) {
    it.residual = it.jacobian = PETSC_TRUE;
    PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
    PlexAssemblyAppend_Private(first, term);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    it.residual = (PetscBool)(residual && kind == PLEX_RESIDUAL);
    it.jacobian = (PetscBool)(jacobian && kind == PLEX_JACOBIAN);
    if (!it.residual && !it.jacobian) continue;
    PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
    PlexAssemblyAppend_Private(first, term);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A boundary as an integral over facets, once for each of its label's values. wf NULL: it is essential */
typedef struct {
  PlexIntegral            it;
  DMBoundaryConditionType type;
  PetscInt                Nv;
  const PetscInt         *values; /* [Nv] */
  PetscWeakForm           wf;
  PetscBool               preconditions; /* it has functions for a preconditioner */
} PlexBoundaryPart;

static PetscErrorCode PlexBoundaryGet(PetscDS ds, PetscInt b, PlexBoundaryPart *part)
{
  PetscFunctionBegin;
  *part = (PlexBoundaryPart){
    .it = {.facets = PETSC_TRUE, .boundary = b}
  };
  PetscCall(PetscDSGetBoundary(ds, b, &part->wf, &part->type, NULL, &part->it.label, &part->Nv, &part->values,
                               &part->it.field, NULL, NULL, NULL, NULL, NULL));
  if (part->type & DM_BC_ESSENTIAL) part->wf = NULL;
  if (part->wf) PetscCall(PetscWeakFormHasBdJacobianPreconditioner(part->wf, &part->preconditions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integral of value number v */
static PlexIntegral PlexBoundaryOfValue(const PlexBoundaryPart *part, PetscInt v)
{
  PlexIntegral it = part->it;

  it.value       = part->values[v];
  it.auxValue[0] = part->values[v];
  it.auxValue[1] = part->values[0];
  return it;
}

PetscErrorCode PlexBoundariesPrecondition_Private(DM dm, PetscBool *has)
{
  PlexBoundaryPart part;
  PetscDS          ds;
  PetscInt         Nb;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb && !*has; ++b) {
    PetscCall(PlexBoundaryGet(ds, b, &part));
    *has = part.preconditions;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The functions for a preconditioner on boundaries: of a preconditioner's matrix, or `single` */
static PetscErrorCode PlexAssemblyAddPreconditionerBoundaries(PlexAssembly asm_, PlexAssembly first, PetscBool single,
                                                              PlexAction action)
{
  PlexBoundaryPart part;
  PlexAssembly     term;
  PetscDS          ds;
  PetscInt         Nb;

  PetscFunctionBegin;
  PetscCall(DMGetDS(asm_->dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb; ++b) {
    PetscCall(PlexBoundaryGet(ds, b, &part));
    part.it.preconditioner = part.it.jacobian = PETSC_TRUE;
    part.it.single                            = single;
    part.it.action                            = action;
    for (PetscInt v = 0; v < part.Nv && part.preconditions; ++v) {
      const PlexIntegral it = PlexBoundaryOfValue(&part, v);

      PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
      PlexAssemblyAppend_Private(first, term);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Natural boundary conditions: of the residual those of a natural type, of the Jacobian all that are not essential, as
   in PETSc */
static PetscErrorCode PlexAssemblyAddBoundaries(PlexAssembly asm_, PlexAssembly first, PetscBool explicitPart)
{
  PlexBoundaryPart part;
  PetscDS          ds;
  PetscInt         Nb;
  PetscBool        residual;

  PetscFunctionBegin;
  PetscCall(DMGetDS(asm_->dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  PetscCall(PlexHasFields(ds, explicitPart, &residual));
  for (PetscInt b = 0; b < Nb; ++b) {
    PetscCall(PlexBoundaryGet(ds, b, &part));
    for (PetscInt v = 0; v < part.Nv && part.wf; ++v) {
      const PlexIntegral it = PlexBoundaryOfValue(&part, v);

      PetscCall(PlexAssemblyAddFacets(asm_, first, &it, (PetscBool)(residual && part.type & DM_BC_NATURAL),
                                      (PetscBool)!explicitPart));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the cells of region s add to a matrix for the preconditioner: their own functions for it, else those of the
   Jacobian */
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

/* Cells of a region with the functions of part 100, of the fields that are not implicit, as in
   DMPlexTSComputeRHSFunctionFEM() */
static PetscErrorCode PlexIntegralSetExplicit(DM dm, PetscInt s, PlexIntegral *it)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegralSetRegion(dm, s, it));
  it->jacobian     = PETSC_FALSE;
  it->explicitPart = PETSC_TRUE;
  it->part         = 100;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a sum over the cells of all regions from the integrals that `set` describes. *first is its first integral, made
   here if it is NULL */
static PetscErrorCode PlexAssemblyAddRegions(PlexAssembly  asm_, PetscErrorCode (*set)(DM, PetscInt, PlexIntegral *),
                                             PlexAssembly *first)
{
  PlexIntegral it;
  PlexAssembly term;
  PetscInt     Nds;
  PetscBool    cohesive;

  PetscFunctionBegin;
  if (!*first) {
    PetscCall((*set)(asm_->dm, asm_->integral.region, &it));
    PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_FALSE, first));
  }
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(PlexRegionIsCohesive(asm_->dm, s, &cohesive));
    if (s == asm_->integral.region || cohesive) continue;
    PetscCall((*set)(asm_->dm, s, &it));
    PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
    PlexAssemblyAppend_Private(*first, term);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells of region s in an action of the Jacobian */
static PetscErrorCode PlexIntegralSetAction(DM dm, PetscInt s, PlexAction action, PlexIntegral *it)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegralSetRegion(dm, s, it));
  it->residual = PETSC_FALSE;
  it->action   = action;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexIntegralSetApply(DM dm, PetscInt s, PlexIntegral *it)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegralSetAction(dm, s, PLEX_ACTION_APPLY, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexIntegralSetTranspose(DM dm, PetscInt s, PlexIntegral *it)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegralSetAction(dm, s, PLEX_ACTION_TRANSPOSE, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexIntegralSetDiagonal(DM dm, PetscInt s, PlexIntegral *it)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegralSetAction(dm, s, PLEX_ACTION_DIAGONAL, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The terms of an action: those of the Jacobian */
PetscErrorCode PlexAssemblyMakeAction_Private(PlexAssembly asm_, PlexAction action)
{
  PetscErrorCode (*const set[PLEX_ACTIONS])(DM, PetscInt, PlexIntegral *) = {NULL, PlexIntegralSetApply,
                                                                             PlexIntegralSetTranspose,
                                                                             PlexIntegralSetDiagonal};
  PlexAssembly    *first                                                  = &asm_->action[action], term;
  PlexBoundaryPart part;
  PetscDS          ds;
  PetscInt         Nb;

  PetscFunctionBegin;
  if (*first) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyAddRegions(asm_, set[action], first));
  PetscCall(DMGetDS(asm_->dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb; ++b) {
    PetscCall(PlexBoundaryGet(ds, b, &part));
    part.it.jacobian = PETSC_TRUE;
    part.it.action   = action;
    for (PetscInt v = 0; v < part.Nv && part.wf; ++v) {
      const PlexIntegral it = PlexBoundaryOfValue(&part, v);

      PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
      PlexAssemblyAppend_Private(*first, term);
    }
  }
  PetscCall(PlexAssemblyAddPreconditionerBoundaries(asm_, *first, PETSC_TRUE, action));
  PetscCall(PlexAssemblyFindSource_Private(asm_, *first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyMakePreconditioner(PlexAssembly asm_)
{
  PlexIntegral it;
  PetscInt     Nds;
  PetscBool    has, facets;

  PetscFunctionBegin;
  PetscCall(PlexBoundariesPrecondition_Private(asm_->dm, &facets));
  has = facets;
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(PlexIntegralSetPreconditioner(asm_->dm, s, &it));
    has = (PetscBool)(has || it.preconditioner);
  }
  if (has) PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetPreconditioner, &asm_->preconditioner));
  if (facets)
    PetscCall(PlexAssemblyAddPreconditionerBoundaries(asm_, asm_->preconditioner, PETSC_FALSE, PLEX_ACTION_NONE));
  if (facets) PetscCall(PlexAssemblyAddPreconditionerBoundaries(asm_, asm_, PETSC_TRUE, PLEX_ACTION_NONE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All regions' cells are in the pattern of a matrix */
static void PlexAssemblyLinkRegions(PlexAssembly first)
{
  PlexElements last = first->elements;

  for (PlexAssembly term = first->next; term; term = term->next) {
    if (term->integral.facets) continue;
    last->nextRegion = term->elements;
    last             = term->elements;
  }
}

/* Checks before a plan is made that the source of the pointwise functions is named: kernels are compiled from it */
static PetscErrorCode PlexAssemblyCheckSource(PlexAssembly asm_)
{
  char      reason[256];
  PetscBool has = (PetscBool)(PlexAssemblyHasProduct_Private(asm_, PLEX_RESIDUAL) ||
                              PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN));

  PetscFunctionBegin;
  /* the error names a function */
  if (!asm_->backend->kernels || asm_->source || !has || !asm_->fallback) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(reason, sizeof(reason),
                          "backend %s needs the source of the pointwise functions: name the files that define them "
                          "with -plex_assembly_source FILE (\"auto\": as the debugging information says), or take "
                          "-plex_assembly_backend host, which needs none",
                          ((PetscObject)asm_->backend)->type_name));
  PetscCall(PlexAssemblyLeave_Private(asm_, reason, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexRequest *r)
{
  PlexAssembly asm_ = r->asm_;

  PetscFunctionBegin;
  if (r->explicitPart ? asm_->explicitPart != NULL : asm_->integralsMade) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCheckSource(asm_));
  if (asm_->reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (r->explicitPart) {
    PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetExplicit, &asm_->explicitPart));
    PetscCall(PlexAssemblyAddBoundaries(asm_, asm_->explicitPart, PETSC_TRUE));
    PetscCall(PlexAssemblyFindSource_Private(asm_, asm_->explicitPart));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetRegion, &asm_));
  PetscCall(PlexAssemblyAddBoundaries(asm_, asm_, PETSC_FALSE));
  PetscCall(PlexAssemblyMakePreconditioner(asm_));
  PlexAssemblyLinkRegions(asm_);
  if (asm_->preconditioner) PlexAssemblyLinkRegions(asm_->preconditioner);
  asm_->integralsMade = PETSC_TRUE;
  PetscCall(PlexAssemblyFindSource_Private(asm_, asm_));
  PetscCall(PlexAssemblyFindSource_Private(asm_, asm_->preconditioner));
  if (asm_->next) PetscCall(PlexAssemblyCheckGeometry_Private(asm_, asm_->next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->elements) asm_->elements->nextRegion = NULL;
  PetscCall(PlexAssemblyDestroy(&asm_->next)); /* and so on down the list */
  PetscCall(PlexAssemblyDestroy(&asm_->preconditioner));
  PetscCall(PlexAssemblyDestroy(&asm_->explicitPart));
  for (PetscInt k = 0; k < PLEX_ACTIONS; ++k) PetscCall(PlexAssemblyDestroy(&asm_->action[k]));
  PetscCall(PlexCohesiveSumsDestroy_Private(asm_));
  asm_->integralsMade = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
