// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "smem/mma_operand.hpp"

namespace swz {
namespace {

OperandChoice choice(const char* target, const char* dtype, Major major, const char* mode,
                     Packing packing = Packing::packed) {
  return {&require_target(target), &require_dtype(dtype), packing, major, &require_swizzle_mode(mode)};
}

// "none 32B 64B 128B": the modes in which the operand is legal.
std::string legal_modes(const char* target, const char* dtype, Major major, Packing packing = Packing::packed) {
  std::string out;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!is_legal({&require_target(target), &require_dtype(dtype), packing, major, &mode})) continue;
    if (!out.empty()) out += " ";
    out += mode.name;
  }
  return out;
}

constexpr const char* all_four = "none 32B 64B 128B";

TEST_CASE("the whole table: what each instruction reads, by type and major") {
  struct Row {
    const char* target;
    const char* dtype;
    Packing packing;
    const char* k_major;
    const char* mn_major;
  };
  constexpr Packing packed = Packing::packed, slots = Packing::slots;
  for (const Row& row : {Row{"sm_90a", "f16", packed, all_four, all_four},
                         Row{"sm_90a", "bf16", packed, all_four, all_four},
                         Row{"sm_90a", "e4m3", packed, all_four, ""},
                         Row{"sm_90a", "e5m2", packed, all_four, ""},
                         Row{"sm_90a", "s8", packed, all_four, ""},
                         Row{"sm_90a", "u8", packed, all_four, ""},
                         Row{"sm_90a", "tf32", packed, all_four, ""},
                         Row{"sm_90a", "b1", packed, all_four, ""},
                         Row{"sm_90a", "e2m1", packed, "", ""},
                         Row{"sm_90a", "f64", packed, "", ""},
                         Row{"sm_90a", "e4m3", slots, "", ""},
                         Row{"sm_100a", "f16", packed, all_four, all_four},
                         Row{"sm_103a", "bf16", packed, all_four, all_four},
                         Row{"sm_110a", "e4m3", packed, all_four, all_four},
                         Row{"sm_100a", "e5m2", slots, all_four, all_four},
                         Row{"sm_100a", "s8", packed, all_four, all_four},
                         Row{"sm_103a", "s8", packed, "", ""},
                         Row{"sm_100a", "tf32", packed, all_four, "128B_32B"},
                         Row{"sm_100a", "e2m1", packed, all_four, ""},
                         Row{"sm_100a", "e2m1", slots, all_four, all_four},
                         Row{"sm_100a", "e2m3", slots, all_four, all_four},
                         Row{"sm_100a", "e3m2", packed, all_four, all_four},
                         Row{"sm_100a", "f32", packed, "", ""},
                         Row{"sm_100a", "b1", packed, "", ""},
                         Row{"sm_80", "f16", packed, "", ""},
                         Row{"sm_120a", "e4m3", packed, "", ""}}) {
    INFO(row.target << " " << row.dtype);
    CHECK(legal_modes(row.target, row.dtype, Major::K, row.packing) == row.k_major);
    CHECK(legal_modes(row.target, row.dtype, Major::MN, row.packing) == row.mn_major);
  }
}

