/*
  What each block of the matrix K sums: Algorithms 1 and 2 of King and others (2014), by faces.

  A row of blocks belongs to a face l. Its elements, at most two, are sides[l]: their block rows r, each with a block for
  every face g of the element. A block of K is the sum of those of one column, in ascending order of r:

    blocks start[l] .. start[l+1] of face l, ascending columns
    target   = Nf^2 (blocks of that part of the matrix before face l) + Nf (those of face l before this one)
    stride   = Nf (blocks of that part of face l)
    source   = r Nf Nt + g Nf, one or two

  The order is always the same: nobody waits for anybody, and the bits are the same in every run. An element of another
  process sends its block row, which lies behind those of this process's elements.

  A backend with kernels makes the blocks by cuda/hdg/plan.cu: counts of each face, exclusive sums, blocks. The host's
  way here says what these do.
*/
#include "hdgimpl.h"
#include "../backend/arrays/arrays.h"

/* sides[nown][2]: block rows of each own face ascending, -1: none */
static PetscErrorCode PlexHDGFindSides(PlexHDGMesh mesh, int sides[])
{
  const PetscInt n = mesh->Ne * mesh->faces;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2 * mesh->nown; ++k) sides[k] = -1;
  for (PetscInt r = 0; r < n + mesh->nreceived; ++r) {
    const PetscInt l = r < n ? mesh->face[r] : mesh->receivedFace[r - n];

    if (l >= mesh->nown) continue;
    PetscCheck(sides[2 * l + 1] < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Face %" PetscInt_FMT " has more than two sides",
               mesh->facePoint[l]);
    sides[2 * l + (sides[2 * l] >= 0)] = (int)r;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global number of the column of block row r that belongs to face g of its element, -1: the trace there is known */
static PetscInt PlexHDGGetColumn(PlexHDGMesh mesh, PetscInt r, PetscInt g)
{
  const PetscInt own = mesh->Ne * mesh->faces;
  PetscInt       l;

  if (r >= own) return mesh->receivedFaces[(r - own) * mesh->faces + g];
  l = mesh->face[r / mesh->faces * mesh->faces + g];
  return l < mesh->nown + mesh->nghost ? mesh->faceGlobal[l] : -1;
}

static PetscErrorCode PlexHDGTooFew(PlexHDGMesh mesh, PetscInt l)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "Cells around face %" PetscInt_FMT
          " are neighbours in too many ways: a periodic mesh needs at least 3 cells in each direction",
          mesh->facePoint[l]);
}

