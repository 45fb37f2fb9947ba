"""Makes the mesh of the sea for tohoku by Gmsh:    pip install gmsh shapely    (and numpy, h5py, matplotlib's contourpy)

    mesh.py OCEAN.h5 [-o PACIFIC.msh] [--factor F] [--source KM] [--region W E S N] [--depth M]

The coast is the contour of a depth of --depth m (20) of the raster that data.py wrote. Triangles have sides of
40 km times the root of depth/5500 m, so that a wave of given period has the same number of them everywhere, not less
than 12 km within 500 km of the source and 24 km farther away, and not more than 18 km within 200 km of it, where the
first wave is as narrow as the subfaults; all times --factor: 1 is about twelve thousand triangles. Within these 200 km
--source is the most, whatever the factor.
Coordinates are m on the plane of PlexSphere; physical curves: 1 coast, 2 open sea.
"""
import argparse
import os
import tempfile

import contourpy
import gmsh
import numpy as np
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

from sphere import Raster, position, project

DEEP, NEAR, FAR = 40e3, 12e3, 24e3  # m
SOURCE, AROUND = (143.0, 38.2), 500e3  # degrees, m
ABOVE, LIFTED = 18e3, 200e3  # m


def frame_of(region):
    """The region's outline on the plane: a side every half degree"""
    west, east, south, north = region
    line = []
    corners = [(west, south), (east, south), (east, north), (west, north)]
    for a, b in zip(corners, corners[1:] + corners[:1]):
        n = max(1, int(np.ceil(2 * max(abs(b[0] - a[0]), abs(b[1] - a[1])))))
        line += [(a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n) for k in range(n)]
    return Polygon(np.stack(project(*np.array(line).T), -1))


def sea(raster, region, depth, detail):
    """The part of the frame that is deeper than `depth`, without what is smaller than `detail`, and the frame's outline"""
    frame = frame_of(region)
    step = 0.05
    lon, lat = np.arange(region[0] - 0.5, region[1] + 0.5, step), np.arange(region[2] - 0.5, region[3] + 0.5, step)
    grid = np.meshgrid(lon, lat)
    generator = contourpy.contour_generator(lon, lat, -raster(*grid), fill_type="OuterOffset")
    parts = []
    for points, offsets in zip(*generator.filled(depth, 1e6)):
        rings = [np.stack(project(*points[a:b].T), -1) for a, b in zip(offsets[:-1], offsets[1:])]
        parts.append(Polygon(rings[0], rings[1:]).buffer(0))
    water = unary_union(parts).intersection(frame.buffer(5 * detail))
    water = water.simplify(detail / 3).buffer(-detail / 2).buffer(detail).buffer(-detail / 2).simplify(detail / 3).intersection(frame)
    middle = Point(*project(SOURCE[0] + 3, SOURCE[1]))
    if water.geom_type != "Polygon":
        water = next(part for part in water.geoms if part.contains(middle))
    islands = [ring for ring in water.interiors if Polygon(ring).area > 4 * detail**2]
    return orient(Polygon(water.exterior, islands), 1.0), LineString(frame.exterior.coords)


def spaced(ring, least):
    """The points of a ring without those nearer to the one before than `least`"""
    points = np.array(ring.coords)[:-1]
    kept = [points[0]]
    for p in points[1:]:
        if np.hypot(*(p - kept[-1])) >= least:
            kept.append(p)
    if len(kept) > 3 and np.hypot(*(kept[-1] - kept[0])) < least:
        kept.pop()
    return kept


