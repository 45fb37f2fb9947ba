/*
  Package start-up: classes, events, and every backend and strategy registered in one place each.
*/
#include <plexgpu.h> /*I "plexgpubackend.h" I*/
#include <plexgpu/private/backendimpl.h>
#include "dm/elementsimpl.h" /* PlexTakeRegister_Private() */
#include "util/cite.h"
#include "util/help.h"
#include "util/hint.h"
#include "util/progress.h"
#include "util/samepetsc.h"
#include "view/viewimpl.h"

PetscLogEvent PLEX_SetUp, PLEX_Plan, PLEX_Compile, PLEX_Residual, PLEX_Jacobian, PLEX_Action, PLEX_Integrate,
  PLEX_Reduce, PLEX_Boundary, PLEX_Exchange, PLEX_Tune, PLEX_DGRHS;
PetscLogEvent PLEX_HDGMesh, PLEX_HDGData, PLEX_HDGTransfer, PLEX_HDGLevels, PLEX_HDGLocal, PLEX_HDGAssemble,
  PLEX_HDGRHS, PLEX_HDGSolve, PLEX_HDGSpread, PLEX_HDGRecover, PLEX_HDGPost;

static PetscBool PlexGPUPackageInitialized = PETSC_FALSE;

PETSC_EXTERN PetscErrorCode PlexBackendRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexBackendFinalize(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyFinalize(void);
PETSC_INTERN PetscErrorCode MatCreate_PlexGPU(Mat);
PETSC_INTERN PetscErrorCode PCCreate_PlexPMG(PC);
PETSC_INTERN PetscErrorCode PlexTunerRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverRegister_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeOverFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexTakeProjectionNew_Private(DM, DM);
PETSC_INTERN PetscErrorCode PlexAssemblyLeftFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexForeignFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexLiveInitialize_Private(void);
PETSC_INTERN PetscErrorCode PlexDGRegisterAll_Private(void);
PETSC_INTERN PetscErrorCode PlexDGFinalize_Private(void);
PETSC_INTERN PetscErrorCode PlexSamplerCreate_HDG(PetscObject, Vec, PetscReal, const char[], PlexSampler);

/*@C
  PlexGPUFinalizePackage - Releases what PlexGPU keeps for the whole run. Called by `PetscFinalize()`.

  Level: developer

.seealso: `PlexGPUInitializePackage()`, `PetscFinalize()`
@*/
PetscErrorCode PlexGPUFinalizePackage(void)
{
  PetscFunctionBegin;
  PetscCall(PlexProgressFinalize_Private());
  PetscCall(PlexHintFinalize_Private());
  PetscCall(PlexCiteFinalize_Private());
  PetscCall(PlexTakeOverFinalize_Private());
  PetscCall(PlexAssemblyLeftFinalize_Private());
  PetscCall(PlexForeignFinalize_Private());
  PetscCall(PlexAssemblyFinalize());
  PetscCall(PlexDGFinalize_Private());
  PetscCall(PlexBackendFinalize());
  PetscCall(PlexThreadsEnd());
  PlexGPUPackageInitialized = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options from the environment variable PLEXGPU_OPTIONS, for programs that take none. Those of the options database
   win. */
static PetscErrorCode PlexGPUInsertOptions(void)
{
  const char  *text = getenv("PLEXGPU_OPTIONS");
  PetscOptions options;
  char       **names, **values, name[256];
  PetscInt     n;

  PetscFunctionBegin;
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, text));
  PetscCall(PetscOptionsLeftGet(options, &n, &names, &values)); /* nobody has looked at them: all */
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool set;

    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s", names[k]));
    PetscCall(PetscOptionsHasName(NULL, NULL, name, &set));
    if (!set) PetscCall(PetscOptionsSetValue(NULL, name, values[k]));
  }
  PetscCall(PetscOptionsLeftRestore(options, &n, &names, &values));
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the whole library, for -help, each of which is read where it is needed */
static PetscErrorCode PlexGPUHelp(void)
{
  const PlexHelp options[] = {
    {"-plexgpu_progress",         "true",                   "Lines on stderr that say what takes more than 5 s",                  "PlexGPUInitializePackage"},
    {"-plexgpu_hint",             "true",                   "A line on stderr at the end where a GPU was left idle",              "PlexGPUInitializePackage"},
    {"-plex_image_field",         "name",                   "Of pictures: field",                                                 "PlexImageSetField"       },
    {"-plex_image_component",     "c",                      "Of pictures: component of a vector; without it, its length",         "PlexImageSetField"       },
    {"-plex_image_range",         "low,high",               "Of pictures: values of first and last colour",                       "PlexImageSetRange"       },
    {"-plex_image_size",          "width,height",           "Of pictures: pixels",                                                "PlexImageSetSize"        },
    {"-plex_image_window",        "left,right,lower,upper", "Of pictures: what is seen",                                          "PlexImageSetWindow"      },
    {"-plex_image_point",         "x,y,z",                  "Of pictures: point of the plane that cuts a mesh in space",          "PlexImageSetPlane"       },
    {"-plex_image_normal",        "x,y,z",                  "Of pictures: its normal",                                            "PlexImageSetPlane"       },
    {"-plex_image_divide",        "n",                      "Of pictures: intervals of an edge, linear between",                  "PlexImageSetFromOptions" },
    {"-plexgpu_cache_dir",        "folder",                 "Where compiled kernels are kept",                                    "PlexBackendCreate"       },
    {"-plexgpu_source_dir",       "folder",                 "Where the device sources are",                                       "PlexBackendCreate"       },
    {"-plexgpu_threads",          "cores, to 16",           "Threads of set-up on the host",                                      "PlexGPUInitializePackage"},
    {"-plexgpu_threads_least",    "items",                  "Items that a thread has at least, for tests on small meshes",
     "PlexGPUInitializePackage"                                                                                                                             },
    {"-plex_hdf5_parallel",       "bool",                   "Files are written by all processes, or by the first; by their size",
     "PlexGPUInitializePackage"                                                                                                                             },
    {"-plex_hdf5_parallel_bytes", "1e8",                    "Bytes from which on all processes write a file",                     "PlexGPUInitializePackage"}
  };

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "PlexGPU options", "PlexGPU");
  PetscCall(PlexHelpSay(PetscOptionsObject, options));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexGPUGetVersion - Gives the version of the library that the program runs with, where `PLEXGPU_VERSION` of
  `plexgpuversion.h` is the one that it was compiled with

  Not Collective

  Input Parameter:
