#!/bin/bash
# The tour of `make demo`: the heated plate solved, every assembly timed beside PETSc's, and the temperature drawn.
set -e
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p $out
output() { grep -q '^#define PETSC_HAVE_HDF5' "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h" && echo "-output $out/$1" || true; }
echo "== The heat equation on the plate, linear; every way to assemble it"
build/examples/heat -dm_refine 2 -bench $(output heat)
echo
echo "== The same with kappa = 1 + u^2/100"
build/examples/heat -dm_refine 2 -nonlinear $(output heat-nonlinear)
echo
echo "== A program that knows nothing of PlexGPU: with PETSc's assembly, and with PlexGPU loaded by an option"
for options in "" "-dll_append build/lib/libplexgpu.so"; do
  echo "build/examples/combustion -dm_refine 3 -pc_type gamg $options"
  # shellcheck disable=SC2086 # options are words
  build/examples/combustion -dm_refine 3 -pc_type gamg $options -log_view |
    awk '/^result/ { print } /^SNES(Function|Jacobian)Eval/ { printf "  %s: %d times, %.4f s in all\n", $1, $2, $4 }'
done
echo
if [ -z "$(output heat)" ]; then
  echo "No picture: this PETSc was built without HDF5"
elif [ -x "${PLEXGPU_PYTHON:-}" ]; then
  "$PLEXGPU_PYTHON" examples/plot.py $out/heat.h5 $out/heat.png
  "$PLEXGPU_PYTHON" examples/plot.py $out/heat-nonlinear.h5 $out/heat-nonlinear.png
else
  echo "No picture: PLEXGPU_PYTHON names no Python; $out/heat.xdmf opens in ParaView"
fi
