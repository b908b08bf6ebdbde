// SPDX-License-Identifier: Apache-2.0
#include "descriptor/staged_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "arch/target.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/readable_mode.hpp"

namespace swz {
namespace {

using Modes = std::vector<Layout>;

Layout coalesced(const std::vector<Layout>& parts) {
  std::vector<FlatMode> leaves;
  for (const Layout& part : parts) leaves.insert(leaves.end(), part.modes().begin(), part.modes().end());
  return Layout(coalesce_modes(leaves));
}

// The offsets of all coordinates of these modes, the first mode fastest. Empty if there are too many.
std::vector<std::int64_t> offsets_of_modes(const Modes& modes) {
  const Layout layout = coalesced(modes);
  if (layout.size() > most_stages) return {};
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(layout.size()));
  tabulate(layout, offsets);
  return offsets;
}

bool has_repeats(const Layout& layout) {
  require_within(limits::known_values, layout.size());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(layout.size()));
  tabulate(layout, offsets);
  std::ranges::sort(offsets);
  return std::ranges::adjacent_find(offsets) != offsets.end();
}

std::vector<std::int64_t> distinct_starts(const StagedLayout& l) {
  std::vector<std::int64_t> starts = l.starts;
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

// Whether each stage begins after the end of the one before it.
bool are_apart(const StagedLayout& l) {
  const std::int64_t span = cosize(l.tile.layout());
  const std::vector<std::int64_t> starts = distinct_starts(l);
  return std::ranges::adjacent_find(starts, [&](std::int64_t a, std::int64_t b) { return b - a < span; }) ==
         starts.end();
}

// A cut of the layout into modes of MN, of K, and of stages. `starts` is empty if there are too many stages.
StagedLayout cut(const ComposedLayout& layout, std::string_view form, Layout mn, Layout k, const Modes& stages) {
  Modes modes{std::move(mn), std::move(k)};
  ComposedLayout tile = layout.with(make_layout(modes));
  modes.insert(modes.end(), stages.begin(), stages.end());
  return {.form = form,
          .tile = std::move(tile),
          .whole = layout.with(make_layout(modes)),
          .starts = offsets_of_modes(stages),
          .is_cut = true};
}

Modes modes_between(const Layout& layout, std::size_t first, std::size_t end) {
  Modes modes;
  for (std::size_t i = first; i < end; ++i) modes.push_back(mode(layout, i));
  return modes;
}

// All cuts, in the order of preference: the cut into MMAs comes before stages of one step.
std::vector<StagedLayout> cuts(const ComposedLayout& composed) {
  const Layout& l = composed.layout();
  const std::size_t n = rank(l);
  std::vector<StagedLayout> found;
  found.push_back(cut(composed, "(MN,K,STAGE)", mode(l, 0), mode(l, 1), modes_between(l, 2, n)));
  if (const Layout mma = mode(l, 0); rank(mma) == 2) {
    StagedLayout partitioned =
        cut(composed, n > 3 ? "((MMA),MN,K,STAGE)" : "((MMA),MN,K)", coalesced({mode(mma, 0), mode(l, 1)}),
            coalesced({mode(mma, 1), mode(l, 2)}), modes_between(l, 3, n));
    partitioned.is_partitioned = true;
    // A third mode that steps over nothing is not a stage of (MN,K,STAGE).
    const bool is_first = found[0].stage_count() < 2 || found[0].is_one_buffer();
    found.insert(is_first ? found.begin() : found.end(), std::move(partitioned));
  }
  found.push_back(cut(composed, "(STAGE,MN,K)", mode(l, n - 2), mode(l, n - 1), modes_between(l, 0, n - 2)));
  return found;
}

bool is_possible(const StagedLayout& l) {
  return !l.starts.empty() && are_apart(l) && (!l.is_partitioned || !has_repeats(l.tile.layout()));
}

const DType* type_of_width(const DType& dtype) {
  const DType* type = readable_dtype(dtype.memory_bits);
  return type != nullptr ? type : &dtype;
}

bool is_read(const StagedLayout& l, const DType& dtype) {
  return !readable_modes(l.tile.plain(), *type_of_width(dtype)).empty();
}

std::string cut_text(const StagedLayout& l) { return fmt::format("{}, {}", l.form, to_string(l.tile)); }

[[noreturn]] void refuse_overlap(const ComposedLayout& layout, const StagedLayout& l) {
  if (l.starts.empty())
    throw Error(fmt::format("the modes of {} beyond (MN,K) have more than {} steps: these are not stages",
                            to_string(layout), most_stages),
                "take one: (LAYOUT)(_,_,0)");
  const std::vector<std::int64_t> starts = distinct_starts(l);
  const std::int64_t span = cosize(l.tile.layout());
  const auto at = std::ranges::adjacent_find(starts, [&](std::int64_t a, std::int64_t b) { return b - a < span; });
  if (at == starts.end())
    throw Error(fmt::format("elements of {} share their place", to_string(l.tile.layout())),
                "an operand holds every element once");
  throw Error(fmt::format("the stages overlap: one begins {} elements after another, whose tile spans {}",
                          *(at + 1) - *at, span),
              fmt::format("the stride of a stage is at least {}; or take one: (LAYOUT)(_,_,0)", span));
}

}  // namespace

