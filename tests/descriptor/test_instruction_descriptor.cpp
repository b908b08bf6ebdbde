// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using enum MmaKind;
using D = InstructionDescriptor;

const Target& target(const char* name) { return require_target(name); }

std::string lints_of(std::uint32_t word, MmaKind kind, const char* on = "sm_100a") {
  std::string out;
  for (const Finding& finding : lint(D(word, kind, target(on))))
    if (finding.severity != Severity::note) out += (out.empty() ? "" : " ") + std::string(finding.rule);
  return out;
}

// idesc.md 1.6; the first two literals are also in TVM's tests.
TEST_CASE("golden words") {
  struct Golden {
    std::uint32_t word;
    MmaKind kind;
    std::string summary;
    bool m_major_a, n_major_b;
  };
  const Golden all[] = {
      {0x04410490, f16, "bf16 x bf16 -> f32, M 64, N 256, K 16", false, true},
      {0x04418490, f16, "bf16 x bf16 -> f32, M 64, N 256, K 16", true, true},
      {0x08400490, f16, "bf16 x bf16 -> f32, M 128, N 256, K 16", false, false},
      {0x08200490, f16, "bf16 x bf16 -> f32, M 128, N 128, K 16", false, false},
      {0x10400490, f16, "bf16 x bf16 -> f32, M 256, N 256, K 16", false, false},
      {0x08400010, f16, "f16 x f16 -> f32, M 128, N 256, K 16", false, false},
      {0x08400010, f8f6f4, "e4m3 x e4m3 -> f32, M 128, N 256, K 32", false, false},
      {0x08400910, tf32, "tf32 x tf32 -> f32, M 128, N 256, K 8", false, false},
  };
  for (const Golden& golden : all) {
    CAPTURE(hex32(golden.word));
    const D d(golden.word, golden.kind, target("sm_100a"));
    CHECK(summary(d) == golden.summary);
    CHECK(d.flag(FieldId::transpose_a) == golden.m_major_a);
    CHECK(d.flag(FieldId::transpose_b) == golden.n_major_b);
    CHECK(lints_of(golden.word, golden.kind).empty());
  }
}

TEST_CASE("encode from values written by hand") {
  using enum FieldId;
  std::vector<FieldSetting> fields{{a_type, "bf16"}, {b_type, "bf16"}, {d_type, "f32"},
                                   {m, "64"},        {n, "256"},       {transpose_b, "1"}};
  CHECK(encode_idesc(fields, f16, sm_100a()).word() == 0x04410490);

  fields = {{a_type, "e2m1"}, {b_type, "e2m1"}, {scale_type, "ue4m3"}, {m, "128"}, {n, "256"}};
  // A and B code 1 at bits 7 and 10, N 32 at 17, scale type 0 at 23, M 1 at 27
  CHECK(encode_idesc(fields, mxf4nvf4, sm_100a()).word() == ((1U << 7) | (1U << 10) | (32U << 17) | (1U << 27)));
  fields.insert(fields.end(), {{scale_type, "ue8m0"}, {scale_b_id, "2"}, {k_size, "96"}});
  CHECK(encode_idesc(fields, mxf4nvf4, target("sm_103a")).word() ==
        ((2U << 4) | (1U << 7) | (1U << 10) | (32U << 17) | (1U << 23) | (1U << 27) | (1U << 31)));
  CHECK_THROWS_AS(D(0, f16, sm_90a()), Error);
}

TEST_CASE("raw fields of random words round trip") {
  const auto seed = std::random_device{}();
  MESSAGE("seed ", seed);
  std::mt19937 random{seed};
  for (int i = 0; i < (is_sanitized ? 5000 : 100000); ++i) {
    const auto noise = static_cast<std::uint32_t>(random());
    for (const MmaKindRow& kind : mma_kinds()) {
      for (const char* name : {"sm_103a", "sm_107a"}) {
        const Target& on = target(name);
        const D d(noise & ~static_cast<std::uint32_t>(idesc_format(kind.kind, on).reserved_mask()), kind.kind, on);
        std::uint64_t rebuilt = 0;
        for (const DecodedField& field : decoded_fields(d))
          rebuilt = with_field(rebuilt, d.format(), field.id, field.raw);
        REQUIRE(rebuilt == d.word());
      }
    }
  }
}

