/* What the files of src/view/ share, and what nodal and hybridized DG give them */
#pragma once

#include <plexgpuview.h>
#include <petscdraw.h>

/*
  A field at points of the reference cell, cell by cell: what a picture is drawn of.

  A class registers a function that makes one of an object and a vector; it sets all but n. Then Tabulate() is called once
  for each kind of cell, with the points; then Position() and Values() for own cells, in any order.
*/
typedef struct _n_PlexSampler *PlexSampler;
struct _n_PlexSampler {
  PetscInt dim; /* of cells, and of space */
  PetscInt nkinds;
  struct {
    PetscBool tensor; /* quadrilaterals or hexahedra, else triangles or tetrahedra */
    PetscBool linear; /* the field is linear in straight cells: nothing is seen between their vertices */
    PetscInt  degree;
    PetscInt  Ne; /* own cells */
    PetscInt  n;  /* points */
  } kinds[2];
  PetscInt nc;        /* components, 1 or those of a vector */
  char     label[64]; /* the field's name */
  void    *data;
  PetscErrorCode (*tabulate)(PlexSampler, PetscInt k, PetscInt n, const PetscReal points[]); /* [n][dim] */
  PetscErrorCode (*position)(PlexSampler, PetscInt k, PetscInt e, PetscReal x[]);            /* [n][3] */
  PetscErrorCode (*values)(PlexSampler, PetscInt k, PetscInt e, PetscReal v[]);              /* [n][nc] */
  PetscErrorCode (*destroy)(PlexSampler);
};
/* field: a name, "" for the first one. An unknown one is an error with those that there are; PlexSamplerFind_Private() */
typedef PetscErrorCode PlexSamplerCreateFn(PetscObject, Vec U, PetscReal t, const char field[], PlexSampler);

PETSC_INTERN PetscErrorCode PlexSamplerRegister_Private(PetscClassId, PlexSamplerCreateFn *);
PETSC_INTERN PetscErrorCode PlexSamplerCreate_Private(PetscObject, Vec U, PetscReal t, const char field[],
                                                      PlexSampler *);
PETSC_INTERN PetscErrorCode PlexSamplerDestroy_Private(PlexSampler *);
/* Which of n names it is, the first of an empty one */
PETSC_INTERN PetscErrorCode PlexSamplerFind_Private(PetscObject, const char field[], PetscInt n,
                                                    const char *const names[], PetscInt *which);
/* Of finite elements; fesampler.c registers it for DMs */
PETSC_INTERN PetscErrorCode PlexSamplerCreate_DM(PetscObject, Vec, PetscReal, const char[], PlexSampler);

/* How a cell is divided: N intervals along each edge; nodes[n][dim] in the reference cell, whose coordinates go from -1 to
   1, and m simplices of them, vertices[m][dim + 1]; lattice.c */
typedef struct {
  PetscInt   n, m;
  PetscReal *nodes;
  PetscInt  *vertices;
} PlexLattice;
PETSC_INTERN PetscErrorCode PlexLatticeCreate_Private(PetscInt dim, PetscBool tensor, PetscInt N, PlexLattice *);
PETSC_INTERN PetscErrorCode PlexLatticeDestroy_Private(PlexLattice *);

/* A plane, or that of the mesh: x in the picture's axes is (x - point).axes[0], (x - point).axes[1] */
typedef struct {
  PetscReal point[3], normal[3], axes[2][3];
} PlexPlane;

/* Triangles of the picture: vertices p[3][2] in the plane's axes, v[3] values */
typedef PetscErrorCode PlexTriangleFn(const PetscReal p[3][2], const PetscReal v[3], void *ctx);
/* Those of all own cells, or of where they meet the plane. component -1: the length of a vector; triangles.c */
PETSC_INTERN PetscErrorCode PlexTriangles_Private(PlexSampler, PetscInt component, const PlexPlane *, PetscInt divide,
                                                  PlexTriangleFn *, void *ctx);
/* The box of all processes' cells, low[3], high[3] */
PETSC_INTERN PetscErrorCode PlexSamplerGetBox_Private(PlexSampler, MPI_Comm, PetscReal low[3], PetscReal high[3]);

/* Values at pixels, PLEX_RASTER_NONE where nothing is; row 0 is the top */
#define PLEX_RASTER_NONE (-PETSC_MAX_REAL)
typedef struct {
  PetscInt   w, h;
  PetscReal  x, y, scale; /* of the left and the upper edge; pixels a length */
  PetscReal *values;      /* [h][w] */
} PlexRaster;
/* A triangle; ctx: the raster. Of several values at a pixel it keeps the largest, in whatever order they come; raster.c */
PETSC_INTERN PlexTriangleFn PlexRasterDraw_Private;

/* boundary, t: time of essential conditions, and of the state */
PETSC_INTERN PetscErrorCode PlexWriteVTKHDF_Private(DM, Vec u, const char file[], PetscBool append, PetscReal boundary,
                                                    PetscReal t);
/* boundary as above */
PETSC_INTERN PetscErrorCode PlexImageWrite_Private(PlexImage, PetscObject, Vec U, PetscReal boundary, PetscReal t,
                                                   const char file[]);
/* file, which may have a %d, %05d, ..., with a number */
PETSC_INTERN PetscErrorCode PlexImageName_Private(MPI_Comm, const char file[], PetscInt number,
                                                  char name[PETSC_MAX_PATH_LEN]);
/* An image with the options -plex_image_... of an object with this prefix */
PETSC_INTERN PetscErrorCode PlexImageCreateFromOptions_Private(MPI_Comm, const char prefix[], PlexImage *);
/* An option "file" or "file:steps"; every is `usual` where there are no steps */
PETSC_INTERN PetscErrorCode PlexOptionsFile_Private(MPI_Comm, PetscOptions, const char prefix[], const char option[],
                                                    PetscInt usual, char file[PETSC_MAX_PATH_LEN], PetscInt *every,
                                                    PetscBool *set);
