/*
  The inside of the nodal discontinuous Galerkin operator: what a system of equations, or a way to compute its right-hand side, is made
  of. Include this to write one of your own; docs/dg.md shows how.

  Index spaces, used throughout:
    e in [0, Ne)     element of this process: the first Ninterior of them have no face that another process has too
    i, j in [0, Np)  node of an element
    m in [0, Nfp)    node of a face
    a in [0, dim)    reference coordinate, -1 <= r_a, sum of (1 + r_a) <= 2
    d in [0, dim)    coordinate
    f in [0, faces)  face of an element, faces = dim + 1: f < dim opposite vertex f + 1, f = dim opposite vertex 0
    k in [0, Nf)     field
    trace            one side of a face: e * faces + f

  Vertex 0 of the reference element is (-1, ..., -1), vertex a + 1 differs from it in r_a = 1. The state is [Ne][Nf][Np].
*/
#pragma once

#include <plexgpu/impl.h>
#include <dg/dg_args.h>
#include <dg/fused_args.h>

/* ------------------------------------------------------------------------------------------------------------------
   Reference element. src/dg/nodal/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_DG_MAX_DEGREE 9
#define PLEX_DG_MAX_FIELDS 16
#define PLEX_DG_MAX_TURNS  6 /* permutations of a face's vertices: dim! */

typedef struct _n_PlexDGReference *PlexDGReference;
struct _n_PlexDGReference {
  PetscInt   dim, N, Np, Nfp, faces, turns;
  PetscReal *lambda;    /* [Np][dim + 1] barycentric coordinates of the nodes */
  PetscReal *r;         /* [Np][dim] */
  PetscReal *V, *Vinv;  /* [Np][Np] orthonormal polynomial j at node i, and the inverse */
  PetscReal *M;         /* [Np][Np] mass matrix */
  PetscReal *Mface;     /* [Nfp][Nfp] mass matrix of a face of edges of length 2 along its coordinates */
  PetscReal *D;         /* [dim][Np][Np] dl_j/dr_a at node i, row i */
  PetscReal *L;         /* [Np][faces][Nfp] M^-1 times the faces' mass matrices: L^k of equation 4 is this times Fscale of each face */
  int       *faceNodes; /* [faces][Nfp] the element's nodes on a face, in the order of the face's vertices, which ascend */
  int       *turn;      /* [turns][Nfp] which node of the other side lies at node m, where vertex v of this side is vertex p(v) of the other;
                           permutations p in ascending order */
};
PETSC_EXTERN PetscErrorCode PlexDGReferenceCreate(PetscInt dim, PetscInt degree, PlexDGReference *);
PETSC_EXTERN PetscErrorCode PlexDGReferenceDestroy(PlexDGReference *);
/* Basis at any points: B[n][Np] = l_j(r_n), points[n][dim] */
PETSC_EXTERN PetscErrorCode PlexDGReferenceInterpolate(PlexDGReference, PetscInt n, const PetscReal points[], PetscReal B[]);
/* Warp-and-blend nodes (Warburton 2006): lambda[Np][dim + 1], the multi-index of node i in index[Np][dim + 1] (NULL: not wanted).
   Index (N - a - b - c, a, b, c), a fastest, then b, then c. */
PETSC_EXTERN PetscErrorCode PlexDGNodes(PetscInt dim, PetscInt degree, PetscReal lambda[], PetscInt index[]);
PETSC_EXTERN PetscInt       PlexDGNodesSize(PetscInt dim, PetscInt degree); /* (N + dim choose dim) */
/* Number of a permutation of dim vertices, as PlexDGReference.turn has them */
PETSC_EXTERN PetscInt PlexDGTurnNumber(PetscInt dim, const PetscInt p[]);

/* ------------------------------------------------------------------------------------------------------------------
   Mesh: elements, what lies across their faces, traces that travel between processes. src/dg/interface/mesh.c
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexDGMesh *PlexDGMesh;
struct _n_PlexDGMesh {
  DM         dm; /* not owned */
  PetscInt   dim, faces;
  PetscInt   Ne, Ninterior;
  PetscInt   NeGlobal;
  PetscInt  *cells;      /* [Ne] DMPlex points; interior ones first, both kinds along a curve */
  PetscReal *x;          /* [Ne][dim + 1][dim] vertices, in the order of the reference element */
  PetscReal *rx;         /* [Ne][dim][dim] dr_a/dx_d. Outward normal of face a times Fscale: -rx[a], and the sum of all rx[a] of face dim */
  PetscReal *detJ;       /* [Ne] determinant of dx/dr, positive */
  int       *links;      /* [Ne][faces] as PlexDGArgs has them */
  PetscInt   nghosts;    /* traces sent, and as many received: each face between two processes */
  int       *sent;       /* [nghosts] the own trace that ghost g lies across */
  PetscSF    sf;         /* roots: traces sent; leaves: traces received */
  PetscInt   nfacets;    /* faces on the boundary */
  int       *facet;      /* [nfacets] their traces */
  PetscInt  *facetPoint; /* [nfacets] DMPlex points */
};
/* An element with non-positive Jacobian, or one that is no simplex: an error that names it */
PETSC_EXTERN PetscErrorCode PlexDGMeshCreate(DM, PlexDGMesh *);
PETSC_EXTERN PetscErrorCode PlexDGMeshDestroy(PlexDGMesh *);

