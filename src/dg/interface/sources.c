/* Sources that do not depend on the state, as settings: a total field, dipoles. sourcerates.c computes what they add */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/*@
  PlexDGSetTotalField - Has an incident wave enter through a closed surface inside the mesh: inside of it the state is the
  total field, outside the scattered one

  Logically Collective

  Input Parameters:
+ dg    - the operator, of a linear system with an incident wave, `maxwell`
. label - a label of the mesh; `NULL`: no such surface any more
- value - its value; `PETSC_DETERMINE` for any

  Options Database Key:
. -plex_dg_total_field name[:value] - likewise, blanks in the name are written as underscores

  Level: intermediate

  Notes:
  Where the label holds cells, these have the total field. Else it holds facets, a closed surface such as a physical one
  of Gmsh, and the outside is where the mesh's largest x is.

  The wave is that of the constants `direction`, `polarization`, `frequency`, `wave_phase`, `wave_delay`, `wave_width` and
  `wave_ramp`. At the surface traces of neighbours differ by it. All elements there have the same coefficients, and do
  not conduct: other materials lie inside. There boundary conditions are those of the total field, such as `pec`; outside
  those of the scattered field, such as `absorbing`.

.seealso: `PlexDG`, `PlexDGAddDipole()`, `PlexDGAddBoundary()`, `PlexDGMonitorFarField()`
@*/
PetscErrorCode PlexDGSetTotalField(PlexDG dg, const char label[], PetscInt value)
{
  char *name = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGReset(dg));
  if (label) PetscCall(PetscStrallocpy(label, &name));
  PetscCall(PetscFree(dg->totalLabel));
  dg->totalLabel = name;
  dg->totalValue = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGAddDipole - Adds an electric dipole: a current at a point

  Logically Collective

  Input Parameters:
+ dg     - the operator, of `maxwell`
. x      - [dim] where it is, in the mesh
. moment - [3] P, its direction and size, current times length
- pulse  - [5] numbers of its change in time: w, phase, delay, width, ramp; see `PlexDGSetTotalField()`

  Options Database Keys:
+ -plex_dg_dipole_position x,y,z,...        - of all dipoles, with those of a program
. -plex_dg_dipole_moment Px,Py,Pz,...       - likewise
. -plex_dg_dipole_frequency w,...           - one number for all, or one each
. -plex_dg_dipole_phase, -plex_dg_dipole_delay, -plex_dg_dipole_width, -plex_dg_dipole_ramp - likewise, 0 where not given

  Level: intermediate

  Notes:
  epsilon E_t = curl H - sigma E - P g(t) delta(x - x0), with g(t) = cos(w s + phase), s = t - delay, times
  exp(-s^2/width^2) where width is not 0, and times a smooth ramp from 0 at s = 0 to 1 at s = ramp where ramp is not 0.

  The point's element gets what has the same products with its polynomials as the current. Away from it the field
  converges as others do; in the elements around it the exact field is infinite. In two dimensions it is a line along z.

  A current whose integral over time is not 0 leaves charges behind, and their static field.

.seealso: `PlexDG`, `PlexDGSetTotalField()`
@*/
PetscErrorCode PlexDGAddDipole(PlexDG dg, const PetscReal x[], const PetscReal moment[], const PetscReal pulse[])
{
  PlexDGDipole *dipoles;
  PetscInt      dim;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(x, 2);
  PetscAssertPointer(moment, 3);
  PetscAssertPointer(pulse, 4);
  PetscCall(PlexDGReset(dg));
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCheck(pulse[3] >= 0. && pulse[4] >= 0., PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "A dipole's width in time is %g and its ramp %g: they have to be 0 or more, see -plex_dg_dipole_width, "
             "-plex_dg_dipole_ramp",
             (double)pulse[3], (double)pulse[4]);
  PetscCall(PetscCalloc1(dg->ndipoles + 1, &dipoles));
  PetscCall(PetscArraycpy(dipoles, dg->dipoles, dg->ndipoles));
  PetscCall(PetscFree(dg->dipoles));
  dg->dipoles = dipoles;
  PetscCall(PetscArraycpy(dipoles[dg->ndipoles].x, x, dim));
  PetscCall(PetscArraycpy(dipoles[dg->ndipoles].moment, moment, 3));
  PetscCall(PetscArraycpy(dipoles[dg->ndipoles].pulse, pulse, 5));
  ++dg->ndipoles;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

#define PLEX_SOURCE_OPTION 64 /* dipoles at most */

/* Numbers of dipoles, `each` of every one; where `shared` one alone is of all */
static PetscErrorCode PlexDGDipoleOption(PlexDG dg, const char name[], PetscInt each, PetscBool shared, PetscInt *n,
                                         PetscReal values[])
{
  char      option[PETSC_MAX_OPTION_NAME];
  PetscInt  count = each * PLEX_SOURCE_OPTION;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_dipole_%s", name));
  PetscCall(PetscArrayzero(values, count));
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, values, &count,
                                     &set));
  if (!set) count = 0;
  if (shared && set && count == 1)
    for (PetscInt k = 1; k < *n; ++k) values[k] = values[0];
  else if (*n < 0) {
    PetscCheck(count % each == 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_SIZ,
               "%s has %" PetscInt_FMT " numbers, and a dipole has %" PetscInt_FMT, option, count, each);
    *n = count / each;
  } else
    PetscCheck((shared && !set) || count == *n * each, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_SIZ,
               "%s has %" PetscInt_FMT " numbers, and for the %" PetscInt_FMT
               " dipoles of -plex_dg_dipole_position these have to be %" PetscInt_FMT "%s",
               option, count, *n, *n * each, shared ? ", or 1 for all" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSourcesSetFromOptions_Private(PlexDG dg)
{
  const char *const names[5] = {"frequency", "phase", "delay", "width", "ramp"};
  PetscReal        *x, *moment, *pulse;
  char              label[256];
  PetscInt          n = -1, dim, value;
  PetscBool         set;

  PetscFunctionBegin;
  PetscCall(PlexDGLabelOption_Private(dg, "-plex_dg_total_field", sizeof(label), label, &value, &set));
  if (set) PetscCall(PlexDGSetTotalField(dg, label, value));
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCall(PetscMalloc3(3 * PLEX_SOURCE_OPTION, &x, 3 * PLEX_SOURCE_OPTION, &moment, 5 * PLEX_SOURCE_OPTION, &pulse));
  PetscCall(PlexDGDipoleOption(dg, "position", dim, PETSC_FALSE, &n, x));
  PetscCall(PlexDGDipoleOption(dg, "moment", 3, PETSC_FALSE, &n, moment));
  for (int k = 0; k < 5; ++k)
    PetscCall(PlexDGDipoleOption(dg, names[k], 1, PETSC_TRUE, &n, &pulse[k * PLEX_SOURCE_OPTION]));
  if (n > 0) { /* those that were read before go */
    PetscInt kept = 0;

    for (PetscInt k = 0; k < dg->ndipoles; ++k)
      if (!dg->dipoles[k].option) dg->dipoles[kept++] = dg->dipoles[k];
    dg->ndipoles = kept;
  }
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal numbers[5];

    for (int i = 0; i < 5; ++i) numbers[i] = pulse[i * PLEX_SOURCE_OPTION + k];
    PetscCall(PlexDGAddDipole(dg, &x[k * dim], &moment[3 * k], numbers));
    dg->dipoles[dg->ndipoles - 1].option = PETSC_TRUE;
  }
  PetscCall(PetscFree3(x, moment, pulse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
