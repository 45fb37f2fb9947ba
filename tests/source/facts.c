static char help[] = "What is known of pointwise functions from their source: what they read, which entries of their "
                     "results are zero and which are equal.\n"
                     "The functions of facts-functions.h are called with random arguments, to see that what is claimed "
                     "is so. Those of the examples and of PETSc's\n"
                     "tutorials, where they are there, are to be understood.\n\n";

#include <plexgpu/private/sourceimpl.h>
#include "report.h"
#include "facts-functions.h"

#define ENTRIES 16
#define NOTHING NULL /* no entry is known */

typedef struct {
  const char *name;
  void (*fn)(void);
  PetscBool   jacobian, facets;
  PetscBool   known;
  unsigned    reads;
  const char *value; /* numbers of the entries, a character each; those behind are 0 */
} Expected;

#define F(name)  #name, (void (*)(void))name, PETSC_FALSE, PETSC_FALSE
#define J(name)  #name, (void (*)(void))name, PETSC_TRUE, PETSC_FALSE
#define B(name)  #name, (void (*)(void))name, PETSC_FALSE, PETSC_TRUE
#define BJ(name) #name, (void (*)(void))name, PETSC_TRUE, PETSC_TRUE

#define U   PLEX_READS_U
#define UT  PLEX_READS_U_T
#define UX  PLEX_READS_U_X
#define A   PLEX_READS_A
#define T   PLEX_READS_T
#define X   PLEX_READS_X
#define C   PLEX_READS_CONSTANTS
#define V   PLEX_READS_VARIABLES
#define S   PLEX_READS_SHIFT
#define N   PLEX_READS_NORMAL
#define HID (PLEX_READS_FIELDS | PLEX_READS_VOLUME)
#define ALL PLEX_READS_ALL

