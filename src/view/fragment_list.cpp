// The list of fragments: `swz frag` without a name.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/fragment.hpp"
#include "view/fragment.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

struct ListedFragment {
  InstructionFamily family;
  std::string name;
  std::vector<std::string_view> operands;
  Cell types, accumulators, n;
  int bits;
  Availability availability;
  Source source;
};

std::vector<ListedFragment> listed_fragments(InstructionFamily family) {
  using Names = std::vector<std::string_view>;
  std::vector<ListedFragment> rows;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family) continue;
    const bool is_wgmma = family == wgmma;
    rows.push_back(
        {family, is_wgmma ? fmt::format("wgmma.m{}nNk{}", row.m, row.k) : shape_name(row, row.n[0].first),
         is_wgmma ? Names{"a", "d"} : Names{"a", "b", "c", "d"}, name_list(row.types), name_list(row.accumulators),
         is_wgmma ? Cell(to_string(row.n)) : Cell(nullptr), row.bits, row.availability, row.source});
  }
  if (!rows.empty()) return rows;
  for (const std::string& name : fragment_names(family)) {
    const Fragment f = find_fragment({.name = name});
    rows.push_back({family, name, family == movmatrix ? Names{"a", "d"} : Names{"memory"},
                    name_list(Names{f.dtype}), name_list(Names{}), nullptr, f.bits, f.availability, f.source});
  }
  return rows;
}

}  // namespace

Document view_fragment_list(std::string_view family) {
  std::vector<std::string> known;
  for (const InstructionFamily one : families) known.emplace_back(to_string(one));
  if (!family.empty() && std::ranges::find(known, family) == known.end())
    throw Error(fmt::format("{} is not a family of instructions", quoted(family)),
                did_you_mean(family, known, "families: " + join_and(known)));
  std::vector<ListedFragment> rows;
  for (const InstructionFamily one : families)
    if (family.empty() || to_string(one) == family)
      std::ranges::copy(listed_fragments(one), std::back_inserter(rows));
  using Row = ListedFragment;
  return Document().add(
      table_of<Row>("fragments", "", rows,
                    {{"name", "name", [](const Row& row) { return Cell(row.name, "", Tone::strong); }},
                     {"family", "", [](const Row& row) { return to_string(row.family); }},
                     {"operands", "operands", [](const Row& row) { return name_list(row.operands); }},
                     {"dtypes", "elements", &Row::types},
                     {"accumulators", "into", &Row::accumulators},
                     {"n", "N", &Row::n},
                     {"bits", "bits", &Row::bits, Column::Align::right},
                     {"availability", "exists on", [](const Row& row) { return to_string(row.availability); }},
                     {"evidence", "", [](const Row& row) { return to_string(row.source.evidence); }},
                     {"source", "", [](const Row& row) { return row.source.where; }}}));
}

}  // namespace swz
