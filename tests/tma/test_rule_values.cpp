// SPDX-License-Identifier: Apache-2.0
// The numbers of a finding about a tensor map: `value` is what the argument that it names holds, and `bound` separates what
// breaks the rule from what does not. Which kind of bound a rule has is listed here, from cuda.h and the measured table.
#include <doctest/doctest.h>

#include <charconv>
#include <map>
#include <string>

#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

enum class Bound {
  last,     // keeps the rule; one further towards the value breaks it
  end,      // the first value that breaks the rule
  unit,     // keeps the rule; half of it does not
  example,  // keeps the rule
  bytes,    // counts bytes, the argument does not
  text,     // of no argument: the numbers are in `texts`
};

const std::map<std::string_view, Bound> bounds = {
    {"data-type-enum", Bound::last},
    {"data-type-arch", Bound::last},  // 12 is the last type of sm_90
    {"rank-range", Bound::last},
    {"im2col-rank", Bound::last},
    {"address-16", Bound::unit},
    {"address-32-interleave", Bound::unit},
    {"address-32-padded", Bound::unit},
    {"address-57", Bound::end},
    {"dim-range", Bound::last},
    {"dim-128-padded", Bound::unit},
    {"dim-even-packed", Bound::unit},
    {"stride-16", Bound::unit},
    {"stride-32-interleave", Bound::unit},
    {"stride-32-padded", Bound::unit},
    {"stride-40", Bound::end},
    {"box-range", Bound::last},
    {"box-128-padded", Bound::last},
    {"inner-16", Bound::unit},
    {"inner-16-interleave", Bound::unit},
    {"swizzle-span", Bound::last},
    {"element-stride-range-0", Bound::last},
    {"element-stride-range", Bound::last},
    {"box-bytes", Bound::bytes},
    {"interleave-enum", Bound::last},
    {"interleave-rank", Bound::last},
    {"interleave-packed", Bound::last},
    {"swizzle-enum", Bound::last},
    {"swizzle-arch", Bound::last},  // 3, 128B, is the last mode of sm_90
    {"swizzle-96", Bound::example},
    {"swizzle-padded", Bound::example},
    {"l2-enum", Bound::last},
    {"fill-enum", Bound::last},
    {"fill-float", Bound::last},
    {"fill-packed", Bound::last},
    {"im2col-lower-range", Bound::last},
    {"im2col-upper-range", Bound::last},
    {"im2col-box-empty", Bound::last},
    {"im2col-channels-range", Bound::last},
    {"im2col-channels-128-padded", Bound::last},
    {"im2col-channels-0", Bound::example},
    {"im2col-channels-16", Bound::last},
    {"im2col-channels-span", Bound::last},
    {"im2col-pixels-range", Bound::last},
    {"im2col-pixels-0", Bound::last},
    {"im2col-column-bytes", Bound::bytes},
    {"im2col-wide-swizzle", Bound::example},
    {"im2col-wide-interleave", Bound::last},
    {"arch-tma", Bound::text},
    {"im2col-wide-arch", Bound::text},
    // remarks
    {"address-null", Bound::text},
    {"box-beyond-tensor", Bound::last},
    {"store-end-of-row", Bound::last},  // 16 elements of any type are a multiple of 16 B
    {"stride-order", Bound::last},
    {"dim-int32", Bound::last},
    {"stride-int32", Bound::last},
    {"element-stride-0", Bound::last},
    {"element-stride-divides", Bound::example},
    {"interleave-swizzle", Bound::last},
    {"im2col-wide-empty-copy", Bound::text},
    {"im2col-wide-channels-16", Bound::unit},
    {"im2col-wide-column-bytes", Bound::last},
    {"im2col-corner-order", Bound::text},
};

const std::map<std::string_view, std::pair<std::uint64_t, std::uint64_t>> texts = {
    {"arch-tma", {0, 90}},           {"im2col-wide-arch", {90, 100}},     // compute capabilities
    {"address-null", {0, 0}},        {"im2col-wide-empty-copy", {0, 1}},  // of channels or pixels
    {"im2col-corner-order", {0, 0}},
};

std::uint64_t bits_of(int value) { return static_cast<std::uint32_t>(value); }

// What an argument holds, "box[1]"; and the call with another number there.
struct Argument {
  std::string name;
  std::size_t i = 0;

