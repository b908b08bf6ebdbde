// SPDX-License-Identifier: Apache-2.0
#include "descriptor/operand_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

void require_mappable(const SmemDescriptor& d, TileExtents extents, int element_bits, Major major) {
  const SwizzleMode& mode = require_swizzle(d);
  if (major == Major::K && mode.family == SwizzleFamily::chunk_32)
    throw Error(
        "what a K-major operand reads in mode 128B_32B is not defined",
        "MN-major tf32 is defined; K-major is disputed: PTX table 54 allows it, table 55 and CUTLASS have no such "
        "atom");
  if (d.absolute_lbo())
    throw Error("operands with an absolute LBO (K of 48 B, sm_103a) are not mapped", "words with a relative LBO are");
  if (element_bits < 1 || chunk.count * 8 % element_bits != 0)
    throw Error(fmt::format("a 16-byte chunk does not hold whole elements of {} bits", element_bits),
                "element sizes are 1, 2, 4, 8, ... 128 bits");
  constexpr std::int64_t limit = operand_map_limit;
  if (extents.mn < 1 || extents.k < 1 || extents.mn > limit || extents.k > limit || extents.mn * extents.k > limit)
    throw Error(fmt::format("an operand of {} elements cannot be mapped", to_string(extents)),
                fmt::format("both extents are 1 or more, and their product at most {}", limit));
}

// ---- the report

std::vector<ReadChunk> chunks_of(const OperandMap& map) {
  const std::int64_t elements = chunk.count * 8 / map.element_bits;
  const std::int64_t lines = map.extents.along(other_major(map.major)), length = map.extents.along(map.major);
  std::vector<ReadChunk> chunks;
  chunks.reserve(static_cast<std::size_t>(lines * ((length + elements - 1) / elements)));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < length; i += elements) {
      const TileCoordinate c = map.major == Major::K ? TileCoordinate{line, i} : TileCoordinate{i, line};
      const Bytes size{std::min(elements, length - i) * map.element_bits / 8};
      chunks.push_back({c.row, c.k, Bytes{map.byte(c.row, c.k)}, size});
    }
  }
  return chunks;
}

constexpr Source map_source{"H200, 4608 wgmma descriptors; swz verify", Evidence::measured};
constexpr Source window_source{"swz arch targets", Evidence::derived};

std::vector<Finding> findings_of(const OperandReport& report) {
  std::vector<Finding> out;
  if (report.repeated) {
    const RepeatedReads& r = *report.repeated;
    out.push_back(
        lint("repeated-reads",
             fmt::format("{} of {} elements are read from a place that another one is read from; the first: "
                         "({}, {}) and ({}, {}), both from {:#x}",
                         r.count, report.map.places.size(), r.first.row, r.first.k, r.second.row, r.second.k, r.byte),
             "a stride is smaller than what it steps over", to_string(map_source)));
  }
  if (!report.is_inside()) {
    const Bytes window = report.word.target().smem_window();
    out.push_back(lint("outside-smem",
                       fmt::format("the operand reaches {:#x}; shared memory of {} ends at {:#x}", report.highest.count,
                                   report.word.target().name, window.count),
                       report.word.kind() == SmemDescriptorKind::wgmma
                           ? "wgmma stops there with CUDA_ERROR_ILLEGAL_ADDRESS (measured on H200)"
                           : "what tcgen05 then does was not measured",
                       to_string(window_source)));
  }
  if (report.map.extents.k == 2 * dense_mma_k(report.map.element_bits))
    out.push_back(note("sparse-b",
                       fmt::format("K {} is that of B in a sparse MMA{}: {} B of every row, where a dense one reads {}",
                                   report.map.extents.k,
                                   report.word.target().has_107_fields && report.map.element_bits <= 8
                                       ? ", or of a dense one with twice the K of its kind"
                                       : "",
                                   longest_k.count, longest_k.count / 2),
                       "", "H200, 1200 words of wgmma.mma_async.sp (measured)"));
  if (report.word.kind() == SmemDescriptorKind::tcgen05)
    out.push_back(note("not-run",
                       "which byte tcgen05 reads was not measured here: the rule is that of wgmma, measured on H200",
                       "", "PTX ISA 9.1, 9.7.16.3 (documented)"));
  for (Finding& finding : lint(report.word))
    if (finding.severity != Severity::note) out.push_back(std::move(finding));
  return out;
}

}  // namespace

const SwizzleMode& require_swizzle(const SmemDescriptor& descriptor) {
  if (const SwizzleMode* mode = descriptor.swizzle()) return *mode;
  throw Error(fmt::format("swizzle code {} is illegal: the word reads nothing", descriptor.raw(FieldId::swizzle)),
              "swz decode lists what is wrong with a word");
}

