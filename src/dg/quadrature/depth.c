/*
  Depth of water between nodes. A polynomial through depths that are positive may be negative between them, and linear
  waves over a negative depth grow, while nonlinear water has no speed there. So H = d + eta, or d alone of the linear
  equations, is looked at where fluxes and sources are: at the nodes, and at the points of elements and faces.
*/
#include "quadratureimpl.h"

PetscErrorCode PlexDGTabulatePoints_Private(PlexDG dg, PetscBool nodes, PetscReal points[], PetscReal B[],
                                            PetscReal *most)
{
  PlexDGReference  R   = dg->reference;
  PlexDGQuadrature Q   = dg->quadrature;
  const PetscInt   dim = R->dim, first = nodes ? R->Np : 0, n = first + Q->NG + R->faces * Q->MG;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(points, R->r, first * dim));
  PetscCall(PetscArraycpy(&points[first * dim], Q->points, Q->NG * dim));
  for (PetscInt f = 0; f < R->faces; ++f)
    PlexDGFacePoints_Private(R, f, Q->MG, Q->facePoints, &points[(first + Q->NG + f * Q->MG) * dim]);
  PetscCall(PlexDGReferenceInterpolate(R, n, points, B));
  *most = 0.;
  for (PetscInt g = 0; g < n; ++g) {
    PetscReal sum = 0.;

    for (PetscInt i = 0; i < R->Np; ++i) sum += PetscAbsReal(B[g * R->Np + i]);
    *most = PetscMax(*most, sum);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexDGLeast_Private(PetscInt Np, PetscInt n, const PetscReal B[], const PetscReal nodal[])
{
  PetscReal least = nodal[0];

  for (PetscInt i = 1; i < Np; ++i) least = PetscMin(least, nodal[i]);
  for (PetscInt g = 0; g < n; ++g) {
    PetscReal here = 0.;

    for (PetscInt i = 0; i < Np; ++i) here += B[g * Np + i] * nodal[i];
    least = PetscMin(least, here);
  }
  return least;
}

/* Least depth of water of each own element: node[Ne] at its nodes, all[Ne] between them too. factor: of the elevation
   u[Ne][Nf][Np], which may be NULL */
static PetscErrorCode PlexDGGetDepths(PlexDG dg, const PetscScalar u[], PetscReal factor, PetscReal node[],
                                      PetscReal all[])
{
  const PetscInt NK = dg->system->ncoefficients, Nf = dg->system->Nf, Np = dg->reference->Np;
  const PetscInt n = Np + dg->quadrature->NG + dg->reference->faces * dg->quadrature->MG;
  PetscReal     *points, *B, *H, most;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n * dg->reference->dim, &points, n * Np, &B, Np, &H));
  PetscCall(PlexDGTabulatePoints_Private(dg, PETSC_TRUE, points, B, &most));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal low = PETSC_MAX_REAL, high = PETSC_MIN_REAL;

    for (PetscInt i = 0; i < Np; ++i) {
      H[i] = dg->variables[(size_t)e * NK * Np + i] + (u ? factor * PetscRealPart(u[(size_t)e * Nf * Np + i]) : 0.);
      low  = PetscMin(low, H[i]);
      high = PetscMax(high, H[i]);
    }
    node[e] = low;
    /* no polynomial falls below this bound */
    all[e] = 0.5 * (low + high - most * (high - low)) > 0. ? low : PlexDGLeast_Private(Np, n, B, H);
  }
  PetscCall(PetscFree3(points, B, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that names the cell, and what can be done */
static PetscErrorCode PlexDGBadDepth(PlexDG dg, PetscInt e, PetscReal node, PetscReal all, PetscBool linear)
{
  const PetscInt   dim = dg->mesh->dim, nv = dg->mesh->nv;
  const PetscReal *v          = &dg->mesh->x[(size_t)e * nv * dim];
  PetscReal        x[3]       = {0., 0., 0.};
  char             where[128] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < nv; ++i)
    for (PetscInt d = 0; d < dim; ++d) x[d] += v[i * dim + d] / nv;
  if (node > 0.)
    PetscCall(PetscSNPrintf(where, sizeof(where),
                            " between nodes, where it is no less than %g: the polynomial of degree %" PetscInt_FMT
                            " overshoots",
                            (double)node, dg->degree));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "The water of system %s is %g deep in cell %" PetscInt_FMT
          ", centroid (%g, %g, %g)%s. It has to be deeper than 0 everywhere: %s",
          dg->system->name, (double)all, dg->mesh->cells[e], (double)x[0], (double)x[1], (double)x[2], where,
          dg->shore ? "raise -plex_dg_shore, so that this cell may fall dry and has a linear bottom"
          : linear
            ? "use a larger least depth or a smoother one in PlexDGSetCoefficients(), -plex_dg_degree 1, or the "
              "nonlinear equations with -plex_dg_dry 0.1, which lets elements fall dry"
            : "use -plex_dg_dry 0.1, which lets elements fall dry and makes their bottom linear, a larger least depth "
              "or a smoother one in PlexDGSetCoefficients(), or -plex_dg_degree 1; and see what the state is there");
}

PetscErrorCode PlexDGCheckDepth_Private(PlexDG dg, const PetscScalar u[])
{
  const PetscReal factor = 1. - PetscMax(0., PlexDGWaterConstant_Private(dg, "linear"));
  PetscReal      *node, *all;
  PetscBool      *may;

  PetscFunctionBegin;
  if (!dg->system->water || !dg->variables) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(dg->mesh->Ne, &node, dg->mesh->Ne, &all));
  PetscCall(PetscCalloc1(dg->mesh->Ne, &may));
  if (dg->shore) PlexDGShoreMay_Private(dg, may);
  PetscCall(PlexDGGetDepths(dg, u, factor, node, all));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    if (!may[e] && !(all[e] > 0.)) PetscCall(PlexDGBadDepth(dg, e, node[e], all[e], (PetscBool)(factor < 0.5)));
  PetscCall(PetscFree(may));
  PetscCall(PetscFree2(node, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGetLeastDepths_Private(PlexDG dg, PetscReal node[], PetscReal all[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGGetDepths(dg, NULL, 0., node, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGIsDeep_Private(PlexDG dg, PetscBool *deep)
{
  PetscReal *node, *all;

  PetscFunctionBegin;
  *deep = PETSC_TRUE;
  if (!dg->system->water || !dg->variables || dg->shore) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(dg->mesh->Ne, &node, dg->mesh->Ne, &all));
  PetscCall(PlexDGGetLeastDepths_Private(dg, node, all));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) *deep = (PetscBool)(*deep && all[e] > 0.);
  PetscCall(PetscFree2(node, all));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, deep, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
