# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs and where, and how the man page and the completions are made.
#
#   bin/swz                    the command
#   lib/libswz.*               the library, include/swz/<room>/*.hpp its public headers
#   lib/cmake/swz/             find_package(swz) -> swz::swz
#   share/swz/gdb/swz_gdb.py   the commands for gdb
#   share/swz/docs/            the documents, as Markdown, with llms.txt and the schema; swz mcp serves them
#   share/swz/facts.json       what `swz facts` knows
#   share/swz/compiler_explorer/   the tool for Compiler Explorer
#   share/swz/page/            the web page, if SWZ_BUILT_PAGE names it
#   share/man/man1/swz.1, share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}/
#
# The command with its man page and completions is the component "command".
include(CMakePackageConfigHelpers)

install(TARGETS swz EXPORT swzTargets)
foreach(header IN LISTS SWZ_PUBLIC_HEADERS)
  cmake_path(GET header PARENT_PATH room)
  install(FILES ${PROJECT_BINARY_DIR}/include/swz/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/swz/${room})
endforeach()

set(SWZ_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/swz)
install(EXPORT swzTargets NAMESPACE swz:: DESTINATION ${SWZ_PACKAGE_DIR})
configure_package_config_file(cmake/swzConfig.cmake.in ${PROJECT_BINARY_DIR}/swzConfig.cmake
                              INSTALL_DESTINATION ${SWZ_PACKAGE_DIR})
# docs/stability.md: a minor version only adds.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/swzConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/swzConfig.cmake ${PROJECT_BINARY_DIR}/swzConfigVersion.cmake
        DESTINATION ${SWZ_PACKAGE_DIR})

# The program writes its own man page and completions from its table of commands, so they are always up to date. A
# program that was built for another machine cannot be run for this.
if(SWZ_BUILD_CLI)
  install(TARGETS swz_cli COMPONENT command)
  # The licences of what the portable command contains, put together by scripts/package.
  install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command OPTIONAL)
  if(SWZ_BUILT_PAGE)
    install(DIRECTORY ${SWZ_BUILT_PAGE}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/swz/page COMPONENT command OPTIONAL
            ${SWZ_ONLY_ON_A_SERVER})
  endif()
  install(FILES gdb/swz_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/swz/gdb COMPONENT command)
  include(cmake/documents.cmake)
  install(FILES ${SWZ_DOCUMENTS} DESTINATION ${CMAKE_INSTALL_DATADIR}/swz/docs COMPONENT command)
  install(DIRECTORY share/compiler_explorer DESTINATION ${CMAKE_INSTALL_DATADIR}/swz COMPONENT command
          USE_SOURCE_PERMISSIONS)
  if(SKBUILD)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/commands.py
                       COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/python/generate.py --swz $<TARGET_FILE:swz_cli>
                               --module ${PROJECT_BINARY_DIR}/commands.py
                       DEPENDS swz_cli ${PROJECT_SOURCE_DIR}/python/generate.py)
    add_custom_target(swz_python_commands ALL DEPENDS ${PROJECT_BINARY_DIR}/commands.py)
    install(FILES ${PROJECT_BINARY_DIR}/commands.py DESTINATION ${SKBUILD_PLATLIB_DIR}/swz COMPONENT python)
    install(FILES gdb/swz_gdb.py DESTINATION ${SKBUILD_DATA_DIR}/share/swz/gdb COMPONENT python)
    install(FILES ${SWZ_DOCUMENTS} DESTINATION ${SKBUILD_DATA_DIR}/share/swz/docs COMPONENT python)
    install(TARGETS swz_cli DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  endif()
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(manuals "")
    # swz_manual(WHAT FILE DESTINATION): FILE as `swz --generate WHAT` prints it.
    function(swz_manual what file destination)
      set(path ${PROJECT_BINARY_DIR}/generated/share/${what}/${file})
      file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/share/${what})
      add_custom_command(OUTPUT ${path} COMMAND swz_cli --generate ${what} > ${path} DEPENDS swz_cli VERBATIM)
      install(FILES ${path} DESTINATION ${destination} COMPONENT command)
      if(SKBUILD)
        install(FILES ${path} DESTINATION ${SKBUILD_DATA_DIR}/${destination} COMPONENT python)
      endif()
      set(manuals ${manuals} ${path} PARENT_SCOPE)
    endfunction()
    swz_manual(man swz.1 ${CMAKE_INSTALL_MANDIR}/man1)
    swz_manual(bash swz ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    swz_manual(zsh _swz ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    swz_manual(fish swz.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    # Every fact as data, for other programs: docs/json.md has its keys.
    set(facts ${PROJECT_BINARY_DIR}/generated/share/facts.json)
    add_custom_command(OUTPUT ${facts} COMMAND swz_cli facts --format json --output ${facts} DEPENDS swz_cli VERBATIM)
    install(FILES ${facts} DESTINATION ${CMAKE_INSTALL_DATADIR}/swz COMPONENT command)
    if(SKBUILD)
      install(FILES ${facts} DESTINATION ${SKBUILD_DATA_DIR}/share/swz COMPONENT python)
      install(DIRECTORY share/compiler_explorer DESTINATION ${SKBUILD_DATA_DIR}/share/swz COMPONENT python USE_SOURCE_PERMISSIONS)
    endif()
    add_custom_target(swz_manuals ALL DEPENDS ${manuals} ${facts})
  endif()
endif()
