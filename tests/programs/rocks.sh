#!/usr/bin/env bash
# A program in C++ that knows nothing of PlexGPU, examples/unmodified/rocks.cc: PETSc's assembly and PlexGPU's, which takes the
# pointwise functions out of rocks.hh where there are kernels. Every result is compared with PETSc's to 1e-10.
cd "$(dirname "$0")/../.." || exit 1
app=build/examples/rocks
[ -x "$app" ] || { echo "skip rocks: PETSc was configured without a C++ compiler"; exit 0; }
failures=0
IFS=, read -ra backends <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}" # check-gpu: cuda
for mesh in "-dim 2" "-dim 3 -dm_plex_box_faces 2,1,1 -ts_max_steps 1" "-dim 2 -plex_assembly_type global_row"; do
  for backend in "${backends[@]}"; do
    types=""
    [ "$backend" != cuda ] || types="-dm_mat_type aijcusparse -dm_vec_type cuda"
    for ranks in 1 2; do
      # Emulated, a case takes half a minute: the first two on one process, the third on two
      case "$backend $ranks $mesh ${PLEXGPU_TEST_LONG:-}" in *yes) ;; "emulate 2 -dim 2 " | "emulate 2 -dim 3"* | "emulate 1"*global_row*) continue ;; esac
      # shellcheck disable=SC2086 # options are words
      plain=$("${MPIEXEC:-mpiexec}" -n $ranks "$app" $mesh 2>&1 | grep '^result:')
      # shellcheck disable=SC2086
      ours=$("${MPIEXEC:-mpiexec}" -n $ranks "$app" $mesh $types -dll_append "$PWD/build/lib/libplexgpu.so" \
        -plex_assembly_backend "$backend" -plex_assembly_source examples/unmodified/rocks.hh -plex_assembly_check 1e-10 \
        -plex_assembly_view 2>&1)
      if [ -n "$plain" ] && grep -q 'computed here: .*left to PETSc: 0 and 0' <<<"$ours" &&
        awk -v a="${plain##*=}" -v b="$(sed -n 's/^result:.*norm=//p' <<<"$ours")" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-18 * a * a) }'; then
        echo "ok rocks: $mesh, $backend, $ranks ranks"
      else
        echo "$plain"
        echo "$ours"
        echo "not ok rocks: $mesh, $backend, $ranks ranks"
        failures=$((failures + 1))
      fi
    done
  done
done
[ "$failures" -eq 0 ]
