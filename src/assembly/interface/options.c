/* Options of an assembly */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "../../util/help.h"
#include "assemblyimpl.h"

/* -plex_assembly_jacobian_depends: the names of what is true, or none */
static PetscErrorCode PlexAssemblySetDependence(PlexAssembly asm_, const char list[])
{
  const char *const names[]    = {"solution", "position", "auxiliary", "none"};
  PetscBool         depends[4] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}, same;
  char            **words;
  int               n;

  PetscFunctionBegin;
  PetscCall(PetscStrToArray(list, ',', &n, &words));
  for (int w = 0; w < n; ++w) {
    PetscInt k = 0;

    for (; k < 4; ++k) {
      PetscCall(PetscStrcmp(words[w], names[k], &same));
      if (same) break;
    }
    PetscCheck(k < 4, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONG,
               "-plex_assembly_jacobian_depends %s: the words are none, or solution, position, auxiliary with commas "
               "between",
               list);
    depends[k] = PETSC_TRUE;
  }
  PetscCall(PetscStrToArrayDestroy(n, words));
  PetscCall(PlexAssemblySetJacobianDependence(asm_, depends[0], depends[1], depends[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyReadSizes(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  PetscInt block = asm_->blockSize, team = asm_->teamSize, partition = asm_->partitionSize, shared = asm_->sharedMemory;
  PlexPartitioner partitioner = asm_->partitioner;
  PetscBool       set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_block_size", "Threads a block", "PlexAssemblySetBlockSize", block,
                                   &block, &set, 0));
  if (set) PetscCall(PlexAssemblySetBlockSize(asm_, block));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_team_size", "Threads an element", "PlexAssemblySetTeamSize", team,
                                   &team, &set, 0));
  if (set) PetscCall(PlexAssemblySetTeamSize(asm_, team));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_partition_size", "Elements a partition",
                                   "PlexAssemblySetPartitionSize", partition, &partition, &set, 0));
  if (set) PetscCall(PlexAssemblySetPartitionSize(asm_, partition));
  PetscCall(PetscOptionsEnum("-plex_assembly_partitioner", "What cuts the mesh into partitions",
                             "PlexAssemblySetPartitioner", PlexPartitioners, (PetscEnum)partitioner,
                             (PetscEnum *)&partitioner, &set));
  if (set) PetscCall(PlexAssemblySetPartitioner(asm_, partitioner));
  PetscCall(PetscOptionsBoundedInt("-plex_assembly_shared_memory", "Shared memory a block, bytes",
                                   "PlexAssemblySetSharedMemory", shared, &shared, &set, 0));
  if (set) PetscCall(PlexAssemblySetSharedMemory(asm_, shared));
  PetscCall(PlexOptionsBool3_Private(PetscOptionsObject, "-plex_assembly_row_sums",
                                     "Diagonals of pairs of nodes from the sums of rows", "PlexAssemblySetFromOptions",
                                     &asm_->rowSums, NULL));
  PetscCall(PlexOptionsBool3_Private(PetscOptionsObject, "-plex_assembly_plan_on_device", "Plans are made by kernels",
                                     "PlexAssemblySetFromOptions", &asm_->planOnDevice, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All types with their variants, for -help */
static PetscErrorCode PlexAssemblySayTypes(const char of[], char text[], size_t size)
{
  const char **names;
  int          n;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetTypes_Private(&n, &names));
  PetscCall(PetscSNPrintf(text, size, "%s (one of) auto", of));
  for (int k = 0; k < n; ++k) {
    PetscCall(PetscStrlcat(text, " ", size));
    PetscCall(PlexVariantsSay_Private(names[k], text, size));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyReadTypes(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  char             text[PETSC_MAX_PATH_LEN], known[1024];
  PetscBool        set;
  PlexAssemblyType type;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySayTypes("Strategy", known, sizeof(known)));
  PetscCall(PetscOptionsString("-plex_assembly_type", known, "PlexAssemblySetType",
                               ((PetscObject)asm_)->type_name ? ((PetscObject)asm_)->type_name : PLEXASSEMBLYAUTO, text,
                               sizeof(text), &set));
  if (set) PetscCall(PlexAssemblySetType(asm_, text));
  PetscCall(PlexAssemblyGetResidualType(asm_, &type));
  PetscCall(PlexAssemblySayTypes("Strategy of the residual", known, sizeof(known)));
  PetscCall(PetscOptionsString("-plex_assembly_residual_type", known, "PlexAssemblySetResidualType",
                               type ? type : PLEXASSEMBLYAUTO, text, sizeof(text), &set));
  if (set) PetscCall(PlexAssemblySetResidualType(asm_, text));
  PetscCall(PlexAssemblyGetJacobianType(asm_, &type));
  PetscCall(PlexAssemblySayTypes("Strategy of the Jacobian", known, sizeof(known)));
  PetscCall(PetscOptionsString("-plex_assembly_jacobian_type", known, "PlexAssemblySetJacobianType",
                               type ? type : PLEXASSEMBLYAUTO, text, sizeof(text), &set));
  if (set) PetscCall(PlexAssemblySetJacobianType(asm_, text));
  PetscCall(PlexBackendHelp_Private("Where assembly runs", sizeof(known), known));
  PetscCall(PetscOptionsString("-plex_assembly_backend", known, "PlexAssemblySetBackend",
                               asm_->backendType ? asm_->backendType : PLEXBACKENDAUTO, text, sizeof(text), &set));
  if (set) PetscCall(PlexAssemblySetBackend(asm_, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyReadIntegration(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  char            text[PETSC_MAX_PATH_LEN];
  PetscBool       set;
  PlexPrecision   precision   = asm_->precision;
  PlexIntegration integration = asm_->integration;
  PetscInt        size;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-plex_assembly_integration", "How element data is integrated",
                             "PlexAssemblySetIntegration", PlexIntegrations, (PetscEnum)integration,
                             (PetscEnum *)&integration, &set));
  if (set) PetscCall(PlexAssemblySetIntegration(asm_, integration));
  size = asm_->tensorDegree;
  PetscCall(PetscOptionsInt("-plex_assembly_tensor_degree", "Degree of coefficients and geometry in tensor integration",
                            "PlexAssemblySetTensorDegree", size, &size, &set));
  if (set) PetscCall(PlexAssemblySetTensorDegree(asm_, size));
  PetscCall(PetscOptionsString("-plex_assembly_jacobian_depends",
                               "What the Jacobian's functions depend on: none, or some of solution,position,auxiliary",
                               "PlexAssemblySetJacobianDependence", "solution,position,auxiliary", text, sizeof(text),
                               &set));
  if (set) PetscCall(PlexAssemblySetDependence(asm_, text));
  PetscCall(PetscOptionsEnum("-plex_assembly_precision", "Arithmetic and element data", "PlexAssemblySetPrecision",
                             PlexPrecisions, (PetscEnum)precision, (PetscEnum *)&precision, &set));
  if (set) PetscCall(PlexAssemblySetPrecision(asm_, precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the pointwise functions are, and what the user knows of them */
static PetscErrorCode PlexAssemblyReadForm(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  char      text[PETSC_MAX_PATH_LEN];
  PetscBool set, flag;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-plex_assembly_source", "Device source of the pointwise functions",
                               "PlexAssemblySetPointwiseSource", asm_->source ? asm_->source : "", text, sizeof(text),
                               &set));
  if (set) PetscCall(PlexAssemblySetPointwiseSource(asm_, text));
  /* these two are read where the source is preprocessed: named here for -help */
  PetscCall(PetscOptionsString("-plex_assembly_source_flags", "Flags for the C compiler that preprocesses the source",
                               "PlexAssemblySetPointwiseSource", "", text, sizeof(text), NULL));
  PetscCall(PetscOptionsString("-plex_assembly_source_compiler", "C compiler that preprocesses the source",
                               "PlexAssemblySetPointwiseSource", "", text, sizeof(text), NULL));
  PetscCall(PetscOptionsBool("-plex_assembly_symmetric", "The Jacobian of the form is symmetric",
                             "PlexAssemblySetSymmetric", asm_->symmetric == PETSC_BOOL3_TRUE ? PETSC_TRUE : PETSC_FALSE,
                             &flag, &set));
  if (set) PetscCall(PlexAssemblySetSymmetric(asm_, flag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyReadMemory(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  PetscReal memory = (PetscReal)asm_->memory;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-plex_assembly_memory", "Most device memory for element data, bytes",
                             "PlexAssemblySetMemory", memory, &memory, &set));
  if (set) PetscCall(PlexAssemblySetMemory(asm_, (PetscInt64)memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexApplyRead_Private(const char prefix[], PetscBool *apply, PlexApply *how)
{
  char      text[64];
  PetscBool set, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, prefix, "-plex_assembly_apply", text, sizeof(text), &set));
  *apply = set;
  for (PetscInt k = 0; k <= PLEX_APPLY_EVALUATED && set && !same; ++k) {
    PetscCall(PetscStrcasecmp(text, PlexApplies[k], &same));
    if (same && how) *how = (PlexApply)k;
  }
  if (set && !same) PetscCall(PetscOptionsGetBool(NULL, prefix, "-plex_assembly_apply", apply, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those with the assembly's present prefix; last: no others follow */
static PetscErrorCode PlexAssemblyReadOptions(PlexAssembly asm_, PetscBool last)
{
  const PlexHelp elsewhere[] = {
    {"-plex_assembly",                  "bool",                            "Whether a program's own DM is taken over; with the prefix of a DM, that one",
     "PlexGPUSetTakeOver"                                                                                                                                                           },
    {"-plex_assembly_monitor_solution", "file or file:steps",              "Fields as VTKHDF",                                                            "PlexVecWriteVTKHDF"      },
    {"-plex_assembly_monitor_image",    "file or file:steps",              "Pictures as PNG",                                                             "PlexImageWrite"          },
    {"-plex_assembly_create_matrix",    "bool",                            "DMCreateMatrix() makes the matrix from the elements",
     "PlexAssemblySetSNESLocal"                                                                                                                                                     },
    {"-plex_assembly_project",          "bool or once",
     "Functions are projected into Lagrange fields here; once: called once a node",                                                                       "PlexAssemblySetSNESLocal"},
    {"-plex_assembly_apply",            "bool, auto, stored or evaluated",
     "J of a SNES is applied without a matrix, beside P with one; what products are made of",                                                             "PlexAssemblySetApply"    }
  };
  PlexApply apply    = asm_->apply;
  PetscReal check    = asm_->check;
  PetscInt  expected = asm_->expected;
  PetscBool set, flag;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)asm_);
  PetscCall(PlexAssemblyReadTypes(asm_, PetscOptionsObject));
  PetscCall(PlexAssemblyReadIntegration(asm_, PetscOptionsObject));
  PetscCall(PlexAssemblyReadForm(asm_, PetscOptionsObject));
  PetscCall(PlexAssemblyReadMemory(asm_, PetscOptionsObject));
  PetscCall(PlexAssemblyReadSizes(asm_, PetscOptionsObject));
  PetscCall(PetscOptionsInt("-plex_assembly_expected_assemblies", "Residuals and Jacobians that will be computed",
                            "PlexAssemblySetExpectedAssemblies", expected, &expected, &set));
  if (set) PetscCall(PlexAssemblySetExpectedAssemblies(asm_, expected));
  PetscCall(PetscOptionsBool("-plex_assembly_deterministic", "Sums are the same bits in each run",
                             "PlexAssemblySetDeterministic", asm_->deterministic, &flag, &set));
  if (set) PetscCall(PlexAssemblySetDeterministic(asm_, flag));
  PetscCall(PetscOptionsBool("-plex_assembly_fallback", "Leave to PETSc what cannot be done here",
                             "PlexAssemblySetFallback", asm_->fallback, &flag, &set));
  if (set) PetscCall(PlexAssemblySetFallback(asm_, flag));
  PetscCall(PetscOptionsReal("-plex_assembly_check", "Assemble with PETSc as well and compare",
                             "PlexAssemblySetCheckTolerance", check, &check, &set));
  PetscCall(PetscOptionsHasName(PetscOptionsObject->options, PetscOptionsObject->prefix, "-plex_assembly_check",
                                &flag));
  if (flag && !set) check = 1e-10; /* without a number */
  if (flag) PetscCall(PlexAssemblySetCheckTolerance(asm_, check));
  PetscCall((*PlexAssemblyTuning.setfromoptions)(asm_, PetscOptionsObject));
  PetscCall(PetscOptionsName("-plex_assembly_view", "View the assembly", "PlexAssemblyView", &set));
  if (set) asm_->timing = PETSC_TRUE;
  PetscCall(PlexHelpSay(PetscOptionsObject, elsewhere));
  PetscCall(PlexApplyRead_Private(((PetscObject)asm_)->prefix, &flag, &apply));
  PetscCall(PlexAssemblySetApply(asm_, apply));
  if (last) PetscCall(PetscObjectProcessOptionsHandlers((PetscObject)asm_, PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetFromOptions - Sets an assembly from the options database

  Collective

  Input Parameter:
. asm - the assembly

  Options Database Keys:
+ -plex_assembly_type type               - `auto` or a strategy, see `PlexAssemblyType`
. -plex_assembly_residual_type type      - of the residual alone, by default what `-plex_assembly_type` says
. -plex_assembly_jacobian_type type      - of the Jacobian alone, likewise
. -plex_assembly_backend type            - `auto`, `cuda`, `host` or `emulate`
. -plex_assembly_integration type        - `auto`, `quadrature` or `tensor`
. -plex_assembly_tensor_degree n         - degree of the polynomials in which `tensor` expands coefficients and
                                           geometry, 0 to 8; -1: 0, or 2 for elements that are not affine
. -plex_assembly_jacobian_depends list   - what the Jacobian's functions depend on: `none`, or `solution`, `position`,
                                           `auxiliary` with commas between
. -plex_assembly_precision type          - `double` or `single`: arithmetic and element data
. -plex_assembly_source files            - source of the pointwise functions: the application's own C files; "auto": as
                                           the debugging information says
. -plex_assembly_source_flags words      - for the C compiler that preprocesses them: "I../include DNAME=2", the dashes
                                           may be left out
. -plex_assembly_source_compiler command - that compiler, by default PETSc's
. -plex_assembly_symmetric (true|false)  - the Jacobian of the form is symmetric
. -plex_assembly_memory bytes            - most device memory for element data
. -plex_assembly_block_size n            - threads a block
. -plex_assembly_team_size n             - threads that work on one element together: 1, 2, 4, 8, 16, 32, or the block's
. -plex_assembly_partition_size n        - elements a partition, for the types that partition
. -plex_assembly_partitioner type        - `auto`, `metis`, or `curve`, runs of a Hilbert curve: what cuts the mesh into
                                           partitions
. -plex_assembly_shared_memory bytes     - shared memory a block, for `shared_nz` and `shared_row`
. -plex_assembly_plan_on_device (true|false) - plans of all types but `element_*` are made by kernels, or on the host;
                                               by default by kernels on a GPU
. -plex_assembly_row_sums (true|false)   - pairs of nodes, of `shared_nz`, have diagonals from the sums of rows; by
                                           default where that is faster
. -plex_assembly_expected_assemblies n   - how many residuals and Jacobians will be computed, or `unlimited`; by default not known
. -plex_assembly_deterministic (true|false) - `auto` takes types of which all sums are the same bits in each run
. -plex_assembly_fallback (true|false)   - leave to PETSc what cannot be done here (true), or stop with an error (false)
. -plex_assembly_check tolerance         - assemble with PETSc as well, compare, and stop at the first entries that
                                           differ; 1e-10 where no number is given
. -plex_assembly_tune (none|quick|full)  - time ways to assemble on this mesh and take the fastest
. -plex_assembly_tune_time seconds       - most time for that
. -plex_assembly_tune_archive file       - where results are kept and found again
- -plex_assembly_view viewer             - view when destroyed or when set up first: what was chosen and why, bytes,
                                           flops, rates

  Level: beginner

  Note:
  Each option counts with and without the prefix of the assembly, which is that of its `DM`; the one with the prefix
  wins.

.seealso: `PlexAssembly`, `PlexAssemblySetType()`, `PlexAssemblySetResidualType()`, `PlexAssemblySetJacobianType()`,
         `PlexAssemblySetBackend()`, `PlexAssemblySetPrecision()`
@*/
PetscErrorCode PlexAssemblySetFromOptions(PlexAssembly asm_)
{
  char *prefix = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PetscStrallocpy(((PetscObject)asm_)->prefix, &prefix));
  if (prefix) {
    PetscCall(PetscObjectSetOptionsPrefix((PetscObject)asm_, NULL));
    PetscCall(PlexAssemblyReadOptions(asm_, PETSC_FALSE));
    PetscCall(PetscObjectSetOptionsPrefix((PetscObject)asm_, prefix));
  }
  PetscCall(PlexAssemblyReadOptions(asm_, PETSC_TRUE));
  PetscCall(PetscFree(prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}
