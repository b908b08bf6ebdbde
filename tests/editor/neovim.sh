#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# neovim.sh SWZ: Neovim without a window starts `swz lsp` and asks it. Needs Neovim 0.7 or later.
set -eu
SWZ=$(realpath "$1")
export SWZ
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/kernel.cu" <<'END'
constexpr uint64_t word_of_a = 0x4000004000010042ull;
using Atom = Swizzle<3, 4, 3>;
constexpr uint64_t desc = 0xcbf29ce484222325ull;
END
cd "$place"
timeout 60 nvim --headless -u NONE -i NONE -n -c "luafile $here/hover.lua" kernel.cu
