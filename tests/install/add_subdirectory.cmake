# SPDX-License-Identifier: Apache-2.0
# Configures a project that has swz as a subdirectory and sees that swz keeps its settings to itself.
#
#   cmake -D SOURCE= -D BUILD= -D GENERATOR= -D CXX= -P add_subdirectory.cmake
cmake_minimum_required(VERSION 3.25)

set(scratch ${BUILD}/tests/install/add_subdirectory)
file(REMOVE_RECURSE ${scratch})
# CLI11 is not looked for: a user of only the library need not have it.
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/parent -B ${scratch}
                        -D SWZ_SOURCE=${SOURCE} -D CMAKE_CXX_COMPILER=${CXX} -D SWZ_BUILD_CLI=OFF
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
# The parent installs nothing, so neither may swz.
execute_process(COMMAND ${CMAKE_COMMAND} --install ${scratch} --prefix ${scratch}/prefix
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR output MATCHES "swz")
  message(FATAL_ERROR "installing the project around swz (${status}): ${output}")
endif()
