static char help[] = "Plans that kernels make, array by array against those of the host.\n\n";

#include <plexgpu/impl.h>
#include "../../src/assembly/impls/global/global.h"
#include "../../src/assembly/impls/local/local.h"
#include "../../src/assembly/impls/partial/partial.h"
#include "../../src/assembly/impls/shared/shared.h"
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI       DM_POLYTOPE_TRIANGLE
#define TET       DM_POLYTOPE_TETRAHEDRON
#define HEX       DM_POLYTOPE_HEXAHEDRON
#define QUAD      DM_POLYTOPE_QUADRILATERAL
#define PARTIAL   "-plex_assembly_type shared_nz:partial"
#define SYMMETRY  "-plex_assembly_type local_row:symmetry"
#define TYPE      "-plex_assembly_type "
#define PARTS     " -plex_assembly_partition_size 30"
#define PASSES    " -plex_assembly_shared_memory 4000 -plex_assembly_partition_size 60"
#define SUMFACTOR "-plex_assembly_type local_row:sumfactor -plex_assembly_integration quadrature"

static const struct {
  const char         *variant;
  PlexTestTensorSpace space;
  const char         *form;
  const char         *options; /* "" or names and values */
} Cases[] = {
  {"edges",     {TRI, PETSC_FALSE, -6, 1},  "Laplacian",             ""                                           },
  {"edges",     {TRI, PETSC_FALSE, -2, 2},  "Laplacian",             ""                                           },
  {"edges",     {TRI, PETSC_FALSE, -2, 1},  "Laplacian",             "-plex_assembly_shared_memory 4000"          },
  {"edges",     {TRI, PETSC_FALSE, -1, 3},  "Laplacian",             "-plex_assembly_partition_size 12"           },
  {"edges",     {TET, PETSC_FALSE, -2, 1},  "Laplacian",             ""                                           },
  {"edges",     {TET, PETSC_FALSE, -1, 1},  "Laplacian",             "-plex_assembly_row_sums false"              },
  {"edges",     {TET, PETSC_FALSE, -1, 2},  "Laplacian",             "-plex_assembly_precision single"            },
  {"points",    {TET, PETSC_FALSE, -1, 3},  "Laplacian",             ""                                           },
  {"points",    {TET, PETSC_FALSE, 0, 4},   "Laplacian",             ""                                           },
  {"gradients", {TRI, PETSC_FALSE, -2, 1},  "elasticity",            ""                                           },
  {"gradients", {TET, PETSC_FALSE, -1, 1},  "elasticity",            ""                                           },
  {"gradients", {TET, PETSC_FALSE, 0, 2},   "elasticity",            ""                                           },
  {"edges",     {TET, PETSC_FALSE, -1, 1},  "anisotropic, each",     ""                                           },
  {"gradients", {TET, PETSC_FALSE, -1, 1},  "elasticity, each",      ""                                           },
  {"matrices",  {HEX, PETSC_FALSE, -1, 1},  "Laplacian",             "-plex_assembly_type shared_nz:matrices"     },
  {"sumfactor", {HEX, PETSC_FALSE, -1, 2},  "Laplacian",             SUMFACTOR " -plex_assembly_partition_size 16"},
  {"sumfactor", {HEX, PETSC_FALSE, -1, 2},  "nonlinear",             SUMFACTOR " -plex_assembly_partition_size 12"},
  {"sumfactor", {HEX, PETSC_FALSE, -1, 2},  "all parts",             SUMFACTOR                                    },
  {"sumfactor", {HEX, PETSC_FALSE, 0, 2},   "nonlinear",             SUMFACTOR " -plex_assembly_partition_size 9" },
  {"sumfactor", {HEX, PETSC_FALSE, 0, 3},   "time shift",            SUMFACTOR " -plex_assembly_precision single" },
  {"sumfactor", {QUAD, PETSC_FALSE, -1, 3}, "Laplacian",             SUMFACTOR " -plex_assembly_partition_size 20"},
  {"symmetry",  {TRI, PETSC_FALSE, -5, 1},  "constants",             SYMMETRY                                     },
  {"symmetry",  {TRI, PETSC_FALSE, -4, 1},  "constants",             SYMMETRY " -shuffle"                         },
  {"symmetry",  {TRI, PETSC_FALSE, -2, 2},  "all parts",             SYMMETRY                                     },
  {"symmetry",  {TRI, PETSC_FALSE, -2, 1},  "all parts, vector",     SYMMETRY " -plex_assembly_shared_memory 1000"},
  {"symmetry",  {TRI, PETSC_FALSE, -2, 2},  "nonlinear",             SYMMETRY                                     },
  {"symmetry",  {TRI, PETSC_FALSE, -1, 2},  "coefficient, degree 0", SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, -2, 1},  "all parts",             SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, -1, 2},  "time shift",            SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, -1, 1},  "elasticity",            SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, 0, 2},   "elasticity",            SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, 0, 2},   "mixed",                 SYMMETRY                                     },
  {"symmetry",  {TET, PETSC_FALSE, -1, 1},  "nonlinear",             SYMMETRY " -plex_assembly_precision single"  },
  {"symmetry",  {QUAD, PETSC_TRUE, -3, 1},  "all parts",             SYMMETRY                                     },
  {"symmetry",  {QUAD, PETSC_TRUE, -2, 2},  "all parts",             SYMMETRY                                     },
  {"symmetry",  {HEX, PETSC_TRUE, -2, 1},   "all parts",             SYMMETRY                                     },
  {"symmetry",  {HEX, PETSC_TRUE, 0, 2},    "all parts",             SYMMETRY                                     },
  {"partial",   {HEX, PETSC_TRUE, -1, 2},   "Laplacian",             PARTIAL                                      },
  {"partial",   {HEX, PETSC_FALSE, -1, 2},  "Laplacian",             PARTIAL                                      },
  {"partial",   {HEX, PETSC_FALSE, -2, 2},  "Laplacian",             PARTIAL " -plex_assembly_partition_size 1"   },
  {"global",    {TRI, PETSC_FALSE, -2, 1},  "Laplacian",             TYPE "global_nz"                             },
  {"global",    {TET, PETSC_FALSE, -1, 2},  "all parts",             TYPE "global_nz"                             },
  {"global",    {TET, PETSC_FALSE, -1, 1},  "coefficient, degree 0", TYPE "global_row:plain"                      },
  {"global",    {TET, PETSC_FALSE, -1, 2},  "nonlinear",             TYPE "global_row:monomials"                  },
  {"local",     {TRI, PETSC_FALSE, -2, 1},  "Laplacian",             TYPE "local_nz" PARTS                        },
  {"local",     {TET, PETSC_FALSE, -1, 1},  "all parts, vector",     TYPE "local_nz" PARTS                        },
  {"local",     {TET, PETSC_FALSE, -1, 2},  "coefficient, degree 0", TYPE "local_row:plain" PARTS                 },
  {"shared",    {TRI, PETSC_FALSE, -3, 1},  "Laplacian",             TYPE "shared_nz:plain"                       },
  {"shared",    {TET, PETSC_FALSE, -1, 2},  "all parts",             TYPE "shared_nz:plain"                       },
  {"shared",    {TET, PETSC_FALSE, -1, 1},  "Laplacian",             TYPE "shared_row" PASSES                     },
  {"shared",    {TET, PETSC_FALSE, -1, 3},  "Laplacian",             TYPE "shared_row"                            }
};

