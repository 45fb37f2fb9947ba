/* Curved elements of nodal DG on tensor cores, cuda/dg/curved_fused.cu, for right-hand sides and stages of low-storage
   schemes */
#include "curvedimpl.h"
#include "../fused/fusedimpl.h"
#include <dg/curved_fused_args.h>

#define PLEX_DG_CURVED_ELEMENTS 16 /* of a block */
#define PLEX_DG_CURVED_BEHIND   4  /* tiles of zeros behind a matrix: warps ask for numbers of so many steps before */

/* PLEX_DG_WARPS, _TILES, _CHUNK, _SOLVED, _AT and _RESIDENT of the kernel */
typedef struct {
  PetscInt warps, tiles, chunk, solved, at, resident;
} PlexDGCurvedSizes;

typedef struct {
  PlexDGCurvedSizes     sizes;
  size_t                shared;
  PlexDGCurvedFusedArgs args;
  /* of right-hand sides and of stages, compiled when the first of them is computed */
  PlexModule module[2];
  PlexKernel kernel[2];
} PlexDGCurvedFused;

static PetscInt PlexDGTilesOf(PetscInt n)
{
  return (n + 7) / 8;
}

static PetscInt PlexDGColumnsOf(PlexDG dg, PetscInt n)
{
  const PetscInt unit = PlexFragmentColumns(dg->precision);

  return (n + unit - 1) / unit * unit;
}

static PetscInt PlexDGBits(unsigned set)
{
  PetscInt n = 0;

  for (; set; set >>= 1) n += (PetscInt)(set & 1u);
  return n;
}

/* ---- Sizes of blocks */

/* Bytes of a block's shared memory: PlexDGCurvedBlock of cuda/dg/curved_fused.cu */
static size_t PlexDGCurvedFusedShared(PlexDG dg, const PlexDGCurvedSizes *s)
{
  PlexDGReference   R    = dg->reference;
  PlexDGQuadrature  Q    = dg->curved;
  const PlexDGHost *host = dg->system->host[dg->precision];
  const PetscInt    Nf = dg->system->Nf, rows = PlexDGBits(host->strong) + R->dim * PlexDGBits(host->weak),
                    SN    = PlexFragmentStride(dg->precision, R->Np),
                    ST    = PlexFragmentStride(dg->precision, s->at * PlexDGColumnsOf(dg, R->Nfp)),
                    SQ    = PlexFragmentStride(dg->precision, PlexDGColumnsOf(dg, s->at * Q->MG)),
                    SX    = PlexFragmentStride(dg->precision, 8 * s->chunk),
                    SB    = PlexFragmentStride(dg->precision, 8 * s->solved);
  const PetscInt    x     = PetscMax(PetscMax(rows * SX, Nf * SB), Nf * (ST + SQ)),
                    each  = Nf * SN + x + host->NK + R->faces * (host->NB ? host->NB : host->NK),
                    reals = PLEX_DG_CURVED_ELEMENTS * each + (host->NC + 1) / 2 * 2;

  return (size_t)reals * (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double)) +
         (size_t)(PLEX_DG_CURVED_ELEMENTS * R->faces) * 2 * sizeof(int) + PlexDGMeetingBytes_Private(dg);
}

/* Registers of a thread: sums of a tile of nodes, and of derivatives, 4 numbers each, and others, in single precision
   more, as each number of a matrix is two */
static PetscInt PlexDGCurvedFusedRegisters(PlexDG dg, const PlexDGCurvedSizes *s)
{
  const PlexDGHost *host   = dg->system->host[dg->precision];
  const PetscInt    strong = PlexDGBits(host->strong), all = dg->reference->dim * strong;
  const PetscInt    sums = s->tiles * dg->system->Nf + (all > 12 ? strong : all); /* PLEX_DG_COORDINATES */

  return PetscMin(255, dg->precision == PLEX_PRECISION_SINGLE ? 80 + 4 * sums : 48 + 8 * sums);
}

/* n in parts of at most `most`, as even as can be */
static PetscInt PlexDGEvenly(PetscInt n, PetscInt most)
{
  const PetscInt parts = (n + most - 1) / most;

  return (n + parts - 1) / parts;
}

