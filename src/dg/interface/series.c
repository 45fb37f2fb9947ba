/*
  Values in time of parts of the boundary, as settings: series and tides. ../quadrature/driven.c gives them to kernels
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include <ctype.h>

/* Speeds in degrees an hour: sums of multiples of those of the lunar day, 14.4920521, and of the mean longitudes of moon
   s, sun h and lunar perigee p, 0.5490165, 0.0410686, 0.0046418 (Doodson, Proc. R. Soc. A 100, 1921; tables of the NOAA) */
static const struct {
  const char *name;
  PetscReal   speed;
} PlexConstituents[] = {
  {"Z0",  0.        },
  {"SA",  0.0410686 },
  {"SSA", 0.0821373 },
  {"MM",  0.5443747 },
  {"MF",  1.0980331 },
  {"Q1",  13.3986609},
  {"O1",  13.9430356},
  {"P1",  14.9589314},
  {"K1",  15.0410686},
  {"N2",  28.4397295},
  {"M2",  28.9841042},
  {"S2",  30.0000000},
  {"K2",  30.0821373},
  {"MN4", 57.4238337},
  {"M4",  57.9682084},
  {"MS4", 58.9841042},
  {"M6",  86.9523127}
};

PetscErrorCode PlexDGSeriesDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    PetscCall(PetscFree(dg->series[k].label));
    PetscCall(PetscFree2(dg->series[k].t, dg->series[k].values));
    PetscCall(PetscFree(dg->series[k].tides));
  }
  PetscCall(PetscFree(dg->series));
  dg->nseries = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one of a label's value, new where there is none */
static PetscErrorCode PlexDGSeriesFind(PlexDG dg, const char label[], PetscInt value, PlexDGSeries **found)
{
  PlexDGSeries *series;

  PetscFunctionBegin;
  PetscCall(PlexDGReset(dg));
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    PetscBool same = (PetscBool)(!label && !dg->series[k].label);

    if (label && dg->series[k].label) PetscCall(PetscStrcmp(label, dg->series[k].label, &same));
    if (!same || value != dg->series[k].value) continue;
    *found = &dg->series[k];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(dg->nseries + 1, &series));
  PetscCall(PetscArraycpy(series, dg->series, dg->nseries));
  PetscCall(PetscFree(dg->series));
  dg->series = series;
  *found     = &series[dg->nseries++];
  PetscCall(PetscMemzero(*found, sizeof(**found)));
  if (label) PetscCall(PetscStrallocpy(label, &(*found)->label));
  (*found)->value = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetBoundarySeries - Sets values in time of a part of the boundary

  Logically Collective

  Input Parameters:
+ dg        - the operator
. label     - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value     - its value; `PETSC_DETERMINE` for any
. n         - times, at least 1
. t         - the times, ascending
. values    - the elevation at these times; of boundary condition `discharge` the discharge of the river, m^3/s, which is
              shared over the length of the part that is below the level of rest
- discharge - inward along the normal, m^2/s; `NULL`: none. Of condition `elevation` alone

  Options Database Keys:
+ -plex_dg_series_<value> file - where the label "Face Sets" has the value: a text with lines of time, value and, if there
                                 is one, discharge; what follows a # is a remark
- -plex_dg_series_<label> file - where the label has any value; -plex_dg_series: everywhere

  Level: intermediate

  Notes:
  Between two times values are linear, before the first and after the last time they are those of this time. The part
  has a boundary condition `elevation`, `incoming` or `discharge` of `shallow_water` or `tsunami`, of
  `PlexDGAddBoundary()`. A tide is added: `PlexDGSetBoundaryTide()`.

  The total discharge that crosses a part with condition `discharge` is that of the series to rounding.

