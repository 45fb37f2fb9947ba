/*
  How many threads work on one element together.

  A thread alone holds a small element in registers: best, as nothing is shared and nothing waits. Of a residual these
  are nodal data, the element vector and one point at a time, so that elements may be larger. What an element of a
  Jacobian needs besides its nodal data are the points' D_q; once those and a row's t_q no longer fit in registers, a
  team keeps them in shared memory (and V_q of a residual) and shares out points and entries. The team grows with the
  element, so that shared memory still holds several.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "integrate.h"

#define PLEX_TEAM_ROWS 4 /* rows of element data at a time: each number read of the basis then serves four products */

/* Bytes of struct PlexWork of cuda/integrate/quadrature.cuh */
static size_t PlexWorkSize(PlexAssembly asm_, PlexProduct *product, PetscInt rows)
{
  PlexElements elements = asm_->elements;
  PlexAction   action   = asm_->form->action;
  PlexJets     jets;
  PetscInt     Nc = 0, KT, KU;
  size_t       n;

  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  for (PetscInt f = 0; f < elements->Nf; ++f) Nc += elements->Nc[f];
  KT = jets.testValue + elements->dim * jets.testGrad;
  KU = jets.trialValue + elements->dim * jets.trialGrad;
  /* 2: its number and local face */
  n = elements->Nv * elements->dim + 2 * elements->ef + elements->ea + (elements->integral.facets ? 2 : 0) +
      (elements->vectors ? PlexSignWords(elements) : 0);
  if (action == PLEX_ACTION_APPLY || action == PLEX_ACTION_TRANSPOSE) n += elements->ef; /* v */
  if (action == PLEX_ACTION_DIAGONAL) n += (size_t)elements->Nq * Nc * KT * Nc * KU;
  else if (product->tensor) n += (size_t)PlexAssemblyPoints(asm_, product) * Nc * KT * Nc * KU;
  else if (product->kind == PLEX_JACOBIAN)
    n += (size_t)elements->Nq * Nc * KT * Nc * KU + (size_t)rows * elements->Nq * Nc * KU;
  else n += (size_t)elements->Nq * Nc * KT;
  n *= PlexAssemblyRealSize(asm_);
  return (n + 15) / 16 * 16;
}

/* Floating-point operations of a launch that evaluates `points` quadrature points and computes `rows` rows of element
   data, or with rows = 0 `entries` entries one by one. Counts the multiplications and additions of
   cuda/integrate/quadrature.cuh; what the pointwise functions do themselves is not known here, nor what a compiler
   leaves out because a form does not use it. */
double PlexAssemblyCountFlops(PlexAssembly asm_, PlexProduct *product, double points, double rows, double entries)
{
  PlexElements elements = asm_->elements;
  PlexAction   action   = asm_->form->action;
  PlexJets     jets;
  const double dim = elements->dim, invert = elements->integral.facets ? 0 : dim == 2 ? 11 : 48;
  double       Nc = 0, KT, KU, point, row, entry;

  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  KT    = jets.testValue + dim * jets.testGrad;
  KU    = jets.trialValue + dim * jets.trialGrad;
  point = 2 * elements->Nv * dim * (1 + dim) + invert;
  for (PetscInt f = 0; f < elements->Nf + elements->NfAux; ++f) {
    if (f < elements->Nf) Nc += elements->Nc[f];
    point += elements->Nc[f] * (2 * elements->Nn[f] * (1 + dim) + 2 * dim * dim);
  }
  if (action == PLEX_ACTION_APPLY || action == PLEX_ACTION_TRANSPOSE) {
    for (PetscInt f = 0; f < elements->Nf; ++f)
      point += elements->Nc[f] * (2 * elements->Nn[f] * (1 + dim) + 2 * dim * dim);
    point += Nc * Nc * 2 * ((jets.testValue + dim * jets.testGrad) * (jets.trialValue + dim * jets.trialGrad)) +
             Nc * (jets.testValue + jets.testGrad * 2 * dim * dim);
    return points * point + (rows + entries) * elements->Nq * 2 * KT;
  }
  if (product->kind == PLEX_RESIDUAL && action == PLEX_ACTION_NONE) {
    point += Nc * (jets.testValue * 2 + jets.testGrad * (2 * dim * dim + 2 * dim));
    return points * point + (rows + entries) * elements->Nq * 2 * KT;
  }
  point += Nc * Nc *
           (jets.testValue * jets.trialValue * 2 +
            (jets.testValue * jets.trialGrad + jets.testGrad * jets.trialValue) * (2 * dim * dim + 2 * dim) +
            jets.testGrad * jets.trialGrad * (4 * dim * dim * dim + 2 * dim * dim));
  if (product->tensor)
    return points * point + (rows * ((double)product->nd / elements->ef) + entries) * 2 *
                              PlexAssemblyPoints(asm_, product) * product->tensor->nab;
  row   = elements->Nq * 2 * (Nc * KU * KT + (double)product->nd / elements->ef * KU);
  entry = elements->Nq * 2 * (KT * KU + KT);
  return points * point + rows * row + entries * entry;
}

PetscInt PlexAssemblyDefaultTeam(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements   elements = asm_->elements;
  const PetscInt ef       = elements->ef;
  const size_t   numbers  = PlexWorkSize(asm_, product, 1) / PlexAssemblyRealSize(asm_);

  if (asm_->repeated) return 1; /* a team would add twice to one place at once */
  if (asm_->teamSize) return asm_->teamSize;
  if (product->kind == PLEX_RESIDUAL && asm_->form->action != PLEX_ACTION_DIAGONAL) {
    if (ef * elements->Nq <= PLEX_MOST_COMPILED) return 1;
    return ef <= 8 ? 4 : ef <= 16 ? 8 : ef <= 32 ? 16 : ef <= 192 ? 32 : 128;
  }
  /* as doubles, what a thread's registers hold without spills */
  if (ef <= (product->tensor ? 10 : 6) && numbers <= 72) return 1;
  return ef <= 12 ? 8 : ef <= 16 ? 16 : ef <= 64 ? 32 : 128;
}

PetscErrorCode PlexAssemblyChooseTeam(PlexAssembly asm_, PlexProduct *product)
{
  PlexBackendLimits limits;
  PetscInt          ef = asm_->elements->ef;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  product->team  = PlexAssemblyDefaultTeam(asm_, product);
  product->block = asm_->blockSize ? asm_->blockSize : 128;
  if (product->team > 32) product->block = product->team;
  product->rows = product->team == 1 || product->kind == PLEX_RESIDUAL ? 1 : PetscMin(ef, PLEX_TEAM_ROWS);
  product->work = product->team == 1 ? 0 : PlexWorkSize(asm_, product, product->rows);
  if (product->rows > 1 && product->work > limits.sharedPerBlock / 2) {
    product->rows = 1;
    product->work = PlexWorkSize(asm_, product, product->rows);
  }
  /* fewer elements at a time where their work areas would not fit, then larger teams */
  while (product->block > product->team && product->block > 32 &&
         product->work * (size_t)(product->block / product->team) > limits.sharedPerBlock / 2)
    product->block -= 32;
  while (product->team > 1 && product->team < 32 &&
         product->work * (size_t)(product->block / product->team) > limits.sharedPerBlock / 2)
    product->team *= 2;
  PetscCheck(product->work * (size_t)(product->block / product->team) <= limits.sharedPerBlock,
             PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Quadrature data of one element of %" PetscInt_FMT
             " dofs takes %zu bytes of shared memory, and a block has %zu: use -plex_assembly_precision single, a "
             "quadrature of fewer points, or -plex_assembly_backend host",
             ef, product->work, limits.sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}
