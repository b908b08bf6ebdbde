# SPDX-License-Identifier: Apache-2.0
# The toolchain of the portable command for Linux on aarch64, on any machine: qemu runs it for its man page.
#
#   sh scripts/package binary && cmake --preset portable-aarch64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(zig_target aarch64-linux-gnu.2.17)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# The decompressors of Debian for arm64, if their packages (libzstd-dev, liblz4-dev, zlib1g-dev) were unpacked there.
cmake_path(SET arm64 NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/arm64)
set(CMAKE_PREFIX_PATH ${arm64}/usr)
# The C library is that of Debian's libc6-arm64-cross.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/portable.cmake)
