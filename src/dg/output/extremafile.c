/*
  Extrema of water as a VTKHDF file: linear cells between the nodes of each element, so that the numbers at the nodes are
  drawn as they are, and a node without an arrival spoils no other one

    /              attributes threshold, time, step: of the arrival, and until when
    /VTKHDF        as src/io/vtkcells.c has it, Points [elements Np][3] are the nodes of PlexDGGetNodes()
      PointData/
        highest    [elements Np]  the greatest elevation
        fastest                   the greatest speed
        arrival                   the first time of a change of elevation by more than the threshold; NaN: none
        deepest                   the greatest depth of water, depth at rest + highest
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_EXTREMA_FIELDS 4

PetscErrorCode PlexDGWriteExtrema_Private(PlexDG dg, TS ts, const char file[], PetscInt step, PetscReal t)
{
  static const char *const names[PLEX_DG_EXTREMA_FIELDS] = {"highest", "fastest", "arrival", "deepest"};
  MPI_Comm                 comm                          = PetscObjectComm((PetscObject)dg);
  PlexDGReference          R                             = dg->reference;
  const PetscInt           Ne = dg->mesh->Ne, Np = R->Np, n = Ne * Np, NK = dg->system->ncoefficients;
  const PetscReal         *nodes;
  PetscBool                watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal                threshold = 0., *x, *values;
  char                     name[PETSC_MAX_PATH_LEN];
  PlexH5                   h;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &nodes));
  PetscCall(PetscMalloc2(3 * (size_t)n, &x, PLEX_DG_EXTREMA_FIELDS * (size_t)n, &values));
  for (size_t k = 0; k < (size_t)n; ++k) {
    x[3 * k]     = nodes[2 * k];
    x[3 * k + 1] = nodes[2 * k + 1];
    x[3 * k + 2] = 0.;
  }
  PetscCall(PlexDGGetExtrema(dg, values, &values[n], &values[2 * (size_t)n]));
  for (PetscInt k = 0; k < n; ++k)
    values[3 * (size_t)n + k] = values[k] + dg->variables[(size_t)(k / Np) * NK * Np + k % Np];
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.part", file));
  PetscCall(PlexH5Open(comm, name, PLEX_H5_CREATE, &h));
  PetscCall(PlexH5SetNumbers(&h, "/", "threshold", PLEX_H5_DOUBLE, 0, &threshold));
  PetscCall(PlexH5SetNumbers(&h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5SetNumbers(&h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexVTKCreateParts_Private(&h, R->tensor, R->N, Ne, x));
  for (int k = 0; k < PLEX_DG_EXTREMA_FIELDS; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", names[k]));
    PetscCall(PlexH5CreateArray(&h, name, PLEX_H5_DOUBLE, (PetscInt64)dg->mesh->NeGlobal * Np, 0, NULL, PETSC_FALSE));
    PetscCall(PlexH5WriteRows(&h, name, PLEX_H5_DOUBLE, 0, n, &values[k * (size_t)n]));
  }
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.part", file));
  PetscCall(PlexDGRename_Private(comm, name, file));
  PetscCall(PetscFree2(x, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
