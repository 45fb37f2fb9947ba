/*
  Curved elements of nodal DG: points, and geometry there. Energy asks for nothing of these, as in each equation
  derivatives are either all on the fields, or all on the test functions, or half of each: plexgpu/dg_curved_loops.h.
  Masses, and fluxes through straight faces, ask for degree 2 N. Constant states stay where volume terms with them and
  those of faces are integrated exactly, and the cofactors' divergence is zero.

  In 2D cofactors have the degree m - 1 of the map's derivatives. In 3D it is 2 (m - 1), and would need many more points.
  There they are those of polynomials (Kopriva, J. Sci. Comput. 26, 2006; Chan and Wilcox, J. Comput. Phys. 378, 2019):

    C[.][d] = grad x_k x grad x_l = curl (x_k grad x_l - x_l grad x_k)/2,   (d, k, l) cyclic

  is the curl of what is interpolated at the nodes of degree N + 1. It has degree N and no divergence, points for degree
  2 N are enough, and the error is of the order of that of the fields. On a face n = sum_a N_a C_a depends on what the
  face's nodes have along it, so both sides of a face have the same normals.
*/
#include <petscblaslapack.h>
#include "quadratureimpl.h"

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

/* Nodes where x_k grad x_l is interpolated, and what makes curls there of it */
typedef struct {
  PlexDGReference P;
  PetscReal      *B, *dB; /* [P->Np][nx], [P->Np][nx][3] basis of the coordinates at the nodes */
  PetscReal      *curl;   /* [3][n][P->Np] derivatives at n points: those of the element, then of each face */
  PetscInt        n;
} PlexDGMetrics;

