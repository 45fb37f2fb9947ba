/*
  Actions of the Jacobian A at a state on a batch, without element matrices; see host.h. At each point

    A v     W = (g0 v + g1 grad v, g2 v + g3 grad v)
    A^T v   W = (g0^T v + g2^T grad v, g1^T v + g3^T grad v)

  with the functions' numbers there, and F^e is summed from W as that of a residual from (f0, f1). A point takes 2 Nc^2
  (1 + dim)^2 operations in the place of the 2 Nn^2 and more of an element matrix. The diagonal is summed from D_q, which
  the Jacobian has too.
*/

/* Those of W, and of v at a point: [z][Nct][1 + dim] value and gradient */
#define ACTION(b, z) ((vec *)(b)->action + (z) * (b)->sizeAction)
#define JETS(b, z)   ((vec *)(b)->jets + (z) * (b)->Nct * (1 + (b)->elements->dim))

/* Values and gradients of v at point q */
PLEX_HOST_INLINE void GetJets(PlexHostBatch b, PetscInt dim, PetscInt q)
{
  for (int z = 0; z < PLEX_REALS; ++z) {
    const PetscReal *v = (const PetscReal *)b->v + z, *v_x = (const PetscReal *)b->v_x + z;
    real            *jet = (real *)JETS(b, z);

    for (PetscInt k = 0; k < b->Nct; ++k) {
      for (int l = 0; l < LANES; ++l) {
        const PetscInt at = (q * LANES + l) * b->Nct + k;

        jet[k * (1 + dim) * LANES + l] = (real)v[PLEX_REALS * at];
        for (PetscInt d = 0; d < dim; ++d)
          jet[(k * (1 + dim) + 1 + d) * LANES + l] = (real)v_x[PLEX_REALS * (at * dim + d)];
      }
    }
  }
}

/* Adds `sign` times the numbers g of a block, at `raw`, times jets to W: W[Nc], W[Nc][dim] of the field that tests */
PLEX_HOST_INLINE void MultiplyBlock(const Block *block, PetscBool transpose, real sign, const vec *raw, const vec *jets,
                                    vec *W)
{
  PlexHostBatch  b   = block->b;
  const PetscInt dim = block->dim, NcI = b->elements->Nc[block->fI], NcJ = b->elements->Nc[block->fJ], NcNc = NcI * NcJ,
                 NcW = transpose ? NcJ : NcI, first = b->offsets.uOff[transpose ? block->fI : block->fJ];

  for (PetscInt c = 0; c < NcI; ++c) {
    for (PetscInt d = 0; d < NcJ; ++d) {
      const PetscInt cd = c * NcJ + d, w = transpose ? d : c;
      const vec     *g0 = raw + cd, *g1 = raw + NcNc + cd * dim, *g2 = g1 + NcNc * dim,
                *g3     = raw + NcNc * (1 + 2 * dim) + cd * dim * dim,
                *in     = jets + (first + (transpose ? c : d)) * (1 + dim);
      const vec *gValue = transpose ? g2 : g1, *gGrad = transpose ? g1 : g2;
      vec       *value = W + w, *grad = W + NcW + w * dim;

      if (block->has & 1u) *value += sign * *g0 * in[0];
      if (block->has & (transpose ? 4u : 2u))
        for (PetscInt k = 0; k < dim; ++k) *value += sign * gValue[k] * in[1 + k];
      if (block->has & (transpose ? 2u : 4u))
        for (PetscInt k = 0; k < dim; ++k) grad[k] += sign * gGrad[k] * in[0];
      if (block->has & 8u)
        for (PetscInt k = 0; k < dim; ++k)
          for (PetscInt l = 0; l < dim; ++l)
            grad[k] += sign * (transpose ? g3[l * dim + k] : g3[k * dim + l]) * in[1 + l];
    }
  }
}

