/* The view of an assembly */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

/* Sums over all processes; seconds are those of the slowest. An inner assembly, which other processes need not have, is
   viewed by each process alone. */
typedef struct {
  PetscMPIInt size;
  double      least, most;         /* elements of a process */
  double      elements, Nt, nodes; /* the local ones, added up */
  double      bytes, flops;        /* a launch */
  double      seconds, plan, compile;
} PlexTotals;

static PetscErrorCode PlexTotalsGet(PlexAssembly asm_, const PlexProduct *product, PlexTotals *t)
{
  const PetscInt Ne     = asm_->elements->Ne;
  double         sum[5] = {(double)Ne, (double)product->Nt, (double)asm_->elements->Nx, product->bytes, product->flops};
  double         max[5] = {(double)Ne, -(double)Ne, product->time / PetscMax(1, product->launches), product->planTime,
                           product->compileTime};
  MPI_Comm       comm   = PetscObjectComm((PetscObject)asm_);
  PlexPattern    pattern = product->kind == PLEX_JACOBIAN ? asm_->pattern : NULL;

  PetscFunctionBegin;
  /* of the matrix alone */
  if (pattern && pattern->halo) sum[1] = (double)(pattern->nA - pattern->unused) + (double)pattern->halo->nsums;
  t->size = 1;
  if (asm_ == asm_->owner) {
    PetscCallMPI(MPI_Comm_size(comm, &t->size));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 5, MPI_DOUBLE, MPI_SUM, comm));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, max, 5, MPI_DOUBLE, MPI_MAX, comm));
  }
  t->most     = max[0];
  t->least    = -max[1];
  t->elements = sum[0];
  t->Nt       = sum[1];
  t->nodes    = sum[2];
  t->bytes    = sum[3];
  t->flops    = sum[4];
  t->seconds  = max[2];
  t->plan     = max[3];
  t->compile  = max[4];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How process 0, which the viewer shows, computes the product */
static PetscErrorCode PlexProductViewPlan(PlexAssembly asm_, PlexProduct *product, PetscInt size, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!asm_->elements->Ne) PetscFunctionReturn(PETSC_SUCCESS);
  if (size > 1)
    PetscCall(PetscViewerASCIIPrintf(viewer, "process 0, %" PetscInt_FMT " elements:\n", asm_->elements->Ne));
  if (asm_->backend->kernels) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "computed by %s%s%s\n", asm_->strategy[product->kind].type,
                                     product->variant ? ":" : "", product->variant ? product->variant : ""));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "threads: %" PetscInt_FMT " an element, %" PetscInt_FMT
                                     " a block; shared memory for quadrature data %zu bytes an element\n",
                                     product->team, product->block, product->work));
  }
  if (asm_->form->action)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s%s%s\n", product->stored ? "stored" : "evaluated",
                                     product->why[0] ? " (" : "", product->why, product->why[0] ? ")" : ""));
  else if (product->tensor)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "integration: tensor, coefficients of degree %" PetscInt_FMT
                                     ", K of %" PetscInt_FMT " numbers%s (%s)\n",
                                     product->tensor->degree, product->tensor->n,
                                     product->tensor->symmetric ? ", G symmetric" : "", product->why));
  else if (product->kind == PLEX_JACOBIAN)
    PetscCall(PetscViewerASCIIPrintf(viewer, "integration: quadrature (%s)\n", product->why));
  PetscCall(PlexAssemblySelect_Private(asm_, product->kind));
  PetscTryTypeMethod(asm_, view, product, viewer);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How fast it was, against the bandwidth of a copy */
