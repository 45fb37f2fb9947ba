static char help[] = "Plans that kernels make, array by array against those of the host.\n\n";

#include <plexgpu/impl.h>
#include "../../src/assembly/impls/local/local.h"
#include "../../src/assembly/impls/shared/shared.h"
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI  DM_POLYTOPE_TRIANGLE
#define QUAD DM_POLYTOPE_QUADRILATERAL
#define TET  DM_POLYTOPE_TETRAHEDRON
#define HEX  DM_POLYTOPE_HEXAHEDRON

static const struct {
  const char         *variant;
  PlexTestTensorSpace space;
  const char         *form;
  const char         *options; /* "", or names and values */
} Cases[] = {
  {"edges",     {TRI, PETSC_FALSE, -6, 1}, "Laplacian",             ""                                      },
  {"edges",     {TRI, PETSC_FALSE, -2, 2}, "Laplacian",             ""                                      },
  {"edges",     {TRI, PETSC_FALSE, -2, 1}, "Laplacian",             "-plex_assembly_shared_memory 4000"     },
  {"edges",     {TRI, PETSC_FALSE, -1, 3}, "Laplacian",             "-plex_assembly_partition_size 12"      },
  {"edges",     {TET, PETSC_FALSE, -2, 1}, "Laplacian",             ""                                      },
  {"edges",     {TET, PETSC_FALSE, -1, 1}, "Laplacian",             "-plex_assembly_row_sums false"         },
  {"edges",     {TET, PETSC_FALSE, -1, 2}, "Laplacian",             "-plex_assembly_precision single"       },
  {"points",    {TET, PETSC_FALSE, -1, 3}, "Laplacian",             ""                                      },
  {"points",    {TET, PETSC_FALSE, 0, 4},  "Laplacian",             ""                                      },
  {"gradients", {TRI, PETSC_FALSE, -2, 1}, "elasticity",            ""                                      },
  {"gradients", {TET, PETSC_FALSE, -1, 1}, "elasticity",            ""                                      },
  {"gradients", {TET, PETSC_FALSE, 0, 2},  "elasticity",            ""                                      },
  {"edges",     {TET, PETSC_FALSE, -1, 1}, "anisotropic, each",     ""                                      },
  {"gradients", {TET, PETSC_FALSE, -1, 1}, "elasticity, each",      ""                                      },
  {"matrices",  {HEX, PETSC_FALSE, -1, 1}, "Laplacian",             "-plex_assembly_type shared_nz:matrices"},
  {"symmetry",  {TRI, PETSC_FALSE, -5, 1}, "constants",             ""                                      },
  {"symmetry",  {TRI, PETSC_FALSE, -4, 1}, "constants",             "-shuffle"                              },
  {"symmetry",  {TRI, PETSC_FALSE, -2, 2}, "all parts",             ""                                      },
  {"symmetry",  {TRI, PETSC_FALSE, -2, 1}, "all parts, vector",     "-plex_assembly_shared_memory 1000"     },
  {"symmetry",  {TRI, PETSC_FALSE, -2, 2}, "nonlinear",             ""                                      },
  {"symmetry",  {TRI, PETSC_FALSE, -1, 2}, "coefficient, degree 0", ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, -2, 1}, "all parts",             ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, -1, 2}, "time shift",            ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, -1, 1}, "elasticity",            ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, 0, 2},  "elasticity",            ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, 0, 2},  "mixed",                 ""                                      },
  {"symmetry",  {TET, PETSC_FALSE, -1, 1}, "nonlinear",             "-plex_assembly_precision single"       },
  {"symmetry",  {QUAD, PETSC_TRUE, -3, 1}, "all parts",             ""                                      },
  {"symmetry",  {QUAD, PETSC_TRUE, -2, 2}, "all parts",             ""                                      },
  {"symmetry",  {HEX, PETSC_TRUE, -2, 1},  "all parts",             ""                                      },
  {"symmetry",  {HEX, PETSC_TRUE, 0, 2},   "all parts",             ""                                      }
};

/* The arrays of a plan, as the host has them */
#define ARRAYS 5
typedef struct {
  PetscInt nblocks;
  size_t   bytes[ARRAYS];
  void    *array[ARRAYS];
} Plan;