/* W of field f at point q, of its blocks with all others */
PLEX_HOST_INLINE void ActionAtPoint(Block *block, PetscBool transpose, PetscInt f, PetscInt q)
{
  PlexHostBatch  b    = block->b;
  PlexElements   el   = b->elements;
  const PetscInt n    = el->Nc[f] * (1 + block->dim);
  const vec      zero = {0};

  for (int z = 0; z < PLEX_REALS; ++z)
    for (PetscInt k = 0; k < n; ++k) ACTION(b, z)[k] = zero;
  GetJets(b, block->dim, q);
  for (PetscInt other = 0; other < el->Nf; ++other) {
    if (!ChooseBlock(block, transpose ? other : f, transpose ? f : other)) continue;
    b->constants[b->form->numConstants]     = PlexFormField(b->form, block->fI);
    b->constants[b->form->numConstants + 1] = PlexFormField(b->form, block->fJ);
    CallKeys(block, q);
    for (int z = 0; z < PLEX_REALS; ++z) {
      MultiplyBlock(block, transpose, (real)1, RAW(b, 0), JETS(b, z), ACTION(b, z));
      if (PLEX_REALS > 1)
        MultiplyBlock(block, transpose, z ? (real)1 : (real)-1, RAW(b, PLEX_REALS - 1), JETS(b, PLEX_REALS - 1 - z),
                      ACTION(b, z));
    }
  }
}

/* Parts of the functions that test with field f */
PLEX_HOST_INLINE PlexPart ActionPart(PlexHostBatch b, PetscBool transpose, PetscInt f)
{
  PlexPart all = PLEX_PART_NONE, test, trial;

  for (PetscInt other = 0; other < b->elements->Nf; ++other) {
    PlexHostGetParts_Private(b->form, transpose ? other : f, transpose ? f : other, &test, &trial);
    all = (PlexPart)(all | (transpose ? trial : test));
  }
  return all;
}

/* Entry (i, i) of components c, d of field fI, from D; of a vector space i is a function of all components */
PLEX_HOST_INLINE void AddDiagonal(const Block *block, PetscInt c, PetscInt d, PetscInt i, const vec *D)
{
  PlexHostBatch  b  = block->b;
  PlexElements   el = b->elements;
  const PetscInt K = el->Nq * block->nb, Nn = el->Nn[block->fJ];
  const PetscInt row   = el->offset[block->fI] + i * STRIDE(el, block->fI) + PLACE(el, block->fI, c);
  const real    *table = TableOf(b, block->fJ, block->trial, d, K);
  const vec     *rows  = (const vec *)b->rows;
  vec            sum   = {0};
  double        *F     = block->args->F + block->z;

  TestRows(block, 1, c, i, D, (vec *)b->rows);
  for (PetscInt k = 0; k < K; ++k) sum += rows[k] * table[k * Nn + i];
  for (PetscInt l = 0; l < block->n; ++l)
    F[PLEX_REALS * el->dofs[(size_t)(block->e + l) * el->ef + row]] += (double)sum[l];
}

PLEX_HOST_INLINE void Diagonal(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n)
{
  const PetscInt component = args->component;
  PlexElements   el        = b->elements;
  Block          own = {.b = b, .args = args, .dim = dim, .e = e, .n = n}, *block = &own;

  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PetscInt  Nc  = el->Nc[f];
    const PetscBool all = (PetscBool)(SPACE(el, f) != PLEX_SPACE_NODES);

    if (!ChooseBlock(block, f, f)) continue;
    (void)JacobianAtPoints(block);
    for (block->z = 0; block->z < PLEX_REALS; ++block->z) {
      for (PetscInt cd = 0; cd < Nc * Nc; ++cd) {
        const PetscInt c = cd / Nc, d = cd % Nc;
        const vec     *D = DATA(b, block->z) + cd * el->Nq * block->na * block->nb;

        if (!all && d != (component < 0 ? c : component)) continue;
        for (PetscInt i = 0; i < el->Nn[f]; ++i) AddDiagonal(block, c, d, i, D);
      }
    }
  }
}

/* A v or A^T v */
PLEX_HOST_INLINE void Action(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n)
{
  const PetscBool transpose = (PetscBool)(b->form->action == PLEX_ACTION_TRANSPOSE);
  PlexElements    el        = b->elements;
  Block           block     = {.b = b, .args = args, .dim = dim, .e = e, .n = n};

  for (int z = 0; z < PLEX_REALS; ++z)
    Jets(b, dim, PETSC_FALSE, args->v + z, e, n, (PetscReal *)b->v + z, (PetscReal *)b->v_x + z);
  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PlexPart part = ActionPart(b, transpose, f);

    if (part == PLEX_PART_NONE) continue;
    for (PetscInt q = 0; q < el->Nq; ++q) {
      ActionAtPoint(&block, transpose, f, q);
      for (int z = 0; z < PLEX_REALS; ++z) TransformResidual(b, dim, f, q, part, ACTION(b, z), (const vec *)b->invJ, z);
    }
    AddField(b, dim, f, part, args, e, n);
  }
}
