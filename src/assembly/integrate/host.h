/*
  Element integration on the host, a batch of elements at a time: the elements of a batch are the lanes of vector
  registers.

  Of each batch
    geometry   detJ, J^-1 and X at the quadrature points                            hostbatch.h
    jets       u, u_x, u_t there, for the pointwise functions                       hostbatch.h
    residual   E_q = w detJ (f0, J^-1 f1),  F^e_i = sum_q sum_a psi_a E_q^a         hostresidual.h
    Jacobian   D_q = w detJ (g0, g1 J^-T, J^-1 g2, J^-1 g3 J^-T),
               A^e_ij = sum_q sum_b (sum_a psi_a D_q^ab) psi_b                      hostjacobian.h

  psi_a is a basis function of one component: its value (a = 0) and its reference gradient (a = 1..dim); i and j run
  over the nodes of two fields, and all this is done for each pair of their components. Tensor integration has D at its
  own few points, and takes rows of A^e from K (tensor.c) in the place of the two sums; so do batches in which the
  functions return the same values at all points, where the mesh is affine. A pair whose D is zero at all points is left
  out. Rows of A^e are summed into the matrix as they are finished, so memory does not grow with the square of the
  element's dofs.

    action     W_q = (g0 v + g1 grad v, g2 v + g3 grad v) in the place of (f0, f1)
                                                                                    hostaction.h

  Of a vector space psi_a is a function of each component: i and j are the same for all pairs of them, to which they
  add. With its map M from the reference cell, v = M v_ref, the functions' values are M^T f and M^T g M here.

  hostdouble.c and hostsingle.c compile these headers for lanes of double and of float, hostvectors.c for problems with
  bases of vectors, which are integrated in double precision whatever is asked for. Pointwise functions are always
  called in double.

  A value of a function, of a vector and of a matrix is PLEX_REALS numbers, two where scalars are complex, one behind the
  other. Geometry and bases are real, and all sums are linear in the values: they are done once with the real parts
  (z = 0), and once with the imaginary ones (z = 1).
*/
#pragma once

#include "point.h"
#include <plex_args.h>

#define PLEX_HOST_BYTES 64 /* of a lane vector: one register of AVX-512, two of AVX2 */

/* Parts of a basis function that an integral uses: psi_a for a in a range */
typedef enum {
  PLEX_PART_NONE  = 0,
  PLEX_PART_VALUE = 1,
  PLEX_PART_GRAD  = 2,
  PLEX_PART_BOTH  = 3
} PlexPart;

typedef struct _n_PlexHostBatch *PlexHostBatch;
struct _n_PlexHostBatch {
  PlexElements    elements; /* not owned; tabulated at the points of the product */
  PlexForm        form;     /* not owned */
  PlexProductKind kind;
  PlexTensor      tensor; /* not owned; NULL: by quadrature */
  /* not owned; by quadrature: of one point, for batches in which the functions' values are the same at all points; or
     NULL */
  PlexTensor constant;
  PetscInt   ntensor;  /* of such batches, in the last launch */
  PetscBool  solution; /* the functions may read it */
  /* NULL, or while functions are watched: what they must not read is there, and constants; not owned */
  PlexGuard   guard;
  PlexPoint  *point; /* with guard: where a function is called */
  PetscBool   symmetric;
  PetscInt    lanes;
  PetscInt    NfCalled;    /* fields as pointwise functions are told: of cohesive cells fewer than the elements' */
  PetscInt    Nct, NctAux; /* components of all fields, of all auxiliary fields */
  PlexOffsets offsets;
  PetscInt    face; /* facets: the local face of all elements of the batch */
  PetscBool   skip; /* there are components, hence pairs that may be zero */

  /* For the pointwise functions */
  PetscScalar *constants; /* [numConstants + 3], with PETSc's field I, field J, detJ 2^dim at the end */
  PetscReal   *X;         /* [Nq][lanes][dim] */
  PetscReal   *normal;    /* [Nq][lanes][dim], of facets */
  PetscReal   *volume;    /* [Nq][lanes] detJ 2^dim */
  PetscScalar *u, *u_t;   /* [Nq][lanes][Nct] */
  PetscScalar *u_x;       /* [Nq][lanes][Nct][dim] */
  PetscScalar *a, *a_x;   /* likewise of the auxiliary fields; NULL where there are none */
  PetscScalar *result;    /* of one function */

