#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "base/error.hpp"
#include "descriptor/operand_report.hpp"

namespace swz {
namespace {

const Target& sm_90a() { return require_target("sm_90a"); }
const Target& sm_100a() { return require_target("sm_100a"); }

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
  CHECK(
      zero.findings.front().message ==
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
  CHECK(
      refused({64, 24}, 16) ==
      "no MMA reads K 24 of 16-bit elements: 16 (32 B of every row), or 32 for B of a sparse one / nearest: 64x16");
  CHECK(refused({12, 16}, 16) == "no MMA reads 12 rows of M or N: 8 to 256 in steps of 8 / nearest: 16x16");
  CHECK(refused({1, 16}, 16) == "no MMA reads 1 rows of M or N: 8 to 256 in steps of 8 / nearest: 8x16");
  CHECK(refused({300, 16}, 16) == "no MMA reads 300 rows of M or N: 8 to 256 in steps of 8 / nearest: 256x16");
}

}  // namespace
}  // namespace swz
