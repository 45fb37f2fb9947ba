/* What the cost model goes by: the sizes of an element, the form's arithmetic, and how many targets there are. */
#include "tuneimpl.h"

#define PLEX_MODEL_PARTIAL 1200. /* bytes of partial sums an element, about: a plan counts them */

const char *const PlexModelInputNames[] = {"kind",
                                           "dim",
                                           "Ne",
                                           "Nx",
                                           "Nl",
                                           "Nt",
                                           "ef",
                                           "ea",
                                           "Nv",
                                           "Nq",
                                           "symmetric",
                                           "team",
                                           "real",
                                           "flops_point",
                                           "flops_row",
                                           "flops_entry",
                                           "tensor",
                                           "turned",
                                           "flops_element",
                                           "flops_lines",
                                           "pairs",
                                           "points",
                                           "matrices",
                                           "flops_matrix",
                                           "runs",
                                           "apart"};

/* Dofs on a point and all points of its closure, in the local section */
static PetscErrorCode PlexClosureDofs(DM dm, PetscSection section, PetscInt point, double *dofs)
{
  PetscInt *closure = NULL, n, dof;

  PetscFunctionBegin;
  *dofs = 0;
  PetscCall(DMPlexGetTransitiveClosure(dm, point, PETSC_TRUE, &n, &closure));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscSectionGetDof(section, closure[2 * k], &dof));
    *dofs += (double)dof;
  }
  PetscCall(DMPlexRestoreTransitiveClosure(dm, point, PETSC_TRUE, &n, &closure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Two dofs are coupled if some cell has both. Let n(p) be the dofs in the closure of point p. Then the pairs are

    sum over points p inside the mesh of (-1)^(dim - dim p) n(p)^2,

  for a pair whose smallest common point is q is counted once for each p above q, and that alternating sum is 1 (Euler,
  for the cells around q). On triangles with linear elements: 9 cells - 4 inner edges + inner vertices, the 7 of a row.
  Cells are taken to be alike, so that the numbers of points are all that is needed. Points on the boundary: facets are
  F = 2 facets - facets a cell * cells; their edges and vertices follow from Euler's formula.
*/
PetscErrorCode PlexModelEstimateNonzeros(PlexElements el, double *nonzeros)
{
  PetscSection section;
  PetscInt     point = el->Ne ? el->cells[0] : 0, facets, start, end, depth;
  double       n[4], inner[4], border[4] = {0, 0, 0, 0}, sides = 0; /* by dimension of the points; sides of a facet */

  PetscFunctionBegin;
  *nonzeros = 0;
  if (!el->Ne) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLocalSection(el->dm, &section));
  PetscCall(DMPlexGetDepth(el->dm, &depth));
  if (depth != el->cellDim) { /* a mesh without edges and faces: about two elements add to a non-zero */
    *nonzeros = 0.5 * (double)el->Ne * (double)el->ef * (double)el->ef;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexGetConeSize(el->dm, point, &facets));
  for (PetscInt d = el->cellDim; d >= 0; --d) {
    const PetscInt *cone;

    PetscCall(PlexClosureDofs(el->dm, section, point, &n[d]));
    PetscCall(DMPlexGetDepthStratum(el->dm, d, &start, &end));
    inner[d] = d == el->cellDim ? (double)el->Ne : (double)(end - start);
    if (!d) break;
    PetscCall(DMPlexGetCone(el->dm, point, &cone));
    point = cone[0];
    if (d == el->cellDim && d > 1) {
      PetscCall(DMPlexGetConeSize(el->dm, point, &start));
      sides = (double)start;
    }
  }
  border[el->cellDim - 1] = PetscMax(0.0, 2 * inner[el->cellDim - 1] - (double)facets * inner[el->cellDim]);
  if (el->cellDim == 2) border[0] = border[1];
  if (el->cellDim == 3) {
    border[1] = sides * border[2] / 2;
    border[0] = border[1] - border[2] + (border[2] > 0 ? 2 : 0);
  }
  for (PetscInt d = el->cellDim; d >= 0; --d)
    *nonzeros += ((el->cellDim - d) % 2 ? -1 : 1) * PetscMax(0.0, inner[d] - border[d]) * n[d] * n[d];
  *nonzeros = PetscMax(*nonzeros, (double)el->Nl);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integration that a product would have; an error of one that does not serve comes when it is computed, and not
   before */
static PetscErrorCode PlexModelIntegrate(PlexAssembly asm_, PlexProduct *product)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (product->kind == PLEX_RESIDUAL || !PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = PlexAssemblyChooseIntegration_Private(asm_, product);
  PetscCall(PetscPopErrorHandler());
  if (ierr) PetscCall(PlexTensorDestroy_Private(&product->tensor));
  if (ierr) PetscCall(PlexTensorDestroy_Private(&product->constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the types would do, where that may be the fastest. Of tetrahedra of higher orders than 2 that are paired by
   their dofs local_row is as fast, or faster, as few of them have room in a block; of hexahedra of order 2 there is no
   measurement of smaller meshes by partial sums */
static PetscErrorCode PlexModelGetTypes(PlexAssembly asm_, PlexProduct *product, PlexModelInput *in)
{
  const PlexModelData *data;
  PlexEstimate         e;

  PetscFunctionBegin;
  PetscCall(PlexModelGetData_Private(&data));
  PetscCall(PlexAssemblyEstimate(asm_, product, &e));
  in->turned      = e.turned;
  in->flopsLines  = e.flopsLines;
  in->runs        = e.runs;
  in->points      = e.points;
  in->matrices    = e.matrices;
  in->pairs       = in->dim < 3 || e.points > 0 || asm_->elements->Nn[0] <= data->edgesNodes ? e.pairs : 0.0;
  in->flopsMatrix = e.flopsMatrix;
  if (in->Ne < data->hexahedra) in->flopsMatrix = 0.0;
  if (asm_->memory > 0 && PLEX_MODEL_PARTIAL * in->Ne > (double)asm_->memory) in->flopsMatrix = 0.0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModelGetInput(PlexAssembly asm_, PlexProductKind kind, PetscBool symmetric, PlexModelInput *in)
{
  PlexElements el      = asm_->elements;
  PlexProduct  product = {.kind = kind}; /* to be asked what it would be */

  PetscFunctionBegin;
  PetscCall(PlexModelIntegrate(asm_, &product));
  product.symmetric = (PetscBool)(symmetric && kind == PLEX_JACOBIAN);
  product.nd        = kind == PLEX_RESIDUAL ? el->ef : product.symmetric ? el->ef * (el->ef + 1) / 2 : el->ef * el->ef;
  product.team      = 1;
  if (asm_->backend->kernels) { /* an element that is too large is an error when it is computed, and not before */
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    if (PlexAssemblyChooseTeam(asm_, &product)) product.team = 128;
    PetscCall(PetscPopErrorHandler());
  }
  in->kind      = (double)kind;
  in->dim       = (double)el->dim;
  in->Ne        = (double)el->Ne;
  in->Nx        = (double)el->Nx;
  in->Nl        = (double)el->Nl;
  in->Nt        = in->Nl;
  in->ef        = (double)el->ef;
  in->ea        = (double)el->ea;
  in->Nv        = (double)el->Nv;
  in->Nq        = (double)PlexAssemblyPoints(asm_, &product);
  in->symmetric = product.symmetric ? 1.0 : 0.0;
  in->team      = (double)product.team;
  in->real      = (double)PlexAssemblyRealSize(asm_);
  if (kind == PLEX_JACOBIAN && asm_->pattern) in->Nt = (double)asm_->pattern->nnz;
  else if (kind == PLEX_JACOBIAN) PetscCall(PlexModelEstimateNonzeros(el, &in->Nt));
  in->flopsPoint = PlexAssemblyCountFlops(asm_, &product, 1, 0, 0);
  in->flopsRow   = PlexAssemblyCountFlops(asm_, &product, 0, 1, 0);
  in->flopsEntry = PlexAssemblyCountFlops(asm_, &product, 0, 0, 1);
  in->tensor     = product.tensor ? 1.0 : 0.0;
  PetscCall(PlexIntegratorEstimate_Private(asm_, &product, &in->flopsElement));
  PetscCall(PlexModelGetTypes(asm_, &product, in));
  /* a node's rows follow each other */
  in->apart = kind == PLEX_JACOBIAN && el->place && !el->permuted &&
                  8 * in->Nt > 0.5 * (double)asm_->backend->limits.cacheL2
              ? (double)el->Nnodes
              : 0.0;
  PetscCall(PlexTensorDestroy_Private(&product.tensor));
  PetscCall(PlexTensorDestroy_Private(&product.constant));
  PetscCall(PetscFree(product.zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a device of which nothing was measured as much a processor as of the one that was */
PetscErrorCode PlexModelGetRates(PlexBackend backend, PlexModelRates *rates)
{
  const PlexModelData *data;
  double               processors;

  PetscFunctionBegin;
  PetscCall(PlexModelGetData_Private(&data));
  processors = backend->limits.multiprocessors > 0 ? (double)backend->limits.multiprocessors / data->processors : 1.0;
  rates->bandwidth = backend->bandwidth > 0 ? backend->bandwidth : data->rates.bandwidth * processors;
  rates->flops     = data->rates.flops * processors;
  rates->additions = data->rates.additions * processors;
  PetscFunctionReturn(PETSC_SUCCESS);
}
