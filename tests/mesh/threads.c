/*
  Loops in threads: each item once, whatever the number of threads, and what is made of a mesh the same bits.
*/
#include <plexgpu/private/meshimpl.h>
#include <plexgpu/private/util.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static const char help[] = "Loops in threads\n";

typedef struct {
  int       *visits; /* [n] */
  PlexCount  sum;
  PlexLowest lowest; /* of the items that 7000 divides, but for 0 */
} Items;

static void Visit(void *ctx, PetscInt begin, PetscInt end)
{
  Items *items = (Items *)ctx;

  for (PetscInt k = begin; k < end; ++k) {
    ++items->visits[k];
    PlexCountAdd(&items->sum, k);
    if (k && !(k % 7000)) PlexLowestPut(&items->lowest, k);
  }
}

static PetscErrorCode SetThreads(PetscInt threads)
{
  char text[16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%" PetscInt_FMT, threads));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckItems(PetscInt threads, PetscInt n)
{
  Items    items;
  PetscInt wrong = 0;
  char     name[64];

  PetscFunctionBegin;
  PetscCall(SetThreads(threads));
  PetscCall(PetscCalloc1(n, &items.visits));
  PlexCountInit(&items.sum);
  PlexLowestInit(&items.lowest, n);
  PetscCall(PlexThreadsRun(n, 1, Visit, &items));
  for (PetscInt k = 0; k < n; ++k) wrong += items.visits[k] != 1;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT " items, threads %" PetscInt_FMT, n, threads));
  PetscCall(PlexTestReport((PetscBool)!wrong, name, "%" PetscInt_FMT " items not visited once", wrong));
  PetscCall(PlexTestReport((PetscBool)(PlexCountGet(&items.sum) == (PetscInt64)n * (n - 1) / 2 &&
                                       PlexLowestGet(&items.lowest) == PetscMin(n, 7000)),
                           name, "sum %lld, lowest %" PetscInt_FMT, (long long)PlexCountGet(&items.sum),
                           PlexLowestGet(&items.lowest)));
  PetscCall(PetscFree(items.visits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every seventh item, and all of some thousands, of which chunks have all, some and none */
static PetscErrorCode CheckSelected(PetscInt threads, PetscInt n, PetscBool rest)
{
  PetscInt count, wrong = 0, next = 0, last = 0;
  int     *items;
  char    *is, name[64];

  PetscFunctionBegin;
  PetscCall(SetThreads(threads));
  PetscCall(PetscMalloc1(n, &is));
  for (PetscInt k = 0; k < n; ++k) {
    is[k] = k % 7 == 3 || (k > 20000 && k < 60000);
    last += is[k];
  }
  PetscCall(PlexThreadsSelect(n, is, rest, &count, &items));
  wrong += count != last;
  for (PetscInt k = 0; k < n; ++k) {
    if (is[k]) wrong += items[next++] != k;
    else if (rest) wrong += items[last++] != k;
  }
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "of %" PetscInt_FMT " items those that have something%s, threads %" PetscInt_FMT, n,
                          rest ? ", then the others" : "", threads));
  PetscCall(PlexTestReport((PetscBool)!wrong, name, "%" PetscInt_FMT " are wrong, %" PetscInt_FMT " selected", wrong,
                           count));
  PetscCall(PetscFree(items));
  PetscCall(PetscFree(is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunNone(void *ctx)
{
  Items items = {.visits = NULL};

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(SetThreads(0));
  PetscCall(PlexThreadsRun(1, 1, Visit, &items));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is made of a mesh */
typedef struct {
  PlexElements el;
  Mat          mat;
  PlexPattern  pattern;
  PlexLists    around;
} Made;

static PetscErrorCode MadeCreate(DM dm, PetscInt threads, Made *made)
{
  PetscInt k;
  int     *conn;
  char    *text;

  PetscFunctionBegin;
  PetscCall(SetThreads(threads));
  PetscCall(PlexElementsCreate(dm, &made->el));
  PetscCall(PlexElementsFindInverted(made->el, &text));
  PetscCall(PetscFree(text));
  PetscCall(PlexElementsCreateMatrix(made->el, &made->mat));
  PetscCall(PlexPatternCreate(made->el, made->mat, &made->pattern));
  PetscCall(PlexElementsGetNodes(made->el, &k, &conn));
  PetscCall(PlexListsInvert(made->el->Ne, k, conn, made->el->Nnodes, &made->around));
  PetscCall(PetscFree(conn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MadeDestroy(Made *made)
{
  PetscFunctionBegin;
  PetscCall(PlexListsDestroy(&made->around));
  PetscCall(PlexPatternDestroy(&made->pattern));
  PetscCall(MatDestroy(&made->mat));
  PetscCall(PlexElementsDestroy(&made->el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SAME(a, b, n) ((PetscBool)((n) == 0 || !memcmp(a, b, sizeof(*(a)) * (size_t)(n))))

static PetscErrorCode CheckMade(const char mesh[], PetscInt threads, const Made *one, const Made *many)
{
  const PlexElements a = one->el, b = many->el;
  const PlexPattern  p = one->pattern, q = many->pattern;
  PetscBool          same;
  char               name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, threads %" PetscInt_FMT, mesh, threads));
  same = (PetscBool)(a->Ne == b->Ne && a->ef == b->ef && a->Nl == b->Nl && a->Nv == b->Nv && a->Nnodes == b->Nnodes);
  same = (PetscBool)(same && SAME(a->cells, b->cells, a->Ne) && SAME(a->dofs, b->dofs, a->Ne * a->ef) &&
                     SAME(a->node, b->node, a->Nl));
  PetscCall(PlexTestReportOf(same, name, "cells, dofs and nodes", "others than with one thread"));
  same = (PetscBool)(SAME(a->vertices, b->vertices, a->Ne * a->Nv) && SAME(a->x, b->x, a->Nx * a->dim));
  PetscCall(PlexTestReportOf(same, name, "coordinate nodes", "others than with one thread"));
  same = (PetscBool)(p->m == q->m && p->nnz == q->nnz);
  same = (PetscBool)(same && SAME(p->i, q->i, p->m + 1) && SAME(p->j, q->j, p->nnz) && SAME(p->row, q->row, a->Nl));
  PetscCall(PlexTestReportOf(same, name, "pattern", "another than with one thread"));
  same = SAME(one->around.start, many->around.start, one->around.n + 1);
  same = (PetscBool)(same && SAME(one->around.items, many->around.items, one->around.start[one->around.n]));
  PetscCall(PlexTestReportOf(same, name, "elements around nodes", "others than with one thread"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refined until the cells are more than those that are gone through before the threads begin */
static PetscErrorCode CreateMesh(const PlexTestProblem *problem, DM *dm)
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, problem->cell, 0, dm));
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  while (cEnd - cStart < 1500) {
    DM fine;

    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &fine));
    PetscCall(DMDestroy(dm));
    *dm = fine;
    PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  }
  PetscCall(PlexTestProblemSetUp(*dm, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckProblem(const PlexTestProblem *problem)
{
  const PetscInt numbers[] = {2, 7};
  DM             dm;
  Made           one, many;
  char           mesh[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(mesh, sizeof(mesh), "%s, degree %" PetscInt_FMT ", components %" PetscInt_FMT,
                          DMPolytopeTypes[problem->cell], problem->degree, problem->components));
  PetscCall(CreateMesh(problem, &dm));
  PetscCall(MadeCreate(dm, 1, &one));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(numbers); ++k) {
    PetscCall(MadeCreate(dm, numbers[k], &many));
    PetscCall(CheckMade(mesh, numbers[k], &one, &many));
    PetscCall(MadeDestroy(&many));
  }
  PetscCall(MadeDestroy(&one));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where several cells are inside out, the one with the lowest number is named */
static PetscErrorCode CheckInverted(void)
{
  const PlexTestProblem problem = {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 1};
  PlexElements          el;
  DM                    dm;
  Vec                   coordinates;
  PetscScalar          *x;
  PetscInt              n, lowest = PETSC_INT_MAX;
  char                 *text, expected[64];

  PetscFunctionBegin;
  PetscCall(CreateMesh(&problem, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < n; k += 40) x[k] += 10.;
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PetscObjectStateIncrease((PetscObject)coordinates));
  PetscCall(PlexElementsCreate(dm, &el));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscReal J[9], det;

    PetscCall(DMPlexComputeCellGeometryFEM(dm, el->cells[e], NULL, NULL, J, NULL, &det));
    if (det <= 0.) lowest = PetscMin(lowest, el->cells[e]);
  }
  PetscCall(PetscSNPrintf(expected, sizeof(expected), "cell %" PetscInt_FMT " at", lowest));
  for (PetscInt threads = 1; threads <= 7; threads += 3) {
    size_t    length;
    PetscBool same = PETSC_FALSE;

    PetscCall(SetThreads(threads));
    PetscCall(PlexElementsFindInverted(el, &text));
    PetscCall(PetscStrlen(expected, &length));
    if (text) PetscCall(PetscStrncmp(text, expected, length, &same));
    PetscCall(PlexTestReportOf(same, "inverted",
                               threads == 1   ? "1 thread"
                               : threads == 4 ? "4 threads"
                                              : "7 threads",
                               "%s, not %s", text ? text : "nothing", expected));
    PetscCall(PetscFree(text));
  }
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                  DM_POLYTOPE_HEXAHEDRON};
  const char *const    words[] = {"-plexgpu_threads", "1 thread", NULL};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads_least", "1"));
  for (PetscInt threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5)
    for (PetscInt n = 0; n <= 100000; n = 10 * n + 1) {
      PetscCall(CheckItems(threads, n));
      for (int rest = 0; rest < 2; ++rest) PetscCall(CheckSelected(threads, n, (PetscBool)rest));
    }
  PetscCall(PlexTestExpect("no thread", RunNone, NULL, words));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cells); ++c)
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      const PlexTestProblem problem = {.cell = cells[c], .degree = degree, .components = degree == 2 ? 2 : 1};

      PetscCall(CheckProblem(&problem));
    }
  PetscCall(CheckInverted());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
