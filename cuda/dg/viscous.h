/* Viscous fluxes in an element, for the host (plexgpu/dg_point_loops.h) and for kernels, in double precision, behind the
   header of a system that defines PLEX_DG_VISCOUS. src/dg/interface/viscous.c has the method.

   `threads` threads compute an element together, this one has the number t; work[a->work] is shared by them. A thread
   with t >= PLEX_VISCOUS_IDLE has nothing to do but to wait with the others. PLEX_VISCOUS_SYNC(): what was written before
   is read by other threads. */
#include "viscous_args.h"
#define PLEX_STATE_FUNCTION PLEX_DG_FUNCTION
#define plex_state_get      PLEX_DG_NAME(plex_state_get)
#define plex_state_set      PLEX_DG_NAME(plex_state_set)
#define plex_state_sum      PLEX_DG_NAME(plex_state_sum)
#include "state.h"

#define PLEX_VISCOUS_IDLE    (1 << 30)
#define PLEX_VISCOUS_NUMBERS (PLEX_DG_NK * (1 + PLEX_DIM) + 1)
#define PLEX_NV              PLEX_DG_VISCOUS
#if defined(PLEX_DG_VISCOUS_SOURCE) || defined(PLEX_DG_VISCOUS_AXES)
  #define PLEX_VISCOUS_SOURCES
#endif

/* Loops over i in [0, n) of an element's threads */
#define PLEX_VISCOUS_EACH(i, n) for (int i = t; i < (n); i += threads)

/* Coefficients k at point g of element e, and at point g of a trace, inside (KM) or outside (KP), where the element is
   `element` */
#ifdef PLEX_DG_VARIABLE
  #define PLEX_VISCOUS_COEFFICIENTS(k, e, g) \
    double k[PLEX_VISCOUS_NUMBERS]; \
    for (int i_ = 0; i_ < PLEX_DG_NK * (1 + PLEX_DIM); ++i_) \
    k[i_] = a->K[((long long)(e) * (PLEX_DG_NK * (1 + PLEX_DIM)) + i_) * a->NG + (g)]
  #define PLEX_VISCOUS_FACE_COEFFICIENTS(k, array, element, trace, g) \
    double k[PLEX_VISCOUS_NUMBERS] = {0}; \
    for (int i_ = 0; i_ < PLEX_DG_NK; ++i_) \
    k[i_ * (1 + PLEX_DIM)] = a->array[((long long)(trace) * PLEX_DG_NK + i_) * a->MG + (g)]
#else
  #define PLEX_VISCOUS_COEFFICIENTS(k, e, g) const double *k = a->coefficients + (long long)(e) * PLEX_DG_NK
  #define PLEX_VISCOUS_FACE_COEFFICIENTS(k, array, element, trace, g) \
    const double *k = a->coefficients + (long long)(element) * PLEX_DG_NK
#endif

/* What lies across face f of an element */
typedef struct {
  int        element; /* whose coefficients */
  int        ghost;   /* the received trace; -1: an own element */
  int        kind;    /* of boundary condition; -1: none */
  const int *meet;    /* [NFP] its nodes, of the element or of the trace */
} PLEX_DG_NAME(PlexViscousAcross);

PLEX_DG_FUNCTION PLEX_DG_NAME(PlexViscousAcross)
  PLEX_DG_NAME(plex_viscous_across)(const PlexDGViscousArgs *a, int e, int f)
{
  const int link = a->links[(long long)e * a->FACES + f], trace = link / a->TURNS, own = a->Ne * a->FACES;
  PLEX_DG_NAME(PlexViscousAcross) x;

  x.element = link < 0 ? e : trace < own ? trace / a->FACES : a->Ne + trace - own;
  x.ghost   = link < 0 || trace < own ? -1 : trace - own;
  x.kind    = link < 0 ? a->kinds[-link - 1] : -1;
  x.meet    = link < 0 ? a->faceNodes + f * a->NFP
                       : a->meet + ((trace < own ? trace % a->FACES : a->FACES) * a->TURNS + link % a->TURNS) * a->NFP;
  return x;
}