/* The *n blocks of face l with their columns; before[2]: blocks of both parts of the matrix before it */
static PetscErrorCode PlexHDGFaceBlocks(PlexHDG hdg, PetscInt l, const int sides[], const PetscInt before[],
                                        PetscInt *n, PlexHDGBlock blocks[], PetscInt columns[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt64 Nf = PlexHDGBlockSize(hdg), values = Nf * Nf;
  PetscInt         width[2] = {0, 0};

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < 2 && sides[k] >= 0; ++k) {
    for (PetscInt g = 0; g < mesh->faces; ++g) {
      const PetscInt   c      = PlexHDGGetColumn(mesh, sides[k], g);
      const PetscInt64 source = sides[k] * Nf * PlexHDGTraceSize(hdg) + g * Nf;
      PetscInt         at     = *n;

      if (c < 0) continue;
      while (at > 0 && columns[at - 1] > c) --at;
      if (at > 0 && columns[at - 1] == c) { /* there is one of this column */
        if (blocks[at - 1].source[1] >= 0) PetscCall(PlexHDGTooFew(mesh, l));
        blocks[at - 1].source[1] = source;
        continue;
      }
      for (PetscInt b = (*n)++; b > at; --b) {
        blocks[b]  = blocks[b - 1];
        columns[b] = columns[b - 1];
      }
      columns[at] = c;
      blocks[at]  = (PlexHDGBlock){
        .part = c < mesh->first || c >= mesh->first + mesh->nown, .robin = -1, .source = {source, -1}
      };
      if (c == mesh->first + l && hdg->robinOf[l] >= 0) blocks[at].robin = hdg->robinOf[l] * (int)values;
    }
  }
  for (PetscInt b = 0; b < *n; ++b) blocks[b].target = before[blocks[b].part] * values + width[blocks[b].part]++ * Nf;
  for (PetscInt b = 0; b < *n; ++b) blocks[b].stride = width[blocks[b].part] * Nf;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the host: one face after the other. start[nown+1], other[nown+1]: blocks before a face, and those of the other
   part among them */
static PetscErrorCode PlexHDGPlanHost(PlexHDG hdg, const int sides[], PetscInt other[])
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt most = mesh->nown * (2 * mesh->faces - 1); /* two elements have one face in common at least */
  PetscInt      *columns;
  PlexHDGBlock  *blocks;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(most + mesh->faces, &blocks)); /* and what is found to be too much */
  PetscCall(PetscMalloc1(most + mesh->faces, &columns));
  hdg->blockStart[0] = other[0] = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    const PetscInt at = hdg->blockStart[l], before[2] = {at - other[l], other[l]};
    PetscInt       n;

    PetscCall(PlexHDGFaceBlocks(hdg, l, &sides[2 * l], before, &n, &blocks[at], &columns[at]));
    hdg->blockStart[l + 1] = at + n;
    other[l + 1]           = other[l];
    for (PetscInt b = at; b < at + n; ++b) other[l + 1] += blocks[b].part;
  }
  hdg->nblocks = hdg->blockStart[mesh->nown];
  PetscCall(PetscRealloc(sizeof(*columns) * PetscMax(1, hdg->nblocks), &columns));
  hdg->blockColumn = columns;
  PetscCall(PlexHDGUpload(hdg, blocks, sizeof(*blocks) * hdg->nblocks, (const void **)&hdg->blocks));
  PetscCall(PetscFree(blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexModule module;
  PlexKernel count, write;
} PlexHDGPlanKernels;

static PetscErrorCode PlexHDGPlanCompile(PlexHDG hdg, PlexHDGPlanKernels *k)
{
  char text[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "#define PLEX_DIM %" PetscInt_FMT
                          "\n#define PLEX_SINGLE 0\n#define PLEX_HDG_NF %" PetscInt_FMT
                          "\n#define PLEX_HDG_FACES %" PetscInt_FMT "\n#include \"hdg/plan.cu\"\n",
                          hdg->reference->dim, PlexHDGBlockSize(hdg), hdg->mesh->faces));
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexBackendCompile(hdg->backend, "hdg_plan.cu", 0, NULL, text, &k->module));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_count_blocks", &k->count));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_write_blocks", &k->write));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels read, and room for counts of the blocks of each face. Uploads that only they read go to `memory` */
static PetscErrorCode PlexHDGPlanSetArgs(PlexHDG hdg, PlexMemory *memory, PlexHDGPlanArgs *args)
{
  PlexHDGMesh     mesh  = hdg->mesh;
  PlexBackend     b     = hdg->backend;
  const size_t    bytes = sizeof(int) * (size_t)(mesh->nown + 1);
  const int       none  = -1;
  PlexHDGPlanArgs a     = {.faces  = hdg->args.faces,
                           .sides  = hdg->sides,
                           .robin  = hdg->robinAt,
                           .rows   = (int)(mesh->Ne * mesh->faces),
                           .nown   = (int)mesh->nown,
                           .nghost = (int)mesh->nghost,
                           .first  = (int)mesh->first};

  PetscFunctionBegin;
  *args = a;
  PetscCall(PlexMemoryUploadInts(b, memory, mesh->nghost, mesh->faceGlobal + mesh->nown, &args->ghosts));
  PetscCall(PlexMemoryUploadInts(b, memory, mesh->nreceived * mesh->faces, mesh->receivedFaces, &args->received));
  PetscCall(PlexMemoryAllocate(b, memory, bytes, (void **)&args->start));
  PetscCall(PlexMemoryAllocate(b, memory, bytes, (void **)&args->other));
  PetscCall(PlexMemoryUpload(b, memory, &none, sizeof(none), (const void **)&args->bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* counts[nown + 1] become their exclusive sums, which to[nown + 1] on the host has, too */
static PetscErrorCode PlexHDGPlanSum(PlexHDG hdg, PlexArrays arrays, int counts[], PetscInt to[])
{
  const PetscInt nown = hdg->mesh->nown;
  PetscInt       total;
  int            last;

  PetscFunctionBegin;
  PetscCall(PlexArraysSum(arrays, nown, counts, counts, &total));
  last = (int)total;
  PetscCall(PlexBackendCopyIn(hdg->backend, &counts[nown], &last, sizeof(last)));
  PetscCall(PlexBackendCopyOutInts(hdg->backend, nown + 1, to, counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise by kernels, which have the sides in the backend's memory */
static PetscErrorCode PlexHDGPlanKernelsRun(PlexHDG hdg, PetscInt other[])
{
  PlexHDGMesh        mesh   = hdg->mesh;
  PlexHDGPlanKernels k      = {NULL, NULL, NULL};
  PlexMemory         memory = {NULL, 0, 0, 0.};
  PlexArrays         arrays;
  PlexHDGPlanArgs    args;
  PetscInt           grid;
  int                bad;
  void              *arguments[] = {&args};

  PetscFunctionBegin;
  PetscCall(PlexHDGPlanCompile(hdg, &k));
  PetscCall(PlexArraysCreate(hdg->backend, &arrays));
  PetscCall(PlexHDGPlanSetArgs(hdg, &memory, &args));
  PetscCall(PlexHDGBlocks_Private(mesh->nown, &grid));
  PetscCall(PlexKernelLaunch(k.count, grid, 128, 0, arguments));
  PetscCall(PlexBackendCopyOut(hdg->backend, &bad, args.bad, sizeof(bad)));
  if (bad >= 0) PetscCall(PlexHDGTooFew(mesh, bad));
  PetscCall(PlexHDGPlanSum(hdg, arrays, args.start, hdg->blockStart));
  PetscCall(PlexHDGPlanSum(hdg, arrays, args.other, other));
  hdg->nblocks = hdg->blockStart[mesh->nown];
  PetscCall(PlexHDGAllocate(hdg, sizeof(*hdg->blocks) * (size_t)hdg->nblocks, (void **)&hdg->blocks));
  args.blocks = hdg->blocks;
  PetscCall(PlexMemoryAllocate(hdg->backend, &memory, sizeof(int) * (size_t)hdg->nblocks, (void **)&args.columns));
  PetscCall(PlexKernelLaunch(k.write, grid, 128, 0, arguments));
  PetscCall(PetscMalloc1(hdg->nblocks, &hdg->blockColumn));
  PetscCall(PlexBackendCopyOutInts(hdg->backend, hdg->nblocks, hdg->blockColumn, args.columns));
  PetscCall(PlexMemoryFree(hdg->backend, &memory));
  PetscCall(PlexArraysDestroy(&arrays));
  PetscCall(PlexModuleDestroy(&k.module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks with a part of another process's element */
static PetscErrorCode PlexHDGFindLate(PlexHDG hdg, const int sides[], const PetscInt other[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt64 own  = (PetscInt64)mesh->Ne * mesh->faces * PlexHDGBlockSize(hdg) * PlexHDGTraceSize(hdg);
  PlexHDGBlock     blocks[2 * PLEX_HDG_MAX_FACES], *late;
  PetscInt         columns[2 * PLEX_HDG_MAX_FACES], n;

  PetscFunctionBegin;
  hdg->nlate = 0;
  PetscCall(PetscMalloc1(mesh->nreceived * 2 * mesh->faces, &late));
  for (PetscInt r = 0; r < mesh->nreceived; ++r) { /* a face is received from one process at most, and they ascend */
    const PetscInt l = mesh->receivedFace[r], before[2] = {hdg->blockStart[l] - other[l], other[l]};

    PetscCall(PlexHDGFaceBlocks(hdg, l, &sides[2 * l], before, &n, blocks, columns));
    for (PetscInt b = 0; b < n; ++b)
      if (blocks[b].source[0] >= own || blocks[b].source[1] >= own) late[hdg->nlate++] = blocks[b];
  }
  PetscCall(PlexHDGUpload(hdg, late, sizeof(*late) * hdg->nlate, (const void **)&hdg->late));
  PetscCall(PetscFree(late));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpPlan_Private(PlexHDG hdg, PetscInt **other)
{
  PlexHDGMesh      mesh   = hdg->mesh;
  const PetscInt64 values = PetscSqr((PetscInt64)PlexHDGBlockSize(hdg));
  int             *sides;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * mesh->nown, &sides));
  PetscCall(PlexHDGFindSides(mesh, sides));
  PetscCall(PlexHDGUpload(hdg, sides, sizeof(*sides) * 2 * mesh->nown, (const void **)&hdg->sides));
  *other = NULL;
  if (hdg->without) { /* nothing is summed beforehand */
    hdg->nblocks = 0;
    PetscCall(PetscFree(sides));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(mesh->nown + 1, &hdg->blockStart));
  PetscCall(PetscMalloc1(mesh->nown + 1, other));
  /* The kernels have global numbers of faces as int */
  if (hdg->backend->kernels && mesh->nown && mesh->nownGlobal < PETSC_INT32_MAX)
    PetscCall(PlexHDGPlanKernelsRun(hdg, *other));
  else PetscCall(PlexHDGPlanHost(hdg, sides, *other));
  PetscCheck(hdg->nblocks * values < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "K has more than %d values on one process: use more of them", PETSC_INT32_MAX);
  PetscCall(PlexHDGFindLate(hdg, sides, *other));
  PetscCall(PetscFree(sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}
