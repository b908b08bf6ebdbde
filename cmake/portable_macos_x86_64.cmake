# SPDX-License-Identifier: Apache-2.0
# The toolchain of the command for macOS 13 on x86_64, by zig, which has Apple's headers. It has not been built to the end yet.
#
#   sh scripts/package binary && cmake --preset portable-macos-x86_64
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(zig_target x86_64-macos.13.0)
include(${CMAKE_CURRENT_LIST_DIR}/portable.cmake)
