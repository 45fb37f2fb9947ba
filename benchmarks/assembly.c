static char help[] = "Every assembly type on one mesh: times, rates and what setting up costs, beside the host, "
                     "PETSc and a COO path.\n\n"
                     "  -cell CELL             triangle (plate), tetrahedron (block), quadrilateral or "
                     "hexahedron (boxes); default triangle\n"
                     "  -mesh FILE             another Gmsh file for triangle or tetrahedron\n"
                     "  -refine N              times that a Gmsh mesh is refined (default 2)\n"
                     "  -faces N               cells along a box's side (default 32)\n"
                     "  -reorder TYPE          none (default), rcm or morton: the order of the cells; hilbert: "
                     "of the dofs alone\n"
                     "  -move A                move the vertices of a box by up to A of a cell's side in each "
                     "direction\n"
                     "  -shuffle               then the same mesh with cells and vertices numbered at random "
                     "(-seed N), and the ratio\n"
                     "  -shuffle_reorder TYPE  then that one in an order again, as for -reorder, and the ratio\n"
                     "  -order N               order of the elements, 1 to 5\n"
                     "  -vector                linear elasticity instead of the heat equation\n"
                     "  -nonlinear             then the same space with a(u) = 1 + u^2 for the conductivity, "
                     "and the ratio\n"
                     "  -nonlinear_alone       that one without the linear one before it\n"
                     "  -coefficient           then the same space with a material of each element, an "
                     "auxiliary field of degree 0, and the ratio\n"
                     "  -dummy                 each type again with an element kernel that computes next to "
                     "nothing\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -types A,B,...         the types to run, coo for the COO path; default all\n"
                     "  -coo_interleave N      1 or 32: element matrices for the COO path lie one behind the "
                     "other, or entry by entry of 32 elements\n"
                     "  -reps N                samples of which the median is taken (default 11)\n"
                     "  -reference_cells N     PETSc and the host backend are timed on at most so many cells "
                     "(default 100000)\n"
                     "  -lock FILE             runs with the same file take turns in measuring, and make their "
                     "meshes and plans side by side\n"
                     "  -csv FILE              append the table\n\n";

/*
  Jacobian ms and residual ms are device times between events around the launches (wall time on the host), medians.
  GB/s: the least bytes of [A F], 8 nnz + 8 rows + 8 dim nodes, over the sum of both times; "of copy" is its share of
  what a device to device copy reaches. "x host" and "x PETSc" are times an element on one core over this one's.

  A second table is of the Jacobian alone, against its own least bytes, element_atomic and the COO path.
*/
#include "problem.h"
#include "report.h"
#include <petsc/private/vecimpl.h>
#include <sys/file.h>
#include <unistd.h>

