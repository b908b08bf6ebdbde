// SPDX-License-Identifier: Apache-2.0
// The bytes that the MMAs of a k loop read, as far as needed to decide whether two of them read the same byte. See
// k_loop.hpp.
//
// The XOR of a swizzle is one-to-one, so the bytes before it are compared: each MMA reads the same set of bytes, moved
// to its start.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "descriptor/k_loop.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

// 16 bytes that an MMA reads, relative to its start, and the first of its rows that needs them.
struct Read {
  std::int64_t byte = 0, row = 0;
};

std::int64_t whole_groups(std::int64_t rows) { return rows / mma_mn_step * mma_mn_step; }

// The reads sorted by byte, up to the first group of rows that reads a byte of an earlier group.
std::vector<Read> reads_of(const KSteps& s) {
  const OperandOffsets offsets = operand_offsets(s.word, {mma_mn_most, s.elements()}, s.element_bits, s.major);
  const std::int64_t in_chunk = chunk.count * 8 / s.element_bits;
  const std::int64_t row_step = s.major == Major::MN ? in_chunk : 1, k_step = s.major == Major::K ? in_chunk : 1;
  std::vector<Read> reads;
  for (std::int64_t row = 0; row < mma_mn_most; row += row_step)
    for (std::int64_t k = 0; k < s.elements(); k += k_step)
      reads.push_back(
          {(offsets.along_mn[static_cast<std::size_t>(row)] + offsets.along_k[static_cast<std::size_t>(k)]) / 8, row});
  std::ranges::sort(reads, {}, [](const Read& read) { return std::pair(read.byte, read.row); });
  std::int64_t rows = mma_mn_most;
  for (std::size_t i = 1; i < reads.size(); ++i)
    if (reads[i].byte == reads[i - 1].byte) rows = std::min(rows, whole_groups(reads[i].row));
  std::erase_if(reads, [&](const Read& read) { return read.row >= rows; });
  return reads;
}

// The number of rows that two MMAs may have if their starts are `distance` apart.
std::int64_t rows_apart(const std::vector<Read>& reads, std::int64_t distance) {
  std::int64_t rows = mma_mn_most;
  for (auto one = reads.begin(), other = reads.begin(); one != reads.end() && other != reads.end();) {
    const std::int64_t behind = one->byte + distance - other->byte;
    if (behind == 0) rows = std::min(rows, whole_groups(std::max(one->row, other->row)));
    if (behind <= 0) ++one;
    if (behind >= 0) ++other;
  }
  return rows;
}

}  // namespace

std::optional<std::int64_t> rows_that_fit(const std::vector<std::int64_t>& offsets, const KSteps& steps) {
  const std::vector<Read> reads = reads_of(steps);
  const std::int64_t reach = reads.empty() ? 0 : reads.back().byte - reads.front().byte;
  std::vector<bool> is_asked(start_window(steps.word) / chunk.count);  // for each distance, in chunks
  std::int64_t rows = mma_mn_most;
  for (std::size_t i = 1; i < offsets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t distance = std::abs(offsets[i] - offsets[j]);
      const auto at = static_cast<std::size_t>(distance / chunk.count);
      if (distance > reach || is_asked[at]) continue;
      is_asked[at] = true;
      rows = std::min(rows, rows_apart(reads, distance));
    }
  if (rows == 0) return std::nullopt;
  return rows == mma_mn_most ? 0 : rows;
}

}  // namespace swz
