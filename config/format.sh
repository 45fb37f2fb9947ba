#!/usr/bin/env bash
# Formats the C and CUDA sources in place; with --check only names the files that are off, and fails if there are any.
# clang-format's output depends on its version: this one has the major version that PETSc asks for, in a virtual environment of
# its own.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
. config/common.sh
version=23.1.5

format_install() {
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --no-cache-dir "clang-format==$version"
  touch "$venv/done"
}

venv=$cache/clang-format-$version
if [ ! -e "$venv/done" ]; then
  lock_cache
  [ -e "$venv/done" ] || step clang-format "under a minute" format_install
fi
mapfile -t files < <(find include src cuda examples benchmarks tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | sort)
if [ "${1:-}" != --check ]; then
  "$venv/bin/clang-format" -i "${files[@]}"
  say "${#files[@]} files are formatted"
  exit 0
fi
off=0
for file in "${files[@]}"; do
  if ! changes=$("$venv/bin/clang-format" "$file" | diff -u --label "$file" --label "$file, formatted" "$file" -); then
    [ "$off" -gt 0 ] || printf '%s\n' "$changes" | head -n 40
    printf 'setup: %s is not formatted\n' "$file"
    off=$((off + 1))
  fi
done
[ "$off" -eq 0 ] || fail "$off of ${#files[@]} files are not formatted: run make format"
say "all ${#files[@]} files are formatted"
