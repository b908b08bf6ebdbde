#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The product of docs/tutorial.md without a mistake (0) and with each of three, compiled by nvcc.
#
#   sh docs/tutorial/build.sh [FOLDER]    compiles into FOLDER, runs all four and prints a line of each; needs an H100
#   sh docs/tutorial/build.sh --ptx       makes docs/tutorial/gemm_*.ptx, which are in git: tests have no nvcc
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1-}" = --ptx ]; then
  cd "$here"
  for mistake in right:0 advance:1 swizzle:2 bytes:3; do
    ptx=gemm_${mistake%:*}.ptx
    nvcc -std=c++17 -gencode arch=compute_90a,code=compute_90a -O3 -lineinfo -DKERNEL_ONLY -DMISTAKE="${mistake#*:}" \
      -ptx gemm.cu -o "$ptx"
    # Where the headers and this repository lie does not matter.
    sed -i -E 's|^(\t\.file\t[0-9]+ ").*/|\1|' "$ptx"
  done
  exit
fi

folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
for mistake in 0 1 2 3; do
  nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -O3 -lineinfo -DMISTAKE=$mistake "$here/gemm.cu" \
    -o "$folder/gemm_$mistake" -ldl
done
# A mistake may end in an error of its process: each has one of its own.
for mistake in 0 1 2 3; do "$folder/gemm_$mistake" || true; done
