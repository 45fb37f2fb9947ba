/*
  Rows of element data that are the same but for the order in which an element is read: symmetry classes of its dofs
  under the rotations of the cell, and the rotations that make a dof its class's first.
*/
#include "symmetry.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsTabulate() */

#define PLEX_CLASSES_TERMS  6000 /* multiplications, all compiled */
#define PLEX_CLASSES_POINTS 30   /* dofs an element by quadrature, most */

/* The nodes of the vertex, edge or face that a class's first dof sits on: those whose coordinate functions do not
   vanish there; and the dofs on it */
static PetscErrorCode PlexClassesFix(PlexAssembly asm_, PlexDofClasses *t)
{
  PlexElements el = asm_->elements, at;
  PetscReal    xi[3 * PLEX_CLASSES_DOFS];
  unsigned     support[PLEX_CLASSES_DOFS] = {0};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(t->fixed, PLEX_CLASSES_MOST));
  if (el->Nv > 8) PetscFunctionReturn(PETSC_SUCCESS); /* coordinates of degree 1 */
  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PetscInt end = f + 1 < el->Nf ? el->offset[f + 1] : el->ef;
    PetscFE        fe;
    PetscDualSpace dual;

    PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
    PetscCall(PetscFEGetDualSpace(fe, &dual));
    for (PetscInt j = el->offset[f]; j < end; ++j)
      PetscCall(PlexDualSpaceGetNode(dual, j - el->offset[f], el->dim, &xi[j * el->dim]));
  }
  PetscCall(PlexElementsTabulate(el, el->ef, xi, &at));
  for (PetscInt j = 0; j < el->ef; ++j)
    for (PetscInt v = 0; v < el->Nv; ++v)
      if (PetscAbsReal(at->psi[j * el->Nv + v]) > 1e-10) support[j] |= 1u << v;
  PetscCall(PlexElementsDestroyTabulated(&at));
  for (PetscInt o = 0; o < t->n; ++o) t->fixed[o] = (int)support[t->first[o]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Derivatives of a dof's basis function that are not zero, over all points: what a row costs, about */
static PetscInt PlexClassesCost(PlexElements el, PetscInt i)
{
  PetscInt f = el->Nf - 1, n, cost = 0;

  while (el->offset[f] > i) --f;
  n = (i - el->offset[f]) / el->Nc[f];
  for (PetscInt q = 0; q < el->Nq; ++q)
    for (PetscInt d = 0; d < el->dim; ++d) cost += PetscAbsReal(el->dphi[f][(q * el->Nn[f] + n) * el->dim + d]) > 1e-13;
  return cost;
}

/* *serves false: there are no rotations, or too many classes. t: zero */
PetscErrorCode PlexDofClassesCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves,
                                            PlexDofClasses *t)
{
  PlexElements   el = asm_->elements;
  const PetscInt ef = el->ef;
  PetscInt       n, cost[PLEX_CLASSES_DOFS];
  int           *dofs, *vertices;

  PetscFunctionBegin;
  PetscCall(PlexElementsGetRotations(el, product->tensor ? PETSC_FALSE : PETSC_TRUE, &n, &dofs, &vertices));
  *serves       = (PetscBool)(n > 0 && n <= PLEX_CLASSES_ROTATIONS && el->Nv <= PLEX_CLASSES_NODES);
  t->nrotations = (int)n;
  for (PetscInt i = 0; i < ef; ++i) cost[i] = PlexClassesCost(el, i);
  for (PetscInt i = 0; i < ef && *serves; ++i) {
    PetscInt least = i, o; /* of the dofs that a rotation takes it to, the one whose row costs least */

    for (PetscInt k = 0; k < n; ++k) {
      for (PetscInt j = 0; j < ef; ++j) {
        if (dofs[k * ef + j] == i && (cost[j] < cost[least] || (cost[j] == cost[least] && j < least))) least = j;
      }
    }
    for (o = 0; o < t->n; ++o)
      if (t->first[o] == least) break;
    if (o == PLEX_CLASSES_MOST) *serves = PETSC_FALSE;
    else {
      if (o == t->n) t->first[t->n++] = (int)least;
      t->of[i] = (unsigned char)o;
    }
  }
  for (PetscInt k = 0; k < n && *serves; ++k) {
    for (PetscInt v = 0; v < el->Nv; ++v) t->nodes[k][v] = (unsigned char)vertices[k * el->Nv + v];
    for (PetscInt j = 0; j < ef; ++j) t->dofs[k][j] = (unsigned char)dofs[k * ef + j];
    for (PetscInt i = 0; i < ef; ++i)
      if (t->dofs[k][t->first[t->of[i]]] == i) t->candidates[i][t->ncandidates[i]++] = (unsigned char)k;
  }
  if (*serves) PetscCall(PlexClassesFix(asm_, t));
  PetscCall(PlexElementsRestoreRotations(&dofs, &vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual's row is an entry, which a thread of the general way computes; so are rows of forms and elements too large
   to be compiled once a class */
PetscBool PlexSymmetryServes_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements el = asm_->elements;
  PlexJets     jets;
  double       terms = (double)el->ef * (double)PlexAssemblyPoints(asm_, product);

  if (!PlexElementsFillSpace(el) || product->kind == PLEX_RESIDUAL || el->integral.facets || asm_->repeated ||
      asm_->teamSize > 1 || !PlexTablesCompiledTurned_Private(asm_, product))
    return PETSC_FALSE;
  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    if (el->Nn[f] > 1) return PETSC_FALSE; /* auxiliary dofs are read in the elements' own order */
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  terms *= product->tensor ? (double)product->tensor->nab : (double)(jets.trialValue + el->dim * jets.trialGrad);
  return (PetscBool)(el->ef <= (product->tensor ? PLEX_CLASSES_DOFS : PLEX_CLASSES_POINTS) &&
                     terms <= PLEX_CLASSES_TERMS);
}
