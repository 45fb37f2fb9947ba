/*
  The far field of what lies inside a closed surface, from the fields on it (Harrington, Time-Harmonic Electromagnetic
  Fields, 3.5). With transforms F = int f exp(i w t) dt, currents J = n x H, M = -n x E, k = w sqrt(epsilon mu),
  Z = sqrt(mu/epsilon), far away in the direction r

    E = exp(i k |x|)/|x| A,   A = i k/(4 pi) (Z (N - r (r.N)) - r x L)
    N = int J exp(-i k r.x) dS,   L = int M exp(-i k r.x) dS

  Of a facet inside the mesh J and M are those of the numerical flux. Each side's part of it, with the outward normal n
  of its element, is half of n x H - alpha/Z E_t, and of -(n x E + alpha Z H_t): t means tangential.
*/
#include "farfieldimpl.h" /*I "plexgpudg.h" I*/

/* The currents at points, of one frequency */
typedef struct {
  PlexDGFarField   x;
  PetscInt         points;   /* of a side */
  const double    *at;       /* [sides][points][3] */
  const double    *currents; /* [sides][points][J and M][re and im][3], times the weights of the quadrature */
  PetscReal        k, Z;
  const PetscReal *directions; /* [n][3] */
  PetscReal       *A;          /* [n][3][2] */
} PlexDGFarSums;