static PetscErrorCode PlexProductViewRates(PlexAssembly asm_, PlexProduct *product, const PlexTotals *t,
                                           PetscViewer viewer)
{
  double needed, bandwidth = 1.0;

  PetscFunctionBegin;
  if (t->seconds <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  needed = 8.0 * t->Nt + 8.0 * asm_->elements->dim * t->nodes;
  if (asm_ == asm_->owner) PetscCall(PlexBackendRecallCopyBandwidth(asm_->backend, &bandwidth));
  bandwidth *= t->size; /* 0: not known */
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%" PetscInt_FMT " times, %.4g ms each%s: %.4g ns an element, %.4g GB/s of what "
                                   "the plan moves, %.4g Gflop/s\n",
                                   product->launches, t->seconds * 1e3, t->size > 1 ? " on the slowest process" : "",
                                   t->seconds * 1e9 / t->elements, t->bytes / t->seconds * 1e-9,
                                   t->flops / t->seconds * 1e-9));
  if (asm_ == asm_->owner && bandwidth > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "result and coordinates alone: %.4g GB/s, %.3g %% of the %.4g GB/s that a copy "
                                     "reaches here\n",
                                     needed / t->seconds * 1e-9, 100 * needed / t->seconds / bandwidth,
                                     bandwidth * 1e-9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexProductView(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexTotals t;

  PetscFunctionBegin;
  if (!product->setUp) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTotalsGet(asm_, product, &t));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %.0f %s, element data %" PetscInt_FMT " entries%s\n",
                                   product->kind == PLEX_JACOBIAN ? "Jacobian" : "residual", t.Nt,
                                   product->kind == PLEX_JACOBIAN ? "non-zeros" : "entries", product->nd,
                                   product->symmetric ? " (symmetric half)" : ""));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PlexProductViewPlan(asm_, product, t.size, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "a launch: %.4g MB moved, %.4g Mflop; plan built in %.3g s, kernel %s in %.3g s\n",
                                   t.bytes * 1e-6, t.flops * 1e-6, t.plan,
                                   product->module && product->module->fromCache ? "found on disk" : "compiled",
                                   t.compile));
  PetscCall(PlexProductViewRates(asm_, product, &t, viewer));
  if (product->kind == PLEX_JACOBIAN && asm_->exchange && asm_ == asm_->owner)
    PetscCall(PlexExchangeView_Private(asm_->exchange, asm_->pattern->halo, PlexAssemblySendsEarly_Private(asm_),
                                       asm_->exchangeTime / PetscMax(1, product->launches), viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh and elements, of all processes */
static PetscErrorCode PlexElementsView(PlexAssembly asm_, PetscViewer viewer)
{
  PlexElements elements = asm_->elements;
  PlexTotals   t;
  char         each[64] = "";
  PetscInt     Nl       = elements->Nl;
  /* ordered: set-up has put the elements in a spatial order, as the mesh has none */
  PetscBool ordered = (PetscBool)(elements->place != NULL), permuted = elements->permuted;

  PetscFunctionBegin;
  PetscCall(PlexTotalsGet(asm_, &asm_->product[PLEX_RESIDUAL], &t));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &Nl, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)asm_)));
  if (t.size > 1)
    PetscCall(PetscSNPrintf(each, sizeof(each), " on %d processes, %.0f to %.0f each", t.size, t.least, t.most));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "elements: %.0f (%s)%s, %" PetscInt_FMT " dofs each, %" PetscInt_FMT
                                   " quadrature points, %s geometry; %" PetscInt_FMT
                                   " local dofs, %.0f coordinate nodes\n",
                                   t.elements, DMPolytopeTypes[elements->cellType], each, elements->ef, elements->Nq,
                                   elements->affine ? "affine" : "isoparametric", Nl, t.nodes));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &ordered, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &permuted, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  if (ordered && permuted)
    PetscCall(PetscViewerASCIIPrintf(viewer, "the mesh's cells come in no order: they are taken along a curve; the DM "
                                             "has its dofs in an order of their own (-dm_reorder_section)\n"));
  else if (ordered)
    PetscCall(PetscViewerASCIIPrintf(viewer, "the mesh's cells come in no order: they are taken along a curve, but "
                                             "rows of the matrix stay where the DM has them. With -dm_reorder_section "
                                             "-dm_reorder_section_type hilbert, or -dm_plex_reorder rcm, "
                                             "Jacobians take half to two thirds of the time\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types and why they are: in one line where there is one reason */
static PetscErrorCode PlexTypesView(PlexAssembly asm_, PetscViewer viewer)
{
  const char *const products[] = {"residual", "Jacobian"};
  PetscBool         one, same;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyIsOneType_Private(asm_, &one));
  PetscCall(PetscStrcmp(asm_->strategy[PLEX_RESIDUAL].why, asm_->strategy[PLEX_JACOBIAN].why, &same));
  /* what tuning says names them */
  if (same && (one || asm_->strategy[PLEX_JACOBIAN].tuned))
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s: %s\n", one ? "this type" : "these types",
                                     asm_->strategy[PLEX_JACOBIAN].why));
  else if (same)
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s for the residual, %s for the Jacobian: %s\n",
                                     asm_->strategy[PLEX_RESIDUAL].type, asm_->strategy[PLEX_JACOBIAN].type,
                                     asm_->strategy[PLEX_JACOBIAN].why));
  else
    for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k)
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s for the %s: %s\n", asm_->strategy[k].type, products[k],
                                       asm_->strategy[k].why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an inner assembly integrates, what it adds to, and its products */
