/*
  One dimension and precision of plexgpu/dg_system.h, which includes this four times: PLEX_DIM, plex_real,
  PLEX_DG_NAME().

  In all loops the nodes of an element are innermost and consecutive in memory, so that they go to the lanes of vector
  registers.
*/
#define dg_volume         PLEX_DG_NAME(dg_volume)
#define dg_flux           PLEX_DG_NAME(dg_flux)
#define dg_face           PLEX_DG_NAME(dg_face)
#define dg_numerical_flux PLEX_DG_NAME(dg_numerical_flux)
#define dg_boundary       PLEX_DG_NAME(dg_boundary)
#define dg_source         PLEX_DG_NAME(dg_source)
#define dg_speed          PLEX_DG_NAME(dg_speed)
#define dg_energy         PLEX_DG_NAME(dg_energy)
#define dg_rate           PLEX_DG_NAME(dg_rate)
#define dg_decay          PLEX_DG_NAME(dg_decay)
#define dg_weights        PLEX_DG_NAME(dg_weights)

#define dg_entropy       PLEX_DG_NAME(dg_entropy)
#define dg_entropy_scale PLEX_DG_NAME(dg_entropy_scale)
#define dg_pressure      PLEX_DG_NAME(dg_pressure)

#define dg_viscous           PLEX_DG_NAME(dg_viscous)
#define dg_viscous_variables PLEX_DG_NAME(dg_viscous_variables)
#define dg_viscous_boundary  PLEX_DG_NAME(dg_viscous_boundary)
#define dg_viscous_source    PLEX_DG_NAME(dg_viscous_source)
#define dg_viscous_axes      PLEX_DG_NAME(dg_viscous_axes)
#define dg_viscosity         PLEX_DG_NAME(dg_viscosity)

#define dg_to_reference    PLEX_DG_NAME(dg_to_reference)
#define dg_from_reference  PLEX_DG_NAME(dg_from_reference)
#define dg_local           PLEX_DG_NAME(dg_local)
#define dg_prepare         PLEX_DG_NAME(dg_prepare)
#define dg_prepare_element PLEX_DG_NAME(dg_prepare_element)
#define dg_face_prepared   PLEX_DG_NAME(dg_face_prepared)

#include PLEX_DG_POINTWISE

#ifndef PLEX_DG_NF
  #error The header of the pointwise functions has to define PLEX_DG_NF, the number of fields
#endif
#ifndef PLEX_DG_NK
  #define PLEX_DG_NK 0
#endif
#ifndef PLEX_DG_NC
  #define PLEX_DG_NC 0
#endif

#if defined(PLEX_DG_DECAY) && defined(PLEX_DG_VARIABLE)
  #error PLEX_DG_DECAY is for coefficients that are constant in an element: with PLEX_DG_VARIABLE use dg_source() and dg_rate()
#endif

/* Numbers that pointwise functions are given of the coefficients: of those that vary in an element value and
   derivatives */
#ifdef PLEX_DG_VARIABLE
  #define PLEX_DG_NUMBERS (PLEX_DG_NK * (1 + PLEX_DIM))
  #ifndef PLEX_DG_SLOPES
    #define PLEX_DG_SLOPES ((1u << PLEX_DG_NK) - 1)
  #endif
  #ifndef PLEX_DG_ON_FACES
    #define PLEX_DG_ON_FACES ((1u << PLEX_DG_NK) - 1)
  #endif
#else
  #define PLEX_DG_NUMBERS PLEX_DG_NK
#endif

/* Position m of x[m][dim]. Only a system that asks for positions has any; NULL in other cases */
#ifdef PLEX_DG_POSITIONS
  #define PLEX_DG_POSITION(x, m) (&(x)[(m) * PLEX_DIM])
#else
  #define PLEX_DG_POSITION(x, m) NULL
#endif
/* Likewise what dg_boundary() gets, which may be values in time */
#ifdef PLEX_DG_BOUNDARY_VALUES
  #define PLEX_DG_AT_BOUNDARY(x, m) ((x) ? &(x)[(m) * PLEX_DIM] : NULL)
#else
  #define PLEX_DG_AT_BOUNDARY(x, m) PLEX_DG_POSITION(x, m)
#endif

