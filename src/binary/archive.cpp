// SPDX-License-Identifier: Apache-2.0
#include "binary/archive.hpp"

#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "binary/byte_reader.hpp"

namespace swz {

namespace {

constexpr std::string_view magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::uint64_t ar_header_bytes = 60;

// "foo.o/" is foo.o, "/17" the name at 17 of the long ones.
std::string name_of(std::string_view field, std::string_view long_names) {
  if (field.size() > 1 && field[0] == '/' && is_digit(field[1])) {
    const auto at = find_unsigned(std::string(field.substr(1)));
    if (!at || *at >= long_names.size()) return std::string(field);
    field = long_names.substr(*at);
    field = field.substr(0, field.find('\n'));
  }
  return std::string(field.ends_with('/') ? field.substr(0, field.size() - 1) : field);
}

}  // namespace

bool is_archive(std::string_view bytes) { return bytes.starts_with(magic) || bytes.starts_with(thin_magic); }

std::vector<ArchiveMember> archive_members(std::string_view bytes, const std::string& name) {
  const ByteReader file(bytes, name);
  if (bytes.starts_with(thin_magic))
    file.refuse("a thin archive has no members, only their paths", 0, "give its object files");
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  for (std::uint64_t at = magic.size(); at < file.size();) {
    const std::string_view header = file.part(at, ar_header_bytes);
    const auto size = find_unsigned(std::string(trimmed(header.substr(48, 10))));
    if (!header.ends_with("`\n") || !size) file.refuse("no header of a member of an archive", at);
    const std::string_view field = trimmed(header.substr(0, 16));
    const std::string_view content = file.part(at + ar_header_bytes, *size);
    if (field == "//") long_names = content;
    else if (field != "/" && field != "/SYM64/") {
      require_within(limits::archive_members, std::ssize(members) + 1);
      members.push_back({name_of(field, long_names), at + ar_header_bytes, content});
    }
    at += ar_header_bytes + *size + *size % 2;
  }
  return members;
}

}  // namespace swz
