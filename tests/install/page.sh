#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# page.sh SWZ: `swz page` finds the page that lies beside it, asks the desktop to open it, and says so when there is none.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/bin" "$place/share/swz/page" "$place/desktop"
cp "$1" "$place/bin/swz"
page=$place/share/swz/page/index.html
echo '<title>swz</title>' >"$page"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$1" >%s/opened\n' "$place" >"$place/desktop/xdg-open"
chmod +x "$place/desktop/xdg-open"
export PATH="$place/desktop:$PATH"
unset DISPLAY WAYLAND_DISPLAY

expect() {
  [ "$1" = "$2" ] || { printf 'expected: %s\ngot:      %s\n' "$2" "$1" >&2; exit 1; }
}

expect "$("$place/bin/swz" page --where)" "page  $page"
expect "$("$place/bin/swz" page -f json)" "{\"verdict\":\"clean\",\"path\":\"$page\",\"opened\":false}"
expect "$("$place/bin/swz" page | tail -n 1 | cut -c 1-15)" 'no desktop here'
expect "$(DISPLAY=:1 "$place/bin/swz" page -f json)" "{\"verdict\":\"clean\",\"path\":\"$page\",\"opened\":true}"
# The browser is another process, for which swz does not wait.
until [ -s "$place/opened" ]; do sleep 0.05; done
expect "$(cat "$place/opened")" "$page"
rm "$place/opened"
expect "$(echo page | DISPLAY=:1 "$place/bin/swz" batch -)" "{\"exit\":0,\"result\":{\"verdict\":\"clean\",\"path\":\"$page\",\"opened\":false}}"
[ ! -e "$place/opened" ] || expect 'a batch opened a browser' 'none'
