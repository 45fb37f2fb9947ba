/*
  kappa, lambda and tau of a hybridized DG method's elements.

  tau is by default

    n . kappa n (6/L + 0.1/max(sqrt(n . kappa n/lambda), 2h/P)),  L = min(2 dim V/A, V^(1/dim))

  on a face with normal n of an element of height h above it, V the volume of the domain and A that of its boundary: L
  is the side of a square or cube. The best tau is kappa over a length in which u changes: errors are as (1 + kappa
  k/tau) h^(P+1) of u and (1 + tau/(kappa k)) h^(P+1) of q for waves of number k. That is no length of the mesh, since
  tau of the order of kappa/h costs q an order; the layers of lambda are another one once elements resolve them. The
  numbers are from measurements, docs/hdg.md. Waves of lambda < 0 have the number k = sqrt(-lambda/n . kappa n), and tau
  is n . kappa n max(6/L, k). Where kappa is zero, beside convection, it is a hundredth of the largest velocity: it holds
  the trace of faces along the flow.
*/
#include "points.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors() */

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

/* tau of face f by kappa, lambda and lengths */
static PetscReal PlexHDGDefaultTau(PlexHDG hdg, const PlexHDGCenters *c, PetscInt f, const PetscReal kappa[],
                                   PetscReal reaction)
{
  const PetscInt   dim = hdg->mesh->dim;
  const PetscReal *n   = c->normal[f];
  PetscReal        kn = 0., inverse = 6. / hdg->length;

  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt k = 0; k < dim; ++k) kn += n[d] * kappa[d * dim + k] * n[k];
  if (kn == 0.) return hdg->tauFactor * 0.01 * hdg->speed;
  if (reaction > 0.) inverse += 0.1 / PetscMax(PetscSqrtReal(kn / reaction), 2. * c->height[f] / hdg->degree);
  if (reaction < 0.) inverse = PetscMax(inverse, PetscSqrtReal(-reaction / kn));
  return hdg->tauFactor * kn * inverse;
}

