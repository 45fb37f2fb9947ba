/*
  The host's loops of DG with quadrature, for one dimension and precision of plexgpu/dg_system.h: pointwise functions of
  a system in flux form, at quadrature points. plexgpu/dg_loops.h includes this. Points of an element, or of a face, are
  innermost and consecutive in memory.
*/

/* Numbers of the coefficients at point g of n in a row: of the element, or k[PLEX_DG_NUMBERS] of those that vary */
#ifdef PLEX_DG_VARIABLE
  #define PLEX_DG_POINT_COEFFICIENTS(k, element, values, count, n, g) \
    plex_real k[PLEX_DG_NUMBERS] = {0}; \
    for (int i = 0; i < PLEX_DG_NK * (count); ++i) \
    k[i / (count) * (1 + PLEX_DIM) + i % (count)] = (values)[i * (n) + (g)]
#else
  #define PLEX_DG_POINT_COEFFICIENTS(k, element, values, count, n, g) const plex_real *k = (element)
#endif

#include <dg/numerical_flux.h>

/* What an element's energy gains through its faces, and the like: of an element, [PLEX_DG_BALANCES] of them.
   cuda/dg/entropy.h */
#ifdef PLEX_DG_ENTROPY
  #include <dg/entropy.h>
#endif

#ifdef PLEX_DG_ENTROPY
/* Entropy variables at the points of element e, times det J where it is not affine; the balance of its volume */
PLEX_DG_FUNCTION void PLEX_DG_NAME(PlexDGLoopEntropy)(const PlexDGArgs *args, const PlexDGPointBlock *b, PetscInt e)
{
  const PetscInt NG           = b->NG;
  const plex_real *restrict U = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * NG, *restrict c = PLEX_DG_CONSTANTS;
  const plex_real *restrict weights = (const plex_real *)b->weights;
  const plex_real *det              = b->affine ? NULL : (const plex_real *)b->detJ + (size_t)(b->first + e) * NG;
  const plex_real *K    = (const plex_real *)b->K + (size_t)(b->first + e) * PLEX_DG_NK * (1 + PLEX_DIM) * NG;
  plex_real *restrict W = (plex_real *)b->W + (size_t)e * PLEX_DG_NF * NG;
  plex_real *balance = (plex_real *)b->balances + (size_t)e * PLEX_DG_BALANCES, sum = 0, area = 0, least = 0,
            inverse     = 0;
  const PetscInt   step = b->affine ? 1 : NG, next = b->affine ? 0 : 1;
  const plex_real *C = (const plex_real *)b->C + (size_t)(b->first + e) * PLEX_DIM * PLEX_DIM * step;

  #pragma GCC ivdep
  for (PetscInt g = 0; g < NG; ++g) {
    const plex_real k[1] = {K[g]}, scale = det ? det[g] : 1;
    plex_real       u[PLEX_DG_NF], w[PLEX_DG_NF], H;

    for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = U[f * NG + g];
    H = dg_entropy(u, k, c, w);
    for (int f = 0; f < PLEX_DG_NF; ++f) W[f * NG + g] = scale * w[f];
    sum += weights[g] * scale * H;
    area += weights[g] * scale;
    least = fmin(least, H - c[PLEX_DG_DRY]);
    inverse += weights[g] * PLEX_DG_NAME(plex_entropy_size)(C + g * next, (int)step);
  }
  balance[PLEX_DG_DEPTH]   = sum / area;
  balance[PLEX_DG_AREA]    = area;
  balance[PLEX_DG_LEAST]   = least;
  balance[PLEX_DG_INVERSE] = inverse / area;
}
#endif

/* G_a = sum_d C[a][d] F_d(u), equation 2.14 */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopPointFlux)(const PlexDGArgs *args, const PlexDGPointBlock *b)
{
  const PetscInt NG = b->NG, step = b->affine ? 1 : NG, next = b->affine ? 0 : 1;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *restrict C = (const plex_real *)b->C + (size_t)(b->first + e) * PLEX_DIM * PLEX_DIM * step,
                              *restrict ke = PLEX_DG_COEFFICIENTS(b->first + e), *restrict c = PLEX_DG_CONSTANTS;
    const plex_real *restrict U = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * NG;
    plex_real *restrict G       = (plex_real *)b->G + (size_t)e * PLEX_DG_NF * PLEX_DIM * NG;
    const plex_real *K          = (const plex_real *)b->K + (size_t)(b->first + e) * PLEX_DG_NK * (1 + PLEX_DIM) * NG;

    (void)ke;
    (void)K;
#pragma GCC ivdep
    for (PetscInt g = 0; g < NG; ++g) {
      plex_real u[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];
      PLEX_DG_POINT_COEFFICIENTS(k, ke, K, 1 + PLEX_DIM, NG, g);

      for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = U[f * NG + g];
      dg_flux(u, k, c, F);
      for (int f = 0; f < PLEX_DG_NF; ++f) {
        for (int a = 0; a < PLEX_DIM; ++a) {
          plex_real sum = 0;

          for (int d = 0; d < PLEX_DIM; ++d) sum += C[(a * PLEX_DIM + d) * step + g * next] * F[d][f];
          G[(f * PLEX_DIM + a) * NG + g] = sum;
        }
      }
    }
#ifdef PLEX_DG_SOURCE
    const size_t     at  = (size_t)(b->first + e) * NG;
    const plex_real *det = b->affine ? NULL : (const plex_real *)b->detJ + at;
    plex_real       *S   = (plex_real *)b->S + (size_t)e * PLEX_DG_NF * NG;

    for (PetscInt g = 0; g < NG; ++g) {
      plex_real u[PLEX_DG_NF], s[PLEX_DG_NF] = {0};
      PLEX_DG_POINT_COEFFICIENTS(k, ke, K, 1 + PLEX_DIM, NG, g);

      for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = U[f * NG + g];
      dg_source(u, PLEX_DG_POSITION((const plex_real *)b->x, at + g), (plex_real)args->t, k, c, s);
      for (int f = 0; f < PLEX_DG_NF; ++f) S[f * NG + g] = det ? det[g] * s[f] : s[f];
    }
#endif
#ifdef PLEX_DG_ENTROPY
    if (b->W) PLEX_DG_NAME(PlexDGLoopEntropy)(args, b, e);
#endif
  }
}

