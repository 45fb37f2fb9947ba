static char help[] = "Plans that kernels make, array by array against those of the host.\n\n";

#include <plexgpu/impl.h>
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
  {"sumfactor", {HEX, PETSC_FALSE, -1, 1},  "Laplacian",             SUMFACTOR " -plex_assembly_partition_size 16"},
  {"sumfactor", {HEX, PETSC_FALSE, -1, 1},  "nonlinear",             SUMFACTOR " -plex_assembly_partition_size 12"},
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
  {"partial",   {HEX, PETSC_FALSE, -2, 2},  "Laplacian",             PARTIAL " -plex_assembly_partition_size 1"   }
};

#define ARRAYS 7 /* of a plan, most */

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
  PetscCall(AddArray(assembly, d->lists, 16 * (size_t)(last.list + last.heads), plan));
  PetscCall(AddArray(assembly, d->records, 256 * (size_t)(last.group + last.groups), plan));
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

static const struct {
  const char *variant; /* NULL: of the others */
  PetscErrorCode (*get)(PlexAssembly, Plan *);
} Methods[] = {
  {"sumfactor", GetLines   },
  {"symmetry",  GetSymmetry},
  {"partial",   GetPartial },
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
