// SPDX-License-Identifier: Apache-2.0
#include "scale/blockwise_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "fragment/fragment.hpp"

namespace swz {
namespace {

constexpr int warpgroup_rows = 64;

const MmaInstruction& wgmma_of_bytes() {
  return *std::ranges::find_if(mma_instructions(), [](const MmaInstruction& row) {
    return row.family == InstructionFamily::wgmma && takes_type(row, "e4m3");
  });
}

void require_shape(const BlockwiseTile& t) {
  const MmaInstruction& mma = wgmma_of_bytes();
  if (t.m % warpgroup_rows != 0 || t.m == 0)
    throw usage_error(fmt::format("M {} is not whole warpgroups of {} rows", t.m, warpgroup_rows), "for example 128");
  if (!mma.takes(static_cast<int>(t.n)))
    throw usage_error(fmt::format("wgmma has no N {}", t.n), "N is a multiple of 8 up to 256");
  if (t.k % wgmma_byte_k != 0 || t.k == 0)
    throw usage_error(fmt::format("K {} is not whole MMAs of K {}", t.k, wgmma_byte_k), "for example 128");
  if (t.first_k % wgmma_byte_k != 0)
    throw usage_error(
        fmt::format("the tile begins at k {}: an MMA of its {} k takes two factors, of which one accumulator is summed",
                    t.first_k, wgmma_byte_k),
        fmt::format("begin at a multiple of {}, as a factor is for {} k", wgmma_byte_k, blockwise_k));
  if (t.layout->bytes != 4)
    throw usage_error(fmt::format("layout {} has factors of {} B; these have 4, fp32", t.layout->name, t.layout->bytes),
                      "linear_f32, k_pad4_f32, mn_major_f32 or mn_major_tma_f32");
}

ScaleExtents whole_of(const BlockwiseTile& t) {
  require_shape(t);
  const std::int64_t rows = t.whole_rows == 0 ? t.rows() : t.whole_rows, k = t.whole_rows == 0 ? t.k : t.whole_k;
  if (t.first_row + t.rows() > rows || t.first_k + t.k > k)
    throw usage_error(fmt::format("the tile ends at row {}, k {}; the operand has {} x {}", t.first_row + t.rows(),
                                  t.first_k + t.k, rows, k),
                      "take a larger --shape, or another --origin");
  return {ceil_div(rows, std::int64_t{t.rows_of_factor}), ceil_div(k, std::int64_t{blockwise_k})};
}

}  // namespace

BlockwiseWay::BlockwiseWay(const BlockwiseTile& tile) : tile_(tile), gmem_(*tile.layout, whole_of(tile)) {}

BlockwiseWay::Stop BlockwiseWay::stop(std::int64_t row, std::int64_t k) const {
  const BlockwiseTile& t = tile_;
  if (row < 0 || row >= t.rows() || k < 0 || k >= t.k)
    throw usage_error(fmt::format("the tile has no row {}, k {}", row, k),
                      fmt::format("rows are 0 to {}, k 0 to {}", t.rows() - 1, t.k - 1));
  Stop stop;
  stop.factor = {(t.first_row + row) / t.rows_of_factor, (t.first_k + k) / blockwise_k};
  stop.gmem = gmem_.offset(stop.factor);
  stop.first_row = std::max<std::int64_t>(0, stop.factor.row * t.rows_of_factor - t.first_row);
  stop.last_row = std::min(t.rows(), (stop.factor.row + 1) * t.rows_of_factor - t.first_row) - 1;
  if (t.rows_of_factor == 1) stop.smem = Bytes{4 * row};
  stop.first_mma = std::max<std::int64_t>(0, stop.factor.kb * blockwise_k - t.first_k) / wgmma_byte_k;
  stop.last_mma = (std::min(t.k, (stop.factor.kb + 1) * blockwise_k - t.first_k) - 1) / wgmma_byte_k;

  const bool is_a = t.operand == ScaleOperand::a;
  const Fragment d = mma_fragment(wgmma_of_bytes(), static_cast<int>(t.n), Operand::d, require_dtype("f32"), {});
  const auto has = [&](int thread, int value) {
    const Coordinate at = d.at(thread, value);
    return is_a ? at.row == row % warpgroup_rows : at.column == row;
  };
  for (int thread = 0; thread < d.threads(); ++thread) {
    std::vector<int> held;
    for (int value = 0; value < d.values(); ++value)
      if (has(thread, value)) held.push_back(value);
    if (held.empty()) continue;
    stop.threads.push_back(thread);
    stop.registers = std::move(held);  // those of every thread that has some are the same
  }
  stop.warpgroups = {static_cast<int>(row / warpgroup_rows)};
  if (!is_a) {
    stop.warpgroups.resize(static_cast<std::size_t>(warpgroups()));
    std::iota(stop.warpgroups.begin(), stop.warpgroups.end(), 0);
  }
  return stop;
}

}  // namespace swz
