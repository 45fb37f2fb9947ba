static char help[] = "Plans that kernels make, array by array against those of the host.\n\n";

#include <plexgpu/impl.h>
#include "../../src/assembly/impls/partial/partial.h"
#include "../../src/assembly/impls/shared/shared.h"
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI DM_POLYTOPE_TRIANGLE
#define TET DM_POLYTOPE_TETRAHEDRON
#define HEX DM_POLYTOPE_HEXAHEDRON

#define PARTIAL "-plex_assembly_type shared_nz:partial"

static const struct {
  const char         *variant;
  PlexTestTensorSpace space;
  const char         *form;
  const char         *options; /* "" or names and values */
} Cases[] = {
  {"edges",     {TRI, PETSC_FALSE, -6, 1}, "Laplacian",         ""                                        },
  {"edges",     {TRI, PETSC_FALSE, -2, 2}, "Laplacian",         ""                                        },
  {"edges",     {TRI, PETSC_FALSE, -2, 1}, "Laplacian",         "-plex_assembly_shared_memory 4000"       },
  {"edges",     {TRI, PETSC_FALSE, -1, 3}, "Laplacian",         "-plex_assembly_partition_size 12"        },
  {"edges",     {TET, PETSC_FALSE, -2, 1}, "Laplacian",         ""                                        },
  {"edges",     {TET, PETSC_FALSE, -1, 1}, "Laplacian",         "-plex_assembly_row_sums false"           },
  {"edges",     {TET, PETSC_FALSE, -1, 2}, "Laplacian",         "-plex_assembly_precision single"         },
  {"points",    {TET, PETSC_FALSE, -1, 3}, "Laplacian",         ""                                        },
  {"points",    {TET, PETSC_FALSE, 0, 4},  "Laplacian",         ""                                        },
  {"gradients", {TRI, PETSC_FALSE, -2, 1}, "elasticity",        ""                                        },
  {"gradients", {TET, PETSC_FALSE, -1, 1}, "elasticity",        ""                                        },
  {"gradients", {TET, PETSC_FALSE, 0, 2},  "elasticity",        ""                                        },
  {"edges",     {TET, PETSC_FALSE, -1, 1}, "anisotropic, each", ""                                        },
  {"gradients", {TET, PETSC_FALSE, -1, 1}, "elasticity, each",  ""                                        },
  {"matrices",  {HEX, PETSC_FALSE, -1, 1}, "Laplacian",         "-plex_assembly_type shared_nz:matrices"  },
  {"partial",   {HEX, PETSC_TRUE, -1, 2},  "Laplacian",         PARTIAL                                   },
  {"partial",   {HEX, PETSC_FALSE, -1, 2}, "Laplacian",         PARTIAL                                   },
  {"partial",   {HEX, PETSC_FALSE, -2, 2}, "Laplacian",         PARTIAL " -plex_assembly_partition_size 1"}
};

/* The arrays of a plan, as the host has them */
typedef struct {
  PetscInt nblocks;
  size_t   bytes[5];
  void    *array[5];
} Plan;

