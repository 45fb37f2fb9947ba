/* Files of nodal DG operators: shared by the files of src/dg/output/ */
#pragma once

#include "../interface/dgimpl.h"
#include "../../io/hdf5file.h"
#include "../../io/vtk.h"
#include "../../view/viewimpl.h"

/* What files and pictures call a field: fields <name>x, <name>y (, <name>z) next to each other are a vector <name>. The
   next one from *k on, which goes behind it; vtkhdf.c */
typedef struct {
  char     name[64];
  PetscInt first, n; /* fields of the system; components */
} PlexDGField;
PETSC_INTERN void PlexDGNextField_Private(PlexDGSystem, PetscInt *k, PlexDGField *);
/* Whether a TS steps this operator, as far as PlexDGSetTS() knows: it may have been given another one since */
PETSC_INTERN PetscErrorCode PlexDGIsStepped_Private(PlexDG, TS, PetscBool *);
/* Whether the operator is as it was when probes were made */
PETSC_INTERN PetscBool PlexDGProbesFit_Private(PlexDGProbes);
/* What is drawn of an operator; picture.c. src/dg/register.c registers it */
PETSC_INTERN PetscErrorCode PlexSamplerCreate_DG(PetscObject, Vec, PetscReal, const char[], PlexSampler);

/* What a checkpoint knows of the run beside its state; settings.c. Compare: what is different now, as text[size], nothing
   where an option accepts it. AddClause: to such a text, and to other lists of causes. CountElements: of all parts and processes */
PETSC_INTERN PetscErrorCode PlexDGCheckpointWriteSettings_Private(PlexDG, PlexH5 *);
PETSC_INTERN PetscErrorCode PlexDGCheckpointCompare_Private(PlexDG, PlexH5 *, size_t size, char text[]);
/* A number, as text, of what a perfectly matched layer is */
PETSC_INTERN PetscErrorCode PlexDGHashPML_Private(PlexDG, char hash[32]);
PETSC_INTERN PetscErrorCode PlexDGAddClause_Private(char text[], size_t size, const char format[], ...);
PETSC_INTERN PetscInt       PlexDGCountElements_Private(PlexDG);
/* keys[Ne]: a number of each element that depends only on the positions of its vertices: the same on any number of
   processes */
PETSC_INTERN PetscErrorCode PlexDGGetKeys_Private(PlexDG, PetscInt64 keys[]);
/* keys[n] of elements with the vertices x[n][nv][dim], in whatever order */
PETSC_INTERN void PlexDGComputeKeys_Private(PetscInt dim, PetscInt nv, PetscInt n, const PetscReal x[],
                                            PetscInt64 keys[]);
/* The file `part` gets its name; checkpoint.c */
PETSC_INTERN PetscErrorCode PlexDGRename_Private(MPI_Comm, const char part[], const char file[]);
/* The file of PlexDGMonitorExtrema(); extremafile.c */
PETSC_INTERN PetscErrorCode PlexDGWriteExtrema_Private(PlexDG, TS, const char file[], PetscInt step, PetscReal t);
/* Monitors that options ask for; monitors.c */
PETSC_INTERN PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG, TS);
/* A TS has come to the end of a step: a sample, unless it lies between; farfield.c */
PETSC_INTERN PetscErrorCode PlexDGFarFieldSee_Private(PlexDGFarField, TS, PetscInt step, PetscReal t, Vec U);
/* With surface and frequencies of the options; farmonitor.c */
PETSC_INTERN PetscErrorCode PlexDGMonitorFarFieldFromOptions_Private(PlexDG, TS, const char file[], PetscInt every);
/* rows[nmine]: which of all keys each of mine is, of which this process has the share keys[n]; missing: one of mine that
   there is not, or -1; it is an error that another process has one. Send: rows of n numbers from where they were read to
   where they belong; rows.c */
PETSC_INTERN PetscErrorCode PlexDGCheckpointFindKeys_Private(MPI_Comm, PetscInt all, PetscInt n,
                                                             const PetscInt64 keys[], PetscInt nmine,
                                                             const PetscInt64 mine[], PetscInt rows[],
                                                             PetscInt *missing);
PETSC_INTERN PetscErrorCode PlexDGCheckpointSend_Private(PetscSF, PetscInt n, const PetscReal from[], PetscReal to[]);
/* Far fields in a checkpoint; Read: those of the steps before, or what of them would be lost, which is added to
   differences[size] unless an option accepts it; farcheckpoint.c */
PETSC_INTERN PetscErrorCode PlexDGCheckpointWriteFarFields_Private(PlexDG, PlexH5 *);
PETSC_INTERN PetscErrorCode PlexDGCheckpointReadFarFields_Private(PlexDG, PlexH5 *, size_t size, char differences[]);
/* Memory variables of conductors of the boundary; Read: nothing where there are differences; impedancecheckpoint.c */
PETSC_INTERN PetscErrorCode PlexDGCheckpointWriteConductors_Private(PlexDG, PlexH5 *);
PETSC_INTERN PetscErrorCode PlexDGCheckpointReadConductors_Private(PlexDG, PlexH5 *, const char differences[]);
