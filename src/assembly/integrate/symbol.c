/* The name of the function at an address. */
#define _GNU_SOURCE
#include <plexgpu/impl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* The first function of the file's .symtab whose value is `value`; the compiler's suffixes (.lto_priv.0) cut off */
static PetscErrorCode PlexSymbolOfELF(Elf *elf, GElf_Addr value, char **name)
{
  Elf_Scn *section = NULL;

  PetscFunctionBegin;
  while ((section = elf_nextscn(elf, section)) && !*name) {
    GElf_Shdr header;
    Elf_Data *data;

    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize) continue;
    data = elf_getdata(section, NULL);
    for (int k = 0; data && k < (int)(header.sh_size / header.sh_entsize); ++k) {
      GElf_Sym    symbol;
      const char *text;

      if (!gelf_getsym(data, k, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_value != value) continue;
      text = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (!text || !text[0]) continue;
      PetscCall(PetscStrallocpy(text, name));
      (*name)[strcspn(*name, ".")] = '\0';
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value: the address less what the loader added to the addresses in the file, which is nothing for an executable linked to a fixed address */
static PetscErrorCode PlexSymbolOfFile(const char file[], GElf_Addr value, char **name)
{
  Elf *elf;
  int  fd;

  PetscFunctionBegin;
  if (elf_version(EV_CURRENT) == EV_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) PetscFunctionReturn(PETSC_SUCCESS);
  elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  if (elf) {
    PetscCall(PlexSymbolOfELF(elf, value, name));
    elf_end(elf);
  }
  close(fd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PlexSymbolName - The name of the function at an address

  Not Collective

  Input Parameter:
. fn - the function

  Output Parameter:
. name - its symbol, to be freed with `PetscFree()`; `NULL` where the file that holds it is stripped

  Note:
  Exported functions are in the dynamic symbol table. Static ones are found in the `.symtab` of the executable or library,
  which is there unless it was stripped; the path of the main executable may be relative to a folder that was left, so it is
  opened through `/proc/self/exe`.
*/
PetscErrorCode PlexSymbolName(PetscVoidFn *fn, char **name)
{
  union
  {
    PetscVoidFn *fn;
    void        *address;
  } pointer;
  Dl_info          info;
  struct link_map *map = NULL;

  PetscFunctionBegin;
  *name      = NULL;
  pointer.fn = fn;
  if (!fn || !dladdr1(pointer.address, &info, (void **)&map, RTLD_DL_LINKMAP)) PetscFunctionReturn(PETSC_SUCCESS);
  if (info.dli_sname && info.dli_saddr == pointer.address) PetscCall(PetscStrallocpy(info.dli_sname, name));
  else if (map) {
    const PetscBool executable = !map->l_name || !map->l_name[0] ? PETSC_TRUE : PETSC_FALSE;

    PetscCall(PlexSymbolOfFile(executable ? "/proc/self/exe" : map->l_name, (GElf_Addr)((char *)pointer.address - (char *)map->l_addr), name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
