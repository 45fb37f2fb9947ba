static char help[] = "Elastic rock that slips along a fault: a C++ program that knows PETSc alone.\n\n";

/* Equations and pointwise functions are in fault.hh. The box is 1 wide and is held on its left and right; in the middle
   between them is the fault, whose sides are cohesive cells apart. README.md has the commands. */
#include "fault.hh"
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>

/* The cohesive cells, and the keys of their functions: sides and cells are parts of one label's value */
typedef struct {
  IS           cells;
  PetscFormKey keys[3];
} Fault;

/* ---- Mesh ---- */

/* Faces on the left and right in `held`; those in the middle with all their points, by dimension, in `fault` */
static PetscErrorCode MarkFaces(DM box, DMLabel held, DMLabel fault)
{
  PetscInt fStart, fEnd;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetHeightStratum(box, 1, &fStart, &fEnd));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscReal volume, x[3], n[3];
    PetscInt  np, *closure = NULL, depth;

    PetscCall(DMPlexComputeCellGeometryFVM(box, f, &volume, x, n));
    if (PetscAbsReal(n[0]) < 0.9) continue;
    if (PetscAbsReal(x[0] - 0.5) > 0.499) PetscCall(DMLabelSetValue(held, f, 1));
    if (PetscAbsReal(x[0] - 0.5) > 1e-6) continue;
    PetscCall(DMPlexGetTransitiveClosure(box, f, PETSC_TRUE, &np, &closure));
    for (PetscInt k = 0; k < np; ++k) {
      PetscCall(DMPlexGetPointDepth(box, closure[2 * k], &depth));
      PetscCall(DMLabelSetValue(fault, closure[2 * k], depth));
    }
    PetscCall(DMPlexRestoreTransitiveClosure(box, f, PETSC_TRUE, &np, &closure));
  }
  PetscCall(DMPlexLabelComplete(box, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(PetscInt dim, PetscInt n, DM *dm)
{
  const PetscInt faces[3] = {n, n, n};
  DM             box;
  DMLabel        held, fault;

  PetscFunctionBeginUser;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                &box));
  PetscCall(DMCreateLabel(box, "held"));
  PetscCall(DMCreateLabel(box, "fault"));
  PetscCall(DMGetLabel(box, "held", &held));
  PetscCall(DMGetLabel(box, "fault", &fault));
  PetscCall(MarkFaces(box, held, fault));
  PetscCall(DMPlexOrientLabel(box, fault));
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(DMPlexLabelCohesiveComplete(box, fault, NULL, 1, PETSC_FALSE, PETSC_FALSE, NULL));
#else
  PetscCall(DMPlexLabelCohesiveComplete(box, fault, NULL, 1, PETSC_FALSE, NULL));
#endif
  PetscCall(DMPlexConstructCohesiveCells(box, fault, NULL, dm));
  PetscCall(DMDestroy(&box));
  PetscCall(DMPlexDistributeSetDefault(*dm, PETSC_FALSE));
  PetscCall(DMSetFromOptions(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of the cohesive cells in a label, and the cells */
static PetscErrorCode FindFault(DM dm, PetscInt dim, Fault *fault)
{
  DMLabel  label;
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(DMCreateLabel(dm, "cohesive"));
  PetscCall(DMGetLabel(dm, "cohesive", &label));
  for (PetscInt h = dim; h >= 0; --h) {
    PetscCall(DMPlexGetSimplexOrBoxCells(dm, h, NULL, &start));
    PetscCall(DMPlexGetHeightStratum(dm, h, NULL, &end));
    for (PetscInt p = start; p < end; ++p) PetscCall(DMLabelSetValue(label, p, 1));
  }
  PetscCall(ISCreateStride(PETSC_COMM_SELF, end - start, start, 1, &fault->cells));
  for (PetscInt k = 0; k < 3; ++k) {
    fault->keys[k].label = label;
    fault->keys[k].value = 1;
    fault->keys[k].field = k == 2 ? 1 : 0;
    fault->keys[k].part  = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Auxiliary fields ---- */

/* Rock: stiffer and denser below; gravity is held by the reference stress in part */
template <int field>
static PetscErrorCode RockValue(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *a, void *ctx)
{
  const PetscReal deep = 1.0 - x[dim - 1];

  for (PetscInt c = 0; c < Nc; ++c) a[c] = 0.0;
  if (field == fault::DENSITY) a[0] = 1.0 + 0.2 * deep;
  if (field == fault::BODY_FORCE) a[0] = 0.05 * deep;
  if (field == fault::SHEAR_MODULUS) a[0] = 1.0 + deep;
  if (field == fault::BULK_MODULUS) a[0] = 2.0 + deep * deep;
  if (field == fault::REFERENCE_STRESS) a[dim - 1] = -0.1 * deep;
  if (field == fault::REFERENCE_STRAIN) a[0] = 0.001;
  return PETSC_SUCCESS;
}

/* Fault: it slips most at the middle, and opens a little below; the rupture begins there */
template <int field>
static PetscErrorCode FaultValue(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *a, void *ctx)
{
  const PetscReal y = x[dim - 1] - 0.5;

  if (field == fault::FINAL_SLIP) a[0] = 0.1 * PetscExpReal(-8.0 * y * y);
  if (field == fault::OPENING) a[0] = y < 0.0 ? 0.01 * y * y : 0.0;
  if (field == fault::INITIATION_TIME) a[0] = 0.5 * PetscAbsReal(y);
  if (field == fault::RISE_TIME) a[0] = 1.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode AddField(DM dm, DMLabel label, PetscInt dim, PetscInt Nc, DMPolytopeType ct, PetscInt degree,
                               PetscInt order, const char name[])
{
  PetscFE fe;

  PetscFunctionBeginUser;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, Nc, ct, degree, order, &fe));
  PetscCall(PetscObjectSetName((PetscObject)fe, name));
  PetscCall(DMAddField(dm, label, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode (*Value)(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *);

/* Linear fields on cells of a mesh; label: of cells, or NULL */
static PetscErrorCode CreateAuxiliary(DM mesh, PetscInt dim, DMPolytopeType ct, PetscInt n, const PetscInt components[],
                                      Value values[], PetscInt order, DMLabel label, Vec *a)
{
  const PetscInt one = 1;
  DM             aux;

  PetscFunctionBeginUser;
  PetscCall(DMClone(mesh, &aux));
  for (PetscInt f = 0; f < n; ++f) PetscCall(AddField(aux, NULL, dim, components[f], ct, 1, order, "auxiliary"));
  PetscCall(DMCreateDS(aux));
  PetscCall(DMCreateLocalVector(aux, a));
  PetscCall(VecSet(*a, 0.0));
  if (label)
    PetscCall(DMProjectFunctionLabelLocal(aux, 0.0, label, 1, &one, PETSC_DETERMINE, NULL, values, NULL,
                                          INSERT_ALL_VALUES, *a));
  else PetscCall(DMProjectFunctionLocal(aux, 0.0, values, NULL, INSERT_ALL_VALUES, *a));
  PetscCall(DMDestroy(&aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Six fields of the rock, for its own functions and those of both sides, and four of the fault */
static PetscErrorCode SetAuxiliary(DM dm, PetscInt dim, DMPolytopeType ct, DMPolytopeType side, PetscInt order,
                                   DMLabel rockLabel, const Fault *fault)
{
  const PetscInt tensor = dim == 2 ? 3 : 6, rocks[] = {1, dim, 1, 1, tensor, tensor}, faults[] = {1, 1, 1, 1};
  Value    rockValues[] = {RockValue<0>, RockValue<1>, RockValue<2>, RockValue<3>, RockValue<4>, RockValue<5>};
  Value    faultValues[] = {FaultValue<0>, FaultValue<1>, FaultValue<2>, FaultValue<3>};
  DM       surface;
  Vec      a;

  PetscFunctionBeginUser;
  PetscCall(CreateAuxiliary(dm, dim, ct, fault::NUM_ROCK, rocks, rockValues, order, rockLabel, &a));
  PetscCall(DMSetAuxiliaryVec(dm, rockLabel, 1, 0, a));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(DMSetAuxiliaryVec(dm, fault->keys[k].label, fault->keys[k].value, fault->keys[k].part, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMPlexCreateCohesiveSubmesh(dm, PETSC_TRUE, NULL, 0, &surface));
  PetscCall(CreateAuxiliary(surface, dim - 1, side, fault::NUM_FAULT, faults, faultValues, order, NULL, &a));
  PetscCall(DMSetAuxiliaryVec(dm, fault->keys[2].label, fault->keys[2].value, fault->keys[2].part, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&surface));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The problem ---- */

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}

template <int dim>
static PetscErrorCode SetUpProblem(DM dm, PetscInt degree, Fault *fault)
{
  typedef fault::Elasticity<dim> Rock;
  typedef fault::Slip<dim>       Slip;
  const PetscInt      one = 1, order = degree + 1;
  const PetscFormKey *k              = fault->keys;
  PetscScalar         constants[]    = {2.0, 0.1};
  DMPolytopeType      ct, side;
  DMLabel             held, rockLabel, cohesive = k[0].label;
  PetscInt            start, region, cell;
  PetscDS             ds, dsFault;
  PetscWeakForm       wf;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &start, NULL));
  PetscCall(DMPlexGetCellType(dm, start, &side));
  PetscCall(AddField(dm, NULL, dim, dim, ct, degree, order, "displacement"));
  PetscCall(AddField(dm, cohesive, dim - 1, dim, side, degree, order, "traction"));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetCellDS(dm, 0, &ds, NULL));
  PetscCall(DMFindRegionNum(dm, ds, &region));
  PetscCall(DMGetRegionNumDS(dm, region, &rockLabel, NULL, NULL, NULL));
  PetscCall(PetscDSSetConstants(ds, 2, constants));
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscWeakFormSetIndexResidual(wf, rockLabel, 1, 0, 0, 0, Rock::f0u, 0, Rock::f1u));
  PetscCall(PetscWeakFormSetIndexJacobian(wf, rockLabel, 1, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, Rock::g3uu));
  PetscCall(DMPlexGetSimplexOrBoxCells(dm, 0, NULL, &cell));
  PetscCall(DMGetCellDS(dm, cell, &dsFault, NULL));
  PetscCall(PetscDSSetConstants(dsFault, 2, constants));
  PetscCall(PetscDSGetWeakForm(dsFault, &wf));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, cohesive, 1, 0, k[0].part, 0, Slip::f0u_negative, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, cohesive, 1, 0, k[1].part, 0, Slip::f0u_positive, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, cohesive, 1, 1, k[2].part, 0, Slip::f0l, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, cohesive, 1, 0, 1, k[0].part, 0, Slip::g0ul_negative, 0, NULL, 0, NULL,
                                            0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, cohesive, 1, 0, 1, k[1].part, 0, Slip::g0ul_positive, 0, NULL, 0, NULL,
                                            0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, cohesive, 1, 1, 0, k[2].part, 0, Slip::g0lu, 0, NULL, 0, NULL, 0,
                                            NULL));
  PetscCall(DMGetLabel(dm, "held", &held));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL,
                          NULL));
  PetscCall(SetAuxiliary(dm, dim, ct, side, order, rockLabel, fault));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's residual has the fault's, its Jacobian has not */
static PetscErrorCode Jacobian(DM dm, Vec X, Mat J, Mat P, void *ctx)
{
  Fault       *fault   = (Fault *)ctx;
  PetscFormKey keys[3] = {fault->keys[0], fault->keys[1], fault->keys[2]};

  PetscFunctionBeginUser;
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, J, P, ctx));
  PetscCall(DMPlexComputeJacobianHybridByKey(dm, keys, fault->cells, 0.0, 0.0, X, NULL, J, P, ctx));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A saddle point: tractions by their Schur complement */
static PetscErrorCode SetDefaults(void)
{
  const char *const options[][2] = {
    {"-snes_type",                          "newtonls"},
    {"-snes_rtol",                          "1e-11"   },
    {"-ksp_type",                           "fgmres"  },
    {"-ksp_rtol",                           "1e-12"   },
    {"-pc_type",                            "fieldsplit"},
    {"-pc_fieldsplit_type",                 "schur"   },
    {"-pc_fieldsplit_schur_fact_type",      "full"    },
    {"-pc_fieldsplit_schur_precondition",   "selfp"   },
    {"-fieldsplit_displacement_ksp_type",   "preonly" },
    {"-fieldsplit_displacement_pc_type",    "lu"      },
    {"-fieldsplit_traction_ksp_rtol",       "1e-10"   },
    {"-fieldsplit_traction_ksp_max_it",     "200"     },
    {"-fieldsplit_traction_pc_type",        "lu"      }
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); ++k) {
    PetscBool has;

    PetscCall(PetscOptionsHasName(NULL, NULL, options[k][0], &has));
    if (!has) PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  dim = 2, n = 6, degree = 1, cells, unknowns, newton;
  PetscReal norm, most;
  Fault     fault;
  DM        dm;
  SNES      snes;
  Vec       u;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL)); /* cells across, an even number */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &degree, NULL));
  PetscCall(SetDefaults());
  PetscCall(CreateMesh(dim, n, &dm));
  PetscCall(FindFault(dm, dim, &fault));
  PetscCall(dim == 2 ? SetUpProblem<2>(dm, degree, &fault) : SetUpProblem<3>(dm, degree, &fault));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(DMSNESSetJacobianLocal(dm, Jacobian, &fault));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(SNESGetIterationNumber(snes, &newton));
  PetscCall(VecNorm(u, NORM_2, &norm));
  PetscCall(VecNorm(u, NORM_INFINITY, &most));
  PetscCall(VecGetSize(u, &unknowns));
  PetscCall(ISGetLocalSize(fault.cells, &cells));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=fault unknowns=%" PetscInt_FMT " cohesive=%" PetscInt_FMT
                        " newton=%" PetscInt_FMT " norm=%.12e most=%.12e\n",
                        unknowns, cells, newton, (double)norm, (double)most));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(ISDestroy(&fault.cells));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
