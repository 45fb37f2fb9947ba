static char help[] = "The nodal DG operator on several processes: compared, node by node, with the same operator of "
                     "the whole mesh on each process.\n\n";

#include "dgproblem.h"
#include "report.h"

typedef enum {
  IRREGULAR,
  PERIODIC,
  OVERLAP, /* with cells of others */
  IDLE     /* the last process has no cells */
} Mesh;
static const char *const meshNames[] = {"irregular mesh", "periodic mesh", "overlap", "idle process"};

static PetscErrorCode MakeMesh(MPI_Comm comm, PetscInt dim, Mesh mesh, DM *dm)
{
  PetscFunctionBegin;
  if (mesh == PERIODIC) PetscCall(PlexTestSimplexBox(comm, dim, 3, PETSC_TRUE, dm));
  else PetscCall(PlexTestMesh(comm, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 3, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of a mesh and its right-hand side for a rough state; periodic ones take a smooth periodic state by the
   cells' own coordinates */
static PetscErrorCode MakeRHS(DM dm, const char backend[], const char type[], const char system[], PetscInt N,
                              PlexPrecision precision, PlexDG *dg, Vec *U, Vec *R)
{
  const PetscReal alpha = 0.7;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetType(*dg, type));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetCoefficients(*dg, PlexTestUneven, NULL));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(VecDuplicate(*U, R));
  PetscCall(PlexDGProject(*dg, 0., PlexTestRough, NULL, *U));
  PetscCall(PlexDGComputeRHS(*dg, 0., *U, *R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The element of `all` whose vertices are those of element e of `part`, in any order: node[Np] is where the nodes of
   the one are in the other */
static PetscErrorCode FindElement(PlexDG part, PetscInt e, PlexDG all, PetscInt *found, PetscInt node[])
{
  const PetscInt dim = part->mesh->dim, nv = dim + 1, Np = part->reference->Np;
  PetscReal      x[3], y[3];

  PetscFunctionBegin;
  *found = -1;
  for (PetscInt a = 0; a < all->mesh->Ne && *found < 0; ++a) {
    PetscReal far = 0.;

    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal sum = 0.;

      for (PetscInt v = 0; v < nv; ++v)
        sum += part->mesh->x[(e * nv + v) * dim + d] - all->mesh->x[(a * nv + v) * dim + d];
      far = PetscMax(far, PetscAbsReal(sum));
    }
    if (far < 1e-10) *found = a;
  }
  PetscCheck(*found >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Element %" PetscInt_FMT " is not in the whole mesh", e);
  for (PetscInt i = 0; i < Np; ++i) {
    node[i] = -1;
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal far = 0.;

      for (PetscInt d = 0; d < dim; ++d) {
        x[d] = y[d] = 0.;
        for (PetscInt v = 0; v < nv; ++v) {
          x[d] += part->reference->lambda[i * nv + v] * part->mesh->x[(e * nv + v) * dim + d];
          y[d] += part->reference->lambda[j * nv + v] * all->mesh->x[(*found * nv + v) * dim + d];
        }
        far = PetscMax(far, PetscAbsReal(x[d] - y[d]));
      }
      if (far < 1e-10) node[i] = j;
    }
    PetscCheck(node[i] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Node %" PetscInt_FMT " of element %" PetscInt_FMT " is not in the whole mesh", i, e);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of two vectors, and the largest entry of that of the whole mesh */
static PetscErrorCode Compare(PlexDG part, Vec R, PlexDG all, Vec Rall, PetscReal *most, PetscReal *largest)
{
  const PetscInt     Np = part->reference->Np, Nf = part->system->Nf;
  const PetscScalar *r, *rall;
  PetscInt          *node, a;
  PetscReal          difference = 0.;

  PetscFunctionBegin;
  PetscCall(VecNorm(Rall, NORM_INFINITY, largest));
  PetscCall(PetscMalloc1(Np, &node));
  PetscCall(VecGetArrayRead(R, &r));
  PetscCall(VecGetArrayRead(Rall, &rall));
  for (PetscInt e = 0; e < part->mesh->Ne; ++e) {
    PetscCall(FindElement(part, e, all, &a, node));
    for (PetscInt k = 0; k < Nf; ++k)
      for (PetscInt i = 0; i < Np; ++i)
        difference = PetscMax(difference, PetscAbsScalar(r[(e * Nf + k) * Np + i] - rall[(a * Nf + k) * Np + node[i]]));
  }
  PetscCall(VecRestoreArrayRead(Rall, &rall));
  PetscCall(VecRestoreArrayRead(R, &r));
  PetscCall(PetscFree(node));
  PetscCallMPI(MPIU_Allreduce(&difference, most, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What goes to or comes from a process lies in one piece, in the same order on both sides: PETSc's star forest then
   packs nothing */
static PetscErrorCode InPieces(PlexDG dg, PetscBool *pieces)
{
  const PetscSFNode *remote;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(dg->mesh->sf, NULL, &n, NULL, &remote));
  *pieces = (PetscBool)(n == dg->mesh->nghosts);
  for (PetscInt g = 1; g < n; ++g)
    if (remote[g].rank < remote[g - 1].rank ||
        (remote[g].rank == remote[g - 1].rank && remote[g].index != remote[g - 1].index + 1))
      *pieces = PETSC_FALSE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, pieces, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In single precision what is sent has it, and so have both sides of faces on one process: results are the same but for
   the order of sums, where the vertices of an element come in another one */
static PetscErrorCode TestPrecision(const char backend[], const char type[], const char system[], PetscInt dim,
                                    PetscInt N, Mesh mesh, PlexPrecision precision)
{
  PetscReal   most, largest, energy[2], dt[2];
  PetscBool   pieces;
  PetscInt    sent;
  PetscMPIInt size;
  char        of[128];
  DM          dm, whole;
  PlexDG      dg, all;
  Vec         U, R, Uall, Rall;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MakeMesh(PETSC_COMM_WORLD, dim, mesh, &dm));
  if (mesh == PERIODIC) PetscCall(PlexTestDistributeDefault(&dm, 0));
  else PetscCall(PlexTestDistribute(&dm, mesh == OVERLAP ? 1 : 0, (PetscBool)(mesh == IDLE)));
  PetscCall(MakeRHS(dm, backend, type, system, N, precision, &dg, &U, &R));
  PetscCall(MakeMesh(PETSC_COMM_SELF, dim, mesh, &whole));
  PetscCall(MakeRHS(whole, backend, type, system, N, precision, &all, &Uall, &Rall));
  PetscCall(Compare(dg, R, all, Rall, &most, &largest));
  PetscCallMPI(MPIU_Allreduce(&dg->mesh->nghosts, &sent, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(PlexDGComputeEnergy(all, Uall, &energy[1]));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt[0]));
  PetscCall(PlexDGComputeTimeStep(all, NULL, &dt[1]));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s, %s", backend,
                          type, system, dim, N, meshNames[mesh], PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most < (precision == PLEX_PRECISION_SINGLE ? 1e-6 : 1e-12) * largest &&
                                         (sent > 0) == (size > 1) && dg->mesh->NeGlobal == all->mesh->Ne),
                             of, "as on one process",
                             "off by %g of %g; %" PetscInt_FMT " traces sent, %" PetscInt_FMT " of %" PetscInt_FMT
                             " elements",
                             (double)most, (double)largest, sent, dg->mesh->NeGlobal, all->mesh->Ne));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy[0] - energy[1]) < 1e-12 * energy[1] &&
                                         PetscAbsReal(dt[0] - dt[1]) < 1e-12 * dt[1]),
                             of, "energy and time step as on one process",
                             "energy %.15g and %.15g, step %.15g and %.15g", (double)energy[0], (double)energy[1],
                             (double)dt[0], (double)dt[1]));
  if (size > 1) {
    PetscCall(InPieces(dg, &pieces));
    PetscCall(PlexTestReportOf(pieces, of, "traces of a process lie in one piece", "they do not"));
  }
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&Uall));
  PetscCall(VecDestroy(&Rall));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(PlexDGDestroy(&all));
  PetscCall(DMDestroy(&dm));
  PetscCall(DMDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMesh(const char backend[], const char type[], const char system[], PetscInt dim, PetscInt N,
                               Mesh mesh)
{
  PetscFunctionBegin;
  PetscCall(TestPrecision(backend, type, system, dim, N, mesh, PLEX_PRECISION_DOUBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt dim = 2; dim <= 3; ++dim) {
      for (PetscInt mesh = 0; mesh < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(meshNames); ++mesh) {
        if (mesh == IDLE && size < 3) continue; /* nothing would be sent */
        PetscCall(TestMesh(backends[b], PLEXDGAUTO, "maxwell", dim, dim == 2 ? 4 : 3, (Mesh)mesh));
      }
      PetscCall(TestMesh(backends[b], PLEXDGAUTO, "acoustics", dim, 2, IRREGULAR));
      PetscCall(TestMesh(backends[b], PLEXDGAUTO, "elastic", dim, 3, IRREGULAR));
      PetscCall(TestPrecision(backends[b], PLEXDGAUTO, "maxwell", dim, 3, IRREGULAR, PLEX_PRECISION_SINGLE));
      if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
      PetscCall(TestPrecision(backends[b], PLEXDGFUSED, "maxwell", dim, 2, IRREGULAR, PLEX_PRECISION_SINGLE));
      PetscCall(TestPrecision(backends[b], PLEXDGSEPARATE, "maxwell", dim, 2, IRREGULAR, PLEX_PRECISION_SINGLE));
      PetscCall(TestMesh(backends[b], PLEXDGFUSED, "maxwell", dim, 2, IRREGULAR));
      PetscCall(TestMesh(backends[b], PLEXDGFUSED, "elastic", dim, 2, PERIODIC));
      PetscCall(TestMesh(backends[b], PLEXDGSEPARATE, "maxwell", dim, 2, IRREGULAR));
      if (size > 2) PetscCall(TestMesh(backends[b], PLEXDGSEPARATE, "acoustics", dim, 3, IDLE));
      PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gather", "faces"));
      PetscCall(TestMesh(backends[b], PLEXDGSEPARATE, "acoustics", dim, 3, PERIODIC));
      PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gather"));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
