/*
  An error estimate for schemes of two registers, without a stage more: the solution less that of a method of order
  p - 1 with the same stages.

  With k_i = dt F(u_i) the difference is sum_i d_i k_i, and of the stages' residuals q_i = a_i q_(i-1) + k_i

    sum_i d_i k_i = sum_i (d_i - a_(i+1) d_(i+1)) q_i

  so that it is summed up beside the scheme in one array more. d has to leave all conditions of order p - 1 as they are
  (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.2); and its part of the p-th
  derivative in a linear equation is chosen to be that of the exact solution, 1/p!, as if the embedded method had p - 1
  stages:

    sum d_i = 0;   sum d_i c_i = 0;   sum d_i c_i^2 = 0, sum d_i (A c)_i = 0;   d.A^(p-1) 1 = 1/p!

  as many of them as orders below p need, A the matrix of the scheme as a Runge-Kutta method. For the schemes here these
  are as many equations as stages.
*/
#include <petscblaslapack.h>
#include "lowstorage.h"

#define S PLEX_LOW_STORAGE_STAGES

/* A[i][j]: u_i = u_0 + sum_j A_ij k_j before stage i */
static void PlexLowStorageMatrix(const PlexLowStorageScheme *s, PetscReal A[S][S])
{
  PetscReal q[S] = {0.}; /* the residual of the stage before, as a sum of k_j */

  for (PetscInt j = 0; j < s->n; ++j) A[0][j] = 0.;
  for (PetscInt i = 1; i < s->n; ++i) {
    for (PetscInt j = 0; j < s->n; ++j) {
      q[j]    = s->a[i - 1] * q[j] + (j == i - 1);
      A[i][j] = A[i - 1][j] + s->b[i - 1] * q[j];
    }
  }
}

PetscErrorCode PlexLowStorageEmbedded_Private(const PlexLowStorageScheme *s, PetscReal weights[])
{
  PetscReal    A[S][S], d[S], tall[S], factorial = 1.;
  PetscScalar  M[S * S], rhs[S] = {0.}; /* M by columns, an equation a row */
  PetscBLASInt n, one           = 1, pivots[S], info;
  PetscInt     rows = 0;

  PetscFunctionBegin;
  PlexLowStorageMatrix(s, A);
  for (PetscInt i = 0; i < s->n; ++i) tall[i] = 1.;
  for (PetscInt order = 1; order <= s->order; ++order) { /* tall: A^(order - 1) 1, of which A 1 = c */
    factorial *= (PetscReal)order;
    for (PetscInt i = 0; i < s->n; ++i) M[i * s->n + rows] = tall[i];
    rhs[rows++] = order == s->order ? 1. / factorial : 0.;
    if (order == 3 && s->order > 3) {
      for (PetscInt i = 0; i < s->n; ++i) M[i * s->n + rows] = s->c[i] * s->c[i];
      rhs[rows++] = 0.;
    }
    for (PetscInt i = s->n - 1; i >= 0; --i) { /* A is strictly lower triangular */
      PetscReal sum = 0.;

      for (PetscInt j = 0; j < i; ++j) sum += A[i][j] * tall[j];
      tall[i] = sum;
    }
  }
  PetscCheck(rows == s->n, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Scheme %s of order %" PetscInt_FMT " has %" PetscInt_FMT " stages and not %" PetscInt_FMT
             ", and its embedded scheme is not unique",
             s->name, s->order, s->n, rows);
  PetscCall(PetscBLASIntCast(s->n, &n));
  PetscCallBLAS("LAPACKgesv", LAPACKgesv_(&n, &one, M, &n, pivots, rhs, &n, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "The embedded scheme of %s cannot be found: LAPACK gesv gives %d",
             s->name, (int)info);
  for (PetscInt i = 0; i < s->n; ++i) d[i] = PetscRealPart(rhs[i]);
  for (PetscInt i = 0; i < s->n; ++i) weights[i] = d[i] - (i + 1 < s->n ? s->a[i + 1] * d[i + 1] : 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}
