/* Coefficients of a batch, and products with them: stored.h. C of a batch is [points][numbers], U and V [NC][1 + dim] of lane
   vectors */
#include "stored.h"

/* ---- Coefficients */

/* Entry (i, j) of C where it is one of the block's: D[cd][na][nb] at a point, NULL: it is none */
PLEX_HOST_INLINE const vec *EntryOf(const Block *block, const PlexStored s, PetscInt i, PetscInt j, const vec *D)
{
  const PetscInt jets = 1 + block->dim, kI = i / jets, kJ = j / jets, a = i % jets, b = j % jets;
  const PetscInt a0 = block->test & PLEX_PART_VALUE ? 0 : 1, b0 = block->trial & PLEX_PART_VALUE ? 0 : 1,
                 cd = s->component[kI] * block->b->elements->Nc[block->fJ] + s->component[kJ];

  if (s->field[kI] != block->fI || s->field[kJ] != block->fJ) return NULL;
  if (a < a0 || b < b0 || a - a0 >= block->na || b - b0 >= block->nb) return NULL;
  return &D[(cd * block->na + a - a0) * block->nb + b - b0];
}

/* Adds what the functions of a pair of fields have of C at point q, times a factor. Of a symmetric one the mean of both
   halves, which are the same but for rounding, or add the same to a symmetric element matrix */
PLEX_HOST_INLINE void AddEntries(const Block *block, const PlexStored s, PetscInt q, real factor, vec *C)
{
  PlexHostBatch b  = block->b;
  PlexElements  el = b->elements;
  vec          *D  = DATA(b, 0);

  CallKeys(block, q);
  for (PetscInt cd = 0; cd < el->Nc[block->fI] * el->Nc[block->fJ]; ++cd)
    TransformJacobian(block, RAW(b, 0), cd, q, D + cd * block->na * block->nb);
  for (PetscInt k = 0; k < s->n; ++k) {
    const vec *entry  = EntryOf(block, s, s->row[k], s->column[k], D),
              *mirror = s->symmetric ? EntryOf(block, s, s->column[k], s->row[k], D) : NULL;

    if (entry) C[k] += (s->symmetric ? (real)0.5 * factor : factor) * *entry;
    if (mirror) C[k] += (real)0.5 * factor * *mirror;
  }
}

PLEX_HOST_INLINE void AddAllEntries(Block *block, const PlexStored s, PetscInt Np, real factor, vec *C)
{
  PlexHostBatch b    = block->b;
  PlexElements  el   = b->elements;
  const vec     zero = {0};

  for (PetscInt k = 0; k < Np * s->n; ++k) C[k] = zero;
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
      if (!ChooseBlock(block, fI, fJ)) continue;
      b->constants[b->form->numConstants]     = PlexFormField(b->form, fI);
      b->constants[b->form->numConstants + 1] = PlexFormField(b->form, fJ);
      for (PetscInt q = 0; q < Np; ++q) AddEntries(block, s, q, factor, C + q * s->n);
    }
  }
}

/* C of elements e..e+n-1, or w |J| and J^-1 */
PLEX_HOST_INLINE void StoreBatch(PlexHostBatch b, const PlexStored s, PetscInt dim, const PlexArgs *args, PetscInt e,
                                 PetscInt n, vec *C)
{
  PlexElements   el    = b->elements;
  Block          block = {.b = b, .args = args, .dim = dim, .e = e, .n = n};
  const PetscInt Np    = s->constant ? 1 : el->Nq;

  if (!s->factors) {
    Prepare(b, dim, args, e, n);
    AddAllEntries(&block, s, Np, (real)s->unit, C);
    return;
  }
  Geometry(b, dim, args->x, e, n);
  for (PetscInt q = 0; q < Np; ++q, C += s->numbers) {
    const vec *invJ = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim);

    C[0] = (real)s->unit * ((const vec *)b->wdetJ)[q];
    for (PetscInt k = 1; k < s->numbers; ++k) C[k] = invJ[k - 1];
  }
}

/* The functions are given the first element's numbers, of which they read none */
void PLEX_HOST_PHYSICAL(PlexHostBatch b, const PlexHostStored *h, const PlexArgs *args, void *physical)
{
  const PlexStored s   = h->s;
  const PetscInt   dim = b->elements->dim, n = PetscMin(LANES, b->elements->Ne);
  Block            block = {.b = b, .args = args, .dim = dim, .e = 0, .n = n};
  vec             *D = (vec *)h->work, *invJ = (vec *)b->invJ;
  const vec        zero = {0}, one = zero + (real)1;

  Prepare(b, dim, args, 0, n);
  for (PetscInt k = 0; k < dim * dim; ++k) invJ[k] = k % (dim + 1) ? zero : one;
  ((vec *)b->wdetJ)[0] = one;
  AddAllEntries(&block, s, 1, (real)1, D);
  for (PetscInt k = 0; k < s->n; ++k) ((real *)physical)[k] = D[k][0];
}

