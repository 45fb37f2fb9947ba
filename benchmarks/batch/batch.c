/*
  Element matrices alone, in batches of elements: the kernel of Knepley and Terrel (2011) and its parameters
*/
#include "batch.h"
#include "batch_args.h"
#include "../devicesource.h"
#include "../../src/dm/elementsimpl.h" /* PlexCofactors() */

const char *const PlexBatchGeometries[]  = {"shared",         "prefetch", "direct", "coordinates", "PlexBatchGeometry",
                                            "PLEX_GEOMETRY_", NULL};
const char *const PlexBatchStoresNames[] = {"direct", "shared", "bulk", "PlexBatchStores", "PLEX_STORES_", NULL};

#define PLEX_BATCH_MOST 1000000 /* elements of a batch; no block's memory holds as many */

/* ---- The form ---- */

/* K[(n,c)(m,d)][ab] = scale delta_cd sum_q w_q d_a phi_n(q) d_b phi_m(q) */
static void PlexBatchFormIntegrate(PlexBatchForm *form, PetscInt Nc, PetscReal scale, PetscInt Nq,
                                   const PetscReal weights[], PetscInt Nb, const PetscReal dphi[])
{
  const PetscInt dim = form->dim;

  for (PetscInt n = 0; n < Nb; ++n) {
    for (PetscInt m = 0; m < Nb; ++m) {
      PetscReal sum[9] = {0.};
      PetscInt  g      = 0;

      for (PetscInt q = 0; q < Nq; ++q)
        for (PetscInt ab = 0; ab < dim * dim; ++ab)
          sum[ab] += scale * weights[q] * dphi[(q * Nb + n) * dim + ab / dim] * dphi[(q * Nb + m) * dim + ab % dim];
      for (PetscInt a = 0; a < dim; ++a) {
        for (PetscInt b = form->symmetric ? a : 0; b < dim; ++b, ++g) {
          const PetscReal k = form->symmetric && a != b ? sum[a * dim + b] + sum[b * dim + a] : sum[a * dim + b];

          for (PetscInt c = 0; c < Nc; ++c)
            form->K[((n * Nc + c) * form->rows + m * Nc + c) * form->ng + g] = PetscAbsReal(k) < 1e-14 ? 0. : k;
        }
      }
    }
  }
}

PetscErrorCode PlexBatchFormInitialize(PetscInt dim, PetscInt degree, PetscInt Nc, PetscBool symmetric,
                                       PlexBatchForm *form)
{
  const DMPolytopeType cell = dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON;
  PetscFE              fe, linear;
  PetscQuadrature      quadrature;
  PetscTabulation      T, Tx;
  const PetscReal     *points, *weights;
  PetscInt             Nq, Nb;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(form, sizeof(*form)));
  PetscCheck(dim == 2 || dim == 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Element matrices alone are of triangles and tetrahedra, dimension 2 or 3, not %" PetscInt_FMT, dim);
  PetscCheck(Nc == 1 || Nc == dim, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Element matrices alone have 1 component, or %" PetscInt_FMT " in as many dimensions, not %" PetscInt_FMT,
             dim, Nc);
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, cell, degree, PETSC_DETERMINE, &fe));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, cell, 1, PETSC_DETERMINE, &linear));
  PetscCall(PetscFEGetDimension(fe, &Nb));
  form->dim       = dim;
  form->rows      = Nb * Nc;
  form->nd        = form->rows * form->rows;
  form->symmetric = symmetric;
  form->ng        = symmetric ? dim * (dim + 1) / 2 : dim * dim;
  form->nv        = dim + 1;
  PetscCheck((size_t)(form->nd * form->ng) <= PETSC_STATIC_ARRAY_LENGTH(form->K), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE,
             "K has %" PetscInt_FMT " numbers, more than the %d that are compiled into a kernel: use a smaller degree",
             form->nd * form->ng, (int)PETSC_STATIC_ARRAY_LENGTH(form->K));
  PetscCall(PetscFEGetQuadrature(fe, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, &points, &weights));
  PetscCall(PetscFECreateTabulation(fe, 1, Nq, points, 1, &T));
  PlexBatchFormIntegrate(form, Nc, Nc > 1 ? 0.25 : 1., Nq, weights, Nb, T->T[1]);
  PetscCall(PetscFECreateTabulation(linear, 1, 1, points, 1, &Tx));
  PetscCall(PetscArraycpy(form->dpsi, Tx->T[1], form->nv * dim));
  PetscCall(PetscTabulationDestroy(&Tx));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&linear));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* G = J^-1 J^-T |J| (equation 8), J[d][a] = sum_n x_n[d] d_a psi_n; C = |J| J^-1 */
