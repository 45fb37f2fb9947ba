static char help[] = "Hybridized DG: local matrices of affine elements on tensor cores, element by element.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef enum {
  NONE, /* other elements */
  WARP, /* squarecondense.cu */
  TEAM  /* teamcondense.cu */
} Kernel;

typedef struct {
  DMPolytopeType cell;
  PetscInt       P;
  Kernel         kernel;
  PetscInt       elements; /* that are computed where emulated: not all of a block's, or one more */
  PetscBool      keep, curved;
  PetscInt       block, warps; /* elements of a block, warps of an element; 0: the default */
} Case;

/* Numbers of squares that are and are not even, of S and of R^T; one panel and several */
static const Case cases[] = {
  {DM_POLYTOPE_TETRAHEDRON,   1, WARP, 30, PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   2, WARP, 9,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   2, WARP, 99, PETSC_FALSE, PETSC_TRUE,  4, 0},
  {DM_POLYTOPE_TETRAHEDRON,   3, WARP, 9,  PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   4, WARP, 5,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   5, TEAM, 6,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   5, TEAM, 2,  PETSC_FALSE, PETSC_FALSE, 1, 0},
  {DM_POLYTOPE_TETRAHEDRON,   6, TEAM, 2,  PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_TETRAHEDRON,   7, TEAM, 2,  PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_HEXAHEDRON,    1, WARP, 8,  PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_HEXAHEDRON,    2, WARP, 5,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_HEXAHEDRON,    3, TEAM, 3,  PETSC_TRUE,  PETSC_FALSE, 2, 0},
  {DM_POLYTOPE_HEXAHEDRON,    3, TEAM, 2,  PETSC_FALSE, PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_HEXAHEDRON,    3, TEAM, 2,  PETSC_TRUE,  PETSC_FALSE, 0, 4},
  {DM_POLYTOPE_HEXAHEDRON,    3, TEAM, 2,  PETSC_FALSE, PETSC_FALSE, 0, 8},
  {DM_POLYTOPE_HEXAHEDRON,    4, TEAM, 2,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_QUADRILATERAL, 9, TEAM, 3,  PETSC_TRUE,  PETSC_FALSE, 0, 0},
  {DM_POLYTOPE_HEXAHEDRON,    5, NONE, 1,  PETSC_FALSE, PETSC_FALSE, 0, 0}
};

