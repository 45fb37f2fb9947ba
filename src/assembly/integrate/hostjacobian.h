/* Jacobian of a batch; see host.h */

/* A block of A^e, of test field fI and trial field fJ, in a batch. The compiler keeps its members in registers, as all
   functions below are inlined */
typedef struct {
  PlexHostBatch   b;
  const PlexArgs *args;
  PetscInt        dim, e, n;    /* elements e..e+n-1, one a lane */
  const int      *slots;        /* [n][ef][ef] of A^e in the matrix */
  PetscInt        fI, fJ, pair; /* pair: fI * Nf + fJ */
  unsigned        has;          /* bit k: there are functions g_k, those of the dynamic Jacobian counted in */
  const real     *K;            /* of tensor integration, or NULL */
  PlexPart        test, trial;  /* values, gradients or both of the basis functions */
  PetscInt        na, nb;       /* numbers of these parts */
  int             z;            /* of D and A^e the real (0) or imaginary (1) parts */
} Block;

/* One function set of point q, lane by lane: raw[N] = g_k, or with `dynamic` raw[N] += shift d_k */
PLEX_HOST_INLINE void CallKey(const Block *block, const Points P, PetscInt k, PetscBool dynamic, PetscInt q, PetscInt N,
                              real raw[])
{
  const PlexForm      form = block->b->form;
  const PetscInt      dim  = block->dim;
  const PlexFunctions g    = dynamic ? form->d[k][block->pair] : form->g[k][block->pair];
  const PetscInt      from = g.part * N;

  for (int l = 0; l < LANES; ++l) {
    const PetscInt p = q * LANES + l;

    if (P.point) P.point->e = block->e + PetscMin(l, block->n - 1);
    else P.constants[P.nc + 2] = P.volume[p];
    for (PetscInt i = 0; i < g.parts * N; ++i) P.result[i] = 0.;
    for (PetscInt i = 0; i < g.n; ++i) {
      if (P.facets)
        ((PetscBdPointJacFn *)g.fn[i])(WITH_AUX(P, p), P.shift, P.X + p * dim, P.normal + p * dim, P.nc, P.constants,
                                       P.result);
      else if (P.a)
        ((PetscPointJacFn *)g.fn[i])(WITH_AUX(P, p), P.shift, P.X + p * P.X_stride, P.nc, P.constants, P.result);
      else ((PetscPointJacFn *)g.fn[i])(WITHOUT_AUX(P, p), P.shift, P.X + p * P.X_stride, P.nc, P.constants, P.result);
    }
    for (int z = 0; z < PLEX_REALS; ++z) {
      const PetscReal *result = (const PetscReal *)(P.result + from) + z;
      real            *to     = raw + z * block->b->sizeRaw * LANES;

      if (dynamic)
        for (PetscInt i = 0; i < N; ++i) to[i * LANES + l] += (real)(P.shift * result[PLEX_REALS * i]);
      else
        for (PetscInt i = 0; i < N; ++i) to[i * LANES + l] = (real)result[PLEX_REALS * i];
    }
  }
}

/* g_k of point q of vector spaces: M^T g_k, g_k M */
PLEX_HOST_INLINE void PullBackJacobian(const Block *block, PetscInt q, vec *raw)
{
  PlexHostBatch  b   = block->b;
  PlexElements   el  = b->elements;
  const PetscInt dim = block->dim, fI = block->fI, fJ = block->fJ, NcI = el->Nc[fI], NcJ = el->Nc[fJ];
  const vec     *invJ = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim);
  vec            M[9];

  for (PetscInt k = 0; k < 4; ++k) {
    const PetscInt n = k == 0 ? 1 : k == 3 ? dim * dim : dim;

    if (block->has & 1u << k && SPACE(el, fI) > PLEX_SPACE_VECTORS) {
      VectorMap(dim, SPACE(el, fI), invJ, M);
      PullBack(dim, M, NcJ * n, raw);
    }
    if (block->has & 1u << k && SPACE(el, fJ) > PLEX_SPACE_VECTORS) {
      VectorMap(dim, SPACE(el, fJ), invJ, M);
      for (PetscInt c = 0; c < NcI; ++c) PullBack(dim, M, n, raw + c * NcJ * n);
    }
    raw += NcI * NcJ * n;
  }
}

/* raw: g0[NcI][NcJ], g1, g2[NcI][NcJ][dim], g3[NcI][NcJ][dim][dim] at point q; those of the dynamic Jacobian are
   multiplied by the shift */
