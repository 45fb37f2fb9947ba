/*
  Microblocks, the elements in their slots, pairs of faces for the flux gather, and the arrays between kernels.

  Elements stay where they are in the state; a slot of a microblock says which one it has. With the gather by blocks a
  block's elements are in M_B microblocks, one element behind the other, and slots that a partition leaves are empty.
*/
#include "separateimpl.h"
#include "../../core/coreimpl.h" /* PlexDGIntCheck_Private() */

static PetscInt PlexDGPad(PetscInt n, PetscInt align)
{
  return (n + align - 1) / align * align;
}

/* Blocks of both ranges: their elements one behind the other, [start[b], start[b + 1]); ranges get their microblocks */
typedef struct {
  PetscInt  n;
  PetscInt *start; /* [n + 1] */
  int      *order; /* [Ne] */
} PlexDGBlocks;

static PetscErrorCode PlexDGBlocksCreate(PlexDG dg, PlexDGSeparate *way, PlexDGBlocks *blocks)
{
  const PlexDGTable *t    = &way->table;
  const PetscInt     size = t->gather == PLEX_DG_GATHER_BLOCKS ? t->microblocks : 1; /* microblocks of a block */
  PetscInt           at   = 0;

  PetscFunctionBegin;
  blocks->n = 0;
  PetscCall(PetscMalloc1(dg->mesh->Ne + 1, &blocks->start));
  PetscCall(PetscMalloc1(dg->mesh->Ne, &blocks->order));
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDGRange *range = &way->range[k];
    PetscInt    *start, n = 0;
    int         *order;

    range->begin = blocks->n * size;
    if (range->end > range->first) {
      PetscCall(PlexDGPartitionRange_Private(dg,
                                             t->gather == PLEX_DG_GATHER_BLOCKS ? t->partition
                                                                                : PLEX_DG_PARTITION_CURVE,
                                             range->first, range->end, t->microblock * size, &n, &start, &order));
      for (PetscInt b = 0; b < n; ++b) blocks->start[blocks->n++] = at + start[b];
      PetscCall(PetscArraycpy(&blocks->order[at], order, range->end - range->first));
      at += range->end - range->first;
      PetscCall(PetscFree(start));
      PetscCall(PetscFree(order));
    }
    range->stop = blocks->n * size;
  }
  blocks->start[blocks->n] = at;
  way->nblocks             = blocks->n;
  way->nM                  = blocks->n * size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outward normal of length 1 and Fscale of a face */
static void PlexDGFaceNormal(PlexDGMesh mesh, PetscInt e, PetscInt f, PetscReal n[], PetscReal *scale)
{
  const PetscInt   dim = mesh->dim;
  const PetscReal *rx  = &mesh->rx[e * dim * dim];

  *scale = 0.;
  for (PetscInt d = 0; d < dim; ++d) {
    n[d] = f < dim ? -rx[f * dim + d] : 0.;
    for (PetscInt a = 0; f == dim && a < dim; ++a) n[d] += rx[a * dim + d];
    *scale += n[d] * n[d];
  }
  *scale = PetscSqrtReal(*scale);
  for (PetscInt d = 0; d < dim; ++d) n[d] /= *scale;
}

/* The kind of an element's face. 0: the element across is in the same block; 1: it is in another block, or a received
   trace; 2: boundary; -1: as 0, and the other side has the pair. block[e]: block of element e */
static PetscInt PlexDGPairKind(PlexDG dg, PetscInt e, PetscInt f, const int block[])
{
  const PetscInt faces = dg->mesh->faces;
  const int      link = dg->mesh->links[e * faces + f], trace = link / (int)dg->reference->turns;

  if (link < 0) return 2;
  if (trace >= dg->mesh->Ne * faces || block[trace / faces] != block[e]) return 1;
  return trace < e * faces + f ? -1 : 0;
}

/* Place of the flux at node 0 of a face, of an element at slot `slot` of its block */
static int PlexDGPairStore(PlexDG dg, const PlexDGSeparate *way, PetscInt slot, PetscInt f)
{
  const PetscInt KM = way->table.microblock;

  return (int)(slot / KM * dg->system->Nf * way->NFM + (slot % KM * dg->mesh->faces + f) * dg->reference->Nfp);
}

