"""UFL's view of a DM: mesh, spaces of its fields, constants, time derivatives, auxiliary fields."""

import numpy as np
import ufl
from petsc4py import PETSc

from .._plexgpu import project
from ..constants import Live, allocate, apply
from .errors import Unsupported

_TYPES = PETSc.DM.PolytopeType
_CELLS = {_TYPES.SEGMENT: "interval", _TYPES.TRIANGLE: "triangle", _TYPES.QUADRILATERAL: "quadrilateral",
          _TYPES.TETRAHEDRON: "tetrahedron", _TYPES.HEXAHEDRON: "hexahedron"}


class Element(ufl.finiteelement.AbstractFiniteElement):
    """All that UFL has to know of a PetscFE: cell, degree, shape of a value; and which field it is.

    kind: "field" of the unknowns, "aux", "dg" of a system of DG, or "x" of the coordinates. Two fields of one kind of
    element are two elements.
    """

    def __init__(self, cell, degree, shape, kind, field):
        self._cell, self._degree, self._shape, self.kind, self.field = cell, degree, tuple(shape), kind, field
        self._text = f"Element({cell!r}, {degree}, {self._shape}, {kind!r}, {field})"

    def __repr__(self):
        return self._text

    __str__ = __repr__

    def __hash__(self):
        return hash(self._text)

    def __eq__(self, other):
        return isinstance(other, Element) and self._text == other._text

    sobolev_space = property(lambda self: ufl.H1 if self._degree else ufl.L2)
    pullback = property(lambda self: ufl.identity_pullback)
    embedded_superdegree = property(lambda self: self._degree)
    embedded_subdegree = property(lambda self: self._degree)
    cell = property(lambda self: self._cell)
    reference_value_shape = property(lambda self: self._shape)
    sub_elements = property(lambda self: [])


class Space(ufl.FunctionSpace):
    """A space of UFL that knows its `DM` (`dm`) and the field's number there (`field`)."""

    def __init__(self, dm, mesh, element):
        super().__init__(mesh, element)
        self.dm, self.field = dm, element.field


def _cell(dm):
    """UFL's name of the cell, by the element of the first field, which a process without cells has too."""
    if not dm.getNumFields():
        raise ValueError("the DM has no field: dm.setField() and dm.createDS() come before its spaces")
    kind = dm.getField(0)[0].getDualSpace().getDM().getCellType(0)
    if kind not in _CELLS:
        raise Unsupported(f"cells of type {kind}: triangles, quadrilaterals, tetrahedra and hexahedra alone")
    return ufl.Cell(_CELLS[kind])


def mesh(dm):
    """The `ufl.Mesh` of a `DM`, the same at each call: for SpatialCoordinate, FacetNormal and constants."""
    found = dm.getAttr("__plexgpu_ufl_mesh__")
    if found is None:
        dim, geometric = dm.getDimension(), dm.getCoordinateDim()
        if dim != geometric:
            raise Unsupported(f"a mesh of dimension {dim} in space of dimension {geometric}")
        found = ufl.Mesh(Element(_cell(dm), 1, (dim,), "x", 0))
        dm.setAttr("__plexgpu_ufl_mesh__", found)
    return found


def _element(dm, field, shape, kind):
    fe = dm.getField(field)[0]
    if not isinstance(fe, PETSc.FE):
        raise Unsupported(f"field {field}: a {type(fe).__name__} is no finite element")
    dual = fe.getDualSpace()
    if dual.getType() == "lagrange" and dual.getLagrangeTrimmed() or dual.getType() in ("bdm",):
        raise Unsupported(
            f"field {field}: its element has vector-valued functions in H(div) or H(curl), which UFL's "
            "terms here take no pull-back of; Lagrange elements alone"
        )
    Nc = fe.getNumComponents()
    if shape is None:
        shape = () if Nc == 1 else (Nc,)
    if int(np.prod(shape, dtype=int)) != Nc:
        raise ValueError(f"shape {shape} for a field of {Nc} components")
    return Element(
        mesh(dm).ufl_cell() if kind == "field" else None, fe.getBasisSpace().getDegree()[0], shape, kind, field
    )


