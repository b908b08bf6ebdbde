// SPDX-License-Identifier: Apache-2.0
// The picture of the swizzle modes: a column for each mode, and beside it what the mode does to the chunks of each line:
//
//                none       32B        …           line   0  1  2  3 …
//   wgmma code   0          3                      none   0  0  0  0
//   Sw<B,M,S>    0,4,3      1,4,3                  32B    0  1  0  1
//   span, B      16         32                     64B    0  1  2  3
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "arch/swizzle_mode.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "view/arch/arch_table.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

struct Property {
  const char* name;
  std::function<std::string(const SwizzleMode&)> text;
};

std::string code_text(const std::optional<int>& code) { return code ? std::to_string(*code) : "-"; }

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  return names;
}

Grid properties_panel() {
  const std::vector<Property> properties{
      {"wgmma code", [](const SwizzleMode& m) { return code_text(m.wgmma_code); }},
      {"tcgen05 code", [](const SwizzleMode& m) { return code_text(m.tcgen05_code); }},
      {"TMA code", [](const SwizzleMode& m) { return code_text(m.tma_code); }},
      {"Sw<B,M,S>", [](const SwizzleMode& m) { return fmt::format("{},{},{}", m.bits, m.base, m.shift); }},
      {"span, B", [](const SwizzleMode& m) { return std::to_string(m.span.count); }},
      {"piece, B", [](const SwizzleMode& m) { return std::to_string(m.atomicity.count); }},
      {"atom lines", [](const SwizzleMode& m) { return std::to_string(m.lines); }},
      {"atom, B", [](const SwizzleMode& m) { return std::to_string(m.atom().count); }},
      {"pattern, B", [](const SwizzleMode& m) { return std::to_string(m.pattern().count); }}};
  std::vector<std::string> names;
  for (const Property& property : properties) names.emplace_back(property.name);
  return grid_of("the modes", "mode", names, mode_names(), [&](std::int64_t row, std::int64_t column) {
    const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(column)];
    return Grid::Square{properties[static_cast<std::size_t>(row)].text(mode)};
  });
}

// With which number the chunks of a line are XORed: chunk 0 goes to the chunk of this number.
Grid xor_panel() {
  constexpr std::int64_t lines = 8;
  return grid_of("XOR of the chunk numbers of a 128 B line", "line", mode_names(), number_labels(lines),
                 [](std::int64_t row, std::int64_t line) {
                   const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(row)];
                   const std::int64_t byte = mode.byte(line * bank_row.count) % bank_row.count;
                   const std::int64_t by = byte / chunk.count;
                   return Grid::Square{std::to_string(by),
                                       {static_cast<int>(by)},
                                       Mark::none,
                                       fmt::format("mode {}, line {}: chunk c goes to c ^ {}", mode.name, line, by)};
                 });
}

// "128B_32B": the modes that no GPU was asked about.
std::string not_measured() {
  std::vector<std::string> names;
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.source.evidence != Evidence::measured) names.emplace_back(mode.name);
  return join_and(names);
}

}  // namespace

Figure swizzle_modes_figure() {
  Figure figure;
  figure.panels = {{properties_panel(), xor_panel()}};
  // The longest name would make the letters of the whole panel small.
  std::string names_in_cute;
  for (const SwizzleMode& mode : swizzle_modes())
    names_in_cute += fmt::format("{}{}", names_in_cute.empty() ? "" : ", ", mode.atom_name);
  figure.caption = fmt::format(
      "In CuTe: {}. Sw<B,M,S> XORs bits M to M+B-1 of a byte address with those S above. Span: a line of an atom; "
      "piece: stays together; pattern: after it the XOR repeats. Chunk c of a line goes to c ^ the number; line 0 is "
      "at a multiple of the pattern.",
      names_in_cute);
  if (const std::string names = not_measured(); !names.empty())
    figure.caption += fmt::format(" Mode {} is documented, not measured.", names);
  return figure;
}

}  // namespace swz
