/*
  The inside of the discontinuous Galerkin operator: what a system of equations, or a way to compute its right-hand
  side, is made of. Include this to write one of your own; docs/dgsystem.md shows how.

  Index spaces, used throughout:
    e in [0, Ne)     element of this process: the first Ninterior of them have no face that another process has too
    i, j in [0, Np)  node of an element
    m in [0, Nfp)    node of a face
    a in [0, dim)    reference coordinate, -1 <= r_a, sum of (1 + r_a) <= 2
    d in [0, dim)    coordinate
    f in [0, faces)  face of an element, faces = dim + 1: f < dim opposite vertex f + 1, f = dim opposite vertex 0
    k in [0, Nf)     field
    trace            one side of a face: e * faces + f

  Vertex 0 of the reference element is (-1, ..., -1), vertex a + 1 differs from it in r_a = 1. The state is
  [Ne][Nf][Np].

  DG with quadrature has quadrilaterals and hexahedra, too: vertices (-1, -1), (1, -1), (1, 1), (-1, 1), and face f from
  vertex f to the next one; those four with r_2 = -1, then with r_2 = 1, and faces as DMPlex has them: below, above,
  r_1 = -1, r_1 = 1, r_0 = 1, r_0 = -1.
*/
#pragma once

#include <plexgpudg.h>
#include <plexgpu/private/meshimpl.h>
#include <dg/decay_args.h>
#include <dg/dg_args.h>
#include <dg/curved_args.h>
#include <dg/fused_args.h>
#include <dg/impedance_args.h>
#include <dg/pml_args.h>
#include <dg/pml_constant_args.h>
#include <dg/sources_args.h>
#include <dg/viscous_args.h>

/* ------------------------------------------------------------------------------------------------------------------
   Reference element. src/dg/nodal/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_DG_MAX_DEGREE            9
#define PLEX_DG_MAX_QUADRATURE_DEGREE 10 /* of DG with quadrature */
#define PLEX_DG_MAX_FIELDS            16
/* how two sides of a face may lie: dim! permutations of its vertices; those 8 that keep a quadrilateral's ring */
#define PLEX_DG_MAX_TURNS 8

typedef struct _n_PlexDGReference *PlexDGReference;
struct _n_PlexDGReference {
  PetscInt dim, N, Np, Nfp, faces, turns;
  /* a quadrilateral or hexahedron, polynomials of degree N in each coordinate; lambda, V, M, Mface, D and L are not
     there */
  PetscBool  tensor;
  PetscReal *lambda;   /* [Np][dim + 1] barycentric coordinates of the nodes */
  PetscReal *r;        /* [Np][dim] */
  PetscReal *V, *Vinv; /* [Np][Np] orthonormal polynomial j at node i, and the inverse */
  PetscReal *M;        /* [Np][Np] mass matrix */
  PetscReal *Mface;    /* [Nfp][Nfp] mass matrix of a face of edges of length 2 along its coordinates */
  PetscReal *D;        /* [dim][Np][Np] dl_j/dr_a at node i, row i */
  /* [Np][faces][Nfp] M^-1 times the faces' mass matrices: L^k of equation 4 is this times Fscale of each face */
  PetscReal *L;
  /* [faces][Nfp] the element's nodes on a face, in the order of the face's vertices, which ascend; of quadrilaterals
     along 0 to 1 first, then 0 to 3 */
  int *faceNodes;
  /* [turns][Nfp] which node of the other side lies at node m, where vertex v of this side is vertex p(v) of the other;
     permutations p in ascending order */
  int *turn;
};
PETSC_EXTERN PetscErrorCode PlexDGReferenceCreate(PetscInt dim, PetscInt degree, PlexDGReference *);
PETSC_EXTERN PetscErrorCode PlexDGReferenceDestroy(PlexDGReference *);
PETSC_EXTERN PetscErrorCode PlexDGReferenceCreateTensor(PetscInt dim, PetscInt degree, PlexDGReference *);
/* Basis at any points: B[n][Np] = l_j(r_n), points[n][dim] */
PETSC_EXTERN PetscErrorCode PlexDGReferenceInterpolate(PlexDGReference, PetscInt n, const PetscReal points[],
                                                       PetscReal B[]);
/* Likewise with derivatives dB[dim][n][Np] = dl_j/dr_a(r_n) */
PETSC_EXTERN PetscErrorCode PlexDGReferenceTabulate(PlexDGReference, PetscInt n, const PetscReal points[],
                                                    PetscReal B[], PetscReal dB[]);
/* Vertices of face f, ascending, of a quadrilateral in a ring: vertices[PlexDGFaceSize()] */
PETSC_EXTERN void     PlexDGFaceVertices(PetscInt dim, PetscBool tensor, PetscInt f, PetscInt vertices[]);
PETSC_EXTERN PetscInt PlexDGFaceSize(PetscInt dim, PetscBool tensor);
/* Reference coordinates r[dim] of vertex v */
PETSC_EXTERN void PlexDGVertex(PetscInt dim, PetscBool tensor, PetscInt v, PetscReal r[]);
/* Warp-and-blend nodes (Warburton 2006): lambda[Np][dim + 1], the multi-index of node i in index[Np][dim + 1] (NULL:
   not wanted). Index (N - a - b - c, a, b, c), a fastest, then b, then c. */
PETSC_EXTERN PetscErrorCode PlexDGNodes(PetscInt dim, PetscInt degree, PetscReal lambda[], PetscInt index[]);
PETSC_EXTERN PetscInt       PlexDGNodesSize(PetscInt dim, PetscInt degree); /* (N + dim choose dim) */
/* Number of a permutation of a face's n vertices, as PlexDGReference.turn has them, and the permutation of a number; of
   four vertices those that keep the ring */
