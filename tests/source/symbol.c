static char help[] = "Symbols: functions named from their addresses, and the functions of a PetscDS.\n\n";

#include <plexgpu/private/sourceimpl.h>
#include "report.h"
#include <unistd.h>

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define POINT_RESULT const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar f[]

static void f0_static(POINT_ARGUMENTS, POINT_RESULT)
{
  f[0] = 4.;
}

static void f0_more(POINT_ARGUMENTS, POINT_RESULT)
{
  f[0] += u[0];
}

static void f1_static(POINT_ARGUMENTS, POINT_RESULT)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d];
}

void f0_exported(POINT_ARGUMENTS, POINT_RESULT);
void f0_exported(POINT_ARGUMENTS, POINT_RESULT)
{
  f[0] = u[0] - 1.;
}

static void g0_static(POINT_ARGUMENTS, PetscReal shift, POINT_RESULT)
{
  f[0] = shift;
}

static void g3_static(POINT_ARGUMENTS, PetscReal shift, POINT_RESULT)
{
  for (PetscInt d = 0; d < dim; ++d) f[d * dim + d] = 1.;
}

/* What compilers make of names: one that they have copied, and one function for two */
static void copied(POINT_ARGUMENTS, POINT_RESULT) __asm__("f0_copied.constprop.0");
static void copied(POINT_ARGUMENTS, POINT_RESULT)
{
  f[0] = 5.;
}

void f0_folded(POINT_ARGUMENTS, POINT_RESULT) __attribute__((alias("f0_exported")));

PetscReal        symbol_exported[3] = {1., 2., 3.};
static PetscReal symbol_static      = 4.;