/* Value at point g of a face: of rows of NP numbers at nodes[NFP] */
PLEX_DG_FUNCTION double PLEX_DG_NAME(plex_viscous_trace)(const PlexDGViscousArgs *a, const double *row,
                                                         const int *nodes, int g)
{
  double sum = 0;

  for (int m = 0; m < a->NFP; ++m) sum += a->psi[g * a->NFP + m] * row[nodes[m]];
  return sum;
}

/* The state at point g of an element's face whose nodes are nodes[NFP]. Where traces travel in single precision, all
   have it: both sides of a face see the same values, on any number of processes */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_state)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                       int e, const int *nodes, int g, double u[])
{
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    const long long at = ((long long)e * PLEX_DG_NF + k) * a->NP;

    u[k] = 0;
    for (int m = 0; m < a->NFP; ++m) {
      const double value = plex_state_get(stage->u, stage->single, at + nodes[m]);

      u[k] += a->psi[g * a->NFP + m] * (a->single ? (double)(float)value : value);
    }
  }
}

/* The states at both sides of point g of face f; x is no boundary */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_states)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                        int e, int f, const PLEX_DG_NAME(PlexViscousAcross) * x, int g,
                                                        double uM[], double uP[])
{
  PLEX_DG_NAME(plex_viscous_state)(a, stage, e, a->faceNodes + f * a->NFP, g, uM);
  if (x->ghost < 0) PLEX_DG_NAME(plex_viscous_state)(a, stage, x->element, x->meet, g, uP);
  else
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      const long long at = ((long long)x->ghost * PLEX_DG_NF + k) * a->NFP;

      uP[k] = 0;
      for (int m = 0; m < a->NFP; ++m)
        uP[k] += a->psi[g * a->NFP + m] * plex_state_get(a->ghosts, a->single, at + x->meet[m]);
    }
}

/* Variable v across at point g */
PLEX_DG_FUNCTION double PLEX_DG_NAME(plex_viscous_variable)(const PlexDGViscousArgs *a,
                                                            const PLEX_DG_NAME(PlexViscousAcross) * x, int v, int g)
{
  return PLEX_DG_NAME(plex_viscous_trace)(a,
                                          x->ghost < 0
                                            ? a->w + ((long long)x->element * PLEX_NV + v) * a->NP
                                            : a->inW + (long long)x->ghost * (PLEX_NV * a->NFP + 1) + v * a->NFP,
                                          x->meet, g);
}

/* Whether there is viscosity on both sides of a face between elements */
PLEX_DG_FUNCTION int PLEX_DG_NAME(plex_viscous_open)(const PlexDGViscousArgs *a, int e,
                                                     const PLEX_DG_NAME(PlexViscousAcross) * x)
{
  return a->acts[e] > 0 &&
         (x->ghost < 0 ? a->acts[x->element] : a->inW[(x->ghost + 1LL) * (PLEX_NV * a->NFP + 1) - 1]) > 0;
}

/* Outward normal at point g of face f: as the geometry has it */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_normal)(const PlexDGViscousArgs *a, int e, int f, int g, double n[])
{
  const int     step   = a->affine ? 1 : a->MG;
  const double *normal = a->normals + ((long long)e * a->FACES + f) * PLEX_DIM * step + (a->affine ? 0 : g);

  for (int d = 0; d < PLEX_DIM; ++d) n[d] = normal[d * step];
}

/* out[rows][NP] = M^-1 sums[rows][NP] of element e */
PLEX_DG_FUNCTION double PLEX_DG_NAME(plex_viscous_solve)(const PlexDGViscousArgs *a, int e, const double *sums, int i)
{
  const double *Minv = a->Minv + (a->affine ? 0 : (long long)e * a->NP * a->NP) + i;
  double        sum  = 0;

  for (int j = 0; j < a->NP; ++j) sum += Minv[j * a->NP] * sums[j];
  return sum;
}

/* The largest and the least inertia, by looking at `at` of `n` places */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_inertia)(const double *inertia, int n, double range[2])
{
  range[0] = range[1] = inertia[0];
  for (int g = 1; g < n; ++g) {
    range[0] = fmin(range[0], inertia[g]);
    range[1] = fmax(range[1], inertia[g]);
  }
}

