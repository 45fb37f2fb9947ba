#!/usr/bin/env bash
# What PlexGPU makes visible to a process: names of its own alone, and no HDF5, so that a Python with PETSc and h5py, which brings another HDF5, works with it.
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python=${PLEXGPU_PYTHON:-python3}
[ ! -x build/python/bin/python ] || python=$PWD/build/python/bin/python # of make python, which has petsc4py
failures=0

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok symbols: $1"
  else
    tail -n 20 "$tmp/output"
    echo "not ok symbols: $1"
    failures=$((failures + 1))
  fi
}

exports() { nm -D --defined-only "build/lib/$1" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }'; }
linked() { readelf -d "build/lib/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

exports libplexgpu.so.0 | grep -v -e '^Plex' -e '^PLEX' -e '^PetscDLLibraryRegister_plexgpu$' -e '^TSPlex' >"$tmp/output"
[ ! -s "$tmp/output" ] && [ "$(exports libplexgpu.so.0 | wc -l)" -gt 100 ] && good=yes || good=""
verdict "libplexgpu.so.0 has names of its own alone" "$good"
exports libplexgpugeo.so.0 | grep -v -e '^PlexFault[A-Z]' -e '^PlexSphere[A-Z]' -e '^PlexRaster[A-Z]' >"$tmp/output"
[ ! -s "$tmp/output" ] && [ "$(exports libplexgpugeo.so.0 | wc -l)" -eq 9 ] && good=yes || good=""
verdict "libplexgpugeo.so.0 has the functions of its header alone" "$good"
exports libplexgpu.so >"$tmp/output"
exports libplexgpu_preload.so >>"$tmp/output"
[ "$(sort "$tmp/output" | tr '\n' ' ')" = "DMCreate DMCreateMassMatrix DMCreateMassMatrixLumped DMPlexComputeJacobianHybridByKey DMPlexComputeResidualHybridByKey DMPlexSNESComputeJacobianFEM DMPlexSNESComputeResidualFEM DMPlexTSComputeIFunctionFEM DMPlexTSComputeIJacobianFEM DMPlexTSComputeRHSFunctionFEM PetscDLLibraryRegister_plexgpu SNESCreate TSCreate " ] && good=yes || good=""
verdict "what is loaded by PETSc and by LD_PRELOAD has what they call" "$good"
{ linked libplexgpu.so && linked libplexgpu_preload.so; } | grep -v -e '^libc\.so' -e '^ld-linux' -e '^lib[a-z]*san\.so' >"$tmp/output"
[ ! -s "$tmp/output" ] && good=yes || good=""
verdict "these two are linked with nothing" "$good"
{ linked libplexgpu.so.0 | grep hdf5 || nm -D --undefined-only build/lib/libplexgpu.so.0 | grep ' H5'; } >"$tmp/output"
[ ! -s "$tmp/output" ] && good=yes || good=""
verdict "libplexgpu.so.0 is not linked with HDF5" "$good"
{ linked libplexgpugeo.so.0 | grep -e hdf5 -e libplexgpu || nm -D --undefined-only build/lib/libplexgpugeo.so.0 | grep -e ' H5' -e ' Plex'; } >"$tmp/output"
[ ! -s "$tmp/output" ] && good=yes || good=""
verdict "libplexgpugeo.so.0 is linked with neither HDF5 nor libplexgpu.so.0" "$good"

cat >"$tmp/both.py" <<'END'
import ctypes, sys
import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc

dm = PETSc.DMPlex().createBoxMesh([2, 2], simplex=False, comm=PETSc.COMM_SELF)
core = [line.split()[-1] for line in open("/proc/self/maps") if "libplexgpu.so.0" in line]
assert core, "PlexGPU is not there"
import h5py, numpy

folder = sys.argv[-1]
with h5py.File(folder + "/raster.h5", "w") as file:  # by h5py's HDF5, read by PETSc's
    file["x"], file["y"] = numpy.linspace(0, 1, 3), numpy.linspace(0, 2, 5)
    file["z"] = numpy.add.outer(2 * file["y"][()], file["x"][()])
viewer = PETSc.ViewerHDF5().create(folder + "/vec.h5", "w", comm=PETSc.COMM_SELF)  # and the other way round
v = PETSc.Vec().createWithArray(numpy.arange(5.0), comm=PETSc.COMM_SELF)
v.setName("v")
viewer(v)
viewer.destroy()
with h5py.File(folder + "/vec.h5") as file:
    assert (file["v"][()] == numpy.arange(5.0)).all()
geo, petsc = ctypes.CDLL(core[0].replace("libplexgpu.", "libplexgpugeo.")), ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libpetsc.so" in line][0])
comm, raster, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_double()
assert not petsc.PetscObjectGetComm(ctypes.c_void_p(v.handle), ctypes.byref(comm))
assert not geo.PlexRasterRead(comm, (folder + "/raster.h5").encode(), b"z", b"x", b"y", ctypes.byref(raster))
assert not geo.PlexRasterEvaluate(raster, (ctypes.c_double * 2)(0.3, 1.1), ctypes.byref(value))
assert abs(value.value - 2.5) < 1e-14, value
assert not geo.PlexRasterDestroy(ctypes.byref(raster))
print("both work")
END
if "$python" -c 'import petsc4py.PETSc, h5py' 2>/dev/null; then
  "$python" "$tmp/both.py" -dll_append "$top/build/lib/libplexgpu.so" -options_left no "$tmp" >"$tmp/output" 2>&1 && grep -q 'both work' "$tmp/output" && good=yes || good=""
  verdict "a Python with PETSc, PlexGPU by -dll_append, and h5py" "$good"
  LD_PRELOAD=$top/build/lib/libplexgpu_preload.so "$python" "$tmp/both.py" "$tmp" >"$tmp/output" 2>&1 && grep -q 'both work' "$tmp/output" && good=yes || good=""
  verdict "a Python with PETSc, PlexGPU by LD_PRELOAD, and h5py" "$good"
  LD_PRELOAD=$top/build/lib/libplexgpu_preload.so "$python" -c 'import h5py, os; assert not [line for line in open("/proc/self/maps") if "libpetsc" in line or "libplexgpu.so" in line]' >"$tmp/output" 2>&1 && good=yes || good=""
  verdict "LD_PRELOAD brings nothing into a Python without PETSc" "$good"
else
  echo "skip symbols: h5py: there is no Python with petsc4py and h5py (make python)"
fi

if command -v mpicc >/dev/null && [ -n "${PETSC_DIR:-}" ]; then
  { sed 's/^int main(/static int Once(/' examples/unmodified/combustion.c && printf 'int main(int argc, char **argv)\n{\n  int status;\n  MPI_Init(&argc, &argv);\n  status = Once(argc, argv);\n  if (!status) status = Once(argc, argv);\n  MPI_Finalize();\n  return status;\n}\n'; } >"$tmp/twice.c"
  lib=$PETSC_DIR/${PETSC_ARCH:-}/lib
  mpicc -w -o "$tmp/twice" "$tmp/twice.c" "-I$PETSC_DIR/include" "-I$PETSC_DIR/${PETSC_ARCH:-}/include" "-L$lib" "-Wl,-rpath,$lib" -lpetsc -lm >"$tmp/output" 2>&1
  options="-plex_assembly_backend host -plex_assembly_view"
  "$tmp/twice" -dll_append "$top/build/lib/libplexgpu.so" $options >"$tmp/output" 2>&1 && [ "$(grep -c 'computed here: 5 residuals, 4 Jacobians' "$tmp/output")" -eq 2 ] && good=yes || good=""
  verdict "by -dll_append it is there again after PetscFinalize() and PetscInitialize()" "$good"
  LD_PRELOAD=$top/build/lib/libplexgpu_preload.so "$tmp/twice" $options >"$tmp/output" 2>&1 && [ "$(grep -c 'computed here: 5 residuals, 4 Jacobians' "$tmp/output")" -eq 2 ] && good=yes || good=""
  verdict "by LD_PRELOAD likewise" "$good"
else
  echo "skip symbols: PetscInitialize() twice: there is no compiler, or no PETSC_DIR"
fi

# Another PETSc than the one it was compiled for, made up: functions that say so stand before PETSc's
other() { # NAME WORDS PROGRAM: the error has these words
  if ! command -v cc >"$tmp/output"; then echo "skip symbols: another PETSc, $1: there is no compiler"; return; fi
  printf '%s\n' "$3" >"$tmp/$1.c" && cc -shared -fPIC -o "$tmp/$1.so" "$tmp/$1.c" >"$tmp/output" 2>&1 || return
  LD_PRELOAD=$tmp/$1.so build/examples/combustion -dll_append "$top/build/lib/libplexgpu.so" -plex_assembly_backend host >"$tmp/output" 2>&1
  [ "$?" -ne 0 ] && grep -q "$2" "$tmp/output" && grep -q 'compile it with the program.s, make PETSC_DIR=' "$tmp/output" && good=yes || good=""
  verdict "a PETSc of other $1 is refused" "$good"
}
other versions 'runs with PETSc 3.99, and PlexGPU was compiled for 3' 'int PetscGetVersionNumber(int *a, int *b) { *a = 3; *b = 99; return 0; }'
other indices 'whose indices have 24 bits' '#include <stddef.h>
int PetscDataTypeGetSize(int type, size_t *size) { *size = 3; return 0; }'
other scalars 'a PETSc of [a-z]* scalars, and PlexGPU was compiled for' 'int PetscDataTypeFromString(const char *name, int *type, int *found) { *type = 14; return *found = 0; }'

mkdir "$tmp/alone" && cp build/lib/libplexgpu.so "$tmp/alone/"
build/examples/combustion -dll_append "$tmp/alone/libplexgpu.so" >"$tmp/output" 2>&1
[ "$?" -ne 0 ] && grep -q 'PlexGPU: libplexgpu.so.0 cannot be loaded .*folder of libplexgpu.so' "$tmp/output" && good=yes || good=""
verdict "libplexgpu.so without the library beside it says so" "$good"
ln -sf "$top/build/lib/libplexgpu.so" "$tmp/alone/libplexgpu.so"
build/examples/combustion -dll_append "$tmp/alone/libplexgpu.so" -plex_assembly_backend host -plex_assembly_view >"$tmp/output" 2>&1 && grep -q 'computed here: 5 residuals, 4 Jacobians' "$tmp/output" && good=yes || good=""
verdict "a link to libplexgpu.so leads to it" "$good"
[ "$failures" -eq 0 ]
