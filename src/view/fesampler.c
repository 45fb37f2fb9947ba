/*
  Finite element fields at points of the reference cell: u(x(xi)) = sum_b U_b phi_b(xi) and x(xi) = sum_v X_v psi_v(xi),
  U and X being what DMPlex gathers from the closure of a cell.
*/
#include "fesampler.h"
#include "viewimpl.h"
#include "../dm/elementsimpl.h"

static PetscErrorCode PlexFESamplerCheckField(PlexFESampler s, PetscInt f)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)s->dm);
  DMLabel        label;
  PetscObject    object;
  PetscDualSpace dual;
  PetscSpace     space;
  PetscClassId   id;
  PetscBool      lagrange, continuous;

  PetscFunctionBegin;
  PetscCall(DMGetField(s->dm, f, &label, &object));
  if (object->name) PetscCall(PetscStrncpy(s->names[f], object->name, sizeof(s->names[f])));
  else PetscCall(PetscSNPrintf(s->names[f], sizeof(s->names[f]), "field%" PetscInt_FMT, f));
  for (char *c = s->names[f]; *c; ++c)
    if (*c == '/' || *c == '.') *c = '_'; /* which separate names of HDF5 */
  PetscCheck(!label, comm, PETSC_ERR_SUP,
             "Field %s lives on a part of the mesh: view it with DMPlexFilter() of that part, or with PETSc's vtk "
             "viewer",
             s->names[f]);
  PetscCall(PetscObjectGetClassId(object, &id));
  PetscCheck(id == PETSCFE_CLASSID, comm, PETSC_ERR_SUP,
             "Field %s is no finite element: view it with PETSc's vtk viewer", s->names[f]);
  PetscCall(PetscFEGetNumComponents((PetscFE)object, &s->Nc[f]));
  PetscCall(PetscFEGetBasisSpace((PetscFE)object, &space));
  PetscCall(PetscSpaceGetDegree(space, &s->degree[f], NULL));
  PetscCall(PetscFEGetDualSpace((PetscFE)object, &dual));
  PetscCall(PlexDualSpaceIsLagrange(dual, &lagrange, &continuous, NULL));
  PetscCheck(lagrange, comm, PETSC_ERR_SUP,
             "Field %s has no Lagrange elements: project it with DMProjectField() to a DM with some, and view that",
             s->names[f]);
  if (!continuous || !s->degree[f]) s->continuous = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own cells, which are of one type on all processes */