/* w = P w(u), the projection by the points; and whether there is viscosity in element e */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_variables)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                           int e, int t, int threads, double *work)
{
  const double *c  = a->constants;
  double       *at = work,                                           /* [NV][NG] weight det J w */
    *sums = at + PLEX_NV * a->NG, *inertia = sums + PLEX_NV * a->NP; /* [NV][NP]; [NG + FACES MG] */

  PLEX_VISCOUS_EACH(g, a->NG)
  {
    const double scale = a->weights[g] * (a->affine ? 1 : a->detJ[(long long)e * a->NG + g]);
    double       u[PLEX_DG_NF], w[PLEX_NV];
    PLEX_VISCOUS_COEFFICIENTS(k, e, g);

    for (int f = 0; f < PLEX_DG_NF; ++f)
      u[f] = plex_state_sum(stage->u, stage->single, ((long long)e * PLEX_DG_NF + f) * a->NP, a->NP,
                            a->phi + g * a->NP);
    dg_viscous_variables(u, k, c, w);
    dg_viscosity(u, k, c, &inertia[g]);
    for (int v = 0; v < PLEX_NV; ++v) at[v * a->NG + g] = scale * w[v];
  }
  PLEX_VISCOUS_EACH(n, a->FACES * a->MG)
  {
    const int f = n / a->MG, g = n % a->MG;
    double    u[PLEX_DG_NF];
    PLEX_VISCOUS_FACE_COEFFICIENTS(k, KM, e, (long long)e * a->FACES + f, g);

    PLEX_DG_NAME(plex_viscous_state)(a, stage, e, a->faceNodes + f * a->NFP, g, u);
    dg_viscosity(u, k, c, &inertia[a->NG + n]);
  }
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NP)
  {
    const int v = n / a->NP, i = n % a->NP;
    double    sum = 0;

    for (int g = 0; g < a->NG; ++g) sum += a->phi[g * a->NP + i] * at[v * a->NG + g];
    sums[n] = sum;
  }
  if (!t) {
    double range[2];

    PLEX_DG_NAME(plex_viscous_inertia)(inertia, a->NG + a->FACES * a->MG, range);
    a->acts[e] = range[0] > 0 && range[0] >= PLEX_VISCOUS_THIN * range[1];
  }
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NP)
  a->w[(long long)e * PLEX_NV * a->NP + n] = PLEX_DG_NAME(plex_viscous_solve)(a, e, sums + n / a->NP * a->NP,
                                                                              n % a->NP);
}

/* What is sent of trace g, after the first step (which 0) or the second */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_pack)(const PlexDGViscousArgs *a, int g, int which)
{
  const int     e = a->sent[g] / a->FACES, rows = which ? PLEX_NV * PLEX_DIM : PLEX_NV;
  const int    *nodes = a->faceNodes + a->sent[g] % a->FACES * a->NFP;
  const double *from  = (which ? a->F : a->w) + (long long)e * rows * a->NP;
  double       *out   = which ? a->outF + (long long)g * rows * a->NFP : a->outW + (long long)g * (rows * a->NFP + 1);

  for (int v = 0; v < rows; ++v)
    for (int m = 0; m < a->NFP; ++m) out[v * a->NFP + m] = from[v * a->NP + nodes[m]];
  if (!which) out[rows * a->NFP] = a->acts[e];
}

/* Weights of face point g times what w is on the face less what it is inside: jump[NV], apart from each other by
   FACES MG */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_jump)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                      int e, int f, int g, double *jump)
{
  const PLEX_DG_NAME(PlexViscousAcross) x = PLEX_DG_NAME(plex_viscous_across)(a, e, f);
  const int apart                         = a->FACES * a->MG;
  double    uM[PLEX_DG_NF], uP[PLEX_DG_NF], wP[PLEX_NV], share = 0, inertia[2];
  PLEX_VISCOUS_FACE_COEFFICIENTS(kM, KM, e, (long long)e * a->FACES + f, g);
  PLEX_VISCOUS_FACE_COEFFICIENTS(kP, KP, x.element, (long long)e * a->FACES + f, g);

  (void)uP;
  if (x.kind >= 0) {
#ifdef PLEX_DG_VISCOUS_BOUNDARY
    PLEX_DG_NAME(plex_viscous_state)(a, stage, e, x.meet, g, uM);
    share = a->acts[e] > 0 && dg_viscous_boundary(x.kind, uM, kM, a->constants, wP);
#endif
  } else if (PLEX_DG_NAME(plex_viscous_open)(a, e, &x)) {
    PLEX_DG_NAME(plex_viscous_states)(a, stage, e, f, &x, g, uM, uP);
    dg_viscosity(uM, kM, a->constants, &inertia[0]);
    dg_viscosity(uP, kP, a->constants, &inertia[1]);
    share = inertia[1] / (inertia[0] + inertia[1]);
    for (int v = 0; v < PLEX_NV; ++v) wP[v] = PLEX_DG_NAME(plex_viscous_variable)(a, &x, v, g);
  }
  for (int v = 0; v < PLEX_NV; ++v)
    jump[v * apart] = share > 0
                      ? a->faceWeights[g] * share *
                          (wP[v] - PLEX_DG_NAME(plex_viscous_trace)(a, a->w + ((long long)e * PLEX_NV + v) * a->NP,
                                                                    a->faceNodes + f * a->NFP, g))
                      : 0;
}

