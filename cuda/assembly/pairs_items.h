/* Steps of pairs_plan.h that find the pairs of a block, and the items of each pair: the elements that add to it */

/* An entity of an element (PlexPairPoints), and which of its dofs have rows and columns in the block */
typedef struct {
  int      n, l[PLEX_PAIR_POINT_DOFS];     /* [n] local dofs; of a DMPlex point ascending */
  unsigned position[PLEX_PAIR_POINT_DOFS]; /* [n] of a point: position in l[] of each of the entity's dofs */
  unsigned rows, columns;                  /* bit c: dof l[c] has a row in the block; a column */
  int      row, column;                    /* the first of these dofs, or -1 */
  int      stride;                         /* difference of the offsets of two rows */
} PlexPairEntity;

PLEX_HOST_DEVICE int plex_pair_owns_row(const PlexPairsPlan *p, int b, int l)
{
  const int position = p->cut.rank[l];

  return position >= p->cut.blockFirst[b] && position < p->cut.blockFirst[b + 1] && plex_plan_length(&p->cut, l) > 0;
}

PLEX_HOST_DEVICE void plex_pair_entity(const PlexPairsPlan *p, int b, const int dofs[], int m, PlexPairEntity *x)
{
  const PlexPairsTables *t = p->tables;

  x->n    = t->entities.size[m];
  x->rows = x->columns = 0;
  x->row = x->column = -1;
  x->stride          = 0;
  for (int c = 0; c < x->n; ++c) {
    int less = c;

    if (t->byPoints) {
      less = 0;
      for (int d = 0; d < x->n; ++d) less += dofs[t->entities.dof[m][d]] < dofs[t->entities.dof[m][c]];
    }
    x->position[c] = (unsigned)less;
    x->l[less]     = dofs[t->entities.dof[m][c]];
  }
  for (int c = 0; c < x->n; ++c) {
    const int l = x->l[c];

    if (plex_pair_owns_row(p, b, l)) {
      if (x->rows && !x->stride) x->stride = p->rowOffset[l] - p->rowOffset[x->row];
      if (!x->rows) x->row = l;
      x->rows |= 1u << c;
    }
    if (p->cut.column[l] >= 0) {
      if (!x->columns) x->column = l;
      x->columns |= 1u << c;
    }
  }
}

/* Offset of entry (l, m) in the sums of the block; -1: the matrix has no such entry */
PLEX_HOST_DEVICE int plex_pair_find(const PlexPairsPlan *p, int l, int m)
{
  const int row = p->cut.row[l],
            at  = plex_find_column(plex_plan_length(&p->cut, l), &p->cut.j[p->cut.i[row]], p->cut.column[m]);

  return at < 0 ? -1 : p->rowOffset[l] + at;
}

/* Marks the entries (x, y) of block b as written by a pair. Entry (row, column) has to be at
   offset + row * stride + column; else *irregular is set */
PLEX_HOST_DEVICE void plex_pair_mark_written(const PlexPairsPlan *p, int b, int e, const PlexPairEntity *x,
                                             const PlexPairEntity *y, int offset)
{
  int row = 0;

  if (x->stride < 0 || x->stride > PLEX_PAIR_STRIDE) *p->irregular = 1;
  for (int c = 0; c < x->n; ++c) {
    int column = 0;

    if (!(x->rows >> c & 1)) continue;
    for (int d = 0; d < y->n; ++d) {
      int at;

      if (!(y->columns >> d & 1)) continue;
      at = plex_pair_find(p, x->l[c], y->l[d]);
      if (at < 0) {
        *p->cut.missing = e + 1;
        return;
      }
      if (at != offset + row * x->stride + column) *p->irregular = 1;
      p->unwritten[p->entryStart[b] + at] = 0;
      ++column;
    }
    ++row;
  }
}

/* Pair (x, y) of an element, in the order that the kind has */
typedef struct {
  int      kind, symmetry; /* see PlexPairsTables */
  unsigned layout;         /* see PlexPairsArgs */
} PlexPairInfo;

