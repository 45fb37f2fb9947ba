/* The time step of explicit methods of nodal DG, and how often a TS checks it */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/*@
  PlexDGSetCFL - Sets the factor of the time step that is used by default

  Logically Collective

  Input Parameters:
+ dg  - the operator
- cfl - the factor, 1 if it is not set

  Options Database Key:
. -plex_dg_cfl factor - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGGetCFL()`, `PlexDGComputeTimeStep()`
@*/
PetscErrorCode PlexDGSetCFL(PlexDG dg, PetscReal cfl)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(cfl > 0. && cfl < PETSC_INFINITY, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "The factor of the time step has to be positive: %g", (double)cfl);
  dg->cfl = cfl;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetCFL - Gets the factor of the time step that is used by default

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. cfl - the factor

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetCFL()`
@*/
PetscErrorCode PlexDGGetCFL(PlexDG dg, PetscReal *cfl)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(cfl, 2);
  *cfl = dg->cfl;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetStabilityCheck - Sets how often a `TS` looks whether the state grows as it does with a time step beyond
  stability

  Logically Collective

  Input Parameters:
+ dg    - the operator
- steps - every so many steps, 50 if it is not set; 0 for never

  Options Database Key:
. -plex_dg_check_steps steps - likewise

  Level: intermediate

  Notes:
  `TSSolve()` stops with an error, which names likely causes, when the state is not finite at such a look or at the end;
  or has doubled and changes so fast that it is made of modes which the time step does not resolve, whatever that step
  is; or has grown tenfold from one look to the next three times in a row, with a time step longer than the default one,
  or to 1e12 times its size without slowing down. A source that sets in is no such thing.

.seealso: `PlexDG`, `PlexDGGetStabilityCheck()`, `PlexDGSetTS()`, `PlexDGComputeTimeStep()`
@*/
PetscErrorCode PlexDGSetStabilityCheck(PlexDG dg, PetscInt steps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(steps >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "The state cannot be looked at every %" PetscInt_FMT " steps: -plex_dg_check_steps 0 is never", steps);
  dg->checkSteps = steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetStabilityCheck - Gets how often a `TS` looks whether the state grows without bound

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. steps - time steps between two looks; 0: none

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetStabilityCheck()`
@*/
PetscErrorCode PlexDGGetStabilityCheck(PlexDG dg, PetscInt *steps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(steps, 2);
  *steps = dg->checkSteps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest value of a function of the system in element e with the state u[Nf][Np]; NULL: at rest */
static PetscReal PlexDGGetLargest(PlexDG   dg, double (*function)(const double[], const double[], const double[]),
                                  PetscInt e, const PetscScalar u[])
{
  const PlexDGHost *host                  = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscReal  *k                     = host->NK ? &dg->coefficients[e * host->NK] : NULL;
  const PetscInt    Np                    = dg->reference->Np;
  PetscReal         v[PLEX_DG_MAX_FIELDS] = {0.}, at[PLEX_DG_MAX_FIELDS * 4] = {0.}, largest;

  if (!u && !dg->variables) return (*function)(v, k, dg->actual);
  largest = 0.;
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal here;

    for (PetscInt f = 0; u && f < host->Nf; ++f) v[f] = PetscRealPart(u[f * Np + i]);
    for (PetscInt c = 0; dg->variables && c < host->NK; ++c)
      at[c * (1 + dg->mesh->dim)] = dg->variables[((size_t)e * host->NK + c) * Np + i];
    here = (*function)(v, dg->variables ? at : k, dg->actual);
    if (!(here <= largest)) largest = here; /* one that is no number stays */
    if (PetscIsNanReal(largest)) break;
  }
  return largest;
}

