"""What other libraries a process has beside: h5py with an HDF5 of its own, in both orders."""

import subprocess
import sys

import pytest

CODE = """
import {first}
import {second}
import h5py, numpy, os, tempfile
from petsc4py import PETSc
import plexgpu
folder = tempfile.mkdtemp()
v = PETSc.Vec().createWithArray(numpy.arange(5.0), comm=PETSc.COMM_SELF)
v.setName("v")
viewer = PETSc.ViewerHDF5().create(folder + "/vec.h5", "w", comm=PETSc.COMM_SELF)
viewer(v)
viewer.destroy()
with h5py.File(folder + "/vec.h5") as file:
    assert (file["v"][()] == numpy.arange(5.0)).all()
print("both work")
"""


@pytest.mark.parametrize("first, second", [("plexgpu", "h5py"), ("h5py", "plexgpu")])
def test_h5py(first, second):
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(first=first, second=second)], capture_output=True, text=True
    )
    assert "both work" in done.stdout, done.stderr