/* Numbers of element e, constants */
#define PLEX_DG_COEFFICIENTS(e) ((const plex_real *)args->coefficients + (size_t)(e) * PLEX_DG_NK)
#define PLEX_DG_CONSTANTS       ((const plex_real *)args->constants)

#ifdef PLEX_DG_FLUX_FORM
/* G_a = sum_d dr_a/dx_d F_d(u) */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopFlux)(const PlexDGArgs *args, const PlexDGHostBlock *b)
{
  const PetscInt Np = b->Np;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *rx         = (const plex_real *)args->geometry + (size_t)(b->first + e) * PLEX_DIM * PLEX_DIM,
                    *k          = PLEX_DG_COEFFICIENTS(b->first + e);
    const plex_real *restrict U = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * Np;
    plex_real *restrict G       = (plex_real *)b->G + (size_t)e * PLEX_DG_NF * PLEX_DIM * Np;

    for (PetscInt i = 0; i < Np; ++i) {
      plex_real u[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

      for (int f = 0; f < PLEX_DG_NF; ++f) u[f] = U[f * Np + i];
      dg_flux(u, k, PLEX_DG_CONSTANTS, F);
      for (int f = 0; f < PLEX_DG_NF; ++f) {
        for (int a = 0; a < PLEX_DIM; ++a) {
          plex_real sum = 0;

          for (int d = 0; d < PLEX_DIM; ++d) sum += rx[a * PLEX_DIM + d] * F[d][f];
          G[(f * PLEX_DIM + a) * Np + i] = sum;
        }
      }
    }
  }
}
#else
/* r from du/dx_d = sum_a dr_a/dx_d du/dr_a */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopVolume)(const PlexDGArgs *args, const PlexDGHostBlock *b)
{
  const PetscInt Np = b->Np;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *restrict rx = (const plex_real *)args->geometry + (size_t)(b->first + e) * PLEX_DIM * PLEX_DIM,
                              *restrict k = PLEX_DG_COEFFICIENTS(b->first + e), *restrict c = PLEX_DG_CONSTANTS;
    const plex_real *restrict U  = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * Np;
    const plex_real *restrict dU = (const plex_real *)b->dU + (size_t)e * PLEX_DG_NF * PLEX_DIM * Np;
    plex_real *restrict R        = (plex_real *)b->R + (size_t)e * PLEX_DG_NF * Np;

  #pragma GCC ivdep
    for (PetscInt i = 0; i < Np; ++i) {
      plex_real u[PLEX_DG_NF], du[PLEX_DIM][PLEX_DG_NF], r[PLEX_DG_NF];

      for (int f = 0; f < PLEX_DG_NF; ++f) {
        u[f] = U[f * Np + i];
        for (int d = 0; d < PLEX_DIM; ++d) {
          du[d][f] = 0;
          for (int a = 0; a < PLEX_DIM; ++a) du[d][f] += rx[a * PLEX_DIM + d] * dU[(f * PLEX_DIM + a) * Np + i];
        }
      }
      dg_volume(u, du, k, c, r);
      for (int f = 0; f < PLEX_DG_NF; ++f) R[f * Np + i] = r[f];
    }
  }
}
#endif

#ifdef PLEX_DG_SOURCE
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopSource)(const PlexDGArgs *args, const PlexDGHostBlock *b)
{
  const PetscInt   Np     = b->Np;
  const plex_real *lambda = (const plex_real *)b->lambda;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *vertices = args->vertices
                                ? (const plex_real *)args->vertices + (size_t)(b->first + e) * (PLEX_DIM + 1) * PLEX_DIM
                                : NULL;
    const plex_real *U        = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * Np;
    plex_real       *R        = (plex_real *)b->R + (size_t)e * PLEX_DG_NF * Np;

    for (PetscInt i = 0; i < Np; ++i) {
      plex_real u[PLEX_DG_NF], r[PLEX_DG_NF], x[PLEX_DIM];

      for (int d = 0; d < PLEX_DIM; ++d) {
        x[d] = 0;
        for (int v = 0; vertices && v <= PLEX_DIM; ++v)
          x[d] += lambda[i * (PLEX_DIM + 1) + v] * vertices[v * PLEX_DIM + d];
      }
      for (int f = 0; f < PLEX_DG_NF; ++f) {
        u[f] = U[f * Np + i];
        r[f] = 0;
      }
      dg_source(u, x, (plex_real)args->t, PLEX_DG_COEFFICIENTS(b->first + e), PLEX_DG_CONSTANTS, r);
      for (int f = 0; f < PLEX_DG_NF; ++f) R[f * Np + i] += r[f];
    }
  }
}
#endif