constexpr std::uint32_t f16_word = 0x08400010, mxf8_word = (32U << 17) | (1U << 23) | (1U << 27);
constexpr std::uint32_t mxf4_word = mxf8_word | (1U << 7) | (1U << 10), nvf4_word = mxf4_word & ~(1U << 23);
constexpr std::uint32_t i8_word = (2U << 4) | (32U << 17) | (8U << 24);

// Worked words of sm_107: CuTe DSL 4.8.1, and sums of the fields of PTX 9.4, tables 51 to 53.
constexpr std::uint32_t k64_word = 0x28200010, ti16_word = 0x08100da0, k128_word = 0x15400488;

TEST_CASE("words of sm_107 and what they mean") {
  struct Word {
    MmaKind kind;
    std::vector<FieldSetting> fields;
    std::uint32_t word;
    std::string summary;
  };
  using enum FieldId;
  const std::vector<FieldSetting> e4m3{{a_type, "e4m3"}, {b_type, "e4m3"}, {d_type, "f32"}, {m, "128"}, {n, "128"}};
  const auto with = [](std::vector<FieldSetting> fields, const FieldSetting& more) {
    fields.push_back(more);
    return fields;
  };
  const std::vector<FieldSetting> nvf4{{scale_type, "ue4m3"}, {m, "128"}, {n, "128"}};
  const Word words[] = {
      {f8f6f4, with(e4m3, {k_size, "64"}), k64_word, "e4m3 x e4m3 -> f32, M 128, N 128, K 64"},
      {f8f6f4, with(e4m3, {k_size, "32"}), 0x08200010, "e4m3 x e4m3 -> f32, M 128, N 128, K 32"},
      {ti16, {{m, "128"}, {n, "64"}}, ti16_word, "s1z4m11 x s1z4m11 -> s32, M 128, N 64, K 16"},
      {mxf8f6f4,
       {{a_type, "e4m3"}, {b_type, "e4m3"}, {m, "256"}, {n, "256"}, {k_size, "64"}, {sfa_layout, "128-lane"}},
       0x94c00000,
       "e4m3 x e4m3 -> f32, M 256, N 256, K 64"},
      {mxf4nvf4,
       {{scale_type, "ue5m3"},
        {m, "256"},
        {n, "256"},
        {k_twice, "1"},
        {sfa_layout, "128-lane"},
        {sparsity_version, "0"}},
       k128_word,
       "e2m1 x e2m1 -> f32, M 256, N 256, K 128"},
      {mxf4nvf4, with(nvf4, {sparsity_version, "0"}), 0x08200480, "e2m1 x e2m1 -> f32, M 128, N 128, K 64"},
      {mxf4nvf4, nvf4, 0x08201480, "e2m1 x e2m1 -> f32, M 128, N 128, K 64"},
  };
  for (const Word& w : words) {
    CAPTURE(hex32(w.word));
    const D d = encode_idesc(w.fields, w.kind, target("sm_107a"));
    CHECK(hex32(static_cast<std::uint32_t>(d.word())) == hex32(w.word));
    CHECK(summary(D(w.word, w.kind, target("sm_107a"))) == w.summary);
    CHECK(count(lint(d), Severity::format) == 0);
    CHECK(count(lint(d), Severity::lint) == 0);
  }
}

// The values of 20,000 random sets of fields: the word that they give decodes to them.
TEST_CASE("random fields of sm_107 round trip through the word") {
  std::mt19937 random{std::random_device{}()};
  const Target& sm_107a = target("sm_107a");
  int words = 0;
  for (int i = 0; i < 20000; ++i) {
    const MmaKindRow& kind = mma_kinds()[random() % mma_kinds().size()];
    const DescriptorFormat& format = idesc_format(kind.kind, sm_107a);
    std::vector<FieldSetting> fields;
    for (const FieldRow& row : format.fields) fields.push_back({row.id, "", random() & row.bits.max()});
    std::shuffle(fields.begin(), fields.end(), random);
    const D d = encode_idesc(fields, kind.kind, sm_107a);
    REQUIRE(d.reserved_set() == 0);
    for (const FieldSetting& field : fields) REQUIRE(d.raw(field.id) == *field.raw);
    std::vector<FieldSetting> decoded;
    for (const DecodedField& field : decoded_fields(d))
      decoded.push_back(
          {field.id, value_text(field),
           std::holds_alternative<std::monostate>(field.value) ? std::optional(field.raw) : std::nullopt});
    for (FieldSetting& field : decoded) field.text = field.text.substr(0, field.text.find(' '));
    REQUIRE(encode_idesc(decoded, kind.kind, sm_107a).word() == d.word());
    ++words;
  }
  CHECK(words == 20000);
}

