// SPDX-License-Identifier: Apache-2.0
// Archive: the members of an ar archive, as ar makes libfoo.a.
//
//   "!<arch>\n" then for each member 60 bytes, "foo.o/          0   0   0   644     1234      `\n", and its bytes
//
//   archive_members(bytes, "libfoo.a") == {{"foo.o", 0x44, the 1234 bytes}, …}
//
// Names longer than 15 letters are in the member "//"; the table of symbols "/" is no member. A thin archive has the
// paths of its members only, and is refused.
// Source: binutils' ar (the format of System V and GNU).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

struct ArchiveMember {
  std::string name = {};
  std::uint64_t place = 0;  // of its bytes in the archive
  std::string_view bytes = {};
};

bool is_archive(std::string_view bytes);
// Throws Error for one that is cut off, and for a thin one.
std::vector<ArchiveMember> archive_members(std::string_view bytes, const std::string& name);

}  // namespace swz
