"""Pointwise functions of a DM's discrete system from C text or a C file."""

import os

from . import _plexgpu
from ._plexgpu import Assembly, Values, add_boundary, field_components, keep
from .compile import Library, language_of
from .constants import Constant, apply, registry

_POINT = (
    "PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], "
    "const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], "
    "const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, "
)
_END = "PetscInt numConstants, const PetscScalar constants[], PetscScalar "

PARAMETERS = {
    "RESIDUAL": f"{_POINT}const PetscReal x[], {_END}f[]",
    "JACOBIAN": f"{_POINT}PetscReal u_tShift, const PetscReal x[], {_END}g[]",
    "BD_RESIDUAL": f"{_POINT}const PetscReal x[], const PetscReal n[], {_END}f[]",
    "BD_JACOBIAN": f"{_POINT}PetscReal u_tShift, const PetscReal x[], const PetscReal n[], {_END}g[]",
}
VALUE = "PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar u[], void *ctx"



def _header(language):
    """What precedes a text: PETSc's headers, and the parameter lists by name."""
    extern = 'extern "C" ' if language == "c++" else ""
    lines = [f"#define {macro}(name) {extern}void name({text})\n" for macro, text in PARAMETERS.items()]
    return "#include <petscds.h>\n" + "".join(lines)


HEADER = _header("c")


def _names(constants):
    """Lines of C that give constants their names: a number, or a pointer to an array."""
    return "".join(
        f"#define {name} {f'(&constants[{c.offset}])' if c.shape else f'constants[{c.offset}]'}\n"
        for name, c in constants.items()
    )


def c_value(dm, expressions, Nc, names=None):
    """`Values` of C expressions of x[], t, dim and the DM's constants.

    Parameters
    ----------
    expressions
        One C expression for each of the Nc components, or one for all; or the body of a function that sets u[0..Nc-1].
    names
        Constants by name.
    """
    if isinstance(expressions, str) and ";" in expressions:
        body = expressions
    else:
        each = [expressions] * Nc if isinstance(expressions, str) else list(expressions)
        if len(each) != Nc:
            raise ValueError(f"{len(each)} expressions for {Nc} components")
        body = "\n".join(f"  u[{k}] = {e};" for k, e in enumerate(each))
    text = (
        f"#include <petscsys.h>\n{_names(names or {})}PetscErrorCode plex_value({VALUE})\n{{\n"
        f"  const PetscScalar *constants = (const PetscScalar *)ctx;\n\n  (void)constants;\n{body}\n"
        "  return PETSC_SUCCESS;\n}\n"
    )
    library = Library(text, dm.getComm())
    return Values(library["plex_value"], Nc, library, registry(dm).values.ctypes.data)


def values(dm, value, field, names=None):
    """`Values` of a field: numbers, a Python function f(x, t), C text, or what is `Values` already."""
    if isinstance(value, Values):
        return value
    Nc = field_components(dm, field)
    if isinstance(value, str) or isinstance(value, (list, tuple)) and any(isinstance(v, str) for v in value):
        return c_value(dm, value if isinstance(value, str) else [str(v) for v in value], Nc, names)
    return Values(value, Nc)


def label_of(dm, name):
    """A label of a DM by name, an error if it is not there."""
    if not dm.hasLabel(name):
        known = [dm.getLabelName(k) for k in range(dm.getNumLabels())]
        raise ValueError(f"the DM has no label {name!r}; it has {', '.join(known)}")
    return dm.getLabel(name)


def add_source(assembly, path):
    """Adds a C file to those that an assembly takes pointwise functions from."""
    have = (assembly.source or "").split(",") if assembly.source else []
    if str(path) not in have:
        assembly.source = ",".join([*have, str(path)])