PETSC_EXTERN PetscInt PlexDGTurnNumber(PetscInt n, const PetscInt p[]);
PETSC_EXTERN void     PlexDGTurnGet(PetscInt n, PetscInt number, PetscInt p[]);
PETSC_EXTERN PetscInt PlexDGTurns(PetscInt dim, PetscBool tensor);

/* ------------------------------------------------------------------------------------------------------------------
   Mesh: elements, what lies across their faces, traces that travel between processes. src/dg/core/
   ------------------------------------------------------------------------------------------------------------------ */

/* Where facets of the mesh are moved to a surface; curve.c */
typedef struct {
  char          *label;
  PetscInt       value; /* PETSC_DETERMINE: any */
  PlexDGCurveFn *func;  /* NULL: none any more */
  void          *ctx;
  PetscBool      option;   /* of the options, which are taken before those of a program */
  PetscReal      shape[8]; /* numbers of a surface that options name: ctx of their functions */
} PlexDGCurve;

/* Where coefficients vary within cells; ../interface/graded.c */
typedef struct {
  char             *label;
  PetscInt          value; /* PETSC_DETERMINE: any */
  PlexDGMaterialFn *func;  /* NULL: none any more */
  void             *ctx;
} PlexDGGrading;

/* Levels of elements, of time steps of their own: level 0 has the longest step, and each one half of that before;
   src/dg/core/levels.c */
typedef struct _n_PlexDGLevels *PlexDGLevels;
struct _n_PlexDGLevels {
  PetscInt    n;
  PetscInt    cStart;   /* the first cell of the mesh */
  PetscInt   *level;    /* [cells of the mesh of this process] of own ones */
  PetscInt64 *elements; /* [n] of all processes */
  PetscReal   factor;   /* the step of level 0 over that with which all elements are stable */
  PetscReal   saving;   /* evaluations of elements with that step, over those of the levels, in the same time */
};

typedef struct _n_PlexDGMesh *PlexDGMesh;

/* Elements that stand together in the order of a mesh's elements, in nodal DG: of each `window` of them along the curve, 0: of none,
   they are the last ones, so that few blocks of kernels have both kinds. find: which they are, in[Ne], of mesh->cells[Ne] with
   nodes[Ne][nx][dim] */
typedef struct {
  PetscErrorCode (*find)(void *ctx, PlexDGMesh mesh, const PetscReal nodes[], PetscBool in[]);
  void    *ctx;
  PetscInt window;
} PlexDGTogether;

struct _n_PlexDGMesh {
  DM        dm; /* not owned */
  PetscInt  dim, faces, turns;
  PetscBool quadrature; /* elements may be quadrilaterals, hexahedra or curved: DG with quadrature */
  PetscBool tensor;     /* they are quadrilaterals or hexahedra */
  PetscInt  nv;         /* vertices of an element */
  PetscInt  nx;         /* coordinate nodes of an element: vertices alone where sides are straight */
  PetscInt  Ne, Ninterior;
  /* of nodal DG: elements whose maps are not affine, or whose coefficients vary or are beside such ones, the last ones of
     those before Ninterior and of those from there on */
  PetscInt       ncurved[2];
  PlexDGLevels   levels; /* not owned; NULL: all elements have one step */
  PlexDGTogether together;
  /* [4][levels + 1] where the elements of a level begin, in those before Ninterior that are affine, in those that are
     curved, and likewise from there on; behind the last level where such a part ends. PlexDGMeshLevelsN() is `levels` */
  PetscInt  *begins;
  PetscInt   NeGlobal;
  PetscInt  *cells; /* [Ne] DMPlex points; interior ones first, both kinds along a curve */
  PetscReal *x;     /* [Ne][nv][dim] vertices, in the order of the reference element */
  PetscReal *nodes; /* [Ne][nx][dim] coordinate nodes: x, or, of curved elements, those of the coordinate space */
  PetscFE    fe;    /* the coordinate space, of DG with quadrature; else NULL */
  /* of nodal DG where any process has a curved element: polynomials whose nodes are those of the coordinates; else
     NULL */
  PlexDGReference shape;
  PetscReal      *corners; /* [nv][nx] its basis at the vertices, or NULL */
  /* [Ne][dim][dim] dr_a/dx_d. Outward normal of face a times Fscale: -rx[a], and the sum of all rx[a] of face dim; of
     nodal DG alone */
  PetscReal *rx;
  PetscReal *detJ; /* [Ne] determinant of dx/dr, positive; of nodal DG alone */
  /* [Ne] cells whose vertices DMPlex has the other way round, clockwise: here r_0 and r_1 are exchanged, and the
     determinant is positive */
  PetscBool *turned;
  /* [nx] the coordinate node that is node i of such a cell; of DG with quadrature, NULL where there is none */
  PetscInt *mirror;
  int      *links;      /* [Ne][faces] as PlexDGArgs has them */
  PetscInt  nghosts;    /* traces sent, and as many received: each face between two processes, or two parts */
  PetscInt  nmet;       /* the first of them are between the parts of a mixed mesh, of this process */
  int      *sent;       /* [nghosts] the own trace that ghost g lies across */
  PetscSF   sf;         /* roots: traces sent; leaves: traces received */
  PetscInt  nfacets;    /* faces on the boundary */
  int      *facet;      /* [nfacets] their traces */
  PetscInt *facetPoint; /* [nfacets] DMPlex points */
};
/* An element with non-positive Jacobian, or one that is not supported: an error that names it */
PETSC_EXTERN PetscErrorCode PlexDGMeshCreate(DM, PetscBool quadrature, PlexDGMesh *);
/* Of nodal DG: facets of the boundary or inside are moved to surfaces, curves[n], to polynomials of a degree; cells whose
   coefficients vary, gradings[ngradings]; elements in the order of levels, NULL: one */
PETSC_EXTERN PetscErrorCode PlexDGMeshCreateNodal(DM, PetscInt n, const PlexDGCurve curves[], PetscInt degree,
                                                  PetscInt ngradings, const PlexDGGrading gradings[], PlexDGLevels,
                                                  PlexDGTogether, PlexDGMesh *);
