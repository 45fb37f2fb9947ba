/* Facets of the mesh that are moved to surfaces, so that elements become curved: settings; src/dg/core/curve.c bends */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/* Takes the curve of a label and value away, and puts a new one behind the others, or before those of options */
static PetscErrorCode PlexDGCurvePut(PlexDG dg, const char label[], PetscInt value, const PlexDGCurve *curve)
{
  PlexDGCurve *curves;
  PetscInt     n = 0, at;

  PetscFunctionBegin;
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscCalloc1(dg->ncurves + 1, &curves));
  for (PetscInt k = 0; k < dg->ncurves; ++k) {
    PlexDGCurve *c = &dg->curves[k];
    PetscBool    same;

    PetscCall(PetscStrcmp(c->label, label, &same));
    if (same && c->value == value && (c->option == curve->option || !curve->func)) PetscCall(PetscFree(c->label));
    else curves[n++] = *c;
  }
  if (curve->func) {
    at = n;
    while (at > 0 && curves[at - 1].option && !curve->option) --at;
    PetscCall(PetscArraymove(&curves[at + 1], &curves[at], n - at));
    curves[at]       = *curve;
    curves[at].value = value;
    PetscCall(PetscStrallocpy(label, &curves[at].label));
    ++n;
  }
  PetscCall(PetscFree(dg->curves));
  dg->curves  = curves;
  dg->ncurves = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGSetCurve - Bends the elements at facets of a label to a surface

  Logically Collective

  Input Parameters:
+ dg    - the operator
. label - name of the label of the mesh, such as "Face Sets"
. value - its value; `PETSC_DETERMINE` for any
. func  - moves a point x[dim] near the surface onto it, leaves points there, and is smooth, as the nearest point is; `NULL`: the
          facets are straight again
- ctx   - given to it

  Options Database Keys:
+ -plex_dg_curve_<label> surface - where the label of this name has any value; blanks in the name are written as underscores
- -plex_dg_curve_<value> surface - where the label "Face Sets" has the value

  Level: intermediate

  Notes:
  Surfaces of options are `sphere`,x,y,z,r of center and radius; `cylinder`,x,y,z,a,b,c,r of a point of the axis, a
  direction along it and the radius; in two dimensions `circle`,x,y,r.

  The mesh has straight sides. Vertices of the facets are moved to the surface, edges and faces become polynomials of
  the degree of `PlexDGSetCurveDegree()`, and elements that have such an edge or face are blended to them. Facets may
  be of the boundary or inside, as between two materials. Of several curves that hold for a facet the last one is
  taken, and options come after what a program sets. Two surfaces that meet along an edge are an error: one function
  has to know both.

  The function is called at set-up, on the process of the element. A mesh bent so far that an element is inverted is an
  error that names the cell. Nodal DG of systems that are not in flux form alone has curved elements.

