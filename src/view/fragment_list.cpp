#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/find.hpp"
#include "fragment/fragment.hpp"
#include "view/cells.hpp"
#include "view/fragment.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

void add_row(Table& table, InstructionFamily family, Cell name, Cell operands, Cell types, Cell accumulators,
             Cell n, int bits, const Availability& availability, const Source& source) {
  table.rows.push_back({std::move(name),
                        {std::string(to_string(family))},
                        std::move(operands),
                        std::move(types),
                        std::move(accumulators),
                        std::move(n),
                        {bits},
                        {to_string(availability)},
                        {std::string(to_string(source.evidence))},
                        {std::string(source.where)}});
}

void add_matrices(Table& table, InstructionFamily family) {
  for (const std::string& name : fragment_names(family)) {
    const Fragment f = find_fragment({.name = name});
    const std::vector<std::string_view> operands =
        family == movmatrix ? std::vector<std::string_view>{"a", "d"} : std::vector<std::string_view>{"memory"};
    add_row(table, family, {name, "", Tone::strong}, name_list(operands),
            name_list(std::vector<std::string_view>{f.dtype}), name_list(std::vector<std::string_view>{}),
            {nullptr}, f.bits, f.availability, f.source);
  }
}

void add_mmas(Table& table, InstructionFamily family) {
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family) continue;
    const bool is_wgmma = family == wgmma;
    const std::string name =
        is_wgmma ? fmt::format("wgmma.m{}nNk{}", row.m, row.k) : shape_name(row, row.n[0].first);
    const std::vector<std::string_view> operands =
        is_wgmma ? std::vector<std::string_view>{"a", "d"} : std::vector<std::string_view>{"a", "b", "c", "d"};
    add_row(table, family, {name, "", Tone::strong}, name_list(operands), name_list(row.types),
            name_list(row.accumulators), is_wgmma ? Cell{to_string(row.n)} : Cell{nullptr}, row.bits,
            row.availability, row.source);
  }
}

}  // namespace

Document view_fragment_list(std::string_view family) {
  std::vector<std::string> known;
  for (const InstructionFamily one : families) known.emplace_back(to_string(one));
  if (!family.empty() && std::ranges::find(known, family) == known.end()) {
    throw Error(fmt::format("{} is no family of instructions", quoted(family)),
                did_you_mean(family, known, "families: " + join_and(known)));
  }
  Table table{"fragments",
              "",
              {{"name", "name"},
               {"family", ""},
               {"operands", "operands"},
               {"dtypes", "elements"},
               {"accumulators", "into"},
               {"n", "N"},
               {"bits", "bits", Column::Align::right},
               {"availability", "exists on"},
               {"evidence", ""},
               {"source", ""}},
              {}};
  for (const InstructionFamily one : families) {
    if (!family.empty() && to_string(one) != family) continue;
    if (one == mma || one == wgmma) add_mmas(table, one);
    else add_matrices(table, one);
  }
  Document d;
  d.add(std::move(table));
  return d;
}

}  // namespace swz
