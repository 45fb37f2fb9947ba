/* Set-up of an assembly: elements, pattern, and for each product integration, plan and kernels */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include <plex_args.h>
#include "../../util/cite.h"
#include "../impls/stored/plan.h"
#include "../../dm/elementsimpl.h" /* PlexGetFirstIntegratedCell(), PlexElementsAreAffine(), PlexAgreeOnText() */

typedef struct {
  PlexElements elements;
  PlexCount    repeated; /* dofs that an element has had before */
} PlexRepeated;

static void PlexRepeatedLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexRepeated  *r     = (PlexRepeated *)ctx;
  const PetscInt ef    = r->elements->ef;
  int            found = 0;

  for (PetscInt e = begin; e < end; ++e) {
    const int *dofs = &r->elements->dofs[(size_t)e * ef];

    for (PetscInt i = 1; i < ef; ++i)
      for (PetscInt j = 0; j < i; ++j) found |= dofs[i] == dofs[j];
  }
  PlexCountAdd(&r->repeated, found);
}

/* Whether an element has a dof twice */
static PetscErrorCode PlexAssemblyFindRepeated(PlexAssembly asm_)
{
  PlexRepeated r = {.elements = asm_->elements};

  PetscFunctionBegin;
  PlexCountInit(&r.repeated);
  PetscCall(PlexThreadsRun(asm_->elements->Ne, PLEX_THREADS_LEAST, PlexRepeatedLoop, &r));
  asm_->repeated = (PetscBool)(PlexCountGet(&r.repeated) > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of cohesive cells: the tables that fields are evaluated with, and behind them the geometry */
static PetscErrorCode PlexAssemblyUploadCohesive(PlexAssembly asm_)
{
  PlexElements el     = asm_->elements;
  PlexCohesive c      = el->cohesive;
  const size_t places = (size_t)el->Ne * PlexCohesivePlaces(el),
               size   = (size_t)el->Ne * el->Nq * PlexElementsFacetSize(el);
  PetscReal   *numbers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->size + size, &numbers));
  PetscCall(PetscArraycpy(numbers, c->tables, c->size));
  PetscCall(PetscArraycpy(numbers + c->size, el->facet, size));
  PetscCall(PlexBackendUpload(asm_->backend, c->places, sizeof(int) * places, (void **)&asm_->faceDevice));
  PetscCall(PlexBackendUpload(asm_->backend, numbers, sizeof(PetscReal) * (c->size + size),
                              (void **)&asm_->facetDevice));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of vector spaces [Ne][1 + words]: the local face of a facet, and a bit for each dof of which the element has the
   negative */
static PetscErrorCode PlexAssemblyUploadSigns(PlexAssembly asm_)
{
  PlexElements   el    = asm_->elements;
  const PetscInt words = 1 + PlexSignWords(el);
  int           *faces;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)el->Ne * words, &faces));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    int *own = &faces[(size_t)e * words];

    if (el->face) own[0] = el->face[e];
    for (PetscInt i = 0; i < el->ef && el->signs; ++i)
      if (el->signs[(size_t)e * el->ef + i] < 0) own[1 + i / 32] |= (int)(1u << i % 32);
  }
  PetscCall(PlexBackendUpload(asm_->backend, faces, sizeof(int) * el->Ne * words, (void **)&asm_->faceDevice));
  PetscCall(PetscFree(faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyUpload(PlexAssembly asm_)
{
  PlexElements elements = asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, elements->x, sizeof(PetscReal) * elements->Nx * elements->dim,
                              (void **)&asm_->xDevice));
  PetscCall(PlexBackendUpload(asm_->backend, elements->dofsAux, sizeof(int) * elements->Ne * elements->ea,
                              (void **)&asm_->auxDevice));
  if (elements->cohesive) PetscCall(PlexAssemblyUploadCohesive(asm_));
  if (elements->vectors) PetscCall(PlexAssemblyUploadSigns(asm_));
  else if (elements->integral.facets && !elements->cohesive)
    PetscCall(PlexBackendUpload(asm_->backend, elements->face, sizeof(int) * elements->Ne, (void **)&asm_->faceDevice));
  if (elements->integral.facets && !elements->cohesive)
    PetscCall(PlexBackendUpload(asm_->backend, elements->facet,
                                sizeof(PetscReal) * elements->Ne * elements->Nq * PLEX_FACET_SIZE(elements->dim),
                                (void **)&asm_->facetDevice));
  PetscCall(PetscCalloc1(asm_->form->numConstants + 3, &asm_->constants));
  PetscCall(PlexBackendUpload(asm_->backend, asm_->constants, sizeof(PetscScalar) * (asm_->form->numConstants + 3),
                              (void **)&asm_->constantsDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up what depends neither on the product nor on its type, after form and elements */
PetscErrorCode PlexAssemblySetUpIntegral_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsAreAffine(asm_->elements, &asm_->affineElements));
  PetscCall(PlexAssemblyFindRepeated(asm_));
  PetscCall(PlexAssemblyUpload(asm_));
  /* elements that were there may have older coordinates than the mesh */
  if (asm_ != asm_->owner && asm_->elements == asm_->owner->elements)
    asm_->coordinateState = asm_->owner->coordinateState;
  else PetscCall(PlexGetCoordinateState(asm_->owner->dm, &asm_->coordinateState));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first region that has cells on some process: the first integral's */
static PetscErrorCode PlexAssemblySetRegion(PlexAssembly asm_)
{
  PetscInt  Nds, cell = -1;
  PetscBool cohesive;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds && cell < 0; ++s) {
    PetscCall(PlexRegionIsCohesive(asm_->dm, s, &cohesive));
    if (cohesive) continue;
    PetscCall(PlexIntegralSetRegion(asm_->dm, s, &asm_->integral));
    PetscCall(PlexGetFirstIntegratedCell(asm_->dm, asm_->integral.label, &cell));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &cell, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)asm_->dm)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetUpElements_Private(PlexRequest *r)
{
  PlexAssembly asm_ = r->asm_;
  PlexBackend  backend;
  char        *reason = NULL;
  PetscBool    anchors;

  PetscFunctionBegin;
  if (asm_->setUp) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_SetUp, asm_, 0, 0, 0));
  PetscCall(PlexAssemblyGetBackend(asm_, &backend));
  PetscCall(PlexElementsSupported(asm_->dm, &reason));
  if (reason) {
    PetscCall(PlexAssemblyLeave_Private(asm_, reason, NULL));
    PetscCall(PetscFree(reason));
  } else {
    PetscCall(PlexAssemblySetRegion(asm_));
    PetscCall(PlexFormCreateIntegral(asm_->dm, &asm_->integral, &asm_->form));
    PetscCall(PlexElementsCreateIntegral(asm_->dm, &asm_->integral, &asm_->elements));
    PetscCall(PlexAssemblySetUpIntegral_Private(asm_));
    PetscCall(PlexAssemblySetUpBasis_Private(asm_));
    PetscCall(PlexAnchorsAre(asm_->dm, &anchors));
    if (anchors) PetscCall(PlexAnchorsCreate(asm_->dm, &asm_->anchors));
    PetscCall(PlexAssemblyCheckGeometry_Private(asm_, asm_));
    asm_->typesOpen = (PetscBool)!asm_->reason;
  }
  PetscCall(PlexAssemblyGetState_Private(asm_, &asm_->state)); /* PETSc sets up its own part on the way */
  asm_->setUp = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(PLEX_SetUp, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetUp - Extracts what assembly needs of the `DM`, chooses type and backend where they were left open, and
  puts the mesh on the device. Plans and kernels follow with the first residual and the first Jacobian.

  Collective

  Input Parameter:
. asm - the assembly

  Level: intermediate

  Note:
  What PlexGPU cannot assemble is left to PETSc, with one line that says what and why, or is an error with
  `-plex_assembly_fallback false`.

.seealso: `PlexAssembly`, `PlexAssemblySetFromOptions()`, `PlexAssemblyComputeJacobian()`
@*/
PetscErrorCode PlexAssemblySetUp(PlexAssembly asm_)
{
  PlexRequest r = {.asm_ = asm_};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_TYPES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All regions' cells couple dofs; facets are of cells */
static PetscErrorCode PlexAssemblyCreatePattern(PlexAssembly asm_, Mat P, PlexPattern *pattern)
{
  PlexElements *all;
  PetscInt      n = 0;

  PetscFunctionBegin;
  for (PlexElements el = asm_->elements; el; el = el->nextRegion) ++n;
  PetscCall(PetscMalloc1(n, &all));
  n = 0;
  for (PlexElements el = asm_->elements; el; el = el->nextRegion) all[n++] = el;
  PetscCall(PlexPatternCreateForAll(n, all, P, pattern));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern of P, which is another one or has changed. Plans stay where it has the same entries, as MatDuplicate()
   makes them. The rows that are exchanged stay where that is so on all processes. */
static PetscErrorCode PlexAssemblyTakePattern(PlexAssembly first, Mat P)
{
  PlexPattern last = first->pattern, pattern;
  PetscBool   same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreatePattern(first, P, &pattern));
  PetscCall(PetscObjectGetId((PetscObject)P, &pattern->id));
  if (last && last->m == pattern->m && last->nnz == pattern->nnz) {
    PetscCall(PetscArraycmp(last->i, pattern->i, pattern->m + 1, &same));
    if (same) PetscCall(PetscArraycmp(last->j, pattern->j, pattern->nnz, &same));
    if (same) PetscCall(PetscArraycmp(last->row, pattern->row, first->elements->Nl, &same));
  }
  for (PlexAssembly term = first; term; term = term->next) {
    if (!same) PetscCall(PlexAssemblyResetProduct_Private(term, &term->product[PLEX_JACOBIAN]));
    PetscCall(PlexPatternDestroy(&term->pattern));
  }
  first->pattern = pattern;
  PetscCall(PlexEssentialEntriesDestroy_Private(first));
  PetscCall(PlexBasisBlocksDestroy(&first->blocks));
  if (first->owner->basis) PetscCall(PlexBasisBlocksCreate(first->owner->basis, pattern, &first->blocks));
  if (pattern->halo) {
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &same, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)P)));
    if (!same) PetscCall(PlexExchangeDestroy_Private(&first->exchange));
    if (!first->exchange) PetscCall(PlexExchangeCreate_Private(first->backend, pattern->halo, &first->exchange));
  } else PetscCall(PlexExchangeDestroy_Private(&first->exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyUpdatePattern_Private(PlexRequest *r)
{
  PlexAssembly     first = r->first;
  PetscObjectState state;
  PetscObjectId    id;

  PetscFunctionBegin;
  if (!r->P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNonzeroState(r->P, &state));
  PetscCall(PetscObjectGetId((PetscObject)r->P, &id));
  if (!first->pattern || first->pattern->id != id || first->pattern->nonzerostate != state)
    PetscCall(PlexAssemblyTakePattern(first, r->P));
  for (PlexAssembly term = first->next; term; term = term->next)
    if (!term->pattern) PetscCall(PlexPatternCreateView(term->elements, first->pattern, &term->pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyIsSymmetric_Private(PlexAssembly asm_, Mat P, PetscBool *is)
{
  const PlexIntegral *it    = &asm_->integral;
  const PetscBool3    asked = it->facets         ? PETSC_BOOL3_FALSE
                            : it->preconditioner ? PETSC_BOOL3_UNKNOWN
                                                 : asm_->owner->symmetric;
  PetscBool           known = PETSC_FALSE, symmetric = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(P, &known, &symmetric));
  /* of a sum that is symmetric the terms need not be */
  for (PlexAssembly term = asm_->next; term; term = term->next)
    known = (PetscBool)(known && !PlexAssemblyHasProduct_Private(term, PLEX_JACOBIAN));
  *is = asked == PETSC_BOOL3_UNKNOWN ? (PetscBool)(known && symmetric && !asm_->additive) : PetscBool3ToBool(asked);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyChooseIntegration_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexIntegrationPlan plan;
  PetscBool           same;

  PetscFunctionBegin;
  PetscCall(PlexIntegrationExamine_Private(asm_, product, &plan, &same));
  if (!same) {
    PetscCall(PlexAssemblyResetProduct_Private(asm_, product));
    PetscCall(PlexIntegrationTake_Private(asm_, product, &plan));
  }
  PetscCall(PlexIntegrationEnd_Private(asm_, product, &plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chooses integration and sizes, for the pattern that is there; P NULL: of the residual */
static PetscErrorCode PlexAssemblyReadyProduct(PlexAssembly asm_, PlexProduct *product, Mat P)
{
  PetscBool current;

  PetscFunctionBegin;
  if (P) {
    PetscCall(PlexAssemblyChooseIntegration_Private(asm_, product));
    if (product->setUp) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PlexAssemblyIsSymmetric_Private(asm_, P, &product->symmetric));
    product->Nt = asm_->pattern->nnz;
    product->nd = product->symmetric ? asm_->elements->ef * (asm_->elements->ef + 1) / 2
                                     : asm_->elements->ef * asm_->elements->ef;
  } else {
    PetscCall(PlexStoredRefresh_Private(asm_, product, &current));
    if (!current) PetscCall(PlexAssemblyResetProduct_Private(asm_, product));
    if (product->setUp) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PlexAssemblyChooseIntegration_Private(asm_, product));
    product->Nt = asm_->elements->Nl;
    product->nd = asm_->elements->ef;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not collective */
static PetscErrorCode PlexAssemblyPlanProduct(PlexAssembly asm_, PlexProduct *product)
{
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscLogDouble t0, t1;
  PetscBool      atomic;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Plan, asm_, 0, 0, 0));
  PetscCall(PetscTime(&t0));
  PetscCall(PlexAssemblySelect_Private(asm_, product->kind));
  PetscCall(PetscStrcmp(asm_->strategy[product->kind].type, PLEXASSEMBLYELEMENTATOMIC, &atomic));
  PetscCall(PlexCite_Private(asm_->backend->kernels && !atomic ? PLEX_CITE_ASSEMBLY : PLEX_CITE_LIBRARY));
  if (asm_->elements->Ne) {
    if (asm_->backend->kernels) PetscCall(PlexAssemblyChooseTeam(asm_, product));
    product->variant = NULL;
    ierr             = PlexStoredChoose_Private(asm_, product);
    if (!ierr) ierr = (*asm_->ops->setup)(asm_, product);
    if (!ierr) ierr = PlexVariantCheck_Private(asm_, product);
  }
  PetscCall(PetscTime(&t1));
  /* after an error too: the assembly may be left to PETSc, and the program go on */
  PetscCall(PetscLogEventEnd(PLEX_Plan, asm_, 0, 0, 0));
  PetscCall(ierr);
  product->planTime = t1 - t0 - product->compileTime;
  product->setUp    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetUpProduct_Private(PlexAssembly asm_, PlexProduct *product, Mat P)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyReadyProduct(asm_, product, P));
  if (!product->setUp) PetscCall(PlexAssemblyPlanProduct(asm_, product));
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
  if (product->setUp) PetscFunctionReturn(PETSC_SUCCESS);
  if (fallback) PetscCall(PetscPushErrorHandler(PlexKeepFirst, why));
  ierr = PlexAssemblyPlanProduct(asm_, product);
  if (fallback) PetscCall(PetscPopErrorHandler());
  else PetscCall(ierr);
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

PetscErrorCode PlexAssemblySetUpProducts_Private(PlexRequest *r)
{
  MPI_Comm        comm     = PetscObjectComm((PetscObject)r->asm_);
  const PetscBool fallback = r->asm_->fallback;
  PetscMPIInt     size;
  char           *why = NULL, line[1024];

  PetscFunctionBegin;
  for (PlexAssembly term = r->first; term && !why; term = term->next) {
    PlexProduct *product = &term->product[r->kind];

    if (term != r->first && !PlexAssemblyHasProduct_Private(term, r->kind)) continue;
    PetscCall(PlexAssemblyReadyProduct(term, product, r->P));
    PetscCall(PlexAssemblyTryPlan(term, product, fallback, &why));
  }
  if (!fallback) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCall(PlexAgreeOnText(comm, &why));
  if (!why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexFirstLines(why, line, sizeof(line)));
  PetscCall(PlexAssemblyLeave_Private(r->asm_, line, why));
  PetscCall(PetscFree(why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
