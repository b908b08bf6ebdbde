// SPDX-License-Identifier: Apache-2.0
#include "binary/fat_binary.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"

namespace swz {

namespace {

constexpr std::uint64_t container_header = 16, entry_header = 64;

struct FlagOfCompression {
  std::uint64_t flag;
  Compression compression;
};
constexpr FlagOfCompression compressions[] = {{0x2000, Compression::lz4}, {0x8000, Compression::zstd}};
constexpr std::uint64_t old_compression = 0x1000, obfuscated = 0x10000, architecture_specific = 0x100000,
                        family = 0x200000;

SmArch arch_of(const ByteReader& header) {
  const std::uint64_t flags = header.u64(40);
  return {header.u32(28), (flags & architecture_specific) != 0 ? 'a' : (flags & family) != 0 ? 'f' : '\0'};
}

// Compression, size, and why it cannot be read.
void read_flags(const ByteReader& header, FatEntry& entry) {
  const std::uint64_t flags = header.u64(40), compressed = header.u32(16);
  entry.size = entry.stored.size();
  if ((flags & old_compression) != 0) {
    entry.why = "the compression of CUDA 10 and older (flag 0x1000) is not known; compile with a newer toolkit";
    return;
  }
  if (entry.kind == FatKind::nvvm || (flags & obfuscated) != 0) {
    entry.why = "NVVM IR for link-time optimization is not public; link the program, or compile without -dlto";
    return;
  }
  for (const FlagOfCompression& row : compressions) {
    if ((flags & row.flag) == 0) continue;
    if (compressed > entry.stored.size()) {
      entry.why = fmt::format("it says that {} of its {} bytes are compressed; the file is damaged", compressed,
                              entry.stored.size());
      return;
    }
    entry.compression = row.compression;
    entry.stored = entry.stored.substr(0, compressed);
    entry.size = header.u64(56);
  }
}

// Kind 0x100: at 64 the number of parts, at 72 a header for each.
void add_parts(const ByteReader& header, const FatEntry& whole, std::vector<FatEntry>& entries) {
  const std::uint64_t count = header.u32(64);
  if (count > (header.size() - 72) / entry_header)
    header.refuse(fmt::format("an entry says that it has {} parts, more than its header holds", count), 64);
  for (std::uint64_t i = 0; i < count; ++i) {
    const ByteReader part = header.inside(72 + entry_header * i, entry_header);
    FatEntry entry = whole;
    entry.kind = static_cast<FatKind>(part.u16(0));
    entry.arch = arch_of(part);
    entry.part = part.u32(4);
    entry.part_bytes = part.u64(8);
    if (*entry.part > whole.size || entry.part_bytes > whole.size - *entry.part)
      entry.why = fmt::format("its {} bytes at {:#x} reach beyond the {} bytes of the payload; the file is damaged",
                              entry.part_bytes, *entry.part, whole.size);
    entries.push_back(std::move(entry));
  }
}

}  // namespace

FatContainer read_fat_container(const ByteReader& file, std::uint64_t at) {
  if (!file.part(at, container_header).starts_with(fat_magic)) file.refuse("no fat binary", at);
  const ByteReader container = file.inside(at + container_header, file.u64(at + 8));
  FatContainer out{at, container_header + container.size(), {}};
  for (std::uint64_t place = 0; container.holds(place, entry_header);) {
    const std::uint64_t header_bytes = container.u32(place + 4), payload_bytes = container.u64(place + 8);
    if (header_bytes < entry_header)
      container.refuse(fmt::format("the header of an entry has {} bytes, fewer than 64", header_bytes), place);
    const ByteReader header = container.inside(place, header_bytes);
    FatEntry entry{.kind = static_cast<FatKind>(header.u16(0)), .arch = arch_of(header)};
    entry.place = at + container_header + place + header_bytes;
    entry.stored = container.part(place + header_bytes, payload_bytes);
    read_flags(header, entry);
    require_within(limits::fat_entries, std::ssize(out.entries) + 1);
    if (entry.kind == FatKind::concatenated && entry.why.empty()) add_parts(header, entry, out.entries);
    else out.entries.push_back(std::move(entry));
    place += header_bytes + payload_bytes;
  }
  return out;
}

}  // namespace swz
