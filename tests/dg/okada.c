static char help[] = "How the ground moves where a fault slips, against Table 2 of Okada (1985).\n\n";

#include <plexgpugeo.h>
#include "report.h"

/* A fault of length 3 and width 2 in Okada's coordinates: its lower edge `depth` below the line from (0, 0) along x */
static PlexFault Place(PetscReal depth, PetscReal dip, PetscReal rake, PetscReal slip, PetscReal opening)
{
  PlexFault       fault = {.length  = 3.,
                           .width   = 2.,
                           .strike  = 90.,
                           .dip     = dip,
                           .rake    = rake,
                           .slip    = slip,
                           .opening = opening,
                           .poisson = 0.25};
  const PetscReal angle = dip * PETSC_PI / 180.;

  fault.center[0] = 1.5;
  fault.center[1] = PetscCosReal(angle);
  fault.depth     = depth - PetscSinReal(angle);
  return fault;
}

/* Cases 2, 3 and 4 of the table, with as many digits as it has: strike slip, dip slip, opening */
static PetscErrorCode TestTable(void)
{
  static const struct {
    const char *name;
    PetscReal   x[2], depth, dip;
    PetscReal   u[3][3];
  } cases[] = {
    {"case 2",
     {2., 3.},
     4.,                     70.,
     {{-8.689e-3, -4.298e-3, -2.747e-3}, {-4.682e-3, -3.527e-2, -3.564e-2}, {-2.660e-4, 1.056e-2, 3.214e-3}}},
    {"case 3", {0., 0.}, 4., 90.,  {{0., 5.253e-3, 0.}, {0., 0., 0.}, {1.223e-2, 0., -1.606e-2}}            },
    {"case 4", {0., 0.}, 4., -90., {{0., -1.303e-3, 0.}, {0., 0., 0.}, {3.507e-3, 0., -7.740e-3}}           }
  };
  static const char *const kinds[] = {"strike slip", "dip slip", "opening"};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    for (int w = 0; w < 3; ++w) {
      const PlexFault fault = Place(cases[k].depth, cases[k].dip, w == 1 ? 90. : 0., w < 2 ? 1. : 0., w == 2 ? 1. : 0.);
      PetscReal       u[3], most = 0.;

      PetscCall(PlexFaultDisplacement(&fault, cases[k].x, u));
      for (int d = 0; d < 3; ++d)
        most = PetscMax(most, PetscAbsReal(u[d] - cases[k].u[w][d]) / (PetscAbsReal(cases[k].u[w][d]) + 1e-2));
      PetscCall(PlexTestReportOf((PetscBool)(most < 5e-4), cases[k].name, kinds[w], "(%g, %g, %g), not (%g, %g, %g)",
                                 (double)u[0], (double)u[1], (double)u[2], (double)cases[k].u[w][0],
                                 (double)cases[k].u[w][1], (double)cases[k].u[w][2]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same fault turned, and seen from a point that is turned with it */
static PetscErrorCode TestTurned(void)
{
  PlexFault fault = {
    .center  = {2e3, -1e3},
    .depth   = 2e4,
    .length  = 1e5,
    .width   = 3e4,
    .dip     = 20.,
    .rake    = 70.,
    .slip    = 3.,
    .opening = 0.2,
    .poisson = 0.25
  };
  PetscReal most = 0., straight[3];

  PetscFunctionBegin;
  for (int turn = 0; turn < 360; turn += 35) {
    const PetscReal angle = turn * PETSC_PI / 180., c = PetscCosReal(angle), s = PetscSinReal(angle),
                    from[2] = {3e4, 7e4};
    /* clockwise */
    const PetscReal x[2] = {fault.center[0] + c * from[0] + s * from[1], fault.center[1] - s * from[0] + c * from[1]};
    PetscReal       u[3], back[3];

    fault.strike = turn;
    PetscCall(PlexFaultDisplacement(&fault, x, u));
    back[0] = c * u[0] - s * u[1];
    back[1] = s * u[0] + c * u[1];
    back[2] = u[2];
    for (int d = 0; d < 3; ++d) {
      if (!turn) straight[d] = back[d];
      most = PetscMax(most, PetscAbsReal(back[d] - straight[d]));
    }
  }
  PetscCall(PlexTestReport((PetscBool)(most < 1e-12 && PetscAbsReal(straight[2]) > 1e-3), "a fault that is turned",
                           "off by %g of %g", (double)most, (double)straight[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A thrust lifts the ground above its upper part; two halves of a fault are the whole; the dip of 90 degrees is a limit
   of others; above an edge all is finite */
static PetscErrorCode TestShape(void)
{
  const PlexFault whole =
    {.depth = 2e4, .length = 1e5, .width = 3e4, .strike = 0., .dip = 15., .rake = 90., .slip = 2., .poisson = 0.25};
  const PetscReal above[2] = {-1.2e4, 0.}, x[2] = {1.5e4, 2.5e4};
  PlexFault       half = whole, steep = whole;
  PetscReal       u[3], part[3], sum[3] = {0., 0., 0.}, near[3], most = 0.;
  PetscBool       finite = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexFaultDisplacement(&whole, above, u));
  PetscCall(PlexTestReport((PetscBool)(u[2] > 0.1 && u[2] < 1.), "a thrust lifts the ground over its upper edge", "%g",
                           (double)u[2]));
  PetscCall(PlexFaultDisplacement(&whole, x, u));
  half.length /= 2.;
  for (int k = 0; k < 2; ++k) {
    half.center[1] = (k - 0.5) * half.length;
    PetscCall(PlexFaultDisplacement(&half, x, part));
    for (int d = 0; d < 3; ++d) sum[d] += part[d];
  }
  for (int d = 0; d < 3; ++d) most = PetscMax(most, PetscAbsReal(sum[d] - u[d]));
  PetscCall(PlexTestReport((PetscBool)(most < 1e-12), "two halves of a fault are the whole", "off by %g",
                           (double)most));
  steep.dip = 90.;
  PetscCall(PlexFaultDisplacement(&steep, x, u));
  steep.dip = 89.9999;
  PetscCall(PlexFaultDisplacement(&steep, x, near));
  most = 0.;
  for (int d = 0; d < 3; ++d) most = PetscMax(most, PetscAbsReal(near[d] - u[d]));
  PetscCall(PlexTestReport((PetscBool)(most < 1e-4 && PetscAbsReal(u[2]) > 1e-2), "a fault that is nearly upright",
                           "off by %g of %g", (double)most, (double)u[2]));
  for (int k = 0; k < 9; ++k) { /* above the corners, the edges' middles, and along the edges */
    const PetscReal at[2] = {(k % 3 - 1) * 1.5e4 * PetscCosReal(15. * PETSC_PI / 180.), (k / 3 - 1) * 5e4};

    PetscCall(PlexFaultDisplacement(&whole, at, u));
    for (int d = 0; d < 3; ++d) finite = (PetscBool)(finite && PetscAbsReal(u[d]) < 2.);
  }
  PetscCall(PlexTestReport(finite, "above corners and edges", "(%g, %g, %g)", (double)u[0], (double)u[1],
                           (double)u[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Try(void *ctx)
{
  const PetscReal x[2] = {1., 1.};
  PetscReal       u[3];

  PetscFunctionBegin;
  PetscCall(PlexFaultDisplacement((const PlexFault *)ctx, x, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PlexFault out   = {.depth = 1e4, .length = 1e5, .width = 3e4, .dip = 60., .slip = 1., .poisson = 0.25},
            none  = {.depth = 1e4, .width = 3e4, .poisson = 0.25},
            water = {.depth = 1e4, .length = 1., .width = 1., .poisson = 0.5};

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestTable());
  PetscCall(TestTurned());
  PetscCall(TestShape());
  EXPECT("a fault that reaches out of the ground", Try, &out, "above the ground", "has to be at least 12990.4 m deep");
  EXPECT("a fault without length", Try, &none, "length 0. m", "both have to be positive");
  EXPECT("ground that is none", Try, &water, "Poisson's ratio 0.5", "0.25");
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
