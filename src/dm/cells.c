/* What methods of discontinuous Galerkin ask of a mesh */
#include "elementsimpl.h"

PetscErrorCode PlexCellsSupported(DM dm, const char method[])
{
  MPI_Comm               comm = PetscObjectComm((PetscObject)dm);
  DMPlexInterpolatedFlag interpolated;
  PetscInt               dim, cdim;
  PetscBool              is;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &is));
  PetscCheck(is, comm, PETSC_ERR_ARG_WRONG, "%s is on a DM of type plex, not %s", method,
             ((PetscObject)dm)->type_name ? ((PetscObject)dm)->type_name : "without a type");
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinateDim(dm, &cdim));
  PetscCheck(dim == 2 || dim == 3, comm, PETSC_ERR_SUP, "%s is on meshes of dimension 2 or 3, not %" PetscInt_FMT,
             method, dim);
  PetscCheck(cdim == dim, comm, PETSC_ERR_SUP,
             "%s is on meshes that fill their space: this one of dimension %" PetscInt_FMT " has %" PetscInt_FMT
             " coordinates",
             method, dim, cdim);
  PetscCall(DMPlexIsInterpolatedCollective(dm, &interpolated));
  PetscCheck(interpolated == DMPLEX_INTERPOLATED_FULL, comm, PETSC_ERR_ARG_WRONGSTATE,
             "%s needs faces and edges, which this mesh has not: use DMPlexInterpolate(), or the option "
             "-dm_plex_interpolate",
             method);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All cells of the mesh but ghosts of finite volumes, which PETSc puts behind the others: one of another shape would be
   left out without a word, and its faces be a boundary */
static PetscErrorCode PlexCellsGetRange(DM dm, PetscInt *cStart, PetscInt *cEnd)
{
  const DMPolytopeType supported[2][2] = {
    {DM_POLYTOPE_TRIANGLE,    DM_POLYTOPE_QUADRILATERAL},
    {DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON   }
  };
  const uint8_t *types;
  PetscInt       dim, end, pStart;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, cStart, &end));
  PetscCall(PlexGetCellTypes(dm, &types, &pStart));
  *cEnd = *cStart;
  for (PetscInt c = *cStart; c < end; ++c) {
    DMPolytopeType type;

    if (types) type = (DMPolytopeType)types[c - pStart];
    else PetscCall(DMPlexGetCellType(dm, c, &type));
    if (type == DM_POLYTOPE_FV_GHOST || type == DM_POLYTOPE_INTERIOR_GHOST) continue;
    PetscCheck(type == supported[dim - 2][0] || type == supported[dim - 2][1], PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Discontinuous Galerkin is on %ss or %ss, and cell %" PetscInt_FMT
               " is a %s: use a mesh of one of these alone, -dm_view shows what the mesh has",
               DMPolytopeTypes[supported[dim - 2][0]], DMPolytopeTypes[supported[dim - 2][1]], c,
               DMPolytopeTypes[type]);
    PetscCheck(*cEnd == c, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Cell %" PetscInt_FMT " of the mesh comes behind ghosts of finite volumes, at %" PetscInt_FMT, c, *cEnd);
    *cEnd = c + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCellsGetOwned(DM dm, PetscInt *n, PetscInt **cells)
{
  const PetscInt *leaves;
  PetscInt        cStart = 0, cEnd = 0, nroots, nleaves;
  PetscBool      *owned;
  PetscSF         sf;

  PetscFunctionBegin;
  PetscCall(PlexCellsGetRange(dm, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &owned));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) owned[c] = PETSC_TRUE;
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, &nroots, &nleaves, &leaves, NULL));
  for (PetscInt l = 0; nroots >= 0 && l < nleaves; ++l) {
    const PetscInt p = leaves ? leaves[l] : l;

    if (p >= cStart && p < cEnd) owned[p - cStart] = PETSC_FALSE;
  }
  *n = 0;
  for (PetscInt c = cStart; c < cEnd; ++c) *n += owned[c - cStart];
  PetscCall(PetscMalloc1(*n, cells));
  *n = 0;
  for (PetscInt c = cStart; c < cEnd; ++c)
    if (owned[c - cStart]) (*cells)[(*n)++] = c;
  PetscCall(PetscFree(owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLabelHolds(DMLabel label, PetscInt value, PetscInt point, PetscBool *holds)
{
  PetscInt has, none;

  PetscFunctionBegin;
  *holds = PETSC_FALSE;
  if (!label) PetscFunctionReturn(PETSC_SUCCESS);
  if (value != PETSC_DETERMINE) PetscCall(DMLabelStratumHasPoint(label, value, point, holds));
  else {
    PetscCall(DMLabelGetDefaultValue(label, &none));
    PetscCall(DMLabelGetValue(label, point, &has));
    *holds = (PetscBool)(has != none);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a boundary condition is told that holds for no facet of any process: its name or value is wrong, and something
   else is there in its place */
PetscErrorCode PlexLabelHoldsNowhere(MPI_Comm comm, const char condition[], const char label[], PetscInt value)
{
  char text[64];

  PetscFunctionBegin;
  if (value == PETSC_DETERMINE) PetscCall(PetscStrncpy(text, "any value", sizeof(text)));
  else PetscCall(PetscSNPrintf(text, sizeof(text), "the value %" PetscInt_FMT, value));
  SETERRQ(comm, PETSC_ERR_ARG_WRONG,
          "Boundary condition %s is for %s of label %s, which no facet of the boundary has: -dm_view shows the "
          "labels and their values",
          condition, text, label);
}

PetscErrorCode PlexPointsCombine(DM dm, MPI_Op op, MPI_Datatype unit, void *values)
{
  PetscSF  sf;
  PetscInt nroots;

  PetscFunctionBegin;
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, &nroots, NULL, NULL, NULL));
  if (nroots < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFReduceBegin(sf, unit, values, values, op));
  PetscCall(PetscSFReduceEnd(sf, unit, values, values, op));
  PetscCall(PetscSFBcastBegin(sf, unit, values, values, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, values, values, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
