/*
  Velocities in H(div) without divergence, of a velocity u and a trace t of Stokes's or Navier-Stokes equations.

  Of all v of degree P + 1 in an element whose normal components on its faces are

    v . n = t . n + (1 - Pi) (u+ + u-) . n/2,    on the boundary t . n + (1 - Pi) u . n

  (Pi the projection to degree P on a face) and whose divergence is zero, the one that is nearest to u. t . n and the mean of
  both sides are the same for both elements, so that v is in H(div). As t has no flow out of an element, and the rest of the
  normal component has no mean, there is such a v. The normal components have order P + 2, as u and Pi u - t have, and so has
  v: that is what B. Cockburn, J. Gopalakrishnan, N. C. Nguyen, J. Peraire and F.-J. Sayas, Analysis of HDG methods for Stokes
  flow, Math. Comp. 80 (2011), 723-760, section 2.3, get for the spaces there by Brezzi, Douglas and Marini's functions of
  degree P + 1, whose degrees of freedom are the normal components, moments with gradients, which are the divergence's, and
  others, which are here what is left.

  Nearest is meant on the reference element, for the field J v/det of Piola: normal components and divergences are there what
  they are in the element, so that all elements have one matrix, C^T (C C^T)^-1, C the conditions on the coefficients of
  orthonormal functions. Another length would give another v of the same order.
*/
#include "solenoidal.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */

