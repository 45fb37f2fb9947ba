/*
  Pictures: settings of the class PlexImage, and its options. draw.c draws them
*/
#include "imageimpl.h" /*I "plexgpuview.h" I*/
#include "../util/help.h"

PetscClassId PLEXIMAGE_CLASSID;

PETSC_EXTERN PetscErrorCode PlexGPUInitializePackage(void);

/*@
  PlexImageCreate - Creates settings of pictures

  Collective

  Input Parameter:
. comm - the processes of what will be drawn

  Output Parameter:
. image - the settings: the first field, its whole range, 800 x 600 pixels, and of a mesh in space the section with the
          horizontal plane through its middle

  Level: beginner

.seealso: `PlexImage`, `PlexImageSetFromOptions()`, `PlexImageWrite()`, `PlexTSMonitorImage()`, `PlexImageDestroy()`
@*/
PetscErrorCode PlexImageCreate(MPI_Comm comm, PlexImage *image)
{
  PlexImage i;

  PetscFunctionBegin;
  PetscAssertPointer(image, 2);
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscHeaderCreate(i, PLEXIMAGE_CLASSID, "PlexImage", "Picture", "PlexGPU", comm, PlexImageDestroy, NULL));
  i->component = PETSC_DETERMINE;
  i->w         = 800;
  i->h         = 600;
  *image       = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetField - Says which field is drawn

  Logically Collective

  Input Parameters:
+ image     - the picture
. field     - its name: of a `DM` that of the discretization, of a `PlexDG` a field or a vector of its system, as Ez or E,
              of a `PlexHDG` u, q or star; "" for the first one
- component - of a vector, from 0 on; `PETSC_DETERMINE` for its length

  Options Database Keys:
+ -plex_image_field name   - the field
- -plex_image_component c  - the component

  Level: beginner

.seealso: `PlexImage`, `PlexImageSetRange()`, `PlexImageWrite()`
@*/
PetscErrorCode PlexImageSetField(PlexImage image, const char field[], PetscInt component)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscAssertPointer(field, 2);
  PetscCall(PetscStrncpy(image->field, field, sizeof(image->field)));
  image->component = component;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetRange - Says which values the colours stand for

  Logically Collective

  Input Parameters:
+ image - the picture
. low   - value of the first colour
- high  - of the last one; values beyond have this colour, too

  Options Database Key:
. -plex_image_range low,high - likewise

  Level: beginner

  Note:
  Without it each picture has the range of what is seen in it.

.seealso: `PlexImage`, `PlexImageSetField()`, `PlexImageWrite()`
@*/
PetscErrorCode PlexImageSetRange(PlexImage image, PetscReal low, PetscReal high)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscCheck(low < high, PetscObjectComm((PetscObject)image), PETSC_ERR_ARG_OUTOFRANGE,
             "A picture's range goes from low to high, not from %g to %g", (double)low, (double)high);
  image->range[0] = low;
  image->range[1] = high;
  image->ranged   = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetSize - Sets how many pixels a picture has

  Logically Collective

  Input Parameters:
+ image  - the picture
. width  - from 160 to 16384
- height - from 80 to 16384

  Options Database Key:
. -plex_image_size width,height - likewise

  Level: beginner

.seealso: `PlexImage`, `PlexImageSetWindow()`, `PlexImageWrite()`
@*/
PetscErrorCode PlexImageSetSize(PlexImage image, PetscInt width, PetscInt height)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscCheck(width >= 160 && width <= 16384 && height >= 80 && height <= 16384, PetscObjectComm((PetscObject)image),
             PETSC_ERR_ARG_OUTOFRANGE,
             "A picture has 160 x 80 to 16384 x 16384 pixels, not %" PetscInt_FMT " x %" PetscInt_FMT, width, height);
  image->w = width;
  image->h = height;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetWindow - Says which part of the domain, or of the section's plane, is seen

  Logically Collective

  Input Parameters:
+ image - the picture
. left  - in the plane's coordinates, see `PlexImageSetPlane()`
. right - likewise
. lower - likewise
- upper - likewise

  Options Database Key:
