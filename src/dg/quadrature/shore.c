/*
  Wetting and drying of shallow water, constant `dry` > 0: elements whose depth is less than `shore` somewhere may fall
  dry.

  - The depth of the bottom is linear in each such element (bilinear in quadrilaterals), from its values at the
    vertices, and continuous.
  - After each stage: where the water of an element is not deeper than `dry` at all nodes and points, all fields become
    the linear functions nearest in L2, which keep their means. Where a vertex then has less than `dry`, the water gets
    one level, from its volume (Begnudelli and Sanders, J. Hydraul. Eng. 132 (2006)), and one velocity. So H >= 0 at the
    vertices and everywhere, water is neither lost nor made, and velocities are those of means.
  - Likewise where water is thin at a node of an element and faster there than |v| + 2 sqrt(g H) of its mean velocity
    and largest depth, the front of a dam break on dry land (Ritter, 1892): linear functions, and where that is not
    enough one velocity. A discharge that is a polynomial is no zero where the depth is: its velocity, and the inverse
    of the time step, would grow without bound, until steps are rejected.
  - A film on land, at a vertex thinner than 0.3 of the largest depth, is put down to the one level where its land
    rises higher above that than the velocity head of the mean velocity. The elevation is one linear function, so water
    that flows in lifts it at that vertex, too, at no cost, as there is no force.
  - Where linear functions have more energy than there was, discharges are reduced, as by friction, by nine tenths of
    what would make up for it; not where a film was put down in a wet element, as one level has the least energy.
  - In an element with land above the level that its water would have, the surface up to the land is no slope of the
    water: its force is taken from the right-hand side (as Vater, Beisiegel and Behrens, Int. J. Numer. Meth. Fluids 91
    (2019), do for degree 1), in part where the vertex has a film of water: all but (5 times its depth over the mean
    depth)^2. That of a film on a cliff on the depth of all the element would push away the sea below. Less than 5 lets
    waves run up too high on coarse meshes.

  So a lake at rest, eta the level at vertices under water and -d at the others, is kept to rounding: its fields are
  continuous, so that fluxes through faces meet on both sides, and where it is not level there is no force. Small waves
  on it decay: linear fields at the shore with limiting alone let them grow from rounding.

  Means of H stay positive where the method is a sum of forward Euler steps (ssp3 of TSRK) of at most
  PlexDGComputeTimeStep() and elements at the shore are linear: what leaves through a face is at most the speed times H
  there (Xing, Zhang and Shu, Adv. Water Resour. 33 (2010)). Else an element may be overdrawn; it then has the same
  H < 0 everywhere and counts as dry, and no water is invented.

  Energy: the slope up to the land holds energy g eta^2/2 that no water has. With it a lake at rest is not what has the
  least energy of its volume: dE/dV of a triangle with the level L, and one dry vertex at elevation b, is g (3 L +
  b)/4 in place of g L, so what flows in from higher water makes E grow if b > 4 L' - 3 L, L' the level there, in any
  scheme that keeps lakes at rest. tests/dg/dgfuzz.c measures one that is least in lakes at rest, in which films on land
  have their weight. It grows for a while in two of 200 runs there; nothing is proved.

  The work on an element is in cuda/dg/shore.h, for the host and for kernels.
*/
#include "quadratureimpl.h"
#include "../core/coreimpl.h" /* PlexDGGetParts() */

#define PLEX_SHORE_FUNCTION static inline
#include <dg/shore.h>

struct _n_PlexDGShore {
  PlexDGShoreArgs host, args;    /* with tables in the host's memory, and in the backend's */
  int            *elements;      /* [n], [NV] vertices behind them */
  double         *tables, *work; /* PLEX_SHORE_WORK() */
  PlexModule      module;
  PlexKernel      limit, correct;
  /* of the elements that may fall dry: land somewhere, less deep at a node, between nodes alone; and others whose
     bottom is linear on faces */
  PetscInt count[4];
};

