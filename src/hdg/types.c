/* Types of the mesh's cells, and whether elements are of several types or degrees (groups.h) */
#include "hdgimpl.h"

/* Every cell of the mesh is looked at: PlexCellsGetOwned() passes over some types */
PetscErrorCode PlexHDGGetTypes_Private(PlexHDG hdg, PetscInt types[2])
{
  PetscInt type[2] = {PETSC_INT_MAX, -1}, cStart, cEnd; /* least, largest */

  PetscFunctionBegin;
  if (hdg->types[0] >= 0) {
    PetscCall(PetscArraycpy(types, hdg->types, 2));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    DMPolytopeType cell;

    PetscCall(DMPlexGetCellType(hdg->dm, c, &cell));
    if (cell == DM_POLYTOPE_FV_GHOST || cell == DM_POLYTOPE_INTERIOR_GHOST) continue;
    PetscCheck(cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_QUADRILATERAL || cell == DM_POLYTOPE_TETRAHEDRON ||
                 cell == DM_POLYTOPE_HEXAHEDRON,
               PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Hybridized DG is on triangles, quadrilaterals, tetrahedra and hexahedra, and cell %" PetscInt_FMT
               " is a %s%s",
               c, DMPolytopeTypes[cell],
               cell == DM_POLYTOPE_TRI_PRISM
                 ? ": -dm_refine 1 -dm_plex_transform_type refine_tobox makes hexahedra of tetrahedra and prisms"
                 : "");
    type[0] = PetscMin(type[0], (PetscInt)cell);
    type[1] = PetscMax(type[1], (PetscInt)cell);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &type[0], 1, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)hdg->dm)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &type[1], 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)hdg->dm)));
  PetscCheck(type[1] >= 0, PetscObjectComm((PetscObject)hdg->dm), PETSC_ERR_ARG_WRONG, "The mesh has no cells");
  PetscCall(PetscArraycpy(hdg->types, type, 2));
  PetscCall(PetscArraycpy(types, type, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGIsSeveral_Private(PlexHDG hdg, PetscBool *several)
{
  PetscInt types[2];

  PetscFunctionBegin;
  *several = PETSC_FALSE;
  if (hdg->whole) PetscFunctionReturn(PETSC_SUCCESS); /* a part has one of each */
  PetscCall(PlexHDGGetTypes_Private(hdg, types));
  *several = (PetscBool)(hdg->degrees || (types[0] == DM_POLYTOPE_TRIANGLE && types[1] == DM_POLYTOPE_QUADRILATERAL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGForgetBackend_Private(PlexHDG hdg)
{
  PetscBool any = PETSC_TRUE;

  PetscFunctionBegin;
  if (hdg->backendType) PetscCall(PetscStrcmp(hdg->backendType, PLEXBACKENDAUTO, &any));
  if (any) PetscCall(PlexBackendDestroy(&hdg->backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCheckUniform_Private(PlexHDG hdg, const char what[])
{
  PetscBool several;

  PetscFunctionBegin;
  PetscCall(PlexHDGIsSeveral_Private(hdg, &several));
  PetscCheck(!several, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "%s is for elements of one type and one degree, and this mesh has %s", what,
             hdg->degrees ? "elements of several degrees: see PlexHDGSetDegree(), and -plex_hdg_degrees_label"
                          : "triangles and quadrilaterals: -dm_refine 1 -dm_plex_transform_type refine_tosimplex makes "
                            "triangles of all");
  PetscFunctionReturn(PETSC_SUCCESS);
}
