// SPDX-License-Identifier: Apache-2.0
#include "binary/zip.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "binary/byte_reader.hpp"

namespace swz {

namespace {

constexpr std::uint32_t member_magic = 0x04034b50, directory_magic = 0x02014b50, end64_magic = 0x06064b50,
                        locator64_magic = 0x07064b50;
constexpr std::string_view end_magic{"PK\x05\x06", 4};
constexpr std::uint64_t end_bytes = 22, locator_bytes = 20, directory_bytes = 46, member_bytes = 30;
constexpr std::uint32_t in_zip64 = 0xffffffff;

struct Directory {
  std::uint64_t at = 0, count = 0;
};

// The end record is the last one; a comment of up to 64 KiB may follow it.
Directory directory_of(const ByteReader& file) {
  const std::size_t end = file.bytes().rfind(end_magic);
  if (end == std::string_view::npos || !file.holds(end, end_bytes))
    file.refuse("no directory of a zip file", 0, "the file is cut off: fetch it again");
  Directory directory{file.u32(end + 16), file.u16(end + 10)};
  if (end < locator_bytes || file.u32(end - locator_bytes) != locator64_magic) return directory;
  const std::uint64_t end64 = file.u64(end - locator_bytes + 8);
  if (file.u32(end64) != end64_magic) file.refuse("no zip64 directory", end64);
  return {file.u64(end64 + 48), file.u64(end64 + 32)};
}

// Sizes and place of a member, from its extra field of kind 1 where they do not fit in 32 bits.
struct Sizes {
  std::uint64_t size, stored, at;
};
Sizes sizes_of(const ByteReader& header, const ByteReader& extra) {
  Sizes sizes{header.u32(24), header.u32(20), header.u32(42)};
  for (std::uint64_t at = 0; extra.holds(at, 4); at += 4 + extra.u16(at + 2)) {
    if (extra.u16(at) != 1) continue;
    std::uint64_t place = at + 4;
    for (std::uint64_t* value : {&sizes.size, &sizes.stored, &sizes.at}) {
      if (*value != in_zip64) continue;
      *value = extra.u64(place);
      place += 8;
    }
  }
  return sizes;
}

void read_method(const ByteReader& header, ZipMember& member) {
  const std::uint16_t method = header.u16(10);
  if ((header.u16(8) & 1) != 0) member.why = "it is encrypted; unpack it";
  else if (method == 8) member.compression = Compression::deflate;
  else if (method != 0) member.why = fmt::format("its compression, method {} of zip, is not known; unpack it", method);
  else if (member.stored.size() != member.size) member.why = "its two sizes differ; the file is damaged";
}

}  // namespace

bool is_zip(std::string_view bytes) {
  return bytes.starts_with(std::string_view("PK\x03\x04", 4)) || bytes.starts_with(end_magic);
}

std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& name) {
  const ByteReader file(bytes, name);
  const Directory directory = directory_of(file);
  std::vector<ZipMember> members;
  std::uint64_t at = directory.at;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const ByteReader header = file.inside(at, directory_bytes);
    if (header.u32(0) != directory_magic) file.refuse("no entry of the directory of a zip file", at);
    require_within(limits::archive_members, std::ssize(members) + 1);
    const std::uint64_t name_bytes = header.u16(28), extra_bytes = header.u16(30), comment_bytes = header.u16(32);
    const ByteReader extra = file.inside(at + directory_bytes + name_bytes, extra_bytes);
    const Sizes sizes = sizes_of(header, extra);
    if (file.u32(sizes.at) != member_magic) file.refuse("no member of a zip file", sizes.at);
    ZipMember member{.name = std::string(file.part(at + directory_bytes, name_bytes)), .size = sizes.size};
    member.place = sizes.at + member_bytes + file.u16(sizes.at + 26) + file.u16(sizes.at + 28);
    member.stored = file.part(member.place, sizes.stored);
    read_method(header, member);
    if (!member.name.ends_with('/')) members.push_back(std::move(member));
    at += directory_bytes + name_bytes + extra_bytes + comment_bytes;
  }
  return members;
}

}  // namespace swz
