"""Values of fields in UFL, C or Python: essential conditions, initial states, auxiliary fields."""

import numpy as np
import ufl
from ufl.algorithms.analysis import extract_type

from .._plexgpu import add_boundary, project
from ..pointwise import c_value, label_of, values
from .errors import short
from .graph import Graph
from .lower import NONE, Lowering, prepare
from .spaces import Space, _Constant, _Time


def values_of(V, value):
    """`Values` of a space: a UFL expression of position, time and constants, or what `plexgpu.essential` takes."""
    made, _ = _values_and_rate(V, value)
    return made


def _values_and_rate(V, value):
    if isinstance(value, (list, tuple)) and any(isinstance(v, ufl.core.expr.Expr) for v in value):
        value = ufl.as_vector(value)
    if not isinstance(value, ufl.core.expr.Expr):
        return values(V.dm, value, V.field), None
    shape = V.value_shape
    if value.ufl_shape != shape:
        raise ValueError(f"a value of shape {value.ufl_shape} for a field of shape {shape}: {short(value)}")
    constants = sorted(extract_type(value, _Constant), key=lambda c: c.offset)
    dm = constants[0].dm if constants else V.dm
    made = [c_value(dm, _statements(value, V), max(1, V.ufl_element().reference_value_size))]
    times = extract_type(value, _Time)
    rate = None
    if times:
        first = next(iter(times))
        variable = ufl.variable(first)
        rate = ufl.diff(ufl.replace(value, {t: variable for t in times}), variable)
        rate = c_value(dm, _statements(rate, V), max(1, V.ufl_element().reference_value_size))
    return made[0], rate


def _statements(value, V):
    """C that sets u[] to an expression."""
    graph = Graph()
    lowering = Lowering(graph, [], [], V.ufl_domain().geometric_dimension)
    assignments = []
    for k, at in enumerate(np.ndindex(*value.ufl_shape)):
        entries = lowering.read(prepare(value[at] if at else value))
        if set(entries) - {NONE}:
            raise ValueError(f"a test or trial function in a value: {short(value)}")
        assignments.append((f"u[{k}]", entries.get(NONE, graph.zero)))
    return "".join(f"  {line}\n" for line in graph.c(assignments))


class Essential:
    """An essential condition, which a `Problem` adds to its `DM`. `value` may be set again where it is numbers."""

    def __init__(self, V, label, numbers, value, components):
        self.V, self.label, self.numbers, self.components = V, label, numbers, tuple(components)
        self.values, self.rate = _values_and_rate(V, value)
        self.added = False

    @property
    def value(self):
        """The numbers, or the function."""
        return self.values.value

    @value.setter
    def value(self, value):
        self.values.value = value

    def add(self):
        """Adds it to the `DM`, once."""
        if not self.added:
            add_boundary(
                self.V.dm,
                f"essential {self.label} {self.numbers} {self.V.field} {self.components}",
                label_of(self.V.dm, self.label),
                self.numbers,
                self.V.field,
                self.values,
                components=self.components,
                derivative=self.rate,
            )
            self.added = True


def essential(V, label, numbers, value=0.0, components=()):
    """An essential boundary condition for `Problem`.

    Parameters
    ----------
    V
        A space of `plexgpu.ufl.space`.
    label, numbers
        Name of a label of the mesh, and its value or values there.
    value
        Numbers (live: `condition.value = 2`), a UFL expression of SpatialCoordinate, time and constants, a Python
        function f(x, t), or C expressions; see `plexgpu.essential`.
    components
        Those that are constrained; default: all.
    """
    if not isinstance(V, Space):
        raise TypeError("a condition is for a space of plexgpu.ufl.space()")
    return Essential(V, label, numbers, value, components)


def interpolate(spaces, given, vec, t=0.0):
    """Puts values into a global vector of a `DM`: an initial state.

    Parameters
    ----------
    spaces
        The space of each field, of a single field it alone.
    given
        A value for each, as for `essential`.
    vec
        The vector.
    t
        The time.
    """
    if isinstance(spaces, Space):
        spaces, given = [spaces], [given]
    project(spaces[0].dm, [values_of(V, v) for V, v in zip(spaces, given)], vec, t)