/* The most faces and tiles at a time that `bytes` have room for, of points a tile for half of the warps at most, and of the
   solution two (docs/dg.md: more took up to 13 % longer); whether there is room for any */
static PetscBool PlexDGCurvedFill(PlexDG dg, size_t bytes, PlexDGCurvedSizes *s)
{
  const PetscInt faces = dg->reference->faces, points = PlexDGTilesOf(dg->curved->NG),
                 chunk = PetscMin(points, (s->warps + 1) / 2), solved = PetscMin(points, 2 * chunk);

  s->at = s->chunk = s->solved = 1;
  if (PlexDGCurvedFusedShared(dg, s) > bytes) return PETSC_FALSE;
  for (PetscInt at = 2; at <= faces; ++at) {
    PlexDGCurvedSizes more = *s;

    more.at = at;
    if (faces % at == 0 && PlexDGCurvedFusedShared(dg, &more) <= bytes) *s = more;
  }
  while (s->chunk < chunk) {
    ++s->chunk;
    if (PlexDGCurvedFusedShared(dg, s) <= bytes) continue;
    --s->chunk;
    break;
  }
  s->chunk = PlexDGEvenly(points, s->chunk);
  while (s->solved < solved) {
    ++s->solved;
    if (PlexDGCurvedFusedShared(dg, s) <= bytes) continue;
    --s->solved;
    break;
  }
  s->solved = PlexDGEvenly(points, s->solved);
  return PETSC_TRUE;
}

/* Warps whose registers a multiprocessor has: as many in each of its four parts */
static PetscInt PlexDGCurvedWarps(PlexDG dg, const PlexDGCurvedSizes *s)
{
  return PetscMax(4, 65536 / (32 * PlexDGCurvedFusedRegisters(dg, s)) / 4 * 4);
}

