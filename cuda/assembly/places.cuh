// Coordinates of the nodes of a block, which a kernel of its own puts together where they are copied from
#pragma once

// x and y are read in one: words of 8 bytes that are 16 apart would be in half of the banks
struct alignas(2 * sizeof(plex_real)) PlexPlace {
  plex_real x, y;
};

PLEX_DEVICE void plex_gather_places(const double *coordinates, int n, const int *nodes, PlexPlace *xy, plex_real *z)
{
  for (int k = threadIdx.x; k < n; k += PLEX_BLOCK) {
    const double *x = coordinates + (plex_index)nodes[k] * PLEX_DIM;

    xy[k].x = (plex_real)(x[0] / PLEX_COORDINATE_FACTOR);
    xy[k].y = (plex_real)(x[1] / PLEX_COORDINATE_FACTOR);
    if (PLEX_DIM == 3) z[k] = (plex_real)(x[PLEX_DIM - 1] / PLEX_COORDINATE_FACTOR);
  }
}
