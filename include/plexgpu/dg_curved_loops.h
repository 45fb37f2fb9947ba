/*
  The host's loops over curved elements of nodal DG, for one dimension and precision of plexgpu/dg_system.h: pointwise
  functions of a linear system at quadrature points. plexgpu/dg_loops.h includes this.

  With B_d of u_t = V(u, du/dx) = -sum_d B_d du/dx_d + local terms, fluxes along any direction n are B_n u = -V(0, n u).
  Equation k of the system is s_k times in strong form and 1 - s_k times integrated by parts, s_k = 1 where bit k of
  PLEX_DG_STRONG is set and 0 where it is not, 1/2 of a system that does not define it:

    S = s V(0, sum_a C_a du/dr_a),   G_a = -(1 - s) V(0, C_a u),   Q = |n| f(u-, u+) + (1 - s) V(0, n u-)

  Where B couples only equations with s_j + s_k = 1, the volume gives and takes no energy with any points.
*/
#ifdef PLEX_DG_STRONG
  #define PLEX_DG_SHARE(k) ((plex_real)(PLEX_DG_STRONG >> (k) & 1))
#else
  #define PLEX_DG_SHARE(k) ((plex_real)0.5)
#endif

/* r = V(0, n u) */
PLEX_DG_FUNCTION void PLEX_DG_NAME(plex_dg_along)(const plex_real u[], const plex_real n[], const plex_real k[],
                                                  const plex_real c[], plex_real r[])
{
  plex_real zero[PLEX_DG_NF] = {0}, du[PLEX_DIM][PLEX_DG_NF];

  for (int d = 0; d < PLEX_DIM; ++d)
    for (int f = 0; f < PLEX_DG_NF; ++f) du[d][f] = n[d] * u[f];
  dg_volume(zero, du, k, c, r);
}

PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopCurvedVolume)(const PlexDGArgs *args, const PlexDGCurvedBlock *b)
{
  const PetscInt NG = b->NG;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *restrict C           = (const plex_real *)b->C + (size_t)(b->index + e) * PLEX_DIM * PLEX_DIM * NG,
                              *restrict k = PLEX_DG_COEFFICIENTS(b->first + e), *restrict c = PLEX_DG_CONSTANTS;
    const plex_real *restrict U  = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * NG;
    const plex_real *restrict dU = (const plex_real *)b->dU + (size_t)e * PLEX_DG_NF * PLEX_DIM * NG;
    plex_real *restrict S        = (plex_real *)b->S + (size_t)e * PLEX_DG_NF * NG;
    plex_real *restrict G        = (plex_real *)b->G + (size_t)e * PLEX_DG_NF * PLEX_DIM * NG;

#pragma GCC ivdep
    for (PetscInt g = 0; g < NG; ++g) {
      plex_real zero[PLEX_DG_NF] = {0}, u[PLEX_DG_NF], du[PLEX_DIM][PLEX_DG_NF], r[PLEX_DG_NF], n[PLEX_DIM];

      for (int f = 0; f < PLEX_DG_NF; ++f) {
        u[f] = U[f * NG + g];
        for (int d = 0; d < PLEX_DIM; ++d) {
          du[d][f] = 0;
          for (int a = 0; a < PLEX_DIM; ++a)
            du[d][f] += C[(a * PLEX_DIM + d) * NG + g] * dU[(f * PLEX_DIM + a) * NG + g];
        }
      }
      dg_volume(zero, du, k, c, r);
      for (int f = 0; f < PLEX_DG_NF; ++f) S[f * NG + g] = PLEX_DG_SHARE(f) * r[f];
      for (int a = 0; a < PLEX_DIM; ++a) {
        for (int d = 0; d < PLEX_DIM; ++d) n[d] = C[(a * PLEX_DIM + d) * NG + g];
        PLEX_DG_NAME(plex_dg_along)(u, n, k, c, r);
        for (int f = 0; f < PLEX_DG_NF; ++f) G[(f * PLEX_DIM + a) * NG + g] = -(1 - PLEX_DG_SHARE(f)) * r[f];
      }
    }
  }
}

