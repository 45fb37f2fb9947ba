/*
  Lane vectors, geometry and jets of a batch; see host.h. Compiled for `real` double or float.

  A vec holds one number of each element of the batch. Arithmetic on vecs is GCC's vector extension, which becomes
  whatever registers the machine has: PLEX_HOST_CLONES compiles a function several times (SSE2, AVX2 with FMA, AVX-512)
  and the dynamic linker takes the best one. The levels are x86-64-v3 and v4, not a maker's processors, since those
  would leave other makers with SSE2.
*/
#include "host.h"
#include <integrate/normals.h>

#define LANES ((int)(PLEX_HOST_BYTES / sizeof(real)))
typedef real vec __attribute__((vector_size(PLEX_HOST_BYTES), may_alias));

#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__gnu_linux__) && \
  !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  #define PLEX_HOST_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
  #define PLEX_HOST_CLONES
#endif
#define PLEX_HOST_INLINE static inline __attribute__((always_inline))

/*
  Bases of vectors cost what has none of them nothing: the files that include these headers with VECTORS 0 do not know
  of spaces but of nodes, nor of signs
*/
#define SPACE(el, f)    (VECTORS ? (el)->space[f] : PLEX_SPACE_NODES)
#define SIGNS(el)       (VECTORS ? (el)->signs : NULL)
#define STRIDE(el, f)   (VECTORS ? PlexElementsStride(el, f) : (el)->Nc[f])
#define PLACE(el, f, c) (VECTORS ? PlexElementsPlace(el, f, c) : (c))

/* Real (z = 0) or imaginary parts (z = 1) of a batch's arrays */
#define RAW(b, z)  ((vec *)(b)->raw + (z) * (b)->sizeRaw)
#define DATA(b, z) ((vec *)(b)->data + (z) * (b)->sizeData)

/* Element of a lane: lanes beyond the last element repeat it, and their results are dropped */
#define LANE_ELEMENT(l) ((l) < n ? e + (l) : e + n - 1)

/* invJ = J^-1 in place of J[k][a] = d x_k / d xi_a, as invJ[a][k]; returns detJ */
PLEX_HOST_INLINE void Invert(PetscInt dim, const vec J[], vec invJ[], vec *detJ)
{
  if (dim == 1) {
    *detJ   = J[0];
    invJ[0] = (real)1 / J[0];
  } else if (dim == 2) {
    vec det = J[0] * J[3] - J[1] * J[2], r = (real)1 / det;

    invJ[0] = r * J[3];
    invJ[1] = -r * J[1];
    invJ[2] = -r * J[2];
    invJ[3] = r * J[0];
    *detJ   = det;
  } else {
    vec c0 = J[4] * J[8] - J[5] * J[7], c1 = J[5] * J[6] - J[3] * J[8], c2 = J[3] * J[7] - J[4] * J[6];
    vec det = J[0] * c0 + J[1] * c1 + J[2] * c2, r = (real)1 / det;

    invJ[0] = r * c0;
    invJ[1] = r * (J[2] * J[7] - J[1] * J[8]);
    invJ[2] = r * (J[1] * J[5] - J[2] * J[4]);
    invJ[3] = r * c1;
    invJ[4] = r * (J[0] * J[8] - J[2] * J[6]);
    invJ[5] = r * (J[2] * J[3] - J[0] * J[5]);
    invJ[6] = r * c2;
    invJ[7] = r * (J[1] * J[6] - J[0] * J[7]);
    invJ[8] = r * (J[0] * J[4] - J[1] * J[3]);
    *detJ   = det;
  }
}

/* Normals as the last columns of J, lane by lane */
static void Complete(PetscInt dim, PetscInt cellDim, vec J[])
{
  for (int l = 0; l < LANES; ++l) {
    PetscReal own[9] = {0.};

    for (PetscInt k = 0; k < dim * dim; ++k) own[k] = (PetscReal)J[k][l];
    plex_complete_jacobian((int)dim, (int)cellDim, own);
    for (PetscInt k = 0; k < dim * dim; ++k) J[k][l] = (real)own[k];
  }
}

