/* A problem of convection for hybridized DG that two tests share: two waves of u, a velocity that is constant, or
   varies and has a divergence */
#pragma once

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  PetscInt          dim;
  PetscBool         moves, varies; /* there is convection; its velocity depends on x */
  PlexHDGConvection form;
  PetscReal         kappa, lambda, frequency;
} Convection;

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  const Convection *p = (const Convection *)ctx;

  PetscFunctionBegin;
  beta[0] = p->varies ? 1. + 0.3 * PetscSinReal(2. * x[1] + x[0]) : 0.8;
  beta[1] = p->varies ? 0.6 + 0.4 * x[0] * x[1] : 0.6;
  if (dim == 3) beta[2] = p->varies ? -0.4 + 0.3 * PetscCosReal(x[2] + x[0]) : 0.3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Divergence(const Convection *p, const PetscReal x[])
{
  if (!p->varies) return 0.;
  return 0.3 * PetscCosReal(2. * x[1] + x[0]) + 0.4 * x[0] - (p->dim == 3 ? 0.3 * PetscSinReal(x[2] + x[0]) : 0.);
}

/* u = sin(a . x + 0.3) + cos(b . x), its gradient and Laplacian */
static PetscReal Solution(const Convection *p, const PetscReal x[], PetscReal grad[], PetscReal *laplacian)
{
  const PetscReal a[3] = {3., 2., -1.}, b[3] = {-2., 3., 2.};
  PetscReal       phase[2] = {0.3, 0.}, square[2] = {0., 0.};

  for (PetscInt d = 0; d < p->dim; ++d) {
    phase[0] += p->frequency * a[d] * x[d];
    phase[1] += p->frequency * b[d] * x[d];
    square[0] += PetscSqr(p->frequency * a[d]);
    square[1] += PetscSqr(p->frequency * b[d]);
  }
  for (PetscInt d = 0; d < p->dim; ++d)
    grad[d] = p->frequency * (a[d] * PetscCosReal(phase[0]) - b[d] * PetscSinReal(phase[1]));
  *laplacian = -square[0] * PetscSinReal(phase[0]) - square[1] * PetscCosReal(phase[1]);
  return PetscSinReal(phase[0]) + PetscCosReal(phase[1]);
}

static PetscErrorCode ExactU(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscReal grad[3], laplacian;

  PetscFunctionBegin;
  u[0] = Solution((const Convection *)ctx, x, grad, &laplacian);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExactQ(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const Convection *p = (const Convection *)ctx;
  PetscReal         grad[3], laplacian;

  PetscFunctionBegin;
  (void)Solution(p, x, grad, &laplacian);
  for (PetscInt d = 0; d < dim; ++d) q[d] = p->kappa * grad[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(ExactU(dim, x, 1, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q . n; of Robin's condition alpha = max(-beta . n, 0) besides, and q . n + alpha u */
static PetscErrorCode Natural(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                              void *ctx)
{
  PetscScalar q[3], u;
  PetscReal   beta[3], b = 0.;

  PetscFunctionBegin;
  PetscCall(ExactQ(dim, x, dim, q, ctx));
  PetscCall(ExactU(dim, x, 1, &u, ctx));
  PetscCall(Velocity(dim, x, beta, ctx));
  g[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) {
    g[0] += q[d] * normal[d];
    b += beta[d] * normal[d];
  }
  if (n > 1) {
    g[1] = PetscMax(-b, 0.);
    g[0] += g[1] * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Convection *p = (const Convection *)ctx;
  PetscReal         grad[3], laplacian, beta[3], u;

  PetscFunctionBegin;
  u    = Solution(p, x, grad, &laplacian);
  f[0] = -p->kappa * laplacian + p->lambda * u;
  if (!p->moves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Velocity(dim, x, beta, ctx));
  for (PetscInt d = 0; d < dim; ++d) f[0] += beta[d] * grad[d];
  if (p->form == PLEX_HDG_CONSERVATIVE) f[0] += Divergence(p, x) * u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The discretization on a mesh of ConvectionMesh(); mixed: Robin's condition where y is least, Neumann's where it is
   largest, and Dirichlet's elsewhere */
static PetscErrorCode ConvectionCreate(DM dm, PetscInt P, Convection *p, const char backend[], PetscBool mixed,
                                       PlexHDG *hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetDiffusion(*hdg, p->kappa, p->lambda));
  if (p->moves) PetscCall(PlexHDGSetConvection(*hdg, p->form, Velocity, p));
  PetscCall(PlexHDGSetSource(*hdg, Source, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, p));
  if (mixed) {
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 1, PLEX_HDG_ROBIN, Natural, p));
    PetscCall(PlexHDGAddBoundary(*hdg, "sides", 3, PLEX_HDG_NEUMANN, Natural, p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A box of n cells a side, each cut where they are simplices, with the label "sides": 1 where y is 0, 3 where it is 1 */
static PetscErrorCode ConvectionMesh(MPI_Comm comm, DMPolytopeType cell, PetscInt n, DM *dm)
{
  const PetscInt dim = DMPolytopeTypeGetDim(cell), faces[3] = {n, n, n};
  PetscInt       nfacets, *facets;
  DMLabel        label;

  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON)
    PetscCall(PlexTestSimplexBox(comm, dim, n, PETSC_FALSE, dm));
  else PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscCall(PlexTestGetLabel(*dm, "sides", &label));
  PetscCall(PlexTestGetBoundary(*dm, &nfacets, &facets));
  for (PetscInt k = 0; k < nfacets; ++k) {
    PetscReal x[3], normal[3], area;

    PetscCall(DMPlexComputeCellGeometryFVM(*dm, facets[k], &area, x, normal));
    if (x[1] < 1e-9) PetscCall(DMLabelSetValue(label, facets[k], 1));
    if (x[1] > 1. - 1e-9) PetscCall(DMLabelSetValue(label, facets[k], 3));
  }
  PetscCall(PetscFree(facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}
