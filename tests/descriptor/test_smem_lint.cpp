// SPDX-License-Identifier: Apache-2.0
// Each lint fires on a word made for it, and stays silent on its neighbours and on every word that programs use.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "base/text.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

std::string names(const std::vector<Finding>& findings, bool lints) {
  std::string out;
  for (const Finding& finding : findings)
    if ((finding.severity != Severity::note) == lints) out += (out.empty() ? "" : " ") + std::string(finding.rule);
  return out;
}

std::vector<Finding> findings_of(std::uint64_t word, const char* target) {
  return lint(SmemDescriptor(word, require_target(target)));
}

struct Case {
  const char* target;
  std::uint64_t word;
  std::string lints;
};

TEST_CASE("each lint on a word of its own, and silence beside it") {
  const Case cases[] = {
      // reserved bits
      {"sm_90a", 0x4000004000014040, "reserved-bits"},
      {"sm_90a", 0x4000404000010040, "reserved-bits"},
      {"sm_90a", 0x6000004000010040, "reserved-bits"},
      {"sm_100a", 0x4020404000010040, "reserved-bits"},
      {"sm_90a", 0x4000004000010040, ""},
      // version
      {"sm_100a", 0x4000004000010040, "version-missing"},
      {"sm_100a", 0x4000c04000010040, "version-unknown"},
      {"sm_100a", 0x4001004000010040, "version-unknown"},
      {"sm_100a", 0x4000404000010040, ""},
      // swizzle code
      {"sm_100a", 0x6000404000010040, "swizzle-code"},
      {"sm_100a", 0xa000404000010040, "swizzle-code"},
      {"sm_100a", 0xe000404000010040, "swizzle-code"},
      {"sm_100a", 0x2000402000200040, ""},
      // absolute LBO
      {"sm_100a", 0x4010404000480046, "absolute-lbo-target"},
      {"sm_103a", 0x4010404000480046, ""},
      {"sm_103a", 0x8010402000480042, "absolute-lbo-swizzle"},
      {"sm_103a", 0x401040403fff0046, "absolute-lbo-address"},
      {"sm_103a", 0x4014404000480054, "absolute-lbo-base-offset"},
      // start address: 233472 B are addressable
      {"sm_90a", 0x4000004000013900, "start-outside"},
      {"sm_90a", 0x40000040000138c0, ""},
      {"sm_100a", 0x4000404000013900, "start-outside"},
      // pattern boundary: 128B
      {"sm_90a", 0x4000004000010048, "start-off-pattern"},
      {"sm_90a", 0x4002004000010048, ""},                   // repaired by base offset 1
      {"sm_90a", 0x4002004000010040, "start-off-pattern"},  // base offset without need
      {"sm_90a", 0x400e004000010078, ""},
      {"sm_90a", 0x400e00400001007a, ""},  // K-advance of a tile with a base offset
      {"sm_90a", 0x4000004000010046, ""},
      {"sm_90a", 0x4000004000010047, "k-advance-past-span"},
      {"sm_90a", 0x4000004000000047, ""},  // LBO 0: the last 8 rows of an MN-major block
      // 64B: period 512, two lines of 64 in a line of 128
      {"sm_90a", 0x8000002000010042, ""},
      {"sm_90a", 0x8000002000010043, "k-advance-past-span"},
      {"sm_90a", 0x8000002000010044, "start-off-pattern"},
      {"sm_90a", 0x8000002000010048, "start-off-pattern"},
      {"sm_90a", 0x8002002000010048, ""},
      {"sm_90a", 0x8000002000010060, ""},
      {"sm_90a", 0x8008002000010060, ""},  // base offset 4 is 0 modulo 4 lines
      // 32B: period 256
      {"sm_90a", 0xc000001000010041, "k-advance-past-span"},
      {"sm_90a", 0xc000001000010042, "start-off-pattern"},
      {"sm_90a", 0xc000001000010050, ""},
      {"sm_90a", 0xc000001000010048, "start-off-pattern"},
      {"sm_90a", 0xc002001000010048, ""},
      // 128B_32B: period 512
      {"sm_100a", 0x2000402000200060, ""},
      {"sm_100a", 0x2000402000200050, "start-off-pattern"},
      // base offset in mode none
      {"sm_90a", 0x0002000800800040, "base-offset-unused"},
      {"sm_90a", 0x0000000800800048, ""},
      // SBO
      {"sm_90a", 0x4000000000010040, "stride-zero"},
      {"sm_90a", 0x0000000000800040, "stride-zero"},
      {"sm_90a", 0x4000003f00010040, "stride-overlap"},
      {"sm_90a", 0x4000000100010040, "stride-overlap"},
      {"sm_90a", 0x8000001f00010040, "stride-overlap"},
      {"sm_90a", 0xc000000f00010040, "stride-overlap"},
      {"sm_90a", 0x0000000700800040, "stride-overlap"},
      {"sm_100a", 0x2000401f00200040, "stride-overlap"},
      {"sm_90a", 0x4000040000800040, "stride-in-bytes"},
      {"sm_90a", 0x8000020000800040, "stride-in-bytes"},
      {"sm_90a", 0xc000010000800040, "stride-in-bytes"},
      {"sm_90a", 0x0000008001000040, "stride-in-bytes"},
      {"sm_100a", 0x2000420000400040, "stride-in-bytes"},
      {"sm_90a", 0x4000040000010040, ""},   // K first, K of 2048 B: SBO really is 16 atoms
      {"sm_90a", 0x8000020000010040, ""},   // K of 1024 B
      {"sm_90a", 0xc000010000010040, ""},   // K of 512 B
      {"sm_90a", 0xc000010000000040, ""},   // the same with LBO 0, which is not used either
      {"sm_100a", 0x2000420000200040, ""},  // MN first, 16 blocks of 128 B
      {"sm_90a", 0x400003ff00010040, ""},
      {"sm_90a", 0x4000040100010040, ""},
      {"sm_90a", 0x0000008000080040, ""},  // K first, K of 256 B: SBO really is 2048 B
      {"sm_90a", 0xc000010000100040, ""},  // MN first, 16 blocks of 32 B
      // LBO
      {"sm_90a", 0x0000000800000040, "leading-zero"},
      {"sm_90a", 0x0000001000000040, "leading-zero"},
      {"sm_100a", 0x0000401000000040, "leading-zero"},
      {"sm_100a", 0x0000400800000040, ""},  // scale factors for tcgen05.cp
      {"sm_90a", 0x0000000800070040, "leading-overlap"},
      {"sm_90a", 0x0000000800080040, ""},
      {"sm_90a", 0x0000001000800040, "leading-in-bytes"},
      {"sm_90a", 0x4000008004000040, "leading-in-bytes"},
      {"sm_90a", 0x4000004004000040, ""},  // K first, K 128: LBO really is 16 atoms
  };
  std::set<std::string> fired;
  for (const Case& c : cases) {
    CAPTURE(std::string(c.target));
    CAPTURE(hex64(c.word));
    const auto findings = findings_of(c.word, c.target);
    CHECK(names(findings, true) == c.lints);
    for (const Finding& finding : findings) {
      CHECK_FALSE(finding.message.empty());
      CHECK_FALSE(finding.source.empty());
      if (finding.severity != Severity::note) {
        CHECK_FALSE(finding.hint.empty());
        fired.insert(std::string(finding.rule));
      }
    }
  }
  for (const DescriptorRule<SmemDescriptor>& rule : smem_rules())
    if (rule.severity != Severity::note) CHECK_MESSAGE(fired.count(std::string(rule.name)) == 1, rule.name);
}

