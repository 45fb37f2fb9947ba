/*
  Shock capturing: after each stage the elements at a shock become monotone, and no others change.

  - Limited variables w are the fields; of water that is not linear elevation eta and velocities q/H, so that a lake at
    rest stays and thin water gets no high velocities.
  - Bounds of w are the range of the means in an element, its neighbours and theirs: with these around a vertex, linear
    functions are within.
  - An element is at a shock where w_0 at its nodes is beyond its bounds, and at a face the means of w_0 from both sides
    differ: by more than a quarter of what is beyond, and by more than a twentieth of the range of the means of the
    element and its neighbours; or where it is beyond by more than half the range of its bounds. At a smooth extremum of
    size h^2 a polynomial of degree N has jumps of order h^(N+1), at a shock both are its strength. (Krivodonova et al.,
    Appl. Numer. Math. 48 (2004), compare jumps with powers of h, which has a unit.) So is an element whose water is not
    deeper than 0 at a node or point.
  - There each field, less its mean, is multiplied by the largest share <= 1 with which w stays in its bounds, at all nodes
    and at the points of the element and of its faces (Zhang and Shu, J. Comput. Phys. 229 (2010), with bounds that are
    local). Of a discharge the mean velocity times H stays, whose mean is that of the discharge. So means do not change,
    and those of forward Euler steps of monotone fluxes stay in bounds; `ssp3` is a mean of such steps.
  - Velocities alone are limited likewise where the means of elevation around differ by more than a tenth of the depth:
    where a front is within an element, q/H of two polynomials is no velocity.
  - A gas: w are density, velocity and pressure. Its smooth flows have extrema and small noise that are no shocks, so that
    an element is at one where a jump of the density is more than a share of it, and of the range of the means of the element
    and its neighbours, beyond which the density is (cuda/dg/shock_gas.h). Bounds have room for what is small: rounding of a
    velocity that is 0 would else limit all fields. All fields take the least share of all of w: velocity and pressure are no polynomials,
    but u(share) = mean + share (u - mean) has velocities and pressures within bounds where polynomials of degree 1 and 2
    of the share are positive. Elsewhere density and pressure are kept above a hundredth of what they are in the mean.
  - At the boundary velocities may be 0. Water that is not deeper than `dry` is no neighbour, and elements that are partly
    dry are left to shore.c.

  Between processes, and the parts of a mixed mesh, travel the records of the elements at either side of a face, and then
  the range of the means of these and their neighbours.

  The work on an element is in cuda/dg/shock.h, for the host and for kernels.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_SHOCK_FUNCTION static inline
#include <dg/shock.h>

#define PLEX_SHOCK_THREADS 128
#define PLEX_SHOCK_TILE    3072 /* numbers in shared memory of a block, or those of one element: 8 blocks fit */

struct _n_PlexDGShock {
  PlexDGShockArgs args;
  PlexDGExchange  exchange; /* of all parts, in the first one; NULL: one process, one part */
  PlexModule      module;
  PlexKernel      record, pack, limit;
};

static PetscErrorCode PlexDGShockCheck(PlexDG dg)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);
  PlexDG   parts[2];

  PetscFunctionBegin;
  (void)PlexDGGetParts(dg, parts);
  PetscCheck(parts[0]->quadrature, comm, PETSC_ERR_SUP,
             "Shock capturing is for DG with quadrature: use -plex_dg_discretization quadrature, or leave "
             "-plex_dg_shock_capturing out");
  PetscCheck(PlexDGWaterConstant_Private(dg, "linear") <= 0.5, comm, PETSC_ERR_ARG_INCOMP,
             "The linear equations of water have no shocks: leave -plex_dg_shock_capturing out, or use "
             "-plex_dg_linear 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Means of elements from values at nodes, [Np], or [Ne][Np] where det J varies */
static PetscErrorCode PlexDGShockWeights(PlexDG dg, const double **weights, PetscReal **host)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = dg->reference->Np, n = Q->affine ? 1 : dg->mesh->Ne;
  PetscReal       *w;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)n * Np, &w));
  for (PetscInt e = 0; e < n; ++e) {
    PetscReal volume = 0.;

    for (PetscInt g = 0; g < Q->NG; ++g) {
      const PetscReal here = Q->weights[g] * (Q->affine ? 1. : Q->detJ[(size_t)e * Q->NG + g]);

      volume += here;
      for (PetscInt i = 0; i < Np; ++i) w[(size_t)e * Np + i] += here * Q->phi[g * Np + i];
    }
    for (PetscInt i = 0; i < Np; ++i) w[(size_t)e * Np + i] /= volume;
  }
  PetscCall(PlexDGUpload(dg, w, sizeof(double) * n * Np, (const void **)weights));
  *host = w;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Basis functions at the points of elements and faces, and means on a face */
