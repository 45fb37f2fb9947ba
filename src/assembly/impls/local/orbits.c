/*
  The plan of local_row where elements can be turned. A row of element data of dof i is that of the first dof of i's
  orbit under the rotations of the cell, of the element read in another order of its nodes. Blocks are runs of the mesh
  nodes along a Hilbert curve; of each the rows are sorted by the orbits of their contributions and the number of these,
  and put into warps with the records that they sum, orbit by orbit.
*/
#include "orbitsimpl.h"

/* dofs an element beyond which mesh nodes are sorted by the kinds of their rows */
#define PLEX_ORBITS_SORTED 24
#define PLEX_ORBITS_SHARED (24 << 10) /* bytes of nodal data of a block, most */

#define PLEX_ORBITS_AT 20 /* bits of a lane's number in its block */

/* By what a lane is sorted: orbits, then most threads a row, most contributions and longest row first, then along the
   curve */
static uint64_t PlexOrbitsKey(const PlexOrbitsLane *lane)
{
  uint64_t  key     = (uint64_t)lane->orbits; /* PLEX_ORBITS_MOST bits */
  const int ranks[] = {0, 1, 1, 2};           /* of 1, 2 or 4 threads */

  key = key << 2 | (uint64_t)(2 - ranks[lane->parts - 1]);
  key = key << 13 | (uint64_t)(8191 - PetscMin(8191, lane->count));
  key = key << 16 | (uint64_t)(65535 - lane->length);
  return key << PLEX_ORBITS_AT | (uint64_t)lane->at;
}

/* lanes[n], and work[n], into sorted[n] */
static void PlexOrbitsSortLanes(PetscInt n, const PlexOrbitsLane lanes[], uint64_t keys[], uint64_t work[],
                                PlexOrbitsLane sorted[])
{
  for (PetscInt k = 0; k < n; ++k) keys[k] = PlexOrbitsKey(&lanes[k]);
  PlexSortKeys(n, PLEX_ORBITS_AT, keys, work);
  for (PetscInt k = 0; k < n; ++k) sorted[k] = lanes[keys[k] & ((1u << PLEX_ORBITS_AT) - 1)];
}

/* Columns of a warp's sums, as a power of two: one a row, and so many that the column is the bank where there are 8 or
   more */
static PetscInt PlexOrbitsColumns(PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt rows = 0;

  for (PetscInt k = 0; k < n; ++k) rows += lanes[k].part == 0;
  return rows <= 1 ? 0 : rows <= 2 ? 1 : rows <= 4 ? 2 : rows <= 8 ? 3 : rows <= 16 ? 4 : 5;
}

/* Numbers that a warp of n lanes sums in */
static PetscInt PlexOrbitsSums(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt longest = 0;

  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, lanes[k].length);
  return PlexOrbitsColumn(w, longest) << PlexOrbitsColumns(n, lanes);
}

/* A warp of n lanes whose contributions are of the same orbits */
static PetscErrorCode PlexOrbitsWarp(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[], PlexOrbitsBuffers *b)
{
  const size_t   first   = b->records.n / (size_t)(32 * w->record.words);
  const PetscInt columns = PlexOrbitsColumns(n, lanes);
  PetscInt       longest = 0, column = -1, parts = 1, segments = 0;
  int           *task;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) longest = PetscMax(longest, lanes[k].length);
  PetscCall(PlexPackBufferExtend(&b->tasks, PLEX_TASK, &task));
  for (PetscInt k = 0; k < n; ++k) {
    if (lanes[k].part == 0) {
      ++column;
      task[32 + column] = (int)w->asm_->pattern->i[w->asm_->pattern->row[lanes[k].l]];
      task[64 + column] = (int)((unsigned)lanes[k].length << 16);
    }
    parts = PetscMax(parts, lanes[k].parts);
  }
  column = -1;
  for (PetscInt k = 0; k < 32; ++k) {
    if (k < n && lanes[k].part == 0) ++column;
    task[64 + k] |= k < n ? (int)column << 8 | lanes[k].part : 0xff; /* no part, and nothing added */
  }
  for (PetscInt o = 0; o < w->turns.n; ++o) {
    if (lanes[0].orbits & 1 << o) PetscCall(PlexOrbitsSegment_Private(w, o, n, lanes, longest, b, &task[8 + segments]));
    segments += task[8 + segments] > 0;
  }
  task[0] = (int)first;
  task[1] = (int)segments;
  task[2] = (int)(b->records.n / (size_t)(32 * w->record.words) - first);
  task[3] = (int)longest;
  task[4] = (int)columns;
  task[5] = (int)parts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lanes for a warp: of the same orbits, no row cut in two, and half as many, or fewer, where their sums take more than
   others' */
