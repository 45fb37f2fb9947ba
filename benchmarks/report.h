/* What the assembly benchmark measures, and its tables */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "problem.h"

/* Seconds, but for difference (relative, -1: not compared). The COO path has no residual; its set-up is
   MatSetPreallocationCOO() */
typedef struct {
  PetscLogDouble jacobian, residual, setup, plan, compile, dummy[PLEX_PRODUCTS];
  PetscLogDouble kernel; /* COO: the element kernel's part of jacobian */
  PetscLogDouble flops;  /* of a Jacobian, as counted */
  PetscInt       degree; /* of the tensors' polynomials, -1: quadrature */
  PetscInt       points; /* of an element's integration */
  PetscReal      difference;
} Row;

/* A mesh and a problem, and what was measured */
typedef struct {
  PetscInt       elements, nodes, rows, dim;
  PetscLogDouble nnz, bytes, floor; /* floor: bytes that a Jacobian needs at least */
  PetscLogDouble sectors, shared;   /* MeshCountSectors() */
  PetscLogDouble petsc, host;       /* seconds an element, [A F], on one core */
  Row            row[TIMING_TYPES + 8];
} Case;

/* One line of the table that Measure() fills; and of the file of -csv */
static PetscErrorCode Report(const Options *o, const char type[], const Case *c, const Row *row, double copy)
{
  const PetscLogDouble seconds = row->jacobian + PetscMax(row->residual, 0), element = seconds / c->elements;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | ", type, 1e3 * row->jacobian));
  if (row->residual >= 0)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9.4f | %9.3f | %8.1f | %6.1f %% | %8.1f | %8.1f | ", 1e3 * row->residual,
                          1e9 * element, 1e-9 * c->bytes / seconds, 100 * c->bytes / seconds / copy, c->host / element,
                          c->petsc / element));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9s | %9s | %8s | %8s | %8s | %8s | ", "-", "-", "-", "-", "-", "-"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%7.2f | %7.2f | %7.2f | ", row->setup, row->plan, row->compile));
  if (row->difference >= 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8.1e |\n", (double)row->difference));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8s |\n", "-"));
  PetscCall(PetscFFlush(PETSC_STDOUT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AppendCSV(const Options *o, const char type[], const Case *c, const Row *row, double copy)
{
  FILE *file = NULL;

  PetscFunctionBegin;
  if (!o->csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BenchOpenCSV(o->csv,
                         "cell,order,vector,reorder,elements,rows,nnz,backend,type,jacobian_s,residual_s,bytes,copy_"
                         "bandwidth,host_s_per_element,petsc_s_per_element,setup_s,plan_s,compile_s,difference,"
                         "nonlinear,shuffled,moved,degree,points,flops,floor_bytes,sector_bytes,shared_bytes,kernel_s,"
                         "dummy_jacobian_s,dummy_residual_s",
                         &file));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file,
                         "%s,%" PetscInt_FMT ",%d,%s,%" PetscInt_FMT ",%" PetscInt_FMT
                         ",%.0f,%s,%s,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.4f,%.4f,%.4f,%.3e,",
                         Cells[o->cell], o->order, (int)o->vector, Reorders[o->reorder], c->elements, c->rows,
                         (double)c->nnz, o->backend, type, row->jacobian, row->residual, c->bytes, copy, c->host,
                         c->petsc, row->setup, row->plan, row->compile, (double)row->difference));
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, file,
                         "%d,%d,%g,%" PetscInt_FMT ",%" PetscInt_FMT ",%.6e,%.6e,%.6e,%.6e,%.6e,%.6e,%.6e\n",
                         (int)o->nonlinear, o->shuffle ? 1 + (int)o->again : 0, (double)o->move, row->degree,
                         row->points, row->flops, c->floor, 32 * c->sectors, 32 * c->shared, row->kernel,
                         row->dummy[PLEX_JACOBIAN], row->dummy[PLEX_RESIDUAL]));
  PetscCall(BenchCloseCSV(o->csv, &file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of a type among those that ran, or NULL */
static PetscErrorCode FindRow(const Options *o, const Case *c, const char type[], const Row **row)
{
  PetscBool same;

  PetscFunctionBegin;
  *row = NULL;
  for (PetscInt t = 0; t < o->ntypes && !*row; ++t) {
    PetscCall(PetscStrcmp(o->types[t], type, &same));
    if (same) *row = &c->row[t];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian alone, against the least that it has to move and the yardsticks */
static PetscErrorCode ReportJacobians(const Options *o, const Case *c, double copy)
{
  const Row *atomic, *coo;

  PetscFunctionBegin;
  PetscCall(FindRow(o, c, PLEXASSEMBLYELEMENTATOMIC, &atomic));
  PetscCall(FindRow(o, c, BENCH_COO, &coo));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nJacobian alone: the floor, 8 nnz + 8 dim nodes bytes at the copy rate, is %.4f ns an "
                        "element. GB/s counts 8 rows more. Flops are those of integration, as counted.\n\n",
                        1e9 * c->floor / copy / c->elements));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %-14s | %9s | %9s | %9s | %8s | %8s | %9s | %9s | %9s | %-17s "
                        "|\n|:---------------|----------:|----------:|----------:|---------:|---------:|----------:|---"
                        "-------:|----------:|:------------------|\n",
                        "type", "J ms", "ns/elem.", "x floor", "GB/s", "of copy", "atomic/J", "COO/J", "Gflop/s",
                        "integration"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row           *row   = &c->row[t];
    const PetscLogDouble bytes = c->floor + 8.0 * c->rows;

    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "| %-14s | %9.4f | %9.4f | %9.2f | %8.1f | %6.1f %% | %9.2f | %9.2f | %9.1f | ", o->types[t],
                          1e3 * row->jacobian, 1e9 * row->jacobian / c->elements, row->jacobian * copy / c->floor,
                          1e-9 * bytes / row->jacobian, 100 * bytes / row->jacobian / copy,
                          atomic ? atomic->jacobian / row->jacobian : 0.0, coo ? coo->jacobian / row->jacobian : 0.0,
                          1e-9 * row->flops / row->jacobian));
    if (row->degree < 0) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%3" PetscInt_FMT " points         |\n", row->points));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "tensors, degree %" PetscInt_FMT " |\n", row->degree));
  }
  if (coo)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "\nOf %s, the element kernel takes %.4f ms and MatSetValuesCOO() the rest; "
                          "MatSetPreallocationCOO() took %.2f s.\n",
                          BENCH_COO, 1e3 * coo->kernel, coo->setup));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times with the dummy element kernel: the rest is integration's */
