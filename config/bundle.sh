#!/usr/bin/env bash
# bundle.sh FOLDER [ENVIRONMENT]: packs the library, what it is linked with, and all programs into
# FOLDER/plexgpu-bundle.tar.xz, to be unpacked and run on a machine with a GPU that has neither PETSc nor a compiler.
# ENVIRONMENT, that of `make python`: with the Python bindings. Called by `make bundle`.
#
# The machine brings Open MPI of the same soname, CUDA, and the C and C++ libraries: shipping those too breaks it (what Open MPI
# loads at run time has to be the machine's own). Programs find the libraries by the relative path that they are linked with.
set -euo pipefail
out=${1:?usage: config/bundle.sh FOLDER [ENVIRONMENT]}
environment=${2:-}
most=$((45 * 1024 * 1024)) # bytes
shipped='^lib(petsc|openblas|blas|lapack|hdf5[_a-z]*|metis|gfortran|quadmath|gomp|sz|aec|elf|dw)\.so'
# what config/solvers.sh finds, and what that is linked with
shipped+='|^lib(HYPRE|superlu[_a-z]*|CombBLAS|(pt)?scotch[a-z0-9]*|(pt)?esmumps|[cdsz]mumps|mumps_common|pord|scalapack-openmpi|spqr|umfpack|klu|cholmod|btf|c?colamd|c?amd|suitesparseconfig|triangle)[-.0-9]*\.so'
cd "$(dirname "$0")/.."
bundle=$out/plexgpu-bundle
rm -rf "$bundle"
mkdir -p "$bundle/build/lib" "$bundle/include"

for kind in examples benchmarks tests tutorials; do # the programs; -g only takes the line numbers away, their symbols stay, with the files they are from
  [ -d "build/$kind" ] || continue
  mkdir -p "$bundle/build/$kind"
  find "build/$kind" -maxdepth 1 -type f -perm -u+x -exec strip -g --keep-file-symbols -o "$bundle/{}" {} \;
  find "build/$kind" -maxdepth 1 -name '*.i' -exec cp {} "$bundle/build/$kind/" \; # sources that were preprocessed here
  [ ! -d "$kind" ] || cp -r "$kind" "$bundle/"
done
cp build/preprocessed/*.i "$bundle/examples/" # the examples' pointwise functions, for a machine without a compiler
cp -r include/. "$bundle/include/"
config/install-data.sh "$bundle/build/share/plexgpu" build/share/plexgpu/kernels
rm -rf "$bundle/build/share/plexgpu/examples" # they are in examples/
find "$bundle" -name __pycache__ -prune -exec rm -rf {} +

for name in libplexgpu.so.0 libplexgpu.so libplexgpu_preload.so libplexgpugeo.so.0; do strip -g -o "$bundle/build/lib/$name" "build/lib/$name"; done
find build/lib build/examples build/benchmarks build/tests -maxdepth 1 -type f -perm -u+x -exec ldd {} + 2>/dev/null |
  awk '$2 == "=>" && $3 ~ "^/" && !seen[$1]++ {print $1, $3}' | while read -r name path; do
  if [[ $name =~ $shipped ]]; then
    strip --strip-unneeded -o "$bundle/build/lib/$name" "$(readlink -f "$path")"
    chmod 755 "$bundle/build/lib/$name"
  fi
done
for name in petsc openblas hdf5 metis elf; do
  compgen -G "$bundle/build/lib/lib$name*.so*" >/dev/null || { echo "bundle: lib$name is not among what libplexgpu.so.0 is linked with" >&2; exit 1; }
done
[ -z "$environment" ] || config/bundle-python.sh "$bundle" "$environment"

cp LICENSE "$bundle/"
cp config/bundle-run "$bundle/run"
cp config/bundle.mk "$bundle/makefile"
chmod 755 "$bundle/run"
tar -C "$out" --owner=0 --group=0 --sort=name -c plexgpu-bundle | xz -T2 -8 >"$bundle.tar.xz.tmp"
mv "$bundle.tar.xz.tmp" "$bundle.tar.xz"
rm -rf "$bundle"
size=$(stat -c %s "$bundle.tar.xz")
[ "$size" -le "$most" ] || { echo "bundle: $bundle.tar.xz has $((size >> 20)) MiB, more than $((most >> 20)) MiB" >&2; exit 1; }
printf 'bundle: %s, %d MiB\n' "$bundle.tar.xz" "$(((size + 1048575) >> 20))"
