#!/usr/bin/env bash
# Callbacks of a program's own that call PETSc's assembly by name: examples/unmodified/combustion.c with -leak, which adds to what PETSc assembles. With
# libplexgpu_preload.so before it PlexGPU assembles: the same iterations and solution, and the view counts the calls. By -dll_append it is named, and left.
cd "$(dirname "$0")/../.." || exit 1
app=build/examples/combustion
library=$PWD/build/lib/libplexgpu.so
preload=$PWD/build/lib/libplexgpu_preload.so
. tests/verdict

# run NAME RANKS COMMAND...: output in $tmp/NAME and $tmp/output
run() {
  local name=$1 ranks=$2 status=0
  shift 2
  "${MPIEXEC:-mpiexec}" -n "$ranks" "$@" -log_view >"$tmp/$name" 2>&1 || status=$?
  cp "$tmp/$name" "$tmp/output"
  return $status
}

result() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$tmp/$2"; }

# The same iterations of Newton and of the linear solver, and the same solution to 1e-10
same() { # NAME: with "plain"
  local key a b
  for key in unknowns newton linear; do [ -n "$(result $key plain)" ] && [ "$(result $key plain)" = "$(result $key "$1")" ] || return 1; done
  for key in norm hottest; do
    a=$(result $key plain) b=$(result $key "$1")
    awk -v a="$a" -v b="$b" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= 1e-20 * a * a) }' || return 1
  done
}

petsc() { grep -qE "^DMPlex(Residual|Jacobian)FE " "$tmp/$1"; } # PETSc has assembled, its log says

source=examples/unmodified/combustion.c
[ -d src ] || source=examples/combustion.i # a bundle: PETSc's headers need not be there
IFS=, read -ra backends <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}" # check-gpu: cuda
for backend in "${backends[@]}"; do
  settings="-plex_assembly_backend $backend -plex_assembly_source $source -plex_assembly_view"
  options="-leak 0.3"
  [ "$backend" != cuda ] || options="$options -dm_mat_type aijcusparse -dm_vec_type cuda"
  for ranks in 1 2; do
    # shellcheck disable=SC2086 # options are words
    {
      run plain $ranks "$app" $options && petsc plain && good=yes || good=""
      verdict "$backend, $ranks ranks: without PlexGPU PETSc assembles" "$good"
      PLEXGPU_OPTIONS=$settings run preload $ranks env LD_PRELOAD="$preload" "$app" $options && same preload && good=yes || good=""
      verdict "$backend, $ranks ranks: iterations and solution" "$good"
      newton=$(result newton preload)
      grep -q "computed here: $((newton + 1)) residuals, $newton Jacobians; left to PETSc: 0 and 0" "$tmp/preload" &&
        grep -q "called by name (interposition): $((newton + 1)) residuals, $newton Jacobians" "$tmp/preload" && ! petsc preload &&
        ! grep -q "not taken over" "$tmp/preload" && good=yes || good=""
      verdict "$backend, $ranks ranks: taken over" "$good"
      PLEXGPU_OPTIONS="$settings -plex_assembly_check 1e-11" run checked $ranks env LD_PRELOAD="$preload" "$app" $options && same checked && petsc checked &&
        good=yes || good=""
      verdict "$backend, $ranks ranks: each entry compared with PETSc's own" "$good"
      PLEXGPU_OPTIONS="$settings -plex_assembly false" run unwanted $ranks env LD_PRELOAD="$preload" "$app" $options && same unwanted && petsc unwanted &&
        ! grep -qE '^PlexResidual ' "$tmp/unwanted" && good=yes || good=""
      verdict "$backend, $ranks ranks: -plex_assembly false" "$good"
    }
  done
done

run plain 2 "$app" -leak 0.3 -dm_mat_type baij
PLEXGPU_OPTIONS="-plex_assembly_backend host -plex_assembly_view" run blocks 2 env LD_PRELOAD="$preload" "$app" -leak 0.3 -dm_mat_type baij && same blocks &&
  grep -qE 'computed here: [1-9][0-9]* residuals, [1-9][0-9]* Jacobians; left to PETSc: 0 and 0' "$tmp/blocks" && ! grep -q "not taken over" "$tmp/blocks" && good=yes || good=""
verdict "Jacobians into a matrix of block rows" "$good"
PLEXGPU_OPTIONS="-plex_assembly_backend emulate -plex_assembly_view" run left 2 env LD_PRELOAD="$preload" "$app" -leak 0.3 -dm_mat_type baij && same left &&
  [ "$(grep -c '^PlexGPU: residuals and Jacobians are left to PETSc: backend emulate needs the source' "$tmp/left")" -eq 1 ] &&
  grep -qE 'computed here: 0 residuals, 0 Jacobians; left to PETSc: [1-9][0-9]* and [1-9]' "$tmp/left" && ! grep -q "not taken over" "$tmp/left" && good=yes || good=""
verdict "pointwise functions without source: left to PETSc" "$good"

run append 1 "$app" -leak 0.3 -dll_append "$library" -plex_assembly_backend host -plex_assembly_view && petsc append &&
  grep -q "'HeatWithLeak' calls PETSc's assembly: not taken over (LD_PRELOAD=libplexgpu_preload.so may do it)" "$tmp/append" && good=yes || good=""
verdict "by -dll_append it is named and left to PETSc" "$good"

# Programs of many kinds, linked with PlexGPU: taken over and not, with and without a TS, on levels
for ranks in 1 2; do
  if [ $ranks = 2 ] && [ "${PLEXGPU_TEST_BACKENDS:-}" = cuda ]; then
    echo "skip 2 ranks on a GPU: a linear solve of PETSc alone, which these programs are compared with, diverges there"
    continue
  fi
  if "${MPIEXEC:-mpiexec}" -n $ranks env LD_PRELOAD="$preload" build/tests/takeover >"$tmp/output" 2>&1 && ! grep -q '^not ok' "$tmp/output"; then good=yes; else good=""; fi
  verdict "$ranks ranks: the programs of takeover, $(grep -c '^ok' "$tmp/output") comparisons" "$good"
done
[ "$failures" -eq 0 ]
