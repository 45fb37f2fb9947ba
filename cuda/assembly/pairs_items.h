/* Pairs of a block and what its elements add to them, their items: steps of pairs_plan.h */

/* A thing of an element as the block has it */
typedef struct {
  int      n, l[PLEX_PAIR_POINT_DOFS]; /* local dofs, of points in the order of their numbers */
  unsigned rank[PLEX_PAIR_POINT_DOFS]; /* of points: of each dof in this order */
  unsigned rows, columns;              /* of them those that have a row in the block, a column: bits */
  int      row, column;                /* the first of these */
  int      stride;                     /* places from a row to the next */
} PlexPairEntity;

PLEX_PLAN int plex_pair_owns_row(const PlexPairsPlan *p, int b, int l)
{
  const int rank = p->cut.rank[l];

  return rank >= p->cut.blockFirst[b] && rank < p->cut.blockFirst[b + 1] && plex_plan_length(&p->cut, l) > 0;
}

PLEX_PLAN void plex_pair_entity(const PlexPairsPlan *p, int b, const int dofs[], int m, PlexPairEntity *x)
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
    x->rank[c] = (unsigned)less;
    x->l[less] = dofs[t->entities.dof[m][c]];
  }
  for (int c = 0; c < x->n; ++c) {
    const int l = x->l[c];

    if (plex_pair_owns_row(p, b, l)) {
      if (x->rows && !x->stride) x->stride = p->place[l] - p->place[x->row];
      if (!x->rows) x->row = l;
      x->rows |= 1u << c;
    }
    if (p->cut.column[l] >= 0) {
      if (!x->columns) x->column = l;
      x->columns |= 1u << c;
    }
  }
}

/* The place of entry (row of l, column of m) in the block, -1 where the matrix lacks it */
PLEX_PLAN int plex_pair_find(const PlexPairsPlan *p, int l, int m)
{
  const int row = p->cut.row[l],
            at  = plex_find_column(plex_plan_length(&p->cut, l), &p->cut.j[p->cut.i[row]], p->cut.column[m]);

  return at < 0 ? -1 : p->place[l] + at;
}

/* The entries of the rows of x and columns of y, which lie from `place` of block b on: none of them is to be set to
   zero. They are irregular where they lie elsewhere than a stride and a place apart */
PLEX_PLAN void plex_pair_mark_written(const PlexPairsPlan *p, int b, int e, const PlexPairEntity *x,
                                      const PlexPairEntity *y, int place)
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
      if (at != place + row * x->stride + column) *p->irregular = 1;
      p->unwritten[p->entryStart[b] + at] = 0;
      ++column;
    }
    ++row;
  }
}

/* Pair (x, y) of an element, in the order in which it is of its kind */
typedef struct {
  int      kind, symmetry; /* see PlexPairKinds; kind < 0: its entry is zero */
  unsigned layout;         /* see PlexPairsArgs */
} PlexPairInfo;

/* Ranks of the dofs that a label takes those of its kind to, two bits each: of the first point, then of the second */
PLEX_PLAN unsigned plex_pair_ranks(const PlexPairLabel *label, const PlexPairsTables *t, int x, int y,
                                   const PlexPairEntity *a, const PlexPairEntity *b)
{
  unsigned ranks = 0;

  for (int c = 0; c < t->entities.size[x]; ++c)
    for (int d = 0; d < t->entities.size[x]; ++d)
      if (t->entities.dof[x][d] == label->dof[0][c]) ranks |= a->rank[d] << 2 * c;
  for (int c = 0; c < t->entities.size[y]; ++c)
    for (int d = 0; d < t->entities.size[y]; ++d)
      if (t->entities.dof[y][d] == label->dof[1][c]) ranks |= b->rank[d] << (2 * c + 6);
  return ranks;
}

PLEX_PLAN PlexPairInfo plex_pair_info(const PlexPairsTables *t, int x, int y, const PlexPairEntity *a,
                                      const PlexPairEntity *b)
{
  const int    at   = x * t->entities.n + y;
  PlexPairInfo info = {t->kindOf[at], t->symmetryOf[at], 0};

  if (t->byPoints) {
    unsigned least = ~0u;

    for (int k = 0; k < t->nlabels[at]; ++k) {
      const PlexPairLabel *label = &t->labels[at * PLEX_PAIR_LABELS + k];
      const unsigned       ranks = plex_pair_ranks(label, t, x, y, a, b);

      if (ranks >= least) continue;
      least         = ranks;
      info.symmetry = label->symmetry;
    }
    info.layout = (unsigned)a->stride | (unsigned)b->stride << 10 | least << 20;
  } else if (t->multiDof)
    info.layout = (unsigned)a->stride | a->rows << 10 | b->rows << 13 | (unsigned)b->stride << 16 | a->columns << 26 |
                  b->columns << 29;
  return info;
}

