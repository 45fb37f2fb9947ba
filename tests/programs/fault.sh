#!/usr/bin/env bash
# A program in C++ with a fault that knows nothing of PlexGPU, examples/unmodified/fault.cc: PETSc's assembly and PlexGPU's, taken over by
# libplexgpu_preload.so, with the functions of fault.hh. Every residual and Jacobian is compared with PETSc's to 1e-11, those of the fault by themselves too.
cd "$(dirname "$0")/../.." || exit 1
app=build/examples/fault
[ -x "$app" ] || { echo "skip fault: PETSc was configured without a C++ compiler"; exit 0; }
if grep -qs '^#define PETSC_VERSION_MINOR *25$' "${PETSC_DIR:-}/include/petscversion.h"; then echo "skip fault: cohesive cells are assembled with PETSc 3.26 and newer"; exit 0; fi
failures=0
IFS=, read -ra backends <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}" # check-gpu: cuda
for mesh in "-dim 2" "-dim 2 -degree 2 -n 4" "-dim 3 -n 2"; do
  for backend in "${backends[@]}"; do
    types=""
    [ "$backend" != cuda ] || types="-dm_mat_type aijcusparse -dm_vec_type cuda"
    # shellcheck disable=SC2086 # options are words
    plain=$("$app" $mesh 2>&1 | grep '^result:')
    # shellcheck disable=SC2086
    ours=$(PLEXGPU_OPTIONS="-plex_assembly_backend $backend -plex_assembly_source examples/unmodified/fault.hh -plex_assembly_check 1e-11 -plex_assembly_view" \
      LD_PRELOAD="$PWD/build/lib/libplexgpu_preload.so" "$app" $mesh $types 2>&1)
    if [ -n "$plain" ] && grep -q 'computed here: 2 residuals, 1 Jacobians; left to PETSc: 0 and 0' <<<"$ours" && ! grep -q 'left to PETSc: [a-z]' <<<"$ours" &&
      [ "$(grep -c 'added to residuals: .* cohesive cells' <<<"$ours")" -eq 3 ] && [ "$(grep -c 'added to matrices: .* cohesive cells' <<<"$ours")" -eq 3 ] &&
      awk -v a="$(sed 's/.* norm=\([^ ]*\).*/\1/' <<<"$plain")" -v b="$(sed -n 's/^result:.* norm=\([^ ]*\).*/\1/p' <<<"$ours")" \
        'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-18 * a * a) }'; then
      echo "ok fault: $mesh, $backend"
    else
      echo "$plain"
      echo "$ours"
      echo "not ok fault: $mesh, $backend"
      failures=$((failures + 1))
    fi
  done
done
[ "$failures" -eq 0 ]