.seealso: `PlexDG`, `PlexDGSetBoundaryTide()`, `PlexDGAddBoundary()`
@*/
PetscErrorCode PlexDGSetBoundarySeries(PlexDG dg, const char label[], PetscInt value, PetscInt n, const PetscReal t[],
                                       const PetscReal values[], const PetscReal discharge[])
{
  MPI_Comm      comm;
  PlexDGSeries *s;
  char          where[256];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(t, 5);
  PetscAssertPointer(values, 6);
  comm = PetscObjectComm((PetscObject)dg);
  PetscCall(PlexDGSeriesName_Private(&(PlexDGSeries){.label = (char *)label, .value = value}, sizeof(where), where));
  PetscCheck(n > 0, comm, PETSC_ERR_ARG_SIZ, "The series of %s has no times: give it one at least", where);
  for (PetscInt k = 0; k < n; ++k) {
    PetscCheck(!k || t[k] > t[k - 1], comm, PETSC_ERR_ARG_WRONG,
               "The times of the series of %s do not ascend: %g comes after %g. Sort them, and leave out those that "
               "come "
               "twice",
               where, (double)t[k], (double)t[k - 1]);
    PetscCheck(!PetscIsInfOrNanReal(t[k]) && !PetscIsInfOrNanReal(values[k]) &&
                 !(discharge && PetscIsInfOrNanReal(discharge[k])),
               comm, PETSC_ERR_ARG_WRONG, "The series of %s has no number at time %g: leave missing times out", where,
               (double)t[k]);
  }
  PetscCall(PlexDGSeriesFind(dg, label, value, &s));
  PetscCall(PetscFree2(s->t, s->values));
  PetscCall(PetscMalloc2(n, &s->t, 2 * n, &s->values));
  s->n = n;
  for (PetscInt k = 0; k < n; ++k) {
    s->t[k]              = t[k];
    s->values[2 * k]     = values[k];
    s->values[2 * k + 1] = discharge ? discharge[k] : 0.;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The speed of a constituent by name, or by its period, 1/time */
static PetscErrorCode PlexDGTideSpeed(MPI_Comm comm, const char name[], const char where[], PetscReal *speed)
{
  char   known[256] = "", *end;
  double period;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexConstituents); ++k) {
    PetscBool same;

    PetscCall(PetscStrcasecmp(name, PlexConstituents[k].name, &same));
    *speed = PlexConstituents[k].speed * PETSC_PI / (180. * 3600.);
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscStrlcat(known, k ? ", " : "", sizeof(known)));
    PetscCall(PetscStrlcat(known, PlexConstituents[k].name, sizeof(known)));
  }
  period = strtod(name, &end);
  PetscCheck(end > name && !*end && period > 0. && period < PETSC_INFINITY, comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "Unknown constituent %s of the tide of %s: known are %s, and any period in seconds", name, where, known);
  *speed = 2. * PETSC_PI / period;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGSetBoundaryTide - Sets the tide of a part of the boundary

  Logically Collective

  Input Parameters:
+ dg    - the operator
. label - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value - its value; `PETSC_DETERMINE` for any
- tide  - constituents, three words each: name or period in seconds, amplitude, phase in degrees. Words are separated by
          commas or blanks: "M2,1.2,30,S2,0.4,65,44714,0.1,0"

  Options Database Keys:
+ -plex_dg_tide_<value> tide - where the label "Face Sets" has the value
- -plex_dg_tide_<label> tide - where the label has any value; -plex_dg_tide: everywhere

  Level: intermediate

  Notes:
  The elevation is the sum of amplitude cos(speed t - phase), added to a series of `PlexDGSetBoundarySeries()`. Known are
  SA, SSA, MM, MF, Q1, O1, P1, K1, N2, M2, S2, K2, MN4, M4, MS4, M6, and Z0, a constant. Phases are those at t = 0:
  astronomical arguments and nodal corrections of this time are to be in phases and amplitudes.

