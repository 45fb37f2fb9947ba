/* Functions and variables of the running program: the names at an address, and the address of a name. */
#define _GNU_SOURCE
#include <plexgpu/private/sourceimpl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* What is asked of a file's .symtab, symbol by symbol. file: the source that a local symbol comes from, where that is
   noted. */
typedef PetscErrorCode PlexSymbolVisit(void *ctx, const GElf_Sym *, const char name[], const char file[]);

static PetscErrorCode PlexSymbolsOfELF(Elf *elf, PlexSymbolVisit *visit, void *ctx)
{
  Elf_Scn *section = NULL;

  PetscFunctionBegin;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr   header;
    Elf_Data   *data;
    const char *file = NULL;

    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize) continue;
    data = elf_getdata(section, NULL);
    for (int k = 0; data && k < (int)(header.sh_size / header.sh_entsize); ++k) {
      GElf_Sym    symbol;
      const char *text;

      if (!gelf_getsym(data, k, &symbol)) continue;
      text = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) file = text;
      else if (text && text[0] && symbol.st_shndx != SHN_UNDEF)
        PetscCall(visit(ctx, &symbol, text, GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? file : NULL));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symbols of a loaded file; none where it cannot be read. The path of the main executable may be relative to a
   folder that was left, so it is opened through /proc/self/exe. */
