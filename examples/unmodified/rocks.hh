/*
  Pointwise functions of elastic waves in rocks, as applications in C++ have them: static members of classes in a
  namespace, with structs that have constructors, references, tables of function pointers, templates and assertions.

                     u_t = v
     rho v_t - div sigma = f(x) r(t),    sigma = C : eps(u) + tau C : eps(v),    C : e = lambda tr(e) I + 2 mu e
                 sigma n = -Z v          on the sides that absorb waves, Z = sqrt(rho (lambda + 2 mu))

  Fields: 0 displacement u, 1 velocity v. Auxiliary fields: 0 density rho, 1 force f, 2 shear modulus mu, 3 bulk modulus
  K = lambda + 2/3 mu. Constants: 0 viscosity tau, 1 frequency of the source.
*/
#pragma once

#include <petscsys.h>
#include <cassert>
#include <cmath>

/* The arguments of PETSc's pointwise functions */
#define ROCKS_POINT \
  const PetscInt dim, const PetscInt numS, const PetscInt numA, const PetscInt sOff[], const PetscInt sOff_x[], \
    const PetscScalar s[], const PetscScalar s_t[], const PetscScalar s_x[], const PetscInt aOff[], \
    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], const PetscReal t
#define ROCKS_REST          const PetscInt numConstants, const PetscScalar constants[], PetscScalar
#define ROCKS_RESIDUAL      ROCKS_POINT, const PetscReal x[], ROCKS_REST
#define ROCKS_JACOBIAN      ROCKS_POINT, const PetscReal shift, const PetscReal x[], ROCKS_REST
#define ROCKS_SIDE_RESIDUAL ROCKS_POINT, const PetscReal x[], const PetscReal n[], ROCKS_REST
#define ROCKS_SIDE_JACOBIAN ROCKS_POINT, const PetscReal shift, const PetscReal x[], const PetscReal n[], ROCKS_REST

namespace rocks {

enum Field { DISPLACEMENT, VELOCITY, NUM_FIELDS };
enum Auxiliary { DENSITY, FORCE, SHEAR_MODULUS, BULK_MODULUS, NUM_AUXILIARY };

/* A symmetric tensor */
struct Tensor {
  PetscReal xx, yy, zz, xy, yz, xz;
  Tensor() : xx(0.0), yy(0.0), zz(0.0), xy(0.0), yz(0.0), xz(0.0) { }
  PetscReal trace() const { return xx + yy + zz; }
};

/* What depends on the dimension: a vector's gradient [dim][dim] as strain, and a stress as [dim][dim] */
class Operations {
public:
  typedef void (*Strain)(const PetscScalar gradient[], Tensor &);
  typedef void (*Add)(const Tensor &, PetscScalar full[]);
  const Strain strain;
  const Add    add;
  static const Operations plane, space;
  static Operations       makePlane() { return Operations(strainPlane, addPlane); }
  static Operations       makeSpace() { return Operations(strainSpace, addSpace); }

private:
  Operations(Strain strain_, Add add_) : strain(strain_), add(add_) { }
  static void strainPlane(const PetscScalar g[], Tensor &e)
  {
    e.xx = g[0];
    e.yy = g[3];
    e.xy = 0.5 * (g[1] + g[2]);
  }
  static void addPlane(const Tensor &s, PetscScalar f[])
  {
    const PetscScalar full[4] = {s.xx, s.xy, s.xy, s.yy};
    for (int k = 0; k < 4; ++k) f[k] += full[k];
  }
  static void strainSpace(const PetscScalar g[], Tensor &e)
  {
    e.xx = g[0];
    e.yy = g[4];
    e.zz = g[8];
    e.xy = 0.5 * (g[1] + g[3]);
    e.yz = 0.5 * (g[5] + g[7]);
    e.xz = 0.5 * (g[2] + g[6]);
  }
  static void addSpace(const Tensor &s, PetscScalar f[])
  {
    const PetscScalar full[9] = {s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz};
    for (int k = 0; k < 9; ++k) f[k] += full[k];
  }
};
inline const Operations Operations::plane = Operations::makePlane();
inline const Operations Operations::space = Operations::makeSpace();

/* What does not depend on the rock */
class Motion {
public:
  static void f0u(ROCKS_RESIDUAL f0[])
  {
    assert(numS == NUM_FIELDS && s_t);
    for (PetscInt d = 0; d < dim; ++d) f0[d] += s_t[sOff[DISPLACEMENT] + d] - s[sOff[VELOCITY] + d];
  }
  static void f0v(ROCKS_RESIDUAL f0[])
  {
    const PetscReal phase = std::pow(M_PI * (constants[1] * t - 1.2), 2);
    const PetscReal r     = (1.0 - 2.0 * phase) * std::exp(-phase); /* Ricker's wavelet */

    assert(numA == NUM_AUXILIARY && numConstants >= 2);
    for (PetscInt d = 0; d < dim; ++d) f0[d] += a[aOff[DENSITY]] * s_t[sOff[VELOCITY] + d] - r * a[aOff[FORCE] + d];
  }
  static void g0uu(ROCKS_JACOBIAN g0[]) { diagonal(dim, shift, g0); }
  static void g0uv(ROCKS_JACOBIAN g0[]) { diagonal(dim, -1.0, g0); }
  static void g0vv(ROCKS_JACOBIAN g0[]) { diagonal(dim, shift * a[aOff[DENSITY]], g0); }
  static void diagonal(PetscInt dim, PetscScalar value, PetscScalar g[])
  {
    for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] += value;
  }
};

