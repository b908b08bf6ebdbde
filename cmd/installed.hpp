// SPDX-License-Identifier: Apache-2.0
// The files that are installed beside the command, as packages and `cmake --install` arrange them:
//
//   PREFIX/bin/swz  →  installed_path("page/index.html") is PREFIX/share/swz/page/index.html
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// The path; none if there is no such file. The web page (page/wasm) has none.
std::optional<std::string> installed_path(std::string_view name);

// The names of the files in an installed folder ("docs"), sorted; none if there is no such folder.
std::vector<std::string> installed_files(std::string_view folder);

// Opens it in the browser of the desktop. Returns false if this session has no desktop.
bool open_in_browser(const std::string& path);

}  // namespace swz
