/* Blocks of shared_nz by pairs of nodes that have several dofs: what their elements add to the pairs, and by
   gradients */
#include "pairsimpl.h"

void PlexPairNodeGet_Private(const PlexPairsWalk *w, PetscInt n, const int dofs[], PlexPairNode *node)
{
  node->n    = n;
  node->dofs = dofs;
  node->rows = node->columns = 0;
  node->row = node->column = -1;
  node->stride             = 0;
  for (PetscInt c = 0; c < n; ++c) {
    const PetscInt l = dofs[c];

    if (w->dofOwner[l] == w->cut.mark) {
      if (node->rows && !node->stride) node->stride = w->dof[l] - w->dof[node->row];
      if (!node->rows) node->row = l;
      node->rows |= 1u << c;
    }
    if (w->asm_->pattern->column[l] >= 0) {
      if (!node->columns) node->column = l;
      node->columns |= 1u << c;
    }
  }
}

/* The entries of the rows of i and columns of j, which lie from `place` on: none of them is to be set to zero. Whether
   they are all there; the block is irregular where they lie elsewhere than a stride and a place apart */
static PetscBool PlexPairNodesCover(PlexPairsWalk *w, const PlexPairNode *i, const PlexPairNode *j, PetscInt place)
{
  PetscInt row = 0;

  if (i->stride < 0 || i->stride > PLEX_PAIR_STRIDE) w->irregular = PETSC_TRUE;
  for (PetscInt c = 0; c < i->n; ++c) {
    PetscInt column = 0;

    if (!(i->rows >> c & 1)) continue;
    for (PetscInt d = 0; d < j->n; ++d) {
      PetscInt pos;

      if (!(j->columns >> d & 1)) continue;
      pos = PlexPairsFind(w, i->dofs[c], j->dofs[d]);
      if (pos < 0) return PETSC_FALSE;
      if (pos != place + row * i->stride + column) w->irregular = PETSC_TRUE;
      w->covered[pos] = 1;
      ++column;
    }
    ++row;
  }
  return PETSC_TRUE;
}

PetscBool PlexPairNodesAdd_Private(PlexPairsWalk *w, const PlexPairNode *i, const PlexPairNode *j, PetscInt kind,
                                   PetscInt s, PetscInt at, unsigned shape)
{
  const PetscBool first = (PetscBool)(i->rows && j->columns);
  const PetscInt  place = first ? PlexPairsFind(w, i->row, j->column) : PLEX_PAIR_NONE;
  PetscInt        other = PLEX_PAIR_NONE, pos = place;

  if (place < 0) return PETSC_FALSE;
  if (!first) {
    if (!j->rows || !i->columns) return PETSC_TRUE;
    pos = PlexPairsFind(w, j->row, i->column);
    if (pos < 0) return PETSC_FALSE;
    other = pos;
  }
  if (w->kind[pos] == 0xff) {
    if (first && !PlexPairNodesCover(w, i, j, place)) return PETSC_FALSE;
    if (first && i->dofs != j->dofs && j->rows && i->columns) other = PlexPairsFind(w, j->row, i->column);
    if (other < 0) return PETSC_FALSE;
    if (other != PLEX_PAIR_NONE && !PlexPairNodesCover(w, j, i, other)) return PETSC_FALSE;
    w->kind[pos]  = (unsigned char)kind;
    w->place[pos] = (unsigned short)place;
    w->other[pos] = (unsigned short)other;
    w->shape[pos] = shape;
  } else if (w->kind[pos] != kind || w->shape[pos] != shape) w->irregular = PETSC_TRUE;
  w->itemPos[w->nitems] = (int)pos;
  w->item[w->nitems++]  = (unsigned short)(at | s << w->elementBits);
  w->start[pos + 1]++;
  return PETSC_TRUE;
}

void PlexPairNodesOrder_Private(const PlexPairsWalk *w, PetscInt N, const PlexPairNode nodes[], PetscInt *i,
                                PetscInt *j)
{
  const PlexPairKinds *p = w->kinds;
  const PlexPairNode  *a = &nodes[*i], *b = &nodes[*j];
  const PetscInt       from = *i;

  if (!p->reversed[*i * N + *j] &&
      (p->reversed[*j * N + *i] || (a->rows && (!b->rows || w->dof[b->row] >= w->dof[a->row]))))
    return;
  *i = *j;
  *j = from;
}

PetscBool PlexPairsElementGradients_Private(PlexPairsWalk *w, PetscInt e, PetscInt at)
{
  PlexElements         el = w->asm_->elements;
  const PlexPairKinds *p  = w->kinds;
  const PetscInt       N = el->Nn[0], Nc = el->Nc[0];
  PlexPairNode         nodes[PLEX_PAIR_GRADIENT_NODES];

  for (PetscInt i = 0; i < N; ++i) PlexPairNodeGet_Private(w, Nc, &el->dofs[(size_t)e * el->ef + i * Nc], &nodes[i]);
  for (PetscInt i = 0; i < N; ++i) {
    for (PetscInt j = i; j < N; ++j) {
      PetscInt            from = i, to = j;
      const PlexPairNode *a, *b;

      if ((!nodes[i].rows && !nodes[j].rows) || p->kindOf[i * N + j] == PLEX_PAIR_KINDS) continue;
      PlexPairNodesOrder_Private(w, N, nodes, &from, &to);
      a = &nodes[from];
      b = &nodes[to];
      if (!PlexPairNodesAdd_Private(w, a, b, p->kindOf[from * N + to],
                                    p->composed[w->turn[at] * p->symmetries + p->symmetryOf[from * N + to]], at,
                                    (unsigned)a->stride | a->rows << 10 | b->rows << 13 | (unsigned)b->stride << 16 |
                                      a->columns << 26 | b->columns << 29))
        return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}
