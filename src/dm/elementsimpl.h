/* What the files of src/dm/ share. Index spaces as in plexgpu/private/meshimpl.h. */
#pragma once

#include <plexgpu/private/meshimpl.h>
#include <petscdmfield.h>
#ifdef __SSE2__
  #include <emmintrin.h>
#endif

/* Scalar basis of an element whose basis function n*Nc + c is the scalar function n in component c and zero in the
   others. Gradients get zeros up to dim entries. Where the basis is of another kind, *nodal is false and the tables are
   NULL. */
PETSC_INTERN PetscErrorCode PlexTabulationGetNodes(PetscTabulation, PetscInt dim, PetscInt *Nn, PetscReal *phi[],
                                                   PetscReal *dphi[], PetscBool *nodal);
/* Space, Nn, Nc and tables of field f of elements, of a tabulation of its element */
PETSC_INTERN PetscErrorCode PlexElementsTakeTabulation(PlexElements, PetscInt f, PetscFE, PetscTabulation);
/* Why PETSc's map of an element's functions to cells of space dimension `dim` is not done here, or its space */
PETSC_INTERN PetscErrorCode PlexFEGetSpace(PetscFE, PetscInt dim, PetscTabulation, PlexFieldSpace *, const char **why);

/* Whether a dual space is that of Lagrange elements, whole or as a sum over components; order may be NULL */
PETSC_INTERN PetscErrorCode PlexDualSpaceIsLagrange(PetscDualSpace, PetscBool *lagrange, PetscBool *continuous,
                                                    PetscInt *order);

/* Positions[Ne][n] in a local vector laid out by the section of the n values that PETSc gathers from the closure of
   each cell. A value of which PETSc changes the sign on the way has ~ of its position. flipped: a cell with such a one,
   -1 where there is none. */
static inline int PlexPositionOf(int position)
{
  return position < 0 ? ~position : position;
}
PETSC_INTERN PetscErrorCode PlexGatherClosures(DM, PetscSection, PetscInt Ne, const PetscInt cells[], PetscInt n,
                                               int positions[], PetscInt *flipped);
/* Likewise for several sections, and for those of coordinates. bs > 1: values come in runs of bs, as the coordinates of
   a node do, and positions[Ne][n / bs] count runs. The caller keeps cells[] as long as the closures exist */
typedef struct _n_PlexClosures *PlexClosures;
PETSC_INTERN PetscErrorCode     PlexClosuresCreate(DM, PetscInt Ne, const PetscInt cells[], PlexClosures *);
PETSC_INTERN PetscErrorCode     PlexClosuresGather(PlexClosures, DM, PetscSection, const PetscInt cells[], PetscInt n,
                                                   PetscInt bs, int positions[], PetscInt *flipped);
PETSC_INTERN PetscErrorCode     PlexClosuresDestroy(PlexClosures *);
/* GetCell: points[np] of a cell's closure and their orientations; points[0] is -1 if the cell is of another kind */
#define PLEX_ORIENTATIONS 64 /* those of any polytope are from -32 to 31 */
PETSC_INTERN PetscErrorCode PlexClosuresGetSizes(PlexClosures, PetscInt *Ne, PetscInt *np);
PETSC_INTERN PetscErrorCode PlexClosuresGetCell(PlexClosures, PetscInt e, int points[], signed char orientation[]);
/* For loops in threads. Follow says which n places of a closure are asked for. GetFollowed gives their points and those
   of the vertices, in arrays of np <= PLEX_CLOSURE_MOST; false: PlexClosuresGetCell() has to be asked */
#define PLEX_CLOSURE_MOST 27 /* points: those of a hexahedron */
PETSC_INTERN void      PlexClosuresFollow(PlexClosures, PetscInt n, const PetscInt places[]);
PETSC_INTERN PetscBool PlexClosuresGetFollowed(const PlexClosures, PetscInt e, int points[], signed char orientation[]);