/* An error that names the element, where it is, and its coefficients */
static PetscErrorCode PlexDGBadSpeed(PlexDG dg, PetscInt e, const char what[], PetscReal speed)
{
  const PetscInt NK = dg->system->ncoefficients;
  char           text[64], cell[160], list[256] = "";

  PetscFunctionBegin;
  PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
  for (PetscInt k = 0; k < NK; ++k) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s = %g", k ? ", " : " with ", dg->system->coefficients[k].name,
                            (double)dg->coefficients[e * NK + k]));
    PetscCall(PetscStrlcat(list, text, sizeof(list)));
  }
  PetscCheck(!dg->system->gas, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The gas of system %s has no density and pressure that are positive in %s, and so no %s: %s",
             dg->system->name, cell, what,
             dg->captures
               ? "means of elements have to have both; see the initial state, which is to be that of the TS "
                 "before PlexDGSetTS(), and try shorter steps with -plex_dg_cfl 0.5"
               : "the initial state needs both, and is to be that of the TS before PlexDGSetTS(); shocks and "
                 "strong rarefactions need -plex_dg_shock_capturing, which keeps both positive");
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "System %s has the %s %g in %s%s: see PlexDGSetCoefficients()%s, and what the state is there",
          dg->system->name, what, (double)speed, cell, list,
          (dg->whole ? dg->whole : dg)->nmaterials ? ", PlexDGAddMaterial() and -plex_dg_material" : "");
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

/* The step at which an element of size 1 with speed 1 is stable */
static PetscReal PlexDGUnitStep(PlexDG dg)
{
  if (dg->shore && !dg->mesh->tensor && dg->degree == 1) return 0.45;
  return dg->mesh->tensor ? (dg->mesh->dim == 2 ? 1.1 : 0.75) / PetscPowReal(dg->degree + 1, 1.6)
                          : 1.6 / PetscPowReal(dg->degree + 1, 1.5);
}

/* The inverse of an element's size */
static PetscReal PlexDGInverseSize(PlexDG dg, PetscInt e)
{
  const PetscInt k = dg->curved ? PlexDGMeshCurvedIndex(dg->mesh, e) : -1;

  if (k >= 0) return dg->curved->rate[k];
  return dg->quadrature ? dg->quadrature->rate[e] : PlexDGInverseRadius(dg->mesh, e);
}

PetscReal PlexDGGetSpeedScale_Private(PlexDG dg, PetscInt e)
{
  return PlexDGInverseSize(dg, e) / PlexDGUnitStep(dg);
}

/* Rates of viscous fluxes are half of the largest eigenvalue h the size of an element, found by trying on
   meshes of all shapes, the worst of which are stretched: 0.8 (N + 1)^3.5/h^2, triangles 0.75 (N + 1)^3.1/h^2 */
PetscReal PlexDGGetViscousScale_Private(PlexDG dg)
{
  const PetscReal n = dg->degree + 1, unit = PlexDGUnitStep(dg);

  if (!dg->viscous) return 0.;
  return (dg->mesh->tensor ? 0.8 * PetscPowReal(n, 3.5) : 0.75 * PetscPowReal(n, 3.1)) * unit * unit;
}

/* Constants as kernels have them. Friction of a tsunami grows without bound with |v|/H: where drag_rate is 0, it is at
   most the inverse of the step of water at rest, so that this step is stable whatever velocities thin water gets later.
   It changes nothing where friction is resolved in time, and less the finer the mesh is. */
