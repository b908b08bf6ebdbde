// SPDX-License-Identifier: Apache-2.0
// The files of tests/data/binary, which fixtures.py makes, and how cuobjdump names what is in them.
#pragma once

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "binary/codec/codecs.hpp"
#include "binary/kernel_catalog.hpp"

namespace swz {

inline std::string fixture(const std::string& name) {
  std::ifstream in(std::string(SWZ_SOURCE_DIR) + "/tests/data/binary/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::vector<std::string> fixture_lines(const std::string& name) {
  std::vector<std::string> lines;
  std::istringstream text(fixture(name));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

inline KernelCatalog catalog_of(const std::string& bytes, const std::string& name, const KernelFilter& filter = {}) {
  KernelCatalog catalog(built_in_codecs(), filter);
  catalog.add({bytes, name});
  return catalog;
}

}  // namespace swz
