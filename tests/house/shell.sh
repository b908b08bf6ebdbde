#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts have no findings of shellcheck: sh tests/house/shell.sh /usr/bin/shellcheck
set -eu
shellcheck=$1
# shellcheck disable=SC2046  # one word for each name
set -- $(grep -rl '^#!/bin/sh' scripts .ci/run tests docs/tutorial share --include='*.sh' --include='[a-z]*')
"$shellcheck" --external-sources "$@" scripts/lib.sh
echo "$# scripts"
