/*
  What is read of a DM, once: elements, the pattern of their matrix, essential boundary values, partitions. Arrays are
  on the host unless a comment says otherwise. src/dm/

  Index spaces, used throughout:
    e in [0, Ne)    element (a cell that is integrated)
    i, j in [0, ef) element dof, PETSc's closure order: (field f, node n, component c) -> offset[f] + n*Nc[f] + c;
                    of a vector space (field f, function n) -> offset[f] + n
    l in [0, Nl)    local dof: entry of a local vector, constrained dofs included
    r in [0, m)     matrix row (constrained dofs have none)
    s in [0, nnz)   slot: position in the matrix's CSR values, or behind them in those of the interface rows of a
                    distributed matrix
*/
#pragma once

#include <plexgpu/private/backendimpl.h>
#include <plexgpu/private/util.h>
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsf.h>

/* ------------------------------------------------------------------------------------------------------------------
   Elements: all that assembly reads of a DM
   ------------------------------------------------------------------------------------------------------------------ */

/* What an integral computes in the place of residual and Jacobian: with A the Jacobian at a state, A v, A^T v, or the
   diagonal of A. Its element data are those of a residual, its functions those of the Jacobian */
typedef enum {
  PLEX_ACTION_NONE,
  PLEX_ACTION_APPLY,
  PLEX_ACTION_TRANSPOSE,
  PLEX_ACTION_DIAGONAL,
  PLEX_ACTIONS
} PlexAction;

/* What an assembly integrates: the cells of a region (those of one PetscDS), the facets of a natural boundary
   condition, or a side of cohesive cells, which count as facets; and where its pointwise functions are found, a weak
   form's key. */
typedef struct {
  PetscInt   region;         /* number of the PetscDS; facets: 0, cohesive cells: their own */
  PetscBool  facets;         /* of boundary condition `boundary` of the PetscDS, where its label has `value` */
  PetscInt   boundary;       /* its number */
  DMLabel    label;          /* not owned; NULL: no label, all cells */
  PetscInt   value, part;    /* of the key; part 100 is the explicit one of an IMEX method */
  PetscInt   field;          /* facets: the only test field */
  PetscBool  explicitPart;   /* the fields with PetscDSSetImplicit() false in place of the others */
  PetscBool  preconditioner; /* the functions of the Jacobian preconditioner in place of those of the Jacobian */
  PetscBool  single; /* of facets: for one matrix that is Jacobian and preconditioner's, to which PETSc adds both */
  PetscBool  residual, jacobian; /* which of the two products there is; of an action `jacobian` alone */
  PlexAction action;
  PetscInt   auxValue[2]; /* of the key of the auxiliary vector; residual, Jacobian */
  /* Cohesive cells: 1, 2, 3 with the key of the negative side, of the positive side, of the cells; 0: others. The key of
     the cells, without whose auxiliary vector the sides have none; and the cells, a reference of the elements' */
  PetscInt     cohesive;
  PetscFormKey across;
  IS           cells;
} PlexIntegral;

/* Geometry of a quadrature point of a facet, numbers of PETSc's own: position, outward normal, weight times surface
   element, the constant detJ 2^dim, inverse Jacobian of the cell for the fields, and for the gradients of a residual's
   test functions */
#define PLEX_FACET_SIZE(dim) (2 * (dim) + 2 + 2 * (dim) * (dim))
/* Of a cohesive cell: position and normal of its negative side, weight times surface element, zero, inverse Jacobians of
   the cells on the negative and on the positive side, and of the negative side itself */
#define PLEX_COHESIVE_SIZE(dim) (PLEX_FACET_SIZE(dim) + (dim) * (dim))

/* How fields are evaluated on cohesive cells. The fields of the elements are those of the two sides and those of the
   cells: one of the PetscDS that is not cohesive counts twice, negative side first. Their bases (phi, dphi) are those
   of the test and trial functions, on the side. Values and gradients are those of the cells behind the sides, at the
   points of their faces. */
