// SPDX-License-Identifier: Apache-2.0
// Verdicts against an oracle written from measurements with numbers only, published cases, the fixes.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "sweep.hpp"
#include "tma/random_maps.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }

// One line of the measured table: what must hold for the driver to accept. Knows nothing of the tables of src/.
struct Requirement {
  const char* what;
  bool (*holds)(const TensorMap&);
};

int type_of(const TensorMap& m) { return static_cast<int>(m.data_type); }
std::uint64_t size_of(const TensorMap& m) {
  constexpr std::uint64_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type_of(m) >= 0 && type_of(m) < 13 ? sizes[type_of(m)] : 0;
}
template <class Holds>
bool each(const TensorMap& m, int end, Holds holds) {
  for (int d = 0; d < end && d < 5; ++d)
    if (!holds(static_cast<std::size_t>(d))) return false;
  (void)m;
  return true;
}

const Requirement requirements[] = {
    {"rank", [](const TensorMap& m) { return m.rank >= 1 && m.rank <= 5; }},
    {"rank with interleave", [](const TensorMap& m) { return int(m.interleave) == 0 || m.rank >= 3; }},
    {"type", [](const TensorMap& m) { return type_of(m) >= 0 && type_of(m) <= 12; }},
    {"interleave", [](const TensorMap& m) { return int(m.interleave) >= 0 && int(m.interleave) <= 2; }},
    {"swizzle", [](const TensorMap& m) { return int(m.swizzle) >= 0 && int(m.swizzle) <= 3; }},
    {"L2", [](const TensorMap& m) { return int(m.l2_promotion) >= 0 && int(m.l2_promotion) <= 3; }},
    {"fill", [](const TensorMap& m) { return int(m.oob_fill) == 0 || int(m.oob_fill) == 1; }},
    {"address", [](const TensorMap& m) { return m.global_address % (int(m.interleave) == 2 ? 32 : 16) == 0; }},
    {"dimensions",
     [](const TensorMap& m) { return each(m, m.rank, [&](std::size_t d) { return m.dims[d] - 1 <= 0xffffffffULL; }); }},
    {"box", [](const TensorMap& m) { return each(m, m.rank, [&](std::size_t d) { return m.box[d] - 1 <= 255; }); }},
    {"element strides",
     [](const TensorMap& m) { return each(m, m.rank, [&](std::size_t d) { return m.element_strides[d] - 1 <= 7; }); }},
    {"strides",
     [](const TensorMap& m) {
       return each(m, m.rank - 1, [&](std::size_t d) {
         return m.strides[d] % (int(m.interleave) == 2 ? 32 : 16) == 0 && m.strides[d] < 1099511627776ULL;
       });
     }},
    {"inner box", [](const TensorMap& m) { return m.box[0] * size_of(m) % 16 == 0; }},
    {"inner box within the swizzle",
     [](const TensorMap& m) {
       constexpr std::uint64_t most[] = {2048, 32, 64, 128};
       if (int(m.interleave) != 0 || int(m.swizzle) < 0 || int(m.swizzle) > 3) return true;
       return m.box[0] * size_of(m) <= most[int(m.swizzle)];
     }},
    {"bytes",
     [](const TensorMap& m) {
       std::uint64_t bytes = size_of(m);
       for (std::size_t d = 0; d < 5 && int(d) < m.rank; ++d) {
         if (m.element_strides[d] == 0 || m.box[d] > 256) return true;
         bytes *= m.box[d] / m.element_strides[d];
       }
       return bytes <= 233472;
     }},
    {"NaN", [](const TensorMap& m) { return int(m.oob_fill) == 0 || (type_of(m) >= 6 && type_of(m) <= 12); }},
};

const char* refused_by_oracle(const TensorMap& map) {
  for (const Requirement& requirement : requirements)
    if (!requirement.holds(map)) return requirement.what;
  return nullptr;
}

std::set<std::string> rules_of(const TensorMap& map, const Target& target) {
  std::set<std::string> names;
  for (const TensorMapViolation& v : violations(map, target)) names.insert(std::string(v.rule));
  return names;
}

TensorMapViolation only_violation(const TensorMap& map) {
  const std::vector<TensorMapViolation> all = violations(map, hopper());
  REQUIRE(all.size() == 1);
  return all[0];
}

}  // namespace