#define PLEX_SECTION_LEAST 65536 /* points a thread, where one takes a nanosecond or less */
/* As PetscSectionGetStorageSize(), in threads: a section has all points of the mesh */
PETSC_INTERN PetscErrorCode PlexSectionGetSize(PetscSection, PetscInt *);
/* DMGetLocalToGlobalMapping(), right also where PETSc's is not; destroy it */
/* Attached to a matrix of type IS: its local matrix has a row for each local dof, those that are held too */
#define PLEX_ALL_DOFS "PlexGPU all dofs"
PETSC_INTERN PetscErrorCode PlexGetLocalToGlobalMapping(DM, ISLocalToGlobalMapping *);
/* DMPolytopeType of each mesh point, counted from pStart; NULL: PETSc has to be asked */
PETSC_INTERN PetscErrorCode PlexGetCellTypes(DM, const uint8_t **types, PetscInt *pStart);
/* The cones of the mesh where DMPlex has them, for loops in threads: that of point p begins at PlexConesAt() */
typedef struct {
  const PetscInt *points, *orientations;
  const PetscInt *offsets; /* of points from `start` on */
  PetscInt        start;
} PlexCones;
PETSC_INTERN PetscErrorCode PlexGetCones(DM, PlexCones *);
static inline PetscInt      PlexConesAt(const PlexCones *c, PetscInt p)
{
  return c->offsets[p - c->start];
}
/* The first e where the type of cells[e] may be another one than that of cells[0]; Ne: all are of one type */
PETSC_INTERN PetscErrorCode PlexFindOtherType(DM, PetscInt Ne, const PetscInt cells[], PetscInt *e);

/* The cells that PETSc integrates: height 0, less ghost cells; with a label those where it is 1 */
PETSC_INTERN PetscErrorCode PlexGetIntegratedCells(DM, DMLabel, PetscInt *Ne, PetscInt *cells[]);
/* Drops those of a cohesive PetscDS from a list */
PETSC_INTERN PetscErrorCode PlexDropCohesive(DM, PetscInt *Ne, PetscInt cells[]);
/* The first of them; -1: there is none */
PETSC_INTERN PetscErrorCode PlexGetFirstIntegratedCell(DM, DMLabel, PetscInt *cell);

/* *n values of a cell's closure in a local vector */
PETSC_INTERN PetscErrorCode PlexClosureSize(DM, PetscSection, PetscInt cell, PetscInt *n);
/* x[Ne][n]: the coordinates of each cell as DMPlexGetCellCoordinates() gives them. *other: the first e that has another
   number of them than n, *has of them, and no more of x is right then; -1: all have n */
PETSC_INTERN PetscErrorCode PlexGatherCoordinates(DM, PetscInt Ne, const PetscInt cells[], PetscInt n, PetscReal x[],
                                                  PetscInt *other, PetscInt *has);
/* The last cell in the star of each of n points, in the order of DMPlexGetTransitiveClosure(); -1: none */
PETSC_INTERN PetscErrorCode PlexStarsGetLastCells(DM, PetscInt n, const PetscInt points[], PetscInt cells[]);

/* The facets of an integral over facets */
PETSC_INTERN PetscErrorCode PlexGetIntegratedFacets(DM, const PlexIntegral *, PetscInt *n, PetscInt *facets[]);
/* Makes elements of facets. Update reads their geometry again */
PETSC_INTERN PetscErrorCode PlexElementsSetUpFacets(PlexElements);
PETSC_INTERN PetscErrorCode PlexElementsUpdateFacets(PlexElements);

/* Makes elements of cohesive cells: dm, ds, integral, dimensions and Nl are there. Update reads their geometry again */
PETSC_INTERN PetscErrorCode PlexElementsSetUpCohesive(PlexElements);
PETSC_INTERN PetscErrorCode PlexElementsUpdateCohesive(PlexElements);
PETSC_INTERN PetscErrorCode PlexCohesiveDestroy(PlexCohesive *);
/* The coordinates as they are now, as a field to evaluate geometry of */
PETSC_INTERN PetscErrorCode PlexCreateCoordinateField(DM, DMField *);
/* Puts a composed text into *reason. Element: why a field, or an auxiliary one (`kind`), of cells of dimension dim is
   none with nodes x components, or vectors, where these will do. Match: two quadratures are the same */
PETSC_INTERN PetscErrorCode PlexReason(char **reason, const char format[], ...);
PETSC_INTERN PetscErrorCode PlexElementSupported(PetscDS, PetscInt dim, PetscInt f, const char kind[],
                                                 PetscBool vectors, char **reason);
PETSC_INTERN PetscErrorCode PlexQuadraturesMatch(PetscQuadrature, PetscQuadrature, PetscBool *match);

/* Sets up the auxiliary fields of the integral's key, after fields and cells */
PETSC_INTERN PetscErrorCode PlexElementsSetUpAuxiliary(PlexElements);

/* The type of the cells of all processes: the highest number if there are several types, -1 if there are no cells.
   Collective */
PETSC_INTERN PetscErrorCode PlexGetCellType(DM, PetscInt Ne, const PetscInt cells[], DMPolytopeType *);