typedef struct _n_PlexCohesive *PlexCohesive;
struct _n_PlexCohesive {
  PetscInt  Nf;            /* fields of the PetscDS */
  PetscInt *field;         /* [Nf of the elements] number of the PetscDS's field */
  PetscInt *side;          /* [Nf of the elements] 0: negative, 1: positive side, 2: a cohesive field */
  PetscInt *uOff, *uOff_x; /* [Nf + 1] as pointwise functions get them */
  PetscInt *aOff, *aOff_x; /* [NfAux + 1] likewise */
  PetscInt  ei;            /* dofs that are evaluated of an element, those of auxiliary fields not counted */
  int      *places;        /* [Ne][ei + 2 Nq]: their local dofs; rows of the tables by point, of either side */
  /* [Nf + NfAux of the elements]; first dof, those of auxiliary fields in dofsAux; nodes; where the table begins; the
     row of point q: 0, 1: that of the side, 2: q; the inverse Jacobian of the record: 0, 1: a cell's, 2: the side's */
  PetscInt  *first, *nodes, *table, *row, *frame;
  PetscInt   size;
  PetscReal *tables; /* [size], of each field [rows][nodes][1 + dim]: value and reference gradient */
};
/* Numbers of `places` an element */
#define PlexCohesivePlaces(el) ((el)->cohesive->ei + 2 * (el)->Nq)

/* What the functions of a field's basis are, and how PETSc takes them from the reference cell to a cell with the
   Jacobian J. Of a vector space each function v has all components, and so has a dof */
typedef enum {
  PLEX_SPACE_NODES,   /* function n*Nc + c is the scalar function n in component c: the same */
  PLEX_SPACE_VECTORS, /* v: the same */
  PLEX_SPACE_HCURL,   /* v, Nc = dim: J^-T v, the covariant Piola map */
  PLEX_SPACE_HDIV     /* v, Nc = dim: J v / det J, the contravariant Piola map */
} PlexFieldSpace;

typedef struct _n_PlexElements *PlexElements;
struct _n_PlexElements {
  DM             dm; /* not owned */
  PetscDS        ds; /* not owned */
  PetscInt       refct;
  PlexIntegral   integral;
  DMPolytopeType cellType;
  PetscInt       dim;     /* of space: of coordinates, and of gradients and normals as pointwise functions have them */
  PetscInt       cellDim; /* of the cells: less than dim on a surface, or a curve */

  PetscInt Ne;
  /* [Ne] DMPlex points, in the DM's order, or along a curve where they come in none (src/dm/order.c) */
  PetscInt *cells;

  PetscInt  Nf;
  PetscInt  NfAux;  /* auxiliary field k is number Nf + k in Nc, Nn, offset, phi and dphi */
  PetscInt *Nc;     /* [Nf + NfAux] components of field f */
  PetscInt *Nn;     /* [Nf + NfAux] nodes of field f an element; functions of a vector space */
  PetscInt *offset; /* [Nf + NfAux] first element dof of field f; those of auxiliary fields begin at ef */
  /* [Nf + NfAux] space of field f, and whether any is a vector space; auxiliary fields have nodes */
  PlexFieldSpace *space;
  PetscBool       vectors;
  PetscInt        ef;   /* element dofs, all fields */
  PetscInt        Nl;   /* local dofs */
  int            *dofs; /* [Ne][ef] local dof of each element dof: the location matrix L */
  /* [Ne][ef] -1 where the element has the negative of the local dof, by the orientation of a face or edge, else 1; NULL:
     nowhere, on this process */
  signed char *signs;
  int         *node;   /* [Nl] the mesh node a local dof sits on: dofs of one DMPlex point share it; NULL for facets */
  PetscInt     Nnodes; /* number of those mesh nodes that hold dofs, in the order of these */
  PetscBool    permuted; /* the DM's section has its points in an order of their own */

  PetscObjectId auxId;   /* of the DM of the auxiliary vector; 0: there are no auxiliary fields */
  PetscInt      ea;      /* auxiliary dofs an element, all auxiliary fields */
  PetscInt      NlAux;   /* entries of the auxiliary vector */
  int          *dofsAux; /* [Ne][ea] entry of the auxiliary vector */

