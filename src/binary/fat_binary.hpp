// SPDX-License-Identifier: Apache-2.0
// FatBinary: the container in which nvcc puts the cubins and the PTX of several architectures.
//
//   50 ed 55 ba 01 00 10 00 <u64 bytes>     a container; then its entries, each with a header of 64 bytes or more
//
//   kind 2 (ELF), sm_90, flags 0x108011, 895 bytes stored at 0x50, 4692 bytes when decompressed by zstd
//
// Containers follow one another on multiples of 8. An entry of kind 0x100 has one compressed payload for several
// binaries, whose headers are in its own header and whose places are places in the decompressed payload.
//
// Invariants (fuzzed): an entry's stored bytes lie in its container; an entry moves on by at least its header.
// Source: containers of fatbinary 12.4 to 13.5 in every mode of compression, compared with cuobjdump 13.5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/byte_reader.hpp"
#include "binary/codecs.hpp"
#include "binary/sm_arch.hpp"

namespace swz {

enum class FatKind : std::uint16_t { ptx = 1, elf = 2, nvvm = 8, concatenated = 0x100 };

struct FatEntry {
  FatKind kind = FatKind::elf;  // any value of the file
  SmArch arch = {};
  std::uint64_t place = 0;  // of the stored bytes, in the file
  std::string_view stored = {};
  std::uint64_t size = 0;  // decompressed
  Compression compression = Compression::none;
  std::string why = {};                    // it cannot be read: the reason
  std::optional<std::uint64_t> part = {};  // of kind 0x100: the place in the decompressed payload
  std::uint64_t part_bytes = 0;
};

struct FatContainer {
  std::uint64_t place = 0, bytes = 0;  // the header included
  std::vector<FatEntry> entries = {};
};

inline constexpr std::string_view fat_magic{"\x50\xed\x55\xba\x01\x00\x10\x00", 8};

// The container at a place of the file. Throws Error if there is no container, or it contradicts itself.
FatContainer read_fat_container(const ByteReader& file, std::uint64_t at);

}  // namespace swz
