/*
  The velocity in H(div) without divergence of a solution (solenoidal.c), and what a velocity has of divergences and jumps.

  Flows of the trace out of elements are zero to the tolerance of its solver. What is left of them, r = B t - g, is taken out
  before: t - B^T (B B^T)^-1 r is the nearest trace without it, by conjugate gradients for B B^T, which is like a Laplacian of
  the elements.
*/
#include "solenoidal.h" /*I "plexgpuhdg.h" I*/
#include <plexgpu/private/util.h>

static PetscErrorCode PlexHDGSolenoidalSetSolver(PlexHDG hdg)
{
  PlexHDGStokes     stokes = hdg->stokes;
  PlexHDGSolenoidal s      = stokes->solenoidal;
  PetscBool         mine[PLEX_HOST_PRODUCTS];
  const char       *prefix;
  MatNullSpace      space;
  PC                pc;

  PetscFunctionBegin;
  if (s->ksp) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stokes->Bt) PetscCall(MatTranspose(stokes->B, MAT_INITIAL_MATRIX, &stokes->Bt));
  PetscCall(PlexHostProductsBegin(mine));
  PetscCall(MatMatMult(stokes->B, stokes->Bt, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->laplacian));
  PetscCall(MatSetOption(s->laplacian, MAT_SPD, PETSC_TRUE));
  if (stokes->closed) {
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_TRUE, 0, NULL, &space));
    PetscCall(MatSetNullSpace(s->laplacian, space));
    PetscCall(MatNullSpaceDestroy(&space));
  }
  PetscCall(VecDuplicate(stokes->mean, &s->flows[0]));
  PetscCall(VecDuplicate(stokes->mean, &s->flows[1]));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)hdg), &s->ksp));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  PetscCall(KSPSetOptionsPrefix(s->ksp, prefix));
  PetscCall(KSPAppendOptionsPrefix(s->ksp, "plex_hdg_balance_"));
  PetscCall(KSPSetType(s->ksp, KSPCG));
  PetscCall(KSPSetTolerances(s->ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(KSPSetOperators(s->ksp, s->laplacian, s->laplacian));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, hdg->mesh->NeGlobal > 1000 ? PCGAMG : PCJACOBI));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(KSPSetUp(s->ksp));
  PetscCall(PlexHostProductsEnd(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s->balanced of the solution's trace: a few times, as each leaves a millionth of what was there, until there is rounding */
static PetscErrorCode PlexHDGSolenoidalBalance(PlexHDG hdg)
{
  PlexHDGStokes     stokes = hdg->stokes;
  PlexHDGSolenoidal s      = stokes->solenoidal;
  PetscReal         norm[2], size[2];

  PetscFunctionBegin;
  PetscCall(PlexHDGSolenoidalSetSolver(hdg));
  PetscCall(PlexHDGStokesComputeRHS_Private(hdg));
  PetscCall(VecCopy(hdg->trace, s->balanced));
  PetscCall(MatNorm(stokes->B, NORM_INFINITY, &size[0]));
  PetscCall(VecNorm(s->balanced, NORM_INFINITY, &size[1]));
  for (int k = 0; k < 4; ++k) {
    PetscCall(MatMult(stokes->B, s->balanced, s->flows[0]));
    PetscCall(VecAXPY(s->flows[0], -1., stokes->rhs));
    PetscCall(VecNorm(s->flows[0], NORM_INFINITY, &norm[1]));
    if (norm[1] <= 4. * PETSC_MACHINE_EPSILON * size[0] * size[1] || (k && norm[1] > 0.1 * norm[0])) break;
    PetscCall(KSPSolve(s->ksp, s->flows[0], s->flows[1]));
    PetscCall(MatMult(stokes->Bt, s->flows[1], s->sums));
    PetscCall(VecAXPY(s->balanced, -1., s->sums));
    norm[0] = norm[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v[Ne][dim][Nu] of a vector like the solution's u, and back */
static PetscErrorCode PlexHDGSolenoidalRead(PlexHDG hdg, Vec from, PetscReal v[])
{
  const PetscInt     Nu = hdg->elastic->Nu, Npost = hdg->reference->Npost;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(from, &a));
  for (size_t k = 0; k < (size_t)hdg->mesh->Ne * hdg->reference->dim; ++k)
    for (PetscInt j = 0; j < Nu; ++j) v[k * Nu + j] = PetscRealPart(a[k * Npost + hdg->elastic->functions[j]]);
  PetscCall(VecRestoreArrayRead(from, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSolenoidalWrite(PlexHDG hdg, const PetscReal v[], Vec to)
{
  const PetscInt Nu = hdg->elastic->Nu, Npost = hdg->reference->Npost;
  PetscScalar   *a;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(to));
  PetscCall(VecGetArray(to, &a));
  for (size_t k = 0; k < (size_t)hdg->mesh->Ne * hdg->reference->dim; ++k)
    for (PetscInt j = 0; j < Nu; ++j) a[k * Npost + hdg->elastic->functions[j]] = v[k * Nu + j];
  PetscCall(VecRestoreArray(to, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSolenoidalCompute(PlexHDG hdg)
{
  PlexHDGSolenoidal s   = hdg->stokes->solenoidal;
  const PetscInt    own = hdg->reference->dim * hdg->elastic->Nu;
  PetscReal        *u, *v, *flux, *work;

  PetscFunctionBegin;
  PetscCall(PlexHDGSolenoidalBalance(hdg));
  PetscCall(PetscMalloc4((size_t)hdg->mesh->Ne * own, &u, (size_t)hdg->mesh->Ne * own, &v, hdg->mesh->faces * s->NF,
                         &flux, s->nc + own, &work));
  PetscCall(PlexHDGSolenoidalRead(hdg, hdg->u, u));
  PetscCall(PlexHDGSolenoidalSetTrace_Private(hdg, s->balanced));
  PetscCall(PlexHDGSolenoidalShare_Private(hdg, u, PETSC_FALSE));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) {
    PlexHDGSolenoidalElement el;

    PlexHDGSolenoidalElementSet_Private(hdg, e, &el);
    PlexHDGSolenoidalProject_Private(hdg, e, &el, &u[(size_t)e * own], flux, &v[(size_t)e * own], work);
  }
  if (!s->velocity) PetscCall(VecDuplicate(hdg->u, &s->velocity));
  PetscCall(PlexHDGSolenoidalWrite(hdg, v, s->velocity));
  PetscCall(PetscFree4(u, v, flux, work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetSolenoidalVelocity - Gets the velocity of a solution in H(div) without divergence: the flow through each face is
  the same in both elements, and nothing flows out of any part of an element

  Collective

  Input Parameter:
. hdg - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`, after `PlexHDGSolve()` or `PlexHDGSetState()`

  Output Parameter:
. v - the velocity, laid out as u of `PlexHDGGetSolution()`, [element][dim][function of degree P + 1]; not to be destroyed, and
      that of this solution until there is another one and this is called again

  Options Database Key:
. -plex_hdg_balance_ksp_... - the solver that takes what the trace's tolerance has left out of the trace's flows

  Level: intermediate

  Notes:
  It is found element by element (B. Cockburn, J. Gopalakrishnan, N. C. Nguyen, J. Peraire and F.-J. Sayas, Math. Comp. 80
  (2011), 723-760, section 2.3), of order P + 2 as u. It is what particles, dyes and other equations are to be carried by:
  where u carries them they gain and lose mass.

  Straight triangles and tetrahedra. Where nothing but known velocities passes the boundary, and these do not balance by
  quadrature, its divergence is the same everywhere, and what that makes.

  `PlexHDGWriteVTKHDF()` writes it after this as `solenoidal`.

  Example:
.vb
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &v));
  PetscCall(PlexHDGComputeDivergence(hdg, v, &divergence, &jump)); // rounding
  PetscCall(PlexHDGComputeNodeValues(hdg, dim, v, values));
.ve

.seealso: `PlexHDG`, `PlexHDGGetSolution()`, `PlexHDGComputeDivergence()`, `PlexHDGWriteVTKHDF()`, `PlexHDGSetSystem()`
@*/
PetscErrorCode PlexHDGGetSolenoidalVelocity(PlexHDG hdg, Vec *v)
{
  PlexHDGSolenoidal s;
  PetscObjectState  state;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(v, 2);
  PetscCall(PlexHDGCheckFluid_Private(hdg, "PlexHDGGetSolenoidalVelocity()"));
  PetscCheck(hdg->trace && hdg->stokes->B, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  PetscCall(PlexHDGSolenoidalSetUp_Private(hdg));
  s = hdg->stokes->solenoidal;
  PetscCall(PetscObjectStateGet((PetscObject)hdg->u, &state));
  if (!s->velocity || s->state != state) PetscCall(PlexHDGSolenoidalCompute(hdg));
  PetscCall(PetscObjectStateGet((PetscObject)hdg->u, &s->state));
  *v = s->velocity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSolenoidalGet_Private(PlexHDG hdg, Vec *v)
{
  PlexHDGSolenoidal s = hdg->stokes ? hdg->stokes->solenoidal : NULL;
  PetscObjectState  state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)hdg->u, &state));
  *v = s && s->velocity && s->state == state ? s->velocity : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGComputeDivergence - Computes the divergence of a velocity in the elements, and by how much its normal components jump
  between them

  Collective

  Input Parameters:
+ hdg - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`, after `PlexHDGSolve()` or `PlexHDGSetState()`
- v   - a velocity, laid out as u of `PlexHDGGetSolution()`

  Output Parameters:
+ divergence - its L2 norm over all elements
- jump       - the L2 norm of jumps over all faces between two elements

  Level: intermediate

  Note:
  Straight triangles and tetrahedra. Of u both have the order of an error, P + 1 of the divergence and P + 3/2 of the jump; of
  `PlexHDGGetSolenoidalVelocity()` both are rounding.

  Example:
.vb
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PlexHDGComputeDivergence(hdg, u, &divergence, &jump));
.ve

.seealso: `PlexHDG`, `PlexHDGGetSolenoidalVelocity()`, `PlexHDGComputeFluxJump()`
@*/
PetscErrorCode PlexHDGComputeDivergence(PlexHDG hdg, Vec v, PetscReal *divergence, PetscReal *jump)
{
  PlexHDGReference  R;
  PlexHDGSolenoidal s;
  PetscReal        *u, sums[2] = {0., 0.};
  PetscInt          dim, Nu, NF;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(v, VEC_CLASSID, 2);
  PetscAssertPointer(divergence, 3);
  PetscAssertPointer(jump, 4);
  PetscCall(PlexHDGCheckFluid_Private(hdg, "PlexHDGComputeDivergence()"));
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  PetscCall(PlexHDGSolenoidalSetUp_Private(hdg));
  R   = hdg->reference;
  s   = hdg->stokes->solenoidal;
  dim = R->dim;
  Nu  = hdg->elastic->Nu;
  NF  = s->NF;
  PetscCall(PetscMalloc1((size_t)hdg->mesh->Ne * dim * Nu, &u));
  PetscCall(PlexHDGSolenoidalRead(hdg, v, u));
  PetscCall(PlexHDGSolenoidalShare_Private(hdg, u, PETSC_TRUE));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) {
    PlexHDGSolenoidalElement el;

    PlexHDGSolenoidalElementSet_Private(hdg, e, &el);
    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal value = 0.; /* times the determinant */

      for (PetscInt d = 0; d < dim; ++d)
        for (PetscInt j = 0; j < Nu; ++j)
          for (PetscInt a = 0; a < dim; ++a)
            value += el.C[a][d] * R->dphiPost[(a * R->Nq + q) * R->Npost + hdg->elastic->functions[j]] *
                     u[((size_t)e * dim + d) * Nu + j];
      sums[0] += R->weights[q] * PetscSqr(value) / el.det;
    }
    for (PetscInt f = 0; f < R->faces; ++f) {
      const size_t row  = (size_t)e * R->faces + f;
      PetscReal    area = 0.;

      if (s->outer[row]) continue;
      for (PetscInt d = 0; d < dim; ++d) area += PetscSqr(el.normal[f][d]);
      for (PetscInt m = 0; m < NF; ++m) {
        PetscReal flow = 0.;

        for (PetscInt d = 0; d < dim; ++d)
          flow += el.normal[f][d] * (s->own[(row * dim + d) * NF + m] - s->other[(row * dim + d) * NF + m]);
        sums[1] += 0.5 * PetscSqr(flow) / PetscSqrtReal(area); /* from both sides */
      }
    }
  }
  PetscCall(PetscFree(u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  *divergence = PetscSqrtReal(sums[0]);
  *jump       = PetscSqrtReal(sums[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
