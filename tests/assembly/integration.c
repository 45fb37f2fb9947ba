static char help[] = "Element matrices alone, in batches: every way of computing them against sums over quadrature "
                     "points with PETSc's geometry.\n"
                     "  -backends <list> : default host and emulate, and cuda where there is a GPU\n\n";

#include "../../benchmarks/batch/batch.h"
#include "meshes.h"
#include "report.h"

#define MESHES 5 /* variants of the test mesh, whose cells are the elements */

typedef struct {
  const char   *name;
  PetscInt      dim, degree, Nc;
  PetscBool     symmetric;
  PlexBatchForm form;
  PetscInt      n;        /* elements */
  int          *vertices; /* [n][nv] */
  PetscReal    *x;        /* [n nv][dim]: each element has nodes of its own */
  PetscReal    *G;        /* [n][ng] */
  PetscReal    *A;        /* [n][nd] directly */
} Problem;

static Problem problems[] = {
  {.name = "tet P1", .dim = 3, .degree = 1, .Nc = 1},
  {.name = "tet P1, G symmetric", .dim = 3, .degree = 1, .Nc = 1, .symmetric = PETSC_TRUE},
  {.name = "tri P1 vector", .dim = 2, .degree = 1, .Nc = 2},
  {.name = "tri P1 vector, G symmetric", .dim = 2, .degree = 1, .Nc = 2, .symmetric = PETSC_TRUE},
  {.name = "tri P1", .dim = 2, .degree = 1, .Nc = 1},
  {.name = "tri P2", .dim = 2, .degree = 2, .Nc = 1},
  {.name = "tet P2", .dim = 3, .degree = 2, .Nc = 1}
};
#define LAPLACIAN  0
#define SYMMETRIC  1
#define ELASTICITY 2

typedef struct {
  PetscInt            problem; /* -1: all */
  PlexBatchParameters p;       /* batch, concurrent, entries, interleave, unroll, blocks, geometry, stores */
} Case;

static const Case cases[] = {
  /* As in the paper */
  {-1,         {32, 2, 1, PETSC_TRUE, PETSC_TRUE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}                    },
  {LAPLACIAN,  {32, 2, 1, PETSC_FALSE, PETSC_TRUE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}                   },
  {LAPLACIAN,  {32, 4, 1, PETSC_FALSE, PETSC_FALSE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}                  },
  {LAPLACIAN,  {5, 5, 1, PETSC_TRUE, PETSC_FALSE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}                    },
  {ELASTICITY, {32, 1, 1, PETSC_FALSE, PETSC_TRUE, 2, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}                   },
  /* Several entries a thread */
  {LAPLACIAN,  {64, 16, 4, PETSC_TRUE, PETSC_TRUE, PLEX_BLOCKS_RESIDENT, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT}},
  {LAPLACIAN,  {64, 16, 4, PETSC_TRUE, PETSC_TRUE, 2, PLEX_GEOMETRY_PREFETCH, PLEX_STORES_DIRECT}                 },
  {LAPLACIAN,  {16, 8, 2, PETSC_TRUE, PETSC_FALSE, 2, PLEX_GEOMETRY_COORDINATES, PLEX_STORES_DIRECT}              },
  {ELASTICITY, {28, 7, 4, PETSC_FALSE, PETSC_TRUE, 0, PLEX_GEOMETRY_DIRECT, PLEX_STORES_DIRECT}                   },
  {ELASTICITY, {8, 8, 6, PETSC_TRUE, PETSC_TRUE, 2, PLEX_GEOMETRY_PREFETCH, PLEX_STORES_DIRECT}                   },
  /* A thread an element */
  {-1,         {64, 32, 0, PETSC_TRUE, PETSC_TRUE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_SHARED}                   },
  {LAPLACIAN,  {32, 32, 0, PETSC_TRUE, PETSC_TRUE, 0, PLEX_GEOMETRY_DIRECT, PLEX_STORES_DIRECT}                   },
  {LAPLACIAN,  {64, 16, 0, PETSC_FALSE, PETSC_TRUE, 2, PLEX_GEOMETRY_DIRECT, PLEX_STORES_BULK}                    },
  {LAPLACIAN,  {64, 32, 0, PETSC_TRUE, PETSC_TRUE, 2, PLEX_GEOMETRY_PREFETCH, PLEX_STORES_BULK}                   },
  {LAPLACIAN,  {64, 32, 0, PETSC_TRUE, PETSC_FALSE, 0, PLEX_GEOMETRY_COORDINATES, PLEX_STORES_SHARED}             },
  {SYMMETRIC,  {32, 32, 0, PETSC_FALSE, PETSC_TRUE, 2, PLEX_GEOMETRY_COORDINATES, PLEX_STORES_BULK}               },
  {ELASTICITY, {32, 16, 0, PETSC_FALSE, PETSC_FALSE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_SHARED}                 },
  {ELASTICITY, {32, 32, 0, PETSC_TRUE, PETSC_TRUE, 2, PLEX_GEOMETRY_DIRECT, PLEX_STORES_BULK}                     },
  {ELASTICITY, {64, 32, 0, PETSC_TRUE, PETSC_TRUE, 0, PLEX_GEOMETRY_COORDINATES, PLEX_STORES_BULK}                }
};