/* Positions of the dofs that a match maps those of its kind to, two bits each: of the first point, then of the
   second */
PLEX_HOST_DEVICE unsigned plex_pair_positions(const PlexPairMatch *match, const PlexPairsTables *t, int x, int y,
                                              const PlexPairEntity *a, const PlexPairEntity *b)
{
  unsigned positions = 0;

  for (int c = 0; c < t->entities.size[x]; ++c)
    for (int d = 0; d < t->entities.size[x]; ++d)
      if (t->entities.dof[x][d] == match->dof[0][c]) positions |= a->position[d] << 2 * c;
  for (int c = 0; c < t->entities.size[y]; ++c)
    for (int d = 0; d < t->entities.size[y]; ++d)
      if (t->entities.dof[y][d] == match->dof[1][c]) positions |= b->position[d] << (2 * c + 6);
  return positions;
}

PLEX_HOST_DEVICE PlexPairInfo plex_pair_info(const PlexPairsTables *t, int x, int y, const PlexPairEntity *a,
                                             const PlexPairEntity *b)
{
  const int    at   = x * t->entities.n + y;
  PlexPairInfo info = {t->kindOf[at], t->symmetryOf[at], 0};

  if (t->byPoints) {
    unsigned least = ~0u;

    for (int k = 0; k < t->nmatches[at]; ++k) {
      const PlexPairMatch *match     = &t->matches[at * PLEX_PAIR_MATCHES + k];
      const unsigned       positions = plex_pair_positions(match, t, x, y, a, b);

      if (positions >= least) continue;
      least         = positions;
      info.symmetry = match->symmetry;
    }
    info.layout = (unsigned)a->stride | (unsigned)b->stride << 10 | least << 20;
  } else if (t->multiDof)
    info.layout = (unsigned)a->stride | a->rows << 10 | b->rows << 13 | (unsigned)b->stride << 16 | a->columns << 26 |
                  b->columns << 29;
  return info;
}

/* An item of the pair whose key is entry `offset`: counted, or, with `fill`, written */
PLEX_HOST_DEVICE void plex_pair_add(const PlexPairsPlan *p, int b, int offset, int e, const PlexPairInfo *info,
                                    int entry, int fill)
{
  const PlexPairsTables *t  = p->tables;
  const int              at = p->entryStart[b] + offset;
  int                    number, symmetry;

  if (!fill) {
    ++p->itemStart[at];
    return;
  }
  number                    = plex_plan_number(&p->cut, b, e);
  symmetry                  = t->composed[p->orientation[number] * t->symmetries + info->symmetry];
  number                    = p->position[number];
  p->items[p->itemStart[at] +
           p->cursor[at]++] = (unsigned short)(t->multiDof || t->terms[info->kind] > 1
                                                 ? number | symmetry << p->elementBits
                                                 : (t->byEntries
                                                      ? entry
                                                      : t->permuted[symmetry * t->numbers + t->number[info->kind]]) *
                                                       PLEX_PAIRS_STRIDE(p->cut.elementStart[b + 1] -
                                                                           p->cut.elementStart[b],
                                                                         p->realBytes) +
                                                     number);
}

/* Sets up a pair (x, y) at its first item: its kind, and its targets */
PLEX_HOST_DEVICE void plex_pair_begin(const PlexPairsPlan *p, int b, int offset, int e, const PlexPairInfo *info,
                                      const PlexPairEntity *x, const PlexPairEntity *y, int same)
{
  const int first = x->rows && y->columns, second = y->rows && x->columns && (!first || !same);
  const int other = second ? plex_pair_find(p, y->row, x->column) : PLEX_PAIR_NONE, at = p->entryStart[b] + offset;

  if (other < 0) {
    *p->cut.missing = e + 1;
    return;
  }
  if (first) plex_pair_mark_written(p, b, e, x, y, offset);
  if (second) plex_pair_mark_written(p, b, e, y, x, other);
  p->unwritten[at]  = 0;
  p->kind[at]       = (unsigned char)(info->kind + 1);
  p->base[at]       = (unsigned short)(first ? offset : PLEX_PAIR_NONE);
  p->transposed[at] = (unsigned short)other;
  p->layout[at]     = info->layout;
}

