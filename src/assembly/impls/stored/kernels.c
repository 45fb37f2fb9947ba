/*
  Stored coefficients on backends with kernels: positions of elements, what is compiled, launches. Kernels of products know
  nothing of pointwise functions, and are the same for all forms that have the same entries.
*/
#include "plan.h"
#include "../../integrate/integrate.h"

#define PLEX_STORED_COMPILED 256 /* dofs times points, most of an element that a thread computes */
#define PLEX_STORED_BLOCK    128 /* threads, about */

/* ---- Layout */

/* Bytes of shared memory of an element without lines; 0: a thread computes it */
static size_t PlexStoredShared(PlexAssembly asm_, PlexStored s)
{
  const PlexElements el   = asm_->elements;
  const size_t       real = PlexAssemblyRealSize(asm_);

  return el->ef * s->Nq <= PLEX_STORED_COMPILED ? 0 : real * (size_t)(el->ef + s->Nq * s->NC * (1 + el->dim));
}

static PetscInt PlexStoredLineThreads(PlexAssembly asm_, PlexStored s, PetscInt elements)
{
  return (elements * s->copies * (asm_->elements->Nq / s->lines->Q) + 31) / 32 * 32;
}

PetscBool PlexStoredFits_Private(PlexAssembly asm_, PlexStored s)
{
  const size_t    most = asm_->backend->limits.sharedPerBlock;
  PlexStoredLines lines;

  if (PlexStoredBlocksServe_Private(asm_, s)) return PETSC_TRUE;
  if (!s->lines) return (PetscBool)(PlexStoredShared(asm_, s) <= most);
  PlexStoredChooseLines_Private(s, asm_->elements->dim, PlexAssemblyRealSize(asm_), most, &lines);
  return (PetscBool)(lines.bytes <= most && PlexStoredLineThreads(asm_, s, lines.elements) <= 1024);
}