/* ---- The elements, and their matrices without any tensor ---- */

/* A_(n,c)(m,d) = s delta_cd sum_q w_q |J| (J^-T grad phi_n) . (J^-T grad phi_m); s is 1/4 of vectors (equation 14 of
   Knepley and Terrel) */
static PetscErrorCode Integrate(const Problem *problem, PetscFE fe, const PetscReal invJ[], PetscReal detJ,
                                PetscReal A[])
{
  const PetscInt   dim = problem->dim, Nc = problem->Nc, rows = problem->form.rows, Nb = rows / Nc;
  PetscQuadrature  quadrature;
  PetscTabulation  T;
  const PetscReal *w;
  PetscInt         Nq;

  PetscFunctionBegin;
  PetscCall(PetscFEGetQuadrature(fe, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, NULL, &w));
  PetscCall(PetscFEGetCellTabulation(fe, 1, &T));
  PetscCall(PetscArrayzero(A, rows * rows));
  for (PetscInt q = 0; q < Nq; ++q) {
    for (PetscInt n = 0; n < Nb; ++n) {
      for (PetscInt m = 0; m < Nb; ++m) {
        const PetscReal *dn = T->T[1] + (q * Nb + n) * dim, *dm = T->T[1] + (q * Nb + m) * dim;
        PetscReal        dot = 0.;

        for (PetscInt d = 0; d < dim; ++d) {
          PetscReal gn = 0., gm = 0.;

          for (PetscInt a = 0; a < dim; ++a) {
            gn += invJ[a * dim + d] * dn[a];
            gm += invJ[a * dim + d] * dm[a];
          }
          dot += gn * gm;
        }
        for (PetscInt c = 0; c < Nc; ++c)
          A[(n * Nc + c) * rows + m * Nc + c] += (Nc > 1 ? 0.25 : 1.) * w[q] * detJ * dot;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the cells of a mesh; count only: room for them */
static PetscErrorCode ProblemAddMesh(Problem *problem, PetscFE fe, PetscInt variant, PetscBool count)
{
  const PetscInt dim = problem->dim, nv = problem->form.nv;
  DM             dm;
  PetscInt       cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, variant, &dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c, ++problem->n) {
    const PetscInt     e = problem->n;
    const PetscScalar *array;
    PetscScalar       *coordinates = NULL;
    PetscReal          v0[3], J[9], invJ[9], detJ;
    PetscInt           size;
    PetscBool          dg;

    if (count) continue;
    PetscCall(DMPlexGetCellCoordinates(dm, c, &dg, &size, &array, &coordinates));
    PetscCheck(size == nv * dim, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A simplex with %" PetscInt_FMT " coordinates", size);
    for (PetscInt k = 0; k < size; ++k) problem->x[e * size + k] = PetscRealPart(coordinates[k]);
    PetscCall(DMPlexRestoreCellCoordinates(dm, c, &dg, &size, &array, &coordinates));
    for (PetscInt v = 0; v < nv; ++v) problem->vertices[e * nv + v] = (int)(e * nv + v);
    PetscCall(DMPlexComputeCellGeometryFEM(dm, c, NULL, v0, J, invJ, &detJ));
    PetscCall(Integrate(problem, fe, invJ, detJ, problem->A + e * problem->form.nd));
    PetscCall(PlexBatchFormGetGeometry(&problem->form, problem->x + e * nv * dim, problem->G + e * problem->form.ng));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemCreate(Problem *problem)
{
  PlexBatchForm *form = &problem->form;
  PetscFE        fe;

  PetscFunctionBegin;
  PetscCall(PlexBatchFormInitialize(problem->dim, problem->degree, problem->Nc, problem->symmetric, form));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, problem->dim, 1,
                                        problem->dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON,
                                        problem->degree, PETSC_DETERMINE, &fe));
  for (PetscInt k = 0; k < MESHES; ++k) PetscCall(ProblemAddMesh(problem, fe, k, PETSC_TRUE));
  PetscCall(PetscMalloc4(problem->n * form->nv, &problem->vertices, problem->n * form->nv * form->dim, &problem->x,
                         problem->n * form->ng, &problem->G, problem->n * form->nd, &problem->A));
  problem->n = 0;
  for (PetscInt k = 0; k < MESHES; ++k) PetscCall(ProblemAddMesh(problem, fe, k, PETSC_FALSE));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The cases ---- */

typedef struct {
  const Problem      *problem;
  PlexBatchParameters p;
  PlexPrecision       precision;
  const char         *backend;
  PetscReal           difference; /* largest of an entry, over its matrix's largest entry */
} Run;

static PetscErrorCode Convert(PlexPrecision precision, size_t n, const PetscReal from[], void *to)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < n; ++k) {
    if (precision == PLEX_PRECISION_SINGLE) ((float *)to)[k] = (float)from[k];
    else ((double *)to)[k] = from[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Run *run, const void *A)
{
  const PetscInt nd = run->problem->form.nd;

  PetscFunctionBegin;
  run->difference = 0.;
  for (PetscInt e = 0; e < run->problem->n; ++e) {
    PetscReal most = 0., largest = 0.;

    for (PetscInt k = e * nd; k < (e + 1) * nd; ++k) {
      const PetscReal a = run->precision == PLEX_PRECISION_SINGLE ? (PetscReal)((const float *)A)[k]
                                                                  : ((const double *)A)[k],
                      d = PetscAbsReal(a - run->problem->A[k]);

      most    = PetscMax(most, PetscAbsReal(run->problem->A[k]));
      largest = d <= PETSC_MAX_REAL ? PetscMax(largest, d) : PETSC_MAX_REAL; /* NaN too */
    }
    run->difference = PetscMax(run->difference, largest / most);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All bytes of A are 0xff before, which is NaN, and as many numbers behind it have to stay so */
static PetscErrorCode RunCase(void *ctx)
{
  Run           *run     = (Run *)ctx;
  const Problem *problem = run->problem;
  const size_t   real    = run->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
                 nG = (size_t)problem->n * problem->form.ng, nA = (size_t)problem->n * problem->form.nd;
  PlexBackend    backend;
  PlexBatch      batch;
  void          *G, *A, *x, *vertices, *onHost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * nA * real, (char **)&onHost));
  PetscCall(PlexBackendCreate(run->backend, &backend));
  PetscCall(PlexBatchCreate(backend, &problem->form, run->precision, &run->p, &batch));
  PetscCall(Convert(run->precision, nG, problem->G, onHost));
  PetscCall(PlexBackendUpload(backend, onHost, nG * real, &G));
  memset(onHost, 0xff, 2 * nA * real);
  PetscCall(PlexBackendUpload(backend, onHost, 2 * nA * real, &A));
  PetscCall(PlexBackendUpload(backend, problem->x,
                              sizeof(PetscReal) * problem->n * problem->form.nv * problem->form.dim, &x));
  PetscCall(PlexBackendUpload(backend, problem->vertices, sizeof(int) * problem->n * problem->form.nv, &vertices));
  PetscCall(PlexBatchIntegrate(batch, problem->n, G, (const int *)vertices, (const double *)x, A));
  PetscCall(PlexBackendCopyOut(backend, onHost, A, 2 * nA * real));
  PetscCall(Compare(run, onHost));
  for (size_t k = nA * real; k < 2 * nA * real; ++k)
    PetscCheck(((unsigned char *)onHost)[k] == 0xff, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Byte %zu behind the matrices was written", k - nA * real);
  PetscCall(PlexBackendFree(backend, &vertices));
  PetscCall(PlexBackendFree(backend, &x));
  PetscCall(PlexBackendFree(backend, &A));
  PetscCall(PlexBackendFree(backend, &G));
  PetscCall(PlexBatchDestroy(&batch));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PetscFree(onHost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(Run *run)
{
  const PlexBatchParameters *p     = &run->p;
  const PetscReal            bound = run->precision == PLEX_PRECISION_SINGLE ? 2e-6 : 2e-14;
  char                       name[256], text[2048];
  PetscErrorCode             ierr;

  PetscFunctionBegin;
  run->difference = PETSC_MAX_REAL;
  PetscCall(PlexTestTry(RunCase, run, &ierr, text, sizeof(text)));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "integration %s %s, %s: batch %" PetscInt_FMT ", concurrent %" PetscInt_FMT
                          ", entries %" PetscInt_FMT ", interleave %d, unroll %d, blocks %" PetscInt_FMT
                          ", geometry %s, stores %s",
                          run->backend, run->precision == PLEX_PRECISION_SINGLE ? "single" : "double",
                          run->problem->name, p->elementBatch, p->concurrent, p->entries, (int)p->interleave,
                          (int)p->unroll, p->blocks, PlexBatchGeometries[p->geometry],
                          PlexBatchStoresNames[p->stores]));
  PetscCall(PlexTestReport((PetscBool)(!ierr && run->difference <= bound), name,
                           "relative difference %.3g, error %d: %s", (double)run->difference, (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What bad parameters get ---- */

static PetscErrorCode CheckMessage(const char backend[], PlexBatchParameters p, const char what[], const char word[])
{
  Run            run = {&problems[LAPLACIAN], p, PLEX_PRECISION_SINGLE, backend, 0.};
  char           name[256], text[2048];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(RunCase, &run, &ierr, text, sizeof(text)));
  PetscCall(PetscSNPrintf(name, sizeof(name), "integration %s: %s is an error that names %s", backend, what, word));
  PetscCall(PlexTestReport((PetscBool)(ierr && strstr(text, word)), name, "error %d: %s", (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMessages(const char backend[])
{
  const PlexBatchParameters ok = {32, 2, 1, PETSC_TRUE, PETSC_TRUE, 0, PLEX_GEOMETRY_SHARED, PLEX_STORES_DIRECT};
  PlexBatchParameters       p;

  PetscFunctionBegin;
  p            = ok;
  p.concurrent = 3;
  PetscCall(CheckMessage(backend, p, "a batch that concurrent elements do not divide", "-plex_assembly_element_batch"));
  p         = ok;
  p.entries = 3;
  PetscCall(CheckMessage(backend, p, "entries that do not divide a matrix", "-plex_assembly_entries_per_thread"));
  p        = ok;
  p.stores = PLEX_STORES_SHARED;
  PetscCall(CheckMessage(backend, p, "a staged part of a matrix", "-plex_assembly_stores"));
  p          = ok;
  p.geometry = PLEX_GEOMETRY_PREFETCH;
  PetscCall(CheckMessage(backend, p, "prefetching for one batch", "-plex_assembly_blocks"));
  p            = ok;
  p.concurrent = p.elementBatch = 128;
  PetscCall(CheckMessage(backend, p, "2048 threads", "-plex_assembly_concurrent_elements"));
  p              = ok;
  p.elementBatch = 1 << 16;
  PetscCall(CheckMessage(backend, p, "too much shared memory", "shared memory"));
  p.elementBatch = 1 << 30;
  PetscCall(CheckMessage(backend, p, "a batch beyond counting", "-plex_assembly_element_batch"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text of the element's numbers comes from the tabulation: known ones of the Laplacian on PETSc's tetrahedron, of
   volume 4/3 */
static PetscErrorCode CheckK(void)
{
  const PlexBatchForm *form = &problems[LAPLACIAN].form;
  PetscReal            sum = 0., trace = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 16; ++k)
    for (PetscInt a = 0; a < 3; ++a)
      sum = PetscMax(sum, PetscAbsReal(form->K[(k / 4 * 4) * 9 + a * 4] + form->K[(k / 4 * 4 + 1) * 9 + a * 4] +
                                       form->K[(k / 4 * 4 + 2) * 9 + a * 4] + form->K[(k / 4 * 4 + 3) * 9 + a * 4]));
  for (PetscInt i = 0; i < 4; ++i) trace += form->K[i * 5 * 9];
  PetscCall(PlexTestReport((PetscBool)(sum < 1e-14 && PetscAbsReal(trace - 2. / 3.) < 1e-14),
                           "integration: K of the Laplacian on a tetrahedron",
                           "rows sum up to %.3g instead of 0, the trace of d/dx d/dx is %.17g instead of 2/3",
                           (double)sum, (double)trace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexPrecision precisions[] = {PLEX_PRECISION_SINGLE, PLEX_PRECISION_DOUBLE};
  const char         *env          = getenv("PLEXGPU_TEST_BACKENDS");
  char                list[256]    = "host,emulate,cuda";

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  if (env) PetscCall(PetscStrncpy(list, env, sizeof(list)));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backends", list, sizeof(list), NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k) PetscCall(ProblemCreate(&problems[k]));
  PetscCall(CheckK());
  for (char *rest, *backend = strtok_r(list, ",", &rest); backend; backend = strtok_r(NULL, ",", &rest)) {
    PetscBool available, compiles;

    PetscCall(PlexBackendIsAvailable(backend, &available));
    PetscCall(PlexBackendIsAvailable(strcmp(backend, PLEXBACKENDHOST) ? backend : PLEXBACKENDEMULATE, &compiles));
    if (!available || !compiles) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip integration %s: not available on this machine\n", backend));
      continue;
    }
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); ++c) {
      for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(problems); ++k) {
        for (PetscInt s = 0; s < 2; ++s) {
          Run run = {&problems[k], cases[c].p, precisions[s], backend, 0.};

          /* all problems: each in one precision */
          if (cases[c].problem >= 0 ? cases[c].problem != k : ((size_t)k + c / 10 + (size_t)s) % 2) continue;
          PetscCall(Report(&run));
        }
      }
    }
    PetscCall(CheckMessages(backend));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); ++k)
    PetscCall(PetscFree4(problems[k].vertices, problems[k].x, problems[k].G, problems[k].A));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
