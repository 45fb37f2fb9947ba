# Finds a CUDA toolkit and completes one that lacks NVML. Sourced by setup.sh.
# Sets cuda_dir (empty without a toolkit), cuda_version, cuda_arch and driver_dir (empty where the GPU driver is installed).

nvml_dir() { # the folder of the nvidia-nvml-dev wheel for this CUDA version, downloaded once
  local dir=$cache/nvml-$cuda_version
  if [ ! -e "$dir/done" ]; then
    rm -rf "$dir"
    mkdir -p "$dir"
    python3 -m venv "$dir/venv" && "$dir/venv/bin/pip" download -q --no-deps --only-binary :all: -d "$dir" \
      "nvidia-nvml-dev==$cuda_version.*" && python3 -m zipfile -e "$dir"/nvidia_nvml_dev-*.whl "$dir" && rm -rf "$dir/venv" && touch "$dir/done"
  fi
}

# A stub of libnvidia-ml to link against, with every function that nvml.h declares; each returns NVML_ERROR_UNKNOWN.
nvml_stub() { # HEADER OUTPUT
  sed -n 's/^nvmlReturn_t DECLDIR \(nvml[A-Za-z0-9_]*\)[ (].*/int \1(void);\nint \1(void) { return 999; }/p' "$1" | awk '!seen[$0]++' >"$2.c"
  cc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o "$2" "$2.c"
  rm -f "$2.c"
}

# A toolkit put together from wheels has no nvml.h and no stub of libnvidia-ml, and PETSc's configure wants both.
# The toolkit is left alone: a folder of links in the cache has the same contents and the two files.
cuda_complete() {
  local real=$cuda_dir dir=$cache/cuda-$cuda_version found
  local wheel=$cache/nvml-$cuda_version
  if [ -e "$real/include/nvml.h" ] && [ -e "$real/lib64/stubs/libnvidia-ml.so" ]; then return 0; fi
  if [ ! -e "$dir/done" ]; then
    [ -e "$real/include/nvml.h" ] || nvml_dir ||
      fail "the CUDA toolkit $real has no nvml.h, and the Python package nvidia-nvml-dev==$cuda_version.* could not be had: install it, or set PLEXGPU_CUDA=no"
    rm -rf "$dir"
    mkdir -p "$dir/include" "$dir/lib64/stubs"
    ln -s "$real/bin" "$dir/bin"
    [ ! -e "$real/nvvm" ] || ln -s "$real/nvvm" "$dir/nvvm"
    ln -s "$real"/include/* "$dir/include/"
    for found in "$real"/lib64/*; do [ -d "$found" ] || ln -s "$found" "$dir/lib64/"; done
    for found in "$real"/lib64/stubs/*; do ln -s "$found" "$dir/lib64/stubs/"; done
    [ -e "$dir/include/nvml.h" ] || ln -s "$(find "$wheel" -name nvml.h | head -n 1)" "$dir/include/nvml.h"
    [ -e "$dir/lib64/stubs/libnvidia-ml.so" ] || nvml_stub "$dir/include/nvml.h" "$dir/lib64/stubs/libnvidia-ml.so"
    touch "$dir/done"
  fi
  cuda_dir=$dir
}

# On a machine without the GPU driver, programs linked with PETSc still have to load: the toolkit's stubs stand in.
# They answer every call with an error, which PETSc and PlexGPU read as "no GPU here".
driver_stubs() {
  local dir=$cache/driver-stubs-$cuda_version
  driver_dir=""
  if /sbin/ldconfig -p | grep -q 'libcuda\.so\.1'; then return 0; fi
  mkdir -p "$dir"
  ln -sf "$cuda_dir/lib64/stubs/libcuda.so" "$dir/libcuda.so.1"
  ln -sf "$cuda_dir/lib64/stubs/libnvidia-ml.so" "$dir/libnvidia-ml.so.1"
  driver_dir=$dir
}

cuda_setup() {
  local nvcc=""
  cuda_dir="" cuda_version="" cuda_arch="" driver_dir=""
  case ${PLEXGPU_CUDA:-auto} in
    no | none) say "CUDA: left out (PLEXGPU_CUDA=${PLEXGPU_CUDA})"; return 0 ;;
    auto) nvcc=$(command -v nvcc || true); [ -n "$nvcc" ] || { [ ! -x /usr/local/cuda/bin/nvcc ] || nvcc=/usr/local/cuda/bin/nvcc; } ;;
    *) nvcc=$PLEXGPU_CUDA/bin/nvcc; [ -x "$nvcc" ] || fail "PLEXGPU_CUDA=$PLEXGPU_CUDA has no bin/nvcc: give the toolkit's folder, or 'no'" ;;
  esac
  if [ -z "$nvcc" ]; then
    say "CUDA: no toolkit found (nvcc is not on the PATH): PETSc is built without it, backends host and emulate only"
    return 0
  fi
  cuda_dir=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  cuda_version=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
  cuda_arch=${PLEXGPU_CUDA_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d . || true)}
  [ -n "$cuda_arch" ] || cuda_arch=90
  if [ -z "${PETSC_DIR:-}" ]; then # what building PETSc needs
    cuda_complete
    driver_stubs
  fi
}
