/*
  What is known of a pointwise function: the two ways of facts.h put together. A function that the first does not
  understand is known if the second carried it out, which understands less but nothing by half; what either excludes is
  excluded.
*/
#include "facts.h"

int PlexFactsParameters(const PlexFactsSizes *sizes, unsigned bits[PLEX_FACTS_PARAMETERS])
{
  static const unsigned first[] = {0,
                                   0,
                                   0,
                                   0,
                                   0,
                                   PLEX_READS_U,
                                   PLEX_READS_U_T,
                                   PLEX_READS_U_X,
                                   0,
                                   0,
                                   PLEX_READS_A,
                                   PLEX_READS_A_T,
                                   PLEX_READS_A_X,
                                   PLEX_READS_T};
  int                   n       = (int)PETSC_STATIC_ARRAY_LENGTH(first);

  for (int k = 0; k < n; ++k) bits[k] = first[k];
  if (sizes->jacobian) bits[n++] = PLEX_READS_SHIFT;
  bits[n++] = PLEX_READS_X;
  if (sizes->facets) bits[n++] = PLEX_READS_NORMAL;
  bits[n++] = 0;
  bits[n++] = PLEX_READS_CONSTANTS | PLEX_READS_FIELDS | PLEX_READS_VOLUME;
  bits[n++] = 0;
  return n;
}

/*
  PlexProgramGetFacts - What is proven of a pointwise function from its source

  Not Collective

  Input Parameters:
+ program - the files, or `NULL`
. fn      - the function in the running program, or `NULL`
. name    - its symbol, or `NULL`
- sizes   - that it is called with

  Output Parameter:
. facts - to be reset with `PlexFactsReset()`. Where the source is not there or not understood, it may read all and no
          entry is known.

  Note:
  Entries are those of a result that was zeroed and one function filled. Of several functions that fill one result in
  turn an entry is zero if it is for each; whether entries are equal is not known, as one may replace what the next adds
  to.
*/
PetscErrorCode PlexProgramGetFacts(PlexProgram program, PetscVoidFn *fn, const char name[], const PlexFactsSizes *sizes,
                                   PlexFacts *facts)
{
  int         u = -1, entity = -1;
  PetscBool   evaluated;
  unsigned    reads;
  const char *why;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(facts, sizeof(*facts)));
  PetscCall(PetscMalloc1(sizes->NfAux, &facts->readsA));
  for (PetscInt f = 0; f < sizes->NfAux; ++f) facts->readsA[f] = PETSC_TRUE;
  facts->reads = PLEX_READS_ALL;
  facts->why   = "its source is not there";
  if (program) PetscCall(PlexProgramFindFunction(program, fn, name, &u, &entity));
  if (entity < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexReadsScan(program, u, entity, sizes, &facts->reads, &facts->why));
  facts->known = (PetscBool)!facts->why;
  PetscCall(PlexInterpretFunction(program, u, entity, sizes, facts, &reads, &evaluated, &why));
  if (evaluated) {
    facts->known = PETSC_TRUE;
    facts->why   = NULL;
    facts->reads &= reads;
  } else if (facts->known) facts->why = why;
  for (PetscInt f = 0; f < sizes->NfAux; ++f)
    facts->readsA[f] = (PetscBool)((facts->reads & PLEX_READS_A) && facts->readsA[f]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFactsReset(PlexFacts *facts)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(facts->readsA));
  PetscCall(PetscFree(facts->value));
  PetscCall(PetscMemzero(facts, sizeof(*facts)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