. -plex_image_window left,right,lower,upper - likewise

  Level: beginner

  Note:
  Without it all is seen. Lengths are the same in both directions: the picture may show more than the window.

.seealso: `PlexImage`, `PlexImageSetPlane()`, `PlexImageSetSize()`
@*/
PetscErrorCode PlexImageSetWindow(PlexImage image, PetscReal left, PetscReal right, PetscReal lower, PetscReal upper)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscCheck(left < right && lower < upper, PetscObjectComm((PetscObject)image), PETSC_ERR_ARG_OUTOFRANGE,
             "A window goes from left to right and from lower to upper, not from %g to %g and from %g to %g",
             (double)left, (double)right, (double)lower, (double)upper);
  image->window[0][0] = left;
  image->window[0][1] = right;
  image->window[1][0] = lower;
  image->window[1][1] = upper;
  image->windowed     = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetPlane - Says where a mesh in space is cut

  Logically Collective

  Input Parameters:
+ image  - the picture
. point  - a point of the plane, [3]; `NULL`: the middle of the mesh
- normal - its normal, [3]; `NULL`: (0, 0, 1)

  Options Database Keys:
+ -plex_image_point x,y,z  - the point
- -plex_image_normal x,y,z - the normal

  Level: beginner

  Note:
  z points up in the picture, of a horizontal plane y; what points to the right is perpendicular to it and to the normal,
  with the direction in which its largest component grows. Coordinates in the plane are products of x with these two
  directions: of planes x, y, z = const they are (y, z), (x, z), (x, y).

.seealso: `PlexImage`, `PlexImageSetWindow()`, `PlexImageWrite()`
@*/
PetscErrorCode PlexImageSetPlane(PlexImage image, const PetscReal point[], const PetscReal normal[])
{
  PetscReal length = 0.;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  image->pointed = (PetscBool)(point != NULL);
  image->leaning = (PetscBool)(normal != NULL);
  if (point) PetscCall(PetscArraycpy(image->point, point, 3));
  if (!normal) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt d = 0; d < 3; ++d) length += PetscSqr(normal[d]);
  PetscCheck(length > 0., PetscObjectComm((PetscObject)image), PETSC_ERR_ARG_OUTOFRANGE,
             "The normal of a plane is not (%g, %g, %g)", (double)normal[0], (double)normal[1], (double)normal[2]);
  for (PetscInt d = 0; d < 3; ++d) image->normal[d] = normal[d] / PetscSqrtReal(length);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetOptionsPrefix - Sets what the names of its options begin with

  Logically Collective

  Input Parameters:
+ image  - the picture
- prefix - the prefix, as "a_" of -a_plex_image_field

  Level: intermediate