/* Coordinates are taken about the element's first node: small numbers keep their digits in single precision */
PLEX_HOST_INLINE void Geometry(PlexHostBatch b, PetscInt dim, const double x[], PetscInt e, PetscInt n)
{
  PlexElements    el = b->elements;
  const PetscInt  Nv = el->Nv, Nq = el->Nq;
  vec            *local = (vec *)b->local, *wdetJ = (vec *)b->wdetJ;
  real           *lane  = (real *)b->local;
  vec             detJ  = {0};
  const PetscReal scale = (PetscReal)(1 << el->cellDim);
  double          origin[LANES][3];

  for (int l = 0; l < LANES; ++l) {
    const int *vertices = &el->vertices[(size_t)LANE_ELEMENT(l) * Nv];

    for (PetscInt d = 0; d < dim; ++d) origin[l][d] = x[(size_t)vertices[0] * dim + d];
    for (PetscInt v = 0; v < Nv; ++v)
      for (PetscInt d = 0; d < dim; ++d)
        lane[(v * dim + d) * LANES + l] = (real)(x[(size_t)vertices[v] * dim + d] - origin[l][d]);
  }
  for (PetscInt q = 0; q < Nq; ++q) {
    vec X[3] = {{0}}, J[9] = {{0}};

    for (PetscInt v = 0; v < Nv; ++v)
      for (PetscInt d = 0; d < dim; ++d) X[d] += (real)el->psi[q * Nv + v] * local[v * dim + d];
    if (!q || !el->affine) {
      for (PetscInt v = 0; v < Nv; ++v)
        for (PetscInt d = 0; d < dim; ++d)
          for (PetscInt a = 0; a < dim; ++a)
            J[d * dim + a] += (real)el->dpsi[(q * Nv + v) * dim + a] * local[v * dim + d];
      if (el->cellDim < dim) Complete(dim, el->cellDim, J);
      Invert(dim, J, (vec *)b->invJ + q * dim * dim, &detJ);
    }
    wdetJ[q] = (real)el->weights[q] * detJ;
    for (int l = 0; l < LANES; ++l) {
      b->volume[q * LANES + l] = scale * (PetscReal)detJ[l];
      for (PetscInt d = 0; d < dim; ++d) b->X[(q * LANES + l) * dim + d] = origin[l][d] + (double)X[d][l];
    }
  }
}

/* Of facets: PETSc's geometry, which the elements hold */
PLEX_HOST_INLINE void FacetGeometry(PlexHostBatch b, PetscInt dim, PetscInt e, PetscInt n)
{
  PlexElements   el = b->elements;
  const PetscInt Nq = el->Nq, size = PlexElementsFacetSize(el), dd = dim * dim;
  real          *invJ = (real *)b->invJ, *testInvJ = (real *)b->testInvJ, *wdetJ = (real *)b->wdetJ;

  for (int l = 0; l < LANES; ++l) {
    const PetscReal *record = &el->facet[(size_t)LANE_ELEMENT(l) * Nq * size];

    for (PetscInt q = 0; q < Nq; ++q, record += size) {
      for (PetscInt d = 0; d < dim; ++d) b->X[(q * LANES + l) * dim + d] = record[d];
      for (PetscInt d = 0; d < dim; ++d) b->normal[(q * LANES + l) * dim + d] = record[dim + d];
      wdetJ[q * LANES + l]     = (real)record[2 * dim];
      b->volume[q * LANES + l] = record[2 * dim + 1];
      for (PetscInt d = 0; d < dd; ++d) invJ[(q * dd + d) * LANES + l] = (real)record[2 * dim + 2 + d];
      for (PetscInt d = 0; d < dd; ++d) testInvJ[(q * dd + d) * LANES + l] = (real)record[2 * dim + 2 + dd + d];
    }
  }
}

