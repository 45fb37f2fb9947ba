# cython: language_level=3, embedsignature=True, embedsignature.format=python, binding=False
"""PlexGPU's classes on petsc4py's, and what PETSc's Python lacks of PetscDS.

A file of the folder holds each part: calls of PETSc (petsc.pxi), words between processes (comm.pxi), functions of
points (functions.pxi), PetscDS and DM (ds.pxi), memory as arrays (arrays.pxi), meshes of
other codes (mesh.pxi), and the classes
(backend.pxi, assembly.pxi, dg.pxi, hdg.pxi).
"""

import builtins
import collections
import math
import os

import numpy

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New
from cpython.ref cimport PyObject, Py_DECREF, Py_INCREF
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from petsc4py.PETSc cimport (CHKERR, CHKERRMPI, MPI_Comm, DM, DMLabel, DS, FE, IS, KSP, Mat, Object, SNES, TS, Vec,
                             Viewer, GetComm, PetscDM, PetscDMLabel, PetscDS, PetscErrorCode, PetscFE, PetscIS,
                             PetscKSP, PetscMat, PetscObject, PetscSNES, PetscTS, PetscVec, PetscViewer,
                             PETSC_ERR_PYTHON, PETSC_SUCCESS, PyPetscType_Register)
from petsc4py import PETSc

include "petsc.pxi"
include "comm.pxi"
include "functions.pxi"
include "ds.pxi"
include "arrays.pxi"
include "mesh.pxi"
include "backend.pxi"
include "assembly.pxi"
include "dg.pxi"
include "hdg.pxi"
include "view.pxi"

CHKERR(PlexGPUInitializePackage())
