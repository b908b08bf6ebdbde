// SPDX-License-Identifier: Apache-2.0
#include "arch/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// ---- tcgen05.mma

using enum MmaKind;

constexpr Source t42{"PTX ISA 9.1, tables 39, 42 and 51"}, t43{"PTX ISA 9.1, tables 39, 43 and 57"},
    t44{"PTX ISA 9.1, tables 39, 44 and 57"};
constexpr Source t42_ptxas{"PTX ISA 9.1, tables 39, 42 and 51; ptxas 13.5.37 for the targets"};
constexpr Source t51_94{"PTX ISA 9.4, tables 48 and 51; ptxas 13.5.37 for the targets"};
constexpr Source t53_94{"PTX ISA 9.4, tables 53 and 69"};

// clang-format off
//                           K          scaled select satur. negate transp. 8-bit
constexpr MmaKindRow kinds[] = {
    {tf32,     "tf32",       8,  16,  false, true,  false, true,  true,  false, {}, t42},
    {f16,      "f16",       16,  32,  false, true,  false, true,  true,  false, {}, t42},
    {f8f6f4,   "f8f6f4",    32,  64,  false, false, false, true,  true,  true,  {}, t42},
    {i8,       "i8",        32,  64,  false, false, true,  false, true,  true,  {"sm_100a", "sm_110a"}, t42_ptxas},
    {ti16,     "ti16",      16,  32,  false, true,  false, true,  false, false, {"sm_107a", "sm_107f"}, t51_94},
    {mxf8f6f4, "mxf8f6f4",  32,  64,  true,  false, false, true,  true,  true,  {}, t43},
    {mxf4,     "mxf4",      64, 128,  true,  false, false, true,  false, false, {}, t44},
    {mxf4nvf4, "mxf4nvf4",  64, 128,  true,  false, false, true,  false, false, {}, t44},
};

constexpr unsigned eight_bit_floats = kind_set({f8f6f4, mxf8f6f4});
constexpr unsigned fp4 = kind_set({mxf4, mxf4nvf4});

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
    {kind_set({ti16}), TypeRole::a_b, 3, "s1z4m11", t51_94, available::rubin},
    {fp4, TypeRole::a_b, 1, "e2m1", t44},
    {kind_set({f16, f8f6f4}), TypeRole::d, 0, "f16", t42},
    {kind_set({tf32, f16, f8f6f4}), TypeRole::d, 1, "f32", t42},
    {kind_set({i8, ti16}), TypeRole::d, 2, "s32", t51_94},
    {kind_set({mxf4nvf4}), TypeRole::scale, 0, "ue4m3", t44},
    {kind_set({mxf8f6f4, mxf4, mxf4nvf4}), TypeRole::scale, 1, "ue8m0", t43},
    {kind_set({mxf4nvf4}), TypeRole::scale, 2, "ue5m3", t53_94, available::rubin},
};
// clang-format on

constexpr unsigned plain_floats = kind_set({tf32, f16, f8f6f4});
constexpr unsigned plain = plain_floats | kind_set({i8});
constexpr unsigned scaled = fp4 | kind_set({mxf8f6f4});

constexpr std::string_view one = "cta_group::1", two = "cta_group::2", ws = ".ws";
constexpr Source t39{"PTX ISA 9.1, table 39"}, t48{"PTX ISA 9.4, table 48"};
constexpr Source k96_one{"PTX ISA 9.4, table 48; CUTLASS, SM103 fp4 atoms with one CTA"};
constexpr Source n16{"PTX ISA 9.4, table 48, which prints steps of 8 or 16 without saying which"};
constexpr Source dsl_one{"CuTe DSL 4.8.1, SM107 fp4 MMA with one CTA; PTX ISA 9.4, table 48, has two only",
                         Evidence::header};
using enum KSize;
using available::rubin, available::ultra;
constexpr unsigned only_ti16 = kind_set({ti16}), only_f8 = kind_set({f8f6f4}), only_mxf8 = kind_set({mxf8f6f4});
constexpr std::array<Range, 2> by_8{{{8, 256, 8}}}, by_16{{{16, 256, 16}}}, by_32{{{32, 256, 32}}};
constexpr std::array<Range, 2> ws_dense{{{64, 128, 64}, {256, 256, 1}}}, ws_sparse{{{64, 128, 64}}};

