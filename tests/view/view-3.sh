#!/usr/bin/env bash
# Files and pictures of three processes, one of which is idle at times, against those of one, and of both against what was drawn.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/plexgpu-view-XXXXXX") # PetscDraw takes no dot in names of folders
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/1" "$tmp/2"
build/tests/view -keep "$tmp/1" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
if grep -q '^skip' "$tmp/log"; then
  cat "$tmp/log"
  exit 0
fi
${MPIEXEC:-mpiexec} -n 3 build/tests/view -keep "$tmp/2" || exit 1
"${PLEXGPU_PYTHON:-python3}" tests/view/view.py "$tmp/2" "$tmp/1"
