static char help[] = "Plans: colouring, partitions and packing, checked on structured and random connectivity against "
                     "plain loops.\n\n";

#include <plexgpu/impl.h>
#include <petsctime.h>

typedef struct {
  const char *name;
  PetscInt    Ne, k, n;
  int        *conn; /* [Ne][k] */
  PetscInt    dim;
  PetscReal  *x; /* [Ne][dim] centres */
} Mesh;

/* Quadrilaterals cut in two, hexahedra, hexahedra with nodes on edges, faces and inside, or what chance brings */
static PetscErrorCode MeshTriangles(PetscInt N, Mesh *mesh)
{
  PetscFunctionBegin;
  *mesh = (Mesh){"triangles", 2 * N * N, 3, (N + 1) * (N + 1), NULL, 2, NULL};
  PetscCall(PetscMalloc1(mesh->Ne * mesh->k, &mesh->conn));
  PetscCall(PetscMalloc1(mesh->Ne * 2, &mesh->x));
  for (PetscInt y = 0, c = 0, e = 0; y < N; ++y) {
    for (PetscInt x = 0; x < N; ++x) {
      const int v = (int)(y * (N + 1) + x), up = (int)N + 1, t[6] = {v, v + 1, v + up, v + 1, v + 1 + up, v + up};

      for (PetscInt i = 0; i < 6; ++i) mesh->conn[c++] = t[i];
      for (PetscInt i = 1; i < 3; ++i, ++e) {
        mesh->x[2 * e]     = (PetscReal)x + (PetscReal)i / 3;
        mesh->x[2 * e + 1] = (PetscReal)y + (PetscReal)i / 3;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeshHexahedra(PetscInt N, PetscInt degree, Mesh *mesh)
{
  const PetscInt M = N * degree + 1, k = (degree + 1) * (degree + 1) * (degree + 1);

  PetscFunctionBegin;
  *mesh = (Mesh){degree == 1 ? "hexahedra" : "hexahedra of high degree", N * N * N, k, M * M * M, NULL, 3, NULL};
  PetscCall(PetscMalloc1(mesh->Ne * k, &mesh->conn));
  PetscCall(PetscMalloc1(mesh->Ne * 3, &mesh->x));
  for (PetscInt e = 0, c = 0; e < mesh->Ne; ++e) {
    const PetscInt x = e % N, y = (e / N) % N, z = e / (N * N);

    mesh->x[3 * e]     = (PetscReal)x;
    mesh->x[3 * e + 1] = (PetscReal)y;
    mesh->x[3 * e + 2] = (PetscReal)z;
    for (PetscInt i = 0; i < k; ++i) {
      const PetscInt X = x * degree + i % (degree + 1), Y = y * degree + (i / (degree + 1)) % (degree + 1),
                     Z = z * degree + i / ((degree + 1) * (degree + 1));

      mesh->conn[c++] = (int)(X + M * (Y + M * Z));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Repeated and missing entries on purpose */
static PetscErrorCode MeshRandom(PetscInt Ne, PetscInt k, PetscInt n, PetscRandom rand, Mesh *mesh)
{
  PetscFunctionBegin;
  *mesh = (Mesh){"random", Ne, k, n, NULL, 1, NULL};
  PetscCall(PetscMalloc1(Ne * k, &mesh->conn));
  PetscCall(PetscMalloc1(Ne, &mesh->x));
  for (PetscInt e = 0; e < Ne; ++e) PetscCall(PetscRandomGetValueReal(rand, &mesh->x[e]));
  for (PetscInt i = 0; i < Ne * k; ++i) {
    PetscReal r;

    PetscCall(PetscRandomGetValueReal(rand, &r));
    mesh->conn[i] = (int)(r * (n + 1)) - 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckColors(const Mesh *mesh)
{
  PetscInt   ncolors, *start, least = PETSC_INT_MAX, most = 0;
  int       *order, *seen; /* [n] last colour at a node */
  PetscBool *done;

  PetscFunctionBegin;
  PetscCall(PlexColorElements(mesh->Ne, mesh->k, mesh->conn, mesh->n, &ncolors, &start, &order));
  PetscCall(PetscMalloc1(mesh->n, &seen));
  PetscCall(PetscCalloc1(mesh->Ne, &done));
  for (PetscInt v = 0; v < mesh->n; ++v) seen[v] = -1;
  PetscCheck(start[0] == 0 && start[ncolors] == mesh->Ne, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Colours do not hold all elements");
  for (PetscInt c = 0; c < ncolors; ++c) {
    least = PetscMin(least, start[c + 1] - start[c]);
    most  = PetscMax(most, start[c + 1] - start[c]);
    for (PetscInt o = start[c]; o < start[c + 1]; ++o) {
      const PetscInt e = order[o];

      PetscCheck(!done[e], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Element %" PetscInt_FMT " has two colours", e);
      done[e] = PETSC_TRUE;
      for (PetscInt i = 0; i < mesh->k; ++i) {
        const int v     = mesh->conn[e * mesh->k + i];
        PetscBool again = PETSC_FALSE;

        if (v < 0) continue;
        for (PetscInt j = 0; j < i; ++j) again = mesh->conn[e * mesh->k + j] == v ? PETSC_TRUE : again;
        PetscCheck(again || seen[v] != (int)c, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "Node %d has two elements of colour %" PetscInt_FMT, v, c);
        seen[v] = (int)c;
      }
    }
  }
  PetscCheck(ncolors < 2 || mesh->Ne < 1000 || (double)most < 1.2 * (double)mesh->Ne / (double)ncolors, PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "Unbalanced: %" PetscInt_FMT " to %" PetscInt_FMT " elements a colour", least, most);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: %" PetscInt_FMT " colours of %" PetscInt_FMT " to %" PetscInt_FMT " elements\n",
                        mesh->name, ncolors, least, most));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(seen));
  PetscCall(PetscFree(done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckInversion(const Mesh *mesh)
{
  PlexLists lists;
  PetscInt  entries = 0;

  PetscFunctionBegin;
  PetscCall(PlexListsInvert(mesh->Ne, mesh->k, mesh->conn, mesh->n, &lists));
  for (PetscInt v = 0; v < mesh->n; ++v) {
    for (PetscInt i = lists.start[v]; i < lists.start[v + 1]; ++i) {
      PetscBool found = PETSC_FALSE;

      PetscCheck(i == lists.start[v] || lists.items[i] > lists.items[i - 1], PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "List %" PetscInt_FMT " does not ascend", v);
      for (PetscInt j = 0; j < mesh->k; ++j)
        found = mesh->conn[lists.items[i] * mesh->k + j] == (int)v ? PETSC_TRUE : found;
      PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Element %d does not touch %" PetscInt_FMT, lists.items[i], v);
    }
  }
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt i = 0; i < mesh->k; ++i) {
      PetscBool again = mesh->conn[e * mesh->k + i] < 0 ? PETSC_TRUE : PETSC_FALSE;

      for (PetscInt j = 0; j < i; ++j)
        again = mesh->conn[e * mesh->k + j] == mesh->conn[e * mesh->k + i] ? PETSC_TRUE : again;
      if (!again) ++entries;
    }
  }
  PetscCheck(entries == lists.start[mesh->n], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Lists hold %" PetscInt_FMT " entries, not %" PetscInt_FMT, lists.start[mesh->n], entries);
  PetscCall(PlexListsDestroy(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distinct others that the items of a part touch */
static PetscInt Touched(const PlexLists *parts, PetscInt k, const PlexLists *touch, int stamp[])
{
  PetscInt n = 0;

  for (PetscInt i = parts->start[k]; i < parts->start[k + 1]; ++i) {
    for (PetscInt t = touch->start[parts->items[i]]; t < touch->start[parts->items[i] + 1]; ++t) {
      if (touch->items[t] < 0 || stamp[touch->items[t]] == (int)k) continue;
      stamp[touch->items[t]] = (int)k;
      ++n;
    }
  }
  return n;
}

/* Points of a grid of 2^b a side: one after another they are neighbours on a Hilbert curve, which comes by each */
static PetscErrorCode CheckCurve(PetscInt dim, PetscInt N)
{
  const PetscInt n = PetscPowInt(N, dim);
  PetscReal     *x;
  int           *order;
  PetscBool     *seen;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n * dim, &x, n, &order, n, &seen));
  PetscCall(PetscArrayzero(seen, n));
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt d = 0, rest = k; d < dim; ++d, rest /= N) x[k * dim + d] = 0.25 * (PetscReal)(rest % N) - 3;
  PetscCall(PlexCurveOrder(n, dim, x, order));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal distance = 0;

    PetscCheck(order[k] >= 0 && order[k] < n && !seen[order[k]], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Place %" PetscInt_FMT " of the curve has point %d, out of range or there before", k, order[k]);
    seen[order[k]] = PETSC_TRUE;
    for (PetscInt d = 0; k && d < dim; ++d) distance += PetscAbsReal(x[order[k] * dim + d] - x[order[k - 1] * dim + d]);
    PetscCheck(!k || distance == 0.25, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "The curve jumps by %g steps from point %d to %d", (double)(4 * distance), order[k - 1], order[k]);
  }
  PetscCall(PetscFree3(x, order, seen));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "ok curve through %" PetscInt_FMT " points in %" PetscInt_FMT " dimensions\n",
                        n, dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPartition(const Mesh *mesh, PetscBool byNodes, PetscBool curve, PetscInt maxElements,
                                     PetscInt maxNodes, PetscBool timed)
{
  const PetscInt n = byNodes ? mesh->n : mesh->Ne, other = byNodes ? mesh->Ne : mesh->n;
  PlexLists      parts, again, touch;
  PetscInt       total = 0;
  PetscLogDouble begin, end;
  int           *stamp, *count, *order = NULL;

  PetscFunctionBegin;
  if (byNodes) PetscCall(PlexListsInvert(mesh->Ne, mesh->k, mesh->conn, mesh->n, &touch));
  else {
    touch = (PlexLists){mesh->Ne, NULL, mesh->conn};
    PetscCall(PetscMalloc1(mesh->Ne + 1, &touch.start));
    for (PetscInt e = 0; e <= mesh->Ne; ++e) touch.start[e] = e * mesh->k;
  }
  PetscCall(PetscTime(&begin));
  if (curve) {
    PetscCall(PetscMalloc1(mesh->Ne, &order));
    PetscCall(PlexCurveOrder(mesh->Ne, mesh->dim, mesh->x, order));
  }
  if (byNodes) PetscCall(PlexPartitionNodes(mesh->Ne, mesh->k, mesh->conn, mesh->n, maxElements, order, &parts));
  else PetscCall(PlexPartitionElements(mesh->Ne, mesh->k, mesh->conn, mesh->n, maxElements, maxNodes, order, &parts));
  PetscCall(PetscTime(&end));
  PetscCall(PetscMalloc1(other, &stamp));
  PetscCall(PetscCalloc1(n, &count));
  for (PetscInt i = 0; i < other; ++i) stamp[i] = -1;
  for (PetscInt k = 0; k < parts.n; ++k) {
    const PetscInt items = parts.start[k + 1] - parts.start[k], touched = Touched(&parts, k, &touch, stamp);

    PetscCheck(items > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Part %" PetscInt_FMT " is empty", k);
    if (byNodes)
      PetscCheck(touched <= maxElements || items == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Part %" PetscInt_FMT " touches %" PetscInt_FMT " elements", k, touched);
    else
      PetscCheck(items <= maxElements && touched <= maxNodes, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Part %" PetscInt_FMT " has %" PetscInt_FMT " elements and %" PetscInt_FMT " nodes", k, items,
                 touched);
    total += touched;
    for (PetscInt i = parts.start[k]; i < parts.start[k + 1]; ++i) ++count[parts.items[i]];
  }
  for (PetscInt i = 0; i < n; ++i)
    PetscCheck(count[i] == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Item %" PetscInt_FMT " is in %d parts", i, count[i]);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s%s: %" PetscInt_FMT " %s in %" PetscInt_FMT
                        " parts, %.1f in one; %s touched in one %.1f, in all %.3f times",
                        mesh->name, curve ? ", curve" : "", n, byNodes ? "nodes" : "elements", parts.n,
                        (double)n / (double)parts.n, byNodes ? "elements" : "nodes", (double)total / (double)parts.n,
                        (double)total / (double)other));
  if (timed) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "; %.1f s\n", end - begin));
  } else {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
    if (byNodes) PetscCall(PlexPartitionNodes(mesh->Ne, mesh->k, mesh->conn, mesh->n, maxElements, order, &again));
    else PetscCall(PlexPartitionElements(mesh->Ne, mesh->k, mesh->conn, mesh->n, maxElements, maxNodes, order, &again));
    PetscCheck(again.n == parts.n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A second partition differs from the first");
    for (PetscInt i = 0; i < n; ++i)
      PetscCheck(again.items[i] == parts.items[i], PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "A second partition differs from the first");
    PetscCall(PlexListsDestroy(&again));
  }
  PetscCall(PetscFree(stamp));
  PetscCall(PetscFree(count));
  PetscCall(PetscFree(order));
  if (byNodes) PetscCall(PlexListsDestroy(&touch));
  else PetscCall(PetscFree(touch.start));
  PetscCall(PlexListsDestroy(&parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reductions: the elements around each node sum into it. Each chunk of nodes is a block; each thread runs algorithm
   4 */
static PetscErrorCode CheckReduction(const Mesh *mesh, PetscInt chunk, PetscInt threads)
{
  PlexLists      lists;
  PlexPackBuffer buffer = {NULL, 0, 0};
  size_t         at = 0, used = 0;
  int           *targets;
  PetscInt64    *S, *T, *expected;

  PetscFunctionBegin;
  PetscCall(PlexListsInvert(mesh->Ne, mesh->k, mesh->conn, mesh->n, &lists));
  PetscCall(PetscMalloc4(mesh->n, &targets, mesh->Ne, &S, mesh->n, &T, mesh->n, &expected));
  for (PetscInt e = 0; e < mesh->Ne; ++e) S[e] = 7 * e + 3;
  for (PetscInt v = 0; v < mesh->n; ++v) {
    targets[v]  = (int)(mesh->n - 1 - v);
    T[v]        = -1;
    expected[v] = 0;
  }
  for (PetscInt v = 0; v < mesh->n; ++v)
    for (PetscInt i = lists.start[v]; i < lists.start[v + 1]; ++i) expected[targets[v]] += S[lists.items[i]];
  for (PetscInt v = 0; v < mesh->n; v += chunk) {
    PetscInt rows;

    PetscCall(PlexPackReduction(PetscMin(chunk, mesh->n - v), &lists.start[v], lists.items, &targets[v], threads,
                                &buffer, &rows));
    PetscCheck(buffer.n == at + (size_t)rows * threads, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "The buffer grew by something else than its rows");
    for (PetscInt thread = 0; thread < threads; ++thread) {
      PetscInt64 t = 0;

      for (PetscInt row = 0; row < rows; ++row) {
        const int i = buffer.entries[at + (size_t)row * threads + thread];

        if (i > 0) t += S[i - 1];
        else if (i < 0) {
          T[-i - 1] = t;
          t         = 0;
        }
        if (i) ++used;
      }
    }
    at = buffer.n;
  }
  for (PetscInt v = 0; v < mesh->n; ++v)
    PetscCheck(T[v] == expected[v], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Target %" PetscInt_FMT " has another sum", v);
  PetscCheck(used == (size_t)(lists.start[mesh->n] + mesh->n), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entries got lost");
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: reduction of %" PetscInt_FMT " lists by blocks of %" PetscInt_FMT " for %" PetscInt_FMT
                        " threads: %.1f %% padding\n",
                        mesh->name, mesh->n, chunk, threads, 100. * (1. - (double)used / (double)buffer.n)));
  PetscCheck(chunk < 16 * threads || mesh->n < chunk || 100 * used > 85 * buffer.n, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Too much padding");
  PetscCall(PetscFree4(targets, S, T, expected));
  PetscCall(PlexPackBufferDestroy(&buffer));
  PetscCall(PlexListsDestroy(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same mesh with elements and nodes renamed at random */
static PetscErrorCode MeshShuffle(PetscRandom rand, Mesh *mesh)
{
  int *node, *conn;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(mesh->n, &node, mesh->Ne * mesh->k, &conn));
  for (PetscInt v = 0; v < mesh->n; ++v) {
    PetscReal r;
    PetscInt  w;

    PetscCall(PetscRandomGetValueReal(rand, &r));
    w       = PetscMin(v, (PetscInt)(r * (v + 1)));
    node[v] = node[w];
    node[w] = (int)v;
  }
  for (PetscInt i = 0; i < mesh->Ne * mesh->k; ++i) conn[i] = node[mesh->conn[i]];
  PetscCall(PetscArraycpy(mesh->conn, conn, mesh->Ne * mesh->k));
  PetscCall(PetscFree2(node, conn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n numbers and n keys by chance; low bits of a key, which are not sorted by, say where it was */
static PetscErrorCode CheckSorts(PetscInt n, PetscReal range, int shift, PetscRandom rand)
{
  int      *a, *work;
  uint64_t *keys, *sorted, *other;
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &a, n, &work, n, &keys, n, &sorted, n, &other));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscRandomGetValueReal(rand, &value));
    a[k]      = (int)(range * (value - 0.5));
    keys[k]   = ((uint64_t)(range * value) << shift) + (uint64_t)k;
    sorted[k] = keys[k];
  }
  PlexSortKeys(n, shift, sorted, other);
  for (PetscInt k = 1; k < n; ++k)
    PetscCheck(sorted[k - 1] < sorted[k], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Key %" PetscInt_FMT " of %" PetscInt_FMT " is not in order, or what agrees changed places", k, n);
  for (PetscInt k = 0; k < n; ++k) {
    const uint64_t at = sorted[k] & (((uint64_t)1 << shift) - 1);

    PetscCheck(at < (uint64_t)n && keys[at] == sorted[k], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Key %" PetscInt_FMT " of %" PetscInt_FMT " was not one of them", k, n);
  }
  {
    PetscInt64 before = 0, after = 0;

    for (PetscInt k = 0; k < n; ++k) before += a[k];
    PlexSortInts(n, a, work);
    for (PetscInt k = 0; k < n; ++k) after += a[k];
    for (PetscInt k = 1; k < n; ++k)
      PetscCheck(a[k - 1] <= a[k], PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Number %" PetscInt_FMT " of %" PetscInt_FMT " is not in order", k, n);
    PetscCheck(before == after, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%" PetscInt_FMT " numbers have another sum when they are sorted", n);
  }
  PetscCall(PetscFree5(a, work, keys, sorted, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A check that fails stops the program, so that its line is missing and the run counts as failed */
static PetscErrorCode Passed(const Mesh *mesh, const char check[])
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "ok %s: %s\n", mesh->name, check));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mesh        mesh;
  PetscRandom rand;
  PetscInt    large = 0, parts = 256;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  /* triangles a side of a timed run, e.g. 1581 for 5 million */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-large", &large, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &parts, NULL));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &rand));
  PetscCall(PetscRandomSetFromOptions(rand));
  if (large) {
    PetscLogDouble begin, end;

    PetscCall(MeshTriangles(large, &mesh));
    PetscCall(PetscTime(&begin));
    PetscCall(CheckColors(&mesh));
    PetscCall(PetscTime(&end));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "colours and their check: %.1f s\n", end - begin));
    for (PetscInt curve = 0; curve < 2; ++curve) {
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, (PetscBool)curve, parts, parts, PETSC_TRUE));
      PetscCall(CheckPartition(&mesh, PETSC_TRUE, (PetscBool)curve, parts, 0, PETSC_TRUE));
    }
    PetscCall(PetscTime(&begin));
    PetscCall(CheckReduction(&mesh, 16 * 256, 256));
    PetscCall(PetscTime(&end));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "reduction and its check: %.1f s\n", end - begin));
    PetscCall(PetscFree(mesh.conn));
    PetscCall(PetscFree(mesh.x));
  } else {
    for (PetscInt n = 0; n < 3000; n = 2 * n + 7) {
      PetscCall(CheckSorts(n, 3e9, 20, rand));
      PetscCall(CheckSorts(n, 5., 32, rand));
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "ok numbers and keys in order\n"));
    PetscCall(CheckCurve(1, 128));
    PetscCall(CheckCurve(2, 64));
    PetscCall(CheckCurve(3, 16));
    for (PetscInt c = 0; c < 6; ++c) {
      if (c == 0) PetscCall(MeshTriangles(60, &mesh));
      else if (c == 1) PetscCall(MeshHexahedra(14, 1, &mesh));
      else if (c == 2) PetscCall(MeshHexahedra(6, 3, &mesh));
      else if (c == 3) PetscCall(MeshRandom(3000, 5, 2000, rand, &mesh));
      /* some hundred elements at a node: many colours */
      else if (c == 4) PetscCall(MeshRandom(700, 8, 20, rand, &mesh));
      else PetscCall(MeshTriangles(1, &mesh));
      if (c == 1) PetscCall(MeshShuffle(rand, &mesh));
      PetscCall(CheckInversion(&mesh));
      PetscCall(Passed(&mesh, "inversion"));
      PetscCall(CheckColors(&mesh));
      PetscCall(Passed(&mesh, "colors"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_FALSE, 64, PETSC_INT_MAX, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 64, any"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_TRUE, 64, PETSC_INT_MAX, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 64, any, curve"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_FALSE, 128, c == 2 ? 500 : 90, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 128, few"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_TRUE, 128, c == 2 ? 500 : 90, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 128, few, curve"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_FALSE, 1, PETSC_INT_MAX, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 1, any"));
      PetscCall(CheckPartition(&mesh, PETSC_FALSE, PETSC_TRUE, 1, PETSC_INT_MAX, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition elements, 1, any, curve"));
      PetscCall(CheckPartition(&mesh, PETSC_TRUE, PETSC_FALSE, 64, 0, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition nodes, 64"));
      PetscCall(CheckPartition(&mesh, PETSC_TRUE, PETSC_TRUE, 64, 0, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition nodes, 64, curve"));
      PetscCall(CheckPartition(&mesh, PETSC_TRUE, PETSC_FALSE, 4, 0, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition nodes, 4"));
      PetscCall(CheckPartition(&mesh, PETSC_TRUE, PETSC_TRUE, 4, 0, PETSC_FALSE));
      PetscCall(Passed(&mesh, "partition nodes, 4, curve"));
      PetscCall(CheckReduction(&mesh, 64, 32));
      PetscCall(Passed(&mesh, "reduction 64, 32"));
      PetscCall(CheckReduction(&mesh, 512, 32));
      PetscCall(Passed(&mesh, "reduction 512, 32"));
      PetscCall(CheckReduction(&mesh, mesh.n, 1));
      PetscCall(Passed(&mesh, "reduction all, 1"));
      PetscCall(PetscFree(mesh.conn));
      PetscCall(PetscFree(mesh.x));
    }
  }
  PetscCall(PetscRandomDestroy(&rand));
  PetscCall(PetscFinalize());
  return 0;
}