static PetscErrorCode PlexDGMetricsCreate(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R, PlexDGMetrics *t)
{
  const PetscInt degree = PetscMin(R->N + 1, PLEX_DG_MAX_DEGREE), NG = Q->NG, MG = Q->MG;
  PetscReal     *points, *phi;

  PetscFunctionBegin;
  t->n = NG + R->faces * MG;
  PetscCall(PlexDGReferenceCreate(3, degree, &t->P));
  PetscCall(PetscMalloc3(t->P->Np * mesh->nx, &t->B, t->P->Np * mesh->nx * 3, &t->dB, 3 * t->n * t->P->Np, &t->curl));
  PetscCall(PetscMalloc2(t->n * 3, &points, t->n * t->P->Np, &phi));
  PetscCall(PlexDGMeshTabulate(mesh, t->P->Np, t->P->r, t->B, t->dB));
  PetscCall(PetscArraycpy(points, Q->points, NG * 3));
  for (PetscInt f = 0; f < R->faces; ++f) PlexDGFacePoints_Private(R, f, MG, Q->facePoints, &points[(NG + f * MG) * 3]);
  PetscCall(PlexDGReferenceTabulate(t->P, t->n, points, phi, t->curl));
  PetscCall(PetscFree2(points, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V[d][b][Np] = (x_k dx_l/dr_b - x_l dx_k/dr_b)/2 of an element's coordinate nodes x[nx][3], from the first one on */
static void PlexDGMetricsInterpolate(const PlexDGMetrics *t, PetscInt nx, const PetscReal nodes[], PetscReal V[])
{
  const PetscInt Np = t->P->Np;

  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal x[3] = {0., 0., 0.}, dx[3][3] = {{0.}};

    for (PetscInt v = 0; v < nx; ++v)
      for (PetscInt d = 0; d < 3; ++d) {
        const PetscReal at = nodes[v * 3 + d] - nodes[d];

        x[d] += t->B[i * nx + v] * at;
        for (PetscInt b = 0; b < 3; ++b) dx[d][b] += t->dB[(i * nx + v) * 3 + b] * at;
      }
    for (PetscInt d = 0; d < 3; ++d) {
      const PetscInt k = (d + 1) % 3, l = (d + 2) % 3;

      for (PetscInt b = 0; b < 3; ++b) V[(d * 3 + b) * Np + i] = 0.5 * (x[k] * dx[l][b] - x[l] * dx[k][b]);
    }
  }
}

/* C[a][d] at point q */
static PetscReal PlexDGMetricsCurl(const PlexDGMetrics *t, const PetscReal V[], PetscInt a, PetscInt d, PetscInt q)
{
  const PetscInt   Np = t->P->Np, b = (a + 1) % 3, c = (a + 2) % 3;
  const PetscReal *db = &t->curl[(b * t->n + q) * Np], *dc = &t->curl[(c * t->n + q) * Np];
  PetscReal        sum = 0.;

  for (PetscInt i = 0; i < Np; ++i) sum += db[i] * V[(d * 3 + c) * Np + i] - dc[i] * V[(d * 3 + b) * Np + i];
  return sum;
}

/* C and normals of all elements in 3D */
static PetscErrorCode PlexDGCurvedSetMetrics(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R)
{
  const PetscInt NG = Q->NG, MG = Q->MG;
  PlexDGMetrics  t;
  PetscReal     *V, N[3];

  PetscFunctionBegin;
  PetscCall(PlexDGMetricsCreate(Q, mesh, R, &t));
  PetscCall(PetscMalloc1(9 * t.P->Np, &V));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *C = &Q->C[(size_t)e * 9 * NG], *normals = &Q->normals[(size_t)e * R->faces * 3 * MG];

    PlexDGMetricsInterpolate(&t, mesh->nx, &mesh->nodes[(size_t)e * mesh->nx * 3], V);
    for (PetscInt d = 0; d < 3; ++d) {
      for (PetscInt a = 0; a < 3; ++a)
        for (PetscInt g = 0; g < NG; ++g) C[(a * 3 + d) * NG + g] = PlexDGMetricsCurl(&t, V, a, d, g);
      for (PetscInt f = 0; f < R->faces; ++f) {
        PlexDGReferenceNormal_Private(3, PETSC_FALSE, f, N);
        for (PetscInt g = 0; g < MG; ++g) {
          PetscReal sum = 0.;

          for (PetscInt a = 0; a < 3; ++a)
            if (N[a] != 0.) sum += N[a] * PlexDGMetricsCurl(&t, V, a, d, NG + f * MG + g);
          normals[(f * 3 + d) * MG + g] = sum;
        }
      }
    }
  }
  PetscCall(PetscFree(V));
  PetscCall(PetscFree3(t.B, t.dB, t.curl));
  PetscCall(PlexDGReferenceDestroy(&t.P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureCreateCurved(PlexDGMesh mesh, PlexDGReference R, PlexDGQuadrature *quadrature)
{
  struct _n_PlexDGMesh part;
  PlexDGQuadrature     Q;
  const PetscInt       more = R->dim == 2 ? mesh->shape->N - 1 : 0; /* of cofactors, where they are those of the map */

  PetscFunctionBegin;
  PetscCall(PetscNew(&Q));
  *quadrature = Q;
  Q->order    = mesh->shape->N;
  Q->degree   = PetscMax(2 * R->N, R->N - 1 + more);
  PetscCall(PlexDGQuadratureSetRules_Private(Q, R, PetscMax(2 * R->N, R->N + more)));
  Q->affine = PETSC_TRUE;
  PetscCall(PlexDGQuadratureSetMass_Private(Q, mesh, R)); /* of the reference element */
  PetscCall(PlexDGCurvedMesh(mesh, &part));
  PetscCall(PlexDGQuadratureSetJacobians_Private(Q, &part, R));
  if (R->dim == 3) PetscCall(PlexDGCurvedSetMetrics(Q, &part, R));
  Q->affine = PETSC_FALSE;
  PetscCall(PetscFree3(part.cells, part.nodes, part.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[Np][Np] = sum_g w_g s_g phi(g) phi(g)^T, s = ratio/det; det NULL: 1, ratio NULL: 1 */
static void PlexDGWeightedMass(PlexDGQuadrature Q, PetscInt Np, const PetscReal det[], const PetscReal ratio[],
                               PetscReal A[])
{
  for (PetscInt k = 0; k < Np * Np; ++k) A[k] = 0.;
  for (PetscInt g = 0; g < Q->NG; ++g) {
    const PetscReal *phi = &Q->phi[g * Np];
    PetscReal        w   = det ? Q->weights[g] / det[g] : Q->weights[g];

    if (ratio) w *= ratio[g];
    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j) A[i * Np + j] += w * phi[i] * phi[j];
  }
}

PetscErrorCode PlexDGCurvedGetNorm_Private(PlexDG dg, const PetscReal *norm[])
{
  PlexDGQuadrature Q  = dg->curved;
  const PetscInt   Np = dg->reference->Np, nw = dg->graded ? dg->graded->nweights : 1,
                   n = nw * (dg->mesh->ncurved[0] + dg->mesh->ncurved[1]);
  PetscReal       *M, *A;
  PetscBLASInt     bNp, info;

  PetscFunctionBegin;
  *norm = dg->curvedNorm;
  if (dg->curvedNorm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(Np, &bNp));
  PetscCall(PetscMalloc1((size_t)n * Np * Np + 1, &dg->curvedNorm));
  PetscCall(PetscMalloc2(Np * Np, &M, Np * Np, &A));
  PlexDGWeightedMass(Q, Np, NULL, NULL, M);
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal *T = &dg->curvedNorm[(size_t)k * Np * Np];

    PlexDGWeightedMass(Q, Np, &Q->detJ[(size_t)(k / nw) * Q->NG],
                       dg->graded ? &dg->graded->ratio[(size_t)k * Q->NG] : NULL, A);
    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j) T[i * Np + j] = M[i * Np + j];
    PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bNp, A, &bNp, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "A mass matrix of a curved element is singular");
    PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("L", &bNp, &bNp, A, &bNp, T, &bNp, &info));
  }
  PetscCall(PetscFree2(M, A));
  *norm = dg->curvedNorm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