class Pointwise:
    """Pointwise functions of a `DM`, out of C or C++.

    Parameters
    ----------
    dm
        The `DM`, its fields and discrete system made.
    source
        C text, or a `pathlib.Path` of a C file. In a text PETSc's headers are there, constants have their names, and
        RESIDUAL(f1) { ... } stands for a function f1 with PETSc's parameters, of which the result is f[]; JACOBIAN(g3),
        result g[]; BD_RESIDUAL and BD_JACOBIAN with the normal n[]. Functions written out are taken as they are.
    constants
        A dict of numbers or arrays, which become `Constant`s of these names; in a file they are constants[], in this
        order.
    language
        "c" or "c++"; default: by the name of a file, of a text "c". Functions of C++, of which functions written out
        are extern "C", are for the host: PETSc's own assembly and backend "host". Kernels need C.

    The source is compiled for the host once and kept on disk; a device compiles it from `path`. Collective on the
    `DM`; raises `CompileError` on all processes. The `DM` keeps the compiled functions.
    """

    def __init__(self, dm, source, constants=None, language=None):
        self.dm, language = dm, language_of(source, language)
        self.constants = {name: Constant(dm, value) for name, value in (constants or {}).items()}
        if not isinstance(source, os.PathLike):
            source = f'{_header(language)}{_names(self.constants)}#line 1 "text"\n{source}'
        self.library = keep(dm, Library(source, dm.getComm(), language=language))

    @property
    def path(self):
        """The C file, of a text the one that it was written to."""
        return self.library.path

    def __getitem__(self, name):
        """A function by name."""
        return self.library[name]

    def _functions(self, names):
        return [self.library[name] if isinstance(name, str) else name for name in names]

    def residual(self, field, f0=None, f1=None):
        """Sets functions by name: of a field's residual; see `plexgpu.set_residual`."""
        _plexgpu.set_residual(self.dm, field, *self._functions([f0, f1]))

    def jacobian(self, field, trial, g0=None, g1=None, g2=None, g3=None):
        """Sets functions of the Jacobian by name; see `plexgpu.set_jacobian`."""
        _plexgpu.set_jacobian(self.dm, field, trial, *self._functions([g0, g1, g2, g3]))

    def jacobian_preconditioner(self, field, trial, g0=None, g1=None, g2=None, g3=None):
        """Sets functions of the preconditioner's matrix by name; see `plexgpu.set_jacobian_preconditioner`."""
        _plexgpu.set_jacobian_preconditioner(self.dm, field, trial, *self._functions([g0, g1, g2, g3]))

    def dynamic_jacobian(self, field, trial, g0=None, g1=None, g2=None, g3=None):
        """Sets functions of the Jacobian for u_t by name; see `plexgpu.set_dynamic_jacobian`."""
        _plexgpu.set_dynamic_jacobian(self.dm, field, trial, *self._functions([g0, g1, g2, g3]))

    def rhs_residual(self, field, f0=None, f1=None):
        """Sets functions of the explicit part by name, and makes the field explicit; see `plexgpu.set_rhs_residual`."""
        _plexgpu.set_rhs_residual(self.dm, field, *self._functions([f0, f1]))
        _plexgpu.set_implicit(self.dm, field, False)

    def objective(self, field, function):
        """Sets the function of a field that `plexgpu.integrate` integrates, by name."""
        _plexgpu.set_objective(self.dm, field, *self._functions([function]))

    def exact(self, field, value, derivative=None):
        """Sets the exact solution of a field, value and derivative in time as for `essential`; see
        `plexgpu.set_exact_solution`."""
        made = [values(self.dm, v, field, self.constants) for v in (value, derivative) if v is not None]
        return _plexgpu.set_exact_solution(self.dm, field, *made)

    def project(self, dm, functions, source, vec, t=0.0):
        """Puts functions of fields into a vector, by name; see `plexgpu.project_field`."""
        functions = functions if isinstance(functions, (list, tuple)) else [functions]
        _plexgpu.project_field(dm, self._functions(functions), source, vec, t)

    def integrate_boundary(self, vec, label, numbers, functions):
        """The integral of functions over the facets where a label has these numbers, by name: [fields]; see
        `plexgpu.integrate_boundary`."""
        functions = functions if isinstance(functions, (list, tuple)) else [functions]
        return _plexgpu.integrate_boundary(self.dm, vec, label_of(self.dm, label), numbers, self._functions(functions))

    def natural(self, label, numbers, field, f0=None, f1=None, jacobians=None):
        """Adds what is integrated over facets.

        Parameters
        ----------
        label, numbers
            Name of a label and its value or values.
        field
            The test function's.
        f0, f1
            Functions of the residual, by name.
        jacobians
            A dict {trial field: (g0, g1, g2, g3)} of names.
        """
        found = label_of(self.dm, label)
        numbers = [numbers] if isinstance(numbers, int) else list(numbers)
        number, _ = add_boundary(self.dm, f"natural {label} {numbers}", found, numbers, field, essential=False)
        for value in numbers:
            _plexgpu.set_bd_residual(self.dm, number, found, value, field, *self._functions([f0, f1]))
            for trial, names in (jacobians or {}).items():
                names = [*names, None, None, None, None][:4]
                _plexgpu.set_bd_jacobian(self.dm, number, found, value, field, trial, *self._functions(names))

    def essential(self, label, numbers, field=0, value=0.0, components=()):
        """Adds an essential condition; see `essential`, which this calls."""
        return essential(self.dm, label, numbers, field, value, components, self.constants)

    def assembly(self, ts=False, backend=None):
        """Lets a `SNES` (or a `TS`) on the `DM` assemble with PlexGPU, and names the source; the `Assembly`.

        Call it once all conditions are there. backend: "petsc" for PETSc's own assembly, the result is None then; or
        one of PlexGPU, "auto", "host", "cuda", "emulate"; None: options. C++ is for "petsc" and "host", a ValueError
        with others.
        """
        if self.library.language != "c" and backend not in ("petsc", "host"):
            raise ValueError(f'kernels are made from C: {self.path} is {self.library.language}, take backend "host"')
        apply(self.dm)
        if backend == "petsc":
            (_plexgpu.set_ts_local_petsc if ts else _plexgpu.set_snes_local_petsc)(self.dm)
            return None
        (_plexgpu.set_ts_local if ts else _plexgpu.set_snes_local)(self.dm)
        out = Assembly.from_dm(self.dm)
        if self.library.language == "c":
            add_source(out, self.path)
        if backend is not None:
            out.backend = backend
        return out


def essential(dm, label, numbers, field=0, value=0.0, components=(), names=None):
    """Adds an essential boundary condition, and returns its `Values`.

    Parameters
    ----------
    dm
        The `DM`, its fields and discrete system made.
    label, numbers
        Name of a label, and its value or values there.
    field
        The field's number.
    value
        A number, or one for each component, live by `values.value = 2`; a Python function f(x, t); a C expression of
        x[], t and constants, or a list of one for each component, or statements that set u[]. PlexGPU evaluates it once
        a solve and time.
    components
        Those that are constrained; default: all. Values are still those of all components.
    names
        A dict of `Constant`s that C text may name.

    Collective.
    """
    found = label_of(dm, label)
    return add_boundary(
        dm,
        f"essential {label} {numbers} {field} {tuple(components)}",
        found,
        numbers,
        field,
        values(dm, value, field, names),
        components=components,
    )[1]
