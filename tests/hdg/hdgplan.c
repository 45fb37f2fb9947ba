static char help[] = "Hybridized DG: what K's blocks and the coarse matrix's entries sum is the same by kernels and by "
                     "the host, array by array.\n\n";

#include "hdgproblem.h"
#include "../../src/hdg/hdgimpl.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      periodic;
  PetscInt       refine;
} Case;

static const Case cases[] = {
  {"triangles",          DM_POLYTOPE_TRIANGLE,      3, PETSC_FALSE, 2},
  {"periodic triangles", DM_POLYTOPE_TRIANGLE,      1, PETSC_TRUE,  0},
  {"quadrilaterals",     DM_POLYTOPE_QUADRILATERAL, 2, PETSC_FALSE, 1},
  {"tetrahedra",         DM_POLYTOPE_TETRAHEDRON,   1, PETSC_FALSE, 1},
  {"hexahedra",          DM_POLYTOPE_HEXAHEDRON,    1, PETSC_FALSE, 0}
};

static PetscErrorCode Make(const Case *c, const char backend[], PlexHDG *hdg)
{
  PlexTestWaves w;
  DM            dm;

  PetscFunctionBegin;
  if (c->periodic) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 4, PETSC_TRUE, &dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, &dm));
  for (PetscInt r = 0; r < c->refine; ++r) PetscCall(PlexTestRefine(&dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 1., PETSC_FALSE, (PetscBool)!c->periodic, &w);
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, hdg));
  PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_trace", "aij")); /* there is a plan */
  PetscCall(PlexHDGSetUp(*hdg));
  PetscCall(PlexHDGCreateCoarse(*hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether arrays in the backends' memories have the same bytes */
static PetscErrorCode Same(PlexHDG one, const void *a, PlexHDG two, const void *b, size_t bytes, PetscBool *same)
{
  char *x, *y;

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  if (!bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(bytes, &x, bytes, &y));
  PetscCall(PlexBackendCopyOut(one->backend, x, a, bytes));
  PetscCall(PlexBackendCopyOut(two->backend, y, b, bytes));
  PetscCall(PetscMemcmp(x, y, bytes, same));
  PetscCall(PetscFree2(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const char of[], const char what[], size_t bytes, PetscBool same)
{
  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &same, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf(same, of, what, "they differ, %zu bytes on this process", bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of both that many bytes, which are more than none on the first process */
#define COMPARE(what, a, b, bytes) \
  do { \
    PetscCall(Same(hdg[0], a, hdg[1], b, bytes, &same)); \
    PetscCall(Report(of, what, bytes, (PetscBool)(same && (rank || (bytes) > 0)))); \
  } while (0)

static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexHDG       hdg[2];
  PlexHDGCoarse a, b;
  PetscInt      nown;
  PetscBool     same, sizes;
  PetscMPIInt   size, rank;
  char          of[128];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PetscCall(Make(c, PLEXBACKENDHOST, &hdg[0]));
  PetscCall(Make(c, backend, &hdg[1]));
  nown  = hdg[0]->mesh->nown;
  sizes = (PetscBool)(hdg[0]->nblocks == hdg[1]->nblocks && hdg[0]->nlate == hdg[1]->nlate);
  PetscCall(Report(of, "sizes", 0, sizes));
  if (!sizes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycmp(hdg[0]->blockStart, hdg[1]->blockStart, nown + 1, &same));
  PetscCall(Report(of, "blocks of each face", sizeof(PetscInt) * (nown + 1), same));
  PetscCall(PetscArraycmp(hdg[0]->blockColumn, hdg[1]->blockColumn, hdg[0]->nblocks, &same));
  PetscCall(Report(of, "columns", sizeof(PetscInt) * hdg[0]->nblocks, same));
  COMPARE("what blocks sum", hdg[0]->blocks, hdg[1]->blocks, sizeof(PlexHDGBlock) * hdg[0]->nblocks);
  if (size > 1) {
    PetscCall(Same(hdg[0], hdg[0]->late, hdg[1], hdg[1]->late, sizeof(PlexHDGBlock) * hdg[0]->nlate, &same));
    PetscCall(Report(of, "blocks with parts of other processes", sizeof(PlexHDGBlock) * hdg[0]->nlate, same));
  }
  a     = hdg[0]->coarse;
  b     = hdg[1]->coarse;
  sizes = (PetscBool)(a->npairs == b->npairs && a->nz == b->nz && a->n == b->n);
  PetscCall(Report(of, "sizes of the coarse matrix", 0, sizes));
  if (sizes) {
    COMPARE("where pairs begin", a->start, b->start, sizeof(int) * (a->npairs + 1));
    COMPARE("diagonal blocks", a->diagonal, b->diagonal, sizeof(int) * nown);
  }
  if (sizes && size == 1) {
    int items;

    PetscCall(PlexBackendCopyOut(hdg[0]->backend, &items, &a->start[a->npairs], sizeof(int)));
    COMPARE("items of pairs", a->items, b->items, sizeof(int) * items);
    COMPARE("order of parts", a->order, b->order, sizeof(int) * a->npairs * a->nv);
    COMPARE("parts of entries", a->entry, b->entry, sizeof(int) * (a->nz + 1));
    PetscCall(MatEqual(a->A, b->A, &same));
    PetscCall(Report(of, "pattern of the coarse matrix", 0, same));
  }
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestCase(backends[b], &cases[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