bool StagedLayout::is_one_buffer() const {
  return starts.size() > 1 && std::ranges::all_of(starts, [&](std::int64_t s) { return s == starts[0]; });
}

StagedLayout staged_layout(const ComposedLayout& layout, const DType* dtype) {
  if (rank(layout.layout()) < 3) return {.tile = layout, .whole = layout};
  std::vector<StagedLayout> possible = cuts(layout);
  const StagedLayout named = possible[0];
  std::erase_if(possible, [](const StagedLayout& l) { return !is_possible(l); });
  if (possible.empty()) refuse_overlap(layout, named);
  if (possible.size() == 1) return std::move(possible[0]);
  std::vector<StagedLayout> read;
  if (dtype != nullptr)
    std::ranges::copy_if(possible, std::back_inserter(read), [&](const StagedLayout& l) { return is_read(l, *dtype); });
  if (read.size() > 1)
    throw Error(fmt::format("the layout can be cut in two ways, and MMAs read both: as {}; as {}", cut_text(read[0]),
                            cut_text(read[1])),
                "group the modes that belong together, or take one stage: (LAYOUT)(_,_,0)");
  if (read.size() == 1) return std::move(read[0]);
  possible[0].other = cut_text(possible[1]);
  return std::move(possible[0]);
}

StagedLayout repeated_layout(const ComposedLayout& layout, std::int64_t count) {
  StagedLayout l{.form = "(STAGE,MN,K)", .tile = layout, .whole = layout, .starts = {}};
  const std::int64_t span = cosize(layout.layout());
  for (std::int64_t i = 0; i < std::min(count, most_stages); ++i) l.starts.push_back(checked_mul(i, span));
  return l;
}

ComposedLayout layout_of_stage(const StagedLayout& l, std::size_t i) {
  const ComposedLayout tile = l.tile.plain();
  return ComposedLayout(tile.swizzle(), tile.offset() + l.starts[i], tile.layout());
}

std::int64_t stage_bytes(const StagedLayout& l, int element_bits) {
  return ceil_div(checked_mul(cosize(l.tile.layout()), element_bits), std::int64_t{8});
}

std::string stages_text(const StagedLayout& l, int element_bits) {
  const std::int64_t bytes = stage_bytes(l, element_bits);
  std::string text = fmt::format("{} of {} B", plural(l.stage_count(), "stage"), bytes);
  if (l.is_one_buffer()) return text + " in one buffer: their stride is 0";
  const std::vector<std::int64_t> starts = distinct_starts(l);
  if (starts.size() < 2) return text;
  if (starts.size() < l.starts.size()) text += fmt::format(" in {} buffers", starts.size());
  const std::int64_t apart = (starts[1] - starts[0]) * element_bits / 8;
  if (apart != bytes) text += fmt::format(", {} B apart", apart);
  return text;
}

std::string stage_reason(const StagedLayout& l, const SwizzleMode& mode, int element_bits) {
  const std::int64_t most = require_target("sm_90a").max_smem_per_cta.count;
  for (std::size_t i = 1; i < l.starts.size(); ++i) {
    const std::int64_t bits = checked_mul(l.starts[i], element_bits);
    if (bits % (mode.pattern().count * 8) != 0)
      return fmt::format(
          "stage {} begins {} B after the first, which is not a multiple of the {} B after which the "
          "pattern of mode {} repeats",
          i, bits / 8, mode.pattern().count, mode.name);
    if (bits / 8 + stage_bytes(l, element_bits) > most)
      return fmt::format("stage {} ends at {} B; a CTA has at most {} B (227 KiB) of shared memory", i,
                         bits / 8 + stage_bytes(l, element_bits), most);
  }
  return {};
}

}  // namespace swz
