# SPDX-License-Identifier: Apache-2.0
# The toolchain of the portable command: zig's clang and libc++, and the symbols of glibc 2.17, independent of this machine.
#
#   sh scripts/package binary    fetches zig, then cmake --preset portable
#
# The program is linked at a fixed address: nothing is relocated when it starts. portable_aarch64.cmake and
# portable_macos*.cmake set another target and include this file.
cmake_path(SET zig NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/zig/ziglang/zig)
if(NOT EXISTS ${zig})
  message(FATAL_ERROR "there is no ${zig}; 'sh scripts/package binary' fetches it")
endif()
if(NOT zig_target)
  set(zig_target x86_64-linux-gnu.2.17)
  set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
endif()
set(CMAKE_CXX_COMPILER ${zig} c++ -target ${zig_target})
# That of binutils, which comes with every compiler: CMake would choose an llvm-ar that another machine does not have.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  find_program(CMAKE_AR NAMES ar NO_CACHE REQUIRED)
  find_program(CMAKE_RANLIB NAMES ranlib NO_CACHE REQUIRED)
endif()
# fmt's package, for another machine: only headers of it are compiled.
foreach(folder /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu)
  if(CMAKE_SYSTEM_NAME AND EXISTS ${folder}/cmake/fmt)
    set(fmt_DIR ${folder}/cmake/fmt CACHE PATH "fmt")
  endif()
endforeach()
# fmt, nlohmann-json and CLI11 are headers in /usr/include, whose C library comes after that of the target.
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include -g0 -fno-pie -ffunction-sections -fdata-sections")
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include -g0")
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-s -Wl,-dead_strip")
else()
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-no-pie -s -Wl,--gc-sections")
endif()
