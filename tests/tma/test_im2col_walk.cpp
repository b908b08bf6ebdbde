// SPDX-License-Identifier: Apache-2.0
// The walk of an im2col copy: the worked examples, the steps of the document one by one, the definition of convolution.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "tma/placement.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

// An f16 image of N, H and W (or D, H, W) with 64 channels, packed.
Im2colMap image_of(std::vector<std::uint64_t> extents) {
  Im2colMap map;
  TensorMap& tensor = map.tensor;
  tensor.data_type = TensorMapDataType::float16;
  tensor.rank = static_cast<int>(extents.size()) + 1;
  tensor.dims[0] = 64;
  std::uint64_t stride = 128;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    tensor.dims[i + 1] = extents[extents.size() - 1 - i];
    tensor.strides[i] = stride;
    stride *= tensor.dims[i + 1];
  }
  map.channels_per_pixel = 64;
  tensor.swizzle = TensorMapSwizzle::b128;
  return map;
}

// "· · 0 1": the pixels of the rows, counted through W, H, D and N; "·" is fill.
std::string rows_text(const Im2colMap& map, const TensorCoordinate& start, const Im2colOffsets& offsets) {
  const BoxPlacement box(ImageCopy{map, offsets}, Bytes{0});
  std::vector<std::string> out;
  for (std::int64_t row = 0; row < box.rows(); ++row) {
    const TensorCoordinate at = box.row_start(row, start);
    std::int64_t pixel = 0;
    for (std::size_t d = static_cast<std::size_t>(map.tensor.rank); --d > 0;)
      pixel = pixel * static_cast<std::int64_t>(map.tensor.dims[d]) + at[d];
    out.push_back(box.is_filled(at) ? "·" : std::to_string(pixel));
  }
  return fmt::format("{}", fmt::join(out, " "));
}

// The steps of PTX, one after another.
TensorCoordinate stepped(const Im2colMap& map, const Im2colOffsets& offsets, TensorCoordinate at, std::int64_t steps) {
  const std::size_t first = map.tensor.interleave == TensorMapInterleave::none ? 1 : 0;
  const auto count = static_cast<std::size_t>(map.corner_count());
  while (steps-- > 0) {
    std::size_t i = 0;
    for (; i < count; ++i) {
      const std::size_t d = first + i;
      at[d] += static_cast<std::int64_t>(map.tensor.element_strides[d]);
      if (at[d] < static_cast<std::int64_t>(map.tensor.dims[d]) + map.upper_corner[i]) break;
      at[d] = map.lower_corner[i];
    }
    const auto last = static_cast<std::size_t>(map.tensor.rank - 1);
    if (i == count) at[last] += static_cast<std::int64_t>(map.tensor.element_strides[last]);
  }
  for (std::size_t i = 0; i < count; ++i) at[first + i] += offsets.filter[i];
  return at;
}

// A map that the driver accepts, from extents and corners at random.
std::optional<Im2colMap> drawn_map(Random& random) {
  Im2colMap map = image_of(std::vector<std::uint64_t>(static_cast<std::size_t>(2 + random.below(3)), 1));
  for (std::size_t d = 1; d < static_cast<std::size_t>(map.tensor.rank); ++d) {
    map.tensor.dims[d] = static_cast<std::uint64_t>(1 + random.below(9));
    map.tensor.element_strides[d] = static_cast<std::uint64_t>(1 + random.below(3));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.corner_count()); ++i) {
    map.lower_corner[i] = random.below(8) - 4;
    map.upper_corner[i] = random.below(9) - 5;
  }
  map.pixels_per_column = static_cast<std::uint64_t>(1 + random.below(300));
  if (!violations(map, require_target("sm_90a")).empty()) return {};
  return map;
}

std::string error_of(const ImageCopy& copy) {
  try {
    const BoxPlacement box(copy, Bytes{0});
  } catch (const Error& e) {
    return e.message() + "; " + e.hint;
  }
  return "placed";
}

}  // namespace

