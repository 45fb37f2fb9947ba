/*
  The text of a library of pointwise functions, at random: what models in real programs are made of, and what they may
  read.

  A law is a few statements that compute a number: clamps, tables, branches, helpers, loops. Of what it may read the
  function that it is for decides first, so that there are some of constants alone, of position alone, and of all
  together. Numbers that branches compare with have six digits, which no point of a quadrature and no value has: else
  rounding would decide.
*/
#include "fuzz.h"

/* What a function may read */
enum {
  READ_C    = 1,
  READ_X    = 2,
  READ_T    = 4,
  READ_U    = 8,
  READ_UX   = 16,
  READ_UT   = 32,
  READ_A    = 64, /* how many auxiliary fields: Writer.NfAux */
  READ_AX   = 128,
  READ_N    = 256, /* normal of a facet, */
  READ_S    = 512, /* and X_tShift of a Jacobian: where the function has it */
  READ_GLOB = 1024 /* a variable of the file */
};

typedef struct {
  FILE          *out;
  PlexFuzzRandom r;
  int            reads, variables, depth;
  PetscInt       NfAux, usedAux; /* at most, in fact */
} Writer;

#define HELPERS 6
#define TABLES  4
#define TAGS    6

static PetscInt Int(Writer *w, PetscInt n)
{
  return PlexFuzzInt(&w->r, n);
}
static PetscBool Chance(Writer *w, PetscInt percent)
{
  return PlexFuzzChance(&w->r, percent);
}
static double Real(Writer *w, double from, double to)
{
  return (double)PlexFuzzReal(&w->r, from, to);
}

static PetscBool Reads(const Writer *w, int what, PetscInt NfAux)
{
  return (PetscBool)((w->reads & what) == what && NfAux <= w->NfAux);
}

static void UseAux(Writer *w, PetscInt n)
{
  w->usedAux = PetscMax(w->usedAux, n);
}

/* ---- the top of the file: tables, helpers, structs */

static void WriteTop(Writer *w)
{
  FILE *out = w->out;

  fprintf(out, "#include <petsc.h>\n#include <assert.h>\n\n"
               "#define ARGS PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt "
               "uOff_x[], const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt "
               "aOff[], const PetscInt aOff_x[], const "
               "PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t\n"
               "#define REST PetscInt numConstants, const PetscScalar constants[]\n"
               "#define COMPONENTS(k) (uOff[(PetscInt)PetscRealPart(constants[numConstants + k]) + 1] - "
               "uOff[(PetscInt)PetscRealPart(constants[numConstants + k])])\n\n"
               "typedef enum { SAND, CLAY, ROCK } Kind;\ntypedef struct {\n  PetscReal conductivity, capacity;\n  Kind "
               "kind;\n} Material;\n\n");
  fprintf(out, "static const Material materials[%d] = {", TAGS);
  for (int k = 0; k < TAGS; ++k)
    fprintf(out, "%s{%.6f, %.6f, %s}", k ? ", " : "", Real(w, 0.1, 9.), Real(w, 1., 2.),
            k % 3 == 0   ? "SAND"
            : k % 3 == 1 ? "CLAY"
                         : "ROCK");
  fprintf(out, "};\n");
  for (int k = 0; k < TABLES; ++k) {
    fprintf(out, "static const PetscReal table%d[%d] = {", k, TAGS);
    for (int i = 0; i < TAGS; ++i)
      fprintf(out, k == 1 && i < 3 ? "%s0." : "%s%.6f", i ? ", " : "", Real(w, k == 2 ? -2. : 0.1, 3.));
    fprintf(out, "};\n");
  }
  fprintf(out, "static PetscReal scale = 1.; /* set by the program */\n\nvoid fuzz_set_scale(PetscReal value)\n{\n  "
               "scale = value;\n}\n\n");
  fprintf(out, "static PetscReal helper0(PetscReal v)\n{\n  return v < %.6f ? %.6f : v > %.6f ? %.6f : v;\n}\n\n",
          Real(w, -0.5, 0.4), Real(w, 0.1, 0.5), Real(w, 0.7, 2.), Real(w, 1., 2.));
  fprintf(out,
          "static PetscReal helper1(PetscReal v)\n{\n  const PetscReal s = PetscMax(0., PetscMin(1., v));\n\n  return "
          "%.6f + s * s * (3. - 2. * s);\n}\n\n",
          Real(w, 0.1, 1.));
  fprintf(out, "static PetscReal helper2(PetscInt n, const PetscScalar w[])\n{\n  PetscReal s = 0.;\n\n  for (PetscInt "
               "d = 0; d < n; ++d) s += PetscRealPart(w[d] * w[d]);\n  return s;\n}\n\n");
  fprintf(out,
          "static PetscReal helper3(PetscReal temperature)\n{\n  assert(temperature > 200.);\n  return "
          "helper0(temperature / %.6f);\n}\n\n",
          Real(w, 300., 3000.));
  fprintf(out,
          "static PetscReal helper4(PetscInt tag)\n{\n  assert(tag >= 0 && tag < %d);\n  switch (materials[tag].kind) "
          "{\n  case SAND:\n    return materials[tag].conductivity;\n  case CLAY:\n    return %.6f;\n  default:\n    "
          "break;\n  }\n  return materials[tag].capacity;\n}\n\n",
          TAGS, Real(w, 0.2, 2.));
  fprintf(out,
          "static void helper5(PetscInt dim, const PetscReal x[], PetscScalar w[])\n{\n  for (PetscInt d = 0; d < dim; "
          "++d) w[d] = x[d] > %.6f ? x[d] : %.6f;\n}\n\n",
          Real(w, 0.1, 0.9), Real(w, 0.1, 0.9));
}