/* to[Ne][faces][dim Nf] of a trace; on faces without unknowns fixed[nfixed][dim Nf], NULL: zero */
static PetscErrorCode PlexHDGSolenoidalSpread(PlexHDG hdg, Vec trace, const PetscReal fixed[], PetscReal to[])
{
  PlexHDGMesh        mesh = hdg->mesh;
  const PetscInt     n = PlexHDGBlockSize(hdg), unknown = mesh->nown + mesh->nghost;
  const PetscScalar *own, *ghosts                       = NULL;

  PetscFunctionBegin;
  if (hdg->scatter) {
    PetscCall(VecScatterBegin(hdg->scatter, trace, hdg->ghosts, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(hdg->scatter, trace, hdg->ghosts, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(hdg->ghosts, &ghosts));
  }
  PetscCall(VecGetArrayRead(trace, &own));
  for (size_t row = 0; row < (size_t)mesh->Ne * mesh->faces; ++row) {
    const PetscInt l = mesh->face[row];

    for (PetscInt k = 0; k < n; ++k)
      to[row * n + k] = l < mesh->nown ? PetscRealPart(own[(size_t)l * n + k])
                      : l < unknown    ? PetscRealPart(ghosts[(size_t)(l - mesh->nown) * n + k])
                      : fixed          ? fixed[(size_t)(l - unknown) * n + k]
                                       : 0.;
  }
  PetscCall(VecRestoreArrayRead(trace, &own));
  if (hdg->scatter) PetscCall(VecRestoreArrayRead(hdg->ghosts, &ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolenoidalSetTrace_Private(PlexHDG hdg, Vec trace)
{
  PlexHDGMesh    mesh = hdg->mesh;
  PlexHDGElastic el   = hdg->elastic;
  PetscReal     *to   = hdg->stokes->solenoidal->trace, *fixed, *held;
  const PetscInt n = PlexHDGBlockSize(hdg), Nf = hdg->reference->Nf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(mesh->nfixed * n, &fixed, el->nheld * n, &held));
  if (mesh->nfixed)
    PetscCall(PlexBackendCopyOut(hdg->backend, fixed, hdg->args.fixed, sizeof(double) * mesh->nfixed * n));
  if (el->nheld) PetscCall(PlexBackendCopyOut(hdg->backend, held, el->args.known, sizeof(double) * el->nheld * n));
  PetscCall(PlexHDGSolenoidalSpread(hdg, trace, fixed, to));
  for (PetscInt row = 0; el->held && row < mesh->Ne * mesh->faces; ++row) {
    const int at = el->held[row];

    for (PetscInt k = 0; at >= 0 && k < n; ++k)
      if (el->bits[at] >> (k / Nf) & 1) to[(size_t)row * n + k] = held[(size_t)at * n + k];
  }
  PetscCall(PetscFree2(fixed, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b[Ne][faces][dim Nf], and behind it room for what is received, becomes the sum of both sides of a face */
static PetscErrorCode PlexHDGSolenoidalSum(PlexHDG hdg, PetscReal b[])
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt n    = PlexHDGBlockSize(hdg);
  const size_t   rows = (size_t)mesh->Ne * mesh->faces;
  PetscScalar   *sums;

  PetscFunctionBegin;
  if (rows) PetscCall(PlexBackendCopyIn(hdg->backend, hdg->args.b, b, sizeof(double) * rows * n));
  PetscCall(PlexHDGExchangeFluxes_Private(hdg));
  if (mesh->nreceived)
    PetscCall(PlexBackendCopyOut(hdg->backend, b + rows * n, hdg->args.b + rows * n,
                                 sizeof(double) * mesh->nreceived * n));
  PetscCall(VecZeroEntries(hdg->stokes->solenoidal->sums));
  PetscCall(VecGetArray(hdg->stokes->solenoidal->sums, &sums));
  for (size_t row = 0; row < rows + mesh->nreceived; ++row) {
    const PetscInt l = row < rows ? mesh->face[row] : mesh->receivedFace[row - rows];

    for (PetscInt k = 0; l < mesh->nown && k < n; ++k) sums[(size_t)l * n + k] += b[row * n + k];
  }
  PetscCall(VecRestoreArray(hdg->stokes->solenoidal->sums, &sums));
  PetscCall(PlexHDGSolenoidalSpread(hdg, hdg->stokes->solenoidal->sums, NULL, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolenoidalShare_Private(PlexHDG hdg, const PetscReal u[], PetscBool all)
{
  PlexHDGReference  R    = hdg->reference;
  PlexHDGMesh       mesh = hdg->mesh;
  PlexHDGSolenoidal s    = hdg->stokes->solenoidal;
  const PetscInt    dim = R->dim, NF = s->NF, Nf = R->Nf, Nu = hdg->elastic->Nu, high = NF - Nf;
  const size_t      rows = (size_t)mesh->Ne * mesh->faces;
  PetscReal        *b;

  PetscFunctionBegin;
  for (size_t row = 0; row < rows; ++row) {
    const PetscReal *M = &s->moments[(row % mesh->faces * R->turns + mesh->turns[row]) * NF * Nu];

    for (PetscInt d = 0; d < dim; ++d) {
      const PetscReal *v = &u[(row / mesh->faces * dim + d) * Nu];

      for (PetscInt m = 0; m < NF; ++m) {
        PetscReal sum = 0.;

        for (PetscInt j = 0; j < Nu; ++j) sum += M[m * Nu + j] * v[j];
        s->own[(row * dim + d) * NF + m] = sum;
      }
    }
  }
  PetscCall(PetscArraycpy(s->other, s->own, rows * dim * NF));
  PetscCall(PetscMalloc1((rows + mesh->nreceived) * dim * Nf, &b));
  for (int low = 0; low < (all ? 2 : 1);
       ++low) { /* high ones first: those of degree P + 1 alone, which are never more */
    const PetscInt first = low ? 0 : Nf, n = low ? Nf : high;

    PetscCall(PetscArrayzero(b, rows * dim * Nf));
    for (size_t k = 0; k < rows * dim; ++k) PetscCall(PetscArraycpy(&b[k * Nf], &s->own[k * NF + first], n));
    PetscCall(PlexHDGSolenoidalSum(hdg, b));
    for (size_t k = 0; k < rows * dim; ++k)
      for (PetscInt m = 0; !s->outer[k / dim] && m < n; ++m)
        s->other[k * NF + first + m] = b[k * Nf + m] - s->own[k * NF + first + m];
  }
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexHDGSolenoidalElementSet_Private(PlexHDG hdg, PetscInt e, PlexHDGSolenoidalElement *el)
{
  static const PetscReal center[3] = {0., 0., 0.};
  PlexHDGReference       R         = hdg->reference;
  PetscReal              x[3];

  PlexHDGMeshMap_Private(hdg->mesh, e, center, NULL, NULL, x, el->J);
  el->det = PlexCofactors(R->dim, el->J, el->C);
  for (PetscInt f = 0; f < R->faces; ++f) {
    for (PetscInt d = 0; d < R->dim; ++d) {
      el->normal[f][d] = 0.;
      for (PetscInt a = 0; a < R->dim; ++a) el->normal[f][d] += el->C[a][d] * R->normal[f][a];
    }
  }
}

void PlexHDGSolenoidalProject_Private(PlexHDG hdg, PetscInt e, const PlexHDGSolenoidalElement *el, const PetscReal u[],
                                      PetscReal flux[], PetscReal v[], PetscReal work[])
{
  PlexHDGReference  R   = hdg->reference;
  PlexHDGSolenoidal s   = hdg->stokes->solenoidal;
  const PetscInt    dim = R->dim, NF = s->NF, Nf = R->Nf, Nu = hdg->elastic->Nu, first = R->faces * NF;
  PetscReal        *c = work, *w = work + s->nc; /* conditions, and the reference element's field */

  for (PetscInt k = 0; k < s->nc; ++k) c[k] = 0.;
  for (PetscInt f = 0; f < R->faces; ++f) {
    const size_t     row  = (size_t)e * R->faces + f;
    const PetscReal *turn = &s->turn[hdg->mesh->turns[row] * NF * NF];

    for (PetscInt m = 0; m < NF; ++m) {
      PetscReal difference = 0.;

      flux[f * NF + m] = 0.;
      for (PetscInt d = 0; d < dim; ++d) {
        const PetscReal own = s->own[(row * dim + d) * NF + m], other = s->other[(row * dim + d) * NF + m],
                        target = m < Nf ? s->trace[(row * dim + d) * Nf + m] : 0.5 * (own + other);

        flux[f * NF + m] += el->normal[f][d] * target;
        difference += el->normal[f][d] * (target - own);
      }
      for (PetscInt k = 0; k < NF; ++k) c[f * NF + k] += turn[k * NF + m] * difference;
    }
  }
  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt j = 0; j < Nu; ++j) {
      PetscReal sum = 0.;

      for (PetscInt d = 0; d < dim; ++d) sum += el->C[a][d] * u[d * Nu + j];
      for (PetscInt i = 0; i < R->Np - 1; ++i) c[first + i] -= s->divergence[(a * (R->Np - 1) + i) * Nu + j] * sum;
    }
  }
  for (PetscInt k = 0; k < dim * Nu; ++k) w[k] = 0.;
  for (PetscInt r = 0; r < s->nc; ++r)
    for (PetscInt k = 0; k < dim * Nu; ++k) w[k] += c[r] * s->solve[r * dim * Nu + k];
  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt j = 0; j < Nu; ++j) {
      v[d * Nu + j] = u[d * Nu + j];
      for (PetscInt a = 0; a < dim; ++a) v[d * Nu + j] += el->J[d][a] * w[a * Nu + j] / el->det;
    }
  }
}
