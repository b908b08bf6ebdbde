#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# twice.sh: clones HEAD into a folder with another path, has scripts/package compile and package everything there without a
# cache, and compares every file with that of build/wheel and build/package, byte for byte.
#
#   sh scripts/package && sh tests/package/twice.sh
set -eu
cd "$(dirname "$0")/../.."
again=build/twice/of/another/length

if [ -n "$(git status --porcelain)" ]; then
  echo 'tests/package/twice.sh: commit first: the second build is one of HEAD' >&2
  exit 2
fi
rm -rf build/twice
git clone --quiet . "$again"
# The compiler as it was fetched, without what it has compiled.
mkdir -p "$again/build/zig"
cp -r build/zig/ziglang build/zig/fetched "$again/build/zig/"
CCACHE_DISABLE=1 sh "$again/scripts/package" >/dev/null

sums() { (cd "$1/build" && sha256sum wheel/* package/*); }
sums . >build/twice/first
sums "$again" >build/twice/second
diff build/twice/first build/twice/second >&2 || {
  echo "tests/package/twice.sh: the second build, in $again, has other bytes" >&2
  exit 1
}
echo "bytes: $(grep -c . build/twice/first) files are the same, compiled twice"
rm -rf build/twice
