"""Writes the raster of the sea's bottom that tohoku, mesh.py and figures.py read: elevation[lat][lon] in m, and its axes lon, lat in degrees

    data.py [-o OCEAN.h5] [--from FILE.nc] [--region W E S N]

Without --from it cuts the region out of ETOPO1 (Amante and Eakins 2009, NOAA, public domain) at 6 arc minutes, as the
Python package pybacktrack has it:    pip install --no-deps pybacktrack
--from takes another NetCDF 4 file, as of ETOPO1 at 1 arc minute, ETOPO 2022 or GEBCO.
"""
import argparse
import importlib.util
import os
import sys

import h5py
import numpy as np

NAMES = (("elevation", "z", "Band1"), ("lon", "longitude", "x"), ("lat", "latitude", "y"))


def package_file():
    found = importlib.util.find_spec("pybacktrack")
    if found is None:
        sys.exit("data.py: there is no Python package pybacktrack, which has ETOPO1: pip install --no-deps pybacktrack, or name a file with --from")
    return os.path.join(os.path.dirname(found.origin), "bundle_data", "topography", "ETOPO1_0.1.grd")


def cut(path, region):
    """lon, lat ascending and elevation[lat][lon] of the part of a file that covers the region"""
    with h5py.File(path) as file:
        try:
            values, lon, lat = (next(file[name] for name in names if name in file) for names in NAMES)
        except StopIteration:
            sys.exit(f"data.py: {path} lacks elevation, lon or lat: it has {', '.join(file)}")
        lon, lat = lon[:], lat[:]
        if not (lon[0] <= region[0] and lon[-1] >= region[1] and lat.min() <= region[2] and lat.max() >= region[3]):
            sys.exit(f"data.py: {path} covers longitudes {lon[0]:g} to {lon[-1]:g} and latitudes {lat.min():g} to {lat.max():g}, not {region}")
        ends = np.searchsorted(lon, region[0], "right") - 1, np.searchsorted(lon, region[1]) + 1
        rows = np.flatnonzero((lat >= region[2] - 0.2) & (lat <= region[3] + 0.2))
        part = values[rows[0] : rows[-1] + 1, ends[0] : ends[1]].astype(np.float32)
        lon, lat = lon[ends[0] : ends[1]], lat[rows[0] : rows[-1] + 1]
    return (lon, lat, part) if lat[0] < lat[-1] else (lon, lat[::-1], part[::-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output", default="ocean.h5")
    parser.add_argument("--from", dest="path")
    parser.add_argument("--region", nargs=4, type=float, default=(135, 165, 25, 50), metavar=("W", "E", "S", "N"))
    options = parser.parse_args()
    path = options.path or package_file()
    lon, lat, elevation = cut(path, options.region)
    with h5py.File(options.output, "w") as file:
        file["lon"], file["lat"], file["elevation"] = lon, lat, elevation
        file["elevation"].attrs["units"] = "m"
        file["elevation"].attrs["source"] = f"ETOPO1, NOAA, public domain, from {os.path.basename(path)}" if options.path is None else os.path.basename(path)
    print(f"{options.output}: {len(lat)} x {len(lon)} elevations, {elevation.min():.0f} to {elevation.max():.0f} m, {lon[0]:g} to {lon[-1]:g} E, {lat[0]:g} to {lat[-1]:g} N")


if __name__ == "__main__":
    main()
