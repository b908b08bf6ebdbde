// SPDX-License-Identifier: Apache-2.0
// Codecs: the decompressors that the program was built with. The library has none of them; src/binary/codec has those of
// zstd, LZ4 and zlib, each only if its library was there.
//
//   decompress(codecs, Compression::lz4, stored, {.bytes = 9000, .name = "libfoo.so"})     9000 bytes, or Error
//
// Every compressed part says its size, so that exactly this many bytes are allocated, once the size is within
// base/limits.hpp; a part that yields more or fewer is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arch/row_of.hpp"

namespace swz {

enum class Compression : std::uint8_t { none, lz4, zstd, deflate };

constexpr std::string_view to_string(Compression compression) {
  return name_in({"none", "lz4", "zstd", "deflate"}, compression);
}

// Fills `to` from the compressed bytes: the number of bytes that they hold, or -1 for bytes that are damaged or hold more.
using Decompressor = std::int64_t (*)(std::string_view from, std::span<char> to);

struct Codecs {
  Decompressor lz4 = nullptr, zstd = nullptr, deflate = nullptr;  // null: not built in
};

struct DecompressedPart {
  std::uint64_t bytes = 0;
  std::string name = {};  // of the file, for messages
  std::uint64_t place = 0;
};

// Throws Error for damaged bytes, a size above the limit, and a library that is not built in, with how to get it.
std::string decompress(const Codecs& codecs, Compression compression, std::string_view stored,
                       const DecompressedPart& part);

}  // namespace swz
