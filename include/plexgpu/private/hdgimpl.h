/*
  The inside of the hybridized discontinuous Galerkin discretization: what a way to compute it is made of.

  Index spaces, used throughout:
    e in [0, Ne)     element of this process: first those whose map is not affine, then affine ones, along a curve each
    f in [0, faces)  face of an element, as DMPlex has them in its cone
    i in [0, Np)     function of an element, orthonormal on the reference element
    m in [0, Nf)     function of a face, orthonormal on the reference face
    a in [0, dim)    reference coordinate; d, k, l in [0, dim) coordinate
    t in [0, turns)  how an element sees a face, of the ways that occur: orientation turnOf[t] - allTurns / 2 of PETSc
    l in [0, nown + nghost + nfixed) face of this process: with unknowns of its own, with those of another process, with
                                     known trace
    block row        (e, f), then those received of other processes: Nf rows of an element's K

  Cells are PETSc's reference cells, all coordinates from -1 on.
*/
#pragma once

#include <plexgpuhdg.h>
#include <plexgpu/private/meshimpl.h>
#include <hdg/hdg_args.h>

#define PLEX_HDG_MAX_DEGREE 9
#define PLEX_HDG_MAX_FACES  6

/* ------------------------------------------------------------------------------------------------------------------
   Reference element. src/hdg/reference.c
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexHDGReference *PlexHDGReference;
struct _n_PlexHDGReference {
  DMPolytopeType cell, face;
  PetscInt       dim, P, Np, Nf, faces;
  PetscInt       trace;           /* degree of the faces' functions: P, or more beside an element of higher degree */
  PetscInt       turns, allTurns; /* ways in which elements see faces: those that occur, all */
  PetscInt       turnOf[8];       /* [turns] ascending, of all */
  PetscInt       Nt;              /* functions of all faces of an element */
  PetscInt       Npost;           /* functions of degree P + 1 */
  PetscInt       nab;     /* dim (dim + 1)/2, pairs a <= b: (0,0) (0,1) (1,1), or (0,0) (0,1) (0,2) (1,1) (1,2) (2,2) */
  PetscInt       axes[4]; /* the vertex where all coordinates are -1, and those where one of them is 1 */
  /* outward, as long as an element of the face over one of the reference face */
  PetscReal  normal[PLEX_HDG_MAX_FACES][3];
  PetscInt   Nq, Nqf;          /* quadrature points of an element, of a face */
  PetscReal *points, *weights; /* [Nq][dim], [Nq] */
  PetscReal *pointsTrace;      /* [Nqf][dim - 1] of the reference face */
  /* [faces][Nqf][dim], [Nqf]: the order of the cell's vertices, not of the face's own */
  PetscReal *pointsFace, *weightsFace;
  PetscReal *phi, *dphi;         /* [Nq][Np], [dim][Nq][Np] */
  PetscReal *phiPost, *dphiPost; /* [Nq][Npost], [dim][Nq][Npost] */
  PetscReal *phiFace;            /* [faces][Nqf][Np] */
  PetscReal *psi;                /* [turns][Nqf][Nf] */
  /* of affine elements: */
  PetscReal *D; /* [dim][Np i][Np j] (phi_i, d phi_j/dr_a) */
  PetscReal *S; /* [nab][Np][Np] D_a D_b^T, for a < b with the transposed */
  PetscReal *E; /* [faces][Np][Np] <phi_i, phi_j> */
  PetscReal *F; /* [faces][turns][Np][Nf] <phi_i, psi_m> */
  PetscReal *H; /* [dim][faces][turns][Np][Nf] D_a F */
  /* [faces][turns][faces][turns][Nf][Nf] F^T F of those pairs that an element has, else zero */
  PetscReal *T;
  PetscReal *Spost; /* [nab][Npost][Npost] (d phi_i/dr_a, d phi_j/dr_b), for a < b with the transposed */
  PetscReal *Ppost; /* [dim][Npost][Np] (d phi*_i/dr_a, phi_j) */
};
PETSC_EXTERN PetscErrorCode PlexHDGReferenceCreate(DMPolytopeType, PetscInt degree, PlexHDGReference *);
/* With a trace of its own degree, at least that of the element */
PETSC_EXTERN PetscErrorCode PlexHDGReferenceCreateTrace(DMPolytopeType, PetscInt degree, PetscInt trace,
                                                        PlexHDGReference *);
