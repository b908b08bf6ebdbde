# SPDX-License-Identifier: Apache-2.0
# swz_unite(TARGET): compiles the files of TARGET in batches, which reads each header once a batch instead of once a file.
#
#   view/banks.cpp, view/decode.cpp, …   unity_view_0
#   expr/c_linear.cpp                    by itself: its Value is not the Value of expr/value.hpp
#
# A batch has files of one room of which no two declare the same name, and none declares the name of a type of a header
# or of anything in a header of the tests. Names are those at the beginning of a line, as clang-format formats it:
# functions, constants, types. A conflict that this does not find is found by the compiler: it reports "redefinition",
# and one of the two must be renamed.
set(SWZ_BATCH_FILES 12)

# The names that the text of a file declares at the beginning of its lines.
function(swz_names_in text out)
  set(names "")
  string(REGEX MATCHALL "\n[A-Za-z_][^\n;()={]*[ &*][a-z_0-9]+\\(" functions "${text}")
  string(REGEX MATCHALL "\n(constexpr|const|inline|static) [^\n;()={]*[ &*][a-z_0-9]+(\\[[a-z_0-9]*\\])? ?[={]" constants
         "${text}")
  string(REGEX MATCHALL "\n(struct|class|enum class|using) [A-Z][A-Za-z0-9]*" types "${text}")
  foreach(match IN LISTS functions constants types)
    string(REGEX REPLACE ".*[ &*]([A-Za-z_0-9]+)(\\[[a-z_0-9]*\\])? ?[({=]?$" "\\1" name "${match}")
    list(APPEND names ${name})
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

function(swz_unite target)
  if(NOT SWZ_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <functional> <map> <memory> <optional> <set> <span>
                            <string> <variant> <vector> <fmt/format.h>)
  set(types "")
  file(GLOB headers ${PROJECT_SOURCE_DIR}/src/*/*.hpp ${PROJECT_SOURCE_DIR}/cmd/*.hpp)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "\n(struct|class|enum class|using) [A-Z][A-Za-z0-9]*" declared "${text}")
    list(TRANSFORM declared REPLACE ".* " "")
    list(APPEND types ${declared})
  endforeach()
  # A name in a header of the tests is more often also a name of a test's own.
  file(GLOB headers ${PROJECT_SOURCE_DIR}/tests/*/*.hpp)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    swz_names_in("${text}" declared)
    list(APPEND types ${declared})
  endforeach()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "^${PROJECT_SOURCE_DIR}/(cmd|(src|tests)/.*)/[^/]*$")
      continue()
    endif()
    cmake_path(GET CMAKE_MATCH_1 FILENAME room)
    file(READ ${source} text)
    swz_names_in("${text}" names)
    set(alone NO)
    foreach(name IN LISTS names)
      if(name IN_LIST types)
        set(alone YES)
      endif()
    endforeach()
    # Enumerators without their type, and names of namespaces other than swz, are names that the text does not show.
    string(REPLACE "\nusing namespace swz;" "" text "${text}")
    if(alone OR text MATCHES "\nusing (enum|namespace) ")
      continue()
    endif()
    set(batch -1)
    set(free NO)
    while(NOT free)
      math(EXPR batch "${batch} + 1")
      set(free YES)
      list(LENGTH files_${room}_${batch} count)
      if(count GREATER_EQUAL SWZ_BATCH_FILES)
        set(free NO)
      endif()
      foreach(name IN LISTS names)
        if(name IN_LIST names_${room}_${batch})
          set(free NO)
        endif()
      endforeach()
    endwhile()
    list(APPEND names_${room}_${batch} ${names})
    list(APPEND files_${room}_${batch} ${source})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${batch})
  endforeach()
endfunction()
