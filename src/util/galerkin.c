/*
  Galerkin's products C = P^T A P of algebraic multigrid on the host, by blocks of P's columns and in threads.

  P has blocks of b columns, as many as the near-null space has vectors, and a row that has one column of a block nearly
  always has them all. So P is kept with full blocks p_iK, b numbers, of row i and block K, and the b rows of C of block J
  are computed together:

    w_k = sum_i A_ik p_iJ           of rows i with a block J, for all columns k of A that come up: b numbers
    C_JK = sum_k w_k p_kK^T         b x b numbers

  A number of a list of columns serves b numbers or b^2, other than in MatPtAP() of PETSc, which goes through the rows
  one by one. A block of rows of C is a thread's, with its sums in the order of the lists: the result does not depend on
  the number of threads. The pattern, with blocks that are full, stays from one product to the next, as long as those of
  A, P and C do. Where blocks would be mostly zeros, b is 1.
*/
#include <plexgpu/private/util.h>
#include <petsc/private/matimpl.h>

#define GALERKIN_ORIGINAL "PlexGalerkinOriginal_C" /* of a matrix: PETSc's own function of its products */
#define GALERKIN_LEAST    4                        /* blocks of rows a thread */
#define GALERKIN_FILL     2.                       /* most numbers of full blocks for an entry of P */

typedef struct {
  PetscObjectId    id;
  PetscObjectState state; /* of its entries' places */
} GalerkinPattern;

typedef struct {
  PetscInt        b, m, n;         /* columns of a block; rows, and blocks of columns, of P */
  PetscInt       *first, *block;   /* [m + 1], [first[m]]: blocks of a row of P, ascending */
  PetscInt       *place;           /* of entries of P in values */
  PetscScalar    *values;          /* [first[m]][b] */
  PetscInt       *tfirst;          /* [n + 1] blocks of P by columns: */
  PetscInt       *trow, *tblock;   /* [first[m]] row, and number by rows */
  PetscInt      **list;            /* [n] blocks of a block row of C, ascending, while they are not counted */
  PetscInt       *cfirst, *cblock; /* [n + 1], [cfirst[n]] of all */
  PetscInt       *columns;         /* [n] columns of A that come up for a block row */
  PetscLogDouble *flops;           /* [n] */
  GalerkinPattern of[3];           /* of A, P and C when all this was made */
  PlexCount       failed;          /* block rows without memory */

  const PetscInt    *ai, *aj; /* while a product is computed */
  const PetscScalar *a;
  PetscScalar       *c;
} Galerkin;

