static char
  help[] = "Sources of Maxwell's equations that do not depend on the state: an incident wave on a surface inside "
           "the mesh, and dipoles.\n\n";

#include "dgproblem.h"
#include "report.h"

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

#define WAVES 4
static const struct {
  const char *name;
  PetscReal   frequency, phase, delay, width, ramp;
} waves[WAVES] = {
  {"a cosine",           3., 0.,  0.,  0.,  0. },
  {"a Gaussian pulse",   0., 0.,  0.5, 0.3, 0. },
  {"a modulated pulse",  7., 0.4, 0.4, 0.3, 0. },
  {"a wave with a ramp", 5., -1., 0.1, 0.,  0.6}
};

/* ---- What the wave is, written down once more */

typedef struct {
  PlexDG    dg;
  int       wave;
  PetscBool everywhere; /* else in the total field alone */
} Incident;

static PetscReal Pulse(int w, PetscReal t)
{
  const PetscReal s = t - waves[w].delay;
  PetscReal       g = PetscCosReal(waves[w].frequency * s + waves[w].phase);

  if (waves[w].width > 0.) g *= PetscExpReal(-PetscSqr(s / waves[w].width));
  if (waves[w].ramp > 0.) {
    const PetscReal q = PetscClipInterval(s / waves[w].ramp, 0., 1.);

    g *= 10. * PetscPowRealInt(q, 3) - 15. * PetscPowRealInt(q, 4) + 6. * PetscPowRealInt(q, 5);
  }
  return g;
}

#define EPSILON 1.5
#define MU      0.8

static void Direction(PetscInt dim, PetscReal d[3], PetscReal P[3])
{
  const PetscReal both[2][2][3] = {
    {{0.6, 0.8, 0.},               {-0.4, 0.3, 0.9}},
    {{2. / 3., -1. / 3., 2. / 3.}, {1., 0., -1.}   }
  };

  for (int k = 0; k < 3; ++k) {
    d[k] = both[dim - 2][0][k];
    P[k] = both[dim - 2][1][k];
  }
}

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Incident *in   = (const Incident *)ctx;
  const PetscReal slow = PetscSqrtReal(EPSILON * MU), Y = PetscSqrtReal(EPSILON / MU);
  PetscReal       d[3], P[3], phase = t, g;

  PetscFunctionBegin;
  Direction(dim, d, P);
  for (PetscInt k = 0; k < dim; ++k) phase -= slow * d[k] * x[k];
  g = Pulse(in->wave, phase);
  for (int k = 0; k < 3; ++k) {
    u[k]     = g * P[k];
    u[3 + k] = g * Y * (d[(k + 1) % 3] * P[(k + 2) % 3] - d[(k + 2) % 3] * P[(k + 1) % 3]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Operators */

/* The cells inside, around the middle of the box: label "total" has the value 3 there, and the label "cut" 5 on the facets
   between them and others */
static PetscErrorCode LabelInside(DM dm)
{
  PetscInt cStart, cEnd, fStart, fEnd, dim;
  DMLabel  total, cut;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PlexTestGetLabel(dm, "total", &total));
  PetscCall(PlexTestGetLabel(dm, "cut", &cut));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscReal x[3], volume;
    PetscBool inside = PETSC_TRUE;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, c, &volume, x, NULL));
    for (PetscInt d = 0; d < dim; ++d) inside = (PetscBool)(inside && PetscAbsReal(x[d] - 0.5) < 0.26);
    if (inside) PetscCall(DMLabelSetValue(total, c, 3));
  }
  for (PetscInt f = fStart; f < fEnd; ++f) {
    const PetscInt *support;
    PetscInt        n, held[2] = {0, 0};

    PetscCall(DMPlexGetSupportSize(dm, f, &n));
    PetscCall(DMPlexGetSupport(dm, f, &support));
    for (PetscInt k = 0; k < n; ++k) PetscCall(DMLabelGetValue(total, support[k], &held[k]));
    if (n == 2 && held[0] != held[1]) PetscCall(DMLabelSetValue(cut, f, 5));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mesh(PetscInt dim, PetscInt n, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n, PETSC_FALSE, dm));
  PetscCall(LabelInside(*dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt N, int w, const Way *way, PlexDG *dg)
{
  const PetscReal epsilon = EPSILON, mu = MU;
  PetscReal       d[3], P[3];
  PetscInt        dim;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  Direction(dim, d, P);
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetConstant(*dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(*dg, "mu", 1, &mu));
  PetscCall(PlexDGSetConstant(*dg, "direction", 3, d));
  PetscCall(PlexDGSetConstant(*dg, "polarization", 3, P));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &waves[w].frequency));
  PetscCall(PlexDGSetConstant(*dg, "wave_phase", 1, &waves[w].phase));
  PetscCall(PlexDGSetConstant(*dg, "wave_delay", 1, &waves[w].delay));
  PetscCall(PlexDGSetConstant(*dg, "wave_width", 1, &waves[w].width));
  PetscCall(PlexDGSetConstant(*dg, "wave_ramp", 1, &waves[w].ramp));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* inside[Ne]: the elements with the total field */