/* Parallelepipeds, or quadrilaterals, of a box whose cells' vertices are rotated at random */
static PetscErrorCode MakeBoxes(PetscInt dim, DM *dm)
{
  Vec          X;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  if (dim == 2)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, (const PetscInt[]){2, 2}, NULL, NULL, NULL,
                                  PETSC_TRUE, 0, PETSC_FALSE, dm));
  else PetscCall(PlexTestHexahedronBox(PETSC_COMM_SELF, (const PetscInt[]){2, 2, 2}, PETSC_TRUE, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &X));
  PetscCall(VecGetLocalSize(X, &n));
  PetscCall(VecGetArray(X, &x));
  for (PetscInt v = 0; v < n; v += dim) {
    const PetscReal at[3] = {PetscFloorReal(2. * PetscRealPart(x[v]) + 0.5) / 2.,
                             PetscFloorReal(2. * PetscRealPart(x[v + 1]) + 0.5) / 2.,
                             dim == 3 ? PetscFloorReal(2. * PetscRealPart(x[v + 2]) + 0.5) / 2. : 0.};

    x[v]     = at[0] + 0.2 * at[1] - 0.1 * at[2];
    x[v + 1] = 0.8 * at[1] + 0.3 * at[0];
    if (dim == 3) x[v + 2] = 0.9 * at[2] + 0.15 * at[1];
  }
  PetscCall(VecRestoreArray(X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements see faces in all ways: faces have their vertices in another order each */
static PetscErrorCode TurnFaces(DM dm)
{
  PetscInt fStart, fEnd, state = 11;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    DMPolytopeType type;
    PetscInt       n;

    PetscCall(DMPlexGetCellType(dm, f, &type));
    n     = type == DM_POLYTOPE_SEGMENT ? 1 : DMPolytopeTypeGetNumArrangements(type) / 2;
    state = (state * 137 + 71) % 1009;
    PetscCall(DMPlexOrientPoint(dm, f, state % (2 * n) - n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(const Case *c, DM *dm)
{
  PetscFunctionBegin;
  if (c->cell == DM_POLYTOPE_TETRAHEDRON) PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, dm));
  else PetscCall(MakeBoxes(DMPolytopeTypeGetDim(c->cell), dm));
  PetscCall(TurnFaces(*dm));
  if (c->curved) PetscCall(PlexTestBendOne(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A discretization, and its matrices of elements begin .. end as one call has them, on the host */
typedef struct {
  PlexHDG  hdg;
  double  *K, *factor; /* NULL: not kept */
  PetscInt nK, nfactor;
  int      bad;
} Local;

static PetscErrorCode Setup(const Case *c, DM dm, PlexTestWaves *w, const char backend[], PetscBool units, Local *l)
{
  char n[16], warps[16];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(l, sizeof(*l)));
  PetscCall(PlexTestHDGCreate(dm, c->P, w, backend, &l->hdg));
  PetscCall(PlexTestHDGOption(l->hdg, "-plex_hdg_keep", PetscBools[c->keep]));
  if (strcmp(backend, PLEXBACKENDHOST))
    PetscCall(PlexTestHDGOption(l->hdg, "-plex_hdg_tensor_cores", PetscBools[units]));
  PetscCall(PetscSNPrintf(n, sizeof(n), "%" PetscInt_FMT, c->block));
  PetscCall(PetscSNPrintf(warps, sizeof(warps), "%" PetscInt_FMT, c->warps));
  if (c->block) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_block_elements", n));
  if (c->warps) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_element_warps", warps));
  PetscCall(PlexHDGSetUp(l->hdg));
  if (c->block) PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_block_elements"));
  if (c->warps) PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_element_warps"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* lambda + shift; in element `negative` it is so low that its matrix has no factor, -1: in none */
static PetscErrorCode Compute(const Case *c, PetscInt begin, PetscInt end, PetscReal shift, PetscInt negative, Local *l)
{
  PlexHDG      hdg     = l->hdg;
  PlexBackend  backend = hdg->backend;
  PlexHDGArgs  args    = hdg->args;
  const size_t Nt = hdg->reference->Nt, size = (hdg->reference->Np + Nt) * hdg->reference->Np, n = end - begin;
  PlexMemory   memory = {NULL, 0, 0, 0.};
  double      *reaction;

  PetscFunctionBegin;
  l->nK      = (PetscInt)(n * Nt * Nt);
  l->nfactor = c->keep ? (PetscInt)(n * size) : 0;
  PetscCall(PetscFree(l->K));
  PetscCall(PetscFree(l->factor));
  PetscCall(PetscMalloc1(l->nK, &l->K));
  PetscCall(PetscCalloc1(PetscMax(1, l->nfactor), &l->factor));
  PetscCall(PetscMalloc1(hdg->mesh->Ne, &reaction));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) reaction[e] = e == negative ? -1e8 : 1. + 0.1 * e;
  PetscCall(PlexMemoryAllocate(backend, &memory, sizeof(double) * l->nK, (void **)&args.K));
  PetscCall(PlexMemoryAllocate(backend, &memory, sizeof(double) * hdg->mesh->Ne, (void **)&args.reaction));
  args.factor = NULL;
  if (c->keep) PetscCall(PlexMemoryAllocate(backend, &memory, sizeof(double) * l->nfactor, (void **)&args.factor));
  PetscCall(PlexBackendCopyIn(backend, (void *)args.reaction, reaction, sizeof(double) * hdg->mesh->Ne));
  l->bad = -1;
  PetscCall(PlexBackendCopyIn(backend, args.bad, &l->bad, sizeof(int)));
  args.begin = (int)begin;
  args.end   = (int)end;
  args.shift = shift;
  PetscCall((*hdg->ops->condense)(hdg, &args));
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PlexBackendCopyOut(backend, l->K, args.K, sizeof(double) * l->nK));
  if (c->keep) PetscCall(PlexBackendCopyOut(backend, l->factor, args.factor, sizeof(double) * l->nfactor));
  PetscCall(PlexBackendCopyOut(backend, &l->bad, args.bad, sizeof(int)));
  PetscCall(PlexMemoryFree(backend, &memory));
  PetscCall(PetscFree(reaction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Local *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->K));
  PetscCall(PetscFree(l->factor));
  PetscCall(PlexHDGDestroy(&l->hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference over the largest number of b; infinite where one is not finite */
static PetscReal Difference(PetscInt n, const double a[], const double b[])
{
  PetscReal difference = 0., largest = 0.;

  for (PetscInt i = 0; i < n; ++i) {
    if (!(a[i] - a[i] == 0. && b[i] - b[i] == 0.)) return PETSC_INFINITY;
    difference = PetscMax(difference, PetscAbsReal(a[i] - b[i]));
    largest    = PetscMax(largest, PetscAbsReal(b[i]));
  }
  return largest > 0. ? difference / largest : PETSC_INFINITY;
}

/* In how many ways elements of these see a face, of the first number of all */
static PetscErrorCode CountTurns(PlexHDG hdg, PetscInt begin, PetscInt end, PetscInt *n)
{
  const PetscInt faces   = hdg->reference->faces;
  PetscBool      seen[8] = {PETSC_FALSE};

  PetscFunctionBegin;
  for (PetscInt k = begin * faces; k < end * faces; ++k) seen[hdg->mesh->turns[k]] = PETSC_TRUE;
  *n = 0;
  for (int t = 0; t < 8; ++t) *n += seen[t];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  const char   *names[] = {"other kernels", "a warp an element", "a team of warps an element"};
  PlexTestWaves w;
  DM            dm;
  Local         units, plain, host;
  PetscInt      begin, end, turns;
  PetscReal     difference;
  char          of[160];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s%s of degree %" PetscInt_FMT ", %s%s", backend,
                          c->curved ? "partly curved " : "", DMPolytopeTypes[c->cell], c->P, names[c->kernel],
                          c->keep ? ", factors kept" : ""));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(CreateMesh(c, &dm));
  PetscCall(Setup(c, dm, &w, backend, PETSC_TRUE, &units));
  PetscCall(Setup(c, dm, &w, PLEXBACKENDHOST, PETSC_FALSE, &host));
  PetscCall(PlexTestReportOf((PetscBool)((units.hdg->args.squareS != NULL) == (c->kernel == WARP) &&
                                         (units.hdg->args.squareLists != NULL) == (c->kernel == TEAM)),
                             of, "the kernel", "another one"));
  begin = c->curved ? 0 : 1;
  end = strcmp(backend, PLEXBACKENDEMULATE) ? units.hdg->mesh->Ne : PetscMin(begin + c->elements, units.hdg->mesh->Ne);
  PetscCall(CountTurns(units.hdg, begin, end, &turns));
  PetscCall(PlexTestReportOf((PetscBool)(turns > 1), of, "faces are turned", "%" PetscInt_FMT " ways", turns));
  if (c->kernel != NONE) {
    PetscCall(Compute(c, begin, end, 0.5, -1, &units));
    PetscCall(Compute(c, begin, end, 0.5, -1, &host));
    difference = Difference(units.nK, units.K, host.K);
    PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12 && units.bad == -1), of, "K of elements as on the host",
                               "differences %g, element %d has no factor", (double)difference, units.bad));
  }
  if (c->keep) {
    PetscCall(Setup(c, dm, &w, backend, PETSC_FALSE, &plain));
    PetscCall(Compute(c, begin, end, 0.5, -1, &plain));
    difference = Difference(units.nfactor, units.factor, plain.factor);
    PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12), of, "factors as without tensor cores", "differences %g",
                               (double)difference));
    PetscCall(Compute(c, begin, end, 0.5, end - 2, &units));
    PetscCall(PlexTestReportOf((PetscBool)(units.bad == end - 2), of, "the element that has no factor",
                               "%d, not %" PetscInt_FMT, units.bad, end - 2));
    PetscCall(Destroy(&plain));
  }
  PetscCall(Destroy(&units));
  PetscCall(Destroy(&host));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block for which there is no room, or too few warps to share an element's work */
typedef struct {
  const char *backend;
  PetscInt    block, warps;
} Sizes;

static PetscErrorCode SetupSizes(void *ctx)
{
  const Sizes  *sizes = (const Sizes *)ctx;
  const Case    c     = {DM_POLYTOPE_HEXAHEDRON, 3, TEAM, 1, PETSC_FALSE, PETSC_FALSE, sizes->block, sizes->warps};
  PlexTestWaves w;
  Local         l;
  DM            dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(3, 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(CreateMesh(&c, &dm));
  PetscCall(Setup(&c, dm, &w, sizes->backend, PETSC_TRUE, &l));
  PetscCall(Destroy(&l));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n, only = -1;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-case", &only, NULL));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
      if (only < 0 || only == k) PetscCall(TestCase(backends[b], &cases[k]));
    for (int k = 0; k < 2; ++k) {
      Sizes sizes = {backends[b], k ? 0 : 9, k ? 3 : 0};

      EXPECT(k ? "too few warps an element" : "too many elements a block", SetupSizes, &sizes,
             k ? "-plex_hdg_element_warps 3" : "-plex_hdg_block_elements 9",
             k ? "has 4 to 32 warps" : "has 1 to 3 elements");
      PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_block_elements"));
      PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_element_warps"));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
