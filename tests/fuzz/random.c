/* Random numbers of the fuzzer: splitmix64 (Steele, Lea and Flood 2014). */
#include "fuzz.h"

static uint64_t Next(PlexFuzzRandom *r)
{
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void PlexFuzzSeed(PlexFuzzRandom *r, uint64_t seed, uint64_t stream)
{
  r->state = seed;
  r->state = Next(r) ^ stream * 0xd1342543de82ef95u;
  (void)Next(r);
}

PetscInt PlexFuzzInt(PlexFuzzRandom *r, PetscInt n)
{
  return (PetscInt)(Next(r) % (uint64_t)n);
}

PetscBool PlexFuzzChance(PlexFuzzRandom *r, PetscInt percent)
{
  return (PetscBool)(PlexFuzzInt(r, 100) < percent);
}

PetscReal PlexFuzzReal(PlexFuzzRandom *r, PetscReal from, PetscReal to)
{
  return from + (to - from) * (PetscReal)(2 * PlexFuzzInt(r, 500000) + 1) / 1000000.;
}
