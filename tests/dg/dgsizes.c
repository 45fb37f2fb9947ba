static char
  help[] = "More values of a process than 32 bits count: which sizes nodal DG takes and refuses, and offsets in "
           "kernels. Option "
           "-values N: arrays of N numbers, as 3e9, are there in the backend's memory (24 bytes each in all).\n\n";

/*
  A mesh of 125 million elements is no test. But a kernel does not know where an array begins: elements S .. S + Ne - 1
  of a mesh of S + Ne are computed where the arrays of a mesh of Ne elements are taken to begin S elements earlier, and
  links count from S on. With S = 50 million, and 60 values an element, offsets pass 3e9: formed in 32 bits they are those
  of other places, 17 GB from there, where there is nothing. All has the bits of the mesh itself.
*/
#include "dgproblem.h"
#include "report.h"
#include "../../src/dg/impls/curved/curvedimpl.h"
#include "../../src/dg/impls/separate/separateimpl.h"
#include <dg/decay_args.h>
#include <dg/multirate_args.h>

#define SHIFT  50000000  /* elements that are not there */
#define FACETS 120000000 /* facets of the boundary that are not there */

/* ---- Sizes */

typedef struct {
  PlexDGSizes sizes;
  PetscInt64  most;
} Asked;

static PetscErrorCode Check(void *ctx)
{
  const Asked *a = (const Asked *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGSizesCheck(&a->sizes, a->most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of an operator of degree N in dim dimensions */
static PetscErrorCode GetSizes(PetscInt dim, PetscInt N, PlexDGSizes *sizes)
{
  DM     dm;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, dim, 1, PETSC_FALSE, &dm));
  PetscCall(PlexTestWaveCreate(dm, N, 1., &dg));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetUp(dg));
  *sizes = PlexDGGetSizes(dg);
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Takes(const char what[], PlexDGSizes sizes, PetscInt64 most)
{
  Asked          a = {sizes, most};
  PetscErrorCode ierr;
  char           text[1024];

  PetscFunctionBegin;
  PetscCall(PlexTestTry(Check, &a, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, what, "%s", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSizes(void)
{
  const char *const more = "more processes", *const configured = "--with-64-bit-indices";
  PlexDGSizes high, low, flat, s;

  PetscFunctionBegin;
  PetscCall(GetSizes(3, 9, &high));
  PetscCall(GetSizes(3, 1, &low));
  PetscCall(GetSizes(2, 2, &flat));

  high.Ne = 2272728; /* of 6 fields at 220 nodes */
  PetscCall(PlexTestReport((PetscBool)(high.Ne * high.Nf * high.Np == 3000000960), "3e9 values",
                           "%" PetscInt64_FMT " elements of %" PetscInt64_FMT " fields at %" PetscInt64_FMT " nodes",
                           high.Ne, high.Nf, high.Np));
  PetscCall(Takes("3e9 values with indices of 64 bits", high, PETSC_INT64_MAX));
  EXPECT("3e9 values with indices of 32 bits", Check, (&(Asked){high, PETSC_INT32_MAX}),
         "2272728 times 1320 values of fields", "2147483647", configured, more);
  s    = high;
  s.Ne = 1626881; /* times 1320 is 2147482920 */
  PetscCall(Takes("the most elements of degree 9 with indices of 32 bits", s, PETSC_INT32_MAX));
  ++s.Ne;
  EXPECT("one more", Check, (&(Asked){s, PETSC_INT32_MAX}), "1626882 times 1320 values of fields", configured);

  s    = low;
  s.Ne = 89478485; /* times 4 times 6 is 2147483640 */
  PetscCall(Takes("the most tetrahedra of links, 2.1e9 values of degree 1", s, PETSC_INT32_MAX));
  ++s.Ne;
  EXPECT("one more tetrahedron, with indices of 64 bits", Check, (&(Asked){s, PETSC_INT64_MAX}),
         "357913944 times 6 codes of faces", "any PETSc", more);
  s.Ne      = 80000000;
  s.nghosts = 40000000; /* are among the links */
  EXPECT("traces of other processes are among the links", Check, (&(Asked){s, PETSC_INT64_MAX}),
         "360000000 times 6 codes of faces", more);
  s.nghosts = 37913941;
  PetscCall(Takes("as many as there may be", s, PETSC_INT64_MAX));
  s    = flat;
  s.Ne = 357913941;
  PetscCall(Takes("the most triangles of links, of degree 2", s, PETSC_INT64_MAX));
  EXPECT("which have 1.3e10 values", Check, (&(Asked){s, PETSC_INT32_MAX}), "357913941 times 36 values of fields",
         configured);

  s         = high;
  s.Ne      = 1000;
  s.nfacets = 20000000; /* times 3 times 55 */
  EXPECT("positions on the boundary", Check, (&(Asked){s, PETSC_INT32_MAX}), "coordinates of points of the boundary",
         configured);
  PetscCall(Takes("positions on the boundary with indices of 64 bits", s, PETSC_INT64_MAX));
  s         = high;
  s.Ne      = 1000;
  s.nghosts = 10000000; /* times 6 times 55 */
  EXPECT("values of faces", Check, (&(Asked){s, PETSC_INT32_MAX}), "values of faces that other processes have, too",
         configured);
  PetscCall(Takes("values of faces with indices of 64 bits", s, PETSC_INT64_MAX));
  s    = low;
  s.Nf = 1;
  s.nx = 20; /* curved, of degree 3 */
  s.Ne = 40000000;
  EXPECT("coordinates of curved elements", Check, (&(Asked){s, PETSC_INT32_MAX}),
         "40000000 times 60 coordinates of nodes", configured);
  PetscCall(Takes("coordinates of curved elements with indices of 64 bits", s, PETSC_INT64_MAX));
  s.nx = 4;
  s.NK = 60;
  EXPECT("coefficients", Check, (&(Asked){s, PETSC_INT32_MAX}), "40000000 times 60 coefficients", configured);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Vectors: pieces of 1000 entries are what pieces of 2^31 - 1 are */

static PetscErrorCode TestVectors(void)
{
  Vec       x, y, z;
  PetscReal norm, pieces, difference;

  PetscFunctionBegin;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 4321, PETSC_DETERMINE, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(PlexTestJumps(x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PlexDGVecNorm(x, 1000, &pieces));
  PetscCall(PlexTestReport((PetscBool)(norm > 0. && PetscAbsReal(pieces - norm) < 1e-13 * norm), "a norm by pieces",
                           "%.16g and %.16g", (double)pieces, (double)norm));
  PetscCall(VecSet(y, 3.));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecCopy(y, z));
  PetscCall(VecAXPBY(y, 2., -0.5, x));
  PetscCall(PlexDGVecAXPBY(z, 2., -0.5, x, 1000));
  PetscCall(VecAXPY(z, -1., y));
  PetscCall(VecNorm(z, NORM_INFINITY, &difference));
  PetscCall(PlexTestReport((PetscBool)(difference < 1e-14 * norm), "a sum by a loop", "off by %g", (double)difference));
  PetscCall(VecSet(z, PETSC_INFINITY));
  PetscCall(PlexDGVecAXPBY(z, 2., 0., x, 1000));
  PetscCall(PlexDGVecNorm(z, 1000, &pieces));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(pieces - 2. * norm) < 1e-13 * norm), "0 times what is no number",
                           "%g", (double)pieces));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Offsets */

/* Where an array begins that has its present contents from `bytes` on */
static const void *Before(const void *array, size_t bytes)
{
  return array ? (const void *)((uintptr_t)array - bytes) : NULL;
}

static size_t RealBytes(PlexDG dg)
{
  return dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

/* Likewise slots of microblocks, of type separate whose faces are gathered one by one */
static PetscErrorCode ShiftSlots(PlexDG dg, PetscInt shift)
{
  PlexDGSeparate *way = (PlexDGSeparate *)dg->data;
  const PetscInt  n   = way->nM * way->table.microblock;
  int            *element;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &element));
  PetscCall(PlexBackendCopyOut(dg->backend, element, way->element, sizeof(int) * (size_t)n));
  for (PetscInt k = 0; k < n; ++k)
    if (element[k] >= 0) element[k] += (int)shift;
  PetscCall(PlexBackendCopyIn(dg->backend, way->element, element, sizeof(int) * (size_t)n));
  PetscCall(PetscFree(element));
  for (int k = 0; k < 2; ++k) {
    way->range[k].first += shift;
    way->range[k].end += shift;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements of an operator that has computed nothing yet are those from `shift` on, and facets those from FACETS on */
static PetscErrorCode Shift(PlexDG dg, PetscInt shift)
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt n = mesh->Ne * mesh->faces, dim = mesh->dim, turns = mesh->turns, points = dg->reference->Nfp;
  const size_t   real = RealBytes(dg), elements = (size_t)shift;
  int           *links;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &links));
  for (PetscInt t = 0; t < n; ++t) {
    const int link = mesh->links[t];

    links[t] = link < 0 ? link - FACETS : link + (int)(shift * mesh->faces * turns);
  }
  PetscCall(PlexDGUpload(dg, links, sizeof(int) * (size_t)n, (const void **)&dg->args.links));
  PetscCall(PetscFree(links));
  dg->args.links        = (const int *)Before(dg->args.links, elements * (size_t)mesh->faces * sizeof(int));
  dg->args.geometry     = Before(dg->args.geometry, elements * (size_t)(dim * dim) * real);
  dg->args.coefficients = Before(dg->args.coefficients, elements * (size_t)dg->system->ncoefficients * real);
  dg->args.vertices     = Before(dg->args.vertices, elements * (size_t)((dim + 1) * dim) * real);
  dg->args.kinds        = (const int *)Before(dg->args.kinds, (size_t)FACETS * sizeof(int));
  dg->args.facets       = Before(dg->args.facets, (size_t)FACETS * (size_t)(points * dim) * real);
  dg->args.begin        = (int)shift;
  dg->args.Ne           = (int)(shift + mesh->Ne);
  if (!strcmp(((PetscObject)dg)->type_name, PLEXDGSEPARATE)) PetscCall(ShiftSlots(dg, shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
  PetscBool     curved; /* elements at a side of the box */
} Way;

static PetscErrorCode Hump(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  x[0] = 0.05 * PetscSinReal(3. * PETSC_PI * x[1]) * PetscSinReal(3. * PETSC_PI * x[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, const Way *way, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexTestWaveCreate(dm, 2, 1., dg));
  if (way->curved) PetscCall(PlexDGSetCurve(*dg, "sides", 1, Hump, NULL));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetUp(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays of the backend's memory: bytes from the host, at the end of as many values as option -values says */
typedef struct {
  void  *memory;
  char  *at;
  size_t bytes;
} Array;

static PetscErrorCode ArrayCreate(PlexBackend b, const void *from, size_t bytes, size_t all, Array *a)
{
  PetscFunctionBegin;
  all = PetscMax(all, bytes);
  PetscCall(PlexBackendMalloc(b, all, &a->memory));
  a->at    = (char *)a->memory + all - bytes;
  a->bytes = bytes;
  if (from) PetscCall(PlexBackendCopyIn(b, a->at, from, bytes));
  else PetscCall(PlexBackendZero(b, a->at, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComputeElements(PlexDG dg, PlexDGArgs *args, const PlexDGStage *stage)
{
  PetscFunctionBegin;
  if (args->begin == args->end) PetscFunctionReturn(PETSC_SUCCESS);
  if (stage) PetscUseTypeMethod(dg, stage, args, stage);
  else PetscUseTypeMethod(dg, rhs, args);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Curved elements are the last ones */
static PetscErrorCode ComputeAll(PlexDG dg, PetscInt shift, const PlexDGStage *stage, PlexDGArgs *args)
{
  PlexDGMesh mesh = dg->mesh;

  PetscFunctionBegin;
  args->end = args->Ne - (int)mesh->ncurved[0];
  PetscCall(ComputeElements(dg, args, stage));
  args->begin = args->end;
  args->end   = args->Ne;
  mesh->Ne += shift;
  mesh->Ninterior += shift;
  if (mesh->ncurved[0]) PetscCall((*dg->curvedWay->compute)(dg, args, stage));
  mesh->Ne -= shift;
  mesh->Ninterior -= shift;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side, or a stage, of all elements from args.begin on: out[2][values] of the operator's states */
static PetscErrorCode Compute(PlexDG dg, PetscBool isStage, PetscInt shift, size_t there, const PetscReal u[],
                              char out[])
{
  PlexBackend    b    = dg->backend;
  const PetscInt size = dg->system->Nf * dg->reference->Np, n = dg->mesh->Ne * size;
  const size_t   real = isStage ? RealBytes(dg) : sizeof(double), bytes = real * (size_t)n,
                 ahead = real * (size_t)shift * (size_t)size;
  PlexDGArgs     args  = dg->args;
  PlexDGStage    stage = {.a = -0.4, .b = 0.7, .dt = 0.01};
  Array          U, R, next;
  float         *single;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &single));
  for (PetscInt k = 0; k < n; ++k) single[k] = (float)u[k];
  PetscCall(ArrayCreate(b, real == sizeof(float) ? (const void *)single : u, bytes, real * there, &U));
  PetscCall(ArrayCreate(b, real == sizeof(float) ? (const void *)single : u, bytes, real * there, &R));
  PetscCall(ArrayCreate(b, NULL, bytes, isStage ? real * there : 0, &next));
  args.t         = 0.3;
  args.u         = isStage ? NULL : (const double *)Before(U.at, ahead);
  args.r         = isStage ? NULL : (double *)Before(R.at, ahead);
  stage.u        = Before(U.at, ahead);
  stage.residual = (void *)Before(R.at, ahead);
  stage.next     = (void *)Before(next.at, ahead);
  PetscCall(ComputeAll(dg, shift, isStage ? &stage : NULL, &args));
  PetscCall(PlexBackendCopyOut(b, out, R.at, bytes));
  PetscCall(PlexBackendCopyOut(b, out + bytes, next.at, bytes));
  PetscCall(PlexBackendFree(b, &U.memory));
  PetscCall(PlexBackendFree(b, &R.memory));
  PetscCall(PlexBackendFree(b, &next.memory));
  PetscCall(PetscFree(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many values the option -values wants to be there; none: 0 */
static PetscErrorCode GetValues(size_t *values)
{
  PetscReal given = 0.;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-values", &given, NULL));
  *values = (size_t)given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(DM dm, const Way *way)
{
  PlexDG    here, there;
  PetscInt  n, size, shift = SHIFT;
  PetscReal largest = 0., *u;
  char     *out[2], name[128];
  size_t    values = 0;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(GetValues(&values));
  PetscCall(Create(dm, way, &here));
  PetscCall(Create(dm, way, &there));
  size = here->system->Nf * here->reference->Np;
  n    = here->mesh->Ne * size;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &U));
  PetscCall(PlexTestJumps(U));
  PetscCall(VecGetArray(U, &u));
  PetscCall(PetscMalloc2(2 * n * sizeof(double), &out[0], 2 * n * sizeof(double), &out[1]));
  if (values) {
    values = PetscMax(values, (size_t)n) / (size_t)size * (size_t)size;
    shift  = (PetscInt)(values / (size_t)size) - here->mesh->Ne;
  }
  PetscCall(Shift(there, shift));
  for (PetscInt stage = 0; stage < (here->ops->stage ? 2 : 1); ++stage) {
    const size_t real = stage ? RealBytes(here) : sizeof(double);
    PetscBool    same;

    PetscCall(Compute(here, (PetscBool)stage, 0, 0, u, out[0]));
    PetscCall(Compute(there, (PetscBool)stage, shift, values, u, out[1]));
    PetscCall(PetscMemcmp(out[0], out[1], (stage ? 2 : 1) * real * (size_t)n, &same));
    for (PetscInt k = 0; k < n; ++k)
      largest = PetscMax(largest, PetscAbsReal(real == sizeof(float) ? ((float *)out[0])[k] : ((double *)out[0])[k]));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s%s, %s, elements from %" PetscInt_FMT " on", way->backend,
                            way->type, way->curved ? "curved, " : "", PlexPrecisions[way->precision],
                            stage ? "a stage" : "right-hand side", shift));
    PetscCall(PlexTestReport((PetscBool)(same && largest > 0.1 && PetscIsNormalReal(largest)), name,
                             "%s, the largest is %g", same ? "the same" : "not the same", (double)largest));
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscCall(PetscFree2(out[0], out[1]));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&here));
  PetscCall(PlexDGDestroy(&there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels of traces, probes, decay and sums of local time steps: results of elements from 0 on, or from SHIFT on */
static PetscErrorCode Small(PlexBackend b, PetscInt shift, PetscReal out[4][64])
{
  const char *const files[]  = {"dg/traces.cu", "dg/probes.cu", "dg/decay.cu", "dg/multirate.cu"},
                    *names[] = {"plex_dg_pack", "plex_dg_probe", "plex_dg_decay_add", "plex_dg_multirate_sum"};
  const int         Nf = 6, Np = 10, Nfp = 6, faces = 4, no = 0, n = 8,
                    nodes[24] = {0, 1, 2, 3, 4, 5, 9, 8, 7, 6, 5, 4, 1, 3, 5, 7, 9, 0, 2, 4, 6, 8, 0, 1};
  const size_t      values = 480, ahead = (size_t)shift * 60 * sizeof(double); /* 8 elements */
  const double      factor = 0.5, none = 0.;
  double            u[480], B[80], rates[8];
  int               element[8], at[8], sent[1];
  long long         ntrace = 36;
  Array             U[4], out0, basis, list[3], rate;

  PetscFunctionBegin;
  for (size_t k = 0; k < values; ++k) u[k] = cos(0.37 * (double)k);
  for (int k = 0; k < 80; ++k) B[k] = sin(1. + k);
  for (int k = 0; k < 8; ++k) {
    element[k] = (int)shift + 7 - k;
    at[k]      = ((int)shift + k) * Nf + k % Nf;
    rates[k]   = 1. + k;
  }
  sent[0] = ((int)shift + 5) * faces + 2;
  for (int k = 0; k < 4; ++k) PetscCall(ArrayCreate(b, u, sizeof(u), 0, &U[k]));
  PetscCall(ArrayCreate(b, NULL, 64 * sizeof(double), 0, &out0));
  PetscCall(ArrayCreate(b, B, sizeof(B), 0, &basis));
  PetscCall(ArrayCreate(b, rates, sizeof(rates), 0, &rate));
  PetscCall(ArrayCreate(b, element, sizeof(element), 0, &list[0]));
  PetscCall(ArrayCreate(b, at, sizeof(at), 0, &list[1]));
  PetscCall(ArrayCreate(b, sent, sizeof(sent), 0, &list[2]));
  for (int k = 0; k < 4; ++k) {
    const double *state = (const double *)Before(U[0].at, ahead);
    double *r = (double *)Before(U[1].at, ahead), *other = (double *)Before(U[2].at, ahead), *to = (double *)out0.at;
    void   *next = NULL;
    Array   where;
    PlexDGDecayArgs    decay = {(const int *)list[1].at, (const double *)rate.at, n, Np};
    PlexDGMultirateSum sum   = {
      .in    = {state, other},
      .c     = {0.3,   0.9  },
      .out   = r,
      .begin = (long long)shift * 60 + 100,
      .end   = (long long)shift * 60 + 160
    };
    void *arguments[4][12] = {
      {(void *)&state, (void *)&to, &list[2].at, &where.at, &ntrace, (void *)&Nf, (void *)&Np, (void *)&Nfp,
       (void *)&faces, (void *)&no, (void *)&no},
      {(void *)&state, &basis.at, &list[0].at, (void *)&to, (void *)&n, (void *)&Nf, (void *)&Np},
      {&decay, (void *)&state, (void *)&r, (void *)&factor, &next, (void *)&none, (void *)&no},
      {&sum}
    };
    PlexModule module;
    PlexKernel kernel;

    PetscCall(ArrayCreate(b, nodes, sizeof(nodes), 0, &where));
    PetscCall(PlexBackendCompileFile(b, files[k], &module));
    PetscCall(PlexModuleGetKernel(module, names[k], &kernel));
    PetscCall(PlexKernelLaunch(kernel, 1, 128, 0, arguments[k]));
    if (k < 2) PetscCall(PlexBackendCopyOut(b, out[k], out0.at, 64 * sizeof(double)));
    else /* what was added to 64 of the values, or the sum */
      PetscCall(PlexBackendCopyOut(b, out[k], U[1].at + 100 * sizeof(double), 64 * sizeof(double)));
    PetscCall(PlexBackendFree(b, &where.memory));
    PetscCall(PlexModuleDestroy(&module));
  }
  for (int k = 0; k < 4; ++k) PetscCall(PlexBackendFree(b, &U[k].memory));
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(b, &list[k].memory));
  PetscCall(PlexBackendFree(b, &out0.memory));
  PetscCall(PlexBackendFree(b, &basis.memory));
  PetscCall(PlexBackendFree(b, &rate.memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSmall(const char type[])
{
  const char *const names[] = {"traces", "probes", "decay", "sums of local time steps"};
  PetscReal         out[2][4][64];
  PlexBackend       b;

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate(type, &b));
  PetscCall(Small(b, 0, out[0]));
  PetscCall(Small(b, SHIFT, out[1]));
  for (int k = 0; k < 4; ++k) {
    PetscBool same;
    PetscReal sum = 0.;

    PetscCall(PetscMemcmp(out[0][k], out[1][k], sizeof(out[0][k]), &same));
    for (int i = 0; i < 64; ++i) sum += PetscAbsReal(out[0][k][i]);
    PetscCall(PlexTestReportOf((PetscBool)(same && sum > 1.), type, names[k], "sum %g", (double)sum));
  }
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels that go through all values: in single precision and back, and a sum, of as many as option -values says */
static PetscErrorCode TestAll(const char type[])
{
  const double last[] = {0.25, -3., 1.5}, weight = 2.;
  double       got[3], sum[3];
  const int    no = 0, begin = 1;
  size_t       values = 0;
  long long    n;
  Array        from, to, narrow;
  void        *arguments[6];
  PlexBackend  b;
  PlexModule   convert, accumulate;
  PlexKernel   kernel;

  PetscFunctionBegin;
  PetscCall(GetValues(&values));
  if (!values) PetscFunctionReturn(PETSC_SUCCESS);
  n = (long long)values;
  PetscCall(PlexBackendCreate(type, &b));
  PetscCall(PlexBackendCompileFile(b, "dg/convert.cu", &convert));
  PetscCall(PlexBackendCompileFile(b, "dg/accumulate.cu", &accumulate));
  PetscCall(ArrayCreate(b, last, sizeof(last), values * sizeof(double), &from));
  PetscCall(ArrayCreate(b, NULL, sizeof(last), values * sizeof(double), &to));
  PetscCall(ArrayCreate(b, NULL, 3 * sizeof(float), values * sizeof(float), &narrow));
  PetscCall(PlexModuleGetKernel(convert, "plex_dg_narrow", &kernel));
  arguments[0] = &from.memory;
  arguments[1] = &narrow.memory;
  arguments[2] = &n;
  PetscCall(PlexKernelLaunch(kernel, 65536, 256, 0, arguments));
  PetscCall(PlexModuleGetKernel(convert, "plex_dg_widen", &kernel));
  arguments[0] = &narrow.memory;
  arguments[1] = &to.memory;
  PetscCall(PlexKernelLaunch(kernel, 65536, 256, 0, arguments));
  PetscCall(PlexBackendCopyOut(b, got, to.at, sizeof(got)));
  PetscCall(PlexModuleGetKernel(accumulate, "plex_dg_accumulate", &kernel));
  arguments[0] = &from.memory;
  arguments[1] = &to.memory;
  arguments[2] = (void *)&weight;
  arguments[3] = &n;
  arguments[4] = (void *)&no;
  arguments[5] = (void *)&begin;
  PetscCall(PlexKernelLaunch(kernel, 65536, 256, 0, arguments));
  PetscCall(PlexBackendCopyOut(b, sum, to.at, sizeof(sum)));
  PetscCall(PlexTestReportOf((PetscBool)(got[0] == last[0] && got[1] == last[1] && got[2] == last[2]), type,
                             "single precision and back", "%g %g %g", got[0], got[1], got[2]));
  PetscCall(PlexTestReportOf((PetscBool)(sum[0] == 2. * last[0] && sum[1] == 2. * last[1] && sum[2] == 2. * last[2]),
                             type, "a sum of residuals", "%g %g %g", sum[0], sum[1], sum[2]));
  PetscCall(PlexBackendFree(b, &from.memory));
  PetscCall(PlexBackendFree(b, &to.memory));
  PetscCall(PlexBackendFree(b, &narrow.memory));
  PetscCall(PlexModuleDestroy(&convert));
  PetscCall(PlexModuleDestroy(&accumulate));
  PetscCall(PlexBackendDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All types of a backend, in both precisions; those that have curved elements with some, too */
static PetscErrorCode TestTypes(const char backend[], int ntypes, const char *const types[])
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 3, 2, PETSC_FALSE, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gather", "faces"));
  for (int k = 0; k < ntypes; ++k)
    for (int curved = 0; curved < (strcmp(types[k], PLEXDGSEPARATE) ? 2 : 1); ++curved)
      for (int precision = 0; precision < 2; ++precision) {
        const Way way = {backend, types[k], precision ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE,
                         (PetscBool)curved};

        PetscCall(TestWay(dm, &way));
      }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gather"));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const char *const types[] = {PLEXDGPLAIN, PLEXDGFUSED, PLEXDGSEPARATE};

  PetscFunctionBegin;
  PetscCall(TestSmall(backend));
  PetscCall(TestAll(backend));
  PetscCall(TestTypes(backend, 3, types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  const char *const types[] = {PLEXDGHOST};

  PetscFunctionBegin;
  PetscCall(TestTypes(PLEXBACKENDHOST, 1, types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(TestSizes());
  PetscCall(TestVectors());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