/* The number of a constant of the system; negative: it has none */
PetscReal PlexDGWaterConstant_Private(PlexDG dg, const char name[])
{
  PlexDGSystem system = dg->system;
  PetscInt     at     = 0;

  for (PetscInt k = 0; system->water && k < system->nconstants; at += system->constants[k++].n)
    if (!strcmp(name, system->constants[k].name)) return dg->constants[at];
  return -1.;
}

/* At a shore line the pressure is a product of two linear functions, times cofactors and those of the sphere: with
   polynomials of degree 1 more has to be exact */
PetscInt PlexDGShoreGetDegree_Private(PlexDG dg)
{
  return dg->quadratureDegree == PETSC_DETERMINE && dg->degree == 1 && PlexDGWaterConstant_Private(dg, "dry") > 0.
         ? 4
         : dg->quadratureDegree;
}

/* Whether elements of this process may fall dry */
static PetscErrorCode PlexDGShoreFind(PlexDG dg, PetscReal shore, int may[], PetscInt count[])
{
  PlexDGMesh mesh = dg->mesh;
  PetscReal *node, *least;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(mesh->Ne, &node, mesh->Ne, &least));
  PetscCall(PlexDGGetLeastDepths_Private(dg, node, least));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    may[e] = least[e] < shore;
    if (may[e]) ++count[node[e] <= 0. ? 0 : node[e] < shore ? 1 : 2];
  }
  PetscCall(PetscFree2(node, least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGShoreCheck(PlexDG dg, PetscReal dry)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);
  PlexDG   parts[2];

  PetscFunctionBegin;
  (void)PlexDGGetParts(dg, parts);
  PetscCheck(dry >= 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Water cannot be %g deep and count as dry land: -plex_dg_dry is positive, or 0 where nothing falls dry",
             (double)dry);
  PetscCheck(dry == 0. || PlexDGWaterConstant_Private(dg, "linear") <= 0., comm, PETSC_ERR_ARG_INCOMP,
             "The linear equations have no shore line: -plex_dg_dry %g is for -plex_dg_linear 0", (double)dry);
  PetscCheck(dry == 0. || parts[0]->mesh->dim == 2, comm, PETSC_ERR_SUP,
             "Wetting and drying is for meshes of dimension 2, and this one has %" PetscInt_FMT
             ": leave -plex_dg_dry out",
             parts[0]->mesh->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements that may fall dry, and the nodes that are vertices */
static PetscErrorCode PlexDGShoreList(PlexDG dg, const int may[])
{
  PlexDGShore     s = dg->shore;
  PlexDGReference R = dg->reference;
  double         *linear;

  PetscFunctionBegin;
  s->host.NV = R->tensor ? 4 : 3;
  PetscCall(PetscMalloc1(dg->mesh->Ne + s->host.NV, &s->elements));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    if (may[e]) s->elements[s->host.n++] = (int)e;
  PetscCall(PetscMalloc1(R->Np * s->host.NV, &linear));
  PlexDGBottomLinear_Private(R->tensor, R->Np, R->r, linear, NULL);
  PetscCall(PlexDGBottomVertices_Private(R, s->host.NV, linear, &s->elements[s->host.n]));
  PetscCall(PetscFree(linear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShoreCreate_Private(PlexDG dg)
{
  const PetscReal dry = dg->system->water ? PlexDGWaterConstant_Private(dg, "dry") : 0.;
  PlexDG          parts[2];
  const PetscInt  n = PlexDGGetParts(dg, parts);
  int            *may[2];

  PetscFunctionBegin;
  PetscCall(PlexDGShoreCheck(dg, dry));
  if (dry == 0.) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscNew(&parts[k]->shore));
    parts[k]->shore->host.dry = dry;
    PetscCall(PetscMalloc1(parts[k]->mesh->Ne + parts[k]->mesh->nghosts, &may[k]));
    PetscCall(PlexDGShoreFind(parts[k], PlexDGWaterConstant_Private(dg, "shore"), may[k], parts[k]->shore->count));
  }
  PetscCall(PlexDGBottomShare_Private(dg, may));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGShoreList(parts[k], may[k]));
    PetscCall(PlexDGBottomMakeLinear_Private(parts[k], may[k], dg->system->ncoefficients, &parts[k]->shore->count[3]));
    PetscCall(PetscFree(may[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables one behind the other: where each begins, in numbers */
enum {
  DEPTH,
  WEIGHTS,
  VOLUMES,
  LINEAR,
  LINEAR_POINTS,
  LINEAR_SLOPES,
  LINEAR_CHECKED,
  CHECKS,
  PROJECT,
  REDISTRIBUTE,
  JACOBIANS,
  MINV,
  TABLES
};

static void PlexDGShorePlace(PlexDGShoreArgs *a, const double *tables, const size_t at[])
{
  a->depth         = tables + at[DEPTH];
  a->weights       = tables + at[WEIGHTS];
  a->volumes       = tables + at[VOLUMES];
  a->linear        = tables + at[LINEAR];
  a->linearPoints  = tables + at[LINEAR_POINTS];
  a->linearSlopes  = tables + at[LINEAR_SLOPES];
  a->linearChecked = tables + at[LINEAR_CHECKED];
  a->checks        = tables + at[CHECKS];
  a->project       = tables + at[PROJECT];
  a->redistribute  = tables + at[REDISTRIBUTE];
  a->C             = tables + at[JACOBIANS];
  a->Minv          = a->affine ? NULL : tables + at[MINV];
}

/* project[nv][Np]: (L^T M L)^-1 L^T M with the sums over the points; detJ NULL: it is the same everywhere */
static void PlexDGShoreProjection(PlexDGQuadrature Q, PetscInt nv, PetscInt Np, const double linear[],
                                  const PetscReal detJ[], double project[])
{
  double A[PLEX_SHORE_VERTICES][PLEX_SHORE_VERTICES] = {{0.}};

  for (PetscInt v = 0; v < nv; ++v) {
    for (PetscInt i = 0; i < Np; ++i) project[v * Np + i] = 0.;
    for (PetscInt g = 0; g < Q->NG; ++g) {
      const double here = Q->weights[g] * (detJ ? detJ[g] : 1.) * linear[g * nv + v];

      for (PetscInt w = 0; w < nv; ++w) A[v][w] += here * linear[g * nv + w];
      for (PetscInt i = 0; i < Np; ++i) project[v * Np + i] += here * Q->phi[g * Np + i];
    }
  }
  for (PetscInt p = 0; p < nv; ++p) { /* Gauss and Jordan; A is symmetric and positive definite */
    const double pivot = A[p][p];

    for (PetscInt w = 0; w < nv; ++w) A[p][w] /= pivot;
    for (PetscInt i = 0; i < Np; ++i) project[p * Np + i] /= pivot;
    for (PetscInt v = 0; v < nv; ++v) {
      const double factor = v == p ? 0. : A[v][p];

      for (PetscInt w = 0; w < nv; ++w) A[v][w] -= factor * A[p][w];
      for (PetscInt i = 0; i < Np; ++i) project[v * Np + i] -= factor * project[p * Np + i];
    }
  }
}

/* Basis and linear functions at the points of elements and of their faces */
static PetscErrorCode PlexDGShoreChecks(PlexDG dg, double checks[], double linear[], double *most)
{
  const PetscInt n = dg->quadrature->NG + dg->reference->faces * dg->quadrature->MG;
  PetscReal     *points;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * 2, &points));
  PetscCall(PlexDGTabulatePoints_Private(dg, PETSC_FALSE, points, checks, most));
  PlexDGBottomLinear_Private(dg->reference->tensor, n, points, linear, NULL);
  PetscCall(PetscFree(points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What depends on the element: depth at the vertices, weights of means, geometry */
static void PlexDGShoreElements(PlexDG dg, PlexDGShore s, double *depth, double *weights, double *volumes, double *C,
                                double *Minv)
{
  PlexDGQuadrature       Q  = dg->quadrature;
  const PlexDGShoreArgs *a  = &s->host;
  const PetscInt         Np = a->NP, NG = a->NG, NK = dg->system->ncoefficients, step = Q->affine ? 1 : NG;

  for (PetscInt l = 0; l < a->n; ++l) {
    const size_t e = (size_t)s->elements[l];

    for (PetscInt v = 0; v < a->NV; ++v) depth[l * a->NV + v] = dg->variables[e * NK * Np + s->elements[a->n + v]];
    for (PetscInt k = 0; k < 4 * step; ++k) C[(size_t)l * 4 * step + k] = Q->C[e * 4 * step + k];
    for (PetscInt k = 0; k < (Q->affine ? 0 : Np * Np); ++k) Minv[(size_t)l * Np * Np + k] = Q->Minv[e * Np * Np + k];
  }
  for (PetscInt l = 0; l < (Q->affine ? 1 : a->n); ++l) {
    double area = 0.;

    for (PetscInt i = 0; i < Np; ++i) weights[(size_t)l * Np + i] = 0.;
    for (PetscInt g = 0; g < NG; ++g) {
      const double w = Q->weights[g] * (Q->affine ? 1. : Q->detJ[(size_t)s->elements[l] * NG + g]);

      area += w;
      volumes[(size_t)l * NG + g] = w;
      for (PetscInt i = 0; i < Np; ++i) weights[(size_t)l * Np + i] += w * Q->phi[g * Np + i];
    }
    for (PetscInt i = 0; i < Np; ++i) weights[(size_t)l * Np + i] /= area;
  }
}

static PetscErrorCode PlexDGShoreSetTables(PlexDG dg, PlexDGShore s)
{
  PlexDGQuadrature Q = dg->quadrature;
  PlexDGReference  R = dg->reference;
  PlexDGShoreArgs *a = &s->host;
  const size_t n = (size_t)a->n, Np = (size_t)a->NP, NG = (size_t)a->NG, NV = (size_t)a->NV, nc = (size_t)a->checked;
  const size_t size[TABLES]   = {n * NV,
                                 (Q->affine ? 1 : n) * Np,
                                 (Q->affine ? 1 : n) * NG,
                                 Np * NV,
                                 NG * NV,
                                 2 * NG * NV,
                                 nc * NV,
                                 nc * Np,
                                 (Q->affine ? 1 : n) * NV * Np,
                                 NG * Np,
                                 n * 4 * (Q->affine ? 1 : NG),
                                 Q->affine ? 0 : n * Np * Np};
  size_t       at[TABLES + 1] = {0};
  PlexDGTables tables;
  const void  *uploaded;

  PetscFunctionBegin;
  for (int k = 0; k < TABLES; ++k) at[k + 1] = at[k] + size[k];
  PetscCall(PetscMalloc1(at[TABLES], &s->tables));
  PlexDGBottomLinear_Private(R->tensor, R->Np, R->r, s->tables + at[LINEAR], NULL);
  PlexDGBottomLinear_Private(R->tensor, Q->NG, Q->points, s->tables + at[LINEAR_POINTS], s->tables + at[LINEAR_SLOPES]);
  PetscCall(PlexDGShoreChecks(dg, s->tables + at[CHECKS], s->tables + at[LINEAR_CHECKED], &a->most));
  for (size_t l = 0; l < (Q->affine ? 1 : n); ++l)
    PlexDGShoreProjection(Q, a->NV, a->NP, s->tables + at[LINEAR_POINTS],
                          Q->affine ? NULL : &Q->detJ[(size_t)s->elements[l] * NG],
                          s->tables + at[PROJECT] + l * NV * Np);
  PetscCall(PlexDGTablesCreate_Private(Q, R, Q->affine, &tables));
  PetscCall(PetscArraycpy(s->tables + at[REDISTRIBUTE], tables.W2, NG * Np));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PlexDGShoreElements(dg, s, s->tables + at[DEPTH], s->tables + at[WEIGHTS], s->tables + at[VOLUMES],
                      s->tables + at[JACOBIANS], s->tables + at[MINV]);
  a->elements = s->elements;
  a->vertices = s->elements + a->n;
  PlexDGShorePlace(a, s->tables, at);
  s->args = *a;
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGUpload(dg, s->tables, at[TABLES] * sizeof(double), &uploaded));
  PlexDGShorePlace(&s->args, (const double *)uploaded, at);
  PetscCall(PlexDGUpload(dg, s->elements, (n + NV) * sizeof(int), &uploaded));
  s->args.elements = (const int *)uploaded;
  s->args.vertices = s->args.elements + n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernels, for these sizes */
static PetscErrorCode PlexDGShoreCompile(PlexDG dg, PlexDGShore s)
{
  const struct {
    const char *name;
    int         value;
  } sizes[] = {
    {"NV",      s->host.NV     },
    {"NP",      s->host.NP     },
    {"NG",      s->host.NG     },
    {"CHECKED", s->host.checked},
    {"AFFINE",  s->host.affine }
  };
  char        text[PETSC_STATIC_ARRAY_LENGTH(sizes)][32];
  const char *defines[PETSC_STATIC_ARRAY_LENGTH(sizes)];

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "PLEX_SHORE_%s=%d", sizes[k].name, sizes[k].value));
    defines[k] = text[k];
  }
  PetscCall(PetscLogEventBegin(PLEX_Compile, dg, 0, 0, 0));
  PetscCall(PlexBackendCompile(dg->backend, "shore.cu", (PetscInt)PETSC_STATIC_ARRAY_LENGTH(sizes), defines,
                               "#include \"dg/shore.cu\"\n", &s->module));
  PetscCall(PetscLogEventEnd(PLEX_Compile, dg, 0, 0, 0));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_shore_limit", &s->limit));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_shore_correct", &s->correct));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShoreSetUp_Private(PlexDG dg)
{
  PlexDGShore s = dg->shore;

  PetscFunctionBegin;
  s->host.NP      = (int)dg->reference->Np;
  s->host.NG      = (int)dg->quadrature->NG;
  s->host.checked = (int)(dg->quadrature->NG + dg->reference->faces * dg->quadrature->MG);
  s->host.affine  = (int)dg->quadrature->affine;
  s->host.gravity = PlexDGWaterConstant_Private(dg, "gravity");
  PetscCall(PetscMalloc1(PLEX_SHORE_WORK((size_t)s->host.NP, (size_t)s->host.NG), &s->work));
  PetscCall(PlexDGShoreSetTables(dg, s));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGShoreCompile(dg, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShoreDestroy_Private(PlexDGShore *shore)
{
  PetscFunctionBegin;
  if (!*shore) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&(*shore)->module));
  PetscCall(PetscFree((*shore)->elements));
  PetscCall(PetscFree((*shore)->tables));
  PetscCall(PetscFree((*shore)->work));
  PetscCall(PetscFree(*shore));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGShoreMay_Private(PlexDG dg, PetscBool may[])
{
  for (PetscInt l = 0; l < dg->shore->host.n; ++l) may[dg->shore->elements[l]] = PETSC_TRUE;
}

/* How many elements of all processes have a linear bottom because there is land at a node, less depth at a node than `shore`, or between nodes alone; and how many on faces that they share with these */
PetscErrorCode PlexDGShoreGetCounts_Private(PlexDG dg, PetscInt count[4])
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, 4));
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt i = 0; i < 4; ++i) count[i] += parts[k]->shore->count[i];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, 4, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShoreView_Private(PlexDG dg, PetscViewer viewer)
{
  const PetscReal shore = PlexDGWaterConstant_Private(dg, "shore");
  PlexDG          parts[2];
  const PetscInt  nparts = PlexDGGetParts(dg, parts);
  PetscInt        count[4], n, all = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGShoreGetCounts_Private(dg, count));
  n = count[0] + count[1] + count[2];
  for (PetscInt k = 0; k < nparts; ++k) all += parts[k]->mesh->NeGlobal;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "shore: %" PetscInt_FMT " of %" PetscInt_FMT
                                   " elements may fall dry and have a linear bottom, as the depth is less than "
                                   "-plex_dg_shore %g there: %" PetscInt_FMT " have land at a node, %" PetscInt_FMT
                                   " less depth at a node, %" PetscInt_FMT " between nodes alone\n",
                                   n, all, (double)shore, count[0], count[1], count[2]));
  if (count[3])
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "shore: %" PetscInt_FMT
                                     " other elements have a linear bottom on faces that they share with these\n",
                                     count[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGShoreLaunch(PlexDGShore s, PlexKernel kernel, void *arguments[])
{
  PetscFunctionBegin;
  if (s->args.n)
    PetscCall(PlexKernelLaunch(kernel, (s->args.n + PLEX_SHORE_ELEMENTS - 1) / PLEX_SHORE_ELEMENTS, PLEX_SHORE_BLOCK,
                               PLEX_SHORE_ELEMENTS * PLEX_SHORE_WORK((size_t)s->args.NP, (size_t)s->args.NG) *
                                 sizeof(double),
                               arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexDGShoreLimitElement(const PlexDGShoreArgs *a, int l, void *u, int single, double *work)
{
  (void)plex_shore_limit(a, l, u, single, (long long)a->elements[l] * (PLEX_SHORE_FIELDS * a->NP), work);
}

PetscErrorCode PlexDGShoreLimit_Private(PlexDG dg, void *u, PetscBool isSingle)
{
  PlexDGShore s      = dg->shore;
  int         single = isSingle;

  PetscFunctionBegin;
  if (s->limit) {
    void *arguments[] = {&s->args, &u, &single};

    PetscCall(PlexDGShoreLaunch(s, s->limit, arguments));
  } else
    for (int l = 0; l < s->host.n; ++l) PlexDGShoreLimitElement(&s->host, l, u, single, s->work);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShoreCorrect_Private(PlexDG dg, const void *u, void *r, PetscReal factor, void *next,
                                          PetscReal weight, void *limited, PetscBool isSingle)
{
  PlexDGShore s      = dg->shore;
  int         single = isSingle;
  double      a = factor, b = weight;

  PetscFunctionBegin;
  if (s->correct) {
    void *arguments[] = {&s->args, &u, &r, &a, &next, &b, &limited, &single};

    PetscCall(PlexDGShoreLaunch(s, s->correct, arguments));
  } else
    for (int l = 0; l < s->host.n; ++l) {
      plex_shore_correct(&s->host, l, u, r, a, next, b, single, s->work);
      if (limited) PlexDGShoreLimitElement(&s->host, l, limited, single, s->work);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state from values at the nodes: no water below the ground, and at a shore line the linear functions of the
   vertices, which need not keep means */
void PlexDGShoreProject_Private(PlexDG dg, PetscScalar u[])
{
  const PlexDGShoreArgs *a = &dg->shore->host;

  for (int l = 0; l < a->n; ++l) {
    const long long at    = (long long)a->elements[l] * (PLEX_SHORE_FIELDS * a->NP);
    const double   *depth = a->depth + (long long)l * a->NV;
    double          corner[PLEX_SHORE_FIELDS][PLEX_SHORE_VERTICES], range[2];

    for (int v = 0; v < a->NV; ++v) {
      PetscScalar *here = &u[at + a->vertices[v]];

      here[0] = PetscMax(PetscRealPart(here[0]), -depth[v]);
      for (int k = 0; k < PLEX_SHORE_FIELDS; ++k)
        corner[k][v] = k && PetscRealPart(here[0]) + depth[v] < a->dry ? 0. : PetscRealPart(here[k * a->NP]);
    }
    if (plex_shore_is_wet(a, u, 0, at, depth,
                          plex_state_sum(u, 0, at, a->NP, a->weights + (a->affine ? 0 : (long long)l * a->NP)), range))
      continue;
    for (int k = 0; k < PLEX_SHORE_FIELDS; ++k)
      for (int i = 0; i < a->NP; ++i) {
        u[at + k * a->NP + i] = 0.;
        for (int v = 0; v < a->NV; ++v) u[at + k * a->NP + i] += a->linear[i * a->NV + v] * corner[k][v];
      }
  }
}
