/*
  Files of cuda/ whose kernels are the same for every problem. config/precompile.c compiles them for the library's
  installation; a program compiles what it does not find there.
*/
#include "backendimpl.h"

const char *const PlexKernelFiles[] = {"arrays/arrays.cu",
                                       "plan/blocks.cu",
                                       "plan/rows_steps.h",
                                       "assembly/runs_plan.h",
                                       "assembly/shared_plan.h",
                                       "assembly/pairs_plan.h",
                                       "assembly/partial_plan_steps.h",
                                       "assembly/symmetry_plan.h",
                                       "assembly/lines_plan.h",
                                       "assembly/exchange.cu",
                                       "dm/basis.h",
                                       "dm/boundary.cu",
                                       "dm/essential.cu",
                                       "dm/slots.cu",
                                       "dm/transfer.cu",
                                       "dg/accumulate.cu",
                                       "dg/convert.cu",
                                       "dg/decay.cu",
                                       "dg/extrema.cu",
                                       "dg/farfield.cu",
                                       "dg/impedance.cu",
                                       "dg/memory.cu",
                                       "dg/multirate.cu",
                                       "dg/probes.cu",
                                       "dg/series.cu",
                                       "dg/shock.cu",
                                       "dg/traces.cu",
                                       NULL};

/* What is compiled of a file that is listed there, with one definition */
PetscErrorCode PlexKernelFileGetSource(const char file[], char text[PETSC_MAX_PATH_LEN], const char **define)
{
  PetscBool listed = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0; PlexKernelFiles[k] && !listed; ++k) PetscCall(PetscStrcmp(file, PlexKernelFiles[k], &listed));
  PetscCheck(listed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not in PlexKernelFiles", file);
  PetscCall(PetscSNPrintf(text, PETSC_MAX_PATH_LEN, "#include \"%s\"\n", file));
  *define = PetscDefined(USE_64BIT_INDICES) ? "PLEX_INT64=1" : "PLEX_INT64=0";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCompileFile(PlexBackend b, const char file[], PlexModule *module)
{
  const char *define;
  char        text[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexKernelFileGetSource(file, text, &define));
  PetscCall(PlexBackendCompile(b, file, 1, &define, text, module));
  PetscFunctionReturn(PETSC_SUCCESS);
}
