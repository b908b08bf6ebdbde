#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed.sh PACKAGE: on a bare system, installs PACKAGE, runs the examples of /examples and prints their transcript;
# then has the command draw a PNG with the system's cairo. All other messages go to standard error.
set -eu
case $1 in
  *.deb) dpkg -i "$1" >&2 ;;
  *.tar.gz)
    tar -C /opt -xzf "$1"
    PATH=/opt/$(basename "$1" .tar.gz)/bin:$PATH
    ;;
esac
sh /examples.sh /examples json svg tex html

# Without cairo it says what to install; with it, it draws.
line='swz place --dtype bf16 --tile 8x64 -o /atom.png'
missing=$($line 2>&1) && exit 1
case $missing in
  'swz: error: PNG and PDF need libcairo.so.2, which cannot be opened'*'libcairo2'*) ;;
  *) printf 'installed.sh: without cairo: %s\n' "$missing" >&2 && exit 1 ;;
esac
{
  apt-get -q update
  apt-get -q -y install --no-install-recommends libcairo2 fonts-dejavu-core
} >/apt.log 2>&1 || {
  cat /apt.log >&2
  exit 1
}
$line
head -c 4 /atom.png | grep -q PNG