. len - characters that there is room for, 16 do

  Output Parameter:
. version - as "0.2.0"

  Level: beginner

.seealso: `PlexGPUGetVersionNumber()`, `PetscGetVersion()`
@*/
PetscErrorCode PlexGPUGetVersion(char version[], size_t len)
{
  PetscFunctionBegin;
  PetscAssertPointer(version, 1);
  PetscCall(PetscStrncpy(version, PLEXGPU_VERSION, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexGPUGetVersionNumber - Gives the numbers of the version of the library that the program runs with

  Not Collective

  Output Parameters:
+ major    - rises, from 1 on, where programs have to be changed
. minor    - rises with what is new
- subminor - rises with what is repaired

  Level: beginner

  Note:
  `NULL` for a number that is not wanted.

.seealso: `PlexGPUGetVersion()`, `PetscGetVersionNumber()`
@*/
PetscErrorCode PlexGPUGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor)
{
  PetscFunctionBegin;
  if (major) *major = PLEXGPU_VERSION_MAJOR;
  if (minor) *minor = PLEXGPU_VERSION_MINOR;
  if (subminor) *subminor = PLEXGPU_VERSION_SUBMINOR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexGPUInitializePackage - Registers PlexGPU's classes, events, backends, strategies and order of dofs
  (`PLEXREORDERHILBERT`). Called by `PlexAssemblyCreate()` and `PlexBackendCreate()`, and by PETSc when the library is
  loaded with `-dll_append`.

  Options Database Keys:
+ -help plexgpu                   - all options of the library, and nothing else
. -citations [file]               - what to cite, with the papers of what the program has used
. -plexgpu_progress (true|false)  - lines on stderr that say which set-up, compilation or tuning takes more than 5 s
. -plexgpu_hint (true|false)      - a line on stderr at the end of a run that has left a GPU idle
. -plexgpu_threads n              - threads of set-up on the host; default the cores that the process may run on, at
                                    most 16, shared out among the processes of the node
. -plexgpu_threads_least n        - items that a thread has at least
. -plex_hdf5_parallel (true|false) - files are written by all processes, or by the first one
- -plex_hdf5_parallel_bytes bytes - of a file, from which on all processes write it

  Level: developer

  Note:
  Options in the environment variable `PLEXGPU_OPTIONS` are put into the options database, unless they are there
  already.

.seealso: `PlexGPUFinalizePackage()`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexGPUInitializePackage(void)
{
  /* a process without elements has none of these */
  PetscLogEvent *const own[] = {&PLEX_Plan, &PLEX_Compile, &PLEX_Integrate, &PLEX_Reduce, &PLEX_HDGTransfer};

  PetscFunctionBegin;
  if (PlexGPUPackageInitialized) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSamePETSc_Private());
  PlexGPUPackageInitialized = PETSC_TRUE;
  PetscCall(PlexGPUInsertOptions());
  PetscCall(PlexProgressInitialize_Private());
  PetscCall(PlexHintInitialize_Private());
  PetscCall(PlexGPUHelp());
  PetscCall(PetscClassIdRegister("Plex Backend", &PLEXBACKEND_CLASSID));
  PetscCall(PetscClassIdRegister("Plex Assembly", &PLEXASSEMBLY_CLASSID));
  PetscCall(PetscClassIdRegister("Plex DG", &PLEXDG_CLASSID));
  PetscCall(PetscClassIdRegister("Plex HDG", &PLEXHDG_CLASSID));
  PetscCall(PetscClassIdRegister("Plex Image", &PLEXIMAGE_CLASSID));
  PetscCall(PetscLogEventRegister("PlexSetUp", PLEXASSEMBLY_CLASSID, &PLEX_SetUp));
  PetscCall(PetscLogEventRegister("PlexPlan", PLEXASSEMBLY_CLASSID, &PLEX_Plan));
  PetscCall(PetscLogEventRegister("PlexCompile", PLEXASSEMBLY_CLASSID, &PLEX_Compile));
  PetscCall(PetscLogEventRegister("PlexResidual", PLEXASSEMBLY_CLASSID, &PLEX_Residual));
  PetscCall(PetscLogEventRegister("PlexJacobian", PLEXASSEMBLY_CLASSID, &PLEX_Jacobian));
  PetscCall(PetscLogEventRegister("PlexAction", PLEXASSEMBLY_CLASSID, &PLEX_Action));
  PetscCall(PetscLogEventRegister("PlexIntegrate", PLEXASSEMBLY_CLASSID, &PLEX_Integrate));
  PetscCall(PetscLogEventRegister("PlexReduce", PLEXASSEMBLY_CLASSID, &PLEX_Reduce));
  PetscCall(PetscLogEventRegister("PlexExchange", PLEXASSEMBLY_CLASSID, &PLEX_Exchange));
  PetscCall(PetscLogEventRegister("PlexBoundary", PLEXASSEMBLY_CLASSID, &PLEX_Boundary));
  PetscCall(PetscLogEventRegister("PlexTune", PLEXASSEMBLY_CLASSID, &PLEX_Tune));
  PetscCall(PetscLogEventRegister("PlexDGRHS", PLEXDG_CLASSID, &PLEX_DGRHS));
  PetscCall(PetscLogEventRegister("PlexHDGMesh", PLEXHDG_CLASSID, &PLEX_HDGMesh));
  PetscCall(PetscLogEventRegister("PlexHDGData", PLEXHDG_CLASSID, &PLEX_HDGData));
  PetscCall(PetscLogEventRegister("PlexHDGTransfer", PLEXHDG_CLASSID, &PLEX_HDGTransfer));
  PetscCall(PetscLogEventRegister("PlexHDGLevels", PLEXHDG_CLASSID, &PLEX_HDGLevels));
  PetscCall(PetscLogEventRegister("PlexHDGLocal", PLEXHDG_CLASSID, &PLEX_HDGLocal));
  PetscCall(PetscLogEventRegister("PlexHDGAssemble", PLEXHDG_CLASSID, &PLEX_HDGAssemble));
  PetscCall(PetscLogEventRegister("PlexHDGRHS", PLEXHDG_CLASSID, &PLEX_HDGRHS));
  PetscCall(PetscLogEventRegister("PlexHDGSolve", PLEXHDG_CLASSID, &PLEX_HDGSolve));
  PetscCall(PetscLogEventRegister("PlexHDGSpread", PLEXHDG_CLASSID, &PLEX_HDGSpread));
  PetscCall(PetscLogEventRegister("PlexHDGRecover", PLEXHDG_CLASSID, &PLEX_HDGRecover));
  PetscCall(PetscLogEventRegister("PlexHDGPost", PLEXHDG_CLASSID, &PLEX_HDGPost));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(own); ++k)
    PetscCall(PetscLogEventSetCollective(*own[k], PETSC_FALSE));
  PetscCall(PlexBackendRegisterAll());
  PetscCall(PlexAssemblyRegisterAll());
  PetscCall(MatRegister(MATPLEXGPU, MatCreate_PlexGPU));
  PetscCall(PCRegister(PCPLEXPMG, PCCreate_PlexPMG));
  PetscCall(PlexTunerRegister_Private());
  PetscCall(PlexDGRegisterAll_Private());
  PetscCall(DMInitializePackage());
  PetscCall(PlexSamplerRegister_Private(DM_CLASSID, PlexSamplerCreate_DM));
  PetscCall(PlexSamplerRegister_Private(PLEXHDG_CLASSID, PlexSamplerCreate_HDG));
  PetscCall(PlexTakeOverRegister_Private());
  PetscCall(PlexTakeRegister_Private(PlexTakeProjectionNew_Private));
  /* PETSc ends last what came first: assemblies that are left are viewed before the package ends */
  PetscCall(PetscRegisterFinalize(PlexGPUFinalizePackage));
  PetscCall(PlexLiveInitialize_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PETSc, by way of libplexgpu.so, when that is named with -dll_append, which asks for the library to be
   used */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_plexgpu(void)
{
  PetscFunctionBegin;
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