PetscErrorCode PlexDGSetUpConstants_Private(PlexDG dg)
{
  PlexDGSystem   system = dg->system;
  PlexDG         parts[2];
  const PetscInt n  = PlexDGGetParts(dg, parts);
  PetscInt       at = 0, drag = -1;
  PetscReal      rate = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < system->nconstants; at += system->constants[k++].n)
    if (system->water && !strcmp(system->constants[k].name, "drag_rate")) drag = at;
  for (PetscInt p = 0; p < n; ++p) {
    PetscCall(PetscMalloc1(at + PLEX_DG_MAX_RESISTANCES, &parts[p]->actual));
    PetscCall(PetscArraycpy(parts[p]->actual, dg->constants, at + PLEX_DG_MAX_RESISTANCES));
  }
  if (drag < 0 || dg->constants[drag] > 0.) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt p = 0; p < n; ++p) {
    PlexDG part = parts[p];

    for (PetscInt e = 0; e < part->mesh->Ne; ++e) {
      const PetscReal speed = PlexDGGetLargest(part, part->system->host[PLEX_PRECISION_DOUBLE]->speed, e, NULL);

      if (speed < PETSC_INFINITY) rate = PetscMax(rate, PlexDGInverseSize(part, e) * speed / PlexDGUnitStep(part));
    }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &rate, 1, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  for (PetscInt p = 0; p < n; ++p) parts[p]->actual[drag] = rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PLEX_DG_RATES_LEAST 256 /* elements a thread: all nodes of each are looked at */

/* The least time step: what loops over elements read and find */
typedef struct {
  PlexDG             dg;
  const PetscScalar *u;          /* [Ne][Nf][Np] NULL: the zero state */
  PetscBool          exact;      /* the decay counts for nothing */
  _Atomic PetscReal  largest[2]; /* c/s + r/2; r, PlexDGComputeTimeStep() */
  PlexLowest         bad;        /* the first element with a speed or rate that is none */
} PlexDGRates;

static inline PetscBool PlexDGIsRate(PetscReal rate)
{
  return (PetscBool)(rate >= 0. && rate < PETSC_INFINITY);
}

/* The rate of viscous fluxes in element e: the largest viscosity over the least inertia. Where the inertia is not
   positive, or varies by more than there is viscosity for, it has none */
static PetscReal PlexDGGetViscousRate(const PlexDGRates *r, PetscInt e)
{
  PlexDG             dg   = r->dg;
  const PlexDGHost  *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscReal   *k = host->NK ? &dg->coefficients[e * host->NK] : NULL, scale = PlexDGGetSpeedScale_Private(dg, e);
  const PetscInt     Np                    = dg->reference->Np;
  const PetscScalar *u                     = r->u ? &r->u[(size_t)e * (size_t)(host->Nf * Np)] : NULL;
  PetscReal          v[PLEX_DG_MAX_FIELDS] = {0.}, at[PLEX_DG_MAX_FIELDS * 4] = {0.}, most = 0., least = PETSC_MAX_REAL;

  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal inertia, viscosity;

    for (PetscInt f = 0; u && f < host->Nf; ++f) v[f] = PetscRealPart(u[f * Np + i]);
    for (PetscInt c = 0; dg->variables && c < host->NK; ++c)
      at[c * (1 + dg->mesh->dim)] = dg->variables[((size_t)e * host->NK + c) * Np + i];
    viscosity = (*host->viscosity)(v, dg->variables ? at : k, dg->actual, &inertia);
    if (inertia > 0.) {
      most  = PetscMax(most, viscosity);
      least = PetscMin(least, inertia);
    }
  }
  return PlexDGGetViscousScale_Private(dg) * scale * scale * most / least;
}

/* Speed and damping of an element */
static void PlexDGGetRates(const PlexDGRates *r, PetscInt e, PetscReal *speed, PetscReal *damping)
{
  PlexDG             dg   = r->dg;
  const PlexDGHost  *host = dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscScalar *here = r->u ? &r->u[(size_t)e * (size_t)(dg->system->Nf * dg->reference->Np)] : NULL;

  *speed   = PlexDGGetLargest(dg, host->speed, e, here);
  *damping = host->rate ? PlexDGGetLargest(dg, host->rate, e, here) : 0.;
  if (!r->exact) *damping += PlexDGDecayMost_Private(dg, e);
  *damping += PlexDGPMLDamping_Private(dg, e);
}