static const Expected expected[] = {
  {J(laplace),                 PETSC_TRUE,  0,                 "1001"            },
  {J(elastic),                 PETSC_TRUE,  C,                 "1002032002302001"},
  {J(advection),               PETSC_TRUE,  0,                 ""                },
  {J(mass),                    PETSC_TRUE,  S,                 "1"               },
  {B(outward),                 PETSC_TRUE,  N | T,             "1"               },
  {BJ(outward_g),              PETSC_TRUE,  N | S | X,         "1"               },
  {F(nothing),                 PETSC_TRUE,  0,                 ""                },
  {F(shadowed),                PETSC_TRUE,  0,                 "1"               },
  {F(shadowed_goto),           PETSC_TRUE,  U,                 NOTHING           },
  {F(dead),                    PETSC_TRUE,  0,                 "1"               },
  {F(only_sizeof),             PETSC_TRUE,  0,                 "1"               },
  {F(only_sizeof_goto),        PETSC_TRUE,  0,                 NOTHING           },
  {F(array_sizeof_goto),       PETSC_TRUE,  U,                 NOTHING           },
  {F(macros),                  PETSC_TRUE,  UX | T,            "1"               },
  {F(chain),                   PETSC_TRUE,  A | T,             "1"               },
  {F(chain_goto),              PETSC_TRUE,  A | T,             NOTHING           },
  {F(recursive),               PETSC_TRUE,  A,                 "1"               },
  {F(recursive_goto),          PETSC_TRUE,  A | U,             NOTHING           },
  {F(elsewhere),               PETSC_FALSE, ALL,               NOTHING           },
  {F(voids),                   PETSC_TRUE,  0,                 "1"               },
  {F(difference_goto),         PETSC_TRUE,  U | UT,            NOTHING           },
  {F(time_derivative),         PETSC_TRUE,  UT,                "11"              },
  {F(address),                 PETSC_TRUE,  T,                 "1"               },
  {F(address_goto),            PETSC_FALSE, ALL,               NOTHING           },
  {F(second_aux),              PETSC_TRUE,  A,                 "1"               },
  {F(any_aux),                 PETSC_TRUE,  A | X,             "1"               },
  {F(constants_known),         PETSC_TRUE,  C,                 "1"               },
  {F(constants_goto),          PETSC_TRUE,  C,                 NOTHING           },
  {F(constants_volume),        PETSC_TRUE,  PLEX_READS_VOLUME, "1"               },
  {F(constants_volume_goto),   PETSC_TRUE,  PLEX_READS_VOLUME, NOTHING           },
  {F(constants_fields),        PETSC_TRUE,  PLEX_READS_FIELDS, "1"               },
  {F(constants_loop),          PETSC_TRUE,  C,                 "1"               },
  {F(constants_any),           PETSC_TRUE,  C | HID,           "1"               },
  {F(constants_any_goto),      PETSC_TRUE,  C | HID,           NOTHING           },
  {F(variable),                PETSC_TRUE,  V,                 "1"               },
  {F(variable_array),          PETSC_TRUE,  V,                 "1"               },
  {F(variable_let_out),        PETSC_TRUE,  V,                 "1"               },
  {F(variable_let_out_goto),   PETSC_FALSE, ALL,               NOTHING           },
  {F(variable_struct),         PETSC_TRUE,  V,                 "1"               },
  {F(variable_struct_goto),    PETSC_TRUE,  V,                 NOTHING           },
  {F(variable_struct_written), PETSC_FALSE, ALL,               NOTHING           },
  {F(variable_written),        PETSC_FALSE, ALL,               NOTHING           },
  {F(constant_of_file),        PETSC_TRUE,  0,                 "01"              },
  {F(table),                   PETSC_TRUE,  A,                 "11"              },
  {F(deep),                    PETSC_FALSE, ALL,               NOTHING           },
  {F(through_pointer),         PETSC_FALSE, ALL,               NOTHING           },
  {F(through_local_pointer),   PETSC_FALSE, ALL,               NOTHING           },
  {F(counts),                  PETSC_FALSE, ALL,               NOTHING           },
  {F(static_constant),         PETSC_TRUE,  0,                 "01"              },
  {F(pointer_in_constants),    PETSC_FALSE, ALL,               NOTHING           },
  {F(pointer_in_union),        PETSC_FALSE, ALL,               NOTHING           },
  {F(pointer_copied),          PETSC_FALSE, ALL,               NOTHING           },
  {F(assembly),                PETSC_FALSE, ALL,               NOTHING           },
  {F(multiples),               PETSC_TRUE,  U,                 "10012033"        },
  {F(orders),                  PETSC_TRUE,  U | A,             "112345411"       },
  {F(divisions),               PETSC_TRUE,  U,                 "0110002345600000"},
  {F(bits),                    PETSC_TRUE,  0,                 ""                },
  {F(branches),                PETSC_TRUE,  U | T,             "112"             },
  {F(clamps),                  PETSC_TRUE,  A,                 "1234"            },
  {F(yields),                  PETSC_TRUE,  UX | C,            "1001"            },
  {F(early),                   PETSC_TRUE,  X | T,             "123"             },
  {F(both_return),             PETSC_TRUE,  X,                 "12"              },
  {F(loops),                   PETSC_TRUE,  U | X,             "1123455"         },
  {F(nested_loops),            PETSC_TRUE,  U | X | T,         "1123"            },
  {F(ways),                    PETSC_TRUE,  U | X,             "12"              },
  {F(newton),                  PETSC_TRUE,  X,                 "11"              },
  {F(waits),                   PETSC_TRUE,  U,                 NOTHING           },
  {F(switches),                PETSC_TRUE,  X,                 "112"             },
  {F(switches_unknown),        PETSC_TRUE,  X | U,             NOTHING           },
  {F(do_while),                PETSC_TRUE,  0,                 "012"             },
  {F(aliases),                 PETSC_TRUE,  U,                 "11002222"        },
  {F(chooses),                 PETSC_TRUE,  U | A,             "112"             },
  {F(writes_somewhere),        PETSC_TRUE,  X,                 "123456789:;<=>?@"},
  {F(writes_one_of_two),       PETSC_TRUE,  X | U,             "0102"            },
  {F(commas),                  PETSC_TRUE,  U,                 "1111"            },
  {F(copies),                  PETSC_TRUE,  U,                 "1200340034"      },
  {F(structs),                 PETSC_TRUE,  A,                 "1102130"         },
  {F(arrays),                  PETSC_TRUE,  U | UX,            "12234005"        },
  {F(side_effects),            PETSC_TRUE,  U,                 "1102134"         },
  {F(calls_of_math),           PETSC_TRUE,  X,                 "123330"          },
  {F(out_of_range),            PETSC_TRUE,  U,                 NOTHING           },
  {F(not_set),                 PETSC_TRUE,  X,                 "11"              },
  {F(own_type_goto),           PETSC_FALSE, ALL,               NOTHING           },
  {F(own_enumerator),          PETSC_TRUE,  C | HID,           NOTHING           },
  {F(exact),                   PETSC_TRUE,  X,                 "122"             },
  {F(exact_goto),              PETSC_FALSE, ALL,               NOTHING           },
};

