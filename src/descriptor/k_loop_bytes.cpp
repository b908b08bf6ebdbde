// Which bytes the MMAs of a k loop read, as far as it says whether two of them read one. See k_loop.hpp.
//
// The XOR of a swizzle is one-to-one, so that the bytes before it are compared: they are the same set for each MMA, moved to
// its start.
#include <algorithm>
#include <unordered_map>

#include "descriptor/k_loop.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

// 16 bytes that an MMA reads, from its start, and the first of its rows that needs them.
struct Read {
  std::int64_t byte = 0, row = 0;
};

std::int64_t whole_groups(std::int64_t rows) { return rows / mma_mn_step * mma_mn_step; }

// Row by row, up to the group of rows that reads bytes of the groups before it.
std::vector<Read> reads_of(const KSteps& s) {
  const OperandOffsets offsets = operand_offsets(s.word, {mma_mn_most, s.elements()}, s.element_bits, s.major);
  const std::int64_t in_chunk = chunk.count * 8 / s.element_bits;
  const std::int64_t row_step = s.major == Major::MN ? in_chunk : 1, k_step = s.major == Major::K ? in_chunk : 1;
  std::vector<Read> reads;
  std::unordered_map<std::int64_t, std::int64_t> seen;
  for (std::int64_t row = 0; row < mma_mn_most; row += row_step)
    for (std::int64_t k = 0; k < s.elements(); k += k_step) {
      const std::int64_t bit = offsets.along_mn[static_cast<std::size_t>(row)] + offsets.along_k[static_cast<std::size_t>(k)];
      if (!seen.emplace(bit / 8, row).second) {
        std::erase_if(reads, [&](const Read& read) { return read.row >= whole_groups(row); });
        return reads;
      }
      reads.push_back({bit / 8, row});
    }
  return reads;
}

}  // namespace

std::optional<std::int64_t> rows_that_fit(const std::vector<std::int64_t>& offsets, const KSteps& steps) {
  const std::vector<Read> reads = reads_of(steps);
  std::unordered_map<std::int64_t, std::int64_t> first_row;  // of the MMAs so far that read these bytes
  std::int64_t rows = mma_mn_most;
  for (const std::int64_t offset : offsets)
    for (const Read& read : reads) {
      const auto [at, is_new] = first_row.emplace(offset + read.byte, read.row);
      if (is_new) continue;
      rows = std::min(rows, whole_groups(std::max(at->second, read.row)));
      at->second = std::min(at->second, read.row);
    }
  if (rows == 0) return std::nullopt;
  return rows == mma_mn_most ? 0 : rows;
}

}  // namespace swz
