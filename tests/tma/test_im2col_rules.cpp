// SPDX-License-Identifier: Apache-2.0
// Rules of im2col maps against what an H200 answered, against an oracle of only numbers, the fixes, single cases.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "sweep.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }
const Target& blackwell() { return require_target("sm_100a"); }

// One sentence of the documentation, or of what was seen. Knows nothing of the tables of src/.
struct Sentence {
  const char* what;
  bool (*holds)(const Im2colMap&, bool is_blackwell);
};

int type_of(const Im2colMap& m) { return static_cast<int>(m.tensor.data_type); }
int swizzle_of(const Im2colMap& m) { return static_cast<int>(m.tensor.swizzle); }
int interleave_of(const Im2colMap& m) { return static_cast<int>(m.tensor.interleave); }
bool is_wide(const Im2colMap& m) { return m.wide.has_value(); }
bool is_u4_gap(const Im2colMap& m) { return type_of(m) == 14; }
bool is_u6_gap(const Im2colMap& m) { return type_of(m) == 15; }
bool has_gaps(const Im2colMap& m) { return is_u4_gap(m) || is_u6_gap(m); }
std::uint64_t unit_of(const Im2colMap& m) { return interleave_of(m) == 2 || has_gaps(m) ? 32 : 16; }
// In shared memory, in bits.
std::uint64_t bits_of(const Im2colMap& m) {
  constexpr std::uint64_t bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 8, 8};
  return type_of(m) >= 0 && type_of(m) < 16 ? bits[type_of(m)] : 0;
}

bool is_rank(const Im2colMap& m) { return m.tensor.rank >= 3 && m.tensor.rank <= 5; }
bool is_offset(const Im2colMap& m, std::int64_t offset) {
  if (is_wide(m) || m.tensor.rank == 3) return offset >= -32768 && offset <= 32767;
  if (m.tensor.rank == 4) return offset >= -128 && offset <= 127;
  return offset >= -16 && offset <= 15;
}
std::size_t offsets(const Im2colMap& m) {
  return !is_rank(m) ? 0 : is_wide(m) ? 1 : static_cast<std::size_t>(m.tensor.rank - 2);
}

