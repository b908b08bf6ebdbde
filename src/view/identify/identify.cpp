// SPDX-License-Identifier: Apache-2.0
#include "view/identify/identify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "tma/plan.hpp"
#include "view/document/headline.hpp"
#include "view/identify/dump_figure.hpp"
#include "view/tile/place.hpp"

namespace swz {

namespace {

Json major_json(Major major) { return direction_name(major); }

Json layout_json(const SmemTile& tile, Bytes address) {
  const auto layout = dump_layout(tile, address);
  return layout ? Json(to_string(*layout)) : Json();
}

Json candidate_json(const SmemTile& tile, Bytes address) {
  return {{"swizzle", tile.swizzle().name},
          {"major", major_json(tile.major())},
          {"order", to_string(tile.order())},
          {"base", tile.base().count - address.count},
          {"layout", layout_json(tile, address)}};
}

std::string tile_text(const SmemTile& tile) {
  return fmt::format("{} {}, {}, mode {}, {}", tile.dtype().name, to_string(tile.extents()), to_string(tile.major()),
                     tile.swizzle().name, to_string(tile.order()));
}

std::string base_text(const SmemTile& tile, Bytes address) {
  const std::int64_t phase = tile.base().count % tile.swizzle().pattern().count;
  return fmt::format("byte {} of the dump, address {:#x}{}", tile.base().count - address.count, tile.base().count,
                     phase == 0 ? "" : fmt::format(", {} B after the beginning of the swizzle pattern", phase));
}

void add_words(Document& d, const SmemTile& tile, const Target& target) {
  Json words = Json::array();
  std::string text;
  try {
    const TileDescriptors all = tile_descriptors(tile, target, OperandRole::a);
    for (const MmaStep& step : all.steps) words.push_back(hex64(step.descriptor.word()));
    text = fmt::format("{} on {}, {} of {}; LBO {} B, SBO {} B", hex64(all.steps.front().descriptor.word()),
                       target.name, plural(std::ssize(all.steps), "word"), to_string(all.mma), all.leading.value.count,
                       all.stride.value.count);
  } catch (const Error& e) {
    text = fmt::format("none on {}: {}", target.name, e.message());
  }
  d.field("descriptors", "descriptors", words, text);
}

void add_box(Document& d, const SmemTile& tile, const Target& target) {
  Json box;
  std::string text = "none: the tile does not begin at a multiple of 128 B";
  if (tile.base().is_multiple_of(tma_smem_alignment)) {
    const SmemDestination to(tile);
    const auto planned = plan_tile(to, packed_operand(to, target, tile.extents()), target, 2);
    if (const auto* plan = std::get_if<TilePlan>(&planned)) {
      box = json_list(plan->dimensions, [](const PlanDimension& dimension) { return Json(dimension.box); });
      text = fmt::format("box {}, {}", tuple_text(box), plural(std::ssize(plan->copies), "copy"));
    } else {
      text = "none: " + std::get<Finding>(planned).message;
    }
  }
  d.field("box", "TMA", box, text);
}

Json difference_json(const std::optional<DifferentElement>& first) {
  if (!first) return {};
  return {{"coordinate", {first->at.row, first->at.k}}, {"expected", first->expected}, {"found", first->found}};
}

std::string difference_text(const DifferentElement& first) {
  return fmt::format("({}, {}) should hold {:#x}, {}", first.at.row, first.at.k, first.expected,
                     first.found ? fmt::format("its place holds {:#x}", *first.found) : "its place is not in the dump");
}

std::string verdict(const IdentifyReport& report) {
  const TileIdentification& found = report.found;
  const std::string_view type = report.expected.type.dtype->name;
  const std::string extents = to_string(report.expected.extents);
  const auto others = std::ranges::count_if(report.also, [&](const TileAnswer& other) {
    return tile_text(*other.found.tile) != tile_text(*found.tile) || other.found.tile->base() != found.tile->base();
  });
  if (found.is_exact && others > 0)
    return fmt::format("{}, or {}: what the elements hold is not known", tile_text(*found.tile),
                       plural(others, "other tile"));
  if (found.is_exact && found.candidates.empty()) return tile_text(*found.tile);
  if (found.is_exact)
    return fmt::format("{}, one of {}{} tiles that the data cannot distinguish", tile_text(*found.tile),
                       found.is_cut ? "at least " : "", found.candidates.size());
  if (found.mistake) return fmt::format("{}: {}", found.mistake->name, tile_text(*found.tile));
  if (found.tile) return fmt::format("no canonical tile; nearest: {}", tile_text(*found.tile));
  if (found.is_cut) return fmt::format("{} {} repeats its values too often to be found", type, extents);
  if (found.is_constant) return fmt::format("no {} {}: every byte is the same, nothing was written", type, extents);
  return fmt::format("random: it holds no piece of {} {}", type, extents);
}

std::string unowned_text(const std::vector<IndexRange>& runs) {
  std::int64_t bytes = 0;
  std::string text;
  for (const IndexRange& run : runs) bytes += run.last - run.first + 1;
  constexpr std::size_t most_shown = 4;
  for (std::size_t i = 0; i < runs.size() && i < most_shown; ++i)
    text += fmt::format("{} {}-{}", i == 0 ? ":" : ",", runs[i].first, runs[i].last);
  return fmt::format("{} B belong to no element{}{}", bytes, text, runs.size() > most_shown ? ", …" : "");
}

void add_contents(Document& d, const IdentifyReport& report) {
  // That element i holds the bits of i is what is asked for.
  const auto shown = [&](const TileContent& content) {
    return content.as == TileContent::As::values || formula_text(content, report.expected.extents.k) != "i" ||
           !report.also.empty();
  };
  const Json contents = report.content ? content_json(*report.content, report.expected) : Json();
  d.field("contents", report.content && shown(*report.content) ? report.found.is_exact ? "holds" : "compared with" : "",
          contents, report.content ? content_text(*report.content, report.expected) : "");
  Json also = Json::array();
  for (const TileAnswer& other : report.also) {
    Json one = candidate_json(*other.found.tile, report.address);
    one["contents"] = content_json(other.content, other.expected);
    also.push_back(one);
    d.line("also fits", fmt::format("{}: {}, {}", content_text(other.content, other.expected),
                                    tile_text(*other.found.tile), base_text(*other.found.tile, report.address)));
  }
  d.json("also", also);
}

}  // namespace

Json content_json(const TileContent& content, const LogicalTile& tile) {
  return {{"as", content.as == TileContent::As::bits ? "bits" : "values"},
          {"formula", formula_text(content, tile.extents.k)},
          {"text", content_text(content, tile)},
          {"values", distinct_values(tile)}};
}

namespace {

void add_candidates(Document& d, const IdentifyReport& report) {
  const std::vector<SmemTile>& candidates = report.found.candidates;
  d.json("candidates",
         json_list(candidates, [&](const SmemTile& tile) { return candidate_json(tile, report.address); }));
  constexpr std::size_t most_shown = 8;
  for (std::size_t i = 0; i < candidates.size() && i < most_shown; ++i)
    d.line(i == 0 ? "candidates" : " ",
           fmt::format("{}, {}", tile_text(candidates[i]), base_text(candidates[i], report.address)));
  if (candidates.size() > most_shown) d.line(" ", fmt::format("{} more", candidates.size() - most_shown));
  if (!candidates.empty() || report.found.is_cut)
    d.line("to decide", "fill the tile with codes: 'swz identify --make cuda', then --expect codes");
}

// Where the pattern begins next, in a tile that begins inside of it: a dashed line under the lines before.
void mark_pattern(Figure& figure, const SmemTile& tile) {
  const std::int64_t pattern = tile.swizzle().pattern().count, phase = tile.base().count % pattern;
  if (phase == 0 || phase % bank_row.count != 0) return;
  const std::int64_t lines = (pattern - phase) / bank_row.count, next = tile.base().count - phase + pattern;
  Grid& memory = figure.panels.front().back();
  if (lines >= std::ssize(memory.squares)) return;
  Grid::Outline before{{0, 0}, lines, std::ssize(memory.column_labels)};
  before.is_open_above = true;
  memory.outlines.push_back(before);
  LegendEntry entry{fmt::format("up to {:#x}, where the pattern of {} B begins again", next, pattern)};
  entry.is_dashed = true;
  figure.legend.push_back(std::move(entry));
}

Drawing tile_drawing(const SmemTile& tile) {
  const PlacedOperand placed{fmt::format("mode {}", tile.swizzle().name), tile.layout(), tile.base(), Placement(tile),
                             tile};
  return {[placed, dtype = &tile.dtype()](Medium medium) {
    if (medium != Medium::page) return Document();
    PlaceReport place;
    place.dtype = dtype;
    place.operands.push_back(placed);
    PlaceOptions options;
    options.tips = true;
    Figure figure = place_figure(place, options, {});
    mark_pattern(figure, *placed.tile);
    return Document().add(std::move(figure));
  }};
}

Drawing mistake_drawing(const IdentifyReport& report) {
  const std::string way_out = report.found.mistake ? report.found.mistake->way_out : "";
  return {[tile = *compared_tile(report.found), in_place = report.in_place, way_out](Medium medium) {
    return medium == Medium::page ? Document().add(dump_figure(tile, in_place, way_out)) : Document();
  }};
}

}  // namespace

Document view_identify(const IdentifyReport& report) {
  const TileIdentification& found = report.found;
  const std::optional<SmemTile>& tile = found.tile;
  Document d(fmt::format("{}: {}", report.dump, verdict(report)));
  if (const std::optional<SmemTile> shown = compared_tile(found)) d.subject = tile_text(*shown);
  const bool is_one = found.is_exact && found.candidates.empty() && report.also.empty();
  d.headline = short_sentence(found.mistake ? std::string(found.mistake->text)
                              : is_one      ? fmt::format("{}, mode {} from {:#x}: all {} elements are in place",
                                                          to_string(tile->major()), tile->swizzle().name, tile->base().count,
                                                          found.elements)
                                            : verdict(report));
  d.answers = {"layout", "hypothesis.name"};
  d.json("exact", found.is_exact);
  d.add(verdict_line(found));
  d.json("swizzle", tile ? Json(tile->swizzle().name) : Json())
      .json("major", tile ? major_json(tile->major()) : Json());
  d.json("order", tile ? Json(to_string(tile->order())) : Json());
  const std::int64_t base = tile ? tile->base().count - report.address.count : 0;
  d.field("base", tile ? "begins at" : "", base, tile ? base_text(*tile, report.address) : "");
  const Json layout = tile ? layout_json(*tile, report.address) : Json();
  d.field("layout",
          !tile            ? ""
          : found.is_exact ? "layout"
                           : "expected",
          layout,
          layout.is_null() ? "none from the dump's first byte, which lies inside of the swizzle pattern"
                           : layout.get<std::string>(),
          Tone::strong);
  add_contents(d, report);
  d.json("elements", found.elements);
  d.known("first_difference", "first other", difference_json(found.first_difference),
          found.first_difference ? difference_text(*found.first_difference) : "");
  const Json hypothesis = found.mistake ? Json{{"name", found.mistake->name}, {"text", found.mistake->text}} : Json();
  d.field("hypothesis", found.is_exact ? "" : "mistake", hypothesis,
          found.mistake ? fmt::format("{}: {}", found.mistake->name, found.mistake->text)
                        : std::string("no known mistake explains every element"),
          Tone::accent);
  add_candidates(d, report);
  // Words and box only for a tile with all elements in place: no word reads any other tile correctly.
  if (found.is_exact) {
    add_words(d, *tile, *report.target);
    add_box(d, *tile, *report.target);
  } else {
    d.json("descriptors", Json::array()).json("box", nullptr);
  }
  d.field("unowned", report.unowned.empty() || !found.is_exact ? "" : "the rest",
          json_list(report.unowned,
                    [](const IndexRange& r) {
                      return Json{r.first, r.last};
                    }),
          unowned_text(report.unowned));
  d.json("input", report.dump).json("fragment", nullptr);
  if (tile && found.is_exact) d.add(tile_drawing(*tile));
  else if (!report.in_place.empty()) d.add(mistake_drawing(report));
  return d;
}

}  // namespace swz
