// Coordinates of the nodes of a block, gathered into contiguous memory
#pragma once

// One read has x and y: reads of x alone, 8 bytes of every 16, would use half of the banks
struct alignas(2 * sizeof(plex_real)) PlexXY {
  plex_real x, y;
};

PLEX_DEVICE void plex_gather_coordinates(const double *coordinates, int n, const int *nodes, PlexXY *xy, plex_real *z)
{
  for (int k = threadIdx.x; k < n; k += PLEX_BLOCK) {
    const double *x = coordinates + (plex_index)nodes[k] * PLEX_DIM;

    xy[k].x = (plex_real)(x[0] / PLEX_COORDINATE_FACTOR);
    xy[k].y = (plex_real)(x[1] / PLEX_COORDINATE_FACTOR);
    if (PLEX_DIM == 3) z[k] = (plex_real)(x[PLEX_DIM - 1] / PLEX_COORDINATE_FACTOR);
  }
}