const Sentence sentences[] = {
    {"the type is in the enum", [](const Im2colMap& m, bool) { return type_of(m) >= 0 && type_of(m) <= 15; }},
    {"sub-byte types since sm_100", [](const Im2colMap& m, bool is_new) { return is_new || type_of(m) < 13; }},
    {"sub-modes since sm_100", [](const Im2colMap& m, bool is_new) { return is_new || swizzle_of(m) < 4; }},
    {"Im2colWide since sm_100", [](const Im2colMap& m, bool is_new) { return is_new || !is_wide(m); }},
    {"tensorRank is 3, 4 or 5", [](const Im2colMap& m, bool) { return is_rank(m); }},
    {"globalAddress", [](const Im2colMap& m, bool) { return m.tensor.global_address % unit_of(m) == 0; }},
    {"globalDim is 1 to 2^32",
     [](const Im2colMap& m, bool) {
       for (int d = 0; d < m.tensor.rank && d < 5; ++d)
         if (m.tensor.dims[static_cast<std::size_t>(d)] - 1 > 0xffffffffULL) return false;
       return true;
     }},
    {"globalDim[0] of packed types",
     [](const Im2colMap& m, bool) {
       if (m.tensor.rank < 1) return true;
       return m.tensor.dims[0] % (has_gaps(m) ? 128 : type_of(m) == 13 ? 2 : 1) == 0;
     }},
    {"globalStrides",
     [](const Im2colMap& m, bool) {
       for (int d = 0; d + 1 < m.tensor.rank && d < 4; ++d) {
         const std::uint64_t stride = m.tensor.strides[static_cast<std::size_t>(d)];
         if (stride % unit_of(m) != 0 || stride >= 1099511627776ULL) return false;
       }
       return true;
     }},
    {"pixelBoxLowerCorner",
     [](const Im2colMap& m, bool) {
       for (std::size_t i = 0; i < offsets(m); ++i)
         if (!is_offset(m, m.lower_corner[i])) return false;
       return true;
     }},
    {"pixelBoxUpperCorner",
     [](const Im2colMap& m, bool) {
       for (std::size_t i = 0; i < offsets(m); ++i)
         if (!is_offset(m, m.upper_corner[i])) return false;
       return true;
     }},
    {"the box has an area",
     [](const Im2colMap& m, bool) {
       for (std::size_t i = 0; i < offsets(m); ++i) {
         const std::uint64_t dim = m.tensor.dims[is_wide(m) || interleave_of(m) == 0 ? i + 1 : i];
         if (dim > 1ULL << 32 || !is_offset(m, m.lower_corner[i]) || !is_offset(m, m.upper_corner[i])) continue;
         if (dim == 0) continue;
         std::int64_t end = static_cast<std::int64_t>(dim) + m.upper_corner[i];
         if (!is_wide(m) && end >= 1LL << 31) end -= 1LL << 32;  // the driver's int
         if (end - m.lower_corner[i] <= 0) return false;
       }
       return true;
     }},
    {"channelsPerPixel is at most 256", [](const Im2colMap& m, bool) { return m.channels_per_pixel < 257; }},
    {"channelsPerPixel is 128 of types with gaps",
     [](const Im2colMap& m, bool) { return !has_gaps(m) || m.channels_per_pixel == 128; }},
    {"pixelsPerColumn is at most 1024",
     [](const Im2colMap& m, bool) { return m.pixels_per_column < 1025 || m.wide == Im2colWideMode::w128; }},
    {"channelsPerPixel is not 0", [](const Im2colMap& m, bool) { return is_wide(m) || m.channels_per_pixel > 0; }},
    {"pixelsPerColumn is not 0", [](const Im2colMap& m, bool) { return is_wide(m) || m.pixels_per_column > 0; }},
    {"channelsPerPixel is a multiple of 16 B",
     [](const Im2colMap& m, bool) {
       return is_wide(m) || has_gaps(m) || m.channels_per_pixel > 256 || m.channels_per_pixel * bits_of(m) % 128 == 0;
     }},
    {"a column is at most 228 KiB",
     [](const Im2colMap& m, bool) {
       return is_wide(m) || m.channels_per_pixel > 256 || m.pixels_per_column > 1024 ||
              m.channels_per_pixel * m.pixels_per_column * bits_of(m) / 8 <= 233472;
     }},
    // Of PTX ISA 9.4, 5.5.5; cuda.h does not say it.
    {"the wide modes have no interleave",
     [](const Im2colMap& m, bool) { return !is_wide(m) || interleave_of(m) == 0; }},
    {"elementStrides are 1 to 8, the first one of the wide call is ignored",
     [](const Im2colMap& m, bool) {
       for (int d = is_wide(m) ? 1 : 0; d < m.tensor.rank && d < 5; ++d)
         if (m.tensor.element_strides[static_cast<std::size_t>(d)] - 1 > 7) return false;
       return true;
     }},
    {"the interleave is in the enum",
     [](const Im2colMap& m, bool) { return interleave_of(m) >= 0 && interleave_of(m) <= 2; }},
    {"the inner dimension is within the swizzle",
     [](const Im2colMap& m, bool) {
       constexpr std::uint64_t most[] = {~0ULL, 32, 64, 128, 128, 128, 128};
       if (interleave_of(m) != 0 || swizzle_of(m) < 0 || swizzle_of(m) > 6 || m.channels_per_pixel > 256) return true;
       return m.channels_per_pixel * bits_of(m) / 8 <= most[swizzle_of(m)];
     }},
    {"16U6_ALIGN16B is not interleaved",
     [](const Im2colMap& m, bool) { return !is_u6_gap(m) || interleave_of(m) == 0; }},
    {"the swizzle is in the enum",
     [](const Im2colMap& m, bool) {
       if (!is_wide(m)) return swizzle_of(m) >= 0 && swizzle_of(m) <= 6;
       return swizzle_of(m) == 2 || swizzle_of(m) == 3 || swizzle_of(m) == 4;
     }},
    {"the swizzles of types with gaps",
     [](const Im2colMap& m, bool) {
       if (!has_gaps(m)) return true;
       const int s = swizzle_of(m);
       return s == 0 || s == 3 || s == 4 || (s == 6 && is_u6_gap(m)) || s > 6 || s < 0;
     }},
    {"l2Promotion",
     [](const Im2colMap& m, bool) {
       return static_cast<int>(m.tensor.l2_promotion) >= 0 && static_cast<int>(m.tensor.l2_promotion) <= 3;
     }},
    {"oobFill",
     [](const Im2colMap& m, bool) {
       const int fill = static_cast<int>(m.tensor.oob_fill);
       return fill == 0 || (fill == 1 && type_of(m) >= 6 && type_of(m) <= 12);
     }},
};

