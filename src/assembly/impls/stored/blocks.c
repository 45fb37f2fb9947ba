/*
  Stored coefficients by blocks of elements on tensor cores (cuda/assembly/stored_blocks.cu): which elements are taken so,
  even and odd halves of their tables, and the text that a kernel has of them. blocklists.c has what is of the mesh.

  A simplex is its own image when its first two coordinates x and y are exchanged. Nodes are then in pairs, or on the plane
  between; for v of pairs n, n' with e = v_n + v_n' and o = v_n - v_n' a column T_n v_n + T_n' v_n' is

    (T_n + T_n') / 2 e + (T_n - T_n') / 2 o,

  and with (D_x + D_y) / 2, (D_x - D_y) / 2 for D_x, D_y all columns are even or odd functions, which are orthogonal: modes
  are chosen of each kind, and a table's blocks of one kind by the other are zero. That it is so is what is looked at here.
*/
#include "plan.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h"

#define PLEX_BLOCKS_LEAST_DOFS 10  /* of an element; of smaller ones a thread has it all, unless blocks have a size */
#define PLEX_BLOCKS_NUMBERS    100 /* doubles that a thread has in registers, most */
#define PLEX_BLOCKS_KEPT       32  /* of a component's dofs and sums, most where a multiprocessor has 16 warps */
#define PLEX_BLOCKS_SPLIT  1e-13 /* of two modes, one even and one odd: most of their product; what a column may lack */
#define PLEX_BLOCKS_STAGED 48    /* numbers of an element's C in shared memory, most */
#define PLEX_BLOCKS_SUMS   16000 /* bytes for element vectors of a block of 128, most */
#define PLEX_BLOCKS_FOURS(n)  (((n) + 3) / 4)
#define PLEX_BLOCKS_EIGHTS(n) (((n) + 7) / 8)
#define PLEX_BLOCKS_EVEN(n)   (((n) + 1) / 2 * 2)

/* ---- Which elements */

/* Numbers of an element's C that a block has in shared memory, or 0 */
static PetscInt PlexBlocksStaged(PlexStored s)
{
  return s->constant && s->numbers <= PLEX_BLOCKS_STAGED ? s->numbers : 0;
}

/* Doubles of a thread, with dofs in registers or without */
static PetscInt PlexBlocksNumbers(PlexStored s, PetscBool keep)
{
  const PlexElements el = s->elements;
  PetscInt           n  = 2 * s->NC * (1 + el->dim);

  for (PetscInt k = 0; k < s->NC; ++k) {
    const PetscInt Nn = el->Nn[s->field[k]];

    n += (keep ? 2 * PLEX_BLOCKS_FOURS(Nn) : 0) + 4 * PLEX_BLOCKS_EIGHTS(Nn);
  }
  return n;
}

static PetscInt PlexBlocksMostStride(PlexStored s)
{
  PetscInt n = 8;

  for (PetscInt k = 0; k < s->NC; ++k) n += s->elements->Nn[s->field[k]] + 2;
  return n;
}

/* Bytes of shared memory of an element that shares no dof, about: its vector and C, v and rows twice, lists and words */
static size_t PlexBlocksShared(PlexAssembly asm_, PlexStored s, PetscInt stride)
{
  /* words are of fours of sums and of differences of each component, rounded up: most of all more of P1 */
  return PlexAssemblyRealSize(asm_) * (size_t)(stride + PlexBlocksStaged(s)) + 29 * (size_t)asm_->elements->ef +
         8 * (size_t)s->NC;
}

PetscBool PlexStoredBlocksServe_Private(PlexAssembly asm_, PlexStored s)
{
  const PlexElements el  = asm_->elements;
  const size_t       one = PlexBlocksShared(asm_, s, PlexBlocksMostStride(s));

  return (PetscBool)(!s->lines && PlexAssemblyFlag(asm_) &&
                     (el->ef >= PLEX_BLOCKS_LEAST_DOFS || asm_->partitionSize > 0) &&
                     PlexBackendHasUnits(asm_->backend) && PlexBlocksNumbers(s, PETSC_FALSE) <= PLEX_BLOCKS_NUMBERS &&
                     16 * one + 4096 <= asm_->backend->limits.sharedPerBlock);
}