  explicit Argument(const std::string& text) : name(text.substr(0, text.find('['))) {
    if (const std::size_t at = text.find('['); at != std::string::npos)
      std::from_chars(text.data() + at + 1, text.data() + text.size(), i);
  }

  std::uint64_t of(const Im2colMap& m) const {
    const TensorMap& t = m.tensor;
    if (name == "dtype") return bits_of(static_cast<int>(t.data_type));
    if (name == "rank") return bits_of(t.rank);
    if (name == "address") return t.global_address;
    if (name == "dims") return t.dims.at(i);
    if (name == "strides") return t.strides.at(i);
    if (name == "box") return t.box.at(i);
    if (name == "elementStrides") return t.element_strides.at(i);
    if (name == "interleave") return bits_of(static_cast<int>(t.interleave));
    if (name == "swizzle") return bits_of(static_cast<int>(t.swizzle));
    if (name == "l2") return bits_of(static_cast<int>(t.l2_promotion));
    if (name == "oob") return bits_of(static_cast<int>(t.oob_fill));
    if (name == "lower") return static_cast<std::uint64_t>(m.lower_corner.at(i));
    if (name == "upper") return static_cast<std::uint64_t>(m.upper_corner.at(i));
    if (name == "channels") return m.channels_per_pixel;
    REQUIRE(name == "pixels");
    return m.pixels_per_column;
  }

  Im2colMap with(Im2colMap m, std::uint64_t value) const {
    TensorMap& t = m.tensor;
    const int number = static_cast<int>(value);
    if (name == "dtype") t.data_type = TensorMapDataType{number};
    else if (name == "rank") t.rank = number;
    else if (name == "address") t.global_address = value;
    else if (name == "dims") t.dims.at(i) = value;
    else if (name == "strides") t.strides.at(i) = value;
    else if (name == "box") t.box.at(i) = value;
    else if (name == "elementStrides") t.element_strides.at(i) = value;
    else if (name == "interleave") t.interleave = TensorMapInterleave{number};
    else if (name == "swizzle") t.swizzle = TensorMapSwizzle{number};
    else if (name == "l2") t.l2_promotion = TensorMapL2Promotion{number};
    else if (name == "oob") t.oob_fill = TensorMapOobFill{number};
    else if (name == "lower") m.lower_corner.at(i) = static_cast<std::int64_t>(value);
    else if (name == "upper") m.upper_corner.at(i) = static_cast<std::int64_t>(value);
    else if (name == "channels") m.channels_per_pixel = value;
    else m.pixels_per_column = value;
    return m;
  }
};

TensorMap as(const Im2colMap& m, const TensorMap*) { return m.tensor; }
Im2colMap as(const Im2colMap& m, const Im2colMap*) { return m; }
Im2colMap widened(const TensorMap& m) {
  Im2colMap out;
  out.tensor = m;
  return out;
}
Im2colMap widened(const Im2colMap& m) { return m; }

template <class Map>
bool breaks(const Map& map, const Target& target, const TensorMapViolation& finding) {
  for (const auto& all : {violations(map, target), remarks(map, target)})
    for (const auto& v : all)
      if (v.rule == finding.rule && v.argument == finding.argument) return true;
  return false;
}

// Whether another rule refuses that argument: a remark is made on what the driver accepts.
template <class Map>
bool refuses(const Map& map, const Target& target, const TensorMapViolation& finding) {
  for (const auto& v : violations(map, target))
    if (v.argument == finding.argument && v.rule != finding.rule) return true;
  return false;
}

