/* The file that defines a function of the running program, out of its debugging information (DWARF) */
#define _GNU_SOURCE
#include <plexgpu/private/sourceimpl.h>
#if PLEXGPU_LIBDW
  #include <dlfcn.h>
  #include <dwarf.h>
  #include <elfutils/libdw.h>
  #include <fcntl.h>
  #include <link.h>
  #include <string.h>
  #include <sys/stat.h>
  #include <unistd.h>

/* The unit that has code at an address: by .debug_aranges, else one after the other */
static PetscBool PlexDebugUnit(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *unit)
{
  Dwarf_CU *cu = NULL;

  if (dwarf_addrdie(dwarf, pc, unit)) return PETSC_TRUE;
  while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL))
    if (dwarf_haspc(unit, pc) > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

typedef struct {
  PetscInt    n;
  char      **names; /* [n] symbols at the address of the function */
  const char *file;  /* that defines it; NULL: not found */
} PlexDebugSearch;

static int PlexDebugNamed(Dwarf_Die *die, void *ctx)
{
  PlexDebugSearch *search = (PlexDebugSearch *)ctx;
  Dwarf_Attribute  attribute;
  const char      *plain  = dwarf_diename(die);
  const char      *linked = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
  const char      *name   = linked ? linked : plain;

  for (PetscInt k = 0; k < search->n && name; ++k)
    if (!strcmp(search->names[k], name)) search->file = dwarf_decl_file(die);
  return search->file ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The file of the function of a unit that has one of the names at its address. A compiler that folds equal functions
   keeps their symbols, and may write down the address of one alone. */
static PetscErrorCode PlexDebugByName(Dwarf_Die *unit, PetscVoidFn *fn, const char **file)
{
  PlexDebugSearch search = {0, NULL, NULL};
  char          **files;

  PetscFunctionBegin;
  PetscCall(PlexSymbolNames(fn, &search.n, &search.names, &files));
  (void)dwarf_getfuncs(unit, PlexDebugNamed, &search, 0);
  PetscCall(PlexSymbolNamesDestroy(search.n, &search.names, &files));
  *file = search.file;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The path of the file that defines a function, which begins at pc, absolute; "" where that is not known */
static PetscErrorCode PlexDebugPath(Dwarf *dwarf, PetscVoidFn *fn, Dwarf_Addr pc, char path[PETSC_MAX_PATH_LEN])
{
  Dwarf_Die   unit, *scopes = NULL;
  Dwarf_Addr  entry;
  int         n;
  const char *file = NULL, *folder = NULL;

  PetscFunctionBegin;
  path[0] = '\0';
  if (!PlexDebugUnit(dwarf, pc, &unit)) PetscFunctionReturn(PETSC_SUCCESS);
  n = dwarf_getscopes(&unit, pc, &scopes);
  for (int k = 0; k < n; ++k)
    if (dwarf_tag(&scopes[k]) == DW_TAG_subprogram && !dwarf_entrypc(&scopes[k], &entry) && entry == pc)
      file = dwarf_decl_file(&scopes[k]);
  if (!file) PetscCall(PlexDebugByName(&unit, fn, &file));
  if (file && file[0] != '/') {
    Dwarf_Attribute attribute;

    folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  }
  if (file && (file[0] == '/' || folder))
    PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s%s%s", folder ? folder : "", folder ? "/" : "", file));
  free(scopes); /* libdw allocates it by malloc() */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An object file: the program or a library. dwarf is NULL where it has no debugging information */
struct _n_PlexDebug {
  char     *object;
  int       fd; /* < 0: it cannot be read */
  Dwarf    *dwarf;
  PlexDebug next;
};

static PetscErrorCode PlexDebugOpen(const char object[], PlexDebug *opened, PlexDebug *debug)
{
  PlexDebug d = *opened;

  PetscFunctionBegin;
  while (d && strcmp(d->object, object)) d = d->next;
  *debug = d;
  if (d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&d));
  PetscCall(PetscStrallocpy(object, &d->object));
  d->fd = open(object, O_RDONLY | O_CLOEXEC);
  if (d->fd >= 0) d->dwarf = dwarf_begin(d->fd, DWARF_C_READ);
  d->next = *opened;
  *opened = *debug = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDebugClose(PlexDebug *opened)
{
  PetscFunctionBegin;
  while (*opened) {
    PlexDebug d = *opened;

    *opened = d->next;
    if (d->dwarf) dwarf_end(d->dwarf);
    if (d->fd >= 0) close(d->fd);
    PetscCall(PetscFree(d->object));
    PetscCall(PetscFree(d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexSymbolFile - The source file that defines a function of the running program

  Not Collective

  Input Parameters:
+ fn     - the function
. opened - object files that are open, `NULL` before the first; `PlexDebugClose()` closes them
- size   - of `reason`

  Output Parameters:
+ path   - of the file; "" where it cannot be said
- reason - then why not

  Note:
  The debugging information says which file a function was compiled from, not with which macros (-D), and not whether
  the file is still the same. A file that is newer than the program is not taken.
*/
PetscErrorCode PlexSymbolFile(PetscVoidFn *fn, PlexDebug *opened, char path[PETSC_MAX_PATH_LEN], char reason[],
                              size_t size)
{
  Dl_info          info;
  struct link_map *map = NULL;
  struct stat      source, object;
  PlexDebug        debug;
  union
  {
    PetscVoidFn *fn;
    void        *address;
  } pointer;

  PetscFunctionBegin;
  path[0] = reason[0] = '\0';
  pointer.fn          = fn;
  if (!dladdr1(pointer.address, &info, (void **)&map, RTLD_DL_LINKMAP)) map = NULL;
  /* the path of the program may be relative to a folder that was left */
  PetscCall(PlexDebugOpen(map && map->l_name && map->l_name[0] ? map->l_name : "/proc/self/exe", opened, &debug));
  if (debug->dwarf && map)
    PetscCall(PlexDebugPath(debug->dwarf, fn, (Dwarf_Addr)((char *)pointer.address - (char *)map->l_addr), path));
  if (!path[0])
    PetscCall(PetscSNPrintf(reason, size, "%s has no debugging information of it: compile it with -g",
                            map && map->l_name && map->l_name[0] ? map->l_name : "the program"));
  else if (stat(path, &source))
    PetscCall(PetscSNPrintf(reason, size, "it was compiled from %s, which is not there", path));
  else if (!fstat(debug->fd, &object) &&
           (source.st_mtim.tv_sec > object.st_mtim.tv_sec ||
            (source.st_mtim.tv_sec == object.st_mtim.tv_sec && source.st_mtim.tv_nsec > object.st_mtim.tv_nsec)))
    PetscCall(PetscSNPrintf(reason, size, "%s, which it was compiled from, has changed since: compile it again", path));
  if (reason[0]) path[0] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode PlexDebugClose(PlexDebug *opened)
{
  PetscFunctionBegin;
  (void)opened;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymbolFile(PetscVoidFn *fn, PlexDebug *opened, char path[PETSC_MAX_PATH_LEN], char reason[],
                              size_t size)
{
  PetscFunctionBegin;
  (void)fn, (void)opened;
  path[0] = '\0';
  PetscCall(PetscSNPrintf(reason, size, "PlexGPU was built without libdw (Debian: apt-get install libdw-dev)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
