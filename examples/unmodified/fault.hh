/*
  Pointwise functions of elastic rock with a fault, as applications in C++ have them: static members of classes in a
  namespace.

    -div sigma = rho g + b    sigma = lambda tr(e - e0) I + 2 mu (e - e0) + sigma0,    e = (grad u + grad u^T) / 2
    [[u]] = u+ - u- = d       on the fault; l, the traction there, is the Lagrange multiplier

  Fields: 0 displacement u, 1 traction l, on the fault alone. Auxiliary fields of the rock: RockField; of the fault:
  FaultField, its slip in the directions of the fault. Constants: 0 time, 1 gravity.
*/
#pragma once

#include <petscsys.h>
#include <cmath>

/* The arguments of PETSc's pointwise functions */
#define FAULT_POINT \
  const PetscInt dim, const PetscInt numS, const PetscInt numA, const PetscInt sOff[], const PetscInt sOff_x[], \
    const PetscScalar s[], const PetscScalar s_t[], const PetscScalar s_x[], const PetscInt aOff[], \
    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], const PetscReal t
#define FAULT_REST          const PetscInt numConstants, const PetscScalar constants[], PetscScalar
#define FAULT_RESIDUAL      FAULT_POINT, const PetscReal x[], FAULT_REST
#define FAULT_JACOBIAN      FAULT_POINT, const PetscReal shift, const PetscReal x[], FAULT_REST
#define FAULT_SIDE_RESIDUAL FAULT_POINT, const PetscReal x[], const PetscReal n[], FAULT_REST
#define FAULT_SIDE_JACOBIAN FAULT_POINT, const PetscReal shift, const PetscReal x[], const PetscReal n[], FAULT_REST

namespace fault {

enum RockField { DENSITY, BODY_FORCE, SHEAR_MODULUS, BULK_MODULUS, REFERENCE_STRESS, REFERENCE_STRAIN, NUM_ROCK };
enum FaultField { FINAL_SLIP, OPENING, INITIATION_TIME, RISE_TIME, NUM_FAULT };

/* What a point of the rock has, out of its auxiliary fields */
class Rock {
public:
  PetscReal lambda, mu;
  const PetscScalar *stress0, *strain0, *force;
  Rock(const PetscInt aOff[], const PetscScalar a[], const PetscInt dim) :
    lambda(a[aOff[BULK_MODULUS]] - 2.0 / 3.0 * a[aOff[SHEAR_MODULUS]]),
    mu(a[aOff[SHEAR_MODULUS]]),
    stress0(&a[aOff[REFERENCE_STRESS]]),
    strain0(&a[aOff[REFERENCE_STRAIN]]),
    force(&a[aOff[BODY_FORCE]])
  {
    (void)dim;
  }
};

/* D: 2 (plane strain) or 3. Symmetric tensors are xx, yy, xy or xx, yy, zz, xy, yz, xz */
template <int D>
class Elasticity {
public:
  static void f0u(FAULT_RESIDUAL f[])
  {
    for (int d = 0; d < D; ++d) f[d] -= a[aOff[BODY_FORCE] + d];
    f[D - 1] += a[aOff[DENSITY]] * constants[1];
  }
  static void f1u(FAULT_RESIDUAL f[])
  {
    const Rock  rock(aOff, a, D);
    PetscScalar e[D * D], trace = 0.0;

    for (int c = 0; c < D; ++c)
      for (int d = 0; d < D; ++d)
        e[c * D + d] = 0.5 * (s_x[c * D + d] + s_x[d * D + c]) - rock.strain0[entry(c, d)];
    for (int d = 0; d < D; ++d) trace += e[d * D + d];
    for (int c = 0; c < D; ++c) {
      for (int d = 0; d < D; ++d) f[c * D + d] += 2.0 * rock.mu * e[c * D + d] + rock.stress0[entry(c, d)];
      f[c * D + c] += rock.lambda * trace;
    }
  }
  static void g3uu(FAULT_JACOBIAN g[])
  {
    const Rock rock(aOff, a, D);

    for (int c = 0; c < D; ++c) {
      for (int d = 0; d < D; ++d) {
        g[((c * D + c) * D + d) * D + d] += rock.mu;
        g[((c * D + d) * D + d) * D + c] += rock.mu;
        g[((c * D + d) * D + c) * D + d] += rock.lambda;
      }
    }
  }

private:
  /* Number of an entry of a symmetric tensor */
  static inline int entry(const int c, const int d)
  {
    if (c == d) return c;
    if (D == 2) return 2;
    return c + d == 1 ? 3 : c + d == 3 ? 4 : 5;
  }
};

/* Slip that is prescribed: in the fault's own directions it begins at a time of its own and takes another to be there */
template <int D>
class Slip {
public:
  /* The negative side is pulled by l, the positive one by -l */
  static void f0u_negative(FAULT_SIDE_RESIDUAL f[])
  {
    for (int d = 0; d < D; ++d) f[d] -= s[sOff[1] + d];
  }
  static void f0u_positive(FAULT_SIDE_RESIDUAL f[])
  {
    for (int d = 0; d < D; ++d) f[d] += s[sOff[1] + d];
  }
  /* u- - u+ + d: s has the displacement of the negative side, and then that of the positive side */
  static void f0l(FAULT_SIDE_RESIDUAL f[])
  {
    PetscScalar d[D];

    slip(aOff, a, constants[0], n, d);
    for (int c = 0; c < D; ++c) f[c] += d[c] + s[sOff[0] + c] - s[sOff[0] + D + c];
  }
  static void g0ul_negative(FAULT_SIDE_JACOBIAN g[])
  {
    for (int d = 0; d < D; ++d) g[d * D + d] -= 1.0;
  }
  static void g0ul_positive(FAULT_SIDE_JACOBIAN g[])
  {
    for (int d = 0; d < D; ++d) g[d * D + d] += 1.0;
  }
  static void g0lu(FAULT_SIDE_JACOBIAN g[])
  {
    for (int d = 0; d < D; ++d) {
      g[d * D + d] += 1.0;
      g[D * D + d * D + d] -= 1.0;
    }
  }

private:
  static inline PetscReal risen(const PetscReal since, const PetscReal rise)
  {
    if (since <= 0.0) return 0.0;
    return since < rise ? since / rise : 1.0;
  }
  /* In the plane of the fault along the last axis as far as it lies in it, and across it where the fault opens */
  static void slip(const PetscInt aOff[], const PetscScalar a[], const PetscReal time, const PetscReal n[],
                   PetscScalar d[])
  {
    const PetscReal done  = risen(time - a[aOff[INITIATION_TIME]], a[aOff[RISE_TIME]]);
    PetscReal       along = 0.0, size = 0.0, up[D];

    for (int c = 0; c < D; ++c) along += n[c] * (c == D - 1 ? 1.0 : 0.0);
    for (int c = 0; c < D; ++c) {
      up[c] = (c == D - 1 ? 1.0 : 0.0) - along * n[c];
      size += up[c] * up[c];
    }
    for (int c = 0; c < D; ++c)
      d[c] = done * (a[aOff[FINAL_SLIP]] * up[c] / sqrt(size) + a[aOff[OPENING]] * n[c]);
  }
};

} // namespace fault
