/*
  The numbers at points of a hybridized DG method's convection: beta . grad u, or div(beta u), beside -div(kappa grad u)
  + lambda u.

  With b = beta . n and b+ = max(b, 0) the numerical flux of convection is b t + b+ (u - t): where the flow leaves the
  element that of u, where it enters that of the trace t. This is the upwind flux, with t = u of the element that the
  flow comes from where there is no diffusion. It is added to that of diffusion, -q . n + tau (u - t): the whole
  stabilization is tau + b+ (N. C. Nguyen, J. Peraire and B. Cockburn, An implicit high-order hybridizable discontinuous
  Galerkin method for linear convection-diffusion equations, J. Comput. Phys. 228 (2009), 3232-3254, section 3.5). For
  all v and mu

    advective:    (beta . grad u, v)  + <(b+ - b)(u - t), v>,   <b+ (u - t), mu>
    conservative: -(u, beta . grad v) + <b t + b+ (u - t), v>,  <b t + b+ (u - t), mu>

  The first is the second less (div beta) u, by parts again: div beta is never asked for. b t of two elements cancel, and
  it is left out on the boundary, where Neumann's condition is q . n = g in both forms.

  At a face's points c[4] has the numbers by which functions are multiplied, <c0 u - c1 t, v> and <c2 u - c3 t, mu>;
  at an element's points flow[dim] has det r_a . beta; both times the points' weights.
*/
#include "points.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */

/* beta[dim] at a point of an element */
static PetscErrorCode PlexHDGGetBeta(PlexHDG hdg, PetscInt e, const PetscReal x[], PetscReal beta[])
{
  const PetscInt dim    = hdg->mesh->dim;
  PetscReal      square = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) beta[d] = hdg->velocity[d];
  if (hdg->convection) PetscCall((*hdg->convection)(dim, x, beta, hdg->convectionCtx));
  for (PetscInt d = 0; d < dim; ++d) square += PetscSqr(beta[d]);
  PetscCheck(!PetscIsInfOrNanReal(square), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The velocity in cell %" PetscInt_FMT " at (%g, %g, %g) is (%g, %g, %g): see PlexHDGSetConvection()",
             hdg->mesh->cells[e], (double)x[0], (double)x[1], dim == 3 ? (double)x[2] : 0., (double)beta[0],
             (double)beta[1], dim == 3 ? (double)beta[2] : 0.);
  hdg->speed = PetscMax(hdg->speed, PetscSqrtReal(square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flow[Nq][dim] of an element */
static PetscErrorCode PlexHDGSetFlow(PlexHDG hdg, PetscInt e, const PetscReal shape[], const PetscReal dshape[],
                                     PetscReal flow[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < R->Nq; ++q) {
    PetscReal x[3] = {0., 0., 0.}, J[3][3], C[3][3], beta[3];

    PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    PetscCall(PlexHDGGetBeta(hdg, e, x, beta));
    for (PetscInt a = 0; a < dim; ++a) {
      flow[q * dim + a] = 0.;
      for (PetscInt d = 0; d < dim; ++d) flow[q * dim + a] += R->weights[q] * C[a][d] * beta[d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c[faces][Nqf][4] of an element; outer[faces]: on the boundary */
static PetscErrorCode PlexHDGSetFlowFace(PlexHDG hdg, PetscInt e, const PetscReal shape[], const PetscReal dshape[],
                                         const PetscBool outer[], PetscReal c[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < mesh->faces * R->Nqf; ++k) {
    const PetscInt f    = k / R->Nqf;
    PetscReal      x[3] = {0., 0., 0.}, J[3][3], C[3][3], beta[3], b = 0., area = 0., up;

    PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[k * dim], &shape[k * Nv], &dshape[k * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    PetscCall(PlexHDGGetBeta(hdg, e, x, beta));
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal n = 0.;

      for (PetscInt a = 0; a < dim; ++a) n += C[a][d] * R->normal[f][a];
      b += n * beta[d];
      area += n * n;
    }
    if (outer[f] && PetscAbsReal(b) > 1e-12 * hdg->speed * PetscSqrtReal(area)) hdg->circulates = PETSC_FALSE;
    b *= R->weightsFace[k % R->Nqf];
    up = PetscMax(b, 0.);
    if (hdg->convectionForm == PLEX_HDG_ADVECTIVE) {
      c[4 * k] = c[4 * k + 1] = up - b;
      c[4 * k + 2] = c[4 * k + 3] = up;
    } else {
      c[4 * k] = c[4 * k + 2] = up;
      c[4 * k + 1]            = up - b;
      c[4 * k + 3]            = outer[f] ? up : up - b;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An element by the host, for an error that says at which point the velocity is wrong */
static PetscErrorCode PlexHDGCheckFlow(PlexHDG hdg, PetscInt e, const PetscScalar u[])
{
  PlexHDGMesh      mesh                      = hdg->mesh;
  PlexHDGReference R                         = hdg->reference;
  PetscBool        outer[PLEX_HDG_MAX_FACES] = {PETSC_FALSE};
  PetscReal       *flow, *shape, *dshape;

  PetscFunctionBegin;
  (void)u;
  PetscCall(PetscMalloc1(PetscMax(R->Nq * mesh->dim, mesh->faces * R->Nqf * 4), &flow));
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  PetscCall(PlexHDGSetFlow(hdg, e, shape, dshape, flow));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  PetscCall(PlexHDGSetFlowFace(hdg, e, shape, dshape, outer, flow));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree(flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetConvection_Private(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const size_t     own = (size_t)R->Nq * mesh->dim, face = (size_t)mesh->faces * R->Nqf * 4;
  PetscReal       *flow, *flowFace, *shape, *dshape;
  PetscBool       *outer;

  PetscFunctionBegin;
  hdg->speed      = 0.;
  hdg->circulates = PETSC_TRUE;
  if (!hdg->convects) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexHDGPointRuns_Private(hdg, PLEX_HDG_POINT_VELOCITY)) {
    PetscCall(PlexHDGPointConvection_Private(hdg, PlexHDGCheckFlow));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc2(mesh->Ne * own, &flow, mesh->Ne * face, &flowFace));
  PetscCall(PetscCalloc1(mesh->Ne * mesh->faces, &outer));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) outer[mesh->boundary[b]] = PETSC_TRUE;
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e) PetscCall(PlexHDGSetFlow(hdg, e, shape, dshape, &flow[e * own]));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    PetscCall(PlexHDGSetFlowFace(hdg, e, shape, dshape, &outer[e * mesh->faces], &flowFace[e * face]));
  PetscCall(PetscFree2(shape, dshape));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->speed, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->circulates, 1, MPI_C_BOOL, MPI_LAND,
                              PetscObjectComm((PetscObject)hdg)));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_FLOW, flow, mesh->Ne * own, &hdg->args.flow));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_FLOW_FACE, flowFace, mesh->Ne * face, &hdg->args.flowFace));
  PetscCall(PetscFree2(flow, flowFace));
  PetscCall(PetscFree(outer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
