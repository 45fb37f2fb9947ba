/*
  How the ground moves where a rectangular fault slips: Y. Okada, Surface deformation due to shear and tensile faults in
  a half-space, Bull. Seismol. Soc. Am. 75 (1985). Equation numbers are his.

  His coordinates: x along the strike from one end of the fault, y to the left of it from above the lower edge, z up;
  the fault dips to the right. xi and eta run along the fault, to x and x - L, p and p - W. Sums over the four corners
  are Chinnery's.
*/
#include <plexgpugeo.h>              /*I "plexgpugeo.h" I*/
#include <petsc/private/petscimpl.h> /* PetscAssertPointer() */

/* What equations 25 to 30 are made of, at one corner */
typedef struct {
  PetscReal xi, eta, q, y, d; /* y and d with a tilde: equation 30 */
  PetscReal R, X;
  PetscReal sine, cosine; /* of the dip */
  PetscReal ratio;        /* mu/(lambda + mu) */
  PetscReal logEta;       /* ln(R + eta) */
  PetscReal overEta;      /* 1/(R (R + eta)) */
  PetscReal overXi;       /* 1/(R (R + xi)) */
  PetscReal angle;        /* atan(xi eta/(q R)) */
} PlexOkadaCorner;

/* On the lines that go on from an edge R + eta or R + xi vanishes, and above the fault's plane q: the rules (i) to (iv)
   after equation 30 */
static void PlexOkadaSetCorner(PetscReal xi, PetscReal eta, PetscReal q, PetscReal sine, PetscReal cosine,
                               PetscReal ratio, PlexOkadaCorner *c)
{
  const PetscReal R = PetscSqrtReal(xi * xi + eta * eta + q * q), none = 1e-12 * R;

  c->xi      = xi;
  c->eta     = eta;
  c->q       = q;
  c->y       = eta * cosine + q * sine;
  c->d       = eta * sine - q * cosine;
  c->R       = R;
  c->X       = PetscSqrtReal(xi * xi + q * q);
  c->sine    = sine;
  c->cosine  = cosine;
  c->ratio   = ratio;
  c->logEta  = R + eta > none ? PetscLogReal(R + eta) : -PetscLogReal(R - eta);
  c->overEta = R + eta > none ? 1. / (R * (R + eta)) : 0.;
  c->overXi  = R + xi > none ? 1. / (R * (R + xi)) : 0.;
  c->angle   = PetscAbsReal(q) > none ? PetscAtanReal(xi * eta / (q * R)) : 0.;
}

/* I1 to I5, equations 28 and 29 */
static void PlexOkadaIntegrals(const PlexOkadaCorner *c, PetscReal integral[5])
{
  const PetscReal Rd = c->R + c->d;

  if (PetscAbsReal(c->cosine) > 1e-6) {
    const PetscReal numerator = c->eta * (c->X + c->q * c->cosine) + c->X * (c->R + c->X) * c->sine;

    integral[4] = c->xi == 0.
                  ? 0.
                  : c->ratio * 2. / c->cosine * PetscAtanReal(numerator / (c->xi * (c->R + c->X) * c->cosine));
    integral[3] = c->ratio / c->cosine * (PetscLogReal(Rd) - c->sine * c->logEta);
    integral[2] = c->ratio * (c->y / (c->cosine * Rd) - c->logEta) + c->sine / c->cosine * integral[3];
    integral[0] = -c->ratio * c->xi / (c->cosine * Rd) - c->sine / c->cosine * integral[4];
  } else {
    integral[4] = -c->ratio * c->xi * c->sine / Rd;
    integral[3] = -c->ratio * c->q / Rd;
    integral[2] = c->ratio / 2. * (c->eta / Rd + c->y * c->q / (Rd * Rd) - c->logEta);
    integral[0] = -c->ratio / 2. * c->xi * c->q / (Rd * Rd);
  }
  integral[1] = -c->ratio * c->logEta - integral[2];
}

