/*
  States as NetCDF-4 files with UGRID 1.0 (http://ugrid-conventions.github.io/ugrid-conventions) and CF conventions, which
  xarray and xugrid read

    mesh2d                       the topology, attributes alone
    mesh2d_node_x, mesh2d_node_y [mesh2d_nNodes]
    mesh2d_face_nodes            [mesh2d_nFaces][mesh2d_nMax_face_nodes] counterclockwise, from 0 on
    mesh2d_face_x, mesh2d_face_y [mesh2d_nFaces] means of the face's nodes
    time                         [time], which grows
    <field>                      [time][mesh2d_nFaces] means of the faces
    depth                        [mesh2d_nFaces] of water

  A face is an element, or one of the n x n cells into which it is cut by -plex_dg_ugrid_cells n, with the mean there of
  the polynomials. Means are those of the operator's own measure, so that their sum with the areas is the integral; sides of
  faces are straight. Nodes of faces that meet are one node. All of it goes to the first process, a field at a time.
*/
#include "ugrid.h" /*I "plexgpudg.h" I*/
#include "../../io/netcdf.h"
#include <petsc/private/hashmapij.h>

#define PLEX_UGRID_CELLS 100                   /* -plex_dg_ugrid_cells, at most */
#define PLEX_UGRID_GRID ((PetscReal)(1 << 30)) /* places along an axis, of which nodes in one, or next to it, are one */

typedef enum {
  PLEX_UGRID_TIME,
  PLEX_UGRID_NODES,
  PLEX_UGRID_FACES,
  PLEX_UGRID_CORNERS
} PlexUGRIDDimension;

static const PlexNCDimension PlexUGRIDDimensions[] = {
  {"time",                   0},
  {"mesh2d_nNodes",          1},
  {"mesh2d_nFaces",          2},
  {"mesh2d_nMax_face_nodes", 3}
};

typedef struct {
  PlexDG        dg;
  MPI_Comm      comm;
  PetscMPIInt   rank, size;
  PetscInt      n; /* kinds of cells */
  PlexUGRIDPart parts[2];
  PetscInt      nv;                   /* corners of a cell, at most */
  PetscInt      nfaces, nfacesGlobal; /* of this process, of all */
  PetscMPIInt  *counts, *starts;      /* [size] faces of each process, first process alone */
  PetscBool     sphere;               /* nodes are written as longitude and latitude */
  PetscReal     place[3];             /* radius, longitude and latitude where the plane touches the sphere */
} PlexUGRID;