/* Sizes that the user gives */
static PetscErrorCode PlexDGCurvedSetSizes(PlexDG dg, PetscInt given[6])
{
  PetscInt n = 6;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsIntArray("-plex_dg_curved_sizes",
                                 "Curved elements: warps of a block, tiles of nodes of a warp, tiles of points at a "
                                 "time, of the solution, faces at a time, blocks at once; 0: the default",
                                 "PlexDG", given, &n, NULL));
  PetscOptionsEnd();
  for (PetscInt k = 0; k < 6; ++k)
    PetscCheck(given[k] >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
               "-plex_dg_curved_sizes: %" PetscInt_FMT " is negative", given[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many blocks at once as leave each two warps for a tile of nodes, or for two or more where registers ask for it, and
   points enough for half its warps. Whether shared memory suffices at all */
static PetscErrorCode PlexDGCurvedChooseSizes(PlexDG dg, PlexDGCurvedSizes *s, PetscBool *fits)
{
  const PetscInt    nodes = PlexDGTilesOf(dg->reference->Np), points = PlexDGTilesOf(dg->curved->NG);
  PetscInt          given[6] = {0};
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  PetscCall(PlexDGCurvedSetSizes(dg, given));
  s->tiles = PetscMax(given[1], 1);
  while (!given[1] && s->tiles < 4 && PlexDGCurvedWarps(dg, s) * s->tiles < nodes) ++s->tiles;
  *fits = PETSC_FALSE;
  for (s->resident = given[5] ? given[5] : PlexDGCurvedWarps(dg, s) / 4; s->resident >= 1; --s->resident) {
    const size_t bytes = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / (size_t)s->resident - 1024);

    s->warps = given[0] ? given[0] : PetscMax(PlexDGCurvedWarps(dg, s) / s->resident, 1);
    if (s->resident > 1 && !given[0] && s->warps * s->tiles < 2 * nodes) continue;
    *fits = PlexDGCurvedFill(dg, bytes, s);
    if (given[5] || (*fits && s->chunk >= PetscMin(points, (s->warps + 1) / 2))) break;
  }
  s->resident = PetscMax(s->resident, 1);
  if (given[2]) s->chunk = PetscMin(given[2], points);
  if (given[3]) s->solved = PetscMin(given[3], points);
  if (given[4]) s->at = given[4];
  PetscCheck(s->warps * s->tiles >= nodes && s->warps <= 32 && s->tiles <= 4 && dg->reference->faces % s->at == 0,
             PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_curved_sizes: %" PetscInt_FMT " warps of %" PetscInt_FMT
             " tiles, of which there are %" PetscInt_FMT ", and %" PetscInt_FMT " faces of %" PetscInt_FMT
             " at a time: all tiles need a warp, at most 32 of at most 4 each, and faces are divided evenly",
             s->warps, s->tiles, nodes, s->at, dg->reference->faces);
  if (PlexDGCurvedFusedShared(dg, s) > limits.sharedPerBlock) *fits = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Matrices and geometry */

/* Which row, or point, of its tile stands at place i */
static PetscInt PlexDGPlaced(PetscInt i)
{
  return i / 8 * 8 + i % 8 / 2 + 4 * (i % 2);
}

/* n matrices [rows][columns] in tiles, those behind the last one of zeros */
static PetscErrorCode PlexDGCurvedUploadTiles(PlexDG dg, PetscInt n, const PetscReal matrices[], PetscInt rows,
                                              PetscInt columns, PetscInt tiles, const void **at)
{
  PetscReal *ordered;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n * 8 * tiles * columns, &ordered));
  for (PetscInt m = 0; m < n; ++m)
    for (PetscInt i = 0; i < 8 * tiles; ++i)
      if (PlexDGPlaced(i) < rows)
        PetscCall(PetscArraycpy(&ordered[((size_t)m * 8 * tiles + i) * columns],
                                &matrices[((size_t)m * rows + PlexDGPlaced(i)) * columns], columns));
  PetscCall(PlexDGUploadFragments_Private(dg, tiles, n, ordered, 8 * tiles, columns, at));
  PetscCall(PetscFree(ordered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedUploadMatrices(PlexDG dg, PlexDGCurvedFused *w)
{
  PlexDGReference         R   = dg->reference;
  PlexDGQuadrature        Q   = dg->curved;
  const PlexDGCurvedSizes s   = w->sizes;
  const PetscInt          dim = R->dim, Np = R->Np, NG = Q->NG, MG = Q->MG, points = PlexDGTilesOf(NG),
                          nodes = s.warps * s.tiles + PLEX_DG_CURVED_BEHIND, wide = 8 * points, /* columns of points */
    group = PlexDGColumnsOf(dg, s.at * MG), columns = R->faces / s.at * group;
  const size_t size = (size_t)(1 + dim) * NG * Np;
  PlexDGTables tables;
  PetscReal   *evaluate, *redistribute, *lift;

  PetscFunctionBegin;
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_TRUE, &tables));
  PetscCall(PetscCalloc3(size, &evaluate, (size_t)(1 + dim) * Np * wide, &redistribute, (size_t)Np * columns, &lift));
  PetscCall(PetscArraycpy(evaluate, Q->phi, NG * Np));
  PetscCall(PetscArraycpy(&evaluate[NG * Np], Q->dphi, dim * NG * Np));
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt g = 0; g < NG; ++g) {
      redistribute[i * wide + g] = tables.W2[g * Np + i];
      for (PetscInt a = 0; a < dim; ++a)
        redistribute[((size_t)(1 + a) * Np + i) * wide + g] = tables.W3[(a * NG + g) * Np + i];
    }
    for (PetscInt f = 0; f < R->faces; ++f)
      for (PetscInt g = 0; g < MG; ++g)
        lift[i * columns + f / s.at * group + f % s.at * MG + g] = tables.W5[(f * MG + g) * Np + i];
  }
  PetscCall(PlexDGCurvedUploadTiles(dg, 1 + dim, evaluate, NG, Np, points + PLEX_DG_CURVED_BEHIND, &w->args.evaluate));
  PetscCall(PlexDGCurvedUploadTiles(dg, 1 + dim, redistribute, Np, wide, nodes, &w->args.redistribute));
  PetscCall(PlexDGCurvedUploadTiles(dg, 1, Q->psi, MG, R->Nfp, PlexDGTilesOf(MG) + PLEX_DG_CURVED_BEHIND,
                                    &w->args.psi));
  PetscCall(PlexDGCurvedUploadTiles(dg, 1, lift, Np, columns, nodes, &w->args.lift));
  PetscCall(PlexDGUploadReals(dg, R->Nfp * MG, tables.W4, &w->args.basis));
  PetscCall(PlexDGUploadMeeting_Private(dg, &w->args.meet));
  PetscCall(PetscFree3(evaluate, redistribute, lift));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In tiles of 8 points; zeros behind the last one */