TEST_CASE("verdicts agree with the oracle, and each of its lines is needed") {
  RandomMaps maps(66);
  std::map<std::string, long> refused;
  long accepted = 0;
  const long sets = at_least(300000, 20);
  for (long n = 0; n < sets; ++n) {
    const TensorMap map = maps.any();
    const char* why = refused_by_oracle(map);
    const bool is_ours = is_accepted(map, hopper());
    if (is_ours != (why == nullptr)) FAIL("oracle: " << std::string(why ? why : "accepted"));
    if (n % 8 == 0 && violations(map, hopper()).empty() != is_ours) FAIL("violations and is_accepted differ");
    if (why) ++refused[why];
    else ++accepted;
  }
  CHECK(refused.size() == std::size(requirements));
  CHECK(accepted > sets / 8);
  CHECK(accepted < sets * 7 / 8);
}

TEST_CASE("the nearest legal change, again and again, ends at an accepted map") {
  RandomMaps maps(67);
  long fixed = 0, without = 0;
  for (int n = 0; n < 20000; ++n) {
    TensorMap map = maps.any();
    for (int step = 0;; ++step) {
      const std::vector<TensorMapViolation> all = violations(map, hopper());
      if (all.empty()) {
        ++fixed;
        break;
      }
      CHECK_FALSE(all[0].hint.empty());
      if (!all[0].nearest) {
        ++without;
        break;
      }
      map = all[0].nearest->tensor;
      REQUIRE(step < 40);
    }
  }
  CHECK(fixed > 12000);
  CHECK(without > 0);
}

TEST_CASE("rules: names are unique, every one is broken by some map") {
  std::set<std::string> names, broken;
  for (const auto rules : {refusal_rules(), remark_rules()})
    for (const TensorMapRule& rule : rules) {
      CHECK(names.insert(std::string(rule.name)).second);
      CHECK_FALSE(rule.what.empty());
    }
  RandomMaps maps(68);
  for (int n = 0; n < 60000; ++n) {
    TensorMap map = maps.any();
    if (n % 4 == 0) map.data_type = TensorMapDataType{13 + static_cast<int>(maps.below(3))};
    if (n % 100 == 0) map.global_address = 1ULL << 60;
    const Target& target = n % 3 == 0 ? hopper() : n % 3 == 1 ? require_target("sm_100a") : require_target("sm_80");
    for (const TensorMapViolation& v : violations(map, target)) broken.insert(std::string(v.rule));
    for (const TensorMapViolation& v : remarks(map, target)) broken.insert(std::string(v.rule));
  }
  for (const std::string& name : names) {
    INFO(name);
    CHECK(broken.count(name) == 1);
  }
}

