/*
  What candidates compute, compared: one that leaves targets unwritten, or writes others than the first one does, is no
  way to assemble, however fast. Rounding differs from one to the other, so that a residual which is nearly zero, of
  terms that cancel, says little.
*/
#include "tuneimpl.h"

#define PLEX_VALUES_CHUNKS 64    /* places of the targets that are looked at */
#define PLEX_VALUES_LENGTH 16384 /* targets at each */

static double *PlexTuneTargets(PlexTuneSearch *s, PlexProductKind kind, PetscInt *n)
{
  *n = PLEX_REALS * (kind == PLEX_JACOBIAN ? s->asm_->pattern->nA : s->asm_->elements->Nl);
  return kind == PLEX_JACOBIAN ? s->args.A : s->args.F;
}

/* Which targets are looked at, with memory for them */
static PetscErrorCode PlexTuneLayOutValues(PlexTuneSearch *s, PlexProductKind kind)
{
  PlexTuneValues *v = &s->values[kind];
  PetscInt        n;

  PetscFunctionBegin;
  if (v->now) PetscFunctionReturn(PETSC_SUCCESS);
  (void)PlexTuneTargets(s, kind, &n);
  v->length = PetscMin(n, PLEX_VALUES_LENGTH);
  v->chunks = v->length ? PetscMin(PLEX_VALUES_CHUNKS, (n + v->length - 1) / v->length) : 0;
  v->stride = v->chunks > 1 ? (n - v->length) / (v->chunks - 1) : 0;
  PetscCall(PetscMalloc1(PetscMax(1, v->chunks * v->length), &v->now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneSpoilValues_Private(PlexTuneSearch *s, PlexProductKind kind)
{
  PlexTuneValues *v = &s->values[kind];
  PetscInt        n;
  double         *targets = PlexTuneTargets(s, kind, &n);

  PetscFunctionBegin;
  PetscCall(PlexTuneLayOutValues(s, kind));
  for (PetscInt k = 0; k < v->length; ++k) v->now[k] = NAN;
  for (PetscInt c = 0; c < v->chunks; ++c)
    PetscCall(PlexBackendCopyIn(s->asm_->backend, targets + c * v->stride, v->now, sizeof(double) * v->length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Differences that rounding makes, at most: of the largest value, and for a residual of the terms that are summed,
   about a matrix times the solution */
static PetscErrorCode PlexTuneTolerance(PlexTuneSearch *s, PlexProductKind kind, double *tolerance)
{
  const double relative = s->asm_->precision == PLEX_PRECISION_SINGLE ? 1e-2 : 1e-7;
  PetscScalar *u;
  PetscReal    terms = 0;

  PetscFunctionBegin;
  *tolerance = relative * s->values[kind].largest;
  if (kind == PLEX_JACOBIAN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(PetscMax(1, s->asm_->elements->Nl), &u));
  PetscCall(PlexBackendCopyOut(s->asm_->backend, u, s->args.u, sizeof(PetscScalar) * s->asm_->elements->Nl));
  for (PetscInt l = 0; l < s->asm_->elements->Nl; ++l) terms = PetscMax(terms, PetscAbsScalar(u[l]));
  PetscCall(PetscFree(u));
  *tolerance += relative * terms * s->values[PLEX_JACOBIAN].largest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneCheckValues_Private(PlexTuneSearch *s, PlexProductKind kind, const char type[])
{
  PlexTuneValues *v = &s->values[kind];
  PetscInt        n, all = v->chunks * v->length, unwritten = 0;
  double         *targets = PlexTuneTargets(s, kind, &n), most = 0, tolerance;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < v->chunks; ++c)
    PetscCall(PlexBackendCopyOut(s->asm_->backend, v->now + c * v->length, targets + c * v->stride,
                                 sizeof(double) * v->length));
  if (!v->first) {
    PetscCall(PetscMalloc1(PetscMax(1, all), &v->first));
    PetscCall(PetscArraycpy(v->first, v->now, all));
    for (PetscInt k = 0; k < all; ++k)
      if (PetscAbsReal(v->first[k]) < PETSC_INFINITY) v->largest = PetscMax(v->largest, PetscAbsReal(v->first[k]));
    PetscCall(PetscStrncpy(v->type, type, sizeof(v->type)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < all; ++k) { /* what is no number in the first may be the pointwise functions' own */
    if (!(PetscAbsReal(v->first[k]) < PETSC_INFINITY)) continue;
    if (v->now[k] != v->now[k]) ++unwritten;
    else most = PetscMax(most, PetscAbsReal(v->now[k] - v->first[k]));
  }
  PetscCheck(!unwritten, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Type %s leaves %" PetscInt_FMT " of %" PetscInt_FMT " values without a number, which type %s computes",
             type, unwritten, all, v->type);
  PetscCall(PlexTuneTolerance(s, kind, &tolerance));
  PetscCheck(most <= tolerance || (kind == PLEX_RESIDUAL && !s->values[PLEX_JACOBIAN].first), PETSC_COMM_SELF,
             PETSC_ERR_PLIB,
             "Type %s computes values that are up to %g from those of type %s, where rounding explains %g", type, most,
             v->type, tolerance);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneDestroyValues_Private(PlexTuneSearch *s)
{
  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    PetscCall(PetscFree(s->values[kind].first));
    PetscCall(PetscFree(s->values[kind].now));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