TEST_CASE("one word on sm_100 and on sm_107: what changes is said") {
  const auto changes = [](std::uint32_t word, MmaKind kind, const char* a, const char* b) {
    std::string text;
    for (const Difference& difference : compare(D(word, kind, target(a)), D(word, kind, target(b))))
      text += difference.field + ": " + difference.a + " -> " + difference.b + "; ";
    return text;
  };
  CHECK(changes(k64_word, f8f6f4, "sm_100a", "sm_107a") ==
        "target: sm_100a -> sm_107a; k_size: - -> 64; reserved: bits 29 -> none set; ");
  CHECK(changes(k64_word, f8f6f4, "sm_107a", "sm_100a") ==
        "target: sm_107a -> sm_100a; k_size: 64 -> -; reserved: none set -> bits 29; ");
  CHECK(changes(k64_word, f8f6f4, "sm_100a", "sm_103a").empty());
  CHECK(changes(0x08201480, mxf4nvf4, "sm_100a", "sm_107a") ==
        "target: sm_100a -> sm_107a; k_twice: - -> 0; sparsity_version: - -> 1; sfa_layout: - -> 32-lane; "
        "reserved: bits 12 -> none set; ");
}

TEST_CASE("each lint on a word of its own, and silence beside it") {
  struct Case {
    std::uint32_t word;
    MmaKind kind;
    std::string lints;
    const char* target = "sm_100a";
  };
  const Case cases[] = {
      {f16_word, f16, ""},
      {mxf8_word, mxf8f6f4, ""},
      {mxf4_word, mxf4, ""},
      {mxf4_word, mxf4nvf4, ""},
      {nvf4_word, mxf4nvf4, ""},
      {i8_word, i8, ""},
      {f16_word | (1U << 6), f16, "reserved-bits"},
      {f16_word | (1U << 23), f16, "reserved-bits"},
      {f16_word | (1U << 29), f16, "reserved-bits"},
      {mxf8_word | 1U, mxf8f6f4, "reserved-bits"},
      {mxf8_word | (1U << 24), mxf8f6f4, "reserved-bits"},
      {mxf8_word | (1U << 31), mxf8f6f4, "reserved-bits"},
      {mxf4_word | (1U << 12), mxf4, "reserved-bits"},
      {f16_word | (2U << 7), f16, "a-type"},
      {f16_word | (2U << 10), f16, "b-type"},
      {f16_word | (2U << 4), f16, "d-type"},
      {f16_word, tf32, "a-type b-type"},
      {f16_word, i8, "d-type", "sm_110a"},
      {mxf8_word | (2U << 7), mxf8f6f4, "a-type"},
      {mxf8_word & ~(1U << 23), mxf8f6f4, "scale-type"},
      {nvf4_word, mxf4, "scale-type"},
      {mxf4_word ^ (1U << 7), mxf4, "a-type"},
      {f16_word & ~(63U << 17), f16, "shape"},                  // N 0
      {f16_word & ~(31U << 24), f16, "shape"},                  // M 0
      {f16_word + (1U << 17), f16, "shape"},                    // N 264
      {0x08000010 | (3U << 17), f16, ""},                       // N 24
      {0x10000010 | (3U << 17), f16, "shape"},                  // N 24 with M 256
      {(i8_word & ~(63U << 17)) | (5U << 17), i8, "shape"},     // N 40
      {mxf8_word | (1U << 16), mxf8f6f4, ""},                   // N-major B, N 256
      {(mxf8_word & ~(63U << 17)) | (3U << 17), mxf8f6f4, ""},  // N 24
      {(mxf8_word & ~(63U << 17)) | (3U << 17) | (1U << 16), mxf8f6f4, "shape"},
      {0x08400000 | (1U << 7) | (1U << 10), f16, "d-f16-inputs"},  // bf16 x bf16 -> f16
      {0x08400000, f16, ""},                                       // f16 x f16 -> f16
      {0x08400000 | (1U << 7), f8f6f4, ""},                        // e5m2 x e4m3 -> f16
      {f16_word | 6U, f16, ""},                                    // sparse, selector 2
      {f16_word | 2U, f16, "selector-dense"},
      {f16_word | 6U, f8f6f4, "selector-kind"},
      {f16_word | 8U, f16, "saturate-kind"},
      {i8_word | 8U, i8, ""},
      {i8_word | (1U << 13), i8, "negate-kind"},
      {i8_word | (1U << 14), i8, "negate-kind"},
      {f16_word | (3U << 13), f16, ""},
      {mxf4_word | (3U << 13), mxf4, ""},
      {mxf4_word | (1U << 15), mxf4, "transpose-kind"},
      {mxf4_word | (1U << 16), mxf4, "transpose-kind"},
      {f16_word | (3U << 15), f16, ""},
      {mxf4_word | (1U << 31), mxf4, "", "sm_103a"},
      {mxf4_word | (1U << 31), mxf4, "k-target"},
      {mxf4_word | (1U << 31) | 4U, mxf4, "k-target", "sm_103a"},  // K 192
      {mxf4_word | (1U << 31), mxf4, "k-target", "sm_107f"},
      {mxf4_word | (1U << 31) | (1U << 12) | 4U, mxf4, "", "sm_107a"},
      {mxf4_word | (1U << 31) | (1U << 12) | 4U, mxf4, "kind-target", "sm_107f"},  // ptxas: no sparse fp4
      {mxf4_word | (1U << 31) | (1U << 3), mxf4, "k-code", "sm_107a"},
      {mxf4_word | (1U << 3) | (1U << 12) | 4U, mxf4, "k-code", "sm_107a"},  // K 128 is dense
      {f16_word | (1U << 29), f16, "k-code", "sm_107a"},
      {k64_word, f8f6f4, "", "sm_107a"},
      {k64_word, f8f6f4, "reserved-bits", "sm_103a"},
      {k64_word | 4U, f8f6f4, "k-code", "sm_107a"},
      {k64_word | (3U << 7), f8f6f4, "k64-types", "sm_107a"},
      {k64_word | (1U << 7), f8f6f4, "", "sm_107a"},
      {nvf4_word | 4U, mxf4nvf4, "sparsity-version", "sm_107a"},
      {nvf4_word | (1U << 12) | 4U, mxf4nvf4, "", "sm_107a"},
      {nvf4_word | (1U << 12) | 4U, mxf4nvf4, "reserved-bits", "sm_103a"},
      {nvf4_word, mxf4nvf4, "", "sm_107a"},
      {nvf4_word | (3U << 23), mxf4nvf4, "scale-type", "sm_107a"},
      {nvf4_word | (2U << 23), mxf4, "scale-type", "sm_107a"},
      {k128_word | (2U << 4), mxf4nvf4, "scale-id", "sm_107a"},
      {nvf4_word | (2U << 4), mxf4nvf4, "", "sm_107a"},  // ue4m3 goes with block32 there
      {i8_word, i8, "kind-target", "sm_107a"},
      {ti16_word, ti16, "", "sm_107a"},
      {ti16_word, ti16, "kind-target"},
      {ti16_word | (1U << 15), ti16, "transpose-kind", "sm_107a"},
      {f16_word | (1U << 6), f16, "reserved-bits", "sm_107a"},
      {i8_word, i8, "kind-target", "sm_103a"},
      {i8_word, i8, "", "sm_110a"},
      {f16_word | (1U << 30), f16, ""},  // a shift, and a .ws shape
      {0x08000010 | (2U << 17) | (1U << 30), f16, "shift-without-ws"},
      {mxf4_word | (1U << 4), mxf4, "scale-id"},
      {mxf4_word | (2U << 4), mxf4, ""},
      {mxf4_word | (3U << 29), mxf4, "scale-id"},
      {nvf4_word | (2U << 4), mxf4nvf4, "scale-id"},  // ue4m3 is 4X only
      {mxf4_word | (3U << 4) | (1U << 31), mxf4, "", "sm_103a"},
      {nvf4_word | (3U << 4) | (1U << 31), mxf4nvf4, "scale-id", "sm_103a"},
      {nvf4_word | (2U << 4) | (1U << 31), mxf4nvf4, "", "sm_103a"},
      {mxf8_word | (3U << 4) | (3U << 29), mxf8f6f4, ""},
  };
  std::set<std::string> fired;
  for (const Case& c : cases) {
    CAPTURE(hex32(c.word));
    CAPTURE(std::string(row_of(c.kind).name));
    CHECK(lints_of(c.word, c.kind, c.target) == c.lints);
    for (const Finding& finding : lint(D(c.word, c.kind, target(c.target)))) {
      fired.insert(std::string(finding.rule));
      CHECK_FALSE(finding.message.empty());
      if (finding.severity != Severity::note && finding.rule != "reserved-bits") CHECK_FALSE(finding.hint.empty());
    }
  }
  for (const DescriptorRule<D>& rule : instruction_rules())
    if (rule.severity != Severity::note) CHECK_MESSAGE(fired.count(std::string(rule.name)) == 1, rule.name);
}

