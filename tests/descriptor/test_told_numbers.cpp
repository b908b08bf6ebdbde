// SPDX-License-Identifier: Apache-2.0
// What findings and fields say, for both outcomes of every condition: the numbers and modes in a sentence, and the words
// by which two variants of a sentence differ. Other words may be improved without a change here.
#include <doctest/doctest.h>

#include <cctype>
#include <string>

#include "base/error.hpp"
#include "descriptor/fields.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

// The numbers of a text: "SBO is 0x10 of 128B" gives "0x10 128".
std::string numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0U; };
    if (std::isdigit(static_cast<int>(at(i))) == 0) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    const bool is_hex = at(i) == '0' && at(i + 1) == 'x';
    if (is_hex) i += 2;
    while ((is_hex ? std::isxdigit(static_cast<int>(at(i))) : std::isdigit(static_cast<int>(at(i)))) != 0) ++i;
    out += (out.empty() ? "" : " ") + text.substr(begin, i - begin);
  }
  return out;
}

std::string said(const std::vector<Finding>& findings, std::string_view rule) {
  for (const Finding& finding : findings)
    if (finding.rule == rule) return finding.message + " | " + finding.hint;
  return "silent";
}

std::string smem_says(std::uint64_t word, std::string_view rule, const char* target = "sm_90a") {
  return said(lint(SmemDescriptor(word, require_target(target))), rule);
}

