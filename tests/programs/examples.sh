#!/usr/bin/env bash
# The examples that show PlexGPU to users, on small meshes: every entry as PETSc's (-plex_assembly_check), the same result as with
# PETSc's own assembly, and right. Also a part of check-gpu.
cd "$(dirname "$0")/../.." || exit 1
. tests/verdict

value() { sed -n "s/^result:.* $1=\([^ ]*\).*/\1/p" "$2"; }

run() { # FILE PROGRAM OPTIONS...: its result line in FILE
  local file=$1 program=$2
  shift 2
  timeout 300 "build/examples/$program" "$@" >"$tmp/output" 2>&1 && grep '^result:' "$tmp/output" >"$file"
}

# The numbers of two result lines agree to 1e-6, counts to the last digit; who assembled may differ
same() {
  paste <(tr ' ' '\n' <"$1") <(tr ' ' '\n' <"$2") | awk -F'[=\t]' '
    $1 == "result:" || $1 == "assembled_by" { next }
    $1 != $3 { bad = 1 }
    { d = $2 - $4; if (d < 0) d = -d; a = $4 < 0 ? -$4 : $4; if ($2 != $4 && (a == int(a) || d > 1e-6 * a)) bad = 1; n++ }
    END { exit bad || n < 3 }'
}

# inside LOW KEY HIGH: of the result line last compared
inside() { awk -v low="$1" -v value="$(value "$2" "$tmp/result")" -v high="$3" 'BEGIN { exit !(value != "" && value + 0 >= low && value + 0 <= high) }'; }

# try CHECK PROGRAM OPTIONS -- LOW KEY HIGH...: CHECK is the tolerance of -plex_assembly_check. Where PETSc is to print element data
# all is left to it, which is how the reference is made.
try() {
  local check=$1 program=$2 options=() good backend
  shift 2
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  run "$tmp/petsc" "$program" "${options[@]}" -dm_plex_print_fem 1 && [ "$(value assembled_by "$tmp/petsc")" = petsc ] && good=yes || good=""
  verdict "$program ${options[*]}: with PETSc's assembly" "$good"
  for backend in ${PLEXGPU_TEST_BACKENDS:-host emulate}; do
    run "$tmp/result" "$program" "${options[@]}" -plex_assembly_backend "$backend" -plex_assembly_check "$check" && same "$tmp/result" "$tmp/petsc" && good=yes || good=""
    verdict "$program ${options[*]}, $backend: as with PETSc's assembly" "$good"
    [ "$(value assembled_by "$tmp/result")" = "$backend" ] && good=yes || good=""
    verdict "$program ${options[*]}, $backend: taken over" "$good"
  done
  good=yes
  while [ "$#" -ge 3 ]; do
    inside "$1" "$2" "$3" || good=""
    shift 3
  done
  verdict "$program ${options[*]}: right" "$good"
}

try 1e-10 elasticity -cells 6 -- 1e-5 error 2e-3 2 concentration 3
try 1e-10 elasticity -cells 6 -order 1 -- 1e-4 error 2e-2
try 1e-10 elasticity -dim 3 -cells 4 -order 1 -- 1e-4 error 5e-2
try 1e-10 elasticity -cells 6 -traction -- 1e-5 error 6e-3 2 concentration 3
# A square section of side 1 has the torsion constant 0.1406 (Saint-Venant): energy = mu 0.1406 angle^2 / 8 in a long beam
try 1e-10 hyperelasticity -cells 1 -angle 20 -steps 2 -- 0.00082 energy 0.0012 1.5 order 3
try 1e-10 stokes -mms -cells 4 -- 1e-4 velocity_error 3e-3 1e-3 pressure_error 3e-2
try 1e-10 stokes -mms -dim 3 -cells 2 -- 1e-3 velocity_error 3e-2
try 1e-10 stokes -mms -cells 4 -mass -- 1e-4 velocity_error 3e-3 5 linear 120
try 1e-10 stokes -mesh examples/plate-coarse.msh -- 1 norm 1e4 10 linear 200
# A residual without boundary values is rounding once Newton has converged: there is nothing to compare it with
try 0 reaction -cells 16 -ts_max_time 20 -- 20 time 20 0.9 mean_u 1 0.3 max_v 0.6
try 0 reaction -cells 4 -dim 3 -ts_max_time 4 -- 4 time 4 0.8 mean_u 1
try 0 reaction -cells 8 -order 2 -ts_max_time 2 -- 2 time 2 0.9 mean_u 1

# The error falls with the square (velocity: the cube) of the size of the elements
run "$tmp/coarse" stokes -mms -cells 4 && run "$tmp/fine" stokes -mms -cells 8 &&
  awk -v a="$(value velocity_error "$tmp/coarse")" -v b="$(value velocity_error "$tmp/fine")" 'BEGIN { exit !(a / b > 7 && a / b < 9) }' && good=yes || good=""
verdict "stokes -mms: the velocity's error is of third order" "$good"
run "$tmp/coarse" elasticity -cells 6 && run "$tmp/fine" elasticity -cells 12 &&
  awk -v a="$(value error "$tmp/coarse")" -v b="$(value error "$tmp/fine")" 'BEGIN { exit !(a / b > 3.4 && a / b < 5) }' && good=yes || good=""
verdict "elasticity: the error falls with the polygon's distance from the circle" "$good"

# What is written can be drawn
if [ "${PLEXGPU_TEST_HDF5:-yes}" = no ]; then
  echo "skip examples: pictures: this PETSc was built without HDF5"
elif [ -x "${PLEXGPU_PYTHON:-}" ] && [ -z "${PLEXGPU_TEST_BACKENDS:-}" ]; then
  for program in "elasticity -cells 4" "hyperelasticity -cells 1 -angle 20 -steps 1" "stokes -mms -cells 4" "reaction -cells 8 -ts_max_time 2"; do
    # shellcheck disable=SC2086 # options are words
    run "$tmp/result" $program -output "$tmp/fields" && "$PLEXGPU_PYTHON" examples/plot.py "$tmp/fields.h5" "$tmp/picture.png" >"$tmp/output" 2>&1 &&
      [ "$(head -c 4 "$tmp/picture.png" | tail -c 3)" = PNG ] && grep -q '</Xdmf>' "$tmp/fields.xdmf" && good=yes || good=""
    verdict "${program%% *}: a picture" "$good"
    rm -f "$tmp/picture.png"
  done
fi
[ "$failures" -eq 0 ]
