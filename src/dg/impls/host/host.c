/*
  The host's way: blocks of elements that stay in the cache, products with the reference matrices by BLAS for all fields
  of a block at once, pointwise functions along the nodes of an element in vector registers.

    linear      dU = [D_1; ..; D_dim] U,  R = volume(U, dU)       in flux form   G = flux(U),  R = -[D_1 .. D_dim] G
    both        F = faces(U, neighbours),  R += L F

  U is [elements][Nf][Np], to BLAS a matrix of Np rows and a column for each field of each element.
*/
#include "hostimpl.h"
#include "../../nodal/nodalimpl.h"

#define PLEX_DG_HOST_BYTES (256 * 1024) /* of the arrays of a block */

typedef struct {
  PetscInt block;          /* elements */
  void    *U, *R, *dU, *F; /* of a block, in the operator's precision; U and R in single precision alone */
  void    *derivatives;    /* [Np j][dim][Np i] */
  void    *lambda;         /* [Np][dim + 1] */
  int     *meet;           /* [faces + 1][turns][Nfp] */
} PlexDGHostWay;

static PetscErrorCode PlexDGSetUp_Host(PlexDG dg)
{
  PlexDGHostWay  *way = (PlexDGHostWay *)dg->data;
  PlexDGReference R   = dg->reference;
  const PetscInt  Np = R->Np, Nfp = R->Nfp, dim = R->dim, Nf = dg->system->Nf;
  const size_t    real    = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
                  element = (size_t)Nf * ((dim + 2) * Np + R->faces * Nfp) * real;
  PetscReal      *D;

  PetscFunctionBegin;
  way->block = PetscClipInterval((PetscInt)(PLEX_DG_HOST_BYTES / element), 1, 256);
  PetscCall(PetscMalloc4(way->block * Nf * Np * real, (char **)&way->U, way->block * Nf * Np * real, (char **)&way->R,
                         way->block * Nf * dim * Np * real, (char **)&way->dU, way->block * Nf * R->faces * Nfp * real,
                         (char **)&way->F));
  PetscCall(PlexDGGetMeet_Private(R, &way->meet));
  PetscCall(PetscMalloc1(dim * Np * Np, &D));
  for (PetscInt j = 0; j < Np; ++j)
    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt i = 0; i < Np; ++i) D[(j * dim + a) * Np + i] = R->D[(a * Np + i) * Np + j];
  PetscCall(PlexDGUploadReals(dg, dim * Np * Np, D, (const void **)&way->derivatives));
  PetscCall(PlexDGUploadReals(dg, Np * (dim + 1), R->lambda, (const void **)&way->lambda));
  PetscCall(PetscFree(D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of a block: r from u, both in the operator's precision */
static PetscErrorCode PlexDGComputeBlock(PlexDG dg, const PlexDGArgs *args, PetscInt first, PetscInt n, const void *U,
                                         void *R)
{
  PlexDGHostWay    *way  = (PlexDGHostWay *)dg->data;
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGReference   ref  = dg->reference;
  const PetscInt    Np = ref->Np, columns = n * dg->system->Nf;
  const PlexGemm    lift  = {Np, columns, ref->faces * ref->Nfp, 1., 1., args->L, way->F, R};
  PlexDGHostBlock   block = {.n         = n,
                             .Np        = Np,
                             .Nfp       = ref->Nfp,
                             .first     = first,
                             .U         = U,
                             .dU        = way->dU,
                             .R         = R,
                             .G         = way->dU,
                             .F         = way->F,
                             .faceNodes = ref->faceNodes,
                             .meet      = way->meet,
                             .lambda    = way->lambda};

  PetscFunctionBegin;
  if (host->volume) {
    const PlexGemm derivatives = {ref->dim * Np, columns, Np, 1., 0., way->derivatives, U, way->dU};

    PetscCall(PlexBackendGemm(dg->backend, dg->precision, &derivatives));
    (*host->volume)(args, &block);
  } else {
    const PlexGemm divergence = {Np, columns, ref->dim * Np, -1., 0., args->D, way->dU, R};

    (*host->flux)(args, &block);
    PetscCall(PlexBackendGemm(dg->backend, dg->precision, &divergence));
  }
  if (host->addsource) (*host->addsource)(args, &block);
  (*host->faces)(args, &block);
  PetscCall(PlexBackendGemm(dg->backend, dg->precision, &lift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGComputeBlocks_Private(PlexDG dg, const PlexDGArgs *args, PetscInt block, void *U, void *R,
                                           PlexDGBlockFn *compute)
{
  const PetscInt size   = dg->system->Nf * dg->reference->Np;
  float         *single = (float *)U, *rates = (float *)R;

  PetscFunctionBegin;
  for (PetscInt first = args->begin; first < args->end; first += block) {
    const PetscInt n = PetscMin(block, args->end - first);
    const double  *u = args->u + (size_t)first * size;
    double        *r = args->r + (size_t)first * size;

    if (dg->precision == PLEX_PRECISION_DOUBLE) PetscCall((*compute)(dg, args, first, n, u, r));
    else {
      for (PetscInt k = 0; k < n * size; ++k) single[k] = (float)u[k];
      PetscCall((*compute)(dg, args, first, n, single, rates));
      for (PetscInt k = 0; k < n * size; ++k) r[k] = rates[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_Host(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGHostWay *way = (PlexDGHostWay *)dg->data;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeBlocks_Private(dg, args, way->block, way->U, way->R, PlexDGComputeBlock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_Host(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "blocks of %" PetscInt_FMT " elements\n",
                                   ((PlexDGHostWay *)dg->data)->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_Host(PlexDG dg)
{
  PlexDGHostWay *way = (PlexDGHostWay *)dg->data;

  PetscFunctionBegin;
  PetscCall(PetscFree4(way->U, way->R, way->dU, way->F));
  PetscCall(PetscFree(way->meet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGCreate_Host(PlexDG);

PetscErrorCode PlexDGCreate_Host(PlexDG dg)
{
  PlexDGHostWay *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_Host;
  dg->ops->rhs   = PlexDGRHS_Host;
  dg->ops->view  = PlexDGView_Host;
  dg->ops->reset = PlexDGReset_Host;
  PetscFunctionReturn(PETSC_SUCCESS);
}
