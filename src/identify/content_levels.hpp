// SPDX-License-Identifier: Apache-2.0
// ContentLevels: tries possible contents of a dump in the order in which they are believed. The dump is a `Source`.
//
//   i itself, as bits and as a value; then aranges of any start and step; then codes of row and k
//
// The answer is all contents of the first level that explain every element: a dump in which each row repeats one
// number is both `row`, K-major, and `k`, MN-major. Mistakes are searched for only if no content explains the dump: in
// i, and in contents of which most is in the dump.
//
// A Source is one reading of the dump. It has these functions:
//   NumberMeaning meaning() const
//   double share(const TileContent&, double least)    the share of sampled elements that the dump contains; 0 if below
//                                                     `least`
//   std::vector<TileContent> proposed(As) const       contents that the numbers in the dump suggest
//   Found identify(const LogicalTile&, Effort) const  TileIdentification or RegisterIdentification
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "arch/mistake.hpp"
#include "identify/dump_text.hpp"
#include "identify/tile_content.hpp"

namespace swz {

template <class Found>
struct ContentAnswer {
  std::size_t reading = 0;
  TileContent content;
  LogicalTile expected;
  Found found;
};

template <class Source, class Found>
class ContentLevels {
 public:
  using Answer = ContentAnswer<Found>;
  using As = TileContent::As;

  // `type` is that of the elements in the dump, `dtype` that of their values.
  ContentLevels(const std::vector<Source>& sources, const ElementType& type, const DType& dtype, TileExtents extents)
      : sources_(sources), type_(type), dtype_(dtype), extents_(extents) {}

  // The first is the answer; the others explain the dump as well.
  std::vector<Answer> answers() const {
    std::vector<Asked> numbered;
    for_each_meaning([&](std::size_t reading, As as) {
      for (const TileContent& content : numbered_contents(dtype_, extents_, as)) numbered.push_back({reading, content});
    });
    if (auto found = exact_of(numbered); !found.empty()) return found;
    std::vector<std::vector<Asked>> levels(2);
    for_each_meaning([&](std::size_t reading, As as) {
      std::vector<TileContent> contents = sources_[reading].proposed(as);
      for (const TileContent& usual : usual_contents(dtype_, extents_, as)) contents.push_back(usual);
      const auto by_level = by_plausibility(std::move(contents), extents_);
      for (std::size_t level = 0; level < levels.size(); ++level)
        for (const TileContent& content : by_level[level]) levels[level].push_back({reading, content});
    });
    for (const std::vector<Asked>& level : levels)
      if (auto found = exact_of(level); !found.empty()) return found;
    return {nearest(numbered, levels)};
  }

 private:
  struct Asked {
    std::size_t reading = 0;
    TileContent content;
  };

  template <class Take>
  void for_each_meaning(const Take& take) const {
    const bool has_values = find_float_format(dtype_.name) != nullptr;
    for (std::size_t reading = 0; reading < sources_.size(); ++reading) {
      if (!has_values || sources_[reading].meaning() == NumberMeaning::bits) take(reading, As::bits);
      if (has_values) take(reading, As::values);
    }
  }
  std::optional<Answer> identified(const Asked& asked, Effort effort) const {
    auto tile = content_tile(type_, extents_, asked.content);
    if (!tile) return std::nullopt;
    Found found = sources_[asked.reading].identify(*tile, effort);
    // If the type hardly distinguishes the numbers, a difference in a few places may also mean other numbers.
    const bool tells_apart = asked.content.as == As::bits || distinct_values(*tile) * 4 >= tile->elements();
    const auto is_told = [&](std::string_view name) { return found.mistake && found.mistake->name == name; };
    if (!tells_apart &&
        (is_told(mistake::stale) || is_told(mistake::wrong_lane) || is_told(mistake::strides_exchanged)))
      found.mistake.reset();
    return Answer{asked.reading, asked.content, std::move(*tile), std::move(found)};
  }
  std::vector<Answer> exact_of(const std::vector<Asked>& all) const {
    constexpr std::size_t most_tried = 16;
    std::vector<Answer> exact;
    std::size_t tried = 0;
    for (const Asked& asked : all) {
      if (sources_[asked.reading].share(asked.content, 1) < 1) continue;
      if (tried++ == most_tried) break;
      auto answer = identified(asked, Effort::exact_only);
      // Contents that differ only beyond the range of the type may be the same in this tile.
      const auto is_same = [&](const Answer& other) {
        return other.reading == asked.reading && other.expected.values == answer->expected.values;
      };
      if (answer && answer->found.is_exact && std::ranges::none_of(exact, is_same)) exact.push_back(std::move(*answer));
    }
    return exact;
  }
  // The content that a mistake explains, otherwise the nearest one.
  Answer nearest(const std::vector<Asked>& numbered, const std::vector<std::vector<Asked>>& levels) const {
    constexpr std::size_t most_explained = 4;
    std::vector<std::pair<double, Asked>> all;
    const auto consider = [&](const Asked& asked, double least) {
      if (const double share = sources_[asked.reading].share(asked.content, least); share >= least)
        all.emplace_back(share, asked);
    };
    for (const Asked& asked : numbered) consider(asked, 0);
    // A content that the data suggest by chance must not produce a mistake: most of it is there, and it distinguishes
    // the elements.
    for (const std::vector<Asked>& level : levels)
      for (const Asked& asked : level)
        if (asked.content.modulo == 0 && asked.content.row_step != 0 && asked.content.k_step != 0)
          consider(asked, 0.75);
    std::ranges::stable_sort(all, std::greater{}, [](const auto& a) { return a.first; });
    std::optional<Answer> best;
    for (std::size_t i = 0; i < std::min(all.size(), most_explained); ++i) {
      auto answer = identified(all[i].second, Effort::with_mistakes);
      if (answer && answer->found.mistake) return std::move(*answer);
      if (answer && (!best || answer->found.matching > best->found.matching)) best = std::move(answer);
    }
    return best ? std::move(*best) : *identified(numbered.front(), Effort::with_mistakes);
  }

  const std::vector<Source>& sources_;
  const ElementType& type_;
  const DType& dtype_;
  TileExtents extents_;
};

}  // namespace swz
