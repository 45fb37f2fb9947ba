/*
  Machine code that cannot be right. ptxas has none of mma.m16n8k4 in double precision for fewer than 64 registers, and
  refuses kernels that ask for fewer. But where it chooses the number itself, as it does of kernels whose
  __launch_bounds__ say nothing of blocks, it may choose 32 and keep nearly all numbers in memory; then it says nothing,
  and products are wrong (CUDA 13.0). The code itself tells: EIATTR_REGCOUNT and EIATTR_FRAME_SIZE of a kernel in the
  section .nv.info, and its instructions.
*/
#include "cudaimpl.h"

#if PetscDefined(HAVE_CUDA)
  #include <elf.h>

  #define PLEX_EIATTR_FRAME_SIZE 0x11
  #define PLEX_EIATTR_REGCOUNT   0x2f
  #define PLEX_EIFMT_SVAL        4 /* a length follows, and so many bytes; else two bytes */
  /* of the first 12 of the 128 bits of an instruction, from compute capability 8.0 on */
  #define PLEX_OPCODE_DMMA    0x23f
  #define PLEX_DMMA_REGISTERS 64
  #define PLEX_DMMA_STACK     1024 /* bytes: more than arrays of the application's take */

/* The attribute of function `symbol`; 0: there is none */
static unsigned PlexCubinGetAttribute(const unsigned char *info, size_t n, unsigned attribute, unsigned symbol)
{
  for (size_t at = 0; at + 4 <= n;) {
    unsigned short bytes;
    unsigned       v[2];

    memcpy(&bytes, &info[at + 2], sizeof(bytes));
    if (info[at] == PLEX_EIFMT_SVAL && info[at + 1] == attribute && bytes == sizeof(v) && at + 4 + sizeof(v) <= n) {
      memcpy(v, &info[at + 4], sizeof(v));
      if (v[0] == symbol) return v[1];
    }
    at += 4 + (info[at] == PLEX_EIFMT_SVAL ? bytes : 0);
  }
  return 0;
}

static PetscBool PlexCubinHasProducts(const unsigned char *code, size_t n)
{
  for (size_t at = 0; at + 16 <= n; at += 16)
    if ((code[at] | (code[at + 1] & 15u) << 8) == PLEX_OPCODE_DMMA) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The section of this name, NULL if there is none; or, where name is NULL, of this type */
static const Elf64_Shdr *PlexCubinFind(const unsigned char *cubin, size_t n, const char name[], unsigned type)
{
  const Elf64_Ehdr *head     = (const Elf64_Ehdr *)cubin;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(cubin + head->e_shoff), *names;

  if (n < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_shentsize != sizeof(*sections) ||
      head->e_shoff > n || head->e_shoff + (size_t)head->e_shnum * sizeof(*sections) > n ||
      head->e_shstrndx >= head->e_shnum)
    return NULL;
  names = &sections[head->e_shstrndx];
  for (unsigned k = 0; k < head->e_shnum; ++k) {
    const Elf64_Shdr *s = &sections[k];

    if (s->sh_type != SHT_NOBITS && (s->sh_offset > n || s->sh_size > n - s->sh_offset)) return NULL;
    if (name ? s->sh_name < names->sh_size && !strcmp((const char *)cubin + names->sh_offset + s->sh_name, name)
             : s->sh_type == type)
      return s;
  }
  return NULL;
}

PetscErrorCode PlexCUDACheckRegisters(const char name[], const void *cubin, size_t n)
{
  const unsigned char *bytes    = (const unsigned char *)cubin;
  const Elf64_Shdr    *sections = (const Elf64_Shdr *)(bytes + ((const Elf64_Ehdr *)cubin)->e_shoff),
                   *info = PlexCubinFind(bytes, n, ".nv.info", 0), *symbols = PlexCubinFind(bytes, n, NULL, SHT_SYMTAB);

  PetscFunctionBegin;
  /* another format: nothing is known */
  if (!info || !symbols || symbols->sh_link >= ((const Elf64_Ehdr *)cubin)->e_shnum) PetscFunctionReturn(PETSC_SUCCESS);
  for (unsigned k = 0; k < symbols->sh_size / sizeof(Elf64_Sym); ++k) {
    const Elf64_Sym *symbol = (const Elf64_Sym *)(bytes + symbols->sh_offset) + k;
    const char      *kernel = (const char *)bytes + sections[symbols->sh_link].sh_offset + symbol->st_name;
    unsigned         registers, stack;

    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx >= ((const Elf64_Ehdr *)cubin)->e_shnum)
      continue;
    registers = PlexCubinGetAttribute(bytes + info->sh_offset, info->sh_size, PLEX_EIATTR_REGCOUNT, k);
    stack     = PlexCubinGetAttribute(bytes + info->sh_offset, info->sh_size, PLEX_EIATTR_FRAME_SIZE, k);
    if (!registers || registers >= PLEX_DMMA_REGISTERS || stack < PLEX_DMMA_STACK ||
        !PlexCubinHasProducts(bytes + sections[symbol->st_shndx].sh_offset, sections[symbol->st_shndx].sh_size))
      continue;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB,
            "Kernel %s of %s: NVRTC kept it to %u registers and %u bytes of its numbers to memory, for which its "
            "products on tensor cores would be wrong: say in its __launch_bounds__ how many blocks a multiprocessor "
            "has at least, or choose another type or backend",
            kernel, name, registers, stack);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
