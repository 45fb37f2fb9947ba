"""The stereographic projection of PlexSphere, and bilinear rasters, for the scripts of this folder"""
import h5py
import numpy as np

RADIUS = 6.37122e6
CENTER = (143.5, 38.0)  # longitude, latitude: -center of tohoku


def project(lon, lat, center=CENTER):
    """Degrees to x, y of the plane in m"""
    s1, c1 = np.sin(np.radians(center[1])), np.cos(np.radians(center[1]))
    s, c, angle = np.sin(np.radians(lat)), np.cos(np.radians(lat)), np.radians(np.asarray(lon) - center[0])
    near = 1 + s1 * s + c1 * c * np.cos(angle)
    return 2 * RADIUS / near * c * np.sin(angle), 2 * RADIUS / near * (c1 * s - s1 * c * np.cos(angle))


def position(x, y, center=CENTER):
    """x, y of the plane to longitude and latitude"""
    s1, c1 = np.sin(np.radians(center[1])), np.cos(np.radians(center[1]))
    a, b = np.asarray(x) / (2 * RADIUS), np.asarray(y) / (2 * RADIUS)
    r2 = a * a + b * b
    up, east, north = (1 - r2) / (1 + r2), 2 * a / (1 + r2), 2 * b / (1 + r2)
    return center[0] + np.degrees(np.arctan2(east, c1 * up - s1 * north)), np.degrees(np.arcsin(np.clip(s1 * up + c1 * north, -1, 1)))


class Raster:
    """values[lat][lon] of an HDF5 file, bilinear between its points, constant outside"""

    def __init__(self, path, names=("elevation", "lon", "lat")):
        with h5py.File(path) as file:
            self.values, self.lon, self.lat = (file[name][:].astype(float) for name in names)

    def __call__(self, lon, lat):
        lon, lat = np.clip(lon, self.lon[0], self.lon[-1]), np.clip(lat, self.lat[0], self.lat[-1])
        i = np.clip(np.searchsorted(self.lon, lon) - 1, 0, len(self.lon) - 2)
        j = np.clip(np.searchsorted(self.lat, lat) - 1, 0, len(self.lat) - 2)
        a, b = (lon - self.lon[i]) / (self.lon[i + 1] - self.lon[i]), (lat - self.lat[j]) / (self.lat[j + 1] - self.lat[j])
        v = self.values
        return (1 - b) * ((1 - a) * v[j, i] + a * v[j, i + 1]) + b * ((1 - a) * v[j + 1, i] + a * v[j + 1, i + 1])
