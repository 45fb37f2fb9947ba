// Local problems of a linearized step of Navier-Stokes equations, with what plex_hdg_naviercondense has left: u and p of
// right-hand sides and a trace, known ones zero,
//
//   y = L^-1 P r,  [u; p] = U^-1 (y + L^-1 P A_trace t)
//
// in two launches: first y, which is kept, and b = A_trace' A^-1 r = (A_trace' U^-1) y; then, with the trace that was found
// meanwhile, u and p of the same right-hand sides. A team an element. The first reads 4 V^2 + 8 (V T + V) bytes and writes 8
// (V + T), the second reads as many and writes 8 V; V = DIM NU + NP - 1, T = DIM NT. As many flops as half a double.
#include "navier.cuh"

#define PLEX_NAVIER_LDV (PLEX_STOKES_V | 1)
static_assert(PLEX_STOKES_V * PLEX_NAVIER_LDV + PLEX_STOKES_V + PLEX_ELASTIC_T <= PLEX_HDG_WORK, "workspace");

// Whether number t of an element's trace is known though its face has unknowns
PLEX_DEVICE bool plex_navier_held(const PlexHDGElasticArgs &args, int e, int t)
{
  const int held = args.held ? args.held[(plex_index)e * PLEX_HDG_FACES + t / PLEX_ELASTIC_NF] : -1;

  return held >= 0 && (args.bits[held] >> (t / PLEX_HDG_NF % PLEX_DIM) & 1);
}

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_navierlocal(const PlexHDGNavierArgs args)
{
  PLEX_HDG_WORKSPACE(args.stokes.elastic.hdg);
  double            *A = work, *v = A + PLEX_STOKES_V * PLEX_NAVIER_LDV, *trace = v + PLEX_STOKES_V;
  const PlexHDGArgs &a = args.stokes.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    const double *LU = a.factor + (plex_index)(e - a.begin) * PLEX_NAVIER_KEPT, *X = LU + PLEX_STOKES_V * PLEX_STOKES_V,
                 *Q = X + PLEX_STOKES_V * PLEX_ELASTIC_T, *fp = args.fp + (plex_index)e * PLEX_HDG_NP;
    const int *rows = (const int *)args.pivots + (plex_index)e * PLEX_STOKES_V;

    double *y = args.y + (plex_index)e * PLEX_STOKES_V;

    if (!args.du) {
      PLEX_HDG_EACH(i, PLEX_STOKES_V)
      {
        const int r = rows[i];

        v[i] = r < PLEX_ELASTIC_U ? args.f[(plex_index)e * PLEX_ELASTIC_U + r] : fp[1 + r - PLEX_ELASTIC_U];
      }
      PLEX_HDG_EACH(k, PLEX_STOKES_V * PLEX_STOKES_V)
      {
        const int i = k / PLEX_STOKES_V, j = k % PLEX_STOKES_V;

        if (j <= i) A[i * PLEX_NAVIER_LDV + j] = j < i ? LU[k] : 1;
      }
      plex_hdg_sync();
      plex_hdg_forward(A, PLEX_NAVIER_LDV, PLEX_STOKES_V, v);
      PLEX_HDG_EACH(i, active ? PLEX_STOKES_V : 0) y[i] = v[i];
      PLEX_HDG_EACH(t, active ? PLEX_ELASTIC_T : 0)
      {
        double sum = 0;

        for (int i = 0; i < PLEX_STOKES_V; ++i) sum += Q[i * PLEX_ELASTIC_T + t] * v[i];
        a.b[(plex_index)e * PLEX_ELASTIC_T + t] = plex_navier_held(args.stokes.elastic, e, t) ? 0 : sum;
      }
      if (!PLEX_HDG_LANE && active) args.constant[e] = fp[0];
      plex_hdg_sync();
      continue;
    }
    PLEX_HDG_EACH(t, PLEX_ELASTIC_T)
    {
      const int     l = a.faces[(plex_index)e * PLEX_HDG_FACES + t / PLEX_ELASTIC_NF], known = a.nown + a.nghost;
      const double *from = l < a.nown ? a.owned : l < known ? a.ghosts : NULL;

      trace[t] = from && !plex_navier_held(args.stokes.elastic, e, t)
                 ? from[(plex_index)(l < a.nown ? l : l - a.nown) * PLEX_ELASTIC_NF + t % PLEX_ELASTIC_NF]
                 : 0;
    }
    plex_hdg_sync();
    PLEX_HDG_EACH(i, PLEX_STOKES_V)
    {
      double sum = y[i];

      for (int t = 0; t < PLEX_ELASTIC_T; ++t) sum += X[t * PLEX_STOKES_V + i] * trace[t];
      v[i] = sum;
    }
    PLEX_HDG_EACH(k, PLEX_STOKES_V * PLEX_STOKES_V) // U, transposed
    {
      const int i = k / PLEX_STOKES_V, j = k % PLEX_STOKES_V;

      if (j >= i) A[j * PLEX_NAVIER_LDV + i] = LU[k];
    }
    plex_hdg_sync();
    plex_hdg_backward(A, PLEX_NAVIER_LDV, PLEX_STOKES_V, v);
    PLEX_HDG_EACH(i, active ? PLEX_STOKES_V : 0)
    {
      if (i < PLEX_ELASTIC_U) args.du[(plex_index)e * PLEX_ELASTIC_U + i] = v[i];
      else args.dp[(plex_index)e * PLEX_HDG_NP + 1 + i - PLEX_ELASTIC_U] = v[i];
    }
    if (!PLEX_HDG_LANE && active) args.dp[(plex_index)e * PLEX_HDG_NP] = args.constant[e];
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_navierlocal)
