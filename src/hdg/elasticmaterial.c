/*
  Lame's parameters and the stabilization of an elastic medium's elements; what else goes to the backend's memory.

  tau is by default 32 mu/h on a face of an element of height h above it: of the order of h^-1, as theory has it
  (elastic.c), times a modulus. lambda is not part of it: with tau of the order of lambda the stress of a nearly
  incompressible medium would be wrong by lambda/mu.
*/
#include "elastic.h"

#define PLEX_HDG_ELASTIC_TAU 32.

static PetscErrorCode PlexHDGElasticSetElement(PlexHDG hdg, const PlexHDGCenterPoints *P, PetscInt e,
                                               PetscReal material[], PetscReal tau[])
{
  const PetscInt   dim = hdg->mesh->dim, cell = hdg->mesh->cells[e];
  PetscReal       *lambda = &material[0], *mu = &material[1];
  const PetscReal *x;
  PlexHDGCenters   c;

  PetscFunctionBegin;
  PlexHDGGetCenters_Private(hdg, P, e, &c);
  x       = c.x[0];
  *lambda = hdg->lame[0];
  *mu     = hdg->lame[1];
  if (hdg->material && !hdg->lameForced && !hdg->viscosityForced)
    PetscCall((*hdg->material)(dim, x, cell, lambda, mu, hdg->materialCtx));
  PetscCheck(*mu > 0. && *mu <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "mu of cell %" PetscInt_FMT
             ", (%g, %g, %g), is %g and has to be positive: see PlexHDGSetMaterial() and %s",
             cell, (double)x[0], (double)x[1], (double)x[2], (double)*mu,
             hdg->stokes ? "-plex_hdg_viscosity" : "-plex_hdg_lame");
  if (hdg->stokes) *lambda = 0.; /* it has none */
  PetscCheck(*lambda + 2. * *mu / dim > 0. && *lambda <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "lambda of cell %" PetscInt_FMT ", (%g, %g, %g), is %g, and lambda + 2 mu/%" PetscInt_FMT
             " has to be positive and finite: see PlexHDGSetMaterial() and -plex_hdg_lame",
             cell, (double)x[0], (double)x[1], (double)x[2], (double)*lambda, dim);
  PetscCheck(*lambda <= 1e8 * *mu, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "lambda of cell %" PetscInt_FMT ", (%g, %g, %g), is %g times mu, which leaves no digits: take at most 1e8 "
             "mu (Poisson's ratio 0.499999995)",
             cell, (double)x[0], (double)x[1], (double)x[2], (double)(*lambda / *mu));
  for (PetscInt f = 0; f < hdg->mesh->faces; ++f) tau[f] = hdg->tauFactor * PLEX_HDG_ELASTIC_TAU * *mu / c.height[f];
  PetscCall(PlexHDGCheckTau_Private(hdg, cell, &c, tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticSetMaterial_Private(PlexHDG hdg)
{
  PlexHDGMesh         mesh = hdg->mesh;
  PlexHDGElasticArgs *args = &hdg->elastic->args;
  PlexHDGCenterPoints P;
  PetscReal          *material, *tau;

  PetscFunctionBegin;
  PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
  PetscCall(PlexHDGSetLength_Private(hdg, &P));
  PetscCall(PetscMalloc2((size_t)mesh->Ne * 2, &material, (size_t)mesh->Ne * mesh->faces, &tau));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    PetscCall(PlexHDGElasticSetElement(hdg, &P, e, &material[(size_t)e * 2], &tau[(size_t)e * mesh->faces]));
  PetscCall(PlexHDGUpdate_Private(hdg, material, sizeof(double) * mesh->Ne * 2, (const void **)&args->material));
  PetscCall(PlexHDGUpdate_Private(hdg, tau, sizeof(double) * mesh->Ne * mesh->faces, (const void **)&hdg->args.tau));
  hdg->elastic->ratio = 0.;
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    hdg->elastic->ratio = PetscMax(hdg->elastic->ratio, material[2 * (size_t)e] / material[2 * (size_t)e + 1]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->elastic->ratio, 1, MPIU_REAL, MPIU_MAX,
                              PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscFree2(material, tau));
  PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define UPLOAD(name, values, n) \
  PetscCall(PlexHDGUpload(hdg, values, sizeof(double) * (size_t)(n), (const void **)&el->args.name))

PetscErrorCode PlexHDGElasticUpload_Private(PlexHDG hdg)
{
  PlexHDGReference R  = hdg->reference;
  PlexHDGElastic   el = hdg->elastic;

  PetscFunctionBegin;
  if (hdg->mesh->nmapped < hdg->mesh->Ne) {
    UPLOAD(D, el->D, R->dim * R->Np * el->Nu);
    UPLOAD(F, R->F, R->faces * R->turns * R->Np * R->Nf);
  }
  if (hdg->mesh->nmapped || hdg->navier) UPLOAD(U, el->U, R->Nq * el->Nu);
  UPLOAD(E, el->E, R->faces * el->Nu * el->Nu);
  UPLOAD(Q, el->Q, R->faces * R->turns * R->Nf * el->Nu);
  PetscCall(PlexHDGUpload(hdg, el->functions, sizeof(int) * el->Nu, (const void **)&el->args.functions));
  PetscFunctionReturn(PETSC_SUCCESS);
}
