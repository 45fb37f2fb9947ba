/* What every assembly kernel reads and writes besides its plan. One layout for host C and device C++: passed by
   value. Where PETSc's scalars are complex, which the host alone assembles, values (u, u_t, A, F, constants, aux, B) are
   pairs of numbers. */
#ifndef PLEX_ARGS_H
#define PLEX_ARGS_H

typedef struct {
  const double *x;         /* [Nx][cdim] coordinate nodes */
  const double *u;         /* [Nl] local vector of the solution */
  const double *u_t;       /* [Nl] its time derivative, or NULL */
  double       *A;         /* [nA] values of the matrix; of its diagonal block where it is distributed */
  double       *F;         /* [Nl] local vector of the residual */
  const double *constants; /* [numConstants + 3] of the PetscDS, with PETSc's three trailing slots */
  const void   *tables;    /* basis tables too large to compile in, in the precision of the element data; or NULL */
  double        t;         /* time */
  double        shift;     /* dF/du_t multiplier, X_tShift */
  const double *aux;       /* local vector of the auxiliary fields, or NULL */
  const int    *auxDofs;   /* [Ne][PLEX_EA] its entries, by element */
  /* [Ne] local face of a facet; of cohesive cells what cuda/integrate/cohesive.cuh says; with vector spaces
     [Ne][1 + PLEX_SIGN_WORDS], and behind it a bit for each dof of which the element has the negative; or NULL */
  const int *face;
  /* [Ne][NQ][PLEX_FACET_SIZE] geometry of facets: x, n, weight, volume, two inverse Jacobians; or that of cohesive
     cells */
  const double *facet;
  double       *B;  /* [nnz - nA] values of the rows that several processes add to, or NULL */
  int           nA; /* slots below nA are in A, the others in B */
  /* Of actions of a Jacobian: [Nl] local vector that it is applied to, or NULL; the diagonal's entries are of column
     component `component` of each node, -1: of the row's own */
  const double *v;
  int           component;
} PlexArgs;

/* Blocks of elements with the nodal data they share. Block b reads the coordinate nodes nodes[nodeStart[b] ..] and
   local dofs dofs[dofStart[b] ..]; its elements are the positions elementStart[b] .. elementStart[b+1], some of them
   padding. */
typedef struct {
  const int *nodeStart, *nodes; /* [blocks+1], coordinate nodes */
  const int *dofStart, *dofs;   /* [blocks+1], local dofs */
  const int *elementStart;      /* [blocks+1], multiples of the interleave */
  const int *elements;          /* [positions] which element; where it is needed */
  /* interleaved [positions][NV + EF]: numbers within the block; 0xffff in the first: padding */
  const unsigned short *conn;
} PlexBlocksArgs;

/* Rows and what they sum: contributions start[r] .. start[r+1], of which contribution c is row i of an element's data,
   items[c] = element * EF + i, and its entry j belongs at place[c * length + j] of the row; 0xffff where that dof is
   constrained. */
typedef struct {
  const int            *start;  /* [rows+1] contributions */
  const int            *items;  /* [contributions] */
  const unsigned short *place;  /* [contributions][EF for a matrix, 1 for a residual] */
  const int            *ids;    /* [rows] first target of the row */
  const int            *length; /* [rows] targets of the row */
} PlexRowsArgs;

#endif
