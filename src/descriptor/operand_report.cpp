#include "descriptor/operand_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "descriptor/smem_lint.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

std::vector<ReadChunk> chunks_of(const OperandMap& map) {
  const std::int64_t elements = chunk.count * 8 / map.element_bits;
  const bool is_k = map.major == Major::K;
  const std::int64_t lines = is_k ? map.extents.mn : map.extents.k;
  const std::int64_t length = is_k ? map.extents.k : map.extents.mn;
  std::vector<ReadChunk> chunks;
  chunks.reserve(static_cast<std::size_t>(lines * ((length + elements - 1) / elements)));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < length; i += elements) {
      const TileCoordinate c = is_k ? TileCoordinate{line, i} : TileCoordinate{i, line};
      const Bytes size{std::min(elements, length - i) * map.element_bits / 8};
      chunks.push_back({c.row, c.k, Bytes{map.byte(c.row, c.k)}, size});
    }
  }
  std::unordered_map<std::int64_t, int> reads;
  for (const ReadChunk& one : chunks) ++reads[one.byte.count];
  for (ReadChunk& one : chunks) one.reads = reads[one.byte.count];
  return chunks;
}

constexpr Source map_source{"H200, 4608 wgmma descriptors; swz verify", Evidence::measured};
constexpr Source window_source{"swz arch targets", Evidence::derived};

std::vector<Finding> findings_of(const OperandReport& report) {
  std::vector<Finding> out;
  if (report.repeated) {
    const RepeatedReads& r = *report.repeated;
    out.push_back(lint(
        "repeated-reads",
        fmt::format("{} of {} elements are read from a place that another one is read from; the first: "
                    "({}, {}) and ({}, {}), both from {:#x}",
                    r.count, report.map.bytes.size(), r.first.row, r.first.k, r.second.row, r.second.k, r.byte),
        "a stride is smaller than what it steps over", to_string(map_source)));
  }
  if (!report.is_inside()) {
    const Bytes window = report.word.target().smem_window();
    out.push_back(lint("outside-smem",
                       fmt::format("the operand reaches {:#x}; shared memory of {} ends at {:#x}",
                                   report.highest.count, report.word.target().name, window.count),
                       report.word.kind() == SmemDescriptorKind::wgmma
                           ? "wgmma stops there with CUDA_ERROR_ILLEGAL_ADDRESS (measured on H200)"
                           : "what tcgen05 then does was not measured",
                       to_string(window_source)));
  }
  if (report.map.extents.k == 2 * dense_mma_k(report.map.element_bits))
    out.push_back(
        note("sparse-b",
             fmt::format("K {} is that of B in a sparse MMA: {} B of every row, where a dense one reads {}",
                         report.map.extents.k, longest_k.count, longest_k.count / 2),
             "", "H200, 1200 words of wgmma.mma_async.sp (measured)"));
  if (report.word.kind() == SmemDescriptorKind::tcgen05)
    out.push_back(note(
        "not-run", "which byte tcgen05 reads was not measured here: the rule is that of wgmma, measured on H200",
        "", "PTX ISA 9.1, 9.7.16.3 (documented)"));
  for (Finding& finding : lint(report.word))
    if (finding.severity != Severity::note) out.push_back(std::move(finding));
  return out;
}

}  // namespace

OperandReport operand_report(const SmemDescriptor& word, const OperandMap& map) {
  OperandReport out{word, map, chunks_of(map), {}, {}, {}, repeated_reads(map), {}};
  std::unordered_map<std::int64_t, std::int64_t> sizes;
  out.lowest = out.chunks.front().byte;
  for (const ReadChunk& one : out.chunks) {
    std::int64_t& size = sizes[one.byte.count];
    out.bytes.count += std::max<std::int64_t>(0, one.size.count - size);
    size = std::max(size, one.size.count);
    out.lowest = std::min(out.lowest, one.byte);
    out.highest = std::max(out.highest, Bytes{one.byte.count + one.size.count - 1});
  }
  out.findings = findings_of(out);
  return out;
}

void require_operand_rows(TileExtents extents, int element_bits) {
  const std::int64_t dense = dense_mma_k(element_bits);
  const std::int64_t rows =
      std::clamp((extents.mn + mma_mn_step / 2) / mma_mn_step * mma_mn_step, mma_mn_step, mma_mn_most);
  if (extents.k != dense && extents.k != 2 * dense)
    throw Error(
        fmt::format("no MMA reads K {} of {}-bit elements: {} (32 B of every row), or {} for B of a sparse one",
                    extents.k, element_bits, dense, 2 * dense),
        "nearest: " + to_string(TileExtents{rows, dense}));
  if (extents.mn != rows)
    throw Error(fmt::format("no MMA reads {} rows of M or N: {} to {} in steps of {}", extents.mn, mma_mn_step,
                            mma_mn_most, mma_mn_step),
                "nearest: " + to_string(TileExtents{rows, extents.k}));
}

}  // namespace swz