/* The fields of the calls, which are numbers as PETSc sets them */
#define FIELD_I 1
#define FIELD_J 0

static const PetscInt uOff[] = {0, 2, 3}, uOff_x[] = {0, 4, 6}, aOff[] = {0, 1, 3}, aOff_x[] = {0, 2, 6};

static PlexFactsSizes Sizes(const Expected *e)
{
  return (PlexFactsSizes){.dim          = 2,
                          .Nf           = 2,
                          .NfAux        = 2,
                          .uOff         = uOff,
                          .uOff_x       = uOff_x,
                          .aOff         = aOff,
                          .aOff_x       = aOff_x,
                          .numConstants = 3,
                          .fieldI       = FIELD_I,
                          .fieldJ       = FIELD_J,
                          .n            = ENTRIES,
                          .facets       = e->facets,
                          .jacobian     = e->jacobian};
}

PetscReal FactsElsewhere(const PetscScalar *u)
{
  return u[0];
}

/* ------------------------------------------------------------------------------------------------------------ calls */

/* Arguments of a call, in the order of the bits of PlexFacts.reads; what there is of each */
typedef struct {
  PetscScalar u[3], u_t[3], u_x[6], a[3], a_t[3], a_x[6];
  PetscReal   t, shift, x[2], n[2];
  PetscScalar volume, fields[2], constants[3];
  PetscReal   level, tensor[4];
} Arguments;