/* The triangles of a mesh, and its quadrilaterals, as two parts. A face between them is to both what a face between
   processes is: ghost g < nmet of either part lies across ghost g of the other. sf: from the traces sent to those
   received of both parts, [nghosts of the first + nghosts of the second], but the first nmet of each. Collective */
PETSC_EXTERN PetscErrorCode PlexDGMeshIsMixed(DM, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexDGMeshCreateMixed(DM, PlexDGMesh[2], PetscSF *sf);
/* Basis of the coordinates at n points of the reference element: B[n][nx], and, where wanted, dB[n][nx][dim]; x = sum_v
   B[v] nodes[e][v] */
PETSC_EXTERN PetscErrorCode PlexDGMeshTabulate(PlexDGMesh, PetscInt n, const PetscReal points[], PetscReal B[],
                                               PetscReal dB[]);
PETSC_EXTERN PetscErrorCode PlexDGMeshDestroy(PlexDGMesh *);
/* x[dim] of the basis of the coordinates at a point of element e, shapes[nx] */
PETSC_EXTERN PetscErrorCode PlexDGMeshGetPosition(PlexDGMesh, PetscInt e, const PetscReal shapes[], PetscReal x[]);
/* Levels of a mesh */
static inline PetscInt PlexDGMeshLevelsN(PlexDGMesh mesh)
{
  return mesh->levels ? mesh->levels->n : 1;
}
/* Which element lies across face f of element e: from Ne on, that of received trace Ne + g; -1: the boundary */
static inline PetscInt PlexDGMeshAcross(PlexDGMesh mesh, PetscInt e, PetscInt f)
{
  const PetscInt link = mesh->links[e * mesh->faces + f], trace = link / mesh->turns, own = mesh->Ne * mesh->faces;

  return link < 0 ? -1 : trace < own ? trace / mesh->faces : mesh->Ne + trace - own;
}
/* Of nodal DG: where element e is among the curved ones of this process; -1: it is affine */
static inline PetscInt PlexDGMeshCurvedIndex(PlexDGMesh mesh, PetscInt e)
{
  if (e < mesh->Ninterior) {
    const PetscInt k = e - (mesh->Ninterior - mesh->ncurved[0]);

    return k < 0 ? -1 : k;
  }
  return e < mesh->Ne - mesh->ncurved[1] ? -1 : mesh->ncurved[0] + e - (mesh->Ne - mesh->ncurved[1]);
}
/* The element that is curved element k */
static inline PetscInt PlexDGMeshCurvedElement(PlexDGMesh mesh, PetscInt k)
{
  return k < mesh->ncurved[0] ? mesh->Ninterior - mesh->ncurved[0] + k
                              : mesh->Ne - mesh->ncurved[1] + k - mesh->ncurved[0];
}

/* ------------------------------------------------------------------------------------------------------------------
   DG with quadrature: points, tables and geometry there. src/dg/quadrature/

     g in [0, NG)     quadrature point of an element; of a face: [0, MG)

   Straight elements that are all affine have one Jacobian each, else each point has its own, and each element a mass
   matrix. C[a][d] is det J dr_a/dx_d, n[d] the outward normal times the Jacobian of the face's parameters: -1 <= s <= 1
   from its first vertex to the second, likewise to the third (the fourth of a quadrilateral) in 3D.
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexDGQuadrature *PlexDGQuadrature;
struct _n_PlexDGQuadrature {
  PetscInt   degree; /* of polynomials that are integrated exactly in elements */
  PetscInt   order;  /* degree of the coordinate space */
  PetscInt   NG, MG;
  PetscBool  affine;      /* all elements of all processes are */
  PetscReal *points;      /* [NG][dim] */
  PetscReal *weights;     /* [NG] */
  PetscReal *facePoints;  /* [MG][dim - 1] s */
  PetscReal *faceWeights; /* [MG] */
  PetscReal *phi;         /* [NG][Np] basis at the points */
  PetscReal *dphi;        /* [dim][NG][Np] its derivatives */
  PetscReal *psi;         /* [MG][Nfp] basis of a face at its points */
  PetscReal *Minv;        /* affine: [Np][Np] of the reference element; else [Ne][Np][Np] */
  PetscReal *C;           /* affine: [Ne][dim][dim] divided by det J; else [Ne][dim][dim][NG] */
  PetscReal *detJ;        /* affine: [Ne]; else [Ne][NG] */
  PetscReal *normals;     /* affine: [Ne][faces][dim] divided by det J; else [Ne][faces][dim][MG] */
  /* of affine elements of which lengths are scaled, before that: [Ne][dim][dim] and [Ne][faces][dim]; else NULL */
  PetscReal *flatC, *flatNormals;
  /* [Ne] the inverse of an element's size: of the circle or sphere inside where it is a simplex with straight sides */
  PetscReal *rate;
};
/* A point with non-positive Jacobian: an error that names the element. degree: PETSC_DETERMINE for one that integrates
   products of two basis functions exactly */
PETSC_EXTERN PetscErrorCode PlexDGQuadratureCreate(PlexDGMesh, PlexDGReference, PetscInt degree, PlexDGQuadrature *);
PETSC_EXTERN PetscErrorCode PlexDGQuadratureDestroy(PlexDGQuadrature *);
/* Of the curved elements of nodal DG, geometry [ncurved]..., and Minv of the reference element. Collective; curved.c */
PETSC_EXTERN PetscErrorCode PlexDGQuadratureCreateCurved(PlexDGMesh, PlexDGReference, PlexDGQuadrature *);

/* ------------------------------------------------------------------------------------------------------------------
   Systems: u_t + div F(u) = s. Pointwise functions in one header, for the host and for kernels. src/dg/systems/,
   cuda/dg/systems/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_DG_MAX_PARAMETER 4 /* numbers of one */

