/*
  Nodes; states and functions of x and t: interpolation at the nodes, error in L2. On the host, where the functions are.
*/
#include "points.h" /*I "plexgpudg.h" I*/

/* A function of x and t, and its values at the nodes of some elements */
typedef struct {
  PlexDG     dg;
  PlexDGFn  *func;
  void      *ctx;
  PetscReal  t;
  PetscReal *x;   /* [Np][dim] the nodes of an element */
  PetscReal  sum; /* of the error's square, of own elements */
} PlexDGProjection;

/* x[n][dim]: where the basis of the coordinates is shapes[n][nx], as PlexDGMeshGetPosition() has it. To be inlined:
   dim, and nx of simplices with straight sides, are then numbers */
static inline void PlexDGSetPositions(const PetscInt dim, const PetscInt nx, PetscInt n, const PetscReal shapes[],
                                      const PetscReal nodes[], PetscReal x[])
{
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal sum[3] = {0., 0., 0.};

    for (PetscInt v = 0; v < nx; ++v)
      for (PetscInt d = 0; d < dim; ++d) sum[d] += shapes[i * nx + v] * nodes[v * dim + d];
    for (PetscInt d = 0; d < dim; ++d) x[i * dim + d] = sum[d];
  }
}

static void PlexDGGetNodePositions(PlexDG dg, PetscInt e, PetscReal x[])
{
  PlexDGMesh       mesh  = dg->mesh;
  const PetscInt   n     = dg->reference->Np;
  const PetscReal *nodes = &mesh->nodes[(size_t)e * (mesh->nx * mesh->dim)];

  if (mesh->dim == 2 && mesh->nx == 3) PlexDGSetPositions(2, 3, n, dg->shapes, nodes, x);
  else if (mesh->dim == 2) PlexDGSetPositions(2, mesh->nx, n, dg->shapes, nodes, x);
  else if (mesh->nx == 4) PlexDGSetPositions(3, 4, n, dg->shapes, nodes, x);
  else PlexDGSetPositions(3, mesh->nx, n, dg->shapes, nodes, x);
}

/*@C
  PlexDGGetNodes - Gets the positions of the nodes, at which states have their values

  Collective

  Input Parameter:
. dg - the operator, which is set up if it is not yet

  Output Parameters:
+ Ne - elements of this process
. Np - nodes of an element
- x  - [Ne][Np][dim] positions on the host, in the units of the mesh's coordinates

  Level: intermediate

  Notes:
  Elements and nodes are in the order of a state, which is [Ne][Nf][Np]: of field k at node i of element e entry (e Nf +
  k) Np + i is the value at x[e][i]. A node on a face is there once for each element. Any of the three may be `NULL`.

  The array belongs to the operator. It is computed at the first call, and is valid until `PlexDGReset()`,
  `PlexDGDestroy()` or a change of a setting that undoes the set-up, such as `PlexDGSetDegree()`.

  On a mesh of triangles and quadrilaterals, whose elements differ in their nodes, it is an error.

  What fails at the set-up fails here: an operator without a system (`PETSC_ERR_ORDER`), for example.

.seealso: `PlexDG`, `PlexDGCreateVec()`, `PlexDGProject()`, `PlexDGSetUp()`
@*/
PetscErrorCode PlexDGGetNodes(PlexDG dg, PetscInt *Ne, PetscInt *Np, const PetscReal *x[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckOneKind_Private(dg, "PlexDGGetNodes()"));
  if (Ne) *Ne = dg->mesh->Ne;
  if (Np) *Np = dg->reference->Np;
  if (!x) PetscFunctionReturn(PETSC_SUCCESS);
  if (!dg->nodes) {
    const size_t each = (size_t)dg->reference->Np * dg->mesh->dim;

    PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * each, &dg->nodes));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) PlexDGGetNodePositions(dg, e, &dg->nodes[(size_t)e * each]);
  }
  *x = dg->nodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[end - begin][Nf][Np] of the elements begin .. end - 1 */
