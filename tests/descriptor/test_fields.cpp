// SPDX-License-Identifier: Apache-2.0
// Fields to word: every field of every format, kind and target, there and back; what does not fit, and what does.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"

namespace swz {
namespace {

using Settings = std::vector<FieldSetting>;
using enum FieldId;

// A field as a user would write it back: its value without the unit; the raw number of an illegal code.
FieldSetting setting_of(const DecodedField& field) {
  if (const auto* name = std::get_if<std::string>(&field.value)) return {field.id, *name};
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return {field.id, fmt::to_string(*number)};
  return {field.id, "", field.raw};
}

template <class Descriptor>
Settings settings_of(const Descriptor& descriptor) {
  Settings settings;
  for (const DecodedField& field : decoded_fields(descriptor)) settings.push_back(setting_of(field));
  return settings;
}

template <class Visit>
void for_each_smem_target(Visit visit) {
  for (const Target& target : targets())
    if (target.descriptor != SmemDescriptorKind::none) visit(target);
}

template <class Visit>
void for_each_idesc(Visit visit) {
  for (const Target& target : targets())
    if (target.descriptor == SmemDescriptorKind::tcgen05)
      for (const MmaKindRow& kind : mma_kinds()) visit(target, kind.kind);
}

TEST_CASE("the decoded fields of any word without reserved bits give the word, in any order") {
  std::mt19937_64 random(std::random_device{}());
  long words = 0;
  const auto check = [&](const auto& descriptor, auto&& encode) {
    Settings settings = settings_of(descriptor);
    for (std::size_t i = settings.size(); i > 1; --i) std::swap(settings[i - 1], settings[random() % i]);
    REQUIRE_MESSAGE(encode(settings).word() == descriptor.word(), hex64(descriptor.word()));
    ++words;
  };
  for (int i = 0; i < 200; ++i) {
    for_each_smem_target([&](const Target& target) {
      const SmemDescriptor d(random() & ~smem_format(target).reserved_mask(), target);
      check(d, [&](const Settings& s) { return encode_smem(s, target); });
    });
    for_each_idesc([&](const Target& target, MmaKind kind) {
      const auto word = static_cast<std::uint32_t>(random() & ~idesc_format(kind, target).reserved_mask());
      const InstructionDescriptor d(word, kind, target);
      check(d, [&](const Settings& s) { return encode_idesc(s, kind, target); });
    });
  }
  CHECK(words == 200 * (9 + 8 * 8));
}

// A random value of each field, as text.
template <class Descriptor>
Settings random_values(const Descriptor& zero, std::mt19937_64& random, auto&& make) {
  Settings settings;
  auto word = zero;
  for (const FieldRow& row : zero.format().fields) {
    for (int tries = 0;; ++tries) {
      // On sm_107 the fields before may leave no K: K 128 is dense.
      if (tries == 1000) return random_values(zero, random, make);
      word = make(row.bits.write(word.word(), random() & row.bits.max()));
      const auto fields = decoded_fields(word);
      const DecodedField& field = *std::ranges::find(fields, row.id, &DecodedField::id);
      if (std::holds_alternative<std::monostate>(field.value)) continue;
      settings.push_back(setting_of(field));
      break;
    }
  }
  return settings;
}

TEST_CASE("random values of every format decode to themselves") {
  std::mt19937_64 random(std::random_device{}());
  const auto check = [](const Settings& wanted, const auto& descriptor) {
    const Settings got = settings_of(descriptor);
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      REQUIRE(got[i].id == wanted[i].id);
      REQUIRE(got[i].text == wanted[i].text);
    }
    REQUIRE(descriptor.reserved_set() == 0);
  };
  for (int i = 0; i < 100; ++i) {
    for_each_smem_target([&](const Target& target) {
      const auto make = [&](std::uint64_t word) { return SmemDescriptor(word, target); };
      const Settings wanted = random_values(make(0), random, make);
      check(wanted, encode_smem(wanted, target));
    });
    for_each_idesc([&](const Target& target, MmaKind kind) {
      const auto make = [&](std::uint64_t word) {
        return InstructionDescriptor(static_cast<std::uint32_t>(word), kind, target);
      };
      const Settings wanted = random_values(make(0), random, make);
      check(wanted, encode_idesc(wanted, kind, target));
    });
  }
}

TEST_CASE("known words from their fields") {
  const auto smem = [](const Settings& settings, const Target& target) { return encode_smem(settings, target).word(); };
  const Settings usual{
      {start_address, "0x420"}, {leading_byte_offset, "16"}, {stride_byte_offset, "1024"}, {swizzle, "SWIZZLE_128B"}};
  CHECK(smem(usual, sm_90a()) == 0x4000004000010042);
  CHECK(smem(usual, sm_100a()) == 0x4000404000010042);
  CHECK(smem({{swizzle, "none"}}, sm_90a()) == 0);
  CHECK(smem({{swizzle, "none"}}, sm_100a()) == 1ULL << 46);
  CHECK(smem({{swizzle, "none"}, {version, "0"}}, sm_100a()) == 0);
  CHECK(smem({{swizzle, "128B"}, {lbo_mode, "absolute"}, {leading_byte_offset, "0x480"}}, require_target("sm_103a")) ==
        0x4010400000480000);
  CHECK(smem({{swizzle, "none"}, {swizzle, "32B"}}, sm_90a()) == 0xc000000000000000);

  const auto idesc = [&](MmaKind kind, const Settings& settings) {
    return encode_idesc(settings, kind, sm_100a()).word();
  };
  CHECK(idesc(MmaKind::f16,
              {{a_type, "bfloat16"}, {b_type, "bf16"}, {d_type, "f32"}, {m, "64"}, {n, "256"}, {transpose_b, "1"}}) ==
        0x04410490);
  // The single types need no words: A, B and the scales of mxf4, D of i8.
  CHECK(idesc(MmaKind::mxf4, {{m, "128"}, {n, "256"}}) ==
        ((1U << 7) | (1U << 10) | (32U << 17) | (1U << 23) | (1U << 27)));
  CHECK(idesc(MmaKind::i8, {{a_type, "s8"}, {b_type, "u8"}, {m, "128"}, {n, "64"}}) ==
        ((2U << 4) | (1U << 7) | (8U << 17) | (8U << 24)));
  const Settings k96{{scale_type, "ue4m3"}, {m, "128"}, {n, "64"}, {k_size, "96"}};
  CHECK(idesc(MmaKind::mxf4nvf4, k96) == ((1U << 7) | (1U << 10) | (8U << 17) | (1U << 27) | (1U << 31)));
}

std::string refused(const Settings& settings, const Target& target, const MmaKind* kind = nullptr) {
  try {
    if (kind) encode_idesc(settings, *kind, target);
    else encode_smem(settings, target);
    return "accepted";
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

TEST_CASE("whole messages of what is refused") {
  const auto smem = [&](FieldId id, const char* text) { return refused({{swizzle, "128B"}, {id, text}}, sm_90a()); };
  CHECK(smem(stride_byte_offset, "1000") ==
        "stride_byte_offset 1000 B is not a multiple of 16 B | 0 to 262128 B in steps of 16 B; nearest: 992 or 1008");
  CHECK(smem(leading_byte_offset, "0x40000") ==
        "leading_byte_offset 262144 B does not fit in bits 16-29 | 0 to 262128 B in steps of 16 B; nearest: 262128");
  CHECK(smem(start_address, "-16") ==
        "start_address -16 B does not fit in bits 0-13 | 0 to 262128 B in steps of 16 B; nearest: 0");
  CHECK(smem(start_address, "18446744073709551616") ==
        "'18446744073709551616' does not fit in 64 bits | 0 to 262128 B in steps of 16 B");
  CHECK(smem(start_address, "") == "'' has no digits | 0 to 262128 B in steps of 16 B");
  CHECK(smem(base_offset, "8") == "base_offset 8 lines does not fit in bits 49-51 | 0 to 7 lines; nearest: 7");
  CHECK(smem(swizzle, "128B_32B") == "sm_90a has no swizzle '128B_32B' | none, 128B, 64B and 32B");
  CHECK(smem(swizzle, "96B") == "sm_90a has no swizzle '96B' | none, 128B, 64B and 32B");
  CHECK(smem(swizzle, "128b") == "accepted");
  CHECK(smem(swizzle, "129B") == "sm_90a has no swizzle '129B' | did you mean '128B'? none, 128B, 64B and 32B");
  CHECK(smem(lbo_mode, "absolute") ==
        "sm_90a has no field lbo_mode | its fields: start_address, leading_byte_offset, stride_byte_offset, "
        "base_offset "
        "and swizzle");
  CHECK(refused({{start_address, "16"}}, sm_90a()) == "sm_90a needs swizzle | --swizzle: none, 128B, 64B and 32B");
  CHECK(refused({}, require_target("sm_80")).starts_with("sm_80 does not read 64-bit SMEM descriptors"));

  const auto f16 = MmaKind::f16, mxf4 = MmaKind::mxf4;
  const Settings good{{a_type, "f16"}, {b_type, "f16"}, {d_type, "f32"}, {m, "128"}, {n, "256"}};
  const auto idesc = [&](FieldId id, const char* text) {
    Settings settings = good;
    settings.push_back({id, text});
    return refused(settings, sm_100a(), &f16);
  };
  CHECK(idesc(m, "72") == "m 72 is not a multiple of 16 | 0 to 496 in steps of 16; nearest: 64 or 80");
  CHECK(idesc(n, "512") == "n 512 does not fit in bits 17-22 | 0 to 504 in steps of 8; nearest: 504");
  CHECK(idesc(a_type, "e4m3") == "kind::f16 has no a_type 'e4m3' | f16 and bf16");
  CHECK(idesc(max_shift, "12") == "kind::f16 has no max_shift '12' | nearest: 8 or 16; 0, 8, 16 and 32");
  CHECK(idesc(k_size, "96").starts_with("kind::f16 has no field k_size | its fields: sparsity_selector, sparse, "));
  CHECK(refused({{m, "128"}, {b_type, "bf16"}}, sm_100a(), &f16) ==
        "kind::f16 needs d_type, a_type and n | --d-type: f16 and f32; --a-type: f16 and bf16; --n: 0 to 504 in "
        "steps "
        "of 8");
  CHECK(refused({{m, "128"}, {n, "64"}, {sparse, "1"}, {k_size, "64"}}, sm_100a(), &mxf4) ==
        "kind::mxf4 has no k_size '64' | nearest: 128; 128 and 192");
  CHECK(refused(good, sm_90a(), &f16).starts_with("sm_90a has no tcgen05 instruction descriptor"));
}

TEST_CASE("every number beside the range or between two steps is refused, and what is proposed instead fits") {
  for (const DescriptorFormat* format :
       {&wgmma_smem_format, &tcgen05_smem_format, &plain_idesc_format, &mxf8f6f4_idesc_format, &mxf4_idesc_format,
        &tcgen05_smem_format_107, &plain_idesc_format_107, &mxf8f6f4_idesc_format_107, &mxf4_idesc_format_107})
    for (const FieldRow& row : format->fields) {
      if (row.scale == 0) continue;
      CAPTURE(to_string(row.id));
      const auto most = static_cast<std::int64_t>(row.bits.max()) * row.scale;
      CHECK(raw_of(row, 0) == 0);
      CHECK(raw_of(row, most) == row.bits.max());
      for (const std::int64_t value : {-std::int64_t{row.scale}, std::int64_t{-1}, std::int64_t{1},
                                       row.scale - std::int64_t{1}, most + 1, most + row.scale, INT64_MAX, INT64_MIN}) {
        if (value >= 0 && value <= most && value % row.scale == 0) continue;
        try {
          raw_of(row, value);
          FAIL("no error");
        } catch (const Error& e) {
          const std::size_t at = e.hint.find("nearest: ") + 9;
          const std::int64_t nearest = std::stoll(e.hint.substr(at));
          CHECK(raw_of(row, nearest) <= row.bits.max());
          const std::size_t other = e.hint.find(" or ", at);
          if (other != std::string::npos) {
            CHECK(std::stoll(e.hint.substr(other + 4)) - nearest == row.scale);
            CHECK(nearest < value);
            CHECK(value < nearest + row.scale);
          }
        }
      }
    }
}

}  // namespace
}  // namespace swz
