/* How a test says what it found: a line "ok NAME" or "not ok NAME (details)" for each thing looked at. */
#pragma once

#include <petscsys.h>

/* Prints the line; details, as for printf(), only when not ok. Of several processes the first one says which. */
PetscErrorCode PlexTestReport(PetscBool ok, const char name[], const char details[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);

/* Likewise of a thing that is part of another: "ok OF: WHAT" */
PetscErrorCode PlexTestReportOf(PetscBool ok, const char of[], const char what[], const char details[], ...)
  PETSC_ATTRIBUTE_FORMAT(4, 5);

/* Calls f(ctx) with PETSc's error handler put aside: *ierr is what it returns, and text[size] the message of the error,
   empty where there was none */
PetscErrorCode PlexTestTry(PetscErrorCode (*f)(void *), void *ctx, PetscErrorCode *ierr, char text[], size_t size);

/* Calls f(ctx), which is to fail with a message that has all the words, of which the last is followed by NULL */
PetscErrorCode PlexTestExpect(const char name[], PetscErrorCode (*f)(void *), void *ctx, const char *const words[]);
#define EXPECT(name, f, ctx, ...) PetscCall(PlexTestExpect(name, f, ctx, (const char *const[]){__VA_ARGS__, NULL}))

/* Calls f(ctx); text[size] is what PetscPrintf() and PETSc's standard viewers print in the meantime */
PetscErrorCode PlexTestCapture(PetscErrorCode (*f)(void *), void *ctx, char text[], size_t size);

/* The backends to try: those that the environment variable PLEXGPU_TEST_BACKENDS lists, by default host,emulate, or the
   option -backend. Those that are not available are left out, and a line "skip BACKEND: ..." says so, once. */
PetscErrorCode PlexTestBackends(PetscInt *n, const char *const **backends);

/* Tests all of them: those that compile kernels by kernels(backend); the host by host(), on one process, NULL: not at
   all. The option -shard <k>/<n> is for PlexTestWanted(), which says of the next part of a test whether it is for this
   run: every n-th one is, from the k-th */
PetscErrorCode PlexTestEachBackend(PetscErrorCode (*kernels)(const char backend[]), PetscErrorCode (*host)(void));
PetscBool      PlexTestWanted(void);

/* Whether cuda is the only one: whole programs then have vectors and matrices of CUDA types */
PetscErrorCode PlexTestOnDevice(PetscBool *device);

/* Whether long cases are run, too: on a GPU, and where the environment variable PLEXGPU_TEST_LONG is yes, as `make check LONG=yes` sets
   it. Else what is left is to find what breaks, in seconds, and the long cases show the numbers of the documentation */
PetscBool PlexTestLong(void);

/* Emulated kernels of this test run for so short a time that they are compiled without optimization, unless the
   environment asks for other flags than tests/environment. Before the first kernel is compiled */
PetscErrorCode PlexTestQuickKernels(void);

/* All bytes of a file, and a zero behind them; PetscFree() them */
PetscErrorCode PlexTestReadFile(const char path[], char **bytes, size_t *n);
/* A file that is there keeps owner and mode */
PetscErrorCode PlexTestWriteFile(const char path[], const char bytes[], size_t n);

/* What main() does where none of a test can be run: says so, and returns 0 */
int PlexTestSkip(int argc, char **argv, const char help[], const char why[]);

/* What main() returns: 1 where anything was not ok, 0 else */
int PlexTestStatus(void);

/* build/tests/BASE-ID.END, of these processes alone, as runs of a test may be beside each other; and removes it at last.
   Collective */
PetscErrorCode PlexTestOwnFile(const char base[], const char end[], size_t n, char file[]);
PetscErrorCode PlexTestRemoveFile(const char file[]);
