/*
  Pointwise functions whose facts tests/source/facts.c knows. It compiles them, to call them, and reads this file as
  their source. dim is 2, there are fields of 2 and 1 components, auxiliary fields of 1 and 2, 3 constants, and 16
  entries of the result.
*/
#include <petscds.h>

#define FACTS_BEGIN \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define FACTS_END      PetscInt numConstants, const PetscScalar constants[], PetscScalar g[]
#define FUNCTION(name) static void name(FACTS_BEGIN, const PetscReal x[], FACTS_END)
#define JACOBIAN(name) static void name(FACTS_BEGIN, PetscReal u_tShift, const PetscReal x[], FACTS_END)
#define FACET(name)    static void name(FACTS_BEGIN, const PetscReal x[], const PetscReal n[], FACTS_END)
#define FACET_JACOBIAN(name) \
  static void name(FACTS_BEGIN, PetscReal u_tShift, const PetscReal x[], const PetscReal n[], FACTS_END)

PetscReal FactsElsewhere(const PetscScalar *); /* its source is not given */

/* ------------------------------------------------------------------------------------------------------- plain ones */

JACOBIAN(laplace)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1.0;
}

JACOBIAN(elastic)
{
  const PetscReal mu = constants[0], lambda = constants[1];

  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g[((c * dim + c) * dim + d) * dim + d] += mu;
      g[((c * dim + d) * dim + d) * dim + c] += mu;
      g[((c * dim + d) * dim + c) * dim + d] += lambda;
    }
  }
}

JACOBIAN(advection)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = 0.0;
}

JACOBIAN(mass)
{
  g[0] = u_tShift;
}

FACET(outward)
{
  g[0] = n[0] * t;
}

FACET_JACOBIAN(outward_g)
{
  g[0] = n[dim - 1] * u_tShift * x[0];
}

FUNCTION(nothing) { }

/* ----------------------------------------------------------------------------------------------------- what is read */

FUNCTION(shadowed)
{
  {
    const PetscReal u[2] = {2.0, 3.0};

    g[0] = u[1];
  }
}

FUNCTION(shadowed_goto)
{
  {
    const PetscReal u[2] = {2.0, 3.0};

    g[0] = u[1];
    if (g[0] > 2.5) goto end;
  }
end:
  return;
}

FUNCTION(dead)
{
  if (dim == 3 || Nf > 7) g[0] = u[0];
  else g[0] = dim < 3 ? 1.0 : a[0];
  if (dim == 2 && NfAux == 9 && x[0] > 0.) g[1] = 1.0;
}

FUNCTION(only_sizeof)
{
  g[0] = sizeof(*u) + sizeof(u_x[0]) + sizeof(*a);
}

FUNCTION(only_sizeof_goto)
{
  goto end;
end:
  g[0] = sizeof(*u);
}

FUNCTION(array_sizeof_goto)
{
  goto end;
end:
  g[0] = sizeof(char[(int)PetscAbsReal(u[0]) % 5 + 1]);
}

#define COEFFICIENT(i) (u_x[(i)] + t)

FUNCTION(macros)
{
  g[0] = COEFFICIENT(1);
}

static PetscReal ThirdHelper(const PetscScalar *v, const PetscScalar *w)
{
  (void)w;
  return v[0];
}
static PetscReal SecondHelper(const PetscScalar v[], const PetscScalar w[], PetscReal s)
{
  return ThirdHelper(v, w) + s;
}

FUNCTION(chain)
{
  g[0] = SecondHelper(a, u, t);
}

FUNCTION(chain_goto)
{
  goto end;
end:
  g[0] = SecondHelper(a, u, t);
}

static PetscReal Downward(const PetscScalar *v, const PetscScalar *w, PetscInt n)
{
  return n > 0 ? Downward(v, w, n - 1) + v[0] : 0.0;
}

FUNCTION(recursive)
{
  g[0] = Downward(a, u, 3);
}

FUNCTION(recursive_goto)
{
  goto end;
end:
  g[0] = Downward(a, u, 3);
}

FUNCTION(elsewhere)
{
  g[0] = FactsElsewhere(u);
}

FUNCTION(voids)
{
  (void)u;
  (void)u_t;
  (void)a_x;
  g[0] = 1.0;
}

