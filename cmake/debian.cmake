# SPDX-License-Identifier: Apache-2.0
# What Debian's policy wants of the .deb beyond the installed files; CPack runs it on them (cmake/package.cmake).
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
execute_process(COMMAND gzip -9 -n ${share}/man/man1/swz.1 COMMAND_ERROR_IS_FATAL ANY)
# The time is SOURCE_DATE_EPOCH.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${share}/doc/swz/changelog "swz (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * ${CPACK_DEBIAN_PACKAGE_HOMEPAGE}/blob/v${CPACK_PACKAGE_VERSION}/CHANGELOG.md

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9 -n ${share}/doc/swz/changelog COMMAND_ERROR_IS_FATAL ANY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/../share/packaging/lintian-overrides ${share}/lintian/overrides/swz COPYONLY)