/* ---- values and conditions: expressions */

static void Value(Writer *w, char text[128])
{
  const char        d    = Chance(w, 50) ? '0' : 'l';
  const char *const last = d == '0' ? "0" : "dim - 1";

  for (int tries = 0; tries < 20; ++tries) {
    switch (Int(w, 16)) {
    case 0:
    case 1:
      (void)snprintf(text, 128, "%.6f", Real(w, 0.2, 3.));
      return;
    case 2:
      if (!Reads(w, READ_C, 0)) break;
      (void)snprintf(text, 128, "PetscRealPart(constants[%d])", Chance(w, 30) ? 2 : Chance(w, 50) ? 1 : 3);
      return;
    case 3:
      if (!Reads(w, READ_X, 0)) break;
      (void)snprintf(text, 128, Chance(w, 50) ? "(1. + 0.5 * x[%s])" : "PetscSinReal(3. * x[%s])", last);
      return;
    case 4:
      if (!Reads(w, READ_U, 0)) break;
      (void)snprintf(text, 128, Chance(w, 50) ? "(1. + PetscRealPart(u[0] * u[0]))" : "PetscRealPart(u[%s])",
                     Chance(w, 50) ? "0" : "uOff[Nf - 1]");
      return;
    case 5:
      if (!Reads(w, READ_UX, 0)) break;
      (void)snprintf(text, 128, "PetscRealPart(u_x[%s%s])", Chance(w, 50) ? "" : "uOff_x[Nf - 1] + ", last);
      return;
    case 6:
      if (!Reads(w, READ_A, 2)) break;
      UseAux(w, 2);
      (void)snprintf(text, 128, Chance(w, 50) ? "(0.001 * PetscRealPart(a[1]))" : "helper3(PetscRealPart(a[1]))");
      return;
    case 7:
      if (!Reads(w, READ_A, 3)) break;
      UseAux(w, 3);
      (void)snprintf(text, 128, "(2. + PetscRealPart(a[2]))");
      return;
    case 8:
      if (!Reads(w, READ_A, 1)) break;
      UseAux(w, 1);
      (void)snprintf(text, 128,
                     Chance(w, 50) ? "(1. + PetscRealPart(a[0]))" : "helper4((PetscInt)PetscRealPart(a[0]))");
      return;
    case 9:
      if (!Reads(w, READ_A, 4)) break;
      UseAux(w, 4);
      (void)snprintf(text, 128, "PetscRealPart(a[3 + %s])", last);
      return;
    case 10:
      if (!Reads(w, READ_AX, 3)) break;
      UseAux(w, 3);
      (void)snprintf(text, 128, "PetscRealPart(a_x[2 * dim + %s])", last);
      return;
    case 11:
      if (!Reads(w, READ_T, 0)) break;
      (void)snprintf(text, 128, "(1. + 0.1 * t)");
      return;
    case 12:
      if (!Reads(w, READ_UT, 0)) break;
      (void)snprintf(text, 128, "(u_t ? PetscRealPart(u_t[0]) : 0.5)");
      return;
    case 13:
      if (!Reads(w, READ_S, 0)) break;
      (void)snprintf(text, 128, "(0.5 + u_tShift)");
      return;
    case 14:
      if (!Reads(w, READ_N, 0)) break;
      (void)snprintf(text, 128, "(1.5 + n[%s])", last);
      return;
    default:
      if (!Reads(w, READ_GLOB, 0)) break;
      (void)snprintf(text, 128, "scale");
      return;
    }
  }
  (void)snprintf(text, 128, "%.6f", Real(w, 0.2, 3.));
}

