/*
  Degrees of elements one by one, an indicator of their errors, and p-adaptivity by it.

  The indicator of an element is |u* - u| in L2, u* being post-processed u of degree P + 1. As u* is of one order more than
  u where the solution is smooth and elements resolve the diffusion, it is the error of u to leading order.
*/
#include "groups.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors() */

/*@
  PlexHDGSetDegrees - Sets the degree of each element

  Collective

  Input Parameters:
+ hdg     - the discretization
- degrees - [cells of this process's part of the mesh, `DMPlexGetHeightStratum()` 0] 1 to 9, in the order of their points;
            those of cells that belong to other processes are not read

  Options Database Key:
. -plex_hdg_degrees_label name - `PlexHDGSetDegreesByLabel()`

  Level: intermediate

  Notes:
  A face has a trace of the larger degree of its two elements (variable-degree hybridized DG, Y. Chen and B. Cockburn, IMA J.
  Numer. Anal. 32 (2012), 1267-1293). u, q and post-processed u have degrees P, P and P + 1 in an element of degree P.
  `PlexHDGCreateVecs()` says how vectors are ordered, and `PlexHDGWriteVTKHDF()` writes each element with its own degree.

  For the system `PLEX_HDG_DIFFUSION`, with or without convection and reaction, on the host; not for kappa(u),
  `PlexHDGSetSNES()`, `PlexHDGSetTS()`, `PlexHDGSolveMany()` and `PlexHDGGetNodes()`.

  If all are the same, this is `PlexHDGSetDegree()`, which in turn drops the degrees that this sets. After the mesh has
  changed they have to be set again.

  Example:
.vb
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &degrees));
  for (PetscInt c = cStart; c < cEnd; ++c) degrees[c - cStart] = c % 2 ? 2 : 4;
  PetscCall(PlexHDGSetDegrees(hdg, degrees));
  PetscCall(PetscFree(degrees));
  PetscCall(PlexHDGSolve(hdg));
.ve

.seealso: `PlexHDG`, `PlexHDGGetDegrees()`, `PlexHDGSetDegree()`, `PlexHDGAdaptDegrees()`
@*/
PetscErrorCode PlexHDGSetDegrees(PlexHDG hdg, const PetscInt degrees[])
{
  PetscInt range[2] = {-PETSC_INT_MAX, -PETSC_INT_MAX}, cStart, cEnd, Ne, *cells; /* -least, largest */

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  if (cEnd > cStart) PetscAssertPointer(degrees, 2);
  PetscCall(PlexCellsGetOwned(hdg->dm, &Ne, &cells));
  for (PetscInt e = 0; e < Ne; ++e) {
    const PetscInt P = degrees[cells[e] - cStart];

    PetscCheck(P >= 1 && P <= PLEX_HDG_MAX_DEGREE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Hybridized DG has degrees 1 to %d, not %" PetscInt_FMT " as cell %" PetscInt_FMT
               ": see PlexHDGSetDegrees() and -plex_hdg_degrees_label",
               PLEX_HDG_MAX_DEGREE, P, cells[e]);
    range[0] = PetscMax(range[0], -P);
    range[1] = PetscMax(range[1], P);
  }
  PetscCall(PetscFree(cells));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, range, 2, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)hdg)));
  if (-range[0] >= range[1]) {
    if (range[1] > 0) PetscCall(PlexHDGSetDegree(hdg, range[1]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGReset(hdg));
  if (!hdg->degrees) PetscCall(PlexHDGForgetBackend_Private(hdg));
  PetscCall(PetscFree(hdg->degrees));
  PetscCall(PetscMalloc1(cEnd - cStart, &hdg->degrees));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) hdg->degrees[c] = (int)degrees[c];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetDegrees - Gets the degree of each element

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. degrees - [cells of this process's part of the mesh] as `PlexHDGSetDegrees()` has them; where it was not called that of
            `PlexHDGGetDegree()`

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetDegrees(hdg, degrees));
  for (PetscInt c = cStart; c < cEnd; ++c) degrees[c - cStart] += corner[c - cStart];
  PetscCall(PlexHDGSetDegrees(hdg, degrees));
.ve

.seealso: `PlexHDG`, `PlexHDGSetDegrees()`
@*/
PetscErrorCode PlexHDGGetDegrees(PlexHDG hdg, PetscInt degrees[])
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  if (cEnd > cStart) PetscAssertPointer(degrees, 2);
  for (PetscInt c = 0; c < cEnd - cStart; ++c) degrees[c] = hdg->degrees ? hdg->degrees[c] : hdg->degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetDegreesByLabel - Sets the degree of each element to the value that a label of the mesh has there

  Collective

  Input Parameters:
+ hdg  - the discretization
- name - of the label; elements without a value have the degree of `PlexHDGSetDegree()`

  Options Database Key:
. -plex_hdg_degrees_label name - likewise

  Level: intermediate

  Example:
.vb
  PetscCall(DMCreateLabel(dm, "degrees"));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMSetLabelValue(dm, "degrees", c, c % 2 ? 2 : 4));
  PetscCall(PlexHDGSetDegreesByLabel(hdg, "degrees"));
