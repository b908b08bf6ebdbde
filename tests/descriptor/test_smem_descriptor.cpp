// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

constexpr int random_words = 100000;

std::mt19937_64 seeded_engine() {
  const auto seed = std::random_device{}();
  MESSAGE("seed ", seed);
  return std::mt19937_64{seed};
}

const Target& sm_103a() { return require_target("sm_103a"); }

TEST_CASE("raw fields of any word put back give the word without its reserved bits") {
  auto random = seeded_engine();
  for (int i = 0; i < random_words; ++i) {
    const std::uint64_t word = random();
    for (const Target* target : {&sm_90a(), &sm_100a()}) {
      const SmemDescriptor d(word, *target);
      std::uint64_t rebuilt = 0;
      for (const DecodedField& field : decoded_fields(d))
        rebuilt = with_field(rebuilt, d.format(), field.id, field.raw);
      REQUIRE_MESSAGE(rebuilt == (word & ~d.format().reserved_mask()), hex64(word));
      REQUIRE((rebuilt | d.reserved_set()) == d.word());
    }
  }
}

TEST_CASE("values of any legal word encode to the word") {
  auto random = seeded_engine();
  int compared = 0;
  for (int i = 0; i < random_words; ++i) {
    const std::uint64_t noise = random();
    for (const Target* target : {&sm_90a(), &sm_103a(), &require_target("sm_107a")}) {
      const DescriptorFormat& format = smem_format(*target);
      std::uint64_t word = noise & ~format.reserved_mask();
      if (format.find(FieldId::version)) word = with_field(word, format, FieldId::version, 1);
      const SmemDescriptor d(word, *target);
      if (d.swizzle() == nullptr) continue;
      const SmemDescriptorValues values{
          d.start_address(), d.leading_byte_offset(),           d.stride_byte_offset(), d.base_offset(), *d.swizzle(),
          d.absolute_lbo(),  Bytes{d.value(FieldId::b_segment)}};
      REQUIRE_MESSAGE(SmemDescriptor::encode(values, *target).word() == word, hex64(word));
      ++compared;
    }
  }
  CHECK(compared > random_words);
}

TEST_CASE("known words: CUTLASS's golden values and their tcgen05 equivalents") {
  const auto word = [](const SmemDescriptorValues& v, const Target& t) { return SmemDescriptor::encode(v, t).word(); };
  CHECK(word({Bytes{0x400}, Bytes{16}, Bytes{1024}, 0, "128B"}, sm_90a()) == 0x4000004000010040);
  CHECK(word({Bytes{0x400}, Bytes{2048}, Bytes{128}, 0, "none"}, sm_90a()) == 0x0000000800800040);
  CHECK(word({Bytes{0x400}, Bytes{256}, Bytes{2048}, 0, "32B"}, sm_90a()) == 0xc000008000100040);
  CHECK(word({Bytes{0x400}, Bytes{16}, Bytes{1024}, 0, "128B"}, sm_100a()) == 0x4000404000010040);
  CHECK(word({Bytes{0x400}, Bytes{0}, Bytes{1024}, 0, "128B"}, sm_100a()) == 0x4000404000000040);
  CHECK(word({Bytes{0x400}, Bytes{512}, Bytes{2048}, 3, "128B_32B"}, sm_100a()) == 0x2006408000200040);
  CHECK(word({Bytes{0x460}, Bytes{0x480}, Bytes{1024}, 0, "128B", true}, sm_103a()) == 0x4010404000480046);
}

