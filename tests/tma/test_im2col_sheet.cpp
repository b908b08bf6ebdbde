// SPDX-License-Identifier: Apache-2.0
// The worked examples of im2col in the fact sheet clusters_tma.md, 3.3 and 3.4: every row of its tables, and every
// statement about the wide modes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/text.hpp"
#include "tma/placement.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

// A packed image of f16, W first.
Im2colMap image_of(std::uint64_t channels, std::vector<std::uint64_t> extents, std::uint64_t images) {
  Im2colMap map;
  TensorMap& tensor = map.tensor;
  tensor.data_type = TensorMapDataType::float16;
  tensor.rank = static_cast<int>(extents.size()) + 2;
  tensor.dims[0] = channels;
  extents.push_back(images);
  std::uint64_t stride = 2 * channels;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    tensor.dims[i + 1] = extents[i];
    tensor.strides[i] = stride;
    stride *= extents[i];
  }
  map.channels_per_pixel = std::min<std::uint64_t>(channels, 64);
  map.tensor.swizzle = TensorMapSwizzle::b128;
  return map;
}

// "0-15": the pixels 0 to 15; "·" is fill.
std::string spelled(std::string_view text) {
  std::string out;
  for (const std::string_view word : split(text, ' ')) {
    const std::size_t dash = word.find('-');
    if (dash == word.npos) {
      out += fmt::format("{}{}", out.empty() ? "" : " ", word);
      continue;
    }
    const int first = std::stoi(std::string(word.substr(0, dash))),
              last = std::stoi(std::string(word.substr(dash + 1)));
    for (int pixel = first; pixel <= last; ++pixel) out += fmt::format("{}{}", out.empty() ? "" : " ", pixel);
  }
  return out;
}

std::string pixels_of(const ImageCopy& copy, const TensorCoordinate& start) {
  const BoxPlacement box(copy, Bytes{0});
  std::string out;
  for (std::int64_t row = 0; row < box.rows(); ++row) {
    const TensorCoordinate at = box.row_start(row, start);
    std::int64_t pixel = 0;
    for (std::size_t d = static_cast<std::size_t>(copy.map.tensor.rank); --d > 0;)
      pixel = pixel * static_cast<std::int64_t>(copy.map.tensor.dims[d]) + at[d];
    out += fmt::format("{}{}", row == 0 ? "" : " ", box.is_filled(at) ? "·" : std::to_string(pixel));
  }
  return out;
}

struct SheetRow {
  std::uint64_t n, h, w;
  std::int64_t lower, upper;
  std::uint64_t step, pixels;
  TensorCoordinate start;
  std::array<std::int64_t, 3> offsets;  // W, H
  const char* rows;
};

// The document's example: C 128, W 9, H 7, N 64, 64 channels.
Im2colMap wide_example(Im2colWideMode mode) {
  Im2colMap map = image_of(128, {9, 7}, 64);
  map.pixels_per_column = 128;
  map.wide = mode;
  return map;
}
constexpr TensorCoordinate wide_start{7, 2, 3, 0};

}  // namespace