static void Condition(Writer *w, char text[256], PetscBool joint)
{
  static const char *const levels[] = {"0.012345", "-0.312345", "273.15", "1234.543", "77.", "29680.", "0.712345"};

  if (joint && Chance(w, 25)) {
    char one[256], other[256];

    Condition(w, one, PETSC_FALSE);
    Condition(w, other, PETSC_FALSE);
    (void)snprintf(text, 256, "%.110s %s %.110s", one, Chance(w, 70) ? "&&" : "||", other);
    return;
  }
  for (int tries = 0; tries < 20; ++tries) {
    const double c = Real(w, 0.05, 0.95);

    switch (Int(w, 11)) {
    case 0:
      if (!Reads(w, READ_X, 0)) break;
      (void)snprintf(text, 256, "x[%s] > %.6f", Chance(w, 50) ? "0" : "dim - 1", c);
      return;
    case 1:
      if (!Reads(w, READ_X, 0)) break;
      (void)snprintf(text, 256, "x[0] > %.6f && x[0] < %.6f", c, c + Real(w, 0.02, 0.2));
      return;
    case 2:
      if (!Reads(w, READ_U, 0)) break;
      (void)snprintf(text, 256, "PetscRealPart(u[%s]) > %s", Chance(w, 60) ? "0" : "uOff[Nf] - 1", levels[Int(w, 7)]);
      return;
    case 3:
      if (!Reads(w, READ_U, 0)) break;
      (void)snprintf(text, 256, "PetscRealPart(u[0]) > 77. && PetscRealPart(u[0]) < 29680.");
      return;
    case 4:
      if (!Reads(w, READ_UX, 0)) break;
      (void)snprintf(text, 256, "helper2(dim, u_x) > %.6f", Chance(w, 30) ? Real(w, 1e4, 1e7) : Real(w, 0.1, 20.));
      return;
    case 5:
      if (!Reads(w, READ_A, 1)) break;
      UseAux(w, 1);
      (void)snprintf(text, 256, "(PetscInt)PetscRealPart(a[0]) == %d", (int)Int(w, TAGS));
      return;
    case 6:
      if (!Reads(w, READ_A, 2)) break;
      UseAux(w, 2);
      (void)snprintf(text, 256, "PetscRealPart(a[1]) > %s", Chance(w, 50) ? "273.15" : "1234.543");
      return;
    case 7:
      if (!Reads(w, READ_A, 3)) break;
      UseAux(w, 3);
      (void)snprintf(text, 256, "PetscRealPart(a[2]) < %.6f", Real(w, -0.6, 0.6));
      return;
    case 8:
      if (!Reads(w, READ_T, 0)) break;
      (void)snprintf(text, 256, "t > 5.");
      return;
    case 9:
      if (!Reads(w, READ_C, 0)) break;
      (void)snprintf(text, 256,
                     Chance(w, 50) ? "PetscRealPart(constants[0]) > 0.5"
                                   : "(PetscInt)PetscRealPart(constants[5]) == 2");
      return;
    default:
      if (!Reads(w, READ_GLOB, 0)) break;
      (void)snprintf(text, 256, "scale > 1.5");
      return;
    }
  }
  (void)snprintf(text, 256, "dim == %d", Chance(w, 50) ? 2 : 3);
}

/* ---- laws: statements that set a variable s<number> */

static void Indent(Writer *w)
{
  fprintf(w->out, "%*s", 2 + 2 * w->depth, "");
}

static int Law(Writer *w, int most);

