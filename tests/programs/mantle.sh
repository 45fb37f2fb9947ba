#!/usr/bin/env bash
# A program with free slip by Nitsche's method that knows nothing of PlexGPU, examples/unmodified/mantle.c: forms on facets of two fields, and those of the
# preconditioner. PETSc's assembly and PlexGPU's, brought in by -dll_append; every residual and Jacobian is compared with PETSc's to 1e-11.
cd "$(dirname "$0")/../.." || exit 1
app=build/examples/mantle
failures=0
source=examples/unmodified/mantle.c
[ -d src ] || source=examples/mantle.i # a bundle: PETSc's headers need not be there
result() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" <<<"$2"; }

IFS=, read -ra backends <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}" # check-gpu: cuda
for mesh in "-refine 1 -layers 4" "-refine 0 -layers 3 -degree 3" "-dim 3 -refine 1 -layers 2"; do
  # shellcheck disable=SC2086 # options are words
  plain=$("$app" $mesh 2>&1)
  for backend in "${backends[@]}"; do
    types=""
    [ "$backend" != cuda ] || types="-dm_mat_type aijcusparse -dm_vec_type cuda"
    # shellcheck disable=SC2086
    ours=$("$app" $mesh $types -dll_append "$PWD/build/lib/libplexgpu.so" -plex_assembly_backend "$backend" -plex_assembly_source "$source" \
      -plex_assembly_check 1e-11 -plex_assembly_view 2>&1)
    if grep -q 'computed here: 1 residuals, 1 Jacobians; left to PETSc: 0 and 0' <<<"$ours" && ! grep -q 'left to PETSc: [a-z]' <<<"$ours" &&
      awk -v a="$(result norm "$plain")" -v b="$(result norm "$ours")" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-14 * a * a) }'; then
      echo "ok mantle: $mesh, $backend"
    else
      echo "$plain"
      echo "$ours"
      echo "not ok mantle: $mesh, $backend"
      failures=$((failures + 1))
    fi
  done
done
[ "$failures" -eq 0 ]