/* ---- Sums and differences */

/* Nodes in the order of a pair's first ones, those without, second ones; columns[0] sums, columns[1] differences, or 0 */
static PetscErrorCode PlexBlocksPairNodes(PlexElements el, PetscInt f, PetscInt columns[2], PetscInt node[])
{
  const PetscInt Nn = el->Nn[f], dim = el->dim;
  PetscInt      *image, pairs = 0, alone = 0;
  PetscReal     *xi;
  PetscFE        fe;
  PetscDualSpace dual;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Nn, &image, Nn * dim, &xi));
  PetscCall(PetscDSGetDiscretization(el->ds, f, (PetscObject *)&fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  for (PetscInt n = 0; n < Nn; ++n) PetscCall(PlexDualSpaceGetNode(dual, n * el->Nc[f], dim, &xi[n * dim]));
  columns[0] = 0;
  for (PetscInt n = 0; n < Nn; ++n) {
    image[n] = -1;
    for (PetscInt m = 0; m < Nn; ++m) {
      PetscReal distance = 0.;

      for (PetscInt d = 0; d < dim; ++d)
        distance = PetscMax(distance, PetscAbsReal(xi[n * dim + d] - xi[m * dim + (d < 2 ? 1 - d : d)]));
      if (distance < 1e-8) image[n] = m;
    }
    if (image[n] < 0 || (image[n] < n && image[image[n]] != n)) goto done;
    pairs += image[n] > n;
    alone += image[n] == n;
  }
  if (2 * pairs + alone != Nn) goto done;
  columns[0] = pairs + alone;
  columns[1] = pairs;
  for (PetscInt n = 0, k = 0, l = pairs; n < Nn; ++n) {
    if (image[n] == n) node[l++] = n;
    if (image[n] <= n) continue;
    node[pairs + alone + k] = image[n];
    node[k++]               = n;
  }
done:
  PetscCall(PetscFree2(image, xi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Part a of node n at mode m, derivatives by x and y as half sum and half difference */
static PetscReal PlexBlocksPart(PlexStored s, PetscInt f, PetscInt m, PetscInt a, PetscInt n)
{
  const PetscInt   Nn = s->elements->Nn[f], parts = 1 + s->elements->dim;
  const PetscReal *T = &s->table[f][m * parts * Nn + n];

  if (a == 1) return 0.5 * (T[Nn] + T[2 * Nn]);
  if (a == 2) return 0.5 * (T[Nn] - T[2 * Nn]);
  return T[a * Nn];
}

/* column[Nq]: part a of sum or difference j of field f */
static void PlexBlocksColumn(PlexStored s, const PlexStoredBlocks *b, PetscInt f, PetscInt source, PetscInt a,
                             PetscInt j, PetscReal column[])
{
  const PetscInt *node = b->node[f], *columns = &b->columns[2 * f];

  for (PetscInt m = 0; m < s->Nq; ++m) {
    const PetscReal x = PlexBlocksPart(s, f, m, a, node[j]);

    column[m] = x;
    if (j >= columns[1]) continue;
    column[m] = 0.5 * x + (source ? -0.5 : 0.5) * PlexBlocksPart(s, f, m, a, node[columns[0] + j]);
  }
}

static PetscBool PlexBlocksHasPart(PlexStored s, PetscInt f, PetscInt a)
{
  return (PetscBool)(((s->trial[f] | s->test[f]) & (a ? 2u : 1u)) != 0);
}

/* Whether column[Nq], x[Nq] for work, is a sum of n modes, but for rounding */
static PetscBool PlexBlocksSpan(PetscInt Nq, const PetscReal column[], PetscInt n, const PetscReal modes[],
                                PetscReal x[])
{
  PetscReal size = 1.;

  for (PetscInt q = 0; q < Nq; ++q) {
    x[q] = column[q];
    size = PetscMax(size, PetscAbsReal(column[q]));
  }
  for (PetscInt m = 0; m < n; ++m) {
    PetscReal sum = 0.;

    for (PetscInt q = 0; q < Nq; ++q) sum += modes[m * Nq + q] * column[q];
    for (PetscInt q = 0; q < Nq; ++q) x[q] -= sum * modes[m * Nq + q];
  }
  for (PetscInt q = 0; q < Nq; ++q)
    if (!(PetscAbsReal(x[q]) <= PLEX_BLOCKS_SPLIT * size)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* modes[Nq][Nq]: even ones, then odd ones; *n[2] of them, of which all together are Nq where the element can be split */
static PetscErrorCode PlexBlocksMakeModes(PlexStored s, const PlexStoredBlocks *b, PetscReal modes[], PetscInt n[2])
{
  const PetscInt Nq = s->Nq;
  PetscReal     *own, *column, *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(Nq * Nq, &own, Nq, &column, Nq, &x));
  n[0] = n[1] = 0;
  for (PetscInt odd = 0; odd < 2; ++odd) {
    for (PetscInt f = 0; f < s->elements->Nf; ++f)
      for (PetscInt source = 0; source < 2; ++source)
        for (PetscInt j = 0; j < b->columns[2 * f + source]; ++j)
          for (PetscInt a = 0; a <= s->elements->dim; ++a) {
            if (!PlexBlocksHasPart(s, f, a) || ((a == 2) ^ source) != odd) continue;
            PlexBlocksColumn(s, b, f, source, a, j, column);
            PlexModeAdd_Private(Nq, column, 1., x, own, &n[odd]);
          }
    if (n[0] + n[1] > Nq) break;
    PetscCall(PetscArraycpy(&modes[odd * n[0] * Nq], own, n[odd] * Nq));
  }
  for (PetscInt k = 0; n[0] + n[1] == Nq && k < n[0]; ++k)
    for (PetscInt l = n[0]; l < Nq; ++l) {
      PetscReal sum = 0.;

      for (PetscInt m = 0; m < Nq; ++m) sum += modes[k * Nq + m] * modes[l * Nq + m];
      if (!(PetscAbsReal(sum) <= PLEX_BLOCKS_SPLIT)) n[0] = Nq + 1;
    }
  for (PetscInt f = 0; f < s->elements->Nf; ++f)
    for (PetscInt source = 0; source < 2; ++source)
      for (PetscInt j = 0; j < b->columns[2 * f + source]; ++j)
        for (PetscInt a = 0; a <= s->elements->dim && n[0] + n[1] == Nq; ++a) {
          const PetscInt odd = (a == 2) ^ source;

          if (!PlexBlocksHasPart(s, f, a)) continue;
          PlexBlocksColumn(s, b, f, source, a, j, column);
          if (!PlexBlocksSpan(Nq, column, n[odd], &modes[odd * n[0] * Nq], x)) n[0] = Nq + 1;
        }
  PetscCall(PetscFree3(own, column, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of modes of one element's C; *modes[Nq][Nq] then, and to be freed */
static PetscErrorCode PlexBlocksSplit(PlexStored s, PlexStoredBlocks *b, PetscReal **modes)
{
  const PlexElements el  = s->elements;
  PetscBool          can = (PetscBool)(s->constant && el->dim > 1);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < el->Nf && can; ++f) {
    PetscCall(PlexBlocksPairNodes(el, f, &b->columns[2 * f], b->node[f]));
    can = (PetscBool)(b->columns[2 * f] > 0);
  }
  if (can) {
    PetscCall(PetscMalloc1(s->Nq * s->Nq, modes));
    PetscCall(PlexBlocksMakeModes(s, b, *modes, b->modes));
    can = (PetscBool)(b->modes[0] + b->modes[1] == s->Nq);
  }
  b->split = can;
  if (can) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(*modes));
  b->modes[0] = s->Nq;
  b->modes[1] = 0;
  for (PetscInt f = 0; f < el->Nf; ++f) {
    b->columns[2 * f]     = el->Nn[f];
    b->columns[2 * f + 1] = 0;
    for (PetscInt n = 0; n < el->Nn[f]; ++n) b->node[f][n] = n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [modes of groups][1 + dim][columns] of a field's sums or differences, zero of modes that there are not */
static PetscErrorCode PlexBlocksMakeTable(PlexStored s, const PlexStoredBlocks *b, const PetscReal modes[], PetscInt f,
                                          PetscInt source, PetscReal **table)
{
  const PetscInt Nq = s->Nq, parts = 1 + s->elements->dim, n = b->columns[2 * f + source];
  PetscReal     *column;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(PetscMax(1, 4 * (b->groups[0] + b->groups[1]) * parts * n), table));
  PetscCall(PetscMalloc1(Nq, &column));
  for (PetscInt j = 0; j < n; ++j) {
    for (PetscInt a = 0; a < parts; ++a) {
      if (!PlexBlocksHasPart(s, f, a)) continue;
      if (b->split) PlexBlocksColumn(s, b, f, source, a, j, column);
      for (PetscInt m = 0; m < Nq; ++m) {
        const PetscInt odd = m >= b->modes[0], at = odd ? 4 * b->groups[0] + m - b->modes[0] : m;
        PetscReal      sum = 0.;

        if (!b->split) sum = s->table[f][(m * parts + a) * n + j];
        for (PetscInt q = 0; q < Nq && b->split && ((a == 2) ^ source) == odd; ++q)
          sum += modes[m * Nq + q] * column[q];
        (*table)[(at * parts + a) * n + j] = sum;
      }
    }
  }
  PetscCall(PetscFree(column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Sizes */

static PetscErrorCode PlexBlocksSize(PlexAssembly asm_, PlexStored s, PlexStoredBlocks *b)
{
  const size_t   real = PlexAssemblyRealSize(asm_), most = asm_->backend->limits.sharedPerBlock;
  const PetscInt numbers = PlexBlocksNumbers(s, PETSC_TRUE), asked = (asm_->partitionSize + 15) / 16 * 16;
  PetscInt       kept = 0;

  PetscFunctionBegin;
  for (PetscInt odd = 0; odd < 2; ++odd) {
    b->groups[odd] = PLEX_BLOCKS_FOURS(b->modes[odd]);
    b->batch[odd]  = s->NC == 1 && b->groups[odd] && b->groups[odd] % 2 == 0 ? 2 : 1;
  }
  PetscCall(PetscMalloc5(s->NC, &b->even, s->NC, &b->odd, s->NC, &b->at, s->NC, &b->word, s->NC, &b->sum));
  for (PetscInt k = 0; k < s->NC; ++k) {
    b->even[k] = b->columns[2 * s->field[k]];
    b->odd[k]  = b->columns[2 * s->field[k] + 1];
    b->at[k]   = b->stride;
    b->word[k] = b->words;
    b->sum[k]  = b->sums;
    b->stride += PLEX_BLOCKS_EVEN(b->even[k]) + PLEX_BLOCKS_EVEN(b->odd[k]);
    b->words += PLEX_BLOCKS_FOURS(b->even[k]) + PLEX_BLOCKS_FOURS(b->odd[k]);
    b->sums += PLEX_BLOCKS_EIGHTS(b->even[k]) + PLEX_BLOCKS_EIGHTS(b->odd[k]);
  }
  /* lanes next to each other write pairs of numbers of every second element: to all banks of shared memory */
  while (b->stride % 8 != 4) ++b->stride;
  b->elements = 64;
  if (128 * real * (size_t)b->stride <= PLEX_BLOCKS_SUMS) b->elements = 128;
  if (asked > 0) b->elements = asked;
  while (b->elements > 16 && (size_t)b->elements * PlexBlocksShared(asm_, s, b->stride) + 4096 > most)
    b->elements -= 16;
  b->staged = (PetscBool)(PlexBlocksStaged(s) > 0);
  b->blocks = (asm_->elements->Ne + b->elements - 1) / b->elements;
  /* factors of two elements are there too when jets are multiplied */
  b->keep = (PetscBool)(numbers + (s->factors ? 2 * s->numbers : 0) <= PLEX_BLOCKS_NUMBERS);
  for (PetscInt k = 0; k < s->NC; ++k)
    kept = PetscMax(kept, 2 * PLEX_BLOCKS_FOURS(b->even[k]) + 2 * PLEX_BLOCKS_FOURS(b->odd[k]) +
                            4 * PLEX_BLOCKS_EIGHTS(b->even[k]) + 4 * PLEX_BLOCKS_EIGHTS(b->odd[k]));
  b->warps = numbers <= 46 && s->constant && kept <= PLEX_BLOCKS_KEPT ? 16
           : numbers <= 70 ? 12
                           : 8; /* 128, 168, 255 registers a thread: a few words are in local memory */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredBlocksCreate_Private(PlexAssembly asm_, PlexStored s, PlexStoredBlocks **blocks)
{
  const PlexElements el    = asm_->elements;
  PetscReal         *modes = NULL;
  PlexStoredBlocks  *b;

  PetscFunctionBegin;
  PetscCall(PetscNew(blocks));
  b = *blocks;
  PetscCall(PetscCalloc4(2 * el->Nf, &b->columns, el->Nf, &b->node, 2 * el->Nf, &b->table, 8 * el->Nf, &b->start));
  for (PetscInt f = 0; f < el->Nf; ++f) PetscCall(PetscMalloc1(el->Nn[f], &b->node[f]));
  PetscCall(PlexBlocksSplit(s, b, &modes));
  PetscCall(PlexBlocksSize(asm_, s, b));
  for (PetscInt f = 0; f < 2 * el->Nf; ++f) PetscCall(PlexBlocksMakeTable(s, b, modes, f / 2, f % 2, &b->table[f]));
  PetscCall(PetscFree(modes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredBlocksDestroy_Private(PlexStored s, PlexStoredBlocks **blocks)
{
  PlexStoredBlocks *b = *blocks;

  PetscFunctionBegin;
  if (!b) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < s->elements->Nf; ++f) PetscCall(PetscFree(b->node[f]));
  for (PetscInt f = 0; f < 2 * s->elements->Nf; ++f) PetscCall(PetscFree(b->table[f]));
  PetscCall(PetscFree4(b->columns, b->node, b->table, b->start));
  PetscCall(PetscFree5(b->even, b->odd, b->at, b->word, b->sum));
  PetscCall(PetscFree(*blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Right factors, in the order of cuda/assembly/stored_blocks.cu */

/* Jets of a field that come from sums (odd: from differences) in even modes, or the other way round in odd ones */
static PetscInt PlexBlocksParts(const PlexStoredBlocks *b, PetscInt dim, unsigned parts, PetscInt odd, PetscInt which[])
{
  PetscInt n = 0;

  for (PetscInt a = 0; a <= dim; ++a)
    if ((parts & (a ? 2u : 1u)) && (b->split && a == 2) == odd) which[n++] = a;
  return n;
}

typedef struct {
  PlexPrecision precision;
  PetscInt      n; /* numbers */
  double       *numbers;
} PlexFactors;

/* Appends a matrix[rows][columns] for tiles of 8 rows */
static PetscErrorCode PlexFactorsAppend(PlexFactors *factors, PetscInt rows, PetscInt columns, const PetscReal matrix[])
{
  const PetscInt unit = PlexFragmentColumns(factors->precision), tiles = PLEX_BLOCKS_EIGHTS(rows),
                 count = tiles * ((columns + unit - 1) / unit) * (unit == 8 ? 128 : 32);
  PetscReal     *fragments;
  size_t         all;

  PetscFunctionBegin;
  PetscCall(PlexFragmentsCreate(factors->precision, tiles, 1, matrix, rows, columns, &all, &fragments));
  PetscCall(PetscRealloc(sizeof(double) * (size_t)(factors->n + count), &factors->numbers));
  for (PetscInt k = 0; k < count; ++k) factors->numbers[factors->n + k] = (double)fragments[k];
  factors->n += count;
  PetscCall(PetscFree(fragments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of a batch: of jets, whose two columns of a lane are two jets or groups, or of what is summed back */
static PetscErrorCode PlexBlocksAppend(PlexStored s, const PlexStoredBlocks *b, PetscInt f, PetscInt source,
                                       PetscInt odd, PetscInt batch, PetscBool back, unsigned uses,
                                       PlexFactors *factors)
{
  const PetscInt   dim = s->elements->dim, n = b->columns[2 * f + source];
  const PetscReal *table = b->table[2 * f + source];
  PetscInt         which[4], parts = PlexBlocksParts(b, dim, uses, odd ^ source, which), items = parts * b->batch[odd];
  PetscReal       *matrix;

  PetscFunctionBegin;
  if (!items || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1((8 * items + 8) * n, &matrix));
  for (PetscInt i = 0; i < items; ++i) {
    for (PetscInt lane = 0; lane < 4; ++lane) {
      const PetscInt mode = 4 * ((odd ? b->groups[0] : 0) + batch * b->batch[odd] + i / parts) + lane;

      for (PetscInt j = 0; j < n; ++j) {
        const PetscReal value = table[(mode * (1 + dim) + which[i % parts]) * n + j];

        if (back) matrix[j * 4 * items + 4 * i + lane] = value;
        else matrix[(i / 2 * 8 + 2 * lane + i % 2) * n + j] = value;
      }
    }
  }
  if (back) PetscCall(PlexFactorsAppend(factors, n, 4 * items, matrix));
  else PetscCall(PlexFactorsAppend(factors, (items + 1) / 2 * 8, n, matrix));
  PetscCall(PetscFree(matrix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all, and where they start */
static PetscErrorCode PlexBlocksMakeFactors(PlexAssembly asm_, PlexStored s, PlexStoredBlocks *b, PlexFactors *factors)
{
  const PetscBool transpose = (PetscBool)(asm_->form->action == PLEX_ACTION_TRANSPOSE);
  PetscInt        size;

  PetscFunctionBegin;
  factors->precision = asm_->owner->precision;
  size               = PlexFragmentColumns(factors->precision) == 8 ? 128 : 32;
  for (PetscInt f = 0; f < s->elements->Nf; ++f)
    for (PetscInt odd = 0; odd < 2; ++odd)
      for (PetscInt source = 0; source < 2; ++source)
        for (PetscInt back = 0; back < 2; ++back) {
          b->start[((f * 2 + odd) * 2 + source) * 2 + back] = factors->n / size;
          for (PetscInt k = 0; k < b->groups[odd] / b->batch[odd]; ++k)
            PetscCall(PlexBlocksAppend(s, b, f, source, odd, k, (PetscBool)back,
                                       (back ? !transpose : transpose) ? s->test[f] : s->trial[f], factors));
        }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredBlocksUploadTables_Private(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  PlexFactors factors = {.n = 0};

  PetscFunctionBegin;
  PetscCall(PlexBlocksMakeFactors(asm_, plan->s, plan->blocks, &factors));
  PetscCall(PlexStoredUploadReals_Private(asm_, product, factors.n, factors.numbers, &plan->args.tables));
  PetscCall(PetscFree(factors.numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of so many threads that a multiprocessor has at a time, by registers and shared memory, with the system's 1024 bytes */
static PetscInt PlexBlocksResident(PlexAssembly asm_, const PlexStoredPlan *plan, PetscInt threads)
{
  const size_t   room = asm_->backend->limits.sharedPerProcessor;
  const PetscInt most = PetscMax(1, 32 * plan->blocks->warps / threads);

  return room ? PetscMax(1, PetscMin(most, (PetscInt)(room / (plan->shared + 1024)))) : most;
}

/* 128 threads, or a warp for each 16 elements where more warps of a multiprocessor have some then, or fewer have none */
PetscErrorCode PlexStoredBlocksChooseThreads_Private(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  PlexStoredBlocks *b     = plan->blocks;
  const PetscInt    tiles = b->elements / 16, warps = PetscMax(1, product->block / 32),
                    turns = (tiles + warps - 1) / warps;

  PetscFunctionBegin;
  if (!asm_->blockSize && tiles > 1 && tiles <= 8 && 32 * tiles % asm_->backend->limits.warpSize == 0 &&
      PlexBlocksResident(asm_, plan, 32 * tiles) * turns + (tiles < warps) >
        PlexBlocksResident(asm_, plan, product->block))
    product->block = 32 * tiles;
  b->resident = PlexBlocksResident(asm_, plan, product->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of threads that are there at a time, and no fewer: a multiprocessor with one less would compute less. Where there
   are no multiprocessors a few, so that each takes several blocks of elements there too */
PetscErrorCode PlexStoredBlocksChooseGrid_Private(PlexAssembly asm_, const PlexProduct *product, PlexStoredPlan *plan)
{
  PlexStoredBlocks *b    = plan->blocks;
  PetscInt          most = 2, resident;
  PetscReal         occupancy;

  PetscFunctionBegin;
  if (asm_->backend->ops->occupancy) {
    PetscCall(PlexKernelGetOccupancy(plan->apply, product->block, plan->shared, &resident, &occupancy));
    most = PetscMax(1, resident * asm_->backend->limits.multiprocessors);
  }
  b->grid = PetscMax(1, PetscMin(most, b->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Text */

PetscErrorCode PlexStoredBlocksWrite_Private(PlexStoredPlan *plan, FILE *out)
{
  const PlexStored        s = plan->s;
  const PlexStoredBlocks *b = plan->blocks;
  PetscInt               *values;

  PetscFunctionBegin;
  fprintf(out,
          "#define PLEX_STORED_TILES %d\n#define PLEX_STORED_SPLIT %d\n#define PLEX_STORED_BATCH_EVEN %d\n#define "
          "PLEX_STORED_BATCH_ODD %d\n#define PLEX_STORED_BATCHES_EVEN %d\n#define PLEX_STORED_BATCHES_ODD %d\n",
          (int)(b->elements / 16), (int)b->split, (int)b->batch[0], (int)b->batch[1], (int)(b->groups[0] / b->batch[0]),
          (int)(b->groups[1] / b->batch[1]));
  fprintf(out,
          "#define PLEX_STORED_STAGED %d\n#define PLEX_STORED_STRIDE %d\n#define PLEX_STORED_WORDS %d\n#define "
          "PLEX_STORED_SUMS %d\n#define PLEX_STORED_KEEP %d\n#define PLEX_STORED_RESIDENT %d\n",
          (int)b->staged, (int)b->stride, (int)b->words, (int)b->sums, (int)b->keep, (int)b->resident);
  PlexStoredWriteFunction_Private(out, "even", s->NC, b->even);
  PlexStoredWriteFunction_Private(out, "odd", s->NC, b->odd);
  PlexStoredWriteFunction_Private(out, "at", s->NC, b->at);
  PlexStoredWriteFunction_Private(out, "word", s->NC, b->word);
  PlexStoredWriteFunction_Private(out, "sum", s->NC, b->sum);
  PetscCall(PetscMalloc1(4 * s->NC, &values));
  for (PetscInt back = 0; back < 2; ++back) {
    for (PetscInt k = 0; k < 4 * s->NC; ++k) values[k] = b->start[(4 * s->field[k / 4] + k % 4) * 2 + back];
    PlexStoredWriteFunction_Private(out, back ? "fro" : "there", 4 * s->NC, values);
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
