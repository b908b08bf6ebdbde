// SPDX-License-Identifier: Apache-2.0
#include "view/scale/scale_layout.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "view/document/headline.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

std::string order_text(const std::vector<const RowOrder*>& orders) {
  std::string text;
  for (const RowOrder* order : orders) text += fmt::format("{}{}", text.empty() ? "" : ", then ", order->name);
  return text;
}

Json order_json(const std::vector<const RowOrder*>& orders) {
  Json names = Json::array();
  for (const RowOrder* order : orders) names.push_back(order->name);
  return names;
}

namespace {

// "layout 128x4 of rows in order gated, then shuffle32", "layout 128x4 of 3 groups"
std::string name_of(const ScaleTensor& tensor) {
  std::string text = fmt::format("layout {}", tensor.row().name);
  if (tensor.is_grouped()) text += fmt::format(" of {} groups", tensor.groups());
  if (!tensor.orders().empty()) text += fmt::format(" of rows in order {}", order_text(tensor.orders()));
  return text;
}

void require_factor(const ScaleTensor& tensor, const ScaleCoordinate& at) {
  require_index("batch", at.batch, tensor.extents().batches);
  require_index("row", at.row, tensor.extents().rows);
}

// The group of a factor, and where it begins.
void add_group(Document& d, const ScaleTensor& tensor, std::size_t group) {
  if (!tensor.is_grouped()) return;
  d.field("group", "group", group, fmt::format("{}, from byte {} on", group, tensor.begin(group).count));
}

void add_factor(Document& d, const ScaleLayoutView& view) {
  const ScaleCoordinate& at = *view.at;
  require_factor(view.tensor, at);
  require_index("k", *view.at_k, view.k);
  d.field("row", "element", at.row,
          fmt::format("{}row {}, k {}", view.tensor.extents().batches > 1 ? fmt::format("batch {}, ", at.batch) : "",
                      at.row, *view.at_k));
  d.json("batch", at.batch).json("k", *view.at_k);
  d.field("kb", "factor", at.kb, fmt::format("{} of its row, k {}", at.kb, range_text(at.kb * view.vec, view.vec)));
  add_group(d, view.tensor, view.tensor.group_of(at));
  const Bytes offset = view.tensor.offset(at);
  d.field("offset", "offset", offset.count, fmt::format("{} B", offset.count));
  d.answers = {"kb", "offset"};
}

void add_factor_of_byte(Document& d, const ScaleLayoutView& view) {
  require_index("byte", view.offset->count, view.tensor.size().count);
  const auto place = view.tensor.at(*view.offset);
  d.answers = {"row", "kb", "padding"};
  d.json("offset", view.offset->count).json("batch", place ? Json(place->at.batch) : Json());
  if (!place) {
    for (const char* key : {"row", "kb", "k"}) d.json(key, nullptr);
    d.field("padding", "padding", true, "yes: no factor lies in this byte");
    return;
  }
  d.field("row", "row", place->at.row);
  d.field("kb", "factor", place->at.kb, fmt::format("{} of its row", place->at.kb));
  const std::int64_t first = place->at.kb * view.vec;
  d.field("k", "k", Json{first, first + view.vec - 1}, range_text(first, view.vec));
  add_group(d, view.tensor, place->group);
  d.field("padding", "padding", place->is_padding, place->is_padding ? "yes: no element has this factor" : "no");
}

Json map_of(const ScaleTensor& tensor) {
  const ScaleExtents& extents = tensor.extents();
  require_within(limits::listed_factors, extents.batches * extents.rows * extents.factors);
  Json map = Json::array();
  all_factors(extents, [&](const ScaleCoordinate& at) {
    map.push_back(tensor.offset(at).count);
    return true;
  });
  return map;
}

// How a program computes the offset; for a group from the group's first row or factor on.
void add_function(Document& d, const ScaleTensor& tensor) {
  d.json("layout", tensor.row().name).json("unit", tensor.row().unit);
  d.json("row_order", order_json(tensor.orders()));
  if (tensor.is_grouped()) {
    d.json("formula", nullptr).json("cute", nullptr).json("digits", nullptr);
    return;
  }
  const ScaleLayout& layout = tensor.layout();
  const std::string formula = layout.formula(), cute = to_string(layout.layout());
  Json digits = Json::array();
  for (const ScaleLayout::Digit& digit : layout.digits())
    digits.push_back(
        {{"axis", index_name(digit.axis)}, {"from", digit.from}, {"count", digit.count}, {"stride", digit.stride}});
  d.json("digits", std::move(digits));
  const bool is_ordered = !tensor.orders().empty();
  d.field("formula", "formula", formula, is_ordered ? formula + "   of the row in the new order" : formula);
  d.field("cute", "CuTe", cute,
          fmt::format("({}) -> byte: {}", layout.extents().batches > 1 ? "row, kb, batch" : "row, kb", cute));
}

}  // namespace