static PetscErrorCode PlexStoredChooseLayout(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  const PlexStored   s   = plan->s;
  const PlexElements el  = asm_->elements;
  const size_t       one = s->lines ? 0 : PlexStoredShared(asm_, s), most = asm_->backend->limits.sharedPerBlock;

  PetscFunctionBegin;
  product->team  = 1;
  product->rows  = 1;
  product->work  = 0;
  product->block = PLEX_STORED_BLOCK;
  plan->points   = PlexStoredPoints(s);
  plan->W        = 32;
  plan->shared   = 0;
  if (PlexStoredBlocksServe_Private(asm_, s)) {
    PetscCall(PlexStoredBlocksCreate_Private(asm_, s, &plan->blocks));
    PetscCall(PlexStoredBlocksOrder_Private(el, plan->data, plan->blocks));
    plan->layout = PLEX_STORED_BLOCKS;
    plan->W      = plan->blocks->elements;
    if (asm_->blockSize) product->block = asm_->blockSize;
    plan->points = PlexStoredPadded_Private(asm_, s);
  } else if (s->lines) {
    PlexStoredChooseLines_Private(s, el->dim, PlexAssemblyRealSize(asm_), most, &plan->lines);
    plan->layout   = PLEX_STORED_LINES;
    plan->W        = plan->lines.elements;
    plan->shared   = plan->lines.bytes;
    product->block = PlexStoredLineThreads(asm_, s, plan->W);
  } else if (!one) plan->layout = PLEX_STORED_THREADS;
  else {
    plan->layout = PLEX_STORED_TEAMS;
    plan->W      = 1;
    while (product->block > 32 && one * (size_t)(product->block / 32) > most / 2) product->block -= 32;
    plan->shared = one * (size_t)(product->block / 32);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* place[ef]: an element's dofs in the order of the layout */
static void PlexStoredPlaces(PlexStoredPlan *plan, int place[])
{
  const PlexStored   s  = plan->s;
  const PlexElements el = s->elements;

  for (PetscInt i = 0; i < el->ef; ++i) place[i] = (int)i;
  for (PetscInt k = 0; s->lines && k < el->Nn[0]; ++k)
    for (PetscInt c = 0; c < s->NC; ++c) place[s->lines->dof[k] * s->NC + c] = (int)(k * s->NC + c);
}

/* Which numbers of D[JT][JU], as kernels have it, entry k of C is, and its mirror image: -1 where there is none */
static void PlexStoredFrom(PlexAssembly asm_, PlexStoredPlan *plan, int from[])
{
  const PlexStored s   = plan->s;
  const PetscInt   dim = asm_->elements->dim;
  PlexJets         jets;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  for (PetscInt mirror = 0; mirror < 2; ++mirror) {
    for (PetscInt k = 0; k < s->n; ++k) {
      const PetscInt  row = mirror ? s->column[k] : s->row[k], column = mirror ? s->row[k] : s->column[k];
      const PetscInt  a = row % (1 + dim), b = column % (1 + dim), KT = jets.testValue + dim * jets.testGrad,
                      KU  = jets.trialValue + dim * jets.trialGrad;
      const PetscBool has = (PetscBool)((a ? jets.testGrad : jets.testValue) &&
                                        (b ? jets.trialGrad : jets.trialValue) && (!mirror || s->symmetric));

      from[mirror * s->n + k] = has ? (int)((row / (1 + dim) * KT + a - 1 + jets.testValue) * s->NC * KU +
                                            column / (1 + dim) * KU + b - 1 + jets.trialValue)
                                    : -1;
    }
  }
}

/* Runs of elements, one or a colour each, as element_atomic and element_color have them; cells and dofs by position */
static PetscErrorCode PlexStoredMakePositions(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan,
                                              const int place[])
{
  const PlexElements el = asm_->elements;
  const PetscInt     ef = el->ef, W = plan->W;
  const PetscBool    atomic = PlexAssemblyFlag(asm_);
  PetscInt          *start;
  const int         *order    = plan->blocks ? plan->blocks->order : NULL;
  int               *coloured = NULL, *cells, *dofs, *targets = NULL;

  PetscFunctionBegin;
  plan->runs = 1;
  if (atomic) {
    PetscCall(PetscMalloc1(2, &start));
    start[0] = 0;
    start[1] = el->Ne;
  } else {
    PetscCall(PlexColorElements(el->Ne, ef, el->dofs, el->Nl, &plan->runs, &start, &coloured));
    order = coloured;
  }
  PetscCall(PetscMalloc2(plan->runs, &plan->first, plan->runs, &plan->n));
  plan->positions = 0;
  for (PetscInt r = 0; r < plan->runs; ++r) {
    plan->first[r] = plan->positions;
    plan->n[r]     = start[r + 1] - start[r];
    plan->positions += (plan->n[r] + W - 1) / W * W;
  }
  PetscCall(PetscMalloc2((size_t)plan->positions * (el->Nv + 1), &cells, (size_t)plan->positions * ef, &dofs));
  if (plan->global && !plan->blocks) PetscCall(PetscMalloc1((size_t)plan->positions * ef, &targets));
  for (PetscInt r = 0; r < plan->runs; ++r) {
    for (PetscInt k = 0; k < (plan->n[r] + W - 1) / W * W; ++k) {
      const PetscInt p = plan->first[r] + k, e = k >= plan->n[r] ? -1 : order ? order[start[r] + k] : start[r] + k;
      int           *cell = &cells[(size_t)p * (el->Nv + 1)];

      for (PetscInt m = 0; m < el->Nv; ++m) cell[m] = e < 0 ? -1 : el->vertices[(size_t)e * el->Nv + m];
      cell[el->Nv] = (int)e;
      for (PetscInt i = 0; i < ef; ++i) {
        const size_t at = plan->layout == PLEX_STORED_THREADS ? ((size_t)(p / 32) * ef + place[i]) * 32 + p % 32
                                                              : (size_t)p * ef + place[i];

        dofs[at] = e < 0 ? -1 : el->dofs[(size_t)e * ef + i];
        if (targets) targets[at] = e < 0 ? -1 : plan->global[(size_t)e * ef + i];
      }
    }
  }
  PetscCall(PlexProductUpload(asm_, product, cells, sizeof(int) * plan->positions * (el->Nv + 1), &plan->args.cells));
  PetscCall(PlexProductUpload(asm_, product, dofs, sizeof(int) * plan->positions * ef, &plan->args.dofs));
  if (targets)
    PetscCall(PlexProductUpload(asm_, product, targets, sizeof(int) * plan->positions * ef, &plan->args.targets));
  PetscCall(PetscFree(targets));
  PetscCall(PetscFree2(cells, dofs));
  PetscCall(PetscFree(coloured));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Text */

void PlexStoredWriteFunction_Private(FILE *out, const char name[], PetscInt n, const PetscInt values[])
{
  fprintf(out, "static __device__ __forceinline__ constexpr int plex_stored_%s(int k) { (void)k; return ", name);
  for (PetscInt k = 0; k < n - 1; ++k) fprintf(out, "k == %d ? %d : ", (int)k, (int)values[k]);
  fprintf(out, "%d; }\n", (int)values[n - 1]);
}

static void PlexStoredWriteInts(FILE *out, const char name[], PetscInt n, const PetscInt values[])
{
  fprintf(out, "static __device__ constexpr int plex_stored_%s[] = {", name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "%d, ", (int)values[k]);
  fprintf(out, "};\n");
}

static void PlexStoredWriteReals(FILE *out, const char where[], const char name[], PetscInt n, const PetscReal values[])
{
  fprintf(out, "static %s plex_real plex_stored_%s[] = {", where, name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)values[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "};\n");
}

/* A table [N][Q] of a line, for instructions that read it from the constant bank; of one that is the same from its other end
   even and odd half, [(N + 1) / 2][(Q + 1) / 2] each */
static void PlexStoredWriteLine(FILE *out, const char name[], const PlexLineTables *t, const PetscReal table[])
{
  const PetscInt N = t->N, Q = t->Q;
  PetscReal      half[PLEX_LINES_MOST_TABLE];
  PetscInt       n = 0;

  for (PetscInt odd = 0; odd < 2; ++odd)
    for (PetscInt k = 0; k < (N + 1) / 2; ++k)
      for (PetscInt q = 0; q < (Q + 1) / 2; ++q)
        half[n++] = 0.5 * (table[k * Q + q] + (odd ? -1. : 1.) * table[(N - 1 - k) * Q + q]);
  fprintf(out, "#if defined(PLEX_EMULATE)\n#define PLEX_STORED_BANK const\n#else\n#define PLEX_STORED_BANK "
               "__constant__\n#endif\n");
  PlexStoredWriteReals(out, "PLEX_STORED_BANK", name, t->mirror ? n : N * Q, t->mirror ? half : table);
}

/* Numbers of the tables before a field's */
static PetscInt PlexStoredTableOf(PlexStored s, PetscInt f)
{
  PetscInt n = 0;

  for (PetscInt k = 0; k < f; ++k) n += s->Nq * (1 + s->elements->dim) * s->elements->Nn[k];
  return n;
}

/* Nodes, first dof, dofs from one node to the next, table and parts of each component */
static PetscErrorCode PlexStoredWriteComponents(PlexAssembly asm_, PlexStored s, FILE *out)
{
  const PlexElements el        = s->elements;
  const PetscBool    transpose = (PetscBool)(asm_->form->action == PLEX_ACTION_TRANSPOSE);
  const char *const  names[]   = {"nodes", "first", "stride", "table", "in", "back"};
  PetscInt          *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->NC, &values));
  for (int what = 0; what < 6; ++what) {
    for (PetscInt k = 0; k < s->NC; ++k) {
      const PetscInt f = s->field[k], all[] = {el->Nn[f],
                                               el->offset[f] + s->component[k],
                                               el->Nc[f],
                                               PlexStoredTableOf(s, f),
                                               (PetscInt)(transpose ? s->test : s->trial)[f],
                                               (PetscInt)(transpose ? s->trial : s->test)[f]};

      values[k] = all[what];
    }
    PlexStoredWriteFunction_Private(out, names[what], s->NC, values);
  }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *PlexStoredSource(const PlexStoredPlan *plan)
{
  return plan->blocks ? "stored_blocks.cu" : plan->s->lines ? "stored_lines.cu" : "stored_apply.cu";
}

static PetscErrorCode PlexStoredWrite(PlexAssembly asm_, const PlexProduct *product, PlexStoredPlan *plan, FILE *out)
{
  const PlexStored   s  = plan->s;
  const PlexElements el = s->elements;
  PetscReal         *tables;
  PetscInt           n = 0;

  PetscFunctionBegin;
  fprintf(out,
          "#define PLEX_DIM %d\n#define PLEX_NC %d\n#define PLEX_EF %d\n#define PLEX_NQ %d\n#define PLEX_TEAM %d\n"
          "#define PLEX_BLOCK %d\n#define PLEX_SINGLE %d\n#define PLEX_TENSOR 0\n#define PLEX_MOST_COMPILED 0\n",
          (int)el->dim, (int)(s->lines ? s->NC / s->copies : s->NC), (int)el->ef, (int)s->Nq,
          plan->layout == PLEX_STORED_TEAMS ? 32 : 1, (int)product->block,
          asm_->owner->precision == PLEX_PRECISION_SINGLE);
  fprintf(out,
          "#define PLEX_STORED_COPIES %d\n#define PLEX_STORED_GLOBAL %d\n#define PLEX_STORED_N %d\n#define "
          "PLEX_STORED_NUMBERS %d\n#define PLEX_STORED_FACTORS %d\n#define PLEX_STORED_POINTS %d\n#define "
          "PLEX_SYMMETRIC %d\n#define PLEX_TRANSPOSED %d\n#define PLEX_ATOMIC %d\n",
          (int)s->copies, plan->global != NULL, (int)s->n, (int)s->numbers, (int)s->factors, (int)PlexStoredPoints(s),
          (int)s->symmetric, !s->symmetric && asm_->form->action == PLEX_ACTION_TRANSPOSE, /* one kernel for both */

          (int)PlexAssemblyFlag(asm_));
  if (s->lines)
    fprintf(out,
            "#define PLEX_STORED_ELEMENTS %d\n#define PLEX_STORED_NODES %d\n#define PLEX_STORED_LINE %d\n#define "
            "PLEX_STORED_SLAB %d\n#define PLEX_STORED_COLLOCATED %d\n#define PLEX_STORED_MIRROR %d\n#define "
            "PLEX_STORED_ROW %d\n#define PLEX_STORED_PLANE %d\n#define PLEX_STORED_TEAM %d\n",
            (int)plan->W, (int)s->lines->N, (int)s->lines->Q, (int)(el->Nq / s->lines->Q), (int)s->collocated,
            (int)s->lines->mirror, (int)plan->lines.row, (int)plan->lines.plane, (int)plan->lines.team);
  fprintf(out, "#include \"plex.cuh\"\n");
  PlexStoredWriteInts(out, "row", s->n, s->row);
  PlexStoredWriteInts(out, "column", s->n, s->column);
  PetscCall(PlexStoredWriteComponents(asm_, s, out));
  if (plan->blocks) PetscCall(PlexStoredBlocksWrite_Private(plan, out));
  else if (s->lines) {
    PlexStoredWriteLine(out, "B", s->lines, s->lines->B);
    PlexStoredWriteLine(out, "G", s->lines, s->lines->D);
  } else if (plan->layout == PLEX_STORED_THREADS) {
    PetscCall(PetscMalloc1(PlexStoredTableOf(s, el->Nf), &tables));
    for (PetscInt f = 0; f < el->Nf; ++f)
      for (PetscInt k = 0; k < s->Nq * (1 + el->dim) * el->Nn[f]; ++k) tables[n++] = s->table[f][k];
    PlexStoredWriteReals(out, "__device__ constexpr", "tables", n, tables);
    PetscCall(PetscFree(tables));
  }
  fprintf(out, "#include \"assembly/%s\"\n", PlexStoredSource(plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place, in the precision of the element data: what is read is behind what is written */
static void PlexStoredToReals(PlexAssembly asm_, PetscInt n, double numbers[])
{
  for (PetscInt k = 0; asm_->owner->precision == PLEX_PRECISION_SINGLE && k < n; ++k) {
    const float number = (float)numbers[k];

    memcpy((char *)numbers + sizeof(float) * (size_t)k, &number, sizeof(float));
  }
}

PetscErrorCode PlexStoredUploadReals_Private(PlexAssembly asm_, PlexProduct *product, PetscInt n, double numbers[],
                                             const void **device)
{
  PetscFunctionBegin;
  PlexStoredToReals(asm_, n, numbers);
  PetscCall(PlexProductUpload(asm_, product, numbers, PlexAssemblyRealSize(asm_) * n, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables that warps read, by points and by nodes */
static PetscErrorCode PlexStoredUploadTables(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  const PlexStored   s     = plan->s;
  const PlexElements el    = s->elements;
  const PetscInt     parts = 1 + el->dim, n = 2 * PlexStoredTableOf(s, el->Nf);
  double            *numbers;
  PetscInt           at = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &numbers));
  for (PetscInt f = 0; f < el->Nf; ++f) {
    const PetscInt Nn = el->Nn[f];

    for (PetscInt a = 0; a < parts; ++a)
      for (PetscInt k = 0; k < Nn; ++k)
        for (PetscInt q = 0; q < s->Nq; ++q) numbers[at++] = (double)s->table[f][(q * parts + a) * Nn + k];
    for (PetscInt k = 0; k < s->Nq * parts * Nn; ++k) numbers[at++] = (double)s->table[f][k];
  }
  PetscCall(PlexStoredUploadReals_Private(asm_, product, n, numbers, &plan->args.tables));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexStoredCompile(PlexAssembly asm_, PlexProduct *product, PlexStoredPlan *plan)
{
  const PlexAction action  = asm_->form->action;
  const PlexSize   sizes[] = {
    {"PLEX_STORED_LAYOUT", plan->layout},
    {"PLEX_STORED_POINTS", PlexStoredPoints(plan->s)},
    {"PLEX_STORED_N", plan->s->n},
    {"PLEX_STORED_NUMBERS", plan->s->numbers},
    {"PLEX_STORED_FACTORS", plan->s->factors},
    {"PLEX_STORED_ELEMENTS", plan->blocks ? 16 : plan->W},
    {"PLEX_STORED_SLAB", plan->blocks     ? PetscMin(4, plan->points)
                         : plan->s->lines ? asm_->elements->Nq / plan->s->lines->Q
                                          : asm_->elements->Nq}
  };
  const PetscInt block = product->block;
  char          *text  = NULL;
  size_t         size  = 0;
  FILE          *out;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  /* D_q is what the diagonal is made of */
  asm_->form->action = PLEX_ACTION_DIAGONAL;
  product->block     = PLEX_STORED_BLOCK;
  ierr = PlexAssemblyCompileSizes(asm_, product, "stored_coefficients.cu", PETSC_STATIC_ARRAY_LENGTH(sizes), sizes);
  product->block     = block;
  asm_->form->action = action;
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(product->module, "plex_store", &plan->store));
  if (plan->s->factors) PetscCall(PlexModuleGetKernel(product->module, "plex_physical", &plan->physical));
  out = open_memstream(&text, &size);
  PetscCheck(out, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's source");
  ierr = PlexStoredWrite(asm_, product, plan, out);
  if (fclose(out) && !ierr) ierr = PETSC_ERR_MEM;
  if (!ierr) ierr = PlexBackendCompile(asm_->backend, PlexStoredSource(plan), 0, NULL, text, &plan->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(plan->module, "plex_apply", &plan->apply));
  if (plan->blocks) PetscCall(PlexStoredBlocksChooseGrid_Private(asm_, product, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The plan */

PetscErrorCode PlexStoredSetUpKernels_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexStoredPlan    *plan = (PlexStoredPlan *)product->plan;
  const PlexStored   s    = plan->s;
  const PlexElements el   = asm_->elements;
  int               *place, *from, *point;

  PetscFunctionBegin;
  PetscCall(PlexStoredChooseLayout(asm_, product, plan));
  PetscCall(PetscMalloc3(el->ef, &place, 2 * s->n, &from, el->Nq, &point));
  PlexStoredPlaces(plan, place);
  PlexStoredFrom(asm_, plan, from);
  for (PetscInt q = 0; q < el->Nq; ++q) {
    /* a thread has a line along the last coordinate, which is the slowest here */
    if (s->lines) point[s->lines->point[q]] = (int)(q % s->lines->Q * (el->Nq / s->lines->Q) + q / s->lines->Q);
    else point[q] = (int)q;
  }
  PetscCall(PlexProductUpload(asm_, product, place, sizeof(int) * el->ef, &plan->args.place));
  PetscCall(PlexProductUpload(asm_, product, from, sizeof(int) * 2 * s->n, &plan->args.from));
  PetscCall(PlexProductUpload(asm_, product, point, sizeof(int) * el->Nq, &plan->args.point));
  PetscCall(PlexStoredMakePositions(asm_, product, plan, place));
  PetscCall(PetscFree3(place, from, point));
  if (plan->layout == PLEX_STORED_TEAMS) PetscCall(PlexStoredUploadTables(asm_, product, plan));
  if (plan->blocks) {
    PetscCall(PlexStoredBlocksUpload_Private(asm_, product, plan));
    PetscCall(PlexStoredBlocksChooseThreads_Private(asm_, product, plan));
  }
  plan->args.factor = (double)s->unit * (s->symmetric && !s->factors ? 0.5 : 1.0);
  PetscCall(PlexStoredCompile(asm_, product, plan));
  plan->data->bytes = (double)PlexAssemblyRealSize(asm_) * (double)plan->positions * (double)plan->points *
                      (double)s->numbers;
  if (s->factors)
    PetscCall(PlexMemoryAllocate(asm_->backend, &product->memory, sizeof(double) * s->n, (void **)&plan->D));
  if (!plan->data->C) PetscCall(PlexBackendMalloc(asm_->backend, (size_t)plan->data->bytes, &plan->data->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredResetKernels_Private(PlexStoredPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(PlexModuleDestroy(&plan->module));
  PetscCall(PetscFree2(plan->first, plan->n));
  PetscCall(PlexStoredBlocksDestroy_Private(plan->s, &plan->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D of factors, to the host, which gives it to each product */
static PetscErrorCode PlexStoredGetPhysical(PlexAssembly asm_, PlexStoredPlan *plan, const PlexArgs *args)
{
  const PlexStored s           = plan->s;
  PlexStoredArgs   stored      = plan->args;
  void            *arguments[] = {(void *)args, &stored, &plan->D};
  double          *D;

  PetscFunctionBegin;
  stored.factor = s->symmetric ? 0.5 : 1.;
  PetscCall(PlexKernelLaunch(plan->physical, 1, 1, 0, arguments));
  PetscCall(PetscMalloc1(s->n, &D));
  PetscCall(PlexBackendCopyOut(asm_->backend, D, plan->D, sizeof(double) * s->n));
  PlexStoredToReals(asm_, s->n, D);
  PetscCall(PetscMemcpy(plan->data->physical, D, PlexAssemblyRealSize(asm_) * s->n));
  PetscCall(PetscFree(D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredStoreKernels_Private(PlexAssembly asm_, PlexProduct *product, const PlexArgs *args)
{
  PlexStoredPlan  *plan        = (PlexStoredPlan *)product->plan;
  PlexStoredArgs   stored      = plan->args;
  const PetscInt64 threads     = (PetscInt64)plan->positions * plan->points;
  int              positions   = (int)plan->positions;
  void            *arguments[] = {(void *)args, &stored, &positions};

  PetscFunctionBegin;
  if (plan->s->factors) PetscCall(PlexStoredGetPhysical(asm_, plan, args));
  stored.C = plan->data->C;
  PetscCall(PlexKernelLaunch(plan->store, (PetscInt)((threads + PLEX_STORED_BLOCK - 1) / PLEX_STORED_BLOCK),
                             PLEX_STORED_BLOCK, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredApplyKernels_Private(PlexProduct *product, const PlexArgs *args)
{
  PlexStoredPlan *plan   = (PlexStoredPlan *)product->plan;
  PlexStoredArgs  stored = plan->args;
  const PetscInt  each   = plan->layout == PLEX_STORED_LINES || plan->blocks ? plan->W
                         : plan->layout == PLEX_STORED_TEAMS                 ? product->block / 32
                                                                             : product->block;

  PetscFunctionBegin;
  stored.C = plan->data->C;
  stored.v = args->v;
  if (!plan->direct) stored.targets = stored.dofs;
  if (plan->blocks) stored.rows = plan->direct ? plan->blocks->targets : plan->blocks->rows;
  stored.F    = args->F;
  stored.zero = plan->zero;
  for (PetscInt r = 0; r < plan->runs; ++r) {
    int   first = (int)plan->first[r], n = (int)plan->n[r];
    void *arguments[] = {&stored, &first, &n, plan->data->physical};

    if (n)
      PetscCall(PlexKernelLaunch(plan->apply, plan->blocks ? plan->blocks->grid : (n + each - 1) / each, product->block,
                                 plan->shared, arguments));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