bool is_legal(const Im2colMap& map, const Target& target) { return violations(map, target).empty(); }

std::set<std::string> rules_of(const Im2colMap& map, const Target& target) {
  std::set<std::string> names;
  for (const TensorMapViolation& v : violations(map, target)) names.insert(std::string(v.rule));
  return names;
}

// The images of a 3x3 convolution with padding 1.
Im2colMap images() {
  Im2colMap map;
  map.tensor = {.data_type = TensorMapDataType::float16,
                .rank = 4,
                .dims = {64, 56, 56, 8},
                .strides = {128, 7168, 401408},
                .swizzle = TensorMapSwizzle::b128};
  map.lower_corner = {-1, -1};
  map.upper_corner = {-1, -1};
  map.channels_per_pixel = 64;
  map.pixels_per_column = 128;
  return map;
}

}  // namespace

// tests/data/im2col.txt says what a line contains.
TEST_CASE("an H200 answered so") {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/im2col.txt");
  long cases = 0, accepted = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    int code = -1, type = 0, interleave = 0, swizzle = 0, l2 = 0, oob = 0;
    Im2colMap m;
    in >> code >> type >> m.tensor.rank >> m.tensor.global_address;
    for (std::uint64_t& dim : m.tensor.dims) in >> dim;
    for (std::uint64_t& stride : m.tensor.strides) in >> stride;
    for (std::int64_t& offset : m.lower_corner) in >> offset;
    for (std::int64_t& offset : m.upper_corner) in >> offset;
    in >> m.channels_per_pixel >> m.pixels_per_column;
    for (std::uint64_t& step : m.tensor.element_strides) in >> step;
    in >> interleave >> swizzle >> l2 >> oob;
    REQUIRE(in);
    m.tensor.data_type = TensorMapDataType{type};
    m.tensor.interleave = TensorMapInterleave{interleave};
    m.tensor.swizzle = TensorMapSwizzle{swizzle};
    m.tensor.l2_promotion = TensorMapL2Promotion{l2};
    m.tensor.oob_fill = TensorMapOobFill{oob};
    INFO(line);
    CHECK(is_legal(m, hopper()) == (code == 0));
    ++cases;
    accepted += code == 0 ? 1 : 0;
  }
  CHECK(cases == 3151);
  CHECK(accepted == 1114);
}

std::vector<const char*> broken_by(const Im2colMap& map, bool is_blackwell) {
  std::vector<const char*> broken;
  for (const Sentence& sentence : sentences)
    if (!sentence.holds(map, is_blackwell)) broken.push_back(sentence.what);
  return broken;
}

