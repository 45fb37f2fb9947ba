/* Flows that are known: hdgflow.h */
#include "hdgflow.h"
#include "report.h"

#define ALPHA 0.7 /* of Robin's condition */

PetscErrorCode PlexTestFlowVelocity(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const PlexTestFlow *flow = (const PlexTestFlow *)ctx;
  PetscReal           v[3], g[3][3], p, mu;

  PetscFunctionBegin;
  PetscCheck(n == dim, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " numbers of a velocity", n);
  flow->evaluate(flow, dim, x, v, g, &p, &mu);
  for (PetscInt d = 0; d < dim; ++d) u[d] = v[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowGradient(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar q[], void *ctx)
{
  const PlexTestFlow *flow = (const PlexTestFlow *)ctx;
  PetscReal           v[3], g[3][3], p, mu;

  PetscFunctionBegin;
  PetscCheck(n == dim * dim, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " numbers of a gradient", n);
  flow->evaluate(flow, dim, x, v, g, &p, &mu);
  for (PetscInt k = 0; k < n; ++k) q[k] = g[k / dim][k % dim];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowPressure(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar p[], void *ctx)
{
  const PlexTestFlow *flow = (const PlexTestFlow *)ctx;
  PetscReal           v[3], g[3][3], value, mu;

  PetscFunctionBegin;
  PetscCheck(n == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " numbers of a pressure", n);
  flow->evaluate(flow, dim, x, v, g, &value, &mu);
  p[0] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowKnown(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                 PetscScalar g[], void *ctx)
{
  PetscFunctionBegin;
  (void)normal;
  PetscCall(PlexTestFlowVelocity(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowTraction(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                    PetscScalar t[], void *ctx)
{
  const PlexTestFlow *flow = (const PlexTestFlow *)ctx;
  PetscReal           v[3], g[3][3], p, mu;

  PetscFunctionBegin;
  flow->evaluate(flow, dim, x, v, g, &p, &mu);
  for (PetscInt a = 0; a < dim; ++a) {
    t[a] = -p * normal[a];
    for (PetscInt b = 0; b < dim; ++b) t[a] += mu * (g[a][b] + (flow->symmetric ? g[b][a] : 0.)) * normal[b];
    if (n > dim) t[a] += ALPHA * v[a];
  }
  if (n > dim) t[dim] = ALPHA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowSlip(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                PetscScalar g[], void *ctx)
{
  const PlexTestFlow *flow = (const PlexTestFlow *)ctx;
  PetscReal           v[3], gradient[3][3], p, mu;

  PetscFunctionBegin;
  PetscCall(PlexTestFlowTraction(dim, x, normal, n, g, ctx));
  flow->evaluate(flow, dim, x, v, gradient, &p, &mu);
  g[0] = v[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowErrors(PlexHDG hdg, PlexTestFlow *flow, PetscReal error[3])
{
  PetscFunctionBegin;
  PetscCall(PlexHDGComputeL2Error(hdg, PlexTestFlowVelocity, PlexTestFlowGradient, flow, error));
  PetscCall(PlexHDGComputePressureError(hdg, PlexTestFlowPressure, flow, &error[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFlowReportRates(const char of[], PetscInt P, PetscReal error[2][3], PetscReal below,
                                       PetscReal above, PetscReal most)
{
  static const char *const names[]  = {"u", "its gradient", "the pressure"};
  static const char *const claims[] = {"u falls as h^(P+2)", "its gradient falls as h^(P+1)",
                                       "the pressure falls as h^(P+1)"};

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    const PetscReal rate = PetscLog2Real(error[0][k] / error[1][k]), order = P + 1 + !k;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: errors %.3g, %.3g, rate %.2f\n", of, names[k], (double)error[0][k],
                          (double)error[1][k], (double)rate));
    PetscCall(PlexTestReportOf((PetscBool)(rate > order - below && rate < order + above && error[1][k] < most), of,
                               claims[k], "errors %g, %g, rate %g", (double)error[0][k], (double)error[1][k],
                               (double)rate));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
