/* Shared by the files of src/hdg/. What is exported is for benchmarks/hdgcg/ too. */
#pragma once

#include <plexgpu/private/hdgimpl.h>

/* Set-up: the mesh, coefficients and the like, copies to the backend's memory in all stages, levels of the trace's
   preconditioner; then the stages of a solve */
PETSC_EXTERN PetscLogEvent PLEX_HDGMesh, PLEX_HDGData, PLEX_HDGTransfer, PLEX_HDGLevels, PLEX_HDGLocal,
  PLEX_HDGAssemble, PLEX_HDGRHS, PLEX_HDGSolve, PLEX_HDGSpread, PLEX_HDGRecover, PLEX_HDGPost;

/* errors.c: the vectors of a solution; q, star NULL: not there */
typedef struct {
  Vec u, q, star;
} PlexHDGSolution;
/* Of u, q and star sum[3], the integrals of squared errors, and largest[3], of all processes; zero of what is not
   there. u, q: the exact values; q NULL: its error is not wanted */
PETSC_EXTERN PetscErrorCode PlexHDGComputeErrors_Private(PlexHDG, const PlexHDGSolution *, PlexHDGFn *u, PlexHDGFn *q,
                                                         void *ctx, PetscReal sum[], PetscReal largest[]);

/* stage.c: before a stage, and after it: an error that names the element whose matrix it could not factor */
PETSC_EXTERN PetscErrorCode PlexHDGStageBegin_Private(PlexHDG);
PETSC_EXTERN PetscErrorCode PlexHDGStageEnd_Private(PlexHDG);

/* kernels.c: a kernel with a team of threads an element. work: doubles of workspace a team; rows of its matrix; blocks
   of teams follow */
typedef struct {
  PlexModule module;
  PlexKernel kernel;
  PetscInt   threads, teams, work; /* threads 0: chosen by its rows */
  PetscInt   blocks;               /* that there is workspace in global memory for; 0: it is in shared memory */
  PetscBool  affine, kept;         /* of such elements, whose factors are kept */
  double    *global;
} PlexHDGKernel;
PETSC_EXTERN PetscErrorCode PlexHDGKernelCreate_Private(PlexHDG, PlexMemory *, const char file[], const char name[],
                                                        const char defines[], PetscInt rows, PlexHDGKernel *);
/* args: with begin, end and work where PlexHDGArgs has them */
PETSC_EXTERN PetscErrorCode PlexHDGKernelLaunch_Private(PlexHDGKernel *, PlexHDGArgs *, void *args);
PETSC_EXTERN PetscErrorCode PlexHDGBlocks_Private(long long n, PetscInt *blocks);
PETSC_EXTERN PetscInt       PlexHDGGeometrySize_Private(PlexHDG, PetscBool affine);
PETSC_INTERN PetscInt       PlexHDGElasticGeometrySize_Private(PlexHDG, PetscBool affine);