static PetscErrorCode PlexDGCurvedUploadGeometry(PlexDG dg, PlexDGCurvedFused *w)
{
  PlexDGReference  R   = dg->reference;
  PlexDGQuadrature Q   = dg->curved;
  const PetscInt   dim = R->dim, NG = Q->NG, MG = Q->MG, PT = PlexDGTilesOf(NG), FT = PlexDGTilesOf(MG);
  const size_t     n = (size_t)(dg->mesh->ncurved[0] + dg->mesh->ncurved[1]), cofactors = n * PT * dim * dim * 8,
                   normals = n * R->faces * FT * (dim + 1) * 8;
  const PetscInt   nw = PlexDGCurvedWeights_Private(dg), NK = dg->graded ? 2 * dg->system->ncoefficients : 0;
  PetscReal       *C, *J, *N, *K, *inverse;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(cofactors, &C, n * nw * PT * 8, &J, normals, &N, n * R->faces * FT * NK * 8, &K));
  PetscCall(PlexDGCurvedGetInverse_Private(dg, &inverse));
  for (size_t e = 0; e < n; ++e)
    for (PetscInt i = 0; i < 8 * PT; ++i) {
      const PetscInt g = PlexDGPlaced(i);

      if (g >= NG) continue;
      for (PetscInt j = 0; j < nw; ++j) J[(e * nw + j) * PT * 8 + i] = inverse[(e * nw + j) * NG + g];
      for (PetscInt c = 0; c < dim * dim; ++c)
        C[((e * PT + i / 8) * dim * dim + c) * 8 + i % 8] = Q->C[(e * dim * dim + c) * NG + g];
    }
  for (size_t f = 0; f < n * R->faces; ++f)
    for (PetscInt i = 0; i < 8 * FT; ++i) {
      const PetscInt g  = PlexDGPlaced(i);
      PetscReal     *to = &N[(f * FT + i / 8) * (dim + 1) * 8 + i % 8], scale = 0.;

      if (g >= MG) continue;
      for (PetscInt d = 0; d < dim; ++d) scale += PetscSqr(Q->normals[(f * dim + d) * MG + g]);
      scale = PetscSqrtReal(scale);
      for (PetscInt d = 0; d < dim; ++d) to[8 * d] = Q->normals[(f * dim + d) * MG + g] / scale;
      to[8 * dim] = scale;
      for (PetscInt k = 0; k < NK; ++k)
        K[((f * FT + i / 8) * NK + k) * 8 + i % 8] = dg->graded->k[(f * NK + k) * MG + g];
    }
  PetscCall(PlexDGUploadReals(dg, cofactors, C, &w->args.C));
  PetscCall(PlexDGUploadReals(dg, n * nw * PT * 8, J, &w->args.J));
  if (dg->graded) PetscCall(PlexDGUploadReals(dg, n * R->faces * FT * NK * 8, K, &w->args.k));
  PetscCall(PlexDGUploadReals(dg, normals, N, &w->args.normals));
  PetscCall(PlexDGCurvedUploadNodes_Private(dg, &w->args.x));
  PetscCall(PetscFree4(C, J, N, K));
  PetscCall(PetscFree(inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The kernel */

static PetscErrorCode PlexDGCurvedFusedCompile(PlexDG dg, PetscInt stage)
{
  PlexDGCurvedFused *w        = (PlexDGCurvedFused *)dg->curvedWay->data;
  const PetscInt     values[] = {stage,          dg->curved->NG,  dg->curved->MG, w->sizes.warps,   w->sizes.tiles,
                                 w->sizes.chunk, w->sizes.solved, w->sizes.at,    w->sizes.resident};
  const char *const  names[]  = {"STAGE", "NG", "MG", "WARPS", "TILES", "CHUNK", "SOLVED", "AT", "RESIDENT"};
  char               text[PETSC_STATIC_ARRAY_LENGTH(names)][48];
  const char        *defines[PETSC_STATIC_ARRAY_LENGTH(names) + 1];
  PetscInt           n = PETSC_STATIC_ARRAY_LENGTH(names);

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "PLEX_DG_%s=%" PetscInt_FMT, names[k], values[k]));
    defines[k] = text[k];
  }
  if (dg->graded) defines[n++] = "PLEX_DG_GRADED=1";
  PetscCall(PlexDGCompile(dg, "dg/curved_fused.cu", n, defines, &w->module[stage]));
  PetscCall(PlexModuleGetKernel(w->module[stage], "plex_dg_curved_fused", &w->kernel[stage]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedCompute_Fused(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGCurvedFused    *w           = (PlexDGCurvedFused *)dg->curvedWay->data;
  const PetscInt        isStage     = stage ? 1 : 0;
  PlexDGStage           none        = {0};
  PlexDGCurvedFusedArgs curved      = w->args;
  void                 *arguments[] = {(void *)args, stage ? (void *)stage : &none, &curved};

  PetscFunctionBegin;
  if (!w->module[isStage]) PetscCall(PlexDGCurvedFusedCompile(dg, isStage));
  curved.index = (int)PlexDGMeshCurvedIndex(dg->mesh, args->begin);
  PetscCall(PlexKernelLaunch(w->kernel[isStage],
                             (args->end - args->begin + PLEX_DG_CURVED_ELEMENTS - 1) / PLEX_DG_CURVED_ELEMENTS,
                             32 * w->sizes.warps, w->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedView_Fused(PlexDG dg, PetscViewer viewer)
{
  const PlexDGCurvedFused *w   = (const PlexDGCurvedFused *)dg->curvedWay->data;
  const PetscInt           dim = dg->mesh->dim;
  char                     registers[64];

  PetscFunctionBegin;
  PetscCall(PlexDGKernelRegisters_Private(w->kernel, sizeof(registers), registers));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "these on tensor cores, in blocks of %d elements, %" PetscInt_FMT
                                   " threads, %zu bytes of shared memory,%s %" PetscInt_FMT
                                   " at once on a multiprocessor; %" PetscInt_FMT
                                   " numbers of geometry an element; sizes %" PetscInt_FMT ",%" PetscInt_FMT
                                   ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT "\n",
                                   PLEX_DG_CURVED_ELEMENTS, 32 * w->sizes.warps, w->shared, registers,
                                   w->sizes.resident,
                                   8 * ((dim * dim + PlexDGCurvedWeights_Private(dg)) * PlexDGTilesOf(dg->curved->NG) +
                                        (dim + 1 + (dg->graded ? 2 * dg->system->ncoefficients : 0)) * dg->mesh->faces *
                                          PlexDGTilesOf(dg->curved->MG)),
                                   w->sizes.warps, w->sizes.tiles, w->sizes.chunk, w->sizes.solved, w->sizes.at,
                                   w->sizes.resident));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedDestroy_Fused(PlexDG dg, void *data)
{
  PlexDGCurvedFused *w = (PlexDGCurvedFused *)data;

  PetscFunctionBegin;
  (void)dg;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexModuleDestroy(&w->module[k]));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedCreate_Fused_Private(PlexDG dg, PlexDGCurvedWay way, PetscBool *fits)
{
  PlexDGCurvedSizes  sizes;
  PlexDGCurvedFused *w;

  PetscFunctionBegin;
  PetscCall(PlexDGCurvedChooseSizes(dg, &sizes, fits));
  if (!*fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&w));
  w->sizes     = sizes;
  w->shared    = PlexDGCurvedFusedShared(dg, &sizes);
  way->data    = w;
  way->compute = PlexDGCurvedCompute_Fused;
  way->destroy = PlexDGCurvedDestroy_Fused;
  way->view    = PlexDGCurvedView_Fused;
  PetscCall(PlexDGCurvedUploadMatrices(dg, w));
  PetscCall(PlexDGCurvedUploadGeometry(dg, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