/* A face, seen from one of its two elements */
typedef struct {
  const plex_real *U;           /* [NF][Np] values of the element */
  const int       *own;         /* [Nfp] the element's nodes on the face */
  const double    *across;      /* [NF][stride] values of the element across, or NULL and */
  const plex_real *received;    /* [NF][stride] those received of its trace */
  PetscInt         stride;      /* Np, or Nfp of a trace */
  const int       *at;          /* [Nfp] node of these that is where own[m] is */
  int              kind;        /* of boundary condition, in place of `across` */
  const plex_real *x;           /* [Nfp][dim] positions of nodes at the boundary, if the system asks for them */
  const plex_real *kM, *kP;     /* coefficients of the element, and of that across */
  plex_real        n[PLEX_DIM]; /* outward unit normal */
  plex_real        scale;       /* Fscale of equation 5 */
} PLEX_DG_NAME(PlexDGFace);

/* F[NF][faces * Nfp], the row of one face, on the boundary or not. Values are gathered first, so that the rest goes
   along consecutive numbers */
PLEX_DG_FUNCTION void PLEX_DG_NAME(PlexDGLoopFace)(const PlexDGArgs *args, const PlexDGHostBlock *b, PetscBool boundary,
                                                   const PLEX_DG_NAME(PlexDGFace) * face, plex_real *restrict F)
{
  const PetscInt Np = b->Np, Nfp = b->Nfp, FNfp = (PLEX_DIM + 1) * Nfp, stride = face->stride;
  const plex_real *restrict c = PLEX_DG_CONSTANTS, *restrict U = face->U, *restrict kM = face->kM,
                            *restrict kP = face->kP, *restrict n = face->n;
  const int *restrict own = face->own, *restrict at = face->at;
  const double *restrict across      = face->across;
  const plex_real *restrict received = face->received;
  const plex_real t = (plex_real)args->t, scale = face->scale;
  plex_real       inside[PLEX_DG_NF][PLEX_DG_MAX_FACE_NODES], outside[PLEX_DG_NF][PLEX_DG_MAX_FACE_NODES];

  for (int k = 0; k < PLEX_DG_NF; ++k)
    for (PetscInt m = 0; m < Nfp; ++m) inside[k][m] = U[k * Np + own[m]];
  if (!boundary && across) {
    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (PetscInt m = 0; m < Nfp; ++m) outside[k][m] = (plex_real)across[k * stride + at[m]];
  } else if (!boundary) {
    for (int k = 0; k < PLEX_DG_NF; ++k)
      for (PetscInt m = 0; m < Nfp; ++m) outside[k][m] = received[k * stride + at[m]];
  } else {
    for (PetscInt m = 0; m < Nfp; ++m) {
      plex_real uM[PLEX_DG_NF], uP[PLEX_DG_NF];

      for (int k = 0; k < PLEX_DG_NF; ++k) uM[k] = inside[k][m];
      dg_boundary(face->kind, uM, n, PLEX_DG_POSITION(face->x, m), t, kM, c, uP);
      for (int k = 0; k < PLEX_DG_NF; ++k) outside[k][m] = uP[k];
    }
  }
#pragma GCC ivdep
  for (PetscInt m = 0; m < Nfp; ++m) {
    plex_real uM[PLEX_DG_NF], uP[PLEX_DG_NF], f[PLEX_DG_NF];

    for (int k = 0; k < PLEX_DG_NF; ++k) {
      uM[k] = inside[k][m];
      uP[k] = outside[k][m];
    }
    dg_face(uM, uP, n, kM, kP, c, f);
    for (int k = 0; k < PLEX_DG_NF; ++k) F[k * FNfp + m] = scale * f[k];
  }
}