// The strides of tightly packed operands.
TEST_CASE("no lint on any packed operand, in each stacking, at every K-advance, in both formats") {
  int words = 0;
  const auto check = [&](const SwizzleMode& mode, std::int64_t lbo, std::int64_t sbo) {
    for (const char* name : {"sm_90a", "sm_100a"}) {
      const Target& target = require_target(name);
      if (!mode.code(target.descriptor)) continue;
      const std::int64_t advances = mode.family == SwizzleFamily::chunk_16 ? mode.span.count / 32 : 1;
      for (std::int64_t k = 0; k < advances; ++k) {
        const auto d = SmemDescriptor::encode({Bytes{0x400 + 32 * k}, Bytes{lbo}, Bytes{sbo}, 0, mode.name}, target);
        REQUIRE_MESSAGE(names(lint(d), true) == "", hex64(d.word()), " ", mode.name, " lbo ", lbo, " sbo ", sbo);
        ++words;
      }
    }
  };
  for (const SwizzleMode& mode : swizzle_modes()) {
    const std::int64_t w = mode.span.count, atom = mode.atom().count;
    for (std::int64_t rows = 8; rows <= 256; rows += 8) {  // or MN extent in elements, or k
      if (mode.bits == 0) {
        check(mode, 16 * rows, 128);                                                          // K-major, rows first
        for (const std::int64_t k_bytes : {32, 64, 128, 256}) check(mode, 128, 8 * k_bytes);  // K-major, K first
        check(mode, 128 * (rows / 8), 128);                                                   // MN-major, MN first
        check(mode, 128, 128 * (rows / 8));                                                   // MN-major, K first
      } else {
        for (const std::int64_t placeholder : {std::int64_t{0}, std::int64_t{16}, rows * w})
          check(mode, placeholder, atom);  // K-major, rows first
        check(mode, w * rows, atom);       // MN-major, K first
      }
    }
    if (mode.bits == 0) continue;
    for (std::int64_t bytes = w; bytes <= 256; bytes += w) check(mode, 16, 8 * bytes);           // K-major, K first
    for (std::int64_t bytes = w; bytes <= 512; bytes += w) check(mode, atom, atom / w * bytes);  // MN-major, MN first
  }
  CHECK(words > 1000);
}

