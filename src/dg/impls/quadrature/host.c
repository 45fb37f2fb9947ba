/*
  DG with quadrature on the host (P_CPU of Henry de Frahan 2011): blocks of elements that stay in the cache, products with the reference matrices by BLAS
  for all fields of a block at once, pointwise functions along the points.

    collocation     U = W0 u,  UM = W4 TM,  UP = W4 TP                          equations 2.8, 2.17
    evaluation      G = C F(U),  S = det J s(U),  Q = |n| q(UM, UP)             2.11 to 2.14, 2.18, 2.19
    redistribution  r = W3 G + W2 S - W5 Q                                      2.15, 2.16, 2.20
    solving         r = M^-1 r                                                  2.23

  Affine elements have the reference element's mass matrix times det J: it is in W2, W3 and W5 already, and det J in the geometry.

  What is across a face is collocated by both of its elements: values stay in the cache, and no element waits for another.
*/
#include "quadratureimpl.h"

#define PLEX_DG_HOST_BYTES (256 * 1024) /* of the arrays of a block */

typedef struct {
  PetscInt    block;                                       /* elements */
  void       *nodal, *R, *sums;                            /* [n][Nf][Np] of a block: nodal, R in single precision alone, sums where elements have own mass matrices */
  void       *U, *G, *S, *TM, *TP, *UM, *UP, *Q;           /* as PlexDGPointBlock has them */
  const void *W0;                                          /* [Np][NG] */
  const void *W2;                                          /* [NG][Np] */
  const void *W3;                                          /* [dim][NG][Np] */
  const void *W4;                                          /* [Nfp][MG] */
  const void *W5;                                          /* [faces][MG][Np] */
  const void *C, *detJ, *normals, *Minv, *x, *K, *KM, *KP; /* as PlexDGQuadrature and PlexDGPointBlock have them */
  int        *meet;                                        /* [faces + 1][turns][Nfp] */
} PlexDGQuadratureHost;

static PetscErrorCode PlexDGSetUp_QuadratureHost(PlexDG dg)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature      Q   = dg->quadrature;
  PlexDGReference       R   = dg->reference;
  const PetscInt        dim = R->dim, Nf = dg->system->Nf, face = R->faces * R->Nfp, point = R->faces * Q->MG;
  const size_t          real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double), element = (size_t)Nf * (3 * R->Np + (2 + dim) * Q->NG + 2 * face + 3 * point) * real;
  PlexDGTables          tables;
  size_t                n;

  PetscFunctionBegin;
  way->block = PetscClipInterval((PetscInt)(PLEX_DG_HOST_BYTES / element), 1, 256);
  n          = (size_t)way->block * Nf * real;
  PetscCall(PetscMalloc6(n * R->Np, (char **)&way->nodal, n * R->Np, (char **)&way->R, n * R->Np, (char **)&way->sums, n * Q->NG, (char **)&way->U, n * dim * Q->NG, (char **)&way->G, n * Q->NG, (char **)&way->S));
  PetscCall(PetscMalloc5(n * face, (char **)&way->TM, n * face, (char **)&way->TP, n * point, (char **)&way->UM, n * point, (char **)&way->UP, n * point, (char **)&way->Q));
  PetscCall(PlexDGGetMeet_Private(R, &way->meet));
  PetscCall(PlexDGTablesCreate_Private(Q, R, Q->affine, &tables));
  PetscCall(PlexDGUploadReals(dg, R->Np * Q->NG, tables.W0, &way->W0));
  PetscCall(PlexDGUploadReals(dg, R->Np * Q->NG, tables.W2, &way->W2));
  PetscCall(PlexDGUploadReals(dg, dim * R->Np * Q->NG, tables.W3, &way->W3));
  PetscCall(PlexDGUploadReals(dg, R->Nfp * Q->MG, tables.W4, &way->W4));
  PetscCall(PlexDGUploadReals(dg, point * R->Np, tables.W5, &way->W5));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscCall(PlexDGUploadGeometry_Private(dg, &way->C, &way->detJ, &way->normals, &way->x));
  PetscCall(PlexDGUploadVariables_Private(dg, &way->K, &way->KM, &way->KP));
  if (!Q->affine) PetscCall(PlexDGUploadReals(dg, (size_t)dg->mesh->Ne * R->Np * R->Np, Q->Minv, &way->Minv));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block: r from u, both in the operator's precision */