static PetscErrorCode GetInside(PlexDG dg, PetscBool **inside)
{
  DMLabel total;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dg->dm, "total", &total));
  PetscCall(PetscMalloc1(dg->mesh->Ne, inside));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscInt value;

    PetscCall(DMLabelGetValue(total, dg->mesh->cells[e], &value));
    (*inside)[e] = (PetscBool)(value == 3);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u += factor w in the elements where inside[] is so; the largest |u| there before */
static PetscErrorCode AddWhere(PlexDG dg, const PetscBool inside[], PetscBool so, Vec u, PetscReal factor, Vec w,
                               PetscReal *most)
{
  const PetscInt     each = dg->system->Nf * dg->reference->Np;
  PetscScalar       *a;
  const PetscScalar *b;

  PetscFunctionBegin;
  *most = 0.;
  PetscCall(VecGetArray(u, &a));
  PetscCall(VecGetArrayRead(w, &b));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt k = e * each; inside[e] == so && k < (e + 1) * each; ++k) {
      *most = PetscMax(*most, PetscAbsScalar(a[k]));
      a[k] += factor * b[k];
    }
  PetscCall(VecRestoreArray(u, &a));
  PetscCall(VecRestoreArrayRead(w, &b));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Right-hand sides: neighbours differ by the wave, so inside they are those of the total field everywhere, u + w
   outside, and outside those of the scattered field everywhere, u - w inside, of an operator without surface */