static PetscInt PlexOrbitsWarpLanes(PlexOrbitsWalk *w, PetscInt n, const PlexOrbitsLane lanes[])
{
  PetscInt m = lanes[0].parts;

  for (PetscInt most = 32; most > 0; most /= 2) {
    m = lanes[0].parts;
    while (m < n && lanes[m].orbits == lanes[0].orbits && m + lanes[m].parts <= most) m += lanes[m].parts;
    if (PlexOrbitsSums(w, m, lanes) <= w->sums) break;
  }
  return m;
}

/* Brings nearer what the records of a dof's row are made of, which is far apart: its columns, and the dofs of the
   elements around it */
static void PlexOrbitsFetchRow(PlexOrbitsWalk *w, PetscInt l)
{
  PlexElements    el      = w->asm_->elements;
  PlexPattern     pattern = w->asm_->pattern;
  const PetscInt *columns = &pattern->j[pattern->i[pattern->row[l]]],
                 length   = pattern->i[pattern->row[l] + 1] - pattern->i[pattern->row[l]];

  for (PetscInt k = 0; k < length; k += 64 / (PetscInt)sizeof(*columns)) PlexFetch(&columns[k]);
  PlexFetch(&columns[length - 1]);
  for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t)
    PlexFetch(&el->dofs[(size_t)w->touching.items[t] * el->ef]);
}

/* A block's numbers of the things that items[] lists for it, from range[0] to range[1] */
static void PlexOrbitsNumber(const int range[], const int items[], int number[])
{
  for (PetscInt k = range[0]; k < range[1]; ++k) number[items[k]] = (int)k - range[0];
}

/* Lanes of a block, in the order of mesh nodes and in that of warps */
typedef struct {
  PlexOrbitsLane *lanes, *sorted;
  uint64_t       *keys, *work;
} PlexOrbitsLanes;

