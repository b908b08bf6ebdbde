// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

void lint_address(Notes& lints, const TmemAddress& a) {
  const std::string text = hex32(a.word);
  if (a.column() >= tmem_columns)
    lints.lint("column-outside", fmt::format("{}: column {} of {}", text, a.column(), tmem_columns),
               "bits 0-15 hold the column", to_string(tmem_address_source));
  if (a.lane() >= tmem_lanes)
    lints.lint("lane-outside", fmt::format("{}: lane {} of {}", text, a.lane(), tmem_lanes), "bits 16-23 hold the lane",
               to_string(tmem_address_source));
  if (a.element_bits() != 0)
    lints.lint("element-bits", fmt::format("{}: bits 24-31 are {:#x}", text, a.element_bits()),
               "CuTe's pointers keep the byte or half of a narrow element there; an instruction takes the address "
               "without them",
               "CUTLASS 4.7 tmem_ptr (header)");
}

// The runs of columns that count as zero, as [first, last].
std::vector<std::pair<int, int>> zero_runs(const ZeroColumnMask& mask, int sub_mask) {
  std::vector<std::pair<int, int>> runs;
  constexpr int most_n = 256;
  for (int column = 0; column < most_n; ++column) {
    if (!mask.is_zero(sub_mask, column)) continue;
    if (!runs.empty() && runs.back().second == column - 1) runs.back().second = column;
    else runs.emplace_back(column, column);
  }
  return runs;
}

std::string runs_text(const std::vector<std::pair<int, int>>& runs) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(runs.size(), shown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", range_text(runs[i].first, runs[i].second - runs[i].first + 1));
  if (runs.empty()) return "none";
  return runs.size() > shown ? text + ", …" : text;
}

BitRow bit_row(const ZeroColumnMask& mask) {
  BitRow row{mask.word, 64, {}, {}};
  for (const ZeroMaskField& field : zero_mask_fields())
    row.parts.push_back({std::string(field.name), field.bits, field.reserved, ""});
  return row;
}

Document view_mask(const ZeroColumnMask& mask) {
  Document d(fmt::format("zero-column mask {}", hex64(mask.word)));
  d.json("word", hex64(mask.word));
  d.add(bit_row(mask));
  d.json("fields", json_list(zero_mask_fields(), [&](const ZeroMaskField& field) -> Json {
           return {{"name", field.name},
                   {"bits", {field.bits.low, field.bits.high()}},
                   {"raw", field.bits.read(mask.word)}};
         }));
  d.field("skip", "runs", mask.skip,
          mask.is_zero_mask ? "no column counts as zero: bit 39 is 0"
                            : fmt::format("{} used, {} that count as zero", plural(mask.use, "column"), mask.skip));
  d.json("use", mask.use);
  d.field("shift", "shift", mask.shift, fmt::format("{} of B", plural(mask.shift, "column")));
  Json zero = Json::array();
  for (int sub_mask = 0; sub_mask < 4; ++sub_mask) {
    const auto runs = zero_runs(mask, sub_mask);
    d.line(fmt::format("sub-mask {}", sub_mask), fmt::format("zero columns: {}", runs_text(runs)), Tone::strong);
    zero.push_back(json_list(runs, [](const auto& run) { return Json{run.first, run.second}; }));
  }
  d.line("of D", "M 128 takes sub-mask 0 for its N columns, M 64 0 and 1 for N/2 each, M 32 all four for N/4 each");
  return d.json("zero", std::move(zero));
}

}  // namespace

Document view_tmem_addresses(const std::vector<TmemAddress>& addresses) {
  Document d(addresses.size() == 1 ? fmt::format("address {} of tensor memory", hex32(addresses[0].word))
                                   : "addresses of tensor memory");
  d.answers = {"addresses.lane", "addresses.column"};
  Notes lints{"lints"};
  for (const TmemAddress& address : addresses) lint_address(lints, address);
  const auto right = Column::Align::right;
  const auto cell_or_none = [](bool exists, int number) {
    return exists ? Cell(number) : Cell(nullptr, "none", Tone::bad);
  };
  d.add(table_of<TmemAddress>(
      "addresses", "", addresses,
      {{"word", "address", [](const TmemAddress& a) { return Cell(hex32(a.word), "", Tone::strong); }},
       {"lane", "lane", [&](const TmemAddress& a) { return cell_or_none(a.lane() < tmem_lanes, a.lane()); }, right},
       {"column", "column", [&](const TmemAddress& a) { return cell_or_none(a.column() < tmem_columns, a.column()); },
        right},
       {"warp", "quarter of warp", [&](const TmemAddress& a) { return cell_or_none(a.lane() < tmem_lanes, a.warp()); },
        right},
       {"element_bits", "bits 24-31",
        [](const TmemAddress& a) { return Cell(a.element_bits(), fmt::format("{:#x}", a.element_bits())); }, right}}));
  const TmemAddress& first = addresses.front();
  d.headline = fmt::format("{}: lane {}, column {}{}", hex32(first.word), first.lane(), first.column(),
                           addresses.size() > 1 ? fmt::format("; and {} more", addresses.size() - 1) : "");
  d.json("evidence", to_string(tmem_address_source.evidence));
  d.field("source", "source", tmem_address_source.where, to_string(tmem_address_source));
  return d.add(std::move(lints));
}

Document view_zero_masks(const std::vector<ZeroColumnMask>& masks) {
  Document d;
  d.answers = {"masks.zero"};
  Group group{"masks", {}};
  Notes lints{"lints"};
  for (const ZeroColumnMask& mask : masks) {
    group.members.push_back(view_mask(mask));
    for (Finding& finding : lint(mask)) lints.add(std::move(finding));
  }
  d.headline = masks.front().is_zero_mask ? fmt::format("runs of {} used, {} that count as zero",
                                                        plural(masks.front().use, "column"), masks.front().skip)
                                          : "no column counts as zero";
  d.add(std::move(group));
  d.json("evidence", to_string(zero_mask_source.evidence));
  d.field("source", "source", zero_mask_source.where,
          to_string(zero_mask_source) + "; table 45 exchanges the words of the two spans");
  return d.add(std::move(lints));
}

}  // namespace swz
