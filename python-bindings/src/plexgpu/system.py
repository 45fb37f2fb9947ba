"""A system of equations of one's own for `DG`, from pointwise functions in C."""

import os
import re
from pathlib import Path

import numpy as np
from petsc4py import PETSc

from ._plexgpu import include_folder, raise_together, register_system
from .compile import Library, write

MOST_NUMBERS = 4  # PLEX_DG_MAX_PARAMETER: of a constant
_NAME = re.compile(r"[A-Za-z_]\w*")


def folders():
    """Folders of the headers that a system is compiled with: the library's, and its device sources."""
    include = Path(include_folder())
    named = os.environ.get("PLEXGPU_SOURCE_DIR")
    places = ["cuda", "share/plexgpu/cuda", "build/share/plexgpu/cuda"]  # of a checkout, an installation, a bundle
    found = [Path(named)] if named else [include.parent / place for place in places]
    for sources in found:
        if (sources / "dg/dg_args.h").exists():
            return include, sources
    raise FileNotFoundError(
        f"PlexGPU's device sources are not in {' or '.join(map(str, found))}: set PLEXGPU_SOURCE_DIR to their folder"
    )


def check_name(name, what):
    """A name that can be one of C and of an option; else a ValueError."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{what} {name!r}: a name of letters, digits and _ that begins with no digit")
    return name


def _parameters(given, what, most):
    """Lines of C of constants or coefficients: their names, numbers, defaults."""
    lines = []
    for name, value in given.items():
        numbers = np.atleast_1d(np.asarray(value, dtype=float)).ravel()
        if not 1 <= numbers.size <= most:
            raise ValueError(f"{what} {check_name(name, what)} has {numbers.size} numbers: 1 to {most} can be")
        lines.append(f'  {{"{check_name(name, what)}", {numbers.size}, {{{", ".join(map(repr, numbers.tolist()))}}}}}')
    return ",\n".join(lines)


def _bounds(bounds, known):
    """Lines of C of what numbers have to be."""
    lines = []
    number = lambda v, default: default if v is None or not np.isfinite(v) else repr(float(v))
    for name, bound in bounds.items():
        if name not in known:
            raise ValueError(f"bounds of {name!r}, which is no constant nor coefficient: these are {', '.join(known)}")
        least, most = (0.0, None) if bound == "positive" else bound
        least, most = number(least, "-PETSC_INFINITY"), number(most, "PETSC_INFINITY")
        beyond = "PETSC_TRUE" if bound == "positive" else "PETSC_FALSE"
        lines.append(f'  {{"{name}", {least}, {most}, {beyond}, NULL}}')
    return ",\n".join(lines)


def _names(names):
    return ", ".join(f'"{name}"' for name in names)


class System:
    """A system of equations u_t + div F(u) = s, from a header of pointwise functions, for `DG`.

    Parameters
    ----------
    name
        For `DG`, its option -plex_dg_system and messages. A system of this name is replaced.
    source
        The header as C text, or a `pathlib.Path` of it: functions dg_flux(), dg_face() and so on, which docs/dg.md
        describes. The host and kernels compile the same text.
    fields
        Names of the fields, as many as PLEX_DG_NF of the header; where this depends on the dimension, those of 3D.
    boundaries
        Names of boundary conditions, in the order of dg_boundary().
    constants
        A dict of numbers, or arrays of up to four, the defaults of c[], one after the other. `DG.setConstant` and
        options -plex_dg_<name> change them.
    coefficients
        A dict of numbers, the defaults of k[] of each element. `DG.setCoefficients` changes them as well.
    bounds
        A dict of what constants and coefficients have to be: (least, most), None for no bound, or "positive". Else the
        set-up of a `DG` is a `PETSc.Error`.
    dim
        2 or 3: the header is of this dimension alone. Default: of both.
    comm
        The processes that use it; default: this one alone.

    It is compiled for the host once, and kept on disk. Collective; a `CompileError` has the compiler's text.

    Attributes: `name`; `path`, the header's file; `library`, the compiled `Library`.
    """

    def __init__(
        self,
        name,
        source,
        fields,
        *,
        boundaries=(),
        constants=None,
        coefficients=None,
        bounds=None,
        dim=None,
        comm=None,
    ):
        constants, coefficients = constants or {}, coefficients or {}
        self.name = check_name(name, "a system's name")
        if dim not in (None, 2, 3):
            raise ValueError(f"dim {dim}: 2, 3, or None for both")
        for what, names in (("field", fields), ("boundary condition", boundaries)):
            names = list(names)
            if isinstance(fields, str) or len(set(names)) < len(names):
                raise ValueError(f"names of each {what}, no two the same: {names}")
            [check_name(n, what) for n in names]
        comm, error = PETSc.COMM_SELF if comm is None else comm, None
        try:
            self.path = self._header(source)
            include, sources = folders()
        except OSError as e:
            error = e
        raise_together(comm, error)
        text = self._c_file(list(fields), list(boundaries), constants, coefficients, bounds or {}, dim)
        flags = ["-fno-math-errno", f"-I{include}", f"-I{sources}"]
        depends = "\n".join(p.read_text() for p in sorted((include / "plexgpu").glob("*.h")))
        self.library = Library(text, comm, flags=flags, depends=[self.path], version=depends)
        register_system(self.name, self.library["plex_dg_create"])

    def __repr__(self):
        return f"System({self.name!r}, {str(self.path)!r})"

    @staticmethod
    def _header(source):
        if isinstance(source, os.PathLike):
            if not Path(source).exists():
                raise FileNotFoundError(f"{source} is not there")
            return Path(source).resolve()
        return write(source, ".h")

    def _c_file(self, fields, boundaries, constants, coefficients, bounds, dim):
        known = [*constants, *coefficients]
        if len(set(known)) < len(known):
            raise ValueError(f"constants and coefficients of the same name: {', '.join(known)}")
        arrays = [
            f"static const char *const fields[] = {{{_names(fields)}}};",
            f"static const char *const kinds[{len(boundaries)}] = {{{_names(boundaries)}}};",
        ]
        used = dict(constants="PLEX_DG_NONE", coefficients="PLEX_DG_NONE")
        for what, given, most in (("constants", constants, MOST_NUMBERS), ("coefficients", coefficients, 1)):
            if given:
                used[what] = what
                lines = _parameters(given, what[:-1], most)
                arrays.append(f"static const PlexDGParameter {what}[] = {{\n{lines}\n}};")
        fill = [f"  PLEX_DG_SYSTEM_SET(system, fields, kinds, {used['constants']}, {used['coefficients']});"]
        if bounds:
            arrays.append(f"static const PlexDGBound bounds[] = {{\n{_bounds(bounds, known)}\n}};")
            fill.append("  PLEX_DG_SYSTEM_SET_BOUNDS(system, bounds);")
        fill.append(
            f"  PetscCheck(!system->host[0] || system->Nf <= {len(fields)}, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "
            f'"System {self.name} has %d fields in its header, and {len(fields)} names of fields", (int)system->Nf);'
        )
        only = f"#define PLEX_DG_ONLY {dim}\n" if dim else ""
        return (
            f'{only}#define PLEX_DG_POINTWISE "{self.path}"\n#include <plexgpu/dg_system.h>\n\n'
            + "\n".join(arrays)
            + "\n\nPETSC_EXTERN PetscErrorCode plex_dg_create(PlexDGSystem system);\n\n"
            + "PetscErrorCode plex_dg_create(PlexDGSystem system)\n{\n  PetscFunctionBegin;\n"
            + "\n".join(fill)
            + "\n  PetscFunctionReturn(PETSC_SUCCESS);\n}\n"
        )
