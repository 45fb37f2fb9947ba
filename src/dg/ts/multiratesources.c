/*
  Sources and boundaries in time with local time steps. With these a linear system is

    u' = R u + g(t)

  where g is what the rates of the state 0 are: of incident waves on boundaries and on the surface of a total field, of
  prescribed values, dipoles and currents. In a step of an element, h from t on, g is taken to be the polynomial of degree
  three in time that has the values g(t + s_j h) at

    s_j = 0, 1/2 - 1/sqrt(20), 1/2 + 1/sqrt(20), 1

  and then all is as without g, and exact for it: the derivatives of u at t are d_k = R d_(k-1) + g^(k-1)(t), and to h R m the
  step adds h times the mean of g, which these points, with the weights 1/12, 5/12, 5/12 and 1/12 of Lobatto's quadrature,
  give to order six. As polynomials of neighbouring steps have the same values where they meet, u is the solution for sources
  that differ from g by O(h^4), times its fourth derivative: the order is four, also at boundaries. Those of Runge-Kutta
  methods, whose stages have values of a boundary that are not those of their states, may be of less (M. H. Carpenter, D.
  Gottlieb, S. Abarbanel, W.-S. Don, SIAM J. Sci. Comput. 16, 1995, who put the derivatives in time in their place).

  R is what kernels compute with the constants that are amplitudes of sources, PlexDGSystem.amplitudes, set to 0. g is
  computed of the elements alone that have any:

  - affine ones by cuda/dg/sources.h, of the facets of such boundaries, sides of the surface, and points;
  - curved elements with such boundaries, and all elements of a system with a source, by the rates of the state 0.
*/
#include "multiratesums.h"

#define PLEX_MULTIRATE_FUNCTION static inline
#include <dg/multirate.h>

struct _n_PlexMultirateSources {
  PetscBool all, curved; /* the rates of the state 0 are computed, of all elements, or of curved ones */
  PetscInt *begins;      /* [levels + 1] the elements of a level in the list */
  PetscInt *rest;        /* [levels] from which on they are such */
  int      *places;      /* [Ne] of elements, in the list */
  /* facets of the boundary, of affine elements, and where those of a level begin, [levels + 1] */
  PlexDGSourceArgs      boundary;
  PetscInt             *facets;
  PlexDGMultirateDriven driven;
  double               *zero;   /* a state */
  void                 *ghosts; /* its received traces */
  PlexModule            module;
  PlexKernel            kernel; /* of facets */
};

static PetscBool PlexMultirateHasSource(PlexDG dg)
{
  return (PetscBool)(dg->system->host[dg->precision]->addsource && dg->system->amplitudes && dg->system->amplitudes[0]);
}

static PetscBool PlexMultirateIsHomogeneous(PlexDG dg, PetscInt facet)
{
  return (PetscBool)(dg->system->homogeneous >> dg->kinds[facet] & 1u);
}

