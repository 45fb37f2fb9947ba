/*
  Values in time of the boundary where kernels read them, PlexDGArgs.facets: two numbers at each point of a facet whose
  boundary condition has such values. The host evaluates the series of each part of the boundary at the time of a
  right-hand side or stage, and a kernel puts the numbers, which come as its argument, at the points
*/
#include "quadratureimpl.h"
#include "../core/coreimpl.h" /* PlexDGGetParts() */
#include "../systems/systemsimpl.h"
#include <dg/series_args.h>

#define PLEX_SERIES_THREADS 128

struct _n_PlexDGDriven {
  PetscInt   n;                 /* points, MG a facet */
  int       *which;             /* [nfacets] the series of a facet; -1: none */
  PetscReal *share;             /* [nfacets][MG] what the first value is multiplied by */
  PetscReal (*value)[2];        /* [nseries] that are there */
  PetscBool  known;             /* they are */
  void      *whichAt, *shareAt; /* where kernels run */
  PlexModule module;
  PlexKernel kernel;
};

/* Whether a boundary condition has values in time */
static PetscBool PlexDGIsDriven(PlexDG dg, PetscInt kind)
{
  return (PetscBool)(dg->system->given && kind >= dg->system->given && kind <= dg->system->shared);
}

/* "value 3 of label Face Sets" */
PetscErrorCode PlexDGSeriesName_Private(const PlexDGSeries *s, size_t size, char text[])
{
  PetscFunctionBegin;
  if (!s->label) PetscCall(PetscStrncpy(text, "all of the boundary", size));
  else if (s->value == PETSC_DETERMINE) PetscCall(PetscSNPrintf(text, size, "label %s", s->label));
  else PetscCall(PetscSNPrintf(text, size, "value %" PetscInt_FMT " of label %s", s->value, s->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At time t: value[2] */
static void PlexDGSeriesEvaluate(const PlexDGSeries *s, PetscReal t, PetscReal value[2])
{
  value[0] = value[1] = 0.;
  if (s->n) {
    PetscInt low = 0, high = s->n - 1;

    while (high - low > 1) {
      const PetscInt middle = (low + high) / 2;

      if (t >= s->t[middle]) low = middle;
      else high = middle;
    }
    for (int v = 0; v < 2; ++v) {
      const PetscReal a = s->values[2 * low + v], b = s->values[2 * high + v];

      value[v] = t <= s->t[low] ? a : t >= s->t[high] ? b : a + (b - a) * (t - s->t[low]) / (s->t[high] - s->t[low]);
    }
  }
  for (PetscInt k = 0; k < s->ntides; ++k)
    value[0] += s->tides[3 * k] * PetscCosReal(s->tides[3 * k + 1] * t - s->tides[3 * k + 2]);
}

PetscErrorCode PlexDGDrivenDestroy_Private(PlexBackend backend, PlexDGDriven *driven)
{
  PlexDGDriven x = *driven;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&x->module));
  if (x->whichAt) PetscCall(PlexBackendFree(backend, &x->whichAt));
  if (x->shareAt) PetscCall(PlexBackendFree(backend, &x->shareAt));
  PetscCall(PetscFree3(x->which, x->share, x->value));
  PetscCall(PetscFree(*driven));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDrivenCheckSeries(PlexDG dg, const int held[], const int wrong[])
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);
  char     where[256], kinds[256];

  PetscFunctionBegin;
  PetscCall(PlexDGJoinNames_Private(dg->system->shared + 1 - dg->system->given, dg->system->kinds + dg->system->given,
                                    sizeof(kinds), kinds));
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    const PlexDGSeries *s = &dg->series[k];

    PetscCall(PlexDGSeriesName_Private(s, sizeof(where), where));
    PetscCheck(held[k] || wrong[k], comm, PETSC_ERR_ARG_WRONG,
               "No facet of the boundary has the values in time that are set for %s: %s", where,
               s->label ? "no facet has this label, which -dm_view shows, or later ones hold for all of its facets"
                        : "others hold for all of it");
    PetscCheck(held[k], comm, PETSC_ERR_ARG_INCOMP,
               "Values in time are set for %s, whose boundary condition has none: give it one of %s, with "
               "PlexDGAddBoundary() or -plex_dg_bc_...",
               where, kinds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator that has the settings: of a part the whole */
static PlexDG PlexDGDrivenSettings(PlexDG dg)
{
  return dg->whole ? dg->whole : dg;
}

/* The series of each facet, the last one that holds. held, wrong[nseries] are set where one holds for a facet with such a
   condition, or another one */
static PetscErrorCode PlexDGDrivenFind(PlexDG dg, const DMLabel labels[], int held[], int wrong[])
{
  PlexDG       all  = PlexDGDrivenSettings(dg);
  PlexDGDriven x    = dg->driven;
  PlexDGMesh   mesh = dg->mesh;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscBool is = PlexDGIsDriven(dg, dg->kinds[b]);

    x->which[b] = -1;
    for (PetscInt k = all->nseries; k-- > 0 && x->which[b] < 0;) {
      PetscBool holds = PETSC_TRUE;

      if (labels[k]) PetscCall(PlexLabelHolds(labels[k], all->series[k].value, mesh->facetPoint[b], &holds));
      if (holds && is) x->which[b] = (int)k;
      if (holds) (is ? held : wrong)[k] = 1;
    }
    PetscCheck(!is || x->which[b] >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Boundary condition %s needs values in time, and facet %" PetscInt_FMT
               " has none: give them with -plex_dg_series_<value of Face Sets, or label> FILE or -plex_dg_tide_..., or "
               "with PlexDGSetBoundarySeries() or PlexDGSetBoundaryTide()",
               dg->system->kinds[dg->kinds[b]], mesh->facetPoint[b]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDrivenFindAll(PlexDG dg, PetscInt n, const PlexDG parts[])
{
  const PetscMPIInt count = (PetscMPIInt)dg->nseries;
  DMLabel          *labels;
  int              *held, *wrong;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(dg->nseries, &held, dg->nseries, &wrong, dg->nseries, &labels));
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    if (!dg->series[k].label) continue;
    PetscCall(DMGetLabel(dg->dm, dg->series[k].label, &labels[k]));
    PetscCheck(labels[k], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The mesh has no label %s, which values in time are set for: -dm_view shows what it has",
               dg->series[k].label);
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGDrivenFind(parts[k], labels, held, wrong));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, held, count, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, wrong, count, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCall(PlexDGDrivenCheckSeries(dg, held, wrong));
  PetscCall(PetscFree3(held, wrong, labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Length, or area, of facet b around its point g */
static PetscReal PlexDGFacetWeight(PlexDG dg, PetscInt b, PetscInt g)
{
  PlexDGQuadrature Q     = dg->quadrature;
  const PetscInt   trace = dg->mesh->facet[b], dim = dg->mesh->dim;
  PetscReal        n2 = 0.;

  for (PetscInt d = 0; d < dim; ++d)
    n2 += PetscSqr(Q->affine ? Q->normals[trace * dim + d] * Q->detJ[trace / dg->mesh->faces]
                             : Q->normals[((size_t)trace * dim + d) * Q->MG + g]);
  return Q->faceWeights[g] * PetscSqrtReal(n2);
}

/* Depth at rest at point g of facet b */
static PetscReal PlexDGFacetDepth(PlexDG dg, PetscInt b, PetscInt g)
{
  PlexDGReference R     = dg->reference;
  const PetscInt  trace = dg->mesh->facet[b], e = trace / dg->mesh->faces, f = trace % dg->mesh->faces;
  PetscReal       depth = 0.;

  for (PetscInt m = 0; m < R->Nfp; ++m)
    depth += dg->quadrature->psi[g * R->Nfp + m] *
             dg->variables[(size_t)e * dg->system->ncoefficients * R->Np + R->faceNodes[f * R->Nfp + m]];
  return depth;
}

/* Adds to length[nseries][2] the length of the boundary that has a total, and what of it is below the level of rest */
static void PlexDGDrivenMeasure(PlexDG dg, PetscReal length[])
{
  const PetscInt     MG = dg->quadrature->MG;
  const PlexDGDriven x  = dg->driven;

  for (PetscInt k = 0; k < x->n; ++k) {
    const PetscInt b = k / MG, g = k % MG;

    if (x->which[b] < 0 || dg->kinds[b] != dg->system->shared) continue;
    length[2 * x->which[b]] += PlexDGFacetWeight(dg, b, g);
    if (PlexDGFacetDepth(dg, b, g) > 0.) length[2 * x->which[b] + 1] += PlexDGFacetWeight(dg, b, g);
  }
}

/* A total is shared over the length of the part of its boundary that is below the level of rest; over all of it, if
   there is none */
static void PlexDGDrivenShare(PlexDG dg, const PetscReal length[])
{
  const PetscInt MG = dg->quadrature->MG;
  PlexDGDriven   x  = dg->driven;

  for (PetscInt k = 0; k < x->n; ++k) {
    const PetscInt b = k / MG, g = k % MG;

    x->share[k] = 1.;
    if (x->which[b] < 0 || dg->kinds[b] != dg->system->shared) continue;
    if (length[2 * x->which[b] + 1] > 0.)
      x->share[k] = PlexDGFacetDepth(dg, b, g) > 0. ? 1. / length[2 * x->which[b] + 1] : 0.;
    else x->share[k] = 1. / length[2 * x->which[b]];
  }
}

static PetscErrorCode PlexDGDrivenShareAll(PlexDG dg, PetscInt n, const PlexDG parts[])
{
  PetscReal *length;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * dg->nseries, &length));
  for (PetscInt k = 0; k < n; ++k) PlexDGDrivenMeasure(parts[k], length);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, length, (PetscMPIInt)(2 * dg->nseries), MPIU_REAL, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  for (PetscInt k = 0; k < n; ++k) PlexDGDrivenShare(parts[k], length);
  for (PetscInt k = 0; k < dg->nseries; ++k)
    for (PetscInt i = 0; length[2 * k] > 0. && i < dg->series[k].n; ++i)
      PetscCheck(dg->series[k].values[2 * i] >= 0., PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
                 "The discharge of a river is %g at time %g: it flows in, condition elevation takes water out",
                 (double)dg->series[k].values[2 * i], (double)dg->series[k].t[i]);
  PetscCall(PetscFree(length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What there is of an operator or part, before it is known which series its facets have */
static PetscErrorCode PlexDGDrivenCreate(PlexDG dg)
{
  const PetscInt nfacets = dg->mesh->nfacets;
  PlexDGDriven   x;

  PetscFunctionBegin;
  PetscCheck(dg->system->given && dg->system->host[dg->precision]->values && dg->quadrature && dg->variables &&
               dg->mesh->dim == 2,
             PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Values in time of boundaries are those of water in 2 dimensions, of systems shallow_water and tsunami, "
             "and "
             "the operator has %s in %" PetscInt_FMT ": leave -plex_dg_series and -plex_dg_tide out",
             dg->system->name, dg->mesh->dim);
  PetscCall(PetscNew(&x));
  dg->driven = x;
  x->n       = nfacets * dg->quadrature->MG;
  PetscCall(PetscMalloc3(nfacets, &x->which, x->n, &x->share, PlexDGDrivenSettings(dg)->nseries, &x->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDrivenUpload(PlexDG dg)
{
  PlexDGDriven x = dg->driven;
  PetscReal   *zero;

  PetscFunctionBegin;
  PetscCall(PlexDGIntCheck_Private(x->n, 1, "points of the boundary with values in time"));
  PetscCall(PetscCalloc1(x->n * dg->mesh->dim, &zero));
  PetscCall(PlexDGUploadReals(dg, x->n * dg->mesh->dim, zero, &dg->args.facets));
  PetscCall(PetscFree(zero));
  if (!dg->backend->kernels || !x->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendUpload(dg->backend, x->which, sizeof(*x->which) * dg->mesh->nfacets, &x->whichAt));
  PetscCall(PlexBackendUpload(dg->backend, x->share, sizeof(*x->share) * x->n, &x->shareAt));
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/series.cu", &x->module));
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_series", &x->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After conditions, coefficients and geometry */
PetscErrorCode PlexDGDrivenSetUp_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n     = PlexDGGetParts(dg, parts);
  PetscInt       given = 0, any;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt b = 0; b < parts[k]->mesh->nfacets; ++b) given |= PlexDGIsDriven(dg, parts[k]->kinds[b]);
  PetscCallMPI(MPIU_Allreduce(&given, &any, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  if (!any && !dg->nseries) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGDrivenCreate(parts[k]));
  PetscCall(PlexDGDrivenFindAll(dg, n, parts));
  PetscCall(PlexDGDrivenShareAll(dg, n, parts));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGDrivenUpload(parts[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexDGDrivenPutHost(PlexDG dg, PlexDGDriven x)
{
  const PetscInt MG = dg->quadrature->MG, dim = dg->mesh->dim;

  for (PetscInt k = 0; k < x->n; ++k) {
    if (x->which[k / MG] < 0) continue;
    for (int v = 0; v < 2; ++v) {
      const double value = x->value[x->which[k / MG]][v] * (v ? 1. : x->share[k]);

      if (dg->precision == PLEX_PRECISION_SINGLE) ((float *)dg->args.facets)[k * dim + v] = (float)value;
      else ((double *)dg->args.facets)[k * dim + v] = value;
    }
  }
}

static PetscErrorCode PlexDGDrivenPutKernel(PlexDG dg, PlexDGDriven x)
{
  const PetscInt    nseries = PlexDGDrivenSettings(dg)->nseries;
  PlexDGSeriesTable table;
  int               first, n = (int)x->n, MG = (int)dg->quadrature->MG, dim = (int)dg->mesh->dim,
                           single = dg->precision == PLEX_PRECISION_SINGLE;
  void *arguments[] = {&table, &first, &x->whichAt, &x->shareAt, (void *)&dg->args.facets, &n, &MG, &dim, &single};

  PetscFunctionBegin;
  for (first = 0; first < nseries; first += PLEX_DG_SERIES_TABLE) {
    for (int k = 0; k < PLEX_DG_SERIES_TABLE; ++k)
      for (int v = 0; v < 2; ++v) table.value[k][v] = first + k < nseries ? x->value[first + k][v] : 0.;
    PetscCall(PlexKernelLaunch(x->kernel, (n + PLEX_SERIES_THREADS - 1) / PLEX_SERIES_THREADS, PLEX_SERIES_THREADS, 0,
                               arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an operator without parts */
static PetscErrorCode PlexDGDrivenSetTime(PlexDG dg, PetscReal t)
{
  PlexDG       all     = PlexDGDrivenSettings(dg);
  PlexDGDriven x       = dg->driven;
  PetscBool    changes = PETSC_FALSE;

  PetscFunctionBegin;
  if (!x || !x->n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < all->nseries; ++k) {
    PetscReal value[2];

    PlexDGSeriesEvaluate(&all->series[k], t, value);
    for (int v = 0; v < 2; ++v) {
      if (!x->known || value[v] != x->value[k][v]) changes = PETSC_TRUE;
      x->value[k][v] = value[v];
    }
  }
  x->known = PETSC_TRUE;
  if (changes && dg->backend->kernels) PetscCall(PlexDGDrivenPutKernel(dg, x));
  else if (changes) PlexDGDrivenPutHost(dg, x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDrivenSetTime_Private(PlexDG dg, PetscReal t)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGDrivenSetTime(parts[k], t));
  PetscFunctionReturn(PETSC_SUCCESS);
}
