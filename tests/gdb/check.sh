#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh SWZ COMPILER [--write]: the commands of gdb/swz_gdb.py in Debian's gdb, against tests/gdb/transcript.txt. Each line
# of it that begins with "(gdb) " is typed, the lines after it are what gdb has to print.
#
#   sh tests/gdb/check.sh build/dev/swz g++
#
# Nothing runs: gdb reads the initialised data of the program, so that no right to trace is needed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SWZ_BINARY=$(realpath "$1")
export SWZ_BINARY TERM=dumb LC_ALL=C.UTF-8
unset SWZ_ARCH COLUMNS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$2" -std=c++20 -g -O0 -no-pie -o "$scratch/host" "$here/host.cpp"
# An error ends a script of gdb, so Python gives the lines.
cat >"$scratch/commands.py" <<END
import gdb
gdb.execute("set width 110")
gdb.execute("set style enabled off")
gdb.execute("source $here/../../gdb/swz_gdb.py")
for line in open("$here/transcript.txt", encoding="utf-8"):
    if line.startswith("(gdb) "):
        gdb.write(line)
        try:
            gdb.execute(line[6:])
        except gdb.error as error:
            gdb.write(f"{error}\\n")
END
gdb -nx -batch -x "$scratch/commands.py" "$scratch/host" >"$scratch/transcript" 2>&1
if [ "${3-}" = --write ]; then
  cp "$scratch/transcript" "$here/transcript.txt"
else
  diff -u "$here/transcript.txt" "$scratch/transcript"
  echo "$(grep -c '^(gdb) ' "$here/transcript.txt") commands, as in tests/gdb/transcript.txt"
fi