static PetscErrorCode PlexDGComputeBlock(PlexDG dg, const PlexDGArgs *args, PetscInt first, PetscInt n, const void *u, void *r)
{
  PlexDGQuadratureHost *way  = (PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature      Q    = dg->quadrature;
  const PlexDGHost     *host = dg->system->host[dg->precision];
  PlexDGReference       ref  = dg->reference;
  const PetscInt        Np = ref->Np, columns = n * dg->system->Nf, faces = ref->faces;
  const size_t          real  = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  void                 *sums  = way->Minv ? way->sums : r;
  PlexDGPointBlock      block = {.n         = n,
                                 .Np        = Np,
                                 .Nfp       = ref->Nfp,
                                 .NG        = Q->NG,
                                 .MG        = Q->MG,
                                 .faces     = faces,
                                 .first     = first,
                                 .affine    = Q->affine,
                                 .C         = way->C,
                                 .detJ      = way->detJ,
                                 .normals   = way->normals,
                                 .x         = way->x,
                                 .K         = way->K,
                                 .KM        = way->KM,
                                 .KP        = way->KP,
                                 .U         = way->U,
                                 .G         = way->G,
                                 .S         = way->S,
                                 .nodal     = u,
                                 .TM        = way->TM,
                                 .TP        = way->TP,
                                 .UM        = way->UM,
                                 .UP        = way->UP,
                                 .Q         = way->Q,
                                 .faceNodes = ref->faceNodes,
                                 .meet      = way->meet};

  PetscFunctionBegin;
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, Q->NG, columns, Np, 1., way->W0, u, 0., way->U));
  (*host->pointflux)(args, &block);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, Np, columns, ref->dim * Q->NG, 1., way->W3, way->G, 0., sums));
  if (host->addsource) PetscCall(PlexBackendGemm(dg->backend, dg->precision, Np, columns, Q->NG, 1., way->W2, way->S, 1., sums));
  (*host->traces)(args, &block);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, Q->MG, columns * faces, ref->Nfp, 1., way->W4, way->TM, 0., way->UM));
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, Q->MG, columns * faces, ref->Nfp, 1., way->W4, way->TP, 0., way->UP));
  (*host->pointfaces)(args, &block);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, Np, columns, faces * Q->MG, -1., way->W5, block.Q, 1., sums));
  for (PetscInt e = 0; way->Minv && e < n; ++e) {
    const size_t at = (size_t)e * dg->system->Nf * Np * real;

    PetscCall(PlexBackendGemm(dg->backend, dg->precision, Np, dg->system->Nf, Np, 1., (const char *)way->Minv + (size_t)(first + e) * Np * Np * real, (const char *)sums + at, 0., (char *)r + at));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_QuadratureHost(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeBlocks_Private(dg, args, way->block, way->nodal, way->R, PlexDGComputeBlock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureHost(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "products by BLAS, blocks of %" PetscInt_FMT " elements\n", ((PlexDGQuadratureHost *)dg->data)->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureHost(PlexDG dg)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;

  PetscFunctionBegin;
  PetscCall(PetscFree6(way->nodal, way->R, way->sums, way->U, way->G, way->S));
  PetscCall(PetscFree5(way->TM, way->TP, way->UM, way->UP, way->Q));
  PetscCall(PetscFree(way->meet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCreateQuadrature_Host_Private(PlexDG dg)
{
  PlexDGQuadratureHost *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_QuadratureHost;
  dg->ops->rhs   = PlexDGRHS_QuadratureHost;
  dg->ops->view  = PlexDGView_QuadratureHost;
  dg->ops->reset = PlexDGReset_QuadratureHost;
  PetscFunctionReturn(PETSC_SUCCESS);
}