/* F = Fscale (n.F(u-) - (n.F)*), equation 5, at the nodes of all faces */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopFaces)(const PlexDGArgs *args, const PlexDGHostBlock *b)
{
  const PetscInt Np = b->Np, Nfp = b->Nfp, faces = PLEX_DIM + 1, turns = PLEX_DIM == 2 ? 2 : 6, own = args->Ne * faces;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *rx = (const plex_real *)args->geometry + (size_t)(b->first + e) * PLEX_DIM * PLEX_DIM,
                    *kM = PLEX_DG_COEFFICIENTS(b->first + e);
    const plex_real *U  = (const plex_real *)b->U + (size_t)e * PLEX_DG_NF * Np;

    for (PetscInt f = 0; f < faces; ++f) {
      const PetscInt link = args->links[(b->first + e) * faces + f], trace = link / turns, turn = link % turns;
      const int     *nodes          = &b->faceNodes[f * Nfp];
      plex_real     *F              = (plex_real *)b->F + ((size_t)e * PLEX_DG_NF * faces + f) * Nfp;
      PLEX_DG_NAME(PlexDGFace) face = {.U = U, .own = nodes, .kM = kM, .kP = kM};

      for (int d = 0; d < PLEX_DIM; ++d) {
        if (f < PLEX_DIM) face.n[d] = -rx[f * PLEX_DIM + d];
        else
          for (int a = 0; a < PLEX_DIM; ++a) face.n[d] += rx[a * PLEX_DIM + d];
        face.scale += face.n[d] * face.n[d];
      }
      face.scale = sqrt(face.scale);
      for (int d = 0; d < PLEX_DIM; ++d) face.n[d] /= face.scale;
      /* two calls, each inlined for its case */
      if (link < 0) {
        face.kind = args->kinds[-link - 1];
        face.x    = PLEX_DG_POSITION((const plex_real *)args->facets, (size_t)(-link - 1) * Nfp);
        PLEX_DG_NAME(PlexDGLoopFace)(args, b, PETSC_TRUE, &face, F);
      } else {
        if (trace < own) face.across = args->u + (size_t)(trace / faces) * PLEX_DG_NF * Np;
        else face.received = (const plex_real *)args->ghosts + (size_t)(trace - own) * PLEX_DG_NF * Nfp;
        face.stride = trace < own ? Np : Nfp;
        face.at     = &b->meet[((trace < own ? trace % faces : faces) * turns + turn) * Nfp];
        face.kP     = PLEX_DG_COEFFICIENTS(trace < own ? trace / faces : args->Ne + trace - own);
        PLEX_DG_NAME(PlexDGLoopFace)(args, b, PETSC_FALSE, &face, F);
      }
    }
  }
}

/* Own traces at the nodes of the faces, and those across in the same order; on the boundary own ones again */
PLEX_DG_CLONES static void PLEX_DG_NAME(PlexDGLoopTraces)(const PlexDGArgs *args, const PlexDGPointBlock *b)
{
  const PetscInt Np = b->Np, Nfp = b->Nfp, faces = b->faces, turns = b->turns, own = args->Ne * faces;

  for (PetscInt e = 0; e < b->n; ++e) {
    const plex_real *U = (const plex_real *)b->nodal + (size_t)e * PLEX_DG_NF * Np;

    for (PetscInt f = 0; f < faces; ++f) {
      const PetscInt link = args->links[(b->first + e) * faces + f], trace = link / turns,
                     stride = trace < own ? Np : Nfp;
      const int     *nodes  = &b->faceNodes[f * Nfp],
                *meet       = link < 0 ? nodes
                                       : &b->meet[((trace < own ? trace % faces : faces) * turns + link % turns) * Nfp];
      const double    *across   = link < 0 || trace >= own ? NULL : args->u + (size_t)(trace / faces) * PLEX_DG_NF * Np;
      const plex_real *received = link < 0 || trace < own
                                  ? NULL
                                  : (const plex_real *)args->ghosts + (size_t)(trace - own) * PLEX_DG_NF * Nfp;

      for (int k = 0; k < PLEX_DG_NF; ++k) {
        const size_t at = (((size_t)e * PLEX_DG_NF + k) * faces + f) * Nfp;
        plex_real   *M = (plex_real *)b->TM + at, *P = (plex_real *)b->TP + at;

        for (PetscInt m = 0; m < Nfp; ++m) M[m] = U[k * Np + nodes[m]];
        for (PetscInt m = 0; m < Nfp; ++m)
          P[m] = across ? (plex_real)across[k * stride + meet[m]] : received ? received[k * stride + meet[m]] : M[m];
      }
    }
  }
}

