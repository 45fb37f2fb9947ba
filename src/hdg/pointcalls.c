/*
  How the host calls a hybridized DG method's pointwise functions of PETSc, and when kernels evaluate them instead.

  A discretization calls functions of the program. Those here take their places, with the discretization as their context,
  and call a pointwise function. Where its source is known and the backend has kernels, these evaluate it, pointdata.c.
*/
#include "points.h"

static void PlexHDGCallPoint(PlexHDG hdg, PlexHDGPointRole role, PetscPointFn *func, PetscInt dim, const PetscReal x[],
                             const PetscScalar u[], PetscScalar f[])
{
  const PlexHDGPoint *p      = &hdg->points[role];
  const PetscInt      uOff[] = {0, 1}, uOff_x[] = {0, dim};

  (*func)(dim, u ? 1 : 0, 0, u ? uOff : NULL, u ? uOff_x : NULL, u, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
          hdg->time ? *hdg->time : 0., x, p->n, p->constants, f);
}

PetscErrorCode PlexHDGCallSource_Private(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PlexHDG hdg = (PlexHDG)ctx;

  PetscFunctionBegin;
  (void)n;
  PlexHDGCallPoint(hdg, PLEX_HDG_POINT_SOURCE, hdg->points[PLEX_HDG_POINT_SOURCE].func, dim, x, NULL, f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCallCoefficients_Private(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                               PetscReal *lambda, void *ctx)
{
  PlexHDG     hdg = (PlexHDG)ctx;
  PetscScalar f[10];

  PetscFunctionBegin;
  (void)cell;
  for (PetscInt k = 0; k < dim * dim; ++k) f[k] = kappa[k];
  f[dim * dim] = *lambda;
  PlexHDGCallPoint(hdg, PLEX_HDG_POINT_COEFFICIENTS, hdg->points[PLEX_HDG_POINT_COEFFICIENTS].func, dim, x, NULL, f);
  for (PetscInt k = 0; k < dim * dim; ++k) kappa[k] = PetscRealPart(f[k]);
  *lambda = PetscRealPart(f[dim * dim]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCallKappa_Private(PetscInt dim, const PetscReal x[], PetscReal value, PetscReal kappa[],
                                        PetscReal slope[], void *ctx)
{
  PlexHDG             hdg  = (PlexHDG)ctx;
  const PlexHDGPoint *p    = &hdg->points[PLEX_HDG_POINT_KAPPA];
  const PetscScalar   u[]  = {value};
  PetscScalar         f[9] = {0.}, g[9] = {0.};

  PetscFunctionBegin;
  PlexHDGCallPoint(hdg, PLEX_HDG_POINT_KAPPA, p->func, dim, x, u, f);
  if (p->slope) PlexHDGCallPoint(hdg, PLEX_HDG_POINT_KAPPA, p->slope, dim, x, u, g);
  for (PetscInt k = 0; k < dim * dim; ++k) {
    kappa[k] = PetscRealPart(f[k]);
    slope[k] = PetscRealPart(g[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCallVelocity_Private(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  PlexHDG     hdg  = (PlexHDG)ctx;
  PetscScalar f[3] = {0., 0., 0.};

  PetscFunctionBegin;
  PlexHDGCallPoint(hdg, PLEX_HDG_POINT_VELOCITY, hdg->points[PLEX_HDG_POINT_VELOCITY].func, dim, x, NULL, f);
  for (PetscInt d = 0; d < dim; ++d) beta[d] = PetscRealPart(f[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexHDGHasPoint_Private(PlexHDG hdg, PlexHDGPointRole role)
{
  return (PetscBool)(role == PLEX_HDG_POINT_SOURCE         ? hdg->source == PlexHDGCallSource_Private
                     : role == PLEX_HDG_POINT_COEFFICIENTS ? hdg->coefficient == PlexHDGCallCoefficients_Private
                     : role == PLEX_HDG_POINT_KAPPA        ? hdg->point == PlexHDGCallKappa_Private
                                                           : hdg->convection == PlexHDGCallVelocity_Private);
}

/* Kernels can evaluate functions */
static PetscBool PlexHDGPointsRun(PlexHDG hdg)
{
  return (PetscBool)(hdg->sourceFiles && hdg->backend->kernels && hdg->system == PLEX_HDG_DIFFUSION);
}

PetscBool PlexHDGPointRunsCoefficients_Private(PlexHDG hdg)
{
  const PetscBool coefficients = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_COEFFICIENTS),
                  kappa        = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_KAPPA),
                  velocity     = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_VELOCITY);

  return (PetscBool)(PlexHDGPointsRun(hdg) && (coefficients || kappa || velocity) && !hdg->stabilization &&
                     (coefficients || !hdg->coefficient) && (kappa || !hdg->point));
}

PetscBool PlexHDGPointRuns_Private(PlexHDG hdg, PlexHDGPointRole role)
{
  if (role == PLEX_HDG_POINT_COEFFICIENTS || role == PLEX_HDG_POINT_KAPPA)
    return (PetscBool)(PlexHDGHasPoint_Private(hdg, role) && PlexHDGPointRunsCoefficients_Private(hdg));
  return (PetscBool)(PlexHDGHasPoint_Private(hdg, role) && PlexHDGPointsRun(hdg));
}

/* A later condition has the same label and value */
static PetscBool PlexHDGConditionIsHidden(PlexHDG hdg, PetscInt k)
{
  const PlexHDGCondition *c = &hdg->conditions[k];

  for (PetscInt l = k + 1; l < hdg->nconditions; ++l) {
    const PlexHDGCondition *later = &hdg->conditions[l];

    if (c->value == later->value && !c->label == !later->label && (!c->label || !strcmp(c->label, later->label)))
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool PlexHDGPointRunsBoundary_Private(PlexHDG hdg)
{
  PetscInt n = 0;

  if (!PlexHDGPointsRun(hdg)) return PETSC_FALSE;
  for (PetscInt k = 0; k < hdg->nconditions; ++k) {
    if (PlexHDGConditionIsHidden(hdg, k)) continue;
    if (hdg->conditions[k].func && !hdg->conditions[k].point) return PETSC_FALSE;
    n += hdg->conditions[k].point != NULL;
  }
  return (PetscBool)(n > 0);
}
