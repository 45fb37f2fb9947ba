#!/usr/bin/env bash
# Files of nodal DG as VTK reads them, where Python has vtk: fields of a polynomial at random points. Written on one process and on two.
cd "$(dirname "$0")/../.." || exit 1
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip VTKHDF files in VTK: this PETSc was built without HDF5"
  exit 0
fi
python=${PLEXGPU_PYTHON:-python3}
if ! "$python" -c 'import vtk' 2>/dev/null; then
  echo "skip VTKHDF files in VTK: $python has no vtk (pip install vtk)"
  exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for dim in 2 3; do
  for degree in 1 2 3 4 5 6 7 8 9; do
    ${MPIEXEC:-mpiexec} -n $((1 + degree % 2)) build/tests/dgoutput -file "$tmp/$dim-$degree.vtkhdf" -dim $dim -degree $degree >/dev/null || exit 1
  done
done
"$python" tests/dg/dgoutput.py "$tmp"
