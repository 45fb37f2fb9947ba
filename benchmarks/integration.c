static char help[] = "Element integration alone, into element matrices: the kernel of Knepley and Terrel (2011) and "
                     "its parameters.\n\n"
                     "  -form A,B                laplacian (tetrahedra), elasticity (triangles); default both\n"
                     "  -precision A,B           single, double; default single\n"
                     "  -elements N              at least so many elements (default 8000000 on a GPU, 1000000 on the "
                     "host, 20000 emulated)\n"
                     "  -bench_backend NAME      cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -mode A,B                table (default): the paper's choice and others; one: what the options "
                     "below say; search: all\n"
                     "                           combinations; figures: series over elements and parameters, printed "
                     "to the file of -csv only\n"
                     "  -reps N                  samples of which the median is taken (default 11)\n"
                     "  -symmetric               of G only the entries on and above the diagonal are stored and read\n"
                     "  -share K/N               only compile each N-th kernel of the modes, beginning with K: "
                     "processes fill the cache together\n"
                     "  -best N                  rows that a search prints (default 12)\n"
                     "  -least SHARE             fail where the best row of a form in single precision is below this "
                     "share of the copy bandwidth\n"
                     "  -csv FILE                append all rows\n\n"
                     "The parameters of -mode one, with the paper's best for the Laplacian as defaults:\n"
                     "  -plex_assembly_element_batch N        elements that a block takes at a time (128)\n"
                     "  -plex_assembly_concurrent_elements N  of them computed side by side (2); divides the batch\n"
                     "  -plex_assembly_interleave_stores      entries are stored as they are computed (true), else at "
                     "the end of a batch\n"
                     "  -plex_assembly_unroll                 loops are straight-line code (true)\n"
                     "  -plex_assembly_entries_per_thread N   entries of a matrix that a thread computes (1); 0: all\n"
                     "  -plex_assembly_blocks N               blocks that take the batches in turn; 0: a block a "
                     "batch; -1: as many as the device holds\n"
                     "  -plex_assembly_geometry NAME          shared, prefetch, direct: how G is read; coordinates: "
                     "computed from the vertices\n"
                     "  -plex_assembly_stores NAME            direct, shared, bulk: how matrices go to memory\n\n";

/*
  GF/s as the paper counts: 2 nd dim^2 flops an element, zeros of K and both halves of G included. GB/s: the element
  matrix written and G read once, in the precision of the run; where G is computed, 4 bytes a vertex of an element and 8
  dim bytes a coordinate node in its place. "of copy" is its share of what a device to device copy reaches, measured in
  the same run.
*/
#include "bench.h"
#include "batch/batch.h"

typedef enum {
  MODE_TABLE,
  MODE_ONE,
  MODE_SEARCH,
  MODE_FIGURES
} Mode;
static const char *const Modes[]      = {"table", "one", "search", "figures"};
static const char *const Forms[]      = {"laplacian", "elasticity"};
static const char *const Precisions[] = {"single", "double"};

typedef struct {
  PetscInt            nmodes, modes[4], reps, elements, best, share, shares;
  PetscInt            nforms, forms[2], nprecisions, precisions[2];
  PetscBool           symmetric;
  PetscReal           least;
  char                backend[64], csv[PETSC_MAX_PATH_LEN];
  PlexBatchParameters p;
} Options;

/* Elements, their tensors on the host and on the device, and room for their matrices */
typedef struct {
  PetscInt      form;
  PlexPrecision precision;
  PlexBatchForm f;
  PetscInt      n, nx;    /* elements, coordinate nodes */
  int          *vertices; /* [n][nv] */
  PetscReal    *x;        /* [nx][dim] */
  PetscReal    *G;        /* [n][ng] */
  void         *sample;   /* [SAMPLE][nd] */
  PlexBackend   backend;
  void         *vertexDevice, *xDevice, *GDevice, *A;
} Problem;
#define SAMPLE  4096 /* elements that are compared at a time, */
#define SAMPLES 9    /* in so many places */

typedef struct {
  PlexBatchParameters p;
  const char         *name;
  PetscInt            n; /* elements */
  PetscLogDouble      seconds, compile;
  PetscInt            registers, threads;
  double              flops, bytes;
  PetscReal           difference;
} Row;

