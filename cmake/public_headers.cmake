# SPDX-License-Identifier: Apache-2.0
# The headers of the library, which are installed; all others are internal to the project. They include only the
# standard library and each other.
#
#   include(public_headers.cmake)                                SWZ_PUBLIC_HEADERS
#   cmake -D SOURCES="src;generated" -D TO=include/swz -P …      writes them as others include them
#
# Inside the project a header is "layout/layout.hpp", from the root of src; outside it is <swz/layout/layout.hpp>, so
# that nothing but swz/ is on the include path of others.
set(SWZ_PUBLIC_HEADERS
    # base
    base/bit_field.hpp base/error.hpp base/finding.hpp base/units.hpp base/version.hpp base/workers.hpp
    # layout
    layout/algebra.hpp layout/analysis.hpp layout/basis_layout.hpp layout/composed_layout.hpp layout/layout.hpp
    layout/swizzle.hpp layout/tiling.hpp
    # arch
    arch/block_scaled_mma.hpp arch/cuda_result.hpp arch/descriptor_format.hpp arch/dtype.hpp arch/instruction.hpp
    arch/narrow.hpp arch/row_of.hpp arch/swizzle_mode.hpp arch/target.hpp arch/tensor_map_enum.hpp
    # fragment
    fragment/fragment.hpp
    # smem
    smem/access.hpp smem/bank_search.hpp smem/choose.hpp smem/mma_operand.hpp smem/placement.hpp
    smem/swizzle_find.hpp smem/tile.hpp smem/walk.hpp
    # scale
    scale/row_order.hpp scale/scale_layout.hpp scale/scale_tensor.hpp
    # expr
    expr/evaluate.hpp
    # descriptor
    descriptor/descriptor_word.hpp descriptor/fields.hpp descriptor/instruction_descriptor.hpp
    descriptor/layout_descriptor.hpp descriptor/operand_map.hpp
    descriptor/smem_descriptor.hpp descriptor/tile_descriptor.hpp
    descriptor/word_text.hpp
    # binary
    binary/codecs.hpp binary/cubin.hpp binary/elf.hpp binary/embedded_binary.hpp binary/kernel_catalog.hpp
    binary/line_table.hpp binary/sm_arch.hpp
    # tma
    tma/im2col_walk.hpp
    tma/placement.hpp tma/plan.hpp tma/tensor_map.hpp
    tma/tensor_map_rules.hpp)

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()
cmake_minimum_required(VERSION 3.25)
foreach(header IN LISTS SWZ_PUBLIC_HEADERS)
  foreach(root IN LISTS SOURCES)
    if(EXISTS ${root}/${header})
      file(READ ${root}/${header} text)
    endif()
  endforeach()
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*\"(.*)\"" "\\1" included ${include})
    if(NOT included IN_LIST SWZ_PUBLIC_HEADERS)
      message(FATAL_ERROR "the public header ${header} includes ${included}: make that one public in "
                          "cmake/public_headers.cmake, or do without it")
    endif()
  endforeach()
  string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <swz/\\1>" text "${text}")
  # Only a header that changed is written, so that its users are not compiled again for nothing.
  set(old "")
  if(EXISTS ${TO}/${header})
    file(READ ${TO}/${header} old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE ${TO}/${header} "${text}")
  endif()
endforeach()