static PetscErrorCode CopyPlan(PlexBackend backend, const void *const from[], Plan *plan)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < ARRAYS; ++k) {
    PetscCall(PetscFree(plan->array[k]));
    PetscCall(PetscMalloc(plan->bytes[k], &plan->array[k]));
    if (plan->bytes[k]) PetscCall(PlexBackendCopyOut(backend, plan->array[k], from[k], plan->bytes[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetPairs(PlexAssembly assembly, const void *made, PetscBool *planned, Plan *plan)
{
  const PlexPairs     *pairs        = &((const PlexShared *)made)->pairs;
  const PlexPairsArgs *d            = &pairs->device;
  const void *const    from[ARRAYS] = {d->blocks, d->nodes, d->conn, d->lists, d->records};
  PlexPairsBlock      *blocks, last;
  size_t               words = 0, before = 0; /* of an element: vertices, and the first dof of auxiliary fields */

  PetscFunctionBegin;
  *planned = ((const PlexShared *)made)->paired;
  if (!*planned) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks  = pairs->nblocks;
  plan->bytes[0] = sizeof(*blocks) * (size_t)plan->nblocks;
  PetscCall(PetscMalloc(plan->bytes[0], &blocks));
  PetscCall(PlexBackendCopyOut(assembly->backend, blocks, d->blocks, plan->bytes[0]));
  last = blocks[plan->nblocks - 1];
  for (PetscInt b = 0; b < plan->nblocks - 1; ++b) before += (size_t)blocks[b].elements;
  words = before ? (size_t)last.conn / before : (size_t)(assembly->elements->Nv + 1) / 2;
  PetscCall(PetscFree(blocks));
  plan->bytes[1] = sizeof(int) * (size_t)(last.node + last.nodes);
  plan->bytes[2] = sizeof(int) * ((size_t)last.conn + words * (size_t)last.elements);
  plan->bytes[3] = 16 * (size_t)(last.list + last.heads);
  plan->bytes[4] = 256 * (size_t)(last.group + last.groups);
  PetscCall(CopyPlan(assembly->backend, from, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSymmetry(PlexAssembly assembly, const void *made, PetscBool *planned, Plan *plan)
{
  const PlexSymmetry     *symmetry     = &((const PlexLocalPlan *)made)->symmetry;
  const PlexSymmetryArgs *d            = &symmetry->device;
  const void *const       from[ARRAYS] = {d->blocks, d->nodes, d->dofs, d->tasks, d->records};

  PetscFunctionBegin;
  *planned = ((const PlexLocalPlan *)made)->reoriented;
  if (!*planned) PetscFunctionReturn(PETSC_SUCCESS);
  plan->nblocks  = symmetry->nblocks;
  plan->bytes[0] = sizeof(PlexSymmetryBlock) * (size_t)(symmetry->nblocks + 1);
  plan->bytes[1] = sizeof(int) * (size_t)symmetry->nodes;
  plan->bytes[2] = sizeof(int) * (size_t)symmetry->dofs;
  plan->bytes[3] = sizeof(int) * (size_t)(PLEX_SYMMETRY_HEAD * symmetry->tasks);
  plan->bytes[4] = sizeof(int) * (size_t)(32 * symmetry->record.words * symmetry->groups);
  PetscCall(CopyPlan(assembly->backend, from, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode GetArrays(PlexAssembly, const void *made, PetscBool *planned, Plan *);
static const struct {
  const char *variant, *type, *names[ARRAYS]; /* variant "": of the others */
  GetArrays  *get;
} Methods[] = {
  {"symmetry", PLEXASSEMBLYLOCALROW ":symmetry", {"blocks", "nodes", "dofs", "tasks", "records"},     GetSymmetry},
  {"",         PLEXASSEMBLYSHAREDNZ,             {"blocks", "nodes", "elements", "lists", "records"}, GetPairs   },
};

static PetscErrorCode GetPlan(DM dm, const char backend[], PetscInt method, PetscBool device, PetscBool symmetric,
                              Plan *plan, PetscBool *planned)
{
  PlexAssembly assembly;
  Vec          X, X_t;
  Mat          J;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(plan, sizeof(*plan)));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_plan_on_device", device ? "true" : "false"));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetType(assembly, Methods[method].type));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_COEFFICIENTS));
  PetscCall(PlexAssemblySetSymmetric(assembly, symmetric));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, 0., 1., J, J));
  PetscCall((*Methods[method].get)(assembly, assembly->product[PLEX_JACOBIAN].plan, planned, plan));
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
                               "-plex_assembly_row_sums", "-plex_assembly_precision", "-plex_assembly_type",
                               "-plex_assembly_plan_on_device", "-shuffle", NULL};
       *name; ++name)
    PetscCall(PetscOptionsClearValue(NULL, *name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(PetscInt k, const char backend[])
{
  const PlexTestTensorForm *form;
  Plan                      plan[2];
  PetscBool                 planned[2], of = PETSC_FALSE;
  PetscInt                  method;
  DM                        dm;
  char                      name[256];

  PetscFunctionBegin;
  for (method = 0; Methods[method].variant[0]; ++method) {
    PetscCall(PetscStrcmp(Cases[k].variant, Methods[method].variant, &of));
    if (of) break;
  }
  PetscCall(PetscOptionsInsertString(NULL, Cases[k].options));
  PetscCall(PlexTestFindTensorForm(Cases[k].form, &form));
  PetscCall(PlexTestTensorProblemCreate(&Cases[k].space, form, &dm));
  for (PetscInt m = 0; m < 2; ++m)
    PetscCall(GetPlan(dm, backend, method, (PetscBool)m, form->symmetric, &plan[m], &planned[m]));
  PetscCall(ClearOptions());
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, %s of degree %" PetscInt_FMT ", %s%s%s, %" PetscInt_FMT " blocks",
                          backend, Cases[k].variant, DMPolytopeTypes[Cases[k].space.cell], Cases[k].space.degree,
                          Cases[k].form, Cases[k].options[0] ? ", " : "", Cases[k].options, plan[0].nblocks));
  PetscCall(PlexTestReport((PetscBool)(planned[0] && planned[1] && plan[0].nblocks == plan[1].nblocks), name,
                           "%" PetscInt_FMT " and %" PetscInt_FMT " blocks", plan[0].nblocks, plan[1].nblocks));
  for (PetscInt a = 0; a < ARRAYS && plan[0].nblocks == plan[1].nblocks; ++a) {
    PetscBool same = (PetscBool)(plan[0].bytes[a] == plan[1].bytes[a]);
    char      which[320];

    if (same) PetscCall(PetscMemcmp(plan[0].array[a], plan[1].array[a], plan[0].bytes[a], &same));
    PetscCall(PetscSNPrintf(which, sizeof(which), "%s: %s", name, Methods[method].names[a]));
    PetscCall(PlexTestReport(same, which, "%zu and %zu bytes", plan[0].bytes[a], plan[1].bytes[a]));
  }
  for (PetscInt m = 0; m < 2; ++m)
    for (PetscInt a = 0; a < ARRAYS; ++a) PetscCall(PetscFree(plan[m].array[a]));
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
