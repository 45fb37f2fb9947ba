/*
  The text of a kernel: sizes and tables of the reference element, the system's pointwise functions, then the kernel's
  file
*/
#define _GNU_SOURCE
#include "../nodal/nodalimpl.h"
#include "../../backend/interface/backendimpl.h" /* PlexSourceGetFolder() */
#include <dlfcn.h>
#include <unistd.h>

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

  fprintf(file, "#define PLEX_DIM %d\n#define PLEX_SINGLE %d\n#define PLEX_DG_DEGREE %d\n", (int)R->dim,
          (int)(dg->precision == PLEX_PRECISION_SINGLE), (int)R->N);
  fprintf(file, "#define PLEX_DG_NP %d\n#define PLEX_DG_NFP %d\n#define PLEX_DG_FACES %d\n#define PLEX_DG_TURNS %d\n",
          (int)R->Np, (int)R->Nfp, (int)R->faces, (int)R->turns);
  /* values of a state behind those of triangles begin anywhere, not at a multiple of 16 bytes */
  if (dg->whole && dg == dg->whole->parts[1]) fprintf(file, "#define PLEX_DG_BEHIND 1\n");
  if (dg->driven) fprintf(file, "#define PLEX_DG_DRIVEN 1\n"); /* boundaries with values in time */
  fprintf(file, "#include \"dg/dg.cuh\"\n");
  PlexDGWriteTable(file, "plex_dg_face_nodes", R->faces, R->Nfp, R->faceNodes);
  PlexDGWriteTable(file, "plex_dg_turn", R->turns, R->Nfp, R->turn);
  if (dg->quadrature) PlexDGWriteNormals(file, R);
  if (dg->system->host[0]->addsource && !dg->quadrature) { /* barycentric coordinates of the nodes */
    fprintf(file, "static __device__ constexpr plex_real plex_dg_lambda[%d][%d] = {\n", (int)R->Np, (int)R->dim + 1);
    for (PetscInt i = 0; i < R->Np; ++i) {
      fprintf(file, "{");
      for (PetscInt v = 0; v <= R->dim; ++v)
        fprintf(file, "%s%.17g", v ? ", " : "", (double)R->lambda[i * (R->dim + 1) + v]);
      fprintf(file, "},\n");
    }
    fprintf(file, "};\n");
  }
  fprintf(file, "#include \"%s\"\n#ifndef PLEX_DG_NK\n  #define PLEX_DG_NK 0\n#endif\n", source);
  fprintf(file, "#ifndef PLEX_DG_NC\n  #define PLEX_DG_NC 0\n#endif\n#include \"%s\"\n", kernel);
}

/* Cuts the last part off a path: whether there was one */
static PetscBool PlexDGParent(char path[])
{
  char *slash = strrchr(path, '/');

  if (!slash || !path[0] || !path[1]) return PETSC_FALSE;
  slash[slash == path] = 0; /* the root stays */
  return PETSC_TRUE;
}

/* A file in folder/within, where it is one; path[] is then its full path */
static PetscErrorCode PlexDGTrySource(const char folder[], const char within[], const char file[],
                                      char path[PETSC_MAX_PATH_LEN], PetscBool *found)
{
  char name[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s%s%s", folder, folder[0] ? "/" : "", within, within[0] ? "/" : "",
                          file));
  PetscCall(PetscTestFile(name, 'r', found));
  if (*found) PetscCall(PetscGetFullPath(name, path, PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The header of a system where the program runs from another folder than it was compiled in. `source` is relative to a
   folder that the compiler knew: that of the C file which named it, or the one where the compiler ran, which is above
   the program, or the library, that came of it */
static PetscErrorCode PlexDGSearchSource(PlexDGSystem system, char path[PETSC_MAX_PATH_LEN], PetscBool *found)
{
  char    base[PETSC_MAX_PATH_LEN] = "", folder[PETSC_MAX_PATH_LEN] = "";
  Dl_info info;
  ssize_t n;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (system->base) PetscCall(PetscStrncpy(base, system->base, sizeof(base)));
  if (!PlexDGParent(base)) base[0] = 0;
  if (base[0]) PetscCall(PlexDGTrySource("", base, system->source, path, found));
  if (*found) PetscFunctionReturn(PETSC_SUCCESS);
  if (dladdr((const void *)system->host, &info) && info.dli_fname && info.dli_fname[0] == '/')
    PetscCall(PetscStrncpy(folder, info.dli_fname, sizeof(folder)));
  else {
    n                      = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[PetscMax(n, 0)] = 0;
  }
  while (!*found && PlexDGParent(folder) && folder[1]) {
    PetscCall(PlexDGTrySource(folder, "", system->source, path, found));
    if (!*found && base[0] && base[0] != '/') PetscCall(PlexDGTrySource(folder, base, system->source, path, found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The header of pointwise functions: a path, or a name in the folder of device sources */
static PetscErrorCode PlexDGFindSource(PlexDGSystem system, char path[PETSC_MAX_PATH_LEN])
{
  char      devices[PETSC_MAX_PATH_LEN];
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PlexDGTrySource("", "", system->source, path, &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSourceGetFolder(devices));
  if (system->source[0] != '/') PetscCall(PlexDGTrySource(devices, "", system->source, path, &found));
  if (found) { /* as the text of the library's kernels has it, wherever that is */
    PetscCall(PetscStrncpy(path, system->source, PETSC_MAX_PATH_LEN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (system->source[0] != '/') PetscCall(PlexDGSearchSource(system, path, &found));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "Cannot find %s, the header of pointwise functions of system %s, which kernels are compiled from when the "
             "program runs: it is not in the working folder, in %s, beside %s, or in a folder above the program. Give "
             "PLEX_DG_POINTWISE, or PlexDGSystem.source, its full path",
             system->source, system->name, devices, system->base ? system->base : "the C file of the system");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCompile(PlexDG dg, const char kernel[], PetscInt ndefines, const char *const defines[],
                             PlexModule *module)
{
  char           source[PETSC_MAX_PATH_LEN], *text = NULL;
  const char    *name;
  size_t         size = 0;
  FILE          *file;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexDGFindSource(dg->system, source));
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