static PetscErrorCode CheckVariable(PetscVoidFn *fn, const char name[], const char file[], const void *expected,
                                    size_t bytes, const char what[])
{
  void     *address;
  size_t    size;
  PetscBool absent;

  PetscFunctionBegin;
  PetscCall(PlexSymbolVariable(fn, name, file, &address, &size, &absent));
  PetscCall(PlexTestReportOf((PetscBool)(address == expected && size == bytes), name, what, "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both names of a function that has two */
static PetscErrorCode TestFolded(void)
{
  char   **names, **files;
  PetscInt n, found = 0;

  PetscFunctionBegin;
  PetscCall(PlexSymbolNames((PetscVoidFn *)f0_folded, &n, &names, &files));
  for (PetscInt k = 0; k < n; ++k) found += !strcmp(names[k], "f0_folded") + !strcmp(names[k], "f0_exported");
  PetscCall(PlexTestReportOf((PetscBool)(n == 2 && found == 2), "f0_folded", "both names of one address", "differs"));
  PetscCall(PlexSymbolNamesDestroy(n, &names, &files));
  PetscCall(PlexSymbolNames((PetscVoidFn *)f0_static, &n, &names, &files));
  PetscCall(PlexTestReportOf((PetscBool)(n == 1 && files[0] && !strcmp(files[0], "symbol.c")), "f0_static",
                             "the file of a static function", "differs"));
  PetscCall(PlexSymbolNamesDestroy(n, &names, &files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckName(PetscVoidFn *fn, const char expected[], const char what[])
{
  char     *name;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PlexSymbolName(fn, &name));
  PetscCall(PetscStrcmp(name, expected, &same));
  PetscCall(PlexTestReportOf(same, name ? name : "(none)", what, "differs"));
  PetscCall(PetscFree(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckFunctions(const PlexFunctions *functions, PetscInt n, const char *const names[],
                                     const char what[])
{
  PetscBool ok = functions->n == n ? PETSC_TRUE : PETSC_FALSE, same;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n && ok; ++k) {
    PetscCall(PetscStrcmp(functions->names[k], names[k], &same));
    if (!same || !functions->fn[k]) ok = PETSC_FALSE;
  }
  PetscCall(PlexTestReportOf(ok, "form", what, "differs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two fields; f0 of field 0 is a sum of two functions, the Jacobian has blocks (0,0) and (1,0) */
static PetscErrorCode TestForm(void)
{
  DM                dm;
  PetscDS           ds;
  PetscWeakForm     wf;
  PetscFE           fe;
  PlexForm          form;
  PlexIntegral      integral;
  const PetscScalar constants[2] = {1., 2.};
  PetscInt          filled       = 0;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, NULL, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, 1, 2, &fe));
  for (PetscInt f = 0; f < 2; ++f) PetscCall(DMSetField(dm, f, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PlexIntegralSetRegion(dm, 0, &integral));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSSetResidual(ds, 0, f0_static, f1_static));
  PetscCall(PetscWeakFormAddResidual(wf, NULL, 0, 0, 0, f0_more, NULL));
  PetscCall(PetscDSSetResidual(ds, 1, f0_exported, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_static));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, g0_static, NULL, NULL, NULL));
  PetscCall(PlexFormCreateIntegral(dm, &integral, &form));
  PetscCall(CheckFunctions(&form->f[0][0], 2, (const char *const[]){"f0_static", "f0_more"}, "f0 of field 0"));
  PetscCall(CheckFunctions(&form->f[1][0], 1, (const char *const[]){"f1_static"}, "f1 of field 0"));
  PetscCall(CheckFunctions(&form->f[0][1], 1, (const char *const[]){"f0_exported"}, "f0 of field 1"));
  PetscCall(CheckFunctions(&form->f[1][1], 0, NULL, "f1 of field 1"));
  PetscCall(CheckFunctions(&form->g[3][0], 1, (const char *const[]){"g3_static"}, "g3 of fields 0, 0"));
  PetscCall(CheckFunctions(&form->g[0][2], 1, (const char *const[]){"g0_static"}, "g0 of fields 1, 0"));
  for (PetscInt k = 0; k < 16; ++k) filled += form->g[k / 4][k % 4].n;
  PetscCall(PlexTestReportOf(form->Nf == 2 && form->numConstants == 2 && filled == 2 ? PETSC_TRUE : PETSC_FALSE, "form",
                             "sizes", "differs"));
  PetscCall(PlexTestReportOf(!form->hasPreconditioner && !form->hasDynamic ? PETSC_TRUE : PETSC_FALSE, "form",
                             "no preconditioner, no dynamic Jacobian", "differs"));
  PetscCall(PlexFormDestroy(&form));
  PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 0, g0_static, NULL, NULL, NULL));
  PetscCall(PetscDSSetDynamicJacobian(ds, 0, 0, g0_static, NULL, NULL, NULL));
  PetscCall(PlexFormCreateIntegral(dm, &integral, &form));
  PetscCall(PlexTestReportOf(form->hasPreconditioner && form->hasDynamic ? PETSC_TRUE : PETSC_FALSE, "form",
                             "preconditioner and dynamic Jacobian", "differs"));
  PetscCall(PlexFormDestroy(&form));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char *name;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(!chdir("/"), PETSC_COMM_SELF, PETSC_ERR_SYS, "Cannot leave the folder of the program");
  PetscCall(CheckName((PetscVoidFn *)f0_static, "f0_static",
                      "static function of a program started by a relative path"));
  PetscCall(CheckName((PetscVoidFn *)f0_exported, "f0_exported", "exported function of the program"));
  PetscCall(CheckName((PetscVoidFn *)VecNorm, "VecNorm", "function of a library"));
  PetscCall(PlexSymbolName(NULL, &name));
  PetscCall(PlexTestReportOf(name ? PETSC_FALSE : PETSC_TRUE, "NULL", "no name", "differs"));
  PetscCall(PlexSymbolName((PetscVoidFn *)((char *)f0_static + 1), &name));
  PetscCall(PlexTestReportOf(name ? PETSC_FALSE : PETSC_TRUE, "address inside a function", "no name", "differs"));
  PetscCall(PetscFree(name));
  PetscCall(CheckName((PetscVoidFn *)copied, "f0_copied", "without the compiler's suffix"));
  PetscCall(TestFolded());
  symbol_static += argc; /* else it is a constant */
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "symbol_exported", NULL, symbol_exported, sizeof(symbol_exported),
                          "address of an exported variable"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "symbol_static", "symbol.c", &symbol_static, sizeof(symbol_static),
                          "address of a static variable"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "symbol_static", "", &symbol_static, sizeof(symbol_static),
                          "address of a static variable of some file"));
  PetscCall(CheckVariable(NULL, "symbol_static", "symbol.c", &symbol_static, sizeof(symbol_static),
                          "address of a static variable of the program"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "symbol_static", "other.c", NULL, 0, "none of another file"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "symbol_static", NULL, &symbol_static, sizeof(symbol_static),
                          "hidden variables of a program are local in it"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "f0_exported", NULL, NULL, 0, "a function is no variable"));
  PetscCall(CheckVariable((PetscVoidFn *)VecNorm, "PETSC_VIEWER_STDOUT_nowhere", NULL, NULL, 0, "no address"));
  PetscCall(CheckVariable((PetscVoidFn *)f0_static, "VEC_CLASSID", NULL, &VEC_CLASSID, sizeof(VEC_CLASSID),
                          "address of a library's variable"));
  PetscCall(TestForm());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