/* Numbers on which branches and tables turn, and any others */
static PetscErrorCode Draw(PetscRandom random, PetscInt n, PetscReal values[])
{
  static const PetscReal special[] = {0.0, 1.0, -1.0, 2.0, 0.5, 1e-3, 100.0, -3.0, 1e8, 3.0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal which, value;

    PetscCall(PetscRandomGetValueReal(random, &which));
    PetscCall(PetscRandomGetValueReal(random, &value));
    values[k] = which < 0.4 ? special[(PetscInt)(value * 9.99)] : 8.0 * value - 4.0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void *Part(Arguments *c, PetscInt bit, PetscInt *n)
{
  void *const    parts[] = {c->u,      c->u_t, c->u_x, c->a,       c->a_t,    c->a_x,       &c->t,
                            &c->shift, c->x,   c->n,   &c->volume, c->fields, c->constants, &c->level};
  const PetscInt sizes[] = {3, 3, 6, 3, 3, 6, 1, 1, 2, 2, 1, 2, 3, 5};

  *n = sizes[bit];
  return parts[bit];
}

/* Arrays that are not read are not there */
static void Call(const Expected *e, Arguments *c, unsigned reads, PetscScalar g[])
{
  PetscScalar      constants[6];
  PetscScalar     *u[6];
  const PetscReal *x = reads & X ? c->x : NULL, *n = reads & N ? c->n : NULL;

  for (PetscInt k = 0; k < 6; ++k) {
    PetscInt size;

    u[k] = reads & (1u << k) ? Part(c, k, &size) : NULL;
  }
  for (PetscInt k = 0; k < 3; ++k) constants[k] = c->constants[k];
  constants[3] = FIELD_I;
  constants[4] = FIELD_J;
  constants[5] = c->volume;
  facts_level  = c->level;
  for (PetscInt k = 0; k < 4; ++k) facts_tensor[k / 2][k % 2] = c->tensor[k];
  for (PetscInt k = 0; k < ENTRIES; ++k) g[k] = 0.0;
#define HEAD 2, 2, 2, uOff, uOff_x, u[0], u[1], u[2], aOff, aOff_x, u[3], u[4], u[5], c->t
#define TAIL 3, constants, g
  if (e->jacobian && e->facets) ((PetscBdPointJacFn *)e->fn)(HEAD, c->shift, x, n, TAIL);
  else if (e->jacobian) ((PetscPointJacFn *)e->fn)(HEAD, c->shift, x, TAIL);
  else if (e->facets) ((PetscBdPointFn *)e->fn)(HEAD, x, n, TAIL);
  else ((PetscPointFn *)e->fn)(HEAD, x, TAIL);
}

static PetscBool Same(PetscScalar a, PetscScalar b)
{
  return (PetscBool)(a == b || (a != a && b != b));
}

/* Calls a function many times: whether zeros are zero, equal entries equal, and what is not read does not matter.
   details: what was not so */
static PetscErrorCode LookAtCalls(const Expected *e, const PlexFacts *facts, PetscRandom random, char details[],
                                  size_t size)
{
  Arguments   c, other;
  PetscScalar g[ENTRIES], h[ENTRIES];

  PetscFunctionBegin;
  details[0] = '\0';
  for (PetscInt trial = 0; trial < 300 && !details[0]; ++trial) {
    PetscCall(Draw(random, sizeof(c) / sizeof(PetscReal), (PetscReal *)&c));
    Call(e, &c, facts->reads, g);
    for (PetscInt k = 0; k < ENTRIES && facts->value; ++k) {
      if (!facts->value[k] && g[k] != 0.0)
        PetscCall(PetscSNPrintf(details, size, "entry %" PetscInt_FMT " is %g, not 0", k, (double)g[k]));
      for (PetscInt m = 0; m < k; ++m)
        if (facts->value[k] == facts->value[m] && !Same(g[k], g[m]))
          PetscCall(PetscSNPrintf(details, size, "entries %" PetscInt_FMT " and %" PetscInt_FMT " are %.17g and %.17g",
                                  k, m, (double)g[k], (double)g[m]));
    }
    for (PetscInt bit = 0; bit < 14; ++bit) {
      PetscInt   n;
      PetscReal *part;

      other = c;
      part  = Part(&other, bit, &n);
      if (!(facts->reads & (1u << bit))) PetscCall(Draw(random, n, part));
      else if (bit == 3) { /* values of auxiliary fields that are not read */
        for (PetscInt f = 0; f < 2; ++f)
          if (!facts->readsA[f]) PetscCall(Draw(random, aOff[f + 1] - aOff[f], &part[aOff[f]]));
      } else continue;
      Call(e, &other, facts->reads, h);
      for (PetscInt k = 0; k < ENTRIES; ++k)
        if (!Same(g[k], h[k])) PetscCall(PetscSNPrintf(details, size, "it depends on argument %" PetscInt_FMT, bit));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static PetscErrorCode LookAt(PlexProgram program, const Expected *e, PetscRandom random)
{
  const PlexFactsSizes sizes = Sizes(e);
  PlexFacts            facts;
  char                 found[ENTRIES + 1] = "", wanted[ENTRIES + 1] = "0000000000000000", details[256];

  PetscFunctionBegin;
  PetscCall(PlexProgramGetFacts(program, (PetscVoidFn *)e->fn, NULL, &sizes, &facts));
  for (PetscInt k = 0; k < ENTRIES && facts.value; ++k) found[k] = (char)('0' + facts.value[k]);
  if (e->value) PetscCall(PetscArraycpy(wanted, e->value, strlen(e->value)));
  PetscCall(PlexTestReportOf((PetscBool)(facts.known == e->known && facts.reads == e->reads), e->name, "what is read",
                             "known %d, reads %#x, not %#x (%s)", facts.known, facts.reads, e->reads,
                             facts.why ? facts.why : "all is understood"));
  PetscCall(PlexTestReportOf((PetscBool)(!facts.value == !e->value && (!e->value || !strcmp(found, wanted))), e->name,
                             "entries", "%s, not %s (%s)", facts.value ? found : "nothing known",
                             e->value ? wanted : "nothing known", facts.why ? facts.why : "all is understood"));
  if (facts.known && strcmp(e->name, "out_of_range")) {
    PetscCall(LookAtCalls(e, &facts, random, details, sizeof(details)));
    PetscCall(PlexTestReportOf((PetscBool)!details[0], e->name, "calls", "%s", details));
  }
  PetscCall(PlexFactsReset(&facts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which auxiliary fields, and what is known without a source */
static PetscErrorCode LookAtOthers(PlexProgram program)
{
  PlexFactsSizes sizes = Sizes(&expected[0]);
  PlexFacts      facts;

  PetscFunctionBegin;
  sizes.jacobian = PETSC_FALSE;
  PetscCall(PlexProgramGetFacts(program, NULL, "second_aux", &sizes, &facts));
  PetscCall(PlexTestReport((PetscBool)(!facts.readsA[0] && facts.readsA[1]),
                           "the auxiliary field that is read, by name", "%d %d", facts.readsA[0], facts.readsA[1]));
  PetscCall(PlexFactsReset(&facts));
  sizes.facets = PETSC_TRUE;
  PetscCall(PlexProgramGetFacts(program, NULL, "second_aux", &sizes, &facts));
  PetscCall(PlexTestReport((PetscBool)(!facts.known && facts.reads == ALL && facts.readsA[0] && !facts.value),
                           "a function of other parameters", "known %d, reads %#x", facts.known, facts.reads));
  PetscCall(PlexFactsReset(&facts));
  PetscCall(PlexProgramGetFacts(NULL, (PetscVoidFn *)laplace, NULL, &sizes, &facts));
  PetscCall(PlexTestReport((PetscBool)(!facts.known && facts.reads == ALL && facts.readsA[0] && facts.readsA[1] &&
                                       !facts.value && facts.why),
                           "no source", "known %d, reads %#x", facts.known, facts.reads));
  PetscCall(PlexFactsReset(&facts));
  sizes        = Sizes(&expected[0]);
  sizes.uOff   = NULL;
  sizes.uOff_x = NULL;
  PetscCall(PlexProgramGetFacts(program, (PetscVoidFn *)laplace, NULL, &sizes, &facts));
  PetscCall(PlexTestReport((PetscBool)(facts.known && facts.value && !facts.reads),
                           "offsets that are not known and not used", "known %d, reads %#x (%s)", facts.known,
                           facts.reads, facts.why));
  PetscCall(PlexFactsReset(&facts));
  sizes.jacobian = PETSC_FALSE;
  PetscCall(PlexProgramGetFacts(program, (PetscVoidFn *)aliases, NULL, &sizes, &facts));
  PetscCall(PlexTestReport((PetscBool)(facts.known && !facts.value && facts.reads == U),
                           "offsets that are not known and used", "known %d, reads %#x (%s)", facts.known, facts.reads,
                           facts.why));
  PetscCall(PlexFactsReset(&facts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexProgram *program;
  const char  *files;
} Reading;

static PetscErrorCode Read(void *ctx)
{
  Reading *r = (Reading *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexProgramCreate(r->files, NULL, r->program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions of programs, all of which are to be carried out */
typedef struct {
  const char *file;
  PetscInt    dim;
  const char *residuals, *jacobians; /* blanks between */
} Known;

// clang-format off
static const Known known[] = {
  {"examples/elasticity.c", 3, "Stress", "StressOfGradient"},
  {"examples/hyperelasticity.c", 3, "Stress Energy", "StressOfGradient"},
  {"examples/reaction.c", 2, "Reaction Diffusion MeanOfU", "ReactionOfConcentrations DiffusionOfGradient"},
  {"examples/stokes.c", 2, "Stress MinusDivergence Force", "StressOfGradient StressOfPressure "
   "MinusDivergenceOfGradient MassOverViscosity"},
  {"src/snes/tutorials/ex12.c", 2, "f0_u f1_u f0_xtrig_u", "g3_uu"},
  {"src/snes/tutorials/ex13.c", 3, "f0_trig_inhomogeneous_u f1_u", "g3_uu"},
  {"src/snes/tutorials/ex17.c", 3, "f0_elas_trig_u f1_elas_u f1_vlap_u", "g3_elas_uu g3_vlap_uu"},
  {"src/snes/tutorials/ex56.c", 3, "f1_u_3d", "g3_uu_3d g3_lap"},
  {"src/snes/tutorials/ex62.c", 2, "f1_u f0_p", "g3_uu g1_pu g2_up"},
  {"src/snes/tutorials/ex69.c", 2, "f0_u stokes_momentum_kx stokes_momentum_cx stokes_mass",
   "stokes_mass_J stokes_momentum_pres_J stokes_momentum_vel_J_kx stokes_momentum_vel_J_cx stokes_identity_J_kx"},
  {"src/snes/tutorials/ex77.c", 3, "f1_u_3d", "g3_uu_3d"},
  {"src/ts/tutorials/ex45.c", 2, "f0_trig_lin f1_temp", "g0_temp g3_temp"},
  {"src/ts/tutorials/ex46.c", 2, "f0_mms2_u f1_u", "g3_uu g0_uu"},
  {"src/ts/tutorials/ex53.c", 2, "f0_quadratic_linear_p f1_u f0_epsilon", "g3_uu g3_pp g1_eu"},
};
// clang-format on

/* Functions with names in a list; each is counted in counts[0], and in counts[1] if it is carried out */
static PetscErrorCode LookAtNames(PlexProgram program, const char names[], PetscInt dim, PetscBool jacobian,
                                  PetscInt counts[2], char missed[], size_t size)
{
  PetscInt       offsets[2][9];
  PlexFactsSizes sizes = {.dim          = dim,
                          .Nf           = 8,
                          .NfAux        = 8,
                          .uOff         = offsets[0],
                          .uOff_x       = offsets[1],
                          .aOff         = offsets[0],
                          .aOff_x       = offsets[1],
                          .numConstants = 20,
                          .n            = 243,
                          .jacobian     = jacobian};
  char         **list;
  int            n;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < 9; ++f) {
    offsets[0][f] = 3 * f;
    offsets[1][f] = 3 * dim * f;
  }
  PetscCall(PetscStrToArray(names, ' ', &n, &list));
  for (int k = 0; k < n; ++k) {
    PlexFacts facts;

    PetscCall(PlexProgramGetFacts(program, NULL, list[k], &sizes, &facts));
    ++counts[0];
    if (facts.known && facts.value) ++counts[1];
    else PetscCall(PetscSNPrintf(missed + strlen(missed), size - strlen(missed), " %s (%s)", list[k], facts.why));
    PetscCall(PlexFactsReset(&facts));
  }
  PetscCall(PetscStrToArrayDestroy(n, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's folder; PETSC_DIR of the Python package petsc is the text ${PETSC_DIR} */
static PetscErrorCode GetPetscFolder(char folder[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscStrreplace(PETSC_COMM_SELF, PETSC_DIR, folder, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtPrograms(void)
{
  PetscInt all[2] = {0, 0};
  char     folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(GetPetscFolder(folder, sizeof(folder)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); ++k) {
    const PetscBool tutorial = (PetscBool)!strncmp(known[k].file, "src/", 4);
    char            path[PETSC_MAX_PATH_LEN], missed[1024] = "";
    PetscInt        counts[2] = {0, 0};
    PetscBool       found;
    PlexProgram     program;

    PetscCall(PetscSNPrintf(path, sizeof(path), "%s%s%s", tutorial ? folder : "", tutorial ? "/" : "", known[k].file));
    PetscCall(PetscTestFile(path, 'r', &found));
    if (!found && tutorial) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: PETSc's tutorials are not there\n", known[k].file));
      continue;
    }
    PetscCall(PlexProgramCreate(path, NULL, &program));
    PetscCall(LookAtNames(program, known[k].residuals, known[k].dim, PETSC_FALSE, counts, missed, sizeof(missed)));
    PetscCall(LookAtNames(program, known[k].jacobians, known[k].dim, PETSC_TRUE, counts, missed, sizeof(missed)));
    PetscCall(PlexTestReport((PetscBool)(counts[0] == counts[1]), known[k].file, "not carried out:%s", missed));
    PetscCall(PlexProgramDestroy(&program));
    all[0] += counts[0];
    all[1] += counts[1];
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "# %" PetscInt_FMT " of %" PetscInt_FMT " functions of programs are carried out\n", all[1],
                        all[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PlexProgram    program;
  PetscRandom    random;
  PetscErrorCode ierr;
  Reading        reading = {&program, "tests/source/facts-functions.h"};
  char           text[4096], folder[PETSC_MAX_PATH_LEN];
  PetscBool      petsc;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  FactsChange(2.0);
  PetscCall(GetPetscFolder(folder, sizeof(folder)));
  PetscCall(PetscStrlcat(folder, "/include/petsc.h", sizeof(folder)));
  PetscCall(PetscTestFile(folder, 'r', &petsc));
  PetscCall(PlexTestTry(Read, &reading, &ierr, text, sizeof(text)));
  if (!petsc || (ierr && (strstr(text, "no C compiler") || strstr(text, "PETSc's headers")))) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip all: no C compiler, or no PETSc to include\n"));
    PetscCall(PetscFinalize());
    return PlexTestStatus();
  }
  PetscCall(PlexTestReport((PetscBool)!ierr, "the source is read", "%s", text));
  if (!ierr) {
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(expected); ++k) PetscCall(LookAt(program, &expected[k], random));
    PetscCall(LookAtOthers(program));
    PetscCall(LookAtPrograms());
    PetscCall(PetscRandomDestroy(&random));
    PetscCall(PlexProgramDestroy(&program));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
