/* Thin sheets on facets inside the mesh, as settings of a program, and options; sheetfacets.c finds the facets */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/*@
  PlexDGAddSheet - Makes facets inside the mesh with a label a thin sheet, which conducts

  Logically Collective

  Input Parameters:
+ dg          - the operator, of `maxwell`
. label       - name of a label of facets inside the mesh
. value       - its value; `PETSC_DETERMINE` for any
- conductance - G of the surface, conductivity times thickness; at least 0

  Options Database Key:
. -plex_dg_sheet_<label> G - likewise; <label>:<value> is that value of it, <value> alone that of "Face Sets"

  Level: beginner

  Example:
.vb
  PetscCall(PlexDGAddSheet(dg, "film", PETSC_DETERMINE, 1. / 377.));
.ve

  Notes:
  Where a sheet is thin beside wavelengths and the depth to which fields enter it, tangential E is the same on both sides, and
  n x H jumps by G E. A wave along the normal is transmitted by 2/(2 + G Z) and reflected by -G Z/(2 + G Z) where both sides
  have the impedance Z; 1/G is the resistance of a square of the sheet. Any G leaves the default time step as it is.

  Cells there are straight and of constant coefficients, and media may differ on both sides. Of two sheets with the same facet
  the last one is taken. Labels of facets alone hold sheets: a physical surface of Gmsh, with `-dm_plex_gmsh_use_regions`.

.seealso: `PlexDG`, `PlexDGAddBoundary()`, `PlexDGAddMaterial()`
@*/
PetscErrorCode PlexDGAddSheet(PlexDG dg, const char label[], PetscInt value, PetscReal conductance)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(label, 2);
  PetscCheck(conductance >= 0. && conductance < PETSC_INFINITY, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_ARG_OUTOFRANGE,
             "The sheet of label %s has the conductance %g, which has to be 0 or more, and finite: see "
             "-plex_dg_sheet_%s",
             label, (double)conductance, label);
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscRealloc(sizeof(*dg->sheets) * (size_t)(dg->nsheets + 1), &dg->sheets));
  PetscCall(PetscStrallocpy(label, &dg->sheets[dg->nsheets].label));
  dg->sheets[dg->nsheets].value       = value;
  dg->sheets[dg->nsheets].conductance = conductance;
  ++dg->nsheets;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSheetFromTag(PlexDG dg, const char tag[])
{
  char      option[PETSC_MAX_OPTION_NAME], name[256], label[256], *end, *colon;
  PetscReal conductance;
  PetscInt  value = PETSC_DETERMINE;
  long      number;
  PetscBool set, found;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_sheet_%s", tag));
  PetscCall(PetscOptionsGetReal(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, &conductance, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(name, tag, sizeof(name)));
  colon  = strchr(name, ':');
  number = strtol(colon ? colon + 1 : name, &end, 10);
  PetscCheck(!colon || (end > colon + 1 && !*end), PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "%s names a label, or label:value with a number", option);
  if (!colon && end > name && !*end) {
    value = (PetscInt)number;
    PetscCall(PetscStrncpy(label, "Face Sets", sizeof(label)));
  } else {
    if (colon) {
      value  = (PetscInt)number;
      *colon = 0;
    }
    PetscCall(PlexDGFindLabel_Private(dg, name, sizeof(label), label, &found));
  }
  PetscCall(PlexDGAddSheet(dg, label, value, conductance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSheetsSetFromOptions_Private(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_sheet", PlexDGSheetFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
