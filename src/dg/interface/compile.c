/*
  The text of a kernel: sizes and tables of the reference element, the system's pointwise functions, then the kernel's file
*/
#include <plexgpu/dg.h>
#include "dgimpl.h"
#include "../quadrature/quadratureimpl.h"

static void PlexDGWriteTable(FILE *file, const char name[], PetscInt rows, PetscInt n, const int table[])
{
  fprintf(file, "static __device__ constexpr short %s[%d][%d] = {\n", name, (int)rows, (int)n);
  for (PetscInt r = 0; r < rows; ++r) {
    fprintf(file, "{");
    for (PetscInt k = 0; k < n; ++k) fprintf(file, "%s%d", k ? ", " : "", table[r * n + k]);
    fprintf(file, "},\n");
  }
  fprintf(file, "};\n");
}

/* Normals of the reference element's faces, which are of whole numbers */
static void PlexDGWriteNormals(FILE *file, PlexDGReference R)
{
  PetscReal N[3];
  int       table[18];

  for (PetscInt f = 0; f < R->faces; ++f) {
    PlexDGReferenceNormal_Private(R->dim, R->tensor, f, N);
    for (PetscInt a = 0; a < R->dim; ++a) table[f * R->dim + a] = (int)N[a];
  }
  PlexDGWriteTable(file, "plex_dg_reference_normals", R->faces, R->dim, table);
}

static void PlexDGWriteText(PlexDG dg, const char source[], const char kernel[], FILE *file)
{
  PlexDGReference R = dg->reference;

  fprintf(file, "#define PLEX_DIM %d\n#define PLEX_SINGLE %d\n#define PLEX_DG_DEGREE %d\n", (int)R->dim, (int)(dg->precision == PLEX_PRECISION_SINGLE), (int)R->N);
  fprintf(file, "#define PLEX_DG_NP %d\n#define PLEX_DG_NFP %d\n#define PLEX_DG_FACES %d\n#define PLEX_DG_TURNS %d\n", (int)R->Np, (int)R->Nfp, (int)R->faces, (int)R->turns);
  fprintf(file, "#include \"dg/dg.cuh\"\n");
  PlexDGWriteTable(file, "plex_dg_face_nodes", R->faces, R->Nfp, R->faceNodes);
  PlexDGWriteTable(file, "plex_dg_turn", R->turns, R->Nfp, R->turn);
  if (dg->quadrature) PlexDGWriteNormals(file, R);
  if (dg->system->host[0]->addsource && !dg->quadrature) { /* barycentric coordinates of the nodes */
    fprintf(file, "static __device__ constexpr plex_real plex_dg_lambda[%d][%d] = {\n", (int)R->Np, (int)R->dim + 1);
    for (PetscInt i = 0; i < R->Np; ++i) {
      fprintf(file, "{");
      for (PetscInt v = 0; v <= R->dim; ++v) fprintf(file, "%s%.17g", v ? ", " : "", (double)R->lambda[i * (R->dim + 1) + v]);
      fprintf(file, "},\n");
    }
    fprintf(file, "};\n");
  }
  fprintf(file, "#include \"%s\"\n#include \"%s\"\n", source, kernel);
}

PetscErrorCode PlexDGCompile(PlexDG dg, const char kernel[], PetscInt ndefines, const char *const defines[], PlexModule *module)
{
  char           source[PETSC_MAX_PATH_LEN], *text = NULL;
  const char    *name;
  size_t         size = 0;
  PetscBool      here;
  FILE          *file;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscTestFile(dg->system->source, 'r', &here));
  if (here) PetscCall(PetscGetFullPath(dg->system->source, source, sizeof(source))); /* else in the folder of device sources */
  else PetscCall(PetscStrncpy(source, dg->system->source, sizeof(source)));
  file = open_memstream(&text, &size);
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  PlexDGWriteText(dg, source, kernel, file);
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for a kernel's text");
  name = strrchr(kernel, '/') ? strrchr(kernel, '/') + 1 : kernel;
  PetscCall(PetscLogEventBegin(PLEX_Compile, dg, 0, 0, 0));
  ierr = PlexBackendCompile(dg->backend, name, ndefines, defines, text, module);
  free(text);
  PetscCall(ierr);
  PetscCall(PetscLogEventEnd(PLEX_Compile, dg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