static PetscErrorCode GalerkinFreeLists(Galerkin *g)
{
  PetscFunctionBegin;
  for (PetscInt J = 0; J < g->n && g->list; ++J) free(g->list[J]);
  PetscCall(PetscFree(g->list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GalerkinReset(Galerkin *g)
{
  PetscFunctionBegin;
  PetscCall(GalerkinFreeLists(g));
  PetscCall(PetscFree4(g->first, g->tfirst, g->cfirst, g->columns));
  PetscCall(PetscFree(g->place));
  PetscCall(PetscFree4(g->block, g->trow, g->tblock, g->values));
  PetscCall(PetscFree(g->cblock));
  PetscCall(PetscFree(g->flops));
  PetscCall(PetscMemzero(g, sizeof(*g)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GalerkinDestroy(PetscCtxRt ctx)
{
  Galerkin *g = *(Galerkin **)ctx;

  PetscFunctionBegin;
  PetscCall(GalerkinReset(g));
  PetscCall(PetscFree(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The pattern */

/* Columns of a block: as many as P's have, where at least half of the numbers of its blocks are entries and a PetscInt
   counts them; else one, and there are as many numbers as entries */
static PetscInt GalerkinChooseBlock(PetscInt b, PetscInt m, const PetscInt pi[], const PetscInt pj[])
{
  double filled = 0.;

  for (PetscInt i = 0; i < m; ++i)
    for (PetscInt e = pi[i]; e < pi[i + 1]; ++e) filled += e == pi[i] || pj[e] / b != pj[e - 1] / b ? (double)b : 0.;
  return filled > GALERKIN_FILL * (double)pi[m] || filled >= (double)PETSC_INT_MAX ? 1 : b;
}

/* Blocks of P by rows and by columns */
static PetscErrorCode GalerkinTakePattern(Galerkin *g, const PetscInt pi[], const PetscInt pj[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(pi[g->m], &g->place));
  for (PetscInt i = 0; i < g->m; ++i) {
    g->first[i] = n;
    for (PetscInt e = pi[i]; e < pi[i + 1]; ++e) {
      if (e == pi[i] || pj[e] / g->b != pj[e - 1] / g->b) ++n;
      g->place[e] = (n - 1) * g->b + pj[e] % g->b;
    }
  }
  g->first[g->m] = n;
  PetscCall(PetscMalloc4(n, &g->block, n, &g->trow, n, &g->tblock, n * g->b, &g->values));
  for (PetscInt i = 0; i < g->m; ++i)
    for (PetscInt e = pi[i]; e < pi[i + 1]; ++e) g->block[g->place[e] / g->b] = pj[e] / g->b;
  for (PetscInt k = 0; k < n; ++k) ++g->tfirst[g->block[k] + 1];
  for (PetscInt J = 0; J < g->n; ++J) g->tfirst[J + 1] += g->tfirst[J];
  for (PetscInt i = 0; i < g->m; ++i) {
    for (PetscInt k = g->first[i]; k < g->first[i + 1]; ++k) {
      const PetscInt t = g->tfirst[g->block[k]]++;

      g->trow[t]   = i;
      g->tblock[t] = k;
    }
  }
  for (PetscInt J = g->n; J > 0; --J) g->tfirst[J] = g->tfirst[J - 1]; /* they were moved on by their lengths */
  g->tfirst[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int GalerkinCompare(const void *a, const void *b)
{
  const PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;

  return (x > y) - (x < y);
}

/* Block rows of C */
static void GalerkinListLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Galerkin *g    = (Galerkin *)ctx;
  char     *seen = (char *)calloc((size_t)g->m + (size_t)g->n, 1), *known = seen ? seen + g->m : NULL;
  PetscInt *column = (PetscInt *)malloc(sizeof(PetscInt) * (size_t)(g->m + g->n)),
           *block  = column ? column + g->m : NULL;

  if (!seen || !column) PlexCountAdd(&g->failed, 1);
  for (PetscInt J = begin; J < end && seen && column; ++J) {
    PetscInt nk = 0, nK = 0, products = 0;

    for (PetscInt t = g->tfirst[J]; t < g->tfirst[J + 1]; ++t) {
      for (PetscInt e = g->ai[g->trow[t]]; e < g->ai[g->trow[t] + 1]; ++e) {
        const PetscInt k = g->aj[e];

        if (!seen[k]) column[nk++] = k;
        seen[k] = 1;
      }
      products += g->ai[g->trow[t] + 1] - g->ai[g->trow[t]];
    }
    g->flops[J] = 2. * (double)g->b * (double)products;
    for (PetscInt l = 0; l < nk; ++l) {
      const PetscInt k = column[l];

      for (PetscInt s = g->first[k]; s < g->first[k + 1]; ++s) {
        if (!known[g->block[s]]) block[nK++] = g->block[s];
        known[g->block[s]] = 1;
      }
      g->flops[J] += 2. * (double)(g->b * g->b) * (double)(g->first[k + 1] - g->first[k]);
      seen[k] = 0;
    }
    for (PetscInt l = 0; l < nK; ++l) known[block[l]] = 0;
    qsort(block, (size_t)nK, sizeof(*block), GalerkinCompare);
    g->columns[J]    = nk;
    g->cfirst[J + 1] = nK;
    g->list[J]       = (PetscInt *)malloc(sizeof(PetscInt) * (size_t)PetscMax(nK, 1));
    if (!g->list[J]) PlexCountAdd(&g->failed, 1);
    else memcpy(g->list[J], block, sizeof(PetscInt) * (size_t)nK);
  }
  free(seen);
  free(column);
}

/* Numbers of C's columns, rows of CSR: those of a block row are alike */
static PetscErrorCode GalerkinSetPattern(Galerkin *g, Mat C)
{
  const PetscInt  b  = g->b;
  double          nz = 0.;
  PetscInt       *length, n;
  const PetscInt *i, *j;
  PetscBool       done;

  PetscFunctionBegin;
  for (PetscInt J = 0; J < g->n; ++J) nz += (double)(b * b) * (double)g->cfirst[J + 1];
  PetscCheck(nz < (double)PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A matrix of multigrid's coarser level would have %g entries, more than a PetscInt counts: use more "
             "processes",
             nz);
  for (PetscInt J = 0; J < g->n; ++J) g->cfirst[J + 1] += g->cfirst[J];
  PetscCall(PetscMalloc1(g->cfirst[g->n], &g->cblock));
  PetscCall(PetscMalloc1(g->n * b, &length));
  for (PetscInt r = 0; r < g->n * b; ++r) length[r] = b * (g->cfirst[r / b + 1] - g->cfirst[r / b]);
  PetscCall(MatSeqAIJSetPreallocation(C, 0, length));
  PetscCall(PetscFree(length));
  PetscCall(MatGetRowIJ(C, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  for (PetscInt J = 0; J < g->n; ++J) {
    const PetscInt nK = g->cfirst[J + 1] - g->cfirst[J];

    PetscCall(PetscArraycpy(&g->cblock[g->cfirst[J]], g->list[J], nK));
    for (PetscInt r = 0; r < b; ++r) {
      PetscInt *row = (PetscInt *)&j[i[J * b + r]];

      for (PetscInt K = 0; K < nK; ++K)
        for (PetscInt c = 0; c < b; ++c) row[K * b + c] = g->list[J][K] * b + c;
    }
  }
  if (nz > 0.) PetscCall(MatSeqAIJSetColumnIndices(C, (PetscInt *)j)); /* says that they are there */
  PetscCall(MatRestoreRowIJ(C, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Values */

/* b is a constant where the function is compiled into one with such */
static inline __attribute__((always_inline)) void GalerkinRows(const Galerkin *g, PetscInt b, PetscInt J, int at[],
                                                               PetscInt column[], PetscScalar w[], int place[])
{
  const PetscInt nK = g->cfirst[J + 1] - g->cfirst[J], *block = &g->cblock[g->cfirst[J]];
  PetscScalar   *row = &g->c[b * b * g->cfirst[J]];
  PetscInt       nk  = 0;

  for (PetscInt t = g->tfirst[J]; t < g->tfirst[J + 1]; ++t) {
    const PetscScalar *p = &g->values[g->tblock[t] * b];

    for (PetscInt e = g->ai[g->trow[t]]; e < g->ai[g->trow[t] + 1]; ++e) {
      const PetscInt    k = g->aj[e];
      const PetscScalar a = g->a[e];
      PetscScalar      *sum;

      if (!at[k]) {
        column[nk] = k;
        at[k]      = (int)++nk;
        for (PetscInt r = 0; r < b; ++r) w[(nk - 1) * b + r] = 0.;
      }
      sum = &w[(at[k] - 1) * b];
      for (PetscInt r = 0; r < b; ++r) sum[r] += a * p[r];
    }
  }
  for (PetscInt K = 0; K < nK; ++K) place[block[K]] = (int)K;
  for (PetscInt k = 0; k < nK * b * b; ++k) row[k] = 0.;
  for (PetscInt l = 0; l < nk; ++l) {
    const PetscInt     k   = column[l];
    const PetscScalar *sum = &w[l * b];

    at[k] = 0;
    for (PetscInt s = g->first[k]; s < g->first[k + 1]; ++s) {
      const PetscScalar *p = &g->values[s * b];
      PetscScalar       *c = &row[place[g->block[s]] * b];

      for (PetscInt r = 0; r < b; ++r)
        for (PetscInt d = 0; d < b; ++d) c[r * nK * b + d] += sum[r] * p[d];
    }
  }
}

static void GalerkinRowsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  Galerkin    *g    = (Galerkin *)ctx;
  PetscInt     most = 1;
  int         *at   = (int *)calloc((size_t)(g->m + g->n), sizeof(int));
  PetscInt    *column;
  PetscScalar *w;

  for (PetscInt J = begin; J < end; ++J) most = PetscMax(most, g->columns[J]);
  column = (PetscInt *)malloc(sizeof(PetscInt) * (size_t)most);
  w      = (PetscScalar *)malloc(sizeof(PetscScalar) * (size_t)most * (size_t)g->b);
  if (!at || !column || !w) PlexCountAdd(&g->failed, 1);
  for (PetscInt J = begin; J < end && at && column && w; ++J) {
    int *place = at + g->m;

    switch (g->b) {
    case 1:
      GalerkinRows(g, 1, J, at, column, w, place);
      break;
    case 2:
      GalerkinRows(g, 2, J, at, column, w, place);
      break;
    case 3:
      GalerkinRows(g, 3, J, at, column, w, place);
      break;
    case 6:
      GalerkinRows(g, 6, J, at, column, w, place);
      break;
    default:
      GalerkinRows(g, g->b, J, at, column, w, place);
    }
  }
  free(at);
  free(column);
  free(w);
}

static PetscErrorCode GalerkinRun(Galerkin *g, PlexThreadsLoop loop)
{
  PetscFunctionBegin;
  PlexCountInit(&g->failed);
  PetscCall(PlexThreadsRun(g->n, GALERKIN_LEAST, loop, g));
  PetscCheck(!PlexCountGet(&g->failed), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "No memory for a product of multigrid's set-up");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The patterns of A, P and C now. That of any other matrix is another one */
static PetscErrorCode GalerkinGetPatterns(Mat C, GalerkinPattern of[3])
{
  const Mat all[3] = {C->product->A, C->product->B, C};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(PetscObjectGetId((PetscObject)all[k], &of[k].id));
    PetscCall(MatGetNonzeroState(all[k], &of[k].state));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lists, and the pattern of C, which has its sizes and its type */
static PetscErrorCode GalerkinSetUp(Galerkin *g, Mat C)
{
  Mat             A = C->product->A, P = C->product->B;
  const PetscInt *pi, *pj;
  PetscInt        n, N, b;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSizes(P, NULL, &b));
  PetscCall(MatGetSize(P, &g->m, &N));
  PetscCall(MatGetRowIJ(P, 0, PETSC_FALSE, PETSC_FALSE, &n, &pi, &pj, &done));
  g->b = GalerkinChooseBlock(b, g->m, pi, pj);
  g->n = N / g->b;
  PetscCall(PetscCalloc4(g->m + 1, &g->first, g->n + 1, &g->tfirst, g->n + 1, &g->cfirst, g->n, &g->columns));
  PetscCall(GalerkinTakePattern(g, pi, pj));
  PetscCall(MatRestoreRowIJ(P, 0, PETSC_FALSE, PETSC_FALSE, &n, &pi, &pj, &done));
  PetscCall(PetscCalloc1(g->n, &g->list));
  PetscCall(PetscCalloc1(g->n, &g->flops));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &g->ai, &g->aj, &done));
  PetscCall(GalerkinRun(g, GalerkinListLoop));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &g->ai, &g->aj, &done));
  PetscCall(GalerkinSetPattern(g, C));
  PetscCall(GalerkinFreeLists(g));
  PetscCall(GalerkinGetPatterns(C, g->of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before a product: one of A, P and C may have got other entries, or A or P be another matrix */
static PetscErrorCode GalerkinUpdate(Galerkin *g, Mat C)
{
  GalerkinPattern now[3];
  PetscInt        am, an, pm, pn, cm;
  PetscBool       same = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(GalerkinGetPatterns(C, now));
  for (PetscInt k = 0; k < 3; ++k)
    if (now[k].id != g->of[k].id || now[k].state != g->of[k].state) same = PETSC_FALSE;
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(C->product->A, &am, &an));
  PetscCall(MatGetSize(C->product->B, &pm, &pn));
  PetscCall(MatGetSize(C, &cm, NULL));
  PetscCheck(am == pm && an == pm && cm == pn, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "A of %" PetscInt_FMT " x %" PetscInt_FMT " and P of %" PetscInt_FMT " x %" PetscInt_FMT
             " for a product that has %" PetscInt_FMT " rows: a product of other sizes is made by MAT_INITIAL_MATRIX",
             am, an, pm, pn, cm);
  PetscCall(GalerkinReset(g));
  PetscCall(GalerkinSetUp(g, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_PlexGalerkin(Mat C)
{
  Mat                A = C->product->A, P = C->product->B;
  Galerkin          *g = (Galerkin *)C->product->data;
  const PetscInt    *pi;
  const PetscScalar *p;
  PetscInt           n;
  PetscBool          done;
  PetscLogDouble     flops = 0.;

  PetscFunctionBegin;
  PetscCall(GalerkinUpdate(g, C));
  PetscCall(MatGetRowIJ(P, 0, PETSC_FALSE, PETSC_FALSE, &n, &pi, NULL, &done));
  PetscCall(MatSeqAIJGetArrayRead(P, &p));
  PetscCall(PetscArrayzero(g->values, g->first[g->m] * g->b));
  for (PetscInt e = 0; e < pi[g->m]; ++e) g->values[g->place[e]] = p[e];
  PetscCall(MatSeqAIJRestoreArrayRead(P, &p));
  PetscCall(MatRestoreRowIJ(P, 0, PETSC_FALSE, PETSC_FALSE, &n, &pi, NULL, &done));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &g->ai, &g->aj, &done));
  PetscCall(MatSeqAIJGetArrayRead(A, &g->a));
  PetscCall(MatSeqAIJGetArrayWrite(C, &g->c));
  PetscCall(GalerkinRun(g, GalerkinRowsLoop));
  PetscCall(MatSeqAIJRestoreArrayWrite(C, &g->c));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &g->a));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &g->ai, &g->aj, &done));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  for (PetscInt J = 0; J < g->n; ++J) flops += g->flops[J];
  PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSymbolic_PlexGalerkin(Mat C)
{
  Mat       P = C->product->B;
  Galerkin *g;
  PetscInt  N, b;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  C->product->data    = g;
  C->product->destroy = GalerkinDestroy;
  PetscCall(MatGetBlockSizes(P, NULL, &b));
  PetscCall(MatGetSize(P, NULL, &N));
  PetscCall(MatSetSizes(C, N, N, N, N));
  PetscCall(MatSetBlockSizes(C, b, b));
  PetscCall(MatSetType(C, ((PetscObject)C->product->A)->type_name));
  PetscCall(GalerkinSetUp(g, C));
  C->ops->productnumeric = MatProductNumeric_PlexGalerkin;
  PetscCall(PlexGalerkinSet(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The function of products that a matrix has */

/* Whether no algorithm is asked for, by the program or by an option as PETSc reads it; the algorithms are PETSc's */
static PetscErrorCode GalerkinIsDefault(Mat C, PetscBool *is)
{
  const char *option = C->product->api_user ? "-matptap_via" : "-mat_product_algorithm";
  PetscBool   given;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(C->product->alg, MATPRODUCTALGORITHMDEFAULT, is));
  PetscCall(PetscOptionsHasName(((PetscObject)C)->options, ((PetscObject)C)->prefix, option, &given));
  if (given) *is = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSetFromOptions_PlexGalerkin(Mat C)
{
  Mat_Product *product            = C->product;
  Mat          all[3]             = {product->A, product->B, product->type == MATPRODUCT_ABC ? product->C : NULL};
  PetscErrorCode (*original)(Mat) = NULL;
  PetscBool own                   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)product->A, GALERKIN_ORIGINAL, &original));
  if (product->type == MATPRODUCT_PtAP && original) PetscCall(GalerkinIsDefault(C, &own));
  if (own) {
    C->ops->productsymbolic = MatProductSymbolic_PlexGalerkin;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 1; k < 3 && !original; ++k)
    if (all[k]) PetscCall(PetscObjectQueryFunction((PetscObject)all[k], GALERKIN_ORIGINAL, &original));
  if (original) PetscCall((*original)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexGalerkinSet(Mat A)
{
  const char *option = "-matptap_backend_cpu", *type = ((PetscObject)A)->type_name;
  char        name[128];
  PetscBool   aij, given, host = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATSEQAIJCUSPARSE, MATSEQAIJHIPSPARSE, ""));
  PetscCall(PetscOptionsGetBool(((PetscObject)A)->options, ((PetscObject)A)->prefix, option, &host, &given));
  if (!given) PetscCall(PetscOptionsGetBool(NULL, NULL, option, &host, NULL));
  if (!aij || !host || !A->ops->productsetfromoptions) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectComposeFunction((PetscObject)A, GALERKIN_ORIGINAL, A->ops->productsetfromoptions));
  /* MatProductSetFromOptions() asks for functions of these names, of two matrices and of three, where it has no other */
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s_C", type, type));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, MatProductSetFromOptions_PlexGalerkin));
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s_%s_C", type, type, type));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, MatProductSetFromOptions_PlexGalerkin));
  A->ops->productsetfromoptions = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
