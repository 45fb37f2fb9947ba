#include "layerbox.h"

static PetscInt Vertex(const PlexTestLayerBox *b, const PetscInt at[])
{
  PetscInt v = 0;

  for (PetscInt d = b->dim - 1; d >= 0; --d) v = v * (b->n[d] + 1) + at[d];
  return v;
}

/* The simplices of the box's cell at `at`: paths from its first corner to its last, as PETSc turns them */
static PetscInt Cell(const PlexTestLayerBox *b, const PetscInt at[], PetscInt cells[])
{
  const PetscInt paths[6][3] = {
    {0, 1, 2},
    {1, 0, 2},
    {1, 2, 0},
    {2, 1, 0},
    {2, 0, 1},
    {0, 2, 1}
  };
  const PetscInt dim = b->dim, count = dim == 2 ? 2 : 6;

  for (PetscInt c = 0; c < count; ++c) {
    PetscInt corner[3] = {at[0], at[1], at[2]}, *cell = &cells[c * (dim + 1)];

    cell[0] = Vertex(b, corner);
    for (PetscInt v = 1; v <= dim; ++v) {
      ++corner[paths[c][v - 1]];
      cell[v] = Vertex(b, corner);
    }
    if (c % 2 == (dim == 2)) {
      const PetscInt swap = cell[1];

      cell[1] = cell[2];
      cell[2] = swap;
    }
  }
  return count * (dim + 1);
}

static PetscErrorCode Labels(DM dm, const PlexTestLayerBox *b)
{
  PetscInt cStart, cEnd, fStart, fEnd;
  DMLabel  layer, walls;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "layer", &layer));
  PetscCall(PlexTestGetLabel(dm, "walls", &walls));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt p = cStart; p < fEnd; p = p + 1 == cEnd ? fStart : p + 1) {
    PetscReal x[3], volume;
    PetscInt  support = 0;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, p, &volume, x, NULL));
    if (p >= fStart) PetscCall(DMPlexGetSupportSize(dm, p, &support));
    for (PetscInt d = 0; d < b->dim; ++d) {
      if (p < cEnd && (x[d] < b->inner[0][d] || x[d] > b->inner[1][d])) PetscCall(DMLabelSetValue(layer, p, 1));
      if (support != 1) continue;
      if (PetscAbsReal(x[d] - b->low[d]) < 1e-9) PetscCall(DMLabelSetValue(walls, p, 2 * d + 1));
      if (PetscAbsReal(x[d] - b->high[d]) < 1e-9) PetscCall(DMLabelSetValue(walls, p, 2 * d + 2));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestLayerBoxCreate(MPI_Comm comm, const PlexTestLayerBox *b, DM *dm)
{
  PetscInt    nv = 1, nc = b->dim == 2 ? 2 : 6, filled = 0, at[3], *cells;
  PetscReal  *x;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (PetscInt d = 0; d < b->dim; ++d) {
    nv *= b->n[d] + 1;
    nc *= b->n[d];
  }
  PetscCall(PetscMalloc2(nc * (b->dim + 1), &cells, nv * b->dim, &x));
  for (PetscInt v = 0; v < nv; ++v)
    for (PetscInt d = 0, rest = v; d < b->dim; ++d, rest /= b->n[d - 1] + 1)
      x[v * b->dim + d] = b->low[d] + (b->high[d] - b->low[d]) * (rest % (b->n[d] + 1)) / b->n[d];
  for (at[2] = 0; at[2] < (b->dim == 3 ? b->n[2] : 1); ++at[2])
    for (at[1] = 0; at[1] < b->n[1]; ++at[1])
      for (at[0] = 0; at[0] < b->n[0]; ++at[0]) filled += Cell(b, at, &cells[filled]);
  PetscCall(DMPlexCreateFromCellListPetsc(comm, b->dim, rank ? 0 : nc, rank ? 0 : nv, b->dim + 1, PETSC_TRUE, cells,
                                          b->dim, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(Labels(*dm, b));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
