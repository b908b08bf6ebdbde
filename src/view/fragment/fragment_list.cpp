// SPDX-License-Identifier: Apache-2.0
// The list of fragments: `swz frag` without a name.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/fragment.hpp"
#include "fragment/sparse.hpp"
#include "fragment/tmem_access.hpp"
#include "view/fragment/fragment.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

void append_family(Table& table, InstructionFamily family) {
  using Names = std::vector<std::string_view>;
  const auto append = [&](const std::string& name, const Names& operands, Cell types, Cell accumulators, Cell n,
                          int bits, const Availability& availability, const Source& source) {
    table.rows.push_back({Cell(name, "", Tone::strong), to_string(family), name_list(operands), std::move(types),
                          std::move(accumulators), std::move(n), bits, to_string(availability),
                          to_string(source.evidence), source.where});
  };
  const auto append_mma = [&](const MmaInstruction& row, std::string name, Names operands) {
    if (row.family != family) return;
    const bool is_wgmma = family == wgmma;
    if (is_wgmma) name.replace(name.find('n') + 1, 1, "N");
    append(name, operands, name_list(row.types), name_list(row.accumulators),
           is_wgmma ? Cell(to_string(row.n)) : Cell(nullptr), row.bits, row.availability, row.source);
  };
  const Names dense = family == wgmma ? Names{"a", "d"} : Names{"a", "b", "c", "d"};
  for (const MmaInstruction& row : mma_instructions()) append_mma(row, shape_name(row, 8), dense);
  for (const SparseMma& row : sparse_mmas()) {
    Names operands = dense;
    operands.push_back("e");
    append_mma(row.mma, sparse_name(row, 8, row.is_ordered_only), operands);
  }
  for (const BlockScaledMma& form : block_scaled_mmas()) {
    Names operands = dense;
    if (form.is_sparse) operands.push_back("e");
    operands.insert(operands.end(), {"sfa", "sfb"});
    // Forms that differ only in the type of their scale factors are listed once.
    const auto same = find_block_scaled({.kind = form.kind, .is_sparse = form.is_sparse, .scale_vec = form.scale_vec});
    if (family == mma && same.front() == &form)
      append(block_scaled_name(form), operands, name_list(input_types(form.kind)), name_list(Names{"f32"}), nullptr,
             form.bits, form.availability, form.source);
  }
  if (family == mma || family == wgmma) return;
  for (const std::string& name : fragment_names(family)) {
    const Fragment f = find_fragment({.name = name});
    append(name, family == movmatrix ? Names{"a", "d"} : Names{"memory"}, name_list(Names{f.dtype}), name_list(Names{}),
           nullptr, f.bits, f.availability, f.source);
  }
}

// Adds a row for every shape of ld and st, with and without packing, and of .red; N is shown as a letter.
void append_tmem(Table& table) {
  std::vector<TmemForm> forms;
  for (const TmemForm& form : tmem_forms())
    if (form.number == 1) forms.push_back(form);
  for (const TmemShape& shape : tmem_shapes())
    if (shape.reduces) forms.push_back({.shape = &shape, .number = 1, .reduction = TmemReduction{.is_max = true}});
  for (const TmemForm& form : forms) {
    const Fragment f = tmem_fragment(form);
    std::string name = f.name;
    name.replace(name.find(".x1") + 2, 1, "N");
    const int least = form.reduction ? least_reduced : 1;
    table.rows.push_back({Cell(name, "", Tone::strong), "tcgen05", name_list(std::array{"tmem"}),
                          name_list(std::array{f.dtype}), name_list(std::vector<std::string>()),
                          fmt::format("{} to {}, powers of two", least, form.shape->most), f.bits,
                          to_string(f.availability), to_string(f.source.evidence), f.source.where});
  }
}

}  // namespace

Document view_fragment_list(std::string_view family) {
  std::vector<std::string> known;
  for (const InstructionFamily one : families) known.emplace_back(to_string(one));
  known.emplace_back("tcgen05");
  if (!family.empty() && std::ranges::find(known, family) == known.end())
    throw Error(fmt::format("{} is not a family of instructions", quoted(family)),
                did_you_mean(family, known, "families: " + join_and(known)));
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
  for (const InstructionFamily one : families)
    if (family.empty() || to_string(one) == family) append_family(table, one);
  if (family.empty() || family == "tcgen05") append_tmem(table);
  Document d;
  d.headline = fmt::format("{} instructions with fragments", table.rows.size());
  d.answers = {"fragments.name"};
  return d.add(std::move(table));
}

}  // namespace swz
