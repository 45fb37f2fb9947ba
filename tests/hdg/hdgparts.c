static char
  help[] = "The steps that PlexHDGSolve() takes, called one by one: recovery and post-processing; a reset keeps "
           "the settings.\n\n";

#include "hdgproblem.h"
#include "report.h"

static PetscErrorCode Compare(Vec a, Vec b, const char name[])
{
  PetscBool same;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecEqual(a, b, &same));
  PetscCall(VecNorm(a, NORM_INFINITY, &norm));
  PetscCall(PlexTestReport((PetscBool)(same && norm > 0.1), name, "it is another one, or of size %g", (double)norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PlexTestWaves problem;
  PlexHDG       hdg;
  DM            dm;
  Vec           trace, u, q, star, parts[3];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 3, PETSC_FALSE, &dm));
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &problem);
  PetscCall(PlexTestHDGCreate(dm, 2, &problem, PLEXBACKENDHOST, &hdg));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, &u, &q, &star));
  PetscCall(VecDuplicate(u, &parts[0]));
  PetscCall(VecDuplicate(q, &parts[1]));
  PetscCall(VecDuplicate(star, &parts[2]));
  PetscCall(PlexHDGRecover(hdg, trace, parts[0], parts[1]));
  PetscCall(PlexHDGPostprocess(hdg, parts[0], parts[1], parts[2]));
  PetscCall(Compare(u, parts[0], "u of the trace"));
  PetscCall(Compare(q, parts[1], "q of the trace"));
  PetscCall(Compare(star, parts[2], "u* of u and q"));
  PetscCall(PlexHDGReset(hdg));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(Compare(u, parts[0], "u after a reset, with the same settings"));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(VecDestroy(&parts[k]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