static PetscErrorCode GetArrays(PlexBackend backend, const void *const from[5], Plan *plan)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 5; ++k) {
    PetscCall(PetscMalloc(plan->bytes[k], &plan->array[k]));
    PetscCall(PlexBackendCopyOut(backend, plan->array[k], from[k], plan->bytes[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetPairs(PlexAssembly assembly, const PlexPairs *pairs, Plan *plan)
{
  const PlexPairsArgs *d       = &pairs->device;
  const void *const    from[5] = {d->blocks, d->nodes, d->conn, d->lists, d->records};
  PlexPairsBlock      *blocks, last;
  size_t               words = 0, before = 0; /* of an element: vertices, and the first dof of auxiliary fields */

  PetscFunctionBegin;
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
  PetscCall(GetArrays(assembly->backend, from, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its "nodes" are dofs, and its "lists" and "records" heads and codes */
static PetscErrorCode GetPartial(PlexAssembly assembly, const PlexPartial *partial, Plan *plan)
{
  const PlexPartialArgs *d       = &partial->device;
  const PlexBlocksArgs  *b       = &partial->blocks.device;
  const PetscInt         n       = partial->blocks.nblocks;
  const void *const      from[5] = {d->parts, b->dofs, b->conn, d->heads, d->codes};
  PlexPartialPart       *parts;
  int                    dofs;

  PetscFunctionBegin;
  plan->nblocks  = n;
  plan->bytes[0] = sizeof(*parts) * (size_t)n;
  PetscCall(PetscMalloc(plan->bytes[0], &parts));
  PetscCall(PlexBackendCopyOut(assembly->backend, parts, d->parts, plan->bytes[0]));
  PetscCall(PlexBackendCopyOut(assembly->backend, &dofs, &b->dofStart[n], sizeof(dofs)));
  plan->bytes[1] = sizeof(int) * (size_t)dofs;
  plan->bytes[2] = 2 * partial->blocks.positions * (size_t)(assembly->elements->Nv + assembly->elements->ef);
  for (PetscInt k = 0; k < n * PLEX_PARTIAL_KINDS; ++k) {
    const PlexPartialKind *of = &parts[k / PLEX_PARTIAL_KINDS].of[k % PLEX_PARTIAL_KINDS];
    const PetscInt heads = k % PLEX_PARTIAL_KINDS < PLEX_PARTIAL_REST ? PLEX_PARTIAL_CHUNKS : PLEX_PARTIAL_LINE + 2;

    plan->bytes[3] = PetscMax(plan->bytes[3], sizeof(int) * (size_t)(of->head + of->n * heads));
    plan->bytes[4] = PetscMax(plan->bytes[4], 2 * PLEX_PARTIAL_LINE * (size_t)(of->line + of->lines));
  }
  PetscCall(PetscFree(parts));
  PetscCall(GetArrays(assembly->backend, from, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetPlan(DM dm, const char backend[], const char options[], PetscBool device, PetscBool symmetric,
                              Plan *plan)
{
  PlexAssembly      assembly;
  const PlexShared *shared;
  Vec               X;
  Mat               J;

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
  shared = (const PlexShared *)assembly->product[PLEX_JACOBIAN].plan;
  if (shared->paired) PetscCall(GetPairs(assembly, &shared->pairs, plan));
  else if (shared->variant && !strcmp(shared->variant->variant.name, "partial"))
    PetscCall(GetPartial(assembly, (const PlexPartial *)shared->ofVariant, plan));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  for (const char *const *name = (const char *const[]){"-plex_assembly_shared_memory", "-plex_assembly_partition_size",
                                                       "-plex_assembly_row_sums", "-plex_assembly_precision",
                                                       "-plex_assembly_type", "-plex_assembly_plan_on_device", NULL};
       *name; ++name)
    PetscCall(PetscOptionsClearValue(NULL, *name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(PetscInt k, const char backend[])
{
  const char *const         names[] = {"blocks", "nodes", "elements", "lists", "records"};
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
  PetscCall(PlexTestReport((PetscBool)(plan[0].nblocks && plan[0].nblocks == plan[1].nblocks), name,
                           "%" PetscInt_FMT " and %" PetscInt_FMT " blocks", plan[0].nblocks, plan[1].nblocks));
  for (PetscInt a = 0; a < 5 && plan[0].nblocks == plan[1].nblocks; ++a) {
    PetscBool same = (PetscBool)(plan[0].bytes[a] == plan[1].bytes[a]);
    char      which[320];

    if (same) PetscCall(PetscMemcmp(plan[0].array[a], plan[1].array[a], plan[0].bytes[a], &same));
    PetscCall(PetscSNPrintf(which, sizeof(which), "%s: %s", name, names[a]));
    PetscCall(PlexTestReport(same, which, "%zu and %zu bytes", plan[0].bytes[a], plan[1].bytes[a]));
  }
  for (PetscInt m = 0; m < 2; ++m)
    for (PetscInt a = 0; a < 5; ++a) PetscCall(PetscFree(plan[m].array[a]));
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
