"""K and G of Knepley and Terrel (2011), section 3.2, for a look at what the tensor integration contracts.

The Jacobian of a simplex with straight sides, where g0 to g3 are constant, is a sum of integrals of reference
functions, K, times what the element and the form have, G. For test function i and trial function j, components c and g,
reference coordinates xi:

    A_ij = sum over c, g, mu, nu of K[i, c, mu, j, g, nu] G[c, mu, g, nu]
    K[i, c, mu, j, g, nu] = int over the reference element of d(phi_i)_c/dxi_mu d(phi_j)_g/dxi_nu

mu = 0 stands for the function itself, 1 to dim for its derivatives, and so does nu:

    G[c, 0, g, 0]   = |J| g0[c, g]
    G[c, 0, g, nu]  = |J| sum_e g1[c, g, e] dxi_nu/dx_e
    G[c, mu, g, 0]  = |J| sum_d g2[c, g, d] dxi_mu/dx_d
    G[c, mu, g, nu] = |J| sum_de dxi_mu/dx_d g3[c, g, d, e] dxi_nu/dx_e

The paper's Laplacian has g3 alone, G = |J| J^-1 J^-T, and K without the indices c and g.
"""

import ctypes

import numpy as np

from .._plexgpu import affine_cell, get_constants, tabulate
from .errors import Unsupported

_INT, _REAL = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)
_JACOBIAN = ctypes.CFUNCTYPE(
    None, *[ctypes.c_int] * 3, *[_INT] * 2, *[_REAL] * 3, *[_INT] * 2, *[_REAL] * 3, *[ctypes.c_double] * 2, _REAL,
    ctypes.c_int, *[_REAL] * 2,
)


class Tensors:
    """K and G of a problem's Jacobian, of `Problem.tensors`.

    `K(i, k)` and `G(i, k, cell)` are of test field i and trial field k, `element_matrix(cell)` is their sum. Constants
    are those of the moment of a call.
    """

    def __init__(self, problem):
        dm, depends = problem.dm, problem.facts["jacobian_dependence"]
        if depends:
            raise Unsupported(
                f"K and G are of a Jacobian that is constant, this one depends on {', '.join(depends)}: PlexGPU's own "
                "tensors expand it in a basis, see assembly.integration and docs/theory.md"
            )
        if problem.transient:
            raise Unsupported("K and G of a form with a time derivative: take the form of each part by itself")
        coordinates = dm.getCoordinateDM().getField(0)[0]
        curved = hasattr(coordinates, "getBasisSpace") and coordinates.getBasisSpace().getDegree()[0] > 1
        if not dm.isSimplex() or curved:
            raise Unsupported("K and G where cells are not affine: triangles and tetrahedra with straight sides alone")
        self.dm, self.dim, self._functions = dm, dm.getDimension(), {}
        for name, (kind, i, k, where) in problem.functions.items():
            if kind in ("g0", "g1", "g2", "g3"):
                address = problem.library[name].address
                self._functions.setdefault((i, k), {})[int(kind[1])] = (_JACOBIAN(address), problem.library)
        self._components = [dm.getField(f)[0].getNumComponents() for f in range(dm.getNumFields())]
        self._tables = [self._table(dm.getField(f)[0]) for f in range(dm.getNumFields())]

    @staticmethod
    def _table(fe):
        weights, values, gradients = tabulate(fe)
        return weights, np.concatenate([values[..., None], gradients], axis=-1)

    def blocks(self):
        """The pairs (i, k) of fields that the Jacobian has."""
        return sorted(self._functions)

    def K(self, i=0, k=0):
        """Integrals of reference functions, [functions of i][components][1 + dim][functions of k][components][1 + dim].

        By the quadrature of the `DM`'s elements, on PETSc's reference element, which has the edge length 2.
        """
        (weights, test), (_, trial) = self._tables[i], self._tables[k]
        return np.einsum("q,qicm,qjgn->icmjgn", weights, test, trial)

    def form(self, i=0, k=0):
        """The form's constants, [components of i][1 + dim][components of k][1 + dim] in coordinates x: g0 to g3."""
        Nc, Mc, dim = self._components[i], self._components[k], self.dim
        out = np.zeros((Nc, 1 + dim, Mc, 1 + dim))
        parts = {0: (0, 0), 1: (0, slice(1, None)), 2: (slice(1, None), 0), 3: (slice(1, None), slice(1, None))}
        shapes = {0: (Nc, Mc), 1: (Nc, Mc, dim), 2: (Nc, Mc, dim), 3: (Nc, Mc, dim, dim)}
        order = {0: (0, 1), 1: (0, 1, 2), 2: (0, 2, 1), 3: (0, 2, 1, 3)}
        for n, (function, _) in self._functions.get((i, k), {}).items():
            g = np.zeros(shapes[n])
            self._call(function, g)
            rows, columns = parts[n]
            out[:, rows, :, columns] = g.transpose(order[n])
        return out

    def _call(self, function, g):
        """g[] of a function that depends on no field; zeros where it asks for one."""
        Nf, total = len(self._components), sum(self._components)
        zeros, constants = np.zeros(total * (1 + self.dim) + 3), get_constants(self.dm)
        offsets = np.concatenate([[0], np.cumsum(self._components)]).astype(np.intc)
        gradients = (offsets * self.dim).astype(np.intc)
        real, int_ = (lambda a: a.ctypes.data_as(_REAL)), (lambda a: a.ctypes.data_as(_INT))
        u = real(zeros)
        function(
            self.dim, Nf, 0, int_(offsets), int_(gradients), u, u, u, int_(offsets), int_(gradients), u, u, u, 0.0, 0.0,
            u, len(constants), real(constants), real(g),
        )  # fmt: skip

    def G(self, i=0, k=0, cell=0):
        """What an element and the form have, [components of i][1 + dim][components of k][1 + dim]."""
        _, inverse, determinant = affine_cell(self.dm, cell)
        lift = np.eye(1 + self.dim)
        lift[1:, 1:] = inverse  # dxi_mu/dx_d
        return abs(determinant) * np.einsum("md,cdge,ne->cmgn", lift, self.form(i, k), lift)

    def element_matrix(self, cell=0):
        """K and G summed over c, g, mu, nu: the element matrix, fields one after the other, in PETSc's order."""
        sizes = [table.shape[1] for _, table in self._tables]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        out = np.zeros((offsets[-1], offsets[-1]))
        for i, k in self.blocks():
            block = np.einsum("icmjgn,cmgn->ij", self.K(i, k), self.G(i, k, cell))
            out[offsets[i] : offsets[i + 1], offsets[k] : offsets[k + 1]] = block
        return out
