#!/usr/bin/env bash
# A program that knows nothing of PlexGPU, examples/unmodified/combustion.c: plain, and with PlexGPU brought in by -dll_append, by
# PETSC_OPTIONS and by LD_PRELOAD. The same iterations and solution, and the work was taken over.
cd "$(dirname "$0")/../.." || exit 1
app=build/examples/combustion
library=$PWD/build/lib/libplexgpu.so
preload=$PWD/build/lib/libplexgpu_preload.so
. tests/verdict

result() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$tmp/$2"; }

# The numbers of two files agree to 1e-10 of the largest
same_numbers() {
  paste <(grep -E '^ *-?[0-9]' "$1") <(grep -E '^ *-?[0-9]' "$2") | awk '
    NF != 2 { bad = 1 }
    { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d; a = $1 < 0 ? -$1 : $1; if (a > largest) largest = a; n++ }
    END { exit bad || n < 10 || most > 1e-10 * largest }'
}

# run NAME RANKS COMMAND...: output in $tmp/NAME, solution in $tmp/NAME.u
run() {
  local name=$1 ranks=$2
  shift 2
  "${MPIEXEC:-mpiexec}" -n "$ranks" "$@" -solution_view "ascii:$tmp/$name.u" >"$tmp/$name" 2>&1
  local status=$?
  cp "$tmp/$name" "$tmp/output"
  return $status
}

compare() { # WHAT NAME: with "plain"
  local good="" key
  if same_numbers "$tmp/plain.u" "$tmp/$2.u"; then good=yes; fi
  verdict "$1: solution" "$good"
  good=yes
  for key in unknowns newton linear; do [ -n "$(result $key plain)" ] && [ "$(result $key plain)" = "$(result $key "$2")" ] || good=""; done
  verdict "$1: iterations" "$good"
}

taken() { # WHAT NAME: one residual more than Newton's iterations, and as many Jacobians; all that PETSc did is counted in its log
  local newton good=""
  newton=$(result newton "$2")
  if grep -q "computed here: $((newton + 1)) residuals, $newton Jacobians; left to PETSc: 0 and 0" "$tmp/$2" &&
    grep -q "essential values inserted here: $((2 * newton + 1)) times, evaluated 1 times; left to PETSc: 0" "$tmp/$2" &&
    ! grep -qE '^DMPlex(Residual|Jacobian)FE ' "$tmp/$2"; then good=yes; fi
  verdict "$1: taken over" "$good"
}

if ldd "$app" | grep -q libplexgpu || nm "$app" | grep -qi plexassembly; then good=""; else good=yes; fi
verdict "the program knows nothing of PlexGPU" "$good"

source=examples/unmodified/combustion.c
[ -d src ] || source=examples/combustion.i # a bundle: PETSc's headers need not be there
IFS=, read -ra backends <<<"${PLEXGPU_TEST_BACKENDS:-host,emulate}" # check-gpu: cuda
for backend in "${backends[@]}"; do
  settings="-plex_assembly_backend $backend -plex_assembly_source $source -plex_assembly_view"
  types=""
  [ "$backend" != cuda ] || types="-dm_mat_type aijcusparse -dm_vec_type cuda"
  for ranks in 1 $([ "${PLEXGPU_TEST_LONG:-}" = yes ] && echo 4 || echo 2); do
    # shellcheck disable=SC2086 # options are words
    {
      run plain $ranks "$app" $types -log_view || failures=$((failures + 1))
      grep -qE '^DMPlexResidualFE ' "$tmp/plain" && good=yes || good=""
      verdict "$backend, $ranks ranks: without PlexGPU PETSc assembles" "$good"
      run append $ranks "$app" $types -dll_append "$library" $settings -log_view
      PETSC_OPTIONS="$PETSC_OPTIONS -dll_append $library $settings -log_view" run options $ranks "$app" $types
      PLEXGPU_OPTIONS=$settings run preload $ranks env LD_PRELOAD="$preload" "$app" $types -log_view
    }
    for way in "append -dll_append" "options PETSC_OPTIONS" "preload LD_PRELOAD"; do
      compare "$backend, $ranks ranks, ${way#* }" "${way%% *}"
      taken "$backend, $ranks ranks, ${way#* }" "${way%% *}"
    done
  done
done

# Its dofs along a curve, an order that PlexGPU adds to those of PETSc
order="-dm_reorder_section -dm_reorder_section_type hilbert"
for ranks in 1 3; do
  run plain $ranks "$app" || failures=$((failures + 1))
  # shellcheck disable=SC2086 # options are words
  run append $ranks "$app" -dll_append "$library" -plex_assembly_backend host $order
  PLEXGPU_OPTIONS="-plex_assembly_backend host $order" run preload $ranks env LD_PRELOAD="$preload" "$app"
  for way in append preload; do
    awk -v a="$(result hottest plain)" -v b="$(result hottest $way)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-16 * a * a) }' &&
      ! cmp -s <(grep -E '^ *-?[0-9]' "$tmp/plain.u") <(grep -E '^ *-?[0-9]' "$tmp/$way.u") && good=yes || good=""
    verdict "$ranks ranks, $way: dofs along a curve" "$good"
  done
done

run unwanted 1 "$app" -dll_append "$library" -plex_assembly false -log_view
grep -qE '^DMPlexResidualFE ' "$tmp/unwanted" && ! grep -qE '^PlexResidual ' "$tmp/unwanted" && good=yes || good=""
verdict "-plex_assembly false: PETSc assembles" "$good"
PLEXGPU_OPTIONS="-plex_assembly false -plex_assembly_backend host" run options 1 "$app" -dll_append "$library" -plex_assembly true -log_view
! grep -qE '^DMPlexResidualFE ' "$tmp/options" && grep -qE '^PlexResidual ' "$tmp/options" && good=yes || good=""
verdict "options of the command line win over PLEXGPU_OPTIONS" "$good"
[ "$failures" -eq 0 ]