// clang-format off
constexpr MmaShape shapes[] = {
    {plain_floats, one, Sparsity::either, usual, {64, 128}, by_8, t39},
    {plain_floats, two, Sparsity::either, usual, {128, 256}, by_16, t39},
    {kind_set({i8}), one, Sparsity::either, usual, {64, 128}, {{{8, 32, 8}, {48, 256, 16}}}, t39},
    {kind_set({i8}), two, Sparsity::either, usual, {128, 256}, by_32, t39},
    {plain, ws, Sparsity::dense, usual, {32, 64, 128}, ws_dense, t39},
    {plain, ws, Sparsity::sparse, usual, {32, 64, 128}, ws_sparse, t39},
    {scaled, one, Sparsity::either, usual, {128}, by_8, t39},
    {scaled, two, Sparsity::dense, usual, {128, 256}, by_16, t39},
    {scaled, two, Sparsity::sparse, usual, {256}, by_16, t39},
    {fp4, one, Sparsity::dense, k96, {128}, by_16, k96_one, ultra},
    {fp4, two, Sparsity::dense, k96, {256}, by_16, t39, ultra},
    {fp4, one, Sparsity::sparse, k96, {128}, by_8, t48, rubin},
    {fp4, two, Sparsity::sparse, k96, {256}, by_16, t48, rubin},
    {fp4, one, Sparsity::dense, twice, {128}, by_16, dsl_one, rubin},
    {fp4, two, Sparsity::dense, twice, {256}, by_16, t48, rubin},
    {only_f8, one, Sparsity::dense, twice, {128}, by_16, n16, rubin},
    {only_f8, two, Sparsity::dense, twice, {256}, by_16, t48, rubin},
    {only_f8, ws, Sparsity::dense, twice, {32, 64, 128}, ws_dense, t48, rubin},
    {only_mxf8, one, Sparsity::either, twice, {128}, by_8, t48, rubin},
    {only_mxf8, two, Sparsity::either, twice, {256}, by_16, t48, rubin},
    {only_ti16, one, Sparsity::either, usual, {64}, by_8, t48, rubin},
    {only_ti16, one, Sparsity::either, usual, {128}, by_16, t48, rubin},
    {only_ti16, two, Sparsity::either, usual, {128, 256}, by_32, t48, rubin},
    {only_ti16, ws, Sparsity::dense, usual, {32, 64, 128}, ws_dense, t48, rubin},
    {only_ti16, ws, Sparsity::sparse, usual, {32, 64, 128}, ws_sparse, t48, rubin},
};
// clang-format on

// Table 52. It applies to cta_group::1 and ::2; .ws rows satisfy it anyway.
constexpr Range transposed_8bit_n(std::string_view group) {
  return group == two ? Range{32, 256, 32} : Range{16, 256, 16};
}

// A shape with this K, or null. All of them are on the same targets.
const MmaShape* shape_with(MmaKind kind, KSize size, bool sparse) {
  for (const MmaShape& shape : shapes) {
    const bool is_so = shape.sparsity == Sparsity::either || (shape.sparsity == Sparsity::sparse) == sparse;
    if (contains(shape.kinds, kind) && shape.k == size && is_so) return &shape;
  }
  return nullptr;
}

// ---- mma.sync, wgmma, and the instructions that move fragments

using enum InstructionFamily;

using available::byte_matrices, available::sm_70, available::sm_75, available::sm_80, available::sm_89,
    available::sm_90, available::workstation;
constexpr Availability sm_90a{0, {"sm_90a"}};

// For mma and wgmma, ptxas was asked about every shape, N, type, accumulator and target: tests/data/ptxas_mma.txt.
// The fragments are measured: swz verify reads every operand of every instruction that sm_90a has.
constexpr Source mma_seen{
    "H200, every operand of 70 instructions; PTX ISA 9.1, 9.7.14.5; ptxas 13.5.37 for the targets", Evidence::measured};
