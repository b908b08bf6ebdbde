// SPDX-License-Identifier: Apache-2.0
// The page has no files to map: what is pasted or dropped there is read as standard input.
#include "mapped_file.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

PathKind kind_of_path(const std::string&) { return PathKind::other; }

std::vector<std::string> files_of_folder(const std::string&, const std::string&) { return {}; }

MappedFile::MappedFile(const std::string& path, const std::string& way_out) {
  throw Error("cannot open " + quoted(path) + ": the page has no files", way_out);
}

void MappedFile::release() const {}

MappedFile::~MappedFile() = default;

}  // namespace swz
