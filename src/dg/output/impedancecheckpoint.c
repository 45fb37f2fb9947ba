/*
  Memory variables of conductors of the boundary in a checkpoint, so that they go on bit for bit:

    /                     attributes conductor_sides, the number of their facets, and conductor_poles
    /conductors/vertices  [sides][dim][dim]         of the facets, in the order of the face
    /conductors/values    [sides][poles 3][Nfp]     at its nodes

  What conductors these are is in the checkpoint's boundary_hash. Facets are known by their vertices.
*/
#include "outputimpl.h"

/* vertices[nplaces][dim][dim] */
static PetscErrorCode PlexDGConductorVertices(PlexDG dg, PetscReal vertices[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim  = mesh->dim;
  PetscInt       own[4];

  PetscFunctionBegin;
  for (PetscInt s = 0; s < dg->impedance->nplaces; ++s) {
    const PetscInt e = dg->impedance->traces[s] / mesh->faces;

    PlexDGFaceVertices(dim, PETSC_FALSE, dg->impedance->traces[s] % mesh->faces, own);
    for (PetscInt v = 0; v < dim; ++v)
      PetscCall(PetscArraycpy(&vertices[(s * dim + v) * dim], &mesh->x[(e * mesh->nv + own[v]) * dim], dim));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckpointWriteConductors_Private(PlexDG dg, PlexH5 *h)
{
  PetscInt   n, corners[2], columns[2];
  PetscReal *vertices, *values;

  PetscFunctionBegin;
  if (!PlexDGImpedanceRemembers_Private(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  n          = dg->impedance->nplaces;
  corners[0] = corners[1] = dg->mesh->dim;
  columns[0]              = 3 * dg->impedance->args.npoles;
  columns[1]              = dg->reference->Nfp;
  PetscCall(PetscMalloc2(n * corners[0] * corners[1], &vertices, n * columns[0] * columns[1], &values));
  PetscCall(PlexDGConductorVertices(dg, vertices));
  PetscCall(PlexDGImpedanceGet_Private(dg, values));
  PetscCall(PlexH5SetNumbers(h, "/", "conductor_sides", PLEX_H5_INDEX, 0, &dg->impedance->counts[0]));
  PetscCall(PlexH5SetNumbers(h, "/", "conductor_poles", PLEX_H5_INT, 0, &dg->impedance->args.npoles));
  PetscCall(PlexH5Group(h, "conductors"));
  PetscCall(PlexH5CreateArray(h, "conductors/vertices", PLEX_H5_DOUBLE, dg->impedance->counts[0], 2, corners,
                              PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "conductors/vertices", PLEX_H5_DOUBLE, 0, n, vertices));
  PetscCall(PlexH5CreateArray(h, "conductors/values", PLEX_H5_DOUBLE, dg->impedance->counts[0], 2, columns,
                              PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "conductors/values", PLEX_H5_DOUBLE, 0, n, values));
  PetscCall(PetscFree2(vertices, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of a facet in the order of own vertices, from the file's */
static PetscErrorCode PlexDGConductorTurn(PlexDG dg, const PetscReal own[], const PetscReal file[], PetscInt columns,
                                          PetscReal row[])
{
  PlexDGReference R   = dg->reference;
  const PetscInt  dim = R->dim, Nfp = R->Nfp;
  PetscInt        p[4] = {-1, -1, -1, 0}, turn;
  PetscReal      *copy;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < dim; ++v)
    for (PetscInt w = 0; w < dim; ++w) {
      PetscBool same = PETSC_TRUE;

      for (PetscInt d = 0; d < dim; ++d) same = (PetscBool)(same && own[v * dim + d] == file[w * dim + d]);
      if (same) p[v] = w;
    }
  for (PetscInt v = 0; v < dim; ++v)
    PetscCheck(p[v] >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "The checkpoint's conductors have other facets: use the mesh that it was written with");
  turn = PlexDGTurnNumber(dim, p);
  PetscCall(PetscMalloc1(Nfp, &copy));
  for (PetscInt k = 0; k < columns; ++k) {
    PetscCall(PetscArraycpy(copy, &row[k * Nfp], Nfp));
    for (PetscInt m = 0; m < Nfp; ++m) row[k * Nfp + m] = copy[R->turn[turn * Nfp + m]];
  }
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values[nplaces][columns][Nfp] of own facets, of `all` in the file */
static PetscErrorCode PlexDGConductorRead(PlexDG dg, PlexH5 *h, PetscInt all, PetscInt columns, PetscReal values[])
{
  const PetscInt dim = dg->mesh->dim, each = columns * dg->reference->Nfp, mine = dg->impedance->nplaces,
                 corners = dim * dim;
  PetscLayout    layout;
  PetscSF        sf;
  PetscInt       first, n, *row, missing;
  PetscInt64    *keys, *own;
  PetscReal     *vertices, *file, *in, *rows;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(h->comm, PETSC_DECIDE, all, 1, &layout));
  PetscCall(PetscLayoutGetRange(layout, &first, &n));
  n -= first;
  PetscCall(PetscMalloc4(corners * mine, &vertices, corners * mine, &file, mine, &row, mine, &own));
  PetscCall(PetscMalloc3(corners * n, &in, n, &keys, each * n, &rows));
  PetscCall(PlexH5ReadRows(h, "conductors/vertices", PLEX_H5_DOUBLE, first, n, in));
  PlexDGComputeKeys_Private(dim, dim, n, in, keys);
  PetscCall(PlexDGConductorVertices(dg, vertices));
  PlexDGComputeKeys_Private(dim, dim, mine, vertices, own);
  PetscCall(PlexDGCheckpointFindKeys_Private(h->comm, all, n, keys, mine, own, row, &missing));
  PetscCheck(missing < 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s has no variables of a conductor's facet: use the mesh that it was written with", h->path);
  PetscCall(PetscSFCreate(h->comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, mine, NULL, PETSC_COPY_VALUES, row));
  PetscCall(PlexDGCheckpointSend_Private(sf, corners, in, file));
  PetscCall(PlexH5ReadRows(h, "conductors/values", PLEX_H5_DOUBLE, first, n, rows));
  PetscCall(PlexDGCheckpointSend_Private(sf, each, rows, values));
  for (PetscInt s = 0; s < mine; ++s)
    PetscCall(PlexDGConductorTurn(dg, &vertices[corners * s], &file[corners * s], columns, &values[s * each]));
  PetscCall(PetscFree4(vertices, file, row, own));
  PetscCall(PetscFree3(in, keys, rows));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckpointReadConductors_Private(PlexDG dg, PlexH5 *h, const char differences[])
{
  PetscBool  has;
  PetscInt   sides = 0;
  int        poles = 0;
  PetscReal *values;

  PetscFunctionBegin;
  PetscCall(PlexDGImpedanceZero_Private(dg));
  PetscCall(PlexH5HasAttribute(h, "/", "conductor_sides", &has));
  if (!has || !PlexDGImpedanceRemembers_Private(dg) || differences[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexH5GetNumbers(h, "/", "conductor_sides", PLEX_H5_INDEX, 0, &sides));
  PetscCall(PlexH5GetNumbers(h, "/", "conductor_poles", PLEX_H5_INT, 0, &poles));
  /* others with -plex_dg_restart_changed alone: they begin at 0 */
  if (sides != dg->impedance->counts[0] || poles != dg->impedance->args.npoles) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(dg->impedance->nplaces * 3 * poles * dg->reference->Nfp, &values));
  PetscCall(PlexDGConductorRead(dg, h, sides, 3 * poles, values));
  PetscCall(PlexDGImpedanceSet_Private(dg, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
