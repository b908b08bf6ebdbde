// SPDX-License-Identifier: Apache-2.0
#include "identify/shared_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "arch/target.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The hash of the front of a chunk in every pass; `front_of(pass)` are its bytes.
template <class Front>
std::size_t hash_of(std::size_t passes, const Front& front_of) {
  std::size_t hash = 0;
  for (std::size_t pass = 0; pass < passes; ++pass)
    hash = hash * 0x9e3779b97f4a7c15 + std::hash<std::string_view>{}(text_of(front_of(pass)));
  return hash;
}

}  // namespace

SharedDump::SharedDump(std::span<const std::byte> bytes, Bytes address, int passes, const Target* target)
    : bytes_(bytes),
      address_(address),
      passes_(passes),
      size_(static_cast<std::int64_t>(bytes.size()) / passes),
      target_(target == nullptr ? &default_target() : target) {
  if (bytes.empty()) throw Error("the dump is empty", "write the bytes of the tile, or of all shared memory");
  if (bytes.size() % static_cast<std::size_t>(passes) != 0)
    throw Error(fmt::format("a dump of {} B does not hold {} passes of equal length", bytes.size(), passes),
                "'swz identify --make cuda' writes the passes in sequence");
  const Bytes window = smem_window(target);
  if (address.count > window.count || size_ > window.count - address.count)
    throw Error(
        fmt::format("{} B at {:#x} run past {:#x}, the end of shared memory", size_, address.count, window.count),
        "give the part of the dump that holds the tile, and its --address");
}

bool SharedDump::has(std::int64_t at, const LineImage& image, std::int64_t chunk_index) const {
  if (!holds(at, image.front)) return false;
  const auto from = static_cast<std::size_t>(at - address_.count);
  for (std::size_t p = 0; p < passes(); ++p) {
    const std::span<const std::byte> wanted = image.chunk(chunk_index, p);
    if (std::memcmp(pass(p).data() + from, wanted.data(), wanted.size()) != 0) return false;
  }
  return true;
}

std::optional<std::uint64_t> SharedDump::value(std::int64_t bit, int bits) const {
  const std::int64_t first = bit - address_.count * 8;
  if (first < 0 || first + bits > size_ * 8) return std::nullopt;
  std::uint64_t all = 0;
  for (std::size_t p = 0; p < passes(); ++p)
    all |= bits_at(pass(p), first, bits) << (p * static_cast<std::size_t>(bits) % 64);
  return all;
}

bool SharedDump::is_constant() const {
  return std::ranges::all_of(bytes_, [&](std::byte b) { return b == bytes_.front(); });
}

ChunkPositions::ChunkPositions(const SharedDump& dump, const LineImage& image) {
  const auto count = static_cast<std::size_t>(image.chunk_count());
  std::unordered_multimap<std::size_t, std::size_t> groups;  // by hash
  std::vector<std::int64_t> first;                           // first chunk of each group
  groups.reserve(count);
  group_.resize(count);
  const auto equal = [&](std::int64_t a, std::int64_t b) {
    for (std::size_t p = 0; p < image.passes.size(); ++p)
      if (text_of(image.chunk(a, p)) != text_of(image.chunk(b, p))) return false;
    return true;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const auto chunk_index = static_cast<std::int64_t>(i);
    const std::size_t hash = hash_of(image.passes.size(), [&](std::size_t p) { return image.chunk(chunk_index, p); });
    const auto [from, to] = groups.equal_range(hash);
    const auto found = std::find_if(from, to, [&](const auto& g) { return equal(first[g.second], chunk_index); });
    group_[i] = found != to ? found->second : first.size();
    if (found != to) continue;
    groups.emplace(hash, first.size());
    first.push_back(chunk_index);
  }

  std::vector<std::vector<std::int64_t>> places(first.size());
  const std::int64_t begin = (dump.address().count + 15) / 16 * 16;
  for (std::int64_t at = begin; dump.holds(at, image.front); at += 16) {
    const auto from = static_cast<std::size_t>(at - dump.address().count);
    const std::size_t hash = hash_of(dump.passes(), [&](std::size_t p) {
      return dump.pass(p).subspan(from, static_cast<std::size_t>(image.front));
    });
    const auto [low, high] = groups.equal_range(hash);
    for (auto g = low; g != high; ++g)
      if (dump.has(at, image, first[g->second])) places[g->second].push_back(at);
  }
  std::size_t fewest = SIZE_MAX;
  for (std::size_t g = 0; g < first.size(); ++g) {
    begin_.push_back(positions_.size());
    positions_.insert(positions_.end(), places[g].begin(), places[g].end());
    if (places[g].size() >= fewest) continue;
    fewest = places[g].size();
    rarest_ = first[g];
  }
  begin_.push_back(positions_.size());
}

std::span<const std::int64_t> ChunkPositions::of(std::int64_t chunk_index) const {
  const std::size_t g = group_[static_cast<std::size_t>(chunk_index)];
  return std::span(positions_).subspan(begin_[g], begin_[g + 1] - begin_[g]);
}

std::vector<std::int64_t> any_positions(const SharedDump& dump, const LineImage& image, std::int64_t chunk_index,
                                        std::size_t most) {
  std::vector<std::int64_t> found;
  const std::string_view all = text_of(dump.pass(0)), wanted = text_of(image.chunk(chunk_index, 0));
  for (std::size_t at = all.find(wanted); at != std::string_view::npos && found.size() < most;
       at = all.find(wanted, at + 1)) {
    const std::int64_t address = dump.address().count + static_cast<std::int64_t>(at);
    if (dump.has(address, image, chunk_index)) found.push_back(address);
  }
  return found;
}

}  // namespace swz
