#!/usr/bin/env bash
# make install into a temporary prefix; a program of a few lines compiled against it through pkg-config, and run from elsewhere.
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

check() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@" >"$tmp/output" 2>&1; then
    echo "ok install: $what"
  else
    cat "$tmp/output"
    echo "not ok install: $what"
    exit 1
  fi
}

exec 8>"$top/build/tests/install.lock" && flock 8 # the test packages makes the same files
check "make install" make -s install prefix="$tmp/prefix" PLEXGPU_KERNELS=sm_90
for file in lib/libplexgpu.so lib/libplexgpu.so.0 lib/libplexgpu_preload.so lib/libplexgpugeo.so.0 lib/pkgconfig/plexgpu.pc lib/pkgconfig/plexgpugeo.pc include/plexgpu.h include/plexgpugeo.h include/plexgpu/impl.h include/plexgpu/private/dgimpl.h share/plexgpu/cuda/plex.cuh share/plexgpu/cuda/models/nvidia-h200.txt \
  share/plexgpu/emulate share/plexgpu/examples share/doc/plexgpu/LICENSE; do
  check "$file is there" test -e "$tmp/prefix/$file"
done

mkdir "$tmp/application" "$tmp/elsewhere"
cat >"$tmp/application/app.c" <<'APP'
#include <plexgpu.h>

int main(int argc, char **argv)
{
  PlexBackend     backend;
  PlexBackendType type;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PlexBackendCreate(PLEXBACKENDHOST, &backend));
  PetscCall(PlexBackendGetType(backend, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "backend %s\n", type));
  PetscCall(PlexBackendDestroy(&backend));
  return PetscFinalize();
}
APP
export PKG_CONFIG_PATH=$tmp/prefix/lib/pkgconfig
cp "$tmp/prefix/share/plexgpu/examples/makefile" "$tmp/application/"
check "a program compiles with pkg-config" make -s -C "$tmp/application" app
cd "$tmp/elsewhere" || exit 1
check "it runs from another folder" bash -c "'$tmp/application/app' >'$tmp/result'"
check "it used the backend asked for" grep -qx "backend host" "$tmp/result"
check "it uses the installed library" bash -c "ldd '$tmp/application/app' | grep -q 'libplexgpu.so.0 => $tmp/prefix/lib/'"
check "the installed library does not name the source tree first" bash -c "! readelf -d '$tmp/prefix/lib/libplexgpu.so.0' | grep -q '$top/'"
check "PETSc loads it as a plugin" "$tmp/application/app" -dll_append "$tmp/prefix/lib/libplexgpu.so"
cp "$tmp/prefix/share/plexgpu/examples/unmodified/combustion.c" "$tmp/application/"
flags=$(pkg-config --cflags --libs plexgpu)
flags=${flags/-I$tmp\/prefix\/include/}
check "a program compiles without PlexGPU" bash -c "cd '$tmp/application' && mpicc -w -o plain combustion.c ${flags/-l:libplexgpu.so.0/} -lm"
check "and is taken over by the installed library" bash -c "LD_PRELOAD='$tmp/prefix/lib/libplexgpu_preload.so' PLEXGPU_OPTIONS='-plex_assembly_backend host -plex_assembly_view' '$tmp/application/plain' | grep 'computed here: 5 residuals, 4 Jacobians'"
check "a system of nodal DG compiles outside" bash -c "mpicc -w -c -o '$tmp/application/system.o' '$top/tests/common/dgburgers.c' -I'$top' $(pkg-config --cflags plexgpu) -I$(pkg-config --variable=sourcedir plexgpu)"
mkdir "$tmp/scatter"
listing() { awk -v wanted="$1" '/^```c$/ {++n; on = 1; next} /^```$/ {on = 0} on && n == wanted' "$top/docs/adding-a-strategy.md"; }
listing 1 >"$tmp/scatter/scatter.cu"
listing 2 >"$tmp/scatter/scatter.c"
check "the strategy of docs/adding-a-strategy.md compiles" bash -c "cd '$tmp/scatter' && mpicc -shared -fPIC -O2 -DSCATTER_FOLDER='\"$tmp/scatter\"' -o libscatter.so scatter.c $(pkg-config --cflags --libs plexgpu) -I$(pkg-config --variable=sourcedir plexgpu)"
check "an installed example compiles" bash -c "cp -r '$tmp/prefix/share/plexgpu/examples' '$tmp/' && make -s -C '$tmp/examples' heat"
check "and assembles by that strategy" bash -c "cd '$tmp/examples' && ./heat -dll_append '$tmp/scatter/libscatter.so' -plex_assembly_type scatter -plex_assembly_backend emulate -plex_assembly_check 1e-11 | grep 'type=scatter backend=emulate'"
check "and one that uses plexgpugeo" make -s -C "$tmp/examples" tsunami
cat >"$tmp/application/geo.c" <<'APP'
#include <plexgpugeo.h>

int main(int argc, char **argv)
{
  const PlexSphere sphere   = {.radius = 6.37122e6, .center = {10., 50.}};
  const PetscReal  place[2] = {10., 50.};
  PetscReal        x[2];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PlexSphereProject(&sphere, place, x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "center at %g %g\n", (double)x[0], (double)x[1]));
  return PetscFinalize();
}
APP
check "a program uses plexgpugeo alone" bash -c "cd '$tmp/application' && mpicc -o geo geo.c $(pkg-config --cflags --libs plexgpugeo) && ./geo | grep -qx 'center at 0. 0.' && ! ldd geo | grep -q 'libplexgpu\.so'"
check "make install with DESTDIR" bash -c 'umask 0 && exec "$@"' umask make -s -C "$top" install prefix=/usr PLEXGPU_KERNELS=sm_90 DESTDIR="$tmp/stage"
check "compiled kernels are installed" diff -r "$top/build/share/plexgpu/kernels" "$tmp/stage/usr/share/plexgpu/kernels"
if compgen -G "$tmp/prefix/share/plexgpu/kernels/*.cubin" >"$tmp/output"; then
  check "the installed library takes them" env LD_LIBRARY_PATH="$tmp/prefix/lib" "$top/build/tests/installed" -beside
fi
check "nobody else may write to them" bash -c "! find '$tmp/stage/usr/share/plexgpu/kernels' -perm /022 | grep ."
check "files are under DESTDIR" test -e "$tmp/stage/usr/lib/libplexgpu.so"
check "its pkg-config file names the prefix alone" grep -qx "prefix=/usr" "$tmp/stage/usr/lib/pkgconfig/plexgpu.pc"