/* Adds s times a number to rates at `to`, in the state's layout */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_add)(const PlexDGViscousStage *stage, long long to, double number)
{
  const double value = stage->s * number;

  plex_state_set(stage->r, stage->single, to, plex_state_get(stage->r, stage->single, to) + value);
  if (stage->next)
    plex_state_set(stage->next, stage->single, to, plex_state_get(stage->next, stage->single, to) + stage->b * value);
}

#ifdef PLEX_DG_VISCOUS_AXES
/* Adds to the gradient of a vector w what its axes' turning makes of it, by the rates `axes` at which they turn */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_turn)(const double axes[], const double w[], double dw[][PLEX_NV])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
    dw[d][0] += axes[d] * w[1];
    dw[d][1] -= axes[d] * w[0];
  }
}

/* Adds to sources what makes the divergence the adjoint of that gradient */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_turn_back)(const double axes[], const double F[][PLEX_NV], double s[])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
    s[0] += axes[d] * F[d][1];
    s[1] -= axes[d] * F[d][0];
  }
}
#endif

/* Fluxes F, and sources S of all fields where there are any, at point g, from the gradient at the nodes, [NV][DIM][NP] */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_point)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                       int e, int g, const double *gradient, double F[][PLEX_NV],
                                                       double S[])
{
  double u[PLEX_DG_NF], dw[PLEX_DIM][PLEX_NV];
  PLEX_VISCOUS_COEFFICIENTS(k, e, g);

  for (int f = 0; f < PLEX_DG_NF; ++f) {
    u[f] = plex_state_sum(stage->u, stage->single, ((long long)e * PLEX_DG_NF + f) * a->NP, a->NP, a->phi + g * a->NP);
    S[f] = 0;
  }
  for (int v = 0; v < PLEX_NV; ++v)
    for (int d = 0; d < PLEX_DIM; ++d) {
      dw[d][v] = 0;
      for (int i = 0; i < a->NP; ++i) dw[d][v] += a->phi[g * a->NP + i] * gradient[(v * PLEX_DIM + d) * a->NP + i];
    }
#ifdef PLEX_DG_VISCOUS_AXES
  double axes[PLEX_DIM], w[PLEX_NV];

  for (int v = 0; v < PLEX_NV; ++v) {
    w[v] = 0;
    for (int i = 0; i < a->NP; ++i) w[v] += a->phi[g * a->NP + i] * a->w[((long long)e * PLEX_NV + v) * a->NP + i];
  }
  dg_viscous_axes(k, a->constants, axes);
  PLEX_DG_NAME(plex_viscous_turn)(axes, w, dw);
#endif
  dg_viscous(u, dw, k, a->constants, F);
#ifdef PLEX_DG_VISCOUS_SOURCE
  dg_viscous_source(u, dw, k, a->constants, S);
#endif
#ifdef PLEX_DG_VISCOUS_AXES
  PLEX_DG_NAME(plex_viscous_turn_back)(axes, F, S + PLEX_DG_NF - PLEX_NV);
#endif
}

