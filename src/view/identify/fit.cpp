// SPDX-License-Identifier: Apache-2.0
#include "view/identify/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "dialect/bases.hpp"

namespace swz {
namespace {

constexpr std::size_t shown_exceptions = 8;

Json swizzle_text(const std::optional<ComposedLayout>& layout) {
  return layout && !layout->swizzle().is_identity() ? Json(to_string(layout->swizzle())) : Json();
}

std::string coordinate_text(const KnownOffsets& known, std::int64_t index) {
  return fmt::format("({})", fmt::join(known.coordinate(index), ", "));
}

std::string headline(const KnownOffsets& known, const Fit& fit) {
  const auto given = static_cast<std::int64_t>(known.points.size());
  const std::string all = fmt::format("all {}", plural(given, "offset"));
  if (!fit.layout && fit.bases.empty())
    return fit.deciding ? "the offsets given leave a stride open" : "no layout has half of the offsets";
  if (!fit.is_exact)
    return fmt::format("has {} of {}", given - static_cast<std::int64_t>(fit.exceptions.size()),
                       plural(given, "offset"));
  if (!known.is_complete()) return fmt::format("has {} that are given, of {} coordinates", all, known.size());
  return fmt::format("has {}, each compared", all);
}

std::vector<Finding> notes_of(const KnownOffsets& known, const Fit& fit) {
  std::vector<Finding> notes;
  if (fit.deciding)
    notes.push_back(
        note("undecided",
             fit.candidates.empty()
                 ? "the offsets given do not decide the layout"
                 : fmt::format("{} are as simple", plural(static_cast<std::int64_t>(fit.candidates.size()), "layout")),
             fmt::format("give the offset of coordinate {}", coordinate_text(known, *fit.deciding))));
  if (!fit.layout && !fit.bases.empty())
    notes.push_back(
        note("linear-over-gf2",
             "no strides with one swizzle have these offsets, but each is the XOR of the offsets of its bits",
             "swz translate and swz diff read this text"));
  if (!fit.layout && fit.bases.empty() && !fit.deciding)
    notes.push_back(note("no-layout", "the offsets are not those of a layout, with or without one swizzle",
                         "check how they were numbered: a list is colexicographic, its first dimension is fastest"));
  return notes;
}

}  // namespace

Document view_fit(const KnownOffsets& known, const Fit& fit, const LayoutViewOptions& options) {
  Document d;
  const std::string text = fit.layout ? to_string(*fit.layout) : fit.bases.empty() ? "" : dimension_bases(fit.bases);
  d.field("layout", "layout", or_null(text), text.empty() ? "none" : "", text.empty() ? Tone::bad : Tone::strong);
  d.json("swizzle", swizzle_text(fit.layout));
  d.field("size", "size", known.size(), fmt::format("{}, shape {}", known.size(), fmt::join(known.shape, "x")));
  d.field("exact", "given", fit.is_exact, headline(known, fit), fit.is_exact ? Tone::good : Tone::bad);
  Table exceptions = table_of<FitException>(
      "exceptions", "offsets that it does not have", fit.exceptions,
      {{"coordinate", "coordinate",
        [&](const FitException& e) { return Cell(Json(known.coordinate(e.index)), coordinate_text(known, e.index)); }},
       {"expected", "given", [](const FitException& e) { return Cell(e.expected); }},
       {"found", "the layout has", [](const FitException& e) { return Cell(e.found); }}});
  if (const std::size_t count = exceptions.rows.size(); count > shown_exceptions)
    exceptions.fold = {count - shown_exceptions, fmt::format("and {} more: -f json", count - shown_exceptions)};
  d.add(std::move(exceptions));
  d.add(table_of<ComposedLayout>(
      "candidates", "as simple", fit.candidates,
      {{"layout", "layout", [](const ComposedLayout& l) { return Cell(to_string(l)); }},
       {"swizzle", "swizzle", [](const ComposedLayout& l) { return Cell(swizzle_text(l)); }}}));
  d.findings(notes_of(known, fit));
  d.answers = {"layout"};
  if (fit.layout && known.is_complete())
    d.add(Drawing{[layout = *fit.layout, options](Medium medium) { return layout_table(layout, options, medium); }});
  return d;
}

}  // namespace swz
