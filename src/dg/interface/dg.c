/* The class PlexDG: creation, settings, destruction */
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../impls/curved/curvedimpl.h"

PetscClassId PLEXDG_CLASSID = 0;

/*@
  PlexDGCreate - Creates the nodal discontinuous Galerkin operator of a hyperbolic system on a `DM`

  Collective

  Input Parameter:
. dm - a `DM` of type `DMPLEX`, distributed already, of triangles or tetrahedra; of DG with quadrature of quadrilaterals
       or hexahedra, too, or of triangles and quadrilaterals. Periodic ones have localized coordinates

  Output Parameter:
. dg - the operator

  Options Database Key:
. -plex_dg_system name - the system of equations; see `PlexDGSetFromOptions()` for all options

  Level: beginner

  Notes:
  The method is that of Kloeckner, Warburton, Bridge and Hesthaven (2009), in strong form: on each element the Lagrange
  polynomials of degree N on warp-and-blend nodes.

  Cells whose vertices `DMPLEX` has clockwise are turned round in the operator. One of another type, or inverted, is an
  error at set-up that names it.

  A vector of the operator, `PlexDGCreateVec()`, holds the values of each field at the nodes of each element:
  [element][field][node].

.seealso: `PlexDG`, `PlexDGSetSystem()`, `PlexDGSetDegree()`, `PlexDGSetFromOptions()`, `PlexDGSetTS()`,
         `PlexDGDestroy()`
@*/
PetscErrorCode PlexDGCreate(DM dm, PlexDG *newdg)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscAssertPointer(newdg, 2);
  PetscCheck(!PetscDefined(USE_COMPLEX), PetscObjectComm((PetscObject)dm), PETSC_ERR_SUP,
             "Discontinuous Galerkin methods compute with real numbers, and PETSc is configured with complex scalars: "
             "use a PETSc configured with real scalars (--with-scalar-type=real)");
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscHeaderCreate(dg, PLEXDG_CLASSID, "PlexDG", "Discontinuous Galerkin operator", "PlexGPU",
                              PetscObjectComm((PetscObject)dm), PlexDGDestroy, PlexDGView));
  PetscCall(PetscObjectReference((PetscObject)dm));
  dg->dm               = dm;
  dg->degree           = 3;
  dg->precision        = PLEX_PRECISION_DOUBLE;
  dg->cfl              = 1.;
  dg->pmlReflection    = 1e-12;
  dg->pmlPower         = PETSC_DETERMINE;
  dg->pmlAlpha         = PETSC_DETERMINE;
  dg->pmlWindow        = PLEX_PML_WINDOW;
  dg->pmlFused         = PETSC_TRUE;
  dg->method           = 1.;
  dg->maxlevels        = 1;
  dg->checkSteps       = 50;
  dg->quadratureDegree = PETSC_DETERMINE;
  dg->curveDegree      = PETSC_DETERMINE;
  *newdg               = dg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGReset - Frees what was set up, and keeps the settings. Needed after the mesh has changed.

  Collective

  Input Parameter:
