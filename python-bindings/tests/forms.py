"""Forms in UFL, and the same by hand in C: what the tests compare."""

import meshes
import plexgpu
import plexgpu.ufl as pu
import ufl
from petsc4py import PETSc
from ufl import (
    Coefficient,
    FacetNormal,
    Identity,
    SpatialCoordinate,
    TestFunction,
    conditional,
    cos,
    det,
    diff,
    div,
    dot,
    ds,
    dx,
    exp,
    grad,
    gt,
    inner,
    ln,
    max_value,
    sin,
    sqrt,
    sym,
    tanh,
    tr,
    variable,
)


class Case:
    """`ufl(dm)` -> keyword arguments of a `Problem`; `hand(dm)` sets C by hand; both after `fields`."""

    def __init__(self, fields, dim=2, simplex=False, scale=1.0):
        self.fields, self.dim, self.simplex, self.scale = fields, dim, simplex, scale

    def mesh(self, n=2):
        return meshes.fields(meshes.box(self.dim, n, self.simplex, distort=0.1), *self.fields)

    transient = False
    symmetric = False
    depends = ()
    constants = {}
    natural = {}
    text = ""

    def hand(self, dm):
        """Sets functions named f0_I, f1_I, gK_IJ of the text, and those of boundaries b0_I_V, h0_IJ_V at value V."""
        form = plexgpu.Pointwise(dm, self.text, self.constants)
        n = len(self.fields)
        get = lambda name: name if name in form.library else None
        for i in range(n):
            form.residual(i, get(f"f0_{i}"), get(f"f1_{i}"))
            for k in range(n):
                found = [get(f"g{m}_{i}{k}") for m in range(4)]
                if any(found):
                    form.jacobian(i, k, *found)
            for v in (1, 2, 3, 4):
                if get(f"b0_{i}_{v}"):
                    form.natural(
                        "Face Sets",
                        v,
                        i,
                        f"b0_{i}_{v}",
                        None,
                        {
                            k: [get(f"h{m}_{i}{k}_{v}") for m in range(4)]
                            for k in range(n)
                            if any(get(f"h{m}_{i}{k}_{v}") for m in range(4))
                        },
                    )
        return form


class Heat(Case):
    symmetric, depends, constants = True, {"position"}, dict(kappa=1.3)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v, x = Coefficient(V), TestFunction(V), SpatialCoordinate(pu.mesh(dm))
        kappa = pu.constant(dm, 1.3)
        return dict(form=(kappa * (1 + x[0]) * inner(grad(u), grad(v)) - sin(x[1]) * v) * dx, u=u)

    text = """
RESIDUAL(f0_0) { f[0] = -sin(x[1]); }
RESIDUAL(f1_0) { for (PetscInt d = 0; d < dim; ++d) f[d] = kappa * (1 + x[0]) * u_x[d]; }
JACOBIAN(g3_00) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = kappa * (1 + x[0]); }
"""


class Nonlinear(Case):
    """A conductivity that depends on u, a source that does, Robin's condition at 3, a flux at 2."""

    depends, constants = {"solution"}, dict(kappa=1.3, h=2.0)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v, n = Coefficient(V), TestFunction(V), FacetNormal(pu.mesh(dm))
        kappa, h = pu.constant(dm, 1.3), pu.constant(dm, 2.0)
        return dict(
            form=(1 + u**2) * kappa * inner(grad(u), grad(v)) * dx
            - exp(-u) * v * dx
            + h * (u - 20) * v * ds(3)
            - (1 + n[0]) * v * ds(2),
            u=u,
        )

    text = """
RESIDUAL(f0_0) { f[0] = -exp(-u[0]); }
RESIDUAL(f1_0) { for (PetscInt d = 0; d < dim; ++d) f[d] = (1 + u[0] * u[0]) * kappa * u_x[d]; }
JACOBIAN(g0_00) { g[0] = exp(-u[0]); }
JACOBIAN(g2_00) { for (PetscInt d = 0; d < dim; ++d) g[d] = 2 * u[0] * kappa * u_x[d]; }
JACOBIAN(g3_00) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = (1 + u[0] * u[0]) * kappa; }
BD_RESIDUAL(b0_0_3) { f[0] = h * (u[0] - 20); }
BD_JACOBIAN(h0_00_3) { g[0] = h; }
BD_RESIDUAL(b0_0_2) { f[0] = -(1 + n[0]); }
"""


