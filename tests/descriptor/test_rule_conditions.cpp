// SPDX-License-Identifier: Apache-2.0
// When each rule of a descriptor speaks: its condition, written down here once more, over words that are drawn around
// the bounds of every condition. What the rules say is in test_told_numbers.cpp.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

std::string rules_of(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) out += std::string(finding.rule) + " ";
  return out;
}

// PTX ISA 9.1, 9.7.15.5.1.2.2 and 9.7.16.4.1: the code of each mode; bytes of a line and lines of an atom.
struct Mode {
  const char* name;
  int wgmma_code, tcgen05_code;
  std::int64_t span, lines, pattern;
};
constexpr Mode modes[] = {{"none", 0, 0, 16, 8, 16},
                          {"32B", 3, 6, 32, 8, 256},
                          {"64B", 2, 4, 64, 8, 512},
                          {"128B", 1, 2, 128, 8, 1024},
                          {"128B_32B", -1, 1, 128, 4, 512}};

TEST_CASE("SMEM words: every rule speaks exactly where its condition holds") {
  std::mt19937_64 random(20261122);
  const auto one_of = [&](auto&&... values) {
    const std::array<std::int64_t, sizeof...(values)> all{static_cast<std::int64_t>(values)...};
    return all[random() % all.size()];
  };
  const std::int64_t window = 228 * 1024;
  std::array<int, 3> spoken{};
  for (int i = 0; i < 30000; ++i) {
    const bool is_tcgen05 = random() % 2 == 0;
    const std::string target = !is_tcgen05 ? "sm_90a" : random() % 2 == 0 ? "sm_100a" : "sm_103a";
    const std::int64_t code = static_cast<std::int64_t>(random() % (is_tcgen05 ? 8 : 4));
    const Mode* mode = nullptr;
    for (const Mode& row : modes)
      if ((is_tcgen05 ? row.tcgen05_code : row.wgmma_code) == code) mode = &row;
    const std::int64_t some_atom = mode == nullptr ? 1024 : mode->span * mode->lines;
    const std::int64_t start = one_of(0, 16, 32, 48, 64, 96, 112, 128, 144, 256, 384, 512, 1024, 1040, 2048,
                                      window - 16, window, window + 16, 262128);
    const std::int64_t lbo = one_of(0, 0, 16, 16, 32, 112, 128, 144, some_atom, some_atom - 16, some_atom + 16,
                                    16 * some_atom, 16 * some_atom + 16, window - 16, window, 262128);
    const std::int64_t sbo = one_of(0, 16, some_atom / 16 * 16, some_atom, some_atom, some_atom - 16, some_atom + 16,
                                    16 * some_atom, 16 * some_atom - 16, 16 * some_atom + 16);
    const std::int64_t base = one_of(0, 0, 0, 1, 2, 3, 4, 7), version = is_tcgen05 ? one_of(1, 1, 1, 1, 0, 2, 3, 5) : 0;
    const bool absolute = is_tcgen05 && random() % 4 == 0;
    std::uint64_t word = static_cast<std::uint64_t>(start / 16) | static_cast<std::uint64_t>(lbo / 16) << 16 |
                         static_cast<std::uint64_t>(sbo / 16) << 32 | static_cast<std::uint64_t>(base) << 49 |
                         static_cast<std::uint64_t>(code) << (is_tcgen05 ? 61 : 62);
    if (is_tcgen05) word |= static_cast<std::uint64_t>(version) << 46 | static_cast<std::uint64_t>(absolute) << 52;

    const bool legal = mode != nullptr, plain = legal && mode == modes, swizzled = legal && !plain;
    const bool chunk_32 = legal && mode == &modes[4], chunk_16 = swizzled && !chunk_32;
    const std::int64_t atom = legal ? some_atom : 0, span = legal ? mode->span : 0;
    std::int64_t offset = 0;
    if (legal)
      for (offset = start - 128 * base; offset < 0 || offset >= mode->pattern;)
        offset += offset < 0 ? mode->pattern : -mode->pattern;
    const bool in_first_line = offset < span;

    std::string expected;
    const auto rule = [&](const char* name, bool speaks) {
      if (speaks) expected += std::string(name) + " ";
    };
    rule("version-missing", is_tcgen05 && version == 0);
    rule("version-unknown", is_tcgen05 && version > 1);
    rule("swizzle-code", !legal);
    rule("absolute-lbo-target", absolute && target != "sm_103a");
    rule("absolute-lbo-swizzle", absolute && legal && mode != &modes[3]);
    rule("absolute-lbo-base-offset", absolute && base != 0);
    rule("absolute-lbo-address", absolute && lbo >= window);
    rule("start-outside", start >= window);
    rule("start-off-pattern", swizzled && !in_first_line);
    rule("k-advance-past-span", chunk_16 && !absolute && in_first_line && offset + 32 > span && lbo == 16);
    rule("base-offset-unused", plain && base != 0);
    rule("stride-zero", legal && sbo == 0);
    rule("stride-overlap", legal && sbo > 0 && sbo < atom);
    const bool many_atoms_along_k = chunk_16 && lbo <= 16;
    rule("stride-in-bytes", legal && sbo == 16 * atom && lbo != atom && !many_atoms_along_k);
    const bool may_copy = is_tcgen05 && plain && sbo == 128 && !absolute && lbo <= 16;
    rule("leading-zero", plain && !absolute && lbo == 0 && !may_copy);
    rule("leading-overlap", plain && !absolute && lbo > 0 && lbo < 128 && !may_copy);
    rule("leading-in-bytes", legal && !absolute && lbo == 16 * atom && sbo > atom);
    rule("major", legal && !absolute);
    rule("leading-ignored", chunk_16 && !absolute);
    rule("one-chunk-copy", may_copy);
    rule("stride-of-16-atoms", legal && sbo == 16 * atom && many_atoms_along_k);
    rule("k-advance", swizzled && in_first_line && offset > 0);
    rule("base-offset", swizzled && base != 0);
    rule("absolute-address", swizzled);
    rule("k-major-disputed", chunk_32);

    const std::string found = rules_of(lint(SmemDescriptor(word, require_target(target))));
    if (found != expected) {
      CAPTURE(hex64(word));
      CAPTURE(target);
      CHECK(found == expected);
    }
    ++spoken[is_tcgen05 ? (absolute ? 2 : 1) : 0];
  }
  for (const int count : spoken) CHECK(count > 1000);
}

