/* A problem from its seed. */
#include "fuzz.h"

const char *const PlexFuzzTypes[9] = {PLEXASSEMBLYAUTO,      PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC,
                                      PLEXASSEMBLYGLOBALNZ,  PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,
                                      PLEXASSEMBLYSHAREDROW, PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

PetscInt PlexFuzzDim(const PlexFuzzCase *c)
{
  return c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_QUADRILATERAL ? 2 : 3;
}

static void DrawMesh(PlexFuzzRandom *r, PlexFuzzCase *c)
{
  static const DMPolytopeType cells[]  = {DM_POLYTOPE_TRIANGLE,      DM_POLYTOPE_TRIANGLE,    DM_POLYTOPE_QUADRILATERAL,
                                          DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON};
  static const PetscInt       counts[] = {0, 0, 1, 2, 3, 5, 9};

  c->cell    = cells[PlexFuzzInt(r, 6)];
  c->mesh    = (PlexFuzzMesh)(PlexFuzzChance(r, 55)   ? PLEX_FUZZ_IRREGULAR
                              : PlexFuzzChance(r, 70) ? PLEX_FUZZ_BOX
                                                      : PLEX_FUZZ_PERIODIC);
  c->shape   = (PlexFuzzShape)PlexFuzzInt(r, 4);
  c->variant = PlexFuzzInt(r, 8);
  c->cells   = counts[PlexFuzzInt(r, 7)];
  for (PetscInt d = 0; d < 3; ++d) c->faces[d] = 1 + PlexFuzzInt(r, 3);
  /* PETSc has no box of them without a mesh generator */
  if (c->cell == DM_POLYTOPE_TETRAHEDRON) c->mesh = PLEX_FUZZ_IRREGULAR;
  if (c->mesh == PLEX_FUZZ_PERIODIC) {
    c->faces[0] = c->faces[1] = 3;
    c->cells                  = 0;
    /* cells have coordinates of their own, which only linear maps keep together */
    if (c->shape == PLEX_FUZZ_MOVED) c->shape = PLEX_FUZZ_SHEARED;
  } else {
    c->curved    = PlexFuzzChance(r, 12) ? 2 : 0;
    c->clockwise = PlexFuzzChance(r, 4);
    if (c->curved) c->shape = PLEX_FUZZ_STRAIGHT; /* they are bent enough */
  }
  if (PlexFuzzDim(c) == 3) c->faces[2] = 1 + PlexFuzzInt(r, 2);
  c->overlap = PlexFuzzChance(r, 20) ? 1 : 0;
  c->idle    = PlexFuzzChance(r, 15);
}

static void DrawFields(PlexFuzzRandom *r, PlexFuzzCase *c)
{
  static const PetscReal values[][2] = {
    {1.,     0.    },
    {1.,     0.    },
    {1000.,  1300. },
    {20000., 20000.},
    {0.1,    2.    }
  }; /* scale, shift */

  c->Nf = PlexFuzzChance(r, 55) ? 1 : PlexFuzzChance(r, 70) ? 2 : 3;
  for (PetscInt f = 0; f < c->Nf; ++f) {
    const PetscInt k = PlexFuzzInt(r, 5);

    c->fields[f].degree = PlexFuzzChance(r, 5) ? 4 : PlexFuzzChance(r, 55) ? 1 : 2 + PlexFuzzInt(r, 2);
    if (f && PlexFuzzChance(r, 15)) c->fields[f].degree = 0;
    /* whose nodes in a hexahedron PETSc puts in a plane */
    c->fields[f].disc  = (PetscBool)(f && c->cell != DM_POLYTOPE_HEXAHEDRON && PlexFuzzChance(r, 10));
    c->fields[f].Nc    = PlexFuzzChance(r, 60) ? 1 : PlexFuzzChance(r, 75) ? 0 : 5 - PlexFuzzDim(c);
    c->fields[f].scale = values[k][0];
    c->fields[f].shift = values[k][1];
  }
  /* PETSc makes none for vectors */
  for (PetscInt f = 0; f < c->Nf; ++f)
    if (c->fields[f].disc && c->cell == DM_POLYTOPE_QUADRILATERAL) c->fields[f].Nc = 1;
  c->NfAux = PlexFuzzChance(r, 30) ? 0 : 1 + PlexFuzzInt(r, PLEX_FUZZ_AUX);
  if (c->NfAux && PlexFuzzChance(r, 40)) c->NfAux = PLEX_FUZZ_AUX;
  for (PetscInt f = 0; f < c->NfAux; ++f) {
    PlexFuzzField *a = &c->aux[f];

    a->Nc     = f == 3 ? 0 : 1;
    a->degree = f == 0 ? 0 : f == 1 ? PlexFuzzInt(r, 3) : 1 + (PetscInt)PlexFuzzChance(r, 30);
    a->disc   = (PetscBool)(f && c->cell != DM_POLYTOPE_HEXAHEDRON && PlexFuzzChance(r, 20));
    if (f == 3 && c->cell == DM_POLYTOPE_QUADRILATERAL) a->disc = PETSC_FALSE;
    if (a->disc) a->degree = 1;
    /* others go beyond their values at nodes */
    a->scale = f == 0 ? 6. : f == 1 ? (a->degree < 2 && !a->disc && PlexFuzzChance(r, 60) ? 1300. : 100.) : 1.;
    a->shift = f == 1 ? 1600. : 0.;
  }
}

/* Bounds the work: element matrices times points times cells */
static void LimitWork(PlexFuzzCase *c)
{
  for (PetscInt tries = 0; tries < 8; ++tries) {
    const PetscInt  dim  = PlexFuzzDim(c);
    const PetscBool box  = (PetscBool)(c->cell == DM_POLYTOPE_QUADRILATERAL || c->cell == DM_POLYTOPE_HEXAHEDRON);
    PetscInt        most = 1, largest = 0;
    double          n = 0., points, cells;

    for (PetscInt f = 0; f < c->Nf; ++f) {
      const PetscInt p  = c->fields[f].degree;
      double         Nb = 1.;

      for (PetscInt d = 0; d < dim; ++d) Nb *= box ? p + 1. : (p + 1. + d) / (d + 1.);
      n += Nb * (c->fields[f].Nc ? c->fields[f].Nc : dim);
      most = PetscMax(most, p);
      if (p >= c->fields[largest].degree) largest = f;
    }
    points = PetscPowReal(most + 1., dim);
    cells  = c->mesh == PLEX_FUZZ_IRREGULAR ? (c->cells ? c->cells : 30)
                                            : c->faces[0] * c->faces[1] * (dim == 3 ? c->faces[2] : 1);
    if (n * n * points * cells < 2e6) return;
    if (c->mesh == PLEX_FUZZ_IRREGULAR && (!c->cells || c->cells > 3)) c->cells = c->cells ? c->cells / 2 : 9;
    else if (c->fields[largest].degree > 1) --c->fields[largest].degree;
    else if (c->Nf > 1) --c->Nf;
    else c->fields[0].Nc = 1;
  }
}

static PetscBool Fits(PlexFuzzComponents what, PetscInt Nc)
{
  return (PetscBool)(what == PLEX_FUZZ_ANY || (what == PLEX_FUZZ_ONE && Nc == 1) || (what == PLEX_FUZZ_DIM && Nc == 0));
}

/* A function for a slot and fields of these components, -1: none */
static PetscInt DrawFunction(PlexFuzzRandom *r, const PlexFuzzLibrary *l, const PlexFuzzCase *c, PlexFuzzSlot slot,
                             PetscBool facet, PetscInt test, PetscInt trial)
{
  PetscInt found[PLEX_FUZZ_MOST_FUNCTIONS], n = 0;

  for (PetscInt k = 0; k < l->n; ++k) {
    const PlexFuzzFunction *f = &l->functions[k];

    if (f->slot == slot && f->facet == facet && f->NfAux <= c->NfAux && Fits(f->test, test) && Fits(f->trial, trial))
      found[n++] = k;
  }
  return n ? found[PlexFuzzInt(r, n)] : -1;
}

static void DrawForm(PlexFuzzRandom *r, const PlexFuzzLibrary *l, PlexFuzzCase *c)
{
  static const PetscInt patterns[] = {8, 8, 8, 9, 9, 10, 12, 14, 15, 1, 11, 2, 4}; /* bits: g0, g1, g2, g3 */

  c->essential = PlexFuzzChance(r, 60);
  c->natural   = (PetscBool)(!c->region && PlexFuzzChance(r, 25));
  for (PetscInt i = 0; i < PLEX_FUZZ_FIELDS; ++i)
    for (PetscInt k = 0; k < PLEX_FUZZ_KEYS; ++k) {
      for (PetscInt s = 0; s < 2; ++s) c->f[s][i][k] = -1;
      for (PetscInt j = 0; j < PLEX_FUZZ_FIELDS; ++j)
        for (PetscInt s = 0; s < 4; ++s) c->g[s][i][j][k] = -1;
    }
  for (PetscInt i = 0; i < c->Nf; ++i) {
    for (PetscInt k = 0; k < (PlexFuzzChance(r, 10) ? 2 : 1); ++k)
      for (PetscInt s = 0; s < 2; ++s)
        if (PlexFuzzChance(r, 75))
          c->f[s][i][k] = DrawFunction(r, l, c, (PlexFuzzSlot)s, PETSC_FALSE, c->fields[i].Nc, c->fields[i].Nc);
    for (PetscInt j = 0; j < c->Nf; ++j) {
      if (i != j && PlexFuzzChance(r, 50)) continue;
      for (PetscInt k = 0; k < (PlexFuzzChance(r, 10) ? 2 : 1); ++k) {
        const PetscInt pattern = patterns[PlexFuzzInt(r, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(patterns))];

        for (PetscInt s = 0; s < 4; ++s)
          if (pattern >> s & 1)
            c->g[s][i][j][k] = DrawFunction(r, l, c, (PlexFuzzSlot)(PLEX_FUZZ_G0 + s), PETSC_FALSE, c->fields[i].Nc,
                                            c->fields[j].Nc);
      }
    }
  }
  for (PetscInt s = 0; s < 2; ++s)
    c->bf[s] = PlexFuzzChance(r, 60)
               ? DrawFunction(r, l, c, (PlexFuzzSlot)s, PETSC_TRUE, c->fields[0].Nc, c->fields[0].Nc)
               : -1;
  for (PetscInt s = 0; s < 4; ++s)
    c->bg[s] = PlexFuzzChance(r, 40)
               ? DrawFunction(r, l, c, (PlexFuzzSlot)(PLEX_FUZZ_G0 + s), PETSC_TRUE, c->fields[0].Nc, c->fields[0].Nc)
               : -1;
}

static void DrawRounds(PlexFuzzRandom *r, PlexFuzzCase *c)
{
  static const PetscReal times[] = {0.3, 0.3, 5.7, 9.1};

  c->rounds = PLEX_FUZZ_ROUNDS;
  for (PetscInt k = 0; k < PLEX_FUZZ_ROUNDS; ++k) {
    const PetscScalar constants[PLEX_FUZZ_CONSTANTS] = {PlexFuzzChance(r, 50) ? 0. : 1.,
                                                        PlexFuzzReal(r, 0.1, 3.),
                                                        PlexFuzzChance(r, 60) ? 0. : 2.5,
                                                        PlexFuzzReal(r, -2., 2.),
                                                        273.15,
                                                        PlexFuzzInt(r, 4)};

    c->moving[k] = (PetscBool)(k && PlexFuzzChance(r, 70));
    c->still[k]  = PlexFuzzChance(r, 40);
    c->time[k]   = c->moving[k] ? times[PlexFuzzInt(r, 4)] : 0.;
    c->shift[k]  = c->moving[k] ? PlexFuzzReal(r, 0.5, 10.) : 0.;
    for (PetscInt i = 0; i < PLEX_FUZZ_CONSTANTS; ++i) c->constants[k][i] = constants[i];
  }
  c->type = PlexFuzzInt(r, 9);
}

PetscErrorCode PlexFuzzDraw(uint64_t seed, const PlexFuzzLibrary *library, PlexFuzzCase *c)
{
  PlexFuzzRandom r;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  c->seed = seed;
  PlexFuzzSeed(&r, seed, 1);
  DrawMesh(&r, c);
  PlexFuzzSeed(&r, seed, 2);
  DrawFields(&r, c);
  LimitWork(c);
  PlexFuzzSeed(&r, seed, 5);
  c->region = (PetscBool)(c->Nf > 1 && c->mesh != PLEX_FUZZ_PERIODIC && PlexFuzzChance(&r, 12));
  if (c->region) { /* without dofs that the cells beside it have too */
    c->fields[c->Nf - 1].degree = 0;
    c->fields[c->Nf - 1].disc   = PETSC_FALSE;
  }
  PlexFuzzSeed(&r, seed, 3);
  DrawForm(&r, library, c);
  PlexFuzzSeed(&r, seed, 4);
  DrawRounds(&r, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}
