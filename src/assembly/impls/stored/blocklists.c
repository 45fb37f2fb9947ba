/*
  What blocks of elements (blocks.c) have of the mesh: an order of the elements, each block's dofs in slices of 32, where in
  its elements' vectors the terms of each are, and where each element's dofs are among them.
*/
#include "plan.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h"

/* Mesh nodes of all blocks, each once a block */
static PetscErrorCode PlexBlocksCountNodes(PlexElements el, PetscInt elements, const int order[], double *count)
{
  PetscInt *last;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Nx, &last));
  for (PetscInt n = 0; n < el->Nx; ++n) last[n] = -1;
  *count = 0.;
  for (PetscInt k = 0; k < el->Ne; ++k) {
    const int *vertex = &el->vertices[(size_t)(order ? order[k] : k) * el->Nv];

    for (PetscInt m = 0; m < el->Nv; ++m) {
      if (last[vertex[m]] == k / elements) continue;
      last[vertex[m]] = k / elements;
      ++*count;
    }
  }
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh's order, or that along a curve, whichever has fewer nodes in blocks. A v and A^T v have the same one, that of
   their coefficients: a curve of another day would go by other coordinates */
PetscErrorCode PlexStoredBlocksOrder_Private(PlexElements el, PlexStoredData *data, PlexStoredBlocks *b)
{
  double count[2];

  PetscFunctionBegin;
  if (!data->ordered) {
    PetscCall(PetscMalloc1(el->Ne, &data->order));
    PetscCall(PlexElementsCurveOrder(el, data->order));
    PetscCall(PlexBlocksCountNodes(el, b->elements, NULL, &count[0]));
    PetscCall(PlexBlocksCountNodes(el, b->elements, data->order, &count[1]));
    if (count[0] <= count[1]) PetscCall(PetscFree(data->order));
  }
  data->ordered = PETSC_TRUE;
  b->order      = data->order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Lists */

typedef struct {
  const PlexStoredBlocks *b;
  PlexElements            el;
  int                    *blocksOf, *last;        /* [Nl] blocks of a dof; the last one, */
  int                    *row, *count, *filled;   /* [Nl] its first row there, terms of a row, terms so far */
  int                    *place;                  /* [ef] of an element's dof in its vector */
  uint64_t               *keys;                   /* [elements ef] dofs of a block, sorted */
  int                    *starts, *slices, *dofs; /* as PlexStoredArgs has them, dofs: rows in local vectors */
  unsigned short         *lists;
  unsigned               *words;
  PetscInt                nslices, mostSlices, terms, mostTerms, room, most;
  PetscInt                least; /* terms of a dof that lanes share */
  PetscInt                banks; /* numbers that shared memory gives at once */
} PlexBlockLists;

static int PlexBlocksCompare(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return x < y ? -1 : x > y;
}

static const int *PlexBlocksDofs(const PlexBlockLists *l, PetscInt k)
{
  return &l->el->dofs[(size_t)(l->b->order ? l->b->order[k] : k) * l->el->ef];
}

/* In how many blocks each dof is; *all: of all blocks, *shared: those in more than one, each once a block */
static void PlexBlocksCountDofs(PlexBlockLists *l, double *all, double *shared)
{
  *all = *shared = 0.;
  for (PetscInt d = 0; d < l->el->Nl; ++d) l->last[d] = -1;
  for (PetscInt k = 0; k < l->el->Ne; ++k) {
    const int *dofs = PlexBlocksDofs(l, k), block = (int)(k / l->b->elements);

    for (PetscInt i = 0; i < l->el->ef; ++i) {
      if (l->last[dofs[i]] == block) continue;
      l->last[dofs[i]] = block;
      ++l->blocksOf[dofs[i]];
    }
  }
  for (PetscInt d = 0; d < l->el->Nl; ++d) {
    *all += l->blocksOf[d];
    if (l->blocksOf[d] > 1) *shared += l->blocksOf[d];
    l->last[d] = -1;
  }
}

/* Lanes that share a dof with so many terms, and terms of each: of a dof of a vertex where most are of edges and faces,
   whose slice all others would wait for */
static PetscInt PlexBlocksLanes(const PlexBlockLists *l, int terms)
{
  return (terms + l->least - 1) / l->least;
}
static PetscInt PlexBlocksTerms(const PlexBlockLists *l, int terms)
{
  const PetscInt lanes = PlexBlocksLanes(l, terms);

  return (terms + lanes - 1) / lanes;
}

/* Keys of a block's dofs, by which they are sorted: whether sums are added atomically, as other blocks or lanes have the
   dof, terms, the dof. l->filled: terms of each */
static PetscInt PlexBlocksKeys(PlexBlockLists *l, PetscInt block)
{
  const PetscInt first = block * l->b->elements, end = PetscMin(l->el->Ne, first + l->b->elements);
  PetscInt       n = 0, all;

  for (PetscInt k = first; k < end; ++k) {
    const int *dofs = PlexBlocksDofs(l, k);

    for (PetscInt i = 0; i < l->el->ef; ++i) {
      const int d = dofs[i];

      if (l->last[d] != block) {
        l->last[d]   = (int)block;
        l->filled[d] = 0;
        l->keys[n++] = (uint64_t)d;
      }
      ++l->filled[d];
    }
  }
  all      = n;
  l->least = PetscMax(3, 3 * (end - first) * l->el->ef / PetscMax(1, n));
  for (PetscInt k = 0; k < n; ++k) {
    const int      d     = (int)l->keys[k];
    const PetscInt lanes = PlexBlocksLanes(l, l->filled[d]), terms = PlexBlocksTerms(l, l->filled[d]);

    l->keys[k] = (uint64_t)(l->blocksOf[d] > 1 || lanes > 1) << 62 | (uint64_t)(0xffff - terms) << 32 | (uint64_t)d;
    for (PetscInt lane = 1; lane < lanes; ++lane) l->keys[all++] = l->keys[k];
  }
  qsort(l->keys, (size_t)all, sizeof(*l->keys), PlexBlocksCompare);
  return all;
}

/* Slices of a block and the terms of each */
static PetscErrorCode PlexBlocksMakeSlices(PlexBlockLists *l, PetscInt block)
{
  const PetscInt n = PlexBlocksKeys(l, block), first = l->nslices;
  PetscInt       row = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const int shared = (int)(l->keys[k] >> 62), d = (int)(l->keys[k] & 0x7fffffff),
              terms = 0xffff - (int)(l->keys[k] >> 32 & 0xffff);

    if (k && shared != (int)(l->keys[k - 1] >> 62)) row = (row + 31) / 32 * 32;
    if (row % 32 == 0) {
      int *slice = &l->slices[2 * (first + row / 32)];

      slice[0] = (int)l->terms;
      slice[1] = 2 * terms + shared;
      l->terms += terms;
      for (PetscInt lane = 0; lane < 32; ++lane) l->dofs[(first + row / 32) * 32 + lane] = -1;
    }
    l->dofs[first * 32 + row] = d;
    if (!k || d != (int)(l->keys[k - 1] & 0x7fffffff)) l->row[d] = (int)row;
    l->count[d] = terms;
    ++row;
  }
  l->nslices += (row + 31) / 32;
  l->starts[2 * block + 2] = (int)l->nslices;
  l->starts[2 * block + 3] = (int)l->terms;
  l->mostTerms             = PetscMax(l->mostTerms, l->terms - l->starts[2 * block + 1]);
  l->most                  = PetscMax(l->most, (row + 31) / 32 * 32);
  if (l->terms > l->room) {
    l->room = 2 * l->terms;
    PetscCall(PetscRealloc(sizeof(*l->lists) * 32 * (size_t)l->room, &l->lists));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An order of each lane's terms in which few lanes read from one bank of shared memory at a time */
static void PlexBlocksSpread(PlexBlockLists *l, PetscInt slice, unsigned short none)
{
  const PetscInt  terms = l->slices[2 * slice + 1] >> 1, banks = l->banks;
  unsigned short *list = &l->lists[(size_t)l->slices[2 * slice] * 32];

  for (PetscInt first = 0; first < 32; first += banks) {
    for (PetscInt t = 0; t + 1 < terms; ++t) {
      unsigned char load[32] = {0};

      for (PetscInt lane = first; lane < first + banks; ++lane) {
        PetscInt best = t;

        for (PetscInt u = t; u < terms && list[u * 32 + lane] != none; ++u)
          if (load[list[u * 32 + lane] % banks] < load[list[best * 32 + lane] % banks]) best = u;
        const unsigned short chosen = list[best * 32 + lane];

        list[best * 32 + lane] = list[t * 32 + lane];
        list[t * 32 + lane]    = chosen;
        if (chosen != none) ++load[chosen % banks];
      }
    }
  }
}

/* Where the terms of a block's dofs are */
static void PlexBlocksFillLists(PlexBlockLists *l, PetscInt block)
{
  const PetscInt       first = l->starts[2 * block], elements = l->b->elements, begin = block * elements,
                       end  = PetscMin(l->el->Ne, begin + elements);
  const unsigned short none = (unsigned short)(elements * l->b->stride);

  for (size_t k = (size_t)l->slices[2 * first] * 32; k < (size_t)l->terms * 32; ++k) l->lists[k] = none;
  for (PetscInt k = begin; k < end; ++k)
    for (PetscInt i = 0; i < l->el->ef; ++i) l->filled[PlexBlocksDofs(l, k)[i]] = 0;
  for (PetscInt k = begin; k < end; ++k) {
    const int *dofs = PlexBlocksDofs(l, k);

    for (PetscInt i = 0; i < l->el->ef; ++i) {
      const int term = l->filled[dofs[i]]++, row = l->row[dofs[i]] + term / l->count[dofs[i]],
                *slice = &l->slices[2 * (first + row / 32)];

      l->lists[((size_t)slice[0] + term % l->count[dofs[i]]) * 32 + row % 32] = (unsigned short)((k - begin) *
                                                                                                   l->b->stride +
                                                                                                 l->place[i]);
    }
  }
  for (PetscInt slice = first; slice < l->nslices; ++slice) PlexBlocksSpread(l, slice, none);
}

/* Element dof of node `node` of component k */
static PetscInt PlexBlocksElementDof(PlexStored s, PetscInt k, PetscInt node)
{
  const PetscInt f = s->field[k];

  return s->elements->offset[f] + node * s->elements->Nc[f] + s->component[k];
}

/* Where an element's dofs are in the block, for a lane with elements 2 (lane / 4) and the next one of 16 */
static void PlexBlocksFillWords(PlexBlockLists *l, PlexStored s, PetscInt block)
{
  const PlexStoredBlocks *b = l->b;

  for (PetscInt tile = block * b->elements / 16; tile < (block + 1) * b->elements / 16; ++tile) {
    unsigned *words = &l->words[(size_t)tile * b->words * 32];

    for (PetscInt k = 0; k < s->NC; ++k) {
      const PetscInt *node = b->node[s->field[k]], fours = (b->even[k] + 3) / 4;

      for (PetscInt w = 0; w < fours + (b->odd[k] + 3) / 4; ++w) {
        for (PetscInt lane = 0; lane < 32; ++lane) {
          const PetscInt j    = 4 * (w < fours ? w : w - fours) + lane % 4;
          unsigned       word = 0;

          for (PetscInt h = 0; h < 2; ++h) {
            const PetscInt e = 16 * tile + lane / 4 * 2 + h, has = j < (w < fours ? b->even[k] : b->odd[k]);
            unsigned       row = 0;

            if (has && e < l->el->Ne)
              row = 2 +
                    (unsigned)
                      l->row[PlexBlocksDofs(l, e)[PlexBlocksElementDof(s, k, node[w < fours ? j : b->even[k] + j])]];
            word |= row << 16 * h;
          }
          words[(b->word[k] + w) * 32 + lane] = word;
        }
      }
    }
  }
}

static void PlexBlocksPlaces(PlexBlockLists *l, PlexStored s)
{
  const PlexStoredBlocks *b = l->b;

  for (PetscInt k = 0; k < s->NC; ++k)
    for (PetscInt j = 0; j < b->even[k] + b->odd[k]; ++j)
      l->place[PlexBlocksElementDof(s, k, b->node[s->field[k]][j])] = (int)(b->at[k] + (j < b->even[k]
                                                                                          ? j
                                                                                          : (b->even[k] + 1) / 2 * 2 +
                                                                                              j - b->even[k]));
}

static PetscErrorCode PlexBlocksUploadLists(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan,
                                            PlexBlockLists *l)
{
  PlexStoredBlocks *b    = plan->blocks;
  const size_t      rows = (size_t)l->nslices * 32, words = (size_t)b->blocks * (b->elements / 16) * b->words * 32;

  PetscFunctionBegin;
  /* PlexBlocksShared of the kernel: v twice, element vectors and a zero, C, words; lists, starts, slices; rows twice */
  plan->args.places = (int)(l->most + 4);
  plan->args.terms  = (int)l->mostTerms;
  plan->shared = sizeof(double) * 2 * (size_t)(l->most + 4) +
                 PlexAssemblyRealSize(asm_) *
                   (size_t)(b->elements * (b->stride + (b->staged ? plan->s->numbers : 0)) + 4) +
                 sizeof(int) * (size_t)(b->elements / 16 * b->words * 32) + sizeof(short) * 32 * (size_t)l->mostTerms +
                 sizeof(int) * (size_t)(16 + l->most / 16 + 2 * (l->most + 4));
  PetscCheck(plan->shared <= asm_->backend->limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A block of %" PetscInt_FMT
             " elements takes %zu bytes of shared memory for products, more than there are: use "
             "a smaller -plex_assembly_partition_size, or -plex_assembly_apply evaluated",
             b->elements, plan->shared);
  b->bytes = 4. * (double)(rows + words) + 64. * (double)l->terms + 8. * (double)l->nslices;
  PetscCall(PlexProductUpload(asm_, product, l->starts, sizeof(int) * (2 * b->blocks + 2), &plan->args.starts));
  PetscCall(PlexProductUpload(asm_, product, l->slices, sizeof(int) * 2 * l->nslices, &plan->args.slices));
  PetscCall(PlexProductUpload(asm_, product, l->lists, sizeof(short) * 32 * l->terms, &plan->args.lists));
  PetscCall(PlexProductUpload(asm_, product, l->words, sizeof(unsigned) * words, &plan->args.words));
  PetscCall(PlexProductUpload(asm_, product, l->dofs, sizeof(int) * rows, &b->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows' numbers in global vectors, over those in local ones */
static PetscErrorCode PlexBlocksUploadTargets(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan,
                                              PlexBlockLists *l)
{
  const PlexElements el = l->el;

  PetscFunctionBegin;
  if (!plan->global) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < (size_t)el->Ne * el->ef; ++k) l->row[el->dofs[k]] = plan->global[k];
  for (PetscInt r = 0; r < l->nslices * 32; ++r)
    if (l->dofs[r] >= 0) l->dofs[r] = l->row[l->dofs[r]];
  PetscCall(PlexProductUpload(asm_, product, l->dofs, sizeof(int) * 32 * l->nslices, &plan->blocks->targets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredBlocksUpload_Private(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  PlexStoredBlocks  *b  = plan->blocks;
  const PlexElements el = asm_->elements;
  PlexBlockLists     l  = {.b = b, .el = el};

  PetscFunctionBegin;
  PetscCall(PlexStoredBlocksUploadTables_Private(asm_, product, plan));
  PetscCall(PetscCalloc5(el->Nl, &l.blocksOf, el->Nl, &l.last, el->Nl, &l.row, el->Nl, &l.count, el->Nl, &l.filled));
  PetscCall(PetscMalloc2(el->ef, &l.place, b->elements * el->ef, &l.keys));
  PlexBlocksCountDofs(&l, &b->dofs, &b->shared);
  l.banks      = 128 / (PetscInt)PlexAssemblyRealSize(asm_);
  l.mostSlices = (PetscInt)((b->dofs + (double)el->Ne * (double)el->ef / 3.) / 32.) + 2 * b->blocks;
  PetscCall(PetscMalloc3(2 * b->blocks + 2, &l.starts, 2 * l.mostSlices, &l.slices, 32 * l.mostSlices, &l.dofs));
  PetscCall(PetscMalloc1((size_t)b->blocks * (b->elements / 16) * b->words * 32, &l.words));
  l.starts[0] = l.starts[1] = 0;
  PlexBlocksPlaces(&l, plan->s);
  for (PetscInt k = 0; k < b->blocks; ++k) {
    PetscCall(PlexBlocksMakeSlices(&l, k));
    PlexBlocksFillLists(&l, k);
    PlexBlocksFillWords(&l, plan->s, k);
  }
  PetscCall(PlexBlocksUploadLists(asm_, product, plan, &l));
  PetscCall(PlexBlocksUploadTargets(asm_, product, plan, &l));
  PetscCall(PetscFree(l.lists));
  PetscCall(PetscFree(l.words));
  PetscCall(PetscFree3(l.starts, l.slices, l.dofs));
  PetscCall(PetscFree2(l.place, l.keys));
  PetscCall(PetscFree5(l.blocksOf, l.last, l.row, l.count, l.filled));
  PetscFunctionReturn(PETSC_SUCCESS);
}