class Elasticity(Case):
    symmetric, depends, constants = True, set(), dict(lambda_=1.5, mu=0.7)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v = Coefficient(V), TestFunction(V)
        lam, mu, b = pu.constant(dm, 1.5), pu.constant(dm, 0.7), pu.constant(dm, [0.0] * (self.dim - 1) + [-1.0])
        eps = lambda w: sym(grad(w))
        return dict(form=(inner(2 * mu * eps(u) + lam * tr(eps(u)) * Identity(self.dim), eps(v)) - dot(b, v)) * dx, u=u)

    text = """
RESIDUAL(f0_0) { f[dim - 1] = 1; }
RESIDUAL(f1_0)
{
  PetscScalar trace = 0;
  for (PetscInt d = 0; d < dim; ++d) trace += u_x[d * dim + d];
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = mu * (u_x[c * dim + d] + u_x[d * dim + c]);
    f[c * dim + c] += lambda_ * trace;
  }
}
JACOBIAN(g3_00)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) {
      g[((c * dim + c) * dim + d) * dim + d] += mu;
      g[((c * dim + d) * dim + d) * dim + c] += mu;
      g[((c * dim + d) * dim + c) * dim + d] += lambda_;
    }
}
"""


class NeoHooke(Case):
    """Of its energy in 2D, by diff(W, F) of a variable in 3D."""

    symmetric, depends, constants = True, {"solution"}, dict(lambda_=1.5, mu=0.7)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v = Coefficient(V), TestFunction(V)
        lam, mu = pu.constant(dm, 1.5), pu.constant(dm, 0.7)
        F = variable(Identity(self.dim) + grad(u))
        J, C = det(F), F.T * F
        W = mu / 2 * (tr(C) - self.dim) - mu * ln(J) + lam / 2 * ln(J) ** 2
        if self.dim == 2:
            return dict(form=W * dx, u=u)
        return dict(form=inner(diff(W, F), grad(v)) * dx, u=u)

    text = """
static void Inverse(PetscInt dim, const PetscScalar u_x[], PetscScalar F[], PetscScalar G[], PetscScalar *J)
{
  for (PetscInt k = 0; k < dim * dim; ++k) F[k] = u_x[k] + (k % (dim + 1) == 0);
  if (dim == 2) {
    *J = F[0] * F[3] - F[1] * F[2];
    G[0] = F[3] / *J;
    G[1] = -F[1] / *J;
    G[2] = -F[2] / *J;
    G[3] = F[0] / *J;
  } else {
    *J = 0;
    for (PetscInt i = 0; i < 3; ++i) {
      const PetscInt j = (i + 1) % 3, k = (i + 2) % 3;
      *J += F[i] * (F[3 + j] * F[6 + k] - F[3 + k] * F[6 + j]);
    }
    for (PetscInt i = 0; i < 3; ++i)
      for (PetscInt j = 0; j < 3; ++j) {
        const PetscInt a = (i + 1) % 3 * 3, b = (i + 2) % 3 * 3, c = (j + 1) % 3, d = (j + 2) % 3;
        G[j * 3 + i] = (F[a + c] * F[b + d] - F[a + d] * F[b + c]) / *J;
      }
  }
}
RESIDUAL(f1_0)
{
  PetscScalar F[9], G[9], J;
  Inverse(dim, u_x, F, G, &J);
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = mu * F[c * dim + d] + (lambda_ * log(J) - mu) * G[d * dim + c];
}
JACOBIAN(g3_00)
{
  PetscScalar F[9], G[9], J;
  Inverse(dim, u_x, F, G, &J);
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt b = 0; b < dim; ++b)
      for (PetscInt d = 0; d < dim; ++d)
        for (PetscInt e = 0; e < dim; ++e)
          g[((c * dim + b) * dim + d) * dim + e] = mu * (c == b && d == e) + lambda_ * G[d * dim + c] * G[e * dim + b]
                                                   - (lambda_ * log(J) - mu) * G[d * dim + b] * G[e * dim + c];
}
"""