/* The ways in which elements see faces that occur[allTurns]; number[allTurns] of those becomes their place among them */
PETSC_EXTERN PetscErrorCode PlexHDGReferenceSetTurns(PlexHDGReference, const PetscBool occurs[], int number[]);
/* Tables of affine elements, after that; turns[Ne][faces] of a mesh */
PETSC_EXTERN PetscErrorCode PlexHDGReferenceSetTables(PlexHDGReference, PetscInt Ne, const int turns[]);
/* psi[turns][Nqf][n] functions of a face of some degree at the points that an element has there, after that */
PETSC_EXTERN PetscErrorCode PlexHDGReferenceFaceBasis(PlexHDGReference, PetscInt degree, PetscReal psi[]);
PETSC_EXTERN PetscErrorCode PlexHDGReferenceDestroy(PlexHDGReference *);
/* C[m][n] = sum_q w[q] A[q][m] B[q][n] */
PETSC_EXTERN void PlexHDGReferenceMoments(PetscInt Nq, const PetscReal w[], PetscInt m, const PetscReal A[], PetscInt n,
                                          const PetscReal B[], PetscReal C[]);
/* S[nab][n][n] of functions with gradients dphi[dim][Nq][n], as PlexHDGReference has it */
PETSC_EXTERN PetscErrorCode PlexHDGReferenceStiffness(PlexHDGReference, PetscInt n, const PetscReal dphi[],
                                                      PetscReal S[]);
/* phi[n][Np] of a cell at points[n][dim], and dphi[dim][n][Np] unless it is NULL */
PETSC_EXTERN PetscErrorCode PlexHDGBasis(DMPolytopeType, PetscInt degree, PetscInt n, const PetscReal points[],
                                         PetscReal phi[], PetscReal dphi[]);
PETSC_EXTERN PetscInt       PlexHDGBasisSize(DMPolytopeType, PetscInt degree);
/* Gauss-Legendre points, collapsed on simplices: exact to degree 2 n - 1. PetscFree() both */
PETSC_EXTERN PetscErrorCode PlexHDGQuadrature(DMPolytopeType, PetscInt n, PetscInt *Nq, PetscReal **points,
                                              PetscReal **weights);
/* Weights of a face's vertices at a point of the reference face, and how many there are: N[4] */
PETSC_EXTERN PetscInt PlexHDGFaceWeights(DMPolytopeType face, const PetscReal s[], PetscReal N[]);
/* Where points[n][dim - 1] of face f lie in the cell, x[n][dim] */
PETSC_EXTERN PetscErrorCode PlexHDGFacePoints(DMPolytopeType, PetscInt f, PetscInt n, const PetscReal points[],
                                              PetscReal x[]);

/* ------------------------------------------------------------------------------------------------------------------
   Mesh. src/hdg/mesh.c
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexHDGMesh *PlexHDGMesh;
struct _n_PlexHDGMesh {
  DM             dm; /* not owned */
  DMPolytopeType cell;
  PetscInt       dim, faces;
  PetscInt       Ne, NeGlobal;
  PetscInt      *cells;         /* [Ne] DMPlex points */
  PetscInt       nmapped;       /* elements that come first: by quadrature, with nodes */
  PetscInt       nmappedGlobal; /* of all processes */
  PetscBool      affine;        /* all elements of all processes are */
  PetscFE        fe;            /* of the coordinates */
  PetscInt       Nv; /* nodes of the coordinates an element that is not affine; dim + 1 where there is none */
  /* [nmapped][Nv][dim] nodes, then [Ne - nmapped][dim + 1][dim] vertices of affine elements, reference->axes */
  PetscReal *x;
  int       *turns; /* [Ne][faces] */
  int       *face;  /* [Ne][faces] number l */
  PetscInt   nown, nghost, nfixed;
  /* faces with unknowns of all processes; global number of the first own one, the others follow */
  PetscInt  nownGlobal, first;
  PetscInt *facePoint;  /* [nown + nghost + nfixed] DMPlex points */
  PetscInt *faceGlobal; /* [nown + nghost] global numbers, ghosts ascending */
  PetscInt  nboundary;
  int      *boundary;     /* [nboundary] block rows on the boundary of the domain */
  int      *condition;    /* [nboundary] number of the condition that holds */
  PetscInt  nsent;        /* block rows whose unknowns another process has */
  int      *sent;         /* [nsent] */
  PetscInt  nreceived;    /* block rows of others' elements for own unknowns */
  int      *receivedFace; /* [nreceived] number l */
  /* [nreceived][faces] global numbers of the columns' faces, -1 where the trace is known */
  PetscInt *receivedFaces;
  PetscSF   sf; /* roots: block rows sent; leaves: those received */
};