  PetscInt   faces;     /* 1, or local faces of a cell: an element is a facet of a cell, and cells[e] that cell */
  int       *face;      /* [Ne] local face; NULL where elements are cells */
  PetscInt  *faceStart; /* [faces + 1] elements are in the order of their local faces */
  PetscInt  *points;    /* [Ne] DMPlex points of the facets */
  PetscReal *facet;     /* [Ne][Nq][PlexElementsFacetSize()]; there are no coordinate nodes then, Nv is 0 */

  PlexCohesive cohesive; /* of cohesive cells, else NULL */

  PetscBool  affine;   /* the map to the reference cell is affine in each element (simplices with straight sides) */
  PetscInt   Nv;       /* coordinate nodes an element */
  PetscInt   Nx;       /* coordinate nodes in all */
  int       *vertices; /* [Ne][Nv] coordinate node */
  PetscReal *x;        /* [Nx][dim] */
  int       *place;    /* [Nx] where in x a node of the DM's coordinate vectors is; NULL: in the same order */

  PetscInt   Nq;
  PetscReal *weights; /* [Nq] */
  /* [Nf + NfAux], each [faces][Nq][Nn] basis of one component at the quadrature points; of a vector space
     [Nc][faces][Nq][Nn] */
  PetscReal **phi;
  PetscReal **dphi; /* [Nf + NfAux], each [faces][Nq][Nn][dim] reference gradients; of a vector space likewise */
  PetscReal  *psi;  /* [Nq][Nv] coordinate basis */
  PetscReal  *dpsi; /* [Nq][Nv][dim] */

  PlexElements nextRegion; /* not owned: the cells of another PetscDS, whose entries the matrix has too */
};
/* Of field f: dofs from one node to the next, and that of a node's component c; tables, and that of component c */
#define PlexElementsStride(el, f)   ((el)->space[f] == PLEX_SPACE_NODES ? (el)->Nc[f] : 1)
#define PlexElementsPlace(el, f, c) ((el)->space[f] == PLEX_SPACE_NODES ? (c) : 0)
#define PlexElementsTables(el, f)   ((el)->space[f] == PLEX_SPACE_NODES ? 1 : (el)->Nc[f])
#define PlexElementsTable(el, f, c) ((el)->space[f] == PLEX_SPACE_NODES ? 0 : (c))
/* Numbers of a point of a facet */
#define PlexElementsFacetSize(el) ((el)->cohesive ? PLEX_COHESIVE_SIZE((el)->dim) : PLEX_FACET_SIZE((el)->dim))

/* Cells of two or three dimensions that fill space: what kernels for certain elements are written for */
#define PlexElementsFillSpace(el) ((el)->dim == (el)->cellDim && (el)->dim > 1)

/* Why a DM, or a form on it, cannot be assembled here: *reason is NULL where it can, else a static or composed text
   that names the feature ("hanging nodes", "finite volume field 1"); freed with PetscFree(). */
PETSC_EXTERN PetscErrorCode PlexElementsSupported(DM, char **reason);
/* PetscWeakFormGetKeys() of PETSc 3.26: keys[*n] of all functions of a kind; PetscFree() them */
PETSC_EXTERN PetscErrorCode PlexWeakFormGetKeys(PetscWeakForm, PetscWeakFormKind, PetscInt *n, PetscFormKey *keys[]);
PETSC_EXTERN PetscErrorCode PlexElementsCreate(DM, PlexElements *);
/* What the integral runs over: with PlexElementsCreate() the cells of the first PetscDS. No elements: *elements is
   NULL. */
PETSC_EXTERN PetscErrorCode PlexElementsCreateIntegral(DM, const PlexIntegral *, PlexElements *);
/* The cells of the PetscDS number `region`, with the key that DMPlexSNESComputeResidualFEM() and the like give them */
PETSC_EXTERN PetscErrorCode PlexIntegralSetRegion(DM, PetscInt region, PlexIntegral *);
/* A side of cohesive cells, 0, 1, or 2 for the cells themselves, with the keys that DMPlexComputeResidualHybridByKey()
   has; region: of the cells. cells: not referenced here */