static PetscErrorCode Rates(DM dm, PetscInt N, int w, const Way *way, const char label[], PetscInt value, Vec u, Vec R)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(Create(dm, N, w, way, &dg));
  PetscCall(PlexDGSetTotalField(dg, label, value));
  PetscCall(PlexDGComputeRHS(dg, 0.43, u, R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRates(PetscInt dim, int w, const Way *way)
{
  const Incident in        = {NULL, w, PETSC_TRUE};
  const char    *labels[2] = {"total", "cut"};
  DM             dm;
  PlexDG         plain;
  Vec            u, v, wave, R[2], exact;
  PetscBool     *inside;
  PetscReal      error[2][2], most, norm;
  char           of[128];

  PetscFunctionBegin;
  PetscCall(Mesh(dim, 4, &dm));
  PetscCall(Create(dm, dim == 2 ? 4 : 2, w, way, &plain));
  PetscCall(PlexDGCreateVec(plain, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecDuplicate(u, &wave));
  PetscCall(VecDuplicate(u, &exact));
  PetscCall(GetInside(plain, &inside));
  PetscCall(PlexDGProject(plain, 0., PlexTestRough, NULL, u));
  PetscCall(PlexDGProject(plain, 0.43, Wave, (void *)&in, wave));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecDuplicate(u, &R[k]));
    PetscCall(Rates(dm, dim == 2 ? 4 : 2, w, way, labels[k], k ? 5 : PETSC_DETERMINE, u, R[k]));
  }
  for (int so = 0; so < 2; ++so) {
    PetscCall(VecCopy(u, v));
    PetscCall(AddWhere(plain, inside, (PetscBool)!so, v, so ? 1. : -1., wave, &most));
    PetscCall(PlexDGComputeRHS(plain, 0.43, v, exact));
    PetscCall(AddWhere(plain, inside, (PetscBool)so, exact, 0., exact, &norm));
    for (int k = 0; k < 2; ++k) {
      PetscCall(AddWhere(plain, inside, (PetscBool)so, R[k], -1., exact, &most));
      PetscCall(AddWhere(plain, inside, (PetscBool)so, R[k], 0., exact, &error[k][so]));
      error[k][so] /= norm;
    }
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s in %" PetscInt_FMT "D, %s", way->backend, way->type,
                          PlexPrecisions[way->precision], dim, waves[w].name));
  most = way->precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-13;
  PetscCall(PlexTestReportOf((PetscBool)(error[0][0] < most && error[0][1] < most), of,
                             "neighbours on the surface of cells differ by the wave", "%g outside, %g inside",
                             (double)error[0][0], (double)error[0][1]));
  PetscCall(PlexTestReportOf((PetscBool)(error[1][0] < most && error[1][1] < most), of, "likewise on that of facets",
                             "%g outside, %g inside", (double)error[1][0], (double)error[1][1]));
  PetscCall(PetscFree(inside));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&R[k]));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&wave));
  PetscCall(VecDestroy(&exact));
  PetscCall(PlexDGDestroy(&plain));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A run: the wave inside, next to nothing outside */

