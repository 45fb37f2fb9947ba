/* Options of nodal DG */
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include <plexgpu/private/backendimpl.h>
#include "../systems/systemsimpl.h"

/*@
  PlexDGSetFromOptions - Sets an operator from the options database

  Collective

  Input Parameter:
. dg - the operator

  Options Database Keys:
+ -plex_dg_system name               - `advection`, `acoustics`, `elastic`, `maxwell`, `shallow_water_linear`,
                                       `shallow_water`, `euler`, or one that was registered
. -plex_dg_degree degree             - of the polynomials, 1 to 9, with quadrature to 10
. -plex_dg_discretization (nodal|quadrature) - see `PlexDGSetDiscretization()`, which has -plex_dg_quadrature_degree,
                                               too
. -plex_dg_type type                 - way to compute it, see `PlexDGType`
. -plex_dg_backend type              - `auto`, `cuda`, `host` or `emulate`
. -plex_dg_precision (double|single) - arithmetic
. -plex_dg_cfl factor                - of the time step that `PlexDGSetTS()` sets
. -plex_dg_levels n                   - of elements by the time steps that they need, see `PlexDGSetLevels()`
. -plex_dg_adapt_step (true|false)   - whether the step of a `TS` follows the speed of the state
. -plex_dg_check_steps n             - steps between looks whether the state grows without bound, which is looked at in
                                       the end, too; 0 for none
. -plex_dg_bc kind                   - boundary condition; see `PlexDGAddBoundary()` for those of parts of the boundary
. -plex_dg_material values            - coefficients; see `PlexDGAddMaterial()` for -plex_dg_material_<label or value>,
                                       those of parts of the mesh
. -plex_dg_debye, -plex_dg_drude, -plex_dg_lorentz, likewise with _<label or value> - dispersive media; see
                                       `PlexDGAddDispersion()`
. -plex_dg_curve_<label> sphere,...  - a surface that facets are bent to; see `PlexDGSetCurve()`, which has
                                       -plex_dg_curve_<value> and -plex_dg_curve_degree, too
. -plex_dg_series file               - values in time of boundaries of water; see `PlexDGSetBoundarySeries()`
. -plex_dg_tide constituents         - likewise; see `PlexDGSetBoundaryTide()`
. -plex_dg_<name> values             - constants and coefficients of the system: -plex_dg_alpha 0.5
. -plex_dg_sheet_<label> conductance - a thin sheet on facets inside the mesh; see `PlexDGAddSheet()`
. -plex_dg_total_field name[:value]  - see `PlexDGSetTotalField()`
. -plex_dg_dipole_position x,y,z,... - see `PlexDGAddDipole()`, which has more of these
. -plex_dg_pml_<label or value> shape - cells of a perfectly matched layer; see `PlexDGSetPML()`
. -plex_dg_shock_capturing (true|false) - see `PlexDGSetShockCapturing()`
- -plex_dg_view viewer               - view when set up

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetSystem()`, `PlexDGSetDegree()`, `PlexDGSetType()`, `PlexDGSetBackend()`,
         `PlexDGSetPrecision()`, `PlexDGAddBoundary()`, `PlexDGAddMaterial()`, `PlexDGSetConstant()`
@*/
PetscErrorCode PlexDGSetFromOptions(PlexDG dg)
{
  char                 text[256], help[1024];
  PetscBool            set, adaptive, capture;
  PetscInt             degree = dg->degree, steps = dg->checkSteps, levels;
  PetscReal            cfl       = dg->cfl;
  PlexPrecision        precision = dg->precision;
  PlexDGType           type;
  PlexDGDiscretization discretization = dg->discretization;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PlexDGSystemHelp_Private("System of equations", sizeof(help), help));
  PetscCall(PetscOptionsString("-plex_dg_system", help, "PlexDGSetSystem", dg->system ? dg->system->name : "", text,
                               sizeof(text), &set));
  if (set) PetscCall(PlexDGSetSystem(dg, text));
  PetscCall(PetscOptionsInt("-plex_dg_degree", "Degree of the polynomials", "PlexDGSetDegree", degree, &degree, &set));
  if (set) PetscCall(PlexDGSetDegree(dg, degree));
  PetscCall(PetscOptionsEnum("-plex_dg_discretization", "Nodal, or with quadrature", "PlexDGSetDiscretization",
                             PlexDGDiscretizations, (PetscEnum)discretization, (PetscEnum *)&discretization, &set));
  if (set) PetscCall(PlexDGSetDiscretization(dg, discretization));
  degree = dg->quadratureDegree;
  PetscCall(PetscOptionsInt("-plex_dg_quadrature_degree", "Of polynomials that quadrature integrates exactly",
                            "PlexDGSetQuadratureDegree", degree, &degree, &set));
  if (set) PetscCall(PlexDGSetQuadratureDegree(dg, degree));
  PetscCall(PlexDGGetType(dg, &type));
  PetscCall(PlexDGHelpTypes_Private("Way to compute it", sizeof(help), help));
  PetscCall(PetscOptionsString("-plex_dg_type", help, "PlexDGSetType", type ? type : PLEXDGAUTO, text, sizeof(text),
                               &set));
  if (set) PetscCall(PlexDGSetType(dg, text));
  PetscCall(PlexBackendHelp_Private("Where it is computed", sizeof(help), help));
  PetscCall(PetscOptionsString("-plex_dg_backend", help, "PlexDGSetBackend",
                               dg->backendType ? dg->backendType : PLEXBACKENDAUTO, text, sizeof(text), &set));
  if (set) PetscCall(PlexDGSetBackend(dg, text));
  PetscCall(PetscOptionsEnum("-plex_dg_precision", "Arithmetic", "PlexDGSetPrecision", PlexPrecisions,
                             (PetscEnum)precision, (PetscEnum *)&precision, &set));
  if (set) PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PetscOptionsReal("-plex_dg_cfl", "Factor of the time step", "PlexDGSetCFL", cfl, &cfl, &set));
  if (set) PetscCall(PlexDGSetCFL(dg, cfl));
  levels = dg->maxlevels;
  PetscCall(PetscOptionsInt("-plex_dg_levels", "Levels of elements, of time steps of their own", "PlexDGSetLevels",
                            levels, &levels, &set));
  if (set) PetscCall(PlexDGSetLevels(dg, levels));
  PetscCall(PlexDGGetAdaptiveStep(dg, &adaptive));
  PetscCall(PetscOptionsBool("-plex_dg_adapt_step", "Time step that follows the speed of the state",
                             "PlexDGSetAdaptiveStep", adaptive, &adaptive, &set));
  if (set) PetscCall(PlexDGSetAdaptiveStep(dg, adaptive));
  PetscCall(PlexDGGetShockCapturing(dg, &capture));
  PetscCall(PetscOptionsBool("-plex_dg_shock_capturing", "Monotone elements at shocks", "PlexDGSetShockCapturing",
                             capture, &capture, &set));
  if (set) PetscCall(PlexDGSetShockCapturing(dg, capture));
  PetscCall(PetscOptionsInt("-plex_dg_check_steps", "Steps between looks at the norm of the state",
                            "PlexDGSetStabilityCheck", steps, &steps, &set));
  if (set) PetscCall(PlexDGSetStabilityCheck(dg, steps));
  PetscCall(PlexDGConditionsSetFromOptions_Private(dg));
  PetscCall(PlexDGCurvesSetFromOptions_Private(dg));
  PetscCall(PlexDGParametersSetFromOptions_Private(dg));
  PetscCall(PlexDGMaterialsSetFromOptions_Private(dg));
  PetscCall(PlexDGDispersionsSetFromOptions_Private(dg));
  PetscCall(PlexDGSheetsSetFromOptions_Private(dg));
  PetscCall(PlexDGSourcesSetFromOptions_Private(dg));
  PetscCall(PlexDGPMLSetFromOptions_Private(dg));
  PetscCall(PlexDGHelp_Private(dg, PetscOptionsObject));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}
