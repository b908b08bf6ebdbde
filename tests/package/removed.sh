#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# removed.sh PACKAGE: on a bare system, installs PACKAGE, asks it, removes it and compares the files with those before.
# pip leaves empty folders below /usr/local; they are not compared. Prints the seconds from the installation to the first
# answer.
set -eu
package=$1
export PATH="/usr/local/bin:$PATH"
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/log -o -path /var/cache -o -path '/var/lib/dpkg/*-old' \
    -o -path /var/lib/dpkg/lock \) -prune -o ! \( -type d -path '/usr/local/*' \) -print | sort
}

case $package in
  *.whl)
    { apt-get -q update && apt-get -q -y install --no-install-recommends python3 python3-pip; } >/tmp/apt.log 2>&1 || {
      cat /tmp/apt.log >&2
      exit 1
    }
    ;;
esac
files >/tmp/before
begun=$(date +%s)
case $package in
  *.whl)
    pip install -q --no-cache-dir --no-index --break-system-packages "$package"
    remove='pip uninstall -q -y --break-system-packages swz'
    ;;
  *.deb)
    dpkg -i "$package" >/tmp/dpkg.log
    remove='dpkg --purge swz'
    ;;
  *.tar.gz)
    tar -C /opt -xzf "$package"
    remove="rm -r /opt/$(basename "$package" .tar.gz)"
    PATH=/opt/$(basename "$package" .tar.gz)/bin:$PATH
    ;;
esac
hash -r
swz decode 0x4000004000010042 >/tmp/answer
took=$(($(date +%s) - begun))
grep -q 128B /tmp/answer
[ "$took" -lt 20 ] || {
  echo "removed.sh: the first answer came after $took s" >&2
  exit 1
}
folder=$(dirname "$(dirname "$(command -v swz)")")
for file in share/man/man1/swz.1 share/bash-completion/completions/swz share/zsh/site-functions/_swz \
  share/fish/vendor_completions.d/swz.fish share/swz/facts.json share/swz/docs/guide.md share/swz/page/index.html; do
  [ -s "$folder/$file" ] || [ -s "$folder/$file.gz" ] || {
    echo "removed.sh: there is no $folder/$file" >&2
    exit 1
  }
done
$remove >/tmp/removal.log 2>&1
files >/tmp/after
diff /tmp/before /tmp/after >&2 || {
  echo 'removed.sh: the files after the removal are others than before' >&2
  exit 1
}
echo "$took s to the first answer, removed without a trace"
