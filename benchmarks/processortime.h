/* Processor time of this process: other programs on the machine disturb it less than wall time */
#ifndef PLEX_PROCESSORTIME_H
#define PLEX_PROCESSORTIME_H

#include <petscsys.h>
#include <sys/resource.h>

/* Seconds, those that the operating system works for this process counted in */
static inline PetscErrorCode ProcessorTime(PetscLogDouble *seconds)
{
  struct rusage usage;

  PetscFunctionBegin;
  getrusage(RUSAGE_SELF, &usage);
  *seconds = (PetscLogDouble)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             1e-6 * (PetscLogDouble)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