static void PlexDGPairSet(PlexDG dg, const PlexDGSeparate *way, PetscInt kind, PetscInt e, PetscInt f, const int slot[],
                          PlexDGPair *pair, PetscReal normal[])
{
  PlexDGMesh     mesh  = dg->mesh;
  const PetscInt faces = mesh->faces, turns = dg->reference->turns, dim = mesh->dim;
  const PetscInt link = mesh->links[e * faces + f], trace = link / turns, ghost = trace - mesh->Ne * faces,
                 faceP = kind == 2  ? 0
                       : ghost >= 0 ? faces
                                    : trace % faces;
  PetscReal      unused[3];

  pair->eM     = (int)e;
  pair->eP     = (int)(kind == 2 ? -link - 1 : ghost >= 0 ? mesh->Ne + ghost : trace / faces);
  pair->code   = (int)(f + 8 * faceP + 64 * (kind == 2 ? 0 : link % turns));
  pair->storeM = PlexDGPairStore(dg, way, slot[e], f);
  pair->storeP = -1;
  PlexDGFaceNormal(mesh, e, f, normal, &normal[dim]);
  normal[dim + 1] = 0.;
  if (kind) return;
  pair->storeP = PlexDGPairStore(dg, way, slot[pair->eP], faceP);
  PlexDGFaceNormal(mesh, pair->eP, faceP, unused, &normal[dim + 1]);
}

