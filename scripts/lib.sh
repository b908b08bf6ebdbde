# SPDX-License-Identifier: Apache-2.0
# What the scripts share; read with `. scripts/lib.sh` from the repository root.
# shellcheck shell=sh

logs=build/logs
mkdir -p "$logs"

# One job for each core.
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# ccache keeps compiled files, of this checkout and of others: no object contains the path of its source. A fresh clone
# is newer than the objects that were made from it.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

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

# fetch_wheels LIST PLACE [PATTERN]: puts the files of the wheels that LIST names, from PyPI, in PLACE: all, or those
# whose name has PATTERN. Nothing of it is committed. The stamp is a copy of the list, written last: an unfinished fetch
# is repeated, a finished one is kept.
fetch_wheels() {
  if cmp -s "$1" "$2/fetched"; then return 0; fi
  fetch_log=$logs/${2##*/}-fetch.log
  rm -rf "$2"
  mkdir -p "$2/wheels"
  # The system's python3 is the one for which scripts/deps installs pip.
  python=python3
  if [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
  if ! "$python" -m pip download --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    -d "$2/wheels" -r "$1" >"$fetch_log" 2>&1 </dev/null; then
    printf '%s could not be fetched (%s)\n' "$1" "$fetch_log" >&2
    return 1
  fi
  quietly "${2##*/}-unpack" "$python" -c '
import glob, re, sys, zipfile
for wheel in glob.glob(sys.argv[1] + "/wheels/*.whl"):
    with zipfile.ZipFile(wheel) as z:
        z.extractall(sys.argv[1], [n for n in z.namelist() if re.search(sys.argv[2], n)])' "$2" "${3-.}" || return
  rm -r "$2/wheels"
  cp "$1" "$2/fetched"
}

# notices [wasi [page]]: prints the licences of what a command made by zig contains; with wasi for the web page, which
# also contains wasi-libc; with page for it alone.
notices() {
  cat LICENSE
  # The page has no decompressors.
  packages='libfmt nlohmann-json3 libcli11'
  [ "${2-}" = page ] || packages="$packages libzstd liblz4 zlib1g"
  for package in $packages; do
    printf '\n\n== %s\n\n' "$package"
    cat "/usr/share/doc/$package-dev/copyright" || return
  done
  printf '\n\n== libc++, libc++abi, libunwind, compiler-rt\n\n'
  cat build/zig/ziglang/lib/libcxx/LICENSE.TXT || return
  [ "${1-}" = wasi ] || return 0
  libc=build/zig/ziglang/lib/libc/wasi
  for notice in LICENSE LICENSE-MIT libc-bottom-half/cloudlibc/LICENSE libc-top-half/musl/COPYRIGHT; do
    printf '\n\n== wasi-libc, %s\n\n' "$notice"
    cat "$libc/$notice" || return
  done
}

# build PRESET [CMAKE OPTION...]: configures if that was not done yet, or was done in another place, with other options
# or other presets; then builds what is out of date: everything, or only $build_target.
build() {
  build_preset=$1
  shift
  # zig has a cache of its own.
  case $build_preset in
    portable | wasm) ;;
    *) ! command -v ccache >/dev/null || set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" ;;
  esac
  build_stamp=$logs/$build_preset-configured
  { pwd && printf '%s\n' "$@" && cat CMakePresets.json; } >"$build_stamp.new"
  if ! cmp -s "$build_stamp.new" "$build_stamp" || ! [ -f "build/$build_preset/build.ninja" ]; then
    rm -f "$build_stamp"
    quietly "$build_preset-configure" cmake --fresh --preset "$build_preset" "$@" || return
  fi
  mv "$build_stamp.new" "$build_stamp"
  quietly "$build_preset-build" cmake --build --preset "$build_preset" -j "$jobs" \
    ${build_target:+--target "$build_target"}
}
