/*
  What is known of the functions g0..g3 of a Jacobian: which arguments they read, which of their entries are zero,
  symmetry.

  Nothing is concluded from samples. On backends with kernels the functions' source says it
  (src/assembly/source/facts.c), for all arguments. The host has no source: there one call at a point of the mesh, whose
  arguments cannot be read without notice (guard.c), tells whether the functions return the same values at all points of
  this assembly; then these values say the rest. The program may declare what the functions do not read.
*/
#include "traits.h"
#include "point.h"
#include "integrate.h"
#include <plex_args.h>

/* One function list of each key, in the order of the entries */
static const PlexFunctions *PlexFormKey(PlexForm form, PetscInt fi, PetscInt fj, PetscInt k)
{
  return k < 4 ? &form->g[k][fi * form->Nf + fj] : &form->d[k - 4][fi * form->Nf + fj];
}

static PetscInt PlexKeySize(PlexElements el, PetscInt fi, PetscInt fj, PetscInt k)
{
  const PetscInt powers[] = {1, el->dim, el->dim, el->dim * el->dim};

  return el->Nc[fi] * el->Nc[fj] * powers[k % 4];
}

static PetscInt PlexTraitsCount(PlexElements el)
{
  PetscInt n = 0;

  for (PetscInt fi = 0; fi < el->Nf; ++fi)
    for (PetscInt fj = 0; fj < el->Nf; ++fj)
      for (PetscInt k = 0; k < 8; ++k) n += PlexKeySize(el, fi, fj, k);
  return n;
}

/* ---- By the source */

/* The functions of one key: zero and equal entries are those of all of them */
typedef struct {
  PetscInt  n;     /* entries */
  PetscInt *value; /* [n] 0: zero; equal numbers: equal entries */
} PlexKeyValues;

/* Of several functions one may replace what the one before it wrote: their entries are zero where all are, and none is
   known to equal another */
static void PlexKeyCombine(PlexKeyValues *key, PetscInt functions, const int value[])
{
  for (PetscInt i = 0; i < key->n; ++i) {
    if (functions == 1) key->value[i] = value[i];
    else if (value[i]) key->value[i] = i + 1;
  }
}

/* g3 of a scalar field by the numbers of its entries */
static void PlexKeyExamine(const PlexKeyValues *key, PetscInt dim, PetscInt k, PlexFormTraits t)
{
  for (PetscInt a = 0; a < dim && k % 4; ++a) {
    if (k % 4 < 3) {
      if (key->value[a]) t->symmetric = PETSC_FALSE; /* of different functions it is not known whether they are equal */
      continue;
    }
    if (key->value[a * dim + a] != key->value[0]) t->isotropic = PETSC_FALSE;
    for (PetscInt b = 0; b < dim; ++b)
      if (a != b && key->value[a * dim + b]) t->isotropic = PETSC_FALSE;
  }
}

/* g3 of a field of Nc components by the numbers of its entries */
static PetscBool PlexKeyIsReciprocal(const PlexKeyValues *key, PetscInt Nc, PetscInt dim)
{
  for (PetscInt c = 0; c < Nc; ++c)
    for (PetscInt d = 0; d < Nc; ++d)
      for (PetscInt k = 0; k < dim; ++k)
        for (PetscInt l = 0; l < dim; ++l)
          if (key->value[((c * Nc + d) * dim + k) * dim + l] != key->value[((d * Nc + c) * dim + l) * dim + k])
            return PETSC_FALSE;
  return PETSC_TRUE;
}

/* No entry of a key couples two components, and each component has the same: v[(c Nc + d) n + i], by same(v, k, l), l < 0: it
   is zero */
typedef PetscBool (*PlexSameFn)(const void *v, PetscInt k, PetscInt l);

static PetscBool PlexSameNumber(const void *v, PetscInt k, PetscInt l)
{
  const PetscInt *number = (const PetscInt *)v;

  return (PetscBool)(number[k] == (l < 0 ? 0 : number[l]));
}

