// Convection of Navier-Stokes equations that is explicit in time, of affine elements: du/dt has the part -c,
//
//   (c, w) = ((v . grad u, w) - (v . grad w, u))/2 + <(b+ - b/2) u + (b - b+) u', w>,  b = v . n,
//
// with the velocity v in H(div) without divergence that src/hdg/solenoidal.c makes of u, of the neighbours' u' and of the
// trace; src/hdg/navierexplicit.c has the method. NF1 functions of a face of degree P + 1, NC conditions of v.
#include "navier.cuh"

#define PLEX_NAVIER_NC    (PLEX_HDG_FACES * PLEX_NAVIER_NF1 + PLEX_HDG_NP - 1)
#define PLEX_NAVIER_FIRST (PLEX_HDG_FACES * PLEX_NAVIER_NF1) // condition of the divergence

// Doubles of points: of an element (v . grad) u and u v . dr_a/dx, of faces what rows have
#define PLEX_NAVIER_CARRIED (PLEX_HDG_NQ * PLEX_DIM * (1 + PLEX_DIM) + PLEX_NAVIER_POINTS * PLEX_DIM)
static_assert(PLEX_ELASTIC_GEOMETRY + 2 * PLEX_ELASTIC_U + 2 * PLEX_NAVIER_FIRST + PLEX_NAVIER_NC +
                  PLEX_NAVIER_CARRIED <=
                PLEX_HDG_WORK,
              "workspace");

