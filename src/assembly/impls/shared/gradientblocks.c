/* Blocks of shared_nz by pairs of nodes and gradients: what their elements add to the pairs */
#include "pairsimpl.h"

/* A node of an element as the block has it */
typedef struct {
  const int *dofs;          /* local dofs of its components */
  unsigned   rows, columns; /* components that have a row in the block, a column in the matrix: bits */
  PetscInt   row, column;   /* local dofs of the first of them, where there are any */
  PetscInt   stride;        /* places from a row to the next */
} PlexGradientNode;

static void PlexGradientNodeGet(const PlexPairsWalk *w, PetscInt Nc, const int dofs[], PlexGradientNode *node)
{
  node->dofs = dofs;
  node->rows = node->columns = 0;
  node->row = node->column = -1;
  node->stride             = 0;
  for (PetscInt c = 0; c < Nc; ++c) {
    const PetscInt l = dofs[c];

    if (w->dofOwner[l] == w->mark) {
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

/* The entries of the rows of i and columns of j, which lie from `place` on: none of them is to be set to zero. Whether they are all there; the block is
   irregular where they lie elsewhere than a stride and a place apart */
static PetscBool PlexGradientCover(PlexPairsWalk *w, PetscInt Nc, const PlexGradientNode *i, const PlexGradientNode *j, PetscInt place)
{
  PetscInt row = 0;

  if (i->stride < 0 || i->stride > PLEX_PAIR_STRIDE) w->irregular = PETSC_TRUE;
  for (PetscInt c = 0; c < Nc; ++c) {
    PetscInt column = 0;

    if (!(i->rows >> c & 1)) continue;
    for (PetscInt d = 0; d < Nc; ++d) {
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

/* Item of the pair of nodes in an order in which symmetry s takes its kind to it */
static PetscBool PlexGradientItem(PlexPairsWalk *w, PetscInt Nc, const PlexGradientNode *i, const PlexGradientNode *j, PetscInt kind, PetscInt s, PetscInt at)
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
    if (first && !PlexGradientCover(w, Nc, i, j, place)) return PETSC_FALSE;
    if (first && i->dofs != j->dofs && j->rows && i->columns) other = PlexPairsFind(w, j->row, i->column);
    if (other < 0) return PETSC_FALSE;
    if (other != PLEX_PAIR_NONE && !PlexGradientCover(w, Nc, j, i, other)) return PETSC_FALSE;
    w->kind[pos]  = (unsigned char)kind;
    w->place[pos] = (unsigned short)place;
    w->other[pos] = (unsigned short)other;
    w->shape[pos] = (unsigned)i->stride | i->rows << 10 | j->rows << 13 | (unsigned)j->stride << 16 | i->columns << 26 | j->columns << 29;
  }
  w->itemPos[w->nitems] = (int)pos;
  w->item[w->nitems++]  = (unsigned short)(at | s << w->elementBits);
  w->start[pos + 1]++;
  return PETSC_TRUE;
}

PetscBool PlexPairsElementGradients_Private(PlexPairsWalk *w, PetscInt e, PetscInt at)
{
  PlexElements         el = w->asm_->elements;
  const PlexPairKinds *p  = w->kinds;
  const PetscInt       N = el->Nn[0], Nc = el->Nc[0];
  PlexGradientNode     nodes[PLEX_PAIR_GRADIENT_NODES];

  for (PetscInt i = 0; i < N; ++i) PlexGradientNodeGet(w, Nc, &el->dofs[(size_t)e * el->ef + i * Nc], &nodes[i]);
  for (PetscInt i = 0; i < N; ++i) {
    for (PetscInt j = i; j < N; ++j) {
      const PlexGradientNode *a = &nodes[i], *b = &nodes[j];
      PetscInt                from = i, to = j;

      if (!a->rows && !b->rows) continue;
      if (p->kindOf[i * N + j] == PLEX_PAIR_KINDS) continue;
      if (p->reversed[i * N + j]) from = j, to = i;
      else if (!p->reversed[j * N + i]) { /* either order will do: one that all elements choose */
        if (!a->rows || (b->rows && w->dof[b->row] < w->dof[a->row])) from = j, to = i;
      }
      if (!PlexGradientItem(w, Nc, &nodes[from], &nodes[to], p->kindOf[from * N + to], p->composed[w->turn[at] * p->symmetries + p->symmetryOf[from * N + to]], at)) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}
