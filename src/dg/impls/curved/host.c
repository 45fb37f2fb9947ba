/*
  Curved elements of nodal DG on the host: blocks of elements, products with matrices of the reference element by BLAS,
  pointwise functions at points.

    U = W0 u,  dU = W1 u,  UM = W4 TM,  UP = W4 TP        fields, derivatives and traces at points
    S, G, Q                                               plexgpu/dg_curved_loops.h
    r = W2 S + W3 G + W5 Q                                tested; M^-1 of the reference element is in W2, W3 and W5
    r = W2 (1/det J) W0 r                                 M^-1 M_{1/J} M^-1 in the place of the inverse of the element's
                                                          own mass matrix, M_J (Chan, Hewett and Warburton,
                                                          Weight-adjusted discontinuous Galerkin methods: curvilinear
                                                          meshes, SIAM J. Sci. Comput. 39, 2017)

  Its inverse M M_{1/J}^-1 M is symmetric and positive, and it is the norm in which energy does not grow. An element has
  geometry at points alone.
*/
#include "curvedimpl.h"
#include "../host/hostimpl.h"
#include "../../nodal/nodalimpl.h"

#define PLEX_DG_CURVED_BLOCK 16 /* elements */

typedef struct {
  void       *nodal, *R, *sums; /* [n][Nf][Np] of a block; nodal and R in single precision alone */
  void       *U, *dU, *S, *G, *TM, *TP, *UM, *UP, *Q; /* as PlexDGCurvedBlock has them */
  const void *W0, *W1, *W2, *W3, *W4, *W5;            /* PlexDGTables; W1 [Np][dim][NG] derivatives at the points */
  /* J [ncurved][NG] 1/det J; graded: [ncurved][nweights][NG], times PlexDGGraded.ratio; k as that has it, or NULL */
  const void *C, *J, *normals, *x, *psi, *k;
  int        *meet;
} PlexDGCurvedHost;

/* v = v/det J of elements from curved element `index` on */
#define PLEX_DG_DIVIDE(real) \
  for (PetscInt e = 0; e < n; ++e) \
    for (PetscInt k = 0; k < Nf; ++k) { \
      const size_t row = (size_t)(index + e) * nw + (dg->graded ? (*weightof)((int)k) : 0); \
\
      for (PetscInt g = 0; g < NG; ++g) \
        ((real *)w->U)[((size_t)e * Nf + k) * NG + g] *= ((const real *)w->J)[row * NG + g]; \
    }

static void PlexDGCurvedDivide(PlexDG dg, PetscInt index, PetscInt n)
{
  const PlexDGCurvedHost *w  = (const PlexDGCurvedHost *)dg->curvedWay->data;
  const PetscInt          Nf = dg->system->Nf, NG = dg->curved->NG, nw = PlexDGCurvedWeights_Private(dg);
  int (*const weightof)(int) = dg->system->host[dg->precision]->weightof;

  if (dg->precision == PLEX_PRECISION_SINGLE) {
    PLEX_DG_DIVIDE(float)
  } else {
    PLEX_DG_DIVIDE(double)
  }
}

