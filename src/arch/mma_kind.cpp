#include "arch/mma_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using enum MmaKind;

constexpr Source t42{"PTX ISA 9.1, tables 39, 42 and 51"}, t43{"PTX ISA 9.1, tables 39, 43 and 57"},
    t44{"PTX ISA 9.1, tables 39, 44 and 57"};
constexpr Source t42_ptxas{"PTX ISA 9.1, tables 39, 42 and 51; ptxas 13.0.88 for the targets"};

// clang-format off
//                           K          scaled select satur. negate transp. 8-bit
constexpr MmaKindRow kinds[] = {
    {tf32,     "tf32",       8,  16,  false, true,  false, true,  true,  false, {}, t42},
    {f16,      "f16",       16,  32,  false, true,  false, true,  true,  false, {}, t42},
    {f8f6f4,   "f8f6f4",    32,  64,  false, false, false, true,  true,  true,  {}, t42},
    {i8,       "i8",        32,  64,  false, false, true,  false, true,  true,  {"sm_100a", "sm_110a"}, t42_ptxas},
    {mxf8f6f4, "mxf8f6f4",  32,  64,  true,  false, false, true,  true,  true,  {}, t43},
    {mxf4,     "mxf4",      64, 128,  true,  false, false, true,  false, false, {}, t44},
    {mxf4nvf4, "mxf4nvf4",  64, 128,  true,  false, false, true,  false, false, {}, t44},
};

constexpr unsigned eight_bit_floats = kind_set({f8f6f4, mxf8f6f4});
constexpr unsigned packed_fp4 = kind_set({mxf4, mxf4nvf4});

constexpr TypeCode codes[] = {
    {kind_set({tf32}), TypeRole::a_b, 2, "tf32", t42},
    {kind_set({f16}), TypeRole::a_b, 0, "f16", t42},
    {kind_set({f16}), TypeRole::a_b, 1, "bf16", t42},
    {eight_bit_floats, TypeRole::a_b, 0, "e4m3", t42},
    {eight_bit_floats, TypeRole::a_b, 1, "e5m2", t42},
    {eight_bit_floats, TypeRole::a_b, 3, "e2m3", t42},
    {eight_bit_floats, TypeRole::a_b, 4, "e3m2", t42},
    {eight_bit_floats, TypeRole::a_b, 5, "e2m1", t42},
    {kind_set({i8}), TypeRole::a_b, 0, "u8", t42},
    {kind_set({i8}), TypeRole::a_b, 1, "s8", t42},
    {packed_fp4, TypeRole::a_b, 1, "e2m1", t44},
    {kind_set({f16, f8f6f4}), TypeRole::d, 0, "f16", t42},
    {kind_set({tf32, f16, f8f6f4}), TypeRole::d, 1, "f32", t42},
    {kind_set({i8}), TypeRole::d, 2, "s32", t42},
    {kind_set({mxf4nvf4}), TypeRole::scale, 0, "ue4m3", t44},
    {kind_set({mxf8f6f4, mxf4, mxf4nvf4}), TypeRole::scale, 1, "ue8m0", t43},
};
// clang-format on

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

std::span<const MmaKindRow> mma_kinds() { return kinds; }

const MmaKindRow& row_of(MmaKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

const MmaKindRow& require_mma_kind(std::string_view name) {
  constexpr std::string_view prefix = "kind::";
  const std::string_view wanted = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  std::vector<std::string> names;
  for (const MmaKindRow& row : kinds) {
    if (row.name == wanted) return row;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("{} is not a kind of tcgen05.mma", quoted(name)),
              did_you_mean(wanted, names, "kinds: " + join_and(names)));
}

std::span<const TypeCode> type_codes() { return codes; }

const TypeCode* find_type_code(MmaKind kind, TypeRole role, std::uint64_t code) {
  for (const TypeCode& row : codes)
    if (row.role == role && contains(row.kinds, kind) && static_cast<std::uint64_t>(row.code) == code) return &row;
  return nullptr;
}

std::string legal_type_codes(MmaKind kind, TypeRole role) {
  std::vector<std::string> legal;
  for (const TypeCode& row : codes)
    if (row.role == role && contains(row.kinds, kind)) legal.push_back(fmt::format("{} {}", row.code, row.dtype));
  return join_and(legal);
}

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