static inline PetscBool PlexHDGMeshIsAffine(PlexHDGMesh mesh, PetscInt e)
{
  return (PetscBool)(e >= mesh->nmapped);
}

/* Numbers that nodes of elements that are not affine have more than vertices would: at x + that affine element e has its
   vertices at place e (dim + 1) dim */
static inline size_t PlexHDGMeshAffineOffset(PlexHDGMesh mesh)
{
  return (size_t)mesh->nmapped * (mesh->Nv - mesh->dim - 1) * mesh->dim;
}

/* Numbers of x */
static inline size_t PlexHDGMeshSizeX(PlexHDGMesh mesh)
{
  return PlexHDGMeshAffineOffset(mesh) + (size_t)mesh->Ne * (mesh->dim + 1) * mesh->dim;
}

/* Place of element e in x */
static inline size_t PlexHDGMeshPlaceX(PlexHDGMesh mesh, PetscInt e)
{
  return PlexHDGMeshIsAffine(mesh, e) ? PlexHDGMeshAffineOffset(mesh) + (size_t)e * (mesh->dim + 1) * mesh->dim
                                      : (size_t)e * mesh->Nv * mesh->dim;
}

/* An error where so many elements on a process have more numbers than 32-bit indices count */
PETSC_EXTERN PetscErrorCode PlexHDGCheckSizes(PlexHDGReference, PetscInt Ne);

/* ------------------------------------------------------------------------------------------------------------------
   The discretization, and the ways that compute it. src/hdg/
   ------------------------------------------------------------------------------------------------------------------ */

/* Pointwise functions of PETSc that a program gives, by what they are of */
typedef enum {
  PLEX_HDG_POINT_SOURCE,
  PLEX_HDG_POINT_COEFFICIENTS,
  PLEX_HDG_POINT_KAPPA,
  PLEX_HDG_POINT_VELOCITY,
  PLEX_HDG_POINTS
} PlexHDGPointRole;

typedef struct {
  PetscPointFn *func;  /* or NULL */
  PetscPointFn *slope; /* of kappa(u), its derivative; or NULL */
  PetscInt      n;
  PetscScalar  *constants; /* [n] */
} PlexHDGPoint;

/* Likewise of a condition */
typedef struct {
  PlexHDG         hdg;
  PetscBdPointFn *func;
  PetscInt        n;
  PetscScalar    *constants; /* [n] */
} PlexHDGBoundaryPoint;

typedef struct {
  char                 *label; /* NULL: all that no other condition holds */
  PetscInt              value; /* PETSC_DETERMINE: any */
  PlexHDGBoundary       kind;
  int                   held; /* bits of components whose trace is known though the others' is not; 0: none */
  PlexHDGBoundaryFn    *func; /* NULL: zero */
  void                 *ctx;
  PlexHDGBoundaryPoint *point; /* what func calls, or NULL: func is a function of the program */
} PlexHDGCondition;

/* What has to be evaluated again, bits of PlexHDG.stale */
#define PLEX_HDG_STALE_SOURCE       1
#define PLEX_HDG_STALE_BOUNDARY     2
#define PLEX_HDG_STALE_COEFFICIENTS 4 /* and tau */
/* All that functions give is that of another time: K is as it was unless some of its numbers are others */
#define PLEX_HDG_STALE_TIME 8

