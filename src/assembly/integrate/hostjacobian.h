/* Jacobian of a batch; see host.h */

/* raw[N] (+)= scale times the functions of one key at point q, lane by lane */
PLEX_HOST_INLINE void CallKey(const Points P, PetscInt dim, const PlexFunctions g, PetscInt e, PetscInt n, PetscInt q,
                              PetscInt N, PetscReal scale, PetscBool add, real raw[])
{
  for (int l = 0; l < LANES; ++l) {
    const PetscInt p = q * LANES + l;

    if (P.point) P.point->e = e + PetscMin(l, n - 1);
    else P.constants[P.nc + 2] = P.volume[p];
    for (PetscInt i = 0; i < N; ++i) P.result[i] = 0.;
    for (PetscInt i = 0; i < g.n; ++i) {
      if (P.facets)
        ((PetscBdPointJacFn *)g.fn[i])(WITH_AUX(P, p), P.shift, P.X + p * dim, P.normal + p * dim, P.nc, P.constants,
                                       P.result);
      else if (P.a)
        ((PetscPointJacFn *)g.fn[i])(WITH_AUX(P, p), P.shift, P.X + p * P.X_stride, P.nc, P.constants, P.result);
      else ((PetscPointJacFn *)g.fn[i])(WITHOUT_AUX(P, p), P.shift, P.X + p * P.X_stride, P.nc, P.constants, P.result);
    }
    if (add)
      for (PetscInt i = 0; i < N; ++i) raw[i * LANES + l] += (real)(scale * P.result[i]);
    else
      for (PetscInt i = 0; i < N; ++i) raw[i * LANES + l] = (real)P.result[i];
  }
}

/* raw: g0[NcI][NcJ], g1, g2[NcI][NcJ][dim], g3[NcI][NcJ][dim][dim] of fields fI, fJ at point q; those of the dynamic
   Jacobian are multiplied by the shift */
PLEX_HOST_INLINE void CallJacobian(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n,
                                   PetscInt fI, PetscInt fJ, PetscInt q)
{
  const Points   P    = GetPoints(b, args);
  const PetscInt NcNc = b->elements->Nc[fI] * b->elements->Nc[fJ],
                 N[4] = {NcNc, NcNc * dim, NcNc * dim, NcNc * dim * dim};
  real          *raw  = (real *)b->raw;

  for (PetscInt k = 0; k < 4; raw += N[k++] * LANES) {
    const PlexFunctions g = b->form->g[k][fI][fJ], d = b->form->d[k][fI][fJ];

    if (g.n || d.n) CallKey(P, dim, g, e, n, q, N[k], 1., PETSC_FALSE, raw);
    if (d.n && P.shift != 0.) CallKey(P, dim, d, e, n, q, N[k], P.shift, PETSC_TRUE, raw);
  }
}