/* Whole laws in two branches */
static void Branch(Writer *w, int most, int s)
{
  char text[256];

  Condition(w, text, PETSC_TRUE);
  Indent(w);
  fprintf(w->out, "if (%s) {\n", text);
  ++w->depth;
  {
    const int inner = Law(w, most - 1);

    Indent(w);
    fprintf(w->out, "s%d = s%d;\n", s, inner);
  }
  --w->depth;
  Indent(w);
  if (Chance(w, 40)) {
    fprintf(w->out, "} else s%d = %.6f;\n", s, Real(w, 0.1, 5.));
    return;
  }
  fprintf(w->out, "} else {\n");
  ++w->depth;
  {
    const int inner = Law(w, most - 1);

    Indent(w);
    fprintf(w->out, "s%d = s%d;\n", s, inner);
  }
  --w->depth;
  Indent(w);
  fprintf(w->out, "}\n");
}

/* What needs a certain argument; false where the function does not read it */
static PetscBool Model(Writer *w, int s)
{
  switch (Int(w, 8)) {
  case 0:
    if (!Reads(w, READ_A, 1)) return PETSC_FALSE;
    UseAux(w, 1);
    Indent(w);
    fprintf(w->out, Chance(w, 50) ? "assert((PetscInt)PetscRealPart(a[0]) >= 0 && a[0] < %d);\n" : "/* of %d */\n",
            TAGS);
    Indent(w);
    if (Chance(w, 50)) fprintf(w->out, "s%d = table%d[(PetscInt)PetscRealPart(a[0])];\n", s, (int)Int(w, TABLES));
    else fprintf(w->out, "s%d = materials[(PetscInt)PetscRealPart(a[0])].conductivity;\n", s);
    return PETSC_TRUE;
  case 1: /* Arrhenius */
    if (!Reads(w, READ_A, 2)) return PETSC_FALSE;
    UseAux(w, 2);
    Indent(w);
    fprintf(w->out, "s%d = PetscExpReal(-%.6f * (PetscRealPart(a[1]) - 1000.) / 1000.);\n", s, Real(w, 0.5, 3.));
    return PETSC_TRUE;
  case 2: /* a viscosity of a temperature, clamped */
    if (!Reads(w, READ_A, 2)) return PETSC_FALSE;
    UseAux(w, 2);
    Indent(w);
    fprintf(w->out, "s%d = PetscMin(%.6f, PetscMax(%.6f, 1e3 / PetscRealPart(a[1])));\n", s, Real(w, 1., 3.),
            Real(w, 0.1, 0.9));
    return PETSC_TRUE;
  case 3: /* two fluids */
    if (!Reads(w, READ_A, 3)) return PETSC_FALSE;
    UseAux(w, 3);
    Indent(w);
    fprintf(w->out,
            "s%d = PetscRealPart(a[2]) > 0.1 ? 1000. : PetscRealPart(a[2]) < -0.1 ? 1. : 1. + 999. * "
            "(PetscRealPart(a[2]) + 0.1) / 0.2;\n",
            s);
    return PETSC_TRUE;
  case 4: /* a yield stress */
    if (!Reads(w, READ_UX, 0)) return PETSC_FALSE;
    Indent(w);
    fprintf(w->out, "{\n");
    Indent(w);
    fprintf(w->out, "  const PetscReal e2 = helper2(dim, u_x), e0 = %.6f;\n\n",
            Chance(w, 50) ? Real(w, 0.5, 5.) : Real(w, 1e3, 1e5));
    Indent(w);
    fprintf(w->out, "  s%d = e2 > e0 ? %.6f * PetscSqrtReal(e0 / e2) : %.6f;\n", s, Real(w, 1., 2.), Real(w, 1., 2.));
    Indent(w);
    fprintf(w->out, "}\n");
    return PETSC_TRUE;
  case 5: /* the solution where one material is */
    if (!Reads(w, READ_A | READ_U, 1)) return PETSC_FALSE;
    UseAux(w, 1);
    Indent(w);
    fprintf(w->out, "s%d = (PetscInt)PetscRealPart(a[0]) == 2 ? 1. + PetscRealPart(u[0] * u[0]) : 1.;\n", s);
    return PETSC_TRUE;
  case 6: /* and when it is late */
    if (!Reads(w, READ_T | READ_U, 0)) return PETSC_FALSE;
    Indent(w);
    fprintf(w->out, "s%d = t > 5. ? 1. + PetscRealPart(u[0]) : 1.;\n", s);
    return PETSC_TRUE;
  default:
    if (!Reads(w, READ_A, 1)) return PETSC_FALSE;
    UseAux(w, 1);
    Indent(w);
    fprintf(w->out, "switch ((PetscInt)PetscRealPart(a[0])) {\n");
    for (int k = 0; k < 3; ++k) {
      Indent(w);
      fprintf(w->out, "case %d:\n", k == 2 ? 5 : k);
      Indent(w);
      fprintf(w->out, "  s%d = %.6f;\n", s, Real(w, 0.1, 4.));
      Indent(w);
      fprintf(w->out, "  break;\n");
    }
    Indent(w);
    fprintf(w->out, "default:\n");
    Indent(w);
    fprintf(w->out, "  s%d = %.6f;\n", s, Real(w, 0.1, 4.));
    Indent(w);
    fprintf(w->out, "}\n");
    return PETSC_TRUE;
  }
}

