"""Reads DIM-DEGREE.vtkhdf of tests/dg/dgoutput.c with VTK and compares fields with the polynomial that was written: dgoutput.py FOLDER"""
import sys
from pathlib import Path

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def polynomial(dim, degree, t, x):
    """[points][6]"""
    k = np.arange(6)
    s = 0.2 + 0.1 * k + sum((0.5 - 0.3 * d + 0.07 * k) * x[:, d : d + 1] for d in range(dim))
    return t + s**degree - x[:, :1]


def probe(grid, points):
    cloud = vtk.vtkPolyData()
    cloud.SetPoints(vtk.vtkPoints())
    cloud.GetPoints().SetDataTypeToDouble()
    for p in points:
        cloud.GetPoints().InsertNextPoint(p)
    probed = vtk.vtkProbeFilter()
    probed.SetInputData(cloud)
    probed.SetSourceData(grid)
    probed.Update()
    data = probed.GetOutput().GetPointData()
    valid = vtk_to_numpy(data.GetArray("vtkValidPointMask")).astype(bool)
    return valid, np.hstack([vtk_to_numpy(data.GetArray(name)) for name in "EH"])


failed = 0
for path in sorted(Path(sys.argv[1]).glob("*.vtkhdf")):
    dim, degree = map(int, path.stem.split("-"))
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    error, inside = 0.0, 0
    for step, t in enumerate((0.0, 0.5)):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        low, high = np.array(grid.GetBounds()).reshape(3, 2).T
        points = low + (high - low) * np.random.default_rng(7).random((200, 3))
        valid, values = probe(grid, points)
        inside += valid.sum()
        error = max(error, np.abs(values - polynomial(dim, degree, t, points))[valid].max())
    good = inside > 100 and error < 1e-9 and grid.GetCellType(0) == (69 if dim == 2 else 71)
    print(f"{'ok' if good else 'not ok'} VTK reads {dim}D, degree {degree}" + ("" if good else f" ({inside} points inside, difference {error:g})"))
    failed += not good
sys.exit(failed > 0)
