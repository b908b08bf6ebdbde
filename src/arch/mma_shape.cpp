#include "arch/mma_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace swz {

namespace {

using enum MmaKind;

constexpr unsigned plain_floats = kind_set({tf32, f16, f8f6f4});
constexpr unsigned plain = plain_floats | kind_set({i8});
constexpr unsigned fp4 = kind_set({mxf4, mxf4nvf4});
constexpr unsigned scaled = fp4 | kind_set({mxf8f6f4});

constexpr std::string_view one = "cta_group::1", two = "cta_group::2", ws = ".ws";
constexpr Source t39{"PTX ISA 9.1, table 39"};
constexpr Source k96_one{"CUTLASS, SM103 fp4 atoms with one CTA", Evidence::header};

// clang-format off
constexpr MmaShape shapes[] = {
    {plain_floats, one, Sparsity::either, false, {64, 128}, {{{8, 256, 8}}}, t39},
    {plain_floats, two, Sparsity::either, false, {128, 256}, {{{16, 256, 16}}}, t39},
    {kind_set({i8}), one, Sparsity::either, false, {64, 128}, {{{8, 32, 8}, {48, 256, 16}}}, t39},
    {kind_set({i8}), two, Sparsity::either, false, {128, 256}, {{{32, 256, 32}}}, t39},
    {plain, ws, Sparsity::dense, false, {32, 64, 128}, {{{64, 128, 64}, {256, 256, 1}}}, t39},
    {plain, ws, Sparsity::sparse, false, {32, 64, 128}, {{{64, 128, 64}}}, t39},
    {scaled, one, Sparsity::either, false, {128}, {{{8, 256, 8}}}, t39},
    {scaled, two, Sparsity::dense, false, {128, 256}, {{{16, 256, 16}}}, t39},
    {scaled, two, Sparsity::sparse, false, {256}, {{{16, 256, 16}}}, t39},
    {fp4, one, Sparsity::dense, true, {128}, {{{16, 256, 16}}}, k96_one},
    {fp4, two, Sparsity::dense, true, {256}, {{{16, 256, 16}}}, t39},
};
// clang-format on

// Table 52: with cta_group::1 and ::2, .ws rows satisfy it anyway.
constexpr Range transposed_8bit_n(std::string_view group) {
  return group == two ? Range{32, 256, 32} : Range{16, 256, 16};
}

}  // namespace

std::span<const MmaShape> mma_shapes() { return shapes; }

bool fits(const MmaShape& shape, const MmaShapeQuery& query) {
  if (!contains(shape.kinds, query.kind) || shape.k96 != query.k96) return false;
  if (shape.sparsity != Sparsity::either && (shape.sparsity == Sparsity::sparse) != query.sparse) return false;
  if (query.m == 0 || std::find(shape.m.begin(), shape.m.end(), query.m) == shape.m.end()) return false;
  if (query.transposed_8bit_b && !transposed_8bit_n(shape.group).contains(query.n)) return false;
  return std::any_of(shape.n.begin(), shape.n.end(),
                     [&](const Range& range) { return range.first > 0 && range.contains(query.n); });
}

std::string fitting_groups(const MmaShapeQuery& query) {
  std::vector<std::string> groups;
  for (const MmaShape& shape : shapes)
    if (fits(shape, query)) groups.emplace_back(shape.group);
  return join_and(groups);
}

std::string to_string(const std::array<Range, 2>& n) {
  std::string out;
  for (const Range& range : n) {
    if (range.first == 0) continue;
    if (!out.empty()) out += ", ";
    out += range.first == range.last ? fmt::format("{}", range.first)
                                     : fmt::format("{}..{} step {}", range.first, range.last, range.step);
  }
  return out;
}

std::string to_string(const std::array<int, 3>& m) {
  std::string out;
  for (const int extent : m)
    if (extent > 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", extent);
  return out;
}

}  // namespace swz
