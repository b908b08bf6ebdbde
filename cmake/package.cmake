# SPDX-License-Identifier: Apache-2.0
# CPack's description of the packages; scripts/package runs it on what it has built:
#
#   cpack --config cmake/package.cmake -G TGZ -B build/package    swz-VERSION-linux-x86_64.tar.gz: the command
#   cpack --config cmake/package.cmake -G DEB -B build/package    swz_VERSION_amd64.deb: the library as well
# CPack reads this file twice: the second time it has chosen its generator.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_FILE})
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
load_cache(${root}/build/portable READ_WITH_PREFIX "" CMAKE_PROJECT_VERSION CMAKE_PROJECT_DESCRIPTION)
set(CPACK_PACKAGE_NAME swz)
set(CPACK_PACKAGE_VERSION ${CMAKE_PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${CMAKE_PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Decodes, computes, draws and checks the memory layouts that NVIDIA\ntensor cores read.")
set(CPACK_PACKAGE_CONTACT "the authors of swz <swz@example.invalid>")
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_INSTALL_CMAKE_PROJECTS "${root}/build/portable;swz;command;/")
set(CPACK_STRIP_FILES OFF)

# The archive can be unpacked anywhere.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGE_FILE_NAME swz-${CPACK_PACKAGE_VERSION}-linux-x86_64)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
elseif(CPACK_GENERATOR STREQUAL "DEB")
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${root}/build/library;swz;ALL;/")
  set(CPACK_PACKAGE_FILE_NAME swz_${CPACK_PACKAGE_VERSION}_amd64)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE https://github.com/OWNER/swz)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcairo2, fonts-dejavu-core, g++")
endif()