/* Appends block b */
static PetscErrorCode PlexOrbitsBlock(PlexOrbitsWalk *w, PetscInt b, PlexOrbitsLanes *all, PlexOrbits *o,
                                      PlexOrbitsBuffers *out)
{
  PlexElements    el    = w->asm_->elements;
  PlexOrbitsLane *lanes = all->lanes;
  PetscInt        n     = 0;
  int            *to;

  PetscFunctionBegin;
  PlexOrbitsNumber(&out->nodeStart.entries[b], out->nodes.entries, w->node);
  if (w->solution) PlexOrbitsNumber(&out->dofStart.entries[b], out->dofs.entries, w->dof);
  o->nodes += out->nodeStart.entries[b + 1] - out->nodeStart.entries[b];
  for (PetscInt k = w->start[b]; k < w->start[b + 1]; ++k) {
    PlexOrbitsFetch_Private(w, k);
    for (PetscInt d = w->dofsOf.start[w->order[k]]; d < w->dofsOf.start[w->order[k] + 1]; ++d) {
      const PetscInt l      = w->dofsOf.items[d];
      int            orbits = 0;
      PetscInt       count, parts;

      if (!PlexOrbitsLength(w, l)) continue;
      PlexOrbitsFetchRow(w, l);
      if (w->turns.n == 1) orbits = w->touching.start[l] < w->touching.start[l + 1];
      else
        for (PetscInt t = w->touching.start[l]; t < w->touching.start[l + 1]; ++t)
          orbits |= 1 << w->turns.orbit[PlexOrbitsFind(el, w->touching.items[t], l)];
      count = w->touching.start[l + 1] - w->touching.start[l];
      parts = PlexOrbitsParts(w, l);
      for (PetscInt q = 0; q < parts; ++q, ++n)
        lanes[n] = (PlexOrbitsLane){.l      = (int)l,
                                    .orbits = orbits,
                                    .count  = (int)((count + parts - 1) / parts),
                                    .length = (int)PlexOrbitsLength(w, l),
                                    .part   = (int)q,
                                    .parts  = (int)parts,
                                    .at     = (int)n};
      o->contributions += (double)count;
      o->rows += 1.;
    }
  }
  PlexOrbitsSortLanes(n, lanes, all->keys, all->work, all->sorted);
  lanes = all->sorted;
  PetscCall(PlexPackBufferExtend(&out->taskStart, 1, &to));
  *to = (int)(out->tasks.n / PLEX_TASK);
  for (PetscInt k = 0, m; k < n; k += m) {
    m       = PlexOrbitsWarpLanes(w, n - k, &lanes[k]);
    o->sums = PetscMax(o->sums, PlexOrbitsSums(w, m, &lanes[k]));
    PetscCall(PlexOrbitsWarp(w, m, &lanes[k], out));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* -DPLEX_<name>=<numbers>, commas between */
static PetscErrorCode PlexOrbitsDefine(const char name[], PetscInt n, const PetscInt numbers[], size_t size,
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

static PetscErrorCode PlexOrbitsCompile(PlexAssembly asm_, PlexProduct *product, PlexOrbitsWalk *w, PlexOrbits *o,
                                        size_t nodal)
{
  const PlexRecord *r     = &w->record;
  const PetscInt    bytes = (PetscInt)nodal, none = 0,
                    resident = PetscMax(1, PetscMin(PlexOrbitsResident(w, product->block),
                                                    (PetscInt)(w->shared / (o->shared + PLEX_ORBITS_BLOCK))));
  PetscInt          fixed[PLEX_ORBITS_MOST];
  const PetscInt    head = PLEX_TASK, flag = r->flag.n ? r->flag.at[0] : -1;
  const PetscInt    factor = product->tensor && asm_->elements->Nv == asm_->elements->dim + 1 ? 2 : 1;
  PetscInt          parts  = 1;
  const struct {
    const char     *name;
    PetscInt        n;
    const PetscInt *numbers;
  } lists[] = {
    {"ORBITS", w->turns.n, w->turns.first},
    {"ORBITS_FIXED", w->turns.n, fixed},
    {"PARTS", 1, &parts},
    {"COORDINATE_FACTOR", 1, &factor},
    {"HEAD", 1, &head},
    {"FLAG_AT", 1, &flag},
    {"WORDS", 1, &r->words},
    {"CHUNK", 1, &w->chunk},
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
  for (PetscInt l = 0; l < asm_->elements->Nl; ++l) parts = PetscMax(parts, PlexOrbitsParts(w, l));
  for (PetscInt k = 0; k < w->turns.n; ++k) fixed[k] = (PetscInt)w->turns.fixed[k];
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) {
    PetscCall(PlexOrbitsDefine(lists[k].name, lists[k].n, lists[k].numbers, sizeof(text[k]), text[k]));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_orbits.cu", PETSC_STATIC_ARRAY_LENGTH(lists), defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFill(PlexOrbitsWalk *w, PlexOrbits *o, PlexOrbitsBuffers *b)
{
  const PetscInt  n = w->mostLanes;
  PlexOrbitsLanes all;
  const int      *node, *dof;
  int            *to;

  PetscFunctionBegin;
  PetscCheck(n < 1 << PLEX_ORBITS_AT, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A block has %" PetscInt_FMT " rows, and %d can be sorted: use -plex_assembly_type %s", n,
             1 << PLEX_ORBITS_AT, PLEXASSEMBLYELEMENTATOMIC);
  PetscCall(PetscMalloc4(n, &all.lanes, n, &all.sorted, n, &all.keys, n, &all.work));
  PetscCall(PetscCalloc1(1 << w->record.places.bits, &w->seen));
  for (PetscInt k = 0; k < w->nblocks; ++k) PetscCall(PlexOrbitsBlock(w, k, &all, o, b));
  PetscCall(PetscFree4(all.lanes, all.sorted, all.keys, all.work));
  PetscCall(PetscFree(w->seen));
  PetscCall(PlexPackBufferExtend(&b->taskStart, 1, &to));
  *to = (int)(b->tasks.n / PLEX_TASK);
  PetscCall(PlexPackBufferExtend(&b->placeStart, (size_t)w->nblocks + 1, &to)); /* zeroed */
  node = b->nodeStart.entries;
  dof  = b->dofStart.entries;
  for (PetscInt k = 0; k < w->nblocks; ++k)
    to[k + 1] = to[k] + (int)(PlexOrbitsNodal_Private(w, node[k + 1] - node[k], dof[k + 1] - dof[k]) / 16);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexOrbitsFree(PlexOrbitsWalk *w)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(w->node, w->nodeOwner, w->dof, w->dofOwner));
  PetscCall(PetscFree(w->order));
  PetscCall(PetscFree(w->start));
  PetscCall(PlexListsDestroy(&w->dofsOf));
  PetscCall(PlexListsDestroy(&w->touching));
  PetscCall(PetscFree2(w->run.element, w->run.turn));
  PetscCall(PlexTurnsDestroy_Private(&w->turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read */
static PetscErrorCode PlexOrbitsUpload(PlexAssembly asm_, PlexOrbitsBuffers *b, PlexOrbitsArgs *d)
{
  const struct {
    PlexPackBuffer *buffer;
    void           *to;
  } lists[] = {
    {&b->nodeStart,  &d->nodeStart },
    {&b->nodes,      &d->nodes     },
    {&b->dofStart,   &d->dofStart  },
    {&b->dofs,       &d->dofs      },
    {&b->placeStart, &d->placeStart},
    {&b->taskStart,  &d->taskStart },
    {&b->tasks,      &d->tasks     },
    {&b->records,    &d->records   }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k)
    PetscCall(PlexBlocksUploadBuffer_Private(asm_, lists[k].buffer, lists[k].to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexOrbits *o)
{
  PlexElements      el = asm_->elements;
  PlexOrbitsWalk    w;
  PlexOrbitsBuffers b;
  PlexBackendLimits limits;
  PetscInt          longest = 0, numbered = el->Nv > 8 ? 65535 : el->dim == 2 ? 256 : 512;
  size_t            nodal, budget;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  *serves = PlexOrbitsServe_Private(asm_, product);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(&w, sizeof(w)));
  w.asm_     = asm_;
  w.solution = product->tensor ? PETSC_FALSE : PETSC_TRUE;
  w.chunk    = product->Nt <= 10 * asm_->pattern->m ? 4 : 8;
  PetscCall(PlexTurnsCreate_Private(asm_, product, &w.turns));
  *serves = (PetscBool)(w.turns.n >= 1 && w.turns.n <= PLEX_ORBITS_MOST);
  if (!*serves) {
    PetscCall(PlexOrbitsFree(&w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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
  budget   = asm_->owner->sharedMemory ? (size_t)asm_->owner->sharedMemory : PLEX_ORBITS_SHARED;
  w.shared = limits.sharedPerProcessor;
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &w.touching));
  PetscCall(PetscMalloc4(el->Nx, &w.node, el->Nx, &w.nodeOwner, el->Nl, &w.dof, el->Nl, &w.dofOwner));
  for (PetscInt l = 0; l < el->Nl; ++l) longest = PetscMax(longest, w.touching.start[l + 1] - w.touching.start[l]);
  PetscCall(PetscMalloc2(longest, &w.run.element, longest, &w.run.turn));
  longest = 0;
  PetscCall(PlexOrbitsUsual_Private(&w));
  PetscCall(PlexOrbitsOrder_Private(&w));
  w.sorted = (PetscBool)(w.turns.n > 1 && el->ef > PLEX_ORBITS_SORTED);
  if (w.sorted) PetscCall(PlexOrbitsSort_Private(&w));
  PetscCall(PetscMemzero(&b, sizeof(b)));
  PetscCall(PlexOrbitsCut_Private(&w, PlexOrbitsLanes_Private(&w, product->block, &limits), numbered, budget, &b));
  PetscCheck(w.mostNodes <= 65535 && w.mostDofs <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The elements around one mesh node have %" PetscInt_FMT " nodes and %" PetscInt_FMT
             " dofs, and 65535 can be numbered: use -plex_assembly_type %s",
             w.mostNodes, w.mostDofs, PLEXASSEMBLYELEMENTATOMIC);
  for (PetscInt l = 0; l < el->Nl; ++l) longest = PetscMax(longest, PlexOrbitsLength(&w, l));
  PetscCheck(longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %" PetscInt_FMT
             " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s",
             longest, PLEXASSEMBLYELEMENTATOMIC);
  PlexRecordLayOut_Private(el, w.solution, w.mostNodes - 1, w.mostDofs - 1, longest, &w.record);
  PetscCall(PlexOrbitsFill(&w, o, &b));
  nodal       = PlexOrbitsNodal_Private(&w, w.mostNodes, w.mostDofs);
  o->shared   = nodal + (sizeof(PetscScalar) * (size_t)o->sums + PLEX_ORBITS_WAYS) * (size_t)(product->block / 32);
  o->nblocks  = w.nblocks;
  o->norbits  = w.turns.n;
  o->words    = w.record.words;
  o->groups   = b.records.n / (size_t)(32 * o->words);
  o->solution = w.solution;
  PetscCheck(o->shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Nodal data and sums of the rows around one mesh node take %zu bytes of shared memory, and a block has "
             "%zu: use -plex_assembly_type %s",
             o->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  o->nwarps      = (PetscInt)(b.tasks.n / (size_t)PLEX_TASK);
  product->flops = PlexAssemblyCountFlops(asm_, product, o->contributions * PlexAssemblyPoints(asm_, product),
                                          o->contributions, 0);
  product->bytes = 128.0 * (double)o->groups * o->words + 4.0 * PLEX_TASK * o->nwarps + 8.0 * el->cdim * o->nodes +
                   12.0 * (double)b.dofs.n + 8.0 * product->Nt;
  PetscCall(PlexBackendMalloc(asm_->backend, 16 * (size_t)b.placeStart.entries[w.nblocks], (void **)&o->device.places));
  PetscCall(PlexOrbitsUpload(asm_, &b, &o->device));
  PetscCall(PlexOrbitsCompile(asm_, product, &w, o, nodal));
  PetscCall(PlexModuleGetKernel(product->module, "plex_gather", &o->gather));
  PetscCall(PlexOrbitsFree(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates are gathered again when the mesh has moved, the solution each time */
PetscErrorCode PlexOrbitsLaunch_Private(PlexAssembly asm_, PlexProduct *product, PlexOrbits *o, PlexKernel kernel,
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

PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly asm_, PlexOrbits *o)
{
  PlexOrbitsArgs *d       = &o->device;
  void          **lists[] = {(void **)&d->nodeStart, (void **)&d->nodes,      (void **)&d->dofStart,
                             (void **)&d->dofs,      (void **)&d->placeStart, (void **)&d->places,
                             (void **)&d->taskStart, (void **)&d->tasks,      (void **)&d->records};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lists); ++k) PetscCall(PlexBackendFree(asm_->backend, lists[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