/* ------------------------------------------------------------------------------------------------------------------
   Systems: u_t + div F(u) = s. Pointwise functions in one header, for the host and for kernels. src/dg/systems/, cuda/dg/systems/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_DG_MAX_PARAMETER 4 /* numbers of one */

typedef struct {
  const char *name;                         /* of the option too: -plex_dg_<name> */
  PetscInt    n;                            /* numbers; of a coefficient one */
  PetscReal   value[PLEX_DG_MAX_PARAMETER]; /* where nothing else is set */
} PlexDGParameter;

/* Elements for the host's loops; arrays of reals are in the operator's precision, and begin with the first of the n elements */
typedef struct {
  PetscInt    n, Np, Nfp;
  PetscInt    first;     /* number of the first element */
  const void *U;         /* [n][Nf][Np] */
  const void *dU;        /* [n][Nf][dim][Np] reference derivatives */
  void       *R;         /* [n][Nf][Np] */
  void       *G;         /* [n][Nf][dim][Np] fluxes along the reference coordinates; where the system is in flux form, in place of dU */
  void       *F;         /* [n][Nf][faces][Nfp] */
  const int  *faceNodes; /* [faces][Nfp] */
  const int  *meet;      /* [faces + 1][turns][Nfp] the node of the other element, whose face it is, at node m; face `faces`: that of a received trace */
  const void *lambda;    /* [Np][dim + 1] */
} PlexDGHostBlock;

/* A system's pointwise functions, and loops over elements around them: made by plexgpu/dg_system.h, for each dimension and precision */
typedef struct {
  PetscInt  Nf, NK, NC;
  PetscInt  NB;                                                           /* numbers of a face that dg_prepare() computes; or 0 */
  PetscInt  NW, NA, NE;                                                   /* fields, sums and an element's numbers of the system's own reference form, cuda/dg/form.cuh; or 0 */
  PetscBool positions;                                                    /* boundary conditions or sources ask for the position */
  void (*volume)(const PlexDGArgs *, const PlexDGHostBlock *);            /* R from U and dU; NULL in flux form: */
  void (*flux)(const PlexDGArgs *, const PlexDGHostBlock *);              /* G from U, to be differentiated in place of the fields */
  void (*addsource)(const PlexDGArgs *, const PlexDGHostBlock *);         /* to R; NULL: none */
  void (*faces)(const PlexDGArgs *, const PlexDGHostBlock *);             /* F = Fscale times equation 5, of all faces */
  double (*speed)(const double u[], const double k[], const double c[]);  /* largest of characteristics */
  double (*energy)(const double u[], const double k[], const double c[]); /* density */
} PlexDGHost;

struct _n_PlexDGSystem {
  char                    *name;
  PetscInt                 dim;
  PetscInt                 Nf;
  const char *const       *fields;        /* [Nf] names */
  PetscInt                 ncoefficients; /* NK: numbers of an element */
  const PlexDGParameter   *coefficients;
  PetscInt                 nconstants; /* parameters of the whole; NC is the sum of their n */
  const PlexDGParameter   *constants;
  PetscInt                 nkinds; /* boundary conditions */
  const char *const       *kinds;
  const char              *source;                                     /* the header of pointwise functions: in the folder of device sources, or a path */
  const PlexDGHost *const *host;                                       /* [2] by PlexPrecision; plexgpu/dg_system.h */
  PetscErrorCode (*choose)(PlexDGSystem, const PetscReal constants[]); /* another source and host by the constants, of which these may read the first ones alone; NULL: none */
};
/* Those that systems of a user's own build on: docs/dg.md */
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate(const char name[], PetscInt dim, PlexDGSystem *);
PETSC_EXTERN PetscErrorCode PlexDGSystemDestroy(PlexDGSystem *);

