/*
  Dispersive media: poles of the susceptibility of the cells that a label names, of systems with an electric field
  (PlexDGSystem.electric). With fields proportional to exp(-i w t),

    epsilon(w) = epsilon + sum chi(w)
    Debye      chi = d/(1 - i w tau)
    Drude      chi = -p^2/(w^2 + i g w)
    Lorentz    chi = d w0^2/(w0^2 - w^2 - i g w)

  as memory variables of E (src/dg/core/memory.c), in epsilon E_t = curl H - sigma E - P_t with the polarization P of each:

    Debye      P' = (d E - P)/tau
    Drude      J = P', J' = p^2 E - g J;                     of which J/p is kept
    Lorentz    P' = J, J' = d w0^2 E - w0^2 P - g J;         of which P and J/w0 are kept

  so that the numbers of a matrix are all of the size of the pole's frequencies. Settings of a program and options are in
  dispersion.c.
*/
#include "dispersion.h"
#include <dg/memory_args.h>

const PlexDGDispersionModel PlexDGDispersionModels[PLEX_DG_DISPERSIONS] = {
  {"debye",   "strength,tau",             2, 1, {PETSC_FALSE, PETSC_TRUE}             },
  {"drude",   "plasma_frequency,gamma",   2, 1, {PETSC_FALSE, PETSC_FALSE}            },
  {"lorentz", "strength,frequency,gamma", 3, 2, {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE}}
};

PetscErrorCode PlexDGDispersionsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ndispersions; ++k) PetscCall(PetscFree(dg->dispersions[k].where.label));
  PetscCall(PetscFree(dg->dispersions));
  dg->ndispersions = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Which cell has which */

static PetscErrorCode PlexDGDispersionsAgree(PlexDG dg, PetscInt e, const PlexDGDispersion *a,
                                             const PlexDGDispersion *b)
{
  char      cell[160], name[2][256];
  PetscBool same = (PetscBool)(a->n == b->n);

  PetscFunctionBegin;
  if (same) PetscCall(PetscArraycmp(&a->poles[0][0], &b->poles[0][0], 3 * a->n, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
  PetscCall(PlexDGMaterialName_Private(&a->where, sizeof(name[0]), name[0]));
  PetscCall(PlexDGMaterialName_Private(&b->where, sizeof(name[1]), name[1]));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
          "There are two dispersive media of model %s for %s: %s and %s. Leave one of them out of the options or of "
          "PlexDGAddDispersion(), or give both the same poles",
          PlexDGDispersionModels[a->model].name, cell, name[0], name[1]);
}

/* Those of own element e by models, NULL: none. Labels come before all other cells, options before a program */
static PetscErrorCode PlexDGDispersionFind(PlexDG dg, PetscInt e, const PlexDGDispersion *found[PLEX_DG_DISPERSIONS],
                                           PetscInt held[])
{
  PlexDG    whole = dg->whole ? dg->whole : dg;
  PetscBool any   = PETSC_FALSE;

  PetscFunctionBegin;
  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k) found[k] = NULL;
  for (int option = 1; option >= 0; --option)
    for (PetscInt k = 0; k < whole->ndispersions; ++k) {
      const PlexDGDispersion  *d    = &whole->dispersions[k];
      const PlexDGDispersion **here = &found[d->model];
      PetscBool                holds;

      if (!d->where.label || d->where.option != (PetscBool)option) continue;
      PetscCall(PlexDGMaterialHolds_Private(dg, &d->where, e, &holds));
      if (!holds) continue;
      held[k] = 1;
      any     = PETSC_TRUE;
      if (*here && (*here)->where.option == d->where.option) PetscCall(PlexDGDispersionsAgree(dg, e, *here, d));
      if (!*here) *here = d;
    }
  for (PetscInt k = 0; k < whole->ndispersions && !any; ++k)
    if (!whole->dispersions[k].where.label) found[whole->dispersions[k].model] = &whole->dispersions[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory variables of E */
static PetscInt PlexDGDispersionCount(const PlexDGDispersion *const found[PLEX_DG_DISPERSIONS])
{
  PetscInt m = 0;

  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k) m += found[k] ? PlexDGDispersionModels[k].m * found[k]->n : 0;
  return m;
}

/* M[(m + 1)^2] of (E, variables), where E is in a medium of this epsilon */
static void PlexDGDispersionGetMatrix(const PlexDGDispersion *const found[PLEX_DG_DISPERSIONS], PetscReal epsilon,
                                      PetscInt m, PetscReal M[])
{
  const PetscInt n = m + 1;
  PetscInt       v = 1; /* the next variable */

  for (PetscInt k = 0; k < n * n; ++k) M[k] = 0.;
  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k)
    for (PetscInt p = 0; found[k] && p < found[k]->n; ++p) {
      const PetscReal *pole = found[k]->poles[p];

      if (k == PLEX_DG_DEBYE) {
        M[0] -= pole[0] / (pole[1] * epsilon);
        M[v]         = 1. / (pole[1] * epsilon);
        M[v * n]     = pole[0] / pole[1];
        M[v * n + v] = -1. / pole[1];
      } else if (k == PLEX_DG_DRUDE) {
        M[v]         = -pole[0] / epsilon;
        M[v * n]     = pole[0];
        M[v * n + v] = -pole[1];
      } else {
        const PetscInt q = v + 1; /* J/w0 */

        M[q]         = -pole[1] / epsilon;
        M[v * n + q] = pole[1];
        M[q * n]     = pole[0] * pole[1];
        M[q * n + v] = -pole[1];
        M[q * n + q] = -pole[2];
      }
      v += PlexDGDispersionModels[k].m;
    }
}

