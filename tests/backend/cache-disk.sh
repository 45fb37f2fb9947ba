#!/usr/bin/env bash
# The cache of compiled kernels and the results of tuning on a disk that is full and one that cannot be written, and with four processes at once: all works, and
# nothing is left over.
cd "$(dirname "$0")/../.." || exit 1
if [ -z "${PLEX_TEST_MOUNT:-}" ]; then # a place for mounts of its own: as root, else as the root of a user namespace
  for how in -m -rm; do
    if unshare $how true 2>/dev/null; then PLEX_TEST_MOUNT=yes exec unshare $how bash "$0"; fi
  done
  PLEX_TEST_MOUNT=no
fi
top=$PWD
tmp=$(mktemp -d)
trap 'umount "$tmp/small" 2>/dev/null; rm -rf "$tmp"' EXIT
failures=0

verdict() { # WHAT GOOD
  if [ -n "$2" ]; then
    echo "ok cache-disk: $1"
  else
    tail -n 20 "$tmp"/output*
    echo "not ok cache-disk: $1"
    failures=$((failures + 1))
  fi
}

compile() { "$top/build/tests/cache" -once -plexgpu_cache_dir "$1"; } # FOLDER
tune() { # FILE [OPTION...]: of a small problem, on the host
  "$top/build/examples/combustion" -dll_append "$top/build/lib/libplexgpu.so" -plex_assembly_backend host -plex_assembly_view -plex_assembly_tune quick \
    -plex_assembly_tune_archive "$@"
}
four() { # COMMAND...: four at once; their outputs are output.1 ... output.4
  local k pids=()
  for k in 1 2 3 4; do
    "$@" >"$tmp/output.$k" 2>&1 &
    pids+=($!)
  done
  for k in "${pids[@]}"; do wait "$k" || return 1; done
}
count() { cat "$tmp"/output.[1-4] | grep -c "$1"; } # PATTERN
left() { find "$1" -mindepth 1 | wc -l; }           # FOLDER: files there

if ! build/tests/cache -once -plexgpu_cache_dir "$tmp/first" >"$tmp/output" 2>&1 || grep -q '^skip' "$tmp/output"; then
  grep '^skip' "$tmp/output" || verdict "a kernel is compiled" ""
  exit "$failures"
fi

