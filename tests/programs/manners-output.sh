#!/usr/bin/env bash
# What the library says of itself: -help has all options of the sources and the values of choices, -citations the papers of
# what a program uses; progress lines and the hint at the end come when they are to, and are silent when they are to be.
cd "$(dirname "$0")/../.." || exit 1
. tests/environment
. tests/verdict
app=build/tests/manners
unset PLEXGPU_OPTIONS CUDA_VISIBLE_DEVICES

# ---- -help
"$app" -help plexgpu -class all >"$tmp/output" 2>&1
good=yes
[ "$(grep -c '^PlexGPU options:\|^Finite element assembly\|^Discontinuous Galerkin operator\|^Hybridized' "$tmp/output")" -eq 4 ] || good=""
grep -q '^  *-\(ksp\|snes\|dm\|vec\|mat\|pc\)_' "$tmp/output" && good=""
verdict "-help plexgpu has the sections of the library, and no others" "$good"
"$app" -help vec -class all >"$tmp/output" 2>&1
good=yes
if grep -q -e '-plex' "$tmp/output"; then good=""; fi
verdict "-help of another section has none of them" "$good"

"$app" -help plexgpu -class all >"$tmp/help" 2>&1
cp "$tmp/help" "$tmp/output"
tr -s ' :<' '\n' <"$tmp/help" | grep '^-' | sort -u >"$tmp/have"
# each name in quotation marks that an option's name begins: of PetscOptions*() calls, and of messages. Those that end in _ begin a name
grep -rhoE '"-plex(gpu|_assembly|_dg|_hdg|_hdf5)?[a-z0-9_]*' src | cut -c2- | sort -u | grep -vxE -e '-plex(gpu|_dg|_hdg)?_?' >"$tmp/want"
good=yes
while read -r option; do
  case $option in
    *_) grep -q "^$option" "$tmp/have" || grep -qx -e "${option%_}" "$tmp/have" ;;
    *) grep -qx -e "$option" "$tmp/have" || grep -qx -e "${option}_" "$tmp/have" ;;
  esac || case $option in
    # examples of a user's own names in messages, and constants of systems other than the one here
    -plex_dg_bc_label | -plex_dg_direction | -plex_dg_dry | -plex_dg_frequency | -plex_dg_linear | -plex_dg_shore | -plex_dg_viscosity | -plex_hdg_pc_type) ;;
    *) echo "$option is in the sources and not in -help" >>"$tmp/output"; good="" ;;
  esac
done <"$tmp/want"
[ "$(wc -l <"$tmp/want")" -gt 100 ] || good=""
verdict "all $(wc -l <"$tmp/want") options of the sources are in -help" "$good"

good=yes
for option in type residual_type jacobian_type; do
  for value in auto element_color element_atomic global_nz global_row shared_nz shared_row local_nz local_row; do
    grep -e "-plex_assembly_$option:" "$tmp/help" | grep -q "(one of).*[ ]$value" || good=""
  done
done
for class in assembly dg hdg; do
  for value in auto cuda hip host emulate; do grep -e "-plex_${class}_backend:" "$tmp/help" | grep -q "(one of).* $value" || good=""; done
done
for value in acoustics elastic euler maxwell shallow_water; do grep -e '-plex_dg_system:' "$tmp/help" | grep -q "(one of).* $value" || good=""; done
for value in auto fused host plain separate; do grep -e '-plex_dg_type:' "$tmp/help" | grep -q "(one of).* $value" || good=""; done
if grep -q '(null)' "$tmp/help"; then good=""; fi
verdict "-help has the values of choices" "$good"