PLEX_HOST_INLINE void CallKeys(const Block *block, PetscInt q)
{
  PlexHostBatch  b   = block->b;
  const Points   P   = GetPoints(b, block->args);
  const PetscInt dim = block->dim, fI = block->fI, fJ = block->fJ;
  const PetscInt NcNc = b->elements->Nc[fI] * b->elements->Nc[fJ],
                 N[4] = {NcNc, NcNc * dim, NcNc * dim, NcNc * dim * dim};
  real          *raw  = (real *)b->raw;

  for (PetscInt k = 0; k < 4; raw += N[k++] * LANES) {
    const PetscBool dynamic = (PetscBool)(b->form->d[k][block->pair].n > 0);

    if (block->has & 1u << k) CallKey(block, P, k, PETSC_FALSE, q, N[k], raw);
    if (dynamic && P.shift != 0.) CallKey(block, P, k, PETSC_TRUE, q, N[k], raw);
  }
}

/* The same for the functions of the reference cell, of vector spaces */
PLEX_HOST_INLINE void CallJacobian(const Block *block, PetscInt q)
{
  CallKeys(block, q);
  for (int z = 0; VECTORS && z < PLEX_REALS; ++z) PullBackJacobian(block, q, RAW(block->b, z));
}

/* The functions' values at a point are those at the first one, in all lanes */
PLEX_HOST_INLINE PetscBool IsAsFirst(const Block *block)
{
  PlexHostBatch  b   = block->b;
  const PetscInt dim = block->dim, fI = block->fI, fJ = block->fJ;
  const PetscInt NcNc = b->elements->Nc[fI] * b->elements->Nc[fJ],
                 N[4] = {NcNc, NcNc * dim, NcNc * dim, NcNc * dim * dim};

  for (int z = 0; z < PLEX_REALS; ++z) {
    const vec *raw = RAW(b, z), *first = (const vec *)b->first + z * b->sizeRaw;

    for (PetscInt k = 0; k < 4; raw += N[k], first += N[k], ++k)
      if (block->has & 1u << k && memcmp(raw, first, (size_t)N[k] * sizeof(vec))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* D[a][b] = w detJ (g0, g1 J^-T; J^-1 g2, J^-1 g3 J^-T) of one pair of components cd at point q, of values `raw`; zero
   where there is no function */
PLEX_HOST_INLINE void TransformJacobian(const Block *block, const void *values, PetscInt cd, PetscInt q, vec D[])
{
  PlexHostBatch  b   = block->b;
  PlexElements   el  = b->elements;
  const PetscInt dim = block->dim, fI = block->fI, fJ = block->fJ, nb = block->nb, NcNc = el->Nc[fI] * el->Nc[fJ];
  const PlexPart test = block->test, trial = block->trial;
  const PetscInt a0 = test & PLEX_PART_VALUE ? 1 : 0, b0 = trial & PLEX_PART_VALUE ? 1 : 0; /* where gradients begin */
  const vec     *g0 = (const vec *)values + cd, *g1 = (const vec *)values + NcNc + cd * dim, *g2 = g1 + NcNc * dim,
            *g3   = (const vec *)values + NcNc * (1 + 2 * dim) + cd * dim * dim;
  const vec *invJ = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim), w = ((const vec *)b->wdetJ)[q];

  if (a0 && b0) {
    const vec zero = {0};

    D[0] = zero;
    if (block->has & 1u) D[0] = w * *g0;
  }
  if (a0 && trial & PLEX_PART_GRAD) {
    for (PetscInt t = 0; t < dim; ++t) {
      vec sum = {0};

      if (block->has & 2u)
        for (PetscInt k = 0; k < dim; ++k) sum += g1[k] * invJ[t * dim + k];
      D[b0 + t] = w * sum;
    }
  }
  for (PetscInt s = 0; test & PLEX_PART_GRAD && s < dim; ++s) {
    vec *row = D + (a0 + s) * nb, half[3] = {{0}};

    if (b0) {
      vec sum = {0};

      if (block->has & 4u)
        for (PetscInt k = 0; k < dim; ++k) sum += invJ[s * dim + k] * g2[k];
      row[0] = w * sum;
    }
    if (!(trial & PLEX_PART_GRAD)) continue;
    if (block->has & 8u)
      for (PetscInt k = 0; k < dim; ++k)
        for (PetscInt m = 0; m < dim; ++m) half[m] += invJ[s * dim + k] * g3[k * dim + m];
    for (PetscInt t = 0; t < dim; ++t) {
      vec sum = {0};

      for (PetscInt m = 0; m < dim; ++m) sum += half[m] * invJ[t * dim + m];
      row[b0 + t] = w * sum;
    }
  }
}

/* The table of component c of a field at the points of the face: K rows a table */
PLEX_HOST_INLINE const real *TableOf(PlexHostBatch b, PetscInt f, PlexPart part, PetscInt c, PetscInt K)
{
  PlexElements el = b->elements;

  return (const real *)b->tables[f][part] +
         ((VECTORS ? PlexElementsTable(el, f, c) : 0) * el->faces + b->face) * K * el->Nn[f];
}

/* rows[R][q][b] = sum_a psi_a D of the nodes i..i+R-1 of the test field, component c */
PLEX_HOST_INLINE void TestRows(const Block *block, const int R, PetscInt c, PetscInt i, const vec *D, vec *rows)
{
  const PetscInt Nq = block->b->elements->Nq, Nn = block->b->elements->Nn[block->fI], na = block->na, nb = block->nb;
  const real    *table = TableOf(block->b, block->fI, block->test, c, Nq * na);

  for (PetscInt q = 0; q < Nq; ++q) {
    for (PetscInt t = 0; t < nb; ++t) {
      vec sum[2] = {{0}};

      for (PetscInt s = 0; s < na; ++s)
        for (int r = 0; r < R; ++r) sum[r] += table[(q * na + s) * Nn + i + r] * D[(q * na + s) * nb + t];
      for (int r = 0; r < R; ++r) rows[(r * Nq + q) * nb + t] = sum[r];
    }
  }
}

/* Adds to a slot of the matrix, -1: none; see PlexArgs */
PLEX_HOST_INLINE void AddTo(const PlexArgs *args, int slot, int z, double value)
{
  if ((unsigned)slot < (unsigned)args->nA) args->A[PLEX_REALS * (size_t)slot + z] += value;
  else if (slot >= 0) args->B[PLEX_REALS * (size_t)(slot - args->nA) + z] += value;
}

/* Gives the N columns of a row the signs of its dof and of theirs */
PLEX_HOST_INLINE void SignRow(const Block *block, PetscInt row, PetscInt column, PetscInt stride, PetscInt N, real *out)
{
  PlexElements el = block->b->elements;

  for (PetscInt l = 0; l < block->n; ++l) {
    const signed char *signs = &el->signs[(size_t)(block->e + l) * el->ef];

    for (PetscInt m = 0; m < N; ++m) out[m * LANES + l] *= (real)(signs[row] * signs[column + m * stride]);
  }
}

/* Adds one row of A^e, N columns, for test node i and component pair (c, d), in all lanes */
PLEX_HOST_INLINE void AddRow(const Block *block, PetscInt c, PetscInt d, PetscInt i, PetscInt N, real *out)
{
  PlexElements   el = block->b->elements;
  const PetscInt fI = block->fI, fJ = block->fJ, ef = el->ef, stride = STRIDE(el, fJ);
  const PetscInt row    = el->offset[fI] + i * STRIDE(el, fI) + PLACE(el, fI, c),
                 column = el->offset[fJ] + PLACE(el, fJ, d);

  if (SIGNS(el)) SignRow(block, row, column, stride, N, out);
  for (PetscInt l = 0; l < block->n; ++l) {
    const int *slot = block->slots + l * ef * ef + row * ef + column;

    for (PetscInt m = 0; m < N; ++m) AddTo(block->args, slot[m * stride], block->z, (double)out[m * LANES + l]);
    if (block->b->symmetric) {
      const int *mirror = block->slots + l * ef * ef + column * ef + row;

      for (PetscInt m = 0; m < N; ++m)
        if (column + m * stride != row)
          AddTo(block->args, mirror[m * stride * ef], block->z, (double)out[m * LANES + l]);
    }
  }
}

/* Adds the rows of nodes i..i+R-1; of a symmetric matrix the columns up to the diagonal */
PLEX_HOST_INLINE void AddRows(const Block *block, const int R, PetscInt c, PetscInt d, PetscInt i, const vec *D)
{
  PlexHostBatch   b    = block->b;
  PlexElements    el   = b->elements;
  const PetscBool half = (PetscBool)(b->symmetric && block->fI == block->fJ);
  const PetscInt  NnJ = el->Nn[block->fJ], K = el->Nq * block->nb;
  /* of row i: columns m <= i, or m < i */
  const PetscInt diagonal = d <= c || SPACE(el, block->fJ) != PLEX_SPACE_NODES ? 1 : 0;

  TestRows(block, R, c, i, D, (vec *)b->rows);
  Contract(R, K, (const vec *)b->rows, TableOf(b, block->fJ, block->trial, d, K), NnJ,
           half ? i + R - 1 + diagonal : NnJ, (vec *)b->out);
  for (int r = 0; r < R; ++r)
    AddRow(block, c, d, i + r, half ? i + r + diagonal : NnJ, (real *)b->out + r * NnJ * LANES);
}

/* The same by tensors: row i of A^e from G[Nk][nab], which is D at the points of the polynomials */
PLEX_HOST_INLINE void AddTensorRow(const Block *block, PetscInt c, PetscInt d, PetscInt i, PetscInt K, const vec *G)
{
  PlexHostBatch  b     = block->b;
  const PetscInt NnJ   = b->elements->Nn[block->fJ],
                 N     = b->symmetric && block->fI == block->fJ ? i + (d <= c ? 1 : 0) : NnJ;
  const real    *table = block->K + i * K * NnJ;
  vec           *out   = (vec *)b->out;
  PetscInt       m     = 0;

  for (; m + 8 <= N; m += 8) Tile(1, 8, K, G, table + m, NnJ, NnJ, out + m);
  Contract(1, K, G, table + m, NnJ, N - m, out + m);
  AddRow(block, c, d, i, N, (real *)out);
}

/* Keeps a <= b of D[q][a][b] */
PLEX_HOST_INLINE void PackSymmetric(PetscInt Nq, PetscInt na, vec D[])
{
  PetscInt k = 0;

  for (PetscInt q = 0; q < Nq; ++q)
    for (PetscInt s = 0; s < na; ++s)
      for (PetscInt t = s; t < na; ++t) D[k++] = D[(q * na + s) * na + t];
}

/* D is zero in all lanes */
PLEX_HOST_INLINE PetscBool IsZero(const vec D[], PetscInt size)
{
  for (PetscInt k = 0; k < size; ++k)
    for (int l = 0; l < LANES; ++l)
      if (D[k][l] != (real)0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* D of all pairs of components at point q, of values `raw` at a point */
PLEX_HOST_INLINE void TransformPoint(const Block *block, const void *raw, PetscInt q)
{
  PlexHostBatch  b    = block->b;
  const PetscInt NcNc = b->elements->Nc[block->fI] * b->elements->Nc[block->fJ];
  const PetscInt nab = block->na * block->nb, size = b->elements->Nq * nab;

  for (int z = 0; z < PLEX_REALS; ++z)
    for (PetscInt cd = 0; cd < NcNc; ++cd)
      TransformJacobian(block, (const vec *)raw + z * b->sizeRaw, cd, q, DATA(b, z) + cd * size + q * nab);
}

/* D at all points. Whether the functions' values were the same at all of them, where that is looked at: then D is
   there for the first point alone */
PLEX_HOST_INLINE PetscBool JacobianAtPoints(const Block *block)
{
  PlexHostBatch  b         = block->b;
  PlexElements   el        = b->elements;
  const PetscInt size      = el->Nc[block->fI] * el->Nc[block->fJ] * (1 + block->dim) * (1 + block->dim);
  PetscScalar   *constants = b->guard ? b->guard->constants : b->constants;
  PetscBool      same      = b->compares;

  constants[b->form->numConstants]     = PlexFormField(b->form, block->fI);
  constants[b->form->numConstants + 1] = PlexFormField(b->form, block->fJ);
  for (PetscInt q = 0; q < el->Nq; ++q) {
    CallJacobian(block, q);
    if (same && q) {
      if (IsAsFirst(block)) continue;
      same = PETSC_FALSE;
      for (PetscInt p = 1; p < q; ++p) TransformPoint(block, b->first, p);
    } else if (same) {
      for (int z = 0; z < PLEX_REALS; ++z)
        memcpy((vec *)b->first + z * b->sizeRaw, RAW(b, z), (size_t)size * sizeof(vec));
    }
    TransformPoint(block, b->raw, q);
  }
  return same;
}

/* Values are compared in every batch, but after HOST_DIFFERENT batches in a row in which they differed only in every
   HOST_DIFFERENT-th, until they are the same again */
#define HOST_DIFFERENT 8
PLEX_HOST_INLINE void ChooseComparing(PlexHostBatch b)
{
  b->compares = (PetscBool)(b->constant &&
                            (b->guard || b->different < HOST_DIFFERENT || b->different % HOST_DIFFERENT == 0));
}

/* Block of test field fI and trial field fJ; false: the form has none */
PLEX_HOST_INLINE PetscBool ChooseBlock(Block *block, PetscInt fI, PetscInt fJ)
{
  block->fI   = fI;
  block->fJ   = fJ;
  block->pair = fI * block->b->elements->Nf + fJ;
  block->K    = (const real *)block->b->K[block->pair];
  block->has  = 0;
  for (PetscInt k = 0; k < 4; ++k)
    if (PlexHostHas_Private(block->b->form, k, fI, fJ)) block->has |= 1u << k;
  PlexHostGetParts_Private(block->b->form, fI, fJ, &block->test, &block->trial);
  block->na = PlexHostPartSize_Private(block->test, block->dim);
  block->nb = PlexHostPartSize_Private(block->trial, block->dim);
  return (PetscBool)(block->test != PLEX_PART_NONE);
}

/* Adds the entries of components c of fI and d of fJ, from D */
PLEX_HOST_INLINE void AddComponents(const Block *block, PetscInt c, PetscInt d, PetscBool same)
{
  PlexHostBatch  b    = block->b;
  PlexElements   el   = b->elements;
  const real     unit = (real)(1. / el->weights[0]);
  const PetscInt na = block->na, nb = block->nb, size = el->Nq * na * nb, NnI = el->Nn[block->fI];
  vec           *D = DATA(b, block->z) + (c * el->Nc[block->fJ] + d) * size;
  PetscInt       i = 0;

  if ((b->skip || block->z) && IsZero(D, same ? na * nb : size)) return;
  if (same || b->tensor) {
    const PetscInt nab = same || !b->tensor->symmetric ? na * nb : b->tensor->nab, K = (same ? 1 : el->Nq) * nab;

    if (same)
      for (PetscInt ab = 0; ab < nab; ++ab) D[ab] *= unit; /* the weight is in K */
    else if (b->tensor->symmetric) PackSymmetric(el->Nq, na, D);
    for (i = 0; i < NnI; ++i) AddTensorRow(block, c, d, i, K, D);
    return;
  }
  for (; i + 2 <= NnI; i += 2) AddRows(block, 2, c, d, i, D);
  if (i < NnI) AddRows(block, 1, c, d, i, D);
}

/* Calls the functions of all pairs of fields once; false: a guarded page was read */
PLEX_HOST_INLINE PetscBool CallGuarded(Block *block)
{
  const PetscInt Nf = block->b->elements->Nf;

  for (PetscInt fI = 0; fI < Nf; ++fI) {
    for (PetscInt fJ = 0; fJ < Nf; ++fJ) {
      if (ChooseBlock(block, fI, fJ)) (void)JacobianAtPoints(block);
      if (block->b->guard->read) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Returns whether all pairs of fields had the same values at all points */
PLEX_HOST_INLINE PetscBool Jacobian(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n,
                                    const int slots[])
{
  PlexElements el    = b->elements;
  PetscBool    all   = PETSC_TRUE;
  Block        block = {.b = b, .args = args, .dim = dim, .e = e, .n = n, .slots = slots};

  ChooseComparing(b);
  /* of several fields nothing is added before all functions have been called once */
  if (b->guard && el->Nf > 1 && !CallGuarded(&block)) return PETSC_FALSE;
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    for (PetscInt fJ = 0; fJ < (b->symmetric ? fI + 1 : el->Nf); ++fJ) {
      PetscBool same;

      if (!ChooseBlock(&block, fI, fJ)) continue;
      same = JacobianAtPoints(&block);
      all  = (PetscBool)(all && same);
      if (b->guard && el->Nf == 1 && b->guard->read) return PETSC_FALSE;
      for (block.z = 0; block.z < PLEX_REALS; ++block.z)
        for (PetscInt c = 0; c < el->Nc[fI]; ++c)
          for (PetscInt d = 0; d < el->Nc[fJ]; ++d) AddComponents(&block, c, d, same);
    }
  }
  b->different = all ? 0 : b->different + 1;
  return all;
}