static PetscErrorCode PlexFESamplerFindCells(PlexFESampler s)
{
  const PetscInt *leaves;
  PetscInt        nleaves, n = 0, from;
  PetscMPIInt     other = 0;
  PetscSF         sf;

  PetscFunctionBegin;
  PetscCall(PlexGetIntegratedCells(s->dm, NULL, &s->Ne, &s->cells));
  PetscCall(DMGetPointSF(s->dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, NULL));
  for (PetscInt e = 0; e < s->Ne; ++e) {
    PetscInt at = -1;

    if (nleaves > 0 && leaves) PetscCall(PetscFindInt(s->cells[e], nleaves, leaves, &at));
    else if (nleaves > 0 && s->cells[e] < nleaves) at = 0;
    if (at < 0) s->cells[n++] = s->cells[e];
  }
  s->Ne = n;
  PetscCall(PlexGetCellType(s->dm, s->Ne, s->cells, &s->cell));
  PetscCall(PlexFindOtherType(s->dm, s->Ne, s->cells, &from));
  for (PetscInt e = from; e <= s->Ne && s->Ne; ++e) {
    DMPolytopeType ct; /* of the first cell, too, which may be another one than other processes have */

    PetscCall(DMPlexGetCellType(s->dm, s->cells[e < s->Ne ? e : 0], &ct));
    if (ct != s->cell) other = 1;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &other, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)s->dm)));
  s->tensor = (PetscBool)(s->cell == DM_POLYTOPE_QUADRILATERAL || s->cell == DM_POLYTOPE_HEXAHEDRON);
  PetscCheck(!other && (s->tensor || s->cell == DM_POLYTOPE_TRIANGLE || s->cell == DM_POLYTOPE_TETRAHEDRON),
             PetscObjectComm((PetscObject)s->dm), PETSC_ERR_SUP,
             "Cells have to be all triangles, quadrilaterals, tetrahedra or hexahedra, and there are %s: view others "
             "with "
             "PETSc's vtk viewer",
             other              ? "several types"
             : (int)s->cell < 0 ? "none"
                                : DMPolytopeTypes[s->cell]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFESamplerSetUpCoordinates(PlexFESampler s)
{
  PetscSpace space;
  PetscInt   Nc;
  Vec        own;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(s->dm, s->cell, &s->coordinateFE));
  PetscCall(PetscFEGetBasisSpace(s->coordinateFE, &space));
  PetscCall(PetscSpaceGetDegree(space, &s->coordinateDegree, NULL));
  PetscCall(PetscFEGetDimension(s->coordinateFE, &s->Nv));
  PetscCall(PetscFEGetNumComponents(s->coordinateFE, &Nc));
  s->Nv /= Nc;
  PetscCall(DMGetCellCoordinatesLocal(s->dm, &own)); /* of periodic meshes: they jump between cells */
  if (own) s->continuous = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFESamplerSetValues(PlexFESampler s, Vec u, PetscReal t)
{
  PetscInt n, own;
  Vec      global;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(s->dm, &global));
  PetscCall(VecGetLocalSize(global, &n));
  PetscCall(DMRestoreGlobalVector(s->dm, &global));
  PetscCall(VecGetLocalSize(u, &own));
  PetscCheck(n == own, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The vector has %" PetscInt_FMT " values on this process and the DM's global vectors have %" PetscInt_FMT
             ": it has to be one of DMCreateGlobalVector()",
             own, n);
  PetscCall(DMGetLocalVector(s->dm, &s->local));
  PetscCall(VecSet(s->local, 0.));
  PetscCall(DMGlobalToLocal(s->dm, u, INSERT_VALUES, s->local));
  PetscCall(DMPlexInsertBoundaryValues(s->dm, PETSC_TRUE, s->local, t, NULL, NULL, NULL));
  PetscCall(DMGetLocalSection(s->dm, &s->section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFESamplerCreate_Private(DM dm, Vec u, PetscReal t, PlexFESampler *sampler)
{
  PlexFESampler s;
  PetscBool     isplex;
  PetscInt      at = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMPLEX, &isplex));
  PetscCheck(isplex, PetscObjectComm((PetscObject)dm), PETSC_ERR_ARG_WRONG, "The DM is of type %s, and not %s",
             ((PetscObject)dm)->type_name, DMPLEX);
  PetscCall(PetscNew(&s));
  *sampler = s;
  PetscCall(PetscObjectReference((PetscObject)dm));
  s->dm         = dm;
  s->continuous = PETSC_TRUE;
  PetscCall(DMGetDimension(dm, &s->dim));
  PetscCall(DMGetCoordinateDim(dm, &s->cdim));
  PetscCall(DMGetNumFields(dm, &s->Nf));
  PetscCall(PetscCalloc5(s->Nf, &s->Nc, s->Nf, &s->degree, s->Nf, &s->offset, s->Nf, &s->names, s->Nf, &s->T));
  PetscCall(PlexFESamplerFindCells(s));
  for (PetscInt f = 0; f < s->Nf; ++f) {
    PetscObject object;
    PetscInt    Nb;

    PetscCall(PlexFESamplerCheckField(s, f));
    PetscCall(DMGetField(dm, f, NULL, &object));
    PetscCall(PetscFEGetDimension((PetscFE)object, &Nb));
    s->offset[f] = at;
    at += Nb;
  }
  PetscCall(PlexFESamplerSetUpCoordinates(s));
  PetscCall(PlexFESamplerSetValues(s, u, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFESamplerForgetTables(PlexFESampler s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->shape));
  for (PetscInt f = 0; f < s->Nf; ++f) PetscCall(PetscTabulationDestroy(&s->T[f]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFESamplerTabulate_Private(PlexFESampler s, PetscInt n, const PetscReal points[])
{
  PetscFunctionBegin;
  PetscCall(PlexFESamplerForgetTables(s));
  s->n = n;
  PetscCall(PetscMalloc1((size_t)n * s->Nv, &s->shape));
  PetscCall(PlexCoordinateTabulate(s->coordinateFE, s->Nv, n, points, s->shape, NULL));
  for (PetscInt f = 0; f < s->Nf; ++f) {
    PetscObject fe;

    PetscCall(DMGetField(s->dm, f, NULL, &fe));
    PetscCall(PetscFECreateTabulation((PetscFE)fe, 1, n, points, 0, &s->T[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFESamplerGetPositions_Private(PlexFESampler s, PetscInt e, PetscReal x[])
{
  const PetscScalar *array;
  PetscScalar       *X = NULL;
  PetscInt           n;
  PetscBool          own;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCellCoordinates(s->dm, s->cells[e], &own, &n, &array, &X));
  PetscCheck(n == s->Nv * s->cdim, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT " coordinates, and others have %" PetscInt_FMT, s->cells[e], n,
             s->Nv * s->cdim);
  for (PetscInt i = 0; i < s->n; ++i)
    for (PetscInt d = 0; d < 3; ++d) {
      PetscReal sum = 0.;

      for (PetscInt v = 0; d < s->cdim && v < s->Nv; ++v)
        sum += s->shape[i * s->Nv + v] * PetscRealPart(X[v * s->cdim + d]);
      x[3 * i + d] = sum;
    }
  PetscCall(DMPlexRestoreCellCoordinates(s->dm, s->cells[e], &own, &n, &array, &X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFESamplerGetValues_Private(PlexFESampler s, PetscInt e, PetscInt f, PetscBool imaginary,
                                              PetscReal v[])
{
  const PetscInt Nc = s->Nc[f], Nb = s->T[f]->Nb;
  PetscScalar   *U = NULL;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(DMPlexVecGetClosure(s->dm, s->section, s->local, s->cells[e], &n, &U));
  PetscCheck(n >= s->offset[f] + Nb, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT " values, and %" PetscInt_FMT " are those of its fields",
             s->cells[e], n, s->offset[f] + Nb);
  for (PetscInt i = 0; i < s->n; ++i)
    for (PetscInt c = 0; c < Nc; ++c) {
      PetscReal sum = 0.;

      for (PetscInt b = 0; b < Nb; ++b) {
        const PetscScalar value = U[s->offset[f] + b];

        sum += s->T[f]->T[0][((size_t)i * Nb + b) * Nc + c] *
               (imaginary ? PetscImaginaryPart(value) : PetscRealPart(value));
      }
      v[i * Nc + c] = sum;
    }
  PetscCall(DMPlexVecRestoreClosure(s->dm, s->section, s->local, s->cells[e], &n, &U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFESamplerDestroy_Private(PlexFESampler *sampler)
{
  PlexFESampler s = *sampler;

  PetscFunctionBegin;
  PetscCall(PlexFESamplerForgetTables(s));
  PetscCall(PetscFree5(s->Nc, s->degree, s->offset, s->names, s->T));
  PetscCall(PetscFree(s->cells));
  PetscCall(PetscFEDestroy(&s->coordinateFE));
  PetscCall(DMRestoreLocalVector(s->dm, &s->local));
  PetscCall(DMDestroy(&s->dm));
  PetscCall(PetscFree(*sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- As what is drawn */

typedef struct {
  PlexFESampler s;
  PetscInt      field;
} PlexFEPicture;

static PetscErrorCode PlexFEPictureTabulate(PlexSampler sampler, PetscInt k, PetscInt n, const PetscReal points[])
{
  PetscFunctionBegin;
  (void)k;
  PetscCall(PlexFESamplerTabulate_Private(((PlexFEPicture *)sampler->data)->s, n, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFEPicturePosition(PlexSampler sampler, PetscInt k, PetscInt e, PetscReal x[])
{
  PetscFunctionBegin;
  (void)k;
  PetscCall(PlexFESamplerGetPositions_Private(((PlexFEPicture *)sampler->data)->s, e, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFEPictureValues(PlexSampler sampler, PetscInt k, PetscInt e, PetscReal v[])
{
  const PlexFEPicture *p = (PlexFEPicture *)sampler->data;

  PetscFunctionBegin;
  (void)k;
  PetscCall(PlexFESamplerGetValues_Private(p->s, e, p->field, PETSC_FALSE, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexFEPictureDestroy(PlexSampler sampler)
{
  PlexFEPicture *p = (PlexFEPicture *)sampler->data;

  PetscFunctionBegin;
  PetscCall(PlexFESamplerDestroy_Private(&p->s));
  PetscCall(PetscFree(sampler->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSamplerCreate_DM(PetscObject source, Vec U, PetscReal t, const char field[], PlexSampler sampler)
{
  PlexFEPicture *p;
  PlexFESampler  s;
  const char   **names;

  PetscFunctionBegin;
  PetscCheck(U, PetscObjectComm(source), PETSC_ERR_ARG_NULL, "A DM is drawn with a vector");
  PetscCall(PetscNew(&p));
  PetscCall(PlexFESamplerCreate_Private((DM)source, U, t, &p->s));
  s = p->s;
  PetscCheck(s->dim == s->cdim, PetscObjectComm(source), PETSC_ERR_SUP,
             "Cells of dimension %" PetscInt_FMT " in %" PetscInt_FMT
             " dimensions cannot be drawn: write them with PlexVecWriteVTKHDF()",
             s->dim, s->cdim);
  PetscCall(PetscMalloc1(s->Nf, &names));
  for (PetscInt f = 0; f < s->Nf; ++f) names[f] = s->names[f];
  PetscCall(PlexSamplerFind_Private(source, field, s->Nf, names, &p->field));
  PetscCall(PetscFree(names));
  PetscCall(PetscStrncpy(sampler->label, s->names[p->field], sizeof(sampler->label)));
  sampler->dim             = s->dim;
  sampler->nc              = s->Nc[p->field];
  sampler->nkinds          = 1;
  sampler->kinds[0].tensor = s->tensor;
  sampler->kinds[0].degree = PetscMax(s->degree[p->field], s->coordinateDegree);
  sampler->kinds[0].linear = (PetscBool)(!s->tensor && sampler->kinds[0].degree <= 1);
  sampler->kinds[0].Ne     = s->Ne;
  sampler->data            = p;
  sampler->tabulate        = PlexFEPictureTabulate;
  sampler->position        = PlexFEPicturePosition;
  sampler->values          = PlexFEPictureValues;
  sampler->destroy         = PlexFEPictureDestroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}