TEST_CASE("decoded fields: names, values and units of the JSON contract") {
  const auto fields = decoded_fields(SmemDescriptor(0x4010404000480046, sm_103a()));
  struct Expected {
    const char* name;
    std::uint64_t raw;
    const char* value;  // "" means a number
    std::int64_t number;
    const char* unit;
  };
  const Expected expected[] = {{"start_address", 0x46, "", 0x460, "B"},
                               {"leading_byte_offset", 0x48, "", 0x480, "B"},
                               {"stride_byte_offset", 64, "", 1024, "B"},
                               {"version", 1, "", 1, ""},
                               {"base_offset", 0, "", 0, "lines"},
                               {"lbo_mode", 1, "absolute", 0, ""},
                               {"swizzle", 2, "128B", 0, ""}};
  REQUIRE(fields.size() == std::size(expected));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Expected& e = expected[i];
    CAPTURE(e.name);
    CHECK(to_string(fields[i].id) == e.name);
    CHECK(fields[i].raw == e.raw);
    CHECK(fields[i].unit == e.unit);
    if (*e.value) CHECK(std::get<std::string>(fields[i].value) == e.value);
    else CHECK(std::get<std::int64_t>(fields[i].value) == e.number);
  }
  const auto illegal = decoded_fields(SmemDescriptor(3ULL << 61, sm_100a()));
  CHECK(std::holds_alternative<std::monostate>(illegal.back().value));
}

TEST_CASE("values that do not fit are refused") {
  struct Refused {
    SmemDescriptorValues values;
    const char* message;
  };
  const Refused all[] = {
      {{Bytes{8}, {}, {}, 0, "none"}, "start_address 8 B is not a multiple of 16 B"},
      {{Bytes{-16}, {}, {}, 0, "none"}, "start_address -16 B does not fit in bits 0-13"},
      {{{}, Bytes{1 << 18}, {}, 0, "none"}, "leading_byte_offset 262144 B does not fit in bits 16-29"},
      {{{}, {}, Bytes{1LL << 62}, 0, "none"}, "stride_byte_offset 4611686018427387904 B does not fit in bits 32-45"},
      {{{}, {}, {}, 8, "128B"}, "base_offset 8 lines does not fit in bits 49-51"},
      {{{}, {}, {}, -1, "128B"}, "base_offset -1 lines does not fit in bits 49-51"},
      {{{}, {}, {}, 0, "128B_32B"}, "sm_90a has no swizzle mode 128B_32B"},
      {{{}, {}, {}, 0, "128B", true}, "sm_90a has no absolute LBO mode"},
  };
  for (const Refused& refused : all) {
    CAPTURE(refused.message);
    try {
      SmemDescriptor::encode(refused.values, sm_90a());
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.message() == refused.message);
      CHECK_FALSE(e.hint.empty());
    }
  }
  CHECK_THROWS_WITH_AS(SwizzleModeRow("48B"), "'48B' is not a swizzle mode", Error);
  CHECK_THROWS_WITH_AS(SwizzleModeRow("96B"), "swizzle 96B is of TMA only: no MMA descriptor has a code for it", Error);
}

TEST_CASE("a target without descriptors says which ones have them") {
  try {
    decode_smem(0, &require_target("sm_80"));
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "sm_80 does not read 64-bit SMEM descriptors");
    CHECK(e.hint ==
          "wgmma: sm_90a; tcgen05: sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f");
  }
}

std::string targets_of(std::uint64_t word) {
  std::string names;
  for (const SmemReading& reading : decode_smem(word).readings)
    names += (names.empty() ? "" : " ") + std::string(reading.descriptor.target().name);
  return names;
}

