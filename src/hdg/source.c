/*
  Moments of the source of a hybridized DG method, f[Ne][Np] = (phi_i, f) by quadrature; of elasticity [Ne][dim][Nu].

  A pointwise function of PETSc whose source is known is evaluated by cuda/hdg/source.cu where the backend has kernels,
  pointdata.c; all others by the host, one point after the other, and their moments copied.
*/
#include "elastic.h" /*I "plexgpuhdg.h" I*/
#include "points.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */

/*@C
  PlexHDGSetSource - Sets the right-hand side f of the equation

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. func - gives f, one number, or of `PLEX_HDG_ELASTICITY` the dim components of a force per volume, at a point;
         `NULL`: zero
- ctx  - its context

  Level: beginner

  Notes:
  It is evaluated on the host, at the points of a quadrature that is exact to degree 2 P + 3 in each element.
  `PlexHDGSetSourcePoint()` is for functions that are evaluated where the discretization is computed.

  Called again, it costs the evaluation of the new function, and `PlexHDGSolve()` after it a right-hand side, a solve of
  the trace and the recovery: K and the preconditioner stay.

.seealso: `PlexHDG`, `PlexHDGGetSource()`, `PlexHDGSetSourcePoint()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGSetSource(PlexHDG hdg, PlexHDGFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_SOURCE;
  hdg->source    = func;
  hdg->sourceCtx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetSource - Gets the function that gives the right-hand side f of the equation

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func - the function; `NULL`: zero, or a function of `PlexHDGSetSourcePoint()`; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSetSource()`
@*/
PetscErrorCode PlexHDGGetSource(PlexHDG hdg, PlexHDGFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_SOURCE) ? NULL : hdg->source;
  if (ctx) *ctx = hdg->sourceCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The source at a point of an element, finite; value[components] */
static PetscErrorCode PlexHDGEvaluateSource(PlexHDG hdg, PetscInt e, const PetscReal x[], PetscScalar value[])
{
  const PetscInt dim = hdg->mesh->dim, n = PlexHDGComponents(hdg);
  PetscInt       wrong = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < n; ++c) value[c] = 0.;
  PetscCall((*hdg->source)(dim, x, n, value, hdg->sourceCtx));
  while (wrong < n - 1 && PetscAbsScalar(value[wrong]) <= PETSC_MAX_REAL) ++wrong;
  PetscCheck(PetscAbsScalar(value[wrong]) <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The source is %g in cell %" PetscInt_FMT " at (%g, %g, %g): see PlexHDGSetSource()",
             (double)PetscRealPart(value[wrong]), hdg->mesh->cells[e], (double)x[0], (double)x[1],
             dim == 3 ? (double)x[2] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements first .. end by the host, moments[end - first][components][functions of one] */
static PetscErrorCode PlexHDGSourceHost(PlexHDG hdg, PetscInt first, PetscInt end, PetscReal moments[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv, components = PlexHDGComponents(hdg),
                   n   = hdg->elastic ? hdg->elastic->Nu : R->Np;
  const PetscReal *phi = hdg->elastic ? hdg->elastic->U : R->phi;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = first; e < end; ++e) {
    PetscReal *f = &moments[(size_t)(e - first) * components * n], det = 0.;

    for (PetscInt i = 0; i < components * n; ++i) f[i] = 0.;
    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal   x[3], J[3][3], C[3][3];
      PetscScalar value[3];

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
      if (!q || !PlexHDGMeshIsAffine(mesh, e)) det = PlexCofactors(dim, J, C);
      PetscCall(PlexHDGEvaluateSource(hdg, e, x, value));
      for (PetscInt c = 0; c < components; ++c) {
        const PetscReal w = R->weights[q] * det * PetscRealPart(value[c]);

        for (PetscInt i = 0; i < n; ++i) f[c * n + i] += w * phi[q * n + i];
      }
    }
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An element by the host, for an error that says at which point the source is wrong */
static PetscErrorCode PlexHDGCheckSource(PlexHDG hdg, PetscInt e, const PetscScalar u[])
{
  PetscReal *moments;

  PetscFunctionBegin;
  (void)u;
  PetscCall(PetscMalloc1(hdg->reference->Np, &moments));
  PetscCall(PlexHDGSourceHost(hdg, e, e + 1, moments));
  PetscCall(PetscFree(moments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetSource_Private(PlexHDG hdg)
{
  const size_t n     = (size_t)hdg->mesh->Ne * (hdg->elastic ? hdg->mesh->dim * hdg->elastic->Nu : hdg->reference->Np),
               bytes = sizeof(double) * n;
  PetscReal   *moments;

  PetscFunctionBegin;
  hdg->args.f = NULL;
  if (!hdg->source) PetscFunctionReturn(PETSC_SUCCESS);
  if (PlexHDGPointRuns_Private(hdg, PLEX_HDG_POINT_SOURCE)) {
    if (!hdg->moments) PetscCall(PlexHDGAllocate(hdg, bytes, (void **)&hdg->moments));
    PetscCall(PlexHDGPointSource_Private(hdg, PlexHDGCheckSource));
  } else {
    PetscCall(PetscMalloc1(n, &moments));
    PetscCall(PlexHDGSourceHost(hdg, 0, hdg->mesh->Ne, moments));
    PetscCall(PlexHDGUpdate_Private(hdg, moments, bytes, (const void **)&hdg->moments));
    PetscCall(PetscFree(moments));
  }
  hdg->args.f = hdg->moments;
  PetscFunctionReturn(PETSC_SUCCESS);
}