/* Elements of a block: r from u, both in the operator's precision */
static PetscErrorCode PlexDGCurvedComputeBlock(PlexDG dg, const PlexDGArgs *args, PetscInt first, PetscInt n,
                                               const void *u, void *r)
{
  PlexDGCurvedHost       *w    = (PlexDGCurvedHost *)dg->curvedWay->data;
  const PlexDGHost       *host = dg->system->host[dg->precision];
  PlexDGReference         R    = dg->reference;
  PlexDGQuadrature        Q    = dg->curved;
  const PetscInt          Np = R->Np, Nfp = R->Nfp, NG = Q->NG, MG = Q->MG, columns = n * dg->system->Nf,
                          traces = columns * R->faces, index = PlexDGMeshCurvedIndex(dg->mesh, first);
  const PlexGemm          fields = {NG, columns, Np, 1., 0., w->W0, u, w->U},
                          slopes = {R->dim * NG, columns, Np, 1., 0., w->W1, u, w->dU},
                          minus  = {MG, traces, Nfp, 1., 0., w->W4, w->TM, w->UM},
                          plus   = {MG, traces, Nfp, 1., 0., w->W4, w->TP, w->UP},
                          values = {Np, columns, NG, 1., 0., w->W2, w->S, w->sums},
                          fluxes = {Np, columns, R->dim * NG, 1., 1., w->W3, w->G, w->sums},
                          lift   = {Np, columns, R->faces * MG, 1., 1., w->W5, w->Q, w->sums},
                          tested = {NG, columns, Np, 1., 0., w->W0, w->sums, w->U},
                          solved = {Np, columns, NG, 1., 0., w->W2, w->U, r};
  const PlexDGCurvedBlock block  = {.n       = n,
                                    .Np      = Np,
                                    .Nfp     = Nfp,
                                    .NG      = NG,
                                    .MG      = MG,
                                    .faces   = R->faces,
                                    .turns   = R->turns,
                                    .first   = first,
                                    .index   = index,
                                    .C       = w->C,
                                    .normals = w->normals,
                                    .x       = w->x,
                                    .k       = w->k,
                                    .psi     = w->psi,
                                    .nodal   = u,
                                    .U       = w->U,
                                    .dU      = w->dU,
                                    .S       = w->S,
                                    .G       = w->G,
                                    .UM      = w->UM,
                                    .UP      = w->UP,
                                    .Q       = w->Q,
                                    .R       = r};
  const PlexDGPointBlock  sides  = {.n         = n,
                                    .Np        = Np,
                                    .Nfp       = Nfp,
                                    .faces     = R->faces,
                                    .turns     = R->turns,
                                    .first     = first,
                                    .nodal     = u,
                                    .TM        = w->TM,
                                    .TP        = w->TP,
                                    .faceNodes = R->faceNodes,
                                    .meet      = w->meet};

  PetscFunctionBegin;
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &fields));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &slopes));
  (*host->curvedvolume)(args, &block);
  (*host->traces)(args, &sides);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &minus));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &plus));
  (*host->curvedfaces)(args, &block);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &values));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &fluxes));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &lift));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &tested));
  PlexDGCurvedDivide(dg, index, n);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &solved));
  (*host->curvedlocal)(args, &block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedCompute_Host(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGCurvedHost *w = (PlexDGCurvedHost *)dg->curvedWay->data;

  PetscFunctionBegin;
  (void)stage; /* types of the host have none */
  PetscCall(PlexDGComputeBlocks_Private(dg, args, PLEX_DG_CURVED_BLOCK, w->nodal, w->R, PlexDGCurvedComputeBlock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedDestroy_Host(PlexDG dg, void *data)
{
  PlexDGCurvedHost *w = (PlexDGCurvedHost *)data;

  PetscFunctionBegin;
  (void)dg;
  PetscCall(PetscFree7(w->nodal, w->R, w->sums, w->U, w->dU, w->S, w->G));
  PetscCall(PetscFree5(w->TM, w->TP, w->UM, w->UP, w->Q));
  PetscCall(PetscFree(w->meet));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices of the reference element, and geometry */
static PetscErrorCode PlexDGCurvedUpload(PlexDG dg, PlexDGCurvedHost *w)
{
  PlexDGReference  R  = dg->reference;
  PlexDGQuadrature Q  = dg->curved;
  const PetscInt   Np = R->Np, NG = Q->NG, MG = Q->MG, dim = R->dim;
  const size_t     n = (size_t)(dg->mesh->ncurved[0] + dg->mesh->ncurved[1]);
  PlexDGTables     tables;
  PetscReal       *W1, *J;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)Np * dim * NG, &W1));
  PetscCall(PlexDGCurvedGetInverse_Private(dg, &J));
  for (PetscInt j = 0; j < Np; ++j)
    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt g = 0; g < NG; ++g) W1[(j * dim + a) * NG + g] = Q->dphi[(a * NG + g) * Np + j];
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_TRUE, &tables));
  PetscCall(PlexDGUploadReals(dg, Np * NG, tables.W0, &w->W0));
  PetscCall(PlexDGUploadReals(dg, Np * dim * NG, W1, &w->W1));
  PetscCall(PlexDGUploadReals(dg, Np * NG, tables.W2, &w->W2));
  PetscCall(PlexDGUploadReals(dg, dim * Np * NG, tables.W3, &w->W3));
  PetscCall(PlexDGUploadReals(dg, R->Nfp * MG, tables.W4, &w->W4));
  PetscCall(PlexDGUploadReals(dg, R->faces * MG * Np, tables.W5, &w->W5));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscCall(PlexDGUploadReals(dg, n * dim * dim * NG, Q->C, &w->C));
  PetscCall(PlexDGUploadReals(dg, n * PlexDGCurvedWeights_Private(dg) * NG, J, &w->J));
  w->k = NULL;
  if (dg->graded)
    PetscCall(PlexDGUploadReals(dg, n * R->faces * 2 * dg->system->ncoefficients * MG, dg->graded->k, &w->k));
  PetscCall(PlexDGUploadReals(dg, n * R->faces * dim * MG, Q->normals, &w->normals));
  PetscCall(PlexDGUploadReals(dg, MG * R->Nfp, Q->psi, &w->psi));
  PetscCall(PlexDGCurvedUploadNodes_Private(dg, &w->x));
  PetscCall(PetscFree(W1));
  PetscCall(PetscFree(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedCreate_Host_Private(PlexDG dg, PlexDGCurvedWay way)
{
  PlexDGReference R = dg->reference;
  const size_t real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
               n = (size_t)PLEX_DG_CURVED_BLOCK * dg->system->Nf * real, nodes = n * R->Np, points = n * dg->curved->NG,
               face = n * R->faces * R->Nfp, trace = n * R->faces * dg->curved->MG;
  PlexDGCurvedHost *w;

  PetscFunctionBegin;
  PetscCall(PetscNew(&w));
  way->data    = w;
  way->compute = PlexDGCurvedCompute_Host;
  way->destroy = PlexDGCurvedDestroy_Host;
  PetscCall(PetscMalloc7(nodes, (char **)&w->nodal, nodes, (char **)&w->R, nodes, (char **)&w->sums, points,
                         (char **)&w->U, R->dim * points, (char **)&w->dU, points, (char **)&w->S, R->dim * points,
                         (char **)&w->G));
  PetscCall(PetscMalloc5(face, (char **)&w->TM, face, (char **)&w->TP, trace, (char **)&w->UM, trace, (char **)&w->UP,
                         trace, (char **)&w->Q));
  PetscCall(PlexDGGetMeet_Private(R, &w->meet));
  PetscCall(PlexDGCurvedUpload(dg, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}
