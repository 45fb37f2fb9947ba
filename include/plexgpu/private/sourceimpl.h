/*
  Forms, the pointwise functions of a PetscDS, and their sources: from the application's files to what a kernel is
  compiled with. src/assembly/source/; forms: src/assembly/integrate/
*/
#pragma once

#include <plexgpu/private/meshimpl.h>

/* ------------------------------------------------------------------------------------------------------------------
   Forms: the pointwise functions of a PetscDS, by kind, with their names. src/assembly/integrate/form.c
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscInt      n;     /* functions of one key; several add up */
  PetscVoidFn **fn;    /* [n] */
  char        **names; /* [n] symbols, NULL where none was found */
  /* of cohesive cells: the functions return numbers for so many sides, or pairs of sides, of which these are number
     `part`; else 1 and 0 */
  PetscInt parts, part;
} PlexFunctions;

typedef struct _n_PlexForm *PlexForm;
struct _n_PlexForm {
  PetscInt       Nf;    /* fields of the elements */
  PetscInt      *field; /* [Nf] of cohesive cells: number of the PetscDS's field; else NULL */
  PetscInt       numConstants;
  PetscBool      hasPreconditioner; /* there are functions of a Jacobian preconditioner, not in here, */
  PetscBool      hasDynamic;        /* of a dynamic Jacobian */
  PlexAction     action;            /* of the integral */
  PlexFunctions *f[2];              /* each [Nf]: f0, f1 of test field I */
  PlexFunctions *g[4];              /* each [Nf * Nf]: g0..g3 of test field I, trial field J at I * Nf + J */
  PlexFunctions *d[4];              /* likewise of the dynamic Jacobian, which is multiplied by the shift */
};
/* The functions of an integral's key, and of its products alone. Later changes of the PetscDS do not show in the
   form. */
PETSC_EXTERN PetscErrorCode PlexFormCreateIntegral(DM, const PlexIntegral *, PlexForm *);
PETSC_EXTERN PetscErrorCode PlexFormDestroy(PlexForm *);
/* What constants[numConstants] and the next one say of field f */
#define PlexFormField(form, f) ((form)->field ? (form)->field[f] : (f))
/* The symbol at an address: dladdr(), and for static functions the .symtab of the file that holds it; *name NULL where
   none. Names: all symbols there, with the source files of static functions. */
PETSC_EXTERN PetscErrorCode PlexSymbolName(PetscVoidFn *, char **name);
PETSC_EXTERN PetscErrorCode PlexSymbolNames(PetscVoidFn *, PetscInt *n, char ***names, char ***files);
PETSC_EXTERN PetscErrorCode PlexSymbolNamesAdd(PetscInt *n, char ***names, char ***files, const char name[],
                                               const char file[]);
PETSC_EXTERN PetscErrorCode PlexSymbolNamesDestroy(PetscInt n, char ***names, char ***files);
/* The file that a function was compiled from, by the debugging information; "" and a reason where it cannot be said.
   PlexDebug: the object files that are open, NULL before the first */
typedef struct _n_PlexDebug *PlexDebug;
PETSC_EXTERN PetscErrorCode  PlexSymbolFile(PetscVoidFn *, PlexDebug *, char path[PETSC_MAX_PATH_LEN], char reason[],
                                            size_t);
PETSC_EXTERN PetscErrorCode  PlexDebugClose(PlexDebug *);
PETSC_EXTERN PetscErrorCode  PlexSymbolVariable(PetscVoidFn *, const char name[], const char file[], void **address,
                                                size_t *size, PetscBool *absent);

