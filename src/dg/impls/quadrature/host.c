/*
  DG with quadrature on the host (P_CPU of Henry de Frahan 2011): blocks of elements that stay in the cache, products
  with the reference matrices by BLAS for all fields of a block at once, pointwise functions along the points.

    collocation     U = W0 u,  UM = W4 TM,  UP = W4 TP                          equations 2.8, 2.17
    evaluation      G = C F(U),  S = det J s(U),  Q = |n| q(UM, UP)             2.11 to 2.14, 2.18, 2.19
    redistribution  r = W3 G + W2 S - W5 Q                                      2.15, 2.16, 2.20
    solving         r = M^-1 r                                                  2.23

  Affine elements have the reference element's mass matrix times det J: it is in W2, W3 and W5 already, and det J in the
  geometry.

  What is across a face is collocated by both of its elements: values stay in the cache, and no element waits for
  another.
*/
#include "quadratureimpl.h"
#include "../host/hostimpl.h"

#define PLEX_DG_HOST_BYTES (256 * 1024) /* of the arrays of a block */

typedef struct {
  PetscInt block; /* elements */
  /* [n][Nf][Np] of a block: nodal, R in single precision alone, sums where elements have own mass matrices */
  void       *nodal, *R, *sums;
  void       *U, *G, *S, *TM, *TP, *UM, *UP, *Q;           /* as PlexDGPointBlock has them */
  const void *W0;                                          /* [Np][NG] */
  const void *W2;                                          /* [NG][Np] */
  const void *W3;                                          /* [dim][NG][Np] */
  const void *W4;                                          /* [Nfp][MG] */
  const void *W5;                                          /* [faces][MG][Np] */
  const void *C, *detJ, *normals, *Minv, *x, *K, *KM, *KP; /* as PlexDGQuadrature and PlexDGPointBlock have them */
  int        *meet;                                        /* [faces + 1][turns][Nfp] */
  /* where energy is looked at: of a block, [n][Nf][NG], [n][Nf][Np], [n][PLEX_DG_BALANCES]; weights of points, W2
     without M^-1, M^-1 */
  void       *W, *B, *balances;
  const void *weights, *faceWeights, *W2plain, *inverse;
  PetscInt    begin, end; /* steps that a block goes through */
} PlexDGQuadratureHost;

/* With the names of chapter 4: Jacobians are in evaluation, and faces are mapped to elements by gemm_q */
enum {
  STEP_MAP_TO_FACE,
  STEP_COLLOCATION_U,
  STEP_COLLOCATION_UF,
  STEP_EVALUATE_SF,
  STEP_EVALUATE_Q,
  STEP_GEMM_SF,
  STEP_GEMM_Q,
  STEP_SOLVE, /* where elements have own mass matrices */
  STEP_ENTROPY,
  STEPS
};

static PetscErrorCode PlexDGSetUpEntropy(PlexDG dg)
{
  PlexDGQuadratureHost *way  = (PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature      Q    = dg->quadrature;
  PlexDGReference       R    = dg->reference;
  const size_t          real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const size_t          n    = (size_t)(way->block * dg->system->Nf) * real;
  PlexDGTables          tables;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n * Q->NG, (char **)&way->W, n * R->Np, (char **)&way->B, way->block * PLEX_DG_BALANCES * real,
                         (char **)&way->balances));
  PetscCall(PlexDGUploadReals(dg, Q->NG, Q->weights, &way->weights));
  PetscCall(PlexDGUploadReals(dg, Q->MG, Q->faceWeights, &way->faceWeights));
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_FALSE, &tables));
  PetscCall(PlexDGUploadReals(dg, R->Np * Q->NG, tables.W2, &way->W2plain));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  if (Q->affine) PetscCall(PlexDGUploadReals(dg, R->Np * R->Np, Q->Minv, &way->inverse));
  else way->inverse = way->Minv;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_QuadratureHost(PlexDG dg)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature      Q   = dg->quadrature;
  PlexDGReference       R   = dg->reference;
  const PetscInt        dim = R->dim, Nf = dg->system->Nf, face = R->faces * R->Nfp, point = R->faces * Q->MG;
  const size_t          real    = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
                        element = (size_t)Nf * (3 * R->Np + (2 + dim) * Q->NG + 2 * face + 3 * point) * real;
  PlexDGTables          tables;
  size_t                n;

  PetscFunctionBegin;
  way->block = PetscClipInterval((PetscInt)(PLEX_DG_HOST_BYTES / element), 1, 256);
  n          = (size_t)way->block * Nf * real;
  PetscCall(PetscMalloc6(n * R->Np, (char **)&way->nodal, n * R->Np, (char **)&way->R, n * R->Np, (char **)&way->sums,
                         n * Q->NG, (char **)&way->U, n * dim * Q->NG, (char **)&way->G, n * Q->NG, (char **)&way->S));
  PetscCall(PetscMalloc5(n * face, (char **)&way->TM, n * face, (char **)&way->TP, n * point, (char **)&way->UM,
                         n * point, (char **)&way->UP, n * point, (char **)&way->Q));
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
  if (dg->entropy) PetscCall(PlexDGSetUpEntropy(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sums = W3 G + W2 S of a block's elements */
static PetscErrorCode PlexDGRedistribute(PlexDG dg, PetscInt columns, void *sums)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;
  const PetscInt        Np = dg->reference->Np, NG = dg->quadrature->NG;
  const PlexGemm        fluxes  = {Np, columns, dg->reference->dim * NG, 1., 0., way->W3, way->G, sums};
  const PlexGemm        sources = {Np, columns, NG, 1., 1., way->W2, way->S, sums};

  PetscFunctionBegin;
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &fluxes));
  if (dg->system->host[dg->precision]->addsource) PetscCall(PlexBackendGemm(dg->backend, dg->precision, &sources));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = M^-1 sums, where elements have own mass matrices */