static PetscErrorCode PlexDGShockTables(PlexDG dg, PlexDGShockArgs *a, PetscReal **checks)
{
  PlexDGQuadrature Q  = dg->quadrature;
  PlexDGReference  R  = dg->reference;
  const PetscInt   Np = R->Np, Nfp = R->Nfp, n = Q->NG + R->faces * Q->MG;
  PetscReal       *points, *along, sum         = 0.;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * R->dim, &points, Nfp, &along));
  PetscCall(PetscMalloc1(n * Np, checks));
  PetscCall(PlexDGTabulatePoints_Private(dg, PETSC_FALSE, points, *checks, &a->most));
  for (PetscInt g = 0; g < Q->MG; ++g) sum += Q->faceWeights[g];
  for (PetscInt m = 0; m < Nfp; ++m) {
    along[m] = 0.;
    for (PetscInt g = 0; g < Q->MG; ++g) along[m] += Q->faceWeights[g] * Q->psi[g * Nfp + m] / sum;
  }
  a->checked = (int)n;
  PetscCall(PlexDGUpload(dg, *checks, sizeof(double) * n * Np, (const void **)&a->checks));
  PetscCall(PlexDGUpload(dg, along, sizeof(double) * Nfp, (const void **)&a->along));
  PetscCall(PetscFree2(points, along));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Depth at rest, its means and its least values */