.ve

.seealso: `PlexHDG`, `PlexHDGSetDegrees()`
@*/
PetscErrorCode PlexHDGSetDegreesByLabel(PlexHDG hdg, const char name[])
{
  PetscInt  cStart, cEnd, *degrees;
  PetscBool has;
  DMLabel   label; /* NULL: no cell of this process has one */

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscCall(DMGetLabel(hdg->dm, name, &label));
  has = (PetscBool)(label != NULL);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &has, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)hdg)));
  PetscCheck(has, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONG,
             "The mesh has no label '%s' with the degrees of elements: see -plex_hdg_degrees_label", name);
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc1(cEnd - cStart, &degrees));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    degrees[c - cStart] = -1;
    if (label) PetscCall(DMLabelGetValue(label, c, &degrees[c - cStart]));
    if (degrees[c - cStart] < 0) degrees[c - cStart] = hdg->degree;
  }
  PetscCall(PlexHDGSetDegrees(hdg, degrees));
  PetscCall(PetscFree(degrees));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetDegreeOptions_Private(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  char      name[PETSC_MAX_PATH_LEN] = "";
  PetscInt  degree                   = hdg->degree;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInt("-plex_hdg_degree", "Degree of the polynomials", "PlexHDGSetDegree", degree, &degree,
                            &set));
  if (set && hdg->degrees)
    PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)hdg), PETSC_STDERR,
                           "PlexHDG: -%splex_hdg_degree %" PetscInt_FMT
                           " takes the place of the degrees that PlexHDGSetDegrees() gives\n",
                           ((PetscObject)hdg)->prefix ? ((PetscObject)hdg)->prefix : "", degree));
  if (set) PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PetscOptionsString("-plex_hdg_degrees_label", "Label of the mesh with the degrees of elements",
                               "PlexHDGSetDegreesByLabel", name, name, sizeof(name), &set));
  if (set) PetscCall(PlexHDGSetDegreesByLabel(hdg, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetElements - Gets the elements of this process in the order of vectors

  Collective

  Input Parameter:
. hdg - the discretization, which is set up if it is not yet

  Output Parameters:
+ Ne    - elements of this process; may be `NULL`
- cells - [Ne] their points in the mesh, valid until `PlexHDGReset()`; may be `NULL`

  Level: intermediate

  Note:
  u has as many numbers of an element as there are functions of its degree: on a triangle (P + 1)(P + 2)/2, a quadrilateral
  (P + 1)^2, a tetrahedron (P + 1)(P + 2)(P + 3)/6, a hexahedron (P + 1)^3; q dim times as many, post-processed u those of
  degree P + 1.

  Example:
.vb
  PetscCall(PlexHDGGetElements(hdg, &Ne, &cells));
  PetscCall(PlexHDGGetDegrees(hdg, degrees));
  for (PetscInt e = 0, at = 0; e < Ne; ++e) { // u of element e begins at u[at]
    const PetscInt P = degrees[cells[e] - cStart];

    at += (P + 1) * (P + 2) / 2;
  }
.ve

.seealso: `PlexHDG`, `PlexHDGCreateVecs()`, `PlexHDGGetDegrees()`
@*/
PetscErrorCode PlexHDGGetElements(PlexHDG hdg, PetscInt *Ne, const PetscInt *cells[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetUp(hdg));
  if (Ne) *Ne = hdg->mesh->Ne;
  if (cells) *cells = hdg->mesh->cells;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |u* - u|^2 of the elements of one degree, indicator[cells of the mesh], of u and u* on the host */
static void PlexHDGSetIndicator(PlexHDG hdg, PetscInt cStart, const PetscReal shape[], const PetscReal dshape[],
                                const PetscScalar u[], const PetscScalar star[], PetscReal indicator[])
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;
  const PetscInt   dim = R->dim, Nv = mesh->Nv;

  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *sum = &indicator[mesh->cells[e] - cStart];

    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal x[3], J[3][3], C[3][3], d = 0.;

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
      for (PetscInt i = 0; i < R->Npost; ++i)
        d += R->phiPost[q * R->Npost + i] * PetscRealPart(star[(size_t)e * R->Npost + i]);
      for (PetscInt i = 0; i < R->Np; ++i) d -= R->phi[q * R->Np + i] * PetscRealPart(u[(size_t)e * R->Np + i]);
      *sum += R->weights[q] * PlexCofactors(dim, J, C) * d * d;
    }
  }
}