typedef struct {
  const char *name;                         /* of the option too: -plex_dg_<name> */
  PetscInt    n;                            /* numbers; of a coefficient one */
  PetscReal   value[PLEX_DG_MAX_PARAMETER]; /* where nothing else is set */
} PlexDGParameter;

/* Elements for the host's loops; arrays of reals are in the operator's precision, and begin with the first of the n
   elements */
typedef struct {
  PetscInt    n, Np, Nfp;
  PetscInt    first; /* number of the first element */
  const void *U;     /* [n][Nf][Np] */
  const void *dU;    /* [n][Nf][dim][Np] reference derivatives */
  void       *R;     /* [n][Nf][Np] */
  /* [n][Nf][dim][Np] fluxes along the reference coordinates; where the system is in flux form, in place of dU */
  void      *G;
  void      *F;         /* [n][Nf][faces][Nfp] */
  const int *faceNodes; /* [faces][Nfp] */
  /* [faces + 1][turns][Nfp] the node of the other element, whose face it is, at node m; face `faces`: that of a
     received trace */
  const int  *meet;
  const void *lambda; /* [Np][dim + 1] */
} PlexDGHostBlock;

/* Likewise of DG with quadrature; geometry is in the operator's precision, as PlexDGQuadrature has it */
typedef struct {
  PetscInt    n, Np, Nfp, NG, MG, faces, turns;
  PetscInt    first;  /* number of the first element */
  PetscBool   affine; /* as is the geometry */
  const void *C, *detJ, *normals;
  const void *x;       /* [Ne][NG][dim] the points, where the system's source asks for the position */
  const void *K;       /* [Ne][NK][1 + dim][NG] coefficients that vary, and their derivatives; else NULL */
  const void *KM, *KP; /* [Ne][faces][NK][MG] likewise on both sides of a face, without derivatives */
  const void *U;       /* [n][Nf][NG] fields at the points */
  /* [n][Nf][dim][NG] fluxes along the reference coordinates times det J; divided by it where affine, as are S and Q */
  void       *G;
  void       *S;         /* [n][Nf][NG] sources times det J, where the system has any */
  const void *nodal;     /* [n][Nf][Np] the state */
  void       *TM, *TP;   /* [n][Nf][faces][Nfp] traces at the nodes of the faces: own ones, and those across */
  void       *UM, *UP;   /* [n][Nf][faces][MG] traces at the points */
  void       *Q;         /* [n][Nf][faces][MG] numerical flux n.F* times the face's Jacobian */
  const int  *faceNodes; /* [faces][Nfp] */
  const int  *meet;      /* as in PlexDGHostBlock */
  /* cuda/dg/entropy.h; where energy is not looked at W is NULL */
  void       *W;                                 /* [n][Nf][NG] entropy variables times det J, unless affine */
  void       *balances;                          /* [n][PLEX_DG_BALANCES] */
  const void *weights, *faceWeights, *W2, *Minv; /* [NG], [MG], [NG][Np], [Np][Np] of the element, or of all */
  PetscReal   rate;                              /* the largest of the correction: `most` */
} PlexDGPointBlock;

/* Curved elements of nodal DG for the host's loops, likewise: n of them, the first of which is element `first` and
   curved element `index`. Geometry as PlexDGQuadrature has it; plexgpu/dg_curved_loops.h */
typedef struct {
  PetscInt    n, Np, Nfp, NG, MG, faces, turns, first, index;
  const void *C, *normals; /* [ncurved][dim][dim][NG], [ncurved][faces][dim][MG] */
  const void *x;           /* [ncurved][Np][dim] the nodes, where the system asks for positions; else NULL */
  const void *k;       /* [ncurved][faces][2][NK][MG] coefficients on both sides of a face; NULL: those of elements */
  const void *psi;     /* [MG][Nfp] basis of a face at its points */
  const void *nodal;   /* [n][Nf][Np] the state */
  const void *U, *dU;  /* [n][Nf][NG], [n][Nf][dim][NG] fields and reference derivatives at the points */
  void       *S, *G;   /* [n][Nf][NG], [n][Nf][dim][NG] what is tested with functions, and with their derivatives */
  const void *UM, *UP; /* [n][Nf][faces][MG] traces at the points */
  void       *Q;       /* [n][Nf][faces][MG] what faces add */
  void       *R;       /* [n][Nf][Np] to which terms without derivatives are added */
} PlexDGCurvedBlock;

/* A system's pointwise functions, and loops over elements around them: made by plexgpu/dg_system.h, for each dimension
   and precision */
