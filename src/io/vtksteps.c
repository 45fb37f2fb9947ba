/*
  States of a VTKHDF file: fields at the points of one mesh, at several times

    /VTKHDF
      PointData/<field>          [states points], or [...][width]
      Steps                      attribute NSteps; Values, the times; where each state's parts begin, those of the mesh
                                 at 0 always
*/
#include "vtk.h"

static const char *const PlexVTKOffsets[] = {"PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"};

/* One number of the whole at a row */
static PetscErrorCode PlexVTKWriteNumber(PlexH5 *h, const char name[], PlexH5Type type, PetscInt64 row,
                                         const void *value)
{
  PetscFunctionBegin;
  PetscCall(PlexH5WriteRows(h, name, type, row, h->rank ? 0 : 1, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateStates_Private(PlexH5 *h)
{
  const int      none = 0;
  const PetscInt one  = 1;
  char           name[128];

  PetscFunctionBegin;
  PetscCall(PlexH5Group(h, "VTKHDF/Steps"));
  PetscCall(PlexH5Group(h, "VTKHDF/Steps/PointDataOffsets"));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &none));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Steps/Values", PLEX_H5_DOUBLE, 0, 0, NULL, PETSC_TRUE));
  PetscCall(PlexH5CreateArray(h, "VTKHDF/Steps/NumberOfParts", PLEX_H5_INT64, 0, 0, NULL, PETSC_TRUE));
  for (int k = 0; k < 4; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/%s", PlexVTKOffsets[k]));
    PetscCall(PlexH5CreateArray(h, name, PLEX_H5_INT64, 0, k > 1, &one, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCreateField_Private(PlexH5 *h, const char field[], PetscInt width)
{
  char name[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", field));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, 0, width > 1, &width, PETSC_TRUE));
  PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/PointDataOffsets/%s", field));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_INT64, 0, 0, NULL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKWriteField_Private(PlexH5 *h, const char field[], PetscInt64 state, PetscInt64 all, PetscInt64 n,
                                         const PetscReal values[])
{
  const PetscInt64 at = state * all;
  char             name[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", field));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, at, n, values));
  PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/PointDataOffsets/%s", field));
  PetscCall(PlexVTKWriteNumber(h, name, PLEX_H5_INT64, state, &at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKEndState_Private(PlexH5 *h, PetscInt64 state, PetscReal t)
{
  const PetscInt64 none = 0, one = 1;
  const int        states = (int)state + 1;
  char             name[128];

  PetscFunctionBegin;
  for (int k = 0; k < 4; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/Steps/%s", PlexVTKOffsets[k]));
    PetscCall(PlexVTKWriteNumber(h, name, PLEX_H5_INT64, state, &none));
  }
  PetscCall(PlexVTKWriteNumber(h, "VTKHDF/Steps/NumberOfParts", PLEX_H5_INT64, state, &one));
  PetscCall(PlexVTKWriteNumber(h, "VTKHDF/Steps/Values", PLEX_H5_DOUBLE, state, &t));
  PetscCall(PlexH5SetNumbers(h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &states));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVTKCountStates_Private(PlexH5 *h, PetscInt64 all, const char mesh[], PetscInt64 *n)
{
  PetscInt64 points;
  int        states = 0;

  PetscFunctionBegin;
  PetscCall(PlexH5GetNumbers(h, "VTKHDF/Steps", "NSteps", PLEX_H5_INT, 0, &states));
  PetscCall(PlexH5GetRows(h, "VTKHDF/Points", &points));
  PetscCheck(points == all, h->comm, PETSC_ERR_FILE_UNEXPECTED,
             "File %s has %" PetscInt64_FMT " points, and %s %" PetscInt64_FMT
             " nodes: states of one mesh and degree go to one file",
             h->path, points, mesh, all);
  *n = states;
  PetscFunctionReturn(PETSC_SUCCESS);
}
