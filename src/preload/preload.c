/*
  libplexgpu_preload.so: PlexGPU for a program that cannot be given options, put before it by LD_PRELOAD or linked
  before PETSc.

  It stands before DMCreate(), SNESCreate() and TSCreate(), through which every mesh, nonlinear solver and time stepper
  comes into being, whatever the language of the program and be it made by PETSc itself. The first of them starts
  PlexGPU and tells it to take over; all that follows is what -dll_append does. Settings come from the environment
  variable PLEXGPU_OPTIONS.

  It stands before PETSc's functions that assemble a whole DM as well, as DMPlexSNESComputeResidualFEM(): a program
  that calls them in callbacks of its own gets PlexGPU's (src/assembly/interface/interpose.c), which call PETSc's where
  these are asked for.
*/
#include "load.h"

static PetscBool started = PETSC_FALSE;

/* Of PetscFinalize(): a program may begin anew */
static PetscErrorCode PlexPreloadEnd(void)
{
  started = PETSC_FALSE;
  return PETSC_SUCCESS;
}

static PetscErrorCode PlexPreloadStart(void *library)
{
  PetscErrorCode (*takeOver)(PetscBool)             = NULL;
  PetscErrorCode (*atEnd)(PetscErrorCode (*)(void)) = NULL;
  PetscErrorCode (*interpose)(void)                 = NULL;
  PetscErrorCode ierr;

  if (started) return PETSC_SUCCESS;
  started              = PETSC_TRUE; /* starting makes solvers' lists, and may make solvers */
  *(void **)&takeOver  = dlsym(library, "PlexGPUSetTakeOver");
  *(void **)&atEnd     = dlsym(library, "PetscRegisterFinalize");
  *(void **)&interpose = dlsym(library, "PlexInterposeBegin_Private");
  if (!takeOver || !atEnd || !interpose) return PETSC_ERR_LIB;
  ierr = (*takeOver)(PETSC_TRUE);
  if (!ierr) ierr = (*interpose)();
  return ierr ? ierr : (*atEnd)(PlexPreloadEnd);
}

/* PETSc's function of this name: of the next library that all see, else of PETSc's as PlexGPU has it, where a Python
   has loaded that for itself */
static void *PlexPreloadFind(void *library, const char name[])
{
  void *found = dlsym(RTLD_NEXT, name);

  if (!found) found = dlsym(library, name);
  if (!found)
    (void)fprintf(stderr,
                  "PlexGPU: %s() of PETSc's shared library is not found behind libplexgpu_preload.so: load the library "
                  "with LD_PRELOAD, or link it before PETSc\n",
                  name);
  return found;
}

/* A create routine of PETSc's, before which PlexGPU starts */
#define PLEX_PRELOAD_BEFORE(Create, Type) \
  PETSC_EXTERN PetscErrorCode Create(MPI_Comm comm, Type *object) \
  { \
    PetscErrorCode (*next)(MPI_Comm, Type *) = NULL; \
    PetscErrorCode ierr; \
    void          *library = PlexLoad(); \
\
    if (!library) return PETSC_ERR_LIB; \
    *(void **)&next = PlexPreloadFind(library, #Create); \
    if (!next) return PETSC_ERR_LIB; \
    ierr = PlexPreloadStart(library); \
    return ierr ? ierr : (*next)(comm, object); \
  }

/* An assembling function of PETSc's, in whose place PlexGPU's is called */
#define PLEX_PRELOAD_INSTEAD(Function, Ours, parameters, arguments) \
  PETSC_EXTERN PetscErrorCode Function parameters \
  { \
    static PetscErrorCode(*ours) parameters = NULL; \
    PetscErrorCode ierr; \
    void          *library = PlexLoad(); \
\
    if (!library) return PETSC_ERR_LIB; \
    if (!ours) *(void **)&ours = dlsym(library, #Ours); \
    if (!ours) return PETSC_ERR_LIB; \
    ierr = PlexPreloadStart(library); \
    return ierr ? ierr : (*ours)arguments; \
  }

typedef struct _p_DM   *DM;
typedef struct _p_IS   *IS;
typedef struct _p_Mat  *Mat;
typedef struct _p_SNES *SNES;
typedef struct _p_TS   *TS;
typedef struct _p_Vec  *Vec;

PLEX_PRELOAD_BEFORE(DMCreate, DM)
PLEX_PRELOAD_BEFORE(SNESCreate, SNES)
PLEX_PRELOAD_BEFORE(TSCreate, TS)

PLEX_PRELOAD_INSTEAD(DMPlexSNESComputeResidualFEM, PlexInterposeSNESFunction_Private,
                     (DM dm, Vec locX, Vec locF, void *ctx), (dm, locX, locF, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexSNESComputeJacobianFEM, PlexInterposeSNESJacobian_Private,
                     (DM dm, Vec locX, Mat J, Mat P, void *ctx), (dm, locX, J, P, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexTSComputeIFunctionFEM, PlexInterposeTSIFunction_Private,
                     (DM dm, PetscReal t, Vec locX, Vec locX_t, Vec locF, void *ctx), (dm, t, locX, locX_t, locF, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexTSComputeIJacobianFEM, PlexInterposeTSIJacobian_Private,
                     (DM dm, PetscReal t, Vec locX, Vec locX_t, PetscReal shift, Mat J, Mat P, void *ctx),
                     (dm, t, locX, locX_t, shift, J, P, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexTSComputeRHSFunctionFEM, PlexInterposeTSRHSFunction_Private,
                     (DM dm, PetscReal t, Vec locX, Vec locG, void *ctx), (dm, t, locX, locG, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexComputeResidualHybridByKey, PlexInterposeCohesiveFunction_Private,
                     (DM dm, void *keys, IS cells, PetscReal time, Vec locX, Vec locX_t, PetscReal t, Vec locF,
                      void *ctx),
                     (dm, keys, cells, time, locX, locX_t, t, locF, ctx))
PLEX_PRELOAD_INSTEAD(DMPlexComputeJacobianHybridByKey, PlexInterposeCohesiveJacobian_Private,
                     (DM dm, void *keys, IS cells, PetscReal t, PetscReal shift, Vec locX, Vec locX_t, Mat J, Mat P,
                      void *ctx),
                     (dm, keys, cells, t, shift, locX, locX_t, J, P, ctx))
PLEX_PRELOAD_INSTEAD(DMCreateMassMatrix, PlexInterposeMassMatrix_Private, (DM dmc, DM dmf, Mat *mass), (dmc, dmf, mass))
PLEX_PRELOAD_INSTEAD(DMCreateMassMatrixLumped, PlexInterposeMassLumped_Private, (DM dm, Vec *local, Vec *global),
                     (dm, local, global))
