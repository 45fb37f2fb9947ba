static char help[] = "Shallow water over random bathymetry on random meshes: energy does not grow, nothing becomes "
                     "infinite, water is kept.\n\n"
                     "  -first n   number of the first case (0); a number says all of a case\n"
                     "  -count n   cases (12)\n"
                     "  -steps n   time steps of each (100)\n"
                     "  -verbose   a line for each case\n\n"
                     "Without -first and -count, besides: cases in which it was not so once.\n\n";

#include "dg/interface/dgimpl.h"
#include "waterproblem.h"
#include "report.h"

#define PLEX_SHORE_FUNCTION static inline
#include <dg/shore.h>

#define RASTER 9 /* values along a side */

typedef enum {
  WET,    /* nonlinear, water everywhere */
  LINEAR, /* likewise, the linear equations */
  SHORE,  /* land that falls dry and is flooded */
  REST,   /* a lake with islands, at any level */
  KINDS
} Kind;
static const char *const Kinds[] = {"wet", "linear", "shore", "rest"};

typedef struct {
  PetscInt      number, N, cells, steps;
  Kind          kind;
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscReal     size, depth, relief; /* of the mesh; the mean depth, and how much it varies */
  PetscReal     height, level, dry;  /* of waves; of a lake */
  PetscReal     raster[RASTER][RASTER];
  PetscReal     wave[3][RASTER][RASTER];
  PetscReal     energy[2];                  /* first and last */
  PetscReal     growth, above, mass, moved; /* of energy in a step, and above the first one; relative */
  PetscInt      done;                       /* steps */
  PetscReal     first;                      /* integral of eta, and of H */
  PetscReal     volume;
  PlexDG        dg;
  Vec           rest;
} Case;

/* Numbers of splitmix64 in [0, 1): the same on all machines */
static PetscReal Random(unsigned long long *state)
{
  unsigned long long z = *state += 0x9e3779b97f4a7c15ULL;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (PetscReal)((z ^ (z >> 31)) >> 11) / 9007199254740992.;
}

static PetscReal RandomLog(unsigned long long *state, PetscReal low, PetscReal high)
{
  return low * PetscPowReal(high / low, Random(state));
}

static void Describe(PetscInt number, PetscInt steps, Case *c)
{
  unsigned long long state = 7919 * (unsigned long long)number + 1;

  *c                = (Case){.number = number, .steps = steps};
  c->kind           = (Kind)(number % KINDS);
  c->N              = 1 + number / KINDS % 4;
  c->quadrilaterals = (PetscBool)(Random(&state) < 0.5);
  c->shape          = (PlexTestShape)(3. * Random(&state));
  c->cells          = 2 + (PetscInt)(3. * Random(&state));
  c->size           = RandomLog(&state, 1., 1e5);
  c->depth          = c->size * RandomLog(&state, 1e-3, 0.1);
  c->relief         = c->kind == SHORE || c->kind == REST ? 1. + Random(&state) : 1. - RandomLog(&state, 0.01, 0.5);
  c->height         = c->depth * (c->kind == WET ? 0.3 * (1. - c->relief) : 0.5 * Random(&state));
  c->level          = c->depth * (2. * Random(&state) - 1.);
  c->dry            = c->kind == SHORE || c->kind == REST ? c->depth * RandomLog(&state, 1e-5, 1e-2) : 0.;
  for (PetscInt i = 0; i < RASTER; ++i)
    for (PetscInt j = 0; j < RASTER; ++j) {
      c->raster[i][j] = c->depth * (1. + c->relief * (2. * Random(&state) - 1.));
      for (PetscInt k = 0; k < 3; ++k) c->wave[k][i][j] = 2. * Random(&state) - 1.;
    }
}

/* Bilinear in a square that holds all shapes */
static PetscReal Evaluate(const Case *c, const PetscReal raster[RASTER][RASTER], const PetscReal x[])
{
  PetscReal at[2], f[2];
  PetscInt  i[2];

  for (PetscInt d = 0; d < 2; ++d) {
    at[d] = (x[d] / c->size / 2.02 + 0.002) * (RASTER - 1);
    if (c->shape != PLEX_TEST_CURVED) at[d] *= 1.9;
    i[d] = PetscClipInterval((PetscInt)PetscFloorReal(at[d]), 0, RASTER - 2);
    f[d] = PetscClipInterval(at[d] - (PetscReal)i[d], 0., 1.);
  }
  return (1. - f[0]) * ((1. - f[1]) * raster[i[0]][i[1]] + f[1] * raster[i[0]][i[1] + 1]) +
         f[0] * ((1. - f[1]) * raster[i[0] + 1][i[1]] + f[1] * raster[i[0] + 1][i[1] + 1]);
}

