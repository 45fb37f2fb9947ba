#!/usr/bin/env bash
# examples/tohoku without the network: a hump of water beside the exact solution, subfaults from a list, its scripts, and what bad input gets. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
. tests/verdict
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip tohoku: this PETSc was built without HDF5"
  exit 0
fi
python=${PLEXGPU_PYTHON:-python3}
if ! "$python" -c 'import h5py, matplotlib' 2>/dev/null; then
  echo "skip tohoku: there is no Python with h5py, which writes its rasters"
  exit 0
fi
tohoku=$PWD/build/examples/tohoku scripts=$PWD/examples/tohoku backends=${PLEXGPU_TEST_BACKENDS:-host emulate}
export PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1

value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$2"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a != "" && b != "" && a - b <= most && b - a <= most) }'; }
run() { timeout 250 "$@" >output 2>&1; }
good() { [ "$?" -eq 0 ] && echo yes; }

# A sea 4 km deep round the equator, whose file has other names and descends; a hump of 1 m; an ocean with a coast at 141 E and an island
"$python" - <<'END'
import h5py, numpy as np
lon, lat = np.linspace(138, 149, 111), np.linspace(5, -5, 101)
with h5py.File("flat.nc", "w") as file:
    file["longitude"], file["latitude"], file["z"] = lon, lat, np.full((101, 111), -4000.0)
u, v = np.linspace(141, 146, 251), np.linspace(-2.5, 2.5, 251)
R, d = 6.37122e6, np.pi / 180
cosine = np.cos(v * d)[:, None] * np.cos((u - 143.5) * d)[None, :]
with h5py.File("hump.h5", "w") as file:
    file["where_x"], file["where_y"], file["hump"] = u, v, np.exp(-((R * np.arccos(np.clip(cosine, -1, 1)) / 60e3) ** 2) / 2)
lon, lat = np.linspace(139, 149, 101), np.linspace(33, 43, 101)
X, Y = np.meshgrid(lon, lat)
with h5py.File("coast.nc", "w") as file:
    file["lon"], file["lat"] = lon, lat
    file["z"] = np.minimum(4000, 2000 * (X - 141.05)) * -1 + 5000 * np.exp(-((X - 146) ** 2 + (Y - 38) ** 2) / 0.5)
END
"$python" "$scripts/data.py" --from flat.nc -o flat.h5 --region 139 148 -4.5 4.5 >output 2>&1
verdict "a raster cut out of a file, south first" "$(good)"
! "$python" "$scripts/data.py" --from flat.nc -o no.h5 --region 100 148 -4.5 4.5 >output 2>&1 && grep -q 'covers longitudes 138 to 149' output
verdict "a region that the file lacks" "$(good)"

# eta(r, t) of a hump exp(-r^2/(2 s^2)) on the plane: the integral of s^2 exp(-k^2 s^2/2) cos(c k t) J0(k r) k over k;
# where the ground rises for 300 s, the mean of the 300 s before
printf '146 0 # east\n143.5 2\n' >gauges.txt
"$python" - >exact <<'END'
import numpy as np
s, c, R = 60e3, np.sqrt(9.81 * 4000), 6.37122e6
k = np.linspace(0, 8 / s, 1601)
theta = (np.arange(400) + 0.5) * np.pi / 400
for degrees in (2.5, 2.0):
    J0 = np.cos(np.outer(k * R * np.radians(degrees), np.sin(theta))).mean(axis=1)
    t = np.arange(0, 1800, 2.5)
    eta = np.array([np.trapezoid(s * s * np.exp(-((k * s) ** 2) / 2) * np.cos(c * k * x) * J0 * k, k) for x in t])
    slow = np.convolve(eta, np.ones(120) / 120)[: t.size]
    print(eta.max(), t[eta.argmax()] / 60, slow.max(), t[slow.argmax()] / 60)