def sizes(raster, bounds, factor, above):
    """The wanted size, at most `above` over the source, on a regular grid of the plane, x first, and its origin and step; it
    grows by 0.3 at most per distance"""
    step = 5e3 * max(factor, 0.5)
    x, y = (np.arange(bounds[d] - 2 * step, bounds[d + 2] + 3 * step, step) for d in (0, 1))
    X, Y = np.meshgrid(x, y, indexing="ij")
    depth = np.maximum(-raster(*position(X, Y)), 50.0)
    source = project(*SOURCE)
    away = np.hypot(X - source[0], Y - source[1])
    size = factor * np.clip(DEEP * np.sqrt(depth / 5500.0), np.where(away < AROUND, NEAR, FAR), DEEP)
    size[away < LIFTED] = np.minimum(size[away < LIFTED], above)
    for _ in range(int(factor * DEEP / (0.3 * step)) + 10):
        for axis in (0, 1):
            for way in (1, -1):
                near = np.roll(size, way, axis)
                near[(0 if way == 1 else -1,) if axis == 0 else (slice(None), 0 if way == 1 else -1)] = np.inf
                size = np.minimum(size, near + 0.3 * step)
    return size, (x[0], y[0]), step


def write_field(file, size, origin, step):
    file.write(f"{origin[0]} {origin[1]} -1\n{step} {step} 1\n{size.shape[0]} {size.shape[1]} 3\n")
    for value in np.repeat(size.ravel(), 3):
        file.write(f"{value:.1f}\n")


def build(water, outline, detail, field, output):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    model = gmsh.model.geo
    loops, curves = [], {1: [], 2: []}
    for ring in (water.exterior, *water.interiors):
        points = spaced(ring, detail / 2)
        tags = [model.addPoint(*p, 0) for p in points]
        lines = []
        for k, p in enumerate(points):
            q = points[(k + 1) % len(points)]
            lines.append(model.addLine(tags[k], tags[(k + 1) % len(tags)]))
            on = max(outline.distance(Point(*p)), outline.distance(Point(*q)), outline.distance(Point(*(p + q) / 2)))
            curves[2 if on < detail / 4 else 1].append(lines[-1])
        loops.append(model.addCurveLoop(lines))
    surface = model.addPlaneSurface(loops)
    model.synchronize()
    for tag, lines in curves.items():
        if lines:
            gmsh.model.addPhysicalGroup(1, lines, tag)
    gmsh.model.addPhysicalGroup(2, [surface], 1)
    background = gmsh.model.mesh.field.add("Structured")
    gmsh.model.mesh.field.setString(background, "FileName", field)
    gmsh.model.mesh.field.setNumber(background, "TextFormat", 1)
    gmsh.model.mesh.field.setAsBackgroundMesh(background)
    for name in ("MeshSizeExtendFromBoundary", "MeshSizeFromPoints", "MeshSizeFromCurvature"):
        gmsh.option.setNumber("Mesh." + name, 0)
    gmsh.model.mesh.generate(2)
    gmsh.write(output)
    triangles, _ = gmsh.model.mesh.getElementsByType(2)
    quality, inner = gmsh.model.mesh.getElementQualities(triangles), gmsh.model.mesh.getElementQualities(triangles, "innerRadius")
    gmsh.finalize()
    print(f"{output}: {len(triangles)} triangles, {len(curves[1])} sides of coast and {len(curves[2])} open, least quality {quality.min():.2f}, least inner radius {inner.min() / 1e3:.2f} km")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raster")
    parser.add_argument("-o", dest="output", default="pacific.msh")
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--source", type=float, metavar="KM", help="default: 18 times the factor")
    parser.add_argument("--region", nargs=4, type=float, default=(137, 160, 28, 47), metavar=("W", "E", "S", "N"))
    parser.add_argument("--depth", type=float, default=20.0)
    options = parser.parse_args()
    raster = Raster(options.raster)
    detail = NEAR * options.factor
    water, outline = sea(raster, options.region, options.depth, detail)
    with tempfile.TemporaryDirectory() as folder:
        field = os.path.join(folder, "sizes")
        with open(field, "w") as file:
            above = ABOVE * options.factor if options.source is None else 1e3 * options.source
            write_field(file, *sizes(raster, water.bounds, options.factor, above))
        build(water, outline, detail, field, options.output)


if __name__ == "__main__":
    main()
