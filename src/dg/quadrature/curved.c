/*
  Curved elements of nodal DG: points, and geometry there. With the degree m of the maps, volume terms with constant states
  have degree N - 1 + (dim - 1)(m - 1), those of faces N + (dim - 1)(m - 1): points that integrate these exactly keep
  constant states, as the cofactors' divergence is zero. Energy asks for nothing, as in each equation derivatives are
  either all on the fields, or all on the test functions, or half of each: host.c of src/dg/impls/curved/. Masses ask for
  degree 2 N.
*/
#include "quadratureimpl.h"

#define PLEX_DG_SYMMETRIC 20 /* degree up to which rules on triangles are symmetric, so that both sides have the same points */

/* The curved elements as a mesh of their own: what the geometry reads of one */
static PetscErrorCode PlexDGCurvedMesh(PlexDGMesh mesh, struct _n_PlexDGMesh *part)
{
  const PetscInt n = mesh->ncurved[0] + mesh->ncurved[1], each = mesh->nx * mesh->dim, corners = mesh->nv * mesh->dim;

  PetscFunctionBegin;
  *part    = *mesh;
  part->Ne = n;
  PetscCall(PetscMalloc3(n, &part->cells, (size_t)n * each, &part->nodes, (size_t)n * corners, &part->x));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = PlexDGMeshCurvedElement(mesh, k);

    part->cells[k] = mesh->cells[e];
    PetscCall(PetscArraycpy(&part->nodes[(size_t)k * each], &mesh->nodes[(size_t)e * each], each));
    PetscCall(PetscArraycpy(&part->x[(size_t)k * corners], &mesh->x[(size_t)e * corners], corners));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureCreateCurved(PlexDGMesh mesh, PlexDGReference R, PlexDGQuadrature *quadrature)
{
  struct _n_PlexDGMesh part;
  PlexDGQuadrature     Q;
  const PetscInt       more = (R->dim - 1) * (mesh->shape->N - 1), face = PetscMax(2 * R->N, R->N + more);

  PetscFunctionBegin;
  PetscCall(PetscNew(&Q));
  *quadrature = Q;
  Q->order    = mesh->shape->N;
  Q->degree   = PetscMax(2 * R->N, R->N - 1 + more);
  PetscCall(PlexDGQuadratureSetRules_Private(Q, R, R->dim == 3 ? PetscMin(face, PLEX_DG_SYMMETRIC) : face));
  Q->affine = PETSC_TRUE;
  PetscCall(PlexDGQuadratureSetMass_Private(Q, mesh, R)); /* of the reference element */
  PetscCall(PlexDGCurvedMesh(mesh, &part));
  PetscCall(PlexDGQuadratureSetJacobians_Private(Q, &part, R));
  Q->affine = PETSC_FALSE;
  PetscCall(PetscFree3(part.cells, part.nodes, part.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