/* Numbers of K that functions give, and that are compared with those of another time */
typedef enum {
  PLEX_HDG_VALUES_KAPPA,
  PLEX_HDG_VALUES_REACTION,
  PLEX_HDG_VALUES_TAU,
  PLEX_HDG_VALUES_POINTS,
  PLEX_HDG_VALUES_FLOW,
  PLEX_HDG_VALUES_FLOW_FACE,
  PLEX_HDG_VALUES
} PlexHDGValues;

/* All arrays of args in the backend's memory; launches, and waits for nothing */
typedef struct _PlexHDGOps *PlexHDGOps;
struct _PlexHDGOps {
  PetscErrorCode (*setup)(PlexHDG);
  PetscErrorCode (*condense)(PlexHDG, const PlexHDGArgs *); /* K of elements begin .. end, and factor */
  PetscErrorCode (*local)(PlexHDG, const PlexHDGArgs *);    /* u, q and b of f and the trace */
  PetscErrorCode (*post)(PlexHDG, const PlexHDGArgs *);     /* star of u and q */
  /* values of some blocks, in both parts of the matrix, from entries low .. high of the elements' matrices, of which K
     begins with the first; what comes later is added to what came before */
  PetscErrorCode (*assemble)(PlexHDG, PetscInt nblocks, const PlexHDGBlock blocks[], const double K[], PetscInt64 low,
                             PetscInt64 high, double A[], double B[]);
  PetscErrorCode (*gather)(PlexHDG, const double b[], double rhs[]); /* sums of block rows, and the boundary's part */
  /* those of block rows begin .. end that are sent, [nsent][width]; rows starts with `begin` */
  PetscErrorCode (*pack)(PlexHDG, PetscInt width, const double rows[], PetscInt begin, PetscInt end, double sent[]);
  PetscErrorCode (*residual)(PlexHDG, const PlexHDGArgs *); /* r, q and b of u and the trace */
  PetscErrorCode (*flow)(PlexHDG, const double b[], const double trace[], double r[]); /* the trace's residual of b */
  PetscErrorCode (*spread)(PlexHDG, const PlexHDGArgs *); /* of Navier-Stokes equations, traces of all elements */
  PetscErrorCode (*renew)(PlexHDG); /* kappa, lambda or tau have changed; NULL: nothing is made of them beforehand */
  PetscErrorCode (*reset)(PlexHDG);
  PetscErrorCode (*view)(PlexHDG, PetscViewer);
};

typedef struct _n_PlexHDGCoarse    *PlexHDGCoarse;    /* src/hdg/coarse.c */
typedef struct _n_PlexHDGGroups    *PlexHDGGroups;    /* src/hdg/groups.h */
typedef struct _n_PlexHDGTrace     *PlexHDGTrace;     /* src/hdg/trace.h */
typedef struct _n_PlexHDGFunctions *PlexHDGFunctions; /* src/hdg/points.h */
typedef struct _n_PlexHDGElastic   *PlexHDGElastic;   /* src/hdg/elastic.h */
typedef struct _n_PlexHDGStokes    *PlexHDGStokes;    /* src/hdg/stokes.h */
typedef struct _n_PlexHDGNavier    *PlexHDGNavier;    /* src/hdg/navier.h */

/* Types that a level's solver, which has the id, was given; NULL: none yet. Where it has others they are the program's; own: its
   preconditioner is not */
typedef struct {
  PetscObjectId id;
  KSPType       iteration;
  PCType        type;
  PetscBool     own;
} PlexHDGLevel;

