#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.sh FOLDER [FORMAT...]: runs each example of the help with the swz of the PATH, as text and in the formats, and
# prints each line, what it wrote and its exit code. Needs a POSIX shell and nothing else, so that it runs on a bare
# system; FOLDER is what gather.sh has made on another.
#
#   sh tests/package/gather.sh build/default/swz build/examples
#   PATH=build/portable:$PATH sh tests/package/examples.sh build/examples json svg tex html > transcript
#
# Two programs that give the same answers give the same transcript.
set -eu
cd "$1"
shift
export PATH="$PWD:$PATH" LC_ALL=C.UTF-8 COLUMNS=100 NO_COLOR=1 SWZ_NVRTC=/none
unset SWZ_ARCH CUDA_HOME CUDA_PATH

# show LINE: what a person sees who types it.
show() {
  printf '$ %s\n' "$1"
  status=0
  sh -c "$1" 2>&1 </dev/null || status=$?
  printf '[exit %s]\n' "$status"
}

while IFS= read -r line; do
  show "$line"
  for format; do show "$line -f $format"; done
done <lines
show 'cat frag.svg'
rm frag.svg