# ---- Four processes
four compile "$tmp/shared" && [ "$(count '^right, compiled')" -eq 1 ] && [ "$(count '^right, from the cache')" -eq 3 ] && [ "$(left "$tmp/shared")" -eq 1 ] && good=yes || good=""
verdict "of four processes at once one compiles, and the others take what it has" "$good"
for file in "$tmp/shared"/*; do truncate -s 1000 "$file"; done
four compile "$tmp/shared" && [ "$(count '^right')" -eq 4 ] && [ "$(count '^right, compiled')" -eq 1 ] && [ "$(left "$tmp/shared")" -eq 1 ] && good=yes || good=""
verdict "four processes that find a damaged file make it anew, once" "$good"
four tune "$tmp/shared/tuning.txt" && [ "$(count 'tuned .* in ')" -eq 4 ] && tune "$tmp/shared/tuning.txt" >"$tmp/output" 2>&1 && grep -q 'found in' "$tmp/output" && ! find "$tmp/shared" -name '*.tmp' | grep -q . && good=yes || good=""
verdict "four processes tune at once, and the result is found" "$good"

# ---- A full disk, and one that cannot be written
if [ "$PLEX_TEST_MOUNT" = yes ] && mkdir "$tmp/small" && mount -t tmpfs -o size=64k,mode=700 tmpfs "$tmp/small" 2>"$tmp/output"; then
  dd if=/dev/zero of="$tmp/small/rest" bs=4k count=15 2>/dev/null # a page is left: for the beginning of a file, not all of it
  four compile "$tmp/small" && [ "$(count '^right, compiled$')" -eq 4 ] && [ "$(left "$tmp/small")" -eq 1 ] && good=yes || good=""
  verdict "on a full disk kernels are compiled and not kept, without an error" "$good"
  dd if=/dev/zero of="$tmp/small/rest" bs=1k count=64 2>/dev/null
  four tune "$tmp/small/tuning.txt" && [ "$(count 'tuned .*measured now')" -eq 4 ] && [ "$(left "$tmp/small")" -le 2 ] && [ ! -e "$tmp/small/tuning.txt" ] && good=yes || good=""
  verdict "on a full disk tuning works, and nothing is kept" "$good"
  rm "$tmp/small"/* && compile "$tmp/small" >"$tmp/output" 2>&1 && tune "$tmp/small/tuning.txt" >"$tmp/output" 2>&1 && [ -s "$tmp/small/tuning.txt" ] && before=$(cat "$tmp/small/tuning.txt" | md5sum) && dd if=/dev/zero of="$tmp/small/rest" bs=1k count=64 2>/dev/null
  tune "$tmp/small/tuning.txt" -dm_refine 2 >"$tmp/output" 2>&1 && grep -q 'measured now' "$tmp/output" && [ "$(md5sum <"$tmp/small/tuning.txt")" = "$before" ] && good=yes || good=""
  verdict "what was kept before the disk was full is still there" "$good"
  rm -f "$tmp/small/rest"
  mount -o remount,ro "$tmp/small"
  PLEXGPU_EMULATE_FLAGS=-DOTHER four compile "$tmp/small" && [ "$(count '^right, compiled$')" -eq 4 ] && good=yes || good=""
  verdict "in a folder that cannot be written kernels are compiled and not kept, without an error" "$good"
  compile "$tmp/small" >"$tmp/output" 2>&1 && grep -q '^right, from the cache' "$tmp/output" && tune "$tmp/small/tuning.txt" >"$tmp/output" 2>&1 && grep -q 'found in' "$tmp/output" && good=yes || good=""
  verdict "what is there is taken from a folder that cannot be written" "$good"
  tune "$tmp/small/other.txt" >"$tmp/output" 2>&1 && grep -q 'measured now' "$tmp/output" && good=yes || good=""
  verdict "in a folder that cannot be written tuning works" "$good"
else
  echo "skip cache-disk: a full disk: nothing can be mounted here"
fi

# ---- Results of tuning that are not to be used, or are no longer read
tune "$tmp/own.txt" >"$tmp/output" 2>&1
for what in "everybody may write to" "is a link"; do
  rm -f "$tmp/file.txt"
  case $what in
    is*) ln -s own.txt "$tmp/file.txt" ;;
    *) cp "$tmp/own.txt" "$tmp/file.txt" && chmod 666 "$tmp/file.txt" ;;
  esac
  before=$(md5sum <"$tmp/file.txt")
  tune "$tmp/file.txt" >"$tmp/output" 2>&1 && grep -q 'measured now' "$tmp/output" && grep "PlexGPU: .*$tmp/file.txt" "$tmp/output" | grep -q -e '-plex_assembly_tune_archive' && [ "$(md5sum <"$tmp/file.txt")" = "$before" ] && good=yes || good=""
  verdict "a file of tuning results that ${what/is a/is a symbolic} is refused, with a message, and left alone" "$good"
done
printf '\211HDF\r\n\032\n and more' >"$tmp/tuning.h5"
before=$(md5sum <"$tmp/tuning.h5")
tune "$tmp/tuning.h5" >"$tmp/output" 2>&1 && grep -q 'measured now' "$tmp/output" && grep "PlexGPU: .*$tmp/tuning.h5" "$tmp/output" | grep 'HDF5' | grep -q -e '-plex_assembly_tune_archive' && [ "$(md5sum <"$tmp/tuning.h5")" = "$before" ] && good=yes || good=""
verdict "an HDF5 file of an earlier version is named, and left alone" "$good"

# ---- What Python reads
if "${PLEXGPU_PYTHON:-python3}" -c 'import matplotlib' 2>/dev/null; then
  build/tests/model -archive "$tmp/model.txt" >"$tmp/output" 2>&1 && "${PLEXGPU_PYTHON:-python3}" benchmarks/tuning.py -o "$tmp" "$tmp/model.txt" "$tmp/own.txt" >"$tmp/output" 2>&1 && grep -q 'Wrote .*tuning-order.*png' "$tmp/output" && good=yes || good=""
  verdict "benchmarks/tuning.py draws an archive" "$good"
else
  echo "skip cache-disk: benchmarks/tuning.py: there is no Python with matplotlib"
fi
[ "$failures" -eq 0 ]