TEST_CASE("clusters_tma.md 3.3: every row") {
  const SheetRow rows[] = {
      {1, 4, 4, -1, -1, 1, 16, {0, -1, -1, 0}, {0, 0}, "· · · · · 0 1 2 · 4 5 6 · 8 9 10"},
      {1, 4, 4, -1, -1, 1, 16, {0, -1, -1, 0}, {1, 1}, "0-15"},
      {1, 4, 4, -1, -1, 1, 16, {0, -1, -1, 0}, {2, 0}, "· · · · 1 2 3 · 5 6 7 · 9 10 11 ·"},
      {1, 4, 4, -1, -1, 1, 16, {0, -1, -1, 0}, {2, 2}, "5 6 7 · 9 10 11 · 13 14 15 · · · · ·"},
      {2, 5, 5, -1, -1, 2, 18, {0, -1, -1, 0}, {0, 0}, "· · · · 6 8 · 16 18 · · · · 31 33 · 41 43"},
      {2, 5, 5, -1, -1, 2, 18, {0, -1, -1, 0}, {2, 1}, "1 3 · 11 13 · 21 23 · 26 28 · 36 38 · 46 48 ·"},
      {2, 14, 9, 0, -2, 1, 12, {0, 1, 9, 0}, {2, 1}, "93-98 101-106"},
      {2, 4, 4, 0, 0, 1, 16, {0, 3, 1, 0}, {0, 0}, "7-22"},
      // PTX 5.5.4: the pixels (7, 4) and (-1, 5), which is left of the tensor.
      {64, 14, 9, -1, -1, 1, 2, {7, 7, 4, 0}, {0, 0}, "43 ·"},
  };
  for (const SheetRow& row : rows) {
    CAPTURE(row.rows);
    Im2colMap map = image_of(64, {row.w, row.h}, row.n);
    map.lower_corner = {row.lower, row.lower};
    map.upper_corner = {row.upper, row.upper};
    map.tensor.element_strides = {1, row.step, row.step, 1, 1};
    map.pixels_per_column = row.pixels;
    CHECK(violations(map, require_target("sm_90a")).empty());
    CHECK(pixels_of({map, {row.offsets}}, row.start) == spelled(row.rows));
  }
}

TEST_CASE("clusters_tma.md 3.3: the bytes of the first row") {
  Im2colMap map = image_of(64, {4, 4}, 1);
  map.lower_corner = map.upper_corner = {-1, -1};
  map.pixels_per_column = 16;
  map.tensor.swizzle = TensorMapSwizzle::b128;
  for (const std::int64_t base : {0, 1024, 5120}) {
    const BoxPlacement box(ImageCopy{map, {}}, Bytes{base});
    CHECK(box.byte(5, 16).count == base + 704);
    CHECK(box.byte(5, 16).count == base + 5 * 128 + ((1 ^ 5) << 4));
    CHECK(box.expect_bytes() == Bytes{2048});
  }
}

TEST_CASE("clusters_tma.md 3.4: im2col::w, every row of the document's example") {
  const Im2colWalk walk(wide_example(Im2colWideMode::w), {{}, 2});
  REQUIRE(walk.rows() == 130);
  for (std::int64_t row = 0; row < 130; ++row) {
    // Seven pixels of image 0 from w 2 on, then nine of each image: the halo goes on with the walk.
    const std::int64_t w = row < 7 ? 2 + row : (row - 7) % 9, n = row < 7 ? 0 : 1 + (row - 7) / 9;
    CHECK(walk.element(row, wide_start) == TensorCoordinate{7, w, 3, n});
    CHECK(walk.is_halo(row) == (row >= 128));
  }
  CHECK(walk.element(124, wide_start) == TensorCoordinate{7, 0, 3, 14});
  CHECK(walk.element(127, wide_start) == TensorCoordinate{7, 3, 3, 14});
  CHECK(walk.element(128, wide_start) == TensorCoordinate{7, 4, 3, 14});
  CHECK(walk.element(129, wide_start) == TensorCoordinate{7, 5, 3, 14});
}

TEST_CASE("clusters_tma.md 3.4: im2col::w::128, main rows in order, the halo of chunk c in rows 128 + 4 h + c") {
  for (const std::int64_t halo : {0, 1, 2, 5, 31}) {
    const Im2colWalk plain(wide_example(Im2colWideMode::w), {{}, 0}),
        chunks(wide_example(Im2colWideMode::w128), {{}, halo});
    REQUIRE(chunks.rows() == 128 + 4 * halo);
    REQUIRE(chunks.main_rows() == 128);
    for (std::int64_t row = 0; row < 128; ++row)
      CHECK(chunks.element(row, wide_start) == plain.element(row, wide_start));
    for (std::int64_t c = 0; c < 4; ++c)
      for (std::int64_t h = 0; h < halo; ++h)
        CHECK(chunks.element(128 + 4 * h + c, wide_start) == plain.element(32 * (c + 1) + h, wide_start));
  }
  const Im2colWalk chunks(wide_example(Im2colWideMode::w128), {{}, 2});
  CHECK(chunks.element(31, wide_start) == TensorCoordinate{7, 6, 3, 3});
  CHECK(chunks.element(128, wide_start) == TensorCoordinate{7, 7, 3, 3});
  CHECK(chunks.element(132, wide_start) == TensorCoordinate{7, 8, 3, 3});
}

