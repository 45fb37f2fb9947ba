/* Kernels of type separate: how they are compiled and launched, and what they move. cuda/dg/separate*.cu */
#include "separateimpl.h"

#define PLEX_DG_POINTWISE_THREADS 256

const char *const PlexDGPartNames_Private[PLEX_DG_PARTS] = {"gather", "reference", "differentiate", "lift", "update"};

static PetscBool PlexDGIsNonlinear(PlexDG dg)
{
  return (PetscBool)(dg->system->host[dg->precision]->flux != NULL);
}

static size_t PlexDGRealBytes(PlexDG dg)
{
  return dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

PetscBool PlexDGPartExists_Private(PlexDG dg, PlexDGPartKind part)
{
  return (PetscBool)(part != PLEX_DG_REFERENCE || PlexDGIsNonlinear(dg));
}

static PetscBool PlexDGPartIsProduct(PlexDGPartKind part)
{
  return (PetscBool)(part == PLEX_DG_DIFFERENTIATE || part == PLEX_DG_LIFT);
}

/* Sizes of a product: sums of a thread, columns of the matrix, padded size of its units (0: the state itself) */
typedef struct {
  PetscInt          sums, columns, NIN;
  const PlexDGWork *work;
} PlexDGProduct;

static PlexDGProduct PlexDGProductGet(PlexDG dg, const PlexDGSeparate *way, PlexDGPartKind part)
{
  PlexDGReference R = dg->reference;

  if (part == PLEX_DG_LIFT)
    return (PlexDGProduct){.sums = 1, .columns = R->faces * R->Nfp, .NIN = way->NFM, .work = &way->table.lift};
  if (PlexDGIsNonlinear(dg))
    return (PlexDGProduct){.sums = 1, .columns = R->dim * R->Np, .NIN = way->NGM, .work = &way->table.differentiate};
  return (PlexDGProduct){.sums = R->dim, .columns = R->Np, .NIN = 0, .work = &way->table.differentiate};
}

/* Rows of a segment of the matrix. A microblock's rows are in as few segments as fit, with two blocks of threads on a
   multiprocessor; segments have about the same size */
static PetscInt PlexDGProductRows(PlexDG dg, const PlexDGSeparate *way, const PlexDGProduct *product)
{
  const PlexBackendLimits *limits = &dg->backend->limits;
  const PetscInt           align = way->table.align, all = way->table.microblock * dg->reference->Np;
  const size_t             row   = (size_t)(product->sums * product->columns | 1) * PlexDGRealBytes(dg),
                           space = PetscMin(limits->sharedPerBlock, limits->sharedPerProcessor / 2 - 1024);
  PetscInt                 most, segments;

  if (product->work->rows) return product->work->rows;
  most     = PetscClipInterval((PetscInt)(space / row) / align * align, align, 1024);
  segments = (all + most - 1) / most;
  return ((all + segments - 1) / segments + align - 1) / align * align;
}

/* Blocks for so many microblocks, threads and shared memory of a block */
typedef struct {
  PetscInt grid, threads, rows;
  size_t   shared;
} PlexDGLaunchSize;

static PlexDGLaunchSize PlexDGPartSize(PlexDG dg, const PlexDGSeparate *way, PlexDGPartKind part, PetscInt nM)
{
  const PlexDGTable *t    = &way->table;
  PlexDGReference    R    = dg->reference;
  const PetscInt     Nf   = dg->system->Nf;
  const size_t       real = PlexDGRealBytes(dg);
  PlexDGLaunchSize   size = {.threads = PLEX_DG_POINTWISE_THREADS};

  if (PlexDGPartIsProduct(part)) {
    const PlexDGProduct product = PlexDGProductGet(dg, way, part);
    const PlexDGWork   *work    = product.work;
    const PetscInt units = work->parallel * work->inlined * work->sequential, blocks = (nM * Nf + units - 1) / units;

    if (work->shared == PLEX_DG_SHARED_FIELD) {
      size.grid    = blocks;
      size.threads = way->NPM * work->parallel;
      size.shared  = (size_t)(work->parallel * work->inlined * product.columns * t->microblock) * real;
    } else {
      size.rows    = PlexDGProductRows(dg, way, &product);
      size.grid    = blocks * ((t->microblock * R->Np + size.rows - 1) / size.rows);
      size.threads = size.rows * work->parallel;
      size.shared  = (size_t)(size.rows * (product.sums * product.columns | 1)) * real;
    }
  } else if (part == PLEX_DG_GATHER && t->gather == PLEX_DG_GATHER_BLOCKS) {
    size.grid    = nM / t->microblocks;
    size.threads = R->Nfp * t->pairs;
    size.shared  = (size_t)(t->microblocks * Nf * way->NFM + way->most * (R->dim + 2)) * real +
                   (size_t)way->most * sizeof(PlexDGPair);
  } else {
    const PetscInt n = part == PLEX_DG_GATHER ? way->NFM : way->NPM;

    size.grid = (PetscInt)(((PetscInt64)nM * n + size.threads - 1) / size.threads);
  }
  size.threads = (size.threads + 31) / 32 * 32;
  return size;
}

PetscErrorCode PlexDGPartFits_Private(PlexDG dg, PlexDGSeparate *way, PlexDGPartKind part, PetscBool *fits, char why[],
                                      size_t length)
{
  const PlexDGLaunchSize size   = PlexDGPartSize(dg, way, part, way->nM);
  PetscInt               most   = dg->backend->limits.threadsPerBlock;
  size_t                 shared = dg->backend->limits.sharedPerBlock;

  PetscFunctionBegin;
  if (way->kernel[part][0]) {
    PlexKernelAttributes attributes;

    PetscCall(PlexKernelGetAttributes(way->kernel[part][0], &attributes));
    most = PetscMin(most, attributes.threadsPerBlock);
  }
  *fits = (PetscBool)(size.threads <= most && size.shared <= shared);
  if (!*fits)
    PetscCall(PetscSNPrintf(why, length,
                            "blocks of %" PetscInt_FMT " threads with %zu bytes of shared memory, where %" PetscInt_FMT
                            " and %zu are the most",
                            size.threads, size.shared, most, shared));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A stage reads the state in the operator's precision, which in double precision makes no difference but to the
   update */
static PetscInt PlexDGPartVariant(PlexDG dg, PlexDGPartKind part, PetscBool stage)
{
  return stage && (part == PLEX_DG_UPDATE || dg->precision == PLEX_PRECISION_SINGLE) ? 1 : 0;
}

PetscErrorCode PlexDGPartCompile_Private(PlexDG dg, PlexDGSeparate *way, PlexDGPartKind part, PetscBool stage)
{
  const PetscInt    variant = PlexDGPartVariant(dg, part, stage);
  const char *const files[] = {"dg/separate_gather.cu", "dg/separate_update.cu", "dg/separate_product.cu",
                               "dg/separate_product.cu", "dg/separate_update.cu"};
  const char       *kernel  = part == PLEX_DG_REFERENCE ? "plex_dg_reference" : "plex_dg_update";
  char              text[10][48];
  const char       *defines[PETSC_STATIC_ARRAY_LENGTH(text)];
  PetscInt          n = 0;

  PetscFunctionBegin;
  if (way->kernel[part][variant]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_KM=%" PetscInt_FMT, way->table.microblock));
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_ALIGN=%" PetscInt_FMT, way->table.align));
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_NPM=%" PetscInt_FMT, way->NPM));
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_NFM=%" PetscInt_FMT, way->NFM));
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_NGM=%" PetscInt_FMT, way->NGM));
  PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_STAGE=%d", (int)variant));
  if (PlexDGPartIsProduct(part)) {
    const PlexDGProduct product = PlexDGProductGet(dg, way, part);

    PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_SUMS=%" PetscInt_FMT, product.sums));
    PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_COLUMNS=%" PetscInt_FMT, product.columns));
    PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_NIN=%" PetscInt_FMT, product.NIN));
    PetscCall(PetscSNPrintf(text[n++], sizeof(text[0]), "PLEX_DG_INLINE=%" PetscInt_FMT, product.work->inlined));
    kernel = product.work->shared == PLEX_DG_SHARED_FIELD ? "plex_dg_product_field" : "plex_dg_product_matrix";
  }
  if (part == PLEX_DG_GATHER)
    kernel = way->table.gather == PLEX_DG_GATHER_FACES ? "plex_dg_gather_faces" : "plex_dg_gather_blocks";
  for (PetscInt k = 0; k < n; ++k) defines[k] = text[k];
  if (!way->module[part][variant]) PetscCall(PlexDGCompile(dg, files[part], n, defines, &way->module[part][variant]));
  PetscCall(PlexModuleGetKernel(way->module[part][variant], kernel, &way->kernel[part][variant]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPartReset_Private(PlexDGSeparate *way, PlexDGPartKind part)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexModuleDestroy(&way->module[part][k]));
    way->kernel[part][k] = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPartLaunch_Private(PlexDG dg, PlexDGSeparate *way, PlexDGPartKind part, const PlexDGRange *range,
                                        const PlexDGArgs *args, const PlexDGStage *stage)
{
  const PlexDGTable     *t           = &way->table;
  const PlexDGLaunchSize size        = PlexDGPartSize(dg, way, part, range->stop - range->begin);
  PlexDGSeparateArgs     s           = {.u           = stage ? stage->u : args->u,
                                        .element     = way->element,
                                        .pairs       = way->pairs,
                                        .normals     = way->normals,
                                        .blocks      = way->blocks,
                                        .flux        = way->flux,
                                        .reference   = way->reference,
                                        .volume      = way->volume,
                                        .lifted      = way->lifted,
                                        .begin       = (int)range->begin,
                                        .end         = (int)range->stop,
                                        .rows        = (int)size.rows,
                                        .microblocks = (int)t->microblocks,
                                        .most        = (int)way->most};
  PlexDGStage            none        = {0};
  void                  *arguments[] = {(void *)args, &s, stage ? (void *)stage : &none};

  PetscFunctionBegin;
  if (PlexDGPartIsProduct(part)) {
    const PlexDGWork *work = PlexDGProductGet(dg, way, part).work;

    s.parallel   = (int)work->parallel;
    s.sequential = (int)work->sequential;
    s.matrix     = part == PLEX_DG_LIFT ? args->L : args->D;
    s.in         = part == PLEX_DG_LIFT ? way->flux : way->reference;
    s.out        = part == PLEX_DG_LIFT ? way->lifted : way->volume;
  } else s.parallel = (int)t->pairs;
  PetscCall(PlexKernelLaunch(way->kernel[part][PlexDGPartVariant(dg, part, (PetscBool)(stage != NULL))], size.grid,
                             size.threads, size.shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPartCost_Private(PlexDG dg, PlexDGSeparate *way, PlexDGPartKind part, double *bytes, double *flops)
{
  PlexDGReference R    = dg->reference;
  PlexDGMesh      mesh = dg->mesh;
  const double    real = (double)PlexDGRealBytes(dg), units = (double)way->nM * dg->system->Nf,
                  values = (double)mesh->Ne * dg->system->Nf * R->Np;
  const double    volume = PlexDGIsNonlinear(dg) ? 1. : R->dim, trace = (double)dg->system->Nf * R->Nfp,
                  map = real * R->dim * R->dim * mesh->Ne;

  PetscFunctionBegin;
  *flops = 0.;
  *bytes = 0.;
  switch (part) {
  case PLEX_DG_GATHER:
    if (way->table.gather == PLEX_DG_GATHER_BLOCKS)
      *bytes = (2. * (way->interior + way->exterior) + way->boundary) * trace * sizeof(double) +
               (double)(way->interior + way->exterior + way->boundary) * (sizeof(PlexDGPair) + (R->dim + 2) * real);
    else
      *bytes = (2. * mesh->Ne * R->faces - mesh->nfacets) * trace * sizeof(double) + map +
               (double)mesh->Ne * R->faces * sizeof(int);
    *bytes += units * way->NFM * real;
    break;
  case PLEX_DG_REFERENCE:
    *bytes = values * (sizeof(double) + R->dim * real) + map;
    break;
  case PLEX_DG_DIFFERENTIATE:
    *bytes = PlexDGIsNonlinear(dg) ? values * R->dim * real : values * sizeof(double) + map;
    *bytes += units * way->NPM * volume * real;
    *flops = 2. * values * R->dim * R->Np;
    break;
  case PLEX_DG_LIFT:
    *bytes = units * (way->NFM + way->NPM) * real;
    *flops = 2. * values * R->faces * R->Nfp;
    break;
  default:
    *bytes = values * (2. * sizeof(double) + (volume + 1.) * real);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
