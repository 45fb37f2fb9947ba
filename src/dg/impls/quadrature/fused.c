/*
  DG with quadrature in one kernel, on tensor cores, cuda/dg/quadrature_fused.cu, or by a thread an element,
  cuda/dg/quadrature_element.cu: a state is read once and its time derivative, or the next state of a low-storage
  scheme, written once
*/
#include "quadratureimpl.h"
#include "../fused/fusedimpl.h"

typedef struct {
  /* on tensor cores; else a thread an element, and `numbers` are its matrices */
  PetscBool            tensor;
  PetscInt             elements, warps, tiles; /* of a block, of a block; of a warp at a time */
  PetscInt             resident, later;        /* blocks that a multiprocessor holds at once, that the GPU holds */
  size_t               shared;
  void                *numbers, *records;
  PlexDGPointArgs      points;
  PlexDGPointFragments fragments;
  PlexModule           module, stageModule;
  PlexKernel           kernel, stageKernel;
} PlexDGQuadratureFused;

/* Whether values at points go through shared memory: cuda/dg/fused_points.cuh */
static PetscBool PlexDGByPoints(PlexDG dg)
{
  return dg->system->host[dg->precision]->variable;
}

/* Columns of a part of the fluxes: PLEX_DG_NGP */
static PetscInt PlexDGPartColumns(PlexDG dg)
{
  const PetscInt NG = dg->quadrature->NG;

  return PlexDGByPoints(dg) ? NG : (NG + 1) / 2 * 2;
}

/* Of the matrix that redistributes: PLEX_DG_COLUMNS */
static PetscInt PlexDGColumns(PlexDG dg)
{
  return (dg->reference->dim + (dg->system->host[0]->addsource ? 1 : 0)) * PlexDGPartColumns(dg) +
         dg->reference->faces * dg->quadrature->MG;
}

