#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gather.sh SWZ FOLDER: puts into FOLDER the examples of SWZ's help, one per line, and what they read: a log, a dump, PTX, a
# recording, and a program `kernel` that fails.
set -eu
swz=$1 folder=$2
data=$(dirname "$0")/../data
mkdir -p "$folder/tests/data"
# Where the page and the file for gdb are installed differs from system to system.
"$swz" help -f json | jq -r '.commands[] | select(.name | IN("page", "gdb", "skills install") | not) | .examples[].line' >"$folder/lines"
cp "$data/h200.jsonl" "$folder/tests/data/"
cat "$data/cuda_gdb.log" "$data/tma_failures/cutlass_947.txt" >"$folder/log.txt"
cp "$data/dumps/examine.txt" "$folder/dump.txt"
cp "$data/../ptx/mistakes/unpadded_transposition.ptx" "$folder/kernel.ptx"
printf '#!/bin/sh\ncat log.txt\nexit 1\n' >"$folder/kernel"
chmod +x "$folder/kernel"