PLEX_HOST_CLONES static void Store2(PlexHostBatch b, const PlexStored s, const PlexArgs *args, PetscInt e, PetscInt n,
                                    vec *C)
{
  StoreBatch(b, s, 2, args, e, n, C);
}

PLEX_HOST_CLONES static void Store3(PlexHostBatch b, const PlexStored s, const PlexArgs *args, PetscInt e, PetscInt n,
                                    vec *C)
{
  StoreBatch(b, s, 3, args, e, n, C);
}

void PLEX_HOST_STORE(PlexHostBatch b, const PlexHostStored *h, const PlexArgs *args, PetscInt e, PetscInt n, void *C)
{
  if (b->elements->dim == 2) Store2(b, h->s, args, e, n, (vec *)C);
  else if (b->elements->dim == 3) Store3(b, h->s, args, e, n, (vec *)C);
  else StoreBatch(b, h->s, 1, args, e, n, (vec *)C);
}

/* ---- Products at a point */

/* V = C U, or C^T U; of copies for each of them */
PLEX_HOST_INLINE void MultiplyPoint(const PlexStored s, PetscBool transpose, PetscInt jets, const vec *C, const vec *U,
                                    vec *V)
{
  const PetscInt own  = jets / s->copies;
  const vec      zero = {0};

  for (PetscInt k = 0; k < jets; ++k) V[k] = zero;
  for (PetscInt copy = 0; copy < s->copies; ++copy, U += own, V += own) {
    for (PetscInt k = 0; k < s->n; ++k) {
      const PetscInt i = s->row[k], j = s->column[k];

      if (!transpose) V[i] += C[k] * U[j];
      if (transpose || (s->symmetric && i != j)) V[j] += C[k] * U[i];
    }
  }
}

/* Gradients of the components that have them in use, G = J^-T U, or back J^-1 G; J: d xi_a / d x_k */
PLEX_HOST_INLINE void MapGradients(const PlexStored s, const unsigned parts[], PetscInt dim, PetscBool back,
                                   const vec *J, vec *U)
{
  for (PetscInt k = 0; k < s->NC; ++k, U += 1 + dim) {
    vec own[3];

    if (!(parts[s->field[k]] & PLEX_PART_GRAD)) continue;
    for (PetscInt a = 0; a < dim; ++a) own[a] = U[1 + a];
    for (PetscInt a = 0; a < dim; ++a) {
      U[1 + a] = (back ? J[a * dim] : J[a]) * own[0];
      for (PetscInt b = 1; b < dim; ++b) U[1 + a] += (back ? J[a * dim + b] : J[b * dim + a]) * own[b];
    }
  }
}

/* V = w |J| P^T D P U of factors, or with D^T; U becomes P U */
PLEX_HOST_INLINE void MultiplyFactors(const PlexStored s, PetscBool transpose, PetscInt dim, const real *D,
                                      const vec *C, vec *U, vec *V)
{
  const PetscInt jets = s->NC * (1 + dim), own = jets / s->copies;
  const vec      zero = {0};

  MapGradients(s, transpose ? s->test : s->trial, dim, PETSC_FALSE, C + 1, U);
  for (PetscInt k = 0; k < jets; ++k) V[k] = zero;
  for (PetscInt k = 0; k < s->n; ++k) {
    if (D[k] == 0) continue;
    for (PetscInt first = 0; first < jets; first += own) {
      const PetscInt i = first + s->row[k], j = first + s->column[k];

      if (!transpose) V[i] += D[k] * U[j];
      if (transpose || (s->symmetric && i != j)) V[j] += D[k] * U[i];
    }
  }
  for (PetscInt k = 0; k < jets; ++k) V[k] *= C[0];
  MapGradients(s, transpose ? s->trial : s->test, dim, PETSC_TRUE, C + 1, V);
}