FUNCTION(difference_goto)
{
  goto end;
end:
  g[0] = u_t == u ? 1.0 : 2.0;
}

FUNCTION(time_derivative)
{
  g[0] = u_t ? u_t[0] : 0.0;
  g[1] = u_t != NULL ? u_t[0] : 0.0;
}

FUNCTION(address)
{
  const PetscReal *s = &t;

  g[0] = s[0];
}

FUNCTION(address_goto)
{
  const PetscReal *s = &t;

  goto end;
end:
  g[0] = s[0];
}

FUNCTION(second_aux)
{
  g[0] = a[aOff[1] + 1];
}

FUNCTION(any_aux)
{
  g[0] = a[(PetscInt)PetscAbsReal(x[0]) % 3];
}

/* ------------------------------------------------------------------------------------------ constants and variables */

enum {
  CONSTANT_A,
  CONSTANT_B,
  CONSTANT_C
};

FUNCTION(constants_known)
{
  g[0] = constants[CONSTANT_B] + constants[numConstants - 1];
}

FUNCTION(constants_goto)
{
  goto end;
end:
  g[0] = constants[CONSTANT_C] + constants[1];
}

FUNCTION(constants_volume)
{
  g[0] = constants[numConstants + 2];
}

FUNCTION(constants_volume_goto)
{
  goto end;
end:
  g[0] = constants[numConstants + 2];
}

FUNCTION(constants_fields)
{
  g[0] = constants[numConstants] + constants[numConstants + 1];
}

FUNCTION(constants_loop)
{
  for (PetscInt k = 0; k < numConstants; ++k) g[0] += constants[k];
}

FUNCTION(constants_any)
{
  g[0] = constants[(PetscInt)PetscAbsReal(constants[0]) % numConstants];
}

FUNCTION(constants_any_goto)
{
  const PetscInt k = (PetscInt)PetscAbsReal(constants[0]) % numConstants;

  goto end;
end:
  g[0] = constants[k];
}

static PetscReal       facts_level = 2.0, facts_tensor[2][2] = {
                                            {1.0, 2.0},
                                            {3.0, 4.0}
};
static const PetscReal facts_table[4] = {1.0, 0.5, 0.25, 0.0}, facts_square[2][2] = {[1] = {[0] = 5.0}};
static const struct {
  PetscReal        k;
  const PetscReal *more;
} facts_deep                                 = {1.0, &facts_level};
static PetscReal (*facts_pointer)(PetscReal) = sin;

static struct {
  PetscReal k[2], lambda;
} facts_material = {
  {1.0, 2.0},
  3.0
};

void FactsChange(PetscReal s)
{
  facts_level = facts_tensor[1][0] = facts_material.lambda = s;
}

static PetscReal Trace(PetscReal A[2][2])
{
  return A[0][0] + A[1][1];
}
static PetscReal Corner(const PetscReal A[2][2])
{
  return A[1][0];
}

FUNCTION(variable)
{
  g[0] = facts_level;
}

FUNCTION(variable_array)
{
  g[0] = Corner((const PetscReal (*)[2])facts_tensor) + facts_tensor[0][1];
}

FUNCTION(variable_let_out)
{
  g[0] = Trace(facts_tensor);
}

FUNCTION(variable_let_out_goto)
{
  goto end;
end:
  g[0] = Trace(facts_tensor);
}

static PetscReal Advance(PetscReal k[])
{
  return k[0] += 1.0;
}

FUNCTION(variable_struct)
{
  g[0] = facts_material.lambda + facts_material.k[1];
}

FUNCTION(variable_struct_goto)
{
  PetscReal plasma = facts_material.lambda;

  goto end;
end:
  g[0] = plasma + facts_material.k[1];
}

FUNCTION(variable_struct_written)
{
  g[0] = Advance(facts_material.k);
}

FUNCTION(variable_written)
{
  facts_level += 1.0;
  g[0] = facts_level;
}

FUNCTION(constant_of_file)
{
  g[0] = facts_table[3];
  g[1] = facts_square[1][0];
  g[2] = facts_square[0][1];
}

FUNCTION(table)
{
  g[0] = facts_table[(PetscInt)PetscAbsReal(a[0]) % 4];
  g[1] = facts_table[(PetscInt)PetscAbsReal(a[0]) % 4];
}

FUNCTION(deep)
{
  g[0] = *facts_deep.more;
}

