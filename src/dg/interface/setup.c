/* Set-up of nodal DG: mesh, reference element, kernels */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

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

  PetscFunctionBegin;
  dg->args.Ne = (int)Ne;
  PetscCall(PlexDGUpload(dg, mesh->links, sizeof(int) * Ne * mesh->faces, (const void **)&dg->args.links));
  PetscCall(PlexDGUpload(dg, dg->kinds, sizeof(int) * mesh->nfacets, (const void **)&dg->args.kinds));
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
  if (mesh->quadrature) PetscCall(PlexDGMeshTabulate(mesh, dg->reference->Np, dg->reference->r, dg->shapes, NULL));
  else PetscCall(PetscArraycpy(dg->shapes, dg->reference->lambda, dg->reference->Np * mesh->nx));
  if (mesh->quadrature)
    PetscCall(PlexDGQuadratureCreate(mesh, dg->reference, PlexDGShoreGetDegree_Private(dg), &dg->quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays whose sizes are products of 32 bits; larger ones are counted by size_t */
static PetscErrorCode PlexDGCheckSizes(PlexDG dg)
{
  PlexDGMesh      mesh = dg->mesh;
  PlexDGReference R    = dg->reference;
  const PetscInt  Nf = dg->system->Nf, NK = dg->system->ncoefficients;

  PetscFunctionBegin;
  PetscCall(PlexDGSizeCheck_Private(mesh->Ne, Nf * R->Np, "values of fields"));
  PetscCall(PlexDGSizeCheck_Private(mesh->nfacets, mesh->dim * (dg->quadrature ? dg->quadrature->MG : R->Nfp),
                                    "coordinates of points of the boundary"));
  PetscCall(PlexDGSizeCheck_Private((PetscInt64)mesh->Ne + mesh->nghosts, PetscMax(1, NK), "coefficients"));
  PetscCall(PlexDGSizeCheck_Private(mesh->nghosts, PetscMax(Nf, NK) * R->Nfp,
                                    "values of faces that other processes have, too,"));
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
  MPI_Comm    comm = PetscObjectComm((PetscObject)dg);
  PlexBackend backend;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (dg->setUp) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER,
             "There is no system of equations: use PlexDGSetSystem() or -plex_dg_system");
  PetscCall(PetscLogEventBegin(PLEX_SetUp, dg, 0, 0, 0));
  if (dg->system->choose) PetscCall((*dg->system->choose)(dg->system, dg->constants));
  PetscCall(PlexDGGetBackend(dg, &backend));
  PetscCall(PlexDGCheckDiscretization(dg));
  PetscCall(PlexDGMeshCreate(dg->dm, (PetscBool)(dg->discretization == PLEX_DG_QUADRATURE), &dg->mesh));
  PetscCall(PlexDGSetUpReference(dg));
  PetscCall(PlexDGCheckSizes(dg));
  PetscCall(PlexDGConditionsApply_Private(dg));
  PetscCall(PlexDGSetUpCoefficients_Private(dg));
  PetscCall(PlexDGParametersCheck_Private(dg));
  PetscCall(PlexDGSetUpVariables_Private(dg));
  PetscCall(PlexDGShoreCreate_Private(dg, &dg->shore));
  PetscCall(PlexDGBottomLimit_Private(dg));
  dg->entropy = PlexDGHasEntropy_Private(dg);
  PetscCall(PlexDGScaleGeometry_Private(dg));
  PetscCall(PlexDGSetUpConstants_Private(dg));
  /* of nonlinear water the state counts: PlexDGComputeTimeStep() */
  if (PlexDGWaterConstant_Private(dg, "linear") > 0.5) PetscCall(PlexDGCheckDepth_Private(dg, NULL));
  PetscCall(PlexDGUploadShared(dg));
  PetscCall(PlexDGDrivenSetUp_Private(dg));
  if (!dg->quadrature) PetscCall(PlexDGUploadNodal(dg));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) {
    PetscScalar *out, *in;

    PetscCall(PlexDGExchangeCreate_Private(dg, dg->system->Nf * dg->reference->Nfp, &dg->exchange));
    PlexDGExchangeGetArrays_Private(dg->exchange, &out, &in);
    dg->args.ghosts = in;
  }
  PetscCall(PlexDGChooseType(dg));
  PetscUseTypeMethod(dg, setup);
  if (dg->shore) PetscCall(PlexDGShoreSetUp_Private(dg));
  PetscCall(PlexDGViscousCreate_Private(dg, &dg->viscous));
  if (dg->captures) PetscCall(PlexDGShockCreate_Private(dg, &dg->shock));
  dg->setUp = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(PLEX_SetUp, dg, 0, 0, 0));
  PetscCall(PetscObjectViewFromOptions((PetscObject)dg, NULL, "-plex_dg_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
