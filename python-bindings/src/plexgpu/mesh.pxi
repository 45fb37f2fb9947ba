# Meshes of other codes.

cdef extern from "<plexgpumesh.h>" nogil:
    ctypedef enum DMPolytopeType:
        DM_POLYTOPE_TRIANGLE
        DM_POLYTOPE_QUADRILATERAL
        DM_POLYTOPE_TETRAHEDRON
        DM_POLYTOPE_HEXAHEDRON
    ctypedef struct PlexDMArraysField:
        PetscInt degree, components, nodes
        const PetscReal *xi
        const PetscInt *dofs
    ctypedef struct PlexDMArrays:
        DMPolytopeType cell
        PetscInt elements
        PetscBool unit
        PetscInt degree, nodes
        const PetscReal *xi
        const PetscInt *vertices
        PetscInt points
        const PetscReal *x
        PetscInt quadrature, nfields
        const PlexDMArraysField *fields
        PetscInt owned, ghosts
        # "global" is a word of Python's
        const PetscInt *ghostNumbers "global"
    PetscErrorCode PlexDMCreateFromArrays(MPI_Comm, const PlexDMArrays *, PetscDM *)

CELLS = {"triangle": (DM_POLYTOPE_TRIANGLE, 2), "quadrilateral": (DM_POLYTOPE_QUADRILATERAL, 2),
         "tetrahedron": (DM_POLYTOPE_TETRAHEDRON, 3), "hexahedron": (DM_POLYTOPE_HEXAHEDRON, 3)}


FieldArrays = collections.namedtuple("FieldArrays", ["dofs", "degree", "components", "xi"], defaults=[1, None],
                                     module="plexgpu._plexgpu")
FieldArrays.__doc__ = """A field of `dm_from_arrays`: Lagrange's element of a degree, with its nodes in any order.

dofs: [elements][nodes] local number of a node's first dof, which the other components follow. degree: of the element.
components: of a node. xi: [nodes][dim] where the nodes are in the reference cell; None: as PETSc has them.
"""


cdef object matrix_of(object values, object dtype, object name, PetscInt rows, PetscInt columns):
    """A contiguous array [rows][columns], of any number of these where that is negative."""
    array = numpy.ascontiguousarray(values, dtype=dtype)
    if array.ndim != 2 or (rows >= 0 and array.shape[0] != rows) or (columns >= 0 and array.shape[1] != columns):
        raise ValueError(f"{name} has the shape {array.shape}: "
                         f"({'n' if rows < 0 else rows}, {'n' if columns < 0 else columns}) is needed")
    return array


cdef const PetscReal *reals(object array) except? NULL:
    return <const PetscReal *> <uintptr_t> array.ctypes.data if array is not None else NULL


cdef const PetscInt *integers(object array) except? NULL:
    return <const PetscInt *> <uintptr_t> array.ctypes.data if array is not None else NULL


cdef object mesh_arrays(cell, x, vertices, fields, xi, ghosts):
    """The number of the kind of cells, and all arrays as C takes them; a ValueError for another shape."""
    if cell not in CELLS:
        raise ValueError(f"{cell!r} is none of {', '.join(CELLS)}")
    kind, dim = CELLS[cell]
    x = matrix_of(x, float, "x", -1, dim)
    vertices = matrix_of(vertices, PETSc.IntType, "vertices", -1, -1)
    xi = None if xi is None else matrix_of(xi, float, "xi", vertices.shape[1], dim)
    kept = [(matrix_of(f.dofs, PETSc.IntType, "dofs", vertices.shape[0], -1), f) for f in fields]
    kept = [(dofs, None if f.xi is None else matrix_of(f.xi, float, "xi", dofs.shape[1], dim), f) for dofs, f in kept]
    return kind, x, vertices, xi, kept, numpy.ascontiguousarray(ghosts, dtype=PETSc.IntType).ravel()


def dm_from_arrays(cell, x, vertices, fields, *, degree=1, xi=None, unit=True, quadrature=None, owned=None, ghosts=(),
                   comm=None):
    """Makes a `DMPlex` of the arrays of another code, such as Firedrake or DOLFINx. Collective.

    Parameters
    ----------
    cell
        "triangle", "quadrilateral", "tetrahedron" or "hexahedron", of all elements.
    x
        [points][dim] coordinates.
    vertices
        [elements][nodes] coordinate nodes of each element of this process.
    fields
        A `FieldArrays`, or several.
    degree, xi
        Of the coordinates: the degree, and [nodes][dim] where the nodes are in the reference cell; None: as PETSc has
        them.
    unit
        Whether the vertices of the reference cell have coordinates 0 and 1, as those of FIAT and Basix, or PETSc's -1
        and 1: that of all xi.
    quadrature
        Degree of PETSc's quadrature; None: the fields' highest.
    owned
        Dofs that this process owns, which come first; None: all.
    ghosts
        [ghosts] global numbers of the others.
    comm
        The communicator; None: all processes.

    Returns
    -------
    DMPlex
        With fields, discrete system and coordinates. Dofs have the numbers of the arrays: entry d of a local vector is
        dof d, and rows of matrices are the other code's. There are no facets and labels.

    Raises
    ------
    ValueError
        For an array of another shape, or a cell that is not known.
    petsc4py.PETSc.Error
        For nodes that are none of Lagrange's, dofs that are nowhere, elements without volume.

    Arrays of one process that are wrong are an error on all, which names the process.

    PlexDMCreateFromArrays().
    """
    cdef PlexDMArrays a
    cdef PlexDMArraysField *each
    cdef DM dm = PETSc.DMPlex()
    cdef PetscInt k, most = 0
    comm, found, error = PETSc.COMM_WORLD if comm is None else comm, None, None
    try:
        found = mesh_arrays(cell, x, vertices, [fields] if isinstance(fields, FieldArrays) else list(fields), xi, ghosts)
    except Exception as e:  # of whatever kind
        error = e
    raise_together(comm, error)
    kind, x, vertices, xi, kept, ghosts = found
    for dofs, _, f in kept:
        most = max(most, int(dofs.max(initial=-1)) + f.components)
    a.cell, a.elements, a.unit = kind, vertices.shape[0], PETSC_TRUE if unit else PETSC_FALSE
    a.degree, a.nodes, a.xi, a.vertices = degree, vertices.shape[1], reals(xi), integers(vertices)
    a.points, a.x = x.shape[0], reals(x)
    a.quadrature = PETSC_DETERMINE if quadrature is None else quadrature
    a.owned, a.ghosts, a.ghostNumbers = most - len(ghosts) if owned is None else owned, len(ghosts), integers(ghosts)
    a.nfields = len(kept)
    each = <PlexDMArraysField *> calloc(len(kept) + 1, sizeof(PlexDMArraysField))
    if each == NULL:
        raise MemoryError()
    try:
        for k, (dofs, at, f) in enumerate(kept):
            each[k].degree, each[k].components, each[k].nodes = f.degree, f.components, dofs.shape[1]
            each[k].xi, each[k].dofs = reals(at), integers(dofs)
        a.fields = each
        CHKERR(PlexDMCreateFromArrays(GetComm(comm, NULL), &a, &dm.dm))
    finally:
        free(each)
    return dm