/* ------------------------------------------------------------------------------------------------------------------
   Sources: from the application's files to what a kernel is compiled with. src/assembly/source/
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexProgram *PlexProgram; /* the files, preprocessed and split into declarations */
/* the functions that a kernel calls and all they reach; one at a time of a program */
typedef struct _n_PlexExtract *PlexExtract;
/* the variables they read, whose values are copied to a module before launches */
typedef struct _n_PlexVariables *PlexVariables;
PETSC_EXTERN PetscErrorCode      PlexProgramCreate(const char files[], const char prefix[], PlexProgram *);
PETSC_EXTERN PetscErrorCode      PlexProgramDestroy(PlexProgram *);
PETSC_EXTERN PetscErrorCode      PlexExtractCreate(PlexProgram, PlexExtract *);
PETSC_EXTERN PetscErrorCode      PlexExtractAddFunction(PlexExtract, PetscVoidFn *, const char name[], PetscBool *found,
                                                        char text[], size_t);
PETSC_EXTERN PetscErrorCode      PlexExtractWrite(PlexExtract, PetscBool single, FILE *);
PETSC_EXTERN PetscErrorCode      PlexExtractGetVariables(PlexExtract, PetscBool single, PlexVariables *);
PETSC_EXTERN PetscErrorCode      PlexExtractDestroy(PlexExtract *);
PETSC_EXTERN PetscErrorCode      PlexVariablesUpdate(PlexVariables, PlexModule);
PETSC_EXTERN PetscErrorCode      PlexVariablesDestroy(PlexVariables *);

/* What a pointwise function may read: bits of PlexFacts.reads. Sizes and offsets (dim, Nf, NfAux, uOff, ...) are no
   arguments here. */
#define PLEX_READS_U         1u
#define PLEX_READS_U_T       2u
#define PLEX_READS_U_X       4u
#define PLEX_READS_A         8u
#define PLEX_READS_A_T       16u
#define PLEX_READS_A_X       32u
#define PLEX_READS_T         64u
#define PLEX_READS_SHIFT     128u  /* u_tShift */
#define PLEX_READS_X         256u  /* the position */
#define PLEX_READS_NORMAL    512u  /* of a facet */
#define PLEX_READS_VOLUME    1024u /* constants[numConstants+2]: PETSc puts the element's volume there */
#define PLEX_READS_FIELDS    2048u /* constants[numConstants+0] and +1: the fields that are integrated */
#define PLEX_READS_CONSTANTS 4096u /* constants[0] to constants[numConstants-1] */
#define PLEX_READS_VARIABLES 8192u /* variables of the file that are not const */
#define PLEX_READS_ALL       16383u

/* The sizes that a pointwise function is called with */
typedef struct {
  PetscInt        dim, Nf, NfAux;
  const PetscInt *uOff, *uOff_x; /* [Nf+1], or NULL: not known */
  const PetscInt *aOff, *aOff_x; /* [NfAux+1], or NULL */
  PetscInt        numConstants;
  PetscInt        fieldI, fieldJ; /* constants[numConstants+0] and +1 */
  PetscInt        n;              /* entries of the result */
  PetscBool       facets;         /* it has the argument n[] */
  PetscBool       jacobian;       /* it has the argument u_tShift */
} PlexFactsSizes;

/* What is proven of a pointwise function from its source, for these sizes */
typedef struct {
  /* all that it reaches was found and understood as far as `reads` needs it; else reads is PLEX_READS_ALL */
  PetscBool  known;
  unsigned   reads;  /* it neither depends on nor touches anything else */
  PetscBool *readsA; /* [NfAux] it may read a[] of the auxiliary field; all where not known */
  /* [n] of the result, which is zero before the call. 0: the entry is zero after it, whatever the arguments. Entries of
     one positive number are equal, whatever the arguments, but for the sign of a zero and for products and sums that a
     compiler contracts. NULL: not known */
  int        *value;
  const char *why; /* what was not understood, NULL: nothing; static */
} PlexFacts;
PETSC_EXTERN PetscErrorCode PlexProgramGetFacts(PlexProgram, PetscVoidFn *, const char name[], const PlexFactsSizes *,
                                                PlexFacts *);
PETSC_EXTERN PetscErrorCode PlexFactsReset(PlexFacts *);
