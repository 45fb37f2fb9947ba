/*
  Kinds of pairs of an element's DMPlex points. A point's dofs are in the same elements: a thread that sums all entries
  of the dofs of point p with those of point q reads the numbers Gamma_ab of each of their elements once (pairkinds.c),
  nine entries of two edges of order 4. A symmetry of the cell takes points to points and the dofs of one to those of
  the other in some order, so that pairs are of few kinds: 17 of tetrahedra of order 4.

  In which order is free as far as symmetries take a pair to itself: of two edges that meet each begins where they do,
  but an edge with itself has two orders. All elements that have a pair choose the same one, by the numbers of the dofs.
  The symmetries among which they choose are those of the simplex that the two points span, which is a part of all of
  these elements.
*/
#include "pairs.h"

PetscBool PlexPairPointsGet_Private(PlexElements el, PlexPairPoints *points)
{
  PetscInt most = 0;

  points->n = 0;
  if (!el->Ne || el->ef > PLEX_PAIR_DOFS) return PETSC_FALSE;
  for (PetscInt i = 0; i < el->ef; ++i) {
    PetscInt p = 0;

    while (p < points->n && el->node[el->dofs[points->dof[p][0]]] != el->node[el->dofs[i]]) ++p;
    if (p == PLEX_PAIR_POINTS) return PETSC_FALSE;
    if (p == points->n) points->size[points->n++] = 0;
    if (points->size[p] == PLEX_PAIR_POINT_DOFS) return PETSC_FALSE;
    points->dof[p][points->size[p]++] = i;
    points->of[i]                     = (unsigned char)p;
    most                              = PetscMax(most, points->size[p]);
  }
  return (PetscBool)(most > 1);
}

/* All elements have their dofs so */
static PetscBool PlexPointsHold(PlexElements el, const PlexPairPoints *points)
{
  for (PetscInt e = 0; e < el->Ne; ++e) {
    const int *dofs = &el->dofs[(size_t)e * el->ef];

    for (PetscInt i = 0; i < el->ef; ++i)
      if (el->node[dofs[i]] != el->node[dofs[points->dof[points->of[i]][0]]]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Symmetries take points to points */
static PetscBool PlexPointsMove(const PlexPairPoints *points, PetscInt symmetries, PetscInt ef, const int dofs[])
{
  for (PetscInt s = 0; s < symmetries; ++s) {
    for (PetscInt i = 0; i < ef; ++i) {
      const PetscInt from = points->of[i], to = points->of[dofs[s * ef + i]];

      if (to != points->of[dofs[s * ef + points->dof[from][0]]] || points->size[to] != points->size[from])
        return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Another order in which (a, b) is of its kind: that of symmetry s from the points (i, j); false where there are too
   many */
static PetscBool PlexPointsLabel(PlexPairKinds *p, PetscInt ef, const int dofs[], PetscInt i, PetscInt j, PetscInt s,
                                 PetscInt at)
{
  PlexPairLabel  label  = {(unsigned char)s, {{0}}};
  PlexPairLabel *labels = &p->labels[at * PLEX_PAIR_LABELS];

  for (PetscInt k = 0; k < p->points.size[i]; ++k) label.dof[0][k] = (unsigned char)dofs[s * ef + p->points.dof[i][k]];
  for (PetscInt k = 0; k < p->points.size[j]; ++k) label.dof[1][k] = (unsigned char)dofs[s * ef + p->points.dof[j][k]];
  for (PetscInt k = 0; k < p->nlabels[at]; ++k)
    if (!memcmp(labels[k].dof, label.dof, sizeof(label.dof))) return PETSC_TRUE;
  if (p->nlabels[at] == PLEX_PAIR_LABELS) return PETSC_FALSE;
  labels[p->nlabels[at]++] = label;
  return PETSC_TRUE;
}

static PetscBool PlexPointsAdd(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j)
{
  const PlexPairPoints *points = &p->points;
  const PetscInt        N = points->n, ef = cell->el->ef;
  PlexPairKind         *kind = &p->kind[p->kinds];
  PetscBool             few  = PETSC_TRUE;

  if (p->kindOf[i * N + j] != 0xff) return PETSC_TRUE;
  if (p->kinds == PLEX_PAIR_POINT_KINDS) return PETSC_FALSE;
  kind->dofs[0] = points->size[i];
  kind->dofs[1] = points->size[j];
  kind->terms   = 0;
  for (PetscInt k = 0; k < kind->dofs[0] * kind->dofs[1]; ++k) {
    PetscReal *C = &kind->table[k * p->numbers];

    PlexPairOthers_Private(cell, points->dof[i][k / kind->dofs[1]], points->dof[j][k % kind->dofs[1]], C);
    for (PetscInt m = 0; m < p->numbers; ++m) kind->terms += C[m] != 0.;
  }
  for (PetscInt s = 0; s < p->symmetries; ++s) {
    const PetscInt a = points->of[cell->dofs[s * ef + points->dof[i][0]]],
                   b = points->of[cell->dofs[s * ef + points->dof[j][0]]];

    if (kind->terms && p->kindOf[b * N + a] == 0xff) { /* transposed, unless a symmetry takes it there too */
      p->kindOf[b * N + a]   = (unsigned char)p->kinds;
      p->reversed[b * N + a] = 1;
    }
    p->kindOf[a * N + b]   = (unsigned char)(kind->terms ? p->kinds : PLEX_PAIR_KINDS);
    p->reversed[a * N + b] = 0;
    if (!kind->terms) p->kindOf[b * N + a] = PLEX_PAIR_KINDS;
    else few = (PetscBool)(PlexPointsLabel(p, ef, cell->dofs, i, j, s, a * N + b) && few);
  }
  if (kind->terms) ++p->kinds;
  return few;
}

/* Of each symmetry the number that one becomes, bytes in two words */
static PetscErrorCode PlexPointsTurns(PlexPairKinds *p, const PlexPairCell *cell)
{
  const PetscInt n        = cell->n;
  const int     *vertices = cell->vertices;

  PetscFunctionBegin;
  p->nturns = (2 * p->symmetries + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  for (PetscInt s = 0; s < p->symmetries; ++s)
    for (PetscInt k = 0; k < p->numbers; ++k)
      p->turns[2 * s + k / 4] |= (unsigned)PlexPairNumber(n, vertices[s * n + p->of[k][0]],
                                                          vertices[s * n + p->of[k][1]])
                              << k % 4 * 8;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsCreatePoints_Private(PlexAssembly asm_, PlexProduct *product, PlexPairKinds *p,
                                                 PetscBool *serves)
{
  PlexElements   el = asm_->elements;
  const PetscInt n  = el->dim + 1;
  PlexPairCell   cell;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  *serves = (PetscBool)(PlexPairPointsGet_Private(el, &p->points) && PlexPointsHold(el, &p->points));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPairKindsBegin_Private(asm_, product, PLEX_PAIRS_POINTS, p->points.n, n * (n - 1) / 2, p, &cell));
  PetscCall(PetscCalloc1(p->points.n * p->points.n * PLEX_PAIR_LABELS, &p->labels));
  *serves = PlexPointsMove(&p->points, p->symmetries, el->ef, cell.dofs);
  PetscCall(PlexPairKindsEnd_Private(p, &cell, p->points.n, PLEX_PAIR_POINT_KINDS, PlexPointsAdd, PlexPointsTurns,
                                     serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}