// clusters: 3x3 filters over small images, the pixel of each row by hand.
TEST_CASE("im2col: the worked examples") {
  Im2colMap map = image_of({1, 4, 4});
  map.lower_corner = map.upper_corner = {-1, -1};
  map.pixels_per_column = 16;
  const TensorCoordinate start{0, -1, -1, 0};
  CHECK(rows_text(map, start, {{0, 0}}) == "· · · · · 0 1 2 · 4 5 6 · 8 9 10");
  CHECK(rows_text(map, start, {{1, 1}}) == "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
  CHECK(rows_text(map, start, {{2, 0}}) == "· · · · 1 2 3 · 5 6 7 · 9 10 11 ·");
  CHECK(rows_text(map, start, {{2, 2}}) == "5 6 7 · 9 10 11 · 13 14 15 · · · · ·");

  Im2colMap strided = image_of({2, 5, 5});
  strided.lower_corner = strided.upper_corner = {-1, -1};
  strided.tensor.element_strides = {1, 2, 2, 1, 1};
  strided.pixels_per_column = 18;
  CHECK(rows_text(strided, start, {{0, 0}}) == "· · · · 6 8 · 16 18 · · · · 31 33 · 41 43");
  CHECK(rows_text(strided, start, {{2, 1}}) == "1 3 · 11 13 · 21 23 · 26 28 · 36 38 · 46 48 ·");

  Im2colMap unpadded = image_of({2, 14, 9});
  unpadded.upper_corner = {-2, -2};
  unpadded.pixels_per_column = 12;
  CHECK(rows_text(unpadded, {0, 1, 9, 0}, {{2, 1}}) == "93 94 95 96 97 98 101 102 103 104 105 106");

  Im2colMap whole = image_of({2, 4, 4});
  whole.pixels_per_column = 16;
  CHECK(rows_text(whole, {0, 3, 1, 0}, {}) == "7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22");
}

// PTX ISA 9.4, 5.5.4: the second pixel after (7, 4) is (-1, 5).
TEST_CASE("im2col: the example of the document") {
  Im2colMap map = image_of({64, 14, 9});
  map.lower_corner = map.upper_corner = {-1, -1};
  map.pixels_per_column = 64;
  const Im2colWalk walk(map, {});
  CHECK(walk.element(0, {7, 7, 4, 0}) == TensorCoordinate{7, 7, 4, 0});
  CHECK(walk.element(1, {7, 7, 4, 0}) == TensorCoordinate{7, -1, 5, 0});
  CHECK(walk.axis(0).places() == 9);
  CHECK(walk.holds_start({7, 7, 4, 0}));
  CHECK_FALSE(walk.holds_start({7, 8, 4, 0}));
}

TEST_CASE("im2col: bytes of the first worked example") {
  Im2colMap map = image_of({1, 4, 4});
  map.lower_corner = map.upper_corner = {-1, -1};
  map.pixels_per_column = 16;
  const BoxPlacement box(ImageCopy{map, {}}, Bytes{0});
  CHECK(box.byte(5, 16) == Bytes{704});
  CHECK(box.expect_bytes() == Bytes{2048});
  CHECK(box.allocate() == Bytes{2048});
  const std::vector<std::int64_t> image = box_image(box, {0, -1, -1, 0});
  CHECK(image[704] == 16);
  CHECK(std::ranges::count(image, filled_byte) == 7 * 128);
}

TEST_CASE("im2col: the row of every number is where the steps lead") {
  Random random(33);
  int checked = 0;
  while (checked < 400) {
    const std::optional<Im2colMap> map = drawn_map(random);
    if (!map) continue;
    Im2colOffsets offsets;
    TensorCoordinate start = {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(map->corner_count()); ++i) {
      offsets.filter[i] = random.below(4);
      // Between the places of the walk too, and a step outside.
      start[i + 1] = map->lower_corner[i] - 1 +
                     random.below(static_cast<std::int64_t>(map->tensor.dims[i + 1]) + map->upper_corner[i] -
                                  map->lower_corner[i] + 2);
    }
    start[static_cast<std::size_t>(map->tensor.rank - 1)] = random.below(3) - 1;
    const Im2colWalk walk(*map, offsets);
    REQUIRE(walk.rows() == static_cast<std::int64_t>(map->pixels_per_column));
    for (std::int64_t row = 0; row < walk.rows(); ++row)
      REQUIRE(walk.element(row, start) == stepped(*map, offsets, start, row));
    ++checked;
  }
}

TEST_CASE("im2col: each byte of the rows is written once, the others are gaps, all are counted") {
  Random random(34);
  int checked = 0;
  while (checked < 60) {
    std::optional<Im2colMap> map = drawn_map(random);
    if (!map) continue;
    map->channels_per_pixel = static_cast<std::uint64_t>(8 * (1 + random.below(8)));
    const BoxPlacement box(ImageCopy{*map, {}}, Bytes{128 * random.below(9)});
    const auto& lower = map->lower_corner;
    const std::vector<std::int64_t> image =
        box_image(box, map->tensor.rank == 3   ? TensorCoordinate{0, lower[0]}
                       : map->tensor.rank == 4 ? TensorCoordinate{0, lower[0], lower[1]}
                                               : TensorCoordinate{0, lower[0], lower[1], lower[2]});
    const auto written = std::ranges::count_if(image, [](std::int64_t from) { return from != untouched_byte; });
    CHECK(written == box.rows() * box.inner().count);
    CHECK(written == box.expect_bytes().count);
    ++checked;
  }
}

// The corners of a convolution give its definition: output (q, p) of filter entry (s, r) reads input
// q * stride + s * dilation - padding.
TEST_CASE("im2col: with the corners of a convolution the rows are its inputs") {
  Random random(35);
  for (int i = 0; i < 300; ++i) {
    struct Axis {
      std::int64_t extent, filter, stride, dilation, before, after, outputs;
    };
    std::array<Axis, 2> axes = {};
    Im2colMap map = image_of({2, 1, 1});
    bool is_fine = true;
    for (std::size_t a = 0; a < 2; ++a) {
      Axis& x = axes[a];
      x = {5 + random.below(6),
           1 + random.below(3),
           1 + random.below(3),
           1 + random.below(2),
           random.below(3),
           random.below(3),
           0};
      const std::int64_t reach = (x.filter - 1) * x.dilation;
      x.outputs = (x.extent + x.before + x.after - reach - 1) / x.stride + 1;
      is_fine = is_fine && x.extent + x.before + x.after > reach;
      map.tensor.dims[a + 1] = static_cast<std::uint64_t>(x.extent);
      map.tensor.element_strides[a + 1] = static_cast<std::uint64_t>(x.stride);
      map.lower_corner[a] = -x.before;
      map.upper_corner[a] = x.after - reach;
    }
    if (!is_fine) continue;
    map.pixels_per_column = static_cast<std::uint64_t>(1 + random.below(40));
    const std::int64_t first = random.below(axes[0].outputs * axes[1].outputs), s = random.below(axes[0].filter),
                       r = random.below(axes[1].filter);
    const Im2colWalk walk(map, {{s * axes[0].dilation, r * axes[1].dilation}});
    CHECK(walk.axis(0).places() == axes[0].outputs);
    const TensorCoordinate start{0, map.lower_corner[0] + axes[0].stride * (first % axes[0].outputs),
                                 map.lower_corner[1] + axes[1].stride * (first / axes[0].outputs), 0};
    for (std::int64_t row = 0; row < walk.rows(); ++row) {
      const std::int64_t output = first + row, q = output % axes[0].outputs,
                         p = output / axes[0].outputs % axes[1].outputs, n = output / axes[0].outputs / axes[1].outputs;
      REQUIRE(walk.element(row, start) ==
              TensorCoordinate{0, q * axes[0].stride + s * axes[0].dilation - axes[0].before,
                               p * axes[1].stride + r * axes[1].dilation - axes[1].before, n});
    }
  }
}

// PTX ISA 9.4, 5.5.5: C 128, W 9, H 7, N 64, from (7, 2, 3, 0), a halo of 2.
TEST_CASE("im2col::w: the example of the document, and its halo") {
  Im2colMap map = image_of({64, 7, 9});
  map.tensor.dims[0] = 128;
  for (std::size_t i = 0; i < 3; ++i) map.tensor.strides[i] *= 2;
  map.pixels_per_column = 128;
  map.wide = Im2colWideMode::w;
  const TensorCoordinate start{7, 2, 3, 0};
  const Im2colWalk walk(map, {{}, 2});
  CHECK(walk.rows() == 130);
  CHECK(walk.element(6, start) == TensorCoordinate{7, 8, 3, 0});
  CHECK(walk.element(7, start) == TensorCoordinate{7, 0, 3, 1});
  CHECK(walk.element(124, start) == TensorCoordinate{7, 0, 3, 14});
  CHECK(walk.element(127, start) == TensorCoordinate{7, 3, 3, 14});
  CHECK(walk.element(128, start) == TensorCoordinate{7, 4, 3, 14});
  CHECK(walk.element(129, start) == TensorCoordinate{7, 5, 3, 14});
  CHECK(BoxPlacement(ImageCopy{map, {{}, 2}}, Bytes{0}).expect_bytes() == Bytes{130 * 128});

  map.wide = Im2colWideMode::w128;
  map.pixels_per_column = 5;  // ignored
  const Im2colWalk chunks(map, {{}, 2});
  CHECK(chunks.rows() == 128 + 4 * 2);
  CHECK(chunks.element(31, start) == TensorCoordinate{7, 6, 3, 3});
  CHECK(chunks.element(128, start) == TensorCoordinate{7, 7, 3, 3});
  CHECK(chunks.element(132, start) == TensorCoordinate{7, 8, 3, 3});
  // The halo of a chunk is what the next one begins with.
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t h = 0; h < 2; ++h)
      CHECK(chunks.element(128 + 4 * h + c, start) == chunks.element(32 * (c + 1) + h, start));
}

