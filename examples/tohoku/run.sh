#!/usr/bin/env bash
# Tohoku 2011 from the data to the figures, in the folder OUT (build/demo-tohoku): make demo-tohoku. Steps whose files are there are not done again.
#
#   FACTOR=1        of the sizes of triangles, mesh.py --factor
#   PROCESSES=2     mpiexec -n
#   DEMO_PYTHON=python3  with numpy, h5py, matplotlib, shapely, gmsh and pybacktrack; the last three: pip install shapely gmsh, and pip install --no-deps pybacktrack
#   RASTER=FILE     a raster as data.py writes it, in place of pybacktrack's
#   OPTIONS="-rupture 2 -rise 60 -frames 30"  more options of the program; all of the ground rises at once without the first two; RECORDS=FILE: of figures.py --records
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${OUT:-build/demo-tohoku} factor=${FACTOR:-1} python=${DEMO_PYTHON:-${PLEXGPU_PYTHON:-python3}}
[ "$python" != no ] || python=python3 # built with PLEXGPU_PYTHON=no
scripts=examples/tohoku raster=${RASTER:-$out/ocean.h5} mesh=$out/pacific-$factor.msh name=$out/tohoku-$factor
mkdir -p "$out"

missing=""
for module in numpy h5py matplotlib shapely gmsh $([ -e "$raster" ] || echo pybacktrack); do
  "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$module') is None)" || missing="$missing $module"
done
if [ -n "$missing" ]; then
  echo "demo-tohoku needs packages that $python lacks:$missing. Name another Python with DEMO_PYTHON=, or install them:" >&2
  for module in $missing; do
    [ "$module" = pybacktrack ] && echo "  $python -m pip install --no-deps pybacktrack    (only its file of ETOPO1 is read; or RASTER=FILE)" || echo "  $python -m pip install $module"
  done >&2
  exit 1
fi

[ -e "$raster" ] || "$python" $scripts/data.py -o "$raster"
[ -e "$mesh" ] || "$python" $scripts/mesh.py "$raster" -o "$mesh" --factor "$factor"
# shellcheck disable=SC2086 # options are words
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 ${MPIEXEC:-mpiexec} -n "${PROCESSES:-2}" build/examples/tohoku -raster "$raster" -mesh "$mesh" -output "$name" ${OPTIONS--rupture 2 -rise 60 -frames 30}
"$python" $scripts/figures.py "$name" "$raster" -o "$out" ${RECORDS:+--records "$RECORDS"}