TEST_CASE("notes: what a word of each mode says") {
  CHECK(names(findings_of(0x4000004000010042, "sm_90a"), false) == "major leading-ignored k-advance absolute-address");
  CHECK(names(findings_of(0x4000004000010040, "sm_90a"), false) == "major leading-ignored absolute-address");
  CHECK(names(findings_of(0x0000000800800040, "sm_90a"), false) == "major");
  CHECK(names(findings_of(0x4002004000010048, "sm_90a"), false) ==
        "major leading-ignored base-offset absolute-address");
  CHECK(names(findings_of(0x2000402000200040, "sm_100a"), false) == "major absolute-address k-major-disputed");
  CHECK(names(findings_of(0x0000400800000040, "sm_100a"), false) == "major one-chunk-copy");
  CHECK(names(findings_of(0x4000040000010040, "sm_90a"), false) ==
        "major leading-ignored stride-of-16-atoms absolute-address");
}

std::string said(std::uint64_t word, const char* target, const char* rule) {
  for (const Finding& finding : findings_of(word, target))
    if (finding.rule == rule) return finding.message + " | " + finding.hint;
  return "silent";
}

TEST_CASE("whole texts") {
  CHECK(said(0x4000040000010040, "sm_90a", "stride-of-16-atoms") ==
        "SBO is 16384 B, 16 times the 1024 B atom (8 lines of 128 B): a K-major tile with 16 atoms along K, 2048 B, "
        "stacked k-first; or a forgotten >> 4: the field holds 1024, the size of the atom in bytes | atoms stacked "
        "mn-first: store 1024 >> 4 = 64");
  CHECK(said(0x4000004000000044, "sm_90a", "k-advance") ==
        "the start lies 64 B inside the first 128 B line of its atom: a K-advance when K-major; the base offset "
        "does not "
        "change | MN-major: right when all rows of the MMA lie in the 64 B that are left of the line");
  CHECK(said(0x4000004000000047, "sm_90a", "k-advance") ==
        "the start lies 112 B inside the first 128 B line of its atom: too far for the 32 B of K of a K-major "
        "operand; "
        "the base offset does not change | MN-major: right when all rows of the MMA lie in the 16 B that are left "
        "of the "
        "line");
  CHECK(said(0x4000040000800040, "sm_90a", "stride-in-bytes") ==
        "the SBO field holds 1024, the size of the atom in bytes; it means 1024 x 16 = 16384 B, 16 times the "
        "1024 B atom (8 lines of 128 B) | the field counts 16 bytes: store 1024 >> 4 = 64");
  CHECK(said(0x4000000400010040, "sm_90a", "stride-overlap") ==
        "SBO is 64 B, less than the 1024 B atom (8 lines of 128 B): successive groups of 8 rows (K-major) or groups "
        "of 8 k (MN-major) start inside each other | packed atoms need SBO 1024 B, field 64; was it shifted by 4 "
        "twice?");
  CHECK(said(0x4000004000010058, "sm_90a", "start-off-pattern") ==
        "the start address 0x580 (1408 B) with base offset 0 lies 384 B past a 1024 B pattern boundary, outside the "
        "first 128 B line of the atom | right only if the writer swizzles by absolute address, as TMA does; a tile "
        "that begins here needs base offset 3 (address >> 7 & 7); a K-advance stays below 128 B, then goes to the "
        "next k atom");
  // With a base offset that is not needed, what TMA wrote is not read right either.
  CHECK(said(0x400c004000010040, "sm_90a", "start-off-pattern") ==
        "the start address 0x400 (1024 B) with base offset 6 lies 256 B past a 1024 B pattern boundary, outside "
        "the first "
        "128 B line of the atom | what TMA wrote is read right with base offset 0; a tile that begins here needs "
        "base "
        "offset 0 (address >> 7 & 7); a K-advance stays below 128 B, then goes to the next k atom");
  CHECK(said(0x4000004000010040, "sm_90a", "leading-ignored") ==
        "LBO (16 B) is ignored in mode 128B when the operand is K-major | ");
  CHECK(said(0xc000001000010040, "sm_90a", "leading-ignored") ==
        "LBO (16 B) is ignored in mode 32B when the operand is K-major and the MMA dense | B of a sparse MMA has "
        "rows of 64 B: after each 32 B of K LBO is stepped over (wgmma, measured on H200)");
  CHECK(said(0x4000004000010040, "sm_100a", "version-missing") ==
        "the version bit 46 is 0; tcgen05 wants 0b001 in bits 46-48 | set bit 46: 0x4000404000010040; a word for "
        "wgmma is read with --arch sm_90a");
  CHECK(said(0x6000404000010040, "sm_100a", "swizzle-code") ==
        "swizzle code 3 is illegal | legal codes: 0 none, 6 32B, 4 64B, 2 128B and 1 128B_32B; wgmma and TMA number "
        "the modes differently");
}