TEST_CASE("clusters_tma.md 3.4: the bytes on the mbarrier") {
  const auto bytes = [](Im2colWideMode mode, std::uint64_t pixels, std::int64_t halo) {
    Im2colMap map = wide_example(mode);
    map.pixels_per_column = pixels;
    return BoxPlacement(ImageCopy{map, {{}, halo}}, Bytes{0}).expect_bytes().count;
  };
  for (const std::int64_t halo : {0, 2, 17}) {
    CHECK(bytes(Im2colWideMode::w, 128, halo) == (128 + halo) * 64 * 2);
    CHECK(bytes(Im2colWideMode::w, 40, halo) == (40 + halo) * 64 * 2);
    // Mode W128 ignores the pixels of the map.
    CHECK(bytes(Im2colWideMode::w128, 40, halo) == (128 + 4 * halo) * 64 * 2);
  }
}

TEST_CASE("clusters_tma.md 3.4: the offset moves the window, a start may lie left of it and not right of it") {
  Im2colMap map = image_of(16, {4, 2}, 160);
  map.wide = Im2colWideMode::w128;
  const Im2colWalk walk(map, {{1}, 0});
  // The window is w 1 to 4 of every image, and w 4 is outside of the tensor.
  for (std::int64_t row = 0; row < 128; ++row)
    CHECK(walk.element(row, {0, 0, 1, 0}) == TensorCoordinate{0, 1 + row % 4, 1, row / 4});
  CHECK(BoxPlacement(ImageCopy{map, {{1}, 0}}, Bytes{0}).is_filled({0, 4, 1, 0}));
  // From left of the window the walk comes to it, as from a place in it.
  CHECK(walk.element(0, {0, -1, 1, 0}) == TensorCoordinate{0, 0, 1, 0});
  CHECK(walk.element(1, {0, -1, 1, 0}) == TensorCoordinate{0, 1, 1, 0});
  CHECK(walk.element(5, {0, -1, 1, 0}) == TensorCoordinate{0, 1, 1, 1});
  CHECK(walk.holds_start({0, 3, 0, 0}));
  CHECK_FALSE(walk.holds_start({0, 4, 0, 0}));
}

// cuda.h has fewer modes than PTX's text: it leaves out 32B and 128B_ATOM_64B too.
TEST_CASE("clusters_tma.md 3.4: the wide modes have no interleave, and neither NONE nor 128B_ATOM_32B_FLIP_8B") {
  const Target& target = require_target("sm_100a");
  for (const TensorMapSwizzleRow& swizzle : tensor_map_swizzles()) {
    Im2colMap map = wide_example(Im2colWideMode::w);
    map.tensor.swizzle = swizzle.value;
    map.channels_per_pixel = 16;
    using enum TensorMapSwizzle;
    const bool is_legal = swizzle.value == b64 || swizzle.value == b128 || swizzle.value == b128_atom_32;
    CAPTURE(swizzle.name);
    CHECK(violations(map, target).empty() == is_legal);
  }
  Im2colMap map = wide_example(Im2colWideMode::w);
  map.tensor.swizzle = TensorMapSwizzle::b128;
  CHECK(violations(map, target).empty());
  map.tensor.interleave = TensorMapInterleave::bytes_16;
  CHECK_FALSE(violations(map, target).empty());
}
