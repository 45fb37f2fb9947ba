/* Memory variables of fields at a node, for the host and for kernels: what PLEX_MEMORY_FUNCTION is put before. A field u
   of an element and its memory variables p_1 .. p_m, y = (u, p_1, .., p_m), have

     y' = (F(u, t), 0, .., 0) + M y,   M a constant matrix of the element, or of the node

   which is what decay.h does with a matrix in place of -s. With w(t) the solution from 0 for F_0 alone, the F that the
   step begins with, z = exp(-M t) (y - w) has z' = exp(-M t) (F - F_0, 0, ..), which the Runge-Kutta scheme solves
   (generalized integrating factors: S. Krogstad, J. Comput. Phys. 203, 2005). Its order is that of the scheme, whatever
   the size of M. What is stored are y and R = exp(M t) times the residual of z: a stage

     R = a R + dt (F, 0, ..),   y+ = y + b R

   is followed by, with its duration h = (c+ - c) dt and f = dt (F_0, 0, ..), which is R of the first stage,

     R = E (R - f),   y+ = E (y+ - b f) + (h/dt) phi f,   E = exp(M h), phi = 1/h int_0^h exp(M s) ds

   The kernels of a right-hand side, and of a stage, have done with u what the first two formulas say. The error of an
   embedded scheme, a sum of weights w times R, becomes E (error - w f). */
#include "decay_args.h"
#include "memory_args.h"
#define PLEX_STATE_FUNCTION PLEX_MEMORY_FUNCTION
#include "state.h"

#define PLEX_MEMORY_SIZE (PLEX_MEMORY_MOST + 1)

/* Entries of exp(M h), by rows of m + 2 numbers, the last of which is (h/dt) phi: of one matrix, its column of
   table[(m + 1) (m + 2)][nmatrices]. The Taylor series of M h/2^s, whose norm is at most 1/2, then s squares; share:
   h/dt */
PLEX_MEMORY_FUNCTION void plex_memory_exponential(const PlexDGMemoryArgs *a, double h, double share, double *table,
                                                  long long which)
{
  const int n = a->m + 1;
  double    A[PLEX_MEMORY_SIZE][PLEX_MEMORY_SIZE], E[PLEX_MEMORY_SIZE][PLEX_MEMORY_SIZE],
    T[PLEX_MEMORY_SIZE][PLEX_MEMORY_SIZE], B[PLEX_MEMORY_SIZE][PLEX_MEMORY_SIZE], phi[PLEX_MEMORY_SIZE],
    other[PLEX_MEMORY_SIZE], norm = 0, scale = 1;
  int squares = 0;

  for (int i = 0; i < n; ++i) {
    double sum = 0;

    for (int j = 0; j < n; ++j) {
      A[i][j] = h * a->matrices[(long long)(i * n + j) * a->nmatrices + which];
      sum += fabs(A[i][j]);
    }
    norm = fmax(norm, sum);
  }
  for (; norm * scale > 0.5 && squares < 200; ++squares) scale *= 0.5;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      A[i][j] *= scale;
      E[i][j] = T[i][j] = i == j;
    }
    phi[i] = i == 0;
  }
  for (int k = 1; k <= 15; ++k) { /* T: A^k/k! */
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;

        for (int l = 0; l < n; ++l) sum += T[i][l] * A[l][j];
        B[i][j] = sum / k;
      }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        T[i][j] = B[i][j];
        E[i][j] += T[i][j];
      }
      phi[i] += T[i][0] / (k + 1);
    }
  }
  for (int s = 0; s < squares; ++s) { /* phi of twice the time: (phi + E phi)/2 */
    for (int i = 0; i < n; ++i) {
      other[i] = phi[i];
      for (int l = 0; l < n; ++l) other[i] += E[i][l] * phi[l];
      for (int j = 0; j < n; ++j) {
        double sum = 0;

        for (int l = 0; l < n; ++l) sum += E[i][l] * E[l][j];
        B[i][j] = sum;
      }
    }
    for (int i = 0; i < n; ++i) {
      phi[i] = 0.5 * other[i];
      for (int j = 0; j < n; ++j) E[i][j] = B[i][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) table[(long long)(i * (n + 1) + j) * a->nmatrices + which] = E[i][j];
    table[(long long)(i * (n + 1) + n) * a->nmatrices + which] = share * phi[i];
  }
}

