/* Set-up of nodal DG: mesh, reference element, kernels */
#include "../../util/cite.h"
#include "../../util/progress.h"
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../impls/curved/curvedimpl.h"

/* Derivatives [dim][j][i] and lift [m][i], the node that is computed fastest */
static PetscErrorCode PlexDGUploadMatrices(PlexDG dg)
{
  PlexDGReference R = dg->reference;
  const PetscInt  n = R->Np, m = R->faces * R->Nfp;
  PetscReal      *D, *L;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->dim * n * n, &D, m * n, &L));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt a = 0; a < R->dim; ++a)
      for (PetscInt j = 0; j < n; ++j) D[(a * n + j) * n + i] = R->D[(a * n + i) * n + j];
    for (PetscInt k = 0; k < m; ++k) L[k * n + i] = R->L[i * m + k];
  }
  PetscCall(PlexDGUploadReals(dg, R->dim * n * n, D, &dg->args.D));
  PetscCall(PlexDGUploadReals(dg, m * n, L, &dg->args.L));
  PetscCall(PetscFree2(D, L));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the nodes of the boundary's facets are: [nfacets][Nfp][dim] */
static PetscErrorCode PlexDGUploadFacets(PlexDG dg)
{
  PlexDGReference R    = dg->reference;
  PlexDGMesh      mesh = dg->mesh;
  PetscReal      *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->nfacets * R->Nfp * R->dim, &x));
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / mesh->faces, f = mesh->facet[b] % mesh->faces;

    for (PetscInt m = 0; m < R->Nfp; ++m)
      PetscCall(PlexDGMeshGetPosition(mesh, e, &dg->shapes[R->faceNodes[f * R->Nfp + m] * mesh->nx],
                                      &x[(b * R->Nfp + m) * R->dim]));
  }
  PetscCall(PlexDGUploadReals(dg, mesh->nfacets * R->Nfp * R->dim, x, &dg->args.facets));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What both discretizations have */