/* The points of a face, seen from one of its two elements */
typedef struct {
  const plex_real *UM, *UP;   /* [NF][faces * MG] values of the element and across, of this face */
  int              kind;      /* of boundary condition, which makes UP; -1: there is an element across */
  const plex_real *x;         /* [MG][dim] positions of points at the boundary, if the system asks for them */
  const plex_real *normals;   /* [dim][step] outward, scaled by the ratio of areas */
  PetscInt         step;      /* MG; 1: the same normal at all points */
  const plex_real *keM, *keP; /* coefficients of the element, and of that across */
  const plex_real *KM, *KP;   /* [NK][MG] those that vary from point to point */
  plex_real       *balance;   /* of the element, to which that of the face is added; NULL: none is asked for */
} PLEX_DG_NAME(PlexDGPointFace);

/* The numerical flux n.F* = n.F(u-) - (n.F(u-) - n.F*) at points of a face, in Q[NF][faces * MG], the row of one
   face */
PLEX_DG_FUNCTION void PLEX_DG_NAME(PlexDGLoopPointFace)(const PlexDGArgs *args, const PlexDGPointBlock *b,
                                                        const PLEX_DG_NAME(PlexDGPointFace) * face,
                                                        plex_real *restrict Q)
{
  const PetscInt MG = b->MG, FMG = b->faces * MG, step = face->step;
  const plex_real *restrict c = PLEX_DG_CONSTANTS, *restrict UM = face->UM, *restrict UP = face->UP;
  const plex_real *restrict normals = face->normals, *restrict keM = face->keM, *restrict keP = face->keP;
  const plex_real *KM = face->KM, *KP = face->KP;
  const plex_real  t = (plex_real)args->t;

  (void)keM;
  (void)keP;
  (void)KM;
  (void)KP;
#ifdef PLEX_DG_ENTROPY
  plex_real crossing = 0;
#endif
  for (PetscInt g = 0; g < MG; ++g) {
    plex_real uM[PLEX_DG_NF], uP[PLEX_DG_NF], f[PLEX_DG_NF], n[PLEX_DIM], scale = 0;
    PLEX_DG_POINT_COEFFICIENTS(kM, keM, KM, 1, MG, g);
    PLEX_DG_POINT_COEFFICIENTS(kP, keP, KP, 1, MG, g);

    for (int d = 0; d < PLEX_DIM; ++d) {
      n[d] = normals[d * step + (step > 1 ? g : 0)];
      scale += n[d] * n[d];
    }
    scale = sqrt(scale);
    for (int d = 0; d < PLEX_DIM; ++d) n[d] /= scale;
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] = UM[k * FMG + g];
      uP[k] = UP[k * FMG + g];
    }
    if (face->kind >= 0) dg_boundary(face->kind, uM, n, PLEX_DG_AT_BOUNDARY(face->x, g), t, kM, c, uP);
    PLEX_DG_NAME(plex_flux_star)(uM, uP, n, kM, kP, c, f);
    for (int k = 0; k < PLEX_DG_NF; ++k) Q[k * FMG + g] = scale * f[k];
#ifdef PLEX_DG_ENTROPY
    if (face->balance) {
      const plex_real weight = ((const plex_real *)b->faceWeights)[g] * scale;

      crossing += weight * PLEX_DG_NAME(plex_entropy_crossing)(uM, uP, n, kM, kP, c, f);
    }
#endif
  }
#ifdef PLEX_DG_ENTROPY
  if (face->balance) face->balance[PLEX_DG_CROSSING] += crossing;
#endif
}

