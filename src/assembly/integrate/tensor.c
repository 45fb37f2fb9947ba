/*
  Integration as a contraction of tensors (Knepley and Terrel 2011, equations 1-23).

  Where the functions g0..g3 do not depend on the solution, what they give at a point of an element, pulled back to the reference cell,
  is G[a][b] for each pair of components (D of cuda/integrate/quadrature.cuh without the quadrature's weight). With psi_k the Lagrange
  polynomials of a degree r, and G_k the values at their nodes,

    A^e_ij = sum_k sum_ab K[i][k][ab][j] G_k[ab]      K[i][k][ab][j] = sum_q w_q psi_k(q) phi_a(i,q) phi_b(j,q)

  K is made once. r = 0, a single k, is exact where G is constant in an element: affine elements and coefficients that are constants of
  the PetscDS or constant in each element. A coefficient that is a finite element function needs its degree (equations 20-23); in
  elements that are not affine, G is rational, and the sum is its interpolant (equations 16-19).
*/
#include <plexgpu/impl.h>
#include "../interface/assemblyimpl.h"
#include "../../dm/elementsimpl.h"

#define PLEX_TENSOR_MOST 3 /* degree of coefficients that is looked for */

/* ---- What the functions depend on: they are called with numbers of our own ---- */

typedef struct {
  PetscScalar *u, *u_t, *u_x, *a, *a_x, *constants;
  PetscReal    x[3], t, shift;
} PlexProbe;

typedef struct {
  PlexAssembly asm_;
  PetscInt     Nct, NctAux; /* components of all fields, of all auxiliary fields */
  PetscInt     uOff[PLEX_MAX_FIELDS + 1], uOff_x[PLEX_MAX_FIELDS + 1], aOff[PLEX_MAX_AUX + 1], aOff_x[PLEX_MAX_AUX + 1];
  size_t       n;    /* numbers that all functions give */
  PetscScalar *g[2]; /* [n] */
  PlexProbe    probe;
  unsigned     seed;
  PetscInt     samples; /* elements in which polynomials are compared with the functions */
  PetscScalar *memory;
} PlexProber;

/* In (0.25, 1.25): nothing that a material law would not take */
static PetscReal PlexProbeRandom(PlexProber *p)
{
  p->seed = p->seed * 1664525u + 1013904223u;
  return 0.25 + (PetscReal)(p->seed >> 8) / 16777216.;
}

/* A number for a draw: usual ones of both signs, zero, ones of all sizes, the whole numbers that stand for materials, and NaN last. So
   branches are met that the usual numbers do not take: a sign, a melting point, one material */
#define PLEX_PROBE_WIDE  3  /* first draw of numbers between 1e-6 and 1e6 */
#define PLEX_PROBE_WHOLE 15 /* of -1, 0, ... 32 */
#define PLEX_PROBE_DRAWS 49
#define PLEX_PROBE_NAN   48
static PetscReal PlexProbeNumber(PlexProber *p, PetscInt draw)
{
  PetscReal sign;

  if (draw == PLEX_PROBE_NAN) return (PetscReal)NAN;
  if (draw >= PLEX_PROBE_WHOLE) return (PetscReal)(draw - PLEX_PROBE_WHOLE - 1);
  if (draw == 2) return 0.;
  if (draw < 2) return draw ? -PlexProbeRandom(p) : PlexProbeRandom(p);
  sign = PlexProbeRandom(p) < 0.75 ? -1. : 1.;
  return sign * PetscPowReal(10., 12. * PlexProbeRandom(p) - 9.);
}

