/*
  Rows of a node's components together. Those of a vector field have the same columns, and the same elements around them: a thread that sums all of
  them reads each element's nodes once, and one record for all of a node's entries. That takes a form of which cuda/integrate/vector.cuh knows how
  its entries follow from products of gradients, and nodes whose components are neighbours in the matrix, none of them constrained alone.
*/
#include "orbitsimpl.h"

#define PLEX_ORBITS_COMPONENTS 3  /* most */
#define PLEX_ORBITS_ENTRIES    40 /* of a node with all others of an element, most: a thread has them in registers */

/* One vector field, constant g3 and nothing else */
static PetscBool PlexOrbitsFormIsVector(PlexAssembly asm_, const PlexProduct *product)
{
  const PlexElements el   = asm_->elements;
  const PlexForm     form = asm_->form;

  if (!product->tensor || product->tensor->symmetric || product->tensor->at->Nq != 1 || asm_->dummy || el->Nf != 1 || el->NfAux || el->Nc[0] < 2 || el->Nc[0] > PLEX_ORBITS_COMPONENTS || el->ef * el->Nc[0] > PLEX_ORBITS_ENTRIES) return PETSC_FALSE;
  for (PetscInt k = 0; k < 4; ++k)
    if (form->d[k][0][0].n || (k < 3 && form->g[k][0][0].n)) return PETSC_FALSE;
  return (PetscBool)(form->g[3][0][0].n > 0);
}

/* Whether the dofs l[] of a node are rows and columns one behind the other, with the same columns in each row, or all constrained */
static PetscErrorCode PlexOrbitsNodeIsBlock(PlexPattern pattern, PetscInt n, const int l[], PetscBool *is)
{
  const PetscInt r = pattern->row[l[0]], column = pattern->column[l[0]];

  PetscFunctionBegin;
  *is = PETSC_TRUE;
  for (PetscInt c = 1; c < n && *is; ++c) {
    *is = (PetscBool)(pattern->row[l[c]] == (r < 0 ? -1 : r + c) && pattern->column[l[c]] == (column < 0 ? -1 : column + c));
    if (!*is || r < 0) continue;
    *is = (PetscBool)(pattern->i[r + c + 1] - pattern->i[r + c] == pattern->i[r + 1] - pattern->i[r]);
    if (*is) PetscCall(PetscArraycmp(&pattern->j[pattern->i[r]], &pattern->j[pattern->i[r + c]], (size_t)(pattern->i[r + 1] - pattern->i[r]), is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* leads[]: the first dof of each node; *is whether all nodes are blocks, and all dofs with a row belong to one in some element */
static PetscErrorCode PlexOrbitsLead(PlexOrbitsWalk *w, PetscInt n, PetscBool *is)
{
  PlexElements el = w->asm_->elements;

  PetscFunctionBegin;
  *is = PETSC_TRUE;
  PetscCall(PetscCalloc1(el->Nl, &w->leads));
  for (PetscInt e = 0; e < el->Ne && *is; ++e) {
    for (PetscInt i = 0; i < el->ef && *is; i += n) {
      const int *l = &el->dofs[(size_t)e * el->ef + i];

      if (!w->leads[l[0]]) PetscCall(PlexOrbitsNodeIsBlock(w->asm_->pattern, n, l, is));
      w->leads[l[0]] = 1;
    }
  }
  for (PetscInt l = 0; l < el->Nl && *is; ++l) *is = (PetscBool)(w->asm_->pattern->row[l] < 0 || w->touching.start[l] < w->touching.start[l + 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the orbits those of the nodes' first components, which stand for the nodes */
static void PlexOrbitsOfNodes(PlexTurns *t, PetscInt ef, PetscInt n)
{
  PetscInt number[PLEX_ORBITS_MOST], orbits = 0;

  for (PetscInt o = 0; o < t->n; ++o) {
    number[o] = t->first[o] % n ? -1 : orbits;
    if (number[o] < 0) continue;
    t->first[orbits]  = t->first[o];
    t->fixed[orbits]  = t->fixed[o];
    t->linked[orbits] = t->linked[o];
    ++orbits;
  }
  t->n = orbits;
  for (PetscInt i = 0; i < ef; ++i) t->orbit[i] = (int)(i % n ? t->orbit[i - i % n] : number[t->orbit[i]]);
}

PetscErrorCode PlexOrbitsComponents_Private(PlexOrbitsWalk *w, PlexProduct *product)
{
  PlexElements el = w->asm_->elements;
  PetscBool    is = PlexOrbitsFormIsVector(w->asm_, product);

  PetscFunctionBegin;
  w->components = 1;
  if (is) PetscCall(PlexOrbitsLead(w, el->Nc[0], &is));
  if (is) {
    w->components = el->Nc[0];
    PlexOrbitsOfNodes(&w->turns, el->ef, el->Nc[0]);
  } else PetscCall(PetscFree(w->leads));
  PetscFunctionReturn(PETSC_SUCCESS);
}
