// SPDX-License-Identifier: Apache-2.0
// SharedDump: bytes of shared memory as a debugger or a kernel wrote them, and the places at which a piece of 16 bytes
// occurs.
//
//   4096 bytes of a buffer at 0x400                         address 0x400, one pass
//   the same after two passes of position codes             8192 bytes: address 0x400, two passes of 4096
//   positions(…) of a chunk that is at 0x410 and 0x800      {0x410, 0x800}: absolute, in ascending order
//
// Only the low bits of the address matter, those that a swizzle reads: 0 represents any multiple of 1,024.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "identify/logical_tile.hpp"

namespace swz {

class SharedDump {
 public:
  // Throws Error if the passes do not divide the bytes, or one pass does not fit into shared memory at the address.
  SharedDump(std::span<const std::byte> bytes, Bytes address, int passes, const Target* target = nullptr);

  Bytes address() const { return address_; }
  const Target& target() const { return *target_; }
  Bytes end() const { return Bytes{address_.count + size_}; }
  std::int64_t size() const { return size_; }  // of one pass
  std::size_t passes() const { return static_cast<std::size_t>(passes_); }
  std::span<const std::byte> pass(std::size_t index) const {
    const auto size = static_cast<std::size_t>(size_);
    return bytes_.subspan(index * size, size);
  }
  // Whether `count` bytes at an absolute address are in the dump.
  bool holds(std::int64_t at, std::int64_t count) const {
    return at >= address_.count && at <= address_.count + size_ - count;
  }
  // Whether a chunk is at an absolute address, in every pass.
  bool has(std::int64_t at, const LineImage& image, std::int64_t chunk_index) const;
  // The bits at an absolute bit address, of all passes, the first in the low bits. None outside of the dump.
  std::optional<std::uint64_t> value(std::int64_t bit, int bits) const;
  bool is_constant() const;

 private:
  std::span<const std::byte> bytes_;
  Bytes address_;
  int passes_;
  std::int64_t size_;
  const Target* target_;
};

// The places, at multiples of 16, at which the chunks of an image occur in a dump.
class ChunkPositions {
 public:
  ChunkPositions(const SharedDump& dump, const LineImage& image);

  // In ascending order.
  std::span<const std::int64_t> of(std::int64_t chunk_index) const;
  bool has_all() const { return !positions_.empty() && of(rarest_).size() > 0; }
  // The chunk with the fewest positions, the first of several.
  std::int64_t rarest() const { return rarest_; }

 private:
  std::vector<std::size_t> group_;  // of each chunk; chunks with equal content have the same group
  std::vector<std::size_t> begin_;  // of each group in positions_, and the end
  std::vector<std::int64_t> positions_;
  std::int64_t rarest_ = 0;
};

// Every address at which a chunk occurs, whether or not it is a multiple of 16; at most `most`.
std::vector<std::int64_t> any_positions(const SharedDump& dump, const LineImage& image, std::int64_t chunk_index,
                                        std::size_t most);

}  // namespace swz