Document view_scale_layout(const ScaleLayoutView& view) {
  const ScaleTensor& tensor = view.tensor;
  const ScaleExtents& extents = tensor.extents();
  ScaleLayoutView shown = view;  // with the point, also if the byte was asked for
  Document d(fmt::format("scale factors of {}{} x {}, one for {} elements, {}",
                         extents.batches > 1 ? fmt::format("{} x ", extents.batches) : "", extents.rows, view.k,
                         view.vec, name_of(tensor)));
  if (view.at) {
    add_factor(d, view);
  } else if (view.offset) {
    add_factor_of_byte(d, view);
    if (const auto place = tensor.at(*view.offset); place && !place->is_padding) shown.at = place->at;
  } else {
    for (const char* key : {"row", "k", "kb", "batch", "offset"}) d.json(key, nullptr);
    d.answers = {"bytes"};
  }
  const std::int64_t factors = extents.batches * extents.rows * extents.factors;
  d.field("bytes", "size", tensor.size().count,
          fmt::format("{} B, of which {} are factors", tensor.size().count, factors * tensor.row().bytes));
  d.headline = view.at ? fmt::format("the factor of row {}, number {}, is at byte {:#x}", view.at->row, view.at->kb,
                                     tensor.offset(*view.at).count)
                       : headline_of(d, {"element", "factor", "offset"});
  if (!view.at && !view.offset) d.headline = headline_of(d, {"size"});
  add_function(d, tensor);
  d.line("read by", std::string(tensor.row().read_by));
  if (!tensor.is_grouped() && tensor.orders().empty() && extents.batches == 1) d.add(scale_layout_drawing(shown));
  d.json("map", view.has_map ? map_of(tensor) : Json());
  return add_evidence(d, tensor.row().source);
}

// ---- sf diff

namespace {

std::string factor_text(const ScaleCoordinate& at, const ScaleExtents& extents) {
  return fmt::format("{}row {}, factor {}", extents.batches > 1 ? fmt::format("batch {}, ", at.batch) : "", at.row,
                     at.kb);
}

Json factor_json(const ScaleCoordinate& at) { return {{"batch", at.batch}, {"row", at.row}, {"kb", at.kb}}; }

// What the reader gets instead of the first factor.
void add_instead(Document& d, const ScaleDifference::First& first, const ScaleTensor& a, const ScaleTensor& b) {
  std::string text;
  Json instead;
  if (first.read >= a.size()) text = fmt::format("nothing: A ends at byte {}", a.size().count);
  else if (!first.instead) text = "a byte that is not a factor";
  else if (first.instead->is_padding) text = "padding";
  else {
    text = "the factor of " + factor_text(first.instead->at, a.extents());
    instead = factor_json(first.instead->at);
  }
  d.field("first", "first", factor_json(first.at), factor_text(first.at, b.extents()));
  d.field("written", "A writes it", first.written.count, fmt::format("at byte {}", first.written.count));
  d.field("read", "B reads it", first.read.count, fmt::format("at byte {}", first.read.count));
  d.field("instead", "and gets", std::move(instead), text);
}

}  // namespace

Document view_scale_difference(const ScaleTensor& a, const ScaleTensor& b, const ScaleDifference& difference) {
  const ScaleExtents& extents = a.extents();
  const std::int64_t all = extents.batches * extents.rows * extents.factors;
  Document d(fmt::format("A: {}; B: {}; {} x {} factors", name_of(a), name_of(b), extents.rows, extents.factors));
  const bool is_same = difference.different == 0;
  d.answers = {"same", "different"};
  d.field("same", "same", is_same,
          is_same                ? fmt::format("yes: all {} factors are at the same bytes", all)
          : a.size() == b.size() ? fmt::format("no, although both have {} B", a.size().count)
                                 : "no");
  d.headline =
      is_same ? "A and B are the same" : fmt::format("{} of {} factors are at other bytes", difference.different, all);
  d.field("different", "differ", difference.different, fmt::format("{} of {} factors", difference.different, all));
  if (difference.first) add_instead(d, *difference.first, a, b);
  else
    for (const char* key : {"first", "written", "read", "instead"}) d.json(key, nullptr);
  d.field("bytes", "sizes", Json{a.size().count, b.size().count},
          fmt::format("A {} B, B {} B", a.size().count, b.size().count));
  return d;
}

}  // namespace swz