/* Adds sign/(2 pi) times what stands between Chinnery's bars: strike slip (25), dip slip (26), opening (27) */
static void PlexOkadaAdd(const PlexOkadaCorner *c, const PetscReal slip[3], PetscReal sign, PetscReal u[3])
{
  const PetscReal s = c->sine, k = c->cosine, q = c->q, crossed = c->xi * q * c->overEta - c->angle;
  PetscReal       integral[5], f[3][3];

  PlexOkadaIntegrals(c, integral);
  f[0][0] = -(c->xi * q * c->overEta + c->angle + integral[0] * s);
  f[0][1] = -(c->y * q * c->overEta + q * k * c->overEta * c->R + integral[1] * s);
  f[0][2] = -(c->d * q * c->overEta + q * s * c->overEta * c->R + integral[3] * s);
  f[1][0] = -(q / c->R - integral[2] * s * k);
  f[1][1] = -(c->y * q * c->overXi + k * c->angle - integral[0] * s * k);
  f[1][2] = -(c->d * q * c->overXi + s * c->angle - integral[4] * s * k);
  f[2][0] = q * q * c->overEta - integral[2] * s * s;
  f[2][1] = -c->d * q * c->overXi - s * crossed - integral[0] * s * s;
  f[2][2] = c->y * q * c->overXi + k * crossed - integral[4] * s * s;
  for (int w = 0; w < 3; ++w)
    for (int d = 0; d < 3; ++d) u[d] += sign * slip[w] / (2. * PETSC_PI) * f[w][d];
}

static PetscErrorCode PlexFaultCheck(const PlexFault *fault)
{
  const PetscReal sine = PetscSinReal(fault->dip * PETSC_PI / 180.),
                  top  = fault->depth - fault->width / 2. * PetscAbsReal(sine);

  PetscFunctionBegin;
  PetscCheck(fault->length > 0. && fault->width > 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A fault of length %g m and width %g m is none: both have to be positive", (double)fault->length,
             (double)fault->width);
  PetscCheck(top >= -1e-9 * fault->depth, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The fault's upper edge is %g m above the ground: its center, %g m deep, has to be at least %g m deep for "
             "a width of %g m and a dip of %g degrees",
             (double)-top, (double)fault->depth, (double)(fault->depth - top), (double)fault->width,
             (double)fault->dip);
  PetscCheck(fault->poisson >= 0. && fault->poisson < 0.5, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Poisson's ratio %g of a fault is not from 0 to less than 0.5; of rock it is about 0.25",
             (double)fault->poisson);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexFaultDisplacement - Computes how the ground moves at a point where a rectangular fault in an elastic half-space
  slips

  Not Collective

  Input Parameters:
+ fault - where the fault is, and how it slips: `PlexFault`
- x     - the point, east and north, m

  Output Parameter:
. u - the displacement, to the east, the north, and up, m

  Level: intermediate

  Note:
  Equations 25 to 30 of Okada (1985), Bull. Seismol. Soc. Am. 75. A tsunami begins with the sea's surface lifted by
  u[2], where the sea is much deeper than the fault slips and much shallower than the fault is long.

.seealso: `PlexFault`, `PlexDGProject()`
@*/
PetscErrorCode PlexFaultDisplacement(const PlexFault *fault, const PetscReal x[], PetscReal u[])
{
  const PetscReal degree = PETSC_PI / 180., strike = fault->strike * degree, dip = fault->dip * degree,
                  rake = fault->rake * degree;
  /* the fault dips to the right of its strike */
  const PetscReal along[2] = {PetscSinReal(strike), PetscCosReal(strike)}, left[2] = {-along[1], along[0]};
  const PetscReal sine = PetscSinReal(dip), cosine = PetscCosReal(dip),
                  slip[3] = {fault->slip * PetscCosReal(rake), fault->slip * PetscSinReal(rake), fault->opening};
  const PetscReal east = x[0] - fault->center[0], north = x[1] - fault->center[1],
                  d = fault->depth + fault->width / 2. * sine;
  const PetscReal X = east * along[0] + north * along[1] + fault->length / 2.,
                  Y = east * left[0] + north * left[1] + fault->width / 2. * cosine;
  const PetscReal p = Y * cosine + d * sine, q = Y * sine - d * cosine;
  PetscReal       local[3] = {0., 0., 0.};

  PetscFunctionBegin;
  PetscAssertPointer(fault, 1);
  PetscAssertPointer(x, 2);
  PetscAssertPointer(u, 3);
  PetscCall(PlexFaultCheck(fault));
  for (int k = 0; k < 4; ++k) {
    PlexOkadaCorner corner;

    PlexOkadaSetCorner(X - k / 2 * fault->length, p - k % 2 * fault->width, q, sine, cosine, 1. - 2. * fault->poisson,
                       &corner);
    PlexOkadaAdd(&corner, slip, k == 0 || k == 3 ? 1. : -1., local);
  }
  u[0] = local[0] * along[0] + local[1] * left[0];
  u[1] = local[0] * along[1] + local[1] * left[1];
  u[2] = local[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
