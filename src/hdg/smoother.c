/*
  The smoother of the trace's multigrid (precondition.c), on the faces, of which D are the blocks of K.

  On triangles it is a step x <- x + omega D^-1 (b - K x) before, and one after. omega needs no estimate: K is a sum of
  elements' matrices K^e, so no eigenvalue of D^-1 K is beyond the largest of any (D^e)^-1 K^e, which is the number of an
  element's faces at most, as that of (D^e)^-1 times each of its blocks is 1. On other cells, where the largest is well below
  that, and of Stokes's equations, it is Chebyshev's iteration with D^-1 and the optimal polynomials of the 4th kind (Phillips
  and Fischer 2022, arXiv:2210.03179), whose only number PETSc estimates once for a matrix, by ten products. Where elements are
  anisotropic the smoother is one along lines of them (lines.c). With convection K is not such a sum, and the smoother is a
  step with incomplete factors.

  A program may have another one in its place, after a solve, with PCMGGetSmoother(): what differs from the types that were
  set here stays as it is. A PCSHELL is the program's where it has a context of its own.
*/
#include "stokes.h"
#include <petsc/private/pcmgimpl.h>
#include "groups.h"
#include "trace.h"

/* The same by the host, n functions of all faces */
static void PlexHDGSmoothHost(PlexHDG hdg, PetscInt n, const double b[], const double w[], double x[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt first = k - k % Nf;
    const double  *D     = &hdg->coarse->inverses[(size_t)first * Nf + k % Nf];
    double         sum   = 0.;

    for (PetscInt j = 0; j < Nf; ++j) sum += D[j * Nf] * (w ? b[first + j] - w[first + j] : b[first + j]);
    x[k] = w ? x[k] + sum : sum;
  }
}

