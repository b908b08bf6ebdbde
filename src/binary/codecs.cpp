// SPDX-License-Identifier: Apache-2.0
#include "binary/codecs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {

namespace {

struct CodecRow {
  Compression compression;
  Decompressor Codecs::*decompressor;
  std::string_view library, package;
};

constexpr CodecRow rows[] = {{Compression::lz4, &Codecs::lz4, "LZ4", "liblz4-dev"},
                             {Compression::zstd, &Codecs::zstd, "zstd", "libzstd-dev"},
                             {Compression::deflate, &Codecs::deflate, "zlib", "zlib1g-dev"}};

}  // namespace

std::string decompress(const Codecs& codecs, Compression compression, std::string_view stored,
                       const DecompressedPart& part) {
  if (compression == Compression::none) return std::string(stored);
  const CodecRow* row = rows;
  while (row->compression != compression) ++row;
  const Decompressor decompressor = codecs.*row->decompressor;
  if (decompressor == nullptr)
    throw Error(
        fmt::format("{}: the part at {:#x} is compressed by {}, and this swz was built without it", part.name,
                    part.place, row->library),
        fmt::format("install the wheel, or {} and build again; compile with nvcc --compress-mode=none", row->package));
  if (part.bytes > static_cast<std::uint64_t>(limits::decompressed_bytes.most))
    throw Error(fmt::format("{}: the part at {:#x} says that it has {} bytes, more than the limit of {} MiB of {}",
                            part.name, part.place, part.bytes, limits::decompressed_bytes.most / limits::mib,
                            limits::decompressed_bytes.what),
                std::string(limits::decompressed_bytes.way_out));
  // No method makes a thousandth of that; so a size that lies allocates little.
  constexpr std::uint64_t largest_ratio = 1 << 16;
  std::string out;
  if (part.bytes / largest_ratio <= stored.size()) out.resize(part.bytes);
  const std::int64_t count = out.size() == part.bytes ? decompressor(stored, out) : -1;
  if (count < 0 || static_cast<std::uint64_t>(count) != part.bytes)
    throw Error(
        fmt::format("{}: the part at {:#x} is no {} of {} bytes", part.name, part.place, row->library, part.bytes),
        "the file is damaged: copy it or build it again");
  return out;
}

}  // namespace swz