static PetscBool PlexSameValue(const void *v, PetscInt k, PetscInt l)
{
  const PetscScalar *value = (const PetscScalar *)v;

  return (PetscBool)(value[k] == (l < 0 ? (PetscScalar)0. : value[l]));
}

static PetscBool PlexKeyIsAlike(PlexSameFn same, const void *v, PetscInt Nc, PetscInt n)
{
  for (PetscInt c = 0; c < Nc; ++c)
    for (PetscInt d = 0; d < Nc; ++d)
      for (PetscInt i = 0; i < n; ++i)
        if (!same(v, (c * Nc + d) * n + i, c == d ? i : -1)) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscErrorCode PlexTraitsFromSource(PlexAssembly asm_, PlexFormTraits t)
{
  PlexElements el     = asm_->elements;
  PetscBool    scalar = (PetscBool)(el->Nf == 1 && el->Nc[0] == 1), values = PETSC_TRUE;
  PetscInt     at = 0;
  PlexOffsets  o;

  PetscFunctionBegin;
  PetscCall(PlexOffsetsCreate_Private(el, &o));
  t->how       = "by their source";
  t->known     = PETSC_TRUE;
  t->symmetric = t->isotropic = scalar;
  t->reciprocal = t->alike = (PetscBool)(el->Nf == 1);
  t->n                     = PlexTraitsCount(el);
  PetscCall(PetscMalloc1(t->n, &t->zero));
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      for (PetscInt k = 0; k < 8; ++k) {
        const PlexFunctions *fn    = PlexFormKey(asm_->form, fi, fj, k);
        PlexFactsSizes       sizes = {.dim          = el->dim,
                                      .Nf           = el->Nf,
                                      .NfAux        = el->NfAux,
                                      .uOff         = o.uOff,
                                      .uOff_x       = o.uOff_x,
                                      .aOff         = o.aOff,
                                      .aOff_x       = o.aOff_x,
                                      .numConstants = asm_->form->numConstants,
                                      .fieldI       = fi,
                                      .fieldJ       = fj,
                                      .n            = PlexKeySize(el, fi, fj, k),
                                      .jacobian     = PETSC_TRUE};
        PlexKeyValues        key   = {.n = sizes.n};

        PetscCall(PetscCalloc1(key.n, &key.value));
        for (PetscInt i = 0; i < fn->n; ++i) {
          PlexFacts facts;

          PetscCall(PlexProgramGetFacts(asm_->owner->program, fn->fn[i], fn->names[i], &sizes, &facts));
          t->known = (PetscBool)(t->known && facts.known);
          t->reads |= facts.known ? facts.reads : PLEX_READS_ALL;
          values = (PetscBool)(values && facts.known && facts.value);
          if (values) PlexKeyCombine(&key, fn->n, facts.value);
          PetscCall(PlexFactsReset(&facts));
        }
        for (PetscInt i = 0; i < key.n; ++i, ++at) t->zero[at] = (PetscBool)!key.value[i];
        if (scalar) PlexKeyExamine(&key, el->dim, k, t);
        if (t->reciprocal && k % 4 == 3) t->reciprocal = PlexKeyIsReciprocal(&key, el->Nc[0], el->dim);
        if (t->alike) t->alike = PlexKeyIsAlike(PlexSameNumber, key.value, el->Nc[0], key.n / (el->Nc[0] * el->Nc[0]));
        PetscCall(PetscFree(key.value));
      }
    }
  }
  PetscCall(PlexOffsetsDestroy_Private(&o));
  t->symmetric = (PetscBool)(t->symmetric && t->reciprocal);
  if (values) PetscFunctionReturn(PETSC_SUCCESS);
  t->symmetric = t->isotropic = t->reciprocal = t->alike = PETSC_FALSE;
  t->n                                                   = 0;
  PetscCall(PetscFree(t->zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- By a call */

struct _n_PlexCall {
  PlexGuard    guard;
  PlexOffsets  offsets;
  PetscInt     n;
  PetscScalar *g; /* [n] */
};

static PetscErrorCode PlexCallGet(PlexAssembly asm_, PlexCall *call)
{
  PlexElements   el  = asm_->elements;
  const PetscInt dim = el->dim;
  PlexCall       c   = asm_->call;

  PetscFunctionBegin;
  if (!c) {
    PetscInt n[PLEX_GUARDED];

    PetscCall(PetscNew(&c));
    asm_->call = c;
    PetscCall(PlexOffsetsCreate_Private(el, &c->offsets));
    c->n = PlexTraitsCount(el);
    PetscCall(PetscMalloc1(c->n, &c->g));
    n[PLEX_GUARD_U] = n[PLEX_GUARD_U_T] = c->offsets.uOff[el->Nf];
    n[PLEX_GUARD_U_X]                   = c->offsets.uOff[el->Nf] * dim;
    n[PLEX_GUARD_A]                     = c->offsets.aOff[el->NfAux];
    n[PLEX_GUARD_A_X]                   = c->offsets.aOff[el->NfAux] * dim;
    n[PLEX_GUARD_X]                     = dim;
    n[PLEX_GUARD_VOLUME]                = 1;
    PetscCall(PlexGuardCreate_Private(asm_->form->numConstants, n, &c->guard));
  }
  *call = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTraitsForget_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  if (asm_->call) {
    PetscCall(PlexGuardDestroy_Private(&asm_->call->guard));
    PetscCall(PlexOffsetsDestroy_Private(&asm_->call->offsets));
    PetscCall(PetscFree(asm_->call->g));
    PetscCall(PetscFree(asm_->call));
  }
  if (asm_->traits) PetscCall(PlexTraitsReset_Private(asm_->traits));
  PetscCall(PetscFree(asm_->traits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All functions at the guarded point, as PETSc calls them */
static void PlexCallFunctions(PlexAssembly asm_, PlexCall c)
{
  PlexElements      el  = asm_->elements;
  PlexGuard         g   = c->guard;
  PlexOffsets      *o   = &c->offsets;
  const PlexMoment *at  = asm_->owner->moment;
  PetscScalar      *out = c->g;
#define ARGUMENT(k) ((const PetscScalar *)g->page[k])

  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      g->constants[g->nc]     = (PetscScalar)fi;
      g->constants[g->nc + 1] = (PetscScalar)fj;
      for (PetscInt k = 0; k < 8; ++k) {
        const PlexFunctions *fn = PlexFormKey(asm_->form, fi, fj, k);
        const PetscInt       n  = PlexKeySize(el, fi, fj, k);

        for (PetscInt i = 0; i < n; ++i) out[i] = 0.;
        for (PetscInt i = 0; i < fn->n && (k < 4 || at->shift != 0.); ++i)
          ((PetscPointJacFn *)fn->fn[i])(el->dim, el->Nf, el->NfAux, o->uOff, o->uOff_x, ARGUMENT(PLEX_GUARD_U),
                                         at->locX_t ? ARGUMENT(PLEX_GUARD_U_T) : NULL, ARGUMENT(PLEX_GUARD_U_X),
                                         el->NfAux ? o->aOff : NULL, el->NfAux ? o->aOff_x : NULL,
                                         el->NfAux ? ARGUMENT(PLEX_GUARD_A) : NULL, NULL,
                                         el->NfAux ? ARGUMENT(PLEX_GUARD_A_X) : NULL, at->t, at->shift,
                                         (const PetscReal *)ARGUMENT(PLEX_GUARD_X), g->nc, g->constants, out);
        out += n;
      }
    }
  }
#undef ARGUMENT
}

/* One scalar field's G is symmetric by its values: g1 = g2, and g3 = g3^T */
static PetscBool PlexValuesAreSymmetric(PetscInt dim, const PetscScalar g[])
{
  for (PetscInt dynamic = 0; dynamic < 2; ++dynamic, g += 1 + 2 * dim + dim * dim) {
    for (PetscInt a = 0; a < dim; ++a) {
      if (g[1 + a] != g[1 + dim + a]) return PETSC_FALSE;
      for (PetscInt b = 0; b < a; ++b)
        if (g[1 + 2 * dim + a * dim + b] != g[1 + 2 * dim + b * dim + a]) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Of one field of several components: what is known of the components */
static void PlexValuesExamine(PlexElements el, const PetscScalar g[], PlexFormTraits t)
{
  const PetscInt Nc = el->Nc[0], dim = el->dim;

  t->reciprocal = t->alike = PETSC_TRUE;
  for (PetscInt k = 0; k < 8; ++k) {
    const PetscInt n = PlexKeySize(el, 0, 0, k);

    if (t->alike) t->alike = PlexKeyIsAlike(PlexSameValue, g, Nc, n / (Nc * Nc));
    for (PetscInt i = 0; k % 4 == 3 && i < n; ++i) {
      const PetscInt l = i % dim, m = i / dim % dim, d = i / (dim * dim) % Nc, c = i / (dim * dim * Nc);

      if (g[i] != g[((d * Nc + c) * dim + l) * dim + m]) t->reciprocal = PETSC_FALSE;
    }
    g += n;
  }
}

/* At the first point of the first element; its values are those of all points where none of the point's arguments is
   read */
static PetscErrorCode PlexTraitsFromCall(PlexAssembly asm_, PlexFormTraits t)
{
  PlexElements       el    = asm_->elements;
  PlexPoint          point = {.elements = el};
  const PetscScalar *constants;
  PetscInt           nc;
  PlexCall           c   = NULL;
  Vec                aux = NULL;

  PetscFunctionBegin;
  PetscCall(PlexCallGet(asm_, &c));
  PetscCall(PetscDSGetConstants(el->ds, &nc, &constants));
  PetscCall(PetscArraycpy(c->guard->constants, constants, nc));
  PetscCall(VecGetArrayRead(asm_->owner->moment->locX, &point.u));
  if (asm_->owner->moment->locX_t) PetscCall(VecGetArrayRead(asm_->owner->moment->locX_t, &point.u_t));
  if (el->ea) {
    PetscCall(PlexIntegralGetAuxiliary(asm_->owner->dm, &asm_->integral, PLEX_JACOBIAN, &aux));
    PetscCall(VecGetArrayRead(aux, &point.aux));
  }
  c->guard->fill = PlexPointFill_Private;
  c->guard->ctx  = &point;
  PetscCall(PlexGuardBegin_Private(c->guard));
  PlexCallFunctions(asm_, c);
  t->reads = c->guard->read;
  PetscCall(PlexGuardEnd_Private(c->guard));
  if (aux) PetscCall(VecRestoreArrayRead(aux, &point.aux));
  if (asm_->owner->moment->locX_t) PetscCall(VecRestoreArrayRead(asm_->owner->moment->locX_t, &point.u_t));
  PetscCall(VecRestoreArrayRead(asm_->owner->moment->locX, &point.u));
  t->how   = "as called";
  t->known = (PetscBool)!(t->reads & (PLEX_READS_THE_POINT | PLEX_READS_VOLUME));
  if (t->known && el->Nf == 1 && el->Nc[0] == 1) t->symmetric = PlexValuesAreSymmetric(el->dim, c->g);
  if (t->known && el->Nf == 1 && el->Nc[0] > 1) PlexValuesExamine(el, c->g, t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGuardCalls_Private(PlexAssembly asm_, const void *ctx, PlexGuard *guard, PlexPoint *point)
{
  const PlexArgs *args = (const PlexArgs *)ctx;
  PlexCall        c    = NULL;

  PetscFunctionBegin;
  PetscCall(PlexCallGet(asm_, &c));
  *point         = (PlexPoint){.elements = asm_->elements,
                               .u        = (const PetscScalar *)args->u,
                               .u_t      = (const PetscScalar *)args->u_t,
                               .aux      = (const PetscScalar *)args->aux};
  c->guard->fill = PlexPointFill_Private;
  c->guard->ctx  = point;
  PetscCall(PetscArraycpy(c->guard->constants, (const PetscScalar *)args->constants, asm_->form->numConstants));
  PetscCall(PlexGuardBegin_Private(c->guard));
  *guard = c->guard;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

/* Auxiliary fields are constant in each element */
static PetscBool PlexAuxiliaryIsConstant(PlexElements el)
{
  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    if (el->Nn[f] != 1) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* What the program says that the functions do not read, they do not read; found otherwise, it is an error */
static PetscErrorCode PlexTraitsDeclare(PlexAssembly asm_, PlexFormTraits t)
{
  const unsigned read = t->reads & ~asm_->owner->declared;

  PetscFunctionBegin;
  if (asm_->owner->declared == PLEX_READS_ALL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(asm_->backend->kernels || !read, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "The Jacobian's functions read %s, which was declared not to be so: correct "
             "PlexAssemblySetJacobianDependence(), -plex_assembly_jacobian_depends",
             read & PLEX_READS_SOLUTION ? "the solution"
             : read & PLEX_READS_X      ? "the position"
                                        : "auxiliary fields");
  if (!t->known) t->how = "as declared";
  if (!t->known) t->reads = PLEX_READS_ALL;
  t->reads &= asm_->owner->declared;
  t->known = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTraitsCopy(const PlexFormTraits from, PlexFormTraits t)
{
  PetscFunctionBegin;
  *t      = *from;
  t->zero = NULL;
  if (!from->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(from->n, &t->zero));
  PetscCall(PetscArraycpy(t->zero, from->zero, from->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The jets of a symmetric G have the same parts on both sides: those that are there by the form, not by their values */
static PetscBool PlexJetsAreSymmetric(PlexAssembly asm_)
{
  PlexJets jets;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  return (PetscBool)(jets.testValue == jets.trialValue && jets.testGrad == jets.trialGrad);
}

PetscErrorCode PlexTraitsGet_Private(PlexAssembly asm_, PlexFormTraits t)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(t, sizeof(*t)));
  t->reads = PLEX_READS_ALL;
  t->how   = "not known";
  if (asm_->backend->kernels) {
    PetscCall(PlexAssemblyFindProgram_Private(asm_));
    if (!asm_->traits && asm_->owner->program) {
      PetscCall(PetscNew(&asm_->traits));
      PetscCall(PlexTraitsFromSource(asm_, asm_->traits));
    }
    if (asm_->traits) PetscCall(PlexTraitsCopy(asm_->traits, t));
  } else if (asm_->owner->moment && el->Ne) {
    t->reads = 0;
    PetscCall(PlexTraitsFromCall(asm_, t));
  }
  PetscCall(PlexTraitsDeclare(asm_, t));
  t->auxiliary = PlexAuxiliaryIsConstant(el);
  if (!PlexJetsAreSymmetric(asm_)) t->symmetric = PETSC_FALSE;
  t->watched  = (PetscBool)(!asm_->backend->kernels && !t->known && t->auxiliary && t->reads &&
                            !(t->reads & ~PLEX_READS_AUXILIARY) && !asm_->unsteady);
  t->constant = (PetscBool)(t->watched || (t->known && !(t->reads & (PLEX_READS_SOLUTION | PLEX_READS_X)) &&
                                           (t->auxiliary || !(t->reads & PLEX_READS_AUXILIARY))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTraitsReset_Private(PlexFormTraits t)
{
  PetscFunctionBegin;
  t->n = 0;
  PetscCall(PetscFree(t->zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}