/* Value k of the fields that have memory variables, [n][NP], and these; m: a->m, known to the compiler */
PLEX_MEMORY_FUNCTION void plex_memory_stage_node(const PlexDGMemoryArgs *a, const PlexDGMemoryValues *v,
                                                 const PlexDGDecayStage *s, long long k, const int m)
{
  const int       item = (int)(k / a->NP), node = (int)(k % a->NP);
  const long long at = (long long)a->at[item] * a->NP + node, first = (long long)item * m * a->NP + node;
  const double   *table = v->table + a->matrix[item];
  double          y[PLEX_MEMORY_SIZE], R[PLEX_MEMORY_SIZE], w[PLEX_MEMORY_SIZE];
  const double    r = plex_state_get(s->residual, s->single, at);
  const double    f = s->first ? r : plex_state_get(v->forcing, v->single, k);

  if (s->first) plex_state_set(v->forcing, v->single, k, f);
  R[0] = r - f;
  y[0] = plex_state_get(s->next, s->single, at) - s->b * f;
  w[0] = s->error ? s->error[at] - s->weight * f : 0;
  PLEX_STATE_UNROLL
  for (int j = 0; j < m; ++j) {
    const long long here = first + (long long)j * a->NP;

    R[j + 1] = s->first ? 0 : s->a * plex_state_get(v->residual, v->single, here);
    y[j + 1] = plex_state_get(v->values, v->single, here) + s->b * R[j + 1];
    w[j + 1] = s->error ? (s->first ? 0 : v->error[here]) + s->weight * R[j + 1] : 0;
  }
  PLEX_STATE_UNROLL
  for (int i = 0; i <= m; ++i) {
    const long long here = first + (long long)(i - 1) * a->NP;
    double          E, sumR = 0, sumW = 0, sumY;

    sumY = table[(long long)(i * (m + 2) + m + 1) * a->nmatrices] * f;
    PLEX_STATE_UNROLL
    for (int j = 0; j <= m; ++j) {
      E = table[(long long)(i * (m + 2) + j) * a->nmatrices];
      sumR += E * R[j];
      sumY += E * y[j];
      sumW += E * w[j];
    }
    plex_state_set(i ? v->residual : s->residual, i ? v->single : s->single, i ? here : at, sumR);
    plex_state_set(i ? v->values : s->next, i ? v->single : s->single, i ? here : at, sumY);
    if (s->error) (i ? v->error : s->error)[i ? here : at] = sumW;
  }
}

/* Adds factor times M_00 u + M_01 p_1 + .. to r, and weight times that to next unless it is NULL; single: u, r, next */
PLEX_MEMORY_FUNCTION void plex_memory_add_node(const PlexDGMemoryArgs *a, const PlexDGMemoryValues *v, const void *u,
                                               void *r, double factor, void *next, double weight, int single,
                                               long long k)
{
  const int       item = (int)(k / a->NP), node = (int)(k % a->NP);
  const long long at  = (long long)a->at[item] * a->NP + node;
  const double   *M   = a->matrices + a->matrix[item];
  double          sum = M[0] * plex_state_get(u, single, at);

  for (int j = 0; j < a->m; ++j)
    sum += M[(long long)(j + 1) * a->nmatrices] *
           plex_state_get(v->values, v->single, ((long long)item * a->m + j) * a->NP + node);
  sum *= factor;
  plex_state_set(r, single, at, plex_state_get(r, single, at) + sum);
  if (next) plex_state_set(next, single, at, plex_state_get(next, single, at) + weight * sum);
}

/* Values begin, begin + step, .. < end, with m known to the compiler where it is small */
PLEX_MEMORY_FUNCTION void plex_memory_stage(const PlexDGMemoryArgs *a, const PlexDGMemoryValues *v,
                                            const PlexDGDecayStage *s, long long begin, long long end, long long step)
{
  switch (a->m) {
  case 1:
    for (long long k = begin; k < end; k += step) plex_memory_stage_node(a, v, s, k, 1);
    break;
  case 2:
    for (long long k = begin; k < end; k += step) plex_memory_stage_node(a, v, s, k, 2);
    break;
  case 3:
    for (long long k = begin; k < end; k += step) plex_memory_stage_node(a, v, s, k, 3);
    break;
  default:
    for (long long k = begin; k < end; k += step) plex_memory_stage_node(a, v, s, k, a->m);
  }
}