/* tau[faces] of an element by default; where there is one number for all, or a function, these have the last word */
PetscErrorCode PlexHDGCheckTau_Private(PlexHDG hdg, PetscInt cell, const PlexHDGCenters *c, PetscReal tau[])
{
  const PetscInt *cone = NULL;

  PetscFunctionBegin;
  if (hdg->stabilization) PetscCall(DMPlexGetCone(hdg->dm, cell, &cone));
  for (PetscInt f = 0; f < hdg->mesh->faces; ++f) {
    const PetscReal *x = c->x[f + 1];

    if (hdg->tauGiven) tau[f] = hdg->tau;
    if (cone) PetscCall((*hdg->stabilization)(hdg->mesh->dim, x, cell, cone[f], &tau[f], hdg->stabilizationCtx));
    if (!(tau[f] > 0. && tau[f] <= PETSC_MAX_REAL)) PetscCall(DMPlexGetCone(hdg->dm, cell, &cone));
    PetscCheck(tau[f] > 0. && tau[f] <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "tau of face %" PetscInt_FMT " of cell %" PetscInt_FMT
               ", (%g, %g, %g), is %g and has to be positive: see PlexHDGSetStabilization() and -plex_hdg_tau",
               cone[f], cell, (double)x[0], (double)x[1], (double)x[2], (double)tau[f]);
    hdg->tauRange[0] = PetscMin(hdg->tauRange[0], tau[f]);
    hdg->tauRange[1] = PetscMax(hdg->tauRange[1], tau[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau of an element's faces, of its kappa and lambda */
static PetscErrorCode PlexHDGSetElementTau(PlexHDG hdg, PetscInt cell, const PlexHDGCenters *c, const PetscReal kappa[],
                                           PetscReal reaction, PetscReal tau[])
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < hdg->mesh->faces; ++f) tau[f] = PlexHDGDefaultTau(hdg, c, f, kappa, reaction);
  PetscCall(PlexHDGCheckTau_Private(hdg, cell, c, tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all of kappa is zero, which convection allows */
static PetscBool PlexHDGIsZero(PetscInt dim, const PetscReal kappa[])
{
  for (PetscInt k = 0; k < dim * dim; ++k)
    if (kappa[k] != 0.) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* kappa and lambda of an element; x[dim] its center. What options say takes the place of what the function says */
static PetscErrorCode PlexHDGSetElementKappa(PlexHDG hdg, PetscInt cell, const PetscReal x[], PetscReal kappa[],
                                             PetscReal *reaction)
{
  const PetscInt dim = hdg->mesh->dim;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim * dim; ++k) kappa[k] = k % (dim + 1) ? 0. : hdg->kappa;
  *reaction = hdg->reaction;
  if (hdg->coefficient) PetscCall((*hdg->coefficient)(dim, x, cell, kappa, reaction, hdg->coefficientCtx));
  for (PetscInt k = 0; hdg->kappaForced && k < dim * dim; ++k) kappa[k] = k % (dim + 1) ? 0. : hdg->kappa;
  if (hdg->reactionForced) *reaction = hdg->reaction;
  PetscCheck(PlexHDGIsPositive(dim, kappa) || (hdg->convects && PlexHDGIsZero(dim, kappa)), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE,
             "kappa of cell %" PetscInt_FMT
             ", (%g, %g, %g), is not symmetric and positive definite%s; its first number "
             "is %g: see PlexHDGSetCoefficients() and -plex_hdg_kappa",
             cell, (double)x[0], (double)x[1], (double)x[2], hdg->convects ? ", nor zero" : "", (double)kappa[0]);
  PetscCheck(PetscAbsReal(*reaction) <= PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "lambda of cell %" PetscInt_FMT ", (%g, %g, %g), is %g and has to be finite: see "
             "PlexHDGSetCoefficients() and -plex_hdg_lambda",
             cell, (double)x[0], (double)x[1], (double)x[2], (double)*reaction);
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
        for (PetscInt l = 0; l < dim; ++l)
          result[i * dim + j] -= inverse[i * dim + k] * slope[k * dim + l] * inverse[l * dim + j];
    }
  }
}

/* kappa[dim][dim] at point q of element e, and in slope its derivative by u, where u[Np] of the element (NULL: zero) has
   its value */
static PetscErrorCode PlexHDGGetKappa(PlexHDG hdg, PetscInt e, PetscInt q, const PetscReal shape[],
                                      const PetscReal dshape[], const PetscScalar u[], PetscReal kappa[],
                                      PetscReal slope[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;
  PetscReal        x[3] = {0., 0., 0.}, J[3][3], value = 0.;

  PetscFunctionBegin;
  PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
  for (PetscInt i = 0; u && i < R->Np; ++i) value += R->phi[q * R->Np + i] * PetscRealPart(u[i]);
  for (PetscInt k = 0; k < dim * dim; ++k) kappa[k] = slope[k] = 0.;
  PetscCall((*hdg->point)(dim, x, value, kappa, slope, hdg->pointCtx));
  PetscCheck(PlexHDGIsPositive(dim, kappa), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "kappa in cell %" PetscInt_FMT " at (%g, %g, %g), where u is %g, is not symmetric and positive "
             "definite; its first number is %g: see PlexHDGSetPointwise()",
             mesh->cells[e], (double)x[0], (double)x[1], (double)x[2], (double)value, (double)kappa[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An element by the host, for an error that says at which point a value is wrong */
static PetscErrorCode PlexHDGCheckKappa(PlexHDG hdg, PetscInt e, const PetscScalar u[])
{
  PetscReal *shape, *dshape, kappa[9], slope[9];

  PetscFunctionBegin;
  PetscCall(PlexHDGTabulate_Private(hdg->mesh, hdg->reference->Nq, hdg->reference->points, &shape, &dshape));
  for (PetscInt q = 0; q < hdg->reference->Nq; ++q)
    PetscCall(PlexHDGGetKappa(hdg, e, q, shape, dshape, u, kappa, slope));
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa at points where u[Ne][Np], on the host (NULL: zero), has its values, with slope the derivative of its inverse;
   means[Ne][dim][dim] over the points of an element, unless it is NULL */
static PetscErrorCode PlexHDGSetPoints(PlexHDG hdg, const PetscScalar u[], PetscBool slope, PetscReal means[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, size = dim * dim;
  const size_t     n = (size_t)mesh->Ne * R->Nq * size;
  PetscReal       *kappa, *inverse, *dinverse, *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &kappa, n, &inverse, slope ? n : 0, &dinverse));
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (size_t k = 0; means && k < (size_t)mesh->Ne * size; ++k) means[k] = 0.;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt q = 0; q < R->Nq; ++q) {
      const size_t at = ((size_t)e * R->Nq + q) * size;
      PetscReal    d[9];

      PetscCall(PlexHDGGetKappa(hdg, e, q, shape, dshape, u ? &u[(size_t)e * R->Np] : NULL, &kappa[at], d));
      PlexHDGInvertKappa(dim, &kappa[at], &inverse[at]);
      if (slope) PlexHDGInverseSlope(dim, &inverse[at], d, &dinverse[at]);
      for (PetscInt k = 0; means && k < size; ++k) means[(size_t)e * size + k] += kappa[at + k] / R->Nq;
    }
  }
  if (hdg->nonlinear)
    PetscCall(PlexHDGUpdate_Private(hdg, kappa, sizeof(double) * n, (const void **)&hdg->args.kappaq));
  else PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_POINTS, kappa, n, &hdg->args.kappaq));
  PetscCall(PlexHDGUpdate_Private(hdg, inverse, sizeof(double) * n, (const void **)&hdg->args.kinv));
  if (slope) PetscCall(PlexHDGUpdate_Private(hdg, dinverse, sizeof(double) * n, (const void **)&hdg->args.dkinv));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree3(kappa, inverse, dinverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexHDG                    hdg;
  const PlexHDGCenterPoints *P;
  const PetscReal           *means; /* or NULL */
  PetscReal                 *kappa, *reaction, *tau;
  PlexLowest                 wrong; /* the first element with a value that is an error */
} PlexHDGElementValues;

static PetscBool PlexHDGTauIsGood(PetscReal tau)
{
  return (PetscBool)(tau > 0. && tau <= PETSC_MAX_REAL);
}

/* Elements where no function is called: what PlexHDGSetElementKappa() and PlexHDGSetElementTau() give */
static void PlexHDGElementValuesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGElementValues *v   = (PlexHDGElementValues *)ctx;
  PlexHDG               hdg = v->hdg;
  const PetscInt        dim = hdg->mesh->dim, size = dim * dim, faces = hdg->mesh->faces;

  for (PetscInt e = begin; e < end; ++e) {
    PetscReal       *own = &v->kappa[(size_t)e * size], *tau = &v->tau[(size_t)e * faces];
    const PetscReal *kappa = v->means ? &v->means[(size_t)e * size] : own;
    PlexHDGCenters   c;

    for (PetscInt k = 0; k < size; ++k) own[k] = k % (dim + 1) ? 0. : hdg->kappa;
    v->reaction[e] = hdg->reaction;
    if (!hdg->tauGiven) PlexHDGGetCenters_Private(hdg, v->P, e, &c);
    for (PetscInt f = 0; f < faces; ++f) {
      tau[f] = hdg->tauGiven ? hdg->tau : PlexHDGDefaultTau(hdg, &c, f, kappa, hdg->reaction);
      if (!PlexHDGTauIsGood(tau[f])) PlexLowestPut(&v->wrong, e);
    }
  }
}

/* The values of an element; functions are called, and errors said */
static PetscErrorCode PlexHDGSetElement(PlexHDGElementValues *v, PetscInt e)
{
  PlexHDG        hdg  = v->hdg;
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt size = PetscSqr(mesh->dim);
  PetscReal     *own  = &v->kappa[(size_t)e * size];
  PlexHDGCenters c;

  PetscFunctionBegin;
  PlexHDGGetCenters_Private(hdg, v->P, e, &c);
  PetscCall(PlexHDGSetElementKappa(hdg, mesh->cells[e], c.x[0], own, &v->reaction[e]));
  PetscCall(PlexHDGSetElementTau(hdg, mesh->cells[e], &c, v->means ? &v->means[(size_t)e * size] : own, v->reaction[e],
                                 &v->tau[(size_t)e * mesh->faces]));
  if (v->reaction[e] != 0.) hdg->reacts = PETSC_TRUE;
  if (v->reaction[e] < 0.) hdg->indefinite = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise those of all elements, where there are no functions: in threads, but for the first one and one that is
   wrong */
static PetscErrorCode PlexHDGSetAllElements(PlexHDGElementValues *v)
{
  PlexHDG        hdg = v->hdg;
  const PetscInt Ne = hdg->mesh->Ne, faces = hdg->mesh->faces;
  PetscInt       wrong;

  PetscFunctionBegin;
  if (Ne) PetscCall(PlexHDGSetElement(v, 0)); /* kappa and lambda are those of all */
  PlexLowestInit(&v->wrong, Ne);
  PetscCall(PlexThreadsRun(Ne, PLEX_THREADS_LEAST, PlexHDGElementValuesLoop, v));
  wrong = PlexLowestGet(&v->wrong);
  if (wrong < Ne) PetscCall(PlexHDGSetElement(v, wrong));
  for (size_t k = 0; !hdg->tauGiven && k < (size_t)Ne * faces; ++k) {
    hdg->tauRange[0] = PetscMin(hdg->tauRange[0], v->tau[k]);
    hdg->tauRange[1] = PetscMax(hdg->tauRange[1], v->tau[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa, lambda and tau of all elements; means[Ne][dim][dim] of kappa where it is given at points, else NULL */
static PetscErrorCode PlexHDGSetElements(PlexHDG hdg, const PlexHDGCenterPoints *P, const PetscReal means[])
{
  PlexHDGMesh          mesh = hdg->mesh;
  const PetscInt       size = PetscSqr(mesh->dim), faces = mesh->faces;
  PlexHDGElementValues v = {.hdg = hdg, .P = P, .means = means};

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)mesh->Ne * size, &v.kappa, mesh->Ne, &v.reaction, (size_t)mesh->Ne * faces, &v.tau));
  if (hdg->coefficient || hdg->stabilization)
    for (PetscInt e = 0; e < mesh->Ne; ++e) PetscCall(PlexHDGSetElement(&v, e));
  else PetscCall(PlexHDGSetAllElements(&v));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_KAPPA, v.kappa, (size_t)mesh->Ne * size, &hdg->args.kappa));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_REACTION, v.reaction, mesh->Ne, &hdg->args.reaction));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_TAU, v.tau, (size_t)mesh->Ne * faces, &hdg->args.tau));
  PetscCall(PetscFree2(hdg->reactions, hdg->taus));
  if (hdg->nonlinear && !hdg->tauGiven && !hdg->stabilization) { /* tau follows kappa(u) */
    PetscCall(PetscMalloc2(mesh->Ne, &hdg->reactions, (size_t)mesh->Ne * faces, &hdg->taus));
    PetscCall(PetscArraycpy(hdg->reactions, v.reaction, mesh->Ne));
    PetscCall(PetscArraycpy(hdg->taus, v.tau, (size_t)mesh->Ne * faces));
  }
  PetscCall(PetscFree3(v.kappa, v.reaction, v.tau));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise */
