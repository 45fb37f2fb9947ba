/*
  Warp-and-blend interpolation nodes on triangles and tetrahedra: T. Warburton, An explicit construction of
  interpolation nodes on the simplex, J. Eng. Math. 56 (2006); J. S. Hesthaven and T. Warburton, Nodal Discontinuous
  Galerkin Methods (2007), 6.1 and 10.1.

  Equidistant nodes are moved. Along an edge from vertex j to k, where the nodes are to become Gauss-Lobatto points, by

    w(s) = sum_i (gll_i - eq_i) l_i(s) / (1 - s^2),   s = lambda_k - lambda_j in [-1, 1]

  times the blend that takes this into the triangle, 4 lambda_j lambda_k (1 + (alpha lambda_i)^2), i the third vertex.
  In a tetrahedron each face moves the nodes by this, blended away from the face again. alpha are the values that these
  sources found best.

  All is done in barycentric coordinates: along an edge of length 2 by delta is lambda_k += delta/2, lambda_j -=
  delta/2. So the nodes have the symmetry of the simplex by construction, and those of a face are the same for all
  faces.
*/
#include <plexgpu/private/dgimpl.h>

/* alpha for degrees 1 to 10 */
static const PetscReal PlexWarpTriangle[PLEX_DG_MAX_QUADRATURE_DEGREE]    = {0.,     0.,     1.4152, 0.1001, 0.2751,
                                                                             0.9800, 1.0999, 1.2832, 1.3648, 1.4773};
static const PetscReal PlexWarpTetrahedron[PLEX_DG_MAX_QUADRATURE_DEGREE] = {0.,     0.,     0.,     0.1002, 1.1332,
                                                                             1.5608, 1.3413, 1.2577, 1.1603, 1.10153};

#define PLEX_WARP_ZERO 1e-10

PetscInt PlexDGNodesSize(PetscInt dim, PetscInt N)
{
  PetscInt n = 1;

  for (PetscInt d = 1; d <= dim; ++d) n = n * (N + d) / d;
  return n;
}

/* w(s), 0 at the ends, where the blend is 0 as well */
static PetscReal PlexWarp(PetscInt N, const PetscReal gll[], PetscReal s)
{
  PetscReal sum = 0.;

  if (PetscAbsReal(s) > 1. - PLEX_WARP_ZERO) return 0.;
  for (PetscInt i = 0; i <= N; ++i) {
    const PetscReal ei = -1. + 2. * i / N;
    PetscReal       l  = 1.;

    for (PetscInt j = 0; j <= N; ++j) {
      const PetscReal ej = -1. + 2. * j / N;

      if (j != i) l *= (s - ej) / (ei - ej);
    }
    sum += (gll[i] - ei) * l;
  }
  return sum / (1. - s * s);
}

/* shift[3]: how far a triangle's nodes are moved, to be added to lambda[3]. The sum of lambda[3] is less than 1 away
   from the face of a tetrahedron */
static void PlexWarpFace(PetscInt N, const PetscReal gll[], PetscReal alpha, const PetscReal lambda[],
                         PetscReal shift[])
{
  shift[0] = shift[1] = shift[2] = 0.;
  for (PetscInt i = 0; i < 3; ++i) {
    const PetscInt  j = (i + 1) % 3, k = (i + 2) % 3;
    const PetscReal delta = 4. * lambda[j] * lambda[k] * PlexWarp(N, gll, lambda[k] - lambda[j]) *
                            (1. + PetscSqr(alpha * lambda[i]));

    shift[k] += 0.5 * delta;
    shift[j] -= 0.5 * delta;
  }
}

static void PlexWarpTetrahedronNode(PetscInt N, const PetscReal gll[], PetscReal alpha, const PetscReal lambda[],
                                    PetscReal moved[])
{
  PetscReal edge[4] = {0., 0., 0., 0.};
  PetscBool onEdge  = PETSC_FALSE;

  for (PetscInt v = 0; v < 4; ++v) moved[v] = lambda[v];
  for (PetscInt o = 0; o < 4; ++o) { /* the face opposite vertex o, of the vertices p */
    const PetscInt p[3]   = {(o + 1) % 4, (o + 2) % 4, (o + 3) % 4};
    PetscReal      own[3] = {lambda[p[0]], lambda[p[1]], lambda[p[2]]}, shift[3], blend = 1.;
    PetscInt       inside = 0;

    PlexWarpFace(N, gll, alpha, own, shift);
    for (PetscInt v = 0; v < 3; ++v) {
      if (own[v] > PLEX_WARP_ZERO) ++inside;
      blend *= own[v] > PLEX_WARP_ZERO ? own[v] / (own[v] + 0.5 * lambda[o]) : 0.;
    }
    blend *= 1. + PetscSqr(alpha * lambda[o]);
    if (lambda[o] < PLEX_WARP_ZERO && inside < 3) { /* an edge, of two faces that agree */
      onEdge  = PETSC_TRUE;
      edge[o] = 0.;
      for (PetscInt v = 0; v < 3; ++v) edge[p[v]] = shift[v];
    } else
      for (PetscInt v = 0; v < 3; ++v) moved[p[v]] += blend * shift[v];
  }
  if (onEdge)
    for (PetscInt v = 0; v < 4; ++v) moved[v] = lambda[v] + edge[v];
}

PetscErrorCode PlexDGNodes(PetscInt dim, PetscInt N, PetscReal lambda[], PetscInt index[])
{
  PetscReal gll[PLEX_DG_MAX_QUADRATURE_DEGREE + 1], weights[PLEX_DG_MAX_QUADRATURE_DEGREE + 1];
  PetscInt  i = 0;

  PetscFunctionBegin;
  PetscCheck(dim >= 1 && dim <= 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Nodes are of edges, triangles and tetrahedra, dimension 1 to 3, not %" PetscInt_FMT, dim);
  PetscCheck(N >= 1 && N <= PLEX_DG_MAX_QUADRATURE_DEGREE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Nodes are for degrees 1 to %d, not %" PetscInt_FMT, PLEX_DG_MAX_QUADRATURE_DEGREE, N);
  PetscCall(PetscDTGaussLobattoLegendreQuadrature(N + 1, PETSCGAUSSLOBATTOLEGENDRE_VIA_LINEAR_ALGEBRA, gll, weights));
  for (PetscInt c = 0; c <= (dim > 2 ? N : 0); ++c) {
    for (PetscInt b = 0; b <= (dim > 1 ? N - c : 0); ++b) {
      for (PetscInt a = 0; a <= N - b - c; ++a, ++i) {
        const PetscInt multi[4] = {N - a - b - c, a, b, c};
        PetscReal     *l        = &lambda[i * (dim + 1)], equal[4], shift[3];

        for (PetscInt v = 0; v <= dim; ++v) {
          equal[v] = multi[v] / (PetscReal)N;
          if (index) index[i * (dim + 1) + v] = multi[v];
        }
        if (dim == 1) {
          l[0] = 0.5 * (1. - gll[a]);
          l[1] = 0.5 * (1. + gll[a]);
        } else if (dim == 2) {
          PlexWarpFace(N, gll, PlexWarpTriangle[N - 1], equal, shift);
          for (PetscInt v = 0; v < 3; ++v) l[v] = equal[v] + shift[v];
        } else PlexWarpTetrahedronNode(N, gll, PlexWarpTetrahedron[N - 1], equal, l);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