/* An item of the pair that is counted at `place`: counted, or, `fill`, put there */
PLEX_PLAN void plex_pair_add(const PlexPairsPlan *p, int b, int place, int e, const PlexPairInfo *info, int entry,
                             int fill)
{
  const PlexPairsTables *t  = p->tables;
  const int              at = p->entryStart[b] + place;
  int                    number, symmetry;

  if (!fill) {
    ++p->itemStart[at];
    return;
  }
  number                    = plex_plan_number(&p->cut, b, e);
  symmetry                  = t->composed[p->turn[number] * t->symmetries + info->symmetry];
  number                    = p->at[number];
  p->items[p->itemStart[at] +
           p->cursor[at]++] = (unsigned short)(t->multiDof || t->terms[info->kind] > 1
                                                 ? number | symmetry << p->elementBits
                                                 : (t->byEntries
                                                      ? entry
                                                      : t->turned[symmetry * t->numbers + t->number[info->kind]]) *
                                                       PLEX_PAIRS_STRIDE(p->cut.elementStart[b + 1] -
                                                                           p->cut.elementStart[b],
                                                                         p->realBytes) +
                                                     number);
}

/* The first item of a pair (x, y): where its sums go */
PLEX_PLAN void plex_pair_begin(const PlexPairsPlan *p, int b, int place, int e, const PlexPairInfo *info,
                               const PlexPairEntity *x, const PlexPairEntity *y, int same)
{
  const int first = x->rows && y->columns, second = y->rows && x->columns && (!first || !same);
  const int other = second ? plex_pair_find(p, y->row, x->column) : PLEX_PAIR_NONE, at = p->entryStart[b] + place;

  if (other < 0) {
    *p->cut.missing = e + 1;
    return;
  }
  if (first) plex_pair_mark_written(p, b, e, x, y, place);
  if (second) plex_pair_mark_written(p, b, e, y, x, other);
  p->unwritten[at] = 0;
  p->kind[at]      = (unsigned char)(info->kind + 1);
  p->base[at]      = (unsigned short)(first ? place : PLEX_PAIR_NONE);
  p->other[at]     = (unsigned short)other;
  p->layout[at]    = info->layout;
}

/* Pairs of thing m of element e, whose first row is l's, that are counted in this row */
PLEX_PLAN void plex_pair_element(const PlexPairsPlan *p, int b, int l, int e, int m, const PlexPairEntity *own,
                                 int fill)
{
  const PlexPairsTables *t    = p->tables;
  const int             *dofs = &p->cut.dofs[(plex_index)e * p->cut.ef];

  for (int o = 0; o < t->entities.n; ++o) {
    const int      N = t->entities.n;
    PlexPairEntity its;
    PlexPairInfo   info;
    int            place, swap;

    if (t->kindOf[m * N + o] >= t->kinds) continue;
    if (o == m && t->rowSums && !p->incomplete[l]) continue;
    plex_pair_entity(p, b, dofs, o, &its);
    if (t->byPoints) {
      const unsigned all = (1u << its.n) - 1;

      if ((its.rows && its.rows != all) || (its.columns && its.columns != all)) *p->irregular = 1;
    }
    /* the order in which they are of their kind; where either will do, one that all elements choose */
    swap = t->reversed[m * N + o] || (!t->reversed[o * N + m] && its.rows && (p->place[its.row] < p->place[l]));
    info = swap ? plex_pair_info(t, o, m, &its, own) : plex_pair_info(t, m, o, own, &its);
    /* counted in the row of the first one; where that has none here, of the second */
    if (swap ? (its.rows && own->columns) || !its.columns : !its.columns) continue;
    place = plex_pair_find(p, l, its.column);
    if (place < 0) {
      *p->cut.missing = e + 1;
      continue;
    }
    if (!fill && !p->kind[p->entryStart[b] + place]) {
      if (swap) plex_pair_begin(p, b, place, e, &info, &its, own, o == m);
      else plex_pair_begin(p, b, place, e, &info, own, &its, o == m);
    } else if (!fill && (p->kind[p->entryStart[b] + place] != info.kind + 1 ||
                         p->layout[p->entryStart[b] + place] != info.layout))
      *p->irregular = 1;
    plex_pair_add(p, b, place, e, &info, t->entry[m * N + o], fill);
  }
}

/* Item r: pairs and their items are counted, or the items put where they are counted */
PLEX_PLAN void plex_pair_row(const PlexPairsPlan *p, int r, int fill)
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

  if (p->tables->rowSums) {
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
