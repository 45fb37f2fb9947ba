/*
  The plan of local_row by symmetry classes. A row of element data of dof i is that of the first dof of i's class under
  the rotations of the cell, of the element read in another order of its nodes.
*/
#include "symmetryimpl.h"

#define PLEX_SYMMETRY_SHARED (24 << 10) /* bytes of nodal data of a block, most */

/* -DPLEX_<name>=<numbers>, commas between */
static PetscErrorCode PlexSymmetryDefine(const char name[], PetscInt n, const PetscInt numbers[], size_t size,
                                         char text[])
{
  char number[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, size, "PLEX_%s=", name));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "%s%" PetscInt_FMT, k ? "," : "", numbers[k]));
    PetscCall(PetscStrlcat(text, number, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymmetryCompile(PlexProduct *product, const PlexSymmetryBuild *s, const PlexSymmetry *o,
                                          size_t nodal)
{
  PlexAssembly            asm_    = s->asm_;
  const PlexDofClasses   *classes = &s->classes;
  const PlexRecord *const r       = &s->record;
  const PetscInt          bytes = (PetscInt)nodal, none = 0, head = PLEX_TASK, flag = r->flag.n ? r->flag.at[0] : -1,
                          factor   = product->tensor && asm_->elements->Nv == asm_->elements->dim + 1 ? 2 : 1,
                          resident = PetscMax(1, PetscMin(PlexSymmetryResident(s, product->block),
                                                          (PetscInt)(s->shared / (o->shared + PLEX_SYMMETRY_BLOCK))));
  PetscInt                fixed[PLEX_CLASSES_MOST], parts = 1;
  const struct {
    const char     *name;
    PetscInt        n;
    const PetscInt *numbers;
  } lists[] = {
    {"CLASSES", classes->n, classes->first},
    {"CLASSES_FIXED", classes->n, fixed},
    {"PARTS", 1, &parts},
    {"COORDINATE_FACTOR", 1, &factor},
    {"HEAD", 1, &head},
    {"FLAG_AT", 1, &flag},
    {"WORDS", 1, &r->words},
    {"CHUNK", 1, &s->chunk},
    {"RESIDENT", 1, &resident},
    {"SUMS", 1, &bytes},
    {"SUMS_WARP", 1, &o->sums},
    {"NODE_BITS", 1, &r->nodes.bits},
    {"NODES_AT", r->nodes.n, r->nodes.at},
    {"DOF_BITS", 1, &r->dofs.bits},
    {"DOFS_AT", PetscMax(1, r->dofs.n), r->dofs.n ? r->dofs.at : &none},
    {"PLACE_BITS", 1, &r->places.bits},
    {"PLACES_AT", r->places.n, r->places.at}
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(lists)][2048];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(lists)];

  PetscFunctionBegin;
  for (PetscInt l = 0; l < asm_->elements->Nl; ++l) parts = PetscMax(parts, s->parts[l]);
  for (PetscInt k = 0; k < classes->n; ++k) fixed[k] = (PetscInt)classes->fixed[k];
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) {
    PetscCall(PlexSymmetryDefine(lists[k].name, lists[k].n, lists[k].numbers, sizeof(text[k]), text[k]));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_symmetry.cu", PETSC_STATIC_ARRAY_LENGTH(lists), defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read */
static PetscErrorCode PlexSymmetryUpload(PlexSymmetryBuild *s, PlexSymmetryBuffers *b, PlexSymmetryArgs *d)
{
  PlexAssembly   asm_ = s->asm_;
  const PlexCut *cut  = &s->cut;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(asm_->backend, 16 * (size_t)b->placeStart.entries[cut->nblocks], (void **)&d->places));
  PetscCall(PlexCutUpload_Private(asm_, cut, 1, &d->nodeStart, &d->nodes));
  PetscCall(PlexCutUpload_Private(asm_, cut, 2, &d->dofStart, &d->dofs));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->placeStart, &d->placeStart));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->taskStart, &d->taskStart));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->tasks, &d->tasks));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b->records, &d->records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymmetryBegin(PlexAssembly asm_, PlexProduct *product, PlexSymmetryBuild *s)
{
  PlexElements      el     = asm_->elements;
  PetscInt          around = 0;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  product->turned = PETSC_TRUE;
  product->team   = 1;
  product->rows   = 1;
  product->work   = 0;
  product->block  = asm_->blockSize ? asm_->blockSize : 128;
  if (product->symmetric) { /* a row is computed whole */
    product->symmetric = PETSC_FALSE;
    product->nd        = el->ef * el->ef;
  }
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  s->shared = limits.sharedPerProcessor;
  s->chunk  = PlexWarpChunk(asm_, product);
  PetscCall(PlexNodeOrderCreate_Private(asm_, &s->order));
  for (PetscInt l = 0; l < el->Nl; ++l) around = PetscMax(around, PlexSymmetryAround(s, l));
  PetscCall(PetscMalloc4(el->Nx, &s->node, el->Nl, &s->dof, around, &s->element, around, &s->rotation));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymmetryEnd(PlexSymmetryBuild *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(s->parts, s->lanes));
  PetscCall(PetscFree4(s->node, s->dof, s->element, s->rotation));
  PetscCall(PlexCutDestroy_Private(&s->cut));
  PetscCall(PlexNodeOrderDestroy_Private(&s->order));
  PetscCall(PlexDofClassesDestroy_Private(&s->classes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The layout of records, from the numbers of a block and the lengths of rows */
static PetscErrorCode PlexSymmetryLayOut(PlexSymmetryBuild *s, size_t *nodal)
{
  const PetscInt nodes = PlexCutMost(&s->cut, 1), dofs = s->solution ? PlexCutMost(&s->cut, 2) : 0;
  PetscInt       longest = 0;

  PetscFunctionBegin;
  PetscCheck(nodes <= 65535 && dofs <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The elements around one mesh node have %" PetscInt_FMT " nodes and %" PetscInt_FMT
             " dofs, and 65535 can be numbered: use -plex_assembly_type %s",
             nodes, dofs, PLEXASSEMBLYELEMENTATOMIC);
  for (PetscInt l = 0; l < s->asm_->elements->Nl; ++l) longest = PetscMax(longest, PlexSymmetryLength(s, l));
  PetscCheck(longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %" PetscInt_FMT
             " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s",
             longest, PLEXASSEMBLYELEMENTATOMIC);
  PlexRecordLayOut_Private(s->asm_->elements, s->solution, nodes - 1, dofs - 1, longest, &s->record);
  *nodal = PlexSymmetryNodal_Private(s, nodes, dofs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexSymmetry *o)
{
  PlexSymmetryBuild   s = {.asm_ = asm_, .solution = product->tensor ? PETSC_FALSE : PETSC_TRUE};
  PlexSymmetryBuffers buffers;
  PlexBackendLimits   limits;
  size_t              nodal;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(PetscMemzero(&buffers, sizeof(buffers)));
  *serves = PlexSymmetryServes_Private(asm_, product);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDofClassesCreate_Private(asm_, product, &s.classes));
  *serves = (PetscBool)(s.classes.n >= 1 && s.classes.n <= PLEX_CLASSES_MOST);
  if (!*serves) {
    PetscCall(PlexDofClassesDestroy_Private(&s.classes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexSymmetryBegin(asm_, product, &s));
  PetscCall(PlexSymmetryCut_Private(&s, product->block,
                                    asm_->owner->sharedMemory ? (size_t)asm_->owner->sharedMemory
                                                              : PLEX_SYMMETRY_SHARED));
  PetscCall(PlexSymmetryLayOut(&s, &nodal));
  PetscCall(PlexSymmetryFill_Private(&s, o, &buffers));
  o->shared   = nodal + (sizeof(PetscScalar) * (size_t)o->sums + PLEX_SYMMETRY_WAYS) * (size_t)(product->block / 32);
  o->nblocks  = s.cut.nblocks;
  o->nclasses = s.classes.n;
  o->words    = s.record.words;
  o->groups   = buffers.records.n / (size_t)(32 * o->words);
  o->nwarps   = (PetscInt)(buffers.tasks.n / (size_t)PLEX_TASK);
  o->nodes    = (double)s.cut.list[1].start[o->nblocks];
  o->solution = s.solution;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has "
             "%zu: use -plex_assembly_type %s",
             o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product),
                                          o->contributions, 0);
  product->bytes = 128.0 * (double)o->groups * o->words + 4.0 * PLEX_TASK * o->nwarps +
                   8.0 * asm_->elements->cdim * o->nodes +
                   12.0 * (s.solution ? (double)s.cut.list[2].start[o->nblocks] : 0.0) + 8.0 * product->Nt;
  PetscCall(PlexSymmetryUpload(&s, &buffers, &o->device));
  PetscCall(PlexSymmetryCompile(product, &s, o, nodal));
  PetscCall(PlexModuleGetKernel(product->module, "plex_gather", &o->gather));
  PetscCall(PlexSymmetryEnd(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are gathered again when the mesh has moved, the solution each time */
PetscErrorCode PlexSymmetryLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexSymmetry *o, PlexKernel kernel,
                                          const void *args)
{
  int             solution;
  const PetscBool moved      = (PetscBool)(!o->gathered || o->coordinateState != asm_->coordinateState);
  void           *gather[]   = {(void *)args, &o->device, &solution};
  void           *assemble[] = {(void *)args, &o->device};

  PetscFunctionBegin;
  for (solution = 0; solution < 2; ++solution)
    if (solution ? o->solution : moved) PetscCall(PlexKernelLaunch(o->gather, o->nblocks, product->block, 0, gather));
  o->gathered        = PETSC_TRUE;
  o->coordinateState = asm_->coordinateState;
  PetscCall(PlexKernelLaunch(kernel, o->nblocks, product->block, o->shared, assemble));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryView_Private(const PlexSymmetry *o, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "elements turned: %" PetscInt_FMT " kinds of rows; blocks: %" PetscInt_FMT
                                   ", of %.4g rows and %.4g coordinate nodes, %zu bytes of shared memory\n",
                                   o->nclasses, o->nblocks, o->rows / o->nblocks, o->nodes / o->nblocks, o->shared));
  PetscCall(PetscViewerASCIIPrintf(viewer, "records: %" PetscInt_FMT " bytes, %.3g %% padding\n", 4 * o->words,
                                   100 * (1.0 - o->contributions / (32.0 * (double)o->groups))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymmetryDestroy_Private(PlexAssembly asm_, PlexSymmetry *o)
{
  PlexSymmetryArgs *d       = &o->device;
  void            **lists[] = {(void **)&d->nodeStart, (void **)&d->nodes,      (void **)&d->dofStart,
                               (void **)&d->dofs,      (void **)&d->placeStart, (void **)&d->places,
                               (void **)&d->taskStart, (void **)&d->tasks,      (void **)&d->records};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) PetscCall(PlexBackendFree(asm_->backend, lists[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