/* The functions' values at a point are those at the first one, in all lanes */
PLEX_HOST_INLINE PetscBool IsAsFirst(PlexHostBatch b, PetscInt dim, PetscInt fI, PetscInt fJ)
{
  const PetscInt NcNc = b->elements->Nc[fI] * b->elements->Nc[fJ],
                 N[4] = {NcNc, NcNc * dim, NcNc * dim, NcNc * dim * dim};
  const vec     *raw = (const vec *)b->raw, *first = (const vec *)b->first;

  for (PetscInt k = 0; k < 4; raw += N[k], first += N[k], ++k)
    if (PlexHostHas_Private(b->form, k, fI, fJ) && memcmp(raw, first, (size_t)N[k] * sizeof(vec))) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* D[a][b] = w detJ (g0, g1 J^-T; J^-1 g2, J^-1 g3 J^-T) of one pair of components cd at point q, of values `raw`; zero
   where there is no function */
PLEX_HOST_INLINE void TransformJacobian(PlexHostBatch b, const void *values, PetscInt dim, PetscInt fI, PetscInt fJ,
                                        PetscInt cd, PetscInt q, PlexPart test, PlexPart trial, vec D[])
{
  PlexElements   el   = b->elements;
  const PetscInt NcNc = el->Nc[fI] * el->Nc[fJ], nb = PlexHostPartSize_Private(trial, dim);
  const PetscInt a0 = test & PLEX_PART_VALUE ? 1 : 0, b0 = trial & PLEX_PART_VALUE ? 1 : 0; /* where gradients begin */
  const vec     *g0 = (const vec *)values + cd, *g1 = (const vec *)values + NcNc + cd * dim, *g2 = g1 + NcNc * dim,
            *g3   = (const vec *)values + NcNc * (1 + 2 * dim) + cd * dim * dim;
  const vec *invJ = (const vec *)b->invJ + (el->affine ? 0 : q * dim * dim), w = ((const vec *)b->wdetJ)[q];

  if (a0 && b0) {
    const vec zero = {0};

    D[0] = zero;
    if (PlexHostHas_Private(b->form, 0, fI, fJ)) D[0] = w * *g0;
  }
  if (a0 && trial & PLEX_PART_GRAD) {
    for (PetscInt t = 0; t < dim; ++t) {
      vec sum = {0};

      if (PlexHostHas_Private(b->form, 1, fI, fJ))
        for (PetscInt k = 0; k < dim; ++k) sum += g1[k] * invJ[t * dim + k];
      D[b0 + t] = w * sum;
    }
  }
  for (PetscInt s = 0; test & PLEX_PART_GRAD && s < dim; ++s) {
    vec *row = D + (a0 + s) * nb, half[3] = {{0}};

    if (b0) {
      vec sum = {0};

      if (PlexHostHas_Private(b->form, 2, fI, fJ))
        for (PetscInt k = 0; k < dim; ++k) sum += invJ[s * dim + k] * g2[k];
      row[0] = w * sum;
    }
    if (!(trial & PLEX_PART_GRAD)) continue;
    if (PlexHostHas_Private(b->form, 3, fI, fJ))
      for (PetscInt k = 0; k < dim; ++k)
        for (PetscInt m = 0; m < dim; ++m) half[m] += invJ[s * dim + k] * g3[k * dim + m];
    for (PetscInt t = 0; t < dim; ++t) {
      vec sum = {0};

      for (PetscInt m = 0; m < dim; ++m) sum += half[m] * invJ[t * dim + m];
      row[b0 + t] = w * sum;
    }
  }
}

/* rows[R][q][b] = sum_a psi_a D of the nodes i..i+R-1 of the test field */
PLEX_HOST_INLINE void TestRows(const int R, PetscInt Nq, PetscInt na, PetscInt nb, const vec *D, const real *table,
                               PetscInt Nn, PetscInt i, vec *rows)
{
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
PLEX_HOST_INLINE void AddTo(const PlexArgs *args, int slot, double value)
{
  if ((unsigned)slot < (unsigned)args->nA) args->A[slot] += value;
  else if (slot >= 0) args->B[slot - args->nA] += value;
}

/* Adds one row of A^e, N columns, for test node i and component pair (c, d), in all lanes */
PLEX_HOST_INLINE void AddRow(PlexHostBatch b, PetscInt fI, PetscInt fJ, PetscInt c, PetscInt d, PetscInt i, PetscInt N,
                             const real *out, PetscInt n, const int slots[], const PlexArgs *args)
{
  PlexElements   el = b->elements;
  const PetscInt ef = el->ef, NcJ = el->Nc[fJ], row = el->offset[fI] + i * el->Nc[fI] + c, column = el->offset[fJ] + d;

  for (PetscInt l = 0; l < n; ++l) {
    const int *slot = slots + l * ef * ef + row * ef + column;

    for (PetscInt m = 0; m < N; ++m) AddTo(args, slot[m * NcJ], (double)out[m * LANES + l]);
    if (b->symmetric) {
      const int *mirror = slots + l * ef * ef + column * ef + row;

      for (PetscInt m = 0; m < N; ++m)
        if (column + m * NcJ != row) AddTo(args, mirror[m * NcJ * ef], (double)out[m * LANES + l]);
    }
  }
}

/* Adds the rows of nodes i..i+R-1; of a symmetric matrix the columns up to the diagonal */
PLEX_HOST_INLINE void AddRows(PlexHostBatch b, const int R, PetscInt fI, PetscInt fJ, PetscInt c, PetscInt d,
                              PetscInt i, const vec *D, PlexPart test, PlexPart trial, PetscInt na, PetscInt nb,
                              PetscInt n, const int slots[], const PlexArgs *args)
{
  PlexElements el = b->elements;
  /* of the last row: columns m <= i, or m < i */
  const PetscInt NnJ = el->Nn[fJ], K = el->Nq * nb, diagonal = d <= c ? 1 : 0;

  TestRows(R, el->Nq, na, nb, D, (const real *)b->tables[fI][test] + b->face * el->Nq * na * el->Nn[fI], el->Nn[fI], i,
           (vec *)b->rows);
  Contract(R, K, (const vec *)b->rows, (const real *)b->tables[fJ][trial] + b->face * K * NnJ, NnJ,
           b->symmetric && fI == fJ ? i + R - 1 + diagonal : NnJ, (vec *)b->out);
  for (int r = 0; r < R; ++r)
    AddRow(b, fI, fJ, c, d, i + r, b->symmetric && fI == fJ ? i + r + diagonal : NnJ,
           (const real *)b->out + r * NnJ * LANES, n, slots, args);
}

/* The same by tensors: row i of A^e from G, which is D at the points of the polynomials */
PLEX_HOST_INLINE void AddTensorRow(PlexHostBatch b, PetscInt fI, PetscInt fJ, PetscInt c, PetscInt d, PetscInt i,
                                   const vec *G, PetscInt Nk, PetscInt nab, PetscInt n, const int slots[],
                                   const PlexArgs *args)
{
  const PetscInt NnJ = b->elements->Nn[fJ], K = Nk * nab, N = b->symmetric && fI == fJ ? i + (d <= c ? 1 : 0) : NnJ;
  const real    *table = (const real *)b->K[fI][fJ] + i * K * NnJ;
  vec           *out   = (vec *)b->out;
  PetscInt       m     = 0;

  for (; m + 8 <= N; m += 8) Tile(1, 8, K, G, table + m, NnJ, NnJ, out + m);
  Contract(1, K, G, table + m, NnJ, N - m, out + m);
  AddRow(b, fI, fJ, c, d, i, N, (const real *)out, n, slots, args);
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

/* D of a pair of fields at all points. Whether the functions' values were the same at all of them, where that is looked
   at: then D is there for the first point alone */
PLEX_HOST_INLINE PetscBool JacobianAtPoints(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n,
                                            PetscInt fI, PetscInt fJ, PlexPart test, PlexPart trial, PetscInt nab)
{
  PlexElements   el   = b->elements;
  const PetscInt NcNc = el->Nc[fI] * el->Nc[fJ], raw = NcNc * (1 + dim) * (1 + dim), size = el->Nq * nab;
  PetscScalar   *constants = b->guard ? b->guard->constants : b->constants;
  PetscBool      same      = b->compares;

  constants[b->form->numConstants]     = fI;
  constants[b->form->numConstants + 1] = fJ;
  for (PetscInt q = 0; q < el->Nq; ++q) {
    CallJacobian(b, dim, args, e, n, fI, fJ, q);
    if (same && q) {
      if (IsAsFirst(b, dim, fI, fJ)) continue;
      same = PETSC_FALSE;
      for (PetscInt p = 1; p < q; ++p)
        for (PetscInt cd = 0; cd < NcNc; ++cd)
          TransformJacobian(b, b->first, dim, fI, fJ, cd, p, test, trial, (vec *)b->data + cd * size + p * nab);
    } else if (same) memcpy(b->first, b->raw, (size_t)raw * sizeof(vec));
    for (PetscInt cd = 0; cd < NcNc; ++cd)
      TransformJacobian(b, b->raw, dim, fI, fJ, cd, q, test, trial, (vec *)b->data + cd * size + q * nab);
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

/* Returns whether all pairs of fields had the same values at all points */
PLEX_HOST_INLINE PetscBool Jacobian(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n,
                                    const int slots[])
{
  PlexElements el   = b->elements;
  PetscBool    all  = PETSC_TRUE;
  const real   unit = (real)(1. / el->weights[0]);

  ChooseComparing(b);
  if (b->guard && el->Nf > 1) { /* of several fields nothing is added before all functions have been called once */
    for (PetscInt fI = 0; fI < el->Nf; ++fI) {
      for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
        PlexPart test, trial;

        PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
        if (test != PLEX_PART_NONE)
          (void)JacobianAtPoints(b, dim, args, e, n, fI, fJ, test, trial,
                                 PlexHostPartSize_Private(test, dim) * PlexHostPartSize_Private(trial, dim));
        if (b->guard->read) return PETSC_FALSE;
      }
    }
  }
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    for (PetscInt fJ = 0; fJ < (b->symmetric ? fI + 1 : el->Nf); ++fJ) {
      const PetscInt NcI = el->Nc[fI], NcJ = el->Nc[fJ];
      PetscInt       na, nb, size;
      PlexPart       test, trial;
      PetscBool      same;

      PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
      if (test == PLEX_PART_NONE) continue;
      na   = PlexHostPartSize_Private(test, dim);
      nb   = PlexHostPartSize_Private(trial, dim);
      size = el->Nq * na * nb;

      same = JacobianAtPoints(b, dim, args, e, n, fI, fJ, test, trial, na * nb);
      all  = (PetscBool)(all && same);
      if (b->guard && el->Nf == 1 && b->guard->read) return PETSC_FALSE;
      for (PetscInt c = 0; c < NcI; ++c) {
        for (PetscInt d = 0; d < NcJ; ++d) {
          vec     *D = (vec *)b->data + (c * NcJ + d) * size;
          PetscInt i = 0;

          if (b->skip && IsZero(D, same ? na * nb : size)) continue;
          if (same || b->tensor) {
            const PetscInt Nk = same ? 1 : el->Nq, nab = same || !b->tensor->symmetric ? na * nb : b->tensor->nab;

            if (same)
              for (PetscInt ab = 0; ab < nab; ++ab) D[ab] *= unit; /* the weight is in K */
            else if (b->tensor->symmetric) PackSymmetric(el->Nq, na, D);
            for (i = 0; i < el->Nn[fI]; ++i) AddTensorRow(b, fI, fJ, c, d, i, D, Nk, nab, n, slots, args);
            continue;
          }
          for (; i + 2 <= el->Nn[fI]; i += 2) AddRows(b, 2, fI, fJ, c, d, i, D, test, trial, na, nb, n, slots, args);
          if (i < el->Nn[fI]) AddRows(b, 1, fI, fJ, c, d, i, D, test, trial, na, nb, n, slots, args);
        }
      }
    }
  }
  b->different = all ? 0 : b->different + 1;
  return all;
}