/* x = omega D^-1 b, or x + omega D^-1 (b - w) where there is w = K x */
static PetscErrorCode PlexHDGSmooth(PlexHDG hdg, Vec b, Vec w, Vec x)
{
  PlexHDGCoarse c           = hdg->coarse;
  int           n           = (int)(hdg->mesh->nown * PlexHDGBlockSize(hdg));
  PetscInt      blocks      = 0;
  double       *none        = NULL;
  void         *arguments[] = {&c->inverses, &n, &c->arrayB.array, w ? (void *)&c->arrayW.array : (void *)&none,
                               &c->arrayX.array};

  PetscFunctionBegin;
  if (c->lines) {
    PetscCall(PlexHDGLinesSmooth_Private(c->lines, b, w, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexBackendVecGet(hdg->backend, b, PLEX_READ, &c->arrayB));
  if (w) PetscCall(PlexBackendVecGet(hdg->backend, w, PLEX_READ, &c->arrayW));
  PetscCall(PlexBackendVecGet(hdg->backend, x, w ? PLEX_CHANGE : PLEX_WRITE, &c->arrayX));
  PetscCall(PlexHDGBlocks_Private(n, &blocks));
  if (n && c->smooth) PetscCall(PlexKernelLaunch(c->smooth, blocks, 128, 0, arguments));
  else if (n) PlexHDGSmoothHost(hdg, n, c->arrayB.array, w ? c->arrayW.array : NULL, c->arrayX.array);
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayB));
  if (w) PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayW));
  PetscCall(PlexBackendVecRestore(hdg->backend, &c->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSmootherApply(PC pc, Vec b, Vec x)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &hdg));
  PetscCall(PlexHDGSmooth(hdg, b, NULL, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps of KSPRICHARDSON, all operations on vectors in one launch each */
static PetscErrorCode PlexHDGSmootherRichardson(PC pc, Vec b, Vec x, Vec w, PetscReal rtol, PetscReal abstol,
                                                PetscReal dtol, PetscInt its, PetscBool zero, PetscInt *done,
                                                PCRichardsonConvergedReason *reason)
{
  PlexHDG hdg;
  Mat     K;

  PetscFunctionBegin;
  (void)rtol;
  (void)abstol;
  (void)dtol;
  PetscCall(PCShellGetContext(pc, &hdg));
  PetscCall(PCGetOperators(pc, &K, NULL));
  for (PetscInt k = 0; k < its; ++k) {
    if (k || !zero) PetscCall(MatMult(K, x, w));
    PetscCall(PlexHDGSmooth(hdg, b, k || !zero ? w : NULL, x));
  }
  *done   = its;
  *reason = PCRICHARDSON_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The finest level's solver before the coarser one, and that behind it where the program has asked for one of its own, else NULL */
static PetscErrorCode PlexHDGGetSmoothers(PC mg, KSP smoothers[2])
{
  PC_MG   *data = (PC_MG *)mg->data;
  PetscInt levels;

  PetscFunctionBegin;
  smoothers[0] = smoothers[1] = NULL;
  PetscCall(PCMGGetLevels(mg, &levels));
  if (levels < 1) PetscFunctionReturn(PETSC_SUCCESS);
  smoothers[0] = data->levels[levels - 1]->smoothd;
  if (data->levels[levels - 1]->smoothu != smoothers[0]) smoothers[1] = data->levels[levels - 1]->smoothu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps with the faces' blocks, or along lines, where each does much of what is to be done; polynomials of degree 2 or 3 where
   iterations would be many. With convection steps with incomplete factors of each process's part of K, which follow the flow */
static void PlexHDGChooseSmoother(PlexHDG hdg, PlexHDGLevel *s)
{
  const PetscBool unsymmetric = (PetscBool)(hdg->convects || hdg->navier);

  s->iteration = !unsymmetric && !hdg->coarse->lines && (hdg->mesh->cell != DM_POLYTOPE_TRIANGLE || hdg->stokes)
                 ? KSPCHEBYSHEV
                 : KSPRICHARDSON;
  s->type      = unsymmetric                                                ? PCBJACOBI
               : hdg->coarse->smooth || hdg->coarse->lines || hdg->elements ? PCSHELL
               : hdg->groups                                                ? PCVPBJACOBI
                                                                            : PCPBJACOBI;
}

static PetscErrorCode PlexHDGSetIteration(PlexHDG hdg, KSP smoother, KSPType iteration)
{
  PetscInt  steps = hdg->mesh->faces == hdg->mesh->dim + 1 ? 3 : 2;
  PetscBool polynomial;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(iteration, KSPCHEBYSHEV, &polynomial));
  PetscCall(KSPSetType(smoother, iteration));
  PetscCall(KSPSetTolerances(smoother, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, polynomial ? steps : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSetInverses(PlexHDG hdg, KSP smoother, PCType type)
{
  PetscReal scale = hdg->coarse->omega;
  PetscBool shell, factors;
  PC        pc;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(PetscStrcmp(type, PCSHELL, &shell));
  PetscCall(PetscStrcmp(type, PCBJACOBI, &factors));
  /* a new one: PCReset() of variable blocks (PETSc 3.26.1) keeps memory that is too small for more unknowns */
  if (hdg->groups && !factors) PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(PCSetType(pc, type));
  if (shell) {
    PetscCall(PCShellSetName(pc, hdg->coarse->lines ? "solves along lines of elements"
                                                    : "inverses of the faces' blocks of K"));
    PetscCall(PCShellSetContext(pc, hdg));
    PetscCall(PCShellSetApply(pc, PlexHDGSmootherApply));
    PetscCall(PCShellSetApplyRichardson(pc, PlexHDGSmootherRichardson));
    scale = 1.; /* it is in them */
  }
  PetscCall(KSPRichardsonSetScale(smoother, factors ? 1. : scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is known of the smoothers; those that are not known are PETSc's defaults, one behind the coarser level has the types of the other
   one */
static PetscErrorCode PlexHDGGetNotes(PlexHDG hdg, KSP smoothers[2], const PlexHDGLevel *notes[2])
{
  PetscObjectId id;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    notes[k] = NULL;
    if (!smoothers[k]) continue;
    PetscCall(PetscObjectGetId((PetscObject)smoothers[k], &id));
    if (hdg->smoother[k].type && hdg->smoother[k].id == id) notes[k] = &hdg->smoother[k];
    else if (k) notes[k] = notes[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the types of a solver's iteration and preconditioner are those that were set; behind: the coarser level */
static PetscErrorCode PlexHDGSmootherIsOwn(PlexHDG hdg, KSP smoother, PetscBool behind, const PlexHDGLevel *note,
                                           PetscBool own[2])
{
  PetscBool shell;
  KSPType   iteration;
  PCType    type;
  void     *context;
  PC        pc;

  PetscFunctionBegin;
  own[0] = own[1] = PETSC_TRUE;
  if (!note) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(KSPGetType(smoother, &iteration));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscStrcmp(iteration, note->iteration, &own[0]));
  PetscCall(PetscStrcmp(type, note->type, &own[1]));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &shell));
  if (!shell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCShellGetContext(pc, &context));
  own[1] = (PetscBool)(own[1] && (context == hdg || (behind && !context))); /* PETSc makes it without one */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetSmoother_Private(PlexHDG hdg, PC mg)
{
  const PlexHDGLevel *notes[2];
  PlexHDGLevel        next[2] = {{0}, {0}};
  KSP                 smoothers[2];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetSmoothers(mg, smoothers));
  PetscCall(PlexHDGGetNotes(hdg, smoothers, notes));
  for (int k = 0; k < 2; ++k) {
    PetscBool same = PETSC_FALSE, own[2];

    if (!smoothers[k]) continue;
    PlexHDGChooseSmoother(hdg, &next[k]);
    PetscCall(PetscObjectGetId((PetscObject)smoothers[k], &next[k].id));
    PetscCall(PlexHDGSmootherIsOwn(hdg, smoothers[k], (PetscBool)k, notes[k], own));
    if (notes[k]) PetscCall(PetscStrcmp(next[k].iteration, notes[k]->iteration, &same));
    /* with a preconditioner of the program's its steps and their scale stay */
    if (own[0] && (own[1] || !same)) PetscCall(PlexHDGSetIteration(hdg, smoothers[k], next[k].iteration));
    if (own[1]) PetscCall(PlexHDGSetInverses(hdg, smoothers[k], next[k].type));
    if (!own[0]) next[k].iteration = notes[k]->iteration;
    if (!own[1]) next[k].type = notes[k]->type;
    next[k].own = own[1];
  }
  hdg->smoother[0] = next[0];
  hdg->smoother[1] = next[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGLevelsStay_Private(PlexHDG hdg, PC mg, PetscBool *stay)
{
  const PlexHDGLevel *notes[2];
  PetscObjectId       id;
  PetscInt            levels;
  PetscBool           set;
  KSP                 smoothers[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(PCMGGetLevels(mg, &levels));
  *stay = (PetscBool)(levels == (hdg->coarse->N ? 2 : 1));
  if (!*stay) PetscFunctionReturn(PETSC_SUCCESS);
  if (hdg->coarse->direct) {
    PetscCall(PCMGGetCoarseSolve(mg, &smoothers[0]));
    PetscCall(PetscObjectGetId((PetscObject)smoothers[0], &id));
    *stay = (PetscBool)(hdg->below.id == id);
  } else {
    PetscCall(PlexHDGGetSmoothers(mg, smoothers));
    PetscCall(PlexHDGGetNotes(hdg, smoothers, notes));
    *stay = (PetscBool)(notes[0] != NULL);
  }
  for (int k = 0; k < 2; ++k) { /* PCMG gives them all that they need where it is set up */
    if (!smoothers[k]) continue;
    PetscCall(KSPGetOperatorsSet(smoothers[k], &set, NULL));
    *stay = (PetscBool)(*stay && set);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSmoothsWithoutMatrix_Private(PlexHDG hdg, PC mg, PetscBool *serves)
{
  const PlexHDGLevel *notes[2];
  PetscBool           is, own[2];
  KSP                 smoothers[2];
  PCType              type;
  PC                  pc;

  PetscFunctionBegin;
  *serves = PETSC_TRUE;
  PetscCall(PetscObjectTypeCompare((PetscObject)mg, PCMG, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGGetSmoothers(mg, smoothers));
  PetscCall(PlexHDGGetNotes(hdg, smoothers, notes));
  for (int k = 0; k < 2; ++k) {
    if (!smoothers[k]) continue;
    PetscCall(PlexHDGSmootherIsOwn(hdg, smoothers[k], (PetscBool)k, notes[k], own));
    PetscCall(KSPGetPC(smoothers[k], &pc));
    PetscCall(PCGetType(pc, &type));
    PetscCall(PetscStrcmp(type, PCNONE, &is));
    *serves = (PetscBool)(*serves && (own[1] || is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