// field[DIM][NU] = det dr/dx v, by which derivatives along v are those by reference coordinates; flux[FACES][NF1] = v . n
// of the faces. work: differences of fluxes, and conditions
PLEX_DEVICE void plex_navier_carrier(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e,
                                     const double *u, double *field, double *flux, double *work)
{
  const PlexHDGSolenoidalArgs &s          = args.solenoidal;
  double                      *difference = work, *c = difference + PLEX_NAVIER_FIRST;

  PLEX_HDG_EACH(k, PLEX_NAVIER_FIRST)
  {
    const int        f = k / PLEX_NAVIER_NF1, m = k % PLEX_NAVIER_NF1;
    const plex_index row = (plex_index)e * PLEX_HDG_FACES + f;
    double           sum = 0, rest = 0;

    for (int d = 0; d < PLEX_DIM; ++d) {
      const plex_index at  = (row * PLEX_DIM + d) * PLEX_NAVIER_NF1 + m;
      const double     own = s.own[at], target = m < PLEX_HDG_NF ? args.trace[(row * PLEX_DIM + d) * PLEX_HDG_NF + m]
                                                                 : 0.5 * (own + s.other[at]);

      sum += g->N[f][d] * target;
      rest += g->N[f][d] * (target - own);
    }
    flux[k]       = sum;
    difference[k] = rest;
  }
  PLEX_HDG_EACH(k, PLEX_ELASTIC_U)
  {
    double sum = 0;

    for (int d = 0; d < PLEX_DIM; ++d)
      sum += g->det * g->rx[k / PLEX_HDG_NU * PLEX_DIM + d] * u[d * PLEX_HDG_NU + k % PLEX_HDG_NU];
    field[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, PLEX_NAVIER_NC)
  {
    double sum = 0;

    if (k < PLEX_NAVIER_FIRST) {
      const int     f    = k / PLEX_NAVIER_NF1;
      const double *turn = s.turn + (g->turn[f] * PLEX_NAVIER_NF1 + k % PLEX_NAVIER_NF1) * PLEX_NAVIER_NF1;

      for (int m = 0; m < PLEX_NAVIER_NF1; ++m) sum += turn[m] * difference[f * PLEX_NAVIER_NF1 + m];
    } else {
      for (int b = 0; b < PLEX_DIM; ++b) {
        const double *row = s.divergence + (b * PLEX_STOKES_P + k - PLEX_NAVIER_FIRST) * PLEX_HDG_NU;

        for (int j = 0; j < PLEX_HDG_NU; ++j) sum -= row[j] * field[b * PLEX_HDG_NU + j];
      }
    }
    c[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, PLEX_ELASTIC_U)
  {
    double sum = field[k];

    for (int r = 0; r < PLEX_NAVIER_NC; ++r) sum += c[r] * s.solve[r * PLEX_ELASTIC_U + k];
    field[k] = sum;
  }
  plex_hdg_sync();
}

// What functions are multiplied with at points, all by reference coordinates and weights
PLEX_DEVICE void plex_navier_carry(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e, const double *u,
                                   const double *field, const double *flux, double *inside, double *faces)
{
  const PlexHDGSolenoidalArgs &s = args.solenoidal;
  const PlexHDGArgs           &a = args.stokes.elastic.hdg;

  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double v[PLEX_DIM], at[PLEX_DIM], r[PLEX_DIM][PLEX_DIM];

    plex_navier_at(args, q, field, at, r);
    plex_navier_at(args, q, u, v, r);
    for (int d = 0; d < PLEX_DIM; ++d) {
      double *to = inside + (q * PLEX_DIM + d) * (1 + PLEX_DIM);

      to[0] = 0;
      for (int b = 0; b < PLEX_DIM; ++b) {
        const double half = 0.5 * a.weights[q] * at[b];

        to[0] += half * r[d][b];
        to[1 + b] = -half * v[d];
      }
    }
  }
  PLEX_HDG_EACH(k, PLEX_NAVIER_POINTS)
  {
    const int        f = k / PLEX_HDG_NQF, q = k % PLEX_HDG_NQF;
    const plex_index row   = (plex_index)e * PLEX_HDG_FACES + f;
    const double    *psi   = s.psi + (g->turn[f] * PLEX_HDG_NQF + q) * PLEX_NAVIER_NF1;
    const bool       outer = args.outer[row];
    double           b     = 0, up;

    for (int m = 0; m < PLEX_NAVIER_NF1; ++m) b += psi[m] * flux[f * PLEX_NAVIER_NF1 + m];
    b *= a.weightsFace[q];
    up = fmax(b, 0.);
    for (int d = 0; d < PLEX_DIM; ++d) {
      const double *own   = s.own + (row * PLEX_DIM + d) * PLEX_NAVIER_NF1,
                   *other = s.other + (row * PLEX_DIM + d) * PLEX_NAVIER_NF1,
                   *trace = args.trace + (row * PLEX_DIM + d) * PLEX_HDG_NF;
      double in = 0, out = 0;

      for (int m = 0; m < PLEX_NAVIER_NF1; ++m) {
        in += psi[m] * own[m];
        out += psi[m] * (outer && m < PLEX_HDG_NF ? trace[m] : other[m]);
      }
      faces[k * PLEX_DIM + d] = (up - 0.5 * b) * in + (b - up) * out;
    }
  }
  plex_hdg_sync();
}

// r[Ne][DIM][NU] = -c. A team an element. Reads 8 (DIM NU + 2 FACES DIM NF1 + FACES DIM NF) bytes, and tables; writes 8 DIM
// NU. 2 DIM NU (NC + NQ (3 + 3 DIM) + FACES NQF) flops beside sums of faces
extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_navierexplicit(const PlexHDGNavierArgs args)
{
  PLEX_HDG_WORKSPACE(args.stokes.elastic.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double              *u = work + PLEX_ELASTIC_GEOMETRY, *field = u + PLEX_ELASTIC_U, *flux = field + PLEX_ELASTIC_U,
         *rest = flux + PLEX_NAVIER_FIRST, *inside = rest + PLEX_NAVIER_FIRST + PLEX_NAVIER_NC,
         *faces        = inside + PLEX_HDG_NQ * PLEX_DIM * (1 + PLEX_DIM);
  const PlexHDGArgs &a = args.stokes.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    plex_elastic_geometry(args.stokes.elastic, e, g);
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U) u[i] = args.u[(plex_index)e * PLEX_ELASTIC_U + i];
    plex_hdg_sync();
    plex_navier_carrier(args, g, e, u, field, flux, rest);
    plex_navier_carry(args, g, e, u, field, flux, inside, faces);
    PLEX_HDG_EACH(s, active ? PLEX_ELASTIC_U : 0)
    {
      const int d = s / PLEX_HDG_NU, j = s % PLEX_HDG_NU;
      double    sum = 0;

      for (int q = 0; q < PLEX_HDG_NQ; ++q) {
        const double *at = inside + (q * PLEX_DIM + d) * (1 + PLEX_DIM);

        sum += at[0] * args.stokes.elastic.U[q * PLEX_HDG_NU + j];
        for (int b = 0; b < PLEX_DIM; ++b) sum += at[1 + b] * args.dU[(b * PLEX_HDG_NQ + q) * PLEX_HDG_NU + j];
      }
      for (int k = 0; k < PLEX_NAVIER_POINTS; ++k) sum += faces[k * PLEX_DIM + d] * args.UFace[k * PLEX_HDG_NU + j];
      args.r[(plex_index)e * PLEX_ELASTIC_U + s] = -sum / g->det; // by the mass of orthonormal functions
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_navierexplicit)
