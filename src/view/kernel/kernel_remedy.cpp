// SPDX-License-Identifier: Apache-2.0
// Which lanes collide in an access, the swizzle under which no access to its array has a conflict, and the picture of
// both:
//
//   collision  line 78: lanes 0-31 meet in bank 0 with 32 words
//   swizzle    Sw<5,2,5> on byte addresses: no conflict in the worst warp of each of 8 accesses
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "smem/swizzle_find.hpp"
#include "view/banks/banks.hpp"
#include "view/banks/moved_lanes.hpp"
#include "view/kernel/kernel_parts.hpp"
#include "view/layout/swizzle.hpp"

namespace swz {

namespace {

// For the group of lanes that needs the most passes.
std::string collision_text(const AccessPattern& pattern) {
  const std::vector<WavefrontGroup> groups = wavefront_groups(pattern);
  const WavefrontGroup& worst = *std::ranges::max_element(groups, {}, &WavefrontGroup::passes);
  const BankUse& bank = *std::ranges::max_element(worst.banks, {}, [](const BankUse& one) { return one.words.size(); });
  std::uint32_t lanes = 0;
  for (const WordUse& word : bank.words) lanes |= word.lanes;
  return fmt::format("lanes {} meet in bank {} with {} words", lanes_text(lanes), bank.bank, bank.words.size());
}

// Those with a conflict come first, as they refuse most swizzles.
std::vector<AccessPattern> patterns_of_array(const KernelReport& kernel, std::string_view array) {
  constexpr std::size_t most_patterns = 1024;
  std::vector<AccessPattern> patterns;
  for (const bool conflicts : {true, false})
    for (const SmemSite& one : kernel.smem)
      if (one.worst && one.address.symbol == array && (*one.wavefronts > *one.ideal) == conflicts &&
          patterns.size() < most_patterns)
        patterns.push_back(*one.worst);
  return patterns;
}

std::string remedy_text(const std::vector<AccessPattern>& patterns, const std::optional<Swizzle>& swizzle) {
  if (!swizzle) return "no Swizzle<B,M,S> on byte addresses: pad the rows, or swz swizzle find for other maps";
  const SwizzleMode* mode = hardware_mode(*swizzle);
  return fmt::format("{} on byte addresses{}: no conflict in the worst warp of {}", to_string(*swizzle),
                     mode != nullptr ? fmt::format(", mode {}", mode->name) : "",
                     patterns.size() == 1 ? "it" : fmt::format("each of {} accesses", patterns.size()));
}

// " Lines 78, 81 and 84 have conflicts, too."
std::string other_conflicts(const KernelReport& kernel, const SmemSite& site) {
  constexpr std::size_t most_lines = 8;
  std::vector<std::string> lines;
  for (const SmemSite& other : kernel.smem)
    if (&other != &site && other.wavefronts && *other.wavefronts > *other.ideal)
      lines.push_back(std::to_string(other.line));
  if (lines.empty()) return "";
  if (lines.size() > most_lines) return fmt::format(" {} other accesses have conflicts, too.", lines.size());
  return fmt::format(" {} {} {} conflicts, too.", lines.size() == 1 ? "Line" : "Lines", join_and(lines),
                     lines.size() == 1 ? "has" : "have");
}

// "transpose::tile begins at 0x400"
std::string array_text(const KernelReport& kernel, const SmemSite& site) {
  const std::string name = readable(std::string(site.address.symbol));
  for (const SharedArray& array : kernel.shared)
    if (array.name == site.address.symbol && array.begin) return fmt::format("{} begins at {:#x}", name, *array.begin);
  return "the beginning of " + name + " is assumed";
}

}  // namespace

void add_remedy(Document& d, const KernelReport& kernel, const SmemSite& site) {
  if (!site.worst || *site.wavefronts <= *site.ideal || count_wavefronts(*site.worst).excess() == 0) return;
  d.line("collision", fmt::format("line {}: {}", site.line, collision_text(*site.worst)), Tone::bad);
  const std::vector<AccessPattern> patterns = patterns_of_array(kernel, site.address.symbol);
  d.line("swizzle", remedy_text(patterns, find_swizzle(patterns)));
}

std::optional<Figure> conflict_figure(const KernelReport& kernel) {
  if (!kernel.conflict) return {};
  const SmemSite& site = kernel.smem[*kernel.conflict];
  if (!site.worst || count_wavefronts(*site.worst).excess() == 0) return {};
  const std::vector<AccessPattern> patterns = patterns_of_array(kernel, site.address.symbol);
  const std::optional<Swizzle> swizzle = find_swizzle(patterns);
  MovedLanes lanes{worst_group_of(*site.worst)};
  lanes.before = fmt::format("line {}", site.line);
  if (swizzle) {
    lanes.moved = site.worst;
    for (std::uint32_t& address : lanes.moved->address) address = static_cast<std::uint32_t>((*swizzle)(address));
    lanes.after = fmt::format("with {}", to_string(*swizzle));
  }
  Figure figure = moved_lanes_figure(lanes);
  // That lanes collide, and where, is drawn.
  figure.caption +=
      fmt::format(" {}. {}{}.{}", array_text(kernel, site),
                  swizzle ? "" : "The way out: ", remedy_text(patterns, swizzle), other_conflicts(kernel, site));
  return figure;
}

}  // namespace swz