TEST_CASE("refusals name the rule and the nearest legal choice") {
  struct Row {
    OperandChoice choice;
    const char* rule;
    const char* text;
  };
  const Row rows[] = {
      {choice("sm_90a", "e4m3", Major::MN, "128B"), "wgmma-mn-16-bit",
       "wgmma cannot read e4m3 MN-major: it transposes 16-bit types only | nearest legal choice: K-major e4m3 with "
       "mode 128B on sm_90a"},
      {choice("sm_100a", "tf32", Major::MN, "128B"), "tf32-mn-32b-atom",
       "tcgen05 reads MN-major tf32 with mode 128B_32B only | nearest legal choice: MN-major tf32 with mode "
       "128B_32B "
       "on sm_100a"},
      {choice("sm_90a", "tf32", Major::MN, "128B_32B"), "mode-of-target",
       "sm_90a has no swizzle mode 128B_32B | nearest legal choice: K-major tf32 with mode 128B on sm_90a"},
      {choice("sm_100a", "bf16", Major::MN, "128B_32B"), "32b-atom-32-bit",
       "mode 128B_32B is for 32-bit types; bf16 has 16 bits | nearest legal choice: MN-major bf16 with mode 128B "
       "on "
       "sm_100a"},
      {choice("sm_100a", "tf32", Major::K, "128B_32B"), "k-major-32b-atom",
       "K-major with mode 128B_32B is disputed: PTX table 54 allows it, table 55 and CUTLASS have no such atom | "
       "nearest legal choice: K-major tf32 with mode 128B on sm_100a"},
      {choice("sm_100a", "e2m1", Major::MN, "64B"), "packed-fp4-k-major",
       "packed e2m1 is read K-major only | nearest legal choice: K-major e2m1 with mode 64B on sm_100a"},
      {choice("sm_90a", "e2m1", Major::K, "128B"), "operand-type",
       "wgmma of sm_90a does not read e2m1 | wgmma reads f16, bf16, tf32, e4m3, e5m2, s8, u8 and b1"},
      {choice("sm_103a", "s8", Major::K, "128B"), "operand-type",
       "tcgen05.mma of sm_103a does not read s8 | tcgen05.mma reads f16, bf16, tf32, e4m3, e5m2, e2m3, e3m2 and "
       "e2m1"},
      {choice("sm_80", "f16", Major::K, "128B"), "no-descriptor",
       "sm_80 has neither wgmma nor tcgen05 | wgmma: sm_90a; tcgen05: sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, "
       "sm_107f, sm_110a "
       "and "
       "sm_110f"},
  };
  std::set<std::string> tested;
  for (const Row& row : rows) {
    const auto refused = refusal(row.choice);
    REQUIRE(refused);
    CHECK(refused->rule == row.rule);
    CHECK(refused->message + " | " + refused->hint == row.text);
    tested.insert(refused->rule);
  }
  for (const OperandRule& rule : operand_rules()) CHECK_MESSAGE(tested.count(std::string(rule.name)) == 1, rule.name);
}

TEST_CASE("nearest_legal: of every choice, legal itself, and none exactly when nothing is legal") {
  int choices = 0;
  for (const Target& target : targets())
    for (const DType& dtype : dtypes())
      for (const Packing packing : {Packing::packed, Packing::slots}) {
        if (packing == Packing::slots && dtype.container_bits == 0) continue;
        bool any = false;
        for (const Major major : {Major::K, Major::MN})
          for (const SwizzleMode& mode : swizzle_modes()) any |= is_legal({&target, &dtype, packing, major, &mode});
        for (const Major major : {Major::K, Major::MN})
          for (const SwizzleMode& mode : swizzle_modes()) {
            const OperandChoice c{&target, &dtype, packing, major, &mode};
            const auto nearest = nearest_legal(c);
            INFO(target.name << " " << dtype.name << " " << to_string(major) << " " << mode.name);
            CHECK(nearest.has_value() == any);
            if (nearest) CHECK(is_legal(*nearest));
            if (is_legal(c)) CHECK((nearest->major == major && nearest->swizzle == &mode));
            if (nearest && nearest->major != major)
              for (const SwizzleMode& other : swizzle_modes())
                CHECK(!is_legal({&target, &dtype, packing, major, &other}));
            ++choices;
          }
      }
  CHECK(choices > 2000);
}

TEST_CASE("require_legal throws what refusal says") {
  CHECK_NOTHROW(require_legal(choice("sm_90a", "f16", Major::MN, "64B")));
  CHECK_THROWS_WITH_AS(require_legal(choice("sm_90a", "s8", Major::MN, "64B")),
                       "wgmma cannot read s8 MN-major: it transposes 16-bit types only", Error);
}

TEST_CASE("rules have unique names and a source") {
  std::set<std::string_view> names;
  for (const OperandRule& rule : operand_rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK_FALSE(rule.what.empty());
    CHECK_FALSE(rule.source.where.empty());
  }
}

}  // namespace
}  // namespace swz
