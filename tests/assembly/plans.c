static char help[] = "Plans that kernels make, array by array against those of the host.\n\n";

#include <plexgpu/impl.h>
#include "../../src/assembly/impls/local/local.h"
#include "../../src/assembly/impls/shared/shared.h"
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI       DM_POLYTOPE_TRIANGLE
#define TET       DM_POLYTOPE_TETRAHEDRON
#define HEX       DM_POLYTOPE_HEXAHEDRON
#define QUAD      DM_POLYTOPE_QUADRILATERAL
#define SUMFACTOR "-plex_assembly_type local_row:sumfactor -plex_assembly_integration quadrature"

static const struct {
  const char         *variant;
  PlexTestTensorSpace space;
  const char         *form;
  const char         *options; /* "" or a name and value */
} Cases[] = {
  {"edges",     {TRI, PETSC_FALSE, -6, 1},  "Laplacian",         ""                                           },
  {"edges",     {TRI, PETSC_FALSE, -2, 2},  "Laplacian",         ""                                           },
  {"edges",     {TRI, PETSC_FALSE, -2, 1},  "Laplacian",         "-plex_assembly_shared_memory 4000"          },
  {"edges",     {TRI, PETSC_FALSE, -1, 3},  "Laplacian",         "-plex_assembly_partition_size 12"           },
  {"edges",     {TET, PETSC_FALSE, -2, 1},  "Laplacian",         ""                                           },
  {"edges",     {TET, PETSC_FALSE, -1, 1},  "Laplacian",         "-plex_assembly_row_sums false"              },
  {"edges",     {TET, PETSC_FALSE, -1, 2},  "Laplacian",         "-plex_assembly_precision single"            },
  {"points",    {TET, PETSC_FALSE, -1, 3},  "Laplacian",         ""                                           },
  {"points",    {TET, PETSC_FALSE, 0, 4},   "Laplacian",         ""                                           },
  {"gradients", {TRI, PETSC_FALSE, -2, 1},  "elasticity",        ""                                           },
  {"gradients", {TET, PETSC_FALSE, -1, 1},  "elasticity",        ""                                           },
  {"gradients", {TET, PETSC_FALSE, 0, 2},   "elasticity",        ""                                           },
  {"edges",     {TET, PETSC_FALSE, -1, 1},  "anisotropic, each", ""                                           },
  {"gradients", {TET, PETSC_FALSE, -1, 1},  "elasticity, each",  ""                                           },
  {"matrices",  {HEX, PETSC_FALSE, -1, 1},  "Laplacian",         "-plex_assembly_type shared_nz:matrices"     },
  {"sumfactor", {HEX, PETSC_FALSE, -1, 1},  "Laplacian",         SUMFACTOR " -plex_assembly_partition_size 16"},
  {"sumfactor", {HEX, PETSC_FALSE, -1, 1},  "nonlinear",         SUMFACTOR " -plex_assembly_partition_size 12"},
  {"sumfactor", {HEX, PETSC_FALSE, -1, 2},  "all parts",         SUMFACTOR                                    },
  {"sumfactor", {HEX, PETSC_FALSE, 0, 2},   "nonlinear",         SUMFACTOR " -plex_assembly_partition_size 9" },
  {"sumfactor", {HEX, PETSC_FALSE, 0, 3},   "time shift",        SUMFACTOR " -plex_assembly_precision single" },
  {"sumfactor", {QUAD, PETSC_FALSE, -1, 3}, "Laplacian",         SUMFACTOR " -plex_assembly_partition_size 20"}
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

static PetscErrorCode GetPlan(DM dm, const char backend[], const char options[], PetscBool device, PetscBool symmetric,
                              Plan *plan)
{
  PlexAssembly assembly;
  Vec          X;
  Mat          J;
  PetscBool    row;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_plan_on_device", device ? "true" : "false"));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYSHAREDNZ));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_COEFFICIENTS));
  PetscCall(PlexAssemblySetSymmetric(assembly, symmetric));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(PetscStrcmp(assembly->strategy[PLEX_JACOBIAN].type, PLEXASSEMBLYLOCALROW, &row));
  if (row) PetscCall(GetLines(assembly, plan));
  else PetscCall(GetPairs(assembly, plan));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  for (const char *const *name =
         (const char *const[]){"-plex_assembly_shared_memory", "-plex_assembly_partition_size",
                               "-plex_assembly_row_sums", "-plex_assembly_precision", "-plex_assembly_integration",
                               "-plex_assembly_type", "-plex_assembly_plan_on_device", NULL};
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
  PetscCall(PlexTestFindTensorForm(Cases[k].form, &form));
  PetscCall(PlexTestTensorProblemCreate(&Cases[k].space, form, &dm));
  for (PetscInt m = 0; m < 2; ++m)
    PetscCall(GetPlan(dm, backend, Cases[k].options, (PetscBool)m, form->symmetric, &plan[m]));
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