/* The gradient of w, and F = P Fv(u, gradient); adds sources that read the gradient to the rates */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_flux)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                      int e, int t, int threads, double *work)
{
  const int     rows = PLEX_NV * PLEX_DIM, apart = a->FACES * a->MG, step = a->affine ? 1 : a->NG;
  const double *w = a->w + (long long)e * PLEX_NV * a->NP, *C = a->C + (long long)e * PLEX_DIM * PLEX_DIM * step;
  double       *A = work, *B = A + rows * (a->NG > a->NP ? a->NG : a->NP),
         *jumps = B + (B - A); /* [NV][DIM][NG] or [NP], [NV][FACES MG] */
#ifdef PLEX_VISCOUS_SOURCES
  double *S = jumps + PLEX_NV * apart, *sources = S + PLEX_DG_NF * a->NG; /* [NF][NG], [NF][NP] */
#endif

  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NG) /* A: weights times derivatives of w, times det J */
  {
    const int v = n / a->NG, g = n % a->NG;
    double    dw[PLEX_DIM];

    for (int r = 0; r < PLEX_DIM; ++r) {
      dw[r] = 0;
      for (int i = 0; i < a->NP; ++i) dw[r] += a->dphi[(r * a->NG + g) * a->NP + i] * w[v * a->NP + i];
    }
    for (int d = 0; d < PLEX_DIM; ++d) {
      double sum = 0;

      for (int r = 0; r < PLEX_DIM; ++r) sum += C[(r * PLEX_DIM + d) * step + (a->affine ? 0 : g)] * dw[r];
      A[(v * PLEX_DIM + d) * a->NG + g] = a->weights[g] * sum;
    }
  }
  PLEX_VISCOUS_EACH(n, apart)
  PLEX_DG_NAME(plex_viscous_jump)(a, stage, e, n / a->MG, n % a->MG, jumps + n);
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, rows * a->NP) /* B: redistributed */
  {
    const int row = n / a->NP, i = n % a->NP, v = row / PLEX_DIM, d = row % PLEX_DIM;
    double    sum = 0;

    for (int g = 0; g < a->NG; ++g) sum += a->phi[g * a->NP + i] * A[row * a->NG + g];
    for (int h = 0; h < apart; ++h) {
      double normal[PLEX_DIM];

      PLEX_DG_NAME(plex_viscous_normal)(a, e, h / a->MG, h % a->MG, normal);
      sum += a->sides[h * a->NP + i] * normal[d] * jumps[v * apart + h];
    }
    B[n] = sum;
  }
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, rows * a->NP) /* A: the gradient at the nodes */
  A[n] = PLEX_DG_NAME(plex_viscous_solve)(a, e, B + n / a->NP * a->NP, n % a->NP);
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(g, a->NG) /* B: weights times fluxes at the points, times det J */
  {
    const double scale = a->acts[e] > 0 ? a->weights[g] * (a->affine ? 1 : a->detJ[(long long)e * a->NG + g]) : 0;
    double       F[PLEX_DIM][PLEX_NV], s[PLEX_DG_NF];

    PLEX_DG_NAME(plex_viscous_point)(a, stage, e, g, A, F, s);
    for (int v = 0; v < PLEX_NV; ++v)
      for (int d = 0; d < PLEX_DIM; ++d) B[(v * PLEX_DIM + d) * a->NG + g] = scale > 0 ? scale * F[d][v] : 0;
#ifdef PLEX_VISCOUS_SOURCES
    for (int f = 0; f < PLEX_DG_NF; ++f) S[f * a->NG + g] = scale > 0 ? scale * s[f] : 0;
#endif
  }
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, rows * a->NP) /* A: redistributed */
  {
    const int row = n / a->NP, i = n % a->NP;
    double    sum = 0;

    for (int g = 0; g < a->NG; ++g) sum += a->phi[g * a->NP + i] * B[row * a->NG + g];
    A[n] = sum;
  }
#ifdef PLEX_VISCOUS_SOURCES
  PLEX_VISCOUS_EACH(n, PLEX_DG_NF * a->NP)
  {
    const int f = n / a->NP, i = n % a->NP;
    double    sum = 0;

    for (int g = 0; g < a->NG; ++g) sum += a->phi[g * a->NP + i] * S[f * a->NG + g];
    sources[n] = sum;
  }
#endif
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, rows * a->NP)
  a->F[(long long)e * rows * a->NP + n] = PLEX_DG_NAME(plex_viscous_solve)(a, e, A + n / a->NP * a->NP, n % a->NP);
