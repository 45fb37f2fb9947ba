/*
  Extrema of water as a VTKHDF file: linear cells between the nodes of each element, so that the numbers at the nodes are
  drawn as they are, and a node without an arrival spoils no other one

    /              attributes threshold, time, step: of the arrival, and until when
    /VTKHDF        as src/io/vtkcells.c has it, Points [points][3] are the nodes of the elements
      PointData/
        highest    [points]  the greatest elevation
        fastest                   the greatest speed
        arrival                   the first time of a change of elevation by more than the threshold; NaN: none
        deepest                   the greatest depth of water, depth at rest + highest
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_EXTREMA_FIELDS 4

/* Positions x[points][3] of the nodes of all own elements, and depth[points] */
static PetscErrorCode PlexDGExtremaGetNodes(PetscInt n, const PlexDG parts[], PetscReal x[], PetscReal depth[])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < n; ++p) {
    PlexDG           dg = parts[p];
    const PetscInt   Np = dg->reference->Np, NK = dg->system->ncoefficients;
    const PetscReal *nodes;

    PetscCall(PlexDGGetNodes(dg, NULL, NULL, &nodes));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
      for (PetscInt i = 0; i < Np; ++i, nodes += 2, x += 3) {
        x[0]     = nodes[0];
        x[1]     = nodes[1];
        x[2]     = 0.;
        *depth++ = dg->variables[(size_t)e * NK * Np + i];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGWriteExtrema_Private(PlexDG dg, TS ts, const char file[], PetscInt step, PetscReal t)
{
  static const char *const names[PLEX_DG_EXTREMA_FIELDS] = {"highest", "fastest", "arrival", "deepest"};
  MPI_Comm                 comm                          = PetscObjectComm((PetscObject)dg);
  PlexDG                   parts[2];
  const PetscInt           nparts = PlexDGGetParts(dg, parts);
  PlexVTKElements          kinds[2];
  PetscInt64               own = 0, all = 0;
  PetscBool                watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal                threshold = 0., *x, *values;
  char                     name[PETSC_MAX_PATH_LEN];
  PlexH5                   h;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  for (PetscInt p = 0; p < nparts; ++p) {
    kinds[p] = (PlexVTKElements){parts[p]->mesh->tensor, parts[p]->mesh->Ne, parts[p]->reference->Np};
    own += (PetscInt64)kinds[p].Ne * kinds[p].n;
    all += (PetscInt64)parts[p]->mesh->NeGlobal * kinds[p].n;
  }
  PetscCall(PetscMalloc2(3 * own, &x, PLEX_DG_EXTREMA_FIELDS * own, &values));
  PetscCall(PlexDGExtremaGetNodes(nparts, parts, x, &values[3 * own]));
  PetscCall(PlexDGGetExtrema(dg, values, &values[own], &values[2 * own]));
  for (PetscInt64 k = 0; k < own; ++k) values[3 * own + k] += values[k];
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.part", file));
  PetscCall(PlexH5Open(comm, name, PLEX_H5_CREATE, &h));
  PetscCall(PlexH5SetNumbers(&h, "/", "threshold", PLEX_H5_DOUBLE, 0, &threshold));
  PetscCall(PlexH5SetNumbers(&h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5SetNumbers(&h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexVTKCreateParts_Private(&h, dg->degree, nparts, kinds, x));
  for (int k = 0; k < PLEX_DG_EXTREMA_FIELDS; ++k) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "VTKHDF/PointData/%s", names[k]));
    PetscCall(PlexH5CreateArray(&h, name, PLEX_H5_DOUBLE, all, 0, NULL, PETSC_FALSE));
    PetscCall(PlexH5WriteRows(&h, name, PLEX_H5_DOUBLE, 0, own, &values[k * own]));
  }
  PetscCall(PlexH5Close(&h));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.part", file));
  PetscCall(PlexDGRename_Private(comm, name, file));
  PetscCall(PetscFree2(x, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