FUNCTION(through_pointer)
{
  g[0] = facts_pointer(t);
}

FUNCTION(through_local_pointer)
{
  PetscReal (*f)(PetscReal) = sin;

  g[0] = (*f)(t);
}

FUNCTION(counts)
{
  static PetscInt calls = 0;

  g[0] = ++calls;
}

FUNCTION(static_constant)
{
  static const PetscReal w[2] = {0.0, 3.0};

  g[0] = w[0];
  g[1] = w[1];
}

FUNCTION(pointer_in_constants)
{
  const PetscScalar *p = *(const PetscScalar *const *)&constants[0];

  g[0] = p[0];
}

FUNCTION(pointer_in_union)
{
  union
  {
    PetscScalar        s;
    const PetscScalar *p;
  } both;

  both.s = constants[0];
  g[0]   = both.p[0];
}

FUNCTION(pointer_copied)
{
  const PetscScalar *p;

  memcpy(&p, constants, sizeof(p));
  g[0] = p[0];
}

FUNCTION(assembly)
{
  PetscReal s = 1.0;

  __asm__ volatile("" : "+m"(s));
  g[0] = s;
}

/* ------------------------------------------------------------------------------------------ zeros and equal entries */

FUNCTION(multiples)
{
  g[0] = 0 * u[0];
  g[1] = 0.0 * 3.0;
  g[2] *= 2.0;
  g[3] *= u[0];
  g[4] = u[0] - u[0];
  g[5] = -0.0;
  g[6] = 1.0 * u[0] / 1.0 + 0.0;
  g[7] = u[0];
}

FUNCTION(orders)
{
  g[0] = u[0] * a[0];
  g[1] = a[0] * u[0];
  g[2] = u[0] - a[0];
  g[3] = -(a[0] - u[0]);
  g[4] = (u[0] + u[1]) + u[2];
  g[5] = u[0] + (u[1] + u[2]);
  g[6] = u[2] + (u[1] + u[0]);
  g[7] = -u[0] * -a[0];
  g[8] = -(u[0] * -a[0]);
}

FUNCTION(divisions)
{
  g[0]  = 1 / 2;
  g[1]  = 1 / 2.0;
  g[2]  = (dim == 2 ? 1 : 0.5) / 2;
  g[3]  = (PetscInt)2.75 - 2;
  g[4]  = 7 % 4 - 3;
  g[5]  = (unsigned char)256;
  g[6]  = (PetscReal)(1u - 2u > 0);
  g[7]  = 0.1f;
  g[8]  = 0.1;
  g[9]  = (float)u[0];
  g[10] = u[0];
  g[11] = (float)0.5 - 0.5;
}

FUNCTION(bits)
{
  const unsigned s = 5u;

  g[0] = (s & 3u) - 1;
  g[1] = (s >> 1) ^ 2;
  g[2] = (1 << dim) - 4;
  g[3] = ~0 + 1;
  g[4] = !s;
  g[5] = (s | 2) == 7 ? 0.0 : u[0];
}

FUNCTION(branches)
{
  if (u[0] > 77.0) g[0] = g[1] = 2.0;
  else {
    g[0] = 3.0;
    g[1] = 3.0;
    g[2] = u[0];
  }
  if (t > 5.0) g[3] = 0.0;
}

FUNCTION(clamps)
{
  g[0] = PetscMax(PetscMin(a[0], 1.0), 0.0);
  g[1] = a[0] > 0.0 ? 1.0 : 0.0;
  g[2] = a[0] > 0.0 ? 1.0 : 1.0;
  g[3] = a[0] > 0.0;
}

FUNCTION(yields)
{
  const PetscReal shear = PetscSqrtReal(u_x[0] * u_x[0] + u_x[3] * u_x[3]);
  PetscReal       k     = constants[0];

  if (shear > constants[1]) k *= 0.1;
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k;
}

FUNCTION(early)
{
  g[0] = 1.0;
  g[1] = t;
  if (x[0] < 0.0) return;
  g[0] = 1.0;
  g[1] = 2.0;
  if (x[1] < 0.0) return;
  g[2] = 1.0;
}

FUNCTION(both_return)
{
  if (x[0] < 0.0) {
    g[0] = 1.0;
    return;
  } else {
    g[0] = 1.0;
    g[1] = 1.0;
    return;
  }
  g[2] = 1.0;
}

