/*
  What is kept of a Jacobian at a state (stored.h): which entries of C, whether half of them do, points or modes, and tables
  of lines. All of it follows from the form and from what is known of its functions, never from their values at some points.
*/
#include "stored.h"
#include "host.h"
#include "integrate.h"
#include "traits.h"
#include "../../dm/elementsimpl.h"

#define PLEX_STORED_TOLERANCE 1e-13
#define PLEX_STORED_RANK      1e-10 /* of a column that is a sum of others, but for rounding */

#define PLEX_STORED_ZERO 1e-13 /* of a column that is zero, but for rounding, beside the largest one */

#define PLEX_STORED_MOST_FACTORS 400 /* entries of D, most: kernels have them among their arguments, 4 KB */

/* ---- Modes: the points' jets in an orthonormal basis */

static PetscReal PlexModeSize(PetscInt Nq, const PetscReal column[])
{
  PetscReal size = 0.;

  for (PetscInt q = 0; q < Nq; ++q) size += column[q] * column[q];
  return PetscSqrtReal(size);
}

void PlexModeAdd_Private(PetscInt Nq, const PetscReal column[], PetscReal largest, PetscReal x[], PetscReal modes[],
                         PetscInt *n)
{
  const PetscReal size = PetscSqr(PlexModeSize(Nq, column));
  PetscReal       left = 0.;

  if (size <= PetscSqr(PLEX_STORED_ZERO * largest)) return;
  for (PetscInt q = 0; q < Nq; ++q) x[q] = column[q];
  for (int twice = 0; twice < 2; ++twice) {
    for (PetscInt m = 0; m < *n; ++m) {
      PetscReal sum = 0.;

      for (PetscInt q = 0; q < Nq; ++q) sum += modes[m * Nq + q] * x[q];
      for (PetscInt q = 0; q < Nq; ++q) x[q] -= sum * modes[m * Nq + q];
    }
  }
  for (PetscInt q = 0; q < Nq; ++q) left += x[q] * x[q];
  if (*n == Nq || left <= PLEX_STORED_RANK * PLEX_STORED_RANK * size) return;
  for (PetscInt q = 0; q < Nq; ++q) modes[*n * Nq + q] = x[q] / PetscSqrtReal(left);
  ++*n;
}

/* A column of sqrt(w) B: part a of node k of field f */
static void PlexModeColumn(PlexElements el, PetscInt f, PetscInt k, PetscInt a, PetscReal column[])
{
  for (PetscInt q = 0; q < el->Nq; ++q) {
    const PetscInt at = q * el->Nn[f] + k;

    column[q] = PetscSqrtReal(el->weights[q]) * (a ? el->dphi[f][at * el->dim + a - 1] : el->phi[f][at]);
  }
}

static PetscBool PlexStoredHasPart(PlexStored s, PetscInt f, PetscInt a)
{
  return (PetscBool)(((s->trial[f] | s->test[f]) & (a ? 2u : 1u)) != 0);
}