static void PlexDGFarCross(const PetscReal a[], const PetscReal b[], PetscReal r[])
{
  for (int d = 0; d < 3; ++d) r[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static void PlexDGFarSumsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGFarSums *s = (const PlexDGFarSums *)ctx;

  for (PetscInt a = begin; a < end; ++a) {
    const PetscReal *r       = &s->directions[3 * a];
    PetscReal        N[2][3] = {{0.}}, L[2][3] = {{0.}}, rL[3], B[2][3];

    for (PetscInt p = 0; p < s->x->surface.n * s->points; ++p) {
      const double   *x = &s->at[3 * p], *J = &s->currents[12 * p], *M = J + 6;
      const PetscReal phase = -s->k * (r[0] * x[0] + r[1] * x[1] + r[2] * x[2]), re = PetscCosReal(phase),
                      im = PetscSinReal(phase);

      for (int d = 0; d < 3; ++d) {
        N[0][d] += re * J[d] - im * J[3 + d];
        N[1][d] += re * J[3 + d] + im * J[d];
        L[0][d] += re * M[d] - im * M[3 + d];
        L[1][d] += re * M[3 + d] + im * M[d];
      }
    }
    for (int c = 0; c < 2; ++c) {
      const PetscReal along = r[0] * N[c][0] + r[1] * N[c][1] + r[2] * N[c][2];

      PlexDGFarCross(r, L[c], rL);
      for (int d = 0; d < 3; ++d) B[c][d] = s->k / (4. * PETSC_PI) * (s->Z * (N[c][d] - r[d] * along) - rL[d]);
    }
    for (int d = 0; d < 3; ++d) { /* times i */
      s->A[(3 * a + d) * 2]     = -B[1][d];
      s->A[(3 * a + d) * 2 + 1] = B[0][d];
    }
  }
}

/* Points of the quadrature of a side: where they are, at[sides][points][3], and the basis of the face's nodes there,
   B[faces][points][Nfp] */
static PetscErrorCode PlexDGFarPoints(PlexDGFarField x, PetscQuadrature q, double at[], PetscReal B[])
{
  PlexDG           dg = x->dg;
  PlexDGReference  R  = dg->reference;
  PetscInt         n, vertices[4];
  const PetscReal *points;
  PetscReal       *r, *all;

  PetscFunctionBegin;
  PetscCall(PetscQuadratureGetData(q, NULL, NULL, &n, &points, NULL));
  PetscCall(PetscMalloc2(3 * n, &r, n * R->Np, &all));
  for (PetscInt f = 0; f < R->faces; ++f) {
    PlexDGFaceVertices(3, PETSC_FALSE, f, vertices);
    PetscCall(PetscArrayzero(r, 3 * n));
    for (PetscInt p = 0; p < n; ++p)
      for (PetscInt v = 0; v < 3; ++v) {
        const PetscReal lambda = v ? (1. + points[2 * p + v - 1]) / 2. : -(points[2 * p] + points[2 * p + 1]) / 2.;
        PetscReal       corner[3];

        PlexDGVertex(3, PETSC_FALSE, vertices[v], corner);
        for (PetscInt d = 0; d < 3; ++d) r[3 * p + d] += lambda * corner[d];
      }
    PetscCall(PlexDGReferenceInterpolate(R, n, r, all));
    for (PetscInt p = 0; p < n; ++p)
      for (PetscInt m = 0; m < R->Nfp; ++m) B[(f * n + p) * R->Nfp + m] = all[p * R->Np + R->faceNodes[f * R->Nfp + m]];
  }
  PetscCall(PetscFree2(r, all));
  for (PetscInt s = 0; s < x->surface.n; ++s) {
    const PetscInt e = x->surface.traces[s] / R->faces;

    PlexDGFaceVertices(3, PETSC_FALSE, x->surface.traces[s] % R->faces, vertices);
    for (PetscInt p = 0; p < n; ++p)
      for (PetscInt d = 0; d < 3; ++d) {
        double *y = &at[(s * n + p) * 3 + d];

        *y = 0.;
        for (PetscInt v = 0; v < 3; ++v)
          *y += (v ? (1. + points[2 * p + v - 1]) / 2. : -(points[2 * p] + points[2 * p + 1]) / 2.) *
                dg->mesh->x[(e * dg->mesh->nv + vertices[v]) * 3 + d];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Currents of one frequency, from the transforms of the fields: sums[2][n] */
static PetscErrorCode PlexDGFarCurrents(PlexDGFarField x, PetscQuadrature q, const PetscReal B[], const double sums[],
                                        double currents[])
{
  PlexDG           dg  = x->dg;
  const PetscInt   Nfp = dg->reference->Nfp, faces = dg->reference->faces;
  const PetscReal  Z = PetscSqrtReal(x->mu / x->epsilon), *weights;
  const PetscReal *alpha;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(PetscQuadratureGetData(q, NULL, NULL, &n, NULL, &weights));
  PetscCall(PlexDGGetConstant(dg, "alpha", NULL, &alpha));
  for (PetscInt s = 0; s < x->surface.n; ++s) {
    const PetscBool alone  = x->surface.alone[s];
    const PetscReal upwind = alone ? 0. : *alpha;
    PetscReal       center[3], normal[3], area = 0., weight;

    PlexDGSurfaceGetSide_Private(dg, x->surface.traces[s], center, normal);
    for (int d = 0; d < 3; ++d) area += PetscSqr(normal[d]);
    area = PetscSqrtReal(area);
    for (int d = 0; d < 3; ++d) normal[d] /= area;
    weight = x->surface.signs[s] * (alone ? 1. : 0.5) * area / 2.; /* of the reference triangle */
    for (PetscInt p = 0; p < n; ++p)
      for (int c = 0; c < 2; ++c) {
        const PetscReal *b      = &B[(x->surface.traces[s] % faces * n + p) * Nfp];
        PetscReal        F[6]   = {0.}, nE[3], nH[3], tE[3], tH[3];
        double          *at     = &currents[12 * (s * n + p) + 3 * c];
        const double    *values = &sums[(size_t)c * (size_t)x->n + (size_t)(s * 6 * Nfp)];

        for (int k = 0; k < 6; ++k)
          for (PetscInt m = 0; m < Nfp; ++m) F[k] += b[m] * values[k * Nfp + m];
        PlexDGFarCross(normal, F, nE);
        PlexDGFarCross(normal, F + 3, nH);
        PlexDGFarCross(nE, normal, tE);
        PlexDGFarCross(nH, normal, tH);
        for (int d = 0; d < 3; ++d) {
          at[d]     = weight * weights[p] * (nH[d] - upwind / Z * tE[d]);
          at[6 + d] = -weight * weights[p] * (nE[d] + upwind * Z * tH[d]);
        }
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldGetAmplitudes - Gets the electric far field in directions, at all frequencies

  Collective

  Input Parameters:
+ x          - the far field, with its samples
. n          - number of directions, the same on all processes
- directions - [n][3] unit vectors

  Output Parameter:
. amplitudes - [frequencies][n][3][2] real and imaginary parts of A, on all processes: int E exp(i w t) dt is
               exp(i k |x|)/|x| A far away in the direction, of distance |x| from 0

  Level: intermediate

  Note:
  The time is proportional to the numbers of frequencies, of directions and of facets; the work is the host's, in threads.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldGetCrossSections()`, `PlexDGFarFieldGetSpectrum()`
@*/
PetscErrorCode PlexDGFarFieldGetAmplitudes(PlexDGFarField x, PetscInt n, const PetscReal directions[],
                                           PetscReal amplitudes[])
{
  MPI_Comm        comm = PetscObjectComm((PetscObject)x->dg);
  PlexDGReference R    = x->dg->reference;
  PlexDGFarSums   s    = {.x = x, .directions = directions};
  PetscQuadrature q;
  PetscReal      *B;
  double         *at, *currents, *sums;

  PetscFunctionBegin;
  PetscCheck(x->total > 1, comm, PETSC_ERR_ORDER,
             "The far field has %" PetscInt_FMT " samples, and needs two at least: call PlexDGFarFieldSetTS() before "
             "TSSolve(), or PlexDGFarFieldSample()",
             x->total);
  for (PetscInt a = 0; a < n; ++a) {
    const PetscReal *r = &directions[3 * a], length = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];

    PetscCheck(PetscAbsReal(length - 1.) < 1e-6, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "Direction %" PetscInt_FMT " of the far field, (%g, %g, %g), is not a unit vector: divide it by its "
               "length, %g",
               a, (double)r[0], (double)r[1], (double)r[2], (double)PetscSqrtReal(length));
  }
  /* products of two polynomials of the fields' degree: the phase is one, where the mesh resolves the wave */
  PetscCall(PetscDTSimplexQuadrature(2, 2 * R->N + 4, PETSCDTSIMPLEXQUAD_DEFAULT, &q));
  PetscCall(PetscQuadratureGetData(q, NULL, NULL, &s.points, NULL, NULL));
  PetscCall(PlexDGSizeCheck_Private(x->surface.n, 12 * s.points, "currents on the surface of a far field"));
  PetscCall(PetscMalloc4(3 * x->surface.n * s.points, &at, 12 * x->surface.n * s.points, &currents,
                         (size_t)2 * (size_t)x->nf * (size_t)x->n, &sums, R->faces * s.points * R->Nfp, &B));
  s.at       = at;
  s.currents = currents;
  s.Z        = PetscSqrtReal(x->mu / x->epsilon);
  PetscCall(PlexDGFarPoints(x, q, at, B));
  PetscCall(PlexDGFarFieldGetSums_Private(x, sums, NULL));
  for (PetscInt f = 0; f < x->nf; ++f) {
    s.k = x->frequencies[f] * PetscSqrtReal(x->epsilon * x->mu);
    s.A = &amplitudes[6 * (size_t)f * (size_t)n];
    PetscCall(PlexDGFarCurrents(x, q, B, &sums[2 * (size_t)f * (size_t)x->n], currents));
    PetscCall(PlexThreadsRun(n, 1, PlexDGFarSumsLoop, &s));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, amplitudes, 6 * x->nf * n, MPIU_REAL, MPIU_SUM, comm));
  PetscCall(PetscFree4(at, currents, sums, B));
  PetscCall(PetscQuadratureDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldGetSpectrum - Gets the incident wave's transforms at x = 0, by the same sums as those of the fields

  Not Collective

  Input Parameter:
. x - the far field, with its samples

  Output Parameter:
. spectrum - [frequencies][2] real and imaginary parts of int g(t) exp(i w t) dt, where the wave's electric field at 0 is
             its polarization times g(t)

  Level: intermediate

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldGetAmplitudes()`
@*/
PetscErrorCode PlexDGFarFieldGetSpectrum(PlexDGFarField x, PetscReal spectrum[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldGetSums_Private(x, NULL, spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The wave's direction and its polarization's, unit vectors, and the polarization's length */
static PetscErrorCode PlexDGFarFieldGetFrame(PlexDGFarField x, PetscReal frame[3][3], PetscReal *length)
{
  const PetscReal *d, *P;

  PetscFunctionBegin;
  *length = 1.;
  PetscCall(PetscArrayzero(&frame[0][0], 9));
  if (x->wave) {
    PetscCall(PlexDGGetConstant(x->dg, "direction", NULL, &d));
    PetscCall(PlexDGGetConstant(x->dg, "polarization", NULL, &P));
    *length = PetscSqrtReal(P[0] * P[0] + P[1] * P[1] + P[2] * P[2]);
    for (int i = 0; i < 3; ++i) {
      frame[0][i] = d[i];
      frame[1][i] = P[i] / *length;
    }
  } else frame[0][2] = frame[1][0] = 1.; /* angles from z, and from x */
  PlexDGFarCross(frame[0], frame[1], frame[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the wave, at all frequencies: |polarization|^2 |spectrum|^2 */
static PetscErrorCode PlexDGFarFieldGetDensities(PlexDGFarField x, PetscReal densities[])
{
  PetscReal *spectrum, frame[3][3], length, most = 0.;

  PetscFunctionBegin;
  PetscCheck(x->wave, PetscObjectComm((PetscObject)x->dg), PETSC_ERR_ORDER,
             "Cross-sections are over an incident wave, and there is none: set boundary condition scatterer or "
             "incident, "
             "or a total field, or take PlexDGFarFieldGetAmplitudes()");
  PetscCall(PetscMalloc1(2 * x->nf, &spectrum));
  PetscCall(PlexDGFarFieldGetSpectrum(x, spectrum));
  PetscCall(PlexDGFarFieldGetFrame(x, frame, &length));
  for (PetscInt f = 0; f < x->nf; ++f) {
    densities[f] = PetscSqr(length) * (PetscSqr(spectrum[2 * f]) + PetscSqr(spectrum[2 * f + 1]));
    most         = PetscMax(most, densities[f]);
  }
  for (PetscInt f = 0; f < x->nf; ++f)
    PetscCheck(densities[f] > 1e-20 * most, PetscObjectComm((PetscObject)x->dg), PETSC_ERR_ARG_OUTOFRANGE,
               "The incident wave has nothing at frequency %g, by which the cross-section would be divided: choose "
               "-plex_dg_frequency and -plex_dg_wave_width so that its spectrum has all of "
               "-plex_dg_farfield_frequencies",
               (double)x->frequencies[f]);
  PetscCall(PetscFree(spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGFarFieldGetCrossSections - Gets the bistatic cross-sections in directions, at all frequencies

  Collective

  Input Parameters:
+ x          - the far field, with its samples
. n          - number of directions, the same on all processes
- directions - [n][3] unit vectors; the opposite of the wave's direction is backwards

  Output Parameter:
. sections - [frequencies][n] 4 pi |A|^2 over the square of the incident wave's transform, on all processes

  Level: intermediate

  Note:
  They are those of a wave of each frequency if the fields have passed the surface at the last sample, or if the samples
  are from a number of whole periods in which fields swing with the wave.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldGetAmplitudes()`, `PlexDGFarFieldWrite()`
@*/
PetscErrorCode PlexDGFarFieldGetCrossSections(PlexDGFarField x, PetscInt n, const PetscReal directions[],
                                              PetscReal sections[])
{
  PetscReal *densities, *A;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(x->nf, &densities, 6 * (size_t)x->nf * (size_t)n, &A));
  PetscCall(PlexDGFarFieldGetDensities(x, densities));
  PetscCall(PlexDGFarFieldGetAmplitudes(x, n, directions, A));
  for (PetscInt f = 0; f < x->nf; ++f)
    for (PetscInt a = 0; a < n; ++a) {
      PetscReal sum = 0.;

      for (int k = 0; k < 6; ++k) sum += PetscSqr(A[6 * (f * n + a) + k]);
      sections[f * n + a] = 4. * PETSC_PI * sum / densities[f];
    }
  PetscCall(PetscFree2(densities, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of the table: amplitudes A[3][2], divided by the wave's transform g[2] */
static void PlexDGFarFieldWriteLine(FILE *file, PetscReal w, const PetscReal angle[2], const PetscReal unit[3][3],
                                    const PetscReal A[], const PetscReal g[2], PetscBool wave)
{
  const PetscReal norm = g[0] * g[0] + g[1] * g[1];
  PetscReal       sum  = 0.;

  fprintf(file, "%.17g,%.10g,%.10g,%.17g,%.17g,%.17g", (double)w, (double)angle[0], (double)angle[1],
          (double)unit[0][0], (double)unit[0][1], (double)unit[0][2]);
  for (int v = 1; v < 3; ++v) {
    PetscReal re = 0., im = 0.;

    for (int d = 0; d < 3; ++d) {
      re += unit[v][d] * A[2 * d];
      im += unit[v][d] * A[2 * d + 1];
    }
    fprintf(file, ",%.17g,%.17g", (double)((re * g[0] + im * g[1]) / norm), (double)((im * g[0] - re * g[1]) / norm));
    sum += (re * re + im * im) / norm;
  }
  if (wave) fprintf(file, ",%.17g\n", (double)(4. * PETSC_PI * sum));
  else fprintf(file, ",nan\n");
}

/* directions[halves][angles] of a frame, with unit vectors along theta and phi: units[..][3][3] */
static void PlexDGFarFieldDirections(PlexDGFarField x, PetscReal frame[3][3], PetscInt halves, PetscReal directions[],
                                     PetscReal units[], PetscReal angles[])
{
  for (PetscInt h = 0; h < halves; ++h)
    for (PetscInt a = 0; a < x->angles; ++a) {
      const PetscReal theta = x->angles > 1 ? PETSC_PI * a / (x->angles - 1) : PETSC_PI,
                      phi = x->halves ? 2. * PETSC_PI * h / halves : PETSC_PI / 2. * h, c = PetscCosReal(theta),
                      s  = PetscSinReal(theta);
      const PetscInt  at = h * x->angles + a;

      for (int d = 0; d < 3; ++d) {
        const PetscReal across = PetscCosReal(phi) * frame[1][d] + PetscSinReal(phi) * frame[2][d];

        directions[3 * at + d] = units[9 * at + d] = c * frame[0][d] + s * across;
        units[9 * at + 3 + d]                      = -s * frame[0][d] + c * across;
        units[9 * at + 6 + d]                      = PetscCosReal(phi) * frame[2][d] - PetscSinReal(phi) * frame[1][d];
      }
      angles[2 * at]     = theta * 180. / PETSC_PI;
      angles[2 * at + 1] = phi * 180. / PETSC_PI;
    }
}

/*@
  PlexDGFarFieldWrite - Writes the far field's pattern to a file

  Collective

  Input Parameters:
+ x      - the far field, with its samples
. angles - angles from the wave's direction, from 0 to 180 degrees, in each half-plane through it; of one angle 180
. halves - number of half-planes, at equal angles phi; 0: the two that have the wave's electric (phi = 0) and its magnetic
           field (phi = 90 degrees)
- file   - name of the file; one that is there is replaced

  Level: intermediate

  Note:
  A table as text, a line for each frequency and direction: frequency,theta,phi,x,y,z, the unit vector of the direction,
  Etheta_re,Etheta_im,Ephi_re,Ephi_im, the amplitude's components over the incident wave's transform, and cross_section.
  Without incident wave angles are from z and x, amplitudes are not divided, and cross_section is nan.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldGetCrossSections()`, `PlexDGMonitorFarField()`
@*/
PetscErrorCode PlexDGFarFieldWrite(PlexDGFarField x, PetscInt angles, PetscInt halves, const char file[])
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)x->dg);
  const PetscInt n    = angles * (halves ? halves : 2);
  PetscReal      frame[3][3], length, *directions, *units, *degrees, *A, *spectrum;
  PetscMPIInt    rank;
  FILE          *out  = NULL;
  int            good = 1;

  PetscFunctionBegin;
  PetscCheck(angles >= 1 && halves >= 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "A far field has 1 angle or more in 0 half-planes or more, not %" PetscInt_FMT " and %" PetscInt_FMT
             ": see -plex_dg_farfield_angles",
             angles, halves);
  x->angles = angles;
  x->halves = halves;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMalloc5(3 * n, &directions, 9 * n, &units, 2 * n, &degrees, 6 * (size_t)x->nf * (size_t)n, &A,
                         2 * x->nf, &spectrum));
  PetscCall(PlexDGFarFieldGetFrame(x, frame, &length));
  PlexDGFarFieldDirections(x, frame, halves ? halves : 2, directions, units, degrees);
  if (x->wave) PetscCall(PlexDGFarFieldGetDensities(x, spectrum)); /* they are there */
  PetscCall(PlexDGFarFieldGetAmplitudes(x, n, directions, A));
  PetscCall(PlexDGFarFieldGetSpectrum(x, spectrum));
  if (!rank) {
    out  = fopen(file, "w");
    good = out && fprintf(out, "frequency,theta,phi,x,y,z,Etheta_re,Etheta_im,Ephi_re,Ephi_im,cross_section\n") > 0;
  }
  for (PetscInt f = 0; good && out && f < x->nf; ++f) {
    const PetscReal g[2] = {x->wave ? length * spectrum[2 * f] : 1., x->wave ? length * spectrum[2 * f + 1] : 0.};

    for (PetscInt a = 0; a < n; ++a)
      PlexDGFarFieldWriteLine(out, x->frequencies[f], &degrees[2 * a], (const PetscReal (*)[3]) & units[9 * a],
                              &A[6 * (f * n + a)], g, x->wave);
  }
  if (out) good = good && !ferror(out);
  if (out) good = !fclose(out) && good;
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, comm));
  PetscCheck(good, comm, PETSC_ERR_FILE_WRITE, "File %s cannot be written: is its folder there, and space left?", file);
  PetscCall(PetscFree5(directions, units, degrees, A, spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