  /* Of lane vectors, unless said otherwise; real is double or float */
  /* [Nf + NfAux] by PlexPart: real [faces][Nq][parts][Nn]; of a vector space [Nc] of them */
  void *(*tables)[4];
  /* [Nf * Nf], fields I, J at I * Nf + J: real [NnI][Nq][ab][NnJ] of tensor integration (Nq of tensor, or 1 of
     constant): ab the parts that the pair uses, a <= b of a symmetric G */
  void **K;
  void  *invJ; /* [Ng][dim][dim] d xi_a / d x_k; Ng = 1 where affine, else Nq */
  /* the same for gradients of a residual's test functions: of facets PETSc's own, else invJ */
  void     *testInvJ;
  void     *wdetJ;    /* [Nq] */
  void     *local;    /* [Nv][dim] coordinates about the first node */
  void     *dofs;     /* [ef] u or u_t, [ea] a */
  void     *raw;      /* [PLEX_REALS][sizeRaw] results of the functions at one point */
  void     *first;    /* with `constant`: those at the first point */
  PetscBool compares; /* whether the values of the present batch are compared */
  /* batches in a row in which they were not the same, or were not compared */
  PetscInt different;
  /* of actions: v and v_x as u and u_x; [PLEX_REALS][Nct][1 + dim] of lane vectors at one point;
     [PLEX_REALS][sizeAction] */
  PetscScalar *v, *v_x;
  void        *jets, *action;
  void        *data; /* [PLEX_REALS][sizeData]: [Nc][Nq][a] E, or [NcI][NcJ][Nq][a][b] D */
  void        *rows; /* [2][Nq][b] sum_a psi_a D of two rows */
  void        *out;  /* [2][Nn] element data of two rows */
  size_t       sizeRaw, sizeData, sizeAction;
  char        *memory;

  /* Integrates elements e..e+n-1 (n <= lanes; of facets, all of local face `face`) and adds their data to F, or to A by
     slots[n][ef][ef] */
  void (*integrate)(PlexHostBatch, const PlexArgs *, PetscInt e, PetscInt n, const int slots[]);
};

PETSC_INTERN PetscErrorCode PlexHostBatchCreate_Private(PlexAssembly, const PlexProduct *, PlexHostBatch *);
PETSC_INTERN PetscErrorCode PlexHostBatchDestroy_Private(PlexHostBatch *);
/* hostdouble.c, hostsingle.c, hostvectors.c */
PETSC_INTERN void   PlexHostBatchIntegrate_Double(PlexHostBatch, const PlexArgs *, PetscInt, PetscInt, const int[]);
PETSC_INTERN void   PlexHostBatchIntegrate_Single(PlexHostBatch, const PlexArgs *, PetscInt, PetscInt, const int[]);
PETSC_INTERN void   PlexHostBatchIntegrate_Vectors(PlexHostBatch, const PlexArgs *, PetscInt, PetscInt, const int[]);
PETSC_INTERN double PlexHostBatchFlops_Private(PlexHostBatch); /* of an element */

/* There are functions g_k of fields fI, fJ, those of the dynamic Jacobian counted in */
static inline PetscBool PlexHostHas_Private(PlexForm form, PetscInt k, PetscInt fI, PetscInt fJ)
{
  return form->g[k][fI * form->Nf + fJ].n || form->d[k][fI * form->Nf + fJ].n ? PETSC_TRUE : PETSC_FALSE;
}

/* Parts of the test and trial functions that the Jacobian of fields fI, fJ uses; both none where there are no
   functions */
static inline void PlexHostGetParts_Private(PlexForm form, PetscInt fI, PetscInt fJ, PlexPart *test, PlexPart *trial)
{
  const PetscBool g0 = PlexHostHas_Private(form, 0, fI, fJ), g1 = PlexHostHas_Private(form, 1, fI, fJ),
                  g2 = PlexHostHas_Private(form, 2, fI, fJ), g3 = PlexHostHas_Private(form, 3, fI, fJ);

  *test  = (PlexPart)((g0 || g1 ? PLEX_PART_VALUE : 0) | (g2 || g3 ? PLEX_PART_GRAD : 0));
  *trial = (PlexPart)((g0 || g2 ? PLEX_PART_VALUE : 0) | (g1 || g3 ? PLEX_PART_GRAD : 0));
}

/* Number of psi_a */
static inline PetscInt PlexHostPartSize_Private(PlexPart part, PetscInt dim)
{
  return (part & PLEX_PART_VALUE ? 1 : 0) + (part & PLEX_PART_GRAD ? dim : 0);
}
