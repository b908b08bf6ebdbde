# SPDX-License-Identifier: Apache-2.0
# The documents that packages have in share/swz/docs, where swz mcp finds them: SWZ_DOCUMENTS, with absolute paths.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
file(GLOB SWZ_DOCUMENTS CONFIGURE_DEPENDS ${root}/docs/*.md)
list(APPEND SWZ_DOCUMENTS ${root}/docs/swz.schema.json ${root}/llms.txt)