static PetscErrorCode PlexHDGCheckElement(PlexHDG hdg, PetscInt e, const PetscScalar u[])
{
  PetscReal           kappa[9], reaction, tau[PLEX_HDG_MAX_FACES];
  PlexHDGCenterPoints P;
  PlexHDGCenters      c;

  PetscFunctionBegin;
  (void)u;
  PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
  PlexHDGGetCenters_Private(hdg, &P, e, &c);
  PetscCall(PlexHDGSetElementKappa(hdg, hdg->mesh->cells[e], c.x[0], kappa, &reaction));
  PetscCall(PlexHDGSetElementTau(hdg, hdg->mesh->cells[e], &c, kappa, reaction, tau));
  PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetUpCoefficients_Private(PlexHDG hdg)
{
  PlexHDGCenterPoints P;
  PetscReal          *means = NULL;

  PetscFunctionBegin;
  hdg->tauRange[0] = PETSC_MAX_REAL;
  hdg->tauRange[1] = 0.;
  hdg->reacts = hdg->indefinite = PETSC_FALSE;
  if (hdg->system != PLEX_HDG_DIFFUSION) {
    PetscCall(PlexHDGElasticSetMaterial_Private(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGSetConvection_Private(hdg));
  if (PlexHDGPointRunsCoefficients_Private(hdg)) {
    PetscCall(PetscFree2(hdg->reactions, hdg->taus)); /* tau follows kappa(u) by kernels */
    if (hdg->point) PetscCall(PlexHDGPointKappa_Private(hdg, PlexHDGCheckKappa, NULL, hdg->nonlinear));
    PetscCall(PlexHDGPointCoefficients_Private(hdg, PlexHDGCheckElement, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
  if (hdg->whole) { /* of all groups */
    hdg->length = hdg->whole->length;
    hdg->speed  = hdg->whole->speed;
  } else PetscCall(PlexHDGSetLength_Private(hdg, &P));
  if (hdg->point) PetscCall(PetscMalloc1((size_t)hdg->mesh->Ne * PetscSqr(hdg->mesh->dim), &means));
  if (hdg->point) PetscCall(PlexHDGSetPoints(hdg, NULL, hdg->nonlinear, means));
  PetscCall(PlexHDGSetElements(hdg, &P, means));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->indefinite, 1, MPI_C_BOOL, MPI_LOR,
                              PetscObjectComm((PetscObject)hdg)));
  PetscCall(PetscFree(means));
  PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGUpdateCoefficients_Private(PlexHDG hdg)
{
  PlexHDGMesh         mesh = hdg->mesh;
  PlexHDGCenterPoints P;
  PlexHDGCenters      c;
  PetscReal          *reaction, kappa[9];

  PetscFunctionBegin;
  if (!hdg->nonlinear) {
    PetscCall(PlexHDGSetUpCoefficients_Private(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGSetConvection_Private(hdg));
  if (PlexHDGPointRunsCoefficients_Private(hdg)) {
    PetscCall(PlexHDGPointCoefficients_Private(hdg, PlexHDGCheckElement, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
  PetscCall(PetscMalloc1(mesh->Ne, &reaction));
  hdg->reacts = hdg->indefinite = PETSC_FALSE;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PlexHDGGetCenters_Private(hdg, &P, e, &c);
    PetscCall(PlexHDGSetElementKappa(hdg, mesh->cells[e], c.x[0], kappa, &reaction[e]));
    if (reaction[e] != 0.) hdg->reacts = PETSC_TRUE;
    if (reaction[e] < 0.) hdg->indefinite = PETSC_TRUE;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->indefinite, 1, MPI_C_BOOL, MPI_LOR,
                              PetscObjectComm((PetscObject)hdg)));
  if (hdg->reactions) PetscCall(PetscArraycpy(hdg->reactions, reaction, mesh->Ne));
  PetscCall(PlexHDGRenew_Private(hdg, PLEX_HDG_VALUES_REACTION, reaction, mesh->Ne, &hdg->args.reaction));
  PetscCall(PetscFree(reaction));
  PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tau of faces where that of kappa's present means[Ne][dim][dim] is more than twice as large or less than half: it is
   left alone once Newton's method converges */
static PetscErrorCode PlexHDGRenewTau(PlexHDG hdg, const PetscReal means[])
{
  PlexHDGMesh         mesh    = hdg->mesh;
  const PetscInt      size    = PetscSqr(mesh->dim);
  PetscBool           renewed = PETSC_FALSE;
  PlexHDGCenterPoints P;

  PetscFunctionBegin;
  PetscCall(PlexHDGCenterPointsCreate_Private(hdg, &P));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal     *own = &hdg->taus[(size_t)e * mesh->faces], tau[PLEX_HDG_MAX_FACES];
    PlexHDGCenters c;

    PlexHDGGetCenters_Private(hdg, &P, e, &c);
    PetscCall(PlexHDGSetElementTau(hdg, mesh->cells[e], &c, &means[(size_t)e * size], hdg->reactions[e], tau));
    for (PetscInt f = 0; f < mesh->faces; ++f) {
      if (tau[f] <= 2. * own[f] && own[f] <= 2. * tau[f]) continue;
      own[f]  = tau[f];
      renewed = PETSC_TRUE;
    }
  }
  if (renewed)
    PetscCall(PlexHDGUpdate_Private(hdg, hdg->taus, sizeof(double) * mesh->Ne * mesh->faces,
                                    (const void **)&hdg->args.tau));
  PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGUpdatePoints_Private(PlexHDG hdg, const PetscScalar u[], PetscBool slope, PetscBool tau)
{
  const size_t n     = (size_t)hdg->mesh->Ne * hdg->reference->Np;
  PetscReal   *means = NULL;
  PetscScalar *copy;

  PetscFunctionBegin;
  if (PlexHDGPointRunsCoefficients_Private(hdg)) {
    PetscCall(PlexHDGPointKappa_Private(hdg, PlexHDGCheckKappa, u, slope));
    if (tau && !hdg->tauGiven) PetscCall(PlexHDGPointRenewTau_Private(hdg, PlexHDGCheckElement));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &copy));
  PetscCall(PlexBackendCopyOut(hdg->backend, copy, u, sizeof(*copy) * n));
  if (tau && hdg->taus) PetscCall(PetscMalloc1((size_t)hdg->mesh->Ne * PetscSqr(hdg->mesh->dim), &means));
  PetscCall(PlexHDGSetPoints(hdg, copy, slope, means));
  if (means) PetscCall(PlexHDGRenewTau(hdg, means));
  PetscCall(PetscFree(means));
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