static PetscErrorCode PlexProberCreate(PlexAssembly asm_, PlexProber *p)
{
  PlexElements       el  = asm_->elements;
  const PetscInt     dim = el->dim;
  PetscInt           nc;
  const PetscScalar *constants;
  PetscScalar       *m;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->asm_ = asm_;
  p->seed = 12345;
  for (PetscInt f = 0; f < el->Nf; ++f) p->uOff[f + 1] = p->uOff[f] + el->Nc[f];
  for (PetscInt f = 0; f < el->NfAux; ++f) p->aOff[f + 1] = p->aOff[f] + el->Nc[el->Nf + f];
  for (PetscInt f = 0; f <= el->Nf; ++f) p->uOff_x[f] = p->uOff[f] * dim;
  for (PetscInt f = 0; f <= el->NfAux; ++f) p->aOff_x[f] = p->aOff[f] * dim;
  p->Nct    = p->uOff[el->Nf];
  p->NctAux = p->aOff[el->NfAux];
  for (PetscInt fi = 0; fi < el->Nf; ++fi)
    for (PetscInt fj = 0; fj < el->Nf; ++fj) p->n += (size_t)2 * el->Nc[fi] * el->Nc[fj] * (1 + 2 * dim + dim * dim);
  PetscCall(PetscDSGetConstants(el->ds, &nc, &constants));
  PetscCall(PetscCalloc1(p->Nct * (2 + dim) + p->NctAux * (1 + dim) + nc + 3 + 2 * p->n, &p->memory));
  m                  = p->memory;
  p->probe.u         = m;
  p->probe.u_t       = (m += p->Nct);
  p->probe.u_x       = (m += p->Nct);
  p->probe.a         = (m += p->Nct * dim);
  p->probe.a_x       = (m += p->NctAux);
  p->probe.constants = (m += p->NctAux * dim);
  p->g[0]            = (m += nc + 3);
  p->g[1]            = m + p->n;
  PetscCall(PetscArraycpy(p->probe.constants, constants, nc));
  p->probe.constants[nc + 2] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexProbeFill(PlexProber *p, PetscInt n, PetscScalar array[], PetscInt draw)
{
  for (PetscInt k = 0; k < n; ++k) array[k] = (PetscScalar)PlexProbeNumber(p, draw);
}

static void PlexProbeSolution(PlexProber *p, PetscInt draw)
{
  PlexProbeFill(p, p->Nct, p->probe.u, draw);
  PlexProbeFill(p, p->Nct, p->probe.u_t, draw);
  PlexProbeFill(p, p->Nct * p->asm_->elements->dim, p->probe.u_x, draw);
}

static void PlexProbeAuxiliary(PlexProber *p, PetscInt draw)
{
  PlexProbeFill(p, p->NctAux, p->probe.a, draw);
  PlexProbeFill(p, p->NctAux * p->asm_->elements->dim, p->probe.a_x, draw);
}

/* Some node of the mesh, or nowhere */
static void PlexProbePosition(PlexProber *p, PetscInt draw)
{
  PlexElements el = p->asm_->elements;

  for (PetscInt d = 0; d < el->dim; ++d) p->probe.x[d] = draw == PLEX_PROBE_NAN ? (PetscReal)NAN : el->x[(size_t)((PetscInt64)draw * 7919 % el->Nx) * el->dim + d];
}

/* The last of the constants: an element's volume */
static void PlexProbeVolume(PlexProber *p, PetscInt draw)
{
  p->probe.constants[p->asm_->form->numConstants + 2] = draw ? (PetscScalar)PlexProbeNumber(p, draw) : 1.;
}

/* All functions at the probe, one after the other: g of the keys in the order test field, trial field, k, and then the dynamic ones' */
static void PlexProbeCall(PlexProber *p, PetscScalar g[])
{
  PlexElements   el   = p->asm_->elements;
  PlexForm       form = p->asm_->form;
  const PetscInt dim = el->dim, powers[4] = {1, dim, dim, dim * dim}, nc = form->numConstants;
  PlexProbe     *at = &p->probe;

  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      at->constants[nc]     = (PetscScalar)fi;
      at->constants[nc + 1] = (PetscScalar)fj;
      for (PetscInt k = 0; k < 8; ++k) {
        const PlexFunctions *fn = k < 4 ? &form->g[k][fi][fj] : &form->d[k - 4][fi][fj];
        const PetscInt       n  = el->Nc[fi] * el->Nc[fj] * powers[k % 4];

        for (PetscInt i = 0; i < n; ++i) g[i] = 0.;
        for (PetscInt i = 0; i < fn->n; ++i)
          ((PetscPointJacFn *)fn->fn[i])(dim, el->Nf, el->NfAux, p->uOff, p->uOff_x, at->u, at->u_t, at->u_x, p->aOff, p->aOff_x, el->NfAux ? at->a : NULL, NULL, el->NfAux ? at->a_x : NULL, at->t, at->shift, at->x, nc, at->constants, g);
        g += n;
      }
    }
  }
}