TEST_CASE("im2col::w: the offset moves what is read") {
  Im2colMap map = image_of({160, 2, 4});
  map.wide = Im2colWideMode::w128;
  const Im2colWalk walk(map, {{1}, 0});
  CHECK(walk.element(0, {0, 0, 0, 0}) == TensorCoordinate{0, 1, 0, 0});
  CHECK(walk.element(3, {0, 0, 0, 0}) == TensorCoordinate{0, 4, 0, 0});  // outside: filled
  CHECK(walk.element(4, {0, 0, 0, 0}) == TensorCoordinate{0, 1, 0, 1});
}

TEST_CASE("gather4: four rows in the order of the coordinates") {
  TensorMap map{.data_type = TensorMapDataType::bfloat16,
                .rank = 2,
                .dims = {256, 800},
                .strides = {512},
                .box = {64, 1},
                .swizzle = TensorMapSwizzle::b128};
  const BoxPlacement box(GatherCopy{map}, Bytes{1024 * 3 + 512});
  CHECK(box.rows() == 4);
  CHECK(box.expect_bytes() == Bytes{512});
  const TensorCoordinate start{64, 7, 3, 3, 900};
  for (std::int64_t j = 0; j < 4; ++j) {
    CHECK(box.row_start(j, start) == TensorCoordinate{64, start[static_cast<std::size_t>(1 + j)]});
    for (std::int64_t c = 0; c < 64; ++c)
      CHECK(box.byte(j, 2 * c).count == 1024 * 3 + 512 + 128 * j + (((c >> 3) ^ (4 + j)) << 4) + 2 * (c & 7));
  }
  const std::vector<std::int64_t> image = box_image(box, start);
  CHECK(std::ranges::count(image, filled_byte) == 128);  // row 900
  CHECK(image[static_cast<std::size_t>((4 << 4))] == 7 * 512 + 128);
  map.box[1] = 4;
  CHECK_THROWS_WITH_AS(BoxPlacement(GatherCopy{map}, Bytes{0}),
                       "gather4 and scatter4 need a box of one row; box[1] = 4", Error);
}

TEST_CASE("im2col: what the instruction cannot say is refused") {
  Im2colMap map = image_of({1, 4, 4});
  map.lower_corner = map.upper_corner = {-1, -1};
  map.pixels_per_column = 16;
  CHECK(error_of({map, {{255, 255}}}) == "placed");
  CHECK(error_of({map, {{256, 0}}}) ==
        "the offset 256 along W is not 0 to 255; of rank 4 the operand has 8 bits for it: PTX ISA 9.4, 5.5.4; nearest: "
        "255");
  CHECK(error_of({map, {{0, -1}}}).starts_with("the offset -1 along H is not 0 to 255"));
  CHECK(error_of({map, {{}, 1}}).starts_with("only im2col::w and im2col::w::128 have a halo"));
  map.wide = Im2colWideMode::w;
  CHECK(error_of({map, {{31}, 511}}) == "placed");
  CHECK(error_of({map, {{32}, 0}}).starts_with("the offset 32 along W is not 0 to 31"));
  CHECK(error_of({map, {{}, 512}}).starts_with("the halo 512 is not 0 to 511"));
  map.wide.reset();
  map.upper_corner = {-9, -1};
  CHECK(error_of({map, {}}).starts_with("the box of pixels is empty along dimension 1"));
}