template <class Map>
void check_numbers(const Map& map, const Target& target, std::map<std::string, int>& seen) {
  std::vector<TensorMapViolation> all = violations(map, target);
  const std::size_t refused = all.size();
  for (const auto& v : remarks(map, target)) all.push_back(v);
  for (const TensorMapViolation& v : all) {
    CAPTURE(v.rule);
    CAPTURE(v.argument);
    CAPTURE(v.value);
    CAPTURE(v.bound);
    if (++seen[v.rule] > 30) continue;
    REQUIRE(bounds.count(v.rule) == 1);
    const Bound kind = bounds.at(v.rule);
    if (kind == Bound::bytes) continue;
    if (kind == Bound::text) {
      REQUIRE(std::pair(v.value, v.bound) == texts.at(v.rule));
      continue;
    }
    const Argument argument(v.argument);
    const Im2colMap call = widened(map);
    const auto still = [&](std::uint64_t value) {
      return breaks(as(argument.with(call, value), static_cast<const Map*>(nullptr)), target, v);
    };
    // A box of pixels that wrapped names the dimension that is too long, in the place of `upper`.
    if (v.rule == "im2col-box-empty" && !v.is_signed) {
      REQUIRE(v.value > v.bound);
      continue;
    }
    REQUIRE(v.value == argument.of(call));
    if (v.rule == "im2col-wide-column-bytes" && call.wide == Im2colWideMode::w128) continue;  // ignores pixels
    if (kind == Bound::unit) {
      REQUIRE_FALSE(still(v.bound));
      REQUIRE(still(v.bound / 2));
      REQUIRE(v.value % v.bound != 0);
      continue;
    }
    REQUIRE(still(v.bound) == (kind == Bound::end));
    if (kind == Bound::end) REQUIRE_FALSE(still(v.bound - 1));
    if (kind != Bound::last) continue;
    const bool is_less = v.is_signed ? static_cast<std::int64_t>(v.value) < static_cast<std::int64_t>(v.bound)
                         : v.argument == "rank" ? static_cast<int>(v.value) < static_cast<int>(v.bound)
                                                : v.value < v.bound;
    const std::uint64_t step = v.rule == "swizzle-span" ? 2 : 1;  // of 4 bits, whole bytes
    const std::uint64_t beyond = is_less ? v.bound - step : v.bound + step;
    const bool is_remark = &v >= all.data() + refused;
    if (is_remark && refuses(as(argument.with(call, beyond), static_cast<const Map*>(nullptr)), target, v)) continue;
    REQUIRE(still(beyond));
  }
}

const Target& target_of(int n) { return require_target(n % 8 == 0 ? "sm_80" : n % 2 == 0 ? "sm_90a" : "sm_100a"); }

}  // namespace

TEST_CASE("every rule: the value is the argument's, the bound is where the rule begins to hold") {
  RandomMaps tiled(11);
  RandomIm2colMaps images(12);
  std::map<std::string, int> seen;
  for (int n = 0; n < 3000; ++n) {
    TensorMap map = tiled.any();
    if (tiled.once_in(4)) map.data_type = TensorMapDataType{13 + static_cast<int>(tiled.below(3))};
    if (tiled.once_in(16)) map.global_address |= 1ULL << 57;
    if (tiled.once_in(16)) map.strides[0] = (1ULL << 32) - 4096;
    check_numbers(map, target_of(n), seen);
    check_numbers(images.any(), target_of(n), seen);
  }
  for (const auto& row : bounds) CHECK_MESSAGE(seen.count(std::string(row.first)) == 1, std::string(row.first));
}

TEST_CASE("bytes of a box: entries that are loaded, counted by hand; of a column: channels times pixels") {
  TensorMap map{
      .data_type = TensorMapDataType::float32, .rank = 3, .dims = {512, 512, 512}, .strides = {2048, 1048576}};
  map.box = {64, 129, 8};
  map.element_strides = {1, 1, 1, 1, 1};
  const auto bytes = [&] {
    for (const TensorMapViolation& v : violations(map, require_target("sm_90a")))
      if (v.rule == "box-bytes") return std::pair(v.value, v.bound);
    return std::pair<std::uint64_t, std::uint64_t>();
  };
  CHECK(bytes() == std::pair<std::uint64_t, std::uint64_t>(64 * 129 * 8 * 4, 228 * 1024));
  map.box = {64, 256, 8};
  map.element_strides[1] = 2;
  CHECK(bytes() == std::pair<std::uint64_t, std::uint64_t>(64 * 128 * 8 * 4, 228 * 1024));
  map.element_strides[1] = 3;  // 85 entries, 174,080 B
  CHECK(bytes() == std::pair<std::uint64_t, std::uint64_t>());
}