static PetscErrorCode PlexDGSolveBlock(PlexDG dg, PetscInt first, PetscInt n, const void *sums, void *r)
{
  PlexDGQuadratureHost *way  = (PlexDGQuadratureHost *)dg->data;
  const PetscInt        Np   = dg->reference->Np;
  const size_t          real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);

  PetscFunctionBegin;
  for (PetscInt e = 0; way->Minv && e < n; ++e) {
    const size_t   at      = (size_t)e * dg->system->Nf * Np * real;
    const void    *Minv    = (const char *)way->Minv + (size_t)(first + e) * Np * Np * real;
    const PlexGemm product = {Np, dg->system->Nf, Np, 1., 0., Minv, (const char *)sums + at, (char *)r + at};

    PetscCall(PlexBackendGemm(dg->backend, dg->precision, &product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of n elements from `first` on, as the pointwise functions take them; u[n][Nf][Np] in the operator's
   precision */
static PlexDGPointBlock PlexDGGetBlock(PlexDG dg, PetscInt first, PetscInt n, const void *u)
{
  const PlexDGQuadratureHost *way = (const PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature            Q   = dg->quadrature;
  PlexDGReference             ref = dg->reference;

  return (PlexDGPointBlock){
    .n           = n,
    .Np          = ref->Np,
    .Nfp         = ref->Nfp,
    .NG          = Q->NG,
    .MG          = Q->MG,
    .faces       = ref->faces,
    .turns       = ref->turns,
    .first       = first,
    .affine      = Q->affine,
    .C           = way->C,
    .detJ        = way->detJ,
    .normals     = way->normals,
    .x           = way->x,
    .K           = way->K,
    .KM          = way->KM,
    .KP          = way->KP,
    .U           = way->U,
    .G           = way->G,
    .S           = way->S,
    .nodal       = u,
    .TM          = way->TM,
    .TP          = way->TP,
    .UM          = way->UM,
    .UP          = way->UP,
    .Q           = way->Q,
    .faceNodes   = ref->faceNodes,
    .meet        = way->meet,
    .W           = way->W,
    .balances    = way->balances,
    .weights     = way->weights,
    .faceWeights = way->faceWeights,
    .W2          = way->W2plain,
    .Minv        = way->inverse,
    .rate        = dg->entropy ? PlexDGEntropyRate_Private(dg) : 0.,
  };
}

/* Elements of a block: r from u, both in the operator's precision */
static PetscErrorCode PlexDGComputeBlock(PlexDG dg, const PlexDGArgs *args, PetscInt first, PetscInt n, const void *u,
                                         void *r)
{
  PlexDGQuadratureHost *way  = (PlexDGQuadratureHost *)dg->data;
  PlexDGQuadrature      Q    = dg->quadrature;
  const PlexDGHost     *host = dg->system->host[dg->precision];
  PlexDGReference       ref  = dg->reference;
  const PetscInt        Np = ref->Np, columns = n * dg->system->Nf, traces = columns * ref->faces;
  void                 *sums    = way->Minv ? way->sums : r;
  PlexDGPointBlock      block   = PlexDGGetBlock(dg, first, n, u);
  const PlexGemm        inside  = {Q->NG, columns, Np, 1., 0., way->W0, u, way->U};
  const PlexGemm        minus   = {Q->MG, traces, ref->Nfp, 1., 0., way->W4, way->TM, way->UM};
  const PlexGemm        plus    = {Q->MG, traces, ref->Nfp, 1., 0., way->W4, way->TP, way->UP};
  const PlexGemm        fluxes  = {Np, columns, ref->faces * Q->MG, -1., 1., way->W5, way->Q, sums};
  const PlexGemm        entropy = {Np, columns, Q->NG, 1., 0., way->W2plain, way->W, way->B};

  PetscFunctionBegin;
  for (PetscInt step = way->begin; step < way->end; ++step) {
    switch (step) {
    case STEP_MAP_TO_FACE:
      (*host->traces)(args, &block);
      break;
    case STEP_COLLOCATION_U:
      PetscCall(PlexBackendGemm(dg->backend, dg->precision, &inside));
      break;
    case STEP_COLLOCATION_UF:
      PetscCall(PlexBackendGemm(dg->backend, dg->precision, &minus));
      PetscCall(PlexBackendGemm(dg->backend, dg->precision, &plus));
      break;
    case STEP_EVALUATE_SF:
      (*host->pointflux)(args, &block);
      break;
    case STEP_EVALUATE_Q:
      (*host->pointfaces)(args, &block);
      break;
    case STEP_GEMM_SF:
      PetscCall(PlexDGRedistribute(dg, columns, sums));
      break;
    case STEP_GEMM_Q:
      PetscCall(PlexBackendGemm(dg->backend, dg->precision, &fluxes));
      break;
    case STEP_SOLVE:
      PetscCall(PlexDGSolveBlock(dg, first, n, sums, r));
      break;
    default:
      if (!way->W) break;
      PetscCall(PlexBackendGemm(dg->backend, dg->precision, &entropy));
      (*host->correct)(args, &block, way->B, r);
    }
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

/* Numbers that a step reads and writes, each once, and flops of its products */
static void PlexDGDescribe(PlexDG dg, PetscInt step, double *numbers, double *flops)
{
  const double dim = (double)dg->mesh->dim, sources = dg->system->host[0]->addsource ? 1. : 0.,
               curved = dg->quadrature->affine ? 0. : 1., faces = (double)dg->mesh->faces;
  const double Np = (double)dg->reference->Np, F = faces * (double)dg->reference->Nfp, NG = (double)dg->quadrature->NG,
               G  = faces * (double)dg->quadrature->MG;
  const double Ne = (double)dg->mesh->Ne, ne = Ne * (double)dg->system->Nf;
  const double counts[STEPS][2] = {
    {4. * ne * F,                                                   0.                                 },
    {ne * (Np + NG),                                                2. * ne * Np * NG                  },
    {2. * ne * (F + G),                                             4. * ne * F * (G / faces)          },
    {ne * NG * (1. + dim + sources) + curved * Ne * NG * dim * dim, 0.                                 },
    {3. * ne * G + Ne * dim * (curved > 0. ? G : faces),            0.                                 },
    {ne * (NG * (dim + sources) + Np * (1. + 2. * sources)),        2. * ne * Np * NG * (dim + sources)},
    {ne * (G + 2. * Np),                                            2. * ne * Np * G                   },
    {curved * (2. * ne * Np + Ne * Np * Np),                        curved * 2. * ne * Np * Np         },
    {ne * (NG + 3. * Np),                                           2. * ne * Np * NG                  }
  };

  *numbers = counts[step][0];
  *flops   = counts[step][1];
}

/* Runs a step alone, on the values that the arrays of a block hold. They stay in the cache, as in a whole right-hand
   side */
static PetscErrorCode PlexDGPart_QuadratureHost(PlexDG dg, const PlexDGArgs *args, PetscInt k, PlexDGPart *part)
{
  static const char *const names[STEPS] = {"map_to_face", "collocation_u", "collocation_uf",
                                           "evaluate_sf", "evaluate_q",    "gemm_sf",
                                           "gemm_q",      "solve",         "entropy"};
  PlexDGQuadratureHost    *way          = (PlexDGQuadratureHost *)dg->data;
  PlexDGArgs               all;

  PetscFunctionBegin;
  if (k >= STEP_SOLVE && !way->Minv) ++k;
  part->name = k >= STEPS || (k == STEP_ENTROPY && !way->W) ? NULL : names[k];
  if (!part->name) PetscFunctionReturn(PETSC_SUCCESS);
  PlexDGDescribe(dg, k, &part->bytes, &part->flops);
  part->bytes *= dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  if (!args) PetscFunctionReturn(PETSC_SUCCESS);
  all        = *args;
  all.begin  = 0;
  all.end    = all.Ne;
  way->begin = k;
  way->end   = k + 1;
  PetscCall(PlexDGRHS_QuadratureHost(dg, &all));
  way->begin = 0;
  way->end   = STEPS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureHost(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "products by BLAS, blocks of %" PetscInt_FMT " elements\n",
                                   ((PlexDGQuadratureHost *)dg->data)->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureHost(PlexDG dg)
{
  PlexDGQuadratureHost *way = (PlexDGQuadratureHost *)dg->data;

  PetscFunctionBegin;
  PetscCall(PetscFree6(way->nodal, way->R, way->sums, way->U, way->G, way->S));
  PetscCall(PetscFree5(way->TM, way->TP, way->UM, way->UP, way->Q));
  PetscCall(PetscFree3(way->W, way->B, way->balances));
  PetscCall(PetscFree(way->meet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCreateQuadrature_Host_Private(PlexDG dg)
{
  PlexDGQuadratureHost *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  way->end       = STEPS;
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_QuadratureHost;
  dg->ops->rhs   = PlexDGRHS_QuadratureHost;
  dg->ops->part  = PlexDGPart_QuadratureHost;
  dg->ops->view  = PlexDGView_QuadratureHost;
  dg->ops->reset = PlexDGReset_QuadratureHost;
  PetscFunctionReturn(PETSC_SUCCESS);
}