static PetscErrorCode PlexDGProjectElements(const PlexDGProjection *p, PetscInt begin, PetscInt end, PetscScalar u[])
{
  const PetscInt dim = p->dg->mesh->dim, Nf = p->dg->system->Nf, Np = p->dg->reference->Np;
  PetscScalar    values[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  for (PetscInt e = begin; e < end; ++e, u += Nf * Np) {
    PlexDGGetNodePositions(p->dg, e, p->x);
    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt k = 0; k < Nf; ++k) values[k] = 0.;
      PetscCall((*p->func)(dim, p->t, &p->x[i * dim], Nf, values, p->ctx));
      for (PetscInt k = 0; k < Nf; ++k) u[k * Np + i] = values[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PLEX_DG_STAGED 65536 /* values that are copied to the device together, while they are in the cache */

/* u[Ne][Nf][Np] in the device's memory: the host needs no room for all of it */
static PetscErrorCode PlexDGProjectDevice(const PlexDGProjection *p, PetscScalar u[])
{
  const PetscInt each = p->dg->system->Nf * p->dg->reference->Np, Ne = p->dg->mesh->Ne,
                 n = PetscMin(Ne, PetscMax(1, PLEX_DG_STAGED / each));
  PetscScalar   *staged;

  PetscFunctionBegin;
  PetscCall(PlexBackendStagingMalloc((size_t)n * each, &staged));
  for (PetscInt e = 0; e < Ne; e += n) {
    const PetscInt end = PetscMin(Ne, e + n);

    PetscCall(PlexDGProjectElements(p, e, end, staged));
    PetscCall(PlexBackendCopyIn(p->dg->backend, &u[(size_t)e * each], staged,
                                (size_t)(end - e) * each * sizeof(PetscScalar)));
  }
  PetscCall(PlexBackendStagingFree(&staged));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an operator without parts; ctx: a PlexDGProjection */
static PetscErrorCode PlexDGProjectPart(PlexDG dg, Vec U, void *ctx)
{
  PlexDGProjection p       = *(const PlexDGProjection *)ctx;
  PetscMemType     memtype = PETSC_MEMTYPE_HOST;
  PetscScalar     *u;

  PetscFunctionBegin;
  p.dg = dg;
  PetscCall(PetscMalloc1(dg->reference->Np * dg->mesh->dim, &p.x));
  /* shores are put right on the host */
  if (dg->backend->device && !dg->shore) {
    PetscCall(VecGetArrayWriteAndMemType(U, &u, &memtype));
    if (PetscMemTypeDevice(memtype)) PetscCall(PlexDGProjectDevice(&p, u));
    else PetscCall(PlexDGProjectElements(&p, 0, dg->mesh->Ne, u));
    PetscCall(VecRestoreArrayWriteAndMemType(U, &u));
  } else {
    PetscCall(VecGetArrayWrite(U, &u));
    PetscCall(PlexDGProjectElements(&p, 0, dg->mesh->Ne, u));
    if (dg->shore) PlexDGShoreProject_Private(dg, u);
    PetscCall(VecRestoreArrayWrite(U, &u));
  }
  PetscCall(PetscFree(p.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGProject - Sets a state to the values that a function has at the nodes

  Collective

  Input Parameters:
+ dg   - the operator
. t    - time
. func - the function, of all fields
- ctx  - given to it

  Output Parameter:
. U - the state, of `PlexDGCreateVec()`

  Level: beginner

  Note:
  The function is called on the host, in one thread, node by node. A state on the GPU is copied there in parts, and its
  values are not kept on the host.

.seealso: `PlexDG`, `PlexDGCreateVec()`, `PlexDGComputeL2Error()`
@*/
PetscErrorCode PlexDGProject(PlexDG dg, PetscReal t, PlexDGFn *func, void *ctx, Vec U)
{
  PlexDGProjection p = {.func = func, .ctx = ctx, .t = t};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsDo_Private(dg, U, PlexDGProjectPart, &p));
  if (dg->captures) PetscCall(PlexDGLimit(dg, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the own elements of an operator without parts; ctx: a PlexDGProjection, whose sum is added to */
static PetscErrorCode PlexDGAddL2Error(PlexDG dg, Vec U, void *ctx)
{
  PlexDGProjection  *f  = (PlexDGProjection *)ctx;
  PlexDGReference    R  = dg->reference;
  const PetscInt     Nf = dg->system->Nf;
  PlexDGPoints       p;
  const PetscScalar *u;
  PetscScalar        exact[PLEX_DG_MAX_FIELDS];
  PetscReal          x[3], v[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt q = 0; q < p.Nq; ++q) {
      const PetscReal det = PlexDGPointsDeterminant_Private(dg, &p, e, q);

      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &p.shapes[q * dg->mesh->nx], x));
      PlexDGPointsInterpolate_Private(&p, q, Nf, R->Np, &u[(size_t)e * Nf * R->Np], v);
      PetscCall(PetscArrayzero(exact, Nf));
      PetscCall((*f->func)(R->dim, f->t, x, Nf, exact, f->ctx));
      for (PetscInt k = 0; k < Nf; ++k) f->sum += p.weights[q] * det * PetscSqr(v[k] - PetscRealPart(exact[k]));
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGComputeL2Error - Computes the distance in L2 of a state from a function, all fields together

  Collective

  Input Parameters:
+ dg   - the operator
. t    - time
. func - the function, of all fields
. ctx  - given to it
- U    - the state

  Output Parameter:
. error - square root of the integral of the sum of squares

  Level: intermediate

  Note:
  By a quadrature that is exact for polynomials of twice the degree and two more.

.seealso: `PlexDG`, `PlexDGProject()`, `PlexDGComputeEnergy()`
@*/
PetscErrorCode PlexDGComputeL2Error(PlexDG dg, PetscReal t, PlexDGFn *func, void *ctx, Vec U, PetscReal *error)
{
  PlexDGProjection p = {.func = func, .ctx = ctx, .t = t};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscAssertPointer(error, 6);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsDo_Private(dg, U, PlexDGAddL2Error, &p));
  PetscCallMPI(MPIU_Allreduce(&p.sum, error, 1, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  *error = PetscSqrtReal(*error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weight of point q of element e, and the fields there, at the operator's points where it has a quadrature */
static PetscReal PlexDGIntegrand(PlexDG dg, const PlexDGPoints *p, PetscInt e, PetscInt q, const PetscScalar u[],
                                 PetscReal v[])
{
  const PetscInt   Nf = dg->system->Nf, Np = dg->reference->Np;
  PlexDGQuadrature Q = dg->quadrature;

  if (!Q) {
    PlexDGPointsInterpolate_Private(p, q, Nf, Np, u, v);
    return p->weights[q] * PlexDGPointsDeterminant_Private(dg, p, e, q);
  }
  for (PetscInt k = 0; k < Nf; ++k) {
    v[k] = 0.;
    for (PetscInt i = 0; i < Np; ++i) v[k] += Q->phi[q * Np + i] * PetscRealPart(u[k * Np + i]);
  }
  return Q->weights[q] * Q->detJ[Q->affine ? (size_t)e : (size_t)e * Q->NG + q];
}

/* Of the own elements of an operator without parts; ctx: sums[Nf], to which they are added */
static PetscErrorCode PlexDGAddIntegrals(PlexDG dg, Vec U, void *ctx)
{
  const PetscInt     Nf = dg->system->Nf, Np = dg->reference->Np;
  PlexDGPoints       p;
  const PetscScalar *u;
  PetscReal         *sums = (PetscReal *)ctx, v[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt q = 0; q < (dg->quadrature ? dg->quadrature->NG : p.Nq); ++q) {
      const PetscReal weight = PlexDGIntegrand(dg, &p, e, q, &u[(size_t)e * Nf * Np], v);

      for (PetscInt k = 0; k < Nf; ++k) sums[k] += weight * v[k];
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGComputeIntegrals - Computes the integral of each field

  Collective

  Input Parameters:
+ dg - the operator
- U  - the state

  Output Parameter:
. integrals - one for each field of the system

  Level: intermediate

  Note:
  At the operator's own points, of DG with quadrature, else by the quadrature of `PlexDGComputeL2Error()`; on the host.
  What a system conserves, such as the mass of water, keeps its integral to rounding.

.seealso: `PlexDG`, `PlexDGComputeEnergy()`, `PlexDGComputeL2Error()`
@*/
PetscErrorCode PlexDGComputeIntegrals(PlexDG dg, Vec U, PetscReal integrals[])
{
  PetscReal      sums[PLEX_DG_MAX_FIELDS] = {0.};
  const PetscInt Nf                       = dg->system->Nf;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscAssertPointer(integrals, 3);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexDGPartsDo_Private(dg, U, PlexDGAddIntegrals, sums));
  PetscCallMPI(MPIU_Allreduce(sums, integrals, (PetscMPIInt)Nf, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
