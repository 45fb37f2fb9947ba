/*
  The text that a kernel is compiled behind: sizes as #defines, basis tables, the user's pointwise functions, and the
  list of calls that make up the form. What is written here is read by cuda/plex.cuh and cuda/integrate/quadrature.cuh.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "integrate.h"
#include "lines.h"

void PlexFormGetJets_Private(PlexForm form, PlexProductKind kind, PlexJets *jets)
{
  PetscBool f[2] = {PETSC_FALSE, PETSC_FALSE}, g[4] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

  for (PetscInt fi = 0; fi < form->Nf; ++fi) {
    for (PetscInt k = 0; k < 2; ++k) f[k] = (PetscBool)(f[k] || form->f[k][fi].n);
    for (PetscInt fj = 0; fj < form->Nf; ++fj)
      for (PetscInt k = 0; k < 4; ++k)
        g[k] = (PetscBool)(g[k] || form->g[k][fi * form->Nf + fj].n || form->d[k][fi * form->Nf + fj].n);
  }
  if (kind == PLEX_RESIDUAL && !form->action) {
    jets->testValue  = f[0];
    jets->testGrad   = f[1];
    jets->trialValue = jets->trialGrad = PETSC_FALSE;
  } else {
    jets->testValue  = (PetscBool)(g[0] || g[1]);
    jets->testGrad   = (PetscBool)(g[2] || g[3]);
    jets->trialValue = (PetscBool)(g[0] || g[2]);
    jets->trialGrad  = (PetscBool)(g[1] || g[3]);
  }
  if (form->action == PLEX_ACTION_TRANSPOSE) { /* what multiplies trial functions tests */
    jets->testValue = jets->trialValue;
    jets->testGrad  = jets->trialGrad;
  }
  /* an empty form still has a kernel, which writes zeros */
  if (!jets->testValue && !jets->testGrad) jets->testValue = PETSC_TRUE;
  if (!jets->trialValue && !jets->trialGrad) jets->trialValue = PETSC_TRUE;
}

/* A function f -> values[f] that the device's compiler folds */
static void PlexWriteFieldFunction(FILE *out, const char name[], PetscInt Nf, const PetscInt values[])
{
  fprintf(out, "static __device__ __forceinline__ constexpr int plex_field_%s(int f) { return ", name);
  for (PetscInt f = 0; f < Nf - 1; ++f) fprintf(out, "f == %d ? %d : ", (int)f, (int)values[f]);
  fprintf(out, "%s%d; }\n", Nf > 1 ? "" : "(void)f, ", (int)values[Nf - 1]);
}

/* n offsets and the end, as PetscDSGetComponentOffsets() has them */
static void PlexWriteOffsets(FILE *out, const char name[], PetscInt n, const PetscInt values[], PetscInt end)
{
  fprintf(out, "static __device__ constexpr PetscInt %s[] = {", name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "%d, ", (int)values[k]);
  fprintf(out, "%d};\n", (int)end);
}

/* Tensor integration, and where K of each pair of fields begins in the tables */
static void PlexWriteTensor(PlexTensor tensor, PetscInt first, FILE *out)
{
  fprintf(out, "#define PLEX_TENSOR %d\n", tensor ? 1 : 0);
  if (!tensor) return;
  fprintf(out, "#define PLEX_TENSOR_SYMMETRIC %d\n#define PLEX_NAB %d\n#define PLEX_TABLE_K %d\n", tensor->symmetric,
          (int)tensor->nab, (int)first);
  fprintf(out, "static __device__ __forceinline__ constexpr int plex_tensor_table(int f, int g) { (void)f, (void)g; "
               "return ");
  for (PetscInt fi = 0; fi < tensor->at->Nf; ++fi)
    for (PetscInt fj = 0; fj < tensor->at->Nf; ++fj)
      if (fi || fj)
        fprintf(out, "f == %d && g == %d ? %d : ", (int)fi, (int)fj,
                (int)(first + tensor->offset[fi * tensor->at->Nf + fj]));
  fprintf(out, "%d; }\n", (int)first);
}