static PetscErrorCode ReportDummies(const Options *o, const Case *c)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nWith a dummy element kernel, which reads the nodal data and gives their sum for each "
                        "entry:\n\n| %-14s | %9s | %9s | %9s | %9s "
                        "|\n|:---------------|----------:|----------:|----------:|----------:|\n",
                        "type", "J ms", "F ms", "J/dummy", "F/dummy"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row *row = &c->row[t];

    if (row->dummy[PLEX_JACOBIAN] > 0)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | %9.2f |\n", o->types[t],
                            1e3 * row->dummy[PLEX_JACOBIAN], 1e3 * row->dummy[PLEX_RESIDUAL],
                            row->jacobian / row->dummy[PLEX_JACOBIAN],
                            row->dummy[PLEX_RESIDUAL] > 0 ? row->residual / row->dummy[PLEX_RESIDUAL] : 0.0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two cases side by side */
static PetscErrorCode ReportRatio(const Options *o, const char what[], const Case *first, const Case *second)
{
  PetscLogDouble least[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n### %s\n\n", what));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %-14s | %9s | %9s | %9s | %9s | %9s | %9s "
                        "|\n|:---------------|----------:|----------:|----------:|----------:|----------:|----------:|"
                        "\n",
                        "type", "J ms", "then", "ratio", "F ms", "then", "ratio"));
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const Row *a = &first->row[t], *b = &second->row[t];

    least[0] = PetscMin(least[0], a->jacobian);
    least[1] = PetscMin(least[1], b->jacobian);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | ", o->types[t], 1e3 * a->jacobian,
                          1e3 * b->jacobian, b->jacobian / a->jacobian));
    if (a->residual >= 0)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9.4f | %9.4f | %9.2f |\n", 1e3 * a->residual, 1e3 * b->residual,
                            b->residual / a->residual));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%9s | %9s | %9s |\n", "-", "-", "-"));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-14s | %9.4f | %9.4f | %9.2f | %9s | %9s | %9s |\n", "the best",
                        1e3 * least[0], 1e3 * least[1], least[1] / least[0], "", "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReportBest(const Options *o, const Case *c, double copy)
{
  PetscLogDouble best     = PETSC_MAX_REAL;
  const char    *bestType = "-";

  PetscFunctionBegin;
  for (PetscInt t = 0; t < o->ntypes; ++t) {
    const PetscLogDouble seconds = c->row[t].jacobian + c->row[t].residual;

    if (c->row[t].residual < 0 || seconds >= best) continue;
    best     = seconds;
    bestType = o->types[t];
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=assembly cell=%s order=%" PetscInt_FMT " elements=%" PetscInt_FMT
                        " dofs=%" PetscInt_FMT
                        " backend=%s best=%s ms=%.4f petsc_ratio=%.1f host_ratio=%.1f copy_share=%.3f\n",
                        Cells[o->cell], o->order, c->elements, c->nodes, o->backend, bestType, 1e3 * best,
                        c->petsc / (best / c->elements), c->host / (best / c->elements), c->bytes / best / copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