static PetscErrorCode PlexInnerView(PlexAssembly inner, const char name[], PetscViewer viewer)
{
  PlexElements el         = inner->elements;
  const char  *label      = NULL;
  char         where[256] = "", types[256] = "host";
  PetscInt     n = el->Ne; /* of all processes, which all have this integral */
  PetscBool    one;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyIsOneType_Private(inner, &one));
  if (!one)
    PetscCall(PetscSNPrintf(types, sizeof(types), "%s for the residual, %s for the Jacobian",
                            inner->strategy[PLEX_RESIDUAL].type, inner->strategy[PLEX_JACOBIAN].type));
  else if (inner->backend->kernels) PetscCall(PetscStrncpy(types, inner->strategy[PLEX_JACOBIAN].type, sizeof(types)));
  if (el->integral.label) PetscCall(PetscObjectGetName((PetscObject)el->integral.label, &label));
  if (label)
    PetscCall(PetscSNPrintf(where, sizeof(where), " (label \"%s\", value %" PetscInt_FMT ")", label,
                            el->integral.value));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)inner->owner->dm)));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%s: %" PetscInt_FMT " %s%s, %" PetscInt_FMT " dofs each, %" PetscInt_FMT
                                   " quadrature points; %s\n",
                                   inner->integral.single ? "added to a matrix that is both" : name, n,
                                   el->cohesive          ? "cohesive cells"
                                   : el->integral.facets ? "facets"
                                                         : "cells",
                                   where, el->ef, el->Nq, types));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexProductView(inner, &inner->product[k], viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All integrals but the first */
static PetscErrorCode PlexIntegralsView(PlexAssembly asm_, PetscViewer viewer)
{
  PlexAssembly      first[] = {asm_,
                               asm_->preconditioner,
                               asm_->explicitPart,
                               asm_->action[PLEX_ACTION_APPLY],
                               asm_->action[PLEX_ACTION_TRANSPOSE],
                               asm_->action[PLEX_ACTION_DIAGONAL]};
  const char *const names[] = {"added",          "preconditioner's matrix",   "right-hand side",
                               "product with J", "product with J transposed", "diagonal of J"};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 6; ++k) {
    for (PlexAssembly inner = k ? first[k] : asm_->next; inner; inner = inner->next)
      PetscCall(PlexInnerView(inner, names[k], viewer));
  }
  for (PetscInt k = 0; PlexCohesiveSumsGet_Private(asm_, k); ++k) {
    for (PlexAssembly inner = PlexCohesiveSumsGet_Private(asm_, k); inner; inner = inner->next)
      PetscCall(PlexInnerView(inner, inner->integral.residual ? "added to residuals" : "added to matrices", viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyView - Shows what an assembly chose and why, what it moves and computes, and how fast

  Collective

  Input Parameters:
+ asm    - the assembly
- viewer - of type `PETSCVIEWERASCII`

  Options Database Key:
. -plex_assembly_view - at the end; the device time of each launch is then taken

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblyGetCounts()`
@*/
PetscErrorCode PlexAssemblyView(PlexAssembly asm_, PetscViewer viewer)
{
  PlexBackend       backend;
  PlexElements      elements = asm_->elements;
  PlexBackendLimits limits;
  PetscInt          refined, coarsened;
  const char       *name;
  PetscBool         isascii;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)asm_), &viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (((PetscObject)asm_)->type_name) PetscCall(PetscObjectPrintClassNamePrefixType((PetscObject)asm_, viewer));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "PlexAssembly Object:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PlexAssemblyGetBackend(asm_, &backend));
  PetscCall(PlexBackendGetLimits(backend, &limits));
  PetscCall(PetscViewerASCIIPrintf(viewer, "backend: %s (%s); %s precision\n", ((PetscObject)backend)->type_name,
                                   limits.name, PlexPrecisions[asm_->precision]));
  name = ((PetscObject)asm_->dm)->name;
  PetscCall(DMGetRefineLevel(asm_->dm, &refined));
  PetscCall(DMGetCoarsenLevel(asm_->dm, &coarsened));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "mesh: %s%srefined %" PetscInt_FMT " times, coarsened %" PetscInt_FMT " times\n",
                                   name ? name : "", name ? ", " : "", refined, coarsened));
  if (asm_->reason) PetscCall(PetscViewerASCIIPrintf(viewer, "left to PETSc: %s\n", asm_->reason));
  if (elements) {
    if (!asm_->typesOpen) PetscCall(PlexTypesView(asm_, viewer));
    PetscCall(PlexElementsView(asm_, viewer));
    if (elements->ea)
      PetscCall(PetscViewerASCIIPrintf(viewer,
                                       "auxiliary fields: %" PetscInt_FMT ", %" PetscInt_FMT " dofs an element\n",
                                       elements->NfAux, elements->ea));
    for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexProductView(asm_, &asm_->product[k], viewer));
    PetscCall(PlexIntegralsView(asm_, viewer));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "computed here: %" PetscInt_FMT " residuals, %" PetscInt_FMT
                                   " Jacobians; left to PETSc: %" PetscInt_FMT " and %" PetscInt_FMT "\n",
                                   asm_->counts[0][0], asm_->counts[1][0], asm_->counts[0][1], asm_->counts[1][1]));
  if (asm_->interposed[0] || asm_->interposed[1])
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "of these, where PETSc's functions were called by name (interposition): "
                                     "%" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians\n",
                                     asm_->interposed[0], asm_->interposed[1]));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "essential values inserted here: %" PetscInt_FMT " times, evaluated %" PetscInt_FMT
                                   " times; left to PETSc: %" PetscInt_FMT "\n",
                                   asm_->insertions[0],
                                   asm_->evaluations + (asm_->boundary ? asm_->boundary->evaluations : 0),
                                   asm_->insertions[1]));
  PetscCall(PlexProjectionsView_Private(asm_->dm, viewer));
  if (asm_->essential) PetscCall(PlexEssentialView_Private(asm_, viewer));
  PetscCall(PlexForeignView_Private(viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyViewFromOptions - Views an assembly as an option says

  Collective

  Input Parameters:
+ asm  - the assembly
. obj  - an object whose prefix is used, or `NULL`
- name - the option, such as "-plex_assembly_view"

  Level: intermediate

  Note:
  The option counts with and without the prefix; the one with it wins.

.seealso: `PlexAssembly`, `PlexAssemblyView()`
@*/
PetscErrorCode PlexAssemblyViewFromOptions(PlexAssembly asm_, PetscObject obj, const char name[])
{
  const char       *prefix;
  PetscViewer       viewer;
  PetscViewerFormat format;
  PetscBool         flg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexOptionsFindPrefix_Private(obj ? obj->prefix : ((PetscObject)asm_)->prefix, name, &prefix));
  PetscCall(PetscOptionsCreateViewer(PetscObjectComm((PetscObject)asm_), ((PetscObject)asm_)->options, prefix, name,
                                     &viewer, &format, &flg));
  if (!flg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(PlexAssemblyView(asm_, viewer));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Assemblies of DMs that the program does not destroy are viewed when PETSc is finalized */

static PlexAssembly PlexLive = NULL; /* list of those that DMs own */

static PetscErrorCode PlexViewLive(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  for (PlexAssembly asm_ = PlexLive; asm_; asm_ = asm_->live) {
    if (asm_->timing) PetscCall(PlexAssemblyViewFromOptions(asm_, NULL, "-plex_assembly_view"));
    asm_->timing = PETSC_FALSE; /* once */
  }
  PlexLive = NULL;
  PetscCall(PlexForeignEnd_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLiveInitialize_Private(void)
{
  PetscContainer container;

  PetscFunctionBegin;
  PlexLive = NULL;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, &PlexLive));
  PetscCall(PetscContainerSetCtxDestroy(container, PlexViewLive));
  PetscCall(PetscObjectRegisterDestroy((PetscObject)container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLiveAdd_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  asm_->live = PlexLive;
  PlexLive   = asm_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLiveRemove_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  for (PlexAssembly *next = &PlexLive; *next; next = &(*next)->live) {
    if (*next != asm_) continue;
    *next = asm_->live;
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
