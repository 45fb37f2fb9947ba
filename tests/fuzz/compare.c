/*
  A problem by PETSc and in several ways by PlexAssembly, round after round with other constants, values and times.

  Tolerances. Of a residual an entry may differ by TOLERANCE of the largest entry of its field; of a matrix by TOLERANCE
  of the largest entry of its row, or of FLOOR of the largest of the matrix where that is more: rows may cancel, and
  whole matrices too, of which Cancelled() is what may be left. Rounding is four orders below, errors of one element are
  far above.
*/
#include "fuzz.h"
#include "report.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOLERANCE 1e-9
#define FLOOR     1e-4
#define WAYS      4

typedef struct {
  const PlexFuzzCase    *c;
  const PlexFuzzLibrary *library;
  PlexFuzzResult        *result;
  const PlexFuzzWay     *way;
  PetscInt               round;
  DM                     dm;
  Vec                    X, Xt, F; /* F, J: by PETSc */
  Mat                    J;
  PetscBool              finite[2];
  PlexAssembly           assembly;
} Job;

/* ---- comparison */

typedef struct {
  double error; /* over the tolerance: above 1 is different */
  int    rank;
} Worst;

/* The worst of all processes, with its text */
static PetscErrorCode Verdict(Job *job, double error, const char text[])
{
  Worst       worst = {error, 0};
  PetscMPIInt rank;
  char        said[1024];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  worst.rank = rank;
  PetscCall(PetscStrncpy(said, text, sizeof(said)));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(said, sizeof(said), MPI_CHAR, worst.rank, PETSC_COMM_WORLD));
  ++job->result->compared;
  if (worst.error <= 1.) PetscFunctionReturn(PETSC_SUCCESS);
  ++job->result->different;
  if (job->result->verdict != PLEX_FUZZ_SAME) PetscFunctionReturn(PETSC_SUCCESS);
  job->result->verdict = PLEX_FUZZ_DIFFERENT;
  job->result->way     = *job->way;
  PetscCall(PetscSNPrintf(job->result->what, sizeof(job->result->what), "round %" PetscInt_FMT ", %s", job->round,
                          said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Largest(PetscInt n, const PetscScalar x[], PetscBool *finite)
{
  PetscReal most = 0.;

  for (PetscInt k = 0; k < n; ++k) {
    if (PetscIsInfOrNanScalar(x[k])) *finite = PETSC_FALSE;
    most = PetscMax(most, PetscAbsScalar(x[k]));
  }
  return most;
}

/* The error of an entry over what it may be; what is no number is as wrong as can be */
static double Error(PetscScalar here, PetscScalar petsc, PetscReal tolerance)
{
  const PetscReal d = PetscAbsScalar(here - petsc);

  if (d == 0.) return 0.;
  return d <= tolerance ? (double)(d / tolerance) : d < 1e100 * tolerance ? (double)(d / tolerance) : 1e100;
}

/* What rounding leaves where all contributions cancel, as in a periodic mesh: of laws that are squares of the solution
   at most */
static PetscReal Cancelled(const PlexFuzzCase *c)
{
  PetscReal most = 0.;

  for (PetscInt f = 0; f < c->Nf; ++f) most = PetscMax(most, PetscAbsReal(c->fields[f].shift) + c->fields[f].scale);
  return (c->mesh == PLEX_FUZZ_PERIODIC ? 1e-12 : 1e-13) + 1e-15 * (1. + most) * (1. + most);
}

static PetscErrorCode CompareResidual(Job *job, Vec F)
{
  PetscReal          most[PLEX_FUZZ_FIELDS] = {0., 0., 0.};
  double             worst                  = 0.;
  char               text[1024]             = "";
  const PetscScalar *x, *y;
  PetscSection       section;
  PetscInt           pStart, pEnd, n, at;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(job->dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(VecGetArrayRead(F, &x));
  PetscCall(VecGetArrayRead(job->F, &y));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt p = pStart; p < pEnd; ++p) {
      for (PetscInt f = 0; f < job->c->Nf; ++f) {
        PetscCall(PetscSectionGetFieldDof(section, p, f, &n));
        PetscCall(PetscSectionGetFieldOffset(section, p, f, &at));
        if (!pass) most[f] = PetscMax(most[f], Largest(n, y + at, &job->finite[0]));
        for (PetscInt k = at; pass && k < at + n; ++k) {
          const double error = Error(x[k], y[k], TOLERANCE * most[f] + Cancelled(job->c));

          if (error <= worst) continue;
          worst = error;
          PetscCall(PetscSNPrintf(text, sizeof(text),
                                  "residual, field %" PetscInt_FMT ", entry %" PetscInt_FMT
                                  ": %.10g here, %.10g by PETSc; the field's largest is %.3g",
                                  f, k, (double)PetscRealPart(x[k]), (double)PetscRealPart(y[k]), (double)most[f]));
        }
      }
    }
    if (!pass) {
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, PLEX_FUZZ_FIELDS, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &job->finite[0], 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
    }
  }
  PetscCall(VecRestoreArrayRead(F, &x));
  PetscCall(VecRestoreArrayRead(job->F, &y));
  if (job->finite[0]) PetscCall(Verdict(job, worst, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareJacobian(Job *job, Mat J)
{
  PetscReal most       = 0.;
  double    worst      = 0.;
  char      text[1024] = "";
  PetscInt  rStart, rEnd;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &rStart, &rEnd));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt row = rStart; row < rEnd; ++row) {
      const PetscScalar *x, *y;
      const PetscInt    *columns;
      PetscInt           n, m;
      PetscReal          largest;

      PetscCall(MatGetRow(job->J, row, &n, &columns, &y));
      largest = Largest(n, y, &job->finite[1]);
      if (!pass) most = PetscMax(most, largest);
      else {
        PetscCall(MatGetRow(J, row, &m, NULL, &x));
        PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "Row %" PetscInt_FMT " has %" PetscInt_FMT " entries, not %" PetscInt_FMT, row, m, n);
        for (PetscInt k = 0; k < n; ++k) {
          const double error = Error(x[k], y[k], TOLERANCE * PetscMax(largest, FLOOR * most) + Cancelled(job->c));

          if (error <= worst) continue;
          worst = error;
          PetscCall(PetscSNPrintf(text, sizeof(text),
                                  "Jacobian, row %" PetscInt_FMT ", column %" PetscInt_FMT
                                  ": %.10g here, %.10g by PETSc; the row's largest is %.3g, the matrix's %.3g",
                                  row, columns[k], (double)PetscRealPart(x[k]), (double)PetscRealPart(y[k]),
                                  (double)largest, (double)most));
        }
        PetscCall(MatRestoreRow(J, row, &m, NULL, &x));
      }
      PetscCall(MatRestoreRow(job->J, row, &n, &columns, &y));
    }
    if (!pass) {
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
      PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &job->finite[1], 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
    }
  }
  if (job->finite[1]) PetscCall(Verdict(job, worst, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by PETSc, and here */

/* The same error on all processes, if any */
static PetscErrorCode Make(void *ctx)
{
  Job *job = (Job *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexFuzzProblemCreate(job->c, job->library, &job->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Reference(void *ctx)
{
  Job            *job = (Job *)ctx;
  const PetscInt  k   = job->round;
  const PetscReal t = job->c->time[k], shift = job->c->shift[k];

  PetscFunctionBegin;
  PetscCall(PlexFuzzProblemSetRound(job->c, job->library, k, job->dm, &job->X, &job->Xt));
  PetscCall(VecDuplicate(job->X, &job->F));
  PetscCall(VecSet(job->F, 0.));
  if (!job->J) PetscCall(DMCreateMatrix(job->dm, &job->J));
  if (job->Xt) {
    PetscCall(DMPlexTSComputeIFunctionFEM(job->dm, t, job->X, job->Xt, job->F, NULL));
    PetscCall(DMPlexTSComputeIJacobianFEM(job->dm, t, job->X, job->Xt, shift, job->J, job->J, NULL));
  } else {
    PetscCall(DMPlexSNESComputeResidualFEM(job->dm, job->X, job->F, NULL));
    PetscCall(DMPlexSNESComputeJacobianFEM(job->dm, job->X, job->J, job->J, NULL));
  }
  job->finite[0] = job->finite[1] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Here(void *ctx)
{
  PlexAssemblyCounts counts;
  Job               *job = (Job *)ctx;
  const PetscInt     k   = job->round;
  const PetscReal    t = job->c->time[k], shift = job->c->shift[k];
  PetscInt           left[2], now[2];
  Vec                F;
  Mat                J;

  PetscFunctionBegin;
  if (!job->assembly) {
    PetscCall(PlexAssemblyCreate(job->dm, &job->assembly));
    PetscCall(PlexAssemblySetFromOptions(job->assembly));
    PetscCall(PlexAssemblySetBackend(job->assembly, job->way->backend));
    if (job->way->type) PetscCall(PlexAssemblySetType(job->assembly, PlexFuzzTypes[job->way->type]));
    PetscCall(PlexAssemblySetIntegration(job->assembly, job->way->integration));
    PetscCall(PlexAssemblySetPointwiseSource(job->assembly, job->library->source));
  }
  PetscCall(PlexAssemblyGetCounts(job->assembly, &counts));
  left[0] = counts.residualsLeft;
  left[1] = counts.jacobiansLeft;
  PetscCall(VecDuplicate(job->X, &F));
  PetscCall(VecSet(F, 5.)); /* must not matter */
  PetscCall(PlexAssemblyComputeFunction(job->assembly, job->X, job->Xt, t, F));
  PetscCall(PlexAssemblyGetCounts(job->assembly, &counts));
  now[0] = counts.residualsLeft;
  now[1] = counts.jacobiansLeft;
  if (now[0] == left[0]) PetscCall(CompareResidual(job, F));
  PetscCall(VecDestroy(&F));
  PetscCall(DMCreateMatrix(job->dm, &J));
  PetscCall(PlexAssemblyComputeJacobian(job->assembly, job->X, job->Xt, t, shift, J, J));
  PetscCall(PlexAssemblyGetCounts(job->assembly, &counts));
  now[0] = counts.residualsLeft;
  now[1] = counts.jacobiansLeft;
  if (now[1] == left[1]) PetscCall(CompareJacobian(job, J));
  PetscCall(MatDestroy(&J));
  job->result->left += now[0] - left[0] + now[1] - left[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Like PlexTestTry(); on several processes an error of one ends all, as the others may wait for it */
static PetscErrorCode Try(PetscErrorCode (*f)(void *), Job *job, PetscErrorCode *ierr, char text[], size_t size)
{
  PetscMPIInt n;

  PetscFunctionBegin;
  *ierr = PETSC_SUCCESS;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &n));
  if (n > 1) PetscCall((*f)(job));
  else PetscCall(PlexTestTry(f, job, ierr, text, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const PlexFuzzCase *c, const PlexFuzzLibrary *library, PetscInt nways,
                              const PlexFuzzWay ways[], PlexFuzzResult *result)
{
  PlexAssembly   assembly[WAYS] = {NULL};
  Job            job            = {.c = c, .library = library, .result = result};
  char           text[4096]     = "";
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(nways <= WAYS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "At most %d ways", WAYS);
  PetscCall(PlexTestTry(Make, &job, &ierr, text, sizeof(text)));
  if (ierr) {
    ++result->impossible;
    PetscCall(PetscSNPrintf(result->what, sizeof(result->what), "PETSc: %s", text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (job.round = 0; job.round < c->rounds && result->verdict == PLEX_FUZZ_SAME; ++job.round) {
    result->here = PETSC_FALSE;
    PetscCall(Try(Reference, &job, &ierr, text, sizeof(text)));
    if (ierr) { /* what is left of it is given up */
      ++result->impossible;
      PetscCall(PetscSNPrintf(result->what, sizeof(result->what), "PETSc: %s", text));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    result->here = PETSC_TRUE;
    for (PetscInt w = 0; w < nways; ++w) {
      job.way      = &ways[w];
      job.assembly = assembly[w];
      if (result->verdict == PLEX_FUZZ_SAME) result->way = ways[w];
      PetscCall(Try(Here, &job, &ierr, text, sizeof(text)));
      if (ierr) {
        result->verdict = PLEX_FUZZ_ERROR;
        result->way     = ways[w];
        ++result->different;
        PetscCall(PetscSNPrintf(result->what, sizeof(result->what), "round %" PetscInt_FMT ", %s", job.round, text));
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      assembly[w] = job.assembly;
    }
    PetscCall(VecDestroy(&job.X));
    PetscCall(VecDestroy(&job.Xt));
    PetscCall(VecDestroy(&job.F));
  }
  for (PetscInt w = 0; w < nways; ++w) PetscCall(PlexAssemblyDestroy(&assembly[w]));
  PetscCall(MatDestroy(&job.J));
  PetscCall(DMDestroy(&job.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The child's part: what kills it is seen by its parent */
static void Child(const PlexFuzzCase *c, const PlexFuzzLibrary *library, PetscInt nways, const PlexFuzzWay ways[],
                  PetscBool quiet, PlexFuzzResult *result)
{
  const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(signals); ++k) (void)signal(signals[k], SIG_DFL);
  (void)alarm(PLEX_FUZZ_HANGS);
  if (quiet) { /* what is left to PETSc, each time anew; assertions */
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(2);
  }
  _exit(Compare(c, library, nways, ways, result) ? 1 : 0);
}

PetscErrorCode PlexFuzzCompare(const PlexFuzzCase *c, const PlexFuzzLibrary *library, PetscInt nways,
                               const PlexFuzzWay ways[], PlexFuzzApart apart, PlexFuzzResult *result)
{
  PlexFuzzResult *shared;
  PetscMPIInt     n;
  pid_t           pid;
  int             status = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(result, sizeof(*result)));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &n));
  if (n > 1 || apart == PLEX_FUZZ_TOGETHER) {
    PetscCall(Compare(c, library, nways, ways, result));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  shared = (PlexFuzzResult *)mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  PetscCheck(shared != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_MEM, "No shared memory");
  (void)fflush(NULL);
  pid = fork();
  PetscCheck(pid >= 0, PETSC_COMM_SELF, PETSC_ERR_SYS, "No other process");
  if (!pid) Child(c, library, nways, ways, (PetscBool)(apart == PLEX_FUZZ_QUIET), shared);
  while (waitpid(pid, &status, 0) < 0) { }
  *result = *shared;
  (void)munmap(shared, sizeof(*shared));
  if (!status) PetscFunctionReturn(PETSC_SUCCESS);
  if (!result->here) {
    ++result->impossible;
    PetscCall(PetscSNPrintf(result->what, sizeof(result->what), "PETSc: %s",
                            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "an error"));
  } else if (result->verdict == PLEX_FUZZ_SAME) {
    result->verdict = PLEX_FUZZ_CRASH;
    ++result->different;
    PetscCall(PetscSNPrintf(result->what, sizeof(result->what), "%s",
                            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status of an error"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