/* The root of the mean square of a state's values where inside[] is so */
static PetscErrorCode MeanWhere(PlexDG dg, const PetscBool inside[], PetscBool so, Vec u, PetscReal *mean)
{
  const PetscInt     each = dg->system->Nf * dg->reference->Np;
  const PetscScalar *a;
  PetscReal          sums[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u, &a));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt k = e * each; inside[e] == so && k < (e + 1) * each; ++k) {
      sums[0] += PetscSqr(a[k]);
      ++sums[1];
    }
  PetscCall(VecRestoreArrayRead(u, &a));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)dg)));
  *mean = PetscSqrtReal(sums[0] / sums[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* errors[2]: outside, and inside */
static PetscErrorCode Leakage(PetscInt dim, PetscInt n, PetscInt N, int w, const char type[], const char tstype[],
                              PetscReal errors[2])
{
  const PetscReal T   = 1.1;
  const Incident  in  = {NULL, w, PETSC_TRUE};
  const Way       way = {strcmp(type, PLEXDGHOST) ? PLEXBACKENDEMULATE : PLEXBACKENDHOST, type, PLEX_PRECISION_DOUBLE};
  DM              dm;
  PlexDG          dg;
  TS              ts;
  Vec             U, wave;
  PetscReal       most;
  PetscBool      *inside;

  PetscFunctionBegin;
  PetscCall(Mesh(dim, n, &dm));
  PetscCall(Create(dm, N, w, &way, &dg));
  PetscCall(PlexDGSetTotalField(dg, "total", 3));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &wave));
  PetscCall(GetInside(dg, &inside));
  PetscCall(PlexDGProject(dg, 0., Wave, (void *)&in, wave));
  PetscCall(AddWhere(dg, inside, PETSC_TRUE, U, 1., wave, &most));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, tstype));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetCFL(dg, 0.7));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGProject(dg, T, Wave, (void *)&in, wave));
  PetscCall(AddWhere(dg, inside, PETSC_TRUE, U, -1., wave, &most));
  for (int so = 0; so < 2; ++so) PetscCall(MeanWhere(dg, inside, (PetscBool)so, U, &errors[so]));
  PetscCall(TSDestroy(&ts));
  PetscCall(PetscFree(inside));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&wave));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestLeakage(int w)
{
  PetscReal e[3][2], more[2];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) PetscCall(Leakage(2, 4 << k, 3, w, PLEXDGHOST, TSPLEXLOWSTORAGE, e[k]));
  PetscCall(Leakage(2, 8, 5, w, PLEXDGHOST, TSPLEXLOWSTORAGE, more));
  for (int so = 0; so < 2; ++so) {
    const PetscReal rate = PetscLog2Real(e[1][so] / e[2][so]);

    PetscCall(PlexTestReportOf((PetscBool)(rate > 3.3 && e[2][so] < 2e-3), waves[w].name,
                               so ? "inside is the wave, to the order of the scheme"
                                  : "outside there is nothing, to the order of the scheme",
                               "%g, %g, %g, rate %g", (double)e[0][so], (double)e[1][so], (double)e[2][so],
                               (double)rate));
    /* the ramp has two continuous derivatives, and no more */
    PetscCall(PlexTestReportOf((PetscBool)(more[so] < (waves[w].ramp > 0. ? 0.3 : 0.12) * e[1][so]), waves[w].name,
                               so ? "and better with the degree inside" : "and better with the degree outside",
                               "%g of degree 3, %g of 5", (double)e[1][so], (double)more[so]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stages of low-storage schemes, of all types, as those of the host's right-hand sides */
static PetscErrorCode TestStages(void)
{
  const char *const types[] = {PLEXDGPLAIN, PLEXDGSEPARATE, PLEXDGFUSED};
  PetscReal         host[2], errors[2];

  PetscFunctionBegin;
  PetscCall(Leakage(2, 4, 2, 2, PLEXDGHOST, TSPLEXLOWSTORAGE, host));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); ++k) {
    PetscCall(Leakage(2, 4, 2, 2, types[k], TSPLEXLOWSTORAGE, errors));
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(errors[0] - host[0]) < 1e-12 &&
                                           PetscAbsReal(errors[1] - host[1]) < 1e-12),
                               types[k], "stages have the wave, too", "%g and %g, of the host %g and %g",
                               (double)errors[0], (double)errors[1], (double)host[0], (double)host[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Dipoles */

/* integral of a polynomial times field k of R: sum over elements of q M R det J */
static PetscErrorCode Moment(PlexDG dg, Vec R, PetscInt k, PetscInt power, PetscReal *moment)
{
  const PetscInt     dim = dg->mesh->dim, Np = dg->reference->Np, Nf = dg->system->Nf;
  const PetscReal   *x;
  const PetscScalar *r;
  PetscReal          sum = 0.;

  PetscFunctionBegin;
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(R, &r));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j)
        sum += PetscPowRealInt(x[(e * Np + i) * dim] + 2. * x[(e * Np + i) * dim + 1], (int)power) *
               dg->reference->M[i * Np + j] * r[(e * Nf + k) * Np + j] * dg->mesh->detJ[e];
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  *moment = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDipoles(PetscInt dim, const Way *way)
{
  /* the second on an edge of elements, the third in the element of the first */
  const PetscReal at[3][3] =
    {
      {0.31, 0.42, 0.53},
      {0.5,  0.5,  0.5 },
      {0.32, 0.42, 0.53}
  },
                  moments[3][3] = {{1., -2., 0.5}, {0.3, 0., 0.}, {0.2, 0.1, -0.4}}, t = 0.43;
  const PetscInt N = 3;
  DM             dm;
  PlexDG         dg;
  Vec            U, R;
  PetscReal      error = 0., moment, magnetic;
  char           of[128];

  PetscFunctionBegin;
  PetscCall(Mesh(dim, 3, &dm));
  PetscCall(Create(dm, N, 0, way, &dg));
  for (int k = 0; k < 3; ++k)
    PetscCall(PlexDGAddDipole(dg, at[k], moments[k],
                              (const PetscReal[]){waves[k].frequency, waves[k].phase, waves[k].delay, waves[k].width,
                                                  waves[k].ramp}));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGComputeRHS(dg, t, U, R));
  for (int k = 0; k < 3; ++k)
    for (PetscInt power = 0; power <= N; ++power) {
      PetscReal exact = 0.;

      for (int q = 0; q < 3; ++q)
        exact -= moments[q][k] * Pulse(q, t) / EPSILON * PetscPowRealInt(at[q][0] + 2. * at[q][1], (int)power);
      PetscCall(Moment(dg, R, k, power, &moment));
      PetscCall(Moment(dg, R, 3 + k, power, &magnetic));
      error = PetscMax(error, PetscAbsReal(moment - exact) + PetscAbsReal(magnetic));
    }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %s in %" PetscInt_FMT "D", way->backend, way->type,
                          PlexPrecisions[way->precision], dim));
  PetscCall(PlexTestReportOf((PetscBool)(error < (way->precision == PLEX_PRECISION_SINGLE ? 1e-4 : 1e-11)), of,
                             "dipoles have the products with polynomials that currents at points have", "%g",
                             (double)error));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The boundary condition has the same waves */