std::string kinds_of(std::uint32_t word, const Target* on = nullptr) {
  std::string out;
  for (const InstructionReading& reading : decode_idesc(word, nullptr, on).readings)
    out += (out.empty() ? "" : " ") + std::string(reading.descriptor.kind_row().name);
  return out;
}

TEST_CASE("kinds that can read a bare word") {
  CHECK(kinds_of(0x08400010) == "f16 f8f6f4");
  CHECK(kinds_of(0x08400490) == "f16 f8f6f4");
  CHECK(kinds_of(0x08400910) == "tf32");
  CHECK(kinds_of(i8_word) == "i8");
  CHECK(kinds_of(mxf8_word) == "mxf8f6f4");
  CHECK(kinds_of(mxf4_word) == "mxf8f6f4 mxf4 mxf4nvf4");
  CHECK(kinds_of(mxf4_word | (1U << 31)) == "mxf4 mxf4nvf4 mxf8f6f4");  // K 96 on sm_103a, K 64 on sm_107a
  CHECK(
      decode_idesc(mxf4_word | (1U << 31)).why ==
      "the kind is in the instruction, not in the word: kind::mxf4, kind::mxf4nvf4 and kind::mxf8f6f4 on sm_107a read "
      "it without breaking a rule");
  for (const auto& [word, kind] : {std::pair{k64_word, "f8f6f4"}, {ti16_word, "ti16"}, {0x94c00000U, "mxf8f6f4"}}) {
    CHECK(kinds_of(word) == kind);
    CHECK(decode_idesc(word).readings[0].descriptor.target().name == "sm_107a");
  }
  CHECK(decode_idesc(mxf4_word | (1U << 31)).readings[0].descriptor.target().name == "sm_103a");
  CHECK(decode_idesc(mxf4_word).readings[0].descriptor.target().name == "sm_100a");
  CHECK(decode_idesc(0x08400010).why ==
        "the kind is in the instruction, not in the word: kind::f16 and kind::f8f6f4 read it without breaking a "
        "rule");
  CHECK(decode_idesc(0x08400910).why ==
        "the kind is in the instruction, not in the word: kind::tf32 alone reads it without breaking a rule");
  CHECK(decode_idesc(0x08400010, &row_of(f16)).why.empty());
  for (const std::uint32_t word : {0U, ~0U}) CHECK_FALSE(decode_idesc(word).readings.empty());
}