.seealso: `PlexImage`, `PlexImageSetFromOptions()`
@*/
PetscErrorCode PlexImageSetOptionsPrefix(PlexImage image, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)image, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option with exactly n numbers */
static PetscErrorCode PlexImageReadNumbers(PlexImage image, PetscOptionItems PetscOptionsObject, const char option[],
                                           const char text[], const char manual[], PetscInt n, PetscReal numbers[],
                                           PetscBool *set)
{
  PetscInt count = n;

  PetscFunctionBegin;
  PetscCall(PetscOptionsRealArray(option, text, manual, numbers, &count, set));
  PetscCheck(!*set || count == n, PetscObjectComm((PetscObject)image), PETSC_ERR_ARG_SIZ,
             "Option %s has %" PetscInt_FMT " numbers, and needs %" PetscInt_FMT, option, count, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageSetFromOptions - Sets what options say of pictures

  Logically Collective

  Input Parameter:
. image - the picture

  Options Database Keys:
+ -plex_image_field name                     - the field
. -plex_image_component c                    - the component of a vector; without it, its length
. -plex_image_range low,high                 - values of the first and the last colour
. -plex_image_size width,height              - pixels
. -plex_image_window left,right,lower,upper  - what is seen
. -plex_image_point x,y,z                    - a point of the plane that cuts a mesh in space
. -plex_image_normal x,y,z                   - its normal
. -plex_image_divide n                       - intervals of an edge between which the picture is linear; by default four
                                               times the degree, in space twice, and 12 at most
- -draw_cmap name                            - PETSc's colours: viridis, the default of files, coolwarm, parula, gray, ...

  Level: beginner

.seealso: `PlexImage`, `PlexImageSetField()`, `PlexImageSetRange()`, `PlexImageSetSize()`, `PlexImageSetWindow()`,
          `PlexImageSetPlane()`, `PlexImageWrite()`
@*/
PetscErrorCode PlexImageSetFromOptions(PlexImage image)
{
  const PetscInt component = image->component;
  PetscReal      numbers[4], normal[3] = {0., 0., 1.};
  PetscInt       size[2] = {image->w, image->h}, n = 2;
  PetscBool      set, leaning;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscObjectOptionsBegin((PetscObject)image);
  PetscCall(PetscOptionsString("-plex_image_field", "Field that is drawn", "PlexImageSetField", image->field,
                               image->field, sizeof(image->field), NULL));
  PetscCall(PetscOptionsInt("-plex_image_component", "Component of a vector", "PlexImageSetField", component,
                            &image->component, NULL));
  PetscCall(PlexImageReadNumbers(image, PetscOptionsObject, "-plex_image_range", "Values of first and last colour",
                                 "PlexImageSetRange", 2, numbers, &set));
  if (set) PetscCall(PlexImageSetRange(image, numbers[0], numbers[1]));
  PetscCall(PetscOptionsIntArray("-plex_image_size", "Pixels, width and height", "PlexImageSetSize", size, &n, &set));
  PetscCheck(!set || n == 2, PetscObjectComm((PetscObject)image), PETSC_ERR_ARG_SIZ,
             "Option -plex_image_size has %" PetscInt_FMT " numbers, and needs width and height", n);
  if (set) PetscCall(PlexImageSetSize(image, size[0], size[1]));
  PetscCall(PlexImageReadNumbers(image, PetscOptionsObject, "-plex_image_window",
                                 "What is seen: left, right, lower, upper", "PlexImageSetWindow", 4, numbers, &set));
  if (set) PetscCall(PlexImageSetWindow(image, numbers[0], numbers[1], numbers[2], numbers[3]));
  PetscCall(PlexImageReadNumbers(image, PetscOptionsObject, "-plex_image_point",
                                 "Point of the plane that cuts a mesh in space", "PlexImageSetPlane", 3, numbers,
                                 &set));
  PetscCall(PlexImageReadNumbers(image, PetscOptionsObject, "-plex_image_normal", "Its normal", "PlexImageSetPlane", 3,
                                 normal, &leaning));
  if (set || leaning)
    PetscCall(PlexImageSetPlane(image,
                                set              ? numbers
                                : image->pointed ? image->point
                                                 : NULL,
                                leaning          ? normal
                                : image->leaning ? image->normal
                                                 : NULL));
  PetscCall(PetscOptionsBoundedInt("-plex_image_divide", "Intervals of an edge, linear between",
                                   "PlexImageSetFromOptions", image->divide, &image->divide, NULL, 0));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexImageCreateFromOptions_Private(MPI_Comm comm, const char prefix[], PlexImage *image)
{
  PetscFunctionBegin;
  PetscCall(PlexImageCreate(comm, image));
  PetscCall(PlexImageSetOptionsPrefix(*image, prefix));
  PetscCall(PlexImageSetFromOptions(*image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageDestroy - Destroys settings of pictures

  Collective

  Input Parameter:
. image - the picture

  Level: beginner

.seealso: `PlexImage`, `PlexImageCreate()`
@*/
PetscErrorCode PlexImageDestroy(PlexImage *image)
{
  PetscFunctionBegin;
  if (!*image) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*image, PLEXIMAGE_CLASSID, 1);
  if (--((PetscObject)*image)->refct > 0) {
    *image = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscHeaderDestroy(image));
  PetscFunctionReturn(PETSC_SUCCESS);
}
