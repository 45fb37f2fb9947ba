/* Boxes of simplices with a layer around them, for tests of boundaries that let waves out */
#pragma once

#include "dgproblem.h"

/* n[d] cells along each axis from low[d] to high[d], each cut into 2 triangles or 6 tetrahedra. Cells beyond inner[0][d] or
   inner[1][d] have the label "layer" 1 (NULL: none). The label "walls" has the facets, 2 d + 1 at the lower side of axis d
   and 2 d + 2 at the upper one. On several processes the first has all cells, which are then distributed */
typedef struct {
  PetscInt  dim, n[3];
  PetscReal low[3], high[3], inner[2][3];
} PlexTestLayerBox;
PetscErrorCode PlexTestLayerBoxCreate(MPI_Comm comm, const PlexTestLayerBox *box, DM *dm);
