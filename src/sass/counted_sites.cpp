// SPDX-License-Identifier: Apache-2.0
#include "sass/counted_sites.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/mangled_name.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// What is predicted of one warp: a number, or bounds.
struct Prediction {
  double least = 0, most = 0;
  bool is_bound = false;  // for all lanes, some of which may not execute it
};

// The warps of which at least one thread executed the instruction are between these.
struct Warps {
  double fewest = 0, most = 0;
};
Warps warps_with_threads(const CountedInstruction& counted) {
  return {static_cast<double>((counted.threads + 31) / 32),
          static_cast<double>(std::min(counted.warps, counted.threads))};
}

CountVerdict verdict_of(const Prediction& predicted, const CountedInstruction& counted, std::uint64_t count) {
  constexpr double rounding = 1e-6;
  const Warps warps = warps_with_threads(counted);
  const auto is = static_cast<double>(count);
  if (predicted.least * warps.fewest - rounding <= is && is <= predicted.most * warps.most + rounding)
    return CountVerdict::equal;
  if (predicted.is_bound && is <= predicted.most * warps.most + rounding) return CountVerdict::at_most;
  return CountVerdict::differs;
}

const CountedInstruction* find_counted(const CountedKernel& kernel, std::uint64_t offset) {
  const auto found = std::ranges::lower_bound(kernel.instructions, offset, {}, &CountedInstruction::offset);
  return found != kernel.instructions.end() && found->offset == offset ? &*found : nullptr;
}

SiteCount count_of(const CountedInstruction& counted, std::uint64_t count, const std::optional<Prediction>& predicted) {
  SiteCount out{counted.warps, counted.threads, count, CountVerdict::not_stated};
  if (counted.threads == 0) out.verdict = CountVerdict::not_executed;
  else if (predicted) out.verdict = verdict_of(*predicted, counted, count);
  return out;
}

// The first site of which the pages have no instruction, or another one; empty: they have all.
std::string first_difference(const CountedKernel& kernel, const KernelReport& report) {
  std::string found;
  const auto compare = [&](const auto& sites) {
    for (const PtxSite& site : sites) {
      const CountedInstruction* counted = find_counted(kernel, site.offset);
      if (!found.empty() || (counted != nullptr && counted->opcode == site.written)) continue;
      found = fmt::format("{:#06x} is {} there, and {} in the code", site.offset,
                          counted == nullptr ? "nothing" : counted->opcode, site.written);
    }
  };
  compare(report.mma);
  compare(report.smem);
  compare(report.gmem);
  return found;
}

}  // namespace

const CountedKernel& matching_counts(const std::vector<CountedKernel>& kernels, const KernelReport& report) {
  std::string nearest;
  for (const CountedKernel& kernel : kernels) {
    const std::string difference = first_difference(kernel, report);
    if (difference.empty()) return kernel;
    if (nearest.empty() || kernel.name == report.name)
      nearest = fmt::format("of {}, {}", name_path(kernel.name), difference);
  }
  throw Error(fmt::format("no page of Nsight Compute is of {}: {}", quoted(name_path(report.name)), nearest),
              "the pages must be of this build of the kernel; without FILE's code, swz kernel PAGES.csv reads theirs");
}

void add_counts(KernelReport& report, const CountedKernel& kernel) {
  const bool retries = std::ranges::any_of(kernel.instructions, [](const CountedInstruction& instruction) {
    return instruction.opcode.find("SPIN") != instruction.opcode.npos;
  });
  for (SmemSite& site : report.smem) {
    const CountedInstruction* counted = find_counted(kernel, site.offset);
    if (counted == nullptr || !counted->wavefronts) continue;
    std::optional<Prediction> predicted;
    if (site.wavefronts) predicted = {*site.wavefronts, *site.wavefronts, site.counts_all_lanes || site.may_shrink};
    site.counted = count_of(*counted, *counted->wavefronts, predicted);
    if (site.counted->verdict != CountVerdict::differs) continue;
    if (site.written.starts_with("LDGSTS")) site.counted->verdict = CountVerdict::global_lines;
    else if (retries) site.counted->verdict = CountVerdict::retried;
  }
  for (GmemSite& site : report.gmem) {
    const CountedInstruction* counted = find_counted(kernel, site.offset);
    if (counted == nullptr || !counted->sectors) continue;
    std::optional<Prediction> predicted;
    if (site.sectors) predicted = {*site.sectors, site.most.value_or(1e300), site.counts_all_lanes};
    site.counted = count_of(*counted, *counted->sectors, predicted);
  }
}

}  // namespace swz