typedef struct {
  PetscInt Nf, NK, NC;
  PetscInt NV; /* variables with viscous fluxes, those of the last fields; or 0 */
  PetscInt NS; /* fields, all of them, if there are sources that read gradients; or 0 */
  PetscInt NB; /* numbers of a face that dg_prepare() computes; or 0 */
  /* fields, sums and an element's numbers of the system's own reference form, cuda/dg/form.cuh; or 0 */
  PetscInt  NW, NA, NE;
  unsigned  strong, weak;    /* curved elements: bits of equations in strong form, of those integrated by parts */
  PetscBool variable;        /* coefficients are polynomials in an element: DG with quadrature alone */
  unsigned  slopes, onfaces; /* then bits of those whose derivatives are read, and of those that are read on faces */
  PetscBool axes;            /* variables with viscous fluxes are a vector along axes that may turn */
  PetscBool positions;       /* boundary conditions or sources ask for the position */
  PetscBool values;          /* x of dg_boundary() are values in time: PlexDGSetBoundarySeries() */
  PetscBool changes;         /* speed or rate depend on the state: the time step follows it */
  void (*volume)(const PlexDGArgs *, const PlexDGHostBlock *); /* R from U and dU; NULL in flux form: */
  void (*flux)(const PlexDGArgs *, const PlexDGHostBlock *); /* G from U, to be differentiated in place of the fields */
  void (*addsource)(const PlexDGArgs *, const PlexDGHostBlock *); /* to R; NULL: none */
  void (*faces)(const PlexDGArgs *, const PlexDGHostBlock *);     /* F = Fscale times equation 5, of all faces */
  void (*traces)(const PlexDGArgs *, const PlexDGPointBlock *);   /* TM and TP, of curved elements, too */
  /* curved elements of systems that have dg_volume(); else NULL: S and G, Q, terms without derivatives */
  void (*curvedvolume)(const PlexDGArgs *, const PlexDGCurvedBlock *);
  void (*curvedfaces)(const PlexDGArgs *, const PlexDGCurvedBlock *);
  void (*curvedlocal)(const PlexDGArgs *, const PlexDGCurvedBlock *);
  void (*pointflux)(const PlexDGArgs *,
                    const PlexDGPointBlock *); /* DG with quadrature, in flux form: G and S from U; */
  void (*pointfaces)(const PlexDGArgs *, const PlexDGPointBlock *); /* Q from UM and UP */
  /* takes from the rates r of a block what its energy gains, from W redistributed, B; NULL: the system has none */
  void (*correct)(const PlexDGArgs *, const PlexDGPointBlock *, const void *B, void *r);
  double (*speed)(const double u[], const double k[], const double c[]);  /* largest of characteristics */
  double (*energy)(const double u[], const double k[], const double c[]); /* density */
  /* at which sources damp, 1/time: they shorten the time step; NULL: none do */
  double (*rate)(const double u[], const double k[], const double c[]);
  /* rates[Nf] at which the fields decay, besides what the other functions compute; NULL: none does */
  void (*decay)(const double k[], const double c[], double rates[]);
  /* weights[nweights] of the coefficients k: the factor of u_t in the equations times a number of all elements, so that rates
     times it do not depend on k; weightof[Nf]: which one of each equation. NULL: coefficients cannot vary in an element of
     nodal DG */
  PetscInt nweights;
  void (*weights)(const double k[], const double c[], double weights[]);
  int (*weightof)(int f);
  /* of systems with viscous fluxes, for double precision alone: a step of elements begin .. end, work[a->work]; traces
     that travel after a step; the viscosity, and du/dw */
  void (*viscous)(const PlexDGViscousArgs *, const PlexDGViscousStage *, int step, PetscInt begin, PetscInt end,
                  double *work);
  void (*viscouspack)(const PlexDGViscousArgs *, int which);
  double (*viscosity)(const double u[], const double k[], const double c[], double *inertia);
  /* of systems that define PLEX_DG_STRETCH: powers of the factors of stretched axes in that of a field, [Nf][3], and the
     first fields of vectors, [nvectors]; else NULL: cuda/dg/pml.h */
  const int (*stretch)[3];
  const int *vectors;
  PetscInt   nvectors;
  /* of linear systems that define PLEX_DG_INCIDENT: what a wave and currents at points add to rates; else NULL */
  void (*sources)(const PlexDGArgs *, const PlexDGSourceArgs *, const PlexDGSourceTarget *, int Np, int Nfp);
  /* likewise what boundaries add where the state is 0 */
  void (*boundaries)(const PlexDGArgs *, const PlexDGSourceArgs *, const PlexDGSourceTarget *, int Np, int Nfp);
} PlexDGHost;