TEST_CASE("the format of a bare word") {
  struct Expected {
    std::uint64_t word;
    std::string targets;
  };
  const Expected all[] = {
      {0x4000004000010042, "sm_90a"},          // bit 46 is 0, bit 61 is 0
      {0, "sm_90a"},                           // nothing contradicts wgmma
      {1ULL << 46, "sm_100a"},                 // the version bit
      {0x4000404000010042, "sm_100a"},         //
      {0x2000402000200040, "sm_100a"},         // 128B_32B
      {0x4006404000010040, "sm_100a"},         // with a base offset
      {0x4010404000480040, "sm_103a"},         // absolute LBO: only sm_103a has it
      {0x2000004000010040, "sm_90a sm_100a"},  // bit 61 without bit 46
      {0x6000404000010040, "sm_90a sm_100a"},  // bit 46, but an illegal code
      {0xa000404000010040, "sm_90a sm_100a"},
      {0xe000404000010040, "sm_90a sm_100a"},
      {0x4000804000010040, "sm_90a sm_100a"},  // version 0b010
      {0x4001404000010040, "sm_90a sm_100a"},  // version 0b101
      {0x4010004000010040, "sm_90a sm_103a"},  // bit 52 without bit 46
      {0x400000400001c040, "sm_90a"},          // bits 14, 15 belong to neither format
      {0x400040400001c040, "sm_100a"},
      {0x4020004000010040, "sm_90a"},  // bit 53: neither
      {~0ULL, "sm_90a sm_103a"},
  };
  for (const Expected& e : all) CHECK_MESSAGE(targets_of(e.word) == e.targets, hex64(e.word));
}

TEST_CASE("why a format was chosen") {
  CHECK(decode_smem(0x4000004000010042).why ==
        "bit 46 is 0, bit 61 is 0: as wgmma the word fits, as tcgen05 it breaks version-missing");
  CHECK(decode_smem(0x4000404000010042).why ==
        "bit 46 is 1, bit 61 is 0: as wgmma the word breaks reserved-bits, as tcgen05 it fits");
  CHECK(decode_smem(0x2000004000010040).why ==
        "bit 46 is 0, bit 61 is 1: as wgmma the word breaks reserved-bits, as tcgen05 it breaks version-missing");
  CHECK(decode_smem(0x400000400001c040).why ==
        "bit 46 is 0, bit 61 is 0: as wgmma the word fits, as tcgen05 it breaks version-missing; bits 14-15, which "
        "both keep 0, do not decide");
  CHECK(decode_smem(0x4000004000010042, &sm_90a()).why.empty());
}

TEST_CASE("a word with one reading fits it, a word with two fits none") {
  auto random = seeded_engine();
  for (int i = 0; i < random_words / 10; ++i) {
    // few bits set, so that words that fit come up
    const std::uint64_t word = random() & random() & random() & random();
    const SmemDecoding decoding = decode_smem(word);
    const std::uint64_t neither = word & wgmma_smem_format.reserved_mask() & tcgen05_smem_format.reserved_mask();
    const auto broken = [&](const Target& t) {
      return count(decode_smem(word & ~neither, &t).readings[0].findings, Severity::format) > 0;
    };
    const bool wgmma = !broken(sm_90a()), tcgen05 = !broken(sm_100a()) || !broken(sm_103a());
    // A word of tcgen05 that is right on sm_107a only has that reading too.
    const bool of_107 = decoding.readings.back().descriptor.target().has_107_fields;
    REQUIRE_MESSAGE(decoding.readings.size() == (wgmma || tcgen05 ? 1U : 2U) + of_107, hex64(word));
    const SmemDescriptor on_107(word, require_target("sm_107a"));
    REQUIRE(
        (!of_107 || (count(lint(on_107), Severity::format) == 0 && (word & only_on_107(tcgen05_smem_format)) != 0)));
    if (wgmma) REQUIRE(decoding.readings[0].descriptor.kind() == SmemDescriptorKind::wgmma);
    if (tcgen05) REQUIRE(decoding.readings[0].descriptor.kind() == SmemDescriptorKind::tcgen05);
  }
}