/* Items of element e for its pairs with entity m = `own`, whose first row is that of dof l. A pair is stored once: at
   an entry of this row, if it is the pair's first one */
PLEX_HOST_DEVICE void plex_pair_element(const PlexPairsPlan *p, int b, int l, int e, int m, const PlexPairEntity *own,
                                        int fill)
{
  const PlexPairsTables *t    = p->tables;
  const int             *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];

  for (int o = 0; o < t->entities.n; ++o) {
    const int      N = t->entities.n;
    PlexPairEntity other;
    PlexPairInfo   info;
    int            offset, swap;

    if (t->kindOf[m * N + o] >= t->kinds) continue;
    if (o == m && t->zeroRowSums && !p->incomplete[l]) continue;
    plex_pair_entity(p, b, dofs, o, &other);
    if (t->byPoints) {
      const unsigned all = (1u << other.n) - 1;

      if ((other.rows && other.rows != all) || (other.columns && other.columns != all)) *p->irregular = 1;
    }
    /* the order that the kind has; where both are possible, the one that all elements choose */
    swap = t->reversed[m * N + o] ||
           (!t->reversed[o * N + m] && other.rows && (p->rowOffset[other.row] < p->rowOffset[l]));
    info = swap ? plex_pair_info(t, o, m, &other, own) : plex_pair_info(t, m, o, own, &other);
    /* stored in the row of the first entity, or of the second, if the first has no row in the block */
    if (swap ? (other.rows && own->columns) || !other.columns : !other.columns) continue;
    offset = plex_pair_find(p, l, other.column);
    if (offset < 0) {
      *p->cut.missing = e + 1;
      continue;
    }
    if (!fill && !p->kind[p->entryStart[b] + offset]) {
      if (swap) plex_pair_begin(p, b, offset, e, &info, &other, own, o == m);
      else plex_pair_begin(p, b, offset, e, &info, own, &other, o == m);
    } else if (!fill && (p->kind[p->entryStart[b] + offset] != info.kind + 1 ||
                         p->layout[p->entryStart[b] + offset] != info.layout))
      *p->irregular = 1;
    plex_pair_add(p, b, offset, e, &info, t->entry[m * N + o], fill);
  }
}

/* Row r: counts its pairs and items, or, with `fill`, writes the items */
PLEX_HOST_DEVICE void plex_pair_row(const PlexPairsPlan *p, int r, int fill)
{
  const PlexPairsTables *t = p->tables;
  const int              b = plex_list_of(p->cut.nblocks, p->cut.rowStart, r), l = p->cut.rowDof[r];

  for (int a = p->cut.aroundStart[l]; a < p->cut.aroundStart[l + 1]; ++a) {
    const int      e = p->cut.around[a], *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];
    const int      m = t->entities.of[plex_plan_dof(&p->cut, e, l)];
    PlexPairEntity own;

    plex_pair_entity(p, b, dofs, m, &own);
    if (own.row == l) plex_pair_element(p, b, l, e, m, &own, fill);
  }
}

PLEX_STEP(plex_pairs_count, PlexPairsPlan)
{
  const int l = p->cut.rowDof[i];

  if (p->tables->zeroRowSums) {
    const int at = p->incomplete[l] ? -1 : plex_pair_find(p, l, l);

    p->diagonal[i] = at;
    if (at >= 0) p->unwritten[p->entryStart[plex_list_of(p->cut.nblocks, p->cut.rowStart, (int)i)] + at] = 0;
    else if (!p->incomplete[l]) *p->cut.missing = p->cut.around[p->cut.aroundStart[l]] + 1;
  }
  plex_pair_row(p, (int)i, 0);
}

PLEX_STEP(plex_pairs_fill, PlexPairsPlan)
{
  plex_pair_row(p, (int)i, 1);
}
