static char help[] = "Hybridized DG: errors of u and q fall as h^(P+1), those of post-processed u on simplices as h^(P+2), on regular, irregular and curved meshes.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscBool      regular, curved, tensor, mixed;
  PetscInt       P, coarse; /* cells a side, or refinements, of the coarser mesh */
  PetscReal      frequency;
  PetscReal      star; /* the order of u* over P + 1 */
} Rate;

#include "hdgrates.h"

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