/*@
  PlexHDGComputeErrorIndicator - Computes |u* - u| in L2 of each element, u* being post-processed u

  Collective

  Input Parameter:
. hdg - the discretization, after `PlexHDGSolve()`

  Output Parameters:
+ indicator - [cells of this process's part of the mesh, `DMPlexGetHeightStratum()` 0] of its own elements; zero of others;
              `NULL`: not wanted
- norm      - the root of the sum of their squares over all processes, which estimates the error of u; `NULL`: not wanted

  Level: intermediate

  Notes:
  Where the solution is smooth and elements resolve the diffusion it is the error of u to leading order, as u* is of order
  P + 2. At a singularity both errors are of the same order, and the indicator is of the size of the error of u. Where
  convection dominates u* has the order of u: the indicator then is too small.

  For the system `PLEX_HDG_DIFFUSION`, of elements of one or several degrees and types, on all backends.

  Example:
.vb
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGComputeErrorIndicator(hdg, NULL, &estimate));
  if (estimate > tolerance) PetscCall(PlexHDGAdaptDegrees(hdg, 0.5, 8, &raised));
.ve

.seealso: `PlexHDG`, `PlexHDGAdaptDegrees()`, `PlexHDGPostprocess()`, `PlexHDGComputeL2Error()`
@*/
PetscErrorCode PlexHDGComputeErrorIndicator(PlexHDG hdg, PetscReal indicator[], PetscReal *norm)
{
  const PetscInt     n   = hdg->groups ? hdg->groups->n : 1;
  PetscReal         *own = indicator, sum = 0.;
  const PetscScalar *u, *star;
  PetscInt           cStart, cEnd;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "An error indicator by post-processed u"));
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  if (!indicator) PetscCall(PetscMalloc1(cEnd - cStart, &own));
  PetscCall(PetscArrayzero(own, cEnd - cStart));
  PetscCall(VecGetArrayRead(hdg->u, &u));
  PetscCall(VecGetArrayRead(hdg->star, &star));
  for (PetscInt g = 0; g < n; ++g) {
    const PlexHDGGroup *group = hdg->groups ? &hdg->groups->group[g] : NULL;
    PlexHDG             part  = group ? group->part : hdg;
    PetscReal          *shape, *dshape;

    PetscCall(PlexHDGTabulate_Private(part->mesh, part->reference->Nq, part->reference->points, &shape, &dshape));
    PlexHDGSetIndicator(part, cStart, shape, dshape, u + (group ? group->offset[0] : 0),
                        star + (group ? group->offset[2] : 0), own);
    PetscCall(PetscFree2(shape, dshape));
  }
  PetscCall(VecRestoreArrayRead(hdg->u, &u));
  PetscCall(VecRestoreArrayRead(hdg->star, &star));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) {
    sum += own[c];
    own[c] = PetscSqrtReal(own[c]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  if (norm) *norm = PetscSqrtReal(sum);
  if (!indicator) PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGAdaptDegrees - Raises the degrees of the elements with the largest errors by one

  Collective

  Input Parameters:
+ hdg      - the discretization, after `PlexHDGSolve()`
. fraction - of the largest indicator of an element, 0 to 1: those with at least so much are raised
- most     - the largest degree, at most 9

  Output Parameter:
. raised - how many, of all processes; 0: all of these have the largest degree. `NULL`: not wanted

  Level: intermediate

  Notes:
  After this the discretization is set up again, and `PlexHDGGetSolution()` has nothing until the next `PlexHDGSolve()`.
  Where nothing is raised all stays: the elements with the largest errors need a finer mesh.

  With fraction 0 all elements are raised whose u* is not u. Degrees at a singularity reduce the error there slowly: p-adaptivity
  is best on a mesh that is graded towards it.

  Example:
.vb
  do {
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGComputeErrorIndicator(hdg, NULL, &estimate));
    if (estimate < tolerance) break;
    PetscCall(PlexHDGAdaptDegrees(hdg, 0.3, 8, &raised));
  } while (raised);
.ve

.seealso: `PlexHDG`, `PlexHDGComputeErrorIndicator()`, `PlexHDGSetDegrees()`
@*/
PetscErrorCode PlexHDGAdaptDegrees(PlexHDG hdg, PetscReal fraction, PetscInt most, PetscInt *raised)
{
  PetscInt   cStart, cEnd, n = 0, *degrees;
  PetscReal *indicator, largest = 0.;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(fraction >= 0. && fraction <= 1., PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "The fraction of the largest indicator is %g, and has to be from 0 to 1", (double)fraction);
  PetscCheck(most >= 1 && most <= PLEX_HDG_MAX_DEGREE, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "Hybridized DG has degrees 1 to %d, and the largest is %" PetscInt_FMT, PLEX_HDG_MAX_DEGREE, most);
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, &cEnd));
  PetscCall(PetscMalloc2(cEnd - cStart, &indicator, cEnd - cStart, &degrees));
  PetscCall(PlexHDGComputeErrorIndicator(hdg, indicator, NULL));
  PetscCall(PlexHDGGetDegrees(hdg, degrees));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) largest = PetscMax(largest, indicator[c]);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &largest, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  for (PetscInt c = 0; c < cEnd - cStart; ++c) {
    if (degrees[c] >= most || !(indicator[c] > 0.) || indicator[c] < fraction * largest) continue;
    ++degrees[c];
    ++n;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)hdg)));
  if (n) PetscCall(PlexHDGSetDegrees(hdg, degrees));
  PetscCall(PetscFree2(indicator, degrees));
  if (raised) *raised = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
