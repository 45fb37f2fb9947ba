/*
  Pictures as PNG files, and in PETSc's windows

  Each process draws its cells into values at all pixels; the largest of a pixel's values arrives on the first process,
  which makes colours of them. Letters, and colours as -draw_cmap says, are those of a PetscDraw of type image, which has
  no window.
*/
#include "imageimpl.h" /*I "plexgpuview.h" I*/
#include "../io/png.h"
#include <petsc/private/drawimpl.h>

#define PLEX_IMAGE_TOP   24 /* pixels above the picture, with name and time */
#define PLEX_IMAGE_SIDE  96 /* to the right of it, with the colours */
#define PLEX_IMAGE_FRAME 8

/* What is drawn: where, and of which object */
typedef struct {
  PlexSampler sampler;
  PetscInt    component;
  PlexPlane   plane;
  PetscReal   window[2][2];
  char        title[160];
} PlexScene;

/* Axes of the picture: see PlexImageSetPlane() */
static void PlexSceneSetAxes(PlexPlane *plane)
{
  const PetscReal *n  = plane->normal;
  const PetscInt   up = PetscAbsReal(n[2]) > 0.999 ? 1 : 2;
  PetscReal       *a = plane->axes[0], *b = plane->axes[1], length = 0.;
  PetscInt         largest = 0;

  for (PetscInt d = 0; d < 3; ++d) b[d] = (d == up ? 1. : 0.) - n[up] * n[d];
  for (PetscInt d = 0; d < 3; ++d) length += PetscSqr(b[d]);
  for (PetscInt d = 0; d < 3; ++d) b[d] /= PetscSqrtReal(length);
  for (PetscInt d = 0; d < 3; ++d) a[d] = b[(d + 1) % 3] * n[(d + 2) % 3] - b[(d + 2) % 3] * n[(d + 1) % 3];
  for (PetscInt d = 1; d < 3; ++d)
    if (PetscAbsReal(a[d]) > PetscAbsReal(a[largest]) + 1e-6) largest = d;
  for (PetscInt d = 0, negative = a[largest] < 0.; d < 3; ++d)
    if (negative) a[d] = -a[d];
}

/* The part of the plane that the box of the mesh projects to */
static void PlexSceneSetWindow(PlexScene *scene, const PetscReal low[3], const PetscReal high[3])
{
  for (PetscInt k = 0; k < 2; ++k) {
    PetscReal margin;

    scene->window[k][0] = PETSC_MAX_REAL;
    scene->window[k][1] = -PETSC_MAX_REAL;
    for (PetscInt corner = 0; corner < 8; ++corner) {
      PetscReal at = 0.;

      for (PetscInt d = 0; d < 3; ++d)
        at += scene->plane.axes[k][d] * ((corner >> d & 1 ? high[d] : low[d]) - scene->plane.point[d]);
      scene->window[k][0] = PetscMin(scene->window[k][0], at);
      scene->window[k][1] = PetscMax(scene->window[k][1], at);
    }
    margin = 0.01 * (scene->window[k][1] - scene->window[k][0]);
    scene->window[k][0] -= margin;
    scene->window[k][1] += margin;
  }
}

