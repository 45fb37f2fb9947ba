/*
  The stereographic projection of a sphere: Snyder, Map projections, USGS professional paper 1395 (1987), pages 157 and
  159, with the factor 1 at the center
*/
#include <plexgpugeo.h> /*I "plexgpugeo.h" I*/

#define PLEX_DEGREE (PETSC_PI / 180.)

static PetscErrorCode PlexSphereCheck(const PlexSphere *sphere)
{
  PetscFunctionBegin;
  PetscCheck(sphere->radius > 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A sphere of radius %g m is none: that of the Earth is 6.37122e6", (double)sphere->radius);
  PetscCheck(PetscAbsReal(sphere->center[1]) <= 90., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The center of a projection has the latitude %g degrees, which is not from -90 to 90: longitude comes "
             "first",
             (double)sphere->center[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexSphereProject - Computes where a place of a sphere is on the plane of its stereographic projection

  Not Collective

  Input Parameters:
+ sphere - the sphere, and where the plane touches it
- place  - longitude and latitude, degrees

  Output Parameter:
. x - the point of the plane, m

  Level: intermediate

.seealso: `PlexSphere`, `PlexSphereGetPosition()`
@*/
PetscErrorCode PlexSphereProject(const PlexSphere *sphere, const PetscReal place[], PetscReal x[])
{
  const PetscReal s1 = PetscSinReal(sphere->center[1] * PLEX_DEGREE),
                  c1 = PetscCosReal(sphere->center[1] * PLEX_DEGREE), s = PetscSinReal(place[1] * PLEX_DEGREE),
                  c     = PetscCosReal(place[1] * PLEX_DEGREE);
  const PetscReal angle = (place[0] - sphere->center[0]) * PLEX_DEGREE,
                  near  = 1. + s1 * s + c1 * c * PetscCosReal(angle);

  PetscFunctionBegin;
  PetscCall(PlexSphereCheck(sphere));
  PetscCheck(near > 1e-12, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Longitude %g, latitude %g is opposite to the center of the projection, and infinitely far on its plane",
             (double)place[0], (double)place[1]);
  x[0] = 2. * sphere->radius / near * c * PetscSinReal(angle);
  x[1] = 2. * sphere->radius / near * (c1 * s - s1 * c * PetscCosReal(angle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexSphereGetPosition - Computes which place of a sphere a point on the plane of its stereographic projection is

  Not Collective

  Input Parameters:
+ sphere - the sphere, and where the plane touches it
- x      - the point of the plane, m

  Output Parameter:
. place - longitude, not more than 180 from that of the center, and latitude, degrees

  Level: intermediate

.seealso: `PlexSphere`, `PlexSphereProject()`
@*/
PetscErrorCode PlexSphereGetPosition(const PlexSphere *sphere, const PetscReal x[], PetscReal place[])
{
  const PetscReal s1 = PetscSinReal(sphere->center[1] * PLEX_DEGREE),
                  c1 = PetscCosReal(sphere->center[1] * PLEX_DEGREE);
  /* of the center's axes, radius 1 */
  const PetscReal a = x[0] / (2. * sphere->radius), b = x[1] / (2. * sphere->radius), r2 = a * a + b * b,
                  up = (1. - r2) / (1. + r2), east = 2. * a / (1. + r2), north = 2. * b / (1. + r2);

  PetscFunctionBegin;
  PetscCall(PlexSphereCheck(sphere));
  place[0] = sphere->center[0] + PetscAtan2Real(east, c1 * up - s1 * north) / PLEX_DEGREE;
  place[1] = PetscAsinReal(PetscClipInterval(s1 * up + c1 * north, -1., 1.)) / PLEX_DEGREE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexSphereGetScale - Computes how long a short way on a sphere is that has the length 1 on the plane of its
  stereographic projection

  Not Collective

  Input Parameters:
+ sphere - the sphere, and where the plane touches it
- x      - the point of the plane, m

  Output Parameter:
. scale - the length: 1/(1 + |x|^2/(4 R^2)), coefficient `scale` of system `tsunami`

  Level: intermediate

.seealso: `PlexSphere`, `PlexDGSetCoefficients()`
@*/
PetscErrorCode PlexSphereGetScale(const PlexSphere *sphere, const PetscReal x[], PetscReal *scale)
{
  PetscFunctionBegin;
  PetscCall(PlexSphereCheck(sphere));
  *scale = 1. / (1. + (x[0] * x[0] + x[1] * x[1]) / (4. * sphere->radius * sphere->radius));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexSphereGetEast - Computes which direction on the plane of a stereographic projection is the east

  Not Collective

  Input Parameters:
+ sphere - the sphere, and where the plane touches it
- x      - the point of the plane, m

  Output Parameter:
. east - the direction, of length 1; the north is (-east[1], east[0]). At the poles it is that of the center's longitude

  Level: intermediate

.seealso: `PlexSphere`, `PlexSphereGetPosition()`
@*/
PetscErrorCode PlexSphereGetEast(const PlexSphere *sphere, const PetscReal x[], PetscReal east[])
{
  const PetscReal s1 = PetscSinReal(sphere->center[1] * PLEX_DEGREE),
                  c1 = PetscCosReal(sphere->center[1] * PLEX_DEGREE);
  PetscReal       place[2], s, c, sine, cosine, near, d[2], length;

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(sphere, x, place));
  s      = PetscSinReal(place[1] * PLEX_DEGREE);
  c      = PetscCosReal(place[1] * PLEX_DEGREE);
  sine   = PetscSinReal((place[0] - sphere->center[0]) * PLEX_DEGREE);
  cosine = PetscCosReal((place[0] - sphere->center[0]) * PLEX_DEGREE);
  near   = 1. + s1 * s + c1 * c * cosine;
  d[0]   = cosine + c1 * c * sine * sine / near; /* by longitude, without the factor 2 R c/near */
  d[1]   = s1 * sine + c1 * sine * (c1 * s - s1 * c * cosine) / near;
  length = PetscSqrtReal(d[0] * d[0] + d[1] * d[1]);
  for (int k = 0; k < 2; ++k) east[k] = d[k] / length;
  PetscFunctionReturn(PETSC_SUCCESS);
}