END
flat="-raster flat.h5 -center 143.5,0 -box 139.5,147.5,-4,4 -cells 20 -time 30 -frames 2 -gauges gauges.txt"
hump="$flat -uplift hump.h5 -uplift_names hump,where_x,where_y"
first=
for backend in $backends; do
  # shellcheck disable=SC2086 # options are words
  run "$tohoku" $hump -plex_dg_backend "$backend"
  if [ -z "$first" ]; then
    read -r h0 t0 s0 r0 <exact && read -r h1 t1 s1 r1 < <(tail -n 1 exact) && near "$(value highest0 output)" "$h0" 0.01 && near "$(value minute0 output)" "$t0" 0.4 && near "$(value highest1 output)" "$h1" 0.01 && near "$(value minute1 output)" "$t1" 0.4
    verdict "a hump at two gauges as the exact solution, $backend" "$(good)"
    cp output first
    first=$backend
  else
    near "$(value highest0 output)" "$(value highest0 first)" 1e-8 && near "$(value highest1 output)" "$(value highest1 first)" 1e-8
    verdict "a hump, $backend as $first" "$(good)"
  fi
done
# shellcheck disable=SC2086
run ${MPIEXEC:-mpiexec} -n 2 "$tohoku" $hump -plex_dg_backend "$first" && near "$(value highest0 output)" "$(value highest0 first)" 1e-8 && near "$(value highest1 output)" "$(value highest1 first)" 1e-8
verdict "a hump on two processes" "$(good)"

# A mesh of triangles and quadrilaterals as Gmsh writes it: 20 x 20 squares of the plane, every third cut in two, a coast in the west
"$python" - >mixed.msh <<'END'
n, half = 20, 444e3
at = lambda i, j: j * (n + 1) + i + 1
squares = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for j in range(n) for i in range(n)]
sides = [[(at(k, 0), at(k + 1, 0)), (at(k, n), at(k + 1, n)), (at(n, k), at(n, k + 1)), (at(0, k), at(0, k + 1))] for k in range(n)]
cells = [(1, 1 if west == 3 else 2, *side) for row in sides for west, side in enumerate(row)]
for k, (a, b, c, d) in enumerate(squares):
    cells += [(2, 3, a, b, c), (2, 3, a, c, d)] if k % 3 == 0 else [(3, 3, a, b, c, d)]