std::string idesc_says(std::uint32_t word, MmaKind kind, std::string_view rule, const char* target = "sm_100a") {
  return said(lint(InstructionDescriptor(word, kind, require_target(target))), rule);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("SMEM words: the numbers in what every rule says") {
  struct Case {
    const char* target;
    std::uint64_t word;
    const char *rule, *numbers;
  };
  const Case cases[] = {
      {"sm_90a", 0x4000004000014040, "reserved-bits", "0 14 14 15 4 107 15 200"},
      {"sm_90a", 0x40000040c001c040, "reserved-bits", "0 14 15 30 31 14 15 4 107 15 30 31 4 200"},
      {"sm_100a", 0x4020404000010040, "reserved-bits", "05 0 53 53 60 40 0xb00000000 0 00000000 107 53 107"},
      {"sm_100a", 0x4000004000010040, "version-missing", "46 0 05 0 001 46 48 46 0x4000404000010040 90"},
      {"sm_100a", 0x4000c04000010040, "version-unknown", "46 48 0 011 05 0 001 4 46 47"},
      {"sm_100a", 0x4001004000010040, "version-unknown", "46 48 0 100 05 0 001 4 46 47"},
      {"sm_100a", 0x4010404000480046, "absolute-lbo-target", "52 100 103 107 103 52"},
      {"sm_103a", 0x8010402000480042, "absolute-lbo-swizzle", "64 128 128 16"},
      {"sm_103a", 0x4014404000480054, "absolute-lbo-base-offset", "2 0 1024"},
      {"sm_103a", 0x401040403fff0046, "absolute-lbo-address", "0x3fff0 262128 233472 103 4"},
      {"sm_103a", 0x4010404039000046, "absolute-lbo-address", "0x39000 233472 233472 103 4"},
      {"sm_90a", 0x4000004000013900, "start-outside", "0x39000 233472 233472 90 4"},
      {"sm_90a", 0x0002000800800040, "base-offset-unused", "1 0"},
      {"sm_100a", 0x2000402000200050, "start-off-pattern", "0x500 1280 0 256 512 128 512 128 32 128"},
      {"sm_90a", 0x8000002000010044, "start-off-pattern", "0x440 1088 0 64 512 64 128 128 64"},
      {"sm_90a", 0xc000001000010042, "start-off-pattern", "0x420 1056 0 32 256 32 128 128 32"},
      {"sm_90a", 0xc000001000010048, "start-off-pattern", "0x480 1152 0 128 256 32 1 7 7 32"},
      {"sm_90a", 0x4000004000010047, "k-advance-past-span", "112 128 32"},
      {"sm_90a", 0x8000002000010043, "k-advance-past-span", "48 64 32"},
      {"sm_90a", 0x4000000000010040, "stride-zero", "0 8 8 1024 64"},
      {"sm_90a", 0x0000000000800040, "stride-zero", "0 8 16 128 8"},
      {"sm_90a", 0x8000001f00010040, "stride-overlap", "496 512 8 64 8 8 512 32"},
      {"sm_100a", 0x2000401f00200040, "stride-overlap", "496 512 4 128 8 4 512 32"},
      {"sm_90a", 0x4000000400010040, "stride-overlap", "64 1024 8 128 8 8 1024 64 4"},
      {"sm_90a", 0x0000008001000040, "stride-in-bytes", "128 128 16 2048 16 128 8 16 16 128 4 8"},
      {"sm_90a", 0x0000001000800040, "leading-in-bytes", "128 128 16 2048 16 128 8 16 16 128 4 8"},
      {"sm_90a", 0x4000008004000040, "leading-in-bytes", "1024 1024 16 16384 16 1024 8 128 16 1024 4 64"},
      {"sm_90a", 0x0000000800000040, "leading-zero", "0 8 128 16"},
      {"sm_90a", 0x0000000800070040, "leading-overlap", "112 128 8 16 8 16 128"},
      {"sm_100a", 0x4000404000010040, "major", "15 16"},
      {"sm_90a", 0x4000004000000040, "leading-ignored", "0 128 0 128"},
      {"sm_90a", 0x8000002000010040, "leading-ignored", "16 64"},
      {"sm_90a", 0xc000001000000040, "leading-ignored", "0 32 0 32 64 32 200"},
      {"sm_100a", 0x0000400800000040, "one-chunk-copy", "0 05 16 32 128 4 0x0000400800000040 128"},
      {"sm_90a", 0xc000001000010041, "k-advance", "16 32 32 16"},
      {"sm_90a", 0x8000002000010042, "k-advance", "32 64 32"},
      {"sm_90a", 0x8000020000010040, "stride-of-16-atoms", "8192 16 512 8 64 16 1024 4 512 512 4 32"},
      {"sm_90a", 0x8008002000010060, "base-offset", "4 128 0 4"},
      {"sm_90a", 0x4006004000010058, "base-offset", "3 128 3 8"},
      {"sm_90a", 0xc002001000010048, "base-offset", "1 128 1 2"},
      {"sm_90a", 0x4000004000010040, "absolute-address", "7 9"},
      {"sm_90a", 0x8000002000010040, "absolute-address", "7 8"},
      {"sm_90a", 0xc000001000010040, "absolute-address", "7"},
      {"sm_100a", 0x2000402000200040, "absolute-address", "7 8"},
      {"sm_100a", 0x2000402000200040, "k-major-disputed", "128 32 32 54 9 7 16 10 3 55"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.rule);
    CAPTURE(c.word);
    CHECK(numbers(smem_says(c.word, c.rule, c.target)) == c.numbers);
  }
}

TEST_CASE("SMEM words: the variants of a sentence") {
  CHECK(contains(smem_says(0x4000004000010040, "major"), "imm-trans-a"));
  CHECK_FALSE(contains(smem_says(0x4000404000010040, "major", "sm_100a"), "imm-trans-a"));
  CHECK(contains(smem_says(0x4000004000010040, "major"), "imm-trans-b"));
  // Two bits and one.
  CHECK(contains(smem_says(0x4000004000010040, "absolute-address"), "(bits 7-9)"));
  CHECK(contains(smem_says(0xc000001000010040, "absolute-address"), "(bit 7)"));
  // 8008...: base offset 4 has no effect on a pattern of 4 lines, 2 has.
  CHECK(contains(smem_says(0x8008002000010044, "start-off-pattern"), "right only if"));
  CHECK_FALSE(contains(smem_says(0x8004002000010044, "start-off-pattern"), "right only if"));
  CHECK(contains(smem_says(0x8004002000010044, "start-off-pattern"), "base offset 0"));
  // Shifted twice: an atom over 16, and one chunk beside it.
  CHECK(contains(smem_says(0x4000000400010040, "stride-overlap"), "twice"));
  CHECK_FALSE(contains(smem_says(0x4000000300010040, "stride-overlap"), "twice"));
  CHECK_FALSE(contains(smem_says(0x4000000500010040, "stride-overlap"), "twice"));
  // B of a sparse MMA is mentioned only for mode 32B.
  CHECK(contains(smem_says(0xc000001000010040, "leading-ignored"), "sparse"));
  CHECK_FALSE(contains(smem_says(0x8000002000010040, "leading-ignored"), "sparse"));
  CHECK_FALSE(contains(smem_says(0x8000002000010040, "leading-ignored"), "must not be 0"));
  // The last address and the first one outside.
  CHECK(smem_says(0x40104040388f0046, "absolute-lbo-address", "sm_103a") == "silent");
  CHECK(smem_says(0x4010404038ff0046, "absolute-lbo-address", "sm_103a") == "silent");
  CHECK(smem_says(0x4010404039000046, "absolute-lbo-address", "sm_103a") != "silent");
  CHECK(smem_says(0x40000040000138ff, "start-outside") == "silent");
  // 32 B of K end with the line, or not.
  CHECK(contains(smem_says(0x4000004000010046, "k-advance"), "when K-major;"));
  CHECK(contains(smem_says(0x4000004000010047, "k-advance"), "too far"));
}

TEST_CASE("SMEM words: what each mode means") {
  const auto meaning = [](std::uint64_t word, const char* target) {
    return decoded_fields(SmemDescriptor(word, require_target(target))).back().meaning;
  };
  CHECK(numbers(meaning(0x0000000800800040, "sm_90a")) == "8 16");
  CHECK(numbers(meaning(0x4000004000010040, "sm_90a")) == "8 128 3 4 3");
  CHECK(numbers(meaning(0x8000002000010040, "sm_90a")) == "8 64 2 4 3");
  CHECK(numbers(meaning(0xc000001000010040, "sm_90a")) == "8 32 1 4 3");
  CHECK(numbers(meaning(0x2000402000200040, "sm_100a")) == "4 128 2 5 2");
  CHECK(meaning(0x6000404000010040, "sm_100a") == "an illegal code");
  CHECK(contains(meaning(0x4000004000010040, "sm_90a"), "Sw<3,4,3>"));
  // Every other field means what the table of its format says.
  for (const char* target : {"sm_90a", "sm_103a", "sm_107a"})
    for (const DecodedField& field : decoded_fields(SmemDescriptor(0x4010404000480046, require_target(target)))) {
      const FieldRow& row = *smem_format(require_target(target)).find(field.id);
      CHECK(field.unit == row.unit);
      if (field.id != FieldId::swizzle) CHECK(field.meaning == row.meaning);
    }
}

constexpr std::uint32_t f16_word = 0x08400010, mxf8_word = (32U << 17) | (1U << 23) | (1U << 27);
constexpr std::uint32_t mxf4_word = mxf8_word | (1U << 7) | (1U << 10), nvf4_word = mxf4_word & ~(1U << 23);
constexpr std::uint32_t i8_word = (2U << 4) | (32U << 17) | (8U << 24), n_mask = 63U << 17;

TEST_CASE("instruction words: the numbers in what every rule says") {
  using enum MmaKind;
  struct Case {
    std::uint32_t word;
    MmaKind kind;
    const char *rule, *numbers, *target = "sm_100a";
  };
  const Case cases[] = {
      {f16_word | (1U << 6), f16, "reserved-bits", "16 0 6 6 107 9 4 0"},
      {f16_word | (2U << 7), f16, "a-type", "2 16 0 16 1 16"},
      {f16_word | (3U << 10), f16, "b-type", "3 16 0 16 1 16"},
      {f16_word | (2U << 4), f16, "d-type", "3 16 0 16 1 32"},
      {f16_word, i8, "d-type", "1 8 2 32", "sm_110a"},
      {nvf4_word, mxf4, "scale-type", "0 4 1 8 0"},
      {f16_word + (1U << 17), f16, "shape",
       "128 264 16 1 64 128 8 256 8 2 128 256 16 256 16 32 64 128 64 128 64 256 128 256"},
      {(f16_word + (1U << 17)) | 4U, f16, "shape",
       "128 264 16 1 64 128 8 256 8 2 128 256 16 256 16 32 64 128 64 128 64 128 256"},
      {(mxf8_word & ~n_mask) | (3U << 17) | (1U << 16), mxf8f6f4, "shape",
       "128 24 8 6 4 1 128 8 256 8 2 128 256 16 256 16 8 16 1 32 128 32"},
      {(mxf4_word & ~n_mask) | (1U << 17) | (1U << 31), mxf4, "shape", "128 8 4 1 128 16 256 16 2 256 16 256 16 128 16",
       "sm_103a"},
      {(mxf4_word & ~n_mask) | 4U, mxf4, "shape", "128 0 4 1 128 8 256 8 2 256 16 256 16 128 8"},
      {f16_word | 6U, f8f6f4, "selector-kind", "2 8 6 4 0 1 0"},
      {f16_word | 8U, f16, "saturate-kind", "3 16 8"},
      {i8_word | (1U << 13), i8, "negate-kind", "13 14 8"},
      {mxf4_word | (1U << 15), mxf4, "transpose-kind", "15 16 4 4"},
      {0x08400000 | (1U << 7) | (1U << 10), f16, "d-f16-inputs", "16 16 16 16 16 16 32 1 4 5"},
      {mxf4_word | (1U << 31) | 4U, mxf4, "k-target", "192 31 103 107 107", "sm_103a"},
      {mxf4_word | (1U << 31), mxf4, "k-target", "96 31 100 103 107"},
      {i8_word, i8, "kind-target", "8 103 100 110", "sm_103a"},
      {mxf4_word | 4U, mxf4, "kind-target", "4 100 100 103 107 110", "sm_100f"},
      {f16_word | 2U, f16, "selector-dense", "2 2 0"},
      {f16_word | 6U, f16, "selector-value", "2 0 3 0 1"},
      {(0x08400010 & ~n_mask) | (16U << 17) | (5U << 7) | (1U << 15), f8f6f4, "narrow-mn-major", "4 6 9 1"},
      {0x08000010 | (2U << 17) | (1U << 30), f16, "shift-without-ws", "8 128 16 32 64 128 64 128 256 64 128"},
      {0x08000010 | (2U << 17) | (3U << 30), f16, "shift-without-ws", "32 128 16 32 64 128 64 128 256 64 128"},
      {mxf4_word | (1U << 4) | (2U << 29), mxf4, "scale-id", "2 1 4 8 0 0 2 2 0 4 96 0 3 32 0 2 16"},
      {f16_word, f16, "shape-groups", "1 2"},
      {f16_word | (1U << 15), tf32, "tf32-mn-major", "32 128 32 1 61 63"},
      {0x08000010 | (3U << 17), f16, "n-step", "24 16 9 1 1 4 2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.rule);
    CAPTURE(c.word);
    CHECK(numbers(idesc_says(c.word, c.kind, c.rule, c.target)) == c.numbers);
  }
  CHECK(contains(idesc_says(f16_word + (1U << 17), f16, "shape"), " dense "));
  CHECK(contains(idesc_says((f16_word + (1U << 17)) | 4U, f16, "shape"), " sparse "));
  CHECK(contains(idesc_says(mxf4_word | (1U << 31) | (1U << 30) | (1U << 28), mxf4, "shape", "sm_103a"), "M "));
  CHECK(contains(idesc_says(0x08400010, f16, "shape-groups"), "cta_group::1, cta_group::2 and .ws"));
}

TEST_CASE("instruction words: notes beside their neighbours") {
  using enum MmaKind;
  CHECK(idesc_says(0x08000010 | (4U << 17), f16, "n-step") == "silent");          // N 32
  CHECK(idesc_says(0x04000010 | (3U << 17), f16, "n-step") == "silent");          // M 64
  CHECK(idesc_says((i8_word & ~n_mask) | (5U << 17), i8, "n-step") == "silent");  // N 40 has no shape
  CHECK(idesc_says(0x08400910, tf32, "tf32-mn-major") == "silent");
  CHECK(idesc_says(0x08400910 | (1U << 15), tf32, "tf32-mn-major") != "silent");
  CHECK(idesc_says(0x08400910 | (1U << 16), tf32, "tf32-mn-major") != "silent");
  CHECK(idesc_says(f16_word | (1U << 15), f16, "tf32-mn-major") == "silent");
  CHECK(idesc_says(f16_word & ~n_mask, f16, "shape-groups") == "silent");
  // D f16: with one bf16 operand as with two, and not with a type that does not exist.
  CHECK(idesc_says(0x08400000 | (1U << 7), f16, "d-f16-inputs") != "silent");
  CHECK(idesc_says(0x08400000 | (1U << 10), f16, "d-f16-inputs") != "silent");
  CHECK(idesc_says(0x08400000 | (1U << 7) | (2U << 10), f16, "d-f16-inputs") == "silent");
  CHECK(idesc_says(0x08400000 | (2U << 7) | (1U << 10), f16, "d-f16-inputs") == "silent");
  CHECK(idesc_says(0x08400010 | (1U << 7), f16, "d-f16-inputs") == "silent");
  // Scale ids of both operands, with and without K 96.
  CHECK(idesc_says(nvf4_word | (1U << 29), mxf4nvf4, "scale-id") != "silent");
  CHECK(idesc_says(nvf4_word | (1U << 29) | (1U << 31), mxf4nvf4, "scale-id", "sm_103a") != "silent");
  CHECK(idesc_says(nvf4_word | (2U << 29) | (1U << 31), mxf4nvf4, "scale-id", "sm_103a") == "silent");
  CHECK(idesc_says(mxf4_word | (1U << 29), mxf4nvf4, "scale-id") != "silent");
  CHECK(idesc_says(mxf4_word | (2U << 29), mxf4nvf4, "scale-id") == "silent");
  CHECK(idesc_says(mxf4_word | (3U << 29) | (1U << 31), mxf4nvf4, "scale-id", "sm_103a") == "silent");
}

TEST_CASE("instruction words: what each field means, set and not set") {
  using enum MmaKind;
  const auto meaning = [](std::uint32_t word, MmaKind kind, FieldId id) {
    for (const DecodedField& field : decoded_fields(InstructionDescriptor(word, kind, require_target("sm_103a"))))
      if (field.id == id) return field.meaning;
    return std::string("no such field");
  };
  struct Flag {
    FieldId id;
    int bit;
    const char *zero, *one;
  };
  for (const Flag& flag : {Flag{FieldId::sparse, 2, "A is dense", "A is sparse"},
                           Flag{FieldId::saturate, 3, "no saturation", "integer results saturate"},
                           Flag{FieldId::negate_a, 13, "A as it is", "A is negated"},
                           Flag{FieldId::negate_b, 14, "B as it is", "B is negated"},
                           Flag{FieldId::transpose_a, 15, "A is K-major", "A is M-major"},
                           Flag{FieldId::transpose_b, 16, "B is K-major", "B is N-major"}}) {
    CHECK(meaning(0, f16, flag.id) == flag.zero);
    CHECK(meaning(1U << flag.bit, f16, flag.id) == flag.one);
  }
  CHECK(meaning(f16_word, f16, FieldId::n) == "columns of D");
  CHECK(meaning(f16_word, f16, FieldId::d_type) == "type of D is f32");
  CHECK(meaning(i8_word, i8, FieldId::d_type) == "type of D is s32");
  CHECK(meaning(nvf4_word, mxf4nvf4, FieldId::scale_type) == "type of the scale factors is ue4m3");
  CHECK(meaning(nvf4_word, mxf4, FieldId::scale_type) == "code 0 is illegal under kind::mxf4");
  // K as a number: dense, sparse, 96.
  const auto k = [](std::uint32_t word, MmaKind kind) {
    return InstructionDescriptor(word, kind, require_target("sm_103a")).k();
  };
  for (const auto& [kind, dense] :
       {std::pair{tf32, 8}, {f16, 16}, {f8f6f4, 32}, {i8, 32}, {mxf8f6f4, 32}, {mxf4, 64}}) {
    CHECK(k(0, kind) == dense);
    CHECK(k(4, kind) == 2 * dense);
  }
  CHECK(k(1U << 31, mxf4) == 96);
  CHECK(k((1U << 31) | 4, mxf4) == 192);
}

TEST_CASE("instruction words: the kinds that break the fewest rules, and how they are listed") {
  // N 0 and M 0 break the shape of every kind; the types of code 0 exist under four of them.
  const InstructionDecoding zero = decode_idesc(0);
  CHECK(zero.readings.size() == 2);
  CHECK(contains(zero.why, "break the fewest rules (1)"));
  const InstructionDecoding one = decode_idesc((1U << 6) | 0x08400910);
  CHECK(one.readings.size() == 1);
  CHECK(contains(one.why, "kind::tf32 breaks the fewest rules (1)"));
  CHECK_THROWS_WITH_AS(InstructionDescriptor(0, MmaKind::f16, require_target("sm_90a")),
                       "sm_90a has no tcgen05 instruction descriptor", Error);
}

TEST_CASE("comparison: a field that both words have, one that neither reads, and reserved bits") {
  const auto told = [](std::uint64_t a, std::uint64_t b, const char* on_a = "sm_90a", const char* on_b = "sm_90a") {
    std::string out;
    for (const Difference& d :
         compare(SmemDescriptor(a, require_target(on_a)), SmemDescriptor(b, require_target(on_b))))
      out += d.field + ": " + d.a + " -> " + d.b + ", " + std::string(to_string(d.matters)) + ", " + d.why + "\n";
    return out;
  };
  // One line of 128 B on, then the span itself: no longer inside the line.
  CHECK(contains(told(0x4000004000010040, 0x4000004000010047), "+112 B: a K-advance inside the 128 B line"));
  CHECK(told(0x4000004000010040, 0x4000004000010048) == "start_address: 1024 B -> 1152 B, yes, +128 B\n");
  CHECK(told(0x4000004000010048, 0x4000004000010040) == "start_address: 1152 B -> 1024 B, yes, -128 B\n");
  CHECK(told(0x4000008000010040, 0x40000080000100c0) ==
        "start_address: 1024 B -> 3072 B, yes, +2048 B: 1 x SBO (2048)\n");
  CHECK(told(0x40000080000100c0, 0x4000008000010040) ==
        "start_address: 3072 B -> 1024 B, yes, -2048 B: -1 x SBO (2048)\n");
  CHECK(told(0x4000010000010040, 0x40000100000100c0) ==
        "start_address: 1024 B -> 3072 B, yes, +2048 B: 2 x atom (1024)\n");
  CHECK(told(0x0000000800800040, 0x0000000800800041) == "start_address: 1024 B -> 1040 B, yes, +16 B\n");
  // Absolute LBO is no distance.
  CHECK(contains(told(0x4010404000480040, 0x40104040004800c0, "sm_103a", "sm_103a"), "+2048 B: 2 x SBO (1024)\n"));
  CHECK(contains(told(0x4010404000480040, 0x4010404000490040, "sm_103a", "sm_103a"), "yes, LBO is used"));
  CHECK(contains(told(0x4010404000480040, 0x4000404000490040, "sm_103a", "sm_103a"), "yes, LBO is used"));
  CHECK(contains(told(0xc000001000010040, 0xc000001000020040), "B of a sparse MMA"));
  CHECK_FALSE(contains(told(0x8000002000010040, 0x8000002000020040), "sparse"));
  // An illegal code: nothing is known of the pattern.
  CHECK(contains(told(0x6000404000010040, 0x6002404000010040, "sm_100a", "sm_100a"), "yes, moves the pattern"));
  CHECK(contains(told(0x6000404000010040, 0x6000404000010042, "sm_100a", "sm_100a"), "yes, +32 B\n"));
  CHECK(contains(told(0x6000404000010040, 0x6000404000020040, "sm_100a", "sm_100a"), "yes, LBO is used"));
  CHECK(contains(told(0x6000404000010040, 0x4000404000010040, "sm_100a", "sm_100a"), "illegal code 3 -> 128B"));
  // Different modes: base offsets that would be the same in each by itself.
  CHECK(contains(told(0x8000002000010040, 0x4008002000010040), "base_offset: 0 lines -> 4 lines, yes"));
  // Bits that wgmma ignores, and the same beside a word of the other format.
  CHECK(contains(told(0x4000004000010040, 0x400040400001c040, "sm_90a", "sm_100a"),
                 "reserved: none set -> bits 14-15, unknown"));
}

TEST_CASE("what is said of an operand on each target") {
  const auto says = [](std::uint64_t word, const char* target, TileExtents extents, std::string_view rule) {
    const SmemDescriptor descriptor(word, require_target(target));
    return said(operand_report(descriptor, operand_map(descriptor, extents, 16, Major::K)).findings, rule);
  };
  CHECK(contains(says(0x4000004000013fff, "sm_90a", {64, 16}, "outside-smem"), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK_FALSE(contains(says(0x4000404000013fff, "sm_100a", {64, 16}, "outside-smem"), "CUDA_ERROR"));
  CHECK(contains(says(0x4000404000013fff, "sm_100a", {64, 16}, "outside-smem"), "tcgen05"));
  CHECK(contains(says(0x4000004000010040, "sm_90a", {64, 32}, "sparse-b"), "K 32"));
  CHECK(says(0x4000004000010040, "sm_90a", {64, 16}, "sparse-b") == "silent");
  CHECK(says(0x4000004000010040, "sm_90a", {64, 16}, "not-run") == "silent");
  CHECK(says(0x4000404000010040, "sm_100a", {64, 16}, "not-run") != "silent");
}

TEST_CASE("values beside the bounds of a field: what is refused, and the nearest that fits") {
  const auto refused = [](std::int64_t start, std::int64_t base_offset) {
    try {
      SmemDescriptor::encode({Bytes{start}, {}, {}, static_cast<int>(base_offset), "none"}, default_target());
    } catch (const Error& error) {
      return error.message() + " | " + error.hint;
    }
    return std::string("accepted");
  };
  CHECK(refused(262128, 7) == "accepted");
  CHECK(refused(0, 0) == "accepted");
  CHECK(numbers(refused(262144, 0)) == "262144 0 13 0 262128 16 262128");
  CHECK(numbers(refused(-16, 0)) == "16 0 13 0 262128 16 0");
  CHECK(numbers(refused(24, 0)) == "24 16 0 262128 16 16 32");
  CHECK(numbers(refused(262127, 0)) == "262127 16 0 262128 16 262112 262128");
  CHECK(numbers(refused(0, 8)) == "8 49 51 0 7 7");
  const DescriptorFormat& format = wgmma_smem_format;
  CHECK(with_field(0, format, FieldId::swizzle, 3) == 0xc000000000000000);
  CHECK_THROWS_AS(with_field(0, format, FieldId::swizzle, 4), Error);
  CHECK_THROWS_AS(with_field(0, format, FieldId::version, 1), Error);
  // Ranges of bits: neighbours, both ends, one bit at each.
  CHECK(bit_ranges(0x8000000000000001) == "0, 63");
  CHECK(bit_ranges(0xc000000000000003) == "0-1, 62-63");
  CHECK(bit_ranges(0x5) == "0, 2");
}

}  // namespace
}  // namespace swz
