/*
  The energy of a state: on the host, or by a kernel where the backend has kernels, so that a state on a GPU stays
  there. Either way by the same quadrature in double precision.
*/
#include "points.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_ENERGY_THREADS 128
#define PLEX_DG_ENERGY_GRID    4096 /* blocks, at most: sums that the host adds up */

struct _n_PlexDGEnergy {
  PlexModule module;
  PlexKernel kernel;
  PetscInt   elements, grid; /* of a group; blocks */
  /* double: [Np][Nq], [Nq], [Ne] or [Ne][Nq], [Ne][NK], [NC] */
  void *B, *weights, *determinants, *coefficients, *constants;
  void *sums; /* [grid] */
  /* of curved elements of nodal DG, n of them, whose states go to z[n][Nf][Np] first; else NULL */
  PlexDGEnergy curved;
  PlexKernel   norm;
  int          n;
  void        *T, *element, *z;
};

PetscErrorCode PlexDGEnergyDestroy_Private(PlexBackend backend, PlexDGEnergy *energy)
{
  PlexDGEnergy x = *energy;

  PetscFunctionBegin;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGEnergyDestroy_Private(backend, &x->curved));
  PetscCall(PlexBackendFree(backend, &x->T));
  PetscCall(PlexBackendFree(backend, &x->element));
  PetscCall(PlexBackendFree(backend, &x->z));
  PetscCall(PlexModuleDestroy(&x->module));
  PetscCall(PlexBackendFree(backend, &x->B));
  PetscCall(PlexBackendFree(backend, &x->weights));
  PetscCall(PlexBackendFree(backend, &x->determinants));
  PetscCall(PlexBackendFree(backend, &x->coefficients));
  PetscCall(PlexBackendFree(backend, &x->constants));
  PetscCall(PlexBackendFree(backend, &x->sums));
  PetscCall(PetscFree(*energy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel is in double precision, and its arrays are its own, whatever the operator's are */
static PetscErrorCode PlexDGEnergyCompile(PlexDG dg, PetscInt Nq, PetscBool curved, PlexDGEnergy x)
{
  const PlexPrecision precision = dg->precision;
  char                text[4][48];
  const char         *defines[] = {text[0], text[1], text[2], text[3]};
  PetscErrorCode      ierr;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_ENERGY_ELEMENTS=%" PetscInt_FMT, x->elements));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_ENERGY_POINTS=%" PetscInt_FMT, Nq));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_ENERGY_THREADS=%d", PLEX_DG_ENERGY_THREADS));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_DG_ENERGY_CURVED=%d", (int)curved));
  dg->precision = PLEX_PRECISION_DOUBLE;
  ierr          = PlexDGCompile(dg, "dg/energy.cu", 4, defines, &x->module);
  dg->precision = precision;
  PetscCall(ierr);
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_energy", &x->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n elements: groups, blocks, and what all have */
static PetscErrorCode PlexDGEnergyBegin(PlexDG dg, PetscInt n, PetscInt Nq, const PetscReal basis[],
                                        const PetscReal weights[], PlexDGEnergy *energy)
{
  const PetscInt Np    = dg->reference->Np;
  const size_t   state = sizeof(double) * (size_t)(dg->system->Nf * Np), real = sizeof(double);
  PlexDGEnergy   x;
  PetscReal     *B;

  PetscFunctionBegin;
  PetscCall(PetscNew(&x));
  *energy     = x;
  x->elements = state > 16384 ? 1 : 2; /* 48 KB of static shared memory */
  x->grid     = PetscMin(PLEX_DG_ENERGY_GRID, (n + x->elements - 1) / x->elements);
  PetscCall(PetscMalloc1(Np * Nq, &B));
  for (PetscInt q = 0; q < Nq; ++q)
    for (PetscInt j = 0; j < Np; ++j) B[j * Nq + q] = basis[q * Np + j];
  PetscCall(PlexBackendUpload(dg->backend, B, real * Np * Nq, &x->B));
  PetscCall(PlexBackendUpload(dg->backend, weights, real * Nq, &x->weights));
  PetscCall(PlexBackendUpload(dg->backend, dg->constants, real * dg->system->host[0]->NC, &x->constants));
  PetscCall(PlexBackendMalloc(dg->backend, real * x->grid, &x->sums));
  PetscCall(PetscFree(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the curved elements of nodal DG */
static PetscErrorCode PlexDGEnergyCreateCurved(PlexDG dg, PlexDGEnergy *energy)
{
  PlexDGMesh       mesh = dg->mesh;
  PlexDGQuadrature Q    = dg->curved;
  const PetscInt   n = mesh->ncurved[0] + mesh->ncurved[1], NK = dg->system->host[0]->NK, Np = dg->reference->Np;
  const PetscReal *T;
  PetscReal       *inverse, *coefficients;
  int             *element;
  PlexDGEnergy     x;

  PetscFunctionBegin;
  PetscCall(PlexDGEnergyBegin(dg, n, Q->NG, Q->phi, Q->weights, energy));
  x    = *energy;
  x->n = (int)n;
  PetscCall(PetscMalloc3((size_t)n * Q->NG, &inverse, n * NK, &coefficients, n, &element));
  for (size_t k = 0; k < (size_t)n * Q->NG; ++k) inverse[k] = 1. / Q->detJ[k];
  for (PetscInt k = 0; k < n; ++k) {
    element[k] = (int)PlexDGMeshCurvedElement(mesh, k);
    PetscCall(PetscArraycpy(&coefficients[k * NK], PetscSafePointerPlusOffset(dg->coefficients, element[k] * NK), NK));
  }
  PetscCall(PlexDGCurvedGetNorm_Private(dg, &T));
  PetscCall(PlexBackendUpload(dg->backend, T, sizeof(*T) * (size_t)n * Np * Np, &x->T));
  PetscCall(PlexBackendUpload(dg->backend, inverse, sizeof(*inverse) * (size_t)n * Q->NG, &x->determinants));
  PetscCall(PlexBackendUpload(dg->backend, coefficients, sizeof(*coefficients) * (size_t)(n * NK), &x->coefficients));
  PetscCall(PlexBackendUpload(dg->backend, element, sizeof(*element) * (size_t)n, &x->element));
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * (size_t)n * dg->system->Nf * Np, &x->z));
  PetscCall(PlexDGEnergyCompile(dg, Q->NG, PETSC_TRUE, x));
  PetscCall(PlexModuleGetKernel(x->module, "plex_dg_energy_norm", &x->norm));
  PetscCall(PetscFree3(inverse, coefficients, element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGEnergyCreate(PlexDG dg, PlexDGEnergy *energy)
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt    Ne   = dg->mesh->Ne;
  const size_t      real = sizeof(double);
  PlexDGEnergy      x;
  PlexDGPoints      p;
  PetscReal        *det;
  const PetscBool   curved = (PetscBool)(dg->quadrature && !dg->quadrature->affine);

  PetscFunctionBegin;
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(PlexDGEnergyBegin(dg, Ne, p.Nq, p.B, p.weights, energy));
  x = *energy;
  PetscCall(PetscMalloc1((size_t)Ne * (curved ? p.Nq : 1), &det));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt q = 0; q < (curved ? p.Nq : 1); ++q)
      det[(size_t)e * (curved ? p.Nq : 1) + q] = dg->curved && PlexDGMeshCurvedIndex(dg->mesh, e) >= 0
                                                 ? 0.
                                                 : PlexDGPointsDeterminant_Private(dg, &p, e, q);
  PetscCall(PlexBackendUpload(dg->backend, det, real * Ne * (curved ? p.Nq : 1), &x->determinants));
  PetscCall(PetscFree(det));
  PetscCall(PlexBackendUpload(dg->backend, dg->coefficients, real * Ne * host->NK, &x->coefficients));
  PetscCall(PlexDGEnergyCompile(dg, p.Nq, curved, x));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  if (dg->mesh->ncurved[0] + dg->mesh->ncurved[1]) PetscCall(PlexDGEnergyCreateCurved(dg, &x->curved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n elements with states u, by the kernel */
static PetscErrorCode PlexDGEnergySum(PlexDG dg, PlexDGEnergy x, const void *u, int n, PetscReal *all)
{
  void *arguments[] = {(void *)&u, &x->B, &x->weights, &x->determinants, &x->coefficients, &x->constants, &n, &x->sums};
  double *sums, sum = 0.;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(x->grid, &sums));
  PetscCall(PlexKernelLaunch(x->kernel, x->grid, PLEX_DG_ENERGY_THREADS, 0, arguments));
  PetscCall(PlexBackendCopyOut(dg->backend, sums, x->sums, sizeof(double) * x->grid));
  for (PetscInt b = 0; b < x->grid; ++b) sum += sums[b];
  *all += sum;
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of this process's elements */
static PetscErrorCode PlexDGEnergyByKernel(PlexDG dg, Vec U, PetscReal *all)
{
  PlexDGEnergy x, curved;
  const int    Ne = (int)dg->mesh->Ne;

  PetscFunctionBegin;
  if (!Ne) PetscFunctionReturn(PETSC_SUCCESS);
  if (!dg->energy) PetscCall(PlexDGEnergyCreate(dg, &dg->energy));
  x      = dg->energy;
  curved = x->curved;
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->arrayU));
  PetscCall(PlexDGEnergySum(dg, x, dg->arrayU.array, Ne, all));
  if (curved) {
    const void    *u           = dg->arrayU.array;
    void          *arguments[] = {(void *)&u, &curved->T, &curved->element, &curved->n, &curved->z};
    const PetscInt threads     = PLEX_DG_ENERGY_THREADS;
    const size_t   values      = (size_t)curved->n * (size_t)(dg->system->Nf * dg->reference->Np);

    PetscCall(PlexKernelLaunch(curved->norm, (PetscInt)((values + (size_t)threads - 1) / (size_t)threads), threads, 0,
                               arguments));
    PetscCall(PlexDGEnergySum(dg, curved, curved->z, curved->n, all));
  }
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of curved element e, state u[Nf][Np], in the norm in which it is kept: PlexDGCurvedGetNorm_Private(). Where coefficients
   vary each field has the norm and the factor of its weight */
static PetscReal PlexDGCurvedEnergy(PlexDG dg, PetscInt e, const PetscReal norm[], const PetscScalar u[])
{
  const PlexDGHost *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  PlexDGQuadrature  Q    = dg->curved;
  const PetscInt    Nf = dg->system->Nf, Np = dg->reference->Np, k = PlexDGMeshCurvedIndex(dg->mesh, e),
                    nw           = dg->graded ? dg->graded->nweights : 1;
  const PetscReal  *coefficients = host->NK ? &dg->coefficients[e * host->NK] : NULL;
  PetscReal         z[PLEX_DG_MAX_FIELDS], row[PLEX_DG_MAX_FIELDS], sum = 0.;

  for (PetscInt g = 0; g < Q->NG; ++g) {
    for (PetscInt f = 0; f < Nf; ++f) z[f] = 0.;
    for (PetscInt j = 0; j < Np; ++j) {
      for (PetscInt w = 0; w < nw; ++w) { /* of the basis times T, at the point */
        const PetscReal *T = &norm[((size_t)k * nw + w) * Np * Np];

        row[w] = 0.;
        for (PetscInt i = 0; i < Np; ++i) row[w] += Q->phi[g * Np + i] * T[j * Np + i];
      }
      for (PetscInt f = 0; f < Nf; ++f)
        z[f] += row[dg->graded ? (*host->weightof)((int)f) : 0] * PetscRealPart(u[f * Np + j]);
    }
    for (PetscInt f = 0; f < Nf && dg->graded; ++f)
      z[f] *= PetscSqrtReal(dg->graded->ratio[((size_t)k * nw + (*host->weightof)((int)f)) * Q->NG + g]);
    sum += Q->weights[g] / Q->detJ[(size_t)k * Q->NG + g] * (*host->energy)(z, coefficients, dg->constants);
  }
  return sum;
}

static PetscErrorCode PlexDGEnergyByHost(PlexDG dg, Vec U, PetscReal *all)
{
  const PlexDGHost  *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt     Nf = dg->system->Nf, Np = dg->reference->Np;
  PlexDGPoints       p;
  const PetscScalar *u;
  PetscReal          v[PLEX_DG_MAX_FIELDS], k[PLEX_DG_MAX_FIELDS * 4] = {0.}, sum = 0.;
  const PetscReal   *norm = NULL;

  PetscFunctionBegin;
  if (dg->curved) PetscCall(PlexDGCurvedGetNorm_Private(dg, &norm));
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    if (norm && PlexDGMeshCurvedIndex(dg->mesh, e) >= 0) {
      sum += PlexDGCurvedEnergy(dg, e, norm, &u[(size_t)e * Nf * Np]);
      continue;
    }
    for (PetscInt q = 0; q < p.Nq; ++q) {
      PlexDGPointsInterpolate_Private(&p, q, Nf, Np, &u[(size_t)e * Nf * Np], v);
      for (PetscInt c = 0; dg->variables && c < host->NK; ++c) {
        const PetscReal *nodal = &dg->variables[((size_t)e * host->NK + c) * Np];
        PetscReal       *value = &k[c * (1 + dg->mesh->dim)];

        *value = 0.;
        for (PetscInt i = 0; i < Np; ++i) *value += p.B[q * Np + i] * nodal[i];
      }
      sum += p.weights[q] * PlexDGPointsDeterminant_Private(dg, &p, e, q) *
             (*host->energy)(v,
                             dg->variables ? k
                             : host->NK    ? &dg->coefficients[e * host->NK]
                                           : NULL,
                             dg->constants);
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  *all += sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the energy of the own elements of an operator without parts to *ctx */
static PetscErrorCode PlexDGAddEnergy(PlexDG dg, Vec U, void *ctx)
{
  PetscFunctionBegin;
  if (dg->backend->kernels && !dg->variables && !dg->graded) PetscCall(PlexDGEnergyByKernel(dg, U, (PetscReal *)ctx));
  else PetscCall(PlexDGEnergyByHost(dg, U, (PetscReal *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGComputeEnergy - Computes the integral of the energy density that the system has

  Collective

  Input Parameters:
+ dg - the operator
- U  - the state

  Output Parameter:
. energy - the integral

  Level: intermediate

  Notes:
  By a quadrature that is exact for polynomials of twice the degree and two more, in double precision.

  Curved elements of nodal DG have a mass matrix M M_{1/J}^-1 M, of which this is the energy: that does not grow. It differs
  from the integral as the error does.

  Where the operator is computed by kernels, so is this, and a state on a GPU is not copied, unless the system's
  coefficients vary in an element, of nodal DG by `PlexDGSetMaterialFunction()`. The result has the same bits in every run.

.seealso: `PlexDG`, `PlexDGComputeL2Error()`
@*/
PetscErrorCode PlexDGComputeEnergy(PlexDG dg, Vec U, PetscReal *energy)
{
  PetscReal sum = 0.;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscAssertPointer(energy, 3);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsDo_Private(dg, U, PlexDGAddEnergy, &sum));
  PetscCallMPI(MPIU_Allreduce(&sum, energy, 1, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
