/*
  Materials, coefficients of the cells that a label of the mesh names: which cell has which, and what is wrong with them
*/
#include "dgimpl.h"

PetscErrorCode PlexDGMaterialsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nmaterials; ++k) PetscCall(PetscFree(dg->materials[k].label));
  PetscCall(PetscFree(dg->materials));
  dg->nmaterials = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialGet_Private(PlexDG dg, const PlexDGMaterial *m, PetscReal k[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < dg->system->ncoefficients; ++i) k[i] = m->given[i] ? m->values[i] : dg->uniform[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialName_Private(const PlexDGMaterial *m, size_t size, char name[])
{
  PetscBool sets = PETSC_FALSE;

  PetscFunctionBegin;
  if (m->label) PetscCall(PetscStrcmp(m->label, PLEX_DG_MATERIAL_LABEL, &sets));
  if (!m->label) PetscCall(PetscStrncpy(name, "all other cells", size));
  else if (m->value == PETSC_DETERMINE) PetscCall(PetscStrncpy(name, m->label, size));
  else if (sets) PetscCall(PetscSNPrintf(name, size, "%" PetscInt_FMT, m->value));
  else PetscCall(PetscSNPrintf(name, size, "%s:%" PetscInt_FMT, m->label, m->value));
  if (m->label) PlexDGUnderscore_Private(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Which cell has which */

static PetscErrorCode PlexDGMaterialValues(PlexDG dg, const PlexDGMaterial *m, size_t size, char text[])
{
  PetscReal k[PLEX_DG_MAX_FIELDS];
  char      part[128];

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(PlexDGMaterialGet_Private(dg, m, k));
  for (PetscInt i = 0; i < dg->system->ncoefficients; ++i) {
    PetscCall(PetscSNPrintf(part, sizeof(part), "%s%s %g", i ? ", " : "", dg->system->coefficients[i].name,
                            (double)k[i]));
    PetscCall(PetscStrlcat(text, part, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the cell of own element e has the label */
PetscErrorCode PlexDGMaterialHolds_Private(PlexDG dg, const PlexDGMaterial *m, PetscInt e, PetscBool *holds)
{
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dg->dm, m->label, &label));
  PetscCall(PlexLabelHolds(label, m->value, dg->mesh->cells[e], holds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGMaterialsAgree(PlexDG dg, PetscInt e, const PlexDGMaterial *a, const PlexDGMaterial *b)
{
  PetscReal k[2][PLEX_DG_MAX_FIELDS];
  char      cell[160], name[2][256], values[2][512];
  PetscBool same = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexDGMaterialGet_Private(dg, a, k[0]));
  PetscCall(PlexDGMaterialGet_Private(dg, b, k[1]));
  for (PetscInt i = 0; i < dg->system->ncoefficients; ++i) same = (PetscBool)(same && k[0][i] == k[1][i]);
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
  for (int i = 0; i < 2; ++i) {
    PetscCall(PlexDGMaterialName_Private(i ? b : a, sizeof(name[i]), name[i]));
    PetscCall(PlexDGMaterialValues(dg, i ? b : a, sizeof(values[i]), values[i]));
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
          "There are two materials for %s: %s (%s) and %s (%s). Leave one of -plex_dg_material_%s and "
          "-plex_dg_material_%s or PlexDGAddMaterial() out, or give both the same values",
          cell, name[0], values[0], name[1], values[1], name[0], name[1]);
}

PetscErrorCode PlexDGMaterialFind_Private(PlexDG dg, PetscInt e, const PlexDGMaterial **found)
{
  PlexDG whole = dg->whole ? dg->whole : dg;

  PetscFunctionBegin;
  *found = NULL;
  for (int option = 1; option >= 0 && !*found; --option)
    for (PetscInt k = 0; k < whole->nmaterials; ++k) {
      const PlexDGMaterial *m = &whole->materials[k];
      PetscBool             holds;

      if (!m->label || m->option != (PetscBool)option) continue;
      PetscCall(PlexDGMaterialHolds_Private(dg, m, e, &holds));
      if (!holds) continue;
      if (*found) PetscCall(PlexDGMaterialsAgree(dg, e, *found, m));
      else *found = m;
    }
  for (PetscInt k = 0; k < whole->nmaterials && !*found; ++k)
    if (!whole->materials[k].label) *found = &whole->materials[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PLEX_DG_MATERIAL_TAGS 1024 /* characters of each process */

/* Adds a tag, unless it is there or there is no more room: tags end with a line feed each */
static PetscErrorCode PlexDGMaterialsAddTag(char tags[], const char tag[], size_t length)
{
  const size_t size = strlen(tags);

  PetscFunctionBegin;
  for (const char *at = tags; *at; at = strchr(at, '\n') + 1)
    if (!strncmp(at, tag, length) && at[length] == '\n') PetscFunctionReturn(PETSC_SUCCESS);
  if (size + length + 2 > PLEX_DG_MATERIAL_TAGS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(&tags[size], tag, length));
  PetscCall(PetscStrncpy(&tags[size + length], "\n", 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of own cells, as options have them */
static PetscErrorCode PlexDGMaterialsGetTags(PlexDG dg, char tags[])
{
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(DMGetNumLabels(dg->dm, &n));
  for (PetscInt l = 0; l < n; ++l) {
    DMLabel        label;
    PlexDGMaterial m = {.value = PETSC_DETERMINE};
    PetscInt       none;
    char           name[256];
    PetscBool      depth, celltype, sets;

    PetscCall(DMGetLabelName(dg->dm, l, (const char **)&m.label));
    PetscCall(PetscStrcmp(m.label, "depth", &depth));
    PetscCall(PetscStrcmp(m.label, "celltype", &celltype));
    PetscCall(PetscStrcmp(m.label, PLEX_DG_MATERIAL_LABEL, &sets));
    if (depth || celltype) continue;
    PetscCall(DMGetLabel(dg->dm, m.label, &label));
    PetscCall(DMLabelGetDefaultValue(label, &none));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
      PetscInt value;

      PetscCall(DMLabelGetValue(label, dg->mesh->cells[e], &value));
      if (value == none) continue;
      if (sets) m.value = value;
      PetscCall(PlexDGMaterialName_Private(&m, sizeof(name), name));
      PetscCall(PlexDGMaterialsAddTag(tags, name, strlen(name)));
      if (!sets) break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialMissing_Private(PlexDG dg, const PlexDGMaterial *m, const char what[],
                                             const char function[])
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);
  PetscMPIInt    size;
  char           name[256], own[PLEX_DG_MATERIAL_TAGS] = "", all[PLEX_DG_MATERIAL_TAGS] = "", *gathered;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGMaterialsGetTags(parts[p], own));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc1((size_t)size * sizeof(own), &gathered));
  PetscCallMPI(MPI_Allgather(own, (PetscMPIInt)sizeof(own), MPI_CHAR, gathered, (PetscMPIInt)sizeof(own), MPI_CHAR,
                             comm));
  for (PetscMPIInt r = 0; r < size; ++r)
    for (const char *at = gathered + (size_t)r * sizeof(own), *end; *at; at = end + 1) {
      end = strchr(at, '\n');
      PetscCall(PlexDGMaterialsAddTag(all, at, (size_t)(end - at)));
    }
  PetscCall(PetscFree(gathered));
  if (all[0]) all[strlen(all) - 1] = 0;
  for (char *c = all; *c; ++c)
    if (*c == '\n') *c = ' ';
  PetscCall(PlexDGMaterialName_Private(m, sizeof(name), name));
  SETERRQ(comm, PETSC_ERR_ARG_WRONG,
          "No cell of the mesh has the %s %s, see -plex_dg_%s_%s or %s. Values of Cell Sets and labels that cells "
          "have: "
          "%s. -plex_dg_%s is for all cells without another material, and -dm_plex_gmsh_use_regions makes labels of "
          "Gmsh's names",
          what, name, what, name, function, all[0] ? all : "none", what);
}

/* Whether own cells have each of them, by option or program, and how many cells take it: counts[nmaterials] */
static PetscErrorCode PlexDGMaterialsCount(PlexDG dg, PetscInt held[], PetscInt counts[])
{
  PlexDG whole = dg->whole ? dg->whole : dg;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    const PlexDGMaterial *taken;

    PetscCall(PlexDGMaterialFind_Private(dg, e, &taken));
    if (taken) ++counts[taken - whole->materials];
    for (PetscInt k = 0; k < whole->nmaterials; ++k) {
      PetscBool holds = PETSC_TRUE;

      if (held[k]) continue;
      if (whole->materials[k].label) PetscCall(PlexDGMaterialHolds_Private(dg, &whole->materials[k], e, &holds));
      held[k] = holds;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialsSetUp_Private(PlexDG dg)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts), nm = dg->nmaterials;
  PetscInt      *counts; /* cells that take each, whether there are cells that have it */

  PetscFunctionBegin;
  if (!nm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!dg->system->host[0]->variable, comm, PETSC_ERR_SUP,
             "The coefficients of system %s vary in an element, so a material cannot say what they are: use "
             "PlexDGSetCoefficients(), or -plex_dg_<name> for a value that is the same everywhere",
             dg->system->name);
  PetscCall(PetscCalloc1(2 * nm, &counts));
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGMaterialsCount(parts[p], &counts[nm], counts));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, counts, (PetscMPIInt)(2 * nm), MPIU_INT, MPI_SUM, comm));
  for (PetscInt k = 0; k < nm; ++k) {
    dg->materials[k].cells = counts[k];
    if (dg->materials[k].label && !counts[nm + k])
      PetscCall(PlexDGMaterialMissing_Private(dg, &dg->materials[k], "material", "PlexDGAddMaterial()"));
  }
  PetscCall(PetscFree(counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialsView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nmaterials; ++k) {
    char name[256], values[512];

    PetscCall(PlexDGMaterialName_Private(&dg->materials[k], sizeof(name), name));
    PetscCall(PlexDGMaterialValues(dg, &dg->materials[k], sizeof(values), values));
    PetscCall(PetscViewerASCIIPrintf(viewer, "material %s: %s, %" PetscInt_FMT " cells\n", name, values,
                                     dg->materials[k].cells));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
