// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "view/arch/arch_table.hpp"
#include "view/scale/scale_layout.hpp"

namespace swz {
namespace {

// A layout for the extents of the list, if it takes them.
struct Listed {
  const ScaleLayoutRow* row = nullptr;
  std::optional<ScaleTensor> tensor = {};
  std::vector<std::string_view> same = {};  // layouts before it that are the same function
};

std::vector<Listed> listed_for(const ScaleExtents& extents) {
  std::vector<Listed> all;
  for (const ScaleLayoutRow& row : scale_layouts()) {
    Listed& listed = all.emplace_back(Listed{&row});
    if (!row.takes(extents)) continue;
    listed.tensor.emplace(row, extents);
    for (std::size_t before = 0; before + 1 < all.size(); ++before) {
      const auto& other = all[before].tensor;
      if (other && is_same(*listed.tensor, *other)) listed.same.push_back(all[before].row->name);
    }
  }
  return all;
}

std::string needs_of(const ScaleLayoutRow& row) {
  std::string text;
  if (row.rows_of > 1) text = fmt::format("rows in {}s", row.rows_of);
  if (row.factors_of > 1) text += fmt::format("{}factors in {}s", text.empty() ? "" : ", ", row.factors_of);
  if (row.most_rows > 0) text += fmt::format(", at most {} rows", row.most_rows);
  return text.empty() ? "-" : text;
}

std::vector<ColumnOf<Listed>> columns_of(bool has_extents) {
  std::vector<ColumnOf<Listed>> columns = {
      {"name", "layout", [](const Listed& l) { return Cell(l.row->name); }},
      {"bytes", "bytes", [](const Listed& l) { return Cell(l.row->bytes); }, Column::Align::right},
      {"rows_of", "", [](const Listed& l) { return Cell(l.row->rows_of); }},
      {"factors_of", "", [](const Listed& l) { return Cell(l.row->factors_of); }},
      {"", "needs", [](const Listed& l) { return Cell(needs_of(*l.row)); }},
  };
  if (has_extents) {
    columns.push_back({"size", "size",
                       [](const Listed& l) { return l.tensor ? Cell(l.tensor->size().count) : Cell(Json(), "-"); },
                       Column::Align::right});
    columns.push_back({"same", "same as", [](const Listed& l) { return name_list(l.same); }});
  } else {
    columns.push_back({"formula", "offset of (row, kb); R rows, C factors of a row",
                       [](const Listed& l) { return Cell(symbolic_formula(*l.row)); }});
  }
  columns.push_back({"read_by", has_extents ? "" : "read by", [](const Listed& l) { return Cell(l.row->read_by); }});
  columns.push_back({"evidence", "", [](const Listed& l) { return Cell(to_string(l.row->source.evidence)); }});
  columns.push_back({"source", "", [](const Listed& l) { return Cell(l.row->source.where); }});
  return columns;
}

}  // namespace

Document view_scale_list(const std::optional<ScaleExtents>& extents) {
  std::vector<Listed> all;
  if (extents) {
    require_within(limits::compared_factors, extents->rows * extents->factors * 8);
    all = listed_for(*extents);
  } else {
    for (const ScaleLayoutRow& row : scale_layouts()) all.push_back({&row});
  }
  Document d(extents ? fmt::format("layouts of scale factors for {} x {}", extents->rows, extents->factors)
                     : "layouts of scale factors");
  d.headline = fmt::format("{} layouts of scale factors", all.size());
  d.answers = {"layouts"};
  d.add(table_of<Listed>("layouts", "layouts", all, columns_of(extents.has_value())));
  if (extents) return d;
  d.add(table_of<ScaleLayoutName>("names", "what projects call them", scale_layout_names(),
                                  {{"name", "name", [](const ScaleLayoutName& n) { return Cell(n.name); }},
                                   {"project", "project", [](const ScaleLayoutName& n) { return Cell(n.project); }},
                                   {"layout", "layout", [](const ScaleLayoutName& n) { return Cell(n.layout); }}}));
  d.add(table_of<RowOrder>("row_orders", "orders of the rows, applied before a layout (--order)", row_orders(),
                           {{"name", "order", [](const RowOrder& o) { return Cell(o.name); }},
                            {"rows_of", "rows in", [](const RowOrder& o) { return Cell(o.rows_of); }},
                            {"used_by", "used by", [](const RowOrder& o) { return Cell(o.read_by); }},
                            {"source", "", [](const RowOrder& o) { return Cell(o.source.where); }}}));
  return d;
}

}  // namespace swz
