#include <plexgpu/dg.h> /*I "plexgpu.h" I*/
#include "dgimpl.h"

/*@
  PlexDGSetCFL - Sets the factor of the time step that is used by default

  Logically Collective

  Input Parameters:
+ dg  - the operator
- cfl - the factor, 1 if it is not set

  Options Database Key:
. -plex_dg_cfl factor - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGComputeTimeStep()`
@*/
PetscErrorCode PlexDGSetCFL(PlexDG dg, PetscReal cfl)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(cfl > 0., PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "The factor of the time step has to be positive: %g", (double)cfl);
  dg->cfl = cfl;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest speed in element e with the state u[Nf][Np]; NULL: at rest */
static PetscReal PlexDGGetSpeed(PlexDG dg, PetscInt e, const PetscScalar u[])
{
  const PlexDGHost *host                  = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscReal  *k                     = host->NK ? &dg->coefficients[e * host->NK] : NULL;
  const PetscInt    Np                    = dg->reference->Np;
  PetscReal         v[PLEX_DG_MAX_FIELDS] = {0.}, at[PLEX_DG_MAX_FIELDS * 4] = {0.}, speed;

  if (!u && !dg->variables) return (*host->speed)(v, k, dg->constants);
  speed = 0.;
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal here;

    for (PetscInt f = 0; u && f < host->Nf; ++f) v[f] = PetscRealPart(u[f * Np + i]);
    for (PetscInt c = 0; dg->variables && c < host->NK; ++c) at[c * (1 + dg->mesh->dim)] = dg->variables[((size_t)e * host->NK + c) * Np + i];
    here = (*host->speed)(v, dg->variables ? at : k, dg->constants);
    if (!(here <= speed)) speed = here; /* one that is no number stays */
    if (PetscIsNanReal(speed)) break;
  }
  return speed;
}

/* An error that names the element, where it is, and its coefficients */
static PetscErrorCode PlexDGBadSpeed(PlexDG dg, PetscInt e, PetscReal speed)
{
  const PetscInt dim = dg->mesh->dim, NK = dg->system->ncoefficients;
  PetscReal      x[3] = {0., 0., 0.};
  char           text[64], list[256] = "";

  PetscFunctionBegin;
  for (PetscInt v = 0; v < dg->mesh->nv; ++v)
    for (PetscInt d = 0; d < dim; ++d) x[d] += dg->mesh->x[(e * dg->mesh->nv + v) * dim + d] / dg->mesh->nv;
  for (PetscInt k = 0; k < NK; ++k) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s = %g", k ? ", " : " with ", dg->system->coefficients[k].name, (double)dg->coefficients[e * NK + k]));
    PetscCall(PetscStrlcat(list, text, sizeof(list)));
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "System %s has the speed %g in cell %" PetscInt_FMT ", centroid (%g, %g, %g)%s: see PlexDGSetCoefficients(), and what the state is there", dg->system->name, (double)speed, dg->mesh->cells[e], (double)x[0], (double)x[1], (double)x[2], list);
}

/* 1/radius of the circle or sphere inside a simplex, the sum of 1/height; Fscale is 2/height */
static PetscReal PlexDGInverseRadius(PlexDGMesh mesh, PetscInt e)
{
  const PetscReal *rx  = &mesh->rx[e * mesh->dim * mesh->dim];
  PetscReal        sum = 0.;

  for (PetscInt f = 0; f < mesh->faces; ++f) {
    PetscReal scale = 0.;

    for (PetscInt d = 0; d < mesh->dim; ++d) {
      PetscReal n = 0.;

      for (PetscInt a = 0; a < mesh->dim; ++a) n += f == mesh->dim || f == a ? rx[a * mesh->dim + d] : 0.;
      scale += n * n;
    }
    sum += PetscSqrtReal(scale);
  }
  return 0.5 * sum;
}

/*@
  PlexDGComputeTimeStep - Computes a time step with which explicit Runge-Kutta methods of order three and more are stable

  Collective

  Input Parameters:
+ dg - the operator
- U  - the state, whose speeds are taken; `NULL`: those of the zero state, which are the speeds of a linear system

  Output Parameter:
. dt - the step: the factor of `PlexDGSetCFL()` times the least of 1.6 h/(c (N + 1)^1.5), h the radius of the circle or sphere inside an element
       and c the element's largest speed

  Level: intermediate

  Note:
  The power of N + 1 and the number were found by trying: with the upwind flux, on squares in 2 triangles and cubes in 6 tetrahedra, the
  classical Runge-Kutta method becomes unstable at 1.1 to 1.3 times this step for all degrees. On irregular meshes longer steps are
  stable as well.

  On quadrilaterals it is 1.1 h/(c (N + 1)^1.6), h the radius of the circle inside a square, on hexahedra 0.75 h/(c (N + 1)^1.6); on curved elements h is smaller, by
  their least Jacobian.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGSetCFL()`
@*/
PetscErrorCode PlexDGComputeTimeStep(PlexDG dg, Vec U, PetscReal *dt)
{
  const PetscScalar *u = NULL;
  PlexDGMesh         mesh;
  PetscReal          rate = 0., speed; /* c/h; c */
  PetscInt           size;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (U) PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscAssertPointer(dt, 3);
  PetscCall(PlexDGSetUp(dg));
  mesh = dg->mesh;
  size = dg->system->Nf * dg->reference->Np;
  if (U) PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscReal inverse = dg->quadrature ? dg->quadrature->rate[e] : PlexDGInverseRadius(mesh, e);

    speed = PlexDGGetSpeed(dg, e, u ? &u[(size_t)e * size] : NULL);
    if (!(speed >= 0. && speed < PETSC_INFINITY)) PetscCall(PlexDGBadSpeed(dg, e, speed));
    rate = PetscMax(rate, inverse * speed);
  }
  if (U) PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &rate, 1, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCheck(rate > 0. && rate < PETSC_INFINITY, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "System %s has the speed %g (divided by the radii of the elements), and no time step follows: set one with TSSetTimeStep()", dg->system->name, (double)rate);
  *dt = dg->cfl / rate * (dg->shore && !mesh->tensor && dg->degree == 1 ? 0.45 : mesh->tensor ? (mesh->dim == 2 ? 1.1 : 0.75) / PetscPowReal(dg->degree + 1, 1.6) : 1.6 / PetscPowReal(dg->degree + 1, 1.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}
