#!/usr/bin/env bash
# bundle-python.sh BUNDLE ENVIRONMENT: puts petsc4py, the bindings, UFL and meshio into BUNDLE/build/python, from the
# environment of `make python`. Into BUNDLE/build/petsc it puts the headers of PETSc and MPI, which pointwise functions
# are compiled with. Called by bundle.sh.
#
# The modules are those of CPython's stable interface: they run in the other machine's Python, 3.11 or later, which
# brings numpy, matplotlib, pytest and, for what they are used with, h5py, torch and cupy.
set -euo pipefail
bundle=$(realpath "${1:?usage: config/bundle-python.sh BUNDLE ENVIRONMENT}")
environment=$(realpath "${2:?usage: config/bundle-python.sh BUNDLE ENVIRONMENT}")
cd "$(dirname "$0")/.."
into=$bundle/build/python
arch=${PETSC_ARCH:-}
mkdir -p "$into/bin" "$into/site" "$bundle/docs" "$bundle/build/petsc/$arch/lib/petsc/conf"

"$environment/bin/python" - "$into/site" <<'END'
import importlib.metadata
import shutil
import sys
from pathlib import Path

needed = ("rich", "pygments", "markdown-it-py", "mdurl")  # by meshio
for name in ("petsc4py", "plexgpu", "fenics-ufl", "meshio", *needed):
    found = importlib.metadata.distribution(name)
    for file in found.files:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            to = Path(sys.argv[1], file)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found.locate_file(file), to)
END
other=$(find "$into/site" -name '*.so' ! -name '*.abi3.so')
if [ -n "$other" ]; then
  echo "bundle: $other is of one version of Python: take 3.11 or later, with no petsc4py of its own" >&2
  exit 1
fi
find "$into/site" -name '*.so' -exec strip -g {} +

# petsc4py asks the module petsc where PETSc is, if its own file names no folder
printf 'PETSC_DIR = \nPETSC_ARCH = %s\n' "$arch" >"$into/site/petsc4py/lib/petsc.cfg"
cat >"$into/site/petsc.py" <<'END'
"""Where PETSc's headers and libraries are in this bundle."""

from pathlib import Path


def get_petsc_dir():
    return str(Path(__file__).resolve().parents[2] / "petsc")
END

# Headers; the compilers are those of the other machine
petsc=$bundle/build/petsc
cp -r "$PETSC_DIR/include" "$petsc/"
if [ -n "$arch" ]; then cp -r "$PETSC_DIR/$arch/include" "$petsc/$arch/"; fi
find "$petsc" \( -name '*.mod' -o -name '*.html' -o -name 'makefile' \) -delete
for folder in $("${MPICC:-mpicc}" --showme:incdirs); do
  if [ -r "$folder/mpi.h" ]; then cp "$folder"/mpi*.h "$petsc/include/"; fi
done
[ -r "$petsc/include/mpi.h" ] || { echo "bundle: there is no mpi.h where mpicc --showme:incdirs says" >&2; exit 1; }
printf 'CC = cc\nCXX = c++\n' >"$petsc/$arch/lib/petsc/conf/petscvariables"
ln -s "$(realpath --relative-to="$petsc/$arch/lib" "$bundle/build/lib")/libpetsc.so" "$petsc/$arch/lib/libpetsc.so"
(cd "$bundle/build/lib" && ln -s libpetsc.so.* libpetsc.so)

cat >"$into/bin/python" <<'END'
#!/usr/bin/env bash
# python SCRIPT...: this machine's Python, or that of PLEXGPU_PYTHON, with the bindings of this bundle; run by ./run
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
export PLEXGPU_DIR=$here PETSC_DIR=$here/build/petsc PETSC_ARCH=@arch@
export PYTHONPATH=$here/build/python/site${PYTHONPATH:+:$PYTHONPATH}
exec "${PLEXGPU_PYTHON:-python3}" "$@"
END
sed -i "s|@arch@|$arch|" "$into/bin/python"
chmod 755 "$into/bin/python"
cp -r python-bindings "$bundle/"
rm -rf "$bundle/python-bindings/build"
find "$bundle/python-bindings" \( -name __pycache__ -o -name '*.egg-info' \) -prune -exec rm -rf {} +
cp docs/python.md "$bundle/docs/"
