/*
  Levels of p-multigrid: DMs with the mesh, the pointwise functions, the boundary conditions and the auxiliary fields of a
  finer one, and a space of a lower degree.

  A level takes PETSc's quadrature of its own degree where the finest level has that of its degree. Where that one has
  another quadrature, or there are auxiliary fields, which are tabulated at its points, levels take the finest one's.
*/
#include "multigrid.h"
#include "../../dm/elementsimpl.h" /* quadratures */
#include <petsc/private/dmimpl.h>  /* constructors of null spaces */

PetscErrorCode PlexLevelGetPlaces(DM dm, PetscInt *Nl, int **places)
{
  PetscSection local, global;
  PetscInt     pStart, pEnd, first = PETSC_INT_MAX, n;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &local));
  PetscCall(DMGetGlobalSection(dm, &global));
  PetscCall(PetscSectionGetStorageSize(local, Nl));
  PetscCall(PetscMalloc1(*Nl, places));
  for (PetscInt k = 0; k < *Nl; ++k) (*places)[k] = -1;
  PetscCall(PetscSectionGetChart(local, &pStart, &pEnd));
  for (PetscInt p = pStart; p < pEnd; ++p) {
    PetscInt offset;

    PetscCall(PetscSectionGetDof(global, p, &n));
    PetscCall(PetscSectionGetOffset(global, p, &offset));
    if (n > 0 && offset >= 0) first = PetscMin(first, offset);
  }
  for (PetscInt p = pStart; p < pEnd; ++p) {
    const PetscInt *held;
    PetscInt        offset, place, nheld, next = 0;

    PetscCall(PetscSectionGetDof(global, p, &n));
    PetscCall(PetscSectionGetOffset(global, p, &place));
    if (n <= 0 || place < 0) continue; /* none, or of another process */
    PetscCall(PetscSectionGetDof(local, p, &n));
    PetscCall(PetscSectionGetOffset(local, p, &offset));
    PetscCall(PetscSectionGetConstraintDof(local, p, &nheld));
    PetscCall(PetscSectionGetConstraintIndices(local, p, &held));
    place -= first;
    for (PetscInt d = 0; d < n; ++d) {
      if (next < nheld && held[next] == d) ++next;
      else (*places)[offset + d] = (int)place++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The standard element of a degree on the cells of another one */
static PetscErrorCode PlexLevelCreateStandard(PetscFE fine, PetscInt degree, PetscFE *fe)
{
  PetscDualSpace dual;
  DMPolytopeType cell;
  PetscInt       dim, Nc;
  DM             K;

  PetscFunctionBegin;
  PetscCall(PetscFEGetDualSpace(fine, &dual));
  PetscCall(PetscDualSpaceGetDM(dual, &K));
  PetscCall(DMPlexGetCellType(K, 0, &cell));
  PetscCall(PetscFEGetSpatialDimension(fine, &dim));
  PetscCall(PetscFEGetNumComponents(fine, &Nc));
  PetscCall(PetscFECreateLagrangeByCell(PetscObjectComm((PetscObject)fine), dim, Nc, cell, degree, PETSC_DETERMINE,
                                        fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLevelGetDegree(DM dm, PetscInt *degree)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dm);
  PetscInt       Nf, Nds, n, standard;
  PetscFE        fe, same;
  PetscDS        ds;
  PetscClassId   id;
  PetscDualSpace dual;
  DMLabel        label;
  PetscBool      lagrange = PETSC_FALSE, continuous = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMGetNumFields(dm, &Nf));
  PetscCheck(Nf == 1, comm, PETSC_ERR_SUP,
             "-pc_type plexpmg serves one field and the DM has %" PetscInt_FMT
             ": use -pc_type fieldsplit, where it may precondition the block of a field",
             Nf);
  PetscCall(DMGetNumDS(dm, &Nds));
  PetscCall(DMGetField(dm, 0, &label, NULL));
  PetscCheck(Nds == 1 && !label, comm, PETSC_ERR_SUP,
             "-pc_type plexpmg, of a field in a region, or with functions by region: use -pc_type gamg with "
             "-dm_mat_type "
             "aij");
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetDiscretization(ds, 0, (PetscObject *)&fe));
  PetscCall(PetscObjectGetClassId((PetscObject)fe, &id));
  if (id == PETSCFE_CLASSID) {
    PetscCall(PetscFEGetDualSpace(fe, &dual));
    PetscCall(PlexDualSpaceIsLagrange(dual, &lagrange, &continuous, degree));
  }
  lagrange = (PetscBool)(lagrange && continuous);
  if (lagrange && *degree > 0) {
    PetscCall(PlexLevelCreateStandard(fe, *degree, &same));
    PetscCall(PetscFEGetDimension(same, &standard));
    PetscCall(PetscFEGetDimension(fe, &n));
    PetscCall(PetscFEDestroy(&same));
    lagrange = (PetscBool)(n == standard);
  }
  PetscCheck(lagrange && *degree > 0, comm, PETSC_ERR_SUP,
             "-pc_type plexpmg serves continuous Lagrange elements of full degree: use another preconditioner, as "
             "-pc_type gamg with -dm_mat_type aij");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLevelSameQuadrature(PetscFE a, PetscFE b, PetscBool *same)
{
  PetscQuadrature qa, qb;

  PetscFunctionBegin;
  PetscCall(PetscFEGetQuadrature(a, &qa));
  PetscCall(PetscFEGetQuadrature(b, &qb));
  PetscCall(PlexQuadraturesMatch(qa, qb, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLevelCreateFE(DM dm, PetscInt degree, PetscFE *fe)
{
  PetscFE         fine, standard;
  PetscDS         ds;
  PetscDualSpace  dual;
  PetscQuadrature q;
  PetscInt        naux, order;
  PetscBool       same, lagrange, continuous;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetDiscretization(ds, 0, (PetscObject *)&fine));
  PetscCall(PlexLevelCreateStandard(fine, degree, fe));
  PetscCall(DMGetNumAuxiliaryVec(dm, &naux));
  PetscCall(PetscFEGetDualSpace(fine, &dual));
  PetscCall(PlexDualSpaceIsLagrange(dual, &lagrange, &continuous, &order));
  PetscCall(PlexLevelCreateStandard(fine, order, &standard));
  PetscCall(PlexLevelSameQuadrature(fine, standard, &same));
  PetscCall(PetscFEDestroy(&standard));
  if (same && !naux) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFEGetQuadrature(fine, &q));
  PetscCall(PetscFESetQuadrature(*fe, q));
  PetscCall(PetscFEGetFaceQuadrature(fine, &q));
  PetscCall(PetscFESetFaceQuadrature(*fe, q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of a field's null space. A near-null space is taken from the finest level: to make it again is slow */
static PetscErrorCode PlexLevelCopyConstructor(DM dm, DM level)
{
  PetscErrorCode (*null)(DM, PetscInt, PetscInt, MatNullSpace *) = NULL;

  PetscFunctionBegin;
  if (!dm->nullspaceConstructors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetNullSpaceConstructor(dm, 0, &null));
  if (null) PetscCall(DMSetNullSpaceConstructor(level, 0, null));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLevelCreateDM(DM dm, PetscInt degree, DM *level)
{
  const char *prefix;
  PetscBool   useCone, useClosure;
  PetscFE     fe;
  PetscDS     ds;
  PetscInt    jets;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, level));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)*level, prefix));
  PetscCall(PlexLevelCreateFE(dm, degree, &fe));
  PetscCall(DMCopyFields(dm, PETSC_DETERMINE, degree, *level)); /* with room for constructors of null spaces */
  PetscCall(DMSetField(*level, 0, NULL, (PetscObject)fe));
  PetscCall(DMGetAdjacency(dm, 0, &useCone, &useClosure));
  PetscCall(DMSetAdjacency(*level, 0, useCone, useClosure));
  PetscCall(DMCopyDS(dm, PETSC_DETERMINE, degree, *level));
  PetscCall(DMGetDS(*level, &ds));
  PetscCall(PetscDSGetJetDegree(ds, 0, &jets));
  PetscCall(PetscDSSetDiscretization(ds, 0, (PetscObject)fe)); /* with its quadrature */
  PetscCall(PetscDSSetJetDegree(ds, 0, jets));
  PetscCall(PetscDSSetUp(ds));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(PlexLevelCopyConstructor(dm, *level));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLevelUpdateDM(DM dm, DM level)
{
  PetscDS      from, to;
  Vec          x, y;
  DM           cells, own;
  PetscSection section;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &from));
  PetscCall(DMGetDS(level, &to));
  PetscCall(PetscDSCopyConstants(from, to));
  PetscCall(DMCopyAuxiliaryVec(dm, level));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(DMGetCoordinatesLocal(level, &y));
  if (x != y) PetscCall(DMSetCoordinatesLocal(level, x));
  PetscCall(DMGetCellCoordinatesLocal(dm, &x));
  PetscCall(DMGetCellCoordinatesLocal(level, &y));
  PetscCall(DMGetCellCoordinateDM(dm, &cells));
  PetscCall(DMGetCellCoordinateDM(level, &own)); /* which DMClone() of PETSc 3.26.1 leaves out at times */
  if (!x || (x == y && cells == own)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCellCoordinateSection(dm, &section));
  PetscCall(DMSetCellCoordinateDM(level, cells));
  PetscCall(DMSetCellCoordinateSection(level, PETSC_DETERMINE, section));
  PetscCall(DMSetCellCoordinatesLocal(level, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