PetscErrorCode PlexBatchFormGetGeometry(const PlexBatchForm *form, const PetscReal x[], PetscReal G[])
{
  const PetscInt dim     = form->dim;
  PetscReal      J[3][3] = {{0.}}, C[3][3], det;
  PetscInt       g       = 0;

  PetscFunctionBegin;
  for (PetscInt n = 1; n < form->nv; ++n)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt a = 0; a < dim; ++a) J[d][a] += (x[n * dim + d] - x[d]) * form->dpsi[n * dim + a];
  det = PlexCofactors(dim, J, C);
  PetscCheck(det > 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "An element has the Jacobian determinant %g: its vertices are in the other orientation, or in one plane",
             (double)det);
  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt b = form->symmetric ? a : 0; b < dim; ++b, ++g) {
      G[g] = 0.;
      for (PetscInt d = 0; d < dim; ++d) G[g] += C[a][d] * C[b][d] / det;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Parameters ---- */

PetscErrorCode PlexBatchParametersDefault(PlexBatchParameters *p)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->elementBatch = 128;
  p->concurrent   = 2;
  p->entries      = 1;
  p->interleave   = PETSC_TRUE;
  p->unroll       = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchParametersSetFromOptions(const char prefix[], PlexBatchParameters *p)
{
  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, prefix, "Element matrices in batches", "PlexBatch");
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_element_batch", "Elements that a block takes at a time", "PlexBatch",
                                   p->elementBatch, &p->elementBatch, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_concurrent_elements", "Elements computed side by side", "PlexBatch",
                                   p->concurrent, &p->concurrent, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_entries_per_thread",
                                   "Entries of a matrix that a thread computes, 0: all", "PlexBatch", p->entries,
                                   &p->entries, NULL, 0));
  PetscCall(PetscOptionsBool("-plex_assembly_interleave_stores", "Store entries as they are computed", "PlexBatch",
                             p->interleave, &p->interleave, NULL));
  PetscCall(PetscOptionsBool("-plex_assembly_unroll", "Loops as straight-line code", "PlexBatch", p->unroll, &p->unroll,
                             NULL));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_blocks",
                                   "Blocks that take the batches in turn, 0: a block a batch, -1: as many as the "
                                   "device holds",
                                   "PlexBatch", p->blocks, &p->blocks, NULL, PLEX_BLOCKS_RESIDENT));
  PetscCall(PetscOptionsEnum("-plex_assembly_geometry", "Where G comes from", "PlexBatch", PlexBatchGeometries,
                             (PetscEnum)p->geometry, (PetscEnum *)&p->geometry, NULL));
  PetscCall(PetscOptionsEnum("-plex_assembly_stores", "How matrices go to memory", "PlexBatch", PlexBatchStoresNames,
                             (PetscEnum)p->stores, (PetscEnum *)&p->stores, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sizes that follow from the parameters */
typedef struct {
  PetscInt each, set, threads;
  PetscInt vector, vectorG, vectorLoad; /* numbers a load or store: of entries, of one G, of a batch of them */
  PetscInt sharedG;                     /* numbers of a batch's G in shared memory, once; 0: none */
  PetscInt stageSize, stages;           /* vectors of a buffer of matrices, buffers */
  size_t   real, sharedBytes;
} PlexBatchSizes;

/* The most numbers of 16 bytes that divide n */
static PetscInt PlexBatchVector(PetscInt n, size_t real)
{
  PetscInt v = (PetscInt)(16 / real);

  while (n % v) v /= 2;
  return v;
}

static void PlexBatchGetSizes(const PlexBatchForm *form, PlexPrecision precision, const PlexBatchParameters *p,
                              PlexBatchSizes *s)
{
  const PetscInt part = p->interleave ? p->concurrent : p->elementBatch;
  PetscInt       chunks;

  s->real       = precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  s->each       = p->entries ? p->entries : form->nd;
  s->set        = form->nd / s->each;
  s->threads    = p->concurrent * s->set;
  s->vector     = PlexBatchVector(s->each, s->real);
  s->vectorG    = PlexBatchVector(form->ng, s->real);
  s->vectorLoad = PlexBatchVector(form->ng * p->elementBatch, s->real);
  chunks        = form->nd / s->vector;
  s->sharedG    = p->geometry == PLEX_GEOMETRY_DIRECT || (p->geometry == PLEX_GEOMETRY_COORDINATES && s->set == 1)
                  ? 0
                  : (p->elementBatch * form->ng + 3) / 4 * 4;
  s->stages     = p->stores == PLEX_STORES_BULK && (p->blocks || part < p->elementBatch) ? 2 : 1;
  s->stageSize  = part * (p->stores == PLEX_STORES_BULK || !(chunks & (chunks - 1)) ? chunks : (chunks | 1));
  if (p->stores == PLEX_STORES_DIRECT) s->stages = s->stageSize = 0;
  s->sharedBytes = s->real * ((size_t)s->sharedG * (p->geometry == PLEX_GEOMETRY_PREFETCH ? 2 : 1) +
                              (size_t)s->stages * s->stageSize * s->vector);
}

PetscErrorCode PlexBatchParametersCheck(const PlexBatchForm *form, PlexPrecision precision,
                                        const PlexBatchParameters *p, const PlexBackendLimits *limits, char why[],
                                        size_t size)
{
  const size_t   real = precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  PlexBatchSizes s;
  int            arch = 0;

  PetscFunctionBegin;
  why[0] = 0;
  if (sscanf(limits->arch, "sm_%d", &arch) != 1) arch = 0;
  if (p->elementBatch < 1 || p->concurrent < 1 || p->elementBatch % p->concurrent)
    PetscCall(PetscSNPrintf(why, size,
                            "%" PetscInt_FMT " concurrent elements do not divide a batch of %" PetscInt_FMT
                            ": choose -plex_assembly_element_batch as a multiple of -plex_assembly_concurrent_elements",
                            p->concurrent, p->elementBatch));
  else if (p->elementBatch > PLEX_BATCH_MOST)
    PetscCall(PetscSNPrintf(why, size,
                            "A batch of %" PetscInt_FMT
                            " elements is more than %d: choose a smaller -plex_assembly_element_batch",
                            p->elementBatch, PLEX_BATCH_MOST));
  else if (p->entries < 0 || (p->entries && form->nd % p->entries))
    PetscCall(PetscSNPrintf(why, size,
                            "%" PetscInt_FMT " entries a thread do not divide an element matrix of %" PetscInt_FMT
                            ": choose another -plex_assembly_entries_per_thread, 0 for all",
                            p->entries, form->nd));
  else if (p->stores != PLEX_STORES_DIRECT && p->entries && p->entries != form->nd)
    PetscCall(PetscSNPrintf(why, size,
                            "Stores %s are for threads that compute whole matrices, not %" PetscInt_FMT
                            " of %" PetscInt_FMT
                            " entries: -plex_assembly_entries_per_thread 0, or -plex_assembly_stores direct",
                            PlexBatchStoresNames[p->stores], p->entries, form->nd));
  else if (arch &&
           ((p->stores == PLEX_STORES_BULK && arch < 90) || (p->geometry == PLEX_GEOMETRY_PREFETCH && arch < 80)))
    PetscCall(PetscSNPrintf(why, size,
                            "Stores bulk need sm_90 and geometry prefetch sm_80, and %s has %s: -plex_assembly_stores "
                            "shared, -plex_assembly_geometry shared",
                            limits->name, limits->arch));
  else if (p->stores == PLEX_STORES_BULK && form->nd * real % 16)
    PetscCall(PetscSNPrintf(why, size,
                            "Stores bulk copy multiples of 16 bytes, and an element matrix has %zu: "
                            "-plex_assembly_stores shared",
                            (size_t)form->nd * real));
  else if (p->geometry == PLEX_GEOMETRY_PREFETCH && p->elementBatch * form->ng * real % 16)
    PetscCall(PetscSNPrintf(why, size,
                            "Geometry prefetch copies multiples of 16 bytes, and the G of a batch have %zu: choose "
                            "another -plex_assembly_element_batch",
                            (size_t)(p->elementBatch * form->ng) * real));
  else if (p->geometry == PLEX_GEOMETRY_PREFETCH && !p->blocks)
    PetscCall(PetscSNPrintf(why, size,
                            "Geometry prefetch is for blocks that go on to another batch: -plex_assembly_blocks -1, or "
                            "-plex_assembly_geometry shared"));
  else {
    PlexBatchGetSizes(form, precision, p, &s);
    if (s.threads > limits->threadsPerBlock)
      PetscCall(PetscSNPrintf(why, size,
                              "%" PetscInt_FMT " concurrent elements of %" PetscInt_FMT
                              " threads each are more than the %" PetscInt_FMT
                              " threads that a block may have: choose a smaller -plex_assembly_concurrent_elements",
                              p->concurrent, s.set, limits->threadsPerBlock));
    else if (s.sharedBytes > limits->sharedPerBlock)
      PetscCall(PetscSNPrintf(why, size,
                              "A batch of %" PetscInt_FMT " elements needs %zu bytes of shared memory, and a block may "
                              "have %zu: choose a smaller -plex_assembly_element_batch",
                              p->elementBatch, s.sharedBytes, limits->sharedPerBlock));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The kernel ---- */

static void PlexBatchWriteTable(FILE *file, const char name[], PetscInt n, const PetscReal table[])
{
  fprintf(file, "#define %s ", name);
  for (PetscInt k = 0; k < n; ++k) fprintf(file, "%s%.17g", k ? ", " : "", (double)table[k]);
  fprintf(file, "\n");
}

/* Sizes and tables, as batch.cu names them */
static void PlexBatchWriteText(PlexBatch batch, const PlexBatchSizes *s, const char source[], FILE *file)
{
  const PlexBatchForm       *form = &batch->form;
  const PlexBatchParameters *p    = &batch->p;

  fprintf(file, "#define PLEX_SERIAL %d\n#define PLEX_SINGLE %d\n#define PLEX_DIM %d\n#define PLEX_NV %d\n",
          (int)batch->serial, (int)(batch->precision == PLEX_PRECISION_SINGLE), (int)form->dim, (int)form->nv);
  fprintf(file, "#define PLEX_ND %d\n#define PLEX_NG %d\n#define PLEX_SYMMETRIC_G %d\n", (int)form->nd, (int)form->ng,
          (int)form->symmetric);
  fprintf(file, "#define PLEX_BATCH %d\n#define PLEX_CONCURRENT %d\n#define PLEX_EACH %d\n", (int)p->elementBatch,
          (int)p->concurrent, (int)s->each);
  fprintf(file, "#define PLEX_INTERLEAVE_STORES %d\n#define PLEX_UNROLL_LOOPS %d\n", (int)p->interleave,
          (int)p->unroll);
  fprintf(file,
          "#define PLEX_COORDINATES %d\n#define PLEX_PREFETCH %d\n#define PLEX_SHARED_G %d\n#define PLEX_SHARED_G_SIZE "
          "%d\n",
          (int)(p->geometry == PLEX_GEOMETRY_COORDINATES), (int)(p->geometry == PLEX_GEOMETRY_PREFETCH),
          (int)(s->sharedG > 0), (int)s->sharedG);
  fprintf(file, "#define PLEX_STAGED %d\n#define PLEX_STAGES %d\n#define PLEX_STAGE_SIZE %d\n", (int)p->stores,
          (int)s->stages, (int)s->stageSize);
  fprintf(file, "#define PLEX_VECTOR %d\n#define PLEX_VECTOR_G %d\n#define PLEX_VECTOR_LOAD %d\n", (int)s->vector,
          (int)s->vectorG, (int)s->vectorLoad);
  PlexBatchWriteTable(file, "PLEX_K_TABLE", form->nd * form->ng, form->K);
  PlexBatchWriteTable(file, "PLEX_DPSI_TABLE", form->nv * form->dim, form->dpsi);
  fprintf(file, "#include \"%s\"\n", source);
}

static PetscErrorCode PlexBatchCompile(PlexBatch batch, const PlexBatchSizes *s)
{
  char           source[PETSC_MAX_PATH_LEN], *text = NULL;
  size_t         size = 0;
  FILE          *file;
  PetscLogDouble begin, end;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(BenchDeviceSource("batch/batch.cu", source));
  file = open_memstream(&text, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PlexBatchWriteText(batch, s, source, file);
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PetscCall(PetscTime(&begin));
  ierr = PlexBackendCompile(batch->backend, "batch.cu", 0, NULL, text, &batch->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(batch->module, "plex_batch", &batch->kernel));
  PetscCall(PlexKernelGetAttributes(batch->kernel, &batch->attributes));
  PetscCall(PetscTime(&end));
  batch->compileTime = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of a multiprocessor: by its registers, 64 K and given out to warps by the 8 a thread; by shared memory, of
   which a block takes 1 KiB more than it asks for; by threads, 2048; and at most 32 */
static PetscInt PlexBatchResident(PlexBatch batch)
{
  const PlexBackendLimits *limits = &batch->backend->limits;
  const PetscInt warps = (batch->threads + 31) / 32, registers = PetscMax(8, (batch->attributes.registers + 7) / 8 * 8);
  const size_t   shared = batch->sharedBytes + batch->attributes.sharedBytes + 1024;
  PetscInt       blocks = PetscMin(32, 64 / warps);

  blocks = PetscMin(blocks, 65536 / (registers * 32 * warps));
  if (limits->sharedPerProcessor) blocks = PetscMin(blocks, (PetscInt)(limits->sharedPerProcessor / shared));
  return PetscMax(1, blocks) * PetscMax(1, limits->multiprocessors);
}

PetscErrorCode PlexBatchCreate(PlexBackend backend, const PlexBatchForm *form, PlexPrecision precision,
                               const PlexBatchParameters *p, PlexBatch *batch)
{
  PlexBatch      b;
  PlexBatchSizes s;
  char           why[512];

  PetscFunctionBegin;
  *batch = NULL;
  PetscCall(PetscNew(&b));
  *batch       = b;
  b->form      = *form;
  b->p         = *p;
  b->precision = precision;
  b->serial    = (PetscBool)!backend->kernels;
  if (b->serial) PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &b->backend));
  else {
    PetscCall(PetscObjectReference((PetscObject)backend));
    b->backend = backend;
  }
  PetscCall(PlexBatchParametersCheck(form, precision, p, &b->backend->limits, why, sizeof(why)));
  PetscCheck(!why[0], PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%s", why);
  PlexBatchGetSizes(form, precision, p, &s);
  b->p.entries   = s.each;
  b->threads     = s.threads;
  b->sharedBytes = s.sharedBytes;
  PetscCall(PlexBatchCompile(b, &s));
  b->resident = PlexBatchResident(b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchIntegrate(PlexBatch batch, PetscInt n, const void *G, const int vertices[], const double x[],
                                  void *A)
{
  const PetscInt batches = (n + batch->p.elementBatch - 1) / batch->p.elementBatch;
  PlexBatchArgs  args    = {G, A, vertices, x, (int)n};
  void          *list[]  = {&args};

  PetscFunctionBegin;
  PetscCheck(batch->p.geometry == PLEX_GEOMETRY_COORDINATES ? vertices && x : G != NULL, PETSC_COMM_SELF,
             PETSC_ERR_ARG_NULL, "Geometry %s needs %s", PlexBatchGeometries[batch->p.geometry],
             batch->p.geometry == PLEX_GEOMETRY_COORDINATES ? "vertices and coordinates" : "G");
  if (batch->serial) PetscCall(PlexKernelLaunch(batch->kernel, PetscMin(1, batches), 1, batch->sharedBytes, list));
  else
    PetscCall(PlexKernelLaunch(batch->kernel,
                               batch->p.blocks
                                 ? PetscMin(batches, batch->p.blocks < 0 ? batch->resident : batch->p.blocks)
                                 : batches,
                               batch->threads, batch->sharedBytes, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchDestroy(PlexBatch *batch)
{
  PetscFunctionBegin;
  if (!*batch) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&(*batch)->module));
  PetscCall(PlexBackendDestroy(&(*batch)->backend));
  PetscCall(PetscFree(*batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}