static void Loop(Writer *w, int s)
{
  const char *const over = Reads(w, READ_X, 0) && Chance(w, 50)  ? "x[d]"
                         : Reads(w, READ_UX, 0) && Chance(w, 50) ? "PetscRealPart(u_x[d])"
                         : Reads(w, READ_A, 4)                   ? "PetscRealPart(a[3 + d])"
                                                                 : "0.3";

  if (strstr(over, "a[3")) UseAux(w, 4);
  Indent(w);
  if (Reads(w, READ_X, 0) && Chance(w, 30)) {
    fprintf(w->out, "{\n");
    Indent(w);
    fprintf(w->out, "  PetscScalar v[3] = {0., 0., 0.};\n\n");
    Indent(w);
    fprintf(w->out, "  helper5(dim, x, v);\n");
    Indent(w);
    fprintf(w->out, "  s%d = helper2(3, v);\n", s);
    Indent(w);
    fprintf(w->out, "}\n");
  } else
    fprintf(w->out, "for (PetscInt d = 0; d < dim; ++d) s%d += %s * (d == %d ? %.6f : 0.4);\n", s, over, (int)Int(w, 3),
            Real(w, 0.2, 2.));
}

/* At most so many laws inside each other; its variable */
static int Law(Writer *w, int most)
{
  const int s = w->variables++;
  char      text[256], other[256];

  Indent(w);
  fprintf(w->out, "PetscReal s%d = 0.;\n", s);
  switch (Int(w, most > 0 ? 12 : 5)) {
  case 0:
  case 1:
    if (Model(w, s)) return s;
    break;
  case 2:
    Loop(w, s);
    return s;
  case 3:
    Condition(w, text, PETSC_TRUE);
    Indent(w);
    fprintf(w->out, "s%d = %s ? %.6f : %.6f;\n", s, text, Real(w, 0.1, 2.), Real(w, 2., 9.));
    return s;
  case 5:
  case 6:
  case 7:
    Branch(w, most, s);
    return s;
  case 8: {
    const int a = Law(w, most - 1), b = Law(w, most - 1);

    Indent(w);
    fprintf(w->out, "s%d = s%d %s s%d;\n", s, a, Chance(w, 50) ? "+" : "*", b);
    return s;
  }
  case 9: {
    const int a = Law(w, most - 1);

    Indent(w);
    if (Chance(w, 50)) fprintf(w->out, "s%d = helper%d(s%d);\n", s, (int)Int(w, 2), a);
    else fprintf(w->out, "s%d = PetscMin(PetscMax(s%d, %.6f), %.6f);\n", s, a, Real(w, 0.1, 0.9), Real(w, 1., 5.));
    return s;
  }
  default:
    break;
  }
  Value(w, text);
  Value(w, other);
  Indent(w);
  if (Chance(w, 60)) fprintf(w->out, "s%d = %s;\n", s, text);
  else fprintf(w->out, "s%d = %s %s %s;\n", s, text, Chance(w, 60) ? "*" : "+", other);
  return s;
}

/* ---- functions */

static const char *const Components[] = {"1", "dim", "COMPONENTS"};

