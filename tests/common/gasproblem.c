#define PLEX_DG_POINTWISE "tests/common/gasvortex.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "gasproblem.h"

#define GAMMA PLEX_TEST_GAMMA

void PlexTestGasState(PetscInt Nf, const PetscReal w[], PetscScalar u[])
{
  u[0]      = w[0];
  u[Nf - 1] = w[Nf - 1] / (GAMMA - 1.);
  for (PetscInt k = 1; k < Nf - 1; ++k) {
    u[k] = w[0] * w[k];
    u[Nf - 1] += 0.5 * w[0] * w[k] * w[k];
  }
}

/* ---- The vortex */

static PetscErrorCode CreateVortex(PlexDGSystem system)
{
  static const char *const kinds[] = {"wall", "open", "farfield", "inflow"};

  PetscFunctionBegin;
  PetscCall(PlexDGSystemCreate_Euler(system));
  system->source = PLEX_DG_POINTWISE;
  system->host   = plex_dg_host[system->dim - 2];
  system->kinds  = kinds;
  system->nkinds = PETSC_STATIC_ARRAY_LENGTH(kinds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRegisterGas(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemRegister("euler_vortex", CreateVortex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestGasVortex(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PetscReal c[6] = {GAMMA, 1., PLEX_TEST_WIND, 0., 1.};
  PetscReal       w[5];

  PetscFunctionBegin;
  euler_given_2d(x, t, c, w);
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Riemann's problem: Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4 */

/* By how much the velocity changes through the wave from state w to the pressure p */
static PetscReal Change(const PetscReal w[], PetscReal p)
{
  const PetscReal c = PetscSqrtReal(GAMMA * w[2] / w[0]);

  if (p > w[2])
    return (p - w[2]) * PetscSqrtReal(2. / ((GAMMA + 1.) * w[0]) / (p + (GAMMA - 1.) / (GAMMA + 1.) * w[2]));
  return 2. * c / (GAMMA - 1.) * (PetscPowReal(p / w[2], (GAMMA - 1.) / (2. * GAMMA)) - 1.);
}

/* Of a shock from state w to the pressure p, relative to w */
static PetscReal ShockSpeed(const PetscReal w[], PetscReal p)
{
  return PetscSqrtReal(GAMMA * w[2] / w[0] * ((GAMMA + 1.) / (2. * GAMMA) * p / w[2] + (GAMMA - 1.) / (2. * GAMMA)));
}

void PlexTestTubeSolve(PlexTestTube *tube)
{
  const PetscReal *L = tube->left, *R = tube->right;
  PetscReal        low = 0., high = 1e6;

  while (high - low > 1e-15 * high) {
    tube->p = 0.5 * (low + high);
    if (tube->p == low || tube->p == high) break;
    *(Change(L, tube->p) + Change(R, tube->p) + R[1] - L[1] > 0. ? &high : &low) = tube->p;
  }
  tube->v     = 0.5 * (L[1] + R[1] + Change(R, tube->p) - Change(L, tube->p));
  tube->shock = R[1] + (tube->p > R[2] ? ShockSpeed(R, tube->p) : PetscSqrtReal(GAMMA * R[2] / R[0]));
}

/* State of the left side at x/t = s; the right one is the mirrored left one */
static void Sample(const PetscReal w[], PetscReal p, PetscReal v, PetscReal s, PetscReal out[])
{
  const PetscReal c = PetscSqrtReal(GAMMA * w[2] / w[0]), g = (GAMMA - 1.) / (GAMMA + 1.);

  out[0] = w[0];
  out[1] = w[1];
  out[2] = w[2];
  if (p > w[2]) {
    if (s < w[1] - ShockSpeed(w, p)) return;
    out[0] = w[0] * (p / w[2] + g) / (g * p / w[2] + 1.);
    out[1] = v;
    out[2] = p;
  } else if (s > w[1] - c) {
    const PetscReal tail = v - c * PetscPowReal(p / w[2], (GAMMA - 1.) / (2. * GAMMA)),
                    at   = 2. / (GAMMA + 1.) + g / c * (w[1] - s);

    out[0] = w[0] * (s > tail ? PetscPowReal(p / w[2], 1. / GAMMA) : PetscPowReal(at, 2. / (GAMMA - 1.)));
    out[1] = s > tail ? v : 2. / (GAMMA + 1.) * (c + (GAMMA - 1.) / 2. * w[1] + s);
    out[2] = s > tail ? p : w[2] * PetscPowReal(at, 2. * GAMMA / (GAMMA - 1.));
  }
}

PetscErrorCode PlexTestTubeState(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PlexTestTube *tube      = (const PlexTestTube *)ctx;
  const PetscReal     mirror[3] = {tube->right[0], -tube->right[1], tube->right[2]}, off = x[0] - 0.5,
                      s = t > 0.   ? off / t
                        : off < 0. ? -1e30
                                   : 1e30;
  PetscReal           one[3], w[5] = {0.};

  PetscFunctionBegin;
  Sample(s < tube->v ? tube->left : mirror, tube->p, s < tube->v ? tube->v : -tube->v, s < tube->v ? s : -s, one);
  w[0]      = one[0];
  w[1]      = s < tube->v ? one[1] : -one[1];
  w[Nf - 1] = one[2];
  PlexTestGasState(Nf, w, u);
  PetscFunctionReturn(PETSC_SUCCESS);
}