#define TYPE   "-plex_assembly_type "
#define PASSES " -plex_assembly_shared_memory 4000 -plex_assembly_partition_size 60"

#define ARRAYS 13 /* of a plan, most */

/* The arrays of a plan, as the host has them */
typedef struct {
  PetscInt nblocks, n;
  size_t   bytes[ARRAYS];
  void    *array[ARRAYS];
} Plan;

static PetscErrorCode AddArray(PlexAssembly assembly, const void *from, size_t bytes, Plan *plan)
{
  PetscFunctionBegin;
  plan->bytes[plan->n] = bytes;
  PetscCall(PetscMalloc(PetscMax(1, bytes), &plan->array[plan->n]));
  PetscCall(PlexBackendCopyOut(assembly->backend, plan->array[plan->n++], from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* shared_nz by pairs */
static PetscErrorCode GetPairs(PlexAssembly assembly, Plan *plan)
{
  const PlexShared     *shared = (const PlexShared *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexPairsArgs  *d      = &shared->pairs.device;
  const PlexPairsBlock *blocks;
  PlexPairsBlock        last;
  size_t                words, before = 0; /* of an element: vertices, and the first dof of auxiliary fields */

  PetscFunctionBegin;
  if (!shared || !shared->paired) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks = shared->pairs.nblocks;
  PetscCall(AddArray(assembly, d->blocks, sizeof(*blocks) * (size_t)plan->nblocks, plan));
  blocks = (const PlexPairsBlock *)plan->array[0];
  last   = blocks[plan->nblocks - 1];
  for (PetscInt b = 0; b < plan->nblocks - 1; ++b) before += (size_t)blocks[b].elements;
  words = before ? (size_t)last.conn / before : (size_t)(assembly->elements->Nv + 1) / 2;
  PetscCall(AddArray(assembly, d->nodes, sizeof(int) * (size_t)(last.node + last.nodes), plan));
  PetscCall(AddArray(assembly, d->conn, sizeof(int) * ((size_t)last.conn + words * (size_t)last.elements), plan));
  PetscCall(AddArray(assembly, d->lists, 16 * (size_t)(last.list + last.listQuads), plan));
  PetscCall(AddArray(assembly, d->records, 256 * (size_t)(last.record + last.records), plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* local_row by sum factorization */
static PetscErrorCode GetLines(PlexAssembly assembly, Plan *plan)
{
  const PlexLocalPlan *local = (const PlexLocalPlan *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexLines     *lines = &local->lines;
  const PlexLinesArgs *d     = &lines->device;
  PlexLinesBlock       last;
  size_t               warps;

  PetscFunctionBegin;
  if (!local || !local->summed) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks = lines->nblocks;
  PetscCall(AddArray(assembly, d->blocks, sizeof(last) * (size_t)plan->nblocks, plan));
  last  = ((const PlexLinesBlock *)plan->array[0])[plan->nblocks - 1];
  warps = (size_t)(last.warp + last.warps);
  PetscCall(AddArray(assembly, d->nodes, sizeof(int) * (size_t)(last.node + last.nodes), plan));
  PetscCall(AddArray(assembly, d->dofs, sizeof(int) * (size_t)(last.dof + last.dofs), plan));
  PetscCall(AddArray(assembly, d->conn, 64 * (size_t)((last.element + last.elements + 31) / 32 * lines->layout.k),
                     plan));
  PetscCall(AddArray(assembly, d->warps, sizeof(*d->warps) * warps, plan));
  PetscCall(AddArray(assembly, d->rows, 384 * warps, plan));
  PetscCall(AddArray(assembly, d->records, 128 * (size_t)lines->layout.words * (size_t)lines->groups, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* local_row by symmetry classes */
static PetscErrorCode GetSymmetry(PlexAssembly assembly, Plan *plan)
{
  const PlexLocalPlan    *local    = (const PlexLocalPlan *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexSymmetry     *symmetry = &local->symmetry;
  const PlexSymmetryArgs *d        = &symmetry->device;

  PetscFunctionBegin;
  if (!local || !local->reoriented) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks = symmetry->nblocks;
  PetscCall(AddArray(assembly, d->blocks, sizeof(PlexSymmetryBlock) * (size_t)(symmetry->nblocks + 1), plan));
  PetscCall(AddArray(assembly, d->nodes, sizeof(int) * (size_t)symmetry->nodes, plan));
  PetscCall(AddArray(assembly, d->dofs, sizeof(int) * (size_t)symmetry->dofs, plan));
  PetscCall(AddArray(assembly, d->tasks, sizeof(int) * (size_t)(PLEX_SYMMETRY_HEAD * symmetry->tasks), plan));
  PetscCall(AddArray(assembly, d->records, sizeof(int) * (size_t)(32 * symmetry->record.words * symmetry->groups),
                     plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* shared_nz by partial sums */
static PetscErrorCode GetPartial(PlexAssembly assembly, Plan *plan)
{
  const PlexShared      *shared = (const PlexShared *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexPartial     *partial;
  const PlexPartialArgs *d;
  const PlexBlocksArgs  *b;
  const PlexPartialPart *parts;
  size_t                 heads = 0, codes = 0;
  int                    dofs;

  PetscFunctionBegin;
  if (!shared || !shared->variant || strcmp(shared->variant->variant.name, "partial"))
    PetscFunctionReturn(PETSC_SUCCESS);
  partial       = (const PlexPartial *)shared->ofVariant;
  d             = &partial->device;
  b             = &partial->blocks.device;
  plan->nblocks = partial->blocks.nblocks;
  PetscCall(AddArray(assembly, d->parts, sizeof(*parts) * (size_t)plan->nblocks, plan));
  parts = (const PlexPartialPart *)plan->array[0];
  PetscCall(PlexBackendCopyOut(assembly->backend, &dofs, &b->dofStart[plan->nblocks], sizeof(dofs)));
  PetscCall(AddArray(assembly, b->dofs, sizeof(int) * (size_t)dofs, plan));
  PetscCall(AddArray(assembly, b->conn,
                     2 * partial->blocks.positions * (size_t)(assembly->elements->Nv + assembly->elements->ef), plan));
  for (PetscInt k = 0; k < plan->nblocks * PLEX_PARTIAL_KINDS; ++k) {
    const PlexPartialKind *of = &parts[k / PLEX_PARTIAL_KINDS].of[k % PLEX_PARTIAL_KINDS];
    const PetscInt         n = k % PLEX_PARTIAL_KINDS < PLEX_PARTIAL_REST ? PLEX_PARTIAL_CHUNKS : PLEX_PARTIAL_LINE + 2;

    heads = PetscMax(heads, sizeof(int) * (size_t)(of->head + of->n * n));
    codes = PetscMax(codes, 2 * PLEX_PARTIAL_LINE * (size_t)(of->line + of->lines));
  }
  PetscCall(AddArray(assembly, d->heads, heads, plan));
  PetscCall(AddArray(assembly, d->codes, codes, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An array with as many items as the last of `starts` says, and these */
static PetscErrorCode AddLists(PlexAssembly assembly, PetscInt n, const int *starts, const void *items, size_t size,
                               Plan *plan)
{
  int total;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(assembly->backend, &total, &starts[n], sizeof(total)));
  PetscCall(AddArray(assembly, starts, sizeof(int) * (size_t)(n + 1), plan));
  PetscCall(AddArray(assembly, items, size * (size_t)total, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddBlocks(PlexAssembly assembly, const PlexBlocks *blocks, Plan *plan)
{
  const PlexBlocksArgs *d = &blocks->device;
  const size_t          K = (size_t)(assembly->elements->Nv + assembly->elements->ef);

  PetscFunctionBegin;
  plan->nblocks = blocks->nblocks;
  if (d->nodes) PetscCall(AddLists(assembly, blocks->nblocks, d->nodeStart, d->nodes, sizeof(int), plan));
  if (d->dofs) PetscCall(AddLists(assembly, blocks->nblocks, d->dofStart, d->dofs, sizeof(int), plan));
  if (d->conn) PetscCall(AddLists(assembly, blocks->nblocks, d->elementStart, d->conn, 2 * K, plan));
  if (d->elements) PetscCall(AddArray(assembly, d->elements, sizeof(int) * blocks->positions, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddRows(PlexAssembly assembly, const PlexRows *rows, Plan *plan)
{
  const PlexRowsArgs *d = &rows->device;
  const size_t        n = (size_t)rows->contributions * (size_t)assembly->elements->ef;

  PetscFunctionBegin;
  PetscCall(AddLists(assembly, rows->nrows, d->start, d->items, sizeof(int), plan));
  PetscCall(AddArray(assembly, d->place, 2 * n, plan));
  PetscCall(AddArray(assembly, d->ids, sizeof(int) * (size_t)rows->nrows, plan));
  PetscCall(AddArray(assembly, d->length, sizeof(int) * (size_t)rows->nrows, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n blocks of threads */
static PetscErrorCode AddPacked(PlexAssembly assembly, PetscInt n, const PlexPacked *packed, Plan *plan)
{
  const size_t threads = (size_t)assembly->product[PLEX_JACOBIAN].block;

  PetscFunctionBegin;
  PetscCall(AddLists(assembly, n, packed->rowStart, packed->entries, sizeof(int) * threads, plan));
  if (packed->targets) PetscCall(AddLists(assembly, n, packed->targetStart, packed->targets, sizeof(int), plan));
  if (packed->mirrors) PetscCall(AddLists(assembly, n, packed->targetStart, packed->mirrors, sizeof(int), plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetGlobal(PlexAssembly assembly, Plan *plan)
{
  const PlexGlobalPlan *global = (const PlexGlobalPlan *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexGlobalPass *pass   = &global->passes[0];

  PetscFunctionBegin;
  PetscCall(AddBlocks(assembly, &global->blocks, plan));
  if (pass->packed.entries) PetscCall(AddPacked(assembly, pass->grid, &pass->packed, plan));
  else if (!global->modal) PetscCall(AddRows(assembly, &pass->rows, plan));
  if (!global->modal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AddArray(assembly, global->runs.records, global->runs.recordBytes * (size_t)global->runs.n, plan));
  PetscCall(AddArray(assembly, pass->runs.rows.chunks, (size_t)pass->runs.bytes, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetLocal(PlexAssembly assembly, Plan *plan)
{
  const PlexLocalPlan *local = (const PlexLocalPlan *)assembly->product[PLEX_JACOBIAN].plan;

  PetscFunctionBegin;
  if (local->reoriented || local->summed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AddBlocks(assembly, &local->blocks, plan));
  if (local->packed.entries) PetscCall(AddPacked(assembly, plan->nblocks, &local->packed, plan));
  else PetscCall(AddRows(assembly, &local->rows, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* shared_nz and shared_row, in passes */
static PetscErrorCode GetShared(PlexAssembly assembly, Plan *plan)
{
  const PlexShared     *shared = (const PlexShared *)assembly->product[PLEX_JACOBIAN].plan;
  const PlexSharedPlan *plain  = &shared->plain;
  const PlexSharedArgs *d      = &plain->device;
  const PlexSharedPass *last;
  const PlexSharedList *end;

  PetscFunctionBegin;
  if (shared->paired || shared->variant) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks = plain->parts;
  PetscCall(AddLists(assembly, plain->parts, d->start, d->passes, sizeof(*d->passes), plan));
  last = (const PlexSharedPass *)plan->array[1] + plain->passes - 1;
  PetscCall(AddArray(assembly, d->items, sizeof(*d->items) * (size_t)plain->nitems, plan));
  PetscCall(AddArray(assembly, d->lists, sizeof(*d->lists) * (size_t)(last->list + last->lists + 1), plan));
  end = (const PlexSharedList *)plan->array[3] + last->list + last->lists;
  PetscCall(AddArray(assembly, d->positions, sizeof(int) * (size_t)(last->positions + end->start), plan));
  if (plain->row) PetscCall(AddArray(assembly, d->rows, sizeof(int) * (size_t)(last->row + last->rows + 1), plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *variant; /* NULL: of the others */
  PetscErrorCode (*get)(PlexAssembly, Plan *);
} Methods[] = {
  {"sumfactor", GetLines   },
  {"symmetry",  GetSymmetry},
  {"partial",   GetPartial },
  {"global",    GetGlobal  },
  {"local",     GetLocal   },
  {"shared",    GetShared  },
  {NULL,        GetPairs   }
};

static PetscErrorCode GetPlan(DM dm, const char backend[], const char variant[], PetscBool device, PetscBool symmetric,
                              Plan *plan)
{
  PetscInt     method = 0;
  PetscBool    same;
  PlexAssembly assembly;
  Vec          X, X_t;
  Mat          J;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_plan_on_device", device ? "true" : "false"));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYSHAREDNZ));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_COEFFICIENTS));
  PetscCall(PlexAssemblySetSymmetric(assembly, symmetric));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, 0., 1., J, J));
  for (; Methods[method].variant; ++method) {
    PetscCall(PetscStrcmp(variant, Methods[method].variant, &same));
    if (same) break;
  }
  PetscCall((*Methods[method].get)(assembly, plan));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ClearOptions(void)
{
  PetscFunctionBegin;
  for (const char *const *name =
         (const char *const[]){"-plex_assembly_shared_memory", "-plex_assembly_partition_size",
                               "-plex_assembly_row_sums", "-plex_assembly_precision", "-plex_assembly_integration",
                               "-plex_assembly_type", "-plex_assembly_plan_on_device", "-shuffle", NULL};
       *name; ++name)
    PetscCall(PetscOptionsClearValue(NULL, *name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(PetscInt k, const char backend[])
{
  const PlexTestTensorForm *form;
  Plan                      plan[2];
  DM                        dm;
  char                      name[256];

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, Cases[k].options));
  PetscCall(PlexTestFindTensorForm(Cases[k].form, &form));
  PetscCall(PlexTestTensorProblemCreate(&Cases[k].space, form, &dm));
  for (PetscInt m = 0; m < 2; ++m)
    PetscCall(GetPlan(dm, backend, Cases[k].variant, (PetscBool)m, form->symmetric, &plan[m]));
  PetscCall(ClearOptions());
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, %s of degree %" PetscInt_FMT ", %s%s%s, %" PetscInt_FMT " blocks",
                          backend, Cases[k].variant, DMPolytopeTypes[Cases[k].space.cell], Cases[k].space.degree,
                          Cases[k].form, Cases[k].options[0] ? ", " : "", Cases[k].options, plan[0].nblocks));
  PetscCall(PlexTestReport((PetscBool)(plan[0].nblocks > 0 && plan[0].nblocks == plan[1].nblocks), name,
                           "%" PetscInt_FMT " and %" PetscInt_FMT " blocks", plan[0].nblocks, plan[1].nblocks));
  for (PetscInt a = 0; a < plan[0].n && plan[0].nblocks == plan[1].nblocks; ++a) {
    PetscBool same = (PetscBool)(plan[0].bytes[a] == plan[1].bytes[a]);
    char      which[320];

    if (same) PetscCall(PetscMemcmp(plan[0].array[a], plan[1].array[a], plan[0].bytes[a], &same));
    PetscCall(PetscSNPrintf(which, sizeof(which), "%s: array %" PetscInt_FMT, name, a));
    PetscCall(PlexTestReport(same, which, "%zu and %zu bytes", plan[0].bytes[a], plan[1].bytes[a]));
  }
  for (PetscInt m = 0; m < 2; ++m)
    for (PetscInt a = 0; a < plan[m].n; ++a) PetscCall(PetscFree(plan[m].array[a]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Cases); ++k)
    if (PlexTestWanted()) PetscCall(TestCase(k, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
