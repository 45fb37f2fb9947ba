#!/usr/bin/env bash
# install-data.sh FOLDER KERNELS: copies what the library and its users read at run time into FOLDER: the device sources, the header that
# emulates CUDA, the examples with their meshes, and the compiled kernels that `make precompiled` has put into the folder KERNELS, if any.
set -euo pipefail
to=${1:?usage: config/install-data.sh FOLDER KERNELS}
kernels=${2:?usage: config/install-data.sh FOLDER KERNELS}
cd "$(dirname "$0")/.."

copy() { # FROM TO SUFFIX...: the files of these suffixes, folders kept
  local from=$1 into=$2 suffix file
  shift 2
  for suffix in "$@"; do
    find "$from" -type f -name "*.$suffix" | while IFS= read -r file; do install -D -m 644 "$file" "$into/${file#"$from"/}"; done
  done
}

copy cuda "$to/cuda" h cu cuh txt
install -D -m 644 src/backend/emulate/emulate.h "$to/emulate/emulate.h"
copy examples "$to/examples" c h msh geo md py txt
install -m 644 config/application.mk "$to/examples/makefile"
install -d -m 755 "$to/kernels" # nobody else may write to it, whatever the umask: else its files are not used
rm -f "$to"/kernels/*.cubin
for file in "$kernels"/*.cubin; do [ ! -e "$file" ] || install -m 644 "$file" "$to/kernels/"; done
