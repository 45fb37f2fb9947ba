/* A PETSc application's part that knows nothing of PlexGPU: the forms of its two fields, in a file each. */
#pragma once

#include <petscds.h>

typedef enum {
  MOBILITY_CONSTANT,
  MOBILITY_LINEAR = 4,
  MOBILITY_QUADRATIC
} Mobility;

/* A material as the application keeps it */
typedef struct {
  PetscBool   nonlinear;
  PetscReal   k[2];
  Mobility    mobility;
  const char *name;
} Material;

/* Forms of field 0 (application.c) and of field 1 (application_field1.c) */
PetscErrorCode ApplicationSetField0(PetscDS ds);
PetscErrorCode ApplicationSetField1(PetscDS ds);
/* Changes what the forms read */
PetscErrorCode ApplicationChange(PetscInt step);

/* Of application_field1.c, used in application.c too */
PetscReal ApplicationPower(PetscReal x, PetscInt n);
/* Of application.c, read in both */
extern PetscReal ApplicationScale;
