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
#include "../../src/dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */
#include <petscblaslapack.h>

PetscLogEvent PLEX_HDGCGLocal, PLEX_HDGCGAssemble, PLEX_HDGCGSolve, PLEX_HDGCGRecover;

/* points[Np][2]: inside, vertices, then edge after edge from its first vertex */
static PetscErrorCode PlexHDGCGSetPoints(PlexHDGCG cg)
{
  PlexHDGReference R = cg->hdg->reference;
  const PetscInt   P = R->P;
  PetscReal        gll[PLEX_HDG_MAX_DEGREE + 1], weights[PLEX_HDG_MAX_DEGREE + 1], *x = cg->points, *lambda;
  PetscInt        *index;

  PetscFunctionBegin;
  PetscCall(PetscDTGaussLobattoLegendreQuadrature(P + 1, PETSCGAUSSLOBATTOLEGENDRE_VIA_LINEAR_ALGEBRA, gll, weights));
  if (R->cell == DM_POLYTOPE_TRIANGLE) {
    PetscCall(PetscMalloc2(3 * R->Np, &lambda, 3 * R->Np, &index));
    PetscCall(PlexDGNodes(2, P, lambda, index));
    for (PetscInt i = 0; i < R->Np; ++i) {
      if (!index[3 * i] || !index[3 * i + 1] || !index[3 * i + 2]) continue;
      *x++ = 2. * lambda[3 * i + 1] - 1.;
      *x++ = 2. * lambda[3 * i + 2] - 1.;
    }
    PetscCall(PetscFree2(lambda, index));
  } else {
    for (PetscInt j = 1; j < P; ++j) {
      for (PetscInt i = 1; i < P; ++i) {
        *x++ = gll[i];
        *x++ = gll[j];
      }
    }
  }
  /* where edge f begins, vertex f is */
  for (PetscInt f = 0; f < R->faces; ++f, x += 2)
    PetscCall(PlexHDGFacePoints(R->cell, f, 1, (const PetscReal[]){-1.}, x));
  for (PetscInt f = 0; f < R->faces; ++f, x += 2 * (P - 1)) PetscCall(PlexHDGFacePoints(R->cell, f, P - 1, gll + 1, x));
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

/* number[p]: of the first node of point p of the mesh, its vertices and edges, -1: none yet; known values beyond
   nfree */
static PetscErrorCode PlexHDGCGNumber(PlexHDGCG cg)
{
  PlexHDGMesh    mesh  = cg->hdg->mesh;
  const PetscInt faces = mesh->faces, inner = cg->hdg->degree - 1;
  PetscInt       pStart, pEnd, *number, (*vertices)[4];
  PetscBool     *known;

  PetscFunctionBegin;
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc3(pEnd - pStart, &number, pEnd - pStart, &known, mesh->Ne, &vertices));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    number[p] = -1;
    known[p]  = PETSC_FALSE;
  }
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone, *orientations, *ends;

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    PetscCall(DMPlexGetConeOrientation(mesh->dm, mesh->cells[e], &orientations));
    for (PetscInt f = 0; f < faces; ++f) {
      PetscCall(DMPlexGetCone(mesh->dm, cone[f], &ends));
      vertices[e][f] = ends[orientations[f] < 0];
    }
  }
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PetscInt e = mesh->boundary[b] / faces, f = mesh->boundary[b] % faces, *cone;

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    known[cone[f] - pStart] = known[vertices[e][f] - pStart] = known[vertices[e][(f + 1) % faces] -
                                                                     pStart] = PETSC_TRUE;
  }
  for (PetscInt k = 0; k < 2; ++k) { /* free ones, then known ones */
    for (PetscInt e = 0; e < mesh->Ne; ++e) {
      const PetscInt *cone;

      PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
      for (PetscInt f = 0; f < 2 * faces; ++f) {
        const PetscInt p = (f < faces ? vertices[e][f] : cone[f - faces]) - pStart;

        if (number[p] >= 0 || known[p] != (PetscBool)k) continue;
        number[p] = cg->nfree + cg->nfixed;
        *(k ? &cg->nfixed : &cg->nfree) += f < faces ? 1 : inner;
      }
    }
  }
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscInt *cone, *orientations;
    int            *nodes = &cg->nodes[(size_t)e * cg->Nb];

    PetscCall(DMPlexGetCone(mesh->dm, mesh->cells[e], &cone));
    PetscCall(DMPlexGetConeOrientation(mesh->dm, mesh->cells[e], &orientations));
    for (PetscInt f = 0; f < faces; ++f) {
      nodes[f] = (int)number[vertices[e][f] - pStart];
      for (PetscInt m = 0; m < inner; ++m)
        nodes[faces + f * inner + m] = (int)(number[cone[f] - pStart] + (orientations[f] < 0 ? inner - 1 - m : m));
    }
  }
  PetscCall(PetscFree3(number, known, vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What Dirichlet's conditions say at the nodes: known[nfixed] */
static PetscErrorCode PlexHDGCGSetKnown(PlexHDGCG cg)
{
  PlexHDG          hdg   = cg->hdg;
  PlexHDGMesh      mesh  = hdg->mesh;
  PlexHDGReference R     = hdg->reference;
  const PetscInt   faces = mesh->faces, inner = R->P - 1, Nv = mesh->Nv;
  const PetscReal *points = cg->points + 2 * cg->Ni;
  PetscReal       *known, *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(cg->nfixed, &known, cg->Nb * Nv, &shape, cg->Nb * Nv * 2, &dshape));
  if (mesh->nmapped) PetscCall(PlexCoordinateTabulate(mesh->fe, Nv, cg->Nb, points, shape, dshape));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    const PlexHDGCondition *c = &hdg->conditions[mesh->condition[b]];
    const PetscInt          e = mesh->boundary[b] / faces, f = mesh->boundary[b] % faces;

    PetscCheck(c->kind == PLEX_HDG_DIRICHLET, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Continuous elements are compared with for Dirichlet's conditions, and facet %" PetscInt_FMT
               " of cell %" PetscInt_FMT " has condition %s",
               f, mesh->cells[e], PlexHDGBoundaries[c->kind]);
    for (PetscInt m = -2; m < inner; ++m) { /* its two vertices, its inside */
      const PetscInt i    = m == -2 ? f : m == -1 ? (f + 1) % faces : faces + f * inner + m;
      PetscReal      x[3] = {0., 0., 0.}, J[3][3], C[3][3], n[3] = {0., 0., 0.}, length = 0.;
      PetscScalar    g = 0.;

      PlexHDGMeshMap_Private(mesh, e, &points[2 * i], &shape[i * Nv], &dshape[i * Nv * 2], x, J);
      (void)PlexCofactors(2, J, C);
      for (PetscInt d = 0; d < 2; ++d) {
        for (PetscInt a = 0; a < 2; ++a) n[d] += C[a][d] * R->normal[f][a];
        length += PetscSqr(n[d]);
      }
      for (PetscInt d = 0; d < 2; ++d) n[d] /= PetscSqrtReal(length);
      if (c->func) PetscCall((*c->func)(2, x, n, 1, &g, c->ctx));
      known[cg->nodes[(size_t)e * cg->Nb + i] - cg->nfree] = PetscRealPart(g);
    }
  }
  UPLOAD(known, known, cg->nfixed);
  PetscCall(PetscFree3(known, shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCGCompile(PlexHDGCG cg)
{
  PlexHDG           hdg = cg->hdg;
  PlexHDGReference  R   = hdg->reference;
  PlexHDGCGKernels *k;
  char              define[64], condense[PETSC_MAX_PATH_LEN], recover[PETSC_MAX_PATH_LEN], sums[PETSC_MAX_PATH_LEN],
    text[2 * PETSC_MAX_PATH_LEN];

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
  PetscCall(BenchDeviceSource("hdgcg/sums.cu", sums));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &cg->memory, condense, "cgcondense", define, R->Np, &k->condense));
  PetscCall(PlexHDGKernelCreate_Private(hdg, &cg->memory, recover, "cgrecover", define, R->Np, &k->recover));
  PetscCall(PetscSNPrintf(text, sizeof(text), "#define PLEX_DIM 2\n#define PLEX_SINGLE 0\n#include \"%s\"\n", sums));
  PetscCall(PlexBackendCompile(hdg->backend, "hdg_sums.cu", 0, NULL, text, &k->module));
  PetscCall(PlexModuleGetKernel(k->module, "plex_hdg_sums", &k->sums));
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
  PlexHDGCG   cg;
  PetscInt    Np, Ne;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGRegisterEvents());
  PetscCall(PlexHDGSetUp(hdg));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  PetscCheck(size == 1 && hdg->mesh->dim == 2, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Statically condensed continuous elements are in 2D on one process, and this is %" PetscInt_FMT "D on %d",
             hdg->mesh->dim, (int)size);
  PetscCheck(hdg->mesh->affine || hdg->mesh->nmapped == hdg->mesh->Ne, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "Continuous elements are compared with on meshes of affine elements alone, or of none, and this one has "
             "%" PetscInt_FMT " of %" PetscInt_FMT ": -plex_hdg_affine false takes them as the others",
             hdg->mesh->Ne - hdg->mesh->nmapped, hdg->mesh->Ne);
  PetscCall(PetscNew(&cg));
  *newcg  = cg;
  cg->hdg = hdg;
  Np      = hdg->reference->Np;
  Ne      = hdg->mesh->Ne;
  cg->Nb  = hdg->reference->faces * hdg->degree;
  cg->Ni  = Np - cg->Nb;
  PetscCheck((PetscInt64)Ne * cg->Nb * cg->Nb < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " continuous elements of degree %" PetscInt_FMT " are too many", Ne, hdg->degree);
  PetscCall(PetscMalloc1((size_t)Ne * cg->Nb, &cg->nodes));
  PetscCall(PetscMalloc2(2 * Np, &cg->points, Np * Np, &cg->C));
  PetscCall(PlexHDGCGSetPoints(cg));
  PetscCall(PlexHDGCGSetTransform(cg));
  PetscCall(PlexHDGCGUploadTables(cg));
  PetscCall(PlexHDGCGNumber(cg));
  PetscCall(PlexHDGCGSetKnown(cg));
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
  PlexArray        *arrays[] = {&cg->arrayA, &cg->arrayX, &cg->arrayRHS, &cg->arrayU};
  PlexHDGCGKernels *k;

  PetscFunctionBegin;
  if (!cg) PetscFunctionReturn(PETSC_SUCCESS);
  k = (PlexHDGCGKernels *)cg->data;
  if (k) {
    PetscCall(PlexModuleDestroy(&k->condense.module));
    PetscCall(PlexModuleDestroy(&k->recover.module));
    PetscCall(PlexModuleDestroy(&k->module));
    PetscCall(PetscFree(cg->data));
  }
  for (int a = 0; a < 4; ++a) PetscCall(PlexArrayReset(cg->hdg->backend, arrays[a]));
  PetscCall(PlexMemoryFree(cg->hdg->backend, &cg->memory));
  PetscCall(PetscFree(cg->nodes));
  PetscCall(PetscFree2(cg->points, cg->C));
  PetscCall(MatDestroy(&cg->A));
  PetscCall(VecDestroy(&cg->x));
  PetscCall(VecDestroy(&cg->rhs));
  PetscCall(VecDestroy(&cg->u));
  PetscCall(KSPDestroy(&cg->ksp));
  PetscCall(PetscFree(*newcg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
