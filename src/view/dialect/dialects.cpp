// SPDX-License-Identifier: Apache-2.0
// The table of dialects: what `swz translate --list` prints, and from which docs/dialects.md is written.
#include <fmt/format.h>

#include "arch/swizzle_mode.hpp"
#include "dialect/spelling.hpp"
#include "view/dialect/translate.hpp"

namespace swz {
namespace {

Cell code_cell(const std::optional<int>& code) {
  return {code ? Json(*code) : Json(), code ? std::to_string(*code) : "-"};
}
Cell name_cell(std::string_view name) { return {or_null(std::string(name)), name.empty() ? "-" : std::string(name)}; }

// The row of each mode in the one table of names.
Table mode_table() {
  std::vector<ColumnOf<ModeSpelling>> columns{
      {"mode", "", &ModeSpelling::mode},
      {"bytes", "", [](const ModeSpelling& m) { return Cell(to_string(require_swizzle_mode(m.mode).byte_swizzle())); }},
      {"wgmma", "", [](const ModeSpelling& m) { return code_cell(require_swizzle_mode(m.mode).wgmma_code); }},
      {"tcgen05", "", [](const ModeSpelling& m) { return code_cell(require_swizzle_mode(m.mode).tcgen05_code); }},
      {"driver", "", [](const ModeSpelling& m) { return code_cell(require_swizzle_mode(m.mode).tma_code); }},
      {"driver_name", "", [](const ModeSpelling& m) { return Cell(require_swizzle_mode(m.mode).tma_name); }},
      {"cute_atom", "", [](const ModeSpelling& m) { return Cell(require_swizzle_mode(m.mode).atom_name); }},
      {"triton", "", [](const ModeSpelling& m) { return name_cell(m.triton); }},
      {"tilelang", "", [](const ModeSpelling& m) { return name_cell(m.tilelang); }},
      {"mosaic", "", [](const ModeSpelling& m) { return name_cell(m.mosaic); }},
      {"mojo", "", [](const ModeSpelling& m) { return name_cell(m.mojo); }},
      {"nvfuser", "", [](const ModeSpelling& m) { return name_cell(m.nvfuser); }}};
  return table_of<ModeSpelling>("mode_names", "", mode_spellings(), columns);
}

}  // namespace

Document view_dialects() {
  Document d;
  d.add(table_of<Dialect>(
      "dialects", "", dialects(),
      {{"name", "dialect", &Dialect::name},
       {"title", "project", &Dialect::title},
       {"unit", "counts", &Dialect::unit},
       {"needs", "asks for", [](const Dialect& r) { return Cell(r.needs, r.needs.empty() ? "-" : ""); }},
       {"example", "", &Dialect::example},
       {"rules", "", &Dialect::rules},
       {"source", "", &Dialect::source}}));
  std::string examples;
  for (const Dialect& row : dialects())
    if (!row.example.empty())
      examples += fmt::format("{}{}\n  {}", examples.empty() ? "" : "\n", row.name, row.example);
  d.add(Paragraph{std::move(examples), Tone::plain, true});
  d.add(mode_table());
  d.add(table_of<SwizzleSpelling>(
      "swizzle_spellings", "", swizzle_spellings(),
      {{"where", "", &SwizzleSpelling::where},
       {"text", "", &SwizzleSpelling::text},
       {"meaning", "", &SwizzleSpelling::meaning},
       {"evidence", "", [](const SwizzleSpelling& s) { return Cell(to_string(s.source.evidence)); }},
       {"source", "", [](const SwizzleSpelling& s) { return Cell(s.source.where); }}}));
  d.answers = {"dialects.name"};
  return d;
}

}  // namespace swz
