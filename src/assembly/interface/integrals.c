/*
  The integrals whose sum an assembly computes: over cells of several regions, over facets of natural boundary
  conditions; and the further sums of a preconditioner's matrix and of the explicit part of an IMEX method. Each is an
  assembly with its own elements, form and products.

  asm              cells of the first region: residual, Jacobian
  asm->next        what adds to them: cells of the other regions, facets
  preconditioner   cells of the first region with the functions of the Jacobian preconditioner; its next are those of
                   the others
  explicitPart     likewise for PlexAssemblyComputeRHSFunction()
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexAgreeOnText() */

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

/* Chooses the types of an integral, product by product. One that adds is atomic if the first integral is, else
   coloured, which is repeatable. One that writes has the type of the first integral. */
static PetscErrorCode PlexAssemblySetInnerTypes(PlexAssembly asm_, PlexAssembly inner)
{
  PlexAssemblyType types[PLEX_PRODUCTS];
  PetscBool        atomic;

  PetscFunctionBegin;
  if (!inner->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    types[kind] = asm_->strategy[kind].type;
    PetscCall(PetscStrcmp(types[kind], PLEXASSEMBLYELEMENTATOMIC, &atomic));
    if (inner->additive) types[kind] = atomic ? PLEXASSEMBLYELEMENTATOMIC : PLEXASSEMBLYELEMENTCOLOR;
  }
  PetscCall(PlexAssemblySetTypes_Private(inner, types, "-plex_assembly_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The auxiliary vector that a product takes, and its DM's number; 0: there is none */
static PetscErrorCode PlexIntegralFindAuxiliary(DM dm, const PlexIntegral *it, PetscInt kind, Vec *aux,
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

/* The elements of the first integral, where they are the same, else new ones */
static PetscErrorCode PlexAssemblyGetInnerElements(PlexAssembly asm_, const PlexIntegral *it, PlexElements *elements)
{
  PlexElements  el = asm_->elements;
  Vec           aux;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PlexIntegralFindAuxiliary(asm_->dm, it, it->residual ? PLEX_RESIDUAL : PLEX_JACOBIAN, &aux, &id));
  if (!it->facets && it->region == el->integral.region && id == el->auxId) {
    *elements = el;
    ++el->refct;
  } else PetscCall(PlexElementsCreateIntegral(asm_->dm, it, elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies what the user and tuning have set to another integral of asm's sum */
static PetscErrorCode PlexAssemblyCopySettings(PlexAssembly asm_, PlexAssembly inner)
{
  const PlexIntegral *integral = &inner->integral;

  PetscFunctionBegin;
  if (asm_->backendType) PetscCall(PetscStrallocpy(asm_->backendType, &inner->backendType));
  if (asm_->source) PetscCall(PetscStrallocpy(asm_->source, &inner->source));
  inner->integration   = asm_->integration;
  inner->tensorDegree  = asm_->tensorDegree;
  inner->declared      = asm_->declared;
  inner->precision     = asm_->precision;
  inner->symmetric     = integral->facets         ? PETSC_BOOL3_FALSE
                       : integral->preconditioner ? PETSC_BOOL3_UNKNOWN
                                                  : asm_->symmetric;
  inner->memory        = asm_->memory;
  inner->blockSize     = asm_->blockSize;
  inner->teamSize      = asm_->teamSize;
  inner->partitionSize = asm_->partitionSize;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    inner->strategy[kind].tuned     = asm_->strategy[kind].tuned;
    inner->strategy[kind].block     = asm_->strategy[kind].block;
    inner->strategy[kind].team      = asm_->strategy[kind].team;
    inner->strategy[kind].partition = asm_->strategy[kind].partition;
  }
  inner->partitioner  = asm_->partitioner;
  inner->sharedMemory = asm_->sharedMemory;
  inner->rowSums      = asm_->rowSums;
  inner->timing       = asm_->timing;
  inner->check        = asm_->check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another integral of asm's sum; NULL where it adds nothing */
static PetscErrorCode PlexAssemblyCreateInner(PlexAssembly asm_, const PlexIntegral *integral, PetscBool additive,
                                              PlexAssembly *newinner)
{
  PlexAssembly inner;
  PetscMPIInt  size;

  PetscFunctionBegin;
  *newinner = NULL;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_->dm), &size));
  PetscCall(PlexAssemblyCreateOn_Private(additive ? PETSC_COMM_SELF : PetscObjectComm((PetscObject)asm_), asm_->dm,
                                         &inner));
  PetscCall(PlexAssemblySetOptionsPrefix(inner, ((PetscObject)asm_)->prefix)); /* of how source is preprocessed */
  /* it lives no longer than the assembly that it belongs to */
  PetscCall(PetscObjectDereference((PetscObject)asm_->dm));
  inner->borrowed      = PETSC_TRUE;
  inner->inner         = PETSC_TRUE;
  inner->additive      = additive;
  inner->integral      = *integral;
  inner->integralsMade = PETSC_TRUE;
  PetscCall(PlexFormCreateIntegral(asm_->dm, integral, &inner->form));
  if (!additive || PlexAssemblyHasProduct_Private(inner, PLEX_RESIDUAL) ||
      PlexAssemblyHasProduct_Private(inner, PLEX_JACOBIAN))
    PetscCall(PlexAssemblyGetInnerElements(asm_, integral, &inner->elements));
  /* on several processes all have the same integrals */
  if (!inner->elements || (additive && size == 1 && !inner->elements->Ne)) {
    PetscCall(PlexAssemblyDestroy(&inner));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyCopySettings(asm_, inner));
  PetscCall(PlexAssemblyGetBackend(inner, &inner->backend));
  PetscCall(PlexAssemblyFindProgram_Private(asm_));
  PetscCall(PlexProgramReference(asm_->program, &inner->program)); /* the files are read once */
  PetscCall(PlexAssemblySetInnerTypes(asm_, inner));
  PetscCall(PlexAssemblySetUpIntegral_Private(inner));
  PetscCall(PlexAssemblyChooseTypes_Private(inner));
  *newinner = inner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts an integral at the end of a sum, if there is one */
static void PlexAssemblyAppend(PlexAssembly first, PlexAssembly inner)
{
  while (first->next) first = first->next;
  first->next = inner;
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
  PlexAssembly inner;
  Vec          aux[2];
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_->dm), &size));
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    PetscCall(PlexIntegralGetAuxiliary(asm_->dm, &it, kind, &aux[kind]));
  if (residual && jacobian && size == 1 && aux[0] == aux[1]) {
    it.residual = it.jacobian = PETSC_TRUE;
    PetscCall(PlexAssemblyCreateInner(asm_, &it, PETSC_TRUE, &inner));
    PlexAssemblyAppend(first, inner);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    it.residual = (PetscBool)(residual && kind == PLEX_RESIDUAL);
    it.jacobian = (PetscBool)(jacobian && kind == PLEX_JACOBIAN);
    if (!it.residual && !it.jacobian) continue;
    PetscCall(PlexAssemblyCreateInner(asm_, &it, PETSC_TRUE, &inner));
    PlexAssemblyAppend(first, inner);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Natural boundary conditions: of the residual those of a natural type, of the Jacobian all that are not essential, as
   in PETSc */
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

    PetscCall(PetscDSGetBoundary(ds, b, NULL, &type, NULL, &it.label, &Nv, &values, &it.field, NULL, NULL, NULL, NULL,
                                 NULL));
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
  PlexAssembly inner;
  PetscInt     Nds;

  PetscFunctionBegin;
  if (!*first) {
    PetscCall((*set)(asm_->dm, asm_->integral.region, &it));
    PetscCall(PlexAssemblyCreateInner(asm_, &it, PETSC_FALSE, first));
  }
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    if (s == asm_->integral.region) continue;
    PetscCall((*set)(asm_->dm, s, &it));
    PetscCall(PlexAssemblyCreateInner(asm_, &it, PETSC_TRUE, &inner));
    PlexAssemblyAppend(*first, inner);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyMakePreconditioner(PlexAssembly asm_)
{
  PlexIntegral it;
  PetscInt     Nds;
  PetscBool    has = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(PlexIntegralSetPreconditioner(asm_->dm, s, &it));
    has = (PetscBool)(has || it.preconditioner);
  }
  if (has) PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetPreconditioner, &asm_->preconditioner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All regions' cells are in the pattern of a matrix */
static void PlexAssemblyLinkRegions(PlexAssembly first)
{
  PlexElements last = first->elements;

  for (PlexAssembly inner = first->next; inner; inner = inner->next) {
    if (inner->integral.facets) continue;
    last->nextRegion = inner->elements;
    last             = inner->elements;
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
                          "with -plex_assembly_source FILE, or take -plex_assembly_backend host, which needs none",
                          ((PetscObject)asm_->backend)->type_name));
  PetscCall(PlexAssemblyLeave_Private(asm_, reason, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyMakeIntegrals_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->integralsMade) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCheckSource(asm_));
  if (asm_->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetRegion, &asm_));
  PetscCall(PlexAssemblyAddBoundaries(asm_, asm_, PETSC_FALSE));
  PetscCall(PlexAssemblyMakePreconditioner(asm_));
  PlexAssemblyLinkRegions(asm_);
  if (asm_->preconditioner) PlexAssemblyLinkRegions(asm_->preconditioner);
  asm_->integralsMade = PETSC_TRUE;
  if (asm_->next) PetscCall(PlexAssemblyCheckGeometry_Private(asm_, asm_->next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyMakeExplicit_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->explicitPart) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCheckSource(asm_));
  if (asm_->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyAddRegions(asm_, PlexIntegralSetExplicit, &asm_->explicitPart));
  PetscCall(PlexAssemblyAddBoundaries(asm_, asm_->explicitPart, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyResetIntegrals_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->elements) asm_->elements->nextRegion = NULL;
  PetscCall(PlexAssemblyDestroy(&asm_->next)); /* and so on down the list */
  PetscCall(PlexAssemblyDestroy(&asm_->preconditioner));
  PetscCall(PlexAssemblyDestroy(&asm_->explicitPart));
  asm_->integralsMade = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first error's text, whose code is passed on */
static PetscErrorCode PlexKeepFirst(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                                    PetscErrorType p, const char *text, void *ctx)
{
  char **kept = (char **)ctx;

  (void)comm, (void)line, (void)function, (void)file;
  if (p == PETSC_ERROR_INITIAL && text && !*kept) (void)PetscStrallocpy(text, kept);
  return n;
}

/* Makes plan and kernel of a product. If that fails, *why is the error's text, unless failure is an error for the
   user */
static PetscErrorCode PlexAssemblyTryPlan(PlexAssembly asm_, PlexProduct *product, PetscBool fallback, char **why)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (product->setUp || *why) PetscFunctionReturn(PETSC_SUCCESS);
  if (!fallback) {
    PetscCall(PlexAssemblyPlanProduct_Private(asm_, product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPushErrorHandler(PlexKeepFirst, why));
  ierr = PlexAssemblyPlanProduct_Private(asm_, product);
  PetscCall(PetscPopErrorHandler());
  if (!ierr) PetscFunctionReturn(PETSC_SUCCESS);
  if (!*why) PetscCall(PetscStrallocpy("a plan that cannot be made", why));
  if (product->plan) product->setUp = PETSC_TRUE; /* what was begun goes */
  PetscCall(PlexAssemblyResetProduct_Private(asm_, product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A reason in one line: the first, and of a compiler's messages the first error */
static PetscErrorCode PlexFirstLines(const char text[], char line[], size_t size)
{
  const char *rest = strchr(text, '\n'), *end;
  char       *error;
  size_t      n;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(line, text, PetscMin(size, rest ? (size_t)(rest - text) + 1 : size)));
  if (!rest) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrstr(rest, "error", &error));
  if (!error) PetscFunctionReturn(PETSC_SUCCESS);
  while (error > rest + 1 && error[-1] != '\n') --error;
  end = strchr(error, '\n');
  PetscCall(PetscStrlcat(line, " ", size));
  PetscCall(PetscStrlen(line, &n));
  PetscCall(PetscStrncpy(line + n, error, PetscMin(size - n, end ? (size_t)(end - error) + 1 : size)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetUpIntegrals_Private(PlexAssembly asm_, PlexAssembly first, PlexProductKind kind, Mat P)
{
  PetscMPIInt size;
  char       *why = NULL, line[1024];

  PetscFunctionBegin;
  PetscCall(PlexAssemblyReadyProduct_Private(first, &first->product[kind], P));
  PetscCall(PlexAssemblyTryPlan(first, &first->product[kind], asm_->fallback, &why));
  for (PlexAssembly inner = first->next; inner && !why; inner = inner->next) {
    if (!PlexAssemblyHasProduct_Private(inner, kind)) continue;
    if (P && !inner->pattern) PetscCall(PlexPatternCreateView(inner->elements, first->pattern, &inner->pattern));
    PetscCall(PlexAssemblyReadyProduct_Private(inner, &inner->product[kind], P));
    PetscCall(PlexAssemblyTryPlan(inner, &inner->product[kind], asm_->fallback, &why));
  }
  if (!asm_->fallback) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)asm_), &size));
  if (size > 1) PetscCall(PlexAgreeOnText(PetscObjectComm((PetscObject)asm_), &why));
  if (!why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexFirstLines(why, line, sizeof(line)));
  PetscCall(PlexAssemblyLeave_Private(asm_, line, why));
  PetscCall(PetscFree(why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary vectors may be exchanged between assemblies; on another DM they need other elements and kernels */
static PetscErrorCode PlexAssemblyAuxiliaryChanged(PlexAssembly asm_, PetscBool *changed)
{
  Vec           aux;
  PetscObjectId id;
  PetscInt      n;

  PetscFunctionBegin;
  for (PlexAssembly inner = asm_; inner; inner = inner->next) {
    const PlexIntegral *it = &inner->integral;

    for (PetscInt kind = 0; kind < PLEX_PRODUCTS && !*changed; ++kind) {
      if (kind == PLEX_RESIDUAL ? !it->residual : !it->jacobian) continue;
      PetscCall(PlexIntegralFindAuxiliary(inner->dm, it, kind, &aux, &id));
      *changed = (PetscBool)(id != inner->elements->auxId);
      if (*changed || !aux) continue;
      PetscCall(VecGetLocalSize(aux, &n));
      PetscCheck(n == inner->elements->NlAux, PetscObjectComm((PetscObject)inner), PETSC_ERR_ARG_SIZ,
                 "The auxiliary vector has %" PetscInt_FMT " entries and local vectors of its DM have %" PetscInt_FMT
                 ": make it with DMCreateLocalVector()",
                 n, inner->elements->NlAux);
    }
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