.seealso: `PlexDG`, `PlexDGSetBoundarySeries()`, `PlexDGAddBoundary()`
@*/
PetscErrorCode PlexDGSetBoundaryTide(PlexDG dg, const char label[], PetscInt value, const char tide[])
{
  MPI_Comm      comm;
  PlexDGSeries *s;
  char          where[256], word[3][64], *end;
  const char   *at = tide;
  PetscReal    *tides;
  PetscInt      n = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(tide, 4);
  comm = PetscObjectComm((PetscObject)dg);
  PetscCall(PlexDGSeriesName_Private(&(PlexDGSeries){.label = (char *)label, .value = value}, sizeof(where), where));
  PetscCall(PetscMalloc1(3 * (strlen(tide) / 6 + 1), &tides));
  while (*(at += strspn(at, ", \t\n"))) {
    for (int k = 0; k < 3; ++k) {
      const size_t length = strcspn(at += strspn(at, ", \t\n"), ", \t\n");

      PetscCheck(length, comm, PETSC_ERR_ARG_SIZ,
                 "The tide of %s, %s, ends within a constituent: each has a name or period in seconds, an amplitude "
                 "and "
                 "a phase in degrees, as M2,1.2,30",
                 where, tide);
      PetscCheck(length < sizeof(word[k]), comm, PETSC_ERR_ARG_SIZ, "The tide of %s has a long word: %s", where, at);
      PetscCall(PetscStrncpy(word[k], at, length + 1));
      at += length;
      if (!k) continue;
      tides[3 * n + (k == 1 ? 0 : 2)] = (PetscReal)strtod(word[k], &end);
      PetscCheck(end > word[k] && !*end && !PetscIsInfOrNanReal(tides[3 * n + (k == 1 ? 0 : 2)]), comm,
                 PETSC_ERR_ARG_WRONG,
                 "Constituent %s of the tide of %s has the %s %s, which is no number: a constituent is name or period "
                 "in "
                 "seconds, amplitude, phase in degrees, as M2,1.2,30",
                 word[0], where, k == 1 ? "amplitude" : "phase", word[k]);
    }
    PetscCall(PlexDGTideSpeed(comm, word[0], where, &tides[3 * n + 1]));
    tides[3 * n + 2] *= PETSC_PI / 180.;
    ++n;
  }
  PetscCheck(n, comm, PETSC_ERR_ARG_SIZ, "The tide of %s has no constituents: give it some, as M2,1.2,30", where);
  PetscCall(PlexDGSeriesFind(dg, label, value, &s));
  PetscCall(PetscFree(s->tides));
  s->tides  = tides;
  s->ntides = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of a file as numbers[n][3], by the first process; columns: the least number of them, or -1 - the line that is
   wrong */
static PetscErrorCode PlexDGSeriesParse(FILE *file, PetscInt *n, PetscReal **numbers, PetscInt *columns)
{
  PetscInt size = 0, number = 0;
  char     line[1024];

  PetscFunctionBegin;
  *n       = 0;
  *numbers = NULL;
  *columns = 3;
  while (fgets(line, sizeof(line), file)) {
    PetscReal row[3] = {0., 0., 0.};
    PetscInt  k      = 0;
    char     *at     = line, *end;

    ++number;
    line[strcspn(line, "#")] = 0;
    while (*(at += strspn(at, ",; \t\r\n"))) {
      const double x = strtod(at, &end);

      if (end == at || k == 3 || (*end && !strchr(",; \t\r\n", *end))) break;
      row[k++] = (PetscReal)x;
      at       = end;
    }
    if (!k && !*at) continue;
    if (*at || k < 2 || (*n && k != *columns)) {
      *columns = -1 - number;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    *columns = k;
    if (*n == size) {
      size = PetscMax(64, 2 * size);
      PetscCall(PetscRealloc(sizeof(PetscReal) * 3 * (size_t)size, numbers));
    }
    PetscCall(PetscArraycpy(*numbers + 3 * *n, row, 3));
    ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_dg_series<suffix> */
static PetscErrorCode PlexDGSeriesRead(PlexDG dg, const char option[], const char path[], const char label[],
                                       PetscInt value)
{
  MPI_Comm    comm    = PetscObjectComm((PetscObject)dg);
  PetscInt    head[3] = {0, 0, 0}; /* there is a file, times, columns */
  PetscReal  *numbers = NULL, *t, *values, *discharge;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    FILE *file = fopen(path, "r");

    head[0] = !!file;
    if (file) PetscCall(PlexDGSeriesParse(file, &head[1], &numbers, &head[2]));
    if (file) (void)fclose(file);
  }
  PetscCallMPI(MPI_Bcast(head, 3, MPIU_INT, 0, comm));
  PetscCheck(head[0], comm, PETSC_ERR_FILE_OPEN,
             "Cannot read %s, the series of %s: it is a text with lines of time and value", path, option);
  PetscCheck(head[2] > 0, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Line %" PetscInt_FMT
             " of %s, the series of %s, has not two or three numbers, as the others: time, elevation or discharge of "
             "a river and, if there is one, discharge inward; what follows a # is a remark",
             -1 - head[2], path, option);
  PetscCheck(head[1], comm, PETSC_ERR_FILE_UNEXPECTED,
             "%s, the series of %s, has no times: its lines are time and value", path, option);
  if (rank) PetscCall(PetscMalloc1(3 * head[1], &numbers));
  PetscCallMPI(MPI_Bcast(numbers, (PetscMPIInt)(3 * head[1]), MPIU_REAL, 0, comm));
  PetscCall(PetscMalloc3(head[1], &t, head[1], &values, head[1], &discharge));
  for (PetscInt k = 0; k < head[1]; ++k) {
    t[k]         = numbers[3 * k];
    values[k]    = numbers[3 * k + 1];
    discharge[k] = numbers[3 * k + 2];
  }
  PetscCall(PlexDGSetBoundarySeries(dg, label, value, head[1], t, values, head[2] == 3 ? discharge : NULL));
  PetscCall(PetscFree3(t, values, discharge));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSeriesFromOption_Private(PlexDG dg, const char suffix[], const char label[], PetscInt value)
{
  PetscObject obj = (PetscObject)dg;
  char        option[PETSC_MAX_OPTION_NAME], text[4096];
  PetscBool   set;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s%s", k ? "tide" : "series", suffix));
    for (char *c = option; *c; ++c)
      if (*c == ' ') *c = '_';
    PetscCall(PetscOptionsGetString(obj->options, obj->prefix, option, text, sizeof(text), &set));
    if (set && !k) PetscCall(PlexDGSeriesRead(dg, option, text, label, value));
    if (set && k) PetscCall(PlexDGSetBoundaryTide(dg, label, value, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