/* V = C U of gradients of one component, with all entries of a symmetric C */
PLEX_HOST_INLINE void MultiplyGradient(PetscInt dim, const vec *C, const vec *U, vec *V)
{
  if (dim == 1) V[0] = C[0] * U[0];
  else if (dim == 2) {
    V[0] = C[0] * U[0] + C[1] * U[1];
    V[1] = C[1] * U[0] + C[2] * U[1];
  } else {
    V[0] = C[0] * U[0] + C[1] * U[1] + C[2] * U[2];
    V[1] = C[1] * U[0] + C[3] * U[1] + C[4] * U[2];
    V[2] = C[2] * U[0] + C[4] * U[1] + C[5] * U[2];
  }
}

/* One component, or copies of one, g3 alone, symmetric: what the function above is for */
PLEX_HOST_INLINE PetscBool IsGradient(const PlexStored s, PetscInt dim)
{
  return (PetscBool)(!s->factors && s->NC == s->copies && s->symmetric && s->trial[0] == PLEX_PART_GRAD &&
                     s->test[0] == PLEX_PART_GRAD && s->n == dim * (dim + 1) / 2);
}

/* ---- Nodes */

PLEX_HOST_INLINE void GatherNodes(const PlexHostStored *h, const double *v, PetscInt e, PetscInt n, vec *to)
{
  const PlexElements el   = h->s->elements;
  real              *lane = (real *)to;

  for (int l = 0; l < LANES; ++l) {
    const int *at = &h->dofs[(size_t)LANE_ELEMENT(l) * el->ef];

    for (PetscInt i = 0; i < el->ef; ++i) lane[i * LANES + l] = at[i] < 0 ? (real)0 : (real)v[at[i]];
  }
}

/* Adds out[Nn] of component k */
PLEX_HOST_INLINE void AddNodes(const PlexHostStored *h, PetscInt k, const vec *out, PetscInt e, PetscInt n, double *F)
{
  const PlexStored   s  = h->s;
  const PlexElements el = s->elements;
  const PetscInt     f = s->field[k], Nc = el->Nc[f], first = el->offset[f] + s->component[k];
  const real        *from = (const real *)out;

  for (PetscInt l = 0; l < n; ++l) {
    const int *dofs = &h->dofs[(size_t)(e + l) * el->ef + first];

    for (PetscInt i = 0; i < el->Nn[f]; ++i)
      if (dofs[i * Nc] >= 0) F[dofs[i * Nc]] += (double)from[i * LANES + l];
  }
}

/* ---- Points by full tables. work: v [ef], U and V at a point, V of all points [NC][Nq][parts], out [2][Nn] */

PLEX_HOST_INLINE void ApplyPoints(const PlexHostStored *h, PetscInt dim, const vec *C, const PlexArgs *args, PetscInt e,
                                  PetscInt n)
{
  const PlexStored   s  = h->s;
  const PlexElements el = s->elements;
  const unsigned    *in = h->transpose ? s->test : s->trial, *back = h->transpose ? s->trial : s->test;
  const PetscBool    gradient = IsGradient(s, dim);
  const PetscInt     jets     = s->NC * (1 + dim);
  vec               *v = (vec *)h->work, *U = v + el->ef, *V = U + jets, *data = V + jets, *at, *out;

  GatherNodes(h, args->v, e, n, v);
  for (PetscInt q = 0; q < s->Nq; ++q, C += s->constant ? 0 : s->numbers) {
    for (PetscInt k = 0; k < s->NC; ++k) {
      const PetscInt f = s->field[k], Nn = el->Nn[f], Nc = el->Nc[f],
                     parts  = PlexHostPartSize_Private((PlexPart)in[f], dim);
      const real    *table  = (const real *)h->tables[f][in[f]] + q * parts * Nn;
      const vec     *own    = v + el->offset[f] + s->component[k];
      vec           *jet    = U + k * (1 + dim) + (in[f] & 1u ? 0 : 1);
      vec            sum[4] = {{0}};

      for (PetscInt i = 0; i < Nn; ++i)
        for (PetscInt a = 0; a < parts; ++a) sum[a] += table[a * Nn + i] * own[i * Nc];
      for (PetscInt a = 0; a < parts; ++a) jet[a] = sum[a];
    }
    for (PetscInt k = 0; gradient && k < jets; k += 1 + dim) MultiplyGradient(dim, C, U + k + 1, V + k + 1);
    if (s->factors) MultiplyFactors(s, h->transpose, dim, (const real *)h->physical, C, U, V);
    else if (!gradient) MultiplyPoint(s, h->transpose, jets, C, U, V);
    at = data;
    for (PetscInt k = 0; k < s->NC; ++k) {
      const PetscInt f = s->field[k], parts = PlexHostPartSize_Private((PlexPart)back[f], dim),
                     first = k * (1 + dim) + (back[f] & 1u ? 0 : 1);

      for (PetscInt a = 0; a < parts; ++a) at[q * parts + a] = V[first + a];
      at += s->Nq * parts;
    }
  }
  out = data + s->Nq * jets;
  for (PetscInt k = 0; k < s->NC;) {
    const PetscInt f = s->field[k], Nn = el->Nn[f], K = s->Nq * PlexHostPartSize_Private((PlexPart)back[f], dim);
    const PetscInt two   = k + 1 < s->NC && s->field[k + 1] == f;
    const real    *table = (const real *)h->tables[f][back[f]];

    if (two) Contract(2, K, data, table, Nn, Nn, out);
    else Contract(1, K, data, table, Nn, Nn, out);
    for (PetscInt r = 0; r < 1 + two; ++r) AddNodes(h, k + r, out + r * Nn, e, n, args->F);
    data += (1 + two) * K;
    k += 1 + two;
  }
}