/* Begins (or ends) what no other run should disturb */
static PetscErrorCode TakeTurn(const Options *o, PetscBool begin)
{
  PetscFunctionBegin;
  if (o->lock >= 0)
    PetscCheck(!flock(o->lock, begin ? LOCK_EX : LOCK_UN), PETSC_COMM_SELF, PETSC_ERR_SYS,
               "Cannot lock the file of -lock");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is timed */
typedef struct {
  PetscErrorCode (*assemble)(PlexAssembly, TimingProblem *);
  PlexAssembly   plex;
  TimingProblem *problem;
} Call;

static PetscErrorCode Assemble(void *ctx)
{
  const Call *call = (const Call *)ctx;

  PetscFunctionBegin;
  PetscCall(call->assemble(call->plex, call->problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DeviceMedian(PetscErrorCode (*assemble)(PlexAssembly, TimingProblem *), PlexAssembly plex,
                                   TimingProblem *problem, PetscInt reps, PetscLogDouble *median)
{
  Call        call = {assemble, plex, problem};
  PlexBackend backend;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetBackend(plex, &backend));
  PetscCall(BenchMedian(backend, Assemble, &call, reps, median));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(const Options *o, const char backend[], DM dm, PlexAssembly *plex)
{
  char source[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (o->vector || o->nonlinear || o->coefficient)
    PetscCall(FindFile(o->vector ? "elasticity.h" : "diffusion.h", source, sizeof(source)));
  else PetscCall(HeatFindFile("heat.h", source, sizeof(source)));
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, source));
  (*plex)->fallback = PETSC_FALSE; /* nothing but this library is to be measured */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a Jacobian is integrated, and what it was counted to take */
static PetscErrorCode DescribeJacobian(PlexAssembly plex, Row *row)
{
  PlexProduct *product = &plex->product[PLEX_JACOBIAN];

  PetscFunctionBegin;
  row->flops  = product->flops;
  row->degree = product->tensor ? product->tensor->degree : -1;
  row->points = PlexAssemblyPoints(plex, product);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The COO path: Jacobian alone */
static PetscErrorCode MeasureCOO(const Options *o, PlexAssembly plex, TimingProblem *problem, TimingProblem *reference,
                                 Row *row)
{
  PetscLogDouble begin, end;
  Mat            mat;

  PetscFunctionBegin;
  row->residual = -1;
  PetscCall(PetscTime(&begin));
  PetscCall(CooJacobian(plex, problem));
  PetscCall(TimingSynchronize(plex));
  PetscCall(PetscTime(&end));
  row->plan    = plex->product[PLEX_JACOBIAN].planTime;
  row->compile = plex->product[PLEX_JACOBIAN].compileTime;
  row->setup   = end - begin - row->plan - row->compile;
  PetscCall(CooGetMatrix(plex, &mat));
  if (reference) PetscCall(TimingMatDifference(mat, reference->J, &row->difference));
  PetscCall(DescribeJacobian(plex, row));
  PetscCall(TakeTurn(o, PETSC_TRUE));
  PetscCall(DeviceMedian(CooJacobian, plex, problem, o->reps, &row->jacobian));
  PetscCall(DeviceMedian(TimingJacobian, plex, problem, o->reps, &row->kernel));
  PetscCall(TakeTurn(o, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets one type up and measures it; type NULL: the host backend's one way. What types share (the mesh, the partitions)
   is made for the first that needs it and counts as its set-up and plan. */
static PetscErrorCode Measure(const Options *o, PlexAssembly plex, const char type[], TimingProblem *problem,
                              TimingProblem *reference, Row *row)
{
  PetscReal      difference[2];
  PetscLogDouble begin, end;
  PetscBool      coo = PETSC_FALSE, tune;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(row, sizeof(*row)));
  row->difference = -1;
  if (type) PetscCall(PlexAssemblySetType(plex, type));
  if (type) PetscCall(PetscStrcmp(type, BENCH_COO, &coo));
  if (coo) {
    PetscCall(MeasureCOO(o, plex, problem, reference, row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsHasName(NULL, NULL, "-plex_assembly_tune", &tune)); /* which measures */
  if (tune) PetscCall(TakeTurn(o, PETSC_TRUE));
  PetscCall(PetscTime(&begin));
  PetscCall(TimingAssemble(plex, problem));
  PetscCall(TimingSynchronize(plex));
  PetscCall(PetscTime(&end));
  if (tune) PetscCall(TakeTurn(o, PETSC_FALSE));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    row->plan += plex->product[k].planTime;
    row->compile += plex->product[k].compileTime;
  }
  row->setup = end - begin - row->plan - row->compile;
  if (reference) {
    PetscCall(TimingDifference(problem, reference, difference));
    row->difference = PetscMax(difference[0], difference[1]);
  }
  PetscCall(DescribeJacobian(plex, row));
  PetscCall(TakeTurn(o, PETSC_TRUE));
  PetscCall(DeviceMedian(TimingJacobian, plex, problem, o->reps, &row->jacobian));
  PetscCall(DeviceMedian(TimingResidual, plex, problem, o->reps, &row->residual));
  PetscCall(TakeTurn(o, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds an element, [A F], of PETSc and the host backend on one core: on meshes of the family, refined as long as the
   next takes PETSc less than some seconds, up to the size asked for or referenceCells */
static PetscErrorCode MeasureReference(const Options *o, PetscLogDouble *petsc, PetscLogDouble *host)
{
  const PetscInt children = o->cell == CELL_TETRAHEDRON || o->cell == CELL_HEXAHEDRON ? 8 : 4;
  DM             dm;
  PlexAssembly   plex;
  TimingProblem  problem;
  TimingResult   result = {0, 0};
  Row            row    = {0};
  PetscLogDouble begin, end;
  PetscInt       coarser = 0, nodes = 0, elements = 0;
  PetscBool      last = PETSC_FALSE;

  PetscFunctionBegin;
  if (o->cell == CELL_TRIANGLE || o->cell == CELL_TETRAHEDRON) coarser = o->refine;
  else
    while ((o->faces >> coarser) > 4) ++coarser;
  while (!last) {
    PetscCall(CreateProblem(o, coarser, PLEXBACKENDHOST, &dm, &problem));
    PetscCall(HeatGetCounts(dm, &nodes, &elements));
    PetscCall(PetscTime(&begin));
    PetscCall(TimingAssemble(NULL, &problem));
    PetscCall(PetscTime(&end));
    last = (PetscBool)(coarser == 0 || (end - begin) * children > 2.0 || elements * children > o->referenceCells);
    if (last) {
      PetscCall(TakeTurn(o, PETSC_TRUE));
      PetscCall(TimingMeasure(NULL, &problem, PetscMin(o->reps, 5), 1.0, &result));
      PetscCall(TakeTurn(o, PETSC_FALSE));
      PetscCall(CreateAssembly(o, PLEXBACKENDHOST, dm, &plex));
      PetscCall(Measure(o, plex, NULL, &problem, NULL, &row));
      PetscCall(PlexAssemblyDestroy(&plex));
    }
    PetscCall(TimingProblemDestroy(&problem));
    PetscCall(DMDestroy(&dm));
    --coarser;
  }
  *petsc = (result.jacobian + result.residual) / elements;
  *host  = (row.jacobian + row.residual) / elements;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "[A F] on one core, %" PetscInt_FMT
                        " elements: PETSc %.1f ns/element (Jacobian %.2f ms, residual %.2f ms), host backend %.1f "
                        "ns/element (%.2f, %.2f ms)\n",
                        elements, 1e9 * *petsc, 1e3 * result.jacobian, 1e3 * result.residual, 1e9 * *host,
                        1e3 * row.jacobian, 1e3 * row.residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the types' results are compared with: PETSc's assembly on the host, or the host backend's where PETSc would take
   too long */
static PetscErrorCode CreateReference(const Options *o, TimingProblem *problem, PetscBool byPETSc,
                                      TimingProblem *reference)
{
  PlexAssembly plex = NULL;

  PetscFunctionBegin;
  reference->dm = problem->dm;
  PetscCall(MatConvert(problem->J, MATSEQAIJ, MAT_INITIAL_MATRIX, &reference->J));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, problem->locX->map->n, &reference->locX));
  PetscCall(VecCopy(problem->locX, reference->locX));
  PetscCall(VecDuplicate(reference->locX, &reference->locF));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, problem->F->map->n, &reference->F));
  PetscCall(VecSetDM(reference->F, problem->dm));
  if (!byPETSc) {
    PetscCall(PlexAssemblyCreate(problem->dm, &plex));
    PetscCall(PlexAssemblySetBackend(plex, PLEXBACKENDHOST));
  }
  PetscCall(TimingAssemble(plex, reference));
  if (plex) PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(TimingProblem *problem, Case *c)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(problem->dm, &c->dim));
  PetscCall(HeatGetCounts(problem->dm, &c->nodes, &c->elements));
  PetscCall(MatGetInfo(problem->J, MAT_LOCAL, &info));
  PetscCall(MatGetSize(problem->J, &c->rows, NULL));
  PetscCall(TimingBytes(problem, &c->bytes));
  PetscCall(MeshCountSectors(problem->J, &c->sectors, &c->shared));
  c->nnz   = info.nz_used;
  c->floor = c->bytes - 8.0 * c->rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a mesh and a problem, and measures all types */
static PetscErrorCode RunCase(const Options *o, double copy, const Case *like, Case *c)
{
  DM             dm;
  PlexAssembly   plex, dummy;
  TimingProblem  problem, reference;
  PetscLogDouble begin, end;
  Row            row;
  PetscBool      host, byPETSc;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateProblem(o, 0, o->backend, &dm, &problem));
  PetscCall(PetscTime(&end));
  PetscCall(Count(&problem, c));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n## %s, order %" PetscInt_FMT "%s%s%s%s%s%s: %" PetscInt_FMT " elements, %" PetscInt_FMT
                        " dofs, %.0f non-zeros; backend %s, order %s\n\nMesh and matrix made in %.1f s; a copy reaches "
                        "%.0f GB/s, so that [A F] takes %.4f ms at least\n",
                        Cells[o->cell], o->order, o->vector ? ", elasticity" : "",
                        o->nonlinear     ? ", nonlinear"
                        : o->coefficient ? ", coefficient"
                                         : "",
                        o->move > 0 ? ", vertices moved" : "", o->shuffle ? ", numbered at random" : "",
                        o->shuffle && o->again ? " and in an order again, " : "",
                        o->shuffle && o->again ? Reorders[o->again] : "", c->elements, c->nodes, (double)c->nnz,
                        o->backend, Reorders[o->reorder], end - begin, 1e-9 * copy, 1e3 * c->bytes / copy));
  if (o->shuffle)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "Rows lie in %.0f MB of sectors of 32 bytes (%.0f MB of values), %.0f MB of them shared with "
                          "other rows\n",
                          32e-6 * c->sectors, 8e-6 * c->nnz, 32e-6 * c->shared));
  if (like) {
    c->petsc = like->petsc;
    c->host  = like->host;
  } else PetscCall(MeasureReference(o, &c->petsc, &c->host));
  byPETSc = (PetscBool)(c->elements <= o->referenceCells && c->petsc * c->elements < 20.0);
  PetscCall(CreateReference(o, &problem, byPETSc, &reference));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "Times an element on one core over those here: x host, x PETSc. Differences are from %s. "
                        "Set-up, plan, compile in s.\n\n",
                        byPETSc ? "PETSc" : "the host backend"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %-14s | %9s | %9s | %9s | %8s | %8s | %8s | %8s | %7s | %7s | %7s | %8s "
                        "|\n|:---------------|----------:|----------:|----------:|---------:|---------:|---------:|----"
                        "-----:|--------:|--------:|--------:|---------:|\n",
                        "type", "J ms", "F ms", "ns/elem.", "GB/s", "of copy", "x host", "x PETSc", "set-up", "plan",
                        "compile", "diff."));
  PetscCall(CreateAssembly(o, o->backend, dm, &plex));
  PetscCall(CreateAssembly(o, o->backend, dm, &dummy));
  dummy->dummy = PETSC_TRUE;
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    PetscCall(Measure(o, plex, host ? NULL : o->types[t], &problem, &reference, &c->row[t]));
    PetscCheck(!(o->move > 0) || !plex->affineElements, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Elements whose vertices were moved are taken for affine");
    PetscCall(Report(o, o->types[t], c, &c->row[t], copy));
    if (o->dummy) {
      PetscCall(Measure(o, dummy, o->types[t], &problem, NULL, &row));
      c->row[t].dummy[PLEX_JACOBIAN] = row.jacobian;
      c->row[t].dummy[PLEX_RESIDUAL] = PetscMax(row.residual, 0);
    }
    PetscCall(AppendCSV(o, o->types[t], c, &c->row[t], copy));
  }
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscCall(PlexAssemblyDestroy(&dummy));
  PetscCall(TimingProblemDestroy(&reference));
  PetscCall(TimingProblemDestroy(&problem));
  PetscCall(DMDestroy(&dm));
  PetscCall(ReportJacobians(o, c, copy));
  if (o->dummy) PetscCall(ReportDummies(o, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     options, other;
  Case        first = {0}, second = {0};
  PlexBackend backend;
  char        file[PETSC_MAX_PATH_LEN];
  PetscBool   coo;
  double      copy;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(OptionsGet(&options));
  /* no type to assemble with, and none that tuning should find, as it fills no matrix */
  for (PetscInt t = 0; t < options.ntypes; ++t) {
    PetscCall(PetscStrcmp(options.types[t], BENCH_COO, &coo));
    if (!coo) continue;
    PetscCall(FindFile("coo.cu", file, sizeof(file)));
    PetscCall(CooRegister(file, options.interleave));
  }
  PetscCall(BenchCreateBackend(options.backend, &backend));
  PetscCall(TakeTurn(&options, PETSC_TRUE));
  PetscCall(BenchCopyBandwidth(backend, &copy));
  PetscCall(TakeTurn(&options, PETSC_FALSE));
  PetscCall(PlexBackendDestroy(&backend));
  other               = options;
  options.shuffle     = PETSC_FALSE;
  options.nonlinear   = other.alone;
  options.coefficient = PETSC_FALSE;
  PetscCall(RunCase(&options, copy, NULL, &first));
  if (other.nonlinear && !other.alone) {
    Options nonlinear = options;

    nonlinear.nonlinear = PETSC_TRUE;
    PetscCall(RunCase(&nonlinear, copy, NULL, &second));
    PetscCall(ReportRatio(&options, "Constant conductivity, then a(u) = 1 + u^2", &first, &second));
  }
  if (other.coefficient) {
    Options coefficient = options;

    coefficient.coefficient = PETSC_TRUE;
    PetscCall(RunCase(&coefficient, copy, NULL, &second));
    PetscCall(ReportRatio(&options, "One material, then one of each element", &first, &second));
  }
  if (other.shuffle) {
    Options shuffled = options;

    shuffled.shuffle = PETSC_TRUE;
    shuffled.again   = 0;
    PetscCall(RunCase(&shuffled, copy, &first, &second));
    PetscCall(ReportRatio(&options, "The mesh in order, then numbered at random", &first, &second));
    shuffled.again = other.again;
    if (shuffled.again) {
      PetscCall(RunCase(&shuffled, copy, &first, &second));
      PetscCall(ReportRatio(&options, "The mesh in order, then numbered at random and in an order again", &first,
                            &second));
    }
  }
  PetscCall(ReportBest(&options, &first, copy));
  for (PetscInt t = 0; t < options.ntypes; ++t) PetscCall(PetscFree(options.types[t]));
  PetscCall(BenchFinalize(options.ntypes));
  return 0;
}
