"""Numbers of a DM that pointwise functions read as constants[], live: a new value counts at the next evaluation."""

import numpy as np

from ._plexgpu import set_constants

CAPACITY = 1024  # numbers of a DM: their memory never moves, as boundary values in C point to it


class _Registry:
    """All numbers of a DM, in its attributes; does not know the DM."""

    def __init__(self):
        self.values, self.n = np.zeros(CAPACITY), 0


def registry(dm):
    found = dm.getAttr("__plexgpu_constants__")
    if found is None:
        found = _Registry()
        dm.setAttr("__plexgpu_constants__", found)
    return found


def apply(dm):
    """Gives the numbers to the discrete systems of a DM, which may have been made after them."""
    found = registry(dm)
    if found.n:
        set_constants(dm, found.values[: found.n])


def allocate(dm, value):
    """Room for a value behind the others: its offset in constants[]."""
    array, found = np.asarray(value, dtype=float), registry(dm)
    if found.n + array.size > CAPACITY:
        raise ValueError(f"more than {CAPACITY} numbers of constants")
    offset = found.n
    found.values[offset : offset + array.size] = array.ravel()
    found.n += array.size
    return offset


class Live:
    """What has a value among a DM's constants: `dm`, `offset`, `shape`."""

    @property
    def value(self):
        """The number, or the array of its shape."""
        size = int(np.prod(self.shape, dtype=int))
        array = registry(self.dm).values[self.offset : self.offset + size]
        return array.reshape(self.shape).copy() if self.shape else float(array[0])

    @value.setter
    def value(self, value):
        array = np.asarray(value, dtype=float)
        if array.shape != self.shape:
            raise ValueError(f"a value of shape {array.shape} for a constant of shape {self.shape}")
        registry(self.dm).values[self.offset : self.offset + array.size] = array.ravel()
        apply(self.dm)


class Constant(Live):
    """A constant of a `DM`: `constant.value = 2` needs no compilation, nor a new set-up.

    Parameters
    ----------
    dm
        The `DM`, whose pointwise functions find it at constants[constant.offset].
    value
        A number or an array.

    `DM`s that are made from this one, as multigrid makes them, have the value of that moment.
    """

    def __init__(self, dm, value):
        self.dm, self.shape, self.offset = dm, np.asarray(value, dtype=float).shape, allocate(dm, value)
        apply(dm)

    def __repr__(self):
        return f"Constant({self.value!r}, constants[{self.offset}])"