/* n numbers in the operator's precision */
static PetscErrorCode PlexDGNormalsCreate(PlexDG dg, PetscInt n, const PetscReal values[], void **array)
{
  float *single;

  PetscFunctionBegin;
  if (dg->precision == PLEX_PRECISION_DOUBLE) {
    PetscCall(PlexBackendUpload(dg->backend, values, sizeof(double) * (size_t)n, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &single));
  for (PetscInt k = 0; k < n; ++k) single[k] = (float)values[k];
  PetscCall(PlexBackendUpload(dg->backend, single, sizeof(float) * (size_t)n, array));
  PetscCall(PetscFree(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPairsCreate(PlexDG dg, PlexDGSeparate *way, const PlexDGBlocks *blocks)
{
  const PetscInt     faces = dg->mesh->faces, width = dg->mesh->dim + 2, Ne = dg->mesh->Ne;
  PlexDGPair        *pairs;
  PlexDGGatherBlock *records;
  PetscReal         *normals;
  int               *block, *slot; /* [Ne] */
  PetscInt           n = 0, *counts[3] = {&way->interior, &way->exterior, &way->boundary};

  PetscFunctionBegin;
  PetscCall(PlexDGSizeCheck_Private(Ne, faces * width, "numbers of pairs of faces"));
  PetscCall(PetscMalloc5(Ne * faces, &pairs, Ne * faces * width, &normals, blocks->n, &records, Ne, &block, Ne, &slot));
  for (PetscInt b = 0; b < blocks->n; ++b) {
    for (PetscInt k = blocks->start[b]; k < blocks->start[b + 1]; ++k) {
      block[blocks->order[k]] = (int)b;
      slot[blocks->order[k]]  = (int)(k - blocks->start[b]);
    }
  }
  for (PetscInt k = 0; k < 3; ++k) *counts[k] = 0;
  way->most = 0;
  for (PetscInt b = 0; b < blocks->n; ++b) {
    int found[3] = {0, 0, 0};

    records[b].pairs = (int)n;
    for (PetscInt kind = 0; kind < 3; ++kind) {
      for (PetscInt k = blocks->start[b] * faces; k < blocks->start[b + 1] * faces; ++k) {
        if (PlexDGPairKind(dg, blocks->order[k / faces], k % faces, block) != kind) continue;
        PlexDGPairSet(dg, way, kind, blocks->order[k / faces], k % faces, slot, &pairs[n], &normals[n * width]);
        ++found[kind];
        ++n;
      }
      *counts[kind] += found[kind];
    }
    records[b].interior = found[0];
    records[b].exterior = found[1];
    records[b].boundary = found[2];
    way->most           = PetscMax(way->most, n - records[b].pairs);
  }
  PetscCall(PlexBackendUpload(dg->backend, pairs, sizeof(PlexDGPair) * (size_t)n, (void **)&way->pairs));
  PetscCall(PlexBackendUpload(dg->backend, records, sizeof(PlexDGGatherBlock) * (size_t)blocks->n,
                              (void **)&way->blocks));
  PetscCall(PlexDGNormalsCreate(dg, n * width, normals, &way->normals));
  PetscCall(PetscFree5(pairs, normals, records, block, slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* element[nM][KM] */
static PetscErrorCode PlexDGSlotsCreate(PlexDG dg, PlexDGSeparate *way, const PlexDGBlocks *blocks)
{
  const PetscInt size = way->nblocks ? way->nM / way->nblocks * way->table.microblock : 0; /* slots of a block */
  int           *element;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(way->nblocks * size, &element));
  for (PetscInt b = 0; b < way->nblocks; ++b)
    for (PetscInt k = 0; k < size; ++k)
      element[b * size + k] = blocks->start[b] + k < blocks->start[b + 1] ? blocks->order[blocks->start[b] + k] : -1;
  PetscCall(PlexBackendUpload(dg->backend, element, sizeof(int) * (size_t)(way->nblocks * size),
                              (void **)&way->element));
  PetscCall(PetscFree(element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGUnitsCreate(PlexDG dg, const PlexDGSeparate *way, PetscInt size, void **array)
{
  const size_t bytes = (size_t)way->nM * dg->system->Nf * size *
                       (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double));

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(dg->backend, bytes, array));
  PetscCall(PlexBackendZero(dg->backend, *array, bytes)); /* padding and empty slots are multiplied, too */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLayoutSetUp_Private(PlexDG dg, PlexDGSeparate *way)
{
  PlexDGReference   R         = dg->reference;
  const PlexDGTable t         = way->table;
  const PetscBool   nonlinear = (PetscBool)(dg->system->host[0]->flux != NULL);
  PlexDGBlocks      blocks;

  PetscFunctionBegin;
  PetscCall(PlexDGLayoutReset_Private(dg, way));
  way->NPM      = PlexDGPad(t.microblock * R->Np, t.align);
  way->NFM      = PlexDGPad(t.microblock * R->faces * R->Nfp, t.align);
  way->NGM      = nonlinear ? PlexDGPad(t.microblock * R->dim * R->Np, t.align) : 0;
  way->range[0] = (PlexDGRange){.first = 0, .end = dg->mesh->Ninterior};
  way->range[1] = (PlexDGRange){.first = dg->mesh->Ninterior, .end = dg->mesh->Ne};
  PetscCall(PlexDGBlocksCreate(dg, way, &blocks));
  PetscCall(PlexDGIntCheck_Private(way->nM, PetscMax(dg->system->Nf, t.microblock), "fields of microblocks"));
  PetscCall(PlexDGSlotsCreate(dg, way, &blocks));
  if (t.gather == PLEX_DG_GATHER_BLOCKS) PetscCall(PlexDGPairsCreate(dg, way, &blocks));
  PetscCall(PetscFree(blocks.start));
  PetscCall(PetscFree(blocks.order));
  PetscCall(PlexDGUnitsCreate(dg, way, way->NFM, &way->flux));
  PetscCall(PlexDGUnitsCreate(dg, way, way->NPM, &way->lifted));
  PetscCall(PlexDGUnitsCreate(dg, way, (nonlinear ? 1 : R->dim) * way->NPM, &way->volume));
  if (nonlinear) PetscCall(PlexDGUnitsCreate(dg, way, way->NGM, &way->reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLayoutReset_Private(PlexDG dg, PlexDGSeparate *way)
{
  void **arrays[] = {(void **)&way->element, (void **)&way->pairs, (void **)&way->blocks, &way->normals, &way->flux,
                     &way->reference,        &way->volume,         &way->lifted};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(arrays); ++k) PetscCall(PlexBackendFree(dg->backend, arrays[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