TEST_CASE("reference cases") {
  TensorMap map{.data_type = TensorMapDataType::float16,
                .rank = 4,
                .dims = {64, 16, 32, 4096},
                .strides = {128, 2, 4096},
                .box = {64, 16, 1, 1},
                .swizzle = TensorMapSwizzle::b128};
  const TensorMapViolation stride = only_violation(map);
  CHECK(stride.rule == "stride-16");
  CHECK(stride.argument == "strides[1]");
  CHECK(stride.value == 2);
  CHECK(stride.bound == 16);
  CHECK(stride.is_documented());
  CHECK(stride.message == "globalStrides[1] = 2 B is not a multiple of 16");
  CHECK(stride.hint == "one element a step: dimension 2 is the contiguous one and must be first");

  map = {.data_type = TensorMapDataType::float16,
         .rank = 3,
         .dims = {128, 0, 4},
         .strides = {256, 256},
         .box = {64, 1, 1},
         .swizzle = TensorMapSwizzle::b128};
  CHECK(only_violation(map).argument == "dims[1]");
  CHECK(only_violation(map).message == "globalDim[1] = 0: a tensor map has no empty dimension");

  // Legal: an error code 715 that this call returns is an earlier kernel's.
  map = {.data_type = TensorMapDataType::float16,
         .rank = 4,
         .dims = {64, 16, 32, 23434},
         .strides = {4096, 128, 65536},
         .box = {64, 192, 1, 1},
         .swizzle = TensorMapSwizzle::b128};
  CHECK(violations(map, hopper()).empty());
  CHECK(remarks(map, hopper()).size() == 3);  // no address, a box taller than the tensor, strides out of order

  map = {
      .data_type = TensorMapDataType::float32, .rank = 2, .dims = {4096, 4096}, .strides = {16384}, .box = {256, 228}};
  CHECK(violations(map, hopper()).empty());
  map.box = {256, 230};
  CHECK(only_violation(map).rule == "box-bytes");
  CHECK(only_violation(map).message ==
        "the box takes 235520 B of shared memory; the driver accepts at most 233472 B (228 KiB)");
  CHECK(only_violation(map).hint == "box[1] = 228");
  CHECK(only_violation(map).basis == RuleBasis::observed);

  map = {.data_type = TensorMapDataType::uint16,
         .rank = 2,
         .dims = {4096, 64},
         .strides = {8192},
         .box = {48, 64},
         .swizzle = TensorMapSwizzle::b32};
  CHECK(only_violation(map).message == "boxDim[0] = 48 is 48 x 2 B = 96 B; swizzle 32B takes at most 32 B");
  CHECK(only_violation(map).hint == "swizzle 128B, or box[0] = 16 and 3 copies");

  map = {.data_type = TensorMapDataType::bfloat16,
         .rank = 2,
         .dims = {4096, 64},
         .strides = {18446744071562067968ULL},
         .box = {64, 64}};
  CHECK(only_violation(map).message ==
        "globalStrides[0] = 18446744071562067968 B is not below 2^40 (-2147483648 as a signed number: a 32-bit "
        "product "
        "that overflowed and was then widened)");
}

TEST_CASE("what cuda.h forbids and the driver accepts is a remark") {
  TensorMap map{.data_type = TensorMapDataType::uint8,
                .rank = 3,
                .global_address = 32,
                .dims = {32, 8, 8},
                .strides = {64, 0},
                .box = {32, 8, 8},
                .interleave = TensorMapInterleave::bytes_32,
                .swizzle = TensorMapSwizzle::b128};
  CHECK(violations(map, hopper()).empty());
  std::set<std::string> names;
  for (const TensorMapViolation& v : remarks(map, hopper())) names.insert(std::string(v.rule));
  CHECK(names == std::set<std::string>{"stride-order", "interleave-swizzle"});
}

TEST_CASE("a fix of an address or a stride breaks no other rule about it, and nothing refused is called accepted") {
  RandomMaps maps(69);
  long fixes = 0;
  for (int n = 0; n < 40000; ++n) {
    const TensorMap map = maps.any();
    const std::vector<TensorMapViolation> all = violations(map, hopper());
    std::set<std::string> refused;
    for (const TensorMapViolation& v : all) {
      refused.insert(v.argument);
      if (!v.nearest || (v.argument != "address" && v.argument.find("strides[") != 0)) continue;
      ++fixes;
      for (const TensorMapViolation& left : violations(v.nearest->tensor, hopper()))
        if (left.argument == v.argument) FAIL_CHECK(v.message << "; " << v.hint << "; " << left.message);
    }
    for (const TensorMapViolation& remark : remarks(map, hopper())) CHECK(refused.count(remark.argument) == 0);
  }
  CHECK(fixes > 1000);
}

TEST_CASE("whole fixes of strides") {
  const auto fix = [](TensorMap map) {
    const std::vector<TensorMapViolation> all = violations(map, hopper());
    return all.empty() ? std::string("accepted") : all[0].message + " | " + all[0].hint;
  };
  TensorMap map{
      .data_type = TensorMapDataType::bfloat16, .rank = 2, .dims = {64, 100}, .strides = {136}, .box = {64, 64}};
  CHECK(fix(map) == "globalStrides[0] = 136 B is not a multiple of 16 | strides[0] = 144: pad the tensor");
  map.dims = {100, 100};
  CHECK(fix(map) == "globalStrides[0] = 136 B is not a multiple of 16 | strides[0] = 208: dimension 0 takes 200 B");
  map.strides = {100};
  CHECK(fix(map) ==
        "globalStrides[0] = 100 B is not a multiple of 16 | strides[0] = 208: strides count bytes, and 100 "
        "elements take "
        "200 B");
  map.dims = {100, 1};
  map.strides = {40};
  CHECK(fix(map) ==
        "globalStrides[0] = 40 B is not a multiple of 16 | strides[0] = 48: dimension 1 has one entry, its stride "
        "is never "
        "stepped over");
  map = {.data_type = TensorMapDataType::uint8,
         .rank = 3,
         .dims = {1, 32, 7},
         .strides = {100, 128},
         .box = {128, 16, 32},
         .interleave = TensorMapInterleave::bytes_32};
  CHECK(fix(map) == "globalStrides[0] = 100 B is not a multiple of 16 | strides[0] = 128: pad the tensor");
  map.strides = {128, 128};
  map.global_address = 40;
  CHECK(fix(map) ==
        "globalAddress = 0x28 is not a multiple of 16 | begin at 0x20 and copy from a coordinate inside, or align "
        "the "
        "allocation to 32 B");
}

