/* Residual of a batch; see host.h */

/* raw[z][Nc], raw[z][Nc][dim]: f0 and f1 of test field fI at point q, lane by lane */
PLEX_HOST_INLINE void CallResidual(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt fI, PetscInt q)
{
  const Points   P   = GetPoints(b, args);
  const PetscInt Nc  = b->elements->Nc[fI];
  real          *raw = (real *)b->raw;

  for (int k = 0; k < 2; ++k) {
    const PlexFunctions f = b->form->f[k][fI];
    const PetscInt      N = k ? Nc * dim : Nc, at = k ? Nc : 0, from = f.part * N;

    for (int l = 0; l < LANES && f.n; ++l) {
      const PetscInt p = q * LANES + l;

      P.constants[P.nc + 2] = P.volume[p];
      for (PetscInt i = 0; i < f.parts * N; ++i) P.result[i] = 0.;
      for (PetscInt i = 0; i < f.n; ++i) {
        if (P.facets)
          ((PetscBdPointFn *)f.fn[i])(WITH_AUX(P, p), P.X + p * dim, P.normal + p * dim, P.nc, P.constants, P.result);
        else if (P.a) ((PetscPointFn *)f.fn[i])(WITH_AUX(P, p), P.X + p * dim, P.nc, P.constants, P.result);
        else ((PetscPointFn *)f.fn[i])(WITHOUT_AUX(P, p), P.X + p * dim, P.nc, P.constants, P.result);
      }
      for (int z = 0; z < PLEX_REALS; ++z)
        for (PetscInt i = 0; i < N; ++i)
          raw[(z * b->sizeRaw + at + i) * LANES + l] = (real)((const PetscReal *)P.result)[PLEX_REALS * (from + i) + z];
    }
  }
}

/* E[c][q][parts] = w detJ (f0, J^-1 f1), with f0[Nc], f1[Nc][dim] at `raw`; of a vector space of M^T f0 and M^T f1, which
   are there afterwards */
PLEX_HOST_INLINE void TransformResidual(PlexHostBatch b, PetscInt dim, PetscInt fI, PetscInt q, PlexPart part, vec *raw,
                                        const vec *inverse, int z)
{
  PlexElements   el = b->elements;
  const PetscInt Nc = el->Nc[fI], Nq = el->Nq, parts = PlexHostPartSize_Private(part, dim);
  const vec     *invJ = inverse + (el->affine ? 0 : q * dim * dim), w = ((const vec *)b->wdetJ)[q];

  if (SPACE(el, fI) > PLEX_SPACE_VECTORS) {
    vec M[9];

    VectorMap(dim, SPACE(el, fI), invJ, M);
    if (part & PLEX_PART_VALUE) PullBack(dim, M, 1, raw);
    if (part & PLEX_PART_GRAD) PullBack(dim, M, dim, raw + dim);
  }
  for (PetscInt c = 0; c < Nc; ++c) {
    vec *E = DATA(b, z) + (c * Nq + q) * parts;

    if (part & PLEX_PART_VALUE) *E++ = w * raw[c];
    for (PetscInt a = 0; part & PLEX_PART_GRAD && a < dim; ++a) {
      vec sum = {0};

      for (PetscInt k = 0; k < dim; ++k) sum += invJ[a * dim + k] * raw[Nc + c * dim + k];
      *E++ = w * sum;
    }
  }
}

/* Adds F^e of the components c..c+R-1 of field fI to each PLEX_REALS-th number of F */
PLEX_HOST_INLINE void AddResidual(PlexHostBatch b, const int R, PetscInt fI, PetscInt c, PetscInt K, const vec *data,
                                  const real *table, PetscInt e, PetscInt n, double F[])
{
  PlexElements   el = b->elements;
  const PetscInt Nn = el->Nn[fI], stride = STRIDE(el, fI), first = el->offset[fI] + PLACE(el, fI, c);
  const real    *out = (const real *)b->out;

  Contract(R, K, data + c * K, table, Nn, Nn, (vec *)b->out);
  for (PetscInt l = 0; l < n; ++l) {
    const int         *dofs  = &el->dofs[(size_t)(e + l) * el->ef + first];
    const signed char *signs = SIGNS(el) ? &el->signs[(size_t)(e + l) * el->ef + first] : NULL;

    for (PetscInt k = 0; k < Nn && !signs; ++k)
      for (int r = 0; r < R; ++r) F[PLEX_REALS * dofs[k * stride + r]] += (double)out[(r * Nn + k) * LANES + l];
    for (PetscInt k = 0; k < Nn && signs; ++k)
      for (int r = 0; r < R; ++r)
        F[PLEX_REALS * dofs[k * stride + r]] += (double)signs[k * stride + r] * (double)out[(r * Nn + k) * LANES + l];
  }
}

/* Adds F^e of all components of field fI, from E */
PLEX_HOST_INLINE void AddField(PlexHostBatch b, PetscInt dim, PetscInt fI, PlexPart part, const PlexArgs *args,
                               PetscInt e, PetscInt n)
{
  PlexElements   el    = b->elements;
  const PetscInt K     = el->Nq * PlexHostPartSize_Private(part, dim);
  const real    *table = (const real *)b->tables[fI][part] + b->face * K * el->Nn[fI];

  for (int z = 0; z < PLEX_REALS; ++z) {
    const vec *E = DATA(b, z);
    double    *F = args->F + z;
    PetscInt   c = 0;

    if (SPACE(el, fI) != PLEX_SPACE_NODES)
      for (; c < el->Nc[fI]; ++c) AddResidual(b, 1, fI, c, K, E, table + c * el->faces * K * el->Nn[fI], e, n, F);
    for (; c + 2 <= el->Nc[fI]; c += 2) AddResidual(b, 2, fI, c, K, E, table, e, n, F);
    if (c < el->Nc[fI]) AddResidual(b, 1, fI, c, K, E, table, e, n, F);
  }
}

PLEX_HOST_INLINE void Residual(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n)
{
  PlexElements el = b->elements;

  b->constants[b->form->numConstants + 1] = PETSC_DETERMINE;
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    const PlexPart part = (PlexPart)((b->form->f[0][fI].n ? PLEX_PART_VALUE : 0) |
                                     (b->form->f[1][fI].n ? PLEX_PART_GRAD : 0));

    if (part == PLEX_PART_NONE) continue;
    b->constants[b->form->numConstants] = PlexFormField(b->form, fI);
    for (PetscInt q = 0; q < el->Nq; ++q) {
      CallResidual(b, dim, args, fI, q);
      for (int z = 0; z < PLEX_REALS; ++z)
        TransformResidual(b, dim, fI, q, part, RAW(b, z), (const vec *)b->testInvJ, z);
    }
    AddField(b, dim, fI, part, args, e, n);
  }
}