PETSC_EXTERN void PlexIntegralSetCohesive(PetscInt region, PetscInt side, const PetscFormKey keys[3], IS cells,
                                          PlexIntegral *);
/* Why an integral over cohesive cells cannot be done here; NULL: it can. PetscFree() it. Not collective */
PETSC_EXTERN PetscErrorCode PlexCohesiveSupported(DM, const PlexIntegral *, char **reason);
/* Whether the cells of a region are cohesive: PETSc integrates them by keys of their own */
PETSC_EXTERN PetscErrorCode PlexRegionIsCohesive(DM, PetscInt region, PetscBool *);
/* The region of cohesive cells: of the first one; PETSC_DETERMINE where it is in none, or there are no cells */
PETSC_EXTERN PetscErrorCode PlexCohesiveGetRegion(DM, IS cells, PetscInt *region);
/* The auxiliary vector of an integral's key, NULL where there is none */
PETSC_EXTERN PetscErrorCode PlexIntegralGetAuxiliary(DM, const PlexIntegral *, PetscInt kind, Vec *);
PETSC_EXTERN PetscErrorCode PlexElementsDestroy(PlexElements *);
/* SETERRQ naming the first element with a non-positive Jacobian determinant at a quadrature point, and its centroid */
PETSC_EXTERN PetscErrorCode PlexElementsFindInverted(PlexElements, char **text);
/* Reads the coordinates again (a moved mesh) into x, or facet; needed when the state has changed */
PETSC_EXTERN PetscErrorCode PlexElementsUpdateCoordinates(PlexElements);
PETSC_EXTERN PetscErrorCode PlexGetCoordinateState(DM, PetscObjectState *);
/* A hash of what they hold */
PETSC_EXTERN PetscErrorCode PlexHashCoordinates(DM, PetscInt64 *);
/* An error unless the DM is a DMPLEX of dimension 2 or 3 that fills its space and has faces and edges; method: "Nodal
   DG", say */
