// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.hpp"
#include "view/scale/scale_layout.hpp"

namespace swz {
namespace {

std::string text_of(const ScaleReading& reading) {
  std::string text(reading.layout->name);
  if (!reading.orders.empty()) text += " of rows in order " + order_text(reading.orders);
  if (reading.is_exchanged) text += " with row and factor exchanged: the factors of the transposed operand";
  if (reading.batch_shift != 0) text += fmt::format(", whose batch 0 is batch {}", reading.batch_shift);
  return text;
}

Json json_of(const ScaleReading& reading) {
  return {{"layout", reading.layout->name},
          {"row_order", order_json(reading.orders)},
          {"exchanged", reading.is_exchanged},
          {"batch_shift", reading.batch_shift}};
}

std::string names_text(const std::vector<const ScaleLayoutRow*>& rows) {
  std::vector<std::string> names;
  for (const ScaleLayoutRow* row : rows) names.emplace_back(row->name);
  return names.empty() ? "no layout" : join_and(names);
}

std::string verdict_of(const ScaleIdentity& found) {
  if (found.readings.empty())
    return fmt::format("no known layout: {} {} this size, and none has every factor in its place",
                       names_text(found.sized), found.sized.size() > 1 ? "have" : "has");
  std::string text = text_of(found.readings.front());
  for (std::size_t i = 1; i < found.readings.size(); ++i) text += fmt::format("; {}", text_of(found.readings[i]));
  if (found.readings.size() == 1) return text;
  return text + (found.is_decided ? ": the same function for this shape"
                                  : ": the values repeat and do not decide between these");
}

std::string padding_text(const ScalePadding& padding) {
  if (padding.bytes == 0) return "none";
  if (padding.zeros == padding.bytes) return fmt::format("{} B, all 0", padding.bytes);
  return fmt::format("{} B, of which {} are not 0", padding.bytes, padding.bytes - padding.zeros);
}

}  // namespace

Document view_scale_identity(const ScaleIdentityView& view) {
  const ScaleIdentity& found = view.found;
  const ScaleExtents& e = view.extents;
  Document d(fmt::format("{}: scale factors of {}{} rows x {} factors", view.input,
                         e.batches > 1 ? fmt::format("{} x ", e.batches) : "", e.rows, e.factors));
  d.answers = {"readings", "decided"};
  Json readings = Json::array();
  for (const ScaleReading& reading : found.readings) readings.push_back(json_of(reading));
  d.field("readings", "layout", std::move(readings), verdict_of(found));
  d.headline = "layout: " + verdict_of(found);
  d.json("decided", found.is_decided);
  const bool is_found = !found.readings.empty();
  d.field("padding", "padding",
          is_found ? Json{{"bytes", found.padding.bytes}, {"zeros", found.padding.zeros}} : Json(),
          is_found ? padding_text(found.padding) : "not known");
  Json sized = Json::array();
  for (const ScaleLayoutRow* row : found.sized) sized.push_back(row->name);
  d.json("sized", std::move(sized));
  if (is_found) d.line("read by", std::string(found.readings.front().layout->read_by));
  return d;
}

std::string scale_fill_source(const ScaleExtents& e) {
  return fmt::format(R"(# Scale factors by which one dump decides: swz sf identify DUMP --shape {0}xK --values codes
import torch
batch = torch.arange({2}).view(-1, 1, 1)
row = torch.arange({0}).view(1, -1, 1)
kb = torch.arange({1}).view(1, 1, -1)
linear = ({3}).to(torch.uint8)  # {2} x {0} x {1}
# Give `linear` to the function that reorders scale factors, as the bytes of its type, and dump what it makes:
#   packed.cpu().view(torch.uint8).numpy().tofile("scales.bin")
)",
                     e.rows, e.factors, e.batches, code_expression());
}

}  // namespace swz
