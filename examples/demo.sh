#!/bin/bash
# The tour of `make demo`: the heated plate solved, every assembly timed beside PETSc's, and the temperature drawn.
set -e
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p $out
echo "== The heat equation on the plate, linear; every way to assemble it"
build/examples/heat -dm_refine 2 -bench -output $out/heat
echo
echo "== The same with kappa = 1 + u^2/100"
build/examples/heat -dm_refine 2 -nonlinear -output $out/heat-nonlinear
echo
if [ -x "${PLEXGPU_PYTHON:-}" ]; then
  "$PLEXGPU_PYTHON" examples/plot_heat.py $out/heat.h5 $out/heat.png
  "$PLEXGPU_PYTHON" examples/plot_heat.py $out/heat-nonlinear.h5 $out/heat-nonlinear.png
else
  echo "No picture: PLEXGPU_PYTHON names no Python; $out/heat.xdmf opens in ParaView"
fi