def space(dm, field=0, shape=None):
    """The space of a field of a `DM`, for ufl.Coefficient, TestFunction and TrialFunction.

    Parameters
    ----------
    dm
        The `DM`, its fields set.
    field
        The field's number.
    shape
        Of a value; default: () of one component, else (components,). A tensor (n, m) has n m components, row by row.

    An element in H(div) or H(curl) is an `Unsupported`.
    """
    return Space(dm, mesh(dm), _element(dm, field, shape, "field"))


class _Constant(ufl.Constant, Live):
    """A constant of UFL that is one of the `DM`'s, live: `kappa.value = 2`."""

    def __init__(self, dm, value):
        shape = np.asarray(value, dtype=float).shape
        ufl.Constant.__init__(self, mesh(dm), shape)
        self.dm, self.shape, self.offset = dm, shape, allocate(dm, value)
        apply(dm)


def constant(dm, value):
    """A constant of forms on a `DM`: a number or an array. `kappa.value = 2` needs no compilation nor a new set-up."""
    return _Constant(dm, value)


class _Time(ufl.Constant):
    """The time t of a TS."""


class _Shift(ufl.Constant):
    """The multiplier of the derivative by u_t, u_tShift."""


def time(dm):
    """The time of a `TS`, for forms and essential conditions."""
    return _Time(mesh(dm))


def shift(mesh_):
    return _Shift(mesh_)


def dt(u):
    """The derivative in time of an unknown, a coefficient that is the same at each call."""
    found = getattr(u, "_plexgpu_dt", None)
    if found is None:
        if not isinstance(u, ufl.Coefficient):
            raise TypeError(f"{u} is no coefficient, and has no derivative in time")
        found = ufl.Coefficient(u.ufl_function_space())
        u._plexgpu_dt = found
    return found


class Auxiliary:
    """Known functions of forms on a `DM`: `fields`, a coefficient each; `dm`, their own DM; `vec`, its local vector, which
    is on the host."""

    def __init__(self, dm, elements, shapes):
        if dm.getAuxiliaryVec():  # a Vec of nothing where there is none
            raise ValueError("the DM has auxiliary fields already: give all of them in one call of auxiliary()")
        self.dm = dm.clone()
        like = dm.getField(0)[0]
        for k, fe in enumerate(elements):
            fe.setQuadrature(like.getQuadrature())
            fe.setFaceQuadrature(like.getFaceQuadrature())
            self.dm.setField(k, fe)
        self.dm.createDS()
        self.dm.setVecType(PETSc.Vec.Type.STANDARD)  # on the host, where numpy and values are
        self.vec = self.dm.createLocalVec()
        dm.setAuxiliaryVec(self.vec, None)
        on = mesh(dm)
        made = [_element(self.dm, k, shape, "aux") for k, shape in enumerate(shapes)]
        for element in made:
            element._cell = on.ufl_cell()
        self.spaces = [Space(self.dm, on, element) for element in made]
        self.fields = [ufl.Coefficient(V) for V in self.spaces]
        self._values = [0.0] * len(elements)

    def set(self, k, value, t=0.0):
        """Sets field k to a value, as `plexgpu.essential` takes them, or to a UFL expression of position and constants.

        PETSc's interpolation. `vec` may also be written to; the next evaluation sees it.
        """
        from .conditions import values_of

        self._values[k] = value
        project(self.dm, [values_of(V, v) for V, v in zip(self.spaces, self._values)], self.vec, t, local=True)


def auxiliary(dm, *elements, shapes=None):
    """Known functions, such as material fields, for forms on a `DM`.

    Parameters
    ----------
    dm
        The `DM`, its own fields set.
    elements
        A `PETSc.FE` for each, which gets the quadrature of the DM's first field.
    shapes
        Of their values, as for `space`.

    Returns
    -------
    Auxiliary
        `a.fields` are the coefficients, `a.set(k, value)` gives values; zero before.
    """
    return Auxiliary(dm, elements, shapes or [None] * len(elements))
