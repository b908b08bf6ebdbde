// SPDX-License-Identifier: Apache-2.0
// Zip: the members of a zip file (a wheel, a .pt2), by its central directory.
//
//   zip_members(bytes, "torch.whl") == {{"torch/lib/libtorch_cuda.so", deflate, stored bytes, size 1'234'567'890}, …}
//
// Stored and deflated members, zip64 too. Encrypted members and other methods have a reason in `why`.
//
// Invariant (fuzzed): a member's stored bytes lie in the file.
// Source: PKWARE APPNOTE 6.3.10, 4.3 to 4.5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/codecs.hpp"

namespace swz {

struct ZipMember {
  std::string name = {};
  std::uint64_t place = 0;  // of its stored bytes
  std::string_view stored = {};
  std::uint64_t size = 0;
  Compression compression = Compression::none;
  std::string why = {};
};

bool is_zip(std::string_view bytes);
std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& name);

}  // namespace swz