struct _p_PlexHDG {
  PETSCHEADER(struct _PlexHDGOps);
  DM         dm;
  void      *data; /* of the way to compute it */
  PetscInt   degree;
  char      *backendType;
  PetscBool3 keep;        /* factors of the local problems; unknown: where they cost much */
  PetscInt   tile;        /* elements whose matrices are there at once; 0: as many as memory has room for */
  PetscInt64 memoryLimit; /* bytes for them; 0: half of what is free */
  PetscBool  sell;        /* products with K by a matrix of type SELL */
  PetscInt   local;  /* products with K by K or by the elements' matrices, PLEX_HDG_TRACE_AIJ and others; trace.h */
  PetscBool  mapped; /* affine elements are computed as others are */
  PetscBool3 lines;  /* smoother along lines of elements; unknown: where many are anisotropic, on the host */
  PetscBool3 units;  /* eliminations on tensor cores; unknown: where a GPU has them */
  PetscBool3 rounded; /* the smoother's products are by rounded matrices of elements; unknown: yes, where there is no K */
  /* tau is that of all faces, else it follows kappa, lambda and lengths, times tauFactor */
  PetscBool               tauGiven;
  PetscReal               tau, tauFactor;
  PlexHDGStabilizationFn *stabilization; /* or NULL */
  void                   *stabilizationCtx;
  PlexHDGSystem           system;
  PlexHDGMaterialFn      *material; /* or NULL: lame[] */
  void                   *materialCtx;
  PetscReal               lame[2];         /* lambda, mu, which is the viscosity of Stokes's equations */
  PetscBool               lameForced;      /* by an option: in the place of what the function says */
  PetscBool               symmetricStress; /* of Stokes's equations: 2 mu eps(u), else mu grad u */
  PetscBool               viscosityForced; /* by an option, likewise */
  PetscReal               density;         /* of Navier-Stokes equations */
  PetscInt                picard;          /* first steps of Newton's method that are Picard's */
  PlexHDGTransport        transport;       /* of their convection */
  SNES                    snes;            /* of PlexHDGSolve(), or NULL */
  PlexHDGCoefficientFn   *coefficient;     /* or NULL: kappa, reaction */
  void                   *coefficientCtx;
  PetscReal               kappa, reaction;
  PetscBool               kappaForced, reactionForced; /* by options: in the place of what functions say */
  PlexHDGPointFn         *point;                       /* or NULL: kappa at points */
  void                   *pointCtx;
  PetscBool               nonlinear;  /* and it depends on u */
  PetscBool               convects;   /* there is convection, by */
  PlexHDGConvectionFn    *convection; /* or NULL: velocity everywhere */
  void                   *convectionCtx;
  PlexHDGConvection       convectionForm;
  PetscReal               velocity[3];
  PetscReal              *time;   /* or NULL: written before functions are asked */
  PlexHDGFn              *source; /* or NULL */
  void                   *sourceCtx;
  /* where one has a function, that of the program above is one which calls it */
  PlexHDGPoint      points[PLEX_HDG_POINTS];
  char             *sourceFiles; /* that define them; NULL: they are called on the host */
  PlexHDGCondition *conditions;  /* [nconditions] the last one that holds for a facet is taken */
  PetscInt          nconditions;
  int              *degrees;  /* [cells of the mesh] of elements, which have several; NULL: all have `degree` */
  PetscInt          types[2]; /* least and largest DMPolytopeType of all cells; -1: not known yet */