/* An isotropic rock at a point */
struct Isotropic {
  const PetscReal rho, mu, lambda;

  Isotropic(const PetscScalar a[], const PetscInt aOff[])
    : rho(a[aOff[DENSITY]]), mu(a[aOff[SHEAR_MODULUS]]), lambda(a[aOff[BULK_MODULUS]] - 2.0 / 3.0 * mu)
  {
    assert(rho > 0.0 && mu > 0.0);
  }
  PetscReal impedance() const { return std::sqrt(rho * (lambda + 2.0 * mu)); }
  void      stress(PetscReal factor, const Tensor &e, Tensor &sigma) const
  {
    const PetscReal volume = factor * lambda * e.trace(), shear = 2.0 * factor * mu;
    sigma.xx += volume + shear * e.xx;
    sigma.yy += volume + shear * e.yy;
    sigma.zz += volume + shear * e.zz;
    sigma.xy += shear * e.xy;
    sigma.yz += shear * e.yz;
    sigma.xz += shear * e.xz;
  }
};

/* Hooke's law with viscosity */
template <class Rock, int dimension>
class Elasticity {
public:
  static void f1v(ROCKS_RESIDUAL f1[])
  {
    const Operations &ops = dimension == 2 ? Operations::plane : Operations::space;
    const Rock        rock(a, aOff);

    assert(dim == dimension);
    addStress(rock, 1.0, &s_x[sOff_x[DISPLACEMENT]], ops, f1);
    addStress(rock, constants[0], &s_x[sOff_x[VELOCITY]], ops, f1);
  }
  static void g3vu(ROCKS_JACOBIAN g3[]) { addModuli(Rock(a, aOff), 1.0, g3); }
  static void g3vv(ROCKS_JACOBIAN g3[]) { addModuli(Rock(a, aOff), constants[0], g3); }

private:
  static void addStress(const Rock &rock, PetscReal factor, const PetscScalar gradient[], const Operations &ops,
                        PetscScalar f1[])
  {
    Tensor strain, stress;

    ops.strain(gradient, strain);
    rock.stress(factor, strain, stress);
    ops.add(stress, f1);
  }
  /* C_ikjl = lambda delta_ik delta_jl + mu (delta_ij delta_kl + delta_il delta_kj), as g3[i][j][k][l] */
  static void addModuli(const Rock &rock, PetscReal factor, PetscScalar g3[])
  {
    const PetscInt n = dimension;

    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j < n; ++j) {
        g3[((i * n + j) * n + i) * n + j] += factor * rock.lambda;
        g3[((i * n + i) * n + j) * n + j] += factor * rock.mu;
        g3[((i * n + j) * n + j) * n + i] += factor * rock.mu;
      }
  }
};

/* Sides that absorb waves */
class Absorbing {
public:
  static void f0v(ROCKS_SIDE_RESIDUAL f0[])
  {
    for (PetscInt d = 0; d < dim; ++d) f0[d] += Isotropic(a, aOff).impedance() * s[sOff[VELOCITY] + d];
  }
  static void g0vv(ROCKS_SIDE_JACOBIAN g0[]) { Motion::diagonal(dim, Isotropic(a, aOff).impedance(), g0); }
};

} // namespace rocks
