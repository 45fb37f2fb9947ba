/* Which classes can be drawn, and which of their fields is meant */
#include "viewimpl.h"

#define PLEX_SAMPLERS 8

static struct {
  PetscClassId         id;
  PlexSamplerCreateFn *create;
} PlexSamplers[PLEX_SAMPLERS];
static PetscInt PlexSamplersN = 0;

PetscErrorCode PlexSamplerRegister_Private(PetscClassId id, PlexSamplerCreateFn *create)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < PlexSamplersN && PlexSamplers[k].id != id) ++k; /* after a second PetscInitialize(), again */
  PetscCheck(k < PLEX_SAMPLERS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d classes to draw", PLEX_SAMPLERS);
  PlexSamplers[k].id     = id;
  PlexSamplers[k].create = create;
  PlexSamplersN          = PetscMax(PlexSamplersN, k + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerCreate_Private(PetscObject source, Vec U, PetscReal t, const char field[],
                                         PlexSampler *sampler)
{
  PlexSampler  s;
  PetscClassId id;
  PetscInt     k = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetClassId(source, &id));
  while (k < PlexSamplersN && PlexSamplers[k].id != id) ++k;
  PetscCheck(k < PlexSamplersN, PetscObjectComm(source), PETSC_ERR_ARG_WRONG,
             "A %s cannot be drawn: it has to be a DM of finite elements, a PlexDG or a PlexHDG", source->class_name);
  PetscCall(PetscNew(&s));
  *sampler = s;
  PetscCall((*PlexSamplers[k].create)(source, U, t, field, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerDestroy_Private(PlexSampler *s)
{
  PetscFunctionBegin;
  PetscCall((*(*s)->destroy)(*s));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerFind_Private(PetscObject source, const char field[], PetscInt n, const char *const names[],
                                       PetscInt *which)
{
  char      known[1024] = "";
  PetscBool same        = PETSC_FALSE;

  PetscFunctionBegin;
  *which = 0;
  if (n && !field[0]) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n && !same; ++k) {
    PetscCall(PetscStrcasecmp(field, names[k], &same));
    *which = k;
    if (k) PetscCall(PetscStrlcat(known, ", ", sizeof(known)));
    PetscCall(PetscStrlcat(known, names[k], sizeof(known)));
  }
  PetscCheck(same, PetscObjectComm(source), PETSC_ERR_ARG_WRONG, "There is no field %s to draw: there are %s", field,
             known[0] ? known : "none");
  PetscFunctionReturn(PETSC_SUCCESS);
}