static void PlexDGRatesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGRates *r          = (PlexDGRates *)ctx;
  PetscReal    largest[2] = {0., 0.}, speed, damping;

  for (PetscInt e = begin; e < end; ++e) {
    PlexDGGetRates(r, e, &speed, &damping);
    if (!PlexDGIsRate(speed) || !PlexDGIsRate(damping)) PlexLowestPut(&r->bad, e);
    largest[0] = PetscMax(largest[0], PlexDGInverseSize(r->dg, e) * speed / PlexDGUnitStep(r->dg) +
                                        damping / PLEX_DG_DAMPING + (r->dg->viscous ? PlexDGGetViscousRate(r, e) : 0.));
    largest[1] = PetscMax(largest[1], damping);
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscReal now = atomic_load(&r->largest[k]);

    while (largest[k] > now && !atomic_compare_exchange_weak(&r->largest[k], &now, largest[k])) continue;
  }
}

PetscErrorCode PlexDGGetRates_Private(PlexDG dg, const PetscScalar u[], PetscBool exact, PetscReal rates[2],
                                      PetscInt *bad)
{
  PlexDGRates r = {.dg = dg, .u = u, .exact = exact};

  PetscFunctionBegin;
  PlexLowestInit(&r.bad, dg->mesh->Ne);
  for (PetscInt k = 0; k < 2; ++k) atomic_init(&r.largest[k], 0.);
  PetscCall(PlexThreadsRun(dg->mesh->Ne, PLEX_DG_RATES_LEAST, PlexDGRatesLoop, &r));
  *bad = PlexLowestGet(&r.bad);
  for (PetscInt k = 0; k < 2; ++k) rates[k] = atomic_load(&r.largest[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGBadRates(const PlexDGRates *r, PetscInt e)
{
  PetscReal speed, damping;

  PetscFunctionBegin;
  PlexDGGetRates(r, e, &speed, &damping);
  if (!PlexDGIsRate(speed)) PetscCall(PlexDGBadSpeed(r->dg, e, "speed", speed));
  PetscCall(PlexDGBadSpeed(r->dg, e, "rate of damping", damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexDGRates r;
  PetscReal  *rates;
} PlexDGEachRate;

static void PlexDGEachRateLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexDGEachRate *each = (PlexDGEachRate *)ctx;

  for (PetscInt e = begin; e < end; ++e) {
    PetscReal speed, damping;

    PlexDGGetRates(&each->r, e, &speed, &damping);
    if (!PlexDGIsRate(speed) || !PlexDGIsRate(damping)) PlexLowestPut(&each->r.bad, e);
    each->rates[e] = PlexDGGetSpeedScale_Private(each->r.dg, e) * speed + damping / PLEX_DG_DAMPING;
  }
}

PetscErrorCode PlexDGGetElementRates_Private(PlexDG dg, PetscReal rates[])
{
  PlexDGEachRate each = {.r = {.dg = dg}, .rates = rates};

  PetscFunctionBegin;
  PlexLowestInit(&each.r.bad, dg->mesh->Ne);
  PetscCall(PlexThreadsRun(dg->mesh->Ne, PLEX_DG_RATES_LEAST, PlexDGEachRateLoop, &each));
  if (PlexLowestGet(&each.r.bad) < dg->mesh->Ne) PetscCall(PlexDGBadRates(&each.r, PlexLowestGet(&each.r.bad)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGGetTimeStep_Private(PlexDG dg, Vec U, PetscBool exact, PetscReal *dt)
{
  const PetscScalar *u        = NULL;
  PetscReal          rates[2] = {0., 0.};
  PlexDG             parts[2];
  PetscInt           n, bad;

  PetscFunctionBegin;
  PetscCall(PlexDGSetUp(dg));
  if (U) PetscCall(PlexDGCheckVec_Private(dg, U));
  if (U) PetscCall(VecGetArrayRead(U, &u));
  n = PlexDGGetParts(dg, parts);
  for (PetscInt p = 0, at = 0; p < n; at += PlexDGGetLocalSize(parts[p++])) {
    const PetscScalar *v = U ? u + at : NULL;
    PetscReal          own[2];

    PetscCall(PlexDGCheckDepth_Private(parts[p], v));
    PetscCall(PlexDGGetRates_Private(parts[p], v, exact, own, &bad));
    if (bad < parts[p]->mesh->Ne)
      PetscCall(PlexDGBadRates(&(PlexDGRates){.dg = parts[p], .u = v, .exact = exact}, bad));
    for (PetscInt k = 0; k < 2; ++k) rates[k] = PetscMax(rates[k], own[k]);
  }
  if (U) PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, rates, 2, MPIU_REAL, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCheck(rates[0] > 0. && rates[0] < PETSC_INFINITY, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "System %s has the speed %g (divided by the radii of the elements), and no time step follows: set one "
             "with TSSetTimeStep()",
             dg->system->name, (double)rates[0]);
  rates[0]    = PetscMax(rates[0], PlexDGMemoryFrequency_Private(dg) / PLEX_DG_TURN);
  rates[0]    = PetscMax(rates[0], PlexDGImpedanceRate_Private(dg) / PLEX_DG_DAMPING);
  *dt         = dg->cfl / rates[0];
  dg->damping = rates[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGComputeTimeStep - Computes a time step with which explicit Runge-Kutta methods of order four are stable

  Collective

  Input Parameters:
+ dg - the operator
- U  - the state, whose speeds are taken; `NULL`: those of the zero state, which are the speeds of a linear system

  Output Parameter:
. dt - the step: the factor of `PlexDGSetCFL()` times the least of 1/(c/s + r/2), s = 1.6 h/(N + 1)^1.5, h the radius of
       the circle or sphere inside an element, c the element's largest speed and r the largest rate at which sources
       damp there

  Level: intermediate

  Notes:
  The power of N + 1 and the number were found by trying: with the upwind flux, on squares in 2 triangles and cubes in 6
  tetrahedra, the classical Runge-Kutta method becomes unstable at 1.1 to 1.3 times this step for all degrees. On
  irregular meshes longer steps are stable as well. Those of three stages and order three are stable with it, too, but on
  cubes in 6 tetrahedra with N = 1 and 2: `PlexDGSetTS()` gives them shorter steps there.

  On quadrilaterals s is 1.1 h/(N + 1)^1.6, h the radius of the circle inside a square, on hexahedra 0.75 h/(N + 1)^1.6;
  on curved elements h is smaller, by their least Jacobian.

  r is what functions `dg_rate()` and `dg_decay()` of a system's header say: friction of `tsunami`, sigma/epsilon of
  `maxwell`. A header without them has no sources that damp. A `TSPLEXLOWSTORAGE` takes what `dg_decay()` says exactly,
  so that the step which `PlexDGSetTS()` gives it is longer, without that part of r.

  Viscous fluxes add nu 0.8 (N + 1)^3.5/h^2, on triangles nu 0.75 (N + 1)^3.1/h^2, to 1/(step), with nu the largest
  `dg_viscosity()` over the least inertia of the element.

  Memory variables, `PlexDGAddDispersion()`, which oscillate by themselves with frequencies up to w, make the step 1.7/w
  at most: w is the plasma frequency over sqrt(epsilon) of a Drude pole, for one. Rates of theirs count for nothing. Those of
  a conductor of the boundary, `PlexDGAddBoundary()`, make the step 2/p at most, p its largest pole, of some 10 times the
  largest frequency of its band.

  Water that is not deeper than 0 somewhere, at a node or between nodes, is an error that names the cell, unless
  elements may fall dry, constant `dry`.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGSetCFL()`
@*/
PetscErrorCode PlexDGComputeTimeStep(PlexDG dg, Vec U, PetscReal *dt)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (U) PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscAssertPointer(dt, 3);
  PetscCall(PlexDGGetTimeStep_Private(dg, U, PETSC_FALSE, dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}