OperandOffsets operand_offsets(const SmemDescriptor& d, TileExtents extents, int element_bits, Major major) {
  const SwizzleMode& mode = *d.swizzle();
  const std::int64_t span = mode.span.count * 8;
  const std::int64_t lbo = d.leading_byte_offset().count * 8, sbo = d.stride_byte_offset().count * 8;

  // Across the lines: line i of W bytes (none: 16), and `next` to the next group of 8 (128B_32B: 4).
  const auto across = [&](std::int64_t extent, std::int64_t next) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < extent; ++i) out.push_back(i % mode.lines * span + i / mode.lines * next);
    return out;
  };
  // Along a line: W bytes are contiguous, then `next` from their start to the next ones.
  const auto along = [&](std::int64_t extent, std::int64_t next) {
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < extent; ++i) out.push_back(i * element_bits % span + i * element_bits / span * next);
    return out;
  };
  if (major == Major::K) return {across(extents.mn, sbo), along(extents.k, lbo)};
  // For MN-major without a swizzle the two strides exchange their roles.
  const bool is_plain = mode.bits == 0;
  return {along(extents.mn, is_plain ? sbo : lbo), across(extents.k, is_plain ? lbo : sbo)};
}

OperandMap operand_map(const SmemDescriptor& descriptor, TileExtents extents, int element_bits, Major major) {
  require_mappable(descriptor, extents, element_bits, major);
  const SwizzleMode& mode = require_swizzle(descriptor);
  const OperandOffsets offset = operand_offsets(descriptor, extents, element_bits, major);
  const std::int64_t start = descriptor.start_address().count * 8, base_offset = descriptor.base_offset();

  OperandMap map{extents, element_bits, major, {}};
  map.places.reserve(static_cast<std::size_t>(extents.mn * extents.k));
  for (const std::int64_t row : offset.along_mn)
    for (const std::int64_t k : offset.along_k) map.places.push_back(mode.bit(start + row + k, base_offset));
  return map;
}

std::vector<std::int64_t> OperandMap::bytes() const {
  std::vector<std::int64_t> out = places;
  for (std::int64_t& place : out) place >>= 3;
  return out;
}

std::optional<RepeatedReads> repeated_reads(const OperandMap& map) {
  const auto coordinate = [&](std::int64_t i) { return TileCoordinate{i / map.extents.k, i % map.extents.k}; };
  std::unordered_map<std::int64_t, std::int64_t> first_at;  // place -> element
  first_at.reserve(map.places.size());
  std::optional<RepeatedReads> repeated;
  for (std::int64_t i = 0; i < std::ssize(map.places); ++i) {
    const std::int64_t place = map.places[static_cast<std::size_t>(i)];
    const auto [first, is_new] = first_at.try_emplace(place, i);
    if (is_new) continue;
    if (!repeated) repeated = {0, coordinate(first->second), coordinate(i), place / 8};
    ++repeated->count;
  }
  return repeated;
}

OperandReport operand_report(const SmemDescriptor& word, const OperandMap& map) {
  OperandReport out{word, map, chunks_of(map), {}, {}, {}, repeated_reads(map), {}};
  struct Place {
    int reads = 0;
    Bytes size;
  };
  std::unordered_map<std::int64_t, Place> places;
  out.lowest = out.chunks.front().byte;
  for (const ReadChunk& one : out.chunks) {
    Place& place = places[one.byte.count];
    ++place.reads;
    place.size = std::max(place.size, one.size);
    out.lowest = std::min(out.lowest, one.byte);
    out.highest = std::max(out.highest, Bytes{one.byte.count + one.size.count - 1});
  }
  for (ReadChunk& one : out.chunks) one.reads = places[one.byte.count].reads;
  for (const auto& [byte, place] : places) out.bytes.count += place.size.count;
  out.findings = findings_of(out);
  return out;
}

void require_operand_rows(TileExtents extents, int element_bits) {
  const std::int64_t dense = dense_mma_k(element_bits);
  const std::int64_t rows =
      std::clamp((extents.mn + mma_mn_step / 2) / mma_mn_step * mma_mn_step, mma_mn_step, mma_mn_most);
  if (extents.k != dense && extents.k != 2 * dense)
    throw Error(fmt::format("no MMA reads K {} of {}-bit elements: {} (32 B of every row), or {} for B of a sparse one",
                            extents.k, element_bits, dense, 2 * dense),
                "nearest: " + to_string(TileExtents{rows, dense}));
  if (extents.mn != rows)
    throw Error(fmt::format("no MMA reads {} rows of M or N: {} to {} in steps of {}", extents.mn, mma_mn_step,
                            mma_mn_most, mma_mn_step),
                "nearest: " + to_string(TileExtents{rows, extents.k}));
}

}  // namespace swz
