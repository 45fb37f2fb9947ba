/* The schemes of a TSPLEXLOWSTORAGE, with sources */
#include "lowstorage.h"

static const PlexLowStorageScheme PlexLowStorageSchemes[] = {
  /* Carpenter and Kennedy 1994, NASA TM 109112, solution 3 */
  {"ck45",
   4,                5,
   {0., -567301805773. / 1357537059087., -2404267990393. / 2016746695238., -3550918686646. / 2091501179385.,
    -1275806237668. / 842570457699.},
   {1432997174477. / 9575080441755., 5161836677717. / 13612068292357., 1720146321549. / 2090206949498.,
    3134564353537. / 4481467310338., 2277821191437. / 14882151754819.},
   {0., 1432997174477. / 9575080441755., 2526269341429. / 6820363962896., 2006345519317. / 3224310063776.,
    2802321613138. / 2924317926251.},
   PETSC_FALSE                                                                                        },
  /* Williamson 1980 */
  {"williamson3",
   3,                3,
   {0., -5. / 9., -153. / 128.},
   {1. / 3., 15. / 16., 8. / 15.},
   {0., 1. / 3., 3. / 4.},
   PETSC_FALSE                                                                                        },
  {"midpoint",    2, 2, {0., -1. / 2.},         {1. / 2., 1.},          {0., 1. / 2.},     PETSC_FALSE},
  /* Shu and Osher 1988 */
  {"ssp3",        3, 3, {0., 3. / 4., 1. / 3.}, {1., 1. / 4., 2. / 3.}, {0., 1., 1. / 2.}, PETSC_TRUE }
};

PetscErrorCode PlexLowStorageFind_Private(const char name[], const PlexLowStorageScheme **scheme)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexLowStorageSchemes) && !same; ++k) {
    *scheme = &PlexLowStorageSchemes[k];
    PetscCall(PetscStrcmp(name, (*scheme)->name, &same));
  }
  if (!same) *scheme = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