#ifdef PLEX_VISCOUS_SOURCES
  PLEX_VISCOUS_EACH(n, PLEX_DG_NF * a->NP)
  PLEX_DG_NAME(plex_viscous_add)(stage, (long long)e * PLEX_DG_NF * a->NP + n,
                                 PLEX_DG_NAME(plex_viscous_solve)(a, e, sources + n / a->NP * a->NP, n % a->NP));
#endif
}

/* n.Fv(u, n jump) of the unit normal, for each variable */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_normal_flux)(const double u[], const double jump[], const double n[],
                                                             const double k[], const double c[], double q[])
{
  double dw[PLEX_DIM][PLEX_NV], F[PLEX_DIM][PLEX_NV];

  for (int d = 0; d < PLEX_DIM; ++d)
    for (int v = 0; v < PLEX_NV; ++v) dw[d][v] = n[d] * jump[v];
  dg_viscous(u, dw, k, c, F);
  for (int v = 0; v < PLEX_NV; ++v) {
    q[v] = 0;
    for (int d = 0; d < PLEX_DIM; ++d) q[v] += n[d] * F[d][v];
  }
}

/* Weights of face point g times the flux into the element, times the face's Jacobian: flux[NV], apart from each other by
   FACES MG */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_face)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                      int e, int f, int g, double *flux)
{
  const PLEX_DG_NAME(PlexViscousAcross) x = PLEX_DG_NAME(plex_viscous_across)(a, e, f);
  const int    apart = a->FACES * a->MG, *nodes = a->faceNodes + f * a->NFP;
  const double penalty = a->penalty[(long long)e * a->FACES + f];
  double       n[PLEX_DIM], jump[PLEX_NV], wP[PLEX_NV], qM[PLEX_NV], qP[PLEX_NV], uM[PLEX_DG_NF], uP[PLEX_DG_NF],
    inertia[2] = {0, 0}, size = 0, share = 0; /* that of the own flux */
  PLEX_VISCOUS_FACE_COEFFICIENTS(kM, KM, e, (long long)e * a->FACES + f, g);
  PLEX_VISCOUS_FACE_COEFFICIENTS(kP, KP, x.element, (long long)e * a->FACES + f, g);

  if (x.kind >= 0) {
#ifdef PLEX_DG_VISCOUS_BOUNDARY
    PLEX_DG_NAME(plex_viscous_state)(a, stage, e, nodes, g, uM);
    share = a->acts[e] > 0 && dg_viscous_boundary(x.kind, uM, kM, a->constants, wP);
    for (int k = 0; k < PLEX_DG_NF; ++k) uP[k] = uM[k];
#endif
  } else if (PLEX_DG_NAME(plex_viscous_open)(a, e, &x)) {
    PLEX_DG_NAME(plex_viscous_states)(a, stage, e, f, &x, g, uM, uP);
    dg_viscosity(uM, kM, a->constants, &inertia[0]);
    dg_viscosity(uP, kP, a->constants, &inertia[1]);
    share = inertia[1] / (inertia[0] + inertia[1]);
    for (int v = 0; v < PLEX_NV; ++v) wP[v] = PLEX_DG_NAME(plex_viscous_variable)(a, &x, v, g);
  }
  for (int v = 0; v < PLEX_NV; ++v) flux[v * apart] = 0;
  if (!(share > 0)) return;
  PLEX_DG_NAME(plex_viscous_normal)(a, e, f, g, n);
  for (int v = 0; v < PLEX_NV; ++v) {
    jump[v] = PLEX_DG_NAME(plex_viscous_trace)(a, a->w + ((long long)e * PLEX_NV + v) * a->NP, nodes, g) - wP[v];
    for (int d = 0; d < PLEX_DIM; ++d) {
      const int row = v * PLEX_DIM + d;
      double sum = share * PLEX_DG_NAME(plex_viscous_trace)(a, a->F + ((long long)e * PLEX_NV * PLEX_DIM + row) * a->NP,
                                                            nodes, g);

      if (x.kind < 0)
        sum += (1 - share) *
               PLEX_DG_NAME(plex_viscous_trace)(a,
                                                x.ghost < 0
                                                  ? a->F + ((long long)x.element * PLEX_NV * PLEX_DIM + row) * a->NP
                                                  : a->inF + ((long long)x.ghost * PLEX_NV * PLEX_DIM + row) * a->NFP,
                                                x.meet, g);
      flux[v * apart] += n[d] * sum;
    }
  }
  for (int d = 0; d < PLEX_DIM; ++d) size += n[d] * n[d];
  size = sqrt(size);
  for (int d = 0; d < PLEX_DIM; ++d) n[d] /= size;
  PLEX_DG_NAME(plex_viscous_normal_flux)(uM, jump, n, kM, a->constants, qM);
  PLEX_DG_NAME(plex_viscous_normal_flux)(uP, jump, n, kP, a->constants, qP);
  for (int v = 0; v < PLEX_NV; ++v)
    flux[v * apart] = a->faceWeights[g] * (flux[v * apart] - penalty * size * (share * qM[v] + (1 - share) * qP[v]));
}

