// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/operand_map.hpp"

namespace swz {
namespace {

struct Word {
  std::int64_t start, lbo, sbo;
  int base_offset;
};

// The address formula and the XOR, written here in chunks.
std::int64_t measured(const Word& w, Major major, const std::string& mode, std::int64_t element_bytes, std::int64_t row,
                      std::int64_t k) {
  const std::int64_t width = mode == "none" ? 16 : mode == "32B" ? 32 : mode == "64B" ? 64 : 128;
  std::int64_t lin = 0;
  if (major == Major::K) {
    const std::int64_t c = k * element_bytes / 16;
    const std::int64_t in_chunk = k * element_bytes % 16;
    lin = w.start + (row % 8) * width + (row / 8) * w.sbo;
    if (mode == "none") lin += c * w.lbo;
    // Sparse B: past the span LBO.
    else lin += c % (width / 16) * 16 + c / (width / 16) * w.lbo;
    lin += in_chunk;
  } else {
    const std::int64_t j = row * element_bytes / 16;
    const std::int64_t in_chunk = row * element_bytes % 16;
    if (mode == "none") lin = w.start + (k % 8) * 16 + (k / 8) * w.lbo + j * w.sbo;
    else if (mode == "128B_32B") lin = w.start + (j % 8) * 16 + (j / 8) * w.lbo + (k % 4) * 128 + (k / 4) * w.sbo;
    else lin = w.start + (j % (width / 16)) * 16 + (j / (width / 16)) * w.lbo + (k % 8) * width + (k / 8) * w.sbo;
    lin += in_chunk;
  }
  const std::int64_t line = (lin >> 7) - w.base_offset;
  if (mode == "128B_32B") return lin ^ ((line & 3) << 5);
  const std::int64_t mask = mode == "none" ? 0 : mode == "32B" ? 1 : mode == "64B" ? 3 : 7;
  return lin ^ ((line & mask) << 4);
}

SmemDescriptor encoded(const Word& w, std::string_view mode, const Target& target) {
  return SmemDescriptor::encode({.start_address = Bytes{w.start},
                                 .leading_byte_offset = Bytes{w.lbo},
                                 .stride_byte_offset = Bytes{w.sbo},
                                 .base_offset = w.base_offset,
                                 .swizzle = mode},
                                target);
}

TEST_CASE("the worked example of the header") {
  const OperandMap map = operand_map(SmemDescriptor(0x4000004000010042, sm_90a()), {64, 16}, 16, Major::K);
  CHECK(map.byte(9, 8) == 2208);
  CHECK(map.bytes().size() == 64 * 16);
}

TEST_CASE("random words: the measured rule, every element of every operand") {
  const auto seed = std::random_device{}();
  MESSAGE("seed ", seed);
  std::mt19937_64 random{seed};
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  long words = 0, elements = 0, wrong = 0;
  for (int i = 0; i < 4608; ++i) {
    const Target& target = i % 2 == 0 ? sm_90a() : sm_100a();
    const Major major = below(2) == 0 ? Major::K : Major::MN;
    const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(below(5))];
    if (!mode.code(target.descriptor)) continue;
    if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
    const std::int64_t element_bytes = std::int64_t{1} << below(3);
    const Word w{below(4096) * 16, below(512) * 16, below(512) * 16, static_cast<int>(below(8))};
    const std::int64_t row_bytes = below(4) == 0 ? 64 : 32;
    const TileExtents extents{8 * (1 + below(32)), row_bytes / element_bytes};
    const OperandMap map =
        operand_map(encoded(w, mode.name, target), extents, static_cast<int>(8 * element_bytes), major);
    ++words;
    for (std::int64_t row = 0; row < extents.mn; ++row)
      for (std::int64_t k = 0; k < extents.k; ++k, ++elements)
        if (map.byte(row, k) != measured(w, major, std::string(mode.name), element_bytes, row, k)) ++wrong;
  }
  MESSAGE(words, " words, ", elements, " elements");
  CHECK(wrong == 0);
  CHECK(words > 3000);
}

TEST_CASE("B of a sparse MMA in mode 32B steps over LBO after 32 B of K; in the other modes its 64 B are one run") {
  const auto map = [](std::int64_t lbo, const char* mode) {
    return operand_map(encoded({0x400, lbo, 256, 0}, mode, sm_90a()), {64, 32}, 16, Major::K);
  };
  // Row 4 begins line 9 (absolute), so that its chunks are exchanged: 0x480 ^ 0x10.
  CHECK(map(4096, "32B").byte(4, 0) == 0x490);
  CHECK(map(4096, "32B").byte(4, 15) == 0x480 + 14);
  CHECK(map(4096, "32B").byte(4, 16) == 0x490 + 4096);
  CHECK(map(4096, "32B").bytes() != map(2048, "32B").bytes());
  for (const char* mode : {"64B", "128B"}) CHECK(map(4096, mode).bytes() == map(16, mode).bytes());
  // With the 16 B that CuTe writes for dense operands, half of each row is read twice.
  CHECK(repeated_reads(map(16, "32B")));
  CHECK_FALSE(repeated_reads(map(2048, "32B")));
}

TEST_CASE("LBO of swizzled K-major operands of dense MMAs and the base offset of mode none have no effect") {
  const auto bytes = [](const Word& w, const char* mode) {
    return operand_map(encoded(w, mode, sm_90a()), {64, 16}, 16, Major::K).bytes();
  };
  CHECK(bytes({0x400, 16, 1024, 0}, "128B") == bytes({0x400, 4096, 1024, 0}, "128B"));
  CHECK(bytes({0x400, 128, 256, 0}, "none") == bytes({0x400, 128, 256, 5}, "none"));
  CHECK(bytes({0x400, 128, 256, 0}, "none") != bytes({0x400, 144, 256, 0}, "none"));
  CHECK(bytes({0x400, 16, 1024, 0}, "32B") != bytes({0x400, 16, 1024, 1}, "32B"));
}

TEST_CASE("a base offset moves a tile's pattern: 64B at 0x680 read as a tile-relative writer put it") {
  // 0x680 is 128 B into the 512 B pattern; base offset (0x680 >> 7) & 7 = 5, so that line 13 has phase 0.
  const OperandMap there = operand_map(encoded({0x680, 16, 512, 5}, "64B", sm_90a()), {64, 16}, 16, Major::K);
  const OperandMap aligned = operand_map(encoded({0x400, 16, 512, 0}, "64B", sm_90a()), {64, 16}, 16, Major::K);
  for (std::size_t i = 0; i < there.places.size(); ++i)
    REQUIRE(there.places[i] - 0x680 * 8 == aligned.places[i] - 0x400 * 8);
}

TEST_CASE("packed fp4: two elements a byte") {
  const OperandMap map = operand_map(encoded({0x400, 16, 1024, 0}, "128B", sm_100a()), {128, 64}, 4, Major::K);
  CHECK(map.byte(0, 0) == 0x400);
  CHECK(map.byte(0, 1) == 0x400);
  CHECK(map.byte(0, 63) == 0x400 + 31);
  CHECK_FALSE(repeated_reads(map));
}

TEST_CASE("repeated reads: how many, and the first") {
  // SBO 0: all groups of 8 rows coincide.
  const OperandMap zero = operand_map(encoded({0x400, 16, 0, 0}, "128B", sm_90a()), {64, 16}, 16, Major::K);
  const auto repeated = repeated_reads(zero);
  REQUIRE(repeated);
  CHECK(repeated->count == 56 * 16);
  CHECK(repeated->first == TileCoordinate{0, 0});
  CHECK(repeated->second == TileCoordinate{8, 0});
  CHECK(repeated->byte == zero.byte(0, 0));
  CHECK(zero.byte(8, 0) == zero.byte(0, 0));
  // fp4 whose two k chunks coincide.
  const auto fp4 = repeated_reads(operand_map(encoded({0x400, 0, 128, 0}, "none", sm_100a()), {8, 64}, 4, Major::K));
  REQUIRE(fp4);
  CHECK(fp4->count == 8 * 32);
  CHECK(fp4->second == TileCoordinate{0, 32});
  CHECK_FALSE(repeated_reads(operand_map(SmemDescriptor(0x4000004000010040, sm_90a()), {256, 16}, 16, Major::K)));
}

std::string refused(const SmemDescriptor& d, TileExtents extents, int bits, Major major) {
  try {
    operand_map(d, extents, bits, major);
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

TEST_CASE("what cannot be mapped") {
  const SmemDescriptor good(0x4000404000010040, sm_100a());
  CHECK(refused(good, {64, 16}, 16, Major::K) == "accepted");
  CHECK(refused(SmemDescriptor(0x6000404000010040, sm_100a()), {64, 16}, 16, Major::K) ==
        "swizzle code 3 is illegal: the word reads nothing");
  CHECK(refused(SmemDescriptor(0x2000404000010040, sm_100a()), {64, 8}, 32, Major::K) ==
        "what a K-major operand reads in mode 128B_32B is not defined");
  CHECK(refused(SmemDescriptor(0x4010404000010040, require_target("sm_103a")), {64, 96}, 4, Major::K) ==
        "operands with an absolute LBO (K of 48 B, sm_103a) are not mapped");
  CHECK(refused(good, {64, 16}, 6, Major::K) == "a 16-byte chunk does not hold whole elements of 6 bits");
  CHECK(refused(good, {64, 16}, 0, Major::K) == "a 16-byte chunk does not hold whole elements of 0 bits");
  CHECK(refused(good, {0, 16}, 16, Major::K) == "an operand of 0x16 elements cannot be mapped");
  CHECK(refused(good, {INT64_MAX, INT64_MAX}, 16, Major::K).ends_with("cannot be mapped"));
  CHECK(refused(good, {1 << 20, 2}, 16, Major::K) == "an operand of 1048576x2 elements cannot be mapped");
}

// ---- the report

OperandReport report_of(std::uint64_t word, const Target& target, TileExtents extents, int bits, Major major) {
  const SmemDescriptor descriptor(word, target);
  return operand_report(descriptor, operand_map(descriptor, extents, bits, major));
}

std::string rules(const OperandReport& report) {
  std::string out;
  for (const Finding& finding : report.findings) out += std::string(finding.rule) + " ";
  return out;
}

TEST_CASE("the worked example of the header") {
  const OperandReport r = report_of(0x4000004000010042, sm_90a(), {64, 16}, 16, Major::K);
  CHECK(r.chunks.size() == 128);
  CHECK(r.bytes.count == 2048);
  CHECK(r.lowest.count == 0x420);
  CHECK(r.is_inside());
  CHECK(r.findings.empty());
  const ReadChunk& c = r.chunks[9 * 2 + 1];
  CHECK(c.row == 9);
  CHECK(c.k == 8);
  CHECK(c.byte.count == 0x8a0);
  CHECK(c.line() == 17);
  CHECK(c.position() == 2);
  CHECK(c.bank() == 8);
  CHECK(c.reads == 1);
}

TEST_CASE("random words: every element lies in the chunk of its row and k, and each byte is counted once") {
  std::mt19937_64 random{20240521};
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  long repeated = 0;
  for (int i = 0; i < 600; ++i) {
    const Major major = below(2) == 0 ? Major::K : Major::MN;
    const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(below(5))];
    if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
    const int bits = 4 << below(4);
    const SmemDescriptor word = SmemDescriptor::encode({.start_address = Bytes{below(1024) * 16},
                                                        .leading_byte_offset = Bytes{below(20) * 16},
                                                        .stride_byte_offset = Bytes{below(40) * 16},
                                                        .base_offset = static_cast<int>(below(8)),
                                                        .swizzle = mode.name},
                                                       sm_100a());
    // 8 rows of 8-bit elements, MN-major, fill half a chunk.
    const OperandMap map = operand_map(word, {8 * (1 + below(8)), 256 / bits}, bits, major);
    const OperandReport r = operand_report(word, map);

    std::set<std::int64_t> bytes;
    std::map<std::int64_t, std::int64_t> at_address;
    for (const ReadChunk& c : r.chunks) ++at_address[c.byte.count];
    std::size_t next = 0;
    const std::int64_t per_chunk = 128 / bits;
    const std::int64_t lines = major == Major::K ? map.extents.mn : map.extents.k;
    const std::int64_t length = major == Major::K ? map.extents.k : map.extents.mn;
    long wrong = 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      for (std::int64_t j = 0; j < length; ++j) {
        const std::int64_t row = major == Major::K ? line : j, k = major == Major::K ? j : line;
        const std::int64_t byte = map.byte(row, k);
        for (std::int64_t b = 0; b < std::max(1, bits / 8); ++b) bytes.insert(byte + b);
        if (j % per_chunk == 0) ++next;
        const ReadChunk& c = r.chunks.at(next - 1);
        wrong += byte < c.byte.count || byte >= c.byte.count + c.size.count;
        if (j % per_chunk == 0) wrong += c.row != row || c.k != k || c.reads != at_address[byte];
      }
    }
    CHECK(wrong == 0);
    CHECK(next == r.chunks.size());
    CHECK(r.bytes.count == static_cast<std::int64_t>(bytes.size()));
    CHECK(r.lowest.count == *bytes.begin());
    CHECK(r.highest.count == *bytes.rbegin());
    CHECK(r.repeated.has_value() == (rules(r).find("repeated-reads") != std::string::npos));
    repeated += r.repeated.has_value();
  }
  CHECK(repeated > 50);
  CHECK(repeated < 500);
}

TEST_CASE("findings: repeated bytes, addresses beyond shared memory, what was not measured") {
  CHECK(rules(report_of(0, sm_90a(), {8, 16}, 16, Major::K)).find("repeated-reads ") == 0);
  const OperandReport zero = report_of(0x0000000000000040, sm_90a(), {8, 16}, 16, Major::K);
  CHECK(zero.findings.front().message ==
        "64 of 128 elements are read from a place that another one is read from; the first: (0, 0) and (0, 8), both "
        "from 0x400");
  const OperandReport far = report_of(0x4000004000013fff, sm_90a(), {64, 16}, 16, Major::K);
  CHECK_FALSE(far.is_inside());
  CHECK(rules(far).find("outside-smem ") == 0);
  // The last operand that fits: 64 rows of 128 B end at 233472.
  const std::uint64_t start = (233472 - 8192) / 16;
  CHECK(report_of(0x4000004000010000 | start, sm_90a(), {64, 16}, 16, Major::K).is_inside());
  CHECK_FALSE(report_of(0x4000004000010000 | (start + 64), sm_90a(), {64, 16}, 16, Major::K).is_inside());
  CHECK(rules(report_of(0x4000404000010040, sm_100a(), {64, 16}, 16, Major::K)) == "not-run ");
  CHECK(rules(report_of(0x4000004000010040, sm_90a(), {64, 32}, 16, Major::K)) == "sparse-b ");
}

std::string refused(TileExtents extents, int bits) {
  try {
    require_operand_rows(extents, bits);
  } catch (const Error& error) {
    return error.message() + " / " + error.hint;
  }
  return "accepted";
}

TEST_CASE("which rows an MMA reads") {
  for (std::int64_t n = 8; n <= 256; n += 8) CHECK(refused({n, 16}, 16) == "accepted");
  CHECK(refused({64, 32}, 8) == "accepted");
  CHECK(refused({64, 64}, 4) == "accepted");
  CHECK(refused({64, 256}, 1) == "accepted");
  CHECK(refused({64, 32}, 16) == "accepted");
  CHECK(refused({64, 24}, 16) ==
        "no MMA reads K 24 of 16-bit elements: 16 (32 B of every row), or 32 for B of a sparse one / nearest: 64x16");
  CHECK(refused({12, 16}, 16) == "no MMA reads 12 rows of M or N: 8 to 256 in steps of 8 / nearest: 16x16");
  CHECK(refused({1, 16}, 16) == "no MMA reads 1 rows of M or N: 8 to 256 in steps of 8 / nearest: 8x16");
  CHECK(refused({300, 16}, 16) == "no MMA reads 300 rows of M or N: 8 to 256 in steps of 8 / nearest: 256x16");
}

}  // namespace
}  // namespace swz