  int       stale;   /* what is to be evaluated again before the next use */
  PetscBool setUp;   /* what follows is there */
  PetscBool asked;   /* PlexHDGAssemble() was asked for K, or the solver takes its values */
  PetscBool solving; /* the trace's equations are being solved */
  PetscBool without; /* K is not made */
  /* of the preconditioner's finest level, before and behind the coarse one, src/hdg/smoother.c, and of the coarse one, below.c */
  PlexHDGLevel     smoother[2], below;
  PlexBackend      backend;
  PlexHDGReference reference;
  PlexHDGMesh      mesh;
  PetscReal       *nodesReference; /* [Np][dim] nodes of PlexHDGGetNodes() on the reference element, */
  PetscReal       *nodes;          /* [Ne][Np][dim] and their positions; NULL: not asked for yet, both */
  PetscBool        reacts;         /* lambda is not zero in some element of this process */
  PetscBool        indefinite;     /* it is negative in some element of any process */
  PetscBool        circulates;     /* the flow passes no face of the boundary, on any process */
  PetscReal        speed;          /* largest |beta| at a point of any process */
  PetscBool        holds;          /* a facet of this process is Dirichlet's, or Robin's with some alpha */
  PetscBool        singular;       /* neither on any process: the trace may be moved by a constant */
  PetscBool        kept;           /* factors of some elements are kept, on some process */
  PetscInt         nkept;          /* of so many, the first ones: none, those that are not affine, or all */
  PetscReal        length;         /* of the domain, src/hdg/coefficients.c */
  PetscReal        tauRange[2];    /* least and largest tau of this process */
  PetscReal *
    last[PLEX_HDG_VALUES]; /* where functions may give others at another time the numbers that K has; NULL: not known */
  PetscBool        renewed;   /* some have got others since this was set to false; of this process */
  PetscBool        evaluated; /* functions have been asked at `now` */
  PetscReal        now;
  PetscReal       *reactions;    /* [Ne] lambda, where tau follows kappa(u); else NULL; on the host */
  PetscReal       *taus;         /* [Ne][faces] likewise */
  PetscBool        assembled;    /* the matrix is, and the factors are there */
  PlexHDGArgs      args;         /* but for what changes with a call */
  PlexMemory       memory;       /* what is to be freed of it */
  PetscInt         tileElements; /* of which K has the matrices: Ne where there is one tile */
  double          *K;       /* [block rows of a tile][Nf][Nt] in the backend's memory, while the matrix is assembled */
  PetscInt         nblocks; /* of the matrix */
  PlexHDGBlock    *blocks;  /* [nblocks] in the backend's memory */
  PetscInt        *blockStart;  /* [nown + 1] those of a face; on the host */
  PetscInt        *blockColumn; /* [nblocks] global number of the column's face; likewise */
  PetscInt         nlate;       /* of them those with a part of another process's element */
  PlexHDGBlock    *late;        /* [nlate] copies, likewise */
  double          *robin;       /* [nrobin][Nf][Nf] matrices of Robin's conditions, likewise */
  PetscReal       *robinHost;   /* the same on the host */
  double          *moments;     /* [Ne][Np] of the source, likewise; args.f where there is one */
  int             *robinOf;     /* [nown] whose of them a face has, -1: none; on the host */
  int             *robinAt;     /* the same in the backend's memory */
  int             *sides;       /* [nown][2] block rows of a face, -1: none; likewise */
  int             *sent;        /* [nsent] likewise */
  double          *natural;     /* [nown][Nf] right-hand side of Neumann's and Robin's conditions, likewise */
  double          *packed;      /* [nsent][Nf Nt] likewise */
  PetscBool        keepK;       /* K stays between assemblies */
  PetscScalar     *staged[2];   /* [nsent][Nf Nt], [nreceived][Nf Nt] on the host, pinned */
  MPI_Datatype     rows[2];     /* Nf numbers, Nf Nt numbers, where there are several processes */
  Mat              A;
  Mat              operator;           /* A in SELL, or NULL */
  PetscObjectState operatorState;      /* of A, whose copy it is */
  Vec              trace, rhs, ghosts; /* [nown Nf], [nown Nf], [nghost Nf] */
  VecScatter       scatter;
  Vec              u, q, star;
  Vec              delta, rest; /* of a step of Newton's method: change of the trace, and its right-hand side */
  KSP              ksp;
  KSPType          kspType;   /* that it has by default */
  PlexHDGCoarse    coarse;    /* of its preconditioner, or NULL */
  PlexHDGTrace     elements;  /* A is what it does; NULL: it is a matrix */
  PlexHDGFunctions functions; /* or NULL */
  PlexHDGElastic   elastic;   /* of elasticity and Stokes's equations; else NULL */
  PlexHDGStokes    stokes;    /* of Stokes's and Navier-Stokes equations; else NULL */
  PlexHDGNavier    navier;    /* of Navier-Stokes equations; else NULL */
  /* of elements of several types or degrees, each group of which is a part; else NULL. mesh then has faces alone, and
     there is no reference element */
  PlexHDGGroups groups;
  PlexHDG       whole; /* of a part: what it is a part of; else NULL */
  PlexArray     arrayA, arrayB, arrayTrace, arrayGhosts, arrayU, arrayQ, arrayStar, arrayRHS, arrayX, arrayXdot, arrayF;
};