constexpr Source mma_doc{"PTX ISA 9.1, 9.7.14.5; ptxas 13.5.37"};
constexpr Source wgmma_seen{"H200, 948 instructions, A from registers too; PTX ISA 9.1, 9.7.15.2; ptxas 13.5.37",
                            Evidence::measured};
constexpr Source matrix_seen{"H200, all 13 forms of sm_90a; PTX ISA 9.1, 9.7.14.5; ptxas 13.5.37 for the targets",
                             Evidence::measured};
constexpr Source ldmatrix_doc{"PTX ISA 9.1, 9.7.14.5 (ldmatrix); ptxas 13.5.37 for the targets"};
constexpr Source stmatrix_doc{"PTX ISA 9.1, 9.7.14.5 (stmatrix); ptxas 13.5.37 for the targets"};
constexpr Source m16n16{"CuTe SM100 copy atoms; a public measurement on sm_120a", Evidence::header};

constexpr std::array<Range, 2> n8{{{8, 8, 1}}};
constexpr std::array<Range, 2> every_8th{{{8, 256, 8}}};
constexpr std::array<Range, 2> integer_n{{{8, 32, 8}, {48, 256, 16}}};

// clang-format off
constexpr MmaInstruction mmas[] = {
    {mma, 8, n8, 4, {"f16"}, 16, {"f32", "f16"}, sm_70, mma_seen},
    {mma, 8, n8, 4, {"f64"}, 64, {"f64"}, sm_80, mma_seen},
    {mma, 8, n8, 16, {"s8", "u8"}, 8, {"s32"}, sm_75, mma_seen},
    {mma, 8, n8, 32, {"s4", "u4"}, 4, {"s32"}, sm_75, mma_seen},
    {mma, 8, n8, 128, {"b1"}, 1, {"s32"}, sm_75, mma_seen},
    {mma, 16, n8, 4, {"tf32"}, 32, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 4, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 8, {"f16"}, 16, {"f32", "f16"}, sm_75, mma_seen},
    {mma, 16, n8, 8, {"bf16"}, 16, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 8, {"tf32"}, 32, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 8, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 16, {"f16"}, 16, {"f32", "f16"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"bf16"}, 16, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"s8", "u8"}, 8, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_89, mma_seen},
    {mma, 16, n8, 16, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 32, {"s8", "u8"}, 8, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 32, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_89, mma_seen},
    {mma, 16, n8, 32, {"e2m3", "e3m2", "e2m1"}, 8, {"f32", "f16"}, workstation, mma_doc},
    {mma, 16, n8, 32, {"s4", "u4"}, 4, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 64, {"s4", "u4"}, 4, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 64, {"e2m1"}, 4, {"f32"}, workstation, mma_doc},
    {mma, 16, n8, 128, {"b1"}, 1, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 256, {"b1"}, 1, {"s32"}, sm_80, mma_seen},
    {wgmma, 64, every_8th, 8, {"tf32"}, 32, {"f32"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 16, {"f16"}, 16, {"f32", "f16"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 16, {"bf16"}, 16, {"f32"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 32, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_90a, wgmma_seen},
    {wgmma, 64, integer_n, 32, {"s8", "u8"}, 8, {"s32"}, sm_90a, wgmma_seen},
    {wgmma, 64, integer_n, 256, {"b1"}, 1, {"s32"}, sm_90a, wgmma_seen},
};

//                                                                         rows elements bits
constexpr MatrixInstruction matrices[] = {
    {ldmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional,               8,   8, 16, sm_75, matrix_seen},
    {ldmatrix, "m16n16", "b8", {1, 2}, Transpose::yes,                     16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m16n16", "b8x16.b6x16_p32", {1, 2}, Transpose::yes,        16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m16n16", "b8x16.b4x16_p64", {1, 2}, Transpose::yes,        16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m8n16", "b8x16.b6x16_p32", {1, 2, 4}, Transpose::no,        8,  16,  8, byte_matrices, ldmatrix_doc},
    {ldmatrix, "m8n16", "b8x16.b4x16_p64", {1, 2, 4}, Transpose::no,        8,  16,  8, byte_matrices, ldmatrix_doc},
    {stmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional,               8,   8, 16, sm_90, matrix_seen},
    {stmatrix, "m16n8", "b8", {1, 2, 4}, Transpose::yes,                    8,  16,  8, byte_matrices, stmatrix_doc},
    {movmatrix, "m8n8", "b16", {1}, Transpose::yes,                         8,   8, 16, sm_75, matrix_seen},
};
// clang-format on

constexpr bool fills_registers(const MmaInstruction& row) {
  const int register_bits = std::max(32, row.bits);
  const int quads = row.is_quad_pair() ? 4 : 1;  // the four MMAs fill the warp together
  const bool a = row.m * row.k * row.bits * quads % (row.threads() * register_bits) == 0;
  const bool b = row.family == wgmma || row.n[0].first * row.k * row.bits * quads % (32 * register_bits) == 0;
  return is_power_of_two(row.bits) && a && b && !row.types[0].empty() && !row.accumulators[0].empty();
}
constexpr bool fills_registers(const MatrixInstruction& row) {
  return is_power_of_two(row.bits) && row.memory_rows * row.row_elements * row.bits % (32 * 32) == 0;
}
static_assert(std::ranges::all_of(mmas, [](const MmaInstruction& row) { return fills_registers(row); }));
static_assert(std::ranges::all_of(matrices, [](const MatrixInstruction& row) { return fills_registers(row); }));

// "sm_100a" gives 100.
int compute_capability(const Target& target) { return std::atoi(std::string(target.name.substr(3)).c_str()); }

constexpr int largest_m = 256, largest_n = 256, step_n = 8;

// The targets that have an instruction or a kind.
template <class Row>
std::vector<const Target*> targets_of(const Row& row) {
  std::vector<const Target*> found;
  for (const Target& target : targets())
    if (runs_on(row, target)) found.push_back(&target);
  return found;
}

void append_instructions(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  for (const MmaInstruction& row : mma_instructions())
    if (row.m == extents.m && row.k == extents.k && extents.n <= largest_n && row.takes(static_cast<int>(extents.n)) &&
        takes_type(row, dtype.name))
      forms.push_back({row.family == InstructionFamily::wgmma ? "wgmma" : "mma.sync", "", targets_of(row.availability),
                       row.source});
}

void append_tcgen05(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  if (extents.m > largest_m || extents.n > largest_n) return;
  for (const MmaKindRow& kind : mma_kinds())
    for (const KSize size : {usual, k96, twice}) {
      if (!takes_type(kind, size, dtype) || extents.k != k_of(kind.kind, size)) continue;
      const MmaShapeQuery query{
          .kind = kind.kind, .m = static_cast<int>(extents.m), .n = static_cast<int>(extents.n), .k = size};
      std::string groups = fitting_groups(query);
      if (groups.empty()) continue;
      std::vector<const Target*> on = targets_of(kind);
      std::erase_if(on, [&](const Target* target) { return !fits_on(*target, query); });
      forms.push_back({fmt::format("tcgen05.mma kind::{}", kind.name), std::move(groups), std::move(on), kind.source});
    }
}

}  // namespace

std::span<const MmaKindRow> mma_kinds() { return kinds; }

const MmaKindRow& row_of(MmaKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

const MmaKindRow& require_mma_kind(std::string_view name) {
  constexpr std::string_view prefix = "kind::";
  const std::string_view wanted = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  for (const MmaKindRow& row : kinds)
    if (row.name == wanted) return row;
  const std::vector<std::string> names = names_of(kinds);
  throw Error(fmt::format("{} is not a kind of tcgen05.mma", quoted(name)),
              did_you_mean(wanted, names, "kinds: " + join_and(names)));
}

std::span<const TypeCode> type_codes() { return codes; }

bool takes_type(const MmaKindRow& kind, std::string_view dtype) {
  return std::ranges::any_of(codes, [&](const TypeCode& code) {
    return code.role == TypeRole::a_b && contains(code.kinds, kind.kind) && code.dtype == dtype;
  });
}

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
  if (!contains(shape.kinds, query.kind) || shape.k != query.k) return false;
  if (shape.sparsity != Sparsity::either && (shape.sparsity == Sparsity::sparse) != query.sparse) return false;
  if (query.m == 0 || std::find(shape.m.begin(), shape.m.end(), query.m) == shape.m.end()) return false;
  if (query.transposed_8bit_b && !transposed_8bit_n(shape.group).contains(query.n)) return false;
  return std::any_of(shape.n.begin(), shape.n.end(),
                     [&](const Range& range) { return range.first > 0 && range.contains(query.n); });
}

int k_of(MmaKind kind, KSize size, bool sparse) {
  if (shape_with(kind, size, sparse) == nullptr) return 0;
  const MmaKindRow& row = row_of(kind);
  const int own = sparse ? row.k_sparse : row.k_dense;
  return size == usual ? own : size == twice ? 2 * own : own / 2 * 3;
}

Availability availability_of(MmaKind kind, KSize size, bool sparse) {
  const MmaShape* shape = shape_with(kind, size, sparse);
  return shape == nullptr ? Availability{} : shape->on;
}

bool takes_type(const MmaKindRow& kind, KSize size, const DType& dtype) {
  return takes_type(kind, dtype.name) && (kind.kind != f8f6f4 || size == usual || dtype.value_bits == 8);
}

bool fits_on(const Target& target, const MmaShapeQuery& query) {
  return std::ranges::any_of(shapes,
                             [&](const MmaShape& shape) { return fits(shape, query) && runs_on(shape.on, target); });
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

bool runs_on(const Availability& availability, const Target& target) {
  if (availability.from > 0) return compute_capability(target) >= availability.from;
  return std::ranges::find(availability.only_on, target.name) != availability.only_on.end();
}

std::string to_string(const Availability& availability) {
  if (availability.from > 0) return fmt::format("sm_{} and later", availability.from);
  std::vector<std::string> names;
  for (const std::string_view name : availability.only_on)
    if (!name.empty()) names.emplace_back(name);
  return join_and(names);
}

std::span<const MmaInstruction> mma_instructions() { return mmas; }

bool takes_type(const MmaInstruction& row, std::string_view dtype) {
  return !dtype.empty() && std::ranges::find(row.types, dtype) != row.types.end();
}

bool accumulates_in(const MmaInstruction& row, std::string_view dtype) {
  return !dtype.empty() && std::ranges::find(row.accumulators, dtype) != row.accumulators.end();
}

std::span<const MatrixInstruction> matrix_instructions() { return matrices; }

std::string to_string(const MmaExtents& extents) { return fmt::format("m{}n{}k{}", extents.m, extents.n, extents.k); }

double distance(const MmaExtents& a, const MmaExtents& b) {
  const auto ratio = [](std::int64_t x, std::int64_t y) {
    return static_cast<double>(std::max(x, y)) / static_cast<double>(std::min(x, y));
  };
  return ratio(a.m, b.m) * ratio(a.n, b.n) * ratio(a.k, b.k);
}

bool MmaForm::runs_on(const Target& target) const { return std::ranges::find(targets, &target) != targets.end(); }

std::vector<MmaForm> mma_forms(const MmaExtents& extents, const DType& dtype) {
  std::vector<MmaForm> forms;
  append_instructions(forms, extents, dtype);
  append_tcgen05(forms, extents, dtype);
  std::erase_if(forms, [](const MmaForm& form) { return form.targets.empty(); });
  return forms;
}

std::optional<MmaExtents> nearest_mma(const MmaExtents& wanted, const DType& dtype, const Target& target) {
  std::optional<MmaExtents> best;
  const auto consider = [&](const MmaExtents& candidate) {
    if (best && distance(candidate, wanted) >= distance(*best, wanted)) return;
    const std::vector<MmaForm> forms = mma_forms(candidate, dtype);
    if (std::ranges::any_of(forms, [&](const MmaForm& form) { return form.runs_on(target); })) best = candidate;
  };
  for (std::int64_t k = 4; k <= 256; k += k < 8 ? 4 : 8)
    for (const std::int64_t m : {8, 16, 32, 64, 128, 256})
      for (std::int64_t n = step_n; n <= largest_n; n += step_n) consider({m, n, k});
  return best;
}

}  // namespace swz
