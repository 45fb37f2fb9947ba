static char help[] =
  "Stages of Navier-Stokes equations by kernels beside those of the host, of any state and to rounding: residuals, matrices of the\n\
trace linearized as by Newton's method and by Picard's iteration, local problems, solutions' vectors, convection that is explicit\n\
in time; on one process and on several.\n\n";

#include "../../src/hdg/navier.h"
#include "hdgproblem.h"
#include "report.h"
#include <petscts.h>

typedef struct {
  const char      *name;
  DMPolytopeType   cell;
  PetscInt         P;
  int              curved; /* 2: cells at one edge alone */
  PetscInt         picard; /* steps before Newton's method, of which a Jacobian is the first */
  PetscBool        symmetric, units;
  PlexHDGTransport transport;
} Case;

#define IMPLICIT PLEX_HDG_TRANSPORT_IMPLICIT
#define EXPLICIT PLEX_HDG_TRANSPORT_EXPLICIT
#define NONE     PLEX_HDG_TRANSPORT_NONE
static const Case cases[] = {
  {"Newton's method, triangles",                DM_POLYTOPE_TRIANGLE,      2, 0, 0, PETSC_TRUE,  PETSC_FALSE, IMPLICIT},
  {"Newton's method, triangles, cores",         DM_POLYTOPE_TRIANGLE,      4, 0, 0, PETSC_FALSE, PETSC_TRUE,  IMPLICIT},
  {"Newton's method, partly curved",            DM_POLYTOPE_TRIANGLE,      1, 2, 0, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"Picard's iteration, triangles",             DM_POLYTOPE_TRIANGLE,      3, 0, 3, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"Newton's method, curved quadrilaterals",    DM_POLYTOPE_QUADRILATERAL, 2, 1, 0, PETSC_TRUE,  PETSC_FALSE, IMPLICIT},
  {"Newton's method, tetrahedra",               DM_POLYTOPE_TETRAHEDRON,   1, 0, 0, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"Newton's method, tetrahedra, cores",        DM_POLYTOPE_TETRAHEDRON,   2, 0, 0, PETSC_TRUE,  PETSC_TRUE,  IMPLICIT},
  {"Newton's method, in global memory",         DM_POLYTOPE_TETRAHEDRON,   3, 0, 0, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"Picard's iteration, curved hexahedra",      DM_POLYTOPE_HEXAHEDRON,    1, 1, 3, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"explicit convection, triangles",            DM_POLYTOPE_TRIANGLE,      2, 0, 0, PETSC_FALSE, PETSC_FALSE, EXPLICIT},
  {"explicit convection, triangles",            DM_POLYTOPE_TRIANGLE,      5, 0, 0, PETSC_FALSE, PETSC_FALSE, EXPLICIT},
  {"explicit convection, tetrahedra",           DM_POLYTOPE_TETRAHEDRON,   1, 0, 0, PETSC_TRUE,  PETSC_FALSE, EXPLICIT},
  {"explicit convection, tetrahedra",           DM_POLYTOPE_TETRAHEDRON,   2, 0, 0, PETSC_FALSE, PETSC_FALSE, EXPLICIT},
  {"no convection, curved triangles",           DM_POLYTOPE_TRIANGLE,      2, 1, 0, PETSC_FALSE, PETSC_FALSE, NONE    },
  /* on several processes */
  {"Newton's method, triangles",                DM_POLYTOPE_TRIANGLE,      2, 0, 0, PETSC_TRUE,  PETSC_FALSE, IMPLICIT},
  {"Newton's method, tetrahedra",               DM_POLYTOPE_TETRAHEDRON,   1, 0, 0, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"Picard's iteration, curved quadrilaterals", DM_POLYTOPE_QUADRILATERAL, 1, 1, 3, PETSC_FALSE, PETSC_FALSE, IMPLICIT},
  {"explicit convection, triangles",            DM_POLYTOPE_TRIANGLE,      2, 0, 0, PETSC_FALSE, PETSC_FALSE, EXPLICIT},
  {"explicit convection, tetrahedra",           DM_POLYTOPE_TETRAHEDRON,   1, 0, 0, PETSC_FALSE, PETSC_FALSE, EXPLICIT}
};
#define SEVERAL 14 /* the first one of several processes */

typedef enum {
  RESIDUAL,
  PRODUCT,
  TRANSPOSED,
  FLUXES,
  LOCAL,
  VELOCITY,
  GRADIENT,
  PRESSURE,
  CONVECTION,
  CONSTANTS,
  STAGES
} Stage;

static const char *const names[] = {"a residual",          "K",
                                    "K transposed",        "fluxes of local problems",
                                    "local problems",      "the velocity",
                                    "its gradient",        "the pressure",
                                    "explicit convection", "constants of the right-hand side"};