static PetscErrorCode PlexDGUploadShared(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGMesh        mesh = dg->mesh;
  const PetscInt    Ne   = mesh->Ne;
  int              *kinds;

  PetscFunctionBegin;
  dg->args.Ne = (int)Ne;
  PetscCall(PlexDGUpload(dg, mesh->links, sizeof(int) * Ne * mesh->faces, (const void **)&dg->args.links));
  PetscCall(PetscMalloc1(mesh->nfacets, &kinds));
  for (PetscInt b = 0; b < mesh->nfacets; ++b)
    kinds[b] = (dg->conductor[b] < 0 ? dg->kinds[b] : (int)dg->system->resistive) + dg->resistance[b];
  PetscCall(PlexDGUpload(dg, kinds, sizeof(int) * mesh->nfacets, (const void **)&dg->args.kinds));
  PetscCall(PetscFree(kinds));
  PetscCall(PlexDGUploadReals(dg, (Ne + mesh->nghosts) * host->NK, dg->coefficients, &dg->args.coefficients));
  PetscCall(PlexDGUploadReals(dg, host->NC, dg->actual, &dg->args.constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGUploadNodal(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGMesh        mesh = dg->mesh;
  const PetscInt    dim = mesh->dim, Ne = mesh->Ne;

  PetscFunctionBegin;
  PetscCall(PlexDGUploadReals(dg, Ne * dim * dim, mesh->rx, &dg->args.geometry));
  if (host->positions) PetscCall(PlexDGUploadFacets(dg));
  if (host->positions && host->addsource)
    PetscCall(PlexDGUploadReals(dg, Ne * (dim + 1) * dim, mesh->x, &dg->args.vertices));
  PetscCall(PlexDGUploadMatrices(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a GPU type fused is the fastest at all degrees: docs/notes/2026-rounds.md. Emulated, tensor cores are slow. */
static PetscErrorCode PlexDGChooseType(PlexDG dg)
{
  const char *type = dg->quadrature                                          ? PLEXDGQUADRATURE
                   : dg->asked                                               ? dg->asked
                   : !dg->backend->kernels                                   ? PLEXDGHOST
                   : dg->backend->device && PlexBackendHasUnits(dg->backend) ? PLEXDGFUSED
                                                                             : PLEXDGPLAIN;
  PetscBool   host, quadrature;
  PetscErrorCode (*create)(PlexDG);

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(dg->asked ? dg->asked : type, PLEXDGQUADRATURE, &quadrature));
  PetscCheck(quadrature == (PetscBool)!!dg->quadrature, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "Type %s is not for -plex_dg_discretization %s: %s", dg->asked, PlexDGDiscretizations[dg->discretization],
             dg->quadrature ? "leave -plex_dg_type out, -plex_dg_gemm chooses how it is computed"
                            : "use -plex_dg_discretization quadrature");
  PetscCall(PlexDGFindType_Private(dg, type, &create));
  PetscCall(PetscStrcmp(type, PLEXDGHOST, &host));
  PetscCheck(quadrature || host != dg->backend->kernels, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "Type %s of nodal DG does not run on backend %s: %s", type, ((PetscObject)dg->backend)->type_name,
             host ? "use -plex_dg_backend host, or another -plex_dg_type"
                  : "it has kernels, use -plex_dg_backend cuda or emulate, or -plex_dg_type host");
  PetscCall(PetscObjectChangeTypeName((PetscObject)dg, type));
  PetscCall((*create)(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckDiscretization(PlexDG dg)
{
  const PetscBool quadrature = (PetscBool)(dg->discretization == PLEX_DG_QUADRATURE);
  const PetscInt  most       = quadrature ? PLEX_DG_MAX_QUADRATURE_DEGREE : PLEX_DG_MAX_DEGREE;

  PetscFunctionBegin;
  PetscCheck(dg->degree <= most, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "%s has degrees 1 to %" PetscInt_FMT ", not %" PetscInt_FMT ": see -plex_dg_degree",
             quadrature ? "DG with quadrature" : "Nodal DG", most, dg->degree);
  PetscCheck(quadrature || !dg->system->host[0]->variable, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "The coefficients of system %s vary in an element, which nodal DG has not: use -plex_dg_discretization "
             "quadrature",
             dg->system->name);
  PetscCheck(!quadrature || dg->maxlevels == 1, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "-plex_dg_levels, local time steps, are for -plex_dg_discretization nodal");
  PetscCheck(!quadrature || !dg->ncurves, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "-plex_dg_curve, PlexDGSetCurve() bend meshes for -plex_dg_discretization nodal: with quadrature give the "
             "mesh coordinates of a higher degree, DMPlexCreateCoordinateSpace() or a mesh file that has them");
  PetscCheck(!quadrature || !dg->ngradings, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "PlexDGSetMaterialFunction(), coefficients that vary in cells, is for -plex_dg_discretization nodal");
  PetscCheck(!quadrature || dg->system->host[0]->pointflux, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "DG with quadrature is for systems in flux form, and %s has no dg_flux(): use -plex_dg_discretization "
             "nodal",
             dg->system->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reference element, and where its nodes are in an element; quadrature */
static PetscErrorCode PlexDGSetUpReference(PlexDG dg)
{
  PlexDGMesh mesh = dg->mesh;

  PetscFunctionBegin;
  if (mesh->tensor) PetscCall(PlexDGReferenceCreateTensor(mesh->dim, dg->degree, &dg->reference));
  else PetscCall(PlexDGReferenceCreate(mesh->dim, dg->degree, &dg->reference));
  PetscCall(PetscMalloc1(dg->reference->Np * mesh->nx, &dg->shapes));
  if (mesh->quadrature || mesh->shape)
    PetscCall(PlexDGMeshTabulate(mesh, dg->reference->Np, dg->reference->r, dg->shapes, NULL));
  else PetscCall(PetscArraycpy(dg->shapes, dg->reference->lambda, dg->reference->Np * mesh->nx));
  if (mesh->quadrature)
    PetscCall(PlexDGQuadratureCreate(mesh, dg->reference, PlexDGShoreGetDegree_Private(dg), &dg->quadrature));
  if (mesh->shape) PetscCall(PlexDGQuadratureCreateCurved(mesh, dg->reference, &dg->curved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays that are counted by PetscInt or int; larger ones are by size_t */
static PetscErrorCode PlexDGCheckSizes(PlexDG dg)
{
  const PlexDGSizes sizes = PlexDGGetSizes(dg);

  PetscFunctionBegin;
  PetscCall(PlexDGSizesCheck(&sizes, PETSC_INT_MAX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The parts of a mixed mesh */

/* What is not there for a mixed mesh is an error at set-up, and never left out */
static PetscErrorCode PlexDGPartsCheck(PlexDG dg)
{
  const PlexDGHost *host      = dg->system->host[PLEX_PRECISION_DOUBLE];
  PetscReal         viscosity = 1.; /* of systems without that constant, as in viscous.c */

  PetscFunctionBegin;
  for (PetscInt k = 0, at = 0; k < dg->system->nconstants; at += dg->system->constants[k++].n)
    if (!strcmp(dg->system->constants[k].name, "viscosity")) viscosity = dg->constants[at];
  if (host->NV && viscosity > 0.) PetscCall(PlexDGCheckOneKind_Private(dg, "-plex_dg_viscosity, viscous fluxes,"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operator with the settings of the whole */
static PetscErrorCode PlexDGPartCreate(PlexDG dg, PlexDG *newpart)
{
  PlexDG   part;
  PetscInt NC = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dg->dm, newpart));
  part = *newpart;
  PetscCall(PetscObjectSetOptions((PetscObject)part, ((PetscObject)dg)->options));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)part, ((PetscObject)dg)->prefix));
  PetscCall(PetscObjectReference((PetscObject)dg->backend));
  if (dg->asked) PetscCall(PetscStrallocpy(dg->asked, &part->asked));
  part->whole            = dg;
  part->backend          = dg->backend;
  part->discretization   = dg->discretization;
  part->quadratureDegree = dg->quadratureDegree;
  part->degree           = dg->degree;
  part->precision        = dg->precision;
  PetscCall(PlexDGSetSystem(part, dg->system->name));
  for (PetscInt k = 0; k < dg->system->nconstants; ++k) NC += dg->system->constants[k].n;
  PetscCall(PetscArraycpy(part->constants, dg->constants, NC));
  PetscCall(PetscArraycpy(part->uniform, dg->uniform, PLEX_DG_MAX_FIELDS));
  part->coefficient    = dg->coefficient;
  part->coefficientCtx = dg->coefficientCtx;
  for (PetscInt k = 0; k < dg->nconditions; ++k)
    PetscCall(PlexDGAddBoundary(part, dg->conditions[k].label, dg->conditions[k].value, dg->conditions[k].kind));
  PetscCall(PlexDGConditionsSetNumbers_Private(part));
  if (part->system->choose) PetscCall((*part->system->choose)(part->system, part->constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts with meshes, where the mesh has both kinds of cells */
static PetscErrorCode PlexDGPartsCreate(PlexDG dg)
{
  PetscBool  mixed = PETSC_FALSE;
  PlexDGMesh meshes[2];

  PetscFunctionBegin;
  if (dg->discretization == PLEX_DG_QUADRATURE) PetscCall(PlexDGMeshIsMixed(dg->dm, &mixed));
  if (!mixed) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexDGPartCreate(dg, &dg->parts[k]));
  PetscCall(PlexDGPartsCheck(dg));
  PetscCall(PlexDGMeshCreateMixed(dg->dm, meshes, &dg->partsSF));
  for (PetscInt k = 0; k < 2; ++k) dg->parts[k]->mesh = meshes[k];
  dg->parts[1]->start = meshes[0]->nghosts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both sides of a face between the parts have to compute the same flux: at the same points */
static PetscErrorCode PlexDGPartsSetUp(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCheck(dg->parts[0]->quadrature->MG == dg->parts[1]->quadrature->MG, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_PLIB, "Faces of triangles have %" PetscInt_FMT " points, and of quadrilaterals %" PetscInt_FMT,
             dg->parts[0]->quadrature->MG, dg->parts[1]->quadrature->MG);
  for (PetscInt k = 0; k < 2; ++k) dg->parts[k]->setUp = PETSC_TRUE;
  PetscCall(PetscObjectChangeTypeName((PetscObject)dg, ((PetscObject)dg->parts[0])->type_name));
  /* PlexDGComputeStage() of the whole calls those of the parts */
  dg->ops->stage = dg->parts[0]->ops->stage && dg->parts[1]->ops->stage ? dg->parts[0]->ops->stage : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

/* Which kind each facet of the boundary has */
static PetscErrorCode PlexDGSetUpConditions(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);
  int           *held;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(dg->nconditions, &held));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGConditionsApply_Private(parts[k], held));
  PetscCall(PlexDGConditionsCheckHeld_Private(dg, held));
  PetscCall(PetscFree(held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conditions, coefficients, geometry and constants, on the host, once there are meshes and reference elements */
static PetscErrorCode PlexDGSetUpData(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGCheckSizes(parts[k]));
  PetscCall(PlexDGSetUpConditions(dg));
  PetscCall(PlexDGMaterialsSetUp_Private(dg));
  PetscCall(PlexDGSetUpCoefficients_Private(dg));
  PetscCall(PlexDGGradedSetUp_Private(dg));
  PetscCall(PlexDGParametersCheck_Private(dg));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGSetUpVariables_Private(parts[k]));
    /* where there are no elements, too: whether there are any decides on what all processes do together */
    if (dg->system->host[0]->variable && !parts[k]->variables) PetscCall(PetscCalloc1(1, &parts[k]->variables));
  }
  PetscCall(PlexDGShoreCreate_Private(dg));
  PetscCall(PlexDGBottomLimit_Private(dg));
  for (PetscInt k = 0; k < n; ++k) {
    parts[k]->entropy = PlexDGHasEntropy_Private(parts[k]);
    PetscCall(PlexDGScaleGeometry_Private(parts[k]));
  }
  PetscCall(PlexDGSetUpConstants_Private(dg));
  /* of nonlinear water the state counts: PlexDGComputeTimeStep() */
  for (PetscInt k = 0; k < n; ++k)
    if (PlexDGWaterConstant_Private(dg, "linear") > 0.5) PetscCall(PlexDGCheckDepth_Private(parts[k], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Meshes, reference elements, and data of elements, on the host */
static PetscErrorCode PlexDGSetUpElements(PlexDG dg)
{
  const PlexDGTogether layer = {PlexDGPMLMark_Private, dg, dg->npmlCells ? dg->pmlWindow : 0};
  PlexDG               parts[2];
  PetscInt             n;

  PetscFunctionBegin;
  PetscCall(PlexDGPartsCreate(dg));
  if (dg->discretization == PLEX_DG_NODAL)
    PetscCall(PlexDGMeshCreateNodal(dg->dm, dg->ncurves, dg->curves,
                                    !dg->ncurves                         ? 0
                                    : dg->curveDegree == PETSC_DETERMINE ? dg->degree
                                                                         : dg->curveDegree,
                                    dg->ngradings, dg->gradings, dg->levels, layer, &dg->mesh));
  else if (!dg->parts[0]) PetscCall(PlexDGMeshCreate(dg->dm, PETSC_TRUE, &dg->mesh));
  n = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGSetUpReference(parts[k]));
  PetscCall(PlexDGSetUpData(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where there are several processes, or parts */
static PetscErrorCode PlexDGSetUpExchange(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts), size = dg->system->Nf * parts[0]->reference->Nfp;
  void          *out, *in;
  PetscMPIInt    processes;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dg), &processes));
  if (processes == 1 && n == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGExchangeCreate_Private(dg, size, dg->precision, &dg->exchange));
  PlexDGExchangeGetArrays_Private(dg->exchange, &out, &in);
  for (PetscInt k = 0; k < n; ++k)
    parts[k]->args.ghosts = (char *)in + PlexPrecisionSize(dg->precision) * (size_t)(parts[k]->start * size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the elements of a kind are computed */
static PetscErrorCode PlexDGSetUpType(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGChooseType(dg));
  PetscUseTypeMethod(dg, setup);
  PetscCall(PlexDGCurvedSetUp_Private(dg));
  if (dg->shore) PetscCall(PlexDGShoreSetUp_Private(dg));
  PetscCall(PlexDGViscousCreate_Private(dg, &dg->viscous));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an operator that is not set up */
static PetscErrorCode PlexDGSetUpAll(PlexDG dg)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)dg);
  PlexBackend backend;
  PlexDG      parts[2];
  PetscInt    n;

  PetscFunctionBegin;
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER,
             "There is no system of equations: use PlexDGSetSystem() or -plex_dg_system");
  PetscCall(PetscLogEventBegin(PLEX_SetUp, dg, 0, 0, 0));
  PetscCall(PlexDGConditionsSetNumbers_Private(dg));
  if (dg->system->choose) PetscCall((*dg->system->choose)(dg->system, dg->constants));
  PetscCall(PlexDGGetBackend(dg, &backend));
  PetscCall(PlexCite_Private(PLEX_CITE_DG));
  PetscCall(PlexDGCheckDiscretization(dg));
  PetscCall(PlexDGSetUpElements(dg));
  if (dg->maxlevels > 1) { /* levels follow from what elements are; then all is made again, in their order */
    PlexDGLevels levels;
    PetscReal   *rates;

    PetscCall(PlexDGPMLCreate_Private(dg, PETSC_TRUE));
    PetscCall(PetscMalloc1(dg->mesh->Ne, &rates));
    PetscCall(PlexDGGetElementRates_Private(dg, rates));
    PetscCall(PlexDGLevelsFind_Private(dg, rates, &levels));
    PetscCall(PetscFree(rates));
    PetscCall(PlexDGReset(dg));
    dg->levels = levels;
    PetscCall(PlexDGSetUpElements(dg));
  }
  n = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGUploadShared(parts[k]));
    if (!parts[k]->quadrature) PetscCall(PlexDGUploadNodal(parts[k]));
  }
  PetscCall(PlexDGDrivenSetUp_Private(dg));
  PetscCall(PlexDGSetUpExchange(dg));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGSetUpType(parts[k]));
  if (dg->parts[0]) PetscCall(PlexDGPartsSetUp(dg));
  if (dg->captures) PetscCall(PlexDGShockCreate_Private(dg));
  PetscCall(PlexDGDispersionsSetUp_Private(dg));
  PetscCall(PlexDGGradedCheck_Private(dg));
  PetscCall(PlexDGDecayCreate_Private(dg));
  PetscCall(PlexDGSourcesCreate_Private(dg));
  PetscCall(PlexDGPMLCreate_Private(dg, PETSC_FALSE));
  PetscCall(PlexDGImpedanceCreate_Private(dg));
  dg->setUp = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(PLEX_SetUp, dg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetUp - Reads the mesh, makes the reference element, compiles kernels

  Collective

  Input Parameter:
. dg - the operator

  Level: intermediate

  Note:
  Called by whatever needs it. Where right-hand sides and stages of low-storage schemes have kernels of their own, these
  are compiled when the first of either is computed.

.seealso: `PlexDG`, `PlexDGReset()`, `PlexDGComputeRHS()`
@*/
PetscErrorCode PlexDGSetUp(PlexDG dg)
{
  PetscErrorCode ierr;
  int            level;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (dg->setUp) PetscFunctionReturn(PETSC_SUCCESS);
  if (dg->broken) PetscCall(PlexDGReset(dg)); /* what one that failed has left */
  dg->broken = PETSC_TRUE;
  level      = PlexProgressBegin_Private("set-up of discontinuous Galerkin");
  ierr       = PlexDGSetUpAll(dg);
  PlexProgressEnd_Private(level);
  PetscCall(ierr);
  dg->broken = PETSC_FALSE;
  PlexBackendRan_Private(dg->backend, dg->backendType, PETSC_FALSE);
  PetscCall(PetscObjectViewFromOptions((PetscObject)dg, NULL, "-plex_dg_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