PetscErrorCode PlexMultirateSourcesCheck_Private(PlexDG dg, MPI_Comm comm)
{
  PlexDGSystem system = dg->system;
  PetscInt    *facets;

  PetscFunctionBegin;
  if (system->amplitudes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!system->host[dg->precision]->addsource, comm, PETSC_ERR_SUP,
             "-ts_type " TSPLEXMULTIRATE
             " has to know what the source of system %s is multiplied by: set PlexDGSystem.amplitudes, or use "
             "-ts_type " TSPLEXLOWSTORAGE,
             system->name);
  PetscCall(PetscMalloc1(system->nkinds, &facets));
  PetscCall(PlexDGConditionsCount_Private(dg, facets));
  for (PetscInt k = 0; k < system->nkinds; ++k)
    PetscCheck(!facets[k] || (system->homogeneous >> k & 1u), comm, PETSC_ERR_SUP,
               "-ts_type " TSPLEXMULTIRATE
               " has to know what the values of boundaries \"%s\" of system %s, %" PetscInt_FMT
               " facets, are multiplied by: set PlexDGSystem.amplitudes, or use -ts_type " TSPLEXLOWSTORAGE,
               system->kinds[k], system->name, facets[k]);
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Which elements
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode PlexMultirateUpload(PlexMultirate m, const void *values, size_t bytes, void *at)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(m->backend, values, bytes, (void **)at));
  m->bytes += (PetscInt64)bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMultirateUploadReals(PlexMultirate m, size_t n, const PetscReal values[], void *at)
{
  float *single;

  PetscFunctionBegin;
  if (m->dg->precision == PLEX_PRECISION_DOUBLE) {
    PetscCall(PlexMultirateUpload(m, values, n * sizeof(double), at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &single));
  for (size_t k = 0; k < n; ++k) single[k] = (float)values[k];
  PetscCall(PlexMultirateUpload(m, single, n * sizeof(float), at));
  PetscCall(PetscFree(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that have any: has[Ne] is 1, or 2 where the rates of the state 0 are computed */
static PetscErrorCode PlexMultirateSourcesMark(PlexMultirate m, PlexMultirateSources s, char has[])
{
  PlexDG         dg   = m->dg;
  PlexDGMesh     mesh = dg->mesh;
  const int     *elements;
  PetscInt       n;
  int            any[2] = {0, 0};
  const PetscInt faces  = mesh->faces;

  PetscFunctionBegin;
  s->all = PlexMultirateHasSource(dg);
  for (PetscInt e = 0; e < mesh->Ne; ++e) has[e] = s->all ? 2 : 0;
  for (int list = 0; list < 2; ++list) {
    PlexDGSourcesGetElements_Private(dg, list, &n, &elements);
    for (PetscInt k = 0; k < n; ++k) has[elements[k]] = PetscMax(has[elements[k]], 1);
  }
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / faces;

    if (PlexMultirateIsHomogeneous(dg, b)) continue;
    any[0] = 1;
    if (PlexDGMeshCurvedIndex(mesh, e) >= 0) any[1] = has[e] = 2;
    else has[e] = PetscMax(has[e], 1);
  }
  s->curved = (PetscBool)(!s->all && any[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list of these, levels one after the other, and in each last those whose rates of the state 0 are computed */
static PetscErrorCode PlexMultirateSourcesSetList(PlexMultirate m, PlexMultirateSources s, const char has[],
                                                  const int of[])
{
  const PetscInt Ne = m->dg->mesh->Ne;
  int           *elements, *places, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Ne, &elements, Ne, &places));
  for (PetscInt e = 0; e < Ne; ++e) places[e] = -1;
  PetscCall(PetscCalloc2(m->nlevels + 1, &s->begins, m->nlevels, &s->rest));
  for (PetscInt l = 0; l < m->nlevels; ++l) {
    for (char kind = 1; kind <= 2; ++kind) {
      if (kind == 2) s->rest[l] = n;
      for (PetscInt e = 0; e < Ne; ++e)
        if (has[e] == kind && of[e] == l) {
          places[e]     = n;
          elements[n++] = (int)e;
        }
    }
    s->begins[l + 1] = n;
  }
  s->driven.n    = n;
  s->driven.size = (int)m->size;
  PetscCall(PlexMultirateUpload(m, elements, sizeof(int) * (size_t)n, &s->driven.elements));
  PetscCall(PlexMultirateUpload(m, places, sizeof(int) * (size_t)Ne, &s->places));
  PetscCall(PetscFree2(elements, places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets with values of affine elements, by levels and elements */
static PetscErrorCode PlexMultirateSourcesSetFacets(PlexMultirate m, PlexMultirateSources s, const int of[])
{
  PlexDG            dg   = m->dg;
  PlexDGReference   R    = dg->reference;
  PlexDGMesh        mesh = dg->mesh;
  PlexDGSourceArgs *a    = &s->boundary;
  const PetscInt    n = s->all ? 0 : mesh->nfacets, faces = mesh->faces;
  int              *elements, *starts, *sides, *kinds;
  PetscInt         *trace, *facet, count = 0;
  PetscReal        *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc7(n, &elements, n + 1, &starts, n, &sides, n, &kinds, n, &trace, n, &facet, n * R->Nfp * R->dim,
                         &x));
  for (PetscInt b = 0; b < n; ++b) {
    trace[b] = mesh->facet[b];
    facet[b] = b;
  }
  PetscCall(PetscSortIntWithArray(n, trace, facet));
  PetscCall(PetscCalloc1(m->nlevels + 1, &s->facets));
  for (PetscInt l = 0; l < m->nlevels; ++l) {
    for (PetscInt b = 0; b < n; ++b) {
      const int e = (int)(trace[b] / faces), f = (int)(trace[b] % faces);

      if (of[e] != l || PlexMultirateIsHomogeneous(dg, facet[b]) || PlexDGMeshCurvedIndex(mesh, e) >= 0) continue;
      if (!a->n || elements[a->n - 1] != e) {
        starts[a->n]     = (int)count;
        elements[a->n++] = e;
      }
      sides[count] = 2 * f;
      kinds[count] = dg->kinds[facet[b]];
      for (PetscInt i = 0; i < R->Nfp; ++i)
        PetscCall(PlexDGMeshGetPosition(mesh, e, &dg->shapes[R->faceNodes[f * R->Nfp + i] * mesh->nx],
                                        &x[(count * R->Nfp + i) * R->dim]));
      ++count;
    }
    s->facets[l + 1] = a->n;
  }
  starts[a->n] = (int)count;
  PetscCall(PlexMultirateUpload(m, elements, sizeof(int) * (size_t)a->n, &a->elements));
  PetscCall(PlexMultirateUpload(m, starts, sizeof(int) * (size_t)(a->n + 1), &a->starts));
  PetscCall(PlexMultirateUpload(m, sides, sizeof(int) * (size_t)count, &a->sides));
  PetscCall(PlexMultirateUpload(m, kinds, sizeof(int) * (size_t)count, &a->kinds));
  PetscCall(PlexMultirateUploadReals(m, (size_t)(count * R->Nfp * R->dim), x, &a->x));
  PetscCall(PetscFree7(elements, starts, sides, kinds, trace, facet, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants of which amplitudes are 0 */
static PetscErrorCode PlexMultirateSourcesSetConstants(PlexMultirate m)
{
  PlexDGSystem   system = m->dg->system;
  const PetscInt NC     = system->host[m->dg->precision]->NC;
  PetscReal     *c;

  PetscFunctionBegin;
  if (!system->amplitudes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(NC, &c));
  PetscCall(PetscArraycpy(c, m->dg->actual, NC));
  for (PetscInt a = 0; system->amplitudes[a]; ++a)
    for (PetscInt k = 0, at = 0; k < system->nconstants; at += system->constants[k++].n)
      for (PetscInt i = at; i < PetscMin(NC, at + system->constants[k].n); ++i)
        if (!strcmp(system->amplitudes[a], system->constants[k].name)) c[i] = 0.;
  PetscCall(PlexMultirateUploadReals(m, (size_t)NC, c, &m->constants));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMultirateSourcesAllocate(PlexMultirate m, size_t bytes, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(m->backend, bytes, (void **)array));
  PetscCall(PlexBackendZero(m->backend, *(void **)array, bytes));
  m->bytes += (PetscInt64)bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateSourcesCreate_Private(PlexMultirate m)
{
  PlexDG               dg = m->dg;
  PlexMultirateSources s;
  int                 *of;
  char                *has;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  PetscCall(PetscMalloc1(dg->mesh->Ne, &has));
  PetscCall(PlexMultirateSourcesMark(m, s, has));
  PetscCall(PlexDGLevelsGetOf_Private(dg, &of));
  PetscCall(PlexMultirateSourcesSetList(m, s, has, of));
  PetscCall(PetscFree(has));
  m->sources = s;
  PetscCall(PlexMultirateSourcesSetFacets(m, s, of));
  PetscCall(PetscFree(of));
  if (!s->driven.n) {
    PetscCall(PlexMultirateSourcesDestroy_Private(m));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexMultirateSourcesSetConstants(m));
  PetscCall(PlexMultirateSourcesAllocate(m,
                                         sizeof(double) * PLEX_MULTIRATE_SAMPLES * (size_t)s->driven.n *
                                           (size_t)m->size,
                                         &s->driven.samples));
  if (s->all || s->curved) {
    PetscCall(PlexMultirateSourcesAllocate(m, sizeof(double) * m->n, &s->zero));
    PetscCall(PlexMultirateSourcesAllocate(m,
                                           PlexPrecisionSize(dg->precision) * (size_t)dg->mesh->nghosts *
                                             (size_t)(dg->system->Nf * dg->reference->Nfp),
                                           &s->ghosts));
  }
  if (!m->backend->kernels || !s->boundary.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCompile(dg, "dg/boundary.cu", 0, NULL, &s->module));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_boundary", &s->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateSourcesDestroy_Private(PlexMultirate m)
{
  PlexMultirateSources s = m->sources;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&s->module));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->driven.elements));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->driven.samples));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->places));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->boundary.elements));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->boundary.starts));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->boundary.sides));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->boundary.kinds));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->boundary.x));
  PetscCall(PlexBackendFree(m->backend, (void **)&s->zero));
  PetscCall(PlexBackendFree(m->backend, &s->ghosts));
  PetscCall(PlexBackendFree(m->backend, (void **)&m->constants));
  PetscCall(PetscFree2(s->begins, s->rest));
  PetscCall(PetscFree(s->facets));
  PetscCall(PetscFree(m->sources));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 PlexMultirateSourcesGetSize_Private(PlexMultirate m)
{
  return m->sources ? m->sources->driven.n : 0;
}

