/*
  Names of C++ functions. A symbol is demangled by the C++ runtime, which a program has that has such a function:
  _ZN5rocks6Linear3f1uEiiiPKi... is rocks::Linear::f1u. Overloads need not be told apart: a kernel calls each function
  with the arguments of a pointwise function.
*/
#define _GNU_SOURCE
#include "source.h"
#include <ctype.h>
#include <dlfcn.h>

typedef char *PlexDemangle(const char *, char *, size_t *, int *);

/* __cxa_demangle() of the running program, or of a C++ runtime beside it; NULL where there is none */
static PlexDemangle *PlexFindDemangle(void)
{
  const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
  static PetscBool  asked       = PETSC_FALSE;
  static union
  {
    void         *address;
    PlexDemangle *function;
  } pointer;

  if (!asked) pointer.address = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(libraries) && !asked && !pointer.address; ++k) {
    void *library = dlopen(libraries[k], RTLD_LAZY | RTLD_LOCAL); /* stays, as the function is used */

    if (library) pointer.address = dlsym(library, "__cxa_demangle");
  }
  asked = PETSC_TRUE;
  return pointer.function;
}

/* Cuts a demangled function down to its qualified name: no return type (of a template), no parameters, no name of a
   namespace that has none. PETSC_FALSE: it has no name that a kernel can call it by, as a lambda. */
static PetscBool PlexCxxCutName(char text[])
{
  const char none[] = "(anonymous namespace)::";
  int        depth  = 0;
  char      *begin  = text;

  for (char *p = strstr(text, none); p; p = strstr(text, none))
    memmove(p, p + sizeof(none) - 1, strlen(p + sizeof(none) - 1) + 1);
  for (char *p = text; *p; ++p) {
    if (*p == '<') ++depth;
    else if (*p == '>') --depth;
    else if (*p == ' ' && !depth) begin = p + 1;
    else if (*p == '(' && !depth) {
      if (strstr(p, ")::")) return PETSC_FALSE; /* inside another function */
      *p = '\0';
      break;
    }
  }
  memmove(text, begin, strlen(begin) + 1);
  if (strstr(text, "::operator") || strpbrk(text, "{}[]")) return PETSC_FALSE;
  return (PetscBool)(text[0] != '\0');
}

/*
  PlexSymbolSpell - How C++ spells the function of a symbol

  Input Parameter:
. symbol - as in the program's symbol table

  Output Parameter:
. name - to be freed with PetscFree(): the symbol itself where it is not that of C++; `NULL` where it is and C++ has no
         name that others can call it by
*/
PetscErrorCode PlexSymbolSpell(const char symbol[], char **name)
{
  PlexDemangle *demangle;
  char         *text;
  int           status = 0;

  PetscFunctionBegin;
  *name = NULL;
  if (strncmp(symbol, "_Z", 2)) {
    PetscCall(PetscStrallocpy(symbol, name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  demangle = PlexFindDemangle();
  text     = demangle ? (*demangle)(symbol, NULL, NULL, &status) : NULL;
  if (text && !status && PlexCxxCutName(text)) PetscCall(PetscStrallocpy(text, name));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a C++ text may define a function: the last part of its name is a word there */
PetscBool PlexCxxHasFunction(const char text[], const char name[])
{
  char        word[256];
  const char *last  = name;
  int         depth = 0;
  size_t      n;

  for (const char *p = name; *p; ++p) {
    depth += (*p == '<') - (*p == '>');
    if (!depth && !strncmp(p, "::", 2)) last = p + 2;
  }
  n = strcspn(last, "<");
  if (!n || n >= sizeof(word)) return PETSC_FALSE;
  (void)snprintf(word, sizeof(word), "%.*s", (int)n, last);
  return PlexTextHasName(text, word);
}
