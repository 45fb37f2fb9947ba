/* What a hybridized DG method's elements and facets have: coefficients, moments of the source, boundary values; and all that goes to the backend's memory once */
#include "hdgimpl.h"
#include "../../dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */
#include <petscblaslapack.h>

PetscErrorCode PlexHDGUpload(PlexHDG hdg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryUpload(hdg->backend, &hdg->memory, values, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To where an earlier call has put it, *at, unless this is NULL */
static PetscErrorCode PlexHDGUpdate(PlexHDG hdg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  if (*at) PetscCall(PlexBackendCopyIn(hdg->backend, (void *)*at, values, bytes));
  else PetscCall(PlexHDGUpload(hdg, values, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGAllocate(PlexHDG hdg, size_t bytes, void **at)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(hdg->backend, &hdg->memory, bytes, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether kappa is symmetric and has positive pivots */
static PetscBool PlexHDGIsPositive(PetscInt dim, const PetscReal kappa[])
{
  PetscReal a[9], size = 0.;

  for (PetscInt k = 0; k < dim * dim; ++k) {
    a[k] = kappa[k];
    size = PetscMax(size, PetscAbsReal(a[k]));
  }
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < i; ++j)
      if (!(PetscAbsReal(a[i * dim + j] - a[j * dim + i]) <= 1e-12 * size)) return PETSC_FALSE;
  }
  for (PetscInt k = 0; k < dim; ++k) {
    if (!(a[k * dim + k] > PETSC_MACHINE_EPSILON * size)) return PETSC_FALSE;
    for (PetscInt i = k + 1; i < dim; ++i)
      for (PetscInt j = k + 1; j < dim; ++j) a[i * dim + j] -= a[i * dim + k] * a[k * dim + j] / a[k * dim + k];
  }
  return PETSC_TRUE;
}

/* The coordinates' functions at points, where elements are not affine */
static PetscErrorCode PlexHDGTabulate(PlexHDGMesh mesh, PetscInt n, const PetscReal xi[], PetscReal **shape, PetscReal **dshape)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * mesh->Nv, shape, n * mesh->Nv * mesh->dim, dshape));
  if (!mesh->affine) PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, n, xi, *shape, *dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau of an element's faces; x[dim] centers of them */
static PetscErrorCode PlexHDGSetTau_Private(PlexHDG hdg, PetscInt cell, const PetscReal x[][3], PetscReal tau[])
{
  const PetscInt *cone;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCone(hdg->dm, cell, &cone));
  for (PetscInt f = 0; f < hdg->mesh->faces; ++f) {
    tau[f] = hdg->tau;
    if (hdg->stabilization) PetscCall((*hdg->stabilization)(hdg->mesh->dim, x[f], cell, cone[f], &tau[f], hdg->stabilizationCtx));
    PetscCheck(tau[f] > 0. && !PetscIsInfOrNanReal(tau[f]), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "tau of face %" PetscInt_FMT " of cell %" PetscInt_FMT ", (%g, %g, %g), is %g and has to be positive: see PlexHDGSetStabilization() and -plex_hdg_tau", cone[f], cell, (double)x[f][0], (double)x[f][1], (double)x[f][2], (double)tau[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa and lambda of an element; x[dim] its center */
static PetscErrorCode PlexHDGSetKappa_Private(PlexHDG hdg, PetscInt cell, const PetscReal x[], PetscReal kappa[], PetscReal *reaction)
{
  const PetscInt dim = hdg->mesh->dim;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim * dim; ++k) kappa[k] = k % (dim + 1) ? 0. : hdg->kappa;
  *reaction = hdg->reaction;
  if (hdg->coefficient) PetscCall((*hdg->coefficient)(dim, x, cell, kappa, reaction, hdg->coefficientCtx));
  PetscCheck(PlexHDGIsPositive(dim, kappa), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "kappa of cell %" PetscInt_FMT ", (%g, %g, %g), is not symmetric and positive definite; its first number is %g: see PlexHDGSetCoefficients() and -plex_hdg_kappa", cell, (double)x[0], (double)x[1], (double)x[2], (double)kappa[0]);
  PetscCheck(*reaction >= 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "lambda of cell %" PetscInt_FMT ", (%g, %g, %g), is %g and has to be at least 0: see PlexHDGSetCoefficients() and -plex_hdg_lambda", cell, (double)x[0], (double)x[1], (double)x[2], (double)*reaction);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSetCoefficients_Private(PlexHDG hdg)
{
  PlexHDGMesh     mesh = hdg->mesh;
  const PetscInt  dim = mesh->dim, faces = mesh->faces, Nv = mesh->Nv;
  const PetscBool simplex = (PetscBool)(faces == dim + 1);
  PetscReal      *kappa, *reaction, *tau, *shape, *dshape, xi[PLEX_HDG_MAX_FACES + 1][3], points[(PLEX_HDG_MAX_FACES + 1) * 3], x[PLEX_HDG_MAX_FACES + 1][3] = {{0.}}, J[3][3];
  const PetscReal center[2] = {dim == 3 && simplex ? -1. / 3. : 0., dim == 3 && simplex ? -1. / 3. : 0.};

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) points[d] = simplex ? 2. / (dim + 1) - 1. : 0.; /* the element's, then the faces' */
  for (PetscInt f = 0; f < faces; ++f) PetscCall(PlexHDGFacePoints(mesh->cell, f, 1, center, &points[(f + 1) * dim]));
  for (PetscInt k = 0; k <= faces; ++k)
    for (PetscInt d = 0; d < dim; ++d) xi[k][d] = points[k * dim + d];
  PetscCall(PlexHDGTabulate(mesh, faces + 1, points, &shape, &dshape));
  PetscCall(PetscMalloc3(mesh->Ne * dim * dim, &kappa, mesh->Ne, &reaction, mesh->Ne * faces, &tau));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt k = 0; k <= faces; ++k) PlexHDGMeshMap_Private(mesh, e, xi[k], &shape[k * Nv], &dshape[k * Nv * dim], x[k], J);
    PetscCall(PlexHDGSetKappa_Private(hdg, mesh->cells[e], x[0], &kappa[e * dim * dim], &reaction[e]));
    PetscCall(PlexHDGSetTau_Private(hdg, mesh->cells[e], (const PetscReal (*)[3]) & x[1], &tau[e * faces]));
  }
  PetscCall(PetscFree2(shape, dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    if (reaction[e] > 0.) hdg->singular = PETSC_FALSE;
  PetscCall(PlexHDGUpload(hdg, kappa, sizeof(double) * mesh->Ne * dim * dim, (const void **)&hdg->args.kappa));
  PetscCall(PlexHDGUpload(hdg, reaction, sizeof(double) * mesh->Ne, (const void **)&hdg->args.reaction));
  PetscCall(PlexHDGUpload(hdg, tau, sizeof(double) * mesh->Ne * faces, (const void **)&hdg->args.tau));
  PetscCall(PetscFree3(kappa, reaction, tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f[Ne][Np] = (phi_i, f) */
static PetscErrorCode PlexHDGSetSource_Private(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;
  PetscReal       *f, *shape, *dshape;

  PetscFunctionBegin;
  if (!hdg->source) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((size_t)mesh->Ne * R->Np, &f));
  PetscCall(PlexHDGTabulate(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal   x[3], J[3][3], C[3][3], w;
      PetscScalar value = 0.;

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
      PetscCall((*hdg->source)(dim, x, 1, &value, hdg->sourceCtx));
      w = R->weights[q] * PlexCofactors(dim, J, C) * PetscRealPart(value);
      for (PetscInt i = 0; i < R->Np; ++i) f[(size_t)e * R->Np + i] += w * R->phi[q * R->Np + i];
    }
  }
  PetscCall(PlexHDGUpdate(hdg, f, sizeof(double) * mesh->Ne * R->Np, (const void **)&hdg->args.f));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of facet b: moments[Nf] of g with the face's functions, G[Nf][Nf] their products weighted by 1 (Dirichlet) or alpha (Robin) */
static PetscErrorCode PlexHDGBoundaryMoments(PlexHDG hdg, PetscInt b, const PetscReal shape[], const PetscReal dshape[], PetscReal moments[], PetscReal G[])
{
  PlexHDGMesh             mesh = hdg->mesh;
  PlexHDGReference        R    = hdg->reference;
  const PlexHDGCondition *c    = &hdg->conditions[mesh->condition[b]];
  const PetscInt          dim = mesh->dim, Nv = mesh->Nv, Nf = R->Nf, row = mesh->boundary[b], e = row / mesh->faces, f = row % mesh->faces;
  const PetscReal        *psi = &R->psi[mesh->turns[row] * R->Nqf * Nf];

  PetscFunctionBegin;
  for (PetscInt m = 0; m < Nf; ++m) moments[m] = 0.;
  for (PetscInt m = 0; m < Nf * Nf; ++m) G[m] = 0.;
  for (PetscInt q = 0; q < R->Nqf; ++q) {
    const PetscInt at = f * R->Nqf + q;
    PetscReal      x[3], n[3] = {0., 0., 0.}, J[3][3], C[3][3], ds = 0.;
    PetscScalar    g[2] = {0., 0.}; /* Neumann's has no alpha */

    PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[at * dim], &shape[at * Nv], &dshape[at * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt a = 0; a < dim; ++a) n[d] += C[a][d] * R->normal[f][a];
      ds += PetscSqr(n[d]);
    }
    ds = PetscSqrtReal(ds);
    for (PetscInt d = 0; d < dim; ++d) n[d] /= ds;
    ds *= R->weightsFace[q];
    if (c->func) PetscCall((*c->func)(dim, x, n, c->kind == PLEX_HDG_ROBIN ? 2 : 1, g, c->ctx));
    if (c->kind == PLEX_HDG_DIRICHLET) g[1] = 1.;
    PetscCheck(PetscRealPart(g[1]) >= 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "alpha of Robin's condition is %g at (%g, %g, %g) and has to be at least 0", (double)PetscRealPart(g[1]), (double)x[0], (double)x[1], dim == 3 ? (double)x[2] : 0.);
    for (PetscInt m = 0; m < Nf; ++m) {
      moments[m] += ds * PetscRealPart(g[0]) * psi[q * Nf + m];
      for (PetscInt n2 = 0; n2 < Nf; ++n2) G[m * Nf + n2] += ds * PetscRealPart(g[1]) * psi[q * Nf + m] * psi[q * Nf + n2];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[n] = G^-1 x, G[n][n] symmetric and positive definite */
PetscErrorCode PlexHDGSolveSmall_Private(PetscInt n, PetscReal G[], PetscReal x[])
{
  PetscBLASInt bn, one = 1, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bn, G, &bn, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "The products of a face's functions are singular");
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bn, &one, G, &bn, x, &bn, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known traces are the projections of g (equation 6a); g of the others goes to the right-hand side, alpha to K */
static PetscErrorCode PlexHDGSetBoundary_Private(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   Nf   = R->Nf;
  PetscReal       *fixed, *natural, *robin, *moments, *G, *shape, *dshape;
  PetscInt         nrobin = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nboundary; ++b) nrobin += hdg->conditions[mesh->condition[b]].kind == PLEX_HDG_ROBIN;
  PetscCall(PetscMalloc5(mesh->nfixed * Nf, &fixed, mesh->nown * Nf, &natural, nrobin * Nf * Nf, &robin, Nf, &moments, Nf * Nf, &G));
  PetscCall(PetscArrayzero(natural, mesh->nown * Nf));
  if (!hdg->robinOf) PetscCall(PetscMalloc1(mesh->nown, &hdg->robinOf));
  for (PetscInt l = 0; l < mesh->nown; ++l) hdg->robinOf[l] = -1;
  PetscCall(PlexHDGTabulate(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  nrobin = 0;
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGBoundary kind = hdg->conditions[mesh->condition[b]].kind;
    const PetscInt        l    = mesh->face[mesh->boundary[b]];

    PetscCall(PlexHDGBoundaryMoments(hdg, b, shape, dshape, moments, G));
    if (G[0] > 0.) hdg->singular = PETSC_FALSE; /* Dirichlet's, or Robin's with some alpha */
    if (kind == PLEX_HDG_DIRICHLET) {
      PetscCall(PlexHDGSolveSmall_Private(Nf, G, moments));
      PetscCall(PetscArraycpy(&fixed[(l - mesh->nown - mesh->nghost) * Nf], moments, Nf));
      continue;
    }
    PetscCall(PetscArraycpy(&natural[l * Nf], moments, Nf));
    if (kind == PLEX_HDG_ROBIN) {
      PetscCall(PetscArraycpy(&robin[nrobin * Nf * Nf], G, Nf * Nf));
      hdg->robinOf[l] = (int)nrobin++;
    }
  }
  PetscCall(PlexHDGUpdate(hdg, fixed, sizeof(double) * mesh->nfixed * Nf, (const void **)&hdg->args.fixed));
  PetscCall(PlexHDGUpdate(hdg, natural, sizeof(double) * mesh->nown * Nf, (const void **)&hdg->natural));
  PetscCall(PlexHDGUpdate(hdg, robin, sizeof(double) * nrobin * Nf * Nf, (const void **)&hdg->robin));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree5(fixed, natural, robin, moments, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a symmetric matrix that has an inverse */
static void PlexHDGInvertKappa(PetscInt dim, const PetscReal kappa[], PetscReal inverse[])
{
  PetscReal J[3][3], C[3][3], det;

  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt a = 0; a < dim; ++a) J[d][a] = kappa[d * dim + a];
  det = PlexCofactors(dim, J, C);
  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt a = 0; a < dim; ++a) inverse[d * dim + a] = C[d][a] / det;
}

/* d kappa^-1/du = -kappa^-1 (d kappa/du) kappa^-1 */
static void PlexHDGInverseSlope(PetscInt dim, const PetscReal inverse[], const PetscReal slope[], PetscReal result[])
{
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) {
      result[i * dim + j] = 0.;
      for (PetscInt k = 0; k < dim; ++k)
        for (PetscInt l = 0; l < dim; ++l) result[i * dim + j] -= inverse[i * dim + k] * slope[k * dim + l] * inverse[l * dim + j];
    }
  }
}

PetscErrorCode PlexHDGUpdatePoints_Private(PlexHDG hdg, const PetscScalar u[], PetscBool slope)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, size = dim * dim, Nv = mesh->Nv, n = mesh->Ne * R->Nq * size;
  PetscReal       *kappa, *inverse, *dinverse, *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &kappa, n, &inverse, slope ? n : 0, &dinverse));
  PetscCall(PlexHDGTabulate(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt q = 0; q < R->Nq; ++q) {
      const PetscInt at   = (e * R->Nq + q) * size;
      PetscReal      x[3] = {0., 0., 0.}, J[3][3], d[9] = {0.}, value = 0.;

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
      for (PetscInt i = 0; u && i < R->Np; ++i) value += R->phi[q * R->Np + i] * PetscRealPart(u[(size_t)e * R->Np + i]);
      for (PetscInt k = 0; k < size; ++k) kappa[at + k] = 0.;
      PetscCall((*hdg->point)(dim, x, value, &kappa[at], d, hdg->pointCtx));
      PetscCheck(PlexHDGIsPositive(dim, &kappa[at]), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "kappa in cell %" PetscInt_FMT " at (%g, %g, %g), where u is %g, is not symmetric and positive definite; its first number is %g: see PlexHDGSetPointwise()",
                 mesh->cells[e], (double)x[0], (double)x[1], (double)x[2], (double)value, (double)kappa[at]);
      PlexHDGInvertKappa(dim, &kappa[at], &inverse[at]);
      if (slope) PlexHDGInverseSlope(dim, &inverse[at], d, &dinverse[at]);
    }
  }
  PetscCall(PlexHDGUpdate(hdg, kappa, sizeof(double) * n, (const void **)&hdg->args.kappaq));
  PetscCall(PlexHDGUpdate(hdg, inverse, sizeof(double) * n, (const void **)&hdg->args.kinv));
  if (slope) PetscCall(PlexHDGUpdate(hdg, dinverse, sizeof(double) * n, (const void **)&hdg->args.dkinv));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree3(kappa, inverse, dinverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGUpdateData_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSetSource_Private(hdg));
  PetscCall(PlexHDGSetBoundary_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define UPLOAD(name, values, n) PetscCall(PlexHDGUpload(hdg, values, sizeof(double) * (size_t)(n), (const void **)&hdg->args.name))

static PetscErrorCode PlexHDGUploadTables(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = R->dim, Np = R->Np, Nf = R->Nf, pairs = R->faces * R->turns;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  if (mesh->affine) {
    UPLOAD(D, R->D, dim * Np * Np);
    UPLOAD(S, R->S, R->nab * Np * Np);
    UPLOAD(E, R->E, R->faces * Np * Np);
    UPLOAD(F, R->F, pairs * Np * Nf);
    UPLOAD(H, R->H, dim * pairs * Np * Nf);
    UPLOAD(T, R->T, PetscSqr(pairs * Nf));
    UPLOAD(Spost, R->Spost, R->nab * R->Npost * R->Npost);
    UPLOAD(Ppost, R->Ppost, dim * R->Npost * Np);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  UPLOAD(phi, R->phi, R->Nq * Np);
  UPLOAD(dphi, R->dphi, dim * R->Nq * Np);
  UPLOAD(phiFace, R->phiFace, R->faces * R->Nqf * Np);
  UPLOAD(psi, R->psi, R->turns * R->Nqf * Nf);
  UPLOAD(weights, R->weights, R->Nq);
  UPLOAD(weightsFace, R->weightsFace, R->Nqf);
  UPLOAD(phiPost, R->phiPost, R->Nq * R->Npost);
  UPLOAD(dphiPost, R->dphiPost, dim * R->Nq * R->Npost);
  PetscCall(PlexHDGTabulate(mesh, R->Nq, R->points, &shape, &dshape));
  UPLOAD(dshape, dshape, R->Nq * mesh->Nv * dim);
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexHDGTabulate(mesh, R->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  UPLOAD(dshapeFace, dshape, R->faces * R->Nqf * mesh->Nv * dim);
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpData_Private(PlexHDG hdg)
{
  PlexHDGMesh mesh = hdg->mesh;

  PetscFunctionBegin;
  hdg->singular = PETSC_TRUE; /* until something is found that forbids it */
  PetscCall(PlexHDGSetCoefficients_Private(hdg));
  PetscCall(PlexHDGSetSource_Private(hdg));
  PetscCall(PlexHDGSetBoundary_Private(hdg));
  PetscCall(PlexHDGUpload(hdg, hdg->robinOf, sizeof(int) * mesh->nown, (const void **)&hdg->robinAt));
  if (hdg->point) PetscCall(PlexHDGUpdatePoints_Private(hdg, NULL, hdg->nonlinear));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->singular, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)hdg)));
  PetscCall(PlexHDGUploadTables(hdg));
  UPLOAD(x, mesh->x, mesh->Ne * mesh->Nv * mesh->dim);
  PetscCall(PlexHDGUpload(hdg, mesh->turns, sizeof(int) * mesh->Ne * mesh->faces, (const void **)&hdg->args.turns));
  PetscCall(PlexHDGUpload(hdg, mesh->face, sizeof(int) * mesh->Ne * mesh->faces, (const void **)&hdg->args.faces));
  PetscCall(PlexHDGAllocate(hdg, sizeof(int), (void **)&hdg->args.bad));
  hdg->args.nown   = (int)mesh->nown;
  hdg->args.nghost = (int)mesh->nghost;
  PetscFunctionReturn(PETSC_SUCCESS);
}