/* The coarse space of the preconditioner of type mg, and its kernels; PlexHDGSolve() makes them when it first needs
   them. src/hdg/precondition.c */
PETSC_EXTERN PetscErrorCode PlexHDGCreateCoarse(PlexHDG);

static inline PetscBool PlexHDGIsFluid(PlexHDG hdg)
{
  return (PetscBool)(hdg->system == PLEX_HDG_STOKES || hdg->system == PLEX_HDG_NAVIER_STOKES);
}

/* Components of u, each with a trace */
static inline PetscInt PlexHDGComponents(PlexHDG hdg)
{
  return hdg->system == PLEX_HDG_DIFFUSION ? 1 : hdg->reference->dim;
}

/* Unknowns of a face, [components][Nf]: rows of a block of K */
static inline PetscInt PlexHDGBlockSize(PlexHDG hdg)
{
  return PlexHDGComponents(hdg) * hdg->reference->Nf;
}

/* Unknowns of all faces of an element */
static inline PetscInt PlexHDGTraceSize(PlexHDG hdg)
{
  return PlexHDGComponents(hdg) * hdg->reference->Nt;
}

/* Numbers of an element in vectors of u, and of q, which is the stress of elasticity, [nab][Np], and the gradient of
   Stokes's equations, [dim][dim][Np] */
static inline PetscInt PlexHDGSizeU(PlexHDG hdg)
{
  return hdg->system == PLEX_HDG_DIFFUSION ? hdg->reference->Np : hdg->reference->dim * hdg->reference->Npost;
}

static inline PetscInt PlexHDGSizeQ(PlexHDG hdg)
{
  PlexHDGReference R = hdg->reference;

  return (hdg->system == PLEX_HDG_ELASTICITY ? R->nab : PlexHDGIsFluid(hdg) ? R->dim * R->dim : R->dim) * R->Np;
}

/* K is not symmetric */
static inline PetscBool PlexHDGIsUnsymmetric(PlexHDG hdg)
{
  return (PetscBool)(hdg->nonlinear || hdg->convects);
}

/* Local problems are not symmetric and positive definite: they are eliminated as general matrices */
static inline PetscBool PlexHDGIsGeneral(PlexHDG hdg)
{
  return (PetscBool)(PlexHDGIsUnsymmetric(hdg) || hdg->indefinite);
}

/* Functions give numbers of K, which may be others at another time; those of kappa(u) are asked for at each residual */
static inline PetscBool PlexHDGVaries(PlexHDG hdg)
{
  return (PetscBool)(hdg->time && hdg->system == PLEX_HDG_DIFFUSION &&
                     (hdg->coefficient || hdg->stabilization || hdg->convection || (hdg->point && !hdg->nonlinear)));
}

/* Pivots are looked for, and where they are is kept with the factors: S of kappa(u) alone needs none */
static inline PetscBool PlexHDGHasPivots(PlexHDG hdg)
{
  return (PetscBool)(hdg->convects || hdg->indefinite);
}

/* Doubles that are kept of a general matrix: eliminated, and places of pivots */
static inline PetscInt PlexHDGGeneralSize(PlexHDG hdg)
{
  const PetscInt n = hdg->reference->Np + hdg->reference->Nt;

  return n * n + (PlexHDGHasPivots(hdg) ? hdg->reference->Np : 0);
}

/* Bytes of this process: of all that is kept, factors among it; of the factors; of local matrices at once, while K is
   assembled; of K. tiles: in which these are made */
typedef struct {
  double   kept, factors, local, K;
  PetscInt tiles;
} PlexHDGBytes;
PETSC_EXTERN PetscErrorCode PlexHDGGetBytes(PlexHDG, PlexHDGBytes *);

/* Copies to the backend's memory, or allocates there, until PlexHDGReset() */
PETSC_EXTERN PetscErrorCode PlexHDGUpload(PlexHDG, const void *values, size_t bytes, const void **);
PETSC_EXTERN PetscErrorCode PlexHDGAllocate(PlexHDG, size_t bytes, void **);
