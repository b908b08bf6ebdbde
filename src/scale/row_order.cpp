// SPDX-License-Identifier: Apache-2.0
#include "scale/row_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "scale/scale_layout.hpp"

namespace swz {
namespace {

constexpr int half = ScaleDigit::half;
constexpr Source shuffled{"FlashInfer fp4_quantization.py, shuffle_matrix_sf_a", Evidence::claimed};
constexpr Source gated{"FlashInfer fused_moe/core.py, reorder_rows_for_gated_act_gemm", Evidence::claimed};
constexpr Source mega{"DeepGEMM mega/__init__.py", Evidence::claimed};
constexpr Source swapped{"vLLM, SGLang swap_w13_to_w31", Evidence::claimed};
constexpr Source attention{"SageAttention3, FlashInfer SM120 FP4 attention", Evidence::claimed};

// clang-format off
constexpr RowOrder order_rows[] = {
    {"shuffle32", {4, 1, 32}, false, 32, "trtllm-gen weights, epilogue tiles of 128 rows", shuffled},
    {"shuffle16", {2, 1, 16}, false, 16, "trtllm-gen weights, other epilogue tiles", shuffled},
    {"gated", {half, 1}, false, 2, "gate and up rows in turn", gated},
    {"interleave8", {1, half, 8}, false, 16, "8 gate rows, then 8 up rows: DeepGEMM mega-MoE", mega},
    {"swap_halves", {}, true, 2, "w13 to w31", swapped},
    {"attention_tokens", {1, 8, 2, 32}, false, 32, "tokens of K, before 64x4", attention},
};
// clang-format on

struct Digit {
  std::int64_t from, count, stride;
};

std::vector<Digit> digits_of(const RowOrder& order, std::int64_t rows) {
  std::vector<std::int64_t> begins;
  for (const int from : order.from)
    if (from != 0) begins.push_back(from == half ? rows / 2 : from);
  std::vector<Digit> digits;
  std::int64_t stride = 1;
  for (const std::int64_t from : begins) {
    std::int64_t end = rows;
    for (const std::int64_t other : begins)
      if (other > from) end = std::min(end, other);
    digits.push_back({from, end / from, stride});
    stride *= end / from;
  }
  return digits;
}

std::int64_t swap_halves(std::int64_t row, std::int64_t rows) {
  return row < rows / 2 ? row + rows / 2 : row - rows / 2;
}

}  // namespace

std::span<const RowOrder> row_orders() { return order_rows; }

const RowOrder& require_row_order(std::string_view name) {
  for (const RowOrder& order : order_rows)
    if (order.name == name) return order;
  const std::vector<std::string> names = names_of(order_rows);
  throw usage_error(fmt::format("{} is not a known order of rows", quoted(name)),
                    did_you_mean(name, names, "orders: " + join_and(names)));
}

void require_rows(const RowOrder& order, std::int64_t rows) {
  if (rows % order.rows_of != 0)
    throw usage_error(fmt::format("order {} has whole groups of {} rows, not {}", order.name, order.rows_of, rows),
                      fmt::format("take {} rows", ceil_div(rows, order.rows_of) * order.rows_of));
}

std::int64_t place_of(const RowOrder& order, std::int64_t row, std::int64_t rows) {
  if (order.swaps_halves) return swap_halves(row, rows);
  std::int64_t place = 0;
  for (const Digit& digit : digits_of(order, rows)) place += row / digit.from % digit.count * digit.stride;
  return place;
}

std::int64_t source_of(const RowOrder& order, std::int64_t place, std::int64_t rows) {
  if (order.swaps_halves) return swap_halves(place, rows);
  std::int64_t row = 0;
  for (const Digit& digit : digits_of(order, rows)) row += place / digit.stride % digit.count * digit.from;
  return row;
}

}  // namespace swz
