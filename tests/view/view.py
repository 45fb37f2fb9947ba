"""Looks at what tests/view/view.c has kept: view.py FOLDER [OTHER]. Pixels are compared with the fields that were drawn, and
with those of OTHER, from another number of processes; where there is vtk, VTKHDF files with their fields at random points."""
import struct
import sys
import zlib
from pathlib import Path

W, H, TOP, SIDE, FRAME, BASIC = 320, 240, 24, 96, 8, 33
failed = 0


def report(good, what, details=""):
    global failed
    print(f"{'ok' if good else 'not ok'} {what}" + ("" if good else f" ({details})"))
    failed += not good


def read(path):
    """Rows of pixels of a PNG with a palette; all sums are checked."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, stream, names = 8, b"", []
    while at < len(data):
        n, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + n]
        assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + n : at + 12 + n])[0]
        names.append(name)
        if name == b"IHDR":
            w, h, *kind = struct.unpack(">IIBBBBB", body)
            assert kind == [8, 3, 0, 0, 0]
        if name == b"IDAT":
            stream += body
        at += 12 + n
    assert names == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    rows = zlib.decompress(stream)
    assert len(rows) == h * (w + 1) and not any(rows[:: w + 1])
    return [rows[j * (w + 1) + 1 : (j + 1) * (w + 1)] for j in range(h)]


def points(rows, window):
    """x, y, and index of each pixel of the picture that has a colour."""
    w, h = W - SIDE - FRAME, H - TOP - FRAME
    scale = min(w / (window[1] - window[0]), h / (window[3] - window[2]))
    x0 = (window[0] + window[1] - w / scale) / 2
    y0 = (window[2] + window[3] + h / scale) / 2
    for j in range(h):
        for i in range(w):
            index = rows[j + TOP][i + FRAME]
            if index >= BASIC:
                yield x0 + (i + 0.5) / scale, y0 - (j + 0.5) / scale, index


def color(value, low, high):
    return BASIC + (255 - BASIC) * min(1, max(0, (value - low) / (high - low)))


def section(a, b):
    """(x, y, z) of the plane of hexahedra.png whose products with the axes of the picture are a and b."""
    n = (1, 0.3, 0.2)
    length = sum(c * c for c in n) ** 0.5
    n = [c / length for c in n]
    up = [-n[2] * c for c in n]
    up[2] += 1
    length = sum(c * c for c in up) ** 0.5
    up = [c / length for c in up]
    right = [up[1] * n[2] - up[2] * n[1], up[2] * n[0] - up[0] * n[2], up[0] * n[1] - up[1] * n[0]]
    if max(right, key=abs) < 0:
        right = [-c for c in right]
    offset = sum(p * c for p, c in zip((0.9, 1, 1.04), n))
    return [a * r + b * u + offset * c for r, u, c in zip(right, up, n)]


def linear(x, y, z=0):
    return 0.5 + x - 2 * y + 0.3 * z


folder = Path(sys.argv[1])
pictures = {
    "triangles": (lambda x, y: linear(x, y), -4, 4, (0, 1, 0, 1)),
    "hexahedra": (lambda a, b: linear(*section(a, b)), -4, 4, (-0.5, 2, -0.5, 2)),
    "dg": (lambda x, y: x, 0, 1, (0, 1, 0, 1)),
    "hdg0": (lambda x, y: x, 0, 1, (0, 1, 0, 1)),
}
for name, (field, low, high, window) in pictures.items():
    rows = read(folder / (name + ".png"))
    off, n = 0, 0
    for x, y, index in points(rows, window):
        off = max(off, abs(index - color(field(x, y), low, high)))
        n += 1
    report(off < 0.75 and n > 20000 and len(rows) == H, f"{name}.png: pixels", f"{n}, off by {off} colours")  # 0.5 is rounding
    if len(sys.argv) > 2:
        other = read(Path(sys.argv[2]) / (name + ".png"))
        unlike = sum(a != b for one, two in zip(rows, other) for a, b in zip(one, two))
        report(unlike <= 20, f"{name}.png: processes agree", f"{unlike} pixels do not")
report(len({(folder / f"step00{k}.png").read_bytes() for k in range(3)}) == 3, "pictures of steps differ")
for name in ("ts2", "snes1"):
    report(max(max(row) for row in read(folder / (name + ".png"))) == 255, f"{name}.png")

try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    print("skip VTKHDF files in VTK: this Python has no vtk (pip install vtk)")
    sys.exit(failed > 0)


def quadratic(x, t):
    x, y, z = x.T
    return t + x * x - 0.7 * x * y + 0.3 * y * z + 0.2 * y + z * z


types = {"triangle": 69, "quadrilateral": 70, "tetrahedron": 71, "hexahedron": 72, "triangle-jumps": 69}
for name, number in types.items():
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(folder / (name + ".vtkhdf")))
    reader.UpdateInformation()
    error, inside = 0.0, 0
    for step, t in enumerate((0.0, 0.5)):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        low, high = np.array(grid.GetBounds()).reshape(3, 2).T
        cloud = vtk.vtkPolyData()
        cloud.SetPoints(vtk.vtkPoints())
        cloud.GetPoints().SetDataTypeToDouble()
        for p in low + (high - low) * np.random.default_rng(7).random((200, 3)):
            cloud.GetPoints().InsertNextPoint(p)
        probe = vtk.vtkProbeFilter()
        probe.SetInputData(cloud)
        probe.SetSourceData(grid)
        probe.Update()
        data = probe.GetOutput().GetPointData()
        valid = vtk_to_numpy(data.GetArray("vtkValidPointMask")).astype(bool)
        x = vtk_to_numpy(cloud.GetPoints().GetData())[valid]
        inside += valid.sum()
        error = max(error, np.abs(vtk_to_numpy(data.GetArray("temperature"))[valid] - quadratic(x, t)).max())
        error = max(error, np.abs(vtk_to_numpy(data.GetArray("velocity"))[valid, 1] - linear(*x.T) - t * x[:, 0]).max())
    good = inside > 40 and error < 1e-9 and grid.GetCellType(0) == number
    report(good, f"VTK reads {name}.vtkhdf", f"{inside} points inside, difference {error:g}")
sys.exit(failed > 0)
