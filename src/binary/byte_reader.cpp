// SPDX-License-Identifier: Apache-2.0
#include "binary/byte_reader.hpp"

#include <fmt/format.h>

namespace swz {

void ByteReader::refuse(const std::string& rule, std::uint64_t at, const std::string& way_out) const {
  throw Error(fmt::format("{}: {} at {:#x}", name_, rule, begin_ + at),
              way_out.empty() ? "the file is damaged: copy it or build it again" : way_out);
}

void ByteReader::throw_outside(std::uint64_t at, std::uint64_t count) const {
  throw Error(
      fmt::format("{}: {} bytes at {:#x} reach beyond its end at {:#x}", name_, count, begin_ + at, begin_ + size()),
      "the file is cut off or damaged: copy it or build it again");
}

}  // namespace swz
