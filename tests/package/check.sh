#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh REFERENCE: what scripts/package has made, as far as no root is needed. REFERENCE is a swz of the same sources
# by another compiler and another C++ library.
#
#   sh scripts/package && sh tests/package/check.sh build/dev/swz
#
#   symbols    the command asks for no symbol of a glibc later than 2.17, and for no library but the C library's
#   answers    it answers every example, in every format, and every command of the documents as REFERENCE does
#   packages   their checksums hold, they have what they should, and another project links the library of the .deb
set -eu
cd "$(dirname "$0")/../.."
. scripts/lib.sh
reference=$1
swz=build/portable/swz
place=build/package
scratch=build/package-check

fail() {
  printf 'tests/package: %s\n' "$*" >&2
  exit 1
}

latest=$(readelf -W -V "$swz" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
[ "$(printf '%s\nGLIBC_2.17\n' "$latest" | sort -V | tail -n 1)" = GLIBC_2.17 ] || fail "$swz needs $latest"
if others=$(readelf -W -d "$swz" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -E '^(libc|libdl|libpthread|libm|ld-linux-x86-64)\.so'); then
  fail "$swz needs $others"
fi
printf 'symbols: %s at most, no other library\n' "$latest"

rm -rf "$scratch"
sh tests/package/gather.sh "$reference" "$scratch/examples"
for program in "$reference" "$swz"; do
  PATH=$PWD/$(dirname "$program"):$PATH sh tests/package/examples.sh "$scratch/examples" json svg tex html png pdf \
    >"$scratch/$(echo "$program" | tr / _)"
done
cmp "$scratch/$(echo "$reference" | tr / _)" "$scratch/$(echo "$swz" | tr / _)" || {
  diff -a "$scratch/$(echo "$reference" | tr / _)" "$scratch/$(echo "$swz" | tr / _)" | head -n 40
  fail 'an answer differs'
}
printf 'answers: %s are the same\n' "$(grep -a -c '^\$ ' "$scratch/$(echo "$swz" | tr / _)")"
/usr/bin/python3 -B tests/docs/check.py --swz "$swz"

(cd "$place" && sha256sum --quiet -c SHA256SUMS) || fail 'a checksum is wrong'
tar -C "$scratch" -xzf "$place"/swz-*.tar.gz
dpkg-deb -x "$place"/swz_*.deb "$scratch/deb"
for prefix in "$scratch"/swz-* "$scratch/deb/usr"; do
  cmp "$swz" "$prefix/bin/swz"
  for file in share/man/man1/swz.1 share/bash-completion/completions/swz share/zsh/site-functions/_swz \
    share/fish/vendor_completions.d/swz.fish share/doc/swz/copyright share/swz/gdb/swz_gdb.py \
    share/swz/compiler_explorer/swz_of_output share/swz/facts.json share/swz/docs/swz.schema.json share/swz/docs/guide.md \
    share/swz/page/index.html share/swz/page/swz.js share/swz/page/LICENSES.txt; do
    [ -s "$prefix/$file" ] || [ -s "$prefix/$file.gz" ] || fail "$prefix has no $file"
  done
  for file in share/doc/swz/copyright share/swz/page/LICENSES.txt; do
    for held in libfmt nlohmann-json3 libcli11 libc++ wasi-libc; do
      grep -q "^== $held" "$prefix/$file" || fail "$file names no licence of $held"
    done
  done
done
[ "$(dpkg-deb -f "$place"/swz_*.deb Depends)" = 'libc6 (>= 2.17)' ] || fail 'the .deb depends on more than libc6'
if command -v lintian >/dev/null; then
  quietly package-lintian lintian --fail-on error,warning "$place"/swz_*.deb
else
  echo 'packages: NOT asked: lintian, which is not installed'
fi
quietly package-consumer-configure cmake -G Ninja -S tests/install/consumer -B "$scratch/consumer" \
  -D "CMAKE_PREFIX_PATH=$PWD/$scratch/deb/usr" -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -D "WANTED_VERSION=$("$swz" --version | cut -d ' ' -f 2)"
quietly package-consumer-build cmake --build "$scratch/consumer"
"$scratch/consumer/consumer"
if readelf -d "$scratch/consumer/consumer" | grep -q libfmt; then fail 'a program that links the library needs libfmt'; fi
echo 'packages: complete, and the library links'