/* What a pair of fields' functions k give that is always zero, as far as that is known */
static void PlexWriteZeros(PlexAssembly asm_, const PlexProduct *product, FILE *out)
{
  PlexElements   elements = asm_->elements;
  const PetscInt dim = elements->dim, powers[4] = {1, dim, dim, dim * dim};
  PetscInt       at = 0;

  for (PetscInt fi = 0; fi < elements->Nf; ++fi) {
    for (PetscInt fj = 0; fj < elements->Nf; ++fj) {
      for (PetscInt k = 0; k < 8; ++k) {
        const PetscInt n = elements->Nc[fi] * elements->Nc[fj] * powers[k % 4];

        fprintf(out, "static __device__ constexpr bool plex_zero_%c%d_%d_%d[] = {", k < 4 ? 'g' : 'd', (int)(k % 4),
                (int)fi, (int)fj);
        for (PetscInt i = 0; i < n; ++i, ++at) fprintf(out, "%d,", product->nzero ? (int)product->zero[at] : 0);
        fprintf(out, "};\n");
      }
    }
  }
}

/* How fields are evaluated on cohesive cells: cuda/integrate/cohesive.cuh */
static void PlexWriteCohesive(PlexElements el, FILE *out)
{
  const PlexCohesive c  = el->cohesive;
  const PetscInt     Nf = el->Nf + el->NfAux;

  fprintf(out, "#define PLEX_COHESIVE %d\n#define PLEX_NF_CALLED %d\n", c ? 1 : 0, (int)(c ? c->Nf : el->Nf));
  if (!c) return;
  fprintf(out, "#define PLEX_PLACES %d\n#define PLEX_EVALUATED %d\n#define PLEX_EVALUATION_TABLES %d\n",
          (int)PlexCohesivePlaces(el), (int)c->ei, (int)c->size);
  PlexWriteFieldFunction(out, "evaluated_first", Nf, c->first);
  PlexWriteFieldFunction(out, "evaluated_nodes", Nf, c->nodes);
  PlexWriteFieldFunction(out, "evaluated_table", Nf, c->table);
  PlexWriteFieldFunction(out, "evaluated_row", Nf, c->row);
  PlexWriteFieldFunction(out, "evaluated_frame", Nf, c->frame);
}

/* Components of fields and of their derivatives, as pointwise functions are told; component[f]: first one of all, of
   which Nc are of no auxiliary field */
static void PlexWriteComponents(PlexElements el, PetscInt component[], PetscInt Nc, PetscInt NcAux, FILE *out)
{
  const PlexCohesive c  = el->cohesive;
  const PetscInt     Nf = el->Nf + el->NfAux;

  if (c) {
    PlexWriteOffsets(out, "plex_uOff", c->Nf, c->uOff, c->uOff[c->Nf]);
    PlexWriteOffsets(out, "plex_aOff", el->NfAux, c->aOff, c->aOff[el->NfAux]);
    PlexWriteOffsets(out, "plex_uOff_x", c->Nf, c->uOff_x, c->uOff_x[c->Nf]);
    PlexWriteOffsets(out, "plex_aOff_x", el->NfAux, c->aOff_x, c->aOff_x[el->NfAux]);
    return;
  }
  PlexWriteOffsets(out, "plex_uOff", el->Nf, component, Nc);
  for (PetscInt f = el->Nf; f < Nf; ++f) component[f] -= Nc;
  PlexWriteOffsets(out, "plex_aOff", el->NfAux, &component[el->Nf], NcAux);
  for (PetscInt f = 0; f < Nf; ++f) component[f] *= el->cellDim; /* as PETSc has it on surfaces */
  PlexWriteOffsets(out, "plex_uOff_x", el->Nf, component, Nc * el->cellDim);
  PlexWriteOffsets(out, "plex_aOff_x", el->NfAux, &component[el->Nf], NcAux * el->cellDim);
}