/* ------------------------------------------------------------------------------------------------------------------
   Samples
   ------------------------------------------------------------------------------------------------------------------ */

/* What loops of the host read and write */
typedef struct {
  const PlexDGMultirateDriven  *driven;
  const PlexDGMultirateWeights *weights;
  double                       *to;
  int                           j;
} PlexMultirateDrive;

static void PlexMultirateSampleLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexMultirateDrive *d = (const PlexMultirateDrive *)ctx;

  for (long long k = begin; k < end; ++k) plex_multirate_sample(d->driven, d->to, d->j, k);
}

static void PlexMultirateDriveLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexMultirateDrive *d = (const PlexMultirateDrive *)ctx;

  for (long long k = begin; k < end; ++k) plex_multirate_drive(d->driven, d->weights, d->to, k);
}

/* Elements begin .. end of the list */
static PlexDGMultirateDriven PlexMultirateGetDriven(PlexMultirateSources s, PetscInt begin, PetscInt end)
{
  PlexDGMultirateDriven driven = s->driven;

  driven.elements += begin;
  driven.samples += (size_t)begin * PLEX_MULTIRATE_SAMPLES * (size_t)driven.size;
  driven.n = (int)(end - begin);
  return driven;
}

static PetscErrorCode PlexMultirateSourcesComputeFacets(PlexMultirate m, PetscInt level, PlexDGSourceArgs *args,
                                                        PlexDGSourceTarget *to)
{
  PlexMultirateSources s           = m->sources;
  PlexDG               dg          = m->dg;
  const PetscInt       threads     = (dg->reference->Np + 31) / 32 * 32;
  void                *arguments[] = {&dg->args, args, to};

  PetscFunctionBegin;
  args->n = (int)(s->facets[level + 1] - s->facets[level]);
  args->elements += s->facets[level];
  args->starts += s->facets[level];
  if (!args->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->kernel) PetscCall(PlexKernelLaunch(s->kernel, args->n, threads, 0, arguments));
  else
    (*dg->system->host[dg->precision]->boundaries)(&dg->args, args, to, (int)dg->reference->Np,
                                                   (int)dg->reference->Nfp);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of a step of length 1, and coefficients of the polynomials that are 1 at one of them, [j][power] */
static void PlexMultirateGetPoints(PetscReal points[PLEX_MULTIRATE_SAMPLES],
                                   PetscReal c[PLEX_MULTIRATE_SAMPLES][PLEX_MULTIRATE_SAMPLES])
{
  points[0] = 0.;
  points[1] = 0.5 - 1. / PetscSqrtReal(20.);
  points[2] = 0.5 + 1. / PetscSqrtReal(20.);
  points[3] = 1.;
  for (int j = 0; j < PLEX_MULTIRATE_SAMPLES; ++j) {
    c[j][0] = 1.;
    for (int i = 1; i < PLEX_MULTIRATE_SAMPLES; ++i) c[j][i] = 0.;
    for (int i = 0; i < PLEX_MULTIRATE_SAMPLES; ++i) {
      if (i == j) continue;
      for (int k = PLEX_MULTIRATE_SAMPLES - 1; k >= 0; --k)
        c[j][k] = ((k ? c[j][k - 1] : 0.) - points[i] * c[j][k]) / (points[j] - points[i]);
    }
  }
}

PetscErrorCode PlexMultirateSourcesSample_Private(PlexMultirate m, PetscInt level, PetscReal t, PetscReal h)
{
  PlexMultirateSources s = m->sources;
  PetscReal            points[PLEX_MULTIRATE_SAMPLES], c[PLEX_MULTIRATE_SAMPLES][PLEX_MULTIRATE_SAMPLES];

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PlexMultirateGetPoints(points, c);
  {
    PlexDGMultirateDriven all  = PlexMultirateGetDriven(s, s->begins[level], s->begins[level + 1]);
    PlexDGMultirateDriven rest = PlexMultirateGetDriven(s, s->rest[level], s->begins[level + 1]);
    const size_t          size = sizeof(double) * PLEX_MULTIRATE_SAMPLES * (size_t)all.size;

    if (!all.n) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PlexBackendZero(m->backend, all.samples, size * (size_t)all.n));
    for (int j = 0; j < PLEX_MULTIRATE_SAMPLES; ++j) {
      PlexDGSourceArgs   args        = s->boundary;
      PlexDGSourceTarget to          = {.r      = s->driven.samples + (size_t)j * (size_t)all.size,
                                        .factor = 1.,
                                        .places = s->places,
                                        .apart  = (long long)PLEX_MULTIRATE_SAMPLES * all.size};
      PlexMultirateDrive drive       = {.driven = &rest, .to = m->mean, .j = j};
      void              *arguments[] = {&rest, &drive.to, &drive.j};

      args.t = t + points[j] * h;
      PetscCall(PlexMultirateSourcesComputeFacets(m, level, &args, &to));
      if (m->dg->sources) PetscCall(PlexDGSourcesAddLevel_Private(m->dg, args.t, level, &to));
      if (!rest.n) continue;
      PetscCall(PlexDGLevelsComputeRest_Private(m->dg, args.t, level, s->curved, s->zero, s->ghosts, m->mean));
      PetscCall(PlexMultirateRun_Private(m->sample, (long long)rest.n * rest.size, arguments, PlexMultirateSampleLoop,
                                         &drive));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateSourcesAdd_Private(PlexMultirate m, PetscInt level, PetscReal h, PetscInt k, double *rates)
{
  PlexMultirateSources s = m->sources;
  PetscReal            points[PLEX_MULTIRATE_SAMPLES], c[PLEX_MULTIRATE_SAMPLES][PLEX_MULTIRATE_SAMPLES];

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PlexMultirateGetPoints(points, c);
  {
    PlexDGMultirateDriven  driven = PlexMultirateGetDriven(s, s->begins[level], s->begins[level + 1]);
    PlexDGMultirateWeights weights;
    PlexMultirateDrive     drive       = {.driven = &driven, .weights = &weights, .to = rates};
    void                  *arguments[] = {&driven, &weights, &drive.to};

    for (int j = 0; j < PLEX_MULTIRATE_SAMPLES; ++j) {
      weights.c[j] = 0.;
      if (k < 0) /* h times the integral over the step of length 1 */
        for (int i = 0; i < PLEX_MULTIRATE_SAMPLES; ++i) weights.c[j] += h * c[j][i] / (i + 1.);
      else weights.c[j] = c[j][k];
      for (PetscInt i = 1; i <= k; ++i) weights.c[j] *= (PetscReal)i / h;
    }
    PetscCall(PlexMultirateRun_Private(m->drive, (long long)driven.n * driven.size, arguments, PlexMultirateDriveLoop,
                                       &drive));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