// PTX ISA 9.1, table 42: codes 0 to 3 are no shift, 8, 16 and 32 columns.
TEST_CASE("the shift for the reuse of B") {
  const int columns[] = {0, 8, 16, 32};
  for (std::uint32_t code = 0; code < 4; ++code)
    CHECK(D(f16_word | (code << 30), f16, target("sm_100a")).max_shift() == columns[code]);
}

TEST_CASE("decoded fields carry types by name and extents by number") {
  const auto fields = decoded_fields(D(0x04410490, f16, target("sm_100a")));
  const auto find = [&](FieldId id) {
    for (const DecodedField& field : fields)
      if (field.id == id) return field;
    FAIL("no such field");
    return fields.front();
  };
  CHECK(std::get<std::string>(find(FieldId::a_type).value) == "bf16");
  CHECK(find(FieldId::a_type).raw == 1);
  CHECK(std::get<std::int64_t>(find(FieldId::n).value) == 256);
  CHECK(find(FieldId::n).raw == 32);
  CHECK(std::get<std::int64_t>(find(FieldId::m).value) == 64);
  CHECK(find(FieldId::m).raw == 4);
  CHECK(find(FieldId::transpose_b).meaning == "B is N-major");
  const auto illegal = decoded_fields(D(0x04410490, tf32, target("sm_100a")));
  for (const DecodedField& field : illegal)
    if (field.id == FieldId::a_type) {
      CHECK(std::holds_alternative<std::monostate>(field.value));
      CHECK(field.meaning == "code 1 is illegal under kind::tf32");
    }
}

}  // namespace
}  // namespace swz