#ifdef PLEX_DG_FLUX_FORM
  #include <plexgpu/dg_point_loops.h>
#else
  #include <plexgpu/dg_curved_loops.h>
#endif

#include <dg/sources.h>

/* Rates of facets of the boundary where the state is 0 */
static void PLEX_DG_NAME(PlexDGLoopBoundaries)(const PlexDGArgs *args, const PlexDGSourceArgs *s,
                                               const PlexDGSourceTarget *to, int Np, int Nfp)
{
  plex_real flux[PLEX_DG_NF * (PLEX_DIM + 1) * PLEX_DG_MAX_FACE_NODES];

  for (int p = 0; p < s->n; ++p) {
    plex_source_boundary(args, s, p, Nfp, 0, 1, flux);
    plex_source_lift(args, s, to, p, Np, Nfp, 0, 1, flux);
  }
}

#ifdef PLEX_DG_INCIDENT
/* Rates of an operator's surface and of its points */
static void PLEX_DG_NAME(PlexDGLoopSources)(const PlexDGArgs *args, const PlexDGSourceArgs *s,
                                            const PlexDGSourceTarget *to, int Np, int Nfp)
{
  plex_real flux[PLEX_DG_NF * (PLEX_DIM + 1) * PLEX_DG_MAX_FACE_NODES];

  for (int p = 0; p < s->n; ++p) {
    plex_source_flux(args, s, p, Nfp, 0, 1, flux);
    plex_source_lift(args, s, to, p, Np, Nfp, 0, 1, flux);
  }
  for (int p = 0; p < s->npoints; ++p) plex_source_points(args, s, to, p, Np, 0, 1);
}
#endif

/* For set-up and output */
static double PLEX_DG_NAME(PlexDGHostSpeed)(const double u[], const double k[], const double c[])
{
  plex_real v[PLEX_DG_NF], ks[PLEX_DG_NUMBERS + 1], cs[PLEX_DG_NC + 1];

  for (int f = 0; f < PLEX_DG_NF; ++f) v[f] = (plex_real)u[f];
  for (int i = 0; i < PLEX_DG_NUMBERS; ++i) ks[i] = (plex_real)k[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) cs[i] = (plex_real)c[i];
  return (double)dg_speed(v, ks, cs);
}

static double PLEX_DG_NAME(PlexDGHostEnergy)(const double u[], const double k[], const double c[])
{
  plex_real v[PLEX_DG_NF], ks[PLEX_DG_NUMBERS + 1], cs[PLEX_DG_NC + 1];

  for (int f = 0; f < PLEX_DG_NF; ++f) v[f] = (plex_real)u[f];
  for (int i = 0; i < PLEX_DG_NUMBERS; ++i) ks[i] = (plex_real)k[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) cs[i] = (plex_real)c[i];
  return (double)dg_energy(v, ks, cs);
}

#ifdef PLEX_DG_RATE
static double PLEX_DG_NAME(PlexDGHostRate)(const double u[], const double k[], const double c[])
{
  plex_real v[PLEX_DG_NF], ks[PLEX_DG_NUMBERS + 1], cs[PLEX_DG_NC + 1];

  for (int f = 0; f < PLEX_DG_NF; ++f) v[f] = (plex_real)u[f];
  for (int i = 0; i < PLEX_DG_NUMBERS; ++i) ks[i] = (plex_real)k[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) cs[i] = (plex_real)c[i];
  return (double)dg_rate(v, ks, cs);
}
#endif

#ifdef PLEX_DG_DECAY
static void PLEX_DG_NAME(PlexDGHostDecay)(const double k[], const double c[], double rates[])
{
  plex_real s[PLEX_DG_NF], ks[PLEX_DG_NUMBERS + 1], cs[PLEX_DG_NC + 1];

  for (int f = 0; f < PLEX_DG_NF; ++f) s[f] = 0;
  for (int i = 0; i < PLEX_DG_NUMBERS; ++i) ks[i] = (plex_real)k[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) cs[i] = (plex_real)c[i];
  dg_decay(ks, cs, s);
  for (int f = 0; f < PLEX_DG_NF; ++f) rates[f] = (double)s[f];
}
#endif