TEST_CASE("im2col wide: a column against the 227 KiB of a CTA, counted in pixels, or always 128 of them") {
  Im2colMap map;
  map.tensor = {.data_type = TensorMapDataType::float64,
                .rank = 4,
                .dims = {512, 56, 56, 8},
                .strides = {4096, 229376, 12845056},
                .swizzle = TensorMapSwizzle::b128};
  const auto told = [&](std::uint64_t channels, std::uint64_t pixels, Im2colWideMode mode) {
    map.channels_per_pixel = channels;
    map.pixels_per_column = pixels;
    map.wide = mode;
    for (const TensorMapViolation& v : remarks(map, require_target("sm_100a")))
      if (v.rule == "im2col-wide-column-bytes")
        return std::to_string(v.value) + " " + std::to_string(v.bound) + " " + v.message;
    return std::string("silent");
  };
  const std::string tail = " B; a CTA has at most 232448 B of shared memory";
  // 227 channels of 8 B are 1816 B, 128 of them 227 KiB.
  CHECK(told(227, 128, Im2colWideMode::w) == "silent");
  CHECK(told(227, 129, Im2colWideMode::w) == "129 128 one copy loads 234264" + tail);
  CHECK(told(228, 128, Im2colWideMode::w) == "128 127 one copy loads 233472" + tail);
  CHECK(told(227, 1, Im2colWideMode::w128) == "silent");
  CHECK(told(228, 1, Im2colWideMode::w128) == "1 127 one copy loads 233472" + tail);
  CHECK(told(228, 1024, Im2colWideMode::w128) == "1024 127 one copy loads 233472" + tail);
  CHECK(told(256, 1025, Im2colWideMode::w) == "silent");  // refused
}

TEST_CASE("rules of entries are silent where a map has none, and given once for each") {
  const auto rules_of = [](const TensorMap& map, const char* target = "sm_90a") {
    std::string names;
    for (const TensorMapViolation& v : violations(map, require_target(target)))
      names += v.rule + " " + v.argument + " ";
    return names;
  };
  TensorMap map{.data_type = TensorMapDataType::float32};  // rank 0, and nothing in any list
  map.element_strides = {};
  CHECK(rules_of(map) == "rank-range rank ");
  map.rank = -1;
  CHECK(rules_of(map) == "rank-range rank ");
  map.data_type = TensorMapDataType::u4_align8;
  map.dims[0] = 1;
  map.rank = 0;
  CHECK(rules_of(map, "sm_100a") == "rank-range rank ");
  map.data_type = TensorMapDataType::float32;
  map.rank = 1;
  CHECK(rules_of(map) == "box-range box[0] element-stride-range-0 elementStrides[0] ");
  map.rank = 2;
  CHECK(rules_of(map) ==
        "dim-range dims[1] box-range box[0] box-range box[1] element-stride-range-0 elementStrides[0] "
        "element-stride-range elementStrides[1] ");
}

TEST_CASE("the nearest legal rank: none below 1, 5 above 5") {
  TensorMap map{.data_type = TensorMapDataType::float32, .rank = 0};
  const auto nearest = [&](int rank) {
    map.rank = rank;
    for (const TensorMapViolation& v : violations(map, require_target("sm_90a")))
      if (v.rule == "rank-range") return v.nearest ? v.nearest->tensor.rank : 0;
    return -1;
  };
  CHECK(nearest(-1) == 0);
  CHECK(nearest(0) == 0);
  CHECK(nearest(1) == -1);
  CHECK(nearest(5) == -1);
  CHECK(nearest(6) == 5);
  CHECK(nearest(100) == 5);
}

TEST_CASE("widths of a box in a sub-byte type are given in bits") {
  TensorMap map{.data_type = TensorMapDataType::u4_align8,
                .rank = 2,
                .dims = {256, 256},
                .strides = {128},
                .box = {48, 7},
                .swizzle = TensorMapSwizzle::none};
  const auto all = violations(map, require_target("sm_100a"));
  REQUIRE(all.size() == 1);
  CHECK(all[0].message == "boxDim[0] = 48 is 48 x 4 bit = 24 B, not a multiple of 16 B");
  CHECK(all[0].hint == "box[0] = 64: 32 elements of 16U4_ALIGN8B are 16 B");
}

TEST_CASE("a box beyond the tensor, from a dimension of one entry on") {
  TensorMap map{.data_type = TensorMapDataType::float32, .rank = 2, .dims = {64, 1}, .strides = {256}, .box = {32, 1}};
  const auto is_told = [&](std::uint64_t dim, std::uint64_t box) {
    map.dims[1] = dim;
    map.box[1] = box;
    for (const TensorMapViolation& v : remarks(map, require_target("sm_90a")))
      if (v.rule == "box-beyond-tensor") return v.argument == "box[1]";
    return false;
  };
  CHECK_FALSE(is_told(1, 1));
  CHECK(is_told(1, 2));
  CHECK_FALSE(is_told(2, 2));
  CHECK(is_told(2, 3));
  CHECK_FALSE(is_told(0, 2));  // which is refused
}
