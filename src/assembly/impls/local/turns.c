/*
  Rows of element data that are the same but for the order in which an element is read: orbits of its dofs under the rotations of the cell, and
  the rotation that makes a dof its orbit's first.
*/
#include "orbits.h"
#include "../../interface/assemblyimpl.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsTabulate() */

#define PLEX_ORBITS_TERMS 6000 /* multiplications, all compiled */
#define PLEX_ORBITS_KEPT  4    /* entries of a row that are summed in registers, most */

/* The dofs that sit where the coordinate nodes `fixed` are alone, an orbit's first to begin with, and no more than are kept in registers */
static unsigned PlexTurnsKeep(PetscInt ef, const unsigned support[], PetscInt first, unsigned fixed)
{
  unsigned kept = 1u << first;

  for (PetscInt j = 0, n = 1; j < ef && n < PLEX_ORBITS_KEPT; ++j) {
    if (j == first || support[j] & ~fixed) continue;
    kept |= 1u << j;
    ++n;
  }
  return kept;
}

/* The nodes of the vertex, edge or face that an orbit's first dof sits on: those whose coordinate functions do not vanish there; and the
   dofs on it */
static PetscErrorCode PlexTurnsFix(PlexAssembly asm_, PlexTurns *t)
{
  PlexElements el = asm_->elements, at;
  PetscReal    xi[3 * 32];
  unsigned     support[32] = {0};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(t->fixed, PLEX_ORBITS_MOST));
  for (PetscInt o = 0; o < t->n; ++o) t->kept[o] = 1u << t->first[o];
  if (el->Nv > 8) PetscFunctionReturn(PETSC_SUCCESS); /* coordinates of degree 1 */
  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PetscInt end = f + 1 < el->Nf ? el->offset[f + 1] : el->ef;
    PetscFE        fe;
    PetscDualSpace dual;

    PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
    PetscCall(PetscFEGetDualSpace(fe, &dual));
    for (PetscInt j = el->offset[f]; j < end; ++j) PetscCall(PlexDualSpaceGetNode(dual, j - el->offset[f], el->dim, &xi[j * el->dim]));
  }
  PetscCall(PlexElementsTabulate(el, el->ef, xi, &at));
  for (PetscInt j = 0; j < el->ef; ++j)
    for (PetscInt v = 0; v < el->Nv; ++v)
      if (PetscAbsReal(at->psi[j * el->Nv + v]) > 1e-10) support[j] |= 1u << v;
  PetscCall(PlexElementsDestroyTabulated(&at));
  for (PetscInt o = 0; o < t->n; ++o) {
    t->fixed[o] = support[t->first[o]];
    t->kept[o]  = PlexTurnsKeep(el->ef, support, t->first[o], t->fixed[o]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rotation that makes dof i of element e its orbit's first, and puts the coordinate nodes fixed[] where the orbit has those that are
   shared; -1 where none does */
PetscInt PlexTurnsFind_Private(PlexElements el, const PlexTurns *t, PetscInt e, PetscInt i, const int fixed[])
{
  const PetscInt o = t->orbit[i];

  for (PetscInt k = 0; k < t->nturns; ++k) {
    PetscBool same = (PetscBool)(t->dofs[k * el->ef + t->first[o]] == i);

    for (PetscInt v = 0; v < el->Nv && same; ++v)
      if (t->fixed[o] & 1u << v) same = (PetscBool)(el->vertices[e * el->Nv + t->vertices[k * el->Nv + v]] == fixed[v]);
    if (same) return k;
  }
  return -1;
}

/* Directions of the reference cell along which the gradient of a dof's function vanishes nowhere everywhere: what has few is cheap to compute */
static PetscInt PlexTurnsDirections(PlexElements el, PetscInt j)
{
  PetscInt f = 0, n = 0, node;

  while (f + 1 < el->Nf && j >= el->offset[f + 1]) ++f;
  node = (j - el->offset[f]) / el->Nc[f];
  for (PetscInt b = 0; b < el->dim; ++b) {
    PetscReal most = 0.;

    for (PetscInt q = 0; q < el->Nq; ++q) most = PetscMax(most, PetscAbsReal(el->dphi[f][(q * el->Nn[f] + node) * el->dim + b]));
    n += most > 1e-10;
  }
  return n;
}

PetscErrorCode PlexTurnsCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexTurns *t)
{
  PlexElements   el = asm_->elements;
  const PetscInt ef = el->ef;
  PetscInt       n;

  PetscFunctionBegin;
  t->n = 0;
  PetscCall(PlexElementsGetRotations(el, product->tensor ? PETSC_FALSE : PETSC_TRUE, &n, &t->dofs, &t->vertices));
  t->nturns = n;
  PetscCall(PetscMalloc2(ef, &t->orbit, ef, &t->turn));
  for (PetscInt i = 0; i < ef && t->n <= PLEX_ORBITS_MOST && n; ++i) {
    PetscInt least = -1, o;

    for (PetscInt j = 0; j < ef; ++j) {
      for (PetscInt k = 0; k < n; ++k) {
        if (t->dofs[k * ef + j] != i || (least >= 0 && PlexTurnsDirections(el, j) >= PlexTurnsDirections(el, least))) continue;
        least      = j;
        t->turn[i] = (int)k;
      }
    }
    for (o = 0; o < t->n; ++o)
      if (t->first[o] == least) break;
    if (o == t->n && t->n < PLEX_ORBITS_MOST) t->first[o] = least;
    if (o == t->n) ++t->n;
    t->orbit[i] = (int)o;
  }
  if (t->n && t->n <= PLEX_ORBITS_MOST) PetscCall(PlexTurnsFix(asm_, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTurnsDestroy_Private(PlexTurns *t)
{
  PetscFunctionBegin;
  PetscCall(PlexElementsRestoreRotations(&t->dofs, &t->vertices));
  PetscCall(PetscFree2(t->orbit, t->turn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual's row is an entry, which a thread of the general way computes; so are rows of forms and elements too large to be compiled once an orbit */
PetscBool PlexOrbitsServe_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements el = asm_->elements;
  PlexJets     jets;
  double       terms = (double)el->ef * (double)PlexAssemblyPoints(asm_, product);

  if (product->kind == PLEX_RESIDUAL || el->integral.facets || asm_->repeated || asm_->teamSize > 1 || !PlexTablesCompiled_Private(asm_, product)) return PETSC_FALSE;
  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    if (el->Nn[f] > 1) return PETSC_FALSE; /* auxiliary dofs are read in the elements' own order */
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  terms *= product->tensor ? (double)product->tensor->nab : (double)(jets.trialValue + el->dim * jets.trialGrad);
  return (PetscBool)(el->ef <= 30 && terms <= PLEX_ORBITS_TERMS);
}