FUNCTION(loops)
{
  PetscReal s = 0.0;

  for (PetscInt k = 0; k < 5; ++k) {
    if (u[k % 3] < 0.0) continue;
    if (u[k % 3] > 1.5) break;
    s += u[k % 3];
    g[3] = 1.0;
  }
  g[0] = s;
  g[1] = s;
  for (PetscInt k = 0; k < 3; ++k) {
    if (x[0] > k + 0.5) break;
    if (u[k] > 1.0) {
      g[2] = k;
      return;
    }
    if (u[k] < -2.0) continue;
    g[4] += 1.0;
  }
  g[5] = 1.0;
  g[6] = 1.0;
}

FUNCTION(nested_loops)
{
  for (PetscInt i = 0; i < 3; ++i) {
    for (PetscInt j = 0; j < 3; ++j) {
      if (u[i] > x[j % 2]) break;
      if (u[j] + 1.0 < x[0]) {
        if (t > 0.5) return;
        else continue;
      }
      g[0] += u[i];
      g[1] += u[i];
    }
    if (u[i] > 3.0) break;
    g[2] += 1.0;
  }
  g[3] = 1.0;
}

static PetscReal FirstWay(const PetscReal x[], const PetscScalar u[])
{
  for (PetscInt k = 0; k < 2; ++k) {
    if (x[0] > 0.0) break;
    if (u[0] > 0.0) return 1.0;
  }
  return 2.0;
}

FUNCTION(ways)
{
  g[0] = FirstWay(x, u); /* an earlier way out goes before a later one */
  g[1] = u[0] > 0.0 ? 1.0 : 2.0;
}

static PetscReal Newton(PetscReal b)
{
  PetscReal y  = 1.0;
  PetscInt  it = 0;

  while (PetscAbsReal(y * y - b) > 1e-6 && it++ < 8) y -= (y * y - b) / (2.0 * y);
  return y;
}

FUNCTION(newton)
{
  g[0] = Newton(x[0] * x[0] + 1.0);
  g[1] = Newton(1.0 + x[0] * x[0]);
}

FUNCTION(waits)
{
  PetscReal y = 1.0 + PetscAbsReal(u[0]);

  while (y > 2.0) y *= 0.5;
  g[0] = y;
}

FUNCTION(switches)
{
  switch (dim) {
  case 1:
    g[0] = u[0];
    break;
  case 2:
    g[0] = 1.0;
    /* fall through */
  case 3:
    g[1] = 1.0;
    if (x[0] > 0.0) break;
    g[2] = 1.0;
    break;
  default:
    g[3] = 1.0;
  }
}

FUNCTION(switches_unknown)
{
  switch ((PetscInt)PetscAbsReal(x[0]) % 2) {
  case 1:
    g[0] = u[0];
    break;
  default:
    g[1] = 1.0;
  }
}

FUNCTION(do_while)
{
  PetscInt k = 0;

  do {
    g[k] = k;
  } while (++k < 3);
}

FUNCTION(aliases)
{
  const PetscScalar *p = u + uOff[1], *last = &p[0];
  PetscScalar       *q = g;

  *q++ = p[0];
  *q   = *last;
  g += 4;
  g[0]                  = 2.0;
  *(g + 1)              = 2.0;
  ((PetscScalar *)g)[2] = 2.0;
  2 [g + 1]             = 2.0;
}

FUNCTION(chooses)
{
  const PetscScalar *p = u[0] > 0.0 ? u + 1 : a;

  g[0] = p[0];
  g[1] = p[0];
  g[2] = p[1];
}

FUNCTION(writes_somewhere)
{
  g[(PetscInt)PetscAbsReal(x[0]) % 4] = 1.0;
  g[5]                                = 1.0;
}

FUNCTION(writes_one_of_two)
{
  PetscScalar *q = x[0] > 0.0 ? g : g + 2;

  q[1] = u[0];
}

FUNCTION(commas)
{
  PetscReal s = 0.0;

  g[0] = (s = u[0], s += 1.0, s);
  for (PetscInt i = 0, j = 3; i < j; ++i, --j) g[i] = g[j] = s;
}