class Stokes(Case):
    symmetric, depends, constants = True, set(), dict(nu=0.8)

    def ufl(self, dm):
        V, Q = pu.space(dm, 0), pu.space(dm, 1)
        u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
        nu = pu.constant(dm, 0.8)
        return dict(form=(2 * nu * inner(sym(grad(u)), sym(grad(v))) - p * div(v) - q * div(u) - v[0]) * dx, u=[p, u])

    text = """
RESIDUAL(f0_0) { f[0] = -1; }
RESIDUAL(f1_0)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d)
      f[c * dim + d] = nu * (u_x[c * dim + d] + u_x[d * dim + c]) - (c == d) * u[uOff[1]];
}
RESIDUAL(f0_1) { for (PetscInt d = 0; d < dim; ++d) f[0] -= u_x[d * dim + d]; }
JACOBIAN(g3_00)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) {
      g[((c * dim + c) * dim + d) * dim + d] += nu;
      g[((c * dim + d) * dim + d) * dim + c] += nu;
    }
}
JACOBIAN(g2_01) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = -1; }
JACOBIAN(g1_10) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = -1; }
"""


class NavierStokes(Case):
    """With a force out of an auxiliary field, and the convection (grad u) u."""

    depends, constants = {"solution"}, dict(nu=0.8)

    def ufl(self, dm):
        V, Q = pu.space(dm, 0), pu.space(dm, 1)
        u, p, v, q = Coefficient(V), Coefficient(Q), TestFunction(V), TestFunction(Q)
        nu = pu.constant(dm, 0.8)
        (force,) = self.auxiliary(dm).fields
        return dict(
            form=(
                nu * inner(grad(u), grad(v))
                + dot(grad(u) * u, v)
                - p * div(v)
                - q * div(u)
                - dot(force, v)
                + inner(grad(force), grad(v))
            )
            * dx,
            u=[u, p],
        )

    def auxiliary(self, dm):
        fe = PETSc.FE().createLagrange(self.dim, 2, self.simplex, 1, comm=dm.getComm())
        a = pu.auxiliary(dm, fe)
        x = SpatialCoordinate(pu.mesh(dm))
        a.set(0, [x[0] * 2, 1 + x[1]])
        return a

    def hand(self, dm):
        self.auxiliary(dm)
        return super().hand(dm)

    text = """
RESIDUAL(f0_0)
{
  for (PetscInt c = 0; c < dim; ++c) {
    f[c] = -a[c];
    for (PetscInt d = 0; d < dim; ++d) f[c] += u[d] * u_x[c * dim + d];
  }
}
RESIDUAL(f1_0)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d)
      f[c * dim + d] = nu * u_x[c * dim + d] - (c == d) * u[uOff[1]] + a_x[c * dim + d];
}
RESIDUAL(f0_1) { for (PetscInt d = 0; d < dim; ++d) f[0] -= u_x[d * dim + d]; }
JACOBIAN(g0_00) { for (PetscInt k = 0; k < dim * dim; ++k) g[k] = u_x[k]; }
JACOBIAN(g1_00)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) g[(c * dim + c) * dim + d] = u[d];
}
JACOBIAN(g3_00)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) g[((c * dim + c) * dim + d) * dim + d] = nu;
}
JACOBIAN(g2_01) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = -1; }
JACOBIAN(g1_10) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = -1; }
"""


class Advection(Case):
    """A velocity that turns, a reaction; its natural outflow on all of the boundary."""

    depends, constants = {"position"}, dict(eps=0.1)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v, x = Coefficient(V), TestFunction(V), SpatialCoordinate(pu.mesh(dm))
        eps, n = pu.constant(dm, 0.1), FacetNormal(pu.mesh(dm))
        b = ufl.as_vector([-x[1], x[0]])
        return dict(
            form=(eps * inner(grad(u), grad(v)) - u * dot(b, grad(v)) + 2 * u * v - v) * dx + dot(b, n) * u * v * ds,
            u=u,
        )

    text = """
RESIDUAL(f0_0) { f[0] = 2 * u[0] - 1; }
RESIDUAL(f1_0) { f[0] = eps * u_x[0] + u[0] * x[1]; f[1] = eps * u_x[1] - u[0] * x[0]; }
JACOBIAN(g0_00) { g[0] = 2; }
JACOBIAN(g2_00) { g[0] = x[1]; g[1] = -x[0]; }
JACOBIAN(g3_00) { g[0] = g[3] = eps; }
BD_RESIDUAL(b0_0) { f[0] = (-x[1] * n[0] + x[0] * n[1]) * u[0]; }
BD_JACOBIAN(h0_00) { g[0] = -x[1] * n[0] + x[0] * n[1]; }
"""

    def hand(self, dm):
        form = super().hand(dm)
        form.natural("Face Sets", [1, 2, 3, 4], 0, "b0_0", None, {0: ["h0_00"]})
        return form