static PetscErrorCode PlexSceneCreate(PlexImage image, PetscObject source, Vec U, PetscReal boundary, PetscReal t,
                                      PlexScene *scene)
{
  MPI_Comm    comm = PetscObjectComm(source);
  PlexSampler s;
  PetscReal   low[3], high[3], origin[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(PlexSamplerCreate_Private(source, U, boundary, image->field, &scene->sampler));
  s = scene->sampler;
  PetscCheck(image->component < s->nc, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "There is no component %" PetscInt_FMT " of %s, which has %" PetscInt_FMT, image->component, s->label,
             s->nc);
  scene->component = image->component < 0 ? -1 : image->component;
  PetscCall(PlexSamplerGetBox_Private(s, comm, low, high));
  scene->plane = (PlexPlane){
    {0., 0., 0.},
    {0., 0., 1.},
    {{0., 0., 0.}, {0., 0., 0.}}
  };
  for (PetscInt d = 0; d < 3 && s->dim == 3; ++d) {
    scene->plane.point[d] = image->pointed ? image->point[d] : 0.5 * (low[d] + high[d]);
    if (image->leaning) scene->plane.normal[d] = image->normal[d];
  }
  PlexSceneSetAxes(&scene->plane);
  PlexSceneSetWindow(scene, low, high);
  /* a window is in the coordinates of the axes, not from the plane's point on */
  for (PetscInt k = 0; k < 2; ++k) {
    for (PetscInt d = 0; d < 3; ++d) origin[k] += scene->plane.axes[k][d] * scene->plane.point[d];
    for (PetscInt i = 0; i < 2 && image->windowed; ++i) scene->window[k][i] = image->window[k][i] - origin[k];
  }
  PetscCall(PetscSNPrintf(scene->title, sizeof(scene->title), "%s", s->label));
  if (s->nc > 1) {
    if (scene->component < 0) PetscCall(PetscSNPrintf(scene->title, sizeof(scene->title), "|%s|", s->label));
    else
      PetscCall(PetscSNPrintf(scene->title, sizeof(scene->title), "%s[%" PetscInt_FMT "]", s->label, scene->component));
  }
  {
    const size_t n = strlen(scene->title);

    PetscCall(PetscSNPrintf(&scene->title[n], sizeof(scene->title) - n, "   t = %g", (double)t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- PNG files */

/* Where the window is among the raster's pixels: in the middle */
static void PlexRasterPlace(const PlexScene *scene, PlexRaster *r)
{
  const PetscReal width = scene->window[0][1] - scene->window[0][0], height = scene->window[1][1] - scene->window[1][0];

  r->scale = PetscMin(r->w / width, r->h / height);
  r->x     = 0.5 * (scene->window[0][0] + scene->window[0][1] - r->w / r->scale);
  r->y     = 0.5 * (scene->window[1][0] + scene->window[1][1] + r->h / r->scale);
}

/* The range of a picture without one: that of its pixels */
static void PlexRasterGetRange(const PlexRaster *r, PetscReal range[2])
{
  range[0] = PETSC_MAX_REAL;
  range[1] = -PETSC_MAX_REAL;
  for (size_t k = 0; k < (size_t)r->w * r->h; ++k) {
    if (r->values[k] == PLEX_RASTER_NONE) continue;
    range[0] = PetscMin(range[0], r->values[k]);
    range[1] = PetscMax(range[1], r->values[k]);
  }
  if (range[0] > range[1]) range[0] = range[1] = 0.;
}

static int PlexColor(const PetscReal range[2], PetscReal value)
{
  const PetscReal width = range[1] - range[0], s = width > 0. ? (value - range[0]) / width : 0.5;

  return PETSC_DRAW_BASIC_COLORS + (int)((255 - PETSC_DRAW_BASIC_COLORS) * PetscMin(1., PetscMax(0., s)) + 0.5);
}

/* The colours behind PETSc's basic ones: as -draw_cmap says, or viridis, which is as bright as the value is large. It is
   named by the option, too: PETSc 3.26 takes the one behind the name that PetscDrawUtilitySetCmap() gets */
static PetscErrorCode PlexImageGetColors(unsigned char palette[256][3])
{
  unsigned char  colors[3][256];
  PetscBool      set;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-draw_cmap", &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, "-draw_cmap", "viridis"));
  ierr = PetscDrawUtilitySetCmap(NULL, 256 - PETSC_DRAW_BASIC_COLORS, colors[0], colors[1], colors[2]);
  if (!set) PetscCall(PetscOptionsClearValue(NULL, "-draw_cmap"));
  PetscCall(ierr);
  for (int c = PETSC_DRAW_BASIC_COLORS; c < 256; ++c)
    for (int k = 0; k < 3; ++k) palette[c][k] = colors[k][c - PETSC_DRAW_BASIC_COLORS];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Title, colours and their numbers, by a PetscDraw: pixels[h][w], to be freed */
static PetscErrorCode PlexImageDrawFrame(PlexImage image, const PlexScene *scene, const PetscReal range[2],
                                         unsigned char palette[256][3], unsigned char *pixels[])
{
  const PetscReal w = image->w, h = image->h, left = w - PLEX_IMAGE_SIDE + 8, bottom = PLEX_IMAGE_FRAME,
                  top = h - PLEX_IMAGE_TOP;
  PetscDraw       draw;
  char            text[32];

  PetscFunctionBegin;
  PetscCall(PetscDrawCreate(PETSC_COMM_SELF, NULL, NULL, 0, 0, (int)image->w, (int)image->h, &draw));
  PetscCall(PetscDrawSetType(draw, PETSC_DRAW_IMAGE));
  PetscCall(PetscDrawSetCoordinates(draw, 0., 0., w - 1., h - 1.));
  PetscCall(PetscDrawString(draw, PLEX_IMAGE_FRAME, h - 17., PETSC_DRAW_BLACK, scene->title));
  for (PetscInt c = PETSC_DRAW_BASIC_COLORS; c < 256; ++c) {
    const PetscReal n = 256 - PETSC_DRAW_BASIC_COLORS, y = bottom + (c - PETSC_DRAW_BASIC_COLORS) / n * (top - bottom);

    PetscCall(PetscDrawRectangle(draw, left, y, left + 16., y + (top - bottom) / n, c, c, c, c));
  }
  for (PetscInt k = 0; k <= 4; ++k) {
    PetscReal value = range[0] + k / 4. * (range[1] - range[0]);

    if (PetscAbsReal(value) < 1e-6 * (range[1] - range[0])) value = 0.;
    PetscCall(PetscSNPrintf(text, sizeof(text), "%.4g", (double)value));
    PetscCall(PetscDrawString(draw, left + 20., bottom + k / 4. * (top - bottom - 12.), PETSC_DRAW_BLACK, text));
  }
  PetscCall((*draw->ops->getimage)(draw, palette, NULL, NULL, pixels));
  PetscCall(PlexImageGetColors(palette));
  PetscCall(PetscDrawDestroy(&draw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexImageWriteFile(PlexImage image, const PlexScene *scene, const PlexRaster *r,
                                         const char file[])
{
  unsigned char  palette[256][3], *pixels;
  PetscReal      range[2];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (image->ranged) PetscCall(PetscArraycpy(range, image->range, 2));
  else PlexRasterGetRange(r, range);
  PetscCall(PlexImageDrawFrame(image, scene, range, palette, &pixels));
  for (PetscInt j = 0; j < r->h; ++j)
    for (PetscInt i = 0; i < r->w; ++i) {
      const PetscReal value = r->values[(size_t)j * r->w + i];

      if (value != PLEX_RASTER_NONE)
        pixels[(size_t)(j + PLEX_IMAGE_TOP) * image->w + i + PLEX_IMAGE_FRAME] = (unsigned char)PlexColor(range, value);
    }
  ierr = PlexPNGWrite(file, image->w, image->h, (const unsigned char (*)[3])palette, pixels);
  PetscCall(PetscFree(pixels));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexImageWrite_Private(PlexImage image, PetscObject source, Vec U, PetscReal boundary, PetscReal t,
                                      const char file[])
{
  MPI_Comm    comm = PetscObjectComm(source);
  PlexScene   scene;
  PlexRaster  r;
  PetscMPIInt rank, n;
  PetscReal  *all = NULL, *own;

  PetscFunctionBegin;
  PetscCall(PlexSceneCreate(image, source, U, boundary, t, &scene));
  r.w = image->w - PLEX_IMAGE_SIDE - PLEX_IMAGE_FRAME;
  r.h = image->h - PLEX_IMAGE_TOP - PLEX_IMAGE_FRAME;
  PlexRasterPlace(&scene, &r);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMPIIntCast(r.w * r.h, &n));
  PetscCall(PetscMalloc1(n, &own));
  if (!rank) PetscCall(PetscMalloc1(n, &all));
  for (PetscMPIInt k = 0; k < n; ++k) own[k] = PLEX_RASTER_NONE;
  r.values = own;
  PetscCall(PlexTriangles_Private(scene.sampler, scene.component, &scene.plane, image->divide, PlexRasterDraw_Private,
                                  &r));
  PetscCallMPI(MPI_Reduce(own, all, n, MPIU_REAL, MPIU_MAX, 0, comm));
  r.values = all;
  if (!rank) PetscCall(PlexImageWriteFile(image, &scene, &r, file));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(own));
  PetscCall(PlexSamplerDestroy_Private(&scene.sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageWrite - Writes a picture of a field as PNG, without ParaView and without a display

  Collective

  Input Parameters:
+ image  - which field, and how
. source - a `DM` of type `DMPLEX` with Lagrange elements, a `PlexDG`, or a `PlexHDG` after `PlexHDGSolve()`
. U      - the state: a global vector of the `DM`, a vector of the `PlexDG`; `NULL` for a `PlexHDG`, which has its own
. t      - time, which the picture's title says, and essential conditions of a `DM` get
- file   - its name, which ends in .png

  Options Database Keys:
+ -plex_dg_monitor_image file[:n]       - of a `TS` that `PlexDGSetTS()` was given, every so many steps and at the end
. -plex_hdg_monitor_image file          - of a `PlexHDG`, after each `PlexHDGSolve()`
- -plex_assembly_monitor_image file[:n] - of a `TS` or `SNES` that assembles with PlexGPU

  Level: beginner

  Notes:
  Cells in the plane are drawn, and sections of those in space with the plane of `PlexImageSetPlane()`. A cell is
  divided into triangles or tetrahedra in which the picture is linear, between nodes where the polynomials are evaluated.

  Each process draws its own cells, and one number a pixel is reduced to the first process, which writes the file. All of
  it happens on the host: of a vector on a GPU all values are copied.

  Sides of bent cells are polygons with as many corners as the cell is divided.

.seealso: `PlexImage`, `PlexImageSetFromOptions()`, `PlexTSMonitorImage()`, `PlexImageDraw()`, `PlexVecWriteVTKHDF()`
@*/
PetscErrorCode PlexImageWrite(PlexImage image, PetscObject source, Vec U, PetscReal t, const char file[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscValidHeader(source, 2);
  PetscAssertPointer(file, 5);
  PetscCall(PlexImageWrite_Private(image, source, U, t, t, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Windows */

typedef struct {
  PetscDraw draw;
  PetscReal range[2];
} PlexWindow;

static PetscErrorCode PlexWindowLook(const PetscReal p[3][2], const PetscReal v[3], void *ctx)
{
  PlexWindow *window = (PlexWindow *)ctx;

  PetscFunctionBegin;
  (void)p;
  for (int k = 0; k < 3; ++k) {
    window->range[0] = PetscMin(window->range[0], v[k]);
    window->range[1] = PetscMax(window->range[1], v[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexWindowDraw(const PetscReal p[3][2], const PetscReal v[3], void *ctx)
{
  PlexWindow *window = (PlexWindow *)ctx;
  int         color[3];

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) color[k] = PlexColor(window->range, v[k]);
  PetscCall(PetscDrawTriangle(window->draw, p[0][0], p[0][1], p[1][0], p[1][1], p[2][0], p[2][1], color[0], color[1],
                              color[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexImageDraw - Draws a field into a window of PETSc's

  Collective

  Input Parameters:
+ image  - which field, and how
. source - as of `PlexImageWrite()`
. U      - likewise
. t      - likewise
- draw   - the window

  Options Database Key:
. -plex_dg_monitor_draw [n] - of a `TS` that `PlexDGSetTS()` was given, every so many steps and at the end

  Level: beginner

  Notes:
  The size is that of the window. `PetscDraw` has windows where PETSc was configured with X; -draw_type image with
  -draw_save writes them to files without. -draw_pause says how long each is looked at.

  Finite elements have PETSc's own windows, too: -ts_monitor_solution draw, -snes_view_solution draw.

.seealso: `PlexImage`, `PlexImageWrite()`, `PlexTSMonitorImage()`, `PetscDraw`
@*/
PetscErrorCode PlexImageDraw(PlexImage image, PetscObject source, Vec U, PetscReal t, PetscDraw draw)
{
  PlexScene      scene;
  PlexRaster     place;
  PlexWindow     window;
  PetscDraw      popup;
  PetscBool      isnull;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(image, PLEXIMAGE_CLASSID, 1);
  PetscValidHeader(source, 2);
  PetscValidHeaderSpecific(draw, PETSC_DRAW_CLASSID, 5);
  PetscCall(PetscDrawIsNull(draw, &isnull));
  if (isnull) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSceneCreate(image, source, U, t, t, &scene));
  window.draw     = draw;
  window.range[0] = PETSC_MAX_REAL;
  window.range[1] = -PETSC_MAX_REAL;
  if (image->ranged) PetscCall(PetscArraycpy(window.range, image->range, 2));
  else {
    PetscCall(PlexTriangles_Private(scene.sampler, scene.component, &scene.plane, image->divide, PlexWindowLook,
                                    &window));
    window.range[0] = -window.range[0];
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, window.range, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm(source)));
    window.range[0] = -window.range[0];
  }
  PetscCall(PetscDrawCheckResizedWindow(draw));
  PetscCall(PetscDrawClear(draw));
  PetscCall(PetscDrawSetTitle(draw, scene.title));
  place.w = draw->w > 0 ? draw->w : 300;
  place.h = draw->h > 0 ? draw->h : 300;
  PlexRasterPlace(&scene, &place);
  PetscCall(PetscDrawSetCoordinates(draw, place.x, place.y - place.h / place.scale, place.x + place.w / place.scale,
                                    place.y));
  PetscCall(PetscDrawGetPopup(draw, &popup));
  PetscCall(PetscDrawScalePopup(popup, window.range[0], window.range[1]));
  PetscDrawCollectiveBegin(draw);
  ierr = PlexTriangles_Private(scene.sampler, scene.component, &scene.plane, image->divide, PlexWindowDraw, &window);
  PetscDrawCollectiveEnd(draw);
  PetscCall(ierr);
  PetscCall(PetscDrawFlush(draw));
  PetscCall(PetscDrawPause(draw));
  PetscCall(PetscDrawSave(draw));
  PetscCall(PlexSamplerDestroy_Private(&scene.sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}
