/*
  Triangles as pixels: a pixel has the value that is linear between the vertices, at its centre (i + 1/2, j + 1/2). With
  the barycentric coordinates l_k of the centre, which are linear, too, a triangle has the pixels with all l_k >= 0. On
  edges, which two triangles have, the larger value counts: that does not depend on who draws first, nor on the processes.
*/
#include "viewimpl.h"

PetscErrorCode PlexRasterDraw_Private(const PetscReal p[3][2], const PetscReal v[3], void *ctx)
{
  const PlexRaster *r = (PlexRaster *)ctx;
  PetscReal         q[3][2], low[2], high[2], area;
  PetscInt          from[2], to[2];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    q[k][0] = (p[k][0] - r->x) * r->scale;
    q[k][1] = (r->y - p[k][1]) * r->scale;
  }
  for (int d = 0; d < 2; ++d) {
    low[d]  = PetscMin(q[0][d], PetscMin(q[1][d], q[2][d])) - 0.5;
    high[d] = PetscMax(q[0][d], PetscMax(q[1][d], q[2][d])) - 0.5;
    from[d] = (PetscInt)PetscCeilReal(PetscMax(low[d] - 1e-6, 0.));
    to[d]   = (PetscInt)PetscFloorReal(PetscMin(high[d] + 1e-6, (d ? r->h : r->w) - 1.));
  }
  area = (q[1][0] - q[0][0]) * (q[2][1] - q[0][1]) - (q[2][0] - q[0][0]) * (q[1][1] - q[0][1]);
  if (area == 0. || area != area) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt j = from[1]; j <= to[1]; ++j)
    for (PetscInt i = from[0]; i <= to[0]; ++i) {
      const PetscReal x = i + 0.5 - q[0][0], y = j + 0.5 - q[0][1];
      const PetscReal l1 = (x * (q[2][1] - q[0][1]) - y * (q[2][0] - q[0][0])) / area,
                      l2 = (y * (q[1][0] - q[0][0]) - x * (q[1][1] - q[0][1])) / area, l0 = 1. - l1 - l2;
      const PetscReal slack = -1e-9; /* no gaps along edges */
      PetscReal      *at    = &r->values[(size_t)j * r->w + i];

      if (l0 < slack || l1 < slack || l2 < slack) continue;
      *at = PetscMax(*at, l0 * v[0] + l1 * v[1] + l2 * v[2]);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}