// PTX ISA 9.1, tables 39, 42 to 44 and 52: the names of the types at codes 0 to 7.
struct Kind {
  MmaKind kind;
  const char *a_b, *d, *scale;
};
constexpr Kind kinds[] = {{MmaKind::tf32, "..t.....", ".s..", ""},   {MmaKind::f16, "hb......", "hs..", ""},
                          {MmaKind::f8f6f4, "45.671..", "hs..", ""}, {MmaKind::i8, "us......", "..i.", ""},
                          {MmaKind::mxf8f6f4, "45.671..", "", ".8"}, {MmaKind::mxf4, ".1......", "", ".8"},
                          {MmaKind::mxf4nvf4, ".1......", "", "48"}};

TEST_CASE("instruction words: every rule of types, flags and targets speaks exactly where its condition holds") {
  std::mt19937_64 random(20261123);
  int words = 0;
  for (int i = 0; i < 20000; ++i) {
    const Kind& k = kinds[random() % std::size(kinds)];
    const char* const targets[] = {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f"};
    const std::string target = targets[random() % std::size(targets)];
    const bool is_scaled = k.scale[0] != '\0', is_fp4 = k.kind == MmaKind::mxf4 || k.kind == MmaKind::mxf4nvf4;
    const bool is_i8 = k.kind == MmaKind::i8, selects = k.kind == MmaKind::tf32 || k.kind == MmaKind::f16;
    const auto bit = [&](int one_in) {
      return static_cast<std::uint32_t>(random() % static_cast<unsigned>(one_in) == 0);
    };
    const std::uint32_t a = static_cast<std::uint32_t>(random() % (random() % 2 == 0 ? 8 : 2)),
                        b = static_cast<std::uint32_t>(random() % (is_fp4 ? 4 : 8)),
                        d = static_cast<std::uint32_t>(random() % 4);
    const std::uint32_t selector = bit(3) * static_cast<std::uint32_t>(random() % 4), sparse = bit(2),
                        saturate = bit(4);
    const std::uint32_t negate_a = bit(4), negate_b = bit(4), transpose_a = bit(3), transpose_b = bit(3);
    const std::uint32_t n = static_cast<std::uint32_t>(random() % 34), scale = bit(2), k96 = is_fp4 ? bit(3) : 0;
    const std::uint32_t id_a = static_cast<std::uint32_t>(random() % 4),
                        id_b = static_cast<std::uint32_t>(random() % 4);
    const std::uint32_t shift = bit(2) * static_cast<std::uint32_t>(random() % 4);
    const std::uint32_t m = is_scaled ? static_cast<std::uint32_t>(random() % 4)
                                      : std::array<std::uint32_t, 7>{0, 2, 4, 8, 16, 6, 31}[random() % 7];
    const std::int64_t rows = is_scaled ? m * 128 : m * 16, columns = n * 8;
    std::uint32_t word = sparse << 2 | a << 7 | b << 10 | negate_a << 13 | negate_b << 14 | transpose_a << 15 |
                         transpose_b << 16 | n << 17;
    if (is_scaled) word |= id_b << 4 | scale << 23 | m << 27 | id_a << 29 | k96 << 31;
    else word |= selector | saturate << 3 | d << 4 | m << 24 | shift << 30;

    const MmaKindRow& row = row_of(k.kind);
    const bool transposed_8bit_b = row.has_8bit_slots && transpose_b != 0;
    const auto groups = [&](bool only_ws) {
      for (const MmaShape& shape : mma_shapes())
        if ((!only_ws || shape.group == ".ws") &&
            fits(shape, {k.kind, static_cast<int>(rows), static_cast<int>(columns), sparse != 0,
                         k96 != 0 ? KSize::k96 : KSize::usual, transposed_8bit_b}))
          return true;
      return false;
    };
    const bool has_a = k.a_b[a] != '.', has_b = k.a_b[b] != '.', has_d = is_scaled || k.d[d] != '.';
    const bool is_ue4m3 = is_scaled && k.scale[scale] == '4';
    const auto is_bad_id = [&](std::uint32_t id) {
      if (!is_fp4) return false;
      if (k96 != 0) return is_ue4m3 && id % 2 != 0;
      return is_ue4m3 ? id != 0 : id % 2 != 0;
    };
    std::string expected;
    const auto rule = [&](const char* name, bool speaks) {
      if (speaks) expected += std::string(name) + " ";
    };
    rule("a-type", !has_a);
    rule("b-type", !has_b);
    rule("d-type", !has_d);
    rule("scale-type", is_scaled && k.scale[scale] == '.');
    rule("shape", !groups(false));
    rule("d-f16-inputs", k.kind == MmaKind::f16 && d == 0 && has_a && has_b && (a == 1 || b == 1));
    rule("selector-kind", !is_scaled && !selects && selector != 0);
    rule("saturate-kind", !is_scaled && !is_i8 && saturate != 0);
    rule("negate-kind", is_i8 && (negate_a != 0 || negate_b != 0));
    rule("transpose-kind", is_fp4 && (transpose_a != 0 || transpose_b != 0));
    rule("k-target", k96 != 0 && (sparse != 0 || target != "sm_103a"));
    rule("kind-target",
         (is_i8 && target != "sm_100a" && target != "sm_110a") || (is_fp4 && sparse != 0 && target.ends_with('f')));
    rule("selector-dense", selects && selector != 0 && sparse == 0);
    rule("shift-without-ws", !is_scaled && shift != 0 && !groups(true));
    rule("scale-id", is_bad_id(id_a) || is_bad_id(id_b));
    rule("shape-groups", groups(false));
    rule("tf32-mn-major", k.kind == MmaKind::tf32 && (transpose_a != 0 || transpose_b != 0));
    rule("selector-value", selects && sparse != 0 && selector > 1);
    const bool has_slots = k.kind == MmaKind::f8f6f4 || k.kind == MmaKind::mxf8f6f4;
    rule("narrow-mn-major",
         has_slots && ((transpose_a != 0 && has_a && a > 1) || (transpose_b != 0 && has_b && b > 1)));
    rule("n-step", n % 2 != 0 && rows == 128 && groups(false));

    const std::string found = rules_of(lint(InstructionDescriptor(word, k.kind, require_target(target))));
    ++words;
    if (found == expected) continue;
    CAPTURE(hex32(word));
    CAPTURE(row.name);
    CAPTURE(target);
    CHECK(found == expected);
  }
  CHECK(words == 20000);
}

}  // namespace
}  // namespace swz
