// Values in time at the points of the boundary, PlexDGArgs.facets: a thread a point. It reads the number of its
// facet's boundary in the table, and its share of the first value (12 bytes), and writes two values (8 or 16 bytes).
#include "../plex.cuh"
#include "series_args.h"

// facets[n][dim] of precision `single`; which[n / points]: a boundary's number, or -1; share[n]. The table has
// boundaries first .. first + PLEX_DG_SERIES_TABLE - 1
extern "C" __global__ void plex_dg_series(PlexDGSeriesTable table, int first, const int *which, const double *share,
                                          void *facets, int n, int points, int dim, int single)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = k < n ? which[k / points] - first : -1;

  if (row < 0 || row >= PLEX_DG_SERIES_TABLE) return;
  for (int v = 0; v < 2; ++v) {
    const double value = table.value[row][v] * (v ? 1. : share[k]);

    if (single) ((float *)facets)[(plex_index)k * dim + v] = (float)value;
    else ((double *)facets)[(plex_index)k * dim + v] = value;
  }
}
PLEX_EXPORT_KERNEL(plex_dg_series)