/* What the numbers of a constant or coefficient have to be */
typedef struct {
  const char *name;
  PetscReal   least, most;
  PetscBool   beyond; /* more than `least` */
  /* how it makes a run unstable where it is not what it is by default, for the message of a run that grows; NULL: not
     at all */
  const char *unstable;
} PlexDGBound;

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
  const char              *source; /* the header of pointwise functions: in the folder of device sources, or a path */
  const PlexDGHost *const *host;   /* [2] by PlexPrecision; plexgpu/dg_system.h */
  /* of DG with quadrature: field 0 is the elevation, the others discharges, coefficient 0 the depth; constants
     `gravity`, `dry`, `shore`: src/dg/quadrature/shore.c */
  PetscBool water;
  /* field 0 is the density, the last one the total energy, those between momentum; constant `gamma`, the first one: shock
     capturing keeps density and pressure positive */
  PetscBool gas;
  /* of systems that define PLEX_DG_BOUNDARY_VALUES: the first of the kinds that have values in time; the last one,
     whose first value is a total, shared over the length of the boundary. 0: none */
  PetscInt given, shared;
  /* the boundary condition, behind all others but `conducting`, that is named with a number, as impedance:50. Facets of the i-th of
     `nresistances` different numbers have the kind resistive + i in kernels, whose constants have the numbers behind the
     system's own; 0: none */
  PetscInt resistive, nresistances;
  /* likewise that of a good conductor, as conductor:sigma,from,to, behind `resistive`; facets have the kinds of resistances
     in kernels, and memory variables of their own: src/dg/core/impedance.c; 0: none */
  PetscInt conducting;
  /* the coefficient that lengths are multiplied by, src/dg/quadrature/sphere.c; 0: none */
  PetscInt scale;
  /* how many of the first fields are the electric ones, E, and coefficient 0 epsilon: they may have dispersive media; 0:
     none, src/dg/interface/dispersion.c */
  PetscInt electric;
  /* another source and host by the constants, of which these may read the first ones alone; NULL: none */
  PetscErrorCode (*choose)(PlexDGSystem, const PetscReal constants[]);
  PetscInt nbounds;
  /* [nbounds] of constants and of coefficients that do not vary in an element; names that the system has not are
     ignored */
  const PlexDGBound *bounds;
  /* what bounds cannot say, at set-up; facets[nkinds] of all processes have each boundary condition; NULL: nothing */
  PetscErrorCode (*check)(PlexDG, const PetscInt facets[]);
  /* likewise of the coefficients k[] of an element, within their bounds: writes to wrong[size] which ones are what, and
     what they have to be; leaves it empty where they may be so. NULL: nothing */
  PetscErrorCode (*checkelement)(PlexDGSystem, const PetscReal k[], size_t size, char wrong[]);
  /* rates are linear in the state, and do not depend on the time but by boundaries and sources of PlexDG; bits of those
     kinds of boundaries whose state outside is linear in that inside, and does not depend on the time: local time
     steps, src/dg/ts/multirate.c, are for such alone */
  PetscBool linear;
  unsigned  homogeneous;
  /* constants, behind the last one NULL, by which all that boundaries and sources have of their own is multiplied: where they
     are 0 every kind is homogeneous, and a source is linear in the state. Then local time steps are for all kinds. NULL:
     there are none */
  const char *const *amplitudes;
  const char *base; /* the C file that PLEX_DG_SYSTEM_SET() is in: a relative `source` is looked for from there, too */
};
/* Those that systems of a user's own build on: docs/dgsystem.md */
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Euler(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate(const char name[], PetscInt dim, PlexDGSystem *);
PETSC_EXTERN PetscErrorCode PlexDGSystemDestroy(PlexDGSystem *);

/* ------------------------------------------------------------------------------------------------------------------
   The operator, and the types (ways) that compute it. src/dg/interface/, src/dg/impls/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_DG_MAX_RESISTANCES 16 /* different ones */

typedef struct {
  char    *label; /* NULL: all that no other condition holds */
  PetscInt value; /* PETSC_DETERMINE: any */
  char    *kind;
  int      resistance; /* set up: which one, of kinds that have a number */
  int      conductor;  /* likewise of PlexDG.conductors; -1: none */
} PlexDGCondition;

/* The impedance of a good conductor's surface, src/dg/interface/conductor.c: resistance - sum r_k p_k/(z + p_k), z = d/dt */
#define PLEX_DG_CONDUCTOR_NUMBERS 5 /* sigma, angular frequencies from and to, mu, epsilon */
typedef struct {
  PetscReal given[PLEX_DG_CONDUCTOR_NUMBERS];
  PetscInt  n;
  PetscReal residues[PLEX_IMPEDANCE_POLES], poles[PLEX_IMPEDANCE_POLES]; /* r and p */
  PetscReal resistance, error; /* at infinite frequency; the largest relative one from `from` to `to` */
} PlexDGConductor;

/* A thin sheet inside the mesh, with a surface conductance */
typedef struct {
  char     *label;
  PetscInt  value; /* PETSC_DETERMINE: any */
  PetscReal conductance;
} PlexDGSheet;

/* Coefficients of the cells with a label */
typedef struct {
  char     *label;                      /* NULL: all cells without another material */
  PetscInt  value;                      /* PETSC_DETERMINE: any */
  PetscReal values[PLEX_DG_MAX_FIELDS]; /* where given; else those of `uniform` are taken */
  PetscBool given[PLEX_DG_MAX_FIELDS];
  PetscBool option; /* of the options, which are taken before those of a program */
  PetscInt  cells;  /* set up: of all processes */
} PlexDGMaterial;

/* Poles of the susceptibility of the cells with a label */
#define PLEX_DG_MAX_POLES 8
typedef struct {
  PlexDGMaterial where;
  int            model; /* dispersion.c */
  PetscInt       n;
  PetscReal      poles[PLEX_DG_MAX_POLES][3];
} PlexDGDispersion;

/* Values in time of a part of the boundary: a series, linear between its times, and a sum of
   amplitude cos(speed t - phase) */
typedef struct {
  char      *label; /* NULL: all of the boundary */
  PetscInt   value; /* PETSC_DETERMINE: any */
  PetscInt   n;
  PetscReal *t, *values; /* [n], [n][2] */
  PetscInt   ntides;
  PetscReal *tides; /* [ntides][3] amplitude, speed, phase in radians */
} PlexDGSeries;

/* A current at a point */
typedef struct {
  PetscReal x[3], moment[3];
  PetscReal pulse[5]; /* cuda/dg/systems/pulse.h */
  PetscBool option;   /* of the options, which replace it when they are read again */
} PlexDGDipole;

/* Cells of a perfectly matched layer */
typedef struct {
  char    *label;
  PetscInt value; /* PETSC_DETERMINE: any */
} PlexDGPMLCells;

/* A kernel of a right-hand side, of all elements: what it moves at least, and the flops of its products with reference
   matrices */
typedef struct {
  const char *name; /* NULL: there are no more */
  double      bytes, flops;
} PlexDGPart;

typedef struct _PlexDGOps *PlexDGOps;
struct _PlexDGOps {
  PetscErrorCode (*setup)(PlexDG); /* once mesh, reference element, system and args are there */
  /* r of the elements begin .. end from u; launches, and waits for nothing */
  PetscErrorCode (*rhs)(PlexDG, const PlexDGArgs *);
  /* a stage of a low-storage scheme in their place; NULL: none */
  PetscErrorCode (*stage)(PlexDG, const PlexDGArgs *, const PlexDGStage *);
  PetscBool layer; /* of which PlexDGPMLGetLayer_Private() is computed with it */
  /* describes kernel k of a right-hand side, and launches it alone unless args is NULL; NULL: it is one kernel */
  PetscErrorCode (*part)(PlexDG, const PlexDGArgs *, PetscInt k, PlexDGPart *);
  PetscErrorCode (*reset)(PlexDG);
  PetscErrorCode (*view)(PlexDG, PetscViewer);
};

typedef struct _n_PlexDGGraded    *PlexDGGraded;
typedef struct _n_PlexDGExchange  *PlexDGExchange;
typedef struct _n_PlexDGDecay     *PlexDGDecay;
typedef struct _n_PlexDGEnergy    *PlexDGEnergy;
typedef struct _n_PlexDGExtrema   *PlexDGExtrema;
typedef struct _n_PlexDGImpedance *PlexDGImpedance;
typedef struct _n_PlexDGPML       *PlexDGPML;
typedef struct _n_PlexDGMemory    *PlexDGMemory;
typedef struct _n_PlexDGRates     *PlexDGRatesKernel;
typedef struct _n_PlexDGShore     *PlexDGShore;
typedef struct _n_PlexDGShock     *PlexDGShock;
typedef struct _n_PlexDGViscous   *PlexDGViscous;
typedef struct _n_PlexDGDriven    *PlexDGDriven;
typedef struct _n_PlexDGCurvedWay *PlexDGCurvedWay;
typedef struct _n_PlexDGSources   *PlexDGSources;

/* Coefficients at points of the curved elements of nodal DG, where some vary; graded.c */
struct _n_PlexDGGraded {
  PetscBool *varies; /* [Ne] */
  PetscInt   nweights;
  PetscReal *ratio; /* [ncurved][nweights][NG] the element's weight, of dg->coefficients, over that at a point */
  PetscReal *k;     /* [ncurved][faces][2][NK][MG] coefficients at points of faces, of this side and the other one */
  PetscReal *mean;  /* [ncurved][NK] over the points */
};

struct _p_PlexDG {
  PETSCHEADER(struct _PlexDGOps);
  DM                   dm;
  void                *data; /* of the type */
  PlexDGDiscretization discretization;
  PetscInt             quadratureDegree; /* or PETSC_DETERMINE */
  PetscInt             degree;
  PlexPrecision        precision;
  char                *backendType, *asked; /* the type that was asked for; NULL: auto */
  PetscReal            cfl;
  PetscInt             maxlevels;       /* of elements, of time steps of their own; 1: none */
  PetscBool            adaptSet, adapt; /* whether steps follow the speed of the state, where that is set */
  PetscBool            adapts;          /* those of the TS do */
  PetscReal            given;           /* the step that PlexDGSetTS() gave a TS; 0: `adapts` is decided */
  PetscBool            captures;        /* shocks */
  PetscInt             checkSteps;      /* steps of a TS between two looks at the state's norm; 0: none */
  PetscReal            norm;            /* at the last look */
  PetscReal            base;            /* the norm that growth is counted from, 0: none yet */
  PetscReal            least;           /* of all looks, but 0 */
  PetscReal            exponent;        /* log of the growth from the look before to the last one */
  PetscReal            longest;         /* time step since the last look */
  PetscInt             growths;         /* looks in a row that found it much larger */
  PetscInt             steady;          /* of these in a row, those that found growth no slower than before */
  PetscObjectId        monitored;       /* the TS that has the monitors of the options */
  PetscReal            stable;          /* the default time step when the TS was given the operator, of the factor 1 */
  PetscReal            damping;         /* the largest rate of sources then, 1/time */
  PetscBool            exact;           /* that step is of a TS that takes the decay exactly */
  PetscReal            method;          /* factor of that step by the stability of the TS's method, */
  PetscReal            signature;       /* which is known by this number: src/dg/ts/stability.c */
  PetscBool            bare;            /* right-hand sides and stages are without the decay: such a TS calls them */

  PlexDGCondition *conditions; /* [nconditions] the last one that holds for a facet is taken */
  PetscInt         nconditions;
  PlexDGConductor *conductors; /* [nconductors] different ones of conditions, set up with their numbers */
  PetscInt         nconductors;
  PlexDGSheet     *sheets; /* [nsheets] */
  PetscInt         nsheets;
  PlexDGSeries    *series; /* [nseries] likewise */
  PetscInt         nseries;

  char    *totalLabel;   /* of the cells where the state is the total field, or of the surface around them; or NULL */
  PetscInt totalValue;   /* PETSC_DETERMINE: any */
  PlexDGDipole *dipoles; /* [ndipoles] */
  PetscInt      ndipoles;

  PlexDGPMLCells *pmlCells; /* [npmlCells] of a perfectly matched layer, all together */
  PetscInt        npmlCells;
  PetscBool       pmlRadial;     /* it is around a sphere or circle; else around a box */
  PetscBool       pmlGiven;      /* by numbers; else it is the box of the other cells */
  PetscReal       pmlNumbers[6]; /* center [dim] and radius; or corners [2][dim] */
  PetscReal       pmlReflection; /* along the normal, that its profile is for */
  PetscReal       pmlAlpha;      /* 1/time; PETSC_DETERMINE: of thickness and speed */
  PetscInt        pmlPower;      /* of the profile; PETSC_DETERMINE: of degree and mesh */
  PetscInt        pmlWindow;     /* of PlexDGTogether */
  PetscBool       pmlFused;      /* what is pointwise of it is computed with a stage, where its kernel can */

  PlexDGGrading *gradings; /* [ngradings] the last one that holds for a cell is taken */
  PetscInt       ngradings;
  PlexDGGraded   graded; /* set up, where there are any; else NULL */

  PlexDGCurve *curves; /* [ncurves] likewise */
  PetscInt     ncurves;
  PetscInt     curveDegree; /* of bent elements, PETSC_DETERMINE: that of the polynomials */

  PlexDGSystem         system;                      /* NULL: none set yet */
  PetscReal           *constants;                   /* [NC], and behind them PLEX_DG_MAX_RESISTANCES, as `actual` */
  PetscReal            uniform[PLEX_DG_MAX_FIELDS]; /* coefficients, where there is no function */
  PlexDGCoefficientFn *coefficient;                 /* or NULL */
  void                *coefficientCtx;
  PlexDGMaterial      *materials; /* [nmaterials] taken after the function */
  PetscInt             nmaterials;
  PlexDGDispersion    *dispersions; /* [ndispersions] */
  PetscInt             ndispersions;

  PlexDG parts[2]; /* of triangles, and of quadrilaterals, where the mesh has both: src/dg/interface/parts.c; else NULL */
  PlexDG   whole;   /* what this is a part of; or NULL, not owned */
  PetscSF  partsSF; /* of the traces of both parts */
  PetscInt start;   /* of a part: place of its first ghost among those of both */

  PetscInt64 timed;  /* resets, when a TS was given its step */
  PetscInt64 resets; /* how often it was reset: what has been made of its arrays since may be of no use */
  PetscBool  broken; /* a set-up is under way, or failed */
  struct {           /* the last step of a TS, or a checkpoint, as far as there was one: what it left */
    PetscBool        began;
    PetscObjectState state;
    PetscObjectId    id, ts; /* ts 0: a checkpoint */
    PetscReal        time;
    PetscInt64       resets;
  } run;
  PetscBool         setUp; /* what follows is there; where there are parts they have it */
  PlexBackend       backend;
  PlexDGReference   reference;
  PlexDGMesh        mesh;
  PlexDGLevels      levels;       /* NULL: all elements have one step */
  PlexDGQuadrature  quadrature;   /* NULL: nodal DG */
  PlexDGQuadrature  curved;       /* of the curved elements of nodal DG; NULL: no process has any */
  PlexDGCurvedWay   curvedWay;    /* how these are computed */
  PetscReal        *curvedNorm;   /* of their energy; NULL until it is asked for */
  PetscReal        *shapes;       /* [Np][nx] basis of the coordinates at the nodes */
  PetscReal        *nodes;        /* [Ne][Np][dim] their positions, of PlexDGGetNodes(); NULL: not asked for yet */
  PlexDGExchange    exchange;     /* NULL: one process */
  PlexDGEnergy      energy;       /* NULL until energy is asked for where there are kernels */
  PlexDGExtrema     extrema;      /* NULL: nobody asked for extrema of water */
  PlexDGRatesKernel rates;        /* NULL until a TS asks for the rate of a state where there are kernels */
  PlexDGShore       shore;        /* NULL: no element may fall dry */
  PlexDGShock       shock;        /* NULL: shocks are not captured */
  PlexDGViscous     viscous;      /* NULL: no viscous fluxes */
  PlexDGDriven      driven;       /* NULL: no values in time */
  PlexDGDecay       decay;        /* NULL: no field of any element of any process decays */
  PlexDGPML         pml;          /* NULL: no perfectly matched layer */
  PlexDGMemory      remembers;    /* memory variables; NULL: no field of any element of any process has some */
  PlexDGImpedance   impedance;    /* NULL: neither conductors of the boundary nor sheets */
  PlexDGSources     sources;      /* NULL: neither a total field nor a dipole */
  PlexDGFarField    farfields;    /* list of those that there are; not owned, each holds a reference */
  PetscBool         scaled;       /* coefficient system->scale is in the geometry */
  PetscReal        *coefficients; /* [Ne + nghosts][NK] */
  /* [Ne][NK][Np] at the nodes, of systems whose coefficients vary in an element; else NULL */
  PetscReal *variables;
  PetscBool  entropy;    /* rates are corrected so that energy does not grow */
  PetscInt   bottoms[2]; /* elements whose depth was made linear, and others on faces; of this process */
  PetscReal *actual;     /* [NC] the constants, and what those have that are left to PlexDG */
  int       *kinds;      /* [nfacets] */
  int       *resistance; /* [nfacets] which one, of facets with PlexDGSystem.resistive or `conducting`; else 0 */
  int       *conductor;  /* [nfacets] which one, of facets with `conducting`; else -1 */
  PlexDGArgs args;       /* all but u, r, t, begin and end; in the backend's memory */
  PlexMemory memory;     /* what is to be freed of it */
  PlexArray  arrayU, arrayR;
  PetscInt   evaluations;
};

/* Sizes of an operator without parts, of a process */
typedef struct {
  PetscInt64 Ne, nghosts, nfacets;  /* elements, traces that are received, facets of the boundary */
  PetscInt64 dim, faces, turns, nx; /* of the mesh */
  PetscInt64 Nf, NK, Np, Nfp;       /* fields, coefficients, nodes of an element and of a face */
  PetscInt64 facetPoints;           /* points of a facet where its position is known */
} PlexDGSizes;
/* An error that says which array is too long: one that is counted by a PetscInt, of which `most` is the largest, or by an
   int, as links are. src/dg/core/sizes.c */
PETSC_EXTERN PetscErrorCode PlexDGSizesCheck(const PlexDGSizes *, PetscInt64 most);
PETSC_EXTERN PlexDGSizes    PlexDGGetSizes(PlexDG);
/* Norm, and y = a x + b y, of vectors of which a process may have more entries than BLAS counts: at most `most`;
   src/dg/core/longvectors.c */
PETSC_EXTERN PetscErrorCode PlexDGVecNorm(Vec, PetscInt64 most, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexDGVecAXPBY(Vec y, PetscScalar a, PetscScalar b, Vec x, PetscInt64 most);

/* A stage of a low-storage scheme, at time t, on arrays of the backend's memory */
PETSC_EXTERN PetscErrorCode PlexDGComputeStage(PlexDG, PetscReal t, const PlexDGStage *);
/* Kernel k of the right-hand side alone, to be timed: r is only right where all are computed in their order. part->name
   is NULL where there are no more */
PETSC_EXTERN PetscErrorCode PlexDGComputePart(PlexDG, PetscReal t, Vec U, Vec R, PetscInt k, PlexDGPart *part);
/* Sizes, tables and the system's functions as a text, then #include "file", a source in cuda/; compiled with what
   `defines` adds. src/dg/core/compile.c */
PETSC_EXTERN PetscErrorCode PlexDGCompile(PlexDG, const char file[], PetscInt ndefines, const char *const defines[],
                                          PlexModule *);
/* Copies bytes, or numbers in the operator's precision, to the backend's memory, until PlexDGReset() */
PETSC_EXTERN PetscErrorCode PlexDGUpload(PlexDG, const void *values, size_t bytes, const void **);
PETSC_EXTERN PetscErrorCode PlexDGUploadReals(PlexDG, size_t n, const PetscReal values[], const void **);
