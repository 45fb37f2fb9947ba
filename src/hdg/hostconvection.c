/* Convection in an element's matrix and residual on the host: what cuda/hdg/convection.cuh computes, with its formulas */
#include "host.h"

/* flow . grad phi_i at point q */
static PetscReal PlexHDGElementAlong(const PlexHDGElement *el, const PetscReal flow[], PetscInt q, PetscInt i)
{
  PlexHDGReference R   = el->hdg->reference;
  PetscReal        sum = 0.;

  for (PetscInt a = 0; a < el->dim; ++a) sum += flow[q * el->dim + a] * R->dphi[(a * R->Nq + q) * el->Np + i];
  return sum;
}

static const PetscReal *PlexHDGElementFlow(const PlexHDGElement *el)
{
  return &el->args->flow[(size_t)el->e * el->hdg->reference->Nq * el->dim];
}

static const PetscReal *PlexHDGElementFlowFace(const PlexHDGElement *el)
{
  return &el->args->flowFace[(size_t)el->e * el->faces * el->hdg->reference->Nqf * 4];
}

/* A[n][n] += convection in the element; by columns */
static void PlexHDGElementAddFlow(const PlexHDGElement *el, PetscReal A[])
{
  PlexHDGReference R            = el->hdg->reference;
  const PetscReal *flow         = PlexHDGElementFlow(el);
  const PetscBool  conservative = (PetscBool)(el->hdg->convectionForm == PLEX_HDG_CONSERVATIVE);

  for (PetscInt q = 0; q < R->Nq; ++q) {
    const PetscReal *phi = &R->phi[q * el->Np];

    for (PetscInt j = 0; j < el->Np; ++j) {
      const PetscReal along = PlexHDGElementAlong(el, flow, q, j);

      for (PetscInt i = 0; i < el->Np; ++i) {
        if (conservative) A[i * el->n + j] -= phi[i] * along;
        else A[j * el->n + i] += phi[i] * along;
      }
    }
  }
}

void PlexHDGElementAddConvection_Private(const PlexHDGElement *el, PetscReal A[])
{
  PlexHDGReference R    = el->hdg->reference;
  const PetscReal *face = PlexHDGElementFlowFace(el);
  const PetscInt   Np = el->Np, Nf = el->Nf, n = el->n;

  PlexHDGElementAddFlow(el, A);
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscInt   f   = k / R->Nqf;
    const PetscReal *phi = &R->phiFace[k * Np], *psi = &R->psi[(el->turns[f] * R->Nqf + k % R->Nqf) * Nf],
                    *c = &face[4 * k];
    PetscReal *trace   = &A[(Np + f * Nf) * n];

    for (PetscInt j = 0; j < Np; ++j) {
      for (PetscInt i = 0; i < Np; ++i) A[j * n + i] += c[0] * phi[i] * phi[j];
      for (PetscInt m = 0; m < Nf; ++m) A[j * n + Np + f * Nf + m] += c[2] * psi[m] * phi[j];
    }
    for (PetscInt m = 0; m < Nf; ++m) {
      for (PetscInt i = 0; i < Np; ++i) trace[m * n + i] += c[1] * phi[i] * psi[m];
      for (PetscInt l = 0; l < Nf; ++l) trace[m * n + Np + f * Nf + l] += c[3] * psi[l] * psi[m];
    }
  }
}

void PlexHDGElementResidualConvection_Private(const PlexHDGElement *el, const PetscReal u[], const PetscReal trace[],
                                              PetscReal r[], PetscReal b[])
{
  PlexHDGReference R    = el->hdg->reference;
  const PetscReal *flow = PlexHDGElementFlow(el), *face = PlexHDGElementFlowFace(el);
  const PetscBool  conservative = (PetscBool)(el->hdg->convectionForm == PLEX_HDG_CONSERVATIVE);

  for (PetscInt q = 0; r && q < R->Nq; ++q) {
    PetscReal v = 0.;

    for (PetscInt i = 0; i < el->Np; ++i)
      v += (conservative ? R->phi[q * el->Np + i] : PlexHDGElementAlong(el, flow, q, i)) * u[i];
    for (PetscInt i = 0; i < el->Np; ++i)
      r[i] += conservative ? -PlexHDGElementAlong(el, flow, q, i) * v : R->phi[q * el->Np + i] * v;
  }
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscInt   f   = k / R->Nqf;
    const PetscReal *phi = &R->phiFace[k * el->Np], *psi = &R->psi[(el->turns[f] * R->Nqf + k % R->Nqf) * el->Nf],
                    *c = &face[4 * k];
    PetscReal v = 0., t = 0.;

    for (PetscInt i = 0; i < el->Np; ++i) v += phi[i] * u[i];
    for (PetscInt m = 0; m < el->Nf; ++m) t += psi[m] * trace[f * el->Nf + m];
    for (PetscInt i = 0; r && i < el->Np; ++i) r[i] += (c[0] * v - c[1] * t) * phi[i];
    for (PetscInt m = 0; b && m < el->Nf; ++m) b[f * el->Nf + m] += (c[2] * v - c[3] * t) * psi[m];
  }
}
