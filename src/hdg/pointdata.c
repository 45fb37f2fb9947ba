/*
  What kernels evaluate of a hybridized DG method's pointwise functions: moments of the source, convection, kappa, lambda
  and tau, kappa at points, boundary values. Values stay in the backend's memory; the host sees PlexHDGFound: whether a
  value is an error, and what it has to know of them. Where one is, it evaluates that element to say at which point.
*/
#include "points.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */
#include <petscblaslapack.h>

static const PlexHDGFound PlexHDGFoundNone = {.tauLeast = ~0ull, .bad = -1};

static PetscErrorCode PlexHDGFoundBegin(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendCopyIn(hdg->backend, hdg->functions->args.found, &PlexHDGFoundNone, sizeof(PlexHDGFoundNone)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGFoundEnd(PlexHDG hdg, PlexHDGFound *found)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(hdg->backend, found, hdg->functions->args.found, sizeof(*found)));
  if (found->changed) hdg->renewed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal PlexHDGFromBits(unsigned long long bits)
{
  union
  {
    double             v;
    unsigned long long bits;
  } both = {.bits = bits};

  return (PetscReal)both.v;
}

/* An array that kernels write, of n numbers: zeros, and other ones than K has, where it is new. What the host may have
   kept of it is no more true */
static PetscErrorCode PlexHDGPointArray(PlexHDG hdg, int values, size_t n, const double **at)
{
  PetscFunctionBegin;
  if (values >= 0) PetscCall(PetscFree(hdg->last[values]));
  if (*at || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * n, (void **)at));
  PetscCall(PlexBackendZero(hdg->backend, (void *)*at, sizeof(double) * n));
  hdg->renewed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements begin .. end of args, PlexHDGPointsArgs or PlexHDGSourceArgs, which are affine or not */
static PetscErrorCode PlexHDGPointLaunch(PlexHDG hdg, const char name[], PetscBool affine, long long threads,
                                         void *args)
{
  PlexHDGFunctions s           = hdg->functions;
  PetscInt         blocks      = 0;
  void            *arguments[] = {args};
  PlexKernel       kernel;

  PetscFunctionBegin;
  PetscCall(PlexHDGBlocks_Private(threads, &blocks));
  PetscCall(PlexModuleGetKernel(s->module[affine], name, &kernel));
  PetscCall(PlexVariablesUpdate(s->variables[affine], s->module[affine]));
  PetscCall(PlexKernelLaunch(kernel, blocks, 128, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel for all elements, `threads` an element; found->bad is the number of an element */
static PetscErrorCode PlexHDGPointLaunchAll(PlexHDG hdg, const char name[], PetscInt threads,
                                            const PlexHDGPointsArgs *all, PlexHDGFound *found)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const size_t     dim  = (size_t)R->dim;

  PetscFunctionBegin;
  PetscCall(PlexHDGFoundBegin(hdg));
  *found = PlexHDGFoundNone;
  for (int affine = 0; affine < 2 && found->bad < 0; ++affine) {
    const size_t      begin = affine ? (size_t)mesh->nmapped : 0, end = (size_t)(affine ? mesh->Ne : mesh->nmapped);
    PlexHDGPointsArgs args = *all;

    if (begin == end) continue;
#define OFFSET(name, n) \
  if (args.name) args.name += begin * (n)
    args.x = hdg->args.x + PlexHDGMeshPlaceX(mesh, (PetscInt)begin);
    OFFSET(kappa, dim * dim);
    OFFSET(reaction, 1);
    OFFSET(tau, (size_t)R->faces);
    OFFSET(kappaq, (size_t)R->Nq * dim * dim);
    OFFSET(kinv, (size_t)R->Nq * dim * dim);
    OFFSET(dkinv, (size_t)R->Nq * dim * dim);
    OFFSET(flow, (size_t)R->Nq * dim);
    OFFSET(flowFace, (size_t)(R->faces * R->Nqf * 4));
    OFFSET(u, (size_t)R->Np);
    OFFSET(outer, (size_t)R->faces);
#undef OFFSET
    args.Ne = (int)(end - begin);
    PetscCall(PlexHDGPointLaunch(hdg, name, (PetscBool)affine, (long long)args.Ne * threads, &args));
    PetscCall(PlexHDGFoundEnd(hdg, found));
    if (found->bad >= 0) found->bad += (int)begin;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the host has found nothing wrong, to rounding, with what a kernel complains of */
static PetscErrorCode PlexHDGPointBad(PlexHDG hdg, const char what[], PetscInt e)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s in cell %" PetscInt_FMT, what, hdg->mesh->cells[e]);
}

PetscErrorCode PlexHDGPointSource_Private(PlexHDG hdg, PlexHDGCheckFn *check)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGFunctions s;
  PlexHDGFound     found = PlexHDGFoundNone;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsSetUp_Private(hdg));
  s = hdg->functions;
  PetscCall(PlexHDGFoundBegin(hdg));
  for (int affine = 0; affine < 2 && found.bad < 0; ++affine) {
    const PetscInt    begin = affine ? mesh->nmapped : 0, n = (affine ? mesh->Ne : mesh->nmapped) - begin;
    PlexHDGSourceArgs args        = s->source;
    void             *arguments[] = {&args};
    PlexKernel        kernel;

    if (!n) continue;
    args.x       = hdg->args.x + PlexHDGMeshPlaceX(mesh, begin);
    args.moments = hdg->moments + (size_t)begin * hdg->reference->Np;
    args.t       = s->args.t;
    args.Ne      = (int)n;
    args.bad     = &s->args.found->bad;
    PetscCall(PlexModuleGetKernel(s->module[affine], "plex_hdg_source", &kernel));
    PetscCall(PlexVariablesUpdate(s->variables[affine], s->module[affine]));
    PetscCall(PlexKernelLaunch(kernel, (n + s->sourceElements - 1) / s->sourceElements, 128,
                               sizeof(double) * (size_t)(s->sourceElements * hdg->reference->Nq), arguments));
    PetscCall(PlexHDGFoundEnd(hdg, &found));
    if (found.bad >= 0) found.bad += (int)begin;
  }
  if (found.bad >= 0) {
    PetscCall((*check)(hdg, found.bad, NULL));
    PetscCall(PlexHDGPointBad(hdg, "The source is not finite", found.bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointConvection_Private(PlexHDG hdg, PlexHDGCheckFn *check)
{
  PlexHDGMesh       mesh = hdg->mesh;
  PlexHDGReference  R    = hdg->reference;
  PlexHDGPointsArgs args;
  PlexHDGFound      found;
  PetscReal         most[2];

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsSetUp_Private(hdg));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_FLOW, (size_t)mesh->Ne * R->Nq * mesh->dim, &hdg->args.flow));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_FLOW_FACE, (size_t)mesh->Ne * mesh->faces * R->Nqf * 4,
                              &hdg->args.flowFace));
  args          = hdg->functions->args;
  args.flow     = (double *)hdg->args.flow;
  args.flowFace = (double *)hdg->args.flowFace;
  PetscCall(PlexHDGPointLaunchAll(hdg, "plex_hdg_flow", R->Nq + mesh->faces * R->Nqf, &args, &found));
  if (found.bad >= 0) {
    PetscCall((*check)(hdg, found.bad, NULL));
    PetscCall(PlexHDGPointBad(hdg, "The velocity is not finite", found.bad));
  }
  most[0] = PetscSqrtReal(PlexHDGFromBits(found.speed));
  most[1] = PlexHDGFromBits(found.through);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  hdg->speed      = most[0];
  hdg->circulates = (PetscBool)(most[1] <= 1e-12 * hdg->speed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arguments of elements' values; todo: which of them */
static PetscErrorCode PlexHDGPointLaunchCoefficients(PlexHDG hdg, PlexHDGCheckFn *check, int todo, PlexHDGFound *found)
{
  PlexHDGPointsArgs args = hdg->functions->args;

  PetscFunctionBegin;
  args.kappa     = (double *)hdg->args.kappa;
  args.reaction  = (double *)hdg->args.reaction;
  args.tau       = (double *)hdg->args.tau;
  args.kappaq    = (double *)hdg->args.kappaq;
  args.kappa0    = hdg->kappa;
  args.reaction0 = hdg->reaction;
  args.tau0      = hdg->tau;
  args.factor    = hdg->tauFactor;
  args.length    = hdg->length;
  args.speed     = hdg->speed;
  args.todo      = todo | (hdg->kappaForced ? PLEX_HDG_KAPPA_FORCED : 0) |
                   (hdg->reactionForced ? PLEX_HDG_LAMBDA_FORCED : 0) | (hdg->tauGiven ? PLEX_HDG_TAU_FORCED : 0) |
                   (hdg->convects ? PLEX_HDG_ZERO_ALLOWED : 0);
  PetscCall(PlexHDGPointLaunchAll(hdg, "plex_hdg_coefficients", 1, &args, found));
  if (found->bad >= 0) {
    PetscCall((*check)(hdg, found->bad, NULL));
    PetscCall(PlexHDGPointBad(hdg, "tau is not positive and finite", found->bad));
  }
  if (todo & PLEX_HDG_TODO_TAU && hdg->mesh->Ne) {
    hdg->tauRange[0] = PetscMin(hdg->tauRange[0], PlexHDGFromBits(found->tauLeast));
    hdg->tauRange[1] = PetscMax(hdg->tauRange[1], PlexHDGFromBits(found->tauMost));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointCoefficients_Private(PlexHDG hdg, PlexHDGCheckFn *check, PetscBool tau)
{
  PlexHDGMesh  mesh = hdg->mesh;
  PlexHDGFound found;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsSetUp_Private(hdg));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_KAPPA, (size_t)mesh->Ne * PetscSqr(mesh->dim), &hdg->args.kappa));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_REACTION, (size_t)mesh->Ne, &hdg->args.reaction));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_TAU, (size_t)mesh->Ne * mesh->faces, &hdg->args.tau));
  PetscCall(PlexHDGPointLaunchCoefficients(hdg, check, PLEX_HDG_TODO_VALUES | (tau ? PLEX_HDG_TODO_TAU : 0), &found));
  hdg->reacts     = (PetscBool)(found.reacts != 0);
  hdg->indefinite = (PetscBool)(found.negative != 0);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->indefinite, 1, MPI_C_BOOL, MPI_LOR,
                              PetscObjectComm((PetscObject)hdg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointKappa_Private(PlexHDG hdg, PlexHDGCheckFn *check, const PetscScalar u[], PetscBool slope)
{
  PlexHDGMesh       mesh = hdg->mesh;
  PlexHDGReference  R    = hdg->reference;
  const size_t      n    = (size_t)mesh->Ne * R->Nq * PetscSqr(mesh->dim);
  PlexHDGPointsArgs args;
  PlexHDGFound      found;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsSetUp_Private(hdg));
  PetscCall(PlexHDGPointArray(hdg, PLEX_HDG_VALUES_POINTS, n, &hdg->args.kappaq));
  PetscCall(PlexHDGPointArray(hdg, -1, n, &hdg->args.kinv));
  if (slope) PetscCall(PlexHDGPointArray(hdg, -1, n, &hdg->args.dkinv));
  args        = hdg->functions->args;
  args.kappaq = (double *)hdg->args.kappaq;
  args.kinv   = (double *)hdg->args.kinv;
  args.dkinv  = slope ? (double *)hdg->args.dkinv : NULL;
  args.u      = u;
  PetscCall(PlexHDGPointLaunchAll(hdg, "plex_hdg_kappa", R->Nq, &args, &found));
  if (found.bad >= 0) {
    PetscScalar *own = NULL;

    PetscCall(PetscMalloc1(R->Np, &own));
    if (u) PetscCall(PlexBackendCopyOut(hdg->backend, own, u + (size_t)found.bad * R->Np, sizeof(*own) * R->Np));
    PetscCall((*check)(hdg, found.bad, u ? own : NULL));
    PetscCall(PetscFree(own));
    PetscCall(PlexHDGPointBad(hdg, "kappa is not symmetric and positive definite", found.bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointRenewTau_Private(PlexHDG hdg, PlexHDGCheckFn *check)
{
  PlexHDGFound found;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointLaunchCoefficients(hdg, check, PLEX_HDG_TODO_TAU | PLEX_HDG_TODO_FOLLOW, &found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* inverse[n][n] = G^-1, G symmetric and positive definite, which is overwritten */
static PetscErrorCode PlexHDGInvertProducts(PetscInt n, PetscReal G[], PetscReal inverse[])
{
  PetscBLASInt bn, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  for (PetscInt k = 0; k < n * n; ++k) inverse[k] = k % (n + 1) ? 0. : 1.;
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bn, G, &bn, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "The products of a face's functions are singular");
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bn, &bn, G, &bn, inverse, &bn, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of facets, once a set-up; of Dirichlet's the inverses of their functions' products */
static PetscErrorCode PlexHDGFacetsCreate(PlexHDG hdg, PetscInt ndirichlet)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  PlexHDGFunctions s    = hdg->functions;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv, Nf = R->Nf, width = 2 * dim + 1;
  PetscReal       *points, *inverse, *G, *shape, *dshape;
  PetscInt         m = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mesh->nboundary * R->Nqf * width, &points, ndirichlet * Nf * Nf, &inverse, Nf * Nf, &G));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PetscInt   row = mesh->boundary[b], e = row / mesh->faces, f = row % mesh->faces;
    const PetscReal *psi = &R->psi[mesh->turns[row] * R->Nqf * Nf];

    for (PetscInt k = 0; k < Nf * Nf; ++k) G[k] = 0.;
    for (PetscInt q = 0; q < R->Nqf; ++q) {
      const PetscInt at  = f * R->Nqf + q;
      PetscReal     *own = &points[(b * R->Nqf + q) * width], x[3], J[3][3], C[3][3], ds = 0.;

      PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[at * dim], &shape[at * Nv], &dshape[at * Nv * dim], x, J);
      (void)PlexCofactors(dim, J, C);
      for (PetscInt d = 0; d < dim; ++d) {
        own[d]       = x[d];
        own[dim + d] = 0.;
        for (PetscInt a = 0; a < dim; ++a) own[dim + d] += C[a][d] * R->normal[f][a];
        ds += PetscSqr(own[dim + d]);
      }
      ds = PetscSqrtReal(ds);
      for (PetscInt d = 0; d < dim; ++d) own[dim + d] /= ds;
      own[2 * dim] = ds * R->weightsFace[q];
      for (PetscInt k = 0; k < Nf * Nf; ++k) G[k] += own[2 * dim] * psi[q * Nf + k / Nf] * psi[q * Nf + k % Nf];
    }
    if (hdg->conditions[mesh->condition[b]].kind == PLEX_HDG_DIRICHLET)
      PetscCall(PlexHDGInvertProducts(Nf, G, &inverse[m++ * Nf * Nf]));
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, points,
                             sizeof(double) * (size_t)(mesh->nboundary * R->Nqf * width),
                             (const void **)&s->facets.points));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, inverse, sizeof(double) * (size_t)(ndirichlet * Nf * Nf),
                             (const void **)&s->facets.inverse));
  PetscCall(PlexMemoryUpload(hdg->backend, &s->memory, R->psi, sizeof(double) * (size_t)(R->turns * R->Nqf * Nf),
                             (const void **)&s->facets.psi));
  PetscCall(PlexMemoryAllocate(hdg->backend, &s->memory, sizeof(PlexHDGFacet) * (size_t)mesh->nboundary,
                               (void **)&s->facets.facets));
  PetscCall(PetscCalloc1(mesh->nboundary + 1, &s->table)); /* there is one, of no facets too */
  if (mesh->nboundary) s->table[0].condition = -1;         /* not there yet */
  PetscCall(PetscFree3(points, inverse, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which conditions facets have now, and where their values go */
static PetscErrorCode PlexHDGFacetsSet(PlexHDG hdg, PetscInt *nrobin, PetscInt *ndirichlet)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGFunctions s    = hdg->functions;
  PlexHDGFacet    *now;
  PetscBool        same;

  PetscFunctionBegin;
  *nrobin = *ndirichlet = 0;
  if (!hdg->robinOf) {
    PetscCall(PetscMalloc1(mesh->nown, &hdg->robinOf));
    for (PetscInt l = 0; l < mesh->nown; ++l) hdg->robinOf[l] = -1;
  }
  PetscCall(PetscCalloc1(mesh->nboundary + 1, &now));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGBoundary kind = hdg->conditions[mesh->condition[b]].kind;
    const PetscInt        l    = mesh->face[mesh->boundary[b]];

    now[b] = (PlexHDGFacet){.condition = mesh->condition[b],
                            .kind      = (int)kind,
                            .turn      = mesh->turns[mesh->boundary[b]],
                            .target    = (int)(kind == PLEX_HDG_DIRICHLET ? l - mesh->nown - mesh->nghost : l)};
    if (kind == PLEX_HDG_DIRICHLET) now[b].matrix = (int)(*ndirichlet)++;
    if (kind == PLEX_HDG_ROBIN) hdg->robinOf[l] = now[b].matrix = (int)(*nrobin)++;
  }
  if (!s->table) PetscCall(PlexHDGFacetsCreate(hdg, *ndirichlet));
  PetscCall(PetscArraycmp(s->table, now, mesh->nboundary, &same));
  if (!same)
    PetscCall(PlexBackendCopyIn(hdg->backend, (void *)s->facets.facets, now, sizeof(*now) * (size_t)mesh->nboundary));
  PetscCall(PetscFree(s->table));
  s->table = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGPointBoundary_Private(PlexHDG hdg, PlexHDGCheckFn *check, PetscBool *changed)
{
  PlexHDGMesh       mesh        = hdg->mesh;
  PlexHDGReference  R           = hdg->reference;
  const PetscBool   affine      = (PetscBool)(mesh->nmapped < mesh->Ne);
  PlexHDGFound      found       = PlexHDGFoundNone;
  const PetscInt    Nf          = R->Nf;
  PetscBool         renewed     = hdg->renewed; /* of other numbers */
  PlexHDGFacetsArgs args        = {0};
  void             *arguments[] = {&args};
  PetscInt          nrobin, ndirichlet;
  PlexHDGFunctions  s;
  PlexKernel        kernel;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsSetUp_Private(hdg));
  s = hdg->functions;
  PetscCall(PlexHDGFacetsSet(hdg, &nrobin, &ndirichlet));
  PetscCall(PlexHDGPointArray(hdg, -1, (size_t)(mesh->nfixed * Nf), &hdg->args.fixed));
  PetscCall(PlexHDGPointArray(hdg, -1, (size_t)(mesh->nown * Nf), (const double **)&hdg->natural));
  PetscCall(PlexHDGPointArray(hdg, -1, (size_t)(nrobin * Nf * Nf), (const double **)&hdg->robin));
  if (mesh->nboundary) {
    args           = s->facets;
    args.constants = s->args.constants;
    args.fixed     = (double *)hdg->args.fixed;
    args.natural   = hdg->natural;
    args.robin     = hdg->robin;
    args.found     = s->args.found;
    args.t         = s->args.t;
    PetscCall(PlexHDGFoundBegin(hdg));
    PetscCall(PlexModuleGetKernel(s->module[affine], "plex_hdg_boundary", &kernel));
    PetscCall(PlexVariablesUpdate(s->variables[affine], s->module[affine]));
    PetscCall(PlexKernelLaunch(kernel, mesh->nboundary, 64, sizeof(double) * (size_t)(2 * R->Nqf + Nf), arguments));
    PetscCall(PlexHDGFoundEnd(hdg, &found));
  }
  hdg->renewed = renewed;
  if (found.bad >= 0) {
    const PetscInt b = found.bad;

    PetscCall((*check)(hdg, b, NULL));
    PetscCall(PlexHDGPointBad(hdg, "A boundary value is not finite, or alpha negative",
                              mesh->boundary[b] / mesh->faces));
  }
  hdg->holds = (PetscBool)(found.holds != 0);
  *changed   = (PetscBool)(found.changed != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