/* Q at the points of face f of element e of the block; link: what lies across */
PLEX_DG_FUNCTION void PLEX_DG_NAME(PlexDGLoopCurvedFace)(const PlexDGArgs *args, const PlexDGCurvedBlock *b, PetscInt e,
                                                         PetscInt f, PetscInt link)
{
  const PetscInt   MG = b->MG, Nfp = b->Nfp, faces = b->faces, trace = link / b->turns, own = args->Ne * faces;
  const size_t     at = ((size_t)e * PLEX_DG_NF * faces + f) * MG;
  const plex_real *UM = (const plex_real *)b->UM + at, *UP = (const plex_real *)b->UP + at, *c = PLEX_DG_CONSTANTS,
                  *element = PLEX_DG_COEFFICIENTS(b->first + e),
                  *across  = link < 0    ? element
                           : trace < own ? PLEX_DG_COEFFICIENTS(trace / faces)
                                         : PLEX_DG_COEFFICIENTS(args->Ne + trace - own),
                  *N       = (const plex_real *)b->normals + ((size_t)(b->index + e) * faces + f) * PLEX_DIM * MG,
                  *psi     = (const plex_real *)b->psi;
  plex_real *Q             = (plex_real *)b->Q + at;
#ifdef PLEX_DG_WEIGHTS
  const plex_real *K = b->k ? (const plex_real *)b->k + ((size_t)(b->index + e) * faces + f) * 2 * PLEX_DG_NK * MG
                            : NULL;
#endif

  for (PetscInt g = 0; g < MG; ++g) {
    plex_real uM[PLEX_DG_NF], uP[PLEX_DG_NF], flux[PLEX_DG_NF], along[PLEX_DG_NF], scaled[PLEX_DIM], n[PLEX_DIM],
      scale = 0;

    for (int d = 0; d < PLEX_DIM; ++d) {
      scaled[d] = N[d * MG + g];
      scale += scaled[d] * scaled[d];
    }
    scale = sqrt(scale);
    for (int d = 0; d < PLEX_DIM; ++d) n[d] = scaled[d] / scale;
    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] = UM[k * faces * MG + g];
      uP[k] = UP[k * faces * MG + g];
    }
#ifdef PLEX_DG_WEIGHTS
    /* fluxes of the coefficients at the point, over the weights of the element, by which the volume's are divided */
    plex_real kHere[PLEX_DG_NK], kThere[PLEX_DG_NK], wHere[PLEX_DG_WEIGHTS], wOwn[PLEX_DG_WEIGHTS];

    for (int i = 0; K && i < PLEX_DG_NK; ++i) {
      kHere[i]  = K[i * MG + g];
      kThere[i] = K[(PLEX_DG_NK + i) * MG + g];
    }
    const plex_real *kM = K ? kHere : element, *kP = K ? kThere : across;
#else
    const plex_real *kM = element, *kP = across;
#endif
    if (link < 0) {
      plex_real x[PLEX_DIM] = {0};

      for (PetscInt m = 0; args->facets && m < Nfp; ++m)
        for (int d = 0; d < PLEX_DIM; ++d)
          x[d] += psi[g * Nfp + m] * ((const plex_real *)args->facets)[((size_t)(-link - 1) * Nfp + m) * PLEX_DIM + d];
      dg_boundary(args->kinds[-link - 1], uM, n, args->facets ? x : NULL, (plex_real)args->t, kM, c, uP);
    }
    dg_face(uM, uP, n, kM, kP, c, flux);
#ifdef PLEX_DG_WEIGHTS
    if (K) {
      dg_weights(kM, c, wHere);
      dg_weights(element, c, wOwn);
      for (int k = 0; k < PLEX_DG_NF; ++k) flux[k] *= wHere[PLEX_DG_WEIGHT_OF(k)] / wOwn[PLEX_DG_WEIGHT_OF(k)];
    }
#endif
    PLEX_DG_NAME(plex_dg_along)(uM, scaled, element, c, along);
    for (int k = 0; k < PLEX_DG_NF; ++k) Q[k * faces * MG + g] = scale * flux[k] + (1 - PLEX_DG_SHARE(k)) * along[k];
  }
}

static void PLEX_DG_NAME(PlexDGLoopCurvedFaces)(const PlexDGArgs *args, const PlexDGCurvedBlock *b)
{
  for (PetscInt e = 0; e < b->n; ++e)
    for (PetscInt f = 0; f < b->faces; ++f)
      PLEX_DG_NAME(PlexDGLoopCurvedFace)(args, b, e, f, args->links[(b->first + e) * b->faces + f]);
}

/* What dg_volume() has without derivatives, and sources */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopCurvedLocal)(const PlexDGArgs *args, const PlexDGCurvedBlock *b)
{
  const PetscInt   Np = b->Np;
  const plex_real *c  = PLEX_DG_CONSTANTS;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *k = PLEX_DG_COEFFICIENTS(b->first + e),
                    *U = (const plex_real *)b->nodal + (size_t)e * PLEX_DG_NF * Np;
    plex_real *R       = (plex_real *)b->R + (size_t)e * PLEX_DG_NF * Np;

    for (PetscInt i = 0; i < Np; ++i) {
      plex_real u[PLEX_DG_NF], zero[PLEX_DIM][PLEX_DG_NF] = {{0}}, r[PLEX_DG_NF];

      for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = U[f * Np + i];
      dg_volume(u, zero, k, c, r);
#ifdef PLEX_DG_SOURCE
      plex_real s[PLEX_DG_NF] = {0};

      dg_source(u, PLEX_DG_POSITION((const plex_real *)b->x, (size_t)(b->index + e) * Np + i), (plex_real)args->t, k, c,
                s);
      for (int f = 0; f < PLEX_DG_NF; ++f) r[f] += s[f];
#endif
      for (int f = 0; f < PLEX_DG_NF; ++f) R[f * Np + i] += r[f];
    }
  }
}

#undef PLEX_DG_SHARE