static PetscBool PlexProbeSame(PlexProber *p)
{
  for (size_t k = 0; k < p->n; ++k)
    if (!(p->g[0][k] == p->g[1][k])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Whether the functions' values change with what `fill` sets: other numbers, and at last NaN, which an operation on it passes on */
static PetscBool PlexProbeDepends(PlexProber *p, void (*fill)(PlexProber *, PetscInt))
{
  PetscBool same = PETSC_TRUE;

  PlexProbeCall(p, p->g[0]);
  for (PetscInt draw = 0; draw < PLEX_PROBE_DRAWS && same; ++draw) {
    (*fill)(p, draw);
    PlexProbeCall(p, p->g[1]);
    same = PlexProbeSame(p);
  }
  (*fill)(p, 0);
  return (PetscBool)!same;
}

static PetscBool PlexProbeDiffer(PetscScalar a, PetscScalar b)
{
  return (PetscBool)(a != b && !(PetscIsNanScalar(a) && PetscIsNanScalar(b)));
}

/* One scalar field's G is symmetric, by the numbers at hand: g1 = g2, and g3 = g3^T */
static PetscBool PlexProbeSymmetric(PlexProber *p)
{
  const PetscInt     dim = p->asm_->elements->dim;
  const PetscScalar *g   = p->g[0];

  for (PetscInt dynamic = 0; dynamic < 2; ++dynamic, g += 1 + 2 * dim + dim * dim) {
    for (PetscInt a = 0; a < dim; ++a) {
      if (PlexProbeDiffer(g[1 + a], g[1 + dim + a])) return PETSC_FALSE;
      for (PetscInt b = 0; b < a; ++b)
        if (PlexProbeDiffer(g[1 + 2 * dim + a * dim + b], g[1 + 2 * dim + b * dim + a])) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Symmetry, and which numbers are zero, with any position, time, shift and auxiliary fields; constants are as they are */
static PetscErrorCode PlexProbeZeros(PlexProber *p, PlexTensorPlan *plan)
{
  PlexElements el = p->asm_->elements;

  PetscFunctionBegin;
  plan->symmetric = (PetscBool)(el->Nf == 1 && el->Nc[0] == 1);
  plan->nzero     = (PetscInt)p->n;
  PetscCall(PetscMalloc1(p->n, &plan->zero));
  for (size_t k = 0; k < p->n; ++k) plan->zero[k] = PETSC_TRUE;
  for (PetscInt draw = 0; draw < PLEX_PROBE_NAN; ++draw) {
    PlexProbeAuxiliary(p, draw);
    PlexProbePosition(p, draw);
    p->probe.t                                          = PlexProbeNumber(p, draw);
    p->probe.shift                                      = PlexProbeNumber(p, draw);
    p->probe.constants[p->asm_->form->numConstants + 2] = PlexProbeRandom(p);
    PlexProbeCall(p, p->g[0]);
    plan->symmetric = (PetscBool)(plan->symmetric && PlexProbeSymmetric(p));
    for (size_t k = 0; k < p->n; ++k) plan->zero[k] = (PetscBool)(plan->zero[k] && p->g[0][k] == 0.);
  }
  p->probe.t     = PlexProbeRandom(p);
  p->probe.shift = PlexProbeRandom(p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The polynomials in which coefficients are expanded ---- */

/* Nodes xi[Nk][dim] of the Lagrange element of a degree, and psi[Nq][Nk] of the quadrature's points */
static PetscErrorCode PlexTensorNodes(PlexElements el, PetscInt degree, PetscInt *Nk, PetscReal **xi, PetscReal **psi)
{
  PetscFE          fe, first;
  PetscDualSpace   dual;
  PetscQuadrature  quadrature;
  PetscTabulation  T;
  const PetscReal *points;
  PetscInt         Nq;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&first));
  PetscCall(PetscFEGetQuadrature(first, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, &points, NULL));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, el->dim, 1, el->cellType, degree, PETSC_DETERMINE, &fe));
  PetscCall(PetscFEGetDimension(fe, Nk));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscMalloc1(*Nk * el->dim, xi));
  for (PetscInt k = 0; k < *Nk; ++k) PetscCall(PlexDualSpaceGetNode(dual, k, el->dim, *xi + k * el->dim));
  PetscCall(PetscFECreateTabulation(fe, 1, Nq, points, 0, &T));
  PetscCall(PetscMalloc1(Nq * *Nk, psi));
  PetscCall(PetscArraycpy(*psi, T->T[0], Nq * *Nk));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary fields with nodal values [ea] and position at point q of a tabulation; x0 + X xi with [dim][1+dim] X, gradients on the reference cell */
static void PlexProbeAt(PlexProber *p, PlexElements at, PetscInt q, const PetscReal nodal[], const int vertices[])
{
  const PetscInt dim = at->dim;

  for (PetscInt f = 0; f < at->NfAux; ++f) {
    const PetscInt N = at->Nn[at->Nf + f], Nc = at->Nc[at->Nf + f];

    for (PetscInt c = 0; c < Nc; ++c) {
      PetscReal a = 0., a_x[3] = {0.};

      for (PetscInt n = 0; n < N; ++n) {
        const PetscReal value = nodal[at->offset[at->Nf + f] - at->ef + n * Nc + c];

        a += value * at->phi[at->Nf + f][q * N + n];
        for (PetscInt d = 0; d < dim; ++d) a_x[d] += value * at->dphi[at->Nf + f][(q * N + n) * dim + d];
      }
      p->probe.a[p->aOff[f] + c] = a;
      for (PetscInt d = 0; d < dim; ++d) p->probe.a_x[p->aOff_x[f] + c * dim + d] = a_x[d];
    }
  }
  for (PetscInt d = 0; d < dim; ++d) {
    p->probe.x[d] = 0.;
    for (PetscInt n = 0; n < at->Nv; ++n) p->probe.x[d] += at->x[(size_t)vertices[n] * dim + d] * at->psi[q * at->Nv + n];
  }
}

/* Whether the functions' values at all quadrature points are those of their interpolant at the nodes of `at`; in a few elements, with
   auxiliary fields of random nodal values */
static PetscErrorCode PlexTensorIsExact(PlexProber *p, PlexElements at, const PetscReal psi[], PetscBool *exact)
{
  PlexElements   el = p->asm_->elements;
  const PetscInt Ns = PetscMin(el->Ne, p->samples), Nk = at->Nq;
  PetscScalar   *nodes;
  PetscReal     *nodal;

  PetscFunctionBegin;
  *exact = PETSC_TRUE;
  PetscCall(PetscMalloc2(Nk * p->n, &nodes, el->ea, &nodal));
  for (PetscInt s = 0; s < Ns && *exact; ++s) {
    const int *vertices = &el->vertices[(size_t)((PetscInt64)s * el->Ne / Ns) * el->Nv];

    for (PetscInt i = 0; i < el->ea; ++i) nodal[i] = PlexProbeRandom(p);
    for (PetscInt k = 0; k < Nk; ++k) {
      PlexProbeAt(p, at, k, nodal, vertices);
      PlexProbeCall(p, &nodes[k * p->n]);
    }
    for (PetscInt q = 0; q < el->Nq && *exact; ++q) {
      PlexProbeAt(p, el, q, nodal, vertices);
      PlexProbeCall(p, p->g[0]);
      for (size_t i = 0; i < p->n; ++i) {
        PetscScalar sum = 0., size = PetscAbsScalar(p->g[0][i]);

        for (PetscInt k = 0; k < Nk; ++k) {
          sum += psi[q * Nk + k] * nodes[k * p->n + i];
          size = PetscMax(PetscRealPart(size), PetscAbsScalar(nodes[k * p->n + i]));
        }
        if (!(PetscAbsScalar(sum - p->g[0][i]) <= 1000. * PETSC_MACHINE_EPSILON * PetscRealPart(size))) *exact = PETSC_FALSE;
      }
    }
  }
  PetscCall(PetscFree2(nodes, nodal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The polynomials of a degree, and all bases at their nodes; kept, since each assembly asks */
struct _n_PlexInterpolant {
  PetscInt     Nk;
  PetscReal   *psi; /* [Nq][Nk] */
  PlexElements at;
};

static PetscErrorCode PlexInterpolantGet(PlexAssembly asm_, PetscInt degree, PlexInterpolant *interpolant)
{
  PlexInterpolant i = asm_->interpolant[degree];
  PetscReal      *xi;

  PetscFunctionBegin;
  if (!i) {
    PetscCall(PetscNew(&i));
    asm_->interpolant[degree] = i;
    PetscCall(PlexTensorNodes(asm_->elements, degree, &i->Nk, &xi, &i->psi));
    PetscCall(PlexElementsTabulate(asm_->elements, i->Nk, xi, &i->at));
    PetscCall(PetscFree(xi));
  }
  *interpolant = i;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterpolantsDestroy_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  for (PetscInt degree = 0; degree <= PLEX_TENSOR_DEGREE; ++degree) {
    if (!asm_->interpolant[degree]) continue;
    PetscCall(PlexElementsDestroyTabulated(&asm_->interpolant[degree]->at));
    PetscCall(PetscFree(asm_->interpolant[degree]->psi));
    PetscCall(PetscFree(asm_->interpolant[degree]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions whose values depend on position or auxiliary fields: the degree that served last, if it still does; else the lowest degree
   that is exact, or `most` + 1 */
static PetscErrorCode PlexTensorFindDegree(PlexProber *p, PetscInt last, PetscInt most, PetscInt *degree)
{
  PlexInterpolant i;
  PetscBool       exact = PETSC_FALSE;

  PetscFunctionBegin;
  if (last >= 0 && last <= most) {
    PetscCall(PlexInterpolantGet(p->asm_, last, &i));
    PetscCall(PlexTensorIsExact(p, i->at, i->psi, &exact));
    *degree = last;
  }
  for (PetscInt d = 0; d <= most && !exact; ++d) {
    PetscCall(PlexInterpolantGet(p->asm_, d, &i));
    PetscCall(PlexTensorIsExact(p, i->at, i->psi, &exact));
    *degree = d;
  }
  if (!exact) *degree = most + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Whether and how ---- */

/* Lower bound of the work of an element, in multiplications: points and contraction */
static double PlexTensorWork(PlexElements el, double points, PetscBool tensor, double nab)
{
  const double ef = (double)el->ef, dim = (double)el->dim;

  return points * (double)(el->Nv + 2) * dim * dim + (tensor ? ef * ef * points * nab : points * ef * (nab + ef * (1. + dim)));
}

PetscErrorCode PlexTensorExamine_Private(PlexAssembly asm_, PlexProduct *product, PlexTensorPlan *plan)
{
  PlexElements    el    = asm_->elements;
  const PetscBool asked = (PetscBool)(asm_->integration == PLEX_INTEGRATION_TENSOR);
  PlexProber      p;
  PetscBool       u, x, a = PETSC_FALSE;

  PetscFunctionBegin;
  plan->degree    = asm_->tensorDegree;
  plan->symmetric = PETSC_FALSE;
  plan->uniform   = PETSC_FALSE;
  plan->zero      = NULL;
  plan->nzero     = 0;
  plan->why       = NULL;
  if (asm_->integration == PLEX_INTEGRATION_QUADRATURE) plan->why = "asked for";
  else if (product->kind == PLEX_RESIDUAL) plan->why = "a residual";
  else if (el->integral.facets) plan->why = "of facets";
  else if (!el->Ne) plan->why = "no elements";
  if (plan->why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCall(PlexProberCreate(asm_, &p));
  p.probe.t     = PlexProbeRandom(&p);
  p.probe.shift = PlexProbeRandom(&p);
  PlexProbePosition(&p, 0);
  PlexProbeAuxiliary(&p, 0);
  u = PlexProbeDepends(&p, PlexProbeSolution);
  x = (PetscBool)(!u && PlexProbeDepends(&p, PlexProbePosition));
  if (!u && el->NfAux) a = PlexProbeDepends(&p, PlexProbeAuxiliary);
  if (!u && (!x || asked)) PetscCall(PlexProbeZeros(&p, plan));
  /* for pairs of nodes by gradients alone, as this is done at each assembly */
  if (!u && !x && !el->NfAux && el->Nf == 1 && el->Nv == el->dim + 1 && !plan->symmetric) plan->uniform = (PetscBool)!PlexProbeDepends(&p, PlexProbeVolume);
  if (x) { /* elsewhere they may be no zeros */
    PetscCall(PetscFree(plan->zero));
    plan->nzero = 0;
  }
  if (u) plan->why = "the Jacobian's functions depend on the solution";
  else if (x && !asked) plan->why = "the Jacobian's functions depend on the position";
  else if (!asm_->affineElements && !asked) plan->why = "the elements are not affine";
  else if (plan->degree < 0) {
    plan->degree = 0;
    p.samples    = x ? 16 : 4; /* what depends on the position may differ from place to place */
    if (x || a) PetscCall(PlexTensorFindDegree(&p, product->tensor ? product->tensor->degree : -1, PLEX_TENSOR_MOST, &plan->degree));
    if (plan->degree > PLEX_TENSOR_MOST) plan->why = "coefficients are no polynomials of a degree up to 3 in an element";
    else if (!asm_->affineElements) plan->degree = PetscMax(plan->degree, 2);
  }
  PetscCall(PetscFree(p.memory));
  PetscCall(PetscFPTrapPop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The static g3 of one scalar field and the dynamic one are multiples of the identity by the numbers at hand */
static PetscBool PlexProbeIsotropic(PlexProber *p)
{
  const PetscInt     dim = p->asm_->elements->dim;
  const PetscScalar *g   = p->g[0];

  for (PetscInt dynamic = 0; dynamic < 2; ++dynamic, g += 1 + 2 * dim + dim * dim) {
    const PetscScalar *g3 = &g[1 + 2 * dim];

    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt b = 0; b < dim; ++b)
        if (PlexProbeDiffer(g3[a * dim + b], a == b ? g3[0] : 0.)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexTensorIsIsotropic_Private(PlexAssembly asm_, PetscBool *isotropic)
{
  PlexElements el = asm_->elements;
  PlexProber   p;

  PetscFunctionBegin;
  *isotropic = (PetscBool)(el->Ne && el->Nf == 1 && el->Nc[0] == 1);
  if (!*isotropic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPTrapPush(PETSC_FP_TRAP_OFF));
  PetscCall(PlexProberCreate(asm_, &p));
  for (PetscInt draw = 0; draw < PLEX_PROBE_NAN && *isotropic; ++draw) {
    PlexProbeSolution(&p, draw);
    PlexProbeAuxiliary(&p, draw);
    PlexProbePosition(&p, draw);
    p.probe.t     = PlexProbeNumber(&p, draw);
    p.probe.shift = PlexProbeNumber(&p, draw);
    PlexProbeCall(&p, p.g[0]);
    *isotropic = PlexProbeIsotropic(&p);
  }
  PetscCall(PetscFree(p.memory));
  PetscCall(PetscFPTrapPop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- K ---- */

/* Parts a of a jet that a product uses: those from first, n of them */
static PetscReal PlexTensorJet(PlexElements el, PetscInt f, PetscInt q, PetscInt n, PetscInt a)
{
  return a ? el->dphi[f][(q * el->Nn[f] + n) * el->dim + a - 1] : el->phi[f][q * el->Nn[f] + n];
}

/* K[n][k][ab][m] of a pair of fields */
static void PlexTensorTabulate(PlexElements el, PetscInt fi, PetscInt fj, const PlexJets *jets, PetscBool symmetric, PetscInt Nk, const PetscReal psi[], PetscReal K[])
{
  const PetscInt a0 = jets->testValue ? 0 : 1, a1 = jets->testGrad ? el->dim : 0, b0 = jets->trialValue ? 0 : 1, b1 = jets->trialGrad ? el->dim : 0;

  for (PetscInt n = 0; n < el->Nn[fi]; ++n) {
    for (PetscInt k = 0; k < Nk; ++k) {
      for (PetscInt a = a0; a <= a1; ++a) {
        for (PetscInt b = symmetric ? a : b0; b <= b1; ++b) {
          for (PetscInt m = 0; m < el->Nn[fj]; ++m, ++K) {
            *K = 0.;
            for (PetscInt q = 0; q < el->Nq; ++q) {
              PetscReal product = PlexTensorJet(el, fi, q, n, a) * PlexTensorJet(el, fj, q, m, b);

              if (symmetric && a != b) product += PlexTensorJet(el, fi, q, n, b) * PlexTensorJet(el, fj, q, m, a);
              *K += el->weights[q] * psi[q * Nk + k] * product;
            }
          }
        }
      }
    }
  }
}

/* Entries that rounding alone keeps from zero are zero, so that kernels can leave them out */
static void PlexTensorClean(PetscInt n, PetscReal K[])
{
  PetscReal size = 0.;

  for (PetscInt k = 0; k < n; ++k) size = PetscMax(size, PetscAbsReal(K[k]));
  for (PetscInt k = 0; k < n; ++k)
    if (PetscAbsReal(K[k]) <= 4. * PETSC_MACHINE_EPSILON * size) K[k] = 0.;
}

PetscErrorCode PlexTensorCreate_Private(PlexAssembly asm_, const PlexTensorPlan *plan, PlexTensor *tensor)
{
  PlexElements el = asm_->elements;
  PlexTensor   t;
  PlexJets     jets;
  PetscReal   *xi, *psi;
  PetscInt     Nk, KT, KU;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  t->degree    = plan->degree;
  t->symmetric = plan->symmetric;
  t->uniform   = plan->uniform;
  t->nzero     = plan->nzero;
  PetscCall(PetscMalloc1(t->nzero, &t->zero));
  PetscCall(PetscArraycpy(t->zero, plan->zero, t->nzero));
  PetscCall(PlexTensorNodes(el, plan->degree, &Nk, &xi, &psi));
  PetscCall(PlexElementsTabulate(el, Nk, xi, &t->at));
  t->at->affine = asm_->affineElements; /* J is then the same at all points */
  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT     = jets.testValue + el->dim * jets.testGrad;
  KU     = jets.trialValue + el->dim * jets.trialGrad;
  t->nab = t->symmetric ? KT * (KT + 1) / 2 : KT * KU;
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      t->offset[fi][fj] = t->n;
      t->n += el->Nn[fi] * Nk * t->nab * el->Nn[fj];
    }
  }
  PetscCall(PetscMalloc1(t->n, &t->K));
  for (PetscInt fi = 0; fi < el->Nf; ++fi) {
    for (PetscInt fj = 0; fj < el->Nf; ++fj) {
      PlexTensorTabulate(el, fi, fj, &jets, t->symmetric, Nk, psi, &t->K[t->offset[fi][fj]]);
      PlexTensorClean(el->Nn[fi] * Nk * t->nab * el->Nn[fj], &t->K[t->offset[fi][fj]]);
    }
  }
  PetscCall(PetscFree(xi));
  PetscCall(PetscFree(psi));
  *tensor = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTensorDestroy_Private(PlexTensor *tensor)
{
  PetscFunctionBegin;
  if (!*tensor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexElementsDestroyTabulated(&(*tensor)->at));
  PetscCall(PetscFree((*tensor)->K));
  PetscCall(PetscFree((*tensor)->zero));
  PetscCall(PetscFree(*tensor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients expanded in polynomials of a degree take fewer operations than quadrature */
static PetscErrorCode PlexTensorIsLess(PlexAssembly asm_, PetscInt degree, PetscBool *less)
{
  PlexElements    el = asm_->elements;
  PlexInterpolant i;
  PlexJets        jets;
  double          nab;

  PetscFunctionBegin;
  PetscCall(PlexInterpolantGet(asm_, degree, &i));
  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  nab   = (double)(jets.testValue + el->dim * jets.testGrad) * (double)(jets.trialValue + el->dim * jets.trialGrad);
  *less = (PetscBool)(PlexTensorWork(el, (double)i->Nk, PETSC_TRUE, nab) <= PlexTensorWork(el, (double)el->Nq, PETSC_FALSE, nab));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product's integration, chosen anew at each assembly: what the functions depend on may change with constants and variables of
   the application. A plan made for another one is freed. */
PetscErrorCode PlexAssemblyChooseIntegration_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexTensorPlan plan;
  PlexTensor     tensor = product->tensor;
  PetscBool      same;

  PetscFunctionBegin;
  PetscCall(PlexTensorExamine_Private(asm_, product, &plan));
  PetscCheck(!plan.why || asm_->integration != PLEX_INTEGRATION_TENSOR || product->kind == PLEX_RESIDUAL || asm_->elements->integral.facets || !asm_->elements->Ne, PETSC_COMM_SELF, PETSC_ERR_SUP, "Tensor integration does not serve here: %s. Use -plex_assembly_integration quadrature, or auto",
             plan.why);
  if (!plan.why && asm_->integration == PLEX_INTEGRATION_AUTO && plan.degree > 0) {
    PetscBool less = PETSC_FALSE;

    PetscCall(PlexTensorIsLess(asm_, plan.degree, &less));
    if (!less) plan.why = "fewer operations than with the coefficients' polynomials";
  }
  if (!plan.why && asm_->integration == PLEX_INTEGRATION_AUTO) {
    PetscBool lines;

    PetscCall(PlexLinesPreferred_Private(asm_, product, &plan, &lines));
    if (lines) plan.why = "sums along lines take fewer operations than tensors of this size";
  }
  product->why = plan.why ? plan.why : asm_->integration == PLEX_INTEGRATION_TENSOR ? "asked for" : "the Jacobian's functions do not depend on the solution";
  same = plan.why ? (PetscBool)!tensor : (PetscBool)(tensor && tensor->degree == plan.degree && tensor->symmetric == plan.symmetric && tensor->uniform == plan.uniform && tensor->nzero == plan.nzero && tensor->at->affine == asm_->affineElements);
  if (same && tensor) PetscCall(PetscArraycmp(tensor->zero, plan.zero, plan.nzero, &same));
  else if (same) {
    same = (PetscBool)(product->nzero == plan.nzero && (!plan.nzero || product->equal == plan.symmetric));
    if (same && plan.nzero) PetscCall(PetscArraycmp(product->zero, plan.zero, plan.nzero, &same));
  }
  if (!same) {
    const char *why = product->why;

    PetscCall(PlexAssemblyResetProduct_Private(asm_, product));
    if (!plan.why) PetscCall(PlexTensorCreate_Private(asm_, &plan, &product->tensor));
    else { /* and of quadrature what is known of its functions */ product->zero = plan.zero;
      product->nzero                                                            = plan.nzero;
      product->equal                                                            = (PetscBool)(plan.nzero && plan.symmetric);
      plan.zero                                                                 = NULL;
    }
    product->why = why;
  }
  PetscCall(PetscFree(plan.zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}