/* ---- Lines: sums over one direction after the other */

/* to[o][q][i] = sum_m T[m][q] from[o][m][i], or with T[q][m] where it is transposed; M numbers to Q, known to the compiler
   where lines are short. add: to what is there */
PLEX_HOST_INLINE void Line(PetscInt outer, PetscInt M, PetscInt Q, PetscInt inner, PetscBool transpose, PetscBool add,
                           const real *T, const vec *from, vec *to)
{
  for (PetscInt o = 0; o < outer; ++o) {
    for (PetscInt i = 0; i < inner; ++i) {
      for (PetscInt q = 0; q < Q; ++q) {
        vec sum = {0};

        for (PetscInt m = 0; m < M; ++m)
          sum += (transpose ? T[q * M + m] : T[m * Q + q]) * from[(o * M + m) * inner + i];
        if (add) to[(o * Q + q) * inner + i] += sum;
        else to[(o * Q + q) * inner + i] = sum;
      }
    }
  }
}

/* Values at points of nodes, and back; a and b: room for Q^dim each */
PLEX_HOST_INLINE void LinesToPoints(PetscInt dim, PetscInt N, PetscInt Q, const real *B, const vec *from, vec *a,
                                    vec *b, vec *to)
{
  if (dim == 2) {
    Line(N, N, Q, 1, PETSC_FALSE, PETSC_FALSE, B, from, a);
    Line(1, N, Q, Q, PETSC_FALSE, PETSC_FALSE, B, a, to);
  } else {
    Line(N * N, N, Q, 1, PETSC_FALSE, PETSC_FALSE, B, from, a);
    Line(N, N, Q, Q, PETSC_FALSE, PETSC_FALSE, B, a, b);
    Line(1, N, Q, Q * Q, PETSC_FALSE, PETSC_FALSE, B, b, to);
  }
}
PLEX_HOST_INLINE void LinesToNodes(PetscInt dim, PetscInt N, PetscInt Q, const real *B, const vec *from, vec *a, vec *b,
                                   vec *to)
{
  if (dim == 2) {
    Line(1, Q, N, Q, PETSC_TRUE, PETSC_FALSE, B, from, a);
    Line(N, Q, N, 1, PETSC_TRUE, PETSC_FALSE, B, a, to);
  } else {
    Line(1, Q, N, Q * Q, PETSC_TRUE, PETSC_FALSE, B, from, a);
    Line(N, Q, N, Q, PETSC_TRUE, PETSC_FALSE, B, a, b);
    Line(N * N, Q, N, 1, PETSC_TRUE, PETSC_FALSE, B, b, to);
  }
}

/* Derivative along direction d of values at points; back: its transpose, added */
PLEX_HOST_INLINE void LinesDerive(PetscInt dim, PetscInt Q, PetscInt d, PetscBool back, const real *D, const vec *from,
                                  vec *to)
{
  const PetscInt outer = d == 0 ? 1 : d == 1 ? Q : Q * Q, inner = (dim == 2 ? Q : Q * Q) / outer;

  Line(outer, Q, Q, inner, (PetscBool)!back, back, D, from, to);
}