good=yes
for manual in $(grep -oE '\((Plex[A-Za-z]+)\)$' "$tmp/help" | tr -d '()' | sort -u); do
  if ! grep -rqE "\\b$manual\\(" include/*.h; then
    echo "$manual() is in no header" >>"$tmp/output"
    good=""
  fi
done
verdict "-help names manual pages that are there" "$good"

# ---- -citations
cites() { # WHAT NAMES OPTIONS...: these entries, and no others of the library
  local what=$1 names=$2 found
  shift 2
  "$app" "$@" -citations >"$tmp/output" 2>&1
  found=$(grep -oE '^ *@[a-z]+\{(plexgpu|CeckaLewDarve2011|KnepleyTerrel2013|KloecknerWarburtonBridgeHesthaven2009|KingYakovlevFuKirbySherwin2014),' "$tmp/output" |
    grep -oE '\{[^,]*' | tr -d '{' | sort | xargs)
  verdict "-citations of $what" "$([ "$found" = "$names" ] && echo yes)"
}
cites "a run without any of its classes" ""
quadrature="-plex_assembly_integration quadrature"
# shellcheck disable=SC2086 # words
cites "assembly on the host" plexgpu -class assembly -plex_assembly_backend host $quadrature
cites "integration by tensors" "KnepleyTerrel2013 plexgpu" -class assembly -plex_assembly_backend host -plex_assembly_integration tensor
cites "DG" "KloecknerWarburtonBridgeHesthaven2009 plexgpu" -class dg -plex_dg_backend host
cites "hybridized DG" "KingYakovlevFuKirbySherwin2014 plexgpu" -class hdg -plex_hdg_backend host
emulated="-class assembly $quadrature -plex_assembly_backend emulate -plex_assembly_source tests/common/problem.c -plex_assembly_fallback false"
# shellcheck disable=SC2086 # words
if "$app" $emulated -plex_assembly_type global_nz >"$tmp/output" 2>&1; then
  cites "a strategy" "CeckaLewDarve2011 plexgpu" $emulated -plex_assembly_type global_nz
  cites "element_atomic, which is none of the paper" plexgpu $emulated -plex_assembly_type element_atomic
else
  verdict "emulated kernels for -citations" ""
fi

# ---- Progress
"$app" -class dg -sleep 7 >"$tmp/stdout" 2>"$tmp/output" &
silent=$!
"$app" -class dg -sleep 7 -plexgpu_progress 0 >/dev/null 2>"$tmp/silent" &
"$app" -class dg -sleep 2 >/dev/null 2>"$tmp/short"
wait "$silent" && good=yes || good=""
wait
[ "$(grep -c '^PlexGPU: [567] s: set-up of discontinuous Galerkin (-plexgpu_progress 0: without such lines)$' "$tmp/output")" -eq 1 ] || good=""
if grep -q 'PlexGPU: .* s' "$tmp/stdout"; then good=""; fi
verdict "what takes longer than 5 s is said on stderr" "$good"
cat "$tmp/silent" "$tmp/short" >"$tmp/output"
verdict "and neither with -plexgpu_progress 0 nor in less time" "$(grep -q ' s: set-up' "$tmp/output" || echo yes)"

# ---- The hint, with a folder in the place of /dev
mkdir "$tmp/gpu" "$tmp/none"
touch "$tmp/gpu/nvidia3"
hint() { # WHAT GPU|NONE LINES OPTIONS...
  local what=$1 folder=$2 lines=$3 status=0
  shift 3
  PLEXGPU_DEVICES=$tmp/$folder "$app" "$@" >"$tmp/output" 2>&1 || status=$?
  verdict "hint: $what" "$([ "$status" -eq 0 ] && [ "$(grep -c '^PlexGPU: there is a GPU, and nothing was computed on it: .*(-plexgpu_hint 0: without this line)$' "$tmp/output")" -eq "$lines" ] && echo yes)"
}
if grep -q 'backend cuda' <(PLEXGPU_DEVICES=$tmp/none "$app" -class dg -plex_dg_view 2>&1); then
  echo "skip manners-output: hints: this machine has a GPU that is used"
else
  hint "a GPU that auto does not take" gpu 1 -class dg
  hint "of assembly, too" gpu 1 -class assembly
  hint "off by its option" gpu 0 -class dg -plexgpu_hint 0
  hint "none where the host is asked for" gpu 0 -class dg -plex_dg_backend host
  hint "none without a GPU" none 0 -class dg
  hint "none where nothing is computed" gpu 0 -class none
  CUDA_VISIBLE_DEVICES="" hint "none where GPUs are hidden" gpu 0 -class dg
fi
[ "$failures" -eq 0 ]