/* Equations 2.18 and 2.19, of all faces */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopPointFaces)(const PlexDGArgs *args, const PlexDGPointBlock *b)
{
  const PetscInt MG = b->MG, faces = b->faces, turns = b->turns, own = args->Ne * faces, step = b->affine ? 1 : MG;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *kM = PLEX_DG_COEFFICIENTS(b->first + e);
#ifdef PLEX_DG_ENTROPY
    plex_real *balance = b->W ? (plex_real *)b->balances + (size_t)e * PLEX_DG_BALANCES : NULL;

    if (balance) balance[PLEX_DG_CROSSING] = 0;
#endif

    for (PetscInt f = 0; f < faces; ++f) {
      const size_t   at   = ((size_t)e * PLEX_DG_NF * faces + f) * MG;
      const PetscInt link = args->links[(b->first + e) * faces + f], trace = link / turns;
      const size_t   side = (size_t)((b->first + e) * faces + f);
      PLEX_DG_NAME(PlexDGPointFace)
      face = {.UM   = (const plex_real *)b->UM + at,
              .UP   = (const plex_real *)b->UP + at,
              .kind = -1,
              .step = step,
              .keM  = kM,
              .keP  = kM};

      face.normals = (const plex_real *)b->normals + side * PLEX_DIM * step;
      face.KM      = (const plex_real *)b->KM + side * PLEX_DG_NK * MG;
      face.KP      = (const plex_real *)b->KP + side * PLEX_DG_NK * MG;
#ifdef PLEX_DG_ENTROPY
      face.balance = balance;
#endif
      /* two calls, each inlined for its case */
      if (link < 0) {
        face.kind = args->kinds[-link - 1];
        face.x    = PLEX_DG_AT_BOUNDARY((const plex_real *)args->facets, (size_t)(-link - 1) * MG);
        PLEX_DG_NAME(PlexDGLoopPointFace)(args, b, &face, (plex_real *)b->Q + at);
      } else {
        face.keP = PLEX_DG_COEFFICIENTS(trace < own ? trace / faces : args->Ne + trace - own);
        PLEX_DG_NAME(PlexDGLoopPointFace)(args, b, &face, (plex_real *)b->Q + at);
      }
    }
  }
}

#ifdef PLEX_DG_ENTROPY
/* Takes from the rates r of a block's elements what their energy gains. B: W redistributed */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopCorrect)(const PlexDGArgs *args, const PlexDGPointBlock *b,
                                                           const void *B, void *r)
{
  const PetscInt   Np = b->Np;
  const plex_real *W2 = (const plex_real *)b->W2;

  for (PetscInt e = 0; e < b->n; ++e) {
    const size_t     at       = (size_t)e * PLEX_DG_NF * Np;
    const plex_real *sums     = (const plex_real *)B + at,
                    *balance  = (const plex_real *)b->balances + (size_t)e * PLEX_DG_BALANCES,
                    *Minv     = (const plex_real *)b->Minv + (b->affine ? 0 : (size_t)(b->first + e) * Np * Np),
                    *det      = b->affine ? NULL : (const plex_real *)b->detJ + (size_t)(b->first + e) * b->NG;
    plex_real *restrict rates = (plex_real *)r + at, gain = balance[PLEX_DG_CROSSING], weights[PLEX_DG_MAX_NODES];

    for (PetscInt i = 0; i < PLEX_DG_NF * Np; ++i) gain += sums[i] * rates[i];
    if (!(gain > 0)) continue;
    for (PetscInt i = 0; i < Np; ++i) weights[i] = 0;
    for (PetscInt g = 0; g < b->NG; ++g)
      for (PetscInt i = 0; i < Np; ++i) weights[i] += W2[g * Np + i] * (det ? det[g] : 1);
    PLEX_DG_NAME(plex_entropy_correct)((int)Np, balance, gain, (plex_real)b->rate, PLEX_DG_CONSTANTS, sums, weights,
                                       Minv, rates);
  }
}
#endif

#if defined(PLEX_DG_VISCOUS) && defined(PLEX_DG_DOUBLE)
  #define PLEX_VISCOUS_SYNC() ((void)0)
  #include <dg/viscous.h>
  #undef PLEX_VISCOUS_SYNC

/* A step of viscous fluxes, of elements begin .. end; work[a->work] */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopViscous)(const PlexDGViscousArgs *a, const PlexDGViscousStage *stage,
                                                           int step, PetscInt begin, PetscInt end, double *work)
{
  for (PetscInt e = begin; e < end; ++e) PLEX_DG_NAME(plex_viscous_step)(a, stage, step, (int)e, 0, 1, work);
}

static void PLEX_DG_NAME(PlexDGLoopViscousPack)(const PlexDGViscousArgs *a, int which)
{
  for (int g = 0; g < a->nghosts; ++g) PLEX_DG_NAME(plex_viscous_pack)(a, g, which);
}

static double PLEX_DG_NAME(PlexDGHostViscosity)(const double u[], const double k[], const double c[], double *inertia)
{
  return dg_viscosity(u, k, c, inertia);
}
#endif

#undef PLEX_DG_POINT_COEFFICIENTS