/* work: v [ef], X, a, b [Nq], U and V [NC][1 + dim][Nq] */
PLEX_HOST_INLINE void ApplyLines(const PlexHostStored *h, PetscInt dim, PetscInt N, PetscInt Q, const vec *C,
                                 const PlexArgs *args, PetscInt e, PetscInt n)
{
  const PlexStored      s  = h->s;
  const PlexElements    el = s->elements;
  const PlexLineTables *t  = s->lines;
  const unsigned        in = h->transpose ? s->test[0] : s->trial[0], back = h->transpose ? s->trial[0] : s->test[0];
  const PetscBool       gradient = IsGradient(s, dim);
  const PetscInt        Nn = dim == 2 ? N * N : N * N * N, Nq = dim == 2 ? Q * Q : Q * Q * Q, jets = s->NC * (1 + dim);
  const real           *B = (const real *)h->B, *D = (const real *)h->D;
  const vec             zero = {0};
  vec *v = (vec *)h->work, *X = v + el->ef, *a = X + Nq, *b = a + Nq, *U = b + Nq, *point = U + jets * Nq;

  GatherNodes(h, args->v, e, n, v);
  for (PetscInt k = 0; k < s->NC; ++k) {
    vec *value = U + k * (1 + dim) * Nq;

    for (PetscInt i = 0; i < Nn; ++i) X[i] = v[t->dof[i] * s->NC + k];
    if (s->collocated)
      for (PetscInt i = 0; i < Nq; ++i) value[i] = X[i];
    else LinesToPoints(dim, N, Q, B, X, a, b, value);
    for (PetscInt d = 0; in & 2u && d < dim; ++d) LinesDerive(dim, Q, d, PETSC_FALSE, D, value, value + (1 + d) * Nq);
  }
  for (PetscInt p = 0; p < Nq; ++p) {
    const vec *own = C + t->point[p] * s->numbers;
    vec       *V   = point + jets;

    for (PetscInt k = 0; k < jets; ++k) point[k] = U[k * Nq + p];
    if (gradient) {
      for (PetscInt k = 0; k < jets; k += 1 + dim) {
        MultiplyGradient(dim, own, point + k + 1, V + k + 1);
        V[k] = zero;
      }
    } else if (s->factors) MultiplyFactors(s, h->transpose, dim, (const real *)h->physical, own, point, V);
    else MultiplyPoint(s, h->transpose, jets, own, point, V);
    for (PetscInt k = 0; k < jets; ++k) U[k * Nq + p] = V[k];
  }
  for (PetscInt k = 0; k < s->NC; ++k) {
    vec *value = U + k * (1 + dim) * Nq;

    for (PetscInt d = 0; back & 2u && d < dim; ++d) LinesDerive(dim, Q, d, PETSC_TRUE, D, value + (1 + d) * Nq, value);
    if (s->collocated)
      for (PetscInt i = 0; i < Nn; ++i) X[i] = value[i];
    else LinesToNodes(dim, N, Q, B, value, a, b, X);
    for (PetscInt i = 0; i < Nn; ++i) v[t->dof[i]] = X[i];
    AddNodes(h, k, v, e, n, args->F);
  }
}

/* ---- Sizes that the compiler knows: a function each */

#define APPLY(name, ...) \
  PLEX_HOST_CLONES static void name(const PlexHostStored *h, const vec *C, const PlexArgs *args, PetscInt e, \
                                    PetscInt n) \
  { \
    __VA_ARGS__; \
  }
APPLY(ApplyPointsAny, ApplyPoints(h, h->s->elements->dim, C, args, e, n))
APPLY(ApplyPoints2, ApplyPoints(h, 2, C, args, e, n))
APPLY(ApplyPoints3, ApplyPoints(h, 3, C, args, e, n))
APPLY(ApplyLines22, ApplyLines(h, 3, 2, 2, C, args, e, n))
APPLY(ApplyLines33, ApplyLines(h, 3, 3, 3, C, args, e, n))
APPLY(ApplyLinesAny, ApplyLines(h, h->s->elements->dim, h->s->lines->N, h->s->lines->Q, C, args, e, n))
#undef APPLY

void PLEX_HOST_APPLY(const PlexHostStored *h, const void *C, const PlexArgs *args, PetscInt e, PetscInt n)
{
  const PetscInt        dim = h->s->elements->dim;
  const PlexLineTables *t   = h->s->lines;
  const vec            *at  = (const vec *)C;

  if (!t && dim == 2) ApplyPoints2(h, at, args, e, n);
  else if (!t && dim == 3) ApplyPoints3(h, at, args, e, n);
  else if (!t) ApplyPointsAny(h, at, args, e, n);
  else if (dim == 3 && t->N == 2 && t->Q == 2) ApplyLines22(h, at, args, e, n);
  else if (dim == 3 && t->N == 3 && t->Q == 3) ApplyLines33(h, at, args, e, n);
  else ApplyLinesAny(h, at, args, e, n);
}