. dg - the operator

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetUp()`
@*/
PetscErrorCode PlexDGReset(PlexDG dg)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (!dg->parts[0]) PetscTryTypeMethod(dg, reset);
  PetscCall(PlexDGCurvedDestroy_Private(dg));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDGDestroy(&dg->parts[k]));
  PetscCall(PetscSFDestroy(&dg->partsSF));
  PetscCall(PetscFree(dg->data));
  PetscCall(PetscMemzero(dg->ops, sizeof(*dg->ops)));
  PetscCall(PetscObjectChangeTypeName((PetscObject)dg, NULL));
  PetscCall(PlexDGExchangeDestroy_Private(&dg->exchange));
  PetscCall(PlexDGEnergyDestroy_Private(dg->backend, &dg->energy));
  PetscCall(PlexDGExtremaReset_Private(dg));
  PetscCall(PlexDGRatesDestroy_Private(dg->backend, &dg->rates));
  PetscCall(PlexDGShoreDestroy_Private(&dg->shore));
  PetscCall(PlexDGShockDestroy_Private(dg->backend, &dg->shock));
  PetscCall(PlexDGViscousDestroy_Private(dg->backend, &dg->viscous));
  PetscCall(PlexDGDrivenDestroy_Private(dg->backend, &dg->driven));
  PetscCall(PlexDGDecayDestroy_Private(dg->backend, &dg->decay));
  PetscCall(PlexDGPMLDestroy_Private(dg->backend, &dg->pml));
  PetscCall(PlexDGMemoryDestroy_Private(dg->backend, &dg->remembers));
  PetscCall(PlexDGImpedanceDestroy_Private(dg->backend, &dg->impedance));
  PetscCall(PlexDGSourcesReset_Private(dg));
  if (dg->backend) {
    PetscCall(PlexArrayReset(dg->backend, &dg->arrayU));
    PetscCall(PlexArrayReset(dg->backend, &dg->arrayR));
    PetscCall(PlexMemoryFree(dg->backend, &dg->memory));
  }
  PetscCall(PlexDGGradedDestroy_Private(&dg->graded));
  PetscCall(PetscFree(dg->coefficients));
  PetscCall(PetscFree(dg->variables));
  PetscCall(PetscFree(dg->actual));
  PetscCall(PetscFree3(dg->kinds, dg->resistance, dg->conductor));
  PetscCall(PetscMemzero(&dg->args, sizeof(dg->args)));
  PetscCall(PlexDGQuadratureDestroy(&dg->quadrature));
  PetscCall(PlexDGQuadratureDestroy(&dg->curved));
  PetscCall(PetscFree(dg->curvedNorm));
  PetscCall(PetscFree(dg->shapes));
  PetscCall(PetscFree(dg->nodes));
  PetscCall(PlexDGMeshDestroy(&dg->mesh));
  PetscCall(PlexDGLevelsDestroy_Private(&dg->levels));
  PetscCall(PlexDGReferenceDestroy(&dg->reference));
  dg->scaled = PETSC_FALSE;
  dg->setUp  = PETSC_FALSE;
  ++dg->resets;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGIsAnother_Private(PlexDG dg, TS ts, Vec U, PetscBool *changed, PetscBool *another)
{
  PetscObjectState state;
  PetscObjectId    id;
  PetscInt         step;
  PetscReal        t;

  PetscFunctionBegin;
  PetscCall(TSGetStepNumber(ts, &step));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(PetscObjectStateGet((PetscObject)U, &state));
  PetscCall(PetscObjectGetId((PetscObject)U, &id));
  *changed = (PetscBool)(dg->run.began && (state != dg->run.state || id != dg->run.id));
  *another = (PetscBool)(*changed && (!step || t != dg->run.time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGZeroVariables_Private(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGPMLZero_Private(dg));
  PetscCall(PlexDGImpedanceZero_Private(dg));
  PetscCall(PlexDGMemoryZero_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGLeave_Private(PlexDG dg, PetscObjectId ts, PetscReal t, Vec U)
{
  PetscFunctionBegin;
  dg->run.began  = PETSC_TRUE;
  dg->run.resets = dg->resets;
  dg->run.ts     = ts;
  dg->run.time   = t;
  PetscCall(PetscObjectStateGet((PetscObject)U, &dg->run.state));
  PetscCall(PetscObjectGetId((PetscObject)U, &dg->run.id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGDestroy - Destroys a nodal discontinuous Galerkin operator

  Collective

  Input Parameter:
. dg - the operator; set to `NULL`

  Level: beginner

.seealso: `PlexDG`, `PlexDGCreate()`
@*/
PetscErrorCode PlexDGDestroy(PlexDG *dg)
{
  PetscFunctionBegin;
  if (!*dg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*dg, PLEXDG_CLASSID, 1);
  if (--((PetscObject)*dg)->refct > 0) {
    *dg = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGReset(*dg));
  PetscCall(PetscFree((*dg)->extrema));
  PetscCall(PetscFree((*dg)->totalLabel));
  PetscCall(PlexDGPMLFree_Private(*dg));
  PetscCall(PetscFree((*dg)->dipoles));
  PetscCall(PlexDGConditionsDestroy_Private(*dg));
  PetscCall(PlexDGSheetsDestroy_Private(*dg));
  PetscCall(PlexDGMaterialsDestroy_Private(*dg));
  PetscCall(PlexDGGradingsDestroy_Private(*dg));
  PetscCall(PlexDGDispersionsDestroy_Private(*dg));
  PetscCall(PlexDGCurvesDestroy_Private(*dg));
  PetscCall(PlexDGSeriesDestroy_Private(*dg));
  PetscCall(PlexDGSystemDestroy(&(*dg)->system));
  PetscCall(PetscFree((*dg)->constants));
  PetscCall(PlexBackendDestroy(&(*dg)->backend));
  PetscCall(PetscFree((*dg)->backendType));
  PetscCall(PetscFree((*dg)->asked));
  PetscCall(DMDestroy(&(*dg)->dm));
  PetscCall(PetscHeaderDestroy(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetDegree - Sets the degree of the polynomials

  Logically Collective

  Input Parameters:
+ dg     - the operator
- degree - 1 to 9, with quadrature to 10; 3 if it is not set

  Options Database Key:
. -plex_dg_degree degree - likewise

  Level: beginner

.seealso: `PlexDG`, `PlexDGGetDegree()`, `PlexDGSetFromOptions()`
@*/
PetscErrorCode PlexDGSetDegree(PlexDG dg, PetscInt degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(degree >= 1 && degree <= PLEX_DG_MAX_QUADRATURE_DEGREE, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_ARG_OUTOFRANGE,
             "Nodal DG has degrees 1 to %d and DG with quadrature 1 to %d, not %" PetscInt_FMT ": see -plex_dg_degree",
             PLEX_DG_MAX_DEGREE, PLEX_DG_MAX_QUADRATURE_DEGREE, degree);
  if (degree != dg->degree) PetscCall(PlexDGReset(dg));
  dg->degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetDegree - Gets the degree of the polynomials

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. degree - the degree

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetDegree()`
@*/
PetscErrorCode PlexDGGetDegree(PlexDG dg, PetscInt *degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(degree, 2);
  *degree = dg->degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *const PlexDGDiscretizations[] = {"nodal", "quadrature", "PlexDGDiscretization", "PLEX_DG_", NULL};

/*@
  PlexDGSetDiscretization - Chooses between nodal DG and DG with quadrature

  Logically Collective

  Input Parameters:
+ dg             - the operator
- discretization - `PLEX_DG_NODAL`, if it is not set, or `PLEX_DG_QUADRATURE`

  Options Database Keys:
+ -plex_dg_discretization (nodal|quadrature) - likewise
- -plex_dg_quadrature_degree degree          - of polynomials that the quadrature of the latter integrates exactly; by
                                               default twice that of the basis, and as much more as a curved element
                                               needs, which is exact for a linear system

  Level: beginner

  Note:
  DG with quadrature (M. Henry de Frahan 2011, equations 2.3 to 2.23) is on triangles, quadrilaterals, tetrahedra or
  hexahedra, whose sides are curved where the coordinate space of the `DM` is of higher degree, and for systems in flux
  form.

.seealso: `PlexDG`, `PlexDGGetDiscretization()`, `PlexDGDiscretization`, `PlexDGSetSystem()`
@*/
PetscErrorCode PlexDGSetDiscretization(PlexDG dg, PlexDGDiscretization discretization)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (discretization != dg->discretization) PetscCall(PlexDGReset(dg));
  dg->discretization = discretization;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetDiscretization - Gets whether the operator is nodal DG or DG with quadrature

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. discretization - the discretization

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetDiscretization()`
@*/
PetscErrorCode PlexDGGetDiscretization(PlexDG dg, PlexDGDiscretization *discretization)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(discretization, 2);
  *discretization = dg->discretization;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetQuadratureDegree - Sets the degree of polynomials that the quadrature of `PLEX_DG_QUADRATURE` integrates exactly

  Logically Collective

  Input Parameters:
+ dg     - the operator, its degree set
- degree - not less than the degree of the operator; `PETSC_DETERMINE`, the default: twice that, and as much more as a curved element needs

  Options Database Key:
. -plex_dg_quadrature_degree degree - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetDiscretization()`, `PlexDGGetQuadratureDegree()`
@*/
PetscErrorCode PlexDGSetQuadratureDegree(PlexDG dg, PetscInt degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(degree == PETSC_DETERMINE || degree >= dg->degree, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_quadrature_degree %" PetscInt_FMT " is less than the degree of the polynomials, %" PetscInt_FMT,
             degree, dg->degree);
  PetscCall(PlexDGReset(dg));
  dg->quadratureDegree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetQuadratureDegree - Gets the degree of polynomials that the quadrature of `PLEX_DG_QUADRATURE` integrates exactly

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. degree - the degree; `PETSC_DETERMINE` where it was not set

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetQuadratureDegree()`
@*/
PetscErrorCode PlexDGGetQuadratureDegree(PlexDG dg, PetscInt *degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(degree, 2);
  *degree = dg->quadratureDegree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetSystem - Sets the system of equations

  Logically Collective

  Input Parameters:
+ dg   - the operator
- name - `advection`, `acoustics`, `elastic`, `maxwell`, `shallow_water_linear`, `shallow_water`, `euler`, or one that
         was registered

  Options Database Key:
. -plex_dg_system name - likewise

  Level: beginner

  Note:
  The system's constants and coefficients are set to its defaults, and there are no materials.

.seealso: `PlexDG`, `PlexDGGetSystem()`, `PlexDGSetConstant()`, `PlexDGSetCoefficients()`, `PlexDGAddMaterial()`,
         `PlexDGAddBoundary()`, `PlexDGSystemRegister()`
@*/
PetscErrorCode PlexDGSetSystem(PlexDG dg, const char name[])
{
  PetscInt dim;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscCall(PlexDGReset(dg));
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCheck(dim == 2 || dim == 3, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Nodal DG is on triangles and tetrahedra, and this mesh has dimension %" PetscInt_FMT, dim);
  PetscCall(PlexDGSystemDestroy(&dg->system));
  PetscCall(PlexDGSystemCreate(name, dim, &dg->system));
  PetscCall(PlexDGParametersReset_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetSystem - Gets the system of equations

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. name - its name; `NULL`: none is set yet

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetSystem()`
@*/
PetscErrorCode PlexDGGetSystem(PlexDG dg, const char **name)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(name, 2);
  *name = dg->system ? dg->system->name : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGGetFields - Gets the fields of the system of equations

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ Nf    - how many fields the system has in the mesh's dimension; 0: no system is set yet
- names - [Nf] their names, the system's own; `NULL`: no system is set yet. Pass `NULL` if they are not needed

  Level: intermediate

  Note:
  A state is [element][field][node], with `Nf` fields in the order of `names`.

.seealso: `PlexDG`, `PlexDGSetSystem()`, `PlexDGGetNodes()`, `PlexDGCreateVec()`
@*/
PetscErrorCode PlexDGGetFields(PlexDG dg, PetscInt *Nf, const char *const *names[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (Nf) *Nf = dg->system ? dg->system->Nf : 0;
  if (names) *names = dg->system ? dg->system->fields : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetBackend - Chooses where the operator is computed

  Logically Collective

  Input Parameters:
+ dg   - the operator
- type - `PLEXBACKENDAUTO`, `PLEXBACKENDCUDA`, `PLEXBACKENDHOST` or `PLEXBACKENDEMULATE`

  Options Database Key:
. -plex_dg_backend type - likewise

  Level: beginner

.seealso: `PlexDG`, `PlexBackendType`, `PlexDGGetBackend()`
@*/
PetscErrorCode PlexDGSetBackend(PlexDG dg, PlexBackendType type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGReset(dg));
  PetscCall(PlexBackendDestroy(&dg->backend));
  PetscCall(PetscFree(dg->backendType));
  PetscCall(PetscStrallocpy(type, &dg->backendType));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetBackend - Gets the backend that the operator is computed by

  Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. backend - the backend, created if need be

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetBackend()`
@*/
PetscErrorCode PlexDGGetBackend(PlexDG dg, PlexBackend *backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(backend, 2);
  if (!dg->backend) PetscCall(PlexBackendCreate(dg->backendType ? dg->backendType : PLEXBACKENDAUTO, &dg->backend));
  *backend = dg->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetPrecision - Chooses the arithmetic of the operator; vectors are of `PetscScalar` in any case

  Logically Collective

  Input Parameters:
+ dg        - the operator
- precision - `PLEX_PRECISION_DOUBLE` or `PLEX_PRECISION_SINGLE`

  Options Database Key:
. -plex_dg_precision (double|single) - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGGetPrecision()`, `PlexPrecision`
@*/
PetscErrorCode PlexDGSetPrecision(PlexDG dg, PlexPrecision precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (precision != dg->precision) PetscCall(PlexDGReset(dg));
  dg->precision = precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetPrecision - Gets the arithmetic of the operator

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. precision - the precision

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetPrecision()`
@*/
PetscErrorCode PlexDGGetPrecision(PlexDG dg, PlexPrecision *precision)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(precision, 2);
  *precision = dg->precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetOptionsPrefix - Sets the prefix of the options that an operator reads

  Logically Collective

  Input Parameters:
+ dg     - the operator
- prefix - put before `plex_dg_...`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGGetOptionsPrefix()`, `PlexDGSetFromOptions()`
@*/
PetscErrorCode PlexDGSetOptionsPrefix(PlexDG dg, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)dg, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetOptionsPrefix - Gets the prefix of the options that an operator reads

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. prefix - the prefix; `NULL`: none

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetOptionsPrefix()`
@*/
PetscErrorCode PlexDGGetOptionsPrefix(PlexDG dg, const char **prefix)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(prefix, 2);
  *prefix = ((PetscObject)dg)->prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}