TEST_CASE("remarks on what a reader may not expect") {
  const auto remark = [](const TensorMap& map, std::string_view rule) {
    for (const TensorMapViolation& r : remarks(map, hopper()))
      if (r.rule == rule) return r.message + " | " + r.hint;
    return std::string("silent");
  };
  TensorMap map{
      .data_type = TensorMapDataType::bfloat16, .rank = 2, .dims = {4096, 4096}, .strides = {4096}, .box = {64, 64}};
  CHECK(remark(map, "stride-order") ==
        "globalStrides[0] = 4096 B is less than the 8192 B that dimension 0 covers: it is the number of elements, "
        "not of "
        "bytes | strides[0] = 8192");
  map.strides = {4160};
  CHECK(remark(map, "stride-order").find("entries overlap") != std::string::npos);
  CHECK(remark(map, "store-end-of-row") == "silent");

  map.dims = {100, 32};
  map.strides = {208};
  CHECK(remark(map, "store-end-of-row") ==
        "globalDim[0] = 100 ends inside 16 B: a store overwrites the 8 B after the end of each row it reaches; a "
        "load does "
        "not read them | store through a map whose rows end at a multiple of 16 B, or keep nothing in these bytes");
  CHECK(remark(map, "box-beyond-tensor") ==
        "boxDim[1] = 64 is larger than globalDim[1] = 32: accepted; a load fills the rest and counts it on the "
        "mbarrier, a "
        "store leaves it out | ");
  map.dims = {100, 0};
  CHECK(remark(map, "box-beyond-tensor") == "silent");

  // The bytes from the end of a row to the next multiple of 16.
  for (const TensorMapDataType type :
       {TensorMapDataType::uint8, TensorMapDataType::float16, TensorMapDataType::float32, TensorMapDataType::float64})
    for (std::uint64_t dim = 1; dim <= 64; ++dim) {
      map.data_type = type;
      map.dims = {dim, 64};
      std::uint64_t past = 0;
      while ((dim * size_of(map) + past) % 16 != 0) ++past;
      const std::string text = remark(map, "store-end-of-row");
      CHECK((past == 0) == (text == "silent"));
      if (past != 0) CHECK(text.find("the " + std::to_string(past) + " B after the end") != std::string::npos);
    }
}

TEST_CASE("targets: sub-byte types and sub-modes need sm_100, a tensor map needs sm_90") {
  TensorMap map{.data_type = TensorMapDataType::u4_align16,
                .rank = 2,
                .dims = {256, 64},
                .strides = {128},
                .box = {128, 64},
                .swizzle = TensorMapSwizzle::b128};
  CHECK(rules_of(map, hopper()) == std::set<std::string>{"data-type-arch"});
  CHECK(rules_of(map, require_target("sm_100a")).empty());
  map.swizzle = TensorMapSwizzle::b64;
  CHECK(rules_of(map, require_target("sm_100a")) == std::set<std::string>{"swizzle-span", "swizzle-padded"});
  map.data_type = TensorMapDataType::uint8;
  map.swizzle = TensorMapSwizzle::b128_atom_32;
  CHECK(rules_of(map, hopper()) == std::set<std::string>{"swizzle-arch"});
  CHECK(rules_of(map, require_target("sm_100a")).empty());
  CHECK(rules_of(map, require_target("sm_80")) == std::set<std::string>{"arch-tma"});
}