/* Modes in the place of points; *serves: they give the columns again, all entries of the tables */
static PetscErrorCode PlexStoredMakeModes(PlexStored s, PetscBool *serves)
{
  PlexElements   el = s->elements;
  const PetscInt Nq = el->Nq, dim = el->dim;
  PetscReal     *modes, *column, *x, largest = 0.;
  PetscInt       n = 0;

  PetscFunctionBegin;
  *serves = PETSC_TRUE;
  PetscCall(PetscMalloc3(Nq * Nq, &modes, Nq, &column, Nq, &x));
  for (PetscInt add = 0; add < 2; ++add) {
    for (PetscInt f = 0; f < el->Nf; ++f) {
      for (PetscInt k = 0; k < el->Nn[f]; ++k) {
        for (PetscInt a = 0; a <= dim; ++a) {
          if (!PlexStoredHasPart(s, f, a)) continue;
          PlexModeColumn(el, f, k, a, column);
          if (add) PlexModeAdd_Private(Nq, column, largest, x, modes, &n);
          else largest = PetscMax(largest, PlexModeSize(Nq, column));
        }
      }
    }
  }
  s->Nq = PetscMax(n, 1);
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscCall(PetscCalloc1(s->Nq * (1 + dim) * el->Nn[f], &s->table[f]));
    for (PetscInt k = 0; k < el->Nn[f]; ++k) {
      for (PetscInt a = 0; a <= dim; ++a) {
        PetscReal size = 0., error = 0.;

        if (!PlexStoredHasPart(s, f, a)) continue;
        PlexModeColumn(el, f, k, a, column);
        for (PetscInt q = 0; q < Nq; ++q) {
          x[q] = column[q];
          size = PetscMax(size, PetscAbsReal(x[q]));
        }
        for (PetscInt m = 0; m < n; ++m) {
          PetscReal sum = 0.;

          for (PetscInt q = 0; q < Nq; ++q) sum += modes[m * Nq + q] * column[q];
          if (PetscAbsReal(sum) <= 1e-15 * size) sum = 0.;
          s->table[f][(m * (1 + dim) + a) * el->Nn[f] + k] = sum;
          for (PetscInt q = 0; q < Nq; ++q) x[q] -= sum * modes[m * Nq + q];
        }
        for (PetscInt q = 0; q < Nq; ++q) error = PetscMax(error, PetscAbsReal(x[q]));
        if (!(error <= PLEX_STORED_TOLERANCE * PetscMax(size, 1.))) *serves = PETSC_FALSE;
      }
    }
  }
  PetscCall(PetscFree3(modes, column, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexStoredMakePoints(PlexStored s)
{
  PlexElements   el  = s->elements;
  const PetscInt dim = el->dim;

  PetscFunctionBegin;
  s->Nq = el->Nq;
  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PetscInt Nn = el->Nn[f];

    PetscCall(PetscFree(s->table[f]));
    PetscCall(PetscMalloc1(s->Nq * (1 + dim) * Nn, &s->table[f]));
    for (PetscInt q = 0; q < s->Nq; ++q)
      for (PetscInt a = 0; a <= dim; ++a)
        for (PetscInt k = 0; k < Nn; ++k)
          s->table[f][(q * (1 + dim) + a) * Nn + k] = a ? el->dphi[f][(q * Nn + k) * dim + a - 1]
                                                        : el->phi[f][q * Nn + k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Lines */

/* Derivatives of the Lagrange polynomials of the points of a line, [p][q] at p of that of q */
static void PlexLineDerivatives(PetscInt Q, const PetscReal x[], PetscReal D[])
{
  for (PetscInt q = 0; q < Q; ++q) {
    for (PetscInt p = 0; p < Q; ++p) {
      D[p * Q + q] = 0.;
      for (PetscInt m = 0; m < Q; ++m) {
        PetscReal product = 1. / (x[q] - x[m]);

        if (m == q) continue;
        for (PetscInt l = 0; l < Q; ++l)
          if (l != q && l != m) product *= (x[p] - x[l]) / (x[q] - x[l]);
        D[p * Q + q] += product;
      }
    }
  }
}

/* Whether the derivatives of the basis at the points are those of its values there, all of them */
static PetscBool PlexLinesCollocate(const PlexLineTables *t, const PetscReal D[])
{
  PetscReal size = 1.;

  for (PetscInt k = 0; k < t->N * t->Q; ++k) size = PetscMax(size, PetscAbsReal(t->D[k]));
  for (PetscInt n = 0; n < t->N; ++n) {
    for (PetscInt p = 0; p < t->Q; ++p) {
      PetscReal sum = 0.;

      for (PetscInt q = 0; q < t->Q; ++q) sum += D[p * t->Q + q] * t->B[n * t->Q + q];
      if (!(PetscAbsReal(sum - t->D[n * t->Q + p]) <= PLEX_STORED_TOLERANCE * size * size)) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Whether the basis functions are 1 at a point of their own and 0 at the others, to the rounding of tables with derivatives of
   this size */
static PetscBool PlexLinesAreCollocated(const PlexLineTables *t)
{
  PetscReal size = 1.;

  if (t->N != t->Q) return PETSC_FALSE;
  for (PetscInt k = 0; k < t->N * t->Q; ++k) size = PetscMax(size, PetscAbsReal(t->D[k]));
  for (PetscInt n = 0; n < t->N; ++n)
    for (PetscInt q = 0; q < t->Q; ++q)
      if (!(PetscAbsReal(t->B[n * t->Q + q] - (n == q ? 1. : 0.)) <= PLEX_STORED_TOLERANCE * size * size))
        return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Derivatives of the functions along a line from their values at the points, which is more exact than tables of high degrees are */
static void PlexStoredDifferentiate(PlexStored s)
{
  PlexLineTables *t = s->lines;

  for (PetscInt n = 0; n < t->N; ++n) {
    for (PetscInt q = 0; q < t->Q; ++q) {
      const PetscReal *D   = &s->derivative[q * t->Q];
      PetscReal        sum = 0.;

      for (PetscInt p = 0; p < t->Q; ++p) sum += D[p] * t->B[n * t->Q + p];
      t->D[n * t->Q + q] = s->collocated ? D[n] : sum;
    }
  }
}

static PetscErrorCode PlexStoredMakeLines(PlexStored s)
{
  PlexElements     el = s->elements;
  PetscReal        x[PLEX_LINES_MOST_POINTS];
  const PetscReal *points;
  PetscQuadrature  quadrature;
  PetscFE          fe;
  PetscInt         others;
  PetscBool        serves;

  PetscFunctionBegin;
  if (el->cellType != DM_POLYTOPE_QUADRILATERAL && el->cellType != DM_POLYTOPE_HEXAHEDRON)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (el->Nf != 1) {
    s->whyNoLines = "several fields";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscNew(&s->lines));
  PetscCall(PlexLineTablesFind_Private(el, PLEX_LINES_MOST_NODES, PLEX_LINES_MOST_POINTS, s->lines, &serves));
  s->whyNoLines = "the tables are no products of functions of one coordinate, or of too high a degree";
  if (serves && s->lines->Q < s->lines->N) {
    serves        = PETSC_FALSE;
    s->whyNoLines = "fewer points than nodes along a line";
  }
  if (serves) {
    PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetQuadrature(fe, &quadrature));
    PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, NULL, &points, NULL));
    others = el->Nq / s->lines->Q;
    for (PetscInt q = 0; q < s->lines->Q; ++q) x[q] = points[s->lines->point[q * others] * el->dim];
    PetscCall(PetscMalloc1(s->lines->Q * s->lines->Q, &s->derivative));
    PlexLineDerivatives(s->lines->Q, x, s->derivative);
    serves        = PlexLinesCollocate(s->lines, s->derivative);
    s->collocated = (PetscBool)(serves && PlexLinesAreCollocated(s->lines));
    if (serves) PlexStoredDifferentiate(s);
  }
  if (serves) s->whyNoLines = NULL;
  else {
    PetscCall(PetscFree(s->lines));
    PetscCall(PetscFree(s->derivative));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Entries */

/* Whether a form has functions g_k of two fields, those of a dynamic Jacobian counted in, for components c and d of it,
   where it is not known that they are zero; entry: of g_k[c][d], -1: any; zero[]: of the first entry of the pair of fields,
   or NULL */
static PetscBool PlexStoredHas(PlexStored s, PlexForm form, PetscInt k, const PetscInt at[2], const PetscInt cd[2],
                               PetscInt entry, const PetscBool zero[])
{
  PlexElements   el  = s->elements;
  const PetscInt dim = el->dim, powers[4] = {1, dim, dim, dim * dim}, pair = el->Nc[at[1]], all = el->Nc[at[0]] * pair;

  if (!PlexHostHas_Private(form, k, at[0], at[1])) return PETSC_FALSE;
  if (!zero) return PETSC_TRUE;
  for (PetscInt l = 0, first = 0; l < 8; first += all * powers[l++ % 4]) {
    if (l % 4 != k) continue;
    for (PetscInt i = 0; i < powers[k]; ++i)
      if ((entry < 0 || i == entry) && !zero[first + (cd[0] * pair + cd[1]) * powers[k] + i]) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* has[rows][columns] of all jets: C has the entry, or D, which has those of the functions alone */
static void PlexStoredMark(PlexStored s, PlexForm form, PetscInt fi, PetscInt fj, const PetscBool zero[],
                           PetscBool has[])
{
  PlexElements   el  = s->elements;
  const PetscInt dim = el->dim, jets = s->NC * (1 + dim), at[2] = {fi, fj};

  for (PetscInt i = 0; i < s->NC; ++i) {
    for (PetscInt j = 0; j < s->NC; ++j) {
      const PetscInt cd[2] = {s->component[i], s->component[j]};

      if (s->field[i] != fi || s->field[j] != fj) continue;
      for (PetscInt a = 0; a <= dim; ++a) {
        for (PetscInt b = 0; b <= dim; ++b) {
          const PetscInt k = (a ? 2 : 0) + (b ? 1 : 0), entry = (a ? (a - 1) * (b ? dim : 1) : 0) + (b ? b - 1 : 0);

          if (PlexStoredHas(s, form, k, at, cd, s->factors ? entry : -1, zero))
            has[(i * (1 + dim) + a) * jets + j * (1 + dim) + b] = PETSC_TRUE;
        }
      }
    }
  }
}

/* Of C, or where s->factors says so of D */
static PetscErrorCode PlexStoredMakeEntries(PlexStored s, PlexForm form, const struct _n_PlexFormTraits *t)
{
  PlexElements     el  = s->elements;
  const PetscInt   dim = el->dim, jets = s->NC * (1 + dim), kept = jets / s->copies;
  const PetscBool *zero = t->n ? t->zero : NULL;
  PetscBool       *has;

  PetscFunctionBegin;
  s->n = 0;
  PetscCall(PetscArrayzero(s->test, el->Nf));
  PetscCall(PetscArrayzero(s->trial, el->Nf));
  PetscCall(PetscCalloc1(jets * jets, &has));
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      PlexStoredMark(s, form, fi, fj, zero, has);
      if (zero) zero += el->Nc[fi] * el->Nc[fj] * 2 * (1 + 2 * dim + dim * dim);
    }
  }
  for (PetscInt i = 0; i < jets && s->symmetric; ++i)
    for (PetscInt j = 0; j < i; ++j) has[j * jets + i] = (PetscBool)(has[j * jets + i] || has[i * jets + j]);
  for (PetscInt i = 0; i < kept; ++i) {
    for (PetscInt j = s->symmetric ? i : 0; j < kept; ++j) {
      if (!has[i * jets + j]) continue;
      s->row[s->n]      = i;
      s->column[s->n++] = j;
      s->test[s->field[i / (1 + dim)]] |= i % (1 + dim) ? 2u : 1u;
      s->trial[s->field[j / (1 + dim)]] |= j % (1 + dim) ? 2u : 1u;
    }
  }
  for (PetscInt f = 0; f < el->Nf && s->symmetric; ++f) s->test[f] = s->trial[f] = s->test[f] | s->trial[f];
  PetscCall(PetscFree(has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexStoredHasGradients_Private(PlexStored s)
{
  for (PetscInt f = 0; f < s->elements->Nf; ++f)
    if ((s->trial[f] | s->test[f]) & 2u) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The fewer numbers: entries of C, or factors where they can be */
static PetscErrorCode PlexStoredChooseNumbers(PlexStored s, PlexForm form, const struct _n_PlexFormTraits *t,
                                              PetscBool can)
{
  const PetscInt dim = s->elements->dim, jets = s->NC * (1 + dim);

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(jets * jets, &s->row, jets * jets, &s->column));
  PetscCall(PlexStoredMakeEntries(s, form, t));
  s->numbers = 1 + (PlexStoredHasGradients_Private(s) ? dim * dim : 0);
  s->factors = (PetscBool)(can && s->n > s->numbers);
  if (s->factors) PetscCall(PlexStoredMakeEntries(s, form, t));
  if (s->factors && s->n <= PLEX_STORED_MOST_FACTORS) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->factors) {
    s->factors = PETSC_FALSE;
    PetscCall(PlexStoredMakeEntries(s, form, t));
  }
  s->numbers = s->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is known of the functions */

/* g3 alone: what traits say of its entries is all there is */
static PetscBool PlexStoredOnlyG3(PlexForm form)
{
  for (PetscInt k = 0; k < 3; ++k)
    for (PetscInt p = 0; p < form->Nf * form->Nf; ++p)
      if (form->g[k][p].n || form->d[k][p].n) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* What a form's functions are known to be, of all points */
typedef struct {
  PetscBool symmetric; /* as the program says, or as it follows from the functions */
  PetscBool
    constant; /* C / w in an element: by what they read; of cells whose map is affine whatever their coordinates */
  PetscBool physical; /* they return the same at all points of all elements */
  PetscInt  copies;   /* components of which each has the same form for itself */
} PlexStoredKnown;

static PetscErrorCode PlexStoredExamine(PlexAssembly asm_, struct _n_PlexFormTraits *t, PlexStoredKnown *known)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexTraitsGet_Private(asm_, t));
  known->symmetric = (PetscBool)(t->known &&
                                 (t->symmetric || (t->reciprocal && el->Nf == 1 && PlexStoredOnlyG3(asm_->form))));
  if (asm_->owner->symmetric == PETSC_BOOL3_TRUE) known->symmetric = PETSC_TRUE;
  known->constant = (PetscBool)(t->known && t->constant && !t->watched && el->affine);
  for (PetscInt q = 0; q < el->Nq; ++q)
    if (el->weights[q] <= 0.) known->constant = PETSC_FALSE;
  known->physical = (PetscBool)(t->known && !t->watched && !(t->reads & (PLEX_READS_THE_POINT | PLEX_READS_VOLUME)));
  known->copies   = t->known && t->alike && el->Nf == 1 ? el->Nc[0] : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredIsCurrent_Private(PlexAssembly asm_, PlexStored s, PetscBool *is)
{
  struct _n_PlexFormTraits t;
  PlexStoredKnown          known;

  PetscFunctionBegin;
  PetscCall(PlexStoredExamine(asm_, &t, &known));
  PetscCall(PlexTraitsReset_Private(&t));
  *is = (PetscBool)((known.symmetric || !s->symmetric) && (known.constant || !s->constant) &&
                    (known.physical || !s->factors) && (known.copies > 1 || s->copies == 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexStoredMake(PlexAssembly asm_, const struct _n_PlexFormTraits *t, const PlexStoredKnown *known,
                                     PlexStored s)
{
  PlexElements el = asm_->elements;
  PetscBool    serves;

  PetscFunctionBegin;
  s->elements  = el;
  s->symmetric = known->symmetric;
  s->constant  = known->constant;
  s->copies    = known->copies;
  for (PetscInt f = 0; f < el->Nf; ++f) s->NC += el->Nc[f];
  PetscCall(PetscMalloc2(s->NC, &s->field, s->NC, &s->component));
  PetscCall(PetscCalloc3(el->Nf, &s->trial, el->Nf, &s->test, el->Nf, &s->table));
  for (PetscInt f = 0, k = 0; f < el->Nf; ++f) {
    for (PetscInt c = 0; c < el->Nc[f]; ++c, ++k) {
      s->field[k]     = f;
      s->component[k] = c;
    }
  }
  PetscCall(PlexStoredChooseNumbers(s, asm_->form, t, known->physical));
  if (s->constant) {
    PetscCall(PlexStoredMakeModes(s, &serves));
    if (!serves) s->constant = PETSC_FALSE;
  }
  s->unit = s->constant ? 1. / el->weights[0] : 1.;
  if (!s->constant) {
    PetscCall(PlexStoredMakePoints(s));
    PetscCall(PlexStoredMakeLines(s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredCreate_Private(PlexAssembly asm_, PlexStored *stored, const char **why)
{
  PlexElements             el = asm_->elements;
  struct _n_PlexFormTraits t;
  PlexStoredKnown          known;
  PlexStored               s;

  PetscFunctionBegin;
  *stored = NULL;
  *why    = NULL;
  if (el->integral.facets) *why = "facets";
  else if (PetscDefined(USE_COMPLEX)) *why = "complex scalars";
  else if (el->vectors) *why = "a basis of vectors";
  else if (el->cohesive) *why = "cohesive cells";
  else if (el->dim != el->cellDim || el->dim < 1 || el->dim > 3) *why = "cells that do not fill space";
  else if (asm_->owner->dummy) *why = "element data without integration";
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&s));
  PetscCall(PlexStoredExamine(asm_, &t, &known));
  PetscCall(PlexStoredMake(asm_, &t, &known, s));
  PetscCall(PlexTraitsReset_Private(&t));
  if (!s->n) {
    *why = "a form without functions";
    PetscCall(PlexStoredDestroy_Private(&s));
  }
  *stored = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredDestroy_Private(PlexStored *stored)
{
  PlexStored s = *stored;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; s->table && f < s->elements->Nf; ++f) PetscCall(PetscFree(s->table[f]));
  PetscCall(PetscFree2(s->field, s->component));
  PetscCall(PetscFree3(s->trial, s->test, s->table));
  PetscCall(PetscFree2(s->row, s->column));
  PetscCall(PetscFree(s->lines));
  PetscCall(PetscFree(s->derivative));
  PetscCall(PetscFree(*stored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multiplications of a component's sums along lines, one way */
static double PlexStoredLineSums(PlexStored s, PetscBool kernels)
{
  const double    N = (double)s->lines->N, Q = (double)s->lines->Q, dim = (double)s->elements->dim;
  const PetscBool gradients = (PetscBool)(((s->trial[0] | s->test[0]) & 2u) != 0);
  const double    values    = ((s->trial[0] | s->test[0]) & 1u) ? 1. : 0.;
  double          sums      = 0.;

  if (kernels && gradients && !s->collocated) { /* cuda/assembly/stored_lines.cu */
    sums = dim > 2. ? 2. * N * N * N * Q + 3. * N * N * Q * Q + (3. + values) * N * Q * Q * Q
                    : 2. * N * N * Q + (2. + values) * N * Q * Q;
  } else {
    if (!s->collocated) sums = dim > 2. ? N * N * N * Q + N * N * Q * Q + N * Q * Q * Q : N * N * Q + N * Q * Q;
    if (gradients) sums += dim * (double)s->elements->Nq * Q;
  }
  return kernels && s->lines->mirror ? 0.5 * sums : sums;
}

/* Jets there and back, 2 Nn of each part, or by lines; C, or D, the other half of a symmetric one too; of factors w |J| and
   gradients there and back */
double PlexStoredFlops_Private(PlexStored s, PetscBool kernels)
{
  PlexElements el      = s->elements;
  double       entries = 0., jets = 0.;

  for (PetscInt k = 0; k < s->n; ++k) entries += s->symmetric && s->row[k] != s->column[k] ? 2. : 1.;
  entries *= (double)s->copies;
  if (s->factors)
    entries += (double)s->NC * (PlexStoredHasGradients_Private(s) ? (double)(1 + el->dim + 2 * el->dim * el->dim) : 1.);
  if (s->lines) return 2. * ((double)s->NC * 2. * PlexStoredLineSums(s, kernels) + (double)el->Nq * entries);
  for (PetscInt k = 0; k < s->NC; ++k) {
    const PetscInt f = s->field[k];

    jets += (double)el->Nn[f] * (double)(PlexHostPartSize_Private((PlexPart)s->trial[f], el->dim) +
                                         PlexHostPartSize_Private((PlexPart)s->test[f], el->dim));
  }
  return 2. * (double)s->Nq * (jets + entries);
}
