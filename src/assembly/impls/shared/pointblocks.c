/* Blocks of shared_nz by pairs of points: what their elements add to the pairs */
#include "pairsimpl.h"

/* The dofs of an element's points, in the order of their numbers, and the rank of each among those of its point; false
   where some of a point have a row or a column and others have not */
static PetscBool PlexPointsRank(const PlexPairsWalk *w, const int dofs[], int sorted[][PLEX_PAIR_POINT_DOFS],
                                unsigned rank[], PlexPairNode nodes[])
{
  const PlexPairPoints *points = &w->kinds->points;

  for (PetscInt p = 0; p < points->n; ++p) {
    const PetscInt n   = points->size[p];
    const unsigned all = (1u << n) - 1;

    for (PetscInt k = 0; k < n; ++k) {
      unsigned less = 0;

      for (PetscInt m = 0; m < n; ++m) less += dofs[points->dof[p][m]] < dofs[points->dof[p][k]];
      rank[points->dof[p][k]] = less;
      sorted[p][less]         = dofs[points->dof[p][k]];
    }
    PlexPairNodeGet_Private(w, n, sorted[p], &nodes[p]);
    if ((nodes[p].rows && nodes[p].rows != all) || (nodes[p].columns && nodes[p].columns != all)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Ranks of the dofs that a label takes those of its kind to, two bits each: of the first point, then of the second */
static unsigned PlexPointsRanks(const PlexPairPoints *points, PetscInt i, PetscInt j, const PlexPairLabel *label,
                                const unsigned rank[])
{
  unsigned ranks = 0;

  for (PetscInt k = 0; k < points->size[i]; ++k) ranks |= rank[label->dof[0][k]] << 2 * k;
  for (PetscInt k = 0; k < points->size[j]; ++k) ranks |= rank[label->dof[1][k]] << (2 * k + 6);
  return ranks;
}

PetscBool PlexPairsElementPoints_Private(PlexPairsWalk *w, PetscInt e, PetscInt at)
{
  const PlexPairKinds  *p      = w->kinds;
  const PlexPairPoints *points = &p->points;
  const PetscInt        N      = points->n;
  PlexPairNode          nodes[PLEX_PAIR_POINTS];
  int                   sorted[PLEX_PAIR_POINTS][PLEX_PAIR_POINT_DOFS];
  unsigned              rank[PLEX_PAIR_DOFS];

  if (!PlexPointsRank(w, &w->asm_->elements->dofs[(size_t)e * w->asm_->elements->ef], sorted, rank, nodes)) {
    w->irregular = PETSC_TRUE;
    return PETSC_TRUE;
  }
  for (PetscInt i = 0; i < N; ++i) {
    for (PetscInt j = i; j < N; ++j) {
      PetscInt             from = i, to = j;
      unsigned             least = ~0u;
      const PlexPairLabel *labels, *best;

      if ((!nodes[i].rows && !nodes[j].rows) || p->kindOf[i * N + j] == PLEX_PAIR_KINDS) continue;
      PlexPairNodesOrder_Private(w, N, nodes, &from, &to);
      labels = best = &p->labels[(from * N + to) * PLEX_PAIR_LABELS];
      for (PetscInt k = 0; k < p->nlabels[from * N + to]; ++k) {
        const unsigned ranks = PlexPointsRanks(points, from, to, &labels[k], rank);

        if (ranks >= least) continue;
        least = ranks;
        best  = &labels[k];
      }
      if (!PlexPairNodesAdd_Private(w, &nodes[from], &nodes[to], p->kindOf[from * N + to],
                                    p->composed[w->turn[at] * p->symmetries + best->symmetry], at,
                                    (unsigned)nodes[from].stride | (unsigned)nodes[to].stride << 10 | least << 20))
        return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}
