# SPDX-License-Identifier: Apache-2.0
# The toolchain of the web page: zig's clang and wasi-libc make the command as WebAssembly.
#
#   sh scripts/page    fetches zig, then cmake --preset wasm
#
# zig's C++ library for WASI cannot throw. page/wasm/CMakeLists.txt compiles the same sources so that it can. zig reads
# -Oz as -Os: the preset passes it again, to clang itself, which makes the code a fifth smaller.
cmake_path(SET zig_folder NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/zig/ziglang)
if(NOT EXISTS ${zig_folder}/zig)
  message(FATAL_ERROR "there is no ${zig_folder}/zig; 'sh scripts/page' fetches it")
endif()
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(wasm_target -target wasm32-wasi -mcpu=generic+exception_handling)
set(CMAKE_C_COMPILER ${zig_folder}/zig cc ${wasm_target})
set(CMAKE_ASM_COMPILER ${zig_folder}/zig cc ${wasm_target})
set(CMAKE_CXX_COMPILER ${zig_folder}/zig c++ ${wasm_target})
# Where fmt, nlohmann-json and CLI11 are.
set(CMAKE_PREFIX_PATH /usr)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# fmt, nlohmann-json and CLI11 are headers in /usr/include, whose C library comes after that of the target.
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -idirafter /usr/include -g0 -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions -g0")
# A frame of a deep recursion has as much room as on Linux; the C++ library is swz_cxx.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ -s -Wl,--gc-sections -Wl,-z,stack-size=8388608")
set(SWZ_PAGE ON)
