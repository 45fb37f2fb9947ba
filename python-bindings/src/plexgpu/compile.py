"""C or C++ text compiled for the host: a shared object, loaded, and kept on disk by its content.

The folder is $XDG_CACHE_HOME/plexgpu/python (~/.cache/plexgpu/python). A name has the hash of text, compiler and PETSc,
so an object is compiled once. PLEXGPU_CC and PLEXGPU_CXX name other compilers than PETSc's.
"""

import ctypes
import functools
import hashlib
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

import petsc4py
from petsc4py import PETSc

from ._plexgpu import CompileError, raise_together


# language: environment variable, PETSc's variable, standard, suffix of a text's file
LANGUAGES = {"c": ("PLEXGPU_CC", "CC", "gnu11", ".c"), "c++": ("PLEXGPU_CXX", "CXX", "gnu++17", ".cpp")}


def language_of(source, language=None):
    """"c" or "c++": what is asked for, else by the name of a file."""
    if language is None:
        suffix = Path(source).suffix if isinstance(source, os.PathLike) else ""
        return "c++" if suffix in (".cpp", ".cc", ".cxx", ".C") else "c"
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} is none of {', '.join(LANGUAGES)}")
    return language


@functools.cache
def toolchain(language="c"):
    """Compiler and flags as lists of words, and a text that stands for both and for PETSc."""
    variable, key, standard, _ = LANGUAGES[language]
    config = petsc4py.get_config()
    folder = Path(config["PETSC_DIR"], config.get("PETSC_ARCH") or "")
    variables = {}
    for line in (folder / "lib/petsc/conf/petscvariables").read_text().splitlines():
        name, _, value = line.partition("=")
        variables[name.strip()] = value.strip()
    compiler = shlex.split(os.environ.get(variable) or variables.get(key, ""))
    if not compiler:
        raise CompileError(f"PETSc has no compiler for {language}: set {variable}")
    include = [f"-I{config['PETSC_DIR']}/include", f"-I{folder}/include"]
    include += [word for word in shlex.split(variables.get("PETSC_CC_INCLUDES", "")) if word not in include]
    flags = ["-O3", "-g", f"-std={standard}", "-fPIC", *include]
    link = ["-shared", f"-L{folder}/lib", f"-Wl,-rpath,{folder}/lib", "-lpetsc", "-lm"]
    try:
        version = subprocess.run([*compiler, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    except OSError as error:
        version = str(error)
    return compiler, flags, link, "\n".join([*compiler, version, *flags, *link, PETSc.Sys.getVersion().__repr__()])


@functools.cache
def _private():
    return Path(tempfile.mkdtemp(prefix="plexgpu-python-"))


def folder():
    """Where compiled objects and their texts are kept; a temporary one if others may write there."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(base, "plexgpu", "python")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
        if status.st_uid == os.getuid() and not status.st_mode & 0o022 and os.access(path, os.W_OK):
            return path
    except OSError:
        pass
    return _private()


def _whole(path, seen=None):
    """A file's text and those of the files that it includes from beside it, for the hash."""
    seen = set() if seen is None else seen
    path = Path(path).resolve()
    if path in seen or not path.exists():
        return ""
    seen.add(path)
    text = path.read_text()
    more = [_whole(path.parent / name, seen) for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M)]
    return "\n".join([text, *more])


def _write(path, text):
    """All of a file at once: another process sees the old one or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.replace(name, path)


def write(text, suffix):
    """A file that has a text, its name made of the text's hash: the path."""
    path = folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}{suffix}"
    if not path.exists():
        _write(path, text)
    return path


def _build(source, target, language="c", more=()):
    """Compiles; the compiler's text where it fails, else an empty one."""
    compiler, flags, link, _ = toolchain(language)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    os.close(handle)
    command = [*compiler, *flags, *more, "-o", name, str(source), *link]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        os.unlink(name)
        return f"{shlex.join(command)}: {error}; set {LANGUAGES[language][0]} to a compiler"
    if done.returncode:
        os.unlink(name)
        return f"{done.stderr.strip()}\n{shlex.join(command)}"
    os.replace(name, target)
    return ""


class Function:
    """A C function of a `Library`: `address` is what C gets."""

    def __init__(self, library, name, address):
        self.library, self.name, self.address = library, name, address

    def __repr__(self):
        return f"<C function {self.name} of {self.library.path}>"


class Library:
    """C functions, compiled and loaded.

    Parameters
    ----------
    source
        C or C++ text; or a `pathlib.Path` of a file, which may include others from beside it.
    language
        "c" or "c++", whose functions are extern "C"; default: by the name of a file, of a text "c".
    comm
        The processes that use it: the first one compiles, an error of one is raised on all. Collective.
    flags
        Further words of the compiler's command.
    depends
        Paths of files that the text includes: an object is compiled again after a change.
    version
        A text that stands for what else the object depends on.

    `library["name"]` is a `Function`. `path` is the C file, for the source of pointwise functions on a device; a text
    is written to one. Raises `CompileError` with the compiler's text.
    """

    def __init__(self, source, comm=None, *, language=None, flags=(), depends=(), version=""):
        comm, error, why = PETSc.COMM_SELF if comm is None else comm, None, ""
        try:
            self._find(source, language, flags, depends, version)
        except (OSError, ValueError, CompileError) as e:
            error = e
        raise_together(comm, error)
        text = None if isinstance(source, os.PathLike) else source
        for first in (True, False):  # then other machines, which have another folder
            if (comm.getRank() == 0) == first:
                why = self._make(text)
            raise_together(comm, CompileError(why) if why else None)
        try:
            self._library = ctypes.CDLL(str(self.object))
        except OSError as e:
            error = e
        raise_together(comm, error)

    def _find(self, source, language, flags, depends, version):
        """The language, and the paths of the text and of the object."""
        self.language, self._flags = language_of(source, language), list(flags)
        if isinstance(source, os.PathLike):
            self.path = Path(source).resolve()
            content = f"{self.path}\n{_whole(self.path)}"
            if not self.path.exists():
                raise FileNotFoundError(f"{source} is not there")
        else:
            self.path, content = None, source
        words = [content, toolchain(self.language)[3]]
        if flags or depends or version:
            words += [*flags, *map(_whole, depends), version]
        key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]
        self.object = folder() / f"{key}.so"
        if self.path is None:
            self.path = folder() / f"{key}{LANGUAGES[self.language][3]}"

    def _make(self, text):
        if text is not None and not self.path.exists():
            _write(self.path, text)
        return "" if self.object.exists() else _build(self.path, self.object, self.language, self._flags)

    def __getitem__(self, name):
        try:
            return Function(self, name, ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value)
        except AttributeError:
            raise KeyError(f"{self.path} has no function {name} that is not static") from None

    def __contains__(self, name):
        return hasattr(self._library, name)
