#include <plexgpu/dg.h> /*I "plexgpu.h" I*/
#include "dgimpl.h"

PetscErrorCode PlexDGUpload(PlexDG dg, const void *values, size_t bytes, const void **at)
{
  PetscFunctionBegin;
  PetscCheck(dg->nmemory < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(dg->memory), PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %zu arrays", PETSC_STATIC_ARRAY_LENGTH(dg->memory));
  PetscCall(PlexBackendUpload(dg->backend, values, bytes, &dg->memory[dg->nmemory]));
  *at = dg->memory[dg->nmemory++];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadReals(PlexDG dg, size_t n, const PetscReal values[], const void **at)
{
  float *single;

  PetscFunctionBegin;
  if (dg->precision == PLEX_PRECISION_DOUBLE) {
    PetscCall(PlexDGUpload(dg, values, n * sizeof(double), at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &single));
  for (size_t k = 0; k < n; ++k) single[k] = (float)values[k];
  PetscCall(PlexDGUpload(dg, single, n * sizeof(float), at));
  PetscCall(PetscFree(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[dim] of barycentric coordinates lambda[dim + 1] in element e */
PetscErrorCode PlexDGGetPosition_Private(PlexDG dg, PetscInt e, const PetscReal lambda[], PetscReal x[])
{
  const PetscInt   dim      = dg->mesh->dim;
  const PetscReal *vertices = &dg->mesh->x[e * (dim + 1) * dim];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    x[d] = 0.;
    for (PetscInt v = 0; v <= dim; ++v) x[d] += lambda[v] * vertices[v * dim + d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

    for (PetscInt m = 0; m < R->Nfp; ++m) PetscCall(PlexDGGetPosition_Private(dg, e, &R->lambda[R->faceNodes[f * R->Nfp + m] * (R->dim + 1)], &x[(b * R->Nfp + m) * R->dim]));
  }
  PetscCall(PlexDGUploadReals(dg, mesh->nfacets * R->Nfp * R->dim, x, &dg->args.facets));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGUploadAll(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGMesh        mesh = dg->mesh;
  const PetscInt    dim = mesh->dim, Ne = mesh->Ne;

  PetscFunctionBegin;
  dg->args.Ne = (int)Ne;
  PetscCall(PlexDGUpload(dg, mesh->links, sizeof(int) * Ne * mesh->faces, (const void **)&dg->args.links));
  PetscCall(PlexDGUpload(dg, dg->kinds, sizeof(int) * mesh->nfacets, (const void **)&dg->args.kinds));
  PetscCall(PlexDGUploadReals(dg, Ne * dim * dim, mesh->rx, &dg->args.geometry));
  PetscCall(PlexDGUploadReals(dg, (Ne + mesh->nghosts) * host->NK, dg->coefficients, &dg->args.coefficients));
  PetscCall(PlexDGUploadReals(dg, host->NC, dg->constants, &dg->args.constants));
  if (host->positions) PetscCall(PlexDGUploadFacets(dg));
  if (host->positions && host->addsource) PetscCall(PlexDGUploadReals(dg, Ne * (dim + 1) * dim, mesh->x, &dg->args.vertices));
  PetscCall(PlexDGUploadMatrices(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a GPU type fused is the fastest at all degrees: docs/performance.md. Emulated, tensor cores are slow. */
static PetscErrorCode PlexDGChooseType(PlexDG dg)
{
  const char *type = dg->asked ? dg->asked : !dg->backend->kernels ? PLEXDGHOST : dg->backend->device && PlexDGFusedRuns_Private(dg->backend) ? PLEXDGFUSED : PLEXDGPLAIN;
  PetscBool   host;
  PetscErrorCode (*create)(PlexDG);

  PetscFunctionBegin;
  PetscCall(PlexDGFindType_Private(dg, type, &create));
  PetscCall(PetscStrcmp(type, PLEXDGHOST, &host));
  PetscCheck(host != dg->backend->kernels, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP, "Type %s of nodal DG does not run on backend %s: %s", type, ((PetscObject)dg->backend)->type_name, host ? "use -plex_dg_backend host, or another -plex_dg_type" : "it has kernels, use -plex_dg_backend cuda or emulate, or -plex_dg_type host");
  PetscCall(PetscObjectChangeTypeName((PetscObject)dg, type));
  PetscCall((*create)(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetUp - Reads the mesh, makes the reference element, compiles kernels

  Collective

  Input Parameter:
. dg - the operator

  Level: intermediate

  Note:
  Called by whatever needs it.

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
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER, "There is no system of equations: use PlexDGSetSystem() or -plex_dg_system");
  PetscCall(PetscLogEventBegin(PLEX_SetUp, dg, 0, 0, 0));
  if (dg->system->choose) PetscCall((*dg->system->choose)(dg->system, dg->constants));
  PetscCall(PlexDGGetBackend(dg, &backend));
  PetscCall(PlexDGMeshCreate(dg->dm, &dg->mesh));
  PetscCall(PlexDGReferenceCreate(dg->mesh->dim, dg->degree, &dg->reference));
  PetscCall(PlexDGConditionsApply_Private(dg));
  PetscCall(PlexDGSetUpCoefficients_Private(dg));
  PetscCall(PlexDGUploadAll(dg));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCall(PlexDGExchangeCreate_Private(dg, &dg->exchange));
  PetscCall(PlexDGChooseType(dg));
  PetscUseTypeMethod(dg, setup);
  dg->setUp = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(PLEX_SetUp, dg, 0, 0, 0));
  PetscCall(PetscObjectViewFromOptions((PetscObject)dg, NULL, "-plex_dg_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
