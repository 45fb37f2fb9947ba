/*
  What is compiled at run time for a GPU, and what comes of it: rtc.h, which NVRTC and hiprtc have in common.
*/
/* A flattened source for an architecture */
typedef struct {
  const char        *name, *text, *arch;
  PetscInt           ndefines;
  const char *const *defines; /* [ndefines] */
} PlexRTCSource;
typedef struct {
  void     *cubin; /* [n] bytes; PetscFree() it */
  size_t    n;
  PetscBool fromCache, installed; /* PlexModule */
} PlexRTCCode;

/* What the compiler is given */
typedef struct {
  PetscInt     n;
  char       **options; /* [n] */
  PlexCacheKey key;     /* of all that machine code depends on but the compiler */
} PlexRTCInput;
