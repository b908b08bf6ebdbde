# What demo, docs and test have in common; read with `. scripts/lib.sh` from the repository root.
# shellcheck shell=sh

logs=build/logs
mkdir -p "$logs"

# One job for each core.
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# quietly NAME COMMAND...: runs COMMAND with its output in build/logs/NAME.log, and shows the log if it fails.
quietly() {
  quietly_log=$logs/$1.log
  shift
  "$@" >"$quietly_log" 2>&1 </dev/null && return 0
  quietly_status=$?
  tail -n 60 "$quietly_log" >&2
  printf 'failed (%s): %s\nthe whole log: %s\n' "$quietly_status" "$*" "$quietly_log" >&2
  return "$quietly_status"
}

# build PRESET [CMAKE OPTION...]: configures when that was never done, or was done in another place, with other
# options or other presets; then builds what is out of date.
build() {
  build_preset=$1
  shift
  build_stamp=$logs/$build_preset-configured
  { pwd && printf '%s\n' "$@" && cat CMakePresets.json; } >"$build_stamp.new"
  if ! cmp -s "$build_stamp.new" "$build_stamp" || ! [ -f "build/$build_preset/build.ninja" ]; then
    rm -f "$build_stamp"
    quietly "$build_preset-configure" cmake --fresh --preset "$build_preset" "$@" || return
  fi
  mv "$build_stamp.new" "$build_stamp"
  quietly "$build_preset-build" cmake --build --preset "$build_preset" -j "$jobs"
}