static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = 1. + d - x[0] * x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) g[d] = d < dim ? PetscSinReal(2. * x[(d + 1) % dim] + d) : 0.7; /* alpha */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conditions of all kinds, time or none */
static PetscErrorCode Create(const Case *c, MPI_Comm comm, const char backend[], DM *dm, PlexHDG *hdg)
{
  const PetscInt x = 0;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PlexTestHDGBox(comm, c->cell, DMPolytopeTypeGetDim(c->cell) == 2 ? 3 : c->P < 3 ? 2 : 1, dm));
  if (size > 1) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(PlexTestLabelUnitSides(*dm));
  if (c->curved) PetscCall((c->curved > 1 ? PlexTestBendOne : PlexTestBend)(*dm));
  PetscCall(PlexHDGCreate(*dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(*hdg, c->P));
  PetscCall(PlexHDGSetDensity(*hdg, 1.5));
  PetscCall(PlexHDGSetViscosity(*hdg, 0.1));
  PetscCall(PlexHDGSetPicard(*hdg, c->picard));
  PetscCall(PlexHDGSetSymmetricStress(*hdg, c->symmetric));
  PetscCall(PlexHDGSetTransport(*hdg, c->transport));
  PetscCall(PlexHDGSetSource(*hdg, Force, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "sides", 1, PLEX_HDG_NEUMANN, Known, NULL));
  PetscCall(PlexHDGAddBoundaryComponents(*hdg, "sides", 2, 1, &x, Known, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, "sides", 3, PLEX_HDG_ROBIN, Known, NULL));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  if (strcmp(backend, PLEXBACKENDHOST))
    PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_tensor_cores", PetscBools[c->units]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Any numbers, the same on all backends */
static PetscErrorCode Fill(Vec v, PetscReal a)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &x));
  for (PetscInt k = 0; k < n; ++k) x[k] = PetscSinReal(a * (k + 1)) + 0.3 * PetscCosReal(a * a * k);
  PetscCall(VecRestoreArrayWrite(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local problems of a right-hand side r, b and the elements' constants (trace NULL), or u and p of a trace and constants */
static PetscErrorCode Local(PlexHDG hdg, Vec r, Vec trace, Vec constant, Vec out)
{
  PlexHDGNavierArgs *x     = &hdg->navier->args;
  const size_t       p     = (size_t)hdg->mesh->Ne * hdg->reference->dim * hdg->elastic->Nu;
  PlexArray          in[4] = {{NULL}};
  PlexHDGArgs        args  = hdg->args;

  PetscFunctionBegin;
  PetscCall(Fill(constant, 0.9));
  PetscCall(PlexBackendVecGet(hdg->backend, r, PLEX_READ, &in[0]));
  PetscCall(PlexBackendVecGet(hdg->backend, out, PLEX_CHANGE, &in[1]));
  PetscCall(PlexBackendVecGet(hdg->backend, constant, PLEX_CHANGE, &in[2]));
  if (trace) PetscCall(PlexBackendVecGet(hdg->backend, trace, PLEX_READ, &in[3]));
  args.owned  = trace ? in[3].array : NULL;
  args.fixed  = NULL;
  args.end    = (int)hdg->mesh->Ne;
  args.b      = in[1].array;
  x->f        = in[0].array;
  x->fp       = x->f + p;
  x->du       = trace ? in[1].array : NULL;
  x->dp       = trace ? in[1].array + p : NULL;
  x->constant = in[2].array;
  PetscCall((*hdg->ops->local)(hdg, &args));
  for (int k = 0; k < 4; ++k) {
    if (in[k].object) PetscCall(PlexBackendVecRestore(hdg->backend, &in[k]));
    PetscCall(PlexArrayReset(hdg->backend, &in[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(const Case *c, MPI_Comm comm, const char backend[], Vec v[], PetscReal *jump)
{
  PlexHDG hdg;
  DM      dm;
  TS      ts;
  SNES    snes;
  Mat     P;
  Vec     X, Xdot, trace, u, q, p, constant;

  PetscFunctionBegin;
  PetscCall(Create(c, comm, backend, &dm, &hdg));
  PetscCall(TSCreate(comm, &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecDuplicate(X, &Xdot));
  for (int k = 0; k < STAGES; ++k) v[k] = NULL;
  PetscCall(VecDuplicate(X, &v[RESIDUAL]));
  PetscCall(Fill(X, 1.7));
  PetscCall(Fill(Xdot, 0.4));
  PetscCall(TSComputeIFunction(ts, 0., X, Xdot, v[RESIDUAL], PETSC_TRUE));
  if (c->picard) { /* steps in time know nothing of it */
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(PlexHDGSetSNES(hdg, snes));
    PetscCall(SNESGetJacobian(snes, NULL, &P, NULL, NULL));
    PetscCall(SNESComputeJacobian(snes, X, P, P));
  } else {
    PetscCall(TSGetIJacobian(ts, NULL, &P, NULL, NULL));
    PetscCall(TSComputeIJacobian(ts, 0., X, Xdot, 3., P, P, PETSC_TRUE));
  }
  PetscCall(MatCreateVecs(hdg->A, &trace, &v[PRODUCT]));
  PetscCall(VecDuplicate(trace, &v[TRANSPOSED]));
  PetscCall(Fill(trace, 0.6));
  PetscCall(MatMult(hdg->A, trace, v[PRODUCT]));
  PetscCall(MatMultTranspose(hdg->A, trace, v[TRANSPOSED]));
  PetscCall(VecCreate(comm, &v[FLUXES]));
  PetscCall(VecSetSizes(v[FLUXES], hdg->mesh->Ne * PlexHDGTraceSize(hdg), PETSC_DETERMINE));
  PetscCall(VecSetType(v[FLUXES], PlexBackendVecType(hdg->backend)));
  PetscCall(VecDuplicate(X, &v[LOCAL]));
  PetscCall(VecZeroEntries(v[LOCAL]));
  PetscCall(VecDuplicate(hdg->stokes->mean, &v[CONSTANTS]));
  PetscCall(VecDuplicate(hdg->stokes->mean, &constant));
  PetscCall(Local(hdg, Xdot, NULL, v[CONSTANTS], v[FLUXES]));
  PetscCall(Local(hdg, Xdot, trace, constant, v[LOCAL]));
  PetscCall(VecDestroy(&constant));
  if (c->transport == EXPLICIT) {
    PetscCall(VecDuplicate(X, &v[CONVECTION]));
    PetscCall(TSComputeRHSFunction(ts, 0., X, v[CONVECTION]));
  }
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, &q, NULL));
  PetscCall(PlexHDGGetPressure(hdg, &p));
  PetscCall(VecDuplicate(u, &v[VELOCITY]));
  PetscCall(VecDuplicate(q, &v[GRADIENT]));
  PetscCall(VecDuplicate(p, &v[PRESSURE]));
  PetscCall(VecCopy(u, v[VELOCITY]));
  PetscCall(VecCopy(q, v[GRADIENT]));
  PetscCall(VecCopy(p, v[PRESSURE]));
  PetscCall(PlexHDGComputeFluxJump(hdg, jump));
  PetscCall(VecDestroy(&trace));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Xdot));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const Case *c, MPI_Comm comm, const char backend[])
{
  Vec       v[2][STAGES];
  PetscReal jump[2], difference;
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT ", %s", c->name, c->P, backend));
  PetscCall(Compute(c, comm, PLEXBACKENDHOST, v[0], &jump[0]));
  PetscCall(Compute(c, comm, backend, v[1], &jump[1]));
  for (int k = 0; k < STAGES; ++k) {
    if (!v[0][k]) continue;
    PetscCall(PlexTestDifference(v[0][k], v[1][k], &difference));
    PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-12), of, names[k], "differs by %g", (double)difference));
    PetscCall(VecDestroy(&v[0][k]));
    PetscCall(VecDestroy(&v[1][k]));
  }
  PetscCall(PlexTestReportOf((PetscBool)(jump[0] > 0.1 && PetscAbsReal(jump[1] / jump[0] - 1.) < 1e-12), of,
                             "jumps of fluxes", "%g, %g", (double)jump[0], (double)jump[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A steady flow, by K's factors, or by its two levels and the commutator, on the host and by kernels: each solves to its own
   tolerance */
static PetscErrorCode TestSolve(const char backend[], PetscBool levels)
{
  Vec         u[2];
  PlexHDG     hdg[2];
  SNES        snes;
  PetscReal   difference;
  PetscInt    steps[2];
  const Case *c = &cases[0];
  DM          dm;

  PetscFunctionBegin;
  if (levels) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", "mg"));
  for (int k = 0; k < 2; ++k) {
    PetscCall(Create(c, PETSC_COMM_WORLD, k ? backend : PLEXBACKENDHOST, &dm, &hdg[k]));
    PetscCall(PlexHDGSolve(hdg[k]));
    PetscCall(PlexHDGGetSolution(hdg[k], NULL, &u[k], NULL, NULL));
    PetscCall(PlexHDGGetSNES(hdg[k], &snes));
    PetscCall(SNESGetIterationNumber(snes, &steps[k]));
    PetscCall(DMDestroy(&dm));
  }
  if (levels) PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
  PetscCall(PlexTestDifference(u[0], u[1], &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-7 && steps[0] == steps[1]), backend,
                             levels ? "a steady flow by two levels" : "a steady flow by factors of K",
                             "differs by %g after %" PetscInt_FMT " and %" PetscInt_FMT " steps", (double)difference,
                             steps[0], steps[1]));
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t k = size > 1 ? SEVERAL : 0; k < (size > 1 ? PETSC_STATIC_ARRAY_LENGTH(cases) : SEVERAL); ++k)
    PetscCall(TestCase(&cases[k], PETSC_COMM_WORLD, backend));
  for (int levels = 0; levels < 2; ++levels) PetscCall(TestSolve(backend, (PetscBool)levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