static PetscErrorCode PlexSymbolsOfObject(const struct link_map *map, PlexSymbolVisit *visit, void *ctx)
{
  const char *path = map && map->l_name && map->l_name[0] ? map->l_name : "/proc/self/exe";
  Elf        *elf;
  int         fd;

  PetscFunctionBegin;
  if (elf_version(EV_CURRENT) == EV_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) PetscFunctionReturn(PETSC_SUCCESS);
  elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  if (elf) {
    PetscCall(PlexSymbolsOfELF(elf, visit, ctx));
    elf_end(elf);
  }
  close(fd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The loaded file that holds an address; NULL where none does */
static const struct link_map *PlexSymbolObject(PetscVoidFn *fn, Dl_info *info)
{
  struct link_map *map = NULL;
  union
  {
    PetscVoidFn *fn;
    void        *address;
  } pointer;

  pointer.fn = fn;
  return fn && dladdr1(pointer.address, info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* ------------------------------------------------------------------------------------------------------------ names */

typedef struct {
  GElf_Addr value;
  PetscInt  n;
  char    **names, **files; /* [n] */
} PlexSymbolList;

/* Adds a name without what compilers put behind it (.lto_priv.0, .constprop.0), and its file, which may be NULL;
   another time for another file */
PetscErrorCode PlexSymbolNamesAdd(PetscInt *n, char ***names, char ***files, const char name[], const char file[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < *n; ++k) {
    const size_t length = strlen((*names)[k]);

    if (!strncmp((*names)[k], name, length) && (!name[length] || name[length] == '.') &&
        (!file || ((*files)[k] && !strcmp(file, (*files)[k]))))
      PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc(sizeof(char *) * (size_t)(*n + 1), names));
  PetscCall(PetscRealloc(sizeof(char *) * (size_t)(*n + 1), files));
  PetscCall(PetscStrallocpy(name, &(*names)[*n]));
  PetscCall(PetscStrallocpy(file, &(*files)[*n]));
  (*names)[*n][strcspn((*names)[*n], ".")] = '\0';
  ++*n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSymbolAtAddress(void *ctx, const GElf_Sym *symbol, const char name[], const char file[])
{
  PlexSymbolList *list = (PlexSymbolList *)ctx;

  PetscFunctionBegin;
  if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value != list->value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSymbolNamesAdd(&list->n, &list->names, &list->files, name, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexSymbolNames - The names of the function at an address

  Not Collective

  Input Parameter:
. fn - the function

  Output Parameters:
+ n     - how many: several where the linker folded equal functions into one, none where the file that holds it is
          stripped
. names - [n] symbols
- files - [n] names of the source files of static functions, `NULL` where unknown

  Note:
  Exported functions are in the dynamic symbol table. Static ones are found in the `.symtab` of the executable or
  library, which is there unless it was stripped. Values there are addresses less what the loader added, which is
  nothing for an executable linked to a fixed address.
*/
PetscErrorCode PlexSymbolNames(PetscVoidFn *fn, PetscInt *n, char ***names, char ***files)
{
  Dl_info                info;
  PlexSymbolList         list = {0, 0, NULL, NULL};
  const struct link_map *map  = PlexSymbolObject(fn, &info);
  union
  {
    PetscVoidFn *fn;
    void        *address;
  } pointer;

  PetscFunctionBegin;
  pointer.fn = fn;
  if (map) {
    if (info.dli_sname && info.dli_saddr == pointer.address)
      PetscCall(PlexSymbolNamesAdd(&list.n, &list.names, &list.files, info.dli_sname, NULL));
    list.value = (GElf_Addr)((char *)pointer.address - (char *)map->l_addr);
    PetscCall(PlexSymbolsOfObject(map, PlexSymbolAtAddress, &list));
  }
  *n     = list.n;
  *names = list.names;
  *files = list.files;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSymbolNamesDestroy(PetscInt n, char ***names, char ***files)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscFree((*names)[k]));
    PetscCall(PetscFree((*files)[k]));
  }
  PetscCall(PetscFree(*names));
  PetscCall(PetscFree(*files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first of the names of a function, to be freed with PetscFree(); NULL where there is none */
PetscErrorCode PlexSymbolName(PetscVoidFn *fn, char **name)
{
  char   **names, **files;
  PetscInt n;

  PetscFunctionBegin;
  *name = NULL;
  PetscCall(PlexSymbolNames(fn, &n, &names, &files));
  if (n) PetscCall(PetscStrallocpy(names[0], name));
  PetscCall(PlexSymbolNamesDestroy(n, &names, &files));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------------------------------------------------------------------- variables */

typedef struct {
  const char *name, *file; /* file: where a static variable is from, NULL for one of the whole program */
  GElf_Addr   value;
  size_t      size;
  int         rank, n; /* of the best found: 3 is right, 2 and 1 in the absence of better; how many have that rank */
  int         locals;  /* local symbols of any name: none in a stripped file */
} PlexSymbolSearch;

static PetscErrorCode PlexSymbolOfVariable(void *ctx, const GElf_Sym *symbol, const char name[], const char file[])
{
  PlexSymbolSearch *s      = (PlexSymbolSearch *)ctx;
  const size_t      length = strlen(s->name);
  const PetscBool   local  = (PetscBool)(GELF_ST_BIND(symbol->st_info) == STB_LOCAL);
  int               rank;

  PetscFunctionBegin;
  s->locals += local;
  if (GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_size) PetscFunctionReturn(PETSC_SUCCESS);
  /* a number behind the name alone is that of a function's static variable */
  if (strncmp(name, s->name, length) || (name[length] && strncmp(name + length, ".lto_priv", 9)))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (s->file && !local) rank = 0;
  /* link-time optimization forgets files */
  else if (s->file) rank = file && !strcmp(file, s->file) ? 3 : (!file || file[0] == '<' || !file[0] || !s->file[0]);
  /* hidden variables of the whole program are local in a linked file */
  else rank = local ? 2 : 3;
  if (!rank || rank < s->rank) PetscFunctionReturn(PETSC_SUCCESS);
  s->n     = rank > s->rank ? 1 : s->n + 1;
  s->rank  = rank;
  s->value = symbol->st_value;
  s->size  = symbol->st_size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexSymbolVariable - The address and size of a variable of a file

  Not Collective

  Input Parameters:
+ fn   - a function of the program or library that has the variable; `NULL`: the program
. name - the variable
- file - the name of the source file of a static variable, without folders; "" where it is not known; `NULL` for a
         variable that is not static

  Output Parameters:
+ address - where it is; `NULL` where it is not found, or several files have one and none is `file`
. size    - bytes
- absent  - there are symbols, and none of them has that name
*/
PetscErrorCode PlexSymbolVariable(PetscVoidFn *fn, const char name[], const char file[], void **address, size_t *size,
                                  PetscBool *absent)
{
  PlexSymbolSearch       s = {name, file, 0, 0, 0, 0, 0};
  Dl_info                info;
  const struct link_map *map = PlexSymbolObject(fn, &info);

  PetscFunctionBegin;
  *address = NULL;
  *size    = 0;
  if (!fn) {
    void *program = dlopen(NULL, RTLD_LAZY);

    if (program && dlinfo(program, RTLD_DI_LINKMAP, &map)) map = NULL;
    if (program) dlclose(program);
  }
  if (map) PetscCall(PlexSymbolsOfObject(map, PlexSymbolOfVariable, &s));
  *absent = (PetscBool)(s.locals && !s.n);
  if (s.n == 1) {
    *address = (void *)((char *)map->l_addr + s.value);
    *size    = s.size;
  } else if (!file && !s.n) { /* of another library */
    const ElfW(Sym) *symbol = NULL;
    void *found             = dlsym(RTLD_DEFAULT, name);

    if (found && dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol && info.dli_saddr == found) {
      *address = found;
      *size    = symbol->st_size;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
