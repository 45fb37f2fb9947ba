/* Lengths of a hybridized DG method's elements, and of its domain, that tau is made of: centers and normals of faces, heights
   above them, L = min(2 dim V/A, V^(1/dim)) of the volume V and the boundary's area A */
#include "hdgimpl.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */

PetscErrorCode PlexHDGCenterPointsCreate_Private(PlexHDG hdg, PlexHDGCenterPoints *P)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, faces = mesh->faces;
  const PetscBool  simplex   = (PetscBool)(faces == dim + 1);
  const PetscReal  center[2] = {dim == 3 && simplex ? -1. / 3. : 0., dim == 3 && simplex ? -1. / 3. : 0.};
  PetscReal        points[(PLEX_HDG_MAX_FACES + 1) * 3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) points[d] = simplex ? 2. / (dim + 1) - 1. : 0.;
  for (PetscInt f = 0; f < faces; ++f) PetscCall(PlexHDGFacePoints(mesh->cell, f, 1, center, &points[(f + 1) * dim]));
  for (PetscInt k = 0; k <= faces; ++k)
    for (PetscInt d = 0; d < dim; ++d) P->xi[k][d] = points[k * dim + d];
  PetscCall(PlexHDGTabulate_Private(mesh, faces + 1, points, &P->shape, &P->dshape));
  P->volume = P->area = 0.;
  for (PetscInt q = 0; q < R->Nq; ++q) P->volume += R->weights[q];
  for (PetscInt q = 0; q < R->Nqf; ++q) P->area += R->weightsFace[q];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCenterPointsDestroy_Private(PlexHDGCenterPoints *P)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(P->shape, P->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes by the Jacobian at the centers */
void PlexHDGGetCenters_Private(PlexHDG hdg, const PlexHDGCenterPoints *P, PetscInt e, PlexHDGCenters *c)
{
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;
  const PetscReal *nodes = &mesh->x[PlexHDGMeshPlaceX(mesh, e)];
  PetscReal        J[3][3], C[3][3], det = 0.;

  for (PetscInt k = 0; k <= mesh->faces; ++k) {
    PetscReal length = 0.;

    c->x[k][2] = 0.;
    if (k && PlexHDGMeshIsAffine(mesh, e)) { /* J is the same everywhere */
      for (PetscInt d = 0; d < dim; ++d) {
        c->x[k][d] = nodes[d];
        for (PetscInt a = 0; a < dim; ++a) c->x[k][d] += J[d][a] * (1. + P->xi[k][a]);
      }
    } else {
      PlexHDGMeshMap_Private(mesh, e, P->xi[k], &P->shape[k * Nv], &P->dshape[k * Nv * dim], c->x[k], J);
      det = PlexCofactors(dim, J, C);
    }
    if (!k) {
      c->volume = det * P->volume;
      continue;
    }
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal n = 0.;

      for (PetscInt a = 0; a < dim; ++a) n += C[a][d] * hdg->reference->normal[k - 1][a];
      c->normal[k - 1][d] = n;
      length += n * n;
    }
    length = PetscSqrtReal(length);
    for (PetscInt d = 0; d < dim; ++d) c->normal[k - 1][d] /= length;
    c->area[k - 1]   = length * P->area;
    c->height[k - 1] = (mesh->faces == dim + 1 ? dim : 1) * c->volume / c->area[k - 1];
  }
}

typedef struct {
  PlexHDG                    hdg;
  const PlexHDGCenterPoints *P;
  PetscReal                 *volumes; /* [Ne] */
} PlexHDGVolumes;

static void PlexHDGVolumesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGVolumes            *v    = (PlexHDGVolumes *)ctx;
  const PlexHDGCenterPoints *P    = v->P;
  PlexHDGMesh                mesh = v->hdg->mesh;

  for (PetscInt e = begin; e < end; ++e) {
    PetscReal x[3], J[3][3], C[3][3];

    PlexHDGMeshMap_Private(mesh, e, P->xi[0], P->shape, P->dshape, x, J);
    v->volumes[e] = PlexCofactors(mesh->dim, J, C) * P->volume;
  }
}

PetscErrorCode PlexHDGMeasure_Private(PlexHDG hdg, const PlexHDGCenterPoints *P, PetscReal sum[])
{
  PlexHDGMesh    mesh = hdg->mesh;
  PlexHDGVolumes v    = {.hdg = hdg, .P = P};
  PlexHDGCenters c;

  PetscFunctionBegin;
  sum[0] = sum[1] = 0.;
  PetscCall(PetscMalloc1(mesh->Ne, &v.volumes));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGVolumesLoop, &v));
  for (PetscInt e = 0; e < mesh->Ne; ++e) sum[0] += v.volumes[e]; /* in the order of elements: always the same bits */
  PetscCall(PetscFree(v.volumes));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    PlexHDGGetCenters_Private(hdg, P, mesh->boundary[b] / mesh->faces, &c);
    sum[1] += c.area[mesh->boundary[b] % mesh->faces];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexHDGLengthOf_Private(PetscInt dim, const PetscReal sum[])
{
  const PetscReal length = PetscPowReal(sum[0], 1. / dim);

  return sum[1] > 0. ? PetscMin(length, 2. * dim * sum[0] / sum[1]) : length;
}

/* L of the domain, the same on all processes */
PetscErrorCode PlexHDGSetLength_Private(PlexHDG hdg, const PlexHDGCenterPoints *P)
{
  PetscReal sum[2]; /* volume, boundary */

  PetscFunctionBegin;
  PetscCall(PlexHDGMeasure_Private(hdg, P, sum));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  hdg->length = PlexHDGLengthOf_Private(hdg->mesh->dim, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}