static PetscErrorCode PlexUGRIDCreate(PlexDG dg, PlexUGRID *g)
{
  PetscInt    n = 1, three = 3;
  PetscInt64  elements = 0;
  PetscMPIInt count;
  PlexDG      parts[2];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(g, sizeof(*g)));
  g->dg   = dg;
  g->comm = PetscObjectComm((PetscObject)dg);
  PetscCallMPI(MPI_Comm_rank(g->comm, &g->rank));
  PetscCallMPI(MPI_Comm_size(g->comm, &g->size));
  PetscCall(PetscOptionsGetInt(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_ugrid_cells", &n,
                               NULL));
  PetscCheck(n > 0 && n <= PLEX_UGRID_CELLS, g->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_ugrid_cells %" PetscInt_FMT ": elements are cut into n x n cells, n from 1 to %d", n,
             PLEX_UGRID_CELLS);
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_ugrid_sphere",
                                     g->place, &three, &g->sphere));
  PetscCheck(!g->sphere || (three == 3 && g->place[0] > 0.), g->comm, PETSC_ERR_ARG_WRONG,
             "-plex_dg_ugrid_sphere has three numbers, the radius of a sphere and longitude and latitude in degrees of "
             "the "
             "point where the plane of the mesh touches it: -plex_dg_ugrid_sphere 6371000,140,38");
  g->n = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < g->n; ++k) {
    g->nv = PetscMax(g->nv, parts[k]->mesh->nv);
    elements += parts[k]->mesh->NeGlobal;
  }
  PetscCheck(elements * n * n * g->nv * 2 < PETSC_MPI_INT_MAX, g->comm, PETSC_ERR_SUP,
             "%" PetscInt64_FMT " elements of %" PetscInt_FMT
             " cells are too many for a NetCDF file: use a smaller -plex_dg_ugrid_cells, or write VTKHDF",
             elements, n * n);
  g->nfacesGlobal = (PetscInt)elements * n * n;
  for (PetscInt k = 0; k < g->n; ++k) {
    PetscCall(PlexUGRIDPartCreate_Private(parts[k], n, &g->parts[k]));
    g->nfaces += parts[k]->mesh->Ne * n * n;
  }
  PetscCall(PetscMalloc2(g->size, &g->counts, g->size + 1, &g->starts));
  count = (PetscMPIInt)g->nfaces;
  PetscCallMPI(MPI_Gather(&count, 1, MPI_INT, g->counts, 1, MPI_INT, 0, g->comm));
  g->starts[0] = 0;
  for (PetscMPIInt r = 0; !g->rank && r < g->size; ++r) g->starts[r + 1] = g->starts[r] + g->counts[r];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexUGRIDDestroy(PlexUGRID *g)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < g->n; ++k) PetscCall(PlexUGRIDPartDestroy_Private(&g->parts[k]));
  PetscCall(PetscFree2(g->counts, g->starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Numbers of all faces on the first process */

/* width numbers of each own face to all[nfacesGlobal][width] of the first process, PetscFree() them; NULL elsewhere */
static PetscErrorCode PlexUGRIDGather(const PlexUGRID *g, PetscMPIInt width, const PetscReal own[], PetscReal **all)
{
  MPI_Datatype type;

  PetscFunctionBegin;
  *all = NULL;
  if (!g->rank) PetscCall(PetscMalloc1((size_t)g->nfacesGlobal * width, all));
  PetscCallMPI(MPI_Type_contiguous(width, MPIU_REAL, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Gatherv(own, (PetscMPIInt)g->nfaces, type, *all, g->counts, g->starts, type, 0, g->comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Means of row k of values[p], [Ne][nrows][Np] of part p, in all faces, to row `row` of a variable */
static PetscErrorCode PlexUGRIDWriteMeans(const PlexUGRID *g, PlexH5 *h, const char name[], PetscBool growing,
                                          PetscInt64 row, const PetscScalar *const values[], PetscInt nrows, PetscInt k)
{
  PetscReal *means, *all, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(g->nfaces, &means));
  to = means;
  for (PetscInt p = 0; p < g->n; to += g->parts[p].dg->mesh->Ne * g->parts[p].ncells, ++p)
    PlexUGRIDPartMeans_Private(&g->parts[p], values[p], nrows, k, to);
  PetscCall(PlexUGRIDGather(g, 1, means, &all));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, row, g->rank ? 0 : growing ? 1 : g->nfacesGlobal, all));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(means));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The mesh */

/* Longitude and latitude, in degrees, of a point of the plane of the stereographic projection */
static void PlexUGRIDUnproject(const PetscReal place[3], PetscReal x[2])
{
  const PetscReal degree = PETSC_PI / 180., a = 0.5 * x[0] / place[0], b = 0.5 * x[1] / place[0], r2 = a * a + b * b,
                  up = (1. - r2) / (1. + r2), east = 2. * a / (1. + r2), north = 2. * b / (1. + r2),
                  s = PetscSinReal(place[2] * degree), c = PetscCosReal(place[2] * degree);

  x[0] = place[1] + PetscAtan2Real(east, c * up - s * north) / degree;
  x[1] = PetscAsinReal(PetscClipInterval(s * up + c * north, -1., 1.)) / degree;
}

/* The number of the node at x, by the nodes of the places around it; a new one where there is none */
static PetscErrorCode PlexUGRIDGetNode(PetscHMapIJ map, const PetscReal low[2], PetscReal extent, const PetscReal x[2],
                                       PetscInt *n, PetscReal nodes[], PetscInt *node)
{
  const PetscInt at[2] = {(PetscInt)((x[0] - low[0]) / extent * PLEX_UGRID_GRID),
                          (PetscInt)((x[1] - low[1]) / extent * PLEX_UGRID_GRID)};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 9; ++k) {
    const PetscHashIJKey key = {at[0] + (k + 1) % 3 - 1, at[1] + (k / 3 + 1) % 3 - 1};

    PetscCall(PetscHMapIJGet(map, key, node));
    if (*node >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *node = (*n)++;
  PetscCall(PetscArraycpy(&nodes[2 * *node], x, 2));
  PetscCall(PetscHMapIJSet(map, (PetscHashIJKey){at[0], at[1]}, *node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many corners the row x[nv][2] of a face has */
static PetscInt PlexUGRIDCountCorners(const PlexUGRID *g, const PetscReal x[])
{
  PetscInt n = g->nv;

  while (PetscIsNanReal(x[2 * (n - 1)])) --n;
  return n;
}

/* Numbers the corners x[nfacesGlobal][nv][2]: faces[..][nv], counterclockwise, -1 behind them, and nodes[*n][2]. First
   process */
static PetscErrorCode PlexUGRIDNumber(const PlexUGRID *g, const PetscReal x[], PetscInt *n, PetscReal nodes[],
                                      int faces[])
{
  const PetscInt count  = g->nfacesGlobal * g->nv; /* no comparison holds for what is NAN */
  PetscReal      low[2] = {x[0], x[1]}, high[2] = {x[0], x[1]}, extent;
  PetscHMapIJ    map;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < count; ++i)
    for (PetscInt d = 0; d < 2; ++d) {
      if (x[2 * i + d] < low[d]) low[d] = x[2 * i + d];
      if (x[2 * i + d] > high[d]) high[d] = x[2 * i + d];
    }
  extent = PetscMax(high[0] - low[0], high[1] - low[1]);
  *n     = 0;
  PetscCall(PetscHMapIJCreate(&map));
  for (PetscInt f = 0; f < g->nfacesGlobal; ++f) {
    const PetscReal *at   = &x[f * g->nv * 2];
    const PetscInt   nv   = PlexUGRIDCountCorners(g, at);
    PetscReal        area = 0.;

    for (PetscInt v = 0; v < nv; ++v) {
      const PetscInt w = (v + 1) % nv;

      area += at[2 * v] * at[2 * w + 1] - at[2 * w] * at[2 * v + 1];
    }
    for (PetscInt v = nv; v < g->nv; ++v) faces[f * g->nv + v] = -1;
    for (PetscInt v = 0; v < nv; ++v) {
      PetscInt node;

      PetscCall(PlexUGRIDGetNode(map, low, extent, &at[2 * v], n, nodes, &node));
      faces[f * g->nv + (area < 0. ? nv - 1 - v : v)] = (int)node;
    }
  }
  PetscCall(PetscHMapIJDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A coordinate of n nodes or faces, values[n][2] */
static PetscErrorCode PlexUGRIDWriteCoordinate(const PlexUGRID *g, PlexH5 *h, const char of[], PlexUGRIDDimension along,
                                               PetscInt64 n, PetscInt d, const PetscReal values[])
{
  static const char *const names[2][2] = {
    {"projection_x_coordinate", "projection_y_coordinate"},
    {"longitude",               "latitude"               }
  };
  static const char *const units[2] = {"degrees_east", "degrees_north"};
  char                     name[64];
  PetscReal               *numbers;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "mesh2d_%s_%c", of, d ? 'y' : 'x'));
  PetscCall(PlexNCCreateVariable(h, name, PLEX_H5_DOUBLE, 1, &PlexUGRIDDimensions[along], &n));
  PetscCall(PlexH5SetText(h, name, "standard_name", names[g->sphere][d]));
  PetscCall(PlexH5SetText(h, name, "units", g->sphere ? units[d] : "m"));
  PetscCall(PlexH5SetText(h, name, "mesh", "mesh2d"));
  PetscCall(PlexH5SetText(h, name, "location", of));
  PetscCall(PetscMalloc1(g->rank ? 0 : n, &numbers));
  for (PetscInt i = 0; !g->rank && i < n; ++i) numbers[i] = values[2 * i + d];
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, g->rank ? 0 : n, numbers));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexUGRIDWriteFaces(const PlexUGRID *g, PlexH5 *h, const int faces[])
{
  const PlexNCDimension *along   = &PlexUGRIDDimensions[PLEX_UGRID_FACES]; /* and the next one */
  const PetscInt64       size[2] = {g->nfacesGlobal, g->nv};
  const int              none = -1, first = 0;

  PetscFunctionBegin;
  PetscCall(PlexNCCreateVariable(h, "mesh2d_face_nodes", PLEX_H5_INT, 2, along, size));
  PetscCall(PlexH5SetText(h, "mesh2d_face_nodes", "cf_role", "face_node_connectivity"));
  PetscCall(PlexH5SetNumbers(h, "mesh2d_face_nodes", "_FillValue", PLEX_H5_INT, 1, &none));
  PetscCall(PlexH5SetNumbers(h, "mesh2d_face_nodes", "start_index", PLEX_H5_INT, 0, &first));
  PetscCall(PlexH5WriteRows(h, "mesh2d_face_nodes", PLEX_H5_INT, 0, g->rank ? 0 : g->nfacesGlobal, faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The topology, and the variables that say what numbers mean */
static PetscErrorCode PlexUGRIDWriteTopology(const PlexUGRID *g, PlexH5 *h)
{
  const int two = 2;

  PetscFunctionBegin;
  PetscCall(PlexH5SetText(h, "/", "Conventions", "CF-1.8 UGRID-1.0"));
  PetscCall(PlexNCCreateVariable(h, "mesh2d", PLEX_H5_INT, 0, NULL, NULL));
  PetscCall(PlexH5SetText(h, "mesh2d", "cf_role", "mesh_topology"));
  PetscCall(PlexH5SetText(h, "mesh2d", "long_name", "Topology data of 2D unstructured mesh"));
  PetscCall(PlexH5SetNumbers(h, "mesh2d", "topology_dimension", PLEX_H5_INT, 0, &two));
  PetscCall(PlexH5SetText(h, "mesh2d", "node_coordinates", "mesh2d_node_x mesh2d_node_y"));
  PetscCall(PlexH5SetText(h, "mesh2d", "face_node_connectivity", "mesh2d_face_nodes"));
  PetscCall(PlexH5SetText(h, "mesh2d", "face_coordinates", "mesh2d_face_x mesh2d_face_y"));
  PetscCall(PlexH5SetText(h, "mesh2d", "node_dimension", "mesh2d_nNodes"));
  PetscCall(PlexH5SetText(h, "mesh2d", "face_dimension", "mesh2d_nFaces"));
  if (g->sphere) {
    PetscCall(PlexNCCreateVariable(h, "crs", PLEX_H5_INT, 0, NULL, NULL));
    PetscCall(PlexH5SetText(h, "crs", "grid_mapping_name", "latitude_longitude"));
    PetscCall(PlexH5SetNumbers(h, "crs", "earth_radius", PLEX_H5_DOUBLE, 0, &g->place[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexUGRIDWriteMesh(const PlexUGRID *g, PlexH5 *h)
{
  const PetscInt nv = g->nv;
  PetscReal     *own, *all, *to, *nodes = NULL, *centers = NULL;
  PetscInt       n     = 0;
  int           *faces = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)g->nfaces * nv * 2, &own));
  to = own;
  for (PetscInt p = 0; p < g->n; to += (size_t)g->parts[p].dg->mesh->Ne * g->parts[p].ncells * nv * 2, ++p)
    PetscCall(PlexUGRIDPartCorners_Private(&g->parts[p], nv, to));
  PetscCall(PlexUGRIDGather(g, (PetscMPIInt)(2 * nv), own, &all));
  PetscCall(PetscFree(own));
  if (!g->rank) {
    PetscCall(PetscMalloc3((size_t)g->nfacesGlobal * nv * 2, &nodes, (size_t)g->nfacesGlobal * nv, &faces,
                           (size_t)g->nfacesGlobal * 2, &centers));
    PetscCall(PlexUGRIDNumber(g, all, &n, nodes, faces));
    for (PetscInt f = 0; f < 2 * g->nfacesGlobal; ++f) {
      const PetscReal *x       = &all[(size_t)(f / 2) * nv * 2];
      const PetscInt   corners = PlexUGRIDCountCorners(g, x);

      centers[f] = 0.;
      for (PetscInt v = 0; v < corners; ++v) centers[f] += x[2 * v + f % 2] / corners;
    }
    for (PetscInt i = 0; g->sphere && i < n; ++i) PlexUGRIDUnproject(g->place, &nodes[2 * i]);
    for (PetscInt i = 0; g->sphere && i < g->nfacesGlobal; ++i) PlexUGRIDUnproject(g->place, &centers[2 * i]);
  }
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, g->comm));
  PetscCall(PlexNCCreateGrowing(h, PlexUGRIDDimensions[PLEX_UGRID_TIME]));
  PetscCall(PlexNCCreateDimension(h, PlexUGRIDDimensions[PLEX_UGRID_NODES], n));
  PetscCall(PlexNCCreateDimension(h, PlexUGRIDDimensions[PLEX_UGRID_FACES], g->nfacesGlobal));
  PetscCall(PlexNCCreateDimension(h, PlexUGRIDDimensions[PLEX_UGRID_CORNERS], nv));
  PetscCall(PlexUGRIDWriteTopology(g, h));
  for (PetscInt d = 0; d < 2; ++d) {
    PetscCall(PlexUGRIDWriteCoordinate(g, h, "node", PLEX_UGRID_NODES, n, d, nodes));
    PetscCall(PlexUGRIDWriteCoordinate(g, h, "face", PLEX_UGRID_FACES, g->nfacesGlobal, d, centers));
  }
  PetscCall(PlexUGRIDWriteFaces(g, h, faces));
  if (!g->rank) PetscCall(PetscFree3(nodes, faces, centers));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Variables of the state */

/* Attributes of a variable of faces; of water those of CF */
static PetscErrorCode PlexUGRIDDescribe(const PlexUGRID *g, PlexH5 *h, const char name[])
{
  static const char *const known[][4] = {
    {"eta",   "sea_surface_height_above_geoid", "elevation of the water",        "m"     },
    {"qx",    NULL,                             "discharge per width along x",   "m2 s-1"},
    {"qy",    NULL,                             "discharge per width along y",   "m2 s-1"},
    {"depth", "sea_floor_depth_below_geoid",    "depth below the level of rest", "m"     }
  };

  PetscFunctionBegin;
  PetscCall(PlexH5SetText(h, name, "mesh", "mesh2d"));
  PetscCall(PlexH5SetText(h, name, "location", "face"));
  PetscCall(PlexH5SetText(h, name, "coordinates", "mesh2d_face_x mesh2d_face_y"));
  PetscCall(PlexH5SetText(h, name, "cell_methods", "mesh2d_nFaces: mean"));
  if (g->sphere) PetscCall(PlexH5SetText(h, name, "grid_mapping", "crs"));
  for (size_t k = 0; g->dg->system->water && k < PETSC_STATIC_ARRAY_LENGTH(known); ++k) {
    if (strcmp(name, known[k][0])) continue;
    if (known[k][1]) PetscCall(PlexH5SetText(h, name, "standard_name", known[k][1]));
    PetscCall(PlexH5SetText(h, name, "long_name", known[k][2]));
    PetscCall(PlexH5SetText(h, name, "units", known[k][3]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file with the mesh and no states */
static PetscErrorCode PlexUGRIDCreateFile(const PlexUGRID *g, PlexH5 *h)
{
  PlexDG           dg       = g->dg;
  const PetscInt64 size[2]  = {0, g->nfacesGlobal};
  char             text[96] = "seconds since ", since[64];
  PetscBool        set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_ugrid_since", since,
                                  sizeof(since), &set));
  PetscCall(PlexUGRIDWriteMesh(g, h));
  if (set) PetscCall(PetscStrlcat(text, since, sizeof(text)));
  PetscCall(PlexH5SetText(h, "time", "units", set ? text : "seconds"));
  PetscCall(PlexH5SetText(h, "time", "long_name", set ? "time" : "time since the beginning"));
  if (set) PetscCall(PlexH5SetText(h, "time", "standard_name", "time"));
  for (PetscInt k = 0; k < dg->system->Nf; ++k) {
    const PlexNCDimension along[2] = {PlexUGRIDDimensions[PLEX_UGRID_TIME], PlexUGRIDDimensions[PLEX_UGRID_FACES]};

    PetscCall(PlexNCCreateVariable(h, dg->system->fields[k], PLEX_H5_DOUBLE, 2, along, size));
    PetscCall(PlexUGRIDDescribe(g, h, dg->system->fields[k]));
  }
  if (dg->system->water && g->parts[0].dg->variables) {
    PetscScalar *depth[2] = {NULL, NULL};

    for (PetscInt p = 0; p < g->n; ++p) {
      PlexDG       part = g->parts[p].dg;
      const size_t n    = (size_t)part->mesh->Ne * (size_t)(part->system->ncoefficients * part->reference->Np);

      PetscCall(PetscMalloc1(n, &depth[p]));
      for (size_t i = 0; i < n; ++i) depth[p][i] = part->variables[i];
    }
    PetscCall(PlexNCCreateVariable(h, "depth", PLEX_H5_DOUBLE, 1, &PlexUGRIDDimensions[PLEX_UGRID_FACES], &size[1]));
    PetscCall(PlexUGRIDDescribe(g, h, "depth"));
    PetscCall(PlexUGRIDWriteMeans(g, h, "depth", PETSC_FALSE, 0, (const PetscScalar *const *)depth,
                                  dg->system->ncoefficients, 0));
    for (PetscInt p = 0; p < g->n; ++p) PetscCall(PetscFree(depth[p]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGWriteUGRID - Writes a state to a NetCDF-4 file with UGRID and CF conventions, for readers such as xarray and xugrid

  Collective

  Input Parameters:
+ dg     - the operator, of a mesh of dimension 2
. file   - name of the file, which ends in .nc
. append - add the state, as that of a later time, to those that the file has from the same operator; else the file is
           new
. t      - time
- U      - the state

  Options Database Keys:
+ -plex_dg_monitor_ugrid file[:n]        - every so many steps of the `TS` that `PlexDGSetTS()` was given, and at the end
. -plex_dg_ugrid_cells n                 - cuts elements into n x n faces (1): the degree N is to be seen from N + 1 on
. -plex_dg_ugrid_sphere radius,lon,lat   - writes nodes as longitude and latitude: the mesh is the stereographic projection
                                           from a sphere, which the plane touches at this point in degrees
- -plex_dg_ugrid_since "1970-01-01 0:00" - date of time 0; without it times are seconds since the beginning

  Level: beginner

  Notes:
  Fields have the names that the system gives them, and are means of faces, [time][face]: times the areas they add up to
  integrals. The means are those of the polynomials on curved elements and on the sphere; faces have straight sides. Systems
  `shallow_water` and `tsunami` have units, standard names and the depth too. Discharges are along the axes of the plane,
  also where nodes are written as longitude and latitude.

  In a mesh of triangles and quadrilaterals rows of `mesh2d_face_nodes` have four nodes, the last of triangles -1, the fill
  value. All of it goes through the first process, a field at a time. The order of the faces depends on the processes.

.seealso: `PlexDG`, `PlexDGMonitorUGRID()`, `PlexDGWriteVTKHDF()`
@*/
PetscErrorCode PlexDGWriteUGRID(PlexDG dg, const char file[], PetscBool append, PetscReal t, Vec U)
{
  const PetscScalar *u, *values[2];
  PlexDG             parts[2];
  PlexUGRID          g;
  PlexH5             h;
  PetscInt64         faces, states = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  (void)PlexDGGetParts(dg, parts);
  PetscCheck(parts[0]->mesh->dim == 2, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "UGRID files are of meshes of dimension 2, and this one has %" PetscInt_FMT
             ": write VTKHDF, PlexDGWriteVTKHDF() or -plex_dg_monitor_solution",
             parts[0]->mesh->dim);
  PetscCall(PlexUGRIDCreate(dg, &g));
  PetscCall(PlexH5Open(g.comm, file, append ? PLEX_H5_CHANGE : PLEX_H5_CREATE, &h));
  if (append) {
    PetscCall(PlexH5GetRows(&h, "mesh2d_nFaces", &faces));
    PetscCall(PlexH5GetRows(&h, "time", &states));
    PetscCheck(faces == g.nfacesGlobal, g.comm, PETSC_ERR_FILE_UNEXPECTED,
               "File %s has %" PetscInt64_FMT " faces, and the operator %" PetscInt_FMT
               ": states of one mesh, and of one -plex_dg_ugrid_cells, go to one file",
               file, faces, g.nfacesGlobal);
  } else PetscCall(PlexUGRIDCreateFile(&g, &h));
  PetscCall(PlexH5WriteRows(&h, "time", PLEX_H5_DOUBLE, states, g.rank ? 0 : 1, &t));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt p = 0; p < g.n; ++p) values[p] = (const PetscScalar *)PlexDGPartsGetArray(parts, p, u, PETSC_FALSE);
  for (PetscInt k = 0; k < dg->system->Nf; ++k)
    PetscCall(PlexUGRIDWriteMeans(&g, &h, dg->system->fields[k], PETSC_TRUE, states, values, dg->system->Nf, k));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexUGRIDDestroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}
