/* What tests of stored coefficients look at: products of a matrix of type plexgpu, and the view of its assembly */
#pragma once

#include <plexgpu.h>

/* The largest error of A x, A x + z, A^T x and the diagonal, beside those of B, each in the largest norm over that of B */
PetscErrorCode PlexTestCompareProducts(Mat A, Mat B, PetscReal *most);

/* Reports whether the view has these words, or has not; process 0 alone has the text, so of several none is looked at */
PetscErrorCode PlexTestViewSays(PlexAssembly assembly, const char name[], const char words[], PetscBool has);
