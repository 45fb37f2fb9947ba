"""Builds plexgpu._plexgpu. PETSc is petsc4py's own; libplexgpu is, in this order,

PLEXGPU_DIR      a checkout that is built (build/lib), or the prefix of an installation (lib)
..               the checkout that this folder is in, if it is built
pkg-config       an installation, by plexgpu.pc
"""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy
import petsc4py
from Cython.Build import cythonize
from setuptools import Extension, setup

SONAME = "libplexgpu.so.0"
# One module for CPython 3.11, the first with buffers in its stable interface, and all later ones
STABLE = (
    sys.implementation.name == "cpython"
    and sys.version_info >= (3, 11)
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)


def petsc():
    """Compiler, and flags for PETSc's headers and library, as PETSc was configured."""
    config = petsc4py.get_config()
    folder = Path(config["PETSC_DIR"], config.get("PETSC_ARCH") or "")
    variables = {}
    for line in Path(folder, "lib/petsc/conf/petscvariables").read_text().splitlines():
        name, _, value = line.partition("=")
        variables[name.strip()] = value.strip()
    flags = shlex.split(variables.get("PETSC_CC_INCLUDES", ""))
    return variables["CC"], flags, str(folder / "lib")


def plexgpu():
    """Folders of plexgpu.h and of the library."""
    asked = os.environ.get("PLEXGPU_DIR")
    for root in [Path(asked)] if asked else [Path(__file__).resolve().parent.parent]:
        for lib in (root / "build/lib", root / "lib"):
            if (lib / SONAME).exists() and (root / "include/plexgpu.h").exists():
                return str(root / "include"), str(lib)
    if asked:
        raise SystemExit(f"PLEXGPU_DIR={asked} has neither build/lib/{SONAME} nor lib/{SONAME}: run make there")
    try:
        get = lambda name: subprocess.run(
            ["pkg-config", f"--variable={name}", "plexgpu"], check=True, capture_output=True, text=True
        ).stdout.strip()
        return get("includedir"), get("libdir")
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(
            "libplexgpu is not there: run make in the checkout, or install it and set PKG_CONFIG_PATH, "
            "or set PLEXGPU_DIR to a checkout or an installation"
        ) from None


compiler, petsc_flags, petsc_lib = petsc()
include, lib = plexgpu()
os.environ.setdefault("CC", compiler)
header = Path(include, "plexgpuversion.h")
version = re.search(r'PLEXGPU_VERSION +"(.*)"', header.read_text()).group(1)
extension = Extension(
    "plexgpu._plexgpu",
    ["src/plexgpu/_plexgpu.pyx"],
    depends=[str(p) for p in Path("src/plexgpu").glob("*.pxi")],
    include_dirs=[include, petsc4py.get_include(), numpy.get_include()],
    extra_compile_args=[*petsc_flags, "-O1", "-Wno-unused-function"],
    py_limited_api=STABLE,
    define_macros=[
        *([("Py_LIMITED_API", "0x030B0000")] if STABLE else []),
        ("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"),
        ("PLEXGPU_INCLUDE_FOLDER", f'"{include}"'),
    ],
    extra_link_args=[
        f"-L{lib}",
        f"-l:{SONAME}",
        f"-Wl,-rpath,{lib}",
        f"-L{petsc_lib}",
        "-lpetsc",
        f"-Wl,-rpath,{petsc_lib}",
    ],
)
setup(
    version=version,
    ext_modules=cythonize([extension], include_path=[petsc4py.get_include()], build_dir="build"),
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
)
