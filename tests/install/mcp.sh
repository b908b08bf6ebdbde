#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mcp.sh SWZ STRACE: `swz mcp` serves the documents that lie beside it; it opens no file but those that a request names,
# makes no connection, starts no program and writes no file.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/bin" "$place/share/swz/docs"
cp "$1" "$place/bin/swz"
echo '# A guide' >"$place/share/swz/docs/guide.md"
echo 'secret' >"$place/share/swz/secret"
echo '0x4000004000010042' >"$place/words.txt"
cd "$place"

expect() {
  [ "$1" = "$2" ] || { printf 'expected: %s\ngot:      %s\n' "$2" "$1" >&2; exit 1; }
}

# message ID METHOD PARAMS
message() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$1" "$2" "$3"; }

expect "$(message 1 resources/list '{}' | bin/swz mcp)" \
  '{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"swz://docs/guide.md","name":"guide.md","mimeType":"text/markdown"}]}}'
expect "$(message 1 resources/read '{"uri":"swz://docs/guide.md"}' | bin/swz mcp)" \
  '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"swz://docs/guide.md","mimeType":"text/markdown","text":"# A guide\n"}]}}'
expect "$(message 1 resources/read '{"uri":"swz://docs/../secret"}' | bin/swz mcp | grep -c -e -32002)" 1

# call ID TOOL ARGUMENTS
call() { message "$1" tools/call "{\"name\":\"$2\",\"arguments\":$3}"; }
{
  message 1 initialize '{"protocolVersion":"2025-11-25","capabilities":{}}'
  message 2 tools/list '{}'
  call 3 ask '{"text":"0x4000004000010042"}'
  call 4 decode '{"WORD":["@words.txt"]}'
  call 5 place '{"dtype":"bf16","tile":"8x64","swizzle":"128B","picture":"svg"}'
  call 6 ask '{"text":"verify"}'
  call 7 ask '{"text":"verify","options":["--compile-only"]}'
  call 8 ask '{"text":"0x42","options":["-o","written"]}'
  call 9 help '{"of":"kernel"}'
  message 10 resources/read '{"uri":"swz://docs/guide.md"}'
} >messages
listed() { find . -type f ! -name trace ! -name answers | sort; }
before=$(listed)
"$2" -f -s 200 -e trace=%file,%network,execve,fork,vfork,clone,clone3,read -o trace bin/swz mcp <messages >answers
expect "$(wc -l <answers | tr -d ' ')" 10
expect "$(grep -c '"isError":true' answers)" 3
expect "$(listed)" "$before"
# From the first message on.
sed -n '/read(0, "{/,$p' trace >after
expect "$(grep -c 'read(0,' after | sed 's/^[1-9].*/some/')" some
expect "$(sed -n 's/.*open[a-z0-9]*(.*"\([^"]*\)".*/\1/p' after | sort -u | sed "s|^$place/||" | tr '\n' ' ')" \
  'share/swz/docs/guide.md words.txt '
expect "$(grep -E 'socket|connect|bind|execve|fork|clone|unlink|rename|mkdir' after || true)" ''