/* ------------------------------------------------------------------------------------------------------------------
   The operator, and the types (ways) that compute it. src/dg/interface/, src/dg/impls/
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  char    *label; /* NULL: all that no other condition holds */
  PetscInt value; /* PETSC_DETERMINE: any */
  char    *kind;
} PlexDGCondition;

/* A kernel of a right-hand side, of all elements: what it moves at least, and the flops of its products with reference matrices */
typedef struct {
  const char *name; /* NULL: there are no more */
  double      bytes, flops;
} PlexDGPart;

typedef struct _PlexDGOps *PlexDGOps;
struct _PlexDGOps {
  PetscErrorCode (*setup)(PlexDG);                                              /* once mesh, reference element, system and args are there */
  PetscErrorCode (*rhs)(PlexDG, const PlexDGArgs *);                            /* r of the elements begin .. end from u; launches, and waits for nothing */
  PetscErrorCode (*stage)(PlexDG, const PlexDGArgs *, const PlexDGStage *);     /* a stage of a low-storage scheme in their place; NULL: none */
  PetscErrorCode (*part)(PlexDG, const PlexDGArgs *, PetscInt k, PlexDGPart *); /* describes kernel k of a right-hand side, and launches it alone unless args is NULL; NULL: it is one kernel */
  PetscErrorCode (*reset)(PlexDG);
  PetscErrorCode (*view)(PlexDG, PetscViewer);
};

typedef struct _n_PlexDGExchange *PlexDGExchange;
typedef struct _n_PlexDGEnergy   *PlexDGEnergy;

struct _p_PlexDG {
  PETSCHEADER(struct _PlexDGOps);
  DM            dm;
  void         *data; /* of the type */
  PetscInt      degree;
  PlexPrecision precision;
  char         *backendType, *asked; /* the type that was asked for; NULL: auto */
  PetscReal     cfl;
  PetscInt      checkSteps; /* steps of a TS between two looks at the state's norm; 0: none */
  PetscReal     norm;       /* at the last look */
  PetscInt      growths;    /* looks in a row that found it much larger */
  PetscObjectId monitored;  /* the TS that has the monitors of the options */
  PetscReal     stable;     /* the default time step when the TS was given the operator, of the factor 1 */

  PlexDGCondition *conditions; /* [nconditions] the last one that holds for a facet is taken */
  PetscInt         nconditions;

  PlexDGSystem         system;                      /* NULL: none set yet */
  PetscReal           *constants;                   /* [NC] */
  PetscReal            uniform[PLEX_DG_MAX_FIELDS]; /* coefficients, where there is no function */
  PlexDGCoefficientFn *coefficient;                 /* or NULL */
  void                *coefficientCtx;

  PetscBool       setUp; /* what follows is there */
  PlexBackend     backend;
  PlexDGReference reference;
  PlexDGMesh      mesh;
  PlexDGExchange  exchange;     /* NULL: one process */
  PlexDGEnergy    energy;       /* NULL until energy is asked for where there are kernels */
  PetscReal      *coefficients; /* [Ne + nghosts][NK] */
  int            *kinds;        /* [nfacets] */
  PlexDGArgs      args;         /* all but u, r, t, begin and end; in the backend's memory */
  void           *memory[16];   /* what is to be freed of it */
  PetscInt        nmemory;
  PlexArray       arrayU, arrayR;
  PetscInt        evaluations;
};

/* A stage of a low-storage scheme, at time t, on arrays of the backend's memory */
PETSC_EXTERN PetscErrorCode PlexDGComputeStage(PlexDG, PetscReal t, const PlexDGStage *);
/* Kernel k of the right-hand side alone, to be timed: r is only right where all are computed in their order. part->name is NULL where there are no more */
PETSC_EXTERN PetscErrorCode PlexDGComputePart(PlexDG, PetscReal t, Vec U, Vec R, PetscInt k, PlexDGPart *part);
/* Sizes, tables and the system's functions as a text, then #include "file", a source in cuda/; compiled with what `defines` adds */
PETSC_EXTERN PetscErrorCode PlexDGCompile(PlexDG, const char file[], PetscInt ndefines, const char *const defines[], PlexModule *);
/* Copies bytes, or numbers in the operator's precision, to the backend's memory, until PlexDGReset() */
PETSC_EXTERN PetscErrorCode PlexDGUpload(PlexDG, const void *values, size_t bytes, const void **);
PETSC_EXTERN PetscErrorCode PlexDGUploadReals(PlexDG, size_t n, const PetscReal values[], const void **);