/* Residuals: f0[c], f1[c][d] */
static void WriteResidual(Writer *w, const PlexFuzzFunction *f, int s)
{
  static const char *const patterns[] = {"(1. + 0.3 * c)", "(1. - 0.2 * c)", "(c ? 0.4 : 1.)"};
  static const char *const vectors[]  = {"(1. + 0.3 * c - 0.2 * d)", "(c == d ? 1. : 0.)", "(d ? 0.6 : 1.)"};
  const char *const        op         = Chance(w, 70) ? "=" : "+=";

  if (f->slot == PLEX_FUZZ_F0)
    fprintf(w->out, "  for (PetscInt c = 0; c < Nc; ++c) f[c] %s s%d * %s;\n", op, s, patterns[Int(w, 3)]);
  else if (Reads(w, READ_UX, 0) && Chance(w, 50))
    fprintf(w->out, "  for (PetscInt d = 0; d < dim; ++d) f[d] %s s%d * u_x[d];\n", op, s);
  else
    fprintf(w->out,
            "  for (PetscInt c = 0; c < Nc; ++c)\n    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] %s s%d * %s;\n",
            op, s, vectors[Int(w, 3)]);
}

/* Jacobians: g[c][e][d][b] with as many of d, b as the slot has */
static void WriteJacobian(Writer *w, const PlexFuzzFunction *f, int s)
{
  const char *const op     = Chance(w, 70) ? "=" : "+=";
  const char *const size[] = {"1", "dim", "dim", "dim * dim"}, *const D = size[f->slot - PLEX_FUZZ_G0];
  const PetscBool square = (PetscBool)(f->test == f->trial);

  switch (Int(w, f->slot == PLEX_FUZZ_G3 ? 8 : 5)) {
  case 0: /* the first entry alone */
    fprintf(w->out, "  g[0] %s s%d;\n", op, s);
    return;
  case 1: /* all, not symmetric */
    fprintf(w->out, "  for (PetscInt i = 0; i < Nc * Ne * (%s); ++i) g[i] %s s%d * (1. + 0.11 * ((i * i) %% 7));\n", D,
            op, s);
    return;
  case 2: /* multiplied with zero, in the end; or a constant that may be */
    fprintf(w->out, "  for (PetscInt i = 0; i < Nc * Ne * (%s); ++i) g[i] %s s%d * %s;\n", D, op, s,
            Chance(w, 50) ? "0." : "constants[2]");
    return;
  case 3: /* another number beside the first */
    fprintf(w->out, "  for (PetscInt i = 0; i < Nc * Ne * (%s); ++i) g[i] %s i %% 2 ? %.6f : s%d;\n", D, op,
            Real(w, 0.1, 1.), s);
    return;
  case 4:
    if (!square) break;
    fprintf(w->out,
            "  for (PetscInt c = 0; c < PetscMin(Nc, Ne); ++c)\n    for (PetscInt i = 0; i < %s; ++i) g[(c * Ne + c) * "
            "(%s) + i] %s s%d;\n",
            D, D, op, s);
    return;
  case 5:
  case 6: /* isotropic, with something beside it or without */
    if (!square) break;
    fprintf(w->out,
            "  for (PetscInt c = 0; c < PetscMin(Nc, Ne); ++c)\n    for (PetscInt d = 0; d < dim; ++d) g[((c * Ne + c) "
            "* dim + d) * dim + d] %s s%d;\n",
            op, s);
    if (Chance(w, 40)) fprintf(w->out, "  g[1] += %.6f;\n", Real(w, 0.1, 0.9));
    if (Chance(w, 30)) fprintf(w->out, "  g[dim] += 0.3 * s%d;\n", s);
    return;
  default: /* elasticity, symmetric */
    if (!square) break;
    fprintf(w->out,
            "  for (PetscInt c = 0; c < Nc; ++c)\n    for (PetscInt e = 0; e < Ne; ++e)\n      for (PetscInt d = 0; d "
            "< dim; ++d)\n        for (PetscInt b = 0; b < dim; ++b) g[((c * Ne + e) * dim + d) * dim + b] %s s%d * "
            "((c == e) * (d == b) + (c == d) * (e == b) * 0.5 + (c == b) * (e == d) * 0.25);\n",
            op, s);
    return;
  }
  fprintf(w->out, "  for (PetscInt i = 0; i < Nc * Ne * (%s); ++i) g[i] %s s%d;\n", D, op, s);
}

