/* What cuda/hdg/trace.cu does, by the host: batches of 8 elements, whose numbers lie side by side for the units of vectors */
#include "trace.h"

#define PLEX_HDG_LANES 8 /* t->width of the host */

void PlexHDGTracePackHost_Private(PlexHDG hdg, const PlexHDGTraceArgs *args, PetscInt begin, PetscInt end,
                                  const double K[])
{
  const PetscInt Nt = PlexHDGTraceSize(hdg);

  for (PetscInt e = begin; e < end; ++e) {
    for (PetscInt c = 0; c < Nt; ++c) {
      for (PetscInt r = c; r < Nt; ++r) {
        const double v  = K[((size_t)(e - begin) * Nt + c) * Nt + r];
        const size_t at = PlexHDGTracePlace(hdg, e, r, c);
        int64_t      bits;

        memcpy(&bits, &v, sizeof(v));
        args->upper[at] = PlexHDGTraceUpper(v);
        args->lower[at] = (int)bits;
      }
    }
  }
}

/* x of face l, own or another process's */
static const double *PlexHDGTraceFace(const PlexHDGTraceArgs *args, PetscInt Nf, PetscInt l)
{
  return l < args->nown ? &args->owned[(size_t)l * Nf] : &args->ghosts[(size_t)(l - args->nown) * Nf];
}

/* y[i] += a[i] xc for the rows i of a column, numbers `at` on, and the sum of a[i] x[i] to yc */
static inline __attribute__((always_inline)) void PlexHDGTraceColumn(PetscBool whole, const PlexHDGTraceArgs *args,
                                                                     size_t at, PetscInt n, const double x[],
                                                                     const double xc[], double y[], double yc[])
{
  const int *upper = args->upper + at, *lower = args->lower + at;
  double     sum[PLEX_HDG_LANES] = {0.};

  for (PetscInt i = 0; i < n; ++i) {
    for (int w = 0; w < PLEX_HDG_LANES; ++w) {
      const PetscInt k = i * PLEX_HDG_LANES + w;
      const double   a = PlexHDGTraceNumber(upper[k], whole ? lower[k] : 0);

      y[k] += a * xc[w];
      sum[w] += a * x[k];
    }
  }
  for (int w = 0; w < PLEX_HDG_LANES; ++w) yc[w] += sum[w];
}

/* y += K^e x of a batch, whose first number is `at` */
static inline __attribute__((always_inline)) void PlexHDGTraceBatch(PetscBool whole, const PlexHDGTraceArgs *args,
                                                                    size_t at, PetscInt Nt, PetscInt T,
                                                                    const double x[], double y[])
{
  const PetscInt W = PLEX_HDG_LANES;

  for (PetscInt r = 0; r < Nt; r += T) {
    for (PetscInt c = 0; c < r; ++c, at += T * W)
      PlexHDGTraceColumn(whole, args, at, T, x + r * W, x + c * W, y + r * W, y + c * W);
    for (PetscInt j = 0; j < T; at += (T - j) * W, ++j) { /* the diagonal's number, then those below it */
      double *yj = y + (r + j) * W;

      for (int w = 0; w < W; ++w)
        yj[w] += PlexHDGTraceNumber(args->upper[at + w], whole ? args->lower[at + w] : 0) * x[(r + j) * W + w];
      PlexHDGTraceColumn(whole, args, at + W, T - j - 1, x + (r + j + 1) * W, x + (r + j) * W, y + (r + j + 1) * W, yj);
    }
  }
}

PetscErrorCode PlexHDGTraceMultiplyHost_Private(PlexHDG hdg, const PlexHDGTraceArgs *args)
{
  const PetscInt Nt = PlexHDGTraceSize(hdg), Nf = PlexHDGBlockSize(hdg), faces = hdg->mesh->faces,
                 T = hdg->elements->tile, W = PLEX_HDG_LANES;
  double        *x, *y;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Nt * W, &x, Nt * W, &y));
  PetscCall(PetscArrayzero(x, Nt * W));
  for (PetscInt k = 0; k < args->nbatches; ++k) {
    const PetscInt first = (args->batches ? args->batches[k] : k) * W, n = PetscMin(W, args->Ne - first);
    const size_t   at = (size_t)first * PlexHDGTraceNumbers(hdg);

    PetscCall(PetscArrayzero(y, Nt * W));
    for (PetscInt e = 0; e < n; ++e) {
      for (PetscInt f = 0; f < faces; ++f) {
        const int     l    = args->faces[(first + e) * faces + f];
        const double *from = l < args->nfree ? PlexHDGTraceFace(args, Nf, l) : NULL;

        for (PetscInt m = 0; m < Nf; ++m) x[(f * Nf + m) * W + e] = from ? from[m] : 0.;
      }
    }
    if (args->whole) PlexHDGTraceBatch(PETSC_TRUE, args, at, Nt, T, x, y);
    else PlexHDGTraceBatch(PETSC_FALSE, args, at, Nt, T, x, y);
    for (PetscInt e = 0; e < n; ++e)
      for (PetscInt j = 0; j < Nt; ++j) args->b[(size_t)(first + e) * Nt + j] = y[j * W + e];
  }
  PetscCall(PetscFree2(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexHDGTraceReceivedHost_Private(PlexHDG hdg, const PlexHDGTraceArgs *args)
{
  const PetscInt Nt = PlexHDGTraceSize(hdg), Nf = PlexHDGBlockSize(hdg), faces = hdg->mesh->faces;

  for (PetscInt k = 0; k < args->nreceived * Nf; ++k) {
    double sum = 0.;

    for (PetscInt g = 0; g < faces; ++g) {
      const int     l    = args->columns[k / Nf * faces + g];
      const double *from = l < 0 ? NULL : PlexHDGTraceFace(args, Nf, l);

      for (PetscInt m = 0; from && m < Nf; ++m) {
        const double v = args->received[(size_t)k * Nt + g * Nf + m];

        sum += (args->whole ? v : PlexHDGTraceNumber(PlexHDGTraceUpper(v), 0)) * from[m];
      }
    }
    args->b[(size_t)args->Ne * Nt + k] = sum;
  }
}

void PlexHDGTraceSumHost_Private(PlexHDG hdg, const PlexHDGTraceArgs *args)
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);

  for (PetscInt k = 0; k < args->nown * Nf; ++k) {
    const PetscInt l = k / Nf, m = k % Nf;
    const int      left = args->sides[2 * l], right = args->sides[2 * l + 1], robin = args->robinOf[l];
    double         sum = args->b[(size_t)left * Nf + m];

    if (right >= 0) sum += args->b[(size_t)right * Nf + m];
    for (PetscInt j = 0; robin >= 0 && j < Nf; ++j)
      sum += args->robin[((size_t)robin * Nf + m) * Nf + j] * args->owned[l * Nf + j];
    args->y[k] = args->rhs ? args->rhs[k] - sum : sum;
  }
}