PETSC_EXTERN PetscErrorCode PlexCellsSupported(DM, const char method[]);
/* The cells that are this process's own, ascending; PetscFree() them */
PETSC_EXTERN PetscErrorCode PlexCellsGetOwned(DM, PetscInt *n, PetscInt **cells);
/* Collective. Combines what processes know of points, values[pEnd - pStart] */
PETSC_EXTERN PetscErrorCode PlexPointsCombine(DM, MPI_Op, MPI_Datatype unit, void *values);
/* Whether a point has a value in a label, any where that is PETSC_DETERMINE; no label: false */
PETSC_EXTERN PetscErrorCode PlexLabelHolds(DMLabel, PetscInt value, PetscInt point, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexLabelHoldsNowhere(MPI_Comm, const char condition[], const char label[], PetscInt value);

/* Rotations of the reference cell under which the fields' and the coordinates' bases are permuted, with `quadrature`
   the points as well: an element's dofs may be taken in the order dofs[k][0..ef) if its coordinate nodes are in the
   order vertices[k][0..Nv). None: n = 0 */
PETSC_EXTERN PetscErrorCode PlexElementsGetRotations(PlexElements, PetscBool quadrature, PetscInt *n, int **dofs,
                                                     int **vertices);
/* Likewise with the reflections of the cell */
PETSC_EXTERN PetscErrorCode PlexElementsGetSymmetries(PlexElements, PetscInt *n, int **dofs, int **vertices);
PETSC_EXTERN PetscErrorCode PlexElementsRestoreRotations(int **dofs, int **vertices);
/* conn[Ne][k]: distinct mesh nodes (node[]) of each element; k is the most that any has, shorter lists repeat their
   last */
PETSC_EXTERN PetscErrorCode PlexElementsGetNodes(PlexElements, PetscInt *k, int **conn);
/* Every mesh node has one dof, of the same number: conn may be the elements' dofs */
PETSC_EXTERN PetscBool PlexElementsDofsAreNodes(PlexElements);
/* As DMCreateMatrix(), values zero; faster where the matrix is sequential AIJ */
PETSC_EXTERN PetscErrorCode PlexElementsCreateMatrix(PlexElements, Mat *);

/*
  Rows of a distributed matrix that several processes add to, as one process sees them. Interface rows are those it owns
  to which others add or which have columns elsewhere, ascending, and then those of others to which its elements add,
  ascending too, hence owner by owner. Each is whole in a side array of values B: [of own rows | of others' rows |
  received], the part of others' rows being what is sent, and what is received lying sender by sender. In the end each
  value of the matrix's interface rows is a sum of entries of B.
*/
typedef struct _n_PlexHalo *PlexHalo;
struct _n_PlexHalo {
  PetscInt     n, nown;             /* interface rows, of which owned here */
  PetscInt    *rows;                /* [n] global row */
  PetscInt     own, sent, received; /* entries of the parts of B */
  PetscMPIInt  nto, nfrom;          /* processes sent to, received from */
  PetscMPIInt *to, *from;           /* [nto], [nfrom] ascending */
  PetscInt     nreceived;           /* rows received, of all senders */
  /* [nreceived] global row, [nreceived+1], [received] global columns */
  PetscInt *receivedRow, *receivedI, *receivedJ;
  PetscSF   sf;                  /* roots: entries sent; leaves: entries received */
  PetscInt  nsums;               /* values of interface rows in both blocks of the matrix */
  int      *sumStart, *sumItems; /* [nsums+1], [own+received] entries of B that a value sums */
  int      *sumTarget; /* [nsums] s >= 0: value s of the diagonal block, else value -s - 1 of the off-diagonal one */
};

typedef struct _n_PlexPattern *PlexPattern;
struct _n_PlexPattern {
  PlexElements  elements; /* not owned */
  PlexElements *all;      /* [nall] not owned, while it is made: all that add to the matrix */
  PetscInt      nall;
  Mat           mat;                   /* not owned; AIJ or AIJCUSPARSE, or IS with such local matrices */
  Mat           diagonal, offdiagonal; /* not owned; its blocks: PlexMatGetBlocks() */
  /* mat is of type IS: rows and columns are those of its local matrix, and there is no halo */
  PetscBool subdomain;
  PetscInt  rstart; /* first owned row */
  PetscInt  m;      /* rows: owned ones, then the interface rows of the halo */
  /* of the diagonal block: rows, values. Slots below nA are its values, the others those of B */
  PetscInt  mA, nA;
  PetscInt  nnz;    /* slots */
  PetscInt  unused; /* slots of owned interface rows in the diagonal block, which no element writes */
  PetscInt *i, *j;  /* [m+1], [nnz] CSR pattern, global columns, ascending in a row */
  int      *row;    /* [Nl] row of a local dof, -1 where constrained, or owned by others and in no element */
  PetscInt *column; /* [Nl] global column of a local dof, -1 where constrained */
  PlexHalo  halo;   /* NULL on one process */
  PetscBool view;   /* the arrays are another pattern's, of the same matrix */
  /* an entry that elements add to and the matrix has not, in words, the same on all processes; NULL: there is none */
  char            *missing;
  PetscObjectId    id; /* of mat: a later matrix may have its address */
  PetscObjectState nonzerostate;
};
/* Sequential matrices with the values of this process: of AIJ the diagonal and the off-diagonal block, with the global
   columns of the latter; on one process the matrix itself and NULL, and likewise the local matrix of type IS. garray
   may be NULL. */
PETSC_EXTERN PetscErrorCode PlexMatGetBlocks(Mat, Mat *diagonal, Mat *offdiagonal, const PetscInt **garray);
/* Whether a matrix can be written in place: by its exact type, and those of its blocks */
PETSC_EXTERN PetscErrorCode PlexMatIsWritten(Mat, PetscBool *);
/* Matrices in other formats, whose values are computed into a matrix of type AIJ (or IS with a local one) and copied:
   BAIJ, SBAIJ, DENSE, AIJ with further formats, IS with such local matrices. Whether a matrix is one of these. Collective
   unless it can be written in place */
typedef struct _n_PlexMatCopy *PlexMatCopy;
PETSC_EXTERN PetscErrorCode    PlexMatIsCopied(Mat, PetscBool *);
/* What belongs to P, attached to it; state: of what the elements' DM describes */
PETSC_EXTERN PetscErrorCode PlexMatCopyGet(Mat P, PlexElements, PetscInt64 state, PlexMatCopy *);
/* The matrix that is computed; NULL: there can be none */
PETSC_EXTERN PetscErrorCode PlexMatCopyGetMat(PlexMatCopy, Mat *);
/* After that has its pattern, and before Fill(), which copies its values into P. *missing: an entry that P lacks, the
   same text on all processes */
PETSC_EXTERN PetscErrorCode PlexMatCopySetUp(PlexMatCopy, char **missing);
PETSC_EXTERN PetscErrorCode PlexMatCopyFill(PlexMatCopy);
/* Hanging nodes: src/dm/anchors.c. Whether a DM has some; GetMat(): the matrix that is computed, Fill(): puts it into the
   program's. k: there may be two */
typedef struct _n_PlexAnchors *PlexAnchors;
PETSC_EXTERN PetscErrorCode    PlexAnchorsAre(DM, PetscBool *);
PETSC_EXTERN PetscErrorCode    PlexAnchorsCreate(DM, PlexAnchors *);
PETSC_EXTERN PetscErrorCode    PlexAnchorsDestroy(PlexAnchors *);
PETSC_EXTERN PetscErrorCode    PlexAnchorsGetMat(PlexAnchors, PetscInt k, Mat *computed);
PETSC_EXTERN PetscErrorCode    PlexAnchorsFill(PlexAnchors, PetscInt k, Mat P);
/* Takes the matrix's pattern, inserting explicit zeros first where the matrix was only preallocated. */
PETSC_EXTERN PetscErrorCode PlexPatternCreate(PlexElements, Mat, PlexPattern *);
/* Likewise where several sets of elements of one DM add to the matrix: the pattern is that of the first, and has what
   all of them couple. A matrix that lacks entries of theirs is no error here: pattern->missing says so, and nothing may
   be assembled with the pattern */
PETSC_EXTERN PetscErrorCode PlexPatternCreateForAll(PetscInt n, PlexElements[], Mat, PlexPattern *);
/* The same matrix for other elements of the same DM; the arrays stay the first pattern's, which must live as long */
PETSC_EXTERN PetscErrorCode PlexPatternCreateView(PlexElements, PlexPattern, PlexPattern *);
PETSC_EXTERN PetscErrorCode PlexPatternDestroy(PlexPattern *);
/* slots[ef][ef] of element e: position in the CSR values of A(L(e,i),L(e,j)), -1 where either dof is constrained. Slots
   from nA on are of the side array of interface rows; a row's slots are always consecutive. */
PETSC_EXTERN PetscErrorCode PlexPatternGetElementSlots(PlexPattern, PetscInt e, int slots[]);
/* Those of all elements, found by a kernel, interleaved [positions][ef][ef] in the backend's memory. plan, there too,
   is interleaved [positions][items]: item 0 negative marks padding, an element's dofs begin at item `first`. */
PETSC_EXTERN PetscErrorCode PlexPatternGetSlots(PlexPattern, PlexBackend, size_t positions, PetscInt interleave,
                                                const int plan[], PetscInt items, PetscInt first, int **slots);

/* The nonlinear solve that is under way, as far as values that hold within one are concerned */
typedef struct {
  PetscInt64 id;        /* another one for each solve; 0: none, or nothing is to be kept */
  PetscInt   iteration; /* of a solver whose user changes things between iterations (SNESSetUpdate()), else 0 */
} PlexSolve;

/* Essential boundary values of a DM, put into local vectors in the backend's memory */
typedef struct _n_PlexBoundaryPoints *PlexBoundaryPoints; /* where they are evaluated */
typedef struct {
  PlexBoundaryPoints points;       /* NULL: PETSc evaluates them */
  PetscInt64         state;        /* of what the points depend on */
  PetscInt           n;            /* values */
  int               *dofs;         /* [n] local dofs */
  PetscScalar       *values;       /* [n] */
  int               *dofsDevice;   /* [n] the same in the backend's memory, where it has kernels */
  PetscScalar       *valuesDevice; /* [n] */
  PlexSolve          solve;        /* when they were evaluated: in which solve, */
  PetscReal          t;            /* at what time, */
  PetscObjectState   coordinates;  /* and with which coordinates */
} PlexBoundarySet;
typedef struct _n_PlexBoundary *PlexBoundary;
struct _n_PlexBoundary {
  DM              dm; /* not owned */
  PlexBackend     backend;
  PlexModule      module;
  PetscObjectId   section;     /* of the local section that all of this is for */
  PetscInt        n, most;     /* constrained dofs here, and the most of a process */
  PetscInt       *constrained; /* [n] local dofs */
  Vec             work;        /* [Nl] on the host, where PETSc inserts */
  PlexBoundarySet set[2];      /* of the solution, and of its time derivative */
  PetscInt        evaluations; /* insertions that called the user's functions */
};
PETSC_EXTERN PetscErrorCode PlexBoundaryCreate(DM, PlexBackend, PlexBoundary *);
PETSC_EXTERN PetscErrorCode PlexBoundarySupported(DM, Vec locX, PetscBool *);
/* What the first insertion would make first, but for the time derivative's; collective */
PETSC_EXTERN PetscErrorCode PlexBoundarySetUp(PlexBoundary);
PETSC_EXTERN PetscErrorCode PlexBoundaryInsert(PlexBoundary, PlexSolve, PetscReal t, Vec locX, Vec locX_t);
PETSC_EXTERN PetscErrorCode PlexBoundaryDestroy(PlexBoundary *);

/* A basis transform of a DM (DMHasBasisTransform()), and what it does with local vectors and with the values of a matrix
   whose elements are in the local basis. NULL where the DM has none. *reason: why there is one that cannot be applied
   here, the same on all processes; basis NULL: it is asked for alone. Collective */
typedef struct _n_PlexBasis       *PlexBasis;
typedef struct _n_PlexBasisBlocks *PlexBasisBlocks; /* the blocks of a pattern that are transformed */
PETSC_EXTERN PetscErrorCode        PlexBasisCreate(DM, PlexBackend, PlexBasis *basis, char **reason);
PETSC_EXTERN PetscErrorCode        PlexBasisDestroy(PlexBasis *);
/* Whether it was made of these blocks, those of the DM */
PETSC_EXTERN PetscErrorCode PlexBasisIsOf(PlexBasis, Vec transform, PetscBool *);
/* From the local basis to the global one, or back, where the vector lives */
PETSC_EXTERN PetscErrorCode PlexBasisTransformVec(PlexBasis, PetscBool global, Vec);
PETSC_EXTERN PetscErrorCode PlexBasisBlocksCreate(PlexBasis, PlexPattern, PlexBasisBlocks *);
PETSC_EXTERN PetscErrorCode PlexBasisBlocksDestroy(PlexBasisBlocks *);
/* The values of the matrix's diagonal and off-diagonal block, in the backend's memory */
PETSC_EXTERN PetscErrorCode PlexBasisTransformMat(PlexBasis, PlexBasisBlocks, PetscScalar A[], PetscScalar O[]);

/* ------------------------------------------------------------------------------------------------------------------
   Partitions of a mesh
   ------------------------------------------------------------------------------------------------------------------ */

/* Parts of the elements, kept so that residual and Jacobian share them where their limits agree */
typedef struct {
  PetscInt  maxElements; /* the limit that they were made with; 0: there are none yet */
  PlexLists elements;
} PlexParts;