/* What a function reads: from constants alone to everything */
static void DrawReads(Writer *w, const PlexFuzzFunction *f)
{
  static const int sets[] = {READ_C,
                             READ_C,
                             READ_C | READ_X,
                             READ_C | READ_T,
                             READ_A,
                             READ_A | READ_C,
                             READ_A | READ_X | READ_AX,
                             READ_A | READ_U,
                             READ_A | READ_U | READ_T,
                             READ_U,
                             READ_U | READ_UX,
                             READ_U | READ_C | READ_T,
                             READ_X,
                             READ_GLOB | READ_C,
                             READ_UX | READ_UT | READ_U,
                             ~0,
                             ~0};

  w->reads   = sets[Int(w, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(sets))];
  w->NfAux   = w->reads & READ_A ? Int(w, PLEX_FUZZ_AUX + 1) : 0;
  w->usedAux = 0;
  if (f->slot < PLEX_FUZZ_G0) w->reads &= ~READ_S;
  else if (w->reads & READ_T) w->reads |= READ_S;
  if (f->facet) w->reads |= READ_N;
  else w->reads &= ~READ_N;
}

static void WriteFunction(Writer *w, PlexFuzzFunction *f)
{
  const PetscBool jacobian = (PetscBool)(f->slot >= PLEX_FUZZ_G0);
  char            text[256];
  int             s;

  DrawReads(w, f);
  w->variables = w->depth = 0;
  fprintf(w->out, "void %s(ARGS, %sconst PetscReal x[], %sREST, PetscScalar %s[])\n{\n", f->name,
          jacobian ? "PetscReal u_tShift, " : "", f->facet ? "const PetscReal n[], " : "", jacobian ? "g" : "f");
  fprintf(w->out, "  const PetscInt Nc = %s%s;\n", Components[f->test], f->test == PLEX_FUZZ_ANY ? "(0)" : "");
  if (jacobian)
    fprintf(w->out, "  const PetscInt Ne = %s%s;\n", Components[f->trial], f->trial == PLEX_FUZZ_ANY ? "(1)" : "");
  fprintf(w->out, "\n");
  s = Law(w, (int)Int(w, 4));
  if (Chance(w, 10)) {
    Condition(w, text, PETSC_FALSE);
    fprintf(w->out, "  if (%s) return;\n", text);
  }
  if (jacobian) WriteJacobian(w, f, s);
  else WriteResidual(w, f, s);
  fprintf(w->out, "  (void)Nc;\n%s}\n\n", jacobian ? "  (void)Ne;\n" : "");
  f->NfAux = w->usedAux;
}

void PlexFuzzWrite(FILE *out, PlexFuzzLibrary *library)
{
  static const char *const slots[] = {"f0", "f1", "g0", "g1", "g2", "g3"};
  Writer                   w       = {.out = out};

  PlexFuzzSeed(&w.r, library->number, 77);
  WriteTop(&w);
  library->n = 0;
  for (PetscInt facet = 0; facet < 2; ++facet) {
    for (PetscInt slot = 0; slot < PLEX_FUZZ_SLOTS; ++slot) {
      const PetscInt pairs = slot < PLEX_FUZZ_G0 ? 2 : 5, each = facet ? 3 : slot < PLEX_FUZZ_G0 ? 5 : 4;

      for (PetscInt k = 0;
           k < (facet ? each : (pairs + (slot < PLEX_FUZZ_G0)) * each) && library->n < PLEX_FUZZ_MOST_FUNCTIONS; ++k) {
        PlexFuzzFunction *f    = &library->functions[library->n];
        const PetscInt    kind = k / each;

        *f = (PlexFuzzFunction){.slot = (PlexFuzzSlot)slot, .facet = (PetscBool)facet};
        if (facet) f->test = f->trial = PLEX_FUZZ_ANY;
        else if (slot < PLEX_FUZZ_G0) f->test = f->trial = (PlexFuzzComponents)kind;
        else {
          f->test  = kind == 4 ? PLEX_FUZZ_ANY : (PlexFuzzComponents)(kind / 2);
          f->trial = kind == 4 ? PLEX_FUZZ_ANY : (PlexFuzzComponents)(kind % 2);
        }
        (void)snprintf(f->name, sizeof(f->name), "%s%s_%d", facet ? "b" : "", slots[slot], (int)library->n);
        ++library->n;
        WriteFunction(&w, f);
      }
    }
  }
}