static PetscErrorCode TestBoundary(int w)
{
  const Way way = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  Incident  in  = {NULL, w, PETSC_TRUE};
  PetscReal error[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(Mesh(2, 6 << k, &dm));
    PetscCall(Create(dm, 3, w, &way, &dg));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "incident"));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 0.9, Wave, &in, U));
    PetscCall(PlexDGComputeL2Error(dg, 0.9, Wave, &in, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < 1e-3 && PetscLog2Real(error[0] / error[1]) > 3.3), waves[w].name,
                             "enters through the boundary", "%g, %g", (double)error[0], (double)error[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options, and errors */

static PetscErrorCode TestOptions(void)
{
  const char *const
            options = "-plex_dg_total_field cut:5 -plex_dg_dipole_position 0.1,0.2,0.3,0.4 -plex_dg_dipole_moment "
                      "1,2,3,4,5,6 -plex_dg_dipole_frequency 7 -plex_dg_dipole_width 0.5,0.6";
  const Way way     = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  DM        dm;
  PlexDG    dg;
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(Mesh(2, 4, &dm));
  PetscCall(Create(dm, 2, 1, &way, &dg));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexTestClearOptions(options));
  ok = (PetscBool)(dg->ndipoles == 2 && dg->totalLabel && !strcmp(dg->totalLabel, "cut") && dg->totalValue == 5);
  ok = (PetscBool)(ok && dg->dipoles[1].x[0] == 0.3 && dg->dipoles[1].moment[2] == 6. &&
                   dg->dipoles[0].pulse[0] == 7. && dg->dipoles[1].pulse[0] == 7. && dg->dipoles[0].pulse[3] == 0.5 &&
                   dg->dipoles[1].pulse[3] == 0.6 && dg->dipoles[1].pulse[1] == 0.);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestReport((PetscBool)(ok && dg->sources), "options say surface and dipoles", "%d", (int)ok));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DM          dm;
  const char *label, *constant;
  PetscReal   values[3], x[3];
  PetscInt    n;
  PetscBool   outside;
} Bad;

static PetscErrorCode SetUpBad(void *ctx)
{
  const Bad      *bad      = (const Bad *)ctx;
  const Way       way      = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  const PetscReal pulse[5] = {1., 0., 0., 0., 0.}, moment[3] = {0., 0., 1.};
  PlexDG          dg;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(Create(bad->dm, 2, 1, &way, &dg));
  if (bad->label) PetscCall(PlexDGSetTotalField(dg, bad->label, PETSC_DETERMINE));
  if (bad->constant) PetscCall(PlexDGSetConstant(dg, bad->constant, bad->n, bad->values));
  if (bad->outside) PetscCall(PlexDGAddDipole(dg, bad->x, moment, pulse));
  if (bad->label && !strcmp(bad->label, "total") && !bad->constant)
    PetscCall(PlexDGAddMaterial(dg, "total", 3, 1, (const PetscReal[]){4.}));
  ierr = PlexDGSetUp(dg);
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(ierr);
}

