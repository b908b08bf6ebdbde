// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel an SM holds, in words:
//
//   occupancy  16 of 64 warps on an SM: 2 blocks, limited by registers; others allow shared memory 5, threads 8
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

constexpr std::string_view words_of(OccupancyLimit limit) {
  return limit == OccupancyLimit::shared_memory ? "shared memory" : to_string(limit);
}

// "; others allow shared memory 5, threads 8": the limits above what is reached, the closest first.
std::string others_text(const Occupancy& occupancy) {
  std::vector<OccupancyLimit> others;
  for (const OccupancyLimit limit : occupancy_limits)
    if (limit != OccupancyLimit::blocks && occupancy.allowed_by(limit).value_or(0) > occupancy.blocks)
      others.push_back(limit);
  std::ranges::stable_sort(others, {}, [&](OccupancyLimit limit) { return *occupancy.allowed_by(limit); });
  std::string out;
  for (const OccupancyLimit limit : others)
    out +=
        fmt::format("{}{} {}", out.empty() ? "; others allow " : ", ", words_of(limit), *occupancy.allowed_by(limit));
  return out;
}

std::string assumed_text(const BuiltKernel& built, const KernelReport& kernel) {
  std::string out;
  if (kernel.threads_are_most) out += "; with all its threads";
  if (!built.dynamic_shared) out += "; without dynamic shared memory (--dynamic-smem)";
  return out;
}

}  // namespace

std::optional<Occupancy> occupancy_of(const BuiltKernel& built, const KernelReport& kernel) {
  const KernelResources& r = built.resources;
  if (kernel.target == nullptr || !kernel.threads || !r.registers || built.is_relocatable) return std::nullopt;
  const auto& t = *kernel.threads;
  const std::uint64_t shared = r.static_shared + built.dynamic_shared.value_or(0);
  return occupancy(*kernel.target, {.threads = static_cast<int>(t[0] * t[1] * t[2]),
                                    .registers = static_cast<int>(*r.registers),
                                    .shared = Bytes{static_cast<std::int64_t>(shared)},
                                    .barriers = static_cast<int>(r.barriers.value_or(0))});
}

Json occupancy_json(const std::optional<Occupancy>& occupancy) {
  if (!occupancy) return nullptr;
  Json allowed = Json::object();
  for (const OccupancyLimit limit : occupancy_limits)
    allowed[std::string(to_string(limit))] = occupancy->allowed_by(limit);
  return {
      {"blocks", occupancy->blocks},
      {"warps", occupancy->warps},
      {"max_warps", occupancy->most_warps},
      {"limited_by", json_list(occupancy->limited_by(), [](OccupancyLimit limit) { return Json(to_string(limit)); })},
      {"allowed", allowed}};
}

std::string occupancy_text(const BuiltKernel& built, const KernelReport& kernel) {
  const std::optional<Occupancy> of = occupancy_of(built, kernel);
  if (!of) {
    if (built.is_relocatable) return "not known before nvlink adds what the kernel calls";
    return kernel.threads ? fmt::format("not known for {}", kernel.target_name) : "not known: pass --threads";
  }
  std::vector<std::string_view> limits;
  for (const OccupancyLimit limit : of->limited_by()) limits.push_back(words_of(limit));
  return fmt::format("{} of {} on an SM: {}, limited by {}{}{}", of->warps, plural(of->most_warps, "warp"),
                     plural(of->blocks, "block"), fmt::join(limits, " and "), others_text(*of),
                     assumed_text(built, kernel));
}

}  // namespace swz