/* M[c][k] of a space with a map, v_c = sum_k M[c][k] v_ref_k: J / detJ, the adjugate of J^-1, or J^-T */
PLEX_HOST_INLINE void VectorMap(PetscInt dim, PlexFieldSpace space, const vec invJ[], vec M[])
{
  if (space == PLEX_SPACE_HCURL) {
    for (PetscInt c = 0; c < dim; ++c)
      for (PetscInt k = 0; k < dim; ++k) M[c * dim + k] = invJ[k * dim + c];
  } else if (dim == 2) {
    M[0] = invJ[3];
    M[1] = -invJ[1];
    M[2] = -invJ[2];
    M[3] = invJ[0];
  } else if (dim == 3) {
    for (PetscInt c = 0; c < 3; ++c) {
      for (PetscInt k = 0; k < 3; ++k) {
        const PetscInt c1 = (c + 1) % 3, c2 = (c + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;

        M[c * 3 + k] = invJ[k1 * 3 + c1] * invJ[k2 * 3 + c2] - invJ[k1 * 3 + c2] * invJ[k2 * 3 + c1];
      }
    }
  } else M[0] = invJ[0]; /* no space has a map in one dimension */
}

/* x[dim][n] becomes M^T x */
PLEX_HOST_INLINE void PullBack(PetscInt dim, const vec M[], PetscInt n, vec x[])
{
  for (PetscInt j = 0; j < n; ++j) {
    vec own[3];

    for (PetscInt c = 0; c < dim; ++c) own[c] = x[c * n + j];
    for (PetscInt k = 0; k < dim; ++k) {
      vec sum = {0};

      for (PetscInt c = 0; c < dim; ++c) sum += M[c * dim + k] * own[c];
      x[k * n + j] = sum;
    }
  }
}

/* Puts the jet of component `at` of all fields' at point q, gradient taken to physical space. Here and below u and u_x
   are the real or the imaginary parts of PetscScalars, and so are values: each PLEX_REALS-th number */
PLEX_HOST_INLINE void StoreJet(PetscInt dim, PetscInt Nct, PetscInt q, PetscInt at, const vec invJ[], const vec jet[],
                               PetscReal u[], PetscReal u_x[])
{
  for (int l = 0; l < LANES; ++l) u[PLEX_REALS * ((q * LANES + l) * Nct + at)] = (PetscReal)jet[0][l];
  for (PetscInt d = 0; u_x && d < dim; ++d) {
    vec grad = {0};

    for (PetscInt a = 0; a < dim; ++a) grad += jet[1 + a] * invJ[a * dim + d];
    for (int l = 0; l < LANES; ++l) u_x[PLEX_REALS * (((q * LANES + l) * Nct + at) * dim + d)] = (PetscReal)grad[l];
  }
}

/* Jets of field f, a vector space, at point q */
PLEX_HOST_INLINE void VectorJets(PlexHostBatch b, PetscInt dim, PetscInt f, PetscInt q, PetscReal u[], PetscReal u_x[])
{
  PlexElements   el = b->elements;
  const PetscInt Nn = el->Nn[f], Nc = el->Nc[f], parts = 1 + dim, at = b->offsets.uOff[f];
  const vec     *invJ = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim), *own = (const vec *)b->dofs;
  vec            M[9], ref[3][4];

  own += el->offset[f];
  for (PetscInt c = 0; c < Nc; ++c) {
    const real *table  = (const real *)b->tables[f][PLEX_PART_BOTH] +
                         ((c * el->faces + b->face) * el->Nq + q) * parts * Nn;
    vec         jet[4] = {{0}};

    for (PetscInt k = 0; k < Nn; ++k)
      for (PetscInt a = 0; a < parts; ++a) jet[a] += table[a * Nn + k] * own[k];
    if (SPACE(el, f) == PLEX_SPACE_VECTORS) StoreJet(dim, b->Nct, q, at + c, invJ, jet, u, u_x);
    else
      for (PetscInt a = 0; a < parts; ++a) ref[c][a] = jet[a];
  }
  if (SPACE(el, f) == PLEX_SPACE_VECTORS) return;
  VectorMap(dim, SPACE(el, f), invJ, M);
  for (PetscInt c = 0; c < dim; ++c) {
    vec jet[4] = {{0}};

    for (PetscInt k = 0; k < dim; ++k)
      for (PetscInt a = 0; a < parts; ++a) jet[a] += M[c * dim + k] * ref[k][a];
    StoreJet(dim, b->Nct, q, at + c, invJ, jet, u, u_x);
  }
}

