#include "selafin.h"
#include "report.h"

/* The bytes of a file, and where the next record begins */
typedef struct {
  const char *path, *bytes;
  size_t      n, at;
} Reader;

static int32_t Integer(const char *b)
{
  const unsigned char *u = (const unsigned char *)b;

  return (int32_t)((uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | (uint32_t)u[3]);
}

static PetscReal Real(const char *b, size_t size)
{
  uint64_t bits = (uint64_t)(uint32_t)Integer(b);
  float    f;
  double   d;

  if (size == 4) {
    const uint32_t low = (uint32_t)bits;

    memcpy(&f, &low, sizeof(f));
    return f;
  }
  bits = bits << 32 | (uint64_t)(uint32_t)Integer(b + 4);
  memcpy(&d, &bits, sizeof(d));
  return (PetscReal)d;
}

/* The next record, of `size` bytes; 0: of any length, which *length is */
static PetscErrorCode Next(Reader *r, size_t size, const char what[], const char **record, size_t *length)
{
  size_t n = 0;

  PetscFunctionBegin;
  if (r->at + 8 <= r->n) n = (size_t)(uint32_t)Integer(&r->bytes[r->at]);
  PetscCheck(r->at + 8 <= r->n && n <= r->n - r->at - 8 && (size_t)(uint32_t)Integer(&r->bytes[r->at + 4 + n]) == n,
             PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s ends within %s, or is no Selafin file: these have big-endian records of Fortran", r->path, what);
  PetscCheck(!size || n == size, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s has %zu bytes of %s, and not %zu: is it a Selafin file?", r->path, n, what, size);
  *record = &r->bytes[r->at + 4];
  if (length) *length = n;
  r->at += n + 8;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [nv], every `stride`-th of values */
static PetscErrorCode NextReals(Reader *r, PetscInt nv, size_t real, const char what[], PetscInt stride,
                                PetscReal values[])
{
  const char *b;

  PetscFunctionBegin;
  PetscCall(Next(r, real * (size_t)nv, what, &b, NULL));
  for (PetscInt v = 0; v < nv; ++v) values[stride * v] = Real(&b[real * (size_t)v], real);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadNames(Reader *r, Selafin *s)
{
  const char *b;

  PetscFunctionBegin;
  PetscCall(Next(r, 8, "numbers of fields", &b, NULL));
  s->nvar = Integer(b) + Integer(b + 4);
  PetscCheck(s->nvar > 0 && s->nvar < 1000, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s has %" PetscInt_FMT " fields", r->path, s->nvar);
  PetscCall(PetscMalloc1(s->nvar, &s->names));
  for (PetscInt k = 0; k < s->nvar; ++k) {
    PetscCall(Next(r, 32, "a field's name", &b, NULL));
    memcpy(s->names[k], b, 32);
    s->names[k][32] = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMesh(Reader *r, size_t *real, Selafin *s)
{
  const char *b;
  size_t      length;

  PetscFunctionBegin;
  PetscCall(Next(r, 40, "parameters", &b, NULL));
  if (Integer(b + 36) == 1) PetscCall(Next(r, 24, "the date", &b, NULL));
  PetscCall(Next(r, 16, "sizes of the mesh", &b, NULL));
  s->nc = Integer(b);
  s->nv = Integer(b + 4);
  PetscCheck(s->nc > 0 && s->nv > 2 && Integer(b + 8) == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s has %" PetscInt_FMT " elements with %d corners and %" PetscInt_FMT
             " vertices: it is to have triangles",
             r->path, s->nc, (int)Integer(b + 8), s->nv);
  PetscCall(PetscMalloc2(3 * s->nc, &s->cells, 2 * s->nv, &s->x));
  PetscCall(Next(r, 12 * (size_t)s->nc, "triangles", &b, NULL));
  for (PetscInt k = 0; k < 3 * s->nc; ++k) {
    s->cells[k] = Integer(&b[4 * k]) - 1;
    PetscCheck(s->cells[k] >= 0 && s->cells[k] < s->nv, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "Triangle %" PetscInt_FMT " of %s has vertex %" PetscInt_FMT " of %" PetscInt_FMT, k / 3 + 1, r->path,
               s->cells[k] + 1, s->nv);
  }
  PetscCall(Next(r, 4 * (size_t)s->nv, "numbers of the boundary", &b, NULL));
  PetscCall(Next(r, 0, "x", &b, &length));
  r->at -= length + 8;
  *real = length == 8 * (size_t)s->nv ? 8 : 4;
  PetscCall(NextReals(r, s->nv, *real, "x", 2, &s->x[0]));
  PetscCall(NextReals(r, s->nv, *real, "y", 2, &s->x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SelafinRead(const char path[], Selafin *s)
{
  Reader      r    = {.path = path};
  size_t      real = 4;
  char       *bytes;
  const char *b;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  PetscCall(PlexTestReadFile(path, &bytes, &r.n));
  r.bytes = bytes;
  PetscCall(Next(&r, 80, "the title", &b, NULL));
  PetscCall(ReadNames(&r, s));
  PetscCall(ReadMesh(&r, &real, s));
  PetscCall(Next(&r, real, "the time", &b, NULL));
  PetscCall(PetscMalloc1(s->nvar * s->nv, &s->values));
  for (PetscInt k = 0; k < s->nvar; ++k) PetscCall(NextReals(&r, s->nv, real, s->names[k], 1, &s->values[k * s->nv]));
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SelafinDestroy(Selafin *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->names));
  PetscCall(PetscFree2(s->cells, s->x));
  PetscCall(PetscFree(s->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SelafinGetVariable(const Selafin *s, const char name[], const char other[], PetscReal **values)
{
  PetscFunctionBegin;
  *values = NULL;
  for (PetscInt k = 0; k < s->nvar && !*values; ++k)
    if (!strncmp(s->names[k], name, strlen(name)) || !strncmp(s->names[k], other, strlen(other)))
      *values = &s->values[k * s->nv];
  PetscCheck(*values, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "The file has no field %s or %s", name, other);
  PetscFunctionReturn(PETSC_SUCCESS);
}