TEST_CASE("verdicts agree with the documentation's sentences") {
  RandomIm2colMaps maps(81);
  std::set<std::string> refused;
  long accepted = 0, wide = 0;
  const long sets = at_least(200000, 20);
  for (long n = 0; n < sets; ++n) {
    const Im2colMap map = maps.any();
    const bool is_blackwell = !maps.once_in(3);
    const std::vector<const char*> broken = broken_by(map, is_blackwell);
    const bool is_ours = is_legal(map, is_blackwell ? blackwell() : hopper());
    if (is_ours != broken.empty()) FAIL("oracle: " << std::string(broken.empty() ? "legal" : broken[0]));
    refused.insert(broken.begin(), broken.end());
    if (is_ours) ++accepted, wide += is_wide(map) ? 1 : 0;
  }
  MESSAGE(accepted, " of ", sets, " accepted, ", wide, " of them wide");
  CHECK(refused.size() == std::size(sentences));
  CHECK(accepted > sets / 50);
  CHECK(wide > sets / 200);
}

// None is hidden by another. It is drawn until each was found, because the rarest is one of 20,000 maps.
TEST_CASE("each sentence is the only reason of some refusal") {
  RandomIm2colMaps maps(81);
  std::set<std::string> alone;
  for (int n = 0; n < 200000 && alone.size() < std::size(sentences); ++n) {
    const Im2colMap map = maps.any();
    const std::vector<const char*> broken = broken_by(map, !maps.once_in(3));
    if (broken.size() == 1) alone.insert(broken[0]);
  }
  for (const Sentence& sentence : sentences) {
    INFO(std::string(sentence.what));
    CHECK(alone.count(sentence.what) == 1);
  }
}

TEST_CASE("the nearest legal change, again and again, ends at an accepted map") {
  RandomIm2colMaps maps(82);
  long fixed = 0, without = 0;
  for (int n = 0; n < 20000; ++n) {
    Im2colMap map = maps.any();
    const Target& target = n % 2 == 0 ? hopper() : blackwell();
    for (int step = 0;; ++step) {
      const std::vector<TensorMapViolation> all = violations(map, target);
      if (all.empty()) {
        ++fixed;
        break;
      }
      REQUIRE_FALSE(all[0].message.empty());
      REQUIRE_FALSE(all[0].hint.empty());
      if (map.wide) {
        REQUIRE(all[0].is_documented());
        REQUIRE_FALSE(all[0].is_observed());
        REQUIRE(all[0].source.find("not measured") != std::string::npos);
      }
      if (!all[0].nearest) {
        ++without;
        break;
      }
      REQUIRE(*all[0].nearest != map);
      map = *all[0].nearest;
      REQUIRE(step < 40);
    }
  }
  CHECK(fixed > 8000);
  CHECK(without > 0);
}

TEST_CASE("rules: names are unique, every one is broken by some map, the shared ones exist") {
  std::set<std::string> names, broken;
  for (const auto rules : {im2col_rules(), im2col_remark_rules()})
    for (const TensorMapRule& rule : rules) CHECK(names.insert(std::string(rule.name)).second);
  std::size_t shared = 0;
  for (const auto rules : {refusal_rules(), remark_rules()})
    for (const TensorMapRule& rule : rules) {
      if ((rule.calls & of_images) == 0) continue;
      ++shared;
      CHECK(names.insert(std::string(rule.name)).second);
    }
  CHECK(shared == 27);
  RandomIm2colMaps maps(83);
  for (int n = 0; n < 40000; ++n) {
    const Im2colMap map = maps.any();
    const Target& target = n % 3 == 0 ? hopper() : n % 3 == 1 ? blackwell() : require_target("sm_80");
    for (const TensorMapViolation& v : violations(map, target)) broken.insert(std::string(v.rule));
    for (const TensorMapViolation& v : remarks(map, target)) broken.insert(std::string(v.rule));
  }
  CHECK(broken == names);
}

