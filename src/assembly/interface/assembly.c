/* The class PlexAssembly: creation, settings, destruction */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../integrate/traits.h"
#include "../../dm/elementsimpl.h" /* PlexTakeSection_Private() */

PetscClassId PLEXASSEMBLY_CLASSID = 0;

const char *const PlexPrecisions[]   = {"double", "single", "PlexPrecision", "PLEX_PRECISION_", NULL};
const char *const PlexApplies[]      = {"auto", "stored", "evaluated", "PlexApply", "PLEX_APPLY_", NULL};
const char *const PlexIntegrations[] = {"auto", "quadrature", "tensor", "PlexIntegration", "PLEX_INTEGRATION_", NULL};

/* comm: the DM's communicator, or this process alone for an integral that other processes need not have: objects on a
   communicator have to be created on all its processes in the same order. owner: NULL where it is its own */
PetscErrorCode PlexAssemblyCreateOn_Private(MPI_Comm comm, PlexAssembly owner, PlexAssembly *newasm)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscHeaderCreate(asm_, PLEXASSEMBLY_CLASSID, "PlexAssembly", "Finite element assembly", "PlexGPU", comm,
                              PlexAssemblyDestroy, PlexAssemblyView));
  asm_->owner = owner ? owner : asm_;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) asm_->product[k].kind = (PlexProductKind)k;
  *newasm = asm_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyCreate - Creates the assembly of the discretized problem on a `DM`

  Collective

  Input Parameter:
. dm - a `DM` of type `DMPLEX` with its fields and `PetscDS` set

  Output Parameter:
. asm - the assembly

  Options Database Key:
. -plex_assembly_type type - the strategy; see `PlexAssemblySetFromOptions()` for all options

  Level: beginner

  Note:
  A program that solves with `SNES` needs only `PlexAssemblySetSNESLocal()`.