/* u and u_x, or u_t (u_x NULL), or a and a_x of the auxiliary fields, at all points: psi of every field applied to its
   dofs, gradients taken to physical space */
PLEX_HOST_INLINE void Jets(PlexHostBatch b, PetscInt dim, PetscBool aux, const double values[], PetscInt e, PetscInt n,
                           PetscReal u[], PetscReal u_x[])
{
  PlexElements    el = b->elements;
  const PetscInt  ef = aux ? el->ea : el->ef, first = aux ? el->Nf : 0, Nf = aux ? el->NfAux : el->Nf,
                  Nct = aux ? b->NctAux : b->Nct, parts = 1 + dim;
  const PetscInt *uOff = aux ? b->offsets.aOff : b->offsets.uOff;
  const int      *conn = aux ? el->dofsAux : el->dofs;
  const vec      *dofs = (const vec *)b->dofs;
  real           *lane = (real *)b->dofs;

  for (int l = 0; l < LANES; ++l) {
    const int *at = &conn[(size_t)LANE_ELEMENT(l) * ef];

    for (PetscInt i = 0; i < ef; ++i) lane[i * LANES + l] = (real)values[PLEX_REALS * at[i]];
  }
  for (int l = 0; !aux && SIGNS(el) && l < LANES; ++l) {
    const signed char *signs = &el->signs[(size_t)LANE_ELEMENT(l) * ef];

    for (PetscInt i = 0; i < ef; ++i) lane[i * LANES + l] *= (real)signs[i];
  }
  for (PetscInt f = 0; f < Nf; ++f) {
    const PetscInt Nn = el->Nn[first + f], Nc = el->Nc[first + f];

    for (PetscInt q = 0; q < el->Nq; ++q) {
      const real *table = (const real *)b->tables[first + f][PLEX_PART_BOTH] + (b->face * el->Nq + q) * parts * Nn;
      const vec  *invJ  = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim);

      if (!aux && SPACE(el, f) != PLEX_SPACE_NODES) {
        VectorJets(b, dim, f, q, u, u_x);
        continue;
      }
      for (PetscInt c = 0; c < Nc; ++c) {
        const vec *own    = dofs + el->offset[first + f] - (aux ? el->ef : 0) + c;
        vec        jet[4] = {{0}};

        for (PetscInt k = 0; k < Nn; ++k) {
          jet[0] += table[k] * own[k * Nc];
          if (u_x)
            for (PetscInt a = 1; a < parts; ++a) jet[a] += table[a * Nn + k] * own[k * Nc];
        }
        StoreJet(dim, Nct, q, uOff[f] + c, invJ, jet, u, u_x);
      }
    }
  }
}