FUNCTION(copies)
{
  PetscScalar w[4] = {1.0, 2.0};

  memcpy(g, w, 4 * sizeof(*w));
  (void)PetscArraycpy(g + 4, u, 2);
  memset(g + 6, 0, sizeof(PetscScalar));
  memmove(&g[8], &g[4], 2 * sizeof(g[0]));
}

typedef struct {
  PetscReal k[2], lambda;
  PetscInt  n;
} Material;

static Material MaterialMake(PetscReal k)
{
  Material m = {
    .k = {k, 2.0},
      .n = 3
  };

  if (k > 1.0) return m;
  m.lambda = k;
  return m;
}
static void MaterialUse(const Material *m, PetscScalar *out)
{
  out[0] = m->k[0];
  out[1] = m->lambda;
  out[2] = m->k[1] - 2.0;
}

FUNCTION(structs)
{
  Material m = MaterialMake(a[1]), copy, *p = &copy;

  copy    = m;
  p->k[1] = 2.0;
  g[0]    = m.k[0];
  g[1]    = p->k[0];
  g[2]    = (*p).n - 3;
  g[3]    = ((Material){.lambda = 4.0}).lambda;
  MaterialUse(p, &g[4]);
}

FUNCTION(arrays)
{
  const PetscInt Nc = uOff[1] - uOff[0];
  PetscScalar    w[Nc * dim], A[2][2] = {
                                {1.0},
                                {0.0, u[0]}
  };

  for (PetscInt k = 0; k < Nc * dim; ++k) w[k] = u_x[k];
  for (PetscInt c = 0; c < Nc; ++c)
    for (PetscInt d = 0; d < dim; ++d) g[c * dim + d] = w[c * dim + d] + w[d * dim + c];
  g[4] = A[0][0];
  g[5] = A[0][1];
  g[6] = A[1][0];
  g[7] = A[1][1];
}

FUNCTION(side_effects)
{
  if (u[0] > 0.0 && (g[0] = 1.0) > 0.0) g[1] = 1.0;
  if (dim == 3 && (g[2] = 1.0) > 0.0) g[2] = 2.0;
  if (u[0] > 0.0 || (g[3] = 1.0) > 2.0) g[4] = 1.0;
  g[5] = u[1] > 0.0 ? (g[6] = 1.0) : 1.0;
}

FUNCTION(calls_of_math)
{
  g[0] = PetscSinReal(x[0]) * PetscPowReal(x[1], 2.0);
  g[1] = PetscPowReal(x[1], 2) * sin(x[0]);
  g[2] = PetscPowRealInt(x[0], 2);
  g[3] = x[0] * x[0];
  g[4] = PetscSqr(x[0]);
  g[5] = PetscIsNanReal(x[0]) ? 0.0 : 0.0;
}

FUNCTION(out_of_range)
{
  g[0] = u[dim + 5 - 8] + 1.0;
}

FUNCTION(not_set)
{
  PetscReal s;

  if (x[0] > 0.0) s = 1.0;
  else s = 2.0;
  g[0] = s;
  g[1] = s;
}

static PetscErrorCode Exact(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *v, void *ctx)
{
  const PetscReal *scale = (const PetscReal *)ctx;

  PetscFunctionBeginUser; /* the functions that run are noted by a PETSc with debugging */
  for (PetscInt c = 0; c < Nc; ++c) v[c] = x[c] * (scale ? scale[0] : 1.0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

FUNCTION(own_type_goto)
{
  typedef const PetscReal *Pointer;
  const Pointer            p = (Pointer)(size_t)constants[0];

  goto end;
end:
  g[0] = p ? p[0] : 0.0;
}

FUNCTION(own_enumerator)
{
  enum {
    CONSTANT_A = 5
  };

  g[0] = constants[CONSTANT_A];
}

FUNCTION(exact)
{
  PetscScalar v[2];
  PetscReal   scale = 2.0;

  PetscCallAbort(PETSC_COMM_SELF, Exact(dim, t, x, 2, v, NULL));
  g[0] = v[0];
  PetscCallAbort(PETSC_COMM_SELF, Exact(dim, t, x, 2, v, &scale));
  g[1] = v[0];
  g[2] = 2.0 * x[0];
}

FUNCTION(exact_goto)
{
  goto end;
end:
  PetscCallAbort(PETSC_COMM_SELF, Exact(dim, t, x, 2, g, NULL));
}