PETSC_INTERN PetscErrorCode PlexHDGCreate_Host(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGCreate_Kernels(PlexHDG);

/* squares.c: the kernel of local matrices by squarecondense.cu or teamcondense.cu with all that it reads, where one of
   them serves; else k is left as it is */
PETSC_INTERN PetscErrorCode PlexHDGSquaresCreate_Private(PlexHDG, PlexHDGKernel *k);
/* The elements' numbers that it reads, by their present coefficients */
PETSC_INTERN PetscErrorCode PlexHDGSquaresRenew_Private(PlexHDG, PlexHDGKernel *k);

/* mesh.c: reference element and mesh, with the conditions' faces apart */
PETSC_INTERN PetscErrorCode PlexHDGMeshCreate_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGMeshDestroy_Private(PlexHDGMesh *);
/* vertices[nv] of face point p, in its own order */
PETSC_INTERN PetscErrorCode PlexHDGMeshFaceVertices_Private(PlexHDGMesh, PetscInt p, PetscInt nv, PetscInt vertices[]);
/* geometry.c: the coordinates' finite element, and nodes of the cells */
PETSC_INTERN PetscErrorCode PlexHDGMeshGetNodes_Private(PlexHDGMesh);
/* Puts elements that are not affine first; those that are get vertices in place of nodes. affine false: that they are is
   of no use. An error where determinants are not positive */
PETSC_INTERN PetscErrorCode PlexHDGMeshSetGeometry_Private(PlexHDGMesh, PlexHDGReference, PetscBool affine);
/* Where a point is at which the coordinates' functions are these, PlexCoordinateTabulate(): x[dim],
   J[d][a] = dx_d/dr_a; affine elements: at xi[dim] */
PETSC_EXTERN void PlexHDGMeshMap_Private(PlexHDGMesh, PetscInt e, const PetscReal xi[], const PetscReal shape[],
                                         const PetscReal dshape[], PetscReal x[], PetscReal J[3][3]);

/* conditions.c: the condition that holds for a facet, an error where there is none */
PETSC_INTERN PetscErrorCode PlexHDGConditionsFind_Private(PlexHDG, PetscInt n, const PetscInt points[],
                                                          int condition[]);
PETSC_INTERN PetscErrorCode PlexHDGConditionsDestroy_Private(PlexHDG);
/* Those that hold now; *same: of the same kinds as before on all facets. Collective */
PETSC_INTERN PetscErrorCode PlexHDGConditionsRenew_Private(PlexHDG, PetscBool *same);
PETSC_INTERN PetscErrorCode PlexHDGGetCenter_Private(DM, PetscInt point, PetscReal x[]);
/* data.c: coefficients, source, boundary values of all elements, and what goes to the backend */
PETSC_INTERN PetscErrorCode PlexHDGSetUpData_Private(PlexHDG);
/* transfer.c: to where an earlier call has put it in the backend's memory, *at, unless this is NULL */
PETSC_INTERN PetscErrorCode PlexHDGUpdate_Private(PlexHDG, const void *values, size_t bytes, const void **at);
/* The coordinates' functions at points xi[n][dim], where there are elements that are not affine; PetscFree2() both */
PETSC_INTERN PetscErrorCode PlexHDGTabulate_Private(PlexHDGMesh, PetscInt n, const PetscReal xi[], PetscReal **shape,
                                                    PetscReal **dshape);
/* x[n] = G^-1 x, G[n][n] symmetric and positive definite */
PETSC_INTERN PetscErrorCode PlexHDGSolveSmall_Private(PetscInt n, PetscReal G[], PetscReal x[]);
/* source.c: moments of the source */
PETSC_INTERN PetscErrorCode PlexHDGSetSource_Private(PlexHDG);
/* pointcalls.c: whether a pointwise function is what the discretization takes; pointmodule.c: what kernels of them are made
   of */
PETSC_INTERN PetscBool      PlexHDGHasPoint_Private(PlexHDG, PlexHDGPointRole);
PETSC_INTERN PetscErrorCode PlexHDGPointsDestroy_Private(PlexHDG);
/* update.c: what is stale is evaluated again; *again: that is not enough, a new set-up is needed */
PETSC_INTERN PetscErrorCode PlexHDGUpdateStale_Private(PlexHDG, PetscBool *again);
/* data.c: whether the trace may be moved by a constant. Collective */
PETSC_INTERN PetscErrorCode PlexHDGIsSingular_Private(PlexHDG, PetscBool *);
/* *changed: Robin's matrices have */
PETSC_INTERN PetscErrorCode PlexHDGSetBoundary_Private(PlexHDG, PetscBool *changed);
/* The element's center, then those of its faces, on the reference element; the coordinates' functions there; sizes of
   the reference element and its face */
typedef struct {
  PetscReal xi[PLEX_HDG_MAX_FACES + 1][3], *shape, *dshape, volume, area;
} PlexHDGCenterPoints;

/* Of an element: its center, those of its faces; their outward normals of length 1, areas, and how high it is above
   them */
typedef struct {
  PetscReal x[PLEX_HDG_MAX_FACES + 1][3], normal[PLEX_HDG_MAX_FACES][3], area[PLEX_HDG_MAX_FACES],
    height[PLEX_HDG_MAX_FACES], volume;
} PlexHDGCenters;

/* centers.c */
PETSC_INTERN PetscErrorCode PlexHDGCenterPointsCreate_Private(PlexHDG, PlexHDGCenterPoints *);
PETSC_INTERN PetscErrorCode PlexHDGCenterPointsDestroy_Private(PlexHDGCenterPoints *);
PETSC_INTERN void PlexHDGGetCenters_Private(PlexHDG, const PlexHDGCenterPoints *, PetscInt e, PlexHDGCenters *);
/* L of the domain. Collective */
PETSC_INTERN PetscErrorCode PlexHDGSetLength_Private(PlexHDG, const PlexHDGCenterPoints *);
/* coefficients.c */
PETSC_INTERN PetscErrorCode PlexHDGCheckTau_Private(PlexHDG, PetscInt cell, const PlexHDGCenters *, PetscReal tau[]);
/* elasticmaterial.c: Lame's parameters and tau of all elements */
PETSC_INTERN PetscErrorCode PlexHDGElasticSetMaterial_Private(PlexHDG);
/* elastic.c: its options */
PETSC_INTERN PetscErrorCode PlexHDGSetElasticOptions_Private(PlexHDG, PetscOptionItems);
/* system.c: an error where a part of a program is for another system of equations */
PETSC_INTERN PetscErrorCode PlexHDGCheckSystem_Private(PlexHDG, PlexHDGSystem, const char what[]);
PETSC_INTERN PetscErrorCode PlexHDGCheckVector_Private(PlexHDG, const char what[]); /* it is for vectors u */
/* stokes.c: its options */
PETSC_INTERN PetscErrorCode PlexHDGSetStokesOptions_Private(PlexHDG, PetscOptionItems);
PETSC_INTERN PetscErrorCode PlexHDGCheckFluid_Private(PlexHDG,
                                                      const char what[]); /* it is for Stokes's or Navier-Stokes */
/* solenoidalvelocity.c: the velocity without divergence of the present solution, NULL: it has not been asked for */
PETSC_INTERN PetscErrorCode PlexHDGSolenoidalGet_Private(PlexHDG, Vec *);
/* navier.c: its options */
PETSC_INTERN PetscErrorCode PlexHDGSetNavierOptions_Private(PlexHDG, PetscOptionItems);
/* coefficients.c: kappa, lambda and tau of all elements, kappa at points with u = 0 */
PETSC_INTERN PetscErrorCode PlexHDGSetUpCoefficients_Private(PlexHDG);
/* Likewise at another time; of kappa(u), which each residual asks for, lambda and convection alone */
PETSC_INTERN PetscErrorCode PlexHDGUpdateCoefficients_Private(PlexHDG);
/* transfer.c: v[n] of K to *at in the backend's memory; where they are those that are there, nothing; else hdg->renewed */
PETSC_INTERN PetscErrorCode PlexHDGRenew_Private(PlexHDG, PlexHDGValues, const PetscReal v[], size_t n,
                                                 const double **at);
/* convection.c: its options */
PETSC_INTERN PetscErrorCode PlexHDGSetConvectionOptions_Private(PlexHDG, PetscOptionItems);
/* flow.c: convection's numbers at points, with `speed` and `circulates`. Collective */
PETSC_INTERN PetscErrorCode PlexHDGSetConvection_Private(PlexHDG);
/* kappa at points where u[Ne][Np] of the backend's memory has its values; slope: and the derivative of its inverse by u;
   tau: and tau where it follows kappa(u) */
PETSC_INTERN PetscErrorCode PlexHDGUpdatePoints_Private(PlexHDG, const PetscScalar u[], PetscBool slope, PetscBool tau);
PETSC_INTERN PetscErrorCode PlexHDGCreateVec_Private(PlexHDG, MPI_Comm, PetscInt n, Vec *);
/* plan.c: what each block of the matrix sums. other[nown + 1], to be freed: of the blocks before a face those that are
   not in the diagonal part */
PETSC_INTERN PetscErrorCode PlexHDGSetUpPlan_Private(PlexHDG, PetscInt **other);
/* matrix.c: the matrix, vectors, block rows that travel */
/* Pattern i[m + 1], j[] with columns ascending, of a new AIJ matrix, and values; NULL: zero */
PETSC_INTERN PetscErrorCode PlexHDGMatSetRows_Private(Mat, const PetscInt i[], const PetscInt j[],
                                                      const PetscScalar values[]);
PETSC_INTERN PetscErrorCode PlexHDGSetUpMatrix_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGPackRows_Private(PlexHDG, PetscInt width, const double rows[], PetscInt begin,
                                                    PetscInt end);
PETSC_INTERN PetscErrorCode PlexHDGExchangeBegin_Private(PlexHDG, PetscInt width);
PETSC_INTERN PetscErrorCode PlexHDGExchangeEnd_Private(PlexHDG, PetscInt width, double received[]);
PETSC_INTERN PetscErrorCode PlexHDGExchangeFluxes_Private(PlexHDG); /* all of it, of args.b */
PETSC_INTERN PetscErrorCode PlexHDGResetExchange_Private(PlexHDG);
/* tiles.c: how many elements' matrices are there at once; the matrix from those of all tiles */
PETSC_INTERN PetscErrorCode     PlexHDGSetUpTiles_Private(PlexHDG);
PETSC_INTERN PetscErrorCode     PlexHDGAssembleTiles_Private(PlexHDG);
PETSC_INTERN PetscErrorCode     PlexHDGSetOperators_Private(PlexHDG);
PETSC_INTERN PetscErrorCode     PlexHDGCreateSolution_Private(PlexHDG);
PETSC_INTERN PetscErrorCode     PlexHDGGetTrace_Private(PlexHDG, Vec, PlexHDGArgs *);
PETSC_INTERN PetscErrorCode     PlexHDGRestoreTrace_Private(PlexHDG);
typedef struct _n_PlexHDGLines *PlexHDGLines; /* lines.c */
/* coarse.c: continuous functions of degree 1 as traces, the coarse space of the trace's preconditioner */
struct _n_PlexHDGCoarse {
  PetscInt         nv;       /* vertices of a face */
  PetscInt         n, N;     /* own vertices, of all processes */
  PetscBool        direct;   /* of elasticity: there is no such space, but a direct solver for K */
  PetscInt        *vertices; /* [nown][nv] their global numbers, of elasticity; -1: none */
  PetscReal       *weights;  /* [nv][Nf] functions of a face's vertices in those of the face */
  int             *modes;    /* [nmodes] functions of the face that they have */
  PetscInt         nmodes;
  Mat              P, A;       /* traces of values at vertices; P^T K P */
  PetscInt         npairs;     /* own faces and vertices of those that K couples them with */
  int             *start;      /* [npairs + 1] in the backend's memory, as is what follows */
  int             *items;      /* block of K times nv, plus vertex of its column's face: what a pair sums */
  int             *diagonal;   /* [nown] blocks of K */
  PetscInt         nparts;     /* npairs nv, or those of traceparts.c */
  double          *parts;      /* [nparts] of entries of A */
  PetscInt         nz;         /* one process: entries of A */
  int             *entry;      /* [nz + 1] of which each sums parts order[entry[s] .. entry[s + 1]) */
  int             *order;      /* [nparts]; NULL: parts are in the order of A's MatSetPreallocationCOO() */
  double          *inverses;   /* [nown][Nf j][Nf i] omega times those of the diagonal blocks; NULL: not used */
  PetscInt         nrobin;     /* of traceparts.c: own faces with Robin's condition, */
  int             *robinFaces; /* [nrobin] */
  signed char     *corners;    /* [faces nv][Ne] vertices of elements at those of their faces */
  double           omega;      /* damping of the smoother */
  PlexHDGLines     lines;      /* it is along lines of elements; NULL: by the faces' blocks */
  PetscObjectState state;      /* of K, whose values these are of; 0: there are no levels yet */
  PlexMemory       memory;
  PlexModule       module;
  PlexKernel       invert, smooth, sums; /* NULL: the host's way */
  PlexKernel       sumsRobin;
  PlexKernel       countPairs, writePairs, distinct, sumParts;
  PlexArray        arrayA, arrayB, arrayW, arrayX;
};
PETSC_INTERN PetscErrorCode PlexHDGCoarseCreate_Private(PlexHDG, PlexHDGCoarse *);
PETSC_INTERN PetscErrorCode PlexHDGCoarseDestroy_Private(PlexHDG, PlexHDGCoarse *);
/* A of elasticity for K's present values */
PETSC_INTERN PetscErrorCode PlexHDGCoarseUpdateElastic_Private(PlexHDG, PlexHDGCoarse);
/* coarseplan.c: A and what its entries sum, on one process; vertices[nown][nv]: own vertices at a face, -1: none */
PETSC_INTERN PetscErrorCode PlexHDGCoarsePlanSorted_Private(PlexHDG, PlexHDGCoarse, const PetscInt vertices[]);
/* Likewise of parts whose rows and columns i, j[nparts] are there, -1: of no entry */
PETSC_INTERN PetscErrorCode PlexHDGCoarsePlanEntries_Private(PlexHDG, PlexHDGCoarse, const PetscInt i[],
                                                             const PetscInt j[]);
/* Entries of A from parts */
PETSC_INTERN PetscErrorCode PlexHDGCoarseSumParts_Private(PlexHDG, PlexHDGCoarse);
/* lines.c: the smoother along lines of elements where it is wanted, else NULL; factors of K's values; x = M b, or x + M
   (b - w) where there is w = K x */
PETSC_INTERN PetscErrorCode PlexHDGLinesCreate_Private(PlexHDG, PlexHDGLines *);
PETSC_INTERN PetscErrorCode PlexHDGLinesDestroy_Private(PlexHDGLines *);
PETSC_INTERN PetscErrorCode PlexHDGLinesUpdate_Private(PlexHDG, PlexHDGLines);
PETSC_INTERN PetscErrorCode PlexHDGLinesSmooth_Private(PlexHDGLines, Vec b, Vec w, Vec x);
/* precondition.c: its kernels */
PETSC_INTERN PetscErrorCode PlexHDGCoarseCompile_Private(PlexHDG, PlexHDGCoarse);
/* matrix.c: the null space of K where u may be moved by a constant, or of its coarse matrix; destroys space. Hold: in steps of
   time, with lambda + shift, it has none */
PETSC_INTERN PetscErrorCode PlexHDGSetConstants_Private(Mat, MatNullSpace *space);
PETSC_INTERN PetscErrorCode PlexHDGHoldConstants_Private(PlexHDG, Mat);
/* precondition.c: the preconditioner of type mg for K's present values */
PETSC_INTERN PetscErrorCode PlexHDGSetUpPreconditioner_Private(PlexHDG);
/* Its levels are made again: what they estimate of K is no more true */
PETSC_INTERN PetscErrorCode PlexHDGResetPreconditioner_Private(PlexHDG);
/* The picture that -plex_hdg_monitor_image asks for, after a solve; picture.c */
PETSC_INTERN PetscErrorCode PlexHDGMonitorImage_Private(PlexHDG);
/* smoother.c: the finest level's solver of the preconditioner mg, as far as the program has not changed it */
PETSC_INTERN PetscErrorCode PlexHDGSetSmoother_Private(PlexHDG, PC mg);
/* Whether it, and the levels, are those that were set up: the program may have another preconditioner, or asked for a smoother behind
   the coarser level */
PETSC_INTERN PetscErrorCode PlexHDGLevelsStay_Private(PlexHDG, PC mg, PetscBool *stay);
/* Whether it takes no values of K */
PETSC_INTERN PetscErrorCode PlexHDGSmoothsWithoutMatrix_Private(PlexHDG, PC mg, PetscBool *serves);
/* below.c: a direct solver, and what it is of after new values */
PETSC_INTERN PetscErrorCode PlexHDGSetDirect_Private(MPI_Comm, PC);
PETSC_INTERN PetscErrorCode PlexHDGSetDirectLevel_Private(PlexHDG, PC mg); /* of the one level that there is */
PETSC_INTERN PetscErrorCode PlexHDGFetchValues_Private(PlexHDG);
PETSC_INTERN PetscErrorCode PlexHDGFetchMatrix_Private(PlexHDG, Mat);
/* below.c: the coarse level's solver, chosen; and the whole solver set up */
PETSC_INTERN PetscErrorCode PlexHDGSetCoarseSolver_Private(PlexHDG, PC);
PETSC_INTERN PetscErrorCode PlexHDGSetUpSolver_Private(PlexHDG, KSP);
/* solve.c: the local problems of a trace, whose fluxes b are wanted or u and q, and the sums of fluxes over faces */
PETSC_INTERN PetscErrorCode PlexHDGSolveLocal_Private(PlexHDG, Vec trace, Vec u, Vec q, PetscBool b);
PETSC_INTERN PetscErrorCode PlexHDGGather_Private(PlexHDG, Vec);
/* stage.c: a stage, and an error that names the element whose matrix it could not factor */
PETSC_INTERN PetscErrorCode PlexHDGLaunch_Private(PlexHDG, PetscErrorCode (*stage)(PlexHDG, const PlexHDGArgs *),
                                                  const PlexHDGArgs *);
/* types.c: whether elements are of several types or degrees: groups.h. Collective */
PETSC_INTERN PetscErrorCode PlexHDGIsSeveral_Private(PlexHDG, PetscBool *);
/* A backend that nobody has asked for is chosen again: elements of several degrees have another one */
PETSC_INTERN PetscErrorCode PlexHDGForgetBackend_Private(PlexHDG);
/* An error where elements are of several types or degrees, which `what` is not for. Collective */
PETSC_INTERN PetscErrorCode PlexHDGCheckUniform_Private(PlexHDG, const char what[]);
/* degrees.c: their options */
PETSC_INTERN PetscErrorCode PlexHDGSetDegreeOptions_Private(PlexHDG, PetscOptionItems);
/* Numbers of this process in the trace, u, q and u* */
PETSC_INTERN PetscErrorCode PlexHDGGetLengths_Private(PlexHDG, PetscInt n[4]);
/* types.c: least and largest type of the mesh's cells, or an error where one is none of these. Collective */
PETSC_INTERN PetscErrorCode PlexHDGGetTypes_Private(PlexHDG, PetscInt types[2]);
/* mesh.c: mesh and reference element of a part: Ne cells[], which the mesh takes, whose faces' functions are of degree
   `trace`. face[]: points of the mesh. Collective */
PETSC_INTERN PetscErrorCode PlexHDGMeshCreatePart_Private(PlexHDG, DMPolytopeType, PetscInt trace, PetscInt Ne,
                                                          PetscInt *cells);
/* centers.c: volume and boundary's area of a mesh's own elements, sum[2] */
PETSC_INTERN PetscErrorCode PlexHDGMeasure_Private(PlexHDG, const PlexHDGCenterPoints *, PetscReal sum[]);
PETSC_INTERN PetscReal      PlexHDGLengthOf_Private(PetscInt dim, const PetscReal sum[]);
/* data.c: moments[Nf] of g on a facet b, G[Nf][Nf]: 1 or alpha; tables of the reference element to the backend */
PETSC_INTERN PetscErrorCode PlexHDGBoundaryMoments_Private(PlexHDG, PetscInt b, const PetscReal shape[],
                                                           const PetscReal dshape[], PetscReal moments[],
                                                           PetscReal G[]);
PETSC_INTERN PetscErrorCode PlexHDGUploadTables_Private(PlexHDG);
/* coarse.c: weights[nv][Nf] of a face's vertices in its functions of degree P; number[p - pStart] of vertices, -1: none */
PETSC_INTERN PetscErrorCode PlexHDGVertexWeights_Private(DMPolytopeType face, PetscInt P, PetscReal weights[]);
PETSC_INTERN PetscErrorCode PlexHDGCoarseNumber_Private(PlexHDG, PlexHDGCoarse, PetscInt **number);