TEST_CASE("single cases: messages and fixes") {
  Im2colMap map = images();
  CHECK(is_legal(map, hopper()));
  CHECK(remarks(map, hopper()).empty());

  map.lower_corner = {-1, -129};
  std::vector<TensorMapViolation> all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].argument == "lower[1]");
  CHECK(all[0].message == "pixelBoxLowerCorner[1] = -129 is not -128 to 127, the offsets of rank 4");
  CHECK(all[0].hint == "lower[1] = -128; what reaches further is loaded by tiled maps");
  CHECK(static_cast<std::int64_t>(all[0].value) == -129);
  CHECK(all[0].nearest->lower_corner[1] == -128);
  REQUIRE(remarks(map, hopper()).size() == 1);
  CHECK(remarks(map, hopper())[0].rule == "im2col-corner-order");

  // A filter of 58 entries on 56 pixels with padding 1 leaves no output: 1 - 57 = -56, and 56 - 56 + 1 = 1 is one.
  map = images();
  map.upper_corner = {-56, -1};
  CHECK(is_legal(map, hopper()));
  map.upper_corner = {-57, -1};
  all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].message == "the box of pixels is empty along dimension 1: globalDim 56 + upper -57 - lower -1 = 0");
  CHECK(all[0].hint == "upper[0] = -56 or more; of a filter of R entries it is padding - (R - 1) * dilation");

  map = images();
  map.channels_per_pixel = 128;  // tilelang issue 2578: 256 B within 128B
  all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].message == "channelsPerPixel = 128 is 256 B; swizzle 128B takes at most 128 B");
  CHECK(all[0].hint == "channels = 64, and the other channels in copies of their own");

  map = images();  // cuda.h asks for SWIZZLE_32B, the driver does not
  map.tensor.interleave = TensorMapInterleave::bytes_32;
  CHECK(is_legal(map, hopper()));
  CHECK(remarks(map, hopper())[0].rule == "interleave-swizzle");

  map = images();  // 2^31 pixels
  map.tensor.dims[1] = 1ULL << 31;
  all = violations(map, hopper());
  CHECK(is_legal(map, hopper()));  // and upper -1 is 2^31 - 1
  map.upper_corner[0] = 0;
  all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].message ==
        "globalDim[1] 2147483648 + upper 0 does not fit in the 32 bits in which the driver counts pixels");

  map = images();
  map.wide = Im2colWideMode::w128;
  map.pixels_per_column = 5000;
  CHECK(rules_of(map, hopper()) == std::set<std::string>{"im2col-wide-arch"});
  CHECK(is_legal(map, blackwell()));
  map.wide = Im2colWideMode::w;
  CHECK(rules_of(map, blackwell()) == std::set<std::string>{"im2col-pixels-range"});
  map.pixels_per_column = 64;
  map.lower_corner = {-32768, 999};  // no offset along H
  CHECK(is_legal(map, blackwell()));
  map.tensor.swizzle = TensorMapSwizzle::none;
  CHECK(rules_of(map, blackwell()) == std::set<std::string>{"im2col-wide-swizzle"});
  CHECK(rules_of(map, require_target("sm_80")).count("arch-tma") == 1);

  map = images();
  map.tensor.element_strides[0] = 0;  // cuda.h: ignored without interleave
  CHECK(rules_of(map, hopper()) == std::set<std::string>{"element-stride-range-0"});
  map.tensor.element_strides[0] = 1;
  map.channels_per_pixel = 60;
  all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].message == "channelsPerPixel = 60 is 120 B, not a multiple of 16 B");
  CHECK(all[0].source.starts_with("H200, driver 580.159: 180,000 of 180,000 verdicts of cuTensorMapEncodeIm2col"));
  CHECK(all[0].nearest->channels_per_pixel == 64);
  map.wide = Im2colWideMode::w;  // about which nothing was seen
  CHECK(is_legal(map, blackwell()));
  CHECK(remarks(map, blackwell())[0].rule == "im2col-wide-channels-16");

  map = images();
  map.tensor.data_type = TensorMapDataType::float64;
  map.tensor.swizzle = TensorMapSwizzle::none;
  map.channels_per_pixel = 256;
  map.pixels_per_column = 114;  // 233,472 B
  CHECK(is_legal(map, hopper()));
  map.pixels_per_column = 115;
  all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  CHECK(all[0].message == "a column takes 235520 B of shared memory; the driver accepts at most 233472 B (228 KiB)");
  CHECK(all[0].nearest->pixels_per_column == 114);
}