.seealso: `PlexAssembly`, `PlexAssemblySetFromOptions()`, `PlexAssemblyComputeJacobian()`, `PlexAssemblyDestroy()`
@*/
PetscErrorCode PlexAssemblyCreate(DM dm, PlexAssembly *newasm)
{
  PlexAssembly asm_;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscAssertPointer(newasm, 2);
  PetscCall(PlexAssemblyCreateOn_Private(PetscObjectComm((PetscObject)dm), NULL, &asm_));
  PetscCall(PetscObjectReference((PetscObject)dm));
  asm_->dm           = dm;
  asm_->integration  = PLEX_INTEGRATION_AUTO;
  asm_->apply        = PLEX_APPLY_AUTO;
  asm_->tensorDegree = PETSC_DECIDE;
  asm_->declared     = PLEX_READS_ALL;
  asm_->precision    = PLEX_PRECISION_DOUBLE;
  asm_->symmetric    = PETSC_BOOL3_UNKNOWN;
  asm_->rowSums      = PETSC_BOOL3_UNKNOWN;
  asm_->expected     = PETSC_DETERMINE;
  asm_->planOnDevice = PETSC_BOOL3_UNKNOWN;
  asm_->fallback     = PETSC_TRUE;
  *newasm            = asm_;
  PetscCall(PlexTakeSection_Private(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees a product's plan and module; settings stay */
PetscErrorCode PlexAssemblyResetProduct_Private(PlexAssembly asm_, PlexProduct *product)
{
  const PlexProductKind kind = product->kind;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySelect_Private(asm_, kind));
  if (product->setUp && asm_->elements->Ne) PetscUseTypeMethod(asm_, resetproduct, product);
  PetscCall(PlexMemoryFree(asm_->backend, &product->memory));
  PetscCall(PlexModuleDestroy(&product->module));
  PetscCall(PlexVariablesDestroy(&product->variables));
  PetscCall(PlexTensorDestroy_Private(&product->tensor));
  PetscCall(PlexTensorDestroy_Private(&product->constant));
  PetscCall(PetscFree(product->zero));
  PetscCall(PlexIntegratorReset(product));
  if (asm_->backend) PetscCall(PlexBackendFree(asm_->backend, &product->tables));
  PetscCall(PetscMemzero(product, sizeof(*product)));
  product->kind = kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyReset - Frees plans, compiled kernels and device memory, and keeps the settings. Needed after the mesh,
  the fields or the pointwise functions of the `DM` have changed.

  Collective

  Input Parameter:
. asm - the assembly

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetUp()`
@*/
PetscErrorCode PlexAssemblyReset(PlexAssembly asm_)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[k]));
  PetscCall(PlexListsDestroy(&asm_->parts.elements));
  asm_->parts.maxElements = 0;
  PetscCall(PlexExchangeDestroy_Private(&asm_->exchange));
  PetscCall(PlexBasisBlocksDestroy(&asm_->blocks));
  PetscCall(PlexEssentialEntriesDestroy_Private(asm_));
  PetscCall(PlexEssentialReset_Private(asm_, PETSC_FALSE));
  PetscCall(PlexPatternDestroy(&asm_->pattern));
  PetscCall(PlexTraitsForget_Private(asm_));
  PetscCall(PlexElementsDestroy(&asm_->elements));
  PetscCall(PlexFormDestroy(&asm_->form));
  PetscCall(PlexProgramDestroy(&asm_->program)); /* the files are read again */
  PetscCall(PetscFree(asm_->found));
  if (asm_->backend) {
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayX));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayX_t));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayV));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayF));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayA));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayO));
    PetscCall(PlexArrayReset(asm_->backend, &asm_->arrayAux));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&asm_->xDevice));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&asm_->facetDevice));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&asm_->faceDevice));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&asm_->auxDevice));
    PetscCall(PlexBackendFree(asm_->backend, (void **)&asm_->constantsDevice));
  }
  if (asm_->boundary) asm_->evaluations += asm_->boundary->evaluations;
  PetscCall(PlexBoundaryDestroy(&asm_->boundary));
  PetscCall(PlexBasisDestroy(&asm_->basis));
  PetscCall(PlexAnchorsDestroy(&asm_->anchors));
  PetscCall(PetscFree(asm_->constants));
  PetscCall(PetscFree(asm_->reason));
  asm_->inverted = PETSC_FALSE;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PetscFree(asm_->strategy[k].why));
  PetscCall((*PlexAssemblyTuning.restore)(asm_));
  asm_->setUp     = PETSC_FALSE;
  asm_->typesOpen = PETSC_FALSE;
  asm_->unsteady  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyDestroy - Destroys an assembly

  Collective

  Input Parameter:
. asm - the assembly; set to `NULL`

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblyCreate()`
@*/
PetscErrorCode PlexAssemblyDestroy(PlexAssembly *asm_)
{
  PetscFunctionBegin;
  if (!*asm_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*asm_, PLEXASSEMBLY_CLASSID, 1);
  if (--((PetscObject)*asm_)->refct > 0) {
    *asm_ = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexLiveRemove_Private(*asm_));
  if ((*asm_)->timing) PetscCall(PlexAssemblyViewFromOptions(*asm_, NULL, "-plex_assembly_view"));
  PetscCall(PlexAssemblyReset(*asm_));
  PetscCall(PlexEssentialReset_Private(*asm_, PETSC_TRUE));
  PetscCall(PlexAssemblyDestroyStrategies_Private(*asm_));
  PetscCall(PlexBackendDestroy(&(*asm_)->backend));
  PetscCall((*PlexAssemblyTuning.destroy)(&(*asm_)->tuner));
  PetscCall(PetscFree((*asm_)->backendType));
  PetscCall(PetscFree((*asm_)->source));
  PetscCall(PetscFree((*asm_)->found));
  PetscCall(PlexProgramDestroy(&(*asm_)->program));
  if (!(*asm_)->borrowed) PetscCall(DMDestroy(&(*asm_)->dm));
  PetscCall(PetscHeaderDestroy(asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetBackend - Chooses where assembly runs

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- type - `PLEXBACKENDAUTO`, `PLEXBACKENDCUDA`, `PLEXBACKENDHOST` or `PLEXBACKENDEMULATE`

  Options Database Key:
. -plex_assembly_backend type - likewise

  Level: beginner

.seealso: `PlexAssembly`, `PlexBackendType`, `PlexAssemblyGetBackend()`
@*/
PetscErrorCode PlexAssemblySetBackend(PlexAssembly asm_, PlexBackendType type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyReset(asm_));
  PetscCall(PlexBackendDestroy(&asm_->backend));
  PetscCall(PetscFree(asm_->backendType));
  PetscCall(PetscStrallocpy(type, &asm_->backendType));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetIntegration - Chooses how element data is integrated

  Logically Collective

  Input Parameters:
+ asm         - the assembly
- integration - `PLEX_INTEGRATION_AUTO`, `PLEX_INTEGRATION_QUADRATURE` or `PLEX_INTEGRATION_TENSOR`

  Options Database Keys:
+ -plex_assembly_integration (auto|quadrature|tensor) - likewise
- -plex_assembly_tensor_degree n                      - degree of the polynomials, 0 to 8; -1, the default: 0, or 2 for
                                                        elements that are not affine

  Level: intermediate

  Notes:
  Tensor integration serves Jacobians whose functions do not depend on the solution:
  $A^e_{ij} = \sum_{ab} K_{iabj} G_{ab}$ with $K$ tabulated once and $G$ of each element's geometry and coefficients
  (Knepley and Terrel 2011). `auto` takes it where it gives what quadrature gives, to rounding: in affine elements, if
  the functions are known to give one value in an element. They do if they read neither the solution nor the position,
  and auxiliary fields only if these are constant in each element. On backends that compile, the functions' source says
  what they read. On the host one call at a point of the mesh says whether they read anything of the point; those that
  do are evaluated at all points, and the tensor serves the elements in which the values are the same.
  `PlexAssemblySetJacobianDependence()` says more than the library can know.

  `tensor` serves other forms as well: coefficients that depend on the position or on auxiliary fields are interpolated
  in polynomials of `-plex_assembly_tensor_degree`, which then has to be given, and so is the geometry of elements that
  are not affine. The matrix is that of quadrature where the polynomials hold what is interpolated. Functions that
  depend on the solution are an error.

.seealso: `PlexAssembly`, `PlexAssemblyGetIntegration()`, `PlexIntegration`
@*/
PetscErrorCode PlexAssemblySetIntegration(PlexAssembly asm_, PlexIntegration integration)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (integration != asm_->integration) PetscCall(PlexAssemblyReset(asm_));
  asm_->integration = integration;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetIntegration - Gets how element data is integrated

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. integration - what was asked for, or has been found by tuning

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetIntegration()`
@*/
PetscErrorCode PlexAssemblyGetIntegration(PlexAssembly asm_, PlexIntegration *integration)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(integration, 2);
  *integration = asm_->integration;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetApply - Chooses what products with a matrix of type `MATPLEXGPU` are made of

  Logically Collective

  Input Parameters:
+ asm   - the assembly
- apply - `PLEX_APPLY_AUTO`, `PLEX_APPLY_STORED` or `PLEX_APPLY_EVALUATED`

  Options Database Key:
. -plex_assembly_apply (true|false|auto|stored|evaluated) - likewise; besides, all but `false` let a `SNES` apply its
                                                            Jacobian, beside an assembled matrix for the preconditioner

  Level: intermediate

  Notes:
  Stored, the linearized form is evaluated at the points of the cells once a state, with the first product, into
  $C_q = w_q |J| (g_0, g_1 J^{-T}; J^{-1} g_2, J^{-1} g_3 J^{-T})$. A product is $\sum_q B_q^T C_q B_q v$ then, without
  pointwise functions and geometry, on quadrilaterals and hexahedra by sums over one direction after the other. Entries that
  the form does not have are left out, as is half of C where the Jacobian is declared symmetric
  (`PlexAssemblySetSymmetric()`) or its functions' source shows it. On simplices with straight sides whose functions are
  known to have one value an element, an element has one C. Where the functions are known to read nothing of a point, and C
  has more numbers, $w_q |J|$ and $J^{-1}$ are kept of a point, and of the form once the functions' own numbers.

  `PLEX_APPLY_AUTO` stores S bytes an element where $S \le G + (E - A)/4$, with G bytes of coordinates and state and E
  operations of an evaluated product and A operations of one with C, if they fit into `PlexAssemblySetMemory()`, by default
  half of the memory that is free. Facets are evaluated in each product in any case, and so are bases of vectors and complex
  scalars, for which `PLEX_APPLY_STORED` is an error.

  Example\:
.vb
  PlexAssemblySetApply(asm, PLEX_APPLY_STORED);
  DMSetMatType(dm, MATPLEXGPU);
  PlexAssemblyCreateMatrix(asm, &A);
  PlexAssemblyComputeJacobian(asm, locX, NULL, 0.0, 0.0, A, A);
  MatMult(A, x, y);
.ve

  Source: quadrature data of matrix-free operators, with sums over one direction after the other\: Orszag (1980); reference
  tensors of simplices\: Knepley and Terrel (2011).

.seealso: `PlexAssembly`, `PlexAssemblyGetApply()`, `PlexApply`, `MATPLEXGPU`
@*/
PetscErrorCode PlexAssemblySetApply(PlexAssembly asm_, PlexApply apply)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(asm_, apply, 2);
  if (apply != asm_->apply) PetscCall(PlexAssemblyReset(asm_));
  asm_->apply = apply;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetApply - Gets what products with a matrix of type `MATPLEXGPU` are made of

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. apply - what was asked for

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetApply()`
@*/
PetscErrorCode PlexAssemblyGetApply(PlexAssembly asm_, PlexApply *apply)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(apply, 2);
  *apply = asm_->apply;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetJacobianDependence - Says which arguments the functions of the Jacobian depend on

  Logically Collective

  Input Parameters:
+ asm       - the assembly
. solution  - `PETSC_TRUE` where one of them depends on u, u_t or u_x
. position  - likewise on x
- auxiliary - likewise on the auxiliary fields a or a_x

  Options Database Key:
. -plex_assembly_jacobian_depends list - `none`, or `solution`, `position`, `auxiliary` with commas between

  Level: advanced

  Notes:
  By default all are true, and what is known of the functions is found in their source, or by a call: see
  `PlexAssemblySetIntegration()`. Where that does not say enough, as with source that is too involved, this allows
  tensor integration. Functions that are seen to read what they were said not to depend on are an error on the host;
  `-plex_assembly_check` shows a wrong claim anywhere.

.seealso: `PlexAssembly`, `PlexAssemblyGetJacobianDependence()`, `PlexAssemblySetIntegration()`,
         `PlexAssemblySetSymmetric()`
@*/
PetscErrorCode PlexAssemblySetJacobianDependence(PlexAssembly asm_, PetscBool solution, PetscBool position,
                                                 PetscBool auxiliary)
{
  const unsigned declared = PLEX_READS_ALL & ~((solution ? 0 : PLEX_READS_SOLUTION) | (position ? 0 : PLEX_READS_X) |
                                               (auxiliary ? 0 : PLEX_READS_AUXILIARY));

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidLogicalCollectiveBool(asm_, solution, 2);
  PetscValidLogicalCollectiveBool(asm_, position, 3);
  PetscValidLogicalCollectiveBool(asm_, auxiliary, 4);
  if (declared != asm_->declared) PetscCall(PlexAssemblyReset(asm_));
  asm_->declared = declared;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetJacobianDependence - Gets what was said of the arguments that the functions of the Jacobian depend on

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameters:
+ solution  - may be `NULL`
. position  - may be `NULL`
- auxiliary - may be `NULL`

  Level: advanced

.seealso: `PlexAssembly`, `PlexAssemblySetJacobianDependence()`
@*/
PetscErrorCode PlexAssemblyGetJacobianDependence(PlexAssembly asm_, PetscBool *solution, PetscBool *position,
                                                 PetscBool *auxiliary)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (solution) *solution = (PetscBool)((asm_->declared & PLEX_READS_SOLUTION) != 0);
  if (position) *position = (PetscBool)((asm_->declared & PLEX_READS_X) != 0);
  if (auxiliary) *auxiliary = (PetscBool)((asm_->declared & PLEX_READS_AUXILIARY) != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetPrecision - Chooses the arithmetic and the storage of element data

  Logically Collective

  Input Parameters:
+ asm       - the assembly
- precision - `PLEX_PRECISION_DOUBLE` or `PLEX_PRECISION_SINGLE`

  Options Database Key:
. -plex_assembly_precision (double|single) - likewise

  Level: intermediate

  Note:
  In single precision the entries carry a relative error that grows as the elements shrink, as one over their size:
  about 2e-5 at 2.4 million nodes in 2D (Cecka, Lew and Darve 2011, Table VI). Sums into the matrix and residual are in
  `PetscScalar`.

.seealso: `PlexAssembly`, `PlexAssemblyGetPrecision()`, `PlexPrecision`
@*/
PetscErrorCode PlexAssemblySetPrecision(PlexAssembly asm_, PlexPrecision precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (precision != asm_->precision) PetscCall(PlexAssemblyReset(asm_));
  asm_->precision = precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetPrecision - Gets the arithmetic and the storage of element data

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. precision - the precision

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetPrecision()`
@*/
PetscErrorCode PlexAssemblyGetPrecision(PlexAssembly asm_, PlexPrecision *precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(precision, 2);
  *precision = asm_->precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetPointwiseSource - Names the source of the pointwise functions of the `PetscDS`, for backends that
  compile

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- path - a file in C that defines them, or several with commas between; "auto": the files that the program's debugging
         information names

  Options Database Keys:
+ -plex_assembly_source path                - likewise
. -plex_assembly_source_flags words         - for the C compiler that preprocesses the file: "I../include DNAME=2"
- -plex_assembly_source_compiler command    - that compiler, by default PETSc's

  Level: beginner

  Notes:
  The functions are found by the names they have in the running program, so the file is one that the program was
  compiled from. It is preprocessed as C with PETSc's flags, and the functions and all they reach are taken out of it;
  what else it holds does not matter. Variables of the file that they read have their present values at each assembly.

  "auto" takes the files from DWARF, so the program has to be compiled with -g. It does not say which macros were defined
  on the compiler's command line: name those with `-plex_assembly_source_flags`. A file that has changed since the
  program was compiled is not taken, and the forms are left to PETSc.

  A file with the suffix .i is taken as preprocessed. Without a C compiler a header of pointwise functions alone is
  taken as it is.

  The `host` backend calls the functions themselves and needs no source.

.seealso: `PlexAssembly`, `PlexAssemblyGetPointwiseSource()`, `PetscDSSetResidual()`, `PetscDSSetJacobian()`
@*/
PetscErrorCode PlexAssemblySetPointwiseSource(PlexAssembly asm_, const char path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyReset(asm_));
  PetscCall(PetscFree(asm_->source));
  PetscCall(PlexProgramDestroy(&asm_->program));
  PetscCall(PetscStrallocpy(path, &asm_->source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetPointwiseSource - Gets the files that are the source of the pointwise functions

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. path - the files, with commas between; `NULL`: none were named

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblySetPointwiseSource()`
@*/
PetscErrorCode PlexAssemblyGetPointwiseSource(PlexAssembly asm_, const char **path)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(path, 2);
  *path = asm_->source;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetSymmetric - Says whether the Jacobian of the form is symmetric: then half of the element data is
  computed and stored

  Logically Collective

  Input Parameters:
+ asm       - the assembly
- symmetric - `PETSC_TRUE` where it is

  Options Database Key:
. -plex_assembly_symmetric (true|false) - likewise

  Level: intermediate

  Note:
  By default the matrix is asked (`MatIsSymmetricKnown()`). `-plex_assembly_check` shows a wrong claim.

.seealso: `PlexAssembly`, `PlexAssemblyGetSymmetric()`, `MatSetOption()`
@*/
PetscErrorCode PlexAssemblySetSymmetric(PlexAssembly asm_, PetscBool symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  asm_->symmetric = symmetric ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_));
  PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[PLEX_JACOBIAN]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetSymmetric - Gets what was said of the symmetry of the Jacobian

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameters:
+ set       - whether anything was; may be `NULL`
- symmetric - whether it is symmetric, where that was said; may be `NULL`

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetSymmetric()`
@*/
PetscErrorCode PlexAssemblyGetSymmetric(PlexAssembly asm_, PetscBool *set, PetscBool *symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (set) *set = (PetscBool)(asm_->symmetric != PETSC_BOOL3_UNKNOWN);
  if (symmetric) *symmetric = (PetscBool)(asm_->symmetric == PETSC_BOOL3_TRUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetMemory - Limits the device memory for element data of the types that keep it in global memory; what
  does not fit is done in passes

  Logically Collective

  Input Parameters:
+ asm   - the assembly
- bytes - the limit; 0 for half of what is free

  Options Database Key:
. -plex_assembly_memory bytes - likewise

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyGetMemory()`, `PLEXASSEMBLYGLOBALNZ`
@*/
PetscErrorCode PlexAssemblySetMemory(PlexAssembly asm_, PetscInt64 bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCheck(bytes >= 0, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_OUTOFRANGE,
             "Memory limit must not be negative: %" PetscInt64_FMT " bytes", bytes);
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[k]));
  asm_->memory = bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetMemory - Gets the limit of the device memory for element data

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. bytes - the limit; 0: half of what is free

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetMemory()`
@*/
PetscErrorCode PlexAssemblyGetMemory(PlexAssembly asm_, PetscInt64 *bytes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(bytes, 2);
  *bytes = asm_->memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetOptionsPrefix - Sets the prefix of the options that an assembly reads

  Logically Collective

  Input Parameters:
+ asm    - the assembly
- prefix - put before `plex_assembly_...`

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyGetOptionsPrefix()`, `PlexAssemblySetFromOptions()`
@*/
PetscErrorCode PlexAssemblySetOptionsPrefix(PlexAssembly asm_, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)asm_, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetOptionsPrefix - Gets the prefix of the options that an assembly reads

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. prefix - the prefix; `NULL`: none

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetOptionsPrefix()`
@*/
PetscErrorCode PlexAssemblyGetOptionsPrefix(PlexAssembly asm_, const char **prefix)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(prefix, 2);
  *prefix = ((PetscObject)asm_)->prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetCounts - Gets how many residuals and Jacobians were computed here and how many were left to PETSc

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. counts - the numbers

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyCounts`, `PlexAssemblyView()`
@*/
PetscErrorCode PlexAssemblyGetCounts(PlexAssembly asm_, PlexAssemblyCounts *counts)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(counts, 2);
  counts->residuals     = asm_->counts[PLEX_RESIDUAL][0];
  counts->jacobians     = asm_->counts[PLEX_JACOBIAN][0];
  counts->residualsLeft = asm_->counts[PLEX_RESIDUAL][1];
  counts->jacobiansLeft = asm_->counts[PLEX_JACOBIAN][1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