/* The element that PETSc interpolates coordinates with; destroy it with PetscFEDestroy() */
PETSC_INTERN PetscErrorCode PlexGetCoordinateFE(DM, DMPolytopeType, PetscFE *);
/* Its scalar basis, of nx functions, at n points: B[n][nx], and dB[n][nx][dim] unless that is NULL; tabulation.c */
PETSC_EXTERN PetscErrorCode PlexCoordinateTabulate(PetscFE, PetscInt nx, PetscInt n, const PetscReal points[],
                                                   PetscReal B[], PetscReal dB[]);

/* Sets up coordinate nodes, vertices and basis, after elements->cells, cellType and quadrature */
PETSC_INTERN PetscErrorCode PlexElementsSetUpCoordinates(PlexElements, PlexClosures, PetscInt Nq,
                                                         const PetscReal points[]);

/* The DM of the auxiliary vector and its PetscDS; NULL where there is no such vector */
PETSC_INTERN PetscErrorCode PlexElementsGetAuxiliary(PlexElements, DM *, PetscDS *);
/* The arrays that have an entry a field, for n fields; Free frees the tables too that phi and dphi hold */
PETSC_INTERN PetscErrorCode PlexElementsAllocateFields(PlexElements, PetscInt n);
PETSC_INTERN PetscErrorCode PlexElementsFreeFields(PlexElements);

/* Prefetches the coordinate nodes of element e + PLEX_FETCH_AHEAD */
static inline __attribute__((always_inline)) void PlexElementsFetchCoordinates(PlexElements el, PetscInt e)
{
  const int *later = &el->vertices[(size_t)(e + PLEX_FETCH_AHEAD) * el->Nv];

  for (PetscInt v = 0; e + PLEX_FETCH_AHEAD < el->Ne && v < el->Nv; ++v) PlexFetch(&el->x[(size_t)later[v] * el->dim]);
}
/* xi[dim]: the reference point of functional k of a nodal dual space */
PETSC_INTERN PetscErrorCode PlexDualSpaceGetNode(PetscDualSpace, PetscInt k, PetscInt dim, PetscReal xi[]);
/* Puts elements that come in no order into one along a curve. Arrays that are gathered afterwards have this order */
PETSC_INTERN PetscErrorCode PlexElementsSetUpOrder(PlexElements);
/* DMPLEX's own operations, which those of a new DM may not be */
struct _DMOps;
PETSC_INTERN PetscErrorCode PlexGetOperations_Private(struct _DMOps *);
/* Makes PLEXREORDERHILBERT the order of a DMPLEX whose dofs are not numbered yet, unless it has an operation of its
   own */
PETSC_INTERN PetscErrorCode PlexTakeSection_Private(DM);
/* Does so for each DMPLEX that is created later, and Take. Take: calls more(dm, from) for a DMPLEX, and sees to it that
   this is done for its clones; `from` is the one that dm is a clone of, or NULL */
PETSC_INTERN PetscErrorCode PlexTakeRegister_Private(PetscErrorCode (*more)(DM dm, DM from));
PETSC_INTERN PetscErrorCode PlexTake_Private(DM dm, DM from);
/* x[n][dim]: sums of the coordinate nodes of elements first .. first + n - 1 */
PETSC_INTERN void PlexElementsGetCentres(const void *el, PetscInt first, PetscInt n, PetscReal x[]);
/* order[Ne]: the elements along a curve, by their centres */
PETSC_INTERN PetscErrorCode PlexElementsCurveOrder(PlexElements, int order[]);

/* A shallow copy whose bases are tabulated at n points of the reference cell, weights 1; lives no longer than the
   elements */
PETSC_INTERN PetscErrorCode PlexElementsTabulate(PlexElements, PetscInt n, const PetscReal points[], PlexElements *at);
PETSC_INTERN PetscErrorCode PlexElementsDestroyTabulated(PlexElements *);
/* All elements are affine to rounding, as those of a box of parallelepipeds are */
PETSC_INTERN PetscErrorCode PlexElementsAreAffine(PlexElements, PetscBool *);

/* Columns that are allocated behind the last row of a pattern: short rows are compared in vector registers */
#define PLEX_PATTERN_PAD 8

/* Place of column c among the n <= PLEX_PATTERN_PAD of a short row, counted from 1; 0: it has none. No branches:
   lengths follow no rule */
static inline int PlexPatternFindShort(const PetscInt j[], PetscInt n, PetscInt c)
{
#if defined(__SSE2__) && !defined(PETSC_USE_64BIT_INDICES)
  const __m128i wanted = _mm_set1_epi32(c), low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)j), wanted),
                high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(j + 4)), wanted);

  return __builtin_ffs(_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128())) &
                       ((1 << n) - 1));