.seealso: `PlexDG`, `PlexDGSetCurveDegree()`, `PlexDGGetCurved()`, `PlexDGAddBoundary()`
@*/
PetscErrorCode PlexDGSetCurve(PlexDG dg, const char label[], PetscInt value, PlexDGCurveFn *func, void *ctx)
{
  const PlexDGCurve curve = {.func = func, .ctx = ctx};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(label, 2);
  PetscCall(PlexDGCurvePut(dg, label, value, &curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetCurveDegree - Sets the degree of the polynomials that elements are bent to

  Logically Collective

  Input Parameters:
+ dg     - the operator
- degree - 1 to 9, 1: vertices alone are moved; `PETSC_DETERMINE`: that of the operator, which is the default

  Options Database Key:
. -plex_dg_curve_degree degree - likewise

  Level: intermediate

  Note:
  The error falls as h^(N + 1) if the degree is N or more.

.seealso: `PlexDG`, `PlexDGSetCurve()`, `PlexDGGetCurveDegree()`, `PlexDGSetDegree()`
@*/
PetscErrorCode PlexDGSetCurveDegree(PlexDG dg, PetscInt degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(degree == PETSC_DETERMINE || (degree >= 1 && degree <= PLEX_DG_MAX_DEGREE),
             PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "Elements are bent to degrees 1 to %d, not %" PetscInt_FMT ": see -plex_dg_curve_degree",
             PLEX_DG_MAX_DEGREE, degree);
  if (degree != dg->curveDegree) PetscCall(PlexDGReset(dg));
  dg->curveDegree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetCurveDegree - Gets the degree of the polynomials that elements are bent to

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. degree - the degree; `PETSC_DETERMINE`: that of the operator

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetCurveDegree()`
@*/
PetscErrorCode PlexDGGetCurveDegree(PlexDG dg, PetscInt *degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(degree, 2);
  *degree = dg->curveDegree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetCurved - Gets the number of elements of nodal DG whose maps are not affine

  Collective

  Input Parameter:
. dg - the operator, which is set up if it is not yet

  Output Parameter:
. n - curved elements of all processes

  Level: intermediate

  Note:
  An element is affine if all its coordinate nodes are, to 1e-12 of its size, where the affine map of its vertices has
  them. Affine elements are computed as on a mesh of straight sides.

.seealso: `PlexDG`, `PlexDGSetCurve()`
@*/
PetscErrorCode PlexDGGetCurved(PlexDG dg, PetscInt *n)
{
  PetscInt own = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(n, 2);
  PetscCall(PlexDGSetUp(dg));
  if (dg->mesh) own = dg->mesh->ncurved[0] + dg->mesh->ncurved[1];
  PetscCallMPI(MPIU_Allreduce(&own, n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Surfaces of options; ctx: their numbers */

/* center[dim], radius */
static PetscErrorCode PlexDGCurveSphere(PetscInt dim, PetscReal x[], void *ctx)
{
  const PetscReal *s = (const PetscReal *)ctx;
  PetscReal        r = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) r += PetscSqr(x[d] - s[d]);
  r = PetscSqrtReal(r);
  for (PetscInt d = 0; d < dim; ++d) x[d] = s[d] + (x[d] - s[d]) * s[dim] / r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a point of the axis[3], direction[3], radius */
static PetscErrorCode PlexDGCurveCylinder(PetscInt dim, PetscReal x[], void *ctx)
{
  const PetscReal *s     = (const PetscReal *)ctx;
  PetscReal        along = 0., length = 0., r = 0., foot[3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    along += (x[d] - s[d]) * s[3 + d];
    length += s[3 + d] * s[3 + d];
  }
  for (PetscInt d = 0; d < dim; ++d) {
    foot[d] = s[d] + along / length * s[3 + d];
    r += PetscSqr(x[d] - foot[d]);
  }
  r = PetscSqrtReal(r);
  for (PetscInt d = 0; d < dim; ++d) x[d] = foot[d] + (x[d] - foot[d]) * s[6] / r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char    *name;
  PetscInt       dim, n;
  PlexDGCurveFn *func;
} PlexDGSurfaces[] = {
  {"circle",   2, 3, PlexDGCurveSphere  },
  {"sphere",   3, 4, PlexDGCurveSphere  },
  {"cylinder", 3, 7, PlexDGCurveCylinder}
};

/* A surface in words: its name and numbers */
static PetscErrorCode PlexDGCurveParse(PlexDG dg, const char option[], const char text[], PlexDGCurve *c)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);
  char   **words;
  int      nwords;
  PetscInt dim, n = 0;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCall(PetscStrToArray(text, ',', &nwords, &words));
  for (size_t k = 0; nwords && k < PETSC_STATIC_ARRAY_LENGTH(PlexDGSurfaces); ++k) {
    PetscBool same;

    PetscCall(PetscStrcasecmp(words[0], PlexDGSurfaces[k].name, &same));
    if (!same || dim != PlexDGSurfaces[k].dim || nwords != PlexDGSurfaces[k].n + 1) continue;
    c->func = PlexDGSurfaces[k].func;
    n       = PlexDGSurfaces[k].n;
  }
  PetscCheck(n, comm, PETSC_ERR_ARG_WRONG, "%s %s is no surface in %" PetscInt_FMT " dimensions: %s", option, text, dim,
             dim == 2 ? "use circle,x,y,radius"
                      : "use sphere,x,y,z,radius or cylinder,x,y,z,a,b,c,radius, a point and "
                        "a direction of the axis");
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscOptionsStringToReal(words[k + 1], &c->shape[k]));
  PetscCheck(c->shape[n - 1] > 0. && (n != 7 || c->shape[3] != 0. || c->shape[4] != 0. || c->shape[5] != 0.), comm,
             PETSC_ERR_ARG_OUTOFRANGE, "%s %s: the radius has to be positive, and the axis to have a direction", option,
             text);
  PetscCall(PetscStrToArrayDestroy(nwords, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tag: what follows -plex_dg_curve_ */
static PetscErrorCode PlexDGCurveFromTag(PlexDG dg, const char tag[])
{
  PlexDGCurve curve = {.option = PETSC_TRUE};
  char        option[PETSC_MAX_OPTION_NAME], label[256], text[512], *end;
  long        value = strtol(tag, &end, 10);
  PetscBool   found, set, degree, alone = (PetscBool)(end > tag && !*end);

  PetscFunctionBegin;
  PetscCall(PetscStrcasecmp(tag, "degree", &degree));
  if (degree) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGFindLabel_Private(dg, tag, sizeof(label), label, &found));
  if (found) alone = PETSC_FALSE;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_curve_%s", tag));
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, text, sizeof(text),
                                  &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCurveParse(dg, option, text, &curve));
  PetscCall(PlexDGCurvePut(dg, alone ? "Face Sets" : label, alone ? (PetscInt)value : PETSC_DETERMINE, &curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvesSetFromOptions_Private(PlexDG dg)
{
  PetscInt  degree = dg->curveDegree;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_curve_degree", &degree,
                               &set));
  if (set) PetscCall(PlexDGSetCurveDegree(dg, degree));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_curve", PlexDGCurveFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