/* Of cohesive cells: each field, from `first` on, by its own table and rows, dofs and geometry; u_t has no gradient */
PLEX_HOST_INLINE void JetsCohesive(PlexHostBatch b, PetscInt dim, PetscBool aux, const double values[], PetscInt e,
                                   PetscInt n, PetscReal u[], PetscReal u_x[])
{
  PlexElements       el    = b->elements;
  const PlexCohesive C     = el->cohesive;
  const PetscInt     first = aux ? el->Nf : 0, last = aux ? el->Nf + el->NfAux : el->Nf, Nq = el->Nq;
  const PetscInt     Nct = aux ? b->NctAux : b->Nct, size = PLEX_COHESIVE_SIZE(dim);

  for (int l = 0; l < LANES; ++l) {
    const size_t element = (size_t)LANE_ELEMENT(l);
    const int   *places = &C->places[element * PlexCohesivePlaces(el)], *rows = places + C->ei;
    const int   *dofs = aux ? &el->dofsAux[element * el->ea] : places;

    for (PetscInt q = 0; q < Nq; ++q) {
      const PetscReal *inverse = &el->facet[(element * Nq + q) * size + 2 * dim + 2];
      const PetscInt   at      = PLEX_REALS * (q * LANES + l) * Nct;
      PetscReal       *to = &u[at], *to_x = u_x ? &u_x[at * dim] : NULL;

      for (PetscInt f = first; f < last; ++f) {
        const PetscInt   Nc = el->Nc[f], Nn = C->nodes[f], row = C->row[f] < 2 ? rows[2 * q + C->row[f]] : q;
        const PetscReal *table = &C->tables[C->table[f] + row * Nn * (1 + dim)],
                        *invJ  = inverse + C->frame[f] * dim * dim;

        for (PetscInt c = 0; c < Nc; ++c) {
          real jet[4] = {0};

          for (PetscInt k = 0; k < Nn; ++k)
            for (PetscInt a = 0; a < 1 + dim; ++a)
              jet[a] += (real)table[k * (1 + dim) + a] * (real)values[PLEX_REALS * dofs[C->first[f] + k * Nc + c]];
          *to = (PetscReal)jet[0];
          to += PLEX_REALS;
          for (PetscInt d = 0; u_x && d < dim; ++d, to_x += PLEX_REALS) {
            real grad = 0;

            for (PetscInt a = 0; a < dim; ++a) grad += jet[1 + a] * (real)invJ[a * dim + d];
            *to_x = (PetscReal)grad;
          }
        }
      }
    }
  }
}

/* What functions are called with */
PLEX_HOST_INLINE void Prepare(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n)
{
  if (b->elements->integral.facets) FacetGeometry(b, dim, e, n);
  else Geometry(b, dim, args->x, e, n);
  for (int z = 0; z < PLEX_REALS; ++z) {
    PetscReal *u = (PetscReal *)b->u + z, *u_x = (PetscReal *)b->u_x + z, *u_t = (PetscReal *)b->u_t + z;

    if (b->elements->cohesive) {
      JetsCohesive(b, dim, PETSC_FALSE, args->u + z, e, n, u, u_x);
      if (args->u_t) JetsCohesive(b, dim, PETSC_FALSE, args->u_t + z, e, n, u_t, NULL);
      if (b->a) JetsCohesive(b, dim, PETSC_TRUE, args->aux + z, e, n, (PetscReal *)b->a + z, (PetscReal *)b->a_x + z);
    } else {
      if (b->solution) Jets(b, dim, PETSC_FALSE, args->u + z, e, n, u, u_x);
      if (b->solution && args->u_t) Jets(b, dim, PETSC_FALSE, args->u_t + z, e, n, u_t, NULL);
      if (b->a) Jets(b, dim, PETSC_TRUE, args->aux + z, e, n, (PetscReal *)b->a + z, (PetscReal *)b->a_x + z);
    }
  }
}

/* What pointwise functions are given, read once: the compiler must assume that each call changes the batch */
typedef struct {
  PetscBool          facets;
  PetscInt           Nf, NfAux, Nct, NctAux, nc;
  const PetscInt    *uOff, *uOff_x, *aOff, *aOff_x;
  const PetscScalar *u, *u_t, *u_x, *a, *a_x;
  const PetscReal   *X, *normal, *volume;
  PetscInt           X_stride;
  PetscScalar       *constants, *result;
  PetscReal          t, shift;
  PlexPoint         *point; /* of functions that are watched, or NULL */
} Points;

