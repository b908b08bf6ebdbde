// SPDX-License-Identifier: Apache-2.0
// The im2col map of a convolution against the definition of the convolution.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tma/convolution.hpp"
#include "tma/placement.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

Convolution conv_of(ConvOp op, std::int64_t images, std::int64_t channels, std::vector<ConvAxis> axes) {
  return {op, TensorMapDataType::float16, images, channels, std::move(axes)};
}

std::string error_of(const Convolution& conv) {
  try {
    require_convolution(conv);
  } catch (const Error& e) {
    return e.message() + "; " + e.hint;
  }
  return "fine";
}

// The entry of the walked tensor along one axis that place q of the GEMM needs for entry t of the filter.
std::int64_t needed(ConvOp op, const ConvAxis& x, std::int64_t q, std::int64_t t) {
  // y[q] = sum over t of w[t] x[q stride + t dilation - before]; so dx[q] takes dy[y] where q = y + t dilation - before.
  if (op == ConvOp::dgrad) return q + x.before - t * x.dilation;
  return q * x.stride + t * x.dilation - x.before;
}

}  // namespace

TEST_CASE("convolution: 3x3 with padding 1 and stride 2 over 56 x 56") {
  const ConvAxis x{.extent = 56, .filter = 3, .before = 1, .after = 1, .stride = 2};
  const Convolution conv = conv_of(ConvOp::fprop, 8, 64, {x, x});
  const Im2colMap map = im2col_map(conv, 64, 128, TensorMapSwizzle::b128);
  CHECK(map.tensor.dims == std::array<std::uint64_t, 5>{64, 56, 56, 8, 0});
  CHECK(map.tensor.strides == std::array<std::uint64_t, 4>{128, 7168, 401408, 0});
  CHECK(map.tensor.element_strides == std::array<std::uint64_t, 5>{1, 2, 2, 1, 1});
  CHECK(map.lower_corner[0] == -1);
  CHECK(map.upper_corner[1] == -1);
  CHECK(conv.places() == 28 * 28);
  CHECK(conv.gemm_rows() == 8 * 28 * 28);
  CHECK(start_of_row(conv, 30) == TensorCoordinate{0, 3, 1, 0});
  CHECK(start_of_row(conv, 28 * 28) == TensorCoordinate{0, -1, -1, 1});
  const std::vector<FilterEntry> entries = filter_entries(conv);
  REQUIRE(entries.size() == 9);
  CHECK(entries[5].at == std::array<std::int64_t, 3>{2, 1, 0});
  CHECK(entries[5].offsets.filter == std::array<std::int64_t, 3>{2, 1, 0});
  CHECK(entries[5].k == 5 * 64);
}

TEST_CASE("convolution: the walk reads what the definition reads, for every operation") {
  Random random(71);
  int checked = 0, gradients = 0;
  while (checked < 400) {
    const auto op = random.of(std::array{ConvOp::fprop, ConvOp::dgrad, ConvOp::wgrad});
    std::vector<ConvAxis> axes(static_cast<std::size_t>(1 + random.below(3)));
    for (ConvAxis& x : axes)
      x = {.extent = 4 + random.below(6),
           .filter = 1 + random.below(3),
           .before = random.below(3),
           .after = random.below(3),
           .stride = op == ConvOp::dgrad ? 1 : 1 + random.below(3),
           .dilation = 1 + random.below(3)};
    const Convolution conv = conv_of(op, 1 + random.below(3), 64, axes);
    if (error_of(conv) != "fine") continue;
    const Im2colMap map = im2col_map(conv, 64, 1 + random.below(64), TensorMapSwizzle::b128);
    if (!violations(map, require_target("sm_90a")).empty()) continue;
    const std::int64_t first = random.below(conv.gemm_rows());
    const std::vector<FilterEntry> entries = filter_entries(conv);
    const FilterEntry& entry = entries[static_cast<std::size_t>(random.below(conv.entries()))];
    const Im2colWalk walk(map, entry.offsets);
    for (std::size_t i = 0; i < axes.size(); ++i)
      CHECK(walk.axis(static_cast<int>(i)).places() == conv.places(axes[i]));
    for (std::int64_t row = 0; row < walk.rows() && first + row < conv.gemm_rows(); ++row) {
      TensorCoordinate wanted = {};
      std::int64_t rest = first + row;
      for (std::size_t i = 0; i < axes.size(); rest /= conv.places(axes[i++]))
        wanted[i + 1] = needed(op, axes[i], rest % conv.places(axes[i]), entry.at[i]);
      wanted[axes.size() + 1] = rest;
      REQUIRE(walk.element(row, start_of_row(conv, first)) == wanted);
    }
    ++checked;
    if (op == ConvOp::dgrad) ++gradients;
  }
  CHECK(gradients > 50);
}

TEST_CASE("convolution: what has no output or no walk is refused") {
  CHECK(
      error_of(conv_of(ConvOp::fprop, 1, 8, {{.extent = 4, .filter = 3, .dilation = 2}})) ==
      "the filter reaches over 5 entries along W, the padded input has 4; an input of 5 or more, or 1 more of padding");
  CHECK(error_of(conv_of(ConvOp::dgrad, 1, 8, {{.extent = 9, .filter = 3, .stride = 2}}))
            .starts_with("dgrad with stride 2 is not one walk"));
  CHECK(error_of(conv_of(ConvOp::fprop, 1, 8, {{.extent = 99, .stride = 9}})).starts_with("stride 9 along W is not"));
  const Convolution conv = conv_of(ConvOp::fprop, 1, 8, {{.extent = 9, .filter = 3}});
  CHECK_THROWS_WITH_AS(filter_entry(conv, {3, 0, 0}), "the filter has entries 0 to 2 along W, not 3", Error);
  CHECK_THROWS_WITH_AS(filter_entry(conv, {-1, 0, 0}), "the filter has entries 0 to 2 along W, not -1", Error);
  CHECK_THROWS_WITH_AS(start_of_row(conv, 7), "row 7 is not one of the GEMM's 7", Error);
}