print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n", (n + 1) ** 2, sep="")
for v in range((n + 1) ** 2):
    print(v + 1, (v % (n + 1) * 2 / n - 1) * half, (v // (n + 1) * 2 / n - 1) * half, 0)
print("$EndNodes\n$Elements\n", len(cells), sep="")
for k, (kind, tag, *nodes) in enumerate(cells):
    print(k + 1, kind, 2, tag, tag, *nodes)
print("$EndElements")
END
mixed="-raster flat.h5 -center 143.5,0 -mesh mixed.msh -time 30 -frames 2 -gauges gauges.txt -uplift hump.h5 -uplift_names hump,where_x,where_y"
for backend in $backends; do
  # shellcheck disable=SC2086
  run "$tohoku" $mixed -plex_dg_backend "$backend" -plex_dg_view -output mixed && grep -q "266 quadrilaterals" output && near "$(value highest0 output)" "$h0" 0.01 && near "$(value minute0 output)" "$t0" 0.4 && near "$(value highest1 output)" "$h1" 0.01 && near "$(value minute1 output)" "$t1" 0.4 && "$python" "$scripts/figures.py" mixed flat.h5 >>output 2>&1 && [ -s extrema.png ]
  verdict "triangles and quadrilaterals of a file, and a picture, $backend" "$(good)"
done

# The ground rises for a while, and the rupture spreads: at 100,000 km/s no slower than at once, from a place 4 degrees away at 4 km/s 111 s later
# shellcheck disable=SC2086
run "$tohoku" $hump -rise 300 -plex_dg_backend "$first" && near "$(value highest0 output)" "$s0" 0.01 && near "$(value minute0 output)" "$r0" 0.4 && near "$(value highest1 output)" "$s1" 0.01 && near "$(value minute1 output)" "$r1" 0.4
verdict "a hump that rises in 300 s, as the exact solution" "$(good)"
# shellcheck disable=SC2086
run "$tohoku" $hump -rupture 1e5 -hypocenter 143,1 -plex_dg_backend "$first" && near "$(value highest0 output)" "$(value highest0 first)" 1e-6 && near "$(value highest1 output)" "$(value highest1 first)" 1e-6
verdict "a rupture that is everywhere at once" "$(good)"
# shellcheck disable=SC2086
run "$tohoku" $hump -rupture 4 -hypocenter 147.5,0 -plex_dg_backend "$first" &&
  near "$(value minute1 output)" "$(awk -v t="$t1" 'BEGIN { print t + 111.19 / 60 }')" 0.4
verdict "a rupture that comes later" "$(good)"

# A fault, and its two halves along the strike, 25 km from its center: 25 km/R are 0.224826 degrees of latitude
echo "143.5 0 15000 100000 50000 0 14 90 10" >one.txt
printf '# halves\n143.5 0.224826 15000 50000 50000 0 14 90 10\n143.5 -0.224826 15000 50000 50000 0 14 90 10 # south\n' >two.txt
# shellcheck disable=SC2086
run "$tohoku" $flat -faults one.txt -plex_dg_backend "$first" && cp output first && run "$tohoku" $flat -faults two.txt -plex_dg_backend "$first" &&
  near "$(value highest0 output)" "$(value highest0 first)" 2e-4 && near "$(value highest1 output)" "$(value highest1 first)" 2e-4 && awk -v h="$(value highest0 output)" 'BEGIN { exit !(h > 0.2 && h < 3) }'
verdict "a fault as its two halves" "$(good)"

# The files of this folder: the moment of faults.txt is 2.6e22 Nm, and the buoys are those of figures.py
awk '!/^#/ && NF { m += 30e9 * $4 * $5 * $9; n++; if ($1 < 140 || $1 > 145 || $2 < 36 || $2 > 41) bad = 1 } END { exit !(n == 48 && !bad && m > 2.6e22 && m < 2.65e22) }' "$scripts/faults.txt" >output &&
  [ "$(sed -n 's/^[0-9].*# //p' "$scripts/gauges.txt" | xargs)" = "$(grep '^RECORDS' "$scripts/figures.py" | grep -o '"[0-9]*"' | tr -d '"' | xargs)" ]
verdict "subfaults and buoys that come with it" "$(good)"

# The scripts: a mesh by Gmsh where it is there, a run, pictures
mesh="-box 142,147,35.5,40.5 -cells 12"
if "$python" "$scripts/data.py" --from coast.nc -o coast.h5 --region 139.5 148.5 33.5 42.5 >output 2>&1 && "$python" -c 'import gmsh, shapely' 2>/dev/null; then
  "$python" "$scripts/mesh.py" coast.h5 -o coast.msh --factor 2 --region 140 148 34 42 >output 2>&1 && grep -q ' triangles, [1-9][0-9]* sides of coast and [1-9][0-9]* open' output && mesh="-mesh coast.msh"
  verdict "a mesh by Gmsh" "$(good)"
  # shellcheck disable=SC2086
  run "$tohoku" -raster coast.h5 $mesh -time 1 -gauges <(echo 144 38) -plex_dg_view -plex_dg_backend "$first" && grep -q 'facets wall' output && grep -q 'facets open' output
  verdict "its sides" "$(good)"
else
  echo "skip tohoku: the mesh: $python has neither gmsh nor shapely"
fi
printf '145 37\n144.5 39\n' >gauges.txt
# shellcheck disable=SC2086
run "$tohoku" -raster coast.h5 $mesh -time 15 -frames 3 -gauges gauges.txt -output wave -plex_dg_backend "$first" && "$python" "$scripts/figures.py" wave coast.h5 -o pictures >output 2>&1 &&
  [ "$(for picture in pictures/*.png; do head -c 4 "$picture" | tail -c 3; done)" = PNGPNGPNGPNGPNGPNG ]
verdict "pictures" "$(good)"

# fails WHAT WORDS -- OPTIONS...
fails() {
  local what=$1 words=$2
  shift 3
  ! run "$tohoku" "$@" -plex_dg_backend "$first" && grep -q -- "$words" output
  verdict "$what" "$(good)"
}
echo "143.5 0 15000 100000 50000 0 14 90" >short.txt
fails "a rise that is negative" "Options -rupture 0.* and -rise -1.* must not be negative" -- -rise -1
fails "no raster" "Option -raster FILE names the raster.*data.py" --
fails "no mesh" "Option -mesh FILE names the mesh.*mesh.py" -- -raster flat.h5
fails "a line with a number too few" "Line 1 of short.txt has not 9 numbers" -- -raster flat.h5 -faults short.txt
fails "a mesh outside of the raster" "outside of the raster of flat.h5" -- -raster flat.h5 -box 100,110,0,5 -gauges gauges.txt
exit $((failures > 0))