#ifdef PLEX_DG_STRETCH
static const int PLEX_DG_NAME(plex_dg_stretch)[PLEX_DG_NF][3] = PLEX_DG_STRETCH;
static const int PLEX_DG_NAME(plex_dg_vectors)[]              = PLEX_DG_VECTORS;
#endif

#ifdef PLEX_DG_WEIGHTS
static void PLEX_DG_NAME(PlexDGHostWeights)(const double k[], const double c[], double weights[])
{
  plex_real w[PLEX_DG_WEIGHTS], ks[PLEX_DG_NUMBERS + 1], cs[PLEX_DG_NC + 1];

  for (int i = 0; i < PLEX_DG_NUMBERS; ++i) ks[i] = (plex_real)k[i];
  for (int i = 0; i < PLEX_DG_NC; ++i) cs[i] = (plex_real)c[i];
  dg_weights(ks, cs, w);
  for (int i = 0; i < PLEX_DG_WEIGHTS; ++i) weights[i] = (double)w[i];
}

static int PLEX_DG_NAME(PlexDGHostWeightOf)(int f)
{
  return PLEX_DG_WEIGHT_OF(f);
}
#endif

static const PlexDGHost PLEX_DG_NAME(plex_dg_host) = {.Nf = PLEX_DG_NF,
                                                      .NK = PLEX_DG_NK,
                                                      .NC = PLEX_DG_NC,
#ifdef PLEX_DG_NB
                                                      .NB = PLEX_DG_NB,
#endif
#ifdef PLEX_DG_STRONG
                                                      .strong = PLEX_DG_STRONG,
                                                      .weak   = ((1u << PLEX_DG_NF) - 1) & ~(unsigned)(PLEX_DG_STRONG),
#else
                                                      .strong = (1u << PLEX_DG_NF) - 1,
                                                      .weak   = (1u << PLEX_DG_NF) - 1,
#endif
#ifdef PLEX_DG_PRODUCTS
                                                      .NW = PLEX_DG_NW,
                                                      .NA = PLEX_DG_NA,
                                                      .NE = PLEX_DG_NE,
#endif
                                                      .traces = PLEX_DG_NAME(PlexDGLoopTraces),
#ifdef PLEX_DG_FLUX_FORM
                                                      .flux       = PLEX_DG_NAME(PlexDGLoopFlux),
                                                      .pointflux  = PLEX_DG_NAME(PlexDGLoopPointFlux),
                                                      .pointfaces = PLEX_DG_NAME(PlexDGLoopPointFaces),
#else
                                                      .volume       = PLEX_DG_NAME(PlexDGLoopVolume),
                                                      .curvedvolume = PLEX_DG_NAME(PlexDGLoopCurvedVolume),
                                                      .curvedfaces  = PLEX_DG_NAME(PlexDGLoopCurvedFaces),
                                                      .curvedlocal  = PLEX_DG_NAME(PlexDGLoopCurvedLocal),
#endif
#ifdef PLEX_DG_SOURCE
                                                      .addsource = PLEX_DG_NAME(PlexDGLoopSource),
#endif
#ifdef PLEX_DG_VARIABLE
                                                      .variable = PETSC_TRUE,
                                                      .slopes   = PLEX_DG_SLOPES,
                                                      .onfaces  = PLEX_DG_ON_FACES,
#endif
#ifdef PLEX_DG_POSITIONS
                                                      .positions = PETSC_TRUE,
#endif
#ifdef PLEX_DG_BOUNDARY_VALUES
                                                      .values = PETSC_TRUE,
#endif
#ifdef PLEX_DG_SPEED_CHANGES
                                                      .changes = PETSC_TRUE,
#endif
#ifdef PLEX_DG_ENTROPY
                                                      .correct = PLEX_DG_NAME(PlexDGLoopCorrect),
#endif
#ifdef PLEX_DG_VISCOUS
                                                      .NV = PLEX_DG_VISCOUS,
  #if defined(PLEX_DG_VISCOUS_SOURCE) || defined(PLEX_DG_VISCOUS_AXES)
                                                      .NS = PLEX_DG_NF,
  #endif
  #ifdef PLEX_DG_VISCOUS_AXES
                                                      .axes = PETSC_TRUE,
  #endif
#endif
#if defined(PLEX_DG_VISCOUS) && defined(PLEX_DG_DOUBLE)
                                                      .viscous     = PLEX_DG_NAME(PlexDGLoopViscous),
                                                      .viscouspack = PLEX_DG_NAME(PlexDGLoopViscousPack),
                                                      .viscosity   = PLEX_DG_NAME(PlexDGHostViscosity),
#endif
#ifdef PLEX_DG_RATE
                                                      .rate = PLEX_DG_NAME(PlexDGHostRate),
#endif
#ifdef PLEX_DG_DECAY
                                                      .decay = PLEX_DG_NAME(PlexDGHostDecay),
#endif
#ifdef PLEX_DG_STRETCH
                                                      .stretch = PLEX_DG_NAME(plex_dg_stretch),
                                                      .vectors = PLEX_DG_NAME(plex_dg_vectors),
                                                      .nvectors =
                                                        PETSC_STATIC_ARRAY_LENGTH(PLEX_DG_NAME(plex_dg_vectors)),
#endif
#ifdef PLEX_DG_WEIGHTS
                                                      .nweights = PLEX_DG_WEIGHTS,
                                                      .weights  = PLEX_DG_NAME(PlexDGHostWeights),
                                                      .weightof = PLEX_DG_NAME(PlexDGHostWeightOf),
#endif
#ifdef PLEX_DG_INCIDENT
                                                      .sources = PLEX_DG_NAME(PlexDGLoopSources),
#endif
                                                      .boundaries = PLEX_DG_NAME(PlexDGLoopBoundaries),
                                                      .faces      = PLEX_DG_NAME(PlexDGLoopFaces),
                                                      .speed      = PLEX_DG_NAME(PlexDGHostSpeed),
                                                      .energy     = PLEX_DG_NAME(PlexDGHostEnergy)};

