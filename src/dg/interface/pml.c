/* A perfectly matched layer: settings and options. pmlcells.c finds it in the mesh, ../core/pml.c computes it */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/* box; box,x,y,z,x,y,z; sphere,x,y,z,r; circle,x,y,r */
static PetscErrorCode PlexDGPMLReadShape(PlexDG dg, const char shape[])
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dg);
  char    **words;
  int       n;
  PetscInt  dim;
  PetscBool box = PETSC_TRUE, sphere = PETSC_FALSE, circle = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCall(PetscStrToArray(shape, ',', &n, &words));
  if (n) {
    PetscCall(PetscStrcasecmp(words[0], "box", &box));
    PetscCall(PetscStrcasecmp(words[0], "sphere", &sphere));
    PetscCall(PetscStrcasecmp(words[0], "circle", &circle));
  }
  PetscCheck((box && (n <= 1 || n == 1 + 2 * dim)) || (sphere && dim == 3 && n == 5) || (circle && dim == 2 && n == 4),
             comm, PETSC_ERR_ARG_WRONG,
             "A perfectly matched layer has no shape %s: it is box, which is found, %s of the inner box's corners, or "
             "%s of center "
             "and inner radius",
             shape, dim == 3 ? "box,x,y,z,x,y,z" : "box,x,y,x,y", dim == 3 ? "sphere,x,y,z,r" : "circle,x,y,r");
  dg->pmlRadial = (PetscBool)!box;
  dg->pmlGiven  = (PetscBool)(n > 1);
  for (int k = 1; k < n; ++k) {
    char *end;

    dg->pmlNumbers[k - 1] = (PetscReal)strtod(words[k], &end);
    PetscCheck(end > words[k] && !*end, comm, PETSC_ERR_ARG_WRONG,
               "The shape %s of a perfectly matched layer has %s, which is no number", shape, words[k]);
  }
  PetscCheck(box || dg->pmlNumbers[dim] > 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The shape %s of a perfectly matched layer has the radius %g: it has to be more than 0", shape,
             (double)dg->pmlNumbers[dim]);
  for (PetscInt d = 0; d < dim && box && n > 1; ++d)
    PetscCheck(dg->pmlNumbers[d] < dg->pmlNumbers[dim + d], comm, PETSC_ERR_ARG_OUTOFRANGE,
               "The shape %s of a perfectly matched layer is no box: its first corner has to have the lower "
               "coordinates",
               shape);
  PetscCall(PetscStrToArrayDestroy(n, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetPML - Makes cells a perfectly matched layer, which lets waves of all directions out

  Logically Collective

  Input Parameters:
+ dg    - the operator, nodal, of system `maxwell` or `acoustics`
. label - a label of the mesh; `NULL`: there is no layer any more
. value - its value; `PETSC_DETERMINE` for any
- shape - what the layer is around: "box", "box,x,y,z,x,y,z" or "sphere,x,y,z,r", in two dimensions "box,x,y,x,y" or
          "circle,x,y,r"; that of the last call is taken

  Options Database Keys:
+ -plex_dg_pml_<label> shape      - cells that have a label of this name, or with _<label>:<value> this value of it; blanks in
                                    the name are written as underscores
. -plex_dg_pml_<value> shape      - cells where the label "Cell Sets" has the value
- -plex_dg_pml_reflection, -plex_dg_pml_power, -plex_dg_pml_alpha - see `PlexDGSetPMLProfile()`

  Level: intermediate

  Notes:
  Cells of several calls, or options, are one layer. "box" alone is the bounding box of the other cells, and a cell of the
  layer that is not beyond it, along one, two or three axes, an error. Each side has a layer or none, as thick as its cells
  reach. Of a box whose corners are given, or of a sphere by center and radius, the layer is those of the cells that
  reach beyond it, so that all cells may have the label; the mesh need not have the box's or sphere's faces.

  Where two sides meet, both axes are stretched, and at corners all three. In such edges in three dimensions, of systems
  with a field whose factor has two axes in the denominator, as velocities of `acoustics`, the rate of the axis along the
  edge is at least sigma_b sigma_c/(sigma_b + sigma_c) of the two others, without which energy would grow.

  It makes the order of elements, and of the values in vectors: of each 512 along the curve, on each process and of each level of time steps, those of the
  layer are the last ones.

  In the layer the state is not the field; energies count it all the same. Media may reach into the layer where they do not
  change along the way out, and do not conduct there. The boundary behind the layer is best absorbing.

  The layer's variables are stepped by `TSPLEXMULTIRATE`, and by `TSPLEXLOWSTORAGE` with schemes ck45, williamson3 and midpoint, which `PlexDGSetTS()`
  takes, and with constant steps. They begin at 0 with another run, that is with a state that the last step has not left, at
  step 0 of a `TS` or at another time, and a checkpoint has them. An operator that is changed within a run is an error, as
  the variables would be lost, and so are two `TS` that step it in turns. `PlexDGComputeRHS()` takes them as they are.

  The method is that of S. D. Gedney, IEEE Trans. Antennas Propag. 44 (1996), with the frequency shift of M. Kuzuoglu and
  R. Mittra, IEEE Microwave Guided Wave Lett. 6 (1996), and radially of F. L. Teixeira and W. C. Chew, Microwave Opt. Technol.
  Lett. 17 (1998).

.seealso: `PlexDG`, `PlexDGSetPMLProfile()`, `PlexDGGetPML()`, `PlexDGAddBoundary()`, `PlexDGSetTS()`
@*/
PetscErrorCode PlexDGSetPML(PlexDG dg, const char label[], PetscInt value, const char shape[])
{
  PlexDGPMLCells *cells;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGReset(dg));
  if (!label) {
    PetscCall(PlexDGPMLFree_Private(dg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscAssertPointer(shape, 4);
  PetscCall(PlexDGPMLReadShape(dg, shape));
  PetscCall(PetscCalloc1(dg->npmlCells + 1, &cells));
  PetscCall(PetscArraycpy(cells, dg->pmlCells, dg->npmlCells));
  PetscCall(PetscFree(dg->pmlCells));
  dg->pmlCells = cells;
  PetscCall(PetscStrallocpy(label, &cells[dg->npmlCells].label));
  cells[dg->npmlCells++].value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetPMLProfile - Sets how a perfectly matched layer damps waves

  Logically Collective

  Input Parameters:
+ dg         - the operator
. reflection - what the layer would reflect of a wave along the normal, between 0 and 1; 1e-12 if it is not set
. power      - 0 to 6, of the distance from the inner side; `PETSC_DETERMINE`, the default: 0 or 3, see below
- alpha      - of s = 1 + sigma/(alpha + i w), 1/time, 0 or more; `PETSC_DETERMINE`, the default: the speed over
               the thickness

  Options Database Keys:
+ -plex_dg_pml_reflection number - likewise
. -plex_dg_pml_power number      - likewise
. -plex_dg_pml_alpha rate        - likewise
- -plex_dg_pml_fused             - what is pointwise is computed by the kernel of a stage, of type `fused`; on by default, for
                                   measurements

  Level: intermediate

  Notes:
  sigma = sigma_max (d/L)^power, with sigma_max = -(power + 1) c log(reflection)/(2 L), L the thickness, c the largest speed
  of the layer's cells. Of waves at an angle a from the normal reflection^cos(a) is left, which is why it is so small: 1e-12 is
  8e-4 at 75 degrees, times what the boundary behind the layer reflects. What is reflected besides is the error of the
  discretization.

  With power 0 sigma is constant between planes that no cell crosses, the mean there of a rate that grows with the distance:
  in steps at sheets of cells, 15 of a side at most, or one step at the inner side, where cells are not in sheets. Where the
  inner side is at faces of the mesh fluxes handle steps, their reflection falls with the degree as any error, and what the
  layer does is pointwise: nothing is interpolated or projected. It is the default of degree 4 and more, and of others where
  each side has two sheets or more, a cell thick. Power 3 is that elsewhere: where cells are not all on one side of the box,
  around spheres, and for `acoustics` in 3D, whose edges have rates of an axis that would begin with a step as well.

  Waves of angular frequencies far below alpha are not damped. A static field that reaches the layer, or fields near a source,
  need an alpha above 0: with 0 they may grow with time.

.seealso: `PlexDG`, `PlexDGSetPML()`, `PlexDGGetPMLProfile()`
@*/
PetscErrorCode PlexDGSetPMLProfile(PlexDG dg, PetscReal reflection, PetscInt power, PetscReal alpha)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(reflection > 0. && reflection < 1., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "A perfectly matched layer cannot be for the reflection %g, but for one between 0 and 1: see "
             "-plex_dg_pml_reflection",
             (double)reflection);
  PetscCheck(power == PETSC_DETERMINE || (power >= 0 && power <= 6), comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The power of a perfectly matched layer's profile is 0 to 6, not %" PetscInt_FMT
             ": see -plex_dg_pml_power",
             power);
  PetscCheck(alpha == (PetscReal)PETSC_DETERMINE || (alpha >= 0. && alpha < PETSC_INFINITY), comm,
             PETSC_ERR_ARG_OUTOFRANGE,
             "alpha of a perfectly matched layer is %g: it has to be 0 or more, see -plex_dg_pml_alpha", (double)alpha);
  PetscCall(PlexDGReset(dg));
  dg->pmlReflection = reflection;
  dg->pmlPower      = power;
  dg->pmlAlpha      = alpha;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetPMLProfile - Gets how a perfectly matched layer damps waves

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ reflection - what it is for; or `NULL`
. power      - as it was set; or `NULL`
- alpha      - as it was set; or `NULL`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetPMLProfile()`
@*/
PetscErrorCode PlexDGGetPMLProfile(PlexDG dg, PetscReal *reflection, PetscInt *power, PetscReal *alpha)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (reflection) *reflection = dg->pmlReflection;
  if (power) *power = dg->pmlPower;
  if (alpha) *alpha = dg->pmlAlpha;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetPML - Gets the perfectly matched layer that was found in the mesh

  Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ cells     - of the layer, on all processes; 0: there is none; or `NULL`
. thickness - [2 dim] at the lower and upper side of the first axis, then the second one, 0 where there is no layer; of a
              sphere or circle the first number alone; or `NULL`
- alpha     - that of its profile, 1/time; or `NULL`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetPML()`
@*/
PetscErrorCode PlexDGGetPML(PlexDG dg, PetscInt *cells, PetscReal thickness[], PetscReal *alpha)
{
  PlexDGPML p;
  PetscInt  dim;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(DMGetDimension(dg->dm, &dim));
  p = dg->pml;
  if (cells) *cells = p ? p->cells : 0;
  if (alpha) *alpha = p ? p->alpha : 0.;
  if (!thickness) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt d = 0; d < dim; ++d)
    for (int side = 0; side < 2; ++side)
      thickness[2 * d + side] = p ? PetscAbsReal(p->outer[side][d] - p->inner[side][d]) : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

static const char *const PlexDGPMLNumbers[] = {"reflection", "power", "alpha", "fused"};

/* tag: what follows -plex_dg_pml_ */
static PetscErrorCode PlexDGPMLFromTag(PlexDG dg, const char tag[])
{
  char      option[PETSC_MAX_OPTION_NAME], name[PETSC_MAX_OPTION_NAME], label[256], shape[256], *colon, *end;
  long      value = strtol(tag, &end, 10);
  PetscBool alone = (PetscBool)(end > tag && !*end), both = PETSC_FALSE, number, found, set;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexDGPMLNumbers); ++k) {
    PetscCall(PetscStrcasecmp(tag, PlexDGPMLNumbers[k], &number));
    if (number) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_pml_%s", tag));
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, shape, sizeof(shape),
                                  &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(name, tag, sizeof(name)));
  colon = strrchr(name, ':');
  if (!alone && colon) {
    value = strtol(colon + 1, &end, 10);
    both  = (PetscBool)(end > colon + 1 && !*end);
    if (both) *colon = 0;
  }
  if (alone) PetscCall(PetscStrncpy(label, PLEX_DG_MATERIAL_LABEL, sizeof(label)));
  else PetscCall(PlexDGFindLabel_Private(dg, name, sizeof(label), label, &found));
  PetscCall(PlexDGSetPML(dg, label, alone || both ? (PetscInt)value : PETSC_DETERMINE, shape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLSetFromOptions_Private(PlexDG dg)
{
  PetscReal reflection = dg->pmlReflection, alpha = dg->pmlAlpha;
  PetscInt  power = dg->pmlPower;
  PetscBool set[3], fused = dg->pmlFused, given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_pml_reflection",
                                &reflection, &set[0]));
  PetscCall(PetscOptionsGetInt(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_pml_power", &power,
                               &set[1]));
  PetscCall(PetscOptionsGetReal(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_pml_alpha", &alpha,
                                &set[2]));
  if (set[0] || set[1] || set[2]) PetscCall(PlexDGSetPMLProfile(dg, reflection, power, alpha));
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_pml_fused", &fused,
                                &given));
  if (given && fused != dg->pmlFused) {
    PetscCall(PlexDGReset(dg));
    dg->pmlFused = fused;
  }
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_pml", PlexDGPMLFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
