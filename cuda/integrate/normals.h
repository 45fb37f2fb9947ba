/*
  Surfaces in space and curves in a plane or in space. The Jacobian d x / d xi of their cells has fewer columns than
  rows. It gets unit vectors that are normal to the cell and to each other as its last columns, and reference
  gradients zeros as their last entries: then gradients are tangential, and the determinant is the measure, as in
  PETSc's geometry. C and C++.
*/
#ifndef PLEX_NORMALS_H
#define PLEX_NORMALS_H

#ifdef __cplusplus
  #define PLEX_NORMALS PLEX_DEVICE
typedef plex_real plex_normals_real;
#else
  #include <petscsys.h>
  #define PLEX_NORMALS static inline
typedef PetscReal plex_normals_real;
#endif

/* J[dim][dim], of which columns cellDim .. dim - 1 are set: dim 2 or 3, 0 < cellDim < dim */
PLEX_NORMALS void plex_complete_jacobian(int dim, int cellDim, plex_normals_real J[])
{
  plex_normals_real t[3], n[3], size;

  if (dim == 2) {
    size = sqrt(J[0] * J[0] + J[2] * J[2]);
    J[1] = -J[2] / size;
    J[3] = J[0] / size;
    return;
  }
  if (cellDim == 1) { /* n: across the tangent t and the axis that is farthest from it */
    const plex_normals_real a[3] = {J[0] * J[0], J[3] * J[3], J[6] * J[6]};
    const int               k    = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;

    for (int d = 0; d < 3; ++d) t[d] = J[3 * d];
    n[k]           = 0;
    n[(k + 1) % 3] = t[(k + 2) % 3];
    n[(k + 2) % 3] = -t[(k + 1) % 3];
    size           = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int d = 0; d < 3; ++d) J[3 * d + 1] = n[d] / size;
  }
  for (int d = 0; d < 3; ++d)
    n[d] = J[3 * ((d + 1) % 3)] * J[3 * ((d + 2) % 3) + 1] - J[3 * ((d + 2) % 3)] * J[3 * ((d + 1) % 3) + 1];
  size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int d = 0; d < 3; ++d) J[3 * d + 2] = n[d] / size;
}

#endif
