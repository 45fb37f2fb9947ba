static char help[] = "Meshes that DG operators take and those that they do not: cells with their vertices clockwise, "
                     "inverted ones, cells of several types, more than 32 bits can count.\n\n";

#include <plexgpuhdg.h>
#include "waterproblem.h"
#include "report.h"
#include <unistd.h>

/* ---- Cells whose vertices go the other way round */

/* |F(u)|^2 of a rough state, weighted as the system's energy is: it depends on what lies where, not on how cells are
   numbered */
static PetscErrorCode GetSize(DM dm, const char system[], PetscBool quadrature, PetscInt N, PetscReal *size,
                              PetscInt *turned)
{
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, system));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetDiscretization(dg, quadrature ? PLEX_DG_QUADRATURE : PLEX_DG_NODAL));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(PlexDGComputeEnergy(dg, R, size));
  *turned = 0;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) *turned += dg->mesh->turned[e];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, turned, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh, then with all cells turned round, or every second one */
static PetscErrorCode TestTurned(DM dm, const char name[], const char system[], PetscBool quadrature, PetscInt every)
{
  PetscInt  cStart, cEnd, turned[2], expected = 0;
  PetscReal size[2];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(GetSize(dm, system, quadrature, 3, &size[0], &turned[0]));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart; c < cEnd; c += every, ++expected) {
    DMPolytopeType type;

    PetscCall(DMPlexGetCellType(dm, c, &type));
    PetscCall(DMPlexOrientPoint(dm, c, -1 - c % (DMPolytopeTypeGetNumArrangements(type) / 2)));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &expected, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(GetSize(dm, system, quadrature, 3, &size[1], &turned[1]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", name, system));
  PetscCall(PlexTestReportOf((PetscBool)(turned[0] == 0 && turned[1] == expected && size[0] > 1. &&
                                         PetscAbsReal(size[1] - size[0]) < 1e-11 * size[0]),
                             of, every == 1 ? "clockwise" : "every second cell clockwise",
                             "%" PetscInt_FMT " and %" PetscInt_FMT " cells turned, of %" PetscInt_FMT
                             ", sizes %.15g and %.15g",
                             turned[0], turned[1], expected, (double)size[0], (double)size[1]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestAllTurned(void)
{
  const DMPolytopeType types[]   = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_QUADRILATERAL,
                                    DM_POLYTOPE_HEXAHEDRON};
  const char          *systems[] = {"maxwell", "acoustics", "acoustics_uniform"};
  DM                   dm;

  PetscFunctionBegin;
  for (PetscInt every = 1; every < 3; ++every) {
    for (PetscInt k = 0; k < 4; ++k) {
      for (PetscInt s = k < 2 ? 0 : 2; s < 3; ++s) {
        PetscCall(PlexTestMesh(PETSC_COMM_WORLD, types[k], 1, &dm));
        PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
        PetscCall(TestTurned(dm, DMPolytopeTypes[types[k]], systems[s], (PetscBool)(s == 2), every));
      }
    }
    for (PetscInt q = 0; q < 2; ++q) {
      PetscCall(PlexTestBasin(PETSC_COMM_WORLD, (PetscBool)q, PLEX_TEST_CURVED, 4, 2, &dm));
      PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
      PetscCall(TestTurned(dm, q ? "curved quadrilaterals" : "curved triangles", "shallow_water_linear", PETSC_TRUE,
                           every));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Meshes that are errors */

typedef struct {
  PetscInt  dim;
  PetscBool quadrature, hybridized;
} Broken;

static PetscErrorCode SetUpOn(DM dm, PetscBool quadrature)
{
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics_uniform"));
  PetscCall(PlexDGSetDiscretization(dg, quadrature ? PLEX_DG_QUADRATURE : PLEX_DG_NODAL));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Hybridized DG reads cells by the same function */
static PetscErrorCode SetUpHDG(DM dm)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first vertex inside is moved through the opposite side of one of its cells, so that cells overlap */
static PetscErrorCode OnTangled(void *ctx)
{
  const Broken *b = (const Broken *)ctx;
  PetscScalar  *x;
  PetscInt      n;
  Vec           coordinates;
  DM            dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, b->dim, 2, PETSC_FALSE, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt v = 0; v < n; v += b->dim) {
    PetscBool center = PETSC_TRUE;

    for (PetscInt d = 0; d < b->dim; ++d) center = (PetscBool)(center && PetscAbsScalar(x[v + d] - 0.5) < 1e-10);
    for (PetscInt d = 0; d < b->dim && center; ++d) x[v + d] = 1.2 + 0.1 * d;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(SetUpOn(dm, b->quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two cells that Gmsh would write, of different types */
static PetscErrorCode OnMixed(void *ctx)
{
  const Broken *b = (const Broken *)ctx;
  /* a wedge and a tetrahedron on it */
  const char *const solid = "7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 0 1 1\n7 0 0 "
                            "2\n$EndNodes\n$Elements\n2\n1 6 2 1 1 1 2 3 4 5 6\n2 4 2 1 1 4 5 6 7\n";
  /* a triangle and a quadrilateral */
  const char *const plane = "5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 2 0 0\n$EndNodes\n$Elements\n2\n1 2 2 1 1 2 5 "
                            "3\n2 3 2 1 1 1 2 3 4\n";
  char              name[64];
  FILE             *file;
  DM                dm;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "build/tests/mixed-%d.msh", (int)getpid()));
  file = fopen(name, "w");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No file %s", name);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%s$EndElements\n", b->dim == 3 ? solid : plane);
  fclose(file);
  PetscCall(DMPlexCreateGmshFromFile(PETSC_COMM_SELF, name, PETSC_TRUE, &dm));
  (void)remove(name);
  if (b->hybridized) PetscCall(SetUpHDG(dm));
  else PetscCall(SetUpOn(dm, b->quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OnHexahedra(void *ctx)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_HEXAHEDRON, 0, &dm));
  PetscCall(SetUpOn(dm, *(const PetscBool *)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Quadrilaterals, made triangles as the message says */
static PetscErrorCode OnQuadrilaterals(void *ctx)
{
  const PetscBool advised = *(const PetscBool *)ctx;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-dm_plex_dim 2 -dm_plex_simplex 0 -dm_plex_box_faces 2,2"));
  if (advised) PetscCall(PetscOptionsInsertString(NULL, "-dm_refine 1 -dm_plex_transform_type refine_tosimplex"));
  PetscCall(DMCreate(PETSC_COMM_SELF, &dm));
  PetscCall(DMSetType(dm, DMPLEX));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(PlexTestClearOptions("-dm_plex_dim 2 -dm_plex_simplex 0 -dm_plex_box_faces 2,2 -dm_refine 1 "
                                 "-dm_plex_transform_type refine_tosimplex"));
  PetscCall(SetUpOn(dm, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products of sizes */

/* An operator that says it has 2^26 elements: their values are more than 2^31. Nothing of that size is there */
static PetscErrorCode WithManyElements(void *ctx)
{
  PetscInt Ne;
  DM       dm;
  PlexDG   dg;
  Vec      U = NULL;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, 2, 1, PETSC_FALSE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetUp(dg));
  Ne           = dg->mesh->Ne;
  dg->mesh->Ne = 72000000; /* times 60 is 25,032,704 in 32 bits: VecCreate() would find nothing wrong */
  if (!PlexDGCreateVec(dg, &U)) {
    dg->mesh->Ne = Ne;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  dg->mesh->Ne = Ne;
  PetscFunctionReturn(PETSC_ERR_SUP);
}

static PetscErrorCode TestErrors(void)
{
  const PetscBool no = PETSC_FALSE, yes = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < 2; ++q) {
    EXPECT(q ? "a tangled mesh of triangles, with quadrature" : "a tangled mesh of triangles", OnTangled,
           (&(Broken){2, (PetscBool)q, PETSC_FALSE}), "Cell", "is inverted", "same side of that face", "centroid (");
    EXPECT(q ? "a tangled mesh of tetrahedra, with quadrature" : "a tangled mesh of tetrahedra", OnTangled,
           (&(Broken){3, (PetscBool)q, PETSC_FALSE}), "Cell", "is inverted", "same side of that face", "centroid (");
    EXPECT(q ? "a wedge beside a tetrahedron, with quadrature" : "a wedge beside a tetrahedron", OnMixed,
           (&(Broken){3, (PetscBool)q, PETSC_FALSE}), "tetrahedrons or hexahedrons, and cell",
           "is a tensor_triangular_prism", "-dm_view");
  }
  EXPECT("a wedge beside a tetrahedron, hybridized", OnMixed, (&(Broken){3, PETSC_FALSE, PETSC_TRUE}),
         "is a tensor_triangular_prism", "triangles, quadrilaterals, tetrahedra and hexahedra");
  EXPECT("a quadrilateral beside a triangle", OnMixed, (&(Broken){2, PETSC_FALSE, PETSC_FALSE}),
         "triangles and tetrahedra, and cell", "is a quadrilateral");
  PetscCall(PlexTestReport((PetscBool)!OnMixed(&(Broken){2, PETSC_TRUE, PETSC_FALSE}),
                           "a quadrilateral beside a triangle, with quadrature", "an error"));
  EXPECT("hexahedra", OnHexahedra, (void *)&no, "is a hexahedron", "-plex_dg_discretization quadrature",
         "acoustics_uniform");
  PetscCall(PlexTestReport((PetscBool)!OnHexahedra((void *)&yes), "hexahedra as the message says", "an error"));
  EXPECT("quadrilaterals", OnQuadrilaterals, (void *)&no, "is a quadrilateral",
         "-dm_refine 1 -dm_plex_transform_type refine_tosimplex");
  PetscCall(PlexTestReport((PetscBool)!OnQuadrilaterals((void *)&yes),
                           "quadrilaterals made triangles as the message says", "an error"));
  if (!PetscDefined(USE_64BIT_INDICES)) /* with 64 bits: dgsizes */
    EXPECT("values that 32 bits do not count", WithManyElements, NULL, "72000000 times 60", "more than 2147483647",
           "--with-64-bit-indices", "more processes");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(TestAllTurned());
  if (size == 1) PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
