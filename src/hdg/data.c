/* Boundary values of a hybridized DG method, and tables, which go to the backend's memory once */
#include "points.h"
#include "navier.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */
#include <petscblaslapack.h>

/* Of facet b: moments[components][Nf] of g with the face's functions, G[Nf][Nf] their products weighted by 1 (Dirichlet)
   or alpha (Robin) */
PetscErrorCode PlexHDGBoundaryMoments_Private(PlexHDG hdg, PetscInt b, const PetscReal shape[],
                                              const PetscReal dshape[], PetscReal moments[], PetscReal G[])
{
  PlexHDGMesh             mesh = hdg->mesh;
  PlexHDGReference        R    = hdg->reference;
  const PlexHDGCondition *c    = &hdg->conditions[mesh->condition[b]];
  const PetscInt          dim = mesh->dim, Nv = mesh->Nv, Nf = R->Nf, row = mesh->boundary[b], e = row / mesh->faces,
                          f = row % mesh->faces, components = PlexHDGComponents(hdg);
  const PetscReal        *psi = &R->psi[mesh->turns[row] * R->Nqf * Nf];

  PetscFunctionBegin;
  for (PetscInt m = 0; m < components * Nf; ++m) moments[m] = 0.;
  for (PetscInt m = 0; m < Nf * Nf; ++m) G[m] = 0.;
  for (PetscInt q = 0; q < R->Nqf; ++q) {
    const PetscInt at = f * R->Nqf + q;
    PetscReal      x[3], n[3] = {0., 0., 0.}, J[3][3], C[3][3], ds = 0.;
    PetscScalar    g[4]  = {0., 0., 0., 0.}, alpha; /* Neumann's has no alpha */
    PetscInt       wrong = 0;

    PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[at * dim], &shape[at * Nv], &dshape[at * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt a = 0; a < dim; ++a) n[d] += C[a][d] * R->normal[f][a];
      ds += PetscSqr(n[d]);
    }
    ds = PetscSqrtReal(ds);
    for (PetscInt d = 0; d < dim; ++d) n[d] /= ds;
    ds *= R->weightsFace[q];
    if (c->func) PetscCall((*c->func)(dim, x, n, components + (c->kind == PLEX_HDG_ROBIN), g, c->ctx));
    alpha = c->kind == PLEX_HDG_DIRICHLET || c->held ? 1. : g[components];
    while (wrong < components - 1 && !PetscIsInfOrNanScalar(g[wrong])) ++wrong;
    PetscCheck(!PetscIsInfOrNanScalar(g[wrong]), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "g of a boundary condition %s is %g at (%g, %g, %g): see PlexHDGAddBoundary()",
               PlexHDGBoundaries[c->kind], (double)PetscRealPart(g[wrong]), (double)x[0], (double)x[1],
               dim == 3 ? (double)x[2] : 0.);
    PetscCheck(PetscRealPart(alpha) >= 0. && !PetscIsInfOrNanScalar(alpha), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "alpha of Robin's condition is %g at (%g, %g, %g) and has to be at least 0",
               (double)PetscRealPart(alpha), (double)x[0], (double)x[1], dim == 3 ? (double)x[2] : 0.);
    for (PetscInt m = 0; m < Nf; ++m) {
      for (PetscInt k = 0; k < components; ++k) moments[k * Nf + m] += ds * PetscRealPart(g[k]) * psi[q * Nf + m];
      for (PetscInt n2 = 0; n2 < Nf; ++n2)
        G[m * Nf + n2] += ds * PetscRealPart(alpha) * psi[q * Nf + m] * psi[q * Nf + n2];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[columns][n] = G^-1 x, G[n][n] symmetric and positive definite */
static PetscErrorCode PlexHDGSolveSmallMany(PetscInt n, PetscInt columns, PetscReal G[], PetscReal x[])
{
  PetscBLASInt bn, one, info;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(columns, &one));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bn, G, &bn, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "The products of a face's functions are singular");
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bn, &one, G, &bn, x, &bn, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolveSmall_Private(PetscInt n, PetscReal G[], PetscReal x[])
{
  PetscFunctionBegin;
  PetscCall(PlexHDGSolveSmallMany(n, 1, G, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Robin's matrix of all components, [components][Nf] in both ways, from that of one. *changed: it was another one */
static void PlexHDGSetRobin(PetscInt components, PetscInt Nf, const PetscReal G[], PetscReal matrix[],
                            PetscBool *changed)
{
  const PetscInt n = components * Nf;

  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal v = i / Nf == j / Nf ? G[i % Nf * Nf + j % Nf] : 0.;

      *changed          = (PetscBool)(*changed || matrix[i * n + j] != v);
      matrix[i * n + j] = v;
    }
  }
}

/* Faces that have unknowns of some components and known ones of others, once a set-up; known[nheld][dim][Nf] */
static PetscErrorCode PlexHDGSetHeld(PlexHDG hdg, PetscReal **known)
{
  PlexHDGMesh    mesh = hdg->mesh;
  PlexHDGElastic el   = hdg->elastic;

  PetscFunctionBegin;
  *known = NULL;
  if (!el) PetscFunctionReturn(PETSC_SUCCESS);
  if (!el->held) {
    PetscCall(PetscMalloc1(mesh->Ne * mesh->faces + 1, &el->held));
    PetscCall(PetscMalloc1(mesh->nboundary + 1, &el->bits));
    for (PetscInt r = 0; r < mesh->Ne * mesh->faces; ++r) el->held[r] = -1;
    for (PetscInt b = 0; b < mesh->nboundary; ++b) {
      if (!hdg->conditions[mesh->condition[b]].held) continue;
      el->bits[el->nheld]         = hdg->conditions[mesh->condition[b]].held;
      el->held[mesh->boundary[b]] = (int)el->nheld++;
    }
    if (el->nheld) {
      PetscCall(PlexHDGUpload(hdg, el->held, sizeof(int) * mesh->Ne * mesh->faces, (const void **)&el->args.held));
      PetscCall(PlexHDGUpload(hdg, el->bits, sizeof(int) * el->nheld, (const void **)&el->args.bits));
    }
  }
  PetscCall(PetscMalloc1(el->nheld * PlexHDGBlockSize(hdg), known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facet b by the host, for an error that says at which point a value is wrong */
static PetscErrorCode PlexHDGCheckBoundary(PlexHDG hdg, PetscInt b, const PetscScalar u[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  PetscReal       *moments, *G, *shape, *dshape;

  PetscFunctionBegin;
  (void)u;
  PetscCall(PetscMalloc2(R->Nf, &moments, R->Nf * R->Nf, &G));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  PetscCall(PlexHDGBoundaryMoments_Private(hdg, b, shape, dshape, moments, G));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree2(moments, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known traces are the projections of g (equation 6a); g of the others goes to the right-hand side, alpha to K */
PetscErrorCode PlexHDGSetBoundary_Private(PlexHDG hdg, PetscBool *changed)
{
  PlexHDGMesh      mesh       = hdg->mesh;
  PlexHDGReference R          = hdg->reference;
  const PetscInt   components = PlexHDGComponents(hdg), Nf = components * R->Nf; /* of all components */
  PetscReal       *fixed, *natural, *moments, *G, *shape, *dshape, *held;
  PetscInt         nrobin = 0, nnatural = 0;

  PetscFunctionBegin;
  if (PlexHDGPointRunsBoundary_Private(hdg)) {
    PetscCall(PlexHDGPointBoundary_Private(hdg, PlexHDGCheckBoundary, changed));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    nrobin += hdg->conditions[mesh->condition[b]].kind == PLEX_HDG_ROBIN;
    nnatural += hdg->conditions[mesh->condition[b]].kind != PLEX_HDG_DIRICHLET;
  }
  /* where only known traces are, zeros need not be copied */
  PetscCall(PetscMalloc3(mesh->nfixed * Nf, &fixed, Nf, &moments, R->Nf * R->Nf, &G));
  PetscCall(PlexHDGSetHeld(hdg, &held));
  PetscCall(PetscCalloc1(nnatural ? mesh->nown * Nf : 0, &natural));
  if (!hdg->robinHost) PetscCall(PetscCalloc1(nrobin * Nf * Nf + 1, &hdg->robinHost));
  if (!hdg->robinOf) PetscCall(PetscMalloc1(mesh->nown, &hdg->robinOf));
  for (PetscInt l = 0; l < mesh->nown; ++l) hdg->robinOf[l] = -1;
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  hdg->holds = *changed = PETSC_FALSE;
  nrobin                = 0;
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGBoundary kind = hdg->conditions[mesh->condition[b]].kind;
    const PetscInt        l    = mesh->face[mesh->boundary[b]];

    PetscCall(PlexHDGBoundaryMoments_Private(hdg, b, shape, dshape, moments, G));
    if (G[0] > 0.) hdg->holds = PETSC_TRUE;
    if (kind == PLEX_HDG_DIRICHLET) {
      PetscCall(PlexHDGSolveSmallMany(R->Nf, components, G, moments));
      PetscCall(PetscArraycpy(&fixed[(l - mesh->nown - mesh->nghost) * Nf], moments, Nf));
      continue;
    }
    PetscCall(PetscArraycpy(&natural[l * Nf], moments, Nf));
    if (kind == PLEX_HDG_ROBIN) {
      PlexHDGSetRobin(components, R->Nf, G, &hdg->robinHost[nrobin * Nf * Nf], changed);
      hdg->robinOf[l] = (int)nrobin++;
    }
    if (hdg->conditions[mesh->condition[b]].held) { /* their part of the right-hand side is the local problem's */
      const PetscInt at = hdg->elastic->held[mesh->boundary[b]];

      for (PetscInt i = 0; i < Nf; ++i)
        if (hdg->elastic->bits[at] >> (i / R->Nf) & 1) natural[l * Nf + i] = 0.;
      PetscCall(PlexHDGSolveSmallMany(R->Nf, components, G, moments));
      PetscCall(PetscArraycpy(&held[at * Nf], moments, Nf));
    }
  }
  PetscCall(PlexHDGUpdate_Private(hdg, fixed, sizeof(double) * mesh->nfixed * Nf, (const void **)&hdg->args.fixed));
  if (nnatural)
    PetscCall(PlexHDGUpdate_Private(hdg, natural, sizeof(double) * mesh->nown * Nf, (const void **)&hdg->natural));
  else if (!hdg->natural) {
    PetscCall(PlexHDGAllocate(hdg, sizeof(double) * mesh->nown * Nf, (void **)&hdg->natural));
    if (mesh->nown) PetscCall(PlexBackendZero(hdg->backend, hdg->natural, sizeof(double) * mesh->nown * Nf));
  }
  PetscCall(PlexHDGUpdate_Private(hdg, hdg->robinHost, sizeof(double) * nrobin * Nf * Nf, (const void **)&hdg->robin));
  if (held)
    PetscCall(PlexHDGUpdate_Private(hdg, held, sizeof(double) * hdg->elastic->nheld * Nf,
                                    (const void **)&hdg->elastic->args.known));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree(held));
  PetscCall(PetscFree(natural));
  PetscCall(PetscFree3(fixed, moments, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGIsSingular_Private(PlexHDG hdg, PetscBool *singular)
{
  PetscFunctionBegin;
  if (hdg->elastic) {
    PetscCall(PlexHDGElasticFindFree_Private(hdg));
    *singular = (PetscBool)(hdg->elastic->nfree > 0);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *singular = (PetscBool)(!hdg->reacts && !hdg->holds);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, singular, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)hdg)));
  if (!hdg->convects) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!*singular || (hdg->convectionForm == PLEX_HDG_CONSERVATIVE && !hdg->circulates),
             PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "With convection, lambda = 0 and Neumann's condition on all of the boundary u is not determined: give "
             "Dirichlet's or Robin's on some of it (PlexHDGAddBoundary()), or lambda");
  *singular = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define UPLOAD(name, values, n) \
  PetscCall(PlexHDGUpload(hdg, values, sizeof(double) * (size_t)(n), (const void **)&hdg->args.name))

PetscErrorCode PlexHDGUploadTables_Private(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = R->dim, Np = R->Np, Nf = R->Nf, pairs = R->faces * R->turns;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  if (hdg->elastic) PetscCall(PlexHDGElasticUpload_Private(hdg));
  if (hdg->stokes) PetscCall(PlexHDGStokesAllocate_Private(hdg));
  if (hdg->navier) PetscCall(PlexHDGNavierUpload_Private(hdg));
  if (mesh->nmapped < mesh->Ne && !hdg->elastic) {
    UPLOAD(D, R->D, dim * Np * Np);
    UPLOAD(S, R->S, R->nab * Np * Np);
    UPLOAD(E, R->E, R->faces * Np * Np);
    UPLOAD(F, R->F, pairs * Np * Nf);
    UPLOAD(H, R->H, dim * pairs * Np * Nf);
    UPLOAD(T, R->T, PetscSqr(pairs * Nf));
    UPLOAD(Spost, R->Spost, R->nab * R->Npost * R->Npost);
    UPLOAD(Ppost, R->Ppost, dim * R->Npost * Np);
  }
  if (mesh->nmapped || hdg->convects || hdg->navier) { /* convection is summed over points on all elements */
    UPLOAD(phi, R->phi, R->Nq * Np);
    UPLOAD(dphi, R->dphi, dim * R->Nq * Np);
    UPLOAD(phiFace, R->phiFace, R->faces * R->Nqf * Np);
    UPLOAD(psi, R->psi, R->turns * R->Nqf * Nf);
    UPLOAD(weights, R->weights, R->Nq);
    UPLOAD(weightsFace, R->weightsFace, R->Nqf);
  }
  if (!mesh->nmapped) PetscFunctionReturn(PETSC_SUCCESS);
  UPLOAD(phiPost, R->phiPost, R->Nq * R->Npost);
  UPLOAD(dphiPost, R->dphiPost, dim * R->Nq * R->Npost);
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  UPLOAD(dshape, dshape, R->Nq * mesh->Nv * dim);
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexHDGTabulate_Private(mesh, R->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  UPLOAD(dshapeFace, dshape, R->faces * R->Nqf * mesh->Nv * dim);
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpData_Private(PlexHDG hdg)
{
  PlexHDGMesh mesh = hdg->mesh;
  PetscBool   changed;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGData, hdg, 0, 0, 0));
  UPLOAD(x, mesh->x, PlexHDGMeshSizeX(mesh));
  PetscCall(PlexHDGSetUpCoefficients_Private(hdg));
  PetscCall(PlexHDGSetSource_Private(hdg));
  PetscCall(PlexHDGSetBoundary_Private(hdg, &changed));
  PetscCall(PlexHDGUpload(hdg, hdg->robinOf, sizeof(int) * mesh->nown, (const void **)&hdg->robinAt));
  PetscCall(PlexHDGIsSingular_Private(hdg, &hdg->singular));
  PetscCall(PlexHDGUploadTables_Private(hdg));
  PetscCall(PlexHDGUpload(hdg, mesh->turns, sizeof(int) * mesh->Ne * mesh->faces, (const void **)&hdg->args.turns));
  PetscCall(PlexHDGUpload(hdg, mesh->face, sizeof(int) * mesh->Ne * mesh->faces, (const void **)&hdg->args.faces));
  PetscCall(PlexHDGAllocate(hdg, sizeof(int), (void **)&hdg->args.bad));
  hdg->args.nown   = (int)mesh->nown;
  hdg->args.nghost = (int)mesh->nghost;
  hdg->evaluated   = (PetscBool)(hdg->time != NULL);
  if (hdg->time) hdg->now = *hdg->time;
  PetscCall(PetscLogEventEnd(PLEX_HDGData, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