#else
  int at = 0;

  for (int k = 0; k < PLEX_PATTERN_PAD; ++k) at |= (j[k] == c) & (k < n) ? k + 1 : 0;
  return at;
#endif
}

/* Non-zeros of row r, 0 where a dof has none (-1) */
static inline PetscInt PlexPatternLength(const PlexPattern pattern, PetscInt r)
{
  return r < 0 ? 0 : pattern->i[r + 1] - pattern->i[r];
}

/* Non-zeros of the longest row */
static inline PetscInt PlexPatternLongest(const PlexPattern pattern)
{
  PetscInt longest = 0;

  for (PetscInt r = 0; r < pattern->m; ++r) longest = PetscMax(longest, pattern->i[r + 1] - pattern->i[r]);
  return longest;
}

/* Place of c among n ascending columns, -1 where it is not: binary search without branches */
static inline PetscInt PlexFindColumn(PetscInt n, const PetscInt j[], PetscInt c)
{
  PetscInt at = 0;

  if (n <= 0) return -1;
  while (n > 1) {
    const PetscInt half = n / 2;

    at += j[at + half] <= c ? half : 0;
    n -= half;
  }
  return j[at] == c ? at : -1;
}

/* Slot of A(r, c), -1 where there is none */
static inline PetscInt PlexPatternFind(const PlexPattern pattern, PetscInt r, PetscInt c)
{
  const PetscInt *j    = pattern->j;
  const PetscInt  slot = pattern->i[r], n = pattern->i[r + 1] - slot;
  const PetscInt at = n <= PLEX_PATTERN_PAD ? PlexPatternFindShort(&j[slot], n, c) - 1 : PlexFindColumn(n, &j[slot], c);

  return at < 0 ? -1 : slot + at;
}

/* Appends the interface rows of a distributed matrix to its pattern, which has the owned rows and its blocks */
PETSC_INTERN PetscErrorCode PlexHaloCreate(PlexPattern);
/* Makes only the part of a halo that others add to the owned rows, received...; the matrix needs no pattern for that */
PETSC_INTERN PetscErrorCode PlexHaloReceiveRows(PlexPattern);
PETSC_INTERN PetscErrorCode PlexHaloDestroy(PlexHalo *);
/* Sets the row and column of each local dof, after elements, mat, rstart and m */
PETSC_INTERN PetscErrorCode PlexPatternSetUpRows(PlexPattern);
/* Sets the pattern of a distributed AIJ matrix that has only its sizes: all entries that the elements of all processes
   couple. Collective */
PETSC_INTERN PetscErrorCode PlexMatrixSetUpDistributed(PlexElements, Mat);

/* PlexElementsCreateMatrix() where matrices of the DM are made with `create`: DMCreateMatrix(), or what it calls */
PETSC_INTERN PetscErrorCode PlexElementsCreateMatrixBy_Private(PlexElements, PetscErrorCode (*create)(DM, Mat *),
                                                               Mat *);

/* Marks a matrix that has all entries that the elements couple: it is not searched for missing ones */
PETSC_INTERN PetscErrorCode PlexMatSetComplete(Mat, DM);

/* Lowest rank where `here` is true, -1 where nowhere; the same on all processes */
PETSC_INTERN PetscErrorCode PlexFindFirst(MPI_Comm, PetscBool here, PetscMPIInt *rank);
/* The text of the lowest rank that has one, on all processes; *text is to be freed with PetscFree() */
PETSC_INTERN PetscErrorCode PlexAgreeOnText(MPI_Comm, char **text);

/* C[a][d] = det J da/dx_d of J[d][a] = dx_d/da, of dimension 2 or 3; returns det J */
static inline PetscReal PlexCofactors(PetscInt dim, PetscReal J[3][3], PetscReal C[3][3])
{
  PetscReal det = 0.;

  if (dim == 2) {
    C[0][0] = J[1][1];
    C[0][1] = -J[0][1];
    C[1][0] = -J[1][0];
    C[1][1] = J[0][0];
  } else {
    for (PetscInt a = 0; a < 3; ++a)
      for (PetscInt d = 0; d < 3; ++d)
        C[a][d] = J[(d + 1) % 3][(a + 1) % 3] * J[(d + 2) % 3][(a + 2) % 3] -
                  J[(d + 1) % 3][(a + 2) % 3] * J[(d + 2) % 3][(a + 1) % 3];
  }
  for (PetscInt d = 0; d < dim; ++d) det += J[d][0] * C[0][d];
  return det;
}