/* Adds the rates of element e */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_rate)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                      int e, int t, int threads, double *work)
{
  const int     rows = PLEX_NV * PLEX_DIM, apart = a->FACES * a->MG, step = a->affine ? 1 : a->NG;
  const double *F = a->F + (long long)e * rows * a->NP, *C = a->C + (long long)e * PLEX_DIM * PLEX_DIM * step;
  double       *G = work, *sums = G + rows * a->NG, *fluxes = sums + PLEX_NV * a->NP; /* [NV][DIM][NG], [NV][NP], .. */

  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NG)
  {
    const int v = n / a->NG, g = n % a->NG;
    double    here[PLEX_DIM];

    for (int d = 0; d < PLEX_DIM; ++d) {
      here[d] = 0;
      for (int i = 0; i < a->NP; ++i) here[d] += a->phi[g * a->NP + i] * F[(v * PLEX_DIM + d) * a->NP + i];
    }
    for (int r = 0; r < PLEX_DIM; ++r) {
      double sum = 0;

      for (int d = 0; d < PLEX_DIM; ++d) sum += C[(r * PLEX_DIM + d) * step + (a->affine ? 0 : g)] * here[d];
      G[(v * PLEX_DIM + r) * a->NG + g] = a->weights[g] * sum;
    }
  }
  PLEX_VISCOUS_EACH(n, apart)
  PLEX_DG_NAME(plex_viscous_face)(a, stage, e, n / a->MG, n % a->MG, fluxes + n);
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NP)
  {
    const int v = n / a->NP, i = n % a->NP;
    double    sum = 0;

    for (int h = 0; h < apart; ++h) sum += a->sides[h * a->NP + i] * fluxes[v * apart + h];
    for (int r = 0; r < PLEX_DIM; ++r)
      for (int g = 0; g < a->NG; ++g) sum -= a->dphi[(r * a->NG + g) * a->NP + i] * G[(v * PLEX_DIM + r) * a->NG + g];
    sums[n] = sum;
  }
  PLEX_VISCOUS_SYNC();
  PLEX_VISCOUS_EACH(n, PLEX_NV * a->NP)
  PLEX_DG_NAME(plex_viscous_add)(stage, ((long long)e * PLEX_DG_NF + PLEX_DG_NF - PLEX_NV) * a->NP + n,
                                 PLEX_DG_NAME(plex_viscous_solve)(a, e, sums + n / a->NP * a->NP, n % a->NP));
}

PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_viscous_step)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                      int step, int e, int t, int threads, double *work)
{
  if (step == PLEX_VISCOUS_VARIABLES) PLEX_DG_NAME(plex_viscous_variables)(a, stage, e, t, threads, work);
  else if (step == PLEX_VISCOUS_FLUX) PLEX_DG_NAME(plex_viscous_flux)(a, stage, e, t, threads, work);
  else PLEX_DG_NAME(plex_viscous_rate)(a, stage, e, t, threads, work);
}

#undef PLEX_STATE_FUNCTION
#undef plex_state_get
#undef plex_state_set
#undef plex_state_sum
#undef PLEX_VISCOUS_IDLE
#undef PLEX_VISCOUS_NUMBERS
#undef PLEX_NV
#undef PLEX_VISCOUS_SOURCES
#undef PLEX_VISCOUS_EACH
#undef PLEX_VISCOUS_COEFFICIENTS
#undef PLEX_VISCOUS_FACE_COEFFICIENTS