PLEX_HOST_INLINE Points GetPoints(PlexHostBatch b, const PlexArgs *args)
{
  Points P = {.facets    = b->elements->integral.facets,
              .Nf        = b->NfCalled,
              .NfAux     = b->elements->NfAux,
              .Nct       = b->Nct,
              .NctAux    = b->NctAux,
              .nc        = b->form->numConstants,
              .uOff      = b->offsets.uOff,
              .uOff_x    = b->offsets.uOff_x,
              .aOff      = b->offsets.aOff,
              .aOff_x    = b->offsets.aOff_x,
              .u         = b->u,
              .u_t       = args->u_t ? b->u_t : NULL,
              .u_x       = b->u_x,
              .a         = b->a,
              .a_x       = b->a_x,
              .X         = b->X,
              .normal    = b->normal,
              .volume    = b->volume,
              .constants = b->constants,
              .result    = b->result,
              .t         = args->t,
              .shift     = args->shift,
              .X_stride  = b->elements->dim};

  if (b->guard) { /* one point's arguments, for all lanes */
    P.u         = (const PetscScalar *)b->guard->page[PLEX_GUARD_U];
    P.u_t       = args->u_t ? (const PetscScalar *)b->guard->page[PLEX_GUARD_U_T] : NULL;
    P.u_x       = (const PetscScalar *)b->guard->page[PLEX_GUARD_U_X];
    P.X         = (const PetscReal *)b->guard->page[PLEX_GUARD_X];
    P.constants = b->guard->constants;
    P.point     = b->point;
    P.Nct = P.X_stride = 0;
  }
  return P;
}

/* The arguments of a pointwise function at point p of the batch, in PETSc's order, up to and with t; a_t is NULL as
   PETSc has it. Where there are no auxiliary fields the compiler is told: constants are passed faster than what a
   struct holds. */
#define POINT_ARGUMENTS(P, p, NfAux, ...) \
  dim, (P).Nf, NfAux, (P).uOff, (P).uOff_x, (P).u + (p) * (P).Nct, (P).u_t ? (P).u_t + (p) * (P).Nct : NULL, \
    (P).u_x + (p) * (P).Nct * dim, __VA_ARGS__, (P).t
#define WITH_AUX(P, p) \
  POINT_ARGUMENTS(P, p, (P).NfAux, (P).aOff, (P).aOff_x, (P).a ? (P).a + (p) * (P).NctAux : NULL, NULL, \
                  (P).a ? (P).a_x + (p) * (P).NctAux * dim : NULL)
#define WITHOUT_AUX(P, p) POINT_ARGUMENTS(P, p, 0, NULL, NULL, NULL, NULL, NULL)

/* out[R][ld] = sum_k rows[r][k] table[k][n], for R rows and C columns kept in registers */
PLEX_HOST_INLINE void Tile(const int R, const int C, PetscInt K, const vec *rows, const real *table, PetscInt Nn,
                           PetscInt ld, vec *out)
{
  vec sum[2][8] = {{{0}}};

  for (PetscInt k = 0; k < K; ++k) {
#pragma GCC unroll 2
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) sum[r][c] += rows[r * K + k] * table[k * Nn + c];
    }
  }
#pragma GCC unroll 2
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) out[r * ld + c] = sum[r][c];
  }
}

/* The same for the first N columns of table[K][Nn]; 2 K N flops a row */
PLEX_HOST_INLINE void Contract(const int R, PetscInt K, const vec *rows, const real *table, PetscInt Nn, PetscInt N,
                               vec *out)
{
  PetscInt m = 0;

  for (; m + 4 <= N; m += 4) Tile(R, 4, K, rows, table + m, Nn, Nn, out + m);
  if (N - m == 3) Tile(R, 3, K, rows, table + m, Nn, Nn, out + m);
  else if (N - m == 2) Tile(R, 2, K, rows, table + m, Nn, Nn, out + m);
  else if (N - m == 1) Tile(R, 1, K, rows, table + m, Nn, Nn, out + m);
}