class Transient(Case):
    """u_t, t, and a source that sets in above 0; a Robin condition that changes in time."""

    transient, symmetric, depends, constants = True, True, {"solution"}, dict(c=1.7)

    def ufl(self, dm):
        V = pu.space(dm)
        u, v, t = Coefficient(V), TestFunction(V), pu.time(dm)
        c = pu.constant(dm, 1.7)
        return dict(
            form=(c * (1 + u) * pu.dt(u) * v + inner(grad(u), grad(v)) - cos(t) * conditional(gt(u, 0), u**2, 0) * v)
            * dx
            + t * u * v * ds(1),
            u=u,
        )

    text = """
RESIDUAL(f0_0) { f[0] = c * (1 + u[0]) * u_t[0] - cos(t) * (u[0] > 0 ? u[0] * u[0] : 0.); }
RESIDUAL(f1_0) { for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d]; }
JACOBIAN(g0_00) { g[0] = c * u_t[0] + c * (1 + u[0]) * u_tShift - cos(t) * (u[0] > 0 ? 2 * u[0] : 0.); }
JACOBIAN(g3_00) { for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1; }
BD_RESIDUAL(b0_0_1) { f[0] = t * u[0]; }
BD_JACOBIAN(h0_00_1) { g[0] = t; }
"""


class Functions(Case):
    """Functions of all kinds, roots and powers, a maximum."""

    symmetric, depends = True, {"solution"}

    def ufl(self, dm):
        V = pu.space(dm)
        u, v = Coefficient(V), TestFunction(V)
        s = sqrt(1 + inner(grad(u), grad(u)))
        return dict(
            form=inner(grad(u), grad(v)) / s * dx
            + (tanh(u) + ufl.atan2(u, 2) + ufl.erf(u) + u**3 + (2 + u) ** 1.5 + max_value(u, 0.1) + abs(u) / (3 + u))
            * v
            * dx,
            u=u,
        )

    text = """
RESIDUAL(f0_0)
{
  f[0] = tanh(u[0]) + atan2(u[0], 2.) + erf(u[0]) + u[0] * u[0] * u[0] + pow(2 + u[0], 1.5) + PetscMax(u[0], 0.1);
  f[0] += fabs(u[0]) / (3 + u[0]);
}
RESIDUAL(f1_0)
{
  PetscScalar s = 1;
  for (PetscInt d = 0; d < dim; ++d) s += u_x[d] * u_x[d];
  for (PetscInt d = 0; d < dim; ++d) f[d] = u_x[d] / sqrt(s);
}
JACOBIAN(g0_00)
{
  const PetscScalar w = u[0], sign = w > 0 ? 1. : w < 0 ? -1. : 0.;
  g[0] = 1 - tanh(w) * tanh(w) + 2 / (4 + w * w) + 2 / sqrt(PETSC_PI) * exp(-w * w) + 3 * w * w + 1.5 * sqrt(2 + w);
  g[0] += (w > 0.1 ? 1. : 0.) + sign / (3 + w) - fabs(w) / ((3 + w) * (3 + w));
}
JACOBIAN(g3_00)
{
  PetscScalar s = 1;
  for (PetscInt d = 0; d < dim; ++d) s += u_x[d] * u_x[d];
  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt e = 0; e < dim; ++e) g[d * dim + e] = (d == e) / sqrt(s) - u_x[d] * u_x[e] / (s * sqrt(s));
}
"""


CASES = dict(
    heat=Heat([(1, 2)]),
    heat3=Heat([(1, 1)], 3, True),
    nonlinear=Nonlinear([(1, 2)], 2, True),
    elasticity2=Elasticity([(2, 2)], 2, True),
    elasticity3=Elasticity([(3, 1)], 3),
    neohooke2=NeoHooke([(2, 2)], scale=0.02),
    neohooke3=NeoHooke([(3, 1)], 3, True, 0.05),
    stokes=Stokes([(2, 2), (1, 1)]),
    navierstokes=NavierStokes([(2, 2), (1, 1)], 2, True),
    advection=Advection([(1, 2)]),
    transient=Transient([(1, 2)]),
    functions=Functions([(1, 2)], scale=0.3),
)