static PetscErrorCode PlexDGShockDepth(PlexDG dg, PlexDGShockArgs *a, const PetscReal weights[],
                                       const PetscReal checks[])
{
  const PetscInt Np = dg->reference->Np, NK = dg->system->ncoefficients, Ne = dg->mesh->Ne;
  PetscReal     *depth, *deep, *rest;

  PetscFunctionBegin;
  if (!dg->system->water) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3((size_t)Ne * Np, &depth, Ne, &deep, Ne, &rest));
  for (PetscInt e = 0; e < Ne; ++e) {
    const PetscReal *d = &dg->variables[(size_t)e * NK * Np];

    PetscCall(PetscArraycpy(&depth[(size_t)e * Np], d, Np));
    deep[e] = PlexDGLeast_Private(Np, a->checked, checks, d);
    rest[e] = 0.;
    for (PetscInt i = 0; i < Np; ++i) rest[e] += weights[(dg->quadrature->affine ? 0 : (size_t)e * Np) + i] * d[i];
  }
  PetscCall(PlexDGUpload(dg, depth, sizeof(double) * Ne * Np, (const void **)&a->depth));
  PetscCall(PlexDGUpload(dg, deep, sizeof(double) * Ne, (const void **)&a->deep));
  PetscCall(PlexDGUpload(dg, rest, sizeof(double) * Ne, (const void **)&a->rest));
  PetscCall(PetscFree3(depth, deep, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an operator without parts, but for what travels */
static PetscErrorCode PlexDGShockCreate(PlexDG dg, PlexDGShock *shock)
{
  PlexDGMesh       mesh = dg->mesh;
  PlexDGReference  R    = dg->reference;
  PlexDGShock      s;
  PlexDGShockArgs *a;
  PetscReal       *weights = NULL, *checks = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *shock     = s;
  a          = &s->args;
  a->Ne      = (int)mesh->Ne;
  a->nghosts = (int)mesh->nghosts;
  a->NF      = (int)dg->system->Nf;
  a->NP      = (int)R->Np;
  a->NFP     = (int)R->Nfp;
  a->FACES   = (int)R->faces;
  a->gamma   = dg->system->gas ? dg->constants[0] : 0.;
  a->weakest = dg->degree == 1 ? 0.02 : 0.008;
  a->RECORD  = a->NF + 2 + a->FACES + (dg->system->gas ? 1 : 0);
  a->TURNS   = (int)mesh->turns;
  a->affine  = dg->quadrature->affine;
  a->dry     = PetscMax(0., PlexDGWaterConstant_Private(dg, "dry"));
  a->links   = dg->args.links;
  a->tile    = PetscMax(1, PetscMin(PLEX_SHOCK_THREADS, PLEX_SHOCK_TILE / (a->NF * a->NP + 1 + a->RECORD)));
  PetscCall(PlexDGUpload(dg, mesh->sent, sizeof(int) * mesh->nghosts, (const void **)&a->sent));
  PetscCall(PlexDGUpload(dg, R->faceNodes, sizeof(int) * R->faces * R->Nfp, (const void **)&a->faceNodes));
  PetscCall(PlexDGShockWeights(dg, &a->weights, &weights));
  PetscCall(PlexDGShockTables(dg, a, &checks));
  PetscCall(PlexDGShockDepth(dg, a, weights, checks));
  PetscCall(PetscFree(checks));
  PetscCall(PetscFree(weights));
  PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * mesh->Ne * a->RECORD, (void **)&a->records));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/shock.cu", &s->module));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_shock_record", &s->record));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_shock_pack", &s->pack));
  PetscCall(PlexModuleGetKernel(s->module, "plex_dg_shock_limit", &s->limit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShockCreate_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts), trace = PLEX_SHOCK_TRACE(dg->system->Nf);
  void          *out, *in;

  PetscFunctionBegin;
  PetscCall(PlexDGShockCheck(dg));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGShockCreate(parts[k], &parts[k]->shock));
  if (!dg->exchange) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGExchangeCreate_Private(dg, trace, PLEX_PRECISION_DOUBLE, &parts[0]->shock->exchange));
  PlexDGExchangeGetArrays_Private(parts[0]->shock->exchange, &out, &in);
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGShockArgs *a = &parts[k]->shock->args;

    a->out  = (double *)out + (size_t)parts[k]->start * trace;
    a->in   = (double *)in + (size_t)parts[k]->start * trace;
    a->nmet = (int)parts[k]->mesh->nmet;
    if (n > 1) a->met = (double *)in + (size_t)parts[1 - k]->start * trace;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShockDestroy_Private(PlexBackend backend, PlexDGShock *shock)
{
  PlexDGShock s = *shock;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&s->module));
  PetscCall(PlexDGExchangeDestroy_Private(&s->exchange));
  PetscCall(PlexBackendFree(backend, (void **)&s->args.records));
  PetscCall(PetscFree(*shock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGShockLaunch(PlexKernel kernel, int n, void *arguments[])
{
  PetscFunctionBegin;
  if (n)
    PetscCall(PlexKernelLaunch(kernel, (n + PLEX_SHOCK_THREADS - 1) / PLEX_SHOCK_THREADS, PLEX_SHOCK_THREADS, 0,
                               arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The record of element e, on the host */
static void PlexDGShockRecord(const PlexDGShockArgs *a, int e, const void *u, int single)
{
  const long long at     = (long long)e * (a->NF * a->NP);
  double         *record = a->records + (long long)e * a->RECORD;

  for (int k = 0; k < a->NF; ++k) record[k] = plex_shock_mean(a, e, k, u, single, at);
  plex_shock_extremes(a, u, single, at, record + a->NF);
  for (int f = 0; f < a->FACES; ++f) record[a->NF + 2 + f] = plex_shock_edge(a, f, u, single, at);
  if (a->gamma > 0) record[a->RECORD - 1] = plex_gas_is_safe(a, e, u, single, at);
  plex_shock_limited(a, e, record);
}

/* Records travel, or the rings that are made of them */
static PetscErrorCode PlexDGShockExchange(PetscInt n, const PlexDG parts[], int rings)
{
  PlexDGExchange exchange = parts[0]->shock->exchange;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGShock s           = parts[k]->shock;
    void       *arguments[] = {&s->args, &rings};

    if (s->pack) PetscCall(PlexDGShockLaunch(s->pack, s->args.nghosts, arguments));
    else
      for (int g = 0; g < s->args.nghosts; ++g) plex_shock_pack(&s->args, g, rings);
  }
  PetscCall(PlexDGExchangePacked_Private(exchange));
  PetscCall(PlexDGExchangeSend_Private(exchange));
  PetscCall(PlexDGExchangeReceive_Private(exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records of the elements of an operator without parts */
static PetscErrorCode PlexDGShockRecordAll(PlexDG dg, void *u, int single)
{
  PlexDGShock s           = dg->shock;
  void       *arguments[] = {&s->args, &u, &single};

  PetscFunctionBegin;
  if (s->record && s->args.Ne)
    PetscCall(PlexKernelLaunch(s->record, (s->args.Ne + s->args.tile - 1) / s->args.tile, PLEX_SHOCK_THREADS,
                               sizeof(double) * s->args.tile * ((s->args.NF * s->args.NP | 1) + s->args.RECORD),
                               arguments));
  if (!s->record)
    for (int e = 0; e < s->args.Ne; ++e) PlexDGShockRecord(&s->args, e, u, single);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise what becomes of them */
static PetscErrorCode PlexDGShockLimitAll(PlexDG dg, void *u, int single)
{
  PlexDGShock s           = dg->shock;
  void       *arguments[] = {&s->args, &u, &single};

  PetscFunctionBegin;
  if (s->limit) PetscCall(PlexDGShockLaunch(s->limit, s->args.Ne, arguments));
  else
    for (int e = 0; e < s->args.Ne; ++e) plex_shock_limit(&s->args, e, u, single);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGShockLimit_Private(PlexDG dg, void *u, PetscBool isSingle)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PlexDGShockRecordAll(parts[k], PlexDGPartsGetArray(parts, k, u, isSingle), isSingle));
  for (int rings = 0; rings < 2 && parts[0]->shock->exchange; ++rings) PetscCall(PlexDGShockExchange(n, parts, rings));
  for (PetscInt k = 0; k < n; ++k)
    PetscCall(PlexDGShockLimitAll(parts[k], PlexDGPartsGetArray(parts, k, u, isSingle), isSingle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetShockCapturing - Sets whether elements at shocks are made monotone after each stage

  Logically Collective

  Input Parameters:
+ dg      - the operator
- capture - `PETSC_TRUE`: bores, dam breaks and other shocks stay within the bounds of the means around them; default:
            `PETSC_FALSE`

  Options Database Key:
. -plex_dg_shock_capturing (true|false) - likewise

  Level: intermediate

  Notes:
  For DG with quadrature, of systems that are not linear. Means of elements do not change, nor do elements whose jumps
  to their neighbours are small beside the differences of the means there: src/dg/interface/shock.c, with sources. Of a gas,
  system `euler`, density and pressure stay positive everywhere as well.

  As wetting and drying does it takes a method whose stages are means of forward Euler steps, ssp3 of
  `TSPLEXLOWSTORAGE`, which `PlexDGSetTS()` sets where no type is set; see there.

.seealso: `PlexDG`, `PlexDGGetShockCapturing()`, `PlexDGLimit()`, `PlexDGSetTS()`, `PlexDGSetDiscretization()`
@*/
PetscErrorCode PlexDGSetShockCapturing(PlexDG dg, PetscBool capture)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidLogicalCollectiveBool(dg, capture, 2);
  if (capture != dg->captures) PetscCall(PlexDGReset(dg));
  dg->captures = capture;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetShockCapturing - Gets whether elements at shocks are made monotone after each stage

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. capture - what `PlexDGSetShockCapturing()` has set

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetShockCapturing()`
@*/
PetscErrorCode PlexDGGetShockCapturing(PlexDG dg, PetscBool *capture)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(capture, 2);
  *capture = dg->captures;
  PetscFunctionReturn(PETSC_SUCCESS);
}