// NVIDIA's own words: CuTe DSL 4.8.1 puts the first into PTX for start 0x50000, LBO 16, SBO 1024, mode 128B. The others
// are sums of the fields: 0x400 >> 4 at 0, 0x700 >> 4 at 16, 768 >> 4 at 32, bits 46 and 52, code 2 at 61; 0x1000 >> 4,
// 384 >> 4 at 32, bits 46 and 53.
TEST_CASE("words of sm_107: start and LBO of 15 bits, absolute LBO, the second part of a packed B") {
  const Target& sm_107a = require_target("sm_107a");
  const auto encoded = [&](const SmemDescriptorValues& values) {
    return SmemDescriptor::encode(values, sm_107a).word();
  };
  CHECK(encoded({Bytes{0x50000}, Bytes{16}, Bytes{1024}, 0, "128B"}) == 0x4000404000015000);
  CHECK(encoded({Bytes{0x400}, Bytes{0x700}, Bytes{768}, 0, "128B", true}) == 0x4010403000700040);
  CHECK(encoded({Bytes{0x1000}, {}, Bytes{384}, 0, "none", false, Bytes{24}}) == 0x0020401800000100);
  CHECK(encoded({Bytes{0x7fff0}, Bytes{0x7fff0}, Bytes{0x3fff0}}) == 0x00007fff7fff7fff);
  CHECK_THROWS_AS(encoded({Bytes{0x80000}, {}, {}}), Error);
  CHECK_THROWS_AS(encoded({{}, {}, Bytes{0x40000}}), Error);
  CHECK_THROWS_AS(SmemDescriptor::encode({Bytes{0x50000}, {}, {}}, sm_100a()), Error);
  const SmemDescriptor d(0x4000404000015000, sm_107a);
  CHECK(d.start_address() == Bytes{327680});
  CHECK(d.reserved_set() == 0);
  CHECK(d.swizzle()->name == "128B");
  // With 14 bits the start would be 0x10000; bit 14 is refused instead.
  const SmemDescriptor old(0x4000404000015000, sm_100a());
  CHECK(old.start_address() == Bytes{0x10000});
  CHECK(old.reserved_set() == 1U << 14);
}

TEST_CASE(
    "a word with a bit of sm_107 on sm_100: refused, with the rule and the way out; both readings without --arch") {
  for (const int bit : {14, 30, 53}) {
    CAPTURE(bit);
    const std::uint64_t word = 0x4000404000010040 | 1ULL << bit;
    for (const char* target : {"sm_100a", "sm_103a", "sm_110f"}) {
      const std::vector<Finding> findings = lint(SmemDescriptor(word, require_target(target)));
      REQUIRE(!findings.empty());
      CHECK(findings[0].rule == "reserved-bits");
      CHECK(findings[0].severity == Severity::format);
      CHECK(findings[0].hint.find("--arch sm_107a") != std::string::npos);
    }
    CHECK(count(lint(SmemDescriptor(word, require_target("sm_107f"))), Severity::format) == 0);
    const SmemDecoding decoding = decode_smem(word);
    REQUIRE(decoding.readings.size() == 2);
    CHECK(decoding.readings[0].descriptor.target().name == "sm_100a");
    CHECK(decoding.readings[1].descriptor.target().name == "sm_107a");
    CHECK(decoding.why.ends_with("; bit " + std::to_string(bit) + " has a meaning on sm_107 only"));
  }
  // Bit 52 is the absolute LBO of sm_103a and sm_107a.
  const auto broken = [](const char* target) {
    return count(lint(SmemDescriptor(0x4010403000700040, require_target(target))), Severity::format);
  };
  CHECK(broken("sm_103a") == 0);
  CHECK(broken("sm_107a") == 0);
  for (const char* target : {"sm_100a", "sm_103f", "sm_107f", "sm_110a"}) CHECK(broken(target) == 1);
}

TEST_CASE("bits of a mask as ranges") {
  CHECK(bit_ranges(0).empty());
  CHECK(bit_ranges(1) == "0");
  CHECK(bit_ranges(0xc0004000) == "14, 30-31");
  CHECK(bit_ranges(~0ULL) == "0-63");
  CHECK(bit_ranges(1ULL << 63) == "63");
}

}  // namespace
}  // namespace swz