// The base offset that the hint names must silence the lint, in each hint that names one.
TEST_CASE("the repair that a hint gives repairs") {
  int repaired = 0;
  for (const char* mode : {"32B", "64B", "128B"}) {
    const SwizzleMode& row = require_swizzle_mode(mode);
    for (std::int64_t start = 0; start < 4096; start += 16) {
      const SmemDescriptorValues values{Bytes{start}, Bytes{16}, row.atom(), 0, mode};
      const auto d = SmemDescriptor::encode(values, require_target("sm_90a"));
      const std::string text = said(d.word(), "sm_90a", "start-off-pattern");
      const auto at = text.find("needs base offset ");
      if (at == std::string::npos) continue;
      SmemDescriptorValues with_base = values;
      with_base.base_offset = text[at + 18] - '0';
      const auto mended = SmemDescriptor::encode(with_base, require_target("sm_90a"));
      CAPTURE(hex64(mended.word()));
      CHECK(said(mended.word(), "sm_90a", "start-off-pattern") == "silent");
      ++repaired;
    }
  }
  CHECK(repaired > 100);
}

// Measured on an H200: byte = lin ^ (((lin >> 7) - base) & mask) << 4. With the base offset of the formula, a
// tile at any multiple of 128 B is laid out as one at 0 is.
TEST_CASE("start-off-pattern is silent exactly where the pattern begins with the tile") {
  for (const char* name : {"32B", "64B", "128B"}) {
    const SwizzleMode& mode = require_swizzle_mode(name);
    const auto byte = [&](std::int64_t lin, int base) { return lin ^ ((((lin >> 7) - base) & mode.line_mask()) << 4); };
    for (std::int64_t start = 0; start < 2048; start += mode.span.count) {
      for (int base = 0; base < 8; ++base) {
        bool same = true;
        for (std::int64_t chunk_at = 0; chunk_at < mode.atom().count; chunk_at += 16)
          same = same && byte(start + chunk_at, base) - start == byte(chunk_at, 0);
        const auto d =
            SmemDescriptor::encode({Bytes{start}, Bytes{16}, mode.atom(), base, name}, require_target("sm_90a"));
        CAPTURE(hex64(d.word()));
        CHECK((said(d.word(), "sm_90a", "start-off-pattern") == "silent") == same);
      }
    }
  }
}

TEST_CASE("every word of either format can be linted") {
  const auto seed = std::random_device{}();
  MESSAGE("seed ", seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t word = random();
    for (const char* target : {"sm_90a", "sm_100a", "sm_103a"}) {
      const auto findings = findings_of(word, target);
      const bool reserved = SmemDescriptor(word, require_target(target)).reserved_set() != 0;
      REQUIRE((names(findings, true).find("reserved-bits") != std::string::npos) == reserved);
    }
  }
}

}  // namespace
}  // namespace swz
