/*
  A DMPLEX of the arrays of another code: location matrices, coordinates, the nodes of its reference element.

  It has the elements, with a cone of all their nodes, and the nodes: those of fields, in the order of their first dofs,
  then those of the coordinates. So the local section has the dofs as the arrays number them, and a closure has them in
  the order of the cone, which is that of PETSc's element. Nodes of the arrays' element are found in PETSc's by where
  they are. An element that is inside out is read from its mirror image.
*/
#include <plexgpumesh.h> /*I "plexgpumesh.h" I*/
#include "elementsimpl.h"

#define PLEX_NODE_NEAR 1e-8 /* two nodes of a reference cell are the same */

/* Nodes of a space on the reference cell: PETSc's node k is that of the arrays' order [0][k], of an element that is
   inside out [1][k] */
typedef struct {
  PetscFE  fe;
  PetscInt n, *order[2];
} PlexArraysSpace;

typedef struct {
  MPI_Comm            comm;
  const PlexDMArrays *a;
  PetscInt            dim, quadrature, npoints; /* npoints: nodes of fields, as points of the mesh */
  PetscBool           simplex;
  PlexArraysSpace     geometry, *space; /* space[nfields] */
  PetscInt           *point;            /* [dofs] of the first dof of a node its point, less Ne; of others -1 */
  PetscInt           *field;            /* [npoints] */
  unsigned char      *flip;             /* [Ne] the element is inside out */
  PetscErrorCode      code;             /* of `fault` */
  char               *fault;            /* what is wrong with this process's arrays, or NULL */
} PlexArraysMesh;

/* ---- Faults: what is wrong on one process is an error on all ---- */

/* Keeps the first fault, to which PlexArraysAgree() comes */
static PetscErrorCode PlexArraysFault(PlexArraysMesh *m, PetscErrorCode code, const char format[], ...)
  PETSC_ATTRIBUTE_FORMAT(3, 4);
static PetscErrorCode PlexArraysFault(PlexArraysMesh *m, PetscErrorCode code, const char format[], ...)
{
  char        text[1024];
  size_t      length = 0;
  PetscMPIInt rank, size;
  va_list     arguments;

  PetscFunctionBegin;
  if (m->fault) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCallMPI(MPI_Comm_size(m->comm, &size));
  if (size > 1) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "Process %d: ", rank));
    PetscCall(PetscStrlen(text, &length));
  }
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(text + length, sizeof(text) - length, format, NULL, arguments));
  va_end(arguments);
  PetscCall(PetscStrallocpy(text, &m->fault));
  m->code = code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves a function, whose caller asks for m->fault */
#define PlexArraysCheck(m, condition, code, ...) \
  do { \
    if (!(condition)) { \
      PetscCall(PlexArraysFault(m, code, __VA_ARGS__)); \
      PetscFunctionReturn(PETSC_SUCCESS); \
    } \
  } while (0)

static PetscErrorCode PlexArraysDestroy(PlexArraysMesh *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFEDestroy(&m->geometry.fe));
  PetscCall(PetscFree2(m->geometry.order[0], m->geometry.order[1]));
  for (PetscInt f = 0; m->space && f < m->a->nfields; ++f) {
    PetscCall(PetscFEDestroy(&m->space[f].fe));
    PetscCall(PetscFree2(m->space[f].order[0], m->space[f].order[1]));
  }
  PetscCall(PetscFree(m->space));
  PetscCall(PetscFree2(m->point, m->field));
  PetscCall(PetscFree(m->flip));
  PetscCall(PetscFree(m->fault));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error on all processes, where one has a fault: that of the first. Collective */
static PetscErrorCode PlexArraysAgree(PlexArraysMesh *m)
{
  PetscMPIInt first;
  int         code = (int)m->code;
  char        text[1024];

  PetscFunctionBegin;
  PetscCall(PlexFindFirst(m->comm, (PetscBool)(m->fault != NULL), &first));
  if (first < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAgreeOnText(m->comm, &m->fault));
  PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, first, m->comm));
  PetscCall(PetscStrncpy(text, m->fault, sizeof(text)));
  PetscCall(PlexArraysDestroy(m));
  SETERRQ(m->comm, (PetscErrorCode)code, "%s", text);
}

/* ---- The reference element ---- */