static PetscErrorCode TestErrors(void)
{
  DM       dm;
  DMLabel  cut, open;
  IS       facets;
  PetscInt first;

  PetscFunctionBegin;
  PetscCall(Mesh(2, 4, &dm));
  PetscCall(DMGetLabel(dm, "cut", &cut));
  PetscCall(PlexTestGetLabel(dm, "open", &open));
  PetscCall(DMLabelGetStratumIS(cut, 5, &facets));
  if (facets) {
    const PetscInt *f;

    PetscCall(ISGetIndices(facets, &f));
    first = f[0];
    PetscCall(ISRestoreIndices(facets, &f));
    PetscCall(ISDestroy(&facets));
    PetscCall(DMLabelSetValue(open, first, 1));
  }
  EXPECT("a surface that is not closed is an error", SetUpBad, (&(Bad){.dm = dm, .label = "open"}), "open",
         "same region on both sides");
  EXPECT("so is one on the boundary", SetUpBad, (&(Bad){.dm = dm, .label = "boundary"}), "boundary of the mesh",
         "incident");
  EXPECT("so is one that no label has", SetUpBad, (&(Bad){.dm = dm, .label = "nowhere"}), "no label nowhere",
         "-dm_view");
  EXPECT("so is one between materials", SetUpBad, (&(Bad){.dm = dm, .label = "total"}), "one material", "epsilon");
  EXPECT("so is one in a conductor", SetUpBad,
         (&(Bad){.dm = dm, .label = "total", .constant = "sigma", .n = 1, .values = {0.1}}), "conducts nothing",
         "sigma");
  EXPECT("so is a polarization along the wave", SetUpBad,
         (&(Bad){
           .dm = dm, .label = "total", .constant = "polarization", .n = 3, .values = {1., 0., 0.}
  }),
         "not at right angles", "-plex_dg_polarization");
  EXPECT("so is a direction that is no unit vector", SetUpBad,
         (&(Bad){
           .dm = dm, .label = "total", .constant = "direction", .n = 3, .values = {0.6, 0.9, 0.}
  }),
         "unit vector", "-plex_dg_direction");
  EXPECT("so is a width of less than nothing", SetUpBad,
         (&(Bad){.dm = dm, .label = "total", .constant = "wave_width", .n = 1, .values = {-1.}}), "wave_width", "-1");
  EXPECT("so is a dipole outside of the mesh", SetUpBad,
         (&(Bad){
           .dm = dm, .outside = PETSC_TRUE, .x = {1.5, 0.5, 0.}
  }),
         "dipole is at (1.5, 0.5, 0.)", "-plex_dg_dipole_position");
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool   host    = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);
    const char *const types[] = {host ? PLEXDGHOST : PLEXDGPLAIN, PLEXDGFUSED, PLEXDGSEPARATE};

    for (int k = 0; k < (host ? 1 : size > 1 ? 2 : 3); ++k)
      for (int p = 0; p < 2; ++p) {
        const Way way = {backends[b], types[k], (PlexPrecision)p};

        for (int w = 0; w < (host ? WAVES : 1); ++w)
          for (PetscInt dim = 2; dim <= 3; ++dim) PetscCall(TestRates(dim, host ? w : 2, &way));
        for (PetscInt dim = 2; dim <= 3 && !k; ++dim) PetscCall(TestDipoles(dim, &way));
      }
    if (host)
      for (int w = 0; w < WAVES && size == 1; ++w) {
        PetscCall(TestLeakage(w));
        PetscCall(TestBoundary(w));
      }
    else PetscCall(TestStages());
  }
  if (size == 1) PetscCall(TestOptions());
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
