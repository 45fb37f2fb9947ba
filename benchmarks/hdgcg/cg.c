/*
  Continuous elements of the mesh, degree, coefficients, source and known boundary values of a hybridized DG
  discretization, statically condensed: the comparison of King, Yakovlev, Fu, Kirby and Sherwin (2014), section 5 and
  Table 7, with assembly and solve.

  Functions are 1 at one node each: vertices, Gauss-Lobatto points of the edges, which both their elements see the same,
  and points inside. Those inside belong to one element and are eliminated there; the rest is solved for.
*/
#include "cgimpl.h"
#include "../devicesource.h"
#include <plexgpu/private/dgimpl.h>
#include <petscblaslapack.h>

PetscLogEvent PLEX_HDGCGLocal, PLEX_HDGCGAssemble, PLEX_HDGCGSolve, PLEX_HDGCGRecover;

/* Vertices of the reference triangle and tetrahedron, in PETSc's order */
static const PetscReal PlexHDGCGVertices[2][4][3] = {
  {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}},
  {{-1, -1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}}
};

/* points[Np][dim], inside then on the boundary, and weights of these */
static PetscErrorCode PlexHDGCGSetSimplex(PlexHDGCG cg)
{
  PlexHDGReference R  = cg->hdg->reference;
  const PetscInt   nv = R->dim + 1;
  PetscInt        *index, place[2] = {0, cg->Ni};
  PetscReal       *lambda;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nv * R->Np, &lambda, nv * R->Np, &index));
  PetscCall(PlexDGNodes(R->dim, R->P, lambda, index));
  for (PetscInt i = 0; i < R->Np; ++i) {
    PetscInt boundary = 0;

    for (PetscInt v = 0; v < nv; ++v)
      if (!index[nv * i + v]) boundary = 1;
    for (PetscInt v = 0; v < nv && boundary; ++v) cg->weights[4 * (place[1] - cg->Ni) + v] = (int)index[nv * i + v];
    for (PetscInt d = 0; d < R->dim; ++d) {
      PetscReal *x = &cg->points[R->dim * place[boundary] + d];

      *x = 0.;
      for (PetscInt v = 0; v < nv; ++v) *x += lambda[nv * i + v] * PlexHDGCGVertices[R->dim - 2][v][d];
    }
    ++place[boundary];
  }
  PetscCall(PetscFree2(lambda, index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCGSetPoints(PlexHDGCG cg)
{
  PlexHDGReference R = cg->hdg->reference;
  const PetscInt   P = R->P;
  PetscReal        gll[PLEX_HDG_MAX_DEGREE + 1], weights[PLEX_HDG_MAX_DEGREE + 1], *x = cg->points;
  int             *weight = cg->weights;

  PetscFunctionBegin;
  if (R->faces == R->dim + 1) {
    PetscCall(PlexHDGCGSetSimplex(cg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscDTGaussLobattoLegendreQuadrature(P + 1, PETSCGAUSSLOBATTOLEGENDRE_VIA_LINEAR_ALGEBRA, gll, weights));
  for (PetscInt j = 1; j < P; ++j) {
    for (PetscInt i = 1; i < P; ++i) {
      *x++ = gll[i];
      *x++ = gll[j];
    }
  }
  /* edge f goes from vertex f to the next */
  for (PetscInt f = 0; f < R->faces; ++f, x += 2 * P) {
    PetscCall(PlexHDGFacePoints(R->cell, f, P, gll, x));
    for (PetscInt m = 0; m < P; ++m, weight += 4) {
      weight[f]                  = (int)(P - m);
      weight[(f + 1) % R->faces] = (int)m;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C[Np][Np] = V^-1 of the values V[node][function] */
static PetscErrorCode PlexHDGCGSetTransform(PlexHDGCG cg)
{
  PlexHDGReference R = cg->hdg->reference;
  PetscReal       *V;
  PetscBLASInt     n = (PetscBLASInt)R->Np, *pivots, info;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, &V));
  PetscCall(PetscMalloc1(n, &pivots));
  PetscCall(PlexHDGBasis(R->cell, R->P, n, cg->points, V, NULL));
  for (PetscInt k = 0; k < n * n; ++k) cg->C[k] = k % (n + 1) ? 0. : 1.;
  /* of the transposed: rows are columns to LAPACK */
  PetscCallBLAS("LAPACKgesv", LAPACKgesv_(&n, &n, V, &n, pivots, cg->C, &n, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The nodes of degree %" PetscInt_FMT " do not determine a polynomial", R->P);
  PetscCall(PetscFree(V));
  PetscCall(PetscFree(pivots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B[m][Np] = A[m][Np] C: functions of the element become those of the nodes */
static void PlexHDGCGTransform(PlexHDGCG cg, PetscInt m, const PetscReal A[], PetscReal B[])
{
  const PetscBLASInt n = (PetscBLASInt)cg->hdg->reference->Np, bm = (PetscBLASInt)m;
  const PetscScalar  one = 1., zero = 0.;

  BLASgemm_("N", "N", &n, &bm, &n, &one, cg->C, &n, A, &n, &zero, B, &n);
}

#define UPLOAD(name, values, n) \
  PetscCall(PlexMemoryUpload(cg->hdg->backend, &cg->memory, values, sizeof(double) * (size_t)(n), \
                             (const void **)&cg->args.name))

/* Tables of the functions, and the source's moments with them */
static PetscErrorCode PlexHDGCGUploadTables(PlexHDGCG cg)
{
  PlexHDG          hdg = cg->hdg;
  PlexHDGReference R   = hdg->reference;
  const PetscInt   Np = R->Np, Nq = R->Nq, n = hdg->mesh->Ne * Np;
  PetscReal       *phi, *dphi, *S, *M, *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(Nq * Np, &phi, R->dim * Nq * Np, &dphi, R->nab * Np * Np, &S, Np * Np, &M, 2 * (size_t)n, &f));
  PlexHDGCGTransform(cg, Nq, R->phi, phi);
  PlexHDGCGTransform(cg, R->dim * Nq, R->dphi, dphi);
  PetscCall(PlexHDGReferenceStiffness(R, Np, dphi, S));
  PlexHDGReferenceMoments(Nq, R->weights, Np, phi, Np, phi, M);
  UPLOAD(phi, phi, Nq * Np);
  UPLOAD(dphi, dphi, R->dim * Nq * Np);
  UPLOAD(S, S, R->nab * Np * Np);
  UPLOAD(M, M, Np * Np);
  UPLOAD(C, cg->C, Np * Np);
  if (hdg->args.f) {
    PetscCall(PlexBackendCopyOut(hdg->backend, f, hdg->args.f, sizeof(double) * n));
    PlexHDGCGTransform(cg, hdg->mesh->Ne, f, f + n);
    UPLOAD(f, f + n, n);
  }
  PetscCall(PetscFree5(phi, dphi, S, M, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCGCompile(PlexHDGCG cg)
{
  PlexHDG           hdg = cg->hdg;
  PlexHDGReference  R   = hdg->reference;
  PlexHDGCGKernels *k;
  char              define[64], condense[PETSC_MAX_PATH_LEN], recover[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!hdg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&k));
  cg->data           = k;
  k->condense.work   = PlexHDGGeometrySize_Private(hdg, hdg->mesh->affine) + (R->Np + 1) * (R->Np | 1) + R->Np +
                       (hdg->mesh->affine ? 0 : R->Nq * R->dim * R->dim);
  k->recover.work    = k->condense.work;
  k->condense.affine = k->recover.affine = hdg->mesh->affine;
  k->condense.kept = k->recover.kept = hdg->kept;
  PetscCall(PetscSNPrintf(define, sizeof(define), "#define PLEX_HDG_NI %" PetscInt_FMT "\n", cg->Ni));
  PetscCall(BenchDeviceSource("hdgcg/cgcondense.cu", condense));
  PetscCall(BenchDeviceSource("hdgcg/cgrecover.cu", recover));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &cg->memory, condense, "cgcondense", define, R->Np, &k->condense));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &cg->memory, recover, "cgrecover", define, R->Np, &k->recover));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCGRegisterEvents(void)
{
  static PetscBool registered = PETSC_FALSE;

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscLogEventRegister("PlexHDGCGLocal", PLEXHDG_CLASSID, &PLEX_HDGCGLocal));
  PetscCall(PetscLogEventRegister("PlexHDGCGAssemble", PLEXHDG_CLASSID, &PLEX_HDGCGAssemble));
  PetscCall(PetscLogEventRegister("PlexHDGCGSolve", PLEXHDG_CLASSID, &PLEX_HDGCGSolve));
  PetscCall(PetscLogEventRegister("PlexHDGCGRecover", PLEXHDG_CLASSID, &PLEX_HDGCGRecover));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGCreate(PlexHDG hdg, PlexHDGCG *newcg)
{
  PlexHDGCG cg;
  PetscInt  Np, Ne;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGRegisterEvents());
  PetscCall(PlexHDGSetUp(hdg));
  PetscCheck(hdg->mesh->dim == 2 || hdg->mesh->cell == DM_POLYTOPE_TETRAHEDRON, PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_SUP,
             "Statically condensed continuous elements are those of triangles, quadrilaterals and "
             "tetrahedra, and this mesh has cells of type %s",
             DMPolytopeTypes[hdg->mesh->cell]);
  PetscCheck(hdg->system == PLEX_HDG_DIFFUSION, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Continuous elements are those of diffusion");
  PetscCheck(hdg->mesh->affine || hdg->mesh->nmapped == hdg->mesh->Ne, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Continuous elements are compared with on meshes of affine elements alone, or of none, and this one has "
             "%" PetscInt_FMT " of %" PetscInt_FMT ": -plex_hdg_affine false takes them as the others",
             hdg->mesh->Ne - hdg->mesh->nmapped, hdg->mesh->Ne);
  PetscCall(PetscNew(&cg));
  *newcg  = cg;
  cg->hdg = hdg;
  Np      = hdg->reference->Np;
  Ne      = hdg->mesh->Ne;
  cg->Ni  = hdg->mesh->faces > hdg->mesh->dim + 1 ? PetscSqr(hdg->degree - 1)
                                                  : PlexDGNodesSize(hdg->mesh->dim, hdg->degree - hdg->mesh->dim - 1);
  cg->Nb  = Np - cg->Ni;
  PetscCall(PetscMalloc1((size_t)Ne * cg->Nb, &cg->nodes));
  PetscCall(PetscMalloc2(hdg->mesh->dim * Np, &cg->points, Np * Np, &cg->C));
  PetscCall(PetscCalloc1(4 * cg->Nb, &cg->weights));
  PetscCall(PlexHDGCGSetPoints(cg));
  PetscCall(PlexHDGCGSetTransform(cg));
  PetscCall(PlexHDGCGUploadTables(cg));
  PetscCall(PlexHDGCGNumber_Private(cg));
  PetscCall(PlexMemoryUpload(hdg->backend, &cg->memory, cg->nodes, sizeof(int) * (size_t)Ne * cg->Nb,
                             (const void **)&cg->args.nodes));
  PetscCall(PlexMemoryAllocate(hdg->backend, &cg->memory, sizeof(double) * (size_t)Ne * cg->Nb, (void **)&cg->args.b));
  PetscCall(PlexMemoryAllocate(hdg->backend, &cg->memory, sizeof(double) * (size_t)Ne * cg->Nb * cg->Nb,
                               (void **)&cg->args.K));
  cg->args.nfree = (int)cg->nfree;
  PetscCall(PlexHDGCGSetUpMatrix_Private(cg));
  PetscCall(PlexHDGCreateVecs(hdg, NULL, &cg->u, NULL, NULL));
  PetscCall(PlexHDGCGCompile(cg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGDestroy(PlexHDGCG *newcg)
{
  PlexHDGCG         cg       = *newcg;
  PlexArray        *arrays[] = {&cg->arrayX, &cg->arrayU};
  PlexHDGCGKernels *k;

  PetscFunctionBegin;
  if (!cg) PetscFunctionReturn(PETSC_SUCCESS);
  k = (PlexHDGCGKernels *)cg->data;
  if (k) {
    PetscCall(PlexModuleDestroy(&k->condense.module));
    PetscCall(PlexModuleDestroy(&k->recover.module));
    PetscCall(PetscFree(cg->data));
  }
  for (int a = 0; a < 2; ++a) PetscCall(PlexArrayReset(cg->hdg->backend, arrays[a]));
  PetscCall(PlexMemoryFree(cg->hdg->backend, &cg->memory));
  PetscCall(PetscFree(cg->nodes));
  PetscCall(PetscFree(cg->weights));
  PetscCall(PetscFree(cg->global));
  PetscCall(VecScatterDestroy(&cg->scatter));
  PetscCall(VecDestroy(&cg->local));
  PetscCall(PetscFree2(cg->points, cg->C));
  PetscCall(MatDestroy(&cg->A));
  PetscCall(VecDestroy(&cg->x));
  PetscCall(VecDestroy(&cg->rhs));
  PetscCall(VecDestroy(&cg->u));
  PetscCall(KSPDestroy(&cg->ksp));
  PetscCall(PetscFree(*newcg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
