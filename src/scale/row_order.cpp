// SPDX-License-Identifier: Apache-2.0
#include "scale/row_order.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr ScaleDigit from(int row) { return {ScaleDigit::Axis::row, row}; }

constexpr Source shuffled{"FlashInfer fp4_quantization.py, shuffle_matrix_sf_a", Evidence::claimed};
constexpr Source gated{"FlashInfer fused_moe/core.py, reorder_rows_for_gated_act_gemm", Evidence::claimed};
constexpr Source mega_moe{"DeepGEMM mega/__init__.py", Evidence::claimed};
constexpr Source swapped{"vLLM, SGLang swap_w13_to_w31", Evidence::claimed};
constexpr Source attention{"SageAttention3, FlashInfer SM120 FP4 attention", Evidence::claimed};

constexpr int half_of_rows = ScaleDigit::half;

// clang-format off
constexpr RowOrder order_rows[] = {
    {{"shuffle32", 1, 1, {from(4), from(1), from(32)}, 32, 1, 0, "trtllm-gen weights, epilogue tiles of 128 rows", shuffled}},
    {{"shuffle16", 1, 1, {from(2), from(1), from(16)}, 16, 1, 0, "trtllm-gen weights, other epilogue tiles", shuffled}},
    {{"gated", 1, 1, {from(half_of_rows), from(1)}, 2, 1, 0, "gate and up rows in turn", gated}},
    {{"interleave8", 1, 1, {from(1), from(half_of_rows), from(8)}, 16, 1, 0, "8 gate rows, then 8 up rows: DeepGEMM mega-MoE", mega_moe}},
    {{"swap_halves", 1, 1, {from(1)}, 2, 1, 0, "w13 to w31", swapped}, true},
    {{"attention_tokens", 1, 1, {from(1), from(8), from(2), from(32)}, 32, 1, 0, "tokens of K, before 64x4", attention}},
};
// clang-format on

// The rows, if the order takes so many.
std::int64_t taken_by(const RowOrder& order, std::int64_t rows) {
  if (rows % order.rows_of != 0)
    throw usage_error(fmt::format("order {} has whole groups of {} rows, not {}", order.name, order.rows_of, rows),
                      fmt::format("take {} rows", ceil_div(rows, order.rows_of) * order.rows_of));
  return rows;
}

std::int64_t in_other_half(std::int64_t row, std::int64_t rows) { return (row + rows / 2) % rows; }

}  // namespace

std::span<const RowOrder> row_orders() { return order_rows; }

const RowOrder& require_row_order(std::string_view name) {
  for (const RowOrder& order : order_rows)
    if (order.name == name) return order;
  const std::vector<std::string> names = names_of(order_rows);
  throw usage_error(fmt::format("{} is not a known order of rows", quoted(name)),
                    did_you_mean(name, names, "orders: " + join_and(names)));
}

RowPermutation::RowPermutation(const RowOrder& order, std::int64_t rows)
    : order_(&order), layout_(order, {taken_by(order, rows), 1}) {}

std::int64_t RowPermutation::place_of(std::int64_t row) const {
  if (order_->swaps_halves) return in_other_half(row, layout_.extents().rows);
  return layout_.offset({row, 0}).count;
}

std::int64_t RowPermutation::source_of(std::int64_t place) const {
  if (order_->swaps_halves) return in_other_half(place, layout_.extents().rows);
  return layout_.at({place})->row;
}

}  // namespace swz
