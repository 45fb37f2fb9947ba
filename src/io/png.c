/*
  Pictures with a palette as PNG files (ISO/IEC 15948): the signature, and chunks IHDR, PLTE, IDAT, IEND, each with its
  length, its name and the CRC of name and data. IDAT has the rows, each behind a 0 (no filter), as a stream of zlib
  (RFC 1950). libz, which HDF5 loads anyway, is loaded when the first picture is written; where there is none the stream
  has stored blocks (RFC 1951, 3.2.4), which any reader takes, too.
*/
#include "png.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

static uint32_t PlexPNGCrc(uint32_t crc, size_t n, const unsigned char bytes[])
{
  for (size_t k = 0; k < n; ++k) {
    crc ^= bytes[k];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return crc;
}

static void PlexPNGPut32(uint32_t value, unsigned char to[4])
{
  for (int k = 0; k < 4; ++k) to[k] = (unsigned char)(value >> (24 - 8 * k));
}

/* *good becomes false where it fails */
static void PlexPNGChunk(FILE *f, const char name[4], size_t n, const unsigned char data[], PetscBool *good)
{
  unsigned char number[4];
  uint32_t      crc = PlexPNGCrc(0xffffffffu, 4, (const unsigned char *)name);

  crc = ~PlexPNGCrc(crc, n, data);
  PlexPNGPut32((uint32_t)n, number);
  if (fwrite(number, 1, 4, f) != 4 || fwrite(name, 1, 4, f) != 4 || fwrite(data, 1, n, f) != n) *good = PETSC_FALSE;
  PlexPNGPut32(crc, number);
  if (fwrite(number, 1, 4, f) != 4) *good = PETSC_FALSE;
}

/* zlib's compress2(), which has been the same since 1995 */
typedef int (*PlexCompressFn)(unsigned char *to, unsigned long *nto, const unsigned char *from, unsigned long n,
                              int level);

static PlexCompressFn PlexPNGGetCompress(void)
{
  static PlexCompressFn compress = NULL;
  static PetscBool      tried    = PETSC_FALSE;
  void                 *library;

  if (tried) return compress;
  tried   = PETSC_TRUE;
  library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library) *(void **)&compress = dlsym(library, "compress2");
  return compress;
}

/* Blocks that are not compressed, 65535 bytes at most; to[n + 5 a block + 6] */
static size_t PlexPNGStore(size_t n, const unsigned char from[], unsigned char to[])
{
  uint32_t a = 1, b = 0;
  size_t   at = 0;

  to[at++] = 0x78;
  to[at++] = 0x01;
  for (size_t k = 0; k < n; k += 65535) {
    const size_t length = PetscMin(n - k, (size_t)65535);

    to[at++] = k + length == n; /* the last one */
    to[at++] = (unsigned char)length;
    to[at++] = (unsigned char)(length >> 8);
    to[at++] = (unsigned char)~length;
    to[at++] = (unsigned char)(~length >> 8);
    memcpy(&to[at], &from[k], length);
    at += length;
  }
  for (size_t k = 0; k < n; ++k) { /* Adler-32 */
    a = (a + from[k]) % 65521;
    b = (b + a) % 65521;
  }
  PlexPNGPut32(b << 16 | a, &to[at]);
  return at + 4;
}

PetscErrorCode PlexPNGWrite(const char file[], PetscInt w, PetscInt h, const unsigned char palette[256][3],
                            const unsigned char pixels[])
{
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const size_t               n = (size_t)h * (w + 1), most = n + n / 1000 + 5 * (n / 65535 + 1) + 64;
  unsigned char              header[13] = {0}, *rows, *stream;
  unsigned long              length     = most;
  PetscBool                  good;
  PlexCompressFn             compress = PlexPNGGetCompress();
  FILE                      *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &rows, most, &stream));
  for (PetscInt j = 0; j < h; ++j) {
    rows[(size_t)j * (w + 1)] = 0;
    memcpy(&rows[(size_t)j * (w + 1) + 1], &pixels[(size_t)j * w], w);
  }
  if (!compress || (*compress)(stream, &length, rows, n, 6)) length = PlexPNGStore(n, rows, stream);
  PlexPNGPut32((uint32_t)w, header);
  PlexPNGPut32((uint32_t)h, &header[4]);
  header[8] = 8; /* bits a pixel; */
  header[9] = 3; /* of a palette */
  f         = fopen(file, "wb");
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s: %s", file, strerror(errno));
  good = (PetscBool)(fwrite(signature, 1, 8, f) == 8);
  PlexPNGChunk(f, "IHDR", sizeof(header), header, &good);
  PlexPNGChunk(f, "PLTE", 768, &palette[0][0], &good);
  PlexPNGChunk(f, "IDAT", length, stream, &good);
  PlexPNGChunk(f, "IEND", 0, header, &good);
  if (fclose(f)) good = PETSC_FALSE;
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s: %s", file, strerror(errno));
  PetscCall(PetscFree2(rows, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