/* A matrix in tiles of 8 rows. By points a lane, which has two rows of a tile, has two that are 4 apart */
static PetscErrorCode PlexDGUploadTiles(PlexDG dg, const PetscReal matrix[], PetscInt rows, PetscInt columns,
                                        const void **at)
{
  const PetscInt tiles = (rows + 7) / 8;
  PetscReal     *ordered;

  PetscFunctionBegin;
  if (!PlexDGByPoints(dg)) {
    PetscCall(PlexDGUploadFragments_Private(dg, tiles, 1, matrix, rows, columns, at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1(8 * tiles * columns, &ordered));
  for (PetscInt i = 0; i < 8 * tiles; ++i) {
    const PetscInt row = i / 8 * 8 + i % 8 / 2 + 4 * (i % 2);

    if (row < rows) PetscCall(PetscArraycpy(&ordered[i * columns], &matrix[row * columns], columns));
  }
  PetscCall(PlexDGUploadFragments_Private(dg, tiles, 1, ordered, 8 * tiles, columns, at));
  PetscCall(PetscFree(ordered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix that redistributes, W[Np][columns]: columns of fluxes and sources, then of faces */
static PetscErrorCode PlexDGUploadRedistribution(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGReference  R  = dg->reference;
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = R->Np, NG = Q->NG, NGP = PlexDGPartColumns(dg), faces = R->faces * Q->MG,
                   sources = dg->system->host[0]->addsource ? 1 : 0, columns = PlexDGColumns(dg);
  PlexDGTables     tables;
  PetscReal       *W;

  PetscFunctionBegin;
  PetscCall(PlexDGTablesCreate_Private(Q, R, Q->affine, &tables));
  PetscCall(PetscCalloc1(Np * columns, &W));
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal *row = &W[i * columns];

    for (PetscInt g = 0; g < NG; ++g) {
      for (PetscInt a = 0; a < R->dim; ++a) row[a * NGP + g] = tables.W3[(a * NG + g) * Np + i];
      if (sources) row[R->dim * NGP + g] = tables.W2[g * Np + i];
    }
    for (PetscInt c = 0; c < faces; ++c) row[(R->dim + sources) * NGP + c] = -tables.W5[c * Np + i];
  }
  PetscCall(PlexDGUploadTiles(dg, W, Np, columns, &way->fragments.W));
  PetscCall(PetscFree(W));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices that take fields to the points of elements and both traces to those of the faces, inside[faces][MG][Np] and
   across[faces][MG][faces][Nfp]; by points the basis functions of a face */
static PetscErrorCode PlexDGUploadCollocation(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGReference  R   = dg->reference;
  PlexDGQuadrature Q   = dg->quadrature;
  const PetscInt   Nfp = R->Nfp, MG = Q->MG, rows = R->faces * MG;
  PetscReal       *inside, *across;

  PetscFunctionBegin;
  PetscCall(PlexDGUploadTiles(dg, Q->phi, Q->NG, R->Np, &way->fragments.W0));
  if (PlexDGByPoints(dg)) {
    PetscCall(PlexDGUploadReals(dg, (size_t)(MG * Nfp), Q->psi, &way->fragments.basis));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc2(rows * R->Np, &inside, rows * R->faces * Nfp, &across));
  for (PetscInt f = 0; f < R->faces; ++f)
    for (PetscInt g = 0; g < MG; ++g)
      for (PetscInt m = 0; m < Nfp; ++m) {
        inside[(f * MG + g) * R->Np + R->faceNodes[f * Nfp + m]] = Q->psi[g * Nfp + m];
        across[(f * MG + g) * R->faces * Nfp + f * Nfp + m]      = Q->psi[g * Nfp + m];
      }
  PetscCall(PlexDGUploadTiles(dg, inside, rows, R->Np, &way->fragments.inside));
  PetscCall(PlexDGUploadTiles(dg, across, rows, R->faces * Nfp, &way->fragments.across));
  PetscCall(PetscFree2(inside, across));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the correction of water's rates: what takes values at points to sums of weights times basis times them */
static PetscErrorCode PlexDGUploadWeighted(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = dg->reference->Np, NG = Q->NG;
  PetscReal       *weighted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Np * NG, &weighted));
  for (PetscInt i = 0; i < Np; ++i)
    for (PetscInt g = 0; g < NG; ++g) weighted[i * NG + g] = Q->weights[g] * Q->phi[g * Np + i];
  PetscCall(PlexDGUploadTiles(dg, weighted, Np, NG, &way->fragments.weighted));
  PetscCall(PetscFree(weighted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGQuadratureFusedSetFromOptions(PlexDG dg, PlexDGQuadratureFused *way)
{
  const PetscInt of = way->tensor ? 16 : 32;
  PetscBool      set;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsInt("-plex_dg_block_elements",
                            "Elements of a block, a multiple of 16, or of 32 without tensor cores", "PlexDG",
                            way->elements, &way->elements, &set));
  PetscCheck(way->elements > 0 && way->elements % of == 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_block_elements %" PetscInt_FMT " is not a multiple of %" PetscInt_FMT, way->elements, of);
  PetscCheck(way->tensor || way->elements <= 1024, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_block_elements %" PetscInt_FMT " is more than the 1024 threads of a block", way->elements);
  PetscCall(PetscOptionsInt("-plex_dg_tiles", "Tiles of 8 points or nodes that a warp computes at a time", "PlexDG",
                            way->tiles, &way->tiles, &set));
  PetscCheck(way->tiles >= 1 && way->tiles <= 4, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_tiles %" PetscInt_FMT " is not 1, 2, 3 or 4", way->tiles);
  PetscCall(PetscOptionsInt("-plex_dg_warps", "Warps of a block", "PlexDG", way->warps, &way->warps, &set));
  PetscCheck(!set || (way->warps >= 1 && way->warps <= 32), PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_warps %" PetscInt_FMT " is not from 1 to 32", way->warps);
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether tensor cores compute it */
static PetscErrorCode PlexDGChooseUnit(PlexDG dg, PlexDGQuadratureFused *way)
{
  PetscFunctionBegin;
  way->tensor = (PetscBool)!PlexDGElementIsFaster_Private(dg);
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsBool("-plex_dg_tensor_cores", "Products on tensor cores, or a thread an element", "PlexDG",
                             way->tensor, &way->tensor, NULL));
  PetscOptionsEnd();
  PetscCheck(way->tensor || PlexDGElementFits_Private(dg), PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "-plex_dg_tensor_cores no is for elements of low degree with straight faces: leave it away");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of an element's record: PLEX_DG_RECORD of cuda/dg/quadrature_fused.cu */
static size_t PlexDGQuadratureRecord(PlexDG dg)
{
  const PetscInt dim = dg->reference->dim, faces = dg->reference->faces;
  PetscInt       reals = !PlexDGByPoints(dg) && dg->quadrature->affine ? dim * dim + faces * (dim + 1) : 0;

  if (dg->entropy) reals += 2;
  return PlexDGRecordBytes_Private(dg, reals);
}

/* The column where entropy variables begin by points: PLEX_DG_W_AT */
static PetscInt PlexDGEntropyColumn(PlexDG dg)
{
  const PetscInt unit = PlexFragmentColumns(dg->precision);

  return (PlexDGColumns(dg) + unit - 1) / unit * unit;
}

/* Numbers of an element and field in PlexDGBlock.G: PLEX_DG_SG */
static PetscInt PlexDGRow(PlexDG dg)
{
  const PetscInt unit = PlexFragmentColumns(dg->precision), NG = dg->quadrature->NG, Np = dg->reference->Np;
  PetscInt       entropy = 0; /* B has the place of numbers at faces, where these are as many: PLEX_DG_GIVEN_PLACE */

  if (dg->entropy)
    entropy = (NG + unit - 1) / unit * unit + (PlexDGFaceNumbers_Private(dg) < dg->system->Nf * Np ? Np : 0);
  if (PlexDGByPoints(dg)) return PlexDGEntropyColumn(dg) + entropy;
  return PlexFragmentStride(dg->precision, (PlexDGColumns(dg) + 1) / 2 * 2);
}

/* plex_dg_odd_stride() there */
static PetscInt PlexDGOddStride(PetscInt n)
{
  while (n % 16 != 3 && n % 16 != 5 && n % 16 != 11 && n % 16 != 13) ++n;
  return n;
}

/* Bytes of a block's shared memory: PlexDGBlock of cuda/dg/quadrature_fused.cu */
static size_t PlexDGQuadratureFusedShared(PlexDG dg, const PlexDGQuadratureFused *way)
{
  PlexDGReference R    = dg->reference;
  const size_t    real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const PetscInt  unit = PlexFragmentColumns(dg->precision), Nf = dg->system->Nf;
  const PetscInt row = (Nf - 1) * R->Np + (R->Np + unit - 1) / unit * unit,
                 SU  = PlexDGByPoints(dg) ? PlexDGOddStride(row) : PlexFragmentStride(dg->precision, row),
                 ST = PlexDGByPoints(dg) ? R->faces * R->Nfp | 1 : PlexFragmentStride(dg->precision, R->faces * R->Nfp);
  /* where energy is looked at, of points */
  const PetscInt energy = dg->entropy ? R->faces * dg->quadrature->MG + dg->quadrature->NG : 0;
  const size_t   reals  = (size_t)(SU + PetscMax(Nf * ST, SU) + Nf * PlexDGRow(dg) + energy +
                                   (PlexDGByPoints(dg) ? PlexDGFaceNumbers_Private(dg) : 0));

  return (size_t)way->elements * (PlexDGQuadratureRecord(dg) + reals * real + (dg->entropy ? sizeof(int) : 0)) +
         (dg->entropy ? (size_t)(dg->quadrature->NG + dg->quadrature->MG) * real : 0) +
         (PlexDGByPoints(dg) ? 16 + (size_t)(dg->quadrature->MG * R->Nfp) * real : 0) + PlexDGMeetingBytes_Private(dg);
}

/* Sets of tiles, each of a warp, of n points or nodes of 16 elements */
static PetscInt PlexDGSets(const PlexDGQuadratureFused *way, PetscInt n)
{
  return ((n + 7) / 8 + way->tiles - 1) / way->tiles;
}

/* By points, warps of which each has two points a thread. Else warps that find as many points to collocate; where three or more redistribute, as many as these:
   docs/notes/2026-rounds.md */
static PetscInt PlexDGChooseWarps(PlexDG dg, const PlexDGQuadratureFused *way)
{
  PlexDGReference  R              = dg->reference;
  PlexDGQuadrature Q              = dg->quadrature;
  const PetscInt   collocating    = PlexDGSets(way, Q->NG) + PlexDGSets(way, R->faces * Q->MG),
                   redistributing = PlexDGSets(way, R->Np),
                   points         = (way->elements * Q->NG + 31) / 32 + (way->elements * R->faces * Q->MG + 31) / 32;

  if (PlexDGByPoints(dg)) return PetscClipInterval((points + 1) / 2, 2, 8);
  return PetscClipInterval(way->elements / 16 *
                             (redistributing > 2 ? PetscMin(collocating, PetscMax(redistributing, 4))
                              : collocating % 2  ? collocating
                                                 : 2),
                           2, 8);
}

static PetscErrorCode PlexDGChooseSizes(PlexDG dg, PlexDGQuadratureFused *way)
{
  /* registers of a thread's sums of a field, in a tile */
  const PetscInt    number = dg->precision == PLEX_PRECISION_SINGLE ? 4 : 8;
  PetscInt          registers;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  way->elements = way->tensor ? 16 : 128;
  way->tiles    = dg->reference->Np > 96 ? 2 : 1;
  way->warps    = 0;
  PetscCall(PlexDGQuadratureFusedSetFromOptions(dg, way));
  if (!way->tensor) way->warps = way->elements / 32;
  else if (!way->warps) way->warps = PlexDGChooseWarps(dg, way);
  way->shared = way->tensor ? PlexDGQuadratureFusedShared(dg, way) : PlexDGElementShared_Private(dg, way->elements);
  PetscCheck(way->shared <= limits.sharedPerBlock, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "-plex_dg_gemm fused needs %zu bytes of shared memory for %" PetscInt_FMT
             " elements, and a block has %zu: use a smaller -plex_dg_block_elements, -plex_dg_gemm blas, "
             "-plex_dg_precision single, or a smaller -plex_dg_degree",
             way->shared, way->elements, limits.sharedPerBlock);
  /* by points with less some 40 bytes of a thread are spilled, which pays where more warps then have a turn: measured */
  registers = PlexDGByPoints(dg) ? (dg->reference->faces == 4 ? 80 : 68)
                                 : PetscMin(255, 64 + 2 * way->tiles * number * dg->system->Nf); /* without spills */
  way->resident = way->tensor ? PetscMax(1, PetscMin((PetscInt)(limits.sharedPerProcessor / (way->shared + 1024)),
                                                     65536 / (32 * way->warps * registers)))
                              : 1;
  way->later    = PetscMax(1, limits.multiprocessors) * way->resident;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants that are 0, 1 or positive, by bits, which the kernel is compiled for: three definitions */
static PetscErrorCode PlexDGNameConstants(PlexDG dg, char text[3][48])
{
  unsigned zeros = 0, ones = 0, positive = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < PetscMin(dg->system->host[dg->precision]->NC, PLEX_DG_GIVEN_CONSTANTS); ++i) {
    const double value = dg->precision == PLEX_PRECISION_SINGLE ? (float)dg->actual[i] : dg->actual[i];

    if (value == 0.) zeros |= 1u << i;
    else if (value == 1.) ones |= 1u << i;
    else if (value > 0.) positive |= 1u << i;
  }
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_ZEROS=%uu", zeros));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_ONES=%uu", ones));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_POSITIVE=%uu", positive));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that computes right-hand sides, or stages */
static PetscErrorCode PlexDGQuadratureFusedCompile(PlexDG dg, PetscBool stage, PlexModule *module, PlexKernel *kernel)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;
  char                   text[10][48];
  const char            *defines[PETSC_STATIC_ARRAY_LENGTH(text)];
  PetscInt               n = 6;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_WARPS=%" PetscInt_FMT, way->warps));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_TILES=%" PetscInt_FMT, way->tiles));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_STAGE=%d", (int)stage));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_DG_ELEMENTS=%" PetscInt_FMT, way->elements));
  PetscCall(PetscSNPrintf(text[4], sizeof(text[4]), "PLEX_DG_LATER=%" PetscInt_FMT, way->later));
  PetscCall(PetscSNPrintf(text[5], sizeof(text[5]), "PLEX_DG_RESIDENT=%" PetscInt_FMT, way->resident));
  if (way->tensor && PlexDGByPoints(dg)) {
    PetscCall(PlexDGNameConstants(dg, &text[n]));
    n += 3;
    if (dg->quadrature->flatC)
      PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_SCALE=%" PetscInt_FMT, dg->system->scale));
  }
  for (PetscInt k = 0; k < n; ++k) defines[k] = text[k];
  PetscCall(PlexDGCompilePoints_Private(dg, way->tensor ? "dg/quadrature_fused.cu" : "dg/quadrature_element.cu", n,
                                        defines, module));
  PetscCall(PlexModuleGetKernel(*module, way->tensor ? "plex_dg_quadrature_fused" : "plex_dg_quadrature_element",
                                kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What faces and fluxes need of the geometry, computed once */
static PetscErrorCode PlexDGQuadratureFusedComputeRecords(PlexDG dg)
{
  PlexDGQuadratureFused *way         = (PlexDGQuadratureFused *)dg->data;
  const PetscInt         threads     = 128;
  PlexDGArgs             args        = dg->args;
  void                  *arguments[] = {&args, &way->points, &way->fragments.numbers, &way->records};
  PlexKernel             kernel;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(dg->backend, (size_t)dg->mesh->Ne * PlexDGQuadratureRecord(dg), &way->records));
  way->fragments.records = way->records;
  args.begin             = (int)dg->mesh->Ninterior;
  PetscCall(PlexModuleGetKernel(way->module, "plex_dg_quadrature_records", &kernel));
  PetscCall(PlexKernelLaunch(kernel, (dg->mesh->Ne + threads - 1) / threads, threads, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By points, coefficients and M^-1 in the order in which they are read; lengths that are scaled: flat geometry */
static PetscErrorCode PlexDGQuadratureFusedUpload(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGPointArgs *points = &way->points;

  PetscFunctionBegin;
  if (!way->tensor || !PlexDGByPoints(dg)) {
    PetscCall(PlexDGUploadPointArgs_Private(dg, points));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (dg->quadrature->flatC) {
    PetscCall(PlexDGUploadFlatGeometry_Private(dg, &points->C));
    PetscCall(PlexDGUploadPositions_Private(dg, &points->x));
  } else PetscCall(PlexDGUploadGeometry_Private(dg, &points->C, &points->detJ, &points->normals, &points->x));
  PetscCall(PlexDGUploadEntropy_Private(dg, &points->energy));
  PetscCall(PlexDGUploadNumbers_Private(dg, way->elements, &way->fragments.numbers));
  PetscCall(PlexDGUploadHalfMass_Private(dg, way->elements, &way->fragments.Minv));
  for (PetscInt i = 0; i < PetscMin(dg->system->host[dg->precision]->NC, PLEX_DG_GIVEN_CONSTANTS); ++i)
    way->fragments.constants[i] = (double)dg->actual[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_QuadratureFused(PlexDG dg)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  PetscCheck(PlexBackendHasUnits(dg->backend), PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "-plex_dg_gemm fused needs tensor cores of compute capability 8.0 on, and %s is %s: use -plex_dg_gemm "
             "blas",
             dg->backend->limits.name, dg->backend->limits.arch);
  PetscCall(PlexDGChooseUnit(dg, way));
  PetscCall(PlexDGChooseSizes(dg, way));
  PetscCall(PlexDGQuadratureFusedUpload(dg, way));
  if (way->tensor) {
    PetscCall(PlexDGUploadRedistribution(dg, way));
    PetscCall(PlexDGUploadCollocation(dg, way));
    if (dg->entropy) PetscCall(PlexDGUploadWeighted(dg, way));
  } else PetscCall(PlexDGElementTables_Private(dg, &way->numbers));
  PetscCall(PlexDGUploadMeeting_Private(dg, &way->fragments.meet));
  PetscCall(PlexDGQuadratureFusedCompile(dg, PETSC_FALSE, &way->module, &way->kernel));
  if (way->tensor) PetscCall(PlexDGQuadratureFusedComputeRecords(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGLaunch(PlexDG dg, PlexKernel kernel, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;
  void *arguments[] = {(void *)args, (void *)stage, &way->points, way->tensor ? (void *)&way->fragments : way->numbers,
                       &way->fragments.meet};

  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(kernel, (args->end - args->begin + way->elements - 1) / way->elements, 32 * way->warps,
                             way->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_QuadratureFused(PlexDG dg, const PlexDGArgs *args)
{
  const PlexDGStage stage = {0};

  PetscFunctionBegin;
  PetscCall(PlexDGLaunch(dg, ((PlexDGQuadratureFused *)dg->data)->kernel, args, &stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGStage_QuadratureFused(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  if (!way->stageModule) PetscCall(PlexDGQuadratureFusedCompile(dg, PETSC_TRUE, &way->stageModule, &way->stageKernel));
  PetscCall(PlexDGLaunch(dg, way->stageKernel, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureFused(PlexDG dg, PetscViewer viewer)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;
  PlexKernelAttributes   attributes;

  PetscFunctionBegin;
  PetscCall(PlexKernelGetAttributes(way->stageKernel ? way->stageKernel : way->kernel, &attributes));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "one kernel%s: blocks of %" PetscInt_FMT " elements, %" PetscInt_FMT
                                   " threads, %zu bytes of shared memory, %" PetscInt_FMT " registers a thread\n",
                                   way->tensor ? "" : ", a thread an element", way->elements, 32 * way->warps,
                                   way->shared, attributes.registers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureFused(PlexDG dg)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  PetscCall(PlexModuleDestroy(&way->module));
  PetscCall(PlexModuleDestroy(&way->stageModule));
  PetscCall(PlexBackendFree(dg->backend, &way->records));
  PetscCall(PetscFree(way->numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCreateQuadrature_Fused_Private(PlexDG dg)
{
  PlexDGQuadratureFused *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_QuadratureFused;
  dg->ops->rhs   = PlexDGRHS_QuadratureFused;
  dg->ops->stage = PlexDGStage_QuadratureFused;
  dg->ops->view  = PlexDGView_QuadratureFused;
  dg->ops->reset = PlexDGReset_QuadratureFused;
  PetscFunctionReturn(PETSC_SUCCESS);
}
