/* Nodes of elements of degree 1 to 3, as a test computes them by itself */
#pragma once

#include <petscdmplex.h>

/*
  The largest distance between a node that a cell of this process has to have and the nearest one that x[Ne][Np][dim]
  has of the element that is this cell; infinite where no element or two are it, or Ne or Np is another number. Cells
  are triangles, quadrilaterals or tetrahedra with straight sides; along edges the nodes are Gauss-Lobatto points.
*/
PetscErrorCode PlexTestNodesDistance(DM dm, PetscInt degree, PetscInt Ne, PetscInt Np, const PetscReal x[],
                                     PetscReal *distance);
