/*
  Products of a Jacobian at a state with vectors, from coefficients that are stored once a state. With jets U of v at a
  point (values and reference gradients of all components, [NC][1 + dim]), the element vector of A v is

    F^e = sum_q B_q^T C_q U_q,   U_q = B_q v^e,   C_q = w_q |J| (g0, g1 J^-T; J^-1 g2, J^-1 g3 J^-T)

  and a product needs no pointwise function and no geometry. Of C those entries are kept that the form has; of a symmetric
  one half. Of a form that is that of one component for each (a vector's mass, its Laplacian) those of one are
  kept. Where C / w_q is the same at all points of an element, one is kept, and the points are replaced by as few modes
  as span the basis's jets at the points: with B_a = Q_a R_a columns of sqrt(w) B in an orthonormal basis, sum_q w_q B_a^T
  B_b is R_a^T R_b, the reference tensor K of Knepley and Terrel (2011) in factors.

  Where the functions read nothing of a point, C is also kept in factors,

    C_q = w_q |J| P^T D P,   P = diag(1, J^-T) for each component,

  with D the functions' numbers (g0, g1; g2, g3), the same at all points of all elements, once a state. Kept of a point are
  w |J| and, of a form with gradients, J^-1: for elasticity in three dimensions 10 numbers, of a symmetric C 45.
*/
#pragma once

#include "lines.h"
#include <plex_args.h>

typedef struct _n_PlexStored *PlexStored;
struct _n_PlexStored {
  PlexElements    elements;          /* not owned */
  PetscInt        NC;                /* components of all fields */
  PetscInt       *field, *component; /* [NC] of component k: field, and number in it */
  unsigned       *trial, *test;      /* [Nf] parts of a field's functions in use: 1 value, 2 gradient */
  PetscInt        n;                 /* entries of C that the form has, or of D in factors */
  PetscBool       factors;           /* C is kept as w |J| P^T D P */
  PetscInt        numbers;           /* of a point that are kept: n, or w |J| and [dim][dim] d xi_a / d x_k */
  PetscInt        copies;            /* C is that of the first of so many components, and serves all of them; else 1 */
  PetscInt       *row, *column;      /* [n] jets k * (1 + dim) + a, row <= column of a symmetric C */
  PetscBool       symmetric, constant; /* C is; C / w is the same at all points of an element */
  PetscReal       unit;                /* 1 / w of the first point, of constant ones, else 1 */
  PetscInt        Nq;                  /* points, or modes */
  PetscReal     **table;               /* [Nf] [Nq][1 + dim][Nn] values and reference gradients */
  PlexLineTables *lines;               /* sums along lines: the basis is a product, or NULL */
  PetscReal      *derivative;          /* [Q][Q] with lines: derivative at point p of the polynomial that is 1 at q */
  PetscBool       collocated;          /* the points of a line are its nodes */
  const char     *whyNoLines;          /* static; NULL: there are lines, or could be none */
};

/* *stored NULL: they do not serve, *why says it (static) */
PETSC_INTERN PetscErrorCode PlexStoredCreate_Private(PlexAssembly, PlexStored *, const char **why);
PETSC_INTERN PetscErrorCode PlexStoredDestroy_Private(PlexStored *);
/* What is known of the functions now is what it was made for */
PETSC_INTERN PetscErrorCode PlexStoredIsCurrent_Private(PlexAssembly, PlexStored, PetscBool *);
/* Points at which C is kept: 1 of constant ones */
#define PlexStoredPoints(s) ((s)->constant ? 1 : (s)->Nq)
/* Whether a form with factors has gradients: then J^-1 is kept */
PETSC_INTERN PetscBool PlexStoredHasGradients_Private(PlexStored);
/* Operations of an element's product, of kernels or the host; of lines without additions of both ends */
PETSC_INTERN double PlexStoredFlops_Private(PlexStored, PetscBool kernels);
/* Basis functions of one field on cells that are products, of any number of components, with more nodes along a line than
   PlexLineTablesCreate_Private() takes */
PETSC_INTERN PetscErrorCode PlexLineTablesFind_Private(PlexElements, PetscInt nodes, PetscInt points, PlexLineTables *,
                                                       PetscBool *serves);

/* Adds what of a column[Nq] the orthonormal modes[n][Nq] lack, normed, if there is anything beside the size of the largest
   column; x[Nq] is work */
PETSC_INTERN void PlexModeAdd_Private(PetscInt Nq, const PetscReal column[], PetscReal largest, PetscReal x[],
                                      PetscReal modes[], PetscInt *n);

/* ---- On the host: hoststored.h */

typedef struct {
  PlexStored s;
  PetscBool  transpose; /* A^T v, of a C that is not symmetric */
  PetscInt   lanes;
  const int *dofs;      /* [Ne][ef] where an element's dofs are in the vectors; -1: they are essential and not there */
  void *(*tables)[4];   /* [Nf] by PlexPart: real [Nq][parts][Nn] */
  void       *B, *D;    /* real [N][Q], [Q][Q] of lines */
  const void *physical; /* real [n] D of factors */
  size_t      size;     /* lane vectors of C of a batch */
  void       *work;     /* lane vectors */
  char       *memory;
} PlexHostStored;

struct _n_PlexHostBatch;
PETSC_INTERN void PlexHostStore_Double(struct _n_PlexHostBatch *, const PlexHostStored *, const PlexArgs *, PetscInt,
                                       PetscInt, void *);
PETSC_INTERN void PlexHostStore_Single(struct _n_PlexHostBatch *, const PlexHostStored *, const PlexArgs *, PetscInt,
                                       PetscInt, void *);
/* D of factors, by the functions at J = 1 and w = 1, real [n] */
PETSC_INTERN void PlexHostPhysical_Double(struct _n_PlexHostBatch *, const PlexHostStored *, const PlexArgs *, void *);
PETSC_INTERN void PlexHostPhysical_Single(struct _n_PlexHostBatch *, const PlexHostStored *, const PlexArgs *, void *);
PETSC_INTERN void PlexHostApply_Double(const PlexHostStored *, const void *, const PlexArgs *, PetscInt, PetscInt);
PETSC_INTERN void PlexHostApply_Single(const PlexHostStored *, const void *, const PlexArgs *, PetscInt, PetscInt);