/* Of an operator without parts: memory variables of its elements; held[ndispersions], counts[ndispersions] cells */
static PetscErrorCode PlexDGDispersionsSetUpPart(PlexDG dg, PetscInt held[], PetscInt counts[])
{
  const PlexDGDispersion *found[PLEX_DG_DISPERSIONS];
  const PlexDG            whole = dg->whole ? dg->whole : dg;
  PetscReal               M[(PLEX_MEMORY_MOST + 1) * (PLEX_MEMORY_MOST + 1)];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscInt m;

    PetscCall(PlexDGDispersionFind(dg, e, found, held));
    m = PlexDGDispersionCount(found);
    if (!m) continue;
    if (m > PLEX_MEMORY_MOST) {
      char cell[160];

      PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
              "The dispersive media of %s have %" PetscInt_FMT
              " memory variables, one a pole of debye and drude and two of "
              "lorentz, and there may be %d: give it fewer poles",
              cell, m, PLEX_MEMORY_MOST);
    }
    PlexDGDispersionGetMatrix(found, dg->coefficients[e * dg->system->ncoefficients], m, M);
    for (PetscInt f = 0; f < dg->system->electric; ++f) PetscCall(PlexDGMemoryAdd_Private(dg, e, f, m, M));
    for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k)
      if (found[k]) ++counts[found[k] - whole->dispersions];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What enters at a boundary is a wave of a medium without dispersion */
static PetscErrorCode PlexDGDispersionsCheckBoundary(PlexDG dg)
{
  PlexDGMesh mesh = dg->mesh;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const char *kind = dg->system->kinds[dg->kinds[b]];
    PetscBool   incident, scatterer;
    char        cell[160];

    PetscCall(PetscStrcmp(kind, "incident", &incident));
    PetscCall(PetscStrcmp(kind, "scatterer", &scatterer));
    if ((!incident && !scatterer) || !PlexDGMemoryHas_Private(dg, mesh->facet[b] / mesh->faces, 0)) continue;
    PetscCall(PlexDGMeshCellName_Private(mesh, mesh->facet[b] / mesh->faces, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "A facet of the dispersive %s has the boundary condition %s, whose wave knows no dispersion: let a wave "
            "enter "
            "where there is none, or on a surface of -plex_dg_total_field",
            cell, kind);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDispersionsSetUp_Private(PlexDG dg)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts), nd = dg->ndispersions;
  PetscInt      *counts; /* cells that take each, and whether there are cells that have it */

  PetscFunctionBegin;
  if (!nd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(2 * nd, &counts));
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGDispersionsSetUpPart(parts[p], &counts[nd], counts));
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGDispersionsCheckBoundary(parts[p]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, counts, (PetscMPIInt)(2 * nd), MPIU_INT, MPI_SUM, comm));
  for (PetscInt k = 0; k < nd; ++k) {
    PlexDGMaterial *where = &dg->dispersions[k].where;

    where->cells = counts[k];
    if (where->label && !counts[nd + k])
      PetscCall(PlexDGMaterialMissing_Private(dg, where, PlexDGDispersionModels[dg->dispersions[k].model].name,
                                              "PlexDGAddDispersion()"));
  }
  PetscCall(PetscFree(counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDispersionsView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ndispersions; ++k) {
    const PlexDGDispersion      *d     = &dg->dispersions[k];
    const PlexDGDispersionModel *model = &PlexDGDispersionModels[d->model];
    char                         name[256], numbers[1024] = "", part[64];

    PetscCall(PlexDGMaterialName_Private(&d->where, sizeof(name), name));
    for (PetscInt p = 0; p < d->n; ++p)
      for (PetscInt i = 0; i < model->n; ++i) {
        PetscCall(PetscSNPrintf(part, sizeof(part), "%s %g", i ? "," : p ? ";" : "", (double)d->poles[p][i]));
        PetscCall(PetscStrlcat(numbers, part, sizeof(numbers)));
      }
    PetscCall(PetscViewerASCIIPrintf(viewer, "dispersive medium %s: %s (%s)%s, %" PetscInt_FMT " cells\n", name,
                                     model->name, model->numbers, numbers, d->where.cells));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