/* ---- Options ---- */

static PetscErrorCode GetList(const char option[], PetscInt n, const char *const names[], PetscInt first,
                              PetscInt *count, PetscInt which[])
{
  char    *given[8];
  PetscInt k = PETSC_STATIC_ARRAY_LENGTH(given);

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, option, given, &k, NULL));
  *count = k ? k : first;
  for (PetscInt i = 0; i < *count; ++i) {
    which[i] = i;
    if (!k) continue;
    for (which[i] = 0; which[i] < n && strcmp(given[i], names[which[i]]); ++which[i]) { }
    PetscCheck(which[i] < n && i < n, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "%s does not take %s: -h says what it takes", option, given[i]);
  }
  for (PetscInt i = 0; i < k; ++i) PetscCall(PetscFree(given[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGet(Options *o)
{
  char      share[32] = "";
  PetscBool cuda;
  int       k = 0, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  o->reps = 11;
  o->best = 12;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Integration benchmark", "");
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "integration.c", o->backend, o->backend, sizeof(o->backend),
                               NULL));
  o->elements = !strcmp(o->backend, PLEXBACKENDCUDA) ? 8000000 : !strcmp(o->backend, PLEXBACKENDHOST) ? 1000000 : 20000;
  PetscCall(PetscOptionsRangeInt("-elements", "Elements", "integration.c", o->elements, &o->elements, NULL, 1,
                                 100000000));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "integration.c", o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-best", "Rows of a search", "integration.c", o->best, &o->best, NULL, 1));
  PetscCall(PetscOptionsBool("-symmetric", "G is stored as a symmetric matrix", "integration.c", o->symmetric,
                             &o->symmetric, NULL));
  PetscCall(PetscOptionsReal("-least", "Share of the copy bandwidth", "integration.c", o->least, &o->least, NULL));
  PetscCall(PetscOptionsString("-share", "Kernels to compile only", "integration.c", share, share, sizeof(share),
                               NULL));
  PetscCall(PetscOptionsString("-csv", "File of comma separated values", "integration.c", o->csv, o->csv,
                               sizeof(o->csv), NULL));
  PetscOptionsEnd();
  PetscCheck(!share[0] || (sscanf(share, "%d/%d", &k, &n) == 2 && k >= 0 && k < n), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "-share takes K/N with 0 <= K < N, not %s", share);
  o->share  = k;
  o->shares = n;
  PetscCall(GetList("-mode", 4, Modes, 1, &o->nmodes, o->modes));
  PetscCall(GetList("-form", 2, Forms, 2, &o->nforms, o->forms));
  PetscCall(GetList("-precision", 2, Precisions, 1, &o->nprecisions, o->precisions));
  PetscCall(PlexBatchParametersDefault(&o->p));
  PetscCall(PlexBatchParametersSetFromOptions(NULL, &o->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Elements ---- */

/* Moves a grid's point by at most a tenth of its cell, not to have elements that are alike */
static PetscReal Shift(PetscInt point, PetscInt d)
{
  const unsigned h = ((unsigned)point * 2654435761u + (unsigned)d * 40503u) * 2246822519u;

  return 0.2 * ((PetscReal)(h >> 8) / 16777216. - 0.5);
}

/* A grid of cubes (squares), each cut into 6 tetrahedra (2 triangles) around its diagonal: a simplex for each way from
   a corner to the opposite one along the axes */
static PetscErrorCode ProblemCreateMesh(Problem *problem, PetscInt atLeast)
{
  static const int ways[2][6][3] = {
    {{0, 1}, {1, 0}},
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}
  };
  const PetscInt dim = problem->f.dim, nv = dim + 1, nways = dim == 2 ? 2 : 6;
  PetscInt       m = 1, cells, strides[3];
  int           *v;

  PetscFunctionBegin;
  while ((cells = dim == 2 ? m * m : m * m * m) * nways < atLeast) ++m;
  problem->n  = cells * nways;
  problem->nx = dim == 2 ? (m + 1) * (m + 1) : (m + 1) * (m + 1) * (m + 1);
  for (PetscInt d = 0; d < dim; ++d) strides[d] = d ? strides[d - 1] * (m + 1) : 1;
  PetscCall(PetscMalloc3(problem->n * nv, &problem->vertices, problem->nx * dim, &problem->x,
                         (size_t)problem->n * problem->f.ng, &problem->G));
  for (PetscInt p = 0; p < problem->nx; ++p)
    for (PetscInt d = 0; d < dim; ++d) problem->x[p * dim + d] = (p / strides[d] % (m + 1) + Shift(p, d)) / m;
  v = problem->vertices;
  for (PetscInt c = 0; c < cells; ++c) {
    const PetscInt corner = c % m + c / m % m * strides[1] + (dim == 3 ? c / (m * m) * strides[2] : 0);

    for (PetscInt w = 0; w < nways; ++w) {
      const PetscBool even = (PetscBool)(dim == 2 ? w == 0 : w < 3);

      *v = (int)corner;
      for (PetscInt k = 0; k < dim; ++k, ++v) v[1] = v[0] + (int)strides[ways[dim - 2][w][k]];
      ++v;
      /* PETSc's orientation: of triangles it is that of the axes, of tetrahedra the other one */
      if (even == (PetscBool)(dim == 3)) {
        const int swap = v[-1];

        v[-1] = v[-2];
        v[-2] = swap;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void *Room(PetscInt precision, size_t n)
{
  return malloc(n * (precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double)));
}

static size_t RealSize(const Problem *problem)
{
  return problem->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

static PetscErrorCode ProblemCreate(const Options *o, PlexBackend backend, PetscInt form, PetscInt precision,
                                    Problem *problem)
{
  const PetscInt dim = form ? 2 : 3;
  size_t         nG;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(problem, sizeof(*problem)));
  problem->form      = form;
  problem->precision = precision ? PLEX_PRECISION_DOUBLE : PLEX_PRECISION_SINGLE;
  problem->backend   = backend;
  PetscCall(PlexBatchFormInitialize(dim, 1, form ? dim : 1, o->symmetric, &problem->f));
  if (o->shares) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ProblemCreateMesh(problem, o->elements));
  nG = (size_t)problem->n * problem->f.ng;
  for (PetscInt e = 0; e < problem->n; ++e) {
    PetscReal x[12];

    for (PetscInt v = 0; v <= dim; ++v)
      PetscCall(PetscArraycpy(x + v * dim, problem->x + problem->vertices[e * (dim + 1) + v] * dim, dim));
    PetscCall(PlexBatchFormGetGeometry(&problem->f, x, problem->G + (size_t)e * problem->f.ng));
  }
  problem->sample = Room(problem->precision, PetscMax(nG, (size_t)SAMPLE * problem->f.nd));
  PetscCheck(problem->sample, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for G of %" PetscInt_FMT " elements: choose fewer -elements", problem->n);
  for (size_t k = 0; k < nG; ++k) {
    if (problem->precision == PLEX_PRECISION_SINGLE) ((float *)problem->sample)[k] = (float)problem->G[k];
    else ((double *)problem->sample)[k] = problem->G[k];
  }
  PetscCall(PlexBackendUpload(backend, problem->sample, nG * RealSize(problem), &problem->GDevice));
  PetscCall(PlexBackendUpload(backend, problem->vertices, sizeof(int) * problem->n * (dim + 1),
                              &problem->vertexDevice));
  PetscCall(PlexBackendUpload(backend, problem->x, sizeof(PetscReal) * problem->nx * dim, &problem->xDevice));
  PetscCall(PlexBackendMalloc(backend, (size_t)problem->n * problem->f.nd * RealSize(problem), &problem->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *problem)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(problem->backend, &problem->A));
  PetscCall(PlexBackendFree(problem->backend, &problem->xDevice));
  PetscCall(PlexBackendFree(problem->backend, &problem->vertexDevice));
  PetscCall(PlexBackendFree(problem->backend, &problem->GDevice));
  PetscCall(PetscFree3(problem->vertices, problem->x, problem->G));
  free(problem->sample);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One way of computing ---- */

/* The largest difference of an entry from the sum in double precision, over the largest entry of its matrix, among
   elements [first, first + SAMPLE) */
static PetscErrorCode CompareSample(const Problem *problem, PetscInt first, PetscInt n, PetscReal *difference)
{
  const PetscInt nd = problem->f.nd, ng = problem->f.ng;
  const size_t   bytes = RealSize(problem) * nd;

  PetscFunctionBegin;
  n = PetscMin(n - first, SAMPLE);
  PetscCall(PlexBackendCopyOut(problem->backend, problem->sample, (char *)problem->A + bytes * first, bytes * n));
  for (PetscInt e = 0; e < n; ++e) {
    PetscReal most = 0., largest = 0.;

    for (PetscInt k = 0; k < nd; ++k) {
      const size_t at    = (size_t)e * nd + k;
      PetscReal    exact = 0., d;

      for (PetscInt g = 0; g < ng; ++g) exact += problem->f.K[k * ng + g] * problem->G[(size_t)(first + e) * ng + g];
      d       = PetscAbsReal(exact - (problem->precision == PLEX_PRECISION_SINGLE
                                        ? (PetscReal)((const float *)problem->sample)[at]
                                        : ((const double *)problem->sample)[at]));
      most    = PetscMax(most, PetscAbsReal(exact));
      largest = d <= PETSC_MAX_REAL ? PetscMax(largest, d) : PETSC_MAX_REAL; /* NaN too */
    }
    *difference = PetscMax(*difference, largest / most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes once into zeros and compares elements of the beginning, the end, and places between */
static PetscErrorCode Compare(const Problem *problem, PlexBatch batch, PetscInt n, PetscReal *difference)
{
  const PetscReal bound = problem->precision == PLEX_PRECISION_SINGLE ? 2e-6 : 2e-14;

  PetscFunctionBegin;
  *difference = 0.;
  PetscCall(PlexBackendZero(problem->backend, problem->A, (size_t)n * problem->f.nd * RealSize(problem)));
  PetscCall(PlexBatchIntegrate(batch, n, problem->GDevice, (const int *)problem->vertexDevice,
                               (const double *)problem->xDevice, problem->A));
  for (PetscInt k = 0; k < SAMPLES; ++k)
    PetscCall(CompareSample(problem, (PetscInt)((PetscInt64)PetscMax(0, n - SAMPLE) * k / (SAMPLES - 1)), n,
                            difference));
  PetscCheck(*difference <= bound, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Element matrices differ from those of a sum in double precision by %g of their largest entry, more than "
             "%g",
             (double)*difference, (double)bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is timed */
typedef struct {
  const Problem *problem;
  PlexBatch      batch;
  PetscInt       n; /* elements */
} Call;

static PetscErrorCode Integrate(void *ctx)
{
  const Call    *call    = (const Call *)ctx;
  const Problem *problem = call->problem;

  PetscFunctionBegin;
  PetscCall(PlexBatchIntegrate(call->batch, call->n, problem->GDevice, (const int *)problem->vertexDevice,
                               (const double *)problem->xDevice, problem->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills a row for its parameters and number of elements, which is 0 where the kernel is only to be compiled */
static PetscErrorCode Measure(const Options *o, const Problem *problem, Row *row)
{
  const PlexBatchForm *f = &problem->f;
  PlexBatch            batch;

  PetscFunctionBegin;
  PetscCall(PlexBatchCreate(problem->backend, f, problem->precision, &row->p, &batch));
  row->p         = batch->p;
  row->registers = batch->attributes.registers;
  row->threads   = batch->threads;
  row->compile   = batch->compileTime;
  row->flops     = 2. * f->nd * f->dim * f->dim * row->n;
  row->bytes     = (double)RealSize(problem) * f->nd * row->n;
  if (row->p.geometry == PLEX_GEOMETRY_COORDINATES)
    row->bytes += 4. * f->nv * row->n + 8. * f->dim * problem->nx * row->n / PetscMax(1, problem->n);
  else row->bytes += (double)RealSize(problem) * f->ng * row->n;
  if (row->n) {
    Call call = {problem, batch, row->n};

    PetscCall(Compare(problem, batch, row->n, &row->difference));
    PetscCall(BenchMedian(problem->backend, Integrate, &call, o->reps, &row->seconds));
  }
  PetscCall(PlexBatchDestroy(&batch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Results ---- */

static PetscErrorCode PrintHeader(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %-28s | batch | conc. | entries | interl. | unroll | blocks   | geometry    | stores | "
                        "threads | regs |      ms | ns/elem. |    GF/s |   GB/s | of copy |   diff. "
                        "|\n|:-----------------------------|------:|------:|--------:|:--------|:-------|:---------|:--"
                        "----------|:-------|--------:|-----:|--------:|---------:|--------:|-------:|--------:|-------"
                        "-:|\n",
                        "way"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintRow(const Row *row, double copy)
{
  const PlexBatchParameters *p = &row->p;
  char                       blocks[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(blocks, sizeof(blocks), "%" PetscInt_FMT, p->blocks));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %-28s | %5" PetscInt_FMT " | %5" PetscInt_FMT " | %7" PetscInt_FMT
                        " | %-7s | %-6s | %-8s | %-11s | %-6s | %7" PetscInt_FMT " | %4" PetscInt_FMT
                        " | %7.4f | %8.4f | %7.1f | %6.1f | %5.1f %% | %7.1e |\n",
                        row->name, p->elementBatch, p->concurrent, p->entries, p->interleave ? "yes" : "no",
                        p->unroll ? "yes" : "no",
                        p->blocks < 0 ? "resident"
                        : p->blocks   ? blocks
                                      : "a batch",
                        PlexBatchGeometries[p->geometry], PlexBatchStoresNames[p->stores], row->threads, row->registers,
                        1e3 * row->seconds, 1e9 * row->seconds / row->n, 1e-9 * row->flops / row->seconds,
                        1e-9 * row->bytes / row->seconds, 100. * row->bytes / row->seconds / copy,
                        (double)row->difference));
  PetscCall(PetscFFlush(PETSC_STDOUT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AppendRow(const Options *o, Mode mode, const Problem *problem, const Row *row, double copy)
{
  const PlexBatchParameters *p    = &row->p;
  FILE                      *file = NULL;

  PetscFunctionBegin;
  if (!o->csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BenchOpenCSV(o->csv,
                         "mode,backend,form,precision,symmetric,series,elements,element_batch,concurrent_elements,"
                         "entries_per_thread,interleave_stores,unroll,blocks,geometry,stores,threads,registers,compile_"
                         "s,seconds,flops,bytes,copy_bandwidth,difference",
                         &file));
  fprintf(file, "%s,%s,%s,%s,%d,\"%s\",%d,%d,%d,%d,%d,%d,%d,%s,%s,%d,%d,%.3f,%.6e,%.6e,%.6e,%.6e,%.3e\n", Modes[mode],
          o->backend, Forms[problem->form], Precisions[problem->precision == PLEX_PRECISION_DOUBLE], (int)o->symmetric,
          row->name, (int)row->n, (int)p->elementBatch, (int)p->concurrent, (int)p->entries, (int)p->interleave,
          (int)p->unroll, (int)p->blocks, PlexBatchGeometries[p->geometry], PlexBatchStoresNames[p->stores],
          (int)row->threads, (int)row->registers, row->compile, row->seconds, row->flops, row->bytes, copy,
          (double)row->difference);
  PetscCall(BenchCloseCSV(o->csv, &file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a mode measures: a growing list of rows ---- */

typedef struct {
  PetscInt n, allocated;
  Row     *rows;
} Rows;

static PetscErrorCode RowsAdd(Rows *rows, const char name[], PetscInt n, PetscInt elementBatch, PetscInt concurrent,
                              PetscInt entries, PetscBool interleave, PetscBool unroll, PetscInt blocks,
                              PlexBatchGeometry geometry, PlexBatchStores stores)
{
  const PlexBatchParameters p = {elementBatch, concurrent, entries, interleave, unroll, blocks, geometry, stores};

  PetscFunctionBegin;
  if (rows->n == rows->allocated) {
    rows->allocated = 2 * rows->allocated + 64;
    PetscCall(PetscRealloc(sizeof(Row) * rows->allocated, &rows->rows));
  }
  PetscCall(PetscMemzero(&rows->rows[rows->n], sizeof(Row)));
  rows->rows[rows->n].p    = p;
  rows->rows[rows->n].name = name;
  rows->rows[rows->n++].n  = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SHARED      PLEX_GEOMETRY_SHARED
#define PREFETCH    PLEX_GEOMETRY_PREFETCH
#define DIRECT      PLEX_GEOMETRY_DIRECT
#define COORDINATES PLEX_GEOMETRY_COORDINATES
#define RESIDENT    PLEX_BLOCKS_RESIDENT
#define YES         PETSC_TRUE
#define NO          PETSC_FALSE

static PetscErrorCode RowsTable(const Problem *problem, Rows *rows)
{
  const PetscInt n = problem->n, some = problem->precision == PLEX_PRECISION_SINGLE ? 4 : 2,
                 few = problem->form ? 4 : 8;

  PetscFunctionBegin;
  PetscCall(RowsAdd(rows, "paper: its best", n, 128, 2, 1, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "paper: not interleaved", n, 128, 2, 1, NO, YES, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "paper: not unrolled", n, 128, 2, 1, YES, NO, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "paper: smaller batches", n, 32, 2, 1, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "paper: 8 concurrent", n, 128, 8, 1, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "16 bytes a thread", n, 8 * few, few, some, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "16 bytes a thread, G direct", n, 8 * few, few, some, YES, YES, 0, DIRECT,
                    PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "16 bytes a thread, prefetch", n, 256, 16, some, YES, YES, RESIDENT, PREFETCH,
                    PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "a thread an element", n, 128, 128, 0, YES, YES, 0, DIRECT, PLEX_STORES_DIRECT));
  PetscCall(RowsAdd(rows, "a thread an element, staged", n, 64, 64, 0, YES, YES, 0, SHARED, PLEX_STORES_SHARED));
  PetscCall(RowsAdd(rows, "a thread an element, bulk", n, 32, 32, 0, YES, YES, 0, DIRECT, PLEX_STORES_BULK));
  PetscCall(RowsAdd(rows, "the same, prefetch", n, 128, 64, 0, YES, YES, RESIDENT, PREFETCH, PLEX_STORES_BULK));
  PetscCall(RowsAdd(rows, "from coordinates, staged", n, 64, 64, 0, YES, YES, 0, COORDINATES, PLEX_STORES_SHARED));
  PetscCall(RowsAdd(rows, "from coordinates, bulk", n, 64, 64, 0, YES, YES, 0, COORDINATES, PLEX_STORES_BULK));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The paper's parameters in all combinations, and the others where they differ from the paper's scheme */
static PetscErrorCode RowsSearch(const Problem *problem, Rows *rows)
{
  const PetscInt n = problem->n, nd = problem->f.nd, some = problem->precision == PLEX_PRECISION_SINGLE ? 4 : 2;
  const PetscInt batches[] = {32, 64, 128, 256}, concurrent[] = {1, 2, 4, 8, 16, 32, 64, 128},
                 wide[] = {32, 64, 128, 256};

  PetscFunctionBegin;
  for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(batches); ++b)
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(concurrent) && concurrent[c] * nd <= 1024; ++c)
      for (PetscInt is = 0; is < 2; ++is)
        if (batches[b] / concurrent[c] <= 64)
          PetscCall(RowsAdd(rows, "paper", n, batches[b], concurrent[c], 1, is ? YES : NO, YES, 0, SHARED,
                            PLEX_STORES_DIRECT));
  for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(batches); ++b) {
    for (PetscInt c = 4; c <= batches[b]; c *= 2) {
      if (c * nd / some < 32 || c * nd / some > 1024) continue;
      PetscCall(RowsAdd(rows, "16 bytes a thread", n, batches[b], c, some, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
      PetscCall(RowsAdd(rows, "16 bytes a thread", n, batches[b], c, some, YES, YES, RESIDENT, SHARED,
                        PLEX_STORES_DIRECT));
      PetscCall(RowsAdd(rows, "16 bytes a thread, prefetch", n, batches[b], c, some, YES, YES, RESIDENT, PREFETCH,
                        PLEX_STORES_DIRECT));
    }
  }
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(wide); ++c) {
    for (PetscInt rounds = 1; rounds <= 4; rounds *= 2) {
      for (PlexBatchStores stores = PLEX_STORES_SHARED; stores <= PLEX_STORES_BULK; ++stores) {
        const char *const name = stores == PLEX_STORES_BULK ? "a thread an element, bulk"
                                                            : "a thread an element, staged";

        PetscCall(RowsAdd(rows, name, n, wide[c] * rounds, wide[c], 0, YES, YES, 0, SHARED, stores));
        PetscCall(RowsAdd(rows, name, n, wide[c] * rounds, wide[c], 0, YES, YES, RESIDENT, PREFETCH, stores));
        if (rounds == 1) PetscCall(RowsAdd(rows, name, n, wide[c], wide[c], 0, YES, YES, 0, DIRECT, stores));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Figure 1: both operators over the number of elements; figure 2: batch sizes, elasticity; figure 3: interleaved stores
   without and with unrolled loops, Laplacian; and concurrent elements, both */
static PetscErrorCode RowsFigures(const Problem *problem, Rows *rows)
{
  const PetscInt sizes[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, problem->n};
  const PetscInt some = problem->precision == PLEX_PRECISION_SINGLE ? 4 : 2, few = problem->form ? 4 : 8;

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(sizes); ++s) {
    const PetscInt n = sizes[s];

    if (problem->n && n > problem->n) continue;
    PetscCall(RowsAdd(rows, "1 the paper's scheme", n, 128, 2, 1, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
    PetscCall(RowsAdd(rows, "1 16 bytes a thread", n, 8 * few, few, some, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
    PetscCall(RowsAdd(rows, "1 a thread an element", n, 64, 64, 0, YES, YES, 0, SHARED, PLEX_STORES_SHARED));
    for (PetscInt b = 16; b <= 512 && problem->form; b *= 2)
      PetscCall(RowsAdd(rows, "2", n, b, 2, 1, YES, YES, 0, SHARED, PLEX_STORES_DIRECT));
    for (PetscInt k = 0; k < 4 && !problem->form; ++k)
      PetscCall(RowsAdd(rows, "3", n, 128, 2, 1, k % 2 ? YES : NO, k / 2 ? YES : NO, 0, SHARED, PLEX_STORES_DIRECT));
  }
  for (PetscInt c = 1; c * problem->f.nd <= 1024; c *= 2)
    for (PetscInt k = 0; k < 4; ++k)
      PetscCall(RowsAdd(rows, "4", problem->n, 128, c, 1, k % 2 ? YES : NO, k / 2 ? YES : NO, 0, SHARED,
                        PLEX_STORES_DIRECT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int CompareRows(const void *a, const void *b)
{
  const double x = ((const Row *)a)->seconds, y = ((const Row *)b)->seconds;

  return (x > y) - (x < y);
}

/* The best row that reads G, where it is in order */
static PetscErrorCode Result(const Options *o, const Problem *problem, Rows *rows, double copy)
{
  Row      *best = NULL;
  PetscReal most = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < rows->n; ++k) {
    Row *row = &rows->rows[k];

    most = PetscMax(most, row->difference);
    if (row->n == problem->n && row->p.geometry != PLEX_GEOMETRY_COORDINATES && (!best || row->seconds < best->seconds))
      best = row;
  }
  if (!best) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=integration form=%s precision=%s backend=%s elements=%" PetscInt_FMT
                        " element_batch=%" PetscInt_FMT " concurrent_elements=%" PetscInt_FMT
                        " entries_per_thread=%" PetscInt_FMT " interleave_stores=%d unroll=%d blocks=%" PetscInt_FMT
                        " geometry=%s stores=%s ms=%.4f gflops=%.1f copy_share=%.3f difference=%.2e\n\n",
                        Forms[problem->form], Precisions[problem->precision == PLEX_PRECISION_DOUBLE], o->backend,
                        problem->n, best->p.elementBatch, best->p.concurrent, best->p.entries, (int)best->p.interleave,
                        (int)best->p.unroll, best->p.blocks, PlexBatchGeometries[best->p.geometry],
                        PlexBatchStoresNames[best->p.stores], 1e3 * best->seconds, 1e-9 * best->flops / best->seconds,
                        best->bytes / best->seconds / copy, (double)most));
  PetscCheck(problem->precision == PLEX_PRECISION_DOUBLE || best->bytes / best->seconds / copy >= o->least,
             PETSC_COMM_SELF, PETSC_ERR_LIB, "The best reaches %.3f of the copy bandwidth, less than -least %.3f",
             best->bytes / best->seconds / copy, (double)o->least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What kernels may have: the host's are compiled as those that are emulated */
static PetscErrorCode GetLimits(PlexBackend backend, PlexBackendLimits *limits)
{
  PlexBackend emulate = NULL;

  PetscFunctionBegin;
  if (!backend->kernels) PetscCall(PlexBackendCreate(PLEXBACKENDEMULATE, &emulate));
  *limits = emulate ? emulate->limits : backend->limits;
  PetscCall(PlexBackendDestroy(&emulate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* measured: grows by the rows; by the kernels where they are only compiled */
static PetscErrorCode Run(const Options *o, Mode mode, const Problem *problem, double copy, PetscInt *measured)
{
  const PetscBool   prints = (PetscBool)(!o->shares && (mode == MODE_TABLE || mode == MODE_ONE));
  Rows              rows   = {0, 0, NULL};
  PetscInt          n      = 0;
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(GetLimits(problem->backend, &limits));
  if (mode == MODE_TABLE) PetscCall(RowsTable(problem, &rows));
  else if (mode == MODE_SEARCH) PetscCall(RowsSearch(problem, &rows));
  else if (mode == MODE_FIGURES) PetscCall(RowsFigures(problem, &rows));
  else
    PetscCall(RowsAdd(&rows, "as asked for", problem->n, o->p.elementBatch, o->p.concurrent, o->p.entries,
                      o->p.interleave, o->p.unroll, o->p.blocks, o->p.geometry, o->p.stores));
  if (prints) PetscCall(PrintHeader());
  for (PetscInt k = 0; k < rows.n; ++k) {
    Row *row = &rows.rows[k];

    if (mode != MODE_ONE) { /* what a device cannot do is left out */
      char why[512];

      PetscCall(PlexBatchParametersCheck(&problem->f, problem->precision, &row->p, &limits, why, sizeof(why)));
      if (why[0] && prints) PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-28s | %s |\n", row->name, why));
      if (why[0]) continue;
    }
    if (o->shares && k % o->shares != o->share) continue;
    if (o->shares) row->n = 0;
    PetscCall(Measure(o, problem, row));
    ++*measured;
    if (o->shares) continue;
    PetscCall(AppendRow(o, mode, problem, row, copy));
    if (prints) PetscCall(PrintRow(row, copy));
    rows.rows[n++] = *row;
  }
  rows.n = n;
  if (mode == MODE_SEARCH && !o->shares) {
    qsort(rows.rows, (size_t)rows.n, sizeof(Row), CompareRows);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "The best of %" PetscInt_FMT " combinations:\n\n", rows.n));
    PetscCall(PrintHeader());
    for (PetscInt k = 0; k < PetscMin(rows.n, o->best); ++k) PetscCall(PrintRow(&rows.rows[k], copy));
  }
  if (mode != MODE_FIGURES && !o->shares) PetscCall(Result(o, problem, &rows, copy));
  PetscCall(PetscFree(rows.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     options;
  PlexBackend backend;
  PetscInt    rows = 0;
  double      copy = 0;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(OptionsGet(&options));
  PetscCall(BenchCreateBackend(options.backend, &backend));
  if (!options.shares) PetscCall(BenchCopyBandwidth(backend, &copy));
  for (PetscInt f = 0; f < options.nforms; ++f) {
    for (PetscInt s = 0; s < options.nprecisions; ++s) {
      const PetscInt form = options.forms[f], precision = options.precisions[s];
      Problem        problem;

      PetscCall(ProblemCreate(&options, backend, form, precision, &problem));
      if (!options.shares)
        PetscCall(PetscPrintf(PETSC_COMM_SELF,
                              "\n## %s, %s precision: %" PetscInt_FMT " elements, %" PetscInt_FMT " x %" PetscInt_FMT
                              " entries, G of %" PetscInt_FMT
                              " numbers%s; backend %s\n\n%s; a copy reaches %.0f GB/s\n\n",
                              form ? "Elasticity on P1 triangles" : "Laplacian on P1 tetrahedra", Precisions[precision],
                              problem.n, problem.f.rows, problem.f.rows, problem.f.ng,
                              options.symmetric ? " (symmetric)" : "", options.backend, backend->limits.name,
                              1e-9 * copy));
      for (PetscInt k = 0; k < options.nmodes; ++k)
        PetscCall(Run(&options, (Mode)options.modes[k], &problem, copy, &rows));
      PetscCall(ProblemDestroy(&problem));
    }
  }
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(BenchFinalize(rows));
  return 0;
}
