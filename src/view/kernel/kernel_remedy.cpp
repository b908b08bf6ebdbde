// SPDX-License-Identifier: Apache-2.0
// Which lanes collide in an access, and the swizzle under which no access to its array has a conflict:
//
//   collision  line 78: lanes 0-31 meet in bank 0 with 32 words
//   swizzle    Sw<5,2,5> on byte addresses: no conflict in the worst warp of each of 8 accesses
#include <fmt/format.h>

#include <algorithm>

#include "smem/swizzle_find.hpp"
#include "view/banks/banks.hpp"
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

std::string remedy_text(const std::vector<AccessPattern>& patterns) {
  const auto swizzle = find_swizzle(patterns);
  if (!swizzle) return "no Swizzle<B,M,S> on byte addresses: pad the rows, or swz swizzle find for other maps";
  const SwizzleMode* mode = hardware_mode(*swizzle);
  return fmt::format("{} on byte addresses{}: no conflict in the worst warp of {}", to_string(*swizzle),
                     mode != nullptr ? fmt::format(", mode {}", mode->name) : "",
                     patterns.size() == 1 ? "it" : fmt::format("each of {} accesses", patterns.size()));
}

}  // namespace

void add_remedy(Document& d, const KernelReport& kernel, const SmemSite& site) {
  if (!site.worst || *site.wavefronts <= *site.ideal || count_wavefronts(*site.worst).excess() == 0) return;
  d.line("collision", fmt::format("line {}: {}", site.line, collision_text(*site.worst)), Tone::bad);
  d.line("swizzle", remedy_text(patterns_of_array(kernel, site.address.symbol)));
}

}  // namespace swz