#undef PLEX_DG_COEFFICIENTS
#undef PLEX_DG_CONSTANTS
#undef PLEX_DG_NF
#undef PLEX_DG_NK
#undef PLEX_DG_NC
#undef PLEX_DG_NUMBERS
#undef PLEX_DG_VARIABLE
#undef PLEX_DG_SLOPES
#undef PLEX_DG_ON_FACES
#undef PLEX_DG_POSITIONS
#undef PLEX_DG_POSITION
#undef PLEX_DG_BOUNDARY_VALUES
#undef PLEX_DG_AT_BOUNDARY
#undef PLEX_DG_SPEED_CHANGES
#undef PLEX_DG_SOURCE
#undef PLEX_DG_RATE
#undef PLEX_DG_DECAY
#undef PLEX_DG_INCIDENT
#undef PLEX_DG_STRETCH
#undef PLEX_DG_VECTORS
#undef PLEX_DG_ENTROPY
#undef PLEX_DG_VISCOUS
#undef PLEX_DG_VISCOUS_BOUNDARY
#undef PLEX_DG_VISCOUS_SOURCE
#undef PLEX_DG_VISCOUS_AXES
#undef PLEX_DG_DRY
#undef PLEX_DG_FLUX_FORM
#undef PLEX_DG_NUMERICAL_FLUX
#undef PLEX_DG_PRODUCTS
#undef PLEX_DG_NW
#undef PLEX_DG_NA
#undef PLEX_DG_LOCAL
#undef PLEX_DG_STRONG
#undef PLEX_DG_WEIGHTS
#undef PLEX_DG_WEIGHT_OF
#undef PLEX_DG_NB
#undef PLEX_DG_NE
#undef dg_volume
#undef dg_flux
#undef dg_face
#undef dg_numerical_flux
#undef dg_boundary
#undef dg_source
#undef dg_speed
#undef dg_energy
#undef dg_rate
#undef dg_decay
#undef dg_weights
#undef dg_entropy
#undef dg_entropy_scale
#undef dg_pressure
#undef dg_viscous
#undef dg_viscous_variables
#undef dg_viscous_boundary
#undef dg_viscous_source
#undef dg_viscous_axes
#undef dg_viscosity
#undef dg_to_reference
#undef dg_from_reference
#undef dg_local
#undef dg_prepare
#undef dg_prepare_element
#undef dg_face_prepared