static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = Evaluate((const Case *)ctx, ((const Case *)ctx)->raster, x);
  if (n == 3) {
    k[1] = 0.;
    k[2] = 1.;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode State(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Case *c = (const Case *)ctx;

  PetscFunctionBegin;
  u[0] = c->kind == REST ? c->level : c->height * Evaluate(c, c->wave[0], x);
  for (PetscInt d = 0; d < 2; ++d)
    u[1 + d] = c->kind == REST ? 0. : c->height * PetscSqrtReal(9.81 * c->depth) * 0.3 * Evaluate(c, c->wave[1 + d], x);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh: vertices of the unit square are moved at random, then all is scaled */
static PetscErrorCode Mesh(const Case *c, DM *dm)
{
  unsigned long long state = 104729 * (unsigned long long)c->number + 5;
  Vec                coordinates;
  PetscScalar       *x;
  PetscInt           size;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_SELF, c->quadrilaterals, c->shape, c->cells, PetscMin(c->N, 2), dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < size; ++i)
    x[i] = c->size *
           (x[i] + (c->shape == PLEX_TEST_STRAIGHT ? 0.25 / (PetscReal)c->cells * (Random(&state) - 0.5) : 0.));
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Case *c, PlexDG *dg)
{
  const PetscReal one = 1.;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(Mesh(c, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, c->kind == LINEAR ? "tsunami" : "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  if (c->kind == LINEAR) PetscCall(PlexDGSetConstant(*dg, "linear", 1, &one));
  PetscCall(PlexDGSetConstant(*dg, "dry", 1, &c->dry));
  PetscCall(PlexDGSetCoefficients(*dg, Depth, (void *)c));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a point of the operator, in the element e */
static PetscReal Weight(PlexDGQuadrature Q, PetscInt e, PetscInt g)
{
  return Q->weights[g] * (Q->affine ? Q->detJ[e] : Q->detJ[(size_t)e * Q->NG + g]);
}

/* Integral of the depth at rest of water, or 0 on land */
static PetscErrorCode Volume(PlexDG dg, Vec U, PetscReal *volume)
{
  PlexDGQuadrature   Q  = dg->quadrature;
  const PetscInt     Np = dg->reference->Np, NK = dg->system->ncoefficients;
  const PetscScalar *u;

  PetscFunctionBegin;
  *volume = 0.;
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt g = 0; g < Q->NG; ++g) {
      PetscReal H = 0.;

      for (PetscInt i = 0; i < Np; ++i)
        H += Q->phi[g * Np + i] * (dg->variables[(size_t)e * NK * Np + i] + PetscRealPart(u[(size_t)e * 3 * Np + i]));
      *volume += Weight(Q, e, g) * PetscMax(H, 0.);
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions that are 1 at a vertex and 0 at the others; returns how many */
static int Linear(PetscBool tensor, const PetscReal r[], PetscReal linear[])
{
  for (int v = 0; v < 4; ++v)
    linear[v] = tensor ? (1. + (v % 3 ? r[0] : -r[0])) * (1. + (v > 1 ? r[1] : -r[1])) / 4.
              : v < 3  ? (1. + (v == 0 ? -1. - r[0] - r[1] : r[v - 1])) / 2.
                       : 0.;
  return tensor ? 4 : 3;
}

/* Potential energy of an element that may fall dry. With g eta^2/2 the slope up to land would count, which is none of
   water, and no lake at rest would have the least of its volume (shore.c). So it is, of water of the volume V,

     g/2 (integral of (eta - R)^2 + sum over vertices v of share[v] (R[v] (2 eta[v] - R[v]) - min(d[v], 0)^2))

   R linear, at a vertex how far its land rises above the level L that V would have in the element, else 0; share[v]: the
   integral of the function that is 1 at v and 0 at the others. Water at v above the land adds g R[v] times its share:
   films on land have weight. What is subtracted is that of dry land. Where all nodes are wet R is 0: there water has
   g eta^2/2, which is proved not to grow, wherever its level would be.

   As eta[v] >= -d[v], and the integral of (eta - R)^2 is at least that of its mean, which is L, the least is at the
   level L. With V it changes by g L dV: of many elements, a lake at rest has the least. */
static PetscReal Potential(const Case *c, PetscInt e, const PetscReal d[], const PetscScalar u[])
{
  PlexDGQuadrature Q = c->dg->quadrature;
  PlexDGReference  R = c->dg->reference;
  PetscReal        linear[4], depth[4], eta[4], share[4] = {0.}, V = 0., twice = 0., level;
  PetscBool        wet = PETSC_TRUE;
  int              nv  = 0;

  for (PetscInt i = 0; i < R->Np; ++i) {
    if (!(d[i] + PetscRealPart(u[i]) >= c->dry)) wet = PETSC_FALSE;
    nv = Linear(R->tensor, &R->r[2 * i], linear);
    for (int v = 0; v < nv; ++v)
      if (linear[v] > 1. - 1e-9) {
        depth[v] = d[i];
        eta[v]   = PetscRealPart(u[i]);
      }
  }
  for (PetscInt g = 0; g < Q->NG; ++g) {
    const PetscReal w = Weight(Q, e, g);

    Linear(R->tensor, &Q->points[2 * g], linear);
    for (PetscInt i = 0; i < R->Np; ++i) V += w * Q->phi[g * R->Np + i] * (d[i] + PetscRealPart(u[i]));
    for (int v = 0; v < nv; ++v) share[v] += w * linear[v];
  }
  level = wet ? PETSC_MAX_REAL : plex_shore_level(nv, depth, share, V);
  for (PetscInt g = 0; g < Q->NG; ++g) {
    PetscReal off = 0.;

    Linear(R->tensor, &Q->points[2 * g], linear);
    for (PetscInt i = 0; i < R->Np; ++i) off += Q->phi[g * R->Np + i] * PetscRealPart(u[i]);
    for (int v = 0; v < nv; ++v) off -= linear[v] * PetscMax(-depth[v] - level, 0.);
    twice += Weight(Q, e, g) * off * off;
  }
  for (int v = 0; v < nv; ++v) {
    const PetscReal rise = PetscMax(-depth[v] - level, 0.);

    twice += share[v] * (rise * (2. * eta[v] - rise) - PetscSqr(PetscMin(depth[v], 0.)));
  }
  return 9.81 / 2. * twice;
}

/* The energy in the points of the operator, in which it does not grow. That of PlexDGComputeEnergy() is by others, which
   differ where bottoms are rough */
static PetscErrorCode Energy(const Case *c, Vec U, PetscReal *energy)
{
  PlexDGQuadrature   Q    = c->dg->quadrature;
  const PlexDGHost  *host = c->dg->system->host[PLEX_PRECISION_DOUBLE];
  const PetscInt     Np = c->dg->reference->Np, NK = c->dg->system->ncoefficients;
  const PetscScalar *u;

  PetscFunctionBegin;
  *energy = 0.;
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < c->dg->mesh->Ne; ++e) {
    const PetscReal   *d  = &c->dg->variables[(size_t)e * NK * Np];
    const PetscScalar *ue = &u[(size_t)e * 3 * Np];

    if (c->kind == SHORE) *energy += Potential(c, e, d, ue);
    for (PetscInt g = 0; g < Q->NG; ++g) {
      PetscReal k[9] = {0.}, v[3] = {0., 0., 0.}, rest[3] = {0., 0., 0.}, density;

      for (PetscInt i = 0; i < Np; ++i) {
        k[0] += Q->phi[g * Np + i] * d[i];
        for (PetscInt f = 0; f < 3; ++f) v[f] += Q->phi[g * Np + i] * PetscRealPart(ue[f * Np + i]);
      }
      rest[0] = v[0];
      density = (*host->energy)(v, k, c->dg->constants);
      if (c->kind == SHORE) density -= (*host->energy)(rest, k, c->dg->constants); /* the kinetic one */
      *energy += Weight(Q, e, g) * density;
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Discharges divided by the speed of waves: a depth of water, too */
static PetscErrorCode Scale(const Case *c, Vec U)
{
  const PetscInt Np = c->dg->reference->Np;
  PetscScalar   *u;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(U, &n));
  PetscCall(VecGetArray(U, &u));
  for (PetscInt i = 0; i < n; ++i) u[i] /= i / Np % 3 ? PetscSqrtReal(9.81 * c->depth) : 1.;
  PetscCall(VecRestoreArray(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Case     *c = (Case *)ctx;
  PetscReal energy, integrals[3], norm;

  PetscFunctionBegin;
  if (step < 0) PetscFunctionReturn(PETSC_SUCCESS);
  c->done = step;
  if (c->kind == REST && step % 10 == 0) {
    Vec change;

    PetscCall(VecDuplicate(U, &change));
    PetscCall(VecCopy(U, change));
    PetscCall(VecAXPY(change, -1., c->rest));
    PetscCall(Scale(c, change));
    PetscCall(VecNorm(change, NORM_INFINITY, &norm));
    PetscCall(VecDestroy(&change));
    c->moved = PetscMax(c->moved, norm / c->depth);
  }
  PetscCall(Energy(c, U, &energy));
  PetscCall(PlexDGComputeIntegrals(c->dg, U, integrals));
  if (!step) {
    c->energy[0] = c->energy[1] = energy;
    c->first                    = integrals[0];
    PetscCall(Volume(c->dg, U, &c->volume));
  }
  c->growth    = PetscMax(c->growth, (energy - c->energy[1]) / c->energy[0]);
  c->above     = PetscMax(c->above, (energy - c->energy[0]) / c->energy[0]);
  c->energy[1] = energy;
  c->mass      = PetscMax(c->mass, PetscAbsReal(integrals[0] - c->first) / c->volume);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(void *ctx)
{
  Case *c = (Case *)ctx;
  Vec   U;
  TS    ts;

  PetscFunctionBegin;
  PetscCall(Create(c, &c->dg));
  PetscCall(PlexDGCreateVec(c->dg, &U));
  PetscCall(PlexDGProject(c->dg, 0., State, c, U));
  PetscCall(VecDuplicate(U, &c->rest));
  PetscCall(VecCopy(U, c->rest));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(c->dg, ts));
  PetscCall(TSMonitorSet(ts, Monitor, c, NULL));
  PetscCall(TSSetMaxSteps(ts, c->steps));
  PetscCall(TSSetMaxTime(ts, 1e30));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&c->rest));
  PetscCall(PlexDGDestroy(&c->dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(PetscInt number, PetscInt steps, PetscBool verbose)
{
  Case           c;
  char           of[160], text[1024];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  Describe(number, steps, &c);
  PetscCall(PlexTestTry(Run, &c, &ierr, text, sizeof(text)));
  PetscCall(PetscSNPrintf(of, sizeof(of),
                          "%" PetscInt_FMT ": %s, %s %s, degree %" PetscInt_FMT ", %" PetscInt_FMT " cells a side",
                          number, Kinds[c.kind], PlexTestShapes[c.shape], c.quadrilaterals ? "squares" : "triangles",
                          c.N, c.cells));
  if (verbose)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "# %s: %" PetscInt_FMT
                          " steps, energy %g to %g, grown %.2g, above %.2g, mass %.2g, moved %.2g\n",
                          of, c.done, (double)c.energy[0], (double)c.energy[1], (double)c.growth, (double)c.above,
                          (double)c.mass, (double)c.moved));
  PetscCall(PlexTestReportOf((PetscBool)(!ierr && c.done == steps), of, "it runs", "%" PetscInt_FMT " steps, %.800s",
                             c.done, text));
  if (ierr) PetscFunctionReturn(PETSC_SUCCESS);
  /* Where elements fall dry that is not proved */
  PetscCall(PlexTestReportOf((PetscBool)(c.growth <= 1e-12), of, "energy does not grow", "from %g by %g",
                             (double)c.energy[0], (double)c.growth));
  PetscCall(PlexTestReportOf((PetscBool)(c.mass <= 1e-13), of, "water is kept", "%g of it is not", (double)c.mass));
  if (c.kind == REST)
    PetscCall(PlexTestReportOf((PetscBool)(c.moved <= 1e-12), of, "a lake stays at rest", "moved by %g of its depth",
                               (double)c.moved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  first = 0, count = 12, steps = 100;
  PetscBool verbose = PETSC_FALSE, set[2];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-first", &first, &set[0]));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-count", &count, &set[1]));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  for (PetscInt k = first; k < first + count; ++k) PetscCall(Test(k, steps, verbose));
  if (!set[0] && !set[1]) {
    PetscCall(Test(30, 1000, verbose)); /* thin water in a corner became so fast that steps were rejected */
    PetscCall(Test(86, 100, verbose));  /* a film on a cliff pushed the sea below: 120 times the energy */
    PetscCall(Test(130, 100, verbose)); /* films on land were lifted at no cost: 0.17 times the energy in a step, */
    PetscCall(Test(166, 100, verbose)); /* 0.4 times, */
    PetscCall(Test(518, 100, verbose)); /* 0.08 times */
    PetscCall(Test(198, 500, verbose)); /* mass was lost, as sides of faces between land and water were not the same */
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