/* A point of PETSc's reference cell in its mirror image, by which the second and third vertices of a simplex change
   places, and the sides of a square */
static void PlexArraysMirror(const PlexArraysMesh *m, PetscReal xi[])
{
  const PetscReal x = xi[0];

  if (m->simplex) {
    xi[0] = xi[1];
    xi[1] = x;
  } else xi[0] = -x;
}

/* *match: each node of the element is one of xi[n][dim], and of its mirror image too; xi NULL: they have PETSc's order */
static PetscErrorCode PlexArraysMatch(const PlexArraysMesh *m, PetscInt Nc, const PetscReal xi[], PlexArraysSpace *s,
                                      PetscBool *match)
{
  const PetscInt dim = m->dim;
  PetscDualSpace dual;
  PetscReal     *node, *at;

  PetscFunctionBegin;
  *match = PETSC_TRUE;
  PetscCall(PetscFEGetDualSpace(s->fe, &dual));
  PetscCall(PetscMalloc2(s->n * dim, &node, s->n * dim, &at));
  for (PetscInt k = 0; k < s->n; ++k) PetscCall(PlexDualSpaceGetNode(dual, k * Nc, dim, &node[k * dim]));
  for (PetscInt k = 0; k < s->n * dim; ++k) at[k] = !xi ? node[k] : m->a->unit ? 2. * xi[k] - 1. : xi[k];
  for (PetscInt mirrored = 0; mirrored < 2; ++mirrored) {
    for (PetscInt k = 0; k < s->n && *match; ++k) {
      PetscInt found = -1;

      for (PetscInt j = 0; j < s->n && found < 0; ++j) {
        PetscReal distance = 0.;

        for (PetscInt d = 0; d < dim; ++d)
          distance = PetscMax(distance, PetscAbsReal(at[j * dim + d] - node[k * dim + d]));
        if (distance < PLEX_NODE_NEAR) found = j;
      }
      s->order[mirrored][k] = found;
      *match                = (PetscBool)(found >= 0);
    }
    for (PetscInt k = 0; k < s->n; ++k) PlexArraysMirror(m, &at[k * dim]);
  }
  PetscCall(PetscFree2(node, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lagrange's element with its nodes where PETSc puts them, or equally spaced */
static PetscErrorCode PlexArraysElement(const PlexArraysMesh *m, PetscInt degree, PetscInt Nc, PetscBool equispaced,
                                        PetscFE *fe)
{
  PetscFE         gauss;
  PetscSpace      space;
  PetscDualSpace  dual, other;
  PetscQuadrature q, fq;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, m->dim, Nc, m->a->cell, degree, m->quadrature, fe));
  if (!equispaced) PetscFunctionReturn(PETSC_SUCCESS);
  gauss = *fe;
  PetscCall(PetscFEGetBasisSpace(gauss, &space));
  PetscCall(PetscFEGetDualSpace(gauss, &dual));
  PetscCall(PetscFEGetQuadrature(gauss, &q));
  PetscCall(PetscFEGetFaceQuadrature(gauss, &fq));
  PetscCall(PetscDualSpaceDuplicate(dual, &other));
  PetscCall(PetscDualSpaceLagrangeSetNodeType(other, PETSCDTNODES_EQUISPACED, PETSC_TRUE, 0.0));
  PetscCall(PetscDualSpaceSetUp(other));
  PetscCall(PetscObjectReference((PetscObject)space));
  PetscCall(PetscObjectReference((PetscObject)q));
  PetscCall(PetscObjectReference((PetscObject)fq));
  PetscCall(PetscFECreateFromSpaces(space, other, q, fq, fe));
  PetscCall(PetscFEDestroy(&gauss));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArraysSpaceCreate(PlexArraysMesh *m, const char what[], PetscInt degree, PetscInt Nc,
                                            PetscInt n, const PetscReal xi[], PlexArraysSpace *s)
{
  PetscBool match = PETSC_FALSE;
  PetscInt  dim;

  PetscFunctionBegin;
  PlexArraysCheck(m, degree > 0 && degree < 12 && Nc > 0, PETSC_ERR_ARG_OUTOFRANGE,
                  "%s of degree %" PetscInt_FMT " with %" PetscInt_FMT
                  " components: give degrees from 1 to 11 and at least "
                  "one component",
                  what, degree, Nc);
  for (PetscInt equispaced = 0; equispaced < 2 && !match; ++equispaced) {
    PetscCall(PetscFEDestroy(&s->fe));
    PetscCall(PetscFree2(s->order[0], s->order[1]));
    PetscCall(PlexArraysElement(m, degree, Nc, (PetscBool)equispaced, &s->fe));
    PetscCall(PetscFEGetDimension(s->fe, &dim));
    s->n = dim / Nc;
    PlexArraysCheck(m, s->n == n, PETSC_ERR_ARG_INCOMP,
                    "%s: %" PetscInt_FMT " nodes an element, and Lagrange's element of degree %" PetscInt_FMT
                    " on a %s has "
                    "%" PetscInt_FMT,
                    what, n, degree, DMPolytopeTypes[m->a->cell], s->n);
    PetscCall(PetscMalloc2(n, &s->order[0], n, &s->order[1]));
    PetscCall(PlexArraysMatch(m, Nc, xi, s, &match));
  }
  PlexArraysCheck(m, match, PETSC_ERR_SUP,
                  "%s: its nodes are none of Lagrange's element of degree %" PetscInt_FMT
                  " on a %s, neither Gauss-Lobatto "
                  "nor equally spaced; nodes of the cell with vertices 0 and 1 in place of -1 and 1 need `unit`",
                  what, degree, DMPolytopeTypes[m->a->cell]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether an element is inside out, by the sign of the determinant at its centre, where D are the derivatives of the
   functions s */
static PetscErrorCode PlexArraysFlipElement(PlexArraysMesh *m, const PlexArraysSpace *s, const PetscReal D[],
                                            PetscInt e)
{
  const PlexDMArrays *a    = m->a;
  PetscReal           J[9] = {0}, det;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < a->nodes; ++k) {
    const PetscInt v = a->vertices[e * a->nodes + s->order[0][k]];

    PlexArraysCheck(m, v >= 0 && v < a->points, PETSC_ERR_ARG_OUTOFRANGE,
                    "Element %" PetscInt_FMT " has coordinate node %" PetscInt_FMT ", and there are %" PetscInt_FMT, e,
                    v, a->points);
    for (PetscInt c = 0; c < m->dim; ++c)
      for (PetscInt d = 0; d < m->dim; ++d) J[c * m->dim + d] += a->x[v * m->dim + c] * D[k * m->dim + d];
  }
  det = m->dim == 2
        ? J[0] * J[3] - J[1] * J[2]
        : J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
  PlexArraysCheck(m, det != 0., PETSC_ERR_ARG_WRONG, "Element %" PetscInt_FMT " has no volume", e);
  m->flip[e] = det < 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArraysFlip(PlexArraysMesh *m)
{
  const PlexDMArrays *a = m->a;
  PetscReal           centre[3];
  PetscTabulation     T = NULL;
  PlexArraysSpace     s = {0};

  PetscFunctionBegin;
  for (PetscInt d = 0; d < m->dim; ++d) centre[d] = m->simplex ? 2. / (m->dim + 1.) - 1. : 0.;
  PetscCall(PlexArraysSpaceCreate(m, "coordinates", a->degree, 1, a->nodes, a->xi, &s));
  if (!m->fault) PetscCall(PetscFECreateTabulation(s.fe, 1, 1, centre, 1, &T));
  for (PetscInt e = 0; e < a->elements && !m->fault; ++e) /* T[1]: [n][dim] */
    PetscCall(PlexArraysFlipElement(m, &s, T->T[1], e));
  PetscCall(PetscTabulationDestroy(&T));
  PetscCall(PetscFEDestroy(&s.fe));
  PetscCall(PetscFree2(s.order[0], s.order[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Points ---- */

/* The nodes of fields, in the order of their first dofs: all dofs are those of one node each */
static PetscErrorCode PlexArraysFindPoints(PlexArraysMesh *m)
{
  const PlexDMArrays *a = m->a;
  const PetscInt      n = a->owned + a->ghosts;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &m->point, n, &m->field));
  for (PetscInt d = 0; d < n; ++d) m->point[d] = -1;
  for (PetscInt f = 0; f < a->nfields; ++f) {
    const PlexDMArraysField *field = &a->fields[f];

    for (PetscInt k = 0; k < a->elements * field->nodes; ++k) {
      const PetscInt d = field->dofs[k];

      PlexArraysCheck(m, d >= 0 && d + field->components <= n, PETSC_ERR_ARG_OUTOFRANGE,
                      "Field %" PetscInt_FMT ", element %" PetscInt_FMT ": dof %" PetscInt_FMT
                      ", and there are %" PetscInt_FMT " here",
                      f, k / field->nodes, d, n);
      PlexArraysCheck(m, m->point[d] < 0 || m->point[d] == f, PETSC_ERR_ARG_INCOMP,
                      "Dof %" PetscInt_FMT " is one of fields %" PetscInt_FMT " and %" PetscInt_FMT, d, m->point[d], f);
      m->point[d] = f;
    }
  }
  for (PetscInt d = 0; d < n; d += a->fields[m->field[m->npoints - 1]].components) {
    const PetscInt f = m->point[d];

    PlexArraysCheck(m, f >= 0, PETSC_ERR_ARG_INCOMP,
                    "Dof %" PetscInt_FMT
                    " is in no element: number the dofs of this process's elements alone, of each node "
                    "its components one behind the other",
                    d);
    for (PetscInt c = 1; c < a->fields[f].components; ++c)
      PlexArraysCheck(m, m->point[d + c] < 0, PETSC_ERR_ARG_INCOMP,
                      "Dof %" PetscInt_FMT " is component %" PetscInt_FMT " of the node with dof %" PetscInt_FMT
                      " and the first one of another node",
                      d + c, c, d);
    m->point[d]            = m->npoints;
    m->field[m->npoints++] = f;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArraysSetPoints(const PlexArraysMesh *m, DM dm)
{
  const PlexDMArrays *a    = m->a;
  PetscInt            size = a->nodes, *cone;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < a->nfields; ++f) size += a->fields[f].nodes;
  PetscCall(DMPlexSetChart(dm, 0, a->elements + m->npoints + a->points));
  for (PetscInt e = 0; e < a->elements; ++e) PetscCall(DMPlexSetConeSize(dm, e, size));
  PetscCall(DMSetUp(dm));
  PetscCall(PetscMalloc1(size, &cone));
  for (PetscInt e = 0; e < a->elements; ++e) {
    PetscInt n = 0;

    for (PetscInt f = 0; f < a->nfields; ++f)
      for (PetscInt k = 0; k < a->fields[f].nodes; ++k)
        cone[n++] = a->elements +
                    m->point[a->fields[f].dofs[e * a->fields[f].nodes + m->space[f].order[m->flip[e]][k]]];
    for (PetscInt k = 0; k < a->nodes; ++k)
      cone[n++] = a->elements + m->npoints + a->vertices[e * a->nodes + m->geometry.order[m->flip[e]][k]];
    PetscCall(DMPlexSetCone(dm, e, cone));
  }
  PetscCall(PetscFree(cone));
  PetscCall(DMPlexSymmetrize(dm));
  PetscCall(DMPlexStratify(dm));
  PetscCall(DMCreateLabel(dm, "celltype")); /* which would be computed from cones, else */
  for (PetscInt e = 0; e < a->elements; ++e) PetscCall(DMPlexSetCellType(dm, e, a->cell));
  for (PetscInt p = 0; p < m->npoints + a->points; ++p)
    PetscCall(DMPlexSetCellType(dm, a->elements + p, DM_POLYTOPE_POINT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values of n roots, [n] of them */
static PetscErrorCode PlexArraysFetch(MPI_Comm comm, PetscInt nroots, const PetscInt values[], PetscInt n,
                                      PetscSFNode root[], PetscInt of[])
{
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraph(sf, nroots, n, NULL, PETSC_USE_POINTER, root, PETSC_USE_POINTER));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, values, of, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, values, of, MPI_REPLACE));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes that another process has: here their points leaf[n], there their first dofs, root[n] */
static PetscErrorCode PlexArraysFindGhosts(PlexArraysMesh *m, PetscLayout layout, PetscInt *n, PetscInt leaf[],
                                           PetscSFNode root[])
{
  const PlexDMArrays *a = m->a;
  PetscInt            first;

  PetscFunctionBegin;
  PetscCall(PetscLayoutGetRange(layout, &first, NULL));
  for (PetscInt g = 0; g < a->ghosts; ++g) {
    const PetscInt to = a->global[g];
    PetscMPIInt    rank;

    if (m->point[a->owned + g] < 0) continue; /* another component of its node */
    PlexArraysCheck(m, to >= 0 && to < layout->N && (to < first || to >= first + a->owned), PETSC_ERR_ARG_OUTOFRANGE,
                    "Ghost dof %" PetscInt_FMT " has the global number %" PetscInt_FMT
                    ", which is none of another process",
                    g, to);
    PetscCall(PetscLayoutFindOwnerIndex(layout, to, &rank, &root[*n].index));
    root[*n].rank = rank;
    leaf[(*n)++]  = a->elements + m->point[a->owned + g];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ghost nodes are those of the process that has their first dof among its own */
static PetscErrorCode PlexArraysSetGhosts(PlexArraysMesh *m, DM dm)
{
  const PlexDMArrays *a = m->a;
  PetscLayout         layout;
  PetscSF             points;
  PetscInt            n = 0, *leaf, *theirs, *elements;
  PetscSFNode        *root;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(m->comm, a->owned, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscMalloc4(a->ghosts, &leaf, a->ghosts, &theirs, a->ghosts, &elements, a->ghosts, &root));
  PetscCall(PlexArraysFindGhosts(m, layout, &n, leaf, root));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(PlexArraysAgree(m));
  PetscCall(PlexArraysFetch(m->comm, a->owned, m->point, n, root, theirs));
  for (PetscInt g = 0; g < n; ++g) root[g].index = 0;
  PetscCall(PlexArraysFetch(m->comm, 1, &a->elements, n, root, elements)); /* points are numbered behind these */
  for (PetscInt g = 0; g < n; ++g) {
    if (theirs[g] < 0)
      PetscCall(PlexArraysFault(m, PETSC_ERR_ARG_INCOMP,
                                "The first dof of a ghost node is another component of it where it is owned"));
    root[g].index = elements[g] + theirs[g];
  }
  PetscCall(PlexArraysAgree(m));
  PetscCall(DMGetPointSF(dm, &points));
  PetscCall(PetscSFSetGraph(points, a->elements + m->npoints + a->points, n, leaf, PETSC_COPY_VALUES, root,
                            PETSC_COPY_VALUES));
  PetscCall(PetscFree4(leaf, theirs, elements, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Fields and coordinates ---- */

static PetscErrorCode PlexArraysSetFields(const PlexArraysMesh *m, DM dm)
{
  const PlexDMArrays *a = m->a;
  PetscSection        section;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < a->nfields; ++f) PetscCall(DMSetField(dm, f, NULL, (PetscObject)m->space[f].fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(PetscSectionCreate(m->comm, &section));
  PetscCall(PetscSectionSetNumFields(section, a->nfields));
  for (PetscInt f = 0; f < a->nfields; ++f)
    PetscCall(PetscSectionSetFieldComponents(section, f, a->fields[f].components));
  PetscCall(PetscSectionSetChart(section, 0, a->elements + m->npoints + a->points));
  for (PetscInt p = 0; p < m->npoints; ++p) {
    const PetscInt f = m->field[p];

    PetscCall(PetscSectionSetDof(section, a->elements + p, a->fields[f].components));
    PetscCall(PetscSectionSetFieldDof(section, a->elements + p, f, a->fields[f].components));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexArraysSetCoordinates(const PlexArraysMesh *m, DM dm)
{
  const PlexDMArrays *a = m->a;
  DM                  cdm;
  Vec                 coordinates;
  PetscSection        section;
  PetscScalar        *x;

  PetscFunctionBegin;
  PetscCall(DMSetCoordinateDim(dm, m->dim));
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMSetField(cdm, 0, NULL, (PetscObject)m->geometry.fe));
  PetscCall(DMCreateDS(cdm));
  PetscCall(PetscSectionCreate(m->comm, &section));
  PetscCall(PetscSectionSetNumFields(section, 1));
  PetscCall(PetscSectionSetFieldComponents(section, 0, m->dim));
  PetscCall(PetscSectionSetChart(section, 0, a->elements + m->npoints + a->points));
  for (PetscInt v = 0; v < a->points; ++v) {
    PetscCall(PetscSectionSetDof(section, a->elements + m->npoints + v, m->dim));
    PetscCall(PetscSectionSetFieldDof(section, a->elements + m->npoints + v, 0, m->dim));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(cdm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscCall(VecCreate(PETSC_COMM_SELF, &coordinates));
  PetscCall(PetscObjectSetName((PetscObject)coordinates, "coordinates"));
  PetscCall(VecSetSizes(coordinates, a->points * m->dim, PETSC_DETERMINE));
  PetscCall(VecSetBlockSize(coordinates, m->dim));
  PetscCall(VecSetType(coordinates, VECSTANDARD));
  PetscCall(VecGetArrayWrite(coordinates, &x));
  for (PetscInt k = 0; k < a->points * m->dim; ++k) x[k] = a->x[k];
  PetscCall(VecRestoreArrayWrite(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscCall(VecDestroy(&coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it ---- */

static PetscErrorCode PlexArraysSpaces(PlexArraysMesh *m)
{
  const PlexDMArrays *a = m->a;
  char                what[64];

  PetscFunctionBegin;
  m->quadrature = a->quadrature;
  for (PetscInt f = 0; f < a->nfields && a->quadrature < 0; ++f)
    m->quadrature = PetscMax(m->quadrature, a->fields[f].degree);
  PetscCall(PlexArraysSpaceCreate(m, "coordinates", a->degree, m->dim, a->nodes, a->xi, &m->geometry));
  for (PetscInt f = 0; f < a->nfields && !m->fault; ++f) {
    PetscCall(PetscSNPrintf(what, sizeof(what), "field %" PetscInt_FMT, f));
    PetscCall(PlexArraysSpaceCreate(m, what, a->fields[f].degree, a->fields[f].components, a->fields[f].nodes,
                                    a->fields[f].xi, &m->space[f]));
    if (f && !m->fault) PetscCall(PetscFECopyQuadrature(m->space[0].fe, m->space[f].fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the arrays of this process are like, without a look into them */
static PetscErrorCode PlexArraysCheckSizes(PlexArraysMesh *m)
{
  const PlexDMArrays *a = m->a;
  PetscMPIInt         size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(m->comm, &size));
  PlexArraysCheck(m,
                  a->cell == DM_POLYTOPE_TRIANGLE || a->cell == DM_POLYTOPE_QUADRILATERAL ||
                    a->cell == DM_POLYTOPE_TETRAHEDRON || a->cell == DM_POLYTOPE_HEXAHEDRON,
                  PETSC_ERR_SUP, "Cells of type %s: triangles, quadrilaterals, tetrahedra or hexahedra are assembled",
                  DMPolytopeTypes[a->cell]);
  PlexArraysCheck(m, a->nfields > 0, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " fields: give at least 1", a->nfields);
  PlexArraysCheck(m, a->elements >= 0 && a->points >= 0 && a->owned >= 0 && a->ghosts >= 0, PETSC_ERR_ARG_OUTOFRANGE,
                  "%" PetscInt_FMT " elements, %" PetscInt_FMT " coordinate nodes, %" PetscInt_FMT
                  " dofs that are owned, %" PetscInt_FMT " ghosts: none can be less than 0",
                  a->elements, a->points, a->owned, a->ghosts);
  PlexArraysCheck(m, size > 1 || !a->ghosts, PETSC_ERR_ARG_INCOMP, "%" PetscInt_FMT " ghosts on the only process",
                  a->ghosts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes have the same cells and elements, of coordinates and fields: those of the first one. Collective */
static PetscErrorCode PlexArraysCheckEqual(PlexArraysMesh *m)
{
  const PlexDMArrays *a       = m->a;
  PetscInt            mine[4] = {(PetscInt)a->cell, a->degree, a->quadrature, a->nfields}, theirs[4];
  PetscInt            n, differs = -1, *fields[2]; /* mine, theirs: [n][degree, components], n being theirs */
  const char *const   what[] = {"cells",
                                "degree of coordinates",
                                "quadrature",
                                "number of fields",
                                "degree of a field",
                                "number of components of a field"};

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(theirs, mine, 4));
  PetscCallMPI(MPI_Bcast(theirs, 4, MPIU_INT, 0, m->comm));
  for (PetscInt k = 0; k < 4 && differs < 0; ++k)
    if (mine[k] != theirs[k]) differs = k;
  n = theirs[3];
  PetscCall(PetscCalloc2(2 * n, &fields[0], 2 * n, &fields[1]));
  for (PetscInt f = 0; f < PetscMin(n, a->nfields); ++f) {
    fields[0][2 * f]     = a->fields[f].degree;
    fields[0][2 * f + 1] = a->fields[f].components;
  }
  PetscCall(PetscArraycpy(fields[1], fields[0], 2 * n));
  PetscCallMPI(MPI_Bcast(fields[1], (PetscMPIInt)(2 * n), MPIU_INT, 0, m->comm));
  for (PetscInt k = 0; k < 2 * n && differs < 0; ++k)
    if (fields[0][k] != fields[1][k]) differs = 4 + k % 2;
  PetscCall(PetscFree2(fields[0], fields[1]));
  PlexArraysCheck(m, differs < 0, PETSC_ERR_ARG_INCOMP, "Another %s than process 0 has", what[differs]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDMCreateFromArrays - Creates a `DMPLEX` from the arrays of another code: location matrices, coordinates, and where
  the nodes of its reference element are

  Collective

  Input Parameters:
+ comm   - the communicator
- arrays - the elements of this process, each on one process, as `PlexDMArrays` describes them; they may be freed
           afterwards

  Output Parameter:
. dm - the mesh, with its fields and coordinates

  Level: intermediate

  Notes:
  Dofs have the numbers of the arrays: entry d of a local vector of `dm` is dof d, and global vectors and matrices have
  the dofs that processes own, process by process, in their order. So a matrix of `dm` is the other code's, row by row.

  Set pointwise functions on the `PetscDS` of `dm` (`DMGetDS()`), then create a `PlexAssembly` of it. The mesh has no
  edges and faces: terms on the boundary, conditions by labels and refinement are not possible. Fix values by rows, for
  instance by `MatZeroRows()`.

  Elements may be inside out; the map to the reference cell is then taken of their mirror image.

  Errors:
  A node count or positions that are not those of Lagrange's element, a dof in no element or of two fields, a coordinate
  node that is not there, an element without volume, a ghost that is no other process's, cells or fields that are not
  those of process 0: an error names it. It is an error on all processes, and names the first one that has it.

.seealso: `PlexDMArrays`, `PlexAssemblyCreate()`, `DMPlexCreateFromCellListPetsc()`
@*/
PetscErrorCode PlexDMCreateFromArrays(MPI_Comm comm, const PlexDMArrays *arrays, DM *dm)
{
  PlexArraysMesh m = {.comm = comm, .a = arrays};
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscAssertPointer(arrays, 2);
  PetscAssertPointer(dm, 3);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PlexArraysCheckSizes(&m));
  PetscCall(PlexArraysAgree(&m));
  PetscCall(PlexArraysCheckEqual(&m));
  PetscCall(PlexArraysAgree(&m));
  m.dim     = DMPolytopeTypeGetDim(arrays->cell);
  m.simplex = (PetscBool)(arrays->cell == DM_POLYTOPE_TRIANGLE || arrays->cell == DM_POLYTOPE_TETRAHEDRON);
  PetscCall(PetscMalloc1(arrays->elements, &m.flip));
  PetscCall(PetscCalloc1(arrays->nfields, &m.space));
  PetscCall(PlexArraysSpaces(&m));
  if (!m.fault) PetscCall(PlexArraysFlip(&m));
  if (!m.fault) PetscCall(PlexArraysFindPoints(&m));
  PetscCall(PlexArraysAgree(&m));
  PetscCall(DMPlexCreate(comm, dm));
  PetscCall(DMSetDimension(*dm, m.dim));
  PetscCall(PlexArraysSetPoints(&m, *dm));
  if (size > 1) PetscCall(PlexArraysSetGhosts(&m, *dm));
  PetscCall(PlexArraysSetCoordinates(&m, *dm));
  PetscCall(DMSetBasicAdjacency(*dm, PETSC_FALSE, PETSC_TRUE));
  PetscCall(PlexArraysSetFields(&m, *dm));
  PetscCall(PlexArraysDestroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
