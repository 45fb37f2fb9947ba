/* Equal steps of time between states that are written */
#ifndef FRAMES_H
#define FRAMES_H

#include <plexgpu.h>

/* A TS of the operator until time T, of equal steps: as many as `safety` times the stable one asks for, and a whole
   number of them, `steps`, between two of the `frames` times that are written to NAME.vtkhdf, or to no file where NAME
   is empty */
static inline PetscErrorCode FramesCreateTS(PlexDG dg, Vec U, PetscReal T, PetscReal safety, PetscInt frames,
                                            const char name[], PetscInt *steps, TS *ts)
{
  PetscReal dt;

  PetscFunctionBegin;
  PetscCheck(T > 0., PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "The run is to last %g: see -time, which is positive", (double)T);
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), ts));
  PetscCall(TSSetSolution(*ts, U));
  PetscCall(PlexDGSetTS(dg, *ts));
  PetscCall(TSGetTimeStep(*ts, &dt));
  *steps = (PetscInt)PetscCeilReal(T / (safety * dt) / frames);
  PetscCall(TSSetTimeStep(*ts, T / (*steps * frames)));
  PetscCall(TSSetMaxTime(*ts, T));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_MATCHSTEP));
  if (name[0]) {
    char file[PETSC_MAX_PATH_LEN];

    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", name));
    PetscCall(PlexDGMonitorSolution(dg, *ts, file, *steps));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
