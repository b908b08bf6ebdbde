# SPDX-License-Identifier: Apache-2.0
# Installs the build tree BUILD into a scratch prefix, looks at what is there, then has another project find,
# compile, link and run it. Moved before use: an installed package must not remember where it was built.
#
#   cmake -D BUILD= -D GENERATOR= -D CXX= -D CONFIG= -D WITH_CLI= -D VERSION= -P find_package.cmake
cmake_minimum_required(VERSION 3.25)

# run(COMMAND...): fails the test with the output of a command that fails; leaves the output in `output`.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
  endif()
endmacro()

set(scratch ${BUILD}/tests/install/find_package)
set(prefix ${scratch}/moved)
file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${scratch}/prefix)
file(RENAME ${scratch}/prefix ${prefix})

file(GLOB_RECURSE installed LIST_DIRECTORIES false RELATIVE ${prefix} ${prefix}/*)
set(wanted "^lib.*/cmake/swz/swzConfig\\.cmake$" "^lib.*/libswz\\.")
if(WITH_CLI)
  list(APPEND wanted "^bin/swz$" "^share/man/man1/swz\\.1$" "^share/bash-completion/completions/swz$"
       "^share/swz/docs/guide\\.md$" "^share/swz/docs/llms\\.txt$" "^share/swz/docs/swz\\.schema\\.json$"
       "^share/zsh/site-functions/_swz$" "^share/fish/vendor_completions\\.d/swz\\.fish$")
endif()
foreach(pattern IN LISTS wanted)
  set(found ${installed})
  list(FILTER found INCLUDE REGEX ${pattern})
  if(NOT found)
    message(SEND_ERROR "not installed: ${pattern}")
  endif()
  foreach(file IN LISTS found)
    file(SIZE ${prefix}/${file} bytes)
    if(bytes EQUAL 0)
      message(SEND_ERROR "installed empty: ${file}")
    endif()
  endforeach()
endforeach()

# On the include path there is only swz/, with the public headers and no other.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/public_headers.cmake)
list(TRANSFORM SWZ_PUBLIC_HEADERS PREPEND include/swz/ OUTPUT_VARIABLE expected)
set(headers ${installed})
list(FILTER headers INCLUDE REGEX "^include/")
foreach(header IN LISTS headers expected)
  if(NOT (header IN_LIST headers AND header IN_LIST expected))
    message(SEND_ERROR "public and not installed, or installed and not public: ${header}")
  endif()
endforeach()
# Each of them compiles by itself, and all of them in one file.
set(all "")
foreach(header IN LISTS SWZ_PUBLIC_HEADERS)
  string(APPEND all "#include <swz/${header}>\n")
endforeach()
file(WRITE ${scratch}/all.hpp "${all}int main() { return swz::api_version > 0 ? 0 : 1; }\n")
list(TRANSFORM expected PREPEND ${prefix}/)
run(${CXX} -std=c++20 -fsyntax-only -w -I ${prefix}/include -x c++ ${expected} ${scratch}/all.hpp)

if(WITH_CLI)
  run(${prefix}/bin/swz --version)
  if(NOT output MATCHES "${VERSION}")
    message(FATAL_ERROR "the installed swz --version says: ${output}")
  endif()
endif()

# docs/library.md shows the consumer's program and what it prints.
string(REGEX REPLACE "\\.[0-9]+$" "" minor ${VERSION})
set(printed "swz ${VERSION}: size 512, offset of element 1 is 72")
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/library.md document)
file(READ ${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp program)
string(REGEX REPLACE "^//[^\n]*\n" "" program "${program}")
foreach(shown IN ITEMS "```cpp\n${program}```" "It prints `${printed}`" "find_package(swz ${minor} REQUIRED)")
  string(FIND "${document}" "${shown}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "docs/library.md does not show:\n${shown}")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${scratch}/consumer
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Debug -D WANTED_VERSION=${minor}
    -D CMAKE_CXX_STANDARD=17)  # C++20 must come from the package
run(${CMAKE_COMMAND} --build ${scratch}/consumer)
run(${scratch}/consumer/consumer)
if(NOT output STREQUAL "${printed}\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