/* Vector spaces: cuda/integrate/vector.cuh. Nothing is said where there are none */
static PetscErrorCode PlexWriteSpaces(PlexElements el, FILE *out)
{
  PetscInt *space, Nf = el->Nf + el->NfAux;

  PetscFunctionBegin;
  if (!el->vectors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(Nf, &space));
  for (PetscInt f = 0; f < Nf; ++f) space[f] = (PetscInt)el->space[f];
  fprintf(out, "#define PLEX_VECTOR 1\n#define PLEX_SIGN_WORDS %d\n", (int)PlexSignWords(el));
  PlexWriteFieldFunction(out, "space", Nf, space);
  PetscCall(PetscFree(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexWriteSizes(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PlexElements elements = PlexProductElements_Private(asm_, product);
  PlexJets     jets;
  PetscInt     Nc = 0, NcAux = 0, tables = 0, Nq = elements->faces * elements->Nq, Nf = elements->Nf + elements->NfAux,
               *first, *component; /* [Nf] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Nf, &first, Nf, &component));
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  for (PetscInt f = 0; f < Nf; ++f) {
    component[f] = Nc + NcAux;
    first[f]     = tables;
    *(f < elements->Nf ? &Nc : &NcAux) += elements->Nc[f];
    tables += 2 * PlexElementsTables(elements, f) * Nq * elements->Nn[f] * (1 + elements->dim);
  }
  fprintf(out,
          "#define PLEX_DIM %d\n#define PLEX_CELL_DIM %d\n#define PLEX_NF %d\n#define PLEX_NC %d\n#define PLEX_EF "
          "%d\n#define PLEX_NV "
          "%d\n#define PLEX_NQ %d\n",
          (int)elements->dim, (int)elements->cellDim, (int)elements->Nf, (int)Nc, (int)elements->ef, (int)elements->Nv,
          asm_->owner->dummy ? 1 : (int)elements->Nq);
  fprintf(out,
          "#define PLEX_NF_AUX %d\n#define PLEX_NC_AUX %d\n#define PLEX_EA %d\n#define PLEX_FACES %d\n#define "
          "PLEX_FACETS %d\n",
          (int)elements->NfAux, (int)NcAux, (int)elements->ea, (int)elements->faces, elements->integral.facets);
  fprintf(out, "#define PLEX_DUMMY %d\n#define PLEX_UNITS %d\n", (int)asm_->owner->dummy,
          product->integrator && product->integrator->warp);
  fprintf(out, "#define PLEX_AFFINE %d\n#define PLEX_SINGLE %d\n#define PLEX_INT64 %d\n", (int)elements->affine,
          asm_->owner->precision == PLEX_PRECISION_SINGLE, (int)PetscDefined(USE_64BIT_INDICES));
  fprintf(out, "#define PLEX_JACOBIAN %d\n#define PLEX_SYMMETRIC %d\n#define PLEX_ND %d\n",
          product->kind == PLEX_JACOBIAN, (int)product->symmetric, (int)product->nd);
  fprintf(out, "#define PLEX_PARALLEL %d\n", product->kind == PLEX_JACOBIAN && asm_->pattern->nnz > asm_->pattern->nA);
  fprintf(out, "#define PLEX_TEAM %d\n#define PLEX_BLOCK %d\n#define PLEX_ROWS %d\n#define PLEX_WORK %zu\n",
          (int)product->team, (int)product->block, (int)product->rows, product->work);
  fprintf(out, "#define PLEX_MOST_COMPILED %d\n", PLEX_MOST_COMPILED);
  fprintf(out,
          "#define PLEX_TEST_VALUE %d\n#define PLEX_TEST_GRAD %d\n#define PLEX_TRIAL_VALUE %d\n#define PLEX_TRIAL_GRAD "
          "%d\n",
          jets.testValue, jets.testGrad, jets.trialValue, jets.trialGrad);
  fprintf(out, "#define PLEX_NCONSTANTS %d\n", (int)asm_->form->numConstants);
  fprintf(out, "#define PLEX_TABLES_COMPILED %d\n#define PLEX_TABLE_COORDINATES %d\n#define PLEX_TABLE_WEIGHTS %d\n",
          PlexTablesCompiled_Private(asm_, product), (int)tables,
          (int)(tables + Nq * elements->Nv * (1 + elements->dim)));
  if (asm_->form->action) fprintf(out, "#define PLEX_ACTION %d\n", (int)asm_->form->action);
  PlexWriteTensor(product->tensor, tables + Nq * elements->Nv * (1 + elements->dim) + Nq, out);
  PlexWriteFieldFunction(out, "components", Nf, elements->Nc);
  PlexWriteFieldFunction(out, "nodes", Nf, elements->Nn);
  PlexWriteFieldFunction(out, "offset", Nf, elements->offset);
  PlexWriteFieldFunction(out, "component", Nf, component);
  PlexWriteFieldFunction(out, "table", Nf, first);
  PlexWriteCohesive(elements, out);
  PetscCall(PlexWriteSpaces(elements, out));
  fprintf(out, "#include \"plex.cuh\"\n#include \"petsc.cuh\"\n");
  PlexWriteComponents(elements, component, Nc, NcAux, out);
  PetscCall(PetscFree2(first, component));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number with 32 bits of zeros in the lower half that is next to another, if rounding is all that is between them,
   or the other */
static PetscReal PlexRoundNumber(PetscReal number, PetscReal rounding)
{
  double     value = (double)number, short_;
  PetscInt64 bits;

  PetscCallAbort(PETSC_COMM_SELF, PetscMemcpy(&bits, &value, sizeof(bits)));
  bits = (bits + 0x80000000LL) & ~0xffffffffLL;
  PetscCallAbort(PETSC_COMM_SELF, PetscMemcpy(&short_, &bits, sizeof(bits)));
  return PetscAbsReal((PetscReal)short_ - number) <= rounding ? (PetscReal)short_ : number;
}

/* K again as indices into the different magnitudes of its numbers, which are in the memory for constants: there they
   are operands, and in the code of others; the fewer the better, as what is near the processor is small. Numbers that
   differ by rounding are one. -1 where the lower half of a number is zero: such a one is an operand itself, and
   replaces the one in K */
static PetscErrorCode PlexWriteNumbers(PetscInt n, PetscReal K[], FILE *out)
{
  PetscReal *numbers, most = 0.; /* [n] */
  PetscInt   m = 0, *index;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &numbers, n, &index));
  for (PetscInt k = 0; k < n; ++k) most = PetscMax(most, PetscAbsReal(K[k]));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscReal rounding = 8. * PETSC_MACHINE_EPSILON * most;
    double          number;
    PetscInt64      bits;
    PetscInt        at = 0;

    K[k]   = PlexRoundNumber(K[k], rounding);
    number = (double)K[k];
    PetscCall(PetscMemcpy(&bits, &number, sizeof(bits)));
    while (at < m && PetscAbsReal(numbers[at] - PetscAbsReal(K[k])) > rounding) ++at;
    if (!(bits & 0xffffffff)) at = -1;
    else if (at == m) numbers[m++] = PetscAbsReal(K[k]);
    index[k] = at;
  }
  fprintf(out, "static __device__ constexpr short plex_number[] = {\n");
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "%d,%s", (int)index[k], k % 32 == 31 ? "\n" : " ");
  fprintf(out, "};\nstatic __constant__ plex_real plex_numbers[] = {\n");
  for (PetscInt k = 0; k < m; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)numbers[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "%s};\n", m ? "" : "0");
  PetscCall(PetscFree2(numbers, index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexWriteTables(PlexAssembly asm_, PlexProduct *product, FILE *out)
{
  PetscReal *tables;
  PetscInt   n;

  PetscFunctionBegin;
  if (!PlexTablesCompiled_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTablesCreate_Private(asm_, product, &n, &tables));
  if (product->tensor) PetscCall(PlexWriteNumbers(product->tensor->n, &tables[n - product->tensor->n], out));
  fprintf(out, "static __device__ constexpr plex_real plex_tables[] = {\n");
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)tables[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "};\n");
  PetscCall(PetscFree(tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wants function n of a key and all that it reaches in the application's source; name: what it is called there */
static PetscErrorCode PlexCheckName(PlexAssembly asm_, const char kind[], PetscInt k, const PlexFunctions *functions,
                                    PetscInt n, PlexExtract extract, char name[256])
{
  const char *symbol = functions->names[n];
  PetscBool   found;

  PetscFunctionBegin;
  PetscCheck(symbol, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONG,
             "A pointwise function %s%" PetscInt_FMT
             " of the PetscDS has no symbol in the running program, which may be stripped: keep its symbols, or use "
             "-plex_assembly_backend host",
             kind, k);
  PetscCheck(extract, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONGSTATE,
             "The pointwise function '%s' (%s%" PetscInt_FMT
             ") has no device source: name the file that defines it with -plex_assembly_source FILE or "
             "PlexAssemblySetPointwiseSource(), or use -plex_assembly_backend host, which needs none",
             symbol, kind, k);
  PetscCall(PlexExtractAddFunction(extract, functions->fn[n], symbol, &found, name, 256));
  PetscCheck(found, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONG,
             "The pointwise function '%s' (%s%" PetscInt_FMT
             ") is not in '%s': name the file that defines it with -plex_assembly_source FILE (several with commas "
             "between), or use -plex_assembly_backend host, which needs none",
             symbol, kind, k, asm_->owner->found ? asm_->owner->found : asm_->owner->source);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One key of the form: f_k of field fi, g_k of fields fi, fj, or with `dynamic` d_k times the shift. A line of
   the macro PLEX_FORM: a zeroed buffer, its functions' calls, and the pull-back with their weight. */
static PetscErrorCode PlexWriteKey(PlexAssembly asm_, FILE *out, PlexProductKind kind, PetscInt k, PetscInt fi,
                                   PetscInt fj, PetscBool dynamic, PlexExtract extract)
{
  PlexElements         elements  = asm_->elements;
  PlexForm             form      = asm_->form;
  const PlexFunctions *functions = kind == PLEX_RESIDUAL ? &form->f[k][fi]
                                 : dynamic               ? &form->d[k][fi * form->Nf + fj]
                                                         : &form->g[k][fi * form->Nf + fj];
  const PetscInt       dim = elements->dim, cI = elements->Nc[fi], cJ = kind == PLEX_JACOBIAN ? elements->Nc[fj] : 1;
  const char *letter = kind == PLEX_JACOBIAN ? "g" : "f", *weight = dynamic ? "s * (plex_real)(args).shift" : "s";
  PetscInt    size, powers[4]                                     = {1, dim, dim, dim * dim};
  char        name[256];

  PetscFunctionBegin;
  if (!functions->n) PetscFunctionReturn(PETSC_SUCCESS);
  size = cI * cJ * powers[k];
  fprintf(out,
          "  { PetscScalar r[%d]; _Pragma(\"unroll\") for (int m = 0; m < %d; ++m) r[m] = 0; "
          "constants[PLEX_NCONSTANTS] = %d; constants[PLEX_NCONSTANTS + 1] = %d; \\\n",
          (int)(size * functions->parts), (int)(size * functions->parts), (int)PlexFormField(form, fi),
          (int)(kind == PLEX_JACOBIAN ? PlexFormField(form, fj) : PETSC_DETERMINE));
  for (PetscInt n = 0; n < functions->n; ++n) {
    PetscCall(PlexCheckName(asm_, letter, k, functions, n, extract, name));
    fprintf(out, "    %s(PLEX_POINT_ARGS(args, p), %s(p).x, %sPLEX_NCONSTANTS, constants, r); \\\n", name,
            kind == PLEX_JACOBIAN ? "(PetscReal)(args).shift, " : "", elements->integral.facets ? "(p).n, " : "");
  }
  if (kind == PLEX_JACOBIAN)
    fprintf(out,
            "    plex_add_g%d<%d, plex_field_component(%d), %d, plex_field_component(%d)>(p, %s, r + %d, "
            "plex_zero_%c%d_%d_%d, out); } \\\n",
            (int)k, (int)cI, (int)fi, (int)cJ, (int)fj, weight, (int)(functions->part * size), dynamic ? 'd' : 'g',
            (int)k, (int)fi, (int)fj);
  else
    fprintf(out, "    plex_add_f%d<%d, plex_field_component(%d)>(p, %s, r + %d, out); } \\\n", (int)k, (int)cI, (int)fi,
            weight, (int)(functions->part * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexWriteForm(PlexAssembly asm_, PlexProductKind kind, PlexExtract extract, FILE *out)
{
  PlexForm form = asm_->form;

  PetscFunctionBegin;
  fprintf(out, "#define PLEX_FORM(args, p, constants, s, out) \\\n");
  for (PetscInt fi = 0; fi < form->Nf; ++fi) {
    if (kind == PLEX_RESIDUAL)
      for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexWriteKey(asm_, out, kind, k, fi, 0, PETSC_FALSE, extract));
    else
      for (PetscInt fj = 0; fj < form->Nf; ++fj)
        for (PetscInt k = 0; k < 4; ++k) {
          PetscCall(PlexWriteKey(asm_, out, kind, k, fi, fj, PETSC_FALSE, extract));
          if (form->d[k][fi * form->Nf + fj].n) fprintf(out, "  if ((args).shift != 0) \\\n");
          PetscCall(PlexWriteKey(asm_, out, kind, k, fi, fj, PETSC_TRUE, extract));
        }
  }
  fprintf(out, "\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Source that cannot be read is an error when a kernel is compiled, not where facts are looked for */
PetscErrorCode PlexAssemblyFindProgram_Private(PlexAssembly asm_)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = PlexAssemblyGetProgram_Private(asm_);
  PetscCall(PetscPopErrorHandler());
  if (ierr) asm_->owner->program = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyGetProgram_Private(PlexAssembly asm_)
{
  const PlexAssembly owner = asm_->owner;
  const char        *files = owner->found;
  PetscBool          later = PETSC_FALSE;

  PetscFunctionBegin;
  if (!files) {
    files = owner->source;
    PetscCall(PetscStrcmp(files, "auto", &later)); /* they are not looked for yet */
  }
  if (asm_->backend->kernels && files && !later && !owner->program)
    PetscCall(PlexProgramCreate(files, ((PetscObject)asm_)->prefix, &owner->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that stands before the form, and the form, whose calls say what the kernel needs of the program's source */
static PetscErrorCode PlexWriteKernel(PlexAssembly asm_, PlexProduct *product, PlexExtract extract, FILE *out,
                                      FILE *form)
{
  const PetscBool       single    = (PetscBool)(asm_->owner->precision == PLEX_PRECISION_SINGLE);
  const PlexProductKind functions = asm_->form->action ? PLEX_JACOBIAN : product->kind;

  PetscFunctionBegin;
  PetscCall(PlexWriteSizes(asm_, product, out));
  PetscCall(PlexWriteTables(asm_, product, out));
  PetscCall(PlexWriteModal_Private(asm_, product, out));
  PetscCall(PlexWriteMoments_Private(asm_, product, out));
  if (product->integrator && product->integrator->write) PetscCall((*product->integrator->write)(asm_, product, out));
  if (product->lines) PetscCall(PlexLineTablesWrite_Private((const PlexLineTables *)product->lines, out));
  if (functions == PLEX_JACOBIAN) PlexWriteZeros(asm_, product, out);
  PetscCall(PlexWriteForm(asm_, functions, extract, form));
  PetscCall(PlexVariablesDestroy(&product->variables));
  if (extract) {
    PetscCall(PlexExtractWrite(extract, single, out));
    PetscCall(PlexExtractGetVariables(extract, single, &product->variables));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The form, and the files behind it, the strategy's last */
static void PlexWriteIncludes(const PlexIntegrator *integrator, const char form[], const char file[], FILE *out)
{
  fprintf(out, "\n#line 1 \"plex_form\"\n%s#include \"integrate/quadrature.cuh\"\n#include \"integrate/nodal.cuh\"\n",
          form);
  if (integrator) fprintf(out, "#include \"%s\"\n", integrator->file);
  if (integrator && !integrator->elements) fprintf(out, "#define plex_element plex_integrator_element\n");
  fprintf(out, "#include \"%s%s\"\n", file[0] == '/' ? "" : "assembly/", file);
}

/* The source of a kernel, which the caller frees, by free() */
static PetscErrorCode PlexGetKernelText(PlexAssembly asm_, PlexProduct *product, const char file[], char **text)
{
  char          *form   = NULL;
  size_t         length = 0, formLength = 0;
  FILE          *out, *calls;
  PlexExtract    extract = NULL;
  PetscErrorCode ierr    = PETSC_ERR_MEM;
  PetscBool      written;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetProgram_Private(asm_));
  if (asm_->owner->program) PetscCall(PlexExtractCreate(asm_->owner->program, &extract));
  *text = NULL;
  out   = open_memstream(text, &length);
  calls = open_memstream(&form, &formLength);
  if (out && calls) ierr = PlexWriteKernel(asm_, product, extract, out, calls);
  written = (PetscBool)(calls && !fclose(calls)); /* both are closed in any case */
  if (out && written) PlexWriteIncludes(product->integrator, form, file, out);
  written = (PetscBool)(out && !fclose(out) && written);
  free(form);
  PetscCall(PlexExtractDestroy(&extract));
  if (!ierr && !written) ierr = PETSC_ERR_MEM;
  if (ierr) free(*text);
  PetscCheck(ierr != PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's source");
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCompile(PlexAssembly asm_, PlexProduct *product, const char file[], PetscInt ndefines,
                                   const char *const defines[])
{
  char          *text = NULL;
  PetscErrorCode ierr;
  PetscLogDouble t0, t1;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Compile, asm_, 0, 0, 0));
  PetscCall(PetscTime(&t0));
  PetscCall(PlexModuleDestroy(&product->module));
  PetscCall(PlexTablesUpload_Private(asm_, product));
  PetscCall(PlexGetKernelText(asm_, product, file, &text));
  ierr = PlexBackendCompile(asm_->backend, file, ndefines, defines, text, &product->module);
  free(text);
  PetscCall(ierr);
  PetscCall(PetscTime(&t1));
  product->compileTime += t1 - t0;
  PetscCall(PetscLogEventEnd(PLEX_Compile, asm_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCompileSizes(PlexAssembly asm_, PlexProduct *product, const char file[], PetscInt nsizes,
                                        const PlexSize sizes[])
{
  char        text[16][64];
  const char *defines[16];

  PetscFunctionBegin;
  PetscCheck(nsizes <= 16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Too many definitions");
  for (PetscInt k = 0; k < nsizes; ++k) {
    PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "%s=%" PetscInt_FMT, sizes[k].name, sizes[k].value));
    defines[k] = text[k];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, file, nsizes, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}
