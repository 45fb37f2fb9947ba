/* Matrices for the tensor units: cuda/dg/unit.cuh */
#include <plexgpu/private/backendimpl.h>

#define PLEX_FRAGMENTS_AHEAD 8 /* steps behind the last one that a warp may ask for */

PetscBool PlexBackendHasUnits(PlexBackend backend)
{
  int arch = 0;

  if (backend->device && !strncmp(backend->limits.arch, "gfx", 3)) return PETSC_FALSE; /* cuda/plain.cuh: slow */
  return (PetscBool)(!backend->device || sscanf(backend->limits.arch, "sm_%d", &arch) != 1 || arch >= 80);
}

PetscInt PlexFragmentColumns(PlexPrecision precision)
{
  return precision == PLEX_PRECISION_SINGLE ? 8 : 4;
}

PetscInt PlexFragmentStride(PlexPrecision precision, PetscInt n)
{
  const PetscInt unit = PlexFragmentColumns(precision);

  n = (n + unit - 1) / unit * unit;
  return n / 4 % 2 ? n : n + 4;
}

/* One step of a tile: rows 8 tile ..., columns from `first` on */
static void PlexFragmentPack(PetscInt per, const PetscReal matrix[], PetscInt rows, PetscInt columns, PetscInt tile,
                             PetscInt first, PetscReal fragment[])
{
  for (PetscInt lane = 0; lane < 32; ++lane)
    for (PetscInt h = 0; h < per; ++h) {
      const PetscInt  i = 8 * tile + lane / 4, j = first + lane % 4 + 4 * h;
      const PetscReal value = i < rows && j < columns ? matrix[i * columns + j] : 0.;

      if (per == 1) fragment[lane] = value;
      else {
        union
        {
          float    real;
          uint32_t bits;
        } high = {.real = (float)value};

        high.bits                  = (high.bits + 0x1000u) & 0xffffe000u;
        fragment[4 * lane + h]     = high.real;
        fragment[4 * lane + 2 + h] = value - high.real;
      }
    }
}

PetscErrorCode PlexFragmentsCreate(PlexPrecision precision, PetscInt tiles, PetscInt nmatrices,
                                   const PetscReal matrices[], PetscInt rows, PetscInt columns, size_t *n,
                                   PetscReal *fragments[])
{
  const PetscInt unit = PlexFragmentColumns(precision), steps = (columns + unit - 1) / unit,
                 size = unit == 8 ? 128 : 32;

  PetscFunctionBegin;
  *n = (size_t)(tiles * steps * nmatrices + PLEX_FRAGMENTS_AHEAD) * (size_t)size;
  PetscCall(PetscCalloc1(*n, fragments));
  for (PetscInt p = 0; p < tiles; ++p)
    for (PetscInt s = 0; s < steps; ++s)
      for (PetscInt m = 0; m < nmatrices; ++m)
        PlexFragmentPack(unit / 4, &matrices[m * rows * columns], rows, columns, p, s * unit,
                         &(*fragments)[((p * steps + s) * nmatrices + m) * size]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
